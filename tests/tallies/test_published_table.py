"""A table that was counted elsewhere: read with its classes, it has every metric of labels."""

import numpy as np
import pandas as pd
import pytest
from support.compare import same, undefined_allowed
from support.rows import NAMES, settings_of

from skmetrics_ext import (
    METRICS,
    compute_metrics,
    confidence_interval,
    expected_cost,
    f1_score,
    macro_averaged_mean_absolute_error,
    roc_auc_score,
)
from skmetrics_ext.tallies import ConfusionTally

OF_LABELS = [name for name in NAMES if METRICS[name].response == "labels"]
TABLES = {
    "two classes": [[7, 2], [1, 5]],
    "weights": [[7.5, 2], [0.25, 5]],
    "three classes": [[4, 1, 0], [2, 3, 1], [0, 2, 6]],
    "a class never predicted": [[4, 0, 1], [2, 0, 1], [1, 0, 6]],
}


def written_out(table):
    """Rows of these cells, and their weights."""
    true, pred = (codes.ravel() for codes in np.indices(np.shape(table)))
    weight = np.ravel(table)
    seen = weight > 0
    return true[seen], pred[seen], weight[seen]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", TABLES)
@pytest.mark.parametrize("name", OF_LABELS)
def test_a_table_has_the_metrics_of_its_rows(name, case):
    table = np.array(TABLES[case])
    tally = ConfusionTally.from_table(table)
    true, pred, weight = written_out(table)
    kind = "binary" if len(table) == 2 else "multiclass"
    for params, _ in settings_of(name, kinds=(kind,)):
        if params.get("average") == "samples":
            continue
        with undefined_allowed():
            expected = METRICS[name].function(true, pred, sample_weight=weight, **params)
            same(METRICS[name].function(tally, tally, **params), expected)
            if params == METRICS[name].params:
                same(compute_metrics([name], tally)[name], expected)


@pytest.mark.parametrize("name", ["accuracy", "f1_macro", "cohen_kappa", "matthews_corrcoef"])
def test_an_interval_is_that_of_the_rows(name):
    table = np.array(TABLES["three classes"])
    true, pred, weight = written_out(table)
    rows = np.repeat(true, weight), np.repeat(pred, weight)
    assert confidence_interval(name, ConfusionTally.from_table(table)) == confidence_interval(
        name, *rows
    )


def test_classes_bear_the_names_that_are_given():
    table = TABLES["two classes"]
    tally = ConfusionTally.from_table(table, ["well", "ill"])
    assert tally.classes.tolist() == ["well", "ill"]
    assert f1_score(tally, tally, pos_label="ill") == pytest.approx(10 / 13)
    assert f1_score(tally, tally, pos_label="well") == pytest.approx(14 / 17)
    with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
        f1_score(tally, tally)
    with pytest.raises(ValueError, match="recall needs a positive class: pass pos_label='ill'"):
        compute_metrics(["recall"], tally)
    assert compute_metrics(["recall"], tally, pos_label="ill") == {"recall": pytest.approx(5 / 6)}
    costs = expected_cost(tally, tally, cost_matrix=[[0, 1], [10, 0]], labels=["well", "ill"])
    assert costs == pytest.approx(12 / 15)


def test_an_order_may_be_declared():
    table = [[2, 0, 2], [0, 1, 0], [0, 0, 1]]
    tally = ConfusionTally.from_table(table, ["none", "some", "severe"], ordered=True)
    assert macro_averaged_mean_absolute_error(tally, tally) == pytest.approx(1 / 3)
    nominal = ConfusionTally.from_table(table, ["none", "some", "severe"])
    with pytest.raises(ValueError, match="has no order"):
        macro_averaged_mean_absolute_error(nominal, nominal)
    graded = ConfusionTally.from_table(table, [1, 2, 5])
    assert macro_averaged_mean_absolute_error(graded, graded) == pytest.approx(2 / 3)


def test_a_data_frame_names_its_classes():
    true, pred = pd.Series(list("aabbb")), pd.Series(list("abbba"))
    tally = ConfusionTally.from_table(pd.crosstab(true, pred))
    assert tally.classes.tolist() == ["a", "b"]
    assert tally.table.tolist() == [[1, 1], [1, 2]]
    renamed = ConfusionTally.from_table(pd.DataFrame(tally.table), labels=["x", "y"])
    assert renamed.classes.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match="are not the names of the rows of table"):
        ConfusionTally.from_table(pd.crosstab(true, pred), labels=["b", "a"])
    with pytest.raises(ValueError, match="must name the same classes in the same order"):
        ConfusionTally.from_table(pd.crosstab(true, pred)[["b", "a"]])


@pytest.mark.parametrize(
    ("table", "labels", "message"),
    [
        ([[1, 2]], None, r"square.*shape \(1, 2\)"),
        ([1, 2], None, "square"),
        ([], None, "square"),
        ([[1, -2], [0, 1]], None, "not negative, got -2 in row 0, column 1"),
        ([[1, 2], [np.nan, 1]], None, "finite.*got nan in row 1, column 0"),
        ([[1, 2], [np.inf, 1]], None, "finite.*got inf"),
        ([["a", "b"], ["c", "d"]], None, "table must hold numbers"),
        ([[0, 0], [0, 0]], None, "every cell of it is 0"),
        ([[1, 0], [0, 1]], ["a"], "labels must name each of the 2 classes"),
        ([[1, 0], [0, 1]], ["a", "a"], "labels must name each of the 2 classes of table once"),
        ([[1, 0], [0, 1]], "ab", "labels must be a list"),
    ],
)
def test_a_table_that_is_none_is_refused(table, labels, message):
    with pytest.raises(ValueError, match=message):
        ConfusionTally.from_table(table, labels)


def test_a_table_stands_for_all_rows():
    tally = ConfusionTally.from_table(TABLES["two classes"])
    for arguments, options in (((tally, [0, 1]), {}), ((tally, tally), {"sample_weight": [1]})):
        with pytest.raises(ValueError, match="in the place of both y_true and y_pred"):
            f1_score(*arguments, **options)
    stack = ConfusionTally(tally.classes, np.stack([tally.table] * 2))
    with pytest.raises(ValueError, match="of one table is needed"):
        f1_score(stack, stack)
    with pytest.raises(ValueError, match="'roc_auc' is a metric of scores: pass y_score"):
        compute_metrics(["roc_auc"], tally)
    with pytest.raises((ValueError, TypeError)):
        roc_auc_score(tally, tally)


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ([[4, 1, 0], [2, 3, 0], [0, 0, 0]], 6 / 9),
        ([[4, 1, 1], [2, 3, 0], [0, 0, 0]], None),
        ([[4, 1, 0], [2, 3, 0], [0, 1, 0]], None),
        ([[0, 1, 0], [0, 0, 2], [0, 0, 0]], None),
    ],
)
def test_classes_that_are_true_or_predicted_count(table, value):
    """Of three listed classes two may occur, in a row or in a column: then one is positive."""
    tally = ConfusionTally.from_table(table, ["a", "b", "c"])
    if value is None:
        with pytest.raises(ValueError, match="Target is multiclass but average='binary'"):
            f1_score(tally, tally, pos_label="b")
    else:
        assert f1_score(tally, tally, pos_label="b") == pytest.approx(value)


@pytest.mark.parametrize("name", ["f1", "specificity", "jaccard", "precision"])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("place", [0, 2, 3])
def test_a_listed_class_without_rows_has_no_part_in_an_average(name, average, place):
    table = np.array([[4, 1, 0], [2, 3, 1], [0, 2, 6]])
    function = METRICS[name].function
    tally = ConfusionTally(np.arange(3), table)
    own = function(tally, tally, average=average)
    wider = np.insert(np.insert(table, place, 0, axis=0), place, 0, axis=1)
    tally = ConfusionTally(np.arange(4), wider)
    assert function(tally, tally, average=average) == pytest.approx(own)
    if average == "macro":  # where it is named, it counts
        listed = {"labels": [0, 1, 2, 3], "zero_division": 0.0}
        alone = 1.0 if name == "specificity" else 0.0
        expected = (3 * own + alone) / 4
        found = function(tally, tally, average=average, **listed)
        assert found == pytest.approx(expected)


def test_counts_of_any_size_do_not_overflow():
    big = np.array([[10**12, 10**11], [10**10, 10**12]])
    small = ConfusionTally.from_table(big // 10**9)
    tally = ConfusionTally.from_table(big)
    for name in ("matthews_corrcoef", "cohen_kappa", "f1", "balanced_accuracy"):
        same(compute_metrics([name], tally)[name], compute_metrics([name], small)[name])

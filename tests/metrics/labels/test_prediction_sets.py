"""Prediction sets, by hand."""

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx

TRUE = ["a", "b", "c", "b", "a", "c"]
SETS = [["a"], ["a", "b"], [], ["a", "c"], ["a", "b", "c"], ["c"]]  # 4 of 6 hold it; 9 labels
MARKS = np.array([[label in held for label in "abc"] for held in SETS])
NAMES = ["prediction_set_coverage", "prediction_set_size"]


@pytest.mark.parametrize(
    "sets",
    [
        SETS,
        MARKS,
        pd.DataFrame(MARKS),
        [set(held) for held in SETS],
        [np.array(held) for held in SETS],
        pd.Series(SETS),
    ],
)
def test_coverage_and_size(sets):
    assert sx.prediction_set_coverage(TRUE, sets) == pytest.approx(4 / 6)
    assert sx.prediction_set_size(TRUE, sets) == pytest.approx(9 / 6)
    by_class = sx.prediction_set_coverage(TRUE, sets, average=None)
    assert by_class.tolist() == [1, 0.5, 0.5]  # a: 2 of 2, b: 1 of 2, c: 1 of 2
    assert sx.prediction_set_coverage(TRUE, sets, average="macro") == pytest.approx(2 / 3)
    weight = [1, 2, 3, 0, 0, 1]
    assert sx.prediction_set_coverage(TRUE, sets, sample_weight=weight) == pytest.approx(4 / 7)
    assert sx.prediction_set_size(TRUE, sets, sample_weight=weight) == pytest.approx(6 / 7)


def test_labels_name_the_columns():
    order = ["c", "a", "b"]
    turned = MARKS[:, [2, 0, 1]]
    assert sx.prediction_set_coverage(TRUE, turned, labels=order) == pytest.approx(4 / 6)
    both = sx.prediction_set_coverage(TRUE, turned, labels=order, average=None)
    assert sorted(both.tolist()) == [0.5, 0.5, 1]
    more = np.column_stack([MARKS, np.ones(6, dtype=bool)])
    assert sx.prediction_set_coverage(TRUE, more, labels=["a", "b", "c", "d"]) == 4 / 6
    with pytest.raises(ValueError, match=r"y_set has 4 columns for the classes.*pass labels="):
        sx.prediction_set_size(TRUE, more)


def test_a_label_that_no_row_has():
    sets = [[*held, "d"] for held in SETS]
    assert sx.prediction_set_size(TRUE, sets) == pytest.approx(15 / 6)
    assert sx.prediction_set_coverage(TRUE, sets, average="macro") == pytest.approx(2 / 3)


def test_rows_of_one_class():
    assert sx.prediction_set_coverage([1, 1, 1, 1], [[1], [0], [0, 1], []]) == 0.5
    assert sx.prediction_set_coverage([0, 0], [[0], []], labels=[0, 1]) == 0.5
    with pytest.raises(ValueError, match="hold one class"):
        sx.prediction_set_coverage([0, 0], [[0], []])


def test_intervals_are_those_of_a_share_and_of_a_mean():
    true, sets = TRUE * 20, SETS * 20
    coverage = sx.confidence_interval("prediction_set_coverage", true, sets)
    share = sx.proportion_interval(80, 120, method="wilson")
    assert (coverage.value, coverage.low, coverage.high) == (share.value, share.low, share.high)
    sizes = np.array([len(held) for held in sets])
    size = sx.confidence_interval("prediction_set_size", true, sets, method="t")
    error = sizes.std(ddof=1) / np.sqrt(120)
    assert size.standard_error == pytest.approx(error)
    assert size.high == pytest.approx(1.5 + 1.9801 * error, abs=1e-4)  # t quantile, 119 df
    rows = sx.confidence_interval("prediction_set_coverage", true, sets, average=None)
    for row, hits in zip(rows, (40, 20, 20), strict=True):
        share = sx.proportion_interval(hits, 40, method="wilson")
        assert (row.low, row.high) == pytest.approx((share.low, share.high))
    clustered = sx.confidence_interval(
        "prediction_set_coverage", true, sets, groups=np.repeat(np.arange(20), 6)
    )
    assert clustered.design_effect < 0.01  # every group has 4 of 6


@pytest.mark.parametrize("sets", [SETS * 20, np.tile(MARKS, (20, 1))])
def test_tables_by_class_and_group(sets):
    true = np.array(TRUE * 20)
    table = sx.compute_metrics(
        NAMES, true, sets, by={"class": true}, intervals=True, labels=["a", "b", "c"]
    )
    values = {(row.metric, row.group): row.value for row in table}
    assert [values[NAMES[0], label] for label in "abc"] == [1, 0.5, 0.5]
    assert [values[NAMES[1], label] for label in "abc"] == [2, 2, 0.5]
    assert sx.compute_metrics(NAMES, true, sets) == {NAMES[0]: 4 / 6, NAMES[1]: 1.5}
    models = sx.compute_metrics(NAMES, true, {"x": sets, "y": [["a"]] * 120}, intervals=True)
    gap = models.against(model="y").where(metric=NAMES[1], model="x")[0]
    assert gap.value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (["a"] * 6, r"y_set must hold a list of labels for each row, got 'a'"),
        (MARKS.astype(int), "y_set must be a list of lists of labels, or an array of booleans"),
        (SETS[:5], "inconsistent numbers of samples"),
        (MARKS[:5], "inconsistent numbers of samples"),
        ([[1]] * 6, "Mix of label input types"),
    ],
)
def test_refused(sets, message):
    for function in (sx.prediction_set_coverage, sx.prediction_set_size):
        with pytest.raises(ValueError, match=message):
            function(TRUE, sets)
    with pytest.raises(ValueError, match="lacks classes that occur"):
        sx.prediction_set_coverage(TRUE, SETS, labels=["a", "b"])

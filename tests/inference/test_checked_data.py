"""Intervals of data that were checked before, of published tables, and of which class they are."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from skmetrics_ext import (
    METRICS,
    compare,
    confidence_interval,
    f1_score,
    macro_averaged_mean_absolute_error,
    proportion_interval,
)
from skmetrics_ext.inference.confidence_interval import interval_of_checked
from skmetrics_ext.registry import find
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores

RNG = np.random.default_rng(5)
N = 90
TRUE = RNG.integers(0, 2, N)
PRED, _ = (np.where(RNG.random(N) < 0.75, TRUE, 1 - TRUE) for _ in range(2))
SCORE = np.round(TRUE + RNG.normal(size=N), 1)
PROBA = 1 / (1 + np.exp(-SCORE))
WEIGHT = RNG.integers(1, 4, N)
TEXT = np.array(["no", "yes"])
ONE_AND_TWO = TRUE + 1

# --------------------------------------------------------------------------- the door


def checked_rows(name, sample_weight=None):
    response = METRICS[find(name).spec.name].response
    if response == "labels":
        return PRED, Labels.check(TRUE, PRED, sample_weight=sample_weight)
    if response == "scores":
        return SCORE, Scores.check(TRUE, SCORE, sample_weight=sample_weight)
    return PROBA, Probabilities.check(TRUE, PROBA, sample_weight=sample_weight)


@pytest.mark.parametrize("kind", ["importance", "frequency"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "uneven"])
@pytest.mark.parametrize("name", ["f1", "accuracy", "roc_auc", "gini", "neg_log_loss", "pr_auc"])
def test_checked_data_have_the_interval_of_their_rows(name, weight, kind):
    response, checked = checked_rows(name, weight)
    options = {"weights_are": kind, "n_resamples": 99, "random_state": 0}
    expected = confidence_interval(name, TRUE, response, sample_weight=weight, **options)
    metric = find(name).settled([0, 1])
    assert interval_of_checked(metric, checked, **options) == expected
    assert interval_of_checked(metric, checked, value=expected.value, **options) == expected
    groups = np.arange(N) // 3
    grouped = confidence_interval(
        name, TRUE, response, sample_weight=weight, groups=groups, **options
    )
    assert interval_of_checked(metric, checked, groups=groups, **options) == grouped


def test_scores_of_probabilities_are_read_where_a_metric_reads_scores():
    checked = Probabilities.check(TRUE, PROBA)
    expected = confidence_interval("roc_auc", TRUE, PROBA)
    assert interval_of_checked(find("roc_auc"), checked) == expected


def test_rows_without_weight_are_absent_with_their_classes():
    weight = np.where(np.arange(N) < 80, 1, 0)
    true, pred = np.where(weight, TRUE, 2), np.where(weight, PRED, 2)
    found = confidence_interval("f1_macro", true, pred, sample_weight=weight)
    assert found == confidence_interval("f1_macro", TRUE[:80], PRED[:80])
    by_class = confidence_interval("f1", true, pred, sample_weight=weight)
    assert by_class.value == pytest.approx(f1_score(TRUE[:80], PRED[:80]))
    checked = Labels.check(true, pred, sample_weight=weight)
    assert interval_of_checked(find("f1_macro"), checked, value=-1.0) == found


def test_the_declared_order_of_classes_is_kept_for_both_models():
    """Each model names a grade that the other does not; distances are those of all grades."""
    grades = ["low", "mid", "high", "top"]
    true = ["low", "high"] * 20
    first, second = ["low", "mid"] * 20, ["low", "top"] * 20
    columns = [pd.Categorical(x, grades, ordered=True) for x in (true, first, second)]
    found = compare(macro_averaged_mean_absolute_error, *columns, method="bootstrap", n_resamples=9)
    assert (found.value_a, found.value_b) == (0.5, 0.5)
    assert found.difference == 0


# --------------------------------------------------------------------------- published tables

TABLE = ConfusionTally.from_table([[52, 8], [11, 29]], labels=["no", "yes"])
ROWS = (
    np.repeat(["no", "no", "yes", "yes"], TABLE.table.ravel()),
    np.repeat(["no", "yes", "no", "yes"], TABLE.table.ravel()),
)


@pytest.mark.parametrize("method", ["auto", "delta", "bca", "bootstrap"])
@pytest.mark.parametrize("name", ["f1_macro", "accuracy", "matthews_corrcoef", "cohen_kappa"])
def test_a_table_has_the_interval_of_its_rows(name, method):
    options = {"method": method, "n_resamples": 60, "random_state": 1}
    found = confidence_interval(name, TABLE, **options)
    assert repr(found) == repr(confidence_interval(name, *ROWS, **options))


def test_a_share_of_a_table_has_the_interval_of_a_proportion():
    found = confidence_interval("recall", TABLE, pos_label="yes")
    expected = proportion_interval(29, 40)
    assert found.value == 29 / 40
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    three = ConfusionTally.from_table([[9, 1, 0], [2, 8, 0], [0, 0, 0]])
    assert confidence_interval("f1_macro", three).value == pytest.approx((18 / 21 + 16 / 19) / 2)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("f1", TABLE), {}, "pos_label='yes' or pos_label='no'"),
        (("roc_auc", TABLE), {}, "'roc_auc' of other data"),
        ((lambda a, b: 1.0, TABLE), {}, "ConfusionTally"),
        (("f1_macro", TABLE), {"groups": [1, 2, 3, 4]}, "for groups or strata"),
        (("f1_macro", TABLE), {"sample_weight": [1, 2]}, "no sample_weight"),
        (("f1_macro", TABLE, PRED), {}, "holds y_true, y_pred"),
        (("f1_macro", ConfusionTally.from_table([[0.5, 1], [2, 3]])), {}, "table that counts rows"),
        (("f1_macro", TRUE), {}, "y_pred is missing: pass what f1_macro compares"),
        ((f1_score, TRUE), {}, "y_pred is missing"),
    ],
)
def test_what_no_table_has_is_refused(arguments, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        confidence_interval(*arguments, **options)


# --------------------------------------------------------------------------- the positive class


@pytest.mark.parametrize(
    ("name", "response", "by_marks"),
    [
        ("f1", PRED + 1, PRED),
        ("recall", PRED + 1, PRED),
        ("average_precision", SCORE, SCORE),
        ("lift_at_10", SCORE, SCORE),
    ],
)
def test_a_metric_of_one_class_asks_which_it_is(name, response, by_marks):
    options = {"n_resamples": 49, "random_state": 0}
    asks = "needs a positive class: pass pos_label=2 or pos_label=1"
    with pytest.raises(InvalidParameterError, match=asks):
        confidence_interval(name, ONE_AND_TWO, response, **options)
    with pytest.raises(InvalidParameterError, match=f"pred_a.*{asks}"):
        compare(name, ONE_AND_TWO, response, response, **options)
    found = confidence_interval(name, ONE_AND_TWO, response, pos_label=2, **options)
    assert found == confidence_interval(name, TRUE, by_marks, **options)
    assert compare(name, ONE_AND_TWO, response, response, pos_label=2, **options).difference == 0


def test_a_metric_that_is_the_same_from_either_side_asks_which_class_a_column_is_of():
    other = np.round(TRUE + RNG.normal(size=N), 1)
    for ask in (
        partial(confidence_interval, "roc_auc", TEXT[TRUE], SCORE),
        partial(confidence_interval, "neg_brier_score", TEXT[TRUE], PROBA),
        partial(confidence_interval, "spherical_score", TEXT[TRUE], PROBA),
        partial(compare, "gini", TEXT[TRUE], SCORE, other),
    ):
        with pytest.raises(InvalidParameterError, match="needs a positive class: pass pos_label="):
            ask()
    for metric in ("neg_log_loss", "neg_hinge_loss", "d2_log_loss_score"):
        with pytest.raises(InvalidParameterError, match="a positive class: pass labels="):
            confidence_interval(metric, TEXT[TRUE], PROBA)
    found = confidence_interval("roc_auc", TEXT[TRUE], SCORE, pos_label="yes")
    assert found == confidence_interval("roc_auc", TRUE, SCORE)
    both = np.column_stack([1 - PROBA, PROBA])
    assert confidence_interval("neg_log_loss", TEXT[TRUE], both) == confidence_interval(
        "neg_log_loss", TRUE, PROBA
    )


def test_labels_of_scores_say_which_class_is_positive():
    named = {"labels": ["yes", "no"], "n_resamples": 49, "random_state": 0}
    found = confidence_interval("average_precision", TEXT[1 - TRUE], SCORE, **named)
    expected = confidence_interval("average_precision", TRUE, SCORE, n_resamples=49, random_state=0)
    assert found == expected

"""Every metric where it is 0/0: a number by convention is no measurement, in any door to inference.

Which metrics these are is told by their functions alone: they warn, return nan, or return another
number with another ``zero_division``.
"""

import warnings

import numpy as np
import pytest
from support.rows import signature

import skmetrics_ext as sx
from skmetrics_ext import METRICS
from tests.support.many_models import all_differences

ROWS = 48
HALF = np.arange(ROWS) % 2
MIXED = (np.arange(ROWS) * 7 % 12 < 5).astype(int)
SCORE = (np.arange(ROWS) * 31 % ROWS + 0.5) / ROWS
# True classes and predicted ones.
CASES = {
    "no positive": (0 * HALF, MIXED),
    "no negative": (0 * HALF + 1, MIXED),
    "none predicted": (HALF, 0 * HALF),
    "all predicted": (HALF, 0 * HALF + 1),
    "only negatives": (0 * HALF, 0 * HALF),
    "only positives": (0 * HALF + 1, 0 * HALF + 1),
}
# Well defined for every metric.
TRUE = HALF
PRED = np.where(np.arange(ROWS) % 5 == 0, 1 - HALF, HALF)


def of_two_classes():
    """Names of the metrics of labels or scores of two classes."""
    for name, spec in METRICS.items():
        if spec.is_table or spec.ranks_labels or spec.least_classes > 2:
            continue
        yield name


def params_of(name):
    return {"pos_label": 1} if "pos_label" in signature(METRICS[name]) else {}


def response_of(name, pred):
    return pred if METRICS[name].response == "labels" else SCORE


def value_of(name, true, pred, **params):
    """Value of a function, and whether it warns; None if it refuses."""
    metric = METRICS[name]
    params = {**metric.params, **params_of(name), **params}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = metric.function(true, response_of(name, pred), **params)
        except ValueError:
            return None, False
    return (float(value) if np.ndim(value) == 0 else None), bool(caught)


def is_undefined(name, true, pred):
    value, warned = value_of(name, true, pred)
    if value is None:
        return False
    if "zero_division" in signature(METRICS[name]):
        others = [value_of(name, true, pred, zero_division=fill)[0] for fill in (0, 1)]
        warned = warned or others[0] != others[1]
    return warned or np.isnan(value)


UNDEFINED = [
    (name, case) for name in of_two_classes() for case in CASES if is_undefined(name, *CASES[case])
]
KNOWN = [name for name in of_two_classes() if value_of(name, TRUE, PRED)[0] is not None]


def test_the_function_alone_tells_which_are_undefined():
    names = {name for name, _ in UNDEFINED}
    assert len(UNDEFINED) > 150
    assert {"average_precision_score", "matthews_corrcoef", "balanced_accuracy_score"} <= names
    assert not {"accuracy_score", "log_loss", "f1_score"} & {
        name for name, case in UNDEFINED if case == "none predicted"
    }


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "case"), UNDEFINED)
def test_what_is_0_by_0_has_no_interval_and_says_why(name, case):
    true, pred = CASES[case]
    options = {"n_resamples": 50, "random_state": 0, **params_of(name)}
    found = sx.confidence_interval(name, true, response_of(name, pred), **options)
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    assert found.note.startswith("undefined: ")


@pytest.mark.sampled(3)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "case"), [each for each in UNDEFINED if each[0] in KNOWN])
def test_what_is_0_by_0_is_not_compared(name, case):
    true, pred = CASES[case]
    options = {"n_resamples": 50, "random_state": 0, **params_of(name)}
    pred, known = response_of(name, pred), response_of(name, PRED)
    pairs = [
        sx.compare_samples(name, true, pred, TRUE, known, **options),
        sx.compare_samples(name, TRUE, known, true, pred, **options),
        sx.compare(name, true, pred, pred, **options),
    ]
    if METRICS[name].sides != "none" or METRICS[name].response != "labels":
        many = {"a": pred, "b": pred, "c": pred}
        for adjust in ("simultaneous", "holm"):
            try:
                pairs += all_differences(name, true, many, adjust=adjust, **options).rows
            except ValueError as error:
                assert "influence values" in str(error)  # noqa: PT017
    for pair in pairs:
        assert np.isnan([pair.value, pair.low, pair.high, pair.p_value]).all()
        assert "undefined: " in pair.note


@pytest.mark.sampled(4)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "case"), [each for each in UNDEFINED if each[0] in KNOWN])
def test_a_group_in_which_a_metric_is_0_by_0_is_neither_worst_nor_has_a_gap(name, case):
    true, pred = CASES[case]
    group = np.repeat(["a", "b", "c"], ROWS)
    truth = np.concatenate([TRUE, TRUE[::-1], true])
    array = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}
    argument = array[METRICS[name].response]
    parts = [response_of(name, PRED), response_of(name, PRED[::-1]), response_of(name, pred)]
    table = sx.compute_metrics(
        [name],
        truth,
        **{argument: np.concatenate(parts)},
        by={"g": group},
        intervals=True,
        **params_of(name),
    )
    row = table.row(table.rows[0].metric, "c")
    assert np.isnan([row.low, row.high]).all()
    assert row.note
    gap = table.gaps(row.metric).row(group="c")
    assert np.isnan([gap.value, gap.low, gap.high, gap.p_value]).all()
    assert gap.note
    if METRICS[name].greater_is_better is not None:
        (worst,) = table.surely_worst()
        assert worst.group in ("a", "b")
        assert "left out without an interval: 1 of 3 groups" in worst.note


def rows_of_three_groups():
    """120 rows; no row of group c is positive."""
    i = np.arange(120)
    group = np.array(list("abc"))[i % 3]
    positive = ((i // 3) % 2 == 0) & (group != "c")
    return positive.astype(int), 7 * i % 11 + 4.0 * positive, group


def test_average_precision_without_positives_is_no_worst_group():
    """By hand: 0.8074 and 0.8312 where there are positive rows."""
    true, score, group = rows_of_three_groups()
    by = {"g": group}
    asked = ["average_precision"]
    table = sx.compute_metrics(asked, true, y_score=score, by=by, intervals=True)
    assert table.value("average_precision", "a") == pytest.approx(0.8074, abs=5e-5)
    assert table.value("average_precision", "b") == pytest.approx(0.8312, abs=5e-5)
    assert np.isnan(table.value("average_precision", "c"))
    assert table.surely_worst()[0].group == "a"
    assert np.isnan(table.gaps("average_precision").row(group="c").p_value)
    assert table.spread("average_precision").n_groups == 2


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_two_samples_one_without_positives_have_no_difference():
    score = np.arange(30) / 29
    with_positives = np.arange(30) % 2
    found = sx.compare_samples(
        "average_precision", 0 * with_positives, score, with_positives, score
    )
    assert np.isnan([found.difference, found.p_value, found.low, found.high]).all()
    assert "a: undefined: no row is of the class" in found.note


@pytest.mark.parametrize("metric", ["average_precision", "precision", "matthews_corrcoef"])
def test_a_slice_in_which_a_metric_is_0_by_0_is_not_weak(metric):
    true, score, group = rows_of_three_groups()
    pred = ((score > 7) & (group != "c")).astype(int)
    data = {"ill": true, "score": score, "found": pred, "g": group}
    reads = {"score": "score"} if metric == "average_precision" else {"pred": "found"}
    found = sx.weak_slices(data, true="ill", metric=metric, columns=["g"], min_rows=10, **reads)
    assert {"g": "c"} not in [row.slice for row in found.rows]
    assert {"g": "c"} in [row.slice for row in found.left_out]


def test_a_value_that_the_user_chose_for_0_by_0_has_an_interval():
    true, pred = CASES["none predicted"]
    found = sx.confidence_interval("precision_macro", true, pred, zero_division=0)
    assert found.low < found.value < found.high
    with pytest.warns(UserWarning, match="ill-defined"):
        found = sx.confidence_interval("precision_macro", true, pred)
    assert np.isnan(found.low)
    assert found.note.startswith("undefined: nothing is predicted as the class; zero_division=0")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", ["recall", "matthews_corrcoef", "average_precision"])
def test_an_estimate_that_is_0_by_0_has_no_difference_from_another(metric):
    name = METRICS[metric].name
    true, pred = CASES["no positive"]
    params = params_of(name)
    lacking = sx.confidence_interval(metric, true, response_of(name, pred), **params)
    known = sx.confidence_interval(metric, TRUE, response_of(name, PRED), **params)
    for found in (known - lacking, lacking - known, 2 * lacking):
        assert np.isnan([found.value, found.low, found.high]).all()
    assert np.isnan((known - lacking).p_value)

"""Bands of curves: intervals at points are those of the metric there, and hold together."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import beta, multivariate_normal, norm

from skmetrics_ext import METRICS, confidence_interval, curve_band, precision_at_recall
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.linearized import covariance_of, linearize
from skmetrics_ext.inference.simultaneous import level_of_all
from skmetrics_ext.validation import InvalidParameterError

RNG = np.random.default_rng(8)
N = 90
TRUE = (RNG.random(N) < 0.4).astype(np.int64)
SCORE = np.round(RNG.normal(size=N) + 1.2 * TRUE, 1)
PROBA = 1 / (1 + np.exp(-SCORE))
GROUPS = np.arange(N) // 2
WEIGHT = RNG.integers(1, 4, N)


@pytest.mark.parametrize(
    ("metric", "argument", "score"),
    [
        ("sensitivity_at_specificity", "specificity", SCORE),
        ("specificity_at_sensitivity", "sensitivity", SCORE),
        ("precision_at_recall", "recall", SCORE),
        ("lift_score", "fraction", SCORE),
        ("net_benefit", "threshold", PROBA),
    ],
)
def test_at_a_point_it_is_the_interval_of_the_metric(metric, argument, score):
    at = [0.2, 0.5, 0.75]
    about = {"groups": GROUPS, "n_resamples": 199, "random_state": 0}
    found = curve_band(metric, TRUE, score, at=at, **about)
    assert found.along == argument
    alone = [confidence_interval(metric, TRUE, score, **about, **{argument: place}) for place in at]
    for part in ("value", "low", "high", "standard_error"):
        own = [getattr(one, part) for one in alone]
        np.testing.assert_allclose(getattr(found, part), own, rtol=1e-12)
    assert list(found.notes) == [one.note for one in alone]


@pytest.mark.parametrize("metric", ["recall", "specificity", "f1", "matthews_corrcoef"])
def test_of_labels_it_is_that_of_the_labels_of_a_threshold(metric):
    names = np.array(["well", "ill"])
    about = {"sample_weight": WEIGHT}
    found = curve_band(metric, names[TRUE], SCORE, at=[1.0, 0.2], pos_label="ill", **about)
    if metric != "matthews_corrcoef":
        about["pos_label"] = "ill"
    for place, low, high in zip(found.at, found.low, found.high, strict=True):
        alone = confidence_interval(
            metric, names[TRUE], names[(place <= SCORE).astype(int)], **about
        )
        np.testing.assert_allclose([low, high], [alone.low, alone.high], rtol=1e-12)


def test_text_labels_ask_for_the_positive_one():
    names = np.array(["well", "ill"])
    with pytest.raises(InvalidParameterError, match="'ill'"):
        curve_band("matthews_corrcoef", names[TRUE], SCORE)


def test_thresholds_are_the_scores_of_rows_that_count():
    found = curve_band("recall", [0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5],
                       sample_weight=[1, 1, 0, 2, 1])  # fmt: skip
    assert found.at.tolist() == [0.5, 0.4, 0.2, 0.1]


def test_thresholds_are_the_distinct_scores_by_default():
    found = curve_band("recall", TRUE, SCORE)
    assert found.at.tolist() == np.unique(SCORE)[::-1].tolist()
    many = RNG.normal(size=1000)
    assert len(curve_band("recall", RNG.integers(0, 2, 1000), many).at) == 101


def test_a_band_of_one_point_is_its_interval_and_of_more_it_is_wider():
    one = curve_band("recall", TRUE, SCORE, at=0.5, band="simultaneous", random_state=0)
    alone = curve_band("recall", TRUE, SCORE, at=0.5)
    assert (one.low, one.high) == (alone.low, alone.high)
    at = [1.0, 0.5, 0.0]
    more = curve_band("recall", TRUE, SCORE, at=at, band="simultaneous", random_state=0)
    apart = curve_band("recall", TRUE, SCORE, at=at)
    assert 0.95 < more.point_level < 1 - 0.05 / 3
    assert (more.low < apart.low).all()
    assert (more.high > apart.high).all()


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.95])
def test_the_level_of_two_errors_is_that_of_the_normal_distribution(correlation):
    covariance = np.array([[4.0, 2 * correlation], [2 * correlation, 1.0]])
    own = level_of_all(covariance, 0.9, 200_000, 0)
    away = norm.ppf((1 + own) / 2)
    unit = [[1, correlation], [correlation, 1]]
    held = multivariate_normal([0, 0], unit).cdf([away, away], lower_limit=[-away, -away])
    assert held == pytest.approx(0.9, abs=0.004)


def test_errors_that_do_not_vary_are_left_out():
    alone = level_of_all(np.array([[1.0]]), 0.95, 999, 0)
    with_none = level_of_all(np.array([[0.0, 0.0], [0.0, 1.0]]), 0.95, 999, 0)
    assert alone == with_none == pytest.approx(0.95)
    assert level_of_all(np.zeros((2, 2)), 0.95, 999, 0) == pytest.approx(0.95)


def test_covariance_of_recalls_is_that_of_a_multinomial():
    """A higher threshold finds some of those that a lower one finds."""
    predicted = [(place <= SCORE).astype(int) for place in (1.0, 0.0)]
    readings = [sample_of_rows("recall", TRUE, pred) for pred in predicted]
    high, low = (float(one.value) for one in readings)
    found = covariance_of([linearize(one) for one in readings])
    n_pos = TRUE.sum()
    expected = np.array(
        [[high * (1 - high), high * (1 - low)], [high * (1 - low), low * (1 - low)]]
    )
    np.testing.assert_allclose(found, expected / n_pos, rtol=1e-9)


def test_rows_seen_twice_in_one_group_are_one():
    twice = np.repeat(np.arange(N), 2)
    about = {"at": [1.0, 0.5, 0.0], "band": "simultaneous", "random_state": 0}
    once = curve_band("f1", TRUE, SCORE, **about)
    found = curve_band("f1", TRUE[twice], SCORE[twice], groups=twice, **about)
    assert found.point_level == pytest.approx(once.point_level, abs=1e-9)
    np.testing.assert_allclose(found.value, once.value)


def test_exchanged_weights_of_frequency_are_rows():
    again = np.repeat(np.arange(N), WEIGHT)
    about = {"at": [1.0, 0.5], "band": "simultaneous", "random_state": 0}
    found = curve_band("f1", TRUE, SCORE, sample_weight=WEIGHT, weights_are="frequency", **about)
    rows = curve_band("f1", TRUE[again], SCORE[again], **about)
    np.testing.assert_allclose([found.low, found.high], [rows.low, rows.high], rtol=1e-9)


def test_what_has_no_point_or_no_number_is_refused():
    with pytest.raises(InvalidParameterError, match="must be read at a point of a curve"):
        curve_band("roc_auc", TRUE, SCORE)
    with pytest.raises(InvalidParameterError, match="must be read at a point of a curve"):
        curve_band(lambda y, s: 0.5, TRUE, SCORE)
    with pytest.raises(InvalidParameterError, match="band='pointwise' resamples"):
        curve_band("recall_at_precision", TRUE, SCORE, at=[0.5], band="simultaneous")
    with pytest.raises(InvalidParameterError, match="one number"):
        curve_band("recall", TRUE, SCORE, at=[0.5], average=None)
    for at in ([], ["a"], [np.nan], [[0.1]]):
        with pytest.raises(InvalidParameterError, match="at must hold at least one number"):
            curve_band("recall", TRUE, SCORE, at=at)


def test_it_reads_as_a_table():
    found = curve_band("recall", TRUE, SCORE, at=[1.0, 0.5])
    assert found.frame().columns.tolist() == [
        *("threshold", "value", "low", "high", "standard_error", "note"),
    ]
    assert "recall by threshold (95 % pointwise, wilson)" in str(found)


def test_the_largest_of_several_precisions_has_the_interval_of_the_curve_between_steps():
    """The largest of several is too large on average, the value between the steps is not."""
    about = {"at": [0.5], "groups": GROUPS}
    largest = curve_band("precision_at_recall", TRUE, SCORE, **about)
    assert largest.value[0] == precision_at_recall(TRUE, SCORE, recall=0.5)
    assert largest.notes == ("",)
    between = curve_band(partial(precision_at_recall, method="interpolated"), TRUE, SCORE, **about)
    assert [largest.low[0], largest.high[0]] == [between.low[0], between.high[0]]
    assert between.value[0] == precision_at_recall(TRUE, SCORE, recall=0.5, method="interpolated")


def test_simultaneous_bands_leave_out_points_that_bear_a_note_unless_asked_for():
    rng = np.random.default_rng(0)
    true = np.repeat([0, 1], [300, 100])
    score = rng.normal(size=400) + 2.5 * true
    own = curve_band("precision_at_recall", true, score)
    together = curve_band("precision_at_recall", true, score, band="simultaneous", random_state=0)
    told = [at for at, note in zip(own.at, own.notes, strict=True) if not note]
    assert 0 < len(told) < len(own.at)
    assert together.at.tolist() == told
    asked = curve_band(
        "precision_at_recall", true, score, at=[0.02, 0.5], band="simultaneous", random_state=0
    )
    assert asked.at.tolist() == [0.02, 0.5]
    assert asked.notes[0]


def test_shares_at_many_points_have_exact_bounds():
    # The exact binomial test never covers too little, also near 0 and 1.
    found = curve_band("recall", TRUE, SCORE, band="simultaneous", random_state=0)
    assert found.method == "clopper_pearson"
    n = int(TRUE.sum())
    for place, low, high in zip(found.at, found.low, found.high, strict=True):
        k, tail = int(TRUE[place <= SCORE].sum()), (1 - found.point_level) / 2
        assert np.isclose(low, 0.0 if k == 0 else beta.ppf(tail, k, n - k + 1))
        assert np.isclose(high, 1.0 if k == n else beta.ppf(1 - tail, k + 1, n - k))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [spec.name for spec in METRICS.values() if spec.point])
def test_every_metric_at_a_point_has_a_grid_of_its_own(name):
    spec = METRICS[name]
    if spec.point not in ("threshold", "max_fpr"):
        found = curve_band(name, TRUE, SCORE)
        assert len(found.at) > 20
    else:
        found = curve_band(name, TRUE, PROBA)
        np.testing.assert_allclose(found.at, np.arange(1, 100) / 100)
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()


def test_net_benefit_on_its_grid_is_that_of_the_formula():
    found = curve_band("net_benefit", TRUE, PROBA)
    for at, value in zip(found.at, found.value, strict=True):
        treated = at <= PROBA
        expected = np.mean(treated & (TRUE == 1)) - np.mean(treated & (TRUE == 0)) * at / (1 - at)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("n_negative", "points"),
    [(6, [0.5]), (10, [0.5]), (20, np.arange(25, 76) / 100), (40, np.arange(13, 88) / 100)],
)
def test_points_have_five_negatives_on_either_side_or_as_many_as_any(n_negative, points):
    true = np.repeat([0, 1], [n_negative, 30])
    score = np.random.default_rng(0).normal(size=len(true)) + true
    found = curve_band("sensitivity_at_specificity", true, score)
    np.testing.assert_allclose(found.at, points)


def test_a_hundred_and_one_distinct_scores_are_all_thresholds():
    """Though most rows have one of them."""
    score = np.append(np.arange(101), np.zeros(400))
    found = curve_band("recall", np.arange(501) % 2, score, n_resamples=9)
    assert len(found.at) == 101


def test_a_band_of_draws_is_printed():
    score = np.random.default_rng(0).normal(size=80) + np.arange(80) % 2
    found = curve_band(
        "recall", np.arange(80) % 2, score, at=[0.0, 1.0], method="bca", n_resamples=99
    )
    assert found.draws == (99, 99)
    *_, first, second = str(found).splitlines()
    assert first.split()[0] == "0.0000"
    assert second.split()[0] == "1.0000"

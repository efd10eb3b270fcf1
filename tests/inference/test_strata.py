"""Samples of several strata: variances about the mean of each, draws within each."""

import numpy as np
import pytest
from scipy.stats import t

from skmetrics_ext import (
    compare,
    compare_samples,
    confidence_interval,
    delong_test,
    sample_size,
)
from skmetrics_ext.inference.draws.atoms import draw_counts
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.validation import InvalidParameterError
from tests.support.many_models import all_differences

RNG = np.random.default_rng(5)
SITE = np.repeat([0, 1, 2], [40, 60, 100])  # three sites, of which the last is ill and well scored
N = len(SITE)
Y = (RNG.random(N) < np.array([0.2, 0.4, 0.8])[SITE]).astype(int)
SCORE = Y * np.array([0.3, 1.5, 3.0])[SITE] + SITE + RNG.normal(size=N)
OTHER = SCORE + RNG.normal(size=N)
PRED, PRED_B = (SCORE > 1.5).astype(int), (OTHER > 1.5).astype(int)
PROBA = 1 / (1 + np.exp(1.5 - SCORE))
PATIENT = np.concatenate([k * 100 + RNG.integers(0, 15, n) for k, n in enumerate([40, 60, 100])])
RESPONSES = {
    "accuracy": PRED,
    "recall": PRED,
    "f1_macro": PRED,
    "balanced_accuracy": PRED,
    "diagnostic_odds_ratio": PRED,
    "roc_auc": SCORE,
    "average_precision": SCORE,
    "log_loss": PROBA,
    "brier_skill": PROBA,
}


def statistic_of(name, **about):
    return linearize(sample_of_rows(name, Y, RESPONSES[name], **about))


def by_hand(values, strata):
    """Variance of a sum of values of strata that are sampled apart."""
    each = [values[strata == k] for k in np.unique(strata)]
    return sum(len(one) * one.var(ddof=1) for one in each)


def test_a_share_has_the_variance_of_its_strata():
    right = (PRED == Y) / N
    found = statistic_of("accuracy", strata=SITE)
    assert found.variance == pytest.approx(by_hand(right, SITE), rel=1e-12)
    patients, place = np.unique(PATIENT, return_inverse=True)
    sums = np.bincount(place, weights=right - right.mean())
    grouped = statistic_of("accuracy", strata=SITE, groups=PATIENT)
    assert grouped.variance == pytest.approx(by_hand(sums, patients // 100), rel=1e-12)


def test_the_contributions_that_count_are_those_within_strata():
    """The effective number of rows or patients: squares of squares by fourth powers."""
    right = (PRED == Y) / N
    sums = np.bincount(np.unique(PATIENT, return_inverse=True)[1], weights=right - right.mean())
    for parts, strata, groups in ((right, SITE, None), (sums, np.unique(PATIENT) // 100, PATIENT)):
        sizes, of_stratum = np.bincount(strata), np.bincount(strata, weights=parts)
        within = parts - (of_stratum / np.maximum(sizes, 1))[strata]
        found = statistic_of("accuracy", strata=SITE, groups=groups).effective
        assert found == pytest.approx((within**2).sum() ** 2 / (within**4).sum(), rel=1e-9)


def test_each_stratum_costs_a_degree_of_freedom():
    # Patients of unequal numbers of rows count as their effective number (Kish 1965).
    sizes = np.unique(PATIENT, return_counts=True)[1]
    for groups, drawn in ((None, N), (PATIENT, sizes.sum() ** 2 / (sizes**2).sum())):
        assert statistic_of("log_loss", strata=SITE, groups=groups).freedom == pytest.approx(
            drawn - 3
        )
        found = confidence_interval("log_loss", Y, PROBA, method="t", strata=SITE, groups=groups)
        away = t.ppf(0.975, drawn - 3) * found.standard_error
        assert (found.low, found.high) == pytest.approx((found.value - away, found.value + away))


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "f1", "roc_auc", "log_loss"])
def test_no_default_interval_leaves_strata_out(name):
    response = RESPONSES.get(name, PRED)
    found, alone = (confidence_interval(name, Y, response, strata=s) for s in (SITE, None))
    assert (found.low, found.high) != (alone.low, alone.high)
    assert found.design_effect != pytest.approx(1, rel=1e-3)


def test_strata_that_are_the_classes_change_no_area():
    """Contributions to an area are about the mean of their class already."""
    found = confidence_interval("roc_auc", Y, SCORE, strata=Y)
    alone = confidence_interval("roc_auc", Y, SCORE)
    assert found.design_effect == pytest.approx(1, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), rel=1e-12)


def test_pairs_of_rows_have_a_degree_of_freedom_each():
    """A case and its control are a stratum: what counts is how they differ."""
    y, stratum = np.tile([0, 1], 30), np.arange(60) // 2
    score = y + np.repeat(RNG.normal(size=30), 2) + RNG.normal(size=60)
    reading = sample_of_rows("roc_auc", y, score, strata=stratum)
    added = linearize(reading)
    found, parts = added, added.by_row[0]
    assert found.variance == pytest.approx(by_hand(parts, stratum), rel=1e-12)
    assert 15 < found.freedom <= 30


@pytest.mark.parametrize("name", RESPONSES)
@pytest.mark.parametrize("groups", [None, PATIENT], ids=["rows", "groups"])
def test_one_stratum_is_none(name, groups):
    given = name, Y, RESPONSES[name]
    one = confidence_interval(*given, groups=groups, strata=np.full(N, "all"))
    assert one == confidence_interval(*given, groups=groups)


@pytest.mark.parametrize("name", RESPONSES)
def test_errors_are_those_of_draws_within_strata(name):
    """Rows of each site are drawn with replacement; here by NumPy, row by row."""
    response = RESPONSES[name]
    rows = [np.flatnonzero(np.equal(SITE, k)) for k in range(3)]
    found, reading = statistic_of(name, strata=SITE), sample_of_rows(name, Y, response)
    rng, n_draws = np.random.default_rng(0), 700
    drawn = [[rng.choice(own, len(own)) for own in rows] for _ in range(n_draws)]
    counts = np.array([np.bincount(np.concatenate(one), minlength=N) for one in drawn])
    by_unit = np.array([np.bincount(reading.atoms.of_row, weights=one) for one in counts])
    values, error = reading.statistic(by_unit.astype(np.int64)), found.variance**0.5
    if name == "diagnostic_odds_ratio":  # whose log is nearer to normal
        values, error = np.log(values), error / reading.value
    assert error == pytest.approx(np.std(values), rel=0.1)


def test_groups_are_drawn_within_strata():
    reading = sample_of_rows("ks_statistic", Y, SCORE, groups=PATIENT, strata=SITE)
    units = reading.atoms
    counts = draw_counts(np.random.default_rng(1), units, 50, stratified=False)
    per_group = counts / units.rows
    for k in range(3):
        first = np.unique(units.group[units.stratum == k], return_index=True)[1]
        of_groups = per_group[:, units.stratum == k][:, first]
        assert (of_groups.sum(axis=1) == len(first)).all()
    rows = sample_of_rows("roc_auc", Y, SCORE, strata=SITE).atoms
    for stratified in (False, True):
        drawn = draw_counts(np.random.default_rng(1), rows, 50, stratified=stratified)
        sizes = [drawn[:, rows.stratum == k].sum(axis=1) for k in range(3)]
        assert (np.array(sizes).T == [40, 60, 100]).all()
        kept = drawn[:, (rows.stratum == 0) & (rows.label == 1)].sum(axis=1)
        assert (kept == Y[SITE == 0].sum()).all() == stratified


def test_resampled_metrics_know_strata():
    options = {"n_resamples": 300, "random_state": 0}
    found = confidence_interval("ks_statistic", Y, SCORE, strata=SITE, **options)
    assert "200 rows of 3 strata" in str(found)
    alone = confidence_interval("ks_statistic", Y, SCORE, **options)
    assert found.high - found.low != alone.high - alone.low
    own = confidence_interval(lambda y, p: np.mean(y == p), Y, PRED, strata=SITE, **options)
    assert own.standard_error == pytest.approx(
        statistic_of("accuracy", strata=SITE).variance ** 0.5, rel=0.2
    )


def test_a_difference_has_the_variance_of_its_strata():
    apart = ((PRED == Y) * 1.0 - (PRED_B == Y)) / N
    found = compare("accuracy", Y, PRED, PRED_B, strata=SITE)
    assert (found.n_strata, found.method) == (3, "delta")
    assert found.standard_error**2 == pytest.approx(by_hand(apart, SITE), rel=1e-9)
    assert "3 strata, design effect" in str(found)
    back = compare("accuracy", Y, PRED_B, PRED, strata=SITE)
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low))
    many = all_differences("accuracy", Y, {"a": PRED, "b": PRED_B}, strata=SITE, random_state=0)
    wide = found.high - found.low
    assert many.rows[0]["high"] - many.rows[0]["low"] == pytest.approx(wide, rel=0.02)
    area = compare("roc_auc", Y, SCORE, OTHER, strata=SITE, groups=PATIENT)
    parts = [influence_of("roc_auc", one) for one in (SCORE, OTHER)]
    places = np.unique(PATIENT, return_inverse=True)[1]
    sums = np.bincount(places, weights=parts[0] - parts[1])
    expected = by_hand(sums, np.unique(PATIENT) // 100) ** 0.5
    assert area.standard_error == pytest.approx(expected, rel=0.03)  # classes have freedom too
    drawn = compare(
        "ks_statistic", Y, SCORE, OTHER, strata=SITE, n_resamples=99, random_state=0
    )  # fmt: skip
    assert drawn.n_strata == 3


def test_areas_of_strata_by_hand():
    """Placements about the mean of their stratum, whose squares are summed stratum by stratum."""
    site = np.arange(N) % 25  # smaller than each class, whose own n / (n - 1) is less

    def added(score):
        wins = np.sign(score[Y == 1][:, None] - score[Y == 0]) / 2 + 0.5
        found = np.zeros(N)
        found[Y == 1] = (wins.mean(axis=1) - wins.mean()) / (Y == 1).sum()
        found[Y == 0] = (wins.mean(axis=0) - wins.mean()) / (Y == 0).sum()
        return found

    third = OTHER + RNG.normal(size=N)
    parts = np.array([added(one) for one in (SCORE, OTHER, third)])
    expected = np.zeros((3, 3))
    for k in range(25):
        own = parts[:, site == k]
        expected += own.shape[1] * np.cov(own)  # n / (n - 1) of the squares about its mean
    found = delong_test(Y, SCORE, OTHER, third, strata=site)
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-10)
    pair = compare("roc_auc", Y, SCORE, OTHER, method="delong", strata=site)
    assert found.pairs[0, 1].standard_error == pytest.approx(pair.standard_error, rel=1e-12)
    error = np.sqrt(expected[0, 0] + expected[1, 1] - 2 * expected[0, 1])
    assert pair.standard_error == pytest.approx(error, rel=1e-10)
    two = delong_test(Y, SCORE, OTHER, y_true_b=Y, strata=site, strata_b=site)
    np.testing.assert_allclose(two.covariance, np.diag(np.diag(expected)[:2]), rtol=1e-10)
    (a, b), free = np.diag(expected)[:2], N - 25
    assert two.degrees_of_freedom == pytest.approx((a + b) ** 2 / (a**2 + b**2) * free, rel=1e-9)
    one = delong_test(Y, SCORE, OTHER, y_true_b=Y, strata=site)
    assert one.covariance[1, 1] == pytest.approx(delong_test(Y, OTHER, SCORE).covariance[0, 0])
    with pytest.raises(InvalidParameterError, match="strata_b is for a second sample"):
        delong_test(Y, SCORE, OTHER, strata_b=site)
    single = np.append(site[:-1], 99)
    for told in (
        delong_test(Y, SCORE, OTHER, strata=single),
        delong_test(Y, SCORE, OTHER, y_true_b=Y, strata_b=single),
    ):
        assert "1 stratum has one row: this interval may be" in told.pairs[0, 1].note


def influence_of(name, response):
    return linearize(sample_of_rows(name, Y, response)).by_row[0]


def test_two_samples_and_pilots():
    half = np.arange(N) % 2 == 0
    given = Y[half], PRED[half], Y[~half], PRED[~half]
    strata = {"strata_a": SITE[half], "strata_b": SITE[~half]}
    found = compare_samples("accuracy", *given, method="welch", **strata)
    squares = [by_hand((PRED[r] == Y[r]) / r.sum(), SITE[r]) for r in (half, ~half)]
    assert found.standard_error**2 == pytest.approx(sum(squares), rel=1e-9)
    assert found.n_strata == 6
    needs = sample_size("accuracy", Y, PRED, width=0.1, strata=SITE).n
    alone, effect = (
        sample_size("accuracy", Y, PRED, width=0.1).n,
        statistic_of("accuracy", strata=SITE),
    )
    ratio = effect.variance / statistic_of("accuracy").variance
    assert needs / alone == pytest.approx(ratio, rel=0.02)


def test_a_group_of_two_strata_is_refused():
    torn = PATIENT.copy()
    torn[[0, 50]] = 7777
    message = "rows 0 and 50 are of one group and of two strata: groups are drawn within strata"
    for call in (
        lambda: confidence_interval("accuracy", Y, PRED, groups=torn, strata=SITE),
        lambda: compare("accuracy", Y, PRED, PRED_B, groups=torn, strata=SITE),
        lambda: all_differences("f1", Y, {"a": PRED, "b": PRED_B}, groups=torn, strata=SITE),
        lambda: sample_size("f1", Y, PRED, width=0.1, groups=torn, strata=SITE),
    ):
        with pytest.raises(InvalidParameterError, match=message):
            call()


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        (np.arange(N), "strata has one row in each of its 200 strata"),
        (SITE[:5], "strata must hold one stratum for each of the 200 rows, got 5"),
        (
            np.where(SITE > 1, np.nan, SITE),
            "strata has no value in row 100: give each row a stratum",
        ),
    ],
)
def test_strata_that_tell_nothing_are_refused(strata, message):
    with pytest.raises(InvalidParameterError, match=message):
        confidence_interval("accuracy", Y, PRED, strata=strata)


def test_a_stratum_of_one_row_is_told():
    single = np.append(SITE[:-1], 9)
    found = confidence_interval("log_loss", Y, PROBA, strata=single)
    assert "1 stratum has one row: this interval may be too narrow" in found.note
    apart = compare("log_loss", Y, PROBA, np.sqrt(PROBA), strata=single)
    assert "1 stratum has one row" in apart.note


def test_rows_of_no_weight_are_of_no_stratum():
    weight = (SITE < 2).astype(float)
    kept = SITE < 2
    found = confidence_interval("log_loss", Y, PROBA, strata=SITE, sample_weight=weight)
    alone = confidence_interval("log_loss", Y[kept], PROBA[kept], strata=SITE[kept])
    assert (found.low, found.high, found.n_strata) == pytest.approx((alone.low, alone.high, 2))


def test_exchanges_of_models_need_no_strata():
    options = {"method": "permutation", "n_resamples": 200, "random_state": 0}
    found = compare("f1", Y, PRED, PRED_B, strata=SITE, **options)
    assert found.p_value == compare("f1", Y, PRED, PRED_B, **options).p_value

"""Bootstrap: what is drawn, that it is reproducible, and intervals from it."""

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext import METRICS, confidence_interval, f1_score
from skmetrics_ext.inference.draws.atoms import draw_counts
from skmetrics_ext.inference.draws.bootstrap import (
    DrawPlan,
    acceleration,
    bootstrap_bounds,
    is_settled,
    resample,
    seed_sequence,
)
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.validation import InvalidParameterError


def test_values_are_those_of_the_rows_drawn(labels):
    """The same seed, followed by hand through the counts of rows."""
    true, pred = labels
    reading = sample_of_rows("f1_macro", true, pred)
    counts = draw_counts(np.random.default_rng(3), reading.atoms, 5, stratified=False)
    first = np.unique(reading.atoms.of_row, return_index=True)[1]
    for count, value in zip(counts, reading.statistic(counts), strict=True):
        rows = np.repeat(first, count)
        assert value == pytest.approx(f1_score(true[rows], pred[rows], average="macro"))


def test_the_same_seed_gives_the_same_draws_for_any_number_of_jobs(labels, scores):
    for metric, rows in (("f1_macro", labels), ("average_precision", scores)):
        reading = sample_of_rows(metric, *rows)
        one = resample(reading, DrawPlan(1200, random_state=7))
        again = resample(reading, DrawPlan(1200, random_state=7))
        two = resample(reading, DrawPlan(1200, random_state=7, n_jobs=2))
        np.testing.assert_array_equal(one, again)
        np.testing.assert_array_equal(one, two)
        assert (one != resample(reading, DrawPlan(1200, random_state=8))).any()


def test_progress_is_told_block_by_block(labels):
    told = []
    plan = DrawPlan(1200, random_state=0, progress=lambda done, total: told.append((done, total)))
    resample(sample_of_rows("f1_macro", *labels), plan)
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_bounds_are_those_of_scipy(labels, method):
    """On the same metric and rows, up to Monte-Carlo error."""
    true, pred = labels
    reading = sample_of_rows("accuracy", true, pred)
    values = resample(reading, DrawPlan(20_000, random_state=0))
    name = "bootstrap" if method == "percentile" else method
    found = bootstrap_bounds(reading, values, name, 0.9, (0, 1))
    expected = stats.bootstrap(
        ((true == pred).astype(float),),
        np.mean,
        confidence_level=0.9,
        method=method,
        n_resamples=20_000,
        random_state=np.random.default_rng(0),  # scipy's name before 1.15, and still taken
    ).confidence_interval
    np.testing.assert_allclose(found, expected, atol=0.01)


def test_acceleration_is_a_sixth_of_the_skewness_of_the_jackknife(labels):
    true, pred = labels
    by_unit = acceleration(sample_of_rows("f1_macro", true, pred))

    def f1(a, b):
        return f1_score(a, b, average="macro")

    by_row = acceleration(sample_of_rows(f1, true, pred))
    assert by_unit == pytest.approx(by_row, rel=1e-6)
    left = [f1(np.delete(true, i), np.delete(pred, i)) for i in range(120)]
    away = np.mean(left) - left
    assert by_row == pytest.approx((away**3).sum() / (6 * (away**2).sum() ** 1.5), rel=1e-9)


def test_acceleration_of_many_units_is_near_that_of_all():
    rng = np.random.default_rng(2)
    true = rng.integers(0, 2, 3000)
    reading = sample_of_rows("roc_auc", true, rng.normal(size=3000) + 2 * true)
    counts = np.tile(reading.atoms.rows, (300, 1)).astype(float)
    rows = np.arange(0, 3000, 10)
    counts[np.arange(300), reading.atoms.of_row[rows]] -= 1
    away = reading.value - reading.statistic(counts)
    skewness = (away**3).sum() / (6 * (away**2).sum() ** 1.5) / np.sqrt(10)
    assert acceleration(reading) == pytest.approx(skewness, rel=0.2)


def test_undefined_draws_are_left_out():
    true, pred = [0] * 6 + [1, 1], [0] * 6 + [1, 0]
    reading = sample_of_rows("roc_auc", true, np.arange(8.0))
    values = resample(reading, DrawPlan(500, random_state=0))
    assert 0 < np.isnan(values).sum() < 250
    low, high = bootstrap_bounds(reading, values, "bootstrap", 0.95, (0, 1))
    assert np.isfinite([low, high]).all()
    labels_only = sample_of_rows("f1", true, pred)
    assert np.isfinite(resample(labels_only, DrawPlan(500, random_state=0))).all()


def test_infinite_values_have_bounds_and_no_standard_error():
    true, pred = [1] * 6 + [0] * 6, [1] * 5 + [0] * 6 + [1]
    found = confidence_interval(
        "positive_likelihood_ratio", true, pred, method="bca", random_state=0, n_resamples=499
    )
    assert np.isinf(found.high)
    assert found.low <= 5 <= found.high
    assert np.isnan(found.standard_error)


def test_a_metric_that_is_mostly_undefined_has_no_interval():
    reading = sample_of_rows("roc_auc", [0, 0, 0, 1], [1.0, 2.0, 3.0, 4.0])
    values = np.full(100, np.nan)
    values[:30] = 1.0
    assert np.isnan(bootstrap_bounds(reading, values, "bootstrap", 0.95, (0, 1))).all()


def test_what_cannot_be_drawn_is_refused(labels):
    true, pred = labels
    grouped = sample_of_rows("f1_macro", true, pred, groups=np.arange(120) // 2)
    with pytest.raises(InvalidParameterError, match="choose one"):
        resample(grouped, DrawPlan(10, stratified=True))
    marks = np.eye(3, dtype=int)
    multilabel = sample_of_rows(METRICS["f1_score"].function, marks, marks, average="macro")
    with pytest.raises(InvalidParameterError, match="one class label per row"):
        resample(multilabel, DrawPlan(10, stratified=True))


@pytest.mark.parametrize("bad", ["a", 1.5, True, -1])
def test_seeds_are_checked(bad):
    with pytest.raises(InvalidParameterError, match="random_state"):
        seed_sequence(bad)


def test_seeds_of_every_kind():
    for state in (0, np.int64(3), np.random.SeedSequence(1)):
        assert seed_sequence(state).generate_state(1) == seed_sequence(state).generate_state(1)
    for make in (np.random.default_rng, np.random.RandomState):
        first, second = seed_sequence(make(0)), seed_sequence(make(0))
        assert first.generate_state(1) == second.generate_state(1)
    assert seed_sequence(None).generate_state(1) != seed_sequence(None).generate_state(1)


def test_expanded_percentiles_are_as_wide_as_t_intervals_of_the_rarest_class(scores):
    """Of draws that are normal, 1.96 becomes the t quantile by the root of m / (m - 1)."""
    true, score = np.repeat([0, 1], [200, 10]), np.random.default_rng(0).normal(size=210)
    reading = sample_of_rows("average_precision", true, score)
    draws = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    low, high = bootstrap_bounds(reading, draws, "expanded", 0.95, (-np.inf, np.inf))
    away = stats.t.ppf(0.975, 9) * np.sqrt(10 / 9)
    assert (low, high) == pytest.approx((-away, away), rel=1e-3)
    grouped = sample_of_rows("average_precision", true, score, groups=np.arange(210) % 5)
    _, high = bootstrap_bounds(grouped, draws, "expanded", 0.95, (-np.inf, np.inf))
    assert high == pytest.approx(stats.t.ppf(0.975, 4) * np.sqrt(5 / 4), rel=1e-2)


def test_a_class_of_one_row_has_percentiles_within_the_draws():
    rows = [0] * 30 + [1], [*range(29), 30, 29]
    for method in ("expanded", "auto"):
        found = confidence_interval(
            "average_precision", *rows, method=method, random_state=0, n_resamples=99
        )
        assert 0 <= found.low < found.value == 0.5 < found.high <= 1


def test_percentiles_of_normal_draws_settle_at_the_number_of_the_formula():
    # The percentile at p has the standard error sqrt(p (1 - p) / B) / density, here with a factor
    # of sqrt(2); 2.5 % of the distance of both, 2 * 1.96, is reached at B = 1,486 at 95 %.
    z = stats.norm.ppf([0.025, 0.975])
    n_draws = 2 * 0.025 * 0.975 / (stats.norm.pdf(z[1]) * 0.025 * (z[1] - z[0])) ** 2
    assert n_draws == pytest.approx(1486, abs=1)
    normal = np.random.default_rng(0).normal(size=20_000)
    assert not is_settled(normal[:1998], 0.95)  # from 1,999 on
    assert is_settled(normal[:3000], 0.95)
    # At 99.9 % the formula has 11,691.
    assert not is_settled(normal[:4000], 0.999)
    assert is_settled(normal, 0.999)


def test_a_hypothesis_next_to_a_bound_is_in_doubt():
    normal = np.random.default_rng(0).normal(size=5000)
    assert is_settled(normal, 0.95, [0.0])
    assert is_settled(normal, 0.95, [-4.0])
    assert not is_settled(normal, 0.95, [-1.95])
    assert not is_settled(normal, 0.95, [0.0, 1.98])


def test_undefined_draws_and_equal_ones_are_settled():
    assert is_settled(np.full(2000, np.nan), 0.95)
    assert is_settled(np.full(2000, 0.5), 0.95)

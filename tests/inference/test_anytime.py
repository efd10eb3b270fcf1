"""Intervals that hold at every look: exact for shares, asymptotic from influence values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from skmetrics_ext import Accumulator, compare, confidence_interval
from skmetrics_ext.inference.anytime import (
    level_of_one_look,
    mixture_bounds,
    p_value_of_looks,
    variance_of_mixture,
)
from skmetrics_ext.validation import InvalidParameterError

RNG = np.random.default_rng(0)
Y = (RNG.random(600) < 0.4).astype(int)
SCORE = 1 / (1 + np.exp(-(1.5 * Y - 0.7 + RNG.normal(size=600))))
OTHER = 1 / (1 + np.exp(-(0.8 * Y - 0.3 + RNG.normal(size=600))))
PRED = (SCORE > 0.5).astype(int)


def test_multiplier_by_hand():
    """At 500 rows, tuned to 500: rho^2 = (5.9915 + 1.7903 + 1) / 500, and the root is 3.0354."""
    assert variance_of_mixture(0.95, 200) == pytest.approx(8.78178 / 500, rel=1e-5)
    z = np.sqrt(2 * 9.78178 / 8.78178 * (np.log(9.78178) / 2 + np.log(20)))
    assert z == pytest.approx(3.0354, abs=1e-4)
    assert stats.norm.ppf((1 + level_of_one_look(500, 0.95, 200)) / 2) == pytest.approx(z)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("min_rows", [20, 200])
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_share_is_held_at_all_looks_in_every_sequence(share, min_rows):
    """The chance that any of 150 looks misses, summed over all sequences, is at most 5 %."""
    looks, missed = 150, 0.0
    alive = np.ones(1)  # probability of each count, of sequences that were never missed
    for n in range(1, looks + 1):
        alive = np.append(alive * (1 - share), 0.0) + np.append(0.0, alive * share)
        low, high = mixture_bounds(np.arange(n + 1.0), np.full(n + 1, float(n)), 0.95, min_rows)
        out = (low > share) | (high < share)
        missed += alive[out].sum()
        alive[out] = 0.0
    assert 0 < missed <= 0.05
    assert missed + alive.sum() == pytest.approx(1)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(("count", "rows"), [(3, 40), (70, 100), (990, 1000)])
def test_ends_are_where_the_mixture_is_20_times_as_likely(count, rows, side):
    """The likelihood of the rows under a beta mixture, by quadrature."""
    prior = 1 / float(variance_of_mixture(0.95, 100))
    end = mixture_bounds(np.asarray(float(count)), np.asarray(float(rows)), 0.95, 100)[side]
    beta, peak = stats.beta(prior * end, prior * (1 - end)), [count / rows]

    def mixed(share):
        return stats.binom.pmf(count, rows, share) * beta.pdf(share)

    likelihood, _ = integrate.quad(mixed, 0, 1, points=peak, limit=200)
    assert likelihood / stats.binom.pmf(count, rows, end) == pytest.approx(20, rel=1e-5)


def test_share_of_few_rows():
    estimate = confidence_interval("accuracy", [0, 1, 1], [0, 1, 1], method="anytime")
    assert estimate.value == estimate.high == 1
    assert 0 < estimate.low < 0.05  # 1 / 20 would be the chance of three rows
    assert estimate.note == ""


def test_means_are_held_at_all_looks():
    """Means of 1,000 skewed sequences, by formulas of their own: at least 94 % held."""
    rows = np.random.default_rng(1).gamma(0.5, size=(1000, 5000)) - 0.5
    n = np.arange(200, 5001, 25)
    mean = rows.cumsum(axis=1)[:, n - 1] / n
    error = np.sqrt((rows**2).cumsum(axis=1)[:, n - 1] / n - mean**2) / np.sqrt(n)
    away = stats.norm.ppf((1 + level_of_one_look(n, 0.95, 200)) / 2) * error
    held = (np.abs(mean) <= away).all(axis=1).mean()
    one_look = (np.abs(mean) <= 1.96 * error).all(axis=1).mean()
    assert held >= 0.94
    assert one_look < 0.75


@pytest.mark.parametrize("metric", ["f1_macro", "roc_auc", "average_precision", "log_loss"])
def test_is_the_usual_interval_at_a_higher_level(metric):
    pred = PRED if metric == "f1_macro" else SCORE
    level = float(level_of_one_look(600, 0.95, 200))
    usual = confidence_interval(metric, Y, pred, confidence_level=level)
    found = confidence_interval(metric, Y, pred, method="anytime")
    assert (found.low, found.high) == pytest.approx((usual.low, usual.high))
    assert (found.method, found.confidence_level) == ("anytime", 0.95)
    assert "2024" in found.cite()


def test_groups_count_where_rows_depend():
    groups = np.repeat(np.arange(200), 3)
    found = confidence_interval("roc_auc", Y, SCORE, method="anytime", groups=groups)
    level = float(level_of_one_look(200, 0.95, 200))
    usual = confidence_interval("roc_auc", Y, SCORE, groups=groups, confidence_level=level)
    assert (found.low, found.high) == pytest.approx((usual.low, usual.high))
    early = confidence_interval("roc_auc", Y, SCORE, method="anytime", groups=groups, min_rows=201)
    assert np.isnan([early.low, early.high]).all()
    assert early.note.startswith("200 groups are fewer than min_rows=201")


def test_resampled_metrics_have_none():
    found = confidence_interval("ks_statistic", Y, SCORE, method="anytime")
    assert np.isnan(found.low)
    assert "influence values" in found.note


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "log_loss"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_difference_is_concluded_by_its_interval(metric, alternative):
    for other in (OTHER, SCORE * 0.9 + OTHER * 0.1):
        a, b = (SCORE, other)
        if metric == "accuracy":
            a, b = ((one > 0.5).astype(int) for one in (a, b))
        found = compare(metric, Y, a, b, method="anytime", alternative=alternative)
        shown = {
            "two-sided": found.low > 0 or found.high < 0,
            "greater": found.low > 0,
            "less": found.high < 0,
        }
        assert found.concluded == shown[alternative]
        plain = compare(metric, Y, a, b, method="delta", confidence_level=0.95)
        width = (found.high - found.low) / (plain.high - plain.low)
        assert 1.5 < width < 1.7


def test_p_value_at_the_end_of_the_interval():
    level = float(level_of_one_look(900, 0.95, 200))
    z = stats.norm.ppf((1 + level) / 2)
    assert p_value_of_looks(z, 900, 0.95, 200) == pytest.approx(0.05)
    assert p_value_of_looks(0.0, 900, 0.95, 200) == 1


def test_difference_before_the_first_look():
    found = compare("roc_auc", Y, SCORE, OTHER, method="anytime", min_rows=1000)
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert found.difference > 0
    assert "600 rows are fewer than min_rows=1000" in found.note


def test_stream_has_the_intervals_of_its_rows():
    accumulator = Accumulator(["accuracy", "roc_auc", "log_loss", "ks_statistic"])
    for start in range(0, 600, 50):
        rows = slice(start, start + 50)
        accumulator.update(Y[rows], SCORE[rows], y_pred=PRED[rows])
        evaluation = accumulator.evaluation(intervals="anytime", min_rows=300)
        part = slice(0, start + 50)
        for metric, pred in (("accuracy", PRED), ("roc_auc", SCORE), ("log_loss", SCORE)):
            row = evaluation.row(metric)
            of_rows = confidence_interval(metric, Y[part], pred[part], method="anytime",
                                          min_rows=300)  # fmt: skip
            expected = pytest.approx((of_rows.low, of_rows.high), nan_ok=True)
            assert (row.low, row.high) == expected
            assert np.isfinite(row.low) == (metric == "accuracy" or start >= 250)
        assert "resampling" in evaluation.row("ks_statistic").note


@pytest.mark.parametrize("min_rows", [0, 2.5, "many"])
def test_refuses_other_numbers_of_rows(min_rows):
    with pytest.raises(InvalidParameterError, match="min_rows"):
        confidence_interval("roc_auc", Y, SCORE, method="anytime", min_rows=min_rows)
    accumulator = Accumulator(["accuracy"])
    accumulator.update(Y, PRED)
    with pytest.raises(InvalidParameterError, match="min_rows"):
        accumulator.evaluation(intervals="anytime", min_rows=min_rows)


def test_refuses_other_kinds_of_intervals():
    accumulator = Accumulator(["accuracy"])
    accumulator.update(Y, PRED)
    with pytest.raises(InvalidParameterError, match="intervals has to be one of"):
        accumulator.evaluation(intervals="always")

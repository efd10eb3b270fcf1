"""Draws stop when the bounds have settled, and the result says how many there were."""

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext import compare, confidence_interval
from skmetrics_ext.inference.draws.bootstrap import is_settled

RNG = np.random.default_rng(5)
TRUE = RNG.integers(0, 2, 150)
SCORE, OTHER, NOISE = (RNG.normal(size=150) + apart * TRUE for apart in (1.5, 1.3, 0.0))


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


def test_the_result_says_how_many_draws_there_were():
    found = confidence_interval("ks_statistic", TRUE, SCORE, random_state=0)
    assert 1999 <= found.draws < 9999
    assert f"bca, {found.draws:,} draws" in str(found)
    assert f"(Efron 1987), {found.draws:,} draws, 150 rows" in found.cite()
    assert found.to_dict()["draws"] == found.draws
    asked = confidence_interval("ks_statistic", TRUE, SCORE, random_state=0, n_resamples=9999)
    assert asked.draws == 9999
    width = asked.high - asked.low
    assert found.low == pytest.approx(asked.low, abs=0.1 * width)
    assert found.high == pytest.approx(asked.high, abs=0.1 * width)
    assert confidence_interval("accuracy", TRUE, TRUE).draws is None


def test_any_number_of_processes_has_the_same_draws():
    one, two = (
        confidence_interval("ks_statistic", TRUE, SCORE, random_state=0, n_jobs=jobs)
        for jobs in (None, 2)
    )
    assert one == two
    assert one.draws == two.draws


def test_comparisons_draw_until_the_verdict_is_clear():
    clear = compare("ks_statistic", TRUE, SCORE, NOISE, random_state=0)
    assert clear.draws < 9999
    assert f"{clear.draws:,} draws" in str(clear)
    # A margin at the bound leaves the verdict in doubt, however many draws.
    in_doubt = compare(
        "ks_statistic", TRUE, SCORE, NOISE, margin=clear.low, alternative="greater", random_state=0
    )
    assert in_doubt.draws == 9999

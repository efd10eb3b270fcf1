"""Draws stop when the bounds have settled, and the result says how many there were."""

import numpy as np
import pytest

from skmetrics_ext import compare, confidence_interval

RNG = np.random.default_rng(5)
TRUE = RNG.integers(0, 2, 150)
SCORE, OTHER, NOISE = (RNG.normal(size=150) + apart * TRUE for apart in (1.5, 1.3, 0.0))


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

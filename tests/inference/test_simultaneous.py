"""The level of simultaneous intervals, from draws of the largest error."""

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext.inference.simultaneous import largest_of, level_of_all, level_together, root_of

LARGEST = np.linspace(1.7, 2.06, 19)  # between the quantiles of one error, and of three


def half(level):
    """How many errors an interval reaches to either side."""
    return stats.norm.isf((1 - level) / 2)


@pytest.mark.parametrize(("level", "place"), [(0.9, 18), (0.899, 18), (0.901, 19), (0.91, 19)])
def test_the_level_is_that_of_a_draw_which_so_many_of_all_and_one_do_not_exceed(level, place):
    """Of 19 draws and the data themselves 18 are nine in ten."""
    found = half(level_together(LARGEST, 3, level))
    assert found == pytest.approx(LARGEST[place - 1])


def test_the_level_is_between_that_of_one_error_and_bonferronis():
    assert half(level_together(LARGEST + 3, 3, 0.9)) == pytest.approx(stats.norm.isf(0.1 / 6))
    assert half(level_together(LARGEST - 1, 3, 0.9)) == pytest.approx(stats.norm.isf(0.05))
    for n_errors in (0, 1):
        assert half(level_together(LARGEST, n_errors, 0.9)) == pytest.approx(stats.norm.isf(0.05))


def test_errors_are_drawn_from_their_covariance():
    """Of two errors with correlation 0.6: the chance of both within z, integrated."""
    covariance = np.array([[4.0, 0.6 * 2 * 0.5, 0], [0.6 * 2 * 0.5, 0.25, 0], [0, 0, 0]])
    root = root_of(covariance)
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-12)
    drawn = largest_of(root[:2], 40_000, 0)
    assert (np.diff(drawn) >= 0).all()
    joint = stats.multivariate_normal(cov=[[1, 0.6], [0.6, 1]])
    for z in (0.5, 1.0, 2.0):
        inside = joint.cdf([z, z], lower_limit=[-z, -z])
        assert (drawn <= z).mean() == pytest.approx(inside, abs=4 * 0.5 / 40_000**0.5)
    assert largest_of(np.zeros((0, 2)), 5, 0).tolist() == [0] * 5
    found = level_of_all(covariance, 0.9, 40_000, 0)
    inside = joint.cdf([half(found)] * 2, lower_limit=[-half(found)] * 2)
    assert inside == pytest.approx(0.9, abs=0.01)


def test_errors_that_do_not_vary_are_none():
    """Independent errors have Sidak's level; one beside those without has its own."""
    three = level_of_all(np.diag([1.0, 4.0, 0.25]), 0.9, 40_000, 0)
    assert three == pytest.approx(0.9 ** (1 / 3), abs=0.004)
    assert level_of_all(np.diag([0.0, 4.0, 1e-15]), 0.9, 4_000, 0) == pytest.approx(0.9)
    assert level_of_all(np.diag([1e-20, 4e-20]), 0.9, 40_000, 0) == pytest.approx(
        0.9**0.5, abs=0.004
    )

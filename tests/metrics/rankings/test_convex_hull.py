"""The least concave curve above the ROC points."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skmetrics_ext as sx
from skmetrics_ext.metrics.rankings.ranking_kernels import upper_hull

from .cases import any_rows, area_below, options, points


def exact_hull(curve):
    """Height of the hull above every abscissa: the highest chord between two points."""
    tops = []
    for x in sorted({point[0] for point in curve}):
        best = max(y for at, y in curve if at == x)
        for (x0, y0), (x1, y1) in combinations(curve, 2):
            if x0 <= x <= x1 and x0 < x1:
                best = max(best, y0 + (x - x0) / (x1 - x0) * (y1 - y0))
        tops.append((x, best))
    return tops


@given(any_rows)
def test_it_is_the_area_below_the_highest_chords(sample):
    exact = area_below(exact_hull(points(sample)), 0, 1)
    got = sx.roc_auc_convex_hull_score(sample.true, sample.response, **options(sample))
    assert got == pytest.approx(float(exact), rel=1e-12)
    assert got >= sx.roc_auc_score(sample.true, sample.response, **options(sample)) - 1e-12


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_corners_turn_and_lie_above_all_points(steps):
    x, y = np.cumsum([(0, 0), *steps, (1, 1)], axis=0).T
    corners = upper_hull(x, y)
    assert (corners[0], x[corners[-1]], y[corners[-1]]) == (0, x[-1], y[-1])
    dx, dy = np.diff(x[corners]), np.diff(y[corners])
    assert (dy[:-1] * dx[1:] > dy[1:] * dx[:-1]).all()
    assert (np.interp(x, x[corners], y[corners]) >= y - 1e-9).all()


def test_a_curve_that_loses_one_point_at_a_time():
    # Concave up to a last jump, below which the points go from the right, one for each sweep.
    n = 2000
    concave = np.concatenate([[0], np.cumsum(np.arange(n, 0, -1))])
    x, y = np.arange(n + 2), np.append(concave, 10 * concave[-1])
    assert upper_hull(x, y).tolist() == [0, n + 1]
    assert upper_hull(x[:-1], concave).tolist() == list(range(n + 1))


def test_points_that_weights_cannot_tell_apart():
    # 1 beside 2**60 is lost in a float, so that the curve stands still for a row.
    weight = [2.0**60, 1.0, 2.0**60, 2.0**60]
    assert sx.roc_auc_convex_hull_score([1, 1, 0, 0], [4, 3, 2, 1], sample_weight=weight) == 1

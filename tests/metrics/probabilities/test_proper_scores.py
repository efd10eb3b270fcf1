"""Spherical and ranked scores, and what makes a score proper."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skmetrics_ext import (
    brier_score_loss,
    log_loss,
    ranked_probability_score,
    spherical_score,
)


def test_spherical_by_hand():
    got = spherical_score([0, 1, 2], [[0.6, 0.0, 0.4], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    assert got == pytest.approx((0.6 / sqrt(0.52) + 1 + 0) / 3, rel=1e-14)
    got = spherical_score([0, 1], [0.25, 0.25], sample_weight=[1, 3])
    assert got == pytest.approx((0.75 + 3 * 0.25) / sqrt(0.625) / 4, rel=1e-14)


def test_ranked_by_hand():
    # Steps away: (-1/2, -1/4), (1/4, -1/2), (1/2, 3/4).
    proba = [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]
    expected = ((1 / 4 + 1 / 16) + (1 / 16 + 1 / 4) + (1 / 4 + 9 / 16)) / 2 / 3
    assert ranked_probability_score([0, 1, 2], proba) == expected


def test_ranked_of_two_classes_is_the_brier_score():
    true, proba = [0, 1, 1, 0], [0.1, 0.9, 0.25, 0.3]
    expected = brier_score_loss(true, proba)
    assert ranked_probability_score(true, proba) == pytest.approx(expected, rel=1e-14)


def test_distance_from_the_true_class_costs():
    near, far = [[0.0, 0.4, 0.6]], [[0.4, 0.0, 0.6]]
    labels = ["mild", "severe", "critical"]
    got = [ranked_probability_score(["critical"], proba, labels=labels) for proba in (near, far)]
    np.testing.assert_allclose(got, [0.16 / 2, 0.32 / 2], rtol=1e-14)


def test_text_has_no_order_of_its_own():
    true, proba = ["low", "mid", "high"], np.eye(3)
    with pytest.raises(ValueError, match="order of the text labels"):
        ranked_probability_score(true, proba)
    assert ranked_probability_score(true, proba, labels=true) == 0
    ordered = pd.Series(pd.Categorical(true, categories=true, ordered=True))
    sorted_columns = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]  # high, low, mid, as in predict_proba
    assert ranked_probability_score(ordered, sorted_columns) == 0
    alphabet = pd.Series(pd.Categorical(true, categories=true))
    with pytest.raises(ValueError, match="order of the text labels"):
        ranked_probability_score(alphabet, proba)


SCORES = {
    "log_loss": (log_loss, 1),
    "brier": (brier_score_loss, 1),
    "ranked": (ranked_probability_score, 1),
    "spherical": (spherical_score, -1),
}


@pytest.mark.parametrize("name", SCORES)
@given(data=st.data())
def test_no_forecast_is_expected_to_beat_the_true_probabilities(name, data):
    """Weights that are the true probabilities make of the mean an expectation."""
    score, sign = SCORES[name]
    counts = st.lists(st.integers(1, 9), min_size=3, max_size=3)
    truth, other = (np.array(data.draw(counts)) / 10 for _ in range(2))
    truth, other = truth / truth.sum(), other / other.sum()

    def expected(forecast):
        return sign * score([0, 1, 2], np.tile(forecast, (3, 1)), sample_weight=truth)

    best = expected(truth)
    assert best <= expected(other) + 1e-12
    if np.abs(truth - other).max() > 0.01:
        assert best < expected(other)

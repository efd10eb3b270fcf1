"""Predictions to draw from."""

import numpy as np
import pytest


@pytest.fixture
def labels():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 120)
    return true, np.where(rng.random(120) < 0.7, true, rng.integers(0, 3, 120))


@pytest.fixture
def scores():
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 150)
    return true, np.round(true + rng.normal(size=150), 1)

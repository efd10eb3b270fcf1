"""Pictures are drawn without a screen, and closed."""

from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def binary() -> tuple[np.ndarray, np.ndarray]:
    """Labels in words, and probabilities of "sick" with ties."""
    rng = np.random.default_rng(3)
    sick = rng.random(120) < 0.4
    proba = np.round(np.clip(rng.normal(0.35 + 0.3 * sick, 0.2), 0, 1), 2)
    return np.where(sick, "sick", "healthy"), proba


@pytest.fixture
def several() -> tuple[np.ndarray, np.ndarray]:
    """Three classes and the probability of each."""
    rng = np.random.default_rng(4)
    true = rng.integers(0, 3, 90)
    proba = rng.random((90, 3)) + 0.8 * np.eye(3)[true]
    return np.array(["a", "b", "c"])[true], proba / proba.sum(axis=1, keepdims=True)

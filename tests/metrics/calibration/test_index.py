"""The integrated calibration index, against a spline and a likelihood written out."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

import skmetrics_ext as sx


def rows(n=60, seed=3):
    rng = np.random.default_rng(seed)
    proba = np.round(expit(rng.normal(-0.3, 1.2, n)), 3)
    return (rng.random(n) < np.clip(0.8 * proba + 0.08, 0, 1)).astype(int), proba


def distances(event, proba):
    """Distances from the line of Harrell's restricted cubic spline of the log odds, five knots."""
    x = logit(proba)
    t = np.quantile(x, [0.05, 0.275, 0.5, 0.725, 0.95])
    cube = [np.maximum(x - knot, 0) ** 3 for knot in t]
    columns = [np.ones_like(x), x]
    for j in range(3):
        tail = cube[3] * (t[4] - t[j]) / (t[4] - t[3]) - cube[4] * (t[3] - t[j]) / (t[4] - t[3])
        columns.append((cube[j] - tail) / (t[4] - t[0]) ** 2)
    design = np.array(columns)
    found = minimize(
        lambda b: np.sum(np.logaddexp(0, b @ design) - event * (b @ design)),
        np.zeros(5),
        jac=lambda b: design @ (expit(b @ design) - event),
        method="BFGS",
    ).x
    for _ in range(10):
        mean = expit(found @ design)
        step = np.linalg.solve((design * mean * (1 - mean)) @ design.T, design @ (mean - event))
        found = found - step
    return np.abs(expit(found @ design) - proba)


@pytest.mark.parametrize("seed", [3, 4])
def test_it_is_the_distance_from_a_spline(seed) -> None:
    event, proba = rows(seed=seed)
    away = distances(event, proba)
    wanted = {"mean": away.mean(), "E50": np.quantile(away, 0.5), "E90": np.quantile(away, 0.9)}
    for summary, value in wanted.items():
        got = sx.integrated_calibration_index(event, proba, summary=summary)
        assert got == pytest.approx(value, rel=1e-9)


def test_frozen_values() -> None:
    """Of the script above, once."""
    event, proba = rows()
    got = [sx.integrated_calibration_index(event, proba, summary=s) for s in ("mean", "E50", "E90")]
    assert got == pytest.approx([0.1241498334802, 0.0970763090898, 0.2690799830798], rel=1e-10)


def test_weights_are_repeated_rows() -> None:
    event, proba = rows(100)
    weight = np.arange(100) % 3
    repeated = np.repeat(event, weight), np.repeat(proba, weight)
    got = sx.integrated_calibration_index(event, proba, sample_weight=weight)
    assert got == pytest.approx(sx.integrated_calibration_index(*repeated), rel=1e-9)


def test_its_interval_is_drawn() -> None:
    event, proba = rows(300)
    found = sx.confidence_interval(
        "integrated_calibration_index", event, proba, n_resamples=200, method="bca"
    )
    assert found.low < found.value < found.high
    assert "too large on average" in found.note


@pytest.mark.parametrize(
    ("event", "proba", "message"),
    [
        ([0, 1] * 5, np.linspace(0.1, 0.9, 10), "y_true has 5 events in 10 rows"),
        ([0, 1] * 15, np.linspace(0, 0.9, 30), "probabilities of 0 or 1"),
    ],
)
def test_refused(event, proba, message) -> None:
    with pytest.raises(ValueError, match=message):
        sx.integrated_calibration_index(event, proba)

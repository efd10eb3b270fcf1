"""Estimates from a value and contributions: the intervals of textbooks, and of our metrics."""

import numpy as np
import pytest
from scipy import stats

import skmetrics_ext as sx

RNG = np.random.default_rng(3)
HOURS = RNG.gamma(3.0, 2.0, 80)
SITE = np.repeat(np.arange(20), 4)
Y = RNG.integers(0, 2, 200)
P, Q = (1 / (1 + np.exp(-(2 * Y - 1) * k - RNG.normal(size=200))) for k in (1.0, 0.6))


def test_a_mean_has_students_interval():
    found = sx.estimate(HOURS.mean(), HOURS - HOURS.mean())
    right = stats.t.interval(0.95, 79, HOURS.mean(), stats.sem(HOURS))
    assert (found.low, found.high) == pytest.approx(right, rel=1e-12)
    assert found.standard_error == pytest.approx(stats.sem(HOURS))
    assert found.freedom == pytest.approx(79)
    assert "Student" in found.cite()


def test_scales_map_the_interval():
    mean, influence = HOURS.mean(), HOURS - HOURS.mean()
    away = stats.t.ppf(0.975, 79) * stats.sem(HOURS)
    log = sx.estimate(mean, influence, scale="log")
    right = mean * np.exp(-away / mean), mean * np.exp(away / mean)
    assert (log.low, log.high) == pytest.approx(right)
    r, phi = 0.6, RNG.normal(size=50) * 0.5
    phi -= phi.mean()
    error = np.sqrt((phi**2).sum() / 49 / 50)
    away = stats.t.ppf(0.975, 49) * error / (1 - r**2)
    found = sx.estimate(r, phi, scale="atanh")
    right = np.tanh(np.arctanh(r) + np.array([-away, away]))
    assert (found.low, found.high) == pytest.approx(tuple(right))
    share = sx.estimate(0.5 * (r + 1), phi / 2, scale="logit")
    assert (found.low, found.high) == pytest.approx((2 * share.low - 1, 2 * share.high - 1))


def test_groups_are_summed():
    sums = np.bincount(SITE, HOURS - HOURS.mean())
    found = sx.estimate(HOURS.mean(), HOURS - HOURS.mean(), groups=SITE)
    assert found.standard_error == pytest.approx(np.sqrt(20 / 19 * (sums**2).sum()) / 80)
    assert found.n_groups == 20


@pytest.mark.parametrize(
    "metric", ["roc_auc", "average_precision", "matthews_corrcoef", "log_loss"]
)
def test_influence_values_give_the_error_of_the_metric(metric):
    pred = P >= 0.5 if metric == "matthews_corrcoef" else P
    right = sx.confidence_interval(metric, Y, pred)
    influence = sx.influence_values(metric, Y, pred)
    found = sx.estimate(right.value, influence, scale=sx.METRICS[metric].scale)
    assert found.standard_error == pytest.approx(right.standard_error, rel=0.01)


def test_a_matrix_has_a_column_for_each_model():
    matrix = sx.influence_values("roc_auc", Y, {"a": P, "b": Q})
    assert matrix.shape == (200, 2)
    np.testing.assert_array_equal(matrix[:, 1], sx.influence_values("roc_auc", Y, Q))
    a, b = (
        sx.estimate(sx.roc_auc_score(Y, p), column, rows="test", name="AUC")
        for p, column in zip((P, Q), matrix.T, strict=True)
    )
    right = sx.compare("roc_auc", Y, P, Q)
    assert (a - b).standard_error == pytest.approx(right.standard_error, rel=0.01)
    with pytest.raises(ValueError, match="b: "):
        sx.influence_values("roc_auc", Y, {"a": P, "b": Q[:5]})
    with pytest.raises(ValueError, match="empty dict"):
        sx.influence_values("roc_auc", Y, {})


def test_the_scale_of_a_metric():
    scales = {name: sx.METRICS[name].scale for name in ("roc_auc", "log_loss", "matthews_corrcoef")}
    assert scales == {"roc_auc": "logit", "log_loss": "log", "matthews_corrcoef": "atanh"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"influence": [1.0, 2.0]}, "mean 0"),
        ({"influence": [np.inf, 0.0]}, "finite"),
        ({"influence": [1.0]}, "two or more"),
        ({"influence": ["a", "b"]}, "influence"),
        ({"scale": "cube"}, "scale"),
        ({"scale": "logit", "value": 1.5}, "bounds"),
        ({"bounds": (1, 0)}, "bounds"),
        ({"rows": [1, 2, 3]}, "rows"),
        ({"groups": [1]}, "groups"),
    ],
)
def test_what_is_refused(arguments, message):
    given = {"value": 0.5, "influence": [-1.0, 1.0], **arguments}
    with pytest.raises(ValueError, match=message):
        sx.estimate(**given)


def test_rows_without_labels_are_named():
    a, b = (sx.estimate(1.0, [-1.0, 1.0, 0.0] * 9) for _ in range(2))
    with pytest.raises(ValueError, match="rows="):
        a - b

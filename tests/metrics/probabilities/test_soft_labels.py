"""Probabilities as true labels, by hand."""

import numpy as np
import pytest

import skmetrics_ext as sx

ONE, FORECAST = [0.25, 1.0, 0.5], [0.5, 0.75, 0.25]
THREE = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]
OF_THREE = [[0.25, 0.5, 0.25], [0.125, 0.75, 0.125]]


def both(column):
    return np.column_stack([1 - np.array(column), column])


@pytest.mark.parametrize(
    ("true", "proba"),
    [
        (ONE, FORECAST),
        (both(ONE), both(FORECAST)),
        (ONE, both(FORECAST)),
        (np.array(ONE, "f4"), FORECAST),
    ],
)
def test_two_classes(true, proba):
    """Cross-entropies ln 2, -ln 0.75, -(ln 0.25 + ln 0.75) / 2; squares of 1/4."""
    loss = (np.log(2) - np.log(0.75) - (np.log(0.25) + np.log(0.75)) / 2) / 3
    assert sx.log_loss(true, proba) == pytest.approx(loss)
    assert sx.brier_score_loss(true, proba) == pytest.approx(1 / 16)
    assert sx.brier_score_loss(true, proba, scale_by_half=False) == pytest.approx(1 / 8)
    weight = [1, 0, 3]
    loss = (np.log(2) - 3 * (np.log(0.25) + np.log(0.75)) / 2) / 4
    assert sx.log_loss(true, proba, sample_weight=weight) == pytest.approx(loss)


def test_three_classes():
    """Losses 7/4 ln 2 (ln 1/4 by 1/2, ln 1/2 and ln 1/4 by 1/4) and -ln 3/4; squares 8, 6 / 64."""
    loss = (7 / 4 * np.log(2) - np.log(3 / 4)) / 2
    assert sx.log_loss(THREE, OF_THREE) == pytest.approx(loss)
    assert sx.log_loss(THREE, OF_THREE, labels=["a", "b", "c"]) == pytest.approx(loss)
    assert sx.log_loss(THREE, OF_THREE, normalize=False) == pytest.approx(2 * loss)
    assert sx.brier_score_loss(THREE, OF_THREE) == pytest.approx((8 / 64 + 6 / 64) / 2)


def test_whole_numbers_stay_labels():
    proba = [0.25, 0.75, 0.5]
    for true in ([0, 1, 1], [0.0, 1.0, 1.0]):
        assert sx.log_loss(true, proba) == pytest.approx(-np.log([0.75, 0.75, 0.5]).mean())
    with pytest.raises(ValueError, match="different number of classes"):
        sx.log_loss([0, 1, 2], proba)


@pytest.mark.parametrize("name", ["log_loss", "brier_score_loss"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_intervals_are_those_of_means(name, n_classes):
    rng = np.random.default_rng(1)
    soft, proba, other = rng.dirichlet(np.ones(n_classes), (3, 150))
    rows = -(soft * np.log(proba)).sum(axis=1)
    if name == "brier_score_loss":
        rows = ((soft - proba) ** 2).sum(axis=1) / (2 if n_classes == 2 else 1)
    found = sx.confidence_interval(name, soft, proba, method="normal")
    error = rows.std(ddof=1) / np.sqrt(150)
    assert (found.value, found.standard_error) == pytest.approx((rows.mean(), error))
    assert found.high == pytest.approx(rows.mean() + 1.959964 * error)
    assert sx.influence_values(name, soft, proba) == pytest.approx(rows - rows.mean(), abs=1e-12)
    gap = sx.compare(name, soft, proba, other)
    alone = sx.confidence_interval(name, soft, other)
    assert gap.value == pytest.approx(found.value - alone.value)
    assert sx.confidence_interval(name, soft, proba, groups=np.arange(150) // 3).n_groups == 50


@pytest.mark.parametrize(
    ("true", "proba", "message"),
    [
        ([0.5, 1.5], [0.5, 0.5], "lies between 0.5 and 1.5"),
        (THREE, both(FORECAST[:2]), r"of shape \(2, 3\), for 2 columns"),
        ([0.5, 0.25], OF_THREE, r"of shape \(2,\), for 3 columns"),
        ([[0.5, 0.25, 0.0], [0.0, 1.0, 0.0]], OF_THREE, "rows do not sum to 1"),
    ],
)
def test_refused(true, proba, message):
    for function in (sx.log_loss, sx.brier_score_loss):
        with pytest.raises(ValueError, match=message):
            function(true, proba)
    with pytest.raises(ValueError, match="leave out pos_label=1"):
        sx.brier_score_loss(ONE, FORECAST, pos_label=1)


@pytest.mark.parametrize(
    "name", ["roc_auc_score", "d2_log_loss_score", "brier_skill_score", "spherical_score"]
)
def test_other_metrics_refuse_them(name):
    with pytest.raises(ValueError, match="continuous"):
        getattr(sx, name)(ONE, FORECAST)

"""sample_size: numbers by hand, the width and the power that they give, laws."""

from math import ceil

import numpy as np
import pytest
from scipy import stats
from support.public import DEPRECATED

from skmetrics_ext import compare, confidence_interval, influence_values, sample_size

roc_auc_sample_size = DEPRECATED["roc_auc_sample_size"]

RNG = np.random.default_rng(6)
N = 300
Y = (np.arange(N) % 3 == 0).astype(int)
SCORE = RNG.normal(size=N) + 1.5 * Y
OTHER = SCORE + 0.8 * RNG.normal(size=N)
PROBA, PROBA_B = (1 / (1 + np.exp(1 - score)) for score in (SCORE, OTHER))
HARD, HARD_B = ((proba > 0.5).astype(int) for proba in (PROBA, PROBA_B))
METRICS = {
    "accuracy": (HARD, HARD_B),
    "recall": (HARD, HARD_B),
    "f1": (HARD, HARD_B),
    "matthews_corrcoef": (HARD, HARD_B),
    "positive_likelihood_ratio": (HARD, HARD_B),
    "roc_auc": (SCORE, OTHER),
    "gini": (SCORE, OTHER),
    "average_precision": (SCORE, OTHER),
    "neg_log_loss": (PROBA, PROBA_B),
    "neg_brier_score": (PROBA, PROBA_B),
}
Z = stats.norm.ppf([0.975, 0.8, 0.9])


def test_means_by_hand():
    losses = (PROBA - Y) ** 2
    variance = losses.var(ddof=1)
    found = sample_size("neg_brier_score", Y, PROBA, difference=0.02)
    assert found.n == ceil(variance * ((Z[0] + Z[1]) / 0.02) ** 2)
    assert found.value == pytest.approx(losses.mean())
    assert found.standard_error == pytest.approx(np.sqrt(variance / found.n))
    found = sample_size("neg_brier_score", Y, PROBA, difference=0.02, power=0.9)
    assert found.n == ceil(variance * ((Z[0] + Z[2]) / 0.02) ** 2)
    found = sample_size("neg_brier_score", Y, PROBA, width=0.03)
    assert found.n == ceil(variance * (2 * Z[0] / 0.03) ** 2)
    apart = ((PROBA - Y) ** 2 - (PROBA_B - Y) ** 2).var(ddof=1)
    found = sample_size("neg_brier_score", Y, PROBA, y_pred_b=PROBA_B, difference=0.01)
    assert found.n == ceil(apart * ((Z[0] + Z[1]) / 0.01) ** 2)
    found = sample_size("neg_brier_score", Y, PROBA, y_pred_b=PROBA_B, width=0.01)
    assert found.n == ceil(apart * (2 * Z[0] / 0.01) ** 2)


def test_range_of_the_number_by_hand():
    """The variance of a mean has chi-squared bounds, their degrees of freedom from the kurtosis."""
    losses = (PROBA - Y) ** 2 - ((PROBA - Y) ** 2).mean()
    ratio = (losses**4).sum() / (losses**2).sum() ** 2
    freedom = min(N - 1, 2 / (ratio - 1 / N))
    assert freedom < N - 1
    needed = losses.var(ddof=1) * (2 * Z[0] / 0.03) ** 2
    found = sample_size("neg_brier_score", Y, PROBA, width=0.03)
    quantiles = stats.chi2.ppf([0.975, 0.025], freedom)
    assert [found.n_low, found.n_high] == [ceil(needed * freedom / end) for end in quantiles]
    assert f"{found.n} rows, or {found.n_low} to {found.n_high} (" in str(found)
    half = (np.arange(N) % 2 == 0).astype(int)  # the variance of a share of 1/2 is at its largest
    found = sample_size("accuracy", half, np.arange(N) % 4 // 2, difference=0.05)
    needed = 0.25 * ((Z[0] + Z[1]) / 0.05) ** 2
    quantiles = stats.chi2.ppf([0.975, 0.025], N - 1)
    assert [found.n_low, found.n_high] == [ceil(needed * (N - 1) / end) for end in quantiles]
    assumed = sample_size("accuracy", value=0.9, width=0.1)
    assert assumed.n_low is assumed.n_high is None


def test_range_of_the_number_holds_the_number_of_all_rows():
    """Pilots of 60 rows of an exponential loss, whose variance is 1."""
    needed, held = (2 * Z[0] / 0.1) ** 2, 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        true, proba = np.zeros(60, dtype=int), 1 - np.exp(-rng.exponential(size=60))
        true[0], proba[0] = 1, np.exp(-rng.exponential())
        found = sample_size("neg_log_loss", true, proba, width=0.1)
        held += found.n_low <= needed <= found.n_high
    assert held >= 174  # 0.87: fourth moments of 60 such rows are too small


@pytest.mark.parametrize("metric", METRICS)
def test_from_influence_values(metric):
    values = influence_values(metric, Y, METRICS[metric][0])
    found = sample_size(metric, Y, METRICS[metric][0], difference=0.05)
    assert found.n == pytest.approx((values**2).mean() * ((Z[0] + Z[1]) / 0.05) ** 2, rel=0.02)
    values = values - influence_values(metric, Y, METRICS[metric][1])
    found = sample_size(metric, Y, METRICS[metric][0], y_pred_b=METRICS[metric][1], difference=0.05)
    assert found.n == pytest.approx((values**2).mean() * ((Z[0] + Z[1]) / 0.05) ** 2, rel=0.02)


@pytest.mark.parametrize("metric", METRICS)
def test_so_many_rows_have_the_width(metric):
    """The pilot, over and over, has the width for which it asks for as many rows."""
    pred, other = METRICS[metric]
    for times in (3, 10):
        found = confidence_interval(metric, np.tile(Y, times), np.tile(pred, times))
        needed = sample_size(metric, Y, pred, width=found.high - found.low)
        assert needed.n == pytest.approx(times * N, rel=0.02)
        assert needed.standard_error == pytest.approx(found.standard_error, rel=0.02)
        rows = (np.tile(part, times) for part in (Y, pred, other))
        apart = compare(metric, *rows, method="delta")
        width = apart.high - apart.low
        needed = sample_size(metric, Y, pred, y_pred_b=other, width=width)
        assert needed.n == pytest.approx(times * N, rel=0.02)


@pytest.mark.parametrize("metric", ["f1", "roc_auc"])
def test_groups_and_weights(metric):
    pred = METRICS[metric][0]
    plain = sample_size(metric, Y, pred, width=0.08)
    assert plain.n_groups is None
    twice, groups = (np.repeat(Y, 2), np.repeat(pred, 2)), np.repeat(np.arange(N), 2)
    grouped = sample_size(metric, *twice, width=0.08, groups=groups)
    assert grouped.n == pytest.approx(2 * plain.n, rel=0.01)
    assert grouped.n_groups == pytest.approx(plain.n, rel=0.01)
    assert "groups" in str(grouped)
    weight = np.full(N, 2)
    alike = sample_size(metric, Y, pred, width=0.08, sample_weight=weight)
    assert alike.n == plain.n
    seen = sample_size(metric, Y, pred, width=0.08, sample_weight=weight, weights_are="frequency")
    assert seen.n == pytest.approx(plain.n, rel=0.01)


@pytest.mark.parametrize("metric", METRICS)
def test_more_is_asked_for_less(metric):
    pred = METRICS[metric][0]
    rows = [sample_size(metric, Y, pred, width=width).n for width in (0.02, 0.05, 0.1, 0.2)]
    assert rows == sorted(rows, reverse=True)
    assert len(set(rows)) == 4
    rows = [sample_size(metric, Y, pred, difference=0.05, power=power).n for power in (0.6, 0.8)]
    assert rows[0] < rows[1]
    order = RNG.permutation(N)
    assert sample_size(metric, Y[order], pred[order], width=0.05).n == pytest.approx(
        sample_size(metric, Y, pred, width=0.05).n, abs=1
    )


def test_the_power_is_met():
    """Rows for a known difference between two models find it about as often as asked."""
    rng = np.random.default_rng(3)

    def rows(count):
        true = rng.integers(0, 2, count)
        luck = rng.random((2, count))
        luck[1] = np.where(rng.random(count) < 0.6, luck[0], luck[1])
        return true, *(
            np.where(one < share, true, 1 - true)
            for one, share in zip(luck, (0.8, 0.74), strict=True)
        )

    true, first, second = rows(20000)
    needed = sample_size("balanced_accuracy", true, first, y_pred_b=second, difference=0.06)
    found = sum(compare("balanced_accuracy", *rows(needed.n)).p_value <= 0.05 for _ in range(250))
    assert abs(found / 250 - 0.8) < 0.08


def test_few_rows_are_noted():
    assert sample_size("recall", Y[:30], HARD[:30], width=0.2).note != ""
    assert sample_size("recall", Y, HARD, width=0.2).note == ""


def test_rows_of_both_classes():
    need = roc_auc_sample_size(0.75, power=0.9, neg_per_pos=2)
    assert need.n == ceil(need.n_pos) + ceil(need.n_neg)


@pytest.mark.parametrize(
    ("metric", "pred", "options", "message"),
    [
        ("f1", HARD, {}, "one of width and difference"),
        ("f1", HARD, {"width": 0.1, "difference": 0.1}, "one of width and difference"),
        ("f1", HARD, {"width": 0}, "width has to be in"),
        ("f1", HARD, {"width": 1}, "width has to be in"),
        ("f1", HARD, {"difference": -0.1}, "difference"),
        ("f1", HARD, {"difference": 0.1, "power": 1}, "power"),
        ("ks_statistic", SCORE, {"width": 0.1}, "no derivative"),
        ("ks_statistic", SCORE, {"width": 0.1, "y_pred_b": OTHER}, "no derivative"),
        (lambda t, p: 0.5, HARD, {"width": 0.1}, "one of this package"),
        ("f1", Y, {"width": 0.1}, "no variance"),
        ("f1", HARD, {"width": 0.1, "y_pred_b": HARD}, "no variance"),
        ("f1", HARD, {"width": 0.1, "average": None}, "one number"),
        ("f1", HARD[1:], {"width": 0.1}, "samples"),
    ],
)
def test_refused(metric, pred, options, message):
    with pytest.raises(ValueError, match=message):
        sample_size(metric, Y, pred, **options)

"""Every two of several models are compared at once, with the numbers of one comparison each."""

from itertools import combinations

import numpy as np
import pytest

import skmetrics_ext as sx

RNG = np.random.default_rng(3)
N = 240
Y = (RNG.random(N) < 0.4).astype(int)
SCORES = {f"m{k}": np.round(RNG.normal(size=N) + (0.4 + 0.3 * k) * Y, 2) for k in range(4)}
SCORES["copy of m1"] = SCORES["m1"].copy()
PROBA = {name: 1 / (1 + np.exp(-score)) for name, score in SCORES.items()}
LABELS = {name: (score > 0.5).astype(int) for name, score in SCORES.items()}
NEVER = LABELS | {"never": np.zeros(N, dtype=int)}
CLASSES = RNG.integers(0, 4, N)
OF_CLASSES = {
    f"m{k}": np.where(RNG.random(N) < 0.5 + 0.1 * k, CLASSES, RNG.integers(0, 4, N))
    for k in range(3)
} | {"one class less": np.where(RNG.random(N) < 0.5, np.minimum(CLASSES, 2), 1)}
WEIGHT = RNG.integers(1, 4, N)
GROUP = np.arange(N) // 3
DESIGNS = {
    "rows": {},
    "weights": {"sample_weight": WEIGHT * 0.5},
    "frequencies": {"sample_weight": WEIGHT, "weights_are": "frequency"},
    "groups": {"groups": GROUP},
    "strata": {"strata": np.arange(N) % 4},
    "weighted groups in strata": {
        "sample_weight": WEIGHT * 0.5, "groups": GROUP, "strata": GROUP % 3
    },
}  # fmt: skip
NUMBERS = ("value", "low", "high", "standard_error", "p_value", "statistic")


def shows(row, right):
    """The row has the numbers, method and design of the comparison, and so has its estimate."""
    for each in (row.estimate, right):
        found = [getattr(each, name) for name in NUMBERS]
        np.testing.assert_allclose([row[name] for name in NUMBERS], found, rtol=1e-12, atol=1e-15)
        assert (row["method"], row["note"]) == (each.method, each.note)
        assert (row.estimate.freedom or 0) == pytest.approx(each.freedom or 0, rel=1e-12)
        assert row.get("design_effect", np.nan) == pytest.approx(
            each.design_effect, rel=1e-12, nan_ok=True
        )
    assert (row["value_a"], row["value_b"]) == pytest.approx((right.value_a, right.value_b))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    ("metric", "y_true", "models"),
    [
        ("accuracy", Y, LABELS),  # McNemar's test
        ("zero_one_loss", Y, LABELS),
        ("f1", Y, NEVER),  # tables; a model has no rows in some cells
        ("matthews_corrcoef", Y, LABELS),
        ("diagnostic_odds_ratio", Y, LABELS),  # logarithms
        ("f1_macro", CLASSES, OF_CLASSES),
        ("roc_auc", Y, SCORES),  # areas
        ("average_precision", Y, SCORES),
        ("brier_score", Y, PROBA),  # means
    ],
)
def test_every_two_have_the_numbers_of_one_comparison(metric, y_true, models, design):
    options = DESIGNS[design]
    table = sx.confidence_interval(metric, y_true, models, **options)
    rows = list(table.against("each"))
    assert [(row.model, row.against) for row in rows] == list(combinations(models, 2))
    for row in rows:
        shows(row, sx.compare(metric, y_true, models[row.model], models[row.against], **options))
    again = sx.confidence_interval(metric, y_true, models, confidence_level=0.9, **options)
    for row, right in zip(table.against("m2").at(0.9), again.against("m2"), strict=True):
        shows(row, right.estimate)


def test_every_two_by_hand():
    """McNemar's exact middle p-value, DeLong's and the multinomial variance of three models."""
    y = np.array([1] * 6 + [0] * 6)
    right = {
        "a": [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1],
        "b": [1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0],
        "c": [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0],
    }
    models = {name: np.where(hits, y, 1 - y) for name, hits in right.items()}
    rows = sx.confidence_interval("accuracy", y, models).against("each")
    # Rows that only one of both has right: 4 and 0, 3 and 1, 2 and 4.
    assert [row.value for row in rows] == pytest.approx([4 / 12, 2 / 12, -2 / 12])
    halves = [2 * (0.5 * 1 / 16), 2 * (1 / 16 + 0.5 * 4 / 16), 2 * (22 / 64 - 0.5 * 15 / 64)]
    assert [row.p_value for row in rows] == pytest.approx(halves)
    errors = [((n - d**2 / 12) ** 0.5) / 12 for n, d in ((4, 4), (4, 2), (6, 2))]
    assert [row.standard_error for row in rows] == pytest.approx(errors)

    scores = {"a": [3, 4, 2, 1], "b": [4, 2, 3, 1], "c": [2, 4, 3, 1]}
    areas = sx.confidence_interval("roc_auc", [1, 1, 0, 0], scores).against("each")
    # Shares of the other class that each row is ranked above, or below: positives, negatives.
    placed = {"a": ([1, 1], [1, 1]), "b": ([1, 0.5], [0.5, 1]), "c": ([0.5, 1], [0.5, 1])}
    for row in areas:
        apart = np.subtract(placed[row.model], placed[row.against])
        assert row.value == pytest.approx(apart[0].mean())
        variance = apart.var(axis=1, ddof=1).sum() / 2
        assert row.standard_error == pytest.approx(variance**0.5)

    losses = {"a": [0.1, 0.4, 0.2], "b": [0.3, 0.1, 0.2], "c": [0.2, 0.5, 0.6]}
    means = sx.confidence_interval("brier_score", [0, 0, 0], losses, labels=[0, 1]).against("each")
    for row in means:
        apart = np.square(losses[row.model]) - np.square(losses[row.against])
        assert row.value == pytest.approx(apart.mean())
        assert row.standard_error == pytest.approx(apart.std(ddof=1) / 3**0.5)


@pytest.mark.parametrize(("metric", "models"), [("f1", LABELS), ("roc_auc", SCORES)])
def test_bonferronis_intervals_are_those_of_one_comparison_at_the_joint_level(metric, models):
    table = sx.confidence_interval(metric, Y, models).against("each").adjust("bonferroni")
    for row in table:
        alone = sx.compare(
            metric, Y, models[row.model], models[row.against], confidence_level=1 - 0.05 / 10
        )
        assert (row.low, row.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
        assert row.p_adjusted == pytest.approx(min(10 * alone.p_value, 1))


def test_models_whose_statistics_are_read_differently_are_compared_one_by_one():
    """A model that knows a class which the others lack has a larger table."""
    y = np.repeat([0, 1, 2], 40)
    few = {name: np.minimum(RNG.permutation(y), 1) for name in "ab"}
    models = {**few, "c": np.where(RNG.random(120) < 0.9, y, 3)}
    rows = sx.confidence_interval("accuracy", y, models).against("each")
    for row in rows:
        shows(row, sx.compare("accuracy", y, models[row.model], models[row.against]))
    rows = sx.confidence_interval("f1_macro", y, models, zero_division=0).against("each")
    for row in rows:
        sides = models[row.model], models[row.against]
        shows(row, sx.compare("f1_macro", y, *sides, zero_division=0))

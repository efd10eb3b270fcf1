"""Comparisons of a dict of models, and by several metrics."""

import numpy as np
import pytest

import skmetrics_ext as sx

RNG = np.random.default_rng(2)
Y = (RNG.random(300) < 0.4).astype(int)
SCORES = {
    name: 1 / (1 + np.exp(-(shift * (2 * Y - 1) + RNG.normal(size=300))))
    for name, shift in (("new", 1.2), ("old", 0.9), ("plain", 0.4))
}
TWO = {name: SCORES[name] for name in ("new", "old")}


def same(row, right):
    for key in ("value", "low", "high", "p_value"):
        assert row[key] == pytest.approx(getattr(right, key), rel=1e-9), key


def test_several_metrics_of_two_models():
    table = sx.compare(["roc_auc", "brier_score"], Y, TWO)
    assert [(row["metric"], row["model"], row["against"]) for row in table] == [
        ("roc_auc", "new", "old"),
        ("brier_score", "new", "old"),
    ]
    for row in table:
        right = sx.compare(row["metric"], Y, *TWO.values())
        same(row, right)
        assert (row["value_a"], row["value_b"]) == pytest.approx((right.value_a, right.value_b))
    arrays = sx.compare(["roc_auc", "brier_score"], Y, *TWO.values())
    assert [row["value"] for row in arrays] == [row["value"] for row in table]


def test_every_two_of_three_models_hold_jointly():
    table = sx.compare("roc_auc", Y, SCORES)
    pairs = [("new", "old"), ("new", "plain"), ("old", "plain")]
    assert [(row["model"], row["against"]) for row in table] == pairs
    for row in table:
        alone = sx.compare("roc_auc", Y, SCORES[row["model"]], SCORES[row["against"]])
        assert row["value"] == pytest.approx(alone.value)
        assert row["p_value"] == pytest.approx(alone.p_value)
        assert row["low"] < alone.low
        assert row["high"] > alone.high
        assert row["p_adjusted"] >= row["p_value"]


def test_options_reach_each_model():
    group = np.arange(300) // 3
    table = sx.compare("f1", Y, TWO, groups=group, threshold=0.4, confidence_level=0.9)
    cut = [score >= 0.4 for score in TWO.values()]
    same(table[0], sx.compare("f1", Y, *cut, groups=group, confidence_level=0.9))


def test_scores_of_models_are_cut_in_a_table():
    table = sx.compute_metrics(["f1"], Y, y_score=TWO, threshold=0.4, intervals=True)
    for row in table:
        right = sx.confidence_interval("f1", Y, TWO[row["model"]] >= 0.4)
        assert (row["low"], row["high"]) == pytest.approx((right.low, right.high))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("roc_auc", Y, TWO["new"]), {}, "missing 1 model: 'pred_b'"),
        (("roc_auc", Y, {"new": TWO["new"]}), {}, "one dict of two or more"),
        (("roc_auc", Y, TWO, TWO["old"]), {}, "one dict of two or more"),
        ((["roc_auc"], Y, TWO["new"]), {}, "missing 1 model: 'pred_b'"),
        (("roc_auc", Y, TWO), {"margin": 0.1}, "margin is not available for several metrics"),
        (("roc_auc", Y, TWO), {"method": "bootstrap"}, "method is not available for several"),
    ],
)
def test_what_cannot_be_compared(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        sx.compare(*arguments, **options)

"""Hierarchical precision, recall and F1, by hand."""

from fractions import Fraction

import numpy as np
import pytest

import skmetrics_ext as sx

TREE = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "owl": "animal", "oak": "plant"}
TRUE = ["cat", "dog", "owl", "oak", "mammal"]
PRED = ["dog", "dog", "cat", "owl", "cat"]
# Common labels 2, 3, 1, 0, 2; true ones 3, 3, 2, 2, 2; predicted ones 3, 3, 3, 2, 3.
COMMON, OF_TRUE, OF_PRED = 8, 12, 14


def test_by_hand() -> None:
    got = [
        getattr(sx, f"hierarchical_{name}")(TRUE, PRED, hierarchy=TREE)
        for name in ("precision", "recall", "f1")
    ]
    wanted = [
        Fraction(COMMON, OF_PRED),
        Fraction(COMMON, OF_TRUE),
        Fraction(2 * COMMON, OF_TRUE + OF_PRED),
    ]
    assert got == pytest.approx([float(value) for value in wanted], rel=1e-14)


def test_a_flat_hierarchy_is_accuracy() -> None:
    rng = np.random.default_rng(0)
    y, pred = rng.integers(0, 4, (2, 200))
    flat = dict.fromkeys(range(4))
    for name in ("hierarchical_precision", "hierarchical_recall", "hierarchical_f1"):
        value = getattr(sx, name)(y, pred, hierarchy=flat)
        assert value == pytest.approx(np.mean(y == pred))


def test_the_error_is_that_of_a_ratio_of_sums() -> None:
    true, pred = np.array(TRUE * 20), np.array(PRED * 20)
    common, of_pred = np.tile([2, 3, 1, 0, 2], 20), np.tile([3, 3, 3, 2, 3], 20)
    value = common.sum() / of_pred.sum()
    psi = (common - value * of_pred) / of_pred.mean()
    found = sx.confidence_interval("hierarchical_precision", true, pred, hierarchy=TREE)
    assert found.standard_error == pytest.approx(np.sqrt((psi**2).sum()) / 100, rel=1e-10)
    assert found.low < value < found.high
    better = sx.compare("hierarchical_f1", true, true, pred, hierarchy=TREE)
    assert better.low > 0
    weight = np.arange(100) % 3
    weighted = sx.hierarchical_f1(true, pred, hierarchy=TREE, sample_weight=weight)
    repeated = np.repeat(true, weight), np.repeat(pred, weight)
    assert weighted == pytest.approx(sx.hierarchical_f1(*repeated, hierarchy=TREE))


@pytest.mark.parametrize(
    ("hierarchy", "message"),
    [
        (None, "hierarchy must be a dict of label to parent"),
        ({"cat": "dog", "dog": "cat"}, "hierarchy has a cycle"),
        ({"cat": None}, r"hierarchy lacks the labels \['dog'\]"),
    ],
)
def test_refused(hierarchy, message) -> None:
    with pytest.raises(ValueError, match=message):
        sx.hierarchical_f1(["cat", "dog"], ["dog", "dog"], hierarchy=hierarchy)

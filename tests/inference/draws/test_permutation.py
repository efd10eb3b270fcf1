"""Permutation tests against all exchanges, and what does not change them."""

from itertools import product

import numpy as np
import pytest

from skmetrics_ext import average_precision_score, compare, f1_score, log_loss, roc_auc_score
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.draws.pairs import (
    exchange_of_samples,
    midrank_shares,
    permutation_test,
)
from skmetrics_ext.inference.draws.readers import samples_of_models
from skmetrics_ext.registry import find

RNG = np.random.default_rng(4)
Y = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 0])
A = np.round(RNG.normal(size=10) + Y, 1)
B = np.round(RNG.normal(size=10) + Y, 1)
LABELS = np.array([0, 1, 2] * 4)
PRED_A = np.array([0, 1, 2, 0, 1, 2, 0, 1, 1, 0, 0, 2])
PRED_B = np.array([0, 1, 2, 1, 1, 0, 0, 2, 1, 0, 2, 1])
SIDES = ("two-sided", "less", "greater")


def all_differences(function, y_true, a, b, groups=None):
    """The observed difference and that of every exchange."""
    groups = np.arange(len(y_true)) if groups is None else groups
    found = []
    for flips in product([False, True], repeat=groups.max() + 1):
        swap = np.array(flips)[groups]
        one, other = np.where(swap, b, a), np.where(swap, a, b)
        found.append(function(y_true, one) - function(y_true, other))
    return found[0], np.array(found)


def shares_as_large(observed, all_found):
    return {
        "two-sided": np.mean(np.abs(all_found) >= abs(observed) - 1e-12),
        "less": np.mean(all_found <= observed + 1e-12),
        "greater": np.mean(all_found >= observed - 1e-12),
    }


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("metric", [roc_auc_score, average_precision_score])
def test_all_exchanges_of_ranks(metric, side):
    ranks = [midrank_shares(score) for score in (A, B)]
    expected = shares_as_large(*all_differences(metric, Y, *ranks))
    found = compare(metric, Y, A, B, method="permutation", alternative=side)
    assert found.p_value == pytest.approx(expected[side], rel=1e-12)
    assert found.method == "permutation, exact"
    assert found.difference == pytest.approx(metric(Y, A) - metric(Y, B))
    stretched = compare(metric, Y, A, 100 * B - 7, method="permutation", alternative=side)
    assert stretched.p_value == found.p_value


@pytest.mark.sampled(3)
@pytest.mark.parametrize("side", SIDES)
def test_all_exchanges_of_labels(side):
    def macro(y_true, y_pred):
        return f1_score(y_true, y_pred, average="macro")

    expected = shares_as_large(*all_differences(macro, LABELS, PRED_A, PRED_B))
    found = compare(
        f1_score, LABELS, PRED_A, PRED_B, average="macro", method="permutation", alternative=side
    )
    assert found.p_value == pytest.approx(expected[side], rel=1e-12)
    own = compare(macro, LABELS, PRED_A, PRED_B, method="permutation", alternative=side)
    assert own.p_value == pytest.approx(expected[side], rel=1e-12)


def test_equal_cells_are_counted_together():
    """Twelve rows four times over: 2^24 exchanges, but few that differ in a count."""
    models = {"a": np.tile(PRED_A, 4), "b": np.tile(PRED_B, 4)}
    pair = exchange_of_samples(*samples_of_models(find("accuracy"), np.tile(LABELS, 4), models))
    found = permutation_test(pair, DrawPlan(50_000))
    assert found.exact
    assert found.orders < 50_000
    # Accuracy differs by rows that one model alone has right: a sign test.
    right = [(pred == LABELS).astype(int) for pred in (PRED_A, PRED_B)]
    only_a, only_b = (4 * int((right[i] > right[1 - i]).sum()) for i in (0, 1))
    from scipy.stats import binomtest

    assert found.p_value == pytest.approx(binomtest(only_a, only_a + only_b).pvalue)


def test_groups_are_exchanged_as_a_whole():
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    ranks = [midrank_shares(score) for score in (A, B)]
    expected = shares_as_large(*all_differences(roc_auc_score, Y, *ranks, groups))
    found = compare("roc_auc", Y, A, B, method="permutation", groups=groups)
    assert found.p_value == pytest.approx(expected["two-sided"], rel=1e-12)
    labels = np.arange(12) // 2

    def accuracy(y_true, y_pred):
        return float(np.mean(y_true == y_pred))

    expected = shares_as_large(*all_differences(accuracy, LABELS, PRED_A, PRED_B, labels))
    found = compare("accuracy", LABELS, PRED_A, PRED_B, method="permutation", groups=labels)
    assert found.p_value == pytest.approx(expected["two-sided"], rel=1e-12)
    twice = [np.repeat(column, 2) for column in (LABELS, PRED_A, PRED_B, labels)]
    found = compare("accuracy", *twice[:3], method="permutation", groups=twice[3])
    assert found.p_value == pytest.approx(expected["two-sided"], rel=1e-12)


def test_weights_stay_with_their_rows():
    weight = np.arange(1, 11) / 4

    def weighted(y_true, y_score):
        return roc_auc_score(y_true, y_score, sample_weight=weight)

    ranks = [midrank_shares(score) for score in (A, B)]
    expected = shares_as_large(*all_differences(weighted, Y, *ranks))
    found = compare("roc_auc", Y, A, B, method="permutation", sample_weight=weight)
    assert found.p_value == pytest.approx(expected["two-sided"], rel=1e-12)


def test_draws_come_near_to_all_exchanges():
    proba = [np.clip(midrank_shares(score), 0.05, 0.95) for score in (A, B)]
    exact = compare(log_loss, Y, *proba, method="permutation", n_resamples=2000)
    drawn = compare(log_loss, Y, *proba, method="permutation", n_resamples=900, random_state=1)
    assert (exact.method, drawn.method) == ("permutation, exact", "permutation")
    spread = np.sqrt(exact.p_value * (1 - exact.p_value) / 900)
    assert abs(drawn.p_value - exact.p_value) < 5 * spread + 1 / 900


def test_draws_depend_on_the_seed_alone():
    y_true = RNG.integers(0, 2, 300)
    a, b = (RNG.normal(size=300) + y_true for _ in range(2))
    options = {"method": "permutation", "n_resamples": 400}
    first = compare("average_precision", y_true, a, b, random_state=3, **options)
    again = compare("average_precision", y_true, a, b, random_state=3, n_jobs=2, **options)
    other = compare("average_precision", y_true, a, b, random_state=4, **options)
    assert repr(first) == repr(again)
    assert first.p_value != other.p_value
    same = [
        compare("average_precision", y_true, a, b, random_state=make(3), **options).p_value
        for make in (np.random.default_rng, np.random.default_rng)
    ]
    assert same[0] == same[1]


def test_progress_is_told():
    y_true = RNG.integers(0, 2, 2000)
    a, b = (RNG.normal(size=2000) + y_true for _ in range(2))
    told = []
    compare(
        "average_precision",
        y_true,
        a,
        b,
        method="permutation",
        n_resamples=600,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-1][0] == told[-1][1] > 1


def test_undefined_exchanges_count_as_large():
    def picky(y_true, y_pred):
        value = float(np.mean(y_true == y_pred))
        if value < 0.5:
            raise ValueError("undefined")
        return value

    a, b = np.array([1, 1, 1, 1]), np.array([1, 1, 0, 0])
    found = compare(picky, [1, 1, 1, 1], a, b, method="permutation")
    assert found.difference == 0.5
    assert found.p_value == 0.5  # both exchanged or none; the other two give 0
    one_sided = compare(picky, [1, 1, 1, 1], a, b, method="permutation", alternative="greater")
    assert one_sided.p_value == 0.25


def test_level_of_the_test():
    """300 null samples of 60 rows, 99 draws: 5 standard errors around 5 % are 6.3 points."""
    rng, rejected = np.random.default_rng(0), 0
    for seed in range(300):
        y_true = rng.integers(0, 3, 60)
        a, b = (np.where(rng.random(60) < 0.7, y_true, rng.integers(0, 3, 60)) for _ in range(2))
        found = compare(
            "f1_macro", y_true, a, b, method="permutation", n_resamples=99, random_state=seed
        )
        rejected += found.p_value <= 0.05
    assert 0.005 < rejected / 300 < 0.113

"""Venkatraman's tests: statistics by their definition, level, power where areas are equal."""

import numpy as np
import pytest

from skmetrics_ext import delong_test
from skmetrics_ext.inference.tests.roc_curves import (
    exchanged_statistics,
    paired_statistic,
    unpaired_statistic,
)
from skmetrics_ext.significance import venkatraman_test

RNG = np.random.default_rng(6)


def by_definition(positive, ranks_a, ranks_b):
    """Sum over cutpoints k of |sum of e_ik|, from the ranks 1 to n of each row."""
    total = 0
    for k in range(1, len(positive)):
        errors = 0
        for is_positive, a, b in zip(positive, ranks_a, ranks_b, strict=True):
            right_a, right_b = (a > k) == is_positive, (b > k) == is_positive
            errors += int(right_a) - int(right_b)
        total += abs(errors)
    return total


def test_statistic_by_its_definition():
    for _ in range(20):
        positive = RNG.permutation([True] * 6 + [False] * 5)
        ranks = [RNG.permutation(11) + 1 for _ in range(2)]
        found = paired_statistic(*(positive[np.argsort(rank)] for rank in ranks))
        assert found == by_definition(positive, *ranks)


def test_public_statistic():
    y_true = np.array([0, 1, 0, 1, 1, 0, 0, 1])
    scores = [RNG.permutation(8) for _ in range(2)]
    found = venkatraman_test(y_true, *scores, n_resamples=9, random_state=0)
    assert found.statistic == by_definition(y_true == 1, *(score + 1 for score in scores))
    assert found.method == "venkatraman, paired"


def test_exchanges_against_sorting_again():
    """The distribution of exchanged statistics, against one made row by row."""
    positive = RNG.permutation([True] * 5 + [False] * 4)
    orders = [RNG.permutation(9) for _ in range(2)]
    rng = np.random.default_rng(0)
    fast = np.concatenate(list(exchanged_statistics(positive, *orders, 20_000, rng)))
    ranks = [np.argsort(order) for order in orders]
    slow = []
    for _ in range(5000):
        swap = rng.integers(0, 2, 9).astype(bool)
        a, b = np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
        rows = [np.lexsort((rng.random(9), rank)) for rank in (a, b)]
        slow.append(paired_statistic(*(positive[order] for order in rows)))
    values = np.unique(np.concatenate([fast, slow]))
    shares = [np.array([(draws == v).mean() for v in values]) for draws in (fast, np.array(slow))]
    assert np.abs(shares[0] - shares[1]).max() < 5 * np.sqrt(0.25 / 5000)
    assert len(values) > 4


def test_two_samples_by_a_fine_grid():
    grid, share = (np.arange(200_000) + 0.5) / 200_000, 0.4

    def errors(positive):
        """Weight of positive rows below a weight, both classes weighing share and the rest."""
        own = np.where(positive, share / positive.sum(), (1 - share) / (~positive).sum())
        edges = np.concatenate([[0], np.cumsum(own)])
        return np.interp(grid, edges, np.concatenate([[0], np.cumsum(own * positive)]))

    for _ in range(8):
        first = RNG.permutation([True] * 3 + [False] * 4)
        second = RNG.permutation([True] * 5 + [False] * 3)
        expected = 2 * np.abs(errors(first) - errors(second)).mean()
        assert unpaired_statistic(first, second, share) == pytest.approx(expected, rel=1e-4)
    assert unpaired_statistic(first, first, share) == 0


def test_two_samples_of_one_design_are_the_paired_statistic():
    first, second = (RNG.permutation([True] * 6 + [False] * 9) for _ in range(2))
    scaled = paired_statistic(first, second) / 15**2
    assert unpaired_statistic(first, second, 6 / 15) == pytest.approx(scaled, rel=0.1)


def test_a_model_against_itself():
    y_true = RNG.integers(0, 2, 50)
    score = RNG.integers(0, 5, 50)  # ties in random order, the same for both
    found = venkatraman_test(y_true, score, 3 * score + 1, n_resamples=99, random_state=0)
    assert (found.statistic, found.p_value) == (0, 1)


def test_seed():
    y_true = RNG.integers(0, 2, 80)
    a, b = (np.round(RNG.normal(size=80) + y_true, 1) for _ in range(2))
    options = {"n_resamples": 99}
    first = venkatraman_test(y_true, a, b, random_state=1, **options)
    again = venkatraman_test(y_true, a, b, random_state=1, **options)
    assert repr(first) == repr(again)  # nan, its degrees of freedom, does not equal itself
    assert 0 < first.p_value <= 1


@pytest.mark.parametrize("samples", [1, 2])
def test_p_of_tied_scores_does_not_hang_on_the_order_of_ties(samples):
    rng = np.random.default_rng(0)
    y_true, other = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    a, b = (np.floor(rng.normal(size=60) + y) for y in (y_true, other if samples == 2 else y_true))
    options = {"y_true_b": other if samples == 2 else None, "n_resamples": 1999}
    found = [venkatraman_test(y_true, a, b, random_state=seed, **options) for seed in range(6)]
    p_values = np.array([one.p_value for one in found])
    assert p_values.std(ddof=1) < 0.03
    statistics = np.array([one.statistic for one in found])
    assert statistics.std(ddof=1) < 0.03 * statistics.mean()


def crossing(rng, n_rows):
    """Two scores of equal area whose curves cross: one has positives of twice the spread."""
    y_true = rng.integers(0, 2, n_rows)
    a = rng.normal(size=n_rows) + y_true
    spread = np.where(y_true == 1, 3.0, 1.0)
    b = rng.normal(size=n_rows) * spread + y_true * np.sqrt(10 / 2)
    return y_true, a, b


def test_crossing_curves_of_equal_areas_are_told_apart():
    rng, rejected = np.random.default_rng(0), {"areas": 0, "curves": 0, "samples": 0}
    options = {"n_resamples": 99, "random_state": 0}
    for _ in range(20):
        y_true, a, b = crossing(rng, 400)
        rejected["areas"] += delong_test(y_true, a, b).p_value < 0.05
        rejected["curves"] += venkatraman_test(y_true, a, b, **options).p_value < 0.05
        other, _, score = crossing(rng, 500)
        found = venkatraman_test(y_true, a, score, y_true_b=other, **options)
        rejected["samples"] += found.p_value < 0.05
    assert found.method == "venkatraman, two samples"
    assert rejected["areas"] < 8
    assert min(rejected["curves"], rejected["samples"]) > 15


@pytest.mark.slow
@pytest.mark.parametrize("samples", [1, 2])
def test_level_of_the_test(samples):
    """300 null samples, 99 draws: 5 standard errors around 10 % are 8.7 points."""
    rng, rejected = np.random.default_rng(3), 0
    for seed in range(300):
        y_true = rng.integers(0, 2, 50)
        common = rng.normal(size=50) + y_true
        a = common + rng.normal(size=50)
        if samples == 1:
            y_b, b = None, common + rng.normal(size=50)
        else:
            y_b = (rng.random(70) < 0.3).astype(int)
            b = np.exp(np.sqrt(2) * rng.normal(size=70) + y_b)
        found = venkatraman_test(y_true, a, b, y_true_b=y_b, n_resamples=99, random_state=seed)
        rejected += found.p_value <= 0.1
    assert 0.03 < rejected / 300 < 0.187


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 1, 2], [1, 2, 3], [1, 2, 3]), {}, "score_a"),
        (([0, 0, 0], [1, 2, 3], [1, 2, 3]), {}, "two classes"),
        (([0, 1, 1], [1, 2, 3], [1, 2]), {}, "score_b"),
        (([0, 1, 1], [1, 2, 3], [1, 2, 3]), {"n_resamples": 0}, "n_resamples"),
        (([0, 1, 1], [1, 2, 3], [1, 2, 3]), {"random_state": "a"}, "random_state"),
    ],
)
def test_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        venkatraman_test(*arguments, **options)

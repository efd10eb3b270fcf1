"""resampled_wins: what is drawn, and the pairs counted in it."""

import numpy as np
import pytest

from skmetrics_ext import kernels

MARKS = np.array([0, 1, 0, 1, 1, 0])
SCORES = np.array([0, 1, 1, 2, 3, 3])


def draws(n_draws, stratified, seed=0):
    rng = np.random.default_rng(seed)
    return kernels.resampled_wins(rng, MARKS, SCORES, n_draws, stratified)


def test_every_draw_has_as_many_rows():
    _, negative, positive = draws(50, False)
    assert (negative + positive).tolist() == [6] * 50
    assert len(set(positive.tolist())) > 1


def test_stratified_draws_keep_the_classes():
    _, negative, positive = draws(50, True)
    assert negative.tolist() == [3] * 50
    assert positive.tolist() == [3] * 50


@pytest.mark.parametrize("stratified", [False, True])
def test_mean_of_the_wins(stratified):
    """Each pair of rows is drawn together as often: the mean is known."""
    n = 40_000
    wins, _, _ = draws(n, stratified)
    twice = sum(
        2 * (SCORES[i] > SCORES[j]) + (SCORES[i] == SCORES[j])
        for i in np.flatnonzero(MARKS)
        for j in np.flatnonzero(1 - MARKS)
    )
    # Of 6 rows drawn from 6, the mean product of the counts of two is 1 - 1/6.
    expected = twice * (1 if stratified else 5 / 6)
    assert abs(wins.mean() - expected) < 5 * wins.std() / np.sqrt(n)
    assert 5 * wins.std() / np.sqrt(n) < 0.02 * expected


def test_a_seed_gives_the_same_draws_and_another_one_others():
    assert [x.tolist() for x in draws(9, False)] == [x.tolist() for x in draws(9, False)]
    assert [x.tolist() for x in draws(9, False)] != [x.tolist() for x in draws(9, False, seed=1)]


def test_one_class_alone():
    rng = np.random.default_rng(0)
    wins, negative, positive = kernels.resampled_wins(rng, np.ones(4, int), np.arange(4), 3, True)
    assert (wins.tolist(), negative.tolist(), positive.tolist()) == ([0] * 3, [0] * 3, [4] * 3)

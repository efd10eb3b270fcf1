"""Answers marked right or wrong: their share, and pass@k of several tries of each question."""

from math import comb, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import skmetrics_ext as sx

MARKS = [1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1]
DOCUMENT = ["a", "a", "a", "b", "b", "c", "c", "d", "d", "d", "e", "e"]


def wilson(share, n, z):
    middle, spread = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + (z / n) ** 2 / 4)
    return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)


# --------------------------------------------------------------------------- shares


@pytest.mark.parametrize(
    "marks",
    [MARKS, [bool(mark) for mark in MARKS], np.array(MARKS, dtype=float), pd.Series(MARKS)],
)
def test_marks_are_counted_without_nobs(marks):
    found, counted = sx.proportion_interval(marks), sx.proportion_interval(8, 12)
    assert (found.value, found.n) == (8 / 12, 12)
    assert (found.low, found.high) == pytest.approx((counted.low, counted.high), abs=1e-12)
    exact = sx.proportion_interval(marks, method="clopper_pearson", confidence_level=0.9)
    by_hand = stats.beta.ppf([0.05, 0.95], [8, 9], [5, 4])
    assert [exact.low, exact.high] == pytest.approx(by_hand)


def test_groups_of_marks_widen_the_interval_by_the_variance_of_their_sums():
    share = 8 / 12
    sums = pd.Series(MARKS).sub(share).groupby(DOCUMENT).sum()
    variance = 5 / 4 * float((sums**2).sum()) / 12**2
    found = sx.proportion_interval(MARKS, groups=DOCUMENT)
    assert found.standard_error == pytest.approx(sqrt(variance))
    assert (found.n_groups, found.n) == (5, 12)
    sizes = np.array([3, 2, 2, 3, 2])
    freedom = sizes.sum() ** 2 / (sizes**2).sum() - 1  # of Kish's effective number
    n, t = share * (1 - share) / variance, stats.t.ppf(0.975, freedom)
    assert (found.low, found.high) == pytest.approx(wilson(share, n, t), rel=1e-6)


def test_two_models_on_the_same_questions_are_paired():
    first, second = np.array(MARKS), np.array(MARKS[::-1])
    apart = [sx.proportion_interval(marks, groups=DOCUMENT) for marks in (first, second)]
    sums = pd.Series(first - second).groupby(DOCUMENT).sum()
    found = apart[0] - apart[1]
    assert found.value == 0
    assert found.standard_error == pytest.approx(sqrt(5 / 4 * float((sums**2).sum())) / 12)


@pytest.mark.parametrize(
    ("marks", "options", "words"),
    [
        (7, {}, "nobs is missing"),
        (["C", "I"], {}, "got 'C'.*marks\\) == the mark"),
        ([1, 0, 0.5], {}, "got 0.5"),
        ([1, None], {}, "None|missing"),
        ([1.0, float("nan")], {}, "nan|NaN"),
        ([[1, 0], [0, 1]], {}, "shape"),
        (3, {"nobs": 5, "groups": [1, 2, 3]}, "leave out nobs"),
        (MARKS, {"groups": [1, 2]}, "groups"),
    ],
)
def test_what_is_no_mark_is_refused(marks, options, words):
    with pytest.raises(ValueError, match=words):
        sx.proportion_interval(marks, **options)


# --------------------------------------------------------------------------- pass@k

TRIES = np.array([5, 5, 4, 6, 5, 8, 5, 5, 4, 5])
RIGHT = np.array([0, 1, 4, 2, 0, 3, 5, 4, 0, 1])


def values_of(k):
    pairs = zip(TRIES.tolist(), RIGHT.tolist(), strict=True)
    return np.array([1 - comb(n - c, k) / comb(n, k) for n, c in pairs])


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_pass_at_k_is_the_mean_of_chen(k):
    values = values_of(k)
    found = sx.pass_at_k(TRIES, RIGHT, k)
    assert found.value == pytest.approx(values.mean())
    error = values.std(ddof=1) / sqrt(10)
    assert found.standard_error == pytest.approx(error)
    share = values.mean()
    bounds = wilson(share, share * (1 - share) / error**2, stats.t.ppf(0.975, 9))
    assert (found.low, found.high) == pytest.approx(bounds)
    assert (found.metric, found.params, found.n) == ("pass_at_k", {"k": k}, 10)


def test_one_try_of_each_question_is_the_share_of_right_answers():
    n_right = [3, 0, 4, 1, 2, 4, 4, 0]
    marks = [mark for right in n_right for mark in [1] * right + [0] * (4 - right)]
    tries = sx.proportion_interval(marks, groups=np.repeat(np.arange(8), 4))
    found = sx.pass_at_k(4, n_right, 1)
    assert tuple(found) == pytest.approx(tuple(tries))


def test_documents_and_two_models():
    document = [1, 1, 1, 2, 2, 3, 3, 4, 5, 5]
    sums = pd.Series(values_of(2) - values_of(2).mean()).groupby(document).sum()
    found = sx.pass_at_k(TRIES, RIGHT, 2, groups=document, rows="questions")
    error = sqrt(5 / 4 * float((sums**2).sum())) / 10
    assert (found.standard_error, found.n_groups) == (pytest.approx(error), 5)
    other = sx.pass_at_k(TRIES, np.minimum(RIGHT + 1, TRIES), 2, groups=document, rows="questions")
    pairs = zip(TRIES.tolist(), RIGHT.tolist(), strict=True)
    later = np.array([1 - comb(n - min(c + 1, n), 2) / comb(n, 2) for n, c in pairs])
    moved = later - values_of(2)
    assert (other - found).value == pytest.approx(moved.mean())
    sums = pd.Series(moved - moved.mean()).groupby(document).sum()
    error = sqrt(5 / 4 * float((sums**2).sum())) / 10
    assert (other - found).standard_error == pytest.approx(error)


@pytest.mark.parametrize("right", [0, 3])
def test_questions_without_spread_have_an_interval(right):
    found = sx.pass_at_k(3, [right] * 40, 2)
    bounds = wilson(right / 3, 40, stats.t.ppf(0.975, 39))
    assert (found.low, found.high) == pytest.approx(bounds, abs=1e-12)
    assert found.low < found.high
    of_documents = sx.pass_at_k(3, [right] * 40, 2, groups=np.arange(40) // 4)
    assert of_documents.high - of_documents.low > 2 * (found.high - found.low)


@pytest.mark.parametrize(
    ("tries", "right", "k", "words"),
    [
        (5, [6], 1, "n_right must be at most n_tries: question 0"),
        ([5, 2], [2, 1], 3, "k must be at most n_tries: question 1"),
        (5, [2.5, 1], 1, "n_right must hold a whole number"),
        ([5, 5], [1, 1, 1], 1, "2 and 3"),
        (5, [1, 2], 0, "k has to be an integer"),
        (5, [1, -1], 1, "n_right"),
        (5, [], 1, "n_right|question"),
    ],
)
def test_counts_that_are_none_are_refused(tries, right, k, words):
    with pytest.raises(ValueError, match=words):
        sx.pass_at_k(tries, right, k)

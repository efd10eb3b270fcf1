"""Metrics of the order of the labels of a row: by hand and by their definitions."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from support.compare import same
from support.samples import samples

import skmetrics_ext as sx

OF_MARKS = (
    sx.coverage_error,
    sx.label_ranking_average_precision_score,
    sx.label_ranking_loss,
)
OF_GRADES = (sx.dcg_score, sx.ndcg_score)
EVERY = (*OF_MARKS, *OF_GRADES)
MARKS = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]])
GRADES = np.array([[3, 0, 2, 1], [0, 0, 0, 0], [1, 1, 0, 2], [0, 5, 0, 0], [2, 2, 2, 2]])
SCORE = np.array([[4, 3, 2, 1], [4, 3, 2, 1], [1, 2, 3, 4], [2, 2, 1, 1], [2, 2, 2, 1]]) / 8
OTHER = SCORE[::-1] + np.arange(4) / 10
WEIGHT = [1, 2, 1, 3, 1]


def rows_of(function):
    return GRADES if function in OF_GRADES else MARKS


# --------------------------------------------------------------------------- by hand

# Marks, scores; coverage, average precision, loss.
BY_HAND = [
    ([1, 0, 0], [3, 2, 1], 1, 1, 0),
    ([0, 0, 1], [3, 2, 1], 3, Fraction(1, 3), 1),
    ([1, 0, 1], [3, 2, 1], 3, (1 + Fraction(2, 3)) / 2, Fraction(1, 2)),
    ([0, 1, 1], [3, 2, 1], 3, (Fraction(1, 2) + Fraction(2, 3)) / 2, 1),
    ([0, 1, 0, 1], [4, 3, 2, 1], 4, Fraction(1, 2), Fraction(3, 4)),
    # A tie is read to its end, and is wrong.
    ([1, 0, 0], [2, 2, 1], 2, Fraction(1, 2), Fraction(1, 2)),
    ([1, 1, 0], [2, 2, 2], 3, Fraction(2, 3), 1),
    ([1, 1, 0, 0], [2, 1, 1, 1], 4, (1 + Fraction(1, 2)) / 2, Fraction(1, 2)),
    # There is nothing to put in order.
    ([0, 0, 0], [3, 2, 1], 0, 1, 0),
    ([1, 1, 1], [3, 2, 2], 3, 1, 0),
]


@pytest.mark.parametrize(("marks", "scores", "coverage", "precision", "loss"), BY_HAND)
def test_the_order_of_marks_by_hand(marks, scores, coverage, precision, loss):
    for function, value in zip(OF_MARKS, (coverage, precision, loss), strict=True):
        assert function([marks], [scores]) == pytest.approx(float(value), abs=1e-15)


def test_a_mean_over_rows_by_hand():
    marks, scores = zip(*[row[:2] for row in BY_HAND if len(row[0]) == 3], strict=True)
    rows = [row for row in BY_HAND if len(row[0]) == 3]
    weight = list(range(len(rows)))  # the first of weight 0
    for place, function in enumerate(OF_MARKS, start=2):
        values = [row[place] for row in rows]
        mean = sum(values) / Fraction(len(rows))
        assert function(marks, scores) == pytest.approx(float(mean), rel=1e-14)
        weighted = sum(w * Fraction(v) for w, v in zip(weight, values, strict=True)) / sum(weight)
        got = function(marks, scores, sample_weight=weight)
        assert got == pytest.approx(float(weighted), rel=1e-14)


# Logarithms of 2, 4 and 8 are whole: places 1, 3 and 7 are worth 1, 1/2 and 1/3.
FALLING = [7, 6, 5, 4, 3, 2, 1]
GAINS = [
    ([5, 0, 2, 0, 0, 0, 3], FALLING, {}, 7),
    ([5, 0, 2, 0, 0, 0, 3], FALLING, {"k": 3}, 6),
    ([5, 0, 2, 0, 0, 0, 3], FALLING, {"k": 1}, 5),
    ([5, 0, 2, 0, 0, 0, 3], FALLING, {"k": 99, "log_base": 4}, 14),
    ([3, 0, 0, 0, 2, 0, 5], FALLING[::-1], {}, 7),
    ([-2, 0, 1, 0, 0, 0, 0.5], FALLING, {}, -2 + Fraction(1, 2) + Fraction(1, 6)),
    ([3, 1], [1, 1], {"k": 1}, 2),
    ([3, 1, 5], [1, 1, 1], {"k": 1}, 3),
    ([3, 1, 5], [2, 2, 1], {"k": 1}, 2),
    ([1, 0, 4], [1, 0, 0], {}, None),
]


def test_gains_by_hand():
    for grades, scores, options, gain in GAINS[:-1]:
        got = sx.dcg_score([grades], [scores], **options)
        assert got == pytest.approx(float(gain), rel=1e-14), (grades, options)
    # The second and third share their places.
    grades, scores, _, _ = GAINS[-1]
    shared = (1 / np.log2(3) + 1 / 2) / 2
    assert sx.dcg_score([grades], [scores]) == pytest.approx(1 + 4 * shared, rel=1e-14)


def test_shares_of_the_greatest_gain_by_hand():
    for place, share in ((1, 1), (3, Fraction(1, 2)), (7, Fraction(1, 3))):
        only = np.eye(7)[[place - 1]] * 4
        assert sx.ndcg_score(only, [FALLING]) == pytest.approx(float(share), rel=1e-14)
        assert sx.ndcg_score(only, [FALLING], k=3) == pytest.approx(share if place < 7 else 0)
    assert sx.ndcg_score([[3, 1]], [[1, 1]], k=1) == pytest.approx(2 / 3, rel=1e-14)
    nothing = [[0, 0, 0], [1, 2, 3]]
    assert sx.ndcg_score(nothing, [[1, 2, 3]] * 2) == 0.5
    assert sx.ndcg_score(nothing, [[1, 2, 3]] * 2, sample_weight=[3, 1]) == 0.25


def test_no_share_is_above_1():
    rng = np.random.default_rng(0)
    for _ in range(20):
        grades = rng.integers(0, 3, (50, 9)) + 0.1
        for row in grades:
            assert sx.ndcg_score([row], [row]) <= 1


# --------------------------------------------------------------------------- by definition


def by_pairs(marks, scores):
    """Coverage, average precision and loss of a row, label by label."""
    labels = range(len(marks))
    relevant = [j for j in labels if marks[j]]
    reached = {j: [k for k in labels if scores[k] >= scores[j]] for j in relevant}
    coverage = max((len(reached[j]) for j in relevant), default=0)
    if len(relevant) in (0, len(marks)):
        return coverage, Fraction(1), Fraction(0)
    shares = [Fraction(sum(bool(marks[k]) for k in reached[j]), len(reached[j])) for j in relevant]
    wrong = sum(not marks[k] for j in relevant for k in reached[j])
    pairs = len(relevant) * (len(marks) - len(relevant))
    return coverage, sum(shares) / len(relevant), Fraction(wrong, pairs)


@given(samples("scores", "multilabel"))
def test_the_order_of_marks_by_definition(sample):
    rows = [by_pairs(*row) for row in zip(sample.true, sample.response, strict=True)]
    for place, function in enumerate(OF_MARKS):
        mean = float(sum(Fraction(row[place]) for row in rows) / len(rows))
        same(function(sample.true, sample.response), mean, rtol=1e-13)


def over_all_orders(grades, scores, k):
    """Mean gain over all orders that put no label before one of a higher score."""
    gains = []
    for order in permutations(range(len(grades))):
        ranked = [scores[label] for label in order]
        if ranked == sorted(ranked, reverse=True):
            top = enumerate(order[:k], start=1)
            gains.append(sum(grades[label] / np.log2(place + 1) for place, label in top))
    return np.mean(gains)


@given(samples("scores", "graded", max_rows=4), st.none() | st.integers(1, 5))
def test_gains_are_means_over_the_orders_of_equal_scores(sample, k):
    rows = list(zip(sample.true.tolist(), sample.response.tolist(), strict=True))
    gains = np.array([over_all_orders(*row, k) for row in rows])
    same(sx.dcg_score(sample.true, sample.response, k=k), gains.mean(), rtol=1e-13)
    best = np.array([over_all_orders(row, row, k) for row, _ in rows])
    shares = np.divide(gains, best, out=np.zeros(len(gains)), where=best > 0)
    same(sx.ndcg_score(sample.true, sample.response, k=k), shares.mean(), rtol=1e-13)


@given(samples("scores", "multilabel"))
def test_relations_to_areas_of_scikit_learn(sample):
    """The average precision of samples, and where no scores are equal 1 less the area."""
    decided = sample.true.any(axis=1) & ~sample.true.all(axis=1)
    if not decided.any():
        return
    true, score = sample.true[decided], sample.response[decided]
    area = sklearn.metrics.average_precision_score(true, score, average="samples")
    same(sx.label_ranking_average_precision_score(true, score), area)
    score = score + np.arange(score.shape[1]) / 1000
    area = sklearn.metrics.roc_auc_score(true, score, average="samples")
    same(sx.label_ranking_loss(true, score), 1 - area)


def test_more_rows_than_are_read_at_once():
    rng = np.random.default_rng(1)
    n_rows, n_labels = 3000, 40
    score = rng.integers(0, 30, (n_rows, n_labels)) / 8
    marks = rng.random((n_rows, n_labels)) < rng.random((n_rows, 1))
    grades = rng.integers(0, 5, (n_rows, n_labels))
    for function in EVERY:
        true = grades if function in OF_GRADES else marks
        theirs = getattr(sklearn.metrics, function.__name__)
        same(function(true, score), theirs(true, score), rtol=1e-12)


@given(samples("scores", "graded"), st.sampled_from([None, 1, 2]))
def test_ties_that_are_ignored_are_those_of_the_sort(sample, k):
    for function in OF_GRADES:
        theirs = getattr(sklearn.metrics, function.__name__)
        call = {"k": k, "ignore_ties": True}
        same(
            function(sample.true, sample.response, **call),
            theirs(sample.true, sample.response, **call),
        )


# --------------------------------------------------------------------------- containers


@pytest.mark.parametrize("function", EVERY)
def test_marks_may_be_sparse(function):
    value = function(MARKS, SCORE)
    for form in (sparse.csr_array, sparse.coo_matrix, sparse.csc_array):
        assert function(form(MARKS), SCORE) == value
    assert function(MARKS.astype(object), SCORE) == value
    assert function(pd.DataFrame(MARKS), pd.DataFrame(SCORE)) == value


@pytest.mark.parametrize("function", EVERY)
def test_small_integers_as_scores_do_not_wrap_around(function):
    """scikit-learn negates them: of [2, 0] in uint8 the 0 stays the greatest."""
    scores = (8 * SCORE).astype(np.uint8)
    scores[:, 2] = 0
    value = function(rows_of(function), scores.astype(float))
    assert function(rows_of(function), scores) == value
    assert function(rows_of(function), scores > 1) == function(rows_of(function), scores * 1.0 > 1)
    theirs = getattr(sklearn.metrics, function.__name__)(rows_of(function), scores)
    negates = function not in (sx.coverage_error, sx.label_ranking_loss)
    assert (theirs != pytest.approx(value)) == negates
    if negates:
        row = [[1, 0]], np.array([[2, 0]], dtype=np.uint8)
        assert function(*row) == 1
        wrong = getattr(sklearn.metrics, function.__name__)(*row)
        assert wrong == pytest.approx(1 / np.log2(3) if function in OF_GRADES else 1 / 2)


def test_large_integers_as_scores_are_told_apart():
    scores = [[2**53, 2**53 + 1]]
    assert sx.coverage_error([[0, 1]], scores) == 1
    assert sx.coverage_error([[0, 0]], scores) == 0
    assert sx.dcg_score([[0, 2]], scores) == 2
    assert sx.dcg_score([[0, 2**60]], scores) == 2**60


def test_a_single_label_is_a_ranking_for_the_average_precision_alone():
    true, score = [[1], [0], [1]], [[0.5], [0.5], [0.1]]
    assert sx.label_ranking_average_precision_score(true, score) == 1
    assert sx.label_ranking_average_precision_score(sparse.csr_array(true), score) == 1
    for function in set(EVERY) - {sx.label_ranking_average_precision_score}:
        with pytest.raises(ValueError, match=r"binary|more than 1 document"):
            function(true, score)


# --------------------------------------------------------------------------- refused

BOTH = (MARKS, SCORE)
REFUSED = [
    (OF_MARKS, ([0, 1, 1], [0.1, 0.2, 0.3]), {}, "binary format is not supported: y_true"),
    (OF_MARKS, ([0, 1, 2], [0.1, 0.2, 0.3]), {}, "Expected 2D array, got 1D array instead"),
    (OF_MARKS, (GRADES, SCORE), {}, "multiclass-multioutput format is not supported"),
    (OF_MARKS, (GRADES + 0.5, SCORE), {}, "continuous-multioutput format is not supported"),
    (OF_MARKS, (np.array(["a", "b"])[MARKS], SCORE), {}, "multiclass-multioutput"),
    (EVERY, ([1, 0, 1, 1, 0], SCORE), {}, "format"),
    (EVERY, (MARKS, SCORE[:, 0]), {}, r"y_score \(5,\); each label needs a score"),
    (EVERY, (MARKS, SCORE[:, :3]), {}, r"different shape: y_true has \(5, 4\), y_score \(5, 3\)"),
    (EVERY, ([1, 0, 1, 1], SCORE), {}, "Expected 2D array, got 1D array instead: y_true"),
    (EVERY, (MARKS, [1.0, 2.0]), {}, "Expected 2D array, got 1D array instead: y_score"),
    (EVERY, (MARKS[:3], SCORE), {}, "inconsistent numbers of samples"),
    (EVERY, (MARKS, SCORE), {"sample_weight": [1, 2]}, "inconsistent numbers of samples"),
    (EVERY, (MARKS, SCORE), {"sample_weight": [1, 1, 1, 1, -1]}, "must not be negative"),
    (EVERY, (MARKS, np.where(SCORE > 0.4, np.nan, SCORE)), {}, "contains NaN: y_score"),
    (EVERY, (np.where(MARKS, np.nan, 0), SCORE), {}, "contains NaN"),
    (EVERY, (MARKS, sparse.csr_array(SCORE)), {}, "y_score is a sparse matrix"),
    (EVERY, (MARKS[:0], SCORE[:0]), {}, "empty input array"),
    (OF_GRADES, ([1, 0, 1], [0.1, 0.2, 0.3]), {}, "formats are supported. Got binary instead"),
    (OF_GRADES, (np.array(["a", "b"])[MARKS], SCORE), {}, "y_true must hold numbers"),
    (OF_GRADES, BOTH, {"k": 0}, "k has to be an integer of 1 or more, got 0"),
    (OF_GRADES, BOTH, {"k": 1.5}, "k has to be an integer"),
    (OF_GRADES, BOTH, {"ignore_ties": "no"}, "ignore_ties has to be one of"),
    (OF_GRADES[:1], BOTH, {"log_base": 0}, r"log_base has to be a number in \(0, inf\), got 0"),
    (
        OF_GRADES[:1],
        BOTH,
        {"log_base": np.inf},
        r"log_base has to be a number.*, got inf",
    ),
    (OF_GRADES[1:], ([[1, 2], [2, -1]], [[1, 2], [1, 2]]), {}, "negative y_true values.*row 1: -1"),
    (OF_GRADES[1:], ([[1], [2]], [[1], [2]]), {}, "more than 1 document. Got 1 instead"),
    (OF_GRADES[:1], ([[1], [2]], [[1], [2]]), {}, "Got binary instead"),
]


@pytest.mark.parametrize(("functions", "given_rows", "options", "message"), REFUSED)
def test_refused_as_in_scikit_learn_and_the_message_tells(functions, given_rows, options, message):
    for function in functions:
        with pytest.raises(ValueError, match=message):
            function(*given_rows, **options)

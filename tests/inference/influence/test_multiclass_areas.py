"""Intervals of areas of several classes: influence against derivatives, coverage."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from support.areas import auc_interval, contributions, newcombe_bounds
from support.compare import undefined_allowed

from skmetrics_ext import (
    average_precision_score,
    confidence_interval,
    influence_values,
    roc_auc_score,
)

RNG = np.random.default_rng(5)
N, K = 160, 4
Y = RNG.permutation(np.repeat(np.arange(K), [20, 30, 50, 60]))
S = np.round(RNG.normal(size=(N, K)) + 1.2 * np.eye(K)[Y], 1)
W = RNG.random(N) + 0.5
MARKS = RNG.integers(0, 2, (N, 3))
MARK_SCORES = np.round(RNG.normal(size=(N, 3)) + MARKS, 1)
MEANS = [
    ("ovr", "macro"),
    ("ovr", "weighted"),
    ("ovr", "micro"),
    ("ovo", "macro"),
    ("ovo", "weighted"),
]
LISTED = [("ovr", None), ("ovo", None)]


def _ovr(labels):
    return {"multi_class": "ovr"} if labels.ndim == 1 else {}


def derivatives(y_true, y_score, weight, **options):
    """What each row adds: the slope of the area by the log of its weight."""
    step, slopes = 1e-5, []
    for i in range(len(weight)):
        move = np.zeros(len(weight))
        move[i] = step
        up, down = (
            roc_auc_score(y_true, y_score, sample_weight=weight * (1 + sign * move), **options)
            for sign in (1, -1)
        )
        slopes.append((np.asarray(up) - np.asarray(down)) / (2 * step))
    return np.array(slopes)


@pytest.mark.parametrize("weight", [np.ones(N), W], ids=["equal", "uneven"])
@pytest.mark.parametrize(("multi_class", "average"), MEANS + LISTED)
def test_value_and_error_of_every_average(multi_class, average, weight):
    options = {"multi_class": multi_class, "average": average}
    found = auc_interval(Y, S, sample_weight=weight, **options)
    value = roc_auc_score(Y, S, sample_weight=weight, **options)
    slopes = derivatives(Y, S, weight, **options)
    listed = found if average is None else [found]
    assert len(listed) == np.size(value)
    for one, expected, slope in zip(
        listed, np.atleast_1d(value), slopes.reshape(N, -1).T, strict=True
    ):
        assert one.value == pytest.approx(expected, abs=1e-13)
        assert one.low < one.value < one.high
        # Squared slopes, more by the degrees of freedom of classes of 20 to 60 rows.
        assert 1.004 < one.standard_error**2 / (slope**2).sum() < 1.06


@pytest.mark.parametrize("weight", [np.ones(N), W], ids=["equal", "uneven"])
def test_contributions_are_derivatives(weight):
    for multi_class, average in (*LISTED, *MEANS):
        options = {"multi_class": multi_class, "average": average}
        found = contributions(Y, S, sample_weight=weight, **options).reshape(N, -1)
        slopes = derivatives(Y, S, weight, **options).reshape(N, -1)
        np.testing.assert_allclose(found, slopes, atol=1e-8)
        np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize(("multi_class", "average"), MEANS)
def test_the_part_of_the_class_shares_is_there(multi_class, average):
    """Classes of unlike areas, so that their numbers of rows move a weighted mean."""
    shift = np.array([0.1, 0.3, 2.0, 4.0])
    score = np.round(RNG.normal(size=(N, K)) + shift * np.eye(K)[Y], 1)
    options = {"multi_class": multi_class, "average": average}
    found = contributions(Y, score, **options)
    np.testing.assert_allclose(found, derivatives(Y, score, np.ones(N), **options), atol=1e-8)


def test_a_class_is_its_binary_problem():
    found = auc_interval(Y, S, multi_class="ovr", average=None)
    for k, one in enumerate(found):
        alone = auc_interval(k == Y, S[:, k])
        assert (one.low, one.high) == pytest.approx((alone.low, alone.high), rel=1e-12)


@pytest.mark.parametrize("labels", [Y, MARKS], ids=["classes", "outputs"])
def test_a_class_whose_rows_all_rank_first_has_the_bounds_of_its_binary_problem(labels):
    marks = np.eye(K)[Y] if labels is Y else MARKS
    score = np.array(S[:, : marks.shape[1]])
    score[:, 1] = marks[:, 1]
    found = auc_interval(labels, score, average=None, **_ovr(labels))
    alone = auc_interval(marks[:, 1].astype(int), score[:, 1])
    assert found[1].value == 1
    assert 0.5 < found[1].low < 1
    assert (found[1].low, found[1].high) == pytest.approx((alone.low, alone.high), rel=1e-12)
    assert found[1].note == alone.note != ""


def test_two_classes_with_opposite_columns_are_one_binary_problem():
    rows = Y < 2
    score = np.column_stack([-S[rows, 1], S[rows, 1], np.zeros(rows.sum())])
    pair = auc_interval(Y[rows], score, labels=[0, 1, 2], multi_class="ovo", average="macro")
    alone = auc_interval(Y[rows], S[rows, 1])
    assert (pair.low, pair.high) == pytest.approx((alone.low, alone.high), rel=1e-12)


def test_pairs_in_the_order_of_combinations():
    found = auc_interval(Y, S, multi_class="ovo", average=None)
    for one, (i, j) in zip(found, combinations(range(K), 2), strict=True):
        rows = np.isin(Y, [i, j])
        areas = (
            roc_auc_score(Y[rows] == i, S[rows, i]) + roc_auc_score(Y[rows] == j, S[rows, j])
        ) / 2
        assert one.value == pytest.approx(areas, abs=1e-13)


@pytest.mark.parametrize(("multi_class", "average"), MEANS)
def test_copies_of_rows_in_one_group_are_no_evidence(multi_class, average):
    twice = np.tile(np.arange(N), 2)
    options = {"multi_class": multi_class, "average": average}
    plain = auc_interval(Y, S, **options)
    found = auc_interval(Y[twice], S[twice], groups=twice, **options)
    assert found.standard_error == pytest.approx(plain.standard_error, rel=1e-10)
    own = auc_interval(Y, S, groups=np.arange(N), **options)
    assert own.standard_error == pytest.approx(plain.standard_error, rel=1e-10)


@pytest.mark.parametrize(("multi_class", "average"), MEANS + LISTED)
def test_frequency_weights_are_rows(multi_class, average):
    counts = RNG.integers(0, 4, N)
    rows = np.repeat(np.arange(N), counts)
    options = {"multi_class": multi_class, "average": average, "method": "logit"}
    found = auc_interval(Y, S, sample_weight=counts, weights_are="frequency", **options)
    listed = auc_interval(Y[rows], S[rows], **options)
    for one, other in zip(np.atleast_1d(found), np.atleast_1d(listed), strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None, "samples"])
@pytest.mark.parametrize("weight", [np.ones(N), W], ids=["equal", "uneven"])
def test_outputs_of_multilabel_data(average, weight):
    rows = np.ones(N, dtype=bool)
    if average == "samples":
        rows = (MARKS.sum(axis=1) > 0) & (MARKS.sum(axis=1) < 3)
    data, weight = (MARKS[rows], MARK_SCORES[rows]), weight[rows]
    found = auc_interval(*data, sample_weight=weight, average=average)
    slopes = derivatives(*data, weight, average=average).reshape(len(weight), -1)
    listed = found if average is None else [found]
    for one, slope in zip(listed, slopes.T, strict=True):
        assert 1.0 < one.standard_error**2 / (slope**2).sum() < 1.02


@pytest.mark.parametrize(("multi_class", "average"), MEANS)
def test_perfect_scores_have_a_width(multi_class, average):
    y_true = np.repeat(np.arange(3), 8)
    score = np.eye(3)[y_true]
    found = auc_interval(y_true, score, multi_class=multi_class, average=average)
    assert found.value == pytest.approx(1)
    assert 0.5 < found.low < 0.97
    assert "Newcombe" in found.note


def test_perfect_rows_of_multilabel_data_have_a_width():
    found = auc_interval(np.eye(5)[:, :4][:4], np.eye(4), average="samples")
    assert found.value == 1
    assert found.low == pytest.approx(4 / (4 + 1.959963984540054**2))  # Wilson's for 4 of 4


def test_a_perfect_pool_of_few_marks_counts_those_of_all_outputs():
    """5 marks among 60 rows of 3 outputs; there are no more independent negatives than rows."""
    marks = np.zeros((60, 3), dtype=int)
    marks[[0, 7], 0] = marks[3, 1] = marks[[5, 9], 2] = 1
    found = auc_interval(marks, marks * 1.0, average="micro")
    low, high = newcombe_bounds(1, 5, 60)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_a_class_of_one_row_has_no_error_of_its_own():
    y_true = np.r_[np.repeat([0, 1], 10), 2]
    score = RNG.normal(size=(21, 3)) + np.eye(3)[y_true]
    found = auc_interval(y_true, score, multi_class="ovo")
    assert np.isnan(found.standard_error)
    assert found.low < found.value < found.high
    assert "one row" in found.note


def test_classes_without_rows_are_undefined_alone_and_left_out_of_pairs():
    labels = [0, 1, 2, 3, 4, 5]
    score = np.column_stack([S, S[:, :2]])
    with pytest.warns(UndefinedMetricWarning):
        found = auc_interval(Y, score, labels=labels, multi_class="ovo", average=None)
    assert np.isnan([found[-1].value, found[-1].low]).all()  # classes 4 and 5, both without rows
    assert np.isnan(found[3].value)  # classes 0 and 4
    for average in ("macro", "weighted"):
        absent = auc_interval(Y, score, labels=labels, multi_class="ovo", average=average)
        plain = auc_interval(Y, S, multi_class="ovo", average=average)
        assert (absent.low, absent.high) == pytest.approx((plain.low, plain.high), rel=1e-12)


def test_averages_of_classes_keep_the_rows_of_one_group_together():
    groups = RNG.integers(0, 25, N)
    parts = contributions(Y, S, multi_class="ovr", average=None)
    sums = np.zeros((25, K))
    np.add.at(sums, groups, parts)
    plain = (sums.mean(axis=1) ** 2).sum()
    found = auc_interval(Y, S, multi_class="ovr", groups=groups)
    assert 1 < found.standard_error**2 / plain < 1.1


@pytest.mark.parametrize(("multi_class", "average"), [("ovo", "macro"), ("ovr", "weighted")])
def test_coverage(multi_class, average):
    """300 samples: 5 standard errors of the share around 95 % are 6.3 points."""
    rng = np.random.default_rng(3)
    shares = [0.2, 0.3, 0.5]

    def draw(n_rows):
        y_true = rng.choice(3, n_rows, p=shares)
        return y_true, rng.normal(size=(n_rows, 3)) + 1.1 * np.eye(3)[y_true]

    truth = roc_auc_score(*draw(200_000), multi_class=multi_class, average=average)
    hits = 0
    for _ in range(300):
        found = auc_interval(*draw(150), multi_class=multi_class, average=average, method="logit")
        hits += found.low <= truth <= found.high
    assert 0.887 < hits / 300 < 0.999


def test_pairs_without_an_error_have_the_bounds_of_the_rows_of_both_their_classes():
    """Classes of 4, 9 and 25 rows that no score confuses: the means of three pairs of bounds."""
    true = np.repeat([0, 1, 2], [4, 9, 25])
    found = confidence_interval("roc_auc_ovo", true, np.eye(3)[true])
    pairs = [(4, 9), (4, 25), (9, 25)]
    expected = np.mean([newcombe_bounds(1, m, n)[0] for m, n in pairs])
    assert found.low == pytest.approx(expected)


@pytest.mark.parametrize("weight", [np.ones(5), np.array([1.0, 2.0, 1.0, 3.0, 1.0])])
def test_a_row_of_a_mean_over_rows_adds_its_distance_from_the_mean(weight):
    """One without a positive has an average precision of 0."""
    marks = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0]])
    none = np.vstack([[0, 0, 0], marks[1:]])
    score = np.random.default_rng(0).random((5, 3))
    for function, true in (
        (roc_auc_score, marks),
        (average_precision_score, marks),
        (average_precision_score, none),
    ):
        each = np.array(
            [function(*row) if any(row[0]) else 0 for row in zip(true, score, strict=True)]
        )
        expected = (each - np.average(each, weights=weight)) * weight / weight.sum() * 5
        asked = partial(function, average="samples")
        with undefined_allowed():
            found = influence_values(asked, true, score, sample_weight=weight)
        np.testing.assert_allclose(found, expected, atol=1e-12)

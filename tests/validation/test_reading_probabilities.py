"""Probabilities, and data that were checked before."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics

import skmetrics_ext as sx
from skmetrics_ext.validation import (
    InvalidParameterError,
    Labels,
    Probabilities,
    Scores,
    distinct_labels,
)
from skmetrics_ext.validation.labels import subset, with_weight
from skmetrics_ext.validation.probabilities import n_columns, row_sum_problem

Y3 = np.array([0, 1, 2, 1])
S3 = np.array([[5, 1, 2], [1, 2, 3], [0, 1, 4], [3, 4, 1]]) / 10


def refused(told):
    return pytest.raises(InvalidParameterError, match=told)


# --------------------------------------------------------------------------- probabilities


P3 = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [0.25, 0.75, 0]])


@pytest.mark.parametrize("beyond", [0, 1e-9, -1e-9, 1e-8, -1e-8])
def test_rounding_outside_0_and_1_is_clipped(beyond):
    proba = np.array([0.25, 1 + max(beyond, 0), min(beyond, 0), 0.75])
    found = Probabilities.check_binary([0, 1, 0, 1], proba)
    assert found.proba.tolist() == [0.25, 1, 0, 0.75]
    matrix = np.column_stack([1 - proba, proba])
    found = Probabilities.check([0, 1, 0, 1], matrix)
    assert found.proba.tolist() == [[0.75, 0.25], [0, 1], [1, 0], [0.25, 0.75]]


@pytest.mark.parametrize("beyond", [1.1e-8, 0.5])
def test_more_than_rounding_is_no_probability(beyond):
    for check in (Probabilities.check_binary, Probabilities.check):
        with refused(r"greater than 1: 1\.\d+ \(the largest"):
            check([0, 1], [0.5, 1 + beyond])
        with refused(r"(less|lower) than 0: -\d.* \(the smallest"):
            check([0, 1], [0.5, -beyond])


def test_the_row_whose_sum_is_furthest_from_1():
    eps = np.finfo(float).eps
    assert row_sum_problem(P3, eps) == ""
    off = P3.copy()
    off[1, 0] += 1e-9
    assert row_sum_problem(off, eps) == ""
    off[1, 0] += 1e-7
    off[3, 0] -= 2e-7
    assert row_sum_problem(off, eps) == "y_proba sums to 1 in row 3"
    off[2, 0] = 0.5
    assert row_sum_problem(off, eps) == "y_proba sums to 1.375 in row 2"
    limit = np.array([[0.5, 0.5 + 2.0**-10]])
    assert row_sum_problem(limit, 2.0**-20) == ""
    assert row_sum_problem(limit, 2.0**-21) == "y_proba sums to 1.00098 in row 0"
    low = P3 * 0.5
    assert row_sum_problem(low, eps) == "y_proba sums to 0.5 in row 0"
    near = P3.copy()
    near[1, 0] += 1e-4
    assert row_sum_problem(near, float(np.finfo(np.float32).eps)) == ""


def test_rows_that_do_not_sum_to_1_warn_or_are_refused():
    off = P3.copy()
    off[2, 0] = 0.5
    with pytest.warns(
        UserWarning, match=r"Make sure to pass probabilities \(y_proba sums to 1.375"
    ):
        found = Probabilities.check(Y3, off)
    assert found.note.startswith("The y_prob values do not sum to one")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Probabilities.check(Y3, off, tell=False).note == found.note
        assert Probabilities.check(Y3, P3).note == ""
        assert Probabilities.check([0, 1], [0.5, 0.25]).note == ""
    with refused(r"must sum to 1; row 2 sums to 1\.375"):
        Probabilities.check(Y3, off, strict=True)
    with refused("row 2 sums to"):
        Probabilities.check_strict(found, found)
    for tiny, fine in ((1e-7, True), (1e-5, False)):
        near = P3.copy()
        near[1, 1] += tiny
        if fine:
            Probabilities.check_strict(Y3, near)
        else:
            with refused("row 1 sums to"):
                Probabilities.check_strict(Y3, near)
    limit = np.array([[0.5, 0.5 + 2.0**-10]], np.float16)  # the spacing of half precision at 1
    assert Probabilities.check_strict([1], limit, labels=[0, 1]).proba.sum() == 1 + 2.0**-10
    half = P3.astype(np.float16)
    half[1] = [0.2502, 0.5, 0.25]
    Probabilities.check_strict(Y3, half)
    with refused("row 1 sums to"):
        Probabilities.check_strict(Y3, half.astype(np.float32))


def test_columns_of_probabilities_are_counted():
    for given, expected in (
        ([0.5, 0.5], 1),
        ([[0.5], [0.5]], 1),
        (np.ones((2, 3)), 3),
        (pd.DataFrame({"a": [0.5], "b": [0.5]}), 2),
        (Probabilities.check(Y3, P3), 3),
        (Probabilities.check([0, 1], [0.5, 0.5]), 1),
    ):
        assert n_columns(given) == expected


@pytest.mark.parametrize("shape", [(4, 3), (4, 2, 2)])
def test_two_classes_have_one_column_or_two(shape):
    with refused(rf"one column or two, .*\({shape[0]}, {shape[1]}"):
        Probabilities.check_binary([0, 1, 1, 0], np.full(shape, 0.25))
    with refused("row 0 sums to 1.5"):
        Probabilities.check_binary([0, 1, 1, 0], np.full((4, 2), 0.75))
    with refused(r"y_proba must be 1-D or 2-D, got shape \(4, 1, "):
        Probabilities.check([0, 1, 1, 0], np.full((4, 1, 2), 0.5))


def test_probabilities_of_one_class_among_several_are_refused():
    for true, kind in ((Y3, "multiclass"), (np.eye(4, dtype=int), "multilabel-indicator")):
        with refused(f"inferred from y_true is {kind} but should"):
            Probabilities.check_binary(true, P3[:, 0])


@pytest.mark.parametrize("labels", [["a", "b"], ["b", "a"], None])
def test_one_column_is_of_the_last_class(labels):
    true, proba = ["a", "b", "b"], np.array([0.25, 0.5, 0.75])
    found = Probabilities.check(true, proba, labels=labels)
    listed = labels or ["a", "b"]
    assert found.classes.tolist() == listed
    assert found.proba.tolist() == [0.25, 0.5, 0.75]  # kept as one column
    assert found.columns.tolist() == [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]
    assert found.true.tolist() == [listed.index(label) for label in true]


# --------------------------------------------------------------------------- checked before


def test_checked_probabilities_serve_metrics_of_scores():
    """Of two classes by the second column, of several and of outputs by all."""
    two = Probabilities.check([0, 1, 1, 0], [0.25, 0.5, 0.75, 0.5])
    assert sx.roc_auc_score(two, two) == sx.roc_auc_score([0, 1, 1, 0], [0.25, 0.5, 0.75, 0.5])
    assert two.as_scores() is two.as_scores()
    several = Probabilities.check(Y3, P3)
    assert sx.roc_auc_score(several, several, multi_class="ovr") == sx.roc_auc_score(
        Y3, P3, multi_class="ovr"
    )
    for n_outputs in (2, 3):
        marks = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])[:, :n_outputs]
        outputs = Probabilities.check(marks, P3[:, :n_outputs], tell=False)
        for name in ("roc_auc_score", "average_precision_score"):
            ours, theirs = getattr(sx, name), getattr(sklearn.metrics, name)
            expected = theirs(marks, P3[:, :n_outputs])
            assert ours(outputs, outputs) == pytest.approx(expected, rel=1e-14)
        found = sx.label_ranking_loss(outputs, outputs)
        assert found == sklearn.metrics.label_ranking_loss(marks, P3[:, :n_outputs])
        with refused("is multilabel-indicator but should be bin"):
            outputs.as_binary()
        with refused("multilabel-indicator format is not suppor"):
            Probabilities.check_strict(outputs, outputs)
    with refused("is multiclass but should be binary"):
        several.as_binary()
    with refused("multiclass format is not supported"):
        sx.label_ranking_loss(several, several)


def test_checked_probabilities_of_two_classes_are_those_of_the_last():
    true, proba = [0, 1, 1, 0], np.array([0.25, 0.5, 0.75, 0.5])
    checked = Probabilities.check(true, np.column_stack([1 - proba, proba]))
    binary = checked.as_binary()
    assert binary.as_binary() is binary
    assert binary is checked.as_binary()
    assert binary.columns.tolist() == checked.proba.tolist()
    assert binary.weights.tolist() == [1, 1, 1, 1]
    weighted = Probabilities.check_binary(true, proba, sample_weight=[1, 2, 3, 4])
    assert weighted.weights.dtype == np.float64
    assert weighted.weights.tolist() == [1, 2, 3, 4]
    for one in (checked, binary):
        for options in ({}, {"pos_label": 1}):
            assert Probabilities.check_binary(one, one, **options) is binary
        told = "checked with 1 as the positive class, got pos_label=0"
        with refused(told):
            Probabilities.check_binary(one, one, pos_label=0)
    with refused(told):
        sx.roc_auc_score(checked, checked, pos_label=0)
    assert sx.brier_score_loss(checked, checked) == sx.brier_score_loss(true, proba)


def test_the_most_likely_class_and_each_class():
    checked = Probabilities.check(Y3, P3, sample_weight=[1, 2, 3, 4])
    top = checked.top_label()
    assert top.classes.tolist() == [0, 1]
    assert top.proba.tolist() == [0.5, 0.5, 0.75, 0.75]
    assert top.true.tolist() == [1, 1, 1, 1]
    wrong = Probabilities.check([1, 1, 2, 0], P3).top_label()
    assert wrong.true.tolist() == [0, 1, 1, 0]
    each = checked.each_class()
    assert [one.proba.tolist() for one in each] == P3.T.tolist()
    assert [one.true.tolist() for one in each] == np.eye(3)[Y3].T.tolist()
    assert [one.weights.tolist() for one in each] == [[1, 2, 3, 4]] * 3


def test_checked_data_are_passed_alone():
    checked = Scores.check([0, 1, 1], [0.25, 0.5, 0.75])
    for arguments, options in (
        ((checked, [1, 2, 3]), {}),
        ((checked, checked), {"labels": [0, 1]}),
        ((checked, checked), {"sample_weight": [1, 1, 1]}),
    ):
        with refused("pass them in the place of both arrays"):
            sx.roc_auc_score(*arguments, **options)
    labels = Labels.check([0, 1, 1], [0, 1, 0], sample_weight=[1.0, 2.0, 3.0])
    with refused("results in units of the weights"):
        sx.accuracy_score(labels, labels, normalize=False)
    kept = Labels.check([0, 1, 1], [0, 1, 0], sample_weight=[1.0, 2.0, 3.0], absolute=True)
    assert sx.accuracy_score(kept, kept, normalize=False) == 3
    plain = Labels.check([0, 1, 1], [0, 1, 0])
    assert sx.accuracy_score(plain, plain, normalize=False) == 2
    tally = sx.tallies.ConfusionTally.from_predictions([0, 1], [0, 1])
    for arguments, options in (((tally, [0, 1]), {}), ((tally, tally), {"sample_weight": [1, 1]})):
        with refused("A ConfusionTally holds y_true, y_pred and"):
            sx.accuracy_score(*arguments, **options)


def test_some_rows_of_checked_data():
    labels = Labels.check(["a", "b", "c", "a"], ["a", "c", "c", "b"], sample_weight=[1, 0, 2, 3])
    part = subset(labels, np.array([0, 2]))
    assert part.classes.tolist() == ["a", "c"]
    assert (part.kind, part.true.tolist(), part.pred.tolist()) == ("binary", [0, 1], [0, 1])
    assert part.weight.tolist() == [1, 2]
    heavy = with_weight(labels)
    assert heavy.true.shape == (3,)
    assert heavy.classes.tolist() == ["a", "b", "c"]
    assert with_weight(part) is part
    plain = Labels.check([0, 1], [0, 1])
    assert with_weight(plain) is plain
    marks = np.array([[1, 0], [0, 1], [1, 1]])
    outputs = subset(Labels.check(marks, marks[::-1]), slice(1, 3))
    assert outputs.true.tolist() == marks[1:].astype(bool).tolist()
    scores = subset(Scores.check(Y3, S3), np.array([1, 3]))
    assert scores.classes.tolist() == [0, 1, 2]
    assert scores.score.tolist() == S3[[1, 3]].tolist()
    found = subset(Probabilities.check(Y3, P3), np.array([2]))
    assert found.proba.tolist() == [P3[2].tolist()]


def test_the_classes_that_occur():
    assert distinct_labels(["b", "a", "b"]).tolist() == ["a", "b"]
    assert distinct_labels([3, 1, 2]).tolist() == [1, 2, 3]
    assert distinct_labels(np.eye(3, dtype=int)) is None
    assert distinct_labels([0.5, 1.5]) is None

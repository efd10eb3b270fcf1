"""The positive class of two: what convention says, what the caller says, and what is asked for."""

import numpy as np
import pytest
import sklearn.metrics

import skmetrics_ext as sx
from skmetrics_ext.validation import InvalidParameterError, Probabilities, Scores
from skmetrics_ext.validation.positive import (
    check_label,
    class_notes,
    natural_positive,
    one_class,
    positive_class,
    positive_of,
    usual_pair,
    usual_positive,
)

NATURAL = [
    ([0, 1], 1),
    ([-1, 1], 1),
    ([1], 1),
    ([0], 1),
    ([-1], 1),
    ([1, 0], 1),
    ([1, -1], 1),
    ([False, True], True),
    ([True], True),
    ([False], True),
    ([0.0, 1.0], 1.0),
    ([-1.0], 1.0),
    ([np.int8(0), np.int8(1)], 1),
    ([], None),
    ([-1, 0], None),
    ([1, 2], None),
    ([0, 2], None),
    ([-1, 0, 1], None),
    (["0", "1"], None),
    (["no", "yes"], None),
    ([2], None),
    ([0, 1, 2], None),
]


@pytest.mark.parametrize(("classes", "positive"), NATURAL)
def test_1_is_positive_by_convention(classes, positive):
    found = natural_positive(classes)
    assert found == positive
    assert type(found) is type(positive) or len(classes) == 2


def test_a_note_names_an_uncommon_positive_class():
    assert class_notes(None) == class_notes(1) == class_notes(True) == class_notes(1.0) == []
    assert class_notes("yes") == ["positive class: yes"]
    assert class_notes(2) == ["positive class: 2"]
    assert class_notes(0) == ["positive class: 0"]


def test_the_choice_of_the_caller():
    assert positive_class([0, 1], 0, what="F1") == 0
    assert positive_class(["no", "yes"], "no", what="F1") == "no"
    assert type(positive_class([0, 1], True, what="F1")) is int
    assert positive_class(["yes"], "no", what="F1") == "no"  # of which no row need be
    assert positive_class([], "no", what="F1") == "no"
    for classes in (["no", "yes"], ["no", "perhaps", "yes"]):
        with pytest.raises(InvalidParameterError, match=r"pos_label='maybe' is not a valid label"):
            positive_class(classes, "maybe", what="F1")


@pytest.mark.parametrize("either", [False, True])
def test_where_nobody_says_which_class_is_positive(either):
    assert positive_class([0, 1], what="F1", either=either) == 1
    assert positive_class([1, -1], what="F1", either=either) == 1
    for classes in (["no", "yes"], [1, 2], [3]):
        if either:
            assert positive_class(classes, what="F1", either=True) == classes[-1]
            continue
        shown = " or ".join(f"pos_label={label!r}" for label in reversed(classes))
        with pytest.raises(InvalidParameterError) as told:
            positive_class(classes, what="F1")
        assert str(told.value) == f"F1 needs a positive class: pass {shown}."
        with pytest.raises(InvalidParameterError) as told:
            positive_class(classes, what="F1", by_labels=True)
        shown = f"labels={classes!r} or labels={classes[::-1]!r}"
        assert str(told.value) == f"F1 needs a positive class: pass {shown}."


def test_no_class_has_no_positive_one():
    with pytest.raises(InvalidParameterError, match="F1 needs a positive class"):
        positive_class([], what="F1", either=True)


@pytest.mark.parametrize("classes", [[0, 1], [-1, 1], [False, True], [1, 2], [0.5, 2], [3, 7], [5]])
def test_the_rule_of_scikit_learn_for_numbers(classes):
    array = np.array(classes)
    assert usual_positive(array, of_numbers=True) == classes[-1]
    if natural_positive(classes) is None:
        with pytest.raises(InvalidParameterError, match=rf"y_true takes value in {{{classes[0]}"):
            usual_positive(array)
    else:
        assert usual_positive(array) == classes[-1]
    with pytest.raises(InvalidParameterError, match=r"takes value in \{'a', 'b'\} and pos_label"):
        usual_positive(np.array(["a", "b"]), of_numbers=True)


LABELS = {"integers": [1, 2], "apart": [-3, 7], "floats": [2.0, 5.0], "-1 and 0": [-1, 0]}
MARKS, PROBA = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.9, 0.4, 0.3, 0.7])


@pytest.mark.parametrize("what", LABELS)
def test_brier_scores_take_the_greater_of_two_numbers(what):
    true = np.array(LABELS[what])[MARKS]
    found = sx.brier_score_loss(true, PROBA)
    assert found == pytest.approx(np.mean((MARKS - PROBA) ** 2), rel=1e-14)
    if true.dtype.kind == "i":
        assert found == pytest.approx(sklearn.metrics.brier_score_loss(true, PROBA), rel=1e-14)
    low, high = LABELS[what]
    assert sx.brier_score_loss(true, PROBA, pos_label=high) == found
    other = sx.brier_score_loss(true, 1 - PROBA, pos_label=low)
    assert other == pytest.approx(found, rel=1e-14)


@pytest.mark.parametrize("side", ["one", "either", "greater", "numbers"])
@pytest.mark.parametrize("n_columns", [1, 2])
@pytest.mark.parametrize("classes", [[0, 1], [1, 2], ["a", "b"]])
def test_the_rule_of_a_side(side, n_columns, classes):
    array = np.array(classes)
    assert positive_of(array, None, classes[0], side, "It", n_columns) == classes[0]
    assert positive_of(array, classes, None, side, "It", n_columns) == classes[1]
    assert positive_of(array, classes, classes[0], side, "It", n_columns) == classes[0]
    known = side == "greater" or (side == "either" and n_columns > 1)
    if classes == [0, 1] or known or (side == "numbers" and classes == [1, 2]):
        assert positive_of(array, None, None, side, "It", n_columns) == classes[1]
    else:
        with pytest.raises(InvalidParameterError, match=r"positive class|pos_label is not"):
            positive_of(array, None, None, side, "It", n_columns)
    assert positive_of(array, None, None, "either", "It", 2) == classes[1]
    if classes != [0, 1]:
        with pytest.raises(InvalidParameterError, match="It needs a positive class"):
            positive_of(array, None, None, "either", "It")


@pytest.mark.parametrize(
    ("classes", "codes", "positive", "stated", "expected"),
    [
        (["a", "b"], [0, 1, 1], "b", True, (["a", "b"], [0, 1, 1], 1)),
        (["a", "b"], [0, 1, 1], "a", True, (["b", "a"], [1, 0, 0], 0)),
        (["a", "b"], [0, 1, 1], "b", False, (["a", "b"], [0, 1, 1], 1)),
        (["a"], [0, 0, 0], "a", True, (["a"], [1, 1, 1], None)),
        (["a"], [0, 0, 0], "a", False, (["a"], [1, 1, 1], 1)),
        (["a"], [0, 0, 0], "b", True, (["a"], [0, 0, 0], None)),
        (["a"], [0, 0, 0], "b", False, (["a"], [0, 0, 0], 1)),
        (["a", "b", "c"], [0, 1, 2], "b", True, (["a", "c", "b"], [0, 1, 0], None)),
        (["a", "b", "c"], [0, 1, 2], "c", True, (["a", "b", "c"], [0, 0, 1], None)),
        (["a", "b", "c"], [0, 1, 2], "z", True, (["a", "b", "c"], [0, 0, 0], None)),
        (["a", "b"], [0, 1, 0], "z", True, (["a", "b"], [0, 0, 0], None)),
        (["a", "b"], [0, 1, 0], "z", False, (["a", "b"], [0, 0, 0], None)),
    ],
)
def test_one_class_against_the_rest(classes, codes, positive, stated, expected):
    found, marks, place = one_class(np.array(classes), np.array(codes), positive, stated)
    assert (found.tolist(), marks.tolist(), place) == expected
    assert marks.dtype == np.int64


def test_what_cannot_be_a_label():
    for label in (0, "a", True, 1.5, np.int8(3), np.str_("a"), None, np.array(3)):
        check_label(label)
    for label in ([1], [], np.array([0, 1]), (0, 1), [[1]]):
        with pytest.raises(InvalidParameterError, match="pos_label must be one label, got"):
            check_label(label)


@pytest.mark.parametrize(
    ("labels", "pos_label", "pair", "certain"),
    [
        ([0, 1], None, [0, 1], True),
        ([0], None, [0, 1], True),
        ([1], None, [0, 1], False),
        ([-1, 1], None, [-1, 1], True),
        ([-1], None, [-1, 1], True),
        ([1], 0, [0, 1], True),
        ([1], -1, [-1, 1], True),
        ([0], 1, [0, 1], True),
        ([-1], 1, [-1, 1], True),
        ([], None, [0, 1], False),
        ([False], None, [0, 1], True),
    ],
)
def test_the_pair_that_labels_belong_to(labels, pos_label, pair, certain):
    assert usual_pair(labels, pos_label) == (pair, certain)


@pytest.mark.parametrize(
    ("labels", "pos_label"), [([2], None), (["a"], None), ([-1, 0], None), ([1], 2), ([0], -1)]
)
def test_labels_of_no_pair(labels, pos_label):
    with pytest.raises(InvalidParameterError, match=r"y_true holds \[.*\]; pass labels=, the neg"):
        usual_pair(labels, pos_label)


# --------------------------------------------------------------------------- scores of one class


@pytest.mark.parametrize("positive", ["a", "b", None])
@pytest.mark.parametrize("labels", [["a", "b"], ["b", "a"], None])
def test_columns_and_vectors_of_two_classes(positive, labels):
    """Two columns are of the classes in their order; one is of the positive class."""
    true = np.array(["a", "b", "b", "a", "b"])
    listed = labels or ["a", "b"]
    of = {"b": PROBA, "a": 1 - PROBA}
    both = np.column_stack([of[label] for label in listed])
    own = positive or listed[1]
    options = {"labels": labels, "pos_label": positive}
    for check, name in ((Scores.check, "score"), (Probabilities.check_binary, "proba")):
        found = check(true, both, **options)
        np.testing.assert_array_equal(getattr(found, name), of[own])
        assert found.classes.tolist()[-1] == own
        assert found.true.tolist() == (true == own).astype(int).tolist()
        if positive is None and labels is None:
            with pytest.raises(InvalidParameterError, match="needs a positive class"):
                check(true, of[own], **options)
            continue
        for vector in (of[own], of[own][:, None]):
            found = check(true, vector, **options)
            np.testing.assert_array_equal(getattr(found, name), of[own])
            assert found.true.tolist() == (true == own).astype(int).tolist()


@pytest.mark.parametrize(("alone", "column"), [(1, 1), (0, 1), (-1, 1)])
def test_the_columns_of_one_usual_label(alone, column):
    """The other one of the pair is known: 0 and 1 name both columns."""
    both = np.column_stack([1 - PROBA, PROBA])
    true = np.full(5, alone)
    for check, name in ((Scores.check, "score"), (Probabilities.check_binary, "proba")):
        found = check(true, both)
        np.testing.assert_array_equal(getattr(found, name), both[:, column])
        assert found.true.tolist() == [int(alone == 1)] * 5
        with pytest.raises(InvalidParameterError, match=r"one for each class|has two columns"):
            check(true, both, pos_label=1)
        found = check(true, both, labels=sorted({alone, 1, 0 if alone == 1 else 1}))
        np.testing.assert_array_equal(getattr(found, name), PROBA)


def test_the_columns_of_another_label_alone_are_unknown():
    both = np.column_stack([1 - PROBA, PROBA])
    with pytest.raises(InvalidParameterError, match=r"only one label \(5\) and y_proba has two"):
        Probabilities.check_binary(np.full(5, 5), both, side="greater")
    found = Probabilities.check_binary(np.full(5, 5), both, labels=[2, 5])
    np.testing.assert_array_equal(found.proba, PROBA)
    found = Probabilities.check_binary(np.full(5, 5), both, labels=[5, 2])
    np.testing.assert_array_equal(found.proba, PROBA)
    assert found.true.tolist() == [0] * 5

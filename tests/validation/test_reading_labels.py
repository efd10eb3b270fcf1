"""Checked labels: their parts, sums of marks, and the classes and order of a target."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.metrics
from scipy.sparse import coo_array, csr_array

import skmetrics_ext as sx
from skmetrics_ext.tallies import ConfusionTally, Counts
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.labels import read_labels, read_target, response_name, same_positive

TRUE = ["a", "b", "c", "a", "b"]
PRED = ["a", "c", "c", "b", "b"]
WEIGHT = [1, 0, 2, 3, 4]
MARKS = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]])
OTHER = np.array([[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]])


def refused(told):
    return pytest.raises(InvalidParameterError, match=told)


# --------------------------------------------------------------------------- one label a row


@pytest.mark.parametrize(
    "put", [list, np.array, pd.Series, pd.Categorical, lambda y: np.array(y)[:, None]]
)
def test_labels_are_codes_of_classes(put):
    checked = Labels.check(put(TRUE), put(PRED), sample_weight=WEIGHT)
    assert (checked.kind, checked.classes.tolist()) == ("multiclass", ["a", "b", "c"])
    assert checked.true.tolist() == [0, 1, 2, 0, 1]
    assert checked.pred.tolist() == [0, 2, 2, 1, 1]
    assert checked.weight.tolist() == WEIGHT
    assert (checked.n_rows, checked.total_weight) == (5, 10)
    assert not checked.is_multilabel
    assert checked.row_hits().tolist() == [True, False, True, False, True]
    assert checked.single_label("It") is checked
    plain = checked.unweighted()
    assert plain.weight is None
    assert plain.true.tolist() == [0, 2, 0, 1]
    assert (plain.n_rows, plain.total_weight) == (4, 4)
    assert plain.unweighted().true.tolist() == [0, 2, 0, 1]
    with refused("Samplewise metrics are not available outside"):
        checked.outputs(np.array([0]))


@pytest.mark.parametrize("dtype", [int, np.uint8, float, bool, object])
def test_numbers_are_labels(dtype):
    true, pred = np.array([0, 1, 1]), np.array([1, 1, 0])
    if dtype is object:
        true, pred = pd.Categorical(true), pd.Categorical(pred)
    else:
        true, pred = true.astype(dtype), pred.astype(dtype)
    checked = Labels.check(true, pred)
    assert (checked.kind, checked.classes.tolist()) == ("binary", [0, 1])
    assert (checked.true.tolist(), checked.pred.tolist()) == ([0, 1, 1], [1, 1, 0])
    assert checked.ordered is False
    for alone in (true[:1], true[1:2]):
        assert Labels.check(alone, alone).true.tolist() == [0]


def test_the_rows_of_some_classes():
    checked = Labels.check(TRUE, PRED, sample_weight=WEIGHT)
    assert checked.restrict(None) is checked
    part = checked.restrict(["c", "a"])
    assert part.classes.tolist() == ["c", "a"]
    assert (part.true.tolist(), part.pred.tolist()) == ([1, 0], [1, 0])
    assert part.weight.tolist() == [1, 2]
    assert part.ordered is True
    plain = Labels.check(TRUE, PRED).restrict(["b", "a"])
    assert (plain.true.tolist(), plain.pred.tolist(), plain.weight) == ([1, 1, 0], [1, 0, 0], None)
    with refused("labels names a class twice"):
        checked.restrict(["a", "a"])
    with refused("name them by the same type"):
        checked.restrict([1, 2])


def test_positions_of_classes():
    checked = Labels.check(TRUE, PRED)
    assert checked.positions(None).tolist() == [0, 1, 2]
    assert checked.positions(["c", "z", "a"]).tolist() == [2, -1, 0]
    assert checked.positions(["c", "c"]).tolist() == [2, 2]
    with refused("labels names a class twice"):
        checked.positions(["c", "c"], once=True)
    outputs = Labels.check(MARKS, OTHER)
    assert outputs.positions([2, 0]).tolist() == [2, 0]
    assert outputs.positions(np.array([0, 1], np.uint8)).dtype == np.int64
    for wrong, told in (
        ([3], r"Got 3 > 2"),
        ([0, 4], r"Got 4 > 2"),
        ([-1], r"Got -1 < 0"),
        ([2, -2], r"Got -2 < 0"),
        (["a"], r"labels must be numbers of outputs, got \['a'\]"),
        ([0.0], r"labels must be numbers of outputs"),
    ):
        with refused(told):
            outputs.positions(wrong)


# --------------------------------------------------------------------------- many rows

N_ROWS = 20_000  # so many are counted before they are coded
WAYS = {
    **{dtype: np.dtype(dtype).type for dtype in ("int8", "uint8", "int16", "uint32", "uint64")},
    **{dtype: np.dtype(dtype).type for dtype in ("int32", "float16", "float32", "float64")},
    "big-endian": lambda y: y.astype(">i4"),
    "every other row": lambda y: np.repeat(y.astype(np.int8), 2)[::2],
    "a column": lambda y: y[:, None],
    "a list": lambda y: y.tolist(),
    "categories": lambda y: pd.Categorical(y, categories=[99, *np.unique(y)[::-1], -5]),
    "other categories": pd.Categorical,
    "pandas": lambda y: pd.Series(y, dtype="Int8"),
    "Arrow": lambda y: pa.array(y.astype(np.int8)),
    "Arrow dictionary": lambda y: pa.array(y).dictionary_encode(),
    "polars": lambda y: pl.Series(y, dtype=pl.Int16),
}


def as_read_only(values):
    if isinstance(values, np.ndarray):
        values.flags.writeable = False
    return values


@pytest.mark.sampled(2)
@pytest.mark.parametrize("pool", [[0, 3], [4, 5, 9], range(80), [7]])
@pytest.mark.parametrize("first", sorted(WAYS))
@pytest.mark.parametrize("same", [True, False])
def test_many_labels_of_any_type_are_those_of_int64(pool, first, same):
    rng = np.random.default_rng(len(pool))
    true, pred = rng.choice(pool, (2, N_ROWS))
    second = first if same else sorted(WAYS)[sorted(WAYS).index(first) - 5]
    given = as_read_only(WAYS[first](true)), as_read_only(WAYS[second](pred))
    found, expected = Labels.check(*given), Labels.check(true, pred)
    assert (found.kind, found.classes.tolist()) == (expected.kind, expected.classes.tolist())
    assert found.n_rows == N_ROWS
    assert found.sharing_classes() is found
    table = np.zeros((len(expected.classes),) * 2, dtype=int)
    np.add.at(table, (expected.true, expected.pred), 1)
    np.testing.assert_array_equal(ConfusionTally.from_labels(found).table, table)
    assert sx.accuracy_score(*given) == np.mean(true == pred)
    weighted = Counts.from_predictions(*given, sample_weight=np.arange(N_ROWS))
    assert weighted.tp.sum() == np.flatnonzero(true == pred).sum()
    for side, codes in (("true", expected.true), ("pred", expected.pred)):
        assert getattr(found, side).dtype == np.int64
        np.testing.assert_array_equal(getattr(found, side), codes)


def test_many_labels_are_read_again_by_copies():
    true = np.arange(N_ROWS, dtype=np.int8) % 3
    for copied in (copy.deepcopy, copy.copy, lambda x: pickle.loads(pickle.dumps(x)), replace):
        other = copied(Labels.check(true, true))
        np.testing.assert_array_equal(other.true, true)
    weighted = replace(Labels.check(true, true), weight=np.ones(N_ROWS), cache={})
    assert Counts.from_labels(weighted).tp.sum() == N_ROWS
    with pytest.raises(AttributeError):
        Labels.check(true, true).score  # noqa: B018


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([np.nan, 1], "Input y_true contains NaN. The first is in row 0"),
        ([np.inf, 1], "Input y_true contains infinity"),
        ([0.5, 1], "mix of continuous and binary"),
        (pd.Categorical([None, 1]), "Input y_true contains NaN. The first missing value is in row"),
        (pd.Categorical(["a", "b"]), "Mix of label input types"),
    ],
)
def test_many_wrong_labels_are_refused_like_few(values, told):
    column = (
        values.repeat(N_ROWS // 2)
        if hasattr(values, "categories")
        else np.array([values] * (N_ROWS // 2)).ravel()
    )
    for other in (np.float64, np.int8):
        with refused(told):
            Labels.check(column, np.tile([0, 1], N_ROWS // 2).astype(other))


def test_declared_orders_of_many_labels():
    true = pd.Categorical(["b", "a"] * N_ROWS, categories=["b", "a", "c"], ordered=True)
    found = Labels.check(true, true[::-1])
    assert (found.classes.tolist(), found.ordered) == (["a", "b"], ("b", "a", "c"))
    other = pd.Categorical(np.array(true), categories=["a", "b"], ordered=True)
    assert Labels.check(true, other).ordered is None
    assert Labels.check(np.array(true), other).ordered == ("a", "b")


def test_many_masked_labels():
    true, pred = np.tile(np.array([[0, 1, 1], [0, 0, 1]], np.int8), N_ROWS)
    masked = np.ma.array(true, mask=np.arange(3 * N_ROWS) % 3 == 0)
    assert Labels.check(masked, pred).cache["confusion"].tolist() == [[0, 0], [N_ROWS, N_ROWS]]


# --------------------------------------------------------------------------- marks


@pytest.mark.parametrize("first", [np.array, csr_array, coo_array])
@pytest.mark.parametrize("second", [np.array, csr_array])
@pytest.mark.parametrize("weight", [None, [1, 2, 0, 3], [0.5, 1, 2, 0.25]])
def test_sums_of_marks(first, second, weight):
    checked = Labels.check(first(MARKS), second(OTHER), sample_weight=weight)
    assert (checked.kind, checked.classes.tolist()) == ("multilabel-indicator", [0, 1, 2])
    assert checked.is_multilabel
    w = np.ones(4, int) if weight is None else np.array(weight)
    for axis in (0, 1):
        sums = checked.indicator_sums(axis)
        for found, marks in zip(sums, (MARKS * OTHER, MARKS, OTHER), strict=True):
            expected = marks.T @ w if axis == 0 else marks.sum(axis=1) * w
            np.testing.assert_array_equal(found, expected)
            if weight is None:
                assert found.dtype == np.int64
    assert checked.row_hits().tolist() == [True, False, False, True]
    assert checked.n_rows == 4
    for average in ("macro", "micro", "weighted", "samples"):
        ours = sx.recall_score(checked, checked, average=average, zero_division=0)
        theirs = sklearn.metrics.recall_score(
            MARKS, OTHER, average=average, sample_weight=weight, zero_division=0
        )
        assert ours == pytest.approx(theirs, rel=1e-14)
    part = checked.outputs(np.array([2, 0]))
    assert part.classes.tolist() == [2, 0]
    sums = part.indicator_sums(0)
    np.testing.assert_array_equal(sums[1], MARKS[:, [2, 0]].T @ w)
    with refused("multilabel-indicator is not supported: It needs one label a row"):
        checked.single_label("It")


@pytest.mark.parametrize("put", [np.array, csr_array])
def test_rows_with_a_mark_too_few_or_too_many_are_wrong(put):
    true = np.array([[1, 1], [1, 0], [0, 0], [0, 1], [0, 0], [1, 0]])
    pred = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 0], [0, 1]])
    checked = Labels.check(put(true), put(pred))
    assert checked.row_hits().tolist() == (true == pred).all(axis=1).tolist()
    assert sx.accuracy_score(put(true), put(pred)) == sklearn.metrics.accuracy_score(true, pred)


def test_outputs_that_do_not_match():
    for pair in ((MARKS, OTHER[:, :2]), (csr_array(MARKS), csr_array(OTHER[:, :2]))):
        with refused("y_true has 3 columns, y_pred 2"):
            Labels.check(*pair)


# --------------------------------------------------------------------------- targets


def target(values):
    return read_target(read_column(values, "y_true"))


def test_the_order_of_a_target():
    found = target(TRUE)
    assert (found.kind, found.ordered) == ("multiclass", False)
    assert found.in_order_of(None, "y_score") is found
    same = found.in_order_of(["a", "b", "c"], "y_score")
    assert (same.classes.tolist(), same.codes.tolist()) == (["a", "b", "c"], [0, 1, 2, 0, 1])
    assert same.ordered
    turned = found.in_order_of(["c", "x", "a", "b"], "y_score")
    assert turned.classes.tolist() == ["c", "x", "a", "b"]
    assert turned.codes.tolist() == [2, 3, 0, 2, 3]
    assert turned.ordered
    with refused(r"'labels' must be unique, got \['a', 'b', 'a'\]"):
        found.in_order_of(["a", "b", "a"], "y_score")
    for listed, missing in ((["a", "b"], "c"), (["a", "c"], "b"), (["b", "c"], "a")):
        told = rf"y_true contains values \{{'{missing}'\}} not .* no column of y_score is theirs"
        with refused(told):
            found.in_order_of(listed, "y_score")
    graded = target(pd.Categorical(["b", "a"], categories=["b", "a"], ordered=True))
    assert (graded.classes.tolist(), graded.ordered) == (["a", "b"], ("b", "a"))


def test_the_two_classes_of_a_target():
    found = target(["a", "b", "a"])
    assert found.two_classes(None, "y_score") is found
    turned = found.two_classes(["b", "a"], "y_score")
    assert (turned.classes.tolist(), turned.codes.tolist()) == (["b", "a"], [1, 0, 1])
    assert target(["a", "a"]).two_classes(["a", "b"], "y_score").codes.tolist() == [0, 0]
    assert target(TRUE).two_classes(None, "y_score").kind == "multiclass"
    for listed in (["a", "b", "c"], ["b", "a", "z"]):
        with refused("labels must name the two classes of a binary problem, negative first"):
            found.two_classes(listed, "y_score")
    with refused("labels must name the two classes"):
        target(["a", "a"]).two_classes(["a"], "y_score")


def test_a_target_that_holds_no_classes():
    for values, kind in (([0.5, 1], "continuous"), (MARKS, "multilabel-indicator")):
        found = target(values)
        assert found.kind == kind
        assert (len(found.classes), len(found.codes)) == (0, 0)
    one = target(np.array([5]))
    assert (one.kind, one.classes.tolist(), one.codes.tolist()) == ("binary", [5], [0])


# --------------------------------------------------------------------------- lists of labels


def test_labels_that_are_listed():
    for given in ([1, 2], (1, 2), {1: 0, 2: 0}.keys(), range(1, 3), np.array([1, 2]), iter([1, 2])):
        assert read_labels(given).tolist() == [1, 2]
    mixed = read_labels(["a", 1])
    assert (mixed.dtype, mixed.tolist()) == (object, ["a", 1])
    assert read_labels(["a", "b"]).dtype.kind == "U"
    assert read_labels([1, 2.5]).dtype.kind == "f"
    assert read_labels([True, False]).dtype == bool
    assert read_labels([3]).tolist() == [3]
    assert read_labels([1, 1]).tolist() == [1, 1]
    for wrong in ({1: 0}, b"ab", 3, None, object()):
        with refused("names must be a list of labels, got"):
            read_labels(wrong, "names")
    for wrong in ([[0, 1]], np.zeros((2, 1), int), [[0], [1, 2]]):
        with refused("names must be 1-D|names must hold integers, text or booleans"):
            read_labels(wrong, "names")
    for empty in ([], np.zeros(0, int), ()):
        with refused("'names' should contain at least one label"):
            read_labels(empty, "names")


def test_one_positive_class_of_checked_data():
    two = Scores.check(["no", "yes"], [0.25, 0.5], pos_label="yes")
    assert same_positive(two, None) is same_positive(two, "yes") is two
    with refused(r"checked with 'yes' as the positive class, got pos_label='no'"):
        same_positive(two, "no")
    with refused("as the positive class, got pos_label='maybe'"):
        same_positive(two, "maybe")
    three = Scores.check([0, 1, 2], np.eye(3))
    assert same_positive(three, 0) is three
    assert [response_name(one) for one in (two, Labels.check([0], [0]))] == ["score", "pred"]
    assert response_name(Probabilities.check([0, 1], [0.5, 0.5])) == "proba"


def test_a_binary_problem_of_one_class_alone():
    """By scikit-learn's rule for average precision, whatever its positive class."""
    theirs = sklearn.metrics.average_precision_score
    score = [0.25, 0.5, 0.75]
    for true in ([1, 1, 1], [2, 2, 2]):
        label = true[0]
        found = sx.average_precision_score(true, score, pos_label=label)
        assert found == theirs(true, score, pos_label=label) == 1
    for labels in ([0, 1], [1, 0]):
        found = sx.average_precision_score([0, 1, 1], score, labels=labels)
        mark = np.array([0, 1, 1]) == labels[1]
        assert found == pytest.approx(theirs(mark, score), rel=1e-14)
    for true, kind in (([0, 1, 2], "multiclass"), (MARKS[:3], "multilabel-indicator")):
        with refused(f"pos_label is fixed to 1 for {kind} y_true"):
            sx.average_precision_score(true, np.eye(3), pos_label=2)
    with refused(r"pos_label=7 is not a valid label. It should be one of \[0 1\]"):
        sx.average_precision_score([0, 1, 1], score, pos_label=7)

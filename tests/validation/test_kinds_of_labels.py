"""What kind of labels a column holds: as scikit-learn says, whatever the dtype and the order."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.metrics import accuracy_score as theirs
from sklearn.utils.multiclass import type_of_target

from skmetrics_ext import accuracy_score, f1_score
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.targets import label_values, read_marks

LONG = np.repeat([0, 1], 60)
KINDS = {
    "0 and 1": [0, 1, 1],
    "0 and 2": [0, 2, 2],
    "3 and 4": [4, 3, 4],
    "-1 and 1": [-1, 1, -1],
    "three integers": [0, 1, 2],
    "three integers apart": [5, -7, 900],
    "one integer": [3, 3, 3],
    "two floats": [1.0, 4.0, 1.0],
    "two floats next to each other": [1.0, 2.0, 1.0],
    "three floats": [0.0, 1.0, 2.0],
    "booleans": [True, False, True],
    "two words": ["a", "b", "a"],
    "three words": ["a", "b", "c"],
    "one word": ["a", "a", "a"],
    "bytes of small integers": np.array([0, 255, 0], np.uint8),
    "three small integers": np.array([0, 255, 7], np.uint8),
    "a third integer late": [*LONG, 2],
    "a third integer between, late": [*(2 * LONG), 1],
    "a third integer late, around 0": [*(4 * LONG - 3), 0],
    "three integers below 0, late": [*(-5 * LONG), -3],
    "one word alone": ["a"],
    "one integer alone": [7],
    "a third float late": [*LONG.astype(float), 2.0],
    "a third word late": [*np.array(["a", "c"])[LONG], "b"],
    "two integers, long": LONG,
    "two integers apart, long": 7 * LONG,
    "two floats, long": LONG.astype(float),
    "two words, long": np.array(["a", "c"])[LONG],
    "one word, long": np.array(["a"] * 120),
    "words of objects": np.array(["a", "b", "c"], object),
    "a column vector": [[0], [1], [2]],
    "marks": [[0, 1], [1, 1]],
    "marks of booleans": [[False, True], [True, True]],
    "marks as floats": [[0.0, 1.0], [1.0, 1.0]],
    "marks that are all 1": [[1, 1], [1, 1]],
    "sparse marks": csr_array([[0, 1], [1, 1]]),
    "sparse marks by place": coo_array([[0, 1, 1], [1, 1, 0]]),
    "several outputs": [[0, 1], [2, 1]],
    "outputs of -1, 0 and 1": [[-1, 0], [1, 0]],
    "outputs of three numbers around 0": [[-3, 0], [2, 2]],
    "outputs of words that are text objects": np.array([["a", "b"], ["b", "c"]], object),
    "several outputs of words": [["a", "b"], ["b", "a"]],
    "fractions": [0.5, 1.5, 0.5],
    "a fraction": [0.0, 1.0, 1.5],
    "fractions of several outputs": [[0.5, 1.0], [1.0, 1.0]],
    "fractions of three outputs": [[0.5, 1.0], [2.0, 3.0]],
    "three axes": np.zeros((2, 2, 2)),
}


@pytest.mark.parametrize("what", KINDS)
def test_kinds_are_those_of_scikit_learn(what):
    assert label_values(read_column(KINDS[what], "y_true"))[1] == type_of_target(KINDS[what])


@pytest.mark.parametrize("what", ["a", "ab", "abc"])
def test_categories_that_do_not_occur_are_no_classes(what):
    """The kind is of the values: of two that occur it is binary, whatever is declared."""
    column = pd.Categorical([*what, *what], categories=[*"zcbay"])
    kind = "multiclass" if len(what) > 2 else "binary"
    assert label_values(read_column(column, "y_true"))[1] == kind


@pytest.mark.parametrize("what", [what for what in KINDS if "marks" not in what])
def test_the_kinds_of_a_mix_are_named(what):
    """In scikit-learn's words, which name both."""
    given = KINDS[what]
    marks = np.ones((len(given), 2), dtype=int)
    marks[0, 0] = 0
    for pair in ((given, marks), (marks, given)):
        with pytest.raises(ValueError) as expected:
            theirs(*pair)
        told = str(expected.value).partition(" targets")[0]
        if "unknown" in told or "mix of" not in told:
            continue
        with pytest.raises(ValueError) as found:
            accuracy_score(*pair)
        assert str(found.value).startswith(told)


def test_marks_of_objects_are_marks():
    """scikit-learn does not say what they are."""
    true, pred = np.array([[0, 1], [1, 1]]), np.array([[0, 1], [1, 0]])
    for dtype in (int, float, bool):
        put = [marks.astype(dtype).astype(object) for marks in (true, pred)]
        assert f1_score(*put, average="macro") == f1_score(true, pred, average="macro")
    mixed = np.array([[False, 1], [1.0, True]], object)
    assert f1_score(mixed, pred, average="macro") == f1_score(true, pred, average="macro")


def test_marks_are_booleans_of_0_and_1_alone():
    for given in ([[0, 1], [1, 0]], [[0.0, 1.0], [1.0, 0.0]], [[False, True], [True, False]]):
        found = read_marks(np.array(given), "y_true")
        assert found.dtype == bool
        assert found.tolist() == [[False, True], [True, False]]
    for given in ([[1, 2], [2, 1]], [[-1, 1], [1, 1]], [[0, 2], [2, 0]], [[0, 3], [1, 7]]):
        distinct = ", ".join(map(str, np.unique(given)))
        with pytest.raises(InvalidParameterError, match=f"y_true holds {distinct} as multilabel"):
            read_marks(np.array(given), "y_true")


@pytest.mark.parametrize(("n_values", "end"), [(10, "9 as"), (11, r"9, \.\.\. as")])
def test_an_error_lists_ten_marks_at_most(n_values, end):
    with pytest.raises(InvalidParameterError, match=f"holds 0, 1, 2, 3, 4, 5, 6, 7, 8, {end}"):
        read_marks(np.arange(n_values)[None], "y_true")


def test_sparse_marks_may_hold_zeros_and_parts_of_a_mark():
    """Entries that are stored as 0 are no marks; entries at one place are summed."""
    true = np.array([[1, 0, 1], [0, 1, 0]])
    pred = np.array([[1, 1, 0], [0, 1, 0]])
    with_zeros = csr_array((np.array([1, 0, 1, 1, 0]), ([0, 0, 0, 1, 1], [0, 1, 2, 1, 2])))
    with_zeros.data = np.array([1, 0, 1, 1, 0])
    halves = np.array([0.5, 0.5, 1.0, 1.0]), np.array([0, 0, 2, 1]), np.array([0, 3, 4])
    in_parts = csr_array(halves, shape=(2, 3))
    unsorted = csr_array((np.ones(3), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    for marks in (with_zeros, in_parts, unsorted):
        before = marks.data.copy()
        for average in ("macro", "micro", "samples"):
            own = f1_score(marks, csr_array(pred), average=average)
            assert own == f1_score(true, pred, average=average)
            assert f1_score(csr_array(pred), marks, average=average) == own
        np.testing.assert_array_equal(marks.data, before)  # the caller's
    for wrong in (csr_array(2 * true), csr_array(-true)):
        with pytest.raises(InvalidParameterError, match="as multilabel"):
            f1_score(wrong, csr_array(pred), average="macro")


def test_one_sparse_column_is_no_marks():
    with pytest.raises(InvalidParameterError, match="y_true is one sparse column"):
        f1_score(csr_array([[1], [0]]), [1, 0])


REFUSED = {
    "NaN late": ([0.0, 1.0, np.nan], "y_true contains NaN. The first is in row 2"),
    "NaN before infinity": ([0.0, np.inf, np.nan], "y_true contains NaN. The first is in row 1"),
    "infinity": ([0.0, 1.0, -np.inf], "y_true contains infinity.* The first is in row 2"),
    "NaN in a matrix": ([[0.0, 1.0], [2.0, np.nan]], "NaN. The first is in row 1"),
    "None after numbers": (np.array([0, 1, None], object), r"label \(None\) is in row 2"),
    "NaN after text": (np.array(["a", "b", np.nan], object), r"label \(nan\) is in row 2"),
    "text and numbers": (np.array(["a", 1], object), r"y_true: it holds \['int', 'str'\]"),
    "text and numbers in a matrix": (
        np.array([["a", 1], ["b", 2]], object), r"y_true: it holds \['int', 'str'\]"),
    "lists": (np.array([[0], [0, 1]], object), "legacy multi-label.*y_true"),
    "tuples": (np.array([(0,), (0, 1)], object), "legacy multi-label.*y_true"),
    "integers": (np.array([0, 1], object), r"objects of type int .*y_true\)\.astype\(int\)"),
    "floats": (np.array([0.0, 1.0], object), r"of type float .*y_true\)\.astype\(float\)"),
    "booleans": (np.array([True, False], object), r"of type bool .*y_true\)\.astype\(bool\)"),
    "integers and booleans": (np.array([True, 3], object), r"bool and int .* convert them\.$"),
    "bytes of objects": (np.array([b"a", b"b"], object), "represented as bytes.*y_true"),
    "durations": (np.array([1, 2], "m8[s]"), r"y_true holds timedelta64\[s\] values"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_label_is_named_with_its_row(what):
    given, message = REFUSED[what]
    with pytest.raises(InvalidParameterError, match=message):
        accuracy_score(given, np.zeros(len(given), int))

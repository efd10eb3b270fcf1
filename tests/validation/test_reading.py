"""Columns as they are read: values, masks, codes, names; missing values by row; rows taken."""

import array
import collections

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csr_array

import skmetrics_ext as sx
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import (
    Column,
    count_rows,
    first_not_finite,
    holds_text,
    marked_missing,
    missing_rows,
    missing_values,
    read_array,
    read_column,
    read_numbers,
    read_rising,
    take_params,
    take_rows,
)

NAT = np.datetime64("NaT")
DAY = np.datetime64("2020-01-01")


class Untold:
    """Without a value that can be compared."""

    def __ne__(self, other):
        raise TypeError("no value")

    __hash__ = None


class Ragged:
    """Whose comparison is an array."""

    def __ne__(self, other):
        return np.array([True, True])

    __hash__ = None


def objects(*values):
    found = np.empty(len(values), object)
    found[:] = values
    return found


# --------------------------------------------------------------------------- values

VALUES = {
    "integers": ([3, 1, 2], [3, 1, 2], "i"),
    "a tuple": ((3, 1, 2), [3, 1, 2], "i"),
    "a range": (range(3), [0, 1, 2], "i"),
    "an array of Python": (array.array("d", [0.5, 1]), [0.5, 1], "f"),
    "a deque": (collections.deque([1, 2]), [1, 2], "i"),
    "floats": ([0.5, 1], [0.5, 1.0], "f"),
    "booleans": ([True, False], [True, False], "b"),
    "text": (["a", "bc"], ["a", "bc"], "O"),
    "a tuple of text": (("a", "bc"), ["a", "bc"], "U"),
    "rows": ([[1, 2], [3, 4]], [[1, 2], [3, 4]], "i"),
    "rows of text": ([["a", "b"], ["c", "d"]], [["a", "b"], ["c", "d"]], "U"),
    "large integers among floats": ([2**53 + 1, 0.5], [2**53 + 1, 0.5], "O"),
    "integers up to 2**53 among floats": ([2**52, 0.5], [2**52, 0.5], "f"),
    "2**53 among floats": ([2**53, 0.5], [2**53, 0.5], "O"),
    "-2**53 among floats": ([-(2**53) - 1, 0.5], [-(2**53) - 1, 0.5], "O"),
    "large floats": ([2.0**60, 0.5], [2.0**60, 0.5], "f"),
    "one large integer among many floats": ([0.5, 1.5, 2**60 + 1], [0.5, 1.5, 2**60 + 1], "O"),
    "large integers and infinity": ([2**60 + 1, np.inf], [2.0**60, np.inf], "f"),
    "a masked array": (np.ma.array([1, 2], mask=[0, 1]), [1, 2], "i"),
    "a frame": (pd.DataFrame({"a": [1, 2], "b": [0.5, 1]}), [[1, 0.5], [2, 1]], "f"),
    "a series": (pd.Series([1, 2]), [1, 2], "i"),
    "an index": (pd.Index([1, 2]), [1, 2], "i"),
    "nullable integers": (pd.Series([1, 2], dtype="Int8"), [1, 2], "i"),
    "nullable floats": (pd.Series([1, 0.5], dtype="Float32"), [1, 0.5], "f"),
    "nullable booleans": (pd.Series([True, False], dtype="boolean"), [True, False], "b"),
    "unsigned": (pd.Series([2**64 - 1, 0], dtype="UInt64"), [2**64 - 1, 0], "u"),
    "a nullable array": (pd.array([1, 2], dtype="Int64"), [1, 2], "i"),
    "nullable columns": (pd.DataFrame({"a": [1, 2], "b": [3, 4]}, dtype="Int64"),
                         [[1, 3], [2, 4]], "i"),
    "nullable columns of two types": (
        pd.DataFrame({"a": pd.array([1, 2], "Int64"), "b": pd.array([0.5, 1], "Float64")}),
        [[1, 0.5], [2, 1]], "f"),
    "columns of text and numbers": (pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}),
                                    [["x", 1], ["y", 2]], "O"),
    "nullable numbers beside text": (
        pd.DataFrame({"a": pd.array([1, 2], "Int64"), "b": ["x", "y"]}),
        [[1, "x"], [2, "y"]], "O"),
    "objects of pandas": (pd.Series([1, "a"], dtype=object), [1, "a"], "O"),
    "text of pandas": (pd.Series(["a", "b"], dtype="string"), ["a", "b"], "O"),
    "Arrow in pandas": (pd.Series([1, 2], dtype=pd.ArrowDtype(pa.int16())), [1, 2], "i"),
    "polars": (pl.Series([1, 2]), [1, 2], "i"),
    "text of polars": (pl.Series(["a", "b"]), ["a", "b"], "O"),
    "a categorical of polars": (pl.Series(["b", "a"], dtype=pl.Categorical), ["b", "a"], "O"),
    "a frame of polars": (pl.DataFrame({"a": [1, 2], "b": [0.5, 1]}), [[1, 0.5], [2, 1]], "f"),
    "Arrow": (pa.array([1, 2]), [1, 2], "i"),
    "Arrow in chunks": (pa.chunked_array([[1], [2, 3]]), [1, 2, 3], "i"),
    "booleans of Arrow": (pa.array([True, False]), [True, False], "b"),
    "sparse": (coo_array([[0, 1], [2, 0]]), [[0, 1], [2, 0]], "i"),
}  # fmt: skip


TEXT = ("text of pandas", "text of polars", "a categorical of polars")


@pytest.mark.parametrize("what", VALUES)
def test_values_are_read_without_loss(what):
    data, expected, kind = VALUES[what]
    column = read_column(data, "it")
    values = column.values.toarray() if column.is_sparse else column.labels
    assert values.tolist() == expected
    assert column.is_sparse == (what == "sparse")
    assert (column.categories is None) == (what not in TEXT)  # text of a frame's library is coded
    assert len(column) == len(expected)
    assert values.dtype.kind == kind or (kind, values.dtype.kind) == ("O", "T")
    assert read_column(column, "other") is column


def test_a_matrix_of_one_row_or_column_is_a_column():
    for given, expected in (
        (np.array([[1, 2, 3]]), [1, 2, 3]),
        (np.array([[1], [2]]), [1, 2]),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    ):
        found = read_column(given.view(np.matrix), "it")
        assert found.values.tolist() == expected
        assert type(found.values) is np.ndarray


CODED = {
    "categorical": (pd.Categorical(["b", "a"], categories=["b", "a", "c"]), False),
    "a series": (pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["b", "a", "c"])), False),
    "an index": (pd.CategoricalIndex(["b", "a"], categories=["b", "a", "c"]), False),
    "ordered": (pd.Categorical(["b", "a"], categories=["b", "a", "c"], ordered=True), True),
    "polars": (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a", "c"])), True),
    "Arrow": (pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["b", "a", "c"])), False),
    "ordered of Arrow": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["b", "a", "c"]), ordered=True),
        True,
    ),
}


@pytest.mark.parametrize("what", CODED)
def test_categories_are_read_as_codes(what):
    data, ordered = CODED[what]
    column = read_column(data, "it")
    assert column.values.tolist() == [0, 1]
    assert column.categories.tolist() == ["b", "a", "c"]
    assert column.labels.tolist() == ["b", "a"]
    assert column.ordered is ordered
    kept = column.keep(np.array([False, True]))
    assert (kept.labels.tolist(), kept.ordered) == (["a"], ordered)
    assert read_column([5, 7], "it").labels.tolist() == [5, 7]


def test_masks_are_kept_where_they_hide_anything():
    for mask in ([0, 1, 0], [1, 1, 1]):
        found = read_column(np.ma.array([1, 2, 3], mask=mask), "it")
        assert found.mask.tolist() == [bool(one) for one in mask]
    assert read_column(np.ma.array([1, 2, 3], mask=[0, 0, 0]), "it").mask is None
    assert read_column(np.ma.array([1, 2, 3]), "it").mask is None


def test_what_holds_no_rows():
    for data in (3, 0.5, None, "ab", b"ab", {1: 2}, {1, 2}, object(), (x for x in [1])):
        with pytest.raises(InvalidParameterError, match=r"it must be an array-like .*, got "):
            read_column(data, "it")
    with pytest.raises(InvalidParameterError, match="it must hold rows, got the scalar"):
        read_column(np.array(3), "it")
    for data in (np.zeros((3, 0)), [[], [], []]):
        with pytest.raises(InvalidParameterError, match="it has 3 rows and no column"):
            read_column(data, "it")
    for empty in (np.zeros(0), [], np.zeros((0, 0)), np.zeros((0, 3)), pd.Series([], dtype=float)):
        assert len(read_column(empty, "it")) == 0
    assert read_column(np.zeros((2, 1)), "it").values.shape == (2, 1)
    for ragged in ([[1], [1, 2]], [[1, 2], 3], ([0], [0, 1])):
        with pytest.raises(InvalidParameterError, match="it is ragged"):
            read_column(ragged, "it")
    for lazy in (pl.LazyFrame({"a": [1]}), pl.col("a")):
        with pytest.raises(InvalidParameterError, match="it must be an eager polars Series"):
            read_column(lazy, "it")
    for other in (pl.Series([{"a": 1}]), pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2))):
        with pytest.raises(InvalidParameterError, match="it must hold one value a row, got a"):
            read_column(other, "it")
    with pytest.raises(InvalidParameterError, match="it must be a pyarrow Array or Chunked"):
        read_column(pa.scalar(1), "it")
    table = pa.table({"a": [1, 2], "b": [3.5, 4.5]})
    for frame in (table, table.to_batches()[0], table.to_pandas(), pl.from_arrow(table)):
        read = read_column(frame, "it")
        assert (read.values.tolist(), read.names) == ([[1, 3.5], [2, 4.5]], ["a", "b"])
    for scalar in (pd.NA, pd.NaT, pd.Timestamp(0), pd.MultiIndex.from_arrays([[1], [2]])):
        with pytest.raises(InvalidParameterError, match="it must hold one value a row, got a"):
            read_column(scalar, "it")
    for masked in (np.ma.array(2.0), np.ma.masked):
        with pytest.raises(InvalidParameterError, match="it must hold rows, got the scalar"):
            read_column(masked, "it")


def test_text_in_a_list_is_text_alone():
    for rows, told in (
        (["a", 1], "Mix of label input types .* in it: it holds text and also 1 of type int"),
        ([1, "a"], "it holds text and also 1 of type int"),
        (["a", float("nan")], "Input it contains NaN"),
        ([np.nan, "a"], "Input it contains NaN"),
        (["a", np.inf], "it holds text and also inf of type float"),
        (("a", 2.5), r"it holds text and also 2\.5 of type float"),
    ):
        with pytest.raises(InvalidParameterError, match=told):
            read_column(rows, "it")


class Broken(collections.UserList):
    """A sequence that says that it is an array, and fails to be one."""

    def __init__(self, error):
        super().__init__([1, 2])
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


def test_what_an_object_raises_is_told():
    with pytest.raises(InvalidParameterError, match=r"it \(Broken\) cannot be .*: KeyError: 3"):
        read_column(Broken(KeyError(3)), "it")
    with pytest.raises(InvalidParameterError, match="it is ragged"):
        read_column(Broken(ValueError("unlike")), "it")
    with pytest.raises(MemoryError):
        read_column(Broken(MemoryError()), "it")

    class Alone:
        def __array__(self, dtype=None, copy=None):
            raise ValueError("no rows")

    with pytest.raises(InvalidParameterError, match=r"it \(Alone\) cannot .* ValueError: no rows"):
        read_column(Alone(), "it")


# --------------------------------------------------------------------------- missing values

MISSING = {
    "floats": (np.array([0.5, np.nan, np.inf]), [0, 1, 0]),
    "float32": (np.array([np.nan, 1], np.float32), [1, 0]),
    "dates": (np.array([DAY, NAT]), [0, 1]),
    "durations": (np.array([1, "NaT"], "m8[s]"), [0, 1]),
    "integers": (np.array([0, 1]), [0, 0]),
    "text": (np.array(["nan", "a"]), [0, 0]),
    "booleans": (np.array([True, False]), [0, 0]),
    "objects": (objects("a", None, np.nan, pd.NA, 3, NAT), [0, 1, 1, 1, 0, 1]),
    "objects that are arrays": (objects(np.zeros(2), Ragged(), "a"), [0, 0, 0]),
    "objects without a value": (objects(Untold(), "a"), [1, 0]),
}


@pytest.mark.parametrize("what", MISSING)
def test_missing_values_of_arrays(what):
    values, expected = MISSING[what]
    assert missing_values(values).tolist() == [bool(one) for one in expected]
    assert missing_rows(values).tolist() == [bool(one) for one in expected]


OF_COLUMNS = {
    "a list": ([0.5, np.nan], [0, 1]),
    "a masked array": (np.ma.array([0.5, np.nan, 1], mask=[1, 0, 0]), [1, 1, 0]),
    "a series": (pd.Series([0.5, np.nan]), [0, 1]),
    "nullable": (pd.Series([1, None], dtype="Int64"), [0, 1]),
    "text": (pd.Series(["a", None]), [0, 1]),
    "categories": (pd.Categorical(["a", None]), [0, 1]),
    "polars": (pl.Series([0.5, None, float("nan")]), [0, 1, 1]),
    "float32 of polars": (pl.Series([None, 1, float("nan")], dtype=pl.Float32), [1, 0, 1]),
    "integers of polars": (pl.Series([1, None, 2]), [0, 1, 0]),
    "text of polars": (pl.Series(["a", None]), [0, 1]),
    "none of polars": (pl.Series([1, 2]), [0, 0]),
    "floats without a null of polars": (pl.Series([1.0, float("nan")]), [0, 1]),
    "Arrow": (pa.array([0.5, None, float("nan")]), [0, 1, 1]),
    "float32 of Arrow": (pa.array([0.5, None, float("nan")], pa.float32()), [0, 1, 1]),
    "integers of Arrow": (pa.array([1, None]), [0, 1]),
    "none of Arrow": (pa.array(["a", "b"]), [0, 0]),
    "chunks of Arrow": (pa.chunked_array([[1, None], [2]]), [0, 1, 0]),
}


@pytest.mark.parametrize("what", OF_COLUMNS)
def test_missing_values_of_columns(what):
    column, expected = OF_COLUMNS[what]
    found = missing_rows(column)
    assert found.dtype == bool
    assert found.tolist() == [bool(one) for one in expected]
    if what not in ("a list", "a masked array") and "nan" not in str(column).lower():
        assert marked_missing(column).tolist() == found.tolist()


REFUSED = {
    "categories": (pd.Categorical(["a", "b", None, None]), 2),
    "the first category": (pd.Categorical([None, "b"]), 0),
    "nullable": (pd.Series([1, None, None], dtype="Int64"), 1),
    "a frame": (pd.DataFrame({"a": [1, 2, 3], "b": [1, None, None]}), 1),
    "a frame of polars": (pl.DataFrame({"a": [1, 2, 3], "b": [1, 1, None]}), 2),
    "polars": (pl.Series(["a", None, "b", None]), 1),
    "Arrow": (pa.array([1, 2, None]), 2),
    "chunks": (pa.chunked_array([[1, 2], [None, 3]]), 2),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_first_missing_row_is_named(what):
    data, row = REFUSED[what]
    with pytest.raises(InvalidParameterError, match=rf"it contains NaN\. .* is in row {row};"):
        read_column(data, "it")


def test_the_first_number_that_is_not_finite():
    for values, what, row in (
        ([0, np.nan, 1], "NaN", 1),
        ([0, 1, np.inf], "infinity", 2),
        ([0, -np.inf, np.nan], "NaN", 1),
        ([[0, 1], [2, np.nan]], "NaN", 1),
        ([[0, np.inf], [np.inf, 1]], "infinity", 0),
    ):
        found, place = first_not_finite(np.array(values, float))
        assert found.split()[0] == what
        assert place == row


# --------------------------------------------------------------------------- numbers


def test_numbers_of_a_parameter():
    for given, expected in (
        ([1, 2.5], [1, 2.5]),
        ((True, False), [1, 0]),
        (objects(1, 2.5), [1, 2.5]),
        (np.array([2**40], np.uint64), [2.0**40]),
        (3, 3.0),
        (pd.Series([1, 2]), [1, 2]),
        (np.ma.array([1, 2]), [1, 2]),
        ([], []),
    ):
        found = read_numbers("it", given)
        assert found.dtype == np.float64
        assert found.tolist() == expected
    for wrong in (["1"], "1", [None, "a"], [1j], [DAY], [b"1"], objects("1", 2)):
        with pytest.raises(InvalidParameterError, match="it must hold numbers"):
            read_numbers("it", wrong)
    for masked in (np.ma.array([1, 2], mask=[0, 1]), np.ma.masked):
        with pytest.raises(InvalidParameterError, match="it must hold numbers, none of them mask"):
            read_numbers("it", masked)
    for wrong in ([[1], [1, 2]], objects(object()), objects([1, 2], 3)):
        with pytest.raises(InvalidParameterError, match="it must hold numbers, got"):
            read_numbers("it", wrong)


def test_numbers_that_rise():
    assert read_rising("it", [0, 0.5, 2]).tolist() == [0, 0.5, 2]
    assert read_rising("it", []).tolist() == []
    assert read_rising("it", [3], 1).tolist() == [3]
    assert read_rising("it", [-np.inf, 0, np.inf], finite=False).tolist() == [-np.inf, 0, np.inf]
    assert len(read_rising("it", range(4), 4)) == 4
    for wrong in ([1, 1], [2, 1], [[0, 1]], 3, [0, np.nan], [0, np.inf], [-np.inf, 0], [0, 1, 1]):
        with pytest.raises(InvalidParameterError, match="it must be finite numbers that rise, got"):
            read_rising("it", wrong)
    for wrong in ([1, 1], [0, np.nan], [np.nan, 0], [np.nan]):
        with pytest.raises(InvalidParameterError, match="it must be numbers that rise, got"):
            read_rising("it", wrong, finite=False)
    for wrong in ([], [1], [1, 2]):
        with pytest.raises(InvalidParameterError, match=r"it must be finite .* rise, at least 3,"):
            read_rising("it", wrong, 3)


def test_text_among_objects():
    assert holds_text(objects("a", 1))
    assert holds_text(objects(1, b"a"))
    assert holds_text(np.array([[1, 2], [3, "a"]], object))
    assert not holds_text(objects(1, None))
    assert not holds_text(np.array(["a"]))


def test_arrays_of_any_dtype():
    given = np.array(["a", "b"])
    assert read_array("it", given) is given
    assert read_array("it", ["a", "b"]).tolist() == ["a", "b"]


# --------------------------------------------------------------------------- rows

ROWS = [2, 0]
KEPT = {
    "an array": (np.array([5, 6, 7]), np.ndarray),
    "a list": ([5, 6, 7], list),
    "a tuple": ((5, 6, 7), list),
    "a range": (range(5, 8), list),
    "a series": (pd.Series([5, 6, 7], index=[9, 8, 7]), pd.Series),
    "polars": (pl.Series([5, 6, 7]), pl.Series),
    "Arrow": (pa.array([5, 6, 7]), pa.Array),
    "chunks": (pa.chunked_array([[5], [6, 7]]), pa.ChunkedArray),
    "an index": (pd.Index([5, 6, 7]), pd.Index),
    "a masked array": (np.ma.array([5, 6, 7], mask=[0, 1, 0]), np.ma.MaskedArray),
}


@pytest.mark.parametrize("what", KEPT)
def test_rows_are_taken_in_their_container(what):
    data, kind = KEPT[what]
    found = take_rows(data, np.array(ROWS))
    assert isinstance(found, kind)
    listed = found.to_pylist() if hasattr(found, "to_pylist") else list(found)
    assert listed == [7, 5]
    assert count_rows(data) == 3


def test_rows_of_matrices():
    frame = pd.DataFrame({"a": [5, 6, 7], "b": [1, 2, 3]})
    assert take_rows(frame, np.array(ROWS)).to_numpy().tolist() == [[7, 3], [5, 1]]
    assert take_rows(csr_array(frame.to_numpy()), np.array(ROWS)).toarray().tolist() == [
        [7, 3],
        [5, 1],
    ]
    assert take_rows(coo_array(frame.to_numpy()), np.array(ROWS)).toarray().tolist() == [
        [7, 3],
        [5, 1],
    ]
    wide = pl.DataFrame({"a": [5, 6, 7], "b": [1, 2, 3]})
    assert take_rows(wide, np.array(ROWS)).rows() == [(7, 3), (5, 1)]

    class Bare:
        def __array__(self, dtype=None, copy=None):
            return np.array([5, 6, 7])

    assert take_rows(Bare(), np.array(ROWS)).tolist() == [7, 5]


def test_parameters_of_rows():
    given = {"weight": [1, 2, 3], "k": 2, "name": "abc", "other": [1, 2], "map": {1: 1, 2: 2, 3: 3}}
    found = take_params(given, 3, np.array(ROWS))
    assert found == {**given, "weight": [3, 1]}
    assert take_params(given, None, np.array(ROWS)) == given


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([1, 2], 2),
        ([], 0),
        (np.zeros((3, 2)), 3),
        (np.array(3), None),
        (3, None),
        (None, None),
        ("abc", None),
        (b"abc", None),
        ({1: 2}, None),
        (list, None),
        (pd.DataFrame({"a": [1, 2]}), 2),
        (csr_array((4, 2)), 4),
        (pa.array([1, 2]), 2),
        (np.float64(3), None),
    ],
)
def test_how_many_rows_there_are(data, expected):
    assert count_rows(data) == expected


def test_columns_without_rows_that_are_masked():
    column = Column("it", np.array([[1, 2], [3, 4], [5, 6]]), names=["a", "b"])
    kept = column.keep(np.array([True, False, True]))
    assert kept.values.tolist() == [[1, 2], [5, 6]]
    assert kept.names == ["a", "b"]
    assert not kept.is_sparse


def test_a_report_is_of_the_rows_that_are_not_masked():
    true = np.ma.array([0, 1, 1, 0], mask=[0, 0, 0, 1])
    score = np.ma.array([[0.5, 0.5], [0.1, 0.9], [0.9, 0.1], [0.2, 0.8]],
                        mask=[[0, 0], [0, 0], [0, 1], [0, 0]])  # fmt: skip
    assert sx.log_loss(true, score) == pytest.approx(-np.log([0.5, 0.9]).mean(), rel=1e-14)


@pytest.mark.parametrize("dtype", ["String", "Categorical"])
@pytest.mark.parametrize("n_words", [1, 3, 900, 5000])
@pytest.mark.parametrize("rare", [[], ["rare", "zz"]])
def test_text_of_polars_whose_first_rows_lack_some(dtype, n_words, rare):
    """Categories are shared: those of another column come before, or many of them."""
    others = pl.Series([f"other {i}" for i in range(3 * n_words)], dtype=pl.Categorical)
    words = [f"{i * 7 % n_words}" for i in range(12_000)] + rare
    column = read_column(pl.Series("it", words).cast(getattr(pl, dtype)), "it")
    assert column.labels.tolist() == words
    assert set(words) <= set(column.categories.tolist()) <= {*words, *others}
    empty = read_column(pl.Series("it", [], dtype=getattr(pl, dtype)), "it")
    assert len(empty) == 0


def test_categories_of_polars_that_other_columns_filled():
    _ = pl.Series([f"other {i}" for i in range(30_000)], dtype=pl.Categorical)
    column = read_column(pl.Series(["late", "later", "late"], dtype=pl.Categorical), "it")
    assert column.labels.tolist() == ["late", "later", "late"]
    assert column.categories.tolist() == ["late", "later"]

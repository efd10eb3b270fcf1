"""encode, types, bin_sums, confusion and class_counts against plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import identical
from support.samples import integers

from skmetrics_ext import kernels

WIDE = st.integers(-(2**63), 2**63 - 1)
COLUMNS = {
    "narrow": st.integers(-5, 5).map(int),
    "wide": WIDE,
    "far": st.integers(2**62, 2**62 + 5),
    "text": st.sampled_from(["", "a", "aa", "b", "é", "Z"]),
    "float": st.sampled_from([0.0, -1.0, 1e300, 3.0]),
    "bool": st.booleans(),
}


@pytest.mark.parametrize("kind", sorted(COLUMNS))
@pytest.mark.parametrize("dtype", ["own", object])
@given(data=st.data())
def test_codes_point_at_the_sorted_classes(kind, dtype, data):
    lists = [data.draw(st.lists(COLUMNS[kind], min_size=1, max_size=8)) for _ in range(2)]
    columns = [np.array(values, dtype=None if dtype == "own" else dtype) for values in lists]
    if kind in ("narrow", "wide", "far") and dtype == "own":
        columns = [column.astype(np.int64) for column in columns]
    classes, codes = kernels.encode(*columns)
    assert classes.tolist() == sorted({*lists[0], *lists[1]})
    for values, code in zip(lists, codes, strict=True):
        assert code.dtype == np.int64
        assert classes[code].tolist() == values


@pytest.mark.parametrize("n_labels", [1, 2, 200, 900])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_many_rows_of_text_have_the_codes_of_their_sorted_names(width, n_labels):
    """More rows than are sorted, and more than one chunk of them; more labels than fit a table."""
    number = np.arange(70_001) * 7 % n_labels
    names = np.array([chr(200 + 3 * k) if width == 1 else f"{k:0{width}}" for k in range(n_labels)])
    first, second = names[number], names[number[::-1]][:100]
    classes, codes = kernels.encode(first, second)
    place = {name: k for k, name in enumerate(sorted(set(names.tolist())))}
    assert classes.tolist() == list(place)
    for column, code in zip((first, second), codes, strict=True):
        assert code.tolist() == [place[name] for name in column.tolist()]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_narrow_dtypes_do_not_wrap_around(dtype):
    info = np.iinfo(dtype)
    values = np.array([info.max, info.min, info.max - 1, info.max], dtype=dtype)
    classes, (codes,) = kernels.encode(values)
    assert classes.dtype == dtype
    assert classes.tolist() == [info.min, info.max - 1, info.max]
    assert codes.tolist() == [2, 0, 1, 2]


@pytest.mark.parametrize("far", [1, 2**40, 2**62])
def test_int64_beside_uint64_are_integers(far):
    classes, codes = kernels.encode(np.array([-far, 0]), np.array([far, 0], dtype=np.uint64))
    assert classes.dtype == np.int64
    assert classes.tolist() == [-far, 0, far]
    assert [column.tolist() for column in codes] == [[0, 1], [2, 1]]


def test_int64_beside_uint64_is_exact():
    first = np.array([2**53, 2**53 + 1], dtype=np.int64)
    classes, codes = kernels.encode(first, np.array([2**63 + 1, 2**53 + 1], dtype=np.uint64))
    assert classes.tolist() == [2**53, 2**53 + 1, 2**63 + 1]
    assert [code.tolist() for code in codes] == [[0, 1], [2, 1]]


@given(data=st.data())
def test_integer_weights_are_summed_exactly(data):
    n_rows = data.draw(st.integers(1, 8))
    bins = data.draw(integers(0, 3, n_rows))
    small = st.integers(0, 10)
    values = data.draw(
        st.lists(small | st.integers(2**55, 2**59), min_size=n_rows, max_size=n_rows)
    )
    sums = kernels.bin_sums(bins, 5, np.array(values, dtype=np.int64))
    expected = [sum(v for v, b in zip(values, bins, strict=True) if b == k) for k in range(5)]
    identical(sums, np.array(expected, dtype=np.int64))


def test_one_weight_of_2_to_the_62():
    identical(
        kernels.bin_sums(np.array([0, 1, 0]), 2, np.array([2**62, 1, 1])), np.array([2**62 + 1, 1])
    )


def test_no_weights_count_and_float_weights_add():
    bins = np.array([0, 2, 2])
    identical(kernels.bin_sums(bins, 4, None), np.array([1, 0, 2, 0]))
    identical(kernels.bin_sums(bins, 3, np.array([0.5, 1.5, 2.0])), np.array([0.5, 0.0, 3.5]))


def test_bins_hold_their_upper_edge():
    codes, proba = np.array([0, 1, 1, 0, 1]), np.array([0.25, 0.25, 0.5, 0.0, 1.0])
    count, happened, predicted = kernels.binned_events(codes, proba, np.array([0.25, 0.5]))
    identical(count, np.array([3, 1, 1]))
    identical(happened, np.array([1, 1, 1]))
    identical(predicted, np.array([0.5, 0.5, 1.0]))
    count, happened, predicted = kernels.binned_events(codes, proba, np.array([]))
    assert (count.tolist(), happened.tolist(), predicted.tolist()) == ([5], [3], [2.0])


def test_squared_distances_of_probabilities_from_marks():
    marks, proba = np.array([0, 1, 1]), np.array([0.25, 0.25, 1.0])
    identical(kernels.squared_distances(marks, proba), np.array([0.0625, 0.5625, 0.0]))
    with pytest.raises(ValueError, match="codes must be from 0 to 1"):
        kernels.squared_distances(np.array([0, 2, 1]), proba)
    with pytest.raises(ValueError, match="Columns of 2 and 3 rows"):
        kernels.squared_distances(marks[:2], proba)


@pytest.mark.parametrize("n_rows", [5, 1 << 15, (1 << 15) + 1, 100_000])
def test_long_columns_are_counted_in_chunks(n_rows):
    rng = np.random.default_rng(n_rows)
    true, pred = rng.integers(0, 3, n_rows), rng.integers(0, 3, n_rows)
    table = kernels.confusion(true, pred, 3, None)
    expected = [[np.count_nonzero((true == i) & (pred == j)) for j in range(3)] for i in range(3)]
    identical(table, np.array(expected))


@pytest.mark.parametrize("n_classes", [3, 200])
@pytest.mark.parametrize("weights", ["none", "int", "float"])
def test_class_counts_are_margins_of_the_table(n_classes, weights):
    """Both with a table (few classes) and without."""
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, n_classes, 400), rng.integers(0, n_classes, 400)
    drawn = rng.integers(0, 9, 400)
    weight = {"none": None, "int": drawn, "float": drawn / 8}[weights]
    table = kernels.confusion(true, pred, n_classes, weight)
    right, of_class, predicted = kernels.class_counts(true, pred, n_classes, weight)
    identical(right, table.diagonal())
    identical(of_class, table.sum(axis=1))
    identical(predicted, table.sum(axis=0))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", "b", "a"], {str}),
        ([1, "a", None, 1.5, 2], {int, str, type(None), float}),
        ([True, np.str_("a")], {bool, np.str_}),
        ([], set()),
    ],
)
def test_types_of_objects(values, expected):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    assert kernels.types(column) == expected
    assert kernels.types(np.repeat(column, 2)[::2]) == expected  # not dense
    assert kernels.types(np.stack([column, column], axis=1)) == expected


NUMBERS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "f4", "f8")


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("few", [True, False])
@given(data=st.data())
def test_tables_of_values(dtype, few, data):
    """Counted by Python; None, where codes are counted instead, never for two values."""
    lowest = 0 if dtype[0] in "bu" else data.draw(st.integers(-128, 60))
    pool = [lowest, lowest + data.draw(st.integers(1, 67))] if few else range(lowest, lowest + 68)
    size = data.draw(st.integers(1, 500))
    columns = [
        np.array(data.draw(st.lists(st.sampled_from(pool), min_size=size, max_size=size)))
        for _ in range(2)
    ]
    true, pred = (column.clip(max=127).astype(dtype) for column in columns)
    found = kernels.tabulate(true[::-1], pred[::-1])
    if found is None:
        assert not few or (kernels.active() == "numpy" and abs(pool[1] - pool[0]) >= 64)
        return
    pairs = list(zip(true.tolist(), pred.tolist(), strict=True))
    rows, columns, table = found
    assert sorted(rows.tolist()) == sorted(set(true.tolist()))
    assert sorted(columns.tolist()) == sorted(set(pred.tolist()))
    for i, row in enumerate(rows.tolist()):
        for j, column in enumerate(columns.tolist()):
            assert table[i, j] == pairs.count((row, column))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("stray", [np.nan, np.inf, -np.inf, 0.5])
@pytest.mark.parametrize("row", [0, 1, 300, 499])
def test_values_that_are_not_whole_are_not_counted(dtype, stray, row):
    true, pred = np.zeros((2, 500), dtype)
    pred[row] = stray
    assert kernels.tabulate(true, pred) is None
    assert kernels.tabulate(pred, true) is None


def test_both_zeros_are_one_value():
    rows, columns, table = kernels.tabulate(np.array([-0.0, 0, 1]), np.array([1, -0.0, 0.0]))
    assert sorted(rows.tolist()) == sorted(columns.tolist()) == [0, 1]
    assert table.sum() == 3


@pytest.mark.parametrize("values", [["a"], np.array([0], object), np.zeros((2, 2), int)])
def test_text_objects_and_matrices_are_not_counted_as_they_are(values):
    assert kernels.tabulate(np.array(values), np.array(values)) is None

"""Columns as codes, in bins and crossed."""

from itertools import product

import numpy as np
import pytest

from skmetrics_ext.slices.coding import Coded, bin_names, cross
from skmetrics_ext.validation import InvalidParameterError


def test_values_of_a_column_are_in_order_and_codes_point_at_them():
    found = Coded.of("site", ["b", "a", "b", "c"])
    assert found.values == ("a", "b", "c")
    assert found.codes.tolist() == [1, 0, 1, 2]


def test_an_edge_belongs_to_the_bin_above_it():
    found = Coded.of("age", np.array([29.9, 30, 49, 50, 80]), [30, 50])
    assert found.values == ("< 30", "[30, 50)", ">= 50")
    assert found.codes.tolist() == [0, 1, 1, 2, 2]


def test_quantile_bins_hold_equal_numbers_and_ties_make_fewer():
    values = np.random.default_rng(0).permutation(100)
    assert np.bincount(Coded.of("x", values, 4).codes).tolist() == [25, 25, 25, 25]
    tied = Coded.of("x", [0, 0, 0, 0, 0, 0, 0, 1], 4)
    assert tied.values == ("all",)
    assert Coded.of("x", [0, 0, 0, 1, 1, 1, 1, 1], 4).values == ("< 1", ">= 1")


@pytest.mark.parametrize("n_bins", [2, np.int64(2)])
def test_two_bins_are_the_fewest(n_bins):
    assert Coded.of("x", [4, 1, 3, 2], n_bins).values == ("< 3", ">= 3")


def test_edges_that_look_alike_are_told_apart():
    assert bin_names(np.array([1.0, 1.0000000001])) == (
        "< 1.0",
        "[1.0, 1.0000000001)",
        ">= 1.0000000001",
    )


def test_crossed_codes_number_the_combinations_that_occur():
    rng = np.random.default_rng(1)
    columns = [Coded.of(str(size), rng.integers(0, size, 50)) for size in (3, 2, 4)]
    codes, number = cross(columns)
    rows = list(zip(*(column.codes.tolist() for column in columns), strict=True))
    assert [tuple(codes[i]) for i in number] == rows
    assert [tuple(row) for row in codes.tolist()] == [
        key for key in product(range(3), range(2), range(4)) if key in rows
    ]


def test_many_columns_do_not_overflow():
    rng = np.random.default_rng(2)
    columns = [Coded.of(str(i), rng.permutation(200)) for i in range(12)]
    assert sorted(cross(columns)[1].tolist()) == list(range(200))
    twice = [Coded.of(str(i), rng.permutation(400) // 2) for i in range(9)]
    codes, number = cross(twice)
    rows = np.stack([column.codes for column in twice], axis=1)
    assert codes[number].tolist() == rows.tolist()
    assert codes.tolist() == sorted({tuple(row): list(row) for row in rows.tolist()}.values())


@pytest.mark.parametrize("bins", [[], [2, 1], ["a"], True, 1, [[1, 2]], [float("nan")]])
def test_bins_that_are_none_are_refused(bins):
    with pytest.raises(InvalidParameterError, match="bins"):
        Coded.of("x", [1.0, 2.0], bins)


def test_text_is_not_put_in_bins():
    with pytest.raises(InvalidParameterError, match="has to hold numbers"):
        Coded.of("x", ["a", "b"], 2)

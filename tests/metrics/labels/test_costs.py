"""Costs and distances, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skmetrics_ext as m

from .tables import BINARY, TWENTY_ONE, written_out


@pytest.mark.parametrize(
    ("table", "costs", "value"),
    [
        (BINARY, [[0, 1], [5, 0]], 11 / 10),
        (BINARY, [[-1, 1], [5, -2]], (11 - 4 - 6) / 10),
        (TWENTY_ONE, 1 - np.eye(3), 13 / 21),
        (TWENTY_ONE, [[0, 1, 4], [1, 0, 1], [4, 1, 0]], 22 / 21),
    ],
)
def test_expected_cost(table, costs, value) -> None:
    assert m.expected_cost(*written_out(table), cost_matrix=costs) == pytest.approx(value)


def test_costs_are_in_the_order_of_the_labels() -> None:
    labels = ["b", "a", "a", "b"], ["a", "a", "b", "b"]
    costs = [[0, 1], [10, 0]]
    got = m.expected_cost(*labels, cost_matrix=costs, labels=["b", "a"])
    assert got == pytest.approx(11 / 4)
    weighted = m.expected_cost(*labels, cost_matrix=costs, sample_weight=[3, 0, 0, 1])
    assert weighted == pytest.approx(30 / 4)  # sorted: a, b; a true b is called a


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 8)), min_size=1),
    st.lists(st.integers(-5, 5), min_size=16, max_size=16),
)
def test_expected_cost_is_the_mean_over_rows(rows, costs) -> None:
    true, pred, weight = np.array(rows).T
    if not weight.any():
        return
    matrix = np.reshape(costs, (4, 4))
    got = m.expected_cost(true, pred, cost_matrix=matrix, labels=[0, 1, 2, 3], sample_weight=weight)
    assert got == pytest.approx(np.average(matrix[true, pred], weights=weight), abs=1e-12)


def test_grades_are_the_numbers_themselves() -> None:
    """Class 1: (0 + 1) / 2, class 2: 0, class 4: 2."""
    assert m.macro_averaged_mean_absolute_error([1, 1, 2, 4], [1, 2, 2, 2]) == pytest.approx(5 / 6)
    steps = m.macro_averaged_mean_absolute_error([1, 1, 2, 4], [1, 2, 2, 2], labels=[1, 2, 4])
    assert steps == pytest.approx((1 / 2 + 0 + 1) / 3)


def test_grades_of_ordered_categories() -> None:
    order = ["low", "medium", "high"]
    true, pred = (
        pd.Categorical(values, categories=order, ordered=True)
        for values in (["low", "medium", "high"], ["high", "medium", "medium"])
    )
    assert m.macro_averaged_mean_absolute_error(true, pred) == pytest.approx((2 + 0 + 1) / 3)


def test_classes_without_true_rows_are_left_out() -> None:
    got = m.macro_averaged_mean_absolute_error([0, 0], [0, 3], labels=[0, 1, 2, 3])
    assert got == pytest.approx(3 / 2)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20))
def test_the_distance_is_the_mean_of_that_of_each_class(rows) -> None:
    true, pred = np.array(rows).T
    means = [np.abs(pred[true == k] - k).mean() for k in np.unique(true)]
    got = m.macro_averaged_mean_absolute_error(true, pred)
    assert got == pytest.approx(np.mean(means), abs=1e-12)


def test_hamming_of_labels_and_of_indicators() -> None:
    assert m.hamming_loss(*written_out(TWENTY_ONE)) == pytest.approx(13 / 21)
    marks = np.array([[0, 1, 1], [1, 1, 0]]), np.array([[0, 1, 0], [0, 1, 0]])
    assert m.hamming_loss(*marks) == pytest.approx(2 / 6)
    assert m.hamming_loss(*marks, sample_weight=[1, 3]) == pytest.approx((1 + 3) / (3 * 4))


def test_cost_of_probabilities_by_hand() -> None:
    # Costs of the rows: 1/4 * 1, 0, 1/2 * 10, 0; and 2 * 1/3 + 1 * 1/3 of three classes.
    costs = [[0, 1], [10, 0]]
    proba = [0.25, 0.0, 0.5, 1.0]
    assert m.expected_cost_proba([0, 0, 1, 1], proba, cost_matrix=costs) == 5.25 / 4
    weighted = m.expected_cost_proba(
        [0, 0, 1, 1], proba, cost_matrix=costs, sample_weight=[3, 1, 0, 0]
    )
    assert weighted == 0.75 / 4
    three = [[0, 2, 1], [1, 0, 1], [1, 1, 0]]
    found = m.expected_cost_proba(["a"], [[1 / 3] * 3], cost_matrix=three, labels=["a", "b", "c"])
    assert found == pytest.approx(1)


def test_cost_of_certain_probabilities_is_that_of_the_labels() -> None:
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, (2, 50))
    costs = rng.normal(size=(3, 3))
    found = m.expected_cost_proba(true, np.eye(3)[pred], cost_matrix=costs)
    assert found == pytest.approx(m.expected_cost(true, pred, cost_matrix=costs))


def test_columns_of_costs_follow_the_labels() -> None:
    costs, proba = [[0, 1], [10, 0]], [[0.5, 0.5], [0.75, 0.25]]
    # Columns and costs are of "well", "ill": row costs 5 and 1/4.
    found = m.expected_cost_proba(["ill", "well"], proba, cost_matrix=costs, labels=["well", "ill"])
    assert found == pytest.approx(5.25 / 2)
    one = m.expected_cost_proba(["ill", "well"], [0.5, 0.25], cost_matrix=costs, pos_label="ill")
    assert one == pytest.approx(5.25 / 2)


def test_cost_matrix_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"cost_matrix must be finite and of shape \(2, 2\)"):
        m.expected_cost_proba([0, 1], [0.2, 0.7], cost_matrix=[[0, 1, 1]])

"""Costs and distances, by hand."""

from __future__ import annotations

from functools import partial

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


# Fraud: a missed fraud costs its amount, an alarm costs 5 (Bahnsen's costs).
FRAUDS, ALARMS, AMOUNTS = [1, 0, 1, 0], [1, 0, 0, 1], [100, 20, 40, 10]
COSTS = [[[0, 5], [amount, 5]] for amount in AMOUNTS]


def test_costs_of_each_row() -> None:
    """5 + 0 + 40 + 5 over 4 rows; never an alarm costs 140, always one 20."""
    assert m.expected_cost(FRAUDS, ALARMS, cost_matrix=COSTS) == 50 / 4
    assert m.savings_score(FRAUDS, ALARMS, cost_matrix=COSTS) == pytest.approx(1 - 50 / 20)
    weight = [2, 1, 0, 1]  # 10 + 0 + 5; never 200, always 20
    weighted = m.savings_score(FRAUDS, ALARMS, cost_matrix=COSTS, sample_weight=weight)
    assert weighted == pytest.approx(1 - 15 / 20)
    turned = [[row[::-1] for row in costs[::-1]] for costs in COSTS]
    assert m.expected_cost(FRAUDS, ALARMS, cost_matrix=turned, labels=[1, 0]) == 50 / 4
    assert m.savings_score(FRAUDS, FRAUDS, cost_matrix=COSTS) == pytest.approx(1 - 10 / 20)


def test_one_matrix_is_that_of_every_row() -> None:
    costs, true, pred = [[0, 1, 4], [2, 0, 1], [3, 5, 0]], [0, 1, 2, 2, 1, 0], [0, 2, 2, 1, 1, 2]
    each = [costs] * 6  # 0 + 1 + 0 + 5 + 0 + 4; constants 10, 12, 10
    for matrix in (costs, each):
        assert m.expected_cost(true, pred, cost_matrix=matrix) == pytest.approx(10 / 6)
        assert m.savings_score(true, pred, cost_matrix=matrix) == pytest.approx(1 - 10 / 10)
        assert m.savings_score(true, true, cost_matrix=matrix) == 1


def test_savings_where_the_best_constant_answer_costs_nothing() -> None:
    with pytest.warns(UserWarning, match="the best constant answer costs nothing"):
        assert np.isnan(m.savings_score([0, 0], [0, 1], cost_matrix=[[0, 1], [1, 0]]))


@pytest.mark.parametrize("name", ["expected_cost", "savings_score"])
def test_intervals_of_costs_of_each_row(name) -> None:
    rng = np.random.default_rng(3)
    true = rng.integers(0, 2, 400)
    pred = np.where(rng.random(400) < 0.8, true, 1 - true)
    costs = np.zeros((400, 2, 2))
    costs[:, 0, 1] = costs[:, 1, 1] = 4
    costs[:, 1, 0] = rng.exponential(9, 400)
    rows = np.arange(400)
    paid, always = costs[rows, true, pred], costs[rows, true, 1]
    assert always.sum() < costs[rows, true, 0].sum()
    away = paid - paid.mean()
    if name == "savings_score":  # the delta method for a ratio of means
        away = -(away - paid.mean() / always.mean() * (always - always.mean())) / always.mean()
    found = m.confidence_interval(name, true, pred, cost_matrix=costs, method="bootstrap")
    exact = m.confidence_interval(name, true, pred, cost_matrix=costs)
    error = away.std(ddof=1) / 20
    assert exact.standard_error == pytest.approx(error, rel=2e-3)
    assert found.standard_error == pytest.approx(error, rel=0.1)
    moved = m.influence_values(name, true, pred, cost_matrix=costs)
    assert moved == pytest.approx(away, abs=1e-12)
    assert m.compare(name, true, pred, pred, cost_matrix=costs).value == 0


@pytest.mark.parametrize("name", ["expected_cost", "savings_score"])
def test_tables_of_costs_of_each_row(name) -> None:
    rng = np.random.default_rng(5)
    true, pred, site = rng.integers(0, 2, 90), rng.integers(0, 2, 90), np.arange(90) % 3
    costs = rng.exponential(2, (90, 2, 2))
    options = {"intervals": True, "by": {"site": site}, "cost_matrix": costs}
    table = m.compute_metrics([name, "accuracy"], true, pred, **options)
    for row in table.where(metric=name):
        rows = site == row.group
        alone = m.confidence_interval(name, true[rows], pred[rows], cost_matrix=costs[rows])
        assert (row.value, row.low, row.high) == (alone.value, alone.low, alone.high)
    plain = m.compute_metrics(["accuracy"], true, pred, by={"site": site}, intervals=True)
    assert [row.low for row in table.where(metric="accuracy")] == [row.low for row in plain]
    with pytest.raises(ValueError, match=f"use compute_metrics.*{name}"):
        m.evaluate({"y": true, "p": pred}, true="y", pred="p", metrics=[
            partial(getattr(m, name), cost_matrix=costs)
        ])  # fmt: skip


def test_costs_of_each_row_that_do_not_fit_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"of shape \(2, 2\) or \(4, 2, 2\).*got shape \(3, 2, 2\)"
    ):
        m.expected_cost(FRAUDS, ALARMS, cost_matrix=COSTS[:3])
    with pytest.raises(ValueError, match="cost_matrix"):
        m.savings_score(FRAUDS, ALARMS)


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

"""Tests of labels of the same rows: who is right, what is swapped."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import binom, chi2, f_oneway

from skmetrics_ext import mcnemar_test
from skmetrics_ext.inference.tests.contingency import (
    MCNEMAR_METHODS,
    bowker,
    mcnemar_p_value,
    stuart_maxwell,
    tango_bounds,
)
from skmetrics_ext.significance import (
    bowker_test,
    classifier_f_test,
    cochran_q_test,
    no_information_test,
    stuart_maxwell_test,
)

SPLIT = st.tuples(st.integers(0, 40), st.integers(0, 40))


def models(only_a: int, only_b: int, both: int, neither: int) -> tuple[np.ndarray, ...]:
    """True labels and two predictions with these counts of rows."""
    counts = [only_a, only_b, both, neither]
    pred_a, pred_b = np.repeat([1, 0, 1, 0], counts), np.repeat([0, 1, 1, 0], counts)
    return np.ones_like(pred_a), pred_a, pred_b


def exact_by_hand(only_a: int, only_b: int) -> tuple[Fraction, Fraction]:
    """Exact and mid-p values as sums of binomial coefficients."""
    n, larger = only_a + only_b, max(only_a, only_b)
    tail = sum(Fraction(comb(n, k), 2**n) for k in range(larger, n + 1))
    point = Fraction(comb(n, larger), 2**n)
    return min(2 * tail, Fraction(1)), min(2 * tail - point, Fraction(1))


@given(split=SPLIT)
def test_mcnemar_exact_methods(split: tuple[int, int]) -> None:
    exact, mid = exact_by_hand(*split)
    assert mcnemar_p_value(*split, "exact")[1] == pytest.approx(float(exact))
    assert mcnemar_p_value(*split, "mid_p")[1] == pytest.approx(float(mid))
    assert np.isnan(mcnemar_p_value(*split, "exact")[0])


def test_mcnemar_chi_squared_by_hand() -> None:
    labels = models(10, 2, 5, 3)
    plain = mcnemar_test(*labels, method="uncorrected")
    corrected = mcnemar_test(*labels, method="corrected")
    assert plain.statistic == pytest.approx(64 / 12)
    assert plain.p_value == pytest.approx(chi2.sf(64 / 12, 1))
    assert corrected.statistic == pytest.approx(49 / 12)
    assert (plain.difference, plain.value_a, plain.value_b) == (8 / 20, 15 / 20, 7 / 20)
    assert plain.standard_error == pytest.approx(sqrt(12 - 64 / 20) / 20)


def test_correction_never_turns_the_difference_round() -> None:
    assert mcnemar_p_value(3, 3, "corrected") == (0.0, 1.0)
    assert mcnemar_p_value(4, 3, "corrected") == (0.0, 1.0)


def test_mid_p_keeps_its_level_where_the_exact_test_wastes_it() -> None:
    n, rejected = 25, {}
    for method in ("exact", "mid_p"):
        first = np.arange(n + 1)
        p_values = mcnemar_p_value(first, n - first, method)[1]
        rejected[method] = binom.pmf(first, n, 0.5)[p_values <= 0.05].sum()
    assert rejected["exact"] <= 0.05
    assert rejected["exact"] <= rejected["mid_p"] < 0.055


@pytest.mark.parametrize("method", MCNEMAR_METHODS)
def test_model_against_itself(method: str) -> None:
    labels = models(0, 0, 7, 3)
    found = mcnemar_test(*labels, method=method)
    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert found.low < 0 < found.high


@pytest.mark.parametrize("method", MCNEMAR_METHODS)
@given(split=SPLIT)
def test_mcnemar_is_symmetric(method: str, split: tuple[int, int]) -> None:
    labels = models(*split, 3, 2)
    there = mcnemar_test(*labels, method=method)
    back = mcnemar_test(labels[0], labels[2], labels[1], method=method)
    assert there.p_value == back.p_value
    assert 0 <= there.p_value <= 1
    assert there.difference == -back.difference
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-9)
    assert -1 <= there.low <= there.difference <= there.high <= 1


@given(split=SPLIT)
def test_interval_leaves_0_out_where_the_uncorrected_test_rejects(split: tuple[int, int]) -> None:
    found = mcnemar_test(*models(*split, 10, 5), method="uncorrected")
    assume(abs(found.p_value - 0.05) > 1e-9)
    assert (found.low > 0 or found.high < 0) == (found.p_value < 0.05)


@pytest.mark.parametrize(("only_a", "only_b", "nobs"), [(9, 3, 40), (1, 0, 44), (5, 5, 12)])
def test_bounds_have_the_score_z_under_the_likeliest_shares(
    only_a: int, only_b: int, nobs: int
) -> None:
    for bound, sign in zip(tango_bounds(only_a, only_b, nobs, 0.95), (1, -1), strict=True):

        def minus_log_likelihood(share_b: float, delta: float = float(bound)) -> float:
            shares = np.array([share_b + delta, share_b, 1 - 2 * share_b - delta])
            counts = np.array([only_a, only_b, nobs - only_a - only_b])
            return -float(xlogy(counts, shares).sum())

        ends = max(0.0, -float(bound)), (1 - float(bound)) / 2
        share = minimize_scalar(minus_log_likelihood, bounds=ends, options={"xatol": 1e-12}).x
        variance = (2 * share + bound * (1 - bound)) / nobs
        z = ((only_a - only_b) / nobs - bound) / sqrt(variance)
        assert z == pytest.approx(sign * 1.959963984540054, abs=1e-3)


def test_exact_coverage_of_the_interval() -> None:
    # Trinomial of 30 pairs: 20 % right by the first alone, 10 % by the second alone.
    n, first, second = 30, 0.2, 0.1
    covered = 0.0
    for a, b in product(range(n + 1), repeat=2):
        if a + b > n:
            continue
        chance = comb(n, a) * comb(n - a, b) * first**a * second**b * 0.7 ** (n - a - b)
        if chance > 1e-9:
            low, high = tango_bounds(a, b, n, 0.95)
            covered += chance * float(low <= first - second <= high)
    assert 0.935 < covered < 0.97


def test_text_labels_and_series() -> None:
    true = pd.Series(["ill", "well", "well", "ill"])
    found = mcnemar_test(true, pd.Series(["ill", "well", "ill", "ill"]), ["well"] * 4)
    assert (found.value_a, found.value_b) == (0.75, 0.5)


HITS = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=2, max_size=25)
)


def as_models(hits: list[list[int]]) -> tuple[np.ndarray, list[np.ndarray]]:
    table = np.array(hits)
    return np.ones(len(table), dtype=int), list(table.T)


@given(hits=HITS)
def test_cochran_q_is_the_ratio_of_its_definition(hits: list[list[int]]) -> None:
    table = [[Fraction(hit) for hit in row] for row in hits]
    k = len(table[0])
    rows, columns = (
        [sum(row) for row in table],
        [sum(column) for column in zip(*table, strict=True)],
    )
    mean = sum(columns) / Fraction(k)
    below = sum(row * (k - row) for row in rows)
    want = k * (k - 1) * sum((column - mean) ** 2 for column in columns) / below if below else 0
    found = cochran_q_test(*as_models(hits))
    assert found.statistic == pytest.approx(float(want))
    assert found.p_value == pytest.approx(chi2.sf(float(want), k - 1))
    assert found.degrees_of_freedom == k - 1


@given(split=SPLIT)
def test_cochran_q_of_two_models_is_mcnemar(split: tuple[int, int]) -> None:
    true, pred_a, pred_b = models(*split, 4, 4)
    q = cochran_q_test(true, {"a": pred_a, "b": pred_b})
    mcnemar = mcnemar_test(true, pred_a, pred_b, method="uncorrected")
    assert q.statistic == pytest.approx(mcnemar.statistic)
    assert q.p_value == pytest.approx(mcnemar.p_value)


def test_looney_f_by_hand() -> None:
    # Hits (1,1), (1,0), (1,0), (0,0): SS models 1/2, rows 1, total 2, rest 1/2 over 3.
    found = classifier_f_test(*as_models([[1, 1], [1, 0], [1, 0], [0, 0]]))
    assert found.statistic == pytest.approx(3.0)
    assert found.degrees_of_freedom == (1, 3)


def test_looney_f_without_row_effects_is_near_one_way() -> None:
    table = np.array([[1, 0], [0, 1]] * 3 + [[1, 0]])
    found = classifier_f_test(*as_models(table.tolist()))
    # Every row has one hit, so the rows have no sum of squares.
    one_way = f_oneway(*table.T)
    assert found.statistic == pytest.approx(one_way.statistic * 6 / 12)


@pytest.mark.parametrize("test", [cochran_q_test, classifier_f_test])
def test_models_that_are_right_alike(test: object) -> None:
    found = test([0, 1, 1, 2], [[0, 1, 0, 0], [0, 1, 2, 1], [0, 1, 0, 1]])
    assert (found.statistic, found.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("predictions", [[[0, 1]], {"a": [0, 1]}, "ab", 3])
def test_less_than_two_models(predictions: object) -> None:
    with pytest.raises(ValueError, match="labels of two or more models"):
        cochran_q_test([0, 1], predictions)


def test_errors_name_the_model() -> None:
    with pytest.raises(ValueError, match=r"predictions\['b'\].*inconsistent numbers of samples"):
        cochran_q_test([0, 1], {"a": [0, 1], "b": [0, 1, 1]})
    with pytest.raises(ValueError, match=r"pred_b .*continuous"):
        mcnemar_test([0, 1], [0, 1], [0.2, 0.7])
    with pytest.raises(ValueError, match="method has to be one of"):
        mcnemar_test([0, 1], [0, 1], [1, 1], method="chi2")


TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k).map(
        lambda cells: np.array(cells).reshape(k, k)
    )
)


def written_out(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.indices(table.shape)
    return np.repeat(rows, table.ravel()), np.repeat(columns, table.ravel())


@given(table=TABLES)
def test_bowker_is_a_sum_of_mcnemars(table: np.ndarray) -> None:
    found, freedom = bowker(table)
    pairs = [(i, j) for i in range(len(table)) for j in range(i)]
    parts = [mcnemar_p_value(table[i, j], table[j, i], "uncorrected")[0] for i, j in pairs]
    assert found == pytest.approx(float(np.sum(parts)))
    assert freedom == sum(table[i, j] + table[j, i] > 0 for i, j in pairs)


@given(table=TABLES)
def test_stuart_maxwell_leaves_out_any_class(table: np.ndarray) -> None:
    table = table + 1  # every pair is swapped, so the matrix without one class is regular
    apart = (table.sum(axis=1) - table.sum(axis=0)).astype(float)
    covariance = -(table + table.T).astype(float)
    np.fill_diagonal(covariance, table.sum(axis=0) + table.sum(axis=1) - 2 * np.diag(table))
    found, freedom = stuart_maxwell(table)
    for left_out in range(len(table)):
        kept = np.delete(np.arange(len(table)), left_out)
        inner = np.linalg.solve(covariance[np.ix_(kept, kept)], apart[kept])
        assert found == pytest.approx(apart[kept] @ inner, abs=1e-9)
    assert freedom == len(table) - 1


def test_classes_that_are_never_swapped_with_others() -> None:
    first, second = np.array([[5, 4], [1, 6]]), np.array([[3, 2], [7, 1]])
    apart = np.zeros((5, 5), dtype=int)
    apart[:2, :2], apart[2:4, 2:4], apart[4, 4] = first, second, 9
    found, freedom = stuart_maxwell(apart)
    assert found == pytest.approx(9 / 5 + 25 / 9)
    assert freedom == 2
    assert bowker(apart) == (pytest.approx(9 / 5 + 25 / 9), 2)


@pytest.mark.parametrize("test", [bowker_test, stuart_maxwell_test])
@given(split=SPLIT)
def test_two_classes_are_mcnemar(test: object, split: tuple[int, int]) -> None:
    true, pred = written_out(np.array([[4, split[0]], [split[1], 5]]))
    want, p_value = mcnemar_p_value(*split, "uncorrected")
    found = test(true, pred)
    assert found.statistic == pytest.approx(float(want))
    assert found.p_value == pytest.approx(float(p_value))
    back = test(pred, true)
    assert back.statistic == pytest.approx(found.statistic)


@pytest.mark.parametrize("test", [bowker_test, stuart_maxwell_test])
def test_equal_labels(test: object) -> None:
    found = test(list("abca"), list("abca"))
    assert (found.statistic, found.p_value, found.degrees_of_freedom) == (0.0, 1.0, 0)


@pytest.mark.parametrize("test", [bowker_test, stuart_maxwell_test])
def test_names_of_classes_do_not_count(test: object) -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 4, (2, 60))
    named = np.array(["d", "a", "c", "b"])
    plain = test(first, second)
    text = test(named[first], named[second])
    assert plain.statistic == pytest.approx(text.statistic)


def test_multilabel_is_refused() -> None:
    with pytest.raises(ValueError, match="bowker_test needs one label a row"):
        bowker_test([[0, 1], [1, 1]], [[0, 1], [1, 0]])


def test_no_information_by_hand() -> None:
    # The largest class has 3/4: P(4 of 4) = (3/4)^4, P(at least 3 of 4) = that + 4 (3/4)^3 / 4.
    true = [0, 0, 0, 1]
    assert no_information_test(true, [0, 0, 0, 1]).p_value == pytest.approx(81 / 256)
    assert no_information_test(true, [0, 0, 0, 0]).p_value == pytest.approx(189 / 256)
    assert no_information_test(true, [1, 1, 1, 0]).p_value == 1.0


def test_groups_in_which_gains_and_losses_cancel_count_as_a_row_each():
    """No group differs from another, so that the design effect would be 0."""
    first, second = np.tile([1, 0, 1, 1], 20), np.tile([0, 1, 1, 1], 20)
    found = mcnemar_test(np.ones(80), first, second, groups=np.arange(80) // 4)
    assert found.design_effect == found.difference == found.standard_error == 0
    rows = 20 * (stats.norm.isf(0.025) / stats.t.isf(0.025, 19)) ** 2
    expected = tango_bounds(rows / 4, rows / 4, rows, 0.95)
    assert (found.low, found.high) == pytest.approx(expected)

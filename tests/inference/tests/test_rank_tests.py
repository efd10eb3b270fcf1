"""Tests by ranks over data sets, and the adjustment of p-values."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.public import DEPRECATED

from skmetrics_ext import holm_adjust, nemenyi_test
from skmetrics_ext.significance import friedman_test, wilcoxon_signed_rank_test

average_ranks = DEPRECATED["average_ranks"]

SCORES = st.tuples(st.integers(2, 12), st.integers(2, 6)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 5), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(scores=SCORES)
def test_average_ranks_are_scipys(scores: list[list[int]]) -> None:
    want = stats.rankdata(-np.array(scores), axis=1).mean(axis=0)
    np.testing.assert_allclose(average_ranks(scores), want)
    worst_first = average_ranks(scores, greater_is_better=False)
    np.testing.assert_allclose(worst_first, len(scores[0]) + 1 - want)


@given(scores=SCORES)
def test_friedman_by_its_formula(scores: list[list[int]]) -> None:
    found = friedman_test(scores)
    if all(len(set(row)) == 1 for row in scores):
        assert (found.statistic, found.p_value) == (0.0, 1.0)
        return
    # The sum of squared rank sums over the variance of ranks within data sets.
    ranks = stats.rankdata(scores, axis=1)
    n_sets, n_models = ranks.shape
    sums = ranks.sum(axis=0) - n_sets * (n_models + 1) / 2
    want = (n_models - 1) * (sums**2).sum() / ranks.var(axis=1).sum() / n_models
    assert found.statistic == pytest.approx(want, abs=1e-9)
    assert found.p_value == pytest.approx(stats.chi2.sf(want, n_models - 1))


def test_friedman_of_two_models_is_mcnemars_statistic() -> None:
    """Five wins, two losses and a tie: (5 - 2)^2 / 7."""
    found = friedman_test([[0.9, 0.8]] * 5 + [[0.7, 0.8]] * 2 + [[0.5, 0.5]])
    assert found.statistic == pytest.approx(9 / 7)


def test_a_sum_of_ranks_in_the_middle_has_p_1() -> None:
    """Differences 1, 2 and -3: ranks 1 and 2 are positive, 5 of 8 signs have a sum of 3 or more."""
    found = wilcoxon_signed_rank_test([2, 3, 1], [1, 1, 4])
    assert found.statistic == 3
    assert found.p_value == 1.0


def test_friedman_by_hand() -> None:
    # Ranks 1 2 3, 1 3 2, 1 2 3, 1 3 2: means 1, 5/2, 5/2; 12 * 4 / 12 * (1 + 1/4 + 1/4) = 6.
    scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.7, 0.6, 0.5], [0.9, 0.7, 0.8]]
    assert friedman_test(scores).statistic == pytest.approx(6)
    found = friedman_test(scores, method="iman_davenport")
    assert found.statistic == pytest.approx(3 * 6 / (8 - 6))
    assert found.p_value == pytest.approx(stats.f.sf(9, 2, 6))
    assert found.degrees_of_freedom == (2, 6)


def test_same_order_everywhere() -> None:
    scores = [[1, 2, 3, 4, 5, 6]] * 7
    assert friedman_test(scores).statistic == pytest.approx(7 * 5)
    found = friedman_test(scores, method="iman_davenport")
    assert (found.statistic, found.p_value) == (float("inf"), 0.0)


@pytest.mark.parametrize("n_sets", [1, 4, 30, 200])
def test_nemenyi_of_two_models_is_normal(n_sets: int) -> None:
    # The range of two normal values is the distance between them.
    found = nemenyi_test([[2, 1]] * n_sets)
    want = 2 * stats.norm.sf(np.sqrt(n_sets))
    assert found.p_values[0, 1] == pytest.approx(want, rel=1e-12, abs=0)
    assert found.critical_difference == pytest.approx(stats.norm.ppf(0.975) / np.sqrt(n_sets))


def test_tiny_nemenyi_p_values_are_those_of_the_pairs() -> None:
    # Far out, no two pairs differ at once: p is the number of pairs times that of one pair.
    # Ranks 1, 2, 3 on 500 data sets: the distance of the first and last is 2 / sqrt(1 / 500).
    p_value = nemenyi_test([[3, 2, 1]] * 500).p_values[0, 2]
    assert p_value == pytest.approx(3 * 2 * stats.norm.sf(np.sqrt(2 * 500)), rel=1e-12, abs=0)


def test_critical_difference_of_the_table() -> None:
    # q of Demsar (2006), table 5, for 2, 5 and 10 models.
    for n_models, q in ((2, 1.960), (5, 2.728), (10, 3.164)):
        scores = np.random.default_rng(0).normal(size=(30, n_models))
        found = nemenyi_test(scores).critical_difference
        assert found == pytest.approx(q * np.sqrt(n_models * (n_models + 1) / 180), abs=5e-4)


@given(scores=SCORES, alpha=st.sampled_from([0.01, 0.05, 0.2]))
def test_p_values_agree_with_the_critical_difference(scores: list[list[int]], alpha: float) -> None:
    found = nemenyi_test(scores, alpha=alpha)
    apart = np.abs(found.average_ranks[:, None] - found.average_ranks)
    np.testing.assert_array_equal(found.p_values < alpha, apart > found.critical_difference)
    np.testing.assert_array_equal(found.p_values, found.p_values.T)
    assert (np.diag(found.p_values) == 1).all()
    lower = nemenyi_test(scores, alpha=alpha, greater_is_better=False)
    np.testing.assert_allclose(lower.p_values, found.p_values)


def test_critical_difference_diagram() -> None:
    pytest.importorskip("matplotlib")
    # Ranks 2, 3, 1 on 6 data sets: CD = 2.343 * sqrt(3 * 4 / 36) = 1.353 (Demsar's q), so that
    # neighbours are joined and the first and last are not.
    table = pd.DataFrame([[0.8, 0.7, 0.9]] * 6, columns=["tree", "bayes", "forest"])
    found = nemenyi_test(table)
    assert found.models == ("tree", "bayes", "forest")
    assert [row["model"] for row in found._as_rows()] == ["tree", "tree", "bayes"]
    ax = found.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["bayes", "tree", "forest"]
    lines = [line.get_xdata() for line in ax.get_lines() if line.get_linewidth() == 3]
    assert [list(line) for line in lines] == [[3, 2], [2, 1]]
    (length,) = (line.get_xdata() for line in ax.get_lines() if line.get_marker() == "|")
    assert length == pytest.approx([1, 1 + 1.353], abs=1e-3)
    numbered = nemenyi_test(table.to_numpy()).plot()
    assert [label.get_text() for label in numbered.get_yticklabels()] == ["1", "0", "2"]


DIFFERENCES = st.lists(st.integers(-6, 6), min_size=1, max_size=9)


@given(differences=DIFFERENCES)
def test_wilcoxon_exact_counts_all_signs(differences: list[int]) -> None:
    kept = np.array([d for d in differences if d])
    ranks = stats.rankdata(np.abs(kept))
    sums = [Fraction(0)] if not len(kept) else [
        sum(Fraction(rank) for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product([0, 1], repeat=len(kept))
    ]  # fmt: skip
    seen = sum(Fraction(rank) for rank, d in zip(ranks, kept, strict=True) if d > 0)
    larger = max(seen, sum(map(Fraction, ranks)) - seen)
    want = min(Fraction(2 * sum(s >= larger for s in sums), len(sums)), Fraction(1))
    found = wilcoxon_signed_rank_test(differences, np.zeros(len(differences)), method="exact")
    assert found.statistic == pytest.approx(float(seen))
    assert found.p_value == pytest.approx(float(want))


@pytest.mark.filterwarnings("ignore:Sample size too small")
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt"])
@pytest.mark.parametrize("correction", [True, False])
@given(differences=DIFFERENCES.filter(any))
def test_wilcoxon_approximation_is_scipys(
    zero_method: str, correction: bool, differences: list[int]
) -> None:
    options = {"zero_method": zero_method, "correction": correction}
    zeros = np.zeros(len(differences))
    found = wilcoxon_signed_rank_test(differences, zeros, method="approx", **options)
    want = stats.wilcoxon(differences, method="approx", **options)
    assert found.p_value == pytest.approx(min(want.pvalue, 1.0))


def test_wilcoxon_sees_ties_through_rounding() -> None:
    # 0.3 - 0.2 and 0.8 - 0.7 are not the same number.
    found = wilcoxon_signed_rank_test([0.3, 0.7, 0.9], [0.2, 0.8, 0.8])
    whole = wilcoxon_signed_rank_test([1, -1, 1], [0, 0, 0])
    assert (found.statistic, found.p_value) == (whole.statistic, whole.p_value) == (4.0, 1.0)


def test_wilcoxon_method_and_equal_models() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 51))
    assert wilcoxon_signed_rank_test(first[:50], second[:50]).method == "wilcoxon, exact"
    assert wilcoxon_signed_rank_test(first, second).method == "wilcoxon, approx"
    near = wilcoxon_signed_rank_test(first, second, method="exact")
    assert near.p_value == pytest.approx(wilcoxon_signed_rank_test(first, second).p_value, abs=0.01)
    for method in ("exact", "approx"):
        found = wilcoxon_signed_rank_test(first, first, method=method)
        assert (found.statistic, found.p_value) == (0.0, 1.0)


def test_holm_by_hand() -> None:
    np.testing.assert_allclose(
        holm_adjust([[0.01, 0.04], [0.03, 0.005]]), [[0.03, 0.06], [0.06, 0.02]]
    )
    np.testing.assert_allclose(holm_adjust([0.4, np.nan, 0.6]), [0.8, np.nan, 0.8])
    assert holm_adjust([]).shape == (0,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.999))
def test_holm_rejects_step_by_step(p_values: list[float], alpha: float) -> None:
    adjusted = holm_adjust(p_values)
    left = sorted(p_values)
    rejected = 0
    while left and left[0] * len(left) <= alpha:
        left.pop(0)
        rejected += 1
    assert (adjusted <= alpha).sum() == rejected
    assert (adjusted >= np.array(p_values)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: friedman_test([1, 2]), r"scores has to be of shape .* got shape \(2,\)"),
        (lambda: friedman_test([[1], [2]]), "two models or more"),
        (lambda: average_ranks([[1, 2], [3, np.nan]]), "NaN on data set 1 of model 1"),
        (lambda: friedman_test([[1, 2]], method="F"), "method has to be one of"),
        (lambda: nemenyi_test(pd.DataFrame([[1, 2]], columns=["a", "a"])), "must be unique"),
        (lambda: nemenyi_test([[1, 2]], alpha=0), "alpha has to be a number in"),
        (lambda: holm_adjust([0.1, 1.2]), r"p_values has to be in \[0, 1\], got 0.1 to 1.2"),
        (lambda: wilcoxon_signed_rank_test([1, 2], [1]), r"got shapes \(2,\) and \(1,\)"),
        (lambda: wilcoxon_signed_rank_test([1, 2], [1, np.inf]), "scores_b has to be finite"),
    ],
)
def test_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

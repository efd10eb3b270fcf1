"""The Mann-Whitney test against all ways to choose the positive rows, and against scipy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu
from support.public import DEPRECATED
from support.samples import integers

from skmetrics_ext import roc_auc_score

mwu_auc_test = DEPRECATED["mwu_auc_test"]

SIDES = ("greater", "less", "two-sided")


@given(data=st.data())
def test_exact_counts_all_choices(data):
    n_pos, n_neg = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    score = data.draw(integers(0, 4, n_pos + n_neg))
    observed, rows = roc_auc_score(y_true, score), np.arange(n_pos + n_neg)
    areas = np.array(
        [
            roc_auc_score(np.isin(rows, chosen).astype(int), score)
            for chosen in combinations(rows, n_pos)
        ]
    )
    many, few = np.mean(areas >= observed - 1e-9), np.mean(areas <= observed + 1e-9)
    expected = {"greater": many, "less": few, "two-sided": min(2 * min(many, few), 1)}
    for side in SIDES:
        found = mwu_auc_test(y_true, score, alternative=side)
        assert found.p_value == pytest.approx(expected[side], rel=1e-10)
        assert found.statistic == pytest.approx(observed * n_pos * n_neg)
        assert found.method == "mann_whitney, exact"


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("decimals", [0, 9])
def test_asymptotic_is_scipys(side, decimals):
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 90)
    score = np.round(rng.normal(size=90) + 0.3 * y_true, decimals)
    found = mwu_auc_test(y_true, score, alternative=side)
    expected = mannwhitneyu(
        score[y_true == 1], score[y_true == 0], alternative=side, method="asymptotic"
    )
    assert found.method == "mann_whitney, asymptotic"
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)


def test_fifty_rows_exactly():
    rng = np.random.default_rng(1)
    y_true = rng.permutation(np.repeat([0, 1], [27, 23]))
    score = rng.normal(size=50) + 0.4 * y_true
    expected = mannwhitneyu(
        score[y_true == 1], score[y_true == 0], alternative="greater", method="exact"
    )
    found = mwu_auc_test(y_true, score, alternative="greater")
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    both = mannwhitneyu(score[y_true == 1], score[y_true == 0], method="exact")
    assert mwu_auc_test(y_true, score).p_value == pytest.approx(both.pvalue, rel=1e-10)


def test_equal_scores_are_no_evidence():
    for method in ("exact", "asymptotic"):
        assert mwu_auc_test([0, 1, 1], [2, 2, 2], method=method).p_value in (0.5, 1.0)


def test_one_class_is_undefined():
    assert np.isnan(mwu_auc_test([0, 0], [1, 2]).p_value)


@pytest.mark.parametrize(
    ("options", "message"), [({"method": "t"}, "method"), ({"alternative": "no"}, "alternative")]
)
def test_refused(options, message):
    with pytest.raises(ValueError, match=message):
        mwu_auc_test([0, 1], [1, 2], **options)

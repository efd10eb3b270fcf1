"""Power and sample size of tests of an area under the ROC curve."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from support.public import DEPRECATED

from skmetrics_ext import roc_auc_score
from skmetrics_ext.inference.area_power import hanley_mcneil_variance, obuchowski_variance

roc_auc_power = DEPRECATED["roc_auc_power"]
roc_auc_sample_size = DEPRECATED["roc_auc_sample_size"]

METHODS = ["obuchowski", "hanley_mcneil"]


def test_variances_by_hand() -> None:
    # At 1/2 the variance of the Mann-Whitney statistic is exact: (m + n + 1) / (12 m n).
    assert hanley_mcneil_variance(0.5, 7, 11) == pytest.approx(19 / (12 * 77))
    # Q1 = 2/3 and Q2 = 16/15 * 2/3 at an area of 4/5.
    want = (4 / 25 + 9 * (2 / 3 - 16 / 25) + 19 * (32 / 45 - 16 / 25)) / 200
    assert hanley_mcneil_variance(0.8, 10, 20) == pytest.approx(want)
    assert obuchowski_variance(0.5, 10, 20) == pytest.approx(0.0099 * (0.8 + 0.4))
    square = 2 * norm.ppf(0.8) ** 2
    want = 0.0099 * exp(-square / 2) * ((5 * square + 8) / 10 + (square + 8) / 20)
    assert obuchowski_variance(0.8, 10, 20) == pytest.approx(want)


def test_power_by_hand() -> None:
    null, other = obuchowski_variance(0.5, 20, 30), obuchowski_variance(0.7, 20, 30)
    want = norm.cdf((0.2 - norm.ppf(0.975) * sqrt(null)) / sqrt(other))
    assert roc_auc_power(0.7, 20, 30) == pytest.approx(want)
    one_sided = norm.cdf((0.2 - norm.ppf(0.95) * sqrt(null)) / sqrt(other))
    assert roc_auc_power(0.7, 20, 30, two_sided=False) == pytest.approx(one_sided)


@pytest.mark.parametrize("method", METHODS)
def test_power_is_met_in_simulation(method: str) -> None:
    # Normal scores whose area is 0.7; the test is that of the Mann-Whitney statistic.
    rng = np.random.default_rng(0)
    n_pos, n_neg, repetitions = 40, 60, 1500
    true = np.repeat([1, 0], [n_pos, n_neg])
    shift = sqrt(2) * norm.ppf(0.7) * true
    areas = [roc_auc_score(true, rng.normal(size=100) + shift) for _ in range(repetitions)]
    limit = norm.ppf(0.975) * sqrt((n_pos + n_neg + 1) / (12 * n_pos * n_neg))
    share = np.mean(np.array(areas) - 0.5 > limit)
    assert roc_auc_power(0.7, n_pos, n_neg, method=method) == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize("method", METHODS)
@given(
    auc=st.floats(0.55, 0.98),
    power=st.floats(0.3, 0.99),
    share=st.sampled_from([0.2, 1.0, 19.0]),
)
def test_sample_size_has_the_power(method: str, auc: float, power: float, share: float) -> None:
    size = roc_auc_sample_size(auc, power=power, neg_per_pos=share, method=method)
    assert size.n_neg == pytest.approx(share * size.n_pos)
    reached = roc_auc_power(auc, *size, method=method)
    if min(size) > 1:
        assert reached == pytest.approx(power)
    else:
        assert reached >= power - 1e-9


def test_more_rows_or_a_nearer_null() -> None:
    assert roc_auc_power(0.7, 40, 40) > roc_auc_power(0.7, 30, 40) > roc_auc_power(0.65, 30, 40)
    assert roc_auc_power(0.7, 40, 40, null_auc=0.6) < roc_auc_power(0.7, 40, 40)
    assert roc_auc_power(0.3, 40, 40) == pytest.approx(roc_auc_power(0.7, 40, 40))
    # At the null value itself the power is half of alpha: one of the two sides.
    assert roc_auc_power(0.6, 40, 40, null_auc=0.6, alpha=0.1) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: roc_auc_power(1.2, 3, 3), r"auc has to be a number in \(0, 1\), got 1.2"),
        (lambda: roc_auc_power(0.8, 0, 3), "n_pos has to be a finite number of 1 or more, got 0"),
        (lambda: roc_auc_power(0.8, 3, 3, alpha=5), "alpha has to be"),
        (lambda: roc_auc_power(0.8, 3, 3, method="delong"), "method has to be one of"),
        (lambda: roc_auc_sample_size(0.5), "auc has to differ from null_auc=0.5"),
        (lambda: roc_auc_sample_size(0.8, power=80), "power has to be"),
        (lambda: roc_auc_sample_size(0.8, neg_per_pos=0), "neg_per_pos has to be positive"),
    ],
)
def test_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

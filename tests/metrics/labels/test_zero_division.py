"""0/0: the value that is asked for, and nan, which leaves the class out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics as theirs
from sklearn.exceptions import UndefinedMetricWarning

import skmetrics_ext as m
from skmetrics_ext import METRICS

RATES = {name: spec.function for name, spec in METRICS.items() if hasattr(spec.function, "rate")}
RATES["fbeta_score"] = lambda *labels, **options: m.fbeta_score(*labels, beta=2.0, **options)

# Class 2 occurs only in the prediction, class 3 only in the truth, class 4 nowhere.
TRUE, PRED, LABELS = [0, 0, 0, 1, 1, 3], [0, 0, 1, 1, 2, 0], [0, 1, 2, 3, 4]
# All rows of one class, all predicted as it: 0/0 for what asks for rows of the other.
ALONE = [1, 1], [1, 1]


def per_class(rate, labels=LABELS):
    return rate(TRUE, PRED, labels=labels, average=None, zero_division=np.nan)


@pytest.mark.parametrize("name", RATES)
def test_nan_leaves_the_class_out(name: str) -> None:
    rate = RATES[name]
    values = per_class(rate)
    defined = ~np.isnan(values)
    support = np.array([3, 2, 0, 1, 0])
    options = {"labels": LABELS, "zero_division": np.nan}
    macro = rate(TRUE, PRED, average="macro", **options)
    np.testing.assert_allclose(macro, values[defined].mean(), rtol=1e-14)
    weighted = rate(TRUE, PRED, average="weighted", **options)
    expected = (values[defined] * support[defined]).sum() / support[defined].sum()
    np.testing.assert_allclose(weighted, expected, rtol=1e-14)


def test_some_class_is_undefined_for_each_rate_but_shares() -> None:
    shares = {name for name, spec in METRICS.items() if "(never)" in spec.undefined}
    assert {"prevalence", "detection_rate", "detection_prevalence"} <= shares
    one_class = {"specificity_score", "false_positive_rate"}  # undefined without other rows only
    one_class |= {"negative_predictive_value_score", "false_omission_rate"}
    for name, rate in RATES.items():
        undefined = np.isnan(per_class(rate)).any()
        assert undefined == (name not in shares | one_class), name
        if name in one_class:
            assert np.isnan(rate(*ALONE, zero_division=np.nan)), name


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("name", RATES)
def test_a_number_stands_for_it(name: str, value: float) -> None:
    rate = RATES[name]
    plain = per_class(rate)
    got = rate(TRUE, PRED, labels=LABELS, average=None, zero_division=value)
    np.testing.assert_array_equal(got, np.where(np.isnan(plain), value, plain))
    macro = rate(TRUE, PRED, labels=LABELS, average="macro", zero_division=value)
    np.testing.assert_allclose(macro, got.mean(), rtol=1e-14)


@pytest.mark.parametrize("name", RATES)
def test_warn_is_zero_with_a_warning(name: str) -> None:
    rate = RATES[name]
    undefined = np.isnan(per_class(rate)).any()
    labels = (TRUE, PRED) if undefined else ALONE
    options = {"labels": LABELS, "average": None} if undefined else {}
    if not undefined and not np.isnan(rate(*ALONE, zero_division=np.nan)):
        assert np.isfinite(rate(*ALONE))  # a share of the rows is never 0/0, and does not warn
        return
    with pytest.warns(UndefinedMetricWarning, match="ill-defined and being set to 0.0"):
        got = rate(*labels, **options)
    np.testing.assert_array_equal(got, rate(*labels, **options, zero_division=0.0))


def test_nan_where_all_classes_are_left_out() -> None:
    assert np.isnan(
        m.recall_score([0, 0], [0, 0], labels=[5], average="macro", zero_division=np.nan)
    )


@pytest.mark.parametrize("value", [0.0, 1.0, np.nan])
def test_of_matthews(value: float) -> None:
    assert m.matthews_corrcoef([1, 1], [1, 1], zero_division=value) == pytest.approx(
        value, nan_ok=True
    )
    assert m.matthews_corrcoef([0, 1], [1, 1], zero_division=value) == pytest.approx(
        value, nan_ok=True
    )


@pytest.mark.parametrize(("true", "pred"), [([1, 1], [1, 1]), ([0, 1], [1, 1]), ([0, 0], [0, 1])])
def test_matthews_warns_where_nothing_is_said(true: list[int], pred: list[int]) -> None:
    with pytest.warns(UndefinedMetricWarning, match="Matthews.*0/0.*set to 0.0.*zero_division"):
        assert m.matthews_corrcoef(true, pred) == 0.0
    assert m.matthews_corrcoef(true, pred, zero_division=0) == 0.0


def test_of_precision_recall_fscore_support() -> None:
    options = {"labels": LABELS, "zero_division": np.nan}
    precision, recall, fscore, support = m.precision_recall_fscore_support(TRUE, PRED, **options)
    np.testing.assert_array_equal(precision, [2 / 3, 1 / 2, 0, np.nan, np.nan])
    np.testing.assert_array_equal(recall, [2 / 3, 1 / 2, np.nan, 0, np.nan])
    np.testing.assert_array_equal(fscore, [2 / 3, 1 / 2, 0, 0, np.nan])
    assert support.tolist() == [3, 2, 0, 1, 0]


def test_of_the_f_of_averages() -> None:
    """Precision over (2/3, 1/2, 0), recall over (2/3, 1/2, 0): 7/18 both."""
    got = m.fbeta_of_averages_score(TRUE, PRED, labels=LABELS, zero_division=np.nan)
    assert got == pytest.approx(7 / 18)
    zero = m.fbeta_of_averages_score(TRUE, PRED, labels=LABELS, zero_division=0)
    assert zero == pytest.approx(7 / 30)


@pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score", "jaccard_score"])
@pytest.mark.parametrize(
    ("true", "pred", "average"),
    [
        ([0, 0], [0, 0], "binary"),
        ([0, 1, 2], [0, 1, 1], "macro"),
        ([0, 1, 1], [0, 1, 2], None),
        ([[0, 0], [1, 0]], [[0, 0], [1, 1]], "samples"),
    ],
)
def test_warnings_are_those_of_scikit_learn(name, true, pred, average):
    told = []
    for module in (m, theirs):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            getattr(module, name)(true, pred, average=average)
        told.append([str(one.message) for one in caught])
    assert told[0] == told[1]

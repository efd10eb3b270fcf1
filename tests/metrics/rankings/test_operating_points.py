"""One rate at a stated value of another, and the equal error rate."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skmetrics_ext import (
    equal_error_rate,
    precision_at_recall,
    recall_at_precision,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)

from .rankings import TWENTY, TWENTY_SCORES, points, rankings

# Fractions whose floats fall on either side of what they stand for.
targets = st.fractions(0, 1, max_denominator=12)


def rates(ranking):
    """Exact (tpr, tnr, precision or None) of every threshold, none first."""
    table = points(*ranking)
    _, positive, negative = table[-1]
    return [
        (
            Fraction(tp, positive),
            1 - Fraction(fp, negative),
            Fraction(tp, tp + fp) if tp + fp else None,
        )
        for _, tp, fp in table
    ]


FUNCTIONS = {
    "sensitivity": (sensitivity_at_specificity, "specificity", 0, 1),
    "specificity": (specificity_at_sensitivity, "sensitivity", 1, 0),
    "precision": (precision_at_recall, "recall", 2, 0),
    "recall": (recall_at_precision, "precision", 0, 2),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(ranking=rankings(weighted=True), target=targets)
def test_steps_are_the_best_of_all_thresholds(name, ranking, target):
    function, argument, wanted, given_rate = FUNCTIONS[name]
    true, score, weight = ranking
    reached = [r for r in rates(ranking) if r[given_rate] is not None and r[given_rate] >= target]
    expected = max((r[wanted] for r in reached if r[wanted] is not None), default=Fraction(0))
    got = function(true, score, sample_weight=weight, **{argument: float(target)})
    assert got == pytest.approx(float(expected), rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(ranking=rankings(), target=targets, factor=st.sampled_from([0.1, 1 / 3, 0.7]))
def test_weights_that_round_reach_the_same_thresholds(name, ranking, target, factor):
    function, argument, _, _ = FUNCTIONS[name]
    true, score, _ = ranking
    for method in ("step", "interpolated"):
        options = {argument: float(target), "method": method}
        plain = function(true, score, **options)
        weighted = function(true, score, sample_weight=np.full(len(true), factor), **options)
        assert weighted == pytest.approx(plain, rel=1e-9, abs=1e-9)


def on_roc(ranking, given_rate, target):
    """Largest other rate on the exact ROC polygon at a given one."""
    other = 1 - given_rate
    table = rates(ranking)
    best = Fraction(0)
    for start, stop in itertools.pairwise(table):
        low, high = sorted((start, stop), key=lambda point: point[given_rate])
        if not low[given_rate] <= target <= high[given_rate]:
            continue
        if low[given_rate] == high[given_rate]:
            best = max(best, low[other], high[other])
            continue
        share = (target - low[given_rate]) / (high[given_rate] - low[given_rate])
        best = max(best, low[other] + share * (high[other] - low[other]))
    return best


@pytest.mark.parametrize("name", ["sensitivity", "specificity"])
@given(ranking=rankings(weighted=True), target=targets)
def test_interpolation_reads_the_polygon(name, ranking, target):
    function, argument, _, given_rate = FUNCTIONS[name]
    true, score, weight = ranking
    options = {argument: float(target), "sample_weight": weight}
    got = function(true, score, method="interpolated", **options)
    assert got == pytest.approx(float(on_roc(ranking, given_rate, target)), rel=1e-9, abs=1e-11)
    assert got >= function(true, score, **options) - 1e-12


@given(ranking=rankings(weighted=True), target=targets.filter(bool))
def test_interpolated_precision_adds_both_counts_in_proportion(ranking, target):
    true, score, weight = ranking
    table = [(Fraction(tp), Fraction(fp)) for _, tp, fp in points(*ranking)]
    tp = target * table[-1][0]
    i = next(i for i, (found, _) in enumerate(table) if found >= tp)
    (tp0, fp0), (tp1, fp1) = table[i - 1], table[i]
    fp = fp0 + (tp - tp0) / (tp1 - tp0) * (fp1 - fp0)
    got = precision_at_recall(
        true, score, recall=float(target), method="interpolated", sample_weight=weight
    )
    assert got == pytest.approx(float(tp / (tp + fp)), rel=1e-9)


@given(ranking=rankings(weighted=True), target=targets)
def test_interpolated_recall_is_the_last_one_precise_enough(ranking, target):
    true, score, weight = ranking
    table = [(Fraction(tp), Fraction(fp)) for _, tp, fp in points(*ranking)]
    excess = [(1 - target) * tp - target * fp for tp, fp in table]
    last = max(i for i, value in enumerate(excess) if value >= 0)
    tp = table[last][0]
    if last + 1 < len(table) and excess[last] > 0:
        share = excess[last] / (excess[last] - excess[last + 1])
        tp += share * (table[last + 1][0] - tp)
    got = recall_at_precision(
        true, score, precision=float(target), method="interpolated", sample_weight=weight
    )
    assert got == pytest.approx(float(tp / table[-1][0]), rel=1e-9, abs=1e-11)


def test_the_twenty_rows():
    y, s = TWENTY, TWENTY_SCORES
    assert sensitivity_at_specificity(y, s, specificity=0.9) == 0.4
    assert sensitivity_at_specificity(y, s, specificity=0.8) == 0.7
    assert specificity_at_sensitivity(y, s, sensitivity=0.5) == 0.8
    assert precision_at_recall(y, s, recall=0.5) == 7 / 9
    assert recall_at_precision(y, s, precision=0.75) == 0.7
    assert equal_error_rate(y, s) == pytest.approx(0.3, rel=1e-15)


def test_between_two_thresholds():
    # ROC points (0, 0), (0, 1/2), (1/2, 1/2), (1, 1): the last two positions are tied.
    y, s = [1, 0, 1, 0], [3, 2, 1, 1]
    assert sensitivity_at_specificity(y, s, specificity=0.25) == 0.5
    half_way = sensitivity_at_specificity(y, s, specificity=0.25, method="interpolated")
    assert half_way == 0.75
    assert recall_at_precision(y, s, precision=0.9) == 0.5
    assert recall_at_precision(y, s, precision=0.9, method="interpolated") == 0.5
    assert precision_at_recall(y, s, recall=0.0, method="interpolated") == 1.0


def test_no_threshold_is_precise_enough():
    assert recall_at_precision([0, 1], [2, 1], precision=0.9) == 0.0
    assert recall_at_precision([0, 1], [2, 1], precision=0.9, method="interpolated") == 0.0


@given(rankings(weighted=True))
def test_equal_error_rate(ranking):
    true, score, weight = ranking
    errors = [(1 - tnr, 1 - tpr) for tpr, tnr, _ in rates(ranking)]
    least = min(abs(fpr - fnr) for fpr, fnr in errors)
    nearest = {(fpr + fnr) / 2 for fpr, fnr in errors if abs(fpr - fnr) == least}
    expected = (min(nearest) + max(nearest)) / 2
    got = equal_error_rate(true, score, sample_weight=weight)
    assert got == pytest.approx(float(expected), rel=1e-12, abs=1e-15)
    crossing = equal_error_rate(true, score, sample_weight=weight, method="interpolated")
    # There the false positive rate of the polygon is its false negative rate.
    exact = next(
        f0 + (1 - Fraction(f0 - n0 + 1)) / ((f1 - n1) - (f0 - n0)) * (f1 - f0)
        for (f0, n0), (f1, n1) in itertools.pairwise(errors)
        if f1 >= n1
    )
    assert crossing == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_undefined_without_a_class(name):
    function, argument, _, _ = FUNCTIONS[name]
    for method in ("step", "interpolated"):
        options = {argument: 0.5, "method": method, "labels": [0, 1]}
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(function([0, 0], [0.1, 0.2], **options))
    if name in ("sensitivity", "specificity"):
        for method in ("step", "interpolated"):
            options = {argument: 0.5, "method": method, "labels": [0, 1]}
            with pytest.warns(UndefinedMetricWarning):
                assert np.isnan(function([1, 1], [0.1, 0.2], **options))


@pytest.mark.parametrize("method", ["step", "interpolated"])
def test_undefined_equal_error_rate(method):
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(equal_error_rate([1, 1], [0.1, 0.2], labels=[0, 1], method=method))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("target", [-0.1, 1.1, float("nan"), "much", "0.9", None])
def test_targets_refused(name, target):
    function, argument, _, _ = FUNCTIONS[name]
    with pytest.raises(ValueError, match=argument + r" has to be a number in \[0, 1\], got"):
        function([0, 1], [0.1, 0.2], **{argument: target})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_methods_refused(name):
    function, argument, _, _ = FUNCTIONS[name]
    with pytest.raises(ValueError, match="method has to be one of"):
        function([0, 1], [0.1, 0.2], method="linear", **{argument: 0.5})

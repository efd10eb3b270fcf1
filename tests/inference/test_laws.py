"""Laws of intervals and comparisons, over the registry and every method that applies."""

import numpy as np
import pytest
from support.rows import OF_ONE_LABEL, describes_a_table

from skmetrics_ext import METRICS, compare, confidence_interval
from skmetrics_ext.inference.draws.bootstrap import BOOTSTRAP_METHODS
from skmetrics_ext.inference.draws.readers import read_metric
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.validation import InvalidParameterError

N = 60
RNG = np.random.default_rng(3)
TRUE = RNG.integers(0, 2, N)
SCORE = np.round(RNG.normal(size=N) + TRUE, 1)
OTHER = np.round(RNG.normal(size=N) + TRUE, 1)
COUNTS = RNG.integers(1, 4, N)
TABLES = ("averaged_confusion", "confusion_matrix")
SCALARS = [
    name for name in OF_ONE_LABEL if name not in TABLES and not describes_a_table(METRICS[name])
]
SLOW = {"smooth_calibration_error"}  # one draw of it costs more than hundreds of the others


def response_of(spec, score):
    if spec.response == "labels":
        return (score > 0.5).astype(int)
    return score if spec.response == "scores" else 1 / (1 + np.exp(-score))


def metric_of(name):
    """Function, responses of two models, parameters and methods of a metric of two classes."""
    spec = METRICS[name]
    params = {"k": 1} if name == "top_k_accuracy_score" else dict(spec.params)
    first, second = response_of(spec, SCORE), response_of(spec, OTHER)
    methods = list(methods_of(read_metric(spec.function, TRUE, first, **params)))
    return spec.function, first, second, params, methods


def drawing(name, methods):
    """Fewer draws, and of slow metrics one method of drawing."""
    if name not in SLOW:
        return 99, methods
    return 9, [one for one in methods if one not in ("bca", "basic", "expanded")]


@pytest.mark.parametrize("name", SCALARS)
def test_intervals_hold_the_value_and_lie_in_those_of_higher_levels(name):
    function, response, _, params, methods = metric_of(name)
    n_resamples, methods = drawing(name, methods)
    options = {"n_resamples": n_resamples, "random_state": 0, **params}
    for method in methods:
        inner, wide = (
            confidence_interval(
                function, TRUE, response, method=method, confidence_level=level, **options
            )
            for level in (0.7, 0.95)
        )
        assert inner.method == method
        assert wide.low <= inner.low <= inner.value <= inner.high <= wide.high, method
        assert wide.high - wide.low > inner.high - inner.low, method


@pytest.mark.parametrize("name", [name for name in SCALARS if name not in SLOW])
def test_frequency_weights_are_rows_and_importance_weights_are_not(name):
    function, response, _, params, methods = metric_of(name)
    rows = np.repeat(np.arange(N), COUNTS)
    for method in (one for one in methods if one not in BOOTSTRAP_METHODS):
        options = {"method": method, **params}
        once, listed = (
            confidence_interval(function, TRUE[kept], response[kept], **options)
            for kept in (np.arange(N), rows)
        )
        counted = confidence_interval(
            function, TRUE, response, sample_weight=COUNTS, weights_are="frequency", **options
        )
        assert (counted.low, counted.high) == pytest.approx((listed.low, listed.high), rel=1e-6)
        doubled, seen_twice = (
            confidence_interval(
                function, TRUE, response, sample_weight=np.full(N, 2), weights_are=kind, **options
            )
            for kind in ("importance", "frequency")
        )
        if not METRICS[name].weights_are_counts:  # else their scale is part of the metric
            assert (doubled.low, doubled.high) == pytest.approx((once.low, once.high), rel=1e-6)
        assert seen_twice.high - seen_twice.low < 0.8 * (once.high - once.low), method


@pytest.mark.parametrize(
    "name", [n for n in SCALARS if n not in SLOW and not METRICS[n].weights_are_counts]
)
def test_draws_of_importance_weights_of_2_are_as_wide_as_those_of_1(name):
    function, response, _, params, methods = metric_of(name)
    options = {"method": methods[-1], "n_resamples": 400, "random_state": 0, **params}
    once = confidence_interval(function, TRUE, response, **options)
    two = np.full(N, 2)
    doubled, seen_twice = (
        confidence_interval(
            function, TRUE, response, sample_weight=two, weights_are=kind, **options
        )
        for kind in ("importance", "frequency")
    )
    assert doubled.standard_error == pytest.approx(once.standard_error, rel=0.25)
    assert seen_twice.standard_error < 0.9 * once.standard_error


def comparison(*arguments, **options):
    """None where the method does not apply."""
    try:
        return compare(*arguments, **options)
    except InvalidParameterError as error:
        if "does not apply" not in str(error):
            raise
        return None


METHODS = ("delong", "mcnemar", "delta", "bootstrap", "permutation")


@pytest.mark.parametrize("name", SCALARS)
def test_a_model_compared_with_itself_has_no_difference(name):
    function, first, second, params, _ = metric_of(name)
    options = {"n_resamples": 9 if name in SLOW else 49, "random_state": 0, **params}
    applied = []
    for method in ("auto", *METHODS):
        same = comparison(function, TRUE, first, first, method=method, **options)
        if same is None:
            continue
        applied.append(method)
        assert (same.difference, same.p_value) == (0.0, 1.0), method
        assert np.isnan(same.low) or same.low <= 0 <= same.high, method
        there = compare(function, TRUE, first, second, method=method, **options)
        back = compare(function, TRUE, second, first, method=method, **options)
        assert there.difference == -back.difference
        assert np.isnan(there.low) or there.low <= there.difference <= there.high
    assert {"auto", "bootstrap", "permutation"} <= set(applied)

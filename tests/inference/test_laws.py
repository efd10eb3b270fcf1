"""Laws of intervals and comparisons, over the registry and every method that applies."""

from functools import partial
from inspect import signature

import numpy as np
import pytest

from skmetrics_ext import METRICS, compare, confidence_interval
from skmetrics_ext.inference.anytime import ANYTIME
from skmetrics_ext.inference.draws.bootstrap import BOOTSTRAP_METHODS
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.inference.notes import NONE
from skmetrics_ext.validation import InvalidParameterError

from .two_classes import COUNTS, NUMBERS, OTHER, SCORE, TRUE, N, params_of, rows_for

SCALARS = [name for name in NUMBERS if not METRICS[name].ranks_labels]
SLOW = {"smooth_calibration_error"}  # one draw of it costs more than hundreds of the others


def metric_of(name):
    """Function, responses of two models, parameters and methods of a metric of two classes."""
    spec, params = METRICS[name], params_of(name)
    (_, first), (_, second) = (rows_for(spec, TRUE, score) for score in (SCORE, OTHER))
    methods = list(methods_of(linearize(sample_of_rows(spec.function, TRUE, first, **params))))
    # One has no bounds and says why; the other starts at more rows, and has a test of its own.
    bounded = [one for one in methods if one not in (NONE, ANYTIME)]
    return spec.function, first, second, params, bounded


def drawing(name, methods):
    """Fewer draws, and of slow metrics one method of drawing."""
    if name not in SLOW:
        return 99, methods
    return 9, [one for one in methods if one not in ("bca", "basic", "expanded")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SCALARS)
def test_intervals_hold_the_value_and_lie_in_those_of_higher_levels(name):
    spec, (function, response, _, params, methods) = METRICS[name], metric_of(name)
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
        if "no width" not in wide.note and (wide.low, wide.high) != spec.bounds:
            assert wide.high - wide.low > inner.high - inner.low, method


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [name for name in SCALARS if name not in SLOW])
def test_frequency_weights_are_rows_and_importance_weights_are_not(name):
    function, response, _, params, methods = metric_of(name)
    if METRICS[name].point_of and "method" in signature(function).parameters:
        function = partial(function, method="interpolated")  # repeated rows make grades
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
            assert seen_twice.standard_error == pytest.approx(
                once.standard_error / np.sqrt(2), rel=0.02
            )


@pytest.mark.sampled(2)
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
    assert seen_twice.standard_error <= 0.9 * once.standard_error


def comparison(*arguments, **options):
    """None where the method does not apply."""
    try:
        return compare(*arguments, **options)
    except InvalidParameterError as error:
        if "does not apply" not in str(error):
            raise
        return None


METHODS = ("delong", "mcnemar", "delta", "bootstrap", "permutation")


@pytest.mark.sampled(4)
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


OPPOSITE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [name for name in SCALARS if name not in SLOW])
def test_models_in_the_other_order_mirror_the_comparison(name):
    function, first, second, params, _ = metric_of(name)
    for method in METHODS:
        for alternative, opposite in OPPOSITE.items():
            options = {"method": method, "n_resamples": 49, "random_state": 3, **params}
            there = comparison(function, TRUE, first, second, alternative=alternative, **options)
            if there is None:
                break
            back = compare(function, TRUE, second, first, alternative=opposite, **options)
            seen = [there.difference, there.low, there.high, there.p_value]
            mirrored = [-back.difference, -back.high, -back.low, back.p_value]
            if method in ("bootstrap", "permutation"):
                np.testing.assert_array_equal(seen, mirrored)
            else:
                np.testing.assert_allclose(seen, mirrored, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", ["bootstrap", "permutation"])
def test_functions_equal_values_and_groups_mirror_too(method):
    def share(true, pred):
        return float(np.mean(true == pred))

    pred_a, pred_b = TRUE.copy(), TRUE.copy()
    pred_a[[3, 4]], pred_b[[10, 11]] = 1 - TRUE[[3, 4]], 1 - TRUE[[10, 11]]
    for metric in (share, "accuracy", "f1_macro"):
        for groups in (None, np.arange(N) // 3):
            options = {"method": method, "n_resamples": 99, "random_state": 0, "groups": groups}
            there = compare(metric, TRUE, pred_a, pred_b, **options)
            back = compare(metric, TRUE, pred_b, pred_a, **options)
            seen = [there.low, there.high, there.p_value]
            mirrored = [-back.high, -back.low, back.p_value]
            np.testing.assert_allclose(seen, mirrored, rtol=0, atol=1e-15)


# --------------------------------------------------------------------------- degenerate samples

ROWS = np.arange(40)
HALF = ROWS % 2
PAIRS = ROWS // 2 % 2
DEGENERATE = {
    "perfect": (HALF, HALF),
    "all wrong": (HALF, 1 - HALF),
    "one class": (np.ones(40, int), (ROWS % 4 != 0).astype(int)),
    "one class, perfect": (np.ones(40, int), np.ones(40, int)),
    "one prediction": (HALF, np.ones(40, int)),
    "groups that agree": (PAIRS, np.where(ROWS % 4 == 0, 1, PAIRS)),
}


def degenerate(spec, case):
    true, pred = DEGENERATE[case]
    if spec.ranks_labels:
        return true.reshape(-1, 4), pred.reshape(-1, 4) + 0.0
    if spec.response == "labels":
        return true, pred
    return true, np.clip(pred, 0.1, 0.9)


def told(found):
    """Whether the bounds are some apart, or a note says why they are not."""
    return found.high > found.low or bool(found.note)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [name for name in SCALARS if name not in SLOW])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_interval_without_width_is_silent(name):
    spec, params = METRICS[name], params_of(name)
    options = {"n_resamples": 19, "random_state": 0, **params}
    asked = 0
    for turn, case in enumerate(DEGENERATE, SCALARS.index(name)):
        true, response = degenerate(spec, case)
        # In turn, so that of two metrics next to each other one has groups and the other none.
        groups = np.arange(len(true)) // 4 if turn % 2 else None
        try:
            reading = sample_of_rows(spec.function, true, response, groups=groups, **params)
        except ValueError:
            continue  # undefined of one class
        for method in [
            one for one in methods_of(linearize(reading)) if one not in ("bca", "basic")
        ]:
            found = confidence_interval(
                spec.function, true, response, method=method, groups=groups, **options
            )
            assert told(found), (case, method, found)
            asked += 1
        for method in ("auto", "delong", "delta", "bootstrap", "permutation"):
            same = comparison(
                spec.function, true, response, response, method=method, groups=groups, **options
            )
            assert same is None or told(same), (case, method, same)
    assert asked


@pytest.mark.parametrize("sensitivity", [0.5, 0.81, 0.9])
def test_a_rate_at_a_rate_of_the_other_class_is_the_same_with_scores_turned(sensitivity):
    """Negatives found among enough positives are the positives of turned classes and scores."""
    rng = np.random.default_rng(5)
    true = (np.arange(200) < 23).astype(int)
    score = rng.normal(size=200) + 1.2 * true
    found = confidence_interval("specificity_at_sensitivity", true, score, sensitivity=sensitivity)
    turned = confidence_interval(
        "sensitivity_at_specificity", 1 - true, -score, specificity=sensitivity
    )
    assert tuple(found) == pytest.approx(tuple(turned), abs=1e-9)
    assert found.standard_error == pytest.approx(turned.standard_error, rel=1e-9)

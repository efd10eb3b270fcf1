"""Weights of any scale, and classes that rounding must not bring into being."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from support.compare import undefined_allowed

import skmetrics_ext as m
from skmetrics_ext import METRICS

RNG = np.random.default_rng(7)
N = 60
WEIGHT = RNG.integers(1, 9, N)

# Of classes, not of all rows: (name, parameters) of every label metric that has no table.
CALLS = [
    (name, params)
    for name, spec in METRICS.items()
    if spec.response == "labels" and not np.isinf(spec.bounds[1])
    for params in (
        {},
        *([{"average": None}, {"average": "macro"}]
          if "average" in inspect.signature(spec.function).parameters else []),
    )
]  # fmt: skip
SCALE_FREE = [(n, p) for n, p in CALLS if not METRICS[n].weights_are_counts]


def identify(value: object) -> str:
    return value if isinstance(value, str) else str(value.get("average", "")) or "-"


def value_of(name, params, true, pred, weight=None):
    spec = METRICS[name]
    with undefined_allowed():
        return spec.function(true, pred, **spec.params, **params, sample_weight=weight)


def data(params):
    n_classes = 3 if "average" in params else 2
    true = RNG.integers(0, n_classes, N)
    return true, np.where(RNG.random(N) < 0.6, true, RNG.integers(0, n_classes, N))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-170, 1e300, 1e307])
@pytest.mark.parametrize(("name", "params"), SCALE_FREE, ids=identify)
def test_float_scales_do_not_change_a_ratio(name, params, scale) -> None:
    true, pred = data(params)
    weight = WEIGHT if scale != 1e-320 else np.ones(N, dtype=int)  # 1e-320 has three digits
    plain = value_of(name, params, true, pred, weight)
    scaled = value_of(name, params, true, pred, weight * scale)
    np.testing.assert_allclose(scaled, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scale", [10**10, 10**16])
@pytest.mark.parametrize(("name", "params"), SCALE_FREE, ids=identify)
def test_integer_scales_do_not_overflow(name, params, scale) -> None:
    true, pred = data(params)
    plain = value_of(name, params, true, pred, WEIGHT)
    scaled = value_of(name, params, true, pred, WEIGHT * scale)
    np.testing.assert_allclose(scaled, plain, rtol=1e-9, atol=1e-12)


def test_krippendorff_of_many_rows_is_its_limit() -> None:
    """With counts of 1e10 the correction for small samples is gone: Scott's pi."""
    true, pred = data({})
    many = m.krippendorff_alpha_score(true, pred, sample_weight=WEIGHT * 10**10)
    pi = m.scott_pi_score(true, pred, sample_weight=WEIGHT)
    assert many == pytest.approx(pi, rel=1e-9)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", ["right", "wrong", "all predicted one", "all of one"])
@pytest.mark.parametrize(("name", "params"), CALLS, ids=identify)
def test_what_is_undefined_stays_undefined_under_weights(name, params, kind) -> None:
    """0/0 of the rows is 0/0 of their weights, not the ratio of two rounding errors."""
    mixed = RNG.integers(0, 2, N)
    ones, zeros = np.ones(N, dtype=int), np.zeros(N, dtype=int)
    true, pred = {
        "right": (ones, ones),
        "wrong": (zeros, ones),
        "all predicted one": (mixed, ones),
        "all of one": (ones, mixed),
    }[kind]
    weight = RNG.random(N)
    if "zero_division" in inspect.signature(METRICS[name].function).parameters:
        params = {**params, "zero_division": np.nan}
    plain = np.asarray(value_of(name, params, true, pred))
    weighted = np.asarray(value_of(name, params, true, pred, weight))
    np.testing.assert_array_equal(np.isnan(weighted), np.isnan(plain))
    np.testing.assert_array_equal(np.isinf(weighted), np.isinf(plain))


def test_support_is_in_the_unit_of_the_weights() -> None:
    labels, weight = ([0, 0, 1], [0, 1, 1]), np.array([1e-300, 2e-300, 4e-300])
    *rates, support = m.precision_recall_fscore_support(*labels, sample_weight=weight)
    np.testing.assert_allclose(rates[0], [1, 2 / 3], rtol=1e-12)
    np.testing.assert_array_equal(support, [3e-300, 4e-300])
    report = m.classification_report(*labels, sample_weight=weight, output_dict=True)
    assert report["1"]["precision"] == pytest.approx(2 / 3)
    assert report["1"]["support"] == 4e-300
    assert report["macro avg"]["support"] == 7e-300


def test_weights_whose_sum_overflows() -> None:
    """Two of 1e308 are more than the largest float; a ratio of them is a ratio."""
    assert m.accuracy_score([0, 1, 1], [0, 1, 0], sample_weight=np.full(3, 1e308)) == 2 / 3
    assert m.f1_score([0, 1, 1], [0, 1, 0], sample_weight=np.full(3, 1e308)) == pytest.approx(2 / 3)

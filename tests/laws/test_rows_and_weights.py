"""Laws of rows: their order, their weights, rows that are not there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import same
from support.rows import NAMES, call, draw_case, is_table, of_each_metric
from support.samples import OF_LABELS, integers, orders

from skmetrics_ext import METRICS

SCALABLE = [name for name in NAMES if not METRICS[name].weights_are_counts]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
@of_each_metric
@given(data=st.data())
def test_order_of_rows_does_not_count(name, data):
    weighted = data.draw(st.booleans())
    spec, params, sample = draw_case(data, name, weighted=weighted)
    order = data.draw(orders(len(sample)))
    same(call(spec, params, sample.take(order)), call(spec, params, sample))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
@of_each_metric
@given(data=st.data())
def test_an_integer_weight_is_a_repeated_row(name, data):
    spec, params, sample = draw_case(data, name)
    n_rows = len(sample)
    times = data.draw(integers(1, 3, n_rows))
    repeated = call(spec, params, sample.take(np.repeat(np.arange(n_rows), times)))
    for dtype in (np.int64, np.uint8, np.float32):
        same(call(spec, params, sample.weighted(times.astype(dtype))), repeated)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
@of_each_metric
@given(data=st.data())
def test_a_row_of_weight_0_is_absent(name, data):
    spec, params, sample = draw_case(data, name, weighted=True)
    # The first rows hold every class, so that leaving out others removes none.
    forced = 2 if sample.kind in OF_LABELS else sample.n_classes
    kept = data.draw(integers(0, 1, len(sample))) == 1
    kept[:forced] = True
    if not spec.weights_are_counts:
        with_zeros = sample.weighted(np.where(kept, sample.weight, 0.0))
        same(call(spec, params, with_zeros), call(spec, params, sample.take(kept)))
    marked = call(spec, params, sample.weighted(kept.astype(np.int64)))
    same(marked, call(spec, params, sample.weighted(None).take(kept)))


def check_scaling(spec, params, sample, factor):
    value = call(spec, params, sample)
    scaled = call(spec, params, sample.weighted(sample.weight * factor))
    same(scaled, value * factor if is_table(spec) else value)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SCALABLE)
@of_each_metric
@given(data=st.data(), exponent=st.sampled_from([-1060, -900, -300, -40, -1, 3, 40, 300, 900]))
def test_the_scale_of_weights_does_not_count(name, data, exponent):
    check_scaling(*draw_case(data, name, weighted=True), np.ldexp(1.0, exponent))


def every_class_has_negatives(sample, response):
    """Whether rows outside of each class (or output) are predicted outside of it."""
    if response != "labels":
        return True
    if sample.kind == "multilabel":
        return ((sample.true == 0) & (sample.response == 0)).any(axis=0).all()
    codes = np.arange(sample.n_classes)[:, None]
    return ((sample.true != codes) & (sample.response != codes)).any(axis=1).all()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SCALABLE)
@of_each_metric
@given(data=st.data(), factor=st.floats(0.001, 1000) | st.sampled_from([0.1, 1 / 3, 1e-200, 1e300]))
def test_a_scale_that_rounds_does_not_count(name, data, factor):
    """A class without rows stays without rows when its sums are rounded."""
    check_scaling(*draw_case(data, name, weighted=True), factor)

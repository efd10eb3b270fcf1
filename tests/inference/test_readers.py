"""Readers: a metric as a function of what is drawn equals the public function on those rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compare import same, undefined_allowed
from support.rows import NAMES, call, settings_of
from support.samples import samples

from skmetrics_ext import METRICS
from skmetrics_ext.inference.readers import read_metric
from skmetrics_ext.inference.readings import (
    TableReading,
)

TABLES = {"averaged_confusion", "confusion_matrix"}
CASES = [(name, params, kind) for name in NAMES for params, kind in settings_of(name)]


def reading_of(name, params, sample, **options):
    with undefined_allowed():
        return read_metric(
            METRICS[name].function,
            sample.true,
            sample.response,
            sample_weight=sample.weight,
            **params,
            **options,
        )


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_statistic_of_all_rows_is_the_value_of_the_public_function(name, data):
    params, kind = data.draw(st.sampled_from(settings_of(name)))
    weighted = data.draw(st.booleans())
    sample = data.draw(samples(METRICS[name].response, kind, weighted=weighted))
    expected = call(METRICS[name], params, sample)
    reading = reading_of(name, params, sample)
    same(reading.value, expected)
    ones = np.ones((1, len(sample)), dtype=np.int64)
    with undefined_allowed():
        found = reading.of_rows(ones)
    undefined = np.asarray(expected) == 0  # average precision calls 0/0 zero
    found = np.where(np.isnan(found[0]) & undefined, 0.0, found[0])
    same(found, np.asarray(expected, dtype=float))


@pytest.mark.parametrize("name", [name for name in NAMES if METRICS[name].on_tables])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_draw_has_the_value_of_the_public_function_on_the_rows_drawn(name, data):
    spec = METRICS[name]
    chosen = [(p, kind) for p, kind in settings_of(name) if kind != "multilabel"]
    params, kind = data.draw(st.sampled_from(chosen))
    sample = data.draw(samples(spec.response, kind))
    counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(sample),
                                         max_size=len(sample))))
    counts[: sample.n_classes] += 1  # every class is true in some row
    rows = np.repeat(np.arange(len(sample)), counts)
    expected = call(spec, params, sample.take(rows))
    reading = reading_of(name, params, sample)
    assert isinstance(reading, TableReading)
    same(reading.of_rows(counts[None])[0], np.asarray(expected, dtype=float))

"""Laws of values: they lie within their bounds; areas turn round with the scores."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import same
from support.rows import NAMES, call, draw_case, of_each_metric, settings_of
from support.samples import Sample

from skmetrics_ext import METRICS

ROUNDING = 1e-12


@pytest.mark.parametrize("name", NAMES)
@of_each_metric
@given(data=st.data())
def test_values_lie_within_the_bounds(name, data):
    weighted = data.draw(st.booleans()) and not METRICS[name].weights_are_counts
    spec, params, sample = draw_case(data, name, weighted=weighted)
    low, high = spec.bounds
    value = np.asarray(call(spec, params, sample), dtype=np.float64)
    inside = (value >= low - ROUNDING) & (value <= high + ROUNDING)
    assert (inside | np.isnan(value)).all(), value


def perfect(sample, spec):
    """The sample, predicted without an error; scores are of either sign and beyond all others."""
    if spec.response == "labels":
        return replace(sample, response=sample.true)
    best = np.eye(sample.n_classes)[sample.true] if sample.kind == "multiclass" else sample.true
    best = best.astype(np.float64)
    return replace(sample, response=100 * (2 * best - 1) if spec.response == "scores" else best)


JUDGES = [name for name in NAMES if METRICS[name].greater_is_better is not None]


@pytest.mark.parametrize("name", JUDGES)
@of_each_metric
@given(data=st.data())
def test_no_prediction_beats_a_perfect_one(name, data):
    """What says that greater is better, or worse, means it.

    Averages over the outputs of a row are left out: of outputs that are all 0 they say 0.
    """
    spec, params, sample = draw_case(data, name)
    if params.get("average") == "samples":
        return
    best = np.asarray(call(spec, params, perfect(sample, spec)))
    value = np.asarray(call(spec, params, sample))
    worse = value <= best + ROUNDING if spec.greater_is_better else value >= best - ROUNDING
    assert (worse | np.isnan(value) | np.isnan(best)).all(), (value, best)


def turned(sample):
    return replace(sample, response=-sample.response)


def is_area(spec):
    """Whether turning the scores round mirrors the value: areas under the ROC curve."""
    if spec.tally != "ranks" or spec.response != "scores":
        return False
    probe = Sample("binary", 2, np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.4, 0.3, 0.3, 0.2]))
    sides = [call(spec, spec.params, s) for s in (probe, turned(probe))]
    return bool(np.isclose(sum(sides), sum(spec.bounds)))


AREAS = [name for name in NAMES if is_area(METRICS[name])]


def test_the_areas_are_found():
    assert {"roc_auc_score", "gini_score"} <= set(AREAS)


@pytest.mark.parametrize("name", AREAS)
@given(data=st.data())
def test_an_area_of_scores_turned_round_is_its_mirror_image(name, data):
    spec, params, sample = draw_case(data, name, weighted=data.draw(st.booleans()))
    mirrored = sum(spec.bounds) - call(spec, params, sample)
    same(call(spec, params, turned(sample)), mirrored)


@pytest.mark.parametrize("name", AREAS)
@given(data=st.data())
def test_only_the_order_of_scores_counts_for_an_area(name, data):
    spec, params, sample = draw_case(data, name)
    stretched = replace(sample, response=np.exp(3 * sample.response) - 50)
    if settings_of(name) and params.get("average") != "micro":
        same(call(spec, params, stretched), call(spec, params, sample))

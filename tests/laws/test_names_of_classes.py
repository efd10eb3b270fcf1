"""Laws of renaming: what the classes are called does not count."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import same
from support.rows import OF_ONE_LABEL, call, draw_case, of_each_metric, signature

from skmetrics_ext import METRICS

# Names of up to four classes, rising like 0, 1, 2, 3.
RISING = (
    np.array([-7, 0, 2, 900]),
    np.array([10, 11, 12, 13], dtype=np.uint8),
    np.array([2**62 - 4, 2**62 - 3, 2**62 - 2, 2**62 - 1]),
    np.array([-1.0, 3.0, 1e6, 1e15]),
    np.array(["10", "11", "9", "a"]),
    np.array(["a", "b", "c", "d"], dtype=object),
)
SINGLE_LABEL = ("binary", "multiclass")
NAMEABLE = [name for name in OF_ONE_LABEL if not METRICS[name].numeric_labels]
NUMERIC = [name for name in OF_ONE_LABEL if METRICS[name].numeric_labels]


def renamed(sample, names, spec):
    own = names[sample.response] if spec.response == "labels" else sample.response
    return replace(sample, true=names[sample.true], response=own)


def positive(spec, sample, names, code=1):
    """The positive class by its new name, where a metric lets one say it."""
    asks = sample.kind == "binary" and "pos_label" in signature(spec)
    return (
        {"pos_label": names[code].item() if hasattr(names[code], "item") else names[code]}
        if asks
        else {}
    )


def order(params, sample, names):
    """Names of grades in their order: text has none of its own."""
    if params.get("weights") is None or names.dtype.kind in "iuf":
        return {}
    return {"labels": names[np.union1d(sample.true, sample.response)]}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMEABLE)
@of_each_metric
@given(data=st.data(), names=st.sampled_from(RISING))
def test_names_in_the_same_order_do_not_count(name, data, names):
    spec, params, sample = draw_case(data, name, SINGLE_LABEL, data.draw(st.booleans()))
    params_by_name = {**params, **positive(spec, sample, names), **order(params, sample, names)}
    got = call(spec, params_by_name, renamed(sample, names, spec))
    same(got, call(spec, params, sample))


@pytest.mark.parametrize("name", NUMERIC)
@given(data=st.data(), shift=st.integers(-1000, 1000))
def test_numeric_labels_may_be_shifted(name, data, shift):
    spec, params, sample = draw_case(data, name, SINGLE_LABEL, data.draw(st.booleans()))
    names = np.arange(4) + shift
    got = call(spec, params, renamed(sample, names, spec), **positive(spec, sample, names))
    same(got, call(spec, params, sample))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMEABLE)
@of_each_metric
@given(data=st.data(), text=st.booleans())
def test_names_in_another_order_do_not_count(name, data, text):
    """The classes sort the other way round, and so do the columns; single numbers stay."""
    spec, params, sample = draw_case(data, name, SINGLE_LABEL, data.draw(st.booleans()))
    n_classes = sample.n_classes
    names = np.arange(n_classes)[::-1] * 5
    names = np.array([f"class {c:02d}" for c in names]) if text else names
    if sample.kind == "multiclass" and spec.response != "labels":
        # No ties within a row: a rule that breaks them may go by the order of the columns.
        distinct = sample.response + np.arange(n_classes) / 100
        if spec.response == "probabilities":
            distinct = distinct / distinct.sum(axis=1, keepdims=True)
        sample = replace(sample, response=distinct)
    before = call(spec, params, sample)
    if np.ndim(before):  # one value or more per class; test_a_value_of_each_class has them
        return
    other = renamed(sample, names, spec)
    if spec.response != "labels" and sample.kind == "multiclass":
        other = replace(other, response=other.response[:, ::-1])
    given_name = positive(spec, sample, names)
    if spec.response != "labels" and sample.kind == "binary" and not given_name:
        # Scores of the class that sorts last, which is the other one now.
        own = 1 - other.response if spec.response == "probabilities" else -other.response
        other = replace(other, response=own)
    same(call(spec, params, other, **given_name, **order(params, sample, names)), before)


PER_CLASS = [
    name
    for name in NAMEABLE
    if "average" in signature(METRICS[name]) and METRICS[name].response == "labels"
]


@pytest.mark.parametrize("name", PER_CLASS)
@of_each_metric
@given(data=st.data())
def test_a_value_of_each_class_goes_with_its_name(name, data):
    spec, params, sample = draw_case(data, name, SINGLE_LABEL)
    names = np.array(["d", "c", "b", "a"])[: sample.n_classes]
    options = {**params, "average": None}
    turned = call(spec, options, renamed(sample, names, spec))
    same(turned[::-1], call(spec, options, sample))
    same(call(spec, options, sample, labels=np.arange(sample.n_classes)[::-1]), turned)

"""The law of readings: `Metric.read` of the tally of rows is the value that the function gives.

Asked with every average and convention for 0/0, of classes and outputs without rows, without
others or without weight: nan where the function is nan, its number by convention where it has one.
"""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs
from support.compare import same, undefined_allowed
from support.rows import signature
from support.samples import Sample, integers, probabilities

import skmetrics_ext as sx
from skmetrics_ext.inference.draws.readers import check_rows
from skmetrics_ext.registry import find
from skmetrics_ext.registry.table import SPECS
from skmetrics_ext.validation import InvalidParameterError

KINDS = ("binary", "multiclass", "multilabel")
N_CLASSES = {"binary": 2, "multiclass": 3, "multilabel": 3}
# Values to try beside those that the names of scorers set.
FURTHER = {
    "average": (None, "macro", "weighted", "micro", "samples"),
    "multi_class": ("ovr", "ovo"),
    "zero_division": (np.nan, 0.0, 1.0),
    "max_fpr": (0.5,),
    "cost_matrix": ([[0, 2], [5, 0]], [[0, 1, 2], [3, 0, 4], [5, 1, 0]]),
}
# Calibration errors have functions of their own; those that rank labels have no tally of classes.
NAMES = [
    name for name, spec in SPECS.items() if not spec.ranks_labels and spec.interval != "calibration"
]


def kinds_of(spec):
    """Kinds of rows without losses of indicators, which only functions read."""
    reads = spec.row_values is not None and spec.response == "probabilities"
    return KINDS[:2] if reads else KINDS


@cache
def settings_of(name):
    """All parameters to try."""
    spec = SPECS[name]
    found = [dict(spec.params), *map(dict, spec.scorers.values())]
    for parameter, values in FURTHER.items():
        if parameter in signature(spec):
            added = [{**params, parameter: value} for params in found for value in values]
            found = added if parameter == "cost_matrix" else [*found, *added]
    return list({repr(sorted(params.items())): params for params in found}.values())


@st.composite
def lacking(draw, response, kind):
    """A sample in which a class, or an output, may have no row, no other row or no weight."""
    n_classes, n_rows = N_CLASSES[kind], draw(st.integers(3, 9))
    shape = (n_rows, n_classes)
    if kind == "multilabel":
        true = draw(integers(0, 1, shape))
        for output, mark in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)))):
            true[:, output] = mark
    else:
        true = draw(integers(0, n_classes - 1, n_rows))
        if draw(st.booleans()):
            true[true == draw(st.integers(0, n_classes - 1))] = draw(st.integers(0, n_classes - 1))
    if response == "labels":
        own = draw(
            integers(0, 1, shape) if kind == "multilabel" else integers(0, n_classes - 1, n_rows)
        )
    elif kind == "multiclass":
        own = draw(probabilities(n_rows, n_classes))
    else:
        own = draw(integers(0, 16, shape if kind == "multilabel" else (n_rows,))) / 16
    weight = None
    if draw(st.booleans()):
        weight = draw(integers(0, 8, n_rows)) / 8
        weight[draw(st.integers(0, n_rows - 1))] = 1.0
    return Sample(kind, n_classes, true, own, weight)


def called(spec, params, sample):
    """The value of the function; None where it refuses such data."""
    weight = {} if sample.weight is None else {"sample_weight": sample.weight}
    try:
        with undefined_allowed():
            return spec.function(sample.true, sample.response, **params, **weight)
    except ValueError:
        return None


def read(spec, params, sample):
    """What `Metric.read` gives; None where nothing says which class is positive."""
    metric = find(partial(spec.function, **params))
    try:
        with undefined_allowed():
            settled, checked = check_rows(metric, sample.true, sample.response, sample.weight)
            return settled.read(settled.tally_of(checked))
    except InvalidParameterError as error:
        if "pos_label" in str(error):
            return None
        raise


def check(spec, params, sample):
    """Whether it was asked; both have to agree."""
    if "hierarchy" in signature(spec):
        params = {**params, "hierarchy": dict.fromkeys(range(sample.n_classes))}
    if "confidence" in signature(spec):
        params = {**params, "confidence": np.arange(len(sample.true)) % 3}
    if "y_set" in signature(spec):  # sets of one label
        sample = replace(sample, response=[[label] for label in sample.response.tolist()])
    value = called(spec, params, sample)
    if value is None:
        return False
    found = read(spec, params, sample)
    if found is None:
        return False
    same(np.asarray(found, dtype=np.float64), np.asarray(value, dtype=np.float64))
    return True


def with_classes(spec, params, kind):
    """The parameters with all classes, which the rows need not show."""
    if kind == "multilabel" or "labels" not in signature(spec):
        return params
    return {**params, "labels": list(range(N_CLASSES[kind]))}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=4)  # each with all parameters
@given(data=st.data())
def test_read_gives_what_the_function_gives(name, data):
    spec = SPECS[name]
    kind = data.draw(st.sampled_from(kinds_of(spec)))
    sample = data.draw(lacking(spec.response, kind))
    for params in settings_of(name):
        check(spec, with_classes(spec, params, kind), sample)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_asked(name):
    """Each setting is accepted for some kind of rows that has all classes."""
    spec = SPECS[name]
    rng = np.random.default_rng(0)
    samples = []
    for kind in kinds_of(spec):
        n_classes = N_CLASSES[kind]
        true = np.arange(8) % n_classes
        own = rng.integers(0, n_classes, 8)
        if kind == "multilabel":
            true, own = rng.integers(0, 2, (2, 8, n_classes))
        if spec.response != "labels":
            columns = rng.dirichlet(np.ones(n_classes), 8)
            own = columns[:, 1] if kind == "binary" else columns
        samples.append(Sample(kind, n_classes, true, own))
    for params in settings_of(name):
        asked = [check(spec, with_classes(spec, params, one.kind), one) for one in samples]
        assert any(asked) or params.get("average") == "samples", params


# --------------------------------------------------------------------------- found by the law

TRUE = np.array([0, 1, 0, 1, 1, 0, 1, 0])  # no row is of class 2
COLUMNS = np.array([[6, 1, 1], [2, 4, 2], [3, 4, 1], [1, 6, 1], [4, 1, 3], [5, 2, 1], [2, 3, 3],
                    [1, 5, 2]]) / 8  # fmt: skip


def test_average_precision_of_a_class_without_positives_counts_0():
    marks = np.eye(3)[TRUE]
    with undefined_allowed():
        right = theirs.average_precision_score(marks, COLUMNS, average="macro")
        found = sx.confidence_interval("average_precision", TRUE, COLUMNS, labels=[0, 1, 2])
        drawn = sx.confidence_interval(
            "average_precision", TRUE, COLUMNS, labels=[0, 1, 2], method="bootstrap",
            n_resamples=50, random_state=0,
        )  # fmt: skip
        two = sx.average_precision_score(TRUE, COLUMNS, labels=[0, 1, 2], average=None)[:2]
    assert found.value == drawn.value == pytest.approx(right) == pytest.approx(two.sum() / 3)
    assert found.standard_error > 0
    assert "no spread" not in found.note
    assert found.low < found.value < found.high
    assert drawn.low < drawn.value < drawn.high
    assert drawn.note == "" or "undefined" not in drawn.note


def test_pairwise_areas_have_intervals():
    rows = np.repeat(TRUE + (np.arange(8) > 5), 5), np.repeat(COLUMNS, 5, axis=0)
    areas = sx.pairwise_roc_auc(*rows)
    found = sx.confidence_interval(sx.pairwise_roc_auc, *rows, n_resamples=50, random_state=0)
    same(np.array([one.value for one in found]).reshape(3, 3), areas)
    for one in found:
        assert np.isnan(one.value) or one.low <= one.value <= one.high


def test_outputs_are_not_compared_in_pairs():
    """Rows with several labels are not of one of two classes: each output is against the rest."""
    marks = np.eye(3, dtype=int)[np.arange(8) % 3] | np.eye(3, dtype=int)[TRUE]
    found = sx.confidence_interval(
        "roc_auc_ovo", marks, COLUMNS, method="bootstrap", n_resamples=50, random_state=0
    )
    assert found.value == pytest.approx(theirs.roc_auc_score(marks, COLUMNS))
    assert found.low < found.value < found.high

"""An interval lies within the range of its metric, however few and extreme the rows are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.rows import signature

import skmetrics_ext as sx

pytestmark = pytest.mark.filterwarnings("ignore")
CHOICES = {"average", "multi_class", "target"}  # parameters of more than two classes


def has_one_value(spec, params, n_classes):
    """Whether a metric with these parameters has one value for so many classes."""
    takes, chosen = signature(spec), CHOICES & params.keys()
    if n_classes == 2:
        return not chosen
    if spec.response == "labels":
        default = takes["average"].default if "average" in takes else "binary"
        average = params.get("average", default)
        return average != "samples" and (spec.sides == "none" or average != "binary")
    of_two = spec.sides == "one" and "average" not in takes
    return not of_two and bool(chosen or not takes.keys() & {"multi_class", "target"})


def names_of(n_classes):
    """Names of scorers, and of metrics that describe, of which one has a value."""
    for spec in sx.METRICS.values():
        describes = spec.scorer is None and spec.greater_is_better is None
        if spec.is_table or spec.ranks_labels or spec.least_classes > n_classes:
            continue
        for name, params in (spec.scorers or ({spec.name: {}} if describes else {})).items():
            if has_one_value(spec, params, n_classes):
                yield name.removeprefix("neg_")


NAMES = {n_classes: sorted(names_of(n_classes)) for n_classes in (2, 3)}
NAMES[3].remove("smooth_calibration_error")  # of two classes
CASES = [(name, n_classes) for n_classes, names in NAMES.items() for name in names]


def rows_of(n_classes, seed, n_rows):
    """Few rows, most of them predicted rightly and with certainty."""
    rng = np.random.default_rng(seed)
    true = np.append(np.arange(n_classes), rng.integers(0, n_classes, n_rows))
    pred = np.where(rng.random(len(true)) < 0.8, true, rng.integers(0, n_classes, len(true)))
    proba = np.full((len(true), n_classes), 0.01 / (n_classes - 1))
    proba[np.arange(len(true)), pred] = 0.99
    return true, pred, proba


def limits(name, n_classes):
    """The range in the registry; that of the Brier score depends on the number of classes."""
    low, high = sx.METRICS[name].bounds
    return (low, 1.0) if name == "brier_score" and n_classes == 2 else (low, high)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "n_classes"), CASES)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), n_rows=st.integers(2, 12))
def test_bounds_lie_within_the_range(name, n_classes, seed, n_rows):
    true, pred, proba = rows_of(n_classes, seed, n_rows)
    spec = sx.METRICS[name]
    response = pred if spec.response == "labels" else proba if n_classes > 2 else proba[:, 1]
    found = sx.confidence_interval(name, true, response, n_resamples=29, random_state=0)
    low, high = limits(name, n_classes)
    if not np.isnan(found.low):
        assert low - 1e-9 <= found.low <= found.high <= high + 1e-9


LOUD = ([0, 0, 1, 1, 0, 1, 0, 1], [0.01, 0.02, 0.98, 0.99, 0.01, 0.99, 0.99, 0.98])


def test_a_brier_score_of_two_classes_is_at_most_1():
    """One row is wrong with 0.99: Hall's upper bound would be 1.04."""
    true, proba = map(np.array, LOUD)
    table = sx.compute_metrics(["brier_score"], true, y_proba=proba, intervals=True)
    doors = [
        sx.confidence_interval("brier_score", true, proba),
        sx.confidence_interval("brier_score", true, np.column_stack([1 - proba, proba])),
        table.row("brier_score"),
    ]
    for found in doors:
        assert found.value == pytest.approx(np.mean((true - proba) ** 2))
        assert (found.low, found.high) == (0, 1)
    doubled = sx.confidence_interval("brier_score", true, proba, scale_by_half=False)
    assert 1 < doubled.high <= 2
    halved = np.column_stack([1 - proba, proba, 0 * proba])
    options = {"labels": [0, 1, 2], "scale_by_half": True}
    assert sx.confidence_interval("brier_score", true, halved, **options).high == 1
    far = sx.compare("brier_score", true, proba, 1 - proba)
    assert -1 <= far.low <= far.high <= 1

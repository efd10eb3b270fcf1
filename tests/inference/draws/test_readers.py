"""Readers: a metric as a function of what is drawn equals the public function on those rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compare import same, undefined_allowed
from support.rows import NAMES, call, of_each_metric, settings_of
from support.samples import integers, samples

from skmetrics_ext import METRICS, confusion_matrix, expected_cost, gini_score, roc_auc_score
from skmetrics_ext.inference.draws.rankings import RankingSample
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.draws.samples import (
    FunctionSample,
    MomentSample,
    RowSample,
    TableSample,
)
from skmetrics_ext.validation import InvalidParameterError

from .drawing import rows_drawn


def reading_of(name, params, sample, **options):
    with undefined_allowed():
        return sample_of_rows(
            METRICS[name].function,
            sample.true,
            sample.response,
            sample_weight=sample.weight,
            **params,
            **options,
        )


def settings_of_samples(name):
    """Parameters and kinds of rows without losses of indicators, which only functions read."""
    reads = METRICS[name].row_values is not None and METRICS[name].response == "probabilities"
    return [(p, kind) for p, kind in settings_of(name) if not (reads and kind == "multilabel")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
@of_each_metric
@given(data=st.data())
def test_the_statistic_of_all_rows_is_the_value_of_the_public_function(name, data):
    params, kind = data.draw(st.sampled_from(settings_of_samples(name)))
    weighted = data.draw(st.booleans())
    sample = data.draw(samples(METRICS[name].response, kind, weighted=weighted))
    expected = call(METRICS[name], params, sample)
    reading = reading_of(name, params, sample)
    same(reading.value, expected)
    ones = np.ones((1, len(sample)), dtype=np.int64)
    with undefined_allowed():
        found = rows_drawn(reading, ones)
    undefined = np.asarray(expected) == 0  # average precision calls 0/0 zero
    found = np.where(np.isnan(found[0]) & undefined, 0.0, found[0])
    same(found, np.asarray(expected, dtype=float))


@pytest.mark.parametrize("name", [name for name in NAMES if METRICS[name].response == "labels"])
@of_each_metric
@given(data=st.data())
def test_a_draw_has_the_value_of_the_public_function_on_the_rows_drawn(name, data):
    spec = METRICS[name]
    chosen = [(p, kind) for p, kind in settings_of(name) if kind != "multilabel"]
    params, kind = data.draw(st.sampled_from(chosen))
    sample = data.draw(samples(spec.response, kind))
    counts = data.draw(integers(0, 3, len(sample)))
    counts[: sample.n_classes] += 1  # every class is true in some row
    rows = np.repeat(np.arange(len(sample)), counts)
    expected = call(spec, params, sample.take(rows))
    reading = reading_of(name, params, sample)
    assert isinstance(reading, TableSample)
    same(rows_drawn(reading, counts[None])[0], np.asarray(expected, dtype=float))


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_draw_of_scores_has_the_value_of_the_rows_drawn(data):
    names = [n for n in NAMES if METRICS[n].tally in ("ranks", "moments")]
    name = data.draw(st.sampled_from(names))
    spec = METRICS[name]
    params, kind = data.draw(st.sampled_from(settings_of_samples(name)))
    sample = data.draw(samples(spec.response, kind))
    counts = data.draw(integers(0, 3, len(sample)))
    counts[: max(sample.n_classes, 2)] += 1
    rows = np.repeat(np.arange(len(sample)), counts)
    expected = np.asarray(call(spec, params, sample.take(rows)), dtype=float)
    reading = reading_of(name, params, sample)
    with undefined_allowed():
        found = rows_drawn(reading, counts[None])[0]
    found = np.where(np.isnan(found) & (expected == 0), 0.0, found)
    same(found, expected)


def test_the_fast_readings_are_the_ones_in_use():
    """A registry row that lost its reading would fall back in silence, and be slow."""
    rng = np.random.default_rng(0)
    true, pred, score = rng.integers(0, 2, 40), rng.integers(0, 2, 40), rng.random(40)
    proba = np.clip(score, 0.1, 0.9)
    for name in NAMES:
        spec = METRICS[name]
        response = {"labels": pred, "scores": score, "probabilities": proba}[spec.response]
        given_rows = true, response
        if spec.ranks_labels:  # rows of four labels
            given_rows = true.reshape(-1, 4), score.reshape(-1, 4)
        kind = {"ranks": RankingSample, "moments": MomentSample}.get(spec.tally, TableSample)
        with undefined_allowed():
            found = sample_of_rows(spec.function, *given_rows, **spec.params)
        assert isinstance(found, kind), name


def test_parameters_that_no_kernel_knows_are_read_from_weighted_rows():
    rng = np.random.default_rng(1)
    true = rng.integers(0, 3, 30)
    score = rng.random((30, 3))
    reading = sample_of_rows("roc_auc_ovo", true, score)
    assert isinstance(reading, RowSample)
    counts = rng.integers(1, 3, 30)
    rows = np.repeat(np.arange(30), counts)
    same(
        rows_drawn(reading, counts[None])[0],
        np.asarray(roc_auc_score(true[rows], score[rows], multi_class="ovo")),
    )


def test_rows_without_weight_are_absent():
    reading = sample_of_rows("accuracy", [0, 1, 1, 0], [0, 1, 0, 1], sample_weight=[1, 1, 0, 2])
    assert len(reading.atoms.of_row) == 3
    assert reading.value == pytest.approx(2 / 4)


def test_a_function_of_the_users_own_is_read_row_by_row():
    def share(y_true, y_pred):
        return np.mean(np.asarray(y_true) == np.asarray(y_pred))

    reading = sample_of_rows(share, ["a", "b", "b"], ["a", "b", "a"])
    assert isinstance(reading, FunctionSample)
    assert reading.statistic(np.array([[1, 1, 1], [3, 0, 0], [0, 0, 2]])).tolist() == [2 / 3, 1, 0]
    with pytest.raises(InvalidParameterError, match="no parameter sample_weight"):
        sample_of_rows(share, [0, 1], [0, 1], sample_weight=[1, 2])


def test_weights_travel_with_the_rows_of_a_users_function():
    def weighed(y_true, y_pred, sample_weight=None):
        return float(np.average(np.asarray(y_true) == y_pred, weights=sample_weight))

    reading = sample_of_rows(weighed, [0, 1, 1], np.array([0, 1, 0]), sample_weight=[1.0, 2.0, 5.0])
    assert reading.statistic(np.array([[2, 1, 1]]))[0] == pytest.approx(4 / 9)
    seen = sample_of_rows(
        weighed, [0, 1, 1], np.array([0, 1, 0]), sample_weight=[1, 2, 5], weights_are="frequency"
    )
    assert len(seen.atoms) == 8
    assert seen.value == pytest.approx(3 / 8)


@pytest.mark.parametrize(
    ("metric", "params", "message"),
    [
        ("nonsense", {}, "not a valid scoring value"),
        (3, {}, "must be a name or a function"),
        ("f1", {"alpha": 1}, "takes no alpha"),
        ("accuracy", {"normalize": False}, "normalize=False"),
        ("f1", {"sample_weight": [1.5, 1], "weights_are": "frequency"}, "must hold integers"),
        ("f1", {"groups": [1]}, "one group for each of the 2 rows"),
        (lambda a, b: "text", {}, "has to return numbers"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(metric, params, message):
    with pytest.raises(ValueError, match=message):
        sample_of_rows(metric, [0, 1], [0, 1], **params)


def test_metrics_that_have_no_scorer_are_read_from_tables():
    costs = [[0, 1], [10, 0]]
    true, pred = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 0, 1])
    reading = sample_of_rows(expected_cost, true, pred, cost_matrix=costs)
    assert isinstance(reading, TableSample)
    counts = np.array([1, 2, 0, 3, 1])
    rows = np.repeat(np.arange(5), counts)
    same(
        rows_drawn(reading, counts[None])[0],
        np.asarray(expected_cost(true[rows], pred[rows], cost_matrix=costs)),
    )


def test_arrays_are_read_as_arrays():
    true, pred = [0, 0, 1, 1], [0, 1, 1, 1]
    reading = sample_of_rows(confusion_matrix, true, pred)
    same(reading.statistic(reading.atoms.rows[None])[0], np.array([[1.0, 1.0], [0.0, 2.0]]))


def test_areas_of_draws_are_exact_with_ties_and_weights(scores):
    true, score = scores
    rng = np.random.default_rng(0)
    for metric, public in (("roc_auc", roc_auc_score), ("gini", gini_score)):
        reading = sample_of_rows(metric, true, score)
        counts = rng.integers(0, 3, (4, 150))
        expected = [public(true, score, sample_weight=count) for count in counts]
        same(rows_drawn(reading, counts), np.array(expected))
    weight = rng.integers(1, 4, 150) / 4
    reading = sample_of_rows("roc_auc", true, score, sample_weight=weight)
    expected = [roc_auc_score(true, score, sample_weight=weight * count) for count in counts]
    same(rows_drawn(reading, counts), np.array(expected))

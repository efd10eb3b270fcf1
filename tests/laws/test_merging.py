"""Laws of tallies: parts merge to the whole, and kernels read many tallies at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import same
from support.rows import NAMES, call, draw_case, of_each_metric, signature
from support.samples import integers, orders, samples

from skmetrics_ext import METRICS
from skmetrics_ext.registry import find
from skmetrics_ext.tallies import ConfusionTally, MomentTally, RankTally
from skmetrics_ext.validation import Probabilities

OF_LABELS = [name for name in NAMES if METRICS[name].response == "labels"]
OF_RANKINGS = [name for name in NAMES if METRICS[name].tally == "ranks"]


def reader_of(spec):
    """What reads tallies: of labels the metric, with a value for each class where it has them.

    Of the others the kernel, with its parameters.
    """
    if spec.response == "labels":
        return find(spec.name, {"average": None} if "average" in signature(spec) else {}).read
    return find(spec.name).kernel


def tally_of(spec, sample):
    if spec.response == "labels":
        own = sample.response
        return ConfusionTally.from_predictions(
            sample.true, own, labels=np.arange(sample.n_classes), sample_weight=sample.weight
        )
    if spec.tally == "ranks":
        # Not from_predictions: a part may hold one class only.
        return RankTally.from_scores(sample.response, sample.true, 2, sample.weight)
    if spec.ranks_labels:
        return MomentTally.from_values(sample.response, sample_weight=sample.weight)
    check = spec.check or Probabilities.check_strict
    every = np.arange(sample.n_classes)
    checked = check(sample.true, sample.response, labels=every, sample_weight=sample.weight)
    columns = np.asarray(spec.row_values(checked), dtype=np.float64)
    return MomentTally.from_checked(columns, checked.weight)


def kinds_of(spec):
    """What a metric is read from; scores of one column may be read by the range of them all."""
    if spec.response == "labels" or spec.ranks_labels:
        return ("binary", "multiclass")
    if spec.tally == "ranks" or spec.sides == "one":
        return ("binary",)
    return ("multiclass",) if spec.response == "scores" else ("binary", "multiclass")


def stacked(tallies):
    """Tallies on one leading axis."""
    if isinstance(tallies[0], ConfusionTally):
        return ConfusionTally(tallies[0].classes, np.stack([t.table for t in tallies]))
    return type(tallies[0]).stack(tallies)


def draw_sample(data, spec, weighted=False):
    """Samples of 2 classes for ranks, of any number for counts and moments."""
    kind = data.draw(st.sampled_from(kinds_of(spec)))
    return data.draw(samples(spec.response, kind, weighted=weighted))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
@of_each_metric
@given(data=st.data())
def test_merged_parts_are_the_whole(name, data):
    spec = METRICS[name]
    read = reader_of(spec)
    sample = draw_sample(data, spec, weighted=data.draw(st.booleans()))
    n_rows = len(sample)
    part_of = data.draw(integers(0, 2, n_rows))
    parts = [tally_of(spec, sample.take(part_of == k)) for k in range(3) if (part_of == k).any()]
    merged = parts[-1].merge(*parts[:-1])
    same(read(merged), read(tally_of(spec, sample)))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
@of_each_metric
@given(data=st.data())
def test_a_value_of_stacked_tallies_is_the_stack_of_their_values(name, data):
    spec = METRICS[name]
    read = reader_of(spec)
    sample = draw_sample(data, spec, weighted=data.draw(st.booleans()))
    tallies = [tally_of(spec, sample)]
    for _ in range(2):
        rows = data.draw(orders(len(sample)))
        mixed = sample.take(rows[: len(rows) // 2 + 1])
        # The columns stay, so that there is something else to read.
        tallies.append(tally_of(spec, mixed))
    values = [np.asarray(read(tally)) for tally in tallies]
    stack = stacked(tallies)
    same(read(stack), np.stack(values))
    if spec.response == "labels":  # two leading axes, too
        twice = ConfusionTally(stack.classes, np.stack([stack.table] * 2))
        same(read(twice), np.stack([np.stack(values)] * 2))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", OF_LABELS)
@of_each_metric
@given(data=st.data())
def test_a_table_is_read_as_the_function_reads_its_rows(name, data):
    weighted = data.draw(st.booleans())
    spec, params, sample = draw_case(data, name, ("binary", "multiclass"), weighted=weighted)
    got = find(name, params).read(tally_of(spec, sample))
    same(got, np.asarray(call(spec, params, sample)))


@pytest.mark.parametrize("name", OF_RANKINGS)
@given(data=st.data())
def test_the_kernel_is_that_of_the_public_function(name, data):
    """Where it is defined, and the function needs no average."""
    spec = METRICS[name]
    sample = data.draw(samples(spec.response, "binary", weighted=data.draw(st.booleans())))
    value = np.asarray(reader_of(spec)(tally_of(spec, sample)))
    got = np.asarray(call(spec, spec.params, sample))
    assert got.shape == value.shape
    defined = ~np.isnan(value)
    same(got[defined], value[defined])


# --------------------------------------------------------------------------- tables by hand


def test_classes_of_several_tables_are_those_of_any():
    two, other = [[4, 1, 0], [2, 3, 0], [0, 0, 0]], [[0, 0, 1], [0, 2, 0], [0, 0, 0]]
    metric = find("recall").with_params(pos_label="b")
    stack = ConfusionTally(np.array(["a", "b", "c"]), np.array([two, two]))
    assert metric.read(stack).tolist() == [0.6, 0.6]
    with pytest.raises(ValueError, match="Target is multiclass"):
        metric.read(ConfusionTally(stack.classes, np.array([two, other])))


@pytest.mark.parametrize(
    ("normalize", "expected"),
    [
        ("true", [[1 / 3, 2 / 3], [0, 1]]),
        ("pred", [[1, 1 / 3], [0, 2 / 3]]),
        ("all", [[1 / 7, 2 / 7], [0, 4 / 7]]),
    ],
)
def test_each_table_of_several_is_divided_by_its_own_sums(normalize, expected):
    table = np.array([[1, 2], [0, 4]])
    metric = find("confusion_matrix", {"normalize": normalize})
    found = metric.read(ConfusionTally(np.arange(2), np.stack([table, 5 * table, 0 * table])))
    np.testing.assert_allclose(found, [expected, expected, np.zeros((2, 2))])

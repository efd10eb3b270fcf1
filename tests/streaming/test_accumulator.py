"""An accumulator of batches equals the functions of all rows."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import undefined_allowed
from support.frames import EXACT, binary_frame, binary_names, expected, labels_only, several_frame
from support.samples import grid_scores, integers, weights

import skmetrics_ext as sx
from skmetrics_ext import Accumulator


def fed(accumulator, frame, size=70, weight=None, score="score"):
    for start in range(0, len(frame), size):
        rows = frame[start : start + size]
        own = None if weight is None else rows[weight]
        accumulator.update(rows["true"], rows[score], own, y_pred=rows["pred"])
    return accumulator


@pytest.mark.parametrize("weight", [None, "count", "weight"])
def test_batches_equal_the_whole(weight):
    frame = binary_frame(500)
    values = fed(Accumulator(binary_names()), frame, weight=weight).compute()
    assert list(values) == binary_names()
    for name, value in values.items():
        whole = expected(name, frame, weight=weight)
        if weight is None and name in (*EXACT, *labels_only()):
            assert value == whole, name
        np.testing.assert_allclose(value, whole, rtol=1e-12, atol=1e-14, err_msg=name)


def test_several_classes_need_their_labels():
    frame, labels, columns = several_frame(300)
    names = ["roc_auc_ovo", "roc_auc_ovr_weighted", "log_loss", "f1_macro", "top_k_accuracy"]
    accumulator = fed(Accumulator(names, labels=labels), frame, score=columns)
    for name, value in accumulator.compute().items():
        whole = expected(name, frame, columns, labels=labels)
        np.testing.assert_allclose(value, whole, rtol=1e-12, err_msg=name)
    with pytest.raises(ValueError, match="need labels="):
        fed(Accumulator(names), frame, score=columns)


@st.composite
def streams(draw):
    n_rows = draw(st.integers(2, 40))
    true, score = draw(integers(0, 1, n_rows)), draw(grid_scores(n_rows))
    weight = draw(st.none() | weights(n_rows))
    cuts = sorted(draw(st.lists(st.integers(0, n_rows), max_size=5)))
    return true, score, weight, [0, *cuts, n_rows]


@given(streams(), st.randoms())
def test_any_batches_in_any_order_and_any_tree_of_merges(stream, random):
    true, score, weight, edges = stream
    names = ["roc_auc", "average_precision", "ks_statistic", "hinge_loss"]
    parts = []
    for start, stop in pairwise(edges):
        part = Accumulator(names)
        own = None if weight is None else weight[start:stop]
        part.update(true[start:stop], score[start:stop], own)
        parts.append(part)
    while len(parts) > 1:
        random.shuffle(parts)
        parts = [pickle.loads(pickle.dumps(parts[0])).merge(parts[1]), *parts[2:]]
    got = parts[0].compute()
    with undefined_allowed():
        whole = {
            "roc_auc": sx.roc_auc_score(true, score, sample_weight=weight, labels=[0, 1]),
            "average_precision": sx.average_precision_score(true, score, sample_weight=weight),
            "ks_statistic": sx.ks_statistic_score(true, score, sample_weight=weight, labels=[0, 1]),
            "hinge_loss": sx.hinge_loss(true, score, sample_weight=weight, labels=[0, 1]),
        }
    if not (true[weight != 0] if weight is not None else true).any():
        whole["average_precision"] = np.nan  # the function's 0 is a convention, not a measurement
    for name, value in whole.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-12, atol=1e-14, err_msg=name)


def test_merging_leaves_both_parts_as_they_were():
    frame = binary_frame(200)
    first = fed(Accumulator(["roc_auc", "accuracy"]), frame[:120])
    rest = fed(Accumulator(["roc_auc", "accuracy"]), frame[120:])
    before = first.compute(), rest.compute()
    merged = first.merge(rest)
    assert (first.compute(), rest.compute()) == before
    assert merged.n_rows == 200
    assert merged.compute()["roc_auc"] == sx.roc_auc_score(frame["true"], frame["score"])
    first.update([0, 1], [0.1, 0.9], y_pred=[0, 1])
    assert merged.n_rows == 200


def test_labels_alone_take_predictions_as_second_argument_and_new_classes():
    accumulator = Accumulator(["accuracy", "f1_macro", "matthews_corrcoef"])
    accumulator.update(["a", "b"], ["a", "a"])
    accumulator.update(["c", "c", "b"], ["c", "b", "b"])
    true, pred = ["a", "b", "c", "c", "b"], ["a", "a", "c", "b", "b"]
    assert accumulator.compute() == {
        "accuracy": sx.accuracy_score(true, pred),
        "f1_macro": sx.f1_score(true, pred, average="macro"),
        "matthews_corrcoef": sx.matthews_corrcoef(true, pred),
    }


def test_the_first_batch_need_not_hold_both_classes():
    accumulator = Accumulator(["roc_auc"])
    accumulator.update([1, 1], [0.2, 0.4])
    assert np.isnan(accumulator.compute()["roc_auc"])
    assert accumulator.evaluation().row("roc_auc").note == "a class has no rows"
    accumulator.update([0], [0.3])
    assert accumulator.compute() == {"roc_auc": 0.5}
    minus = Accumulator(["roc_auc"])
    minus.update([-1, -1], [0.2, 0.4])
    minus.update([1], [0.3])
    assert minus.compute() == {"roc_auc": 0.5}


@pytest.mark.parametrize("names", [(0, 1), (-1, 1), (False, True)])
def test_positives_alone_are_positive(names):
    """Whatever the others turn out to be called."""
    metrics = ["roc_auc", "average_precision", "log_loss", "f1"]
    parts = [([names[k] for k in own], score) for own, score in (
        ([1, 1], [0.2, 0.9]), ([1], [0.4]), ([0], [0.3]), ([1, 0], [0.8, 0.1]),
    )]  # fmt: skip
    whole = Accumulator(metrics)
    others = []
    for true, score in parts:
        pred = [names[own >= 0.5] for own in score]
        others.append(Accumulator(metrics))
        for accumulator in (whole, others[-1]):
            accumulator.update(true, score, y_pred=pred)
    true, score = np.array([1, 1, 1, 0, 1, 0]), np.array([0.2, 0.9, 0.4, 0.3, 0.8, 0.1])
    wanted = {
        "roc_auc": sx.roc_auc_score(true, score),
        "average_precision": sx.average_precision_score(true, score),
        "log_loss": pytest.approx(sx.log_loss(true, score)),
        "f1": sx.f1_score(true, (score >= 0.5).astype(int)),
    }
    assert whole.compute() == others[0].merge(*others[1:]).compute() == wanted


@pytest.mark.parametrize("names", [(1, 2), (0, 2), ("no", "yes")])
def test_metrics_of_one_class_ask_which_it_is(names):
    def told(**options):
        accumulator = Accumulator(["f1", "average_precision"], **options)
        accumulator.update([names[1]], [0.9], y_pred=[names[1]])  # a batch without the other
        accumulator.update([names[0], names[1]], [0.3, 0.2], y_pred=[names[0], names[0]])
        return accumulator.compute()

    with pytest.raises(ValueError, match=r"pass labels=, the negative class and the positive one"):
        told()
    later = {"f1": 2 / 3, "average_precision": pytest.approx(sx.average_precision_score(
        [1, 0, 1], [0.9, 0.3, 0.2]))}  # fmt: skip
    assert told(labels=names) == told(labels=names[::-1], pos_label=names[1]) == later
    labels = Accumulator(["f1", "accuracy"])
    labels.update([names[1]], [names[1]])
    labels.update([names[0], names[1]], [names[0], names[0]])
    asks = f"f1 needs a positive class: pass pos_label={names[1]!r} or pos_label={names[0]!r}"
    with pytest.raises(ValueError, match=asks):
        labels.compute()
    either = Accumulator(["markedness", "f1_macro", "accuracy"])
    either.update([names[1]], [names[1]])
    either.update([names[0], names[1]], [names[0], names[0]])
    true, pred = [1, 0, 1], [1, 0, 0]
    assert either.compute() == {
        "markedness": sx.markedness_score(true, pred),
        "f1_macro": sx.f1_score(true, pred, average="macro"),
        "accuracy": sx.accuracy_score(true, pred),
    }


def test_text_labels():
    accumulator = Accumulator(["roc_auc", "f1"], labels=["well", "ill"])
    accumulator.update(["ill"], [0.9], y_pred=["ill"])
    accumulator.update(["well", "ill"], [0.3, 0.2], y_pred=["ill", "well"])
    assert accumulator.compute() == {"roc_auc": 0.5, "f1": 0.5}
    turned = Accumulator(["roc_auc"], labels=["well", "ill"], pos_label="well")
    turned.update(["ill", "well", "ill"], [0.9, 0.3, 0.2])
    assert turned.compute() == {"roc_auc": 0.5}


def test_a_refused_batch_leaves_no_trace():
    accumulator = Accumulator(["roc_auc", "log_loss"])
    accumulator.update([0, 1, 1], [0.3, 0.2, 0.9])
    before = accumulator.compute()
    for true, score, told in (
        ([0, 2], [0.1, 0.2], r"Batch 1: y_true contains values .2. not belonging to .*\[0, 1\]"),
        ([0, 1], [0.1, np.nan], "Batch 1: Input contains NaN: y_score, first in row 1"),
        ([0, 1], [0.1, 1.5], "Batch 1: y_prob contains values greater than 1: 1.5"),
        ([0, 1], [0.1], r"inconsistent numbers of samples: .*y_true: 2, y_score: 1"),
        (["a", "b"], [0.1, 0.2], "Batch 1: y_true contains values .* not belonging"),
        ([[0, 1], [1, 0]], [0.1, 0.2], "Batch 1: "),
        ([0, 1], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], "Batch 1: "),
    ):
        with pytest.raises(ValueError, match=told):
            accumulator.update(true, score)
    with pytest.raises(ValueError, match="for every batch, or for none"):
        accumulator.update([0, 1], [0.1, 0.2], [1.0, 2.0])
    accumulator.update([], [])
    assert accumulator.compute() == before
    assert accumulator.n_rows == 3


def test_the_limit_is_kept():
    accumulator = Accumulator(["roc_auc"], max_distinct=10)
    for _ in range(5):
        accumulator.update([0, 1] * 5, np.arange(10) / 10)
    assert accumulator.n_distinct == 10
    with pytest.raises(ValueError, match="more distinct scores, 11, than max_distinct=10"):
        accumulator.update([0], [0.55])
    assert accumulator.n_rows == 50
    other = Accumulator(["roc_auc"], max_distinct=10)
    other.update([0], [0.55])
    with pytest.raises(ValueError, match="more distinct scores, 11, than max_distinct=10"):
        accumulator.merge(other)


def test_what_is_refused():
    with pytest.raises(ValueError, match="No rows were given yet"):
        Accumulator(["roc_auc"]).compute()
    with pytest.raises(ValueError, match="f1 needs predicted labels"):
        Accumulator(["roc_auc", "f1"]).update([0, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="Only accumulators of the same metrics"):
        Accumulator(["roc_auc"]).merge(Accumulator(["gini"]))
    with pytest.raises(ValueError, match="max_distinct has to be an integer"):
        Accumulator(["roc_auc"], max_distinct=0)
    with pytest.raises(ValueError, match="pass labels=, the negative class and the positive"):
        Accumulator(["roc_auc"]).update(["a", "b"], [0.1, 0.2])


def test_intervals_curves_and_representation():
    frame = binary_frame(400)
    accumulator = fed(
        Accumulator(["roc_auc", "accuracy", "average_precision", "ks_statistic"]), frame
    )
    found = accumulator.evaluation(intervals=True, curve_points=10)
    for name, response in (
        ("roc_auc", "score"),
        ("accuracy", "pred"),
        ("average_precision", "score"),
    ):
        estimate = sx.confidence_interval(name, frame["true"], frame[response])
        row = found.row(name)
        np.testing.assert_allclose((row.low, row.high), (estimate.low, estimate.high), rtol=1e-9)
    assert "resampling" in found.row("ks_statistic").note
    assert len(found.curves[None, 1].thresholds) <= 10
    assert repr(accumulator) == (
        "Accumulator(['roc_auc', 'accuracy', 'average_precision', 'ks_statistic']): 400 rows"
    )


def test_memory_grows_with_the_distinct_scores_and_not_with_the_rows():
    accumulator = Accumulator(["roc_auc", "log_loss", "expected_calibration_error"])
    rng = np.random.default_rng(0)

    def size_after(batches):
        for _ in range(batches):
            accumulator.update(rng.integers(0, 2, 500), rng.integers(1, 100, 500) / 100)
        assert accumulator.n_distinct == 99
        return len(pickle.dumps(accumulator))

    first = size_after(10)
    assert size_after(90) < 1.2 * first

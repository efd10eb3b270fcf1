"""A stream reads its batches as the functions read all rows: obeyed or refused, and told once."""

import functools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from laws.asked_data import any_rows, flat, heard
from support.rows import NAMES, signature
from support.samples import integers

import skmetrics_ext as sx
from skmetrics_ext import METRICS, Accumulator

TRUE, SCORE = np.array([0, 1, 0, 1, 1, 0]), np.array([0.1, 0.9, 0.8, 0.2, 0.6, 0.3])
PRED = (SCORE > 0.5).astype(int)
BOTH = ["roc_auc", "average_precision", "log_loss", "accuracy", "f1"]


def fed(names, *batches, **told):
    stream = Accumulator(names, **told)
    for batch in batches:
        stream.update(**batch)
    return stream.compute()


def whole(true=TRUE, score=SCORE, pred=PRED, weight=None):
    own = {"sample_weight": weight}
    return {
        "roc_auc": pytest.approx(sx.roc_auc_score(true, score, **own)),
        "average_precision": pytest.approx(sx.average_precision_score(true, score, **own)),
        "log_loss": pytest.approx(sx.log_loss(true, score, **own)),
        "accuracy": pytest.approx(sx.accuracy_score(true, pred, **own)),
        "f1": pytest.approx(sx.f1_score(true, pred, **own)),
    }


# --------------------------------------------------------------------------- masks and indexes


@pytest.mark.parametrize("argument", ["y_true", "y_score", "y_pred"])
def test_a_masked_row_is_left_out(argument):
    rows = {"y_true": TRUE, "y_score": SCORE, "y_pred": PRED}
    mask = np.array([0, 0, 1, 1, 0, 0])
    rows[argument] = np.ma.array(rows[argument], mask=mask)
    seen = mask == 0
    assert fed(BOTH, rows) == whole(TRUE[seen], SCORE[seen], PRED[seen])


def test_a_batch_may_be_masked_as_a_whole():
    stream = Accumulator(BOTH)
    nothing = np.ma.masked_all(6, dtype=int)
    for true in (nothing, TRUE, nothing):
        stream.update(true, SCORE, y_pred=PRED, sample_weight=np.ones(6))
    assert stream.compute() == whole()
    assert stream.n_rows == 6
    weight = np.ma.array([1.0, 2, 1, 1, 2, 1], mask=[0, 0, 0, 0, 0, 1])
    rows = {"y_true": TRUE, "y_score": SCORE, "y_pred": PRED, "sample_weight": weight}
    assert fed(BOTH, rows) == whole(TRUE[:5], SCORE[:5], PRED[:5], np.asarray(weight[:5]))


@pytest.mark.parametrize("first", ["y_true", "y_score", "y_pred", "sample_weight"])
@pytest.mark.parametrize("other", ["y_true", "y_score", "y_pred", "sample_weight"])
def test_a_permuted_index_is_refused(first, other):
    rows = {"y_true": TRUE, "y_score": SCORE, "y_pred": PRED, "sample_weight": np.arange(1, 7)}
    stream = Accumulator(BOTH)
    stream.update(**rows)
    rows[first], rows[other] = pd.Series(rows[first]), pd.Series(rows[other])[::-1]
    if first == other:  # its own order is that of the rows
        stream.update(**rows)
        return
    with pytest.raises(ValueError, match=r"Batch 1: .*same index labels in another order"):
        stream.update(**rows)
    assert stream.n_rows == 6


# --------------------------------------------------------------------------- classes, told once


@pytest.mark.parametrize("names", [(1, 2), (0, 2), ("no", "yes"), (0, 1), (2.0, 5.0)])
@pytest.mark.parametrize("pos_label", [None, "first"])
@pytest.mark.parametrize("n_columns", [1, 2])
def test_any_labels_in_batches_of_one_class(names, pos_label, n_columns):
    label = np.array(names)
    positive = names[0] if pos_label else None
    score = SCORE if n_columns == 1 else np.column_stack([1 - SCORE, SCORE])
    if pos_label and n_columns == 1:
        score = 1 - SCORE  # of the class that is named
    batches = [
        {"y_true": label[TRUE[rows]], "y_score": score[rows], "y_pred": label[PRED[rows]]}
        for rows in ([1, 3], [4], [0, 2], [5])
    ]
    expected = whole()
    if pos_label:
        expected = whole(1 - TRUE, 1 - SCORE, 1 - PRED)
    assert fed(BOTH, *batches, labels=names, pos_label=positive) == expected


def test_two_columns_are_of_the_positive_class_in_evaluate_too():
    columns = {"no": 1 - SCORE, "yes": SCORE}
    frame = pd.DataFrame({"true": np.array(["no", "yes"])[TRUE], "pred": PRED, **columns})
    frame["pred"] = np.array(["no", "yes"])[PRED]
    for engine in ("memory", "duckdb"):
        for score in (["no", "yes"], "yes", {"no": "no", "yes": "yes"}):
            found = sx.evaluate(
                frame, true="true", score=score, pred="pred", metrics=BOTH, engine=engine,
                labels=["no", "yes"],
            )  # fmt: skip
            assert {row.metric: row.value for row in found} == whole()
        frame["yes"] *= 0.9
        with pytest.raises(ValueError, match=r"sum to .*, not to 1"):
            sx.evaluate(
                frame, true="true", score=["no", "yes"], metrics=["roc_auc"], engine=engine,
                labels=["no", "yes"],
            )  # fmt: skip
        frame["yes"] = SCORE


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        ([0, 1], [-1, 1], r"values .-1. not belonging"),
        ([-1, 1], [0, 1], r"values .0. not belonging"),
        ([1, 1], [1, 2], r"y_true holds \[1, 2\]; pass labels="),
        ([0, 1], ["0", "1"], r"values .* not belonging"),
    ],
)
def test_classes_do_not_change_on_the_way(first, then, told):
    stream = Accumulator(["roc_auc"])
    stream.update(first, [0.2, 0.7])
    with pytest.raises(ValueError, match=told):
        stream.update(then, [0.2, 0.7])
    assert stream.n_rows == 2
    other = Accumulator(["roc_auc"])
    stream, other = Accumulator(["roc_auc"]), Accumulator(["roc_auc"])
    stream.update([0, 1], [0.2, 0.7])
    other.update([-1, 1], [0.2, 0.7])
    with pytest.raises(ValueError, match="have seen different classes"):
        stream.merge(other)


def test_text_and_numbers_do_not_mix():
    for labels, then in ((None, ["0", "1"]), ([0, 1], ["0", "1"]), (["0", "1"], [0, 1])):
        stream = Accumulator(["f1_macro", "accuracy"], labels=labels)
        if labels is None:
            stream.update([0, 1], [1, 1])
        with pytest.raises(ValueError, match=r"The labels are .*, but .* in "):
            stream.update(then, then)


@pytest.mark.parametrize("labels", [None, ["low", "mid", "high"]])
def test_grades_keep_their_declared_order_in_batches_and_files(labels, tmp_path):
    order = ["low", "mid", "high"]
    grades = pd.Categorical(["low", "high", "mid"], order, ordered=True)
    linear = functools.partial(sx.cohen_kappa_score, weights="linear")
    stream = Accumulator({"kappa": linear, "accuracy": "accuracy"}, labels=labels)
    for rows in ([0], [1, 2]):  # predicted low, mid, mid: 2 of 3 right, one a step away
        stream.update(grades[rows], grades[[0, 2, 2]][rows])
    stream.save(tmp_path / "sums")
    # A third is a step away; by chance 1 step for low, 2 / 3 for mid: 1 - (1 / 3) / (7 / 9).
    expected = {"kappa": pytest.approx(4 / 7), "accuracy": 2 / 3}
    for got in (stream, Accumulator.load(tmp_path / "sums")):
        assert got.compute() == expected
    if labels is None:
        stream.update(*[pd.Categorical(["low", "mid"], order[::-1], ordered=True)] * 2)
        assert np.isnan(stream.compute()["kappa"])  # two orders


def test_one_kind_of_number():
    big = np.array([2**53, 2**53 + 1])
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        Accumulator(["roc_auc"]).update([0, 1], big)
    edges = functools.partial(sx.expected_calibration_error, n_bins=[0.2, 0.5, 1.0])
    stream = Accumulator({"error": edges})
    stream.update([0, 1], [0.25, 0.75])
    with pytest.raises(ValueError, match=r"must hold every probability, from 0.1"):
        stream.update([0, 1], [0.1, 0.75])
    assert stream.compute() == {"error": edges([0, 1], [0.25, 0.75])}


# --------------------------------------------------------------------------- weights


def test_weights_keep_their_unit():
    rows = [
        {"y_true": TRUE[i], "y_score": SCORE[i], "y_pred": PRED[i]} for i in ([0, 1, 2], [3, 4, 5])
    ]
    weight = np.array([1e-50, 3e-50, 2e-50, 0, 0, 0])
    own = [
        {**row, "sample_weight": part} for row, part in zip(rows, np.split(weight, 2), strict=True)
    ]
    assert fed(BOTH, *own) == fed(BOTH, *own[::-1]) == whole(weight=weight)
    far = np.array([1e40, 3, 2, 1, 4e30, 1])
    own = [{**row, "sample_weight": part} for row, part in zip(rows, np.split(far, 2), strict=True)]
    assert fed(BOTH, *own) == whole(weight=far)
    for extreme in (1e-100, 1e100):
        with pytest.raises(ValueError, match="sample_weight of rows that are added to others"):
            fed(BOTH, {**rows[0], "sample_weight": np.full(3, extreme)})


def test_integer_weights_that_no_integer_holds_are_refused_at_once():
    stream = Accumulator(BOTH)
    heavy = {"y_true": TRUE, "y_score": SCORE, "y_pred": PRED, "sample_weight": [2**60] * 6}
    stream.update(**heavy)
    before = stream.compute()
    with pytest.raises(ValueError, match=r"Batch 1: .* beyond the largest int64"):
        stream.update(**heavy)
    assert stream.compute() == before == whole()
    other = pickle.loads(pickle.dumps(stream))
    with pytest.raises(ValueError, match="beyond the largest int64"):
        stream.merge(other)


# --------------------------------------------------------------------------- what waits


def test_arrays_may_be_used_again():
    """A batch that waits to be counted is no view of what the caller goes on to fill."""
    stream, true, score, pred = Accumulator(BOTH), TRUE.copy(), SCORE.copy(), PRED.copy()
    weight = np.arange(1.0, 7.0)
    expected = whole(np.tile(TRUE, 3), np.tile(SCORE, 3), np.tile(PRED, 3), np.tile(weight, 3))
    for _ in range(3):
        true[:], score[:], pred[:], weight[:] = TRUE, SCORE, PRED, np.arange(1.0, 7.0)
        stream.update(true, score, weight, y_pred=pred)
        true[:], score[:], pred[:], weight[:] = 0, 0, 1, 9
    assert stream.compute() == expected


def test_precision_is_that_of_each_batch():
    """Logarithms are clipped by the dtype, as in the function."""
    stream = Accumulator(["log_loss"])
    rows = [(np.array([1, 0]), np.array([0.0, 0.5]).astype(kind)) for kind in "fdfd"]
    for true, score in rows:
        stream.update(true, score)
    expected = np.mean([sx.log_loss(true, score) for true, score in rows])
    assert stream.compute()["log_loss"] == pytest.approx(expected, rel=1e-12)


def test_many_small_batches_are_counted_on_the_way():
    rng = np.random.default_rng(0)
    true, score = rng.integers(0, 2, 5000), rng.random(5000).round(3)
    stream = Accumulator(["roc_auc", "brier_score"])
    for k in range(len(true)):
        stream.update(true[k : k + 1], score[k : k + 1])
    assert stream.n_distinct == len(np.unique(score))
    assert stream.compute() == {
        "roc_auc": sx.roc_auc_score(true, score),
        "brier_score": pytest.approx(sx.brier_score_loss(true, score), rel=1e-12),
    }


# --------------------------------------------------------------------------- the law


def right(metric, rows, response):
    """What the function says of all rows, and of classes that are told as it takes them."""
    options = {} if rows.weight is None else {"sample_weight": rows.weight}
    of_one = metric.sides != "none" and rows.is_binary and "pos_label" in signature(metric)
    if of_one:
        options["pos_label"] = rows.classes[1]
    if "labels" in signature(metric) and not (of_one and metric.response == "labels"):
        options["labels"] = list(rows.classes)
    return metric.function(rows.y_true, response, **metric.params, **options)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [name for name in NAMES if not METRICS[name].ranks_labels])
@settings(
    max_examples=8,
    phases=(Phase.explicit, Phase.generate),
)
@given(data=st.data())
def test_any_batches_in_any_order_are_the_whole(name, data):
    metric = METRICS[name]
    rows = data.draw(any_rows(min_rows=5, max_rows=14))
    response = {
        "labels": rows.y_pred,
        "scores": lambda: rows.proba if len(rows.classes) > 2 else rows.proba[:, 1],
        "probabilities": lambda: rows.proba if len(rows.classes) > 2 else rows.proba[:, 1],
    }[metric.response]()
    told = {"labels": list(rows.classes)}
    expected = heard(right, metric, rows, response)
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    part_of = data.draw(integers(0, 3, len(rows)))
    hidden = data.draw(integers(0, 1, len(rows)))  # rows that a mask takes out

    def streamed(_):
        stream = Accumulator({"it": name}, **told)
        for k in range(4):
            own = order[part_of[order] == k]
            weight = None if rows.weight is None else rows.weight[own]
            twice = np.concatenate([own, own[hidden[own] == 1]])
            mask = np.arange(len(twice)) >= len(own)
            weight = None if rows.weight is None else rows.weight[twice]
            stream.update(np.ma.array(rows.y_true[twice], mask=mask), response[twice], weight)
            if k == 1:
                stream = pickle.loads(pickle.dumps(stream))
        return flat(stream.compute()["it"])

    found = heard(streamed, None)
    assert not found.crashed, found.said
    if expected.value is None or expected.is_undefined or expected.warned:
        return
    assert found.value is not None, found.said
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-9, atol=1e-12)

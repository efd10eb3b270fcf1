"""Streams: what a batch settles, what merges, what waits, what a file reveals, by hand."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import skmetrics_ext as sx
from skmetrics_ext import Accumulator, expected_calibration_error
from skmetrics_ext import streaming as module
from skmetrics_ext.plain_files import write_content

TRUE, SCORE = [0, 1, 1, 0], [0.125, 0.25, 0.75, 0.5]


def fed(names, *batches, **options):
    stream = Accumulator(names, **options)
    for batch in batches:
        stream.update(*batch[:3], **({"y_pred": batch[3]} if len(batch) > 3 else {}))
    return stream


# --------------------------------------------------------------------------- what is settled


def test_columns_of_scores_stay_as_many():
    three = np.array([[0.5, 0.25, 0.25]] * 3)
    stream = fed(["log_loss"], ([0, 1, 2], three), labels=[0, 1, 2])
    with pytest.raises(ValueError, match=r"Batch 1: y_score has 2 columns, and had 3 before\."):
        stream.update([0, 1], [[0.5, 0.5]] * 2)
    one = fed(["roc_auc"], (TRUE, SCORE), labels=[0, 1])
    with pytest.raises(ValueError, match=r"y_score has 2 columns, and had 1 before\."):
        one.update([0, 1], [[0.5, 0.5]] * 2)
    two = fed(["roc_auc"], ([0, 1], [[0.5, 0.5], [0.25, 0.75]]), labels=[0, 1])
    with pytest.raises(ValueError, match=r"y_score of the accumulators has 1 and 2 columns\."):
        one.merge(two)
    with pytest.raises(ValueError, match="must hold one label a row, not indicators"):
        fed(["roc_auc"], ([[0, 1], [1, 0]], [[0.5, 0.5]] * 2), labels=[0, 1])
    with pytest.raises(ValueError, match="Scores of several classes need labels="):
        fed(["roc_auc"], ([0, 1], [[0.5, 0.5]] * 2))


def test_two_classes_are_certain_once_they_are_seen():
    stream = fed(["roc_auc"], ([1, 1], [0.25, 0.5]))
    assert stream._state.pair is None
    stream.update([0], [0.125])
    assert stream._state.pair == [0, 1]
    assert stream.compute() == {"roc_auc": 1}
    late = fed(["roc_auc"], ([1], [0.0625]))
    for both in (stream.merge(late), late.merge(stream)):
        assert both._state.pair == [0, 1]
        assert both.compute() == {"roc_auc": 2 / 3}
        with pytest.raises(ValueError, match=r"values .-1. not belonging"):
            both.update([-1], [0.5])
    assert both._state.n_batches == 3
    assert both.n_rows == 4


def test_a_positive_class_is_that_of_its_name():
    for score in (SCORE, np.column_stack([SCORE, 1 - np.array(SCORE)])):
        stream = fed(["roc_auc"], (TRUE, score), labels=[0, 1], pos_label=0)
        assert stream.compute() == {"roc_auc": 0.25}


def test_weights_of_merged_streams_add_up():
    """Of 2**63, the limit, each holds three eighths."""
    one, other = (fed(["accuracy"], ([0, 1, 1], [0, 1, 1], [2**60] * 3)) for _ in range(2))
    both = one.merge(other)
    both.update([1], [1], [2**60])
    with pytest.raises(ValueError, match="beyond the largest int64"):
        both.update([1], [1], [2**60 + 2**59])
    with pytest.raises(ValueError, match="beyond the largest int64"):
        both.merge(one)
    assert both.compute() == {"accuracy": 1}


@pytest.mark.parametrize("first", ["stream", "other"])
def test_streams_that_do_not_merge(first):
    def merged(one, other):
        return one.merge(other) if first == "stream" else other.merge(one)

    plain = fed(["accuracy"], ([0, 1], [0, 1]))
    weighted = fed(["accuracy"], ([0, 1], [0, 1], [1, 2]))
    with pytest.raises(ValueError, match="Either all accumulators have weights or none"):
        merged(plain, weighted)
    text = fed(["accuracy"], (["a", "b"], ["a", "b"]))
    with pytest.raises(ValueError, match="labels of one accumulator are text, of another not"):
        merged(plain, text)
    for other in (
        Accumulator(["accuracy"], labels=[0, 1]),
        Accumulator(["recall"]),
        Accumulator(["accuracy"], pos_label=1),
        Accumulator({"it": "accuracy"}),
    ):
        with pytest.raises(ValueError, match="Only accumulators of the same metrics and labels"):
            merged(plain, other)
    cost = partial(sx.expected_cost, cost_matrix=np.eye(2))
    same = partial(sx.expected_cost, cost_matrix=np.eye(2))
    other = partial(sx.expected_cost, cost_matrix=np.ones((2, 2)))
    one = fed({"cost": cost}, ([0, 1], [0, 1]))
    assert merged(one, Accumulator({"cost": same})).n_rows == 2
    with pytest.raises(ValueError, match="Only accumulators of the same metrics"):
        merged(one, Accumulator({"cost": other}))
    empty = merged(Accumulator(["accuracy"]), Accumulator(["accuracy"]))
    assert empty.n_rows == 0
    assert merged(plain, Accumulator(["accuracy"])).compute() == {"accuracy": 1}


def test_text_and_numbers_are_named():
    stream = fed(["accuracy"], ([0, 1], [0, 1]))
    told = re.escape("The labels are text, ['a', 'b'], but numbers in earlier batches.")
    with pytest.raises(ValueError, match=told):
        stream.update(["a", "b"], ["a", "b"])
    told = re.escape("The labels are numbers, [0, 1, 2, 3, 4], but text in labels=.")
    with pytest.raises(ValueError, match=told):
        fed(["accuracy"], (range(6), range(6)), labels=["a", "b"])


@pytest.mark.parametrize("order", [["a", "b", "c"], ["c", "b", "a"]])
def test_an_order_of_categories_does_not_matter_for_metrics_without_grades(order):
    grades = pd.Categorical(["a", "b", "c"], order, ordered=True)
    stream = Accumulator(["accuracy"])
    stream.update(grades, grades)
    assert stream.compute() == {"accuracy": 1}
    told = fed(["accuracy"], (grades, grades), labels=order)
    assert told.compute() == {"accuracy": 1}


def test_arguments_that_metrics_need():
    with pytest.raises(ValueError, match=r"^accuracy needs predicted labels: pass y_pred=\.$"):
        Accumulator(["accuracy", "roc_auc"]).update(TRUE, SCORE)
    with pytest.raises(ValueError, match=r"^roc_auc needs scores: pass y_score=\.$"):
        Accumulator(["accuracy", "roc_auc"]).update(TRUE, y_pred=TRUE)
    with pytest.raises(ValueError, match=r"^roc_auc needs scores: pass y_score=\.$"):
        Accumulator(["roc_auc"]).update(TRUE)
    with pytest.raises(ValueError, match=r"^f1 needs predicted labels: pass y_pred=\.$"):
        Accumulator(["f1"]).update(TRUE)
    named = Accumulator(["accuracy"])
    named.update(TRUE, y_pred=[0, 1, 0, 0])
    assert named.compute() == {"accuracy": 0.75}
    scores = Accumulator(["roc_auc"])
    scores.update(TRUE, SCORE, y_pred=[[3]])  # no metric reads it
    assert scores.compute() == {"roc_auc": 0.75}
    scores.update([], [])
    assert scores.n_rows == 4
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        scores.update([], [0.5])


# --------------------------------------------------------------------------- what waits


def test_batches_wait_until_there_are_many_scores_or_batches(monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 10)
    monkeypatch.setattr(module, "_MOST_WAITING", 4)
    stream, waiting = Accumulator(["roc_auc"]), []
    for _ in range(4):
        stream.update([0, 1, 1], [0.25, 0.5, 0.75])
        waiting.append((len(stream._waiting), stream._n_waiting))
    assert waiting == [(1, 3), (2, 6), (3, 9), (0, 0)]
    waiting = []
    for _ in range(4):
        stream.update([1], [0.5])
        waiting.append((len(stream._waiting), stream._n_waiting))
    assert waiting == [(1, 1), (2, 2), (3, 3), (0, 0)]
    stream.update([1], [0.5])
    assert stream.n_distinct == 3
    assert stream._waiting == []
    labels = Accumulator(["accuracy"])
    labels.update([0] * 9, [0] * 9)
    assert labels._n_waiting == 9
    labels.update([0], [0])
    assert labels._n_waiting == 0
    table = Accumulator(["roc_auc_ovr"], labels=[0, 1, 2])
    table.update([0, 1, 2], np.eye(3))
    assert table._n_waiting == 9


def test_the_largest_number_of_distinct_scores_is_that_of_all_columns():
    stream = Accumulator(["roc_auc_ovr"], labels=[0, 1, 2], max_distinct=6)
    batch = [0, 1, 2], [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    for _ in range(5):
        stream.update(*batch)
    assert stream.n_distinct == 6
    with pytest.raises(ValueError, match="more distinct scores, 9, than max_distinct=6"):
        stream.update([0], [[0.75, 0.125, 0.125]])
    assert stream.n_rows == 15
    assert stream.compute() == {"roc_auc_ovr": 1}
    merged = stream.merge(stream)
    assert (merged.n_rows, merged.n_distinct, merged.max_distinct) == (30, 6, 6)
    assert Accumulator(["accuracy"], max_distinct=1).names == ("accuracy",)


def test_a_metric_may_refuse_the_first_batch():
    stream = Accumulator(["expected_calibration_error"], labels=[0, 1, 2])
    with pytest.raises(ValueError, match="several classes needs target="):
        stream.update([0, 1, 2], np.eye(3))
    assert stream.n_rows == 0
    with pytest.raises(ValueError, match="No rows were given yet"):
        stream.compute()


def test_scores_of_losses_are_not_kept():
    stream = fed(["log_loss"], (TRUE, SCORE), max_distinct=1)
    assert stream.n_distinct == 0
    assert stream.compute()["log_loss"] == pytest.approx(sx.log_loss(TRUE, SCORE))


# --------------------------------------------------------------------------- evaluation


def test_options_of_an_evaluation():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 250)
    stream = fed(["accuracy", "roc_auc"], (true, rng.random(250), None, rng.integers(0, 2, 250)))
    plain = stream.evaluation()
    assert (plain.curves, plain.confidence_level) == ({}, 0.95)
    assert all(np.isnan(row.low) for row in plain)
    wide, narrow = (
        stream.evaluation(intervals=True, confidence_level=level) for level in (0.99, 0.8)
    )
    assert (wide.confidence_level, narrow.confidence_level) == (0.99, 0.8)
    for a, b in zip(wide, narrow, strict=True):
        assert a.low < b.low < b.value < b.high < a.high
    for least, is_told in ((250, True), (251, False)):
        rows = stream.evaluation(intervals="anytime", min_rows=least)
        # A share of rows has an exact interval from the first row on.
        assert [not np.isnan(row.low) for row in rows] == [True, is_told]
    with pytest.raises(ValueError, match="intervals has to be one of"):
        stream.evaluation(intervals="always")
    with pytest.raises(ValueError, match="min_rows has to be an integer of 1 or more"):
        stream.evaluation(min_rows=0)
    with pytest.raises(ValueError, match="curve_points has to be an integer of 0 or more"):
        stream.evaluation(curve_points=-1)
    with pytest.raises(ValueError, match="weights_are has to be one of"):
        stream.evaluation(weights_are="other")
    assert len(stream.evaluation(curve_points=5).curves[None, 1].thresholds) <= 5


def test_weights_have_intervals_if_they_are_rows():
    weight = [1, 2, 1, 3]
    stream = fed(["accuracy"], (TRUE, [0, 1, 0, 0], weight))
    twice = fed(["accuracy"], (np.repeat(TRUE, weight), np.repeat([0, 1, 0, 0], weight)))
    rows = stream.evaluation(intervals=True, weights_are="frequency").row("accuracy")
    same = twice.evaluation(intervals=True).row("accuracy")
    assert (rows.value, rows.low, rows.high) == (same.value, same.low, same.high)
    none = stream.evaluation(intervals=True).row("accuracy")
    assert np.isnan(none.low)
    assert "weighted rows" in none.note


def test_values_of_classes_are_told_by_class():
    by_class = partial(sx.f1_score, average=None)
    stream = fed({"f1": by_class, "accuracy": "accuracy"}, ([0, 1, 1], [0, 1, 0]))
    assert stream.compute() == {"f1": {0: pytest.approx(2 / 3), 1: pytest.approx(2 / 3)},
                                "accuracy": pytest.approx(2 / 3)}  # fmt: skip


def test_sites_without_scores_of_weight_have_no_ranking():
    one = fed(["roc_auc"], (TRUE, SCORE, [1, 1, 1, 1]))
    none = fed(["roc_auc"], ([0, 1], [0.5, 0.25], [0, 0]))
    found = Accumulator.evaluate_sites({"one": one, "none": none}, by="ward")
    assert [(row.group, row.n_rows) for row in found] == [("none", 2), ("one", 4), (None, 6)]
    assert found.value("roc_auc", "one") == found.value("roc_auc") == 0.75
    assert np.isnan(found.value("roc_auc", "none"))
    assert str(found).splitlines()[0].split()[0] == "ward"


# --------------------------------------------------------------------------- coarse files


@pytest.fixture
def shared(tmp_path):
    def read(accumulator, **options):
        accumulator.save(tmp_path / "a.skx", **options)
        return Accumulator.load(tmp_path / "a.skx")

    return read


def test_cells_as_large_as_asked_are_shared(shared):
    stream = fed(["accuracy"], ([0, 0, 1, 1, 1], [0, 0, 1, 1, 1]))
    assert shared(stream, min_cell=2).compute() == {"accuracy": 1}
    told = re.escape(
        "Cells with fewer than min_cell=3 rows: true 0 predicted 0 (2). Leave out the metrics"
    )
    with pytest.raises(ValueError, match=told):
        shared(stream, min_cell=3)
    mixed = fed(["accuracy"], ([0, 0, 1, 2, 2], [1, 2, 0, 1, 2]))
    told = re.escape("true 0 predicted 1 (1), true 0 predicted 2 (1), true 1 predicted 0 (1). L")
    with pytest.raises(ValueError, match=told):
        shared(mixed, min_cell=2)
    bins = partial(expected_calibration_error, n_bins=2)
    binned = fed({"ece": bins}, ([0] * 4 + [1] * 3, [0.25] * 4 + [0.75] * 3))
    assert shared(binned, min_cell=3).n_rows == 7
    with pytest.raises(ValueError, match=re.escape("cell 1 of the bins of ece (3). Leave")):
        shared(binned, min_cell=4)
    with pytest.raises(ValueError, match="min_cell= joins neighbouring bins of scores"):
        shared(fed(["roc_auc"], (TRUE * 3, SCORE * 3)), min_cell=1)
    coarse = shared(fed(["roc_auc"], (TRUE * 3, SCORE * 3)), bins=4, min_cell=3)
    assert coarse.n_distinct == 4  # each with 3 rows of one class
    assert coarse.compute() == {"roc_auc": 0.75}
    assert shared(coarse, min_cell=3).compute() == {"roc_auc": 0.75}


def test_scores_go_on_into_the_bins_of_a_file(shared):
    part = shared(fed(["roc_auc"], (TRUE, SCORE)), bins=2)
    part.update([1, 0], [0.625, 0.0625])
    assert part._waiting == []
    assert part.n_distinct == 2
    whole = shared(fed(["roc_auc"], (TRUE, SCORE), ([1, 0], [0.625, 0.0625])), bins=2)
    assert part.compute() == whole.compute()
    fine = fed(["roc_auc"], (TRUE, SCORE))
    both = Accumulator.evaluate_sites({"fine": fine, "coarse": part})
    assert "scores in 2 bins" in both.row("roc_auc").note
    assert "scores in 2 bins" in both.row("roc_auc", "fine").note
    none = Accumulator(["roc_auc"]).merge(fine)
    assert none._edges is None
    assert none.evaluation().row("roc_auc").note == ""
    shares = shared(part.merge(fine), bins=[0, 0.25, 0.5, 1])
    assert shares._edges[0].tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("options", [{}, {"bins": 8}])
@pytest.mark.parametrize("weight", [[0, 0], [0.0, 0.0]])
def test_rows_without_weight_are_saved_and_go_on(shared, weight, options):
    names = {"auc": "roc_auc", "loss": "log_loss", "accuracy": "accuracy",
             "ece": partial(expected_calibration_error, n_bins=4)}  # fmt: skip
    none = fed(names, ([0, 1], [0.5, 0.25], weight, [0, 1]))
    loaded = shared(none, **options)
    assert (loaded.n_rows, loaded.n_distinct) == (2, 0)
    assert all(np.isnan(value) for value in loaded.compute().values())
    assert all("no row has weight" in row.note for row in loaded.evaluation())
    ones = np.ones(4, dtype=np.array(weight).dtype)
    loaded.update(TRUE, SCORE, ones, y_pred=[0, 0, 1, 1])
    right = {"auc": roc_auc_score(TRUE, SCORE), "loss": log_loss(TRUE, SCORE), "accuracy": 0.5}
    assert {name: loaded.compute()[name] for name in right} == pytest.approx(right)
    some = fed(names, (TRUE, SCORE, ones, [0, 0, 1, 1]))
    coarse = shared(none, bins=8).merge(some)
    assert {name: coarse.compute()[name] for name in right} == pytest.approx(right)
    sites = Accumulator.evaluate_sites({"none": none, "some": shared(some, bins=8)})
    assert {name: sites.value(name) for name in right} == pytest.approx(right)
    assert np.isnan(sites.value("auc", "none"))


# --------------------------------------------------------------------------- files that contradict


BINS = partial(expected_calibration_error, n_bins=4)
NAMES = {"auc": "roc_auc", "loss": "log_loss", "ece": BINS, "accuracy": "accuracy"}


def content_of(weight=None):
    stream = fed(NAMES, (TRUE, SCORE, weight, [0, 0, 1, 1]))
    return stream._counted().content()


def edited(content, **changes):
    return content | {key: change(content[key]) for key, change in changes.items()}


def moment(**change):
    return lambda moments: {"loss": moments["loss"] | {k: f(moments["loss"][k])
                                                       for k, f in change.items()}}  # fmt: skip


def bins_with(**change):
    return lambda bins: {"ece": [one | {k: f(one[k]) for k, f in change.items()}
                                 for one in bins["ece"]]}  # fmt: skip


LESS = dict.fromkeys(("third", "fourth"), lambda moment: None)
CHANGES = {
    "a field of the state": ({"state": lambda own: own | {"more": 1}}, "its state has to hold"),
    "no rows": ({"state": lambda own: own | {"n_rows": 0}}, "it has no rows"),
    "no batches": ({"state": lambda own: own | {"n_batches": 0}}, "it has no rows"),
    "rows that are no number": ({"state": lambda own: own | {"n_rows": 4.0}}, "it has no rows"),
    "more rows": ({"state": lambda own: own | {"n_rows": 5}}, "table does not hold 5 rows"),
    "losses of rows without weight": (
        {"table": lambda own: own | {"table": own["table"] * 0},
         "state": lambda own: own | {"is_weighted": True}},
        "not those of its metrics",
    ),
    "a table of tables": (
        {"table": lambda own: own | {"table": own["table"][None]}}, "confusion table does not fit",
    ),
    "losses of other rows": ({"moments": moment(weight=lambda w: w + 1)}, "moments of loss do not"),
    "losses of more values": (
        {"moments": moment(mean=lambda m: np.append(m, m), comoment=lambda c: np.eye(2), **LESS)},
        "moments of loss do not fit",
    ),
    "no third moment": ({"moments": moment(**LESS)}, "moments of loss do not fit"),
    "no losses": ({"moments": lambda own: {}}, "not those of its metrics"),
    "no bins": ({"bins": lambda own: {}}, "not those of its metrics"),
    "other edges": ({"bins": bins_with(edges=lambda e: e + 0.01)}, "bins of ece do not fit"),
    "fewer bins": ({"bins": bins_with(weight=lambda w: w[1:])}, "bins of ece do not fit"),
    "bins of other rows": ({"bins": bins_with(weight=lambda w: w * 2)}, "bins of ece do not fit"),
    "no ranking": ({"ranks": lambda own: []}, "rankings do not fit"),
    "two rankings": ({"ranks": lambda own: own * 2}, "rankings do not fit"),
    "rankings of other rows": (
        {"ranks": lambda own: [own[0] | {"mass": own[0]["mass"] * 2}]},
        "rankings do not hold the rows of its table",
    ),
    "scores that are no edges": (
        {"edges": lambda own: (np.array([0, 0.5, 1]),)}, "scores are no edges of its bins",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_files_that_contradict_themselves_are_refused(tmp_path, what):
    changes, told = CHANGES[what]
    write_content(tmp_path / "a.skx", "Accumulator", 1, edited(content_of(), **changes), "it")
    with pytest.raises(ValueError, match=told):
        Accumulator.load(tmp_path / "a.skx")


@pytest.mark.parametrize("weight", [None, [2, 0.5, 1, 0.25]])
def test_files_that_fit_are_read(tmp_path, weight):
    content = content_of(weight)
    if weight is not None:  # rounded sums of weights in another order
        content = edited(content, moments=moment(weight=lambda w: w * (1 + 1e-12)))
    write_content(tmp_path / "a.skx", "Accumulator", 1, content, "it")
    loaded = Accumulator.load(tmp_path / "a.skx")
    assert loaded.n_rows == 4
    right = fed(NAMES, (TRUE, SCORE, weight, [0, 0, 1, 1])).compute()
    assert loaded.compute() == pytest.approx(right)
    edges = edited(content, edges=lambda own: (np.array([0.125, 0.25, 0.5, 0.75, 1]),))
    write_content(tmp_path / "b.skx", "Accumulator", 1, edges, "it")
    assert "scores in 4 bins" in Accumulator.load(tmp_path / "b.skx").evaluation().row("auc").note
    state = replace(loaded._state)
    assert state.question == loaded._state.question

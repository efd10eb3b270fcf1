"""evaluate: what is settled before rows are read, what is shown, and an engine that shuffles."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from support.frames import needs

import skmetrics_ext as sx
from skmetrics_ext import evaluate
from skmetrics_ext.backends import evaluation as module
from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.evaluation import read_bytes
from skmetrics_ext.backends.partitions import (
    Engine,
    combined,
    gather,
    read_shuffled,
    reduce_batch,
    spread_part,
)
from skmetrics_ext.merged.columns import RowLocation
from skmetrics_ext.merged.layout import find_metrics, make_layout
from skmetrics_ext.registry import find

FRAME = pd.DataFrame(
    {
        "y": [0, 1, 0, 1, 1, 0],
        "s": [0.125, 0.25, 0.375, 0.5, 0.75, 0.625],
        "p": [0, 0, 0, 1, 1, 1],
        "site": [*"aabbbb"],
        "w": [1, 2, 1, 1, 1, 2],
    }
)


def asked(frame=FRAME, **options):
    options = {"true": "y", "score": "s", "metrics": ["roc_auc"]} | options
    return evaluate(frame, **options)


# --------------------------------------------------------------------------- metrics and classes


def test_metrics_are_found_by_name_function_or_own_names():
    assert [one.name for one in find_metrics("neg_log_loss")] == ["log_loss"]
    assert [one.name for one in find_metrics(sx.f1_score)] == ["f1_score"]
    assert [one.name for one in find_metrics({1: "f1", "b": "f1"})] == ["1", "b"]
    for metrics, told in (
        ([], "metrics is empty"),
        ({}, "metrics is empty"),
        (["f1", "recall", "f1", "recall"], "metrics holds f1, recall twice: pass a dict"),
        (["ndcg"], "ndcg ranks several labels of each row"),
        ([partial(sx.f1_score, labels=[1])], "All metrics share labels: pass it next to metrics="),
        ([partial(sx.f1_score, pos_label=1)], "All metrics share pos_label: pass it next to"),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            find_metrics(metrics)


def layout_of(names, present, labels=None, pos_label=None, n_columns=1):
    present = None if present is None else np.array(present)
    return make_layout(find_metrics(names), present, labels, pos_label, n_columns)


@pytest.mark.parametrize(
    ("names", "present", "options", "classes", "positive", "turned"),
    [
        (["roc_auc"], [0, 1], {}, [0, 1], 1, False),
        (["roc_auc"], [1], {}, [0, 1], 1, False),
        (["roc_auc"], [-1], {}, [-1, 1], 1, False),
        (["roc_auc"], [0, 1], {"pos_label": 0}, [1, 0], 0, True),
        (["roc_auc"], ["b"], {"labels": ["a", "b"]}, ["a", "b"], "b", False),
        (["roc_auc"], ["a"], {"labels": ["b", "a"]}, ["b", "a"], "a", False),
        (["roc_auc"], ["a"], {"labels": ["b", "a"], "pos_label": "b"}, ["a", "b"], "b", True),
        (["roc_auc"], [0, 1], {"n_columns": 2}, [0, 1], 1, False),
        (["brier_score"], ["a", "b"], {"n_columns": 2}, ["a", "b"], "b", False),
        (["accuracy"], ["a", "b"], {"n_columns": 0}, ["a", "b"], None, False),
        (["accuracy"], ["a", "b", "c"], {"n_columns": 0}, ["a", "b", "c"], None, False),
        (["accuracy"], [0, 1], {"n_columns": 0}, [0, 1], 1, False),
        (["f1"], [0, 1], {"n_columns": 0}, [0, 1], 1, False),
        (["f1"], ["a", "b"], {"n_columns": 0, "pos_label": "a"}, ["a", "b"], "a", False),
        (["f1"], ["a"], {"n_columns": 0, "labels": ["b", "a"]}, ["b", "a"], "a", False),
        (["roc_auc_ovr"], [0, 1, 2], {"n_columns": 3}, [0, 1, 2], None, False),
    ],
)
def test_classes_and_the_positive_one(names, present, options, classes, positive, turned):
    layout = layout_of(names, present, **options)
    assert layout.classes.tolist() == classes
    assert layout.positive == positive
    assert layout.positive_first == turned
    n_columns = options.get("n_columns", 1)
    ranked = {0: [], 1: [0], 2: [0 if turned else 1]}.get(n_columns, [0, 1, 2])
    assert layout.ranked == ranked
    assert layout.is_binary == (n_columns < 3)
    assert [layout.code_of(k) for k in range(2)] == ([1, 1] if n_columns < 3 else [0, 1])


def test_two_columns_of_a_turned_pair():
    layout = layout_of(["roc_auc"], None, ["a", "b"], "a", 2)
    assert (layout.classes.tolist(), layout.ranked, layout.positive_first) == (
        ["b", "a"],
        [0],
        True,
    )
    assert layout.needs_sums
    assert not layout_of(["roc_auc"], [0, 1]).needs_sums
    assert layout_of(["log_loss"], [0, 1]).needs_sums
    assert layout_of(["expected_calibration_error"], [0, 1]).needs_sums


@pytest.mark.parametrize(
    ("names", "present", "options", "told"),
    [
        (["roc_auc", "log_loss"], [0, 1], {"n_columns": 0}, "roc_auc, log_loss needs scores"),
        (["roc_auc"], [0, 1], {"labels": [0, 0]}, "labels names a class twice: [0, 0]"),
        (["roc_auc"], [0, 1, 2], {"labels": [0, 1]}, "true holds [2], which labels does not name"),
        (["roc_auc"], [0, 1, 2], {"n_columns": 2}, "2 columns of scores (y_score) need as many"),
        (
            ["roc_auc"],
            [0, 1],
            {"n_columns": 3},
            "need as many classes, in their order; there are 2",
        ),
        (["roc_auc"], [0, 1, 2], {}, "One column of scores needs two classes, but true holds"),
        (["roc_auc"], ["a"], {}, "true holds only one class, ['a']: pass labels="),
        (["roc_auc"], ["a", "b"], {}, "roc_auc needs a positive class: pass pos_label='b'"),
        (["accuracy"], [0, 1], {"pos_label": 7, "n_columns": 0}, "pos_label=7 is not a valid"),
        (["roc_auc"], [0, 1], {"pos_label": 7}, "pos_label=7 is not a valid label"),
    ],
)
def test_classes_that_are_refused(names, present, options, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        layout_of(names, present, **options)


def test_labels_may_name_fewer_classes_than_there_are_for_metrics_of_labels():
    frame = FRAME.assign(p=[0, 2, 0, 1, 1, 2])
    own = asked(frame, score=None, pred="p", metrics=["f1_macro"], labels=[0, 1])
    right = sx.f1_score(frame.y, frame.p, labels=[0, 1], average="macro")
    assert own.value("f1_macro") == pytest.approx(right)


def test_a_class_is_named_where_a_metric_depends_on_it():
    frame = FRAME.assign(y=np.array(["no", "ill"])[FRAME.y], p=np.array(["no", "ill"])[FRAME.p])
    note = ("positive class: ill",)
    told = asked(frame, pos_label="ill")
    assert told.rows.notes == note
    options = {"score": None, "pred": "p"}
    assert asked(frame, metrics=["recall"], pos_label="ill", **options).rows.notes == note
    assert asked(frame, metrics=["accuracy"], pos_label="ill", **options).rows.notes == ()
    assert asked().rows.notes == ()
    three = pd.DataFrame({"y": [*"abc"], "p": [*"abb"]})
    assert asked(three, metrics=["f1_macro"], pos_label="a", **options).rows.notes == ()


def test_parameters_are_tried_before_they_are_read():
    metrics = {"bad": partial(sx.expected_calibration_error, norm="l3"), "good": "roc_auc"}
    found = asked(metrics=metrics)
    assert np.isnan(found.value("bad"))
    assert found.row("bad").note.startswith("norm has to be one of")
    assert found.value("good") == 2 / 3
    assert find(metrics["bad"]).sums == "bins"


# --------------------------------------------------------------------------- what is shown


def test_columns_that_hold_nothing_are_not_shown():
    assert asked().rows.header() == ["metric", "value", "rows"]
    assert asked(by="site").rows.header()[:2] == ["site", "metric"]
    assert str(asked(by="site")).split()[:2] == ["site", "metric"]
    sure = asked(metrics=["accuracy"], pred="p", intervals=True, confidence_level=0.9)
    assert sure.rows.header() == ["metric", "value", "90 % interval", "rows", "method"]
    some = asked(metrics=["accuracy", "ks_statistic"], pred="p", intervals=True)
    assert "method" in some.rows.header()  # of the first metric only
    by_class = partial(sx.f1_score, average=None)
    mixed = asked(score=None, pred="p", metrics={"f1": by_class, "accuracy": "accuracy"})
    assert mixed.header() == ["metric", "label", "value", "rows"]
    each = asked(score=None, pred="p", metrics={"f1": by_class})
    assert each.header() == ["metric", "label", "value", "rows"]
    assert [(row.label, row.value) for row in each] == [(0, 2 / 3), (1, 2 / 3)]
    with pytest.raises(KeyError, match="several rows of metric='f1': name label"):
        each.row("f1")


def test_values_of_pairs_and_tables_have_the_names_of_their_classes():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, 60), rng.dirichlet(np.ones(3), 60)
    frame = pd.DataFrame({"y": y, **{f"s{k}": s[:, k] for k in range(3)}, "p": s.argmax(axis=1)})
    frame["site"] = np.where(np.arange(60) < 30, "a", "b")
    frame["w"] = (np.arange(60) < 30).astype(int)
    names = {
        "pair": partial(sx.roc_auc_score, multi_class="ovo", average=None),
        "areas": sx.pairwise_roc_auc,
        "table": sx.confusion_matrix,
        "class": partial(sx.roc_auc_score, multi_class="ovr", average=None),
        "auc": "roc_auc_ovr",
    }
    found = asked(frame, score=["s0", "s1", "s2"], pred="p", metrics=names)
    own = {name: [(row.label, row.value) for row in found if row.metric == name] for name in names}
    pairs = names["pair"](y, s)
    assert own["pair"] == list(zip([(0, 1), (0, 2), (1, 2)], pairs.tolist(), strict=True))
    areas = sx.pairwise_roc_auc(y, s)
    assert own["areas"] == [((i, j), areas[i, j]) for i in range(3) for j in range(3) if i != j]
    counts = sx.confusion_matrix(y, frame.p)
    assert own["table"] == [((i, j), counts[i, j]) for i in range(3) for j in range(3)]
    assert [of for of, _ in own["class"]] == [0, 1, 2]
    assert own["auc"] == [(None, pytest.approx(np.mean([value for _, value in own["class"]])))]
    assert list(found.pair_areas) == [None]
    np.testing.assert_array_equal(found.pair_areas[None], areas)
    parts = asked(frame, score=["s0", "s1", "s2"], pred="p", metrics=names, by="site", weight="w")
    assert list(parts.pair_areas) == ["a"]  # the others have no weight
    plain = asked(frame, score=["s0", "s1", "s2"], pred="p", metrics=["accuracy", "roc_auc_ovr"])
    assert plain.pair_areas == {}


def test_classes_without_rows_say_so_and_the_others_do_not():
    rng = np.random.default_rng(0)
    s = rng.dirichlet(np.ones(3), 40)
    frame = pd.DataFrame({"y": np.arange(40) % 2, **{f"s{k}": s[:, k] for k in range(3)}})
    metrics = {"it": partial(sx.roc_auc_score, multi_class="ovr", average=None)}
    found = asked(frame, score=["s0", "s1", "s2"], labels=[0, 1, 2], metrics=metrics)
    assert [(row.label, row.note) for row in found] == [
        (0, ""),
        (1, ""),
        (2, "a class has no rows"),
    ]
    assert [np.isnan(row.value) for row in found] == [False, False, True]


def test_values_of_classes_are_those_of_the_group():
    frame = pd.DataFrame({"y": [0, 1, 1, 2], "p": [0, 0, 1, 2], "site": [*"aabb"]})
    metrics = {"f1": partial(sx.f1_score, average=None)}
    options = {"score": None, "pred": "p", "metrics": metrics, "by": "site"}
    found = [(row.group, row.label, row.value) for row in asked(frame, **options)]
    assert found == [("a", 0, pytest.approx(2 / 3)), ("a", 1, 0), ("b", 1, 1), ("b", 2, 1)]
    listed = [(row.group, row.label) for row in asked(frame, labels=[2, 1, 0], **options)]
    assert listed == [(group, of) for group in "ab" for of in (2, 1, 0)]


def test_small_groups_have_no_values():
    found = asked(by="site", min_rows=4, metrics=["roc_auc", "log_loss"], margins=True)
    assert found.row("roc_auc", "a").note == "2 rows are fewer than min_rows=4"
    assert np.isnan(found.value("log_loss", "a"))
    assert found.value("roc_auc", "b") == 0.75
    assert found.value("roc_auc") == 2 / 3
    assert asked(by="site", min_rows=2).value("roc_auc", "a") == 1


def test_curves_have_the_name_of_their_class():
    turned = FRAME.assign(s=1 - FRAME.s)
    found = asked(turned, pos_label=0, curve_points=10, by="site")
    assert list(found.curves) == [("a", 0), ("b", 0)]
    curve = found.curves["b", 0]
    assert curve.thresholds.tolist() == [np.inf, 0.625, 0.5, 0.375, 0.25]
    assert curve.true_positive_rate.tolist() == [0, 0.5, 0.5, 1, 1]
    one = asked(FRAME[FRAME.y == 1], curve_points=10)
    assert one.curves == {}
    three = pd.DataFrame(np.eye(3), columns=["a", "b", "c"]).assign(y=[*"abc"])
    curves = asked(three, score=["a", "b", "c"], metrics=["roc_auc_ovr"], curve_points=5).curves
    assert list(curves) == [(None, "a"), (None, "b"), (None, "c")]


def test_bins_are_one_for_an_event_or_one_for_each_class():
    ece = partial(sx.expected_calibration_error, n_bins=2)
    found = asked(metrics={"ece": ece, "mce": partial(ece, norm="max")}, by="site", weight="w")
    assert found.bins["b", "ece"].weight.tolist() == [2, 3]
    assert set(found.bins) == {(site, name) for site in "ab" for name in ("ece", "mce")}
    for name, norm in (("ece", "l1"), ("mce", "max")):
        rows = FRAME[FRAME.site == "b"]
        right = sx.expected_calibration_error(rows.y, rows.s, n_bins=2, norm=norm,
                                              sample_weight=rows.w)  # fmt: skip
        assert found.value(name, "b") == pytest.approx(right)


def test_weights_that_are_rows_have_intervals():
    options = {"pred": "p", "metrics": ["accuracy", "roc_auc"], "intervals": True}
    found = asked(weight="w", weights_are="frequency", **options)
    rows = FRAME.loc[FRAME.index.repeat(FRAME.w)]
    for own, same in zip(found, asked(rows, **options), strict=True):
        assert (own.value, own.low, own.high) == (same.value, same.low, same.high)
    assert all(np.isnan(row.low) for row in asked(weight="w", **options))


# --------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("limit", "n_bytes"),
    [(5, 5), ("7", 7), ("500MB", 500_000_000), (" 1.5 KiB ", 1536), ("2gib", 2 << 30),
     (".5KB", 500), ("1.KB", 1000), ("3 mib", 3 << 20), ("2GB", 2_000_000_000), (2.9, 2)],
)  # fmt: skip
def test_bytes_of_a_limit(limit, n_bytes):
    assert read_bytes(limit) == n_bytes


@pytest.mark.parametrize("limit", [0, -1, "0", "much", "1TB", "-1KB", "0.5", ""])
def test_limits_that_are_no_bytes(limit):
    with pytest.raises(ValueError, match="memory_limit must be a number of bytes"):
        read_bytes(limit)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"true": 3}, "true must be the name of a column, got 3"),
        ({"score": ["s", 3]}, "score must be the name of a column, got 3"),
        ({"weight": 3}, "weight must be the name of a column, got 3"),
        ({"pred": 3}, "pred must be the name of a column, got 3"),
        ({"groups": 3}, "groups must be the name of a column, got 3"),
        ({"metrics": ["roc_auc", "f1"]}, "f1 needs predicted labels: pass their column as pred="),
        ({"margins": "yes"}, "margins has to be one of"),
        ({"intervals": 1.5}, "intervals has to be one of"),
        ({"min_rows": 0}, "min_rows has to be an integer of 1 or more"),
        ({"curve_points": -1}, "curve_points has to be an integer of 0 or more"),
        ({"n_resamples": -1}, "n_resamples has to be an integer of 0 or more"),
        ({"bins": {}, "by": "w"}, "bins must be a dict of column to a number of bins"),
        ({"bins": 3, "by": "w"}, "bins must be a dict of column to a number of bins"),
        ({"bins": {"w": 1}, "by": "w"}, "bins of 'w' has to be an integer of 2 or more"),
        ({"bins": {"w": [2, 1]}, "by": "w"}, "bins of 'w' must be a number of bins, or their"),
    ],
)
def test_arguments_that_are_refused(options, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        asked(**options)


def test_columns_named_after_other_classes_are_refused():
    frame = FRAME.assign(y=np.array(["no", "ill"])[FRAME.y], ill=FRAME.s, no=1 - FRAME.s)
    labels = {"labels": ["no", "ill"]}
    with pytest.raises(
        ValueError, match=r"named \['no'\], and are read by position as the class \["
    ):
        asked(frame, score="no", **labels)
    assert asked(frame, score="ill", **labels).value("roc_auc") == 2 / 3
    with pytest.raises(ValueError, match=r"named \['ill', 'no'\], and are read by position as the"):
        asked(frame, score=["ill", "no"], **labels)
    assert asked(frame, score=["no", "ill"], **labels).value("roc_auc") == 2 / 3
    named = {"no": "ill", "ill": "no"}  # whatever the columns are called
    assert asked(frame, score=named, pos_label="ill").value("roc_auc") == 1 / 3


@pytest.mark.parametrize(("n_bins", "sizes"), [(2, [3, 3]), (np.int64(3), [2, 2, 2])])
def test_a_number_of_bins_takes_the_ranks_of_all_rows(n_bins, sizes):
    found = asked(by="s", bins={"s": n_bins}, pred="p", metrics=["accuracy"])
    assert [row.n_rows for row in found] == sizes
    ends = asked(by="s", bins={"s": [0.25, 0.5]}, pred="p", metrics=["accuracy"])
    assert [(row.group, row.n_rows) for row in ends] == [
        ("< 0.25", 1), ("[0.25, 0.5)", 2), (">= 0.5", 3),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="The data set has no rows"):
        asked(FRAME[:0], by="s", bins={"s": 2}, pred="p", metrics=["accuracy"])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_metrics_of_one_class_are_of_two(n_classes):
    frame = pd.DataFrame({"y": np.arange(12) % n_classes, "p": np.arange(12) // 2 % n_classes})
    names = ["f1", "recall", "markedness"]
    for row in asked(frame, score=None, pred="p", metrics=names):
        assert np.isnan(row.value) == (n_classes > 2)
        assert row.note.startswith("Target is multiclass" if n_classes > 2 else "")


@pytest.mark.parametrize("labels", [None, [2, 1, 0]])
def test_listed_classes_are_for_metrics_that_take_them(labels):
    frame = pd.DataFrame({"y": [0, 1, 2, 0, 1, 1], "p": [0, 1, 2, 1, 1, 0]})
    metrics = {"right": partial(sx.accuracy_score, normalize=False), "f1": "f1_macro"}
    found = asked(frame, score=None, pred="p", labels=labels, metrics=metrics)
    assert {row.metric: row.value for row in found} == {
        "right": 4,
        "f1": pytest.approx((1 / 2 + 2 / 3 + 1) / 3),
    }


def test_classes_are_those_of_rows_with_weight():
    frame = FRAME.assign(y=[2, 1, 0, 1, 1, 0], w=[0, 1, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="One column of scores needs two classes"):
        asked(frame)
    with pytest.raises(ValueError, match="every weight is 0"):
        asked(FRAME.assign(w=0), weight="w")
    labels = asked(frame, score=None, pred="p", weight="w", metrics=["accuracy"])
    assert labels.value("accuracy") == sx.accuracy_score(frame.y[1:], frame.p[1:])
    words = FRAME.assign(y="ill", p=["well", *["ill"] * 5])
    told = asked(words, score=None, pred="p", metrics=["recall"], pos_label="ill")
    assert told.rows.notes == ("positive class: ill",)  # of two, one of them predicted once
    only = FRAME.assign(y=1, p=[0, 1, 1, 1, 1, 1])  # 0 is only predicted
    assert asked(only, score=None, pred="p", metrics=["recall"]).value("recall") == 5 / 6


@pytest.mark.parametrize("columns", [1, 3])
def test_tables_of_scores_take_96_bytes_for_each_column_and_one_more(columns):
    """Their number is told by the reason where a table is too long."""
    needs("duckdb")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"s{k}": np.arange(40) / 40 for k in range(columns)})
    frame["y"] = rng.integers(0, 2, 40) if columns == 1 else np.arange(40) % 3
    names = [f"s{k}" for k in range(columns)]
    if columns == 1:
        metrics = {"it": "smooth_calibration_error"}
    else:
        metrics = {"it": partial(sx.average_precision_score, average="micro")}
    size = 96 * (columns + 1)
    options = {"score": names, "metrics": metrics, "engine": "duckdb"}
    held = asked(frame, memory_limit=40 * columns * size, **options).row("it")
    assert not np.isnan(held.value)
    less = asked(frame, memory_limit=20 * size - 1, **options).row("it")
    assert np.isnan(less.value)
    assert "40 are more than the 19 that memory_limit allows" in less.note


def test_rows_that_are_held_take_8_bytes_a_number():
    """A column of scores, and five more numbers of each of 6 rows."""
    options = {"intervals": True, "n_resamples": 5, "engine": "memory", "metrics": ["ks_statistic"]}
    assert not np.isnan(asked(memory_limit=6 * 6 * 8, **options).row("ks_statistic").low)
    with pytest.raises(ValueError, match="take more than memory_limit, 287 bytes: raise memory"):
        asked(memory_limit=6 * 6 * 8 - 1, **options)
    with pytest.raises(ValueError, match=r"groups='w' needs the rows in memory.* leave out groups"):
        asked(memory_limit=200, groups="w", engine="memory")


# --------------------------------------------------------------------------- shuffles


class Shuffled(Engine):
    """Reads parts of a frame apart, and ranks them in ranges that are shuffled."""

    name = "shuffled"
    needs_ranges = True

    def __init__(self, names, frame, n_parts=3):
        super().__init__(names)
        self.parts = [
            ({name: column.to_numpy() for name, column in part.items()}, RowLocation(number=k))
            for k, part in enumerate(np.array_split(frame, n_parts))
        ]
        self.tasks, self.sampled = [], []

    def survey(self, sampled):
        self.sampled.append(sampled)
        return super().survey(sampled)

    def collect(self, columns):
        for data, place in self.parts:
            yield {name: data[name] for name in columns}, place

    def reduce(self, kind, on_part):
        return combined(
            kind, [reduce_batch(*part, self.names, kind, on_part) for part in self.parts]
        )

    def rank(self, task, totals):
        self.tasks.append(task)
        spread = [spread_part(*part, task) for part in self.parts]
        rows = {name: np.concatenate([one[name] for one in spread]) for name in spread[0]}
        return gather(read_shuffled(rows, task, totals.ranges), task)


@pytest.fixture
def shuffled(monkeypatch):
    engines = []

    def opened(dataset, names, engine, most_bytes, by_ranges):
        engines.append(Shuffled(names, dataset))
        return engines[-1]

    monkeypatch.setattr(module, "open_engine", opened)
    monkeypatch.setattr(np, "array_split", lambda frame, n: [frame.iloc[k::n] for k in range(n)])
    return engines


def sample(n_rows=90):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n_rows)
    return pd.DataFrame({
        "y": y, "s": np.round((rng.random(n_rows) + y) / 2, 2), "site": rng.choice([*"ab"], n_rows),
        "sex": rng.integers(0, 2, n_rows),
    })  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "n_ranges"), [(90 * 160, 1), (90 * 160 - 1, 2), (6000, 3), (1440, 10)]
)
def test_ranges_hold_as_many_rows_as_fit(shuffled, limit, n_ranges):
    frame = sample()
    found = asked(frame, metrics=["roc_auc", "average_precision"], memory_limit=limit)
    (engine,) = shuffled
    (task,) = engine.tasks
    (edges,) = task.edges
    assert len(edges) == n_ranges - 1
    ordered = np.sort(frame.s)
    assert edges.tolist() == [ordered[k * 90 // n_ranges] for k in range(1, n_ranges)]
    assert found.value("roc_auc") == pytest.approx(sx.roc_auc_score(frame.y, frame.s))
    assert found.value("average_precision") == pytest.approx(
        sx.average_precision_score(frame.y, frame.s)
    )
    assert found.engine == "shuffled"


def test_scores_are_sampled_for_ranges_only(shuffled, monkeypatch):
    asked(sample(), metrics=["log_loss"])
    asked(sample(), metrics=["roc_auc"])
    monkeypatch.setattr(Shuffled, "needs_ranges", False)
    asked(sample(), metrics=["log_loss"])
    assert [engine.sampled for engine in shuffled] == [[False], [True], [False]]


def test_ranges_are_at_least_ten_sampled_rows_each(shuffled, monkeypatch):
    monkeypatch.setattr(partitions, "SAMPLE", 50)
    asked(sample(), memory_limit=1)
    (task,) = shuffled[0].tasks
    assert len(task.edges[0]) <= 4


@pytest.mark.parametrize("limit", ["1GiB", 3000])
def test_margins_join_tables_or_are_ranked_again(shuffled, limit):
    frame = sample()
    options = {"by": ["site", "sex"], "margins": True, "metrics": ["roc_auc", "ks_statistic"]}
    found = asked(frame, memory_limit=limit, **options)
    assert len(shuffled[0].tasks) == (1 if limit == "1GiB" else 4)
    for row in found:
        site, sex = row.group or (None, None)
        own = frame[(frame.site == (site or frame.site)) & ((sex is None) | (frame.sex == sex))]
        assert row.n_rows == len(own)
        right = find(row.metric).function(own.y, own.s)
        assert row.value == pytest.approx(float(right)), row


def test_passes_over_all_rows_are_counted():
    def passes(names, n_columns=1, **options):
        metrics = find_metrics(names)
        layout = make_layout(metrics, np.arange(max(n_columns, 2)), None, None, n_columns)
        plan = module.RangePlan.of(metrics, False)
        return Engine(None).n_passes(partitions.Task(None, layout, plan, {}, **options))

    edges = (np.array([0.5]),)
    assert passes(["accuracy"], 0) == 1
    assert passes(["log_loss"]) == 2
    assert passes(["roc_auc"]) == 2
    assert passes(["roc_auc"], edges=edges) == 3
    assert passes(["roc_auc", "log_loss"]) == 3
    assert passes(["roc_auc_ovr"], 3, edges=edges * 3) == 5


def test_spark_reads_names_in_backticks():
    """`test_spark` has all of these names, for Spark itself."""
    from skmetrics_ext.backends.spark import quoted

    assert quoted("a.b") == "`a.b`"
    assert quoted("a`b") == "`a``b`"

"""Columns of a part: what is refused and where it stands, what is clipped, and how parts join."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from support.frames import needs

import skmetrics_ext as sx
from skmetrics_ext import evaluate
from skmetrics_ext.merged.columns import (
    ColumnNames,
    RowLocation,
    each_group,
    encode_labels,
    in_layout,
    join_parts,
    read_part,
    read_value_column,
    rows_by_group,
)
from skmetrics_ext.merged.layout import find_metrics, make_layout
from skmetrics_ext.merged.sums import Sums, count_labels
from skmetrics_ext.registry import find
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.slices.table import score_columns
from skmetrics_ext.validation.containers import read_column

HERE = RowLocation()


def frame_of(**columns):
    data = {"y": [0, 1, 0, 1], "s": [0.1, 0.9, 0.4, 0.6], "w": [1, 2, 3, 4]}
    return pd.DataFrame(data | columns)


def asked(frame, **options):
    options = {"true": "y", "score": "s", "metrics": ["roc_auc"]} | options
    return evaluate(frame, **options)


# --------------------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (RowLocation(), "row 2"),
        (RowLocation("a.csv", 10, counted_from=1), "row 13 of a.csv"),
        (RowLocation("a.csv", 10, np.array([3, 5, 8])), "row 18 of a.csv"),
        (RowLocation("a.csv", 10, line_of=lambda row: 2 * row), "line 24 of a.csv"),
        (RowLocation("", 10, counted_from=1, line_of=lambda row: None), "row 13"),
    ],
)
def test_the_place_of_a_row(place, told):
    assert place.of(2) == told


def test_names_of_columns_are_listed_once():
    names = ColumnNames("y", ("a", "b"), "p", "w", GroupColumns.of(["site", "y"]), "site")
    assert names.all == ("site", "y", "p", "a", "b", "w")
    assert names.labels == ("y", "p")
    assert ColumnNames("y").labels == ColumnNames("y").all == ("y",)


# --------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("columns", "options", "told"),
    [
        ({"y": [0, 1, None, 1]}, {}, "Column 'y' has a missing value in row 2; drop"),
        ({"s": [0.1, np.inf, np.nan, 1]}, {}, "Column 's' has a missing value in row 2; drop"),
        ({"s": [0.1, 0.2, -np.inf, 1]}, {}, r"Column 's' holds -inf in row 2\."),
        ({"y": [0.5, 1.5, 0.25, 2]}, {}, "Column 'y' must hold labels of classes, one per row; it"),
        ({"y": ["a\x00", "b", "a", "b"]}, {}, "Column 'y' holds text with a NUL byte"),
        ({"s": [*"abcd"]}, {}, "Column 's' must hold scores, got labels like 'a'"),
        ({"w": [*"abcd"]}, {"weight": "w"}, "Column 'w' must hold weights, got labels like 'a'"),
        ({"s": [1j, 2, 3, 4]}, {}, "Column 's' must hold scores, got dtype complex128"),
        ({"w": [1, 2, -3, -4]}, {"weight": "w"}, r"'w' holds the negative weight -3 in row 2\."),
        ({"w": [1, 2, 3, -0.5]}, {"weight": "w"}, "holds the negative weight -0.5 in row 3"),
        ({"s": [1, 2**53, 2**53 + 1, 2]}, {}, r"'s' holds 9007199254740993 in row 2: integers bey"),
        (
            {"s": np.array([1, 2**63, 3, 2], dtype=np.uint64)},
            {},
            r"'s' holds 9223372036854775808 in",
        ),
        ({"s": [1, -(2**63), 3, 2]}, {}, r"'s' holds -9223372036854775808 in row 1: integers"),
        ({"s": [1, -(2**53) - 1, 3, 2]}, {}, r"'s' holds -9007199254740993 in row 1: integers"),
        (
            {"s": [0.1, 0.2, 1.5, -3]},
            {"metrics": ["log_loss"]},
            r"'s' holds -3\.0 in row 3, which is not a probability",
        ),
        (
            {"s": [0.1, 0.2, 1 + 2e-8, 0.5]},
            {"metrics": ["log_loss"]},
            r"'s' holds 1\.00000002 in row 2, which",
        ),
        (
            {"s": [0.1, 0.2, -2e-8, 0.5]},
            {"metrics": ["log_loss"]},
            r"'s' holds -2e-08 in row 2, which",
        ),
        (
            {"a": [0.9, 0.1, 0.6, 0.4 - 2e-6]},
            {"score": ["a", "s"]},
            r"probabilities a, s sum to 0\.999998 in row 3, not to 1",
        ),
        ({"y": [0, 2, 0, 1]}, {"labels": [0, 1]}, "true holds .*2"),
    ],
)
def test_what_is_refused_is_named_with_its_row(columns, options, told):
    with pytest.raises(ValueError, match=told):
        asked(frame_of(**columns), **options)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_integers_that_a_float_would_merge_are_refused(engine):
    needs(engine)
    for sign in (1, -1):
        ends = [sign * 2**53, sign * (2**53 - 1)]
        found = asked(frame_of(s=[*ends, *ends]), engine=engine)
        assert found.value("roc_auc") == 0.5 - 0.5 * sign
        with pytest.raises(ValueError, match=rf"'s' holds {sign * (2**53 + 1)} in row 2: integers"):
            asked(frame_of(s=[*ends, sign * (2**53 + 1), 0]), engine=engine)


def test_what_is_nearly_right_is_taken():
    whole = asked(frame_of(s=[1, 2**53, -(2**53), 2]))
    assert whole.value("roc_auc") == 1
    near = frame_of(s=[-5e-9, 1 + 5e-9, 0.4, 0.6])
    loss = asked(near, metrics=["brier_score"]).value("brier_score")
    assert loss == pytest.approx((0.16 + 0.16) / 4, rel=1e-12)
    sums = frame_of(a=[0.9 + 5e-7, 0.1, 0.6, 0.4 - 5e-7])
    assert asked(sums, score=["a", "s"]).value("roc_auc") == 1
    assert asked(frame_of(), score="s", weight="w", weights_are="frequency").value("roc_auc") == 1
    far = asked(frame_of(s=[-7, 40, 3, 5.0]))  # scores that are not read as probabilities
    assert far.value("roc_auc") == 1


@pytest.mark.parametrize("low", [-1e-9, 0.0])
@pytest.mark.parametrize("high", [1 + 1e-9, 1.0])
def test_probabilities_are_clipped_at_both_ends(low, high):
    frame = frame_of(s=[low, high, 0.5, 0.5])
    loss = asked(frame, metrics=["log_loss"]).value("log_loss")
    assert loss == pytest.approx(np.log(2) / 2, rel=1e-12)


def test_more_labels_than_classes_may_have_are_refused(monkeypatch):
    monkeypatch.setattr("skmetrics_ext.merged.columns.MOST_LABELS", 3)
    column = read_column(np.arange(3), "y")
    labels, (codes,) = encode_labels([column])
    assert (labels.tolist(), codes.tolist()) == ([0, 1, 2], [0, 1, 2])
    with pytest.raises(ValueError, match="'y' and 'p': 4 distinct values in one part are too many"):
        encode_labels([column, read_column(np.array([1, 2, 3]), "p")])
    with pytest.raises(ValueError, match=r"'y': 4 distinct values in a\.csv are too many"):
        encode_labels([read_column(np.arange(4), "y")], "a.csv")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_logarithms_are_clipped_by_the_precision_of_the_scores(dtype):
    frame = pd.DataFrame({"y": [1, 0], "s": np.array([0, 0.5], dtype=dtype)})
    loss = asked(frame, metrics=["log_loss"]).value("log_loss")
    assert loss == pytest.approx(sx.log_loss(frame["y"], frame["s"].to_numpy()), rel=1e-12)
    two = frame.assign(a=np.array([1, 0.5]))
    loss = asked(two, score=["a", "s"], metrics=["log_loss"]).value("log_loss")
    eps = np.finfo(np.float64).eps  # the wider of both columns
    assert loss == pytest.approx(-(np.log(eps) + np.log(0.5)) / 2, rel=1e-9)


# --------------------------------------------------------------------------- text


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_text_of_arrow_is_read_as_categories(kind):
    pa = pytest.importorskip("pyarrow")
    words = ["well", "ill", "well", "ill"]
    kinds = {"string": pa.string(), "large_string": pa.large_string()}
    if kind == "dictionary":
        column = pa.array(words).dictionary_encode()
    elif kind == "string_view":
        if not hasattr(pa, "string_view"):
            pytest.skip("no such type")
        column = pa.array(words, pa.string_view())
    else:
        column = pa.array(words, kinds[kind])
    read = read_value_column({"y": column}, "y", HERE)
    assert read.categories is not None
    assert np.asarray(read.categories)[read.values].tolist() == words
    table = pa.table({"y": column, "s": [0.1, 0.9, 0.4, 0.6]})
    assert asked(table, pos_label="ill").value("roc_auc") == 1


@pytest.mark.parametrize("dtype", ["string", "str", "object", "category"])
def test_text_of_pandas_is_read_as_categories(dtype):
    column = pd.Series(["well", "ill", "well", "ill"], dtype=dtype)
    read = read_value_column({"y": column}, "y", HERE)
    assert (read.categories is None) == (dtype == "object" and read.values.dtype.kind in "OU")
    assert asked(frame_of(y=column), pos_label="ill").value("roc_auc") == 1


# --------------------------------------------------------------------------- parts


NAMES = ColumnNames("y", ("s",), "p", "w", GroupColumns.of("site"))


def part_of(y, p, site, names=NAMES, weight=None):
    data = {"y": np.array(y), "p": np.array(p), "site": np.array(site)}
    data |= {"s": np.arange(len(y)) / 8, "w": np.arange(len(y)) if weight is None else weight}
    return read_part(data, names, HERE)


def test_parts_join_with_the_classes_and_groups_of_all():
    first = part_of([2, 5], [5, 5], ["a", "b"])
    second = part_of([5, 9, 9], [9, 9, 2], ["c", "b", "b"])
    both = join_parts([first, second])
    assert both.labels.tolist() == [2, 5, 9]
    assert both.labels[both.true].tolist() == [2, 5, 5, 9, 9]
    assert both.labels[both.pred].tolist() == [5, 5, 9, 9, 2]
    assert [both.groups[k] for k in both.group] == ["a", "b", "c", "b", "b"]
    assert both.score.tolist() == [[0], [0.125], [0], [0.125], [0.25]]
    assert both.weight.tolist() == [0, 1, 0, 1, 2]
    assert both.n_rows == 5
    other = join_parts([part_of([2, 5], [5, 5], [name, name]) for name in ("a", "b")])
    assert (list(other.groups), other.group.tolist()) == (["a", "b"], [0, 0, 1, 1])
    assert join_parts([first]) is first
    same = join_parts([first, first])
    assert same.labels.tolist() == [2, 5]
    assert same.true.tolist() == [0, 1, 0, 1]
    one = join_parts([part_of([2, 5], [5, 5], ["a", "a"])] * 2)
    assert (list(one.groups), one.group.tolist()) == (["a"], [0, 0, 0, 0])
    plain = ColumnNames("y", ("s",))
    none = join_parts([part_of([2, 5], [5, 5], ["a", "b"], plain)] * 2)
    assert (none.pred, none.weight, none.group) == (None, None, None)


def test_bytes_of_a_part_are_those_of_its_columns():
    part = part_of([2, 5], [5, 5], ["a", "b"])
    arrays = (part.true, part.pred, part.score, part.weight, part.group)
    assert part.n_bytes == sum(array.nbytes for array in arrays) > 0
    assert replace(part, pred=None, weight=None).n_bytes == sum(
        array.nbytes for array in (part.true, part.score, part.group)
    )


def test_groups_have_the_rows_that_are_kept():
    part = part_of([0, 1, 0, 1], [0] * 4, ["b", "a", "b", "c"])

    def groups(part, kept=None):
        return {group: list(range(4))[rows] if isinstance(rows, slice) else rows.tolist()
                for group, rows in each_group(part.groups, part.group, kept)}  # fmt: skip

    assert groups(part) == {"a": [1], "b": [0, 2], "c": [3]}
    kept = np.array([True, True, True, False])
    assert groups(part, kept) == {"a": [1], "b": [0, 2]}
    plain = replace(part, group=None)
    assert groups(plain) == {None: [0, 1, 2, 3]}
    assert groups(plain, kept) == {None: [0, 1, 2]}
    assert groups(plain, ~kept) == {None: [3]}
    assert groups(plain, np.zeros(4, dtype=bool)) == {}


def test_rows_without_weight_are_not_ranked():
    (metric,) = find_metrics(["roc_auc"])
    layout = make_layout((metric,), np.array([0, 1]), None, None, 1)
    part = part_of([0, 1, 0, 1], [0] * 4, ["b", "a", "b", "a"])  # the first row has weight 0
    rows = dict(rows_by_group(part, layout))
    assert rows["b"].score.tolist() == [[0.25]]
    assert rows["b"].weight.tolist() == [2]
    assert rows["a"].true.tolist() == [1, 1]
    assert (rows["a"].group, rows["a"].pred) == (None, None)
    assert dict(rows_by_group(replace(part, score=np.zeros((4, 0))), layout)) == {}


def test_rows_have_the_codes_and_columns_of_the_layout():
    (metric,) = find_metrics(["roc_auc"])
    names = ColumnNames("y", ("a", "b"))
    data = {"y": np.array(["x", "z"]), "a": np.array([0.25, 0.75]), "b": np.array([0.75, 0.25])}
    part = read_part(data, names, HERE)
    plain = in_layout(part, make_layout((metric,), None, ["x", "z"], None, 2))
    assert (plain.true.tolist(), plain.rankings.tolist()) == ([0, 1], [[0.75, 0.25]])
    turned = in_layout(part, make_layout((metric,), None, ["x", "z"], "x", 2))
    assert (turned.true.tolist(), turned.rankings.tolist()) == ([1, 0], [[0.25, 0.75]])
    assert turned.labels.tolist() == ["z", "x"]
    assert turned.checked
    with pytest.raises(ValueError, match=r"'y' holds 'z' in row 1, which is none of the classes"):
        in_layout(part, make_layout((metric,), None, ["x", "y"], None, 2))
    fewer = replace(part, true=np.zeros(2, dtype=np.int64))  # of a label that no row has
    assert in_layout(fewer, make_layout((metric,), None, ["x", "y"], None, 2)).true.tolist() == [
        0, 0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("score", "labels", "found"),
    [
        (None, [0, 1], ((), [0, 1])),
        ("s", None, (("s",), None)),
        (["a", "b"], [0, 1], (("a", "b"), [0, 1])),
        ({0: "a", 1: "b"}, None, (("a", "b"), [0, 1])),
        ({0: "a", 1: "b"}, [1, 0], (("b", "a"), [1, 0])),
    ],
)
def test_columns_of_scores_and_their_classes(score, labels, found):
    assert score_columns(score, labels) == found


@pytest.mark.parametrize(
    ("score", "labels", "told"),
    [
        ({0: "a", 1: "b"}, [0, 1, 2], "they must be the same"),
        ({0: "a", 1: "b"}, [0, 2], "names columns for the classes [0, 1], but labels are [0, 2]"),
        ({0: "a", 1: "b", 2: "c"}, [0, 1], "they must be the same"),
        (3, None, "score must be the name of a column, a list of names, or a dict, got 3"),
    ],
)
def test_columns_of_scores_that_are_refused(score, labels, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        score_columns(score, labels)


# --------------------------------------------------------------------------- sums


def test_tables_of_groups_have_the_classes_that_occur_there():
    """Counted in one array of all groups, or group by group where that would be large."""
    rng = np.random.default_rng(0)
    for n_classes, n_groups in ((3, 4), (60, 40)):
        y, p = rng.integers(0, n_classes, (2, 200))
        site = rng.integers(0, n_groups, 200)
        weight = rng.integers(0, 3, 200)
        sums = count_labels(part_of(y, p, site, weight=weight))
        assert list(sums.rows) == sorted(set(site.tolist()))
        for group, table in sums.tables.items():
            own = site == group
            assert sums.rows[group] == own.sum()
            for a, true in enumerate(table.classes):
                for b, pred in enumerate(table.classes):
                    cell = weight[own & (y == true) & (p == pred)].sum()
                    assert table.table[a, b] == cell
            assert table.table.sum() == weight[own].sum()
            assert table.classes.tolist() == sorted({*y[own].tolist(), *p[own].tolist()})
    large = count_labels(part_of(np.arange(300), np.arange(300), np.arange(300) % 100))
    assert all(len(table.classes) == 3 for table in large.tables.values())
    none = count_labels(replace(part_of([0], [0], ["a"]), true=np.zeros(0, dtype=np.int64)))
    assert (none.rows, none.tables) == ({}, {})
    true_only = count_labels(part_of([0, 1, 1], [0] * 3, ["a"] * 3, ColumnNames("y", weight="w")))
    assert true_only.tables[None].table.tolist() == [[0, 0], [0, 3]]
    assert true_only.rows == {None: 3}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("by", [None, "site"])
def test_classes_whose_rows_have_no_weight_are_averaged_as_by_the_function(engine, by):
    """In a group as in all rows: F1 of the class without weight is 0."""
    needs(engine)
    frame = pd.DataFrame({"y": [0, 1, 2, 0, 1, 1], "p": [0, 1, 2, 1, 1, 0]})
    frame = frame.assign(w=[1, 1, 0, 1, 1, 1], site="a")
    found = asked(frame, score=None, pred="p", weight="w", by=by, metrics=["f1_macro"],
                  engine=engine)  # fmt: skip
    assert next(iter(found)).value == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)


def test_sums_of_margins_are_those_of_their_groups():
    part = part_of([0, 1, 1, 0], [0, 0, 1, 0], ["a", "b", "c", "a"])
    sums = count_labels(part)
    margin = sums.margin({None: ["a", "b"], "other": ["c"]})
    assert margin.rows == {None: 3, "other": 1}
    assert margin.tables[None].table.tolist() == [[3, 0], [1, 0]]
    assert margin.masses(None, np.array([0, 1, 7])).tolist() == [3, 1, 0]
    named = Sums(rows={None: 3}, ranges={(None, 0): np.ones(2)}).of_group("x")
    assert named.rows == {"x": 3}
    assert list(named.ranges) == [("x", 0)]
    both = Sums()
    for _ in range(2):
        both.add(sums)
    assert both.rows == {"a": 4, "b": 2, "c": 2}
    ranges = Sums(ranges={("a", 0): np.array([1, 2]), ("b", 0): np.array([3, 4])})
    assert ranges.margin({"m": ["a", "b"]}).ranges["m", 0].tolist() == [4, 6]


def test_metrics_that_sums_do_not_tell_are_refused_or_say_why():
    hinge = partial(sx.hinge_loss)
    assert find(hinge).sums == "moments"
    three = pd.DataFrame({"y": [0, 1, 2], "a": [0.5, 0.2, 0.3], "b": [0.3, 0.5, 0.3],
                          "c": [0.2, 0.3, 0.4]})  # fmt: skip
    ece = {"ece": sx.expected_calibration_error}
    with pytest.raises(ValueError, match="several classes needs target='top_label' or 'classwise'"):
        asked(three, score=["a", "b", "c"], metrics=ece)
    for target in ("top_label", "classwise"):
        own = partial(sx.expected_calibration_error, target=target, n_bins=4)
        found = asked(three, score=["a", "b", "c"], metrics={"ece": own})
        right = own(three["y"], three[["a", "b", "c"]].to_numpy())
        assert found.value("ece") == pytest.approx(right)
        assert isinstance(found.bins[None, "ece"], tuple) == (target == "classwise")

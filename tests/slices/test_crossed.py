"""Crossed groups, their margins and bins, on every engine: what the functions say of the rows."""

import numpy as np
import pandas as pd
import pytest
from support.frames import binary_frame, expected, run, several_frame, small_batches

from skmetrics_ext import evaluate
from skmetrics_ext.backends.partitions import combined
from skmetrics_ext.merged.columns import ColumnNames, RowLocation, read_part
from skmetrics_ext.merged.layout import find_metrics, make_layout
from skmetrics_ext.merged.sums import Sums, count_labels, sum_rows
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.validation import InvalidParameterError

pytestmark = pytest.mark.usefixtures(small_batches.__name__)
__all__ = ["small_batches"]
METRICS = ["roc_auc", "average_precision", "log_loss", "f1", "expected_calibration_error"]


def crossed_frame(n_rows=300, seed=5):
    frame = binary_frame(n_rows, seed)
    rng = np.random.default_rng(seed + 100)
    frame["sex"] = rng.integers(0, 2, n_rows)
    frame["age"] = rng.uniform(20, 80, n_rows).round(1)
    return frame


def rows_of(frame, group, by):
    if group is None:
        return frame
    kept = np.ones(len(frame), dtype=bool)
    for name, value in zip(by, group, strict=True):
        kept &= True if value is None else (frame[name] == value).to_numpy()
    return frame[kept]


def same_slices(found, frame, by, weight=None, **options):
    for row in found:
        rows = rows_of(frame, row.group, by)
        assert row.n_rows == len(rows)
        value = expected(row.metric, rows, weight=weight, **options)
        np.testing.assert_allclose(row.value, value, rtol=1e-12, atol=1e-14, err_msg=str(row))


@pytest.mark.parametrize(
    ("engine", "limit"),
    [("memory", "1GiB"), ("duckdb", "1GiB"), ("duckdb", 12_000), ("dask", 12_000)],
)
def test_crossed_with_margins_equal_the_functions(engine, limit):
    frame = crossed_frame()
    found = run(
        engine,
        frame,
        score="score",
        pred="pred",
        weight="count" if limit == "1GiB" else None,
        by=["group", "sex"],
        margins=True,
        metrics=METRICS,
        memory_limit=limit,
    )
    groups = list(dict.fromkeys(row.group for row in found))
    sites = ["a", "b b", "c'c"]
    assert groups == [
        *((site, sex) for site in sites for sex in (0, 1)),
        *((site, None) for site in sites),
        (None, 0),
        (None, 1),
        None,
    ]
    same_slices(found, frame, ("group", "sex"), "count" if limit == "1GiB" else None)


@pytest.mark.parametrize("engine", ["memory", "duckdb", "dask"])
def test_numbers_in_bins(engine):
    frame = crossed_frame()
    found = run(
        engine,
        frame,
        score="score",
        by=["age", "sex"],
        bins={"age": [40, 60]},
        margins=True,
        metrics=["roc_auc", "brier_score"],
    )
    binned = frame.assign(
        age=pd.cut(frame["age"], [0, 40, 60, 99], right=False, labels=["< 40", "[40, 60)", ">= 60"])
    )
    assert list(dict.fromkeys(row.group[0] for row in found if row.group)) == [
        "< 40",
        "[40, 60)",
        ">= 60",
        None,
    ]
    same_slices(found, binned, ("age", "sex"))


@pytest.mark.parametrize("engine", ["memory", "duckdb", "dask"])
def test_a_number_of_bins_makes_them_equal(engine):
    frame = crossed_frame()
    found = run(engine, frame, pred="pred", by="age", bins={"age": 4}, metrics=["accuracy"])
    assert sum(row.n_rows for row in found) == 300
    assert all(abs(row.n_rows - 75) < 5 for row in found)
    assert found.rows[0].group.startswith("< ")


@pytest.mark.parametrize("engine", ["memory", "duckdb", "dask"])
def test_classes_by_text_and_one_column_with_its_margin(engine):
    frame, labels, columns = several_frame(300)
    found = run(
        engine,
        frame,
        score=columns,
        labels=labels,
        pred="pred",
        by="group",
        margins=True,
        metrics=["roc_auc_ovo", "f1_macro", "log_loss"],
    )
    assert list(dict.fromkeys(row.group for row in found)) == [0, 1, None]
    for row in found:
        rows = frame if row.group is None else frame[frame["group"] == row.group]
        value = expected(row.metric, rows, columns, labels=labels)
        np.testing.assert_allclose(row.value, value, rtol=1e-12)


def test_a_margin_is_the_merge_of_its_groups_whatever_the_level():
    by = GroupColumns.of(["a", "b", "c"])
    groups = [(i, j, k) for i in range(2) for j in range(3) for k in range(2)]
    levels = by.levels()
    assert [level.columns for level in levels] == [
        ("a", "b"), ("a", "c"), ("b", "c"), ("a",), ("b",), ("c",), (),
    ]  # fmt: skip
    for level in levels:
        sources = level.sources(groups)
        assert sorted(group for parts in sources.values() for group in parts) == groups
    assert levels[3].sources(groups)[1, None, None] == [g for g in groups if g[0] == 1]
    assert levels[-1].sources(groups) == {None: groups}


def sums_of(frame, by, layout):
    """Tables, moments and bins by group of the rows of a frame."""
    names = ColumnNames("true", ("score",), "pred", None, by)
    part = read_part(frame, names, RowLocation())
    sums = count_labels(part)
    sums.add(sum_rows(part, layout, ranked=False)[0])
    return sums


def test_margins_of_merged_cubes_are_merged_margins():
    frame, by = crossed_frame(), GroupColumns.of(["group", "sex"])
    asked = find_metrics(["f1", "log_loss", "expected_calibration_error"])
    layout = make_layout(asked, np.array([0, 1]), None, None, 1)
    parts = [sums_of(frame[place::3], by, layout) for place in range(3)]
    whole = sums_of(frame, by, layout)
    for level in by.levels():
        sources = level.sources(whole.tables)
        one = combined(Sums, (part.margin(level.sources(part.tables)) for part in parts))
        for other in (combined(Sums, parts).margin(sources), whole.margin(sources)):
            assert one.rows == other.rows
            assert one.tables.keys() == other.tables.keys() == sources.keys()
            for group, table in one.tables.items():
                np.testing.assert_array_equal(table.table, other.tables[group].table)
            for key, moments in one.moments.items():
                same = other.moments[key]
                np.testing.assert_allclose(moments.mean, same.mean, rtol=1e-12)
                np.testing.assert_allclose(moments.comoment, same.comoment, rtol=1e-10)
            for key, (bins,) in one.bins.items():
                np.testing.assert_allclose(bins.rate, other.bins[key][0].rate, rtol=1e-12)


def test_few_rows_have_no_value_and_a_reason():
    frame = crossed_frame(60)
    found = evaluate(
        frame,
        true="true",
        pred="pred",
        by=["group", "sex"],
        margins=True,
        min_rows=12,
        metrics=["accuracy"],
    )
    small = [row for row in found if row.n_rows < 12]
    assert small
    for row in small:
        assert np.isnan(row.value)
        assert row.note == f"{row.n_rows} rows are fewer than min_rows=12"
    assert all(row.value == row.value for row in found if row.n_rows >= 12)


def test_a_group_without_a_class_has_a_reason():
    frame = pd.DataFrame(
        {"y": [0, 1, 1, 1], "p": [0.2, 0.7, 0.6, 0.9], "site": ["a", "a", "b", "b"]}
    )
    found = evaluate(frame, true="y", score="p", by="site", margins=True, metrics=["roc_auc"])
    assert found.value("roc_auc", "a") == 1.0
    assert np.isnan(found.value("roc_auc", "b"))
    assert found.row("roc_auc", "b").note
    assert found.value("roc_auc") == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "score"}, "column 'score' has .* identifies rows"),
        ({"by": ["group", "group"]}, "twice"),
        ({"by": []}, "by must be the name"),
        ({"by": 3}, "by must be the name"),
        ({"by": "group", "bins": {"age": 3}}, "not among the columns of by"),
        ({"by": "group", "bins": {"group": 3}}, "has to hold numbers"),
        ({"by": "age", "bins": {"age": [3, 2]}}, "rising order"),
        ({"by": "age", "bins": 3}, "bins must be a dict"),
        ({"by": "group", "min_rows": 0}, "min_rows"),
        ({"by": "group", "margins": 1.5}, "margins"),
    ],
)
def test_refused(options, message):
    frame = crossed_frame()
    frame["score"] = np.linspace(0, 1, 300)
    with pytest.raises(InvalidParameterError, match=message):
        evaluate(frame, true="true", pred="pred", metrics=["accuracy"], **options)


def test_the_frame_has_a_column_for_each_group_variable():
    found = evaluate(
        crossed_frame(),
        true="true",
        pred="pred",
        by=["group", "sex"],
        margins=True,
        metrics=["accuracy"],
    )
    frame = found.frame()
    assert list(frame.columns[:3]) == ["group", "sex", "metric"]
    assert {"value", "low", "high", "note", "n_rows"} <= set(frame.columns)
    assert frame["sex"].isna().sum() == 4
    assert str(found).splitlines()[-1].split()[:3] == ["all", "all", "accuracy"]


def test_what_is_said_of_crossed_groups():
    frame = crossed_frame().assign(sex=lambda f: f.sex.map({0: "f", 1: "m"}))
    for by, form in (("group", "{}"), (["group", "sex"], "({}, {})")):
        found = evaluate(frame, true="true", pred="pred", by=by, metrics=["f1"])
        spread = found.spread("f1")
        low, high = (form.format(*np.atleast_1d(end)) for end in (spread.lowest, spread.highest))
        n_groups = frame.groupby(by).ngroups
        told = f"{spread.largest:.4g} from {low} to {high} ({n_groups} groups); equal groups would "
        assert str(spread).startswith(told)


@pytest.mark.parametrize(
    ("n_values", "each", "is_refused"),
    [(100, 1, False), (101, 1, True), (150, 2, False), (149, 1, True), (151, 1, True)],
)
def test_columns_that_identify_rows_make_no_groups(n_values, each, is_refused):
    """A hundred values are few, and so is one value for every second row."""
    columns, rows = GroupColumns.of("name"), dict.fromkeys(range(n_values), each)
    if is_refused:
        with pytest.raises(InvalidParameterError, match=f"{n_values} values in {n_values * each}"):
            columns.check(rows)
    else:
        columns.check(rows)

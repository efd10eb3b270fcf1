"""`by=` in any container: rows without a value are the group "missing", in each of them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier

import skmetrics_ext as sx

NAN = float("nan")
TRUE = [0, 1, 1, 0, 1, 0, 1, 0] * 3
PRED = [0, 1, 0, 0, 1, 1, 1, 1] * 3
SITE = ["a", "b", None, "c", "a", "b", None, "c"] * 3
ROOM = [2, 1, None, 2, 1, 2, 1, None] * 3
# Accuracy by hand: rows 0, 4 | 1, 5 | 3, 7 | 2, 6 of each eight.
BY_SITE = {"a": 1.0, "b": 0.5, "c": 0.5, "missing": 0.5}
BY_ROOM = {1: 1.0, 2: 2 / 3, "missing": 0.0}


def with_nan(values):
    return [NAN if value is None else value for value in values]


TEXT = {
    "a list with None": SITE,
    "a list with nan": with_nan(SITE),
    "a tuple": tuple(SITE),
    "objects of NumPy": np.array(SITE, dtype=object),
    "objects with nan": np.array(with_nan(SITE), dtype=object),
    "pandas": pd.Series(SITE),
    "pandas text": pd.Series(SITE, dtype="string"),
    "a categorical": pd.Categorical(SITE),
    "a column of categories": pd.Series(SITE, dtype="category"),
    "pandas objects with NA": pd.Series([pd.NA if s is None else s for s in SITE], dtype=object),
    "polars": pl.Series("site", SITE),
    "an Enum of polars": pl.Series("site", SITE, dtype=pl.Enum(["c", "b", "a"])),
    "arrow": pa.array(SITE),
    "chunks of arrow": pa.chunked_array([SITE[:3], SITE[3:]]),
    "a dictionary of arrow": pa.array(SITE).dictionary_encode(),
}
NUMBERS = {
    "a list with None": ROOM,
    "a list with nan": with_nan(ROOM),
    "floats of NumPy": np.array(with_nan(ROOM)),
    "pandas": pd.Series(ROOM),
    "nullable integers": pd.Series(ROOM, dtype="Int64"),
    "nullable floats": pd.Series(ROOM, dtype="Float64"),
    "polars": pl.Series("room", ROOM),
    "polars with nan": pl.Series("room", with_nan(ROOM), dtype=pl.Float64, strict=False),
    "arrow": pa.array(ROOM),
}


def by_group(by, **options):
    found = sx.compute_metrics(["accuracy"], TRUE, PRED, by=by, **options)
    return {row.group: row.value for row in found if row.group is not None}


@pytest.mark.parametrize("kind", TEXT)
def test_text(kind):
    assert by_group({"site": TEXT[kind]}) == pytest.approx(BY_SITE)
    assert by_group(TEXT[kind]) == pytest.approx(BY_SITE)


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_stay_numbers(kind):
    found = by_group({"room": NUMBERS[kind]})
    assert found == pytest.approx(BY_ROOM)
    assert [str(group) for group in found] == ["1", "2", "missing"]


FRAMES = {
    "a dict": {"site": SITE, "room": ROOM},
    "pandas": pd.DataFrame({"site": SITE, "room": ROOM}),
    "polars": pl.DataFrame({"site": SITE, "room": ROOM}),
    "arrow": pa.table({"site": SITE, "room": ROOM}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_cross_their_columns(kind):
    found = sx.compute_metrics(["accuracy"], TRUE, PRED, by=FRAMES[kind], margins=True)
    assert "site     room" in str(found)
    rows = {row.group: (row.value, row.n_rows) for row in found}
    assert rows[("missing", 1)] == (1.0, 3)
    assert rows[("missing", "missing")] == (0.0, 3)
    assert rows[("missing", None)] == (0.5, 6)
    assert rows[("c", "missing")] == (0.0, 3)
    assert rows[None] == (0.625, 24)


COLUMNS = {"true": TRUE, "pred": PRED, "site": SITE, "room": ROOM}


def columns_in(kind, tmp_path):
    """The four columns in a container, and options of `evaluate` for it."""
    if kind == "pandas":
        return pd.DataFrame(COLUMNS)
    if kind == "nullable":
        return pd.DataFrame(COLUMNS).convert_dtypes()
    if kind == "polars":
        return pl.DataFrame(COLUMNS)
    if kind == "arrow":
        return pa.table(COLUMNS)
    if kind == "duckdb":
        frame = pa.table(COLUMNS)
        return pytest.importorskip("duckdb").arrow(frame)
    if kind == "dask":
        frame = pytest.importorskip("dask.dataframe")
        return frame.from_pandas(pd.DataFrame(COLUMNS), npartitions=3)
    path = tmp_path / f"rows.{kind}"
    table = pd.DataFrame(COLUMNS).astype({"room": "Int64"})
    table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
    return str(path)


CONTAINERS = ["pandas", "nullable", "polars", "arrow", "duckdb", "dask", "csv", "parquet"]


@pytest.mark.parametrize("kind", CONTAINERS)
def test_evaluate_has_the_same_groups(kind, tmp_path):
    data = columns_in(kind, tmp_path)
    options = {"true": "true", "pred": "pred", "metrics": ["accuracy"], "intervals": True}
    for by, expected in (("site", BY_SITE), ("room", BY_ROOM)):
        found = sx.evaluate(data, by=by, **options)
        assert {row.group: row.value for row in found} == pytest.approx(expected)
        assert [row.group for row in found][-1] == "missing"
        assert found.surely_worst()[0].group in expected
    crossed = sx.evaluate(data, by=["site", "room"], margins=True, **options)
    rows = {row.group: (row.value, row.n_rows) for row in crossed}
    assert rows["missing", 1] == (1.0, 3)
    assert rows["missing", None] == (0.5, 6)
    assert rows["c", "missing"] == (0.0, 3)
    for bins in (2, [1.5]):
        found = sx.evaluate(data, by="room", bins={"room": bins}, **options)
        assert [row.value for row in found] == pytest.approx([1.0, 2 / 3, 0.0])
        assert [row.group for row in found][-1] == "missing"


def test_many_groups_of_duckdb_are_ranked_in_the_missing_one_too():
    """More groups than a CASE of SQL lists; the areas by hand are 1, 0 and 3/4."""
    duckdb = pytest.importorskip("duckdb")
    group = [*np.repeat(np.arange(20), 2).tolist(), *[None] * 4]
    true = [0, 1] * 20 + [0, 0, 1, 1]
    score = [0.2, 0.4] * 10 + [0.4, 0.2] * 10 + [0.1, 0.5, 0.4, 0.6]
    for values in (group, [g if g is None else f"g{g:02}" for g in group]):
        table = pa.table({"group": values, "true": true, "score": score})
        options = {"true": "true", "score": "score", "by": "group", "metrics": ["roc_auc"]}
        found = sx.evaluate(duckdb.arrow(table), **options)
        assert [row.value for row in found] == [1.0] * 10 + [0.0] * 10 + [0.75]


def test_a_column_has_its_own_name():
    found = sx.compute_metrics(["accuracy"], TRUE, PRED, by=pd.Series(SITE, name="ward"))
    assert str(found).splitlines()[0].startswith("ward")
    found = sx.compute_metrics(["accuracy"], TRUE, PRED, by=SITE)
    assert str(found).splitlines()[0].startswith("group")


@pytest.mark.parametrize("bins", [2, [1.5]])
def test_bins_of_numbers(bins):
    found = by_group({"room": ROOM}, bins={"room": bins})
    assert list(found.values()) == pytest.approx([1.0, 2 / 3, 0.0])
    assert list(found)[-1] == "missing"


def test_all_rows_are_missing():
    for nothing in ([None] * 24, [NAN] * 24, pd.Series([None] * 24), pa.nulls(24)):
        assert by_group({"site": nothing}) == {"missing": 0.625}


def test_a_group_of_that_name_has_these_rows_too():
    words = ["missing" if site == "c" else site for site in SITE]
    assert by_group({"site": words}) == pytest.approx({"a": 1.0, "b": 0.5, "missing": 0.5})


def test_reports_have_the_same_groups():
    X = np.zeros((24, 1))
    for by in (SITE, {"site": SITE}, pd.Series(with_nan(SITE)), pd.DataFrame({"site": SITE})):
        report = sx.cross_validation_report(
            DummyClassifier(), X, TRUE, scoring=["accuracy"], cv=2, by=by
        )
        assert "missing" in {row.group for row in report.by_group()}


def test_groups_of_dependent_rows_must_be_known():
    for groups in (SITE, with_nan(SITE), pd.Series(SITE), pl.Series(SITE), pa.array(SITE)):
        with pytest.raises(ValueError, match="groups"):
            sx.confidence_interval("accuracy", TRUE, PRED, groups=groups)


@pytest.mark.parametrize(
    "by",
    [2.5, "site", {}, object(), {1: SITE}, [SITE, SITE], SITE[:5], {"site": 3}, pd.DataFrame()],
)
def test_other_values_are_refused(by):
    with pytest.raises(ValueError, match=r"\bby\b|'group'|site"):
        sx.compute_metrics(["accuracy"], TRUE, PRED, by=by)


def test_missing_values_in_lists_are_a_value_of_slices():
    found = sx.weak_slices(
        {"y": TRUE, "p": PRED, "site": with_nan(SITE)},
        true="y",
        pred="p",
        metric="accuracy",
        min_rows=2,
        columns="site",
    )
    assert found.n_tested == 4

"""weak_slices: tables in, a table of slices out."""

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.metrics as theirs

import skmetrics_ext as sx
from skmetrics_ext import weak_slices

matplotlib.use("Agg")
N = 1200
_RNG = np.random.default_rng(0)
SITE, WARD = _RNG.choice(["east", "north", "west"], N), _RNG.integers(0, 4, N)
WEAK = (SITE == "west") & (WARD == 2)
Y = _RNG.integers(0, 2, N)
PRED = np.where(_RNG.random(N) < np.where(WEAK, 0.4, 0.9), Y, 1 - Y)
SCORE = np.clip(0.5 + (PRED - 0.5) * 0.5 + _RNG.normal(0, 0.1, N), 0.01, 0.99)
DATA = {"y": Y, "pred": PRED, "score": SCORE, "site": SITE, "ward": WARD}
SLICE = {"site": "west", "ward": 2}
OF_LABELS = {"true": "y", "pred": "pred", "columns": ["site", "ward"]}
OF_SCORES = {"true": "y", "score": "score", "columns": ["site", "ward"]}


@pytest.mark.parametrize(
    ("metric", "function"),
    [
        ("accuracy", theirs.accuracy_score),
        ("f1", theirs.f1_score),
        ("f1_macro", lambda y, p: theirs.f1_score(y, p, average="macro")),
        ("matthews_corrcoef", theirs.matthews_corrcoef),
        ("zero_one_loss", theirs.zero_one_loss),
        ("roc_auc", theirs.roc_auc_score),
        ("average_precision", theirs.average_precision_score),
        ("log_loss", theirs.log_loss),
    ],
)
def test_values_are_those_of_the_rows_of_the_slice_and_of_all_others(metric, function):
    asked = OF_SCORES if metric in ("roc_auc", "average_precision", "log_loss") else OF_LABELS
    pred = DATA[asked.get("pred", asked.get("score"))]
    found = weak_slices(DATA, metric=metric, **asked)
    first = found.rows[0]
    assert found.rows.confidence_level == 1 - found.alpha == 0.95
    assert first.slice == SLICE
    assert first.n_rows == WEAK.sum()
    assert first.value_a == pytest.approx(function(Y[WEAK], pred[WEAK]), abs=1e-12)
    assert first.value_b == pytest.approx(function(Y[~WEAK], pred[~WEAK]), abs=1e-12)
    assert first.value == pytest.approx(first.value_a - first.value_b, abs=1e-15)
    assert first.low < first.value < first.high
    assert first.p_value <= first.p_adjusted < 0.05


def test_bounds_hold_for_all_slices_together():
    first = weak_slices(DATA, metric="accuracy", **OF_LABELS).rows[0]
    # 7 slices of one column, 12 of two, which share alpha.
    level = 1 - 0.05 / (2 * 12)
    alone = sx.compare_samples(
        "accuracy", Y[WEAK], PRED[WEAK], Y[~WEAK], PRED[~WEAK], confidence_level=level
    )
    assert (first.low, first.high) == pytest.approx((alone.low, alone.high), abs=1e-12)


def test_every_table_reads_the_same():
    frame = pd.DataFrame(DATA)
    tables = [
        DATA,
        {name: list(column) for name, column in DATA.items()},
        frame,
        frame.astype({"site": "category"}),
        pl.DataFrame(DATA),
        pa.table(DATA),
    ]
    found = [weak_slices(table, metric="f1", **OF_LABELS) for table in tables]
    assert {str(one) for one in found} == {str(found[0])}
    assert len(found[0].rows) == 1


def test_columns_that_are_used_for_nothing_else_make_slices():
    name = np.array([f"patient {i}" for i in range(N)])
    data = {**DATA, "name": name, "same": np.ones(N), "few": np.repeat(np.arange(300), 4)}
    data["few"] = data["few"].astype(str)
    found = weak_slices(data, true="y", pred="pred", metric="accuracy")
    assert found.rows[0].slice == SLICE
    reasons = {next(iter(row.slice)): row.reason for row in found.left_out}
    assert "identifies rows" in reasons["name"]
    assert "does not divide" in reasons["same"]
    assert "min_rows=50" in reasons["few"]


@pytest.mark.parametrize(("n_values", "n_slices"), [(10, 10), (11, 5)])
def test_numbers_of_few_values_stay_as_they_are(n_values, n_slices):
    data = {"y": Y, "pred": PRED, "visits": np.arange(N) % n_values}
    for column in (data["visits"], data["visits"] / 4, data["visits"].astype(np.uint8)):
        found = weak_slices({**data, "visits": column}, true="y", pred="pred", metric="accuracy")
        assert found.n_tested == n_slices
    words = np.char.add("v", (np.arange(N) % n_values).astype(str))
    found = weak_slices({**data, "visits": words}, true="y", pred="pred", metric="accuracy")
    assert found.n_tested == n_values
    bins = {"visits": 3}
    found = weak_slices(data, true="y", pred="pred", metric="accuracy", bins=bins)
    assert found.n_tested == 3


@pytest.mark.parametrize(
    ("n_rows", "n_values", "reason"),
    [
        (60, 50, "none of which has min_rows=20"),  # few rows may be told apart
        (60, 51, "identifies rows"),
        (300, 150, "none of which has min_rows=20"),
        (300, 151, "identifies rows"),
        (300, 16, "none of which has min_rows=20"),
        (300, 15, ""),
        (300, 1, "does not divide"),
        (300, 2, ""),
    ],
)
def test_columns_make_slices_if_some_rows_share_a_value(n_rows, n_values, reason):
    name = np.char.add("ward ", (np.arange(n_rows) % n_values).astype(str))
    data = {"y": Y[:n_rows], "pred": PRED[:n_rows], "half": Y[:n_rows].astype(str), "name": name}
    found = weak_slices(data, true="y", pred="pred", metric="accuracy", min_rows=20, max_columns=1)
    reasons = {next(iter(row.slice)): row.reason for row in found.left_out}
    assert list(reasons) == (["name"] if reason else [])
    assert reason in reasons.get("name", "")
    assert found.n_tested == 2 + (0 if reason else n_values)
    if reason:
        counted = f"column 'name' has {n_values} values in {n_rows} rows"
        assert reasons["name"].startswith(counted)


def test_a_column_without_any_value_does_not_divide():
    data = {"y": Y, "pred": PRED, "site": SITE, "empty": np.full(N, np.nan)}
    found = weak_slices(data, true="y", pred="pred", metric="accuracy")
    (left,) = found.left_out
    assert left.reason == f"column 'empty' has 1 values in {N} rows, so it does not divide them"
    assert left.n_rows == N


def test_numbers_are_read_in_bins_and_missing_values_are_one():
    rng = np.random.default_rng(1)
    age = np.append(rng.uniform(20, 80, N - 300), [np.nan] * 300)
    y = np.ones(N, dtype=int)
    pred = (rng.random(N) < np.where(np.isnan(age), 0.6, 0.95)).astype(int)
    for column in (
        age,
        pd.Series(age),
        pl.Series(age),
        pa.array(age),
        pl.Series(age).fill_nan(None),
    ):
        data = {"y": y, "pred": pred, "age": column}
        found = weak_slices(data, true="y", pred="pred", metric="accuracy", bins=3)
        assert found.n_tested == 4
        assert found.rows[0].slice == {"age": None}
        assert "age = missing" in str(found)
    pred = (rng.random(N) < np.where(age < 35, 0.6, 0.95)).astype(int)
    data = {"y": y, "pred": pred, "age": age}
    found = weak_slices(data, true="y", pred="pred", metric="accuracy", bins={"age": [35, 60]})
    assert found.rows[0].slice == {"age": "< 35"}
    assert "age < 35" in str(found)


def test_rows_without_weight_are_not_there():
    weight = np.where(np.arange(N) % 3, 1.5, 0.0)
    kept = weight > 0
    some = {name: column[kept] for name, column in DATA.items()}
    weighed = weak_slices({**DATA, "w": weight}, metric="f1_macro", weight="w", **OF_LABELS)
    plain = weak_slices(some, metric="f1_macro", **OF_LABELS)
    first, second = weighed.rows[0], plain.rows[0]
    for key in ("slice", "n_rows"):
        assert first[key] == second[key]
    for key in ("value", "value_a", "value_b"):
        assert first[key] == pytest.approx(second[key], abs=1e-12)


def test_a_slice_without_a_class_is_left_out_with_the_reason():
    y = np.where(SITE == "east", 1, Y)
    found = weak_slices({**DATA, "y": y}, metric="roc_auc", max_columns=1, **OF_SCORES)
    (left,) = found.left_out
    assert left.slice == {"site": "east"}
    assert "undefined" in left.reason
    assert found.n_tested == 6
    assert "1 row not tested" in str(found)


def test_what_is_given_back_reads_as_a_table():
    found = weak_slices(DATA, metric="accuracy", **OF_LABELS)
    assert "site = west, ward = 2" in str(found)
    assert "<table" in found._repr_html_()
    frame = found.frame()
    assert frame["slice"].tolist() == ["site = west, ward = 2"]
    assert frame["value"].tolist() == [found.rows[0].value]
    assert found.frame(backend="polars").height == 1
    ax = found.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        f"site = west, ward = 2 (n = {WEAK.sum()})"
    ]
    nothing = weak_slices(DATA, metric="accuracy", **{**OF_LABELS, "pred": "y"})
    assert not nothing.rows
    assert "no slice is shown" in str(nothing)
    assert nothing.plot().texts


def test_classes_by_name_and_many_of_them():
    rng = np.random.default_rng(2)
    words = np.array(["no", "yes"])[Y]
    data = {**DATA, "y": words, "pred": np.array(["no", "yes"])[PRED]}
    assert weak_slices(data, metric="f1", pos_label="yes", **OF_LABELS).rows[0].slice == SLICE
    three = rng.integers(0, 3, N)
    shown = np.where(rng.random(N) < np.where(WEAK, 0.2, 0.9), three, rng.integers(0, 3, N))
    proba = np.full((N, 3), 0.1)
    proba[np.arange(N), shown] = 0.8
    data = {**DATA, "y": three, "a": proba[:, 0], "b": proba[:, 1], "c": proba[:, 2]}
    about = {"true": "y", "columns": ["site", "ward"], "metric": "log_loss"}
    found = weak_slices(data, score=["a", "b", "c"], **about)
    assert found.rows[0].slice == SLICE
    named = weak_slices(data, score={2: "c", 0: "a", 1: "b"}, labels=[0, 1, 2], **about)
    assert named.rows == found.rows


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"data": 3}, "data must be"),
        ({"data": pl.DataFrame(DATA).lazy()}, "LazyFrame"),
        ({"data": {**DATA, "y": Y[1:]}}, "as many rows each"),
        ({"true": "z"}, "true: data has no column 'z'"),
        ({"pred": "prd"}, "Did you mean 'pred'"),
        ({"true": 3}, "true must be the name"),
        ({"columns": ["site", "town"]}, "columns: data has no column 'town'"),
        ({"columns": []}, "a column at least"),
        ({"columns": ["site", "site"]}, "twice"),
        ({"columns": 3}, "list of names"),
        ({"columns": ["site"], "min_rows": 10_000}, "No column defines slices"),
        ({"alpha": 0}, "alpha has to be"),
        ({"alpha": "small"}, "alpha"),
        ({"max_columns": 0}, "max_columns"),
        ({"min_rows": 1}, "min_rows"),
        ({"bins": 1}, "bins"),
        ({"bins": {"age": 3}}, "bins names 'age'"),
        ({"bins": {"site": 3}}, "numbers"),
        ({"metric": "roc_auc"}, "needs scores: pass score="),
        ({"metric": "f1", "pred": None}, "needs predicted labels: pass pred="),
        ({"metric": "f1", "average": None}, "one number"),
        ({"metric": "prevalence"}, "has no direction"),
        ({"metric": theirs.f1_score}, "a metric of this package"),
        ({"metric": "ks_statistic", "score": "score"}, "no influence values"),
        (
            {"data": {**DATA, "ward": np.char.add("id", np.arange(N).astype(str))}},
            "identifies rows",
        ),
        ({"data": {**DATA, "ward": np.array(["2020-01-01"] * N, "M8[D]")}}, "datetime64"),
    ],
)
def test_wrong_arguments_are_told(given, told):
    asked = {"data": DATA, "metric": "accuracy", **OF_LABELS, **given}
    with pytest.raises(ValueError, match=told):
        weak_slices(asked.pop("data"), **asked)

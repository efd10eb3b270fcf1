"""Predictions that are no answer: values by hand, the same at every door, with their coverage."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import skmetrics_ext as sx

Y = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0]
# Of seven answers five are right; of five positives three are answered, two of them rightly.
P = [1, 0, None, 1, 0, 1, None, 0, 0, None]
ANSWERED = [v is not None for v in P]
SITE = list("aaaaabbbbb")
WITH_LABEL = [2 if v is None else v for v in P]
CONTAINERS = {
    "list": P,
    "object": np.array(P, dtype=object),
    "floats": np.array(P, dtype=float),
    "pandas": pd.Series(P),
    "pandas object": pd.Series(P, dtype=object),
    "nullable": pd.Series(P, dtype="Int64"),
    "category": pd.Series(P).astype("category"),
    "polars": pl.Series(P),
    "pyarrow": pa.array(P),
    "masked": np.ma.masked_invalid(np.array(P, dtype=float)),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_answers_in_any_container(kind) -> None:
    found = sx.confidence_interval("accuracy", Y, CONTAINERS[kind], abstain="missing")
    wanted = sx.proportion_interval(5, 7)
    assert (found.value, found.low, found.high) == (5 / 7, wanted.low, wanted.high)
    share = sx.proportion_interval(7, 10)
    assert (found.coverage.value, found.coverage.low) == (0.7, share.low)
    assert found.coverage.metric == "coverage"
    assert found.note.startswith("3 of 10 rows have no answer")


def test_refused_positives_are_counted() -> None:
    found = sx.confidence_interval("recall", Y, P, abstain="missing")
    assert found.value == pytest.approx(2 / 3)
    assert "3 of 10 rows have no answer (2 of 5 of class 1)" in found.note


def test_a_label_of_refusal_is_no_answer() -> None:
    found = sx.confidence_interval("accuracy", Y, WITH_LABEL, abstain=2)
    assert (found.value, found.coverage.value) == (5 / 7, 0.7)
    text = [str(v) for v in Y], ["refused" if v is None else str(v) for v in P]
    assert sx.confidence_interval("accuracy", *text, abstain="refused").value == 5 / 7


def test_refusals_may_count_as_errors() -> None:
    options = {"abstain": "missing", "abstained": "wrong"}
    found = sx.confidence_interval("accuracy", Y, P, **options)
    assert (found.value, found.coverage.value) == (0.5, 0.7)
    assert found.note == "3 of 10 rows have no answer; they count as errors"
    # Recall 2/5; the refused negative is a false positive: precision 2/4, specificity 3/5.
    names = ["recall", "precision", "specificity"]
    values = sx.compute_metrics(names, Y, P, **options)
    assert values == pytest.approx(
        {"recall": 0.4, "precision": 0.5, "specificity": 0.6, "coverage": 0.7}
    )
    three = sx.confidence_interval("accuracy", list("abcab"), ["a", None, "c", "b", "b"], **options)
    assert three.value == 3 / 5


def test_values_of_compute_metrics() -> None:
    found = sx.compute_metrics(["accuracy", "recall"], Y, P, abstain="missing")
    assert found == pytest.approx({"accuracy": 5 / 7, "recall": 2 / 3, "coverage": 0.7})


FRAMES = {
    "pandas": pd.DataFrame({"y": Y, "p": P, "site": SITE}),
    "polars": pl.DataFrame({"y": Y, "p": P, "site": SITE}),
    "pyarrow": pa.table({"y": Y, "p": P, "site": SITE}),
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("intervals", [False, True])
def test_tables_have_the_coverage_next_to_every_metric(kind, intervals) -> None:
    options = {"metrics": ["accuracy", "recall"], "intervals": intervals, "abstain": "missing"}
    found = sx.evaluate(FRAMES[kind], true="y", pred="p", by="site", **options)
    rows = [(row.group, row.metric, row.value, row.coverage) for row in found.rows]
    assert [row[2:] for row in rows] == [(1, 0.8), (1, 0.8), (1 / 3, 0.6), (0, 0.6)]
    assert "coverage" in str(found)
    assert found.frame()["coverage"].tolist() == [0.8, 0.8, 0.6, 0.6]
    by_arrays = sx.compute_metrics(
        ["accuracy", "recall"], Y, P, by={"site": SITE}, intervals=intervals, abstain="missing"
    )
    assert [(r.metric, r.value, r.coverage) for r in by_arrays.rows] == [row[1:] for row in rows]
    whole = sx.evaluate(FRAMES[kind], true="y", pred="p", **options)
    assert [row.coverage for row in whole.rows] == [0.7, 0.7]


def test_rows_keep_their_weights_and_groups() -> None:
    weight, group = np.arange(1.0, 11), np.repeat(np.arange(5), 2)
    kept = np.array(ANSWERED)
    answers = np.array([v for v in P if v is not None])
    options = {"sample_weight": weight, "groups": group}
    found = sx.confidence_interval("accuracy", Y, P, abstain="missing", **options)
    cut = {key: value[kept] for key, value in options.items()}
    wanted = sx.confidence_interval("accuracy", np.array(Y)[kept], answers, **cut)
    assert (found.low, found.high, found.n_groups) == (wanted.low, wanted.high, wanted.n_groups)
    assert found.coverage.value == pytest.approx(weight[kept].sum() / weight.sum())


def models(n=600, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    a, b = (np.where(rng.random(n) < right, y, 1 - y).astype(float) for right in (0.85, 0.8))
    a[rng.random(n) < 0.2] = np.nan
    b[rng.random(n) < 0.1] = np.nan
    return y, a, b


def test_models_that_refuse_different_rows_are_paired_by_row() -> None:
    y, a, b = models()
    found = sx.compare("accuracy", y, a, b, abstain="missing")
    sides = []
    for pred in (a, b):
        kept = ~np.isnan(pred)
        right = (pred == y)[kept]
        parts = np.zeros(len(y))
        parts[kept] = (right - right.mean()) / kept.sum()
        sides.append((right.mean(), parts))
    assert found.value == pytest.approx(sides[0][0] - sides[1][0], rel=1e-12)
    paired = np.sqrt(((sides[0][1] - sides[1][1]) ** 2).sum())
    assert found.standard_error == pytest.approx(paired, rel=0.03)
    shares = [each.value for each in found.coverage]
    assert shares == pytest.approx([np.mean(~np.isnan(a)), np.mean(~np.isnan(b))])
    assert "the models answer different shares of the rows" in found.note
    claim = {"margin": 0.1, "alternative": "non-inferior"}
    assert sx.compare("f1", y, a, b, abstain="missing", **claim).concluded
    with pytest.raises(ValueError, match="abstain in different rows"):
        sx.compare("accuracy", y, a, b, abstain="missing", groups=np.arange(600) // 2)


def test_models_that_refuse_the_same_rows_are_compared_in_the_others() -> None:
    y, a, b = models()
    b[np.isnan(a)] = np.nan
    a[np.isnan(b)] = np.nan
    kept = ~np.isnan(a)
    found = sx.compare("accuracy", y, a, b, abstain="missing", groups=np.arange(600) // 2)
    wanted = sx.compare("accuracy", y[kept], a[kept], b[kept], groups=(np.arange(600) // 2)[kept])
    assert (found.low, found.high, found.p_value) == (wanted.low, wanted.high, wanted.p_value)
    assert "different shares" not in found.note
    as_errors = sx.compare("accuracy", y, a, b, abstain="missing", abstained="wrong")
    assert as_errors.value == pytest.approx(np.mean(a == y) - np.mean(b == y))


CALLS = {
    "confidence_interval": lambda **o: sx.confidence_interval("accuracy", Y, P, **o),
    "compare": lambda **o: sx.compare("accuracy", Y, P, Y, **o),
    "compute_metrics": lambda **o: sx.compute_metrics(["accuracy"], Y, P, **o),
    "evaluate": lambda **o: sx.evaluate(
        FRAMES["pandas"], true="y", pred="p", metrics=["accuracy"], **o
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_unstated_a_missing_prediction_is_an_error_that_names_abstain(name) -> None:
    with pytest.raises(ValueError, match="no answer: pass abstain='missing'"):
        CALLS[name]()
    with pytest.raises(ValueError, match="abstained"):
        CALLS[name](abstain="missing", abstained="ignore")


@pytest.mark.parametrize(
    ("pred", "message"),
    [
        ([None] * 10, "y_pred holds no answer"),
        (["missing", None] * 5, "has a class of this name: rename the class"),
    ],
)
def test_refused(pred, message) -> None:
    with pytest.raises(ValueError, match=message):
        sx.confidence_interval("accuracy", Y, pred, abstain="missing")


def test_abstention_needs_predictions_and_frames() -> None:
    with pytest.raises(ValueError, match="abstain= needs predictions"):
        sx.compute_metrics(["roc_auc"], Y, y_score=np.arange(10.0), abstain="missing")
    with pytest.raises(ValueError, match="reads a frame of pandas or polars"):
        sx.evaluate("file.csv", true="y", pred="p", metrics=["accuracy"], abstain="missing")

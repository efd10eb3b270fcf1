"""Labels to ignore: rows of these true labels are left out, and the result says how many."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import skmetrics_ext as sx

TRUE = np.array([1, 0, -100, 1, 0, -100, 1, 1] * 10)
PRED = np.array([1, 0, 1, 0, 1, 0, 1, 1] * 10)
SCORE = np.array([0.9, 0.2, 0.7, 0.4, 0.6, 0.1, 0.8, 0.7] * 10)
GROUP = np.arange(80) // 20
KEPT = TRUE != -100
NOTE = "20 of 80 rows left out: their label is in [-100]"


@pytest.mark.parametrize("ignore", [-100, [-100], np.array([-100]), [-100, 7]])
def test_an_interval_is_that_of_the_other_rows(ignore):
    found = sx.confidence_interval("f1", TRUE, PRED, groups=GROUP, ignore=ignore)
    alone = sx.confidence_interval("f1", TRUE[KEPT], PRED[KEPT], groups=GROUP[KEPT])
    assert (found.value, found.low, found.high, found.n) == (alone.value, alone.low, alone.high, 60)
    assert "20 of 80 rows left out" in found.note
    assert "left out" not in alone.note


def test_a_comparison_and_other_rows():
    found = sx.compare("roc_auc", TRUE, SCORE, SCORE**2 - SCORE, ignore=-100)
    alone = sx.compare("roc_auc", TRUE[KEPT], SCORE[KEPT], (SCORE**2 - SCORE)[KEPT])
    assert (found.value, found.p_value) == (alone.value, alone.p_value)
    costs = np.random.default_rng(0).random((80, 2, 2))
    for matrix, own in ((costs, costs[KEPT]), (costs[0], costs[0])):
        cost = sx.confidence_interval("expected_cost", TRUE, PRED, cost_matrix=matrix, ignore=-100)
        rows = sx.confidence_interval("expected_cost", TRUE[KEPT], PRED[KEPT], cost_matrix=own)
        assert (cost.value, cost.high) == (rows.value, rows.high)


def test_parameters_of_the_metric_are_kept():
    found = sx.confidence_interval("fbeta_score", TRUE, PRED, beta=3.0, ignore=-100)
    assert found.value == sx.fbeta_score(TRUE[KEPT], PRED[KEPT], beta=3.0)
    pred = np.where(PRED == 1, PRED, None)  # the bug: parameters were lost with abstain=
    answered = sx.confidence_interval(
        "fbeta_score", TRUE, pred, beta=3.0, abstain="missing", ignore=-100
    )
    rows = KEPT & (PRED == 1)
    assert answered.value == sx.fbeta_score(TRUE[rows], PRED[rows], beta=3.0)
    assert "of 60 rows have no answer" in answered.note


@pytest.mark.parametrize("by", [None, {"site": GROUP}])
def test_tables(by):
    options = {"y_score": SCORE, "by": by, "intervals": True}
    found = sx.compute_metrics(["f1", "roc_auc"], TRUE, PRED, ignore=-100, **options)
    options |= {"y_score": SCORE[KEPT], "by": by and {"site": GROUP[KEPT]}}
    alone = sx.compute_metrics(["f1", "roc_auc"], TRUE[KEPT], PRED[KEPT], **options)
    assert [(row.value, row.low, row.n_rows) for row in found] == [
        (row.value, row.low, row.n_rows) for row in alone
    ]
    assert NOTE in found.notes
    assert NOTE in str(found)
    values = sx.compute_metrics(["f1"], TRUE, {"a": PRED, "b": 1 - PRED}, ignore=-100)
    assert [row.value for row in values] == [
        sx.f1_score(TRUE[KEPT], each[KEPT]) for each in (PRED, 1 - PRED)
    ]
    assert sx.compute_metrics(["f1"], TRUE, PRED, ignore=-100) == {"f1": alone and 0.75}


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame(made):
    frame = made({"y": TRUE, "p": PRED, "s": SCORE, "g": GROUP})
    asked = {"true": "y", "pred": "p", "score": "s", "by": "g", "intervals": True}
    found = sx.evaluate(frame, ignore=[-100], metrics=["f1", "roc_auc"], **asked)
    kept = made({"y": TRUE[KEPT], "p": PRED[KEPT], "s": SCORE[KEPT], "g": GROUP[KEPT]})
    alone = sx.evaluate(kept, metrics=["f1", "roc_auc"], **asked)
    assert [(row.value, row.high, row.n_rows) for row in found] == [
        (row.value, row.high, row.n_rows) for row in alone
    ]
    assert NOTE in found.notes


def test_words():
    true = np.array(["O", "person", "O", "place", "person"] * 9)
    pred = np.array(["person", "person", "O", "place", "place"] * 9)
    found = sx.confidence_interval("accuracy", true, pred, ignore="O")
    assert (found.value, found.n) == (pytest.approx(2 / 3), 27)


def test_refused():
    with pytest.raises(ValueError, match=r"Every true label is in ignore=\[0, 1, -100\]"):
        sx.confidence_interval("accuracy", TRUE, PRED, ignore=[0, 1, -100])
    with pytest.raises(ValueError, match=r"ignore= names true labels of rows.*flatten it"):
        sx.confidence_interval("accuracy", TRUE.reshape(-1, 4), PRED.reshape(-1, 4), ignore=-100)
    with pytest.raises(ValueError, match="ignore= reads a frame"):
        sx.evaluate({"y": TRUE, "p": PRED}, true="y", pred="p", metrics=["f1"], ignore=-100)


def test_without_such_rows_there_is_no_note():
    assert not sx.confidence_interval("accuracy", PRED, PRED * 0, ignore=-100).note

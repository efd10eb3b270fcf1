"""Shrunk groups: an independent program, the guard for groups unlike the model, refusals."""

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import skmetrics_ext as sx

SCRIPT = Path(__file__).parents[1] / "reference" / "shrinkage.py"
SPEC = importlib.util.spec_from_file_location("shrinkage_reference", SCRIPT)
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)
# The output of the script, rounded.
TAU = 0.12420073966081772
FIRST = {"fitted": 0.5916492907386663, "value": 0.6752857723819156, "error": 0.11840123084065034}


def frame_of(hits, rows):
    """Rows of positives in crossed groups, and as many negatives."""
    cells = [(f"a{i}", f"b{j}") for i in range(len(hits)) for j in range(len(hits[0]))]
    found, total = np.ravel(hits), np.ravel(rows)
    one = [
        (a, b, 1, int(k < h))
        for (a, b), h, n in zip(cells, found, total, strict=True)
        for k in range(n)
    ]
    other = [(a, b, 0, 0) for a, b, *_ in one]
    return pd.DataFrame(one + other, columns=["a", "b", "y", "p"])


FRAME = frame_of(reference.HITS, reference.ROWS)


def evaluated(frame, by=("a", "b"), metrics=("recall",)):
    about = {"true": "y", "pred": "p", "intervals": True}
    return sx.evaluate(frame, by=list(by), metrics=list(metrics), **about)


def test_recall_of_crossed_groups():
    table = evaluated(FRAME).shrunk("recall")
    expected = reference.analyse()
    assert table.tau == pytest.approx(expected["tau"], rel=1e-6) == pytest.approx(TAU, rel=1e-6)
    for name in ("fitted", "value"):
        assert [row[name] for row in table] == pytest.approx(expected[name], rel=1e-7)
        assert table[0][name] == pytest.approx(FIRST[name], rel=1e-7)
    z = stats.norm.ppf(0.975)
    for k, row in enumerate(table):
        assert row["unlike"] == (k in expected["unlike"])
        low = row["value"] - z * expected["error"][k]
        high = min(row["value"] + z * expected["error"][k], 1)
        if row["unlike"]:
            low, high = min(low, row["raw_low"]), max(high, row["raw_high"])
        assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-6)
    assert expected["error"][0] == pytest.approx(FIRST["error"], rel=1e-6)


def test_raw_values_stay():
    found = evaluated(FRAME)
    table = found.shrunk("recall")
    for row in table:
        group = row["group"]
        raw = next(r for r in found if r["group"] == group and r["metric"] == "recall")
        assert (row["raw"], row["raw_low"], row["raw_high"]) == (raw.value, raw.low, raw.high)


def test_one_column_is_pulled_toward_the_common_mean():
    """Efron and Morris' estimator of equal variances, by hand."""
    hits = [[18], [17], [15], [14], [14], [13], [12], [11], [10], [8]]
    frame = frame_of(hits, [[45]] * len(hits))
    table = evaluated(frame, by=["a"]).shrunk("recall")
    y, G = np.ravel(hits) / 45, len(hits)
    s2 = y.mean() * (1 - y.mean()) / 45
    tau2 = max(y.var(ddof=1) - s2, 0)
    B = (G - 3) / (G - 1) * s2 / (s2 + tau2)
    assert table.tau == pytest.approx(tau2**0.5)
    assert [row["value"] for row in table] == pytest.approx(y.mean() + (1 - B) * (y - y.mean()))


def test_a_group_unlike_the_model_keeps_its_raw_interval():
    rows = np.full((4, 5), 40)
    hits = np.full((4, 5), 32)
    hits[1, 2] = 8
    table = evaluated(frame_of(hits, rows)).shrunk("recall")
    (bad,) = [row for row in table if row["unlike"]]
    assert bad["group"] == ("a1", "b2")
    assert bad["low"] <= bad["raw_low"] <= bad["raw_high"] <= bad["high"]
    assert "unlike the model, with the raw interval joined in: a=a1, b=b2" in str(table)


def test_other_metrics_pool_the_variance_of_a_row():
    found = evaluated(FRAME, metrics=("f1", "matthews_corrcoef"))
    for metric in ("f1", "matthews_corrcoef"):
        table = found.shrunk(metric)
        raw = np.array([row["raw"] for row in table])
        value = np.array([row["value"] for row in table])
        fitted = np.array([row["fitted"] for row in table])
        assert (np.abs(value - fitted) <= np.abs(raw - fitted) + 1e-12).all()
        assert all(row["low"] < row["value"] < row["high"] for row in table)


def test_groups_without_a_value_are_listed():
    """The area of a group of one class is undefined; a metric without a derivative has none."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": np.repeat([*"uvwxyz"], 40), "y": np.arange(240) % 2})
    frame["s"] = frame.y + rng.normal(size=240)
    frame.loc[frame.a == "z", "y"] = 0
    asked = {"true": "y", "score": "s", "by": ["a"], "intervals": True}
    found = sx.evaluate(frame, metrics=["roc_auc", "ks_statistic"], **asked)
    table = found.shrunk("roc_auc")
    assert len(table) == 5
    assert "for want of rows or of a value: z" in str(table)
    with pytest.raises(ValueError, match="0 groups have"):
        found.shrunk("ks_statistic")


def test_groups_without_enough_rows_are_listed():
    rows = np.array(reference.ROWS)
    hits = np.array(reference.HITS)
    rows[0, 0], hits[0, 0] = 2, 1
    table = evaluated(frame_of(hits, rows)).shrunk("recall")
    assert len(table) == rows.size - 1
    assert "left out, for want of rows or of a value: a=a0, b=b0" in str(table)


def test_it_prints_and_converts():
    table = evaluated(FRAME).shrunk("recall")
    assert "cover on average over the groups" in str(table)
    assert list(table.frame().columns)[:2] == ["a", "b"]
    assert "fitted" in table.to_markdown()


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (["a", "b"], "2 groups have 3 or more rows for it, -1 more than|4 more are needed"),
        (["a"], "4 more are needed"),
    ],
)
def test_too_few_groups_are_refused(by, message):
    few = FRAME[FRAME["a"].isin(["a0", "a1"]) & FRAME["b"].isin(["b0", "b1"])]
    with pytest.raises(ValueError, match=message):
        evaluated(few, by=by).shrunk("recall")


def test_groups_are_needed():
    with pytest.raises(ValueError, match="no groups"):
        sx.compute_metrics(["recall"], FRAME["y"], FRAME["p"], intervals=True).shrunk("recall")


def test_equal_values_have_no_spread():
    table = evaluated(frame_of(np.full((3, 3), 10), np.full((3, 3), 20))).shrunk("recall")
    assert table.tau == 0
    assert [row["value"] for row in table] == pytest.approx([0.5] * 9)

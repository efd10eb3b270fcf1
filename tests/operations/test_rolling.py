"""Rolling metrics: each window by hand, the level of the band, refusals."""

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx

RNG = np.random.default_rng(8)
FRAME = pd.DataFrame(
    {
        "date": pd.date_range("2026-01-01", periods=180, freq="D"),
        "y": np.arange(180) % 2,
        "p": RNG.integers(0, 2, 180),
    }
)
MONTH = FRAME["date"].dt.strftime("%Y-%m")


def by_month(**about):
    about = {"metrics": ["recall", "matthews_corrcoef"], "intervals": True} | about
    return sx.evaluate(FRAME, true="y", pred="p", by="date", freq="M", **about)


@pytest.mark.parametrize("metric", ["recall", "matthews_corrcoef"])
def test_a_window_is_read_from_its_rows(metric):
    table = by_month().rolling(metric, 3)
    months = sorted(set(MONTH))
    assert [row["group"] for row in table] == months[2:]
    assert [row["first"] for row in table] == months[:-2]
    level = 1 - 0.05 / len(table)
    for k, row in enumerate(table):
        rows = FRAME[MONTH.isin(months[k : k + 3])]
        alone = sx.confidence_interval(metric, rows["y"], rows["p"], confidence_level=level)
        assert (row["value"], row["low"], row["high"]) == pytest.approx(tuple(alone))
        assert row["n_rows"] == len(rows)


def test_windows_of_one_group_are_the_groups():
    found = by_month()
    table = found.rolling("recall", 1)
    assert [row["value"] for row in table] == [r.value for r in found if r.metric == "recall"]


def test_a_window_without_positives_says_so():
    y = FRAME["y"].where(MONTH != "2026-02", 0)
    table = sx.compute_metrics(
        ["recall"], y, FRAME["p"], by=FRAME["date"], freq="M", intervals=True
    ).rolling("recall", 1)
    row = next(row for row in table if row["group"] == "2026-02")
    assert np.isnan(row["value"])
    assert row["note"]


def test_refusals():
    with pytest.raises(ValueError, match="one column of groups and 9 groups"):
        by_month().rolling("recall", 9)
    with pytest.raises(ValueError, match="n_groups"):
        by_month().rolling("recall", 0)
    two = sx.compute_metrics(
        ["recall"], FRAME["y"], FRAME["p"], by={"m": MONTH, "q": MONTH}, intervals=True
    )
    with pytest.raises(ValueError, match="one column of groups"):
        two.rolling("recall", 2)


def test_tables_of_several_models_are_refused():
    preds = {"a": FRAME["p"], "b": 1 - FRAME["p"]}
    found = sx.compute_metrics(["recall"], FRAME["y"], preds, by={"month": MONTH}, intervals=True)
    for ask in (found.equalized_odds, lambda: found.shrunk("recall")):
        with pytest.raises(ValueError, match="for one model, and the table has"):
            ask()

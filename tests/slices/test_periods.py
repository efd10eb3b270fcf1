"""Groups by time: names of periods, the same numbers as with a column of periods, refusals."""

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx

RNG = np.random.default_rng(0)
DATES = pd.date_range("2026-01-10", periods=120, freq="D")
FRAME = pd.DataFrame({"date": DATES, "y": RNG.integers(0, 2, 120), "p": RNG.integers(0, 2, 120)})
ABOUT = {"true": "y", "pred": "p", "metrics": ["accuracy"], "intervals": True}


@pytest.mark.parametrize(
    ("freq", "names"),
    [
        ("M", ["2026-01", "2026-02", "2026-03", "2026-04", "2026-05"]),
        ("Q", ["2026Q1", "2026Q2"]),
        ("Y", ["2026"]),
    ],
)
def test_names_of_periods(freq, names):
    table = sx.evaluate(FRAME, by="date", freq=freq, **ABOUT)
    assert [row.group for row in table] == names


def test_numbers_are_those_of_a_column_of_periods():
    table = sx.evaluate(FRAME, by="date", freq="M", **ABOUT)
    for row in table:
        own = FRAME[FRAME["date"].dt.strftime("%Y-%m") == row.group]
        assert row.value == pytest.approx((own["y"] == own["p"]).mean())
        assert row.n_rows == len(own)
    arrays = sx.compute_metrics(
        ["accuracy"], FRAME["y"], FRAME["p"], by=FRAME["date"], freq="M", intervals=True
    )
    assert [row.value for row in arrays] == [row.value for row in table]
    assert table.gaps("accuracy")[0]["value_a"] == table.rows[0].value


def test_other_columns_stay_and_missing_dates_are_a_group():
    frame = FRAME.assign(site=np.arange(120) % 2)
    frame.loc[3, "date"] = pd.NaT
    table = sx.evaluate(frame, by=["site", "date"], freq="Q", **ABOUT)
    assert {row.group for row in table} == {
        (0, "2026Q1"),
        (0, "2026Q2"),
        (1, "2026Q1"),
        (1, "2026Q2"),
        (1, "missing"),
    }


@pytest.mark.parametrize(
    "dates",
    [DATES.to_numpy(), DATES.tz_localize("Asia/Tokyo"), pd.Series(DATES), list(DATES)],
    ids=["numpy", "with a time zone", "series", "list"],
)
def test_dates_in_any_container(dates):
    table = sx.compute_metrics(["accuracy"], FRAME["y"].to_numpy(), FRAME["p"].to_numpy(),
                               by={"date": dates}, freq="M")  # fmt: skip
    assert [row.group for row in table][:2] == ["2026-01", "2026-02"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"freq": "ME!"}, "period alias of pandas"),
        ({"freq": 3}, "period alias of pandas"),
        ({"by": "y"}, "needs a column of dates"),
        ({"by": None}, "freq= reads dates of a pandas data frame"),
    ],
)
def test_refusals(changes, message):
    with pytest.raises(ValueError, match=message):
        sx.evaluate(FRAME, **({"by": "date", "freq": "M"} | ABOUT | changes))


def test_arrays_need_by():
    with pytest.raises(ValueError, match="freq applies to groups"):
        sx.compute_metrics(["accuracy"], FRAME["y"], FRAME["p"], freq="M")

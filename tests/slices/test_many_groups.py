"""Tables of thousands of groups, which are read at once: numbers by formulas, group by group."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from skmetrics_ext import evaluate

Z = stats.norm.isf(0.025)


def frame_of(n_rows, n_groups, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n_rows)
    pred = np.where(rng.random(n_rows) < 0.7, true, rng.integers(0, n_classes, n_rows))
    return pd.DataFrame({"y": true, "p": pred, "g": rng.integers(0, n_groups, n_rows)})


def wilson(count, n_rows, z=Z):
    centre = (count + z * z / 2) / (n_rows + z * z)
    half = z * np.sqrt(count * (n_rows - count) / n_rows + z * z / 4) / (n_rows + z * z)
    return centre - half, centre + half


def columns(table, metric, *names):
    rows = [row for row in table if row["metric"] == metric]
    return [np.array([row[name] for row in rows]) for name in names]


# Of few rows in each, most have a note and are read one by one, for seconds.
@pytest.mark.parametrize("n_rows", [480_000, pytest.param(72_000, marks=pytest.mark.exhaustive)])
def test_more_than_ten_thousand_groups_have_values_and_intervals(n_rows):
    frame = frame_of(n_rows, 12_000)
    found = evaluate(frame, true="y", pred="p", by="g", metrics=["accuracy"], intervals=True)
    right = (frame.y == frame.p).groupby(frame.g).agg(["sum", "size"])
    group, value, low, high = columns(found, "accuracy", "group", "value", "low", "high")
    assert group.tolist() == right.index.tolist()
    assert len(found) > 11_900
    np.testing.assert_array_equal(value, right["sum"] / right["size"])
    bounds = wilson(right["sum"].to_numpy(), right["size"].to_numpy())
    np.testing.assert_allclose([low, high], np.clip(bounds, 0, 1), atol=1e-14)


def test_f1_of_many_groups_has_the_interval_of_its_share():
    """F1 = 2 J / (1 + J), where J is the share of tp among tp + fp + fn."""
    frame = frame_of(20_000, 200)
    found = evaluate(frame, true="y", pred="p", by="g", metrics=["f1"], intervals=True)
    group = frame.groupby("g")
    tp = group.apply(lambda rows: ((rows.y == 1) & (rows.p == 1)).sum()).to_numpy()
    read = group.apply(lambda rows: ((rows.y == 1) | (rows.p == 1)).sum()).to_numpy()
    value, low, high = columns(found, "f1", "value", "low", "high")
    np.testing.assert_allclose(value, 2 * tp / (tp + read), rtol=1e-14)
    bounds = np.array(wilson(tp, read))
    np.testing.assert_allclose([low, high], 2 * bounds / (1 + bounds), rtol=1e-13)


def test_groups_of_few_rows_keep_their_notes_among_many():
    """Only the three rows, and the group without an error, are said to be few."""
    frame = frame_of(5_000, 50)
    few = pd.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0], "g": [-1] * 3})
    frame = pd.concat([few, frame], ignore_index=True)
    found = evaluate(frame, true="y", pred="p", by="g", metrics=["accuracy"], intervals=True)
    noted = {row["group"]: row["note"] for row in found if row["note"]}
    assert list(noted) == [-1]
    assert noted[-1].startswith("only 3 rows enter this share")


def test_undefined_groups_say_so_among_many():
    """Without a positive row and without a positive prediction F1 is 0/0."""
    frame = frame_of(5_000, 50)
    none = pd.DataFrame({"y": [0] * 30, "p": [0] * 30, "g": [-1] * 30})
    only = pd.DataFrame({"y": [1] * 30, "p": [0] * 30, "g": [-2] * 30})
    frame = pd.concat([none, only, frame], ignore_index=True)
    found = evaluate(frame, true="y", pred="p", by="g", metrics=["f1"])
    reasons = {row["group"]: row["note"] for row in found if row["note"]}
    assert list(reasons) == [-1]
    assert reasons[-1].startswith("0/0 taken as 0")
    assert found.value("f1", group=-2) == 0


def test_gaps_of_many_groups_are_newcombe_intervals():
    """The group minus the rest: squared distances of Wilson's bounds add up (Newcombe 1998)."""
    frame = frame_of(30_000, 300)
    found = evaluate(frame, true="y", pred="p", by="g", metrics=["accuracy"]).gaps("accuracy")
    right = (frame.y == frame.p).groupby(frame.g).agg(["sum", "size"])
    a, n_a = right["sum"].to_numpy(), right["size"].to_numpy()
    b, n_b = a.sum() - a, n_a.sum() - n_a

    def ends(z):
        (low_a, high_a), (low_b, high_b) = wilson(a, n_a, z), wilson(b, n_b, z)
        gap = a / n_a - b / n_b
        down = np.sqrt((a / n_a - low_a) ** 2 + (high_b - b / n_b) ** 2)
        up = np.sqrt((high_a - a / n_a) ** 2 + (b / n_b - low_b) ** 2)
        return gap, gap - down, gap + up

    value, low, high, p_value = (
        np.array([row[name] for row in found]) for name in ("value", "low", "high", "p_value")
    )
    np.testing.assert_allclose([value, low, high], ends(Z), rtol=1e-10)
    # At the level 1 - p an end of the interval is 0.
    gap, low, high = ends(stats.norm.isf(p_value / 2))
    np.testing.assert_allclose(np.where(gap > 0, low, high), 0, atol=1e-6)
    assert found[0].estimate.p_value == pytest.approx(p_value[0], rel=1e-9)
    assert found[0].estimate.low == pytest.approx(found[0]["low"], rel=1e-12)


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "matthews_corrcoef", "recall_macro"])
def test_a_group_has_the_interval_of_its_rows_alone(metric):
    """A group among many, and the only group of a table of its own rows."""
    frame = frame_of(2_000, 20, n_classes=3)
    asked = {"true": "y", "pred": "p", "by": "g", "metrics": [metric], "intervals": True}
    found = evaluate(frame, **asked)
    for group in (0, 7, 19):
        (alone,) = evaluate(frame[frame.g == group].assign(w=1.0), **asked, weight="w",
                            weights_are="frequency", n_resamples=0)  # fmt: skip
        row = found.row(group=group)
        for key in ("value", "low", "high", "standard_error"):
            assert row[key] == pytest.approx(alone[key], rel=1e-9), key
        assert (row["method"], row["note"]) == (alone["method"], alone["note"])

"""Rows that depend on each other: intervals of groups and gaps between them."""

import numpy as np
import pandas as pd
import pytest
from support.frames import run, several_frame

import skmetrics_ext as sx
from skmetrics_ext import evaluate

METRICS = ["roc_auc", "f1", "log_loss", "average_precision"]


def frame_of(n_patients=60, seed=2):
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), 4)
    true = rng.integers(0, 2, len(patient))
    score = rng.normal(size=n_patients)[patient] + rng.normal(size=len(patient)) + 1.5 * true
    score = np.round(1 / (1 + np.exp(-score)), 2)
    return pd.DataFrame(
        {
            "true": true,
            "p": score,
            "d": (score > 0.6).astype(int),
            "w": rng.integers(0, 5, len(patient)) / 4,
            "site": rng.choice(["A", "B"], len(patient)),  # patients are seen at both
            "patient": np.array([f"p{i}" for i in range(n_patients)])[patient],
        }
    )


def interval(name, rows, weight):
    kind = "d" if sx.registry.find(name).spec.response == "labels" else "p"
    weights = None if weight is None else rows[weight]
    about = {"sample_weight": weights, "groups": rows.patient}
    return sx.confidence_interval(name, rows.true, rows[kind], **about)


@pytest.mark.parametrize(
    ("engine", "weight"), [("memory", None), ("memory", "w"), ("duckdb", "w"), ("dask", None)]
)
def test_intervals_are_those_of_the_rows(engine, weight):
    frame = frame_of()
    found = run(
        engine,
        frame,
        score="p",
        pred="d",
        weight=weight,
        by="site",
        margins=True,
        intervals=True,
        groups="patient",
        metrics=METRICS,
    )
    for row in found:
        rows = frame if row.group is None else frame[frame.site == row.group]
        expected = interval(row.metric, rows, weight)
        np.testing.assert_allclose(
            [row.value, row.low, row.high],
            [expected.value, expected.low, expected.high],
            rtol=1e-9,
            err_msg=str(row),
        )
        assert row.method == expected.method


@pytest.mark.parametrize("name", METRICS)
def test_groups_share_the_clusters_that_both_have(name):
    frame = frame_of()
    kind = "d" if name == "f1" else "p"
    found = evaluate(
        frame, true="true", score="p", pred="d", by="site", groups="patient", metrics=METRICS
    )
    sums = []
    for site in "AB":
        part = frame[frame.site == site]
        added = sx.influence_values(name, part.true, part[kind]) / len(part)
        sums.append(pd.Series(added, part.patient).groupby(level=0).sum())
    one, other = (own.reindex(frame.patient.unique(), fill_value=0) for own in sums)
    expected = (one @ other) / np.sqrt((one @ one) * (other @ other))
    assert abs(expected) > 0.01  # which the interval of the difference has
    gap = found.gaps(name, against={"site": "B"}).row(group="A")
    first, second = (interval(name, frame[frame.site == site], None) for site in "AB")
    down, up = first.value - first.low, second.high - second.value
    away = np.sqrt(down**2 + up**2 - 2 * expected * down * up)
    assert gap.value - gap.low == pytest.approx(away, rel=1e-9)


def test_areas_of_several_classes_have_intervals_where_rows_are_held():
    frame, labels, columns = several_frame(200)
    frame["visit"] = np.arange(200) // 2
    found = evaluate(
        frame,
        true="true",
        score=columns,
        labels=labels,
        by="group",
        groups="visit",
        intervals=True,
        metrics=["roc_auc_ovr", "log_loss"],
    )
    rows = frame[frame["group"] == 1]
    expected = sx.confidence_interval(
        "roc_auc_ovr", rows["true"], rows[columns].to_numpy(), labels=labels, groups=rows["visit"]
    )
    row = found.row("roc_auc_ovr", 1)
    np.testing.assert_allclose([row.low, row.high], [expected.low, expected.high], rtol=1e-9)


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"groups='patient'.*memory_limit"):
        evaluate(
            frame_of(), true="true", pred="d", groups="patient", metrics=["f1"], memory_limit=4000
        )

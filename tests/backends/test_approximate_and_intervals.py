"""Bounds instead of values, and intervals from sums."""

import functools

import numpy as np
import pytest
from support.frames import binary_frame, run, several_frame, small_batches

import skmetrics_ext as sx

pytestmark = pytest.mark.usefixtures(small_batches.__name__)
__all__ = ["small_batches"]

ENGINES = ("memory", "duckdb", "dask")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("weight", [None, "weight"])
def test_approximate_values_are_bounds(engine, weight):
    frame = binary_frame(2000, decimals=12)
    found = run(
        engine,
        frame,
        score="score",
        pred="pred",
        weight=weight,
        metrics=["roc_auc", "gini", "average_precision", "ks_statistic", "accuracy", "log_loss"],
        approximate=True,
        n_bins=100,
    )
    weights = None if weight is None else frame[weight]
    for name, function in (
        ("roc_auc", sx.roc_auc_score),
        ("gini", sx.gini_score),
        ("average_precision", sx.average_precision_score),
    ):
        row = found.row(name)
        assert np.isnan(row.value)
        assert row.method == "bounds of a sketch"
        value = function(frame["true"], frame["score"], sample_weight=weights)
        assert row.low < value < row.high < row.low + 0.12
    refused = found.row("ks_statistic")
    assert np.isnan([refused.value, refused.low, refused.high]).all()
    assert "a sketch only bounds areas" in refused.reason
    value = sx.accuracy_score(frame["true"], frame["pred"], sample_weight=weights)
    np.testing.assert_allclose(found.value("accuracy"), value, rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_bounds_of_several_classes_by_group(engine):
    frame, labels, columns = several_frame(800)
    found = run(
        engine,
        frame,
        score=columns,
        labels=labels,
        by="group",
        metrics=["roc_auc_ovr", "roc_auc_ovr_weighted", "average_precision", "roc_auc_ovo"],
        approximate=True,
        n_bins=40,
    )
    for group, rows in frame.groupby("group"):
        proba = rows[columns].to_numpy()
        for name, average in (("roc_auc_ovr", "macro"), ("roc_auc_ovr_weighted", "weighted")):
            value = sx.roc_auc_score(
                rows["true"], proba, labels=labels, multi_class="ovr", average=average
            )
            row = found.row(name, group)
            assert row.low - 1e-12 <= value <= row.high + 1e-12
        value = sx.average_precision_score(rows["true"], proba, labels=labels)
        row = found.row("average_precision", group)
        assert row.low - 1e-12 <= value <= row.high + 1e-12
        assert np.isnan(found.row("roc_auc_ovo", group).low)


@pytest.mark.parametrize("limit", ["1GiB", 12_000])
@pytest.mark.parametrize("engine", ENGINES)
def test_intervals_are_those_of_the_rows(engine, limit):
    frame = binary_frame(500)
    names = ["roc_auc", "gini", "accuracy", "f1", "matthews_corrcoef", "log_loss", "brier_score"]
    found = run(
        engine,
        frame,
        score="score",
        pred="pred",
        metrics=names,
        intervals=True,
        confidence_level=0.9,
        memory_limit=limit,
    )
    for name in names:
        row = found.row(name)
        of_labels = name in ("accuracy", "f1", "matthews_corrcoef")
        estimate = sx.confidence_interval(
            name,
            frame["true"],
            frame["pred"] if of_labels else frame["score"],
            confidence_level=0.9,
            # The one that "auto" takes for losses asks for third moments.
        )
        np.testing.assert_allclose((row.low, row.high), (estimate.low, estimate.high), rtol=1e-9)
        assert row.method == estimate.method


@pytest.mark.parametrize("engine", ENGINES)
def test_intervals_that_sums_do_not_tell_are_refused_with_the_reason(engine):
    frame = binary_frame(300)
    options = {"score": "score", "pred": "pred", "intervals": True}
    names = ["roc_auc", "accuracy", "log_loss"]
    for row in run(engine, frame, weight="weight", metrics=names, **options):
        assert np.isnan([row.low, row.high]).all()
        assert "weighted rows" in row.reason
        assert not np.isnan(row.value)
    names = ["expected_calibration_error"]
    for row in run(engine, frame, metrics=names, **options):
        assert np.isnan([row.low, row.high]).all()
        assert "resampling" in row.reason
    many = {**options, "memory_limit": 6_000}
    for row in run("duckdb", frame, metrics=["average_precision"], **many):
        assert np.isnan([row.low, row.high]).all()
        assert "memory_limit" in row.reason
    area, precision = run("duckdb", frame, metrics=["roc_auc", "average_precision"], **many)
    assert area.low < area.value < area.high
    assert not np.isnan(precision.value)
    assert np.isnan([precision.low, precision.high]).all()
    assert "memory_limit" in precision.reason


@pytest.mark.parametrize("engine", ENGINES)
def test_a_ranking_that_is_held_tells_intervals_of_all_its_metrics(engine):
    frame = binary_frame(300)
    partial = functools.partial(sx.roc_auc_score, max_fpr=0.2)
    names = {"ap": "average_precision", "partial": partial}
    for row in run(engine, frame, score="score", intervals=True, metrics=names):
        estimate = sx.confidence_interval(names[row.metric], frame["true"], frame["score"])
        np.testing.assert_allclose((row.low, row.high), (estimate.low, estimate.high), rtol=1e-9)
        assert row.method == estimate.method


@pytest.mark.parametrize("engine", ENGINES)
def test_calibration_bins_come_with_the_error(engine):
    frame = binary_frame(300)
    ece = functools.partial(sx.expected_calibration_error, n_bins=7)
    found = run(engine, frame, score="score", metrics={"ece": ece})
    value = sx.expected_calibration_error(frame["true"], frame["score"], n_bins=7)
    np.testing.assert_allclose(found.value("ece"), value, rtol=1e-12)
    bins = found.bins[None, "ece"]
    curve = sx.calibration_curve_binned(frame["true"], frame["score"], n_bins=7)
    np.testing.assert_allclose(bins.mean_predicted, curve.mean_predicted)
    np.testing.assert_array_equal(bins.rate, curve.observed_rate)
    np.testing.assert_array_equal(bins.n_rows, curve.count)


@pytest.mark.parametrize("engine", ENGINES)
def test_parameters_of_metrics(engine):
    frame = binary_frame(300)
    asked = {
        "partial": functools.partial(sx.partial_roc_auc_score, tpr_range=(0.6, 1.0)),
        "raw": functools.partial(sx.partial_roc_auc_score, fpr_range=(0.1, 0.4), standardize=False),
        "early": functools.partial(sx.roc_auc_score, max_fpr=0.3),
        "quantile": functools.partial(sx.expected_calibration_error, strategy="quantile"),
        "sharp": functools.partial(sx.sensitivity_at_specificity, specificity=0.77),
        "line": functools.partial(sx.recall_at_precision, precision=0.7, method="interpolated"),
        "f3": functools.partial(sx.fbeta_score, beta=3.0),
    }
    for limit in ("1GiB", 12_000):
        found = run(engine, frame, score="score", pred="pred", metrics=asked, memory_limit=limit)
        for name, metric in asked.items():
            if name == "quantile" and limit != "1GiB" and engine != "memory":
                assert "distinct scores" in found.row(name).reason
                continue
            value = metric(frame["true"], frame["pred" if name == "f3" else "score"])
            np.testing.assert_allclose(found.value(name), value, rtol=1e-12)

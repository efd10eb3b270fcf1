"""Intervals and values from sums, on every engine."""

import functools
import inspect

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
from support.frames import binary_frame, run, small_batches

import skmetrics_ext as sx

pytestmark = pytest.mark.usefixtures(small_batches.__name__)
__all__ = ["small_batches"]

ENGINES = ("memory", "duckdb", "dask")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("options", [{"approximate": True, "n_bins": 100}, {"n_bins": 0}])
def test_former_arguments_are_ignored_and_the_exact_value_computed(engine, options):
    frame = binary_frame(400, decimals=12)
    names = ["roc_auc", "average_precision", "ks_statistic"]
    with pytest.warns(FutureWarning, match="the exact value is computed") as caught:
        found = run(engine, frame, score="score", metrics=names, memory_limit=12_000, **options)
    told = [str(each.message) for each in caught if each.category is FutureWarning]
    assert [text.partition("=")[0] for text in told] == list(options)
    assert all("of evaluate is ignored and will be removed in version 0.4" in each for each in told)
    area = roc_auc_score(frame["true"], frame["score"])
    precision = average_precision_score(frame["true"], frame["score"])
    fpr, tpr, _ = roc_curve(frame["true"], frame["score"], drop_intermediate=False)
    for row, right in zip(found, (area, precision, (tpr - fpr).max()), strict=True):
        np.testing.assert_allclose(row.value, right, rtol=1e-12)
        assert np.isnan([row.low, row.high]).all()
        assert (row.method, row.note) == ("", "")


def test_former_arguments_are_not_in_the_signature():
    assert not {"approximate", "n_bins"} & set(inspect.signature(sx.evaluate).parameters)
    with pytest.raises(TypeError, match="n_bin"):
        run("memory", binary_frame(20), score="score", metrics=["roc_auc"], n_bin=3)


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
        assert "weighted rows" in row.note
        assert not np.isnan(row.value)
    names = ["expected_calibration_error"]
    for row in run(engine, frame, metrics=names, **options):
        assert np.isnan([row.low, row.high]).all()
        assert "resampling" in row.note
    many = {**options, "memory_limit": 6_000}
    for row in run("duckdb", frame, metrics=["average_precision"], **many):
        assert np.isnan([row.low, row.high]).all()
        assert "memory_limit" in row.note
    area, precision = run("duckdb", frame, metrics=["roc_auc", "average_precision"], **many)
    assert area.low < area.value < area.high
    assert not np.isnan(precision.value)
    assert np.isnan([precision.low, precision.high]).all()
    assert "memory_limit" in precision.note


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
                assert "distinct scores" in found.row(name).note
                continue
            value = metric(frame["true"], frame["pred" if name == "f3" else "score"])
            np.testing.assert_allclose(found.value(name), value, rtol=1e-12)

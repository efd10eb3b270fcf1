"""Frames of predictions as data sets of several engines, and what the functions say of them."""

import warnings
from importlib import util

import numpy as np
import pandas as pd
import pytest

from skmetrics_ext import evaluate
from skmetrics_ext.registry import find, scorers

# Read from counts or from integers that are exact: equal to the last bit without weights.
EXACT = ("roc_auc", "gini", "gain_capture", "ks_statistic", "lift_at_10", "recall_at_precision_80")
# What needs all distinct scores at once, whatever their number.
WHOLE = ("smooth_calibration_error",)


def binary_frame(n_rows=600, seed=0, decimals=2, text=False):
    """Rows of two classes with ties, weights, three groups and decisions."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, n_rows)
    score = np.round(1 / (1 + np.exp(-(rng.normal(size=n_rows) + true))), decimals)
    frame = pd.DataFrame(
        {
            "true": true,
            "score": score,
            "pred": (score > 0.6).astype(int),
            "weight": rng.integers(0, 9, n_rows) / 8,
            "count": rng.integers(0, 4, n_rows),
            "group": rng.choice(["a", "b b", "c'c"], n_rows),
        }
    )
    if text:
        for name in ("true", "pred"):
            frame[name] = np.array(["ill", "well"])[1 - frame[name]]
    return frame


def several_frame(n_rows=600, seed=0):
    """Rows of four classes by text, with a column of probabilities for each."""
    rng = np.random.default_rng(seed)
    labels = np.array(["c", "a", "d", "b"])
    true = rng.integers(0, 4, n_rows)
    proba = np.round(rng.dirichlet(np.ones(4), n_rows) + 0.4 * np.eye(4)[true], 2) + 0.01
    proba /= proba.sum(axis=1, keepdims=True)
    frame = pd.DataFrame(
        {
            "true": labels[true],
            "pred": labels[proba.argmax(axis=1)],
            "weight": rng.integers(1, 9, n_rows) / 8,
            "group": rng.integers(0, 2, n_rows),
        }
    )
    columns = [f"of {label}" for label in labels]
    frame[columns] = proba
    return frame, labels, columns


def binary_names():
    """Every scorer of two classes, not negated."""
    return [
        name.removeprefix("neg_")
        for name, (spec, params) in scorers().items()
        if not {"average", "multi_class", "target"} & params.keys()
        and spec.name != "top_k_accuracy_score"
        and not spec.ranks_labels
    ]


def expected(name, frame, columns="score", weight=None, labels=None):
    """What the function of a metric says of the rows in memory."""
    metric = find(name)
    spec, params = metric.spec, dict(metric.params)
    if weight is not None:
        params["sample_weight"] = frame[weight].to_numpy()
    if labels is not None and spec.response != "labels":
        params["labels"] = labels
    response = frame["pred" if spec.response == "labels" else columns].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return spec.function(frame["true"].to_numpy(), response, **params)


def same_rows(found, frame, weight=None, by=None, exact=(), skip=(), **options):
    """Assert that every row of an evaluation is what the function of the metric says."""
    assert len(found)
    for row in found:
        if row.metric in skip:
            continue
        rows = frame if by is None else frame[frame[by] == row.group]
        assert row.n_rows == len(rows)
        value = expected(row.metric, rows, weight=weight, **options)
        if row.metric in exact:
            np.testing.assert_equal(row.value, value, err_msg=str(row))
        np.testing.assert_allclose(row.value, value, rtol=1e-12, atol=1e-14, err_msg=str(row))


def labels_only():
    """Names of the metrics of labels, which are read from tables."""
    return [name for name in binary_names() if find(name).spec.response == "labels"]


def as_dataset(engine, frame, parts=5):
    """A frame as the data set of an engine."""
    if engine != "dask":
        return frame
    dd = pytest.importorskip("dask.dataframe")
    return dd.from_pandas(frame, npartitions=parts, sort=False)


def run(engine, frame, **options):
    """Evaluate by one engine, which is skipped where it is not installed."""
    needs(engine)
    dataset = as_dataset(engine, frame)
    if engine != "dask":
        return evaluate(dataset, engine=engine, true="true", **options)
    import dask

    with dask.config.set(scheduler="synchronous"):
        return evaluate(dataset, engine=engine, true="true", **options)


def needs(engine):
    """Skip where an engine is not installed."""
    if engine in ("duckdb", "dask") and util.find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed")


@pytest.fixture
def small_batches(monkeypatch):
    """Batches of a few rows, so that every engine has many parts."""
    from skmetrics_ext.backends import duckdb, engines, files

    for module in (duckdb, files):
        monkeypatch.setattr(module, "BATCH", 50)
    monkeypatch.setattr(engines, "BATCH", 50)
    monkeypatch.setattr(engines, "RESIDENT_BATCH", 50)

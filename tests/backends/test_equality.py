"""Every engine gives what the functions give in memory."""

import functools

import numpy as np
import pytest
from support.frames import (
    EXACT,
    WHOLE,
    binary_frame,
    binary_names,
    labels_only,
    run,
    same_rows,
    several_frame,
    small_batches,
)

import skmetrics_ext as sx
from skmetrics_ext import evaluate

pytestmark = pytest.mark.usefixtures(small_batches.__name__)
__all__ = ["small_batches"]

ENGINES = ("memory", "duckdb", "dask")
# Tables of all scores fit, or must be read in ranges.
LIMITS = {"table": "1GiB", "ranges": 12_000}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("by", [None, "group"])
@pytest.mark.parametrize("weight", [None, "count", "weight"])
@pytest.mark.parametrize("engine", ENGINES)
def test_two_classes(engine, weight, by, limit):
    frame = binary_frame()
    found = run(
        engine,
        frame,
        score="score",
        pred="pred",
        weight=weight,
        by=by,
        metrics=binary_names(),
        memory_limit=LIMITS[limit],
    )
    exact = (*EXACT, *labels_only()) if weight is None else ()
    skip = WHOLE if limit == "ranges" and engine != "memory" else ()
    same_rows(found, frame, weight, by, exact, skip)
    if skip:
        refused = found.row(WHOLE[0], group=None if by is None else "a")
        assert np.isnan(refused.value)
        assert "memory_limit allows" in refused.note


@pytest.mark.parametrize("engine", ENGINES)
def test_distinct_scores(engine):
    frame = binary_frame(400, seed=3, decimals=15)
    names = [name for name in binary_names() if name not in WHOLE]
    found = run(engine, frame, score="score", pred="pred", metrics=names, memory_limit=15_000)
    same_rows(found, frame, exact=(*EXACT, *labels_only()))


@pytest.mark.parametrize("engine", ENGINES)
def test_text_labels_and_a_positive_class(engine):
    frame = binary_frame(300, text=True)
    found = run(
        engine,
        frame,
        score="score",
        pred="pred",
        pos_label="ill",
        metrics=["roc_auc", "average_precision", "f1", "brier_score", "recall"],
    )
    truth, score = (frame["true"] == "ill").to_numpy().astype(int), frame["score"].to_numpy()
    decided = (frame["pred"] == "ill").to_numpy().astype(int)
    assert found.value("roc_auc") == sx.roc_auc_score(truth, score)
    assert found.value("average_precision") == sx.average_precision_score(truth, score)
    assert found.value("f1") == sx.f1_score(truth, decided)
    assert found.value("recall") == sx.recall_score(truth, decided)
    np.testing.assert_allclose(found.value("brier_score"), sx.brier_score_loss(truth, score))


def several_names():
    """Metrics of more than two classes."""
    ranked = [
        "roc_auc_ovr",
        "roc_auc_ovo",
        "roc_auc_ovr_weighted",
        "roc_auc_ovo_weighted",
        "gini_ovr",
        "gain_capture",
        "average_precision",
        "average_precision_weighted",
        "ks_statistic",
        "h_measure",
        "pr_auc",
        "partial_roc_auc_ovr",
        "roc_auc_convex_hull_ovr",
    ]
    losses = ["log_loss", "brier_score", "d2_log_loss_score", "hinge_loss", "top_k_accuracy"]
    losses += ["spherical", "expected_calibration_error_top_label"]
    losses += ["expected_calibration_error_classwise"]
    return [*ranked, *losses, "accuracy", "f1_macro", "cohen_kappa", "matthews_corrcoef"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("by", [None, "group"])
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("engine", ENGINES)
def test_several_classes(engine, weight, by, limit):
    frame, labels, columns = several_frame()
    found = run(
        engine,
        frame,
        score=columns,
        labels=labels,
        pred="pred",
        weight=weight,
        by=by,
        metrics=several_names(),
        memory_limit=LIMITS[limit],
    )
    same_rows(found, frame, weight, by, labels=labels, columns=columns)


@pytest.mark.parametrize("engine", ENGINES)
def test_values_by_class_and_by_pair(engine):
    frame, labels, columns = several_frame(200)
    by_class = functools.partial(sx.roc_auc_score, multi_class="ovr", average=None)
    by_pair = functools.partial(sx.roc_auc_score, multi_class="ovo", average=None)
    found = run(
        engine,
        frame,
        score=dict(zip(labels, columns, strict=True)),
        metrics={"class": by_class, "pair": by_pair, "pairwise": sx.pairwise_roc_auc},
        memory_limit=10_000,
    )
    proba = frame[columns].to_numpy()
    own = by_class(frame["true"], proba, labels=labels)
    assert [found.value("class", label=label) for label in labels] == own.tolist()
    pairs = by_pair(frame["true"], proba, labels=labels)
    assert [row.value for row in found if row.metric == "pair"] == pairs.tolist()
    areas = sx.pairwise_roc_auc(frame["true"], proba, labels=labels)
    np.testing.assert_array_equal(found.pair_areas[None], areas)
    assert found.value("pairwise", label=("c", "b")) == areas[0, 3]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_group_with_one_class_is_undefined_and_says_why(engine):
    frame = binary_frame(200)
    frame.loc[frame["group"] == "a", ["true", "pred"]] = 1
    found = run(
        engine,
        frame,
        score="score",
        pred="pred",
        by="group",
        metrics=["roc_auc", "ks_statistic", "recall", "accuracy"],
        memory_limit=9_000,
    )
    assert np.isnan(found.value("roc_auc", "a"))
    assert "class" in found.row("roc_auc", "a").note
    assert np.isnan(found.value("ks_statistic", "a"))
    assert found.value("recall", "a") == 1
    rows = frame[frame["group"] == "c'c"]
    assert found.value("roc_auc", "c'c") == sx.roc_auc_score(rows["true"], rows["score"])


@pytest.mark.parametrize("engine", ENGINES)
def test_one_class_alone_is_known_as_one_of_two(engine):
    frame = binary_frame(50)
    frame["true"] = 0
    found = run(engine, frame, score="score", metrics=["roc_auc", "log_loss"])
    assert np.isnan(found.value("roc_auc"))
    value = sx.log_loss(frame["true"], frame["score"], labels=[0, 1])
    np.testing.assert_allclose(found.value("log_loss"), value, rtol=1e-12)


def test_empty_partitions_and_partitions_of_one_class():
    dd = pytest.importorskip("dask.dataframe")
    frame = binary_frame(300)
    parts = [
        frame[:0],
        frame[frame["true"] == 1],
        frame[:0],
        frame[frame["true"] == 0],
        frame[:0],
    ]
    import dask

    dataset = dd.from_delayed([dask.delayed(part) for part in parts], meta=frame[:0])
    with dask.config.set(scheduler="synchronous"):
        found = evaluate(
            dataset,
            true="true",
            score="score",
            pred="pred",
            metrics=["roc_auc", "average_precision", "f1", "log_loss"],
            memory_limit=10_000,
        )
    same_rows(found, frame, exact=("roc_auc", "f1"))
    assert found.engine == "dask"


@pytest.mark.parametrize("engine", ["memory", "duckdb", "dask"])
def test_groups_of_every_kind(engine):
    frame = binary_frame(200)
    for values in (np.arange(200) % 20, np.arange(200) % 2 == 0):
        frame["group"] = values
        found = run(engine, frame, score="score", by="group", metrics=["roc_auc"])
        assert [row.group for row in found] == sorted(set(values.tolist()))
        same_rows(found, frame, by="group", exact=("roc_auc",))

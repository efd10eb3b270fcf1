"""Dask on a cluster of processes on this machine, which may lose one of them."""

import os

import pytest
from support.frames import binary_frame

from skmetrics_ext import (
    PartitionError,
    average_precision_score,
    cross_validation_report,
    evaluate,
    f1_score,
    get_scorer,
    roc_auc_score,
)

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

METRICS = ["roc_auc", "average_precision", "f1"]


@pytest.fixture(scope="module")
def client():
    """Two workers on loopback; no server is started by us, and none is needed."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
            silence_logs=60,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def parts_that(frame, happens, n_parts=6):
    """Parts of a frame; ``happens(i)`` is called on the worker whenever part i is made."""
    size = len(frame) // n_parts

    def read(i):
        happens(i)
        return frame[i * size : (i + 1) * size]

    made = [dask.delayed(read, pure=False)(i) for i in range(n_parts)]
    return dd.from_delayed(made, meta=frame[:0])


def check(frame, found):
    assert found.value("roc_auc") == roc_auc_score(frame["true"], frame["score"])
    assert found.value("f1") == f1_score(frame["true"], frame["pred"])
    value = average_precision_score(frame["true"], frame["score"])
    assert found.value("average_precision") == pytest.approx(value, rel=1e-12)


@pytest.mark.slow
def test_rows_go_from_worker_to_worker(client):
    frame = binary_frame(3000, decimals=9)
    dataset = dd.from_pandas(frame, npartitions=7, sort=False)
    options = {"true": "true", "score": "score", "pred": "pred", "metrics": METRICS}
    check(frame, evaluate(dataset, **options, memory_limit=60_000))


@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("run", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_a_killed_worker_does_not_change_the_answer(client, tmp_path, run):
    """It dies in the first pass, or when the rows are shuffled."""
    frame = binary_frame(3000, decimals=9)
    folder = str(tmp_path)

    def happens(i):
        import os
        import signal

        if i != 2:
            return
        seen = len(os.listdir(folder)) + 1
        with open(f"{folder}/{seen}", "w"):
            pass
        if seen == run:
            os.kill(os.getpid(), signal.SIGKILL)

    found = evaluate(
        parts_that(frame, happens),
        true="true",
        score="score",
        pred="pred",
        metrics=METRICS,
        memory_limit=60_000,
    )
    assert len(list(tmp_path.iterdir())) > run
    check(frame, found)


def test_a_partition_that_raises_names_itself(client):
    def happens(i):
        if i == 4:
            raise OSError("no such bucket")

    dataset = parts_that(binary_frame(600), happens)
    told = "partition 4 of the Dask DataFrame raised OSError: no such bucket"
    with pytest.raises(PartitionError, match=told):
        evaluate(dataset, true="true", score="score", metrics=["roc_auc"])


def test_bad_rows_on_a_worker_are_refused_with_their_place(client):
    frame = binary_frame(600)
    frame["score"] = frame["score"].where(frame.index != 250)
    dataset = dd.from_pandas(frame, npartitions=6, sort=False)
    with pytest.raises(ValueError, match="'score' has a missing value in row 50 of partition 2"):
        evaluate(dataset, true="true", score="score", metrics=["roc_auc"])


@pytest.mark.slow
def test_cross_validation_through_joblib(client):
    """joblib's own backend for Dask runs the folds on the workers, with equal scores."""
    joblib = pytest.importorskip("joblib")
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB

    X, y = load_breast_cancer(return_X_y=True)
    scorer = get_scorer("gini")
    here = cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=4)
    report = cross_validation_report({"nb": GaussianNB()}, X, y, scoring=["gini"], cv=4)
    with joblib.parallel_config("dask"):
        there = cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=4, n_jobs=2)
        other = cross_validation_report(
            {"nb": GaussianNB()}, X, y, scoring=["gini"], cv=4, n_jobs=2
        )
    assert there.tolist() == here.tolist()
    assert other.summary()[0]["mean"] == report.summary()[0]["mean"]

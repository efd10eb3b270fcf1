"""Spark in local mode: needs pyspark and Java 17 or newer, and takes a minute."""

import os
import shutil
import sys
from importlib import util

import numpy as np
import pytest
from support.frames import (
    WHOLE,
    binary_frame,
    binary_names,
    labels_only,
    same_rows,
    several_frame,
)

from skmetrics_ext import PartitionError, evaluate, roc_auc_score

from .test_odd_names import renamed, same

pytestmark = [
    pytest.mark.slow,
    # Spark 4 says so of pandas 3 wherever Arrow is used; none of our columns goes through pandas.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


def missing():
    """What is not there, by name."""
    if util.find_spec("pyspark") is None:
        return "pyspark is not installed: pip install 'skmetrics-ext[spark]'"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "java is not installed: Spark needs Java 17 or newer"
    return None


@pytest.fixture(scope="module")
def spark():
    if missing():
        pytest.skip(missing())
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.mark.parametrize("limit", ["1GiB", 12_000])
@pytest.mark.parametrize("by", [None, "group"])
@pytest.mark.parametrize("weight", [None, "count", "weight"])
def test_two_classes(spark, weight, by, limit):
    frame = binary_frame()
    found = evaluate(
        spark.createDataFrame(frame).repartition(5),
        true="true",
        score="score",
        pred="pred",
        weight=weight,
        by=by,
        metrics=binary_names(),
        memory_limit=limit,
    )
    assert found.engine == "spark"
    exact = ("roc_auc", "gini", *labels_only()) if weight is None else ()
    same_rows(found, frame, weight, by, exact, WHOLE if limit != "1GiB" else ())


def test_several_classes_by_text_and_group(spark):
    frame, labels, columns = several_frame()
    found = evaluate(
        spark.createDataFrame(frame),
        true="true",
        score=columns,
        labels=labels,
        pred="pred",
        by="group",
        metrics=["roc_auc_ovo", "roc_auc_ovr_weighted", "log_loss", "f1_macro", "h_measure"],
        memory_limit=20_000,
    )
    same_rows(found, frame, by="group", labels=labels, columns=columns)


def test_empty_partitions_and_partitions_of_one_class(spark):
    frame = binary_frame(300).sort_values("true")
    dataset = spark.createDataFrame(frame).coalesce(1).repartitionByRange(12, "true")
    found = evaluate(dataset, true="true", score="score", metrics=["roc_auc"], memory_limit=9_000)
    assert found.value("roc_auc") == roc_auc_score(frame["true"], frame["score"])


def test_bad_rows_and_partitions_that_raise_are_named(spark):
    frame = binary_frame(100)
    frame["score"] = frame["score"].where(frame.index != 30)
    frame = frame.astype({"score": object}).where(frame.notna(), None)
    dataset = spark.createDataFrame(frame.to_dict("records")).coalesce(1)
    with pytest.raises(ValueError, match=r"'score' .*(missing|nan).* in row 30 of partition 0"):
        evaluate(dataset, true="true", score="score", metrics=["roc_auc"])

    def fails(batches):
        from pyspark import TaskContext

        for batch in batches:
            if TaskContext.get().partitionId() == 1:
                raise PartitionError("partition 1 of the source raised OSError: gone")
            yield batch

    source = spark.createDataFrame(binary_frame(100)).repartition(3)
    with pytest.raises(PartitionError, match="partition 1 of the source raised OSError: gone"):
        evaluate(
            source.mapInArrow(fails, source.schema),
            true="true",
            score="score",
            metrics=["roc_auc"],
        )


def test_crossed_groups_with_margins_and_clusters(spark):
    frame = binary_frame(300)
    rng = np.random.default_rng(7)
    frame["sex"], frame["age"] = rng.integers(0, 2, 300), rng.uniform(20, 80, 300)
    frame["patient"] = np.arange(300) // 3
    asked = {
        "true": "true",
        "score": "score",
        "pred": "pred",
        "by": ["group", "sex", "age"],
        "bins": {"age": 2},
        "margins": True,
        "metrics": ["roc_auc", "log_loss", "f1"],
        "memory_limit": 12_000,  # rankings are read in ranges, and those of margins anew
    }
    found = evaluate(spark.createDataFrame(frame).repartition(3), **asked)
    plain = evaluate(frame, **{**asked, "memory_limit": "1GiB"})
    assert [row.group for row in found] == [row.group for row in plain]
    np.testing.assert_allclose(
        [row.value for row in found], [row.value for row in plain], rtol=1e-12
    )
    clusters = {**asked, "by": "group", "bins": None, "groups": "patient", "intervals": True}
    clusters["memory_limit"] = "1GiB"
    found = evaluate(spark.createDataFrame(frame), **clusters)
    plain = evaluate(frame, **clusters)
    np.testing.assert_allclose([row.low for row in found], [row.low for row in plain], rtol=1e-9)


def test_names_that_spark_could_take_for_something_else(spark):
    for frame, names in renamed():
        same(names, spark.createDataFrame(frame).repartition(2))

"""Edges: calls whose cost a loop over classes, groups, pairs or rows could decide.

    python benchmarks/edges.py
    python benchmarks/edges.py --only "macro F1" --rounds 3
    python benchmarks/edges.py --into docs/performance.md

A line is a ratio of two calls in one process: a *value* is one call of the metric's own function on
the same rows, a *sort* one `np.sort` of the scores. Prints Markdown.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measuring import tell
from output import machine_line, markdown, put, seconds, three_digits
from timing import Entrant, Ratio, one_thread, race

import skmetrics_ext as sx

Call = Callable[[], Any]


class Edge(NamedTuple):
    """A call, what it is measured in, and how many of these it may cost."""

    name: str
    unit: str
    most: float
    call: Call
    reference: Call
    units: float = 1.0


def _labels(
    n: int, n_classes: int, right: float = 0.7, dtype: Any = np.int64, seed: int = 0
) -> Any:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n)
    pred = np.where(rng.random(n) < right, true, rng.integers(0, n_classes, n))
    return true.astype(dtype), pred.astype(dtype)


def _scores(n: int, n_models: int = 1) -> Any:
    rng = np.random.default_rng(0)
    true = (rng.random(n) < 0.3).astype(np.int64)
    logits = rng.normal(size=(n_models, n)) + 1.5 * true
    return true, 1 / (1 + np.exp(1 - logits))


def class_averages() -> Iterator[Edge]:
    for n_classes, most in ((1_000, 10), (20_000, 50)):
        true, pred = _labels(10**5, n_classes)
        yield Edge(
            f"interval of macro F1, {n_classes:,} classes, 100,000 rows",
            "values",
            most,
            partial(sx.confidence_interval, "f1_macro", true, pred),
            partial(sx.f1_score, true, pred, average="macro"),
        )


def groups() -> Iterator[Edge]:
    import pandas as pd

    for n, n_groups in ((10**5, 1_000), (10**6, 10_000)):
        true, pred = _labels(n, 2)
        frame = pd.DataFrame({"y": true, "p": pred})
        frame["g"] = np.random.default_rng(1).integers(0, n_groups, n)
        for intervals, most in ((False, 3), (True, 15 if n_groups == 1_000 else 20)):
            if n_groups == 10_000 and not intervals:
                continue
            yield Edge(
                f"accuracy and F1 by {n_groups:,} groups of {n:,} rows"
                + ", intervals" * intervals,
                "groupby(...).size()",
                most,
                partial(sx.evaluate, frame, true="y", pred="p", by="g",
                        metrics=["accuracy", "f1"], intervals=intervals),
                lambda frame=frame: frame.groupby(["g", "y", "p"]).size(),
            )  # fmt: skip
        if n_groups == 1_000:
            asked = partial(sx.evaluate, frame, true="y", pred="p", by="g", metrics=["f1"])
            yield Edge("gaps of F1 of 1,000 groups", "evaluations", 5,
                       partial(asked().gaps, "f1"), asked)  # fmt: skip


def streams() -> Iterator[Edge]:
    batches = [_labels(65_536, 2, seed=seed) for seed in range(30)]
    true, pred = (np.concatenate(side) for side in zip(*batches, strict=True))

    def updated() -> Any:
        accumulator = sx.Accumulator(["accuracy", "f1"])
        for batch in batches:
            accumulator.update(*batch)
        return accumulator

    yield Edge("30 updates of 65,536 rows", "bincounts", 2, updated,
               lambda: [np.bincount(2 * y + p, minlength=4) for y, p in batches])  # fmt: skip
    yield Edge("30 updates of 65,536 rows, and compute", "one call of all rows", 2,
               lambda: updated().compute(),
               partial(sx.compute_metrics, ["accuracy", "f1"], true, pred))  # fmt: skip


def files() -> Iterator[Edge]:
    import pandas as pd
    import polars as pl

    y, scores = _scores(2 * 10**6)
    path = str(Path(tempfile.mkdtemp()) / "rows.parquet")
    pd.DataFrame({"y": y, "s": scores[0]}).to_parquet(path)

    def by_polars() -> float:
        frame = pl.read_parquet(path)
        return sx.roc_auc_score(frame["y"].to_numpy(), frame["s"].to_numpy())

    for limit in ("1GiB", "100MB"):
        yield Edge(f"ROC AUC of a Parquet file of 2,000,000 rows within {limit}", "polars", 2,
                   partial(sx.evaluate, path, true="y", score="s", metrics=["roc_auc"],
                           memory_limit=limit), by_polars)  # fmt: skip
    import duckdb

    y, scores = _scores(10**7)
    large = str(Path(path).with_name("more.parquet"))
    pd.DataFrame({"y": y, "s": scores[0]}).to_parquet(large)
    own = "greatest(CASE WHEN y = 1 THEN s ELSE 1 - s END, 1e-16)"
    yield Edge("log loss of 10,000,000 rows by DuckDB", "the aggregate in SQL", 1.5,
               partial(sx.evaluate, large, true="y", score="s", metrics=["log_loss"],
                       engine="duckdb"),
               lambda: duckdb.sql(f"SELECT avg(-ln({own})) FROM '{large}'").fetchall())  # fmt: skip


def clusters() -> Iterator[Edge]:
    n = 10**6
    groups = np.random.default_rng(1).integers(0, 2 * 10**5, n)
    true, pred = _labels(n, 2)
    y, scores = _scores(n)
    for metric, most, rows in (("accuracy", 15, (true, pred)), ("roc_auc", 4, (y, scores[0]))):
        yield Edge(
            f"interval of {metric}, 200,000 groups of 1,000,000 rows",
            "plain intervals",
            most,
            partial(sx.confidence_interval, metric, *rows, groups=groups),
            partial(sx.confidence_interval, metric, *rows),
        )


def areas() -> Iterator[Edge]:
    y, scores = _scores(10**6, 2)
    a, b = scores
    yield Edge("interval of ROC AUC, 1,000,000 rows", "values", 2,
               partial(sx.confidence_interval, "roc_auc", y, a),
               partial(sx.roc_auc_score, y, a))  # fmt: skip
    yield Edge("interval of average precision, 1,000,000 rows", "values", 3,
               partial(sx.confidence_interval, "average_precision", y, a),
               partial(sx.average_precision_score, y, a))  # fmt: skip
    yield Edge("compare average precision, 1,000,000 rows", "values", 8,
               partial(sx.compare, "average_precision", y, a, b),
               partial(sx.average_precision_score, y, a))  # fmt: skip
    true, _ = _labels(10**5, 10)
    proba = np.random.default_rng(1).dirichlet(np.ones(10), 10**5)
    yield Edge("interval of one-vs-rest ROC AUC, 10 classes, 100,000 rows", "values", 7,
               partial(sx.confidence_interval, "roc_auc_ovr", true, proba),
               partial(sx.roc_auc_score, true, proba, multi_class="ovr"))  # fmt: skip
    yield Edge("delong_test, 1,000,000 rows", "compare", 1.1,
               partial(sx.delong_test, y, a, b),
               partial(sx.compare, "roc_auc", y, a, b))  # fmt: skip


def types() -> Iterator[Edge]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    true, pred = _labels(10**6, 2)
    plain = partial(sx.f1_score, true, pred)
    for dtype, most in (("bool", 0.5), ("int8", 0.5), ("int32", 1.2), ("float64", 4)):
        sides = true.astype(dtype), pred.astype(dtype)
        yield Edge(f"F1 of {dtype}, 1,000,000 rows", "int64", most,
                   partial(sx.f1_score, *sides), plain)  # fmt: skip
    words = np.array(["bad", "good"])
    text = [words[side].tolist() for side in (true, pred)]
    for name, make, most in (
        ("pandas text", partial(pd.Series, dtype="str"), 25),
        ("polars text", pl.Series, 25),
        ("Arrow text", pa.array, 25),
        ("polars Categorical", partial(pl.Series, dtype=pl.Categorical), 10),
    ):
        yield Edge(f"F1 of {name}, 1,000,000 rows", "int64", most,
                   partial(sx.f1_score, *map(make, text), pos_label="good"), plain)  # fmt: skip
    small = [pd.Series(side[:1000]) for side in (true, pred)]
    yield Edge("F1 of pandas Series, 1,000 rows", "NumPy arrays", 3,
               partial(sx.f1_score, *small),
               partial(sx.f1_score, true[:1000], pred[:1000]))  # fmt: skip


def many_models() -> Iterator[Edge]:
    y, scores = _scores(10**4, 100)
    models = {f"m{i}": row for i, row in enumerate(scores)}
    labels = {name: (row > 0.5).astype(np.int64) for name, row in models.items()}
    for metric, given, most in (("roc_auc", models, 40), ("f1", labels, 120)):
        function = sx.roc_auc_score if metric == "roc_auc" else sx.f1_score
        yield Edge(f"every two of 100 models by {metric}, 10,000 rows", "values of all", most,
                   lambda metric=metric, given=given: sx.confidence_interval(
                       metric, y, given).against("each").adjust("simultaneous"),
                   lambda given=given, function=function: [
                       function(y, row) for row in given.values()])  # fmt: skip


def small() -> Iterator[Edge]:
    true, pred = _labels(2000, 2)
    y, scores = _scores(1000)
    names = ["accuracy", "f1", "precision", "recall", "matthews_corrcoef"]
    yield Edge("five metrics with intervals, 1,000 rows", "five intervals", 1,
               partial(sx.compute_metrics, names, true[:1000], pred[:1000], intervals=True),
               lambda: [sx.confidence_interval(name, true[:1000], pred[:1000])
                        for name in names])  # fmt: skip
    yield Edge("compute_metrics of one area, 1,000 rows", "values", 1.2,
               partial(sx.compute_metrics, ["roc_auc"], y, y_score=scores[0]),
               partial(sx.roc_auc_score, y, scores[0]))  # fmt: skip
    y, scores = _scores(10**5)
    yield Edge("calibration error, 100,000 rows", "bincounts", 2,
               partial(sx.expected_calibration_error, y, scores[0]),
               lambda: np.bincount((scores[0] * 10).astype(np.int64), scores[0]))  # fmt: skip
    corp = partial(sx.brier_decomposition, method="corp")
    for name, call in (
        ("Hosmer-Lemeshow test", sx.significance.hosmer_lemeshow_test),
        ("CORP decomposition", corp),
    ):
        yield Edge(f"{name}, 100,000 rows", "values of ROC AUC", 4, partial(call, y, scores[0]),
                   partial(sx.roc_auc_score, y, scores[0]))  # fmt: skip
    true, _ = _labels(10**5, 10)
    proba = np.random.default_rng(1).dirichlet(np.ones(10), 10**5)
    rows = np.arange(len(true))
    yield Edge("log loss of 10 classes, 100,000 rows", "NumPy", 1.6,
               partial(sx.log_loss, true, proba),
               lambda: -np.log(np.clip(proba, 1e-16, 1)[rows, true]).mean())  # fmt: skip


def pictures() -> Iterator[Edge]:
    import matplotlib as mpl
    from matplotlib import pyplot as plt
    from sklearn.calibration import CalibrationDisplay
    from sklearn.metrics import ConfusionMatrixDisplay, RocCurveDisplay

    mpl.use("agg")
    true, scores = _scores(10**4)
    rows = true, scores[0]
    labels = true, (scores[0] > 0.5).astype(np.int64)

    def save(draw: Callable[..., Any], rows: Any, **options: Any) -> None:
        draw(*rows, **options).figure_.savefig(io.BytesIO(), format="png")
        plt.close("all")

    ours = sx.RocCurvesDisplay, sx.CalibrationDisplay, sx.ConfusionMatrixDisplay
    theirs = RocCurveDisplay, CalibrationDisplay, ConfusionMatrixDisplay
    told = "ROC curve", "reliability", "confusion matrix"
    for name, own, other in zip(told, ours, theirs, strict=True):
        given = labels if other is ConfusionMatrixDisplay else rows
        without = {"band": None} if other is RocCurveDisplay else {}
        yield Edge(
            f"{name} of 10,000 rows as PNG" + ", without band" * bool(without),
            "pictures of scikit-learn",
            1.6,
            partial(save, own.from_predictions, given, **without),
            partial(save, other.from_predictions, given),
        )


EDGES = (
    *(class_averages, groups, streams, files, clusters),
    *(areas, types, many_models, small, pictures),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="edges whose name holds this text")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--into", nargs="*", type=Path, default=[])
    options = parser.parse_args()
    lines = []
    with one_thread():
        for edges in EDGES:
            for edge in edges():
                if options.only in edge.name:
                    tell(edge.name)
                    lines.append(_line(edge, options.rounds, options.seconds))
    text = machine_line("cpu") + "\n\n" + markdown(
        ("call", "in units of", "at most", "takes", "met", "time"), lines
    )  # fmt: skip
    print(text)
    for page in options.into:
        put(page, "edges", text)


def _line(edge: Edge, rounds: int, limit: float) -> list[str]:
    found = race(
        {"ours": Entrant(edge.call), "unit": Entrant(edge.reference)}, rounds=rounds, seconds=limit
    )
    ratio = Ratio.of(found["ours"], found["unit"])
    takes = ("~" if ratio.is_noisy else "") + three_digits(ratio.median)
    met = "yes" if ratio.median <= edge.most else "**no**"
    time = seconds(float(np.median(found["ours"])))
    return [edge.name, edge.unit, three_digits(edge.most), takes, met, time]


if __name__ == "__main__":
    main()

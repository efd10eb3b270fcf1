"""Our metrics next to those of scikit-learn on real data: values, difference and speed ratio.

Every metric that scikit-learn has too, on out-of-fold predictions of a model::

    python benchmarks/parity.py --data breast_cancer --model logistic
"""

from __future__ import annotations

import argparse
import inspect
import math
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sklearn.metrics
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from skmetrics_ext.cli.models import MODELS, make_model
from skmetrics_ext.datasets import BUNDLED, Use, load
from skmetrics_ext.formats import text_table
from skmetrics_ext.registry import METRICS, MetricSpec

Metric = Callable[..., Any]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a value differs by more than 1e-12 (relative)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="breast_cancer", help=", ".join(BUNDLED))
    parser.add_argument("--target", help="column of the classes, for a file")
    parser.add_argument("--model", default="logistic", help=", ".join(MODELS))
    parser.add_argument("--rows", type=int, help="repeat the rows up to this number, for the times")
    parser.add_argument("--runs", type=int, default=5, help="best of (default: 5)")
    options = parser.parse_args(argv)
    data = load(options.data, Use(options.target))
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    model = make_model(options.model, data, 0)
    classes, y = np.unique(data.y, return_inverse=True)
    proba = cross_val_predict(model, data.X, y, cv=cv, method="predict_proba")
    if options.rows:
        rows = np.resize(np.arange(len(y)), options.rows)
        y, proba = y[rows], proba[rows]
    given = {
        "labels": proba.argmax(axis=1),
        "scores": proba[:, 1] if len(classes) == 2 else proba,
        "probabilities": proba,
    }
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, ours, theirs in shared_metrics(len(classes)):
            predicted = given[METRICS[name.partition("(")[0]].response]
            result = compare(ours, theirs, y, predicted, options.runs)
            if result is not None:
                results.append((name, *result))
    header = ("metric", "ours", "scikit-learn", "difference", "ours (ms)", "theirs (ms)", "ratio")
    print(f"{len(y)} out-of-fold predictions of {options.model} on {data.name}\n")
    print(text_table(header, [row(*result) for result in results], align="<"))
    return int(any(abs(value - his) > 1e-12 * max(1, abs(his)) for _, value, his, *_ in results))


def shared_metrics(n_classes: int) -> list[tuple[str, Metric, Metric]]:
    """Name with parameters, our function and scikit-learn's."""
    found = []
    for spec in METRICS.values():
        theirs = getattr(sklearn.metrics, spec.name, None)
        if theirs is None or spec.is_table:
            continue
        for params in parameter_sets(spec, n_classes):
            named = ", ".join(f"{key}={value!r}" for key, value in params.items())
            name = f"{spec.name}({named})" if named else spec.name
            found.append((name, bound(spec.function, params), bound(theirs, params)))
    return found


def parameter_sets(spec: MetricSpec, n_classes: int) -> list[dict[str, Any]]:
    own = inspect.signature(spec.function).parameters
    base = dict(spec.params)
    if n_classes == 2:
        return [base]
    if "multi_class" in own:
        return [
            {**base, "multi_class": multi_class, "average": "macro"}
            for multi_class in ("ovr", "ovo")
        ]
    if "average" in own and spec.response == "labels":
        return [{**base, "average": average} for average in ("macro", "weighted", "micro")]
    return [base]


def bound(function: Callable[..., Any], params: dict[str, Any]) -> Callable[..., Any]:
    return lambda y_true, given: function(y_true, given, **params)


def compare(
    ours: Metric, theirs: Metric, y: Any, predicted: Any, runs: int
) -> tuple[float, float, float, float] | None:
    """Both values and the seconds of both; None if theirs does not take so many classes."""
    try:
        his, his_time = timed(theirs, y, predicted, runs)
    except ValueError:
        return None
    value, own_time = timed(ours, y, predicted, runs)
    return value, his, own_time, his_time


def row(name: str, value: float, his: float, own_time: float, his_time: float) -> list[str]:
    """Cells of the table."""
    ratio = his_time / own_time
    is_same = value == his or (math.isnan(value) and math.isnan(his))
    return [
        name,
        f"{value:.6f}",
        f"{his:.6f}",
        "0" if is_same else f"{value - his:.1e}",
        f"{1e3 * own_time:.3f}",
        f"{1e3 * his_time:.3f}",
        f"{ratio:.1f}" if ratio >= 0.1 else f"{ratio:.1g}",
    ]


def timed(function: Callable[..., Any], y: Any, given: Any, runs: int) -> tuple[float, float]:
    """The value, and the seconds of the fastest of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        value = float(function(y, given))
        times.append(time.perf_counter() - start)
    return value, min(times)


if __name__ == "__main__":
    raise SystemExit(main())

"""``parity``: ours beside scikit-learn's on real data."""

from __future__ import annotations

import argparse
import inspect
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from skmetrics_ext.cli.words import tell, whole_number
from skmetrics_ext.datasets import BUNDLED, Use, load
from skmetrics_ext.formats import text_table
from skmetrics_ext.models import MODELS, make_model
from skmetrics_ext.registry import METRICS, MetricSpec


def add_parity(commands: argparse._SubParsersAction[Any]) -> None:
    """The command and its options."""
    parity = commands.add_parser(
        "parity",
        help="ours beside scikit-learn's, with the difference and the speed ratio",
        description="Every metric that scikit-learn has too, on out-of-fold predictions.",
    )
    parity.set_defaults(run=_parity)
    parity.add_argument("--data", default="breast_cancer", metavar="DATA", help=", ".join(BUNDLED))
    parity.add_argument("--target", metavar="COLUMN", help="column of the classes, for a file")
    parity.add_argument("--model", default="logistic", metavar="MODEL", help=", ".join(MODELS))
    parity.add_argument(
        "--rows",
        type=whole_number(1),
        metavar="N",
        help="repeat the rows up to so many, for the times",
    )
    parity.add_argument(
        "--runs", type=whole_number(1), default=5, metavar="N", help="best of (default: 5)"
    )


def _parity(options: argparse.Namespace) -> int:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    data = load(options.data, Use(options.target))
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    model = make_model(options.model, data, 0)
    classes, y = np.unique(data.y, return_inverse=True)
    proba = cross_val_predict(model, data.X, y, cv=cv, method="predict_proba")
    if options.rows:
        rows = np.resize(np.arange(len(y)), options.rows)
        y, proba = y[rows], proba[rows]
    pred = proba.argmax(axis=1)
    score = proba[:, 1] if len(classes) == 2 else proba
    given = {"labels": pred, "scores": score, "probabilities": proba}
    table = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, ours, theirs in _shared(len(classes)):
            row = _compare(name, ours, theirs, y, given[METRICS[_stem(name)].response], options)
            if row is not None:
                table.append(row)
    header = ("metric", "ours", "scikit-learn", "difference", "ours (ms)", "theirs (ms)", "ratio")
    tell(f"{len(y)} out-of-fold predictions of {options.model} on {data.name}\n")
    tell(text_table(header, table, align="<"))
    return 0


def _stem(name: str) -> str:
    return name.partition("(")[0]


def _shared(n_classes: int) -> list[tuple[str, Callable[..., Any], Callable[..., Any]]]:
    """Name with parameters, our function and scikit-learn's."""
    import sklearn.metrics

    found = []
    for spec in METRICS.values():
        theirs = getattr(sklearn.metrics, spec.name, None)
        if theirs is None or spec.is_table:
            continue
        for params in _parameter_sets(spec, n_classes):
            told = ", ".join(f"{key}={value!r}" for key, value in params.items())
            name = f"{spec.name}({told})" if told else spec.name
            found.append((name, _bound(spec.function, params), _bound(theirs, params)))
    return found


def _parameter_sets(spec: MetricSpec, n_classes: int) -> list[dict[str, Any]]:
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


def _bound(function: Callable[..., Any], params: dict[str, Any]) -> Callable[..., Any]:
    return lambda y_true, given: function(y_true, given, **params)


def _compare(
    name: str,
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    y: Any,
    given: Any,
    options: argparse.Namespace,
) -> list[str] | None:
    try:
        his, his_time = _timed(theirs, y, given, options.runs)
    except ValueError:  # not of this many classes
        return None
    value, own_time = _timed(ours, y, given, options.runs)
    ratio = his_time / own_time
    return [
        name,
        f"{value:.6f}",
        f"{his:.6f}",
        "0" if value == his or (math.isnan(value) and math.isnan(his)) else f"{value - his:.1e}",
        f"{1e3 * own_time:.3f}",
        f"{1e3 * his_time:.3f}",
        f"{ratio:.1f}" if ratio >= 0.1 else f"{ratio:.1g}",
    ]


def _timed(function: Callable[..., Any], y: Any, given: Any, runs: int) -> tuple[float, float]:
    """The value, and the seconds of the fastest of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        value = float(function(y, given))
        times.append(time.perf_counter() - start)
    return value, min(times)

"""The metrics of a file of predictions, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.cli.prediction_files import Predictions, labels_of
from skmetrics_ext.cli.words import say
from skmetrics_ext.numeric import Array
from skmetrics_ext.progress import Progress, reporting
from skmetrics_ext.registry import HEADINGS, METRICS, OF_FILES, Metric, MetricSpec, find
from skmetrics_ext.scoring.intervals import estimate_of
from skmetrics_ext.scoring.making import RESPONSES
from skmetrics_ext.scoring.recording import evaluate_all
from skmetrics_ext.scoring.responses import Stored
from skmetrics_ext.scoring.scorer import ScoredModel, Scorer
from skmetrics_ext.validation.positive import natural_positive

_SEVERAL = ("average", "multi_class", "target")


def score_rows(
    found: Predictions,
    *,
    positive: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    metrics: Asked = None,
    progress: Progress = None,
) -> list[dict[str, Any]]:
    """A row per group, column of scores and metric.

    Keys: ``group``, ``of`` (the column), ``metric``, ``value``, ``low``, ``high``, ``method``,
    ``n_rows``, ``reason`` (why there is no value or no interval).
    """
    classes = classes_of(found)
    say(without_positive(classes, positive, bool(found.scores)))
    groups: list[tuple[str, Any]] = [("all", found.frame)]
    if found.by is not None:
        groups += [(str(name), part) for name, part in found.frame.groupby(found.by, sort=True)]
    options = {"confidence_level": confidence_level, "n_resamples": n_resamples, "random_state": 0}
    parts = []
    for group, frame in groups:
        for of, responses in models_of(found, frame, classes, positive):
            own = settled_metrics(set(responses), classes, positive, metrics)
            parts.append(_Part(found, group, of, frame, responses, classes, own))
    check_fit(metrics, [set(part.responses) for part in parts])
    rows: list[dict[str, Any]] = []
    total = sum(len(part.metrics) for part in parts)
    with reporting(progress, total, "metric") as done:
        for part in parts:
            rows += _score(part, options, done, len(rows))
    return rows


def classes_of(found: Predictions) -> list[Any]:
    """The labels that occur, true or predicted."""
    columns = [found.true] if found.pred is None else [found.true, found.pred]
    seen: dict[Any, None] = {}
    for column in columns:
        seen |= dict.fromkeys(np.unique(labels_of(found.frame, column)))
    return [label.item() if hasattr(label, "item") else label for label in sorted(seen)]


def models_of(
    found: Predictions, frame: Any, classes: list[Any], positive: Any
) -> list[tuple[str, dict[str, Any]]]:
    """What is scored: each column of two classes, or all columns together of more."""
    models: list[tuple[str, dict[str, Any]]] = []
    if found.scores and len(classes) == 2:
        chosen = chosen_positive(classes, positive)
        for column in found.scores:
            models.append((column, _of_one_column(frame[column].to_numpy(), classes, chosen)))
    elif found.scores:
        matrix = frame[list(columns_of_classes(found.scores, classes))].to_numpy()
        models.append((", ".join(found.scores), _of_columns(np.asarray(matrix, dtype=float))))
    if found.pred is not None:
        models.append((found.pred, {"predict": labels_of(frame, found.pred)}))
    return models


def chosen_positive(classes: list[Any], positive: Any) -> Any:
    """The positive class of two, None where nothing says which.

    Text of the command line is matched with labels by their text.
    """
    if len(classes) != 2:
        return None
    if positive is None:
        return natural_positive(classes)
    for label in classes:
        if str(label) == str(positive):
            return label
    raise ValueError(f"--positive has to be one of {classes}, got {positive!r}")


def columns_of_classes(columns: tuple[str, ...], classes: list[Any]) -> list[str]:
    """The column of each class, by name: the class, or anything that ends in ``_class``."""
    order = []
    for label in classes:
        fits = [c for c in columns if c == str(label) or c.endswith(f"_{label}")]
        if len(fits) != 1:
            raise ValueError(
                f"{len(classes)} classes need a column of scores each, named by the class or "
                f"ending in _class; for {label!r} there {'is none' if not fits else f'are {fits}'} "
                f"among {list(columns)}."
            )
        order.append(fits[0])
    return order


def _of_one_column(score: Array, classes: list[Any], positive: Any) -> dict[str, Any]:
    score = np.asarray(score, dtype=np.float64)
    of_last = positive in (None, classes[1])
    towards_last = score if of_last else -score
    responses: dict[str, Any] = {"decision_function": towards_last}
    if score.min() >= 0 and score.max() <= 1:
        last = score if of_last else 1 - score
        responses = {"predict_proba": np.column_stack([1 - last, last])}
    return responses


def _of_columns(matrix: Array) -> dict[str, Any]:
    sums = matrix.sum(axis=1)
    if matrix.min() >= 0 and np.abs(sums - 1).max() <= 1e-6:
        return {"predict_proba": matrix}
    return {"decision_function": matrix}


# Names of metrics; None for a few, and "all" for all that fit.
Asked = Sequence[str] | str | None


@dataclass(frozen=True, slots=True)
class _Part:
    """Responses of one model to one group of rows, and the metrics that fit."""

    found: Predictions
    group: str
    of: str
    frame: Any
    responses: dict[str, Any]
    classes: list[Any]
    metrics: dict[str, Metric]


def _score(
    part: _Part, options: Mapping[str, Any], done: Callable[[int], None], before: int
) -> list[dict[str, Any]]:
    found, frame, classes = part.found, part.frame, part.classes
    y_true = labels_of(frame, found.true)
    weight = None if found.weight is None else frame[found.weight].to_numpy()
    params = {} if weight is None else {"sample_weight": weight}
    if found.clusters is not None:
        options = {**options, "groups": labels_of(frame, found.clusters)}
    scorers = {
        name: Scorer(own.function, 1, own.params, RESPONSES[own.spec.response], name=name)
        for name, own in part.metrics.items()
    }
    evaluation = ScoredModel(Stored(np.asarray(classes), part.responses), None, y_true)
    result = evaluate_all(scorers, evaluation, dict.fromkeys(scorers, params))
    rows = []
    for name, scorer in scorers.items():
        row: dict[str, Any] = {
            "group": part.group,
            "of": part.of,
            "metric": name,
            "value": result.values[name],
            "low": math.nan,
            "high": math.nan,
            "method": None,
            "n_rows": len(frame),
            "reason": result.reasons.get(name),
        }
        if row["reason"] is None:
            estimate, row["reason"] = estimate_of(scorer, evaluation, params, options, row["value"])
            if estimate is not None:
                row.update(low=estimate.low, high=estimate.high, method=estimate.method)
        rows.append(row)
        done(before + len(rows))
    return rows


def settled_metrics(
    methods: set[str], classes: list[Any], positive: Any, asked: Asked = "all"
) -> dict[str, Metric]:
    """The metrics that fit and have an answer, by what they read: those of one class where it is
    known. One that was asked for by name asks for the class instead.
    """
    chosen = chosen_positive(classes, positive)
    if asked is None or asked == "all":
        metrics = {
            name: metric
            for name, metric in fitting_metrics(methods, classes).items()
            if (asked == "all" or name in OF_FILES)
            and (len(classes) > 2 or metric.sides != "one" or chosen is not None)
        }
    else:
        metrics = {name: find_named(name) for name in asked}
        metrics = {name: one for name, one in metrics.items() if _reads(one.spec, methods)}
    order = list(HEADINGS)
    by_kind = sorted(metrics, key=lambda name: order.index(metrics[name].spec.response))
    return {name: metrics[name].settled(classes, chosen) for name in by_kind}


def find_named(name: str) -> Metric:
    """A metric of a name, which may be that of a scorer; here losses are not negated."""
    metric = find(name.removeprefix("neg_"))
    if metric.spec.is_table or metric.spec.ranks_labels:
        raise ValueError(f"{name!r} has no single number of rows that have one class each.")
    return metric


def check_fit(asked: Asked, methods: Sequence[set[str]]) -> None:
    """Refuse a metric that was asked for and that no column can be read for."""
    for name in () if asked is None or asked == "all" else asked:
        metric = find_named(name)
        if not any(_reads(metric.spec, own) for own in methods):
            reads = metric.spec.response
            needs = {"labels": "predicted labels: --pred", "scores": "scores: --score"}
            told = needs.get(reads, "probabilities, which no column of scores holds")
            raise ValueError(f"{name} needs {told}.")


def _reads(row: MetricSpec, methods: set[str]) -> bool:
    needed = RESPONSES[row.response]
    return bool(methods & ({needed} if isinstance(needed, str) else set(needed)))


def without_positive(classes: list[Any], positive: Any, scores: bool) -> str:
    """That metrics of one class are left out, and how to get them; "" where they are not."""
    if len(classes) != 2 or chosen_positive(classes, positive) is not None:
        return ""
    taken = f", and scores are taken to be of {classes[1]!r}" if scores else ""
    return (
        f"none of {classes} is the positive class by itself: metrics of one class are left "
        f"out{taken}; --positive {classes[1]} or --positive {classes[0]} says which it is"
    )


def fitting_metrics(methods: set[str], classes: list[Any]) -> dict[str, Metric]:
    """Every metric of single numbers that these responses and classes allow."""
    found = {}
    for row in METRICS.values():
        if row.is_table or row.ranks_labels or not _reads(row, methods):
            continue
        if row.scorer is None and row.greater_is_better is not None:
            continue  # it has a value for each class
        if len(classes) < row.least_classes:
            continue
        if row.by_sign and "decision_function" not in methods:
            continue  # of probabilities it means nothing
        if row.numeric_labels and isinstance(classes[0], str):
            continue  # the distance of two words is not known
        names = [name.removeprefix("neg_") for name in row.scorers] or [row.name]
        metrics = {name: find(name) for name in names}
        found.update({n: m for n, m in metrics.items() if _fits(m, len(classes))})
    return found


def _fits(metric: Metric, n_classes: int) -> bool:
    """Whether the parameters that a name sets fit the number of classes."""
    several = any(key in metric.params for key in _SEVERAL)
    if n_classes == 2:
        return not several
    if metric.spec.response == "labels":
        of_two = metric.sides != "none"
    else:
        of_two = metric.sides == "one" and not metric.takes("average")
    unnamed = not several and any(map(metric.takes, ("multi_class", "target")))
    return not (metric.params.get("average") == "samples" or of_two or unnamed)

"""All metrics that fit a file of predictions, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.alignment import require_positive
from skmetrics_ext.cli.prediction_files import Predictions, labels_of
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import METRICS, MetricSpec
from skmetrics_ext.scoring.intervals import estimate_of
from skmetrics_ext.scoring.making import RESPONSES
from skmetrics_ext.scoring.prepared import parameters, takes_positive
from skmetrics_ext.scoring.recording import evaluate_all
from skmetrics_ext.scoring.responses import Stored
from skmetrics_ext.scoring.scorer import ScoredModel, Scorer

_TABLES = ("confusion_matrix", "averaged_confusion")  # no single number
_SEVERAL = ("average", "multi_class", "target")


def score_rows(
    found: Predictions,
    *,
    positive: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    intervals: bool = True,
) -> list[dict[str, Any]]:
    """A row per group, column of scores and metric.

    Keys: ``group``, ``of`` (the column), ``metric``, ``value``, ``low``, ``high``, ``method``,
    ``n_rows``, ``reason`` (why there is no value or no interval).
    """
    classes = classes_of(found)
    groups: list[tuple[str, Any]] = [("all", found.frame)]
    if found.by is not None:
        groups += [(str(name), part) for name, part in found.frame.groupby(found.by, sort=True)]
    options = {"confidence_level": confidence_level, "n_resamples": n_resamples, "random_state": 0}
    rows = []
    for group, frame in groups:
        for of, responses in models_of(found, frame, classes, positive):
            part = _Part(found, group, of, frame, responses, classes, positive)
            rows += _score(part, options if intervals else None)
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
    """The positive class; text of the command line is matched with labels by their text."""
    if positive is not None:
        matching = [label for label in classes if str(label) == str(positive)]
        positive = matching[0] if matching else positive
    try:
        return require_positive(classes, positive, "Scoring")
    except ValueError as error:
        if positive is not None:
            raise
        raise ValueError(f"Which of {classes} is positive is not said: pass --positive.") from error


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
    towards_last = score if positive == classes[1] else -score
    responses: dict[str, Any] = {"decision_function": towards_last}
    if score.min() >= 0 and score.max() <= 1:
        last = score if positive == classes[1] else 1 - score
        responses = {"predict_proba": np.column_stack([1 - last, last])}
    return responses


def _of_columns(matrix: Array) -> dict[str, Any]:
    sums = matrix.sum(axis=1)
    if matrix.min() >= 0 and np.abs(sums - 1).max() <= 1e-6:
        return {"predict_proba": matrix}
    return {"decision_function": matrix}


@dataclass(frozen=True, slots=True)
class _Part:
    """Responses of one model to one group of rows."""

    found: Predictions
    group: str
    of: str
    frame: Any
    responses: dict[str, Any]
    classes: list[Any]
    positive: Any


def _score(part: _Part, options: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    found, frame, classes = part.found, part.frame, part.classes
    y_true = labels_of(frame, found.true)
    weight = None if found.weight is None else frame[found.weight].to_numpy()
    params = {} if weight is None else {"sample_weight": weight}
    scorers = fitting_scorers(set(part.responses), classes, part.positive)
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
        if row["reason"] is None and options is not None:
            estimate, row["reason"] = estimate_of(scorer, evaluation, params, options)
            if estimate is not None:
                row.update(low=estimate.low, high=estimate.high, method=estimate.method)
        rows.append(row)
    return rows


def fitting_scorers(methods: set[str], classes: list[Any], positive: Any) -> dict[str, Scorer]:
    """Every metric of a single number that these responses and classes allow, not negated."""
    found = {}
    for spec in METRICS.values():
        needed = RESPONSES[spec.response]
        any_of = {needed} if isinstance(needed, str) else set(needed)
        if spec.name in _TABLES or not methods & any_of:
            continue
        if spec.name == "hinge_loss" and "decision_function" not in methods:
            continue  # of probabilities it means nothing
        if spec.name == "top_k_accuracy_score" and len(classes) == 2:
            continue  # the true class is always among the first two
        if spec.numeric_labels and isinstance(classes[0], str):
            continue  # the distance of two words is not known
        for name, fixed in _variants(spec, len(classes)).items():
            params = dict(fixed)
            if len(classes) == 2 and takes_positive(spec, params):
                params["pos_label"] = chosen_positive(classes, positive)
            found[name] = Scorer(spec.function, 1, params, needed, name=name)
    return found


def _variants(spec: MetricSpec, n_classes: int) -> dict[str, dict[str, Any]]:
    """Names and parameters that fit the number of classes."""
    listed = {name.removeprefix("neg_"): fixed for name, fixed in spec.scorer_names().items()} or {
        spec.name: dict(spec.params)
    }
    if n_classes == 2:
        return {n: f for n, f in listed.items() if not any(key in f for key in _SEVERAL)}
    kept = {}
    for name, fixed in listed.items():
        several = any(key in fixed for key in _SEVERAL)
        of_labels = spec.response == "labels" and takes_positive(spec, fixed)
        of_two = {"multi_class", "target"} & parameters(spec).keys() and not several
        if fixed.get("average") == "samples" or of_labels or of_two:
            continue
        kept[name] = fixed
    return kept

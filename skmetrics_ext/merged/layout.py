"""Metrics and the classes of the columns of scores, settled before rows are read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import Column
from skmetrics_ext.validation.encoding import Order, find_labels, ranks_in
from skmetrics_ext.validation.errors import shown_labels
from skmetrics_ext.validation.labels import read_labels, response_name
from skmetrics_ext.validation.positive import (
    class_notes,
    natural_positive,
    positive_class,
    usual_pair,
)


def find_metrics(metrics: Any, *, of_rows: bool = False) -> tuple[Metric, ...]:
    """Metrics that can be read from sums, or ``of_rows``; a mapping names them by its keys."""
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if isinstance(metrics, Mapping):
        mergeable = [
            replace(_mergeable(item, of_rows), name=str(key)) for key, item in metrics.items()
        ]
    else:
        mergeable = [_mergeable(item, of_rows) for item in metrics]
    if not mergeable:
        raise InvalidParameterError("metrics is empty.")
    names = [metric.name for metric in mergeable]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidParameterError(
            f"metrics holds {', '.join(twice)} twice: pass a dict with a name for each."
        )
    return tuple(mergeable)


def _mergeable(metric: Any, of_rows: bool) -> Metric:
    """Find a metric, and reject one that cannot be read from sums."""
    metric = find(metric)
    if not metric.spec.is_known:
        raise InvalidParameterError(
            f"{metric.name} cannot be read from sums, because it is not a metric of this package: "
            "call it with all rows in memory."
        )
    name = metric.name.removeprefix("neg_")
    if metric.spec.ranks_labels:
        raise InvalidParameterError(
            f"{name} ranks several labels of each row, but a column holds one label per row: call "
            f"{metric.spec.name} with both matrices in memory."
        )
    if metric.spec.reads_rows and not of_rows:
        raise InvalidParameterError(
            f"{name} reads more of each row than labels, scores and weights, which no table has a "
            f"column for: use compute_metrics([{name!r}], ...) or confidence_interval({name!r}, "
            "...) with arrays."
        )
    for shared in ("labels", "pos_label"):
        if shared in metric.params:
            raise InvalidParameterError(
                f"All metrics share {shared}: pass it next to metrics=, not to {name}."
            )
    return metric if name == metric.name else replace(metric, name=name)


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Metrics, and the classes that the columns of scores belong to.

    Parameters
    ----------
    metrics : tuple of Metric
        Those of labels with the positive class, or with the classes that were listed.
    classes : ndarray of shape (K,)
        All classes that may occur, in the order of their codes; of two the negative one first.
    positive : object
        The positive class of two; None if it is not settled.
    n_columns : int
        Number of columns of scores: 0, 1, or one for each class, in the user's order.
    labels : ndarray or None
        The classes as the user listed them: metrics of labels average over them, in this order.
    positive_first : bool
        Whether the first of two columns of scores belongs to the positive class.
    """

    metrics: tuple[Metric, ...]
    classes: Array
    positive: Any
    n_columns: int
    labels: Array | None = None
    positive_first: bool = False

    def of_kind(self, *kinds: str) -> list[Metric]:
        """Metrics that are read from these kinds of sums."""
        return [metric for metric in self.metrics if metric.sums in kinds]

    @property
    def class_notes(self) -> list[str]:
        """A note that names the positive class, if a metric depends on it."""
        depends = {
            metric.sides == "one" or metric.spec.response != "labels" for metric in self.metrics
        }
        return class_notes(self.positive) if len(self.classes) == 2 and True in depends else []

    @property
    def needs_sums(self) -> bool:
        """Whether rows are read for other sums than tables and rankings, or to be checked."""
        return bool(self.of_kind("moments", "bins")) or self.n_columns == 2

    @property
    def reads_probabilities(self) -> bool:
        return "probabilities" in {metric.spec.response for metric in self.metrics}

    @property
    def is_binary(self) -> bool:
        return self.n_columns < 3

    @property
    def ranked(self) -> list[int]:
        """Numbers of the columns to rank; for two classes only the positive one's."""
        if self.n_columns == 2:
            return [0 if self.positive_first else 1]
        return list(range(self.n_columns))

    def code_of(self, column: int) -> int:
        """Code of the class whose scores a ranked column holds."""
        return 1 if self.is_binary else column

    def classes_of(self, metric: Metric, occurring: Array) -> Array:
        """The classes of the values of a metric that has one for each class."""
        are_listed = self.labels is not None and metric.takes("labels")
        return self.classes if metric.sums != "tables" or are_listed else occurring


def layout_of(view: Any, metrics: tuple[Metric, ...]) -> Layout:
    """The layout of checked scores or probabilities, whose columns are in order; or of none."""
    if view is None:
        return Layout(metrics, np.empty(0), None, 0)
    score = getattr(view, response_name(view))
    return Layout(metrics, view.classes, None, 1 if score.ndim == 1 else score.shape[1])


@lru_cache(maxsize=256)
def refusal(layout: Layout, metric: Metric, classes: tuple[Any, ...], ordered: Order) -> str:
    """Try a metric's parameters on one row of each class: its error message, or ""."""
    is_open = layout.n_columns > 2 and metric.options.get("multi_class") == "raise"
    if not is_open and (not metric.params or metric.has_named_params):
        return ""
    true: Any = list(classes)
    if isinstance(ordered, tuple):
        codes = ranks_in(ordered, read_labels(true))
        true = Column("y_true", codes, read_labels(list(ordered)), ordered=True)
    response = true
    if metric.sums != "tables":
        true = list(range(max(len(layout.classes), 2)))
        response = [0.25, 0.75] if layout.is_binary else np.eye(len(true)).tolist()
    return refusal_of(metric, true, response)


def refusal_of(metric: Metric, true: Any, response: Any) -> str:
    """Try a metric's parameters on data: its error message, or ""."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            metric.function(true, response, **metric.params)
    except ValueError as error:
        return " ".join(str(error).split())
    return ""


def make_layout(
    metrics: tuple[Metric, ...], present: Array | None, labels: Any, pos_label: Any, n_columns: int
) -> Layout:
    """Settle the classes: ``labels``, or those that occur in the column of true labels."""
    scored = [metric.name for metric in metrics if metric.sums != "tables"]
    if scored and n_columns == 0:
        raise InvalidParameterError(f"{', '.join(scored)} needs scores: pass score=, their column.")
    listed = None if labels is None else read_labels(labels)
    if listed is not None:
        if len(set(listed.tolist())) < len(listed):
            raise InvalidParameterError(f"labels names a class twice: {listed.tolist()}.")
        if present is not None and scored and (find_labels(present, listed) < 0).any():
            unlisted = present[find_labels(present, listed) < 0]
            raise InvalidParameterError(
                f"true holds {shown_labels(unlisted)}, which labels does not name: "
                f"{shown_labels(listed)}."
            )
    classes = listed if listed is not None else present
    assert classes is not None
    if n_columns > 1 and len(classes) != n_columns:
        raise InvalidParameterError(
            f"{n_columns} columns of scores (y_score) need as many classes, in their order; there "
            f"are {len(classes)}: {shown_labels(classes)}. Pass labels=, the class of each column."
        )
    of_two = n_columns in (1, 2)
    if of_two and listed is None:
        classes = _both(classes)
    if of_two and len(classes) != 2:
        raise InvalidParameterError(
            f"One column of scores needs two classes, but true holds {shown_labels(classes)}: pass "
            "a column of scores for each class."
        )
    positive = _positive(metrics, classes, listed, pos_label, n_columns)
    positive_first = of_two and classes.tolist().index(positive) == 0
    order = classes[::-1] if positive_first else classes
    settled = [_settled(metric, positive, listed) for metric in metrics]
    return Layout(tuple(settled), order, positive, n_columns, listed, positive_first)


def _settled(metric: Metric, positive: Any, listed: Array | None) -> Metric:
    """A metric of labels with the positive class, or the classes that were listed."""
    if metric.sums != "tables":
        return metric
    if metric.sides != "none" and positive is not None:
        return metric.with_positive(positive)
    if listed is not None and metric.takes("labels"):
        return metric.with_params(labels=listed)
    return metric


def _both(classes: Array) -> Array:
    """Both classes, if only one of 0 and 1, or of -1 and 1, occurs."""
    if len(classes) != 1:
        return classes
    try:
        return np.array(usual_pair(classes.tolist())[0]).astype(classes.dtype)
    except InvalidParameterError as error:
        raise InvalidParameterError(
            f"true holds only one class, {shown_labels(classes)}: pass labels=, both of them."
        ) from error


def _positive(
    metrics: Sequence[Metric], classes: Array, listed: Array | None, pos_label: Any, n_columns: int
) -> Any:
    """The positive class of two: as passed, or as the metrics need it; None if none does."""
    names = classes.tolist()
    if pos_label is None and listed is not None and len(listed) == 2:
        return listed.tolist()[1]
    if len(names) > 2:
        return pos_label
    is_open = pos_label is None
    one_sided = [metric.name for metric in metrics if is_open and metric.sides == "one"]
    if is_open and not one_sided and n_columns == 0:  # others of labels are the same for both
        return natural_positive(names)
    scored = [
        metric.name for metric in metrics if metric.sums != "tables" and metric.sides != "none"
    ]
    what = (one_sided or scored or [""])[0]
    either = not one_sided and (n_columns > 1 or not scored)
    return positive_class(names, pos_label, what=what, either=either)

"""Metrics, and the classes of the columns of scores: settled before rows are read."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.errors import shown_labels
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.positive import (
    class_notes,
    natural_positive,
    positive_class,
    usual_pair,
)


def find_metrics(metrics: Any) -> tuple[Metric, ...]:
    """Metrics that can be read from sums; the keys of a mapping are their names."""
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if isinstance(metrics, Mapping):
        found = [replace(_summed(given), name=str(name)) for name, given in metrics.items()]
    else:
        found = [_summed(given) for given in metrics]
    if not found:
        raise InvalidParameterError("metrics is empty.")
    names = [metric.name for metric in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidParameterError(
            f"metrics holds {', '.join(twice)} twice: pass a dict with a name for each."
        )
    return tuple(found)


def _summed(given: Any) -> Metric:
    metric = find(given)
    if metric.row is None:
        raise InvalidParameterError(
            f"{metric.name} cannot be read from sums, as it is no metric of this package: call it "
            "with all rows in memory."
        )
    name = metric.name.removeprefix("neg_")
    if metric.spec.ranks_labels:
        raise InvalidParameterError(
            f"{name} ranks several labels of each row, and a column of true labels holds one: call "
            f"{metric.spec.name} with both matrices in memory."
        )
    for reserved in ("labels", "pos_label"):
        if reserved in metric.params:
            raise InvalidParameterError(
                f"{reserved} is one for all metrics: pass it next to metrics=, not to {name}."
            )
    return replace(metric, name=name)


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Metrics, and the classes that the columns of scores belong to.

    Parameters
    ----------
    asked : tuple of Metric
    classes : ndarray of shape (K,)
        Every class that may occur, in the order of the codes; of two the negative one first.
    positive : object
        The positive class of two; None if it is not settled.
    n_columns : int
        Number of columns of scores: 0, 1, or one for each class, in the user's order.
    labels : ndarray or None
        The classes as the user listed them: metrics of labels average over them, in this order.
    turned : bool
        Whether the first of two columns of scores belongs to the positive class.
    """

    asked: tuple[Metric, ...]
    classes: Array
    positive: Any
    n_columns: int
    labels: Array | None = None
    turned: bool = False

    def of_kind(self, *kinds: str) -> list[Metric]:
        """The metrics that are read from sums of these kinds."""
        return [metric for metric in self.asked if metric.sums in kinds]

    @property
    def class_notes(self) -> list[str]:
        """The positive class, if a metric depends on it and labels leave it open."""
        of_class = (one.sides == "one" or one.spec.response != "labels" for one in self.asked)
        return class_notes(self.positive) if len(self.classes) == 2 and any(of_class) else []

    @property
    def needs_sums(self) -> bool:
        """Whether rows are read for other sums than tables and rankings, or to be checked."""
        return bool(self.of_kind("moments", "bins")) or self.n_columns == 2

    @property
    def reads_probabilities(self) -> bool:
        return any(metric.spec.response == "probabilities" for metric in self.asked)

    @property
    def is_binary(self) -> bool:
        return self.n_columns < 3

    @property
    def ranked(self) -> list[int]:
        """The columns that are ranked; of two classes that of the positive one alone."""
        if self.n_columns == 2:
            return [0 if self.turned else 1]
        return list(range(self.n_columns))

    def code_of(self, column: int) -> int:
        """Code of the class that a ranked column of scores belongs to."""
        return 1 if self.is_binary else column

    def settled(self, metric: Metric) -> Metric:
        """A metric of labels with the positive class, or with the classes that were listed."""
        if metric.sides != "none" and self.positive is not None:
            return metric.with_params(pos_label=self.positive)
        if self.labels is not None and metric.takes("labels"):
            return metric.with_params(labels=self.labels)
        return metric


@lru_cache(maxsize=256)
def refusal(layout: Layout, metric: Metric, classes: tuple[Any, ...]) -> str:
    """Error of a metric's function about its parameters, for one row of each class; or ""."""
    is_open = not layout.is_binary and metric.options.get("multi_class") == "raise"
    if metric.is_as_named and not is_open:
        return ""
    true, response = list(classes), list(classes)
    if metric.sums == "tables":
        metric = layout.settled(metric)
    else:
        true = list(range(max(len(layout.classes), 2)))
        response = [0.25, 0.75] if layout.is_binary else np.eye(len(true)).tolist()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            metric.function(true, response, **metric.params)
    except ValueError as error:
        return " ".join(str(error).split())
    return ""


def make_layout(
    asked: Iterable[Metric], found: Array | None, labels: Any, pos_label: Any, n_columns: int
) -> Layout:
    """Settle the classes: ``labels``, or those that occur in the column of true labels."""
    asked = tuple(asked)
    ranked = [metric.name for metric in asked if metric.sums != "tables"]
    if ranked and n_columns == 0:
        raise InvalidParameterError(f"{', '.join(ranked)} needs scores: pass score=, their column.")
    given = None if labels is None else read_labels(labels)
    if given is not None:
        if len(set(given.tolist())) < len(given):
            raise InvalidParameterError(f"labels names a class twice: {given.tolist()}.")
        if found is not None and ranked and (find_labels(found, given) < 0).any():
            strange = found[find_labels(found, given) < 0]
            raise InvalidParameterError(
                f"true holds {shown_labels(strange)}, which labels does not name: "
                f"{shown_labels(given)}."
            )
    classes = given if given is not None else found
    if classes is None:
        classes = np.array([0, 1])
    if n_columns > 1:
        if len(classes) != n_columns:
            raise InvalidParameterError(
                f"{n_columns} columns of scores (y_score) need as many classes, in their order; "
                f"there are {len(classes)}: {shown_labels(classes)}. Pass labels=, the class of "
                "each column."
            )
        if n_columns > 2:
            return Layout(asked, classes, pos_label, n_columns, given)
    if n_columns == 0:
        return Layout(asked, classes, _positive(asked, classes, given, pos_label, 0), 0, given)
    if given is None:
        classes = _both(classes)
    if len(classes) != 2:
        raise InvalidParameterError(
            f"One column of scores needs two classes, true holds {shown_labels(classes)}; of more "
            "classes pass a column of scores for each."
        )
    positive = _positive(asked, classes, given, pos_label, n_columns)
    turned = classes.tolist().index(positive) == 0
    order = classes[::-1] if turned else classes
    return Layout(asked, order, positive, n_columns, given, turned)


def _both(classes: Array) -> Array:
    """Two classes, also if one of 0 and 1, or of -1 and 1, occurs alone."""
    if len(classes) != 1:
        return classes
    try:
        return np.array(usual_pair(classes.tolist())[0]).astype(classes.dtype)
    except InvalidParameterError as error:
        raise InvalidParameterError(
            f"true holds only one class, {shown_labels(classes)}: pass labels=, both of them."
        ) from error


def _positive(
    asked: Iterable[Metric], classes: Array, given: Array | None, pos_label: Any, n_columns: int
) -> Any:
    """The positive class of two: as given, or as the metrics need it; None if none is needed."""
    listed = classes.tolist()
    if pos_label is None and given is not None and len(given) == 2:
        return given.tolist()[1]
    if len(listed) > 2:
        return pos_label
    if pos_label is None:
        of_one = [metric for metric in asked if metric.sides == "one"]
        if of_one:
            return of_one[0].positive(listed)
        if n_columns == 0:  # the functions know that either side will do
            return natural_positive(listed)
    scored = [one for one in asked if one.sums != "tables" and one.sides != "none"]
    what = scored[0].name if scored else ""
    return positive_class(listed, pos_label, what=what, either=n_columns > 1 or not scored)

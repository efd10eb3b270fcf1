"""Registered metrics of a model whose classes may differ from those of the rows to score.

Metrics that read the same response in the same way share a `MetricInput`: the response is checked,
and the classes of the model and of the rows are compared, once for all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.alignment import AlignedRows, ModelTarget
from skmetrics_ext.metrics.averaging import is_plain, mean_of_classes
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, Probabilities, Scores, warn_undefined
from skmetrics_ext.validation.containers import count_rows, read_array
from skmetrics_ext.validation.labels import subset
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.targets import MULTILABEL


@dataclass(frozen=True, eq=False, slots=True)
class MetricInput:
    """Checked data, shared by all metrics that read them in the same way.

    Parameters
    ----------
    checked : Labels, Scores, Probabilities or None
        None if the policy leaves these metrics undefined.
    reason : str
        Why they are undefined.
    positive : object
        The positive class; None if there is none.
    only_class : object
        The only class to average over, if the rows have a class that the model never saw.
    lacks_positives : bool
        Whether the rows are binary and none is positive.
    has_empty_classes : bool
        Whether a macro average leaves out classes or outputs without rows of either kind.
    is_empty : ndarray of bool or None
        Which classes, or outputs of multilabel data, have no row.
    total : float
        Weight of the rows if sums are wanted, else 1.
    unseen : list
        Classes of the rows that the model never saw, and to which it gives probability 0.
    """

    checked: Any
    reason: str = ""
    positive: Any = None
    only_class: Any = None
    lacks_positives: bool = False
    has_empty_classes: bool = False
    is_empty: Any = None
    total: float = 1.0
    unseen: Sequence[Any] = ()

    @classmethod
    def of_scores(cls, scores: Scores, positive: Any = None) -> MetricInput:
        """Scores, with the classes or outputs that have no rows."""
        if scores.true.ndim == 2:
            is_empty = ~scores.true.any(axis=0)
            has_empty = bool(is_empty.any() or scores.true.all(axis=0).any())
            return cls(scores, has_empty_classes=has_empty, is_empty=is_empty)
        is_empty = np.bincount(scores.true, minlength=len(scores.classes)) == 0
        is_binary = len(scores.classes) == 2
        return cls(
            scores,
            positive=positive,
            lacks_positives=bool(is_binary and is_empty[-1]),
            has_empty_classes=bool(not is_binary and is_empty.any()),
            is_empty=is_empty,
        )


@dataclass(frozen=True, slots=True)
class PreparedMetric:
    """A metric with all its parameters, and the data that it reads."""

    metric: Metric
    data: MetricInput

    @property
    def checked(self) -> Any:
        """Checked data; None if the policy leaves the metric undefined."""
        if self.data.lacks_positives and self.metric.spec.needs_positives:
            return None
        return self.data.checked

    @property
    def reason(self) -> str:
        """Why the metric is undefined."""
        return self.data.reason or f"no row is of the class {self.data.positive!r}"

    @property
    def averages_defined_classes(self) -> bool:
        """Whether the value is the mean over the classes that have rows."""
        metric = self.metric
        has_average = self.data.has_empty_classes and metric.takes("average")
        return has_average and is_plain(metric.options["average"])

    @property
    def note(self) -> str:
        """Note on the value for readers; empty if there is none."""
        checked, notes = self.data.checked, []
        if isinstance(checked, Probabilities):
            notes.append(checked.note)
            if self.data.unseen and "takes_logs" in self.metric.spec.traits:
                notes.append(
                    f"the model never saw the classes {list(self.data.unseen)}: their probability "
                    f"0 is clipped to {checked.eps:.3g}, which dominates the value"
                )
        return "; ".join(filter(None, notes))

    def subset(self, rows: Array | slice) -> PreparedMetric:
        """The metric of some of the rows, by the same policy."""
        checked = subset(self.data.checked, rows)
        if isinstance(checked, Scores):
            return replace(self, data=MetricInput.of_scores(checked, self.data.positive))
        return replace(self, data=replace(self.data, checked=checked))

    def values_of_rows_read(self, values: Array, params: Mapping[str, Any]) -> Array:
        """A value per row without those that the metric leaves out, as some do at weight 0."""
        if len(values) == self.checked.true.shape[0]:
            return values
        return np.asarray(values[read_array("sample_weight", params["sample_weight"]) != 0])

    def plain_value(self) -> float | None:
        """The value straight from the tally; None if there is anything to warn of."""
        metric, data = self.metric, self.data
        if data.checked is None or data.lacks_positives or data.has_empty_classes or data.unseen:
            return None
        if data.checked.cache.get("no_sum"):
            return None
        warned: list[Any] = []
        try:
            tally = metric.tally_of(data.checked)
            if tally is None:
                return None
            value = metric.read(tally, tell=lambda *undefined: warned.append(undefined))
        except Warning:
            raise
        except Exception:  # the metric's function says why
            return None
        return None if warned or value.ndim or np.isnan(value) else float(value)

    def value(self) -> Any:
        """The value; warns of a note, and gives nan with a warning if the metric is undefined."""
        metric, checked, total = self.metric, self.checked, self.data.total
        if self.note:
            warn_undefined(f"{metric.spec.name}: {self.note}.")
        if checked is None:
            warn_undefined(f"{metric.spec.name} is undefined: {self.reason}.")
            return float("nan")
        if self.averages_defined_classes:
            return self._mean_of_defined()
        value = metric.function(checked, checked, **metric.params)
        return value if total == 1 else total * float(value)

    def _mean_of_defined(self) -> float:
        """Macro average over the classes that have rows; nan with a warning if none has."""
        metric, checked = self.metric, self.checked
        by_class = metric.with_params(average=None)
        tally = by_class.tally_of(checked)
        if tally is None:  # the function raises
            return float(metric.function(checked, checked, **metric.params))
        values = np.asarray(by_class.read(tally), dtype=np.float64)
        if metric.spec.needs_positives:  # it is 0 by convention
            values = np.where(self.data.is_empty, np.nan, values)
        mean = float(mean_of_classes(values))
        if np.isnan(mean):
            warn_undefined(f"{metric.spec.name} is undefined: no class has both rows and others.")
        return mean


def input_key(metric: Metric, missing: str) -> Hashable:
    """Key of the data that a metric reads; metrics with equal keys share them."""
    spec, params = metric.spec, metric.params
    pos_label, labels = params.get("pos_label"), params.get("labels")
    if spec.response == "labels":
        absolute = spec.weights_are_counts or params.get("normalize") is False
        return spec.response, absolute, metric.sides, pos_label
    return (
        spec.response,
        spec.tally,
        spec.ranks_labels and spec.name,
        "misses_unseen" in spec.traits,
        metric.sides,
        pos_label,
        None if labels is None else tuple(labels),
        params.get("normalize") is False,
        missing,
    )


def read_input(
    metric: Metric, rows: AlignedRows, method: str, response: Any, missing: str
) -> MetricInput:
    """Check the response that a metric reads, by the policy ``missing``."""
    spec = metric.spec
    if spec.response == "labels":
        return _label_input(metric, rows, response)
    is_sum = metric.params.get("normalize") is False
    if not is_sum and spec.check is not None and spec.ranks_labels:  # rows have grades, no classes
        return MetricInput(spec.check(rows.y_true, response, sample_weight=rows.sample_weight))
    data = _score_input(metric, rows, method, response, missing)
    if not is_sum:
        return data
    # The metric is read as a mean, whose weights may have been scaled.
    weight = rows.sample_weight
    weights = np.ones(count_rows(rows.y_true) or 0) if weight is None else weight
    return replace(data, total=float(read_array("sample_weight", weights).sum()))


def _label_input(metric: Metric, rows: AlignedRows, y_pred: Any) -> MetricInput:
    absolute = metric.spec.weights_are_counts or metric.params.get("normalize") is False
    labels = rows.labels(y_pred, absolute=absolute)
    if metric.sides == "none" or labels.kind == MULTILABEL or rows.known is None:
        return MetricInput(labels)
    known, present = rows.known, labels.classes.tolist()
    every = known if present == known else [*known, *(c for c in present if c not in known)]
    if len(every) <= 2:
        return MetricInput(labels, positive=metric.positive(every))
    if len(known) == 2:  # rows of a class that the model never saw are not positive
        return MetricInput(labels, only_class=metric.positive(known))
    return MetricInput(labels)


def _score_input(
    metric: Metric, rows: AlignedRows, method: str, response: Any, missing: str
) -> MetricInput:
    """Scores or probabilities in the order of the model's classes.

    Classes that the model never saw have probability 0, and no score at all: an area is nan,
    and among the top k they come last. Classes without a row leave a macro average.
    """
    spec, target = metric.spec, rows.target
    reads_probabilities = spec.response == "probabilities"
    if target is None:  # multilabel
        if reads_probabilities:
            checked = rows.probabilities(response)
            return MetricInput(checked if spec.row_values is None else checked.of_one_label())
        return MetricInput.of_scores(rows.scores(method, response))
    reason = _undefined_reason(metric, target, missing)
    if reason:
        return MetricInput(None, reason)
    labels, pos_label = metric.params.get("labels"), metric.params.get("pos_label")
    if labels is not None and len(target.known) == 2 and pos_label is None:
        pos_label = list(labels)[1]
    classes = target.every if reads_probabilities else target.known
    positive = None
    if len(classes) == 2:
        either = metric.sides != "one"
        positive = positive_class(classes, pos_label, what=spec.name, either=either)
    if reads_probabilities:
        return MetricInput(rows.probabilities(response, positive, labels), unseen=target.unseen)
    if target.unseen:
        return MetricInput(rows.with_unseen(method, response))
    scores = rows.scores(method, response, positive)
    if target.lacking:
        return MetricInput.of_scores(scores, positive)
    return MetricInput(scores, positive=positive)


def _undefined_reason(metric: Metric, target: ModelTarget, missing: str) -> str:
    """Why the policy leaves the metric undefined; empty if it has a value."""
    spec, unseen, lacking = metric.spec, target.unseen, target.lacking
    if (unseen or lacking) and missing != "align":
        message = f"classes never seen in training: {unseen}; classes without rows: {lacking}"
        if missing == "raise":
            raise InvalidParameterError(f"{spec.name}: {message}.")
        return message
    if unseen and spec.response == "scores" and "misses_unseen" not in spec.traits:
        return f"the model never saw the classes {unseen} of y_true and has no score for them"
    if len(target.every) < 2:
        return f"the model and the rows have the single class {target.every[0]!r}"
    return ""

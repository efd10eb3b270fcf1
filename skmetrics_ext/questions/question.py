"""Questions about rows: which class is positive, which classes are averaged, what is undefined.

The classes of a model may differ from those of the rows; ``missing`` says what to do then. Metrics
that read the same response in the same way share a view: it is checked once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.metrics.averaging import is_plain, mean_of_classes
from skmetrics_ext.numeric import Array
from skmetrics_ext.questions.rows import MatchedLabels, Reads, Rows
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, Probabilities, Scores, warn_undefined
from skmetrics_ext.validation.containers import count_rows, read_array
from skmetrics_ext.validation.labels import subset
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.targets import MULTILABEL

MISSING = ("align", "nan", "raise")


@dataclass(frozen=True, eq=False, slots=True)
class AskedMetric:
    """A metric with nothing left open, and the view that it reads.

    Parameters
    ----------
    metric : Metric
    view : Labels, Scores, Probabilities or None
        Checked data, shared by metrics that read them in the same way; None if the policy leaves
        them undefined.
    why : str
        Why there is no view.
    positive : object
        The positive class; None if there is none.
    total : float
        Weight of the rows if sums are wanted, else 1.
    unseen : sequence
        Classes of the rows that the model never saw, and to which it gives probability 0.
    """

    metric: Metric
    view: Any
    why: str = ""
    positive: Any = None
    total: float = 1.0
    unseen: Sequence[Any] = ()

    @property
    def checked(self) -> Any:
        """The view; None if the policy leaves the metric undefined."""
        view = self.view
        lacks_positives = view is not None and view.cache.get("without_rows", _ALL_HAVE_ROWS)[1]
        return None if lacks_positives and self.metric.spec.needs_positives else view

    @property
    def reason(self) -> str:
        """Why the metric is undefined."""
        return self.why or f"no row is of the class {self.positive!r}"

    @property
    def averages_defined_classes(self) -> bool:
        """Whether the value is the mean over the classes that have rows."""
        metric, view = self.metric, self.view
        lacks_classes = view is not None and view.cache.get("without_rows", _ALL_HAVE_ROWS)[2]
        has_average = lacks_classes and metric.takes("average")
        return has_average and is_plain(metric.options["average"])

    @property
    def note(self) -> str:
        """Note on the value for readers; empty if there is none."""
        view, notes = self.view, []
        if isinstance(view, Probabilities):
            notes.append(view.note)
            if self.unseen and "takes_logs" in self.metric.spec.traits:
                notes.append(
                    f"the model never saw the classes {list(self.unseen)}: their probability "
                    f"0 is clipped to {view.eps:.3g}, which dominates the value"
                )
        return "; ".join(filter(None, notes))

    def select(self, rows: Array | slice) -> AskedMetric:
        """The metric of some of the rows, by the same policy."""
        view = subset(self.view, rows)
        return replace(self, view=_counted(view) if isinstance(view, Scores) else view)

    def per_row(self, values: Array, sample_weight: Any) -> Array:
        """A value per row without those that the metric leaves out, as some do at weight 0."""
        if len(values) == self.checked.true.shape[0]:
            return values
        return np.asarray(values[read_array("sample_weight", sample_weight) != 0])

    def plain_value(self) -> float | None:
        """The value straight from the tally; None if there is anything to warn of."""
        view = self.view
        if view is None or self.unseen or "without_rows" in view.cache:
            return None
        return self.metric.plain_value(view)

    def value(self) -> Any:
        """The value; warns of a note, and gives nan with a warning if the metric is undefined."""
        metric, view, total = self.metric, self.checked, self.total
        if self.note:
            warn_undefined(f"{metric.spec.name}: {self.note}.")
        if view is None:
            warn_undefined(f"{metric.spec.name} is undefined: {self.reason}.")
            return float("nan")
        if self.averages_defined_classes:
            return self._mean_of_defined()
        value = metric.function(view, view, **metric.params)
        return value if total == 1 else total * float(value)

    def _mean_of_defined(self) -> float:
        """Macro average over the classes that have rows; nan with a warning if none has."""
        metric, view = self.metric, self.view
        by_class = metric.with_params(average=None)
        tally = by_class.tally_of(view)
        if tally is None:  # the function raises
            return float(metric.function(view, view, **metric.params))
        values = np.asarray(by_class.read(tally), dtype=np.float64)
        if metric.spec.needs_positives:  # it is 0 by convention
            values = np.where(view.cache["without_rows"][0], np.nan, values)
        mean = float(mean_of_classes(values))
        if np.isnan(mean):
            warn_undefined(f"{metric.spec.name} is undefined: no class has both rows and others.")
        return mean


# Which classes, or outputs of multilabel data, have no row; whether the rows are binary and none is
# positive; whether a macro average leaves out classes, or outputs without rows of either kind.
_ALL_HAVE_ROWS = None, False, False


def _counted(scores: Scores) -> Scores:
    """Scores that know which of their classes have no rows."""
    if scores.true.ndim == 2:
        is_empty = ~scores.true.any(axis=0)
        found = is_empty, False, bool(is_empty.any() or scores.true.all(axis=0).any())
    else:
        is_empty = np.bincount(scores.true, minlength=len(scores.classes)) == 0
        is_binary = len(scores.classes) == 2
        found = is_empty, bool(is_binary and is_empty[-1]), bool(not is_binary and is_empty.any())
    if found[1] or found[2]:
        scores.cache["without_rows"] = found
    return scores


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of rows.

    Parameters
    ----------
    missing : {"align", "nan", "raise"}
        What to do if the classes of the model and of the rows differ.
    """

    missing: str = "align"

    def of(self, metric: Metric, rows: Rows, reads: Reads, asker: Any) -> AskedMetric:
        """A metric asked of rows, with the first response of ``reads`` that they have.

        Errors about responses name the ``asker``.
        """
        key = metric.view_key, reads, self.missing
        settled = rows.views.get(key)
        if settled is None:
            method = rows.method(reads, asker)
            settled = rows.views[key] = self._settled(metric, rows, method)
        if metric.spec.response != "labels":
            metric = metric.bare
        elif (positive := settled[2]) is not None:
            if len(settled[0].classes) <= 2:
                metric = metric.with_positive(positive)
            else:  # all other classes are negatives
                of_one = {"labels": [positive], "average": "macro"}
                metric = metric.without("pos_label").with_params(**of_one)
        return AskedMetric(metric, *settled)

    def _settled(self, metric: Metric, rows: Rows, method: str) -> tuple[Any, ...]:
        """The fields of `AskedMetric` after the metric."""
        spec = metric.spec
        if spec.response == "labels":
            return _of_labels(metric, rows, method)
        is_sum = metric.params.get("normalize") is False
        if not is_sum and spec.check is not None and spec.ranks_labels:  # rows have no classes
            response = rows.columns(method)
            view = spec.check(rows.y_true, response, sample_weight=rows.sample_weight)
            return view, "", None
        view, why, positive, unseen = self._of_scores(metric, rows, method)
        total = 1.0
        if is_sum:  # the metric is read as a mean, whose weights may have been scaled
            weight = rows.sample_weight
            weights = np.ones(count_rows(rows.y_true) or 0) if weight is None else weight
            total = float(read_array("sample_weight", weights).sum())
        return view, why, positive, total, unseen

    def _of_scores(
        self, metric: Metric, rows: Rows, method: str
    ) -> tuple[Any, str, Any, Sequence[Any]]:
        """Scores or probabilities in the order of the model's classes.

        Classes that the model never saw have probability 0, and no score at all: an area is nan,
        and among the top k they come last. Classes without a row leave a macro average.
        """
        spec, target = metric.spec, rows.target
        reads_probabilities = spec.response == "probabilities"
        if target is None:  # multilabel
            if reads_probabilities:
                view = rows.probabilities(method)
                return (view if spec.row_values is None else view.of_one_label()), "", None, ()
            return _counted(rows.scores(method)), "", None, ()
        if target.unseen or target.lacking or len(target.every) < 2:
            rows.columns(method)  # which may be refused, whatever the policy says
            why = self._undefined(metric, target)
            if why:
                return None, why, None, ()
        labels, pos_label = metric.params.get("labels"), metric.params.get("pos_label")
        if labels is not None and len(target.known) == 2 and pos_label is None:
            pos_label = list(labels)[1]
        classes = target.every if reads_probabilities else target.known
        positive = None
        if len(classes) == 2:
            either = metric.sides != "one"
            positive = positive_class(classes, pos_label, what=spec.name, either=either)
        if reads_probabilities:
            return rows.probabilities(method, positive, labels), "", None, target.unseen
        if target.unseen:
            return rows.with_unseen(method), "", None, ()
        scores = rows.scores(method, positive)
        return (_counted(scores) if target.lacking else scores), "", positive, ()

    def _undefined(self, metric: Metric, target: MatchedLabels) -> str:
        """Why the policy leaves the metric undefined; empty if it has a value."""
        spec, unseen, lacking = metric.spec, target.unseen, target.lacking
        if (unseen or lacking) and self.missing != "align":
            message = f"classes never seen in training: {unseen}; classes without rows: {lacking}"
            if self.missing == "raise":
                raise InvalidParameterError(f"{spec.name}: {message}.")
            return message
        if unseen and spec.response == "scores" and "misses_unseen" not in spec.traits:
            return f"the model never saw the classes {unseen} of y_true and has no score for them"
        if len(target.every) < 2:
            return f"the model and the rows have the single class {target.every[0]!r}"
        return ""


def _of_labels(metric: Metric, rows: Rows, method: str) -> tuple[Any, str, Any]:
    absolute = metric.spec.weights_are_counts or metric.params.get("normalize") is False
    labels = rows.labels(method, absolute=absolute)
    known, positive = rows.known, None
    if metric.sides != "none" and labels.kind != MULTILABEL and known is not None:
        present = labels.classes.tolist()
        every = known if present == known else [*known, *(c for c in present if c not in known)]
        # Rows of a class that a model of two never saw are not positive.
        of_two = every if len(every) <= 2 else known if len(known) == 2 else None
        positive = None if of_two is None else metric.positive(of_two)
    return labels, "", positive

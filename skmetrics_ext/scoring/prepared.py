"""Registered metrics of one model's responses, by the stated policy for classes.

Metrics that read the same response in the same way stand on one `Ground`: the responses are
checked, and the classes of the model and of the rows compared, once for all of them.
"""

from __future__ import annotations

import warnings
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
from skmetrics_ext.validation.labels import some_rows
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.targets import MULTILABEL

_NAN = float("nan")


@dataclass(frozen=True, eq=False, slots=True)
class Ground:
    """Checked data that metrics of one kind read.

    Parameters
    ----------
    given : Labels, Scores, Probabilities or None
        Checked data; None where there is no value by the policy.
    tally : object
        What all metrics of this ground read of them; None for those of means, each of which
        reads values of its own.
    why : str
        Why there is no value.
    positive : object
        The positive class; None where there is none.
    only : list or None
        The only class to average over, where the rows have a class that the model never saw.
    lacks_positives : bool
        Whether no row is of the positive class.
    lacking : bool
        Whether classes of several, or outputs, have no rows, and so leave a macro average.
    without : ndarray of bool or None
        Which outputs of multilabel data, or classes of several, have no row.
    total : float
        Weight of the rows, where sums were asked for and not means.
    unseen : list
        Classes of rows that the model never saw, and which have probability 0.
    """

    given: Any
    tally: Any = None
    why: str = ""
    positive: Any = None
    only: list[Any] | None = None
    lacks_positives: bool = False
    lacking: bool = False
    without: Any = None
    total: float = 1.0
    unseen: Sequence[Any] = ()

    @classmethod
    def of(cls, metric: Metric, given: Any, **about: Any) -> Ground:
        """The ground of a metric, and of all that read the same."""
        tally = None if metric.spec.tally == "moments" else metric.tally_of(given)
        return cls(given, tally, **about)

    @classmethod
    def of_scores(cls, metric: Metric, given: Scores, **about: Any) -> Ground:
        """The ground of checked scores, with the classes and outputs that have no rows there."""
        if given.true.ndim == 2:
            without = ~given.true.any(axis=0)
            lacking = bool(without.any() or given.true.all(axis=0).any())
            return cls.of(metric, given, lacking=lacking, without=without, **about)
        without = np.bincount(given.true, minlength=len(given.classes)) == 0
        is_binary = len(given.classes) == 2
        about |= {"lacks_positives": bool(is_binary and without[-1]), "without": without}
        return cls.of(metric, given, lacking=bool(not is_binary and without.any()), **about)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A metric, with all its parameters, and the ground that it stands on."""

    metric: Metric
    ground: Ground

    @property
    def given(self) -> Any:
        """Checked data; None where there is no value by the policy."""
        if self.ground.lacks_positives and "needs_positives" in self.metric.spec.traits:
            return None
        return self.ground.given

    def part(self, rows: Array | slice) -> Prepared:
        """The metric of some of the rows, by the same policy."""
        metric, ground = self.metric, self.ground
        given = some_rows(ground.given, rows)
        if isinstance(given, Scores):
            return replace(self, ground=Ground.of_scores(metric, given, positive=ground.positive))
        return replace(self, ground=replace(ground, given=given, tally=None))

    @property
    def why(self) -> str:
        """Why there is no value."""
        return self.ground.why or f"no row is of the class {self.ground.positive!r}"

    def of_rows_read(self, values: Array, params: Mapping[str, Any]) -> Array:
        """Values of the rows that the metric reads: some metrics leave out rows of weight 0."""
        if len(values) == self.given.true.shape[0]:
            return values
        return np.asarray(values[read_array("sample_weight", params["sample_weight"]) != 0])

    @property
    def of_defined(self) -> bool:
        """Whether the macro average is that of the classes that have rows."""
        metric = self.metric
        return (
            self.ground.lacking and metric.takes("average") and is_plain(metric.options["average"])
        )

    @property
    def note(self) -> str:
        """Note for readers of the value; empty if there is none."""
        ground, told = self.ground, []
        if isinstance(ground.given, Probabilities):
            told.append(ground.given.note)
            if ground.unseen and "takes_logs" in self.metric.spec.traits:
                unseen, eps = list(ground.unseen), ground.given.eps
                told.append(
                    f"the model never saw the classes {unseen}, whose probability 0 is clipped to "
                    f"{eps:.3g}, which sets the number"
                )
        return "; ".join(filter(None, told))

    def value(self) -> Any:
        """The value; nan with a warning where it is undefined, and with one where it is noted."""
        metric, given, total = self.metric, self.given, self.ground.total
        if self.note:
            warn_undefined(f"{metric.spec.name}: {self.note}.")
        if given is None:
            warn_undefined(f"{metric.spec.name} is undefined: {self.why}.")
            return _NAN
        if self.of_defined:
            by_convention = given.kind == MULTILABEL or "needs_positives" in metric.spec.traits
            without = self.ground.without if by_convention else None
            return total * _mean_of_defined(metric, given, without)
        value = metric.function(given, given, **metric.params)
        return value if total == 1 else total * float(value)


def question_of(metric: Metric, missing: str) -> Hashable:
    """Key of the ground of a metric: metrics with equal keys share it."""
    row, params = metric.spec, metric.params
    pos_label, labels = params.get("pos_label"), params.get("labels")
    if row.response == "labels":
        absolute = row.weights_are_counts or params.get("normalize") is False
        return row.response, absolute, metric.sides, pos_label
    return (
        row.response,
        row.tally,
        row.ranks_labels and row.name,
        "misses_unseen" in row.traits,
        metric.sides,
        pos_label,
        None if labels is None else tuple(labels),
        params.get("normalize") is False,
        missing,
    )


def ground_of(
    metric: Metric, rows: AlignedRows, method: str, response: Any, missing: str
) -> Ground:
    """The ground of a metric, by the policy for classes, and of all that ask the same."""
    if metric.spec.response == "labels":
        return _ground_of_labels(metric, rows, response)
    weight = rows.sample_weight
    if metric.params.get("normalize") is False:  # weights may be scaled: ratios ignore it
        weights = np.ones(count_rows(rows.y_true) or 0) if weight is None else weight
        total = float(read_array("sample_weight", weights).sum())
        return replace(_ground_of_scores(metric, rows, method, response, missing), total=total)
    if metric.spec.check is not None and metric.spec.ranks_labels:  # no row has a class
        return Ground(metric.spec.check(rows.y_true, response, sample_weight=weight))
    return _ground_of_scores(metric, rows, method, response, missing)


def _ground_of_labels(metric: Metric, rows: AlignedRows, y_pred: Any) -> Ground:
    absolute = metric.spec.weights_are_counts or metric.params.get("normalize") is False
    checked = rows.labels(y_pred, absolute=absolute)
    if metric.sides == "none" or checked.kind == MULTILABEL or rows.known is None:
        return Ground.of(metric, checked)
    known, occur = rows.known, checked.classes.tolist()
    every = known if occur == known else [*known, *(c for c in occur if c not in known)]
    if len(every) <= 2:
        return Ground.of(metric, checked, positive=metric.positive(every))
    if len(known) == 2:  # rows of a class never seen are none of the positive one
        return Ground.of(metric, checked, only=[metric.positive(known)])
    return Ground.of(metric, checked)


def _ground_of_scores(
    metric: Metric, rows: AlignedRows, method: str, response: Any, missing: str
) -> Ground:
    """Scores and probabilities by the classes of the model.

    Classes that the model never saw have probability 0, and no score at all: an area is nan,
    and among the top k they come last. Classes without a row leave a macro average.
    """
    spec, target = metric.spec, rows.target
    if target is None:
        return _ground_of_multilabel(metric, rows, method, response)
    why = _undefined(metric, target, missing)
    if why:
        return Ground(None, why=why)
    labels, asked = metric.params.get("labels"), metric.params.get("pos_label")
    if labels is not None and len(target.known) == 2 and asked is None:
        asked = list(labels)[1]
    positive = _positive(metric, target, asked)
    if spec.response == "probabilities":
        given = rows.probabilities(response, positive, labels)
        return Ground.of(metric, given, unseen=target.unseen)
    if target.unseen:
        return Ground.of(metric, rows.with_unseen(method, response))
    return Ground.of_scores(metric, rows.scores(method, response, positive), positive=positive)


def _undefined(metric: Metric, target: ModelTarget, missing: str) -> str:
    """Why there is no value, by the policy; empty where there is one."""
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


def _positive(metric: Metric, target: ModelTarget, asked: Any) -> Any:
    """The positive class of two; None for any other number of classes."""
    classes = target.every if metric.spec.response == "probabilities" else target.known
    if len(classes) != 2:
        return None
    either = metric.sides != "one"
    return positive_class(classes, asked, what=metric.spec.name, either=either)


def _ground_of_multilabel(metric: Metric, rows: AlignedRows, method: str, response: Any) -> Ground:
    """Outputs without a row of either kind leave a macro average, as classes do."""
    if metric.spec.response == "probabilities":
        return Ground.of(metric, rows.probabilities(response))
    return Ground.of_scores(metric, rows.scores(method, response))


def _mean_of_defined(metric: Metric, given: Any, undefined: Any) -> float:
    """Macro average over the classes that have rows; warns only where none has."""
    from sklearn.exceptions import UndefinedMetricWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.filterwarnings("ignore", "No positive class found", UserWarning)
        values = metric.function(given, given, **{**metric.params, "average": None})
    values = np.asarray(values, dtype=np.float64)
    if undefined is not None:
        values = np.where(undefined, np.nan, values)
    mean = float(mean_of_classes(values))
    if np.isnan(mean):
        warn_undefined(f"{metric.spec.name} is undefined: no class has both rows and others.")
    return mean

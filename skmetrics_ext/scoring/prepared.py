"""A registered metric of one model's responses, by the stated policy for classes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.alignment import AlignedRows, ModelTarget
from skmetrics_ext.metrics.averaging import mean_of_classes
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import warn_undefined
from skmetrics_ext.validation.positive import positive_class

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A metric and the checked data to compute it from.

    Parameters
    ----------
    metric : Metric
        With all its parameters.
    given : Labels, Scores, Probabilities or None
        None where it is undefined by the policy.
    why : str
        Why it is undefined.
    factor : float
        What the value is multiplied with.
    of_defined : bool
        Whether the macro average is that of the classes that have rows.
    without : ndarray of bool or None
        Outputs of multilabel data that have no row.
    """

    metric: Metric
    given: Any
    why: str = ""
    factor: float = 1.0
    of_defined: bool = False
    without: Any = None

    def value(self) -> Any:
        """The value; nan with a warning where it is undefined."""
        metric, given = self.metric, self.given
        if given is None:
            warn_undefined(f"{metric.spec.name} is undefined: {self.why}.")
            return _NAN
        if self.of_defined:
            return self.factor * _mean_of_defined(metric, given, self.without)
        value = metric.function(given, given, **metric.params)
        return value if self.factor == 1 else self.factor * float(value)

    def plain(self) -> float | None:
        """The value where there is nothing to tell of it; None where the function has to say it."""
        if self.given is None or self.of_defined or self.factor != 1:
            return None
        tally = self.metric.tally_of(self.given)
        if tally is None:
            return None
        told: list[Any] = []
        value = float(self.metric.read(tally, tell=lambda *what: told.append(what)))
        return None if told or value != value else value


def prepare(
    metric: Metric, rows: AlignedRows, method: str, response: Any, missing: str
) -> Prepared:
    """What to compute a metric from, by the policy for classes."""
    if metric.spec.response == "labels":
        return _prepare_labels(metric, rows, response)
    if metric.spec.check is not None and metric.spec.ranks_labels:  # no row has a class
        weight = rows.sample_weight
        return Prepared(metric, metric.spec.check(rows.y_true, response, sample_weight=weight))
    factor = 1.0
    if metric.params.get("normalize") is False:  # weights may be scaled below: ratios ignore it
        metric = metric.without("normalize")
        weight = rows.sample_weight
        factor = float(len(rows.y_true) if weight is None else np.sum(np.asarray(weight)))
    prepared = _prepare_scores(metric, rows, method, response, missing)
    return prepared if factor == 1 else replace(prepared, factor=factor)


def _prepare_labels(metric: Metric, rows: AlignedRows, y_pred: Any) -> Prepared:
    absolute = metric.spec.weights_are_counts or metric.params.get("normalize") is False
    checked = rows.labels(y_pred, absolute=absolute)
    if metric.sides == "none" or checked.is_multilabel or rows.known is None:
        return Prepared(metric, checked)
    known, occur = rows.known, checked.classes.tolist()
    every = known if occur == known else [*known, *(c for c in occur if c not in known)]
    if len(every) <= 2:
        return Prepared(metric.settled(every), checked)
    if len(known) == 2:  # rows of a class never seen are none of the positive one
        metric = metric.with_params(labels=[metric.positive(known)], average="macro")
        return Prepared(metric.without("pos_label"), checked)
    return Prepared(metric, checked)


def _prepare_scores(
    metric: Metric, rows: AlignedRows, method: str, response: Any, missing: str
) -> Prepared:
    """Scores and probabilities by the classes of the model.

    Classes that the model never saw have probability 0, and no score at all: an area is nan,
    and among the top k they come last. Classes without a row leave a macro average.
    """
    spec, target = metric.spec, rows.target()
    labels, asked = metric.params.get("labels"), metric.params.get("pos_label")
    metric = metric.without("labels", "pos_label")
    macro = metric.takes("average") and metric.options["average"] == "macro"
    if target is None:
        return _prepare_multilabel(metric, rows, method, response, macro)
    why = _undefined(metric, target, missing)
    if why:
        return Prepared(metric, None, why)
    if labels is not None and len(target.known) == 2 and asked is None:
        asked = list(labels)[1]
    positive = _positive(metric, target, asked)
    if spec.response == "probabilities":
        return Prepared(metric, rows.probabilities(response, positive, labels))
    if target.unseen:
        return Prepared(metric, rows.with_unseen(response))
    if spec.needs_positives and positive in target.lacking:
        return Prepared(metric, None, f"no row is of the class {positive!r}")
    given = rows.scores(method, response, positive)
    several = len(target.known) > 2
    return Prepared(metric, given, of_defined=bool(target.lacking) and macro and several)


def _undefined(metric: Metric, target: ModelTarget, missing: str) -> str:
    """Why there is no value, by the policy; empty where there is one."""
    spec, unseen, lacking = metric.spec, target.unseen, target.lacking
    if (unseen or lacking) and missing != "align":
        message = f"classes never seen in training: {unseen}; classes without rows: {lacking}"
        if missing == "raise":
            raise ValueError(f"{spec.name}: {message}.")
        return message
    if unseen and spec.response == "scores" and not spec.misses_unseen:
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


def _prepare_multilabel(
    metric: Metric, rows: AlignedRows, method: str, response: Any, macro: bool
) -> Prepared:
    """Outputs without a row of either kind leave a macro average, as classes do."""
    if metric.spec.response == "probabilities":
        return Prepared(metric, rows.probabilities(response))
    given = rows.scores(method, response)
    if macro and given.true.ndim == 2:
        without = ~given.true.any(axis=0)
        if without.any() or given.true.all(axis=0).any():
            return Prepared(metric, given, of_defined=True, without=without)
    return Prepared(metric, given)


def _mean_of_defined(metric: Metric, given: Any, undefined: Any = None) -> float:
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

"""A registered metric of one model's responses, by the stated policy for classes."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from skmetrics_ext.alignment import (
    AlignedRows,
    ModelTarget,
    natural_positive,
    require_positive,
)
from skmetrics_ext.numeric import nan_average
from skmetrics_ext.registry import METRICS, MetricSpec
from skmetrics_ext.validation import warn_undefined

# Metrics that are the same for both of two classes, so that none has to be named: exchanging
# the classes turns the ranking round.
EITHER_CLASS = frozenset(
    {
        "roc_auc_score",
        "gini_score",
        "gain_capture_score",
        "ks_statistic_score",
        "equal_error_rate",
        "roc_auc_convex_hull_score",
        "brier_score_loss",
        "d2_brier_score",
        "brier_skill_score",
        "spherical_score",
        "expected_calibration_error",
        "smooth_calibration_error",
        "ranked_probability_score",
    }
)
_NAN = float("nan")


def parameters(spec: MetricSpec) -> Mapping[str, inspect.Parameter]:
    """Parameters of the function of a metric."""
    return _parameters(spec.name)


@cache
def _parameters(name: str) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(METRICS[name].function).parameters


def takes_positive(spec: MetricSpec, fixed: Mapping[str, Any]) -> bool:
    """Whether the metric, with these parameters, is of one class of two."""
    own = parameters(spec)
    if "pos_label" not in own:
        return False
    if spec.response != "labels" or "average" not in own:
        return True
    return fixed.get("average", own["average"].default) == "binary"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A metric and the checked data to compute it from.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    given : Labels, Scores, Probabilities or None
        None where it is undefined by the policy.
    options : dict
        Parameters of the metric.
    why : str
        Why it is undefined.
    factor : float
        What the value is multiplied with.
    of_defined : bool
        Whether the macro average is that of the classes that have rows.
    without : ndarray of bool or None
        Outputs of multilabel data that have no row.
    """

    spec: MetricSpec
    given: Any
    options: dict[str, Any]
    why: str = ""
    factor: float = 1.0
    of_defined: bool = False
    without: Any = None

    def value(self) -> Any:
        """The value; nan with a warning where it is undefined."""
        if self.given is None:
            warn_undefined(f"{self.spec.name} is undefined: {self.why}.")
            return _NAN
        if self.of_defined:
            return self.factor * _mean_of_defined(self.spec, self.given, self.options, self.without)
        value = self.spec.function(self.given, self.given, **self.options)
        return value if self.factor == 1 else self.factor * float(value)


def prepare(
    spec: MetricSpec,
    rows: AlignedRows,
    method: str,
    response: Any,
    missing: str,
    options: dict[str, Any],
) -> Prepared:
    """What to compute a metric from, by the policy for classes."""
    if spec.response == "labels":
        return _prepare_labels(spec, rows, response, options)
    factor = 1.0
    if options.get("normalize") is False:  # weights may be scaled below, which ratios ignore
        options.pop("normalize")
        weight = rows.sample_weight
        factor = float(len(rows.y_true) if weight is None else np.sum(np.asarray(weight)))
    prepared = _prepare_scores(spec, rows, method, response, missing, options)
    return prepared if factor == 1 else replace(prepared, factor=factor)


def _prepare_labels(
    spec: MetricSpec, rows: AlignedRows, y_pred: Any, options: dict[str, Any]
) -> Prepared:
    absolute = spec.weights_are_counts or options.get("normalize") is False
    checked = rows.labels(y_pred, absolute=absolute)
    if takes_positive(spec, options) and not checked.is_multilabel and rows.known is not None:
        occur = checked.classes.tolist()
        known = [*rows.known, *(label for label in occur if label not in rows.known)]
        asked = options.get("pos_label")
        if len(known) == 2:
            options["pos_label"] = require_positive(known, asked, spec.name)
        elif len(rows.known) == 2:  # rows of a class never seen are none of the positive one
            options["labels"] = [require_positive(rows.known, asked, spec.name)]
            options.pop("pos_label", None)
            options["average"] = "macro"
    return Prepared(spec, checked, options)


def _prepare_scores(
    spec: MetricSpec,
    rows: AlignedRows,
    method: str,
    response: Any,
    missing: str,
    options: dict[str, Any],
) -> Prepared:
    """Scores and probabilities by the classes of the model.

    Classes that the model never saw have probability 0, and no score at all: an area is nan,
    and among the top k they come last. Classes without a row leave a macro average.
    """
    target = rows.target()
    labels, asked = options.pop("labels", None), options.pop("pos_label", None)
    macro = "average" in parameters(spec) and options.get("average", "macro") == "macro"
    if target is None:
        return _prepare_multilabel(spec, rows, method, response, options, macro)
    why = _undefined(spec, target, missing)
    if why:
        return Prepared(spec, None, options, why)
    if labels is not None and len(target.known) == 2 and asked is None:
        asked = list(labels)[1]
    positive = _positive(spec, target, asked)
    if spec.response == "probabilities":
        return Prepared(spec, rows.probabilities(response, positive, labels), options)
    if target.unseen:
        return Prepared(spec, rows.with_unseen(response), options)
    if spec.name == "average_precision_score" and positive in target.lacking:
        return Prepared(spec, None, options, f"no row is of the class {positive!r}")
    given = rows.scores(method, response, positive)
    several = len(target.known) > 2
    return Prepared(spec, given, options, of_defined=bool(target.lacking) and macro and several)


def _undefined(spec: MetricSpec, target: ModelTarget, missing: str) -> str:
    """Why there is no value, by the policy; empty where there is one."""
    unseen, lacking = target.unseen, target.lacking
    if (unseen or lacking) and missing != "align":
        message = f"classes never seen in training: {unseen}; classes without rows: {lacking}"
        if missing == "raise":
            raise ValueError(f"{spec.name}: {message}.")
        return message
    if unseen and spec.response == "scores" and spec.name != "top_k_accuracy_score":
        return f"the model never saw the classes {unseen} of y_true and has no score for them"
    if len(target.every) < 2:
        return f"the model and the rows have the single class {target.every[0]!r}"
    return ""


def _positive(spec: MetricSpec, target: ModelTarget, asked: Any) -> Any:
    """The positive class of two; None for any other number of classes."""
    classes = target.every if spec.response == "probabilities" else target.known
    if len(classes) != 2:
        return None
    needed = "pos_label" in parameters(spec) and spec.name not in EITHER_CLASS
    if needed or asked is not None:
        return require_positive(classes, asked, spec.name)
    found = natural_positive(classes)
    return classes[1] if found is None else found


def _prepare_multilabel(
    spec: MetricSpec,
    rows: AlignedRows,
    method: str,
    response: Any,
    options: dict[str, Any],
    macro: bool,
) -> Prepared:
    """Outputs without a row of either kind leave a macro average, as classes do."""
    if spec.response == "probabilities":
        return Prepared(spec, rows.probabilities(response), options)
    given = rows.scores(method, response)
    if macro and given.true.ndim == 2:
        without = ~given.true.any(axis=0)
        if without.any() or given.true.all(axis=0).any():
            return Prepared(spec, given, options, of_defined=True, without=without)
    return Prepared(spec, given, options)


def _mean_of_defined(
    spec: MetricSpec, given: Any, options: dict[str, Any], undefined: Any = None
) -> float:
    """Macro average over the classes that have rows; warns only where none has."""
    from sklearn.exceptions import UndefinedMetricWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.filterwarnings("ignore", "No positive class found", UserWarning)
        values = spec.function(given, given, **{**options, "average": None})
    values = np.asarray(values, dtype=np.float64)
    if undefined is not None:
        values = np.where(undefined, np.nan, values)
    mean = nan_average(values)
    if np.isnan(mean):
        warn_undefined(f"{spec.name} is undefined: no class has both rows and others.")
    return mean

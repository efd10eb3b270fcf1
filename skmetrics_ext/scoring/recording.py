"""Many metrics of one evaluation: none of them can lose the others."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skmetrics_ext.scoring.scorer import ScoredModel, Scorer, metric_of

# Warnings are recorded through state of the whole process, which threads would mix up.
_RECORDING = threading.RLock()
_SHOWN: dict[str | tuple[str, type[Warning], int], int] = {}  # so that each is shown once
_LONGEST = 300  # characters of a reason; errors of estimators may quote whole arrays
_NO_REASON = "the scorer gave nan"


@dataclass(frozen=True, slots=True)
class PanelResult:
    """Values of many metrics of one model on the same rows.

    Parameters
    ----------
    values : dict of str to float
        Greater is better; nan where a metric is undefined.
    reasons : dict of str to str
        Why, for those that are nan.
    notes : dict of str to str
        What was warned of while a defined value was computed (a convention for 0/0).
    """

    values: dict[str, float]
    reasons: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


def evaluate_all(
    scorers: Mapping[str, Callable[..., Any]],
    evaluation: ScoredModel,
    params_of: Mapping[str, Mapping[str, Any]],
    *,
    reraise: bool = False,
) -> PanelResult:
    """Value of every scorer; what fails is nan with its reason, unless ``reraise``."""
    result = PanelResult({})
    for name, failure in _predict(scorers, evaluation).items():
        if reraise:
            raise failure
        result.reasons[name] = one_line(failure)
    found: dict[str, float] = {}
    with _RECORDING:
        for name in sorted(scorers, key=lambda name: _place(scorers[name])):
            value = float("nan")
            if name not in result.reasons:
                value, reason, note = _score(
                    scorers[name], evaluation, params_of.get(name, {}), reraise
                )
                if reason:
                    result.reasons[name] = reason
                elif note:
                    result.notes[name] = note
            found[name] = value
    result.values.update({name: found[name] for name in scorers})
    return result


def _place(scorer: Any) -> int:
    """Metrics of labels first: to count them encodes the true labels for all."""
    metric = metric_of(scorer)
    if metric is None:
        return 3
    return ("labels", "probabilities", "scores").index(metric.spec.response)


def _predict(
    scorers: Mapping[str, Callable[..., Any]], evaluation: ScoredModel
) -> dict[str, Exception]:
    """Call each method of the estimator once, before warnings are recorded; what fails by name."""
    responses = evaluation.responses
    failures: dict[str, Exception] = {}
    failed: dict[str, Exception] = {}
    for name, scorer in scorers.items():
        if not isinstance(scorer, Scorer):
            continue
        try:
            method = scorer.method(responses)
        except AttributeError as error:
            failures[name] = error
            continue
        if method not in failed:
            try:
                responses.get(method)
            except Warning:  # the user made errors of warnings
                raise
            except Exception as error:
                failed[method] = error
        if method in failed:
            failures[name] = failed[method]
    return failures


def _score(
    scorer: Callable[..., Any], evaluation: ScoredModel, params: Mapping[str, Any], reraise: bool
) -> tuple[float, str, str]:
    """Value, the reason why it is undefined, and what was warned of."""
    from sklearn.exceptions import UndefinedMetricWarning

    error = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        try:
            if isinstance(scorer, Scorer):
                value = float(scorer.evaluate(evaluation, **params))
            else:
                responses = evaluation.responses
                value = float(scorer(responses.estimator, responses.X, evaluation.y_true, **params))
        except Warning:
            raise
        except Exception as failure:
            if reraise:
                raise
            value, error = float("nan"), one_line(failure)
    told = []
    for warning in caught:
        if issubclass(warning.category, UndefinedMetricWarning):
            told.append(" ".join(str(warning.message).split()))
        else:
            warnings.warn_explicit(
                warning.message,
                warning.category,
                warning.filename,
                warning.lineno,
                registry=_SHOWN,
            )
    note = "; ".join(dict.fromkeys(told))
    if np.isnan(value):
        return value, error or note or _usual_reason(scorer), ""
    return value, "", note


def _usual_reason(scorer: Callable[..., Any]) -> str:
    metric = metric_of(scorer)
    if metric is None or metric.spec.undefined == "never":
        return _NO_REASON
    return metric.spec.undefined


def one_line(error: Exception) -> str:
    """An error as one line of limited length."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."

"""Many metrics of one evaluation: none of them can lose the others."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skmetrics_ext.result_bases import Result
from skmetrics_ext.rows import Rows
from skmetrics_ext.scoring.scorer import ScoredModel, Scorer, metric_of
from skmetrics_ext.validation import InvalidParameterError

# Warnings are recorded through state of the whole process, which threads would mix up.
_RECORDING = threading.RLock()
_SHOWN: dict[str | tuple[str, type[Warning], int], int] = {}  # so that each is shown once
_LONGEST = 300  # characters of a reason; errors of estimators may quote whole arrays
_NO_REASON = "the scorer gave nan"
_WEIGHT = {"sample_weight"}
_NO_PARAMS: Mapping[str, Any] = {}
_LAST = 3

Scoring = Callable[..., Any]


@dataclass(frozen=True, repr=False, slots=True)
class PanelResult(Result):
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

    def _as_rows(self) -> Rows:
        return Rows(
            {
                "metric": name,
                "value": value,
                "reason": self.reasons.get(name),
                "note": self.notes.get(name),
            }
            for name, value in self.values.items()
        )


def evaluate_all(
    scorers: Mapping[str, Scoring],
    model: ScoredModel,
    params_of: Mapping[str, Mapping[str, Any]],
    *,
    reraise: bool = False,
) -> PanelResult:
    """Value of every scorer; what fails is nan with its reason, unless ``reraise``."""
    result = PanelResult(dict.fromkeys(scorers, float("nan")))
    for name, failure in _predict(scorers, model).items():
        if reraise:
            raise failure
        result.reasons[name] = one_line(failure)
    for name, scorer in sorted(scorers.items(), key=_place_of):
        if name in result.reasons:
            continue
        params = params_of.get(name) or _NO_PARAMS
        value = _plain(scorer, model, params)
        if value is not None:
            result.values[name] = value
            continue
        with _RECORDING:
            result.values[name], reason, note = _recorded(scorer, model, params, reraise)
        if reason:
            result.reasons[name] = reason
        elif note:
            result.notes[name] = note
    return result


def _place_of(named: tuple[str, Scoring]) -> int:
    """When a scorer is read; those that are not ours go last."""
    return getattr(named[1], "_place", _LAST)


def _predict(scorers: Mapping[str, Scoring], model: ScoredModel) -> dict[str, Exception]:
    """Call each method of the estimator once, before warnings are recorded; what fails by name."""
    failures: dict[str, Exception] = {}
    for name, scorer in scorers.items():
        if not isinstance(scorer, Scorer):
            continue
        try:
            model.response(scorer)
        except Warning:  # the user made errors of warnings
            raise
        except Exception as error:
            failures[name] = error
    return failures


def _plain(scorer: Scoring, model: ScoredModel, params: Mapping[str, Any]) -> float | None:
    """Value of a metric of which nothing is to be told; None where warnings must be recorded."""
    if not isinstance(scorer, Scorer) or not scorer._is_plain or params.keys() - _WEIGHT:
        return None
    try:
        prepared = model.prepared(scorer, params.get("sample_weight"))
        if prepared is None or prepared.given is None:
            return None
        ground, metric = prepared.ground, prepared.metric
        if ground.lacking or ground.total != 1 or ground.unseen:
            return None
        if ground.given.cache.get("no_sum"):
            return None
        tally = ground.tally
        if tally is None:
            tally = metric.tally_of(ground.given)
            if tally is None:
                return None
        told: list[Any] = []
        value = metric.read(tally, tell=lambda *what: told.append(what))
        if value.ndim:  # a scorer gives one number
            return None
    except Warning:
        raise
    except Exception:  # asked again, it says why
        return None
    return None if told or value != value else scorer._sign * float(value)


def _recorded(
    scorer: Scoring, model: ScoredModel, params: Mapping[str, Any], reraise: bool
) -> tuple[float, str, str]:
    """Value, the reason why it is undefined, and what was warned of."""
    from sklearn.exceptions import UndefinedMetricWarning

    error = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        try:
            if isinstance(scorer, Scorer):
                value = scorer.evaluate(model, **params)
            else:
                responses = model.responses
                value = scorer(responses.estimator, responses.X, model.y_true, **params)
            if getattr(value, "ndim", 0):
                raise InvalidParameterError(
                    f"It gives {value.size} values, and one number is wanted: of a metric with a "
                    "value for each class choose an average other than None."
                )
            value = float(value)
        except Warning:
            raise
        except Exception as failure:
            if reraise:
                raise
            if isinstance(scorer, Scorer) and (scorer._metric or scorer._worst):
                model.check_rows(params.get("sample_weight"))
            value, error = float("nan"), one_line(failure)
    told = []
    for warning in caught:
        if issubclass(warning.category, UndefinedMetricWarning):
            told.append(" ".join(str(warning.message).split()))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, registry=_SHOWN
            )
    note = "; ".join(dict.fromkeys(told))
    if np.isnan(value):
        return value, error or note or _usual_reason(scorer), ""
    return value, "", note


def _usual_reason(scorer: Scoring) -> str:
    metric = metric_of(scorer)
    if metric is None or metric.spec.undefined == "never":
        return _NO_REASON
    return metric.spec.undefined


def one_line(error: Exception) -> str:
    """An error as one line of limited length."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."

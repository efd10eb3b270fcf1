"""Many metrics of one model: if one fails, the others keep their values."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skmetrics_ext.questions import Rows
from skmetrics_ext.registry import spec_of
from skmetrics_ext.result_bases import Result
from skmetrics_ext.scoring.scorer import Scorer, metric_of
from skmetrics_ext.tables import Table
from skmetrics_ext.validation import InvalidParameterError

# Recording warnings changes state of the whole process, which threads would mix up.
_RECORDING = threading.RLock()
_SHOWN: dict[str | tuple[str, type[Warning], int], int] = {}  # each warning is shown once
_LONGEST = 300  # characters of a reason; errors of estimators may quote whole arrays
_NO_REASON = "the scorer returned nan"
_WEIGHT = {"sample_weight"}
_NO_PARAMS: Mapping[str, Any] = {}
_LAST = 3  # after `Scorer._order` of our own metrics

Scoring = Callable[..., Any]


@dataclass(frozen=True, repr=False, slots=True)
class PanelResult(Result):
    """Values of many metrics of one model on the same rows.

    Parameters
    ----------
    values : dict of str to float
        Greater is better; nan where a metric is undefined.
    reasons : dict of str to str
        Why a metric is nan.
    notes : dict of str to str
        Warnings about a value that is defined (a convention for 0/0).
    """

    values: dict[str, float]
    reasons: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def _as_rows(self) -> Table:
        return Table(
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
    rows: Rows,
    params_of: Mapping[str, Mapping[str, Any]],
    *,
    reraise: bool = False,
) -> PanelResult:
    """Value of every scorer; nan with a reason for one that fails, unless ``reraise``."""
    result = PanelResult(dict.fromkeys(scorers, float("nan")))
    order = {name: getattr(scorer, "_order", _LAST) for name, scorer in scorers.items()}
    for name in sorted(scorers, key=order.__getitem__):
        scorer, params = scorers[name], params_of.get(name) or _NO_PARAMS
        value = _plain(scorer, rows, params)
        if value is not None:
            result.values[name] = value
            continue
        if isinstance(scorer, Scorer):
            try:  # the estimator's own warnings are not recorded
                scorer.response(rows)
            except Warning:  # the user turned warnings into errors
                raise
            except Exception as failure:
                if reraise:
                    raise
                result.reasons[name] = one_line(failure)
                continue
        with _RECORDING:
            result.values[name], reason, note = _recorded(scorer, rows, params, reraise)
        if reason:
            result.reasons[name] = reason
        elif note:
            result.notes[name] = note
    return result


def _plain(scorer: Scoring, rows: Rows, params: Mapping[str, Any]) -> float | None:
    """Score without warnings; None if the metric must be computed while warnings are recorded."""
    if not isinstance(scorer, Scorer) or not scorer._is_plain or params.keys() - _WEIGHT:
        return None
    try:
        asked = scorer.ask(rows, params.get("sample_weight"))
    except Warning:
        raise
    except Exception:  # raised and recorded again by `_recorded`
        return None
    value = None if asked is None else asked.plain_value()
    return None if value is None else scorer._sign * value


def _recorded(
    scorer: Scoring, rows: Rows, params: Mapping[str, Any], reraise: bool
) -> tuple[float, str, str]:
    """Value, the reason if it is undefined, and the note if it is defined with a warning."""
    from sklearn.exceptions import UndefinedMetricWarning

    error = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        try:
            if isinstance(scorer, Scorer):
                value = scorer.evaluate(rows, **params)
            else:
                value = scorer(rows.estimator, rows.X, rows.y_true, **params)
            if getattr(value, "ndim", 0):
                raise InvalidParameterError(
                    f"A scorer must return one number, got {value.size} values: choose an average "
                    "other than None."
                )
            value = float(value)
        except Warning:
            raise
        except Exception as failure:
            if reraise:
                raise
            if isinstance(scorer, Scorer) and spec_of(scorer._function) is not None:
                rows.weighted(params.get("sample_weight")).check()
            value, error = float("nan"), one_line(failure)
    messages = []
    for warning in caught:
        if issubclass(warning.category, UndefinedMetricWarning):
            messages.append(" ".join(str(warning.message).split()))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, registry=_SHOWN
            )
    note = "; ".join(dict.fromkeys(messages))
    if not np.isnan(value):
        return value, "", note
    metric = metric_of(scorer)
    if metric is None or metric.spec.undefined == "never":
        usual = _NO_REASON
    else:
        usual = metric.spec.undefined
    return value, error or note or usual, ""


def one_line(error: Exception) -> str:
    """An error as one line, shortened if it is long."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."

"""Intervals of the metrics of a panel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.intervals import interval_of_checked
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.scoring.recording import one_line
from skmetrics_ext.scoring.scorer import ScoredModel, Scorer

_FOREIGN = "only metrics of this package have intervals"


def interval_of(
    scorer: Callable[..., Any],
    evaluation: ScoredModel,
    params: Mapping[str, Any],
    value: float,
    options: Mapping[str, Any],
) -> tuple[float, float]:
    """Bounds of a metric in the direction of the scorer; nan where there are none."""
    if not np.isnan(value):
        estimate, _ = estimate_of(scorer, evaluation, params, options, value)
        if estimate is not None:
            return estimate.low, estimate.high
    return float("nan"), float("nan")


def estimate_of(
    scorer: Callable[..., Any],
    evaluation: ScoredModel,
    params: Mapping[str, Any],
    options: Mapping[str, Any],
    value: float,
) -> tuple[Estimate | None, str | None]:
    """A metric with its interval in the direction of the scorer, or why there is none.

    Parameters
    ----------
    scorer : callable
        Has an interval where it is a `Scorer` of a registered metric.
    evaluation : Evaluation
        The estimator and the rows.
    params : mapping
        Further arguments (``sample_weight``).
    options : mapping
        Of `confidence_interval`.
    value : float
        What the scorer gave.

    Returns
    -------
    Estimate or None
    str or None
    """
    from sklearn.exceptions import UndefinedMetricWarning

    if not isinstance(scorer, Scorer):
        return None, _FOREIGN
    prepared = evaluation.prepared(scorer, params.get("sample_weight"))
    if prepared is None:
        return None, _FOREIGN
    if prepared.given is None:
        return None, prepared.why
    if prepared.of_defined or prepared.ground.total != 1:
        return None, "an average over the classes that have rows has no interval"
    try:
        with warnings.catch_warnings():  # told when the value was computed
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            found = interval_of_checked(
                prepared.metric, prepared.given, value=scorer._sign * value, **options
            )
    except (ValueError, TypeError, NotImplementedError) as error:
        return None, one_line(error)
    if isinstance(found, list):
        return None, "it has a value for each class"
    if scorer._sign > 0:
        return found, None
    return replace(found, value=-found.value, low=-found.high, high=-found.low), None

"""Intervals of the metrics of a panel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from skmetrics_ext.inference.confidence_interval import interval_of_checked
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.scoring.prepared import Prepared
from skmetrics_ext.scoring.recording import one_line
from skmetrics_ext.scoring.scorer import ScoredModel, Scorer
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.groups import read_groups


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

    prepared = with_rows(scorer, evaluation, params)
    if isinstance(prepared, str):
        return None, prepared
    assert isinstance(scorer, Scorer)
    sign, groups = scorer._sign, options.get("groups")
    if groups is not None:
        group = read_groups(groups, count_rows(evaluation.y_true) or 0, True)
        options = {**options, "groups": prepared.of_rows_read(group, params)}
    try:
        with warnings.catch_warnings():  # told when the value was computed
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            found = interval_of_checked(
                prepared.metric, prepared.given, value=sign * value, **options
            )
    except (ValueError, TypeError, NotImplementedError) as error:
        return None, one_line(error)
    if isinstance(found, list):
        return None, "it has a value for each class"
    return found if sign > 0 else turned(found, sign), None


def with_rows(
    scorer: Callable[..., Any], evaluation: ScoredModel, params: Mapping[str, Any]
) -> Prepared | str:
    """The metric of a scorer and the rows that it reads, or why it has no interval."""
    prepared = None
    if isinstance(scorer, Scorer):
        prepared = evaluation.prepared(scorer, params.get("sample_weight"))
    if prepared is None:
        if isinstance(scorer, Scorer) and scorer._worst is not None:
            return "the value of the worst group has no interval: evaluate(by=...).worst has one"
        return "only metrics of this package have intervals"
    if prepared.given is None:
        return prepared.why
    if (prepared.ground.lacking and prepared.of_defined) or prepared.ground.total != 1:
        return "an average over the classes that have rows has no interval"
    return prepared


def turned(found: Estimate, sign: int) -> Estimate:
    """An estimate in the direction of a scorer."""
    if sign > 0:
        return found
    return replace(found, value=-found.value, low=-found.high, high=-found.low)

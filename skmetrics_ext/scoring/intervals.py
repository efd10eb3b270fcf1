"""Intervals of the metrics of a panel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from skmetrics_ext.inference.confidence_interval import interval_of_checked
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.scoring.missing_classes import PreparedMetric
from skmetrics_ext.scoring.recording import one_line
from skmetrics_ext.scoring.scorer import ScoredModel, Scorer
from skmetrics_ext.scoring.worst_group import WorstGroupScorer
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.groups import read_groups


def estimate_of(
    scorer: Callable[..., Any],
    evaluation: ScoredModel,
    params: Mapping[str, Any],
    options: Mapping[str, Any],
    value: float,
) -> tuple[Estimate | None, str | None]:
    """The interval of a score, or the reason why there is none.

    Parameters
    ----------
    scorer : callable
        Only a `Scorer` of a registered metric has an interval.
    evaluation : ScoredModel
        The estimator and the rows.
    params : mapping
        Further arguments (``sample_weight``).
    options : mapping
        Arguments of `confidence_interval`.
    value : float
        The score.

    Returns
    -------
    Estimate or None
        In the direction of the scorer.
    str or None
        Why there is none.
    """
    from sklearn.exceptions import UndefinedMetricWarning

    prepared = with_rows(scorer, evaluation, params)
    if isinstance(prepared, str):
        return None, prepared
    assert isinstance(scorer, Scorer)
    sign, groups = scorer._sign, options.get("groups")
    if groups is not None:
        group = read_groups(groups, count_rows(evaluation.y_true) or 0, True)
        options = {**options, "groups": prepared.values_of_rows_read(group, params)}
    try:
        with warnings.catch_warnings():  # shown when the value was computed
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            estimate = interval_of_checked(
                prepared.metric, prepared.data.checked, value=sign * value, **options
            )
    except (ValueError, TypeError, NotImplementedError) as error:
        return None, one_line(error)
    if isinstance(estimate, list):
        return None, "it has a value for each class"
    return in_direction(estimate, sign), None


def with_rows(
    scorer: Callable[..., Any], evaluation: ScoredModel, params: Mapping[str, Any]
) -> PreparedMetric | str:
    """The metric of a scorer with its data, or the reason why it has no interval."""
    prepared = None
    if isinstance(scorer, Scorer):
        prepared = evaluation.prepared(scorer, params.get("sample_weight"))
    if prepared is None:
        if isinstance(scorer, WorstGroupScorer):
            return "the score of the worst group has no interval: evaluate(by=...).worst has one"
        return "only metrics of this package have intervals"
    if prepared.checked is None:
        return prepared.reason
    if prepared.averages_defined_classes:
        return "an average over the classes that have rows has no interval"
    if prepared.data.total != 1:
        return "a sum (normalize=False) has no interval"
    return prepared


def in_direction(estimate: Estimate, sign: int) -> Estimate:
    """The estimate, or for ``sign=-1`` that of its negative."""
    if sign > 0:
        return estimate
    return replace(estimate, value=-estimate.value, low=-estimate.high, high=-estimate.low)

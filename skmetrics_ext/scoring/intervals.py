"""Intervals of the metrics of a panel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from skmetrics_ext.inference.confidence_interval import interval_of_checked
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.questions import AskedMetric, Rows
from skmetrics_ext.scoring.recording import one_line
from skmetrics_ext.scoring.scorer import Scorer
from skmetrics_ext.scoring.worst_group import WorstGroupScorer
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.groups import read_groups


def estimate_of(
    scorer: Callable[..., Any],
    rows: Rows,
    params: Mapping[str, Any],
    options: Mapping[str, Any],
    value: float,
) -> tuple[Estimate | None, str | None]:
    """The interval of a score, or the reason why there is none.

    Parameters
    ----------
    scorer : callable
        Only a `Scorer` of a registered metric has an interval.
    rows : Rows
        True labels and the responses of an estimator.
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

    asked = with_view(scorer, rows, params)
    if isinstance(asked, str):
        return None, asked
    assert isinstance(scorer, Scorer)
    sign, groups = scorer._sign, options.get("groups")
    if groups is not None:
        group = read_groups(groups, count_rows(rows.y_true) or 0, True)
        options = {**options, "groups": asked.per_row(group, params.get("sample_weight"))}
    try:
        with warnings.catch_warnings():  # shown when the value was computed
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            estimate = interval_of_checked(asked.metric, asked.view, value=sign * value, **options)
    except (ValueError, TypeError, NotImplementedError) as error:
        return None, one_line(error)
    if isinstance(estimate, list):
        return None, "it has a value for each class"
    return (estimate if sign > 0 else in_direction(estimate, sign)), None


def with_view(
    scorer: Callable[..., Any], rows: Rows, params: Mapping[str, Any]
) -> AskedMetric | str:
    """The metric of a scorer, asked of rows, or the reason why it has no interval."""
    asked = None
    if isinstance(scorer, Scorer):
        asked = scorer.ask(rows, params.get("sample_weight"))
    if asked is None:
        if isinstance(scorer, WorstGroupScorer):
            return "the score of the worst group has no interval: evaluate(by=...).worst has one"
        return "only metrics of this package have intervals"
    if asked.view is None or "without_rows" in asked.view.cache:
        if asked.checked is None:
            return asked.reason
        if asked.averages_defined_classes:
            return "an average over the classes that have rows has no interval"
    if asked.total != 1:
        return "a sum (normalize=False) has no interval"
    return asked


def in_direction(estimate: Estimate, sign: int) -> Estimate:
    """The estimate, or for ``sign=-1`` that of its negative."""
    if sign > 0:
        return estimate
    return replace(estimate, value=-estimate.value, low=-estimate.high, high=-estimate.low)

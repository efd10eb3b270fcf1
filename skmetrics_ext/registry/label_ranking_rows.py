"""Rows of the metrics that rank the labels of each row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.rankings import discounted_gain, label_ranking
from skmetrics_ext.registry.spec import INFINITY, NEVER, MetricSpec
from skmetrics_ext.validation.relevance import check_marks, check_relevance


def _of_labels(
    function: Callable[..., Any],
    row_values: Callable[..., Any],
    bounds: tuple[float, float],
    check: Callable[..., Any],
    *,
    greater_is_better: bool = True,
) -> MetricSpec:
    """Row of a mean over rows of several labels each."""
    name = function.__name__
    return MetricSpec(
        name,
        function,
        mean,
        "moments",
        "scores",
        bounds,
        NEVER,
        greater_is_better,
        name.removesuffix("_score"),
        check=check,
        row_values=row_values,
        ranks_labels=True,
    )


ROWS = (
    _of_labels(
        label_ranking.coverage_error,
        label_ranking.coverage_rows,
        (0.0, INFINITY),
        check_marks,
        greater_is_better=False,
    ),
    _of_labels(
        label_ranking.label_ranking_average_precision_score,
        label_ranking.precision_rows,
        (0.0, 1.0),
        partial(check_marks, one_label=True),
    ),
    _of_labels(
        label_ranking.label_ranking_loss,
        label_ranking.loss_rows,
        (0.0, 1.0),
        check_marks,
        greater_is_better=False,
    ),
    _of_labels(
        discounted_gain.dcg_score,
        discounted_gain.gain_rows,
        (-INFINITY, INFINITY),
        check_relevance,
    ),
    _of_labels(
        discounted_gain.ndcg_score,
        discounted_gain.normalized_rows,
        (0.0, 1.0),
        partial(check_relevance, negative=False),
    ),
)

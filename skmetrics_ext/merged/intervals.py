"""Intervals of what was summed, where the sums tell the spread."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.inference.influence.areas import area_bounds, newcombe_bounds
from skmetrics_ext.inference.influence.scales import delta_bounds, quantile
from skmetrics_ext.inference.intervals import interval_of_checked
from skmetrics_ext.inference.proportions import proportion_bounds
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.ranges import SPREAD, kind_of
from skmetrics_ext.merged.values import Ranking
from skmetrics_ext.metrics.probabilities import losses
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.metrics.rankings.roc_auc import roc_auc_score
from skmetrics_ext.numeric import divide
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.tallies import MomentTally, Wins
from skmetrics_ext.validation import Labels

Bounded = tuple[float, float, str, str]  # low, high, method, reason
WEIGHTED = (
    "the spread of weighted rows is not in sums of their weights: use confidence_interval on the "
    "rows"
)
RESAMPLED = "its interval needs resampling, and so the rows"
_NONE = float("nan")


def refused(reason: str) -> Bounded:
    return _NONE, _NONE, "", reason


def of_table(
    one: Metric, layout: Layout, labels: Labels, level: float, weighted: bool, value: Any
) -> Bounded:
    """Of a metric of labels with this value: its cells are all that there is to know."""
    if weighted:
        return refused(WEIGHTED)
    metric = layout.settled(one)
    if metric.params.get("average", "") is None:
        return refused("intervals are of single numbers")
    try:
        found = interval_of_checked(
            metric,
            labels,
            value=value,
            weights_are="frequency",
            confidence_level=level,
            random_state=0,
        )
    except (ValueError, TypeError) as error:
        return refused(" ".join(str(error).split()))
    if isinstance(found, list):
        return refused("intervals are of single numbers")
    return found.low, found.high, found.method, found.note


def of_moments(one: Metric, moments: MomentTally, level: float, weighted: bool) -> Bounded:
    """Of a mean of the rows."""
    if weighted:
        return refused(WEIGHTED)
    if one.spec.kernel is not losses.mean or moments.mean.shape[-1] != 1:
        return refused("a ratio of means has no interval from sums")
    value, n_rows = moments.mean[..., 0], float(moments.n_rows)
    if one.spec.interval == "wilson":
        low, high = proportion_bounds(value * n_rows, n_rows, "wilson", level)
        return float(low), float(high), "wilson", ""
    variance = divide(moments.comoment[..., 0, 0], n_rows * (n_rows - 1))
    if np.isnan(variance):
        return refused("one row has no spread")
    z = quantile(level, np.asarray(n_rows - 1))
    low, high = delta_bounds(value, np.sqrt(variance), z, one.spec.bounds)
    return float(low), float(high), "t", ""


def of_ranking(one: Metric, ranking: Ranking, level: float) -> Bounded:
    """Of a whole area under the ROC curve of two classes."""
    if ranking.masses.dtype.kind == "f":
        return refused(WEIGHTED)
    if kind_of(one) != "wins":
        return refused(RESAMPLED)
    if not ranking.layout.is_binary:
        return refused("areas of several classes vary together, and the rows say how")
    if ranking.whole:
        found = interval_of_checked(
            find(roc_auc_score),
            ranking.scores(),
            method="logit",
            weights_are="frequency",
            confidence_level=level,
        )
    else:
        found = _by_squares(ranking, level)
    assert isinstance(found, Estimate)
    low, high = one.kernel(Wins.of_area(np.array([found.low, found.high]))).tolist()
    return low, high, found.method, found.note


def _by_squares(ranking: Ranking, level: float) -> Estimate:
    """DeLong's variance from the sums of squares that the ranges found."""
    area = float(roc_auc(ranking.wins()))
    n_neg, n_pos = (float(mass) for mass in ranking.masses)
    of_pos, of_neg = ranking.columns[0].sums[SPREAD]
    if min(n_neg, n_pos) < 2 or not 0 < area < 1:
        ends = newcombe_bounds(np.asarray(area), np.asarray(n_pos), np.asarray(n_neg), level)
        return Estimate(area, float(ends[0]), float(ends[1]), _NONE, "newcombe", level)
    parts = [
        max(squares - rows * area * area, 0.0) / (rows * (rows - 1))
        for squares, rows in ((of_pos, n_pos), (of_neg, n_neg))
    ]
    variance = sum(parts)
    spent = parts[0] ** 2 / (n_pos - 1) + parts[1] ** 2 / (n_neg - 1)
    freedom = variance**2 / spent if spent else float("inf")
    error = float(np.sqrt(variance))
    low, high = area_bounds(area, error, freedom, "logit", level)
    return Estimate(area, low, high, error, "logit", level)

"""Derivative of a metric by the weight of each unit of its rows: of tables, means, rankings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.draws.rankings import RankReading, is_area
from skmetrics_ext.inference.draws.readings import (
    CheckedReading,
    MomentReading,
    Reading,
    TableReading,
    TallyReading,
)
from skmetrics_ext.inference.influence.counts import has_counts, of_counts
from skmetrics_ext.inference.influence.derivatives import STEP, gradient
from skmetrics_ext.metrics.averaging import (
    MACRO,
    MICRO,
    SAMPLES,
    average_values,
    is_by_support,
    is_plain,
    pair_shares,
)
from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.metrics.rankings.score_tally import rankings_of
from skmetrics_ext.numeric import Array, divide, row_sums
from skmetrics_ext.tallies import Means, RankTally
from skmetrics_ext.validation import Scores

Slope = Callable[[RankTally], Array]


def slopes(reading: Reading) -> Array | None:
    """Derivative of the metric by the weight of each unit, (*S, U); None where it has none."""
    if isinstance(reading, TableReading):
        slope = gradient(reading.read, reading.tables(reading.units.rows))
        return np.asarray(slope.reshape(*slope.shape[:-2], -1)[..., reading.cell])
    if isinstance(reading, MomentReading):
        return of_means(reading)
    if isinstance(reading, CheckedReading) and has_counts(reading):
        return of_counts(reading)
    slope_of = ranking_slope(reading)
    if slope_of is None:
        return None
    if isinstance(reading, RankReading):
        return _of_rankings(reading, slope_of)
    assert isinstance(reading, CheckedReading)
    return _OF_ROWS[_kind(reading)](reading, slope_of)


def has_slopes(reading: Reading) -> bool:
    """Whether the metric has a derivative by its units."""
    if isinstance(reading, TableReading | MomentReading):
        return True
    if isinstance(reading, CheckedReading) and has_counts(reading):
        return True
    return ranking_slope(reading) is not None


def ranking_slope(reading: Reading) -> Slope | None:
    """The slope of the kernel of a metric of rankings, where one is known that can be averaged."""
    if not isinstance(reading, TallyReading):
        return None
    metric = reading.metric
    row = metric.row
    if row is None or row.slope is None:
        return None
    if isinstance(reading, CheckedReading) and not _kind(reading):
        return None
    return partial(row.slope, **metric.own) if metric.own else row.slope


# --------------------------------------------------------------------------- by kind


def of_means(reading: MomentReading) -> Array:
    """Of the kernel of means, along what is measured on each unit."""
    measured, (weight, _, sizes, _) = reading.measured, reading.facts
    seen = np.ones(len(measured)) if sizes is None else sizes  # every row is a unit
    mass = seen if weight is None else seen * weight
    total = mass.sum()
    means = np.einsum("u,ud->d", mass, measured) / total
    if reading.metric.spec.kernel is mean:
        return np.asarray((measured - means)[:, 0] / total)
    moved = means + 1j * STEP * np.eye(len(means))
    values = reading.metric.read(Means(np.full(len(means), total), moved))
    slope = values.imag / STEP
    return np.asarray(np.einsum("ud,d->u", measured - means, slope) / total)


def _of_rankings(reading: RankReading, slope: Slope) -> Array:
    """Of the positive class, or of each class against the rest."""
    mass = reading.units.mass(reading.units.rows)
    found = [slope(view.tally(mass)).reshape(-1)[view.index] for view in reading.views]
    average = reading.metric.options.get("average", MACRO)
    if reading.data.kind == "binary":
        return found[0]
    each = np.stack(found)
    if average is None:
        return each
    if is_plain(average):
        return np.asarray(each.mean(axis=0))
    # The shares of the classes vary from sample to sample like their values.
    marks = reading.data.marks()[reading.units.first]
    support = np.einsum("u,uk->k", mass, marks)
    each_class = reading.metric.with_params(average=None)
    values = np.nan_to_num(each_class.read(reading.tally(reading.units.rows)))
    mean = average_values(values, average, support)
    gain = np.einsum("uk,k->u", marks, values - mean) / support.sum()
    return np.asarray(average_values(np.nan_to_num(each.T), average, support) + gain)


# --------------------------------------------------------------------------- rows of rankings


def _kind(reading: CheckedReading) -> str:
    """How a metric of rankings reads rows that have no ranking of their class: by its average."""
    metric, data = reading.metric, reading.data
    if metric.spec.tally != "ranks" or not isinstance(data, Scores):
        return ""
    if metric.options.get("multi_class") == "ovo" and data.kind == "multiclass":
        return "pairs"
    average = metric.options.get("average", MACRO)
    return average if average in _OF_ROWS else ""


def _of_cells(reading: CheckedReading, slope: Slope) -> Array:
    """Every cell of the scores by classes is a row of one binary problem."""
    checked = _weighted(reading)
    tally = RankTally.of_cells(checked)
    place = np.searchsorted(-tally.thresholds, -checked.score)
    return np.asarray(slope(tally)[checked.marks().astype(np.int64), place].sum(axis=1))


def _of_single_rows(reading: CheckedReading, _: Slope) -> Array:
    """The mean over rows of the metric of each of them."""
    checked, kernel = _weighted(reading), reading.metric.kernel
    values = np.array([float(kernel(one)) for one in rankings_of(checked).by_row()[0]])
    mass = reading.units.mass(reading.units.rows)
    return np.asarray((np.nan_to_num(values) - reading.value) / mass.sum())


def _of_pairs(reading: CheckedReading, slope: Slope) -> Array:
    """Of the area of each pair of classes, or of a mean over pairs."""
    checked, metric = _weighted(reading), reading.metric
    low, high = metric.spec.bounds
    average = metric.options.get("average", MACRO)
    if average is None:
        return pair_slopes(checked, slope)
    if is_area(metric):
        return (high - low) * pair_mean_slope(checked, average)
    mass = _mass_of(checked)
    share = pair_shares(average, mass)
    upper = np.triu_indices(len(mass), 1)
    found = np.einsum("p,pn->n", 2 * share[upper], np.nan_to_num(pair_slopes(checked, slope)))
    if is_by_support(average):
        areas = rankings_of(checked).pairs(metric.kernel)
        found = found + _of_shares(checked.true, mass, share, np.where(share > 0, areas, 0.0))
    return np.asarray(found)


_OF_ROWS: dict[str, Callable[[CheckedReading, Slope], Array]] = {
    MICRO: _of_cells,
    SAMPLES: _of_single_rows,
    "pairs": _of_pairs,
}


def _weighted(reading: CheckedReading) -> Scores:
    """The checked scores, each row as often as it was seen."""
    tally: Scores = reading.tally(reading.units.rows)
    return tally


# --------------------------------------------------------------------------- pairs of classes


def pair_mean_slope(checked: Scores, average: str) -> Array:
    """Of a mean over pairs of classes of the area between both, by the weight of each row."""
    codes = checked.true
    mass = _mass_of(checked)
    areas = rankings_of(checked).pairs(roc_auc)
    share = pair_shares(average, mass)  # of A(i|j) in the mean: both orders of a pair alike
    known = np.where(share > 0, areas, 0.0)
    own = divide(1.0, mass)[codes]
    weight = own if checked.weight is None else own * checked.weight
    slope = np.zeros(len(codes))
    for k in np.flatnonzero(mass > 0):
        # Each rest class weighs what its area has as a share: one placement for the row of A.
        of_class = codes == k
        places = kernels.placements(
            checked.score[:, k],
            of_class.astype(np.int64),
            np.where(of_class, weight, weight * share[k, codes]),
        )
        slope += np.where(
            of_class,
            own * (places - (share[k] * known[k]).sum()),
            own * share[k, codes] * (1 - places - known[k, codes]),
        )
    return slope + _of_shares(codes, mass, share, known) if is_by_support(average) else slope


def _mass_of(checked: Scores) -> Array:
    """Weight of each class."""
    n_classes = len(checked.classes)
    return kernels.bin_sums(checked.true, n_classes, checked.weight).astype(np.float64)


def _of_shares(codes: Array, mass: Array, share: Array, known: Array) -> Array:
    """What a row adds to a mean over pairs by what its class has to say in it."""
    present = mass > 0
    both = (known + known.T) * (present[:, None] & present) / 2
    gain = divide(row_sums(both), np.count_nonzero(present) - 1.0)
    return np.asarray((gain[codes] - (share * known).sum()) / mass.sum())


def pair_slopes(checked: Scores, slope_of: Slope) -> Array:
    """Of the mean of A(i|j) and A(j|i) for each pair of classes, in order, (K (K - 1) / 2, n)."""
    codes, score, found = checked.true, checked.score, []
    for i, j in combinations(range(len(checked.classes)), 2):
        rows = np.flatnonzero((codes == i) | (codes == j))
        weight = None if checked.weight is None else checked.weight[rows]
        slope = np.zeros(len(codes))
        for own in (i, j):
            marks = (codes[rows] == own).astype(np.int64)
            tally = RankTally.of_marks(score[rows, own], marks, weight)
            place = np.searchsorted(-tally.thresholds, -score[rows, own])
            slope[rows] += slope_of(tally)[marks, place] / 2
        found.append(slope)
    return np.stack(found)

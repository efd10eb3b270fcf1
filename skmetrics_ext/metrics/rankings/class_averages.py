"""A metric of one class's scores, read for every class of the data and averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    average_precision,
    one_vs_rest_auc,
    pairwise_auc,
    roc_auc,
)
from skmetrics_ext.numeric import Array, divide, nan_average
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import Scores, check_option, warn_undefined

Kernel = Callable[[RankTally], Array]

AVERAGES = (None, "micro", "macro", "weighted", "samples")
ONLY_ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."


def binary_tally(score: Array, marks: Array, weight: Array | None) -> RankTally:
    """Scores of one class and whether each row is of it."""
    return RankTally.from_scores(score, marks.astype(np.int64, copy=False), 2, weight)


def class_marks(checked: Scores) -> Array:
    """Whether each row is of each class, (n, K)."""
    return checked.marks()


def average_classes(
    checked: Scores, kernel: Kernel, tell: Callable[[Array], float], average: str | None
) -> Any:
    """Read the ranking of each class against the rest, or of each row, and average.

    ``tell`` gives the value of a binary problem and warns where it has none.
    """

    def read(tally: RankTally) -> float:
        return tell(kernel(tally))

    if checked.kind == "binary":
        direct = _FROM_SORT.get(kernel)
        if direct is None or checked.cache:  # another metric reads the same table
            return read(RankTally.of_class(checked))
        return tell(direct(checked.score, checked.true, checked.weight))
    if average == "micro":
        return read(RankTally.of_cells(checked))
    weight = checked.weight
    if average == "samples":
        by_row = zip(checked.score, checked.marks(), strict=True)
        return weighted_mean(np.array([read(binary_tally(s, m, None)) for s, m in by_row]), weight)
    values = np.array(
        [read(RankTally.of_class(checked, code)) for code in range(len(checked.classes))]
    )
    if average is None:
        return values
    if average == "macro":
        return float(values.mean())
    marks = checked.marks()
    support = marks.sum(axis=0) if weight is None else (marks * weight[:, None]).sum(axis=0)
    return weighted_mean(values, support)


def _sorted_roc_auc(score: Array, codes: Array, weight: Array | None) -> Array:
    wins, negative, positive = kernels.ranked_wins(score, codes, weight)
    return divide(wins, 2 * positive * negative)


def _sorted_average_precision(score: Array, codes: Array, weight: Array | None) -> Array:
    return divide(*kernels.ranked_precision(score, codes, weight))


# What the sort alone gives, without a table of the scores.
_FROM_SORT: dict[Kernel, Callable[..., Array]] = {
    roc_auc: _sorted_roc_auc,
    average_precision: _sorted_average_precision,
}


def weighted_mean(values: Array, weights: Array | None) -> float:
    """Weighted mean in which a nan counts only where its weight is not 0."""
    if weights is None:
        return float(values.mean())
    if not weights.any():
        return 0.0
    return float((np.where(weights == 0, 0.0, values) * weights).sum() / weights.sum())


# --------------------------------------------------------------------- areas of multiclass scores


def average_areas(checked: Scores, kernel: Kernel, multi_class: str, average: str | None) -> Any:
    """Area of checked scores of any kind: the body of every public area under the ROC curve."""
    if checked.kind != "multiclass":
        check_option("average", average, AVERAGES)
        return average_classes(checked, kernel, _defined, average)
    if multi_class == "raise":
        raise ValueError(
            "multi_class must be in ('ovo', 'ovr') for y_true of more than two classes."
        )
    options: tuple[str | None, ...] = ("micro", "macro", "weighted", None)
    if multi_class == "ovo":
        options = options[1:]
    if average not in options:
        raise ValueError(
            f"average must be one of {options} for multiclass problems, got {average!r}"
        )
    if average == "micro":
        return _defined(kernel(RankTally.of_cells(checked)))
    mass = kernels.bin_sums(checked.true, len(checked.classes), checked.weight)
    if multi_class == "ovo":
        return _average_pairs(pair_areas(checked, kernel), mass, average)
    areas = _rest_areas(checked, kernel, mass)
    if np.isnan(areas).any():
        warn_undefined(ONLY_ONE_CLASS)
    if average is None:
        return areas
    return float(areas.mean()) if average == "macro" else weighted_mean(areas, mass)


def pair_areas(checked: Scores, kernel: Kernel = roc_auc) -> Array:
    """A(i|j), the area of column i between rows of class i and of class j; nan on the diagonal."""
    n_classes = len(checked.classes)
    if kernel is roc_auc:  # all from one sort per column, without a table of scores by classes
        return pairwise_auc(
            _pair_wins(checked), kernels.bin_sums(checked.true, n_classes, checked.weight)
        )
    areas = np.empty((n_classes, n_classes))
    for k, (thresholds, mass) in enumerate(_by_column(checked)):
        pairs = np.stack([mass, np.broadcast_to(mass[k], mass.shape)], axis=1)
        areas[k] = kernel(RankTally(thresholds, pairs))
    np.fill_diagonal(areas, np.nan)
    return areas


def _rest_areas(checked: Scores, kernel: Kernel, mass: Array) -> Array:
    if kernel is roc_auc:
        return one_vs_rest_auc(_pair_wins(checked), mass)
    return np.array([float(kernel(RankTally.of_class(checked, k))) for k in range(len(mass))])


def _pair_wins(checked: Scores) -> Array:
    """Counted once for the same scores."""
    if "wins" not in checked.cache:
        checked.cache["wins"] = kernels.pair_wins(
            checked.score, checked.true, len(checked.classes), checked.weight
        )
    return np.asarray(checked.cache["wins"])


def _by_column(checked: Scores) -> Iterator[tuple[Array, Array]]:
    """Distinct scores of each column and the weight of every class at each, (K, T)."""
    if "columns" in checked.cache:  # tallied elsewhere, and the rows are not at hand
        yield from checked.cache["columns"]
        return
    for column in checked.score.T:
        tally = RankTally.from_scores(column, checked.true, len(checked.classes), checked.weight)
        yield tally.thresholds, tally.mass


def _average_pairs(areas: Array, mass: Array, average: str | None) -> Any:
    order = np.arange(len(mass))
    upper = order[:, None] < order  # (0, 1), (0, 2), ...
    pairs = (areas[upper] + areas.T[upper]) / 2
    if average is None:
        if np.isnan(pairs).any():
            warn_undefined(ONLY_ONE_CLASS)
        return pairs
    # Pairs of classes without rows do not exist for the mean, as in scikit-learn.
    return nan_average(pairs, (mass[:, None] + mass)[upper] if average == "weighted" else None)


def _defined(area: Array) -> float:
    if np.isnan(area):
        warn_undefined(ONLY_ONE_CLASS)
    return float(area)

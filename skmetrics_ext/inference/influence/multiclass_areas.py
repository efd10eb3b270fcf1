"""Contributions of the rows to the areas of several classes and to their means."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.influence.rankings import area_parts, spread
from skmetrics_ext.metrics.averaging import MICRO, class_shares, is_by_support, pair_shares
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.metrics.rankings.score_tally import rankings_of
from skmetrics_ext.numeric import Array, divide, row_sums
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import Scores


class Areas(NamedTuple):
    """Some areas of the same rows (or one), with what their errors are made of.

    ``values`` (p,); ``parts`` (n, p) and ``strata`` (n,) or (n, p) as in `influence`; ``sizes``
    (p, 2), the rows of both sides of each area: effective numbers where there are weights,
    infinite for a side that a mean of one value per row does not have.
    """

    values: Array
    parts: Array
    strata: Array
    sizes: Array


def class_areas(checked: Scores) -> Areas:
    """The area of each class (of each output) against the rest, (K,)."""
    marks = checked.marks().astype(np.int64)
    found = [
        area_parts(score, mark, checked.weight)
        for score, mark in zip(checked.score.T, marks.T, strict=True)
    ]
    sizes = np.array([class_sizes(mark, 2, checked.weight)[::-1] for mark in marks.T])
    parts = np.stack([part for _, part in found], axis=1)
    return Areas(np.array([area for area, _ in found]), parts, marks, sizes)


def pair_class_areas(checked: Scores) -> Areas:
    """The mean of A(i|j) and A(j|i) for each pair of classes, in order, (K (K - 1) / 2,)."""
    codes, n_classes = checked.true, len(checked.classes)
    pairs = list(combinations(range(n_classes), 2))
    parts = np.zeros((len(codes), len(pairs)))
    strata = np.full(parts.shape, 2)  # the rows of other classes have no part
    values = np.empty(len(pairs))
    of_class = [np.flatnonzero(codes == k) for k in range(n_classes)]
    for p, (i, j) in enumerate(pairs):
        rows = np.concatenate([of_class[i], of_class[j]])
        weight = None if checked.weight is None else checked.weight[rows]
        first = (codes[rows] == i).astype(np.int64)
        area_i, parts_i = area_parts(checked.score[rows, i], first, weight)
        area_j, parts_j = area_parts(checked.score[rows, j], 1 - first, weight)
        values[p] = (area_i + area_j) / 2
        parts[rows, p] = (parts_i + parts_j) / 2
        strata[rows, p] = first
    sizes = class_sizes(codes, n_classes, checked.weight)
    return Areas(values, parts, strata, sizes[np.array(pairs)])


# --------------------------------------------------------------------------- means over classes


def area_spread(
    checked: Scores, multi_class: str, average: str, groups: Array | None
) -> tuple[Array, Areas, Array]:
    """Spread of a mean of areas (`influence.spread`), its areas, and their shares in it."""
    if average == MICRO:
        return _cell_spread(checked, groups)
    if average == "samples":
        return _row_spread(checked, groups)
    if multi_class == "ovo" and checked.kind == "multiclass":
        return _pair_spread(checked, average, groups)
    return _class_spread(checked, average, groups)


def _class_spread(
    checked: Scores, average: str, groups: Array | None
) -> tuple[Array, Areas, Array]:
    """Mean over classes or outputs.

    The shares of the classes vary from sample to sample like the scores: a mean that is
    weighted by them has a contribution of their own.
    """
    areas = class_areas(checked)
    mass = _support(checked)
    share = class_shares(average, mass)
    kept = share > 0  # a class without rows has no area, and no say in a weighted mean
    columns = spread(areas.parts[:, kept], areas.strata[:, kept], groups)
    total = np.einsum("gk,k->g", columns, share[kept])
    if is_by_support(average):
        gain = np.einsum("rk,k->r", checked.marks()[:, kept], areas.values[kept])
        support = checked.marks().sum(axis=1)
        mean = (share * np.where(kept, areas.values, 0.0)).sum()
        total = total + _share_spread(checked, gain - mean * support, mass.sum(), groups)
    return total, areas, share


def _pair_spread(checked: Scores, average: str, groups: Array | None) -> tuple[Array, Areas, Array]:
    codes, n_classes = checked.true, len(checked.classes)
    mass = kernels.bin_sums(codes, n_classes, checked.weight).astype(np.float64)
    present = mass > 0
    n_present = np.count_nonzero(present)
    areas = rankings_of(checked).pairs(roc_auc)
    share = pair_shares(average, mass)  # of A(i|j) in the mean: both orders of a pair alike
    known = np.where(share > 0, areas, 0.0)
    weight = np.ones(len(codes)) if checked.weight is None else checked.weight.astype(np.float64)
    own = weight * divide(1.0, mass)[codes]
    part = np.zeros(len(codes))
    for k in np.flatnonzero(present):
        # Each rest class weighs what its area has as a share: one placement for the row of A.
        of_class = codes == k
        places = kernels.placements(
            checked.score[:, k],
            of_class.astype(np.int64),
            np.where(of_class, own, own * share[k, codes]),
        )
        part += np.where(
            of_class,
            own * (places - (share[k] * known[k]).sum()),
            own * share[k, codes] * (1 - places - known[k, codes]),
        )
    total = spread(part[:, None], codes, groups)[:, 0]
    if is_by_support(average):
        mean = (share * known).sum()
        both = (known + known.T) * (present[:, None] & present) / 2
        gain = divide(row_sums(both), n_present - 1.0)
        total = total + _share_spread(checked, gain[codes] - mean, mass.sum(), groups)
    first, second = np.array(list(combinations(range(n_classes), 2))).T
    sizes = class_sizes(codes, n_classes, checked.weight)
    pairs = Areas(
        (areas[first, second] + areas[second, first]) / 2,
        part[:, None],
        codes,
        np.stack([sizes[first], sizes[second]], axis=1),
    )
    return total, pairs, 2 * share[first, second]


def _cell_spread(checked: Scores, groups: Array | None) -> tuple[Array, Areas, Array]:
    """Every cell of a row is a row of one binary problem, and they depend on each other."""
    marks, n_rows = checked.marks().reshape(-1).astype(np.int64), len(checked.true)
    n_classes = checked.score.shape[1]
    weight = None if checked.weight is None else np.repeat(checked.weight, n_classes)
    area, cells = area_parts(checked.score.reshape(-1), marks, weight)
    part = cells.reshape(n_rows, n_classes).sum(axis=1, keepdims=True)
    strata = np.zeros(n_rows, dtype=np.int64)
    rows = class_sizes(strata, 1, checked.weight)
    sizes = np.minimum(class_sizes(marks, 2, weight)[::-1], rows)
    areas = Areas(np.array([area]), part, strata, sizes[None])
    return spread(part, strata, groups)[:, 0], areas, np.ones(1)


def _row_spread(checked: Scores, groups: Array | None) -> tuple[Array, Areas, Array]:
    """The mean over rows of the area of each row of multilabel data."""
    by_row = zip(checked.score, checked.marks().astype(np.int64), strict=True)
    tallies = (RankTally.from_scores(score, marks, 2, None) for score, marks in by_row)
    values = np.array([float(roc_auc(tally)) for tally in tallies])
    weight = np.ones(len(values)) if checked.weight is None else checked.weight
    value = (values * weight).sum() / weight.sum()
    part = ((values - value) * weight / weight.sum())[:, None]
    strata = np.zeros(len(values), dtype=np.int64)
    rows = class_sizes(strata, 1, checked.weight)
    areas = Areas(np.array([value]), part, strata, np.array([[rows[0], np.inf]]))
    return spread(part, strata, groups)[:, 0], areas, np.ones(1)


def _share_spread(checked: Scores, gain: Array, total: float, groups: Array | None) -> Array:
    """Spread of a mean over classes that comes from the numbers of rows of the classes."""
    weight = 1.0 if checked.weight is None else checked.weight
    part = (weight * gain / total)[:, None]
    return spread(part, np.zeros(len(part), dtype=np.int64), groups)[:, 0]


# --------------------------------------------------------------------------- numbers of rows


def _support(checked: Scores) -> Array:
    """Weight of the rows of each class or output."""
    marks = checked.marks()
    if checked.weight is None:
        return np.asarray(marks.sum(axis=0), dtype=np.float64)
    return np.asarray(np.einsum("rk,r->k", marks, checked.weight), dtype=np.float64)


def class_sizes(
    codes: Array, n_classes: int, weight: Array | None, groups: Array | None = None
) -> Array:
    """Effective number of rows of each class, (sum w)^2 / sum w^2 (Kish 1965).

    No more than there are groups of them.
    """
    rows = kernels.bin_sums(codes, n_classes, None).astype(np.float64)
    if weight is not None:
        wide = weight.astype(np.float64)
        total, squares = (np.bincount(codes, part, n_classes) for part in (wide, wide * wide))
        rows = np.nan_to_num(divide(total * total, squares))
    if groups is not None:
        cells = np.unique(groups * n_classes + codes) % n_classes
        rows = np.minimum(rows, np.bincount(cells, minlength=n_classes))
    return rows

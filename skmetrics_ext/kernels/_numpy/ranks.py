"""Rankings: tables of distinct scores, and sums over pairs of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skmetrics_ext.kernels._numpy.checks import check_codes
from skmetrics_ext.kernels._numpy.labels import bin_sums
from skmetrics_ext.numeric import Array, as_factors, exact_dot, exclusive_cumsum


def rank_table(
    score: Array, codes: Array, n_classes: int, weight: Array | None
) -> tuple[Array, Array]:
    """Distinct scores, highest first, and the weight of each class at each of them.

    Returns
    -------
    thresholds : (T,) array
    mass : (n_classes, T) array
    """
    check_codes(codes, n_classes, score, weight)
    if weight is None and n_classes == 2:
        packed = _pack(score, codes)
        if packed is not None:
            return _packed_rank_table(*packed)
    order = np.argsort(score.copy())[::-1]  # a sort of what another thread changes may crash
    ordered = score[order]
    group_start = np.empty(len(ordered), dtype=bool)
    group_start[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=group_start[1:])
    starts = np.flatnonzero(group_start)
    n_groups = len(starts)
    group = np.cumsum(group_start) - 1
    mass = bin_sums(
        codes[order] * n_groups + group,
        n_classes * n_groups,
        None if weight is None else weight[order],
    )
    # + 0 turns a threshold of -0.0 into 0.0: they are one score.
    return ordered[starts] + 0, mass.reshape(n_classes, n_groups)


def _pack(
    score: Array, codes: Array, code_bits: int = 1
) -> tuple[Array, int, int, np.dtype[Any]] | None:
    """Score and label in one integer whose order is that of the score: one sort, no gather.

    The bits of a float, read as an integer, keep its order. Less their minimum they leave one
    bit for the label as long as the scores lie in (-2, 2); wider ones are first scaled by a
    power of two, which is exact unless it makes a denormal (then: None).
    """
    if len(score) == 0 or score.dtype.kind != "f":  # integers that floats cannot tell apart
        return None
    # Adding 0.0 turns -0.0 into 0.0, and makes a copy that may be changed in place.
    wide = np.add(score, 0.0, dtype=np.float64)
    lowest, highest = float(wide.min()), float(wide.max())
    largest = max(-lowest, highest)
    exponent = int(np.frexp(largest)[1]) - 1 if largest >= 2 else 0
    if exponent > 0:
        scaled = np.ldexp(wide, -exponent)
        if not np.array_equal(np.ldexp(scaled, exponent), wide):
            return None
        wide, highest = scaled, float(np.ldexp(highest, -exponent))
    key = wide.view(np.int64)
    if lowest < 0:
        np.subtract(np.int64(-(2**63)), key, out=key, where=key < 0)
    high = int(np.float64(highest).view(np.int64))
    high = high if high >= 0 else -(2**63) - high
    # Counted down from the highest, so that sorting brings the highest first.
    packed = key.view(np.uint64)
    np.subtract(np.uint64(high % 2**64), packed, out=packed)
    if code_bits > 1 and int(packed.max()) >> (64 - code_bits):
        return None
    np.left_shift(packed, np.uint64(code_bits), out=packed)
    packed |= codes.view(np.uint64)
    packed.sort()
    return packed, high, exponent, score.dtype


def _packed_rank_table(
    packed: Array, high: int, exponent: int, dtype: np.dtype[Any]
) -> tuple[Array, Array]:
    label = (packed & np.uint64(1)).view(np.int64)
    key = packed >> np.uint64(1)
    is_start = np.empty(len(key), dtype=bool)
    is_start[:1] = True
    np.not_equal(key[1:], key[:-1], out=is_start[1:])
    if is_start.all():
        mass = np.empty((2, len(key)), dtype=np.int64)
        mass[1] = label
        np.subtract(1, label, out=mass[0])
    else:
        starts = np.flatnonzero(is_start)
        mass = np.empty((2, len(starts)), dtype=np.int64)
        np.add.reduceat(label, starts, out=mass[1])
        mass[0, :-1] = starts[1:] - starts[:-1]
        mass[0, -1] = len(key) - starts[-1]
        mass[0] -= mass[1]
        key = key[starts]
    signed = np.subtract(np.uint64(high % 2**64), key, out=key).view(np.int64)
    if signed[-1] < 0:
        np.subtract(np.int64(-(2**63)), signed, out=signed, where=signed < 0)
    thresholds = signed.view(np.float64)
    if exponent:
        thresholds = np.ldexp(thresholds, exponent)
    return thresholds.astype(dtype, copy=False), mass


def ranked_wins(score: Array, codes: Array, weight: Array | None) -> tuple[Any, Any, Any]:
    """Twice the weight of correctly ranked pairs of a binary ranking, and both classes' weights.

    A pair of a positive and a negative row counts 2 if the positive scores higher, 1 for a tie.
    """
    check_codes(codes, 2, score, weight)
    packed = None if weight is not None else _pack(score, codes)
    if packed is None:
        negative, positive = rank_table(score, codes, 2, weight)[1]
        beaten_by = 2 * exclusive_cumsum(positive) + positive
        return exact_dot(negative, beaten_by), negative.sum(), positive.sum()
    ordered = packed[0]
    n_negative = len(ordered) - np.count_nonzero(codes)
    twice = _packed_wins(ordered, 1, 2, 1)[0]
    return twice, n_negative, len(ordered) - n_negative


def ranked_precision(score: Array, codes: Array, weight: Array | None) -> tuple[float, float]:
    """Precision at each score, summed over the weight of the positives there, and that weight."""
    negative, positive = rank_table(score, codes, 2, weight)[1]
    right = np.cumsum(positive)
    predicted = np.cumsum(negative)
    predicted += right
    gains = np.zeros(len(right))  # rows of weight 0 may come first
    np.divide(right, predicted, out=gains, where=predicted != 0)
    gains *= positive
    return float(gains.sum()), float(right[-1])


def ranked_squares(score: Array, codes: Array) -> tuple[int, int, int, float, float]:
    """Wins as from `ranked_wins`, and the squares of twice the placements, about their means.

    The sum for each class over its placements among the other one, exact up to the last rounding.
    """
    check_codes(codes, 2, score)
    mass = rank_table(score, codes, 2, None)[1]
    highs, lows = [], []
    for own, other in (mass, mass[::-1]):
        square = (2 * exclusive_cumsum(other) + other).view(np.uint64) ** np.uint64(2)
        halves = square >> np.uint64(32), square & np.uint64(2**32 - 1)
        high, low = ((own.view(np.uint64) * half).sum() for half in halves)
        highs.append(int(high))
        lows.append(int(low))
    negative, positive = mass
    twice = int((negative * (2 * exclusive_cumsum(positive) + positive)).sum())
    return about_means(highs, lows, twice, int(negative.sum()), int(positive.sum()))


def about_means(
    highs: Sequence[int], lows: Sequence[int], twice: int, negative: int, positive: int
) -> tuple[int, int, int, float, float]:
    """`ranked_squares` from sums of both halves of the squares, of 32 bits each, by class."""
    sums, sizes = (twice, 2 * negative * positive - twice), (negative, positive)
    centred = []
    for high, low, total, size in zip(highs, lows, sums, sizes, strict=True):
        square = (high << 32) + low
        centred.append((square * size - total * total) / size if size else 0.0)
    return twice, negative, positive, centred[0], centred[1]


def precision_slopes(
    score: Array, codes: Array, weight: Array | None
) -> tuple[float, float, Array, tuple[float, float]]:
    """The sums of `ranked_precision`, and the derivative of their ratio by the weight of each row.

    Last are the sums of squares of the derivatives of both classes. Derivatives are 0 without
    positive rows.
    """
    thresholds, (negative, positive) = rank_table(score, codes, 2, weight)
    right = np.cumsum(positive) * 1.0
    predicted = np.cumsum(negative) + right
    predicted[predicted == 0] = 1.0  # rows of weight 0 come first
    precision = right / predicted
    found = float(right[-1])
    if not found:
        return 0.0, 0.0, np.zeros(len(score)), (0.0, 0.0)
    gained = float((positive * precision).sum())
    # Steps change by the precision at their ends; precision, by all rows at or above the score.
    bends = positive / predicted
    by_class = np.stack([-bends * precision, bends * (1 - precision)])
    by_class = by_class[:, ::-1].cumsum(axis=1)[:, ::-1]
    by_class[1] += precision - gained / found
    place = len(thresholds) - 1 - np.searchsorted(thresholds[::-1], score)
    is_positive = codes == 1  # read once, as another thread may write into codes
    slopes = np.where(is_positive, by_class[1, place], by_class[0, place]) / found
    squares = slopes * slopes
    of_negative, of_positive = (float(squares[k].sum()) for k in (~is_positive, is_positive))
    return gained, found, slopes, (of_negative, of_positive)


def ranked_steps(
    score: Array, codes: Array, weight: Array | None, corners: bool
) -> tuple[Array, Array, Array]:
    """Thresholds, and the weight of false and true positives at or above each.

    Weights are float64, for divisions. The first threshold, 0, stands for no row. ``corners``
    leaves out scores in the middle of two equal steps.
    """
    thresholds, mass = rank_table(score, codes, 2, weight)
    steps = np.zeros((2, len(thresholds) + 1), dtype=mass.dtype)
    np.cumsum(mass, axis=1, out=steps[:, 1:])
    thresholds = np.concatenate([np.zeros(1, dtype=thresholds.dtype), thresholds])
    if corners and len(thresholds) > 3:
        kept = np.ones(len(thresholds), dtype=bool)
        kept[2:-1] = (np.diff(steps[:, 1:], 2, axis=1) != 0).any(axis=0)
        thresholds, steps = thresholds[kept], steps[:, kept]
    false, true = steps.astype(np.float64, copy=False)
    return thresholds, false, true


def placements(score: Array, codes: Array, weight: Array | None) -> Array:
    """For each row of a binary ranking, the weight of the other class below it and half its ties.

    float64, in the order of the rows. Rows with weight 0 have a placement but add to no other.
    """
    check_codes(codes, 2, score, weight)
    order = np.argsort(score.copy())
    ordered, own = score[order], codes[order]
    is_start = np.empty(len(ordered), dtype=bool)
    is_start[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_start[1:])
    one = np.ones(len(own), dtype=np.int64) if weight is None else weight[order]
    beside = np.empty((2, len(own)))  # of the rows of class 0 and of class 1
    for k in (0, 1):
        mass = np.where(own == k, 0, one)
        if is_start.all():
            beside[k] = exclusive_cumsum(mass)
        else:
            mass = np.add.reduceat(mass, np.flatnonzero(is_start))
            beside[k] = (exclusive_cumsum(mass) + mass / 2)[np.cumsum(is_start) - 1]
    places = np.empty(len(own))
    places[order] = np.where(own == 0, beside[0], beside[1])
    return places


def _packed_wins(ordered: Array, k: int, n_classes: int, code_bits: int) -> Array:
    """One row of ``pair_wins`` from packed scores, sorted."""
    own = (ordered & np.uint64((1 << code_bits) - 1)).view(np.int64)
    is_own = own == k
    above = np.cumsum(is_own)
    ordered >>= np.uint64(code_bits)
    same = ordered[1:] == ordered[:-1]
    if same.any():
        starts = np.flatnonzero(np.concatenate(([True], ~same)))
        size = np.diff(starts, append=len(ordered))
        last = above[starts + size - 1]
        twice = np.repeat(last + np.concatenate(([0], last[:-1])), size)
    else:
        above *= 2
        above -= is_own
        twice = above
    return bin_sums(own, n_classes, twice)


def pair_wins(score: Array, codes: Array, n_classes: int, weight: Array | None) -> Array:
    """Twice the weight of pairs that each column ranks correctly, for every pair of classes.

    ``wins[k, j]`` sums over pairs of a row of class k and one of class j: 2 if column k scores the
    first higher, 1 for a tie. One sort per column gives all one-vs-one and one-vs-rest areas.
    Column k of ``score`` belongs to class k. Integers if the weights are integers whose products
    fit into 63 bits.
    """
    check_codes(codes, n_classes, score, weight)
    if weight is not None and weight.dtype.kind != "f":
        weight = as_factors(weight)
    exact = weight is None or weight.dtype.kind != "f"
    wins = np.zeros((n_classes, n_classes), dtype=np.int64 if exact else np.float64)
    one = np.ones(len(codes), dtype=np.int64) if weight is None else weight
    code_bits = max((n_classes - 1).bit_length(), 1)
    for k in range(n_classes):
        packed = None if weight is not None else _pack(score[:, k], codes, code_bits)
        if packed is not None:
            wins[k] = _packed_wins(packed[0], k, n_classes, code_bits)
            continue
        order = np.argsort(score[:, k].copy())[::-1]
        ordered, own, share = score[order, k], codes[order], one[order]
        group_start = np.empty(len(ordered), dtype=bool)
        group_start[:1] = True
        np.not_equal(ordered[1:], ordered[:-1], out=group_start[1:])
        tied = np.add.reduceat(np.where(own == k, share, 0), np.flatnonzero(group_start))
        beaten_by = (2 * exclusive_cumsum(tied) + tied)[np.cumsum(group_start) - 1]
        wins[k] = bin_sums(own, n_classes, beaten_by * share)
    return wins

"""Bootstrap draws of rows, and the areas under their ROC curves."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.kernels._numpy.checks import check_codes
from skmetrics_ext.numeric import Array, exclusive_cumsum


def resampled_wins(
    rng: np.random.Generator, marks: Array, group: Array, n_draws: int, stratified: bool
) -> tuple[Array, Array, Array]:
    """Twice the correctly ranked pairs, and both classes' rows, for each draw, (n_draws,) each.

    Rows are sorted by score: ``marks`` (n,) is 1 for the positive class, and ``group`` (n,) numbers
    the distinct scores. ``stratified`` draws within each class.
    """
    check_codes(marks, 2, group)
    n_rows = len(marks)
    members = [np.flatnonzero(marks == k) for k in (0, 1)] if stratified else [np.arange(n_rows)]
    positive, is_negative = np.flatnonzero(marks), 1 - marks
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    place = np.cumsum(np.diff(group, prepend=-1) != 0) - 1
    sums = np.empty((3, n_draws), dtype=np.int64)
    counts = np.zeros(n_rows, dtype=np.int64)
    for draw in range(n_draws):
        for own in members:
            counts[own] = np.bincount(_integers(rng, len(own)), minlength=len(own))
        beside = counts * is_negative
        below = np.cumsum(beside)  # of a positive row, without itself
        n_negative, drawn = below[-1], counts[positive]
        if len(starts) < n_rows:
            beside = np.add.reduceat(beside, starts)
            twice = (2 * exclusive_cumsum(beside) + beside)[place[positive]]
        else:
            twice = 2 * below[positive]
        sums[:, draw] = (drawn * twice).sum(), n_negative, drawn.sum()
    return sums[0], sums[1], sums[2]


def largest_differences(errors: Array, first: Array, second: Array, scale: Array) -> Array:
    """The largest distance of listed pairs of rows of a matrix (p, B), in each column, (B,).

    The distance of pair k is that of the rows ``first[k]`` and ``second[k]``, times ``scale[k]``.
    """
    check_codes(first, len(errors), second, scale)
    check_codes(second, len(errors))
    largest, away = np.zeros(errors.shape[1]), np.empty(errors.shape[1])
    for i, j, each in zip(first, second, scale, strict=True):
        np.subtract(errors[i], errors[j], out=away)
        np.abs(away, out=away)
        away *= each
        np.fmax(largest, away, out=largest)
    return largest


def _integers(rng: np.random.Generator, n: int) -> Array:
    """As many integers below n, each as likely as any other (Lemire 2019).

    From the low half of each random word, then its high half.
    """
    refused = (2**32 - n) % n if n else 0
    found: list[Array] = [] if n else [np.empty(0, dtype=np.int64)]
    lacking = n
    while lacking:
        words = rng.bit_generator.random_raw((lacking + 1) // 2)
        halves = words.astype("<u8", copy=False).view("<u4")
        product = np.multiply(halves, n, dtype=np.uint64)  # NumPy 1 would stay within 32 bits
        low = product.astype("<u8", copy=False).view("<u4")[::2]
        if low.min() < refused:
            product = product[low >= refused]
        found.append((product >> np.uint64(32))[:lacking].view(np.int64))
        lacking -= len(found[-1])
    return np.concatenate(found) if len(found) != 1 else found[0]

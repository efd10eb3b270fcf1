"""Metrics that are a share of rows: the exact test of a share that is lower in a slice."""

from __future__ import annotations

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.looks import Look

_BAD, _GOOD, _UNREAD = 0, 1, 2
_ROUNDING = 1e-9  # of the largest contribution
_LEAST = 1e-17  # of the sum of a tail: terms below it do not change it


class ExactTests:
    """A metric that grows with the number of good rows among those that it reads.

    Recall reads the positive rows and precision the rows predicted positive; the F1 score grows
    with the share of true positives among the rows that are either. In a slice whose rows are
    like the rest the number of bad ones is hypergeometric, given both sums (Fisher 1935).
    """

    def __init__(self, kind: Array) -> None:
        self.kind = kind
        self.bad, self.good = (int(np.count_nonzero(kind == one)) for one in (_BAD, _GOOD))

    @classmethod
    def of(cls, statistic: Linearized, sign: float) -> ExactTests | None:
        """Of a metric of equal rows that are independent; None of any other."""
        design = statistic.design
        if not statistic.origin.share or not design.is_counted or design.sizes is not None:
            return None
        parts = statistic.influence * sign
        least = _ROUNDING * np.abs(parts).max(initial=0.0)
        kind = np.where(parts > least, _GOOD, np.where(parts < -least, _BAD, _UNREAD))
        return cls(statistic.atoms.to_rows(kind))

    def look(self, look: Look) -> tuple[Array, Array]:
        """Bad and good rows of the slices of a look, and which have any that the metric reads."""
        sums = kernels.bin_sums(look.cell * 3 + self.kind, 3 * len(look.rows), None)
        found = sums.reshape(-1, 3)[look.kept, :2]
        return found, np.asarray(found.any(axis=1))

    def bounds(self, stated: Array) -> Array:
        """P-values of slices with these rows."""
        bad, read = stated[:, _BAD], stated.sum(axis=1)
        return upper_tail(bad, read, self.bad, self.bad + self.good)

    def test(self, inside: Array, outside: Array) -> float:
        """P-value of some rows beside others."""
        here, there = (np.bincount(self.kind[rows], minlength=3) for rows in (inside, outside))
        of_both = here + there
        read = here[_BAD] + here[_GOOD]
        both = of_both[_BAD] + of_both[_GOOD]
        return float(upper_tail(here[[_BAD]], read[None], of_both[_BAD], both)[0])


def upper_tail(found: Array, drawn: Array, marked: int, n_rows: int) -> Array:
    """Chance that so many rows, drawn of all, hold at least ``found`` of the marked ones.

    1 where no more are found than are to be expected.
    """
    from scipy.special import gammaln

    p_values = np.ones(len(found))
    worse = np.flatnonzero(found * n_rows > drawn * marked)
    if not len(worse):
        return p_values
    x, n = found[worse].astype(np.float64), drawn[worse].astype(np.float64)

    def log_binomial(n: Array | float, k: Array | float) -> Array:
        return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))

    first = np.exp(
        log_binomial(marked, x)
        + log_binomial(n_rows - marked, n - x)
        - log_binomial(float(n_rows), n)
    )
    # Terms of the tail in units of the first: each is the one before it times a ratio, which is 0
    # beyond the largest number that can be found.
    term, total, left = np.ones(len(x)), np.ones(len(x)), np.arange(len(x))
    while len(left):
        term = term * (marked - x) * (n - x) / ((x + 1) * (n_rows - marked - n + x + 1))
        total[left] += term
        x = x + 1
        more = term > _LEAST * total[left]
        if not more.all():
            term, x, n, left = term[more], x[more], n[more], left[more]
    p_values[worse] = np.minimum(first * total, 1.0)
    return p_values

"""Means of values per row, and MomentTally, which adds their central moments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any, NamedTuple, Self

import numpy as np

from skmetrics_ext.numeric import Array, divide, parts
from skmetrics_ext.tallies.merging import Merges, check_sum
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.fields import numbers_of, shape_error, weights_of
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.scores import score_values

# Columns whose third and fourth moments are kept: 364 and 1,365 numbers.
MOST_COLUMNS = 12
# Squared means to variances beyond which sums of powers lose too many digits of the variance.
_MOST_CANCELLED = 100


@dataclass(frozen=True, eq=False, slots=True)
class Means:
    """Weighted means of d values per row, which kernels of means read.

    Parameters
    ----------
    weight : ndarray of shape (...), or int
        Sum of the weights of the rows.
    mean : ndarray of shape (..., d)
        Weighted mean of each value; nan where the weight is 0.
    """

    weight: Any
    mean: Array

    @staticmethod
    def of(columns: Array, weight: Array | None) -> Means:
        """Means of an array of shape (n, d) under checked weights."""
        if weight is None:
            return Means(len(columns), np.add.reduce(columns, axis=0) / len(columns))
        total = weight.sum()
        sums = np.add.reduce(columns * weight[:, None], axis=0)
        return Means(total, sums / total if total else divide(sums, total))

    @property
    def total(self) -> Array:
        """Weighted sum of each value."""
        return self.mean * np.asarray(self.weight)[..., None]


class CentralMoments(NamedTuple):
    """Mean and central moments of one value per row, weighted averages of shape (...)."""

    mean: Array
    variance: Array
    third: Array
    fourth: Array


class MomentAtoms(NamedTuple):
    """Three values with the mean, variance, skewness and kurtosis of all rows.

    Parameters
    ----------
    deviation : ndarray of shape (..., 3)
        Difference of each value from the mean; the last is 0.
    size : ndarray of shape (..., 3)
        Number of rows with this value, not rounded; may be 0.
    """

    deviation: Array
    size: Array


@dataclass(frozen=True, eq=False, slots=True)
class MomentTally(Means, Merges):
    """Weight, mean vector and central moments of d values per row (losses, hits).

    Parameters
    ----------
    weight : ndarray of shape (...)
        Sum of the weights of the rows.
    mean : ndarray of shape (..., d)
        Weighted mean of each value; nan where the weight is 0.
    comoment : ndarray of shape (..., d, d)
        Weighted sum of products of two deviations from the mean: covariance times weight.
    n_rows : ndarray of int of shape (...)
        Number of rows.
    third : ndarray of shape (..., d (d + 1) (d + 2) / 6), default=None
        Weighted sum of products of three deviations, for the columns i <= j <= k in
        lexicographic order. None if unknown, as for more than 12 columns.
    fourth : ndarray of shape (..., d (d + 1) (d + 2) (d + 3) / 24), default=None
        Weighted sum of products of four deviations, likewise.

    References
    ----------
    Pebay (2008), Formulas for robust, one-pass parallel computation of covariances and
    arbitrary-order statistical moments, Sandia report SAND2008-6212.

    Examples
    --------
    >>> from skmetrics_ext.tallies import MomentTally
    >>> tally = MomentTally.from_values([1.0, 2.0, 6.0])
    >>> tally.mean
    array([3.])
    >>> tally.third
    array([18.])
    """

    comoment: Array
    n_rows: Array
    third: Array | None = None
    fourth: Array | None = None

    def __post_init__(self) -> None:
        weight, n_rows = weights_of(self, "weight"), weights_of(self, "n_rows")
        mean, comoment = numbers_of(self, "mean"), numbers_of(self, "comoment")
        shape, d = np.shape(weight), mean.shape[-1] if mean.ndim else 0
        if np.shape(n_rows) != shape:
            raise shape_error("n_rows", n_rows, f"{shape}, that of weight")
        if not mean.ndim or mean.shape[:-1] != shape:
            raise shape_error("mean", mean, f"{(*shape, 'd')}, the first axes as weight")
        if comoment.shape != (*shape, d, d):
            raise shape_error("comoment", comoment, f"{(*shape, d, d)}, as mean says")
        if not (np.isfinite(mean).all(axis=-1) | (weight == 0)).all():
            raise InvalidParameterError("mean must be finite where there is weight.")
        if (self.third is None) != (self.fourth is None):
            raise InvalidParameterError("third and fourth must both be given, or neither.")
        for name, order in (("third", 3), ("fourth", 4)) if self.third is not None else ():
            values, wanted = numbers_of(self, name), (*shape, len(_products(d, order)))
            if values.shape != wanted:
                raise shape_error(name, values, f"{wanted}, as mean says")

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, loss: Any, sample_weight: Any = None
    ) -> Self:
        """Moments of a loss computed on each row.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples, ...)
            Arguments of ``loss``.
        loss : callable
            ``loss(y_true, y_pred)`` returns an array of shape (n_samples,) or (n_samples, d).
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.

        Returns
        -------
        MomentTally
        """
        return cls.from_values(loss(y_true, y_pred), sample_weight=sample_weight)

    @classmethod
    def from_values(cls, values: Any, *, sample_weight: Any = None) -> Self:
        """Moments of values that are known for each row.

        Parameters
        ----------
        values : array-like of shape (n_samples,) or (n_samples, d)
            Finite numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.

        Returns
        -------
        MomentTally
        """
        (column,), weight = read_rows(sample_weight, True, True, values=values)
        numbers = score_values(column).astype(np.float64, copy=False)
        if numbers.ndim > 2:
            raise InvalidParameterError(
                "values must be of shape (n_samples,) or (n_samples, d), got an array of shape "
                f"{numbers.shape}."
            )
        return cls.from_checked(numbers.reshape(len(numbers), -1), weight)

    @classmethod
    def from_checked(cls, columns: Array, weight: Array | None) -> Self:
        """Moments of an array of shape (n, d) under checked weights."""
        means = Means.of(columns, weight)
        centred = columns - means.mean
        weighed = centred if weight is None else centred * weight[:, None]
        # einsum instead of @: no BLAS threads for a single pass over the rows.
        comoment = np.einsum("ni,nj->ij", weighed, centred)
        n_rows = np.asarray(len(columns))
        higher = _higher_sums(centred, weight)
        return cls(np.asarray(means.weight), means.mean, comoment, n_rows, *higher)

    @classmethod
    def combine(cls, parts: Iterable[MomentTally]) -> Self:
        """The tally of all rows of the parts.

        Means are pooled by weight, and central moments are shifted from the mean of each part to
        the pooled mean (Pebay 2008).
        """
        parts = list(parts)
        if len(parts) == 1 and np.all(parts[0].weight) and type(parts[0]) is cls:
            return parts[0]
        check_sum([np.asarray(part.weight)[..., None] for part in parts], 1)
        if len({part.mean.shape for part in parts}) > 1:
            shapes = ", ".join(map(str, dict.fromkeys(part.mean.shape for part in parts)))
            raise InvalidParameterError(
                f"Only moments of as many columns and of the same leading axes merge, got mean of "
                f"the shapes {shapes}."
            )
        each = cls.stack(parts)
        weight, known = each.weight.sum(axis=0), each.weight[..., None] > 0
        means = np.where(known, each.mean, 0.0)
        # Relative to the average of the means, so that values far from 0 lose no digits.
        origin = means.sum(axis=0) / len(parts)
        shift = (each.weight[..., None] * (means - origin)).sum(axis=0)
        mean = origin + divide(shift, weight[..., None])
        moved = each._about(np.where(known, means - mean, 0.0))
        second, *higher = (sums.sum(axis=0) for sums in moved)
        return cls(weight, mean, second, each.n_rows.sum(axis=0), *higher)

    def _about(self, away: Array) -> tuple[Array, ...]:
        """Sums of products of deviations from a point, which each mean exceeds by ``away``."""
        weight, two, d = self.weight[..., None], self.comoment, away.shape[-1]
        second = two + weight[..., None] * away[..., :, None] * away[..., None, :]
        if self.third is None or self.fourth is None:
            return (second,)
        if d == 1:
            third = self.third + away * (3 * two[..., 0] + weight * away**2)
            fourth = self.fourth + away * (
                4 * self.third + away * (6 * two[..., 0] + weight * away**2)
            )
            return second, third, fourth
        places = _products(d, 3).T
        ends = [away[..., place] for place in places]
        third = self.third + weight * ends[0] * ends[1] * ends[2]
        for k in range(3):
            i, j = np.delete(places, k, axis=0)
            third += ends[k] * two[..., i, j]
        places = _products(d, 4).T
        ends = [away[..., place] for place in places]
        fourth = self.fourth + weight * ends[0] * ends[1] * ends[2] * ends[3]
        for k in range(4):
            fourth += ends[k] * self.third[..., _triple_places(d)[k]]
        for k, m in combinations(range(4), 2):
            i, j = np.delete(places, (k, m), axis=0)
            fourth += ends[k] * ends[m] * two[..., i, j]
        return second, third, fourth

    @classmethod
    def stack(cls, parts: Iterable[MomentTally]) -> Self:
        """The tallies of folds or groups on one leading axis."""
        parts, names = list(parts), ["weight", "mean", "comoment", "n_rows"]
        if all(part.third is not None for part in parts):
            names += ["third", "fourth"]
        return cls(*(np.stack([getattr(part, name) for part in parts]) for name in names))

    def central_moments(self, direction: Any = None) -> CentralMoments:
        """Mean, variance, third and fourth central moment of a linear combination of the columns.

        Parameters
        ----------
        direction : array-like of shape (..., d), default=None
            Coefficient of each column, such as the gradient of a ratio of means; may be left out
            for one column.

        Returns
        -------
        CentralMoments
            Weighted averages over the rows; nan for unknown third and fourth moments, and for a
            weight of 0.
        """
        d = self.mean.shape[-1]
        if direction is None and d > 1:
            raise InvalidParameterError(
                f"direction must give a coefficient for each of the {d} columns, got None."
            )
        g = np.ones(1) if direction is None else np.asarray(direction, dtype=np.float64)
        if g.shape[-1:] != (d,):
            raise shape_error("direction", g, f"(..., {d}), a coefficient for each column")
        variance = np.einsum("...i,...ij,...j->...", g, self.comoment, g)
        sums = [variance]
        for order, packed in ((3, self.third), (4, self.fourth)):
            if packed is None:
                sums.append(np.full(variance.shape, np.nan))
                continue
            terms = g[..., _products(d, order)].prod(axis=-1) * _orderings(d, order)
            sums.append((terms * packed).sum(axis=-1))
        return CentralMoments((g * self.mean).sum(axis=-1), *(divide(x, self.weight) for x in sums))

    def atoms(self, direction: Any = None) -> MomentAtoms:
        r"""Three weighted values with the same first four moments as all rows.

        With skewness g and kurtosis k they lie :math:`(g \pm \sqrt{4 k - 3 g^2}) / 2` standard
        deviations from the mean, and at the mean. Sizes are positive for
        :math:`k \ge g^2 + 1`, which holds for any rows; rounding errors in k are cut there.

        Parameters
        ----------
        direction : array-like of shape (..., d), default=None
            Coefficient of each column; may be left out for one column.

        Returns
        -------
        MomentAtoms
            All deviations are 0 if all rows are equal.

        Examples
        --------
        >>> from skmetrics_ext.tallies import MomentTally
        >>> deviation, size = MomentTally.from_values([1.0, 2.0, 6.0]).atoms()
        >>> size.round(4)
        array([0.9585, 1.6598, 0.3817])
        """
        _, variance, third, fourth = self.central_moments(direction)
        varies = variance > 0
        square = np.where(varies, variance, 1.0)
        skewness = np.where(varies, third / square**1.5, 0.0)
        kurtosis = np.maximum(np.where(varies, fourth / square**2, 1.0), skewness**2 + 1)
        root = np.sqrt(4 * kurtosis - 3 * skewness**2)
        high, low = (skewness + root) / 2, (skewness - root) / 2
        share = np.stack([1 / (high * root), -1 / (low * root)], axis=-1)
        rest = np.maximum(1 - share.sum(axis=-1, keepdims=True), 0.0)
        spread = np.sqrt(np.where(varies, variance, 0.0))
        deviation = spread[..., None] * np.stack([high, low, 0 * high], axis=-1)
        return MomentAtoms(deviation, self.weight[..., None] * np.append(share, rest, axis=-1))


# --------------------------------------------------------------------------- symmetric tensors


def _higher_sums(centred: Array, weight: Array | None) -> tuple[Array, Array] | tuple[()]:
    """Weighted sums of products of three and four columns; empty for many columns."""
    d = centred.shape[1]
    if d > MOST_COLUMNS:
        return ()
    with np.errstate(over="ignore", invalid="ignore"):
        if d == 1:
            square = np.square(centred[:, 0])
            weighed = square if weight is None else square * weight
            return np.einsum("n,nk->k", weighed, centred), np.einsum("n,n->", weighed, square)[None]
        return _sums_of_products(centred, weight)


def _sums_of_products(centred: Array, weight: Array | None) -> tuple[Array, Array]:
    n_rows, d = centred.shape
    third = np.zeros(len(_products(d, 3)))
    fourth = np.zeros(len(_products(d, 4)))
    pairs = _products(d, 2).T
    first = np.flatnonzero(pairs[0] == pairs[1])  # the place of the pair (j, j)
    for rows in parts(n_rows):
        one = np.ascontiguousarray(centred[rows].T)
        two = one[pairs[0]] * one[pairs[1]]
        weighed = list(zip(pairs[1], two if weight is None else two * weight[rows], strict=True))
        # The pair (i, j) meets the columns, and the pairs, from j on.
        third += np.concatenate([np.einsum("kn,n->k", one[j:], x) for j, x in weighed])
        fourth += np.concatenate([np.einsum("kn,n->k", two[first[j] :], x) for j, x in weighed])
    return third, fourth


@cache
def _products(d: int, order: int) -> Array:
    """The columns of each product, in lexicographic order, (n, order)."""
    places = list(combinations_with_replacement(range(d), order))
    return np.array(places, dtype=np.int64).reshape(-1, order)


@cache
def _orderings(d: int, order: int) -> Array:
    """Number of elements of the full tensor that each product stands for."""
    return np.array([len(set(permutations(places))) for places in _products(d, order).tolist()])


@cache
def _triple_places(d: int) -> Array:
    """Index of each product of four columns without its k-th, among those of three, (4, n)."""
    place = {triple: i for i, triple in enumerate(map(tuple, _products(d, 3).tolist()))}
    fours = _products(d, 4).tolist()
    return np.array([[place[(*t[:k], *t[k + 1 :])] for t in fours] for k in range(4)])


# --------------------------------------------------------------------------- sums of powers


def moments_of_powers(
    powers: Sequence[float], weight: Any, n_rows: int, others: Array
) -> MomentTally | None:
    """Moments of a value, and of ``others`` that are equal in all rows, from sums of its powers.

    None if its values are so close to each other that the sums do not show by how much.
    """
    mean, second, third, fourth = (power / weight for power in powers)
    variance = second - mean**2
    if second > _MOST_CANCELLED * variance and variance != 0:
        return None
    skew = third - 3 * mean * second + 2 * mean**3
    tail = fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4
    known = np.append(mean, others)
    d = len(known)
    sums = [np.zeros(len(_products(d, order)) if d <= MOST_COLUMNS else 1) for order in (3, 4)]
    comoment = np.zeros((d, d))
    if variance:
        comoment[0, 0], sums[0][0], sums[1][0] = weight * variance, weight * skew, weight * tail
    higher = sums if d <= MOST_COLUMNS else ()
    return MomentTally(np.asarray(weight), known, comoment, np.asarray(n_rows), *higher)

"""MomentTally: weight, mean and co-moments of values measured on each row; Means without these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies.merging import Merges, check_sum
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.fields import misshapen, numbers_of, weights_of
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.score_values import score_values


@dataclass(frozen=True, eq=False, slots=True)
class Means:
    """What kernels of means read of a `MomentTally`, where nothing else is asked of it.

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


@dataclass(frozen=True, eq=False, slots=True)
class MomentTally(Means, Merges):
    """Weight, mean vector and co-moments of d values per row (losses, hits).

    Parameters
    ----------
    weight : ndarray of shape (...)
        Sum of the weights of the rows.
    mean : ndarray of shape (..., d)
        Weighted mean of each value; nan where the weight is 0.
    comoment : ndarray of shape (..., d, d)
        Weighted sum of products of the deviations from the mean: covariance times weight.
    n_rows : ndarray of int of shape (...)
        Number of rows.

    Examples
    --------
    >>> from skmetrics_ext import MomentTally
    >>> MomentTally.from_values([1.0, 2.0, 6.0]).mean
    array([3.])
    """

    comoment: Array
    n_rows: Array

    def __post_init__(self) -> None:
        weight, n_rows = weights_of(self, "weight"), weights_of(self, "n_rows")
        mean, comoment = numbers_of(self, "mean"), numbers_of(self, "comoment")
        shape, d = np.shape(weight), mean.shape[-1] if mean.ndim else 0
        if np.shape(n_rows) != shape:
            raise misshapen("n_rows", n_rows, f"{shape}, that of weight")
        if not mean.ndim or mean.shape[:-1] != shape:
            raise misshapen("mean", mean, f"{(*shape, 'd')}, the first axes as weight")
        if comoment.shape != (*shape, d, d):
            raise misshapen("comoment", comoment, f"{(*shape, d, d)}, as mean says")
        if not (np.isfinite(mean).all(axis=-1) | (weight == 0)).all():
            raise InvalidParameterError("mean must be finite where there is weight.")

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, loss: Any, sample_weight: Any = None
    ) -> Self:
        """Moments of a loss computed on each row.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples, ...)
            What ``loss`` takes.
        loss : callable
            ``loss(y_true, y_pred)`` gives an array of shape (n_samples,) or (n_samples, d).
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.

        Returns
        -------
        MomentTally
        """
        return cls.from_values(loss(y_true, y_pred), sample_weight=sample_weight)

    @classmethod
    def from_values(cls, values: Any, *, sample_weight: Any = None) -> Self:
        """Moments of values already measured on each row.

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
        # einsum, not @: a BLAS call would wake its threads for one pass over the rows.
        comoment = np.einsum("ni,nj->ij", weighed, centred)
        return cls(np.asarray(means.weight), means.mean, comoment, np.asarray(len(columns)))

    @classmethod
    def combine(cls, parts: Iterable[MomentTally]) -> Self:
        """The tally of all the rows of the parts.

        Means are pooled by weight and co-moments corrected for the distance of each part's
        mean from the pooled one (Chan, Golub & LeVeque 1983).
        """
        parts = list(parts)
        check_sum([np.asarray(part.weight)[..., None] for part in parts], 1)
        weight = sum((part.weight for part in parts[1:]), parts[0].weight)
        means = [np.where(part.weight[..., None] > 0, part.mean, 0.0) for part in parts]
        # Around one of the means, so that parts far from 0 lose no digits.
        origin = sum(means) / len(means)
        shift = sum(p.weight[..., None] * (m - origin) for p, m in zip(parts, means, strict=True))
        mean = origin + divide(shift, weight[..., None])
        comoment = np.zeros_like(parts[0].comoment)
        for part, own in zip(parts, means, strict=True):
            away = np.where(part.weight[..., None] > 0, own - mean, 0.0)
            outer = away[..., :, None] * away[..., None, :]
            comoment = comoment + part.comoment + part.weight[..., None, None] * outer
        n_rows = sum((part.n_rows for part in parts[1:]), parts[0].n_rows)
        return cls(weight, mean, comoment, n_rows)

    @classmethod
    def stack(cls, parts: Iterable[MomentTally]) -> Self:
        """The tallies of folds or groups on one leading axis."""
        parts = list(parts)
        return cls(
            np.stack([p.weight for p in parts]),
            np.stack([p.mean for p in parts]),
            np.stack([p.comoment for p in parts]),
            np.stack([p.n_rows for p in parts]),
        )

"""BinTally: sums over the rows within bins of a probability."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies.merging import Merges, check_sum
from skmetrics_ext.validation import InvalidParameterError


@dataclass(frozen=True, eq=False, slots=True)
class BinTally(Merges):
    """Sums over the rows of each bin; tallies with the same edges merge.

    Parameters
    ----------
    edges : ndarray of shape (B + 1,)
    weight : ndarray of shape (..., B)
        Weight of the rows.
    positive : ndarray of shape (..., B)
        Weight of the rows whose event happened.
    predicted : ndarray of shape (..., B)
        Weighted sum of the probabilities.
    squares : ndarray of shape (..., B)
        Sum of the squared weights; nan if only sums over rows are known.
    n_rows : ndarray of shape (..., B)
        Number of rows; nan if only sums over rows are known.
    noise : ndarray of shape (..., B) or None
        Sampling variance of each rate, for metrics that subtract it from squared distances.
    """

    edges: Array
    weight: Array
    positive: Array
    predicted: Array
    squares: Array
    n_rows: Array
    noise: Array | None = None

    @classmethod
    def combine(cls, parts: Iterable[BinTally]) -> Self:
        """The tally of all rows of parts with the same edges."""
        parts = list(parts)
        edges = parts[0].edges
        if not all(np.array_equal(part.edges, edges) for part in parts):
            raise InvalidParameterError("Sums over bins add only where the bins are the same.")
        check_sum([part.weight for part in parts], 1)
        names = ("weight", "positive", "predicted", "squares", "n_rows")
        return cls(edges, *(sum(getattr(part, name) for part in parts) for name in names))

    def debiased(self) -> Self:
        """The same sums with the sampling variance of the rates as noise."""
        return replace(self, noise=self.rate_variance)

    @property
    def share(self) -> Array:
        """Weight of each bin as a share of all."""
        return divide(self.weight, self.weight.sum(axis=-1, keepdims=True))

    @property
    def mean_predicted(self) -> Array:
        """Mean probability of each bin; nan if it is empty."""
        return divide(self.predicted, self.weight)

    @property
    def rate(self) -> Array:
        """Observed rate of the event in each bin; nan if it is empty."""
        return divide(self.positive, self.weight)

    @property
    def effective_rows(self) -> Array:
        """Effective number of rows of each bin (Kish 1965)."""
        weight = self.weight.astype(np.float64)
        return np.nan_to_num(divide(weight, self.squares)) * weight

    @property
    def rate_variance(self) -> Array:
        """Unbiased estimate of the sampling variance of each rate; 0 for a single row."""
        rate, rows = self.rate, self.effective_rows
        alone = rows <= 1 + 1e-9
        return np.where(alone, 0.0, divide(rate * (1 - rate), np.where(alone, 1.0, rows - 1)))

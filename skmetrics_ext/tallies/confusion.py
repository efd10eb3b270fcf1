"""ConfusionTally: the weight of every (true class, predicted class) pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies.counts import Counts
from skmetrics_ext.validation import Labels
from skmetrics_ext.validation.labels import find_labels, read_labels


@dataclass(frozen=True, eq=False, slots=True)
class ConfusionTally:
    """Weight in each cell of (true class, predicted class).

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes, in the order of the axes of the table.
    table : ndarray of shape (..., K, K)
        Rows are the true class, columns the predicted one; int64 or float64.
    ordered : bool
        Whether the order of the classes was declared, so that they are one step apart.

    Examples
    --------
    >>> from skmetrics_ext import ConfusionTally
    >>> first = ConfusionTally.from_predictions(["a", "b"], ["a", "a"])
    >>> rest = ConfusionTally.from_predictions(["c", "b"], ["c", "b"])
    >>> first.merge(rest).table
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 0, 1]])
    """

    classes: Array
    table: Array
    ordered: bool = False

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Self:
        """Count every pair of true and predicted class.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            Labels.
        labels : array-like, default=None
            The classes and their order. Rows of other classes are left out, as
            scikit-learn's ``confusion_matrix`` does. All that occur, sorted, by default.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        groups : array-like of int of shape (n_samples,), default=None
            Number of the fold or group of each row, from 0: gives a leading axis.

        Returns
        -------
        ConfusionTally
        """
        checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
        tally = cls.from_labels(checked, None if groups is None else np.asarray(groups))
        if labels is None:
            return tally
        return tally.select(checked.positions(labels), np.asarray(labels))

    @classmethod
    def from_labels(cls, labels: Labels, groups: Array | None = None) -> Self:
        """Count checked labels, every class that occurs; once for the same labels."""
        n_classes = len(labels.classes)
        if groups is None:
            if "confusion" not in labels.cache:
                labels.cache["confusion"] = kernels.confusion(
                    labels.true, labels.pred, n_classes, labels.weight
                )
            return cls(labels.classes, labels.cache["confusion"], labels.ordered)
        cells = n_classes * n_classes
        n_groups = int(groups.max()) + 1
        bins = (groups * n_classes + labels.true) * n_classes + labels.pred
        sums = kernels.bin_sums(bins, n_groups * cells, labels.weight)
        return cls(labels.classes, sums.reshape(n_groups, n_classes, n_classes), labels.ordered)

    @classmethod
    def combine(cls, parts: Iterable[ConfusionTally]) -> Self:
        """Sum of tallies over the union of their classes: the tally of all their rows."""
        parts = list(parts)
        classes, codes = kernels.encode(*(part.classes for part in parts))
        shape = (*parts[0].table.shape[:-2], len(classes), len(classes))
        table = np.zeros(shape, dtype=np.result_type(*(part.table for part in parts)))
        for part, code in zip(parts, codes, strict=True):
            table[..., code[:, None], code] += part.table
        return cls(classes, table)

    def merge(self, *others: ConfusionTally) -> Self:
        """Sum of this tally and others."""
        return self.combine([self, *others])

    def pool(self, axis: int = 0) -> Self:
        """Sum over a leading axis (folds, groups)."""
        return replace(self, table=self.table.sum(axis=axis))

    def select(self, positions: Array, classes: Array) -> Self:
        """Rows and columns at these positions, in this order; -1 stands for an absent class."""
        present = positions >= 0
        table = self.table[..., positions[:, None], positions]
        keep = present[:, None] & present
        return type(self)(classes, np.where(keep, table, np.zeros_like(table)))

    def restrict(self, labels: Any) -> ConfusionTally:
        """Only the rows both of whose classes are among ``labels``, in their order."""
        if labels is None:
            return self
        wanted = read_labels(labels)
        return replace(self.select(find_labels(wanted, self.classes), wanted), ordered=True)

    def counts(self) -> Counts:
        """One-vs-rest counts per class, arrays of shape (..., K).

        Without differences of sums but for the true negatives, which are exactly 0 where there is
        no row: a ratio of two rounding errors would stand for what is 0/0.
        """
        right = np.diagonal(self.table, axis1=-2, axis2=-1)
        n_classes = self.table.shape[-1]
        wrong = self.table * (1 - np.eye(n_classes, dtype=np.int64))
        fp, fn = wrong.sum(axis=-2), wrong.sum(axis=-1)
        if n_classes == 2:  # exactly the other class
            return Counts(right, fp, fn, right[..., ::-1])
        tn = right.sum(axis=-1, keepdims=True) + fn.sum(axis=-1, keepdims=True) - right - fp - fn
        if self.table.dtype.kind != "i":
            seen = ConfusionTally(self.classes, (self.table != 0).astype(np.int64))
            tn = np.where(seen.counts().tn == 0, 0.0, tn)
        return Counts(right, fp, fn, tn)

    def hits(self) -> Counts:
        """Rows predicted right and wrong, as one class (..., 1)."""
        right = np.diagonal(self.table, axis1=-2, axis2=-1).sum(axis=-1, keepdims=True)
        wrong = (self.table * (1 - np.eye(self.table.shape[-1], dtype=np.int64))).sum(axis=(-1, -2))
        none = np.zeros_like(right)
        return Counts(right, none, wrong[..., None], none)

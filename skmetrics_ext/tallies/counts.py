"""Counts: true and false positives and negatives, of one class or of many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies.merging import Merges, check_sum, labels_of_part
from skmetrics_ext.validation import InvalidParameterError, Labels
from skmetrics_ext.validation.fields import weights_of
from skmetrics_ext.validation.tables import check_room, no_room

_FEW_CLASSES = 1000  # their table fits into any memory
_MOST_CELLS = 1024  # of a table with more cells than rows


def table_of(labels: Labels) -> Array:
    """The confusion table of checked labels (K, K), cached with them."""
    if "confusion" not in labels.cache:
        n_classes = len(labels.classes)
        if n_classes > _FEW_CLASSES:
            check_room(n_classes)
        try:
            labels.cache["confusion"] = kernels.confusion(
                labels.true, labels.pred, n_classes, labels.weight
            )
        except MemoryError as error:
            raise no_room(n_classes) from error
    table: Array = labels.cache["confusion"]
    return table


def _has_small_table(labels: Labels) -> bool:
    n_cells, n_rows = len(labels.classes) ** 2, labels.true.shape[0]
    return n_cells <= max(n_rows, _MOST_CELLS) and not labels.is_multilabel


@dataclass(frozen=True, eq=False, slots=True)
class Counts(Merges):
    """Weight of the four outcomes, per class, threshold, fold, group or replicate.

    Kernels read it elementwise (precision of each class) or along its last axis, the classes
    (accuracy, Matthews correlation).

    Parameters
    ----------
    tp, fp, fn, tn : array-like of one shape (..., K)
        True positives, false positives, false negatives, true negatives: int64 when the rows
        had no weights or integer ones, else float64.

    Examples
    --------
    >>> from skmetrics_ext.tallies import Counts
    >>> counts = Counts.from_predictions([1, 2, 3], [1, 1, 3])
    >>> counts.tp, counts.fp
    (array([1, 0, 1]), array([1, 0, 0]))
    """

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    def __post_init__(self) -> None:
        # Values are not checked: derivatives perturb them, and a count takes microseconds.
        if not (type(self.tp) is type(self.fp) is type(self.fn) is type(self.tn) is np.ndarray):
            for name in ("tp", "fp", "fn", "tn"):
                if not isinstance(getattr(self, name), np.generic | np.ndarray):
                    weights_of(self, name)
        shapes = {self.tp.shape, self.fp.shape, self.fn.shape, self.tn.shape}
        if len(shapes) > 1:
            raise InvalidParameterError(
                f"tp, fp, fn and tn must be of one shape, got {', '.join(map(str, shapes))}."
            )

    def __repr__(self) -> str:
        parts = zip(("tp", "fp", "fn", "tn"), self.astuple(), strict=True)
        return f"Counts({', '.join(f'{name}={part.tolist()}' for name, part in parts)})"

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None
    ) -> Self:
        """Count the outcomes of every class (or output of a multilabel problem).

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels, or multilabel indicators.
        labels : array-like, default=None
            The classes to count, in this order. All that occur, sorted, by default.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.

        Returns
        -------
        Counts
            Arrays of shape (K,).
        """
        checked = labels_of_part(y_true, y_pred, sample_weight)
        return cls.from_labels(checked).select(checked.positions(labels))

    @classmethod
    def from_labels(cls, labels: Labels) -> Self:
        """Count checked labels, every class that occurs; once for the same labels."""
        if "counts" not in labels.cache:
            is_counted = labels.weight is None and "confusion" in labels.cache
            table = labels.cache["confusion"] if is_counted else None
            labels.cache["counts"] = cls._of(labels) if table is None else cls.from_table(table)
        counts: Self = labels.cache["counts"]
        return counts

    @classmethod
    def _of(cls, labels: Labels) -> Self:
        n_classes, weight = len(labels.classes), labels.weight
        if labels.is_multilabel:
            margins = labels.indicator_sums(axis=0)
            counted = cls.from_margins(*margins, labels.total_weight)
        elif _has_small_table(labels):
            return cls.from_table(table_of(labels))
        else:
            margins = kernels.class_counts(labels.true, labels.pred, n_classes, weight)
            counted = cls.from_margins(*margins, margins[1].sum())
        if weight is None or weight.dtype.kind != "f":
            return counted
        return counted.empty_where(cls.from_labels(labels.unweighted()))

    @classmethod
    def from_table(cls, table: Array) -> Self:
        """Read confusion tables (..., K, K): counts of each class (..., K).

        With float weights only the true negatives are a difference of sums. They are set to 0
        where there is no row, so that 0/0 does not become a ratio of two rounding errors.

        Examples
        --------
        >>> import numpy as np
        >>> from skmetrics_ext.tallies import Counts
        >>> Counts.from_table(np.array([[1, 2], [3, 4]])).fp
        array([3, 2])
        """
        right = table.diagonal(axis1=-2, axis2=-1)
        n_classes = table.shape[-1]
        if n_classes == 2:  # every count is a cell
            fp = table[..., ::-1, :].diagonal(axis1=-2, axis2=-1)
            return cls(right, fp, fp[..., ::-1], right[..., ::-1])
        whole = table.sum(axis=(-1, -2))[..., None]
        if table.dtype.kind == "i":
            true, pred = table.sum(axis=-1), table.sum(axis=-2)
            return cls(right, pred - right, true - right, whole - true - pred + right)
        wrong = np.where(np.eye(n_classes, dtype=bool), 0, table)
        fp, fn = wrong.sum(axis=-2), wrong.sum(axis=-1)
        tn = whole - right - fp - fn
        seen = cls.from_table((table != 0).astype(np.int64)).tn
        return cls(right, fp, fn, np.where((seen == 0) | (np.real(tn) < 0), 0, tn))

    @classmethod
    def from_hits(cls, labels: Labels) -> Self:
        """Rows predicted correctly and wrongly, as one class: enough for accuracy."""
        known = "counts" in labels.cache or labels.weight is not None  # a table is as fast
        if "columns" in labels.cache or (known and _has_small_table(labels)):
            counted = cls.from_labels(labels)
            right, wrong = counted.tp.sum(), counted.fn.sum()
        elif labels.weight is None:
            right = np.count_nonzero(labels.row_hits())
            wrong = labels.n_rows - right
        else:
            wrong, right = kernels.bin_sums(labels.row_hits().astype(np.int64), 2, labels.weight)
        right, none, wrong = np.array([[right], [0], [wrong]])
        return cls(right, none, wrong, none)

    @classmethod
    def from_outputs(cls, labels: Labels) -> Self:
        """Counts of each row over its outputs, (n,), for multilabel data."""
        right, true, pred = labels.indicator_sums(axis=1)
        total = labels.true.shape[1] * (1 if labels.weight is None else labels.weight)
        return cls.from_margins(right, true, pred, total)

    @classmethod
    def from_margins(cls, right: Any, true: Any, pred: Any, total: Any) -> Self:
        """Counts from the weights of correct, true and predicted rows of a class, and of all rows.

        Examples
        --------
        >>> from skmetrics_ext.tallies import Counts
        >>> Counts.from_margins(2, 3, 5, 10).tn
        np.int64(4)
        """
        right, true, pred = np.asarray(right), np.asarray(true), np.asarray(pred)
        fp, fn = pred - right, true - right
        tn = total - right - fp - fn
        if tn.dtype.kind != "i":
            # A difference of float sums may come out a rounding error below 0.
            fp, fn, tn = (np.maximum(part, 0) for part in (fp, fn, tn))
        return cls(right, fp, fn, tn)

    @classmethod
    def combine(cls, parts: Iterable[Counts]) -> Self:
        """The tally of all rows of parts with the same classes."""
        parts = list(parts)
        check_sum([np.stack(part.astuple(), axis=-1) for part in parts], 1)
        return cls(*(sum(p[1:], p[0]) for p in zip(*(x.astuple() for x in parts), strict=True)))

    def astuple(self) -> tuple[Array, Array, Array, Array]:
        """The four arrays, in the order of the constructor."""
        return self.tp, self.fp, self.fn, self.tn

    def empty_where(self, rows: Counts) -> Self:
        """These counts, exactly 0 where ``rows`` are: differences of float sums leave errors.

        Otherwise 0/0 would become a ratio of two rounding errors.
        """
        pairs = zip(self.astuple(), rows.astuple(), strict=True)
        return type(self)(*(np.where(n == 0, 0, part) for part, n in pairs))

    def pool(self, axis: int = -1) -> Self:
        """Sum over an axis; over the classes (the last) these are the micro-averaged counts."""
        return type(self)(*(part.sum(axis=axis) for part in self.astuple()))

    def select(self, positions: Array) -> Self:
        """The classes at these positions, in this order; -1 stands for a class without rows."""
        absent = positions < 0
        if not absent.any() and np.array_equal(positions, np.arange(self.tp.shape[-1])):
            return self
        chosen = [part[..., positions] for part in self.astuple()]
        zero = np.zeros_like(chosen[0])
        parts = zip((zero, zero, zero, self.total[..., :1]), chosen, strict=True)
        return type(self)(*(np.where(absent, without, part) for without, part in parts))

    def of_class(self, place: int) -> Self:
        """The class at a position, without the axis of the classes; -1 as in `select`."""
        if place < 0:
            return self.select(np.array([place])).pool()
        return type(self)(*(part[..., place] for part in self.astuple()))

    def both_classes(self) -> Self:
        """Counts of the negative and the positive class, (..., 2), from those of the positive."""
        pairs = ((self.tn, self.tp), (self.fn, self.fp), (self.fp, self.fn), (self.tp, self.tn))
        return type(self)(*(np.stack(pair, axis=-1) for pair in pairs))

    @property
    def true(self) -> Array:
        """Weight of the rows of the class (support)."""
        return self.tp + self.fn

    @property
    def pred(self) -> Array:
        """Weight of the rows predicted as the class."""
        return self.tp + self.fp

    @property
    def total(self) -> Array:
        """Weight of all rows."""
        return self.tp + self.fp + self.fn + self.tn

"""Confusion tables: the weight of every (true class, predicted class) pair, or data to count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.tallies.counts import Counts, table_of
from skmetrics_ext.tallies.merging import Merges, check_pool, check_sum, labels_of_part
from skmetrics_ext.validation import InvalidParameterError, Labels
from skmetrics_ext.validation.encoding import Order, encode, order_of, ranks_in
from skmetrics_ext.validation.fields import EXACT, labels_of, shape_error, weights_of
from skmetrics_ext.validation.groups import read_numbered_groups
from skmetrics_ext.validation.labels import (
    NO_SAMPLES,
    check_shared_classes,
    positions_of_labels,
    read_labels,
)
from skmetrics_ext.validation.rows import check_weight
from skmetrics_ext.validation.tables import check_room, check_weights, no_room, read_table
from skmetrics_ext.validation.targets import kind_of


class Tabulated:
    """A confusion table, or data that it is counted from on demand: the input of label metrics."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def classes(self) -> Array:
            """The classes, in the order of the axes of the table."""

        @property
        def table(self) -> Array:
            """Weight in each cell, (..., K, K)."""

        @property
        def ordered(self) -> Order:
            """The declared order of the classes, True for theirs; None for conflicting orders."""

    @property
    def kind(self) -> str:
        """Kind of target, in scikit-learn's terms: "binary" or "multiclass"."""
        return "binary" if len(self.classes) <= 2 else kind_of(self.occurring())

    def occurring(self) -> Array:
        """The classes; if there are more than two, only those with weight in any table."""
        if len(self.classes) <= 2:
            return self.classes
        table = self.table != 0
        used = table.any(axis=tuple(range(table.ndim - 2)))
        return self.classes[used.any(axis=0) | used.any(axis=1)]

    def positions(self, labels: Any) -> Array:
        """Index of each of ``labels`` among the classes, -1 if absent."""
        return positions_of_labels(read_labels(labels), self.classes)

    def in_rising_order(self) -> Tabulated:
        """The tally with its classes from the lowest to the highest, if they have an order."""
        if not isinstance(self.ordered, tuple):
            return self
        order = np.argsort(ranks_in(self.ordered, self.classes))
        return ConfusionTally(self.classes[order], self.table[..., order[:, None], order], True)

    def counts(self) -> Counts:
        """One-vs-rest counts per class, arrays of shape (..., K)."""
        return Counts.from_table(self.table)

    def of_class(self, place: int) -> Counts:
        """Counts of the class at a position, (...); -1 stands for a class without rows."""
        if len(self.classes) != 2 or place < 0:
            return self.counts().of_class(place)
        table, other = self.table, 1 - place
        return Counts(
            table[..., place, place],
            table[..., other, place],
            table[..., place, other],
            table[..., other, other],
        )

    def present(self, counts: Counts) -> Array | None:
        """Whether each class occurs in each table, true or predicted, (..., K); None if all do."""
        present = (counts.true + counts.pred).real != 0
        return None if present.all() else present

    def hits(self) -> Counts:
        """Rows predicted correctly and wrongly, as one class (..., 1)."""
        table = self.table
        right = table.diagonal(axis1=-2, axis2=-1).sum(axis=-1, keepdims=True)
        wrong = np.where(np.eye(table.shape[-1], dtype=bool), 0, table)
        none = np.zeros_like(right)
        return Counts(right, none, wrong.sum(axis=(-1, -2))[..., None], none)

    def marks(self) -> Counts:
        """Like `hits`; for multilabel data the marks of every output, (K,)."""
        return self.hits()

    def by_row(self, labels: Any) -> tuple[Counts, Array | None]:
        """Counts of each row of multilabel data over its outputs (n,), and weights of the rows."""
        raise InvalidParameterError(NO_SAMPLES)

    def restrict(self, labels: Any) -> Tabulated:
        """The rows whose true and predicted class are both in ``labels``; classes in its order."""
        if labels is None:
            return self
        wanted = read_labels(labels, once=True)
        tally = ConfusionTally(self.classes, self.table)
        return replace(
            tally.select(positions_of_labels(wanted, self.classes), wanted), ordered=True
        )


@dataclass(frozen=True, eq=False, slots=True)
class ConfusionTally(Tabulated, Merges):
    """Weight in each cell of (true class, predicted class).

    Parameters
    ----------
    classes : array-like of shape (K,)
        The classes, in the order of the axes of the table.
    table : array-like of shape (..., K, K)
        Rows are the true class, columns the predicted one; int64 or float64.
    ordered : bool, tuple or None
        Whether the classes are in a declared order, one step apart, or a tuple of them in this
        order; None for conflicting orders.

    Examples
    --------
    >>> from skmetrics_ext.tallies import ConfusionTally
    >>> first = ConfusionTally.from_predictions(["a", "b"], ["a", "a"])
    >>> rest = ConfusionTally.from_predictions(["c", "b"], ["c", "b"])
    >>> first.merge(rest).table
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 0, 1]])

    A published table has the metrics of labels and their intervals:

    >>> from skmetrics_ext import compute_metrics, confidence_interval
    >>> table = ConfusionTally.from_table([[50, 5], [8, 37]], labels=["well", "ill"])
    >>> compute_metrics(["accuracy", "f1_macro"], table)
    {'accuracy': 0.87, 'f1_macro': 0.8677652324280338}
    >>> print(confidence_interval("recall", table, pos_label="ill"))
    Recall 0.8222 [0.6867, 0.9071], 95 %, 100 rows, positive class 'ill', wilson
    """

    classes: Array
    table: Array
    ordered: Order = False

    def __post_init__(self) -> None:
        classes, table = self.classes, self.table
        if not (type(classes) is type(table) is np.ndarray and table.dtype.char in EXACT):
            classes, table = labels_of(self, "classes"), weights_of(self, "table")
        if classes.ndim != 1 or len(set(classes.tolist())) < len(classes):
            labels_of(self, "classes")
        k = len(classes)
        if table.ndim < 2 or table.shape[-2:] != (k, k):
            raise shape_error("table", table, f"(..., {k}, {k}), as classes says")
        check_weights("table", table)

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
        checked = labels_of_part(y_true, y_pred, sample_weight)
        checked = checked.single_label("a confusion table")
        if groups is None:
            return cls.from_labels(checked.restrict(labels))
        others = {"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}
        tally = cls.from_labels(checked, read_numbered_groups(groups, checked.n_rows, **others))
        if labels is None:
            return tally
        return tally.select(checked.positions(labels, once=True), read_labels(labels))

    @classmethod
    def from_table(cls, table: Any, labels: Any = None, *, ordered: bool = False) -> Self:
        """Read a table that was counted elsewhere.

        Pass the result as ``y_true`` to `compute_metrics` and `confidence_interval`, without
        predictions, and as both arrays to functions of label metrics.

        Parameters
        ----------
        table : array-like of shape (n_classes, n_classes)
            Weight of each cell: rows are the true class, columns the predicted one. A data frame
            must have the same names for both.
        labels : array-like of shape (n_classes,), default=None
            The classes, in the order of the rows. By default the names of a data frame, else
            0, 1, 2, ...
        ordered : bool, default=False
            Whether the classes are ordered grades at equal distances.

        Returns
        -------
        ConfusionTally
        """
        classes, cells = read_table(table, labels)
        return cls(classes, cells, ordered)

    @classmethod
    def from_labels(cls, labels: Labels, groups: Array | None = None) -> Self:
        """Count checked labels over all classes that occur; cached with the labels."""
        n_classes = len(labels.classes)
        if groups is None:
            return cls(labels.classes, table_of(labels), labels.ordered)
        cells = n_classes * n_classes
        n_groups = int(groups.max()) + 1
        check_room(n_classes, n_groups)
        bins = (groups * n_classes + labels.true) * n_classes + labels.pred
        try:
            sums = kernels.bin_sums(bins, n_groups * cells, labels.weight)
        except MemoryError as error:
            raise no_room(n_classes, n_groups) from error
        return cls(labels.classes, sums.reshape(n_groups, n_classes, n_classes), labels.ordered)

    def each(self) -> list[Self]:
        """The tables along the first axis; they were checked together."""
        parts = []
        for table in self.table:
            part = object.__new__(type(self))
            values = ("classes", self.classes), ("table", table), ("ordered", self.ordered)
            for name, value in values:
                object.__setattr__(part, name, value)
            parts.append(part)
        return parts

    def as_labels(self, absolute: bool = False) -> Labels:
        """The cells of a single table as weighted rows, for functions of label metrics.

        Only classes that occur are kept; ``absolute`` keeps the weights unscaled.
        """
        if self.table.ndim != 2:
            raise InvalidParameterError(
                f"A ConfusionTally of one table is needed, got an array of shape "
                f"{self.table.shape}."
            )
        true, pred = np.nonzero(self.table)
        if not len(true):
            raise InvalidParameterError("A ConfusionTally without any row has no metrics.")
        weight = check_weight(as_factors(self.table[true, pred]), len(true), absolute=absolute)
        used, (true, pred) = kernels.encode(true, pred)
        classes = self.classes[used]
        return Labels(kind_of(used), classes, true, pred, weight, self.ordered, absolute)

    @classmethod
    def combine(cls, parts: Iterable[ConfusionTally]) -> Self:
        """The tally of all rows: the sum over the union of the classes.

        Classes keep their order if all parts have the same ones; otherwise they are sorted.
        """
        parts = list(parts)
        if len(parts) == 1 and type(parts[0]) is cls:
            return parts[0]
        classes, ordered = _classes_of(parts)
        tables = [part.table for part in parts]
        if all(part.classes is classes for part in parts):
            return cls(classes, np.stack(tables), ordered).pool()
        check_sum(tables, 2)
        codes = [positions_of_labels(part.classes, classes) for part in parts]
        shape = (*parts[0].table.shape[:-2], len(classes), len(classes))
        try:
            table = np.zeros(shape, dtype=np.result_type(*tables))
        except MemoryError as error:
            raise no_room(len(classes)) from error
        for part, code in zip(parts, codes, strict=True):
            table[..., code[:, None], code] += part.table
        return cls(classes, table, ordered)

    def check_shared_classes(self, listed: Any, name: str) -> None:
        """Refuse predicted classes that are no true ones, as ``Labels.sharing_classes`` does."""
        true, pred = (self.classes[self.table.any(axis=axis)] for axis in (1, 0))
        check_shared_classes(true, pred, self.table.sum(), listed, name)

    def pool(self, axis: int = 0) -> Self:
        """Sum over a leading axis (folds, groups)."""
        check_pool(self.table, axis, 2)
        return replace(self, table=self.table.sum(axis=axis))

    def select(self, positions: Array, classes: Array) -> Self:
        """Rows and columns at these positions, in this order; -1 stands for an absent class."""
        present = positions >= 0
        try:
            table = self.table[..., positions[:, None], positions]
            keep = present[:, None] & present
            return type(self)(classes, np.where(keep, table, np.zeros_like(table)))
        except MemoryError as error:
            raise no_room(len(positions)) from error


def _classes_of(parts: list[ConfusionTally]) -> tuple[Array, Order]:
    """The classes of all parts, and their declared order; None for a conflict."""
    classes, orders = parts[0].classes, [part.ordered for part in parts]
    if not all(
        part.classes is classes or np.array_equal(part.classes, classes) for part in parts[1:]
    ):
        # Parts without weight have no classes.
        classes = encode(*filter(len, (part.classes for part in parts)))[0]
        lists = [tuple(part.classes.tolist()) for part in parts]
        orders = [own if order is True else order for own, order in zip(lists, orders, strict=True)]
    return classes, order_of(classes, orders)


# --------------------------------------------------------------------------- on demand


@dataclass(frozen=True, eq=False, slots=True)
class LabelTally(Tabulated):
    """The confusion table of checked labels, counted on demand: most metrics need only counts.

    Counts of ten thousand classes are small, while their table would fill the memory.
    """

    labels: Labels
    kept: dict[Any, Any] | None = None  # values shared with other metrics

    @property
    def classes(self) -> Array:
        """The classes that occur."""
        return self.labels.classes

    @property
    def ordered(self) -> Order:
        """The declared order of the classes; None for conflicting orders."""
        return self.labels.ordered

    @property
    def kind(self) -> str:
        """Kind of target, in scikit-learn's terms."""
        return self.labels.kind

    @property
    def table(self) -> Array:
        """Weight in each cell, (K, K)."""
        return table_of(self.labels)

    def occurring(self) -> Array:
        """The classes; all of them occur."""
        return self.labels.classes

    def positions(self, labels: Any) -> Array:
        """Index of each of ``labels`` among the classes, -1 if absent."""
        return self.labels.positions(labels)

    def counts(self) -> Counts:
        """One-vs-rest counts per class, (K,)."""
        return Counts.from_labels(self.labels)

    def present(self, counts: Counts) -> None:
        """None: all classes occur, even if their rows have no weight."""

    def hits(self) -> Counts:
        """Rows predicted correctly and wrongly, as one class (1,)."""
        return Counts.from_hits(self.labels)

    def marks(self) -> Counts:
        """Like `hits`; for multilabel data the marks of every output, (K,)."""
        return self.counts() if self.labels.is_multilabel else self.hits()

    def by_row(self, labels: Any) -> tuple[Counts, Array | None]:
        """Counts of each row of multilabel data over its outputs (n,), and weights of the rows."""
        chosen = self.labels.outputs(self.labels.positions(labels))
        return Counts.from_outputs(replace(chosen, weight=None)), self.labels.weight

    def restrict(self, labels: Any) -> LabelTally:
        """The rows whose true and predicted class are both in ``labels``; classes in its order."""
        return self if labels is None else LabelTally(self.labels.restrict(labels))


@dataclass(frozen=True, eq=False, slots=True)
class ThresholdTally(Tabulated):
    """Tables of two classes along thresholds, from the counts of the positive class.

    Parameters
    ----------
    classes : ndarray of shape (2,)
        The negative class and the positive one.
    positive : Counts of shape (...)
        Counts of the positive class at each threshold.
    ordered : bool
        Whether the order of the classes was declared.
    """

    classes: Array
    positive: Counts
    ordered: bool = False

    @property
    def table(self) -> Array:
        """Weight in each cell, (..., 2, 2)."""
        counts = self.positive
        rows = np.stack([counts.tn, counts.fp], axis=-1), np.stack([counts.fn, counts.tp], axis=-1)
        return np.stack(rows, axis=-2)

    def counts(self) -> Counts:
        """Counts of the negative and the positive class, (..., 2)."""
        return self.positive.both_classes()

    def of_class(self, place: int) -> Counts:
        """Counts of one class, (...)."""
        return self.positive if place == 1 else self.counts().of_class(place)

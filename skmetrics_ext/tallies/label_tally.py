"""Confusion tables counted on demand, from checked labels or along thresholds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies.confusion import Tabulated
from skmetrics_ext.tallies.counts import Counts, table_of
from skmetrics_ext.validation import Labels


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
    def ordered(self) -> bool | None:
        """Whether the order of the classes was declared; None for conflicting orders."""
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

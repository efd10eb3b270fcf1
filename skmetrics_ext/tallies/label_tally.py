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
    """The confusion table of checked labels, counted on demand: most metrics need counts alone.

    The counts of ten thousand classes are small where their table would fill the memory.
    """

    labels: Labels
    kept: dict[Any, Any] | None = None  # what was read before, where other metrics will ask

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
        """The classes, which are those that occur."""
        return self.labels.classes

    def positions(self, labels: Any) -> Array:
        """Index of each of ``labels`` among the classes, -1 if absent."""
        return self.labels.positions(labels)

    def counts(self) -> Counts:
        """One-vs-rest counts per class, (K,)."""
        return Counts.from_labels(self.labels)

    def present(self, counts: Counts) -> None:
        """All classes, even those whose rows have no weight."""

    def hits(self) -> Counts:
        """Rows predicted right and wrong, as one class (1,)."""
        return Counts.from_hits(self.labels)

    def marks(self) -> Counts:
        """Rows predicted right and wrong; of multilabel data every output, (K,)."""
        return self.counts() if self.labels.is_multilabel else self.hits()

    def by_row(self, labels: Any) -> tuple[Counts, Array | None]:
        """Counts of each row of multilabel data over its outputs (n,), and weights of the rows."""
        chosen = self.labels.outputs(self.labels.positions(labels))
        return Counts.from_outputs(replace(chosen, weight=None)), self.labels.weight

    def restrict(self, labels: Any) -> LabelTally:
        """Only the rows both of whose classes are among ``labels``, in their order."""
        return self if labels is None else LabelTally(self.labels.restrict(labels))


@dataclass(frozen=True, eq=False, slots=True)
class ThresholdTally(Tabulated):
    """A table of two classes at every threshold, from the counts of the positive one.

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
        own = self.positive
        rows = np.stack([own.tn, own.fp], axis=-1), np.stack([own.fn, own.tp], axis=-1)
        return np.stack(rows, axis=-2)

    def counts(self) -> Counts:
        """Counts of the negative and the positive class, (..., 2)."""
        return self.positive.both_classes()

    def of_class(self, place: int) -> Counts:
        """Counts of one class, (...); those of the positive one are there."""
        return self.positive if place == 1 else self.counts().of_class(place)

"""Confusion tables that are counted only when they are read: of checked labels, of thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies.confusion import ConfusionTally
from skmetrics_ext.tallies.counts import Counts
from skmetrics_ext.validation import Labels


@dataclass(frozen=True, eq=False, slots=True)
class LabelTally:
    """The confusion table of checked labels, of which most metrics need the counts alone.

    Ten thousand classes have counts in little memory, and a table that fills it.
    """

    labels: Labels

    @property
    def classes(self) -> Array:
        """The classes that occur."""
        return self.labels.classes

    @property
    def ordered(self) -> bool:
        """Whether the order of the classes was declared."""
        return self.labels.ordered

    @property
    def table(self) -> Array:
        """Weight in each cell, (K, K)."""
        return ConfusionTally.from_labels(self.labels).table

    def counts(self) -> Counts:
        """One-vs-rest counts per class, (K,)."""
        return Counts.from_labels(self.labels)

    def hits(self) -> Counts:
        """Rows predicted right and wrong, as one class (1,)."""
        return Counts.from_hits(self.labels)

    def restrict(self, labels: Any) -> LabelTally:
        """Only the rows both of whose classes are among ``labels``, in their order."""
        return self if labels is None else LabelTally(self.labels.restrict(labels))


@dataclass(frozen=True, eq=False, slots=True)
class ThresholdTally:
    """A table of two classes at every threshold, from the counts of the positive one.

    Parameters
    ----------
    classes : ndarray of shape (2,)
        The negative class and the positive one.
    positive : Counts of shape (...)
        Counts of the positive class at each threshold.
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

    def hits(self) -> Counts:
        """Rows predicted right and wrong, as one class (..., 1)."""
        return ConfusionTally(self.classes, self.table).hits()

    def restrict(self, labels: Any) -> ConfusionTally:
        """Only the rows both of whose classes are among ``labels``, in their order."""
        return ConfusionTally(self.classes, self.table).restrict(labels)

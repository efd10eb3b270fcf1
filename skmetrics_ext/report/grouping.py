"""Groups of the rows of a report: what its intervals take as independent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.report.fold import Fold


@dataclass(frozen=True, eq=False, slots=True)
class Grouping:
    """Which rows depend on each other, and how the folds hold their groups.

    Parameters
    ----------
    of_row : ndarray of int of shape (n_samples,)
        Number of the group of each row.
    sizes : mapping of int to (int, int)
        Groups with rows that a fold trains on, and that it tests on.
    n_split : int
        Groups that some fold both trains on and tests on.
    """

    of_row: Array
    sizes: Mapping[int, tuple[int, int]]
    n_split: int

    @classmethod
    def of(cls, of_row: Array, folds: Iterable[Fold]) -> Grouping:
        """Of the number of the group of each row."""
        sizes, split = {}, np.zeros(int(of_row.max()) + 1, dtype=bool)
        for fold in folds:
            held = np.zeros((2, len(split)), dtype=bool)
            held[0, of_row[fold.train]] = held[1, of_row[fold.test]] = True
            n_train, n_test = held.sum(axis=1).tolist()
            sizes[fold.number] = n_train, n_test
            split |= held.all(axis=0)
        return cls(of_row, sizes, int(split.sum()))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.of_row.max()) + 1

    @property
    def told(self) -> list[str]:
        """What a reader of the report must know of them."""
        if not self.n_split:
            return []
        return [
            f"{self.n_split} of {self.n_groups} groups have rows in the training and the test part "
            "of one fold: models were tested on groups that they knew"
        ]


def group_sizes(grouping: Grouping | None, results: Any) -> dict[str, Any]:
    """Rows of the folds, or groups where they are known, on both sides."""
    sizes = [(one.n_train, one.n_test) for one in results]
    if grouping is not None:
        sizes = [grouping.sizes[one.fold] for one in results]
    train, test = zip(*sizes, strict=True)
    return {"n_train": list(train), "n_test": list(test)}

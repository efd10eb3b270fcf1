"""Ratings: a table of items x raters, in any container, with missing ratings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import missing_rows, read_column, take_rows
from skmetrics_ext.validation.encoding import encode_columns, find_labels, order_of, ranks_in
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.labels import positions_of_labels, read_labels
from skmetrics_ext.validation.rows import check_weight
from skmetrics_ext.validation.targets import read_values
from skmetrics_ext.validation.tensors import is_tensor, to_host


@dataclass(frozen=True, eq=False)
class Ratings:
    """Checked ratings of items by any number of raters.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes, those of a declared order from the lowest to the highest.
    true : ndarray of shape (n_items, K)
        Number of raters who gave each class to each item.
    ordered : bool
        Whether the order of the classes was declared.
    weight : ndarray of shape (n_items,) or None
    """

    classes: Array
    true: Array
    ordered: bool
    weight: Array | None = None

    @classmethod
    def check(cls, ratings: Any, labels: Any = None, sample_weight: Any = None) -> Ratings:
        """Count the ratings of each item; those with a class not in ``labels`` have none."""
        table = _columns(ratings)
        columns, rows = [], []
        for values in table:
            rated = np.flatnonzero(~missing_rows(values))
            if len(rated):
                present = take_rows(values, rated)
                is_object = isinstance(present, np.ndarray) and present.dtype.kind == "O"
                column = read_column(present.tolist() if is_object else present, "ratings")
                columns.append((column, read_values(column)[0]))
                rows.append(rated)
        if not columns:
            raise InvalidParameterError("ratings hold no rating: every value is missing.")
        classes, codes = encode_columns(*columns)
        order = order_of(classes, [column.order for column, _ in columns])
        if order is None:
            raise InvalidParameterError(
                f"the raters' categoricals put the classes {classes[:10].tolist()} in conflicting "
                "orders: pass labels= in rising order."
            )
        n_items, size = len(missing_rows(table[0])), len(classes)
        cells = np.concatenate([r * size + code for r, code in zip(rows, codes, strict=True)])
        counts = np.bincount(cells, minlength=n_items * size).reshape(n_items, size)
        if isinstance(order, tuple):
            rising = np.argsort(ranks_in(order, classes))
            classes, counts = classes[rising], counts[:, rising]
        if labels is not None:
            wanted = read_labels(labels, once=True)
            positions_of_labels(wanted, classes)
            place = find_labels(wanted, classes)
            listed = np.where(place >= 0, counts[:, place], 0)
            whole = listed.sum(axis=1) == counts.sum(axis=1)
            classes, counts = wanted, listed * whole[:, None]
        ordered = labels is not None or order is not False
        weight = check_weight(sample_weight, n_items, absolute=True)
        return cls(classes, counts, ordered, weight)

    def rated(self, least: int) -> Array:
        """The items with weight and so many ratings or more."""
        rated = self.true.sum(axis=1) >= least
        return np.flatnonzero(rated if self.weight is None else rated & (self.weight > 0))

    def keep(self, rows: Array) -> Ratings:
        """Some of the items."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, true=self.true[rows], weight=weight)


def _columns(ratings: Any) -> list[Any]:
    """The ratings of each rater."""
    if hasattr(ratings, "iloc"):
        columns = [ratings.iloc[:, j] for j in range(ratings.shape[1])] if ratings.ndim == 2 else []
    elif hasattr(ratings, "get_columns"):
        columns = ratings.get_columns()
    elif hasattr(ratings, "column_names"):
        columns = list(ratings.columns)
    else:
        if is_tensor(ratings):
            ratings = to_host(ratings, "ratings")
        if not isinstance(ratings, np.ndarray):  # NumPy would make text of nan among text
            ratings = np.array(ratings, dtype=object)
        columns = list(ratings.T) if ratings.ndim == 2 else []
    if len(columns) < 2:
        raise InvalidParameterError(
            "ratings must be a table of items x raters with two columns or more, or pass y_true "
            f"and y_pred, got {type(ratings).__name__}: {ratings!r:.60}."
        )
    return columns

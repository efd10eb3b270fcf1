"""Ratings: a table of items x raters, in any container, with missing ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import missing_rows, read_column, take_rows
from skmetrics_ext.validation.encoding import encode_columns, order_of, ranks_in
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
    true : ndarray of shape (n, K)
        Number of raters who gave each class to each item.
    ordered : bool or None
        Whether the order of the classes was declared; None for conflicting orders.
    weight : ndarray of shape (n,) or None
    rows : ndarray of shape (n,)
        Positions of the items in the table.
    """

    classes: Array
    true: Array
    ordered: bool | None
    weight: Array | None
    rows: Array

    @classmethod
    def check(cls, table: Any, labels: Any, sample_weight: Any, least: int) -> Ratings:
        """The items with weight and so many ratings or more, all with classes of ``labels``."""
        columns, rows = [], []
        raters = _columns(table)
        n_items = len(missing_rows(raters[0]))
        for values in raters:
            rated = np.flatnonzero(~missing_rows(values))
            if len(rated):
                present = take_rows(values, rated)
                is_object = isinstance(present, np.ndarray) and present.dtype.kind == "O"
                column = read_column(list(present) if is_object else present, "ratings")
                columns.append((column, read_values(column)[0]))
                rows.append(rated)
        if not columns:
            raise InvalidParameterError("ratings hold no rating: every value is missing.")
        classes, codes = encode_columns(*columns)
        cells = [r * len(classes) + code for r, code in zip(rows, codes, strict=True)]
        counts = np.bincount(np.concatenate(cells), minlength=n_items * len(classes))
        counts = counts.reshape(n_items, -1)
        order = order_of(classes, [column.order for column, _ in columns])
        wanted = classes if labels is None else read_labels(labels, once=True)
        if labels is None and isinstance(order, tuple):
            wanted = classes[np.argsort(ranks_in(order, classes))]
        place = positions_of_labels(wanted, classes)
        listed = np.where(place >= 0, counts[:, place], 0)
        size = counts.sum(axis=1)
        kept = (size >= least) & (size == listed.sum(axis=1))
        weight = check_weight(sample_weight, n_items, absolute=True)
        kept = np.flatnonzero(kept if weight is None else kept & (weight > 0))
        ordered = None if order is None else labels is not None or order is not False
        return cls(wanted, listed[kept], ordered, None if weight is None else weight[kept], kept)

    @property
    def mass(self) -> Array:
        """Weight of each item."""
        return np.ones(len(self.true)) if self.weight is None else self.weight

    @property
    def shares(self) -> Array:
        """Share of each class among the ratings of each item, (n, K)."""
        return np.asarray(self.true / self.true.sum(axis=1, keepdims=True))

    def pairs(self, *, by_item: bool) -> Array:
        """Ordered pairs of ratings of each item, (n, K, K).

        By item they have the weight 1; otherwise those of each rating have the weight 1/2.
        """
        counts, size = self.true, self.true.sum(axis=1)
        pairs = counts[:, :, None] * counts[:, None, :] - np.eye(counts.shape[1]) * counts[:, None]
        if by_item:
            # Items with one rating show shares of classes but no pairs, as a fixed part (Gwet).
            whole = self.mass.sum() / max(self.mass[size > 1].sum(), 1e-300)
            return np.asarray(pairs * (whole / np.maximum(size * (size - 1), 1))[:, None, None])
        return np.asarray(pairs / np.maximum(2 * size - 2, 1)[:, None, None])


def _columns(table: Any) -> list[Any]:
    """The ratings of each rater."""
    if hasattr(table, "iloc"):
        columns = [table.iloc[:, j] for j in range(table.shape[1])] if table.ndim == 2 else []
    elif hasattr(table, "get_columns") or hasattr(table, "column_names"):
        columns = list(table.get_columns() if hasattr(table, "get_columns") else table.columns)
    else:
        values = to_host(table, "ratings") if is_tensor(table) else table
        if not isinstance(values, np.ndarray):  # NumPy would make text of nan among text
            values = np.array(values, dtype=object)
        columns = list(values.T) if values.ndim == 2 else []
    if len(columns) < 2:
        raise InvalidParameterError(
            "ratings must be a table of items x raters with two columns or more, or pass y_true "
            f"and y_pred, got {type(table).__name__}: {table!r:.60}."
        )
    return columns

"""The table of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from skmetrics_ext.formats import interval, number
from skmetrics_ext.merged.by import ALL, NO_GROUPS, By
from skmetrics_ext.merged.curve_points import ThinnedCurve
from skmetrics_ext.numeric import Array
from skmetrics_ext.rows import Row, Rows, Shown, Tabular
from skmetrics_ext.tallies.bins import BinTally


def evaluation_rows(rows: Iterable[Mapping[str, Any]], level: float, by: By = NO_GROUPS) -> Rows:
    """The rows as a table, without the columns that say nothing."""
    rows = list(rows)
    has = {
        key: any(row[key] not in (None, "") for row in rows) for key in ("group", "of", "method")
    }
    has["group"] |= bool(by.names)
    has["low"] = any(row["low"] == row["low"] for row in rows)
    columns = [
        Shown("group", "group", by.told, is_text=True, none=ALL),
        Shown("metric", is_text=True),
        Shown("of", is_text=True),
        Shown("value", "value", number),
        Shown(f"{100 * level:g}% interval", ("low", "high"), interval),
        Shown("rows", "n_rows"),
        Shown("method", is_text=True),
    ]
    shown = [
        c for c in columns if has.get(c.keys[0] if isinstance(c.keys, tuple) else c.title, True)
    ]
    return Rows(rows, shown)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Evaluation(Tabular):
    """Metrics of a data set: a row for each group and metric.

    Parameters
    ----------
    rows : Rows
        Each with ``group`` (value of the column ``by``; None for all rows together), ``metric``
        (losses are not negated), ``of`` (the class, or the pair of classes, of a metric that has a
        value for each; else None), ``value`` (nan where it is undefined, and where only bounds
        are known), ``low`` and ``high`` (of the confidence interval, or with ``approximate=True``
        of the value itself), ``n_rows`` (of the group), ``method`` (how the bounds were made; ""
        where there are none) and ``reason`` (why there is no value or no interval, or by what
        convention there is one; else "").
    engine : str
        What computed it.
    confidence_level : float
        Of the intervals.
    curves : dict
        ``(group, class) -> ThinnedCurve``, where points were asked for.
    bins : dict
        ``(group, metric) -> BinTally``, or a tuple of one for each class: what the calibration
        errors over equal bins were read from.
    pair_areas : dict
        ``group -> ndarray (K, K)``, where ``pairwise_roc_auc`` was asked for.
    """

    rows: Rows
    engine: str
    confidence_level: float = 0.95
    curves: dict[tuple[Any, Any], ThinnedCurve] = field(default_factory=dict)
    bins: dict[tuple[Any, str], BinTally | tuple[BinTally, ...]] = field(default_factory=dict)
    pair_areas: dict[Any, Array] = field(default_factory=dict)
    by: By = NO_GROUPS

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, metric: str, group: Any = None, of: Any = None) -> Row:
        """The row of a metric.

        Parameters
        ----------
        metric : str
            Its name.
        group : object, default=None
            The group; None for all rows together.
        of : object, default=None
            The class, where there is a value for each.

        Returns
        -------
        Row
        """
        for row in self.rows:
            if (row.metric, row.group, row.of) == (metric, group, of):
                return row
        raise KeyError(f"No row of metric={metric!r}, group={group!r}, of={of!r}.")

    def value(self, metric: str, group: Any = None, of: Any = None) -> float:
        """Value of a metric.

        Parameters
        ----------
        metric : str
            Its name.
        group : object, default=None
            The group; None for all rows together.
        of : object, default=None
            The class, where there is a value for each.

        Returns
        -------
        float
        """
        return float(self.row(metric, group, of).value)

    def _as_rows(self) -> Rows:
        if not self.by.names:
            return self.rows
        told = (dict(row) for row in self.rows)
        records = [{**self.by.values(row.pop("group")), **row} for row in told]
        groups = [Shown(name, is_text=True, none=ALL) for name in self.by.names]
        own = [column for column in self.rows.shown() if column.title != "group"]
        return Rows(records, [*groups, *own])

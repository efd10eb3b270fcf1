"""The table of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from skmetrics_ext.formats import interval, number
from skmetrics_ext.merged import comparing
from skmetrics_ext.merged.by import ALL, NO_GROUPS, By
from skmetrics_ext.merged.comparing import Groups
from skmetrics_ext.merged.curve_points import ThinnedCurve
from skmetrics_ext.numeric import Array
from skmetrics_ext.results import draw
from skmetrics_ext.rows import Row, Rows, Shown, Tabular
from skmetrics_ext.slices.results import GroupGaps, GroupSpread, WorstGroup
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
    groups : Groups
        The columns of groups, and what their rows add to the metrics: what `gaps`, `worst`,
        `spread` and `plot` are told from.
    """

    rows: Rows
    engine: str
    confidence_level: float = 0.95
    curves: dict[tuple[Any, Any], ThinnedCurve] = field(default_factory=dict)
    bins: dict[tuple[Any, str], BinTally | tuple[BinTally, ...]] = field(default_factory=dict)
    pair_areas: dict[Any, Array] = field(default_factory=dict)
    groups: Groups = field(default_factory=Groups)

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

    # ----------------------------------------------------------------------- groups

    def gaps(self, metric: str, *, against: Any = "rest") -> GroupGaps:
        r"""How each group differs from the rest, from all rows, or from a group.

        The interval of a difference is made of those of both values, less what they share:

        .. math:: d - \sqrt{(a - l_a)^2 + (u_b - b)^2 - 2 r (a - l_a)(u_b - b)}

        with r the correlation of their errors, by the rows and clusters that both have.

        Parameters
        ----------
        metric : str
            One of those that were asked for.
        against : {"rest", "overall", "best"} or dict, default="rest"
            What a group is compared with: all rows outside of it; all rows, itself among them; the
            group with the best value of those that tell the same columns apart; or, as a dict of
            column to value like ``{"site": "A"}``, the group that has these values and is
            otherwise as the one that is compared.

        Returns
        -------
        GroupGaps
            ``p_value`` belongs to the interval, and is adjusted for the number of gaps by Holm.

        Raises
        ------
        ValueError
            If there are no groups, or the metric or what it is compared with is unknown.

        References
        ----------
        Zou (2007), Psychological Methods 12(4), 399-413; Holm (1979), Scandinavian Journal of
        Statistics 6(2), 65-70.

        Examples
        --------
        >>> import pandas
        >>> from skmetrics_ext import evaluate
        >>> frame = pandas.DataFrame({"site": ["a"] * 40 + ["b"] * 60, "ill": [0, 1] * 50})
        >>> frame["told"] = [0] * 40 + [0, 1] * 30
        >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["accuracy"])
        >>> print(found.gaps("accuracy", against={"site": "b"}))
        site   value  reference  difference        95% interval  p_value  rows
        ----  ------  ---------  ----------  ------------------  -------  ----
        a     0.5000     1.0000     -0.5000  [-0.6480, -0.3402]  < 0.001    40
        """
        return comparing.gaps(self.groups.of(metric), against, self.confidence_level)

    def worst(self, metric: str) -> WorstGroup:
        """The group that is bad for sure, with bounds that hold for all groups together.

        Of all groups that one whose better bound is the worst: a few rows with a bad value have
        wide bounds, and do not win. Bounds are those of `confidence_interval` at a level that
        holds for all groups at once (Bonferroni), so that the choice does not spoil them; of
        shares of rows those of Clopper and Pearson, for others fall short so far out.

        Parameters
        ----------
        metric : str
            One of those that were asked for. Of a loss the worst is the largest.

        Returns
        -------
        WorstGroup
            An `Estimate` with ``group``.
        """
        return comparing.worst(self.groups.of(metric), self.confidence_level)

    def spread(self, metric: str, *, random_state: Any = 0) -> GroupSpread:
        """The largest gap between groups, beside what equal groups would show.

        The largest of many gaps is large by chance: groups that rows were dealt to at random, of
        the same sizes, have one too.

        Parameters
        ----------
        metric : str
            One of those that were asked for.
        random_state : int, Generator, RandomState or None, default=0
            Where the draws come from.

        Returns
        -------
        GroupSpread
        """
        return comparing.spread(self.groups.of(metric), self.confidence_level, random_state)

    def plot(self, metric: str, *, ax: Any = None) -> Any:
        """Groups by their value, with their intervals, around the value of all rows.

        Parameters
        ----------
        metric : str
            One of those that were asked for.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw(comparing.drawn(self.groups.of(metric), self.confidence_level), ax)

    def _as_rows(self) -> Rows:
        by = self.groups.by
        if not by.names:
            return self.rows
        told = (dict(row) for row in self.rows)
        records = [{**by.values(row.pop("group")), **row} for row in told]
        groups = [Shown(name, is_text=True, none=ALL) for name in by.names]
        own = [column for column in self.rows.shown() if column.title != "group"]
        return Rows(records, [*groups, *own])

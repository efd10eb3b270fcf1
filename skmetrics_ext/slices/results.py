"""What comparing groups gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.result_bases import Result
from skmetrics_ext.rows import Rows, Tabular


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class GroupGaps(Tabular):
    """How each group differs from what it is compared with.

    Parameters
    ----------
    metric : str
    against : object
        What the groups are compared with, as it was asked for.
    rows : Rows
        Of each group ``group``, ``value`` and the ``reference`` value it is compared with,
        ``difference``, ``ratio``, ``low`` and ``high`` of the difference, ``p_value`` adjusted
        for the number of gaps by Holm, ``n_rows`` and ``reason`` why there is none.
    confidence_level : float
        Of each interval by itself.
    by : tuple of str
        Columns of the groups.

    Examples
    --------
    >>> import pandas
    >>> from skmetrics_ext import evaluate
    >>> frame = pandas.DataFrame({"site": list("aaab") * 20, "ill": [0, 1] * 40})
    >>> frame["told"] = [0, 1, 1, 1, 0, 1, 0, 0] * 10
    >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["accuracy"])
    >>> print(found.gaps("accuracy"))
    site   value  reference  difference        95% interval  p_value  rows
    ----  ------  ---------  ----------  ------------------  -------  ----
    a     0.8333     0.5000     +0.3333    [0.1027, 0.5471]    0.006    60
    b     0.5000     0.8333     -0.3333  [-0.5471, -0.1027]    0.006    20
    """

    metric: str
    against: Any
    rows: Rows
    confidence_level: float
    by: tuple[str, ...]
    table: Rows

    def _as_rows(self) -> Rows:
        return self.table

    def row(self, group: Any) -> Any:
        """The row of a group.

        Parameters
        ----------
        group : object
            As in ``rows``.

        Returns
        -------
        Row
        """
        for row in self.rows:
            if row.group == group:
                return row
        raise KeyError(f"No row of group={group!r}.")


@dataclass(frozen=True, repr=False, eq=False, slots=True)
class WorstGroup(Estimate):
    """A group, its value, and bounds that hold for all groups together.

    Parameters
    ----------
    value, low, high, standard_error, method, confidence_level, note, goal, reached, n_groups
        As in `Estimate`; ``n_groups`` is the number of groups.
    design_effect : float
        nan.
    group : object
        The group that is worst.

    Examples
    --------
    >>> import pandas
    >>> from skmetrics_ext import evaluate
    >>> frame = pandas.DataFrame({"site": list("aaab") * 20, "ill": [0, 1] * 40})
    >>> frame["told"] = [0, 1, 1, 1, 0, 1, 0, 0] * 10
    >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["accuracy"])
    >>> print(found.worst("accuracy"))
    b: 0.5 [0.2464, 0.7536] (95% confidence, simultaneous; 2 groups)
    """

    group: Any = None

    def _as_rows(self) -> Rows:
        (row,) = super(WorstGroup, self)._as_rows()
        return Rows([{"group": _told(self.group), **row}])

    def __str__(self) -> str:
        return f"{_told(self.group)}: {super(WorstGroup, self).__str__()}"


@dataclass(frozen=True, repr=False, slots=True)
class GroupSpread(Result):
    """The largest gap between groups, beside those of groups that are equal.

    Parameters
    ----------
    largest : float
        Difference of the highest and the lowest value.
    lowest, highest : object
        The groups that have them.
    expected : float
        Mean of the largest gap between groups of these sizes that rows are dealt to by chance.
    limit : float
        What such groups exceed with probability 1 - ``confidence_level``.
    p_value : float
        Share of draws in which the groups are at least as far apart, in standard errors: those of
        a small group are large, so that an extreme value of a few rows is no evidence.
    n_groups : int
    method : str
        "permutation" of the rows of a table; else "normal" draws, or "bootstrap" where rows are
        held and some groups have at most 100: those are drawn from all rows.
    confidence_level : float

    Examples
    --------
    >>> import pandas
    >>> from skmetrics_ext import evaluate
    >>> frame = pandas.DataFrame({"site": list("aaab") * 20, "ill": [0, 1] * 40})
    >>> frame["told"] = [0, 1, 1, 1, 0, 1, 0, 0] * 10
    >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["accuracy"])
    >>> found.spread("accuracy").p_value
    0.01
    >>> str(found.spread("accuracy")).split("; ")[0]
    '0.3333 from b to a (2 groups)'
    """

    largest: float
    lowest: Any
    highest: Any
    expected: float
    limit: float
    p_value: float
    n_groups: int
    method: str
    confidence_level: float

    def _as_rows(self) -> Rows:
        ends = {"lowest": _told(self.lowest), "highest": _told(self.highest)}
        (row,) = super(GroupSpread, self)._as_rows()
        return Rows([{"largest": self.largest, **ends, **row}])

    def __str__(self) -> str:
        rare = f"{100 * (1 - self.confidence_level):g}%"
        return (
            f"{self.largest:.4g} from {_told(self.lowest)} to {_told(self.highest)} "
            f"({self.n_groups} groups); equal groups would lie {self.expected:.4g} apart on "
            f"average, and more than {self.limit:.4g} in {rare} of draws (p = {self.p_value:.3g}, "
            f"{self.method})"
        )


def _told(group: Any) -> str:
    if not isinstance(group, tuple):
        return str(group)
    named = [str(value) for value in group if value is not None]
    return named[0] if len(named) == 1 else f"({', '.join(named)})"

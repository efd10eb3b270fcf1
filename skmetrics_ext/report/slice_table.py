"""The table of weak slices: how it reads, and its picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skmetrics_ext import formats
from skmetrics_ext.rows import Row, Rows, Shown, Tabular


def told(values: Mapping[str, Any] | str) -> str:
    """A slice in words."""
    if isinstance(values, str):  # it is that already
        return values
    texts = []
    for name, value in values.items():
        text = "missing" if value is None else formats.plain(value) or str(value)
        joint = {"<": "", ">": "", "[": "in "}.get(text[:1], "= ")
        texts.append(f"{name} {joint}{text}")
    return ", ".join(texts)


_SLICE = Shown("slice", "slice", told, is_text=True)
_ROWS = Shown("rows", "n_rows", str)
_P_VALUE = Shown("p (adjusted)", "p_value", formats.probability)
SHOWN = [
    _SLICE,
    _ROWS,
    Shown("value", "value", formats.number),
    Shown("rest", "rest", formats.number),
    Shown("difference", "difference", formats.signed),
    Shown("interval", ("low", "high"), formats.interval),
    _P_VALUE,
]
FOLDED = [_SLICE, Shown("into", "into", told, is_text=True), _ROWS, _P_VALUE]
LEFT_OUT = [_SLICE, _ROWS]


@dataclass(frozen=True, eq=False, slots=True)
class WeakSlices(Tabular):
    """Slices in which a metric is worse than in the other rows, the strongest evidence first.

    Made by `weak_slices`; printing it shows a table.

    Parameters
    ----------
    metric : str
        Name of the metric.
    value : float
        The metric of all rows.
    rows : Rows
        Of each slice ``slice`` (a dict of column to value, or to a bin as text), ``n_rows``,
        ``value``, ``rest`` (the metric of all other rows), ``difference`` (value less rest),
        ``low`` and ``high`` (of the difference, joint), ``p_value`` (adjusted) and ``note``.
    folded : Rows
        Slices that are worse for the rows that they share with one of those: ``slice``,
        ``into``, ``n_rows`` and ``p_value``.
    left_out : Rows
        Columns and slices that were not tested: ``slice`` (of a column its name alone),
        ``n_rows`` and ``reason``.
    n_rows : int
        Number of rows.
    n_tested : int
        Number of slices that were tested.
    alpha : float
        The chance that any slice is found that is not worse.

    Examples
    --------
    >>> from skmetrics_ext import weak_slices
    >>> site = ["north", "south"] * 100
    >>> true, pred = [1] * 200, [1, 1, 1, 0] * 50
    >>> data = {"ill": true, "found": pred, "site": site}
    >>> weak_slices(data, true="ill", pred="found", metric="accuracy").n_tested
    2
    """

    metric: str
    value: float
    rows: Rows
    folded: Rows
    left_out: Rows
    n_rows: int
    n_tested: int
    alpha: float

    def _as_rows(self) -> Rows:
        listed = [Row({**row, "slice": told(row["slice"])}) for row in self.rows]
        lead = (
            f"{self.metric} {formats.number(self.value)} in {self.n_rows} rows; "
            f"{self.n_tested} slices tested, alpha {self.alpha:g} over all"
        )
        notes = [_counted(self.folded, "slice", "folded into these (.folded)")] * bool(self.folded)
        notes += [_counted(self.left_out, "row", "not tested (.left_out)")] * bool(self.left_out)
        empty = "no slice is shown to be worse than the other rows"
        return Rows(listed, SHOWN, lead=[lead], notes=notes, empty=empty)

    def plot(self, ax: Any = None) -> Any:
        """How far the metric of each slice is from that of the other rows, with joint intervals.

        Parameters
        ----------
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
        from skmetrics_ext.plotting import weak_slices

        return weak_slices.draw(self, ax)


def _counted(rows: Rows, what: str, why: str) -> str:
    return f"{len(rows)} {what}{'s' * (len(rows) != 1)} {why}"

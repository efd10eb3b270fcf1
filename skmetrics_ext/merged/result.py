"""The table of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from skmetrics_ext.merged.curve_points import ThinnedCurve
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies.bins import BinTally


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One metric of one group.

    Parameters
    ----------
    group : object
        Value of the column ``by``; None for all rows together.
    metric : str
        Name of the metric. Losses are not negated.
    of : object
        The class, or the pair of classes, of a metric that has a value for each; else None.
    value : float
        nan where it is undefined, and where only bounds are known.
    low, high : float
        Bounds: of the confidence interval, or with ``approximate=True`` of the value itself.
    n_rows : int
        Number of rows of the group.
    method : str
        How the bounds were made; "" where there are none.
    reason : str
        Why there is no value or no interval, or by what convention there is one; else "".
    """

    group: Any
    metric: str
    of: Any
    value: float
    low: float
    high: float
    n_rows: int
    method: str = ""
    reason: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Evaluation:
    """Metrics of a data set: a row for each group and metric.

    Parameters
    ----------
    rows : list of EvaluationRow
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

    rows: list[EvaluationRow]
    engine: str
    confidence_level: float = 0.95
    curves: dict[tuple[Any, Any], ThinnedCurve] = field(default_factory=dict)
    bins: dict[tuple[Any, str], BinTally | tuple[BinTally, ...]] = field(default_factory=dict)
    pair_areas: dict[Any, Array] = field(default_factory=dict)

    def __iter__(self) -> Iterator[EvaluationRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, metric: str, group: Any = None, of: Any = None) -> EvaluationRow:
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
        EvaluationRow
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
        return self.row(metric, group, of).value

    def frame(self) -> Any:
        """The rows as a pandas data frame."""
        import pandas

        return pandas.DataFrame([asdict(row) for row in self.rows])

    def __str__(self) -> str:
        lines = []
        for row in self.rows:
            where = "" if row.group is None else f"{row.group}: "
            of = "" if row.of is None else f"[{row.of}]"
            bounds = "" if row.low != row.low else f" [{row.low:.6g}, {row.high:.6g}]"
            told = f" ({row.reason})" if row.reason else ""
            lines.append(f"{where}{row.metric}{of} = {row.value:.6g}{bounds}{told}")
        return "\n".join(lines)

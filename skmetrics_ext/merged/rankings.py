"""Merged ranges of scores, and sketches of them, as the rankings that metrics read."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.ranges import RangePlan, RangeReading, kind_of, ranges_of, with_options
from skmetrics_ext.metrics.averaging import RankKernel
from skmetrics_ext.metrics.rankings.ranking_kernels import OF_WINS, average_precision
from skmetrics_ext.metrics.rankings.score_tally import (
    both_sides,
    pairs_of_columns,
    pairs_of_wins,
)
from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import RankTally, ScoreSketch, Wins
from skmetrics_ext.validation import InvalidParameterError, Scores

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Value:
    """A number or an array of a metric, and why it is undefined or set by convention."""

    value: Any
    reason: str = ""


def call(function: Callable[[], Any], undefined: str = "") -> Value:
    """Value of a function; nan with the text of the error if the input is refused.

    The reason of a value with a warning is ``undefined``, or the text of the warning.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function()
        except (ValueError, ZeroDivisionError) as error:
            return Value(NAN, " ".join(str(error).split()))
    if not caught:
        return Value(value)
    return Value(value, undefined or " ".join(str(caught[0].message).split()))


def read(metric: Metric, tally: Any) -> Value:
    """Value of a tally; where it is 0/0, or a number by convention, with the reason."""
    filled: list[Any] = []
    found = call(lambda: metric.read(tally, tell=lambda *values: filled.append(values)))
    if found.reason:
        return found
    reason = metric.spec.undefined
    if np.isnan(found.value).any():
        return Value(found.value, reason)
    if not filled or metric.options.get("zero_division", "warn") != "warn":
        return found
    return Value(found.value, f"0/0 taken as 0: {reason}" if metric.sums == "tables" else reason)


class Ranking:
    """Readings of all columns of scores of one group.

    Parameters
    ----------
    layout : Layout
    plan : RangePlan
    columns : sequence of RangeReading
        Of the positive class of two, or of every class.
    masses : ndarray of shape (K,)
        Weight of each class.
    """

    def __init__(
        self, layout: Layout, plan: RangePlan, columns: Sequence[RangeReading], masses: Array
    ) -> None:
        self.layout, self.plan, self.columns, self.masses = layout, plan, columns, masses
        tables = [column.table for column in columns if column.table is not None]
        self.whole = len(tables) == len(columns)
        self.tables = [RankTally(t.thresholds, as_factors(t.mass)) for t in tables]

    def table(self, k: int = 0) -> RankTally:
        """The class of a column against the rest, at every score."""
        table, code = self.tables[k], self.layout.code_of(k)
        # Summed, not subtracted: exactly 0 where no other class has a row.
        rest = np.delete(table.mass, code, axis=0).sum(axis=0)
        return RankTally(table.thresholds, np.stack([rest, table.mass[code]]))

    def wins(self, k: int = 0) -> Wins:
        """Pairs of the class of a column and the rest, from exact sums."""
        code = self.layout.code_of(k)
        wins, masses = list(self.columns[k].wins), self.masses.tolist()
        parts = sum(wins) - wins[code], sum(masses) - masses[code], masses[code]
        return Wins(*(np.asarray(float(part)) for part in parts))

    def value(self, metric: Metric) -> Value:
        """Value of a metric of rankings."""
        if kind_of(metric) == "whole" and not self.whole:
            distinct = max(column.distinct for column in self.columns)
            return Value(
                NAN,
                f"needs all distinct scores at once, and {distinct} are more than the "
                f"{self.plan.most} that memory_limit allows",
            )
        is_forecast = metric.spec.response == "probabilities" and metric.spec.check != Scores.check
        if is_forecast and not self.layout.is_binary:
            return Value(NAN, "of several classes it is not read from sums")
        return read(metric, RangeTally(self, metric))


@dataclass(frozen=True, eq=False, slots=True)
class RangeTally:
    """The `Rankings` of one metric, read from ranges as its spec says."""

    ranking: Ranking
    metric: Metric

    @property
    def binary(self) -> bool:
        return self.ranking.layout.is_binary

    @property
    def n_classes(self) -> int:
        return len(self.ranking.columns)

    @property
    def support(self) -> Array:
        return as_factors(self.ranking.masses)

    def value(self, kernel: RankKernel, code: int) -> Array:
        """The kernel of one class against the rest."""
        k = 0 if self.binary else code
        column, kind = self.ranking.columns[k], kind_of(self.metric)
        if kind == "wins":
            return kernel(self.ranking.wins(k))
        if kind == "sum":
            total = np.asarray(column.sums[self.metric.name][0])
            finish = ranges_of(self.metric).finish
            return total if finish is None else with_options(finish, self.metric)(total)
        return kernel(column.kept if kind == "places" else self.ranking.table(k))

    def pooled(self) -> RankTally:
        """Every cell of the scores by classes as a row of one binary problem."""
        return RankTally.combine(map(self.ranking.table, range(self.n_classes)))

    def by_row(self) -> tuple[list[RankTally], Array | None]:
        """Refused: multilabel data are not merged."""
        raise InvalidParameterError("average='samples' needs multilabel data.")

    def pairs(self, kernel: RankKernel) -> Array:
        """The kernel of column i between rows of class i and of class j, (K, K)."""
        ranking = self.ranking
        if kind_of(self.metric) != "wins":
            if self.binary:
                return both_sides(kernel, ranking.table())
            return pairs_of_columns(kernel, ranking.tables)
        if self.binary:  # the same from either side
            return np.where(np.eye(2), np.nan, kernel(ranking.wins()))
        wins = _array([list(column.wins) for column in ranking.columns])
        return pairs_of_wins(kernel, wins, self.support)


def _array(rows: list[list[Any]]) -> Array:
    """int64 where everything fits, else float64."""
    exact = all(isinstance(x, int) and abs(x) < 2**63 for row in rows for x in row)
    return np.array(rows, dtype=np.int64 if exact else np.float64)


# --------------------------------------------------------------------------- sketches

_ONLY_MEANS = "a sketch bounds means over classes against the rest only"


@dataclass(frozen=True, eq=False, slots=True)
class SketchedRankings:
    """The `Rankings` of sketches, whose values are bounds: a leading axis of two."""

    sketches: Sequence[ScoreSketch]
    support: Array

    @property
    def binary(self) -> bool:
        return len(self.sketches) == 1

    @property
    def n_classes(self) -> int:
        return len(self.sketches)

    def bounds(self, metric: Metric) -> tuple[Array, str]:
        """Lowest and highest value that the metric can have, or nan and the reason."""
        found = read(metric, self)
        reason = _ONLY_MEANS if np.ndim(found.value) > 1 else found.reason
        return (np.full(2, NAN) if reason else found.value), reason

    def value(self, kernel: RankKernel, code: int) -> Array:
        """Bounds of the kernel of one class against the rest."""
        sketch = self.sketches[0 if self.binary else code]
        if kernel in OF_WINS:
            return kernel(Wins.of_area(np.array(sketch.roc_auc)))
        if kernel is average_precision:
            return np.array(sketch.average_precision)
        raise InvalidParameterError(
            "a sketch bounds areas under the ROC curve and average precision only"
        )

    def pooled(self) -> RankTally:
        raise InvalidParameterError(_ONLY_MEANS)

    def by_row(self) -> tuple[list[RankTally], Array | None]:
        raise InvalidParameterError(_ONLY_MEANS)

    def pairs(self, kernel: RankKernel) -> Array:
        raise InvalidParameterError(_ONLY_MEANS)

"""From sums to the values of metrics, each by its own public function.

The functions take checked data in the place of arrays. Sums are such data: the cells of a
confusion table are rows with a weight, and a ranking is a tally that was made before.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.ranges import (
    RangePlan,
    RangeReading,
    kind_of,
    ranges_of,
    with_options,
)
from skmetrics_ext.metrics.averaging import RankKernel
from skmetrics_ext.metrics.calibration.errors import binned_error, error_of_classes
from skmetrics_ext.metrics.rankings.score_tally import (
    both_sides,
    pairs_of_columns,
    pairs_of_wins,
)
from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally, MomentTally, RankTally, Wins
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import BinaryProbabilities, InvalidParameterError, Labels, Scores

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Found:
    """A value (or array) and what was said of it."""

    value: Any
    reason: str = ""


def call(function: Callable[[], Any], undefined: str = "") -> Found:
    """Value of a metric; a refusal or a warning is the reason of what comes of it.

    ``undefined`` is what stands for warnings.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            value = function()
        except (ValueError, ZeroDivisionError) as error:
            return Found(NAN, " ".join(str(error).split()))
    if not told:
        return Found(value)
    return Found(value, undefined or " ".join(str(told[0].message).split()))


# --------------------------------------------------------------------------- sums in any order


def as_labels(table: ConfusionTally) -> Labels:
    """The cells of a confusion table as rows with a weight."""
    weight = as_factors(table.table.reshape(-1))
    true, pred = (codes.reshape(-1) for codes in np.indices(table.table.shape))
    kept = weight != 0
    kind = "multiclass" if len(table.classes) > 2 else "binary"
    return Labels(
        kind, table.classes, true[kept].astype(np.int64), pred[kept].astype(np.int64), weight[kept]
    )


def of_table(one: Metric, layout: Layout, labels: Labels) -> Found:
    """A metric of labels from the cells of a confusion table."""
    metric = layout.settled(one)
    return call(lambda: metric.function(labels, labels, **metric.params))


def of_moments(one: Metric, moments: MomentTally) -> Found:
    """A metric of means."""
    value = float(one.spec.kernel(moments))
    return Found(value, one.spec.undefined if np.isnan(value) else "")


def of_bins(one: Metric, bins: Sequence[BinTally]) -> Found:
    """A calibration error over bins."""
    norm, debias = one.options["norm"], one.options["debias"]
    errors = [binned_error(sums.debiased() if debias else sums, norm=norm) for sums in bins]
    return Found(float(error_of_classes(np.array(errors), norm)))


# --------------------------------------------------------------------------- rankings


class Ranking:
    """The readings of all columns of scores of one group.

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

    def own(self, k: int) -> int:
        """The class that a column of scores belongs to."""
        return 1 if self.layout.is_binary else k

    def table(self, k: int) -> RankTally:
        """The class of a column against the rest, at every score."""
        table, own = self.tables[k], self.own(k)
        # Their own sum: exactly 0 where no other class has a row.
        rest = np.delete(table.mass, own, axis=0).sum(axis=0)
        return RankTally(table.thresholds, np.stack([rest, table.mass[own]]))

    def wins(self, k: int = 0) -> Wins:
        """Pairs of the class of a column and of the rest, from numbers that were added exactly."""
        own = self.own(k)
        wins, masses = list(self.columns[k].wins), self.masses.tolist()
        parts = sum(wins) - wins[own], sum(masses) - masses[own], masses[own]
        return Wins(*(np.asarray(float(part)) for part in parts))

    def scores(self, one: Metric | None = None) -> Scores:
        """The ranking in the place of checked scores, for a metric or for its whole table."""
        cache: dict[Any, Any] = {"shared": True}
        if one is None:
            cache["class", 1] = self.table(0)
        else:
            cache["rankings"] = RangeTally(self, one)
        classes, masses = self.layout.classes, as_factors(self.masses)
        codes = np.arange(len(classes))
        kind, shape = ("binary", (2,)) if self.layout.is_binary else ("multiclass", 2 * codes.shape)
        return Scores(kind, classes, codes, np.zeros(shape), masses, True, cache)

    def value(self, one: Metric) -> Found:
        """A metric of rankings."""
        if kind_of(one) == "whole" and not self.whole:
            distinct = max(column.distinct for column in self.columns)
            return Found(
                NAN,
                f"needs all distinct scores at once, and {distinct} are more than the "
                f"{self.plan.most} that memory_limit allows",
            )
        given: Any = self.scores(one)
        if one.spec.response == "probabilities" and one.spec.check != Scores.check:
            if not self.layout.is_binary:
                return Found(NAN, "of several classes it is not read from sums")
            given = self._probabilities()
        return call(lambda: one.spec.function(given, given, **one.params), one.spec.undefined)

    def _probabilities(self) -> BinaryProbabilities:
        table = self.tables[0]
        n = len(table.thresholds)
        proba = np.tile(table.thresholds.astype(np.float64), 2)
        weight = table.mass.reshape(-1)
        kept = weight != 0
        return BinaryProbabilities(
            self.layout.classes, np.repeat([0, 1], n)[kept], proba[kept], weight[kept], 0.0
        )


@dataclass(frozen=True, eq=False, slots=True)
class RangeTally:
    """The `Rankings` of one metric, as its row says how it reads ranges."""

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
        """There is none: outputs of multilabel data are not merged."""
        raise InvalidParameterError("average='samples' is of multilabel data.")

    def pairs(self, kernel: RankKernel) -> Array:
        """The kernel of column i between rows of class i and of class j, (K, K)."""
        ranking = self.ranking
        if kind_of(self.metric) != "wins":
            if self.binary:
                return both_sides(kernel, ranking.table(0))
            return pairs_of_columns(kernel, ranking.tables)
        if self.binary:  # the same from either side
            return np.where(np.eye(2), np.nan, kernel(ranking.wins()))
        wins = _array([list(column.wins) for column in ranking.columns])
        return pairs_of_wins(kernel, wins, self.support)


def _array(rows: list[list[Any]]) -> Array:
    """int64 where everything fits, else float64."""
    exact = all(isinstance(x, int) and abs(x) < 2**63 for row in rows for x in row)
    return np.array(rows, dtype=np.int64 if exact else np.float64)


# --------------------------------------------------------------------------- classes and pairs


def parts_of(value: Any, classes: Array) -> list[tuple[Any, float]]:
    """One number, or one for each class, pair of classes, or cell of a table of two."""
    found = np.asarray(value, dtype=np.float64)
    names = classes.tolist()
    if found.ndim == 0:
        return [(None, float(found))]
    if found.ndim == 1 and len(found) == len(names):
        return [(name, float(x)) for name, x in zip(names, found, strict=True)]
    pairs = list(combinations(names, 2))
    if found.ndim == 1 and len(found) == len(pairs):
        return [(pair, float(x)) for pair, x in zip(pairs, found, strict=True)]
    if found.shape == (len(names), len(names)):
        return [
            ((row, column), float(found[i, j]))
            for i, row in enumerate(names)
            for j, column in enumerate(names)
            if i != j or not np.isnan(found[i, j])
        ]
    return [(place, float(found[place])) for place in np.ndindex(found.shape)]

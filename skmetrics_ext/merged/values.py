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
from skmetrics_ext.merged.ranges import RangePlan, RangeReading
from skmetrics_ext.merged.steps import range_of
from skmetrics_ext.metrics.calibration.errors import binned_error, error_of_classes
from skmetrics_ext.metrics.rankings.roc_areas import pairwise_roc_auc, roc_auc_score
from skmetrics_ext.numeric import Array, as_factors, divide, ratio
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally, MomentTally, RankTally
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import BinaryProbabilities, Labels, Scores

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Found:
    """A value (or array) and what was said of it."""

    value: Any
    reason: str = ""


def call(function: Callable[[], Any]) -> Found:
    """Value of a metric; a refusal or a warning is the reason of what comes of it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            value = function()
        except (ValueError, ZeroDivisionError) as error:
            return Found(NAN, " ".join(str(error).split()))
    return Found(value, " ".join(str(told[0].message).split()) if told else "")


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
    plan : Plan
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
        self.scores = self._scores()

    def _scores(self) -> Scores:
        masses = as_factors(self.masses)
        n_classes = len(masses)
        codes = np.arange(n_classes)
        cache: dict[Any, Any] = {"shared": True}
        if self.layout.is_binary:
            cache["class", 1] = self.tables[0] if self.whole else self.columns[0].kept
            return Scores(
                "binary",
                self.layout.classes,
                codes,
                np.zeros(2),
                masses,
                True,
                cache,
            )
        for k, column in enumerate(self.columns):
            cache["class", k] = self._own(k) if self.whole else column.kept
        wins = [[float(w) if isinstance(w, float) else w for w in c.wins] for c in self.columns]
        cache["wins"] = _array(wins)
        if self.whole:
            cache["columns"] = [(t.thresholds, t.mass) for t in self.tables]
            if any(one.options.get("average") == "micro" for one in self.plan.asked):
                each = [cache["class", k] for k in range(n_classes)]
                cache["cells"] = RankTally.combine(each)
        score = np.zeros((n_classes, n_classes))
        return Scores("multiclass", self.layout.classes, codes, score, masses, True, cache)

    def _own(self, k: int) -> RankTally:
        """One class against the rest."""
        table = self.tables[k]
        rest = table.mass.sum(axis=0) - table.mass[k]
        if table.mass.dtype.kind == "f":  # exactly 0 where no other class has a row
            others = np.delete(table.mass, k, axis=0)
            rest = others.sum(axis=0)
        return RankTally(table.thresholds, np.stack([rest, table.mass[k]]))

    def value(self, one: Metric) -> Found:
        """A metric of rankings."""
        mode = self.plan.mode(one)
        if one.spec.is_table:
            return call(self.pairs)
        if mode == "table" or (self.whole and mode != "wins"):
            return self._from_table(one, mode)
        if mode == "sum":
            return self._from_sums(one)
        if mode == "wins" and self.layout.is_binary:
            return self._area(one)
        if one.spec.name == "gain_capture_score":
            return self._captured(one)
        return call(lambda: one.spec.function(self.scores, self.scores, **one.params))

    def pairs(self) -> Array:
        """A(i|j) of all pairs of classes."""
        if not self.layout.is_binary:
            return pairwise_roc_auc(self.scores, self.scores)
        area = self.area()
        areas = np.full((2, 2), np.nan)
        areas[0, 1] = areas[1, 0] = area
        return areas

    def area(self) -> float:
        """Area of a binary ranking, from numbers that were added exactly."""
        negative, positive = (mass.item() for mass in self.masses)
        return float(divide(float(self.columns[0].wins[0]), float(2 * negative * positive)))

    def _area(self, one: Metric) -> Found:
        value = self.area()
        reason = one.spec.undefined if np.isnan(value) else ""
        return Found(value if one.spec.name == "roc_auc_score" else 2 * value - 1, reason)

    def _captured(self, one: Metric) -> Found:
        """The mean over classes of what is linear in their areas."""
        params = {"multi_class": "ovr", "average": one.options["average"]}
        found = call(lambda: roc_auc_score(self.scores, self.scores, **params))
        return Found(2 * found.value - 1, found.reason)

    def _from_table(self, one: Metric, mode: str) -> Found:
        if not self.whole:
            distinct = max(column.distinct for column in self.columns)
            return Found(
                NAN,
                f"needs all distinct scores at once, and {distinct} are more than the "
                f"{self.plan.most} that memory_limit allows",
            )
        given: Any = self.scores
        if one.spec.response == "probabilities" and one.spec.name != "net_benefit":
            if not self.layout.is_binary:
                return Found(NAN, "of several classes it is not read from sums")
            given = self._probabilities()
        return call(lambda: one.spec.function(given, given, **one.params))

    def _probabilities(self) -> BinaryProbabilities:
        table = self.tables[0]
        n = len(table.thresholds)
        proba = np.tile(table.thresholds.astype(np.float64), 2)
        weight = table.mass.reshape(-1)
        kept = weight != 0
        return BinaryProbabilities(
            self.layout.classes, np.repeat([0, 1], n)[kept], proba[kept], weight[kept], 0.0
        )

    def _from_sums(self, one: Metric) -> Found:
        values = np.array([self._sum(one, column) for column in self.columns])
        average = one.options.get("average", "macro")
        reason = one.spec.undefined if np.isnan(values).any() else ""
        if self.layout.is_binary:
            if one.spec.name == "average_precision_score" and np.isnan(values[0]):
                return Found(0.0, reason)  # scikit-learn's convention
            return Found(float(values[0]), reason)
        if average is None:
            return Found(values, reason)
        if average == "macro":
            return Found(float(values.mean()), reason)
        shares = np.where(self.masses == 0, 0.0, values) * self.masses
        return Found(float(divide(shares.sum(), self.masses.sum())), reason)

    def _sum(self, one: Metric, column: RangeReading) -> float:
        total = column.sums[one.name][0]
        positive = column.kept.positive.sum().item()
        if one.spec.name == "observed_expected_ratio":
            return float(ratio(positive, total))
        if one.spec.name in ("average_precision_score", "pr_auc_score"):
            by_recall = one.options.get("interpolation") == "trapezoid"
            return float(divide(total, positive)) if not by_recall else total if positive else NAN
        if one.spec.name == "auprg_score":
            return min(total, 1.0)
        return _standardized(total, one)


def _standardized(area: float, one: Metric) -> float:
    """A partial area by the rule of its function (McClish 1989)."""
    low, high, axis = range_of(one.options)
    chance = (high * high - low * low) / 2
    if axis == "tpr":
        area, chance = (high - low) - area, (high - low) - chance
    if not one.options.get("standardize", True):
        return area
    return (1 + (area - chance) / (high - low - chance)) / 2


def _array(rows: list[list[Any]]) -> Array:
    """int64 where everything fits, else float64."""
    exact = all(isinstance(x, int) and abs(x) < 2**63 for row in rows for x in row)
    return np.array(rows, dtype=np.int64 if exact else np.float64)


# --------------------------------------------------------------------------- classes and pairs


def parts_of(value: Any, classes: Array) -> list[tuple[Any, float]]:
    """One number, or one for each class, pair of classes, or ordered pair."""
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
            if i != j
        ]
    return [(place, float(found[place])) for place in np.ndindex(found.shape)]

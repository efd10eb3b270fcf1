"""What is asked of models on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.draws.pairs import (
    PairReading,
    number_of,
    pair_of_checked,
    pair_of_rows,
)
from skmetrics_ext.inference.draws.rankings import is_area
from skmetrics_ext.inference.draws.readers import read_checked
from skmetrics_ext.inference.draws.readings import TallyReading
from skmetrics_ext.inference.draws.units import Units
from skmetrics_ext.inference.influence.spread import Contributions
from skmetrics_ext.inference.influence.strata import with_single
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.results import Comparison
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation.groups import INDEPENDENT, Design

LOG_RATIO = "log_ratio"
_OF_HITS = ("hits", "marks")  # tallies of rows that are right or wrong


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of models, mostly two: a metric that is settled, and data that were checked.

    Of a function of the user's own the data are `RawRows`. Ratios may be compared by their
    logarithms (``on_log``).
    """

    metric: Metric
    models: tuple[Any, ...]
    design: Design = INDEPENDENT
    weights_are: str = "importance"
    claim: Claim = field(default_factory=Claim)
    level: float = 0.95
    plan: DrawPlan = PLAN
    names: tuple[str, ...] = ("pred_a", "pred_b")
    on_log: bool = False

    def pair(self, *, exchange: bool = False) -> PairReading:
        """Both models; of rankings, exchanges are those of ranks, which have one scale.

        Models change places in a row, or group, whatever its stratum.
        """
        row = self.metric.row
        if row is None:
            return pair_of_rows(self.metric, *self.models)
        return pair_of_checked(
            self.metric,
            *self.models,
            design=Design(self.design.group) if exchange else self.design,
            weights_are=self.weights_are,
            ranked=exchange and (row.tally, row.response) == ("ranks", "scores"),
        )

    def turned(self) -> Question:
        """The same of the models in the other order."""
        return replace(self, models=self.models[::-1], claim=self.claim.per(-1.0))

    def with_design(self, found: Comparison) -> Comparison:
        """The same with the numbers of groups and strata, and what they do to the variance."""
        units, (effect,) = self.design_of([(0, 1)])
        note = with_single(found.note, units)
        return replace(found, **units.of_design(), design_effect=effect, note=note)

    def design_of(self, pairs: Sequence[tuple[int, int]]) -> tuple[Units, list[float]]:
        """Groups and strata of the rows, and what they do to the variance of each difference."""
        added = self.contributions
        if added is None:
            unknown = [float("nan")] * len(pairs)
            return replace(self, models=self.models[:2]).pair().units, unknown
        apart = [added[i][1].minus(added[j][1]) for i, j in pairs]
        return apart[0].units, [float(one.design_effect()) for one in apart]

    @cached_property
    def contributions(self) -> list[tuple[TallyReading, Contributions]] | None:
        """What each row adds to the metric of any model; None where it has no derivative.

        Of ratios on the scale of logarithms it is what it adds to these.
        """
        if self.metric.row is None:
            return None
        found: list[tuple[TallyReading, Contributions]] = []
        for name, data in zip(self.names, self.models, strict=True):
            value = number_of(self.metric, name, data)
            reading = read_checked(self.metric, data, self.design, self.weights_are, value)
            added = Contributions.of(reading)
            if added is None:
                return None
            units = found[0][1].units if found else _rows_of(reading)
            found.append((reading, added.on(units).per(value if self.on_log else 1.0)))
        return found

    # ----------------------------------------------------------------------- the scale

    def by_logs(self) -> Question:
        """The same, a ratio being compared by its logarithm."""
        return replace(self, on_log=is_ratio(self.metric))

    @property
    def smooth_method(self) -> str:
        """The name of the method by derivatives."""
        return LOG_RATIO if self.on_log else "delta"

    def on_scale(self, value: Any) -> Any:
        """Values of the metric as they are compared."""
        if not self.on_log:
            return value
        with np.errstate(divide="ignore"):
            return np.log(value)

    def difference(self, first: Any, second: Any) -> Any:
        """Of values of the metric, on the scale of the comparison; 0 between equal ones."""
        if not self.on_log:
            return first - second
        with np.errstate(invalid="ignore"):  # of infinite ones
            apart = self.on_scale(first) - self.on_scale(second)
        return np.where(first == second, 0.0, apart)[()]

    def within(self, low: Any, high: Any) -> tuple[Any, Any]:
        """Bounds of differences, inside those that the metric allows."""
        return (low, high) if self.on_log else within(self.metric, low, high)


def _rows_of(reading: TallyReading) -> Units:
    return Units.of_rows(reading.data.true.shape[0], reading.facts, reading.label)


def within(metric: Metric, low: Any, high: Any) -> tuple[Any, Any]:
    """Bounds of differences, inside those that the metric allows."""
    if metric.row is None:
        return low, high
    width = metric.row.bounds[1] - metric.row.bounds[0]
    return np.maximum(low, -width), np.minimum(high, width)


def is_ratio(metric: Metric) -> bool:
    """Whether the metric is a ratio, which is compared by its logarithm."""
    return metric.row is not None and metric.row.interval == "ratio"


def is_mean_area(metric: Metric) -> bool:
    averages = ("macro", "weighted", "micro")
    return is_area(metric) and metric.params.get("average", "macro") in averages


def is_hits(asked: Question) -> bool:
    """Whether it counts which rows are right, of rows that are independent and weigh the same."""
    metric, first = asked.metric, asked.models[0]
    if (
        metric.row is None
        or metric.tally not in _OF_HITS
        or metric.params
        or not asked.design.is_plain
    ):
        return False
    return not first.is_multilabel and first.weight is None

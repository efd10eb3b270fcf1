"""What is asked of models on the same rows."""

from __future__ import annotations

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

_OF_HITS = ("hits", "marks")  # tallies of rows that are right or wrong


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of models, mostly two: a metric that is settled, and data that were checked.

    Of a function of the user's own the data are `RawRows`.
    """

    metric: Metric
    models: tuple[Any, ...]
    design: Design = INDEPENDENT
    weights_are: str = "importance"
    claim: Claim = field(default_factory=Claim)
    level: float = 0.95
    plan: DrawPlan = PLAN
    names: tuple[str, ...] = ("pred_a", "pred_b")

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
        added, effect = self.contributions, float("nan")
        if added is None:
            units = self.pair().units
        else:
            difference = difference_of(added)
            units, effect = difference.units, float(difference.design_effect())
        note = with_single(found.note, units)
        return replace(found, **units.of_design(), design_effect=effect, note=note)

    @cached_property
    def contributions(self) -> list[tuple[TallyReading, Contributions]] | None:
        """What each row adds to the metric of any model; None where it has no derivative."""
        if self.metric.row is None:
            return None
        found = []
        for name, data in zip(self.names, self.models, strict=True):
            value = number_of(self.metric, name, data)
            reading = read_checked(self.metric, data, self.design, self.weights_are, value)
            added = Contributions.of(reading)
            if added is None:
                return None
            found.append((reading, added))
        return found


def difference_of(added: list[tuple[TallyReading, Contributions]]) -> Contributions:
    """What each row adds to the difference of two models."""
    (first, of_first), (_, of_second) = added
    units = Units.of_rows(first.data.true.shape[0], first.facts, first.label)
    return of_first.on(units).minus(of_second.on(units))


def within(metric: Metric, low: Any, high: Any) -> tuple[Any, Any]:
    """Bounds of differences, inside those that the metric allows."""
    if metric.row is None:
        return low, high
    width = metric.row.bounds[1] - metric.row.bounds[0]
    return np.maximum(low, -width), np.minimum(high, width)


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

"""Samples of ratings: items are the rows, each with the ratings of several raters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from skmetrics_ext.inference.derivatives import STEP
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.samples import TallySample
from skmetrics_ext.metrics.labels.raters import RatingTable
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.groups import INDEPENDENT, read_design
from skmetrics_ext.validation.ratings import Ratings

_CELLS = 1 << 20  # numbers in memory at once


@dataclass(frozen=True, eq=False)
class RatingSample(TallySample):
    """A metric of a table of ratings."""

    kind = "rated"

    @classmethod
    def of_rows(
        cls, metric: Metric, table: Any, weight: Any, groups: Any, strata: Any, weights_are: str
    ) -> RatingSample:
        """The items that the metric reads: if each rating counts, those with several."""
        least = 1 if metric.spec.ratings == "items" else 2
        data = Ratings.check(table, metric.params.get("labels"), weight, least)
        n_several = np.count_nonzero(data.true.sum(axis=1) > 1)
        if n_several < 2:
            raise InvalidParameterError(
                f"ratings must hold two items or more that several raters rated, got {n_several}."
            )
        design = read_design(groups, strata, len(table), ratings=table, sample_weight=weight)
        design = design if design is INDEPENDENT else design.kept(data.rows)
        sample = cls(metric, np.nan, data, RowDesign.of(data.weight, design, weights_are))
        return replace(sample, value=float(sample.statistic(sample.atoms.rows)))

    def ways(self) -> tuple[Array | None, ...]:
        return (None,)

    @cached_property
    def atoms(self) -> Atoms:
        return Atoms.each_row(len(self.data.true), self.design, None)

    def tally(self, counts: Array) -> RatingTable:
        by_item = self.metric.spec.ratings == "items"
        return RatingTable.of(self.data, self.atoms.mass(counts), by_item=by_item)

    def statistic(self, counts: Array) -> Array:
        return np.asarray(self.metric.kernel(self.tally(counts)))

    def slope(self) -> Array:
        """Derivative by the weight of each item (Gwet); if each rating counts, the jackknife."""
        atoms, data, whole = self.atoms, self.data, self.tally(self.atoms.rows)
        n, by_item = len(atoms), self.metric.spec.ratings == "items"
        weight = np.ones(n) if atoms.weight is None else atoms.weight
        step = np.full(n, 1j * STEP / atoms.mass(atoms.rows).sum()) if by_item else -weight
        pairs, shares, values = data.pairs(by_item=by_item), data.shares, []
        for rows in np.array_split(np.arange(n), -(-pairs.size // _CELLS)):
            table = whole.table + step[rows, None, None] * pairs[rows]
            share = whole.share + step[rows, None] * shares[rows]
            values.append(self.metric.kernel(replace(whole, table=table, share=share)))
        moved = np.concatenate(values)
        if by_item:
            return np.asarray(moved.imag / STEP)
        return np.asarray((self.value - moved) / weight * (atoms.n_rows - 1) / atoms.n_rows)

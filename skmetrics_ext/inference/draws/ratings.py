"""Samples of ratings: items are the rows, each with the ratings of several raters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from skmetrics_ext.inference import derivatives
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.samples import TallySample
from skmetrics_ext.metrics.labels.raters import (
    RatingTable,
    shares_of_items,
    tables_of_items,
    weight_of_pairs,
)
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
        cls,
        metric: Metric,
        ratings: Any,
        sample_weight: Any,
        groups_strata: tuple[Any, Any],
        weights_are: str,
    ) -> RatingSample:
        """The items that the metric reads: if each rating counts, those with several."""
        data = Ratings.check(ratings, metric.params.get("labels"), sample_weight)
        columns = {"ratings": ratings, "sample_weight": sample_weight}
        design = read_design(*groups_strata, len(data.true), **columns)
        rows = data.rated(1 if metric.spec.ratings == "items" else 2)
        if len(data.rated(2)) < 2:
            raise InvalidParameterError(
                f"{metric.name} needs two items or more with ratings by two raters, got "
                f"{len(data.rated(2))}."
            )
        data, design = data.keep(rows), design if design is INDEPENDENT else design.kept(rows)
        sample = cls(metric, np.nan, data, RowDesign.of(data.weight, design, weights_are))
        return replace(sample, value=float(sample.statistic(sample.atoms.rows)))

    def ways(self) -> tuple[Array | None, ...]:
        return (None,)

    @cached_property
    def atoms(self) -> Atoms:
        return Atoms.each_row(len(self.data.true), self.design, None)

    @property
    def by_item(self) -> bool:
        """Whether each item has the same weight, and not each rating."""
        return self.metric.spec.ratings == "items"

    def tally(self, counts: Array) -> RatingTable:
        return RatingTable.of(self.data, self.atoms.mass(counts), by_item=self.by_item)

    def statistic(self, counts: Array) -> Array:
        return np.asarray(self.metric.kernel(self.tally(counts)))

    def slope(self) -> Array:
        whole = self.tally(self.atoms.rows)
        return self._derivative(whole) if self.by_item else self._leaving_one_out(whole)

    def _derivative(self, whole: RatingTable) -> Array:
        """Derivative by the weight of each item, through pairs and shares of classes."""
        size = len(whole.classes)

        def read(moved: Array) -> Array:
            table = moved[..., : size**2].reshape(*moved.shape[:-1], size, size)
            return self.metric.kernel(replace(whole, table=table, share=moved[..., size**2 :]))

        base = np.concatenate([whole.table.ravel(), whole.share])
        slope = derivatives.stepped(read, base, np.arange(len(base)))[1]
        by_pair, by_share = slope[: size**2].reshape(size, size), slope[size**2 :]
        counts = self.data.true
        pairs = np.einsum("uc,cd,ud->u", counts, by_pair, counts) - counts @ np.diag(by_pair)
        pairs = pairs * weight_of_pairs(self.data, by_item=True)
        total = self.atoms.mass(self.atoms.rows).sum()
        return np.asarray((pairs + shares_of_items(self.data) @ by_share) / total)

    def _leaving_one_out(self, whole: RatingTable) -> Array:
        """Jackknife: the change of the value without one item, by its weight."""
        atoms, data, values = self.atoms, self.data, []
        weight = np.ones(len(atoms)) if atoms.weight is None else atoms.weight
        each = weight * weight_of_pairs(data, by_item=False)
        step = max(_CELLS // whole.table.size, 1)
        for start in range(0, len(atoms), step):
            rows = np.arange(start, min(start + step, len(atoms)))
            left = whole.table - tables_of_items(data.keep(rows), each[rows])
            values.append(self.metric.kernel(replace(whole, table=left)))
        change = self.value - np.concatenate(values)
        return np.asarray(change / weight * (atoms.n_rows - 1) / atoms.n_rows)

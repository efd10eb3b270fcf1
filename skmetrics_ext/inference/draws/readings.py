"""A metric as a function of how often each row was drawn: what resampling and jackknife need.

Rows that are alike to a metric (the same cell of the confusion table, the same class and score)
are one *unit*. What is drawn is a tally for each draw, and the metric reads them all at once.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.draws.units import RowFacts, Scatter, Units, draw_counts
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.registry.find import parameters_of
from skmetrics_ext.tallies import ConfusionTally, Means
from skmetrics_ext.validation import Labels, Scores
from skmetrics_ext.validation.containers import read_column, take_rows
from skmetrics_ext.validation.groups import INDEPENDENT, Design

# Numbers of a unit that are held at once: what stays in the cache. Part of what a seed means.
CELLS = 1 << 15


@dataclass(frozen=True, eq=False)
class Reading(ABC):
    """A metric of some rows: its value, and what it would be for other numbers of each unit."""

    metric: Metric
    value: Any

    @property
    @abstractmethod
    def units(self) -> Units:
        """Rows that are alike."""

    @abstractmethod
    def statistic(self, counts: Array) -> Array:
        """Values (B, ...) where unit u is drawn counts[b, u] times; nan where undefined."""

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What was worked out of it and may be asked for again."""
        return {}

    @property
    def group(self) -> Array | None:
        """The group of each unit."""
        return self.units.group

    @property
    def is_plain(self) -> bool:
        """Whether rows are independent, and drawn from one source."""
        return self.units.is_plain

    @property
    def by_class(self) -> Array:
        """Rows of each class, or of groups those that hold some of them."""
        return self.units.by_class()

    @property
    def is_slow(self) -> bool:
        """Whether every draw is a call of a function in Python."""
        return False

    @property
    def for_draws(self) -> Reading:
        """The same in the form that many draws are fast in."""
        return self

    def of_draws(self, rng: np.random.Generator, n_draws: int, stratified: bool) -> Array:
        """Values (n_draws, ...) of rows drawn with replacement."""
        size = max(CELLS // len(self.units), 1)
        parts = [min(size, n_draws - start) for start in range(0, n_draws, size)]
        return np.concatenate(
            [self.statistic(draw_counts(rng, self.units, part, stratified)) for part in parts]
        )


# --------------------------------------------------------------------------- checked data


@dataclass(frozen=True, eq=False)
class TallyReading(Reading):
    """A metric of this package, of the tallies of what is drawn from checked data."""

    data: Any
    facts: RowFacts

    @abstractmethod
    def tally(self, counts: Array) -> Any:
        """What the metric reads of draws (..., U)."""

    def statistic(self, counts: Array) -> Array:
        return self.metric.read(self.tally(counts))

    @property
    def group(self) -> Array | None:
        """The group of each row, known before there are units."""
        return self.facts.group

    @property
    def is_plain(self) -> bool:
        return self.facts.group is None and self.facts.stratum is None

    @property
    def by_class(self) -> Array:
        facts, label = self.facts, self.label
        if facts.group is not None:
            return self.units.by_class()
        if label is None:
            label = np.zeros(self.data.true.shape[0], dtype=np.int64)
        return np.bincount(label, weights=facts.sizes)

    @property
    def label(self) -> Array | None:
        """The class of each row, where it has one."""
        true = self.data.true
        return true if getattr(true, "ndim", 2) == 1 and true.dtype.kind == "i" else None


class TableReading(TallyReading):
    """A metric of labels, of confusion tables (..., K, K)."""

    @cached_property
    def units(self) -> Units:
        labels = self.data
        cell = labels.true * len(labels.classes) + labels.pred
        return Units.alike(self.facts, labels.true, cell)

    @property
    def classes(self) -> Array:
        """The classes that occur."""
        classes: Array = self.data.classes
        return classes

    @cached_property
    def cell(self) -> Array:
        """The cell of each unit."""
        first, n_classes = self.units.first, len(self.classes)
        return np.asarray(self.data.true[first] * n_classes + self.data.pred[first])

    @cached_property
    def cells(self) -> Scatter:
        """Sums of units by cells."""
        return Scatter(self.cell, len(self.classes) ** 2)

    def tables(self, counts: Array) -> Array:
        """Confusion tables (..., K, K) of draws (..., U)."""
        n_classes = len(self.classes)
        sums = self.cells(self.units.mass(counts))
        return sums.reshape(*counts.shape[:-1], n_classes, n_classes)

    def tally(self, counts: Array) -> ConfusionTally:
        return ConfusionTally(self.data.classes, self.tables(counts), self.data.ordered)

    def read(self, tables: Array) -> Array:
        """The metric of any tables of these classes, real or complex."""
        return self.metric.read(ConfusionTally(self.data.classes, tables, self.data.ordered))


class MomentReading(TallyReading):
    """A metric of means of what is measured on each row."""

    @cached_property
    def units(self) -> Units:
        return Units.of_rows(len(self.data.true), self.facts, self.label)

    @cached_property
    def measured(self) -> Array:
        """What is measured on each row, (n, d)."""
        measure, given = self.metric.spec.row_values, self.metric.params
        assert measure is not None
        own = {name: given[name] for name in given if name in parameters_of(measure)}
        return np.ascontiguousarray(measure(self.data, **own), np.float64)

    def tally(self, counts: Array) -> Means:
        mass = self.units.mass(counts)
        total = mass.sum(axis=-1)
        sums = np.einsum("...u,ud->...d", mass, self.measured)
        return Means(total, divide(sums, total[..., None]))


class CheckedReading(TallyReading):
    """A metric that is read from the rows under other weights, draw by draw."""

    @cached_property
    def units(self) -> Units:
        return Units.of_rows(self.data.true.shape[0], self.facts, self.label)

    @property
    def is_slow(self) -> bool:
        return True

    def tally(self, counts: Array) -> Any:
        return weighed(replace(self.data, weight=self.units.mass(counts), cache={}))[0]

    def statistic(self, counts: Array) -> Array:
        return _each(self._at, counts, self.value)

    def _at(self, counts: Array) -> Any:
        given = self.tally(counts)
        return self.metric.function(given, given, **self.metric.params)


def weighed(checked: Any, design: Design = INDEPENDENT) -> tuple[Any, Design]:
    """The rows that have weight, and their design; of labels, the classes that then occur."""
    weight = checked.weight
    if weight is None or weight.all():
        return checked, design
    kept = np.flatnonzero(weight)
    return some_rows(checked, kept), design.kept(kept)


def some_rows(checked: Any, rows: Array) -> Any:
    """Some of the rows; of labels, with the classes that occur there."""
    weight = None if checked.weight is None else checked.weight[rows]
    true, name = checked.true[rows], response_name(checked)
    other, classes, kind = getattr(checked, name)[rows], checked.classes, {}
    if name == "pred" and not checked.is_multilabel:
        used, (true, other) = kernels.encode(true, other)
        classes, kind = classes[used], {"kind": "multiclass" if len(used) > 2 else "binary"}
    given = {"true": true, name: other, "weight": weight, "classes": classes, "cache": {}}
    return replace(checked, **given, **kind)


def response_name(checked: Any) -> str:
    """What checked data call that which a metric takes beside the true labels."""
    return {Labels: "pred", Scores: "score"}.get(type(checked), "proba")


# --------------------------------------------------------------------------- raw rows


@dataclass(frozen=True, eq=False)
class RowReading(Reading):
    """Any function of rows, which are drawn one by one."""

    y_true: Any
    y_pred: Any
    weight: Array | None = None
    design: Design = INDEPENDENT

    @cached_property
    def units(self) -> Units:
        values = read_column(self.y_true, "y_true").values
        is_column = isinstance(values, np.ndarray) and values.ndim == 1
        label = None
        if is_column and values.dtype.kind != "f":
            label = np.unique(values, return_inverse=True)[1].reshape(-1)
        return Units.of_rows(values.shape[0], RowFacts.of(None, self.design), label)

    @property
    def is_slow(self) -> bool:
        return True

    def statistic(self, counts: Array) -> Array:
        return _each(self._at, counts, self.value)

    def _at(self, counts: Array) -> Any:
        rows = np.repeat(np.arange(len(counts)), counts)
        true, pred = take_rows(self.y_true, rows), take_rows(self.y_pred, rows)
        weights = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        return self.metric.function(true, pred, **self.metric.params, **weights)


def _each(function: Callable[[Array], Any], draws: Array, like: Any) -> Array:
    """A value for each draw; nan where the function refuses it, as for want of a class."""
    shape = np.shape(like)
    values = np.full((len(draws), *shape), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, draw in enumerate(draws):
            try:
                found = np.asarray(function(draw), dtype=np.float64)
            except (ValueError, ZeroDivisionError):
                continue
            if found.shape == shape:
                values[i] = found
    return values

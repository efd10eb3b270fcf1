"""Samples: a metric of some rows, and what it would be under other numbers of each.

Rows that a metric cannot distinguish (one cell of the confusion table, one class and score) are one
*atom*. The bootstrap draws numbers of atoms, and the metric reads the tallies of all draws at once.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from skmetrics_ext.inference.derivatives import (
    has_counts,
    means_slope,
    reads_hits,
    slope_by_counts,
    value_and_deviations,
    value_and_gradient,
)
from skmetrics_ext.inference.draws.atoms import (
    PLAIN,
    Atoms,
    RowDesign,
    Scatter,
    block_sizes,
    draw_counts,
)
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.registry.find import parameters_of
from skmetrics_ext.tallies import ConfusionTally, Means
from skmetrics_ext.tallies.counts import table_of
from skmetrics_ext.validation import InvalidParameterError, Labels, check_weight
from skmetrics_ext.validation.containers import read_column, take_rows
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_design
from skmetrics_ext.validation.labels import with_weight
from skmetrics_ext.validation.rows import check_index, index_of

# Numbers of an atom that are held at once: what stays in the cache. Part of what a seed means.
CELLS = 1 << 15
# What a metric that is a share of rows among some rows is of that share.
SHARES = ("wilson", "dice")


def share_of(metric: Metric) -> str:
    """What the metric is of a share of rows; "" where it is none, as at a stated prevalence."""
    interval = metric.spec.interval
    return interval if interval in SHARES and not metric.own else ""


@dataclass(frozen=True, eq=False)
class Sample(ABC):
    """A metric of some rows: its value, and what it would be for other numbers of each atom."""

    metric: Metric
    value: Any

    leaves_out_rows: ClassVar[bool] = False  # whether rows can be left out only as a whole
    # How intervals are found: "share", "dice", "largest", "score", "log", "logit", "delta" of
    # tables; "hall" of means; "area", "smooth"; "draws" for what has no derivative.
    kind: ClassVar[Any] = "draws"

    @property
    @abstractmethod
    def atoms(self) -> Atoms:
        """Rows that are alike."""

    @abstractmethod
    def statistic(self, counts: Array) -> Array:
        """Values (B, ...) where atom u is drawn counts[b, u] times; nan where undefined."""

    def slope(self) -> Array | None:
        """Derivative of the metric by the weight of each atom, (*S, U); None where it has none."""
        return None

    def row_slope(self) -> Array | None:
        """Derivative by the weight of each row, (*S, n), where that needs no atoms."""
        return None

    def ways(self) -> tuple[Array | None, ...]:
        """Classes of atoms, in each way by which degrees of freedom are counted.

        None stands for one class of all rows.
        """
        return (None,)

    def row_ways(self) -> tuple[Array | None, ...]:
        """Classes of rows in each way."""
        return (None,)

    drawn_share: ClassVar[Any] = 1.0  # how many of the rows a draw has
    is_compact: ClassVar[bool] = False  # whether atoms are few, the cells of a table
    is_one_table: ClassVar[Any] = False  # whether it is read from one table or one ranking
    jumps: ClassVar[Any] = False  # whether a grade near a target moves the value by steps
    is_mean: ClassVar[bool] = False  # whether it is a mean of values of rows
    is_slow: ClassVar[Any] = False  # whether every draw is a call of a function in Python
    share: ClassVar[Any] = ""  # how the metric tells a number of rows among some rows

    @property
    def is_counted_table(self) -> bool:
        """Whether the metric is read from counts of rows: a table, or a share of rows."""
        return bool(self.share)

    @property
    def design(self) -> RowDesign:
        """Weights, groups and strata of the rows."""
        return self.atoms.design

    @property
    def by_class(self) -> Array:
        """Number of rows of each class, or of groups that hold some of them."""
        return self.atoms.by_class()

    @property
    def known_classes(self) -> set[Any] | None:
        """Labels of the classes, where they are known."""
        return None

    @property
    def fewest_rows(self) -> float:
        """Number of rows of the rarest class, or of groups that hold some of them."""
        found = self.by_class
        return float(found[found > 0].min())

    def of_draws(self, rng: np.random.Generator, n_draws: int, stratified: bool) -> Array:
        """Values (n_draws, ...) of rows drawn with replacement."""
        size = max(CELLS // len(self.atoms), 1)
        about = stratified, self.drawn_share
        draws = (draw_counts(rng, self.atoms, n, *about) for n in block_sizes(n_draws, size))
        return np.concatenate([self.statistic(counts) for counts in draws])


# --------------------------------------------------------------------------- checked data


@dataclass(frozen=True, eq=False)
class TallySample(Sample):
    """A metric of this package, read from the tallies of checked data."""

    data: Any
    design: RowDesign = PLAIN

    # Atoms of merged sums and a code of each, in the place of checked rows.
    counted: Any = None

    @abstractmethod
    def tally(self, counts: Array) -> Any:
        """Tally of draws (..., U)."""

    def ways(self) -> tuple[Array | None, ...]:
        return (self.atoms.label,)

    def row_ways(self) -> tuple[Array | None, ...]:
        return (self.label,)

    def statistic(self, counts: Array) -> Array:
        return self.metric.read(self.tally(counts))

    @property
    def known_classes(self) -> set[Any] | None:
        return set(self.data.classes.tolist())

    @cached_property
    def by_class(self) -> Array:
        if self.counted is not None and len(self.counted) > 2:
            by_class: Array = self.counted[2]
            return by_class
        if self.counted is not None or self.design.group is not None or self.label is None:
            return self.atoms.by_class()
        return np.bincount(self.label, weights=self.design.sizes)

    @property
    def label(self) -> Array | None:
        """The class of each row, where it has one."""
        true = self.data.true
        return true if getattr(true, "ndim", 2) == 1 and true.dtype.kind == "i" else None


def _cell_of_row(labels: Labels) -> Array:
    return np.asarray(labels.true * len(labels.classes) + labels.pred)


class TableSample(TallySample):
    """A metric of labels, of confusion tables (..., K, K)."""

    @cached_property
    def _cells(self) -> tuple[Atoms, Array]:
        """The atoms, and the cell of each."""
        labels, design, n_classes = self.data, self.design, len(self.classes)
        if self.counted is not None:
            return self.counted
        if design.is_counted and design.sizes is None:
            cells = table_of(labels).reshape(-1)
            label = np.arange(len(cells)) // n_classes
            return Atoms.of_cells(cells, label, partial(_cell_of_row, labels), design)
        cell = _cell_of_row(labels)
        atoms, first = Atoms.alike(design, labels.true, cell)
        return atoms, cell[first]

    @cached_property
    def atoms(self) -> Atoms:
        return self._cells[0]

    @cached_property
    def cell(self) -> Array:
        """The cell of each atom."""
        return self._cells[1]

    @cached_property
    def classes(self) -> Array:
        """The classes that occur."""
        classes: Array = self.data.classes
        return classes

    @cached_property
    def by_class(self) -> Array:
        atoms = self.atoms
        if atoms.group is not None or atoms.label is None:
            return atoms.by_class()
        return np.bincount(atoms.label, atoms.rows, len(self.classes))

    @cached_property
    def share(self) -> str:
        """How the metric tells a number of rows among some rows; "" where it does not."""
        average = self.metric.params.get("average", "binary")
        return share_of(self.metric) if average in ("binary", None) else ""

    @cached_property
    def kind(self) -> str:
        if self.metric.spec.interval == "largest":
            return "largest"
        if self.metric.own.get("prevalence"):
            return "logit"
        n_bounds = int(np.isfinite(self.metric.spec.bounds).sum())
        return self.share or ("delta", "log", "score")[n_bounds]

    @cached_property
    def scatter(self) -> Scatter:
        """Sums of atoms by cells."""
        return Scatter(self.cell, len(self.classes) ** 2)

    @cached_property
    def table(self) -> Array:
        """The confusion table of all rows."""
        mass, n_classes = self.atoms.mass(self.atoms.rows), len(self.classes)
        return np.bincount(self._cells[1], mass, n_classes**2).reshape(n_classes, n_classes)

    def tally(self, counts: Array) -> ConfusionTally:
        return self.tally_of_mass(self.atoms.mass(counts))

    def tally_of_mass(self, mass: Array) -> ConfusionTally:
        """Confusion table of atoms that weigh so much."""
        n_classes = len(self.classes)
        table = self.scatter(mass).reshape(*mass.shape[:-1], n_classes, n_classes)
        return ConfusionTally(self.classes, table, self.data.ordered)

    def read(self, tables: Array) -> Array:
        """The metric of any tables of these classes, real or complex."""
        return self.metric.read(ConfusionTally(self.classes, tables, self.data.ordered))

    def slope(self) -> Array:
        slope = value_and_gradient(self.read, self.table)[1]
        return np.asarray(slope.reshape(*slope.shape[:-2], -1)[..., self._cells[1]])

    def ways(self) -> tuple[Array | None, ...]:
        return None, *np.divmod(self.cell, len(self.classes))

    def row_ways(self) -> tuple[Array | None, ...]:
        return None, self.data.true, self.data.pred

    is_compact = is_one_table = is_counted_table = True

    @cached_property
    def equal_rows(self) -> Array:
        """The table of as many equal rows as its weights are worth (Kish), or groups if fewer."""
        if self.design.is_counted:
            return self.table
        return self.table * (self.atoms.effective_rows / self.table.sum())

    def with_prior_rows(self, prior: float) -> tuple[Array, Array]:
        """Value and variance after ``prior`` rows more in each class, all predictions alike."""
        added = self.equal_rows + prior / len(self.classes)
        value, deviations = value_and_deviations(self.read, added)
        return value, np.asarray((added * deviations**2).sum(axis=(-1, -2)))

    def is_defined_by_data(self) -> Array | bool:
        """Whether the rows make the value, and not what 0/0 stands for (of one class only)."""
        if len(self.classes) > 1 or not self.metric.takes("zero_division"):
            return True
        tally = ConfusionTally(self.classes, self.table, self.data.ordered)
        return ~np.isnan(self.metric.with_params(zero_division=np.nan).read(tally))

    def moves_of_one_row(self, labels: Array) -> Array:
        """Value (m,) where one row of each of these classes, by name, is predicted otherwise."""
        classes = np.array([self.classes.tolist().index(label) for label in labels.tolist()])
        table, n_classes = self.table, len(self.classes)
        atoms = self.atoms
        assert atoms.label is not None
        rows = np.bincount(atoms.label, atoms.rows, n_classes)
        moved = np.repeat(table[None].astype(np.float64), len(classes), axis=0)
        each, usual = np.arange(len(classes)), table[classes].argmax(axis=1)
        other = np.where(
            usual != classes, classes, np.where(classes > 0, classes - 1, n_classes - 1)
        )
        row = table[classes].sum(axis=1) / rows[classes]
        moved[each, classes, usual] -= row
        moved[each, classes, other] += row
        return self.read(moved)


class MomentSample(TallySample):
    """A metric of means of values of rows."""

    is_mean = True

    def ways(self) -> tuple[Array | None, ...]:
        return (None,)

    row_ways = ways

    @cached_property
    def atoms(self) -> Atoms:
        if self.counted is not None:
            return self.counted[0]
        return Atoms.each_row(len(self.data.true), self.design, self.label)

    @property
    def share(self) -> str:
        """Whether the metric is a share of rows."""
        return share_of(self.metric)

    @property
    def kind(self) -> str:
        if self.share:
            return "share of rows"
        return "hall" if self.measured.shape[1] == 1 else "smooth"

    @cached_property
    def measured(self) -> Array:
        """Values of each row, (n, d)."""
        if self.counted is not None:
            return self.counted[1]
        measure, given = self.metric.spec.row_values, self.metric.params
        assert measure is not None
        own = {name: given[name] for name in given if name in parameters_of(measure)}
        return np.ascontiguousarray(measure(self.data, **own), np.float64)

    def tally(self, counts: Array) -> Means:
        mass = self.atoms.mass(counts)
        total = mass.sum(axis=-1)
        sums = np.einsum("...u,ud->...d", mass, self.measured)
        return Means(total, divide(sums, total[..., None]))

    def slope(self) -> Array:
        atoms = self.atoms
        mass = None
        if atoms.weight is not None or not atoms.are_rows:
            mass = np.asarray(atoms.mass(atoms.rows), dtype=np.float64)
        return means_slope(self.metric, self.measured, mass)


class SlowSample(Sample):
    """A metric that is a call of a function in Python for each draw."""

    is_slow = True

    @abstractmethod
    def of_draw(self, counts: Array) -> Any:
        """Value where each row is drawn so often, (U,)."""

    def statistic(self, counts: Array) -> Array:
        """A value for each draw; nan where the function refuses it, as for want of a class."""
        values = np.full((len(counts), *np.shape(self.value)), np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for i, draw in enumerate(counts):
                try:
                    value = np.asarray(self.of_draw(draw), dtype=np.float64)
                except (ValueError, ZeroDivisionError):
                    continue
                if value.shape == values.shape[1:]:
                    values[i] = value
        return values


class RowSample(SlowSample, TallySample):
    """A metric that is read from the rows under other weights, draw by draw."""

    @cached_property
    def atoms(self) -> Atoms:
        return Atoms.each_row(self.data.true.shape[0], self.design, self.label)

    @property
    def share(self) -> str:
        """Whether the metric is a share of rows that are right."""
        counted = has_counts(self.metric, self.data) and reads_hits(self.metric, self.data)
        return share_of(self.metric) if counted else ""

    @property
    def kind(self) -> str:
        if self.share:
            return "share of rows"
        return "smooth" if has_counts(self.metric, self.data) else "draws"

    def tally(self, counts: Array) -> Any:
        return weighed(replace(self.data, weight=self.atoms.mass(counts), cache={}))[0]

    def of_draw(self, counts: Array) -> Any:
        given = self.tally(counts)
        return self.metric.function(given, given, **self.metric.params)

    @cached_property
    def all_rows(self) -> Any:
        """The checked data, each row as often as it was seen."""
        return self.tally(self.atoms.rows)

    def slope(self) -> Array | None:
        if not has_counts(self.metric, self.data):
            return None
        return slope_by_counts(self.metric, self.all_rows)


def weighed(checked: Any, design: Design = INDEPENDENT) -> tuple[Any, Design]:
    """The rows that have weight, and their design; of labels, the classes that then occur."""
    data = with_weight(checked)
    return data, design if data is checked else design.kept(np.flatnonzero(checked.weight))


# --------------------------------------------------------------------------- raw rows


@dataclass(frozen=True, eq=False)
class FunctionSample(SlowSample):
    """Any function of rows, which are drawn one by one."""

    y_true: Any
    y_pred: Any
    weight: Array | None = None
    design: RowDesign = PLAIN

    @classmethod
    def of_rows(
        cls,
        metric: Metric,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any,
        groups_strata: tuple[Any, Any],
        weights_are: str,
    ) -> FunctionSample:
        """Rows as they came, without those of weight 0, each as often as it was seen."""
        n_rows = len(y_true) if hasattr(y_true, "__len__") else len(read_column(y_true, "y_true"))
        columns = {"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}
        columns |= dict(zip(("groups", "strata"), groups_strata, strict=True))
        check_index(**{name: index_of(data) for name, data in columns.items()})
        weight = check_weight(sample_weight, n_rows)
        design = read_design(*groups_strata, n_rows)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            y_true, y_pred = take_rows(y_true, kept), take_rows(y_pred, kept)
            weight, design = weight[kept], design.kept(kept)
        sizes = RowDesign.of(weight, design, weights_are).sizes
        if weight is not None and not metric.takes("sample_weight"):
            raise InvalidParameterError(
                f"{metric.name} has no parameter sample_weight, so no weights can be given."
            )
        weights = {} if weight is None else {"sample_weight": weight}
        value = metric.function(y_true, y_pred, **metric.params, **weights)
        if np.asarray(value).dtype.kind not in "biuf":
            raise InvalidParameterError(
                f"{metric.name} has to give numbers, got {type(value).__name__}: {value!r:.60}."
            )
        if sizes is not None:
            seen, weight = np.repeat(np.arange(len(sizes)), sizes), None
            y_true, y_pred = take_rows(y_true, seen), take_rows(y_pred, seen)
            design = design.kept(seen)
        return cls(metric, value, y_true, y_pred, weight, RowDesign.of(None, design))

    leaves_out_rows = True

    @cached_property
    def atoms(self) -> Atoms:
        values = read_column(self.y_true, "y_true").values
        is_column = isinstance(values, np.ndarray) and values.ndim == 1
        label = None
        if is_column and values.dtype.kind != "f":
            label = np.unique(values, return_inverse=True)[1].reshape(-1)
        return Atoms.each_row(values.shape[0], self.design, label)

    def of_draw(self, counts: Array) -> Any:
        rows = np.repeat(np.arange(len(counts)), counts)
        true, pred = take_rows(self.y_true, rows), take_rows(self.y_pred, rows)
        weights = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        return self.metric.function(true, pred, **self.metric.params, **weights)


@dataclass(frozen=True, eq=False)
class FoldMean(Sample):
    """A metric's mean over folds, of which only the contributions of rows are known."""

    rows: Atoms
    data: Any = None  # of the first fold, which knows the classes

    kind = "folds"

    @cached_property
    def atoms(self) -> Atoms:
        return self.rows

    def statistic(self, counts: Array) -> Array:
        raise InvalidParameterError("A mean over folds is not resampled.")

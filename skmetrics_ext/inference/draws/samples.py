"""Samples: a metric of some rows, as a function of how often each row is drawn.

Rows that a metric cannot distinguish (one cell of the confusion table, one class and score) are one
*atom*. The bootstrap draws numbers of atoms, and the metric reads the tallies of all draws at once.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from skmetrics_ext.inference import derivatives
from skmetrics_ext.inference.draws.atoms import (
    PLAIN,
    Atoms,
    RowDesign,
    Scatter,
    block_sizes,
    draw_counts,
)
from skmetrics_ext.metrics.averaging import is_by_support, is_pooled
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally, Means
from skmetrics_ext.tallies.counts import table_of
from skmetrics_ext.validation import InvalidParameterError, Labels, check_weight
from skmetrics_ext.validation.containers import read_column, take_rows
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_design
from skmetrics_ext.validation.labels import with_weight
from skmetrics_ext.validation.rows import check_index, index_of

# Numbers held at once for a block of draws, so that they stay in the cache. A seed gives the same
# draws only for the same number.
CELLS = 1 << 15
# Interval methods of metrics that grow with a proportion of rows.
SHARES = ("wilson", "dice")
_ROUNDING = 1e-12
_SUPPORT = {"tp", "fn"}  # counts of the rows of a class


def share_of(metric: Metric) -> str:
    """How the metric grows with a proportion of rows; "" if it does not (a stated prevalence)."""
    interval = metric.spec.interval
    return interval if interval in SHARES and not metric.kernel_params else ""


def share_of_average(metric: Metric, classes: Sequence[Any]) -> str:
    """As in `share_of`, of a metric of labels with any average.

    Pooled counts are a share of rows if no row counts twice in the denominator, and so are means
    of shares that are weighted by their denominators.
    """
    average, share = metric.params.get("average", "binary"), share_of(metric)
    if average in ("binary", None) or not share:
        return share
    read = {name for pair in metric.spec.shares for name in pair}
    is_whole = set(classes) <= set(metric.listed_classes(classes))
    if read == _SUPPORT:
        is_share = is_pooled(average) or is_by_support(average)
    elif "tn" in read:
        is_share = is_pooled(average) and is_whole and len(classes) == 2
    else:
        is_share = is_pooled(average) and (bool(read) or (is_whole and share == "dice"))
    return "wilson" if is_share else ""


@dataclass(frozen=True, eq=False)
class Sample(ABC):
    """A metric of some rows: its value, and its values under other numbers of each atom.

    Attributes
    ----------
    kind : str
        Which intervals apply: "wilson", "dice", "largest", "score", "log", "logit" or "delta" for
        tables; "share of rows" and "hall" for means; "area", "smooth"; "folds"; "draws" for a
        metric without a derivative.
    share : str
        How the metric grows with a proportion of rows, as in `share_of`.
    is_compact : bool
        Whether the atoms are few, the cells of a table.
    is_one_table : bool
        Whether one table, or one ranking, has all that the metric reads.
    is_mean : bool
        Whether it is a mean of values of rows.
    is_slow : bool
        Whether each draw is a call of a Python function.
    is_undefined : bool or ndarray of bool
        Whether each value is 0/0: nan, or a number by convention, which is no measurement.
    jumps : bool
        Whether the value jumps as a grade crosses a target in other samples.
    plain_shares : list of PlainShare
        Shares of rows, one of which it is in other samples, of a ranking with tied scores.
    leaves_out_rows : bool
        Whether rows can only be left out whole, not in part.
    label : ndarray of int or None
        The code of the class of each row, if it has one.
    is_heavy : bool
        Whether few rows may carry the variance, so that their kurtosis limits its freedom.
    drawn_share : float
        Size of a draw, as a share of the rows.
    """

    metric: Metric
    value: Any

    kind: ClassVar[Any] = "draws"
    share: ClassVar[Any] = ""
    is_compact: ClassVar[bool] = False
    is_one_table: ClassVar[Any] = False
    is_mean: ClassVar[bool] = False
    is_slow: ClassVar[Any] = False
    jumps: ClassVar[Any] = False
    plain_shares: ClassVar[Any] = ()
    leaves_out_rows: ClassVar[bool] = False
    label: ClassVar[Any] = None
    is_heavy: ClassVar[bool] = False
    drawn_share: ClassVar[Any] = 1.0

    @property
    def is_undefined(self) -> Any:
        return np.isnan(self.value)

    @property
    @abstractmethod
    def atoms(self) -> Atoms:
        """Rows that the metric cannot distinguish."""

    @abstractmethod
    def statistic(self, counts: Array) -> Array:
        """Values (B, ...) where atom u is drawn counts[b, u] times; nan where undefined."""

    def slope(self) -> Array | None:
        """Derivative of the metric by the weight of each atom, (*S, U); None if there is none."""
        return None

    def slope_by_row(self) -> tuple[Array, Array] | None:
        """Derivative by the weight of each row (n,), and its class, if these need no atoms."""
        return None

    def squares(self) -> tuple[Array, Array] | None:
        """Sums of squares of the contributions by class, and its rows, if these need no atoms."""
        return None

    def ways(self) -> tuple[Array | None, ...]:
        """Classes of atoms, in each way by which degrees of freedom are counted.

        None stands for one class of all rows.
        """
        return (None,)

    @property
    def bounds(self) -> tuple[float, float]:
        """Range of the metric."""
        if self.metric.spec.narrower is None:
            return self.metric.spec.bounds
        return self.metric.bounds(len(getattr(getattr(self, "data", None), "classes", ())))

    @property
    def design(self) -> RowDesign:
        """Weights, groups and strata of the rows."""
        return self.atoms.design

    @property
    def by_class(self) -> Array:
        """Number of rows of each class, or of groups with rows of it."""
        return self.atoms.by_class()

    @property
    def known_classes(self) -> set[Any] | None:
        """Labels of the classes, if they are known."""
        return None

    @property
    def fewest_rows(self) -> float:
        """Number of rows of the rarest class, or of groups with rows of it."""
        by_class = self.by_class
        return float(by_class[by_class > 0].min())

    def of_draws(self, n_draws: int, seed: np.random.SeedSequence, *, stratified: bool) -> Array:
        """Values (n_draws, ...) of rows drawn with replacement."""
        rng = np.random.default_rng(seed)
        sizes = block_sizes(n_draws, max(CELLS // len(self.atoms), 1))
        draws = (draw_counts(rng, self.atoms, n, stratified, self.drawn_share) for n in sizes)
        return np.concatenate([self.statistic(counts) for counts in draws])


def _draw_by_draw(value_of: Callable[[Array], Any], counts: Array, shape: Any) -> Array:
    """Value of each draw (B, *shape); nan if the function rejects it, as when a class is absent."""
    values = np.full((len(counts), *shape), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, draw in enumerate(counts):
            try:
                value = np.asarray(value_of(draw), dtype=np.float64)
            except (ValueError, ZeroDivisionError):
                continue
            if value.shape == shape:
                values[i] = value
    return values


# --------------------------------------------------------------------------- checked data


@dataclass(frozen=True, eq=False)
class TallySample(Sample):
    """A metric of this package, read from the tallies of checked data.

    ``known`` holds, for sums without rows, properties that are computed from the rows otherwise:
    the atoms, and what the metric reads of each. ``given`` are the data with all their classes, if
    some are one in ``data``.
    """

    data: Any
    design: RowDesign = PLAIN
    known: Mapping[str, Any] = field(default_factory=dict)
    given: Any = None

    def __post_init__(self) -> None:
        self.__dict__.update(self.known)

    @abstractmethod
    def tally(self, counts: Array) -> Any:
        """Tally of draws (..., U)."""

    def ways(self) -> tuple[Array | None, ...]:
        return (self.atoms.label,)

    def statistic(self, counts: Array) -> Array:
        return self.metric.read(self.tally(counts), filled=not self.is_one_table)

    @property
    def known_classes(self) -> set[Any] | None:
        return set(self.data.classes.tolist())

    @cached_property
    def by_class(self) -> Array:
        return (self.atoms if self.label is None else self.row_atoms).by_class()

    @cached_property
    def atoms(self) -> Atoms:
        return self.row_atoms

    @cached_property
    def row_atoms(self) -> Atoms:
        """Each row as an atom."""
        return Atoms.each_row(self.data.true.shape[0], self.design, self.label)

    @property
    def label(self) -> Array | None:
        """The class of each row, if it has one."""
        true: Any = getattr(self.data, "true", None)
        return true if getattr(true, "ndim", 2) == 1 and true.dtype.kind == "i" else None


def _cell_of_row(labels: Labels) -> Array:
    return np.asarray(labels.true * len(labels.classes) + labels.pred)


class TableSample(TallySample):
    """A metric of labels, read from confusion tables (..., K, K)."""

    is_compact = is_one_table = True

    @cached_property
    def _atoms_and_cells(self) -> tuple[Atoms, Array]:
        labels, n_classes = self.data, len(self.classes)
        table, cell_of_row = partial(table_of, labels), partial(_cell_of_row, labels)
        return Atoms.of_cells(self.design, table, lambda cell: cell // n_classes, cell_of_row)

    @cached_property
    def atoms(self) -> Atoms:
        return self._atoms_and_cells[0]

    @cached_property
    def cell(self) -> Array:
        """The cell of each atom."""
        return self._atoms_and_cells[1]

    @cached_property
    def classes(self) -> Array:
        """The classes that occur."""
        classes: Array = self.data.classes
        return classes

    @cached_property
    def by_class(self) -> Array:
        return self.atoms.by_class(len(self.classes))

    @cached_property
    def share(self) -> str:
        return share_of_average(self.metric, self.classes.tolist())

    @cached_property
    def kind(self) -> str:
        if self.metric.spec.interval == "largest":
            return "largest"
        if self.metric.kernel_params.get("prevalence"):
            return "logit"
        n_bounds = int(np.isfinite(self.metric.spec.bounds).sum())
        return self.share or ("delta", "log", "score")[n_bounds]

    @cached_property
    def scatter(self) -> Scatter:
        """Sums over the atoms of each cell."""
        return Scatter(self.cell, len(self.classes) ** 2)

    @cached_property
    def table(self) -> Array:
        """The confusion table of all rows."""
        mass, n_classes = self.atoms.mass(self.atoms.rows), len(self.classes)
        return np.bincount(self.cell, mass, n_classes**2).reshape(n_classes, n_classes)

    def _tally_of_tables(self, tables: Array) -> ConfusionTally:
        return ConfusionTally(self.classes, tables, self.data.ordered)

    def tally_of_mass(self, mass: Array) -> ConfusionTally:
        """Confusion tables from the weight of each atom (..., U)."""
        n_classes = len(self.classes)
        tables = self.scatter(mass).reshape(*mass.shape[:-1], n_classes, n_classes)
        return self._tally_of_tables(tables)

    def tally(self, counts: Array) -> ConfusionTally:
        return self.tally_of_mass(self.atoms.mass(counts))

    def read(self, tables: Array) -> Array:
        """The metric of any tables of these classes, real or complex."""
        return self.metric.read(self._tally_of_tables(tables))

    def slope(self) -> Array:
        slope = derivatives.value_and_gradient(self.read, self.table)[1]
        if (np.abs(slope) * self.table.sum() <= _ROUNDING).all():  # nothing but rounding
            slope = np.zeros_like(slope)
        return np.asarray(slope.reshape(*slope.shape[:-2], -1)[..., self.cell])

    def ways(self) -> tuple[Array | None, ...]:
        n_classes = len(self.classes)
        predicted = np.arange(n_classes**2) % n_classes  # division is slow
        return None, self.atoms.label, predicted[self.cell]

    @cached_property
    def equal_rows(self) -> Array:
        """The table of the effective number of equal rows (Kish), or of groups if fewer."""
        if self.design.is_counted:
            return self.table
        return self.table * (self.atoms.effective_rows / self.table.sum())

    def with_prior_rows(self, prior: float) -> tuple[Array, Array]:
        """Value and variance with ``prior`` more rows in each class, over all predictions alike."""
        tables = self.equal_rows + prior / len(self.classes)
        value, deviations = derivatives.value_and_deviations(self.read, tables)
        return value, np.asarray((tables * deviations**2).sum(axis=(-1, -2)))

    def measured(self, tables: Array) -> Array:
        """As `read`, but nan for 0/0 that a convention fills."""
        return self.metric.measured(self._tally_of_tables(tables))

    @cached_property
    def is_undefined(self) -> Array:
        metric, value = self.metric, np.asarray(self.value)
        if metric.spec.is_known and not metric.is_surely_measured(value):
            value = self.measured(self.table)  # others are read otherwise, without a convention
        return np.isnan(value)

    def moves_of_one_row(self, labels: Array) -> Array:
        """Values (m,) after one row of each of these m classes is predicted otherwise."""
        key = tuple(labels.tolist())
        if key not in self._moves:  # each of many models is compared with all others
            self._moves[key] = self._moved(labels)
        return self._moves[key]

    @cached_property
    def _moves(self) -> dict[Any, Array]:
        return {}

    def _moved(self, labels: Array) -> Array:
        atoms, table, n_classes = self.atoms, self.table, len(self.classes)
        codes = np.array([self.classes.tolist().index(label) for label in labels.tolist()])
        usual = table[codes].argmax(axis=1)
        neighbour = np.where(codes > 0, codes - 1, n_classes - 1)
        other = np.where(usual == codes, neighbour, codes)
        assert atoms.label is not None
        n_rows = np.bincount(atoms.label, atoms.rows, n_classes)
        weight = table[codes].sum(axis=1) / n_rows[codes]
        moved = np.repeat(table[None].astype(np.float64), len(codes), axis=0)
        place = np.arange(len(codes))
        moved[place, codes, usual] -= weight
        moved[place, codes, other] += weight
        return self.read(moved)


class MomentSample(TallySample):
    """A metric of means of values of rows."""

    is_mean = True

    def ways(self) -> tuple[Array | None, ...]:
        return (None,)

    @cached_property
    def share(self) -> str:
        return share_of(self.metric)

    @cached_property
    def kind(self) -> str:
        if self.share:
            return "share of rows"
        return "hall" if self.measured.shape[1] == 1 else "smooth"

    @cached_property
    def measured(self) -> Array:
        """Values of each row, (n, d)."""
        measure = self.metric.spec.row_values
        assert measure is not None
        return np.ascontiguousarray(measure(self.data, **self.metric.row_params), np.float64)

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
        return derivatives.means_slope(self.metric, self.measured, mass)


class RowSample(TallySample):
    """A metric that is computed again from the weighted rows, draw by draw."""

    is_slow = True

    def ways(self) -> tuple[Array | None, ...]:
        # A class of one row has no variance of its own: the rows of all classes are one sample.
        is_alone = isinstance(self.data, Labels) and (self.by_class == 1).any()
        return (None, self.atoms.label) if is_alone else (self.atoms.label,)

    @cached_property
    def share(self) -> str:
        """As in `share_of`, if the proportion is that of the rows predicted right."""
        metric, data = self.metric, self.data
        if not (share_of(metric) and derivatives.has_counts(metric, data)):
            return ""
        if is_pooled(metric.options.get("average")) and not data.is_multilabel:
            return "wilson"  # with as many rows as have its variance
        return share_of(metric) if derivatives.reads_hits(metric, data) else ""

    @cached_property
    def kind(self) -> str:
        if self.share:
            return "share of rows"
        return "smooth" if derivatives.has_counts(self.metric, self.data) else "draws"

    @property
    def is_undefined(self) -> Any:
        if not isinstance(self.data, Labels):
            return np.isnan(self.value)
        return np.isnan(self.metric.measured(self.metric.tally_of(self.data)))

    def tally(self, counts: Array) -> Any:
        data = replace(self.data, weight=self.atoms.mass(counts), cache={})
        return without_zero_weights(data)[0]

    def statistic(self, counts: Array) -> Array:
        return _draw_by_draw(self._value_of, counts, np.shape(self.value))

    def _value_of(self, counts: Array) -> Any:
        data = self.tally(counts)
        return self.metric.function(data, data, **self.metric.params)

    @cached_property
    def all_rows(self) -> Any:
        """The checked data, each row as often as it was seen."""
        return self.tally(self.atoms.rows)

    def slope(self) -> Array | None:
        if not derivatives.has_counts(self.metric, self.data):
            return None
        return derivatives.slope_by_counts(self.metric, self.all_rows)


def attained_point(sample: TallySample) -> float:
    """Where along the curve the largest of several values is: the last point that has it.

    Of a mean over classes, the least of their points.
    """
    each = {} if is_pooled(sample.metric.options["average"]) else {"average": None}
    metric = sample.metric.with_params(method="attained", **each)
    rows = sample.tally(sample.atoms.rows)
    tally = metric.tally_of(rows) if isinstance(sample, RowSample) else rows
    return float(np.min(metric.read(tally)))


def without_zero_weights(checked: Any, design: Design = INDEPENDENT) -> tuple[Any, Design]:
    """The rows that have weight, with their design; of labels, only classes that then occur."""
    data = with_weight(checked)
    return data, design if data is checked else design.kept(np.flatnonzero(checked.weight))


# --------------------------------------------------------------------------- raw rows


@dataclass(frozen=True, eq=False)
class FunctionSample(Sample):
    """Any function of rows, which are drawn one by one."""

    y_true: Any
    y_pred: Any
    weight: Array | None = None
    design: RowDesign = PLAIN

    is_slow = leaves_out_rows = True

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
        """Rows in their own containers, without those of weight 0, repeated by their frequency."""
        n_rows = len(y_true) if hasattr(y_true, "__len__") else len(read_column(y_true, "y_true"))
        columns = {"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}
        columns |= dict(zip(("groups", "strata"), groups_strata, strict=True))
        check_index(**{name: index_of(column) for name, column in columns.items()})
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
                f"{metric.name} has to return numbers, got {type(value).__name__}: {value!r:.60}."
            )
        if sizes is not None:
            repeated, weight = np.repeat(np.arange(len(sizes)), sizes), None
            y_true, y_pred = take_rows(y_true, repeated), take_rows(y_pred, repeated)
            design = design.kept(repeated)
        return cls(metric, value, y_true, y_pred, weight, RowDesign.of(None, design))

    @cached_property
    def atoms(self) -> Atoms:
        values = read_column(self.y_true, "y_true").labels
        is_column = isinstance(values, np.ndarray) and values.ndim == 1
        label = None
        if is_column and values.dtype.kind != "f":
            label = np.unique(values, return_inverse=True)[1].reshape(-1)
        return Atoms.each_row(values.shape[0], self.design, label)

    def statistic(self, counts: Array) -> Array:
        return _draw_by_draw(self._value_of, counts, np.shape(self.value))

    def _value_of(self, counts: Array) -> Any:
        rows = np.repeat(np.arange(len(counts)), counts)
        true, pred = take_rows(self.y_true, rows), take_rows(self.y_pred, rows)
        weights = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        return self.metric.function(true, pred, **self.metric.params, **weights)


@dataclass(frozen=True, eq=False)
class FoldMean(Sample):
    """Mean of a metric over folds, known by the contributions of its rows alone."""

    atoms: Any = None
    data: Any = None  # of the first fold, for its classes

    kind = "folds"

    def statistic(self, counts: Array) -> Array:
        raise InvalidParameterError("A mean over folds is not resampled.")

"""Rows of which some are labelled, and what each row contributes to a metric of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.rankings import RankingSample
from skmetrics_ext.inference.draws.signed import SignedRankingSample
from skmetrics_ext.inference.linearized import Contributions, Linearized, linearize
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, check_weight
from skmetrics_ext.validation.containers import (
    Column,
    count_rows,
    labels_of,
    missing_rows,
    read_column,
    take_rows,
)
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_design
from skmetrics_ext.validation.labels import with_weight

_MOST_FREEDOM = 1e8  # as good as a normal quantile


def kurtosis_freedom(parts: Array) -> float:
    """Degrees of freedom of a sum of squares: few if few contributions carry it."""
    second, fourth = float((parts**2).mean()), float((parts**4).mean())
    spread = fourth - second**2
    freedom = 2 * len(parts) * second**2 / spread if spread > 0 else np.inf
    return min(freedom, _MOST_FREEDOM)


# --------------------------------------------------------------------------- rows and readings


@dataclass(frozen=True, eq=False)
class LabelledAtoms(Atoms):
    """All rows, of which those with a label count."""

    shares: Any = None

    @cached_property
    def n_rows(self) -> float:
        """Number of labelled rows."""
        return float(np.count_nonzero(self.shares))

    @property
    def effective_rows(self) -> float:
        """Kish's effective number of labelled rows, at most the number of groups."""
        rows = float(self.shares.sum() ** 2 / (self.shares**2).sum())
        return rows if self.group is None else min(rows, float(self.n_groups))


@dataclass(frozen=True, eq=False)
class RowsInPart:
    """All rows of a question: which are labelled, what they weigh, how they were drawn.

    Parameters
    ----------
    labelled : ndarray of bool of shape (N,)
    weight : ndarray of shape (N,)
        Weight of each row among all rows.
    mass : ndarray of shape (N,)
        Share of each labelled row in the weight of all that are labelled; 0 for others.
    design : Design
        Groups and strata of all rows.
    probability : ndarray of shape (N,) or None
        Probability with which each row was labelled, 1 where it does not matter.
    pool : str
        "" if the rows are a sample themselves; else how labels were drawn from the rows that are
        the population: "poisson" or "fixed".
    said : tuple of str
        Notes on the rows.
    """

    labelled: Array
    weight: Array
    mass: Array
    design: Design = INDEPENDENT
    probability: Array | None = None
    pool: str = ""
    said: tuple[str, ...] = ()

    @cached_property
    def atoms(self) -> LabelledAtoms:
        """The rows as atoms, of which those with a label are counted."""
        weight = None if np.ptp(self.mass[self.labelled]) == 0 else np.maximum(self.mass, 1e-300)
        rows = Atoms.each_row(len(self.labelled), RowDesign.of(weight, self.design), None)
        held = {item.name: getattr(rows, item.name) for item in fields(rows)}
        return LabelledAtoms(**held | {"shares": self.mass})

    def units(self, parts: Array, rows: Array) -> Array:
        """Contributions of these rows, or of the groups that have any of them."""
        group = self.design.group
        return parts[rows] if group is None else np.bincount(group, parts)[np.unique(group[rows])]

    def of_pool(self, parts: Array) -> Array:
        """Contributions to the error of an estimate for these rows, and no population."""
        if not self.pool:
            return parts
        n, chance = self.atoms.n_rows, self.probability
        chance = np.full(len(parts), n / len(parts)) if chance is None else chance
        left = np.where(self.labelled, 1 - chance, 0.0)
        if self.pool == "fixed":
            centre = divide((left * parts).sum(), left.sum())
            parts = (parts - centre) * np.sqrt(n / (n - 1))
        return np.asarray(np.sqrt(left) * parts)

    def variance(self, parts: Array) -> float:
        """Variance of a statistic with these contributions."""
        known = Contributions(parts, self.atoms, of_counts=True)
        return float(Linearized(0.0, None, known=known).variance)


@dataclass(frozen=True, eq=False)
class Reading:
    """A metric of the labelled rows, and what every row contributes to it.

    Parameters
    ----------
    value : float
    parts : ndarray of shape (N,)
    rows : RowsInPart
    judge : ndarray of shape (N,) or None
        Contributions of all rows to the metric of the proxy.
    differ : ndarray of shape (N,) or None
        How far the proxy is from the label of each labelled row, 0 to 1.
    shift : float
        Error from outside the rows, as from an estimated prevalence: its contribution.
    carriers : ndarray of bool of shape (N,)
        Rows that contribute.
    said : tuple of str
        Notes on the metric.
    """

    value: float
    parts: Array
    rows: RowsInPart
    judge: Array | None = None
    differ: Array | None = None
    shift: float = 0.0
    carriers: Any = None
    said: tuple[str, ...] = ()

    def minus(self, other: Reading) -> Reading:
        """The difference of two readings of the same rows."""
        judge = None if self.judge is None or other.judge is None else self.judge - other.judge
        said = tuple(dict.fromkeys([*self.said, *other.said]))
        changed = replace(self, value=self.value - other.value, parts=self.parts - other.parts)
        return replace(changed, judge=judge, shift=self.shift - other.shift, said=said)

    def on_log(self) -> Reading:
        """The logarithm of the value."""
        judge = None if self.judge is None else divide(self.judge, self.value)
        parts, shift = divide(self.parts, self.value), self.shift / self.value
        return replace(self, value=np.log(self.value), parts=parts, judge=judge, shift=shift)

    def is_like(self, other: Reading) -> bool:
        """Whether both are of the same rows, labels and proxy."""
        a, b = self.rows, other.rows
        if (self.judge is None) != (other.judge is None) or a.labelled.shape != b.labelled.shape:
            return False
        is_like = self.judge is None or np.allclose(a.mass, b.mass)
        return bool(is_like and (a.labelled == b.labelled).all())


class Correction(NamedTuple):
    """The value of a reading and the contributions to its error, and what is said of them.

    ``used`` is whether they may differ from the plain ones of the labelled rows; ``is_weighted``
    whether they do without a proxy; ``of_all_rows`` the variance that more labels do not reduce.
    """

    value: float
    parts: Array
    used: bool = True
    note: str = ""
    by_proxy: bool = False
    is_weighted: bool = False
    of_all_rows: float = 0.0


@dataclass(frozen=True, eq=False)
class PartlyLabelled:
    """The sample of labelled rows, whose value is corrected by what is known of the others."""

    plain: Linearized
    value: float
    atoms: Atoms
    methods: Callable[[Any], dict[str, Any]]
    kind = "labels"
    share = ""
    is_compact = is_mean = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "plain":
            raise AttributeError(name)
        return getattr(self.plain.origin, name)

    @property
    def design(self) -> RowDesign:
        """Groups and strata of all rows."""
        return self.atoms.design


# --------------------------------------------------------------------------- arrays


@dataclass(frozen=True, eq=False)
class PartlyGiven:
    """The arrays of a question, of which ``labels`` are those of labelled rows."""

    labels: Any
    y_pred: Any
    rows: RowsInPart

    @classmethod
    def read(
        cls, y_true: Any, y_pred: Any, sample_weight: Any, design: Any, observed: Any = None
    ) -> PartlyGiven:
        """Read the arrays; rows of weight 0 are left out."""
        n_rows = count_rows(y_true)
        y_pred = y_pred.labels if isinstance(y_pred, Column) else y_pred
        if n_rows is None or len(getattr(y_true, "shape", (0,))) != 1:
            raise InvalidParameterError(
                "y_true must be one column of labels, missing where there is none, got "
                f"{y_true!r:.60}."
            )
        if count_rows(y_pred) != n_rows:
            raise InvalidParameterError(
                f"y_pred must have a value for each of the {n_rows} rows of y_true, labelled or "
                f"not, got {count_rows(y_pred)}."
            )
        weight = check_weight(sample_weight, n_rows)
        weight = np.ones(n_rows) if weight is None else weight.astype(np.float64)
        labelled = ~missing_rows(y_true) & (weight > 0)
        if observed is not None:
            seen = np.asarray(read_column(observed, "observed").values)
            if seen.shape != (n_rows,) or not np.isin(seen, [0, 1]).all():
                raise InvalidParameterError(
                    f"observed must be True or False for each of the {n_rows} rows: whether the "
                    "row was verified."
                )
            labelled = labelled & (seen == 1)
        if not labelled.any():
            raise InvalidParameterError(
                "y_true has no label: pass those of the rows that a person looked at."
            )
        mass = np.where(labelled, weight, 0.0)
        rows = RowsInPart(
            labelled,
            weight / weight.sum(),
            mass / mass.sum(),
            read_design(design[0], design[1], n_rows),
        )
        return cls(labels_of(y_true, labelled), y_pred, rows)

    @property
    def places(self) -> Array:
        """The labelled rows."""
        return np.flatnonzero(self.rows.labelled)

    def of_labels(self, metric: Metric) -> tuple[Linearized, Array]:
        """The statistic of labelled rows, and the contribution of each of all rows."""
        places, mass = self.places, self.rows.mass
        weight = None if np.ptp(mass[places]) == 0 else mass[places] * len(places)
        group, stratum = (None if c is None else c[places] for c in self.rows.design)
        pred = take_rows(self.y_pred, places)
        sample = readers.sample_of_rows(metric, self.labels, pred, weight, group, stratum)
        readers.check_single_value("a metric of some labels", metric, sample.value)
        statistic = linearize(sample)
        if not statistic.has_influence or sample.jumps:
            raise InvalidParameterError(without_influence(metric.name))
        parts = np.zeros(len(mass))
        parts[places] = statistic.by_row[0]
        return statistic, parts


def contributions_of(
    metric: Metric, y_true: Any, y_pred: Any, weight: Array
) -> tuple[float, Array, Any]:
    """Value, contribution of each row, and sample of a metric of weighted rows.

    Weights may be negative: the metric is a function of sums of weights.
    """
    settled, checked = readers.check_rows(metric, y_true, y_pred, None)
    data = with_weight(replace(checked, weight=weight, cache={}))
    sample: Any = readers.sample_of(settled, data, RowDesign(weight=data.weight), np.nan)
    if isinstance(sample, RankingSample) and (data.weight < 0).any():
        plain = replace(sample.data, weight=None, cache={})
        sample = SignedRankingSample(sample.metric, np.nan, plain, sample.design)
    value = readers.check_single_value(
        "a metric of some labels", metric, sample.statistic(sample.atoms.rows[None])[0]
    )
    statistic = linearize(replace(sample, value=value))
    if not statistic.has_influence or sample.jumps:
        raise InvalidParameterError(without_influence(metric.name))
    parts = np.zeros(len(weight))
    parts[weight != 0] = statistic.by_row[0]
    return value, parts, statistic.origin


def soft_contributions(
    metric: Metric, classes: Array, y_pred: Any, weight: Array
) -> tuple[float, Array, Any]:
    """Value and contributions of a metric of rows that have each class with a weight, (N, K).

    Every row enters once for each class; weights may be negative.
    """
    n_rows, n_classes = weight.shape
    doubled = take_rows(y_pred, np.tile(np.arange(n_rows), n_classes))
    value, parts, sample = contributions_of(
        metric, np.repeat(classes, n_rows), doubled, weight.T.reshape(-1)
    )
    return value, parts.reshape(n_classes, n_rows), sample


def without_influence(name: str) -> str:
    return (
        f"{name} has no influence values of these rows, which estimates from some labels need: "
        "take confidence_interval of the labelled rows alone, method='bca'."
    )

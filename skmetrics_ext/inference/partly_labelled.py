"""Rows of which some are labelled, and what each row contributes to a metric of all of them.

Next to labels of some rows there may be a machine's labels of all (prediction-powered inference).
The estimate is then a two-phase regression estimator: the metric of the labelled rows, minus a
multiple of the mean influence of the labelled rows on the metric of the proxy, which is 0 over all
rows. The multiple is that of least squares, so that a proxy that says nothing costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.rankings import RankingSample, SignedRankingSample
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
    read_numbers,
    take_rows,
)
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_design
from skmetrics_ext.validation.labels import with_weight
from skmetrics_ext.validation.positive import positive_class

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


# --------------------------------------------------------------------------- labels drawn by chance


FEW_ROWS = 100  # effective rows
_LARGE_SHARE = 0.1  # of the weight, of one row


def with_sampling(
    data: PartlyGiven, sampling: Any, population: str, *, fixed: bool = False
) -> PartlyGiven:
    """The rows weighted by the inverse of their probabilities, which are one for each row."""
    rows, said = data.rows, []
    labelled, pool = rows.labelled, "fixed" if population == "pool" else ""
    probability = None
    if sampling is not None:
        pool = "poisson" if pool and not fixed else pool
        values = read_numbers("sampling", sampling)
        if values.shape == (len(data.places),):  # of labelled rows only
            probability = np.ones(len(labelled))
            probability[data.places] = values
        elif values.shape == labelled.shape:
            probability = np.where(labelled, values, 1.0)
        else:
            raise InvalidParameterError(
                f"sampling must have a probability for each of the {len(labelled)} rows, or of the "
                f"{len(data.places)} labelled ones, got an array of shape {values.shape}."
            )
        wrong = np.flatnonzero(~((probability > 0) & (probability <= 1)))
        if len(wrong):
            raise InvalidParameterError(
                f"sampling must be above 0 and at most 1 for each labelled row, got "
                f"{probability[wrong[0]]:g} in row {wrong[0]}."
            )
        mass = np.where(labelled, rows.weight / probability, 0.0)
        rows = replace(rows, mass=mass / mass.sum())
    elif labelled.all():
        raise InvalidParameterError(
            "population='pool' asks about these rows only, and all of them are labelled: their "
            "metric is known. Leave it out."
        )
    rows = replace(rows, probability=probability, pool=pool)
    if sampling is not None:
        said = [
            f"{len(data.places):,} labels drawn with known probabilities, "
            f"{rows.atoms.effective_rows:,.0f} effective rows"
        ]
        if rows.atoms.effective_rows < FEW_ROWS:
            said.append("this interval may be too narrow; more labels would help")
        if (most := float(rows.mass.max())) > _LARGE_SHARE:
            said.append(f"one row has {100 * most:.0f} % of the weight")
    return replace(data, rows=replace(rows, said=(*rows.said, *said)))


# --------------------------------------------------------------------------- a machine's labels


_DISAGREE = 10  # labelled rows, or groups, that differ from a proxy that is used
_GAIN = 0.95  # of the variance: a proxy that saves less is not used
_MOST_WEIGHT = 1.5
_MOST_LEVERAGE = 0.9
_SURE = 3.2905  # normal quantile of p = 0.001


def correct_by_proxy(
    reading: Reading, without: Correction, weight: float | None = None, *, leverage: bool = True
) -> Correction:
    """The corrected value and the contributions to its error, or those without the proxy.

    Tests pass a ``weight``, and contributions ``leverage=False``, centred among labelled rows and
    among others: those of a mean in other software.
    """
    rows, judge, parts = reading.rows, reading.judge, reading.parts
    assert judge is not None
    labelled = rows.labelled
    unit = np.nan_to_num(divide(judge, rows.weight))  # influence of a row by its weight
    centre = float((rows.mass * unit).sum())
    moved = np.where(labelled, rows.mass * (unit - centre), 0.0)
    size = float((moved**2).sum())
    times = weight
    if times is None:
        times = float(np.clip((parts * moved).sum() / size, 0.0, _MOST_WEIGHT)) if size else 0.0
    value = reading.value - times * centre
    kept = 1 - np.minimum(moved**2 / size, _MOST_LEVERAGE) if leverage and size else 1.0
    corrected = (parts - times * moved) / kept
    corrected = rows.of_pool(corrected) if rows.pool else corrected + times * judge
    if not leverage:
        for part in (labelled, ~labelled):
            corrected[part] -= corrected[part].mean() if part.any() else 0.0
    before, after = rows.variance(without.parts), rows.variance(corrected)
    n, differ = rows.atoms.n_rows, _disagreements(reading)
    worth = float(n * divide(before, after))
    units = "rows" if rows.design.group is None else "groups"
    counted = f"{n:,.0f} labels of {len(parts):,} rows"
    if weight is not None or (differ >= _DISAGREE and after < _GAIN * before):
        said = f"{counted}, worth {worth:,.0f} with this proxy ({differ:,.0f} {units} differ)"
        note = "; ".join(filter(None, [said, without.note]))
        of_all_rows = 0.0 if rows.pool else times**2 * rows.variance(judge)
        return Correction(value, corrected, True, note, True, without.is_weighted, of_all_rows)
    why = "it would not narrow the interval"
    if differ < _DISAGREE:
        why = f"{differ:.3g} labelled {units} differ from it, at least {_DISAGREE} are needed"
    note = "; ".join(filter(None, [f"proxy not used: {why}", counted, without.note]))
    return without._replace(note=note)


def _disagreements(reading: Reading) -> float:
    """Labelled rows that differ from the proxy; of groups, those with such a row."""
    differ, group = reading.differ, reading.rows.design.group
    assert differ is not None
    return float(differ.sum() if group is None else np.minimum(np.bincount(group, differ), 1).sum())


def with_judge(
    reading: Reading, settled: Metric, metric: Metric, data: PartlyGiven, proxy: Any
) -> Reading:
    """The reading with the metric of the proxy of all rows."""
    rows = data.rows
    n_rows = len(rows.labelled)
    if count_rows(proxy) != n_rows:
        raise InvalidParameterError(
            f"proxy must have a label or a probability for each of the {n_rows} rows of y_true, "
            f"got {count_rows(proxy)}."
        )
    missing = missing_rows(proxy) if len(getattr(proxy, "shape", (0,))) == 1 else np.zeros(1, bool)
    if missing.any():
        raise InvalidParameterError(
            f"proxy has no value in row {int(np.argmax(missing))}: it must have one for every row; "
            "leave out the rows that the machine did not see."
        )
    classes, codes = np.unique(read_column(data.labels, "y_true").labels, return_inverse=True)
    chances = _chances(proxy, classes, settled)
    if chances is None:
        judged = labels_of(proxy, np.ones(n_rows, dtype=bool))
        _, judge, _ = contributions_of(metric, judged, data.y_pred, rows.weight)
        found = np.asarray(read_column(judged, "proxy").labels)
        differ, columns = (found[data.places] != classes[codes]).astype(float), _marks(found)
    else:
        weight = rows.weight[:, None] * chances
        judge = soft_contributions(metric, classes, data.y_pred, weight)[1].sum(axis=0)
        differ, columns = 1 - chances[data.places, codes], chances
    apart = np.zeros(n_rows)
    apart[data.places] = differ
    if rows.probability is None:
        rows = replace(rows, said=(*rows.said, *_unlike(rows, columns)))
    return replace(reading, judge=judge, differ=apart, rows=rows)


def _chances(proxy: Any, classes: Array, metric: Metric) -> Array | None:
    """Probability of each class in each row, (N, K); None of a proxy of labels."""
    values = np.asarray(read_column(proxy, "proxy").labels)
    if values.ndim == 1 and (
        values.dtype.kind not in "fiub"
        or (classes.dtype.kind in "fiub" and np.isin(values, [0, 1, *classes.tolist()]).all())
    ):
        return None
    if not (values.min() >= 0 and values.max() <= 1) or (values.ndim == 1 and len(classes) != 2):
        if values.ndim == 1 and classes.dtype.kind in "fiub" and (values % 1 == 0).all():
            return None  # a class that no person found
        raise InvalidParameterError(
            f"proxy must hold labels like those of y_true, {classes.tolist()!r:.60}, or "
            f"probabilities in [0, 1]; it holds {values.min():g} to {values.max():g}."
        )
    if values.ndim == 1:
        chosen = metric.params.get("pos_label")
        positive = positive_class(classes.tolist(), chosen, what="proxy=", either=True)
        values = np.where(classes == positive, values[:, None], 1 - values[:, None])
    if values.shape[1] != len(classes):
        raise InvalidParameterError(
            f"proxy must have a column of probabilities for each class of y_true, "
            f"{classes.tolist()!r:.60}, got {values.shape[1]}."
        )
    return np.asarray(values, dtype=np.float64)


def _marks(labels: Array) -> Array:
    """Which label each row has, without the first one."""
    return np.asarray(labels[:, None] == np.unique(labels)[1:], dtype=np.float64)


def _unlike(rows: Any, columns: Array) -> list[str]:
    """A note if the proxy is surely other on labelled rows than on all rows."""
    n = np.count_nonzero(rows.labelled)
    if n == len(rows.labelled) or not columns.shape[1]:
        return []
    means = columns.mean(axis=0)
    share = np.where(rows.labelled, 1 / n, 0.0) - 1 / len(rows.labelled)
    parts = (columns - means).T * share
    z = [divide(each.sum(), np.sqrt(rows.variance(each))) for each in parts]
    k = int(np.argmax(np.abs(z)))
    if not np.abs(z[k]) > _SURE:
        return []
    own = columns[rows.labelled, k].mean()
    return [
        f"the labelled rows are not like the others: the proxy's mean is {own:.3g} there and "
        f"{means[k]:.3g} in all rows (p < 0.001); if they were chosen on purpose, pass sampling="
    ]

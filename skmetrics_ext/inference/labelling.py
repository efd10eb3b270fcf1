"""Rows of which only some have a true label, and what is known about the others.

A `Labelling` holds the arguments: a proxy, sampling probabilities, verified rows, another
population. It makes a `Reading` of any metric: the value on the labelled rows, and what each of all
rows contributes to it. Readings subtract, so that two models are compared like any two statistics
of the same rows. `Corrected` is the linearized statistic of a reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext.inference import notes
from skmetrics_ext.inference.anytime import ANYTIME
from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.linearized import Contributions, Linearized, linearize
from skmetrics_ext.inference.methods import Method, anytime_interval, methods_of
from skmetrics_ext.inference.scales import SCALES, Interval, quantile, scales_of
from skmetrics_ext.numeric import Array, divide, wilson_bounds
from skmetrics_ext.registry import Metric
from skmetrics_ext.tables import without_methods
from skmetrics_ext.validation import InvalidParameterError, check_option, check_weight
from skmetrics_ext.validation.containers import count_rows, missing_rows, take_params, take_rows
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_design
from skmetrics_ext.validation.labels import with_weight

Population = Literal["process", "pool"]
POPULATIONS = ("process", "pool")
_SCORES = {"wilson": "wilson", "dice": "wilson", "share of rows": "wilson", "score": "effective_n"}
NOT_NARROWER = "proxy not used: it would not narrow the interval"
OTHER_LABELS = (
    "These two estimates use different labels, proxies or sampling probabilities of the same rows: "
    "compute both with the same arguments."
)
_MOST_FREEDOM = 1e8  # as good as a normal quantile
_NAMES = (
    "pass proxy= (a machine's labels of all rows), sampling= (the probability with which each row "
    "was chosen to be labelled) or observed= (which rows were verified), or leave such rows out"
)


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
class Rows:
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
    rows : Rows
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
    rows: Rows
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
        return bool((a.labelled == b.labelled).all() and np.allclose(a.mass, b.mass))


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


def _correct(reading: Reading) -> Correction:
    rows = reading.rows
    parts, said = rows.of_pool(reading.parts), dict.fromkeys([*rows.said, *reading.said])
    is_plain = rows.probability is None and not rows.pool and reading.carriers is None
    note = "; ".join(said)
    without = Correction(reading.value, parts, not is_plain, note, is_weighted=not is_plain)
    if reading.judge is None:
        return without
    from skmetrics_ext.inference.proxies import correct_by_proxy

    return correct_by_proxy(reading, without)


# --------------------------------------------------------------------------- the statistic


@dataclass(frozen=True, eq=False)
class PartlyLabelled:
    """The sample of labelled rows, whose value is corrected by what is known of the others."""

    plain: Linearized
    value: float
    atoms: Atoms
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

    def methods(self, statistic: Any) -> dict[str, Method]:
        """Methods of the corrected value; where nothing is corrected, those of labelled rows."""
        if statistic.correction.used:
            own = dict.fromkeys((_scale_of(self.plain), "delta"), _interval)
            return {**own, ANYTIME: anytime_interval}
        return {name: partial(_of_plain, each) for name, each in methods_of(self.plain).items()}


@dataclass(frozen=True, eq=False)
class Corrected(Linearized):
    """The linearized statistic of a reading; differences are corrected as one statistic."""

    reading: Any = None
    correction: Any = None
    plain: Any = None
    is_of_counts = True  # squares without a factor n / (n - 1)

    @classmethod
    def of(cls, reading: Reading, plain: Linearized) -> Corrected:
        """The statistic of one metric; a proxy is used if the interval becomes narrower."""
        correction, atoms = _correct(reading), reading.rows.atoms

        def made(correction: Correction) -> Corrected:
            sample = PartlyLabelled(plain, correction.value, atoms)
            known = Contributions(correction.parts, atoms)
            held: Any = {"reading": reading, "correction": correction, "plain": plain}
            return cls(correction.value, sample, plain.bounds, known=known, **held)

        statistic = made(correction)
        if not correction.by_proxy:
            return statistic
        without = made(_correct(replace(reading, judge=None)))
        if _width(statistic) <= _width(without):
            return statistic
        note = "; ".join(filter(None, (NOT_NARROWER, without.correction.note)))
        return made(without.correction._replace(note=note))

    @cached_property
    def variance(self) -> Array:
        return np.asarray(super().variance + self.reading.shift**2)

    @cached_property
    def freedom(self) -> Array:
        """By the kurtosis of the contributions, and at most those of groups."""
        if not self.correction.used and self.plain is not None:
            return np.asarray(self.plain.freedom)
        rows, of_rows = self.reading.rows, float(self.variance) - self.reading.shift**2
        carriers = rows.labelled if self.reading.carriers is None else self.reading.carriers
        freedom = kurtosis_freedom(rows.units(self.influence, carriers))
        if not rows.design.is_plain:
            freedom = min(freedom, float(self._by_first_way[1]))
        return np.asarray(freedom * divide(float(self.variance), of_rows) ** 2)

    def on_log(self) -> Linearized:
        return self._of(self.reading.on_log(), log=True)

    def minus(self, other: Linearized) -> Linearized:
        if not (isinstance(other, Corrected) and self.reading.is_like(other.reading)):
            raise InvalidParameterError(OTHER_LABELS)
        width = np.inf if self.log else self.bounds[1] - self.bounds[0]
        reading, bounds = self.reading.minus(other.reading), (-width, width)
        return self._of(reading, origin=(self, other), bounds=bounds, plain=None)

    def _of(self, reading: Reading, **changes: Any) -> Corrected:
        correction = _correct(reading)
        known = Contributions(correction.parts, self.atoms)
        changes |= {"value": correction.value, "known": known}
        return replace(self, **changes, reading=reading, correction=correction)


def _width(statistic: Linearized) -> float:
    """Width of the default interval at 95 %; infinite if it leaves the range of the metric."""
    (name, compute), *_ = methods_of(statistic).items()
    with np.errstate(all="ignore"):
        low, high, *_ = compute(statistic, name, 0.95, PLAN)
    least, most = statistic.bounds
    inside = np.isfinite(high - low) and least <= low and high <= most
    return float(high - low) if inside else np.inf


def _scale_of(plain: Any) -> str:
    """The method for the scale on which the metric has its plain interval."""
    kind = plain.origin.kind
    if kind in ("hall", "log", "logit", "delta"):
        return str(kind)
    return _SCORES.get(kind) or scales_of(plain.bounds)[0]


def _interval(statistic: Any, method: str, level: Any, plan: DrawPlan) -> Interval:
    """The interval of a corrected value, on the scale of its metric."""
    value, error, (start, end) = statistic.value, statistic.error, statistic.bounds
    methods = methods_of(statistic.plain)
    name = next(iter(methods))
    plain = _of_plain(methods[name], statistic, name, level, plan)
    if not (error > notes.ROUNDING and start < value < end):
        return plain  # no spread
    t = quantile(level, statistic.freedom)
    if method == "hall":
        low, high, *_ = methods[method](statistic, method, level, plan)
    elif method in ("wilson", "effective_n"):
        share = np.asarray((value - start) / (end - start))
        rows = share * (1 - share) * ((end - start) / error) ** 2
        low, high = (start + (end - start) * bound for bound in wilson_bounds(share, rows, t))
    else:
        low, high = SCALES[method](np.asarray(value), error, t, statistic.bounds)
    return Interval(low, high, error, without_methods(str(plain.notes)))


def _of_plain(compute: Method, statistic: Any, method: str, level: Any, plan: DrawPlan) -> Interval:
    """The interval of the labelled rows, with what is known of the others."""
    found = compute(statistic.plain, method, level, plan)
    said = filter(None, (str(found.notes), statistic.correction.note))
    return found._replace(notes="; ".join(said))


# --------------------------------------------------------------------------- arguments


@dataclass(frozen=True, eq=False)
class Labelling:
    """What is known about the labels of rows, as the user gives it."""

    proxy: Any = None
    sampling: Any = None
    population: str = "process"
    fixed: bool = False

    @classmethod
    def of(cls, **given: Any) -> Labelling | None:
        """The arguments, or None if there are none; a plan gives its probabilities."""
        check_option("population", given["population"], POPULATIONS)
        others = [value for name, value in given.items() if name != "population"]
        if given["population"] == "process" and all(value is None for value in others):
            return None
        plan = given["sampling"]
        fixed, given["sampling"] = getattr(plan, "fixed", False), getattr(plan, "probability", plan)
        return cls(**given, fixed=fixed)

    @classmethod
    def taken_from(cls, params: dict[str, Any]) -> Labelling | None:
        """The arguments among those of a call, which keeps the others."""
        names = [item.name for item in fields(cls) if item.name != "fixed"]
        given = {name: params.pop(name, None) for name in names}
        return cls.of(**given | {"population": given["population"] or "process"})

    def select(self, rows: Array, n_rows: int) -> Labelling:
        """The same for some of the rows."""
        held = {item.name: getattr(self, item.name) for item in fields(self)}
        return replace(self, **take_params(held, n_rows, rows))

    def statistic(
        self,
        metric: Metric,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = None,
        groups: Any = None,
        strata: Any = None,
        weights_are: str = "importance",
    ) -> Linearized:
        """The statistic of a metric of these rows."""
        if not metric.spec.is_known:
            raise InvalidParameterError(_without_influence(metric.name))
        if weights_are != "importance":
            raise InvalidParameterError(
                "weights_are='frequency' counts rows, which cannot be told apart as labelled or "
                "not: repeat the rows instead."
            )
        data = PartlyGiven.read(y_true, y_pred, sample_weight, (groups, strata))
        data = self._drawn(data)
        plain, parts = data.of_labels(metric)
        reading = Reading(float(plain.value), parts, data.rows)
        if self.proxy is not None:
            from skmetrics_ext.inference.proxies import with_judge

            reading = with_judge(reading, plain.origin.metric, metric, data, self.proxy)
        return Corrected.of(reading, plain)

    def _drawn(self, data: PartlyGiven) -> PartlyGiven:
        """The rows with the way in which labels were drawn."""
        if self.sampling is None and self.population == "process":
            return data
        from skmetrics_ext.inference.sampling import with_sampling

        return with_sampling(data, self.sampling, self.population, fixed=self.fixed)


@dataclass(frozen=True, eq=False)
class PartlyGiven:
    """The arrays of a question, of which ``labels`` are those of labelled rows."""

    labels: Any
    y_pred: Any
    rows: Rows

    @classmethod
    def read(cls, y_true: Any, y_pred: Any, sample_weight: Any, design: Any) -> PartlyGiven:
        """Read the arrays; rows of weight 0 are left out."""
        n_rows = count_rows(y_true)
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
        if not labelled.any():
            raise InvalidParameterError(
                "y_true has no label: pass those of the rows that a person looked at."
            )
        mass = np.where(labelled, weight, 0.0)
        rows = Rows(
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
            raise InvalidParameterError(_without_influence(metric.name))
        parts = np.zeros(len(mass))
        parts[places] = statistic.by_row[0]
        return statistic, parts


def labels_of(y_true: Any, rows: Array) -> Any:
    """The labels of some rows, without the marks of missing ones."""
    kept = take_rows(y_true, np.flatnonzero(rows))
    if isinstance(kept, np.ma.MaskedArray):
        kept = kept.data
    if isinstance(kept, np.ndarray) and kept.dtype.kind == "O":
        kept = kept.tolist()
    values = np.asarray(kept) if isinstance(kept, list | np.ndarray) else None
    if values is not None and values.dtype.kind == "f" and (values % 1 == 0).all():
        return values.astype(np.int64)  # whole numbers are floats only for their missing ones
    return kept


def contributions_of(
    metric: Metric, y_true: Any, y_pred: Any, weight: Array
) -> tuple[float, Array, Any]:
    """Value, contribution of each row, and sample of a metric of weighted rows.

    Weights may be negative: the metric is a function of sums of weights.
    """
    settled, checked = readers.check_rows(metric, y_true, y_pred, None)
    data = with_weight(replace(checked, weight=weight, cache={}))
    sample = readers.sample_of(settled, data, RowDesign(weight=data.weight), np.nan)
    value = float(np.ravel(sample.statistic(sample.atoms.rows[None]))[0])
    statistic = linearize(replace(sample, value=value))
    parts = np.zeros(len(weight))
    parts[weight != 0] = statistic.by_row[0]
    return value, parts, statistic.origin


def _without_influence(name: str) -> str:
    return (
        f"{name} has no influence values of these rows, which estimates from some labels need: "
        "take confidence_interval of the labelled rows alone, method='bca'."
    )


@contextmanager
def naming_labelling(what: str = "Input y_true contains NaN") -> Iterator[None]:
    """Errors on missing true labels name the arguments that say what is known of them."""
    try:
        yield
    except ValueError as error:
        if what not in str(error):
            raise
        raise InvalidParameterError(f"{str(error).rstrip('.')}: {_NAMES}.") from error

"""Rows of which only some have a true label, and what is known about the others.

A `Labelling` holds the arguments: a proxy, sampling probabilities, verified rows, another
population. It makes a `Reading` of any metric: the value on the labelled rows, and what each of all
rows contributes to it. Readings subtract, so that two models are compared like any two statistics
of the same rows. `Corrected` is the linearized statistic of a reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from skmetrics_ext.inference import notes
from skmetrics_ext.inference.anytime import ANYTIME
from skmetrics_ext.inference.areas import AUC_METHODS, rows_of_area
from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.linearized import Contributions, Linearized, linearize
from skmetrics_ext.inference.methods import Method, anytime_interval, known_interval, methods_of
from skmetrics_ext.inference.partly_labelled import (
    Correction,
    PartlyGiven,
    PartlyLabelled,
    Reading,
    correct_by_proxy,
    kurtosis_freedom,
    with_judge,
    with_sampling,
    without_influence,
)
from skmetrics_ext.inference.populations import at_prevalence, of_verified, to_target
from skmetrics_ext.inference.scales import Interval, scales_of
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.tables import without_methods
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows, missing_rows, take_params

Population = Literal["process", "pool"]
POPULATIONS = ("process", "pool")
_SCALES = {kind: kind for kind in ("wilson", "hall", "log", "logit", "delta")}
_SCALES |= {"dice": "wilson", "share of rows": "wilson", "score": "effective_n"}
NOT_NARROWER = "proxy not used: it would not narrow the interval"
OTHER_LABELS = (
    "These two estimates use different labels, proxies or sampling probabilities of the same rows: "
    "compute both with the same arguments."
)
_RAREST = 20  # rows of the rarest class, at the first look
MISSING = "Input y_true contains NaN"
_NAMES = (
    "pass proxy= (a machine's labels of all rows), sampling= (the probability with which each row "
    "was chosen to be labelled) or observed= (which rows were verified), or leave such rows out"
)


def _correct(reading: Reading) -> Correction:
    rows = reading.rows
    parts, said = rows.of_pool(reading.parts), dict.fromkeys([*rows.said, *reading.said])
    is_plain = rows.probability is None and not rows.pool and reading.carriers is None
    note = "; ".join(said)
    without = Correction(reading.value, parts, not is_plain, note, is_weighted=not is_plain)
    if reading.judge is None:
        return without
    return correct_by_proxy(reading, without)


# --------------------------------------------------------------------------- the statistic


@dataclass(frozen=True, eq=False)
class Corrected(Linearized):
    """The linearized statistic of a reading; differences are corrected as one statistic."""

    reading: Any = None
    correction: Any = None
    plain: Any = None
    is_of_counts = True  # squares without a factor n / (n - 1)

    @classmethod
    def of(cls, plain: Linearized, reading: Reading) -> Corrected:
        """The statistic of one metric; a proxy is used if the interval becomes narrower."""
        correction, atoms = _correct(reading), reading.rows.atoms

        def made(correction: Correction) -> Corrected:
            sample = PartlyLabelled(plain, correction.value, atoms, _methods)
            known = Contributions(correction.parts, atoms)
            held: Any = {"reading": reading, "correction": correction, "plain": plain}
            return cls(correction.value, sample, plain.bounds, known=known, **held)

        statistic = made(correction)
        if not correction.by_proxy:
            return statistic
        without = made(_correct(replace(reading, judge=None)))
        if np.isfinite(width := _width(statistic)) and width <= _width(without):
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
        return self._of(reading, origin=[(self, other)], bounds=bounds, plain=None)

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


def _methods(statistic: Any) -> dict[str, Method]:
    """Methods of the corrected value; where nothing is corrected, those of labelled rows."""
    plain = statistic.plain
    of_plain: dict[str, Method] = {
        name: partial(_of_plain, each) for name, each in methods_of(plain).items()
    }
    if not statistic.correction.used:
        return of_plain
    none = {notes.NONE: of_plain[notes.NONE]} if notes.NONE in of_plain else {}
    return {**none, **dict.fromkeys((_scale_of(plain), "delta"), _interval), ANYTIME: _at_any_time}


def _at_any_time(statistic: Any, method: str, level: Any, plan: DrawPlan) -> Interval:
    """The interval that holds at every look, from some rows of the rarest class on."""
    if statistic.origin.fewest_rows >= _RAREST:
        return anytime_interval(statistic, method, level, plan)
    nan, few = np.full(np.shape(level), np.nan), statistic.origin.fewest_rows
    note = f"{few:.0f} rows of the smallest class are fewer than {_RAREST}, at which looks start"
    return Interval(nan, nan, statistic.error, note)


def _scale_of(plain: Any) -> str:
    """The method for the scale on which the metric has its plain interval."""
    return _SCALES.get(plain.origin.kind) or scales_of(plain.bounds)[0]


def _interval(statistic: Any, method: str, level: Any, plan: DrawPlan) -> Interval:
    """The interval of a corrected value, on the scale of its metric."""
    value, error, (start, end) = statistic.value, statistic.error, statistic.bounds
    methods = methods_of(statistic.plain)
    name = next(iter(methods))
    plain = _of_plain(methods[name], statistic, name, level, plan)
    if not (error > notes.ROUNDING and start < value < end):
        return plain  # no spread
    compute = methods[method] if method == "hall" else known_interval
    scale = "effective_n" if method == "wilson" else method
    low, high, *_ = compute(statistic, scale, level, plan)
    return Interval(low, high, error, without_methods(str(plain.notes)))


def _of_plain(compute: Method, statistic: Any, method: str, level: Any, plan: DrawPlan) -> Interval:
    """The interval of the labelled rows, with what is known of the others."""
    plain = rows_of_area(statistic.plain) if method in AUC_METHODS else statistic.plain
    found = compute(plain, method, level, plan)
    said = filter(None, (str(found.notes), statistic.correction.note))
    return found._replace(notes="; ".join(said))


# --------------------------------------------------------------------------- arguments


@dataclass(frozen=True, eq=False)
class Labelling:
    """What is known about the labels of rows, as the user gives it.

    ``responses`` are those of all models of a comparison, which verification may depend on.
    """

    proxy: Any = None
    sampling: Any = None
    population: str = "process"
    observed: Any = None
    X: Any = None
    target: Any = None
    target_weight: Any = None
    prevalence: Any = None
    fixed: bool = False
    planned: tuple[str, ...] = ()
    responses: Any = None

    @classmethod
    def of(cls, **given: Any) -> Labelling | None:
        """The arguments, or None if there are none; a plan gives its probabilities."""
        n_missing = list(map(type, given.values())).count(type(None))
        if given["population"] == "process" and n_missing == len(given) - 1:
            return None
        check_option("population", given["population"], POPULATIONS)
        for name in ("proxy", "sampling", "observed", "target_weight"):
            _check_column(name, getattr(given.get(name), "probability", given.get(name)))
        plan = given["sampling"]
        fixed, given["sampling"] = getattr(plan, "fixed", False), getattr(plan, "probability", plan)
        return cls(**given, fixed=fixed, planned=getattr(plan, "metrics", ()))

    @classmethod
    def taken_from(cls, params: dict[str, Any]) -> Labelling | None:
        """The arguments among those of a call, which keeps the others."""
        if params.keys().isdisjoint(LABELLING):
            return None
        given = {name: params.pop(name, None) for name in LABELLING}
        return cls.of(**given | {"population": given["population"] or "process"})

    def select(self, rows: Array, n_rows: int) -> Labelling:
        """The same for some of the rows."""
        names = "proxy", "sampling", "observed", "X", "target_weight"
        held = {name: getattr(self, name) for name in names}
        if isinstance(self.X, Mapping):
            held["X"] = take_params(self.X, n_rows, rows)
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
        self._check()
        known = self.prevalence is not None and not hasattr(self.prevalence, "standard_error")
        if known and metric.takes("prevalence"):  # a parameter of the metric
            metric = metric.with_params(prevalence=self.prevalence)
            design = sample_weight, groups, strata, weights_are
            return linearize(readers.sample_of_rows(metric, y_true, y_pred, *design))
        if not metric.spec.is_known:
            raise InvalidParameterError(without_influence(metric.name))
        if weights_are != "importance":
            raise InvalidParameterError(
                "weights_are='frequency' counts rows, which cannot be told apart as labelled or "
                "not: repeat the rows instead."
            )
        both = groups, strata
        data = PartlyGiven.read(y_true, y_pred, sample_weight, both, self.observed)
        explained = self.proxy, self.sampling, self.observed
        if all(each is None for each in explained) and self.population == "process":
            self._refuse_missing(y_true)
        if self.sampling is not None or self.population != "process":
            data = with_sampling(data, self.sampling, self.population, fixed=self.fixed)
        if self.prevalence is not None:
            return Corrected.of(*at_prevalence(metric, data, self.prevalence))
        if self.target is not None or self.target_weight is not None:
            data = to_target(data, self.X, self.target, self.target_weight)
        if self.observed is not None and self.sampling is None:
            found = of_verified(metric, data, self.X, self.responses or (y_pred,))
            return found if isinstance(found, Linearized) else Corrected.of(*found)
        plain, parts = data.of_labels(metric)
        reading = Reading(float(plain.value), parts, data.rows)
        if self.planned and all(find(name).spec is not metric.spec for name in self.planned):
            said = f"planned for {' and '.join(self.planned)}: {notes.MAY_MISS}"
            reading = replace(reading, said=(said,))
        if self.proxy is not None:
            reading = with_judge(reading, plain.origin.metric, metric, data, self.proxy)
        return Corrected.of(plain, reading)

    def _refuse_missing(self, y_true: Any) -> None:
        """Refuse missing labels of which nothing is said."""
        if (missing := missing_rows(y_true)).any():
            row = int(np.argmax(missing))
            raise InvalidParameterError(f"{MISSING}. The first is in row {row}: {_NAMES}.")

    def _check(self) -> None:
        """Refuse arguments that answer different questions."""
        whole = ("proxy", "observed", "target", "target_weight", "prevalence")
        given = [name for name in whole if getattr(self, name) is not None]
        if len(given) > 1:
            raise InvalidParameterError(
                f"{' and '.join(given)} are given: they answer different questions; pass one."
            )
        alone = {"X": ("observed", "target"), "sampling": ("proxy", "observed")}
        for name, others in alone.items():
            is_known = given[0] in others if given else name == "sampling"
            if getattr(self, name) is not None and not is_known:
                raise InvalidParameterError(f"{name}= goes with {' or '.join(others)}= only.")


LABELLING = tuple(item.name for item in fields(Labelling)[:-3])
# Arguments of a call on one metric or two models that apply to several, too.
OF_SEVERAL = ("sample_weight", "groups", "threshold", "confidence_level", *LABELLING)


def _check_column(name: str, data: Any) -> None:
    """Refuse what has no value for each row."""
    try:
        if data is None or (count_rows(data) and missing_rows(data).ndim):
            return
    except Exception:  # an object may raise anything
        pass
    raise InvalidParameterError(
        f"{name} must have a value for each row, got {type(data).__name__}: {data!r:.60}."
    )


@contextmanager
def naming_labelling(what: str = MISSING, advice: str = _NAMES) -> Iterator[None]:
    """Errors on missing true labels name the arguments that say what is known of them."""
    try:
        yield
    except ValueError as error:
        if what not in str(error):
            raise
        raise InvalidParameterError(f"{str(error).rstrip('.')}: {advice}.") from error

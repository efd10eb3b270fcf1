"""What a threshold is chosen by, read from its counts."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.public import check_share
from skmetrics_ext.metrics.rankings.ranking_kernels import ROUNDING
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import METRICS, Metric, find, scorers
from skmetrics_ext.registry.find import familiar_name
from skmetrics_ext.tallies import Counts, ThresholdTally
from skmetrics_ext.validation import InvalidParameterError

Reader = Callable[[Counts], Array]
# Those that are asked for most; the name of any metric of counts is one.
Choice = (
    Literal["youden", "closest_topleft", "expected_cost", "net_benefit", "f1", "f1_macro"]
    | Literal["accuracy", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa"]
    | str
    | Callable[..., Any]
)
COST = "expected_cost"
_WITH_COSTS = (COST, "net_benefit")
RULES = ("youden", "closest_topleft", *_WITH_COSTS)
_COMPARISONS = {">=": operator.ge, "<=": operator.le}
_CLASSES = np.array([0, 1])  # negative, positive
_CELLS = ("tp", "fp", "fn", "tn")


class Share(NamedTuple):
    """A share of rows times a factor: ``factor * cell / (cell + others)``, cells of `Counts`."""

    factor: float
    cell: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """A number read from the counts of the positive class at every threshold, nan where 0/0.

    ``sides``: whether it is of "one" class, or the same whichever is positive. ``shares``: those
    whose sum it is; none where it is another function of the counts.
    """

    name: str
    read: Reader
    sign: int = 1
    sides: str = "one"
    shares: tuple[Share, ...] = ()

    def values(self, counts: Counts, prevalence: float | None) -> Array:
        """One value per threshold, in a population of this prevalence."""
        if prevalence is not None:
            counts = at_prevalence(counts, prevalence)
        values = np.asarray(self.read(counts))
        if values.dtype.kind not in "biuf":
            raise InvalidParameterError(
                f"{self.name} must give real numbers, got dtype {values.dtype}."
            )
        values = values.astype(np.float64, copy=False)
        if values.shape != counts.tp.shape:
            raise InvalidParameterError(
                f"{self.name} must give one value per threshold, an array of shape "
                f"{counts.tp.shape} like counts.tp; got shape {values.shape}."
            )
        return values


@dataclass(frozen=True, slots=True)
class Constraint:
    """A bound on another number of the same counts; nan does not keep it."""

    criterion: Criterion
    comparison: str
    bound: float

    def kept(self, values: Array) -> Array:
        """Whether each value keeps the bound, a rounding error beyond it included."""
        slack = ROUNDING * abs(self.bound) * (-1 if self.comparison == ">=" else 1)
        return np.asarray(_COMPARISONS[self.comparison](values, self.bound + slack))

    def nearest(self, values: Array) -> int:
        """Position of the value nearest to keeping it; -1 where none is defined."""
        if np.isnan(values).all():
            return -1
        return int(np.nanargmax(values) if self.comparison == ">=" else np.nanargmin(values))

    def __str__(self) -> str:
        return f"{self.criterion.name} {self.comparison} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Objective:
    """All that decides between thresholds."""

    criterion: Criterion
    constraints: tuple[Constraint, ...]
    prevalence: float | None

    @classmethod
    def make(cls, criterion: Any, constraint: Any, cost: Any, prevalence: Any) -> Objective:
        """Read the arguments of the public functions."""
        share = _read_prevalence(prevalence)
        costs = _read_cost(cost)
        constraints = _read_constraints(constraint, costs, share)
        if isinstance(criterion, str) and criterion in RULES:
            return cls(_rule("criterion", criterion, costs, share), constraints, share)
        if costs is not None and not any(one.criterion.name in RULES for one in constraints):
            raise InvalidParameterError(
                f"cost={cost!r} has no part in criterion={_name_of(criterion)!r}; it belongs to "
                f"{', '.join(map(repr, RULES))}."
            )
        chosen = resolve("criterion", criterion)
        if chosen.sign == 0:
            raise InvalidParameterError(
                f"criterion={chosen.name!r} describes predictions and does not judge them: "
                "neither a large nor a small value is better. It may stand in a constraint."
            )
        return cls(chosen, constraints, share)

    @property
    def sides(self) -> str:
        """Whether it is of "one" class, or the same whichever is positive."""
        bounded = any(one.criterion.sides == "one" for one in self.constraints)
        of_one = bounded or self.prevalence is not None
        return "one" if of_one else self.criterion.sides

    @property
    def metric(self) -> Metric | None:
        """The metric of labels that the criterion is; None for costs, corners and callables."""
        read = self.criterion.read
        if self.prevalence is not None:
            return None
        if isinstance(read, _Reader):
            return read.metric
        name = familiar_name(self.criterion.name)  # of a rule without costs
        of_either = name is not None and self.criterion.sides == "either"
        return find(name).settled(_CLASSES.tolist()) if of_either else None

    def values(self, counts: Counts) -> Array:
        return self.criterion.values(counts, self.prevalence)

    def bounded(self, counts: Counts) -> list[Array]:
        """Values of what each constraint bounds."""
        return [one.criterion.values(counts, self.prevalence) for one in self.constraints]

    def kept(self, bounded: Iterable[Array]) -> Array:
        """Whether such values keep all constraints."""
        pairs = zip(self.constraints, bounded, strict=True)
        return np.logical_and.reduce([one.kept(values) for one, values in pairs])

    @property
    def constrained(self) -> str:
        """The constraints in words."""
        return " and ".join(map(str, self.constraints))


def at_prevalence(counts: Counts, prevalence: float) -> Counts:
    """Counts per row of a population with the same rates and another share of positives."""
    tp, fn = (prevalence * divide(part, counts.true) for part in (counts.tp, counts.fn))
    negative = counts.tn + counts.fp
    fp, tn = ((1 - prevalence) * divide(part, negative) for part in (counts.fp, counts.tn))
    return Counts(tp, fp, fn, tn)


# --------------------------------------------------------------------------- criteria by name


def resolve(argument: str, given: Any) -> Criterion:
    """The criterion of a registered name, a registered function, or a callable on counts.

    ``sign`` is 1 where greater is better, -1 where smaller is, and 0 where neither.
    """
    name = familiar_name(given) or given if isinstance(given, str) else given
    metric = find(given) if callable(given) else _named(argument, name)
    if metric.row is None:
        return Criterion(_name_of(given), given)
    row = metric.spec
    missing = [key for key in row.params if key not in metric.params or name in METRICS]
    if missing:
        raise InvalidParameterError(
            f"{argument}={row.name} needs {', '.join(missing)}: pass a callable on Counts, or the "
            f"name of a scorer such as {next(iter(row.scorers))!r}."
        )
    if row.response != "labels":
        raise InvalidParameterError(
            f"{_expected(argument)}; {metric.name!r} is not a metric of counts."
        )
    if row.numeric_labels:
        raise InvalidParameterError(
            f"{argument}={metric.name!r} reads labels as numbers, which counts do not tell."
        )
    if row.is_table or metric.options.get("average", "") in (None, "samples"):
        raise InvalidParameterError(
            f"{argument}={metric.name!r} has no single value at a threshold."
        )
    for said in ("labels", "pos_label"):
        if said in metric.params:
            raise InvalidParameterError(
                f"{argument}={metric.name!r} brings {said} of its own: say beside {argument} which "
                "class the scores are of."
            )
    sign = {True: 1, False: -1, None: 0}[row.greater_is_better]
    negated = isinstance(given, str) and name not in METRICS and name in scorers() and sign < 0
    label = name if isinstance(name, str) else row.name
    reader = _Reader(metric, negated)
    of_one = metric.sides == "one" and len(row.shares) == 1 and not callable(row.shares)
    shares = [
        Share(-1.0 if negated else 1.0, cell, (other,)) for cell, other in row.shares * of_one
    ]
    return Criterion(label, reader, 1 if negated else sign, metric.sides, tuple(shares))


def _named(argument: str, name: Any) -> Metric:
    for candidate in (name, f"{name}_score"):
        try:
            return find(candidate)
        except InvalidParameterError:
            continue
    near = difflib.get_close_matches(str(name), [*scorers(), *RULES], n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise InvalidParameterError(f"{_expected(argument)}; got {name!r}.{hint}")


def _expected(argument: str) -> str:
    return (
        f"{argument} has to be {', '.join(map(repr, RULES))}, the name of a metric of counts such "
        "as 'f1' or 'balanced_accuracy', or a callable on Counts"
    )


class _Reader:
    """A registered metric of two classes at every threshold; nan where it is 0/0 altogether."""

    def __init__(self, metric: Metric, negated: bool) -> None:
        self._metric = metric.undefined_as_nan.settled(_CLASSES.tolist())
        self._sign = -1 if negated else 1

    @property
    def metric(self) -> Metric | None:
        """The metric itself, if the criterion is not its negative."""
        return self._metric if self._sign == 1 else None

    def __call__(self, counts: Counts) -> Array:
        return self._sign * self._metric.read(ThresholdTally(_CLASSES, counts))


# --------------------------------------------------------------------------- rules with costs


def _rule(
    argument: str, name: str, costs: tuple[float, float] | None, prevalence: float | None
) -> Criterion:
    if name in _WITH_COSTS:
        if costs is None:
            raise InvalidParameterError(
                f"{argument}={name!r} needs cost=(false positive, false negative)."
            )
        if name == COST:
            sign, factors = -1, {"fp": costs[0], "fn": costs[1]}
        else:
            sign, factors = 1, {"tp": 1.0, "fp": -costs[0] / costs[1]}
        shares = tuple(
            Share(factor, cell, tuple(other for other in _CELLS if other != cell))
            for cell, factor in factors.items()
        )
        return Criterion(name, partial(_sum_of_shares, factors=factors), sign, "one", shares)
    plain = costs is None and prevalence is None
    rule, sign = (_youden, 1) if name == "youden" else (_distance_to_corner, -1)
    read = partial(rule, costs=None if plain else costs or (1.0, 1.0))
    return Criterion(name, read, sign, "either" if plain else "one")


def _specificity_weight(counts: Counts, costs: tuple[float, float] | None) -> Any:
    """(1 - prevalence) / (cost ratio prevalence): worth of specificity in units of sensitivity."""
    if costs is None:
        return 1.0
    return divide(costs[0] * (counts.tn + counts.fp), costs[1] * counts.true)


def _youden(counts: Counts, costs: tuple[float, float] | None) -> Array:
    weight = _specificity_weight(counts, costs)
    return (rates.recall(counts) + weight * rates.specificity(counts)) - 1


def _distance_to_corner(counts: Counts, costs: tuple[float, float] | None) -> Array:
    missed, alarms = rates.false_negative(counts), rates.false_positive(counts)
    return np.asarray(missed**2 + _specificity_weight(counts, costs) * alarms**2)


def _sum_of_shares(counts: Counts, factors: Mapping[str, float]) -> Array:
    (one, first), (two, second) = factors.items()
    return divide(first * getattr(counts, one) + second * getattr(counts, two), counts.total)


# --------------------------------------------------------------------------- arguments


def _read_prevalence(prevalence: Any) -> float | None:
    if prevalence is None:
        return None
    share = check_share("prevalence", prevalence)
    if share in (0, 1):
        raise InvalidParameterError(
            f"prevalence has to lie between 0 and 1, got {prevalence!r}: both classes must occur."
        )
    return share


def _read_cost(cost: Any) -> tuple[float, float] | None:
    if cost is None:
        return None
    try:
        false_positive, false_negative = (float(part) for part in cost)
    except (TypeError, ValueError):
        false_positive = false_negative = np.nan
    if not (0 <= false_positive < np.inf and 0 < false_negative < np.inf):
        raise InvalidParameterError(
            "cost has to be (cost of a false positive, cost of a false negative), finite, the "
            f"first not negative and the second above 0; got {cost!r}."
        )
    return false_positive, false_negative


def _read_constraints(
    constraint: Any, costs: tuple[float, float] | None, prevalence: float | None
) -> tuple[Constraint, ...]:
    """One constraint, or several in a list; none for None."""
    if constraint is None:
        return ()
    listed = constraint if isinstance(constraint, list | tuple) else ()
    if listed and isinstance(listed[0], list | tuple):
        return tuple(_read_constraint(one, costs, prevalence) for one in listed)
    return (_read_constraint(constraint, costs, prevalence),)


def _read_constraint(
    constraint: Any, costs: tuple[float, float] | None, prevalence: float | None
) -> Constraint:
    try:
        name, comparison, bound = constraint
        bound = float(bound)
        valid = comparison in _COMPARISONS and not np.isnan(bound)
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise InvalidParameterError(
            "constraint has to be (metric, '>=' or '<=', number), such as "
            f"('precision', '>=', 0.9); got {constraint!r}."
        )
    if isinstance(name, str) and name in RULES:
        return Constraint(_rule("constraint", name, costs, prevalence), comparison, bound)
    return Constraint(resolve("constraint", name), comparison, bound)


def _name_of(criterion: Any) -> str:
    return criterion if isinstance(criterion, str) else getattr(criterion, "__name__", "criterion")

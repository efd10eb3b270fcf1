"""Statistics that are closed under arithmetic: what estimates are made of.

An estimate is a `Leaf` (one metric of some rows), or is made of leaves: `Linear`, a sum with
coefficients; `Mapped`, a monotone function of one statistic; `Missing`, a statistic that does not
exist, with the reason. Every operation returns one of them, and ``answers.py`` gives any of them
its interval and its test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.scales import Range
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError

_NAN = float("nan")
CLOSE = 1e-9  # coefficients that differ by less are equal
_LEAST = 1e-12  # coefficients below it are 0
FIRST_ORDER = "to first order (delta method): the statistic may be 0 or negative"
OTHER_FOLDS = (
    "an interval over folds speaks of other training sets, and is combined with values of the same "
    "folds only: use summary('cv') for the fitted models"
)
_STEP = 1e-6  # of central differences, relative


class Function(NamedTuple):
    """A monotone function with its derivative and its inverse."""

    of: Callable[[Any], Any]
    slope: Callable[[float], float]
    inverse: Callable[[Any], Any]


FUNCTIONS = {
    "log": Function(np.log, lambda x: 1 / x, np.exp),
    "exp": Function(np.exp, np.exp, np.log),
    "sqrt": Function(np.sqrt, lambda x: 0.5 / np.sqrt(x), np.square),
    "square": Function(np.square, lambda x: 2 * x, np.sqrt),
    "reciprocal": Function(np.reciprocal, lambda x: -1 / x**2, np.reciprocal),
}
_INVERSES = {("exp", "log"), ("log", "exp")}


# --------------------------------------------------------------------------- the types


class Expression:
    """A statistic of rows: its value, its range, and the leaves that it is made of."""

    value: float
    bounds: Range

    @property
    def key(self) -> Any:
        """Equal for equal statistics."""
        return id(self)

    def operands(self) -> dict[Leaf, float]:
        """The derivative of the value by each leaf."""
        raise NotImplementedError

    def draw(self, values: dict[Leaf, Array]) -> Array:
        """The statistic of drawn values of the leaves."""
        raise NotImplementedError

    def text(self) -> str:
        """How readers know it."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Leaf(Expression):
    """One metric of some rows.

    Parameters
    ----------
    value : float
    metric : Metric
    read : callable
        Returns the linearized statistic, from rows that are held by reference.
    rows : str, ndarray or None
        Name, or identities, of the rows, as the user gave them.
    source : object
        The call, or the data set, whose leaves have the same rows, or numbers of rows.
    name : str
        Of the model.
    bounds : (float, float)
        Range of the metric.
    """

    value: float
    metric: Metric
    read: Callable[[], Linearized]
    rows: Any = None
    source: Any = None
    name: str = ""
    bounds: Range = (-np.inf, np.inf)

    def operands(self) -> dict[Leaf, float]:
        return {self: 1.0}

    def draw(self, values: dict[Leaf, Array]) -> Array:
        return values[self]

    def text(self) -> str:
        return f"{self.name}/{self.metric.name}" if self.name else self.metric.name


def no_rows() -> Linearized:
    """What a statistic without rows of its own cannot answer."""
    raise InvalidParameterError(OTHER_FOLDS)


@dataclass(frozen=True, eq=False)
class Folds(Leaf):
    """A metric on the folds of one cross-validation, the ``source``.

    Its interval speaks of models trained on other samples, so that it is combined with values of
    the same folds only.

    Parameters
    ----------
    by_fold : mapping of int to (float, float, float)
        Of each fold on which the metric is defined, its value and the numbers of training and of
        test rows, or groups.
    """

    by_fold: Mapping[int, tuple[float, float, float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Linear(Expression):
    """A sum of statistics with coefficients, plus a number; made by `linear`."""

    terms: tuple[tuple[float, Expression], ...]
    offset: float = 0.0
    note: str = ""

    @cached_property
    def value(self) -> float:  # type: ignore[override]
        """The sum of the values."""
        parts = [factor * float(term.value) for factor, term in self.terms]
        return float(sum(parts[1:], parts[0]) if parts else 0.0) + self.offset

    @property
    def bounds(self) -> Range:  # type: ignore[override]
        """Sum of the ranges; of a function to first order it is unknown."""
        if self.note:
            return -np.inf, np.inf
        ends = np.array([sorted(f * end for end in term.bounds) for f, term in self.terms])
        low, high = ends.sum(axis=0) + self.offset if len(ends) else (self.offset, self.offset)
        return float(low), float(high)

    @property
    def key(self) -> Any:
        parts = sorted((str(term.key), factor) for factor, term in self.terms)
        return "linear", tuple(parts), self.offset

    def operands(self) -> dict[Leaf, float]:
        found: dict[Leaf, float] = {}
        for factor, term in self.terms:
            for leaf, slope in term.operands().items():
                found[leaf] = found.get(leaf, 0.0) + factor * slope
        return found

    def draw(self, values: dict[Leaf, Array]) -> Array:
        return np.asarray(sum(f * term.draw(values) for f, term in self.terms) + self.offset)

    def text(self) -> str:
        parts = []
        for factor, term in self.terms:
            size = "" if abs(abs(factor) - 1) < CLOSE else f"{abs(factor):.4g} * "
            parts.append(f"{'-' if factor < 0 else '+'} {size}{term.text()}")
        if self.offset:
            parts.append(f"{'-' if self.offset < 0 else '+'} {abs(self.offset):.4g}")
        shown = " ".join(parts).removeprefix("+ ")
        return "-" + shown[2:] if shown.startswith("- ") else shown or f"{self.offset:.4g}"


@dataclass(frozen=True, eq=False)
class Mapped(Expression):
    """A monotone function of a statistic; made by `mapped`."""

    operand: Expression
    name: str | Callable[[Any], Any]

    @cached_property
    def function(self) -> Function:
        """The function; of one of the user's the slope is a central difference."""
        if isinstance(self.name, str):
            return FUNCTIONS[self.name]
        of = self.name

        def slope(x: float) -> float:
            step = _STEP * max(abs(x), 1.0)
            return float((of(x + step) - of(x - step)) / (2 * step))

        def inverse(y: float) -> float:
            from scipy.optimize import brentq

            low, high = np.clip(self.operand.bounds, -1e6, 1e6)
            try:
                return float(brentq(lambda x: of(x) - y, low, high))
            except ValueError:
                return _NAN

        return Function(of, slope, inverse)

    @cached_property
    def value(self) -> float:  # type: ignore[override]
        """The function of the value."""
        with np.errstate(all="ignore"):
            return float(self.function.of(self.operand.value))

    @property
    def bounds(self) -> Range:  # type: ignore[override]
        """The function of the range."""
        with np.errstate(all="ignore"):
            low, high = sorted(float(self.function.of(end)) for end in self.operand.bounds)
        return low, high

    @property
    def key(self) -> Any:
        return "mapped", self.name, self.operand.key

    @property
    def label(self) -> str:
        """Name of the function."""
        return self.name if isinstance(self.name, str) else getattr(self.name, "__name__", "f")

    def operands(self) -> dict[Leaf, float]:
        slope = float(self.function.slope(self.operand.value))
        return {leaf: slope * each for leaf, each in self.operand.operands().items()}

    def draw(self, values: dict[Leaf, Array]) -> Array:
        return np.asarray(self.function.of(self.operand.draw(values)))

    def text(self) -> str:
        inner, name = self.operand, self.name
        if name == "exp" and isinstance(inner, Linear) and not inner.offset:
            logs = [(f, t) for f, t in inner.terms if isinstance(t, Mapped) and t.name == "log"]
            if len(logs) == len(inner.terms) and all(abs(f) == 1 for f, _ in logs):
                above = [t.operand.text() for f, t in logs if f > 0] or ["1"]
                below = [t.operand.text() for f, t in logs if f < 0]
                return " / ".join([" * ".join(above), *below])
        return f"{self.label}({inner.text()})"


@dataclass(frozen=True, eq=False)
class Missing(Expression):
    """A statistic that does not exist; any sum with it is it."""

    reason: str
    value: float = _NAN
    bounds: Range = (-np.inf, np.inf)

    def operands(self) -> dict[Leaf, float]:
        return {}

    def draw(self, values: dict[Leaf, Array]) -> Array:
        return np.asarray(_NAN)

    def text(self) -> str:
        return "missing"


class Made(NamedTuple):
    """How a result was made, so that it can be computed with, or asked again."""

    expression: Expression
    plan: DrawPlan = PLAN
    method: str = "auto"
    claim: Claim | None = None


# --------------------------------------------------------------------------- operations


def linear(*terms: tuple[float, Expression], offset: float = 0.0, note: str = "") -> Expression:
    """A sum of statistics: nested sums are flattened, equal statistics added up."""
    found: dict[Any, tuple[float, Expression]] = {}
    said = [note] if note else []
    for factor, term in terms:
        if isinstance(term, Missing):
            return term
        inner = term.terms if isinstance(term, Linear) else ((1.0, term),)
        if isinstance(term, Linear):
            offset += factor * term.offset
            said += [term.note] if term.note else []
        for own, part in inner:
            sum_of, _ = found.get(part.key, (0.0, part))
            found[part.key] = sum_of + factor * own, part
    kept = [(factor, part) for factor, part in found.values() if abs(factor) > _LEAST]
    offset = 0.0 if abs(offset) < _LEAST else offset
    if len(kept) == 1 and abs(kept[0][0] - 1) < CLOSE and not offset:
        return kept[0][1]
    return Linear(tuple(kept), offset, "; ".join(dict.fromkeys(said)))


def mapped(operand: Expression, name: str | Callable[[Any], Any]) -> Expression:
    """A monotone function of a statistic; a logarithm and an exponential cancel."""
    if isinstance(operand, Missing):
        return operand
    if isinstance(operand, Mapped) and (name, operand.name) in _INVERSES:
        return operand.operand
    return Mapped(operand, name)


def product(*powers: tuple[float, Expression]) -> Expression:
    """A product of powers: on the log scale if all factors are positive, else to first order."""
    for _, factor in powers:
        if isinstance(factor, Missing):
            return factor
    if all(factor.bounds[0] >= 0 and factor.value > 0 for _, factor in powers):
        return mapped(linear(*((p, mapped(factor, "log")) for p, factor in powers)), "exp")
    with np.errstate(all="ignore"):
        values = np.array([factor.value for _, factor in powers])
        exponents = np.array([power for power, _ in powers])
        value = float(np.prod(values**exponents))
        others = [np.prod(np.delete(values**exponents, i)) for i in range(len(powers))]
        slopes = exponents * values ** (exponents - 1) * others
    if not np.isfinite([value, *slopes]).all():
        return Missing("a division by 0")
    return to_first_order(value, list(zip(slopes, (factor for _, factor in powers), strict=True)))


def to_first_order(value: float, terms: Sequence[tuple[float, Expression]]) -> Expression:
    """A smooth function of statistics by its derivatives (delta method)."""
    at_value = sum(float(slope) * float(term.value) for slope, term in terms)
    parts = ((float(slope), term) for slope, term in terms)
    return linear(*parts, offset=value - at_value, note=FIRST_ORDER)

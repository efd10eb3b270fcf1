"""Statistics that are closed under arithmetic: what estimates are made of.

An estimate is a `Leaf` (one metric of some rows), or is made of leaves: `Linear`, a sum with
coefficients; `Mapped`, a monotone function of one statistic; `Missing`, a statistic that does not
exist, with the reason. Every operation returns one of them, and ``answers.py`` gives any of them
its interval and its test.

An estimate holds the arrays of its call by reference and no number for each row: its statistic is
read again when it is computed with. Equal true labels in the same order, groups, strata and
frequencies are taken as the same rows, as pROC does. A pair taken wrongly costs little: the
contributions of unrelated rows have no covariance within a class. A pair that is missed makes the
interval several times as wide. ``rows=`` decides either way.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.labelling import Labelling, naming_labelling
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.scales import Range
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_column

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
            key = part.key
            found[key] = found.get(key, (0.0, part))[0] + factor * own, part
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


# --------------------------------------------------------------------------- rows of leaves

_CHECKED = 4096  # numbers of each array in a checksum
_OF_SUMS = (
    "these estimates hold sums, not rows, so it is unknown which rows they share: pass rows= with "
    "the name of the rows to each"
)
_WITHOUT_LABELS = (
    "an estimate of contributions has no labels by which its rows are recognised: pass rows= with "
    "the name of the rows to both"
)
_ONE_EVALUATION = (
    "two estimates of one evaluation of sums cannot be subtracted: sums do not show how they vary "
    "together. Compute them from rows."
)
_ONE_OF_SEVERAL = "one of several values of this metric is not computed with: ask for an average"


class Separate:
    """The name of rows that are those of no other estimate."""


@dataclass(frozen=True, eq=False)
class Given:
    """The arguments of a call, by reference, from which a statistic is read again.

    ``checksum`` is that of the rows when they were read first, and ``place`` that of one of several
    values.
    """

    metric: Metric
    y_true: Any
    y_pred: Any
    sample_weight: Any = None
    groups: Any = None
    strata: Any = None
    weights_are: str = "importance"
    labelling: Labelling | None = None
    checksum: int = 0
    place: int | None = None

    def statistic(self) -> Linearized:
        """The statistic of the rows."""
        design = self.sample_weight, self.groups, self.strata, self.weights_are
        rows = self.metric, self.y_true, self.y_pred, *design
        if self.labelling is not None:
            return self.labelling.statistic(*rows)
        with naming_labelling():
            return linearize(readers.sample_of_rows(*rows))

    def __call__(self) -> Linearized:
        """The statistic, read again; an error if its arrays were changed."""
        statistic = value_of(self.statistic(), self.place)
        assert isinstance(statistic, Linearized)
        if checksum_of(statistic) != self.checksum:
            raise InvalidParameterError(
                f"the arrays of this {self.metric.name} have changed since it was computed: "
                "compute it again, or pass copies."
            )
        return statistic


def leaf_of(given: Given, statistic: Linearized, **identity: Any) -> Leaf:
    """The leaf of a statistic, whose arguments are held by reference."""
    given = replace(given, checksum=checksum_of(statistic))
    rows = identity.pop("rows", None)
    if rows is not None and not isinstance(rows, Separate):
        rows = read_identities(rows, statistic, given.sample_weight)
    sample = statistic.origin
    value = np.nan if statistic.undefined else float(statistic.value)
    return Leaf(value, sample.metric, given, rows, bounds=statistic.bounds, **identity)


def leaves_of_models(
    given: Given, argument: str = "", rows: Any = None
) -> list[tuple[Leaf, Linearized]]:
    """The statistic of each model on the same rows; ``given`` holds the predictions of all.

    Errors name the model at fault, as an element of the argument if there is one.
    """
    models, labelling = given.y_pred, given.labelling
    names = [f"{argument}[{name!r}]" if argument else name for name in models]
    named = dict(zip(names, models.values(), strict=True))
    design = given.sample_weight, given.groups, given.strata, given.weights_are
    statistics = []
    if labelling is None:
        with naming_labelling():
            samples = readers.samples_of_models(given.metric, given.y_true, named, *design)
            statistics = list(map(linearize, samples))
    else:
        for name, pred in named.items():
            with readers.errors_naming(name):
                statistics.append(labelling.statistic(given.metric, given.y_true, pred, *design))
    found, source = [], object()
    for place, (pred, statistic) in enumerate(zip(models.values(), statistics, strict=True)):
        own = replace(given, metric=readers.of_model(given.metric, place), y_pred=pred)
        found.append((leaf_of(own, statistic, rows=rows, source=source), statistic))
    return found


def value_of(statistic: Linearized | str, place: int | None) -> Linearized | str:
    """The statistic of one of several values, by its place, or why there is none."""
    if isinstance(statistic, str) or place is None:
        return statistic
    classes = readers.samples_of_classes(statistic.origin)
    return linearize(classes[place]) if classes else _ONE_OF_SEVERAL


def read_identities(rows: Any, statistic: Linearized, sample_weight: Any = None) -> Any:
    """The name of the rows, or an identity of each that has weight."""
    if rows is None or isinstance(rows, str):
        return rows
    values, n_rows = read_column(rows, "rows").labels, statistic.by_row[0].shape[-1]
    if sample_weight is not None and values.ndim == 1:
        weight = read_column(sample_weight, "sample_weight").values
        values = values[weight != 0] if len(values) == len(weight) else values
    if values.shape != (n_rows,):
        raise InvalidParameterError(
            "rows must be a name, or have one value for each row, got an array of shape "
            f"{values.shape}."
        )
    return values


def checksum_of(statistic: Linearized) -> int:
    """A checksum of the value, and of rows that are evenly spaced in each array."""
    checksum = zlib.crc32(np.float64(statistic.value).tobytes())
    data = getattr(statistic.origin, "data", statistic.origin)
    for name in ("true", "pred", "score", "proba", "weight", "y_true", "y_pred"):
        values = getattr(data, name, None)
        if values is None or (isinstance(values, np.ndarray) and values.dtype.kind == "O"):
            continue
        if not isinstance(values, np.ndarray):
            values = read_column(values, name).values
        step = -(-max(len(values), 1) // _CHECKED)
        checksum = zlib.crc32(np.ascontiguousarray(values[::step]).tobytes(), checksum)
    return checksum


# --------------------------------------------------------------------------- relations


def related(first: tuple[Leaf, Linearized], second: tuple[Leaf, Linearized]) -> str:
    """Whether two leaves are of the "same" rows, "shared" ones, or "none" in common."""
    (a, of_a), (b, of_b) = first, second
    if a.rows is not None and b.rows is not None:
        return _by_names(a.rows, b.rows)
    if a.source is not None and a.source is b.source:
        own, others = _numbers(of_a), _numbers(of_b)
        if own is not None and others is not None and not np.array_equal(own, others):
            return "shared"  # rows or clusters, if any
        if not (_has_rows(*first) and _has_rows(*second)):
            raise InvalidParameterError(_ONE_EVALUATION)
        return "same"
    if not (_has_rows(*first) and _has_rows(*second)):
        raise InvalidParameterError(_OF_SUMS)
    if "known" in (of_a.origin.kind, of_b.origin.kind):
        raise InvalidParameterError(_WITHOUT_LABELS)
    return "same" if _have_equal_rows(of_a, of_b) else "none"


def _numbers(statistic: Linearized) -> Array | None:
    """Numbers of rows, or of the cells of sums, in the data set."""
    number: Array | None = statistic.design.number
    return statistic.atoms.number if number is None else number


def _by_names(a: Any, b: Any) -> str:
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        is_name = type(a) is type(b) is str
        return "same" if a is b or (is_name and a == b) else "none"
    if np.array_equal(a, b):
        return "same"
    return "shared" if np.isin(a, b).any() else "none"


def _has_rows(leaf: Leaf, statistic: Linearized) -> bool:
    """Whether rows are known, and not only sums of them."""
    if isinstance(getattr(leaf.read, "y_true", None), ConfusionTally):
        return False
    return not (getattr(statistic.origin, "known", None) and statistic.atoms.codes is None)


def _have_equal_rows(first: Linearized, second: Linearized) -> bool:
    """Whether labels, groups, strata and frequencies are equal, in the same order."""
    a, b = first.design, second.design
    for name in ("group", "stratum", "sizes"):
        if not _are_equal(getattr(a, name), getattr(b, name)):
            return False
    return _are_equal(_labels(first.origin), _labels(second.origin))


def _are_equal(a: Array | None, b: Array | None) -> bool:
    if a is None or b is None:
        return a is b
    return a is b or (a.shape == b.shape and bool(np.all(a == b)))


def _labels(sample: Any) -> Array:
    """The true labels as the user gave them, not their codes."""
    if not hasattr(sample, "data"):
        return np.asarray(read_column(sample.y_true, "y_true").labels)
    data: Any = getattr(sample, "given", None) or sample.data
    is_coded = data.true.ndim == 1 and data.true.dtype.kind == "i"
    return np.asarray(np.asarray(data.classes)[data.true] if is_coded else data.true)

"""Base classes of results: unpacking, conversion, printing, citation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext._lazy import renamed_argument
from skmetrics_ext.citations import citation
from skmetrics_ext.formats import count, fields_of
from skmetrics_ext.numeric import Array
from skmetrics_ext.tables import Library, Table, Tabular, frame_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.fields import read_points

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_MOST_POINTS = 20
_LONGEST = 80


def draw(result: Any, *args: Any, **options: Any) -> Any:
    """Draw a result with the function that `plotting` registers for its class."""
    import skmetrics_ext

    pictures = skmetrics_ext._pictures()
    name = next(kind.__name__ for kind in type(result).__mro__ if kind.__name__ in pictures)
    return pictures[name](result, *args, **options)


class Pictured:
    """A result with a picture."""

    __slots__ = ()

    def plot(self, *, ax: Any = None) -> Any:
        """The picture: dots with their intervals, differences next to a line at 0; or the curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or sequence of these, default=None
            Axes to draw on, of a table one for each metric; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes or ndarray of these

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw(self, ax)


class Result(Tabular):
    """A frozen dataclass that is shown as one row of its scalar fields."""

    __slots__ = ()

    def _as_rows(self) -> Table:
        return Table([{name: value for name, value, _ in _values(self) if _is_plain(value)}])

    def __repr__(self) -> str:
        changed = (part for part in _values(self) if not _same(*part[1:]))
        shown = ", ".join(f"{name}={_short(value)}" for name, value, _ in changed)
        return f"{type(self).__name__}({shown})"


class IntervalResult(Result):
    """A result whose first three fields are a number and its bounds."""

    __slots__ = ()

    def _ends(self) -> tuple[float, float, float]:
        value, low, high = (value for _, value, _ in list(_values(self))[:3])
        return value, low, high

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal; nan equals nan in every version of Python."""
        if type(other) is not type(self):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[Any, ...]:
        return tuple("nan" if value != value else value for _, value, _ in _values(self))

    def __iter__(self) -> Iterator[float]:
        """The number, the lower and the upper bound: ``value, low, high = result``."""
        return iter(self._ends())

    def __float__(self) -> float:
        """The number without its bounds."""
        return float(self._ends()[0])

    def __format__(self, spec: str) -> str:
        """The number and its bounds in this format, or ``str(self)`` without one."""
        if not spec:
            return str(self)
        value, low, high = (format(end, spec) for end in self._ends())
        return f"{value} [{low}, {high}]"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a result was computed from.

    Parameters
    ----------
    metric : str
        Name of the metric.
    params : mapping
        Parameters of the metric.
    n : float or None
        Number of rows, in both samples if there are two.
    n_effective : float or None
        Effective sample size by weights and groups (Kish 1965).
    freedom : float or None
        Degrees of freedom; None for a normal quantile, or without a quantile.
    positive_class : object
        The positive class of a metric of one class.
    label : object
        The class, or the pair of classes, of one of several values (``average=None``).
    counts : (float, float) or None
        Numerator and denominator of a share of rows.
    draws : int or None
        Number of draws of a resampled interval.
    clusters : str
        How rows of one group are allowed for: a key of `results.CLUSTERS`; empty without groups.
    coverage : Estimate, tuple of Estimate or None
        Share of the rows that are answered, of each model, if predictions abstain.
    """

    metric: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    n: float | None = None
    n_effective: float | None = None
    freedom: float | None = None
    positive_class: Any = None
    label: Any = None
    counts: tuple[float, float] | None = None
    draws: int | None = None
    clusters: str = ""
    coverage: Any = None


def _fact(name: str, meaning: str) -> Any:
    """A property of a result that is one of its facts."""
    return property(attrgetter(f"_facts.{name}"), doc=meaning)


class Described(Tabular):
    """A result with the facts that it was computed from and a citation of its method."""

    __slots__ = ()

    @property
    def _facts(self) -> Facts:
        return getattr(self, "facts", None) or Facts()

    coverage: Any = _fact("coverage", "Share of the rows that are answered; None if all are.")
    metric: str = _fact("metric", "Name of the metric; empty if the result has none.")
    params: Mapping[str, Any] = _fact("params", "Parameters of the metric.")
    n: float | None = _fact("n", "Number of rows, in both samples if there are two.")
    n_effective: float | None = _fact(
        "n_effective", "Effective sample size by weights and groups (Kish 1965)."
    )
    freedom: float | None = _fact(
        "freedom", "Degrees of freedom; None for a normal quantile, or without a quantile."
    )
    positive_class: Any = _fact(
        "positive_class", "The positive class of a metric of one class, or None."
    )
    label: Any = _fact("label", "The class of one of several values (``average=None``), or None.")
    draws: int | None = _fact("draws", "Number of draws; None if the interval is not resampled.")

    @property
    def _draws_text(self) -> str:
        return "" if self.draws is None else f", {self.draws:,} draws"

    @property
    def _class_text(self) -> str:
        """The class of the value, or the positive class unless it is 1 or True."""
        positive = self.positive_class
        if self.label is not None:
            return f"class {self.label!r}"
        return "" if positive is None or positive == 1 else f"positive class {positive!r}"

    def _contents(self) -> dict[str, Any]:
        """All fields, and the facts they were computed from, by name."""
        facts = {s: getattr(self._facts, s) for s in Facts.__slots__[:-1] if s != "counts"}
        return {**facts, **fields_of(self), "citation": self.cite()}

    def cite(self) -> str:
        """The method with its reference and the number of rows, in one line.

        Returns
        -------
        str
        """
        facts = self._facts
        method = citation(getattr(self, "method", "")) + self._draws_text
        if facts.counts is not None:
            return f"{method}, {' of '.join(map(count, facts.counts))} rows"
        return method if facts.n is None else f"{method}, {count(facts.n)} rows"


class Citable(Described, IntervalResult):
    """An interval with the facts that it was computed from and a citation of its method."""

    __slots__ = ()

    def __repr__(self) -> str:
        text = IntervalResult.__repr__(self)
        return text if self.label is None else f"{text[:-1]}, label={self.label!r})"


class CurveResult(Result):
    """A frozen dataclass of arrays, the points of a curve."""

    __slots__ = ()

    def __post_init__(self) -> None:
        read_curve(self)

    def __iter__(self) -> Iterator[Any]:
        """The arrays in the order of the fields: ``rate, gain, thresholds = curve``."""
        return (value for _, value, _ in _values(self) if isinstance(value, np.ndarray))

    def columns(self) -> dict[str, Array]:
        """The points as arrays of equal length, by name.

        Returns
        -------
        dict of str to ndarray
        """
        return {
            "threshold" if name == "thresholds" else name: value
            for name, value, _ in _values(self)
            if isinstance(value, np.ndarray)
        }

    @renamed_argument("library", "backend")
    def frame(self, *, backend: Library = "pandas") -> Any:
        """All points as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default="pandas"
            Library of the frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        return frame_of(self.columns(), backend, f"{type(self).__name__}.frame")

    def plot(self, ax: Any = None, *, name: str | None = None) -> Any:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Axes to draw on; a new figure by default.
        name : str, default=None
            Name in the legend.

        Returns
        -------
        display
            With ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed: ``pip install 'skmetrics-ext[plot]'``.
        """
        return draw(self, ax, name)

    def _as_rows(self) -> Table:
        """At most `_MOST_POINTS` points, evenly spaced: a curve may have millions."""
        columns = self.columns()
        n = len(next(iter(columns.values())))
        places = np.unique(np.linspace(0, n - 1, min(n, _MOST_POINTS)).astype(np.int64))
        chosen = {key: values[places].tolist() for key, values in columns.items()}
        rows = [dict(zip(chosen, row, strict=True)) for row in zip(*chosen.values(), strict=True)]
        few = "" if len(places) == n else f"; {len(places)} of them:"
        return Table(rows, lead=[f"{self._summary()}{few}"])

    def _summary(self) -> str:
        """The number of points, and the area if there is one."""
        n = len(next(iter(self.columns().values())))
        area = getattr(self, "area", None)
        return f"{n:,} points" if area is None else f"{n:,} points, area {area:.4f}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._summary()}>"


def read_curve(curve: Any) -> None:
    """Convert the points of a curve to arrays, which must have equal lengths."""
    read_points(curve)
    sizes = {name: len(values) for name, values in curve.columns().items()}
    if len(set(sizes.values())) > 1:
        raise InvalidParameterError(f"The arrays of a curve must have one length, got {sizes}.")


def _values(result: DataclassInstance | Any) -> Iterator[tuple[str, Any, Any]]:
    """Name, value and default of each field that is shown."""
    hidden = getattr(result, "_hidden", ())
    for item in fields(result):
        if item.repr and item.name not in hidden:
            yield item.name, getattr(result, item.name), item.default


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | np.generic)


def _same(value: Any, default: Any) -> bool:
    """Whether a value is the default; nan equals nan."""
    if default is MISSING or isinstance(value, np.ndarray):
        return False
    return bool(value is default or value == default or (value != value and default != default))


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<array {value.shape}>"
    text = f"{value:.4g}" if isinstance(value, IntervalResult) else repr(value)
    if len(text) <= _LONGEST:
        return text
    return f"<{len(value)} items>" if isinstance(value, Mapping | tuple | list) else text

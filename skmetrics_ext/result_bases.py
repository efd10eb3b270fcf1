"""What results share: they unpack, convert and are shown in the same ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.citations import citation
from skmetrics_ext.formats import json_of
from skmetrics_ext.numeric import Array
from skmetrics_ext.rows import Library, Rows, Tabular, frame_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.fields import read_points

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SCHEMA_VERSION = 1  # of what `to_dict` returns
_MOST_POINTS = 20
_LONGEST = 80


def draw(result: Any, *args: Any, **options: Any) -> Any:
    """Draw a result with the function that is registered for its class in `plotting`."""
    import skmetrics_ext

    pictures = skmetrics_ext._pictures()
    name = next(kind.__name__ for kind in type(result).__mro__ if kind.__name__ in pictures)
    return pictures[name](result, *args, **options)


class Result(Tabular):
    """A frozen dataclass that is one row: of its fields that are no arrays."""

    __slots__ = ()

    def _as_rows(self) -> Rows:
        own = {name: value for name, value, _ in _values(self) if _is_plain(value)}
        return Rows([own])

    def __repr__(self) -> str:
        told = [
            f"{name}={_short(value)}"
            for name, value, default in _values(self)
            if not _same(value, default)
        ]
        return f"{type(self).__name__}({', '.join(told)})"


class IntervalResult(Result):
    """A result whose first three fields are a number and its bounds."""

    __slots__ = ()

    def _ends(self) -> tuple[float, float, float]:
        value, low, high = (value for _, value, _ in list(_values(self))[:3])
        return value, low, high

    def __eq__(self, other: object) -> bool:
        """Equal fields; nan equals nan, as comparison by fields has it only before Python 3.13."""
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
        """The number alone."""
        return float(self._ends()[0])

    def __format__(self, spec: str) -> str:
        """The number and its bounds, each in this format; what ``str`` gives without one."""
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
        Its name.
    params : mapping
        Its parameters.
    n : float or None
        Number of rows; of both samples where there are two.
    n_effective : float or None
        Kish's effective number of rows, by their weights, and no more than effective groups.
    freedom : float or None
        Degrees of freedom; None where the quantile is normal, or there is none.
    positive_class : object
        The class that the metric is of, if it is of one.
    counts : (float, float) or None
        Rows that count, and rows that the metric reads, of a share of rows.
    draws : int or None
        Number of draws, of an interval that is resampled.
    """

    metric: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    n: float | None = None
    n_effective: float | None = None
    freedom: float | None = None
    positive_class: Any = None
    counts: tuple[float, float] | None = None
    draws: int | None = None


class Jsonable:
    """A result that is JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The result by name."""
        raise NotImplementedError

    def to_json(self) -> str:
        """`to_dict` as JSON; nan and infinities, which it lacks, are null.

        Returns
        -------
        str
        """
        return json_of(self.to_dict())


class Described(Jsonable):
    """A result that says what it was computed from, and how to cite its method."""

    __slots__ = ()

    @property
    def _known(self) -> Facts:
        return getattr(self, "facts", None) or Facts()

    @property
    def metric(self) -> str:
        """Name of the metric; empty where the result was not made of one."""
        return self._known.metric

    @property
    def params(self) -> Mapping[str, Any]:
        """Parameters of the metric."""
        return self._known.params

    @property
    def n(self) -> float | None:
        """Number of rows, of both samples where there are two."""
        return self._known.n

    @property
    def n_effective(self) -> float | None:
        """Effective sample size by weights and groups (Kish 1965)."""
        return self._known.n_effective

    @property
    def freedom(self) -> float | None:
        """Degrees of freedom; None where the quantile is normal, or there is none."""
        return self._known.freedom

    @property
    def positive_class(self) -> Any:
        """The class that the metric is of; None where it is of none or of several."""
        return self._known.positive_class

    @property
    def draws(self) -> int | None:
        """Number of draws; None where the interval is not resampled."""
        return self._known.draws

    @property
    def _draws_told(self) -> str:
        return "" if self.draws is None else f", {self.draws:,} draws"

    @property
    def _class_told(self) -> str:
        """The positive class in words, where labels leave it open: all but 1 and True."""
        positive = self.positive_class
        return "" if positive is None or positive == 1 else f"positive class {positive!r}"

    def to_dict(self) -> dict[str, Any]:
        """All fields, and what they were computed from, by name.

        Returns
        -------
        dict
        """
        known = self._known
        about = {slot: getattr(known, slot) for slot in Facts.__slots__ if slot != "counts"}
        about |= {name: value for name, value, _ in _values(self)} | {"citation": self.cite()}
        return {"schema_version": SCHEMA_VERSION, **about}

    def cite(self) -> str:
        """The method with its reference, and the rows, in one line.

        Returns
        -------
        str
        """
        known = self._known
        told = citation(getattr(self, "method", "")) + self._draws_told
        if known.counts is not None:
            return f"{told}, {known.counts[0]:g} of {known.counts[1]:g} rows"
        return told if known.n is None else f"{told}, {known.n:g} rows"


class Citable(Described, IntervalResult):
    """An interval that says what it was computed from, and how to cite its method."""

    __slots__ = ()


class CurveResult(Result):
    """A frozen dataclass of arrays that are the points of a curve."""

    __slots__ = ()

    def __post_init__(self) -> None:
        read_curve(self)

    def __iter__(self) -> Iterator[Any]:
        """The arrays in the order of the fields: ``rate, gain, thresholds = curve``."""
        return (value for _, value, _ in _values(self) if isinstance(value, np.ndarray))

    def columns(self) -> dict[str, Array]:
        """The points as arrays of one length by name.

        Returns
        -------
        dict of str to ndarray
        """
        return {
            "threshold" if name == "thresholds" else name: value
            for name, value, _ in _values(self)
            if isinstance(value, np.ndarray)
        }

    def frame(self, *, library: Library = "pandas") -> Any:
        """All points as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            Whose frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        return frame_of(self.columns(), library, f"{type(self).__name__}.frame")

    def plot(self, ax: Any = None, *, name: str | None = None) -> Any:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure by default.
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

    def _as_rows(self) -> Rows:
        """At most some points, evenly chosen: a curve may have millions."""
        columns = self.columns()
        n = len(next(iter(columns.values())))
        places = np.unique(np.linspace(0, n - 1, min(n, _MOST_POINTS)).astype(np.int64))
        chosen = {key: values[places].tolist() for key, values in columns.items()}
        rows = [dict(zip(chosen, row, strict=True)) for row in zip(*chosen.values(), strict=True)]
        few = "" if len(places) == n else f"; {len(places)} of them:"
        return Rows(rows, lead=[f"{self._summary()}{few}"])

    def _summary(self) -> str:
        """The number of points, and what else sums the curve up."""
        n = len(next(iter(self.columns().values())))
        area = getattr(self, "area", None)
        return f"{n:,} points" if area is None else f"{n:,} points, area {area:.4f}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._summary()}>"


def read_curve(curve: Any) -> None:
    """The points of a curve as arrays of one length, which people may give as lists."""
    read_points(curve)
    sizes = {name: len(values) for name, values in curve.columns().items()}
    if len(set(sizes.values())) > 1:
        raise InvalidParameterError(f"A curve must have as many points everywhere: {sizes}.")


def _values(result: DataclassInstance | Any) -> Iterator[tuple[str, Any, Any]]:
    """Name, value and default of each field."""
    for one in fields(result):
        if one.repr:
            yield one.name, getattr(result, one.name), one.default


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | np.generic)


def _same(value: Any, default: Any) -> bool:
    """Whether a value is the default; nan is nan."""
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

"""Tables of lines: curves of models, groups and folds, with means, intervals and bands."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from skmetrics_ext.curve_tables.parts import (
    RESPONSES,
    AskedParts,
    Part,
    Request,
    binary_problems,
    joined,
    of_report,
    report_models,
    split_by,
)
from skmetrics_ext.curves import read_grid
from skmetrics_ext.inference.bands import BANDS, curve_band
from skmetrics_ext.inference.compare import compare
from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_interval
from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.encoding import objects
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.targets import MULTILABEL

MEAN = "mean"
TOP = "top label"
AVERAGES = (MICRO, MACRO)
BandKind = Literal["pointwise", "simultaneous"]
Write = Callable[[float, Estimate | None], str]
Limits = tuple[float | None, float | None]
Options = Mapping[str, Any]
_NO_CURVE = "{}: a class has no rows, or no others"
_MOST_BANDS = 4  # more would hide each other
_MOST_ROWS = 20_000  # more give a band that is narrow and takes seconds


class BandSpec(NamedTuple):
    """A metric of one threshold, rate or share, whose intervals make the band around a line."""

    metric: Any
    x: Callable[[Array], Array] = lambda at: at  # abscissa of the line
    y: Callable[[Array, Array], Array] = lambda at, bound: bound  # ordinate of a bound
    at: Array | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """One line of a picture.

    Parameters
    ----------
    curve : object
        The class, "micro", "macro", or the name of the metric.
    columns : mapping of str to ndarray
        Its points.
    value : float
        Number that summarises it, such as its area; nan without one.
    fold : int, "mean" or None
        The fold, or the mean over folds; None without folds.
    interval : Estimate or None
        The value with its interval.
    model : str or None
        Name of the model, if there are several, or of the group.
    metric : callable or None
        Metric of true labels and scores that gives the value.
    band : BandSpec or None
        How its band is computed.
    n_rows : int or None
        Number of rows of the group; None without groups.
    value_name : str
        Name of the value, if it is not that of the kind.
    """

    curve: Any
    columns: Mapping[str, Array]
    value: float = float("nan")
    fold: int | str | None = None
    interval: Estimate | None = None
    model: str | None = None
    metric: Any = None
    band: BandSpec | None = None
    n_rows: int | None = None
    value_name: str = ""

    @property
    def is_average(self) -> bool:
        """Whether it averages the curves of classes."""
        return self.curve in AVERAGES


@dataclass(eq=False)
class LineTable:
    """All lines of a picture, and what its legend says about them.

    Parameters
    ----------
    kind : Kind
        What the lines are.
    lines : tuple of Line
        Lines of the folds come before their mean.
    name : str or None
        Name of the model, if there is one.
    positive : object or None
        The positive class, for binary data.
    undefined : dict
        Folds or groups that have no curve, and why; with several models by (model, fold).
    comparison : Estimate or None
        Difference between two models, first minus second.
    band : str
        Name of the bands of lines without folds.
    y_label : str
        Name of the ordinate, if it is not that of the kind.
    best : dict
        Marked threshold by the name of the model.
    criterion : str
        Name of the criterion by which it is the best.
    """

    kind: Kind
    lines: tuple[Any, ...]
    name: str | None = None
    positive: Any = None
    undefined: dict[Any, str] = field(default_factory=dict)
    comparison: Estimate | None = None
    band: str = ""
    y_label: str = ""
    best: dict[Any, float] = field(default_factory=dict)
    criterion: str = ""

    @property
    def models(self) -> list[Any]:
        """Names of the models or groups."""
        return list(dict.fromkeys(line.model for line in self.lines))

    @property
    def curves(self) -> list[Any]:
        """The classes, averages or metrics."""
        return list(dict.fromkeys(line.curve for line in self.lines))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the numbers that have a star in the legend."""
        estimates = [*(line.interval for line in self.lines), self.comparison]
        return tuple(dict.fromkeys(e.note for e in estimates if e is not None and e.note))

    def columns(self) -> dict[str, Array]:
        """All points as arrays of one length by name."""
        lengths = [len(next(iter(line.columns.values()))) for line in self.lines]
        table = {}
        for name in ("curve", "model", "fold"):
            values = [getattr(line, name) for line in self.lines]
            if name == "curve" or any(value is not None for value in values):
                table[name] = np.repeat(objects(values), lengths)
        for column in dict.fromkeys(name for line in self.lines for name in line.columns):
            parts = [
                line.columns.get(column, np.full(length, np.nan))
                for line, length in zip(self.lines, lengths, strict=True)
            ]
            table[column] = np.concatenate(parts, dtype=np.float64)
        return table


class Reference(NamedTuple):
    """A line to compare the curves with.

    Parameters
    ----------
    label : str
        Legend entry.
    x, y : array-like
    is_bound : bool
        Whether it bounds the curves, as a perfect ranking does.
    is_mark : bool
        Whether it marks an abscissa over the full height; ordinates are shares of it.
    dashes : int or None
        Number of the dashes, those of a model.
    """

    label: str
    x: Any
    y: Any
    is_bound: bool = False
    is_mark: bool = False
    dashes: int | None = None


class Kind:
    """One kind of curve: how lines are read from rows, averaged over folds, and shown.

    ``of_rows``, ``of_folds`` and ``reading`` are its options with their defaults.
    """

    name: ClassVar[str] = ""  # in a report
    title: ClassVar[str] = ""  # on a page
    results: ClassVar[tuple[str, ...]] = ()  # classes of results that are such a curve
    has_area: ClassVar[bool] = False  # whether the area of such a result is shown
    size: ClassVar[tuple[float, float]] = (5.4, 4.4)  # inches
    legend_at: ClassVar[str] = "best"
    reference: ClassVar[Reference | None] = None
    bound: ClassVar[tuple[str, str] | None] = None  # column and label, drawn for a single curve

    methods: ClassVar[tuple[str, ...]] = RESPONSES
    pools: ClassVar[bool] = False  # whether folds are joined into one set, each row once
    side: ClassVar[str] = "one"  # "either": the picture is the same whichever class is positive
    has_steps: ClassVar[bool] = False  # whether a point's ordinate holds back to the point before
    x: ClassVar[str]
    y: ClassVar[str]
    averaged: ClassVar[tuple[str, ...]]  # columns that are averaged over folds, y first
    x_label: ClassVar[str]
    y_label: ClassVar[str]
    value_name: ClassVar[str] = ""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    grid: ClassVar[Array] = np.linspace(0, 1, 101)
    reading: ClassVar[Options] = {}
    of_rows: ClassVar[Options] = {
        "curves": None,
        "interval": "auto",
        "band": "auto",
        "confidence_level": 0.95,
        "groups": None,
    }
    of_folds: ClassVar[Options] = {"curves": None, "grid": None, "confidence_level": 0.95}

    # --------------------------------------------------------------------- defined by each kind

    def read(self, *rows: Any, **options: Any) -> list[Line]:
        """Read the curves of checked rows; by default each class against the rest."""
        return [self.line(*problem, **options) for problem in self.problems(*rows).items()]

    def line(self, *problem: Any, **options: Any) -> Line:
        """Read the curve of a class against the rest from its label and its rows."""
        raise NotImplementedError

    def problems(self, rows: Scores) -> dict[Any, Scores]:
        """Rows of each class against the rest."""
        return dict(binary_problems(rows))

    def is_undefined(self, line: Line, rows: Scores) -> bool:
        """Whether a fold or a group has no curve."""
        x, y = line.columns[self.x], line.columns[self.y]
        return bool(np.isnan(x).any() or np.isnan(y).all())

    def at(self, line: Line, column: str, grid: Array) -> Array:
        """Read a column at these abscissas; the first point at the first of two equal ones."""
        x, values = line.columns[self.x], line.columns[column]
        if self.has_steps:
            return np.append(values, np.nan)[np.searchsorted(x, grid)]
        read = np.interp(grid, x, values)
        if grid[0] == grid[1]:
            read[0] = values[0]
        return read

    def grid_of(self, lines: list[Line]) -> Array:
        """Abscissas of the mean over folds."""
        return self.grid

    def of_result(self, result: Any, label: Any) -> Line:
        """The line of a curve that one of the functions of curves returned."""
        value = getattr(result, "area", np.nan) if self.has_area else np.nan
        return Line(label, result.columns(), value)

    # --------------------------------------------------------------------- shown

    def numbers(self, line: Any, write: Write) -> list[str]:
        """Numbers that summarise a line, each with its name; ``write`` writes an estimate."""
        name = line.value_name or self.value_name
        if not name or np.isnan(line.value):
            return []
        return [f"{name} {write(line.value, line.interval)}"]

    def name_of_curve(self, curve: Any) -> str:
        """Name of a class or an average in a legend."""
        if curve in AVERAGES:
            return f"{curve}-average"
        return str(curve) if isinstance(curve, str) else f"class {curve}"

    def references(self, table: LineTable) -> Iterator[Reference]:
        """Lines to compare the curves with."""
        columns = table.lines[-1].columns
        if self.bound is not None and len(table.curves) == 1 and self.bound[0] in columns:
            yield Reference(self.bound[1], columns[self.x], columns[self.bound[0]], is_bound=True)
        if self.reference is not None:
            yield self.reference

    def limits(self, table: LineTable, *drawn: Sequence[Any]) -> tuple[Limits, Limits] | None:
        """Limits of both axes, None where the lines decide; None for the unit square.

        ``drawn`` are the lines of the picture and its references.
        """
        return None

    # --------------------------------------------------------------------- tables

    def options(self, in_folds: bool) -> dict[str, Any]:
        """Options with which a table is computed, and their defaults."""
        shared = self.of_folds if in_folds and not self.pools else self.of_rows
        return {**self.reading, **shared}

    def table(self, asked: AskedParts, **options: Any) -> LineTable:
        """Compute the lines of rows, or of folds and their means."""
        request, models, _ = asked
        scored = {name: [part.read(request) for part in parts] for name, parts in models.items()}
        in_folds = any(part.fold is not None for parts in scored.values() for part in parts)
        options = {**self.options(in_folds), **options}
        compute = self.table_of_folds if in_folds and not self.pools else self.table_of_rows
        return compute(scored, **options)

    def table_of_rows(
        self,
        scored: Mapping[Any, list[Part]],
        *,
        curves: Any,
        interval: str | None,
        band: BandKind | Literal["auto"] | None,
        confidence_level: float,
        groups: Any,
        are_groups: bool = False,
        **options: Any,
    ) -> LineTable:
        """Lines of all rows of each model, or of each group, with intervals and bands."""
        check_option("band", band, ("auto", *BANDS, None))
        kind: BandKind = "simultaneous" if band == "simultaneous" else "pointwise"
        level = check_level(confidence_level)
        joint = {name: [joined(parts)._replace(fold=None)] for name, parts in scored.items()}
        table, read = self._read_all(joint, curves, are_groups, options)
        if not read:
            raise InvalidParameterError(
                f"No group has a curve: {'; '.join({*table.undefined.values()})}."
            )
        n_bands = sum(line.band is not None and not line.is_average for _, line in read)
        problems = {id(part): self.problems(part.scores) for (part,) in joint.values()}
        lines, metrics = [], []
        for part, line in read:
            design: dict[str, Any] = {"confidence_level": level}
            design["groups"] = part.group if groups is None else groups
            rows: Any = problems[id(part)].get(line.curve, part.scores)
            metric = MetricRows.of(line, rows, design)
            if interval is not None and metric.is_defined:
                line = replace(line, interval=metric.interval(interval))
            is_clear = n_bands <= _MOST_BANDS and len(part.scores.true) <= _MOST_ROWS
            if band is not None and (band != "auto" or is_clear) and not line.is_average:
                line = self.with_band(line, rows, kind, design)
            lines.append(line)
            metrics.append(metric)
        table.lines = tuple(lines)
        are_paired = len(scored) > 1 and not are_groups and len(lines) == 2
        if are_paired and interval is not None and metrics[0].is_defined:
            table.comparison = metrics[0].compared_with(metrics[1])
        table.band = f"{100 * level:g} % {kind} band"
        return table

    def _read_all(
        self,
        scored: Mapping[Any, list[Part]],
        curves: Any,
        are_groups: bool,
        options: Mapping[str, Any],
    ) -> tuple[LineTable, list[tuple[Part, Line]]]:
        """Lines of each part of each model, and a table without lines.

        The table says why a fold or a group has none: it may lack a class.
        """
        several, read = len(scored) > 1 or are_groups, []
        table = LineTable(self, (), None if several else next(iter(scored)))
        for name, parts in scored.items():
            for part in parts:
                is_part = part.fold is not None or are_groups
                place: Any = name if part.fold is None else part.fold
                if several and part.fold is not None:
                    place = name, part.fold
                if part.scores is None:
                    table.undefined[place] = part.reason
                    continue
                use_default = several or self.pools or is_part
                with without_undefined_warnings() if is_part else nullcontext():
                    selected = self.selected(part.scores, curves, use_default, options)
                for line in selected:
                    if is_part and self.is_undefined(line, part.scores):
                        table.undefined[place] = _NO_CURVE.format(line.curve)
                        continue
                    n_rows = sum(each.n_test for each in parts) if are_groups else None
                    named: Any = {"model": name if several else None, "n_rows": n_rows}
                    read.append((part, replace(line, fold=part.fold, **named)))
        defined = [part for parts in scored.values() for part in parts if part.scores is not None]
        table.positive = _last_class(defined[0]) if defined else None
        return table, read

    def selected(
        self, rows: Scores, curves: Any, use_default: bool, options: Mapping[str, Any]
    ) -> list[Line]:
        """Lines of these curves, in this order; for None of all, or of the default ones."""
        lines = {line.curve: line for line in self.read(rows, **options)}
        if curves is None and use_default and lines:
            curves = MACRO if MACRO in lines else [name for name in lines if name != TOP]
        if curves is None:
            return list(lines.values())
        one = isinstance(curves, str) or not isinstance(curves, Iterable)
        names = [curves] if one else list(curves)
        unknown = [name for name in names if not isinstance(name, Hashable) or name not in lines]
        if unknown or not names:
            found = unknown[0] if unknown else names
            raise InvalidParameterError(f"curves must name some of {list(lines)}, got {found!r}.")
        return [lines[name] for name in names]

    def with_band(self, line: Line, rows: Any, kind: BandKind, design: Any) -> Line:
        """Add columns ``low`` and ``high``, which are nan outside the range of the band."""
        spec = line.band
        if spec is None or len(np.unique(rows.true)) < 2:
            return line
        with without_undefined_warnings():
            options = {"at": spec.at, "band": kind, "random_state": 0, **design}
            band = curve_band(spec.metric, rows, rows, **options)
        x, columns = spec.x(band.at), dict(line.columns)
        order = np.argsort(x)
        for name, bound in (("low", band.low), ("high", band.high)):
            y = np.minimum(spec.y(band.at, bound), self.bounds[1])
            columns[name] = np.interp(columns[self.x], x[order], y[order], np.nan, np.nan)
        return replace(line, columns=columns)

    def table_of_folds(
        self,
        scored: Mapping[Any, list[Part]],
        *,
        curves: Any,
        grid: Any,
        confidence_level: float,
        are_groups: bool = False,
        **options: Any,
    ) -> LineTable:
        """Lines of the folds of each model, or of each group in them, and their means."""
        level = check_level(confidence_level)
        points = None if grid is None else read_grid(grid, -np.inf, np.inf)
        table, read = self._read_all(scored, curves, are_groups, options)
        if not read:
            raise InvalidParameterError(
                f"No fold has a curve: {'; '.join(sorted(set(table.undefined.values())))}."
            )
        by_curve: dict[Any, list[tuple[Part, Line]]] = {}
        for part, line in read:
            by_curve.setdefault((line.model, line.curve), []).append((part, line))
        lines: list[Line] = []
        for pairs in by_curve.values():
            folds, fold_lines = map(list, zip(*pairs, strict=True))
            abscissas = self.grid_of(fold_lines) if points is None else points
            lines += [*fold_lines, self.mean(folds, fold_lines, abscissas, level)]
        table.lines = tuple(lines)
        return table

    def mean(self, folds: list[Part], lines: list[Line], grid: Array, level: float) -> Line:
        """The mean of the lines of folds, with its spread and its interval."""
        at_grid = {
            column: np.array([self.at(line, column, grid) for line in lines])
            for column in self.averaged
        }
        columns = {self.x: grid} | {name: values.mean(axis=0) for name, values in at_grid.items()}
        values = np.array([line.value for line in lines])
        interval = None
        spread = margin = np.full(len(grid), np.nan)
        if len(lines) > 1:
            sizes: Any = {key: [getattr(f, key) for f in folds] for key in ("n_train", "n_test")}
            if not np.isnan(values).any():
                interval = corrected_resampled_interval(values, confidence_level=level, **sizes)
            spread = at_grid[self.y].std(axis=0, ddof=1)
            # The half-width of an interval is the spread times a factor that is the same for all.
            scores = np.linspace(-1, 1, len(lines))
            of_scores = corrected_resampled_interval(scores, confidence_level=level, **sizes)
            margin = spread * (of_scores.high - of_scores.value) / scores.std(ddof=1)
        columns["std"] = spread
        columns["low"] = np.clip(columns[self.y] - margin, *self.bounds)
        columns["high"] = np.clip(columns[self.y] + margin, *self.bounds)
        value = float(values.mean())
        return replace(lines[0], columns=columns, value=value, fold=MEAN, interval=interval)


def table_of(
    kind: Kind,
    door: Callable[..., AskedParts],
    *data: Any,
    what: str = "",
    by: Any = None,
    **options: Any,
) -> LineTable:
    """Read rows through one of the functions of `parts`, and compute the table of a kind.

    Parameters
    ----------
    kind : Kind
    door : callable
        Called with the request and ``data``.
    what : str
        Name of the picture, for errors.
    by : array-like, data frame, mapping or None
        Groups by which the rows of a single model are split.
    **options
        Options of the request, and of the kind.
    """
    request = Request(what, kind.methods, kind.side, kind.pools).taking(options)
    asked = door(request, *data)
    if by is not None:
        (name,) = asked.models if len(asked.models) == 1 else (None,)
        groups = options.pop("groups", None)
        table = kind.table(split_by(asked, by, groups), are_groups=True, **options)
        table.name = name
        return table
    table = kind.table(asked, **options)
    if door is of_report and not kind.pools:
        _use_report_intervals(table, data[0], report_models(*data))
    return table


def _use_report_intervals(table: LineTable, report: Any, models: Sequence[str]) -> None:
    """Give means over folds the interval that the report has of their metric, if it has one."""
    metrics = report.data.metrics
    summary = [row for row in report.summary() if not np.isnan(row.low) and metrics[row.metric]]

    def reported(line: Line) -> Estimate | None:
        model = models[0] if line.model is None else line.model
        function = getattr(line.metric, "func", line.metric)
        for row in summary:
            is_same = row.model == model and metrics[row.metric].function == function
            if is_same and np.isclose(row.value, line.value, rtol=0, atol=1e-9):
                bounds, note = (row.low, row.high), row.note
                level, error = report.confidence_level, row.standard_error
                return estimate(row.value, bounds, error, row.interval, level, note)
        return None

    table.lines = tuple(
        replace(line, interval=reported(line)) if line.fold == MEAN else line
        for line in table.lines
    )


# --------------------------------------------------------------------------- checked rows


def _last_class(part: Part) -> Any:
    """The positive class of two; None for several classes."""
    scores = part.scores
    return None if scores is None or scores.kind != "binary" else scores.classes.tolist()[-1]


class MetricRows(NamedTuple):
    """A metric in a legend, and the rows from which it is computed."""

    metric: Any
    true: Any
    response: Any
    options: Mapping[str, Any]

    @classmethod
    def of(cls, line: Any, rows: Scores, design: Mapping[str, Any]) -> Self:
        """The metric of a line on checked scores."""
        options = {"sample_weight": rows.weight, "random_state": 0, **design}
        if line.is_average:
            options["average"] = line.curve
            if rows.kind == "multiclass":
                options["labels"] = list(range(len(rows.classes)))
        true = rows.marks() if rows.kind == MULTILABEL else rows.true
        return cls(line.metric, true, rows.score, options)

    @property
    def is_defined(self) -> bool:
        """Whether there is a metric, and the rows have more than one class."""
        return self.metric is not None and len(np.unique(self.true)) > 1

    def interval(self, method: Any = "auto") -> Any:
        """The value with its confidence interval."""
        with without_undefined_warnings():
            return confidence_interval(
                self.metric, self.true, self.response, method=method, **self.options
            )

    def compared_with(self, other: Self) -> Estimate:
        """The difference from another model on the same rows."""
        with without_undefined_warnings():
            return compare(self.metric, self.true, self.response, other.response, **self.options)


@contextmanager
def without_undefined_warnings() -> Iterator[None]:
    """Suppress warnings about undefined values, which the picture shows."""
    from sklearn.exceptions import UndefinedMetricWarning

    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        yield

"""From a metric and its parameters to a `Reading`: the metric as a function of what is drawn."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.readings import (
    CheckedReading,
    MomentReading,
    RankReading,
    Reading,
    RowReading,
    Scatter,
    TableReading,
    Units,
    View,
)
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import METRICS, MetricSpec, find_metric, spec_of
from skmetrics_ext.validation import (
    InvalidParameterError,
    Labels,
    Probabilities,
    Scores,
    check_weight,
)
from skmetrics_ext.validation.containers import read_column, take_rows
from skmetrics_ext.validation.labels import encode_columns

# Tables of more classes are not stacked: their metrics are read from weighted rows.
_MOST_CLASSES = 128
_CHECKS: Mapping[str, Callable[..., Any]] = {
    "labels": Labels.check,
    "scores": Scores.check,
    "probabilities": Probabilities.check_strict,
}


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as the user named it, and its parameters.

    ``spec`` is None for a function of the user's own.
    """

    name: str
    function: Callable[..., Any]
    spec: MetricSpec | None
    params: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def find(cls, metric: Any, params: Mapping[str, Any]) -> Metric:
        """By the name of a scorer or of a metric, by a metric of this package, or any function."""
        if isinstance(metric, Metric):
            return metric
        if isinstance(metric, str):
            spec = METRICS.get(metric)
            spec, fixed = find_metric(metric) if spec is None else (spec, dict(spec.params))
            return cls._of_ours(metric, spec, {**fixed, **params})
        if not callable(metric):
            raise InvalidParameterError(
                f"metric must be a name or a function of (y_true, y_pred), got {metric!r:.60}."
            )
        function, merged = metric, dict(params)
        while isinstance(function, partial) and not function.args:
            merged = {**function.keywords, **merged}
            function = function.func
        spec = spec_of(function)
        name = getattr(function, "__name__", repr(function))
        if spec is None:
            return cls(name, function, None, merged)
        return cls._of_ours(name, spec, merged)

    @classmethod
    def _of_ours(cls, name: str, spec: MetricSpec, params: dict[str, Any]) -> Metric:
        accepted = inspect.signature(spec.function).parameters
        unknown = [key for key in params if key not in accepted]
        if unknown:
            raise InvalidParameterError(
                f"{spec.name} takes no {' and no '.join(unknown)}; its parameters are "
                f"{[key for key in list(accepted)[2:] if key != 'sample_weight']}."
            )
        if params.get("normalize") is False:
            raise InvalidParameterError(
                "normalize=False gives a sum over the rows and not an estimate of anything: take "
                "the interval of the mean and multiply it."
            )
        return cls(name, spec.function, spec, params)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Parameters of the function; none where it does not tell."""
        try:
            return inspect.signature(self.function).parameters
        except (TypeError, ValueError):
            return {}

    @property
    def takes_weight(self) -> bool:
        """Whether the function has a parameter ``sample_weight``."""
        return "sample_weight" in self.parameters

    def is_default(self, name: str) -> bool:
        """Whether a parameter has the value that the function gives it anyway."""
        default = self.parameters[name].default
        given = self.params[name]
        return given is default or (np.isscalar(given) and bool(given == default))


@dataclass(frozen=True, eq=False, slots=True)
class SampleRows:
    """Rows that have weight: their weights, groups and how often each was seen."""

    y_true: Any
    y_pred: Any
    weight: Array | None
    group: Array | None
    sizes: Array | None

    @classmethod
    def check(
        cls, y_true: Any, y_pred: Any, sample_weight: Any, groups: Any, weights_are: str
    ) -> SampleRows:
        n_rows = len(y_true) if hasattr(y_true, "__len__") else len(read_column(y_true, "y_true"))
        weight = check_weight(sample_weight, n_rows)
        group = None if groups is None else read_groups(groups, n_rows)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            y_true, y_pred = take_rows(y_true, kept), take_rows(y_pred, kept)
            weight = weight[kept]
            group = None if group is None else np.unique(group[kept], return_inverse=True)[1]
        sizes = None
        if weight is not None and weights_are == "frequency":
            sizes = weight.astype(np.int64)
            if not np.array_equal(sizes, weight):
                raise InvalidParameterError(
                    "weights_are='frequency' says how often each row was seen, so sample_weight "
                    "must hold integers."
                )
        return cls(y_true, y_pred, weight, group, sizes)

    def units(self, *kinds: Array, stratum: Array | None = None) -> Units:
        """Units of rows that agree in these codes; each row for itself without codes."""
        own = None if self.sizes is not None else self.weight
        about = {"weight": own, "group": self.group, "stratum": stratum, "sizes": self.sizes}
        if kinds:
            return Units.make(*kinds, **about)
        n_rows = len(self.y_true) if hasattr(self.y_true, "__len__") else self.y_true.shape[0]
        return Units.of_rows(n_rows, **about)


def read_groups(groups: Any, n_rows: int) -> Array:
    """Number of the group of each row."""
    column = read_column(groups, "groups")
    if column.values.ndim != 1 or len(column) != n_rows:
        raise InvalidParameterError(
            f"groups must hold one group for each of the {n_rows} rows, got an array of shape "
            f"{column.values.shape}."
        )
    return encode_columns((column, column.values))[1][0]


def read_metric(
    metric: Any,
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    weights_are: str = "importance",
    **params: Any,
) -> Reading:
    """A metric of these rows as a function of what is drawn of them.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names`, a metric of this package, or ``f(y_true, y_pred)``.
    y_true, y_pred : array-like
        What the metric takes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; those of weight 0 are left out.
    groups : array-like of shape (n_samples,), default=None
        Rows that belong together.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    **params : dict
        Parameters of the metric.
    """
    found = Metric.find(metric, params)
    return read_rows_of(found, SampleRows.check(y_true, y_pred, sample_weight, groups, weights_are))


def read_rows_of(metric: Metric, rows: SampleRows) -> Reading:
    """The same, of a metric that was found and rows that were checked."""
    spec = metric.spec
    if spec is None:
        return _read_rows(metric, rows)
    checked, options = checked_of(metric, spec, rows.y_true, rows.y_pred, rows.weight)
    try:
        value = spec.function(checked, checked, **options)
    except InvalidParameterError:  # some parameters need the raw arrays, or are at fault
        return _read_rows(metric, rows)
    rest = {key: given for key, given in options.items() if not metric.is_default(key)}
    reading: Reading | None = None
    if spec.response == "labels":
        reading = _read_tables(spec, rows, checked, rest, value)
    elif spec.tally == "ranks":
        reading = _read_ranks(spec, rows, checked, rest, value)
    elif spec.row_values is not None:
        reading = _read_moments(spec, rows, checked, rest, value)
    if reading is not None:
        return reading
    units = rows.units(stratum=_stratum(checked))
    return CheckedReading(value, units, checked, partial(spec.function, **options))


def checked_of(
    metric: Metric, spec: MetricSpec, y_true: Any, y_pred: Any, sample_weight: Any
) -> tuple[Any, dict[str, Any]]:
    """Checked data, and the parameters that the check did not use."""
    check = spec.check or _CHECKS[spec.response]
    accepted = inspect.signature(check).parameters
    used = {key: v for key, v in metric.params.items() if key in ("labels", "pos_label")}
    used = {key: v for key, v in used.items() if key in accepted}
    rest = {key: v for key, v in metric.params.items() if key not in used}
    if getattr(check, "keywords", {}).get("by_rule"):  # its pos_label is 1 unless told
        used.setdefault("pos_label", 1)
    if spec.response == "labels":
        # Tables are in units of the weights.
        used["absolute"] = spec.weights_are_counts or spec.on_tables is None
    return check(y_true, y_pred, sample_weight=sample_weight, **used), rest


def _stratum(checked: Any) -> Array | None:
    true = checked.true
    return true if getattr(true, "ndim", 2) == 1 and true.dtype.kind == "i" else None


def _read_tables(
    spec: MetricSpec, rows: SampleRows, checked: Labels, options: dict[str, Any], value: Any
) -> Reading | None:
    n_classes = len(checked.classes)
    if spec.on_tables is None or checked.is_multilabel or n_classes > _MOST_CLASSES:
        return None
    cell = checked.true * n_classes + checked.pred
    units = rows.units(cell, stratum=checked.true)
    classes = checked.classes
    if spec.numeric_labels and checked.ordered:
        classes = np.arange(n_classes)
    if spec.numeric_labels and options.get("labels") is not None and checked.ordered:
        return None
    own = partial(_on_tables, spec.on_tables, classes, options)
    cell = cell[units.first]
    cells = Scatter(cell, n_classes * n_classes)
    return TableReading(value, units, checked.classes, cell, cells, own)


def _on_tables(
    function: Callable[..., Array], classes: Array, options: dict[str, Any], tables: Array
) -> Array:
    return function(tables, classes, **options)


def _read_ranks(
    spec: MetricSpec, rows: SampleRows, checked: Any, options: dict[str, Any], value: Any
) -> Reading | None:
    rest = dict(options)
    average = rest.pop("average", "macro")
    several = rest.pop("multi_class", "ovr")
    kernel = _rank_kernel(spec, rest)
    scores = checked.as_scores() if isinstance(checked, Probabilities) else checked
    if kernel is None or rest or average not in ("macro", "weighted", None):
        return None
    if scores.kind == "binary":
        place = np.unique(scores.score, return_inverse=True)[1].reshape(-1)
        units = rows.units(place, scores.true, stratum=scores.true)
        only = View.make(scores.score, scores.true, units.first)
        return RankReading(value, units, (only,), kernel, average)
    if several != "ovr":
        return None
    units = rows.units(stratum=_stratum(scores))
    marks = scores.marks()
    views = tuple(
        View.make(scores.score[:, k], marks[:, k], units.first) for k in range(marks.shape[1])
    )
    return RankReading(value, units, views, kernel, average)


def _rank_kernel(spec: MetricSpec, rest: dict[str, Any]) -> Callable[..., Array] | None:
    """The kernel with its parameters, which are taken out of `rest`."""
    make = spec.make_kernel
    if make is not None:
        names = inspect.signature(make).parameters
        return make(**{key: rest.pop(key) for key in list(rest) if key in names})
    kernel = spec.kernel
    while isinstance(kernel, partial):  # the parameters of the row stand for missing ones
        kernel = kernel.func
    names = inspect.signature(kernel).parameters
    own = {key: rest.pop(key) for key in list(rest) if key in names}
    if any(np.ndim(given) > 0 for given in own.values()):
        return None
    return partial(kernel, **own) if own else kernel


def _read_moments(
    spec: MetricSpec, rows: SampleRows, checked: Any, options: dict[str, Any], value: Any
) -> Reading | None:
    if spec.row_values is None:
        return None
    names = inspect.signature(spec.row_values).parameters
    if any(key not in names for key in options):
        return None
    values = spec.row_values(checked, **options)
    units = rows.units(stratum=_stratum(checked))
    return MomentReading(value, units, np.ascontiguousarray(values, np.float64), spec.kernel)


def _read_rows(metric: Metric, rows: SampleRows) -> Reading:
    function = partial(metric.function, **metric.params) if metric.params else metric.function
    weight = rows.weight
    if weight is not None and not metric.takes_weight:
        raise InvalidParameterError(
            f"{metric.name} has no parameter sample_weight, so no weights can be given."
        )
    if weight is None:
        value = function(rows.y_true, rows.y_pred)
    else:
        value = function(rows.y_true, rows.y_pred, sample_weight=weight)
    y_true, y_pred, group = rows.y_true, rows.y_pred, rows.group
    if rows.sizes is not None:  # a row for each time that it was seen
        seen = np.repeat(np.arange(len(rows.sizes)), rows.sizes)
        y_true, y_pred, weight = take_rows(y_true, seen), take_rows(y_pred, seen), None
        group = None if group is None else group[seen]
    found = np.asarray(value)
    if found.dtype.kind not in "biuf":
        raise InvalidParameterError(
            f"{metric.name} has to give numbers, got {type(value).__name__}: {value!r:.60}."
        )
    n_rows = len(y_true) if hasattr(y_true, "__len__") else y_true.shape[0]
    units = Units.of_rows(n_rows, group=group, stratum=_classes_of(y_true))
    return RowReading(value, units, y_true, y_pred, weight, function)


def _classes_of(y_true: Any) -> Array | None:
    """Codes of a column of labels; None for anything else."""
    values = read_column(y_true, "y_true").values
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind == "f":
        return None
    return np.unique(values, return_inverse=True)[1].reshape(-1)

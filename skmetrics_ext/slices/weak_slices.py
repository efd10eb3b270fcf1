"""Weak slices: parts of the rows in which a metric is worse than in the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext import formats
from skmetrics_ext.inference.compare_samples import difference_of_samples
from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.bootstrap import BOOTSTRAP_METHODS
from skmetrics_ext.inference.draws.readers import part_of
from skmetrics_ext.inference.estimate_rows import EstimateRow
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import draw
from skmetrics_ext.slices.coding import MISSING, Coded, check_number
from skmetrics_ext.slices.slice_search import Search, WeakSlice, search
from skmetrics_ext.slices.slice_tests import slice_tests
from skmetrics_ext.slices.table import (
    FEW_BINS,
    Frame,
    check_lengths,
    read_slices,
    score_columns,
    slice_columns,
)
from skmetrics_ext.tables import Shown, Table, Tabular, columns
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.groups import Design, read_groups
from skmetrics_ext.validation.parameters import check_integer, check_level

_SIDES = ("slice", "rest")
_OF_INTERVALS = ("low", "high", "standard_error", "method", "note")


@document
def weak_slices(
    data: Any,
    *,
    true: str,
    metric: Any,
    score: str | Sequence[str] | Mapping[Any, str] | None = None,
    pred: str | None = None,
    columns: Sequence[str] | None = None,
    max_columns: int = 2,
    alpha: float = 0.05,
    weight: str | None = None,
    groups: str | None = None,
    bins: Any = FEW_BINS,
    min_rows: int = 50,
    **metric_params: Any,
) -> WeakSlices:
    r"""Find slices of the rows in which a metric is worse than in all other rows.

    Every value of every column, and every combination of values of up to ``max_columns`` columns,
    is tested. The probability of reporting any slice that is not worse is at most ``alpha``, for
    any number of overlapping slices (Holm 1979); with combinations, half of it is reserved for
    single columns.

    Parameters
    ----------
    data : data frame, pyarrow table or mapping
        Rows in memory: a frame of pandas or polars, a pyarrow table, or a dict of arrays.
    true : str
        Column of true labels.
    metric : str or callable
        A metric with `influence_values` and a direction that is a single number.
    score : str, list of str or dict, default=None
        Column of scores or probabilities of the positive class; for several classes one column
        each, in the order of ``labels``, or a dict from class to column.
    pred : str, default=None
        Column of predicted labels, for metrics of labels.
    columns : list of str, default=None
        Columns that define slices; by default all columns without another role. Missing values
        form a slice, None. Numeric columns with more than 10 distinct values are binned.
    max_columns : int, default=2
        Maximum number of columns of a slice.
    alpha : float in (0, 1), default=0.05
        Probability of reporting any slice that is not worse.
    weight : str, default=None
        Column of weights.
    groups : str, default=None
        Column of groups, such as patients; rows of a group may be dependent.
    bins : int or dict, default=5
        Number of quantile bins of numeric columns; or a dict from column to a number of bins or
        to inner edges.
    min_rows : int, default=50
        Minimum number of rows inside, and outside, a slice that is tested.
    **metric_params : dict
        Parameters of the metric: ``labels``, ``pos_label``, ``average`` and others.

    Returns
    -------
    WeakSlices
        ``.rows``, ``.folded``, ``.left_out``, ``.frame()`` and ``.plot()``; it prints as a table.

    Raises
    ------
    {raises}
        Also if a column is missing or nearly unique, or if the columns define more slices than
        can be tested.

    Notes
    -----
    For metrics that are a proportion of rows (accuracy, recall, precision, and the F1 score, an
    increasing function of one), without weights and groups, the test is Fisher's exact test.
    Otherwise it is

    .. math:: t = (\hat m_S - \hat m_{\bar S}) / \sqrt{\max(v_S, v^0_S) + v_{\bar S}}

    with the variance of the influence values of the rows in the slice, but at least that of as
    many rows from the rest; degrees of freedom are Satterthwaite's. With groups, sums over groups
    take the place of rows.

    A slice is folded into one that contains it if it is not worse than the remainder of that
    slice, and into those listed before it if it is not worse without their rows. Intervals have
    simultaneous coverage 1 - ``alpha`` (Bonferroni); as they are two-sided, they may include 0.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70; Fisher (1935), Journal of the Royal
    Statistical Society 98(1), 39-82; Zou & Donner (2008), Statistics in Medicine 27(10),
    1693-1702.

    Examples
    --------
    >>> from skmetrics_ext import weak_slices
    >>> site, ward = ["north", "south"] * 200, ["a", "a", "b", "b"] * 100
    >>> true, pred = [1] * 400, [1, 1, 1, 0] * 80 + [1] * 80
    >>> data = {"ill": true, "found": pred, "site": site, "ward": ward}
    >>> found = weak_slices(data, true="ill", pred="found", metric="accuracy")
    >>> print(found.rows[0].slice, found.rows[0].value_a, found.rows[0].value_b)
    {'site': 'south', 'ward': 'b'} 0.2 1.0
    """
    max_columns = check_integer("max_columns", max_columns, 1)
    min_rows = check_integer("min_rows", min_rows, 2)
    alpha = check_level(alpha, "alpha")
    table = Frame(data)
    measure = readers.find_metric(metric, metric_params)
    statistic, sign = _read(measure, table, true, pred, score, weight, groups)
    used = [true, pred, weight, groups, *score_columns(score, None)[0]]
    names = slice_columns(columns, table, used)
    by_default, n_rows = columns is None, len(statistic.origin.data.true)
    coded, reasons = read_slices(table, names, bins, by_default=by_default, min_rows=min_rows)
    if not coded:
        why = "; ".join(reasons.values()) or "every column of data has another role"
        raise InvalidParameterError(f"No column defines slices: {why}.")
    coded = _with_weight(coded, table, weight, n_rows)
    check_number(coded, max_columns)
    result = search(slice_tests(statistic, sign), coded, max_columns, min_rows, alpha)
    undefined = f"{measure.name} is undefined there"
    left_out: list[dict[str, Any]] = [
        {"slice": {name: "any"}, "n_rows": n_rows, "reason": why} for name, why in reasons.items()
    ]
    left_out += [
        {"slice": part.values(coded), "n_rows": n_inside, "reason": undefined}
        for part, n_inside in result.undefined
    ]
    folded = [
        {
            "slice": redundant.slice.values(coded),
            "into": weak.slice.values(coded),
            "n_rows": redundant.n_rows,
            "p_value": redundant.p_value,
        }
        for weak in result.weak
        for redundant in _all_folded(weak)
    ]
    listed = [_row(weak, coded, statistic, result) for weak in result.weak]
    weak_rows = Estimates(listed, columns=SHOWN, confidence_level=1 - alpha, adjusted=("holm",))
    tables = weak_rows, Table(folded, FOLDED), Table(left_out, LEFT_OUT)
    value = float(statistic.value)
    return WeakSlices(measure.name, value, *tables, n_rows, result.n_tested, alpha)


# --------------------------------------------------------------------------- the metric


def _read(
    metric: Metric, table: Frame, true: Any, pred: Any, score: Any, weight: Any, groups: Any
) -> tuple[Linearized, float]:
    """The metric on all rows, and its direction: 1 if higher is better, -1 if lower."""
    if not metric.spec.is_known:
        raise InvalidParameterError(
            f"metric must be a metric of this package with influence values, got {metric.name}."
        )
    if metric.spec.greater_is_better is None:
        raise InvalidParameterError(
            f"{metric.name} has no direction, so no slice is worse by it: choose another metric."
        )
    response, params = _response(metric, table, pred, score)
    y_true = table.read(true, "true")
    weights = None if weight is None else table.read(weight, "weight")
    check_lengths({"true": len(y_true), "score or pred": len(response)})
    settled, checked = readers.check_rows(metric.with_params(**params), y_true, response, weights)
    n_rows = len(y_true)
    if checked.true.shape[0] != n_rows:
        raise InvalidParameterError("data holds masked rows: remove them.")
    group = None if groups is None else read_groups(table.read(groups, "groups"), n_rows)
    statistic = linearize(readers.sample_of_checked(settled, checked, Design(group)))
    readers.check_single_value("weak_slices", metric, statistic.value)
    if not statistic.has_influence or not np.isfinite(statistic.value):
        why = "is undefined" if statistic.has_influence else "has no influence values"
        raise InvalidParameterError(f"metric={metric.name!r} {why} on these data.")
    return statistic, 1.0 if metric.spec.greater_is_better else -1.0


def _response(metric: Metric, table: Frame, pred: Any, score: Any) -> tuple[Any, dict[str, Any]]:
    """Predicted labels or scores, and the parameter ``labels`` if score columns name classes."""
    reads_labels = metric.spec.response == "labels"
    if (pred if reads_labels else score) is None:
        missing = "predicted labels: pass pred=" if reads_labels else "scores: pass score="
        raise InvalidParameterError(f"{metric.name} needs {missing}, the name of a column.")
    if reads_labels:
        return table.read(pred, "pred"), {}
    names, labels = score_columns(score, metric.params.get("labels"))
    params = {} if labels is None else {"labels": labels}
    scores = [table.read(name, "score") for name in names]
    if not scores:
        raise InvalidParameterError(f"score must name a column, or several, got {score!r}.")
    if len(scores) == 1:
        return scores[0], params
    check_lengths({name: len(column) for name, column in zip(names, scores, strict=True)})
    return np.column_stack([column.values for column in scores]), params


def _with_weight(
    coded: Sequence[Coded], table: Frame, weight: str | None, n_rows: int
) -> list[Coded]:
    """Coded columns without the rows of weight 0."""
    mass = np.ones(n_rows) if weight is None else np.asarray(table.read(weight, "weight").values)
    lengths = {column.name: len(column.codes) for column in coded}
    check_lengths({"true" if weight is None else weight: len(mass), **lengths})
    if mass.all():
        return list(coded)
    return [Coded(column.name, column.values, column.codes[mass != 0]) for column in coded]


# --------------------------------------------------------------------------- rows


def _row(
    weak: WeakSlice, coded: Sequence[Coded], statistic: Linearized, result: Search
) -> EstimateRow:
    """Row of the table: the difference between a slice and the rest, with simultaneous bounds."""
    inside, level = weak.slice.contains_rows(coded), 1 - result.level(weak.slice)
    first, second = (
        linearize(part_of(statistic.origin, np.flatnonzero(rows))) for rows in (inside, ~inside)
    )
    values, numbers = weak.slice.values(coded), (float(first.value), float(second.value))
    row = {"metric": statistic.origin.metric.name, "group": slice_text(values), "against": "rest"}
    row |= {"value": numbers[0] - numbers[1], "p_value": weak.p_alone, "slice": values}
    row |= {"n_rows": weak.n_rows, "value_a": numbers[0], "value_b": numbers[1]}
    row |= {"p_adjusted": weak.p_value, "adjustment": "holm"}
    methods = [name for name in methods_of(first) if name in methods_of(second)]
    methods = [name for name in methods if name not in BOOTSTRAP_METHODS]
    if not methods:
        return EstimateRow(row | {"note": "the metric has no interval without draws"}, level)
    compared = difference_of_samples(first, second, Asked(level, method=methods[0]), names=_SIDES)
    return EstimateRow(row | {key: getattr(compared, key) for key in _OF_INTERVALS}, level)


def _all_folded(weak: WeakSlice) -> list[WeakSlice]:
    """Slices folded into a slice, and those folded into these."""
    return [folded for part in weak.folded for folded in (part, *_all_folded(part))]


def slice_text(values: Mapping[str, Any] | str) -> str:
    """A slice in words."""
    if isinstance(values, str):
        return values
    texts = []
    for name, value in values.items():
        text = MISSING if value is None else formats.plain(value) or str(value)
        joint = {"<": "", ">": "", "[": "in "}.get(text[:1], "= ")
        texts.append(f"{name} {joint}{text}")
    return ", ".join(texts)


_SLICE = Shown("slice", "slice", slice_text, is_text=True)
_ROWS, _P_VALUE = ("rows", "n_rows"), ("p (adjusted)", "p_value")
SHOWN = [
    _SLICE,
    *columns(_ROWS, ("value", "value_a"), ("rest", "value_b")),
    Shown("difference", "value", formats.signed),
    *columns("interval", ("p (adjusted)", "p_adjusted")),
]
FOLDED = [_SLICE, Shown("into", "into", slice_text, is_text=True), *columns(_ROWS, _P_VALUE)]
LEFT_OUT = [_SLICE, *columns(_ROWS)]


@dataclass(frozen=True, eq=False, slots=True)
class WeakSlices(Tabular):
    """Slices in which a metric is worse than in the rest, the strongest evidence first.

    Made by `weak_slices`; printing it shows a table.

    Parameters
    ----------
    metric : str
        Name of the metric.
    value : float
        The metric of all rows.
    rows : Estimates
        A row per slice: ``group`` (the slice as text), ``value`` (the difference from all other
        rows, ``against`` "rest") with simultaneous ``low`` and ``high``, ``p_value`` (unadjusted),
        ``p_adjusted`` and the other keys of estimates; then ``slice`` (a dict of column to value,
        or to a bin as text), ``n_rows``, ``value_a`` (the metric in the slice) and ``value_b`` (in
        all other rows).
    folded : Table
        Slices that are worse only because of rows they share with a slice of ``rows``, with
        ``slice``, ``into``, ``n_rows`` and ``p_value``.
    left_out : Table
        Columns and slices that were not tested, with ``slice`` (for a column ``{name: "any"}``),
        ``n_rows`` and ``reason``.
    n_rows : int
        Number of rows.
    n_tested : int
        Number of slices that were tested.
    alpha : float
        Probability of reporting any slice that is not worse.

    Examples
    --------
    >>> from skmetrics_ext import weak_slices
    >>> site = ["north", "south"] * 100
    >>> true, pred = [1] * 200, [1, 1, 1, 0] * 50
    >>> data = {"ill": true, "found": pred, "site": site}
    >>> weak_slices(data, true="ill", pred="found", metric="accuracy").n_tested
    2
    """

    metric: str
    value: float
    rows: Estimates
    folded: Table
    left_out: Table
    n_rows: int
    n_tested: int
    alpha: float

    def _as_rows(self) -> Estimates:
        listed = [row.changed(slice=row["group"]) for row in self.rows]
        lead = (
            f"{self.metric} {formats.number(self.value)} in {self.n_rows} rows; "
            f"{self.n_tested} slices tested, alpha {self.alpha:g} overall"
        )
        notes = [_counted(self.folded, "slice", "folded into these (.folded)")] * bool(self.folded)
        notes += [_counted(self.left_out, "row", "not tested (.left_out)")] * bool(self.left_out)
        empty = "no slice is shown to be worse than the other rows"
        shown: Any = {"columns": SHOWN, "lead": [lead], "notes": notes, "empty": empty}
        return Estimates(listed, confidence_level=1 - self.alpha, **shown)

    def plot(self, ax: Any = None) -> Any:
        """Difference of each slice from the other rows, with simultaneous intervals.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Axes to draw on; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw(self, ax)


def _counted(rows: Table, what: str, why: str) -> str:
    return f"{len(rows)} {what}{'s' * (len(rows) != 1)} {why}"

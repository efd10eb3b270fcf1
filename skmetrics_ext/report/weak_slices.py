"""Slices of the rows in which a metric is worse than in the other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext import formats
from skmetrics_ext.inference.compare_samples import difference_of_samples
from skmetrics_ext.inference.draws.bootstrap import BOOTSTRAP_METHODS, PLAN
from skmetrics_ext.inference.draws.readers import check_rows, find_metric, sample_of_checked
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.merged.columns import score_columns
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import draw
from skmetrics_ext.rows import Row, Rows, Shown, Tabular, columns
from skmetrics_ext.slices.coding import Coded
from skmetrics_ext.slices.slice_cells import check_number
from skmetrics_ext.slices.slice_search import Search, WeakSlice, search
from skmetrics_ext.slices.slice_tests import part_of, slice_tests
from skmetrics_ext.slices.table import FEW_BINS, Table, check_lengths, read_slices, slice_columns
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.groups import Design, read_groups
from skmetrics_ext.validation.parameters import check_integer, check_level

_NAN = float("nan")
_SIDES = ("slice", "rest")


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
    min_rows: int = 50,
    alpha: float = 0.05,
    bins: Any = FEW_BINS,
    weight: str | None = None,
    groups: str | None = None,
    **metric_params: Any,
) -> WeakSlices:
    r"""Slices of the rows in which a metric is worse than in all other rows.

    Every value of every column, and every combination of values of up to ``max_columns``
    columns, is tested. The chance that any slice is found that is not worse is at most
    ``alpha``, however many are looked at and however they overlap (Holm 1979); half of it
    is kept for single columns where there are two.

    Parameters
    ----------
    data : data frame, pyarrow table or mapping
        Rows in memory: of pandas, polars or pyarrow, or arrays by the names of their columns.
    true : str
        Column of true labels.
    metric : str or callable
        One of `influence_values`, that has a direction and is one number.
    score : str, list of str or dict, default=None
        Column of the scores or probabilities of the positive class; of more classes one column
        each, in the order of ``labels``, or as a dict from class to column.
    pred : str, default=None
        Column of predicted labels, for metrics of labels.
    columns : list of str, default=None
        Columns that make slices; by default all that are used for nothing else. Missing values
        are a value, None. Numbers of more than 10 values are read in bins.
    max_columns : int, default=2
        The most columns of a slice.
    min_rows : int, default=50
        The fewest rows of a slice that is tested, and of the rows outside of it.
    alpha : float in (0, 1), default=0.05
        The chance that any slice is found that is not worse.
    bins : int or dict, default=5
        Number of quantile bins of numeric columns; a dict from column to a number of bins, or
        to their inner edges, for some of them.
    weight : str, default=None
        Column of weights.
    groups : str, default=None
        Column of groups: rows of one group depend on each other (several of a patient).
    **metric_params : dict
        Parameters of the metric: ``labels``, ``pos_label``, ``average`` and others.

    Returns
    -------
    WeakSlices
        ``.rows``, ``.folded``, ``.left_out``, ``.frame()`` and ``.plot()``; it prints as a table.

    Raises
    ------
    {raises}
        Also if a column is not there or names nearly every row, and if the columns make more
        slices than can be tested.

    Notes
    -----
    Of metrics that are a share of rows (accuracy, recall, precision, or the F1 score, which grows
    with one) the test is Fisher's exact one, of rows without weights and groups. Of all others

    .. math:: t = (\hat m_S - \hat m_{\bar S}) / \sqrt{\max(v_S, v^0_S) + v_{\bar S}}

    with the variance of the influence values of the rows of the slice, but not less than that of
    as many rows that are like all others; degrees of freedom by Satterthwaite. With groups sums
    over these take the place of rows.

    A slice is folded into one that holds it if it is not worse than the rest of that; and into
    those before it in the list if it is not worse without their rows. Intervals hold together
    with a chance of 1 - ``alpha`` (Bonferroni), and as they are two-sided may touch 0.

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
    >>> print(found.rows[0].slice, found.rows[0].value, found.rows[0].rest)
    {'site': 'south', 'ward': 'b'} 0.2 1.0
    """
    max_columns = check_integer("max_columns", max_columns, 1)
    min_rows = check_integer("min_rows", min_rows, 2)
    alpha = check_level(alpha, "alpha")
    table = Table(data)
    measure = find_metric(metric, metric_params)
    statistic, sign = _read(measure, table, true, pred, score, weight, groups)
    used = [true, pred, weight, groups, *score_columns(score, None)[0]]
    names = slice_columns(columns, table, used)
    by_default, n_rows = columns is None, len(statistic.origin.data.true)
    coded, reasons = read_slices(table, names, bins, by_default=by_default, min_rows=min_rows)
    if not coded:
        why = "; ".join(reasons.values()) or "data has none beside those that are named"
        raise InvalidParameterError(f"No column makes slices: {why}.")
    coded = _with_weight(coded, table, weight, n_rows)
    check_number(coded, max_columns)
    result = search(slice_tests(statistic, sign), coded, max_columns, min_rows, alpha)
    undefined = f"{measure.name} is undefined there"
    skipped = [({name: "any"}, n_rows, why) for name, why in reasons.items()]
    skipped += [(part.values(coded), n_inside, undefined) for part, n_inside in result.undefined]
    keys = ("slice", "n_rows", "reason")
    left_out = [dict(zip(keys, row, strict=True)) for row in skipped]
    folded = [
        {
            "slice": less.slice.values(coded),
            "into": weak.slice.values(coded),
            "n_rows": less.n_rows,
            "p_value": less.p_value,
        }
        for weak in result.found
        for less in _all_folded(weak)
    ]
    listed = [_row(weak, coded, statistic, result) for weak in result.found]
    tables = Rows(listed, SHOWN), Rows(folded, FOLDED), Rows(left_out, LEFT_OUT)
    value = float(statistic.value)
    return WeakSlices(measure.name, value, *tables, n_rows, result.n_tested, alpha)


# --------------------------------------------------------------------------- the metric


def _read(
    metric: Metric, table: Table, true: Any, pred: Any, score: Any, weight: Any, groups: Any
) -> tuple[Linearized, float]:
    """The metric on all rows, and 1 if higher is better, else -1."""
    if metric.row is None:
        raise InvalidParameterError(
            f"metric must be one of this package, whose derivative is known, got {metric.name}."
        )
    if metric.row.greater_is_better is None:
        raise InvalidParameterError(f"{metric.name} is neither better higher nor lower.")
    response, params = _response(metric, table, pred, score)
    y_true = table.read(true, "true")
    weights = None if weight is None else table.read(weight, "weight")
    check_lengths({"true": len(y_true), "score or pred": len(response)})
    settled, checked = check_rows(metric.with_params(**params), y_true, response, weights)
    n_rows = len(y_true)
    if checked.true.shape[0] != n_rows:
        raise InvalidParameterError("data holds masked rows: leave them out.")
    group = None if groups is None else read_groups(table.read(groups, "groups"), n_rows)
    statistic = linearize(sample_of_checked(settled, checked, Design(group)))
    if np.ndim(statistic.value) != 0:
        raise InvalidParameterError(
            f"weak_slices needs a metric that is one number, got {statistic.value!r:.60} from "
            f"{metric.name}: choose an average."
        )
    if not statistic.has_influence or not np.isfinite(statistic.value):
        why = "is undefined" if statistic.has_influence else "has no derivative by the rows"
        raise InvalidParameterError(f"metric={metric.name!r} of these data {why}.")
    return statistic, 1.0 if metric.row.greater_is_better else -1.0


def _response(metric: Metric, table: Table, pred: Any, score: Any) -> tuple[Any, dict[str, Any]]:
    """Predicted labels or scores, and the labels if columns of scores name the classes."""
    reads_labels = metric.spec.response == "labels"
    if (pred if reads_labels else score) is None:
        missing = "predicted labels: pass pred=" if reads_labels else "scores: pass score="
        raise InvalidParameterError(f"{metric.name} needs {missing}, the name of a column.")
    if reads_labels:
        return table.read(pred, "pred"), {}
    names, labels = score_columns(score, metric.params.get("labels"))
    params = {} if labels is None else {"labels": labels}
    read = [table.read(name, "score") for name in names]
    if len(read) == 1:
        return read[0], params
    check_lengths({name: len(one) for name, one in zip(names, read, strict=True)})
    return np.column_stack([one.values for one in read]), params


def _with_weight(
    coded: Sequence[Coded], table: Table, weight: str | None, n_rows: int
) -> list[Coded]:
    """Columns without the rows of weight 0."""
    mass = np.ones(n_rows) if weight is None else np.asarray(table.read(weight, "weight").values)
    lengths = {column.name: len(column.codes) for column in coded}
    check_lengths({"true" if weight is None else weight: len(mass), **lengths})
    if mass.all():
        return list(coded)
    return [Coded(column.name, column.values, column.codes[mass != 0]) for column in coded]


# --------------------------------------------------------------------------- rows


def _row(
    weak: WeakSlice, coded: Sequence[Coded], statistic: Linearized, result: Search
) -> dict[str, Any]:
    """The metric in a slice and in all other rows, and their difference with its bounds."""
    inside, level = weak.slice.contains_rows(coded), 1 - result.level(weak.slice)
    first, second = (
        linearize(part_of(statistic.origin, np.flatnonzero(rows))) for rows in (inside, ~inside)
    )
    value, rest = float(first.value), float(second.value)
    row = {"slice": weak.slice.values(coded), "n_rows": weak.n_rows, "value": value, "rest": rest}
    row |= {"difference": value - rest, "low": _NAN, "high": _NAN, "p_value": weak.p_value}
    methods = [name for name in methods_of(first) if name in methods_of(second)]
    methods = [name for name in methods if name not in BOOTSTRAP_METHODS]
    if not methods:
        return row | {"note": "the metric has no interval without draws"}
    compared = difference_of_samples(first, second, methods[0], Claim(), level, PLAN, names=_SIDES)
    return row | {"low": compared.low, "high": compared.high, "note": compared.note}


def _all_folded(weak: WeakSlice) -> list[WeakSlice]:
    return [less for part in weak.folded for less in (part, *_all_folded(part))]


def slice_text(values: Mapping[str, Any] | str) -> str:
    """A slice in words, if it is not in words already."""
    if isinstance(values, str):
        return values
    texts = []
    for name, value in values.items():
        text = "missing" if value is None else formats.plain(value) or str(value)
        joint = {"<": "", ">": "", "[": "in "}.get(text[:1], "= ")
        texts.append(f"{name} {joint}{text}")
    return ", ".join(texts)


_SLICE = Shown("slice", "slice", slice_text, is_text=True)
_ROWS, _P_VALUE = ("rows", "n_rows"), ("p (adjusted)", "p_value")
_NUMBERS = columns(_ROWS, "value", "rest", "difference", "interval", _P_VALUE)
SHOWN = [_SLICE, *_NUMBERS]
FOLDED = [_SLICE, Shown("into", "into", slice_text, is_text=True), *columns(_ROWS, _P_VALUE)]
LEFT_OUT = [_SLICE, *columns(_ROWS)]


@dataclass(frozen=True, eq=False, slots=True)
class WeakSlices(Tabular):
    """Slices in which a metric is worse than in the other rows, the strongest evidence first.

    Made by `weak_slices`; printing it shows a table.

    Parameters
    ----------
    metric : str
        Name of the metric.
    value : float
        The metric of all rows.
    rows : Rows
        Of each slice ``slice`` (a dict of column to value, or to a bin as text), ``n_rows``,
        ``value``, ``rest`` (the metric of all other rows), ``difference`` (value less rest),
        ``low`` and ``high`` (of the difference, joint), ``p_value`` (adjusted) and ``note``.
    folded : Rows
        Slices that are worse for the rows that they share with one of those: ``slice``,
        ``into``, ``n_rows`` and ``p_value``.
    left_out : Rows
        Columns and slices that were not tested: ``slice`` (of a column its name alone),
        ``n_rows`` and ``reason``.
    n_rows : int
        Number of rows.
    n_tested : int
        Number of slices that were tested.
    alpha : float
        The chance that any slice is found that is not worse.

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
    rows: Rows
    folded: Rows
    left_out: Rows
    n_rows: int
    n_tested: int
    alpha: float

    def _as_rows(self) -> Rows:
        listed = [Row({**row, "slice": slice_text(row["slice"])}) for row in self.rows]
        lead = (
            f"{self.metric} {formats.number(self.value)} in {self.n_rows} rows; "
            f"{self.n_tested} slices tested, alpha {self.alpha:g} over all"
        )
        notes = [_counted(self.folded, "slice", "folded into these (.folded)")] * bool(self.folded)
        notes += [_counted(self.left_out, "row", "not tested (.left_out)")] * bool(self.left_out)
        empty = "no slice is shown to be worse than the other rows"
        return Rows(listed, SHOWN, lead=[lead], notes=notes, empty=empty)

    def plot(self, ax: Any = None) -> Any:
        """Difference of each slice from the other rows, with joint intervals.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw(self, ax)


def _counted(rows: Rows, what: str, why: str) -> str:
    return f"{len(rows)} {what}{'s' * (len(rows) != 1)} {why}"

"""evaluate: metrics of a data set, by the engine that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from skmetrics_ext.backends.datasets import open_engine
from skmetrics_ext.backends.margins import add_margin, with_edges
from skmetrics_ext.backends.work import SAMPLE, Counted, Survey, Task
from skmetrics_ext.merged.by import By
from skmetrics_ext.merged.columns import Names
from skmetrics_ext.merged.evaluation import Evaluation, build_evaluation
from skmetrics_ext.merged.held import hold_rows
from skmetrics_ext.merged.layout import Layout, find_metrics, make_layout
from skmetrics_ext.merged.ranges import RangePlan, kind_of
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.progress import Progress, reporting
from skmetrics_ext.registry import OF_SCORES
from skmetrics_ext.tallies import ScoreSketch
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.column_names import check_names
from skmetrics_ext.validation.parameters import check_integer, check_level

_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20}
_UNITS["GIB"] = 1 << 30
_BYTES_PER_SCORE = 96  # of a table: scores, counts, and what reading them takes
_BYTES_PER_ROW = 200  # of a range on a worker, with the copies that sorting it takes


@document
def evaluate(
    dataset: Any,
    *,
    true: str,
    score: str | Sequence[str] | Mapping[Any, str] | None = None,
    pred: str | None = None,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    margins: bool = False,
    bins: Mapping[str, Any] | None = None,
    min_rows: int = 1,
    groups: str | None = None,
    metrics: Any = OF_SCORES,
    labels: Any = None,
    pos_label: Any = None,
    intervals: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    curve_points: int = 0,
    engine: Literal["auto", "memory", "duckdb", "dask", "spark"] = "auto",
    approximate: bool = False,
    n_bins: int = 16384,
    memory_limit: int | str = "1GiB",
    progress: Progress = None,
) -> Evaluation:
    r"""Metrics of data that need not fit in memory, equal to the functions of this package.

    The data are read in parts, and each part is summed up in a few numbers. For metrics of rankings
    the engine sorts or shuffles the rows into ranges of scores, and

    .. math:: 2 U = \sum_r \sum_{s \in r} p_s (2 N_{<s} + n_s)

    adds exactly over the ranges :math:`r`, as every other metric of the ranking does.

    Parameters
    ----------
    dataset : object
        Path, folder or glob of Parquet or CSV files; pyarrow data set, table or record-batch
        reader; pandas or polars frame, polars lazy frame; Dask or Spark DataFrame; DuckDB
        relation.
    true : str
        Column of true labels.
    score : str, list of str or dict, default=None
        Column of the scores or probabilities of the positive class; of more classes one column
        each, in the order of ``labels``, or as a dict from class to column.
    pred : str, default=None
        Column of predicted labels, for metrics of labels.
    weight : str, default=None
        Column of weights.
    by : str or list of str, default=None
        Column of groups, each of which is evaluated by itself. With a list of columns every
        combination of values that occurs is a group, a tuple.
    margins : bool, default=False
        Whether to add the groups of some of the columns only (None stands for the others), and all
        rows, whose group is None.
    bins : dict of str to int or sequence of float, default=None
        Numeric columns of ``by`` to cut into bins: the inner edges, or the number of bins with
        about equal numbers of rows (from a sample of 100,000 rows, if there are more).
    min_rows : int, default=1
        A group of fewer rows has no values, and ``reason`` says so.
    groups : str, default=None
        Column of clusters (patients), whose rows may depend on each other, whatever group of
        ``by`` they are in. Intervals and gaps allow for it; the rows are held in memory.
    metrics : sequence of str and callable, or dict of name to these
        Names of `get_scorer_names` (losses are not negated), metrics of this package,
        `functools.partial` of them, ``"pairwise_roc_auc"``.
    labels : array-like, default=None
        The classes: of two, the negative one first. Metrics of labels average over those that are
        listed. Those that occur, sorted, by default.
    pos_label : int, float, bool or str, default=None
        The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or
        {-1, 1}, or True; of other labels metrics of one class ask for it, and those that are the
        same from either side take scores to be of the later class.
    intervals : bool, default=False
        Whether to add confidence intervals: of metrics of labels, of rankings of two classes that
        fit into memory, of mean losses, and with ``groups`` of all metrics that have influence
        values. ``reason`` says why others have none.
    confidence_level : float in (0, 1), default=0.95
        Of the intervals.
    n_resamples : int, default=None
        Bootstrap resamples of intervals without a formula (Kolmogorov-Smirnov statistic,
        calibration errors). All intervals are then those of `confidence_interval`, and the rows
        are held in memory. By default such metrics have no interval, and ``reason`` says so.
    curve_points : int, default=0
        Number of points of the ROC and precision-recall curves in ``curves`` of the result, which
        come with a bound of the error of leaving out the others.
    engine : {"auto", "memory", "duckdb", "dask", "spark"}, default="auto"
        What does the work. "auto": the engine of the data set itself; for files and streams DuckDB
        if it is installed, else batches in this process.
    approximate : bool, default=False
        Whether to bound metrics of rankings from one pass in fixed memory instead of sorting:
        ``low`` and ``high`` certainly hold the value, and ``value`` is nan.
    n_bins : int, default=16384
        Bins of the sketch for ``approximate=True``.
    memory_limit : int or str, default="1GiB"
        Bytes, or text like "500MB", that one process may use, about: sizes DuckDB's buffers, the
        ranges that workers read, and tables of distinct scores.
    progress : bool or callable, default=None
        Whether to show how many rows were read (for DuckDB and batches), or a function of the
        numbers of rows read and of all.

    Returns
    -------
    Evaluation
        A row for each group and metric: ``value, low, high, n_rows, method, reason``. Metrics
        equal those of the functions: to the last bit if they are read from counts (labels, areas
        under the ROC curve) and rows have no weight, to rounding else. ``gaps``, ``worst``,
        ``spread`` and ``plot`` compare the groups.

    Raises
    ------
    ValueError
        If a column is missing, stands twice or holds a missing value, a score that is not finite
        or a negative weight (the message says where), if a file or a query cannot be read, or an
        argument is not accepted.
    PartitionError
        If a partition of Dask or Spark raises; the message names it.
    ImportError
        If the engine is not installed; the message says what to install.

    See Also
    --------
    Accumulator : The same for rows that come one batch after the other.

    Examples
    --------
    >>> import pandas
    >>> from skmetrics_ext import evaluate
    >>> frame = pandas.DataFrame({"ill": [0, 0, 1, 1], "risk": [0.1, 0.4, 0.35, 0.8]})
    >>> print(evaluate(frame, true="ill", score="risk", metrics=["roc_auc", "brier_score"]))
    metric        value  rows
    -----------  ------  ----
    roc_auc      0.7500     4
    brier_score  0.1581     4
    """
    flags = {"intervals": intervals, "approximate": approximate, "margins": margins}
    for name, flag in flags.items():
        check_option(name, flag, (True, False))
    least = check_integer("min_rows", min_rows, 1)
    level = check_level(confidence_level)
    if n_resamples is not None:
        check_integer("n_resamples", n_resamples, 1)
    points = check_integer("curve_points", curve_points, 0)
    asked = find_metrics(metrics)
    columns, labels = _columns(score, labels)
    names = _names(true, columns, pred, weight, by, groups)
    if pred is None and any(one.sums == "tables" for one in asked):
        first = next(one.name for one in asked if one.sums == "tables")
        raise InvalidParameterError(f"{first} needs predicted labels: say which column, pred=.")
    most_bytes = read_bytes(memory_limit)
    ranked = tuple(one for one in asked if one.sums == "ranks")
    opened = open_engine(dataset, names, engine, most_bytes)
    try:
        if bins is not None:
            opened.names = names = with_edges(names, bins, opened)
        survey = opened.survey(bool(ranked) and (approximate or opened.needs_ranges))
        names.by.check(survey.sums.rows)
        layout = _layout(survey, asked, labels, pos_label, len(columns))
        if not isinstance(score, Mapping):
            _check_names(columns, layout)
        n_columns = max(len(columns), 1)
        spread = intervals and any(kind_of(one) == "wins" for one in ranked)
        most = most_bytes // (_BYTES_PER_SCORE * (n_columns + 1))
        plan = RangePlan(ranked, bool(spread), points, max(most, 1))
        numbers = {group: i for i, group in enumerate(survey.sums.rows)}
        task = Task(names, layout, plan, numbers)
        task = _with_ranges(task, survey, approximate, n_bins, most_bytes, opened.needs_ranges)
        passes = 1 + (len(columns) if ranked and not approximate else 0)
        counted = Counted()
        with reporting(progress, survey.n_rows * (passes + 1), unit="row") as opened.report:
            counts = layout.of_kind("moments", "bins") or layout.n_columns == 2
            if counts or task.edges or task.sketch is not None:
                counted = opened.count(task)
            counted.sums.add(survey.sums)
            readings = {}
            if ranked and not approximate:
                readings = opened.rank(task, counted.sums, counted)
            for fewer in names.by.levels() if margins else []:
                readings |= add_margin(fewer, task, counted, readings, opened)
            rows = None
            if groups is not None or (intervals and n_resamples is not None):
                rows = hold_rows(opened.collect(names.all), names, layout, most_bytes)
                rows = replace(rows, n_resamples=n_resamples)
    finally:
        opened.close()
    return build_evaluation(
        layout,
        plan,
        counted.sums,
        readings,
        counted.sketches,
        engine=opened.name,
        level=level if intervals else None,
        by=names.by,
        min_rows=least,
        rows=rows,
    )


def _names(
    true: Any, score: tuple[Any, ...], pred: Any, weight: Any, by: Any, groups: Any
) -> Names:
    may_lack = {"pred": pred, "weight": weight, "groups": groups}
    given = [("true", true), *(("score", name) for name in score)]
    given += [(what, name) for what, name in may_lack.items() if name is not None]
    for what, name in given:
        if not isinstance(name, str):
            raise InvalidParameterError(f"{what} must be the name of a column, got {name!r:.60}.")
    return Names(true, score, pred, weight, By.of(by), groups)


def _columns(
    score: str | Sequence[str] | Mapping[Any, str] | None, labels: Any
) -> tuple[tuple[str, ...], Any]:
    if score is None:
        return (), labels
    if isinstance(score, str):
        return (score,), labels
    if isinstance(score, Mapping):
        if labels is None:
            labels = list(score)
        missing = [label for label in labels if label not in score]
        if missing or len(score) != len(list(labels)):
            raise InvalidParameterError(
                f"score names the columns of {list(score)}, labels are {list(labels)}: they must "
                "be the same classes."
            )
        return tuple(score[label] for label in labels), labels
    if not isinstance(score, Iterable):
        raise InvalidParameterError(
            f"score must be the name of a column, a list of names, or a dict, got {score!r:.60}."
        )
    return tuple(score), labels


def _layout(
    survey: Survey, asked: Iterable[Any], labels: Any, pos_label: Any, n_columns: int
) -> Layout:
    if not survey.n_rows:
        raise InvalidParameterError("The data set has no rows.")
    found = []
    for tally in survey.sums.tables.values():
        used = tally.table.sum(axis=1) != 0
        if not n_columns:  # of labels also those that are only predicted
            used |= tally.table.sum(axis=0) != 0
        found.append(tally.classes[used])
    present = _union([own for own in found if len(own)])
    if present is None:
        raise InvalidParameterError(
            "Sample weights must contain at least one non-zero number; every weight is 0."
        )
    return make_layout(asked, present, labels, pos_label, n_columns)


def _check_names(columns: Sequence[str], layout: Layout) -> None:
    listed = layout.classes.tolist()
    instead = "say which is of which class: score={class: column}"
    check_names(columns, listed[-len(columns) :], "score", listed, instead)


def _union(parts: list[Array]) -> Array | None:
    return np.unique(np.concatenate(parts)) if parts else None


def _with_ranges(
    task: Task, survey: Survey, approximate: bool, n_bins: int, most_bytes: int, ranges: bool
) -> Task:
    """The task with edges of ranges, or with sketches, from the sample."""
    if survey.sample is None:
        return task
    columns = survey.sample.T[task.layout.ranked]
    if approximate:
        bins = check_integer("n_bins", n_bins, 1)
        sketches = tuple(ScoreSketch.from_sample(column, bins) for column in columns)
        return replace(task, sketch=sketches)
    if not ranges:
        return task
    wanted = -(-survey.n_rows * _BYTES_PER_ROW // most_bytes)
    n_ranges = int(min(max(wanted, 1), SAMPLE // 10))
    edges = []
    for column in columns:
        ordered = np.sort(column)
        places = np.arange(1, n_ranges) * len(ordered) // n_ranges
        edges.append(np.unique(ordered[places]))
    return replace(task, edges=tuple(edges))


def read_bytes(limit: int | str) -> int:
    """A number of bytes, from a number or from text with a unit."""
    if isinstance(limit, str):
        text = limit.strip().upper()
        digits = text.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ ")
        unit = text[len(digits) :].strip()
        try:
            found = int(float(digits) * _UNITS[unit])
        except (ValueError, KeyError):
            found = 0
    else:
        found = int(limit)
    if found <= 0:
        raise InvalidParameterError(
            "memory_limit must be a number of bytes, or text like '500MB' or '2GiB', got "
            f"{limit!r}."
        )
    return found

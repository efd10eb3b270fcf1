"""evaluate: metrics of a data set, by the engine that holds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext._lazy import ignoring
from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.engines import open_engine
from skmetrics_ext.backends.partitions import Engine, PartitionSurvey, Task
from skmetrics_ext.inference.abstention import NO_ANSWER, Abstained, answered, not_ignored
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.draws.readers import errors_naming
from skmetrics_ext.inference.labelling import Labelling, Population, naming_labelling
from skmetrics_ext.inference.reader_studies import refuse_others
from skmetrics_ext.merged import evaluation as merged
from skmetrics_ext.merged.columns import ColumnNames, read_group_column, read_value_column
from skmetrics_ext.merged.evaluation import Evaluation
from skmetrics_ext.merged.group_sums import GroupSums
from skmetrics_ext.merged.grouped_rows import hold_rows
from skmetrics_ext.merged.layout import Layout, find_metrics, make_layout
from skmetrics_ext.merged.ranges import RangePlan
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, Options, PosLabel
from skmetrics_ext.progress import Progress, reporting
from skmetrics_ext.registry import Metric
from skmetrics_ext.registry.defaults import OF_SCORES
from skmetrics_ext.scoring.many import table_of_arrays
from skmetrics_ext.slices.coding import check_edges, edges_of, numbers_of, quantile_edges
from skmetrics_ext.slices.group_columns import GroupColumns, check_bins
from skmetrics_ext.slices.periods import dataset_in_periods
from skmetrics_ext.slices.table import score_columns
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.column_names import check_names, note_on_name
from skmetrics_ext.validation.containers import take_rows
from skmetrics_ext.validation.errors import spoken
from skmetrics_ext.validation.parameters import check_draws, check_integer, check_level

_UNITS = {
    "": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30,
}  # fmt: skip
_BYTES = re.compile(r"\s*+(\d++\.?\d*+|\.\d++)\s*+((?:[KMG]I?B)?)\s*+", re.IGNORECASE)
_BYTES_PER_SCORE = 96  # of a table: scores, counts, and what reading them takes


@ignoring("the exact value is computed", "approximate", "n_bins")
@document
def evaluate(
    dataset: Any,
    *,
    true: str,
    score: str | Sequence[str] | Mapping[Any, str] | None = None,
    pred: str | None = None,
    models: Mapping[Any, Mapping[str, Any]] | None = None,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    groups: str | None = None,
    metrics: str | Callable[..., Any] | Iterable[Any] = OF_SCORES,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    intervals: bool = False,
    confidence_level: float = 0.95,
    weights_are: WeightsAre = "importance",
    margins: bool = False,
    bins: Mapping[str, Any] | None = None,
    freq: str | None = None,
    proxy: str | None = None,
    sampling: str | None = None,
    population: Population = "process",
    observed: str | None = None,
    X: Sequence[str] = (),
    prevalence: Any = None,
    abstain: Any = None,
    abstained: Abstained = "leave out",
    ignore: Any = None,
    min_rows: int = 1,
    n_resamples: int | None = None,
    curve_points: int = 0,
    progress: Progress = None,
    engine: Literal["auto", "memory", "duckdb", "dask", "spark"] = "auto",
    memory_limit: int | str = "1GiB",
) -> Evaluation:
    r"""Metrics of data that need not fit in memory, equal to the functions of this package.

    The data are read in parts, each of which is reduced to sums. For metrics of rankings the engine
    sorts or shuffles the rows into ranges of scores, and

    .. math:: 2 U = \sum_r \sum_{s \in r} p_s (2 N_{<s} + n_s)

    adds up exactly over the ranges :math:`r`, like every other metric of the ranking.

    Parameters
    ----------
    dataset : object
        Path, folder or glob of Parquet, CSV or JSON files; pyarrow data set, table or record-batch
        reader; pandas or polars frame, polars lazy frame; Dask or Spark DataFrame; DuckDB
        relation.
    true : str
        Column of true labels.
    score : str, list of str or dict, default=None
        Column of the scores or probabilities of the positive class; of more classes one column
        each, in the order of ``labels``, or as a dict from class to column.
    pred : str, default=None
        Column of predicted labels, for metrics of labels.
    models : dict, default=None
        Several models by name, each a dict of ``score`` and ``pred``, in place of these, such as
        ``{"old": {"score": "p1"}, "new": {"score": "p2", "pred": "c2"}}``; each has the metrics of
        which it has predictions. In memory their rows are held, so that differences are paired.
    weight : str, default=None
        Column of weights.
    by : str or list of str, default=None
        Column of groups, which are evaluated separately. With a list of columns, every
        combination of values that occurs is a group, a tuple. Rows without a value are the group
        "missing".
    groups : str, default=None
        Column of clusters (patients), whose rows may depend on each other, also across groups of
        ``by``. Intervals and gaps take this into account; the rows are held in memory.
    metrics : sequence of str and callable, or dict of name to these
        Names of `get_scorer_names` (losses are not negated), metrics of this package,
        `functools.partial` of them, ``"pairwise_roc_auc"``.
    labels : array-like, default=None
        The classes; of two, the negative one first. Metrics of labels average over them. By
        default those that occur, sorted.
    pos_label : int, float, bool or str, default=None
        The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or
        {-1, 1}, or True. With other labels, metrics of one class ask for it, and metrics that are
        equal for both classes read scores as those of the later class.
    intervals : bool, default=False
        Whether to add confidence intervals: for metrics of labels, rankings of two classes that
        fit into memory, mean losses, and with ``groups`` all metrics that have influence values.
        ``note`` says why others have none.
    confidence_level : float in (0, 1), default=0.95
        Nominal level of the intervals.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows. Weighted rows have
        intervals only in the second case.
    margins : bool, default=False
        Whether to add the groups by some of the columns only (None stands for the others), and all
        rows together, whose group is None.
    bins : dict of str to int or sequence of float, default=None
        Numeric columns of ``by`` to cut into bins: the inner edges, or the number of bins with
        about equal numbers of rows (from a sample of 100,000 rows, if there are more).
    freq : str, default=None
        Groups by time: the period alias of pandas ("D", "W", "M", "Q", "Y") in which the dates of
        ``by`` are counted; for a pandas data frame.
    proxy, sampling : str, default=None
        Columns of a machine's labels or probabilities, and of the probabilities with which rows
        were labelled, if the column of true labels is missing in other rows, as in
        `confidence_interval`. The rows are held in memory.
    population : {"process", "pool"}, default="process"
        What the labels speak of, as in `confidence_interval`.
    observed : str, default=None
        Column of True or 1 where the row was verified, as in `confidence_interval`.
    X : sequence of str, default=()
        Columns that verification depends on, besides the predictions.
    prevalence : float, Estimate or dict, default=None
        The share of the positive class in the population that is meant, as in
        `confidence_interval`.
    abstain : str, int, float or bool, default=None
        Which values of ``pred`` are no answer, as in `compute_metrics`; of a frame or table in
        memory. The rows have the ``coverage`` next to each metric.
    abstained : {"leave out", "wrong"}, default="leave out"
        What rows without an answer are, as in `compute_metrics`.
    ignore : label or list of labels, default=None
        True labels of rows to leave out, such as -100 of tokens without a label; of a frame of
        pandas or polars, or a table of pyarrow. A note says how many rows these are.
    min_rows : int, default=1
        Groups with fewer rows have no values, and ``note`` says so.
    n_resamples : int, default=None
        Bootstrap resamples for intervals without a formula (Kolmogorov-Smirnov statistic,
        calibration errors). All intervals are then those of `confidence_interval`, and the rows
        are held in memory. By default such metrics have no interval, and ``note`` says so; with
        0 the rows are held for metrics with influence values, and nothing is resampled.
    curve_points : int, default=0
        Number of points of the ROC and precision-recall curves in ``curves`` of the result, each
        with a bound on the error from leaving out the other points.
    progress : bool or callable, default=None
        Whether to show how many rows were read (by DuckDB and in this process), or a function of
        the numbers of rows read and of all.
    engine : {"auto", "memory", "duckdb", "dask", "spark"}, default="auto"
        What reads the data. "auto": the engine of the data set itself; for files and streams DuckDB
        if it is installed, else batches in this process. Parquet files whose rows fit into
        ``memory_limit`` are read in this process, which is faster.
    memory_limit : int or str, default="1GiB"
        Approximate number of bytes, or text like "500MB", that one process may use. It sizes
        DuckDB's buffers, the ranges that workers read, and tables of distinct scores.

    Returns
    -------
    Evaluation
        A row for each group, metric and model, as in `results.Estimates`, with ``n_rows``. Values
        equal those of the functions: to the last bit if they are read from counts (labels, areas
        under the ROC curve) and rows have no weights, else up to rounding. ``against``, ``worst``,
        ``spread`` and ``plot`` compare the groups and models.

    Raises
    ------
    ValueError
        If a column does not exist, occurs twice, or holds a missing value, a score that is not
        finite or a negative weight (the message says where), if a file or a query cannot be read,
        or an argument is invalid.
    PartitionError
        If a partition of Dask or Spark raises an error; the message names it.
    ImportError
        If the engine is not installed; the message says what to install.

    See Also
    --------
    Accumulator : Metrics of rows that arrive in batches.

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
    if ignore is not None:
        return _without_ignored(**locals())
    if models is not None:
        return _of_models(**locals())
    if freq is not None:
        dataset = dataset_in_periods(dataset, by, freq)
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    for name, flag in {"intervals": intervals, "margins": margins}.items():
        check_option(name, flag, (True, False))
    least = check_integer("min_rows", min_rows, 1)
    level = check_level(confidence_level)
    if n_resamples is not None:
        check_draws(n_resamples, 0)
    points = check_integer("curve_points", curve_points, 0)
    checked_metrics = find_metrics(metrics)
    columns, labels = score_columns(score, labels)
    names = _names(true, columns, pred, weight, by, groups)
    of_labels = [metric.name for metric in checked_metrics if metric.sums == "tables"]
    if pred is None and of_labels:
        raise InvalidParameterError(
            f"{of_labels[0]} needs predicted labels: pass their column as pred=."
        )
    if abstain is not None:
        scored = [metric.name for metric in checked_metrics if metric.name not in of_labels]
        if scored and not columns:
            raise InvalidParameterError(f"{scored[0]} needs scores: pass score=, their column.")
        others: Options = {"weights_are": weights_are, "n_resamples": n_resamples, "proxy": proxy}
        others |= {"sampling": sampling, "curve_points": curve_points, "engine": engine}
        others |= {"observed": observed, "prevalence": prevalence}
        refuse_others(evaluate, "with abstain=", others)
        options: Options = {"pos_label": pos_label, "level": level if intervals else None}
        options |= {"metrics": checked_metrics, "margins": margins, "bins": bins}
        options |= {"min_rows": least, "labels": labels}
        return _of_columns(dataset, names, options, abstain, abstained)
    most_bytes = read_bytes(memory_limit)
    ranked = any(metric.sums == "ranks" for metric in checked_metrics)
    name_notes: list[str] = []
    known = {"proxy": proxy, "sampling": sampling, "observed": observed}
    further = _further(known, X)
    if further or population != "process" or prevalence is not None:
        wanted = replace(names, by=GroupColumns((*names.by.names, *further), crossed=True))
        opened = open_engine(dataset, wanted, engine, most_bytes)
        options = {"labels": labels, "pos_label": pos_label, "margins": margins, "bins": bins}
        options |= {"min_rows": least, "level": level if intervals else None}
        whole = {"population": population, "prevalence": prevalence}
        return _of_labels(opened, names, checked_metrics, known | {"X": X}, whole, options)
    plan = RangePlan.of(checked_metrics, intervals, points)
    by_ranges = len(columns) == 1 and by is None and groups is None and plan.needs_no_table
    opened = open_engine(dataset, names, engine, most_bytes, by_ranges)
    try:
        if bins is not None:
            opened.names = names = _with_edges(names, bins, opened)
        lacks, advice = "Column {!r} has a missing value".format, "if it is no answer: " + NO_ANSWER
        with naming_labelling(lacks(true)), naming_labelling(lacks(pred), advice):
            survey = opened.survey(ranked and opened.needs_ranges)
        names.by.check(survey.sums.rows)
        layout = _layout(survey.sums, checked_metrics, labels, pos_label, len(columns))
        if not isinstance(score, Mapping):
            classes = layout.classes.tolist()
            instead = "name the class of each column: score={class: column}"
            check_names(columns, classes[-len(columns) :], "score", classes, instead)
            if len(columns) == 1:
                name_notes = [note_on_name(columns[0], classes, layout.positive)]
        most = most_bytes // (_BYTES_PER_SCORE * (max(len(columns), 1) + 1))
        plan = replace(plan, most=max(most, 1))
        numbers = {group: i for i, group in enumerate(survey.sums.rows)}
        task = Task(names, layout, plan, numbers)
        if survey.sample is not None:
            scores = survey.sample.T[layout.ranked]
            n_ranges = -(-survey.n_rows * partitions.BYTES_PER_ROW // most_bytes)
            n_ranges = min(max(n_ranges, 1), partitions.SAMPLE // 10)
            edges = tuple(quantile_edges(column, n_ranges) for column in scores)
            task = replace(task, edges=edges)
        total_rows = survey.n_rows * opened.n_passes(task)
        with reporting(progress, total_rows, unit="row") as opened.report:
            weighted = weight is not None and weights_are == "importance"
            sums, readings = opened.measure(task, survey.sums)
            group_sums = GroupSums(layout, plan, sums, readings, names.by, weighted)
            for margin in names.by.levels() if margins else []:
                if not group_sums.add_margin(margin):
                    group_sums.readings.update(opened.rank(task.of_margin(margin), sums))
            rows = None
            if groups is not None or (intervals and n_resamples is not None):
                rows = hold_rows(opened.collect(names.all), names, layout, most_bytes)
                rows = replace(rows, n_resamples=n_resamples, weights_are=weights_are)
    finally:
        opened.close()
    return merged.build_evaluation(
        group_sums,
        engine=opened.name,
        level=level if intervals else None,
        min_rows=least,
        rows=rows,
        name_notes=name_notes,
    )


def _further(known: Mapping[str, str | None], X: Any) -> tuple[str, ...]:
    """Names of columns that say what is known of rows without a label."""
    if not isinstance(X, list | tuple):
        raise InvalidParameterError(f"X must be a list of names of columns, got {X!r:.60}.")
    listed = [*known.items(), *(("X", name) for name in X)]
    for argument, name in listed:
        if name is not None and not isinstance(name, str):
            raise InvalidParameterError(
                f"{argument} must be the name of a column, got {name!r:.60}."
            )
    return tuple(name for _, name in listed if name is not None)


def _of_labels(
    opened: Engine,
    names: ColumnNames,
    metrics: Any,
    known: Mapping[str, Any],
    whole: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Evaluation:
    """The table of rows of which some have a label."""
    wanted = opened.names.all
    columns: dict[str, list[Any]] = {name: [] for name in wanted}
    try:
        for data, place in opened.collect(wanted):
            for name in wanted:
                if name not in (names.true, *names.by.names):
                    read_value_column(data, name, place)  # refuses missing values
                part = data[name] if not hasattr(data, "column") else data.column(name)
                columns[name] += part.to_pylist() if hasattr(part, "to_pylist") else list(part)
    finally:
        opened.close()

    def of(named: Mapping[str, str | None]) -> dict[str, Any]:
        return {key: None if name is None else columns[name] for key, name in named.items()}

    scores: Any = [columns[name] for name in names.score]
    scores = np.column_stack(scores) if len(scores) > 1 else scores[0] if scores else None
    arrays = {"scores": scores, "probabilities": scores, **of({"labels": names.pred})}
    given = of({"y_true": names.true, "sample_weight": names.weight, "groups": names.clusters})
    given["by"] = {name: columns[name] for name in names.by.names} or None
    covariates = {name: columns[name] for name in known["X"]} or None
    asked = Labelling.of(**of({**known, "X": None}) | {"X": covariates, **whole})
    options = {**options, **given, "engine": opened.name}
    return table_of_arrays(metrics, arrays=arrays, labelling=asked, **options)


def _without_ignored(dataset: Any, *, true: str, ignore: Any, **options: Any) -> Evaluation:
    """The evaluation of a frame in memory without the rows of some true labels."""
    _check_frame(dataset, "ignore=")
    kept, note = not_ignored(dataset[true], ignore)
    found = evaluate(take_rows(dataset, np.flatnonzero(kept)), true=true, **options)
    found.notes = (*found.notes, *filter(None, [note]))
    return found


def _check_frame(data: Any, what: str) -> None:
    if type(data).__module__.partition(".")[0] not in ("pandas", "polars", "pyarrow"):
        raise InvalidParameterError(
            f"{what} reads a frame of pandas or polars, or a table of pyarrow, got "
            f"{type(data).__name__}: read the rows into one."
        )


def _of_columns(
    data: Any, names: ColumnNames, options: Options, abstain: Any, abstained: str
) -> Evaluation:
    """The metrics of a frame in memory, in some of whose rows there is no answer."""
    _check_frame(data, "abstain=")

    def of_arrays(metrics: Any, y_true: Any, y_pred: Any, y_score: Any = None, **rest: Any) -> Any:
        arrays = {"labels": y_pred, "scores": y_score, "probabilities": y_score}
        return table_of_arrays(find_metrics(metrics), y_true, arrays, **rest)

    given = {"y_true": data[names.true], "y_pred": None if names.pred is None else data[names.pred]}
    scores = [np.asarray(data[name]) for name in names.score]
    given["y_score"] = np.column_stack(scores) if len(scores) > 1 else next(iter(scores), None)
    given["by"] = {name: data[name] for name in names.by.names} or None
    for key, name in {"sample_weight": names.weight, "groups": names.clusters}.items():
        given[key] = None if name is None else data[name]
    return cast(Evaluation, answered(of_arrays, given | options, abstain, abstained))


def _of_models(
    models: Any, *, score: Any, pred: Any, metrics: Any, n_resamples: Any, **options: Any
) -> Evaluation:
    """The evaluation of several models, each of the metrics whose predictions it has."""
    if score is not None or pred is not None:
        raise InvalidParameterError(
            "score= and pred= are those of one model: pass them within models=, such as "
            "models={'new': {'score': 'p', 'pred': 'c'}}."
        )
    if not isinstance(models, Mapping) or not models:
        raise InvalidParameterError(
            "models must be a dict of the name of a model to its columns, such as "
            f"{{'new': {{'score': 'p', 'pred': 'c'}}}}, got {models!r:.60}."
        )
    if options["intervals"] is True and n_resamples is None:
        n_resamples = 0  # rows are held, which differences of models are paired by
    checked, parts = find_metrics(metrics), {}
    for name, columns in models.items():
        if not isinstance(columns, Mapping) or not columns.keys() <= {"score", "pred"}:
            raise InvalidParameterError(
                f"models[{name!r}] must be a dict of score= and pred=, got {columns!r:.60}."
            )
        needed = {metric.name: "pred" if metric.sums == "tables" else "score" for metric in checked}
        fitting = {m.name: m for m in checked if columns.get(needed[m.name]) is not None}
        if fitting:
            part = {"metrics": fitting, "n_resamples": n_resamples, **options, **columns}
            with errors_naming(f"model {name!r}"):
                parts[name] = evaluate(**part)
    asked = {row["metric"] for part in parts.values() for row in part}
    of_none = [metric.name for metric in checked if metric.name not in asked]
    if of_none:
        raise InvalidParameterError(
            f"{of_none[0]} needs {needed[of_none[0]]}=, which no model of models= has."
        )
    return Evaluation.of_models(parts)


def _names(
    true: Any, score: tuple[Any, ...], pred: Any, weight: Any, by: Any, groups: Any
) -> ColumnNames:
    required = [("true", true), *(("score", name) for name in score)]
    optional = [("pred", pred), ("weight", weight), ("groups", groups)]
    for argument, name in required + [pair for pair in optional if pair[1] is not None]:
        if not isinstance(name, str):
            raise InvalidParameterError(
                f"{argument} must be the name of a column, got {name!r:.60}."
            )
    return ColumnNames(true, score, pred, weight, GroupColumns.of(by), groups)


def _layout(
    sums: Sums, metrics: tuple[Metric, ...], labels: Any, pos_label: Any, n_columns: int
) -> Layout:
    if not sums.rows:
        raise InvalidParameterError("The data set has no rows.")
    tally = ConfusionTally.combine(sums.tables.values())
    used = tally.table.any(axis=1)
    if not n_columns:  # without scores, classes that are only predicted count as well
        used |= tally.table.any(axis=0)
    if not used.any():
        raise InvalidParameterError(
            "Sample weights must contain at least one non-zero number; every weight is 0."
        )
    present = np.sort(tally.classes[used])
    return make_layout(metrics, present, labels, pos_label, n_columns)


def read_bytes(limit: int | str) -> int:
    """Number of bytes, from a number or from text with a unit."""
    match = _BYTES.fullmatch(limit) if isinstance(limit, str) else None
    if match is not None:
        n_bytes = int(float(match[1]) * _UNITS[match[2].upper()])
    else:
        n_bytes = 0 if isinstance(limit, str) else int(limit)
    if n_bytes <= 0:
        raise InvalidParameterError(
            f"{spoken('memory_limit')} must be a number of bytes, or text like '500MB' or '2GiB', "
            f"got {limit!r}."
        )
    return n_bytes


# --------------------------------------------------------------------------- bins


def _with_edges(names: ColumnNames, bins: Any, opened: Engine) -> ColumnNames:
    """Column names with the edges of bins, from a sample if only their number is given."""
    if not isinstance(bins, Mapping) or not bins:
        raise InvalidParameterError(
            f"bins must be a dict of column to a number of bins or inner edges, got {bins!r:.60}."
        )
    check_bins(bins, names.by.names)
    edges = {}
    for name, cuts in bins.items():
        if isinstance(cuts, int | np.integer):
            edges[name] = edges_of(name, _sample_column(name, opened), cuts)
        else:
            edges[name] = check_edges(name, cuts)
    return replace(names, by=replace(names.by, edges=edges))


def _sample_column(name: str, opened: Engine) -> Array:
    """Values of a column, or of a sample of its rows if there are many."""
    rng, survey = np.random.default_rng(0), PartitionSurvey()
    for batch, _ in opened.collect((name,)):
        values = numbers_of(read_group_column(batch, name)[0])
        survey.add_sample(rng.random(len(values)), values)
    if survey.sample is None:
        raise InvalidParameterError("The data set has no rows.")
    return survey.sample

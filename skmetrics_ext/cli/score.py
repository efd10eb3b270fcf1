"""``score`` and ``compare``: the models of a file of predictions, and their differences."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

from skmetrics_ext import compare, compare_many, confidence_interval, evaluate, leaderboard
from skmetrics_ext.cli.messages import log, renamed, show
from skmetrics_ext.cli.options import MOST_RESAMPLED, PREDICTIONS, RESAMPLES, Command
from skmetrics_ext.cli.predictions import ALL, LARGE, PredictedModel, Predictions, find_metric
from skmetrics_ext.cli.predictions_page import MODELS_OF_PAIR, Results, best_first, predictions_page
from skmetrics_ext.inference.estimate_rows import EstimateRow
from skmetrics_ext.limits import reader_of_sums
from skmetrics_ext.merged.evaluation import Evaluation
from skmetrics_ext.progress import reporting
from skmetrics_ext.registry import Metric
from skmetrics_ext.registry.defaults import HEADINGS
from skmetrics_ext.requirements import check_requirements
from skmetrics_ext.tables import Table, columns

# Keys of values in version 0.2, and what they are called.
_FORMER = {key: key for key in ("group", "of", "kind", "metric", "value", "low", "high", "n_rows")}
_FORMER |= {"of": "model", "method": "method", "reason": "note"}
_KEYS = ("value_b", "value", "low", "high", "p_value", "method", "note")
_OF_VALUES = (
    *("metric", "value", "low", "high", "n_rows", "standard_error", "p_value", "method", "note"),
)
Row = dict[str, Any]


def _score(options: argparse.Namespace) -> int:
    data = Predictions.read(options)
    data.check_fit(data.models)
    n_resamples = (options.resamples or RESAMPLES) if data.in_memory else None
    is_large = (data.files.n_rows or 0) > MOST_RESAMPLED
    if data.in_memory and is_large and options.resamples is None:
        log(f"no resampled intervals beyond {MOST_RESAMPLED:,} rows: --resamples N computes them")
        n_resamples = 0
    # Not by name: a column may hold scores and predicted labels at once.
    evaluations = [(model, _evaluate(data, model, n_resamples)) for model in data.models]
    rows = [row for model, parts in evaluations for row in _rows(options, model.name, parts)]
    rows.sort(key=lambda row: row["group"] != ALL)  # stable: all rows come first

    def worst(metric: str, name: str) -> Any:
        parts = next(p for model, p in evaluations if model.name == name and model.fits(metric))
        found = [(by, part.where(metric=metric)) for by, part in parts.items()]
        counted = [len(part.together()) for _, part in found]
        # One level for the groups of all columns.
        missed = (1 - options.confidence) / sum(counted)
        every = [
            {**row, "group": _group_name(options.by, by, row.group)}
            for (by, part), n_groups in zip(found, counted, strict=True)
            for row in part.together(1 - missed * n_groups)
        ]
        return every

    pairs: list[Row] = []
    best: dict[str, tuple[str, ...]] = {}
    tables = dict(_tables(options, rows))
    has_pairs = bool(_comparable_models(data))
    if has_pairs and data.in_memory:
        pairs = _differences(data)
        best = _best_models(pairs, options.confidence)
        lead = [_best_text(models, best) for models in dict.fromkeys(best.values())]
        tables["Differences between models"] = _difference_table(data, pairs, lead)
    if not (options.pred or options.right or options.threshold is not None):
        log("no --pred: metrics of predicted labels are left out")
    if not (options.json or options.metrics or options.all or options.right):
        log("only a few metrics are shown: --all shows all that apply, --metrics NAME others")
    text = "\n\n".join(f"{title}\n{table}" for title, table in tables.items())
    results = Results(data, rows, pairs, worst if options.by else None)
    figures = {"rows": _estimates(rows), "differences": _estimates(pairs), "best": best}
    is_short = not (options.require or has_pairs)

    def former(_: Any) -> Any:
        old = renamed(rows, **_FORMER)
        return old if is_short else {**figures, "rows": old, "differences": _former_pairs(pairs)}

    of_all_rows = [{**row, "group": None} for row in results.of(all_rows=True).rows]
    keys = [(row["model"], row["metric"]) for row in of_all_rows]
    read = reader_of_sums(keys, partial(_total, data) if data.in_memory else None)
    check = partial(check_requirements, rows=of_all_rows, worst=results.worst, read=read)
    page = partial(predictions_page, "Scores of {}", results)
    return show(options, figures, text, page, check, former)


def _estimates(rows: Sequence[Row]) -> list[EstimateRow]:
    """Rows under the keys of tables of estimates."""
    found = []
    for row in rows:
        own = {**row, "group": None if row.get("group", ALL) == ALL else row["group"]}
        if "p_alone" in own:
            own |= {"p_value": own.pop("p_alone"), "p_adjusted": own["p_value"]}
        found.append(EstimateRow(own))
    return found


def _former_pairs(pairs: Sequence[Row]) -> list[Row]:
    """Differences under the keys of version 0.2, which are also the headings of their table."""
    names = {key: key for row in pairs for key in row if key != "p_alone"}
    named = {"model": "first", "against": "second", "value": "difference"}
    return renamed(pairs, **{named.get(key, key): key for key in names})


def _evaluate(
    data: Predictions, model: PredictedModel, n_resamples: int | None
) -> dict[str | None, Evaluation]:
    """The metrics of a model, by column of groups."""
    options, metrics = data.options, data.metrics_of(model, every=data.options.all)
    if not metrics:
        return {}
    return {
        by: evaluate(
            data.files,
            true=data.names.true,
            weight=options.weight,
            by=by,
            margins=by is not None and place == 0,
            groups=options.groups,
            # pos_label is passed once, for all metrics
            metrics={name: metric.without("pos_label") for name, metric in metrics.items()},
            intervals=True,
            confidence_level=options.confidence,
            n_resamples=n_resamples,
            memory_limit=8 * LARGE if data.in_memory else options.memory,
            progress=not options.quiet,
            pos_label=data.positive,
            proxy=options.proxy,
            sampling=options.sampling,
            **data.columns_of(model),
        )
        for place, by in enumerate(options.by or [None])
    }


def _rows(
    options: argparse.Namespace, model: str, evaluations: Mapping[str | None, Evaluation]
) -> Iterator[Row]:
    """A row for each group and metric."""
    for by, evaluation in evaluations.items():
        for row in evaluation:
            yield {
                "group": _group_name(options.by, by, row.group),
                "model": model,
                "kind": "marks" if options.right else _kind(row.metric),
                **{key: row[key] for key in _OF_VALUES},
            }


def _kind(metric: str) -> str:
    return HEADINGS[find_metric(metric).spec.response]


def _group_name(columns: Sequence[str], column: str | None, value: Any) -> str:
    """A group of one of the columns, named by its value, if that is unique; ALL for None."""
    if value is None:
        return ALL
    return f"{column}={value}" if len(columns) > 1 or str(value) == ALL else str(value)


def _tables(options: argparse.Namespace, rows: Sequence[Row]) -> Iterator[tuple[str, Table]]:
    """A title and a table for each group and model."""
    parts: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        parts.setdefault((row["group"], row["model"]), []).append(row)
    interval = f"{100 * options.confidence:g}% interval", "interval"
    shown = columns("kind", "metric", "value", interval, "method")
    for (group, model), part in parts.items():
        of_group, tries = ("", options.tries) if group == ALL else (f", group {group}", "")
        yield f"{model}{of_group}: {part[0]['n_rows']} rows{tries}", Table(part, shown)


def _best_models(pairs: Sequence[Row], level: float) -> dict[str, tuple[str, ...]]:
    """By metric, the best model, then those that do not differ significantly from it.

    Metrics without a direction are left out. P-values of three or more models are adjusted for all
    pairs.
    """
    best: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(row["metric"] for row in pairs):
        rows = [row for row in pairs if row["metric"] == name and "against" in row]
        values = {row[model]: row[value] for row in rows for model, value in MODELS_OF_PAIR}
        ordered = best_first(name, values)
        if not ordered or any(map(math.isnan, values.values())):
            continue
        differ = [{row["model"], row["against"]} for row in rows if row["p_value"] <= 1 - level]
        best[name] = tuple(model for model in ordered if {ordered[0], model} not in differ)
    return best


def _best_text(models: tuple[str, ...], best: Mapping[str, tuple[str, ...]]) -> str:
    """Names the best model of the metrics that have these models as their best."""
    first, *others = models
    metrics = ", ".join(name for name, of_metric in best.items() if of_metric == models)
    text = f"not distinguishable: {', '.join(others)}" if others else "all others differ"
    return f"best by {metrics}: {first} ({text})"


SCORE = Command(
    "score",
    "metrics with confidence intervals, from a file of predictions",
    (
        "predictions.csv --target ill --score risk --positive yes",
        "predictions.csv --target ill --score old --score new --by ward --groups patient "
        "--html page.html --require 'roc_auc>=0.7' --require 'new/worst:roc_auc>=0.6'",
    ),
    (*PREDICTIONS, "right", "proxy", "sampling", "threshold", "all", "stream", "memory"),
    _score,
    {"resamples": None},
)


# --------------------------------------------------------------------------- differences


def _compare(options: argparse.Namespace) -> int:
    n_models = max(len(set(each)) for each in (options.score, options.pred, options.right))
    if n_models < 2:
        raise ValueError(
            "nothing to compare: pass --score, --pred or --right, once for each model."
        )
    if (options.margin is not None or options.claim != "two-sided") and n_models > 2:
        raise ValueError("--margin and --claim are for two models.")
    data = Predictions.read(options)
    if len(data.names.score) > 1 and len(data.classes) > 2:
        raise ValueError(
            f"{len(data.classes)} classes: a column of scores is for one class of two; compare "
            "--pred."
        )
    comparable = _comparable_models(data)
    if not comparable:
        raise ValueError("nothing to compare: pass a column of scores of each model to --score.")
    data.check_fit([model for _, model in comparable])
    if options.leaderboard:
        return _show_leaderboards(options, data)
    rows = _differences(data, options.by)
    results = Results(data, (), rows)
    of_all_rows = [
        {**row, "model": _pair_name(row)}
        for row in results.of(all_rows=True).pairs
        if "against" in row
    ]
    page = partial(predictions_page, "Comparison of {}", results)
    figures = {"rows": _estimates(rows)}

    def former(_: Any) -> Any:
        return {"rows": _former_pairs(rows)} if options.require else _former_pairs(rows)

    @cache
    def joint() -> list[Row]:
        n_groups = sum(1 for _ in _groups(data, options.by)) - 1
        level = 1 - (1 - options.confidence) / max(n_groups, 1)
        return [row for row in _differences(data, options.by, level) if row["group"] != ALL]

    def worst(metric: str, model: str) -> Any:
        every = [
            {"value": math.nan, "low": math.nan, "high": math.nan, **row}
            for row in joint()
            if row["metric"] == metric and _pair_name(row) in (model, None)
        ]
        return every

    keys = [
        (model.name, name)
        for models, of_kind in comparable
        for name, model in product(data.metrics_of(of_kind), models)
    ]
    read = reader_of_sums(keys, partial(_total, data))
    worst_group = worst if options.by else None
    check = partial(check_requirements, rows=of_all_rows, worst=worst_group, read=read)
    return show(options, figures, str(_difference_table(data, rows)), page, check, former)


def _show_leaderboards(options: argparse.Namespace, data: Predictions) -> int:
    """A table of ranks for each metric."""
    if options.by or options.require or options.html or options.margin is not None:
        raise ValueError("--leaderboard is printed, or --json; leave out --by, --require, --html.")
    boards = [
        leaderboard(name.removeprefix("neg_"), data.true, models, **_arguments(data, metric))
        for name, metric, models in _questions(data)
    ]
    rows = [{"metric": board.metric, **row} for board in boards for row in board.rows]
    text = "\n\n".join(map(str, boards))
    return show(options, {"rows": rows}, text, lambda _: None, former=lambda _: rows)


def _questions(data: Predictions) -> list[tuple[str, Metric, dict[str, Any]]]:
    """Metrics by name, with the responses of the models that each applies to."""
    return [
        (name, metric, {model.name: data.response(model) for model in models})
        for models, of_kind in _comparable_models(data)
        for name, metric in data.metrics_of(of_kind).items()
    ]


def _pair_name(row: Row) -> str | None:
    return f"{row['model']} - {row['against']}" if "against" in row else None


def _comparable_models(data: Predictions) -> list[tuple[list[PredictedModel], PredictedModel]]:
    """Groups of models to compare, each with the model whose metrics apply to all of the group.

    Labels are compared with labels, and scores with scores; metrics of probabilities apply only if
    all scores are probabilities.
    """
    labels = [model for model in data.models if model.kind == "labels"]
    scores = [model for model in data.models if model.kind != "labels"]
    return [
        (models, min(models, key=lambda model: model.kind != "values"))
        for models in (scores, labels)
        if len(models) > 1
    ]


def _differences(
    data: Predictions, by: Sequence[str] = (), level: float | None = None
) -> list[Row]:
    """Differences between models, for all rows and for each group of these columns.

    ``level`` is that of the intervals, if it is not the one that was asked for.
    """
    cases = list(product(_groups(data, by), _questions(data)))
    rows: list[Row] = []
    with reporting(not data.options.quiet, len(cases), "metric") as done:
        for n_done, ((group, mask), (name, metric, models)) in enumerate(cases, start=1):
            selected = {model: values[mask] for model, values in models.items()}
            try:
                pairs = _compare_models(name, metric, selected, data, mask, level)
            except ValueError as error:  # such as a group of one class
                if len(cases) == 1:
                    raise
                pairs = [{"metric": name, "note": str(error)}]
            rows += [{"group": group, **row} if by else row for row in pairs]
            done(n_done)
    return rows


def _groups(data: Predictions, by: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Names and masks of groups: first all rows, then each group of each column."""
    yield ALL, slice(None)
    for name in by:
        values = data.column(name)
        for value in np.unique(values):
            yield _group_name(by, name, value), values == value


def _compare_models(
    name: str, metric: Metric, models: dict[str, Any], data: Predictions, mask: Any, level: Any
) -> list[Row]:
    """A row for each pair of models, whose predictions are those of the rows in the mask."""
    options, arguments = data.options, _arguments(data, metric, mask, level)
    scorer, true = name.removeprefix("neg_"), data.true[mask]
    if len(models) > 2:
        many = compare_many(scorer, true, models, **arguments)
        return [
            {
                "metric": name,
                "model": row.model,
                "value_a": row.value_a,
                "against": row.against,
                "value_b": row.value_b,
                "value": row.value,
                "low": row.low,
                "high": row.high,
                "p_value": row.p_adjusted,
                "p_alone": row.p_value,
                "note": row.note,
                "method": "max_t" if "sim" in row.adjustment else "holm",
            }
            for row in many
        ]
    (first, a), (second, b) = models.items()
    claim = {"alternative": options.claim, "margin": options.margin}
    pair = compare(scorer, true, a, b, **claim, **arguments)
    row = {"metric": name, "model": first, "value_a": pair.value_a, "against": second}
    row |= {key: getattr(pair, key) for key in _KEYS}
    if options.claim != "two-sided" or options.margin is not None:
        row |= {"claim": options.claim, "margin": options.margin, "concluded": pair.concluded}
        row["confidence_level"] = pair.confidence_level
    return [row]


def _arguments(
    data: Predictions, metric: Metric, mask: Any = slice(None), level: float | None = None
) -> dict[str, Any]:
    """Arguments of intervals and comparisons of the rows in the mask."""
    groups, weight = data.groups, data.weight
    at = {name: value for name, value in metric.params.items() if name == "threshold"}
    return {
        **at,
        "confidence_level": level or data.options.confidence,
        "n_resamples": data.options.resamples or RESAMPLES,
        "random_state": 0,
        "groups": None if groups is None else groups[mask],
        "sample_weight": None if weight is None else weight[mask],
        **{name: values[mask] for name, values in data.known_labels.items()},
        **data.class_arguments(metric),
    }


def _total(data: Predictions, factors: Mapping[tuple[str, str], float]) -> Any:
    """A sum of metrics of models on all rows, by their factors."""
    total: Any = 0
    for (name, metric), factor in factors.items():
        model = next(each for each in data.models if each.name == name and each.fits(metric))
        arguments = _arguments(data, data.metrics_of(model, every=True)[metric])
        scorer, response = metric.removeprefix("neg_"), data.response(model)
        total = total + factor * confidence_interval(scorer, data.true, response, **arguments)
    return total


def _difference_table(data: Predictions, rows: list[Row], lead: Sequence[str] = ()) -> Table:
    """Differences as a table."""
    intervals = f"{data.files.n_rows} rows, {100 * data.options.confidence:g} % intervals"
    return Table(_former_pairs(rows), lead=[intervals, *lead])


COMPARE = Command(
    "compare",
    "differences between models, from a file of predictions; simultaneous for three or more",
    (
        "predictions.csv --target ill --score old --score new --positive yes",
        "predictions.csv --target ill --pred old --pred new --metrics recall --positive yes "
        "--claim non-inferior --margin 0.05",
    ),
    (*PREDICTIONS, "right", "proxy", "sampling", "threshold", "claim", "margin", "leaderboard"),
    _compare,
    {"resamples": 9999},
)

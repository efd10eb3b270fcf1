"""``score`` and ``compare``: the models of a file of predictions, and their differences."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from textwrap import wrap
from typing import Any

from skmetrics_ext import leaderboard
from skmetrics_ext.cli.messages import log, renamed, show
from skmetrics_ext.cli.options import MOST_RESAMPLED, PREDICTIONS, RESAMPLES, Command
from skmetrics_ext.cli.predictions import ALL, PredictedModel, Predictions
from skmetrics_ext.cli.predictions_page import best_first, claim_text, predictions_page
from skmetrics_ext.cli.values import Values
from skmetrics_ext.formats import line_width, signed
from skmetrics_ext.inference.estimate_rows import EstimateRow
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.requirements import check_requirements
from skmetrics_ext.tables import Shown

# Keys of rows in version 0.2, and what they are called.
_FORMER = {key: key for key in ("group", "of", "kind", "metric", "value", "low", "high", "n_rows")}
_FORMER |= {"of": "model", "method": "method", "reason": "note"}
_FORMER_PAIRS = {
    **{key: key for key in ("group", "metric", "value_a", "value_b", "low", "high", "p_value")},
    "first": "model",
    "second": "against",
    "difference": "value",
    "claim": "alternative",
    **{key: key for key in ("note", "method", "margin", "concluded", "confidence_level")},
}
Row = dict[str, Any]


def _score(options: argparse.Namespace) -> int:
    data = Predictions.read(options)
    data.check_fit(data.models)
    n_resamples = (options.resamples or RESAMPLES) if data.in_memory else None
    is_large = (data.files.n_rows or 0) > MOST_RESAMPLED
    if data.in_memory and is_large and options.resamples is None:
        log(f"no resampled intervals beyond {MOST_RESAMPLED:,} rows: --resamples N computes them")
        n_resamples = 0
    values = Values.of(data, n_resamples, streamed=not data.in_memory)
    pairs = Estimates()
    if values.has_pairs and data.in_memory:
        pairs = values.differences(values.of_all_rows)
    best = _best_models(pairs, options.confidence)
    if not (options.pred or options.right or options.threshold is not None):
        log("no --pred: metrics of predicted labels are left out")
    if not (options.json or options.metrics or options.all or options.right):
        log("only a few metrics are shown: --all shows all that apply, --metrics NAME others")

    def text() -> str:
        tables = [str(_by_group(values, [_described(data)]))]
        if pairs:
            lead = ["Differences between models", *_best_lines(best)]
            tables.append(str(Estimates(pairs, lead=lead, adjusted=pairs.adjusted)))
        return "\n\n".join(tables)

    def former() -> Any:
        old = _renamed(values.table, _FORMER)
        others = {"differences": _renamed_pairs(pairs), "best": best}
        is_short = not (options.require or values.has_pairs)
        return old if is_short else {"rows": old, **others}

    figures = {"rows": values.table, "differences": pairs, "best": best}
    page = partial(predictions_page, "Scores of {}", values, pairs)
    return show(options, figures, text, page, values.check, former)


def _described(data: Predictions) -> str:
    """The rows, the positive class and the level of the intervals."""
    n_rows, positive = data.files.n_rows, data.positive
    counted = f"{'all' if n_rows is None else f'{n_rows:,}'} rows{data.options.tries}"
    of_class = "" if positive is None or data.options.right else f", positive class {positive!r}"
    return f"{counted}{of_class}, {100 * data.options.confidence:g} % intervals"


def _by_group(values: Values, lead: Sequence[str]) -> Estimates:
    """The values in the order of the metrics, groups and models, and each gap to all rows."""
    whole = {(row["model"], row["metric"]): row["value"] for row in values.of_all_rows}
    rows = [
        row.changed(gap=row["value"] - whole[row["model"], row["metric"]])
        if row["group"] is not None
        else row
        for row in values.table
    ]
    seen = list(dict.fromkeys(row["metric"] for row in rows))
    groups = list(dict.fromkeys(row["group"] for row in rows))
    rows.sort(key=lambda row: (seen.index(row["metric"]), groups.index(row["group"])))
    level = values.table.confidence_level
    columns = Estimates(rows, confidence_level=level).shown()
    if len(groups) > 1:
        place = [column.title for column in columns].index("rows")
        columns.insert(place, Shown("to all", "gap", signed))
        lead = [f"{lead[0]}; to all: difference from all rows"]
    return Estimates(rows, columns=columns, lead=lead, confidence_level=level)


def _renamed(rows: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> list[Row]:
    """Rows under the keys of version 0.2, in which the group of all rows had a name."""
    return renamed(({**row, "group": row["group"] or ALL} for row in rows), (), **names)


def _renamed_pairs(pairs: Estimates, *, by_group: bool = False) -> list[Row]:
    """Differences under the keys of version 0.2, which had adjusted p-values alone."""
    names = dict(_FORMER_PAIRS)
    if not by_group:
        del names["group"]
    if pairs.adjusted:
        names["p_value"] = "p_adjusted"
    if not any("concluded" in row for row in pairs):
        del names["claim"], names["margin"]
    return _renamed(pairs, names)


def _best_models(pairs: Estimates, level: float) -> dict[str, tuple[str, ...]]:
    """By metric, the best model, then those that do not differ significantly from it.

    Metrics without a direction are left out. P-values of three or more models are adjusted for all
    pairs.
    """
    best: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(row["metric"] for row in pairs):
        rows = [row for row in pairs if row["metric"] == name]
        values = {row["model"]: row["value_a"] for row in reversed(rows)}
        values |= {row["against"]: row["value_b"] for row in rows}
        ordered = best_first(name, values)
        if not ordered or any(map(math.isnan, values.values())):
            continue
        differ = [
            {row["model"], row["against"]}
            for row in rows
            if row.get("p_adjusted", row["p_value"]) <= 1 - level
        ]
        best[name] = tuple(model for model in ordered if {ordered[0], model} not in differ)
    return best


def _best_lines(best: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Names the best models, and the metrics by which they are."""
    for models in dict.fromkeys(best.values()):
        first, *others = models
        metrics = ", ".join(name for name, of_metric in best.items() if of_metric == models)
        text = f"not distinguishable: {', '.join(others)}" if others else "all others differ"
        line = f"best by {metrics}: {first} ({text})"
        yield from wrap(line, line_width(), subsequent_indent="    ")


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
    comparable = list(chain(*_comparable_models(data)))
    if not comparable:
        raise ValueError("nothing to compare: pass a column of scores of each model to --score.")
    data.check_fit(comparable)
    if options.leaderboard:
        return _show_leaderboards(options, data)
    values = Values.of(data, options.resamples)
    pairs = values.differences(iter(values.table))
    whole = [row for row in pairs if row["group"] is None]

    def worst(metric: str, model: str) -> list[EstimateRow]:
        groups = [row for row in pairs if row["group"] is not None]
        n_groups = len({row["group"] for row in groups})
        wide = pairs.like(groups).at(1 - (1 - options.confidence) / max(n_groups, 1))
        return [row for row in wide if (_pair_name(row), row["metric"]) == (model, metric)]

    def check(requirements: list[str]) -> Any:
        named = [row.changed(model=_pair_name(row)) for row in whole]
        groups = worst if options.by else None
        return check_requirements(requirements, named, groups, values.reader)

    def text() -> str:
        claims = [claim_text(row) for row in whole if "concluded" in row]
        best = {} if claims else _best_models(pairs.like(whole), options.confidence)
        lead = [_described(data), *claims, *_best_lines(best)]
        return str(Estimates(pairs, lead=lead, adjusted=pairs.adjusted))

    def former() -> Any:
        old = _renamed_pairs(pairs, by_group=bool(options.by))
        return {"rows": old} if options.require else old

    page = partial(predictions_page, "Comparison of {}", values, pairs)
    return show(options, {"rows": pairs}, text, page, check, former)


def _pair_name(row: EstimateRow) -> str:
    return f"{row['model']} - {row['against']}"


def _show_leaderboards(options: argparse.Namespace, data: Predictions) -> int:
    """A table of ranks for each metric."""
    if options.by or options.require or options.html or options.margin is not None:
        raise ValueError("--leaderboard is printed, or --json; leave out --by, --require, --html.")
    arguments = {
        "confidence_level": options.confidence,
        "n_resamples": options.resamples,
        "groups": data.groups,
        "sample_weight": data.weight,
    }
    boards = []
    for models in _comparable_models(data):
        responses = {model.name: data.response(model) for model in models}
        of_all = min(models, key=lambda model: model.kind != "values")  # whose metrics fit all
        for name, metric in data.metrics_of(of_all).items():
            at = {key: value for key, value in metric.params.items() if key == "threshold"}
            chosen = data.class_arguments(metric) | at | arguments
            boards.append(leaderboard(name, data.true, responses, **chosen))
    rows = [{"metric": board.metric, **row} for board in boards for row in board.rows]
    text = partial("\n\n".join, list(map(str, boards)))
    return show(options, {"rows": rows}, text, lambda _: None, former=lambda: rows)


def _comparable_models(data: Predictions) -> list[list[PredictedModel]]:
    """Models that are compared with each other: labels with labels, and scores with scores."""
    kinds = (
        [model for model in data.models if (model.kind == "labels") == are_labels]
        for are_labels in (False, True)
    )
    return [models for models in kinds if len(models) > 1]


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

"""``compare``: models on the rows of a file of predictions."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.cli.prediction_files import (
    Predictions,
    add_intervals,
    labels_of,
    read_predictions,
)
from skmetrics_ext.cli.scoring_file import (
    check_fit,
    chosen_positive,
    find_named,
    settled_metrics,
    without_positive,
)
from skmetrics_ext.cli.tables import add_form, form_of, names_in
from skmetrics_ext.cli.words import json_of, say, tell
from skmetrics_ext.formats import interval, number, probability, signed
from skmetrics_ext.inference.compare import compare
from skmetrics_ext.merged.by import By
from skmetrics_ext.merged.columns import Names
from skmetrics_ext.numeric import Array
from skmetrics_ext.progress import reporting
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.compare_many import compare_many
from skmetrics_ext.rows import Rows, Shown

_CLAIMS = ("two-sided", "less", "greater", "non-inferior", "equivalent")
_SHOWN = (
    Shown("metric", is_text=True),
    Shown("first", is_text=True),
    Shown("value", "value_a", number),
    Shown("second", is_text=True),
    Shown("value", "value_b", number),
    Shown("difference", "difference", signed),
    Shown("interval", ("low", "high"), interval),
    Shown("p", "p_value", probability),
    Shown("method", is_text=True),
)


def add_compare(commands: argparse._SubParsersAction[Any]) -> None:
    """The command and its options."""
    own = commands.add_parser(
        "compare",
        help="differences between models, from a file of predictions",
        description="Compare the models of a file of predictions on the same rows: differences, "
        "intervals and tests; of three or more models p-values and intervals hold together.",
    )
    own.set_defaults(run=_compare)
    own.add_argument(
        "file", metavar="FILE", help="a .csv, .tsv (also .gz) or .parquet file, with a header"
    )
    own.add_argument("--true", required=True, metavar="COLUMN", help="true labels")
    for option, what in (("--score", "scores of the positive class"), ("--pred", "labels")):
        own.add_argument(
            option,
            action="append",
            default=[],
            metavar="COLUMN",
            help=f"predicted {what}, once for each model",
        )
    own.add_argument("--metrics", nargs="+", metavar="NAME", help="names (default: a few)")
    own.add_argument("--positive", metavar="LABEL", help="the positive class of two")
    own.add_argument("--weight", metavar="COLUMN", help="weight of each row")
    own.add_argument(
        "--groups", metavar="COLUMN", help="rows of one group (a patient) depend on each other"
    )
    own.add_argument(
        "--claim", choices=_CLAIMS, default="two-sided", help="what is to be shown of two models"
    )
    own.add_argument(
        "--margin", type=float, metavar="SIZE", help="how large a difference has to be to matter"
    )
    add_form(own)
    add_intervals(own, 9999)
    own.add_argument("--json", action="store_true", help="print JSON instead of the table")
    own.add_argument("--quiet", action="store_true", help="show no progress")


class _Asked(NamedTuple):
    """A metric, and what each model says that it reads."""

    name: str
    params: dict[str, Any]
    predictions: Mapping[str, Any]


def _compare(options: argparse.Namespace) -> int:
    scores, preds = list(dict.fromkeys(options.score)), list(dict.fromkeys(options.pred))
    if max(len(scores), len(preds)) < 2:
        raise ValueError("nothing to compare: pass --score, or --pred, once for each model.")
    if (options.margin is not None or options.claim != "two-sided") and max(
        len(scores), len(preds)
    ) > 2:
        raise ValueError("--margin and --claim are of two models.")
    metrics = names_in(options.metrics) if options.metrics else None
    for name in metrics or ():  # before the data is read, which may take long
        find_named(name)
    names = Names(
        options.true,
        tuple(scores),
        preds[0] if preds else None,
        options.weight,
        By(tuple(preds[1:]), crossed=True),
        options.groups,
    )
    found = read_predictions(
        options.file,
        names,
        form_of(options),
        drop_missing=options.drop_missing,
        quiet=options.quiet,
    )
    asked = _asked(found, scores, preds, options.positive, metrics)
    rows: list[dict[str, Any]] = []
    with reporting(not options.quiet, len(asked), "metric") as done:
        for place, one in enumerate(asked, start=1):
            rows += _rows(one, found, options)
            done(place)
    tell(json_of(rows) if options.json else str(Rows(rows, _SHOWN)))
    return 0


def _asked(
    found: Predictions, scores: list[str], preds: list[str], positive: Any, metrics: Any
) -> list[_Asked]:
    labels = {name: labels_of(found.frame, name) for name in (found.true, *preds)}
    classes = sorted({label for values in labels.values() for label in set(values.tolist())})
    say(without_positive(classes, positive, bool(scores)))
    if len(scores) > 1 and len(classes) > 2:
        raise ValueError(
            f"{len(classes)} classes: a column of scores is of one class of two; compare --pred."
        )
    chosen = chosen_positive(classes, positive)
    columns = {name: found.frame[name].to_numpy(dtype=float) for name in scores}
    sources: list[tuple[set[str], dict[str, Array]]] = []
    if len(scores) > 1:
        sources.append((_methods(columns.values()), columns))
    if len(preds) > 1:
        sources.append(({"predict"}, {name: labels[name] for name in preds}))
    check_fit(metrics, [methods for methods, _ in sources])
    of_first = chosen is not None and chosen == classes[0]
    return [
        _Asked(name, _params(metric, chosen), _taken(metric, given, of_first))
        for methods, given in sources
        for name, metric in settled_metrics(methods, classes, positive, metrics).items()
    ]


def _methods(columns: Iterable[Array]) -> set[str]:
    """Probabilities, if the scores of all models are."""
    if all(column.min() >= 0 and column.max() <= 1 for column in columns):
        return {"predict_proba"}
    return {"decision_function"}


def _taken(metric: Metric, given: dict[str, Array], of_first: bool) -> dict[str, Array]:
    """What the function takes: of probabilities a column for each class, in their order."""
    if metric.spec.response != "probabilities":
        return given
    turned = {name: 1 - column if of_first else column for name, column in given.items()}
    return {name: np.column_stack([1 - last, last]) for name, last in turned.items()}


def _params(metric: Metric, positive: Any) -> dict[str, Any]:
    told = metric.takes("pos_label") and metric.sides != "none" and positive is not None
    return {"pos_label": positive} if told else {}


def _rows(asked: _Asked, found: Predictions, options: argparse.Namespace) -> list[dict[str, Any]]:
    frame = found.frame
    common: dict[str, Any] = {
        "confidence_level": options.confidence,
        "n_resamples": options.resamples,
        "random_state": 0,
        "groups": None if found.clusters is None else labels_of(frame, found.clusters),
        "sample_weight": None if found.weight is None else frame[found.weight].to_numpy(),
        **asked.params,
    }
    name, true = asked.name.removeprefix("neg_"), labels_of(frame, found.true)
    about = {"metric": asked.name}
    if len(asked.predictions) > 2:
        many = compare_many(name, true, asked.predictions, **common)
        return [
            about
            | {**row, "value_a": many.values[row["first"]], "value_b": many.values[row["second"]]}
            | {"method": many.adjust}
            for row in many.rows
        ]
    (first, a), (second, b) = asked.predictions.items()
    one = compare(name, true, a, b, alternative=options.claim, margin=options.margin, **common)
    keys = ("value_a", "value_b", "difference", "low", "high", "p_value", "method", "note")
    row = about | {"first": first, "second": second} | {key: getattr(one, key) for key in keys}
    if options.claim != "two-sided":
        row["concluded"] = one.concluded
    return [row]

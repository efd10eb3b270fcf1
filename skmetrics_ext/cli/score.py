"""``score``: metrics of a file of predictions, with intervals."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from skmetrics_ext.cli.pictures import charts
from skmetrics_ext.cli.prediction_files import Predictions, add_intervals, read_predictions
from skmetrics_ext.cli.scoring_file import classes_of, find_named, score_rows, without_positive
from skmetrics_ext.cli.streaming_file import is_large, stream_rows
from skmetrics_ext.cli.tables import add_form, form_of, names_in
from skmetrics_ext.cli.words import json_of, new_file, say, tell
from skmetrics_ext.formats import html_table, interval, number, text_table
from skmetrics_ext.merged.by import By
from skmetrics_ext.merged.columns import Names
from skmetrics_ext.registry import HEADINGS
from skmetrics_ext.report.page.charts import NO_MATPLOTLIB, can_draw
from skmetrics_ext.report.page.document import Section, document, note, pictures, section
from skmetrics_ext.rows import written


def add_score(commands: argparse._SubParsersAction[Any]) -> None:
    """The command and its options."""
    score = commands.add_parser(
        "score",
        help="metrics with intervals, from a file of predictions",
        description="Score a file of predictions by metrics that fit it, with intervals.",
    )
    score.set_defaults(run=_score)
    score.add_argument(
        "file", metavar="FILE", help="a .csv, .tsv (also .gz) or .parquet file, with a header"
    )
    score.add_argument("--true", required=True, metavar="COLUMN", help="true labels")
    score.add_argument(
        "--score",
        action="append",
        default=[],
        metavar="COLUMN",
        help="scores or probabilities of the positive class, once for each model; of more than "
        "two classes one column for each, named by the class or ending in _class",
    )
    score.add_argument("--pred", metavar="COLUMN", help="predicted labels")
    score.add_argument("--weight", metavar="COLUMN", help="weight of each row")
    score.add_argument("--by", metavar="COLUMN", help="score each group as well")
    score.add_argument("--positive", metavar="LABEL", help="the positive class of two")
    score.add_argument(
        "--metrics", nargs="+", metavar="NAME", help="names, as `metrics` lists them"
    )
    score.add_argument(
        "--all", action="store_true", help="all metrics that fit (default: a few of them)"
    )
    score.add_argument(
        "--groups",
        metavar="COLUMN",
        help="rows of one group (a patient) depend on each other: intervals know it",
    )
    add_form(score)
    add_intervals(score, 1000)
    score.add_argument(
        "--html", type=new_file, metavar="OUT", help="write one page with tables and pictures"
    )
    score.add_argument("--json", action="store_true", help="print JSON instead of the tables")
    score.add_argument(
        "--stream",
        action="store_true",
        help="read in parts what need not fit in memory (FILE may be a folder or a glob), without "
        "--html and the bootstrap; done unasked with a file of more than 1 GiB",
    )
    score.add_argument(
        "--memory", default="1GiB", metavar="SIZE", help="of --stream, about (default: 1GiB)"
    )
    score.add_argument("--quiet", action="store_true", help="show no progress")


def _score(options: argparse.Namespace) -> int:
    if not options.score and options.pred is None:
        raise ValueError("nothing to score: pass --score or --pred.")
    if options.all and options.metrics:
        raise ValueError("--all and --metrics both say which metrics: pass one of them.")
    metrics = "all" if options.all else names_in(options.metrics) if options.metrics else None
    if isinstance(metrics, list):
        for name in metrics:  # before the data is read, which may take long
            find_named(name)
    scores = tuple(dict.fromkeys(options.score))
    names = Names(
        options.true, scores, options.pred, options.weight, By.of(options.by), options.groups
    )
    asked = {
        "positive": options.positive,
        "confidence_level": options.confidence,
        "metrics": metrics,
        "progress": not options.quiet,
    }
    if options.stream or is_large(options.file):
        return _stream(options, names, asked)
    found = read_predictions(
        options.file,
        names,
        form_of(options),
        drop_missing=options.drop_missing,
        quiet=options.quiet,
    )
    rows = score_rows(found, n_resamples=options.resamples, **asked)
    if options.html:  # before what is printed, whose reader may stop, as `head` does
        page = _page(options, found, rows)
        written(page, options.html)
    _tell(options, rows)
    return 0


def _stream(options: argparse.Namespace, names: Names, asked: dict[str, Any]) -> int:
    if options.html:
        raise ValueError("--html needs all rows at once, and this file is streamed.")
    rows = stream_rows(
        options.file,
        names,
        form_of(options),
        drop_missing=options.drop_missing,
        memory_limit=options.memory,
        **asked,
    )
    _tell(options, rows)
    return 0


def _tell(options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    if options.pred is None:
        say("no --pred: metrics of predicted labels are left out")
    tell(json_of(rows) if options.json else _text(rows))
    if not (options.json or options.metrics or options.all):
        say("these are a few metrics; --all shows all that fit, --metrics NAME others")


def _parts(rows: list[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        parts.setdefault((row["group"], row["of"]), []).append(row)
    return parts


def _title(group: str, of: str, rows: list[dict[str, Any]]) -> str:
    where = "" if group == "all" else f", group {group}"
    return f"{of}{where}: {rows[0]['n_rows']} rows"


_HEADER = ("value", "low", "high", "method")


def _text(rows: list[dict[str, Any]]) -> str:
    blocks = []
    for (group, of), own in _parts(rows).items():
        blocks.append(_title(group, of, own))
        for heading, under in _under_headings(own).items():
            cells = [
                [
                    row["metric"],
                    number(row["value"]),
                    *("" if math.isnan(row[end]) else number(row[end]) for end in ("low", "high")),
                    row["method"] or f"({row['reason']})"[:60],
                ]
                for row in under
            ]
            blocks.append(text_table((heading, *_HEADER), cells, align="<>>><"))
    return "\n\n".join(blocks)


def _under_headings(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows by what their metrics read."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(HEADINGS[find_named(row["metric"]).spec.response], []).append(row)
    return found


def _page(options: argparse.Namespace, found: Predictions, rows: list[dict[str, Any]]) -> str:
    level = f"{100 * options.confidence:g}%"
    drawn = pictures(charts(found, options.positive, options.confidence))
    parts: list[Section | str] = [section("Pictures", drawn)]
    if not can_draw():
        parts = [note(NO_MATPLOTLIB)]
    for (group, of), own in _parts(rows).items():
        cells = [
            [
                row["metric"],
                number(row["value"]),
                interval(row["low"], row["high"]),
                row["method"] or "",
                row["reason"] or "",
            ]
            for row in own
        ]
        header = ["metric", "value", f"{level} interval", "method", "why not"]
        parts.append(section(_title(group, of, own), html_table(header, cells, text=(3, 4))))
    lead = [f"{len(found.frame)} rows; true labels: {found.true}"]
    if found.weight:
        lead.append(f"weights: {found.weight}")
    if told := without_positive(classes_of(found), options.positive, bool(found.scores)):
        lead.append(told)
    return document(f"Scores of {Path(options.file).name}", lead, parts)

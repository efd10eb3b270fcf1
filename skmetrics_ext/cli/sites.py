"""``tally`` and ``merge``: sums of sites that cannot share rows, and metrics of all of them."""

from __future__ import annotations

import argparse
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext import Accumulator
from skmetrics_ext.cli import predictions as files
from skmetrics_ext.cli.messages import log, new_file, print_lines, show, verdicts_of, whole_number
from skmetrics_ext.cli.options import COLUMNS, add_command
from skmetrics_ext.report.page.document import document, section, table
from skmetrics_ext.rows import Rows, columns

_NOT_TALLIED = ("groups", "confidence", "html", "json", "quiet")


def add_tally(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "tally",
        _tally,
        "sums of a file of predictions, which `merge` reads at another site instead of the rows",
        (
            "predictions.csv --target ill --score risk --positive yes -o north.skx",
            "predictions.csv --target ill --score risk --positive yes --bins 100 --min-cell 5 "
            "-o north.skx",
        ),
        (*(name for name in COLUMNS if name not in _NOT_TALLIED), "metrics", "all"),
        groups=None,
    )
    file = "file to write"
    command.add_argument("-o", "--output", type=new_file, required=True, metavar="OUT", help=file)
    classes = "all classes in order, if a site may lack one (default: those in the file)"
    command.add_argument("--classes", nargs="+", default=[], metavar="CLASS", help=classes)
    bins = "bins of scores, the same at every site: a number of parts of [0, 1], or all edges"
    command.add_argument("--bins", nargs="+", type=float, metavar="N", help=bins)
    cell = "fewest rows of a class in a bin or table that has any"
    command.add_argument("--min-cell", type=whole_number(1), metavar="N", help=cell)


def _tally(options: argparse.Namespace) -> None:
    if len(options.pred) > 1:
        raise ValueError(f"sums are of one model, and --pred names {len(options.pred)} columns.")
    names = files.asked_metrics(options)
    data = files.read_predictions(options, listed=options.classes)
    log(data.note)
    scored = [model for model in data.models if model.holds != "labels"]
    if len(scored) > 1:
        raise ValueError(f"sums are of one model, and --score names {len(scored)} columns.")
    files.check_fit(names, data.models)
    metrics = {
        name: metric.without("pos_label")
        for model in data.models
        for name, metric in files.applicable_metrics(
            options, data, model, every=options.all
        ).items()
    }
    labels: list[Any] | None = data.classes if scored or options.classes else None
    if labels is not None and data.positive is not None:
        labels = sorted(labels, key=lambda label: bool(label == data.positive))
    accumulator = Accumulator(metrics, labels=labels, pos_label=data.positive)
    columns = {"y_pred": options.pred[0] if options.pred else None, "sample_weight": options.weight}
    for batch, _ in data.files.rows(data.names.all):
        arrays = {key: batch.column(name) for key, name in columns.items() if name is not None}
        for model in scored:
            scores = [batch.column(name).to_numpy() for name in model.columns]
            arrays["y_score"] = scores[0] if len(scores) == 1 else np.column_stack(scores)
        accumulator.update(batch.column(data.names.true), **arrays)
    bins = options.bins
    if bins is not None and len(bins) == 1:
        bins = int(bins[0]) if bins[0].is_integer() else bins[0]
    accumulator.save(options.output, bins=bins, min_cell=options.min_cell)
    again = Accumulator.load(options.output)
    distinct = f", {again.n_distinct:,} distinct scores" if again.n_distinct else ""
    print_lines(f"{options.output}: {again.n_rows:,} rows, {len(metrics)} metrics{distinct}")


# --------------------------------------------------------------------------- merge


def add_merge(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "merge",
        _merge,
        "metrics of all sites with intervals, and of each with the gap to the others",
        ("*.skx", "north.skx south.skx --html page.html --require 'roc_auc>=0.7'"),
        ("confidence", "require", "html", "json"),
    )
    help = "files that `tally` or Accumulator.save wrote; each is named as its site"
    command.add_argument("files", nargs="+", metavar="FILE", help=help)


def _merge(options: argparse.Namespace) -> int:
    paths = [path for pattern in options.files for path in sorted(glob(pattern)) or [pattern]]
    names = [Path(path).stem for path in paths]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"files are named by their sites, and {', '.join(twice)} is there twice.")
    sites = {name: Accumulator.load(path) for name, path in zip(names, paths, strict=True)}
    evaluation = Accumulator.evaluate_sites(
        sites, intervals=True, confidence_level=options.confidence
    )
    rows = [{**row, "of": "all", "model": "all"} for row in evaluation]
    whole = [row for row in rows if row["group"] is None]
    verdicts = verdicts_of(options, whole, lambda metric, _: evaluation.worst(metric))
    ends = f"{100 * options.confidence:g}% interval", "interval"
    title = f"{', '.join(names)}: {whole[0]['n_rows']:,} rows"
    tables = {title: Rows(whole, columns("metric", "value", ends, "method"))}
    gaps: list[dict[str, Any]] = []
    if len(sites) > 1:
        for name in next(iter(sites.values())).names:
            gaps += [{"metric": name, **gap} for gap in evaluation.gaps(name).rows]
        of_site = "metric", ("site", "group"), "value", "difference", ends, "p_value"
        shown = columns(*of_site, ("rows", "n_rows"))
        tables["Each site, and its difference from the others"] = Rows(gaps, shown)

    def page() -> str:
        parts = [section(title, table(rows)) for title, rows in tables.items()]
        if verdicts is not None:
            parts.insert(0, section("Requirements", table(verdicts.rows)))
        return document("Metrics of all sites", [f"sites: {', '.join(names)}"], parts)

    text = "\n\n".join(f"{title}\n{part}" for title, part in tables.items())
    return show(options, {"rows": rows, "gaps": gaps}, text, page, verdicts)

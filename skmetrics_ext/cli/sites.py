"""``tally`` and ``merge``: metrics over sites that share sums of their rows, not the rows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext import Accumulator
from skmetrics_ext.cli.messages import page_of, print_lines, renamed, show, titled
from skmetrics_ext.cli.options import TEXT, Command
from skmetrics_ext.cli.predictions import Predictions
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.requirements import check_requirements
from skmetrics_ext.tables import Table


def _tally(options: argparse.Namespace) -> None:
    if len(options.pred) > 1:
        raise ValueError(f"tally needs one model, and --pred names {len(options.pred)} columns.")
    data = Predictions.read(options)
    scored = [model for model in data.models if model.kind != "labels"]
    if len(scored) > 1:
        raise ValueError(f"tally needs one model, and --score names {len(scored)} columns.")
    data.check_fit(data.models)
    metrics: dict[str, Any] = {}
    for model in data.models:
        for name, metric in data.metrics_of(model, every=options.all).items():
            metrics[name] = metric.without("pos_label")
    labels = data.positive_last if scored or options.classes else None
    accumulator = Accumulator(metrics, labels=labels, pos_label=data.positive)
    for batch, _ in data.files.rows(data.names.all):
        arrays = {}
        if options.pred:
            arrays["y_pred"] = batch.column(options.pred[0])
        if options.weight is not None:
            arrays["sample_weight"] = batch.column(options.weight)
        for model in scored:
            scores = [batch.column(name).to_numpy() for name in model.columns]
            arrays["y_score"] = scores[0] if len(scores) == 1 else np.column_stack(scores)
        accumulator.update(batch.column(data.names.true), **arrays)
    bins = options.bins
    if bins is not None and len(bins) == 1:
        bins = int(bins[0]) if bins[0].is_integer() else bins[0]
    accumulator.save(options.output, bins=bins, min_cell=options.min_cell)
    saved = Accumulator.load(options.output)
    distinct = f", {saved.n_distinct:,} distinct scores" if saved.n_distinct else ""
    print_lines(f"{options.output}: {saved.n_rows:,} rows, {len(metrics)} metrics{distinct}")


TALLY = Command(
    "tally",
    "sums of a file of predictions, to `merge` with those of other sites without sharing rows",
    (
        "predictions.csv --target ill --score risk --positive yes -o north.skx",
        "predictions.csv --target ill --score risk --positive yes --bins 100 --min-cell 5 "
        "-o north.skx",
    ),
    (
        *("predictions", "score", "pred", "target", "positive", "weight", *TEXT),
        *("metrics", "all", "output", "classes", "bins", "min-cell"),
    ),
    _tally,
)


def _merge(options: argparse.Namespace) -> int:
    paths = [path for pattern in options.files for path in sorted(glob(pattern)) or [pattern]]
    names = [Path(path).stem for path in paths]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"each file is named after its site, and there are two called {', '.join(repeated)}."
        )
    sites = {name: Accumulator.load(path) for name, path in zip(names, paths, strict=True)}
    evaluation = Accumulator.evaluate_sites(
        sites, intervals=True, confidence_level=options.confidence
    )
    rows = evaluation.like(row.changed(model="all") for row in evaluation)
    whole = Estimates(row for row in evaluation if row["group"] is None)
    tables: dict[str, Table] = {f"{', '.join(names)}: {whole[0]['n_rows']:,} rows": whole}
    gaps = Estimates()
    if len(sites) > 1:
        gaps = evaluation.against(group="rest").adjust("holm")
        tables["Each site, and its difference from the others"] = gaps
    check = partial(
        check_requirements,
        rows=whole,
        worst=lambda metric, _: evaluation.where(metric=metric).together(),
    )
    page = partial(page_of, "Metrics of all sites", tables, [f"sites: {', '.join(names)}"])
    figures = {"rows": rows, "gaps": gaps}
    text = partial(titled, tables)
    return show(options, figures, text, page, check, partial(_former, figures))


def _former(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures under the keys of version 0.2."""
    kept = ["group", "metric", "value", "low", "high", "n_rows", "method", "reason", "of", "model"]
    rows = renamed(figures["rows"], kept, reason="note", of="model")
    kept = ["metric", "group", "ratio", "low", "high", "n_rows"]
    values = {"value": "value_a", "reference": "value_b", "difference": "value"}
    gaps = renamed(figures["gaps"], kept, **values, p_value="p_adjusted", reason="note")
    return {"rows": rows, "gaps": gaps}


MERGE = Command(
    "merge",
    "metrics with intervals over all sites, and the gap between each site and the others",
    ("*.skx", "north.skx south.skx --html page.html --require 'roc_auc>=0.7'"),
    ("tallies", "confidence", "require", "html", "json", "json-schema"),
    _merge,
)

"""``slices``: groups of rows in which a model is worse, from a file of predictions."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from skmetrics_ext import weak_slices
from skmetrics_ext.cli.messages import log, page_of, renamed, show
from skmetrics_ext.cli.options import COLUMNS, Command
from skmetrics_ext.cli.predictions import Predictions, find_metric
from skmetrics_ext.datasets.roles import roles_of
from skmetrics_ext.registry.defaults import CHOICE, OF_SCORES
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.slices.table import FEW_VALUES

_LISTED = "(in --json)"


def _slices(options: argparse.Namespace) -> int:
    model_columns = [*options.score, *options.pred]
    if options.slice_metric:
        options.slice_metric = registered_name(options.slice_metric)
        find_metric(options.slice_metric)
    data = Predictions.read(options, options.slice_by)
    if len(data.models) > 1:
        raise ValueError(f"slices needs one model, got {len(data.models)}: {model_columns}.")
    (model,) = data.models
    by_default = CHOICE if options.pred else OF_SCORES[0 if len(data.classes) == 2 else -1]
    name = options.slice_metric or by_default
    data.check_fit([model], [name])
    table = data.files.reader(data.names.all).read_all()
    if options.slice_by is None:
        options.slice_by = _columns(data, table)
    result = weak_slices(
        table,
        true=data.names.true,
        metric=name,
        columns=options.slice_by,
        max_columns=options.most_columns,
        min_rows=options.min_rows,
        alpha=round(1 - options.confidence, 12),
        weight=options.weight,
        groups=options.groups,
        **data.columns_of(model),
        **data.class_arguments(find_metric(name)),
    )
    figures = {key: getattr(result, key) for key in ("metric", "value", "n_rows", "alpha")}
    tables = {"rows": result.rows, "folded": result.folded, "left_out": result.left_out}
    lead = [f"{name} of {model.name} on all rows: {result.value:.4g}"]
    titles = ("Worse than the other rows", "Folded into these", "Columns left out")
    shown = {title: rows for title, rows in zip(titles, tables.values(), strict=True) if rows}
    page = partial(page_of, f"Slices of {Path(options.file).name}", shown, lead)
    text = str(result).replace("(.folded)", _LISTED).replace("(.left_out)", _LISTED)
    figures |= tables
    kept = ["slice", "n_rows", "value", "rest", "difference", "low", "high", "p_value", "note"]
    names = {"value": "value_a", "rest": "value_b", "difference": "value", "p_value": "p_adjusted"}
    former = {**figures, "rows": renamed(result.rows, kept, **names)}
    return show(options, figures, lambda: text, page, former=lambda: former)


def _columns(data: Predictions, table: Any) -> list[str]:
    """Columns that may describe rows: no identifiers, dates, or predictions of other models."""
    import pyarrow.compute as pc
    from pyarrow import types

    others = [name for name in data.names.by.columns if name not in data.options.pred]
    left_out = {}
    for role in roles_of(table.select(others), chosen=False):
        values = pc.unique(table[role.name]).drop_null()
        numbers = types.is_floating(values.type) and len(values) > FEW_VALUES
        if role.why:
            left_out[role.name] = role.why
        elif numbers and pc.min(values).as_py() >= 0 and pc.max(values).as_py() <= 1:
            left_out[role.name] = "may be scores of another model"
        elif types.is_string(values.type) and {*values.to_pylist()} == {*data.classes}:
            left_out[role.name] = "may be predictions of another model"
    kept = [name for name in others if name not in left_out]
    listed = ", ".join(f"{name} ({why})" for name, why in left_out.items())
    log(f"columns that make slices: {', '.join(kept) or 'none'}")
    log(f"left out, which --by would name: {listed}" * bool(listed))
    if not kept:
        raise ValueError("no column is left that makes slices: name some with --by.")
    return kept


SLICES = Command(
    "slices",
    "groups of rows in which a model is significantly worse than in the rest",
    (
        "predictions.csv --target ill --score risk --positive yes --by sex age clinic",
        "predictions.csv --target ill --pred said --metrics recall --positive yes",
    ),
    (*COLUMNS, "slice-metric", "slice-by", "most-columns", "min-rows"),
    _slices,
)

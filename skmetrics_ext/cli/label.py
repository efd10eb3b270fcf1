"""``label``: the rows of a file that a person should label."""

from __future__ import annotations

import argparse
from typing import Any

from skmetrics_ext import label_plan
from skmetrics_ext.backends.files import columns_of, open_files
from skmetrics_ext.cli.messages import log, print_lines
from skmetrics_ext.cli.options import TEXT, Command, form_of
from skmetrics_ext.datasets.files import values_of
from skmetrics_ext.merged.columns import ColumnNames
from skmetrics_ext.slices.group_columns import GroupColumns

PROBABILITY = "label_probability"


def _label(options: argparse.Namespace) -> None:
    import pyarrow
    from pyarrow import csv

    if len(options.score) != 1 or len(options.pred) > 1:
        raise ValueError("label needs one --score, and for labels one --pred or --threshold.")
    form = form_of(options)
    others = tuple(name for name in columns_of(options.paths, form) if name not in options.score)
    if PROBABILITY in others:
        raise ValueError(f"the file has a column {PROBABILITY!r}: rename it.")
    names = ColumnNames(options.score[0], by=GroupColumns(others, crossed=True))
    files = open_files(options.paths, names, form).hold(names.all)
    log(*files.form.notes)
    table = files.reader(names.all).read_all()
    given: dict[str, Any] = {"threshold": options.threshold}
    if options.pred:
        given["pred"] = values_of(table[options.pred[0]])
    if options.positive is not None:
        given["pos_label"] = options.positive
    metrics = options.metrics or ["f1"]
    score = values_of(table[options.score[0]])
    plan = label_plan(metrics, score=score, budget=options.budget, **given)
    rows = plan.draw(options.seed)
    chances = pyarrow.array(plan.probability[rows])
    table = table.take(rows).append_column(PROBABILITY, chances)
    csv.write_csv(table, options.output)
    then = f"then: score {options.output} --target COLUMN --sampling {PROBABILITY}"
    print_lines(f"{options.output}: {len(rows):,} rows to label; {plan}\n{then}")


LABEL = Command(
    "label",
    "the rows of a file that a person should label, for a narrow interval of a metric",
    (
        "predictions.csv --score risk --threshold 0.3 --budget 1000 -o rows.csv",
        "predictions.csv --score risk --pred told --metrics recall precision --budget 500 "
        "-o rows.csv",
    ),
    (
        *("predictions", "score", "pred", "threshold", "positive", "metrics", "budget"),
        *("output", "seed", *TEXT),
    ),
    _label,
)

"""The tables of a report, and the report as ``print`` shows it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from textwrap import fill
from typing import Any, Literal

from skmetrics_ext.formats import interval, line_width, number, signed, text_table, with_interval
from skmetrics_ext.inference.estimate_rows import for_people, row_from, shown_metric
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.spec import NO_ROW
from skmetrics_ext.report.by_group import group_table
from skmetrics_ext.report.conclusion import about, answer
from skmetrics_ext.report.out_of_fold import FoldValues
from skmetrics_ext.report.sentences import numbers_of
from skmetrics_ext.report.summary import (
    fold_cells,
    interval_column,
    interval_heading,
    kind_of,
    shown_rows,
    summary_of,
    value_or_mean,
)
from skmetrics_ext.tables import Shown, Table, columns, joined_notes, without_methods
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import spoken

RowKind = Literal["summary", "folds", "pooled", "compare"]
_TESTS = (
    "Corrected resampled t-test, for models trained on other samples of this size. Each interval "
    "holds alone; p is adjusted for all pairs of a metric (Holm)."
)
_ROPE = (
    " P: posterior probability that the model is better, or worse, by more than the region of "
    "practical equivalence, or neither."
)
_NAMES = columns("model", "metric")
_UNDEFINED = "undefined in {} of {} folds: {}"
_FILLED = "by convention in {} of {} folds: {}"
_LACKING = "in {} of {} folds {}"
_FIT = "fit (s)"
_INDENT = "    "
_SECONDS = (
    Shown(_FIT, "fit_time", "{:.3f}".format),
    Shown("score (s)", "score_time", "{:.3f}".format),
)
_FOLDS = columns("model", "metric", "fold", "value", ("train", "n_train"), ("test", "n_test"))
_FOLD_FIELDS = ("n_train", "n_test", "fit_time", "score_time")


def written_for_people(rows: Table) -> str:
    """A table as text, with names and signs of metrics as people read them."""
    return str(rows.like(map(for_people, rows)))


def _estimates(
    rows: Sequence[Mapping[str, Any]], shown: Sequence[Shown], report: FoldValues, **more: Any
) -> Estimates:
    """Estimates of a report, which print with these columns and mark the baseline."""
    known: Any = {"confidence_level": report.confidence_level, "baseline": report.baseline}
    counted = [name for name in ("reasons", "notes") if rows and name in rows[0]]
    known |= {"columns": shown, "sentences": [*counted, "note"]}
    return Estimates(rows, **known | more)


def summary_table(report: FoldValues, interval: str) -> Estimates:
    """Mean, standard deviation and interval of each model and metric."""
    kind = kind_of(report, interval)
    pooled = [("pooled", "value")] if kind == "pooled" else []
    shown = columns("model", "metric", "mean", ("sd", "std"), *pooled, interval_column(report))
    lead = [interval_heading(report, kind)]
    rows = summary_of(report, kind)
    if kind == "nested" and all(math.isnan(row["low"]) for row in rows):
        notes = "; ".join(dict.fromkeys(row["note"] for row in rows))
        raise InvalidParameterError(f"interval='nested' is not available: {notes}.")
    return _estimates(rows, shown + train_columns(report), report, lead=lead)


def train_columns(report: FoldValues) -> list[Shown]:
    """Columns of the value on the training rows, and its gap from the test rows."""
    if not report.has_train:
        return []
    ends = Shown("gap interval", ("gap_low", "gap_high"), interval)
    return [*columns("train", "gap"), ends]


def fold_table(report: FoldValues) -> Estimates:
    """The values of each fold."""
    rows: list[dict[str, Any]] = []
    for result, metric in product(report.results, report.metrics):
        row = {"model": result.model, "fold": result.fold, "metric": metric}
        row |= {"value": result.values[metric], "note": result.reasons.get(metric, "")}
        rows.append(row | {key: getattr(result, key) for key in _FOLD_FIELDS})
        if report.has_train:
            rows[-1]["train_value"] = result.train_values.get(metric, math.nan)
    train = columns(("on train", "train_value")) * report.has_train
    return _estimates(rows, [*_FOLDS, *train, *_SECONDS], report)


def pooled_table(report: FoldValues, found: dict[tuple[str, str], Estimate]) -> Estimates:
    """Each metric on the out-of-fold predictions of all folds together, with its interval."""
    n_rows = {model: len(part.rows) for model, part in report.predictions.items()}
    rows = []
    for (model, metric), estimate in found.items():
        further = {"n_rows": n_rows[model], "design_effect": estimate.design_effect}
        rows.append(row_from(estimate, model=model, metric=metric, **further))
    value = Shown("value", form=lambda value: "not pooled" if math.isnan(value) else number(value))
    more = columns(interval_column(report), "method", ("rows", "n_rows"))
    return _estimates(rows, [*_NAMES, value, *more], report)


def comparison_table(report: FoldValues, rows: Sequence[Mapping[str, Any]]) -> Estimates:
    """Pairs of models on the same folds."""
    ropes = {row["rope"] for row in rows}
    has_rope = not ropes <= {None}
    title = f"P(±{ropes.pop():g})" if len(ropes) == 1 and has_rope else "P(same)"
    shares = [("P(better)", "p_a_better"), (title, "p_equivalent"), ("P(worse)", "p_b_better")]
    shown = [
        *columns("metric", "model", "against", ("value", "value_a"), ("reference", "value_b")),
        Shown("difference", "value", lambda value: signed(value) or "undefined"),
        *columns(interval_column(report), ("p (adjusted)", "p_adjusted")),
        *columns(*(shares if has_rope else ())),
    ]
    notes = [_TESTS + _ROPE * has_rope] if rows else []
    more: Any = {"notes": notes, "empty": "no pair of models to compare", "baseline": None}
    return _estimates(rows, shown, report, **more, adjusted=("holm",), compared={"model": ()})


# --------------------------------------------------------------------------- the report


def text_report(report: FoldValues) -> str:
    """The report as ``print`` shows it."""
    rows = report_rows(report)
    parts = [_filled(rows.lead), *_fitting_tables([rows.header(), *rows.cells()])]
    if rows.notes:
        parts.append(_filled(rows.notes))
    if report.data.rows_by is not None:
        parts += [report.data.rows_by.description, written_for_people(group_table(report))]
    if report.has_train:
        names = [*_NAMES, Shown("test", "mean", number), *train_columns(report)]
        parts.append(written_for_people(Table(fold_cells(report), names, sentences=())))
    return "\n\n".join(parts)


def _filled(lines: Sequence[str]) -> str:
    return "\n".join(fill(line, line_width(), subsequent_indent=_INDENT) for line in lines)


def report_rows(report: FoldValues) -> Table:
    """The printed table: a row per model, and numbered notes on its cells."""
    cells = shown_rows(report)
    joined = joined_notes(note for cell in cells for note in cell_notes(cell))
    of_note: dict[str, list[dict[str, Any]]] = {}
    texts: dict[str, list[str]] = {model: [model] for model in report.models}
    for cell in cells:
        for note in dict.fromkeys(map(joined.__getitem__, cell_notes(cell))):
            of_note.setdefault(note, []).append(cell)
        marks = (f"[{k}]" for k, noted in enumerate(of_note.values(), start=1) if cell in noted)
        texts[cell["model"]].append(" ".join(filter(None, [_text(cell), "".join(marks)])))
    for model, (fit_time, _) in report.times().items():
        texts[model].append(f"{fit_time:.3f}")
    titles = ["model", *(shown_metric(name)[0] for name in report.metrics), _FIT]
    keys = list(map(str, range(len(titles))))  # a metric may be named like another column
    shown = [Shown(title, key, is_text=key == "0") for title, key in zip(titles, keys, strict=True)]
    rows = [dict(zip(keys, row, strict=True)) for row in texts.values()]
    notes = [f"[{k}] {_of(of_note[note])}: {note}" for k, note in enumerate(of_note, start=1)]
    lead = [answer(report), *heading(report)]
    return Table(rows, shown, lead=lead, notes=notes, baseline=report.baseline)


def _text(cell: Mapping[str, Any]) -> str:
    """A value with its interval, and the number of undefined folds."""
    text = with_interval(*numbers_of({**cell, "value": value_or_mean(cell)}))
    missing = cell["n_undefined"]
    if not missing:
        return text
    return f"{text} ({missing} undefined)" if missing < cell["n_folds"] else f"{text} ({missing})"


def _of(cells: Sequence[Mapping[str, Any]]) -> str:
    """Metrics and models of a note: "ROC AUC, F1 of forest; log loss of logistic"."""
    metrics: dict[str, list[str]] = {}
    for cell in cells:
        metrics.setdefault(cell["model"], []).append(shown_metric(cell["metric"])[0])
    models: dict[str, list[str]] = {}
    for model, names in metrics.items():
        models.setdefault(", ".join(names), []).append(model)
    return "; ".join(f"{names} of {', '.join(listed)}" for names, listed in models.items())


def cell_notes(cell: Mapping[str, Any]) -> list[str]:
    """Reasons for undefined folds, conventions behind defined values, caveats of the interval."""
    notes = [
        (_LACKING if text == NO_ROW else form).format(count, cell["n_folds"], text)
        for form, key in ((_UNDEFINED, "reasons"), (_FILLED, "notes"))
        for text, count in cell[key].items()
    ]
    caveat = without_methods(cell["note"] or "")
    return [*notes, caveat] if caveat else notes


def heading(report: FoldValues) -> list[str]:
    """Lines about the data, the folds, and what the numbers are."""
    grouping = report.grouping
    grouped = "" if grouping is None else f" in {grouping.n_groups} groups"
    value = "metric of the pooled predictions" if kind_of(report) == "pooled" else "mean"
    facts = [f"{value} with {about(report)}"]
    if grouping is not None:
        facts.insert(0, "intervals by groups")
    if report.positive_class is not None:
        facts.insert(0, f"positive class: {report.positive_class}")
    lines = [
        f"{report.n_folds} folds of {report.n_samples} rows{grouped}: {report.splitter}",
        "; ".join(facts),
        *([] if grouping is None else grouping.warnings),
    ]
    if report.left_out:
        names = ", ".join(report.left_out)
        lines.append(f"no positive class is known: {spoken('pass pos_label= for')} {names}")
    return lines


def _fitting_tables(grid: list[list[str]]) -> list[str]:
    """Tables that fit the width: models as rows, else metrics as rows, else several tables."""
    first, *metrics, fit = (list(column) for column in zip(*grid, strict=True))
    transposed = [["metric", *first[1:]], *metrics, fit]
    for rows in (grid, transposed):
        if _fits(rows):
            return [text_table(rows[0], rows[1:])]
    parts: list[list[list[str]]] = []
    for column in metrics:
        if parts and _fits(list(zip(first, *parts[-1], column, fit, strict=True))):
            parts[-1].append(column)
        else:
            parts.append([column])
    tables = [list(zip(first, *part, fit, strict=True)) for part in parts]
    return [text_table(header, rows) for header, *rows in tables]


def _fits(rows: Sequence[Sequence[str]]) -> bool:
    return len(text_table(rows[0], rows[1:]).splitlines()[1]) <= line_width()

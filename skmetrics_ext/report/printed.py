"""A report as ``print`` shows it: the answer first, then a row per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from skmetrics_ext.formats import WIDTH, number, text_table, with_interval
from skmetrics_ext.metrics.spec import NO_ROW
from skmetrics_ext.report.by_group import group_table
from skmetrics_ext.report.conclusion import about, answer
from skmetrics_ext.report.out_of_fold import FoldValues
from skmetrics_ext.report.sentences import in_direction, shown_metric
from skmetrics_ext.report.summary import fold_cells, kind_of, shown_cells, value_or_mean
from skmetrics_ext.report.tables import for_people, train_columns
from skmetrics_ext.tables import Shown, Table, columns, joined_notes, without_methods

_UNDEFINED = "undefined in {} of {} folds: {}"
_FILLED = "by convention in {} of {} folds: {}"
_LACKING = "in {} of {} folds {}"
_FIT = "fit (s)"
_INDENT = "    "


def text_report(report: FoldValues) -> str:
    """The report as ``print`` shows it."""
    rows = report_rows(report)
    parts = [_filled(rows.lead), *_fitting_tables([rows.header(), *rows.cells()])]
    if rows.notes:
        parts.append(_filled(rows.notes))
    if report.data.rows_by is not None:
        parts += [report.data.rows_by.description, str(for_people(group_table(report)))]
    if report.has_train:
        names = [*columns("model", "metric"), Shown("test", "mean", number), *train_columns(report)]
        parts.append(str(for_people(Table(fold_cells(report), names, sentences=()))))
    return "\n\n".join(parts)


def _filled(lines: Sequence[str]) -> str:
    return "\n".join(fill(line, WIDTH, subsequent_indent=_INDENT) for line in lines)


def report_rows(report: FoldValues) -> Table:
    """The printed table: a row per model, and numbered notes on its cells."""
    cells = shown_cells(report)
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
    numbers = value_or_mean(cell), cell["low"], cell["high"]
    text = with_interval(*in_direction(shown_metric(cell["metric"])[1], numbers))
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
        lines.append(f"no positive class is known: pass pos_label= for {names}")
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
    return len(text_table(rows[0], rows[1:]).splitlines()[1]) <= WIDTH

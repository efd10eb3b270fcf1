"""A report as text and as tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from textwrap import fill
from typing import Any, Literal

from skmetrics_ext.formats import WIDTH, interval, number, probability, signed, text_table
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.spec import NO_ROW
from skmetrics_ext.registry import scorers
from skmetrics_ext.registry.defaults import display_name
from skmetrics_ext.report.out_of_fold import FoldValues
from skmetrics_ext.report.summary import fold_cells, interval_heading, kind_of, summary_of
from skmetrics_ext.tables import Row, Shown, Table, columns, joined_notes

RowKind = Literal["summary", "folds", "pooled", "compare"]
_TESTS = (
    "Corrected resampled t-test, for models trained on other samples of this size. Intervals and "
    "p-values are adjusted by Holm's method for all pairs of a metric: an interval excludes 0 "
    "exactly if p is below {:g}. P: posterior probability that a, or b, is better{}."
)
_UNDEFINED = "undefined in {} of {} folds: {}"
_FILLED = "by convention in {} of {} folds: {}"
_LACKING = "in {} of {} folds {}"
_ROPE = " by more than the region of practical equivalence, or that neither is"
_SENTENCES = ("reasons", "note", "notes")
_NAMES = columns("model", "metric")
_FIT = "fit (s)"
_SECONDS = (
    Shown(_FIT, "fit_time", "{:.3f}".format),
    Shown("score (s)", "score_time", "{:.3f}".format),
)
_FOLDS = columns("model", "metric", "fold", "value", ("train", "n_train"), ("test", "n_test"))
_FOLD_FIELDS = ("n_train", "n_test", "fit_time", "score_time")
_ESTIMATE_FIELDS = ("value", "low", "high", "standard_error", "method", "note", "design_effect")
# Columns that change sign, and pairs of bounds that change sign and places, when a loss is shown.
_NEGATED = ("mean", "value", "train", "gap", "train_value")
_SWAPPED = (("low", "high"), ("low_holm", "high_holm"), ("gap_low", "gap_high"))


def shown_metric(name: str) -> tuple[str, int]:
    """Name of a metric as people write it, and -1 if its numbers are shown with opposite sign.

    Scorers negate losses, so that greater is better; people read the loss itself. Names that the
    user chose are kept.
    """
    if name not in scorers():
        return name, 1
    return display_name(name), -1 if name.startswith("neg_") else 1


def for_people(rows: Table) -> Table:
    """A table with metrics named, and losses signed, as people write them."""
    shown = []
    for row in rows:
        title, sign = shown_metric(row["metric"])
        row = Row({**row, "metric": title})
        if sign < 0:
            row |= {key: -row[key] for key in _NEGATED if row.get(key) is not None}
            for low, high in _SWAPPED:
                if low in row:
                    row[low], row[high] = -row[high], -row[low]
        shown.append(row)
    return rows.like(shown)


def question_text(models: Sequence[str], positive: Any) -> str:
    """The question that a page answers."""
    target = "the class" if positive is None else f"class {positive!r}"
    if isinstance(positive, str):
        target = repr(positive)
    if len(models) > 1:
        return f"Which model predicts {target} best?"
    return f"How well does {models[0]} predict {target}?"


def difference_text(name: str, row: Mapping[str, Any], sign: int = 1, of: str = "") -> str:
    """A difference with its interval and p-value; ``of`` is the suffix of the adjusted bounds."""
    p_value = "p_adjusted" if of else "p_value"
    ends = interval(*sorted((sign * row[f"low{of}"], sign * row[f"high{of}"])))
    shown, p_value = signed(sign * row["value"]), probability(row[p_value])
    equals = "" if p_value.startswith("<") else "= "
    p_name = "p (Holm)" if of else "p"
    return f"difference in {name} {shown or 'nan'} {ends}, {p_name} {equals}{p_value}"


def best_text(model: str, others: int, name: str, value: float, ends: str, title: str) -> str:
    """The value of the best model, or of the only one, with its interval."""
    shown = f"{number(value)} {ends} ({title})" if ends else number(value)
    best = "the best " if others else ""
    return f"{model} has {best}{name}: {shown}."


def interval_column(report: FoldValues) -> tuple[str, str]:
    """Title and key of the column of intervals."""
    return f"{100 * report.confidence_level:g}% interval", "interval"


class EstimatesOfReport(Estimates):
    """Estimates of a report, which print with columns of their own and mark the baseline."""

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        shown: Sequence[Shown],
        report: FoldValues,
        lead: Sequence[str] = (),
        *,
        notes: Sequence[str] = (),
        empty: str = "no rows",
    ) -> None:
        super().__init__(rows, confidence_level=report.confidence_level, lead=lead, notes=notes)
        self._columns, self.baseline, self.empty = shown, report.baseline, empty
        self.sentences = tuple(name for name in _SENTENCES if name in self.fields())

    _as_rows, shown = Table._as_rows, Table.shown


def summary_table(report: FoldValues, interval: str) -> Estimates:
    """Mean, standard deviation and interval of each model and metric."""
    kind = kind_of(report, interval)
    pooled = [("pooled", "value")] if kind == "pooled" else []
    shown = columns("model", "metric", "mean", ("sd", "std"), *pooled, interval_column(report))
    lead = [interval_heading(report, kind)]
    return EstimatesOfReport(summary_of(report, kind), shown + _train_columns(report), report, lead)


def _train_columns(report: FoldValues) -> list[Shown]:
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
    return EstimatesOfReport(rows, [*_FOLDS, *train, *_SECONDS], report)


def pooled_table(report: FoldValues, found: dict[tuple[str, str], Estimate]) -> Estimates:
    """Each metric on the out-of-fold predictions of all folds together, with its interval."""
    n_rows = {model: len(part.rows) for model, part in report.predictions.items()}
    rows = [
        {
            "model": model,
            "metric": metric,
            "n_rows": n_rows[model],
            **{key: getattr(estimate, key) for key in _ESTIMATE_FIELDS},
        }
        for (model, metric), estimate in found.items()
    ]
    value = Shown("value", form=lambda value: "not pooled" if math.isnan(value) else number(value))
    more = columns(interval_column(report), "method", ("rows", "n_rows"))
    return EstimatesOfReport(rows, [*_NAMES, value, *more], report)


def comparison_table(report: FoldValues, rows: Sequence[Mapping[str, Any]]) -> Estimates:
    """Pairs of models on the same folds."""
    ropes = {row["rope"] for row in rows}
    has_rope = not ropes <= {None}
    title = f"P(±{ropes.pop():g})" if len(ropes) == 1 and has_rope else "P(same)"
    shares = [("P(a)", "p_a_better"), (title, "p_equivalent"), ("P(b)", "p_b_better")]
    shown = [
        *columns("metric", ("a", "model"), ("b", "against")),
        Shown("a - b", "value", lambda value: signed(value) or "undefined"),
        Shown(interval_column(report)[0], ("low_holm", "high_holm"), interval),
        *columns(("p (Holm)", "p_adjusted"), *(shares if has_rope else shares[::2])),
    ]
    notes = [_TESTS.format(1 - report.confidence_level, _ROPE * has_rope)] if rows else []
    empty = "no pair of models to compare"
    table = EstimatesOfReport(rows, shown, report, notes=notes, empty=empty)
    table.baseline = None  # of a pair no model is marked
    return table


# --------------------------------------------------------------------------- the report


def text_report(report: FoldValues) -> str:
    """The report as ``print`` shows it."""
    rows = report_rows(report)
    parts = ["\n".join(rows.lead), *_fitting_tables([rows.header(), *rows.cells()])]
    if rows.notes:
        parts.append("\n".join(fill(note, WIDTH, subsequent_indent="    ") for note in rows.notes))
    if report.data.rows_by is not None:
        from skmetrics_ext.report.by_group import group_table

        parts += [report.data.rows_by.description, str(group_table(report))]
    if report.has_train:
        names = [*_NAMES, Shown("test", "mean", number), *_train_columns(report)]
        parts.append(str(Table(fold_cells(report), names, sentences=(), baseline=report.baseline)))
    return "\n\n".join(parts)


def report_rows(report: FoldValues) -> Table:
    """The printed table: a row per model, and numbered notes on its cells."""
    cells_of_note: dict[str, list[tuple[str, str]]] = {}
    texts: dict[str, list[str]] = {model: [model] for model in report.models}
    joined = joined_notes(note for cell in fold_cells(report) for note in fold_notes(cell))
    for cell in fold_cells(report):
        marks = ""
        for note in map(joined.__getitem__, fold_notes(cell)):
            cells_of_note.setdefault(note, []).append((cell["model"], cell["metric"]))
            marks += f"[{[*cells_of_note].index(note) + 1}]"
        texts[cell["model"]].append(" ".join(filter(None, [*_parts(cell), marks])))
    for model, (fit_time, _) in report.times().items():
        texts[model].append(f"{fit_time:.3f}")
    titles = ["model", *report.metrics, _FIT]
    keys = list(map(str, range(len(titles))))  # a metric may be named like another column
    shown = [Shown(title, key, is_text=key == "0") for title, key in zip(titles, keys, strict=True)]
    rows = [dict(zip(keys, row, strict=True)) for row in texts.values()]
    notes = []
    for place, (note, cells) in enumerate(cells_of_note.items(), start=1):
        models, metrics = (", ".join(dict.fromkeys(names)) for names in zip(*cells, strict=True))
        notes.append(f"[{place}] {metrics} of {models}: {note}")
    return Table(rows, shown, lead=heading(report), notes=notes, baseline=report.baseline)


def _parts(cell: Mapping[str, Any]) -> Iterator[str]:
    """Parts of a cell: mean, standard deviation, and the number of undefined folds."""
    missing = cell["n_undefined"]
    yield number(cell["mean"])
    if not math.isnan(cell["std"]):
        yield f"± {number(cell['std'])}"
    if missing:
        yield f"({missing} undefined)" if missing < cell["n_folds"] else f"({missing})"


def fold_notes(cell: Mapping[str, Any]) -> list[str]:
    """Reasons for undefined folds, and conventions behind defined values."""
    return [
        (_LACKING if text == NO_ROW else form).format(count, cell["n_folds"], text)
        for form, key in ((_UNDEFINED, "reasons"), (_FILLED, "notes"))
        for text, count in cell[key].items()
    ]


def heading(report: FoldValues) -> list[str]:
    """Lines above the table: the data, the folds, and the meaning of the numbers."""
    grouping = report.grouping
    grouped = "" if grouping is None else f" in {grouping.n_groups} groups"
    lines = [
        f"{report.n_folds} folds of {report.n_samples} rows{grouped}: {report.splitter}",
        "mean ± standard deviation over the folds (ddof=1)",
    ]
    if report.positive_class is not None:
        lines[1] += f"; positive class: {report.positive_class}"
    if grouping is not None:
        lines[1] += "; intervals by groups"
        lines += grouping.warnings
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

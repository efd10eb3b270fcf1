"""The page of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skmetrics_ext.formats import html_table, interval, number
from skmetrics_ext.report.page.charts import report_charts
from skmetrics_ext.report.page.document import document, folded, note, pictures, section
from skmetrics_ext.report.page.picture import ChartLine, dots
from skmetrics_ext.report.render import footnotes, heading

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

_INTERVALS = (
    "Intervals in the table are of what is named beside them. Pooled: all out-of-fold predictions "
    "together, with that value. Cv: the mean over folds, from what each row adds to its fold. Both "
    "are of the models that were fitted. Corrected: the mean, as in the pictures."
)
_HEURISTIC = (
    "Intervals in the pictures and tests between models use Nadeau and Bengio's corrected variance "
    "(2003), which adds n_test / n_train for training sets that overlap: a heuristic, for no "
    "unbiased estimate of that variance exists. They are of models trained on data of this "
    "size, not of one fitted model."
)
_LEGEND = (
    "Dot: mean over the folds. Line: {} interval of the mean. Ticks: the folds. Hollow, with a "
    "dotted line: the baseline. Further right is better."
)
_POOLED = (
    "Out-of-fold predictions of all folds together. Scores of models fitted on different folds "
    "have no common scale, so that metrics that rank rows are not pooled."
)


def report_page(report: CrossValidationReport) -> str:
    """The report as one self-contained HTML page."""
    notes, marks = footnotes(report)
    level = f"{100 * report.confidence_level:g}%"
    parts = [
        section(
            "Summary", _summary(report, marks, level), *map(note, (*notes, _INTERVALS, _HEURISTIC))
        ),
        section(
            "Models by metric", note(_LEGEND.format(level)), pictures(_pictures(report, level))
        ),
        *report_charts(report),
        *_groups(report),
        section("Comparison on the same folds", *_comparison(report)),
        section("Pooled out-of-fold estimates", note(_POOLED), _pooled(report, level)),
        folded("Every fold", _folds(report)),
    ]
    title = f"Cross-validation of {', '.join(m for m in report.models if m != report.baseline)}"
    return document(title, heading(report), parts)


def _summary(report: CrossValidationReport, marks: dict[Any, str], level: str) -> str:
    rows = []
    times = report.times()
    for row in sorted(report.summary(), key=lambda row: report.metrics.index(row["metric"])):
        defined = row["n_folds"] - row["n_undefined"]
        rows.append(
            [
                row["metric"],
                row["model"],
                f"{number(row['mean'])} {marks.get((row['model'], row['metric']), '')}".strip(),
                number(row["std"]),
                interval(row["low"], row["high"]),
                shown_interval(row),
                f"{defined} of {row['n_folds']}",
                f"{times[row['model']][0]:.3f}",
                f"{times[row['model']][1]:.3f}",
            ]
        )
    header = [
        "metric", "model", "mean", "sd", f"{level} interval", "of",
        "folds defined", "fit (s)", "score (s)",
    ]  # fmt: skip
    return html_table(header, rows, text=(1, 5), baseline=report.baseline)


def shown_interval(row: dict[str, Any]) -> str:
    """What an interval is of."""
    if row["interval"] == "pooled":
        return f"pooled {number(row['value'])}"
    return str(row["interval"])


def _pictures(report: CrossValidationReport, level: str) -> list[tuple[str, str]]:
    found = []
    summary = report.summary("corrected")
    for metric in report.metrics:
        lines = []
        for row in summary:
            if row["metric"] == metric:
                folds = [result.values[metric] for result in report.results_of(row["model"])]
                ends = (row["mean"], row["low"], row["high"])
                lines.append(ChartLine(row["model"], *ends, folds, row["is_baseline"]))
        told = f"{metric}: mean, {level} interval of the mean, and every fold"
        found.append((dots(lines, told), metric))
    return found


def _comparison(report: CrossValidationReport) -> list[str]:
    rows = report.compare()
    if not rows:
        return [note("There is one model only.")]
    return [html_table(rows.header(), rows.cells(), text=(1, 2)), *map(note, rows.told())]


def _groups(report: CrossValidationReport) -> list[str]:
    rows_by = None if report.data is None else report.data.rows_by
    if rows_by is None:
        return []
    from skmetrics_ext.report.by_group import group_table

    rows = group_table(report)
    text = tuple(place for place, side in enumerate(rows.align()) if side == "<")
    table = html_table(rows.header(), rows.cells(), text=text)
    return [section("By group", note(rows_by.told), table, *map(note, rows.told()))]


def _pooled(report: CrossValidationReport, level: str) -> str:
    rows = [
        [
            row["model"],
            row["metric"],
            number(row["value"]),
            interval(row["low"], row["high"]),
            row["method"] or "",
            str(row["n_rows"]),
            row["reason"] or "",
        ]
        for row in report.pooled()
    ]
    header = ["model", "metric", "value", f"{level} interval", "method", "rows", "note"]
    return html_table(header, rows, text=(1, 4, 6), baseline=report.baseline)


def _folds(report: CrossValidationReport) -> str:
    rows = [
        [
            result.model,
            str(result.fold),
            str(result.n_train),
            str(result.n_test),
            *(number(result.values[metric]) for metric in report.metrics),
            f"{result.fit_time:.3f}",
            f"{result.score_time:.3f}",
        ]
        for result in report.results
    ]
    header = ["model", "fold", "train", "test", *report.metrics, "fit (s)", "score (s)"]
    return html_table(header, rows)

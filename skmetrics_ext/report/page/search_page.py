"""The page of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skmetrics_ext.report.page import document as html
from skmetrics_ext.report.page.charts import Dot, dot_chart
from skmetrics_ext.report.page.document import note, section

if TYPE_CHECKING:
    from skmetrics_ext.report.search.result import SearchReport

_ABOUT = (
    "The mean of the chosen candidate is the largest of many noisy means, so it is too high. The "
    "corrected value removes this selection bias; its interval describes the chosen candidate, "
    "fitted to training sets of the size of the folds."
)
_LEGEND = (
    "Dot: mean over the folds. Line: {} interval, separate for each candidate. *: chosen; =: not "
    "distinguishable from the best. Hollow dot and dotted line: the corrected value."
)
_MOST_DRAWN = 30
_SET = (
    "From the best: simultaneous bounds of the difference from the best candidate. P(best): how "
    "often a candidate would be chosen in other samples of this size."
)


def search_page(report: SearchReport) -> str:
    """The report as one self-contained HTML page."""
    rows, best = report._as_rows(), report.best
    dots = []
    for row in rows[:_MOST_DRAWN]:
        mark = "* " if row.selected else "= " if row.as_good else ""
        dots.append(Dot(mark + row.label, row.mean, row.low, row.high))
    dots.append(Dot("corrected for selection", best.value, best.low, best.high, is_baseline=True))
    drawn = dot_chart(dots, f"{report.metric} of the candidates")
    picture = html.pictures([(drawn, report.metric)])
    legend = note(_LEGEND.format(f"{100 * report.confidence_level:g}%"))
    parts = [
        section("Corrected for selection", note(_ABOUT)),
        section("Candidates", legend, picture, note(_SET), html.table(rows)),
    ]
    return html.document(f"Search by {report.metric}", (), parts, card=html.brief(rows.lead))

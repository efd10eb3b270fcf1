"""The page of a search."""

from __future__ import annotations

from skmetrics_ext.inference.estimate_rows import row_from, shown_metric
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.report.page import document as html
from skmetrics_ext.report.page.charts import Dot, dot_chart
from skmetrics_ext.report.page.document import note, section
from skmetrics_ext.report.sentences import capital, numbers_of
from skmetrics_ext.tables import Table

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


def search_page(rows: Table, best: Estimate, metric: str, source: str = "") -> str:
    """A page of the candidates, the best one first, and of the corrected value."""
    name, sign = shown_metric(metric)
    dots = []
    for row in rows[:_MOST_DRAWN]:
        mark = "* " if row.selected else "= " if row.as_good else ""
        dots.append(Dot(mark + row.model, row.mean, row.low, row.high))
    corrected = numbers_of(row_from(best, metric=metric))
    dots.append(Dot("corrected for selection", *corrected, is_baseline=True))
    drawn = dot_chart(dots, f"{name} of the candidates")
    lower = " (lower is better)" if sign < 0 else ""
    legend = note(_LEGEND.format(f"{100 * best.confidence_level:g} %"))
    parts = [
        section("Candidates", note(_SET), html.table(rows)),
        section("Picture", legend, html.pictures([(drawn, f"{name}{lower}")])),
        section("Corrected for selection", note(_ABOUT)),
    ]
    answer, *others = map(capital, rows.lead)
    title = f"Search by {shown_metric(metric, inside=True)[0]}"
    card = html.brief(["Which settings are best?", answer, *others])
    return html.document(title, (), parts, card=card, source=source)

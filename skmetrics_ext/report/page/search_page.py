"""The page of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skmetrics_ext.formats import html_table
from skmetrics_ext.report.page.charts import NO_MATPLOTLIB, can_draw, to_svg
from skmetrics_ext.report.page.document import brief, document, note, pictures, section
from skmetrics_ext.report.search.result import heading, shown_rows

if TYPE_CHECKING:
    from skmetrics_ext.report.search.result import SearchReport

_ABOUT = (
    "The mean of the candidate that was chosen is the largest of many noisy ones, and so too high. "
    "The corrected value takes off what such a choice gains by noise; its interval is of the "
    "candidate that was chosen, fitted to training sets of the folds' size."
)
_LEGEND = (
    "Dot: mean over the folds. Line: {} interval of each candidate by itself. Blue: cannot be told "
    "from the best. Orange diamond: chosen. Green: the corrected value and its interval."
)
_SET = (
    "From the best: joint bounds of how much worse than the best of all a candidate is. P(best): "
    "how often it would be chosen from other samples of this size."
)


def search_page(report: SearchReport) -> str:
    """The report as one self-contained HTML page."""
    level = f"{100 * report.confidence_level:g}%"
    rows = shown_rows(report)
    left = [place for place, side in enumerate(rows.align()) if side == "<"]
    shown = html_table(rows.header(), rows.cells(), text=left)
    lead = heading(report)
    picture = note(NO_MATPLOTLIB)
    if can_draw():
        drawn = to_svg("Candidates", (6.4, 4.6), report.plot)
        picture = note(_LEGEND.format(level)) + pictures([(drawn, "Candidates")])
    parts = [
        section("In short", brief(lead), note(_ABOUT)),
        section("Candidates", picture, note(_SET), shown, *map(note, rows.told())),
    ]
    return document(f"Search by {report.metric}", (), parts)

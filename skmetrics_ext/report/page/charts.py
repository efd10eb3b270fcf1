"""Pictures of a page that matplotlib draws, as SVG within the page."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from html import escape
from importlib.util import find_spec
from io import StringIO
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from skmetrics_ext.plotting import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    PrecisionRecallCurvesDisplay,
    RocCurvesDisplay,
)
from skmetrics_ext.plotting.drawing import lone_figure
from skmetrics_ext.report.page.document import Section, folded, note, pictures, section
from skmetrics_ext.validation import distinct_labels

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

NO_MATPLOTLIB = (
    "More pictures are drawn where matplotlib is installed: pip install 'skmetrics-ext[plot]'."
)
SCORES: tuple[tuple[str, Any], ...] = (
    ("ROC", RocCurvesDisplay),
    ("Precision and recall", PrecisionRecallCurvesDisplay),
    ("Reliability", CalibrationDisplay),
)
_LEAST_SIDE, _MOST_SIDE = 4.2, 9.0  # inches
_SMALLER = 0.85  # than a picture of its own: a phone shows it small, and its text must be read
_FOLDS = (
    "Predictions of rows that the model of the fold was not fitted on. Thin lines: the folds; "
    "thick: their mean; band: one standard deviation of the folds to either side. Of several "
    "classes, the mean over each against the rest. Reliability is that of the probabilities of "
    "all folds together; bars: 95% intervals."
)
_LEFT_OUT = "Not drawn, for they are of one class, and no pos_label= said which is positive: {}."
_MATRICES = "Out-of-fold predictions of all folds together; shares are of the true class."
_LEGEND = 32  # characters of a name in a legend; the heading has all of it
_DISTINCT = 4  # classes whose reliability is told apart in one picture


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def options_of(display: Any, n_classes: int) -> dict[str, Any]:
    """What of several classes is drawn, so that it can be read."""
    if display is CalibrationDisplay and n_classes > _DISTINCT:
        return {"curves": "top label"}
    return {}


def left_out(n_classes: int, positive: Any) -> list[str]:
    """Titles of what is drawn of one class, where nothing says which of two it is."""
    if n_classes != 2 or positive is not None:
        return []
    return [title for title, display in SCORES if display.sides == "one"]


def draw_scores(title: str, display: Any, draw: Callable[..., Any]) -> str:
    """A picture of a kind of display of scores, on axes of its own size."""
    return to_svg(title, display.size, draw)


def draw_matrix(title: str, n_classes: int, draw: Callable[..., Any]) -> str:
    """A picture of a confusion matrix."""
    side = max(_LEAST_SIDE, min(0.42 * n_classes + 1.2, _MOST_SIDE))
    return to_svg(title, (side, side), partial(draw, colorbar=False))


def to_svg(title: str, size: tuple[float, float], draw: Callable[..., Any]) -> str:
    """What a function draws on axes, as SVG without what only a file of its own needs.

    Looks the same whatever the settings of the session, and each time.
    """
    import matplotlib as mpl
    import matplotlib.style

    look = {
        "svg.fonttype": "none",  # text can be read aloud, copied and searched
        "svg.hashsalt": title,  # so that names in one picture are not those of another
        "text.parse_math": False,
    }
    text = StringIO()
    with mpl.style.context(["default", look]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure = lone_figure((_SMALLER * size[0], _SMALLER * size[1]))
        draw(ax=figure.subplots())
        figure.savefig(
            text,
            format="svg",
            bbox_inches="tight",  # the layout does not see the label of axes below the axes
            pad_inches=0.05,
            transparent=True,  # the page has a ground of its own
            metadata={"Date": None, "Creator": None},
        )
    picture = text.getvalue().partition("<svg")[2]
    head, _, rest = picture.partition(">")
    box = re.search(r'viewBox="[^"]+"', head)
    for needless in ("<metadata>.*?</metadata>", "<style .*?</style>", "<!--.*?-->"):
        rest = re.sub(needless, "", rest, flags=re.DOTALL)
    rest = re.sub(r'<g id="[^"]*"', "<g", rest)  # the same in every picture
    return (
        f'<div class="drawn"><svg {box.group() if box else ""} role="img" '
        f'aria-label="{escape(title)}" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'stroke-linejoin="round" '
        f'stroke-linecap="butt">{rest}</div>'
    )


def report_charts(report: CrossValidationReport) -> list[Section | str]:
    """Sections with the curves of each model but the baseline, and the confusion matrices."""
    if report.data is None:
        return []
    if not can_draw():
        return [note(NO_MATPLOTLIB)]
    classes = distinct_labels(report.data.y)
    n_classes = 0 if classes is None else len(classes)  # of multilabel data there are none
    without = left_out(n_classes, report.positive_class)
    head = [note(_FOLDS), *([note(_LEFT_OUT.format(", ".join(without)))] if without else [])]
    parts: list[Section | str] = []
    matrices: list[tuple[str, str]] = []
    for model in report.models:
        kept = {method for result in report.results_of(model) for method in result.responses}
        if model == report.baseline or not kept:
            continue
        found, failed = _curves(report, model, kept, n_classes, without)
        if found or failed:
            told = [] if parts else head
            shown = [pictures(found)] if found else []
            own = "".join([*told, *shown, *map(note, failed)])
            named = f'<div data-model="{escape(model)}">{own}</div>\n'
            parts.append(folded(f"Curves of {model}", named))
        if "predict" in kept and n_classes:
            draw = partial(ConfusionMatrixDisplay.from_report, report, model)
            matrices.append((draw_matrix(f"Confusion matrix of {model}", n_classes, draw), model))
    if matrices:
        parts.append(section("Confusion matrices", note(_MATRICES), pictures(matrices, of="model")))
    return parts


def _curves(
    report: CrossValidationReport, model: str, kept: set[str], n_classes: int, without: list[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Pictures with their captions, and why there are no others."""
    found, failed = [], []
    for title, display in SCORES:
        if kept.isdisjoint(display.methods) or title in without:
            continue
        told = f"{title} of {model}"
        look = {"name": shorten(model, _LEGEND, placeholder=" …"), **options_of(display, n_classes)}
        draw = partial(display.from_report, report, model, **look)
        try:
            found.append((draw_scores(told, display, draw), title))
        except ValueError as error:  # no fold has a curve
            failed.append(f"{told}: {error}")
    return found, failed

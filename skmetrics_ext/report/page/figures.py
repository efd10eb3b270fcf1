"""Displays that matplotlib draws, as SVG within a page."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from html import escape
from importlib.util import find_spec
from io import StringIO
from typing import Any

from skmetrics_ext.plotting import (
    CalibrationDisplay,
    PrecisionRecallCurvesDisplay,
    RocCurvesDisplay,
)
from skmetrics_ext.plotting.axes import lone_figure

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

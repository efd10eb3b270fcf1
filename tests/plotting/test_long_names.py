"""Names of ninety letters: nothing of a picture is cut, alone or over another of its kind."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import skmetrics_ext as sx
from skmetrics_ext.plotting import CrossValidationDisplay, axes
from tests.support.many_models import all_differences

LONG = "gradient boosting with a calibrated tail, fitted on the third cohort of the northern region"
RUN = "Pipeline(StandardScaler,LogisticRegression(C=0.1,penalty=l2))_corrected_by_isotonic_cv5_x9"
RNG = np.random.default_rng(3)
SICK = RNG.random(40) < 0.4
TRUE = np.where(SICK, LONG, "healthy")
SCORES = [np.round(np.clip(RNG.normal(0.35 + 0.3 * SICK, 0.2), 0, 1), 2) for _ in range(2)]
FOLDS = {"metric": ["f1"] * 2, "value": [0.7, 0.9], "n_train": [40] * 2, "n_test": [20] * 2}
OF_SCORES = [
    getattr(sx, name)
    for name in sx.__all__
    if name.endswith("Display") and not name.startswith(("Confusion", "Cross"))
]


def of_scores(kind: Any) -> Callable[..., Any]:
    def draw(ax: Any, name: str) -> Any:
        score = SCORES[name == RUN]
        return kind.from_predictions(TRUE, score, pos_label=LONG, name=name, ax=ax).ax_

    return draw


def confusion(ax: Any, name: str) -> Any:
    labels = [RUN, LONG, "healthy"]
    said = np.where(SCORES[name == RUN] > 0.5, RUN, "healthy")
    return sx.ConfusionMatrixDisplay.from_predictions(TRUE, said, labels=labels, ax=ax).ax_


def folds(ax: Any, name: str) -> Any:
    return CrossValidationDisplay({"model": [name] * 2, **FOLDS}, baseline=name).plot(ax).ax_


def several(ax: Any, name: str) -> Any:
    models = {LONG: SCORES[0], RUN: SCORES[1]}
    return all_differences("roc_auc", SICK, models, control=name, random_state=0).plot(ax=ax)


def groups(ax: Any, name: str) -> Any:
    found = sx.compute_metrics(
        ["accuracy"], SICK, SCORES[0] > 0.5, by={"cohort": TRUE}, intervals=True
    )
    return found.plot("accuracy", ax=ax)


KINDS = {kind.__name__: of_scores(kind) for kind in OF_SCORES} | {
    draw.__name__: draw for draw in (confusion, folds, several, groups)
}


def assert_nothing_is_cut(figure: Any) -> None:
    """What is drawn, with all texts, lies inside: the picture is not larger than its paper."""
    from matplotlib.transforms import Bbox

    figure.canvas.draw()
    axes = [one for ax in figure.axes for one in (ax, *ax.child_axes)]
    # Of a title along its axis, boxes of axes of matplotlib 3.8 know nothing.
    titles = [axis.label for ax in axes for axis in (ax.xaxis, ax.yaxis)]
    drawn = [title for title in titles if title.get_text() and title.get_visible()]
    whole = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
    box = Bbox.union([whole, *(title.get_window_extent() for title in drawn)])
    width, height = figure.get_size_inches() * figure.dpi
    assert box.x0 > -2
    assert box.y0 > -2
    assert box.x1 < width + 2
    assert box.y1 < height + 2


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "layout", ["ours", None, pytest.param("constrained", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_cut(kind: str, layout: str | None) -> None:
    import matplotlib.pyplot as plt

    ax = None if layout == "ours" else plt.subplots(layout=layout)[1]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="constrained_layout not applied")
        for name in (LONG, RUN):
            ax = KINDS[kind](ax, name)
            assert_nothing_is_cut(ax.figure)


def test_a_cut_picture_is_found() -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    ax.set_ylabel(LONG)
    with pytest.raises(AssertionError):
        assert_nothing_is_cut(figure)


@pytest.mark.parametrize("kind", OF_SCORES)
def test_two_without_names_are_told_apart(kind: Any) -> None:
    first = kind.from_predictions(SICK, SCORES[0])
    second = kind.from_predictions(SICK, SCORES[0], ax=first.ax_)
    drawn = [*first.lines_, *second.lines_]
    # Each place has a look of its own, of thirty.
    assert len(drawn) == axes.n_curves(second.ax_) == 2 * len(first.lines_)
    assert len({line.get_color() for line in drawn}) > len(first.lines_)
    texts = [text.get_text() for text in second.legend_.get_texts()]
    assert len(set(texts)) == len(texts) >= len(drawn)


def test_two_histograms_share_the_axes_below() -> None:
    first = sx.CalibrationDisplay.from_predictions(SICK, SCORES[0], name="one")
    second = sx.CalibrationDisplay.from_predictions(SICK, SCORES[1], name="two", ax=first.ax_)
    below = first.histogram_ax_
    assert second.histogram_ax_ is below
    colours = [patch.get_edgecolor()[:3] for patch in below.patches]
    assert len(set(colours)) == 2
    assert below.get_ylim()[1] >= max(patch.get_data().values.max() for patch in below.patches)


def test_models_of_two_reports_stand_below_each_other() -> None:
    first = CrossValidationDisplay({"model": ["a"] * 2, **FOLDS}).plot()
    second = CrossValidationDisplay({"model": ["b"] * 2, **FOLDS}).plot(first.axes_)
    assert [label.get_text() for label in second.ax_.get_yticklabels()] == ["a", "b"]
    assert [line.get_ydata()[0] for line in (*first.lines_, *second.lines_)] == [0, 1]


def test_the_second_matrix_takes_the_place_of_the_first() -> None:
    first = sx.ConfusionMatrixDisplay.from_predictions([0, 1], [0, 1])
    second = sx.ConfusionMatrixDisplay.from_predictions([0, 1, 1], [0, 1, 0], ax=first.ax_)
    assert len(second.ax_.images) == 1
    assert len(second.ax_.texts) == 4
    assert len(second.figure_.axes) == 2  # the matrix and one scale


def test_wrapping() -> None:
    assert axes.wrap("a name", 10) == "a name"
    assert axes.wrap("one two three", 8) == "one two\nthree"
    assert axes.wrap("under_score_name", 12) == "under_score_\nname"
    assert axes.wrap("x" * 7, 3) == "xxx\nxxx\nx"
    assert axes.wrap("kept\napart", 3) == "kep\nt\napa\nrt"
    for text in (LONG, RUN):
        lines = axes.wrap(text, 20).split("\n")
        assert max(map(len, lines)) <= 20
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")

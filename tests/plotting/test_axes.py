"""What all pictures share."""

import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest

import skmetrics_ext as sx
from skmetrics_ext.plotting import CrossValidationDisplay, axes

DISPLAYS = [name for name in sx.__all__ if name.endswith("Display")]
OF_SCORES = [getattr(sx, name) for name in DISPLAYS if name != "ConfusionMatrixDisplay"]


def test_there_are_nine() -> None:
    assert len(DISPLAYS) == 9
    assert set(DISPLAYS) <= set(dir(sx))


def test_importing_the_displays_loads_no_matplotlib() -> None:
    code = "import sys; from skmetrics_ext import GainDisplay; print('matplotlib' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "False", found.stderr


@pytest.mark.parametrize(
    "draw",
    [
        *(lambda kind=kind: kind.from_predictions([0, 1], [0.1, 0.9]) for kind in OF_SCORES),
        lambda: sx.ConfusionMatrixDisplay.from_predictions([0, 1], [0, 1]),
        lambda: CrossValidationDisplay({"model": ["a"], "metric": ["f"], "value": [1.0]}).plot(),
    ],
)
def test_without_matplotlib(draw, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    told = r"^\w+Display\.plot needs matplotlib: pip install 'skmetrics-ext\[plot\]'$"
    with pytest.raises(ImportError, match=told):
        draw()


@pytest.mark.parametrize("display", OF_SCORES)
def test_without_pandas(display, binary, monkeypatch) -> None:
    shown = display.from_predictions(*binary, pos_label="sick")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"Display\.frame needs pandas"):
        shown.frame()
    assert len({len(values) for values in shown.columns().values()}) == 1


@pytest.mark.parametrize("display", OF_SCORES)
def test_conventions(display, binary) -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    shown = display.from_predictions(*binary, pos_label="sick", ax=ax, name="first")
    assert shown.ax_ is ax
    assert shown.figure_ is figure
    assert shown.line_ is shown.lines_[0]
    assert ax.get_ylabel()
    assert shown.plot(ax) is shown
    assert shown.plot().ax_ is not ax  # a new figure


@pytest.mark.parametrize("display", [sx.RocCurvesDisplay, sx.PrecisionRecallCurvesDisplay])
def test_square(display, binary) -> None:
    ax = display.from_predictions(*binary, pos_label="sick").ax_
    assert ax.get_aspect() == 1
    assert ax.get_xlim() == ax.get_ylim()


def test_next_display_on_the_same_axes_looks_different(binary) -> None:
    y, score = binary
    first = sx.RocCurvesDisplay.from_predictions(y, score, pos_label="sick", name="one")
    second = sx.RocCurvesDisplay.from_predictions(
        y, score**2, pos_label="sick", name="two", ax=first.ax_
    )
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    texts = [text.get_text().split(" (")[0] for text in second.legend_.get_texts()]
    assert texts == ["one", "two", "95 % pointwise band", "chance", "positive class: sick"]


def test_name_of_several_curves_goes_to_the_title_or_to_each(several) -> None:
    y, proba = several
    first = sx.GainDisplay.from_predictions(y, proba, name="one")
    assert first.legend_.get_title().get_text() == "one"
    second = sx.GainDisplay.from_predictions(y, proba, name="two", ax=first.ax_, curves="a")
    texts = [text.get_text().split(" (")[0] for text in second.legend_.get_texts()]
    curves, rest = texts[:4], texts[4:]
    assert curves == ["one, a", "one, b", "one, c", "two, a"]
    assert rest[:3] == ["95 % pointwise band", "chance", "perfect"]


def test_thirty_curves_are_told_apart() -> None:
    looks = [tuple(axes.style(place).values()) for place in range(30)]
    assert len(set(looks)) == 30
    assert all(a[0] != b[0] and a[1] != b[1] for a, b in pairwise(looks))


def test_colours_are_told_apart_by_readers_without_red_or_green_cones() -> None:
    # Viénot, Brettel & Mollon (1999): what is left of linear RGB without one kind of cone.
    seen = {
        "protan": np.array([[0.112, 0.888, 0], [0.112, 0.888, 0], [0.004, -0.004, 1]]),
        "deutan": np.array([[0.293, 0.707, 0], [0.293, 0.707, 0], [-0.021, 0.021, 1]]),
    }
    colours = np.array([mpl.colors.to_rgb(colour) for colour in axes.COLOURS])
    for matrix in seen.values():
        simulated = colours**2.2 @ matrix.T
        apart = np.linalg.norm(simulated[:, None] - simulated[None], axis=-1)
        assert apart[~np.eye(len(colours), dtype=bool)].min() > 0.05


def test_long_legend_stands_beside_and_the_axes_keep_their_size() -> None:
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(10), 6)
    proba = rng.dirichlet(np.ones(10), 60)
    many = sx.RocCurvesDisplay.from_predictions(y, proba)
    few = sx.RocCurvesDisplay.from_predictions(y, proba, curves=[0, 1])
    for shown in (many, few):
        shown.figure_.canvas.draw()
    assert many.figure_.get_figwidth() > few.figure_.get_figwidth()
    sizes = [shown.ax_.get_window_extent().width for shown in (many, few)]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.1)
    legend, axes = many.legend_.get_window_extent(), many.ax_.get_window_extent()
    assert legend.x0 > axes.x1
    assert legend.x1 <= many.figure_.bbox.x1
    assert legend.y0 >= 0


def test_references_and_legend_can_be_left_out(binary) -> None:
    shown = sx.RocCurvesDisplay.from_predictions(
        *binary, pos_label="sick", reference=False, legend=False
    )
    assert len(shown.ax_.lines) == 1
    assert shown.bands_
    assert shown.ax_.get_legend() is None


def test_arguments_of_matplotlib(binary) -> None:
    shown = sx.RocCurvesDisplay.from_predictions(
        *binary, pos_label="sick", curve_kwargs={"color": "black"}
    )
    assert shown.line_.get_color() == "black"
    shown = sx.CalibrationDisplay.from_predictions(
        *binary, pos_label="sick", curve_kwargs={"marker": "x"}
    )
    assert shown.line_.get_marker() == "x"

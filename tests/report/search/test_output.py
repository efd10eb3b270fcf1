"""How reports of searches read: as text, rows, frames, pictures and pages."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import search_report
from skmetrics_ext.results import Table

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 2))
Y = (X[:, 0] + RNG.normal(size=80) > 0).astype(int)


def report(model, grid, **options):
    search = GridSearchCV(model, grid, scoring="accuracy", cv=KFold(4))
    return search_report(search, X, Y, n_resamples=50, random_state=0, **options)


DEEP = report(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 40]})
TWO = report(
    DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3], "criterion": ["gini", "entropy"]}
)


def test_print_says_the_three_numbers_and_shows_the_best_first():
    lines = str(DEEP).splitlines()
    assert lines[2] == (
        "3 candidates, 4 folds of 80 rows: KFold(n_splits=4, random_state=None, shuffle=False)"
    )
    best = DEEP.best
    assert lines[0] == (
        f"best settings: max_depth=1: accuracy {best.value:.3f} [{best.low:.3f}, {best.high:.3f}] "
        "after correction for choosing among 3"
    )
    assert lines[1] == f"before correction: best_score_ {DEEP.naive:.4f}"
    missing = "training-set variation not included"
    assert lines[3] == f"95 % intervals for the 4 fitted models of a candidate; {missing}"
    assert best.note.startswith(missing)
    assert missing in DEEP.to_html()
    assert lines[7].startswith("max_depth=1")
    assert lines[7].endswith("chosen")
    assert "power 80" in str(DEEP)
    assert "criterion=gini" in str(TWO)


def test_rows_have_the_parameters_as_columns():
    pandas = pytest.importorskip("pandas")
    assert isinstance(DEEP.rows, Table)
    frame = DEEP.frame()
    assert isinstance(frame, pandas.DataFrame)
    assert sorted(frame["param_max_depth"]) == [1, 2, 40]
    assert frame["mean"].is_monotonic_decreasing
    assert DEEP.selected is DEEP.rows[DEEP.best_index]
    assert DEEP.selected.params == {"max_depth": 1}
    assert (frame["difference"] <= 0).all()
    assert (frame["difference_low"] <= frame["difference"] + 1e-12).all()
    polars = pytest.importorskip("polars")
    assert isinstance(TWO.frame(backend="polars"), polars.DataFrame)


def test_notebook_and_page():
    assert "<table>" in DEEP._repr_html_()
    pytest.importorskip("matplotlib")
    page = DEEP.to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert "max_depth=40" in page
    assert f"<p>Best settings: max_depth=1: accuracy {DEEP.best.value:.3f} [" in page
    assert "<svg" in page
    marks = {row.label: "* " if row.selected else "= " * row.as_good for row in TWO.rows}
    assert {*marks.values()} == {"* ", "= "}
    for row in TWO.rows:
        ends = f"{row.mean:.4f} [{row.low:.4f}, {row.high:.4f}]"
        assert f"<title>{marks[row.label]}{row.label}: {ends}</title>" in TWO.to_html()


def test_pictures_along_a_parameter_and_in_order():
    plt = pytest.importorskip("matplotlib.pyplot")
    along = DEEP.plot()
    assert (along.get_xscale(), along.get_xlabel()) == ("log", "max_depth")
    order = TWO.plot()
    best = max(TWO.rows, key=lambda row: row.mean)
    assert order.get_yticklabels()[0].get_text() == best.label
    chosen = TWO.plot(parameter="max_depth")
    assert chosen.get_xscale() == "linear"
    with pytest.raises(ValueError, match=r"one of \['criterion', 'max_depth'\]"):
        TWO.plot(parameter="depth")
    with pytest.raises(ValueError, match="must have numbers as values"):
        TWO.plot(parameter="criterion")
    plt.close("all")


@pytest.mark.parametrize("found", [DEEP, TWO])
@pytest.mark.parametrize("size", [None, (14, 5)])
def test_the_legend_hides_nothing(found, size):
    """It stands above the axes, inside of the figure, and over no other axes."""
    plt = pytest.importorskip("matplotlib.pyplot")
    axes = [None] if size is None else plt.subplots(1, 2, figsize=size, layout="constrained")[1]
    drawn = [found.plot(ax) for ax in axes]
    figure = drawn[0].figure
    figure.canvas.draw()
    legends = [ax.get_legend().get_window_extent() for ax in drawn]
    for ax, box in zip(drawn, legends, strict=True):
        assert box.y0 >= ax.get_window_extent().y1
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width + 1
        assert box.y1 <= figure.bbox.height + 1
    assert len(drawn) == 1 or not legends[0].overlaps(legends[1])
    plt.close("all")


def test_one_candidate_is_a_report_too():
    found = report(GaussianNB(), {})
    assert found.best.value == pytest.approx(found.naive)
    assert len(found.rows) == 1
    assert "GaussianNB" not in str(found)
    assert found.rows[0].probability_best == 1


def test_no_number_of_rows_tells_equal_candidates_apart():
    """Their means differ by rounding alone."""
    same = {
        "one": GaussianNB(),
        "other": GaussianNB(),
        "coarse": DecisionTreeClassifier(max_depth=1),
    }
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), rng.integers(0, 2, 90)
    found = search_report(same, X + y[:, None], y, scoring="accuracy", cv=3, random_state=0)
    assert "no number of rows separates them" in str(found).replace("\n    ", " ")

"""Every example of the gallery runs, without a warning."""

import ast
import runpy
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the examples draw, which needs the plot extra")

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))


@pytest.fixture(autouse=True)
def _no_windows(monkeypatch):
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("agg")
    monkeypatch.setattr(plt, "show", lambda: None)  # it warns where there is a screen
    yield
    plt.close("all")


def test_there_are_sixteen_examples():
    assert len(SCRIPTS) >= 16
    assert all(path.name.startswith("plot_") for path in SCRIPTS), "only such scripts are built"


# Most of them run with the slow tests.
RUN = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if place % 4 else [])
    for place, path in enumerate(SCRIPTS)
]


@pytest.mark.parametrize("path", RUN)
def test_an_example_runs_and_draws(path, capsys):
    import matplotlib.pyplot as plt

    runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums()
    assert "nan" not in capsys.readouterr().err


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_opens_with_a_title_and_a_question(path):
    title, *rest = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split(
        "\n\n"
    )
    heading, rule = title.splitlines()
    assert len(rule) >= len(heading)
    assert "?" in rest[0], rest

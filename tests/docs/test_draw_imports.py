"""The picture of the imports: drawn from them, with every room, and its arrows go down."""

import re
import runpy
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the script draws, which needs the plot extra")

SCRIPT = Path(__file__).parents[2] / "docs" / "draw_imports.py"


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(SCRIPT))


def words(picture: Path) -> set[str]:
    """Texts of the picture."""
    return set(re.findall(r"<text[^>]*>([^<]+)</text>", picture.read_text(encoding="utf-8")))


def test_the_layers_hold_every_room_once(script):
    listed = [room for layer in script["layers"]() for room in layer]
    assert len(listed) == len(set(listed)) > 15
    assert set(listed) == script["rooms"]()


@pytest.mark.slow
def test_every_arrow_goes_down(script):
    depth = {room: i for i, layer in enumerate(script["layers"]()) for room in layer}
    arrows = script["imports"]()
    assert len(arrows) > 50
    assert {pair for pair in arrows if depth[pair[0]] >= depth[pair[1]]} == set()
    assert arrows["metrics", "tallies"] > arrows["registry", "numeric"] > 0


def test_it_draws_every_room(script, tmp_path):
    script["main"](["--into", str(tmp_path / "imports.svg")])
    assert script["rooms"]() <= words(tmp_path / "imports.svg")


def test_the_picture_of_the_guide_is_of_these_rooms(script):
    shown = words(script["PICTURE"])
    assert script["rooms"]() <= shown, "draw it again: python docs/draw_imports.py"
    for room in script["rooms"]():
        assert script["inner"](room) in shown | {""}, "draw it again: python docs/draw_imports.py"

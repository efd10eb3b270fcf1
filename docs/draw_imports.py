"""Draw which room of the package imports which: ``python docs/draw_imports.py``.

The rooms are the modules and folders of ``skmetrics_ext``, the layers those of the contract in
pyproject.toml that the linter checks, the arrows the import statements themselves, also those
within functions. Needs the ``plot`` extra.
"""

from __future__ import annotations

import argparse
import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.path import Path as Curve

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "skmetrics_ext"
PICTURE = ROOT / "docs" / "pictures" / "imports.svg"

# In pixels of a picture of this width.
_WIDTH, _TOP, _GAP, _BOX = 900, 62, 6, 236
_ROW, _TALL_ROW = 34, 44  # a room without folders, and one with their names
# The rooms that are imported most; the others share the grey.
_COLORS = ("#d1712b", "#7a5fb5", "#c43f7e", "#2f6db5", "#2d9377", "#a88a1f", "#b8423c", "#4a9ac4")
_GREY = "#7d8790"


def rooms() -> set[str]:
    """Modules and folders right below the package; its ``__init__`` stands above all."""
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    return modules | {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def layers() -> list[list[str]]:
    """Rooms from the highest layer to the lowest, as the linter's contract lists them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (lines,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip(" ()") for name in re.split("[|:]", line)] for line in lines]


def imports() -> Counter[tuple[str, str]]:
    """Number of import statements from each room to each other."""
    known, found = rooms(), Counter()
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room not in known:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            others = {name.split(".")[1] for name in _own_names(node)}
            found.update((room, other) for other in (others & known) - {room})
    return found


def _own_names(node: ast.AST) -> list[str]:
    """Full names of what a statement imports from the package."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if name.startswith(f"{PACKAGE.name}.")]


def inner(room: str) -> str:
    """Names of the folders of a room."""
    folders = sorted(path.parent.name for path in (PACKAGE / room).glob("*/__init__.py"))
    return " · ".join(name for name in folders if not name.startswith("_"))


def draw(into: Path) -> None:
    """Rooms from top to bottom, a band for each layer, and an arrow for each pair of rooms."""
    number, middle, bands, y = imports(), {}, [], _TOP
    for layer in layers():
        top = y
        for room in layer:
            tall = _TALL_ROW if inner(room) else _ROW
            middle[room] = y + tall / 2
            y += tall
        bands.append((top, y - top))
        y += _GAP
    mpl.rcParams["svg.fonttype"] = "none"  # text stays text, which can be searched
    mpl.rcParams["svg.hashsalt"] = PACKAGE.name  # the same file from the same imports
    figure = plt.figure(figsize=(_WIDTH / 100, y / 100), dpi=100, facecolor="white")
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, _WIDTH), ylim=(y, 0))
    ax.axis("off")
    for top, tall in bands:
        ax.add_patch(Rectangle((0, top), _WIDTH, tall, color="#f2f4f6", linewidth=0))
    color = _colors(number, list(middle))
    for (room, other), count in sorted(number.items(), key=lambda item: -item[1]):
        _arrow(ax, middle[room], middle[other], count, y, color[other])
    for room in middle:
        _box(ax, room, middle[room], color[room])
    title = f"Imports go down only: {sum(number.values())} of them between {len(middle)} rooms"
    ax.text(14, 22, title, fontsize=13, fontweight="bold", va="center")
    legend = (
        "Each band is a layer. An arrow has the colour of the room that is imported; the more "
        "imports, the wider it is."
    )
    ax.text(14, 45, legend, fontsize=9, va="center", color="0.3")
    figure.savefig(into, metadata={"Date": None} if into.suffix == ".svg" else None)
    plt.close(figure)


def _colors(number: Counter[tuple[str, str]], order: list[str]) -> dict[str, str]:
    times: Counter[str] = Counter()
    for (_, other), count in number.items():
        times[other] += count
    most = sorted(order, key=lambda room: -times[room])[: len(_COLORS)]
    return {room: _GREY for room in order} | dict(zip(most, _COLORS, strict=True))


def _box(ax, room: str, middle: float, color: str) -> None:
    small = inner(room)
    tall = (_TALL_ROW if small else _ROW) - 8
    shape = "round,pad=0,rounding_size=4"
    ax.add_patch(
        FancyBboxPatch((14, middle - tall / 2), _BOX, tall, boxstyle=shape, facecolor="white",
                       edgecolor=color, linewidth=1.6, zorder=3)
    )  # fmt: skip
    ax.text(23, middle - 7 * bool(small), room, fontsize=11, va="center", zorder=4)
    if small:
        ax.text(23, middle + 9, small, fontsize=7.5, va="center", color="0.35", zorder=4)


def _arrow(ax, start: float, end: float, count: int, height: float, color: str) -> None:
    """A bow to the right of the boxes, the wider the further; it leaves low and arrives high."""
    x, start, end = 14 + _BOX, start + 6, end - 3
    bulge = 36 + 1.42 * (_WIDTH - x - 60) * ((end - start) / height) ** 0.8
    bow = Curve([(x, start), (x + bulge, start), (x + bulge, end), (x + 3, end)],
                [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])  # fmt: skip
    wide = 0.6 + 0.75 * count**0.5
    ax.add_patch(
        FancyArrowPatch(path=bow, arrowstyle="-|>", mutation_scale=7 + wide, linewidth=wide,
                        color=color, alpha=0.62, zorder=2)
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=PICTURE, metavar="FILE")
    mpl.use("agg")
    draw(parser.parse_args(arguments).into)


if __name__ == "__main__":
    main()

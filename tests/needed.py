"""Test files that a change needs, the nearest first.

    python -m pytest $(python tests/needed.py)
    python tests/needed.py skmetrics_ext/tallies/ranks.py --steps 2

Without names, files that differ from the branch ``main``. A test file reaches the modules that it
imports and those of the public names that it writes, a module those that it imports; a change needs
the test files that reach it in at most so many steps, and the one that is named after it. Nothing
is run to find them, so that the whole suite, or CI, has the last word.
"""

import argparse
import ast
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "skmetrics_ext"
TABLE = PACKAGE / "registry" / "table.py"  # imports every module of metrics, by their names
SUFFIXES = ("", "_score", "_loss")  # of the functions that scorers are named after


def file_of(module: str) -> Path | None:
    """The file of a module of the package or of the tests' shared code."""
    for home in (ROOT, ROOT / "tests"):
        place = home.joinpath(*module.split("."))
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.exists():
                return path
    return None


def public_names() -> dict[str, Path]:
    """The file of each public name, as the stubs have it, and of the command's function."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"].values()
    places = {name: file_of(module) for module, name in (each.split(":") for each in scripts)}
    for stub in sorted(PACKAGE.rglob("*.pyi")):
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                path = file_of(node.module)
                places |= {alias.name: path for alias in node.names if path is not None}
    return places


def imports(tree: ast.Module) -> Iterator[str]:
    """Modules that a file imports anywhere, and names that may be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
            found = [module for module in modules if file_of(module)]
            yield from found or [node.module]


def words(tree: ast.Module) -> Iterator[str]:
    """Names that a file writes, also as text: a metric is asked for by its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute | ast.alias):
            yield str(getattr(node, "id", getattr(node, "attr", getattr(node, "name", ""))))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (f"{node.value}{suffix}" for suffix in SUFFIXES)


def reached(path: Path, names: dict[str, Path]) -> set[Path]:
    """The files that one file reaches in a step."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {file_of(module) for module in imports(tree)}
    if path.is_relative_to(ROOT / "tests"):
        found |= {names.get(word) for word in words(tree)}
    if path == TABLE:
        found |= set((PACKAGE / "metrics").rglob("*.py"))
    return {each for each in found if each is not None} - {path, PACKAGE / "__init__.py"}


@cache
def graph() -> dict[Path, set[Path]]:
    """What each file of the package and of the tests reaches in a step."""
    names = public_names()
    files = {*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")}
    return {path: reached(path, names) for path in files}


def needed(changed: set[Path], steps: int) -> list[Path]:
    """Test files that reach one of the changed files in so many steps, the nearest first."""
    near, distance = set(changed), dict.fromkeys(changed, 0)
    for step in range(1, steps + 1):
        near = {path for path, targets in graph().items() if targets & near} - distance.keys()
        faces = {path for path in near if path.name == "__init__.py"}  # no step of their own
        near |= {path for path, targets in graph().items() if targets & faces} - distance.keys()
        distance |= dict.fromkeys(near, step)
    for path in changed & {*PACKAGE.rglob("*.py")}:  # a test file of the same name
        mirror = ROOT / "tests" / path.relative_to(PACKAGE).parent
        distance |= dict.fromkeys(mirror.glob(f"test_{path.stem}*.py"), 0)
    tests = ROOT / "tests"
    files = [path for path in distance if path.match("test_*.py") and path.is_relative_to(tests)]
    return sorted(files, key=lambda path: (distance[path], path))


def changed_files(base: str) -> set[Path]:
    """Files of Python that differ from a commit, and new ones."""
    asked = (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"])
    lines = [
        line
        for words_of in asked
        for line in subprocess.run(
            ["git", *words_of], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]
    return {ROOT / line for line in lines if line.endswith(".py") and (ROOT / line).exists()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="changed files")
    parser.add_argument("--base", default="main", help="commit to compare with (default main)")
    parser.add_argument("--steps", type=int, default=1, help="imports away, at most (default 1)")
    options = parser.parse_args()
    changed = {path.resolve() for path in options.files} or changed_files(options.base)
    print(*(path.relative_to(ROOT) for path in needed(changed, options.steps)), sep="\n")


if __name__ == "__main__":
    main()

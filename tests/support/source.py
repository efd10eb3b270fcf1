"""Source of the package for the guards, parsed once in a process."""

import ast
from functools import cache
from pathlib import Path

import skmetrics_ext

PACKAGE = Path(skmetrics_ext.__file__).parent
PATHS = tuple(sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")))


@cache
def tree(path: str) -> ast.Module:
    """The parsed file of the package, which nobody may change."""
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))


@cache
def nodes(path: str) -> tuple[ast.AST, ...]:
    """All that a file is made of."""
    return tuple(ast.walk(tree(path)))

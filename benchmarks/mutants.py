"""Small mistakes in Python source: what `mutation.py` puts into the package, one at a time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.USub: ast.UAdd,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_PAIRS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("any", "all"),
    ("floor", "ceil"),
    ("sum", "mean"),
    ("sum", "prod"),
    ("cumsum", "cumprod"),
    ("argmin", "argmax"),
    ("zeros", "ones"),
    ("log1p", "log"),
    ("expm1", "exp"),
    ("cdf", "sf"),
    ("left", "right"),
)
_WORDS = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
# What is told to people, or to other tools, is no number.
_TOLD = (ast.Raise, ast.Assert, ast.JoinedStr)

Change = Callable[[], None]


@dataclass(frozen=True)
class Mutant:
    """One small mistake.

    Parameters
    ----------
    path : str
        File, from the root of the checkout.
    function : str
        Where in it, as ``Class.method``.
    line : int
        Of the statement.
    number : int
        Which of the mistakes of the file.
    before, after : str
        The statement, right and wrong.
    """

    path: str
    function: str
    line: int
    number: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """What names it while lines above it come and go."""
        return f"{self.path}::{self.function}: {self.before} -> {self.after}"


@cache
def source(path: Path) -> str:
    """As it is when it is first asked for: files may change during a run."""
    return path.read_text(encoding="utf-8")


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    """Every mistake that can be made in a file, in its functions."""
    tree = ast.parse(source(path))
    found = []
    for number, (function, statement, node, change) in enumerate(_changes(tree)):
        before, kept = _text(statement), dict(vars(node))
        change()
        after = _text(statement)
        vars(node).update(kept)
        name = path.relative_to(root).as_posix()
        found.append(Mutant(name, function, statement.lineno, number, before, after))
    return found


def mutated(path: Path, number: int) -> ast.Module:
    """The file with one of its mistakes."""
    tree = ast.parse(source(path))
    for place, (_, _, _, change) in enumerate(_changes(tree)):
        if place == number:
            change()
            return ast.fix_missing_locations(tree)
    raise IndexError(number)


def observed(path: Path, name: str) -> ast.Module:
    """The file, each statement of its functions telling its line to a function of this name."""
    tree = ast.parse(source(path))
    for function in (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)):
        for node in ast.walk(function):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and not isinstance(node, ast.ClassDef):
                    setattr(node, field, list(_telling(block, name)))
    return ast.fix_missing_locations(tree)


def _telling(block: list[ast.stmt], name: str) -> Iterator[ast.stmt]:
    if block and getattr(block[0], "tells", False):  # of a function within a function
        yield from block
        return
    for statement in block:
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(statement.lineno)], [])
        told = ast.copy_location(ast.Expr(call), statement)
        told.tells = True  # type: ignore[attr-defined]
        yield from (told, statement)


def _text(statement: ast.stmt) -> str:
    """A statement on one line; of one with a body its head."""
    if hasattr(statement, "body"):
        parts = [getattr(statement, name, None) for name in ("test", "target", "iter")]
        parts += [item.context_expr for item in getattr(statement, "items", ())]
        told = ", ".join(ast.unparse(part) for part in parts if part is not None)
        return f"{type(statement).__name__.lower()} {told}".strip()
    return " ".join(ast.unparse(statement).split())


def _changes(tree: ast.Module) -> Iterator[tuple[str, ast.stmt, ast.AST, Change]]:
    """(function, statement, expression, what makes the mistake in it) of each mistake."""
    for name, function in _functions(tree, ""):
        for statement in function.body:
            yield from _within(name, statement, statement)


def _functions(tree: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions that are not within others: those belong to what they are in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")


def _within(
    name: str, node: ast.AST, statement: ast.stmt
) -> Iterator[tuple[str, ast.stmt, ast.AST, Change]]:
    if isinstance(node, _TOLD) or _is_docstring(node) or _tells_people(node):
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":  # lengths of zip, which are equal
        return
    if isinstance(node, ast.stmt):
        statement = node
    for change in _mistakes(node):
        yield name, statement, node, change
    for field, child in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "args") and isinstance(
            node, (ast.AnnAssign, ast.arg, *_FUNCTIONS.__args__)
        ):
            continue
        for one in child if isinstance(child, list) else [child]:
            if isinstance(one, ast.AST):
                yield from _within(name, one, statement)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _tells_people(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return "warn" in name or name.endswith(("Error", "Warning")) or name == "cast"


def _mistakes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.AugAssign)):
        wrong = _OPERATORS.get(type(node.op))
        if wrong is not None:
            yield lambda: setattr(node, "op", wrong())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield lambda: setattr(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            wrong = _OPERATORS[type(op)]
            ops = [*node.ops[:i], wrong(), *node.ops[i + 1 :]]
            yield lambda ops=ops: setattr(node, "ops", ops)
    if isinstance(node, ast.IfExp):
        yield lambda: vars(node).update(body=node.orelse, orelse=node.body)
    if isinstance(node, ast.If):
        yield lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.Constant):
        yield from _constants(node)
    if isinstance(node, ast.Attribute) and node.attr in _WORDS:
        yield lambda: setattr(node, "attr", _WORDS[node.attr])
    if isinstance(node, ast.Name) and node.id in ("min", "max", "any", "all"):
        yield lambda: setattr(node, "id", _WORDS[node.id])


def _constants(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield lambda: setattr(node, "value", not value)
    elif isinstance(value, int):
        yield lambda: setattr(node, "value", value + 1)
    elif isinstance(value, float):
        yield lambda: setattr(node, "value", 1.25 * value if value else 0.25)
    elif isinstance(value, str) and value in _WORDS:
        yield lambda: setattr(node, "value", _WORDS[value])

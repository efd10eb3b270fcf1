"""Names that are imported on first use, and deprecated names and arguments."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from warnings import warn

P = ParamSpec("P")
T = TypeVar("T")


def lazy_names(
    module: str, places: Callable[[], Mapping[str, str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a module.

    Parameters
    ----------
    module : str
        Name of the module.
    places : callable
        Returns the source module of each public name.
    """

    def get(name: str) -> Any:
        owner = sys.modules[module]
        if name == "__all__":
            return listed()
        if not name.startswith("_"):
            # Submodules first: they import each other before `places` can be called.
            if hasattr(owner, "__path__") and find_spec(f"{module}.{name}"):
                return import_module(f"{module}.{name}")
            if name in places():
                value = getattr(import_module(places()[name]), name)
                setattr(owner, name, value)
                return value
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    def listed() -> list[str]:
        return sorted(places())

    return get, listed


@cache
def places_in_stub(module: str) -> dict[str, str]:
    """The source module of each name that the module's stub re-exports."""
    owner: Any = sys.modules[module]
    stub = owner.__loader__.get_data(str(Path(owner.__file__).with_suffix(".pyi")))
    return {
        alias.asname: str(statement.module)
        for statement in ast.parse(stub).body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.asname
    }


def deprecation(old: str, new: str) -> str:
    """The warning about a deprecated name."""
    return f"{old} is deprecated and will be removed in version 0.4: use {new}."


def renamed(module: str, name: str, new_names: Mapping[str, str]) -> str:
    """The name that a deprecated one became, with a warning; other names as they are."""
    if name not in new_names:
        return name
    message = deprecation(f"{module}.{name}", f"{module}.{new_names[name]}")
    warn(message, FutureWarning, stacklevel=3)
    return new_names[name]


def ignoring(instead: str, *names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Accept arguments that a function no longer has, with a warning that they are ignored.

    Parameters
    ----------
    instead : str
        What the function does whatever they are.
    *names : str
        The former arguments.
    """

    def change(function: str, arguments: dict[str, Any]) -> None:
        for name in [name for name in names if name in arguments]:
            del arguments[name]
            message = f"{name}= of {function} is ignored and will be removed in version 0.4: "
            warn(f"{message}{instead}. Leave it out.", FutureWarning, stacklevel=3)

    return _changing(change)


def renamed_argument(old: str, new: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Accept an argument under its former name, with a warning that says the new one."""

    def change(function: str, arguments: dict[str, Any]) -> None:
        if old in arguments:
            arguments[new] = arguments.pop(old)
            warn(deprecation(f"{old}= of {function}", f"{new}="), FutureWarning, stacklevel=3)

    return _changing(change)


def _changing(
    change: Callable[[str, dict[str, Any]], None],
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator of functions whose keyword arguments are changed before the call."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            change(function.__name__, kwargs)
            return function(*args, **kwargs)

        return call

    return decorate

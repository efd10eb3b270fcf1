"""Constructors of displays name their options, which each kind of display has its own of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter
from typing import Any, TypeVar

from skmetrics_ext.validation import InvalidParameterError

Shown = TypeVar("Shown", bound=type)

# Which methods the options of a constructor go to, one after the other.
_OF_ROWS = ("_of_rows", "_read", "_line")
_OF_FOLDS = ("_of_folds", "_read", "_line")
_POOLED = ("_of_folds", "_of_rows")
_BY_FOLDS = ("from_folds", "from_cv_results", "from_report")
_CONSTRUCTORS = ("from_predictions", "from_estimator", *_BY_FOLDS)
_TOLD = re.compile(r"^( *)\*\*options : dict\n(?: +.*\n?)*?(?=\n| *Returns|\Z)", re.MULTILINE)


def name_options(display: Shown) -> Shown:
    """Give each constructor that takes ``**options`` a signature that names them.

    What it does not know is refused with the names that it does.
    """
    for name in _CONSTRUCTORS:
        function = getattr(getattr(display, name, None), "__func__", None)
        if function is None:
            continue
        function = getattr(function, "__wrapped__", function)  # of a kind of display above
        own = _own_options(display, name)
        if own is not None and _is_open(function):
            drawing = _keyword_only(vars(display).get("plot") or display.plot)  # type: ignore[attr-defined]
            setattr(display, name, classmethod(_named(function, own, drawing)))
    return display


def _own_options(display: type, name: str) -> Mapping[str, Parameter] | None:
    """Options that make the display; None of one that only others are made from."""
    if not hasattr(display, "_of_rows"):
        return {}
    chain: tuple[str, ...] = _OF_ROWS
    if name in _BY_FOLDS:
        chain = _POOLED if getattr(display, "pools", False) else _OF_FOLDS
    found: dict[str, Parameter] = {}
    for method in chain:
        for kind in display.__mro__:
            function = getattr(vars(kind).get(method), "__func__", None)
            if function is None:
                continue
            found |= {key: own for key, own in _keyword_only(function).items() if key not in found}
            if not _is_open(function):
                return found
    return None


def _keyword_only(function: Callable[..., Any]) -> dict[str, Parameter]:
    parameters = inspect.signature(function).parameters
    return {key: own for key, own in parameters.items() if own.kind is Parameter.KEYWORD_ONLY}


def _is_open(function: Callable[..., Any]) -> bool:
    kinds = [own.kind for own in inspect.signature(function).parameters.values()]
    return Parameter.VAR_KEYWORD in kinds


def _named(
    function: Callable[..., Any], own: Mapping[str, Parameter], drawing: Mapping[str, Parameter]
) -> Callable[..., Any]:
    told = inspect.signature(function)
    given = {key: p for key, p in told.parameters.items() if p.kind is not Parameter.VAR_KEYWORD}
    own = {key: p for key, p in own.items() if key not in given}
    drawing = {key: p for key, p in drawing.items() if key not in given and key not in own}
    every = {**given, **own, **drawing}

    @wraps(function)
    def call(cls: Any, *args: Any, **options: Any) -> Any:
        unknown = [key for key in options if key not in every]
        if unknown:
            raise InvalidParameterError(
                f"{cls.__name__}.{function.__name__} takes no {' and no '.join(unknown)}; its "
                f"options are {[*own, *drawing]}."
            )
        return function(cls, *args, **options)

    call.__signature__ = told.replace(parameters=list(every.values()))  # type: ignore[attr-defined]
    parts = [(own, "options of the display", "As its class says."),
             (drawing, "options of the drawing", "As `plot` has them.")]  # fmt: skip
    lines = [f"{', '.join(names)} : {what}\n    {where}" for names, what, where in parts if names]
    if function.__doc__ and lines:  # absent under python -OO
        call.__doc__ = _TOLD.sub("\n".join(lines) + "\n", inspect.cleandoc(function.__doc__))
    return call

"""What signatures say: the type of each argument, and how to call a function."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Set
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

# Errors of a function that is passed a value which is not of the annotated type.
RAW_ERRORS = (
    *(ArithmeticError, AttributeError, LookupError, NotImplementedError, TypeError, ValueError),
    np.ma.MAError,
)


def fits(value: Any, hint: Any) -> bool:
    """Whether an argument is of an annotated type; True where that does not show."""
    if isinstance(value, np.ndarray) and not value.ndim:
        return False
    if get_origin(hint) in (Union, UnionType):
        return any(fits(value, option) for option in get_args(hint))
    if get_origin(hint) is Literal:
        return isinstance(value, str | float) and value in get_args(hint)
    kind = get_origin(hint) or hint
    if kind in (int, float):
        return isinstance(value, kind | int | np.number) and not abs(value) > sys.float_info.max
    try:
        return isinstance(value, kind or type(None))
    except TypeError:  # Any, a protocol
        return True


def misfit(function: Callable[..., Any], arguments: Mapping[str, Any]) -> str:
    """A sentence on the first argument that is not of its annotated type; empty without one."""
    try:
        hints = get_type_hints(function)
    except NameError:  # a type that is imported for type checkers only
        return ""
    for name, value in arguments.items():
        words = str(function.__annotations__.get(name))
        fit = fits(value, hints.get(name, Any))
        if "ArrayLike" in words:
            other = isinstance(value, str | bytes | Mapping | Set) or not hasattr(value, "__len__")
            fit = not other and getattr(value, "ndim", 1) > 0
            fit = fit or (value is None and "None" in words)
        else:
            words = inspect.formatannotation(hints.get(name, Any))
        if not fit:
            words = words.replace("ArrayLike", "array-like")
            return f"{name} must be {words}, got {value!r:.60}."
    return ""


def usage(function: Callable[..., Any]) -> str:
    """A sentence that shows how to call a function, with its required arguments."""
    required = [
        f"{name}=..." if parameter.kind is parameter.KEYWORD_ONLY else name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]
    call = f"Write {function.__name__}({', '.join(required)}, ...)"
    if "true=..." not in required:
        return f"{call}."
    return f"{call} with names of columns of {required[0]}; compute_metrics takes arrays."

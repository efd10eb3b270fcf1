"""What signatures say: the type of each argument, and how to call a function."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Set
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_overloads, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

# Errors of a function that is passed a value which is not of the annotated type.
RAW_ERRORS = (
    *(ArithmeticError, AttributeError, LookupError, NotImplementedError, TypeError, ValueError),
    np.ma.MAError,
)

_ARRAYS = frozenset(get_args(ArrayLike))


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
        hint = hints.get(name, Any)
        kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        takes_arrays = _ARRAYS.issubset(kinds)
        others = [kind for kind in kinds if not takes_arrays or kind not in _ARRAYS]
        if (takes_arrays and _is_array(value)) or any(fits(value, kind) for kind in others):
            continue
        words = ["array-like"] * takes_arrays + list(map(inspect.formatannotation, others))
        return f"{name} must be {' | '.join(words).replace('NoneType', 'None')}, got {value!r:.60}."
    return ""


def _is_array(value: Any) -> bool:
    """Whether a value has a length and is neither text, a mapping nor a set."""
    is_other = isinstance(value, str | bytes | Mapping | Set)
    return not is_other and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def usage(function: Callable[..., Any]) -> str:
    """A sentence that shows how to call a function, with what its first overload requires."""
    usual = next(iter(get_overloads(function)), function)
    required = [
        f"{name}=..." if parameter.kind is parameter.KEYWORD_ONLY else name
        for name, parameter in inspect.signature(usual).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]
    call = f"Write {function.__name__}({', '.join(required)}, ...)"
    if "true=..." not in required:
        return f"{call}."
    return f"{call} with names of columns of {required[0]}; compute_metrics takes arrays."

"""Errors and warnings of input checks."""

from __future__ import annotations

import difflib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Set
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np


class InvalidParameterError(ValueError, TypeError):
    """An argument that is not accepted: both a ValueError and a TypeError, as in scikit-learn."""


def check_option(name: str, value: Any, options: Iterable[Any]) -> None:
    """Refuse a value that is not one of the options."""
    options = list(options)
    try:
        accepted = value in options
    except (TypeError, ValueError):  # an array among the values compares elementwise
        accepted = False
    if not accepted:
        raise InvalidParameterError(f"{name} has to be one of {options}, got {value!r}.")


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


def refuse_unfit(function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    """Refuse an argument that a function failed on and that is not of its annotated type."""
    try:
        hints = get_type_hints(function)
    except NameError:  # a type that is imported for type checkers only
        return
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
            raise InvalidParameterError(f"{name} must be {words}, got {value!r:.60}.")


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


_SCORERS = ("sklearn.metrics._scorer", "skmetrics_ext.scoring.scorer")


def warn_undefined(message: str) -> None:
    """Warn with scikit-learn's UndefinedMetricWarning, which is imported lazily."""
    from sklearn.exceptions import UndefinedMetricWarning

    warnings.warn(message, UndefinedMetricWarning, stacklevel=_outside())


def warn_user(message: str) -> None:
    """Warn the caller of the public function."""
    warnings.warn(message, UserWarning, stacklevel=_outside())


def _outside() -> int:
    """Stack level of the user's line, the first frame outside the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("skmetrics_ext"):
        level, frame = level + 1, frame.f_back
    return level


def is_in_scorer() -> bool:
    """Whether a scorer, of scikit-learn or for a user's function, makes this call."""
    import sys

    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__") not in _SCORERS:
        frame = frame.f_back
    return frame.f_back is not None


def printable(text: Any) -> str:
    """Text on one line; control characters, which a terminal would execute, are escaped."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def shown_names(names: Iterable[Any], most: int = 12) -> str:
    """The first column names, and how many there are."""
    listed = [printable(name) for name in names]
    more = f", ... ({len(listed)} in all)" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def shown_labels(labels: Any) -> str:
    """The first labels as a list that ends in "..." if there are more; None is any other label."""
    listed = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    shown = ", ".join("(another)" if label is None else repr(label) for label in listed[:10])
    return f"[{shown}{', ...' if len(listed) > 10 else ''}]"


def near(word: str, known: Iterable[str]) -> str:
    """A sentence that suggests similar names; empty if there are none."""
    close = difflib.get_close_matches(word, list(known), n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""

"""Errors and warnings of input checks."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from skmetrics_ext._lazy import deprecation

_SCORERS = ("sklearn.metrics._scorer", "skmetrics_ext.scoring.scorer")


class InvalidParameterError(ValueError, TypeError):
    """An argument that is not accepted: both a ValueError and a TypeError, as in scikit-learn."""


class MixedTargetsError(InvalidParameterError):
    """True labels of two classes, and scores where predicted labels are needed."""


_SPOKEN: ContextVar[Mapping[str, str]] = ContextVar("spoken")


@contextmanager
def speaking(words: Mapping[str, str]) -> Iterator[None]:
    """Errors say these words, such as the options of a command, in place of those of Python."""
    token = _SPOKEN.set(words)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def spoken(words: str) -> str:
    """Words about an argument, as they are said where the call comes from."""
    return _SPOKEN.get({}).get(words, words)


def check_option(name: str, value: Any, options: Iterable[Any]) -> None:
    """Refuse a value that is not one of the options."""
    options = list(options)
    try:
        accepted = value in options
    except (TypeError, ValueError):  # an array among the values compares elementwise
        accepted = False
    if not accepted:
        raise InvalidParameterError(f"{name} has to be one of {options}, got {value!r}.")


def warn_undefined(message: str) -> None:
    """Warn with scikit-learn's UndefinedMetricWarning, which is imported lazily."""
    from sklearn.exceptions import UndefinedMetricWarning

    warnings.warn(message, UndefinedMetricWarning, stacklevel=_outside())


def warn_user(message: str) -> None:
    """Warn the caller of the public function."""
    warnings.warn(message, UserWarning, stacklevel=_outside())


def warn_renamed(old: str, new: str) -> None:
    """Warn the caller that a name is deprecated."""
    warnings.warn(deprecation(old, new), FutureWarning, stacklevel=_outside())


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
    text = str(text)
    escaped = (c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if text.isprintable() else "".join(escaped)


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


def near(word: str, known: Iterable[str], most: int = 2, least: float = 0.6) -> str:
    """A sentence that suggests similar names; empty if there are none."""
    close = difflib.get_close_matches(word, list(known), n=most, cutoff=least)
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""

"""Parameters that are single numbers: levels, counts, options in a range."""

from __future__ import annotations

from typing import Any

from skmetrics_ext.validation.errors import InvalidParameterError


def check_level(confidence_level: Any, name: str = "confidence_level") -> float:
    """A number strictly between 0 and 1."""
    try:
        level = float(confidence_level)
    except (TypeError, ValueError):
        level = -1.0
    if isinstance(confidence_level, bool | str) or not 0 < level < 1:
        raise InvalidParameterError(
            f"{name} has to be a number in (0, 1), got {confidence_level!r}."
        )
    return level


def check_number(name: str, value: Any, low: float, high: float = float("inf")) -> float:
    """A finite number in [low, high]."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool | str) or not low <= number <= high or number == float("inf"):
        where = f"of {low:g} or more" if high == float("inf") else f"in [{low:g}, {high:g}]"
        raise InvalidParameterError(f"{name} has to be a finite number {where}, got {value!r}.")
    return number


def check_integer(name: str, value: Any, low: int) -> int:
    """An integer of at least `low`."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < low:
        raise InvalidParameterError(f"{name} has to be an integer of {low} or more, got {value!r}.")
    return int(value)

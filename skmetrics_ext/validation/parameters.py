"""Checks of numeric parameters: levels, counts, numbers in an interval."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from skmetrics_ext.validation.errors import InvalidParameterError

_MOST_DRAWS = 10**8  # more would not end
ResponseMethod = Literal["auto", "predict_proba", "decision_function"]


def as_number(value: Any) -> float:
    """A value as a float; nan if it is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def check_level(confidence_level: Any, name: str = "confidence_level") -> float:
    """A number strictly between 0 and 1."""
    if type(confidence_level) is float and 0 < confidence_level < 1:  # the usual case
        return confidence_level
    return check_interval(name, confidence_level, "(0, 1)")


def check_interval(name: str, value: Any, interval: str) -> float:
    """A number in an interval, written as "[0, 1)" or "(-inf, inf)"."""
    low, high = map(float, interval[1:-1].split(","))
    number = as_number(value)
    inside = low < number < high
    at_end = (number == low and interval[0] == "[") or (number == high and interval[-1] == "]")
    if isinstance(value, bool | str) or not (inside or at_end):
        raise InvalidParameterError(f"{name} has to be a number in {interval}, got {value!r}.")
    return number


def check_number(name: str, value: Any, low: float) -> float:
    """A finite number of at least `low`."""
    number = as_number(value)
    if isinstance(value, bool | str) or not low <= number < float("inf"):
        raise InvalidParameterError(
            f"{name} has to be a finite number of {low:g} or more, got {value!r}."
        )
    return number


def check_integer(name: str, value: Any, low: int) -> int:
    """An integer of at least `low`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < low:
        raise InvalidParameterError(f"{name} has to be an integer of {low} or more, got {value!r}.")
    return int(value)


def check_draws(value: Any, low: int = 1) -> int:
    """A number of draws that ends, of at least `low`."""
    if check_integer("n_resamples", value, low) > _MOST_DRAWS:
        raise InvalidParameterError(
            f"n_resamples may be at most {_MOST_DRAWS:,}, and a larger number was given: 10,000 "
            "draws are enough for most purposes."
        )
    return int(value)

"""Notes on scores that may run the other way, or may be those of another class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import PLAN
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.methods import interval_of, positive_class_of
from skmetrics_ext.inference.notes import direction
from skmetrics_ext.validation.column_names import names_of, note_on_name


def with_directions(
    note: str, sides: Sequence[Linearized], responses: Sequence[Any], level: float
) -> str:
    """The note, with those on models or samples whose scores may run the other way."""
    parts = [note]
    for name, side, response in zip("ab", sides, responses, strict=True):
        for shown in (direction_of(side, level), note_on_response(response, side.origin)):
            parts.append(shown and f"{name}: {shown}")
    return "; ".join(filter(None, parts))


def direction_of(statistic: Linearized, level: float) -> str:
    """The note on an area whose whole interval is below chance."""
    chance = sum(statistic.bounds) / 2
    if getattr(statistic.origin, "kind", "") != "area" or not np.all(statistic.value < chance):
        return ""
    found: Any = interval_of(statistic, "auto", level, PLAN)
    return "" if isinstance(found, list) else direction(statistic, found.value, found.high)


def note_on_response(response: Any, sample: Any) -> str:
    """The note on a series of scores with a name that ends in the class that is not positive."""
    if sample.metric.spec.response == "labels":
        return ""
    positive = positive_class_of(sample)
    if positive is None:
        return ""
    return note_on_series(response, sample.data.classes.tolist(), positive)


def note_on_series(data: Any, classes: Sequence[Any], positive: Any) -> str:
    """`note_on_name` for a series, or a frame of one column, of scores of two classes."""
    names = names_of(data)
    if names is None or len(names) != 1 or len(classes) != 2:
        return ""
    return note_on_name(str(names[0]), classes, positive)

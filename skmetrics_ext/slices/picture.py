"""What a picture of groups shows: their values with intervals, around that of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Point(NamedTuple):
    """A group in words, its value, interval and number of rows."""

    name: str
    value: float
    low: float
    high: float
    n_rows: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Groups by one metric, and the value of all rows."""

    metric: str
    points: list[Point]
    overall: float | None
    level: float

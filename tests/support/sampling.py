"""Which cases of a test that is marked ``sampled(n)`` always run; the others are exhaustive."""

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import pytest


def mark_exhaustive(cases: Sequence[pytest.Item]) -> None:
    """Mark all cases of a test but one in n, which another test chooses elsewhere in its lists."""
    sampled = cases[0].get_closest_marker("sampled") if cases else None
    if sampled is None:
        return
    (n,), start = sampled.args, crc32(cases[0].originalname.encode())  # type: ignore[attr-defined]
    params = [case.callspec.params for case in cases]  # type: ignore[attr-defined]
    for case, place in zip(cases, places_of(params), strict=True):
        if (start + place) % n:
            case.add_marker("exhaustive")


def places_of(cases: Sequence[Mapping[str, Any]]) -> list[int]:
    """For each case the sum of the places of its values, parameters of one list counted once.

    Every n-th of these sums is a diagonal, which meets each value of a list of parameters if
    another list has n values or more.
    """
    columns = set()
    for name in cases[0]:
        seen: dict[int, int] = {}
        columns.add(tuple(seen.setdefault(id(case[name]), len(seen)) for case in cases))
    return list(map(sum, zip(*columns, strict=True)))

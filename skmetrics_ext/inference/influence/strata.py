"""Strata of a sample: each has a mean of its own, about which its rows or groups vary."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.inference.draws.units import Units, cell_sums
from skmetrics_ext.numeric import Array, divide


def about_strata(parts: Array, units: Units) -> Array:
    """What a row of each unit adds (..., U), less its share of the mean of its stratum.

    That of a stratum of one row, or group, is taken about the mean of all, which is 0.
    """
    if units.stratum is None:
        return parts
    drawn, _ = units.drawn()
    sums = cell_sums(parts * units.rows, units.stratum, len(drawn))
    means = np.where(drawn > 1, sums / drawn, 0.0)[..., units.stratum]
    if units.group is not None:  # the mean is of groups, and each row bears a part of it
        means = means / np.bincount(units.group, weights=units.rows)[units.group]
    return np.asarray(parts - means)


def scale_of(units: Units) -> Array | None:
    """What the mean of its stratum has taken from the square of each group, or unit."""
    if units.stratum is None:
        return None
    drawn, stratum = units.drawn()
    return np.where(drawn > 1, divide(drawn, drawn - 1), 1.0)[stratum]


def with_single(note: str, units: Units) -> str:
    """A note, and what there is to tell of strata of which one row, or group, was drawn."""
    n_single = 0 if units.stratum is None else int((units.drawn()[0] == 1).sum())
    if not n_single:
        return note
    what = "row" if units.group is None else "group"
    have = "stratum has" if n_single == 1 else "strata have"
    told = f"{n_single} {have} one {what}: the interval may miss its level"
    return f"{note}; {told}" if note else told

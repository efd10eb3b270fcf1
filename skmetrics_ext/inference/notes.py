"""Limits below which an interval or a test is doubtful, and what is said then."""

from __future__ import annotations

from math import isnan
from typing import Any

ROUNDING = 1e-12  # values come within it of the ends of their range, and errors of 0
# Below these the study of coverage found intervals that cover less, or more, than their level.
FEW_ROWS = 5  # of a class, of a share, beyond a point of a curve
FEW_TO_DRAW = 20  # of a class of a metric that is smooth or resampled
FEW_GROUPS = 8  # of one size, in an interval
FEW_VALUES = 30  # distinct values of draws
FEW_THAT_DECIDE = 5  # effective number of contributions
FEW_TO_COMPARE = 10  # rows of a class, or in which two models differ
FEW_GROUPS_TO_COMPARE = 20  # that hold rows of a class

MAY_MISS = "the interval may miss its level"
FEW_DECIDE = f"few rows decide the value: {MAY_MISS}"
CALIBRATION_TEST = "spiegelhalter_test tells whether the model is calibrated"
BIASED = {
    "biased": f"too large on average in samples: {MAY_MISS}",
    "calibration": "too large on average in samples: method='upper' has a bound that holds, "
    f"{CALIBRATION_TEST}",
}
NO_WIDTH = "the interval has no width"
OF_RAREST = "bounds of a share of the rarest class"
NO_SPREAD = "the rows show no spread"
NONE_DIFFER = "no row tells the models apart"
# Statistics of a table, by the interval of their spec.
ROUGH = {
    "bent": "has a kink or is flat where classes are balanced: the interval may miss its level",
    "grows": "grows with the number of rows: the interval is of no other number",
    "largest of several": "the largest of several is too large on average: the interval may miss "
    "its level; method='interpolated' is not one",
}


def note_on_metric(metric: Any) -> str:
    """What a comparison inherits from the metric: a bias, a kink, growth with the sample."""
    if metric.row is None:
        return ""
    interval = metric.row.interval
    if interval in BIASED:
        return f"both values are too large on average in samples: {MAY_MISS}"
    if metric.options.get("method") == "interpolated":
        return ""
    note = ROUGH.get(interval, "")
    return note and f"the metric {note}"


def reason(value: float, low: float, high: float) -> str:
    """Why an interval is degenerate, if no other note explains it."""
    if isnan(value):
        return "undefined"
    if isnan(low) or isnan(high):
        return "no bounds: there is nothing to tell them from"
    return NO_WIDTH if low == high else ""


def with_single(note: str, atoms: Any) -> str:
    """A note, and a warning of strata from which one row, or group, was drawn."""
    n_single = 0 if atoms.stratum is None else int((atoms.drawn()[0] == 1).sum())
    if not n_single:
        return note
    what = "row" if atoms.group is None else "group"
    have = "stratum has" if n_single == 1 else "strata have"
    told = f"{n_single} {have} one {what}: the interval may miss its level"
    return f"{note}; {told}" if note else told

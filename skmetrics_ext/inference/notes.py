"""Limits below which an interval or a test is doubtful, and what is said then."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np

ROUNDING = 1e-12  # values come within it of the ends of their range, and errors of 0
# Below these the study of coverage found intervals that cover less, or more, than their level.
FEW_ROWS = 5  # of a class, of a share, beyond a point of a curve
FEW_TO_DRAW = 20  # of a class of a metric that is smooth or resampled
FEW_GROUPS = 30  # effective number of all groups
FEW_GROUPS_OF_CLASS = 8  # that hold rows of a class, or rows that the metric reads
FEW_VALUES = 30  # distinct values of draws
FEW_THAT_DECIDE = 5  # effective number of contributions
FEW_TO_COMPARE = 10  # rows of a class, or in which two models differ

MAY_MISS = "true coverage may be below the nominal level"
FEW_DECIDE = f"few rows carry most of the variance: {MAY_MISS}"
TEST_MAY_MISS = "the test may reject more often than its level"
CALIBRATION_TEST = "spiegelhalter_test tells whether the model is calibrated"
BIASED = {
    "biased": f"too large on average in samples: {MAY_MISS}",
    "calibration": "too large on average in samples: method='upper' has a bound that holds, "
    f"{CALIBRATION_TEST}",
}
BIASED_DIFFERENCE = (
    "no interval: both values are too large on average, and more so in the smaller sample; "
    "method='bca' has one all the same"
)
JUMPS = (
    f"the value jumps where a grade crosses the target: {MAY_MISS}; method='interpolated' does not"
)
RESAMPLED_AT_ONE_LOOK = (
    "an interval by resampling holds at one look: only metrics with influence values have one that "
    "holds at every look"
)
NONE = "none"  # the method of what has no interval
NO_WIDTH = "the interval has no width"
OF_RAREST = "bounds of a share of the rarest class"
NO_SPREAD = "the rows show no spread"
NONE_DIFFER = "no row tells the models apart"
# Statistics of a table, by the interval of their spec; the first two have none, for those of all
# methods covered between 0 and 100 %.
NO_INTERVAL = {
    "bent": "no interval: has a kink or is flat where classes are balanced, and none covers there; "
    "elsewhere method='delta' may be used",
    "grows": "no interval: grows with the number of rows, so that no population has such a value",
}
ROUGH = {
    "largest of several": f"the largest of several is too large on average: {MAY_MISS}; "
    "method='interpolated' is not one",
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
    if interval in NO_INTERVAL:
        return "the metric is flat, or grows with the number of rows: " + TEST_MAY_MISS
    note = ROUGH.get(interval, "")
    return note and f"the metric {note}"


def reason(value: float, low: float, high: float) -> str:
    """Why an interval is degenerate, if no other note explains it."""
    if isnan(value):
        return "undefined"
    if isnan(low) or isnan(high):
        return "no bounds: there is nothing to tell them from"
    return NO_WIDTH if low == high else ""


def with_design(note: str, atoms: Any) -> str:
    """A note, and what the design adds to it: few groups, strata from which one unit was drawn."""
    notes = [note] if note else []
    if atoms.group is not None and (n_groups := float(atoms.effective_groups())) < FEW_GROUPS:
        notes.append(f"{n_groups:.3g} effective groups are few: {MAY_MISS}")
    n_single = 0 if atoms.stratum is None else int((atoms.drawn()[0] == 1).sum())
    if n_single:
        what = "row" if atoms.group is None else "group"
        have = "stratum has" if n_single == 1 else "strata have"
        notes.append(f"{n_single} {have} one {what}: {MAY_MISS}")
    return "; ".join(notes)


def few_rows(sample: Any) -> str:
    """What to say of a rare class, or of a narrow range of rates."""
    rare, inside = sample.fewest_rows, _rows_in_range(sample)
    if rare < FEW_TO_DRAW:
        what = "rows" if sample.design.group is None else "groups with rows"
        return f"{rare:g} {what} of the rarest class are few: {MAY_MISS}"
    if inside < FEW_TO_DRAW:
        return f"{inside:g} rows of a class in the range of rates are few: {MAY_MISS}"
    beyond = rows_beyond(sample)
    if beyond < FEW_ROWS:
        return f"{beyond:.3g} rows beyond the {sample.metric.spec.point} are few: {MAY_MISS}"
    return ""


def rows_beyond(sample: Any, at: Any = None) -> Any:
    """Rows that lie beyond the point of a curve, on the side where they are fewer.

    Of the rows that the point is a share of; infinite where it is no such share.
    """
    row = sample.metric.row
    if row is None or not row.point_of or len(sample.by_class) != 2:
        return np.inf
    negative, positive = sample.by_class
    rows = {"negative": negative, "positive": positive, "all": negative + positive}[row.point_of]
    share = np.asarray(sample.metric.options[row.point] if at is None else at)
    return rows * np.minimum(share, 1 - share)


def _rows_in_range(sample: Any) -> float:
    """Rows of one class that a partial area goes over; infinite for any other metric."""
    about = sample.metric.params
    given = [name for name in ("fpr_range", "max_fpr", "tpr_range") if about.get(name) is not None]
    if not given or sample.metric.row is None or sample.atoms.label is None:
        return np.inf
    rows = np.bincount(sample.atoms.label, weights=sample.atoms.rows)
    n_pos, n_neg = (rows[1], rows[0]) if len(rows) == 2 else (rows.min(), rows.sum() - rows.max())
    low, high = np.append(0.0, about[given[-1]])[-2:]
    return float((n_pos if given[-1] == "tpr_range" else n_neg) * (high - low))

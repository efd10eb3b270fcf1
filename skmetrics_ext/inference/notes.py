"""The rule by which an interval or a test is doubtful, and what is said then.

An interval, or a test, has a note if fewer than 15 contributions carry its variance, or if it
rests on fewer than 30 effective units: rows by their weights, or groups. The number of
contributions is their squared sum of squares over the sum of their fourth powers, that of as many
equal ones. Three kinds have limits of their own, which the study of coverage found:

- Shares of rows, metrics of labels and what is made of shares (Wilson, effective-n, log, MOVER).
  Their bounds do not trust the observed variance, so that few contributions do not harm: they
  cover 92 to 97 % with 3 to 10. They need 5 rows of each class.
- Metrics of rankings, on the logit or log scale with a t quantile, and all that is resampled.
  With 20 rows of each class they cover 92 to 97 %, however few contributions there are, unless
  the value is so near an end of its range that fewer than 3 of these rows are, as it were, on
  the wrong side: rows of the rarest class by the distance from the end.
- A rate at a point of a curve, or a part of an area, rests on the rows beyond the point, or within
  the part: 5 of these. A precision at a recall rests on the false positives there: 10 of these,
  for with 5 it covers 76 to 96 %.
"""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np

ROUNDING = 1e-12  # values come within it of the ends of their range, and errors of 0

CONTRIBUTIONS = 15  # effective number of those that carry the variance
UNITS = 30  # effective number of rows or groups; of distinct values of draws
# Rows of each class, in the place of the contributions: the exceptions.
OF_SHARES = 5
OF_RANKINGS = 20
NEAR_END = 3  # times the distance from the nearer end of the range
BEYOND_POINT = 5
FALSE_POSITIVES = 10

MAY_MISS = "true coverage may be below the nominal level"
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
    "kinked": "no interval: has a kink or is flat where classes are balanced, and none covers "
    "there; elsewhere method='delta' may be used",
    "grows": "no interval: grows with the number of rows, so that no population has such a value",
}
ROUGH = {
    "largest of several": f"the largest of several is too large on average: {MAY_MISS}; "
    "method='interpolated' is not one"
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


def few(number: float, what: str, remedy: str = "collect more") -> str:
    """A note on few of what an interval rests on: what, in which direction, what to do."""
    return f"{number:.3g} {what} are few: {MAY_MISS}; {remedy}"


def few_contributions(number: float) -> str:
    """A note on few contributions; empty where there are enough."""
    if not number < CONTRIBUTIONS:
        return ""
    what = f"{number:.3g} effective rows or groups carry the variance: {MAY_MISS}"
    return f"{what}; collect more, or report method='bca' as well"


def few_units(statistic: Any, label: Any = None) -> str:
    """A note on few effective rows, or groups, of a class where there are codes of it.

    On all groups `with_design` has the note.
    """
    atoms = statistic.atoms
    if atoms.group is None:
        n_rows = atoms.effective_rows
        return few(n_rows, "effective rows") if n_rows < UNITS else ""
    if label is None or atoms.label is None or atoms.effective_groups() < UNITS:
        return ""
    n_groups = float(atoms.effective_groups(atoms.label == label))
    what = "effective groups with rows of the rarest class"
    return few(n_groups, what) if n_groups < UNITS else ""


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
    if atoms.group is not None and (n_groups := float(atoms.effective_groups())) < UNITS:
        notes.append(few(n_groups, "effective groups"))
    n_single = 0 if atoms.stratum is None else int((atoms.drawn()[0] == 1).sum())
    if n_single:
        what = "row" if atoms.group is None else "group"
        have = "stratum has" if n_single == 1 else "strata have"
        notes.append(f"{n_single} {have} one {what}: {MAY_MISS}; join it with another")
    return "; ".join(notes)


def few_of_rarest(statistic: Any, least: int, what: str) -> str:
    """A note on few rows, or groups, of the class with the fewest; "{}" is its name."""
    sample = statistic.origin
    rows = sample.by_class
    code = int(np.where(rows > 0, rows, np.inf).argmin())
    if sample.design.group is not None:
        return few_units(statistic, code)
    if rows[code] >= least:
        return ""
    return few(rows[code], what.format(sample.classes[code]) if "{}" in what else what)


def near_end(value: Any, rows: float, bounds: Any) -> str:
    """A note on a value so near an end of its range that few rows tell how near."""
    low, high = bounds
    if not np.isfinite(high - low):
        return ""
    distance = np.minimum(value - low, high - value) / (high - low)
    if not (rows * distance < NEAR_END).any():
        return ""
    return few(rows, "rows of the rarest class, for a value so near the end of its range,")


def few_rows(statistic: Any) -> str:
    """What to say of a rare class, or of a narrow range of rates."""
    sample = statistic.origin
    if scarce := few_of_rarest(statistic, OF_RANKINGS, "rows of the rarest class"):
        return scarce
    if sample.design.group is not None:
        return ""
    if (inside := _rows_in_range(sample)) < BEYOND_POINT:
        return few(inside, "rows of a class in the range of rates", "take a wider one")
    if (beyond := rows_beyond(sample)) < BEYOND_POINT:
        return few(beyond, f"rows beyond the {sample.metric.spec.point}")
    if (false := _false_positives(statistic)) < FALSE_POSITIVES:
        return few(false, f"false positives at this {sample.metric.spec.point}")
    row = sample.metric.row
    if row is None or row.point_of or row.interval in BIASED:
        return ""
    return near_end(np.asarray(statistic.value), sample.fewest_rows, statistic.bounds)


def _false_positives(statistic: Any) -> float:
    """Those of a precision at a recall; infinite for any other metric."""
    sample, precision = statistic.origin, np.asarray(statistic.value)
    row = sample.metric.row
    if row is None or row.interval not in ROUGH or len(sample.by_class) != 2 or precision.ndim:
        return np.inf
    true = sample.by_class[1] * sample.metric.options[row.point]
    return float(true * (1 - precision) / precision) if precision > 0 else np.inf


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

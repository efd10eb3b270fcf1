"""When an interval or a test is doubtful, and the note that says so.

An interval or a test has a note if fewer than 15 effective contributions carry its variance, or if
it rests on fewer than 30 effective units (weighted rows, or groups). The effective number of
contributions is the squared sum of their squares over the sum of their fourth powers. Three kinds
of metric have limits of their own, found by simulating coverage:

- Shares of rows, other metrics of labels, and combinations of shares (Wilson, effective-n, log,
  MOVER) need 5 rows of each class. Their bounds do not rely on the observed variance, so few
  contributions do no harm: coverage is 92 to 97 % with 3 to 10 of them.
- Other metrics of rankings (logit or log scale, t quantile) and resampled intervals need 20 rows of
  each class: coverage is then 92 to 97 % however few contributions there are. The exception is a
  value near an end of its range, where (rows of the rarest class) x (distance from the end) is
  below 3, or below 0.07 if the range has one end (area under the precision-recall-gain curve). Half
  of that area is at recalls below twice the share of positives: fewer than one row there are few.
  The degrees of freedom of areas that few rows carry are three quarters of the number of
  contributions.
- A rate at a rate of a class needs 5 rows of each class and 3 rows beyond the point: with 10 to
  20 rows of a class, coverage is 95 to 98 % then, and 71 to 91 % with one or two beyond. Other
  points of a curve need 5 rows beyond them, a partial area 5 rows within its range.

Metrics of the whole table (agreement, weighted and micro averages) need 10 rows in all, and means
of areas one row of the smallest class for the distance from 1: with 3 to 12 rows of it they cover
95 to 97 % beyond it (90 % with tails of t with 3 degrees), and 87 to 94 % below. The number of
contributions does not distinguish these.

Two models on the same rows are noted below 8 effective rows in which they differ. The t test then
has little power, and rejects equal models in 2 to 4 % at 5 %.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np

from skmetrics_ext.metrics.family import RANKING
from skmetrics_ext.numeric import Array

ROUNDING = 1e-12  # how far rounding moves values from the ends of their range, and errors from 0

CONTRIBUTIONS = 15  # effective number of contributions that carry the variance
UNITS = 30  # effective number of rows or groups; distinct values among the draws
FEW_DIFFER = 8  # effective rows or groups in which models differ
# The exceptions: rows of each class, whatever the contributions.
OF_SHARES = 5
ERRORS = 10  # of predictions ranked by confidence
OF_RANKINGS = 20
NEAR_END = 3  # times the distance from the nearer end of the range, as a share of it
NEAR_ONLY_END = 0.07  # times the distance from the only end of a range
OF_GAIN = 0.5  # times their share of all rows: half of the area is at recalls below twice that
BEYOND_POINT = 5  # or within a range
BEYOND_RATE = 3  # of a rate at a rate of a class

# Clauses that name a `method=` are advice where there is one; tables leave them out.
MAY_MISS = "this interval may be too narrow"
MORE = "more of them would help"
TEST_MAY_MISS = "the test may reject too often"
CALIBRATION_TEST = "significance.spiegelhalter_test tests whether the model is calibrated"
BIASED = {
    "biased": "too large on average in samples: this interval may lie too high",
    "calibration": "too large on average in samples: this interval may lie too high; "
    f"method='upper' has a bound that holds; {CALIBRATION_TEST}",
}
BIASED_DIFFERENCE = (
    "no interval: both values are too large on average, and more so in the smaller sample; "
    "method='bca' has one all the same"
)
JUMPS = (
    f"the value jumps where a grade crosses the target: {MAY_MISS}; method='interpolated' avoids it"
)
RESAMPLED_AT_ONE_LOOK = (
    "an interval by resampling holds at one look: only metrics with influence values have one that "
    "holds at every look"
)
OTHER_WAY = (
    "worse than chance: low scores go with the positive class; pass the scores of this class, or "
    "their class as the positive one"
)
_PLURAL, _VERB = re.compile(r"(?<=row|oup|lue)s\b"), re.compile(r"\b(enter|decide|dominate)\b")
NEAR = "rows in the smallest class and a value close to its limit"
NONE = "none"  # the method of statistics that have no interval
NO_WIDTH = "the interval has no width"
OF_RAREST = "shown is the interval of a proportion with as many rows as the smallest class"
NO_SPREAD = "these rows show no sampling variation"
NONE_DIFFER = "the models agree on every row"
# Statistics of a table without an interval, by the `interval` of their spec: with every method,
# coverage was anywhere between 0 and 100 %.
NO_INTERVAL = {
    "kinked": "no interval: has a kink or is flat where classes are balanced, and none covers "
    "there; elsewhere method='delta' may be used",
    "grows": "no interval: grows with the number of rows, so that no population has such a value",
}
LARGEST = "largest of several"  # values: too large on average


def note_on_metric(metric: Any) -> str:
    """The note of a comparison on its metric: a bias, a kink, growth with the number of rows."""
    interval = metric.spec.interval
    if interval in BIASED:
        return f"both values are too large on average in samples: {TEST_MAY_MISS}"
    if interval in NO_INTERVAL:
        return "the metric is flat, or grows with the number of rows: " + TEST_MAY_MISS
    return ""


def direction(statistic: Any, value: Any, high: Any) -> str:
    """A note on scores that run the other way, or are those of another class.

    The whole interval of an area is below chance, or a largest distance is at the worst end.
    """
    sample, (start, end) = statistic.origin, statistic.bounds
    spec = sample.metric.spec
    if spec.family is not RANKING or not np.isfinite(end - start) or sample.fewest_rows < OF_SHARES:
        return ""
    data: Any = getattr(sample, "data", None)
    is_worst = spec.interval == "biased" and value == (start if spec.greater_is_better else end)
    if is_worst and np.ndim(getattr(data, "score", 0)) == 1:  # not if the scores say nothing
        is_worst = data.score[data.true == 1].mean() < data.score[data.true == 0].mean()
    is_below = getattr(sample, "kind", "") == "area" and high < (start + end) / 2
    return OTHER_WAY if is_worst or is_below else ""


def few(number: float, what: str, remedy: str = MORE) -> str:
    """A note that an interval rests on few units: what, in which direction, what to do."""
    return f"only {counted(number, what)}: {MAY_MISS}; {remedy}"


def counted(number: float, what: str, digits: int = 3) -> str:
    """A number of units, with what they do, which is "1 row enters" of one."""
    text = f"{number:.{digits}g}"
    if text == "1":
        what = _PLURAL.sub("", _VERB.sub(r"\1s", what), count=1)
    return f"{text} {what}"


def first_note(shape: tuple[int, ...], *rules: tuple[Any, str | Callable[[], str]]) -> Array:
    """At each place the first note, not empty, whose condition holds; empty where none does."""
    notes = np.full(shape, "", dtype=object)
    for condition, note in reversed(rules):
        if callable(note):  # written only where it is shown
            note = note() if np.any(condition) else ""
        if note:
            notes[np.broadcast_to(condition, shape)] = note
    return notes


def few_effective(statistic: Any, least: float = CONTRIBUTIONS) -> str:
    """A note on few effective contributions or units; empty where there are enough."""
    number, units = float(statistic.effective), units_of(statistic)
    if not number < least:
        return few_units(statistic)
    dominant = counted(number, f"{units} dominate this value", 2)
    note = f"about {dominant}: {MAY_MISS}; more {units} would help"
    kind = getattr(statistic.origin, "kind", "known")  # of contributions alone
    return note if kind in ("known", "folds") else f"{note}; check it with method='bca'"


def units_of(statistic: Any) -> str:
    return "rows" if statistic.design.group is None else "groups"


def equivalent(number: float, units: str) -> str:
    """A note on few effective rows or groups."""
    return f"based on the equivalent of {counted(number, f'independent {units}')}: {MAY_MISS}"


def few_units(statistic: Any, label: Any = None) -> str:
    """A note on few effective rows, or on few groups with rows of the class ``label``.

    `with_design` adds the note on few groups in all.
    """
    atoms = statistic.atoms
    if atoms.group is None:
        n_rows = atoms.effective_rows
        return equivalent(n_rows, "rows") if n_rows < UNITS else ""
    if label is None or atoms.label is None or atoms.effective_groups() < UNITS:
        return ""
    n_groups = float(atoms.effective_groups_of(label))
    return (
        equivalent(n_groups, "groups with rows of the smallest class") if n_groups < UNITS else ""
    )


def reason(value: float, low: float, high: float) -> str:
    """Why an interval is degenerate, if no other note explains it."""
    if isnan(value):
        return "undefined"
    if isnan(low) or isnan(high):
        return "no bounds: these data do not determine them"
    return NO_WIDTH if low == high else ""


def with_design(note: str, atoms: Any) -> str:
    """The note, with those on the design: few groups, strata from which one unit was drawn."""
    notes = [note] if note else []
    if atoms.group is not None and (n_groups := float(atoms.effective_groups())) < UNITS:
        notes.append(equivalent(n_groups, "groups"))
    n_single = 0 if atoms.stratum is None else int((atoms.drawn()[0] == 1).sum())
    if n_single:
        what = "row" if atoms.group is None else "group"
        have = "stratum has" if n_single == 1 else "strata have"
        notes.append(f"{n_single} {have} one {what}: {MAY_MISS}; join it with another")
    return "; ".join(notes)


def few_of_rarest(statistic: Any, least: int, what: str = "rows in the smallest class") -> str:
    """A note on few rows, or groups, of the rarest class, whose name replaces "{}"."""
    sample = statistic.origin
    rows = sample.by_class
    code = int(np.where(rows > 0, rows, np.inf).argmin())
    if sample.design.group is not None:
        return few_units(statistic, code)
    if rows[code] >= least:
        return ""
    return few(rows[code], what.format(sample.classes[code]) if "{}" in what else what)


def near_end(value: Any, rows: float, bounds: Any) -> str:
    """A note on a value so near an end of its range that few rows determine the distance."""
    low, high = bounds
    width, least = high - low, float(NEAR_END)
    if not np.isfinite(width):
        width, least = 1.0, NEAR_ONLY_END
    distance = np.fmin(np.abs(value - low), np.abs(high - value)) / width
    if not (rows * distance < least * (1 - ROUNDING)).any():
        return ""
    return few(rows, NEAR)


def few_rows(statistic: Any) -> str:
    """A note on few rows of a class, in a range of rates, or beyond a point of a curve."""
    sample = statistic.origin
    spec = sample.metric.spec
    if sample.kind == "rated":
        return few_effective(statistic)
    if sample.is_heavy:  # the kurtosis allows for few rows
        errors = float(sample.by_class[0])
        return few(errors, "errors") if errors < ERRORS else few_units(statistic)
    of_class = spec.point_of in ("negative", "positive")
    of_rarest, least = (OF_SHARES, BEYOND_RATE) if of_class else (OF_RANKINGS, BEYOND_POINT)
    if scarce := few_of_rarest(statistic, of_rarest):
        return scarce
    if sample.design.group is not None:
        return ""
    if (inside := rows_in_range(sample)) < BEYOND_POINT:
        return few(inside, "rows of a class in the range of rates", "a wider range would help")
    if (beyond := rows_beyond(sample)) < least:
        return few(beyond, f"rows beyond the {spec.point}")
    if spec.point_of or spec.interval in BIASED:
        return ""
    rows, share = sample.fewest_rows, sample.fewest_rows / sample.by_class.sum()
    if not np.isfinite(statistic.bounds).all() and rows * share < OF_GAIN:
        return few(rows, f"positive rows for half of an area, at recalls below {2 * share:.2g}")
    return near_end(np.asarray(statistic.value), rows, statistic.bounds)


def rows_beyond(sample: Any, at: Any = None) -> Any:
    """Rows beyond the point of a curve, on the side with fewer of them.

    Counted are the rows of which the point is a share; infinite where it is no share of rows.
    """
    spec = sample.metric.spec
    if not spec.point_of or len(sample.by_class) != 2:
        return np.inf
    negative, positive = sample.by_class
    rows = {"negative": negative, "positive": positive, "all": negative + positive}[spec.point_of]
    inside = rows * np.asarray(sample.metric.options[spec.point] if at is None else at)
    return np.minimum(inside, rows - inside)  # of 50 rows at 0.9 exactly 5


def rows_in_range(sample: Any) -> float:
    """Rows of one class within the range of a partial area; infinite for any other metric."""
    params, names = sample.metric.params, ("fpr_range", "max_fpr", "tpr_range")
    ranges = [name for name in names if params.get(name) is not None]
    if not ranges or not sample.metric.spec.is_known or sample.atoms.label is None:
        return np.inf
    rows = np.bincount(sample.atoms.label, weights=sample.atoms.rows)
    n_pos, n_neg = (rows[1], rows[0]) if len(rows) == 2 else (rows.min(), rows.sum() - rows.max())
    low, high = np.append(0.0, params[ranges[-1]])[-2:]
    return float((n_pos if ranges[-1] == "tpr_range" else n_neg) * (high - low))

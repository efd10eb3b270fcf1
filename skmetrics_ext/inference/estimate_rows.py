"""A row of a table of estimates: the same keys at every door, and the estimate itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from skmetrics_ext.inference import simultaneous
from skmetrics_ext.inference.algebra import Expression, Folds, Leaf, Made, Missing, linear
from skmetrics_ext.inference.arithmetic import asked_again, compared, result_of
from skmetrics_ext.inference.compare import is_ratio
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.notes import OTHER_WAY
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.registry import METRICS, Metric, find, scorers
from skmetrics_ext.registry.defaults import display_name
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.tables import Row
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import near, shown_names, warn_renamed

KEYS = (
    *("metric", "model", "group", "fold", "label", "against", "value", "low", "high"),
    *("standard_error", "p_value", "method", "note"),
)
IDENTITY = KEYS[:6]
NEGATED = "neg_"  # prefix of the scores of losses
# Keys of tables before 0.3, and what they are called.
FORMER = {
    **dict.fromkeys(("reason", "reasons", "notes", "interval_note"), "note"),
    "of": "label",
    "difference": "value",
    **dict.fromkeys(("reference", "rest"), "value_b"),
    **dict.fromkeys(("first", "model_a"), "model"),
    **dict.fromkeys(("second", "model_b"), "against"),
}
_NAN = float("nan")
_EMPTY: dict[str, Any] = {
    **dict.fromkeys(IDENTITY),
    **dict.fromkeys(KEYS[6:11], _NAN),
    "method": "",
    "note": "",
}
_OF_ESTIMATES = KEYS[6:]
_OF_DESIGN = ("n_groups", "n_strata", "design_effect")
_OF_TESTS = ("value_a", "value_b", "statistic", "alternative", "margin")
_FURTHER = (*_OF_TESTS, *_OF_DESIGN)
_OF_GROUPS = ("rest", "overall", "best")  # references of groups
# Numbers that change sign, and bounds that change sign and places, with the metric.
_SIGNED = (
    *("value", "value_a", "value_b", "mean", "difference", "train", "gap", "train_value"),
    "statistic",
)
_ENDS = [(f"{key}low", f"{key}high") for key in ("", "difference_", "gap_")]
_ENDS += [("low_holm", "high_holm")]
_TWO_ROWS = "rows are not subtracted: use t[0].estimate - t[1].estimate"


@dataclass(eq=False, slots=True)
class Deferred:
    """The estimate of a row, which is computed when it is asked for.

    Parameters
    ----------
    metric : Metric
    read : callable
        Returns the statistic of the row.
    level : float
    plan : DrawPlan
    found : Estimate or None
        Its interval, if it is known.
    sign : float
        -1 if the negative of the metric is shown.
    """

    metric: Metric
    read: Callable[[], Expression]
    level: float
    plan: DrawPlan = PLAN
    found: Estimate | None = None
    sign: float = 1.0

    def __call__(self) -> Estimate:
        """The estimate, to compute with."""
        x = self.read()
        if isinstance(x, Leaf) and self.found is not None and self.sign > 0:
            return replace(self.found, _made=Made(x, self.plan))
        return result_of(linear((self.sign, x)), Asked(self.level, plan=self.plan))


class EstimateRow(Row):
    """A row of `Estimates`: a mapping with the same keys in every table, and an estimate.

    Parameters
    ----------
    values : mapping
        Keys of ``KEYS``, and further ones behind them.
    level : float, default=0.95
        Confidence level.
    known : Estimate, Deferred or None, default=None
        The estimate to compute with.
    """

    __slots__ = ("_known", "_level")

    def __init__(self, values: Mapping[str, Any], level: float = 0.95, known: Any = None) -> None:
        super().__init__(_EMPTY)
        self.update(values)
        self._known, self._level = known, level

    @property
    def estimate(self) -> Estimate:
        """The estimate, which can be subtracted, tested and asked again.

        Returns
        -------
        Estimate
        """
        if isinstance(self._known, Deferred):
            self._known = self._known()
        if self._known is None:
            given: Any = {name: self[name] for name in (*_OF_ESTIMATES, *_FURTHER) if name in self}
            facts = Facts(self["metric"] or "", label=self["label"], n=self.get("n_rows"))
            self._known = Estimate(**given, confidence_level=self._level, facts=facts)
        known: Estimate = self._known
        return known

    def measure(self) -> tuple[Metric, float]:
        """The metric, and the sign of its part in the value."""
        known = self._known
        if isinstance(known, Deferred):
            return known.metric, known.sign
        if known is not None and known._made is not None:
            for leaf, slope in known._made.expression.operands().items():
                return leaf.metric, slope
        name = str(self["metric"])
        is_negated = name.startswith(NEGATED)
        return find(name.removeprefix(NEGATED)), -1.0 if is_negated else 1.0

    def direction(self) -> float:
        """1 if greater values are better, -1 if smaller ones are."""
        metric, sign = self.measure()
        better = metric.spec.greater_is_better
        if better is None:
            raise InvalidParameterError(
                f"{metric.name} is neither better when higher nor when lower: no row of it is the "
                "best or the worst."
            )
        return float(np.sign(sign)) * (1.0 if better else -1.0)

    def changed(self, known: Any = None, **values: Any) -> EstimateRow:
        """The row with other values, of another estimate."""
        return EstimateRow({**self, **values}, self._level, self._known if known is None else known)

    def __missing__(self, key: str) -> Any:
        if FORMER.get(key) not in self:
            raise KeyError(key)
        warn_renamed(f"the key {key!r} of a row", repr(FORMER[key]))
        return self[FORMER[key]]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or a default."""
        return self[key] if key in self or FORMER.get(key) in self else default

    def __sub__(self, other: Any) -> Any:
        raise InvalidParameterError(_TWO_ROWS)

    def __copy__(self) -> EstimateRow:
        return self.changed()

    def __deepcopy__(self, memo: Any) -> EstimateRow:
        return self.changed()

    def __reduce__(self) -> Any:
        """Pickled without rows, so that there is nothing to compute with."""
        return EstimateRow, (dict(self), self._level)


def equal(value: Any, other: Any) -> bool:
    """Whether two cells are equal; an array is no cell."""
    return value is other or ((np.ndim(other) == 0 or isinstance(other, tuple)) and value == other)


# --------------------------------------------------------------------------- computed rows


def row_from(estimate: Estimate, **further: Any) -> EstimateRow:
    """The row of an estimate; ``further`` holds what identifies it, and more keys."""
    values: dict[str, Any] = {"metric": estimate.metric, "label": estimate.label}
    values |= {key: getattr(estimate, key) for key in _OF_ESTIMATES}
    if (estimate.n_groups, estimate.n_strata) != (None, None):
        values |= {key: getattr(estimate, key) for key in _OF_DESIGN}
    return EstimateRow(values | further, estimate.confidence_level, estimate)


def row_of(estimate: Estimate, row: EstimateRow, **further: Any) -> EstimateRow:
    """The row of an estimate that was computed from that of another row."""
    keys = *_OF_ESTIMATES, *(key for key in _OF_DESIGN if key in row)
    values = {key: getattr(estimate, key) for key in keys}
    found = row.changed(estimate, **values | further)
    found._level = estimate.confidence_level
    return found


def difference_row(
    estimate: Estimate, row: EstimateRow, against: Any, **further: Any
) -> EstimateRow:
    """The row of a difference from another row."""
    values = {key: getattr(estimate, key) for key in _OF_TESTS}
    return row_of(estimate, row, against=against, **values | further)


def pairs_of(rows: Sequence[EstimateRow], name: str, wanted: Any) -> list[EstimateRow]:
    """Differences of all pairs of rows, or of each row from that of reference."""
    pairs: Iterable[tuple[EstimateRow, EstimateRow]] = combinations(rows, 2)
    if wanted != "each":
        of_reference = [row for row in rows if equal(row[name], wanted)]
        pairs = [(row, other) for other in of_reference for row in rows if row is not other]
    pairs = list(pairs)
    if not pairs:
        return []
    estimates = [(row.estimate, other.estimate) for row, other in pairs]
    made = [row.estimate._made for row in rows]
    over_folds = any(isinstance(leaf, Folds) for m in made if m for leaf in m.expression.operands())
    log = is_ratio(rows[0].measure()[0]) and not over_folds  # as `compare` has it
    ways = {id(row): row[name] for row in rows if OTHER_WAY in row["note"]}
    found = []
    for (row, other), each in zip(pairs, compared(estimates, log=log), strict=True):
        turned = (f"{ways[id(side)]}: {OTHER_WAY}" for side in (row, other) if id(side) in ways)
        note = "; ".join(filter(None, [each.note, *turned]))
        values = {"value_a": row["value"], "value_b": other["value"], "note": note}
        found.append(difference_row(each, row, other[name], **values))
    return found


def together(row: EstimateRow, level: float, n_known: int, n_rows: int) -> EstimateRow:
    """A row with the interval that holds for all known rows at once."""
    asked = row.estimate
    found = asked_again(asked, level=1 - (1 - level) / n_known, method=simultaneous.exact_of(asked))
    kind = "rows" if row["group"] is None else "groups"
    lacking = f"left out without an interval: {n_rows - n_known} of {n_rows} {kind}"
    note = "; ".join(filter(None, [found.note, lacking if n_known < n_rows else ""]))
    return row_of(replace(found, method="simultaneous", note=note), row)


def optimistic(row: EstimateRow, sign: float) -> float:
    """The optimistic bound, times the sign; infinite if there is none."""
    bound = sign * float(row["high"] if sign > 0 else row["low"])
    return bound if np.isfinite(bound) else np.inf


def without_interval(row: EstimateRow) -> EstimateRow:
    """A row whose metric has no statistic, with the reason; a convention is no measurement."""
    why = row.estimate.note
    is_undefined = why == row.measure()[0].spec.undefined
    value = _NAN if is_undefined else row["value"]
    return row.changed(value=value, low=_NAN, high=_NAN, note=why)


def shown_metric(name: Any, *, inside: bool = False) -> tuple[Any, int]:
    """Name of a metric as people write it, and -1 if its numbers are shown with opposite sign.

    Scorers negate losses, so that greater is better; people read the loss itself. Names that the
    user chose are kept. ``inside`` a sentence, names begin in lower case.
    """
    if not (name in scorers() or name in METRICS or f"{NEGATED}{name}" in scorers()):
        return name, 1
    return display_name(name, inside=inside), -1 if name.startswith(NEGATED) else 1


def for_people(row: Row) -> Row:
    """The row with the name and the sign of its metric as people read them."""
    title, sign = shown_metric(row["metric"])
    numbers = _negated(row) if sign < 0 else {}
    if not isinstance(row, EstimateRow):
        return Row({**row, **numbers, "metric": title})
    known = row._known
    if sign < 0 and isinstance(known, Deferred):
        known = replace(known, sign=-known.sign)
    elif sign < 0 and known is not None and known._made is not None:
        known = -known
    return row.changed(known, **numbers, metric=title)


def other_way(row: Row) -> Row:
    """The difference of the row of reference from this one."""
    exchanged = {"model": row["against"], "against": row["model"]}
    exchanged |= {"value_a": row["value_b"], "value_b": row["value_a"]}
    return Row({**row, **_negated(row), **exchanged})


def _negated(row: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a row times -1."""
    numbers = {key: -row[key] for key in _SIGNED if key in row and row[key] is not None}
    for low, high in _ENDS:
        if low in row:
            numbers |= {low: -row[high], high: -row[low]}
    return numbers


def missing(reason: str, level: float) -> Estimate:
    """The estimate of a statistic that does not exist."""
    x = Missing(reason)
    return Estimate(_NAN, _NAN, _NAN, _NAN, "", level, reason, _made=Made(x))


def compared_column(
    rows: Iterable[EstimateRow], by: Any, reference: Any, column: Mapping[str, Any]
) -> tuple[str, Any]:
    """The column of the reference, and its value or word."""
    if len(column) + (reference is not None) != 1:
        raise InvalidParameterError(
            "against takes one reference, such as model='a', group='rest' or model='each', got "
            f"{reference!r:.60} and {dict(column)!r:.60}."
        )
    is_text = isinstance(reference, str)
    rows = list(rows)
    values = {key: list(dict.fromkeys(row[key] for row in rows)) for key in IDENTITY[1:5]}
    if isinstance(reference, Mapping) or (is_text and reference in _OF_GROUPS):
        return "group", reference
    if reference is not None:
        each = is_text and reference == "each"
        having = [
            key
            for key, known in values.items()
            if (len(known) > 1 if each else any(equal(one, reference) for one in known))
        ]
        if len(having) != 1:
            raise InvalidParameterError(
                f"against={reference!r} fits the columns {having}: name one, such as "
                f"model={reference!r}."
            )
        column = {having[0]: reference}
    ((name, wanted),) = column.items()
    words = ("each", *_OF_GROUPS) if name == "group" else ("each",)
    is_word = isinstance(wanted, str) and wanted in words
    # A variable of by= may be called "group" too: the words keep their meaning.
    if by is not None and name in by.names and not (name == "group" and is_word):
        return "group", wanted if isinstance(wanted, Mapping) else {name: wanted}
    if name not in values:
        raise InvalidParameterError(
            f"against compares model=, group=, fold=, label= or a variable of by=, got {name}=."
        )
    if isinstance(wanted, Mapping) or is_word:
        return name, wanted
    if not any(equal(one, wanted) for one in values[name]):
        known = list(map(str, values[name]))
        raise InvalidParameterError(
            f"against: no row has {name}={wanted!r}.{near(str(wanted), known)} Values: "
            f"{shown_names(known)}."
        )
    return name, by.values(wanted) if name == "group" and by is not None else wanted


def is_empty(rows: Iterable[Mapping[str, Any]], key: str) -> bool:
    """Whether no row has anything in a column."""
    values = [row[key] for row in rows if key in row]
    return all(value is None or value == "" or value != value for value in values)

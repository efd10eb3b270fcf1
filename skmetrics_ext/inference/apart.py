"""What tells two models apart: the spread of their difference, and notes on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import fewest_rows
from skmetrics_ext.inference.draws.readings import TableReading, TallyReading, response_name
from skmetrics_ext.inference.influence.spread import Spread, over_classes
from skmetrics_ext.inference.methods import FEW_THAT_DECIDE
from skmetrics_ext.inference.question import Question
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import Labels

_FEW = 10  # rows of a class, or in which the models differ: with less the level is not held
_FEW_GROUPS = 20  # that hold rows of a class
_LEAST = 2.0  # rows of each class that tell the models apart, in the variance of a difference
_ROUNDING = 1e-12  # of what rows add to both
_RAREST = 50  # classes that are looked at for it


def spread_apart(asked: Question, i: int = 0, j: int = 1) -> Spread:
    """Of the difference of two of the models.

    Of tables at least two rows of each class tell the models apart in it: a rare class in which
    they agree by luck would count as one in which they always do.
    """
    added = asked.contributions
    assert added is not None
    (first, of_first), (second, of_second) = added[i], added[j]
    parts = of_first.minus(of_second)
    spread = parts.spread()
    most = _ROUNDING**2 * (parts.units.rows * (of_first.parts**2 + of_second.parts**2)).sum()
    if spread.variance <= most:
        return spread._replace(variance=np.zeros(()))
    if not (isinstance(first, TableReading) and isinstance(second, TableReading)):
        return spread
    units, true = parts.units, first.data.true
    rows = np.bincount(true, units.rows)
    seen = np.bincount(true, units.rows * parts.of_rows() ** 2)
    place = np.unique(true, return_index=True)[1]  # a row of each class
    rare = place[np.argsort(rows[true[place]], kind="stable")[:_RAREST]]
    effects = [_of_one_row(asked, one, one.data.true[rare]) for one in (first, second)]
    lacking = np.zeros(len(rows))
    lacking[true[rare]] = _LEAST * np.mean(effects, axis=0) ** 2 - seen[true[rare]]
    lacking = np.where(np.isfinite(lacking), np.maximum(lacking, 0.0), 0.0)  # else says nothing
    if not lacking.any():
        return spread
    by_class = over_classes(seen + lacking, units.by_class())[1]
    freedom = np.fmin(spread.freedom, by_class)
    return spread._replace(variance=spread.variance + lacking.sum(), freedom=freedom)


def _of_one_row(asked: Question, reading: TableReading, classes: Array) -> Array:
    """How far the metric moves where a row of each of these classes is predicted otherwise."""
    table, n_classes = reading.tables(reading.units.rows), len(reading.classes)
    rows = np.bincount(reading.data.true, reading.facts.sizes, n_classes)
    moved = np.repeat(table[None].astype(np.float64), len(classes), axis=0)
    each, usual = np.arange(len(classes)), table[classes].argmax(axis=1)
    other = np.where(usual != classes, classes, np.where(classes > 0, classes - 1, n_classes - 1))
    row = table[classes].sum(axis=1) / rows[classes]
    moved[each, classes, usual] -= row
    moved[each, classes, other] += row
    return np.abs(asked.difference(reading.read(moved), np.asarray(reading.value)))


def few_apart(first: TallyReading, second: TallyReading, effective: float) -> str:
    """What to tell of two models that few rows tell apart."""
    differing = _rows_apart(first.data, second.data)
    if differing < _FEW:
        return f"the models differ in {differing} rows only: method='permutation' is exact"
    if effective < FEW_THAT_DECIDE:
        return "few rows decide the difference: the test may miss its level"
    rare, grouped = fewest_rows(first), first.facts.group is not None
    if rare < (_FEW_GROUPS if grouped else _FEW):
        what = "groups with rows" if grouped else "rows"
        return f"{rare:g} {what} of the rarest class are few: the test may miss its level"
    return ""


def _rows_apart(first: Any, second: Any) -> int:
    """Rows in which the responses of two models differ."""
    if isinstance(first, Labels) and not first.is_multilabel:
        pairs = [one.classes[one.pred] for one in (first, second)]
    else:
        pairs = [getattr(one, response_name(one)) for one in (first, second)]
    return int(np.asarray((pairs[0] != pairs[1]).reshape(len(first.true), -1)).any(axis=1).sum())

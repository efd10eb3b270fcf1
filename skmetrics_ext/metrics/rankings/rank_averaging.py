"""From the rank tally of each class to the number a user asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Counts, RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined

AVERAGES = ("macro", "weighted", "micro", None)
# Sums of float weights that ought to be equal differ by rounding; so do two ways to one ratio.
ROUNDING = 1e-12

Kernel = Callable[[RankTally], Array]


# --------------------------------------------------------------------------- reading a tally


def counts_from_none(tally: RankTally) -> Counts:
    """Counts along the thresholds (..., T + 1), beginning where no row is predicted positive."""
    counts = tally.counts()
    none = np.zeros_like(counts.tp[..., :1])
    first = (none, none, counts.tp[..., -1:], counts.fp[..., -1:])
    joined = (
        np.concatenate([start, part], axis=-1)
        for start, part in zip(first, counts.astuple(), strict=True)
    )
    return Counts(*joined)


def each_slice(kernel: Callable[[Array, Array], float], tally: RankTally) -> Array:
    """A kernel of one negative and one positive vector, over every leading axis."""
    negative, positive = np.broadcast_arrays(tally.negative, tally.positive)
    rows = zip(_rows_of(negative), _rows_of(positive), strict=True)
    return np.array([kernel(*pair) for pair in rows]).reshape(negative.shape[:-1])


def _rows_of(values: Array) -> Array:
    return values.reshape(-1, values.shape[-1]).astype(np.float64)


def interpolate(x: Array, y: Array, target: Array | float) -> Array:
    """y where x, which never falls along the last axis, first reaches the target."""
    wanted = np.broadcast_to(np.asarray(target)[..., None], (*x.shape[:-1], 1))
    stop = np.maximum((x >= wanted * (1 - ROUNDING)).argmax(axis=-1), 1)[..., None]
    x0, x1 = np.take_along_axis(x, stop - 1, -1), np.take_along_axis(x, stop, -1)
    y0, y1 = np.take_along_axis(y, stop - 1, -1), np.take_along_axis(y, stop, -1)
    step = np.where(x1 > x0, x1 - x0, 1)
    share = np.where(x1 > x0, np.clip((wanted - x0) / step, 0.0, 1.0), 0.0)
    return np.asarray((y0 + share * (y1 - y0))[..., 0])


# --------------------------------------------------------------------------- public functions


def rank_score(
    kernel: Kernel,
    title: str,
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Any:
    """Validate, tally, average: the body of the metrics that read a ranking."""
    check_option("average", average, AVERAGES)
    checked = Scores.check(
        y_true, y_score, labels=labels, pos_label=pos_label, sample_weight=sample_weight
    )
    return score_checked(kernel, title, checked, average)


def score_checked(kernel: Kernel, title: str, checked: Scores, average: str | None) -> Any:
    """A float, or an array with a value per class for ``average=None`` of several classes."""
    if checked.kind == "binary":
        return _told(float(kernel(RankTally.of_class(checked))), title)
    if average == "micro":
        return _told(float(kernel(RankTally.of_cells(checked))), title)
    tallies = [RankTally.of_class(checked, code) for code in range(len(checked.classes))]
    values = np.array([float(kernel(tally)) for tally in tallies])
    if average is None:
        return _told(values, title)
    if average == "macro":
        return _told(float(values.mean()), title)
    support = np.array([tally.positive.sum() for tally in tallies])
    if not support.any():
        return _told(float("nan"), title)
    # A class without weight has no say, whatever its value.
    return _told(float(np.average(np.where(support == 0, 0.0, values), weights=support)), title)


def _told(value: Any, title: str) -> Any:
    if np.isnan(value).any():
        warn_undefined(f"{title} is undefined and nan: a class has no rows, or no others.")
    return value


def binary_tally(
    y_true: Any, y_score: Any, *, labels: Any, pos_label: Any, sample_weight: Any, what: str
) -> tuple[Scores, RankTally]:
    """Checked scores of a binary problem and their tally; refuse any other problem."""
    checked = Scores.check(
        y_true, y_score, labels=labels, pos_label=pos_label, sample_weight=sample_weight
    )
    if checked.kind != "binary":
        raise InvalidParameterError(
            f"{what} needs binary labels, y_true is {checked.kind}: pass one class against the "
            "rest, y_true == k and column k of y_score."
        )
    return checked, RankTally.of_class(checked)


def check_share(name: str, value: Any, *, zero: bool = True) -> float:
    """A number in [0, 1], or in (0, 1]."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not (0 <= number <= 1) or (number == 0 and not zero):
        bounds = "[0, 1]" if zero else "(0, 1]"
        raise InvalidParameterError(f"{name} has to be a number in {bounds}, got {value!r}.")
    return number

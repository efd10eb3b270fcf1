"""A stretch of a ROC curve that knows its place, and what metrics of the whole read from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.metrics.rankings.precision_recall_gain import precision_gain, recall_gain
from skmetrics_ext.metrics.rankings.rank_averaging import ROUNDING
from skmetrics_ext.metrics.rankings.ranking_kernels import area_between, upper_hull
from skmetrics_ext.numeric import Array, as_factors, divide, trapezoid
from skmetrics_ext.tallies import Counts, RankTally

_NEAR = 2  # points kept on either side of a crossing, more than any kernel looks at


@dataclass(frozen=True, eq=False, slots=True)
class Steps:
    """Both classes along the scores of a range, from what stands above it.

    Parameters
    ----------
    thresholds : ndarray of shape (T,)
        Distinct scores, falling.
    negative, positive : ndarray of shape (T,)
        Weight at each score.
    fp, tp : ndarray of shape (T + 1,)
        Weight at or above each score; first that above the range.
    all_negative, all_positive : int or float
        Weight of each class in all ranges.
    """

    thresholds: Array
    negative: Array
    positive: Array
    fp: Array
    tp: Array
    all_negative: Any
    all_positive: Any

    @classmethod
    def of(cls, tally: RankTally, above: Array, total: Array) -> Steps:
        mass, above, total = (as_factors(x, total.sum()) for x in (tally.mass, above, total))
        negative, positive = mass
        fp = np.concatenate([above[:1], above[0] + np.cumsum(negative)])
        tp = np.concatenate([above[1:], above[1] + np.cumsum(positive)])
        return cls(tally.thresholds, negative, positive, fp, tp, total[0], total[1])

    def counts(self) -> Counts:
        return Counts(self.tp, self.fp, self.all_positive - self.tp, self.all_negative - self.fp)

    def only(self, places: Array) -> RankTally:
        """The tally of these thresholds; what lies between two is added to the lower one."""
        starts = np.concatenate([[0], places[:-1] + 1])
        mass = np.stack([self.negative, self.positive])
        return RankTally(self.thresholds[places], np.add.reduceat(mass, starts, axis=1))

    def squares(self) -> tuple[float, float]:
        """Squares of the share of the other class that each row beats, by class (DeLong)."""
        beaten = divide(self.all_negative - self.fp[1:] + self.negative / 2, self.all_negative)
        beating = divide(self.tp[1:] - self.positive / 2, self.all_positive)
        return (
            float((self.positive * beaten * beaten).sum()),
            float((self.negative * beating * beating).sum()),
        )

    def along(self, n: int) -> Array:
        """The last place of each of n equal stretches of the curve."""
        way = (self._share(self.fp, self.all_negative) + self._share(self.tp, self.all_positive))[
            1:
        ]
        cell = np.minimum((way * (n / 2)).astype(np.int64), n - 1)
        return np.flatnonzero(np.diff(cell, append=-1))

    def gap(self, places: Array) -> float:
        """Largest vertical distance of the curve from the chords between these places."""
        fpr = self._share(self.fp, self.all_negative)
        tpr = self._share(self.tp, self.all_positive)
        return chord_gap(fpr, tpr, np.concatenate([[0], places + 1]))

    @staticmethod
    def _share(part: Array, total: Any) -> Array:
        return part / total if total else np.zeros(len(part))


def chord_gap(x: Array, y: Array, kept: Array) -> float:
    """Largest vertical distance of points from the chords between kept ones (and the ends)."""
    segment = np.searchsorted(kept, np.arange(len(x)))
    stop, start = kept[segment], kept[np.maximum(segment - 1, 0)]
    width = x[stop] - x[start]
    share = np.divide(x - x[start], width, out=np.zeros(len(x)), where=width > 0)
    away = np.abs(y - y[start] - share * (y[stop] - y[start]))
    # On a vertical chord the curve is the chord.
    return float(np.where(width > 0, away, 0.0).max())


# --------------------------------------------------------------------------- sums over thresholds


def average_precision(steps: Steps) -> float:
    tp, predicted = steps.tp[1:], steps.tp[1:] + steps.fp[1:]
    return float((steps.positive * (tp / predicted)).sum())


def trapezoids(steps: Steps) -> float:
    predicted = steps.tp + steps.fp
    precision = np.where(predicted == 0, 1.0, divide(steps.tp, predicted))
    return float(trapezoid(precision, steps.tp / steps.all_positive)) if steps.all_positive else 0.0


def davis_goadrich(steps: Steps) -> float:
    predicted = steps.tp + steps.fp
    before, grown = predicted[:-1], np.diff(predicted)
    slope = np.nan_to_num(divide(steps.positive, grown))
    log = np.log1p(np.nan_to_num(divide(grown, before)))
    return float((slope * (steps.tp[:-1] * log + slope * (grown - before * log))).sum())


def partial_area(steps: Steps, low: float, high: float, axis: str) -> float:
    fpr = divide(steps.fp, steps.all_negative)
    tpr = divide(steps.tp, steps.all_positive)
    area = area_between(tpr, fpr, low, high) if axis == "fpr" else area_between(fpr, tpr, low, high)
    return float(area)


def gain_area(steps: Steps) -> float:
    """Area under the precision-recall-gain curve, from recall gain 0 on."""
    positive, negative = steps.all_positive, steps.all_negative
    if not positive or not negative:
        return float("nan")
    wanted = positive * (positive / (positive + negative))
    reached = steps.tp >= wanted * (1 - ROUNDING)
    if not reached[-1]:
        return 0.0
    tp, fp = steps.tp, steps.fp
    if not reached[0]:
        stop = int(reached.argmax())
        gained, wrong = tp[stop] - tp[stop - 1], fp[stop] - fp[stop - 1]
        share = min((wanted - tp[stop - 1]) / gained, 1.0)
        at_tp, at_fp = tp[stop] - (1 - share) * gained, fp[stop] - (1 - share) * wrong
        tp, fp = np.append(at_tp, tp[stop:]), np.append(at_fp, fp[stop:])
    counts = Counts(tp, fp, positive - tp, negative - fp)
    return float(trapezoid(precision_gain(counts), recall_gain(counts)))


def expected(steps: Steps) -> float:
    return float(((steps.negative + steps.positive) * steps.thresholds).sum())


Options = Mapping[str, Any]
Term = Callable[[Steps], float]
_AREAS: dict[str, Term] = {"trapezoid": trapezoids, "davis_goadrich": davis_goadrich}


def range_of(options: Options) -> tuple[float, float, str]:
    """The range of a partial area: bounds and the rate that they are of."""
    if options.get("max_fpr") is not None:
        return 0.0, float(options["max_fpr"]), "fpr"
    if options.get("tpr_range") is not None:
        low, high = options["tpr_range"]
        return float(low), float(high), "tpr"
    low, high = options["fpr_range"]
    return float(low), float(high), "fpr"


def _partial(options: Options) -> Term:
    low, high, axis = range_of(options)
    return partial(partial_area, low=low, high=high, axis=axis)


# Metrics that are sums over the thresholds: function -> parameters -> term, None for no term.
SUMMED: dict[str, Callable[[Options], Any]] = {
    "average_precision_score": lambda options: average_precision,
    "pr_auc_score": lambda options: _AREAS.get(options["interpolation"]),
    "partial_roc_auc_score": _partial,
    "roc_auc_score": _partial,  # with max_fpr
    "auprg_score": lambda options: gain_area,
    "observed_expected_ratio": lambda options: expected,
}
WINS = ("roc_auc_score", "gini_score", "gain_capture_score", "pairwise_roc_auc")


# --------------------------------------------------------------------------- points to keep


def _around(place: int, steps: Steps) -> Array:
    # Numbers of scores, where `place` counts the point above the range as 0.
    return np.arange(place - 1 - _NEAR, place + _NEAR)


def _crossing(rising: Array, target: Any, steps: Steps) -> Array:
    """Places around where a value that never falls first reaches a target."""
    return _around(int(np.searchsorted(rising, target)), steps)


def hull(options: Options) -> Term:
    return lambda steps: upper_hull(steps.fp, steps.tp) - 1  # type: ignore[return-value]


def equal_errors(options: Options) -> Any:
    def places(steps: Steps) -> Array:
        lead = steps.fp * steps.all_positive * 1.0 + steps.tp * steps.all_negative * 1.0
        return _crossing(lead, steps.all_positive * 1.0 * steps.all_negative, steps)

    return places


def top_fraction(options: Options) -> Any:
    def places(steps: Steps) -> Array:
        total = steps.all_positive + steps.all_negative
        return _crossing(steps.tp + steps.fp, options["fraction"] * total, steps)

    return places


def at_specificity(options: Options) -> Any:
    def places(steps: Steps) -> Array:
        target = (1 - options["specificity"]) * steps.all_negative
        # On either side of the scores at which the rate is the same.
        first = _crossing(steps.fp, target, steps)
        after = int(np.searchsorted(steps.fp, target * (1 + ROUNDING), side="right"))
        return np.concatenate([first, _around(after, steps)])

    return places


def at_sensitivity(options: Options) -> Any:
    return lambda steps: _crossing(
        steps.tp, options["sensitivity"] * steps.all_positive * (1 - ROUNDING), steps
    )


def at_recall(options: Options) -> Any:
    def places(steps: Steps) -> Array:
        first = int(
            np.searchsorted(steps.tp, options["recall"] * steps.all_positive * (1 - ROUNDING))
        )
        near = _around(first, steps)
        if first >= len(steps.tp):
            return near
        precision = np.nan_to_num(divide(steps.tp, steps.tp + steps.fp))[first:]
        return np.append(near, first + int(precision.argmax()) - 1)

    return places


def at_precision(options: Options) -> Any:
    def places(steps: Steps) -> Array:
        wanted = options["precision"]
        excess = (1 - wanted) * steps.tp - wanted * steps.fp
        reached = np.flatnonzero(excess >= -ROUNDING * (steps.tp + steps.fp))
        return _around(int(reached[-1]), steps) if len(reached) else np.zeros(0, dtype=np.int64)

    return places


def at_threshold(options: Options) -> Any:
    return lambda steps: _around(
        int(np.searchsorted(-steps.thresholds, -float(options["threshold"]), side="right")), steps
    )


# Metrics that few points of the curve decide: function -> parameters -> places to keep.
KEPT: dict[str, Callable[[Options], Any]] = {
    "ks_statistic_score": hull,
    "roc_auc_convex_hull_score": hull,
    "h_measure_score": hull,
    "equal_error_rate": equal_errors,
    "lift_score": top_fraction,
    "sensitivity_at_specificity": at_specificity,
    "specificity_at_sensitivity": at_sensitivity,
    "precision_at_recall": at_recall,
    "recall_at_precision": at_precision,
    "net_benefit": at_threshold,
}

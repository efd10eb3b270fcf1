"""Bands of curves: pointwise intervals, or simultaneous ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.atoms import WeightsAre
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.linearized import Linearized, covariance_of, linearize
from skmetrics_ext.inference.methods import interval_of, methods_of
from skmetrics_ext.inference.notes import BEYOND_POINT, rows_beyond
from skmetrics_ext.inference.scales import drawn_bounds
from skmetrics_ext.inference.simultaneous import level_of_all
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, Options, PosLabel, RandomState
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import Pictured, read_curve
from skmetrics_ext.tables import Table, Tabular
from skmetrics_ext.validation import InvalidParameterError, Labels, Scores, check_option
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.tensors import to_host

BANDS = ("pointwise", "simultaneous")
_POINTS = np.arange(1, 100) / 100  # at 0 and 1 most curves are constant
_MOST_THRESHOLDS = 101
# For shares: at the levels of simultaneous intervals, others cover too little near 0 and 1.
_EXACT = "clopper_pearson"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class CurveBand(Pictured, Tabular):
    """A metric along a curve, with bounds at each point.

    Parameters
    ----------
    metric : str
        Name of the metric.
    along : str
        The parameter on the abscissa: "specificity", "recall", "threshold", ...
    at, value, low, high, standard_error : ndarray of shape (n_points,)
        Values of that parameter, the metric there, its bounds and standard error.
    notes : tuple of str
        What a reader must know before using each of the points.
    band : {"pointwise", "simultaneous"}
        Whether the confidence level is that of each interval, or of all of them jointly.
    method : str
        How the intervals were made.
    confidence_level : float
        Nominal coverage.
    point_level : float
        Level of the interval at each point; that of the band if it is pointwise.
    draws : tuple of (int or None), default=()
        Number of draws at each of the points.

    Examples
    --------
    >>> from skmetrics_ext import curve_band
    >>> band = curve_band("recall", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], at=[0.4, 0.3])
    >>> band.value, band.low.round(2), band.high.round(2)
    (array([0.5, 1. ]), array([0.09, 0.34]), array([0.91, 1.  ]))
    """

    metric: str
    along: str
    at: Array
    value: Array
    low: Array
    high: Array
    standard_error: Array
    notes: tuple[str, ...]
    band: str
    method: str
    confidence_level: float
    point_level: float
    draws: tuple[int | None, ...] = ()

    def __post_init__(self) -> None:
        read_curve(self)

    def columns(self) -> dict[str, Any]:
        """The arrays by name; the abscissa has the name of its parameter."""
        return {
            self.along: self.at,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
            "note": list(self.notes),
        }

    def _as_rows(self) -> Table:
        columns = self.columns()
        level = f"{100 * self.confidence_level:g} % {self.band}, {self.method}"
        lead = [f"{self.metric} by {self.along} ({level})"]
        listed = zip(*(list(column) for column in columns.values()), strict=True)
        rows = [dict(zip(columns, row, strict=True)) for row in listed]
        for row, n_draws in zip(rows, self.draws, strict=False):
            if n_draws:
                row |= drawn_bounds(row["low"], row["high"], self.confidence_level, n_draws)
        return Table(rows, lead=lead)


@document
def curve_band(
    metric: str | Callable[..., Any],
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    at: Any = None,
    band: Literal["pointwise", "simultaneous"] = "pointwise",
    method: str = "auto",
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: PosLabel = None,
    weights_are: WeightsAre = "importance",
    n_resamples: int | None = None,
    random_state: RandomState = 0,
    **metric_params: Any,
) -> CurveBand:
    r"""Intervals of a metric at many points along a curve.

    Parameters
    ----------
    metric : str or callable
        The ordinate, which determines the abscissa:

        - of the ROC curve "sensitivity_at_specificity" or "specificity_at_sensitivity", of the
          precision-recall curve "precision_at_recall", of the decision curve "net_benefit", of the
          lift curve "lift_score": the other rate, the threshold, the fraction. Rates are read at
          thresholds; a partial with ``method="interpolated"`` reads them between these, as
          pictures do;
        - a metric of labels ("recall", "specificity", "precision", "f1", ...): the threshold, at
          and above which a score is predicted positive.
    y_true : array-like of shape (n_samples,)
        True labels; of two classes for metrics of labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class, or probabilities for metrics of these.
    at : array-like of shape (n_points,), default=None
        Points on the abscissa. By default those of 0.01, 0.02, ..., 0.99 with at least five rows on
        either side (of the class whose rate it is); for thresholds the distinct scores, or 101 of
        them at equal shares of the rows. A simultaneous band leaves out those of these default
        points whose own interval has a note.
    band : {"pointwise", "simultaneous"}, default="pointwise"
        "pointwise": the interval of `confidence_interval` at each point, with its coverage.
        "simultaneous": the level is the probability that all intervals cover at once, so that the
        whole curve lies in the band. Each interval then has a higher level, from the distribution
        of the largest error.
    method : str, default="auto"
        Method of the interval at each point, as in `confidence_interval`; for shares in a
        simultaneous band "clopper_pearson".
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage, at each point or of all of them jointly.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row, if a fixed number of rows was sampled from each, as in
        `confidence_interval`.
    {sample_weight}
    {score_pos_label}
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    n_resamples : int, default=None
        Number of draws: by default 100,000 of the largest error of a simultaneous band, and as many
        as `confidence_interval` draws where a point is resampled.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the draws.
    **metric_params : dict
        Parameters of the metric: ``average``, ``method`` of interpolation and others. Fix one that
        has the name of a parameter of this function with `functools.partial`.

    Returns
    -------
    CurveBand
        ``at, value, low, high, standard_error, notes``; ``frame()``.

    Raises
    ------
    {raises}

    Notes
    -----
    The errors at all points are sums of contributions of the same rows, so they are drawn jointly
    with one multiplier for each row (or group). A band covers the curve at its points, and between
    them if the curve is smooth. Bounds at a point with few rows beyond it have a note; simultaneous
    bands of such points cover too rarely.

    References
    ----------
    Pepe (2003), The Statistical Evaluation of Medical Tests for Classification and Prediction,
    Oxford; Horvath, Kokoszka & Wang (2008), Annals of Statistics 36(1), 219-245, for bands of ROC
    curves from multipliers; Montiel Olea & Plagborg-Moller (2019), Journal of Applied
    Econometrics 34(1), 1-17, for bands from the largest error.

    Examples
    --------
    >>> from skmetrics_ext import curve_band
    >>> y_true = [0, 1, 0, 0, 1, 0, 1, 1, 0, 1] * 6
    >>> y_score = [k % 10 / 10 + k % 7 / 20 for k in range(60)]
    >>> print(curve_band("sensitivity_at_specificity", y_true, y_score, at=[0.5, 0.8]))
    sensitivity_at_specificity by specificity (95 % pointwise, logit)
    specificity   value          interval  standard_error
    -----------  ------  ----------------  --------------
         0.5000  0.7667  [0.4801, 0.9212]          0.1134
         0.8000  0.3667  [0.1386, 0.6757]          0.1483
    """
    check_option("band", band, BANDS)
    measure, level = readers.find_metric(metric, metric_params), check_level(confidence_level)
    plan = DrawPlan(n_resamples, random_state=random_state)
    if not (measure.spec.point or measure.spec.response == "labels"):
        raise InvalidParameterError(
            f"metric must be read at a point of a curve (a rate, a threshold, a fraction), or be a "
            f"metric of labels, which is read at thresholds; {measure.name} is neither."
        )
    if pos_label is not None and measure.takes("pos_label"):
        measure = measure.with_params(pos_label=pos_label)
    check = _at_point if measure.spec.point else _at_threshold
    checked, data_at = check(measure, y_true, y_score, sample_weight, pos_label)
    columns = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    design = read_design(groups, strata, checked.true.shape[0], **columns)

    def statistic(place: float) -> Linearized:
        return linearize(readers.sample_of_checked(*data_at(place), design, weights_are))

    if at is not None:
        places = _places(at)
    elif measure.spec.point:
        beyond = np.broadcast_to(rows_beyond(statistic(0.5).origin, _POINTS), _POINTS.shape)
        places = _POINTS[beyond >= min(BEYOND_POINT, np.max(beyond))]
    else:
        places = _distinct(checked)
    statistics, point_level = [statistic(place) for place in places.tolist()], level
    for each in statistics:
        readers.check_single_value("curve_band", measure, each.value)

    def estimates_of(method: str, level: float) -> list[Any]:
        return [interval_of(each, method, level, plan) for each in statistics]

    jointly = band == "simultaneous"
    if jointly:
        if at is None:  # the points whose own interval has no note, if there are any
            smooth = [each.has_influence for each in statistics]
            clear = [not estimate.note for estimate in estimates_of(method, level)]
            kept = np.flatnonzero(np.logical_and(smooth, clear)).tolist() or list(range(len(clear)))
            places, statistics = places[kept], [statistics[i] for i in kept]
        if not all(each.has_influence for each in statistics):
            raise InvalidParameterError(
                "band='simultaneous' needs a derivative by the rows, which "
                f"{measure.name} does not have; band='pointwise' resamples every point."
            )
        shares = len(statistics) > 1 and all(_EXACT in methods_of(each) for each in statistics)
        method = _EXACT if method == "auto" and shares else method
        covariance = covariance_of(statistics)
        point_level = level_of_all(covariance, level, plan.normal_draws, plan.random_state)
    estimates = estimates_of(method, point_level)
    arrays: dict[str, Any] = {
        name: np.array([getattr(estimate, name) for estimate in estimates])
        for name in ("value", "low", "high", "standard_error")
    }
    return CurveBand(
        metric=measure.name,
        along=measure.spec.point or "threshold",
        at=places,
        **arrays,
        notes=tuple(estimate.note for estimate in estimates),
        band=band,
        method=estimates[0].method,
        confidence_level=level,
        point_level=point_level,
        draws=tuple(plan.normal_draws if jointly else each.draws for each in estimates),
    )


# --------------------------------------------------------------------------- points of a curve


# Checked rows, and the metric with the data that it reads at each point.
_Places = tuple[Any, Callable[[float], tuple[Metric, Any]]]


def _at_point(metric: Metric, y_true: Any, y_score: Any, weight: Any, _: Any) -> _Places:
    """A metric with a parameter for the point of a curve."""
    along = metric.spec.point
    settled, checked = readers.check_rows(metric, y_true, y_score, weight)
    return checked, lambda place: (settled.with_params(**{along: place}), checked)


def _at_threshold(
    metric: Metric, y_true: Any, y_score: Any, weight: Any, pos_label: Any
) -> _Places:
    """A metric of labels, which are scores at or above a threshold."""
    options: Options = {"sample_weight": weight, "pos_label": pos_label, "side": "one"}
    scores = Scores.check(y_true, y_score, what=f"{metric.name} at thresholds", **options)
    if scores.kind != "binary":
        raise InvalidParameterError(
            f"{metric.name} at thresholds needs labels of two classes, got {scores.kind}."
        )
    settled = metric
    if metric.takes("pos_label") and metric.sides != "none":
        settled = metric.with_params(pos_label=scores.classes.tolist()[-1])

    def data_at(place: float) -> tuple[Metric, Labels]:
        pred = (scores.score >= place).astype(np.int64)
        return settled, Labels("binary", scores.classes, scores.true, pred, scores.weight)

    return scores, data_at


def _distinct(scores: Scores) -> Array:
    """The distinct scores in falling order, at most `_MOST_THRESHOLDS` of them."""
    kept = scores.score if scores.weight is None else scores.score[scores.weight != 0]
    falling = np.sort(kept)[::-1]
    if len(distinct := np.unique(falling)[::-1]) <= _MOST_THRESHOLDS:
        return distinct
    share = np.linspace(0, len(falling) - 1, _MOST_THRESHOLDS).astype(np.int64)
    return np.unique(falling[share])[::-1]


def _places(at: Any) -> Array:
    try:
        places = np.atleast_1d(np.asarray(to_host(at, "at"), dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        places = np.empty(0)
    if places.ndim != 1 or not places.size or np.isnan(places).any():
        raise InvalidParameterError(f"at must hold at least one number, got {at!r:.80}.")
    return places

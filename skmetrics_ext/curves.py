"""ROC and precision-recall curves of every class, and their averages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.precision_recall import precision_recall_points
from skmetrics_ext.metrics.rankings.ranking_kernels import from_infinity, recall_ends, roc_arrays
from skmetrics_ext.numeric import Array, Options, PosLabel, trapezoid
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.tables import Table
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined
from skmetrics_ext.validation.fields import labels_of
from skmetrics_ext.validation.tensors import to_host

# --------------------------------------------------------------------------- one curve


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class RocCurve(CurveResult):
    """ROC curve of one class, or an average.

    Parameters
    ----------
    fpr, tpr : ndarray of shape (n_points,)
        False and true positive rates, increasing; nan if they are 0/0.
    thresholds : ndarray of shape (n_points,)
        Falling from infinity. nan for a macro-average, which has none.
    """

    fpr: Array
    tpr: Array
    thresholds: Array

    @property
    def area(self) -> float:
        """Area under the curve by the trapezoid rule, as in `roc_auc_score`."""
        return float(trapezoid(self.tpr, self.fpr))

    def columns(self) -> dict[str, Array]:
        """The arrays by name."""
        return {"threshold": self.thresholds, "fpr": self.fpr, "tpr": self.tpr}


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class PrecisionRecallCurve(CurveResult):
    """Precision-recall curve of one class, or an average.

    Parameters
    ----------
    precision : ndarray of shape (n_points,)
        By convention 1 at the first point, at which no row is predicted positive.
    recall : ndarray of shape (n_points,)
        Increasing from 0; nan if no row has the class.
    thresholds : ndarray of shape (n_points,)
        Falling from infinity. nan for a macro-average, which has none.
    """

    precision: Array
    recall: Array
    thresholds: Array

    @property
    def area(self) -> float:
        """Average precision, the area under the steps, as in `average_precision_score`."""
        return float((np.diff(self.recall) * self.precision[1:]).sum())

    @property
    def trapezoid_area(self) -> float:
        """Area under straight lines between the points, as in `pr_auc_score`."""
        return float(trapezoid(self.precision, self.recall))

    def columns(self) -> dict[str, Array]:
        """The arrays by name."""
        return {"threshold": self.thresholds, "precision": self.precision, "recall": self.recall}


CurveT = TypeVar("CurveT", RocCurve, PrecisionRecallCurve)


# --------------------------------------------------------------------------- curves of all classes


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Curves(CurveResult, Generic[CurveT]):
    """Curves of every class against the rest, and two averages.

    Parameters
    ----------
    classes : ndarray of shape (n_curves,)
        The classes; the positive one alone for binary labels.
    curves : tuple
        The curve of each class.
    micro : RocCurve, PrecisionRecallCurve or None
        Curve of all (row, class) pairs pooled into one binary problem. None for binary labels.
    macro : RocCurve, PrecisionRecallCurve or None
        Mean of the curves that are defined. None for binary labels.
    """

    classes: Array
    curves: tuple[CurveT, ...]
    micro: CurveT | None = None
    macro: CurveT | None = None

    def __post_init__(self) -> None:
        n_classes = len(labels_of(self, "classes"))
        if len(self.curves) != n_classes:
            raise InvalidParameterError(f"curves must be {n_classes}, got {len(self.curves)}.")

    def __iter__(self) -> Iterator[CurveT]:
        """The curves of the classes."""
        return iter(self.curves)

    def __getitem__(self, label: Any) -> CurveT:
        """The curve of a class, or "micro" or "macro" (unless a class has that name)."""
        listed = self.classes.tolist()
        if label in listed:
            return self.curves[listed.index(label)]
        average = {MICRO: self.micro, MACRO: self.macro}.get(label)
        if average is None:
            raise KeyError(f"{label!r} is not one of the curves {list(self.named())}")
        return average

    def named(self) -> dict[Any, CurveT]:
        """Every curve by its class, "micro" or "macro"."""
        curves = dict(zip(self.classes.tolist(), self.curves, strict=True))
        for name, average in ((MICRO, self.micro), (MACRO, self.macro)):
            if average is not None:
                curves.setdefault(name, average)
        return curves

    @property
    def areas(self) -> dict[Any, float]:
        """Area under every curve."""
        return {name: curve.area for name, curve in self.named().items()}

    def columns(self) -> dict[str, Array]:
        """All points as arrays by name, with the name of the curve of each point."""
        named = self.named()
        parts = [curve.columns() for curve in named.values()]
        sizes = [len(curve.thresholds) for curve in named.values()]
        columns = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        return {"curve": np.repeat(np.fromiter(named, dtype=object), sizes)} | columns

    def _as_rows(self) -> Table:
        return Table(
            {"curve": name, "points": len(curve.thresholds), "area": curve.area}
            for name, curve in self.named().items()
        )

    def _summary(self) -> str:
        return ", ".join(f"{name} (area {area:.4f})" for name, area in self.areas.items())


def _read_curves(
    checked: Scores,
    curve_of: Callable[[RankTally], CurveT],
    mean_of: Callable[[list[CurveT]], CurveT],
    is_defined: Callable[[CurveT], bool],
    what: str,
) -> Curves[CurveT]:
    is_binary = checked.kind == "binary"
    classes = checked.classes[-1:] if is_binary else checked.classes
    codes = [1] if is_binary else range(len(classes))
    curves = tuple(curve_of(RankTally.of_class(checked, code)) for code in codes)
    defined = [curve for curve in curves if is_defined(curve)]
    if len(defined) < len(curves):
        pairs = zip(classes.tolist(), curves, strict=True)
        lacking = [label for label, curve in pairs if not is_defined(curve)]
        warn_undefined(
            f"{what} are nan for the classes {lacking}, which have no rows or all rows; the "
            "macro-average leaves them out."
        )
    if is_binary:
        return Curves(classes, curves)
    return Curves(
        classes, curves, curve_of(RankTally.of_cells(checked)), mean_of(defined or [curves[0]])
    )


# --------------------------------------------------------------------------- public functions


@document
def roc_curves(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    grid: Any = None,
    drop_intermediate: bool = True,
) -> Curves[RocCurve]:
    r"""ROC curves of every class against the rest, and their micro- and macro-average.

    The macro-average at a false positive rate is the mean of the classes' true positive rates,
    each interpolated linearly:

    .. math:: TPR(f) = \frac{1}{K} \sum_k TPR_k(f)

    By default it is evaluated at the false positive rates of all curves. Where a curve rises
    vertically, so does the average (two points with the same rate), so that its area is the mean
    of the classes' areas.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in order.
    {either_pos_label}
    {sample_weight}
    grid : array-like of shape (n_points,), default=None
        Increasing false positive rates at which to evaluate the macro-average, for example
        ``np.linspace(0, 1, 101)``. If a curve rises vertically at a point of the grid, its highest
        value is used.
    drop_intermediate : bool, default=True
        Whether to leave out the middle point of two equal steps.

    Returns
    -------
    Curves
        Frozen: ``classes``, ``curves`` of ``RocCurve``, ``micro``, ``macro``, ``areas`` and
        ``frame()``; ``result[label]`` is the curve of a class.

    Raises
    ------
    {raises}

    References
    ----------
    Fawcett (2006), Pattern Recognition Letters 27(8), 861-874.

    Examples
    --------
    >>> from skmetrics_ext import roc_curves
    >>> scores = [[2, 0, 1], [0, 3, 1], [1, 0, 2], [0, 1, 1]]
    >>> result = roc_curves(["a", "b", "c", "c"], scores)
    >>> result["c"].fpr, result["c"].tpr
    (array([0., 0., 1.]), array([0. , 0.5, 1. ]))
    >>> result.areas
    {'a': 1.0, 'b': 1.0, 'c': 0.75, 'micro': 0.9375, 'macro': 0.9166666666666667}
    """
    check_option("drop_intermediate", drop_intermediate, (True, False))
    points = None if grid is None else read_grid(grid)
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Scores.check(y_true, y_score, **options, what="roc_curves")
    return _read_curves(
        checked,
        lambda tally: RocCurve(*roc_arrays(tally, drop_intermediate)),
        lambda curves: _mean_roc(curves, points),
        lambda curve: not np.isnan([curve.fpr[-1], curve.tpr[-1]]).any(),
        "ROC curves",
    )


@document
def precision_recall_curves(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    grid: Any = None,
    drop_intermediate: bool = False,
) -> Curves[PrecisionRecallCurve]:
    r"""Precision-recall curves of every class against the rest, and their averages.

    The macro-average at a recall is the mean of the classes' precisions at the highest
    threshold that reaches it. By default it is evaluated at the recalls of all curves, and the
    area under its steps is the mean of the classes' average precisions.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in order.
    {score_pos_label}
    {sample_weight}
    grid : array-like of shape (n_points,), default=None
        Increasing recalls at which to evaluate the macro-average.
    drop_intermediate : bool, default=False
        Whether to keep only the first and the last point of each recall.

    Returns
    -------
    Curves
        Frozen: ``classes``, ``curves`` of ``PrecisionRecallCurve``, ``micro``, ``macro``,
        ``areas`` and ``frame()``; ``result[label]`` is the curve of a class.

    Raises
    ------
    {raises}

    References
    ----------
    Davis & Goadrich (2006), Proceedings of the 23rd ICML, 233-240.

    Examples
    --------
    >>> from skmetrics_ext import precision_recall_curves
    >>> result = precision_recall_curves([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> result[1].recall
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> result[1].precision.round(3)
    array([1.   , 1.   , 0.5  , 0.667, 0.5  ])
    >>> round(result.areas[1], 6)
    0.833333
    """
    check_option("drop_intermediate", drop_intermediate, (True, False))
    points = None if grid is None else read_grid(grid)
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Scores.check(y_true, y_score, **options, side="one", what="precision_recall_curves")
    return _read_curves(
        checked,
        lambda tally: _precision_recall(tally, drop_intermediate),
        lambda curves: _mean_precision_recall(curves, points),
        lambda curve: not np.isnan(curve.recall[-1]),
        "Precision-recall curves",
    )


def _precision_recall(tally: RankTally, drop_intermediate: bool) -> PrecisionRecallCurve:
    precision, recall = precision_recall_points(tally)
    thresholds = from_infinity(tally)
    if drop_intermediate:
        kept = np.concatenate([[True], recall_ends(tally.steps().tp[1:])])
        precision, recall, thresholds = precision[kept], recall[kept], thresholds[kept]
    return PrecisionRecallCurve(precision, recall, thresholds)


def read_grid(grid: Any, low: float = 0.0, high: float = 1.0) -> Array:
    """Checked points at which a mean curve is evaluated."""
    try:
        points = np.asarray(to_host(grid, "grid"), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        points = np.empty(0)
    if points.ndim != 1 or points.size < 2 or not (np.diff(points) > 0).all():
        points = np.array([np.nan, np.nan])
    if not low <= points[0] <= points[-1] <= high:
        rates = "rates in [0, 1]" if high == 1 else "numbers"
        raise InvalidParameterError(
            f"grid must hold at least two increasing {rates}, got {grid!r:.80}."
        )
    return points


def _mean_roc(curves: list[RocCurve], grid: Array | None) -> RocCurve:
    points = np.unique(np.concatenate([curve.fpr for curve in curves])) if grid is None else grid
    # At a vertical rise np.interp takes the last point, which is the highest.
    high = [np.interp(points, curve.fpr, curve.tpr) for curve in curves]
    if grid is not None:
        return RocCurve(points, np.mean(high, axis=0), np.full(len(points), np.nan))
    low = [_before_rise(curve, points, top) for curve, top in zip(curves, high, strict=True)]
    ends = np.column_stack([np.mean(low, axis=0), np.mean(high, axis=0)])
    fpr, tpr = np.repeat(points, 2), ends.reshape(-1)
    kept = np.concatenate([[True], (np.diff(fpr) != 0) | (np.diff(tpr) != 0)])
    return RocCurve(fpr[kept], tpr[kept], np.full(np.count_nonzero(kept), np.nan))


def _before_rise(curve: RocCurve, fpr: Array, high: Array) -> Array:
    """The lowest true positive rate at each false positive rate; ``high`` holds the highest."""
    first = np.searchsorted(curve.fpr, fpr)
    return np.where(curve.fpr[first] == fpr, curve.tpr[first], high)


def _mean_precision_recall(
    curves: list[PrecisionRecallCurve], grid: Array | None
) -> PrecisionRecallCurve:
    points = np.unique(np.concatenate([c.recall for c in curves])) if grid is None else grid
    steps = [c.precision[np.searchsorted(c.recall, points)] for c in curves]
    return PrecisionRecallCurve(np.mean(steps, axis=0), points, np.full(len(points), np.nan))

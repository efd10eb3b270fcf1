"""One call for the interval of any metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.inference import delta
from skmetrics_ext.inference.auc import AUC_METHODS, auc_interval
from skmetrics_ext.inference.bootstrap import BOOTSTRAP_METHODS, Plan, bootstrap_bounds, resample
from skmetrics_ext.inference.proportions import (
    PROPORTION_METHODS,
    normal_quantile,
    proportion_bounds,
)
from skmetrics_ext.inference.readers import Metric, Rows, checked_of, read_rows_of
from skmetrics_ext.inference.readings import MomentReading, Reading, TableReading
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.progress import Progress
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_integer, check_level

WEIGHT_KINDS = ("importance", "frequency")
MEAN_METHODS = ("edgeworth", "t", "normal")
_NO_BOUNDS = (-np.inf, np.inf)
# Below these the study of coverage found intervals that cover less, or more, than they say.
_FEW_ROWS = 5


@document
def confidence_interval(
    metric: str | Callable[..., Any],
    y_true: Any,
    y_pred: Any,
    *,
    method: str = "auto",
    confidence_level: float = 0.95,
    groups: Any = None,
    sample_weight: Any = None,
    weights_are: str = "importance",
    stratified: bool = False,
    n_resamples: int = 9999,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    **metric_params: Any,
) -> Estimate | list[Estimate]:
    r"""Any metric with an interval.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names` (losses with or without ``neg_``; they are not negated), a
        metric of this package, or any function ``f(y_true, y_pred)`` that gives a number or an
        array. A `functools.partial` fixes parameters whose names are also those of this
        function (``partial(equal_error_rate, method="interpolated")``).
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels.
    y_pred : array-like
        What the metric takes beside them: labels, scores or probabilities.
    method : str, default="auto"
        "auto" takes the first that applies. Any other is refused where it does not apply, and
        the message names those that do.

        - Shares of rows (accuracy, error rate, precision, recall, specificity and so on of one
          class, top-k accuracy): "wilson" and the other methods of `proportion_interval`.
        - Other metrics of labels: "wilson" between two bounds (F-scores, macro averages,
          Matthews correlation, kappa), "log" beside one (likelihood ratios, odds ratio), else
          "delta", which is available for all.
        - Areas under the ROC curve and Gini: "logit", "delong".
        - Means of losses of rows (log loss, Brier score): "edgeworth" (t, its bounds moved by the
          skewness of the losses), "t", "normal".
        - Everything: "bca", "bootstrap" (percentiles) and "basic".
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval, two-sided.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group depend on each other (several of a patient); groups do not. The
        bootstrap draws groups.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; those of weight 0 are left out.
    weights_are : {"importance", "frequency"}, default="importance"
        What a weight of 2 says: that a row counts twice, or that it was seen twice. Only the
        second makes intervals narrower.
    stratified : bool, default=False
        Whether the bootstrap keeps the number of rows of each class, as where they were chosen
        by class.
    n_resamples : int, default=9999
        Number of draws of the bootstrap.
    random_state : int, Generator, RandomState or None, default=None
        Where the draws come from. The same integer gives the same draws for any ``n_jobs``.
    n_jobs : int or None, default=None
        Number of processes for the draws. For metrics of this package one is mostly fastest.
    progress : bool or callable, default=None
        True is a bar of the blocks of draws; a callable is called with the number of finished
        ones and of all.
    **metric_params : dict
        Parameters of the metric: ``average``, ``pos_label``, ``labels``, ``beta`` and so on.

    Returns
    -------
    Estimate or list of Estimate
        ``value, low, high, standard_error, method, confidence_level, note``; a list of one for
        each class where the metric gives an array (``average=None``). The interval holds the
        value, and has a width where the data have no error, too. ``note`` says what makes its
        coverage doubtful.

    Raises
    ------
    {raises}

    Notes
    -----
    The delta method takes the confusion table as multinomial and the metric as linear near it:
    :math:`Var = \sum_c n_c (g_c - \bar g)^2`, with n_c the rows of a cell and g_c the exact
    derivative by it. "delta" is the value -+ z standard errors. "wilson" is Wilson's interval of
    as many rows as a share would need for that variance; for metrics that are no share by the
    quantile of a t distribution with Satterthwaite's degrees of freedom over the classes. With
    weights the sum is of squared weights, with groups of squared sums over groups. How often
    each method covers is shown in ``docs/coverage.md``.

    References
    ----------
    Takahashi et al. (2022), Applied Intelligence 52, 4961-4972; Wilson (1927), JASA 22(158),
    209-212; Korn & Graubard (1998), Survey Methodology 24(2), 193-201; Hall (1992), The
    Bootstrap and Edgeworth Expansion, section 3.8; Efron (1987), JASA 82(397), 171-185.

    Examples
    --------
    >>> from skmetrics_ext import confidence_interval
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2] * 5
    >>> y_pred = [0, 0, 0, 1, 1, 1, 1, 0, 2, 2, 1, 2] * 5
    >>> print(confidence_interval("f1_macro", y_true, y_pred))
    0.7556 [0.6297, 0.8489] (95% confidence, wilson)
    >>> print(confidence_interval("recall", y_true, y_pred, average="macro", method="delta"))
    0.75 [0.6404, 0.8596] (95% confidence, delta)
    """
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    check_option("stratified", stratified, (True, False))
    level = check_level(confidence_level)
    draws = check_integer("n_resamples", n_resamples, 1)
    found = Metric.find(metric, metric_params)
    rows = Rows.check(y_true, y_pred, sample_weight, groups, weights_are)
    if is_area(found) and method in ("auto", *AUC_METHODS):
        chosen = "logit" if method == "auto" else method
        return _area(found, rows, y_true, y_pred, sample_weight, groups, chosen, weights_are, level)
    reading = read_rows_of(found, rows)
    methods = methods_of(found, reading)
    if method == "auto":
        method = methods[0]
    elif method not in methods:
        raise InvalidParameterError(
            f"method={method!r} does not apply to {found.name} here; those that do are "
            f"{list(methods)}."
        )
    plan = Plan(draws, stratified, random_state, n_jobs, progress)
    return listed(interval_of(found, reading, method, level, plan), method, level)


@dataclass(frozen=True, eq=False, slots=True)
class Bounds:
    """An interval as arrays of the shape of the value, and notes on each part of it."""

    value: Array
    low: Array
    high: Array
    error: Array
    notes: Array


def listed(found: Bounds, method: str, level: float) -> Estimate | list[Estimate]:
    """An estimate, or a list of them for a value that is an array."""
    parts = (found.value, found.low, found.high, found.error, found.notes)
    flat = [np.asarray(part).reshape(-1).tolist() for part in parts]
    estimates = [
        Estimate(value, low, high, error, method, level, note)
        for value, low, high, error, note in zip(*flat, strict=True)
    ]
    return estimates if np.ndim(found.value) else estimates[0]


# --------------------------------------------------------------------------- what applies


def is_area(metric: Metric) -> bool:
    """Whether the metric is a whole area under the ROC curve, or linear in it."""
    spec = metric.spec
    return spec is not None and spec.interval == "logit" and metric.params.get("max_fpr") in (
        None,
        1,
    )


def is_share(metric: Metric, reading: Reading) -> bool:
    """Whether the metric is a number of rows among some rows."""
    spec = metric.spec
    if spec is None or spec.interval != "wilson":
        return False
    if isinstance(reading, MomentReading):
        return True
    average = metric.params.get("average", "binary")
    return isinstance(reading, TableReading) and average in ("binary", None)


def methods_of(metric: Metric, reading: Reading) -> tuple[str, ...]:
    """The methods that apply, the preferred one first."""
    spec = metric.spec
    own: tuple[str, ...] = ()
    if spec is None or spec.interval == "bca":
        own = ()
    elif is_share(metric, reading):
        own = PROPORTION_METHODS if isinstance(reading, MomentReading) else (
            *PROPORTION_METHODS,
            "delta",
        )
    elif isinstance(reading, TableReading):
        finite = np.isfinite(spec.bounds)
        own = ("wilson", "delta") if finite.all() else ("log", "delta") if finite.any() else (
            "delta",
        )
    elif isinstance(reading, MomentReading) and reading.rows.shape[1] == 1:
        own = MEAN_METHODS
    elif is_area(metric):
        own = ("logit", "delong")
    return (*own, *BOOTSTRAP_METHODS)


def interval_of(metric: Metric, reading: Reading, method: str, level: float, plan: Plan) -> Bounds:
    """The interval of a reading by a method that applies to it."""
    bounds = _NO_BOUNDS if metric.spec is None else metric.spec.bounds
    if method in BOOTSTRAP_METHODS:
        return _by_bootstrap(reading, method, level, plan, bounds)
    if isinstance(reading, TableReading):
        return _by_table(metric, reading, method, level, bounds)
    assert isinstance(reading, MomentReading)
    return _by_moments(reading, method, level, bounds)


# --------------------------------------------------------------------------- by kind


def _area(
    metric: Metric,
    rows: Rows,
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
    groups: Any,
    method: str,
    weights_are: str,
    level: float,
) -> Estimate | list[Estimate]:
    spec = metric.spec
    assert spec is not None
    checked, options = checked_of(metric, spec, y_true, y_pred, sample_weight)
    options.pop("max_fpr", None)
    options.setdefault("multi_class", "raise" if "multi_class" in metric.parameters else "ovr")
    found = auc_interval(
        checked,
        **options,
        method=method,
        groups=groups,
        weights_are=weights_are,
        confidence_level=level,
    )
    low, high = spec.bounds
    if isinstance(found, list):
        return [_stretched(one, low, high - low) for one in found]
    return _stretched(found, low, high - low)


def _stretched(area: Estimate, low: float, width: float) -> Estimate:
    """The estimate of what is linear in an area (Gini)."""
    if (low, width) == (0, 1):
        return area
    value, down, up = (low + width * x for x in (area.value, area.low, area.high))
    return Estimate(
        value,
        down,
        up,
        width * area.standard_error,
        area.method,
        area.confidence_level,
        area.note,
    )


def _by_table(
    metric: Metric, reading: TableReading, method: str, level: float, bounds: tuple[float, float]
) -> Bounds:
    units, value = reading.units, np.asarray(reading.value, dtype=np.float64)
    parts = delta.contributions(reading)
    table = reading.tables(units.rows)
    # As many equal rows as these weigh.
    spread = delta.Spread(
        reading.on_tables,
        table * (parts.rows / table.sum()),
        value,
        parts.variance,
        parts.freedom,
        exact=units.weight is None and units.group is None,
        grouped=units.group is not None,
    )
    share = is_share(metric, reading)
    low, high = delta.bounds_by(method, spread, bounds, level, share=share)
    notes = np.full(value.shape, "", dtype=object)
    if share and method != "delta":
        rows = delta.worth(spread, bounds, prior=None)
        notes[rows < _FEW_ROWS] = "very few rows: the interval may miss its level"
    else:
        notes[...] = _rare_class(reading)
        if method == "delta":
            notes[parts.variance == 0] = "the interval has no width"
    return Bounds(value, low, high, np.sqrt(parts.variance), notes)


def _rare_class(reading: TableReading) -> str:
    """What to tell of the class with the fewest rows."""
    units, n_classes = reading.units, len(reading.classes)
    rows = np.bincount(reading.cell // n_classes, weights=units.rows, minlength=n_classes)
    seen = rows[rows > 0]
    if seen.min() >= _FEW_ROWS:
        return ""
    rarest = reading.classes[np.where(rows > 0, rows, np.inf).argmin()]
    return f"{seen.min():g} rows of class {rarest} are few: the interval may miss its level"


def _by_moments(
    reading: MomentReading, method: str, level: float, bounds: tuple[float, float]
) -> Bounds:
    """Mean of what is measured on each row."""
    units, value = reading.units, np.asarray(reading.value, dtype=np.float64)
    weight = np.ones(len(units)) if units.weight is None else units.weight
    parts = weight * (reading.rows[:, 0] - value) / (weight * units.rows).sum()
    n_rows = float(units.rows.sum())
    if units.group is None:
        variance, cubes = (units.rows * parts**2).sum(), (units.rows * parts**3).sum()
    else:
        sums = delta.group_sums(parts * units.rows, units.group)
        n_rows, variance, cubes = float(len(sums)), (sums**2).sum(), (sums**3).sum()
    skewness = np.nan_to_num(divide(cubes, variance**1.5))
    note = ""
    if method in MEAN_METHODS:
        variance = variance * divide(n_rows, n_rows - 1)
        z = delta.quantile(level, None if method == "normal" else np.asarray(n_rows - 1))
        low, high = delta.wald_bounds(value, variance, _NO_BOUNDS, z)
        if method == "edgeworth":
            shift = np.sqrt(variance) * skewness * (1 + 2 * z * z) / 6
            low, high = np.minimum(low + shift, value), np.maximum(high + shift, value)
        low, high = np.clip(low, *bounds), np.clip(high, *bounds)
        if variance == 0:
            note = "every row has the same loss: the interval has no width"
    else:
        mass = weight * units.rows
        rows = divide(value * (1 - value), variance)
        if not (np.isfinite(rows) and rows > 0):
            rows = np.asarray(min(mass.sum() ** 2 / (mass * weight).sum(), n_rows))
        if units.group is not None:
            freedom = np.asarray(n_rows - 1)
            rows = rows * (normal_quantile(level) / delta.quantile(level, freedom)) ** 2
        low, high = proportion_bounds(value * rows, rows, method, level)
    return Bounds(value, low, high, np.sqrt(variance), np.asarray(note, dtype=object))


def _by_bootstrap(
    reading: Reading, method: str, level: float, plan: Plan, bounds: tuple[float, float]
) -> Bounds:
    value = np.asarray(reading.value, dtype=np.float64)
    values = resample(reading, plan)
    low, high = bootstrap_bounds(reading, values, method, level, bounds)
    defined = (~np.isnan(values)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        error = np.sqrt(
            divide(np.nansum((values - np.nanmean(values, axis=0)) ** 2, axis=0), defined - 1.0)
        )
    notes = np.full(value.shape, "", dtype=object)
    undefined = plan.n_resamples - defined
    for place in np.ndindex(value.shape):
        if undefined[place]:
            notes[place] = f"undefined in {undefined[place]} of {plan.n_resamples} draws"
    still = (low == high) & np.isfinite(value)
    if still.any():
        low, high = _without_spread(reading, value, low, high, level, bounds)
        notes[still] = "all draws have this value: bounds of a share of the rarest class"
    return Bounds(value, low, high, error, notes)


def _without_spread(
    reading: Reading,
    value: Array,
    low: Array,
    high: Array,
    level: float,
    bounds: tuple[float, float],
) -> tuple[Array, Array]:
    """Bounds where all draws are alike: Wilson's, as if the value were a share of few rows."""
    units = reading.units
    rows = float(units.rows.sum())
    if units.stratum is not None:
        rows = float(np.bincount(units.stratum, weights=units.rows).min())
    if units.group is not None:
        rows = min(rows, float(units.group.max() + 1))
    start, width = bounds[0], bounds[1] - bounds[0]
    if not np.isfinite(width):
        return low, high
    share = np.clip((value - start) / width, 0.0, 1.0)
    down, up = proportion_bounds(share * rows, np.full(share.shape, rows), "wilson", level)
    still = low == high
    return np.where(still, start + width * down, low), np.where(still, start + width * up, high)

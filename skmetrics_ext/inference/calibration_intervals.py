"""Reliability curve, and calibration slope and intercept, with groups of dependent rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.confidence_interval import interval_of_checked
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.linearized import Contributions, Linearized, covariance_by_pairs
from skmetrics_ext.inference.notes import few
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.metrics.calibration import binning, recalibration
from skmetrics_ext.metrics.calibration.binning import CalibrationCurve
from skmetrics_ext.metrics.calibration.decomposition import isotonic_rates
from skmetrics_ext.metrics.calibration.events import binary_forecast, forecasts
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.accuracy import accuracy_score
from skmetrics_ext.numeric import Array, PosLabel, divide
from skmetrics_ext.registry import find
from skmetrics_ext.result_bases import Facts, Result
from skmetrics_ext.tables import Table
from skmetrics_ext.validation import Labels, Probabilities, check_option, warn_undefined
from skmetrics_ext.validation.groups import read_design, read_groups
from skmetrics_ext.validation.labels import with_weight
from skmetrics_ext.validation.parameters import check_level

_DRAWS, _MOST_CELLS = 1000, 1000  # draws and distinct probabilities of a consistency band
_EVENTS = 10  # rows of the rarer class that slope and intercept need at least (Peduzzi et al. 1996)
_DECIDING = 4  # effective number of contributions, with that of one row of the other outcome


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class CalibrationLine(Result):
    """Logistic recalibration: ``logit(P(y)) = intercept + slope * logit(p)``.

    Parameters
    ----------
    slope : Estimate
        1 for calibrated probabilities; below 1 they are too extreme, above 1 not extreme enough.
    intercept : Estimate
        0 for calibrated probabilities.
    in_the_large : Estimate
        The intercept with the slope fixed at 1; above 0 the probabilities are too low.
    covariance : ndarray of shape (2, 2)
        Of the estimated (intercept, slope): the sandwich, from the contributions of rows, or of
        groups. With ``method="model"`` from the Fisher information; weights then count as
        repeated rows.
    n_groups : int or None, default=None
        Number of groups, if there are any.
    """

    slope: Estimate
    intercept: Estimate
    in_the_large: Estimate
    covariance: Array
    n_groups: int | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.slope.value, self.intercept.value))

    def _as_rows(self) -> Table:
        keys = ("value", "low", "high", "standard_error", "method", "note")
        estimates = {name: getattr(self, name) for name in ("slope", "intercept", "in_the_large")}
        rows = (
            {"quantity": name} | {key: getattr(estimate, key) for key in keys}
            for name, estimate in estimates.items()
        )
        level = f"{100 * self.slope.confidence_level:g} % intervals"
        return Table(rows, lead=[f"calibration line, {level}"])


@document
def calibration_curve_binned(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int | ArrayLike = 10,
    strategy: Literal["uniform", "quantile", "equal_mass"] = "uniform",
    target: Literal["binary", "top_label"] = "binary",
    confidence_level: float = 0.95,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> CalibrationCurve:
    r"""Reliability curve over bins, with intervals.

    .. math:: \bar p_b \mapsto \bar y_b

    the mean probability of each bin and the share of its weight whose event happened. The
    interval of the share is Wilson's; weighted rows count as the number of equal ones that
    are worth as much, :math:`(\sum w)^2 / \sum w^2`.

    Parameters
    ----------
    {y_true_y_proba}
    {n_bins}
    {bin_strategy}
    target : {"binary", "top_label"}, default="binary"
        The event: the positive class of two, or that the most probable class of several is
        the true one (the first of equals).
    confidence_level : float in (0, 1), default=0.95
        Level of the intervals.
    {proba_labels}
    {proba_pos_label_one}
    {sample_weight}
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. The interval
        of each bin is then that of `confidence_interval` for a share of its rows.

    Returns
    -------
    CalibrationCurve
        ``edges, mean_predicted, observed_rate, low, high, weight, count``; all bins, the empty
        ones with nan. Unpacked, it is ``mean_predicted, observed_rate``.

    Raises
    ------
    {raises}

    See Also
    --------
    expected_calibration_error : Mean distance of the curve from the diagonal.

    References
    ----------
    Murphy & Winkler (1977), Applied Statistics 26(1), 41-47; Wilson (1927), Journal of the
    American Statistical Association 22, 209-212; Kish (1965), Survey Sampling, Wiley.

    Examples
    --------
    >>> from skmetrics_ext import calibration_curve_binned
    >>> curve = calibration_curve_binned([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2)
    >>> curve.mean_predicted.round(3).tolist(), curve.observed_rate.round(3).tolist()
    ([0.267, 0.9], [0.333, 1.0])
    >>> curve.low.round(3).tolist(), curve.high.round(3).tolist()
    ([0.061, 0.207], [0.792, 1.0])
    """
    bins = binning.check_bins(n_bins, strategy)
    level = check_level(confidence_level)
    (every_row,) = forecasts(
        y_true,
        y_proba,
        target,
        labels,
        pos_label,
        sample_weight,
        calibration_curve_binned,
        "one",
        accepted=("binary", "top_label"),
        every=True,
    )
    curve = binning.curve_of(with_weight(every_row), strategy, bins, level)
    if groups is None:
        return curve
    columns = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight}
    return _curve_by_groups(curve, every_row, read_groups(groups, len(every_row.true), **columns))


@document
def calibration_slope_intercept(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    method: Literal["sandwich", "model"] = "sandwich",
    confidence_level: float = 0.95,
) -> CalibrationLine:
    r"""Calibration slope and intercept with intervals: logistic recalibration of probabilities.

    .. math:: \operatorname{logit} P(y = 1) = a + b \operatorname{logit} p

    fitted by maximum likelihood (Newton's method); and calibration in the large, the a of the
    fit with b = 1.

    Parameters
    ----------
    {y_true_y_proba_binary}
        Above 0 and below 1: the log odds of 0 and 1 are infinite, and the line depends on the
        number that replaces them, which the caller has to choose.
    {proba_labels}
    {proba_pos_label_one}
    {sample_weight}
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. The line is
        the same; its covariance is that of sums over groups.
    method : {"sandwich", "model"}, default="sandwich"
        Where standard errors come from. "sandwich" holds also if the log odds are no straight line
        in those of the probabilities, and takes a weight as the importance of one row. "model" is
        that of R's ``glm``, for agreement with other software: it relies on the line, takes a
        weight as a number of rows, and is not available with groups. It can be far too narrow: for
        calibration in the large of overconfident probabilities it covered 70 to 85 %.
    confidence_level : float in (0, 1), default=0.95
        Level of the intervals, each Wald's: the value and a quantile times its standard error.

    Returns
    -------
    CalibrationLine
        ``slope``, ``intercept`` and ``in_the_large``, each an ``Estimate`` with ``value``, ``low``
        and ``high``; ``covariance`` and ``n_groups``. Unpacked, it is two numbers, slope and
        intercept. Both are nan, with a warning, if the likelihood has no maximum: only one class
        occurs, a threshold on the probabilities separates the classes, or the probabilities are all
        equal (``in_the_large`` is still defined).

    Raises
    ------
    {raises}

    References
    ----------
    Cox (1958), Biometrika 45, 562-565; Van Calster et al. (2019), BMC Medicine 17, 230; White
    (1982), Econometrica 50(1), 1-25, for the sandwich; Liang & Zeger (1986), Biometrika 73(1),
    13-22, for groups.

    Examples
    --------
    >>> from skmetrics_ext import calibration_slope_intercept
    >>> y_true, y_proba = [0, 1, 0, 1, 1, 0], [0.1, 0.2, 0.6, 0.7, 0.9, 0.4]
    >>> line = calibration_slope_intercept(y_true, y_proba)
    >>> [f"{estimate:.2f}" for estimate in (line.slope, line.intercept, line.in_the_large)]
    ['0.71 [-1.35, 2.77]', '0.07 [-2.68, 2.81]', '0.10 [-3.26, 3.45]']
    >>> line = calibration_slope_intercept(y_true, y_proba, method="model")
    >>> f"{line.slope:.2f}"
    '0.71 [-0.67, 2.10]'
    """
    level = check_level(confidence_level)
    # The model takes rows as independent.
    check_option("method", method, ("sandwich", "model") if groups is None else ("sandwich",))
    arguments = labels, pos_label, sample_weight, calibration_slope_intercept, "one"
    every_row = binary_forecast(y_true, y_proba, *arguments, every=True)
    columns = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight}
    design = read_design(groups, None, len(every_row.true), **columns)
    if every_row.weight is not None:
        design = design.kept(np.flatnonzero(every_row.weight))
    forecast = with_weight(every_row)
    x, event, weight = recalibration.log_odds(forecast), forecast.true, forecast.weights
    atoms = Atoms.each_row(len(x), RowDesign.of(None, design), None)
    problem = recalibration.no_maximum(x, event)
    line, covariance = np.full(2, np.nan), np.full((2, 2), np.nan)
    if not problem:
        try:
            line, covariance = recalibration.fit_line(x, event, weight)
        except np.linalg.LinAlgError:
            problem = "a threshold on the probabilities all but separates the classes"
    if problem:
        warn_undefined(f"The calibration slope and intercept are undefined and nan: {problem}.")
    ones = np.ones_like(x)
    has_both = bool(event.any() and not event.all())
    large = recalibration.fit_intercept(x, event, weight) if has_both else float("nan")
    chance = recalibration.expected_share(np.array([large, 1.0]), x)
    variance = 1 / (weight * chance * (1 - chance)).sum()
    # What a row adds to each number for each unit that its outcome exceeds its expectation.
    levers = np.stack([*(covariance @ np.stack([ones, x])), variance * ones]) * weight
    expected = recalibration.expected_share(line, x)
    excess = event - np.stack([expected, expected, chance])
    statistics = [
        Linearized(value, None, known=Contributions(part, atoms, (None, event)))
        for value, part in zip((*line, large), levers * excess, strict=True)
    ]
    errors = np.sqrt([*np.diag(covariance), variance])
    if method == "sandwich":
        covariance = covariance_by_pairs(statistics[:2])
        errors = np.array([float(statistic.error) for statistic in statistics])
    rarer = min(float(weight[event == code].sum()) for code in (0, 1))
    names = "calibration intercept", "calibration slope", "calibration in the large"
    positive = every_row.classes[-1]
    intercept, slope, in_the_large = (
        _wald(
            statistic,
            error,
            level,
            few(rarer, "rows in the smallest class")
            if rarer < _EVENTS
            else _one_decides(statistic, lever),
            Facts(name, n=len(x), positive_class=positive),
            method == "sandwich",
        )
        for name, statistic, error, lever in zip(names, statistics, errors, levers, strict=True)
    )
    return CalibrationLine(slope, intercept, in_the_large, covariance, slope.n_groups)


def _one_decides(statistic: Linearized, levers: Array) -> str:
    """A note that few rows carry the variance, or would if one row had the other outcome.

    Rows that are nearly sure, and have all been right so far, add nothing to the variance, but one
    of them that is wrong would decide the value. So the squares and fourth powers count that a row
    drawn at random would add with the other outcome.
    """
    squares = float(statistic.squares)
    fourths = float(divide(squares**2, statistic.effective)) + float((levers**4).mean())
    number = float(divide((squares + float((levers**2).mean())) ** 2, fourths))
    return few(number, "effective rows or groups decide it") if number < _DECIDING else ""


def _wald(
    statistic: Linearized, error: float, level: float, note: str, facts: Facts, robust: bool
) -> Estimate:
    """The interval of a coefficient; a t interval if its error is from contributions."""
    atoms, value, freedom, effect = statistic.atoms, float(statistic.value), None, float("nan")
    if robust and np.isfinite(value):
        freedom = float(statistic.freedom)
        if atoms.group is None:
            freedom = max(min(freedom, 2 * float(statistic.effective) - 1), 1.0)
        else:
            effect = float(statistic.design_effect())
        facts = replace(facts, freedom=freedom)
    distance = float(quantile(level, freedom)) * error
    bounds = value - distance, value + distance
    note = "" if np.isnan(value) else note
    design = {"design_effect": effect, "facts": facts}
    return estimate(value, bounds, error, "wald", level, note, atoms, **design)


def consistency_band(
    proba: Array, true: Array, weight: Array | None, groups: Any, confidence_level: float
) -> tuple[Array, Array, Array]:
    """Probabilities, and pointwise bounds there of the isotonic line of a calibrated model.

    Events are drawn from the probabilities and the line is fitted again (Dimitriadis, Gneiting &
    Jordan 2021). Those of a group share a normal effect (Gaussian copula), whose variance follows
    from the correlation of their errors. Probabilities next to each other are pooled.
    """
    from scipy.special import ndtri

    level, rng = check_level(confidence_level), np.random.default_rng(0)
    weight = np.ones(len(proba)) if weight is None else weight
    _, cell = np.unique(proba, return_inverse=True)
    if cell.max() >= _MOST_CELLS:
        ranks = np.argsort(np.argsort(proba, kind="stable"), kind="stable")
        cell = ranks * _MOST_CELLS // len(proba)
    n_rows, threshold = len(proba), ndtri(proba)
    group = np.arange(n_rows) if groups is None else read_groups(groups, n_rows)
    shared = 0.0 if groups is None else _shared_variance(proba, true, group)
    fits, total = [], np.bincount(cell, weights=weight)
    for _ in range(_DRAWS):
        effect = rng.normal(size=group.max() + 1)[group] if shared else 0.0
        noise = np.sqrt(1 - shared) * rng.normal(size=n_rows) + np.sqrt(shared) * effect
        happened = np.bincount(cell, weights=weight * (noise < threshold))
        fits.append(isotonic_rates(total, happened))
    at = np.bincount(cell, weights=weight * proba) / total
    low, high = np.quantile(fits, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return at, low, high


def _shared_variance(proba: Array, true: Array, group: Array) -> float:
    """Latent variance that is shared within groups, as a proportion, under calibration."""
    error = np.nan_to_num(divide(true - proba, np.sqrt(proba * (1 - proba))))
    sizes, sums = np.bincount(group), np.bincount(group, weights=error)
    n_pairs = float((sizes * (sizes - 1)).sum())
    correlation = (float((sums**2).sum()) - float((error**2).sum())) / max(n_pairs, 1.0)
    # Exact for events with probability 1/2, and close for others (Pearson 1900).
    return float(np.sin(np.pi / 2 * np.clip(correlation, 0.0, 1.0)))


def _curve_by_groups(
    curve: CalibrationCurve, forecast: Probabilities, group: Array
) -> CalibrationCurve:
    """The curve with intervals for rows that may depend on each other within groups."""
    bins, accuracy = binning.Binning(curve.edges).assign(forecast.proba), find(accuracy_score)
    bounds = np.full((2, len(curve.count)), np.nan)
    for k in np.flatnonzero(curve.count):
        rows = np.flatnonzero(bins == k)
        weight = None if forecast.weight is None else forecast.weight[rows]
        # The observed rate is the accuracy of a forecast that the event always happens.
        always = np.ones(len(rows), dtype=np.int64)
        labels = Labels("binary", np.arange(2), forecast.true[rows], always, weight)
        level = curve.confidence_level
        rate = interval_of_checked(accuracy, labels, groups=group[rows], confidence_level=level)
        assert isinstance(rate, Estimate)
        bounds[:, k] = rate.low, rate.high
    return replace(curve, low=bounds[0], high=bounds[1])

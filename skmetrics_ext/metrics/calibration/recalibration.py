"""Weak calibration: the recalibrating line, and the ratio of observed to expected events."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.calibration.events import binary_forecast
from skmetrics_ext.metrics.public import metric, value_or_nan
from skmetrics_ext.metrics.spec import INFINITY
from skmetrics_ext.numeric import Array, PosLabel, divide
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation import InvalidParameterError, Probabilities

_MOST_STEPS = 100
_SMALL_STEP = 1e-12
_LOSS_ROUNDING = 1e-12
# Log odds of probabilities lie within 745, logarithms of ratios of weights within 1,420.
_REACH = 2500.0


# --------------------------------------------------------------------------- kernels


def observed_to_expected(means: Means) -> Array:
    """Ratio of the means of (whether the event happened, its probability); x/0 is infinite."""
    observed, expected = means.mean[..., 0], means.mean[..., 1]
    infinite = (observed.real > 0) & (expected == 0)
    return np.where(infinite, np.inf, divide(observed, expected))


def fit_line(x: Array, event: Array, weight: Array) -> tuple[Array, Array]:
    """Maximum-likelihood (intercept, slope) of a logistic regression, and their covariance.

    Newton's method from the constant forecast, in standardised x. Steps that gain less than a
    quarter of what the gradient promises are halved, to stay where the likelihood has curvature.
    The caller has checked that the maximum exists; LinAlgError if float64 cannot reach it.
    """
    total = weight.sum()
    centre = float((x * weight).sum() / total)
    spread = float(np.sqrt((weight * (x - centre) ** 2).sum() / total))
    design = np.stack([np.ones_like(x), (x - centre) / spread])
    line = fit_logistic(design, event, weight)
    back = np.array([[1.0, -centre / spread], [0.0, 1 / spread]])
    covariance = back @ np.linalg.inv(_newton(line, design, event, weight)[0]) @ back.T
    return back @ line, covariance


def fit_logistic(design: Array, event: Array, weight: Array) -> Array:
    """Coefficients of the rows of a design, of which the first is constant, as in `fit_line`."""
    share = float((weight * event).sum() / weight.sum())
    line, promise = np.zeros(len(design)), np.inf
    line[0] = np.log(share) - np.log1p(-share)
    loss = _loss(line, design, event, weight)
    for _ in range(_MOST_STEPS):
        information, score = _newton(line, design, event, weight)
        step = np.linalg.solve(information, score)
        promise, size = float(score @ step), 1.0
        while size > _SMALL_STEP:
            trial = line + size * step
            trial_loss = _loss(trial, design, event, weight)
            # Near the maximum the likelihood is flat to its last digits, and the step is not.
            if trial_loss <= loss * (1 + _LOSS_ROUNDING) - size * promise / 4:
                break
            size /= 2
        line, loss = trial, trial_loss
        if np.abs(size * step).max() <= _SMALL_STEP * (1 + np.abs(line).max()):
            break
    if promise > _LOSS_ROUNDING**0.5 * loss:
        raise np.linalg.LinAlgError("the likelihood still rises where its curvature is lost")
    return line


def fit_intercept(x: Array, event: Array, weight: Array) -> float:
    """Maximum-likelihood intercept given an offset, where both classes occur.

    The excess of expected over observed events rises with the intercept, and is 0 there.
    """
    from scipy.optimize import brentq

    def excess(value: float) -> float:
        return float(weight @ (_sigmoid(x + value) - event))

    return float(brentq(excess, -_REACH, _REACH, xtol=1e-15))


def _newton(line: Array, design: Array, event: Array, weight: Array) -> tuple[Array, Array]:
    """Information and score."""
    mean = _sigmoid(line @ design)
    information = np.einsum("in,jn,n->ij", design, design, weight * mean * (1 - mean))
    return information, np.einsum("in,n->i", design, weight * (event - mean))


def expected_share(line: Array, x: Array) -> Array:
    """Probability of the event under a line (intercept, slope)."""
    return _sigmoid(line[0] + line[1] * x)


def fitted_share(line: Array, design: Array) -> Array:
    """Probability of the event under coefficients of the rows of a design."""
    return _sigmoid(line @ design)


def _loss(line: Array, design: Array, event: Array, weight: Array) -> float:
    linear = line @ design
    # log(1 + exp(linear)); np.logaddexp is several times slower.
    rows = np.maximum(linear, 0.0) + np.log1p(np.exp(-np.abs(linear))) - event * linear
    return float(np.einsum("n,n->", weight, rows))


def _sigmoid(x: Array) -> Array:
    from scipy.special import expit

    return np.asarray(expit(x))


def log_odds(forecast: Probabilities) -> Array:
    """Log odds of the probabilities, none of which may be 0 or 1."""
    proba = forecast.proba
    sure = np.flatnonzero((proba == 0) | (proba == 1))
    if len(sure):
        raise InvalidParameterError(
            f"y_proba holds {len(sure)} probabilities of 0 or 1, the first of them {proba[sure[0]]}"
            ", whose log odds are infinite: the line would depend on the numbers that replace "
            "them. Choose these, as in np.clip(y_proba, 0.001, 0.999)."
        )
    return np.log(proba) - np.log1p(-proba)


def no_maximum(x: Array, event: Array) -> str:
    """Why the likelihood of a logistic regression has no maximum; empty if it has one."""
    happened = event == 1
    if happened.all() or not happened.any():
        return "only one class occurs"
    yes, no = x[happened], x[~happened]
    if x.min() == x.max():
        return "all probabilities are equal"
    if no.max() <= yes.min() or yes.max() <= no.min():
        return "a threshold on the probabilities separates the classes"
    return ""


# --------------------------------------------------------------------------- values of rows


def events_and_chances(checked: Probabilities) -> Array:
    """Whether the event happened, and its probability."""
    forecast = checked.as_binary()
    return np.stack([forecast.true, forecast.proba]).T  # columns in one piece, which sum fast


# --------------------------------------------------------------------------- public functions


@metric(
    observed_to_expected,
    undefined="every probability is 0 and no event happened",
    bounds=(0.0, INFINITY),
    greater_is_better=None,
    sides="one",
    check=partial(Probabilities.check_strict, side="one", what="observed_expected_ratio"),
    row_values=events_and_chances,
    interval="log",
)
def observed_expected_ratio(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Observed over expected number of events (O/E ratio).

    .. math:: \sum_i y_i \Big/ \sum_i p_i

    Parameters
    ----------
    {y_true_y_proba_binary}
    {proba_labels}
    {proba_pos_label_one}
    {sample_weight}

    Returns
    -------
    float
        0 or more; 1 is calibrated in the large, above 1 the probabilities are too low. nan,
        with a warning, where no event was expected and none happened.

    Raises
    ------
    {raises}

    References
    ----------
    Debray et al. (2017), BMJ 356, i6460.

    Examples
    --------
    >>> from skmetrics_ext import observed_expected_ratio
    >>> observed_expected_ratio([0, 1, 0, 1], [0.25, 0.5, 0.25, 0.5])
    1.3333333333333333
    """
    forecast = binary_forecast(
        y_true, y_proba, labels, pos_label, sample_weight, observed_expected_ratio, "one"
    )
    value = observed_to_expected(Means.of(events_and_chances(forecast), forecast.weight))
    spec = observed_expected_ratio.spec  # type: ignore[attr-defined]
    return value_or_nan(value, spec.name, spec.undefined)

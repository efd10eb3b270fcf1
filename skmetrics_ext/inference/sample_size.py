"""Sample sizes: rows for an interval or a test from a pilot, and for areas without one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.compare import ModelsToCompare
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.draws.readers import (
    check_models,
    check_rows,
    find_metric,
    sample_of_checked,
)
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.inference.notes import FEW_THAT_DECIDE
from skmetrics_ext.inference.proportions import increasing_root, normal_quantile
from skmetrics_ext.inference.scales import SCALES, Range
from skmetrics_ext.inference.t_tests import variance_of_difference
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import Result
from skmetrics_ext.rows import Rows
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.parameters import check_level, check_number

_MOST = 60.0  # log2 of more rows than anyone has
_FEW = 20.0  # degrees of freedom, below which a variance may well be wrong by a third
# Scales close to methods that have none, with as many rows as are worth planning for.
_SCALE_OF = dict.fromkeys(("wilson", "effective_n", "mover"), "logit")


@dataclass(frozen=True, repr=False, slots=True)
class RowsNeeded(Result):
    """Number of rows to collect, from a pilot.

    Parameters
    ----------
    n : int
        Rows, with the classes in the proportions of the pilot.
    n_groups : int or None
        Groups that hold them, of the same size as in the pilot.
    value : float
        The metric in the pilot, or the difference between both models.
    standard_error : float
        Standard error expected with that many rows.
    note : str, default=""
        Why the number is doubtful.

    Examples
    --------
    >>> from skmetrics_ext.results import RowsNeeded
    >>> print(RowsNeeded(385, None, 0.5, 0.0255))
    385 rows (0.5 in the pilot, standard error 0.0255)
    """

    n: int
    n_groups: int | None
    value: float
    standard_error: float
    note: str = ""

    def __int__(self) -> int:
        """The number of rows."""
        return self.n

    def __str__(self) -> str:
        groups = "" if self.n_groups is None else f" in {self.n_groups} groups"
        note = f"; {self.note}" if self.note else ""
        return (
            f"{self.n} rows{groups} ({self.value:.4g} in the pilot, standard error "
            f"{self.standard_error:.3g}{note})"
        )


class SampleSize(NamedTuple):
    """Rows of each of two classes that a test needs, not rounded.

    Parameters
    ----------
    n_pos, n_neg : float
        Positive and negative rows; round both up.

    Examples
    --------
    >>> from skmetrics_ext import roc_auc_sample_size
    >>> size = roc_auc_sample_size(0.8, power=0.9)
    >>> round(size.n_pos, 2), round(size.n_neg, 2)
    (16.62, 16.62)
    >>> size.n
    34
    """

    n_pos: float
    n_neg: float

    def __str__(self) -> str:
        return f"{self.n} rows ({ceil(self.n_pos)} positive, {ceil(self.n_neg)} negative)"

    def _repr_html_(self) -> str:
        return Rows([{"n": self.n, **self._asdict()}])._repr_html_()

    @property
    def n(self) -> int:
        """Rows of both classes, each rounded up."""
        return ceil(self.n_pos) + ceil(self.n_neg)


# --------------------------------------------------------------------------- kernels


def obuchowski_variance(auc: float, n_pos: float, n_neg: float) -> float:
    """Variance of an AUC whose scores are normal in both classes, five marks to the scale."""
    from scipy.special import ndtri

    square = 2 * float(ndtri(auc)) ** 2
    shape = 0.0099 * float(np.exp(-square / 2))
    return shape * ((5 * square + 8) / n_pos + (square + 8) / n_neg)


def hanley_mcneil_variance(auc: float, n_pos: float, n_neg: float) -> float:
    """Variance of an AUC whose scores are negative exponential in both classes."""
    two_pos, two_neg = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    pairs = n_pos * n_neg
    spread = (n_pos - 1) * (two_pos - auc**2) + (n_neg - 1) * (two_neg - auc**2)
    return (auc * (1 - auc) + spread) / pairs


_VARIANCES: dict[str, Callable[[float, float, float], float]] = {
    "obuchowski": obuchowski_variance,
    "hanley_mcneil": hanley_mcneil_variance,
}


def power_of(
    auc: float, null_auc: float, n_pos: float, n_neg: float, z: float, method: str
) -> float:
    """Chance that the AUC lies more than z null errors from the null value, on its own side."""
    from scipy.special import ndtr

    variance = _VARIANCES[method]
    null_error, error = np.sqrt([variance(area, n_pos, n_neg) for area in (null_auc, auc)])
    return float(ndtr((abs(auc - null_auc) - z * null_error) / error))


# --------------------------------------------------------------------------- public functions


@document
def sample_size(
    metric: str | Callable[..., Any],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    y_pred_b: ArrayLike | None = None,
    width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    **metric_params: Any,
) -> RowsNeeded:
    r"""Number of rows for an interval of some width, or a test of some power, from a pilot.

    .. math:: n = m \, s^2 \left(\frac{2 z_{1 - \alpha / 2}}{w}\right)^2, \qquad
        n = m \, s^2 \left(\frac{z_{1 - \alpha / 2} + z_{power}}{\delta}\right)^2

    with the standard error s of the m rows of the pilot.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names` (losses are not negated), or a metric of this package that
        has `influence_values`.
    y_true, y_pred : array-like
        Rows of a pilot: true labels, and the response of the model that the metric takes.
    y_pred_b : array-like, default=None
        Response of a second model on the same rows: ``width`` and ``difference`` then describe
        the difference between both models, as in `compare`.
    width : float, default=None
        Width of the interval. Where the interval of the metric is Wilson's or on a logit or log
        scale, that interval has the width; elsewhere the formula above.
    difference : float, default=None
        Difference that a two-sided test is to detect: of the metric from a known number, such as
        a goal, or with ``y_pred_b`` between the two models. Two independent samples
        (`compare_samples`) need twice as many rows each as against a known number.
    power : float in (0, 1), default=0.8
        Chance that the test detects the ``difference``.
    confidence_level : float in (0, 1), default=0.95
        Level of the interval; 1 less the level of the test.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row (site, age band), if a fixed number of rows, or groups, was sampled
        from each, as in `confidence_interval`, and will be, in the same shares.
    {sample_weight}
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    RowsNeeded
        ``n, n_groups, value, standard_error, note``. The number is as uncertain as the variance in
        the pilot: with 20 rows of the rarer class it is known to about a third.

    Raises
    ------
    {raises}
        Also if the pilot has no variance: a value of 1, models that agree on all rows.

    References
    ----------
    Hampel (1974), Journal of the American Statistical Association 69(346), 383-393; for areas,
    `roc_auc_sample_size` needs no pilot.

    Examples
    --------
    >>> from skmetrics_ext import sample_size
    >>> y_true, y_pred = [0, 0, 1, 1] * 15, [0, 1, 1, 1] * 5 + [0, 0, 0, 1] * 10
    >>> print(sample_size("accuracy", y_true, y_pred, difference=0.05))
    589 rows (0.75 in the pilot, standard error 0.0178)
    >>> sample_size("f1", y_true, y_pred, width=0.1).n
    422
    """
    if (width is None) == (difference is None):
        raise InvalidParameterError(
            f"one of width and difference has to be given, got {width!r} and {difference!r}."
        )
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    metric_used, level = find_metric(metric, metric_params), check_level(confidence_level)
    z, z_power = normal_quantile(level), normal_quantile(2 * check_level(power, "power") - 1)
    arrays = y_true, y_pred, y_pred_b, sample_weight
    pilot = _read_pilot(metric_used, arrays, (groups, strata), weights_are)
    value, variance = float(pilot.statistic.value), float(pilot.variance)
    if not (isfinite(value) and isfinite(variance) and variance > 0):
        raise InvalidParameterError(
            f"the pilot has no variance to plan with (its value is {value:g}): it needs more "
            "rows, or rows of every class."
        )
    error, atoms = variance**0.5, pilot.statistic.atoms
    n_rows = atoms.n_rows
    if difference is not None:
        size = _check_distance("difference", difference, pilot.bounds)
        rows = n_rows * (error * max(z + z_power, 0.0) / size) ** 2
    else:
        assert width is not None
        width = _check_distance("width", width, pilot.bounds)
        rows = n_rows * _times_for_width(pilot, error, width, z)
    n = max(ceil(rows * (1 - 1e-9)), 1)  # rounding adds no row
    n_groups = None if atoms.group is None else ceil(n * atoms.n_groups / n_rows)
    few = pilot.freedom < _FEW or pilot.statistic.effective < FEW_THAT_DECIDE
    note = "few rows decide the variance in the pilot: plan with more" if few else ""
    return RowsNeeded(n, n_groups, value, error * (n_rows / n) ** 0.5, note)


@document
def roc_auc_power(
    auc: float,
    n_pos: float,
    n_neg: float,
    *,
    null_auc: float = 0.5,
    alpha: float = 0.05,
    two_sided: bool = True,
    method: Literal["obuchowski", "hanley_mcneil"] = "obuchowski",
) -> float:
    r"""Power of the test that an area under the ROC curve has a given value.

    .. math:: \Phi\left(\frac{|A - A_0| - z_\alpha \sqrt{V(A_0)}}{\sqrt{V(A)}}\right)

    Parameters
    ----------
    auc : float in (0, 1)
        The true area A.
    n_pos, n_neg : float
        Numbers of positive and negative rows, at least 1.
    null_auc : float in (0, 1), default=0.5
        The area :math:`A_0` that the test may reject.
    alpha : float in (0, 1), default=0.05
        Level of the test.
    two_sided : bool, default=True
        Whether each side has half of ``alpha``.
    method : {"obuchowski", "hanley_mcneil"}, default="obuchowski"
        Variance of the area before any data. "obuchowski":
        :math:`0.0099 e^{-a^2/2} [(5 a^2 + 8) / n_+ + (a^2 + 8) / n_-]` with
        :math:`a = \sqrt 2 \, \Phi^{-1}(A)`, for normal scores; "hanley_mcneil":
        :math:`[A (1 - A) + (n_+ - 1) (Q_1 - A^2) + (n_- - 1) (Q_2 - A^2)] / (n_+ n_-)` with
        :math:`Q_1 = A / (2 - A), Q_2 = 2 A^2 / (1 + A)`, for exponential ones.

    Returns
    -------
    float
        In [0, 1]. The chance of rejecting on the wrong side is left out.

    Raises
    ------
    {raises}

    References
    ----------
    Obuchowski, Lieber & Wians (2004), Clinical Chemistry 50(7), 1118-1125; Hanley & McNeil
    (1982), Radiology 143(1), 29-36.

    Examples
    --------
    >>> from skmetrics_ext import roc_auc_power
    >>> round(roc_auc_power(0.7, 30, 60), 4)
    0.8942
    """
    check_option("method", method, tuple(_VARIANCES))
    auc, null_auc, z = _check_areas(auc, null_auc, alpha, two_sided)
    n_pos, n_neg = check_number("n_pos", n_pos, 1), check_number("n_neg", n_neg, 1)
    return power_of(auc, null_auc, n_pos, n_neg, z, method)


@document
def roc_auc_sample_size(
    auc: float,
    *,
    power: float = 0.8,
    neg_per_pos: float = 1.0,
    null_auc: float = 0.5,
    alpha: float = 0.05,
    two_sided: bool = True,
    method: Literal["obuchowski", "hanley_mcneil"] = "obuchowski",
) -> SampleSize:
    r"""Number of rows for a test of an area under the ROC curve with a given power.

    The smallest numbers for which `roc_auc_power` reaches ``power``, with the classes in a fixed
    proportion.

    Parameters
    ----------
    auc : float in (0, 1)
        The true area.
    power : float in (0, 1), default=0.8
        Chance that the test rejects.
    neg_per_pos : float, default=1.0
        Negative rows for each positive one.
    null_auc : float in (0, 1), default=0.5
        The area that the test may reject.
    alpha : float in (0, 1), default=0.05
        Level of the test.
    two_sided : bool, default=True
        Whether each side has half of ``alpha``.
    method : {"obuchowski", "hanley_mcneil"}, default="obuchowski"
        Variance of the area before any data, as in `roc_auc_power`.

    Returns
    -------
    SampleSize
        ``n_pos, n_neg``, not rounded, each at least 1.

    Raises
    ------
    {raises}

    References
    ----------
    Obuchowski, Lieber & Wians (2004), Clinical Chemistry 50(7), 1118-1125.

    Examples
    --------
    >>> from skmetrics_ext import roc_auc_sample_size
    >>> size = roc_auc_sample_size(0.75, power=0.9)
    >>> round(size.n_pos, 2), round(size.n_neg, 2)
    (25.02, 25.02)
    """
    check_option("method", method, tuple(_VARIANCES))
    power = check_level(power, "power")
    auc, null_auc, z = _check_areas(auc, null_auc, alpha, two_sided)
    share = check_number("neg_per_pos", neg_per_pos, 0)
    if share == 0:
        raise InvalidParameterError("neg_per_pos has to be positive, got 0.")
    if auc == null_auc:
        raise InvalidParameterError(f"auc has to differ from null_auc={null_auc}, got {auc}.")
    least = max(0.0, -float(np.log2(share)))

    def missing(log_pos: Any) -> Any:
        n_pos = 2.0 ** float(log_pos)
        return np.asarray(power_of(auc, null_auc, n_pos, share * n_pos, z, method) - power)

    n_pos = 2.0 ** float(increasing_root(missing, np.asarray(least), np.asarray(least + _MOST)))
    return SampleSize(n_pos, share * n_pos)


# --------------------------------------------------------------------------- reading the pilot


class Pilot(NamedTuple):
    """A statistic of the rows of a pilot, its variance, and the scale and range of its interval."""

    statistic: Linearized
    variance: Any
    freedom: Any
    scale: str
    bounds: Range


def _read_pilot(
    metric: Metric,
    arrays: tuple[Any, Any, Any, Any],
    groups_strata: tuple[Any, Any],
    weights_are: str,
) -> Pilot:
    """The metric of one model, or the difference between two, on the rows of a pilot."""
    y_true, y_pred, y_pred_b, weight = arrays
    if metric.row is None:
        raise InvalidParameterError(
            f"metric must be one of this package, whose derivative is known, got {metric.name}."
        )
    compared = None
    if y_pred_b is None:
        settled, checked = check_rows(metric, y_true, y_pred, weight)
        columns = {"y_true": y_true, "y_pred": y_pred, "sample_weight": weight}
        design = read_design(*groups_strata, checked.true.shape[0], **columns)
        statistics = [linearize(sample_of_checked(settled, checked, design, weights_are))]
    else:
        models = {"pred_a": y_pred, "pred_b": y_pred_b}
        about = metric, y_true, models, weight, *groups_strata
        compared = ModelsToCompare(*check_models(*about, weights_are=weights_are), weights_are)
        settled, statistics = compared.metric, compared.statistics
    if not all(statistic.has_influence for statistic in statistics):
        raise InvalidParameterError(
            f"metric={metric.name!r} of these data has no derivative by its rows, from which a "
            "number of rows would follow."
        )
    low, high = settled.spec.bounds
    if compared is not None:
        difference = compared.difference()
        variance, freedom = variance_of_difference(difference)
        return Pilot(difference, variance, freedom, "delta", (low - high, high - low))
    (statistic,) = statistics
    if np.ndim(statistic.value) != 0:
        raise InvalidParameterError(
            f"sample_size needs a metric that is one number, got {statistic.value!r:.60} from "
            f"{metric.name}: choose an average."
        )
    method = next(iter(methods_of(statistic)))
    scale = _SCALE_OF.get(method, method)
    scale = scale if scale in SCALES else "delta"
    return Pilot(statistic, statistic.variance, statistic.freedom, scale, (low, high))


def _times_for_width(pilot: Pilot, error: float, width: float, z: float) -> float:
    """How many times the rows of the pilot give an interval of this width."""
    if pilot.scale == "delta":
        return (2 * z * error / width) ** 2
    value, quantile, n_rows = (
        np.asarray(pilot.statistic.value),
        np.asarray(z),
        pilot.statistic.atoms.n_rows,
    )

    def excess(log_rows: Any) -> Any:
        error_then = error * np.sqrt(n_rows / 2.0 ** np.asarray(log_rows))
        low, high = SCALES[pilot.scale](value, error_then, quantile, pilot.bounds)
        return width - (high - low)

    return float(2.0 ** increasing_root(excess, np.asarray(0.0), np.asarray(_MOST))) / n_rows


def _check_distance(name: str, distance: float, bounds: Range) -> float:
    """A width or a difference that the metric can have."""
    size, most = check_number(name, distance, 0), bounds[1] - bounds[0]
    if not 0 < size < most:
        raise InvalidParameterError(f"{name} has to be in (0, {most:g}), got {distance!r}.")
    return size


def _check_areas(
    auc: float, null_auc: float, alpha: float, two_sided: bool
) -> tuple[float, float, float]:
    """Checked areas, and the normal quantile of the level."""
    from scipy.special import ndtri

    check_option("two_sided", two_sided, (True, False))
    level = check_level(alpha, "alpha")
    z = -float(ndtri(level / 2 if two_sided else level))
    return check_level(auc, "auc"), check_level(null_auc, "null_auc"), z

"""Sample sizes: rows for an interval or a test, from a pilot or from an assumed value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, isfinite
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference import reader_studies as studies
from skmetrics_ext.inference.algebra import Given, leaves_of_models
from skmetrics_ext.inference.area_power import AREA_VARIANCES, MOST_ROWS, AreaVariance, least_rows
from skmetrics_ext.inference.calibration_intervals import calibration_slope_intercept
from skmetrics_ext.inference.draws import readers as rows_of
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.draws.rankings import is_area
from skmetrics_ext.inference.draws.samples import share_of
from skmetrics_ext.inference.labelling import Corrected, Labelling
from skmetrics_ext.inference.margins import Alternative, Claim
from skmetrics_ext.inference.methods import freedom_of, methods_of
from skmetrics_ext.inference.notes import CONTRIBUTIONS
from skmetrics_ext.inference.proportions import (
    PROPORTION_METHODS,
    ProportionMethod,
    proportion_bounds,
)
from skmetrics_ext.inference.scales import SCALES, Range, quantile
from skmetrics_ext.inference.t_tests import variance_of_difference
from skmetrics_ext.metrics.calibration.recalibration import observed_expected_ratio
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Options, divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import Result
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_numbers
from skmetrics_ext.validation.parameters import as_number, check_integer, check_level, check_number

Design = tuple[Any, Any, Any, str]  # weights, groups, strata, what weights are
PlanMethod = Literal["auto"] | AreaVariance | ProportionMethod

_FEW = 20.0  # degrees of freedom below which a variance may well be wrong by a third
# Scales of planning for methods that have none.
_SCALE_OF = dict.fromkeys(("wilson", "effective_n", "mover"), "logit")


@dataclass(frozen=True, repr=False, slots=True)
class RowsNeeded(Result):
    """Number of rows to collect, from a pilot or from an assumed value.

    Parameters
    ----------
    n : int
        Rows, with the classes in the proportions of the pilot.
    n_groups : int or None
        Groups that contain them, of the same size as in the pilot.
    value : float
        The metric in the pilot, or the difference between both models.
    standard_error : float
        Standard error expected with that many rows.
    note : str, default=""
        Why the number is doubtful.
    assumed : bool, default=False
        Whether the value was assumed rather than observed in a pilot.
    n_low, n_high : int or None, default=None
        Interval of the number of rows, from the uncertainty of the variance in the pilot.
    n_readers : int or None, default=None
        Readers, of whom each reads all cases, the groups.
    power : float, default=nan
        Probability that a test of ``n`` rows shows the claim, if their number was given.

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
    assumed: bool = False
    n_low: int | None = None
    n_high: int | None = None
    n_readers: int | None = None
    power: float = np.nan

    def __int__(self) -> int:
        """The number of rows."""
        return self.n

    def __str__(self) -> str:
        groups = "" if self.n_groups is None else f" in {self.n_groups} groups"
        if self.n_readers is not None:
            groups = f": {self.n_groups} cases, each with {self.n_readers} readers"
        between = "" if self.n_low is None else f", or {self.n_low} to {self.n_high}"
        note = f"; {self.note}" if self.note else ""
        note = note if np.isnan(self.power) else f", power {self.power:.3g}{note}"
        source = "assumed" if self.assumed else "in the pilot"
        return (
            f"{self.n} rows{between}{groups} ({self.value:.4g} {source}, standard error "
            f"{self.standard_error:.3g}{note})"
        )


# --------------------------------------------------------------------------- public functions


@document
def sample_size(
    metric: str | Callable[..., Any],
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    *,
    y_pred_b: ArrayLike | None = None,
    value: float | None = None,
    prevalence: float | None = None,
    logits: ArrayLike | None = None,
    width: float | None = None,
    difference: float | None = None,
    null: float | None = None,
    n: int | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    samples: Literal[1, 2] = 1,
    power: float = 0.8,
    confidence_level: float = 0.95,
    method: PlanMethod = "auto",
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    readers: int | None = None,
    cases: int | None = None,
    pilot_readers: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    proxy: Any = None,
    **metric_params: Any,
) -> RowsNeeded:
    r"""Number of rows for an interval of a given width, or a test of a given power.

    .. math:: n = m \, s^2 \left(\frac{2 z_{1 - \alpha / 2}}{w}\right)^2, \qquad
        n = m \, s^2 \left(\frac{z_{1 - \alpha / 2} + z_{power}}{\delta}\right)^2

    with the standard error s of the m rows of a pilot, or of an assumed ``value``.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names` (losses are not negated), or a metric of this package that
        has `influence_values`. Without a pilot: a share of rows (accuracy, recall, specificity,
        error rates), an area under the ROC curve, `observed_expected_ratio`, or
        `calibration_slope_intercept` for the slope.
    y_true, y_pred : array-like, default=None
        Rows of a pilot: true labels, and labels, scores or probabilities of the model. Without
        them, ``value`` is assumed.
    y_pred_b : array-like, default=None
        A second model on the same rows: ``width`` and ``difference`` then refer to the difference
        between both models, as in `compare`.
    value : float, default=None
        Assumed value of the metric without a pilot; 1 by default for both measures of calibration.
    prevalence : float in (0, 1), default=None
        Proportion of the positive class without a pilot, for areas, ratios of observed to expected,
        and shares of one class. With a pilot, a parameter of the metric.
    logits : array-like, default=None
        Log odds that the model is expected to predict, such as the quantiles of a distribution,
        for the calibration slope.
    width : float, default=None
        Width of the interval. If the interval of the metric is Wilson's or on a logit or log scale,
        that interval has this width; otherwise the formula above is used.
    difference : float, default=None
        Size of the difference that the test is to detect: of the metric from a known number, such
        as a goal; with ``y_pred_b`` between the two models; with ``samples=2`` between two samples,
        the second of which then has the value minus the difference (plus it for "less").
        With a ``margin``, the true difference with its sign, by default 0.
    null : float, default=None
        Without a pilot, the value that the test is to reject, such as 0.5 for an area under the ROC
        curve; under the hypothesis the value has the standard error of ``null``.
    n : int, default=None
        A number of rows: the result then has the ``power`` of a test of so many.
    margin : float, default=None
        The least difference that matters, for the ``alternative`` "non-inferior", "equivalent",
        "greater" or "less" (by more than the margin), as in `compare`.
    alternative : str, default="two-sided"
        The claim that the test is to show, as in `compare`: one-sided claims are tested at half the
        level of two-sided ones, "equivalent" with an interval of level 2 ``confidence_level`` - 1.
    samples : {1, 2}, default=1
        2 plans for two independent samples of n rows each (`compare_samples`).
    power : float in (0, 1), default=0.8
        Probability that the test shows the claim.
    confidence_level : float in (0, 1), default=0.95
        Level of the interval; 1 minus the level of the test.
    method : str, default="auto"
        Without a pilot: for shares a method of `proportion_interval`, by default "wilson"; for
        areas a variance: "newcombe" (default), "hanley_mcneil" or "obuchowski" (see below).
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row (site, age band), if a fixed number of rows, or groups, was sampled
        from each, as in `confidence_interval`, and will be, in the same shares.
    {sample_weight}
    readers, cases : int, default=None
        For a study of several readers, one of two numbers: of readers, and the result has the
        number of cases for an interval of this ``width``, or of cases, for the number of readers.
    pilot_readers : array-like of shape (n_samples,), default=None
        The reader of each row of such a pilot, with one row for each reader and case, and the case
        in ``groups``, as in `compare`.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    proxy : array-like of shape (n_samples,), default=None
        A machine's label or probability of every row of the pilot, whose ``y_true`` is missing
        where no person looked, as in `confidence_interval`. The number is that of labels among
        these rows; no number of them is enough if the rows themselves are too few.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    RowsNeeded
        ``n, n_groups, value, standard_error, note, n_low, n_high, power``; n counts rows of all
        classes, in each of two samples. The number is as uncertain as the variance in the pilot;
        from ``n_low`` to ``n_high`` is its interval (chi-squared, with degrees of freedom from the
        fourth moments of the contributions).

    Raises
    ------
    {raises}
        Also if the pilot has no variance: a value of 1, models that agree on every row.

    Notes
    -----
    The standard error of an assumed share p of n rows, or of those of its class, is
    :math:`\sqrt{p (1 - p) / n}`; of the logarithm of an observed over expected ratio
    :math:`\sqrt{(1 - \pi) / (n \pi)}` with prevalence :math:`\pi`; of a calibration slope the root
    of :math:`I_0 / (n (I_0 I_2 - I_1^2))` with :math:`I_k` the mean of :math:`x^k p (1 - p)` over
    the ``logits`` x. Intervals of areas and slopes are then value -+ z standard errors.

    An assumed area A of m positive and n negative rows has the variance

    - "hanley_mcneil": :math:`[A (1 - A) + (m - 1) (Q_1 - A^2) + (n - 1) (Q_2 - A^2)] / (m n)` with
      :math:`Q_1 = A / (2 - A), Q_2 = 2 A^2 / (1 + A)`, for exponential scores;
    - "newcombe": the same with the mean of m and n in place of each within the brackets;
    - "obuchowski": :math:`0.0099 e^{-a^2/2} [(5 a^2 + 8) / m + (a^2 + 8) / n]` with
      :math:`a = \sqrt 2 \, \Phi^{-1}(A)`, for normal scores.

    References
    ----------
    Hampel (1974), Journal of the American Statistical Association 69(346), 383-393; Buderer (1996),
    Academic Emergency Medicine 3(9), 895-900, for sensitivity and specificity; Riley et al. (2021),
    Statistics in Medicine 40(19), 4230-4251, for calibration and areas; Chow, Shao & Wang (2008),
    Sample Size Calculations in Clinical Research, for margins; Hanley & McNeil (1982), Radiology
    143(1), 29-36, and Obuchowski, Lieber & Wians (2004), Clinical Chemistry 50(7), 1118-1125, for
    areas.

    Examples
    --------
    >>> from skmetrics_ext import sample_size
    >>> y_true, y_pred = [0, 0, 1, 1] * 15, [0, 1, 1, 1] * 5 + [0, 0, 0, 1] * 10
    >>> print(sample_size("accuracy", y_true, y_pred, difference=0.05))
    589 rows, or 419 to 889 (0.75 in the pilot, standard error 0.0178)
    >>> sample_size("f1", y_true, y_pred, width=0.1).n
    422
    >>> sample_size("recall", value=0.9, prevalence=0.2, width=0.1).n
    705
    >>> sample_size("roc_auc", value=0.8, prevalence=0.018, width=0.1).n
    4252

    A test that an area of 0.75 is better than chance:

    >>> plan = {"value": 0.75, "null": 0.5, "prevalence": 0.4, "method": "obuchowski"}
    >>> sample_size("roc_auc", power=0.9, **plan).n
    53
    >>> print(sample_size("roc_auc", n=100, **plan))
    100 rows (0.75 assumed, standard error 0.0539, power 0.995)
    """
    from scipy.special import chdtri

    check_option("weights_are", weights_are, WEIGHT_KINDS)
    check_option("samples", samples, (1, 2))
    level, power = check_level(confidence_level), check_level(power, "power")
    has_pilot = y_true is not None or y_pred is not None
    if has_pilot:
        own_method = None if method == "auto" else method
        used = {"value": value, "logits": logits, "method": own_method, "null": null}
        for name, argument in used.items():
            if argument is not None:
                raise InvalidParameterError(f"{name} is for planning without y_true and y_pred.")
        if prevalence is not None:
            metric_params["prevalence"] = prevalence
    measure = rows_of.find_metric(metric, metric_params)
    tested = null if difference is None else difference
    is_one_aim = difference is None or null is None
    if not is_one_aim or (width is None) == (tested is None and margin is None):
        raise InvalidParameterError(
            f"exactly one of width and difference, or null, is needed, got {width!r}, "
            f"{difference!r} and {null!r}."
        )
    if (null is not None and samples == 2) or (n is not None and width is not None):
        raise InvalidParameterError(
            "null is for one sample, and n for a test: leave out samples=2, or width."
        )
    claim = Claim.of(alternative, margin, measure)
    if readers is not None or cases is not None or pilot_readers is not None:
        if (readers is None) == (cases is None) or pilot_readers is None or width is None:
            raise InvalidParameterError(
                f"readers={readers!r} and cases={cases!r}: a study of readers needs one of both, "
                "the number that is given, with width= and pilot_readers=, the reader of each row."
            )
        others: Options = {"strata": strata, "sample_weight": sample_weight, "samples": samples}
        others["weights_are"] = weights_are
        studies.refuse_others(sample_size, "with readers= or cases=", others)
        models = {"y_pred": y_pred} | ({} if y_pred_b is None else {"y_pred_b": y_pred_b})
        study = studies.read_study(measure, y_true, models, groups, pilot_readers)
        most = check_number("width", width, 0)
        n_readers, n_cases, se = studies.plan_of_study(study, level, most, readers, cases)
        numbers = n_readers * n_cases, n_cases, study.value, se
        return RowsNeeded(*numbers, n_readers=n_readers)
    if measure.function is calibration_slope_intercept:
        plan = _plan_of_slope(value, logits)
    elif has_pilot:
        design_args = sample_weight, groups, strata, weights_are
        labelling = Labelling.of(proxy=proxy, sampling=None, population="process")
        plan = _plan_of_pilot(measure, y_true, y_pred, y_pred_b, labelling, design_args)
    else:
        plan = _plan_without_pilot(measure, value, prevalence, method)
    truth = 0.0 if difference is None else float(difference)
    if difference is not None and (margin is None or abs(truth) >= plan.limits[1] - plan.limits[0]):
        truth = _check_distance("difference", difference, plan.limits)
        truth = -truth if alternative == "less" else truth
    if null is not None:
        truth = plan.value - _check_null(null, plan)
    values = [plan.value, plan.value - truth][:samples]
    if not plan.limits[0] <= values[-1] <= plan.limits[1]:
        raise InvalidParameterError(
            f"difference={truth:g} leaves no value for the second sample, next to {plan.value:g}."
        )

    def error(n: Any) -> Any:
        return np.sqrt(sum(plan.error(n, value) ** 2 for value in values))

    if width is None:
        z = quantile(claim.level(level))

        def power_of(n: float) -> Any:
            size = error(n)
            at_null = 1.0 if null is None else plan.error(n, null) / size
            return np.nan_to_num(_power_of_claim(claim, truth, size, z * at_null))

        if n is not None:
            n = check_integer("n", n, 1)
            result = RowsNeeded(n, None, plan.value, float(error(n)), plan.note, not has_pilot)
            return replace(result, power=float(power_of(n)))

        def excess(n: float) -> Any:
            return power_of(n) - power

        why = (
            f"no number of rows shows {alternative!r} by margin={margin!r} if the true difference "
            f"is {truth:g}."
        )
    else:
        width = _check_distance("width", width, plan.limits)
        plan = plan._replace(error=lambda n, _: error(n), scale="delta") if samples == 2 else plan

        def excess(n: float) -> Any:
            return width - plan.width(n, level)

        why = (
            f"width={width:g} is narrower than all labels of these rows allow: it needs more rows, "
            "labelled by the machine or not."
        )
    if excess(MOST_ROWS) < 0:
        raise InvalidParameterError(why)
    least = least_rows(excess) * (1 - 1e-9)  # rounding adds no row
    rows = max(ceil(least), 1)
    n_groups = None if plan.rows_per_group is None else ceil(rows / plan.rows_per_group)
    spread = plan.freedom / chdtri(plan.freedom, np.array([1 - level, 1 + level]) / 2)
    ends = [max(ceil(least * times), 1) for times in spread.tolist()] if has_pilot else []
    at_rows = float(error(rows))
    return RowsNeeded(rows, n_groups, plan.value, at_rows, plan.note, not has_pilot, *ends)


# --------------------------------------------------------------------------- plans


class Plan(NamedTuple):
    """A value, with its standard error and interval as functions of the number of rows.

    ``error(n, value)`` is also the error of other values if these are shares or areas.
    """

    value: float
    error: Callable[[Any, float], Any]
    limits: Range
    scale: str = "delta"
    rows_per_group: float | None = None
    note: str = ""
    freedom: float = np.inf  # of the variance
    per_row: float = np.inf  # degrees of freedom of a t interval that each row adds

    def width(self, n: Any, level: float) -> Any:
        """Width of the interval, on the scale or by a method of `proportion_interval`."""
        if self.scale in PROPORTION_METHODS and self.scale not in SCALES:
            rows = self.value * (1 - self.value) / self.error(n, self.value) ** 2
            low, high = proportion_bounds(self.value * rows, rows, self.scale, level)
        else:
            limits = self.limits if self.scale != "delta" else (-np.inf, np.inf)
            value, error = np.asarray(self.value), self.error(n, self.value)
            low, high = SCALES[self.scale](value, error, quantile(level, self.per_row * n), limits)
        return high - low


def _plan_of_pilot(
    metric: Metric, y_true: Any, y_pred: Any, y_pred_b: Any, labelling: Any, design: Design
) -> Plan:
    """The metric of one model, or the difference between two, on the rows of a pilot."""
    if y_true is None or y_pred is None:
        raise InvalidParameterError("a pilot needs both y_true and y_pred.")
    if not metric.spec.is_known:
        raise InvalidParameterError(
            f"metric must be one of this package, whose derivative is known, got {metric.name}."
        )
    models = {"pred_a": y_pred, "pred_b": y_pred_b}
    given = Given(metric, y_true, y_pred if y_pred_b is None else models, *design, labelling)
    if y_pred_b is None:
        statistics = [given.statistic()]
    else:
        statistics = [statistic for _, statistic in leaves_of_models(given)]
    if not all(statistic.has_influence for statistic in statistics):
        raise InvalidParameterError(
            f"metric={metric.name!r} of these data has no derivative by its rows, from which a "
            "number of rows would follow."
        )
    statistic, scale, per_row = statistics[0], "delta", np.inf
    rows_of.check_single_value("sample_size", metric, statistic.value)
    if y_pred_b is not None:
        statistic = statistic.minus(statistics[1])
        variance, freedom = variance_of_difference(statistic)
    else:
        method = next(iter(methods_of(statistic)))
        scale = _SCALE_OF.get(method, method)
        variance, freedom = statistic.variance, statistic.freedom
        if (fewer := freedom_of(statistic)) < freedom:
            per_row = float(fewer) / statistic.atoms.n_rows
    value, squared = float(statistic.value), float(variance)
    if not (isfinite(value) and isfinite(squared) and squared > 0):
        raise InvalidParameterError(
            f"the pilot has no variance to plan with (its value is {value:g}): it needs more "
            "rows, or rows of every class."
        )
    atoms, fixed = statistic.atoms, 0.0
    if isinstance(statistic, Corrected):
        fixed = statistic.correction.of_all_rows
    units = atoms.n_rows if atoms.group is None else atoms.n_groups
    spread = divide(2, 1 / statistic.effective - 1 / units)  # freedom, from the fourth moments
    is_uncertain = freedom < _FEW or statistic.effective < CONTRIBUTIONS
    return Plan(
        value,
        lambda n, _: np.sqrt(fixed + (squared - fixed) * atoms.n_rows / n),
        statistic.bounds,
        scale if scale in SCALES else "delta",
        None if atoms.group is None else atoms.n_rows / atoms.n_groups,
        "few rows carry the variance in the pilot: plan with more" if is_uncertain else "",
        float(np.fmin(freedom, spread)),
        per_row,
    )


def _plan_without_pilot(metric: Metric, value: Any, prevalence: Any, method: str) -> Plan:
    """An assumed share of rows, area under the ROC curve, or ratio of observed to expected."""
    limits = metric.spec.bounds
    if metric.function is observed_expected_ratio:
        ratio = check_number("value", 1.0 if value is None else value, 0)
        odds = _known_prevalence(metric, prevalence)
        odds = odds / (1 - odds)
        return Plan(ratio, lambda n, value: value / np.sqrt(odds * n), limits, "log")
    share_of_rows = _rows_read(metric, prevalence)
    is_auc = share_of_rows is None and is_area(metric) and "multi_class" not in metric.params
    if share_of_rows is None and not is_auc:
        raise InvalidParameterError(
            f"without a pilot {metric.name} has no known error: pass y_true and y_pred, or one of "
            "the shares of rows of known classes (accuracy, recall, specificity), an area under "
            "the ROC curve, observed_expected_ratio or calibration_slope_intercept."
        )
    if value is None:
        raise InvalidParameterError("value is missing: pass the value to plan with, or a pilot.")
    number = as_number(value)
    if not limits[0] < number < limits[1]:
        raise InvalidParameterError(
            f"value has to be in ({limits[0]:g}, {limits[1]:g}), got {value!r}."
        )
    if share_of_rows is None:
        method = "newcombe" if method == "auto" else method
        check_option("method", method, tuple(AREA_VARIANCES))
        share = _known_prevalence(metric, prevalence)
        start, span = limits[0], limits[1] - limits[0]

        def error_of_area(n: Any, value: float) -> Any:
            area = (value - start) / span
            return span * np.sqrt(AREA_VARIANCES[method](area, share * n, (1 - share) * n))

        return Plan(number, error_of_area, limits)
    method = "wilson" if method == "auto" else method
    check_option("method", method, PROPORTION_METHODS)

    def error_of_share(n: Any, value: float) -> Any:
        return np.sqrt(value * (1 - value) / (share_of_rows * n))

    return Plan(number, error_of_share, limits, method)


def _rows_read(metric: Metric, prevalence: Any) -> float | None:
    """Proportion of the rows that a share of rows reads; None if no prevalence determines it."""
    average = metric.params.get("average", "binary")
    if share_of(metric) != "wilson" or average != "binary":
        return None
    if not metric.spec.shares:
        return 1.0 if metric.tally in ("hits", "marks") else None
    (counts,) = metric.spec.shares
    if set(counts) == {"tp", "fn"}:
        return _known_prevalence(metric, prevalence)
    return 1 - _known_prevalence(metric, prevalence) if set(counts) == {"tn", "fp"} else None


def _known_prevalence(metric: Metric, prevalence: Any) -> float:
    if prevalence is None:
        raise InvalidParameterError(
            f"prevalence is missing: {metric.name} depends on how many rows each class has."
        )
    return check_level(prevalence, "prevalence")


def _plan_of_slope(value: Any, logits: Any) -> Plan:
    """A calibration slope, from its Fisher information in the expected log odds."""
    if logits is None:
        raise InvalidParameterError(
            "logits is missing: pass the log odds that the model is expected to predict, such as "
            "quantiles of a normal distribution, or a metric with a pilot."
        )
    x = read_numbers("logits", logits).ravel()
    slope = check_number("value", 1.0 if value is None else value, 0)
    spread = 0.25 / np.cosh(slope * x / 2) ** 2  # p (1 - p)
    first, second, third = (float((x**k * spread).mean()) for k in range(3))
    information = third - second**2 / first
    if not (np.isfinite(x).all() and information > 0):
        raise InvalidParameterError("logits have to be finite numbers that are not all equal.")
    return Plan(slope, lambda n, _: np.sqrt(1 / (n * information)), (-np.inf, np.inf))


def _power_of_claim(claim: Claim, truth: float, error: Any, z: Any) -> Any:
    """Power of the test of a claim if the difference is ``truth``; equivalence needs both tests."""
    from scipy.special import ndtr

    distances = [
        abs(truth) if side == "two-sided" else truth - null if side == "greater" else null - truth
        for null, side in claim.parts
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        chances = [ndtr(distance / error - z) for distance in distances]
    if claim.alternative == "equivalent":
        return np.maximum(sum(chances) - 1, 0.0)
    return np.maximum.reduce(chances)


def _check_null(null: float, plan: Plan) -> float:
    """A null value that is possible, and differs from the assumed one."""
    number, (low, high) = as_number(null), plan.limits
    if not low < number < high or number == plan.value:
        raise InvalidParameterError(
            f"null has to be in ({low:g}, {high:g}) and differ from value={plan.value:g}, got "
            f"{null!r}."
        )
    return number


def _check_distance(name: str, distance: float, bounds: Range) -> float:
    """A width or a difference that is possible for the metric."""
    size, most = check_number(name, distance, 0), bounds[1] - bounds[0]
    if not 0 < size < most:
        raise InvalidParameterError(f"{name} has to be in (0, {most:g}), got {distance!r}.")
    return size

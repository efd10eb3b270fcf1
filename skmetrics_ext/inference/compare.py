"""Is one model better than another: a difference, its interval and a test of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.draws.readers import RawRows, check_models, find_metric
from skmetrics_ext.inference.draws.units import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.margins import Alternative, Claim
from skmetrics_ext.inference.paired import (
    by_bootstrap,
    by_delong,
    by_delta,
    by_mcnemar,
    by_permutation,
)
from skmetrics_ext.inference.question import (
    LOG_RATIO,
    Question,
    is_hits,
    is_mean_area,
    is_ratio,
)
from skmetrics_ext.inference.results import Comparison
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.progress import Progress
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.parameters import check_level

CompareMethod = Literal[
    "auto", "delong", "mcnemar", "log_ratio", "delta", "bootstrap", "permutation"
]
COMPARE_METHODS = (*("auto", "delong", "mcnemar", LOG_RATIO, "delta", "bootstrap", "permutation"),)


@document
def compare(
    metric: Any,
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    method: CompareMethod = "auto",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    stratified: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    **metric_params: Any,
) -> Comparison:
    r"""Difference of a metric between two models on the same rows, its interval and its test.

    .. math:: \hat d = m(y, \hat y_a) - m(y, \hat y_b)

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names` (with or without ``neg_`` the difference is that of the metric
        itself), a metric of this package, or any function of (y_true, y_pred) that gives a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels.
    pred_a, pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric takes of each model: labels, scores or probabilities.
    method : str, default="auto"
        One of:

        - "delong": the covariance of both areas under the ROC curve (`delong_test`), of two classes
          or averaged over more. With "auto" by a t quantile with Satterthwaite's degrees of
          freedom in the place of the normal one;
        - "mcnemar": the mid-P test and Tango's interval (`mcnemar_test`), for accuracy and error
          rate of independent rows without weights;
        - "delta": the difference over its standard error from `influence_values`; for means over
          rows it is the paired t test. For metrics of a confusion matrix, each class has at least
          the variance of two rows in which the models differ;
        - "log_ratio": the same for the logarithms of metrics that are ratios (likelihood ratios,
          odds ratio, observed over expected);
        - "bootstrap": rows are drawn with replacement, the same for both models; percentiles,
          and twice the share of draws on the other side of 0 as the p-value;
        - "permutation": in each row, or group, the models are exchanged at random, or in all ways
          if these are no more than ``n_resamples``. For rankings the ranks are exchanged, since
          the scores of two models need not have one scale. There is no interval;
        - "auto": the first of these that applies. If the variance of areas cannot be estimated, the
          p-value is that of "permutation".
    alternative : str, default="two-sided"
        "two-sided", "less", "greater", "non-inferior" or "equivalent".
        What is claimed of the first model: that its metric differs from that of the second, is
        less, or is greater (with a margin, by more than that); that it is "non-inferior", not
        worse by the margin or more; or "equivalent", within the margin on both sides. The interval
        is two-sided whatever the alternative.
    margin : float, default=None
        The least difference that matters, in units of the metric; positive. For "log_ratio" the
        logarithm of the least ratio, as ``math.log(1.25)``.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.
    n_resamples : int, default=9999
        Draws of "bootstrap" and "permutation".
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row (site, age band), if a fixed number of rows, or groups, was sampled
        from each, as in `confidence_interval`.
    {sample_weight}
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    stratified : bool, default=False
        Whether each draw of "bootstrap" has as many rows of each class.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of processes; the result does not depend on it.
    progress : bool, callable or None, default=None
        Whether, or how, to tell how far the draws are.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    Comparison
        ``method`` names what was chosen. For "log_ratio" the difference, its bounds and its
        standard error are those of logarithms: ``exp(difference)`` is how many times the first
        value is the second. ``concluded`` says whether ``p_value`` is at most
        1 - ``confidence_level``; for a one-sided test at 2.5 % ask for a level of 0.975. Models
        that agree in all rows have difference 0 and p = 1, and an interval that depends on the
        number of rows of the rarest class.

    Raises
    ------
    {raises}

    Notes
    -----
    With a margin M and the tails of the distribution that a method has, shifted to the limit:
    "greater" :math:`P(d \ge \hat d \mid M)`; "less" :math:`P(d \le \hat d \mid -M)`;
    "two-sided" twice the lesser of both; "non-inferior" :math:`P(d \ge \hat d \mid -M)`, of losses
    :math:`P(d \le \hat d \mid M)`; "equivalent" the greater of these two one-sided p-values
    (TOST), so that it is concluded at 0.05 where the 90 % interval is within the margin. Shares
    of rows are tested by Tango's score, whose errors are those under the limit. "permutation",
    which tests that nothing differs, takes no margin.

    References
    ----------
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680, for TOST;
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44(3), 837-845; Tango (1998), Statistics in
    Medicine 17(8), 891-908; Efron & Tibshirani (1993), An Introduction to the Bootstrap; Bandos,
    Rockette & Gur (2005), Statistics in Medicine 24(18), 2873-2893, for exchanges of ranks; Phipson
    & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> from skmetrics_ext import compare
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a, b = [1, 2, 3, 6, 4, 5, 7, 8], [1, 6, 3, 7, 2, 5, 4, 8]
    >>> print(compare("roc_auc", y_true, a, b))
    0.3125 [-0.1796, 0.8046], p = 0.168 (95% confidence, delong, t)
    >>> print(compare("roc_auc", y_true, a, b, method="permutation"))
    0.3125 [nan, nan], p = 0.125 (95% confidence, permutation, exact; exchanges have no interval)
    >>> found = compare("roc_auc", y_true, a, b, margin=0.05, alternative="non-inferior")
    >>> round(found.p_value, 4), found.concluded
    (0.0599, False)
    """
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    found, level = find_metric(metric, metric_params), check_level(confidence_level)
    claim = Claim.of(alternative, margin, found)
    plan = DrawPlan(n_resamples, stratified, random_state, n_jobs, progress)
    if found.row is not None:
        found, models = check_models(found, y_true, pred_a, pred_b, sample_weight)
        beside = {"y_true": y_true, "pred_a": pred_a, "sample_weight": sample_weight}
        design = read_design(groups, strata, models[0].true.shape[0], **beside)
    else:
        about = sample_weight, (groups, strata), weights_are
        models = RawRows.check(y_true, pred_a, *about), RawRows.check(y_true, pred_b, *about)
        design = models[0].facts.design
    return answer(Question(found, models, design, weights_are, claim, level, plan), method)


def answer(asked: Question, method: str = "auto") -> Comparison:
    """The comparison by the method that is asked for, or the first that applies."""
    check_option("method", method, COMPARE_METHODS)
    if method == "permutation" and asked.claim.margin is not None:
        raise InvalidParameterError(
            "method='permutation' tests that nothing differs and takes no margin, got "
            f"{asked.claim.margin:g}."
        )
    asked = asked.by_logs() if method in ("auto", LOG_RATIO) else replace(asked, on_log=False)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # nan where undefined
        found = _by_method(asked, method)
    claimed = replace(found, alternative=asked.claim.alternative, margin=asked.claim.margin)
    return claimed if asked.design.is_plain else asked.with_design(claimed)


def _by_method(asked: Question, method: str) -> Comparison:
    if method in ("auto", "delong") and is_mean_area(asked.metric):
        return by_delong(asked, method)
    if method in ("auto", "mcnemar") and is_hits(asked):
        return by_mcnemar(asked)
    if method == "permutation":
        return by_permutation(asked)
    if method in ("auto", asked.smooth_method) and asked.contributions is not None:
        return by_delta(asked)
    if method in ("auto", "bootstrap"):
        return by_bootstrap(asked)
    raise InvalidParameterError(
        f"method={method!r} does not apply to {asked.metric.name} with these arguments; those "
        f"that do are {_applicable(asked)}."
    )


# --------------------------------------------------------------------------- which method applies


def _applicable(asked: Question) -> list[str]:
    applies = {
        "delong": is_mean_area(asked.metric),
        "mcnemar": is_hits(asked),
        LOG_RATIO: is_ratio(asked.metric),
        "delta": asked.contributions is not None,
        "bootstrap": True,
        "permutation": True,
    }
    return [name for name, yes in applies.items() if yes]

"""Is one model better than another: a difference, its interval and a test of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import DrawPlan, bootstrap_bounds, resample
from skmetrics_ext.inference.draws.permutation import permutation_test
from skmetrics_ext.inference.draws.readers import RawRows, check_models, find_metric
from skmetrics_ext.inference.draws.readings import MomentReading, TallyReading, response_name
from skmetrics_ext.inference.draws.units import WEIGHT_KINDS
from skmetrics_ext.inference.influence.spread import Contributions
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.methods import FEW_THAT_DECIDE
from skmetrics_ext.inference.question import Question, difference_of, is_hits, is_mean_area
from skmetrics_ext.inference.results import Comparison
from skmetrics_ext.inference.tests.contingency import mcnemar_comparison, tango_score
from skmetrics_ext.inference.tests.delong import (
    correlated_areas,
    paired_comparison,
    tail_probability,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.progress import Progress
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_level

COMPARE_METHODS = ("auto", "delong", "mcnemar", "delta", "bootstrap", "permutation")
_FEW = 10  # rows in which the models differ, below which the normal distribution is far
_NAN = float("nan")


@document
def compare(
    metric: Any,
    y_true: Any,
    pred_a: Any,
    pred_b: Any,
    *,
    method: str = "auto",
    alternative: str = "two-sided",
    margin: float | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    groups: Any = None,
    sample_weight: Any = None,
    weights_are: str = "importance",
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
        A name of `get_scorer_names` (``neg_`` or not, the difference is that of the metric
        itself), a metric of this package, or any function of (y_true, y_pred) that gives a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels.
    pred_a, pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric takes of each model: labels, scores or probabilities.
    method : str, default="auto"
        One of:

        - "delong": the covariance of both areas under the ROC curve (`delong_test`); for whole
          areas, of two classes or averaged over more;
        - "mcnemar": the mid-P test and Tango's interval (`mcnemar_test`), for accuracy and error
          rate of rows that are independent and have no weights;
        - "delta": the difference in standard errors, which come from the gradient of the metric
          on what each row adds to it; for metrics of a confusion table, and of means over rows,
          where it is the paired t test;
        - "bootstrap": rows are drawn with replacement, the same for both models; percentiles,
          and twice the share of draws on the other side of 0 as the p-value;
        - "permutation": in each row, or group, the models change places at random; all such
          exchanges are counted where they are no more than ``n_resamples``. Of metrics of a
          ranking the ranks change places, as the scores of two models need not have one scale.
          There is no interval;
        - "auto": the first of these that applies. Where areas have no variance to estimate, its
          p-value is that of "permutation".
    alternative : {"two-sided", "less", "greater", "non-inferior", "equivalent"}, \
            default="two-sided"
        What is claimed of the metric of the first model: that it differs from that of the second,
        is less, is greater; with a margin, by more than that; that it is "non-inferior", not
        worse by the margin or more, where `better` is as the metric has it; or "equivalent",
        within the margin on both sides. The interval is two-sided whatever the alternative.
    margin : float, default=None
        The least difference that matters, in units of the metric; positive.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.
    n_resamples : int, default=9999
        Draws of "bootstrap" and "permutation".
    groups : array-like of shape (n_samples,), default=None
        Rows of one group depend on each other (several of a patient); groups do not.
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
        ``method`` names what was chosen. A model compared with itself has difference 0 and p = 1.
        ``concluded`` says whether ``p_value`` is at most 1 - ``confidence_level``; of a one-sided
        test at 2.5 %, with the lower bound of a 95 % interval, ask for a level of 0.975.

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
    0.3125 [-0.07487, 0.6999], p = 0.114 (95% confidence, delong)
    >>> print(compare("roc_auc", y_true, a, b, method="permutation"))
    0.3125 [nan, nan], p = 0.125 (95% confidence, permutation, exact)
    >>> found = compare("roc_auc", y_true, a, b, margin=0.05, alternative="non-inferior")
    >>> round(found.p_value, 4), found.concluded
    (0.0333, True)
    """
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    found, level = find_metric(metric, metric_params), check_level(confidence_level)
    claim = Claim.of(alternative, margin, found)
    plan = DrawPlan(n_resamples, stratified, random_state, n_jobs, progress)
    if found.row is not None:
        found, models = check_models(found, y_true, pred_a, pred_b, sample_weight)
        if groups is not None:
            beside = {"y_true": y_true, "pred_a": pred_a, "sample_weight": sample_weight}
            groups = read_groups(groups, models[0].true.shape[0], **beside)
    else:
        about = sample_weight, groups, weights_are
        models = RawRows.check(y_true, pred_a, *about), RawRows.check(y_true, pred_b, *about)
    return answer(Question(found, models, groups, weights_are, claim, level, plan), method)


def answer(asked: Question, method: str = "auto") -> Comparison:
    """The comparison by the method that is asked for, or the first that applies."""
    check_option("method", method, COMPARE_METHODS)
    if method == "permutation" and asked.claim.margin is not None:
        raise InvalidParameterError(
            "method='permutation' tests that nothing differs and takes no margin, got "
            f"{asked.claim.margin:g}."
        )
    found = _by_method(asked, method)
    claimed = replace(found, alternative=asked.claim.alternative, margin=asked.claim.margin)
    return claimed if asked.groups is None else replace(claimed, **asked.about_groups())


def _by_method(asked: Question, method: str) -> Comparison:
    if method in ("auto", "delong") and is_mean_area(asked.metric):
        return _delong(asked, method)
    if method in ("auto", "mcnemar") and is_hits(asked):
        return _mcnemar(asked)
    if method == "permutation":
        return _permutation(asked)
    if method in ("auto", "delta"):
        added = asked.contributions()
        if added is not None:
            return _delta(asked, added)
    if method in ("auto", "bootstrap"):
        return _bootstrap(asked)
    raise InvalidParameterError(
        f"method={method!r} does not apply to {asked.metric.name} with these arguments; those "
        f"that do are {_applicable(asked)}."
    )


# --------------------------------------------------------------------------- which method applies


def _applicable(asked: Question) -> list[str]:
    applies = {
        "delong": is_mean_area(asked.metric),
        "mcnemar": is_hits(asked),
        "delta": asked.contributions() is not None,
        "bootstrap": True,
        "permutation": True,
    }
    return [name for name, yes in applies.items() if yes]


# --------------------------------------------------------------------------- methods


def _delong(asked: Question, method: str) -> Comparison:
    options = asked.metric.options
    areas = correlated_areas(
        list(asked.models),
        asked.groups,
        multi_class=options.get("multi_class", "ovr"),
        average=options.get("average", "macro"),
        weights_are=asked.weights_are,
    )
    start, stop = asked.metric.spec.bounds
    found = paired_comparison(areas, 0, 1, asked.claim.per(stop - start), asked.level)
    found = _scaled(found, start, stop)
    if (
        asked.claim.margin is None
        and method == "auto"
        and np.isnan(found.p_value)
        and not np.isnan(found.difference)
    ):
        tested = _permutation(asked)
        name = f"delong, p-value by {tested.method}"
        note = "the areas have no variance to estimate"
        found = replace(found, p_value=tested.p_value, method=name, note=note)
    return found


def _mcnemar(asked: Question) -> Comparison:
    hits = np.column_stack([one.row_hits() for one in asked.models]).astype(np.int64)
    found = mcnemar_comparison(hits, "mid_p", asked.level)
    claim, two_sided = asked.claim, found
    if not asked.metric.spec.greater_is_better:  # a share of errors
        found, claim = _scaled(found, 1.0, 0.0), claim.per(-1.0)

    def tail(null: float, side: str) -> float:
        """Of the share of rows that are right; the mid-P tails of a fair coin add up to 1."""
        if claim.margin is not None:
            return tail_probability(score(null), np.inf, side)
        half, difference = two_sided.p_value / 2, two_sided.difference
        if side == "two-sided" or difference == 0:
            return 2 * half if side == "two-sided" else 0.5
        return half if (difference > 0) == (side == "greater") else 1 - half

    only_a, only_b = (int((hits[:, i] > hits[:, 1 - i]).sum()) for i in range(2))

    def score(null: float) -> float:
        return float(tango_score(np.asarray(null), only_a, only_b, len(hits)))

    p_value, null = claim.tested(tail)
    if claim.margin is None:
        return replace(found, p_value=p_value)
    return replace(found, p_value=p_value, statistic=score(null), method="tango")


def _scaled(found: Comparison, start: float, stop: float) -> Comparison:
    """The comparison of what is linear in the values: ``start`` where they are 0, to ``stop``."""
    width = stop - start
    bounds = sorted((width * found.low + 0.0, width * found.high + 0.0))
    return replace(
        found,
        difference=width * found.difference + 0.0,  # + 0 turns -0.0 into 0.0
        low=bounds[0],
        high=bounds[1],
        standard_error=abs(width) * found.standard_error,
        value_a=start + width * found.value_a,
        value_b=start + width * found.value_b,
    )


def _delta(asked: Question, added: list[tuple[TallyReading, Contributions]]) -> Comparison:
    from scipy.special import stdtrit

    (first, _), (second, _) = added
    values = float(first.value), float(second.value)
    variance, freedom, effective, _ = difference_of(added).spread()
    difference = values[0] - values[1]
    name = "delta, paired t" if isinstance(first, MomentReading) else "delta"
    if difference == 0 and variance == 0 and asked.claim.margin is None:
        return _told(asked, values, name, 1.0, (0.0, 0.0), 0.0, 0.0)
    if not variance > 0 or not freedom > 0:
        note = "the difference has no variance to estimate"
        if asked.claim.margin is None:
            note += ": method='permutation' has a test"
        return _told(asked, values, name, note="" if np.isnan(difference) else note)
    error = float(np.sqrt(variance))
    away = float(stdtrit(freedom, (1 + asked.level) / 2)) * error
    bounds = _within(asked.metric, difference - away, difference + away)
    p_value, null = asked.claim.tested(
        lambda null, side: tail_probability((difference - null) / error, float(freedom), side)
    )
    statistic = (difference - null) / error
    note, differing = "", _rows_apart(first.data, second.data)
    if differing < _FEW:
        note = f"the models differ in {differing} rows only: method='permutation' is exact"
    elif effective < FEW_THAT_DECIDE:
        note = "few rows decide the difference: the test may miss its level"
    return _told(asked, values, name, p_value, bounds, statistic, error, note)


def _rows_apart(first: Any, second: Any) -> int:
    """Rows in which the responses of two models differ."""
    if isinstance(first, Labels) and not first.is_multilabel:
        pairs = [one.classes[one.pred] for one in (first, second)]
    else:
        pairs = [getattr(one, response_name(one)) for one in (first, second)]
    return int(np.asarray((pairs[0] != pairs[1]).reshape(len(first.true), -1)).any(axis=1).sum())


def _bootstrap(asked: Question) -> Comparison:
    pair = asked.pair()
    if np.isnan(pair.value):
        return _told(asked, pair.values, "bootstrap")
    draws = resample(pair, asked.plan)
    low, high = bootstrap_bounds(pair, draws, "bootstrap", asked.level, (-np.inf, np.inf))
    known = draws[~np.isnan(draws)]

    def tail(null: float, side: str) -> float:
        """Share of draws beyond a value; the observed rows are one more, so that none is 0."""
        below = (np.count_nonzero(known <= null) + 1) / (len(known) + 1)
        above = (np.count_nonzero(known >= null) + 1) / (len(known) + 1)
        tails = {"greater": below, "less": above, "two-sided": min(2 * min(below, above), 1.0)}
        return tails[side]

    note = ""
    if len(known) < len(draws):
        note = f"{len(draws) - len(known)} of {len(draws)} draws were undefined"
    error = float(known.std(ddof=1)) if len(known) > 1 else _NAN
    bounds, p_value = (float(low), float(high)), asked.claim.tested(tail)[0]
    return _told(asked, pair.values, "bootstrap", p_value, bounds, error=error, note=note)


def _permutation(asked: Question) -> Comparison:
    pair = asked.pair(exchange=True)
    found = permutation_test(pair, asked.claim.alternative, asked.plan)
    note = ""
    if found.undefined:
        note = f"{found.undefined} of {found.orders} exchanges were undefined and count as large"
    name = "permutation, exact" if found.exact else "permutation"
    return _told(asked, pair.values, name, found.p_value, note=note)


def _told(
    asked: Question,
    values: tuple[float, float],
    method: str,
    p_value: float = _NAN,
    bounds: tuple[float, float] = (_NAN, _NAN),
    statistic: float = _NAN,
    error: float = _NAN,
    note: str = "",
) -> Comparison:
    difference, level = values[0] - values[1], asked.level
    return Comparison(difference, *bounds, statistic, p_value, method, *values, error, level, note)


def _within(metric: Metric, low: float, high: float) -> tuple[float, float]:
    """Bounds of a difference, inside those that the metric allows."""
    if metric.row is None:
        return low, high
    width = metric.row.bounds[1] - metric.row.bounds[0]
    return max(low, -width), min(high, width)

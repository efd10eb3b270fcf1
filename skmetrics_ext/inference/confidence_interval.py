"""confidence_interval and influence_values: the interval of any metric, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference import reader_studies as studies
from skmetrics_ext.inference.abstention import Abstained, may_abstain
from skmetrics_ext.inference.algebra import (
    Given,
    Made,
    Missing,
    leaf_of,
    leaves_of_models,
    value_of,
)
from skmetrics_ext.inference.anytime import MIN_ROWS
from skmetrics_ext.inference.directions import note_on_response
from skmetrics_ext.inference.draws import readers as rows_of
from skmetrics_ext.inference.draws.atoms import WeightsAre
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.estimate_rows import row_from
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.labelling import LABELLING, OF_SEVERAL, Labelling, Population
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.margins import Goal
from skmetrics_ext.inference.methods import IntervalMethod, interval_of, positive_class_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, Options, RandomState
from skmetrics_ext.progress import Progress
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores
from skmetrics_ext.validation.cutoffs import offering_threshold
from skmetrics_ext.validation.groups import INDEPENDENT, read_design
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.positive import class_notes

# Arguments that apply to several models.
_OF_MODELS = (
    *("method", "confidence_level", "threshold", "groups", "strata", "sample_weight"),
    *("weights_are", "rows", *LABELLING, "stratified", "n_resamples", "min_rows"),
    *("random_state", "n_jobs", "progress"),
)


@overload
def confidence_interval(
    metric: str | Callable[..., Any],
    y_true: ArrayLike,
    y_pred: Any = None,
    *,
    average: None,
    **options: Any,
) -> Estimates: ...
@overload
def confidence_interval(
    metric: str | Callable[..., Any], y_true: ArrayLike, y_pred: Mapping[Any, Any], **options: Any
) -> Estimates: ...
@overload
def confidence_interval(
    metric: str | Callable[..., Any], y_true: ArrayLike, y_pred: Any = None, **options: Any
) -> Estimate: ...
@overload
def confidence_interval(
    metric: list[str], y_true: ArrayLike, y_pred: Any = None, **options: Any
) -> Estimates: ...
@document
@offering_threshold
@may_abstain
def confidence_interval(
    metric: str | Callable[..., Any] | list[str],
    y_true: ArrayLike,
    y_pred: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    method: IntervalMethod = "auto",
    confidence_level: float = 0.95,
    goal: float | None = None,
    threshold: float | None = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    rows: ArrayLike | str | None = None,
    proxy: Any = None,
    sampling: Any = None,
    population: Population = "process",
    observed: Any = None,
    X: Any = None,
    target: Any = None,
    target_weight: Any = None,
    prevalence: Any = None,
    readers: ArrayLike | None = None,
    readers_are: studies.ReadersAre = "random",
    abstain: Any = None,
    abstained: Abstained = "leave out",
    ignore: Any = None,
    stratified: bool = False,
    min_rows: int = MIN_ROWS,
    n_resamples: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
    **metric_params: Any,
) -> Any:
    r"""Any metric with its confidence interval.

    Parameters
    ----------
    metric : str, callable or list of str
        A name of `get_scorer_names` (losses with or without ``neg_``; they are not negated), a
        metric of this package, or any function ``f(y_true, y_pred)`` that returns a number or an
        array. A `functools.partial` fixes parameters whose names are also those of this
        function (``partial(equal_error_rate, method="interpolated")``). A list of names, which
        all take ``y_pred``, returns the table of `compute_metrics`.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels; or, for a metric of labels, a `ConfusionTally` of a published table, and
        then no ``y_pred``.
    y_pred : array-like, or dict of these
        Labels, scores or probabilities, as the metric takes them. A dict holds those of several
        models by name, and returns a table with a row for each.
    method : str, default="auto"
        "auto" is the first method that applies to the metric. The error for a method that does not
        apply names those that do.

        - Shares of rows (accuracy, error rate, top-k accuracy; precision, recall, specificity,
          Jaccard index of one class), and F1 of one class, which follows from the Jaccard index:
          "wilson" and the other methods of `proportion_interval`.
        - Sums and means of such shares (balanced accuracy, Youden's J, markedness, macro averages
          of recall or precision), and net benefit: "mover", from the Jeffreys intervals of the
          shares. Not with ``groups``.
        - Other metrics of labels: "effective_n" if they have two bounds (F-beta, macro averages,
          Matthews correlation, kappa), "log" if they have one (likelihood ratios, odds ratio);
          "delta" for all. Statistics of a table that grow with the number of rows or are flat where
          classes are balanced (chi-squared, counts, entropies, divergences, lambda) have no
          interval unless a method is given: the bounds are nan and ``note`` says why.
        - Areas under the ROC curve and Gini: "logit", "delong".
        - Means of losses (log loss, Brier score): "hall" (t quantiles, transformed for the
          skewness of the losses), "t", "normal".
        - Other smooth metrics (average precision, partial areas, areas under the precision-recall
          curve, lift, rates at a target; skill scores), from `influence_values`: "logit" if they
          have two bounds, "log" if they have one; "delta" for all.
        - All metrics, by the bootstrap: "bca" (corrected for bias and skewness; the default for
          metrics that are biased upwards, and for your own functions), "expanded" (percentiles,
          widened like a t interval for the rarest class), "bootstrap" (plain percentiles) and
          "basic".
        - Calibration errors, which are above 0 in any sample even of a calibrated model: "upper",
          from 0 to a one-sided bound, with the value corrected for bias in the note.
        - All metrics with influence values: "anytime", which is valid at every look at growing
          data, so that you may stop at any time (a confidence sequence). Exact for shares of rows;
          otherwise asymptotic, the usual interval at a higher level. About 1.6 times as wide.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval, two-sided.
    goal : float, default=None
        A value to reach: ``reached`` of the result is whether the whole interval is on its better
        side, above it for a score and below it for a loss.
    threshold : float, default=None
        Read ``y_pred`` as scores of two classes, for a metric of labels: the positive class where
        the score is at least this. A metric with a parameter of this name takes it; in a list,
        metrics of scores ignore it.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, such as the patient. Rows of one group may depend on each other,
        groups are independent. Variances are then those of sums over groups, degrees of freedom
        count the groups with rows of a class, and the bootstrap draws groups.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row (site, age band), if a fixed number of rows, or groups, was sampled
        from each. Differences between strata then add no variance; each stratum costs a degree of
        freedom, and the bootstrap draws within strata. A group lies in one stratum.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; rows of weight 0 are left out.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows. Only the second makes
        intervals narrower.
    rows : str or array-like of shape (n_samples,), default=None
        The name of the rows, or an identity of each, by which they are recognised when estimates
        are subtracted or averaged. By default rows with equal labels in the same order, groups and
        strata are the same rows.
    {labelling}
    readers : array-like of shape (n_samples,), default=None
        The reader of each row, in long form: one row for each reader and case, with the case in
        ``groups``. Readers are people, judges, prompts or seeds. The value is the mean over
        readers.
    readers_are : {"random", "fixed"}, default="random"
        Whether the interval is about all readers of whom these are a sample, or about these alone.
    abstain : str, int, float or bool, default=None
        Which predictions are no answer: "missing" for None and NaN, or the label of a refusal.
        ``coverage`` of the result is the share of the rows that are answered. Without it a missing
        prediction is an error.
    abstained : {"leave out", "wrong"}, default="leave out"
        What rows without an answer are: left out, or errors, as if the other class had been
        predicted, of several the next in order.
    ignore : label or list of labels, default=None
        True labels of rows to leave out, such as -100 of tokens without a label. The note says how
        many rows these are.
    stratified : bool, default=False
        Whether the bootstrap keeps the number of rows of each class, as in a case-control sample.
    min_rows : int, default=200
        Rows, or effective groups, at which "anytime" starts (bounds are nan before); relative to an
        interval for one look it is narrowest at 2.5 times as many. Exact intervals of shares are
        valid from the first row.
    n_resamples : int, default=None
        Number of draws. By default at least 1,999, until the Monte Carlo standard error of the
        bounds is 2.5 % of the width of the interval, and at most 9,999. The result shows the
        number.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the bootstrap. The same integer gives the same samples for any ``n_jobs``.
    n_jobs : int or None, default=None
        Number of processes for the bootstrap. For metrics of this package one is usually fastest.
    progress : bool or callable, default=None
        True shows a progress bar; a callable is called with the numbers of finished blocks of
        bootstrap samples and of all.
    **metric_params : dict
        Parameters of the metric: ``average``, ``pos_label``, ``labels``, ``beta`` and so on.

    Returns
    -------
    Estimate, list of Estimate, or Evaluation
        ``value, low, high, standard_error, method, confidence_level, note``; a list with one for
        each class if the metric returns an array (``average=None``). The interval contains the
        value, and has a width even if the data contain no error. ``note`` warns when coverage may
        fall below the nominal level. With ``groups`` or ``strata`` also their numbers, ``n_groups``
        and ``n_strata``, and ``design_effect``, the factor by which they multiply the variance. For
        a list of metrics, the table of `compute_metrics`; for several models a table too, whose
        ``against("each").adjust("simultaneous")`` compares all of them.

    Raises
    ------
    {raises}

    Notes
    -----
    The delta method takes the confusion matrix as multinomial and the metric as linear near it:
    :math:`Var = \sum_c n_c (g_c - \bar g)^2`, with n_c the rows of a cell and g_c the exact
    derivative by it. "delta" is the value -+ z standard errors. "effective_n" is the score
    interval for the effective sample size, the number of rows with which a share p would have that
    variance, :math:`p (1 - p) / Var`: Wilson's with a t quantile and Satterthwaite's degrees of
    freedom over the classes (Korn & Graubard 1998). With weights the sum
    is of squared weights, with groups of squared sums over groups. "mover" adds the squared
    distances to the bounds of the shares; towards the nearer end of the range the bound of a mean
    is at least as far as Wilson's for the mean. ``docs/coverage.md`` has the coverage of each
    method.

    References
    ----------
    Takahashi et al. (2022), Applied Intelligence 52, 4961-4972; Wilson (1927), JASA 22(158),
    209-212; Zou & Donner (2008), Statistics in Medicine 27(10), 1693-1702, for "mover"; Korn &
    Graubard (1998), Survey Methodology 24(2), 193-201; Hall (1992), Journal of
    the Royal Statistical Society B 54(1), 221-228, for "hall"; Efron (1987), JASA 82(397), 171-185;
    Hesterberg (2015), The American Statistician 69(4), 371-386, for "expanded"; Waudby-Smith,
    Arbour, Sinha, Kennedy & Ramdas (2024), Annals of Statistics 52(6), 2613-2640, and Howard,
    Ramdas, McAuliffe & Sekhon (2021), Annals of Statistics 49(2), 1055-1080, for "anytime".

    Examples
    --------
    >>> from skmetrics_ext import confidence_interval
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2] * 5
    >>> y_pred = [0, 0, 0, 1, 1, 1, 1, 0, 2, 2, 1, 2] * 5
    >>> print(confidence_interval("f1_macro", y_true, y_pred))
    F1 macro 0.7579 [0.6372, 0.8481], 95 %, 60 rows, effective_n
    >>> print(confidence_interval("recall", y_true, y_pred, average="macro"))
    Recall 0.75 [0.6263, 0.8422], 95 %, 60 rows, mover
    >>> print(confidence_interval("accuracy", y_true, y_pred, goal=0.6))
    Accuracy 0.75 [0.6277, 0.8422], goal 0.6: reached, 95 %, 60 rows, wilson
    >>> print(confidence_interval("accuracy", y_true * 5, y_pred * 5, method="anytime"))
    Accuracy 0.75 [0.6694, 0.8212], 95 %, 300 rows, anytime
    >>> print(confidence_interval(["accuracy", "f1_macro"], y_true, y_pred))
    metric     value     95 % interval  rows  method
    --------  ------  ----------------  ----  -----------
    accuracy  0.7500  [0.6277, 0.8422]    60  wilson
    f1_macro  0.7579  [0.6372, 0.8481]    60  effective_n
    >>> models = {"new": y_pred, "old": y_pred[::-1], "older": [0, 1, 2] * 20}
    >>> table = confidence_interval("f1_macro", y_true, models)
    >>> print(table.against("old").adjust("simultaneous"))
    95 % simultaneous intervals
    metric    model  against   value  reference  difference  95 % interval  p (adjusted)  rows
    --------  -----  -------  ------  ---------  ----------  -------------  ------------  ----
    f1_macro  new    old      0.7579     0.2222     +0.5357   [0.39, 0.69]       < 0.001    60
    f1_macro  older  old      0.5000     0.2222     +0.2778   [0.10, 0.45]         0.001    60
    """
    given: Options = dict(locals())
    if isinstance(metric, list | tuple):
        return _of_several(metric, y_true, y_pred, given)
    if isinstance(y_pred, Mapping):
        studies.refuse_others(confidence_interval, "for several models", given, _OF_MODELS)
    metric_params, y_pred = rows_of.at_threshold(
        threshold, metric, metric_params, y_true, y_pred=y_pred
    )
    measure, level = rows_of.find_metric(metric, metric_params), check_level(confidence_level)
    plan = DrawPlan(n_resamples, stratified, random_state, n_jobs, progress, min_rows)
    aim = None if goal is None else Goal.of(goal, measure)
    if readers is not None:
        studies.refuse_others(confidence_interval, "with readers=", given, studies.KEPT)
        study = studies.read_study(measure, y_true, {"y_pred": y_pred}, groups, readers)
        if study.is_of_one_reader:
            plain: Options = {"confidence_level": level, **metric_params}
            estimate = studies.of_one_reader(confidence_interval(metric, y_true, y_pred, **plain))
        else:
            estimate = studies.reader_interval(study, readers_are, level)
        return estimate if aim is None else aim.compared_with(estimate)
    labelling = Labelling.of(**{name: given[name] for name in LABELLING})
    design = sample_weight, groups, strata, weights_are
    read = Given(measure, y_true, y_pred, *design, labelling)
    if isinstance(y_pred, Mapping):
        return _of_models(read, Made(Missing(""), plan, method), level, rows)
    statistic = read.statistic()
    estimates = interval_of(statistic, method, level, plan, is_whole=True)
    if isinstance(estimates, list):
        if aim is not None:
            estimates = list(map(aim.compared_with, estimates))
        return table_of(estimates, read, statistic, plan, method, rows)
    made = Made(leaf_of(read, statistic, rows=rows), plan, method)
    note = "; ".join(filter(None, (estimates.note, note_on_response(y_pred, statistic.origin))))
    estimate = replace(estimates, note=note, _made=made)
    return estimate if aim is None else aim.compared_with(estimate)


def table_of(
    estimates: Sequence[Estimate],
    given: Given,
    statistic: Linearized,
    plan: DrawPlan,
    method: str,
    rows: Any,
) -> Estimates:
    """The table of a metric with several values, which are computed with one by one."""
    source, listed = object(), []
    for place, estimate in enumerate(estimates):
        value = value_of(statistic, place)
        x: Any = Missing(value) if isinstance(value, str) else None
        if not isinstance(value, str):
            x = leaf_of(replace(given, place=place), value, rows=rows, source=source)
        made = Made(x, plan, method)
        listed.append(row_from(replace(estimate, _made=made), n_rows=estimate.n))
    return Estimates(listed, confidence_level=estimates[0].confidence_level)


def _of_models(given: Given, made: Made, level: float, rows: Any) -> Estimates:
    """The table of a metric of several models on the same rows."""
    if not given.y_pred:
        raise InvalidParameterError("y_pred has no model: pass {'a': pred_a, 'b': pred_b}.")
    listed, known = [], leaves_of_models(given, "y_pred", rows)
    for name, (leaf, statistic) in zip(given.y_pred, known, strict=True):
        estimate: Any = interval_of(statistic, made.method, level, made.plan, is_whole=True)
        note = note_on_response(given.y_pred[name], statistic.origin)
        note = "; ".join(filter(None, (estimate.note, note)))
        estimate = replace(estimate, note=note, _made=made._replace(expression=leaf))
        listed.append(row_from(estimate, model=name, n_rows=estimate.n))
    positive = class_notes(positive_class_of(known[0][1].origin))
    return Estimates(listed, confidence_level=level, notes=positive)


def _of_several(metrics: Sequence[str], y_true: Any, y_pred: Any, given: Options) -> Any:
    """The table of `compute_metrics` for metrics that all take the same predictions."""
    from skmetrics_ext import compute_metrics  # of a higher layer

    why = "for a list of metrics: call once for each metric"
    studies.refuse_others(confidence_interval, why, given, OF_SEVERAL)
    shared = {name: given[name] for name in OF_SEVERAL} | given["metric_params"]
    responses = {rows_of.find_metric(name, {}).spec.response for name in metrics}
    if shared["threshold"] is not None:
        responses -= {"labels"}
        responses = responses or {"scores"}
    if len(responses) > 1 and "labels" in responses:
        raise InvalidParameterError(
            f"y_pred cannot be labels and scores, and {list(metrics)} take both: "
            "compute_metrics([...], y_true, y_pred, y_proba=..., intervals=True)."
        )
    argument = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}
    response = {argument[min(responses, default="labels")]: y_pred}
    return compute_metrics(metrics, y_true, **response, intervals=True, **shared)


def interval_of_checked(
    metric: Metric,
    checked: Labels | Scores | Probabilities,
    *,
    value: Any = None,
    groups: Any = None,
    strata: Any = None,
    weights_are: str = "importance",
    method: str = "auto",
    confidence_level: float = 0.95,
    **draws: Any,
) -> Estimate | list[Estimate]:
    """Interval of a metric of checked data, whose positive class is settled.

    Parameters
    ----------
    metric : Metric
        A metric of this package from `find`, settled for the classes of the data.
    checked : Labels, Scores or Probabilities
        Checked data, weights included, which its function takes instead of both arrays.
    value : float or ndarray, default=None
        The metric of these data, if it is known.
    groups, strata, weights_are, method, confidence_level, **draws
        As in `confidence_interval`.
    """
    design = INDEPENDENT
    if groups is not None or strata is not None:
        design = read_design(groups, strata, checked.true.shape[0], True)
    sample = rows_of.sample_of_checked(metric, checked, design, weights_are, value)
    plan = DrawPlan(**draws) if draws else PLAN
    return interval_of(linearize(sample), method, check_level(confidence_level), plan)


@document
def influence_values(
    metric: str | Callable[..., Any],
    y_true: ArrayLike,
    y_pred: ArrayLike | Mapping[str, ArrayLike],
    *,
    sample_weight: ArrayLike | None = None,
    **metric_params: Any,
) -> Array:
    r"""Influence of each row on a metric: its contribution to the sampling error.

    .. math:: \hat\theta - \theta \approx \frac{1}{n} \sum_i \phi_i, \qquad
        \phi_i = n \, w_i \, \frac{\partial \hat\theta}{\partial w_i}

    The standard error is :math:`\sqrt{\sum_i \phi_i^2} / n`; with clustered rows, sums over
    clusters replace rows. A difference between models or metrics has the differences of their
    influence values. The largest ones show on which rows a value depends.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names` (losses are not negated), or a metric of this package.
    y_true : array-like
        True labels.
    y_pred : array-like or dict of str to array-like
        Labels, scores or probabilities, as the metric takes them; or those of several models.
    {sample_weight}
    **metric_params : dict
        Parameters of the metric: ``labels``, ``pos_label``, ``average`` and others.

    Returns
    -------
    ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_models)
        In units of the metric, with mean 0; a column for each class if the metric returns an
        array, or for each model. 0 for rows of weight 0. Masked rows are left out.

    Raises
    ------
    {raises}
        If the metric has no derivative by its rows: a maximum over thresholds, a distance, an
        error within bins.

    Notes
    -----
    Derivatives are exact: by complex steps for confusion tables and means, in closed form for
    rankings. Rates at a stated value of another rate also depend on the densities of both classes
    there, which are estimated over a window (Hall & Sheather 1988, Journal of the Royal Statistical
    Society B 50(3), 381-391).

    References
    ----------
    Hampel (1974), Journal of the American Statistical Association 69(346), 383-393.

    Examples
    --------
    >>> from skmetrics_ext import influence_values
    >>> influence_values("accuracy", [0, 0, 1, 1], [0, 1, 1, 1])
    array([ 0.25, -0.75,  0.25,  0.25])
    >>> values = influence_values("roc_auc", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> values, float((values**2).sum() ** 0.5 / 4)
    (array([ 0.5, -0.5, -0.5,  0.5]), 0.25)
    """
    if isinstance(y_pred, Mapping):
        if not y_pred:
            raise InvalidParameterError("y_pred must hold a model at least, got an empty dict.")
        each = {"sample_weight": sample_weight, **metric_params}
        columns = []
        for name, pred in y_pred.items():
            with rows_of.errors_naming(str(name)):
                columns.append(influence_values(metric, y_true, pred, **each))
        return np.stack(columns, axis=-1)
    measure = rows_of.find_metric(metric, metric_params)
    if not measure.spec.is_known:
        raise InvalidParameterError(
            f"metric must be one of this package, whose derivative is known, got {measure.name}."
        )
    settled, checked = rows_of.check_rows(measure, y_true, y_pred, sample_weight)
    statistic = linearize(rows_of.sample_of_checked(settled, checked))
    if not (statistic.has_influence or statistic.origin.jumps):
        raise InvalidParameterError(
            f"metric={measure.name!r} of these data has no derivative by its rows; "
            "confidence_interval resamples it."
        )
    weight = checked.weight
    n_rows = int(checked.true.shape[0])
    parts = statistic.by_row[0].T
    values = np.zeros((n_rows, *parts.shape[1:]))
    values[slice(None) if weight is None else weight != 0] = n_rows * parts
    return values

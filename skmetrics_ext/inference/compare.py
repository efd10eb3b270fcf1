"""Comparison of two models on the same rows: a difference, its interval and its test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.annotations import usage
from skmetrics_ext.inference import anytime
from skmetrics_ext.inference import reader_studies as studies
from skmetrics_ext.inference.abstention import Abstained, may_abstain
from skmetrics_ext.inference.algebra import Given, Made, leaves_of_models, linear, mapped
from skmetrics_ext.inference.anytime import ANYTIME, MIN_ROWS
from skmetrics_ext.inference.directions import with_directions
from skmetrics_ext.inference.draws import pairs
from skmetrics_ext.inference.draws import readers as rows_of
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.draws.bootstrap import DrawPlan, bootstrap_bounds, resample
from skmetrics_ext.inference.draws.rankings import is_mean_area
from skmetrics_ext.inference.labelling import (
    LABELLING,
    NOT_NARROWER,
    OF_SEVERAL,
    OTHER_LABELS,
    Corrected,
    Labelling,
    Population,
)
from skmetrics_ext.inference.linearized import Linearized, Pair, differences
from skmetrics_ext.inference.margins import Alternative, Asked, Claim, Contrast, on_side
from skmetrics_ext.inference.methods import facts_of_both
from skmetrics_ext.inference.notes import JUMPS, NONE, note_on_metric, with_design
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import tail_probability
from skmetrics_ext.inference.t_tests import no_difference, paired_t_tests
from skmetrics_ext.inference.tests.contingency import discordant_rows, mcnemar_comparisons
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, Options, RandomState
from skmetrics_ext.progress import Progress
from skmetrics_ext.registry import Metric
from skmetrics_ext.tables import without_methods
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.cutoffs import offering_threshold
from skmetrics_ext.validation.parameters import check_level

if TYPE_CHECKING:
    from skmetrics_ext.inference.estimates import Estimates

LOG_RATIO = "log_ratio"
CompareMethod = Literal[
    "auto", "delong", "mcnemar", "log_ratio", "delta", "bootstrap", "permutation", "anytime"
]
COMPARE_METHODS = get_args(CompareMethod)
_NAN = float("nan")
_MOST_EXCHANGED = 40_000_000  # rows in all exchanges that a test makes unasked
_LEAST_EXCHANGES = 199
_OF_TWO = ("bootstrap", "permutation", ANYTIME)  # methods of two models at a time
_READ_BY_HITS = ("hits", "marks")  # tallies of rows that are right or wrong


@overload
def compare(
    metric: str | Callable[..., Any],
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    **options: Any,
) -> Estimate: ...
@overload
def compare(
    metric: Any, y_true: ArrayLike, pred_a: Any, pred_b: Any = None, **options: Any
) -> Estimates: ...
@document
@offering_threshold
@may_abstain
def compare(
    metric: Any,
    y_true: ArrayLike,
    pred_a: ArrayLike | Mapping[Any, ArrayLike],
    pred_b: ArrayLike | None = None,
    *,
    method: CompareMethod = "auto",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
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
        Labels, scores or probabilities of each model, as the metric takes them. A dict from names
        to such arrays, in the place of both, compares every two models.
    method : str, default="auto"
        One of:

        - "delong": from the covariance of both areas under the ROC curve (`delong_test`), of two
          classes or averaged over more. "auto" uses a t quantile with Satterthwaite's degrees of
          freedom instead of the normal one;
        - "mcnemar": the mid-P test and Tango's interval (`mcnemar_test`), for accuracy and error
          rate of independent rows without weights;
        - "delta": the difference over its standard error from `influence_values`; for means over
          rows it is the paired t test. For metrics of a confusion matrix, each class has at least
          the variance of two rows in which the models differ;
        - "log_ratio": "delta" on the logarithms of metrics that are ratios (likelihood ratios,
          odds ratio, observed over expected);
        - "bootstrap": rows are drawn with replacement, the same for both models; percentiles,
          and twice the share of draws on the other side of 0 as the p-value;
        - "permutation": in each row, or group, the models are exchanged at random, or in all
          possible ways if there are at most ``n_resamples``. For rankings the ranks are exchanged,
          since the scores of two models may have different scales. There is no interval;
        - "anytime": the interval and the p-value hold at every look at growing data (a confidence
          sequence, from `influence_values`), and are about 1.6 times as wide as at one look;
        - "auto": the first of these that applies. If the variance of areas cannot be estimated, the
          p-value is that of "permutation", from fewer draws if there are more than 4,000 rows.
    alternative : str, default="two-sided"
        "two-sided", "less", "greater", "non-inferior" or "equivalent".
        The claim about the first model: that its metric differs from that of the second, is
        less, or is greater (with a margin, by more than that); that it is "non-inferior", not
        worse by the margin or more; or "equivalent", within the margin on both sides.
    margin : float, default=None
        The least difference that matters, in units of the metric; positive. For "log_ratio" the
        logarithm of the least ratio, as ``math.log(1.25)``.
    threshold : float, default=None
        Read both predictions as scores, for a metric of labels, as in `confidence_interval`.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the two-sided interval. With 0.95, claims on one side are tested at
        2.5 %, so that ``concluded`` agrees with the interval; "equivalent" is tested at 5 % on
        each side, with a 90 % interval.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row (site, age band), if a fixed number of rows, or groups, was sampled
        from each, as in `confidence_interval`.
    {sample_weight}
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    {labelling}
    readers : array-like of shape (n_samples,), default=None
        The reader of each row, in long form: one row for each reader and case, with the case in
        ``groups``. The difference is that of the means over readers. Where a reader has not used
        one of the models, its prediction is missing (nan or None).
    readers_are : {"random", "fixed"}, default="random"
        Whether the result is about all readers of whom these are a sample, or about these alone.
    abstain, abstained : object, default=None and "leave out"
        Predictions that are no answer, as in `confidence_interval`; each model is compared on its
        own rows.
    ignore : label or list of labels, default=None
        True labels of rows to leave out, as in `confidence_interval`.
    stratified : bool, default=False
        Whether each draw of "bootstrap" keeps the number of rows of each class.
    min_rows : int, default=200
        Rows, or effective groups, at which "anytime" starts; relative to an interval for one look
        it is narrowest at 2.5 times as many.
    n_resamples : int, default=None
        Number of draws. By default at least 1,999, until the Monte Carlo standard error of the
        bounds is 2.5 % of the width of the interval and the verdict is clear, and at most 9,999;
        9,999 for "permutation". The result shows the number.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of processes; the result does not depend on it.
    progress : bool, callable or None, default=None
        True shows a progress bar; a callable is called with the numbers of finished blocks of draws
        and of all.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    Estimate or Estimates
        For several metrics, or a dict of models, the table of the differences of each model from
        those after it, with simultaneous intervals from three models on. Otherwise one estimate:
        ``method`` names the method that was used. For "log_ratio" the difference, its bounds and
        its standard error are those of logarithms: ``exp(difference)`` is the ratio of the first
        value to the second. ``concluded`` is whether the claim is shown. Models that agree on every
        row have difference 0 and p = 1, and an interval that depends on the number of rows of the
        rarest class.

    Raises
    ------
    {raises}

    Notes
    -----
    With a margin M, and the tails of the method's null distribution shifted to the limit:
    "greater" :math:`P(d \ge \hat d \mid M)`; "less" :math:`P(d \le \hat d \mid -M)`;
    "two-sided" twice the lesser of both; "non-inferior" :math:`P(d \ge \hat d \mid -M)`, of losses
    :math:`P(d \le \hat d \mid M)`; "equivalent" the greater of these two one-sided p-values
    (TOST), so that it is concluded at 0.05 if the 90 % interval is within the margin. Shares of
    rows are tested by Tango's score, whose standard errors are those under the limit.
    "permutation" tests that nothing differs, so it takes no margin.

    References
    ----------
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680, for TOST;
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44(3), 837-845; Tango (1998), Statistics in
    Medicine 17(8), 891-908; Efron & Tibshirani (1993), An Introduction to the Bootstrap; Bandos,
    Rockette & Gur (2005), Statistics in Medicine 24(18), 2873-2893, for exchanges of ranks; Phipson
    & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1), 39;
    Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Annals of Statistics 52(6), 2613-2640.

    Examples
    --------
    >>> from skmetrics_ext import compare
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1] * 5
    >>> a, b = [1, 2, 3, 6, 4, 5, 7, 8] * 5, [1, 6, 3, 7, 2, 5, 4, 8] * 5
    >>> print(compare("roc_auc", y_true, a, b))  # doctest: +ELLIPSIS
    ROC AUC 0.875 against 0.5625: 0.3125 [0.1531, 0.4719], p = 0.000326, the first is better, ...
    >>> print(compare("roc_auc", y_true, a, b, method="permutation"))  # doctest: +ELLIPSIS
    ROC AUC 0.875 against 0.5625: 0.3125 [nan, nan], p = 1.91e-06, the first is better, ...
    >>> result = compare("roc_auc", y_true, a, b, margin=0.05, alternative="non-inferior")
    >>> round(result.p_value, 6), result.concluded
    (2.5e-05, True)
    >>> print(compare(["roc_auc", "gini"], y_true, {"a": a, "b": b}))
    metric   model  against   value  reference  difference     95 % interval        p  rows
    -------  -----  -------  ------  ---------  ----------  ----------------  -------  ----
    roc_auc  a      b        0.8750     0.5625     +0.3125  [0.1531, 0.4719]  < 0.001    40
    gini     a      b        0.7500     0.1250     +0.6250  [0.3063, 0.9437]  < 0.001    40
    """
    given: Options = dict(locals())
    check_models(pred_a, pred_b)
    if isinstance(metric, list | tuple) or isinstance(pred_a, Mapping):
        why = "for several metrics, or models beyond two"
        studies.refuse_others(compare, why, given, OF_SEVERAL)
        shared = {name: given[name] for name in OF_SEVERAL} | metric_params
        return differences_of_models(metric, y_true, pred_a, pred_b, shared)
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    metric_params, pred_a, pred_b = rows_of.at_threshold(
        threshold, metric, metric_params, y_true, pred_a=pred_a, pred_b=pred_b
    )
    measure, level = rows_of.find_metric(metric, metric_params), check_level(confidence_level)
    claim = Claim.of(alternative, margin, measure)
    plan = DrawPlan(n_resamples, stratified, random_state, n_jobs, progress, min_rows)
    asked = Asked(claim.level(level), claim, plan, method)
    models: dict[str, Any] = {"pred_a": pred_a, "pred_b": pred_b}
    if readers is not None:
        studies.refuse_others(compare, "with readers=", given, studies.KEPT)
        log = is_ratio(measure)
        study = studies.read_study(measure, y_true, models, groups, readers, log=log)
        if not study.is_of_one_reader:
            return studies.reader_interval(study, readers_are, asked.level, claim)
        plain: Options = {"alternative": alternative, "margin": margin}
        plain |= {"confidence_level": confidence_level, **metric_params}
        of_reader: Any = compare(metric, y_true, pred_a, pred_b, **plain)
        return studies.of_one_reader(of_reader)
    labelling = Labelling.of(**{name: given[name] for name in LABELLING})
    if labelling is not None:
        labelling = replace(labelling, responses=(pred_a, pred_b))
    rows = Given(measure, y_true, models, sample_weight, groups, strata, weights_are, labelling)
    (a, first), (b, second) = leaves_of_models(rows)
    (result,) = compare_pairs([(first, second)], asked)
    if measure.spec.is_known:
        facts, sides = facts_of_both(result.facts, first), (first, second)
        note = with_directions(result.note, sides, (pred_a, pred_b), asked.level)
        result = replace(result, facts=facts, note=note)
    difference: Any = (1.0, a), (-1.0, b)
    if LOG_RATIO in result.method:
        difference = (1.0, mapped(a, "log")), (-1.0, mapped(b, "log"))
    return replace(result, _made=Made(linear(*difference), plan, method, claim))


def compare_pairs(pairs: Sequence[Pair], asked: Asked) -> list[Estimate]:
    """The comparisons of pairs of models by the method, or with "auto" by the first that applies.

    All models have the same rows and the same metric.
    """
    method, claim, (first, _) = asked.method, asked.test, pairs[0]
    metric = first.origin.metric
    check_option("method", method, COMPARE_METHODS)
    if method == "permutation" and claim.margin is not None:
        raise InvalidParameterError(
            "method='permutation' tests that nothing differs and takes no margin, got "
            f"{claim.margin:g}."
        )
    models = dict.fromkeys(chain(*pairs))
    are_corrected = Corrected in set(map(type, models))
    has_influence = {model.has_influence for model in models} == {True}
    if len(pairs) > 1 and (are_corrected or not has_influence or method in _OF_TWO):
        return [compare_pairs([pair], asked)[0] for pair in pairs]
    if are_corrected:
        return [_of_labels(*pairs[0], asked)]
    has_readings = has_influence or all(
        reading.has_influence for model in models for reading in model.readings
    )
    runs: dict[str, tuple[bool, Callable[..., Any]]] = {
        "delong": (is_mean_area(metric), _by_delong),
        "mcnemar": (is_hits(first), _by_mcnemar),
        LOG_RATIO: (is_ratio(metric) and has_influence, partial(_by_delta, log=True)),
        "delta": (has_readings, _by_delta),
        "bootstrap": (True, _by_bootstrap),
        "permutation": (True, _by_permutation),
        ANYTIME: (has_influence, _by_looks),
    }
    applicable = [name for name, (applies, _) in runs.items() if applies]
    chosen = applicable[0] if method == "auto" else method
    results: list[Any] = [undefined_difference(pair, asked) for pair in pairs]
    defined = [pair for pair, known in zip(pairs, results, strict=True) if known is None]
    if not defined:
        return results
    if chosen not in applicable:
        raise InvalidParameterError(
            f"method={method!r} does not apply to {metric.name} with these arguments; those "
            f"that do are {applicable}."
        )
    run, log = runs[chosen][1], chosen == LOG_RATIO
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # nan where undefined
        found = [run(*defined[0], asked)] if chosen in _OF_TWO else run(defined, asked)
        if not first.design.is_plain:
            read = differences(defined, log=log) if has_influence else ()
            effects = chain(*(np.ravel(each.design_effect()).tolist() for each in read))
            design = first.atoms.of_design()
            for place, each in enumerate(found):
                note, effect = with_design(each.note, first.atoms), next(effects, _NAN)
                found[place] = replace(each, **design, design_effect=effect, note=note)
    rest = iter(found)
    return [next(rest) if known is None else known for known in results]


def _of_labels(first: Any, second: Any, asked: Asked) -> Estimate:
    """The comparison of corrected statistics, or that of labelled rows where nothing is gained."""
    if not (isinstance(first, Corrected) and isinstance(second, Corrected)):
        raise InvalidParameterError(OTHER_LABELS)
    method = asked.method
    log = is_ratio(first.origin.metric) and method in ("auto", LOG_RATIO)
    (difference,) = differences([(first, second)], log=log)
    correction = difference.correction  # type: ignore[attr-defined]
    alone = partial(compare_pairs, [(first.plain, second.plain)], asked)
    note, found = correction.note, undefined_difference((first, second), asked)
    if not correction.used:
        (found,) = alone()
    elif found is None:
        name = (LOG_RATIO if log else "delta") if method == "auto" else method
        check_option("method", name, (LOG_RATIO if log else "delta", ANYTIME))
        if name == ANYTIME:
            found = _by_looks(first, second, asked)
        else:
            (found,) = _by_delta([(first, second)], asked, log=log)
        design = {} if first.design.is_plain else first.atoms.of_design()
        found = replace(found, **design, note=with_design(found.note, first.atoms))
        if correction.by_proxy and not correction.is_weighted:
            (other,) = alone()
            if other.high - other.low < found.high - found.low:
                found, note = other, NOT_NARROWER
    return replace(found, note="; ".join(filter(None, (found.note, note))))


def undefined_difference(sides: Sequence[Linearized], asked: Asked) -> Estimate | None:
    """A comparison without a result, if one of both values is 0/0 and so no measurement."""
    first, second = sides
    if not (first.undefined or second.undefined):
        return None
    one = f"a: {first.undefined}" if first.undefined else f"b: {second.undefined}"
    note = first.undefined if first.undefined and second.undefined else one
    values = float(first.value), float(second.value)
    return Contrast(_NAN, values, NONE, asked).tested(note=note)


def is_ratio(metric: Metric) -> bool:
    """Whether the metric is a ratio, which is compared by its logarithm."""
    return metric.spec.interval == "log"


def is_hits(model: Linearized) -> bool:
    """Whether McNemar's test applies (accuracy, independent, unweighted rows)."""
    metric = model.origin.metric
    if metric.tally not in _READ_BY_HITS or metric.params:
        return False
    return model.design.is_counted and not model.origin.data.is_multilabel


# --------------------------------------------------------------------------- methods


def _by_delong(pairs: Sequence[Pair], asked: Asked) -> list[Estimate]:
    by_t = asked.method == "auto"
    name = "delong, Welch-Satterthwaite" if by_t else "delong"
    results = paired_t_tests(pairs, asked, name, normal=not by_t)
    for place, each in enumerate(results):
        if not by_t:
            results[place] = replace(each, note=each.note * isnan(each.p_value))
        elif not (each.standard_error > 0 and isfinite(each.statistic)):
            results[place] = _still_areas(pairs[place], each, asked)
    return results


def _still_areas(pair: Pair, result: Estimate, asked: Asked) -> Estimate:
    """The comparison of areas that have no variance to estimate, with a test by exchanges."""
    result = replace(result, method="delong")
    if asked.test.margin is not None or not isnan(result.p_value) or isnan(result.value):
        return result
    n_rows, plan, note = len(pair[0].atoms), asked.plan, "the areas have no variance to estimate"
    if plan.n_resamples is None and n_rows * plan.most_draws > _MOST_EXCHANGED:
        n_draws = max(_MOST_EXCHANGED // n_rows, _LEAST_EXCHANGES)
        asked = replace(asked, plan=replace(plan, n_resamples=n_draws))
        note += f"; its p-value rests on {n_draws:,} exchanges: n_resamples= draws more"
    tested = _by_permutation(*pair, asked)
    name = f"{result.method}, p-value by {tested.method}"
    return replace(result, p_value=tested.p_value, method=name, note=note)


def _by_delta(pairs: Sequence[Pair], asked: Asked, *, log: bool = False) -> list[Estimate]:
    (first, second), name = pairs[0], LOG_RATIO if log else "delta"
    name += ", paired t" * first.origin.is_mean
    note = note_on_metric(first.origin.metric)
    if first.has_influence and second.has_influence:
        found = paired_t_tests(pairs, asked, name, log=log)
        return [replace(each, note=each.note or note) if note else each for each in found]
    # Where a model may be read at several thresholds, the most cautious answer.
    tested = paired_t_tests(list(product(first.readings, second.readings)), asked, name)
    low, high, p_value = zip(*((each.low, each.high, each.p_value) for each in tested), strict=True)
    result = replace(tested[0], low=min(low), high=max(high), p_value=max(p_value))
    own = "" if len(tested) > 1 and np.isfinite(result.low) else result.note
    return [replace(result, note=own or note)]


def _by_looks(first: Linearized, second: Linearized, asked: Asked) -> Estimate:
    """A difference whose interval and p-value hold at every look."""
    from scipy.special import ndtri

    log = is_ratio(first.origin.metric)
    (difference,) = differences([(first, second)], log=log)
    rows, least, level = anytime.independent_rows(difference), asked.plan.min_rows, asked.level
    if rows < least:
        values = float(first.value), float(second.value)
        contrast = Contrast(float(difference.value), values, ANYTIME, asked)
        return contrast.tested(note=anytime.too_early(difference, least))
    one_look = float(anytime.level_of_one_look(rows, level, least))
    one = replace(asked, level=one_look)
    (result,) = paired_t_tests([(first, second)], one, ANYTIME, log=log)
    result = replace(result, confidence_level=level, note=without_methods(result.note))
    if not result.standard_error > 0:
        return result
    freedom = result.freedom or np.inf

    def tail(null: float, side: str) -> float:
        t = (result.value - null) / result.standard_error
        z = float(ndtri(tail_probability(abs(t), freedom, "greater")))
        return on_side(anytime.p_value_of_looks(z, rows, level, least), t, side)

    return replace(result, p_value=asked.test.tested(tail)[0])


def _by_mcnemar(pairs: Sequence[Pair], asked: Asked) -> list[Estimate]:
    first, _ = pairs[0]
    weights_are = "importance" if first.design.sizes is None else "frequency"
    counts = discordant_rows([(a.origin.data, b.origin.data) for a, b in pairs], weights_are)
    if not first.origin.metric.spec.greater_is_better:  # a share of errors: rows that are wrong
        only_a, only_b, n_rows, both = counts
        counts = only_b, only_a, n_rows, n_rows - only_a - only_b - both
    return mcnemar_comparisons(counts, "mid_p", asked)


# --------------------------------------------------------------------------- draws


def _by_bootstrap(first: Linearized, second: Linearized, asked: Asked) -> Estimate:
    pair, claim = pairs.pair_of_samples(first.origin, second.origin), asked.test
    if pair.is_turned:
        return _turned(_by_bootstrap, first, second, asked)
    contrast = Contrast(pair.value, pair.values, "bootstrap", asked)
    if np.isnan(pair.value):
        return contrast.tested()
    draws = resample(pair, asked.plan, asked.level, [null for null, _ in claim.parts])
    low, high = bootstrap_bounds(pair, draws, "bootstrap", asked.level, (-np.inf, np.inf))
    known = draws[~np.isnan(draws)]
    if pair.value == 0 and not known.any():
        return no_difference(contrast, pair, _NAN, len(draws))

    notes = [note_on_metric(pair.metric)]
    if first.origin.jumps or second.origin.jumps:
        notes.append(JUMPS)
    if len(known) < len(draws):
        notes.append(f"{len(draws) - len(known)} of {len(draws)} draws were undefined")
    error = float(known.std(ddof=1)) if len(known) > 1 else _NAN
    p_value = claim.tested(partial(share_beyond, known))[0]
    note = "; ".join(filter(None, notes))
    bounds = float(low), float(high)
    return contrast.tested(bounds, _NAN, p_value, error, note, draws=len(draws))


def share_beyond(draws: Array, null: float, side: str) -> float:
    """Share of draws beyond a value; the observed rows count as one more, so it is not 0."""
    below = (np.count_nonzero(draws <= null) + 1) / (len(draws) + 1)
    above = (np.count_nonzero(draws >= null) + 1) / (len(draws) + 1)
    tails = {"greater": below, "less": above, "two-sided": min(2 * min(below, above), 1.0)}
    return tails[side]


def _by_permutation(first: Linearized, second: Linearized, asked: Asked) -> Estimate:
    pair = pairs.exchange_of_samples(first.origin, second.origin)
    if pair.is_turned:
        return _turned(_by_permutation, first, second, asked)
    ((_, side),) = asked.test.parts
    test = pairs.permutation_test(pair, asked.plan, side)
    note = "" if np.isnan(pair.value) else "exchanges have no interval"
    if test.undefined:
        note = f"{test.undefined} of {test.orders} exchanges were undefined and count as large"
    name = "permutation, exact" if test.exact else "permutation"
    contrast = Contrast(pair.value, pair.values, name, asked)
    n_draws = 0 if test.exact else test.orders
    return contrast.tested(p_value=test.p_value, note=note, draws=n_draws)


def _turned(
    run: Callable[[Linearized, Linearized, Asked], Estimate],
    first: Linearized,
    second: Linearized,
    asked: Asked,
) -> Estimate:
    """The comparison by draws of the models in the other order.

    Draws are made in one of both orders, so that p-values do not depend on that of the user.
    """
    result = run(second, first, asked.about(asked.test.reversed()))
    turned = replace(result, low=0.0 - result.high, high=0.0 - result.low)
    turned = replace(turned, value=0.0 - result.value, statistic=0.0 - result.statistic)
    return replace(turned, value_a=result.value_b, value_b=result.value_a)


# --------------------------------------------------------------------------- several models


def check_models(first: Any, second: Any) -> None:
    """Two arrays, or one dict of two models or more."""
    is_dict = isinstance(first, Mapping)
    if is_dict and (second is not None or len(first) < 2):
        raise InvalidParameterError(
            "pred_a and pred_b are two arrays, or pred_a is one dict of two or more, such as "
            "{'new': pred_new, 'old': pred_old}."
        )
    if not is_dict and second is None:
        from skmetrics_ext import compare

        raise InvalidParameterError(f"compare() is missing 1 model: 'pred_b'. {usage(compare)}")


def differences_of_models(
    metric: Any, y_true: Any, first: Any, second: Any, options: Options
) -> Any:
    """Differences of each model from those after it, by metric."""
    from skmetrics_ext import confidence_interval  # which compares nothing

    models = first if isinstance(first, Mapping) else {"a": first, "b": second}
    metrics: Any = metric if isinstance(metric, list | tuple) else [metric]
    predictions: Any = models
    table = confidence_interval(metrics, y_true, predictions, **options).against(model="each")
    return table if len(models) == 2 else table.adjust("simultaneous")

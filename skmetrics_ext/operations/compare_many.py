"""Comparison of many models on the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from numpy.typing import ArrayLike

from skmetrics_ext.inference.algebra import Given, Made, leaf_of
from skmetrics_ext.inference.compare import LOG_RATIO, is_ratio, statistics_of_models
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.draws.readers import find_metric
from skmetrics_ext.inference.estimate_rows import EstimateRow
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.labelling import Labelling
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.methods import positive_class_of
from skmetrics_ext.inference.results import design_text
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import RandomState
from skmetrics_ext.progress import Progress
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.positive import class_notes

ADJUSTMENTS: dict[str, tuple[Any, ...]] = {
    "max_t": ("simultaneous",),
    "holm": ("bonferroni", "holm"),
}


@document
def compare_many(
    metric: Any,
    y_true: ArrayLike,
    predictions: Mapping[Any, Any],
    *,
    control: Any = None,
    adjust: Literal["max_t", "holm"] = "max_t",
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    n_resamples: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
    **metric_params: Any,
) -> Estimates:
    r"""Simultaneous comparison of a metric between many models on the same rows.

    The probability that any two equal models are found to differ, or that any interval misses, is
    1 - ``confidence_level``, for any number of models.

    Parameters
    ----------
    metric : str or callable
        As in `compare`.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels.
    predictions : mapping
        Predictions of two or more models by name, in the form that the metric takes.
    control : object, default=None
        Name of the model that all others are compared with. By default all pairs are compared.
    adjust : {"max_t", "holm"}, default="max_t"
        - "max_t": by the distribution of the largest statistic, which uses the dependence of
          models that err on the same rows. For metrics with `influence_values`;
        - "holm": `compare` for each pair, with p-values from `holm_adjust` and intervals at level
          1 - (1 - ``confidence_level``) / pairs (Bonferroni). For all metrics. Since the intervals
          are not stepwise, an interval may contain 0 although the p-value is at most 0.05.
    confidence_level : float in (0, 1), default=0.95
        Simultaneous coverage of all intervals.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, such as the patient; rows of a group may be dependent.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row (site, age band), if a fixed number of rows, or groups, was sampled
        from each, as in `confidence_interval`.
    {sample_weight}
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    n_resamples : int, default=None
        Number of draws; by default 100,000 of the largest statistic, which are normal, and as many
        as `compare` takes for a pair that is resampled.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of processes for resampling pairs.
    progress : bool, callable or None, default=None
        Whether, or how, to show the progress of resampling.
    **metric_params : dict
        Parameters of the metric; also ``proxy=``, ``sampling=``, ``observed=`` and the other
        arguments for rows without a label, as in `compare`.

    Returns
    -------
    Estimates
        A row for each pair: ``model`` and ``against``, ``value`` (their difference) with
        simultaneous ``low`` and ``high``, ``p_value``, ``p_adjusted``, and ``value_a`` and
        ``value_b``. For metrics that are ratios (likelihood ratios, the odds ratio, observed to
        expected), differences and bounds are of logarithms.

    Raises
    ------
    {raises}

    Notes
    -----
    "max_t": :math:`T_{ij} = (\hat m_i - \hat m_j) / s_{ij}` is compared with the largest
    :math:`|\sum_r e_r (\phi_{ir} - \phi_{jr})| / s_{ij}` over the pairs, with one standard
    normal multiplier :math:`e_r` for each row, or group, and all models. Given the influence values
    :math:`\phi` such sums are normal, with the covariance of the contributions, from which they
    are drawn. Where a difference has few degrees of freedom its t statistic takes the normal
    value of the same p-value. Adjusted p-values are not less than those of the pair alone, nor
    more than Bonferroni's.

    References
    ----------
    Hothorn, Bretz & Westfall (2008), Biometrical Journal 50(3), 346-363; Chernozhukov, Chetverikov
    & Kato (2013), The Annals of Statistics 41(6), 2786-2819; Westfall & Young (1993),
    Resampling-Based Multiple Testing; Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70.

    Examples
    --------
    >>> from skmetrics_ext import compare_many
    >>> y_true = [0, 0, 1, 1] * 50
    >>> a, b = [0, 0, 1, 1] * 40 + [1, 0, 1, 0] * 10, [0, 1, 1, 1] * 50
    >>> c = [0, 1, 1, 1] * 40 + [0, 0, 1, 0] * 10
    >>> print(compare_many("balanced_accuracy", y_true, {"a": a, "b": b, "c": c}, random_state=0))
    balanced_accuracy: a 0.9, b 0.75, c 0.75 (95 % simultaneous intervals, max_t)
    metric             model  against   value  reference  difference    95 % interval  p (adjusted)
    -----------------  -----  -------  ------  ---------  ----------  ---------------  ------------
    balanced_accuracy  a      b        0.9000     0.7500     +0.1500   [0.065, 0.235]       < 0.001
    balanced_accuracy  a      c        0.9000     0.7500     +0.1500   [0.073, 0.227]       < 0.001
    balanced_accuracy  b      c        0.7500     0.7500      0.0000  [-0.050, 0.050]          1.00
    """
    check_option("adjust", adjust, list(ADJUSTMENTS))
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    labelling = Labelling.taken_from(metric_params)
    measure, level = find_metric(metric, metric_params), check_level(confidence_level)
    names = _names(predictions, control)
    by_label = {f"predictions[{name!r}]": pred for name, pred in predictions.items()}
    design = sample_weight, groups, strata, weights_are
    plan = DrawPlan(n_resamples, False, random_state, n_jobs, progress)
    statistics = statistics_of_models(measure, y_true, by_label, design, labelling)
    if adjust == "max_t" and len(names) > 2 and not all(s.has_influence for s in statistics):
        raise InvalidParameterError(
            f"adjust='max_t' needs a derivative by the rows, which {measure.name} of these data "
            "does not have; adjust='holm' resamples each pair."
        )
    source, rows = object(), []
    for name, pred, statistic in zip(names, predictions.values(), statistics, strict=True):
        leaf = leaf_of(Given(measure, y_true, pred, *design, labelling), statistic, source=source)
        alone = Asked(level).result(leaf.value)  # without an interval, which nobody asked for
        known = replace(alone, _made=Made(leaf, plan))
        row = {"metric": measure.name, "model": name, "value": leaf.value}
        rows.append(EstimateRow(row, level, known))
    found = Estimates(rows, confidence_level=level)
    found = found.against(model="each" if control is None else control)
    for how in ADJUSTMENTS[adjust]:
        found = found.adjust(how)
    values = {row["model"]: row["value"] for row in rows}
    described = f"{adjust}, {LOG_RATIO}" if is_ratio(measure) else adjust
    counts: dict[str, Any] = {}
    if not statistics[0].design.is_plain:
        counts = statistics[0].atoms.of_design()
        effects = [row.estimate.design_effect for row in found]
        described += f"; {design_text(**counts, effects=effects)}"
    listed = ", ".join(f"{name} {value:.4g}" for name, value in values.items())
    return Estimates(
        found,
        confidence_level=level,
        lead=[f"{measure.name}: {listed} ({100 * level:g} % simultaneous intervals, {described})"],
        notes=class_notes(positive_class_of(statistics[0].origin)),
        adjusted=found.adjusted,
        compared={"model": names},
        former={"values": values, "metric": measure.name, "control": control, **counts},
    )


def _names(predictions: Any, control: Any) -> list[Any]:
    is_mapping = isinstance(predictions, Mapping)
    if not is_mapping or len(predictions) < 2:
        size = f" of {len(predictions)}" if is_mapping else ""
        raise InvalidParameterError(
            "predictions has to be a mapping of two models or more, such as {'a': pred_a, 'b': "
            f"pred_b}}, got {type(predictions).__name__}{size}."
        )
    names = list(predictions)
    if control is not None:
        check_option("control", control, names)
    return names

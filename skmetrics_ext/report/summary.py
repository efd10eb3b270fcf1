"""Means over folds with an interval, and models compared on the same folds."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.bootstrap import PLAN
from skmetrics_ext.inference.draws.readers import sample_of_checked
from skmetrics_ext.inference.draws.samples import TallySample
from skmetrics_ext.inference.linearized import Linearized, linearize, mean_of_folds
from skmetrics_ext.inference.methods import interval_of
from skmetrics_ext.inference.nested_cv import LOSS_OF, nested_cv_interval
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.tests.fold_tests import (
    bayesian_correlated_ttest,
    corrected_resampled_interval,
    corrected_resampled_ttest,
)
from skmetrics_ext.inference.tests.rank_tests import holm_adjust
from skmetrics_ext.numeric import Array
from skmetrics_ext.report.fold import FoldResult, computed_once, group_sizes
from skmetrics_ext.report.out_of_fold import OutOfFold, ScoredData, no_estimate, pool
from skmetrics_ext.scoring.intervals import in_direction, with_rows
from skmetrics_ext.scoring.recording import one_line
from skmetrics_ext.scoring.scorer import ScoredModel, metric_of
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.groups import INDEPENDENT, Design

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

IntervalKind = Literal["auto", "cv", "pooled", "corrected", "nested"]
INTERVAL_KINDS = ("auto", "cv", "pooled", "corrected", "nested")
# What each kind of interval describes.
TARGETS: Mapping[str, str] = {
    "cv": "the {} fitted models",
    "pooled": "the {} fitted models, test rows pooled",
    "corrected": "models trained on other samples of this size",
    "nested": "models trained on other samples of this size (nested cross-validation)",
}
GAP = ("train", "gap", "gap_low", "gap_high")  # where training rows were scored
_AUTO = ("cv", "pooled")  # the first that every metric has; else "corrected"
_NAN = float("nan")
_INTERVAL = ("value", "standard_error", "low", "high")
_NO_SPREAD = "the value is the same on every fold, so the folds give no interval"
_FEWEST_FOLDS, _MOST_FOLDS = 3, 10


def without_baseline(report: CrossValidationReport) -> list[str]:
    """Names of the models but the baseline."""
    return [model for model in report.models if model != report.baseline]


@computed_once
def fold_cells(report: CrossValidationReport) -> list[dict[str, Any]]:
    """Mean and spread over the folds of each model and metric."""
    return [_cell(report, *of) for of in product(report.models, report.metrics)]


def _cell(report: CrossValidationReport, model: str, metric: str) -> dict[str, Any]:
    results = report.results_of(model)
    values = np.array([result.values[metric] for result in results])
    defined = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # infinite values have a mean and no spread
        mean = float(defined.mean()) if defined.size else _NAN
        std = float(defined.std(ddof=1)) if defined.size > 1 else _NAN
    cell = {
        "model": model,
        "is_baseline": model == report.baseline,
        "metric": metric,
        "mean": mean,
        "std": std,
        "n_folds": len(results),
        "n_undefined": len(results) - len(defined),
        "reasons": dict(Counter(r.reasons[metric] for r in results if metric in r.reasons)),
        "notes": dict(Counter(r.notes[metric] for r in results if metric in r.notes)),
    }
    return cell | _gap(report, model, metric) if report.has_train else cell


def _gap(report: CrossValidationReport, model: str, metric: str) -> dict[str, float]:
    """The mean on the training rows, and how far it is above that on the test rows.

    Both are over the folds in which both are defined. Values on the training rows of fitted models
    are known: the interval of the mean on the test rows is that of the gap. Where there is none,
    the gaps of the folds give one by Nadeau and Bengio.
    """
    results = report.results_of(model)
    train = [result.train_values.get(metric, _NAN) for result in results]
    paired = paired_folds(report, results, train, [result.values[metric] for result in results])
    first, test = paired.pop("scores_a"), paired.pop("scores_b")
    if not len(first):
        return dict.fromkeys(GAP, _NAN)
    mean, gap = float(first.mean()), float((first - test).mean())
    of_test = intervals_of(report, "cv")[model, metric]
    low, high = (gap + of_test["value"] - of_test[end] for end in ("high", "low"))
    if np.isnan(low) and len(first) > 1:
        folds = corrected_resampled_interval(
            first - test, confidence_level=report.confidence_level, **paired
        )
        if folds.standard_error > 0:
            low, high = folds.low, folds.high
    return dict(zip(GAP, (mean, gap, low, high), strict=True))


# --------------------------------------------------------------------------- intervals


def summary_of(report: CrossValidationReport, kind: str) -> list[dict[str, Any]]:
    """Mean and spread of each model and metric, with intervals of one kind."""
    intervals = intervals_of(report, kind)
    if kind == "nested" and all(np.isnan(cell["low"]) for cell in intervals.values()):
        notes = "; ".join(dict.fromkeys(cell["interval_note"] for cell in intervals.values()))
        raise InvalidParameterError(f"interval='nested' is not available: {notes}.")
    return [{**cell, **intervals[cell["model"], cell["metric"]]} for cell in fold_cells(report)]


def kind_of(report: CrossValidationReport, interval: str | None = None) -> str:
    """The kind of interval in all rows; "auto" is the first that every metric has."""
    interval = report.interval if interval is None else interval
    if interval != "auto":
        return interval
    defined = {cell["metric"] for cell in fold_cells(report) if not np.isnan(cell["mean"])}
    for kind in _AUTO:
        cells = intervals_of(report, kind)
        if defined <= {metric for (_, metric), cell in cells.items() if not np.isnan(cell["low"])}:
            return kind
    return "corrected"


def interval_title(report: CrossValidationReport, kind: str | None = None) -> str:
    """The level of the intervals and their target: "95 %, the 5 fitted models"."""
    target = TARGETS[kind or kind_of(report)].format(report.n_folds)
    return f"{100 * report.confidence_level:g} %, {target}"


@computed_once
def intervals_of(report: CrossValidationReport, kind: str) -> dict[tuple[str, str], Any]:
    """The interval's columns of the summary, by model and metric."""
    target, cells = TARGETS[kind].format(report.n_folds), {}
    for model, metric in product(report.models, report.metrics):
        try:
            estimate = KINDS[kind](report, model, metric)
        except NoIntervalError as error:
            estimate = no_estimate(str(error))
        cells[model, metric] = {
            "interval": kind,
            "target": target,
            **{key: getattr(estimate, key) for key in _INTERVAL},
            "interval_note": estimate.note or None,
        }
    return cells


class NoIntervalError(ValueError):
    """A metric of a report has no interval of this kind, or a fold no sample; says why."""


def _pooled(report: CrossValidationReport, model: str, metric: str) -> Estimate:
    estimate = pool(report)[model, metric]
    if np.isnan(estimate.low):
        raise NoIntervalError(estimate.note)
    return estimate


def _corrected(report: CrossValidationReport, model: str, metric: str) -> Estimate:
    """Nadeau and Bengio's interval over the folds with a value, within the bounds of the metric."""
    values = [result.values[metric] for result in report.results_of(model)]
    folds = [result for result in report.results_of(model) if np.isfinite(result.values[metric])]
    if len(folds) < 2 or np.isinf(values).any():
        raise NoIntervalError(f"the metric has a finite value on {len(folds)} folds; 2 are needed")
    estimate = corrected_resampled_interval(
        [result.values[metric] for result in folds],
        confidence_level=report.confidence_level,
        **group_sizes(report.grouping, folds),
    )
    if not estimate.standard_error > 0:
        return replace(estimate, low=_NAN, high=_NAN, note=_NO_SPREAD)
    low, high = bounds_of(report.data.scorers.get(metric))
    return replace(estimate, low=max(estimate.low, low), high=min(estimate.high, high))


def bounds_of(scorer: Any) -> tuple[float, float]:
    """Least and greatest value of a scorer; infinite where they are not known."""
    metric = metric_of(scorer)
    if metric is None or metric.params.get("normalize") is False:
        return -math.inf, math.inf
    low, high = metric.spec.bounds
    return (low, high) if scorer._sign > 0 else (-high, -low)


# --------------------------------------------------------------------------- mean over folds


def _over_folds(report: CrossValidationReport, model: str, metric: str) -> Estimate:
    """The mean over folds, with each row's contribution to the value of its fold."""
    data = report.data
    results = [r for r in report.results_of(model) if np.isfinite(r.values[metric])]
    if metric_of(data.scorers.get(metric)) is None:
        raise NoIntervalError("only metrics of this package have influence values")
    if not results or not all(r.responses for r in results):
        raise NoIntervalError("the report holds no predictions or true labels")
    sign, models = data.sign(metric), _checked_folds(report, model)
    values = [sign * result.values[metric] for result in results]
    pairs = [
        sample_of_fold(data, metric, result, known=(models[result.fold], value))
        for result, value in zip(results, values, strict=True)
    ]
    samples, read = zip(*pairs, strict=True)
    rows = np.concatenate([r.rows[places] for r, places in zip(results, read, strict=True)])
    value = float(np.mean(values))
    mean = mean_of_samples(samples, rows, data, value)
    if mean is None:
        raise NoIntervalError(f"{metric} has no derivative by its rows")
    estimate = interval_of(mean, "cv", report.confidence_level, PLAN)
    assert isinstance(estimate, Estimate)
    if not np.isfinite(estimate.low):
        raise NoIntervalError(estimate.note)
    return in_direction(estimate, sign)


@computed_once
def _checked_folds(report: CrossValidationReport, model: str) -> dict[int, ScoredModel]:
    """The predictions of each fold, which are checked once for all metrics."""
    return {result.fold: report.data.predicted(result) for result in report.results_of(model)}


def mean_of_samples(
    samples: Sequence[TallySample], rows: Array, data: ScoredData, value: float, **identity: Any
) -> Linearized | None:
    """The mean over folds with the contributions of rows; None if a fold has no derivative."""
    folds = [linearize(sample) for sample in samples]
    if not all(fold.has_influence for fold in folds):
        return None
    group = data.dependent(rows)
    if group is not None:
        group = np.unique(group, return_inverse=True)[1]
    classes = [sample.label for sample in samples if sample.label is not None]
    label = np.concatenate(classes) if len(classes) == len(samples) else None
    design = RowDesign(None, group, **identity)
    return mean_of_folds(folds, value, Atoms.each_row(len(rows), design, label))


def sample_of_fold(
    data: ScoredData,
    metric: str,
    part: FoldResult | OutOfFold,
    design: Design = INDEPENDENT,
    *,
    known: tuple[ScoredModel, float] | None = None,
    **identity: Any,
) -> tuple[TallySample, Array]:
    """A metric of a fold, and the positions of the rows that it reads in the fold.

    ``known`` are the predictions of the fold and the value of the metric, where there are any.

    Raises
    ------
    NoIntervalError
        If there is none, with the reason.
    """
    params = data.params_of(metric, part.rows)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the report noted them when it computed the value
            rows, value = known or (data.predicted(part), None)
            prepared = with_rows(data.scorers[metric], rows, params)
            if not isinstance(prepared, str):
                read = prepared.values_of_rows_read(np.arange(len(part.rows)), params)
                design = design if len(read) == len(part.rows) else design.kept(read)
                sample = sample_of_checked(
                    prepared.metric, prepared.checked, design, value=value, **identity
                )
    except (ValueError, TypeError, NotImplementedError) as error:
        raise NoIntervalError(one_line(error)) from error
    if isinstance(prepared, str):
        raise NoIntervalError(prepared)
    if np.ndim(sample.value):
        raise NoIntervalError("it has a value for each class")
    weight = prepared.checked.weight
    return sample, read if weight is None else read[weight != 0]


# --------------------------------------------------------------------------- nested


def _nested(report: CrossValidationReport, model: str, metric: str) -> Estimate:
    """Interval by `nested_cv_interval`, which fits the model again."""
    data, source = report.data, report.data.source
    if source is None:
        raise NoIntervalError("the report holds no data to fit the models to")
    own = metric_of(data.scorers[metric])
    # Other parameters are none of the loss; the positive class does not matter to it.
    if (
        own is None
        or own.function not in LOSS_OF
        or not all(map(own.is_default, own.params.keys() - {"pos_label"}))
    ):
        raise NoIntervalError(
            "nested cross-validation has the losses of error rate, accuracy, log loss and Brier "
            f"score, and not {metric}"
        )
    if data.params[metric] or source.fit[model]:
        raise NoIntervalError("nested cross-validation takes no params")
    loss, is_complement = LOSS_OF[own.function]
    try:
        estimate = nested_cv_interval(
            source.models[model],
            source.X,
            data.y,
            loss=loss,
            n_folds=min(max(report.n_folds, _FEWEST_FOLDS), _MOST_FOLDS),
            groups=None if data.grouping is None else data.grouping.of_row,
            confidence_level=report.confidence_level,
            random_state=0,
        )
    except (ValueError, TypeError, NotImplementedError) as error:
        raise NoIntervalError(one_line(error)) from error
    if is_complement:  # accuracy is 1 less the error rate
        value, low, high = 1 - estimate.value, 1 - estimate.high, 1 - estimate.low
        estimate = replace(estimate, value=value, low=low, high=high)
    return in_direction(estimate, data.sign(metric))


KINDS: Mapping[str, Callable[[CrossValidationReport, str, str], Estimate]] = {
    "pooled": _pooled,
    "cv": _over_folds,
    "corrected": _corrected,
    "nested": _nested,
}


# --------------------------------------------------------------------------- comparisons

_TESTED = ("difference", "low", "high", "p_value", "low_holm", "high_holm", "p_holm")
_POSTERIOR = ("p_a_better", "p_equivalent", "p_b_better")


def compare_models(
    report: CrossValidationReport, metric: str | None, rope: Any, against: str
) -> list[dict[str, Any]]:
    """A row per metric and pair of models, each metric with one family of tests."""
    check_option("against", against, ("all", "baseline"))
    if metric is not None:
        check_option("metric", metric, report.metrics)
    if against == "baseline" and report.baseline is None:
        raise InvalidParameterError("This report has no baseline: compare against='all'.")
    metrics = report.metrics if metric is None else (metric,)
    ropes = _ropes(rope, metrics)
    return [
        {**row, **_posterior(report, row, ropes.get(name)), "rope": ropes.get(name)}
        for name in metrics
        for row in comparisons(report, name)
        if against == "all" or report.baseline in (row["model_a"], row["model_b"])
    ]


def _ropes(rope: Any, metrics: Sequence[str]) -> Mapping[str, float]:
    """The region of practical equivalence by metric, where there is one."""
    if rope is None:
        return {}
    if isinstance(rope, Mapping):
        for name in rope:
            check_option("rope", name, metrics)
        return rope
    if len(metrics) > 1:
        example = f"{{{metrics[0]!r}: {rope!r}, ...}}"
        raise InvalidParameterError(
            f"rope={rope!r} is in units of one metric, and {len(metrics)} are compared: pass "
            f"metric=, or a dict such as rope={example}."
        )
    return {metrics[0]: rope}


@computed_once
def comparisons(report: CrossValidationReport, metric: str) -> list[dict[str, Any]]:
    """All pairs of models, with p-values and intervals adjusted by Holm's method.

    An adjusted interval has the level at which Holm's method tests its pair, so that it excludes
    0 where the adjusted p-value is below 1 - ``confidence_level``, and only there.
    """
    rows = [_test_pair(report, metric, *pair) for pair in combinations(report.models, 2)]
    tested = [row for row in rows if not np.isnan(row["p_value"])]
    tested.sort(key=lambda row: row["p_value"])
    alpha = size = 1 - report.confidence_level
    adjusted = holm_adjust([row["p_value"] for row in tested]) if tested else ()
    is_rejected = True
    for place, (row, p_holm) in enumerate(zip(tested, adjusted, strict=True)):
        if is_rejected:
            size = alpha / (len(tested) - place)
        is_rejected = is_rejected and p_holm < alpha
        test = corrected_resampled_ttest(**_paired(report, row), confidence_level=1 - size)
        row.update(p_holm=float(p_holm), low_holm=test.low, high_holm=test.high)
    return rows


def paired_folds(
    report: CrossValidationReport, results: Sequence[FoldResult], first: Any, second: Any
) -> dict[str, Any]:
    """Two values of each fold where both are defined, and the sizes of these folds."""
    first, second = np.asarray(first), np.asarray(second)
    defined = np.isfinite(first) & np.isfinite(second)
    kept = [result for result, is_kept in zip(results, defined, strict=True) if is_kept]
    sizes = group_sizes(report.grouping, kept)
    return {"scores_a": first[defined], "scores_b": second[defined], **sizes}


def _paired(report: CrossValidationReport, row: Mapping[str, Any]) -> dict[str, Any]:
    metric, others = row["metric"], {r.fold: r for r in report.results_of(row["model_b"])}
    results = [result for result in report.results_of(row["model_a"]) if result.fold in others]
    first = [result.values[metric] for result in results]
    second = [others[result.fold].values[metric] for result in results]
    return paired_folds(report, results, first, second)


def _test_pair(
    report: CrossValidationReport, metric: str, model_a: str, model_b: str
) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": metric, "model_a": model_a, "model_b": model_b}
    paired = _paired(report, row)
    row |= {"n_folds": len(paired["scores_a"]), **dict.fromkeys(_TESTED, _NAN), "reason": None}
    if row["n_folds"] < 2:
        row["reason"] = f"both are defined on {row['n_folds']} folds; at least 2 are needed"
        return row
    test = corrected_resampled_ttest(**paired, confidence_level=report.confidence_level)
    return row | {key: getattr(test, key) for key in ("difference", "low", "high", "p_value")}


def _posterior(
    report: CrossValidationReport, row: Mapping[str, Any], rope: float | None
) -> dict[str, float]:
    """Probabilities that either model is better by more than ``rope``, and that neither is."""
    if np.isnan(row["p_value"]):
        return dict.fromkeys(_POSTERIOR, _NAN)
    bayes = bayesian_correlated_ttest(**_paired(report, row), rope=rope or 0.0)
    shares = {key: getattr(bayes, key) for key in _POSTERIOR}
    return shares if rope is not None else shares | {"p_equivalent": _NAN}

"""Means over folds with an interval, and models compared on the same folds."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.bootstrap import PLAN
from skmetrics_ext.inference.draws.readers import sample_of_checked
from skmetrics_ext.inference.draws.samples import TallySample
from skmetrics_ext.inference.linearized import Linearized, linearize, mean_of_folds
from skmetrics_ext.inference.methods import interval_of
from skmetrics_ext.inference.nested_cv import LOSS_OF, nested_cv_interval
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.tests.fold_tests import (
    bayesian_correlated_ttest,
    corrected_resampled_interval,
    corrected_resampled_ttest,
)
from skmetrics_ext.inference.tests.rank_tests import holm_adjust
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.fold import FoldResult, Grouping, group_sizes
from skmetrics_ext.report.out_of_fold import OutOfFold, ScoredData, dependent_rows, pool
from skmetrics_ext.report.params import take_params
from skmetrics_ext.scoring.intervals import of_rows_read, turned, with_rows
from skmetrics_ext.scoring.recording import one_line
from skmetrics_ext.scoring.responses import Stored
from skmetrics_ext.scoring.scorer import ScoredModel, Scorer, metric_of
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows, take_rows
from skmetrics_ext.validation.groups import INDEPENDENT, Design

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport
    from skmetrics_ext.report.fold import FoldResult

Found = Estimate | str  # an interval, or why there is none
IntervalKind = Literal["auto", "cv", "pooled", "corrected", "nested"]
INTERVAL_KINDS = ("auto", "cv", "pooled", "corrected", "nested")
# What each kind of interval describes.
TARGETS: Mapping[str, str] = {
    "cv": "the {} fitted models",
    "pooled": "the {} fitted models, test rows pooled",
    "corrected": "models trained on other samples of this size",
    "nested": "models trained on other samples of this size (nested cross-validation)",
}
_AUTO = ("cv", "pooled")  # the first that every metric has; else "corrected"
_NAN = float("nan")
_NO_DATA = "the report holds no predictions or true labels"
_NO_SPREAD = "the value is the same on every fold, so the folds give no interval"
_FEWEST_FOLDS, _MOST_FOLDS = 3, 10


def fold_cells(report: CrossValidationReport) -> list[dict[str, Any]]:
    """Mean and spread over the folds of each model and metric."""
    return [_cell(report, model, metric) for model in report.models for metric in report.metrics]


def _cell(report: CrossValidationReport, model: str, metric: str) -> dict[str, Any]:
    own = report.results_of(model)
    values = np.array([result.values[metric] for result in own])
    defined = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # infinite values have a mean and no spread
        mean = float(defined.mean()) if defined.size else _NAN
        std = float(defined.std(ddof=1)) if defined.size > 1 else _NAN
    return {
        "model": model,
        "is_baseline": model == report.baseline,
        "metric": metric,
        "mean": mean,
        "std": std,
        "n_folds": len(own),
        "n_undefined": len(own) - len(defined),
        "reasons": dict(Counter(r.reasons[metric] for r in own if metric in r.reasons)),
        "notes": dict(Counter(r.notes[metric] for r in own if metric in r.notes)),
    }


# --------------------------------------------------------------------------- intervals


def summary_of(report: CrossValidationReport, interval: IntervalKind) -> list[dict[str, Any]]:
    """Mean and spread of each model and metric, with intervals of one kind."""
    kind = kind_of(report, interval)
    intervals = intervals_of(report, kind)
    if kind == "nested" and all(np.isnan(cell["low"]) for cell in intervals.values()):
        notes = "; ".join(dict.fromkeys(cell["interval_note"] for cell in intervals.values()))
        raise InvalidParameterError(f"interval='nested' is not available: {notes}.")
    return [{**cell, **intervals[cell["model"], cell["metric"]]} for cell in fold_cells(report)]


def kind_of(report: CrossValidationReport, interval: str) -> str:
    """The one kind of interval that all lines have: "auto" is the first that every metric has."""
    if interval != "auto":
        return interval
    defined = {cell["metric"] for cell in fold_cells(report) if not np.isnan(cell["mean"])}
    for kind in _AUTO:
        cells = intervals_of(report, kind)
        if defined <= {metric for (_, metric), cell in cells.items() if not np.isnan(cell["low"])}:
            return kind
    return "corrected"


def check_interval(interval: Any) -> IntervalKind:
    """Validate a kind of interval."""
    check_option("interval", interval, INTERVAL_KINDS)
    kind: IntervalKind = interval
    return kind


def target_of(report: CrossValidationReport, interval: str | None = None) -> str:
    """Target of the intervals in words; of those of the report by default."""
    kind = kind_of(report, report.interval if interval is None else interval)
    return TARGETS[kind].format(report.n_folds)


def interval_title(report: CrossValidationReport, interval: str | None = None) -> str:
    """The level of the intervals and what they describe: "95 %, the 5 fitted models"."""
    return f"{100 * report.confidence_level:g} %, {target_of(report, interval)}"


def intervals_of(report: CrossValidationReport, kind: str) -> dict[tuple[str, str], Any]:
    """The part of a row of the summary that concerns its interval, by model and metric."""
    if kind not in report.computed:
        report.computed[kind] = {
            (model, metric): _cells_of(report, kind, KINDS[kind](report, model, metric))
            for model in report.models
            for metric in report.metrics
        }
    intervals: dict[tuple[str, str], Any] = report.computed[kind]
    return intervals


def _cells_of(report: CrossValidationReport, kind: str, found: Found) -> dict[str, Any]:
    if isinstance(found, str):
        found = estimate(_NAN, (_NAN, _NAN), _NAN, "", _NAN, found)
    return {
        "interval": kind,
        "target": target_of(report, kind),
        "value": found.value,
        "standard_error": found.standard_error,
        "low": found.low,
        "high": found.high,
        "interval_note": found.note or None,
    }


def _pooled(report: CrossValidationReport, model: str, metric: str) -> Found:
    if "pool" not in report.computed:
        report.computed["pool"] = {(row["model"], row["metric"]): row for row in pool(report)}
    row = report.computed["pool"][model, metric]
    if np.isnan(row["low"]):
        return str(row["reason"])
    bounds, level = (row["low"], row["high"]), report.confidence_level
    error, note = row["standard_error"], row["reason"] or ""
    return estimate(row["value"], bounds, error, row["method"], level, note)


def _corrected(report: CrossValidationReport, model: str, metric: str) -> Found:
    """Nadeau and Bengio's interval over the folds with a value, within the bounds of the metric."""
    results = report.results_of(model)
    values = np.array([result.values[metric] for result in results])
    defined = np.isfinite(values)
    if np.count_nonzero(defined) < 2 or np.isinf(values).any():
        return f"the metric has a finite value on {np.count_nonzero(defined)} folds; 2 are needed"
    kept = [result for result, is_kept in zip(results, defined, strict=True) if is_kept]
    level, sizes = report.confidence_level, group_sizes(report.grouping, kept)
    estimate = corrected_resampled_interval(values[defined], confidence_level=level, **sizes)
    if not estimate.standard_error > 0:
        ends = {"low": _NAN, "high": _NAN, "note": _NO_SPREAD}
        return replace(estimate, **ends)  # type: ignore[arg-type]
    low, high = bounds_of(None if report.data is None else report.data.scorers.get(metric))
    return replace(estimate, low=max(estimate.low, low), high=min(estimate.high, high))


def bounds_of(scorer: Any) -> tuple[float, float]:
    """Least and greatest value of a scorer; infinite where they are not known."""
    metric = metric_of(scorer)
    if metric is None or metric.params.get("normalize") is False:
        return -math.inf, math.inf
    low, high = metric.spec.bounds
    return (low, high) if scorer._sign > 0 else (-high, -low)


# --------------------------------------------------------------------------- mean over folds


def _over_folds(report: CrossValidationReport, model: str, metric: str) -> Found:
    """The mean over folds, from what each row adds to the value of its fold."""
    data = report.data
    results = [r for r in report.results_of(model) if np.isfinite(r.values[metric])]
    found = None if data is None else metric_of(data.scorers[metric])
    if data is not None and found is None:
        return "only metrics of this package have influence values"
    if data is None or found is None or not results or not all(r.responses for r in results):
        return _NO_DATA
    parts = [sample_of_fold(data, metric, result) for result in results]
    samples = [part for part in parts if not isinstance(part, str)]
    if len(samples) < len(parts):
        return next(part for part in parts if isinstance(part, str))
    sign = sign_of(data, metric)
    value = float(np.mean([sign * result.values[metric] for result in results]))
    rows = np.concatenate([own for _, own in samples])
    mean = mean_of_samples([sample for sample, _ in samples], rows, data.grouping, value)
    if mean is None:
        return f"{metric} has no derivative by its rows"
    estimate = interval_of(mean, "cv", report.confidence_level, PLAN)
    assert isinstance(estimate, Estimate)
    return turned(estimate, sign) if np.isfinite(estimate.low) else estimate.note


def mean_of_samples(
    samples: Sequence[TallySample],
    rows: Array,
    grouping: Grouping | None,
    value: float,
    **identity: Any,
) -> Linearized | None:
    """The mean over folds with what rows contribute to it; None without derivatives by rows."""
    folds = [linearize(sample) for sample in samples]
    if not all(fold.has_influence for fold in folds):
        return None
    group = dependent_rows(grouping, rows)
    if group is not None:
        group = np.unique(group, return_inverse=True)[1]
    classes = [sample.label for sample in samples if sample.label is not None]
    label = np.concatenate(classes) if len(classes) == len(samples) else None
    design = RowDesign(None, group, **identity)
    return mean_of_folds(folds, value, Atoms.each_row(len(rows), design, label))


def sign_of(data: ScoredData, metric: str) -> int:
    scorer = data.scorers[metric]
    return scorer._sign if isinstance(scorer, Scorer) else 1


def sample_of_fold(
    data: ScoredData,
    metric: str,
    result: FoldResult | OutOfFold,
    design: Design = INDEPENDENT,
    **identity: Any,
) -> tuple[TallySample, Array] | str:
    """A metric of a fold, and which rows of the data it reads."""
    stored = Stored(result.classes, result.responses)
    evaluation = ScoredModel(stored, None, take_rows(data.y, result.rows))
    params = take_params(data.params[metric], count_rows(data.y), result.rows)
    scorer = data.scorers[metric]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the report noted them when it computed the value
            prepared = with_rows(scorer, evaluation, params)
            if isinstance(prepared, str):
                return prepared
            sample = sample_of_checked(prepared.metric, prepared.given, design, **identity)
    except (ValueError, TypeError, NotImplementedError) as error:
        return one_line(error)
    if np.ndim(sample.value):
        return "it has a value for each class"
    weight = prepared.given.weight
    rows = of_rows_read(prepared, params, result.rows)
    return sample, rows if weight is None else rows[weight != 0]


# --------------------------------------------------------------------------- nested


def _nested(report: CrossValidationReport, model: str, metric: str) -> Found:
    """Interval by `nested_cv_interval`, which fits the model again."""
    data = report.data
    if data is None or data.source is None:
        return "the report holds no data to fit the models to"
    found = metric_of(data.scorers[metric])
    if found is None or found.function not in LOSS_OF or not _has_defaults(found):
        return (
            "nested cross-validation has the losses of error rate, accuracy, log loss and Brier "
            f"score, and not {metric}"
        )
    if data.params[metric] or data.source.fit[model]:
        return "nested cross-validation takes no params"
    loss, is_complement = LOSS_OF[found.function]
    options: dict[str, Any] = {
        "loss": loss,
        "n_folds": min(max(report.n_folds, _FEWEST_FOLDS), _MOST_FOLDS),
        "groups": None if data.grouping is None else data.grouping.of_row,
        "confidence_level": report.confidence_level,
    }
    source = data.source
    try:
        estimate = nested_cv_interval(
            source.models[model], source.X, data.y, random_state=0, **options
        )
    except (ValueError, TypeError, NotImplementedError) as error:
        return one_line(error)
    if is_complement:  # accuracy is 1 less the error rate
        value, low, high = 1 - estimate.value, 1 - estimate.high, 1 - estimate.low
        estimate = replace(estimate, value=value, low=low, high=high)
    return turned(estimate, sign_of(data, metric))


def _has_defaults(metric: Metric) -> bool:
    """Whether its parameters are those of the loss, which both classes share."""
    return all(map(metric.is_default, metric.params.keys() - {"pos_label"}))


KINDS: Mapping[str, Callable[[CrossValidationReport, str, str], Found]] = {
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
    """The region of practical equivalence of each metric that has one."""
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


def comparisons(report: CrossValidationReport, metric: str) -> list[dict[str, Any]]:
    """All pairs of models, with p-values and intervals adjusted by Holm's method.

    An adjusted interval has the level at which Holm's method tests its pair, so that it excludes
    0 where the adjusted p-value is below 1 - ``confidence_level``, and only there.
    """
    key = "comparisons", metric
    if key not in report.computed:
        rows = [_test_pair(report, metric, *pair) for pair in combinations(report.models, 2)]
        tested = sorted(
            (row for row in rows if not np.isnan(row["p_value"])), key=lambda row: row["p_value"]
        )
        alpha = size = 1 - report.confidence_level
        adjusted = holm_adjust([row["p_value"] for row in tested]) if tested else ()
        is_rejected = True
        for place, (row, p_holm) in enumerate(zip(tested, adjusted, strict=True)):
            if is_rejected:
                size = alpha / (len(tested) - place)
            is_rejected = is_rejected and p_holm < alpha
            test = corrected_resampled_ttest(**_paired(report, row), confidence_level=1 - size)
            row.update(p_holm=float(p_holm), low_holm=test.low, high_holm=test.high)
        report.computed[key] = rows
    found: list[dict[str, Any]] = report.computed[key]
    return found


def _paired(report: CrossValidationReport, row: Mapping[str, Any]) -> dict[str, Any]:
    """Values of two models on the folds where both are defined, and the sizes of these folds."""
    metric, other = row["metric"], {r.fold: r for r in report.results_of(row["model_b"])}
    pairs = [(a, other[a.fold]) for a in report.results_of(row["model_a"]) if a.fold in other]
    pairs = [pair for pair in pairs if all(np.isfinite(r.values[metric]) for r in pair)]
    sizes = group_sizes(report.grouping, [a for a, _ in pairs])
    first, second = ([pair[side].values[metric] for pair in pairs] for side in (0, 1))
    return {"scores_a": first, "scores_b": second, **sizes}


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

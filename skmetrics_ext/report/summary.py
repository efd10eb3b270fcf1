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

from skmetrics_ext.inference.draws.readers import read_checked
from skmetrics_ext.inference.draws.readings import TallyReading
from skmetrics_ext.inference.draws.units import RowFacts, Units
from skmetrics_ext.inference.influence.scales import scales_of
from skmetrics_ext.inference.influence.spread import Contributions
from skmetrics_ext.inference.intervals import listed
from skmetrics_ext.inference.methods import FEW_TO_DRAW, MAY_MISS, on_scale
from skmetrics_ext.inference.nested_cv import LOSS_OF, nested_cv_interval
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.tests.adjustment import holm_adjust
from skmetrics_ext.inference.tests.fold_tests import (
    bayesian_correlated_ttest,
    corrected_resampled_interval,
    corrected_resampled_ttest,
)
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
IntervalKind = Literal["auto", "pooled", "cv", "corrected", "nested"]
_NAN = float("nan")
_NO_DATA = "the report holds no predictions or true labels"
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


def summary_of(report: CrossValidationReport, interval: str) -> list[dict[str, Any]]:
    """The same with an interval of this kind; of "auto", the first kind that there is."""
    found = intervals_of(report, interval)
    if all(np.isnan(one["low"]) for one in found.values()) and interval == "nested":
        told = "; ".join(dict.fromkeys(filter(None, (o["interval_note"] for o in found.values()))))
        raise InvalidParameterError(f"interval='nested' is not to be had: {told}.")
    return [{**cell, **found[cell["model"], cell["metric"]]} for cell in fold_cells(report)]


def intervals_of(report: CrossValidationReport, interval: str) -> dict[tuple[str, str], Any]:
    """What a row of the summary says of its interval, by model and metric."""
    pooled = {}
    if interval in ("auto", "pooled"):
        pooled = {(row["model"], row["metric"]): row for row in pool(report)}
    found = {}
    for model in report.models:
        for metric in report.metrics:
            kinds = (interval,) if interval != "auto" else ("pooled", "cv", "corrected")
            for kind in kinds:
                one = KINDS[kind](report, model, metric, pooled.get((model, metric)))
                if isinstance(one, Estimate) and not np.isnan(one.low):
                    break
            found[model, metric] = _told(kind, one)
    return found


def _told(kind: str, found: Found) -> dict[str, Any]:
    if isinstance(found, str):
        found = Estimate(_NAN, _NAN, _NAN, _NAN, "", _NAN, found)
    return {
        "interval": kind,
        "value": found.value,
        "standard_error": found.standard_error,
        "low": found.low,
        "high": found.high,
        "interval_note": found.note or None,
    }


def _pooled(report: CrossValidationReport, _model: str, _metric: str, row: Any) -> Found:
    if np.isnan(row["low"]):
        return str(row["reason"])
    ends = row["value"], row["low"], row["high"], row["standard_error"]
    return Estimate(*ends, row["method"], report.confidence_level, row["reason"] or "")


def _corrected(report: CrossValidationReport, model: str, metric: str, _: Any) -> Found:
    own = report.results_of(model)
    values = np.array([result.values[metric] for result in own])
    bounds = bounds_of(None if report.data is None else report.data.scorers.get(metric))
    level = report.confidence_level
    error, low, high = mean_interval(own, values, level, bounds, report.grouping)
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else _NAN
    return Estimate(mean, low, high, error, "corrected", level)


# --------------------------------------------------------------------------- mean over folds


def _over_folds(report: CrossValidationReport, model: str, metric: str, _: Any) -> Found:
    """From what each row adds to the value of its fold, all folds together."""
    data = report.data
    own = [result for result in report.results_of(model) if np.isfinite(result.values[metric])]
    found_metric = None if data is None else metric_of(data.scorers[metric])
    if data is not None and found_metric is None:
        return "only metrics of this package have influence values"
    if data is None or found_metric is None or not own or not all(r.responses for r in own):
        return _NO_DATA
    readings, rows = [], []
    for result in own:
        one = reading_of_fold(data, metric, result)
        if isinstance(one, str):
            return one
        readings.append(one[0])
        rows.append(one[1])
    added = of_folds(readings, np.concatenate(rows), data.grouping)
    if added is None:
        return f"{metric} has no derivative by its rows"
    sign = sign_of(data, metric)
    value = float(np.mean([sign * result.values[metric] for result in own]))
    estimate = interval_of_folds(added, value, found_metric.spec.bounds, report.confidence_level)
    return estimate if isinstance(estimate, str) else turned(estimate, sign)


def of_folds(
    readings: Sequence[TallyReading], rows: Array, grouping: Grouping | None
) -> Contributions | None:
    """What rows add to the mean over folds; None where the metric has no derivative by them."""
    parts = [part for part in map(Contributions.of, readings) if part is not None]
    if len(parts) < len(readings):
        return None
    group = dependent_rows(grouping, rows)
    if group is not None:
        group = np.unique(group, return_inverse=True)[1]
    classes = [reading.label for reading in readings if reading.label is not None]
    label = np.concatenate(classes) if len(classes) == len(readings) else None
    units = Units.of_rows(len(rows), RowFacts(None, group), label)
    return Contributions.over_folds(parts, units)


def interval_of_folds(
    added: Contributions, value: float, bounds: tuple[float, float], level: float
) -> Estimate | str:
    """The interval of a mean over folds, or why there is none."""
    spread = added.spread()
    if np.isnan(spread.variance):
        return "a fold has one row, or one group, of a class"
    counts = added.units.by_class()
    fewest = float(counts[counts > 0].min())
    few = f"{fewest:g} rows or groups of the rarest class are few: {MAY_MISS}"
    few = few if fewest < FEW_TO_DRAW else ""
    method = scales_of(bounds)[0]
    interval = on_scale(np.asarray(value), spread, bounds, fewest, method, level, few)
    estimate = listed(interval, "cv", level)
    assert isinstance(estimate, Estimate)
    return estimate


def sign_of(data: ScoredData, metric: str) -> int:
    scorer = data.scorers[metric]
    return scorer._sign if isinstance(scorer, Scorer) else 1


def reading_of_fold(
    data: ScoredData, metric: str, result: FoldResult | OutOfFold, design: Design = INDEPENDENT
) -> tuple[TallyReading, Array] | str:
    """A metric of a fold, and which rows of the data it reads."""
    from sklearn.exceptions import UndefinedMetricWarning

    stored = Stored(result.classes, result.responses)
    evaluation = ScoredModel(stored, None, take_rows(data.y, result.rows))
    params = take_params(data.params[metric], count_rows(data.y), result.rows)
    scorer = data.scorers[metric]
    prepared = with_rows(scorer, evaluation, params)
    if isinstance(prepared, str):
        return prepared
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            reading = read_checked(prepared.metric, prepared.given, design)
    except (ValueError, TypeError, NotImplementedError) as error:
        return one_line(error)
    if np.ndim(reading.value):
        return "it has a value for each class"
    weight = prepared.given.weight
    rows = of_rows_read(prepared, params, result.rows)
    return reading, rows if weight is None else rows[weight != 0]


# --------------------------------------------------------------------------- nested


def _nested(report: CrossValidationReport, model: str, metric: str, _: Any) -> Found:
    """By `nested_cv_interval`, which fits the model anew."""
    data = report.data
    if data is None or data.source is None:
        return "the report holds no data to fit the models to"
    found = metric_of(data.scorers[metric])
    if found is None or found.function not in LOSS_OF or not _is_plain(found):
        return (
            "nested cross-validation has the losses of error rate, accuracy, log loss and Brier "
            f"score, and not {metric}"
        )
    if data.params[metric] or data.source.fit[model]:
        return "nested cross-validation takes no params"
    loss, from_1 = LOSS_OF[found.function]
    n_folds = min(max(report.n_folds, _FEWEST_FOLDS), _MOST_FOLDS)
    groups = None if data.grouping is None else data.grouping.of_row
    try:
        estimate = nested_cv_interval(
            data.source.models[model],
            data.source.X,
            data.y,
            loss=loss,
            n_folds=n_folds,
            groups=groups,
            confidence_level=report.confidence_level,
            random_state=0,
        )
    except (ValueError, TypeError, NotImplementedError) as error:
        return one_line(error)
    return turned(_from_1(estimate) if from_1 else estimate, sign_of(data, metric))


def _is_plain(metric: Metric) -> bool:
    """Whether it is asked of as a loss of `nested_cv_interval` is, which both classes share."""
    return all(map(metric.is_default, metric.params.keys() - {"pos_label"}))


def _from_1(found: Estimate) -> Estimate:
    """Of a share of rows, the share of the others."""
    turned_round = turned(found, -1)
    ends = turned_round.value, turned_round.low, turned_round.high
    value, low, high = (1 + end for end in ends)
    return replace(found, value=value, low=low, high=high)


KINDS: Mapping[str, Callable[[CrossValidationReport, str, str, Any], Found]] = {
    "pooled": _pooled,
    "cv": _over_folds,
    "corrected": _corrected,
    "nested": _nested,
}


_NAN = float("nan")
_ENDS = ("difference", "low", "high", "p_value", "p_holm", "p_a_better", "p_equivalent")


def mean_interval(
    results: Sequence[FoldResult],
    values: Array,
    level: float,
    bounds: tuple[float, float],
    grouping: Grouping | None = None,
) -> tuple[float, float, float]:
    """Corrected standard error of the mean and its t interval, over the defined folds.

    The interval ends where the metric does: no mean lies beyond.
    """
    defined = np.isfinite(values)
    if np.count_nonzero(defined) < 2 or np.isinf(values).any():
        return _NAN, _NAN, _NAN
    kept = [result for result, is_kept in zip(results, defined, strict=True) if is_kept]
    sizes = group_sizes(grouping, kept)
    found = corrected_resampled_interval(values[defined], confidence_level=level, **sizes)
    return found.standard_error, max(found.low, bounds[0]), min(found.high, bounds[1])


def bounds_of(scorer: Any) -> tuple[float, float]:
    """Least and greatest value of a scorer; infinite where they are not known."""
    found = metric_of(scorer)
    if found is None or found.params.get("normalize") is False:
        return -math.inf, math.inf
    low, high = found.spec.bounds
    return (low, high) if scorer._sign > 0 else (-high, -low)


def compare_models(
    report: CrossValidationReport, metric: str | None, rope: float, against: str
) -> list[dict[str, Any]]:
    """A row per metric and pair of models."""
    check_option("against", against, ("all", "baseline"))
    if metric is not None:
        check_option("metric", metric, report.metrics)
    if against == "baseline" and report.baseline is None:
        raise InvalidParameterError("This report has no baseline: compare against='all'.")
    pairs = [
        pair
        for pair in combinations(report.models, 2)
        if against == "all" or report.baseline in pair
    ]
    rows = []
    for name in report.metrics if metric is None else (metric,):
        own = [_compare_pair(report, name, *pair, rope) for pair in pairs]
        tested = [row for row in own if not np.isnan(row["p_value"])]
        if tested:
            adjusted = holm_adjust([row["p_value"] for row in tested])
            for row, p_holm in zip(tested, adjusted, strict=True):
                row["p_holm"] = float(p_holm)
        rows += own
    return rows


def _compare_pair(
    report: CrossValidationReport, metric: str, model_a: str, model_b: str, rope: float
) -> dict[str, Any]:
    of_b = {result.fold: result for result in report.results_of(model_b)}
    shared = [(a, of_b[a.fold]) for a in report.results_of(model_a) if a.fold in of_b]
    shared = [pair for pair in shared if all(np.isfinite(r.values[metric]) for r in pair)]
    row: dict[str, Any] = {
        "metric": metric,
        "model_a": model_a,
        "model_b": model_b,
        "n_folds": len(shared),
        **dict.fromkeys(_ENDS, _NAN),
        "p_b_better": _NAN,
        "rope": rope,
        "reason": None,
    }
    if len(shared) < 2:
        row["reason"] = f"both are defined on {len(shared)} folds; at least 2 are needed"
        return row
    first, second = np.array([[r.values[metric] for r in pair] for pair in shared]).T
    sizes = group_sizes(report.grouping, [a for a, _ in shared])
    options = {**sizes, "confidence_level": report.confidence_level}
    test = corrected_resampled_ttest(first, second, **options)
    bayes = bayesian_correlated_ttest(first, second, rope=rope, **options)
    row.update(
        difference=test.difference,
        low=test.low,
        high=test.high,
        p_value=test.p_value,
        p_a_better=bayes.p_a_better,
        p_equivalent=bayes.p_equivalent,
        p_b_better=bayes.p_b_better,
    )
    return row

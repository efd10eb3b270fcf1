"""Means over folds with intervals, and comparisons of models on the same folds."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import compress, product
from math import isfinite
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext.inference.algebra import Folds, Leaf, linear, no_rows
from skmetrics_ext.inference.answers import answer
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.readers import sample_of_checked
from skmetrics_ext.inference.draws.samples import TallySample
from skmetrics_ext.inference.estimate_rows import Deferred, EstimateRow
from skmetrics_ext.inference.linearized import Linearized, linearize, mean_of_folds
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.nested_cv import LOSS_OF, nested_cv_interval
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.tests import fold_tests
from skmetrics_ext.metrics.spec import NO_ROW, UnknownSpec
from skmetrics_ext.numeric import Array
from skmetrics_ext.questions import Rows
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.fold import FoldResult, computed_once, group_sizes
from skmetrics_ext.report.out_of_fold import (
    FoldValues,
    ScoredData,
    needs_common_scale,
    no_estimate,
    pool,
)
from skmetrics_ext.scoring.intervals import in_direction, with_view
from skmetrics_ext.scoring.recording import one_line
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows, read_array
from skmetrics_ext.validation.groups import INDEPENDENT, Design

IntervalKind = Literal["auto", "cv", "pooled", "corrected", "nested"]
INTERVAL_KINDS = ("auto", "cv", "pooled", "corrected", "nested")
# Target of each kind of interval: what it is an interval for.
TARGETS: Mapping[str, str] = {
    "cv": "the {} fitted models",
    "pooled": "the {} fitted models, test rows pooled",
    "corrected": "models trained on other samples of this size",
    "nested": "models trained on other samples of this size (nested cross-validation)",
}
GAP = ("train", "gap", "gap_low", "gap_high")  # columns of a report with train=True
Key = tuple[str, str]  # a model and a metric
Factors = Mapping[Key, float]  # of a sum of values
_NAN = float("nan")
_INTERVAL = ("value", "low", "high", "standard_error", "method", "note")
_FEWEST_FOLDS, _MOST_FOLDS = 3, 10


def without_baseline(report: FoldValues) -> list[str]:
    """Names of the models, without the baseline."""
    return [model for model in report.models if model != report.baseline]


@computed_once
def fold_cells(report: FoldValues) -> list[dict[str, Any]]:
    """Mean and standard deviation over folds of each model and metric."""
    return [_cell(report, *of) for of in product(report.models, report.metrics)]


def defined_means(report: FoldValues, metric: str) -> dict[str, float]:
    """Mean of a metric over folds, of the models for which it is defined."""
    means = {cell["model"]: cell["mean"] for cell in fold_cells(report) if cell["metric"] == metric}
    return {model: mean for model, mean in means.items() if not np.isnan(mean)}


def best_model(report: FoldValues, metric: str) -> str:
    """Name of the model with the best mean; the first of equally good ones."""
    means = defined_means(report, metric)
    if not means:
        raise InvalidParameterError(f"{metric} is undefined on every fold of every model.")
    return max(means, key=lambda name: means[name])


def value_or_mean(row: Mapping[str, Any]) -> float:
    """The value that the interval of a row describes; without an interval, the mean over folds."""
    return float(row["mean"] if np.isnan(row["value"]) else row["value"])


def _cell(report: FoldValues, model: str, metric: str) -> dict[str, Any]:
    results = report.results_of(model)
    values = np.array([result.values[metric] for result in results])
    defined = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # infinite values have a mean, but no spread
        mean = float(defined.mean()) if defined.size else _NAN
        std = float(defined.std(ddof=1)) if defined.size > 1 else _NAN
    cell: dict[str, Any] = {
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
    known = [result for result in results if not np.isnan(result.values[metric])]
    if n_lacking := sum(lacks_class(report.data, metric, result.rows) for result in known):
        cell["notes"][NO_ROW] = n_lacking
    return cell | _gap(report, model, metric) if report.has_train else cell


def lacks_class(data: ScoredData, metric: str, rows: Array) -> bool:
    """Whether a class without any of these rows changes what the metric means."""
    measure = metric_of(data.scorers.get(metric))
    if measure is None or not measure.averages_classes:
        return False
    every = np.arange(count_rows(data.y) or 0)
    weight = data.params_of(metric, rows).get("sample_weight")
    kept = rows if weight is None else rows[read_array("sample_weight", weight) != 0]
    return data.n_classes_of(kept) < data.n_classes_of(every)


def measured(report: FoldValues, metric: str, results: Sequence[FoldResult]) -> list[float]:
    """The value of each fold; nan if a class has no row, or if a convention for 0/0 enters it."""
    values, data = [], report.data
    for result in results:
        is_undefined = lacks_class(data, metric, result.rows)
        if metric in result.notes and not is_undefined:
            with suppress(NoIntervalError):
                is_undefined = sample_of_fold(data, metric, data.predicted(result))[0].is_undefined
        values.append(_NAN if is_undefined else result.values[metric])
    return values


def _gap(report: FoldValues, model: str, metric: str) -> dict[str, float]:
    """Mean on the training rows, and its gap from the mean on the test rows with an interval.

    Means are over folds where both values are defined. The value on the training rows is known
    without error, so the gap has the interval of the test rows, shifted; without such an interval,
    that of Nadeau and Bengio for the gaps of the folds.
    """
    results = report.results_of(model)
    train = [result.train_values.get(metric, _NAN) for result in results]
    paired = paired_folds(report, results, train, measured(report, metric, results))
    first, test = paired.pop("scores_a"), paired.pop("scores_b")
    if not len(first):
        return dict.fromkeys(GAP, _NAN)
    mean, gap = float(first.mean()), float((first - test).mean())
    tested = intervals_of(report, "cv")[model, metric]
    low, high = (gap + tested.value - end for end in (tested.high, tested.low))
    if np.isnan(low) and len(first) > 1:
        estimate = fold_tests.corrected_resampled_interval(
            first - test, confidence_level=report.confidence_level, **paired
        )
        if estimate.standard_error > 0:
            low, high = estimate.low, estimate.high
    return dict(zip(GAP, (mean, gap, low, high), strict=True))


def paired_folds(
    report: FoldValues, results: Sequence[FoldResult], first: Any, second: Any
) -> dict[str, Any]:
    """Arguments of a paired test: two values of each fold where both are finite, and its sizes."""
    first, second = np.asarray(first), np.asarray(second)
    defined = np.isfinite(first) & np.isfinite(second)
    sizes = group_sizes(report.grouping, compress(results, defined))
    return {"scores_a": first[defined], "scores_b": second[defined], **sizes}


# --------------------------------------------------------------------------- intervals


def summary_of(report: FoldValues, kind: str) -> list[EstimateRow]:
    """Rows of the summary, with intervals of one kind as far as there are any."""
    told = {"interval": kind, "target": TARGETS[kind].format(report.n_folds)}
    rows = []
    for cell in fold_cells(report):
        key = cell["model"], cell["metric"]
        found = {name: getattr(intervals_of(report, kind)[key], name) for name in _INTERVAL}
        known, level = _question(report, kind, key), report.confidence_level
        rows.append(EstimateRow({**cell, **found, **told}, level, known))
    return rows


def shown_rows(report: FoldValues) -> list[EstimateRow]:
    """Rows with the intervals that are shown; there may be none of the kind asked for."""
    return summary_of(report, kind_of(report))


def _question(report: FoldValues, kind: str, key: Key) -> Deferred | None:
    """What a row is computed with; None for intervals that speak of other training sets."""
    measure = metric_of(report.data.scorers.get(key[1]))
    estimate = intervals_of(report, kind)[key]
    if kind == "corrected":
        return _folds(report, key)
    if kind == "nested" or measure is None or np.isnan(estimate.low):
        return None
    sign, level = report.data.sign(key[1]), report.confidence_level
    return Deferred(
        measure, lambda: _leaves(report, kind, [key])[key], level, found=estimate, sign=sign
    )


def kind_of(report: FoldValues, interval: str | None = None) -> str:
    """The kind of interval of all rows; "auto" is the first kind that every metric has."""
    interval = report.interval if interval is None else interval
    if interval != "auto":
        return interval
    defined = {cell["metric"] for cell in fold_cells(report) if not np.isnan(cell["mean"])}
    for kind in ("cv", "pooled"):
        cells = intervals_of(report, kind)
        if defined <= {metric for (_, metric), found in cells.items() if not np.isnan(found.low)}:
            return kind
    return "corrected"


def level_and_target(report: FoldValues, kind: str | None = None) -> tuple[str, str]:
    """Level and target of the intervals: "95 %", "the 5 fitted models"."""
    target = TARGETS[kind or kind_of(report)].format(report.n_folds)
    return f"{100 * report.confidence_level:g} %", target


def interval_column(report: FoldValues) -> tuple[str, str]:
    """Title and key of the column of intervals."""
    return f"{100 * report.confidence_level:g} % interval", "interval"


def interval_heading(report: FoldValues, kind: str | None = None) -> str:
    """Level and target of the intervals, above a table."""
    level, target = level_and_target(report, kind)
    beyond = " (not for retraining on new data)" if "fitted" in target else ""
    return f"{level} intervals for {target}{beyond}"


@computed_once
def intervals_of(report: FoldValues, kind: str) -> dict[Key, Estimate]:
    """The estimate of each model and metric."""
    keys = product(report.models, report.metrics)
    return {key: sum_of_values(report, kind, {key: 1.0}) for key in keys}


def _folds(report: FoldValues, key: Key) -> Deferred:
    """The values of a model on the folds where they are finite, as the scorer has them."""
    (model, metric), measure = key, metric_of(report.data.scorers.get(key[1]))
    results = report.results_of(model)
    values = measured(report, metric, results)
    sizes = group_sizes(report.grouping, results)
    of_folds = zip(results, values, sizes["n_train"], sizes["n_test"], strict=True)
    # The leaf holds the metric itself.
    sign = 1.0 if measure is None else report.data.sign(metric)
    by_fold = {result.fold: (sign * of[0], *of[1:]) for result, *of in of_folds if isfinite(of[0])}
    mean = float(np.mean([value for value, *_ in by_fold.values()])) if by_fold else _NAN
    measure = measure or Metric(metric, sum, UnknownSpec(sum))
    bounds = sorted(sign * bound for bound in bounds_of(report.data, metric))
    identity: Any = {"source": report.data, "name": model, "bounds": tuple(bounds)}
    leaf = Folds(mean, measure, no_rows, by_fold=by_fold, **identity)
    return Deferred(measure, lambda: leaf, report.confidence_level, sign=sign)


class NoIntervalError(ValueError):
    """A metric has no interval of this kind, or no value for some rows; the message says why."""


def _on_common_folds(
    report: FoldValues, factors: Factors
) -> tuple[Array, dict[Key, list[FoldResult]]]:
    """A sum of values on each fold that all models have, and the results by model and metric."""
    by_fold = {key: {r.fold: r for r in report.results_of(key[0])} for key in factors}
    folds = [r.fold for r in report.results if all(r.fold in each for each in by_fold.values())]
    results = {key: [of[fold] for fold in dict.fromkeys(folds)] for key, of in by_fold.items()}
    each = [f * np.array(measured(report, key[1], results[key])) for key, f in factors.items()]
    with np.errstate(invalid="ignore"):
        return np.sum(each, axis=0), results


def _fitted(report: FoldValues, factors: Factors, kind: str) -> Estimate:
    """Values of the fitted models, added: means over folds, or of all predictions together."""
    if kind == "pooled" and len(factors) == 1:
        estimate = pool(report)[next(iter(factors))]
    else:
        leaves = _leaves(report, kind, factors)
        terms = ((f * report.data.sign(key[1]), leaves[key]) for key, f in factors.items())
        method = "cv" if kind == "cv" else "auto"
        estimate = answer(linear(*terms), Asked(report.confidence_level, method=method))
    if not np.isfinite(estimate.low):
        raise NoIntervalError(estimate.note)
    return estimate


def _leaves(report: FoldValues, kind: str, keys: Iterable[Key]) -> dict[Key, Leaf]:
    """What values of the fitted models are computed with."""
    statistics = (_means_of_folds if kind == "cv" else _of_all)(report, list(keys))
    leaves = {}
    for key, each in statistics.items():
        known: Any = {"source": report.data, "name": key[0], "bounds": each.bounds}
        leaves[key] = Leaf(float(each.value), each.origin.metric, partial(_same, each), **known)
    return leaves


def _same(statistic: Linearized) -> Linearized:
    return statistic


def _of_all(report: FoldValues, keys: Sequence[Key]) -> dict[Key, Linearized]:
    """Metrics of the out-of-fold predictions of all folds together."""
    found, data = {}, report.data
    for model, metric in keys:
        measure, part = metric_of(data.scorers.get(metric)), report.predictions[model]
        if part.rows.tobytes() != report.predictions[keys[0][0]].rows.tobytes():
            raise NoIntervalError("the models were not tested on the same rows")
        if measure is None or needs_common_scale(measure):
            raise NoIntervalError(pool(report)[model, metric].note)
        design = data.design_of(part.rows)
        found[model, metric] = linearize(sample_of_fold(data, metric, part, design)[0])
    return found


def _corrected(report: FoldValues, factors: Factors) -> Estimate:
    """Nadeau and Bengio's interval over the defined folds, clipped to the range of the metric."""
    values = _on_common_folds(report, factors)[0]
    n_finite = np.isfinite(values).sum()
    if n_finite < 2 or np.isinf(values).any():
        raise NoIntervalError(f"the metric has a finite value on {n_finite} folds; 2 are needed")
    leaves = ((f, _folds(report, key)) for key, f in factors.items())
    terms = ((f * deferred.sign, deferred.read()) for f, deferred in leaves)
    return answer(linear(*terms), Asked(report.confidence_level))


def bounds_of(data: Any, name: str) -> tuple[float, float]:
    """Range of a scorer of a report for its classes, in its direction; infinite if unknown."""
    metric, classes = data.metrics.get(name), data.classes
    if metric is None or metric.params.get("normalize") is False:
        return -math.inf, math.inf
    low, high = metric.spec.bounds if classes is None else metric.bounds(len(classes))
    return (low, high) if data.sign(name) > 0 else (-high, -low)


# --------------------------------------------------------------------------- mean over folds


def _means_of_folds(report: FoldValues, keys: Sequence[Key]) -> dict[Key, Linearized]:
    """The means of metrics over the folds on which all of them are defined."""
    values, results = _on_common_folds(report, dict.fromkeys(keys, 1.0))
    is_known = np.isfinite(values)
    return {
        key: _fold_mean(report, key, list(compress(of, is_known))) for key, of in results.items()
    }


def _fold_mean(report: FoldValues, key: Key, results: Sequence[FoldResult]) -> Linearized:
    """The mean of a metric over these folds."""
    (model, metric), data = key, report.data
    if metric_of(data.scorers.get(metric)) is None:
        raise NoIntervalError("only metrics of this package have influence values")
    if not results or not all(r.responses for r in results):
        raise NoIntervalError("the report holds no predictions or true labels")
    predictions = _predictions_by_fold(report, model)
    parts = []
    for result in results:
        value = data.sign(metric) * result.values[metric]
        parts.append(FoldSample.of(data, metric, predictions[result.fold], value))
    return mean_of_samples(parts, data)


@computed_once
def _predictions_by_fold(report: FoldValues, model: str) -> dict[int, Rows]:
    """Predictions of each fold, checked once for all metrics."""
    return {result.fold: report.data.predicted(result) for result in report.results_of(model)}


class FoldSample(NamedTuple):
    """A metric of a fold, the rows of the data that it reads, and numbers of the predictions."""

    sample: TallySample
    rows: Array
    number: Array

    @classmethod
    def of(
        cls, data: ScoredData, metric: str, part: Rows, value: float | None = None
    ) -> FoldSample:
        """Read a metric of the predictions of a fold, or of some of its rows."""
        sample, positions = sample_of_fold(data, metric, part, value=value)
        return cls(sample, part.rows[positions], data.number_of(part)[positions])


def mean_of_samples(
    parts: Sequence[FoldSample], data: ScoredData, cluster_of: Array | None = None
) -> Linearized:
    """The mean of a metric over folds, with the contribution of each row.

    ``cluster_of`` is the cluster of each row of the data, by which groups are compared.
    """
    samples, rows, numbers = zip(*parts, strict=True)
    folds = [linearize(sample) for sample in samples]
    if not all(fold.has_influence for fold in folds):
        raise NoIntervalError(f"{samples[0].metric.name} has no derivative by its rows")
    all_rows = np.concatenate(rows)
    labels = [sample.label for sample in samples if sample.label is not None]
    label = np.concatenate(labels) if len(labels) == len(samples) else None
    cluster = None if cluster_of is None else cluster_of[all_rows]
    group, number = data.design_of(all_rows).group, np.concatenate(numbers)
    design = RowDesign(None, group, number=number, cluster=cluster)
    value = float(np.mean([sample.value for sample in samples]))
    return mean_of_folds(folds, value, Atoms.each_row(len(all_rows), design, label))


def sample_of_fold(
    data: ScoredData,
    metric: str,
    part: Rows,
    design: Design = INDEPENDENT,
    *,
    value: float | None = None,
    **identity: Any,
) -> tuple[TallySample, Array]:
    """A metric of out-of-fold predictions, and the positions of the predictions that it reads.

    ``value`` is the value of the metric, if it is known.

    Raises
    ------
    NoIntervalError
        If the metric has no sample, with the reason.
    """
    params = data.params_of(metric, part.rows)
    try:
        with warnings.catch_warnings(action="ignore"):  # noted when the value was computed
            asked = with_view(data.scorers[metric], part, params)
            if isinstance(asked, str):
                raise NoIntervalError(asked)
            checked = asked.checked
            positions = asked.per_row(np.arange(len(part.rows)), params.get("sample_weight"))
            if len(positions) < len(part.rows):
                design = design.kept(positions)
            sample = sample_of_checked(asked.metric, checked, design, value=value, **identity)
    except NoIntervalError:
        raise
    except (AttributeError, ValueError, TypeError, NotImplementedError) as error:
        raise NoIntervalError(one_line(error)) from error
    if np.ndim(sample.value):
        raise NoIntervalError("it has a value for each class")
    return sample, positions if checked.weight is None else positions[checked.weight != 0]


# --------------------------------------------------------------------------- nested


def _nested(report: FoldValues, factors: Factors) -> Estimate:
    """Interval by `nested_cv_interval`, which fits the model again."""
    if len(factors) > 1:
        raise NoIntervalError("interval='nested' is for one model; 'corrected' compares models")
    ((model, metric),) = factors
    data, source = report.data, report.data.source
    if source is None:
        raise NoIntervalError("the report holds no data to fit the models to")
    loss_metric = metric_of(data.scorers[metric])
    # The losses depend on no parameter, the positive class included.
    if (
        loss_metric is None
        or loss_metric.function not in LOSS_OF
        or not all(map(loss_metric.is_default, loss_metric.params.keys() - {"pos_label"}))
    ):
        raise NoIntervalError(
            "nested cross-validation estimates error rate, accuracy, log loss and Brier score, "
            f"not {metric}"
        )
    if data.params[metric] or source.fit[model]:
        raise NoIntervalError("nested cross-validation takes no params")
    loss, is_complement = LOSS_OF[loss_metric.function]
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
    if is_complement:  # accuracy is 1 minus the error rate
        value, low, high = 1 - estimate.value, 1 - estimate.high, 1 - estimate.low
        estimate = replace(estimate, value=value, low=low, high=high)
    return in_direction(estimate, data.sign(metric))


KINDS: Mapping[str, Callable[[FoldValues, Factors], Estimate]] = {
    "pooled": partial(_fitted, kind="pooled"),
    "cv": partial(_fitted, kind="cv"),
    "corrected": _corrected,
    "nested": _nested,
}


def sum_of_values(report: FoldValues, kind: str, factors: Factors) -> Estimate:
    """A sum of values of models with its interval, or with the reason why there is none."""
    try:
        return KINDS[kind](report, factors)
    except NoIntervalError as error:
        return no_estimate(str(error))

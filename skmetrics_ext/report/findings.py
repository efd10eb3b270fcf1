"""Reasons to distrust the numbers of a report, and its conclusion in a few sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skmetrics_ext.formats import interval, number, signed
from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_ttest
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.fold import computed_once
from skmetrics_ext.report.out_of_fold import ThresholdCounts
from skmetrics_ext.report.summary import (
    TARGETS,
    comparisons,
    fold_cells,
    interval_title,
    paired_folds,
    without_baseline,
)
from skmetrics_ext.report.tables import best_text, difference_text, question_text, shown_metric
from skmetrics_ext.rows import Rows, Shown, columns
from skmetrics_ext.tallies import Counts, ThresholdTally
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_array

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

Found = Iterator[tuple[str | None, str | None, str, float | None]]  # metric, model, text, number
FEW_ROWS = 10  # of a class in a test fold: one row moves its recall by a tenth and more
LEAST_GAIN = 0.02  # of a metric by another threshold that is worth a word
LEAST_GAP = 0.02  # of the values on training and test rows that is worth a word

# Share of simulated reports that have a finding which is wrong there, by `benchmarks/findings.py`;
# the guide to cross-validation has the table. What is not here is a fact and no test.
SHARES: Mapping[str, float] = {
    "worse_than_baseline": 0.045,
    "no_better_than_baseline": 0.225,
    "within_noise": 0.115,
    "poor_threshold": 0.0,
    "overfits": 0.005,
}


class FindingKind(NamedTuple):
    """A kind of finding.

    Parameters
    ----------
    find : callable
        Takes a report and yields metric, model, text and number of each finding.
    meaning : str
        Explanation of the kind.
    advice : str
        What to do.
    """

    find: Callable[[CrossValidationReport], Found]
    meaning: str
    advice: str


@computed_once
def _all_findings(report: CrossValidationReport) -> list[dict[str, Any]]:
    return [
        {
            "code": code,
            "metric": metric,
            "model": model,
            "value": math.nan if value is None else float(value),
            "text": text,
            "advice": kind.advice,
            "false_alarms": SHARES.get(code, math.nan),
        }
        for code, kind in KINDS.items()
        for metric, model, text, value in kind.find(report)
    ]


def findings_of(report: CrossValidationReport, code: str | Iterable[str] | None) -> Rows:
    """A row for each finding of some codes, in the order of their kinds."""
    codes = [*KINDS] if code is None else [code] if isinstance(code, str) else list(code)
    for name in codes:
        check_option("code", name, KINDS)
    rows = [row for row in _all_findings(report) if row["code"] in codes]
    shown = columns("code", "metric", "model")
    shown += [
        Shown("number", "value", _four_digits),
        Shown("false alarms", "false_alarms", _percent),
    ]
    return Rows(rows, shown, sentences=["text", "advice"], empty="nothing found")


def _four_digits(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4g}"


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.3g} %"


# --------------------------------------------------------------------------- facts


def _failed(report: CrossValidationReport) -> Found:
    for model in report.models:
        results = report.results_of(model)
        reasons = Counter(
            reason
            for result in results
            for reason in {*filter(_is_failure, result.reasons.values())}
        )
        for reason, count in reasons.items():
            yield None, model, f"in {count} of {len(results)} folds: {reason}", count


def _is_failure(reason: str) -> bool:
    return reason.startswith("fit failed")


def _undefined(report: CrossValidationReport) -> Found:
    for cell in fold_cells(report):
        for reason, count in cell["reasons"].items():
            if not _is_failure(reason):
                text = f"undefined in {count} of {cell['n_folds']} folds: {reason}"
                yield cell["metric"], cell["model"], text, count


def _few_rows(report: CrossValidationReport) -> Found:
    of_fold = {result.fold: result.rows for result in report.results if result.rows is not None}
    classes = report.data.classes
    if classes is None or not of_fold:
        return
    y = read_array("y", report.data.y)
    few, least = [], FEW_ROWS
    for label in classes.tolist():
        fewest = min(int(np.count_nonzero(y[rows] == label)) for rows in of_fold.values())
        if fewest < FEW_ROWS:
            least = min(least, fewest)
            total = int(np.count_nonzero(y == label))
            few.append(f"{label} ({fewest} in a test fold, {total} in all)")
    if few:
        more = f" and {len(few) - 5} more" if len(few) > 5 else ""
        text = f"fewer than {FEW_ROWS} rows of the class in a test fold: {', '.join(few[:5])}{more}"
        yield None, None, text, least


_DISTINCT = {
    1: "the same score for every row of a fold: {} cannot rank them",
    2: "hard labels given as scores: two different values for all rows of a fold, so that {} "
    "see one threshold",
}


def _of_distinct_scores(report: CrossValidationReport, n_values: int) -> Found:
    names = ", ".join(
        shown_metric(name)[0]
        for name, metric in report.data.metrics.items()
        if metric is not None and metric.row is not None and metric.row.response != "labels"
    )
    for model in without_baseline(report) if names else ():
        n_distinct = set()
        for result in report.results_of(model):
            scores = [values for method, values in result.responses.items() if method != "predict"]
            if scores and len(scores[0]) > 2:
                columns = (column for values in scores for column in np.atleast_2d(values.T))
                n_distinct.add(max(len(np.unique(column)) for column in columns))
        if n_distinct == {n_values}:
            yield None, model, _DISTINCT[n_values].format(names), n_values


# --------------------------------------------------------------------------- tests


def _against_baseline(report: CrossValidationReport, is_worse: bool) -> Found:
    verdict = "worse than" if is_worse else "not distinguishable from"
    for metric, model in product(report.metrics, report.models):
        row = comparison_of(report, metric, model, report.baseline)
        if row is None or _is_significant(report, row) != is_worse:
            continue
        if row["difference"] < 0 or not is_worse:
            yield metric, model, f"{verdict} the baseline: {_difference(row)}", row["difference"]


def _within_noise(report: CrossValidationReport) -> Found:
    for metric in report.metrics:
        row = best_and_next(report, metric)
        if row is not None and not _is_significant(report, row):
            text = f"not distinguishable from the runner-up, {row['model_b']}"
            yield metric, row["model_a"], f"{text}: {_difference(row)}", row["difference"]


def best_and_next(report: CrossValidationReport, metric: str) -> dict[str, Any] | None:
    """The comparison of the two models with the best means, the baseline not counted, if any."""
    means = {
        cell["model"]: cell["mean"]
        for cell in fold_cells(report)
        if cell["metric"] == metric and not cell["is_baseline"] and not np.isnan(cell["mean"])
    }
    if len(means) < 2:
        return None
    return comparison_of(report, metric, *sorted(means, key=lambda name: -means[name])[:2])


def comparison_of(
    report: CrossValidationReport, metric: str, first: str, second: str | None
) -> dict[str, Any] | None:
    """The comparison of two models in this order; None where there is none."""
    for row in comparisons(report, metric):
        if np.isnan(row["p_value"]) or {row["model_a"], row["model_b"]} != {first, second}:
            continue
        if row["model_a"] == first:
            return dict(row)
        ends = {"low_holm": -row["high_holm"], "high_holm": -row["low_holm"]}
        ends["difference"] = -row["difference"]
        return {**row, **ends, "model_a": first, "model_b": second}
    return None


def _is_significant(report: CrossValidationReport, row: Mapping[str, Any]) -> bool:
    return bool(row["p_holm"] < 1 - report.confidence_level)


def _difference(row: Mapping[str, Any]) -> str:
    name, sign = shown_metric(row["metric"])
    return difference_text(name, row, sign, "_holm")


def _poor_threshold(report: CrossValidationReport) -> Found:
    metrics = report.data.metrics.items()
    balancing = {name: metric for name, metric in metrics if metric and _balances(metric)}
    for model in without_baseline(report) if balancing else ():
        counted = ThresholdCounts.of(report, model, also=[np.inf])
        if counted is not None and counted.fold[0] != counted.fold[-1]:
            for name, metric in balancing.items():
                better = _better_threshold(report, model, name, metric, counted)
                if better is not None:
                    yield name, model, *better


def _balances(metric: Metric) -> bool:
    """True if a metric of labels weighs both errors: one row cannot make it perfect."""
    if metric.row is None or metric.row.response != "labels" or metric.row.is_table:
        return False
    if metric.tally not in ("counts", "confusion") or not metric.spec.greater_is_better:
        return False
    bare, n = metric.without("labels", "pos_label"), 50.0
    for cells in ((1.0, 0.0, n - 1, n), (n, n - 1, 0.0, 1.0)):  # one row found; one row left
        value = bare.read(ThresholdTally(np.array([0, 1]), Counts(*map(np.array, cells))))
        if np.ndim(value) or not float(value) < metric.spec.bounds[1]:
            return False
    return True


def _better_threshold(
    report: CrossValidationReport, model: str, name: str, metric: Metric, counted: ThresholdCounts
) -> tuple[str, float] | None:
    """The finding that thresholds chosen on the other folds do better, with the gain; or None."""
    settled = metric.settled(counted.labels.tolist(), report.positive_class)
    chosen, values = [], []
    for fold in np.unique(counted.fold):
        # The rows of the other folds choose, those of the fold judge: no gain by the choice itself.
        inside = counted.fold == fold
        outside = ~np.isin(counted.rows, counted.rows[inside])
        place = int(
            np.nan_to_num(counted.values(settled, counted.counts(outside)), nan=-np.inf).argmax()
        )
        chosen.append(place)
        values.append(counted.values(settled, counted.counts(inside))[place])
    # Best is to name every row alike: the model is poor, and not the threshold.
    if not 0 < min(chosen) <= max(chosen) < len(counted.thresholds) - 1:
        return None
    results = [r for r in report.results_of(model) if r.fold in counted.fold]
    gained = report.data.sign(name) * np.array(values)
    paired = paired_folds(report, results, gained, [result.values[name] for result in results])
    new, old, level = paired["scores_a"], paired["scores_b"], report.confidence_level
    if len(new) < 2 or (new - old).mean() < LEAST_GAIN:
        return None
    if not corrected_resampled_ttest(**paired, confidence_level=level).p_value < 1 - level:
        return None
    counts = counted.counts()
    share = 100 * float((counts.tp + counts.fn)[0]) / float(counts.total[0])
    poor = "0.5 is" if _cut_at_half(results, counted) else "the model's own threshold is"
    text = (
        f"{poor} a poor threshold at {share:.3g} % prevalence: chosen on the other folds (about "
        f"{np.median(counted.thresholds[chosen]):.3g}) it gives {number(new.mean())} in place of "
        f"{number(old.mean())}"
    )
    return text, float((new - old).mean())


def _cut_at_half(results: list[Any], counted: ThresholdCounts) -> bool:
    """True if nearly all labels are those of a threshold of 0.5."""
    predicted = np.concatenate([result.responses["predict"] for result in results])
    agree = (counted.scores.score > 0.5) == (predicted == counted.labels[1])
    return bool(agree.mean() > 0.99)


def _overfits(report: CrossValidationReport) -> Found:
    for cell in fold_cells(report) if report.has_train else ():
        if not cell["is_baseline"] and cell["gap"] >= LEAST_GAP and cell["gap_low"] > 0:
            name, sign = shown_metric(cell["metric"])
            ends = interval(*sorted((sign * cell["gap_low"], sign * cell["gap_high"])))
            text = (
                f"{name} is {number(sign * cell['train'])} on the training rows and "
                f"{number(sign * (cell['train'] - cell['gap']))} on the test rows: difference "
                f"{signed(sign * cell['gap'])} {ends}"
            )
            yield cell["metric"], cell["model"], text, cell["gap"]


KINDS: Mapping[str, FindingKind] = {
    "data": FindingKind(
        lambda report: ((None, None, text, None) for text in report.data_warnings),
        "The data may not be what the report takes them for, such as independent rows.",
        "Pass groups= if rows of one unit (a patient) repeat.",
    ),
    "fit_failed": FindingKind(
        _failed,
        "The model could not be fitted on a fold.",
        "Read the error; means are over the folds that are left.",
    ),
    "undefined": FindingKind(
        _undefined,
        "The metric has no value on a fold; means are over the other folds.",
        "Use stratified folds, fewer folds, or a metric that needs no row of each class.",
    ),
    "few_rows": FindingKind(
        _few_rows,
        f"A test fold has fewer than {FEW_ROWS} rows of a class, so that one row moves a value of "
        "this class by a tenth or more.",
        "Use fewer folds or repeat them, and report intervals.",
    ),
    "hard_labels": FindingKind(
        partial(_of_distinct_scores, n_values=2),
        "The scores of the model have two values: they are labels, not probabilities, and metrics "
        "of scores read one point of a curve.",
        "Use a model that grades rows: a forest, a pruned tree, calibrated probabilities.",
    ),
    "constant_scores": FindingKind(
        partial(_of_distinct_scores, n_values=1),
        "The model gives every row of a fold the same score.",
        "Check the features, their scale, and the regularisation of the model.",
    ),
    "worse_than_baseline": FindingKind(
        partial(_against_baseline, is_worse=True),
        "A model that ignores the features is significantly better.",
        "Check the direction of the scores; if the metric is a loss, calibrate the probabilities.",
    ),
    "no_better_than_baseline": FindingKind(
        partial(_against_baseline, is_worse=False),
        "The difference from a model that ignores the features may be chance.",
        "Collect more rows or better features before using the model.",
    ),
    "within_noise": FindingKind(
        _within_noise,
        "The difference between the two best models may be chance.",
        "Prefer the simpler one, or repeat the folds and collect more rows.",
    ),
    "poor_threshold": FindingKind(
        _poor_threshold,
        "A threshold that the other folds choose makes the metric of labels better by "
        f"{LEAST_GAIN} or more, and by more than chance.",
        "Choose the threshold by ThresholdOptimizerCV or optimal_threshold.",
    ),
    "overfits": FindingKind(
        _overfits,
        f"The model does better on the rows that it was fitted on, by {LEAST_GAP} or "
        "more, and by more than chance.",
        "Judge it by the test rows; regularise or simplify it, or collect more rows.",
    ),
}


# --------------------------------------------------------------------------- conclusion


def conclusion(report: CrossValidationReport) -> list[str]:
    """The question; the best model by the first metric; how certain that is; what is undefined."""
    return [_question(report), *_answer(report), _undefined_cells(report)]


def _question(report: CrossValidationReport) -> str:
    models = without_baseline(report) or [*report.models]
    question = question_text(models, report.positive_class)
    name, sign = shown_metric(report.metrics[0])
    lower = " (lower is better)" if sign < 0 else ""
    grouping = report.grouping
    grouped = "" if grouping is None else f" in {grouping.n_groups:,} groups"
    return (
        f"{question} {name}{lower}, {report.n_folds}-fold cross-validation on "
        f"{report.n_samples:,} rows{grouped}."
    )


def _answer(report: CrossValidationReport) -> list[str]:
    metric, baseline = report.metrics[0], report.baseline
    name, sign = shown_metric(metric)
    try:
        best = report.best(metric)
    except InvalidParameterError as error:
        return [str(error)]
    row = next(r for r in report.summary() if (r.model, r.metric) == (best, metric))
    others = len(report.models) > 1
    value = row.mean if math.isnan(row.value) else row.value
    ends = interval(*sorted((sign * row.low, sign * row.high)))
    lines = [best_text(best, others, name, sign * value, ends, interval_title(report))]
    if best == baseline and others:
        return [*lines, "No model does better than the baseline, which ignores the features."]
    compared = [best_and_next(report, metric)]
    if baseline is not None and best != baseline:
        compared.append(comparison_of(report, metric, best, baseline))
        if compared[-1] is None:
            lines.append(f"Too few folds to compare it with {baseline}.")
    for pair in filter(None, compared):
        other = pair["model_b"]
        other = other if other == baseline else f"the runner-up, {other}"
        better = "Better than" if _is_significant(report, pair) else "Not distinguishable from"
        lines.append(f"{better} {other}: {_difference(pair)}.")
    if any(compared):
        lines.append(
            f"Differences describe {TARGETS['corrected']}; Holm's method adjusts their intervals "
            "and p for all pairs of models."
        )
    return lines


def _undefined_cells(report: CrossValidationReport) -> str:
    cells = [cell for cell in fold_cells(report) if cell["n_undefined"]]
    if not cells:
        return "Every metric is defined on every fold."
    listed = [
        f"{shown_metric(c['metric'])[0]} of {c['model']} in {c['n_undefined']} of {c['n_folds']}"
        for c in cells
    ]
    more = f", and {len(cells) - 5} more" if len(cells) > 5 else ""
    has_means = any(not np.isnan(cell["mean"]) for cell in cells)
    others = " Means are over the other folds." if has_means else ""
    return f"Undefined on some folds: {', '.join(listed[:5])}{more}.{others}"

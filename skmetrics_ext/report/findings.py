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
from skmetrics_ext.report import summary
from skmetrics_ext.report.fold import computed_once, is_fit_error
from skmetrics_ext.report.out_of_fold import ThresholdCounts
from skmetrics_ext.report.tables import best_text, difference_text, question_text, shown_metric
from skmetrics_ext.tables import Shown, Table, columns
from skmetrics_ext.tallies import Counts, ThresholdTally
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_array

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

Findings = Iterator[tuple[str | None, str | None, str, float | None]]  # metric, model, text, value
FEW_ROWS = 10  # of a class in a test fold: one row moves its recall by more than 0.1
LEAST_GAIN = 0.02  # smaller gains by another threshold are not reported
LEAST_GAP = 0.02  # smaller gaps between training and test rows are not reported
_MOST_LISTED = 5
# tp, fp, fn, tn of 50 rows of each class: one row is told as positive, or all but one, rightly.
_EXTREMES = ((1.0, 0.0, 49.0, 50.0), (50.0, 49.0, 0.0, 1.0))


class FindingKind(NamedTuple):
    """One kind of finding.

    Parameters
    ----------
    find : callable
        Takes a report and yields metric, model, text and value of each finding.
    meaning : str
        Explanation of the kind.
    advice : str
        What to do about it.
    false_alarms : float, default=nan
        Share of simulated reports that have this finding although it is wrong, from
        `benchmarks/findings.py`; nan for facts, which need no test.
    """

    find: Callable[[CrossValidationReport], Findings]
    meaning: str
    advice: str
    false_alarms: float = math.nan


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
            "false_alarms": kind.false_alarms,
        }
        for code, kind in KINDS.items()
        for metric, model, text, value in kind.find(report)
    ]


def findings_of(report: CrossValidationReport, code: str | Iterable[str] | None) -> Table:
    """Findings with one of the codes, or all of them, in the order of `KINDS`."""
    is_list = isinstance(code, Iterable) and not isinstance(code, str)
    codes = [*KINDS] if code is None else list(code) if is_list else [code]
    for name in codes:
        check_option("code", name, KINDS)
    rows = [row for row in _all_findings(report) if row["code"] in codes]
    shown = [
        *columns("code", "metric", "model"),
        Shown("number", "value", lambda value: "" if math.isnan(value) else f"{value:.4g}"),
        Shown("false alarms", "false_alarms", percent),
    ]
    return Table(rows, shown, sentences=["text", "advice"], empty="nothing found")


def percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.3g} %"


# --------------------------------------------------------------------------- facts


def _failed_fits(report: CrossValidationReport) -> Findings:
    for model in report.models:
        results = report.results_of(model)
        errors = Counter(result.fit_error for result in results if result.fit_error)
        for error, count in errors.items():
            yield None, model, f"in {count} of {len(results)} folds: {error}", count


def _undefined(report: CrossValidationReport) -> Findings:
    for cell in summary.fold_cells(report):
        for reason, count in cell["reasons"].items():
            if not is_fit_error(reason):
                text = f"undefined in {count} of {cell['n_folds']} folds: {reason}"
                yield cell["metric"], cell["model"], text, count


def _few_rows(report: CrossValidationReport) -> Findings:
    test_rows = {result.fold: result.rows for result in report.results if result.rows is not None}
    classes = report.data.classes
    if classes is None or not test_rows:
        return
    y = read_array("y", report.data.y)
    scarce, fewest_of_all = [], FEW_ROWS
    for label in classes.tolist():
        fewest = min(int(np.count_nonzero(y[rows] == label)) for rows in test_rows.values())
        if fewest < FEW_ROWS:
            fewest_of_all = min(fewest_of_all, fewest)
            total = int(np.count_nonzero(y == label))
            scarce.append(f"{label} ({fewest} in the smallest, {total} in total)")
    if scarce:
        text = f"test folds with fewer than {FEW_ROWS} rows of a class: {_listed(scarce)}"
        yield None, None, text, fewest_of_all


def _listed(texts: list[str]) -> str:
    """The first few texts, and the number of the others."""
    n_more = len(texts) - _MOST_LISTED
    more = f", and {n_more} more" if n_more > 0 else ""
    return ", ".join(texts[:_MOST_LISTED]) + more


_FEW_SCORES = {
    1: "every row of a fold has the same score, so {} cannot rank them",
    2: "the scores of a fold take only two values, like predicted labels, so {} see a single "
    "threshold",
}


def _few_distinct_scores(report: CrossValidationReport, n_values: int) -> Findings:
    names = ", ".join(
        shown_metric(name)[0]
        for name, metric in report.data.metrics.items()
        if metric is not None and metric.spec.response in ("scores", "probabilities")
    )
    for model in summary.without_baseline(report) if names else ():
        n_distinct = set()
        for result in report.results_of(model):
            scores = [values for method, values in result.responses.items() if method != "predict"]
            if scores and len(scores[0]) > 2:
                columns = (column for values in scores for column in np.atleast_2d(values.T))
                n_distinct.add(max(len(np.unique(column)) for column in columns))
        if n_distinct == {n_values}:
            yield None, model, _FEW_SCORES[n_values].format(names), n_values


# --------------------------------------------------------------------------- tests


def _against_baseline(report: CrossValidationReport, is_worse: bool) -> Findings:
    relation = "worse than" if is_worse else "not distinguishable from"
    for metric, model in product(report.metrics, report.models):
        row = comparison_of(report, metric, model, report.baseline)
        if row is None or _is_significant(report, row) != is_worse:
            continue
        if row["value"] < 0 or not is_worse:
            yield metric, model, f"{relation} the baseline: {_difference(row)}", row["value"]


def _within_noise(report: CrossValidationReport) -> Findings:
    for metric in report.metrics:
        row = best_and_next(report, metric)
        if row is not None and not _is_significant(report, row):
            text = f"not distinguishable from the runner-up, {row['against']}"
            yield metric, row["model"], f"{text}: {_difference(row)}", row["value"]


def best_and_next(report: CrossValidationReport, metric: str) -> dict[str, Any] | None:
    """Comparison of the two models with the best means, the baseline excluded; None if absent."""
    means = summary.defined_means(report, metric)
    models = [model for model in means if model != report.baseline]
    if len(models) < 2:
        return None
    return comparison_of(report, metric, *sorted(models, key=lambda model: -means[model])[:2])


def comparison_of(
    report: CrossValidationReport, metric: str, first: str, second: str | None
) -> dict[str, Any] | None:
    """Comparison of two models, as first less second; None if there is none."""
    for row in summary.comparisons(report, metric):
        if np.isnan(row["p_value"]) or {row["model"], row["against"]} != {first, second}:
            continue
        if row["model"] == first:
            return dict(row)
        return {
            **row,
            "model": first,
            "against": second,
            "value": -row["value"],
            "low_holm": -row["high_holm"],
            "high_holm": -row["low_holm"],
        }
    return None


def _is_significant(report: CrossValidationReport, row: Mapping[str, Any]) -> bool:
    return bool(row["p_adjusted"] < 1 - report.confidence_level)


def _difference(row: Mapping[str, Any]) -> str:
    name, sign = shown_metric(row["metric"])
    return difference_text(name, row, sign, "_holm")


def _poor_threshold(report: CrossValidationReport) -> Findings:
    metrics = report.data.metrics.items()
    weighing_both = {name: metric for name, metric in metrics if metric and _weighs_both(metric)}
    for model in summary.without_baseline(report) if weighing_both else ():
        counts = ThresholdCounts.of(report, model, also=[np.inf])
        if counts is not None and counts.fold[0] != counts.fold[-1]:
            for name, metric in weighing_both.items():
                better = _better_threshold(report, model, name, metric, counts)
                if better is not None:
                    yield name, model, *better


def _weighs_both(metric: Metric) -> bool:
    """Whether a metric of labels weighs both kinds of errors, so one row cannot make it perfect."""
    if metric.spec.response != "labels" or metric.spec.is_table:
        return False
    if metric.tally not in ("counts", "confusion") or not metric.spec.greater_is_better:
        return False
    metric = metric.without("labels", "pos_label")
    for cells in _EXTREMES:
        value = metric.read(ThresholdTally(np.array([0, 1]), Counts(*map(np.array, cells))))
        if np.ndim(value) or not float(value) < metric.spec.bounds[1]:
            return False
    return True


def _better_threshold(
    report: CrossValidationReport, model: str, name: str, metric: Metric, counts: ThresholdCounts
) -> tuple[str, float] | None:
    """Text and gain if thresholds chosen on the other folds are better than the model's own."""
    chosen, values = [], []
    for fold in np.unique(counts.fold):
        # Chosen on the rows of other folds, so that the gain has no selection bias.
        inside = counts.fold == fold
        outside = ~np.isin(counts.rows, counts.rows[inside])
        values_outside = counts.values(metric, counts.counts(outside))
        best = int(np.nan_to_num(values_outside, nan=-np.inf).argmax())
        chosen.append(best)
        values.append(counts.values(metric, counts.counts(inside))[best])
    # If one label for all rows is best, the model is poor rather than the threshold.
    if not 0 < min(chosen) <= max(chosen) < len(counts.thresholds) - 1:
        return None
    results = [r for r in report.results_of(model) if r.fold in counts.fold]
    at_chosen = report.data.sign(name) * np.array(values)
    at_default = [result.values[name] for result in results]
    paired = summary.paired_folds(report, results, at_chosen, at_default)
    new, old, level = paired["scores_a"], paired["scores_b"], report.confidence_level
    gain = float((new - old).mean()) if len(new) >= 2 else 0.0
    if gain < LEAST_GAIN:
        return None
    if not corrected_resampled_ttest(**paired, confidence_level=level).p_value < 1 - level:
        return None
    scores = counts.scores
    prevalence = 100 * float(np.average(scores.true, weights=scores.weight))
    poor = "0.5 is" if _cuts_at_half(results, counts) else "the model's own threshold is"
    return (
        f"{poor} a poor threshold at {prevalence:.3g} % prevalence: thresholds chosen on the other "
        f"folds (median {np.median(counts.thresholds[chosen]):.3g}) give {number(new.mean())} "
        f"instead of {number(old.mean())}"
    ), gain


def _cuts_at_half(results: list[Any], counts: ThresholdCounts) -> bool:
    """Whether nearly all predicted labels are those of a threshold of 0.5."""
    predicted = np.concatenate([result.responses["predict"] for result in results])
    agree = (counts.scores.score > 0.5) == (predicted == counts.labels[1])
    return bool(agree.mean() > 0.99)


def _overfits(report: CrossValidationReport) -> Findings:
    for cell in summary.fold_cells(report) if report.has_train else ():
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
        "The data may violate an assumption of the report, such as independent rows.",
        "Pass groups= if a unit, such as a patient, has several rows; remove rows that repeat.",
    ),
    "fit_failed": FindingKind(
        _failed_fits,
        "The model could not be fitted on some folds; means are over the others.",
        "Read the error and fix its cause.",
    ),
    "undefined": FindingKind(
        _undefined,
        "The metric is undefined on some folds; means are over the others.",
        "Use stratified folds, fewer folds, or a metric that does not need rows of every class.",
    ),
    "few_rows": FindingKind(
        _few_rows,
        f"A test fold has fewer than {FEW_ROWS} rows of a class, so a single row moves the recall "
        "of that class by more than 0.1.",
        "Use fewer folds or repeat them, and report intervals.",
    ),
    "hard_labels": FindingKind(
        partial(_few_distinct_scores, n_values=2),
        "The scores of the model take only two values: they are labels rather than probabilities, "
        "and metrics of scores see a single point of the curve.",
        "Use a model with graded scores: a forest, a pruned tree, or calibrated probabilities.",
    ),
    "constant_scores": FindingKind(
        partial(_few_distinct_scores, n_values=1),
        "The model gives every row of a fold the same score.",
        "Check the features, their scale, and the regularisation of the model.",
    ),
    "worse_than_baseline": FindingKind(
        partial(_against_baseline, is_worse=True),
        "A model that ignores the features is significantly better.",
        "Check the direction of the scores; if the metric is a loss, calibrate the probabilities.",
        false_alarms=0.045,
    ),
    "no_better_than_baseline": FindingKind(
        partial(_against_baseline, is_worse=False),
        "The difference from a model that ignores the features may be chance.",
        "Collect more rows or better features before using the model.",
        false_alarms=0.225,
    ),
    "within_noise": FindingKind(
        _within_noise,
        "The difference between the two best models may be chance.",
        "Prefer the simpler one, or collect more rows and repeat the folds.",
        false_alarms=0.115,
    ),
    "poor_threshold": FindingKind(
        _poor_threshold,
        f"A threshold chosen on the other folds improves the metric by {LEAST_GAIN} or more, and "
        "by more than chance.",
        "Choose the threshold with ThresholdOptimizerCV or optimal_threshold.",
        false_alarms=0.0,
    ),
    "overfits": FindingKind(
        _overfits,
        f"The metric is better on the training rows by {LEAST_GAP} or more, and by more than "
        "chance.",
        "Judge the model by the test rows; regularise or simplify it, or collect more rows.",
        false_alarms=0.005,
    ),
}


# --------------------------------------------------------------------------- conclusion


def conclusion(report: CrossValidationReport) -> list[str]:
    """Sentences: the question, the best model by the first metric, its rivals, what is missing."""
    return [_question(report), *_answer(report), _undefined_cells(report)]


def _question(report: CrossValidationReport) -> str:
    models = summary.without_baseline(report) or [*report.models]
    question = question_text(models, report.positive_class)
    name, sign = shown_metric(report.metrics[0])
    lower = " (lower is better)" if sign < 0 else ""
    groups = "" if report.grouping is None else f" in {report.grouping.n_groups:,} groups"
    return (
        f"{question} {name}{lower}, {report.n_folds}-fold cross-validation on "
        f"{report.n_samples:,} rows{groups}."
    )


def _answer(report: CrossValidationReport) -> Iterator[str]:
    metric, baseline = report.metrics[0], report.baseline
    name, sign = shown_metric(metric)
    try:
        best = report.best(metric)
    except InvalidParameterError as error:
        yield str(error)
        return
    row = next(r for r in report.summary() if (r.model, r.metric) == (best, metric))
    others = len(report.models) > 1
    value, title = sign * summary.value_or_mean(row), summary.interval_title(report)
    ends = interval(*sorted((sign * row.low, sign * row.high)))
    yield best_text(best, others, name, value, ends, title)
    if best == baseline and others:
        yield "No model does better than the baseline, which ignores the features."
        return
    pairs = [best_and_next(report, metric)]
    if baseline is not None and best != baseline:
        pairs.append(comparison_of(report, metric, best, baseline))
        if pairs[-1] is None:
            yield f"Too few folds for a comparison with {baseline}."
    for pair in filter(None, pairs):
        other = pair["against"]
        other = other if other == baseline else f"the runner-up, {other}"
        relation = "Better than" if _is_significant(report, pair) else "Not distinguishable from"
        yield f"{relation} {other}: {_difference(pair)}."
    if any(pairs):
        yield (
            f"Differences describe {summary.TARGETS['corrected']}; their intervals and p-values "
            "are adjusted for all pairs of models (Holm)."
        )


def _undefined_cells(report: CrossValidationReport) -> str:
    cells = [cell for cell in summary.fold_cells(report) if cell["n_undefined"]]
    if not cells:
        return "Every metric is defined on every fold."
    listed = _listed([
        f"{shown_metric(c['metric'])[0]} of {c['model']} in {c['n_undefined']} of {c['n_folds']}"
        for c in cells
    ])  # fmt: skip
    has_means = any(not np.isnan(cell["mean"]) for cell in cells)
    others = " Means are over the other folds." if has_means else ""
    return f"Undefined on some folds: {listed}.{others}"

"""Reasons to distrust the numbers of a report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.formats import form_for, number, visible, with_interval
from skmetrics_ext.inference.estimate_rows import KEYS, EstimateRow, for_people, shown_metric
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_ttest
from skmetrics_ext.registry import Metric
from skmetrics_ext.report import summary
from skmetrics_ext.report.conclusion import best_and_next, compared_text, comparison_of, listed
from skmetrics_ext.report.fold import computed_once, is_fit_error
from skmetrics_ext.report.out_of_fold import FoldValues, ThresholdCounts
from skmetrics_ext.report.sentences import capital
from skmetrics_ext.tables import Row, Shown
from skmetrics_ext.tallies import Counts, ThresholdTally
from skmetrics_ext.validation import check_option
from skmetrics_ext.validation.containers import read_array

# Metric, model, text, and a value or the row of a comparison.
Findings = Iterator[tuple[str | None, str | None, str, Any]]
FEW_ROWS = 10  # of a class in a test fold: one row moves its recall by more than 0.1
LEAST_GAIN = 0.02  # smaller gains by another threshold are not reported
LEAST_GAP = 0.02  # smaller gaps between training and test rows are not reported
# tp, fp, fn, tn of 50 rows of each class: one row is told as positive, or all but one, rightly.
_OF_COMPARISONS = (*KEYS[5:12], "value_a", "value_b", "p_adjusted")
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
    of_probabilities : str, default=""
        What to do instead, if the metric reads probabilities.
    """

    find: Callable[[FoldValues], Findings]
    meaning: str
    advice: str
    false_alarms: float = math.nan
    of_probabilities: str = ""

    def advice_on(self, metric: Metric | None) -> str:
        """What to do about a finding by a metric."""
        is_of_probabilities = metric is not None and metric.spec.response == "probabilities"
        return (is_of_probabilities and self.of_probabilities) or self.advice


class FindingTable(Estimates):
    """Findings as rows of estimates, which print as sentences by model."""

    def sentences_of(self) -> list[tuple[EstimateRow, str]]:
        """Each finding with its sentence: those about all models, then model by model."""
        models = list(dict.fromkeys([None, *(row.model for row in self)]))
        told = []
        for row in sorted(iter(self), key=lambda row: models.index(row.model)):
            subject = ", ".join(filter(None, [row.model, _name_of(row.metric)]))
            text = f"{subject}: {row.text}." if subject else capital(row.text)
            told.append((row, f"{text} {row.advice}"))
        return told

    def __str__(self) -> str:
        return "\n".join(visible(text) for _, text in self.sentences_of()) or self.empty


def _name_of(metric: str | None) -> str | None:
    return metric and shown_metric(metric, inside=True)[0]


@computed_once
def _all_findings(report: FoldValues) -> list[dict[str, Any]]:
    return [
        {
            **_numbers(value),
            "code": code,
            "metric": metric,
            "model": model,
            "text": text,
            "advice": kind.advice_on(report.data.metrics.get(metric or "")),
            "false_alarms": kind.false_alarms,
        }
        for code, kind in KINDS.items()
        for metric, model, text, value in kind.find(report)
    ]


def _numbers(value: Any) -> dict[str, Any]:
    """A value, or the difference of a comparison with its interval and p-values."""
    if isinstance(value, Mapping):
        return {key: value[key] for key in _OF_COMPARISONS}
    return {"value": math.nan if value is None else float(value)}


def findings_of(report: FoldValues, code: str | Iterable[str] | None = None) -> FindingTable:
    """Findings with one of the codes, or all of them, in the order of `KINDS`."""
    is_list = isinstance(code, Iterable) and not isinstance(code, str)
    codes = [*KINDS] if code is None else list(code) if is_list else [code]
    for name in codes:
        check_option("code", name, KINDS)
    rows = [row for row in _all_findings(report) if row["code"] in codes]
    shown = [
        Shown("model", is_text=True, none="all"),
        Shown("metric", form=lambda name: shown_metric(name)[0], is_text=True),
        Shown("finding", "text", is_text=True),
        Shown("advice", is_text=True),
    ]
    level = report.confidence_level
    options: Any = {"columns": shown, "sentences": (), "empty": "nothing found"}
    return FindingTable(rows, confidence_level=level, **options)


def percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.3g} %"


# --------------------------------------------------------------------------- facts


def _failed_fits(report: FoldValues) -> Findings:
    for model in report.models:
        results = report.results_of(model)
        errors = Counter(result.fit_error for result in results if result.fit_error)
        for error, count in errors.items():
            yield None, model, f"not fitted in {count} of {len(results)} folds: {error}", count


def _undefined(report: FoldValues) -> Findings:
    for cell in summary.fold_cells(report):
        for reason, count in cell["reasons"].items():
            if not is_fit_error(reason):
                text = f"undefined in {count} of {cell['n_folds']} folds: {reason}"
                yield cell["metric"], cell["model"], text, count


def _few_rows(report: FoldValues) -> Findings:
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
        text = f"test folds with fewer than {FEW_ROWS} rows of a class: {listed(scarce)}"
        yield None, None, text, fewest_of_all


_FEW_SCORES = {
    1: "every row of a fold has the same score, so {} cannot rank them",
    2: "only two distinct scores in a fold: probably labels, so {} see a single threshold",
}


def _few_distinct_scores(report: FoldValues, n_values: int) -> Findings:
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


def _against_baseline(report: FoldValues, is_worse: bool) -> Findings:
    relation = "worse than" if is_worse else "not distinguishable from"
    for metric, model in product(report.metrics, report.models):
        row = comparison_of(report, metric, model, report.baseline)
        if row is None or _is_significant(report, row) != is_worse:
            continue
        if row["value"] < 0 or not is_worse:
            text = f"{relation} the baseline ({compared_text(report, row)})"
            yield metric, model, text, row


def _within_noise(report: FoldValues) -> Findings:
    for metric in report.metrics:
        row = best_and_next(report, metric)
        if row is not None and not _is_significant(report, row):
            text = f"not distinguishable from the runner-up, {row['against']}"
            yield metric, row["model"], f"{text} ({compared_text(report, row)})", row


def _is_significant(report: FoldValues, row: Mapping[str, Any]) -> bool:
    return bool(row["p_adjusted"] < 1 - report.confidence_level)


def _poor_threshold(report: FoldValues) -> Findings:
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
    report: FoldValues, model: str, name: str, metric: Metric, counts: ThresholdCounts
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


def _overfits(report: FoldValues) -> Findings:
    for cell in summary.fold_cells(report) if report.has_train else ():
        if not cell["is_baseline"] and cell["gap"] >= LEAST_GAP and cell["gap_low"] > 0:
            shown = for_people(Row(cell))
            gap = shown["gap"], shown["gap_low"], shown["gap_high"]
            form, train = form_for(*gap[1:]), shown["train"]
            text = (
                f"{form(train)} on the training rows against {form(train - gap[0])} on the test "
                f"rows ({with_interval(*gap, sign=True)})"
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
        "Check the direction of its scores.",
        false_alarms=0.045,
        of_probabilities="Calibrate it.",
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

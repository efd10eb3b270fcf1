"""The tables of a report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

from skmetrics_ext.formats import interval, number, signed
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.report.out_of_fold import FoldValues
from skmetrics_ext.report.sentences import shown_metric
from skmetrics_ext.report.summary import interval_heading, kind_of, summary_of
from skmetrics_ext.tables import Row, Shown, Table, columns

RowKind = Literal["summary", "folds", "pooled", "compare"]
_TESTS = (
    "Corrected resampled t-test, for models trained on other samples of this size. Each interval "
    "holds alone; p is adjusted for all pairs of a metric (Holm)."
)
_ROPE = (
    " P: posterior probability that the model is better, or worse, by more than the region of "
    "practical equivalence, or neither."
)
_NAMES = columns("model", "metric")
_SECONDS = (
    Shown("fit (s)", "fit_time", "{:.3f}".format),
    Shown("score (s)", "score_time", "{:.3f}".format),
)
_FOLDS = columns("model", "metric", "fold", "value", ("train", "n_train"), ("test", "n_test"))
_FOLD_FIELDS = ("n_train", "n_test", "fit_time", "score_time")
_ESTIMATE_FIELDS = ("value", "low", "high", "standard_error", "method", "note", "design_effect")
# Columns that change sign, and pairs of bounds that change sign and places, when a loss is shown.
_NEGATED = ("mean", "value", "value_a", "value_b", "train", "gap", "train_value")
_SWAPPED = (("low", "high"), ("low_holm", "high_holm"), ("gap_low", "gap_high"))


def for_people(rows: Table) -> Table:
    """A table with metrics named, and losses signed, as people write them."""
    shown = []
    for row in rows:
        title, sign = shown_metric(row["metric"])
        row = Row({**row, "metric": title})
        if sign < 0:
            row |= {key: -row[key] for key in _NEGATED if row.get(key) is not None}
            for low, high in _SWAPPED:
                if low in row:
                    row[low], row[high] = -row[high], -row[low]
        shown.append(row)
    return rows.like(shown)


def interval_column(report: FoldValues) -> tuple[str, str]:
    """Title and key of the column of intervals."""
    return f"{100 * report.confidence_level:g}% interval", "interval"


def _estimates(
    rows: Sequence[Mapping[str, Any]], shown: Sequence[Shown], report: FoldValues, **more: Any
) -> Estimates:
    """Estimates of a report, which print with these columns and mark the baseline."""
    known: Any = {"confidence_level": report.confidence_level, "baseline": report.baseline}
    counted = [name for name in ("reasons", "notes") if rows and name in rows[0]]
    known |= {"columns": shown, "sentences": [*counted, "note"]}
    return Estimates(rows, **known | more)


def summary_table(report: FoldValues, interval: str) -> Estimates:
    """Mean, standard deviation and interval of each model and metric."""
    kind = kind_of(report, interval)
    pooled = [("pooled", "value")] if kind == "pooled" else []
    shown = columns("model", "metric", "mean", ("sd", "std"), *pooled, interval_column(report))
    lead = [interval_heading(report, kind)]
    rows = summary_of(report, kind)
    return _estimates(rows, shown + train_columns(report), report, lead=lead)


def train_columns(report: FoldValues) -> list[Shown]:
    """Columns of the value on the training rows, and its gap from the test rows."""
    if not report.has_train:
        return []
    ends = Shown("gap interval", ("gap_low", "gap_high"), interval)
    return [*columns("train", "gap"), ends]


def fold_table(report: FoldValues) -> Estimates:
    """The values of each fold."""
    rows: list[dict[str, Any]] = []
    for result, metric in product(report.results, report.metrics):
        row = {"model": result.model, "fold": result.fold, "metric": metric}
        row |= {"value": result.values[metric], "note": result.reasons.get(metric, "")}
        rows.append(row | {key: getattr(result, key) for key in _FOLD_FIELDS})
        if report.has_train:
            rows[-1]["train_value"] = result.train_values.get(metric, math.nan)
    train = columns(("on train", "train_value")) * report.has_train
    return _estimates(rows, [*_FOLDS, *train, *_SECONDS], report)


def pooled_table(report: FoldValues, found: dict[tuple[str, str], Estimate]) -> Estimates:
    """Each metric on the out-of-fold predictions of all folds together, with its interval."""
    n_rows = {model: len(part.rows) for model, part in report.predictions.items()}
    rows = [
        {
            "model": model,
            "metric": metric,
            "n_rows": n_rows[model],
            **{key: getattr(estimate, key) for key in _ESTIMATE_FIELDS},
        }
        for (model, metric), estimate in found.items()
    ]
    value = Shown("value", form=lambda value: "not pooled" if math.isnan(value) else number(value))
    more = columns(interval_column(report), "method", ("rows", "n_rows"))
    return _estimates(rows, [*_NAMES, value, *more], report)


def comparison_table(report: FoldValues, rows: Sequence[Mapping[str, Any]]) -> Estimates:
    """Pairs of models on the same folds."""
    ropes = {row["rope"] for row in rows}
    has_rope = not ropes <= {None}
    title = f"P(±{ropes.pop():g})" if len(ropes) == 1 and has_rope else "P(same)"
    shares = [("P(better)", "p_a_better"), (title, "p_equivalent"), ("P(worse)", "p_b_better")]
    shown = [
        *columns("metric", "model", "against", ("value", "value_a"), ("reference", "value_b")),
        Shown("difference", "value", lambda value: signed(value) or "undefined"),
        *columns(interval_column(report), ("p (adjusted)", "p_adjusted")),
        *columns(*(shares if has_rope else ())),
    ]
    notes = [_TESTS + _ROPE * has_rope] if rows else []
    more: Any = {"notes": notes, "empty": "no pair of models to compare", "baseline": None}
    return _estimates(rows, shown, report, **more, adjusted=("holm",), compared="model")

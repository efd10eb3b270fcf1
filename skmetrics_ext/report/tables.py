"""How the rows of a report are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from skmetrics_ext.formats import interval, number, probability, signed
from skmetrics_ext.rows import Rows, Shown

RowKind = Literal["summary", "folds", "pooled", "compare"]
_TESTS = (
    "p: corrected resampled t-test; p (Holm): adjusted for the pairs of the metric. P: "
    "probability, by the Bayesian correlated t-test, that a is better, that they differ "
    "by no more than the given size (the same in practice), that b is better."
)
_NAMES = (Shown("model", is_text=True), Shown("metric", is_text=True))


def _bounds(level: float) -> Shown:
    return Shown(f"{100 * level:g}% interval", ("low", "high"), interval)


def _difference(value: float) -> str:
    return signed(value) or "undefined"


def summary_table(rows: Iterable[Mapping[str, Any]], level: float, baseline: str | None) -> Rows:
    """Mean and spread over folds, and an interval."""
    columns = [
        *_NAMES,
        Shown("mean", "mean", number),
        Shown("sd", "std"),
        Shown("of", "interval", is_text=True),
        Shown("value", "value", number),
        _bounds(level),
    ]
    return Rows(rows, columns, baseline=baseline)


def fold_table(rows: Iterable[Mapping[str, Any]], baseline: str | None) -> Rows:
    """A value of each fold."""
    columns = [
        *_NAMES,
        Shown("fold"),
        Shown("value", "value", number),
        Shown("train", "n_train"),
        Shown("test", "n_test"),
        Shown("fit (s)", "fit_time"),
        Shown("score (s)", "score_time"),
    ]
    return Rows(rows, columns, baseline=baseline)


def pooled_table(rows: Iterable[Mapping[str, Any]], level: float, baseline: str | None) -> Rows:
    """A value of all out-of-fold predictions together, and its interval."""
    columns = [
        *_NAMES,
        Shown("value", "value", number),
        _bounds(level),
        Shown("method", is_text=True),
        Shown("rows", "n_rows"),
    ]
    return Rows(rows, columns, baseline=baseline)


def comparison_table(rows: list[dict[str, Any]], level: float, rope: float) -> Rows:
    """Pairs of models on the same folds."""
    columns = [
        Shown("metric", is_text=True),
        Shown("a", "model_a", is_text=True),
        Shown("b", "model_b", is_text=True),
        Shown("a - b", "difference", _difference),
        _bounds(level),
        Shown("p", "p_value", probability),
        Shown("p (Holm)", "p_holm", probability),
        Shown("P(a)", "p_a_better", probability),
        Shown(f"P(±{rope:g})", "p_equivalent", probability),
        Shown("P(b)", "p_b_better", probability),
    ]
    notes = [_TESTS] if rows else []
    return Rows(rows, columns, notes=notes, empty="no pair of models to compare")

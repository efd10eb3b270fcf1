"""Sentences that the pages of reports and of files share: the question and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skmetrics_ext.formats import p_value_text, with_interval
from skmetrics_ext.inference.estimate_rows import for_people
from skmetrics_ext.tables import Row

Numbers = tuple[float, float, float]  # a value, or a difference, and its bounds


def numbers_of(row: Mapping[str, Any]) -> Numbers:
    """A value, or a difference, and its bounds, as people read them."""
    row = for_people(Row(row))
    return row["value"], row["low"], row["high"]


def question_text(models: Sequence[str], positive: Any) -> str:
    """The question that a page answers."""
    target = "the class" if positive is None else f"class {positive!r}"
    if isinstance(positive, str):
        target = repr(positive)
    if len(models) > 1:
        return f"Which model predicts {target} best?"
    return f"How well does {models[0]} predict {target}?"


def best_text(model: str, name: str, numbers: Numbers, rank: str = "") -> str:
    """The value of a model with its interval: "highest ROC AUC: logistic 0.995 [0.987, 0.998]"."""
    return f"{f'{rank} {name}'.strip()}: {model} {with_interval(*numbers)}"


def rival_text(rival: str, numbers: Numbers, p_value: float, alpha: float) -> str:
    """How the best model compares with another: "better than forest (+0.003 [0.001, 0.005])"."""
    relation = "better than" if p_value < alpha else "not distinguishable from"
    return f"{relation} {rival} ({difference_text(numbers, p_value, alpha)})"


def difference_text(numbers: Numbers, p_value: float, alpha: float) -> str:
    """A difference with its interval.

    The p-value decides. It is shown if the interval alone would suggest the opposite, as it can
    after an adjustment for several comparisons.
    """
    _, low, high = numbers
    differs = (p_value < alpha) == (low <= 0 <= high)
    adjusted = f", adjusted p {p_value_text(p_value)}" if differs else ""
    return with_interval(*numbers, sign=True) + adjusted


def capital(text: str) -> str:
    """A text as a sentence, with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."

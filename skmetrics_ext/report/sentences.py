"""Sentences that the pages of reports and of files share: the question and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skmetrics_ext.formats import p_value_text, with_interval
from skmetrics_ext.registry import scorers
from skmetrics_ext.registry.defaults import display_name

Numbers = tuple[float, float, float]  # a value, or a difference, and its bounds


def shown_metric(name: str, *, inside: bool = False) -> tuple[str, int]:
    """Name of a metric as people write it, and -1 if its numbers are shown with opposite sign.

    Scorers negate losses, so that greater is better; people read the loss itself. Names that the
    user chose are kept. ``inside`` a sentence, names begin in lower case.
    """
    if name not in scorers():
        return name, 1
    return display_name(name, inside=inside), -1 if name.startswith("neg_") else 1


def in_direction(sign: int, numbers: Numbers) -> Numbers:
    """A value and its bounds, negated for a sign of -1."""
    value, low, high = numbers
    return (value, low, high) if sign > 0 else (-value, -high, -low)


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

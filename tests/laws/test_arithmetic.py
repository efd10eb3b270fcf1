"""The laws of arithmetic on estimates, over metrics and designs.

`a - b` is `compare` on the same rows and `compare_samples` on other rows. All questions are asked
by ``pytest -m exhaustive tests/laws/test_arithmetic.py``; the other tests ask some of them.
"""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from support.compare import undefined_allowed

import skmetrics_ext as sx

from .interval_cases import DESIGNS, N_RESAMPLES, arguments, cases, questions

FIELDS = ("value", "low", "high", "standard_error", "statistic", "p_value", "value_a", "value_b")
CLOSE = {"rtol": 1e-9, "atol": 1e-11, "equal_nan": True}
_MOST = 8
_DRAWS = {"n_resamples": N_RESAMPLES, "random_state": 0}


def estimate(question, other=False, **options):
    """The estimate of one of two models."""
    with undefined_allowed():
        return sx.confidence_interval(
            question.metric,
            question.rows.y_true,
            question.response(other),
            **_DRAWS,
            **arguments(question),
            **options,
        )


def differing(found, right):
    """What differs between two results, or ""."""
    for name in FIELDS:
        ours, theirs = getattr(found, name, np.nan), getattr(right, name, np.nan)
        if not np.allclose(ours, theirs, **CLOSE):
            return f"{name} is {ours!r}, right is {theirs!r}"
    for name in ("method", "note"):
        if getattr(found, name) != getattr(right, name):
            return f"{name} is {getattr(found, name)!r}, right is {getattr(right, name)!r}"
    return ""


def check(found):
    lines = [f"{question.name} of {question.rows.name}: {wrong}" for question, wrong in found]
    assert not lines, f"{len(lines)} differ:\n  " + "\n  ".join(lines[:_MOST])


def wrong_comparisons(question):
    """How `a - b` differs from `compare`, or of ratios from the difference of logarithms."""
    rows = question.rows
    try:
        with undefined_allowed():
            right = sx.compare(
                question.metric,
                rows.y_true,
                question.response(),
                question.response(True),
                **_DRAWS,
                **arguments(question),
            )
    except ValueError:
        return
    a, b = estimate(question), estimate(question, True)
    with undefined_allowed():
        found = np.log(a) - np.log(b) if "log_ratio" in right.method else a - b
    if wrong := differing(found, right):
        yield question, wrong


def wrong_samples(question):
    """How `a - b` of two halves differs from `compare_samples`."""
    halves = {half: replace(question, rows=rows) for half, rows in question.rows.parts.items()}
    sides = {}
    for name, own in halves.items():
        sides[f"y_true_{name}"], sides[f"y_pred_{name}"] = own.rows.y_true, own.response()
        for argument, column in arguments(own).items():
            if argument in ("groups", "strata", "sample_weight"):
                sides[f"{argument}_{name}"] = column
    shared = {k: v for k, v in arguments(question).items() if k == "pos_label"}
    try:
        with undefined_allowed():
            right = sx.compare_samples(question.metric, **sides, **shared, **_DRAWS)
            a, b = (estimate(half, rows=name) for name, half in halves.items())
    except ValueError:
        return
    with undefined_allowed():
        found = np.log(a) - np.log(b) if "log_ratio" in right.method else a - b
    if wrong := differing(found, right):
        yield question, wrong


def asked(design, step):
    """Every so many of the questions of a design."""
    place = DESIGNS.index(design)
    return [
        question
        for rows in cases(design)
        for question in islice(questions(rows), place % step, None, step)
    ]


@pytest.mark.parametrize("every", [70, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("design", DESIGNS)
def test_a_difference_is_a_comparison(design, every):
    questions = asked(design, every)
    check([wrong for question in questions for wrong in wrong_comparisons(question)])
    check([wrong for question in questions for wrong in wrong_samples(question)])

"""The central law: a metric asked about the same rows has one answer, whichever way it is asked.

The answer is the function's. A way may refuse for want of ``pos_label`` where nothing says which
class is positive, and must do so where the metric is of one class; it may say nan where the
function gives a number by convention and warns of it. It may never give a second number.
"""

from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from skmetrics_ext import METRICS

from .asked_data import any_rows, known_rows
from .ways_to_ask import OVER_THRESHOLDS, WAYS, Answer, Question, answered

NAMES = list(METRICS)
# By the names of parameters: values beside those that the names of scorers set.
FURTHER = {"average": (None,), "zero_division": (np.nan, 1.0), "max_fpr": (0.5,)}
CLOSE = {"rtol": 1e-12, "atol": 1e-12, "equal_nan": True}
_MOST = 6  # disagreements that a failure shows


# --------------------------------------------------------------------------- what is asked


@cache
def settings_of(name):
    """(scorer, parameters that it sets, further ones) of all ways to set a row's parameters."""
    spec = METRICS[name]
    scorers = spec.scorer_names() or {None: dict(spec.params)}
    # A mean over the labels of each row is of multilabel data.
    found = [(k, own, {}) for k, own in scorers.items() if own.get("average") != "samples"]
    accepted = Question(spec, None, {}, {}, known_rows()[0]).parameters
    first, fixed, _ = found[0]
    for parameter, values in FURTHER.items():
        if parameter in accepted:
            found += [(first, fixed, {parameter: value}) for value in values]
    return found


def positives(rows, sides):
    """The classes to name, None for none of them."""
    if not rows.is_binary or sides == "none":
        return [None]
    if rows.natural is None:
        # labels= names the negative class first, which says which is positive.
        return [*rows.classes] if rows.told else [None, *rows.classes]
    return [None, rows.classes[0]]


@cache
def questions(name):
    """All that is asked of a metric; what a parameter adds, of every third case."""
    found = []
    for place, (scorer, fixed, extra) in enumerate(settings_of(name)):
        for number, rows in enumerate(known_rows()):
            if place and (place + number) % 3:
                continue
            asked = Question(METRICS[name], scorer, fixed, extra, rows)
            found += [replace(asked, pos_label=label) for label in positives(rows, asked.sides)]
    return found


# --------------------------------------------------------------------------- what is expected

ASKS = Answer(None, "asks for pos_label")


@lru_cache(maxsize=4096)
def expected(question):
    """What the function says by the rule of the positive class, or that it has to be asked for.

    Where a class has no row it is told all of them, which models and streams know as well.
    """
    rows = question.rows
    is_said = question.pos_label is not None or rows.natural is not None or rows.told
    if rows.is_binary and not is_said:
        if question.sides == "one":
            return ASKS
        if question.sides == "either":
            question = replace(question, pos_label=rows.classes[-1])
    if rows.lacks_a_class and question.spec.response != "labels":
        question = replace(question, rows=replace(rows, told=True))
    return answered(WAYS["function"], question)


def disagreement(question, answer, right, *, keeps_rule=False, may_ask=False):
    """What is wrong with an answer, or "".

    Parameters
    ----------
    question : Question
    answer, right : Answer
        As given, and as expected.
    keeps_rule : bool
        Whether it is a function of scikit-learn's name, which chooses the class by its rule.
    may_ask : bool
        Whether the way may ask for the positive class though the metric needs none.
    """
    if answer.crashed:
        return f"raises {answer.said}"
    rows = question.rows
    nothing_said = question.pos_label is None and rows.natural is None
    asks = nothing_said and answer.asks_for(rows.classes)
    if right is ASKS:
        return "" if asks or keeps_rule else f"says {answer}, and has to ask for pos_label"
    if asks and (may_ask or keeps_rule):
        return ""
    if answer.is_undefined and (right.is_undefined or right.warned):
        return ""
    if answer.value is None and rows.lacks_a_class and not rows.told and "labels" in answer.said:
        return ""  # the rows do not tell the classes
    defined = answer.value is not None and right.value is not None
    if defined and answer.value.shape == right.value.shape:
        if np.allclose(answer.value, right.value, **CLOSE):
            return ""
    return f"says {answer}, the function {right}"


def check(found):
    assert not found, f"{len(found)} answers differ:\n  " + "\n  ".join(found[:_MOST])


def compare_answers(way, asked):
    """Disagreements of a way with what is expected."""
    found = []
    for question in asked:
        if not way.takes(question):
            continue
        right = way.right(question, expected)
        if way.single and right.value is not None and right.value.size > 1:
            continue
        wrong = disagreement(question, answered(way, question), right, keeps_rule=rule_of(way, question))
        if wrong:
            found.append(f"{question}: {wrong}")
    return found


def rule_of(way, question):
    return way is WAYS["function"] and hasattr(sklearn.metrics, question.spec.name)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_one_answer(name, way):
    check(compare_answers(WAYS[way], questions(name)))

"""The central law: a metric asked about the same rows has one answer, whichever way it is asked.

The answer is the function's. Where nothing says which class is positive, a way may refuse for want
of ``pos_label`` if it reads scores, and must do so if the metric is of one class; it may say nan
where the function warns that it gives a number by convention. It may never give a second number.
"""

from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support import versions
from support.rows import OF_ONE_LABEL

from skmetrics_ext import METRICS

from .asked_data import Answer, Question, any_rows, heard, known_rows
from .ways_to_ask import DUCKDB, OVER_THRESHOLDS, WAYS, evaluated_together

NAMES = OF_ONE_LABEL
LABEL_NAMES = [name for name in NAMES if METRICS[name].response == "labels"]
SINGLY = [way for way in WAYS if way != DUCKDB]
# By the names of parameters: values beside those that the names of scorers set.
FURTHER = {"average": (None,), "zero_division": (np.nan, 1.0), "max_fpr": (0.5,)}
CLOSE = {"rtol": 1e-12, "atol": 1e-12, "equal_nan": True}
_MOST = 6  # disagreements that a failure shows


# --------------------------------------------------------------------------- what is asked


@cache
def settings_of(name):
    """(scorer, parameters that it sets, further ones) of all ways to set a row's parameters."""
    spec = METRICS[name]
    scorers = spec.scorers or {None: dict(spec.params)}
    # A mean over the labels of each row is of multilabel data.
    found = [(k, own, {}) for k, own in scorers.items() if own.get("average") != "samples"]
    first, fixed, _ = found[0]
    accepted = Question(spec, None, {}, {}, known_rows()[0]).parameters
    for parameter, values in FURTHER.items():
        if parameter in accepted:
            found += [(first, fixed, {parameter: value}) for value in values]
    return found


def positives(rows, sides):
    """The classes to name, None for none of them."""
    if not rows.is_binary or sides == "none":
        return [None]
    if rows.natural is not None:
        return [None, rows.classes[0]]
    # labels= names the negative class first, and so the positive one.
    return [*rows.classes] if rows.told else [None, *rows.classes]


@cache
def questions(name):
    """All that is asked of a metric; what parameters add, of some of the rows in turn."""
    found = []
    for place, (scorer, fixed, extra) in enumerate(settings_of(name)):
        for number, rows in enumerate(known_rows()):
            turn = place + number + len(name)
            if place and turn % (3 if rows.has_empty_class else 7):
                continue
            asked = Question(METRICS[name], scorer, fixed, extra, rows)
            found += [replace(asked, pos_label=label) for label in positives(rows, asked.sides)]
    return found


# --------------------------------------------------------------------------- what is right

ASKS = Answer(None, "it has to ask for pos_label")


@lru_cache(maxsize=4096)
def expected(question):
    """What the function says of 0 and 1, the positive class by the rule being 1; or `ASKS`.

    Where a class has no row it is told all of them, which models and streams know as well.
    """
    rows = question.rows
    if rows.is_binary and question.sides != "none":
        is_said = question.pos_label is not None or rows.natural is not None or rows.told
        if question.sides == "one" and not is_said:
            return ASKS
        rows = rows.seen_from(rows.positive(question.pos_label))
    if rows.lacks_a_class and question.spec.response != "labels":
        rows = replace(rows, told=True)
    return heard(WAYS["function"].ask, replace(question, rows=rows, pos_label=None))


@lru_cache(maxsize=4096)
def expected_at(question, threshold):
    """The same of the labels that a threshold gives."""
    return expected(question.thresholded(threshold))


def is_convention(question, right):
    """Whether there is no value, or a number in the place of 0/0."""
    if right.is_undefined or right.warned:
        return True
    if "zero_division" not in question.parameters or "zero_division" in question.extra:
        return False
    extra = {**question.extra, "zero_division": np.nan}
    return expected(replace(question, extra=extra)).is_undefined


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
    agrees = answers_agree(question, answer, right, keeps_rule=keeps_rule, may_ask=may_ask)
    return "" if agrees else f"says {answer}, right is {right}"


def answers_agree(question, answer, right, *, keeps_rule, may_ask):
    """Whether nothing is wrong with an answer; for the parameters see `disagreement`."""
    rows = question.rows
    if answer.crashed:
        return False
    nothing_said = question.pos_label is None and rows.natural is None
    asks = nothing_said and answer.asks_for(rows.classes)
    if right is ASKS:
        return asks or keeps_rule
    if asks and (may_ask or keeps_rule or question.spec.response != "labels"):
        return True
    if answer.is_undefined and is_convention(question, right):
        return True
    wants_classes = answer.value is None and "label" in answer.said
    if rows.lacks_a_class and not rows.told and (keeps_rule or wants_classes):
        return True  # the rows alone do not tell them
    both = answer.value is not None and right.value is not None
    if both and answer.value.shape == right.value.shape:
        # Of classes for which the function keeps a convention, others say that there is none.
        is_told = np.isnan(answer.value) & (right.warned and not answer.is_undefined)
        value = np.where(is_told, np.nan, right.value)
        return np.allclose(answer.value, value, **CLOSE)
    return False


def is_vector(question, right):
    """Whether a value is of each class, though it be of one."""
    return right.value.size > 1 or question.options.get("average", "") is None


def compare_answers(way, asked):
    """Disagreements of a way with what is expected."""
    found = []
    for question in filter(way.takes, asked):
        right = way.right(question, expected)
        if way.single and right.value is not None and is_vector(question, right):
            continue
        keeps_rule = way is WAYS["function"] and versions.names(question.spec.name)
        wrong = disagreement(question, heard(way.ask, question), right, keeps_rule=keeps_rule)
        found += [f"{question}: {wrong}"] if wrong else []
    return found


def compare_at_thresholds(way, asked):
    """The same at each threshold at which a way gives a value; a refusal is one at each."""
    found = []
    for question in filter(way.takes, asked):
        given = heard(way.ask, question)
        thresholds, values = given.thresholds, given.value
        if given.value is None:
            thresholds = [*np.unique(question.risk()), np.inf]
            values = [None] * len(thresholds)
        elif len(thresholds):
            values = given.value.reshape(len(thresholds), -1)
        for threshold, value in zip(thresholds, values, strict=True):
            at, right = question.thresholded(threshold), expected_at(question, threshold)
            if way.single and right.value is not None and is_vector(at, right):
                break
            answer = replace(given, value=value)
            wrong = disagreement(at, answer, right, keeps_rule=way.keeps_rule, may_ask=True)
            if wrong:
                found.append(f"{question} at {threshold:.4g}: {wrong}")
                break
    return found


def check(found):
    assert not found, f"{len(found)} answers differ:\n  " + "\n  ".join(found[:_MOST])


# --------------------------------------------------------------------------- the law


@pytest.mark.sampled(8)
@pytest.mark.parametrize("way", SINGLY)
@pytest.mark.parametrize("name", NAMES)
def test_one_answer(name, way):
    check(compare_answers(WAYS[way], questions(name)))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5, phases=(Phase.explicit, Phase.generate))  # shrinking asks all anew
@given(data=st.data())
def test_one_answer_about_generated_rows(name, data):
    rows = data.draw(any_rows())
    scorer, fixed, extra = data.draw(st.sampled_from(settings_of(name)))
    asked = Question(METRICS[name], scorer, fixed, extra, rows)
    asked = replace(asked, pos_label=data.draw(st.sampled_from(positives(rows, asked.sides))))
    found = [(way, compare_answers(WAYS[way], [asked])) for way in SINGLY]
    found += [(way, compare_at_thresholds(own, [asked])) for way, own in OVER_THRESHOLDS.items()]
    check([f"{way}: {wrong}" for way, own in found for wrong in own])


@pytest.mark.sampled(8)
@pytest.mark.parametrize("way", OVER_THRESHOLDS)
@pytest.mark.parametrize("name", LABEL_NAMES)
def test_one_answer_at_each_threshold(name, way):
    asked = []
    for question in questions(name):
        rows = question.rows
        asked.append(question)
        if question.pos_label is None and rows.natural is None and rows.is_binary:
            # Whose score it is may have to be said where the metric is of no class.
            asked.append(replace(question, pos_label=rows.classes[0]))
    check(compare_at_thresholds(OVER_THRESHOLDS[way], asked))


# --------------------------------------------------------------------------- an engine of its own


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", NAMES)
def test_one_answer_by_duckdb(name):
    """To a question that has an answer, and to one that has none: opening it takes time."""
    rights = [(question, expected(question)) for question in questions(name)]
    refused = [question for question, right in rights if right is ASKS]
    others = [question for question, right in rights if right is not ASKS]
    check(compare_answers(WAYS[DUCKDB], [*refused[:1], others[len(name) % len(others)]]))


def has_value(question):
    """Whether it has an answer; where that is one by convention, a data set may refuse it."""
    right, rows = expected(question), question.rows
    is_said = question.pos_label is not None or rows.natural is not None or rows.told
    if rows.is_binary and question.spec.response != "labels" and not is_said:
        return False  # whose scores they are has to be said
    if right.value is None or not right.warned:
        return right.value is not None
    return heard(WAYS["evaluate in memory"].ask, question).value is not None


@pytest.mark.sampled(4)
@pytest.mark.parametrize("response", ["labels", "scores", "probabilities"])
@pytest.mark.parametrize("rows", known_rows(), ids=lambda rows: rows.name)
def test_one_answer_to_all_metrics_by_duckdb(rows, response):
    """In one pass for all that have an answer."""
    of_response = [name for name in NAMES if METRICS[name].response == response]
    asked = [one for name in of_response for one in questions(name) if one.rows is rows]
    found = []
    for label in {question.pos_label for question in asked}:
        together = [one for one in asked if one.pos_label == label and has_value(one)]
        answers = evaluated_together(together, "duckdb") if together else []
        for question, answer in zip(together, answers, strict=True):
            wrong = disagreement(question, answer, expected(question))
            found += [f"{question}: {wrong}"] if wrong else []
    check(found)


# --------------------------------------------------------------------------- the law sees


def with_answer(way, change):
    """A way that gives a changed answer to a changed question."""
    return replace(way, ask=lambda question: change(way.ask, question))


def a_little_more(ask, question):
    answer = heard(ask, question)
    return replace(answer, value=answer.value + 1e-9)


def of_the_later_class(ask, question):
    later = question.rows.classes[-1]
    return ask(replace(question, pos_label=later) if question.pos_label is None else question)


@pytest.mark.parametrize("way", SINGLY)
def test_a_second_number_is_seen(way):
    asked = questions(NAMES[0])[:1]
    assert not compare_answers(WAYS[way], asked)
    assert compare_answers(with_answer(WAYS[way], a_little_more), asked)


@pytest.mark.parametrize("way", OVER_THRESHOLDS)
def test_a_second_number_at_a_threshold_is_seen(way):
    asked = questions(NAMES[0])[:1]
    assert not compare_at_thresholds(OVER_THRESHOLDS[way], asked)
    assert compare_at_thresholds(with_answer(OVER_THRESHOLDS[way], a_little_more), asked)


@pytest.mark.parametrize("way", ["scorer", "report", "confidence_interval", "Accumulator"])
def test_a_class_by_the_alphabet_is_seen(way):
    asks = next(
        question
        for name in LABEL_NAMES
        for question in questions(name)
        if expected(question) is ASKS and not versions.names(name)
    )
    assert compare_answers(with_answer(WAYS[way], of_the_later_class), [asks])

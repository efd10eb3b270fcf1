"""The law of intervals: the same rows have one interval, whichever entry point is asked for it.

Bounds, method and the presence of a note are those of `confidence_interval`, or the entry point
says why it has no interval.
"""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from support.compare import undefined_allowed

import skmetrics_ext as sx

from .interval_cases import DESIGNS, N_RESAMPLES, Said, cases, is_resampled, questions, reference
from .ways_to_intervals import OF_REPORT, OF_TABLES, WAYS

CLOSE = {"rtol": 1e-9, "atol": 1e-12, "equal_nan": True}
_MOST = 8  # disagreements that a failure shows
_FEW = 10  # questions that are all asked
# Designs are the outer loop, so that answers about the same rows are kept in one process.
ASKED = [(way, design) for design in DESIGNS for way, own in WAYS.items() if design in own.designs]
PLACES = {way: place for place, way in enumerate(WAYS.values())}


@cache
def asked_of(way, rows):
    """The questions that are put to an entry point, which the other designs complete.

    Of intervals by formulas it is every fourth one, and those that are left out are put to the
    next three entry points. An interval of few draws is every third one; of many, which take
    long, it is one of each case, and those of calibration errors, which take longest, where rows
    are plain.
    """
    found = list(filter(way.takes, questions(rows)))
    drawn = [one for one in found if is_resampled(one)]
    if way.n_resamples == N_RESAMPLES:
        kept = drawn[rows.number % 3 :: 3]
    else:
        quick = [one for one in drawn if one.spec.interval != "calibration"]
        offered = quick if rows.number > 2 else drawn
        kept = [offered[rows.number % len(offered)]] if offered else []
    of_formulas = [one for one in found if not is_resampled(one)]
    if len(of_formulas) > _FEW:
        of_formulas = of_formulas[(rows.number + PLACES[way]) % 4 :: 4]
    return of_formulas + kept


def disagreement(way, question, said):
    """What is wrong with an interval, or ""."""
    right = reference(question, way.n_resamples if is_resampled(question) else N_RESAMPLES)
    if right is None:
        return ""  # `confidence_interval` refuses these rows
    if said.is_none:
        if right.is_none or (said.reason and way.may_refuse(question)):
            return ""
        return f"has no interval ({said.reason or 'no reason'}), right is {right}"
    if not np.allclose([said.low, said.high], [right.low, right.high], **CLOSE):
        return f"says {said}, right is {right}"
    if said.method is not None and said.method != right.method:
        return f"method {said.method!r}, right is {right.method!r}"
    if said.noted is not None and said.noted != right.noted:
        return "has a note, right has none" if said.noted else f"lacks the note {right.reason!r}"
    return ""


def answers(way, rows, asked):
    """Pairs of a question and what is said of it; if a call fails, each question is asked alone."""
    try:
        with undefined_allowed():
            return list(way.ask(rows, asked))
    except ValueError as error:
        if len(asked) == 1:
            return [(asked[0], Said(np.nan, np.nan, reason=f"refused: {error}"))]
    return [pair for question in asked for pair in answers(way, rows, [question])]


def disagreements(way, rows):
    """All that is wrong with the intervals of an entry point."""
    found, asked = [], asked_of(way, rows)
    given = answers(way, rows, asked)
    answered = {(one.name, len(one.rows)) for one, _ in given}
    if not way.selects:
        found = [(one, "no answer") for one in asked if (one.name, len(rows)) not in answered]
    assert len(answered) >= len(asked) / 3
    for question, said in given:
        wrong = disagreement(way, question, said)
        if wrong:
            found.append((question, wrong))
    return found


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("way", "design"), ASKED)
def test_one_interval(way, design):
    found = [
        f"{question.name} of {rows.name} ({len(question.rows)} rows): {wrong}"
        for rows in cases(design)
        for question, wrong in disagreements(WAYS[way], rows)
    ]
    assert not found, f"{len(found)} intervals differ:\n  " + "\n  ".join(found[:_MOST])


@pytest.mark.parametrize("design", OF_TABLES)
def test_rates_of_several_classes(design):
    """The rows of `classification_report` against `confidence_interval`, classes and averages."""
    rows = cases(design)[-1]
    given = {**rows.design, "sample_weight": rows.weight}
    options = {"output_dict": True, "extra": ["specificity", "npv"]}
    table = sx.classification_report(
        rows.y_true, rows.y_pred(), confidence_level=0.9, **given, **options
    )
    shown = [*map(str, rows.classes), "macro avg", "weighted avg"]
    for column, metric in OF_REPORT.items():
        ask = partial(
            sx.confidence_interval,
            metric,
            rows.y_true,
            rows.y_pred(),
            confidence_level=0.9,
            **given,
        )
        estimates = [*ask(average=None), ask(average="macro"), ask(average="weighted")]
        for name, right in zip(shown, estimates, strict=True):
            check_cells(table[name], column, right)
    right = sx.confidence_interval(
        "accuracy", rows.y_true, rows.y_pred(), confidence_level=0.9, **given
    )
    check_cells(table, "accuracy", right)


def check_cells(cells, column, right):
    said = [cells[f"{column}_{end}"] for end in ("low", "high")]
    np.testing.assert_allclose(said, [right.low, right.high], **CLOSE)
    assert cells.get(f"{column}_note", "") == right.note


CHANGES = {
    "bound": lambda said: replace(said, high=said.high + 1e-6),
    "method": lambda said: replace(said, method="other"),
    "note": lambda said: replace(said, noted=not said.noted),
    "none": lambda said: Said(np.nan, np.nan, reason="not today"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_interval_is_seen(change):
    way, rows = WAYS["legend of ROC curves"], cases("plain")[0]

    def changed(*asked):
        return [(question, CHANGES[change](said)) for question, said in way.ask(*asked)]

    assert disagreements(way, rows) == []
    assert len(disagreements(replace(way, ask=changed), rows)) == 1

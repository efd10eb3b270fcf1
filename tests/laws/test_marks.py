"""The law of marks: 0 and 1, or booleans, in whatever container; anything else is refused."""

import inspect
from functools import partial

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from support.compare import undefined_allowed
from support.containers import containers_for
from support.hostile import NO_MARKS
from support.public import CALLED
from support.rows import NAMES, probe, settings_of, signature
from support.stored import Stored

import skmetrics_ext as sx
from skmetrics_ext import METRICS

from .doors import RATERS, TOLD_BY_SCORERS
from .verdicts import Crashed, Refused, check, heard

METHODS = ("predict", "predict_proba", "decision_function")


# --------------------------------------------------------------------------- ways to ask


def function(spec, params, y_true, response):
    return spec.function(y_true, response, **params)


def computed(spec, params, y_true, response):
    argument = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}[spec.response]
    return sx.compute_metrics([spec.scorer], y_true, **{argument: response}, **params)


def estimated(spec, params, y_true, response):
    options = {"n_resamples": 3, "random_state": 0}
    return sx.confidence_interval(spec.function, y_true, response, **options, **params)


def contributed(spec, params, y_true, response):
    return sx.influence_values(spec.function, y_true, response, **params)


def compared(spec, params, y_true, response):
    other = probe(spec.response, "multilabel").response[::-1]
    options = {"n_resamples": 3, "random_state": 0}
    return sx.compare(spec.function, y_true, response, other, **options, **params)


def scored(spec, params, y_true, response):
    scorer = sx.get_scorer(spec.scorer, **params)
    return scorer(Stored(None, dict.fromkeys(METHODS, response)), None, y_true)


def paneled(spec, params, y_true, response):
    panel = sx.ScorerPanel([sx.get_scorer(spec.scorer, **params)])
    found = panel.evaluate(Stored(None, dict.fromkeys(METHODS, response)), None, y_true)
    if found.reasons:
        raise sx.validation.InvalidParameterError("; ".join(found.reasons.values()))
    return found.values


WAYS = [function, computed, estimated, contributed, compared, scored, paneled]


def told(spec):
    """By what names a message may tell of each of both arguments."""
    first, second = list(signature(spec))[:2]
    names = {
        "y_true": (first, *RATERS.get(first, ())),
        "response": (second, *RATERS.get(second, ())),
    }
    return {role: (*own, *TOLD_BY_SCORERS[role]) for role, own in names.items()}


# --------------------------------------------------------------------------- the laws

QUESTIONS = [
    (name, place)
    for name in NAMES
    if not settings_of(name, ("graded",))  # any number is a grade
    for place in range(len(settings_of(name, ("multilabel",))))
]


def asked(name, place):
    """A metric with its parameters, and marks and responses that suit it."""
    params, kind = settings_of(name, ("multilabel",))[place]
    return METRICS[name], params, probe(METRICS[name].response, kind)


def answers(way, spec, params, y_true, response):
    with undefined_allowed():
        return heard(partial(way, spec, params), {"y_true": y_true, "response": response})


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "place"), QUESTIONS)
def test_other_marks_than_0_and_1_are_refused(name, place):
    spec, params, sample = asked(name, place)
    right = {"y_true": sample.true, "response": sample.response}
    wrong = []
    for way in WAYS:
        answer = answers(way, spec, params, **right)
        if way is not function and isinstance(answer, Refused | Crashed):
            continue  # no number, no scorer, no interval
        assert isinstance(answer, np.ndarray), answer
        for role in right if spec.response == "labels" else ["y_true"]:
            for what, make in NO_MARKS.items():
                got = answers(way, spec, params, **{**right, role: make(right[role])})
                names = told(spec)[role]
                if not (isinstance(got, Refused) and got.names(names) and "0 and 1" in got.said):
                    wrong.append(f"{way.__name__}, {role}, {what}: {got}")
    check(wrong, f"{name}({params})")


# --------------------------------------------------------------------------- beside the metrics

OF_LABELS, OF_SCORES = probe("labels", "multilabel"), probe("scores", "multilabel")


class _Undrawn:
    """The numbers of a picture without the picture."""

    def plot(self, *args, **look):
        return self


def parameters(function):
    return list(inspect.signature(function).parameters)


def entry_points():
    """Functions and displays that take true labels first."""
    for name, own in CALLED.items():
        if hasattr(own, "from_predictions") and name.endswith("Display"):
            undrawn = type(name, (_Undrawn, own), {})
            yield name, lambda y, p, undrawn=undrawn: undrawn.from_predictions(y, p).columns()
        elif name not in METRICS and inspect.isfunction(own) and "y_true" in parameters(own)[:1]:
            yield name, own


def accepting(response):
    """Those that answer for marks of several labels."""
    return {name for name, ask in ENTRY_POINTS.items() if not said(ask, OF_LABELS.true, response)}


def said(ask, y_true, response):
    """The error of a call; empty where it answers."""
    with undefined_allowed():
        try:
            ask(y_true, response)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return ""


ENTRY_POINTS = dict(entry_points())


@pytest.mark.parametrize(
    "response", [OF_LABELS.response, OF_SCORES.response], ids=["pred", "score"]
)
def test_functions_and_displays_refuse_other_marks(response):
    names = accepting(response)
    assert names >= {"roc_curves", "RocCurvesDisplay"}
    wrong = []
    for name in names:
        for what, make in NO_MARKS.items():
            error = said(ENTRY_POINTS[name], make(OF_LABELS.true), response)
            if not ("InvalidParameterError: y_true holds" in error and "0 and 1" in error):
                wrong.append(f"{name}, {what}: {error or 'answered'}")
    check(wrong)


@pytest.mark.parametrize("what", NO_MARKS)
def test_reports_refuse_other_marks(what):
    marks = NO_MARKS[what](np.tile(OF_LABELS.true, (5, 1)))
    with pytest.raises(ValueError, match=r"y holds .* as multilabel indicators, which must be 0"):
        sx.cross_validation_report(DummyClassifier(), np.zeros((20, 1)), marks, cv=2)


@pytest.mark.parametrize("role", ["y_true", "y_pred"])
def test_marks_in_any_container_are_the_same(role):
    """Here of a table of many metrics; `test_any_container` asks each metric and scorer."""
    marks = {"y_true": OF_LABELS.true, "y_pred": OF_LABELS.response}
    options = {"output_dict": True, "zero_division": 0}
    right = sx.classification_report(**marks, **options)
    for put in containers_for("marks", marks[role]).values():
        assert sx.classification_report(**{**marks, role: put(marks[role])}, **options) == right

"""The law of comparisons: the same two sets of rows have one difference, interval and p-value.

`compare_many` with two models is `compare`, frequency weights stand for repeated rows, and a report
compares by the fold tests that it names.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from support.compare import undefined_allowed

import skmetrics_ext as sx

from .interval_cases import (
    N_RESAMPLES,
    arguments,
    cases,
    questions,
)

CLOSE = {"rtol": 1e-9, "atol": 1e-10, "equal_nan": True}
_MOST = 8  # disagreements that a failure shows
_DRAWN = ("bootstrap", "permutation", "bca", "expanded", "basic")


@dataclass(frozen=True, eq=False)
class Compared:
    """A difference with its interval, p-value and whether there is a note; or why there is none."""

    low: float
    high: float
    p_value: float
    noted: bool
    reason: str = ""
    method: str = ""

    @property
    def is_none(self):
        return np.isnan(self.low) and np.isnan(self.high) and np.isnan(self.p_value)

    def __str__(self):
        noted = ", noted" if self.noted else ""
        return f"[{self.low:.6g}, {self.high:.6g}], p = {self.p_value:.4g} ({self.method}{noted})"


def of_comparison(found):
    """What a `Comparison` says."""
    note = found.note
    return Compared(found.low, found.high, found.p_value, bool(note), note, found.method)


def of_row(row, note):
    """What a row of a table of comparisons says."""
    return Compared(row["low"], row["high"], row["p_value"], bool(row[note]), row[note] or "")


def difference_between(said, right):
    """What is wrong with a comparison, or ""."""
    if said.is_none and not right.is_none:
        return f"has none ({said.reason or 'no reason'}), right is {right}"
    for name in ("low", "high", "p_value"):
        if not np.allclose(getattr(said, name), getattr(right, name), **CLOSE):
            return f"says {said}, right is {right}"
    if said.noted != right.noted:
        return "has a note, right has none" if said.noted else f"lacks the note {right.reason!r}"
    return ""


def check(found):
    lines = [f"{question.name} of {question.rows.name}: {wrong}" for question, wrong in found]
    assert not lines, f"{len(lines)} comparisons differ:\n  " + "\n  ".join(lines[:_MOST])


# --------------------------------------------------------------------------- models


AGREEING = [("holm", design) for design in ("plain", "weights", "groups", "strata")]
AGREEING += [("max_t", design) for design in ("weights", "strata")]


@cache
def between_models(question):
    """`compare` of both models; None where it refuses."""
    try:
        with undefined_allowed():
            found = sx.compare(
                question.metric,
                question.rows.y_true,
                question.response(),
                question.response(other=True),
                n_resamples=N_RESAMPLES,
                random_state=0,
                **arguments(question),
            )
    except ValueError:
        return None
    return of_comparison(found)


@pytest.mark.parametrize(("adjust", "design"), AGREEING)
def test_many_comparisons_of_two_models_are_one(adjust, design):
    found = []
    for rows in cases(design):
        for question in questions(rows):
            right = between_models(question)
            if right is None:
                continue
            try:
                with undefined_allowed():
                    many = sx.compare_many(
                        question.metric,
                        rows.y_true,
                        {"a": question.response(), "b": question.response(other=True)},
                        adjust=adjust,
                        n_resamples=N_RESAMPLES,
                        random_state=0,
                        **arguments(question),
                    )
            except ValueError as error:
                if adjust == "max_t" and right.method in _DRAWN:
                    continue  # max-t is for metrics with influence values
                found.append((question, f"refuses: {error}"))
                continue
            (row,) = many.rows
            wrong = difference_between(of_row(row, "note"), right)
            found += [(question, wrong)] if wrong else []
    check(found)


# --------------------------------------------------------------------------- repeated rows


@cache
def with_frequencies(rows):
    """The rows with a number of times for each, and the rows repeated so often."""
    times = 1 + np.arange(len(rows)) % 3
    seen = np.repeat(np.arange(len(rows)), times)
    return replace(rows, weight=times), rows.take(seen)


def of_frequencies(question, ask):
    """An answer about weighted rows, and about the rows repeated; None if not of formulas."""
    weighted, repeated = with_frequencies(question.rows)
    answers = []
    for rows, about in ((weighted, {"weights_are": "frequency"}), (repeated, {})):
        own = replace(question, rows=rows)
        try:
            with undefined_allowed():
                answers.append(ask(own, n_resamples=N_RESAMPLES, **arguments(own), **about))
        except ValueError:
            return None
    said, right = answers
    return None if right.method in _DRAWN or isinstance(said, list) else (said, right)


def ask_compare(question, **about):
    responses_of_both = question.response(), question.response(other=True)
    return sx.compare(question.metric, question.rows.y_true, *responses_of_both, **about)


def has_weights(question):
    """Whether the metric takes weights; some count rows, or weights are counts anyway."""
    return "sample_weight" in question.parameters


@pytest.mark.parametrize("design", ["groups", "strata"])
def test_frequencies_are_repeated_rows_to_compare(design):
    found = []
    for rows in cases(design):
        for question in filter(has_weights, questions(rows)):
            both = of_frequencies(question, ask_compare)
            if both is None:
                continue
            said, right = both
            wrong = difference_between(of_comparison(said), of_comparison(right))
            if not wrong and said.method != right.method:
                wrong = f"method {said.method!r}, right is {right.method!r}"
            found += [(question, wrong)] if wrong else []
    check(found)


# --------------------------------------------------------------------------- folds


@pytest.fixture(scope="module")
def report():
    rng = np.random.default_rng(3)
    y = rng.permutation(np.repeat([0, 1], [90, 60]))
    X = rng.standard_normal((150, 4)) + 0.6 * y[:, None]
    models = {"bayes": GaussianNB(), "logistic": LogisticRegression(C=0.001)}
    scoring = ["roc_auc", "accuracy", "f1", "neg_log_loss", "neg_brier_score"]
    return sx.cross_validation_report(models, X, y, scoring=scoring, cv=KFold(6))


def test_a_report_compares_by_the_fold_tests(report):
    for metric in report.metrics:
        rows = report.compare(metric, rope=0.01)
        sizes = {
            name: [getattr(result, name) for result in report.results_of(report.models[0])]
            for name in ("n_train", "n_test")
        }
        p_values = []
        for row in rows:
            values = [
                [result.values[metric] for result in report.results_of(row[model])]
                for model in ("model_a", "model_b")
            ]
            right = sx.corrected_resampled_ttest(*values, **sizes)
            bayes = sx.bayesian_correlated_ttest(*values, rope=row["rope"], **sizes)
            assert [row[key] for key in ("difference", "low", "high", "p_value")] == [
                right.difference, right.low, right.high, right.p_value
            ]  # fmt: skip
            shares = ("p_a_better", "p_equivalent", "p_b_better")
            assert [row[key] for key in shares] == [getattr(bayes, key) for key in shares]
            p_values.append(right.p_value)
        assert [row["p_holm"] for row in rows] == sx.holm_adjust(p_values).tolist()

"""The law of comparisons: the same two sets of rows have one difference, interval and p-value.

Gaps between groups are those of `compare_samples`, a table of two models is `compare`,
frequency weights stand for repeated rows, and a report compares by the fold tests that it names.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from support.compare import undefined_allowed

import skmetrics_ext as sx
from tests.support.many_models import all_differences

from .interval_cases import (
    DEFAULT_RESAMPLES,
    N_RESAMPLES,
    arguments,
    cases,
    is_resampled,
    of_half,
    questions,
    reference,
)
from .ways_to_intervals import columns_of, one_column, responses

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


def of_row(row, note="note", p_value="p_adjusted"):
    """What a row of a table of comparisons says."""
    return Compared(row["low"], row["high"], row[p_value], bool(row[note]), row[note] or "")


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


# --------------------------------------------------------------------------- groups


@cache
def between_halves(question):
    """`compare_samples` of the two halves; None where it refuses."""
    sides = {}
    for name, half in (("a", "a"), ("b", "b")):
        own = of_half(question, half)
        sides[f"y_true_{name}"], sides[f"y_pred_{name}"] = own.rows.y_true, own.response()
        sides[f"sample_weight_{name}"] = own.rows.weight
        sides[f"groups_{name}"] = own.rows.group
    try:
        with undefined_allowed():
            found = sx.compare_samples(
                question.metric, n_resamples=DEFAULT_RESAMPLES, random_state=0, **sides
            )
    except ValueError:
        return None
    return of_comparison(found)


def by_arrays(rows, asked):
    return sx.compute_metrics(
        [one.name for one in asked],
        rows.y_true,
        **responses(rows, asked),
        by={"half": rows.half},
        intervals=True,
        sample_weight=rows.weight,
        groups=rows.group,
    )


def by_duckdb(rows, asked):
    columns, roles = columns_of(rows, asked)
    return sx.evaluate(
        pd.DataFrame(columns),
        true="true",
        **roles,
        metrics={one.name: one.metric for one in asked},
        labels=list(rows.classes),
        by="half",
        intervals=True,
        engine="duckdb",
    )


BY_GROUP = {"compute_metrics": by_arrays, "evaluate by DuckDB": by_duckdb}


def gap_differences(table, asked, may_refuse):
    for question in asked:
        right = between_halves(question)
        if right is None:
            continue
        with undefined_allowed():
            said = of_row(table.gaps(question.name, against={"half": "b"}).row(group="a"))
        if said.is_none and said.reason and may_refuse:
            continue
        wrong = difference_between(said, right)
        if wrong:
            yield question, wrong


# One metric of so many is asked; the exhaustive run asks more of them.
EVERY = pytest.mark.parametrize("every", [8, pytest.param(4, marks=pytest.mark.exhaustive)])


def is_asked(question, place, every):
    """Every so many of the metrics, others in other rows, and none that is resampled."""
    return (place + question.rows.number) % every == 0 and not is_resampled(question)


@pytest.mark.parametrize(
    ("way", "design"),
    [
        *[("compute_metrics", design) for design in ("plain", "groups and weights")],
        ("evaluate by DuckDB", "groups"),
        # Their parts are in those above.
        pytest.param("compute_metrics", "weights", marks=pytest.mark.exhaustive),
        pytest.param("evaluate by DuckDB", "plain", marks=pytest.mark.exhaustive),
    ],
)
@EVERY
def test_gaps_are_those_of_compare_samples(way, design, every):
    found = []
    for rows in cases(design):
        asked = [one for one in questions(rows) if one_column(one)]
        drawn = [one for one in asked if is_resampled(one)]
        kept = drawn[0] if design == "plain" else None  # draws take long
        asked = [
            one for place, one in enumerate(asked) if one is kept or is_asked(one, place, every)
        ]
        with undefined_allowed():
            table = BY_GROUP[way](rows, asked)
        found += gap_differences(table, asked, may_refuse=way != "compute_metrics")
    check(found)


@cache
def at_level(question, level):
    """The interval of a share by the exact method, of others by the default."""
    exact = {} if reference(question).method != "wilson" else {"method": "clopper_pearson"}
    for method in (exact, {}) if exact else ({},):
        try:
            with undefined_allowed():
                return sx.confidence_interval(
                    question.metric,
                    question.rows.y_true,
                    question.response(),
                    confidence_level=level,
                    **method,
                    **arguments(question),
                )
        except ValueError:  # no share of rows, though its interval is Wilson's
            continue
    raise AssertionError(question)


@pytest.mark.parametrize("design", ["plain", "groups and weights"])
@EVERY
def test_the_worst_group_has_the_simultaneous_bounds_of_its_rows(design, every):
    """Bonferroni for two groups: of the better bounds the worst one."""
    found = []
    for rows in cases(design):
        asked = [
            one
            for place, one in enumerate(filter(one_column, questions(rows)))
            if has_sign(one) and is_asked(one, place, every)
        ]
        with undefined_allowed():
            table = by_arrays(rows, asked)
        for question in asked:
            parts = {half: of_half(question, half) for half in ("a", "b")}
            if any(reference(part) is None for part in parts.values()):
                continue
            bounds = {half: at_level(part, 0.975) for half, part in parts.items()}
            if not all(
                np.isfinite([one.value, one.low, one.high]).all() for one in bounds.values()
            ):
                continue  # it may be left out, and bounds are then of the other group alone
            sign = 1 if question.spec.greater_is_better else -1
            best = {half: one.high if sign > 0 else -one.low for half, one in bounds.items()}
            with undefined_allowed():
                (worst,) = table.where(metric=question.name).surely_worst()
            if best["a"] == best["b"]:
                continue
            right = bounds[min(best, key=lambda half: best[half])]
            if not np.allclose([worst.low, worst.high], [right.low, right.high], **CLOSE):
                found.append((question, f"says {worst}, right is {right}"))
            elif bool(worst.note) != bool(right.note):
                found.append((question, f"note {worst.note!r}, right is {right.note!r}"))
    check(found)


def has_sign(question):
    """Whether greater is better, or worse."""
    return question.spec.greater_is_better is not None


# --------------------------------------------------------------------------- models


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


@pytest.mark.sampled(2)
@pytest.mark.parametrize("design", ["plain", "weights", "groups", "strata"])
@pytest.mark.parametrize("adjust", ["simultaneous", "holm"])
@EVERY
def test_many_comparisons_of_two_models_are_one(adjust, design, every):
    """Some metrics of some rows by one way to adjust, others by the other."""
    found = []
    for rows in cases(design):
        for question in questions(rows)[
            (rows.number + every // 2 * (adjust == "holm")) % every :: every
        ]:
            right = between_models(question)
            if right is None:
                continue
            try:
                with undefined_allowed():
                    many = all_differences(
                        question.metric,
                        rows.y_true,
                        {"a": question.response(), "b": question.response(other=True)},
                        adjust=adjust,
                        n_resamples=N_RESAMPLES,
                        random_state=0,
                        **arguments(question),
                    )
            except ValueError as error:
                if adjust == "simultaneous" and right.method in _DRAWN:
                    continue  # max-t is for metrics with influence values
                found.append((question, f"refuses: {error}"))
                continue
            (row,) = many.rows
            wrong = difference_between(of_row(row, "note"), right)
            found += [(question, wrong)] if wrong else []
    check(found)


def test_drawn_comparisons_carry_the_notes_of_both_values():
    """A statistic that is biased or jumps is so in a comparison as well."""
    found = []
    for rows in cases("plain"):
        for question in filter(is_resampled, questions(rows)):
            other = replace(question, rows=replace(rows, pred=rows.pred_b, proba=rows.proba_b))
            right = between_models(question)
            noted = reference(question).noted and reference(other).noted
            if right is not None and noted and not right.noted:
                found.append((question, f"lacks the note {reference(question).reason!r}"))
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


@pytest.mark.parametrize(
    "design", ["plain", pytest.param("groups", marks=pytest.mark.exhaustive), "strata"]
)
@pytest.mark.parametrize("every", [4, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_frequencies_are_repeated_rows_to_compare(design, every):
    found = []
    for rows in cases(design):
        for question in filter(has_weights, questions(rows)[rows.number % every :: every]):
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
                for model in ("model", "against")
            ]
            right = sx.corrected_resampled_ttest(*values, **sizes)
            bayes = sx.bayesian_correlated_ttest(*values, rope=row["rope"], **sizes)
            assert [row[key] for key in ("value", "low", "high", "p_value")] == [
                right.difference, right.low, right.high, right.p_value
            ]  # fmt: skip
            shares = ("p_a_better", "p_equivalent", "p_b_better")
            assert [row[key] for key in shares] == [getattr(bayes, key) for key in shares]
            p_values.append(right.p_value)
        assert [row["p_adjusted"] for row in rows] == sx.holm_adjust(p_values).tolist()

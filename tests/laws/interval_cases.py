"""Rows of 100 for which every entry point is asked for intervals, and the metrics that fit them."""

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from support.compare import undefined_allowed

import skmetrics_ext as sx
from skmetrics_ext import METRICS

from .asked_data import Question, Rows

N_RESAMPLES = 60  # where an entry point lets the caller choose
DEFAULT_RESAMPLES = None  # as many as settle the bounds
DESIGNS = ("plain", "weights", "whole weights", "groups", "groups and weights", "strata")


@dataclass(frozen=True, eq=False)
class DesignedRows(Rows):
    """Rows with what is known of the way in which they were sampled.

    Parameters
    ----------
    number : int
        Which of the rows, over all designs.
    half : ndarray of str of shape (n,) or None
        A column of two values, "a" and "b", to evaluate separately.
    group, stratum : ndarray of int of shape (n,) or None
        The patient and the site of each row, where these are passed.
    """

    number: int = 0
    half: np.ndarray | None = None
    group: np.ndarray | None = None
    stratum: np.ndarray | None = None

    def take(self, rows):
        """Some of the rows."""
        extra = {
            name: getattr(self, name)[rows]
            for name in ("half", "group", "stratum")
            if getattr(self, name) is not None
        }
        return replace(super().take(rows), **extra)

    @property
    def design(self):
        """The arguments ``groups`` and ``strata`` that are not None."""
        named = {"groups": self.group, "strata": self.stratum}
        return {name: column for name, column in named.items() if column is not None}

    @cached_property
    def parts(self):
        """The rows of each half."""
        return {half: self.take(np.flatnonzero(self.half == half)) for half in ("a", "b")}


@dataclass(frozen=True, eq=False)
class Said:
    """An interval, or the reason for having none.

    Parameters
    ----------
    low, high : float
    method : str or None
        None where the entry point does not show it.
    noted : bool or None
        Whether there is a note; None where the entry point does not show notes.
    reason : str
        Why there is no interval; or the note.
    error : float
        The standard error, where it is shown.
    """

    low: float
    high: float
    method: str | None = None
    noted: bool | None = None
    reason: str = ""
    error: float = np.nan

    @property
    def is_none(self):
        return np.isnan(self.low) and np.isnan(self.high)

    @property
    def negated(self):
        """The interval in the direction of a scorer of a loss."""
        return replace(self, low=-self.high, high=-self.low)

    def __str__(self):
        if self.is_none:
            return f"no interval ({self.reason[:60]})"
        noted = {True: ", noted", False: "", None: ""}[self.noted]
        return f"[{self.low:.6g}, {self.high:.6g}] ({self.method}{noted})"


def of_estimate(estimate):
    """What an `Estimate` says."""
    low, high = estimate.low, estimate.high
    note, error = estimate.note, estimate.standard_error
    return Said(low, high, estimate.method, bool(note), note, error)


# --------------------------------------------------------------------------- the rows


def _two(name, *, tied=False, skewed=False, share=0.4):
    rng = np.random.default_rng([len(name), tied, skewed])
    n_rows = 100
    true = (np.arange(n_rows) < share * n_rows).astype(np.int64)
    rng.shuffle(true)
    spread = 2.6 if skewed else 1.1  # overconfident: a few losses are very large
    risks = []
    for shift in (1.2, 0.7):
        logit = spread * (shift * (2 * true - 1) + 1.3 * rng.standard_normal(n_rows))
        risk = 1 / (1 + np.exp(-logit))
        risks.append(np.clip(np.round(8 * risk) / 8, 1 / 8, 7 / 8) if tied else risk)
    proba, proba_b = (np.column_stack([1 - risk, risk]) for risk in risks)
    pred, pred_b = ((risk >= 0.5).astype(np.int64) for risk in risks)
    return _designed(Rows(name, (0, 1), true, pred, pred_b, proba, proba_b), rng)


def _four(name):
    rng = np.random.default_rng(len(name))
    n_rows = 100
    true = rng.permutation(np.repeat(np.arange(4), [40, 30, 18, 12]))
    probas = []
    for shift in (1.6, 1.0):
        logit = shift * np.eye(4)[true] + rng.standard_normal((n_rows, 4))
        proba = np.exp(logit)
        probas.append(proba / proba.sum(axis=1, keepdims=True))
    pred, pred_b = (proba.argmax(axis=1) for proba in probas)
    return _designed(Rows(name, (1, 2, 3, 4), true, pred, pred_b, *probas), rng)


def _designed(rows, rng):
    """Rows with all columns of a design, of which `cases` keeps some."""
    n_rows = len(rows)
    weight = rng.integers(2, 11, n_rows) / 4
    weight[rng.choice(n_rows, 5, replace=False)] = 0.0
    group = rng.permutation(np.arange(n_rows) % 35)
    # Each half holds rows of all classes, and whole groups.
    half = np.where((group - group[0]) % 5 < 3, "a", "b")
    given = {name: getattr(rows, name) for name in rows.__dataclass_fields__}
    stratum = group % 3
    return DesignedRows(**{**given, "weight": weight}, half=half, group=group, stratum=stratum)


_KEPT = {
    "plain": (),
    "weights": ("weight",),
    "whole weights": ("weight",),
    "groups": ("group",),
    "groups and weights": ("group", "weight"),
    "strata": ("stratum",),
}


@cache
def cases(design):
    """Rows of each kind, with the columns of a design."""
    every = (
        _two("distinct scores, skewed losses", skewed=True),
        _two("tied scores, a rare class", tied=True, share=0.15),
        _four("four classes"),
    )
    dropped = {"weight", "group", "stratum"} - set(_KEPT[design])
    if design == "whole weights":
        every = [replace(rows, weight=(4 * rows.weight).astype(np.int64) // 3) for rows in every]
    first = DESIGNS.index(design)
    return tuple(
        replace(rows, **dict.fromkeys(dropped), number=first + place)
        for place, rows in enumerate(every)
    )


# --------------------------------------------------------------------------- the questions


def options_of(spec, is_binary):
    """(name of the scorer, parameters it sets) of single numbers of a metric.

    Averages of two classes are asked for once: "macro"; those of more by every third metric of
    labels, as all of these are averaged in one place.
    """
    found = []
    some = spec.response == "labels" and len(spec.name) % 3
    for name, params in spec.scorers.items():
        average, of_pairs = params.get("average"), "multi_class" in params
        known = (is_binary or some) and average in ("micro", "weighted")
        if average != "samples" and not known and not (is_binary and of_pairs):
            found.append((name, params))
    return found or [(None, dict(spec.params))]


@cache
def questions(rows):
    """All single numbers of metrics that `confidence_interval` accepts for these rows."""
    found = []
    for spec in METRICS.values():
        if spec.ranks_labels or spec.is_table:
            continue
        for scorer, params in options_of(spec, rows.is_binary):
            question = Question(spec, scorer, params, {}, rows)
            if reference(question) is not None:
                found.append(question)
    return tuple(found)


def is_resampled(question):
    """Whether `confidence_interval` draws samples for it."""
    found = reference(question)
    return found is not None and found.method in ("bca", "upper", "expanded", "bootstrap", "basic")


@cache
def of_half(question, half):
    """The same question about half of the rows."""
    return replace(question, rows=question.rows.parts[half])


@cache
def of_class(question, label):
    """The same question about this class of two as the positive one."""
    return replace(question, pos_label=label)


def arguments(question):
    """What `confidence_interval` and its like take of a question, beside the two models."""
    return {**question.named("pos_label", "sample_weight"), **question.rows.design}


@cache
def reference(question, n_resamples=N_RESAMPLES):
    """What `confidence_interval` says; None where it refuses, or gives a value for each class."""
    try:
        with undefined_allowed():
            found = sx.confidence_interval(
                question.metric,
                question.rows.y_true,
                question.response(),
                n_resamples=n_resamples,
                random_state=0,
                **arguments(question),
            )
    except ValueError:
        return None
    return None if isinstance(found, list) else of_estimate(found)

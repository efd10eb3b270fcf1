"""The same call gives the same answer: draws have a fixed seed unless random_state=None."""

import inspect
import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from support.public import CALLED, DEPRECATED

import skmetrics_ext as sx

nested_cv_interval = DEPRECATED["nested_cv_interval"]

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 60)
A, B, C = (Y + scale * RNG.normal(size=60) for scale in (1, 1.5, 3))
X = np.stack([A, B], axis=1)
SEARCH = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring="roc_auc", cv=3)

CALLS = {
    "compare": lambda **seed: sx.compare(
        "balanced_accuracy", Y, A > 0, B > 0, method="permutation", **seed
    ),
    "compare_samples": lambda **seed: sx.compare_samples(
        "roc_auc", Y, A, Y, B, method="bca", n_resamples=99, **seed
    ),
    "confidence_interval": lambda **seed: sx.confidence_interval(
        "roc_auc", Y, A, method="bca", n_resamples=99, **seed
    ),
    "cross_validation_report": lambda **seed: sx.cross_validation_report(
        LogisticRegression(), X, Y, scoring="accuracy", baseline="stratified", cv=3, **seed
    ).to_dict(),
    "curve_band": lambda **seed: sx.curve_band("recall", Y, A, n_resamples=99, **seed).high,
    "leaderboard": lambda **seed: sx.leaderboard("roc_auc", Y, {"a": A, "b": B, "c": C}, **seed),
    "nested_cv_interval": lambda **seed: nested_cv_interval(
        LogisticRegression(), X, Y, n_folds=3, n_repeats=2, **seed
    ),
    "optimal_threshold_interval": lambda **seed: sx.optimal_threshold(
        Y, A, n_resamples=99, **seed, interval=True
    ),
    "search_report": lambda **seed: sx.search_report(
        SEARCH, X, Y, n_resamples=50, **seed
    ).to_dict(),
    "venkatraman_test": lambda **seed: sx.significance.venkatraman_test(
        Y, A, B, n_resamples=99, **seed
    ),
    "ThresholdOptimizerCV": lambda **seed: (
        sx.ThresholdOptimizerCV(LogisticRegression(), cv=0.5, **seed).fit(X, Y).best_threshold_
    ),
}
# Folds of an integer are in the order of the rows unless a seed is given, as in scikit-learn.
ORDERED = {"cross_validation_report"}


def _text(answer):
    return re.sub(r"'[a-z]+_time': [^,}]+", "", str(answer))


def _seeded():
    found = {}
    for name, public in CALLED.items():
        if callable(public) and not (
            isinstance(public, type) and issubclass(public, Exception | dict)
        ):
            parameter = inspect.signature(public).parameters.get("random_state")
            if parameter is not None:
                found[name] = parameter.default
    return found


def test_every_function_with_a_seed_is_here():
    assert set(_seeded()) == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_default_seed_is_0(name):
    assert _seeded()[name] == (None if name in ORDERED else 0)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_same_call_gives_the_same_answer(name):
    first = _text(CALLS[name]())
    assert _text(CALLS[name]()) == first
    if name not in ORDERED:
        assert _text(CALLS[name](random_state=0)) == first

"""Nested cross-validation: the formula, what it fits, and its errors."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from support.public import DEPRECATED

from skmetrics_ext import log_loss, proportion_interval
from skmetrics_ext.inference.nested_cv import Repetition, nested_estimate, partitions
from skmetrics_ext.validation import InvalidParameterError

nested_cv_interval = DEPRECATED["nested_cv_interval"]

X, Y = load_iris(return_X_y=True)
Z = 1.959963984540054


class Prior(ClassifierMixin, BaseEstimator):
    """Predicts the share of each class that it saw, and notes the rows."""

    seen: list[frozenset[int]] = []  # noqa: RUF012

    def fit(self, X: np.ndarray, y: np.ndarray) -> Prior:
        Prior.seen.append(frozenset(np.ravel(X).astype(int)))
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.repeat(self.classes_[self.shares_.argmax()], len(X))


def repetition(outer: list[np.ndarray], inner: list[np.ndarray]) -> Repetition:
    """Losses of the rows of each fold, and of the others where it is left out too."""
    fold = np.repeat(np.arange(len(outer)), list(map(len, outer)))
    losses = np.empty((len(outer), len(fold)))
    for f, (own, others) in enumerate(zip(outer, inner, strict=True)):
        losses[f, fold == f], losses[f, fold != f] = own, others
    return Repetition(fold, losses)


def test_formula_by_hand() -> None:
    # Three folds of two rows. Outer means 1, 2, 3 with variances 2, 0, 2; inner means all 2.
    outer = [np.array([0.0, 2.0]), np.array([2.0, 2.0]), np.array([2.0, 4.0])]
    inner = [np.array([1.0, 3.0, 1.0, 3.0])] * 3
    value, error, at_limit, effect = nested_estimate([repetition(outer, inner)])
    # (1 - 1) + (0 - 0) + (1 - 1) = 0: the naive error, sqrt(12/11 / 6), is the least.
    assert value == 2.0
    assert (error, effect) == pytest.approx((sqrt(12 / 11 / 6), 1))
    assert not at_limit


def test_standard_error_between_its_limits_by_hand() -> None:
    # Outer means 0, 1, 2 without variance, inner means 1: squares 1, 0, 1, two thirds of 2/3.
    outer = [np.zeros(2), np.ones(2), np.full(2, 2.0)]
    inner = [np.array([0.0, 2.0, 0.0, 2.0])] * 3
    _, error, at_limit, _ = nested_estimate([repetition(outer, inner)])
    naive = sqrt(12 / 11 / 6)
    assert naive < sqrt(4 / 9) < naive * sqrt(3)
    assert error == pytest.approx(sqrt(4 / 9))
    assert not at_limit
    # Ten times further apart, it meets sqrt(K) times the naive one.
    far = [10 * fold for fold in outer]
    _, error, at_limit, _ = nested_estimate([repetition(far, inner)])
    assert error == pytest.approx(naive * sqrt(3))
    assert at_limit


def test_bias_of_errors_that_fall_as_1_over_rows() -> None:
    # An error of 1 + 60 / rows, of 60 rows in 5 folds: 2 with all, 2.25 with 48, 8/3 with 36.
    outer = [np.full(12, 2.25)] * 5
    inner = [np.full(48, 1 + 60 / 36)] * 5
    assert nested_estimate([repetition(outer, inner)])[0] == pytest.approx(2.0)


def test_each_pair_of_folds_is_left_out_once() -> None:
    Prior.seen = []
    rows = np.arange(12.0)[:, None]
    nested_cv_interval(
        Prior(), rows, [0, 1] * 6, n_folds=4, n_repeats=1, random_state=0, confidence_level=0.9
    )
    left_out = [frozenset(range(12)) - seen for seen in Prior.seen]
    folds = [rows for rows in left_out if len(rows) == 3]
    pairs = [rows for rows in left_out if len(rows) == 6]
    assert frozenset().union(*folds) == frozenset(range(12))
    assert sorted(map(sorted, pairs)) == sorted(
        sorted(a | b) for i, a in enumerate(folds) for b in folds[:i]
    )
    assert len(left_out) == len(folds) + len(pairs) == 10


def test_model_that_learns_nothing_has_its_own_error() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.3).astype(int)
    model = DummyClassifier(strategy="constant", constant=0)
    found = nested_cv_interval(model, y[:, None], y, n_folds=5, n_repeats=3, random_state=0)
    assert found.value == pytest.approx(y.mean())
    naive = sqrt(y.mean() * (1 - y.mean()) / 200)
    assert 0.99 * naive < found.standard_error <= 1.01 * naive * sqrt(5)
    assert found.low == pytest.approx(found.value - Z * found.standard_error)
    assert found.high == pytest.approx(found.value + Z * found.standard_error)


def test_squared_error_is_unbiased_for_fixed_losses() -> None:
    # Rows whose losses are independent: the expectation is the variance of the inner mean.
    rng = np.random.default_rng(0)
    guesses = []
    for _ in range(3000):
        folds = np.split(rng.normal(size=50), 5)
        inner = [np.concatenate(folds[:f] + folds[f + 1 :]) for f in range(5)]
        guesses += repetition(folds, inner).squared_errors()
    assert np.mean(guesses) == pytest.approx(1 / 40, abs=0.002)


def test_value_is_near_cross_validation_and_error_above_naive() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    found = nested_cv_interval(GaussianNB(), X, y, n_folds=5, n_repeats=5, random_state=0)
    share = np.mean(cross_val_predict(GaussianNB(), X, y, cv=5) != y)
    assert found.value == pytest.approx(share, abs=0.01)
    naive = sqrt(found.value * (1 - found.value) / len(y))
    assert found.standard_error > 0.95 * naive


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loss", ["error_rate", "log_loss", "brier"])
def test_result_does_not_depend_on_workers_or_containers(loss: str) -> None:
    options = {"loss": loss, "n_folds": 4, "n_repeats": 2}
    one = nested_cv_interval(GaussianNB(), X, Y, random_state=3, **options)
    assert one == nested_cv_interval(GaussianNB(), X, Y, random_state=3, n_jobs=2, **options)
    other = nested_cv_interval(GaussianNB(), X, Y, random_state=4, **options)
    assert other != one
    names = pd.Series(np.array(["c", "a", "b"])[Y])
    text = nested_cv_interval(GaussianNB(), pd.DataFrame(X), names, random_state=3, **options)
    assert text.value == pytest.approx(one.value)
    assert text.standard_error == pytest.approx(one.standard_error)
    listed = nested_cv_interval(GaussianNB(), X, Y.tolist(), random_state=3, **options)
    assert listed == one


def test_losses_are_those_of_the_metrics() -> None:
    rows, y = np.zeros((32, 1)), np.array([0, 0, 0, 1] * 8)

    class Fixed(Prior):
        def predict_proba(self, X: np.ndarray) -> np.ndarray:
            return np.tile([0.75, 0.25], (len(X), 1))

    options = {"n_folds": 4, "n_repeats": 1, "random_state": 0, "stratify": True}
    found = nested_cv_interval(Fixed(), rows, y, loss="log_loss", **options)
    assert found.value == pytest.approx(log_loss(y, np.full(32, 0.25)))
    brier = nested_cv_interval(Fixed(), rows, y, loss="brier", **options)
    assert brier.value == pytest.approx(3 / 16)
    own = nested_cv_interval(
        Fixed(), rows, y, loss=lambda model, X, y: (y == 1).astype(float), **options
    )
    assert own.value == pytest.approx(0.25)


def test_columns_that_do_not_match_the_classes() -> None:
    class Wide(Prior):
        def predict_proba(self, X: np.ndarray) -> np.ndarray:
            return np.full((len(X), 4), 0.25)

    with pytest.raises(ValueError, match=r"predict_proba of Wide has to have shape \(30, 3\)"):
        nested_cv_interval(Wide(), X, Y, loss="brier", n_folds=5, n_repeats=1, random_state=0)


def test_class_that_a_model_never_saw_has_probability_0() -> None:
    y = np.array([0, 1] * 7 + [2])
    options = {"loss": "log_loss", "n_folds": 5, "n_repeats": 1, "random_state": 0}
    found = nested_cv_interval(Prior(), np.arange(15.0)[:, None], y, **options)
    # One row of 15 is charged with the log of the spacing of a float, 36.
    assert found.value > 2


def test_no_row_wrong_has_the_interval_of_a_proportion() -> None:
    y = np.array([0, 1] * 20)
    found = nested_cv_interval(
        LogisticRegression(), 10.0 * y[:, None], y, n_folds=5, n_repeats=2, random_state=0
    )
    want = proportion_interval(0, 40)
    assert (found.value, found.low, found.high) == (0.0, want.low, want.high)
    assert found.standard_error == 0
    assert found.method == "wilson"
    assert "same loss" in found.note


def test_stratified_folds_share_each_class_evenly() -> None:
    strata = np.repeat([0, 1, 2], [50, 31, 9])
    fold = partitions(90, strata, 4, np.random.RandomState(0))
    for stratum in range(3):
        counts = np.bincount(fold[strata == stratum], minlength=4)
        assert np.ptp(counts) <= 1
    assert np.ptp(np.bincount(fold)) <= 1
    plain = partitions(90, None, 4, np.random.RandomState(0))
    assert np.ptp(np.bincount(plain)) <= 1
    assert (plain != partitions(90, None, 4, np.random.RandomState(1))).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "auc"}, "loss has to be one of .*'log_loss'.* got 'auc'"),
        ({"n_folds": 2}, "n_folds has to be an integer of 3 or more, got 2"),
        ({"n_folds": 80}, "n_folds=80 needs at least 160 rows"),
        ({"n_repeats": 0}, "n_repeats has to be an integer of 1 or more"),
        ({"confidence_level": 2}, "confidence_level has to be"),
        ({"loss": lambda model, X, y: 0.5}, "loss has to return a finite number for each of"),
    ],
)
def test_refused(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nested_cv_interval(GaussianNB(), X, Y, **{"n_folds": 5, "n_repeats": 1, **options})


def test_continuous_targets_are_refused() -> None:
    with pytest.raises(ValueError, match="continuous y is not supported"):
        nested_cv_interval(GaussianNB(), X, Y + 0.5)


class Told(ClassifierMixin, BaseEstimator):
    """Says the only column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return X[:, 0]


def test_groups_are_held_out_whole_and_copies_are_no_more_rows() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 120)
    X = np.where(rng.random(120) < 0.8, y, 1 - y)[:, None]
    copies, options = np.repeat(np.arange(120), 4), {"n_folds": 5, "n_repeats": 6}
    once = nested_cv_interval(Told(), X, y, groups=np.arange(120), random_state=0, **options)
    found = nested_cv_interval(
        Told(), X[copies], y[copies], groups=copies, random_state=0, **options
    )
    plain = nested_cv_interval(Told(), X, y, random_state=0, **options)
    assert (found.value, found.low, found.high) == pytest.approx((once.value, once.low, once.high))
    assert (found.n_groups, found.design_effect) == (120, pytest.approx(4, rel=0.02))
    assert (plain.value, plain.standard_error) == pytest.approx((once.value, once.standard_error))
    assert plain.n_groups is None
    right = [once.standard_error * stats.t.ppf(0.975, 119), plain.standard_error * Z]
    assert [once.high - once.value, plain.high - plain.value] == pytest.approx(right)

    Prior.seen = []
    groups = np.array(["a", "b", "c", "d", "e", "f", "g", "h"])[np.arange(24) % 8]
    rows = np.arange(24.0)[:, None]
    options = {"n_folds": 4, "n_repeats": 1, "random_state": 0}
    nested_cv_interval(Prior(), rows, [0, 1, 1] * 8, groups=groups, **options)
    for seen in Prior.seen:
        out = set(range(24)) - seen
        assert not {groups[row] for row in seen} & {groups[row] for row in out}


def test_groups_that_make_no_folds_are_refused() -> None:
    rows, y = np.arange(12.0)[:, None], [0, 1] * 6
    with pytest.raises(InvalidParameterError, match="at least 8 groups, got 6"):
        nested_cv_interval(Prior(), rows, y, n_folds=4, groups=np.arange(12) // 2)
    with pytest.raises(InvalidParameterError, match=r"stratify=True .* choose one"):
        nested_cv_interval(Prior(), rows, y, n_folds=3, groups=np.arange(12) // 2, stratify=True)

"""Group H: scorers in cross-validation. The CSV has no data for most; these are of its kind."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import PredefinedSplit, cross_val_score, cross_validate

from .making import Edge, convention, value

RNG = np.random.default_rng(7)
WORDS = np.where(RNG.random(200) < 0.25, "yes", "no")
LEAN = np.clip(0.35 + 0.25 * (WORDS == "yes") + RNG.normal(0, 0.2, 200), 0.01, 0.99)


class Told(ClassifierMixin, BaseEstimator):
    """Each row of X is its response; learns nothing but which classes there are."""

    def __init__(self, classes=None):
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.unique(y) if self.classes is None else np.array(self.classes)
        return self

    def predict_proba(self, X):
        known = np.asarray(X)[:, : len(self.classes_)]
        return known / known.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


BINARY = np.column_stack([1 - LEAN, LEAN])  # of no and yes
FOUR = RNG.dirichlet(np.ones(4), 40)
LETTERS = np.array(list("abcd"))[RNG.integers(0, 4, 40)]
LETTERS[:4] = list("abcd")


def average_precision(mark: np.ndarray, score: np.ndarray) -> float:
    """Mean of the precision at each row of the class; no scores tie."""
    hits = mark[np.argsort(-score)]
    return float(np.mean((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits]))


def both_ways(m) -> dict:
    return {label: m.get_scorer("average_precision", pos_label=label) for label in ("yes", "no")}


def in_one_scorer(m) -> bool:
    model = Told().fit(BINARY, WORDS)
    got = check_scoring(model, both_ways(m))(model, BINARY, WORDS)["no"]
    return bool(np.isclose(got, average_precision(WORDS == "no", 1 - LEAN), rtol=1e-12))


def in_cross_validation(m) -> bool:
    got = cross_validate(Told(), BINARY, WORDS, scoring=both_ways(m), cv=PredefinedSplit(FOLDS))
    wanted = [
        average_precision(WORDS[fold == FOLDS] == "no", 1 - LEAN[fold == FOLDS])
        for fold in range(4)
    ]
    return bool(np.allclose(got["test_no"], wanted, rtol=1e-12))


FOLDS = np.arange(200) % 4


def unsorted_classes(m) -> bool:
    model = Told(("yes", "no")).fit(BINARY, WORDS)
    got = m.get_scorer("neg_log_loss")(model, BINARY[:, ::-1], WORDS)
    wanted = np.log(np.where(WORDS == "yes", LEAN, 1 - LEAN)).mean()
    return bool(np.isclose(got, wanted, rtol=1e-12))


def quietly(call):
    def run(m):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(m)

    return run


def of_classes(trained: str, tested: str, name: str, **params):
    def call(m):
        model = Told().fit(FOUR, list(trained))
        rows = np.isin(LETTERS, list(tested))
        return m.get_scorer(name, **params)(model, FOUR[rows], LETTERS[rows])

    return quietly(call)


WITHOUT_A = LETTERS != "a"
PROBA = FOUR[WITHOUT_A]


def pairs_ranked(score: np.ndarray, mark: np.ndarray) -> float:
    return float(np.mean(score[mark][:, None] > score[~mark]))


CLASSES = np.array(list("abcd"))
OWN = LETTERS[WITHOUT_A]
AREA = np.mean([pairs_ranked(PROBA[:, k], CLASSES[k] == OWN) for k in (1, 2, 3)])
BEST_TWO = CLASSES[np.argsort(PROBA, axis=1)[:, -2:]]
HITS = np.mean((OWN[:, None] == BEST_TWO).any(axis=1))


def no_positives(m) -> float:
    marks = (WORDS == "yes").astype(int)
    fold = np.where(marks == 1, 1, np.arange(200) % 2)  # fold 0 has no positive row
    scorer = m.get_scorer("average_precision")
    return cross_val_score(Told((0, 1)), BINARY, marks, scoring=scorer, cv=PredefinedSplit(fold))[0]


def raises_in_fold_2(m) -> np.ndarray:
    fold = np.arange(200) % 5

    def half(estimator, X, y):
        if len(X) and X[0, 0] == BINARY[fold == 1][0, 0]:
            raise KeyError("no such row")
        return 0.5

    panel = m.ScorerPanel({"half": half, "accuracy": "accuracy"})
    got = cross_validate(
        Told(), BINARY, WORDS, scoring=panel, cv=PredefinedSplit(fold), error_score=np.nan
    )
    assert np.isfinite(got["test_accuracy"]).all()
    return got["test_half"]


CALLS: dict[str, Edge] = {
    "multimetric {yes: AP(pos='yes'), no: AP(pos='no')}: value of 'no'": value(in_one_scorer),
    "same inside cross_validate": value(in_cross_validation),
    "scoring='neg_log_loss' on an estimator whose classes_ = ['yes','no'] (not sorted)": value(
        unsorted_classes
    ),
    "CV fold: train {a,b,c}, test {b,c,d}, scoring='roc_auc_ovo'": value(
        of_classes("abc", "bcd", "roc_auc_ovo")
    ),
    # The mean over the classes that have rows.
    "CV fold: train {a,b,c,d}, test lacks a, scoring='roc_auc_ovr'": convention(
        AREA, of_classes("abcd", "bcd", "roc_auc_ovr")
    ),
    "CV fold: train {a,b,c,d}, test lacks a, scoring='top_k_accuracy'": convention(
        HITS, of_classes("abcd", "bcd", "top_k_accuracy", k=2)
    ),
    "cross_val_score(average_precision) folds without positives": value(quietly(no_positives)),
    "cross_validate(scoring=callable->dict) that raises in fold 2, error_score=nan": value(
        quietly(raises_in_fold_2)
    ),
}

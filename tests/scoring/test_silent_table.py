"""The table of silent cases in the guide: scikit-learn's numbers and the right ones, computed."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn
import sklearn.metrics as sk
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_validate
from sklearn.naive_bayes import GaussianNB
from support.versions import IS_REFERENCE

import skmetrics_ext as sx

from .models import Fixed

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "cross_validation.md"
EPS = np.finfo(np.float64).eps
IRIS, SPECIES = load_iris(return_X_y=True)
CANCER, BENIGN = load_breast_cancer(return_X_y=True)
TEXTURE = CANCER[:, 1:2]
HALF = np.arange(len(BENIGN)) % 2 == 0
THIRD = np.arange(150) % 3
THIRD[(SPECIES == 2) & (THIRD == 0)] = 1  # fold 0 has no row of class 2
ABC, BCD = list("abc"), ["b", "c", "d"]
COLUMNS = np.array([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]])  # of a, b, c
FLOOR = np.log(EPS)
NAN = float("nan")
REFUSED = "an error"


def number(text, value):
    """As the guide writes it."""
    return text if value is None else "nan" if np.isnan(value) else f"{value:.3f}"


def attempt(call):
    """A value, or that there is an error."""
    try:
        return number("", float(call()))
    except (TypeError, ValueError):
        return REFUSED


def average_precision(mark, score):
    """Precision at each distinct score, by the rows of the class that have it."""
    total = 0.0
    for cut in np.unique(score[mark]):
        above = score >= cut
        total += np.sum(mark & (score == cut)) * np.mean(mark[above])
    return total / np.sum(mark)


def area(score, mark):
    return np.mean(np.sign(score[mark][:, None] - score[~mark]) / 2 + 0.5)


def unseen():
    model = LogisticRegression(max_iter=1000).fit(IRIS[:100], SPECIES[:100])
    rows = np.r_[25:50, 100:150]
    return model, IRIS[rows], SPECIES[rows]


def loss_of_unseen():
    model, X, y = unseen()
    p = np.clip(model.predict_proba(X)[:, 0], EPS, 1 - EPS)
    right = np.mean(np.where(y == 0, np.log(p), FLOOR))
    return (
        sk.get_scorer("neg_log_loss")(model, X, y),
        right,
        sx.get_scorer("neg_log_loss")(model, X, y),
    )


def area_of_unseen():
    model, X, y = unseen()
    return (
        sk.get_scorer("roc_auc_ovr")(model, X, y),
        NAN,
        sx.get_scorer("roc_auc_ovr")(model, X, y),
    )


def both_classes(lib):
    if lib is sx:
        return {str(k): sx.get_scorer("average_precision", pos_label=k) for k in (1, 0)}
    ap = sk.average_precision_score
    return {
        str(k): sk.make_scorer(ap, response_method="predict_proba", pos_label=k) for k in (1, 0)
    }


def two_in_one_scorer():
    model = GaussianNB().fit(TEXTURE[HALF], BENIGN[HALF])
    X, y = TEXTURE[~HALF], BENIGN[~HALF]
    right = average_precision(y == 0, model.predict_proba(X)[:, 0])
    his, ours = (sk.check_scoring(model, both_classes(lib))(model, X, y)["0"] for lib in (sk, sx))
    return his, right, ours


def two_in_cross_validation():
    cv = PredefinedSplit(np.where(HALF, 0, -1))
    his, ours = (
        cross_validate(GaussianNB(), TEXTURE, BENIGN, scoring=both_classes(lib), cv=cv)["test_0"][0]
        for lib in (sk, sx)
    )
    model = GaussianNB().fit(TEXTURE[~HALF], BENIGN[~HALF])
    return (
        his,
        average_precision(BENIGN[HALF] == 0, model.predict_proba(TEXTURE[HALF])[:, 0]),
        ours,
    )


def fold_lacks(name, by_hand):
    def run():
        X, cv = IRIS[:, :2], PredefinedSplit(THIRD)
        his, ours = (
            cross_validate(GaussianNB(), X, SPECIES, cv=cv, scoring={"m": scorer})["test_m"][0]
            for scorer in (name, sx.get_scorer(name))
        )
        test = THIRD == 0
        proba = GaussianNB().fit(X[~test], SPECIES[~test]).predict_proba(X[test])
        return his, by_hand(proba, SPECIES[test]), ours

    return run


def search():
    cv, grid = PredefinedSplit(THIRD), {"var_smoothing": [100.0, 1e-9]}
    loss = {"his": "neg_log_loss", "ours": sx.get_scorer("neg_log_loss")}
    found = [
        GridSearchCV(GaussianNB(), grid, scoring=s, cv=cv).fit(IRIS[:, :2], SPECIES)
        for s in loss.values()
    ]
    his, ours = (g.best_params_["var_smoothing"] == 1e-9 for g in found)
    losses = []
    for smoothing in grid["var_smoothing"]:
        own = []
        for fold in range(3):
            test = fold == THIRD
            model = GaussianNB(var_smoothing=smoothing).fit(IRIS[~test, :2], SPECIES[~test])
            proba = model.predict_proba(IRIS[test, :2])
            own.append(np.log(proba[np.arange(test.sum()), SPECIES[test]]).mean())
        losses.append(np.mean(own))
    return his, losses[1] > losses[0], ours


def unsorted_classes():
    y = np.where(BENIGN == 1, "yes", "no")
    proba = GaussianNB().fit(TEXTURE, y).predict_proba(TEXTURE)[:, ::-1]  # of yes and no
    model = Fixed(("yes", "no"))
    right = np.log(np.where(y == "yes", proba[:, 0], proba[:, 1])).mean()
    his, ours = (lib.get_scorer("neg_log_loss")(model, proba, y) for lib in (sk, sx))
    return his, right, ours


def pairs_of_unseen():
    y = np.array(BCD)
    his, ours = (lib.get_scorer("roc_auc_ovo")(Fixed(tuple(ABC)), COLUMNS, y) for lib in (sk, sx))
    return his, NAN, ours


def refused(name, **params):
    def run():
        his = getattr(sk, name)(BCD, COLUMNS, **params)
        return his, REFUSED, attempt(lambda: getattr(sx, name)(BCD, COLUMNS, labels=ABC, **params))

    return run


def no_positives():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 0, 1, 1])
    model = GaussianNB().fit(X, y)
    his, ours = (lib.get_scorer("average_precision")(model, X[:2], y[:2]) for lib in (sk, sx))
    return his, NAN, ours


def raises_in_a_fold():
    fold = np.arange(150) % 5

    def half(estimator, X, y):
        if np.array_equal(X, IRIS[fold == 1]):
            raise KeyError("no such row")
        return 0.5

    def run(scoring):
        cv = PredefinedSplit(fold)
        got = cross_validate(GaussianNB(), IRIS, SPECIES, scoring=scoring, cv=cv)
        return np.sum(np.isfinite(got["test_half"]))

    his = attempt(lambda: run(lambda e, X, y: {"half": half(e, X, y)}))
    return his, 4.0, float(run(sx.ScorerPanel({"half": half})))


def lost_weights():
    weight = np.where(BENIGN == 1, 1.0, 9.0)
    cv = PredefinedSplit(np.where(HALF, 0, -1))

    def plain(estimator, X, y, sample_weight=None):
        return {"accuracy": sk.accuracy_score(y, estimator.predict(X), sample_weight=sample_weight)}

    with sklearn.config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        panel = sx.ScorerPanel(["accuracy"]).set_score_request(sample_weight=True)
        his, ours = (
            cross_validate(
                model, TEXTURE, BENIGN, scoring=s, cv=cv, params={"sample_weight": weight}
            )["test_accuracy"][0]
            for s in (plain, panel)
        )
    model = GaussianNB().fit(TEXTURE[~HALF], BENIGN[~HALF], weight[~HALF])
    hit = model.predict(TEXTURE[HALF]) == BENIGN[HALF]
    return his, np.average(hit, weights=weight[HALF]), ours


def log_loss_by_hand(proba, y):
    return np.log(proba[np.arange(len(y)), y]).mean()


def areas_by_hand(proba, y):
    return np.mean([area(proba[:, k], y == k) for k in (0, 1)])


def top_two_by_hand(proba, y):
    return np.mean((np.argsort(proba, axis=1)[:, -2:] == y[:, None]).any(axis=1))


CASES = {
    "`neg_log_loss`, trained on iris {0, 1}, tested on {0, 2}": loss_of_unseen,
    "`roc_auc_ovr` of the same": area_of_unseen,
    "`roc_auc_ovo`, trained on {a, b, c}, tested on {b, c, d}": pairs_of_unseen,
    "`neg_log_loss`, `classes_` in the order yes, no": unsorted_classes,
    "`log_loss`, columns of a, b, c, rows of b, c, d": refused("log_loss"),
    "`top_k_accuracy_score` of the same, k=1": refused("top_k_accuracy_score", k=1),
    "`average_precision_score` of the same": refused("average_precision_score"),
    "`average_precision` of class 0 beside that of class 1": two_in_one_scorer,
    "the same inside `cross_validate`": two_in_cross_validation,
    "`roc_auc_ovr`, the fold lacks a class": fold_lacks("roc_auc_ovr", areas_by_hand),
    "`neg_log_loss`, the fold lacks a class": fold_lacks("neg_log_loss", log_loss_by_hand),
    "`top_k_accuracy`, the fold lacks a class": fold_lacks("top_k_accuracy", top_two_by_hand),
    "`GridSearchCV` with such a fold takes the better candidate (1: yes)": search,
    "`average_precision`, the fold has no positive row": no_positives,
    "a function of several metrics raises in 1 of 5 folds: folds kept": raises_in_a_fold,
    "accuracy in a dict, weights routed": lost_weights,
}


def written():
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    return {row[0]: row[1:] for row in rows if row[0] in CASES}


def texts(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CASES[case]()
    return [value if isinstance(value, str) else number("", float(value)) for value in found]


@pytest.mark.parametrize("case", CASES)
def test_the_guide_has_both_numbers(case):
    his, right, ours = texts(case)
    assert ours == right
    assert his != right
    assert written()[case][1] == right
    if IS_REFERENCE:
        assert written()[case][0] == his

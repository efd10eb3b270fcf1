"""Reports of searches: what they take over, and numbers found by hand."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer as sklearn_scorer
from sklearn.metrics import recall_score as sklearn_recall
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import (
    ScorerPanel,
    get_scorer,
    make_scorer,
    search_report,
    simplest_within,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
GROUPS = np.arange(90) // 3
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 3]}


def report(search, **options):
    return search_report(search, X, Y, **{"n_resamples": 50, "random_state": 0, **options})


class Column(ClassifierMixin, BaseEstimator):
    """Says of a row what one of its columns says."""

    def __init__(self, column=0, threshold=0.0):
        self.column, self.threshold = column, threshold

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.weight_ = None if sample_weight is None else float(np.sum(sample_weight))
        return self

    def predict(self, X):
        if self.column > 2:
            raise RuntimeError("there is no such column")
        return self.classes_[(X[:, self.column] > self.threshold).astype(int)]

    def decision_function(self, X):
        return X[:, self.column]


# --------------------------------------------------------------------------- what is taken over


@pytest.mark.parametrize(
    "scoring",
    [
        None, "accuracy", "f1", "roc_auc", "neg_log_loss", "average_precision", "recall_macro",
        get_scorer("gini"), sklearn_scorer(sklearn_recall, pos_label=0),
    ],
)  # fmt: skip
def test_values_of_a_fitted_search_come_back(scoring):
    search = GridSearchCV(TREE, DEPTHS, scoring=scoring, cv=3).fit(X, Y)
    found = report(search)
    means = [row.mean for row in found.rows]
    assert means == pytest.approx(list(search.cv_results_["mean_test_score"]), abs=1e-12)
    assert found.naive == search.best_score_
    assert found.selected.params == search.best_params_
    assert found.best_estimator_ is search.best_estimator_
    assert not any("were not reproduced" in note for note in found.notes)
    assert found.best.low < found.best.value < found.best.high


@pytest.mark.parametrize(
    "search",
    [
        GridSearchCV(TREE, [DEPTHS, {"min_samples_leaf": [5]}], cv=3),
        RandomizedSearchCV(TREE, {"max_depth": range(1, 9)}, n_iter=3, random_state=1, cv=3),
        GridSearchCV(TREE, DEPTHS, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2,
                                                              random_state=0)),
    ],
)  # fmt: skip
def test_a_search_is_run_as_it_would_run(search):
    found = report(search)
    fitted = search.fit(X, Y)
    means = [row.mean for row in found.rows]
    assert means == pytest.approx(list(fitted.cv_results_["mean_test_score"]), abs=1e-12)
    assert [row.params for row in found.rows] == fitted.cv_results_["params"]
    assert found.selected.params == fitted.best_params_
    assert found.naive == pytest.approx(fitted.best_score_, abs=1e-12)
    assert (found.best_estimator_.predict(X) == fitted.best_estimator_.predict(X)).all()
    again = report(fitted)
    assert again.best == found.best


def test_the_search_is_not_changed():
    search = GridSearchCV(TREE, DEPTHS, cv=3)
    report(search)
    assert not hasattr(search, "cv_results_")


def test_candidates_of_the_last_round_of_a_halving_search():
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    search = HalvingGridSearchCV(
        TREE, {"max_depth": [1, 2, 3, 4]}, cv=StratifiedKFold(3), min_resources=30, factor=2,
        random_state=0,
    ).fit(X, Y)  # fmt: skip
    found, rounds = report(search), search.cv_results_["iter"]
    last = np.flatnonzero(rounds == rounds.max())
    assert len(last) < 4
    assert [row.candidate for row in found.rows] == last.tolist()
    assert [row.mean for row in found.rows] == pytest.approx(
        search.cv_results_["mean_test_score"][last], abs=1e-12
    )
    assert found.naive == search.best_score_


def test_splits_without_a_seed_are_told():
    splits = StratifiedKFold(3, shuffle=True)
    # Accuracies of 90 rows may be equal in other splits.
    search = GridSearchCV(TREE, DEPTHS, cv=splits, scoring="neg_brier_score").fit(X, Y)
    found = report(search)
    assert found.naive == search.best_score_
    assert any("were not reproduced" in note for note in found.notes)


def test_named_candidates():
    models = {"tree": TREE, "guess": DummyClassifier(), "logistic": LogisticRegression()}
    found = report(models, cv=3, scoring="roc_auc")
    assert [row.candidate for row in found.rows] == list(models)
    assert found.metric == "roc_auc"
    assert found.rows[1].mean == 0.5
    assert not found.rows[1].as_good
    assert found.best_estimator_.predict(X).shape == Y.shape


def test_several_metrics():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), TREE),
        {"decisiontreeclassifier__max_depth": [1, 3]},
        scoring=ScorerPanel(["f1", "roc_auc"]), refit="roc_auc", cv=3,
    ).fit(X, Y)  # fmt: skip
    found = report(search)
    assert (found.metric, found.naive) == ("roc_auc", search.best_score_)
    assert [row.mean_f1 for row in found.rows] == pytest.approx(
        list(search.cv_results_["mean_test_f1"]), abs=1e-12
    )
    with pytest.raises(ValueError, match="refit must name the metric"):
        report(GridSearchCV(TREE, DEPTHS, scoring=["f1", "roc_auc"], refit=False))


def test_a_rule_chooses_in_every_draw():
    simplest = simplest_within("max_depth")
    own = report(GridSearchCV(TREE, DEPTHS, cv=3, refit=lambda results: simplest(results)))
    found = report(GridSearchCV(TREE, DEPTHS, cv=3, refit=simplest))
    assert found.selected.params == own.selected.params
    assert found.best.value == pytest.approx(own.best.value, abs=1e-12)
    always = report(GridSearchCV(TREE, DEPTHS, cv=3, refit=lambda results: 2))
    assert always.selected.params == {"max_depth": 3}
    assert always.best.value == pytest.approx(always.naive, abs=1e-12)  # nothing was chosen
    assert [row.probability_best for row in always.rows] == [0, 0, 1]


# --------------------------------------------------------------------------- by hand


def test_errors_are_those_of_shares():
    """Of folds of equal size: the standard deviation of being right over the root of n."""
    found = report({str(k): Column(k) for k in range(3)}, cv=KFold(3))
    for k, row in enumerate(found.rows):
        right = (X[:, k] > 0) == Y
        assert row.mean == pytest.approx(right.mean())
        assert row.standard_error == pytest.approx(right.std(ddof=1) / np.sqrt(90))


def test_errors_of_groups_are_those_of_their_sums():
    found = report({str(k): Column(k) for k in range(3)}, cv=GroupKFold(3), groups=GROUPS)
    for k, row in enumerate(found.rows):
        right = ((X[:, k] > 0) == Y) * 1.0
        sums = (right - right.mean()).reshape(30, 3).sum(axis=1)
        assert row.standard_error == pytest.approx(sums.std(ddof=1) * np.sqrt(30) / 90)
    assert found.n_groups == 30


def test_rows_that_are_predicted_twice_count_once():
    """Repeated folds of a model that learns nothing repeat what it says."""
    models = {str(k): Column(k) for k in range(2)}
    once = report(models, cv=KFold(3, shuffle=True, random_state=0))
    twice = report(models, cv=[*KFold(3, shuffle=True, random_state=0).split(X)] * 2)
    for one, other in zip(once.rows, twice.rows, strict=True):
        assert other.standard_error == pytest.approx(one.standard_error)
        assert other.mean == pytest.approx(one.mean)


def test_weights_go_where_they_are_requested():
    from sklearn import config_context

    weight = RNG.integers(1, 4, 90)
    with config_context(enable_metadata_routing=True):
        model = Column().set_fit_request(sample_weight=True)
        scorer = get_scorer("accuracy").set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"column": [0, 1]}, scoring=scorer, cv=KFold(3))
        found = report(search, params={"sample_weight": weight})
        search.fit(X, Y, sample_weight=weight)
    assert found.best_estimator_.weight_ == weight.sum()
    assert [row.mean for row in found.rows] == pytest.approx(
        list(search.cv_results_["mean_test_score"]), abs=1e-12
    )
    right = ((X[:, 0] > 0) == Y) * 1.0
    assert found.rows[0].mean != pytest.approx(right.mean(), abs=1e-6)


def test_a_weight_that_the_metric_does_not_request_is_for_the_fits_alone():
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        model = Column().set_fit_request(sample_weight=True)
        scorer = get_scorer("accuracy").set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"column": [0]}, scoring=scorer, cv=KFold(3))
        weight = np.where((X[:, 0] > 0) == Y, 9, 1)
        found = report(search, params={"sample_weight": weight})
    assert found.best_estimator_.weight_ == weight.sum()
    assert found.rows[0].mean == pytest.approx(np.mean((X[:, 0] > 0) == Y))


def test_metrics_without_influence_values_are_drawn():
    models = {str(k): Column(k) for k in range(3)}
    of_area = report(models, scoring="roc_auc", cv=3)
    found = report(models, scoring="ks_statistic", cv=3, n_resamples=400)
    assert not any("rough" in note for note in found.notes)
    # The distance of Kolmogorov and Smirnov varies about as the area does.
    for row, other in zip(found.rows, of_area.rows, strict=True):
        assert 0.5 < row.standard_error / other.standard_error < 2


def test_functions_of_ones_own_have_the_noise_of_the_folds():
    def right(true, pred):
        return np.mean(true == pred)

    found = report({str(k): Column(k) for k in range(3)}, scoring=make_scorer(right), cv=KFold(3))
    folds = ((X[:, 0] > 0) == Y).reshape(3, 30).mean(axis=1)
    assert found.rows[0].standard_error == pytest.approx(folds.std(ddof=1) * np.sqrt(1 / 3 + 1 / 2))
    assert any("is not a metric of this package" in note for note in found.notes)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 0, 1, 2, 3]])
def test_noise_of_the_folds_has_their_degrees_of_freedom(order):
    """Wherever the fold is that lacks a class, so that rows do not show the noise."""
    rng = np.random.default_rng(0)
    y, fold = np.arange(150) % 3, np.arange(150) // 30
    x = y[:, None] + rng.normal(size=(150, 2))
    rows = [np.flatnonzero((fold == k) & ((k < 4) | (y < 2))) for k in range(5)]
    cv = [(np.setdiff1d(np.arange(150), rows[k]), rows[k]) for k in order]
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    found = search_report(models, x, y, scoring="roc_auc_ovr", cv=cv, random_state=0)
    row = found.rows[0]
    away = t.ppf(0.975, 4) * row.standard_error / (row.mean * (1 - row.mean))
    assert [row.low, row.high] == pytest.approx(expit(logit(row.mean) + away * np.array([-1, 1])))
    assert "the noise is a rough estimate from 5 folds" in found.notes[0]
    assert "folds (power 80 %; now 5)" in found.notes[-1]


# --------------------------------------------------------------------------- what goes wrong


def test_a_candidate_that_fails_keeps_its_row():
    found = report(GridSearchCV(Column(), {"column": [0, 1, 7]}, cv=3))
    assert "there is no such column" in found.rows[2].note
    assert np.isnan(found.rows[2].mean)
    assert found.rows[2].probability_best == 0
    assert "there is no such column" in str(found)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, -5]}, cv=3)
    assert "fit failed" in report(search).rows[1].note
    with pytest.raises(ValueError, match="candidate 1: fit failed"):
        report(search.set_params(error_score="raise"))
    assert report(search.set_params(error_score=0.25)).rows[1].mean == 0.25
    with pytest.raises(ValueError, match="No candidate has a value of score"):
        report(GridSearchCV(Column(), {"column": [7, 8]}, cv=3))


class Stops(Column):
    """Is interrupted at a fit that a counter tells."""

    left = 0

    def fit(self, X, y, sample_weight=None):
        type(self).left -= 1
        if type(self).left == -1:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_what_is_finished_is_kept():
    models = {str(k): Stops(k) for k in range(3)}
    Stops.left = 5  # one candidate of three folds, and two folds of the next
    with pytest.warns(UserWarning, match="Interrupted after 5 of 9 fits"):
        found = report(models, cv=3)
    assert found.rows[0].mean > 0.5
    assert found.rows[1].note == "2 of 3 folds were finished"
    assert found.rows[2].note == "0 of 3 folds were finished"
    assert found.best_estimator_.column == 0
    Stops.left = 9  # at the fit to all rows
    with pytest.warns(UserWarning, match="was not fitted to all rows"):
        found = report(models, cv=3)
    assert found.best_estimator_ is None
    assert found.selected.mean == max(row.mean for row in found.rows)


def test_jobs_change_nothing():
    from joblib import parallel_config

    search = GridSearchCV(TREE, DEPTHS, cv=3)
    with parallel_config(backend="threading"):
        assert report(search, n_jobs=2).best == report(search).best


@pytest.mark.parametrize(
    ("search", "options", "message"),
    [
        (TREE, {}, "search must be a GridSearchCV"),
        ({}, {}, "estimators is empty"),
        (GridSearchCV(TREE, DEPTHS), {"cv": 3}, "cv is taken from the search"),
        ({"a": TREE}, {"scoring": ["f1", "accuracy"]}, "scoring must be the one metric"),
        ({"a": TREE}, {"outer": 3}, "outer needs a search"),
        ({"a": TREE}, {"n_resamples": 1}, "n_resamples has to be an integer of 20 or more"),
        ({"a": TREE}, {"confidence_level": 2}, "confidence_level"),
        (GridSearchCV(TREE, {"depth": [1]}), {}, "candidate 0: Invalid parameter 'depth'"),
    ],
)
def test_mistakes_are_named(search, options, message):
    with pytest.raises(ValueError, match=message):
        report(search, **options)


@pytest.mark.parametrize(
    ("search", "options"),
    [
        ({"a": TREE}, {"scoring": "f1"}),
        (GridSearchCV(TREE, DEPTHS, scoring="f1"), {}),
    ],
)
def test_a_positive_class_is_asked_for(search, options):
    with pytest.raises(ValueError, match=r"^f1 needs .*pos_label"):
        search_report(search, X, np.where(Y, "ill", "well"), **options)


def test_other_metrics_may_lack_a_positive_class():
    search = GridSearchCV(TREE, DEPTHS, scoring=["accuracy", "f1"], refit="accuracy")
    found = search_report(search, X, np.where(Y, "ill", "well"), random_state=0)
    assert found.best.value > 0.5
    assert all(np.isnan(row.mean_f1) for row in found.rows)


# --------------------------------------------------------------------------- nested


def test_nested_cross_validation_runs_the_search_on_each_fold():
    search = GridSearchCV(TREE, DEPTHS, cv=2, scoring="accuracy")
    outer = KFold(3)
    found = report(search, outer=outer)
    values = []
    for train, test in outer.split(X):
        fitted = search.fit(X[train], Y[train])
        values.append(fitted.score(X[test], Y[test]))
    assert found.nested.value == pytest.approx(np.mean(values))
    assert found.nested.low < found.nested.value < found.nested.high
    assert "nested cross-validation" in str(found)


@pytest.mark.parametrize(
    ("scoring", "name"),
    [
        (None, "accuracy"),
        ("gini", "gini"),
        (get_scorer("neg_log_loss"), "neg_log_loss"),
        (sklearn_scorer(sklearn_recall), "recall"),
        (lambda model, X, y: float(model.score(X, y)), "score"),
    ],
)
def test_the_metric_of_a_search_has_its_name(scoring, name):
    """scikit-learn calls the only metric of a search "score"."""
    found = report(GridSearchCV(TREE, DEPTHS, scoring=scoring, cv=3))
    assert found.metric == name
    shown = {"neg_log_loss": "log loss", "gini": "Gini"}.get(name, name)
    assert f": {shown} {abs(found.best.value):.3f}" in str(found)

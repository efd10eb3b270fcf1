"""ThresholdOptimizerCV against a search by hand, and as scikit-learn uses it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import skmetrics_ext
from skmetrics_ext import ThresholdOptimizerCV, f1_score, optimal_threshold, recall_score

X, Y = (part[::3] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4] / X[:, :4].max(axis=0)  # so that a logistic regression is fitted at once
IRIS, SPECIES = load_iris(return_X_y=True)
IRIS = IRIS[:, :2]
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def model():
    return GaussianNB()


def fold_scores(estimator, data, y, folds, column=1):
    """(true, score) of each fold."""
    for train, test in folds.split(data, y):
        fitted = clone(estimator).fit(data[train], y[train])
        yield y[test], fitted.predict_proba(data[test])[:, column]


def mean_at(pairs, threshold, metric, **options):
    values = [metric(true, (score >= threshold).astype(int), **options) for true, score in pairs]
    return np.mean(values)


# --------------------------------------------------------------------------- the choice


@pytest.mark.parametrize("name", ["f1", "balanced_accuracy", "accuracy"])
def test_the_best_of_all_thresholds_by_the_mean_over_folds(name):
    metric = getattr(skmetrics_ext, f"{name}_score")
    pairs = list(fold_scores(model(), X, Y, FOLDS))
    every = np.append(np.inf, np.unique(np.concatenate([score for _, score in pairs]))[::-1])
    means = np.array([mean_at(pairs, t, metric) for t in every])
    best = np.flatnonzero(means >= means.max() - 1e-12)[0]
    found = ThresholdOptimizerCV(model(), criterion=name, cv=FOLDS, store_cv_results=True)
    found.fit(X, Y)
    assert found.best_threshold_ == every[best]
    assert found.best_score_ == pytest.approx(means[best], rel=1e-12)
    np.testing.assert_array_equal(found.cv_results_["thresholds"], every)
    np.testing.assert_allclose(found.cv_results_["scores"], means, rtol=1e-12)
    score = found.estimator_.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(found.predict(X), score >= found.best_threshold_)


def test_never_worse_than_a_grid():
    ours = ThresholdOptimizerCV(model(), cv=FOLDS).fit(X, Y)
    theirs = TunedThresholdClassifierCV(model(), cv=FOLDS, thresholds=50).fit(X, Y)
    pairs = list(fold_scores(model(), X, Y, FOLDS))
    metric = skmetrics_ext.balanced_accuracy_score
    on_grid = mean_at(pairs, theirs.best_threshold_, metric)
    assert mean_at(pairs, ours.best_threshold_, metric) >= on_grid
    assert ours.best_score_ >= on_grid


def test_the_spread_over_folds():
    found = ThresholdOptimizerCV(model(), criterion="youden", cv=FOLDS).fit(X, Y)
    own = [optimal_threshold(*pair).threshold for pair in fold_scores(model(), X, Y, FOLDS)]
    np.testing.assert_array_equal(found.thresholds_by_fold_, own)
    assert found.threshold_mean_ == pytest.approx(np.mean(own), rel=1e-12)
    assert found.threshold_std_ == pytest.approx(np.std(own), rel=1e-12)


def test_a_constraint_holds_on_the_mean_over_folds():
    pairs = list(fold_scores(model(), X, Y, FOLDS))
    found = ThresholdOptimizerCV(
        model(), criterion="recall", constraint=("specificity", ">=", 0.95), cv=FOLDS
    ).fit(X, Y)
    specificity = skmetrics_ext.specificity_score
    assert mean_at(pairs, found.best_threshold_, specificity) >= 0.95 - 1e-12
    every = np.unique(np.concatenate([score for _, score in pairs]))
    kept = [t for t in every if mean_at(pairs, t, specificity) >= 0.95 - 1e-12]
    best = max(mean_at(pairs, t, recall_score) for t in kept)
    assert found.best_score_ == pytest.approx(best, rel=1e-12)
    with pytest.raises(ValueError, match=r"No threshold keeps .* best attainable"):
        ThresholdOptimizerCV(
            DummyClassifier(), criterion="recall", constraint=("precision", ">=", 0.99)
        ).fit(X, Y)


def test_a_fold_without_a_choice_of_its_own():
    class Fold(BaseEstimator, ClassifierMixin):
        """Scores are the first column."""

        def fit(self, data, y):
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, data):
            return np.column_stack([1 - data[:, 0], data[:, 0]])

    data = np.array([0.9, 0.8, 0.7, 0.1, 0.9, 0.2, 0.1, 0.05])[:, None]
    y = np.array([0, 0, 1, 1, 1, 1, 0, 0])
    folds = [(np.arange(8), np.arange(4)), (np.arange(8), np.arange(4, 8))]
    found = ThresholdOptimizerCV(
        Fold(), criterion="recall", constraint=("precision", ">=", 0.6), cv=folds
    )
    found.fit(data, y)
    assert np.isnan(found.thresholds_by_fold_[0])  # precision is at most 1/2 there
    assert found.thresholds_by_fold_[1] == 0.2
    assert found.threshold_mean_ == 0.2
    assert found.threshold_std_ == 0.0


def test_costs_and_the_positive_class():
    found = ThresholdOptimizerCV(
        model(), criterion="expected_cost", cost=(1, 10), pos_label=0, cv=FOLDS
    ).fit(X, Y)
    pairs = list(fold_scores(model(), X, 1 - Y, FOLDS))  # the same folds, classes swapped
    every = np.append(np.inf, np.unique(np.concatenate([score for _, score in pairs])))
    costs = [
        np.mean([((y == 0) & (s >= t)).mean() + 10 * ((y == 1) & (s < t)).mean() for y, s in pairs])
        for t in every
    ]
    assert found.best_score_ == pytest.approx(min(costs), rel=1e-9)
    score = found.estimator_.predict_proba(X)[:, 0]
    np.testing.assert_array_equal(found.predict(X) == 0, score >= found.best_threshold_)


# --------------------------------------------------------------------------- several classes


def test_several_classes_have_a_threshold_each():
    found = ThresholdOptimizerCV(model(), criterion="f1", cv=FOLDS).fit(IRIS, SPECIES)
    for k in range(3):
        pairs = [
            ((true == k).astype(int), score)
            for true, score in fold_scores(model(), IRIS, SPECIES, FOLDS, k)
        ]
        every = np.unique(np.concatenate([score for _, score in pairs]))[::-1]
        means = np.array([mean_at(pairs, t, f1_score) for t in every])
        assert found.best_threshold_[k] == every[np.flatnonzero(means >= means.max() - 1e-12)[0]]
    assert found.thresholds_by_fold_.shape == (4, 3)
    assert found.threshold_std_.shape == (3,)
    excess = found.predict_proba(IRIS) - found.best_threshold_
    np.testing.assert_array_equal(found.predict(IRIS), excess.argmax(axis=1))
    with pytest.raises(ValueError, match="prevalence and pos_label"):
        ThresholdOptimizerCV(model(), pos_label=1).fit(IRIS, SPECIES)


def test_a_class_never_worth_predicting():
    found = ThresholdOptimizerCV(model(), cv=FOLDS).fit(IRIS, SPECIES)
    found.best_threshold_ = np.array([np.inf, 0.2, 0.2])
    assert set(found.predict(IRIS)) == {1, 2}
    found.best_threshold_ = np.full(3, np.inf)
    np.testing.assert_array_equal(found.predict(IRIS), found.estimator_.predict(IRIS))


def test_a_class_missing_from_a_training_fold():
    y, folds = np.repeat([0, 1, 2], 50), KFold(3)
    found = ThresholdOptimizerCV(model(), criterion="accuracy", cv=folds).fit(IRIS, y)
    assert np.isfinite(found.best_score_)
    ridge = ThresholdOptimizerCV(RidgeClassifier(), cv=folds)
    with pytest.raises(ValueError, match="A fold has no training row of the classes"):
        ridge.fit(IRIS, y)


# --------------------------------------------------------------------------- how it is fitted


def test_prefit():
    fitted = model().fit(X[:100], Y[:100])
    found = ThresholdOptimizerCV(fitted, cv="prefit", refit=False).fit(X[100:], Y[100:])
    assert found.estimator_ is fitted
    expected = optimal_threshold(
        Y[100:], fitted.predict_proba(X[100:])[:, 1], criterion="balanced_accuracy"
    )
    assert found.best_threshold_ == expected.threshold
    assert found.best_score_ == pytest.approx(expected.value)
    with pytest.raises(ValueError, match="refit cannot be True"):
        ThresholdOptimizerCV(fitted, cv="prefit").fit(X, Y)
    with pytest.raises(NotFittedError, match="must be fitted"):
        ThresholdOptimizerCV(model(), cv="prefit", refit=False).fit(X, Y)
    with pytest.raises(ValueError, match="classes that the estimator was not fitted to"):
        ThresholdOptimizerCV(fitted, cv="prefit", refit=False).fit(X, Y + 1)


def test_one_split():
    found = ThresholdOptimizerCV(model(), cv=0.3, refit=False, random_state=1).fit(X, Y)
    again = ThresholdOptimizerCV(model(), cv=0.3, refit=False, random_state=1).fit(X, Y)
    assert found.best_threshold_ == again.best_threshold_
    assert found.thresholds_by_fold_.shape == (1,)
    assert found.estimator_.class_count_.sum() == pytest.approx(len(Y) * 0.7, abs=1)
    refitted = ThresholdOptimizerCV(model(), cv=0.3, random_state=1).fit(X, Y)
    assert refitted.estimator_.class_count_.sum() == len(Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"refit": False}, "refit cannot be False"),
        ({"cv": 1.5}, "float cv"),
        ({"cv": "loo"}, "cv has to be folds or 'prefit'"),
        ({"response_method": "predict"}, "response_method has to be one of"),
        ({"criterion": "roc_auc"}, "criterion has to be"),
        ({"pos_label": 7}, "pos_label=7 is not a valid label"),
        ({"prevalence": 0}, "prevalence"),
    ],
)
def test_parameters_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ThresholdOptimizerCV(model(), **options).fit(X, Y)


def test_responses_that_are_no_array_are_refused_by_name():
    class Ragged(GaussianNB):
        def predict_proba(self, X):
            return [[0.5, 0.5]] * (len(X) - 1) + [[1.0]]

    with pytest.raises(ValueError, match="predict_proba is ragged"):
        ThresholdOptimizerCV(Ragged(), response_method="predict_proba").fit(X, Y)


def test_problems_refused():
    with pytest.raises(ValueError, match="Unknown label type"):
        ThresholdOptimizerCV(model()).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="one label a row"):
        ThresholdOptimizerCV(model()).fit(X, np.column_stack([Y, 1 - Y]))
    with pytest.raises(NotFittedError):
        ThresholdOptimizerCV(model()).predict(X)


def test_decision_values_and_absent_methods():
    found = ThresholdOptimizerCV(RidgeClassifier(), cv=FOLDS).fit(X, Y)
    expected = found.decision_function(X) >= found.best_threshold_
    np.testing.assert_array_equal(found.predict(X), expected)
    assert not hasattr(found, "predict_proba")
    assert not hasattr(ThresholdOptimizerCV(GaussianNB()), "decision_function")
    with pytest.raises(AttributeError, match="none of the following attributes: predict_proba"):
        ThresholdOptimizerCV(RidgeClassifier(), response_method="predict_proba").fit(X, Y)
    both = ThresholdOptimizerCV(
        LogisticRegression(), response_method="decision_function", cv=FOLDS
    ).fit(X, Y)
    np.testing.assert_array_equal(
        both.predict(X), both.decision_function(X) >= both.best_threshold_
    )


def test_weights_are_repeated_rows():
    repeats = np.random.default_rng(0).integers(1, 4, len(Y))
    group = np.arange(len(Y)) % 3
    folds = [(np.flatnonzero(group != k), np.flatnonzero(group == k)) for k in range(3)]
    long = np.repeat(group, repeats)
    long_folds = [(np.flatnonzero(long != k), np.flatnonzero(long == k)) for k in range(3)]
    weighted = ThresholdOptimizerCV(model(), criterion="f1", cv=folds)
    weighted.fit(X, Y, sample_weight=repeats)
    repeated = ThresholdOptimizerCV(model(), criterion="f1", cv=long_folds)
    repeated.fit(np.repeat(X, repeats, axis=0), np.repeat(Y, repeats))
    assert weighted.best_score_ == pytest.approx(repeated.best_score_, rel=1e-9)
    assert weighted.best_threshold_ == pytest.approx(repeated.best_threshold_, rel=1e-4)
    plain = ThresholdOptimizerCV(model(), criterion="f1", cv=folds).fit(X, Y)
    assert plain.best_score_ != pytest.approx(weighted.best_score_, rel=1e-6)


@pytest.mark.parametrize(
    "put",
    [pd.DataFrame, sparse.csr_array, sparse.coo_array, lambda values: values.tolist()],
    ids=["pandas", "csr", "coo", "list"],
)
def test_containers(put):
    estimator = LogisticRegression()
    plain = ThresholdOptimizerCV(estimator, cv=FOLDS).fit(X, Y)
    found = ThresholdOptimizerCV(estimator, cv=FOLDS).fit(put(X), pd.Series(Y))
    assert found.best_threshold_ == pytest.approx(plain.best_threshold_, rel=1e-2)
    assert found.n_features_in_ == 4


def test_text_labels_and_names_of_features():
    frame = pd.DataFrame(X, columns=list("abcd"))
    names = np.array(["ill", "well"])[Y]
    found = ThresholdOptimizerCV(model(), cv=FOLDS).fit(frame, names)
    assert found.classes_.tolist() == ["ill", "well"]
    assert found.feature_names_in_.tolist() == list("abcd")
    plain = ThresholdOptimizerCV(model(), cv=FOLDS).fit(X, Y)
    assert found.best_threshold_ == plain.best_threshold_
    np.testing.assert_array_equal(found.predict(frame) == "well", plain.predict(X) == 1)
    assert found.score(frame, names) == pytest.approx(np.mean(found.predict(frame) == names))


def test_a_criterion_of_one_class_asks_which_it_is():
    names = np.array(["ill", "well"])[Y]
    asks = "needs a positive class: pass pos_label='well' or pos_label='ill'"
    of_one = {"criterion": "f1"}, {"constraint": ("recall", ">=", 0.1)}, {"prevalence": 0.3}
    for options in of_one:
        with pytest.raises(ValueError, match=asks):
            ThresholdOptimizerCV(model(), cv=FOLDS, **options).fit(X, names)
    for labels in ((1, 2), ("a", "b")):
        named = ThresholdOptimizerCV(model(), criterion="f1", cv=FOLDS, pos_label=labels[1])
        plain = ThresholdOptimizerCV(model(), criterion="f1", cv=FOLDS).fit(X, Y)
        assert named.fit(X, np.array(labels)[Y]).best_score_ == plain.best_score_
    for criterion in ("youden", "f1_macro", "markedness"):  # the same for both classes
        ThresholdOptimizerCV(model(), criterion=criterion, cv=FOLDS).fit(X, names)


# --------------------------------------------------------------------------- in scikit-learn


def test_clone_pickle_and_search():
    found = ThresholdOptimizerCV(model(), criterion="f1", cv=FOLDS, n_jobs=1).fit(X, Y)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    assert not hasattr(clone(found), "best_threshold_")
    pipeline = make_pipeline(StandardScaler(), ThresholdOptimizerCV(model(), cv=FOLDS))
    assert cross_val_score(pipeline, X, Y, cv=3).min() > 0.5
    search = GridSearchCV(
        ThresholdOptimizerCV(model(), cv=FOLDS),
        {"criterion": ["f1", "youden"], "estimator__var_smoothing": [1e-9, 1e-3]},
        scoring=skmetrics_ext.get_scorer("f1"),
        cv=3,
    ).fit(X, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_processes_agree():
    one = ThresholdOptimizerCV(model(), cv=FOLDS).fit(X, Y)
    two = ThresholdOptimizerCV(model(), cv=FOLDS, n_jobs=2).fit(X, Y)
    assert one.best_threshold_ == two.best_threshold_


def test_groups_reach_the_splitter():
    groups = np.arange(len(Y)) % 5
    by_name = ThresholdOptimizerCV(model(), cv=GroupKFold(5)).fit(X, Y, groups=groups)
    folds = list(GroupKFold(5).split(X, Y, groups))
    assert (
        by_name.best_threshold_ == ThresholdOptimizerCV(model(), cv=folds).fit(X, Y).best_threshold_
    )
    with config_context(enable_metadata_routing=True):
        routed = ThresholdOptimizerCV(model(), cv=GroupKFold(5)).fit(X, Y, groups=groups)
    assert routed.best_threshold_ == by_name.best_threshold_


def test_routing_of_weights():
    weight = np.where(Y == 1, 1.0, 50.0)
    options = {"criterion": "accuracy", "cv": FOLDS}
    both = ThresholdOptimizerCV(model(), **options).fit(X, Y, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        asks = model().set_fit_request(sample_weight=True)
        silent = model().set_fit_request(sample_weight=False)
        all_ask = ThresholdOptimizerCV(asks, **options).set_fit_request(sample_weight=True)
        assert all_ask.fit(X, Y, sample_weight=weight).best_score_ == both.best_score_
        search_only = ThresholdOptimizerCV(silent, **options).set_fit_request(sample_weight=True)
        search_only.fit(X, Y, sample_weight=weight)
        np.testing.assert_array_equal(
            search_only.estimator_.class_prior_, model().fit(X, Y).class_prior_
        )
        assert search_only.best_score_ > 0.97  # nearly all weight is on one class
        fit_only = ThresholdOptimizerCV(asks, **options).set_fit_request(sample_weight=False)
        fit_only.fit(X, Y, sample_weight=weight)
        np.testing.assert_allclose(
            fit_only.estimator_.class_prior_, model().fit(X, Y, weight).class_prior_
        )
        assert fit_only.best_score_ < search_only.best_score_


@pytest.mark.filterwarnings("ignore")
def test_the_checks_of_scikit_learn():
    expected = {"check_classifiers_train": "predict is not the sign of the decision function"}
    results = check_estimator(
        ThresholdOptimizerCV(GaussianNB(), cv=3),
        expected_failed_checks=expected,
        on_skip=None,
    )
    assert sum(result["status"] == "passed" for result in results) > 40


# They fit classes that are 1 and 2, or text, and no check may pass pos_label.
OF_OTHER_CLASSES = (
    "check_estimators_dtypes",
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_classifier_data_not_an_array",
    "check_classifiers_classes",
    "check_fit2d_1feature",
)


@pytest.mark.filterwarnings("ignore")
def test_the_checks_of_scikit_learn_for_a_criterion_of_one_class():
    """The decision "A threshold for one class asks for it" in docs/decisions.md."""
    asks = dict.fromkeys(OF_OTHER_CLASSES, "f1 needs a positive class")
    expected = {**asks, "check_classifiers_train": "predict is not the sign of the decision"}
    results = check_estimator(
        ThresholdOptimizerCV(GaussianNB(), criterion="f1", cv=3),
        expected_failed_checks=expected,
        on_skip=None,
    )
    assert sum(result["status"] == "passed" for result in results) > 40
    refused = [one["exception"] for one in results if one["check_name"] in asks]
    for error in refused:
        assert "needs a positive class" in str(error) or "pandas.Series" in str(error)
    y = np.array(["one", "two"])[Y]  # what they would pass with
    fitted = ThresholdOptimizerCV(GaussianNB(), criterion="f1", cv=3, pos_label="two").fit(X, y)
    plain = ThresholdOptimizerCV(GaussianNB(), criterion="f1", cv=3).fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(X) == "two", plain.predict(X) == 1)


def test_tags_follow_the_estimator():
    for model in (LogisticRegression(), GaussianNB()):
        own, ours = (
            one.__sklearn_tags__().input_tags for one in (model, ThresholdOptimizerCV(model))
        )
        assert ours.sparse == own.sparse

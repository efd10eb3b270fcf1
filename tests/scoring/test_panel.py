"""ScorerPanel: many metrics from one prediction and one pass, in scikit-learn's tools."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    PredefinedSplit,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from support.compare import undefined_allowed
from support.rows import signature

from scoring.models import bayes, cancer, fitted, iris, logistic
from skmetrics_ext import (
    METRICS,
    ScorerPanel,
    get_scorer,
    get_scorer_names,
    kernels,
    make_scorer,
)

EXACT = {"rtol": 1e-12, "atol": 1e-14}
TWENTY = [
    "roc_auc", "gini", "ks_statistic", "average_precision", "pr_auc", "h_measure", "lift_at_10",
    "accuracy", "balanced_accuracy", "f1", "precision", "recall", "specificity", "f1_macro",
    "matthews_corrcoef", "cohen_kappa", "neg_log_loss", "neg_brier_score", "d2_log_loss_score",
    "neg_expected_calibration_error",
]  # fmt: skip
SEVERAL = [
    "roc_auc_ovr", "roc_auc_ovo", "gini_ovr", "roc_auc_ovr_weighted", "average_precision",
    "pr_auc", "ks_statistic", "gain_capture", "average_precision_weighted", "top_k_accuracy",
    "accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "recall_macro",
    "cohen_kappa", "neg_log_loss", "neg_brier_score", "neg_error_rate",
]  # fmt: skip


def alone(name, model, X, y, **options):
    with undefined_allowed():
        return get_scorer(name)(model, X, y, **options)


@pytest.mark.parametrize(("data", "names"), [(cancer, TWENTY), (iris, SEVERAL)])
@pytest.mark.parametrize("model", [bayes, logistic])
def test_values_are_those_of_the_scorers(data, names, model):
    X, y = data()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    own = model().fit(X, y)
    for options in ({}, {"sample_weight": weight}):
        got = ScorerPanel(names)(own, X, y, **options)
        assert list(got) == names
        for name in names:
            assert type(got[name]) is float
            assert got[name] == pytest.approx(alone(name, own, X, y, **options), rel=1e-13), name


def test_every_name_in_one_panel():
    X, y = cancer()
    of_one_label = [name for name in get_scorer_names() if not METRICS[name].ranks_labels]
    names = [name for name in of_one_label if not name.endswith("_samples")]
    with undefined_allowed():
        got = ScorerPanel(names)(fitted(), X, y)
    for name in names:
        expected = alone(name, fitted(), X, y)
        assert got[name] == pytest.approx(expected, rel=1e-13, nan_ok=True), name


class Counted(ClassifierMixin, BaseEstimator):
    """Counts what is asked of it."""

    def __init__(self, model):
        self.model = model
        self.asked = []

    @property
    def classes_(self):
        return self.model.classes_

    def predict(self, X):
        self.asked.append("predict")
        return self.model.predict(X)

    def predict_proba(self, X):
        self.asked.append("predict_proba")
        return self.model.predict_proba(X)


SORTS = ("rank_table", "pair_wins", "ranked_wins", "ranked_precision", "ranked_steps")


@pytest.fixture
def calls(monkeypatch):
    """How often each kernel is called, with the rows that it was given."""
    counted = {}

    def count(name):
        real = getattr(kernels, name)

        def kernel(*arguments):
            counted.setdefault(name, []).append(len(arguments[0]))
            return real(*arguments)

        monkeypatch.setattr(kernels, name, kernel)

    for name in ("encode", "confusion", "class_counts", *SORTS):
        count(name)
    return counted


def test_two_classes_are_predicted_checked_sorted_and_counted_once(calls):
    X, y = cancer()
    model = Counted(fitted())
    ScorerPanel(TWENTY)(model, X, y)
    assert sorted(model.asked) == ["predict", "predict_proba"]
    assert calls["rank_table"] == [len(y)]
    assert len(calls.get("confusion", [])) + len(calls.get("class_counts", [])) <= 2
    assert "pair_wins" not in calls
    many = {name: len(rows) for name, rows in calls.items()}
    calls.clear()
    for name in TWENTY:
        get_scorer(name)(model, X, y)
    assert sum(len(calls.get(name, [])) for name in SORTS) >= 7
    assert len(calls["encode"]) > 5 * many["encode"]


def test_three_classes_are_sorted_once_for_each_use(calls):
    X, y = iris()
    model = Counted(bayes().fit(X, y))
    ScorerPanel(SEVERAL)(model, X, y)
    assert sorted(model.asked) == ["predict", "predict_proba"]
    assert len(calls["pair_wins"]) == 1  # areas of all pairs
    assert len(calls["rank_table"]) == 3  # each class against the rest


def test_decision_function_and_probabilities_are_asked_for_once():
    X, y = cancer()
    model = logistic().fit(X, y)
    got = ScorerPanel(["roc_auc", "gini", "neg_log_loss", "f1"])(model, X, y)
    assert got["gini"] == 2 * got["roc_auc"] - 1


def test_an_undefined_metric_is_nan_with_its_reason():
    X, y = iris()
    model = bayes().fit(X[y < 2], y[y < 2])
    panel = ScorerPanel(["roc_auc_ovr", "accuracy", "neg_log_loss"])
    with pytest.warns(UndefinedMetricWarning, match=r"nan for roc_auc_ovr: .*never saw"):
        got = panel(model, X, y)
    assert np.isnan(got["roc_auc_ovr"])
    assert got["accuracy"] == pytest.approx(2 / 3, abs=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = panel.evaluate(model, X, y)
    assert set(result.reasons) == {"roc_auc_ovr"}
    assert result.values["neg_log_loss"] < -10


def test_a_prediction_that_fails_keeps_the_keys():
    class Broken(Counted):
        def predict_proba(self, X):
            self.asked.append("predict_proba")
            raise RuntimeError("out of memory")

    X, y = cancer()
    model = Broken(fitted())
    with pytest.warns(UndefinedMetricWarning, match="RuntimeError: out of memory"):
        got = ScorerPanel(["roc_auc", "neg_log_loss", "accuracy"])(model, X, y)
    assert list(got) == ["roc_auc", "neg_log_loss", "accuracy"]
    assert np.isnan([got["roc_auc"], got["neg_log_loss"]]).all()
    assert got["accuracy"] > 0.8
    assert model.asked.count("predict_proba") == 1
    with pytest.raises(RuntimeError, match="out of memory"):
        ScorerPanel(["roc_auc"], on_error="raise")(model, X, y)


def test_missing_raise_raises():
    X, y = iris()
    model = bayes().fit(X, y)
    with pytest.raises(ValueError, match=r"classes without rows: \[2\]"):
        ScorerPanel(["roc_auc_ovr"], missing="raise")(model, X[y < 2], y[y < 2])
    with pytest.warns(UndefinedMetricWarning, match=r"classes without rows: \[2\]"):
        got = ScorerPanel(["roc_auc_ovr"], missing="nan")(model, X[y < 2], y[y < 2])
    assert np.isnan(got["roc_auc_ovr"])


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600:, 20:50], np.array([f"digit {k}" for k in y[:600]])


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_search_on_ten_classes_of_text(search):
    X, y = digits()
    panel = ScorerPanel(["roc_auc_ovr", "accuracy", "f1_macro", "neg_log_loss"])
    more = {"n_iter": 2, "random_state": 0} if search is RandomizedSearchCV else {}
    found = search(
        GaussianNB(), {"var_smoothing": [1.0, 1e-3]}, scoring=panel, refit="roc_auc_ovr", cv=3,
        n_jobs=2, **more,
    ).fit(X, y)  # fmt: skip
    results = found.cv_results_
    assert found.best_score_ == results["mean_test_roc_auc_ovr"].max()
    for name in ("roc_auc_ovr", "accuracy", "f1_macro", "neg_log_loss"):
        theirs = cross_val_score(found.best_estimator_, X, y, scoring=name, cv=3).mean()
        assert results[f"mean_test_{name}"][found.best_index_] == pytest.approx(theirs, rel=1e-9)
    assert found.score(X, y) == panel(found.best_estimator_, X, y)["roc_auc_ovr"]
    copied = pickle.loads(pickle.dumps(found))
    assert copied.score(X, y) == found.score(X, y)
    assert clone(found).get_params()["scoring"].names == panel.names


def test_halving_search_takes_one_of_the_panel():
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    X, y = cancer()
    single = ScorerPanel(["roc_auc", "f1"]).single("roc_auc")
    grid = {"var_smoothing": [1e-9, 1.0, 100.0]}
    options = {"cv": 3, "random_state": 0, "min_resources": 60}
    ours = HalvingGridSearchCV(bayes(), grid, scoring=single, **options).fit(X, y)
    theirs = HalvingGridSearchCV(bayes(), grid, scoring="roc_auc", **options).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)


def test_groups():
    X, y = cancer()
    groups = np.arange(len(y)) // 7
    got = cross_validate(
        bayes(), X, y, groups=groups, cv=GroupKFold(3), scoring=ScorerPanel(["roc_auc", "f1"])
    )
    for name in ("roc_auc", "f1"):
        theirs = cross_val_score(bayes(), X, y, groups=groups, cv=GroupKFold(3), scoring=name)
        np.testing.assert_allclose(got[f"test_{name}"], theirs, **EXACT)


def test_weights_through_routing_in_a_search():
    X, y = cancer()
    weight = np.random.default_rng(0).random(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        panel = ScorerPanel(["roc_auc", "f1"]).set_score_request(sample_weight=True)
        grid = {"var_smoothing": [1e-9, 0.1]}
        ours = GridSearchCV(model, grid, scoring=panel, refit="roc_auc", n_jobs=2)
        ours.fit(X, y, sample_weight=weight)
        theirs = sklearn.metrics.get_scorer("roc_auc").set_score_request(sample_weight=True)
        right = GridSearchCV(model, grid, scoring=theirs).fit(X, y, sample_weight=weight)
        key = "mean_test_{}".format
        np.testing.assert_allclose(
            ours.cv_results_[key("roc_auc")], right.cv_results_[key("score")], **EXACT
        )
        with pytest.raises(ValueError, match=r"sample_weight.*ScorerPanel"):
            GridSearchCV(model, grid, scoring=ScorerPanel(["f1"]), refit="f1").fit(
                X, y, sample_weight=weight
            )


def test_a_fold_with_a_missing_class():
    X, y = iris()
    fold = np.arange(len(y)) % 3
    fold[(y == 2) & (fold == 0)] = 1
    panel = ScorerPanel(["roc_auc_ovr", "neg_log_loss", "f1_macro", "top_k_accuracy"])
    got = cross_validate(bayes(), X, y, cv=PredefinedSplit(fold), scoring=panel)
    for name in panel.names:
        assert np.isfinite(got[f"test_{name}"]).all()


def test_text_has_no_positive_class_by_itself():
    X, y = cancer()
    names = ["average_precision", "f1", "lift_at_10", "recall"]
    expected = ScorerPanel(names)(fitted(), X, y)
    for negative, positive in (("no", "yes"), ("well", "ill"), ("a", "b")):
        text = np.where(y == 1, positive, negative)
        model = bayes().fit(X, text)
        for name in names:
            with pytest.raises(ValueError, match=f"pos_label='{positive}'"):
                get_scorer(name)(model, X, text)
        with pytest.warns(UndefinedMetricWarning, match="pos_label="):
            assert np.isnan([*ScorerPanel(names)(model, X, text).values()]).all()
        got = ScorerPanel(names, pos_label=positive)(model, X, text)
        assert got == pytest.approx(expected, rel=1e-12)
        either = ScorerPanel(["roc_auc", "gini", "neg_log_loss", "accuracy", "neg_brier_score"])
        assert either(model, X, text) == pytest.approx(either(fitted(), X, y), rel=1e-12)


def test_the_sides_of_a_metric_are_those_that_its_row_says():
    X, y = cancer()
    seen = set()
    for name in get_scorer_names():
        spec = METRICS[name]
        params = spec.scorers.get(name, {})
        is_averaged = spec.response == "labels" and params.get("average", "binary") != "binary"
        if spec.sides == "none" or is_averaged or "pos_label" not in signature(spec):
            continue
        sides = "one" if params.keys() & set(spec.one_sided_params) else spec.sides
        values = [get_scorer(name, pos_label=k)(fitted(), X, y) for k in (0, 1)]
        same = values[0] == pytest.approx(values[1], rel=1e-9)
        assert same == (sides == "either"), name
        seen.add(sides)
    assert seen == {"one", "either"}


def test_classes_1_and_2_have_no_positive_class_for_any_metric_of_one():
    X, y = cancer()
    y = 2 - y
    model = bayes().fit(X, y)
    names = ["f1", "average_precision", "precision", "recall"]
    for name in names:
        with pytest.raises(ValueError, match="needs a positive class: pass pos_label=2 or pos_l"):
            get_scorer(name)(model, X, y)
    got = ScorerPanel([*names, "roc_auc"], pos_label=1)(model, X, y)
    for name, value in got.items():  # scikit-learn's scorers are of class 1
        theirs = sklearn.metrics.get_scorer(name)(model, X, y)
        assert value == pytest.approx(theirs, rel=1e-12), name


def test_callables_and_scorers_of_scikit_learn():
    X, y = cancer()
    share = make_scorer(lambda y_true, y_pred: np.mean(y_pred))
    panel = ScorerPanel(
        {"share": share, "theirs": sklearn.metrics.get_scorer("roc_auc"), "ours": "roc_auc"}
    )
    got = panel(fitted(), X, y)
    assert got["theirs"] == pytest.approx(got["ours"], rel=1e-12)
    assert got["share"] == fitted().predict(X).mean()
    assert ScorerPanel(["f1", get_scorer("f1"), get_scorer("f1", pos_label=0)]).names == (
        "f1", "f1_2", "f1_3",
    )  # fmt: skip
    with pytest.warns(UserWarning, match="'share' takes no sample_weight"):
        panel(fitted(), X, y, sample_weight=np.ones(len(y)))


def test_multilabel():
    X, y = make_multilabel_classification(80, random_state=0)
    model = KNeighborsClassifier().fit(X[:40], y[:40])
    names = ["f1_macro", "f1_micro", "accuracy", "average_precision", "roc_auc", "f1_samples"]
    with undefined_allowed():
        got = ScorerPanel(names)(model, X[40:], y[40:])
    for name in names:
        with undefined_allowed():
            theirs = sklearn.metrics.get_scorer(name)(model, X[40:], y[40:])
        assert got[name] == pytest.approx(theirs, rel=1e-12), name


def test_an_output_that_was_always_0_in_training():
    """Its predict_proba has the one column of class 0, which is not the score of 1."""
    X, y = make_multilabel_classification(80, n_classes=3, random_state=0)
    y[:40, 1] = 0
    model = KNeighborsClassifier().fit(X[:40], y[:40])
    got = get_scorer("roc_auc")(model, X[40:], y[40:])
    proba = model.predict_proba(X[40:])
    first, last = (sklearn.metrics.roc_auc_score(y[40:, k], proba[k][:, 1]) for k in (0, 2))
    assert got == pytest.approx(np.mean([first, 0.5, last]), rel=1e-12)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="Did you mean 'gini'"):
        ScorerPanel(["ginni"])
    with pytest.raises(ValueError, match="empty"):
        ScorerPanel([])
    with pytest.raises(TypeError, match="must be a name or a callable"):
        ScorerPanel([3])
    with pytest.raises(ValueError, match=r"'f1' is not a metric of this panel: roc_auc"):
        ScorerPanel(["roc_auc"]).single("f1")


def test_a_value_for_each_class_is_no_number():
    X, y = cancer()
    panel = ScorerPanel({"each": get_scorer("f1", average=None), "f1": "f1"})
    found = panel.evaluate(fitted(), X, y)
    assert np.isnan(found.values["each"])
    assert "one number, got 2 values" in found.reasons["each"]
    assert found.values["f1"] > 0.9


def test_top_k_of_a_class_never_seen_is_a_miss():
    X, y = iris()
    model = LogisticRegression(max_iter=500).fit(X[y != 1], y[y != 1])
    got = get_scorer("top_k_accuracy", k=1)(model, X, y)
    assert got == np.mean(model.predict(X) == y)
    assert get_scorer("top_k_accuracy", k=2)(model, X, y) == pytest.approx(np.mean(y != 1))


def test_one_class_against_rows_never_seen_counts_them_as_others():
    X, y = cancer()
    model = fitted()
    y = np.where((y == 0) & (np.arange(len(y)) % 3 == 0), 5, y)
    got = ScorerPanel(["recall", "precision"])(model, X, y)
    pred = model.predict(X)
    assert got["recall"] == pytest.approx(np.mean(pred[y == 1] == 1))
    assert got["precision"] == pytest.approx(np.mean(y[pred == 1] == 1))


def marked(y, value):
    """Labels as floats with one of them replaced."""
    return np.where(np.arange(len(y)) == 3, value, y.astype(float))


# True labels and weights that no metric can read.
INVALID_ROWS = {
    "missing label": lambda y: (marked(y, np.nan), None),
    "infinite label": lambda y: (marked(y, np.inf), None),
    "bytes": lambda y: (y.astype("S1"), None),
    "marks -1 and 1": lambda y: (np.where(np.column_stack([y, 1 - y]) == 1, 1, -1), None),
    "a row too few": lambda y: (y[:-1], None),
    "negative weight": lambda y: (y, marked(y, -1.0)),
    "missing weight": lambda y: (y, marked(y, np.nan)),
    "a weight too few": lambda y: (y, np.ones(len(y) - 1)),
    "weights of 0": lambda y: (y, np.zeros(len(y))),
}


@pytest.mark.parametrize("rows", INVALID_ROWS.values(), ids=INVALID_ROWS)
def test_rows_that_no_metric_can_read_are_an_error_of_the_panel_too(rows):
    """nan is for a metric that fails; a search would take nan of every candidate for a score."""
    X, y = cancer()
    y_true, weight = rows(y)
    for name in get_scorer_names():
        scorer = get_scorer(name)
        if weight is not None and not scorer._accept_sample_weight():
            continue
        if METRICS[name].ranks_labels:  # it reads grades, which may be negative
            continue
        with pytest.raises(ValueError):
            scorer(fitted(), X, y_true, sample_weight=weight)
        with pytest.raises(ValueError):
            ScorerPanel([name])(fitted(), X, y_true, sample_weight=weight)


@pytest.mark.parametrize("labels", [csr_array([[0, 1]]), "ab", [[0, 1]], [], [None, 1]], ids=str)
def test_labels_that_are_no_list_are_refused_where_the_scorer_is_made(labels):
    specs = [METRICS[name] for name in get_scorer_names()]
    functions = {spec.function for spec in specs if "labels" in signature(spec)}
    assert len(functions) > 30
    for function in functions:
        for make in (get_scorer, make_scorer):
            with pytest.raises(ValueError, match="labels"):
                make(function, labels=labels)

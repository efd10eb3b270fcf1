"""What a scorer knows that a metric does not: the classes of the model, by name."""

import numpy as np
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score, cross_validate
from support.compare import undefined_allowed
from support.stored import Stored

from scoring.models import Fixed, bayes, cancer, iris
from skmetrics_ext import ScorerPanel, get_scorer, log_loss, roc_auc_score

P = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
EPS = np.finfo(np.float64).eps


def test_a_class_never_seen_has_probability_0():
    """Trained on {0, 1}, tested on {0, 2}: scikit-learn reads column 1 as class 2."""
    X, y = iris()
    model = bayes().fit(X[y < 2], y[y < 2])
    rows = y != 1
    p = np.clip(model.predict_proba(X[rows])[:, 0], EPS, 1 - EPS)
    by_hand = np.where(y[rows] == 0, -np.log(p), -np.log(EPS)).mean()
    with pytest.warns(UndefinedMetricWarning, match=r"never saw .* \[2\]: .* clipped to 2\.22e-16"):
        got = get_scorer("neg_log_loss")(model, X[rows], y[rows])
    assert got == pytest.approx(-by_hand, rel=1e-12)
    brier = get_scorer("neg_brier_score")(model, X[rows], y[rows])  # 0 is a number like others
    assert np.isfinite(brier)
    positional = sklearn.metrics.get_scorer("neg_log_loss")(model, X[rows], y[rows])
    assert positional > -1 > -17 > -by_hand


def test_an_area_of_a_class_never_seen_is_undefined():
    X, y = iris()
    model = bayes().fit(X[y < 2], y[y < 2])
    rows = y != 1
    for name in ("roc_auc_ovr", "roc_auc", "gini_ovo"):
        with pytest.warns(UndefinedMetricWarning, match=r"never saw the classes \[2\]"):
            assert np.isnan(get_scorer(name)(model, X[rows], y[rows]))


def test_a_class_without_rows_leaves_the_average():
    """Trained on {a, b, c}, tested on {a, b}: the mean over the classes that can be judged."""
    y = np.array(["a", "b", "a", "b", "b"])
    with undefined_allowed():
        got = get_scorer("roc_auc_ovr")(Fixed(("a", "b", "c")), P, y)
    areas = [roc_auc_score(y == name, P[:, k]) for k, name in enumerate("ab")]
    assert got == pytest.approx(np.mean(areas), rel=1e-12)
    loss = get_scorer("neg_log_loss")(Fixed(("a", "b", "c")), P, y)
    assert loss == pytest.approx(np.log(P[range(5), (y == "b").astype(int)]).mean(), rel=1e-12)


@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovo", "neg_log_loss"])
def test_what_to_do_about_missing_classes_may_be_chosen(name):
    y = np.array(["a", "b", "a", "b", "b"])
    model = Fixed(("a", "b", "c"))
    with pytest.warns(UndefinedMetricWarning, match=r"classes without rows: \['c'\]"):
        assert np.isnan(get_scorer(name, missing="nan")(model, P, y))
    with pytest.raises(ValueError, match=r"classes never seen in training: \[\].*\['c'\]"):
        get_scorer(name, missing="raise")(model, P, y)
    everything = np.array(["a", "b", "c", "b", "c"])
    same = [get_scorer(name, missing=m)(model, P, everything) for m in ("align", "nan", "raise")]
    assert len(set(same)) == 1


@pytest.mark.parametrize("name", ["neg_log_loss", "roc_auc_ovr", "roc_auc_ovo_weighted"])
def test_classes_in_any_order(name):
    """Columns are matched with classes by name, sorted or not."""
    y = np.array(["a", "b", "c", "b", "c"])
    expected = get_scorer(name)(Fixed(("a", "b", "c")), P, y)
    order = [2, 0, 1]
    shuffled = Fixed(tuple(np.array(["a", "b", "c"])[order]))
    assert get_scorer(name)(shuffled, P[:, order], y) == pytest.approx(expected, rel=1e-12)


def test_binary_classes_that_are_not_sorted():
    y = np.array(["yes", "no", "yes", "no", "yes"])
    proba = np.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5], [0.9, 0.1]])
    model = Fixed(("yes", "no"))
    got = get_scorer("neg_log_loss")(model, proba, y)
    assert got == pytest.approx(np.log([0.8, 0.7, 0.6, 0.5, 0.9]).mean(), rel=1e-12)
    # classes_[1] is the positive class unless another is named.
    assert get_scorer("roc_auc")(model, proba, y) == 1.0
    assert get_scorer("roc_auc", pos_label="yes")(model, proba, y) == 1.0
    assert get_scorer("gini", pos_label="yes")(model, 1 - proba, y) == -1.0
    with pytest.raises(ValueError, match=r"pos_label='maybe'.*\['yes' 'no'\]"):
        get_scorer("roc_auc", pos_label="maybe")(model, proba, y)


def test_text_labels():
    X, y = cancer()
    text = np.where(y == 1, "well", "ill")
    for name in ("roc_auc", "neg_log_loss", "accuracy", "f1_macro"):
        by_text = cross_val_score(bayes(), X, text, scoring=get_scorer(name))
        by_number = cross_val_score(bayes(), X, y, scoring=get_scorer(name))
        np.testing.assert_allclose(by_text, by_number, rtol=1e-12)
    for label, code in (("well", 1), ("ill", 0)):
        by_text = cross_val_score(bayes(), X, text, scoring=get_scorer("f1", pos_label=label))
        by_number = cross_val_score(bayes(), X, y, scoring=get_scorer("f1", pos_label=code))
        np.testing.assert_allclose(by_text, by_number, rtol=1e-12)


def test_several_positive_classes_in_one_panel():
    """scikit-learn caches predictions by method only; scorers of ours select for themselves."""
    X, y = cancer()
    names = {"0": get_scorer("gini", pos_label=0), "1": get_scorer("gini", pos_label=1)}
    names |= {f"f1 {k}": get_scorer("f1", pos_label=k) for k in (0, 1)}
    together = cross_validate(bayes(), X, y, scoring=names)
    for key, scorer in names.items():
        alone = cross_val_score(bayes(), X, y, scoring=scorer)
        np.testing.assert_array_equal(together[f"test_{key}"], alone)
    # Turned round, the Gini of the other class is the same; F1 is not.
    np.testing.assert_allclose(together["test_0"], together["test_1"], rtol=1e-12)
    assert (together["test_f1 0"] != together["test_f1 1"]).any()


def test_a_fold_without_a_class_does_not_spoil_a_search():
    """scikit-learn's fold is nan, so is the mean of every candidate, and the first one wins."""
    X, y = iris()
    fold = np.where((y == 2) & (np.arange(len(y)) % 2 == 0), 1, np.arange(len(y)) % 3)
    fold[(y == 2) & (fold == 0)] = 2
    assert set(y[fold == 0]) == {0, 1}
    search = GridSearchCV(
        bayes(),
        {"var_smoothing": [1e3, 1e-9]},
        scoring=get_scorer("roc_auc_ovr"),
        cv=PredefinedSplit(fold),
    )
    with undefined_allowed():
        search.fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_the_same_as_calling_the_metric():
    y = np.array(["a", "b", "c", "b", "c"])
    weight = np.array([1.0, 2.0, 0.5, 1.0, 3.0])
    model = Fixed(("a", "b", "c"))
    got = get_scorer("neg_log_loss")(model, P, y, sample_weight=weight)
    assert got == -log_loss(y, P, sample_weight=weight)
    got = get_scorer("roc_auc_ovo")(model, P, y, sample_weight=weight)
    assert got == roc_auc_score(y, P, sample_weight=weight, multi_class="ovo")


def test_decision_values_are_read_first_where_their_sign_matters():
    """Of three classes other metrics read probabilities: decision values may be of pairs."""
    classes, y = np.arange(3), np.array([0, 1, 2])
    right = np.eye(3)
    model = Stored(classes, {"decision_function": 4 * right - 2, "predict_proba": right[::-1]})
    assert get_scorer("neg_hinge_loss")(model, None, y) == 0
    assert get_scorer("roc_auc_ovr")(model, None, y) == (1 / 4 + 1 + 1 / 4) / 3
    model = Stored(np.arange(2), {"decision_function": np.array([1, -1]),
                                  "predict_proba": right[:2, :2]})  # fmt: skip
    assert get_scorer("roc_auc")(model, None, np.array([0, 1])) == 0


def test_an_output_without_a_negative_row_leaves_the_average_of_outputs():
    proba = np.array([[0.9, 0.8, 0.1], [0.7, 0.1, 0.6], [0.6, 0.2, 0.3]])
    model = Stored([np.arange(2)] * 3, {"predict_proba": proba})
    y = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0]])
    assert get_scorer("roc_auc_ovr")(model, None, y) == 1


def test_an_output_without_a_row_leaves_the_average_of_precisions():
    """Its average precision is 0 by convention."""
    proba = np.array([[0.9, 0.8], [0.7, 0.1], [0.2, 0.9]])
    model = Stored([np.arange(2)] * 2, {"predict_proba": proba})
    assert get_scorer("average_precision")(model, None, np.array([[1, 0], [1, 0], [0, 0]])) == 1


def test_sums_are_in_the_units_of_tiny_weights():
    """Weights of means may be rescaled, those of sums not."""
    model, tiny = Stored(np.arange(2), {"predict": np.array([1, 1, 0])}), 2.0**-300
    scorer = get_scorer("neg_zero_one_loss", normalize=False)
    assert scorer(model, None, np.array([0, 0, 0]), np.full(3, tiny)) == -2 * tiny


def test_integers_beyond_floats_rank_a_class_that_the_model_never_saw_last():
    score = np.array([[2**60, 2**60 + 1]] * 3)
    model = Stored(np.arange(2), {"decision_function": score})
    y = np.array([2, 0, 0])
    assert get_scorer("top_k_accuracy", k=2)(model, None, y) == 2 / 3


def pair_area(score, first, second):
    """Share of pairs of rows, one of each class, that the scores have in order."""
    return np.mean(np.sign(score[first][:, None] - score[second]) / 2 + 0.5)


@pytest.mark.parametrize("lacking", [0, 1, 2])
def test_a_class_without_rows_leaves_the_average_of_pairs(lacking):
    """One pair of three is left, each of whose two columns tells its classes apart."""
    classes = np.array(["a", "b", "c"])
    one, other = (k for k in range(3) if k != lacking)
    code = np.array([one, other, one, other, other])
    areas = [pair_area(P[:, k], code == k, code != k) for k in (one, other)]
    model = Stored(classes, {"predict_proba": P})
    got = get_scorer("roc_auc_ovo")(model, None, classes[code])
    assert got == pytest.approx(np.mean(areas), rel=1e-12)
    assert get_scorer("gini_ovo")(model, None, classes[code]) == pytest.approx(2 * got - 1)


@pytest.mark.parametrize("lacking", [0, 1, 2])
def test_a_class_without_rows_leaves_the_average_of_precisions(lacking):
    """Its average precision is 0 by convention, where scikit-learn counts it."""
    classes = np.arange(3)
    one, other = (k for k in range(3) if k != lacking)
    code = np.array([one, other, one, other, other])
    alone = [sklearn.metrics.average_precision_score(code == k, P[:, k]) for k in (one, other)]
    model = Stored(classes, {"predict_proba": P})
    got = get_scorer("average_precision")(model, None, code)
    assert got == pytest.approx(np.mean(alone), rel=1e-12)


@pytest.mark.parametrize("name", ["neg_brier_score", "neg_log_loss", "d2_log_loss_score"])
def test_losses_of_outputs_are_refused(name):
    """Their functions keep scikit-learn's number, which is no mean over outputs."""
    marks = np.array([[1, 0, 1], [0, 1, 0], [0, 1, 1]])
    proba = np.array([[0.6, 0.3, 0.2], [0.2, 0.7, 0.4], [0.1, 0.8, 0.9]])
    model = Stored([np.arange(2)] * 3, {"predict_proba": proba})
    with pytest.raises(ValueError, match=r"multilabel-indicator .* one column of both at a time"):
        get_scorer(name)(model, None, marks)
    with pytest.warns(UserWarning, match="sum to one"):
        got = get_scorer("net_benefit_at_20")(model, None, marks)  # pools all decisions
    assert got == pytest.approx((5 - 3 / 4) / 9)


@pytest.mark.parametrize("weight", [None, np.array([1, 2, 0, 4, 3]), np.arange(1, 6) / 8])
@pytest.mark.parametrize("name", ["neg_log_loss", "top_k_accuracy"])
def test_means_and_sums_stand_side_by_side(name, weight):
    y = np.array(["a", "b", "c", "b", "c"])
    model = Stored(np.array(["a", "b", "c"]), {"predict_proba": P})
    options = [{}, {"normalize": True}, {"normalize": False}]
    if name == "top_k_accuracy":
        options = [{**own, "k": 1} for own in options]
    scorers = [get_scorer(name, **own) for own in options]
    total = 5 if weight is None else weight.sum()
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        panel = ScorerPanel({str(k): scorers[k] for k in order})
        got = panel(model, None, y, sample_weight=weight)
        assert got["0"] == got["1"]
        assert got["2"] == pytest.approx(total * got["0"], rel=1e-12)
    plain = -log_loss(y, P, sample_weight=weight)
    if name == "top_k_accuracy":
        plain = np.average(np.array(["a", "b", "c"])[P.argmax(axis=1)] == y, weights=weight)
    assert got["0"] == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("name", ["neg_zero_one_loss", "accuracy"])
def test_counts_and_shares_of_labels_stand_side_by_side(name):
    """Weights of shares may be rescaled, those of counts not."""
    y, tiny = np.array([0, 1, 1]), 2.0**-300
    model = Stored(np.arange(2), {"predict": np.array([1, 1, 0])})
    sign, hits = (-1, 2) if name.startswith("neg_") else (1, 1)
    for options in ({}, {"normalize": True}, {"normalize": False}):
        unit = 3 * tiny if options.get("normalize") is False else 1
        panel = ScorerPanel({"it": get_scorer(name, **options), "share": name})
        for scores in (panel, ScorerPanel(dict(reversed(panel.scorers.items())))):
            got = scores(model, None, y, sample_weight=np.full(3, tiny))
            assert got["it"] == pytest.approx(sign * hits / 3 * unit, rel=1e-14, abs=0)
            assert got["share"] == pytest.approx(sign * hits / 3, rel=1e-14)

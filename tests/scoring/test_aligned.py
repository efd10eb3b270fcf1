"""Responses matched with the classes of a model: which rows, columns and classes are read."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning
from support.stored import Stored

from skmetrics_ext import ScorerPanel, get_scorer, log_loss, make_scorer, roc_auc_score

P = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
EPS = np.finfo(np.float64).eps
ABC = np.array(["a", "b", "c"])


def model(classes, **responses):
    return Stored(np.array(classes), responses)


# --------------------------------------------------------------------------- the positive class

TWO = np.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
# Responses of a model of "no" and "yes", and the scores of both.
OF_TWO = {
    "two columns": ("predict_proba", TWO, TWO.T),
    "a list of rows": ("predict_proba", TWO.tolist(), TWO.T),
    "a frame": ("predict_proba", pd.DataFrame(TWO), TWO.T),
    "decision values": ("decision_function", np.array([-1, 2, 0.5]), [[1, -2, -0.5], [-1, 2, 0.5]]),
    "a list of values": ("decision_function", [-1, 2, 0.5], [[1, -2, -0.5], [-1, 2, 0.5]]),
}


@pytest.mark.parametrize("positive", [None, "no", "yes"])
@pytest.mark.parametrize("what", OF_TWO)
def test_functions_of_the_user_are_given_the_scores_of_one_class(what, positive):
    method, response, (of_no, of_yes) = OF_TWO[what]
    given = []

    def metric(y_true, y_score, **options):
        given.append(np.asarray(y_score))
        return 0.5

    options = {} if positive is None else {"pos_label": positive}
    scorer = make_scorer(metric, response_method=method, **options)
    y = np.array(["no", "yes", "no"])
    assert scorer(model(["no", "yes"], **{method: response}), None, y) == 0.5
    np.testing.assert_array_equal(given[0], of_no if positive == "no" else of_yes)


@pytest.mark.parametrize("classes", [[0, 1], None])
def test_functions_of_the_user_are_given_labels_as_they_are(classes):
    given = []

    def metric(y_true, y_pred, **options):
        given.append(y_pred)
        return 0.5

    pred = np.array([1, 0, 1])
    own = Stored(None if classes is None else np.array(classes), {"predict": pred})
    for options in ({}, {"pos_label": 0}, {"pos_label": 1}):
        make_scorer(metric, **options)(own, None, [0, 1, 1])
        assert given.pop() is pred
    outputs = np.array([[0.5, 0.25], [0.75, 0.5]])
    own = Stored([np.arange(2)] * 2, {"predict_proba": outputs})
    make_scorer(metric, response_method="predict_proba")(own, None, outputs > 0.5)
    assert given.pop() is outputs


def test_a_class_that_the_model_never_saw_may_be_positive():
    """It has probability 0, the only known one 1."""
    own, y = model(["b"], predict_proba=np.ones((4, 1))), np.array(["a", "b", "b", "b"])
    assert get_scorer("net_benefit_at_50", pos_label="a")(own, None, y) == 0
    assert get_scorer("net_benefit_at_50", pos_label="b")(own, None, y) == (3 - 1) / 4
    brier = get_scorer("neg_brier_score")(own, None, y)
    assert brier == pytest.approx(-sklearn.metrics.brier_score_loss(y == "b", np.ones(4)))


def test_a_positive_class_that_the_model_does_not_have():
    scorer = make_scorer(lambda y, s, pos_label: 0.5, response_method="predict_proba", pos_label=7)
    with pytest.raises(ValueError, match=r"pos_label=7 is not a valid label.*\[0 1\]"):
        scorer(model([0, 1], predict_proba=TWO), None, [0, 1, 0])


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_functions_of_the_user_are_given_all_columns_of_three(method):
    given = []
    scorer = make_scorer(lambda y, s: given.append(s) or 0.5, response_method=method)
    scorer(model(ABC, **{method: P}), None, ABC[[0, 1, 2, 1, 2]])
    assert given[0] is P


@pytest.mark.parametrize("classes", [["no", "yes"], ["yes", "no"]])
@pytest.mark.parametrize("positive", ["no", "yes"])
def test_columns_are_those_of_the_classes_of_the_model(classes, positive):
    y = np.array(["no", "yes", "yes", "no", "yes"])
    of_yes = np.array([0.3, 0.6, 0.2, 0.4, 0.9])
    columns = {"yes": of_yes, "no": 1 - of_yes}
    proba = np.column_stack([columns[name] for name in classes])
    own = model(classes, predict_proba=proba)
    given = y == positive, columns[positive]
    scorer = get_scorer("average_precision", pos_label=positive)
    expected = sklearn.metrics.average_precision_score(*given)
    assert scorer(own, None, y) == pytest.approx(expected, rel=1e-14)
    scorer = get_scorer("neg_expected_calibration_error", pos_label=positive, n_bins=2)
    gaps = [abs(given[0][rows].sum() - given[1][rows].sum()) / 5
            for rows in (given[1] < 0.5, given[1] >= 0.5)]  # fmt: skip
    assert scorer(own, None, y) == pytest.approx(-sum(gaps), rel=1e-12)
    loss = get_scorer("neg_log_loss")(own, None, y)
    assert loss == pytest.approx(np.log([0.7, 0.6, 0.2, 0.6, 0.9]).mean(), rel=1e-12)
    vector = (2 * of_yes - 1) * (1 if classes[1] == "yes" else -1)
    own = model(classes, decision_function=vector)
    scorer = get_scorer("average_precision", pos_label=positive)
    assert scorer(own, None, y) == pytest.approx(expected, rel=1e-14)


# --------------------------------------------------------------------------- rows of weight 0


@pytest.mark.parametrize("dtype", [int, float])
def test_a_class_of_rows_of_weight_0_is_no_class_of_the_rows(dtype):
    """The model never saw "z", and no row of weight has it."""
    y = np.array(["a", "z", "b", "a", "b"])
    weight = np.array([2, 0, 1, 1, 3], dtype)
    kept = weight > 0
    own = model(["a", "b"], predict_proba=P[:, :2] / P[:, :2].sum(axis=1, keepdims=True))
    part = model(["a", "b"], predict_proba=own.predict_proba(None)[kept])
    for name in ("roc_auc", "neg_log_loss", "neg_brier_score", "gini"):
        scorer = get_scorer(name)
        got = scorer(own, None, y, sample_weight=weight)
        assert got == pytest.approx(scorer(part, None, y[kept], sample_weight=weight[kept]))
    panel = ScorerPanel(["accuracy", "roc_auc", "neg_log_loss"])
    own.predict = lambda X: np.array(["a", "a", "b", "b", "b"])
    part.predict = lambda X: np.array(["a", "b", "b", "b"])
    got = panel(own, None, y, sample_weight=weight)
    assert got == pytest.approx(panel(part, None, y[kept], sample_weight=weight[kept]))


@pytest.mark.parametrize("name", ["roc_auc", "gini", "average_precision", "neg_log_loss"])
def test_weights_of_any_scale_are_those_of_a_mean(name):
    own, y = model([0, 1], predict_proba=TWO), np.array([0, 1, 0])
    weight = np.array([3.0, 1.0, 2.0])
    value = get_scorer(name)(own, None, y, sample_weight=weight)
    for scale in (2.0**-600, 2.0**-1000, 2.0**900):
        assert get_scorer(name)(own, None, y, sample_weight=scale * weight) == value


def test_a_class_with_rows_of_weight_0_alone_is_lacking():
    y, weight = ABC[[0, 1, 2, 1, 0]], np.array([1, 2, 0, 1, 1])
    own = model(ABC, predict_proba=P)
    areas = [roc_auc_score(y == name, P[:, k], sample_weight=weight) for k, name in enumerate("ab")]
    got = get_scorer("roc_auc_ovr")(own, None, y, sample_weight=weight)
    assert got == pytest.approx(np.mean(areas), rel=1e-12)
    with pytest.raises(ValueError, match=r"never seen in training: \[\].*without rows: \['c'\]"):
        get_scorer("roc_auc_ovr", missing="raise")(own, None, y, sample_weight=weight)


# --------------------------------------------------------------------------- classes never seen


@pytest.mark.parametrize(
    ("classes", "order"),
    [([0, 2], [0, 1, 2]), ([2, 0], [2, 0, 1]), ([1, 2], [0, 1, 2]), ([0, 1], [0, 1, 2])],
)
def test_a_class_never_seen_has_its_place_in_the_order(classes, order):
    """Sorted among sorted classes, last otherwise; distances of ranks tell."""
    y = np.array([0, 1, 2, 1])
    proba = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75], [1, 0]])
    cumulated = np.zeros((4, 3))
    for k, label in enumerate(classes):
        cumulated[:, order.index(label)] = proba[:, k]
    cumulated = cumulated.cumsum(axis=1)
    reached = np.array([order.index(label) for label in y])[:, None] <= np.arange(3)
    by_hand = ((cumulated - reached) ** 2).sum(axis=1).mean() / 2
    got = get_scorer("neg_ranked_probability_score")(model(classes, predict_proba=proba), None, y)
    assert got == pytest.approx(-by_hand, rel=1e-12)


@pytest.mark.parametrize("dtype", [float, int])
@pytest.mark.parametrize("method", ["decision_function", "predict_proba"])
def test_a_class_never_seen_comes_last_among_the_top(method, dtype):
    """A row of it is in no top but that of all classes."""
    y = np.array([0, 1, 2, 1])
    score = np.array([[3, 1], [2, 4], [1, 0], [5, 4]], dtype)
    if method == "predict_proba":
        score = score / score.sum(axis=1, keepdims=True)
    own = model([0, 1], **{method: score})
    found = [get_scorer("top_k_accuracy", k=k)(own, None, y) for k in (1, 2)]
    assert found == [2 / 4, 3 / 4]


def test_the_score_of_a_class_never_seen_is_below_large_ones_too():
    """Where 1 less would be the same number."""
    for known, unseen in (([0, 1], 2), ([1, 2], 0)):
        own = model(known, decision_function=np.full((2, 2), 1e17))
        y = np.array([unseen, known[0]])
        assert get_scorer("top_k_accuracy", k=2)(own, None, y) == 1 / 2


def test_decision_values_of_two_classes_rank_both():
    """Positive values are of the second; the class never seen comes after both."""
    y, values = np.array([0, 1, 2, 1, 0]), np.array([-2.0, 3.0, 1.0, -1.0, 0.5])
    own = model([0, 1], decision_function=values)
    assert get_scorer("top_k_accuracy", k=1)(own, None, y) == 2 / 5
    assert get_scorer("top_k_accuracy", k=2)(own, None, y) == 4 / 5


def test_only_logarithms_are_warned_of():
    y = np.array(["a", "c", "b"])
    own = model(["a", "b"], predict_proba=np.array([[0.5, 0.5], [0.25, 0.75], [0.25, 0.75]]))
    told = r"never saw the classes \['c'\]: their probability 0 is clipped to 2.22e-16"
    with pytest.warns(UndefinedMetricWarning, match=told):
        got = get_scorer("neg_log_loss")(own, None, y)
    assert got == pytest.approx((np.log(0.5) + np.log(EPS) + np.log(0.75)) / 3, rel=1e-12)
    columns = np.array([[0.5, 0.5, 0], [0.25, 0.75, 0], [0.25, 0.75, 0]])
    theirs = sklearn.metrics.brier_score_loss(y, columns, labels=ABC)
    assert get_scorer("neg_brier_score")(own, None, y) == pytest.approx(-theirs, rel=1e-12)


# --------------------------------------------------------------------------- what differs


@pytest.mark.parametrize("missing", ["nan", "raise"])
@pytest.mark.parametrize(
    ("classes", "y", "told"),
    [
        (["a", "b"], ABC[[0, 1, 2, 1, 2]], r"training: \['c'\]; classes without rows: \[\]"),
        (ABC, ABC[[0, 1, 0, 1, 1]], r"training: \[\]; classes without rows: \['c'\]"),
        (["a", "x"], ABC[[0, 1, 0, 1, 1]], r"training: \['b'\]; classes without rows: \['x'\]"),
    ],
)
def test_what_differs_is_told(classes, y, told, missing):
    own = model(classes, predict_proba=P[:, : len(classes)])
    for name in ("neg_log_loss", "neg_brier_score", "roc_auc_ovr", "top_k_accuracy"):
        scorer = get_scorer(name, missing=missing)
        if missing == "raise":
            with pytest.raises(ValueError, match=told):
                scorer(own, None, y)
        else:
            with pytest.warns(UndefinedMetricWarning, match=told):
                assert np.isnan(scorer(own, None, y))


@pytest.mark.parametrize("name", ["roc_auc", "neg_log_loss", "neg_brier_score", "top_k_accuracy"])
def test_one_class_has_no_score(name):
    own = model([1], predict_proba=np.ones((3, 1)))
    told = "the model and the rows have the single class 1"
    with pytest.warns(UndefinedMetricWarning, match=told):
        assert np.isnan(get_scorer(name)(own, None, [1, 1, 1]))


@pytest.mark.parametrize(
    ("classes", "response", "expected"),
    [
        ([0, 1, 2], P[:, :2], r"shape \(5, 2\), expected \(5, 3\)"),
        ([0, 1, 2], P[:, 0], r"shape \(5,\), expected \(5, 3\)"),
        ([0, 1, 2], P[:4], r"shape \(4, 3\), expected \(5, 3\)"),
        ([0, 1], P, r"shape \(5, 3\), expected \(5, 2\)"),
        ([0, 1], P[:4, 0], r"shape \(4,\), expected \(5,\)"),
    ],
)
def test_a_response_has_a_row_for_each_row_and_a_column_for_each_class(classes, response, expected):
    y = np.arange(5) % len(classes)
    with pytest.raises(ValueError, match=f"decision_function returned an array of {expected}"):
        get_scorer("roc_auc_ovr")(model(classes, decision_function=response), None, y)


def test_probabilities_have_a_column_for_each_of_two_classes():
    own = model([0, 1], predict_proba=P[:, 0])
    with pytest.raises(ValueError, match=r"predict_proba returned .*\(5,\), expected \(5, 2\)"):
        get_scorer("neg_log_loss")(own, None, [0, 1, 0, 1, 1])


# --------------------------------------------------------------------------- labels=


def test_listed_labels_are_the_order_of_grades():
    y = np.array(["high", "low", "mid", "mid", "high"])
    own = model(["high", "low", "mid"], predict_proba=P)
    order = ["low", "mid", "high"]
    cumulated = P[:, [1, 2, 0]].cumsum(axis=1)
    reached = np.array([order.index(label) for label in y])[:, None] <= np.arange(3)
    by_hand = ((cumulated - reached) ** 2).sum(axis=1).mean() / 2
    scorer = get_scorer("neg_ranked_probability_score", labels=order)
    assert scorer(own, None, y) == pytest.approx(-by_hand, rel=1e-12)
    both = ScorerPanel({"listed": scorer, "log": get_scorer("neg_log_loss")})
    got = both(own, None, y)
    assert got["listed"] == pytest.approx(-by_hand, rel=1e-12)
    assert got["log"] == pytest.approx(-log_loss(y, P), rel=1e-12)
    for wrong in (["low", "mid"], ["low", "mid", "top"]):
        with pytest.raises(ValueError, match=r"labels must hold the classes \['high', 'low', 'mi"):
            get_scorer("neg_ranked_probability_score", labels=wrong)(own, None, y)


@pytest.mark.parametrize("labels", [["no", "yes"], ["yes", "no"]])
def test_the_second_of_listed_labels_is_positive(labels):
    y = np.array(["no", "yes", "yes", "no", "yes"])
    of_yes = np.array([0.3, 0.6, 0.2, 0.4, 0.9])
    own = model(["no", "yes"], predict_proba=np.column_stack([1 - of_yes, of_yes]))
    score = of_yes if labels[1] == "yes" else 1 - of_yes
    expected = sklearn.metrics.average_precision_score(y == labels[1], score)
    scorer = get_scorer("pr_auc", labels=labels)
    other = get_scorer("pr_auc", pos_label=labels[1])
    assert scorer(own, None, y) == other(own, None, y)
    ours = get_scorer("average_precision", labels=labels)(own, None, y)
    assert ours == pytest.approx(expected, rel=1e-12)
    both = ScorerPanel({"one": scorer, "other": get_scorer("pr_auc", labels=labels[::-1])})
    got = both(own, None, y)
    assert got["one"] == scorer(own, None, y) != got["other"]


# --------------------------------------------------------------------------- outputs


def test_the_second_column_of_each_output_is_that_of_1():
    marks = np.array([[1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]])
    of_1 = np.array([[0.6, 0.3, 0.2], [0.2, 0.7, 0.4], [0.1, 0.8, 0.9], [0.5, 0.4, 0.3]])
    columns = [np.column_stack([1 - of_1[:, k], of_1[:, k]]) for k in range(3)]
    areas = [sklearn.metrics.roc_auc_score(marks[:, k], of_1[:, k]) for k in range(3)]
    classes = [np.array([0, 1])] * 3
    in_order = Stored(classes, {"predict_proba": columns})
    turned = Stored([np.array([1, 0]), *classes[1:]],
                    {"predict_proba": [columns[0][:, ::-1], *columns[1:]]})  # fmt: skip
    for own in (in_order, turned, Stored(None, {"predict_proba": columns})):
        assert get_scorer("roc_auc")(own, None, marks) == pytest.approx(np.mean(areas), rel=1e-12)


def test_one_output():
    """A list of one array of classes, as of several outputs."""
    own = Stored([np.arange(2)], {"predict": np.array([[0], [1], [1]])})
    marks = np.array([[0], [1], [0]])
    assert get_scorer("accuracy")(own, None, marks) == 2 / 3
    assert get_scorer("recall")(own, None, marks) == 1


def test_an_output_of_one_class_in_training():
    """Its one column is of 1, or of 0, of whose rows the probability of 1 is 0."""
    marks = np.array([[1, 0], [0, 1], [1, 1]])
    of_1 = np.array([0.3, 0.7, 0.8])
    second = np.column_stack([1 - of_1, of_1])
    for label, first, expected in ((0, np.ones((3, 1)), 0.5), (1, np.array([[3], [1], [2]]), 1)):
        classes = [np.array([label]), np.array([0, 1])]
        own = Stored(classes, {"predict_proba": [first, second]})
        got = get_scorer("roc_auc")(own, None, marks)
        assert got == pytest.approx((expected + 1) / 2, rel=1e-12)


# --------------------------------------------------------------------------- labels of one class


@pytest.mark.parametrize(
    ("classes", "y", "pred", "expected"),
    [
        ([0, 1], [0, 1, 1], [0, 1, 0], 1 / 2),
        ([0, 1], [1, 1, 1], [1, 0, 1], 2 / 3),
        ([0, 1], [0, 1, 1], [1, 1, 1], 1),
        ([-1, 1], [-1, 1, 1], [1, -1, 1], 1 / 2),
        ([1], [1, 1, 0], [1, 1, 1], 1),
        ([0], [0, 1, 1], [0, 0, 0], 0),
        ([False, True], [False, True, True], [False, True, False], 1 / 2),
        ([0, 1], [0, 1, 2], [0, 1, 1], 1),  # 2 was never seen, and is not positive
        ([0, 1], [2, 1, 2, 1], [0, 1, 1, 0], 1 / 2),
        (None, [0, 1, 1], [0, 1, 0], 1 / 2),
    ],
)
def test_recall_of_the_class_that_is_positive_for_the_model(classes, y, pred, expected):
    own = Stored(None if classes is None else np.array(classes), {"predict": np.array(pred)})
    assert get_scorer("recall")(own, None, np.array(y)) == expected


def test_a_model_of_one_class_is_asked_for_another():
    own = model(["b"], predict=np.array(["b", "b", "b"]))
    y = np.array(["a", "b", "b"])
    assert get_scorer("recall", pos_label="a")(own, None, y) == 0
    assert get_scorer("recall", pos_label="b")(own, None, y) == 1
    assert get_scorer("precision", pos_label="b")(own, None, y) == 2 / 3


def test_text_is_asked_for_by_the_classes_of_the_model():
    """Though the rows have one of them."""
    y, pred = np.array(["no"] * 3), np.array(["no", "yes", "no"])
    own = model(["no", "yes"], predict=pred)
    with pytest.raises(ValueError, match="pass pos_label='yes' or pos_label='no'"):
        get_scorer("recall")(own, None, y)
    assert get_scorer("recall", pos_label="no")(own, None, y) == 2 / 3
    own = model(["no", "yes"], predict=y)
    with pytest.raises(ValueError, match="pass pos_label='yes' or pos_label='no'"):
        get_scorer("recall")(own, None, y)
    named = get_scorer("specificity", pos_label="yes")
    assert named(own, None, y) == 1
    several = model(["no", "yes", "perhaps"], predict=pred)
    with pytest.raises(ValueError, match=r"average='binary'|needs|pos_label"):
        get_scorer("recall")(several, None, np.array(["no", "yes", "perhaps"]))
    for name in ("accuracy", "f1_macro", "cohen_kappa"):
        assert np.isfinite(get_scorer(name)(several, None, np.array(["no", "yes", "no"])))


@pytest.mark.parametrize("lacking", [0, 1, 2])
def test_a_class_of_one_row_is_a_class(lacking):
    """In the mean of average precisions, beside one that has none."""
    one, other = (k for k in range(3) if k != lacking)
    code = np.array([one, other, other, other, other])
    alone = [sklearn.metrics.average_precision_score(code == k, P[:, k]) for k in (one, other)]
    own = model([0, 1, 2], predict_proba=P)
    got = get_scorer("average_precision")(own, None, code)
    assert got == pytest.approx(np.mean(alone), rel=1e-12)


@pytest.mark.parametrize("name", ["average_precision", "roc_auc", "pr_auc", "lift_at_10"])
def test_rows_without_a_positive_one(name):
    own = model([0, 1], predict_proba=TWO)
    with pytest.warns(UndefinedMetricWarning, match="undefined|not defined|No positive|no row"):
        assert np.isnan(get_scorer(name)(own, None, np.zeros(3, int)))
    if name in ("average_precision", "pr_auc"):
        assert get_scorer(name)(own, None, np.ones(3, int)) == 1


def test_metrics_that_read_data_alike_share_them_and_no_others():
    """One panel of all positive classes, lists of labels and policies, against each alone."""
    y = np.array(["a", "b", "b", "a", "b"])
    of_b = np.array([0.2, 0.9, 0.4, 0.3, 0.7])
    pred = np.where(of_b > 0.5, "b", "a")
    own = model(["a", "b"], predict_proba=np.column_stack([1 - of_b, of_b]), predict=pred)
    scorers = {}
    for name in ("pr_auc", "f1", "recall", "gini", "neg_log_loss", "accuracy"):
        for label in ("a", "b"):
            options = {} if name in ("neg_log_loss", "accuracy") else {"pos_label": label}
            for missing in ("align", "nan"):
                scorers[f"{name} {label} {missing}"] = get_scorer(name, missing=missing, **options)
    for labels in (["a", "b"], ["b", "a"]):
        scorers[f"pr_auc {labels}"] = get_scorer("pr_auc", labels=labels)
        scorers[f"rps {labels}"] = get_scorer("neg_ranked_probability_score", labels=labels)
    names = list(scorers)
    for order in (names, names[::-1]):
        got = ScorerPanel({name: scorers[name] for name in order})(own, None, y)
        for name in order:
            assert got[name] == scorers[name](own, None, y), name
    mark = y == "a"
    assert got["recall a nan"] == (pred[mark] == "a").mean()
    assert got["gini a align"] == pytest.approx(2 * roc_auc_score(mark, 1 - of_b) - 1)

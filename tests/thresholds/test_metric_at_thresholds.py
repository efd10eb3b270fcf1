"""Any metric at every threshold: the function's own answer, from one count."""

import inspect
import sys
import warnings
from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from support.samples import samples
from support.versions import has

import skmetrics_ext as sx
from skmetrics_ext import METRICS

ROWS = st.one_of(samples("scores", "binary"), samples("scores", "binary", weighted=True))
LABELS = [(0, 1), (-1, 1), (1, 2), (False, True), ("a", "b"), (3, 7)]
OF_LABELS = [name for name, spec in METRICS.items() if spec.response == "labels"]
SHARED = [name for name in OF_LABELS if hasattr(sklearn.metrics, name)]


def options(sample):
    return {} if sample.weight is None else {"sample_weight": sample.weight}


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **kwargs)


def one_by_one(function, true, score, names, **more):
    names = np.array(names)
    predictions = [names[(score >= t).astype(int)] for t in np.unique(score)[::-1]]
    return [quiet(function, true, predicted, **more) for predicted in predictions]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", OF_LABELS)
@given(data=st.data())
def test_it_is_the_metric_of_the_predictions(name, data):
    sample, labels = data.draw(ROWS), data.draw(st.sampled_from(LABELS))
    spec = METRICS[name]
    if spec.numeric_labels and isinstance(labels[0], str):
        labels = (0, 1)
    true, params = np.array(labels)[sample.true], dict(spec.params)
    got, thresholds = quiet(
        sx.metric_at_thresholds,
        true,
        sample.response,
        spec.function,
        metric_params=params,
        pos_label=labels[1],
        **options(sample),
    )
    if "pos_label" in inspect.signature(spec.function).parameters:
        params["pos_label"] = labels[1]
    expected = one_by_one(spec.function, true, sample.response, labels, **params, **options(sample))
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)
    assert thresholds.tolist() == np.unique(sample.response)[::-1].tolist()


@pytest.mark.skipif(not has("metric_at_thresholds"), reason="scikit-learn has it since 1.9")
@pytest.mark.parametrize("name", SHARED)
@given(sample=ROWS)
def test_it_is_scikit_learns_for_labels_0_and_1(name, sample):
    params = dict(METRICS[name].params)
    ours, theirs = (
        quiet(
            module.metric_at_thresholds,
            sample.true,
            sample.response,
            getattr(module, name),
            metric_params=params,
            **options(sample),
        )
        for module in (sx, sklearn.metrics)
    )
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


PARAMETERS = [
    (sx.fbeta_score, {"beta": 0.5}),
    (sx.fbeta_score, {"beta": 3.0, "pos_label": 0}),
    (sx.f1_score, {"average": "macro"}),
    (sx.f1_score, {"average": None}),
    (sx.precision_score, {"pos_label": 0, "zero_division": 1.0}),
    (sx.negative_predictive_value_score, {"zero_division": np.nan}),
    (sx.balanced_accuracy_score, {"adjusted": True}),
    (sx.accuracy_score, {"normalize": False}),
    (sx.index_balanced_accuracy_score, {"alpha": 0.5}),
    (sx.geometric_mean_score, {"correction": 0.01}),
    (sx.cohen_kappa_score, {"weights": "quadratic"}),
    (sx.confusion_matrix, {"labels": [1, 0], "normalize": "true"}),
    (sx.precision_recall_fscore_support, {"average": "macro"}),
    (sx.roc_auc_score, {}),
]


@pytest.mark.parametrize(("function", "params"), PARAMETERS)
@given(sample=ROWS)
def test_parameters_of_the_metric(function, params, sample):
    args = sample.true, sample.response
    got, _ = quiet(
        sx.metric_at_thresholds, *args, function, metric_params=params, **options(sample)
    )
    expected = one_by_one(function, *args, (0, 1), **params, **options(sample))
    got, expected = (np.array(part, dtype=float) for part in (got.tolist(), expected))
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)


def test_a_partial_is_the_function_in_it():
    args = [0, 1, 1, 0], [0.1, 0.9, 0.4, 0.5]
    got, _ = sx.metric_at_thresholds(*args, partial(sx.fbeta_score, beta=2.0))
    expected, _ = sx.metric_at_thresholds(*args, sx.fbeta_score, metric_params={"beta": 2.0})
    np.testing.assert_array_equal(got, expected)


# --------------------------------------------------------------------------- how it is computed


def test_a_registered_metric_is_not_called_at_every_threshold():
    """As many calls of Python as for a thousandth of the thresholds, and some."""
    calls = []

    def counted(frame, event, argument):
        if event == "call":
            calls.append(frame.f_code)

    true = np.arange(5000) % 2
    score = np.random.default_rng(0).random(5000)
    for function, params in (
        (sx.f1_score, {}),
        (sx.accuracy_score, {}),
        (sx.cohen_kappa_score, {}),
        (sx.balanced_accuracy_score, {}),
        (sx.fbeta_score, {"beta": 1.5}),
        (sx.specificity_score, {"zero_division": 0.0}),
    ):
        sx.metric_at_thresholds(true, score, function, metric_params=params)
        calls.clear()
        sys.setprofile(counted)
        try:
            values, _ = sx.metric_at_thresholds(true, score, function, metric_params=params)
        finally:
            sys.setprofile(None)
        assert len(values) == 5000
        assert len(calls) < 1000


def test_any_other_function_sees_the_rows_in_their_order():
    groups = ["x", "y", "z", "x"]
    seen = []

    def function(y_true, y_pred, groups):
        seen.append((y_true.tolist(), y_pred.tolist(), groups))
        return y_pred.sum(), y_true.sum()

    true, score = np.array([0, 1, 1, 0]), [0.1, 0.9, 0.4, 0.9]
    values, _ = sx.metric_at_thresholds(true, score, function, metric_params={"groups": groups})
    assert values.tolist() == [[2, 2], [3, 2], [4, 2]]
    assert seen[0] == ([0, 1, 1, 0], [0, 1, 0, 1], groups)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        sx.metric_at_thresholds(true, score, function, sample_weight=[1, 1, 1, 1])


@pytest.mark.parametrize("labels", LABELS[:4])
def test_a_function_of_scikit_learn_is_given_the_labels_of_y_true(labels):
    true, score = np.array(labels)[[0, 1, 1, 0, 1]], np.array([0.1, 0.9, 0.4, 0.5, 0.4])
    for name in ("accuracy_score", "f1_score", "recall_score", "matthews_corrcoef"):
        ours = getattr(sx, name)
        if name == "matthews_corrcoef":  # 0/0 where all rows are predicted positive
            ours = partial(ours, zero_division=0)
        got, _ = sx.metric_at_thresholds(true, score, getattr(sklearn.metrics, name))
        expected, _ = sx.metric_at_thresholds(true == labels[1], score, ours)
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_values_by_hand():
    # The best of 0.8, 0.4, 0.35, 0.1 as thresholds: true 2, 1, 2, 1.
    values, thresholds = sx.metric_at_thresholds([1, 1, 2, 2], [0.1, 0.4, 0.35, 0.8], sx.f1_score)
    assert thresholds.tolist() == [0.8, 0.4, 0.35, 0.1]
    np.testing.assert_allclose(values, [2 / 3, 1 / 2, 4 / 5, 2 / 3], rtol=1e-15)
    values, _ = sx.metric_at_thresholds([-1, -1, 1, 1], [0.1, 0.4, 0.35, 0.8], sx.accuracy_score)
    assert values.tolist() == [0.75, 0.5, 0.75, 0.5]


def test_scores_may_be_of_the_other_class():
    true, score = np.array([0, 1, 1, 0]), np.array([0.9, 0.1, 0.6, 0.5])
    got = sx.metric_at_thresholds(true, score, sx.recall_score, pos_label=0)
    expected = sx.metric_at_thresholds(1 - true, score, sx.recall_score)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_values_of_classes_come_in_the_order_of_the_classes():
    true, score = np.array(["a", "b", "b", "a"]), np.array([0.9, 0.1, 0.6, 0.5])
    options = {"metric_params": {"average": None}, "pos_label": "a"}
    got, thresholds = sx.metric_at_thresholds(true, score, sx.recall_score, **options)
    predicted = [np.where(score >= threshold, "a", "b") for threshold in thresholds]
    expected = [sklearn.metrics.recall_score(true, one, average=None) for one in predicted]
    np.testing.assert_array_equal(got, expected)


def test_the_usual_convention_is_warned_of_once():
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning, match="Precision") as told:
        sx.metric_at_thresholds([0, 1], [0.1, 0.9], sx.precision_score, sample_weight=[1, 1],
                                metric_params={"average": "macro"})  # fmt: skip
    assert len(told) == 1


def test_weights_of_any_scale():
    true, score = [0, 1, 1, 0], [0.1, 0.9, 0.4, 0.5]
    for function in (sx.f1_score, sx.accuracy_score, sx.matthews_corrcoef):
        expected, _ = quiet(sx.metric_at_thresholds, true, score, function)
        for scale in (1e308, 1e-320):
            got, _ = quiet(
                sx.metric_at_thresholds, true, score, function, sample_weight=[scale] * 4
            )
            np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_one_class_alone():
    got, _ = quiet(sx.metric_at_thresholds, [0, 0], [0.1, 0.2], sx.accuracy_score)
    assert got.tolist() == [0.5, 0]
    got, _ = sx.metric_at_thresholds([1, 1], [0.1, 0.2], sx.recall_score)
    assert got.tolist() == [0.5, 1]
    with pytest.raises(ValueError, match="no label for scores below"):
        sx.metric_at_thresholds(["b", "b"], [0.1, 0.2], sx.accuracy_score, pos_label="b")


@pytest.mark.parametrize(
    ("true", "score", "more", "message"),
    [
        ([0, 1, 2], [0.1, 0.2, 0.3], {}, "multiclass format"),
        ([0, 1, 2], [0.1, 0.2, 0.3], {"pos_label": 1}, "multiclass format"),
        (["a", "b"], [0.1, 0.2], {}, "pos_label is not specified"),
        ([0, 1], [0.1, np.nan], {}, "NaN"),
        ([[0, 1], [1, 0]], [0.1, 0.2], {}, "multilabel-indicator"),
        ([0, 1], [0.1, 0.2], {"metric_params": {"average": "none"}}, "average"),
    ],
)
def test_what_is_refused(true, score, more, message):
    with pytest.raises(ValueError, match=message):
        sx.metric_at_thresholds(true, score, sx.f1_score, **more)
    with pytest.raises(ValueError, match="metric_func must be callable"):
        sx.metric_at_thresholds([0, 1], [0.1, 0.2], "f1")


@pytest.mark.parametrize("name", ["cramers_v", "goodman_kruskal_lambda_pred"])
def test_a_value_that_is_undefined_at_some_threshold_is_warned_of_once(name):
    """All scores are at or above the last threshold: all rows are predicted as one class."""
    metric = METRICS[name].function
    with pytest.warns(UndefinedMetricWarning, match="is undefined") as told:
        values, _ = sx.metric_at_thresholds([1, 0, 0, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5], metric)
    assert np.isnan(values).tolist() == [False] * 4 + [True]
    assert len(told) == 1

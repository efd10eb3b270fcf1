"""Metrics of scores and probabilities: one row per function and kind of input."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from support import score_inputs as inputs
from support.versions import has, taken

import skmetrics_ext
from parity.comparing import compare, equal
from parity.options import is_multilabel, normalized, weights


def area(draw, y, names):
    options = weights(draw, y, names)
    if is_multilabel(y):
        options["average"] = draw(st.sampled_from(["macro", "micro", "weighted", "samples", None]))
        rows_of_one_mark = (y == y[:, :1]).all()
        if options["average"] == "samples" and rows_of_one_mark:
            options["average"] = "macro"  # every row is undefined, and 0 weights them
    options["max_fpr"] = draw(st.sampled_from([None, 1.0, 0.5, 0.25, 0.1, 0.01]))
    return options


def multiclass_area(draw, y, names):
    multi_class = draw(st.sampled_from(["ovr", "ovo"]))
    averages = ["macro", "weighted"] + (["micro", None] if multi_class == "ovr" else [])
    options = {"multi_class": multi_class, "average": draw(st.sampled_from(averages))}
    if draw(st.booleans()):
        options["labels"] = names
    return {**options, **(weights(draw, y, names) if multi_class == "ovr" else {})}


def logarithmic(draw, y, names):
    labels = names if draw(st.booleans()) else None
    return {**normalized(draw, y, names), "labels": labels}


def ranked(draw, y, names):
    """Binary: the positive class by name."""
    return {**weights(draw, y, names), "pos_label": draw(st.sampled_from(names.tolist()))}


def curve(draw, y, names):
    options = {**ranked(draw, y, names), "drop_intermediate": draw(st.booleans())}
    weight = options["sample_weight"]
    if options["drop_intermediate"] and weight is not None:
        # Whether a point lies on a line is told by sums that are exact, as those of eighths are.
        options["sample_weight"] = np.ceil(8 * weight) / 8
    return options


def precision_average(draw, y, names):
    if not is_multilabel(y) and len(names) == 2:
        return ranked(draw, y, names)
    averages = ["macro", "micro", "weighted", None] + ["samples"] * is_multilabel(y)
    return {**weights(draw, y, names), "average": draw(st.sampled_from(averages))}


def top_k(draw, y, names):
    labels = names if draw(st.booleans()) else None
    k = draw(st.integers(1, len(names) - 1))
    return {**normalized(draw, y, names), "labels": labels, "k": k}


def gain(draw, y, names):
    k = draw(st.none() | st.integers(1, len(names) + 2))
    return {**weights(draw, y, names), "k": k, "ignore_ties": draw(st.booleans())}


def based_gain(draw, y, names):
    return {**gain(draw, y, names), "log_base": draw(st.sampled_from([2, 10, np.e, 0.5]))}


def quadratic(draw, y, names):
    """One column needs its class by name; two and more have an order."""
    options = {**weights(draw, y, names), "pos_label": names[1]}
    if draw(st.booleans()):
        options["labels"] = names
    return options


def quadratic_scaled(draw, y, names):
    return {
        **quadratic(draw, y, names),
        "scale_by_half": draw(st.sampled_from(["auto", True, False])),
    }


def skilled(draw, y, names):
    labels = names if draw(st.booleans()) else None
    return {**weights(draw, y, names), "labels": labels}


SPARSE = (np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.coo_array)
# name of the function, input, generator of its keyword arguments
ROWS = [
    ("roc_auc_score", inputs.binary_scores(), area),
    ("roc_auc_score", inputs.multilabel_scores(), area),
    ("roc_auc_score", inputs.class_probabilities(), multiclass_area),
    ("roc_curve", inputs.binary_scores(), curve),
    ("det_curve", inputs.binary_scores(), curve),
    ("precision_recall_curve", inputs.binary_scores(), curve),
    ("confusion_matrix_at_thresholds", inputs.binary_scores(), ranked),
    ("average_precision_score", inputs.binary_scores(), precision_average),
    ("average_precision_score", inputs.multilabel_scores(), precision_average),
    ("average_precision_score", inputs.class_probabilities(), precision_average),
    ("top_k_accuracy_score", inputs.class_probabilities(), top_k),
    ("log_loss", inputs.class_probabilities(), logarithmic),
    ("log_loss", inputs.class_probabilities(2), logarithmic),
    ("log_loss", inputs.positive_probabilities(), logarithmic),
    ("d2_log_loss_score", inputs.class_probabilities(), skilled),
    ("d2_log_loss_score", inputs.positive_probabilities(), skilled),
    ("brier_score_loss of several classes", inputs.class_probabilities(), quadratic_scaled),
    ("brier_score_loss of several classes", inputs.class_probabilities(2), quadratic_scaled),
    ("brier_score_loss", inputs.positive_probabilities(), quadratic_scaled),
    ("d2_brier_score", inputs.class_probabilities(), quadratic),
    ("d2_brier_score", inputs.positive_probabilities(), quadratic),
    ("hinge_loss", inputs.class_decisions(), skilled),
    ("hinge_loss of two classes", inputs.binary_decisions(), weights),
    ("coverage_error", inputs.label_marks(), weights),
    ("label_ranking_average_precision_score", inputs.label_marks(SPARSE, least=1), weights),
    ("label_ranking_loss", inputs.label_marks(SPARSE), weights),
    ("dcg_score", inputs.label_marks(), based_gain),
    ("dcg_score", inputs.graded_labels(lowest=-2), based_gain),
    ("ndcg_score", inputs.label_marks(), gain),
    ("ndcg_score", inputs.graded_labels(), gain),
]
# What the installed version has of them.
ASKED = [(name.partition(" ")[0], *rest) for name, *rest in ROWS if has(name)]
# Means over rows, to which a row of weight 0 is nothing.
MEANS = ("log_loss", "top_k_accuracy_score", "brier_score_loss", "hinge_loss")
# Ratios of means.
SKILLS = ("d2_log_loss_score", "d2_brier_score")
# Ratios of ranks, which SciPy gives in float32 for such scores from 1.18 on.
RANKED = ("label_ranking_average_precision_score",)


@pytest.mark.parametrize(
    ("name", "given_input", "options"), ASKED, ids=[f"{row[0]}-{i}" for i, row in enumerate(ASKED)]
)
@settings(max_examples=12)
@given(data=st.data())
def test_equal_to_scikit_learn(name, given_input, options, data):
    y_true, own, names = data.draw(given_input)
    ours, theirs = getattr(skmetrics_ext, name), getattr(sklearn.metrics, name)
    kwargs = taken(theirs, options(data.draw, y_true, names))
    weight = kwargs.get("sample_weight")
    if weight is not None and name not in MEANS and (weight == 0).any():
        kwargs["sample_weight"] = weight + 1  # classes without weight are tested on their own
    if name in SKILLS + RANKED:
        own = own.astype(np.float64)  # 1 less a ratio near 1 keeps no digits of float32
    # scikit-learn computes in float32 where the probabilities are.
    rtol = 2e-6 if own.dtype == np.float32 and name in MEANS else 1e-12
    compare(ours, theirs, y_true, own, rtol=rtol, **kwargs)


@pytest.mark.parametrize("y_true", [[1, 1, 1], [0, 0, 0], ["a", "a", "a"]])
@pytest.mark.parametrize("max_fpr", [None, 0.5])
def test_one_class_is_undefined_as_in_scikit_learn(y_true, max_fpr):
    score = [0.1, 0.5, 0.3]
    ours, theirs = skmetrics_ext.roc_auc_score, sklearn.metrics.roc_auc_score
    compare(ours, theirs, y_true, score, max_fpr=max_fpr)
    compare(ours, theirs, [0, 1, 1], score, sample_weight=[0, 1, 2])


REFUSED = [
    ([0, 1, 2], [0.1, 0.2, 0.3], {}),
    ([0, 1, 2], np.eye(3), {}),
    ([0, 1, 2], np.eye(3), {"multi_class": "ovo", "average": "micro"}),
    ([0, 1, 2], np.eye(3), {"multi_class": "ovr", "average": "samples"}),
    ([0, 1, 1], np.eye(3), {"multi_class": "ovr"}),
    ([0, 1, 2], np.eye(3), {"multi_class": "ovr", "labels": [0, 1]}),
    ([0, 1, 2], np.eye(3), {"multi_class": "ovr", "labels": [0, 1, 3]}),
    ([0, 1], [0.1, 0.2], {"max_fpr": 0}),
    ([0, 1], [0.1, 0.2], {"max_fpr": 1.5}),
    ([0, 1], [0.1, np.nan], {}),
    ([0, 1], [0.1, np.inf], {}),
    ([0, 1], [0.1, 0.2, 0.3], {}),
    ([0.5, 1.5], [0.1, 0.2], {}),
]


@pytest.mark.parametrize(("y_true", "y_score", "options"), REFUSED)
def test_roc_auc_refuses_what_scikit_learn_refuses(y_true, y_score, options):
    for metrics in (sklearn.metrics, skmetrics_ext):
        with pytest.raises(ValueError, match=r"."):
            metrics.roc_auc_score(y_true, y_score, **options)


@given(data=st.data())
def test_auc_of_points(data):
    n_points = data.draw(st.integers(2, 10))
    x, y = (
        np.array(data.draw(st.lists(st.floats(-5, 5), min_size=n_points, max_size=n_points)))
        for _ in range(2)
    )
    x = np.sort(x)[:: data.draw(st.sampled_from([1, -1]))]
    compare(skmetrics_ext.auc, sklearn.metrics.auc, x, y)


@pytest.mark.parametrize(("x", "y"), [([0], [1]), ([0, 2, 1], [1, 1, 1]), ([0, 1], [0, 1, 2])])
def test_auc_refuses_what_scikit_learn_refuses(x, y):
    compare(skmetrics_ext.auc, sklearn.metrics.auc, x, y)
    with pytest.raises(ValueError, match=r"."):
        skmetrics_ext.auc(x, y)


@pytest.mark.skipif(not has("metric_at_thresholds"), reason="scikit-learn has it since 1.9")
@pytest.mark.parametrize("metric", ["accuracy_score", "f1_score", "confusion_matrix"])
@given(data=st.data())
def test_metric_at_thresholds(metric, data):
    y_true, score, _ = data.draw(inputs.binary_scores())
    y_true = (y_true == y_true[0]).astype(int)
    params = {"f1_score": {"zero_division": 0}, "confusion_matrix": {"labels": [0, 1]}}
    weight = weights(data.draw, y_true, np.arange(2))["sample_weight"]
    options = {"metric_params": params.get(metric), "sample_weight": weight}
    got = skmetrics_ext.metric_at_thresholds(
        y_true, score, getattr(skmetrics_ext, metric), **options
    )
    expected = sklearn.metrics.metric_at_thresholds(
        y_true, score, getattr(sklearn.metrics, metric), **options
    )
    equal(got, expected, rtol=1e-12)

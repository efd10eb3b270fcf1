"""The one rule for which class the scores of a binary problem are of."""

import re
from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning
from support.public import DEPRECATED

import skmetrics_ext as sx

mwu_auc_test = DEPRECATED["mwu_auc_test"]

CURVES = [
    sx.roc_curve,
    sx.det_curve,
    sx.precision_recall_curve,
    sx.confusion_matrix_at_thresholds,
]
SCORE = np.array([0.1, 0.9, 0.8, 0.35])
TRUE = np.array([0, 1, 1, 0])


# Numbers of one class of two that no other library gives this name: they ask which it is.
OF_ONE_CLASS = [
    (sx.lift_score, {"fraction": 0.5}),
    (sx.h_measure_score, {}),
    (sx.auprg_score, {}),
    (sx.sensitivity_at_specificity, {"specificity": 0.5}),
    (sx.specificity_at_sensitivity, {"sensitivity": 0.5}),
    (sx.precision_at_recall, {"recall": 0.5}),
    (sx.recall_at_precision, {"precision": 0.5}),
    (sx.net_benefit, {"threshold": 0.5}),
    (sx.pr_auc_score, {}),
    (sx.partial_roc_auc_score, {"fpr_range": (0.0, 0.6)}),
    (sx.gain_curve, {}),
    (sx.lift_curve, {}),
    (sx.net_benefit_curve, {"thresholds": [0.5]}),
    (sx.precision_recall_gain_curve, {}),
]
OF_EITHER_CLASS = [
    sx.gini_score,
    sx.gain_capture_score,
    sx.ks_statistic_score,
    sx.equal_error_rate,
    sx.roc_auc_convex_hull_score,
]
RISK = np.array([0.1, 0.9, 0.3, 0.35])


def same(got, expected):
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize(
    ("negative", "positive"),
    [(0, 1), (-1, 1), (False, True), (0.0, 1.0), (np.uint8(0), np.uint8(1))],
)
def test_1_is_positive(curve, negative, positive):
    true = np.where(TRUE == 1, positive, negative)
    same(curve(true, SCORE), curve(TRUE, SCORE))


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("labels", [(1, 2), (0, 2), (-1, 0), ("a", "b"), (0, 255)])
def test_other_labels_need_pos_label(curve, labels):
    true = np.array(labels)[TRUE]
    with pytest.raises(ValueError, match="pos_label is not specified"):
        curve(true, SCORE)
    same(curve(true, SCORE, pos_label=labels[1]), curve(TRUE, SCORE))
    same(curve(true, -SCORE, pos_label=labels[0]), curve(1 - TRUE, -SCORE))


@pytest.mark.parametrize("curve", CURVES)
def test_further_classes_are_negative(curve):
    true = np.array([0, 1, 1, 2])
    with pytest.raises(ValueError, match="multiclass format is not supported"):
        curve(true, SCORE)
    same(curve(true, SCORE, pos_label=1), curve(TRUE, SCORE))


def test_a_class_that_does_not_occur_has_no_positive_row():
    # scikit-learn's own tests demand the warning; average precision refuses, there as here.
    for true in (TRUE, [0, 1, 1, 2]):
        with pytest.warns(UndefinedMetricWarning, match="No positive samples in y_true"):
            assert np.isnan(sx.roc_curve(true, SCORE, pos_label=7)[1]).all()
        with pytest.warns(UserWarning, match="No positive class found in y_true"):
            assert (sx.precision_recall_curve(true, SCORE, pos_label=7)[1][:-1] == 1).all()
        with pytest.raises(ValueError, match="Only one class"):
            sx.det_curve(true, SCORE, 7)
    for function, more in (
        (sx.average_precision_score, {}),
        (sx.pr_auc_score, {}),
        (sx.roc_auc_score, {}),
        (sx.roc_curves, {}),
        (sx.metric_at_thresholds, {"metric_func": sx.accuracy_score}),
    ):
        with pytest.raises(ValueError, match="pos_label=7 is not a valid label"):
            function(TRUE, SCORE, pos_label=7, **more)


@pytest.mark.parametrize("curve", CURVES)
def test_both_columns_of_probabilities(curve):
    both = np.column_stack([1 - SCORE, SCORE])
    same(curve(TRUE, both), curve(TRUE, SCORE))
    same(curve(TRUE, both, pos_label=0), curve(1 - TRUE, 1 - SCORE))
    same(curve(TRUE, SCORE[:, None]), curve(TRUE, SCORE))
    with pytest.raises(ValueError, match="1d array"):
        curve(TRUE, both * 2)


def test_areas_read_the_column_of_the_positive_class():
    both = np.column_stack([1 - SCORE, SCORE])
    assert sx.roc_auc_score(TRUE, both) == 1
    assert sx.roc_auc_score(TRUE, both, pos_label=0) == 1
    # Columns of (1, 0): the second is said to be of class 0, which it ranks last.
    assert sx.roc_auc_score(TRUE, both, labels=[1, 0]) == 0


@pytest.mark.parametrize("pos_label", [[1], np.array([0, 1])])
def test_a_pos_label_that_is_no_label(pos_label):
    with pytest.raises(ValueError, match="pos_label must be one label"):
        sx.roc_curve(TRUE, SCORE, pos_label=pos_label)


@pytest.mark.parametrize(("function", "options"), OF_ONE_CLASS)
def test_metrics_of_one_class_ask_for_it(function, options):
    same = np.testing.assert_array_equal
    expected = {
        label: function(label == TRUE, RISK if label else 1 - RISK, **options) for label in (0, 1)
    }
    for usual in (TRUE, 2 * TRUE - 1, TRUE.astype(bool), TRUE.astype(float)):
        same(tuple_of(function(usual, RISK, **options)), tuple_of(expected[1]))
    for first, second in (("no", "yes"), (1, 2), (0, 2)):
        true = np.array([first, second])[TRUE]
        asked = f"needs a positive class: pass pos_label={second!r} or pos_label={first!r}"
        with pytest.raises(ValueError, match=re.escape(asked)):
            function(true, RISK, **options)
        for label, risk in ((first, 1 - RISK), (second, RISK)):
            got = function(true, risk, pos_label=label, **options)
            same(tuple_of(got), tuple_of(expected[int(label == second)]))
        got = function(true, 1 - RISK, labels=[second, first], **options)
        same(tuple_of(got), tuple_of(expected[0]))


def tuple_of(found):
    return found if isinstance(found, float) else np.concatenate([*found])


@pytest.mark.parametrize("function", OF_EITHER_CLASS)
@pytest.mark.parametrize("labels", [("no", "yes"), (1, 2), (-1, 0)])
def test_metrics_of_either_class_ask_which_class_a_column_is_of(function, labels):
    true = np.array(labels)[TRUE]
    expected = function(TRUE, RISK)
    asks = f"{function.__name__} needs a positive class: pass pos_label={labels[1]!r} or pos_label="
    with pytest.raises(ValueError, match=asks):
        function(true, RISK)
    assert function(true, np.column_stack([1 - RISK, RISK])) == expected  # in the classes' order
    assert function(true, RISK, pos_label=labels[1]) == expected
    assert function(true, 1 - RISK, pos_label=labels[0]) == pytest.approx(expected, abs=1e-15)


def test_the_area_under_the_roc_curve_keeps_the_rule_of_scikit_learn():
    true = np.array(["no", "yes"])[TRUE]
    area = sklearn.metrics.roc_auc_score(true, RISK)
    assert sx.roc_auc_score(true, RISK) == area == sx.roc_auc_score(true, RISK, pos_label="yes")
    assert sx.roc_auc_score(true, RISK, pos_label="no") == 1 - area
    for ask in (partial(sx.confidence_interval, "roc_auc"), partial(mwu_auc_test)):
        with pytest.raises(ValueError, match="needs a positive class: pass pos_label='yes' or"):
            ask(true, RISK)


def test_pos_label_goes_before_the_order_of_labels():
    assert sx.average_precision_score(["a", "b"], [0.9, 0.1], labels=["a", "b"], pos_label="a") == 1
    assert sx.pr_auc_score(["a", "b"], [0.9, 0.1], labels=["a", "b"], pos_label="a") == 1

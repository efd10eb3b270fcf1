"""The one rule for which class the scores of a binary problem are of."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import skmetrics_ext as sx
from skmetrics_ext.validation import Scores

CURVES = [
    sx.roc_curve,
    sx.det_curve,
    sx.precision_recall_curve,
    sx.confusion_matrix_at_thresholds,
]
SCORE = np.array([0.1, 0.9, 0.8, 0.35])
TRUE = np.array([0, 1, 1, 0])


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


def test_one_class_alone():
    for true, marks in ((np.zeros(2, int), 0), (np.ones(2, int), 1), (np.full(2, -1), 0)):
        assert Scores.check_binary(true, [0.1, 0.2]).true.tolist() == [marks] * 2
    assert Scores.check_binary(["a", "a"], [0.1, 0.2], pos_label="b").true.tolist() == [0, 0]
    with pytest.raises(ValueError, match="pos_label is not specified"):
        Scores.check_binary([2, 2], [0.1, 0.2])
    with pytest.raises(ValueError, match="one for each class that occurs"):
        Scores.check_binary([1, 1], [[0.1, 0.9], [0.2, 0.8]])


@pytest.mark.parametrize("pos_label", [[1], np.array([0, 1])])
def test_a_pos_label_that_is_no_label(pos_label):
    with pytest.raises(ValueError, match="pos_label must be one label"):
        sx.roc_curve(TRUE, SCORE, pos_label=pos_label)

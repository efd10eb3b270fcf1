"""Hinge loss: values by hand and what is refused."""

import numpy as np
import pytest

from skmetrics_ext import hinge_loss

DECISION = np.array([[2.0, 0.5, -1.0], [0.25, 0.5, 0.0], [1.0, 0.0, 0.5]])


def test_two_classes_by_hand():
    assert hinge_loss([-1, 1, 1, -1], [-2.0, 0.5, -0.25, 0.0]) == (0 + 0.5 + 1.25 + 1) / 4
    assert hinge_loss(["no", "yes"], [-0.5, 0.5]) == 0.5
    assert hinge_loss([0, 1], [[-0.5], [0.25]], sample_weight=[3, 1]) == (3 * 0.5 + 0.75) / 4


def test_several_classes_by_hand():
    # Margins 1.5, 0.25 and -0.5.
    assert hinge_loss([0, 1, 2], DECISION) == (0 + 0.75 + 1.5) / 3


def test_labels_are_the_order_of_the_columns():
    assert hinge_loss(["c", "b", "a"], DECISION, labels=["c", "b", "a"]) == 0.75
    assert hinge_loss([0, 1], [-0.5, 0.25], labels=[1, 0]) == (0.5 + 1 + 0.25 + 1) / 2
    assert hinge_loss([1, 1], [0.5, 2.0], labels=[0, 1]) == 0.25


def test_one_class_alone_is_the_negative_one():
    assert hinge_loss([1, 1], [0.5, -2.0]) == 0.75


def test_the_decisions_given_are_not_changed():
    before = DECISION.copy()
    hinge_loss([0, 1, 2], DECISION)
    np.testing.assert_array_equal(DECISION, before)


REFUSED = [
    ([0, 1, 2], [0.1, 0.2, 0.3], {}, r"cannot be 1d array.*\(3, 3\)"),
    ([0, 1, 2], DECISION[:, :2], {}, "include all labels in y_true"),
    ([0, 1, 1], DECISION[:, :2], {"labels": [0, 1, 2]}, "not consistent with the number"),
    ([0, 1, 1], DECISION, {}, r"1d array.*\(3, 3\)"),
    ([0, 1, 3], DECISION, {"labels": [0, 1, 2]}, "not belonging to the passed labels"),
    ([0, 1, 2], np.where(DECISION == 2, np.nan, DECISION), {}, "pred_decision, first in row 0"),
    ([[0, 1], [1, 1]], DECISION[:2, :2], {}, "multilabel-indicator"),
    ([0, 1], [0.5], {}, "inconsistent numbers of samples"),
]


@pytest.mark.parametrize(("true", "decision", "given", "message"), REFUSED)
def test_refused(true, decision, given, message):
    with pytest.raises(ValueError, match=message):
        hinge_loss(true, decision, **given)

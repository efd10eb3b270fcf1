"""Brier score: values by hand, the positive class, the order of columns."""

from fractions import Fraction

import numpy as np
import pytest

from skmetrics_ext import METRICS, brier_score_loss
from skmetrics_ext.tallies import MomentTally

F = Fraction
TRUE = [0, 1, 1, 0]
PROBA = [F(1, 10), F(9, 10), F(4, 5), F(3, 10)]
BY_HAND = (F(1, 100) + F(1, 100) + F(4, 100) + F(9, 100)) / 4


def floats(values):
    return [float(value) for value in values]


def columns(values):
    return [[1 - float(value), float(value)] for value in values]


def test_two_classes_by_hand():
    assert brier_score_loss(TRUE, floats(PROBA)) == pytest.approx(float(BY_HAND), rel=1e-14)
    assert brier_score_loss(TRUE, columns(PROBA)) == pytest.approx(float(BY_HAND), rel=1e-14)
    column = [[value] for value in floats(PROBA)]
    assert brier_score_loss(TRUE, column) == pytest.approx(float(BY_HAND), rel=1e-14)


@pytest.mark.parametrize(("half", "times"), [("auto", 1), (True, 1), (False, 2)])
def test_the_sum_over_two_classes_is_halved_unless_told(half, times):
    got = brier_score_loss(TRUE, floats(PROBA), scale_by_half=half)
    assert got == pytest.approx(float(times * BY_HAND), rel=1e-14)


@pytest.mark.parametrize(("half", "times"), [("auto", 1), (True, F(1, 2)), (False, 1)])
def test_three_classes_by_hand(half, times):
    proba = [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]
    exact = (F(1, 4) + 2 * F(1, 16) + F(1, 16) + F(9, 16) + F(1, 4)) / 2
    got = brier_score_loss([0, 1], proba, labels=[0, 1, 2], scale_by_half=half)
    assert got == float(exact * times)


def test_weights():
    exact = (3 * F(1, 100) + F(9, 100)) / 4
    got = brier_score_loss(TRUE, floats(PROBA), sample_weight=[3, 0, 0, 1])
    assert got == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize(
    ("names", "given"),
    [
        ([0, 1], {}),
        ([-1, 1], {}),
        ([False, True], {}),
        ([1, 2], {}),
        ([7, 900], {}),
        ([0.0, 3.0], {}),
        ([1, 0], {"pos_label": 0}),
        ([1, 0], {"labels": [1, 0]}),
        (["a", "b"], {"pos_label": "b"}),
        (["b", "a"], {"labels": ["b", "a"]}),
        (["b", "a"], {"labels": ["a", "b"], "pos_label": "a"}),
    ],
)
def test_which_class_a_single_column_is_of(names, given):
    true = [names[code] for code in TRUE]
    got = brier_score_loss(true, floats(PROBA), **given)
    assert got == pytest.approx(float(BY_HAND), rel=1e-14)


@pytest.mark.parametrize(
    ("true", "given", "value"),
    [
        ([-1], {}, 0.16),
        ([0], {}, 0.16),
        ([1], {}, 0.36),
        ([5], {}, 0.36),
        (["foo"], {"pos_label": "bar"}, 0.16),
        (["foo"], {"pos_label": "foo"}, 0.36),
        (["foo"], {"labels": ["foo", "bar"]}, 0.16),
    ],
)
def test_one_class_alone(true, given, value):
    assert brier_score_loss(true, [0.4], **given) == pytest.approx(value, rel=1e-14)


def test_labels_are_the_order_of_the_columns():
    ages = ["9", "10", "11"]
    proba = [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.0, 0.25, 0.75]]
    exact = (2 * (F(1, 100) + 2 * F(1, 400)) + 2 * F(1, 16)) / 3
    got = brier_score_loss(ages, proba, labels=ages)
    assert got == pytest.approx(float(exact), rel=1e-14)
    turned = np.array(proba)[:, ::-1]
    assert brier_score_loss(ages, turned, labels=ages[::-1]) == got


def test_multilabel_rows_are_summed_over_outputs():
    marks, proba = [[1, 0, 1], [0, 0, 1]], [[0.5, 0.25, 1.0], [0.0, 0.5, 0.5]]
    with pytest.warns(UserWarning, match="sum to one"):
        got = brier_score_loss(marks, proba)
    assert got == float((F(1, 4) + F(1, 16) + F(1, 4) + F(1, 4)) / 2)


def test_rounding_outside_the_unit_interval_is_clipped():
    assert brier_score_loss([0, 1], [-1e-9, 1 + 1e-9]) == 0.0


REFUSED = [
    ([0, 1, 2], [0.1, 0.2, 0.3], {}, "multiclass but should be binary"),
    (["a", "b"], [0.1, 0.2], {}, "pos_label is not specified"),
    ([0, 1], [0.1, 0.2], {"pos_label": 3}, "pos_label=3"),
    ([0, 1], [0.1, 0.2], {"labels": [0, 1], "pos_label": 3}, "pos_label=3"),
    ([0, 1], [0.1, 0.2], {"labels": [0, 1, 2]}, "labels must name the two classes"),
    ([0, 1], [0.1, 0.2], {"labels": [0, 2]}, "not belonging to the passed labels"),
    ([0, 1], [0.1, 1.2], {}, "greater than 1: 1.2"),
    ([0, 1], [-0.1, 0.2], {}, "less than 0: -0.1"),
    ([0, 1], [[1.1, -0.1]] * 2, {}, "greater than 1"),
    ([0, 1], [0.1, np.nan], {}, "y_proba, first in row 1"),
    ([0, 1], [0.1, 0.2], {"scale_by_half": "no"}, "scale_by_half has to be one of"),
    ([0, 1], [0.1, 0.2], {"sample_weight": [1, -1]}, "sample_weight must not be negative"),
    ([0, 1, 2], [[0.5, 0.5]] * 3, {}, "3 vs 2"),
    ([0, 1, 3], np.eye(3), {"labels": [0, 1, 2]}, "not belonging to the passed labels"),
    ([1, 1], [[0.5, 0.5]] * 2, {}, "only one label"),
    ([[1, 0], [2, 3]], [[0.5, 0.5]] * 2, {}, "Multioutput target data is not supported"),
    ([0.5, 1.5], [0.1, 0.2], {}, "continuous"),
]


@pytest.mark.parametrize(("true", "proba", "given", "message"), REFUSED)
def test_refused(true, proba, given, message):
    with pytest.raises(ValueError, match=message):
        brier_score_loss(true, proba, **given)


def test_moments_of_rows_give_the_standard_error():
    """The rows are what is averaged: mean, spread and merging come from their tally."""
    true, proba = np.array(TRUE), np.array(columns(PROBA))
    rows = ((proba - (true[:, None] == [0, 1])) ** 2).sum(axis=1) / 2
    parts = [MomentTally.from_values(rows[part]) for part in (slice(0, 1), slice(1, 4))]
    whole = MomentTally.combine(parts)
    assert float(METRICS["brier_score"].kernel(whole)) == pytest.approx(float(BY_HAND), rel=1e-14)
    spread = float(np.sqrt(whole.comoment[0, 0] / 3 / 4))
    assert spread == pytest.approx(rows.std(ddof=1) / 2, rel=1e-12)

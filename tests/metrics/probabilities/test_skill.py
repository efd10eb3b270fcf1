"""Skill scores: against the class frequencies, against another forecast, and of merged parts."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.score_inputs import class_probabilities

from skmetrics_ext import (
    Accumulator,
    brier_score_loss,
    brier_skill_score,
    d2_brier_score,
    d2_log_loss_score,
    log_loss,
)

TRUE, PROBA = [0, 1, 1, 0, 1], [0.1, 0.9, 0.8, 0.3, 0.6]


def test_by_hand():
    # Brier (1 + 1 + 4 + 9 + 16)/500 = 31/500; the frequency 3/5 has 6/25.
    assert d2_brier_score(TRUE, PROBA) == pytest.approx(1 - (31 / 500) / (6 / 25), rel=1e-14)
    assert brier_skill_score(TRUE, PROBA) == d2_brier_score(TRUE, PROBA)
    entropy = -(0.6 * np.log(0.6) + 0.4 * np.log(0.4))
    expected = 1 - log_loss(TRUE, PROBA) / entropy
    assert d2_log_loss_score(TRUE, PROBA) == pytest.approx(expected, rel=1e-14)


def test_the_frequencies_themselves_have_skill_0_exactly():
    weight = [2, 1, 3, 1, 1, 2, 1, 4, 1, 4]
    true = [3, 3, 2, 2, 2, 1, 1, 1, 1, 0]
    proba = [[0.2, 0.4, 0.25, 0.15]] * 10
    for score in (d2_brier_score, brier_skill_score, d2_log_loss_score):
        assert score(true, proba, sample_weight=weight) == 0


@pytest.mark.parametrize("reference", [0.3, [0.3] * 5, np.full((5, 1), 0.3)])
def test_another_reference(reference):
    expected = 1 - brier_score_loss(TRUE, PROBA) / brier_score_loss(TRUE, [0.3] * 5)
    got = brier_skill_score(TRUE, PROBA, reference=reference)
    assert got == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("reference", [[0.5, 0.3, 0.2], [[0.5, 0.3, 0.2]] * 3])
def test_a_reference_of_three_classes(reference):
    true, proba = ["x", "z", "y"], np.array([[0.1, 0.2, 0.7], [0.6, 0.2, 0.2], [0.3, 0.4, 0.3]])
    labels = ["z", "y", "x"]
    own = brier_score_loss(true, proba, labels=labels)
    other = brier_score_loss(true, np.tile([0.5, 0.3, 0.2], (3, 1)), labels=labels)
    got = brier_skill_score(true, proba, reference=reference, labels=labels)
    assert got == pytest.approx(1 - own / other, rel=1e-14)


@pytest.mark.parametrize("reference", [[0.1, 0.2], "base", [[0.5, 0.5]] * 5, 1.5])
def test_a_reference_that_does_not_fit_is_refused(reference):
    with pytest.raises(ValueError, match=r"reference|y_prob"):
        brier_skill_score(TRUE, PROBA, reference=reference)


@pytest.mark.parametrize("score", [d2_brier_score, brier_skill_score])
@pytest.mark.parametrize("value", [0, 1])
def test_one_class_alone_is_undefined(score, value):
    with pytest.warns(UserWarning, match="undefined"):
        assert np.isnan(score([value, value], [0.2, 0.4]))


def test_one_class_alone_of_the_log_loss_is_undefined():
    with pytest.warns(UserWarning, match="undefined"):
        assert np.isnan(d2_log_loss_score([1, 1], [0.2, 0.4], labels=[0, 1]))


@pytest.mark.parametrize("score", [d2_brier_score, d2_log_loss_score])
def test_one_row_is_undefined(score):
    with pytest.warns(UserWarning, match="less than two samples"):
        assert np.isnan(score([1], [0.5]))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        score([1, 0], [0.5])


def test_a_reference_without_error_is_undefined():
    with pytest.warns(UserWarning, match="undefined"):
        assert np.isnan(brier_skill_score([0, 1], [0.5, 0.5], reference=[0.0, 1.0]))


def test_a_rare_class_keeps_its_digits():
    """One event in a million, for which 1 - share has lost ten of them."""
    true = np.arange(1_000_000) == 7
    proba = np.where(true, 0.25, 1e-6)
    # By hand, times n: 9/16 + (n - 1)/n^2, against (n - 1)/n.
    n = Fraction(len(true))
    own, null = Fraction(9, 16) + (n - 1) / n**2, (n - 1) / n
    assert brier_skill_score(true, proba) == pytest.approx(float(1 - own / null), rel=1e-12)
    frequencies = np.full(len(true), 1e-6)
    for score in (d2_brier_score, brier_skill_score, d2_log_loss_score):
        assert score(true, frequencies) == 0


@given(sample=class_probabilities(), cut=st.integers(1, 2), weighted=st.booleans())
def test_merged_parts_have_the_skill_of_the_whole(sample, cut, weighted):
    true, proba, names = sample
    proba = proba.astype(np.float64)
    proba = proba / proba.sum(axis=1, keepdims=True)
    weight = np.arange(1.0, len(true) + 1) if weighted else None
    for score in (d2_brier_score, d2_log_loss_score):
        stream = Accumulator({"skill": score}, labels=names.tolist())
        for rows in (slice(None, cut), slice(cut, None)):
            stream.update(true[rows], proba[rows], None if weight is None else weight[rows])
        got = stream.compute()["skill"]
        assert got == pytest.approx(score(true, proba, sample_weight=weight), rel=1e-9, abs=1e-12)

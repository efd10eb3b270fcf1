"""The best of many noisy values, from values and noise whose answers are known."""

import numpy as np
import pytest

from skmetrics_ext.inference.selection import (
    CandidateNoise,
    corrected,
    corrected_value,
    from_best,
    largest,
    rows_to_separate,
    shrunken,
)

RNG = np.random.default_rng(0)


def told(values, noise, size, n_draws=400):
    drawn = noise.antithetic_draws(np.random.default_rng(1), n_draws)
    return corrected_value(values, int(values.argmax()), drawn, size=size)


def test_the_covariance_is_that_of_the_parts():
    parts = RNG.normal(size=(50, 4))
    noise = CandidateNoise.of(parts)
    assert noise.root.shape == (4, 4)
    assert noise.covariance == pytest.approx(parts.T @ parts)
    assert CandidateNoise.of(parts[:3]).covariance == pytest.approx(parts[:3].T @ parts[:3])
    drawn = noise.antithetic_draws(np.random.default_rng(0), 40_000)
    assert drawn.mean(axis=0) == pytest.approx(0, abs=1e-12)  # each beside its opposite
    assert np.cov(drawn.T) == pytest.approx(noise.covariance, rel=0.05, abs=1)


@pytest.mark.parametrize("size", [0.1, 1.0])
def test_equal_candidates_have_no_advantage_on_average(size):
    """The largest of 10 normal values is 1.5388 in the mean; corrected it is 0."""
    noise, rng = CandidateNoise(np.eye(10)), np.random.default_rng(2)
    samples = rng.normal(size=(600, 10))
    naive = samples.max(axis=1)
    assert naive.mean() == pytest.approx(1.5388, abs=4 * naive.std() / 600**0.5)
    found = np.array([told(sample, noise, size) for sample in samples])
    assert found.mean() == pytest.approx(0, abs=4 * found.std() / 600**0.5)


def test_much_noise_tells_of_a_worse_choice():
    """True values of variance 4: a choice under 1 + size of noise is worth 4 m / sqrt(5 + size)."""
    noise, rng, n, m = CandidateNoise(np.eye(10)), np.random.default_rng(3), 1500, 1.5388
    samples = rng.normal(size=(n, 10)) * np.sqrt(1 + 4)
    for size in (0.1, 1.0):
        found = np.array([told(sample, noise, size, 200) for sample in samples])
        expected = 4 * m / np.sqrt(5 + size)
        assert found.mean() == pytest.approx(expected, abs=4 * found.std() / n**0.5)


def test_the_corrected_value_is_never_above_the_largest():
    noise = CandidateNoise(RNG.normal(size=(6, 6)))
    for values in RNG.normal(size=(50, 6)):
        assert told(values, noise, 0.1, 50) <= values.max() + 1e-12


def test_a_clear_winner_keeps_its_value_and_its_error():
    values, root = np.array([10.0, 0.0, -3.0]), np.diag([0.5, 1.0, 1.0])
    found = corrected(values, CandidateNoise(root), np.random.default_rng(0), 500)
    assert found.value == pytest.approx(10.0, abs=1e-9)
    assert found.error == pytest.approx(0.5, rel=0.15)
    assert found.share.tolist() == [1.0, 0.0, 0.0]


def test_one_candidate_is_not_corrected():
    found = corrected(
        np.array([0.7]), CandidateNoise(np.array([[0.1]])), np.random.default_rng(0), 100
    )
    assert found.value == 0.7
    assert found.share.tolist() == [1.0]


def test_without_noise_nothing_is_corrected():
    found = corrected(np.array([0.7, 0.7, 0.2]), CandidateNoise(np.zeros((4, 3))), RNG, 50)
    assert (found.value, found.error) == (0.7, 0.0)


def test_values_are_shrunken_to_the_spread_of_the_true_ones():
    values = np.array([0.0, 3.0, 6.0])  # squares 18 about the mean, of which noise has 2
    assert shrunken(values, CandidateNoise(np.eye(3))) == pytest.approx(
        3 + np.sqrt(16 / 18) * (values - 3)
    )
    common = CandidateNoise(
        np.array([[5.0, 5.0, 5.0]])
    )  # noise of all alike moves none from the others
    assert shrunken(values, common) == pytest.approx(values)
    assert shrunken(values / 10, CandidateNoise(np.eye(3))) == pytest.approx([0.3] * 3)


# --------------------------------------------------------------------------- the set


def compared(values, root, level=0.95, n_draws=200_000):
    noise = CandidateNoise(np.asarray(root, float))
    drawn = noise.draws(np.random.default_rng(0), n_draws)
    return from_best(np.asarray(values, float), noise, drawn, level)


def test_two_candidates_are_a_z_test():
    error = np.sqrt(2)
    for gap, both in ((1.94, True), (1.98, False)):
        assert compared([gap * error, 0], np.eye(2)).as_good.tolist() == [True, both]
    found = compared([0.5, 0], np.eye(2))
    assert found.low == pytest.approx([0.5 - 1.96 * error, -0.5 - 1.96 * error], abs=0.03)
    assert found.high.tolist() == [0, 0]


def test_the_critical_value_is_dunnetts():
    """Two-sided, three treatments and a control, infinite freedom, 95 %: 2.35 (Dunnett 1964)."""
    for gap, kept in ((2.33, True), (2.38, False)):
        found = compared([gap * np.sqrt(2), 0, 0, 0], np.eye(4), n_draws=200_000)
        assert found.as_good.tolist() == [True, kept, kept, kept]


def test_bounds_hold_the_difference_to_the_best_together():
    """Of nearly equal candidates with noise that they share in part."""
    rng, truth = np.random.default_rng(5), np.array([0.0, -0.2, -0.5, -3.0])
    root = np.linalg.cholesky(0.4 + 0.6 * np.eye(4)).T
    noise, held, best = CandidateNoise(root), 0, 0
    drawn = noise.draws(rng, 2000)
    for values in truth + rng.normal(size=(400, 4)) @ root:
        found = from_best(values, noise, drawn, 0.95)
        held += bool(((found.low <= truth) & (truth <= found.high + 1e-12)).all())
        best += bool(found.as_good[0])
    assert best / 400 >= 0.94
    assert held / 400 >= 0.93


def test_candidates_that_predict_alike_stand_together():
    root = RNG.normal(size=(5, 2))[:, [0, 0, 1]]
    found = compared([0.5, 0.5, -9.0], root)
    assert found.as_good.tolist() == [True, True, False]
    assert found.high[2] < 0


def test_rows_to_tell():
    """(1.96 + 0.8416)^2 = 7.849 times the variance of a row over the squared difference."""
    assert rows_to_separate(0.1, 0.01, 100, 0.95) == pytest.approx(100 * 7.8489, rel=1e-4)


def test_largest_takes_the_first_of_equal_ones():
    assert largest(np.array([[1.0, 2.0, 2.0], [3.0, 1.0, 0.0]])).tolist() == [1, 0]

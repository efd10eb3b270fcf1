r"""Selection bias of the best of many noisy values, and the candidates that are as good.

Values :math:`v = \theta + \epsilon` of p candidates have normal noise with covariance
:math:`\Sigma`. For :math:`\omega \sim N(0, \alpha\Sigma)` the values :math:`v + \omega` and
:math:`v - \omega / \alpha` are independent, so the second is an unbiased estimate of the
candidate that the first selects (Oliveira, Lei & Tibshirani 2024): the value of a choice under
noise :math:`(1 + \alpha)\Sigma`. Bootstrap bias-corrected cross-validation (Tsamardinos, Greasidou
& Borboudakis 2018) is the case :math:`\alpha = 1`, because the out-of-bag rows of a draw deviate
from all rows by as much as the rows in the bag, with the opposite sign. Its choice is made under
twice the noise, which is worse if candidates differ; a small :math:`\alpha` is closer to the
actual choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from skmetrics_ext.inference.scales import on_scale, quantile
from skmetrics_ext.numeric import Array, parts

# The chosen candidate (B,) in draws of values (B, p).
Choose = Callable[[Array], Array]

# Variance of the added noise over that of the data: smaller values have less bias, more variance.
SIZE = 0.1
_OUTER, _INNER = 400, 200  # draws for the error, and for the correction within each
_OUTER_SLOW, _INNER_SLOW = 40, 40  # for rules that are evaluated draw by draw
_AT_ONCE = 1 << 21
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class CandidateNoise:
    """Joint noise of the values of candidates.

    Parameters
    ----------
    root : ndarray of shape (r, p)
        The covariance is ``root.T @ root``.
    """

    root: Array

    @classmethod
    def of(cls, parts: Array) -> CandidateNoise:
        """Noise from the contributions (r, p) of rows, groups or draws to the values."""
        if len(parts) <= parts.shape[1]:
            return cls(parts)
        return cls.of_covariance(parts.T @ parts)

    @classmethod
    def of_covariance(cls, covariance: Array) -> CandidateNoise:
        """Noise with this covariance of the values, (p, p)."""
        values, vectors = np.linalg.eigh(covariance)
        # The symmetric root does not depend on the signs of the eigenvectors.
        return cls((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)

    @property
    def covariance(self) -> Array:
        """Covariance of the values, (p, p)."""
        return np.asarray(self.root.T @ self.root)

    def draws(self, rng: np.random.Generator, n_draws: int) -> Array:
        """Noise (n_draws, p)."""
        return np.asarray(rng.normal(size=(n_draws, len(self.root))) @ self.root)

    def antithetic_draws(self, rng: np.random.Generator, n_draws: int) -> Array:
        """Antithetic draws: each with its negative, so that their mean is 0."""
        half = self.draws(rng, (n_draws + 1) // 2)
        return np.concatenate([half, -half])


@dataclass(frozen=True, slots=True)
class StabilisedScale:
    """A variance-stabilising scale for values between bounds.

    Without it, a candidate that is best by luck would also seem to have a smaller error. Values
    between two bounds take the arcsine transformation of proportions (Anscombe 1948), those with
    one bound the logarithm of their distance from it.
    """

    bounds: tuple[float, float]
    n_units: float

    @property
    def _direction(self) -> int:
        """1 above the only bound, -1 below it; 0 with two bounds or none."""
        low, high = np.isfinite(self.bounds).tolist()
        return low - high

    @property
    def _is_share(self) -> bool:
        return bool(np.isfinite(self.bounds).all())

    def to(self, values: Array) -> Array:
        """Values on the scale, which increases with them."""
        if self._is_share:
            return np.asarray(np.arcsin(np.sqrt(self._share(values))))
        sign = self._direction
        return np.asarray(sign * np.log(self._distance(values))) if sign else values

    def back(self, values: Array) -> Array:
        """The values of numbers on the scale."""
        low, high = self.bounds
        if self._is_share:
            return np.asarray(low + (high - low) * np.sin(np.clip(values, 0, np.pi / 2)) ** 2)
        return np.asarray(on_scale(self.bounds)[1](values))

    def noise(self, values: Array, noise: CandidateNoise) -> CandidateNoise:
        """The noise of values (p,) on the scale."""
        if not self._is_share:
            return CandidateNoise(noise.root / self._distance(values)) if self._direction else noise
        # Next to a bound the slope is limited to that at half a row.
        share = np.clip(self._share(values), 0.5 / self.n_units, 1 - 0.5 / self.n_units)
        width = self.bounds[1] - self.bounds[0]
        return CandidateNoise(noise.root / (2 * width * np.sqrt(share * (1 - share))))

    def _distance(self, values: Array) -> Array:
        """Distance from the only bound, above 0 for its logarithm."""
        bound = self.bounds[0] if self._direction > 0 else self.bounds[1]
        return np.maximum(np.abs(values - bound), np.finfo(np.float64).tiny)

    def _share(self, values: Array) -> Array:
        low, high = self.bounds
        return np.asarray(np.clip((values - low) / (high - low), 0.0, 1.0))


@dataclass(frozen=True, eq=False, slots=True)
class CorrectedChoice:
    """Value of the chosen candidate, corrected for selection bias, and how uncertain it is.

    Parameters
    ----------
    value : float
        The value of the chosen candidate, corrected for its choice.
    error : float
        Standard error as an estimate of the true value of the chosen candidate.
    away : float
        Half-width of its interval at the level.
    share : ndarray of shape (p,)
        How often each candidate is chosen under the noise of other samples.
    """

    value: float
    error: float
    away: float
    share: Array


def largest(values: Array) -> Array:
    """The candidate of the largest value in each draw."""
    return np.asarray(values.argmax(axis=-1))


def corrected(
    values: Array,
    noise: CandidateNoise,
    rng: np.random.Generator,
    n_draws: int,
    choose: Choose = largest,
    *,
    level: float = 0.95,
    is_slow: bool = False,
) -> CorrectedChoice:
    """The value of the chosen candidate of values (p,), corrected for selection, with its error.

    The error comes from repeating choice and correction on draws around values that are shrunk to
    the spread of the true ones: to the variance that the noise does not explain.
    """
    drawn = noise.antithetic_draws(rng, n_draws)
    place = int(choose(values[None])[0])
    value = corrected_value(values, place, drawn, choose)
    picked = choose(values + drawn)
    share = np.bincount(picked, minlength=len(values)) / len(picked)
    outer, inner = (_OUTER_SLOW, _INNER_SLOW) if is_slow else (_OUTER, _INNER)
    centre, inner_draws = shrunken(values, noise), noise.antithetic_draws(rng, inner)
    samples = centre + noise.draws(rng, outer)
    errors = np.array([
        corrected_value(sample, k, inner_draws, choose) - centre[k]
        for sample, k in zip(samples, choose(samples), strict=True)
    ])  # fmt: skip
    away = np.quantile(np.abs(errors - errors.mean()), level)
    return CorrectedChoice(value, float(errors.std()), float(away), share)


def corrected_value(
    values: Array, place: int, drawn: Array, choose: Choose = largest, size: float = SIZE
) -> float:
    """Mean over draws of the second, independent value of the candidate that the first selects.

    ``place`` is the candidate that is chosen without noise. If the largest value is chosen, the
    result is at most that value.
    """
    root = np.sqrt(size)
    picked = choose(values + root * drawn)
    noise = np.take_along_axis(drawn, picked[:, None], axis=1)[:, 0]
    # A control variate: the noise of the candidate at `place` has mean 0.
    moved = values[picked] - values[place] - (noise - drawn[:, place]) / root
    return float(values[place] + moved.mean())


def shrunken(values: Array, noise: CandidateNoise) -> Array:
    """Values shrunk to their mean until they spread like the true ones, without the noise."""
    centred = noise.root - noise.root.mean(axis=1, keepdims=True)
    noise_squares, centre = float((centred**2).sum()), values.mean()
    squares = float(((values - centre) ** 2).sum())
    factor = np.sqrt(max(0.0, 1 - noise_squares / squares)) if squares > 0 else 0.0
    return np.asarray(centre + factor * (values - centre))


@dataclass(frozen=True, eq=False, slots=True)
class ComparedWithBest:
    """Simultaneous comparison of candidates with the truly best one.

    Parameters
    ----------
    low, high : ndarray of shape (p,)
        Simultaneous bounds of the difference from the best, which is at most 0.
    as_good : ndarray of bool of shape (p,)
        The set that contains the best.
    """

    low: Array
    high: Array
    as_good: Array


def from_best(values: Array, noise: CandidateNoise, drawn: Array, level: float) -> ComparedWithBest:
    """Multiple comparisons with the best (Hsu 1996), from the largest of correlated statistics.

    If a candidate is the best, no other exceeds it by more than the quantile of the largest noisy
    difference; the set has the candidates for which this holds. It contains the best, and the
    bounds cover, with the probability of the level. ``drawn`` is noise (B, p).
    """
    covariance, n_values = noise.covariance, len(values)
    variances = np.diag(covariance)
    sums = variances[:, None] + variances
    variance = sums - 2 * covariance
    error = np.sqrt(np.where(variance > _ROUNDING * sums, variance, 0.0))
    difference = values[:, None] - values  # row minus column
    critical = np.zeros(n_values)
    # The quantile of the largest of p - 1 statistics exceeds Bonferroni's only by chance.
    most = quantile(1 - (1 - level) / max(n_values - 1, 1)) * 1.1
    possible = np.flatnonzero((difference + most * error >= 0).all(axis=1))
    for k in possible.tolist():
        critical[k] = _largest_quantile(drawn, k, error[k], level)
    within = difference + critical[:, None] * error >= -_ROUNDING
    as_good = np.zeros(n_values, dtype=bool)
    as_good[possible] = within[possible].all(axis=1)
    as_good[values.argmax()] = True
    rivals = np.flatnonzero(as_good)
    margin = critical[rivals] * error[:, rivals]
    low = (difference[:, rivals] - margin).min(axis=1)
    high = (difference[:, rivals] + margin).max(axis=1)
    high = np.where(as_good, 0.0, high)
    return ComparedWithBest(np.minimum(low, 0.0), np.minimum(high, 0.0), as_good)


def _largest_quantile(drawn: Array, place: int, error: Array, level: float) -> float:
    """Quantile of the largest distance from one candidate, in standard errors."""
    known = np.flatnonzero(error > 0)
    if not len(known):
        return 0.0
    largest = [
        (np.abs(drawn[part][:, known] - drawn[part][:, [place]]) / error[known]).max(axis=1)
        for part in parts(len(drawn), max(_AT_ONCE // len(known), 1))
    ]
    return float(np.quantile(np.concatenate(largest), level))


def rows_to_separate(difference: float, variance: float, n_rows: float, level: float) -> float:
    """Rows needed to detect this difference between two values with a power of 80 %."""
    return n_rows * variance / _detectable_variance(difference, level)


def repeats_to_separate(difference: float, lasting: float, varying: float, level: float) -> float:
    """Repeats of the folds needed to detect the difference with 80 % power; may be infinite.

    The variance of the difference is ``lasting + varying / repeats``: that of the rows remains.
    """
    left = _detectable_variance(difference, level) - lasting
    return varying / left if left > 0 else np.inf


def _detectable_variance(difference: float, level: float) -> float:
    return float((difference / (quantile(level) + quantile(0.6))) ** 2)

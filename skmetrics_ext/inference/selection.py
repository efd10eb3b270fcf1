r"""The best of many noisy values: how much too high it is, and which others are as good.

Values :math:`v = \theta + \epsilon` of p candidates have normal noise of covariance
:math:`\Sigma`. For :math:`\omega \sim N(0, \alpha\Sigma)` the values :math:`v + \omega` and
:math:`v - \omega / \alpha` are independent, so that what is chosen by the first is told without
bias by the second (Oliveira, Lei & Tibshirani 2024): the value of a choice under noise of
:math:`(1 + \alpha)\Sigma`. Bootstrap bias-corrected cross-validation (Tsamardinos, Greasidou &
Borboudakis 2018) is the case :math:`\alpha = 1`, for the out-of-bag rows of a draw deviate from
all rows as the rows in the bag do, to the other side. It tells of a choice under twice the noise,
which is worse where candidates differ; a small :math:`\alpha` is near the choice that was made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.numeric import Array, parts

# The candidate that is chosen in each draw (B,) of values (B, p).
Choose = Callable[[Array], Array]

SIZE = 0.1  # of the added noise, in that of the data: less is nearer, and varies more
_OUTER, _INNER = 400, 200  # draws of the error, and of the correction within each
_OUTER_SLOW, _INNER_SLOW = 40, 40  # of rules that are asked draw by draw
_AT_ONCE = 1 << 21
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class Noise:
    """Joint noise of the values of candidates.

    Parameters
    ----------
    root : ndarray of shape (r, p)
        The covariance is ``root.T @ root``.
    """

    root: Array

    @classmethod
    def of(cls, parts: Array) -> Noise:
        """Noise from what each row, group or draw adds to each of the values, (r, p)."""
        if len(parts) <= parts.shape[1]:
            return cls(parts)
        return cls.of_covariance(parts.T @ parts)

    @classmethod
    def of_covariance(cls, covariance: Array) -> Noise:
        """Noise with this covariance of the values, (p, p)."""
        values, vectors = np.linalg.eigh(covariance)
        # The symmetric root: it does not depend on the signs of the vectors.
        return cls((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)

    @property
    def covariance(self) -> Array:
        """Covariance of the values, (p, p)."""
        return np.asarray(self.root.T @ self.root)

    def draws(self, rng: np.random.Generator, n_draws: int) -> Array:
        """Noise (n_draws, p)."""
        return np.asarray(rng.normal(size=(n_draws, len(self.root))) @ self.root)

    def antithetic_draws(self, rng: np.random.Generator, n_draws: int) -> Array:
        """Antithetic draws, each with its opposite, so that their mean is 0."""
        half = self.draws(rng, (n_draws + 1) // 2)
        return np.concatenate([half, -half])


@dataclass(frozen=True, slots=True)
class Stable:
    """A variance-stabilising scale for values between bounds.

    The best of many has a smaller error than the others by its luck alone, which would be believed.
    Values between two bounds go to the angle, as shares do (Anscombe 1948), those with one bound to
    the log of their distance from it.
    """

    bounds: tuple[float, float]
    n_units: float

    @property
    def _direction(self) -> int:
        """1 above the only bound, -1 below it; 0 where there are two, or none."""
        low, high = np.isfinite(self.bounds).tolist()
        return low - high

    @property
    def _is_share(self) -> bool:
        return bool(np.isfinite(self.bounds).all())

    def to(self, values: Array) -> Array:
        """From values to the scale, which rises with them."""
        if self._is_share:
            return np.asarray(np.arcsin(np.sqrt(self._share(values))))
        way = self._direction
        return np.asarray(way * np.log(self._distance(values))) if way else values

    def back(self, values: Array) -> Array:
        """From the scale to values."""
        low, high = self.bounds
        if self._is_share:
            return np.asarray(low + (high - low) * np.sin(np.clip(values, 0, np.pi / 2)) ** 2)
        if not self._direction:
            return values
        bound = low if self._direction > 0 else high
        return np.asarray(bound + self._direction * np.exp(self._direction * values))

    def noise(self, values: Array, noise: Noise) -> Noise:
        """The noise of values (p,) on the scale."""
        if not self._is_share:
            return Noise(noise.root / self._distance(values)) if self._direction else noise
        # A share that is next to a bound has a slope no steeper than one of half a row.
        share = np.clip(self._share(values), 0.5 / self.n_units, 1 - 0.5 / self.n_units)
        width = self.bounds[1] - self.bounds[0]
        return Noise(noise.root / (2 * width * np.sqrt(share * (1 - share))))

    def _distance(self, values: Array) -> Array:
        """From the only bound; one that is on it has a distance for logs."""
        bound = self.bounds[0] if self._direction > 0 else self.bounds[1]
        return np.maximum(np.abs(values - bound), np.finfo(np.float64).tiny)

    def _share(self, values: Array) -> Array:
        low, high = self.bounds
        return np.asarray(np.clip((values - low) / (high - low), 0.0, 1.0))


@dataclass(frozen=True, eq=False, slots=True)
class Chosen:
    """Value of the chosen candidate, corrected for selection bias, and how uncertain it is.

    Parameters
    ----------
    value : float
        The value of the chosen candidate, corrected for its choice.
    error : float
        Standard error of it as the value of the candidate that was chosen.
    away : float
        How far it is from that at most, with the probability of the level.
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
    noise: Noise,
    rng: np.random.Generator,
    n_draws: int,
    choose: Choose = largest,
    *,
    level: float = 0.95,
    is_slow: bool = False,
) -> Chosen:
    """The chosen of these values (p,), corrected, and how far that may be off.

    The error is that of the same in draws from values that were moved together until they spread
    as the true ones do: by the variance that the noise does not explain.
    """
    drawn = noise.antithetic_draws(rng, n_draws)
    place = int(choose(values[None])[0])
    value = corrected_value(values, place, drawn, choose)
    picked = choose(values + drawn)
    share = np.bincount(picked, minlength=len(values)) / len(picked)
    outer, inner = (_OUTER_SLOW, _INNER_SLOW) if is_slow else (_OUTER, _INNER)
    centre, few = shrunken(values, noise), noise.antithetic_draws(rng, inner)
    samples = centre + noise.draws(rng, outer)
    places = choose(samples)
    found = np.array([
        corrected_value(sample, k, few, choose) - centre[k]
        for sample, k in zip(samples, places, strict=True)
    ])  # fmt: skip
    away = np.quantile(np.abs(found - found.mean()), level)
    return Chosen(value, float(found.std()), float(away), share)


def corrected_value(
    values: Array, place: int, drawn: Array, choose: Choose = largest, size: float = SIZE
) -> float:
    """Mean over draws of the value, under the second part of the noise, of the choice by the first.

    ``place`` is the candidate that is chosen without noise. For the largest value the result is no
    more than that value.
    """
    root = np.sqrt(size)
    picked = choose(values + root * drawn)
    own = np.take_along_axis(drawn, picked[:, None], axis=1)[:, 0]
    # The noise of the candidate that is chosen has mean 0, and most of that of those near it.
    moved = values[picked] - values[place] - (own - drawn[:, place]) / root
    return float(values[place] + moved.mean())


def shrunken(values: Array, noise: Noise) -> Array:
    """Values as spread as the true ones are: less by the share that the noise has of theirs."""
    apart = noise.root - noise.root.mean(axis=1, keepdims=True)
    of_noise, centre = float((apart**2).sum()), values.mean()
    seen = float(((values - centre) ** 2).sum())
    kept = np.sqrt(max(0.0, 1 - of_noise / seen)) if seen > 0 else 0.0
    return np.asarray(centre + kept * (values - centre))


@dataclass(frozen=True, eq=False, slots=True)
class FromBest:
    """Candidates against the truly best one, all at once.

    Parameters
    ----------
    low, high : ndarray of shape (p,)
        Joint bounds of the difference to the best, which is at most 0.
    as_good : ndarray of bool of shape (p,)
        The set that holds the best.
    """

    low: Array
    high: Array
    as_good: Array


def from_best(values: Array, noise: Noise, drawn: Array, level: float) -> FromBest:
    """Multiple comparisons with the best (Hsu 1996), by the largest of correlated statistics.

    Were a candidate the best, no other would exceed it by more than the largest of their noisy
    differences does; the candidates of which this can be true are the set. The best is among
    them, and the bounds hold, with the probability of the level. ``drawn`` is noise (B, p).
    """
    covariance, n_values = noise.covariance, len(values)
    own = np.diag(covariance)
    variance = own[:, None] + own - 2 * covariance
    floor = _ROUNDING * (own[:, None] + own)
    error = np.sqrt(np.where(variance > floor, variance, 0.0))
    apart = values[:, None] - values  # of row from column
    critical = np.zeros(n_values)
    # No largest of p - 1 statistics exceeds Bonferroni's bound by more than chance.
    most = quantile(1 - (1 - level) / max(n_values - 1, 1)) * 1.1
    open_to = np.flatnonzero((apart + most * error >= 0).all(axis=1))
    for k in open_to.tolist():
        critical[k] = _largest_quantile(drawn, k, error[k], level)
    as_good = np.zeros(n_values, dtype=bool)
    as_good[open_to] = (apart + critical[:, None] * error >= -_ROUNDING)[open_to].all(axis=1)
    as_good[values.argmax()] = True
    rivals = np.flatnonzero(as_good)
    away = critical[rivals] * error[:, rivals]
    low = (apart[:, rivals] - away).min(axis=1)
    high = (apart[:, rivals] + away).max(axis=1)
    high = np.where(as_good, 0.0, high)
    return FromBest(np.minimum(low, 0.0), np.minimum(high, 0.0), as_good)


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


def rows_to_tell(difference: float, variance: float, n_rows: float, level: float) -> float:
    """Rows that separate two values with this difference, with a power of 80 %."""
    return n_rows * variance / _detectable_variance(difference, level)


def repeats_to_tell(difference: float, lasting: float, varying: float, level: float) -> float:
    """Repeats of the folds that separate two values with that power; infinite if none do.

    The variance of their difference is ``lasting + varying / repeats``: the part of the rows stays.
    """
    left = _detectable_variance(difference, level) - lasting
    return varying / left if left > 0 else np.inf


def _detectable_variance(difference: float, level: float) -> float:
    return float((difference / (quantile(level) + quantile(0.6))) ** 2)

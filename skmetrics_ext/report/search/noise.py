"""Joint noise of the candidates' mean values, from rows, resampled rows or folds."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from skmetrics_ext.inference.draws.atoms import Scatter
from skmetrics_ext.inference.draws.samples import TallySample
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.selection import CandidateNoise, repeats_to_separate, rows_to_separate
from skmetrics_ext.numeric import Array, parts
from skmetrics_ext.report.fold import Fold, FoldResult
from skmetrics_ext.report.out_of_fold import ScoredData
from skmetrics_ext.report.summary import FoldSample, NoIntervalError
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.validation import InvalidParameterError

_HELD = 1 << 27  # numbers held in memory; more are held in a file
_AT_ONCE = 1 << 22
_SLOW_DRAWS = 100  # draws for metrics that are computed draw by draw
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class MeanNoise:
    """Joint noise of the means over folds of k candidates, and what it was estimated from.

    Parameters
    ----------
    joint : CandidateNoise
    lasting : ndarray of shape (k, k) or None
        The part of the covariance that more repeats of the folds do not reduce; None if it is not
        known, because there is one repeat.
    n_units : int
        Number of rows, groups or folds that show the noise.
    unit : {"rows", "groups", "folds"}
    caveats : tuple of str
        Why the noise is a rough estimate.
    """

    joint: CandidateNoise
    lasting: Array | None
    n_units: int
    unit: str
    caveats: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether there is an estimate: the folds give none if there is one."""
        return self.unit != "folds" or self.n_units > 1

    @property
    def errors(self) -> Array:
        """Standard errors (k,) of the means; nan without an estimate."""
        variances = np.diag(self.joint.covariance)
        return np.sqrt(variances) if self.is_known else np.full(len(variances), np.nan)


@dataclass(eq=False, slots=True)
class RowNoise:
    """Contribution of each row (or group) to the mean over folds of each candidate.

    A row contributes its influence on the value of its fold, plus its share of the difference
    between that value and the mean over folds: the value of a small fold is not linear in its rows,
    and a fold with one row of a class shows none of its noise (Bayle, Bayle, Janson & Mackey 2020,
    all-pairs variance).

    Parameters
    ----------
    data : ScoredData
    metric : str
        Name of the metric.
    n_candidates : int
    round_of : ndarray of int of shape (J,)
        The repeat that each fold belongs to. Contributions are summed over two halves of the
        repeats: what both halves share does not depend on the folds.
    """

    data: ScoredData
    metric: str
    n_candidates: int
    round_of: Array
    unit_of: Array = field(init=False)  # row or group number of each row of the data
    contributions: Array = field(init=False)  # (halves, candidates, units)
    # Rows of each fold, and their shares in the weight of their class.
    class_shares: dict[int, tuple[Array, Array]] = field(init=False, default_factory=dict)
    # Samples to draw from, by candidate and fold, if the metric has no influence values.
    samples: dict[tuple[int, int], tuple[TallySample, Array]] = field(
        init=False, default_factory=dict
    )
    why: str = field(init=False, default="")  # why rows do not show the noise, if so

    def __post_init__(self) -> None:
        grouping, n_rows = self.data.grouping, len(self.data.y)
        self.unit_of = np.arange(n_rows) if grouping is None else grouping.of_row
        halves = 1 + int(self.round_of.max() > 0)
        self.contributions = _room((halves, self.n_candidates, int(self.unit_of.max()) + 1))
        if metric_of(self.data.scorers[self.metric]) is None:
            self.why = f"{self.metric} is not a metric of this package"

    @property
    def half_of(self) -> Array:
        """Half of the repeats, 0 or 1, that each fold belongs to, in turn."""
        return np.asarray(self.round_of % 2)

    def take(self, place: int, result: FoldResult) -> None:
        """Add a fold of the candidate at this place."""
        value = result.values[self.metric]
        if self.why or not np.isfinite(value):
            return
        try:
            sample, rows, _ = FoldSample.of(self.data, self.metric, self.data.predicted(result))
        except NoIntervalError as error:
            self.why = str(error)
            return
        statistic = linearize(sample)
        if self.samples or not statistic.has_influence:
            self.samples[place, result.fold] = sample, rows
            if self.class_shares:
                self.why = f"{self.metric} of some candidates has no derivative by its rows"
            return
        if result.fold not in self.class_shares:
            self.class_shares[result.fold] = rows, _shares(statistic)
        parts = self.data.sign(self.metric) * statistic.by_row[0]
        parts += value * self.class_shares[result.fold][1]
        self.contributions[self.half_of[result.fold], place] += np.bincount(
            self.unit_of[rows],
            weights=parts / len(self.round_of),
            minlength=self.contributions.shape[-1],
        )

    def of_means(
        self, kept: Array, splits: Array, overlap: float, n_draws: int, rng: np.random.Generator
    ) -> MeanNoise:
        """Noise of the means of values (k, J) of the kept candidates.

        ``overlap`` is the ratio of test rows to training rows, for noise from folds alone.
        """
        if self.why:
            return of_folds(splits, overlap, self.why)
        if self.samples:
            noise, lasting = self._of_draws(kept, n_draws, rng)
        else:
            noise, lasting = self._of_influence(kept, splits)
        unit = "rows" if self.data.grouping is None else "groups"
        return MeanNoise(noise, lasting, self._count_units(), unit)

    def _of_influence(self, kept: Array, splits: Array) -> tuple[CandidateNoise, Array | None]:
        """Noise from the contributions of rows or groups, and its lasting part."""
        shares = np.zeros((len(self.contributions), self.contributions.shape[-1]))
        for fold, (rows, share) in self.class_shares.items():
            units, half = self.unit_of[rows], self.half_of[fold]
            shares[half] += np.bincount(units, weights=share, minlength=shares.shape[-1])
        shares /= len(self.round_of)
        seen = np.flatnonzero(shares.any(axis=0))
        halves = np.arange(len(self.contributions))
        centre = np.array([splits[:, self.half_of == half].mean(axis=1) for half in halves])
        scale = np.sqrt(len(seen) / max(len(seen) - 1, 1))

        def parts_of(units: Array, centres: Array) -> Array:
            parts = self.contributions[np.ix_(halves, kept, units)]
            return np.asarray(scale * (parts - centres[:, :, None] * shares[:, None, units]))

        whole = np.broadcast_to(splits.mean(axis=1), centre.shape)
        chunks = np.array_split(seen, -(-len(seen) * len(kept) // _HELD))
        if len(chunks) == 1:
            noise = CandidateNoise.of(parts_of(seen, whole).sum(axis=0).T)
        else:
            of_chunks = (parts_of(units, whole).sum(axis=0) for units in chunks)
            noise = CandidateNoise.of_covariance(sum(part @ part.T for part in of_chunks))
        if len(halves) < 2:
            return noise, None
        second = float(self.half_of.mean())
        lasting = sum(_shared(*parts_of(units, centre)) for units in chunks) / (
            second * (1 - second)
        )
        return noise, np.asarray(lasting)

    def _count_units(self) -> int:
        """Number of rows or groups that were predicted."""
        rows: list[Array] = [rows for rows, _ in self.class_shares.values()]
        rows += [rows for _, rows in self.samples.values()]
        return len(np.unique(self.unit_of[np.concatenate(rows)]))

    def _of_draws(
        self, kept: Array, n_draws: int, rng: np.random.Generator
    ) -> tuple[CandidateNoise, Array | None]:
        """Noise from resampled rows or groups, and its lasting part; candidates share the draws."""
        samples = {key: part for key, part in self.samples.items() if key[0] in set(kept.tolist())}
        if any(sample.is_slow for sample, _ in samples.values()):
            n_draws = min(n_draws, _SLOW_DRAWS)
        seen = np.unique(self.unit_of[np.concatenate([rows for _, rows in samples.values()])])
        counts = np.zeros((n_draws, int(self.unit_of.max()) + 1), dtype=np.int32)
        counts[:, seen] = rng.multinomial(len(seen), np.full(len(seen), 1 / len(seen)), n_draws)
        shape, sign = (len(self.contributions), n_draws, len(kept)), self.data.sign(self.metric)
        sums, defined = np.zeros(shape), np.zeros(shape)
        place_of = {place: k for k, place in enumerate(kept.tolist())}
        for (place, fold), (sample, rows) in samples.items():
            drawn = sign * _drawn(sample, counts, self.unit_of[rows])
            known, cell = np.isfinite(drawn), np.s_[self.half_of[fold], :, place_of[place]]
            sums[cell] += np.where(known, drawn, 0.0)
            defined[cell] += known
        noise = CandidateNoise.of(_deviations(sums.sum(axis=0), defined.sum(axis=0)))
        if len(sums) < 2:
            return noise, None
        return noise, _shared(*(_deviations(*half).T for half in zip(sums, defined, strict=True)))


def _shared(first: Array, second: Array) -> Array:
    """Symmetric cross-covariance of contributions (k, r) of the same units in two halves."""
    both = first @ second.T
    return np.asarray((both + both.T) / 2)


def _deviations(sums: Array, defined: Array) -> Array:
    """Deviations of the means of draws (B, k), scaled so that their products are covariances."""
    means = sums / np.where(defined > 0, defined, np.nan)
    deviations = np.nan_to_num(means - np.nanmean(means, axis=0))
    return np.asarray(deviations / np.sqrt(max(len(means) - 1, 1)))


def of_folds(splits: Array, overlap: float, why: str) -> MeanNoise:
    """Noise from the values (k, J) of folds alone, by Nadeau and Bengio's corrected variance.

    The part added for overlapping training sets lasts. ``why`` says why rows do not show the noise.
    """
    n_folds = splits.shape[1]
    parts = (splits - splits.mean(axis=1, keepdims=True)) / np.sqrt(max(n_folds - 1, 1))
    noise = CandidateNoise.of(parts.T * np.sqrt(1 / n_folds + overlap))
    caveats = [f"{why}: the noise is a rough estimate from {n_folds} folds"]
    if n_folds < 2:
        caveats.append("the noise cannot be estimated from a single split")
    return MeanNoise(noise, overlap * parts @ parts.T, n_folds, "folds", tuple(caveats))


def rounds_of(folds: Sequence[Fold], n_rows: int) -> Array:
    """The repeat that each fold (J,) belongs to: how often its rows were tested before.

    If repeats differ in their number of folds, all folds count as one repeat.
    """
    seen, rounds = np.zeros(n_rows, dtype=np.int64), []
    for fold in folds:
        rounds.append(int(seen[fold.test].max(initial=0)))
        seen[fold.test] += 1
    sizes = np.bincount(rounds)
    return np.array(rounds) if (sizes == sizes[0]).all() else np.zeros(len(folds), dtype=np.int64)


def _shares(statistic: Linearized) -> Array:
    """Share of each row in the weight of its class, or of all rows, in the fold."""
    (parts, (label, *_)), weight = statistic.by_row, statistic.design.weight
    weight = np.ones(len(parts)) if weight is None else weight
    if label is None:
        return np.asarray(weight / weight.sum())
    return np.asarray(weight / np.bincount(label, weights=weight)[label])


def _drawn(sample: TallySample, counts: Array, unit_of: Array) -> Array:
    """The metric for each draw (B,) of the units."""
    by_unit = Scatter(sample.atoms.of_row, len(sample.atoms))
    blocks = parts(len(counts), max(_AT_ONCE // len(unit_of), 1))
    return np.concatenate([sample.statistic(by_unit(counts[block, unit_of])) for block in blocks])


def _room(shape: tuple[int, ...]) -> Array:
    """Zeros in memory, or in a temporary file if there are many."""
    n_bytes = 4 * math.prod(shape)
    if math.prod(shape) <= _HELD:
        return np.zeros(shape)
    try:
        with tempfile.TemporaryFile() as file:
            if hasattr(os, "posix_fallocate"):
                # Running out of disk space later would kill the process.
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            return np.memmap(file, dtype=np.float32, mode="w+", shape=shape)
    except OSError as error:
        raise InvalidParameterError(
            f"{shape[-2]} candidates need a temporary file of {n_bytes / (1 << 20):,.0f} MiB, "
            f"which could not be created ({error.strerror}): set TMPDIR to a folder with enough "
            "space, or pass fewer candidates."
        ) from error


@dataclass(frozen=True, eq=False, slots=True)
class TopTwoDifference:
    """Difference between the top two candidates, and its variance.

    Parameters
    ----------
    folds : ndarray of shape (J,)
        Differences on the folds.
    round_of : ndarray of int of shape (J,)
        The repeat that each fold belongs to.
    variance : float
        Variance of the mean difference.
    lasting : float or None
        The part of the variance that more repeats do not reduce; None with a single repeat.
    """

    folds: Array
    round_of: Array
    variance: float
    lasting: float | None

    @classmethod
    def of(cls, best: int, splits: Array, round_of: Array, noise: MeanNoise) -> TopTwoDifference:
        """The chosen candidate less the best of the others, from values (k, J)."""
        values = splits.mean(axis=1)
        other = int(np.where(np.arange(len(values)) == best, -np.inf, values).argmax())
        contrast = np.zeros(len(values))
        contrast[[best, other]] = 1.0, -1.0
        variance = float(contrast @ noise.joint.covariance @ contrast)
        lasting = None
        if noise.lasting is not None:
            lasting = max(float(contrast @ noise.lasting @ contrast), 0.0)
        return cls(contrast @ splits, round_of, variance, lasting)

    @property
    def n_repeats(self) -> int:
        """Number of repeats of the folds."""
        return int(self.round_of.max()) + 1

    @property
    def varying(self) -> float:
        """Variance of one repeat for given rows: that between repeats, or of rows if greater.

        The variance between repeats alone is too small, since they share the rows of a fold.
        """
        means = np.bincount(self.round_of, weights=self.folds) / np.bincount(self.round_of)
        between = float(means.var(ddof=1)) if len(means) > 1 else 0.0
        return max(between, self.n_repeats * (self.variance - (self.lasting or 0.0)))

    def description(self, n_units: int, units: str, level: float) -> str:
        """Sentence on how many rows (or groups, folds) and repeats would separate the two."""
        difference = abs(float(self.folds.mean()))
        if difference <= _ROUNDING or self.variance <= 0:
            return "the top two candidates have the same value: no number of rows separates them"
        needed = rows_to_separate(difference, self.variance, n_units, level)
        repeats = np.nan
        if self.lasting is not None:
            repeats = repeats_to_separate(difference, self.lasting, self.varying, level)
        if needed <= n_units:
            text = f"the {n_units} {units} are enough to separate the top two candidates"
            if self.n_repeats < repeats < np.inf:
                text += f", with about {_rounded(repeats)} repeats of the folds (now "
                text += f"{self.n_repeats})"
            return text
        if np.isnan(repeats):
            more = "repeat the folds to see whether more repeats would help"
        elif np.isinf(repeats):
            more = "more repeats of the folds are not enough: the noise of the rows remains"
        else:
            more = f"or about {_rounded(repeats)} repeats of the folds (now {self.n_repeats})"
        return (
            f"separating the top two (difference {difference:.3g}) takes about "
            f"{_rounded(needed)} {units} (power 80 %; now {n_units}); {more}"
        )


def _rounded(number: float) -> str:
    """A number with two significant digits."""
    return f"{float(f'{number:.2g}'):,.0f}"

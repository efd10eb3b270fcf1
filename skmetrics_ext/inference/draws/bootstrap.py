"""Bootstrap: values of a metric on other samples of the same source, and intervals from them.

Rows are drawn with replacement, within classes or strata or in whole groups if there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.inference.anytime import MIN_ROWS
from skmetrics_ext.inference.draws.atoms import block_sizes
from skmetrics_ext.inference.draws.samples import CELLS, Sample
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.progress import Progress, reporting
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_draws, check_integer

UPPER = "upper"  # one-sided
TWO_SIDED = ("expanded", "bca", "bootstrap", "basic")
BOOTSTRAP_METHODS = (*TWO_SIDED, UPPER)
# Draws per seed sequence: a seed gives the same draws only for the same numbers.
_BLOCK = 500
_SLOW_BLOCK = 50
MOST_DRAWS = 9999  # unless a number is given
LEAST_DRAWS = 1999  # then draws stop once the bounds have settled
_SETTLED = 0.025  # standard error of a bound by the draws, in widths of the interval
# Parts of the jackknife, at most.
_MOST_PARTS = 250


@dataclass(frozen=True, slots=True)
class DrawPlan:
    """How rows are drawn.

    Parameters
    ----------
    n_resamples : int or None
        Number of draws; None for as many as it takes to settle the bounds, at most `MOST_DRAWS`.
    stratified : bool
        Whether each class keeps its number of rows.
    random_state : int, Generator, RandomState, SeedSequence or None
        Source of the draws.
    n_jobs : int or None
        Number of processes; the draws are the same for any.
    progress : bool, callable or None
        Whether, or how, to report progress.
    min_rows : int
        Rows, or groups, from which anytime-valid intervals start; they need no draws.
    """

    n_resamples: int | None = None
    stratified: bool = False
    random_state: Any = 0
    n_jobs: int | None = None
    progress: Progress = None
    min_rows: int = MIN_ROWS

    def __post_init__(self) -> None:
        if self.n_resamples is not None:
            check_draws(self.n_resamples)
        check_integer("min_rows", self.min_rows, 1)
        if not isinstance(self.stratified, bool):
            check_option("stratified", self.stratified, (True, False))

    @property
    def most_draws(self) -> int:
        """Number of draws, unless they stop earlier."""
        return MOST_DRAWS if self.n_resamples is None else self.n_resamples

    @property
    def normal_draws(self) -> int:
        """Number of draws of normal errors, which are cheap."""
        return 100_000 if self.n_resamples is None else self.n_resamples


PLAN = DrawPlan()  # the default


# --------------------------------------------------------------------------- draws


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """The seed sequence that all blocks of draws are spawned from."""
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**63, size=4).tolist())
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(0, 2**31, size=8).tolist())
    if random_state is not None and not hasattr(random_state, "__index__"):
        raise InvalidParameterError(
            "random_state has to be None, an integer or a NumPy random generator, got "
            f"{random_state!r}."
        )
    seed = None if random_state is None else check_integer("random_state", random_state, 0)
    return np.random.SeedSequence(seed)


def resample(
    sample: Sample, plan: DrawPlan, level: Any = None, nulls: Sequence[float] = ()
) -> Array:
    """Values (n_resamples, ...) of a metric on drawn rows; nan where it is undefined.

    If the plan has no number of draws and ``level`` is given, draws stop when `is_settled` holds.
    """
    atoms = sample.atoms
    if plan.stratified:
        if atoms.group is not None:
            raise InvalidParameterError(
                "stratified=True draws within classes, and groups= draws whole groups, which may "
                "hold several classes: choose one."
            )
        if atoms.label is None:
            raise InvalidParameterError("stratified=True needs one class label per row in y_true.")
    block = partial(sample.of_draws, stratified=plan.stratified)
    values = np.empty((0, *np.shape(sample.value)))
    for drawn in in_blocks(block, _SLOW_BLOCK if sample.is_slow else _BLOCK, plan):
        values = np.concatenate([values, drawn])
        if plan.n_resamples is None and level is not None and is_settled(values, level, nulls):
            break
    return values


def is_settled(values: Array, level: Any, nulls: Sequence[float] = ()) -> bool:
    """Whether another set of draws would hardly move the bounds of an interval at this level.

    Nor past one of the ``nulls``, the hypotheses of a test. The standard error of a percentile is
    half the distance between the percentiles one standard error of its rank away (order statistics
    of a binomial, Woodruff 1952); it is doubled in variance for the bias correction, which is
    estimated from the same draws.
    """
    n_draws = len(values)
    if n_draws < LEAST_DRAWS:
        return False
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    rank_error = np.sqrt(2 * tails * (1 - tails) / n_draws)
    known = np.where(np.isfinite(values), values, np.nan)
    if np.isnan(known).all(axis=0).any():
        return True  # more draws would not help
    below, (low, high), above = (
        np.nanquantile(known, np.clip(ranks, 0.0, 1.0), axis=0)
        for ranks in (tails - rank_error, tails, tails + rank_error)
    )
    decided = [np.abs(np.mean(values < null) - tails) > 3 * rank_error for null in nulls]
    return bool((above - below <= 2 * _SETTLED * (high - low)).all() and np.all(decided))


def in_blocks(function: Callable[..., Array], size: int, plan: DrawPlan) -> Iterator[Array]:
    """Results of ``function(n_draws, seed)`` for blocks of draws, the same for any ``n_jobs``."""
    sizes = block_sizes(plan.most_draws, size)
    tasks = list(zip(sizes, seed_sequence(plan.random_state).spawn(len(sizes)), strict=True))
    with reporting(plan.progress, len(tasks), "block") as report:
        if plan.n_jobs in (None, 1):
            for i, task in enumerate(tasks):
                yield function(*task)
                report(i + 1)
            return
        from joblib import Parallel, delayed, effective_n_jobs

        jobs = Parallel(n_jobs=plan.n_jobs)
        wave = 4 * effective_n_jobs(plan.n_jobs)  # progress is reported after each
        for start in range(0, len(tasks), wave):
            part = tasks[start : start + wave]
            yield from jobs(delayed(function)(*task) for task in part)
            report(start + len(part))


# --------------------------------------------------------------------------- intervals


def bootstrap_bounds(
    sample: Sample,
    values: Array,
    method: str,
    level: Any,
    bounds: tuple[float, float],
    skewness: Array | None = None,
) -> tuple[Array, Array]:
    """Bounds from the values of draws by one of `BOOTSTRAP_METHODS`.

    The lower bound of "upper" is the least value of the metric. ``skewness`` is the `acceleration`,
    if it is known already.
    """
    value = np.asarray(sample.value, dtype=np.float64)
    flat = values.reshape(len(values), -1)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        skewness = acceleration(sample) if skewness is None else skewness
        levels = _corrected(flat, value.reshape(-1), skewness.reshape(-1), tails)
    else:
        if method == UPPER:
            tails = np.array([np.zeros(np.shape(level)), level])
        if method == "expanded":
            tails = _expanded(level, *rarest_class(sample))
        levels = np.repeat(tails[..., None], flat.shape[1], axis=-1)
    low, high = np.empty((2, *np.shape(level), flat.shape[1]))
    for k, column in enumerate(flat.T):
        defined = column[~np.isnan(column)]
        if len(defined) * 2 < len(column):  # mostly undefined: no interval
            low[..., k] = high[..., k] = np.nan
            continue
        # There is no interpolation between a number and infinity.
        rule: Any = "linear" if np.isfinite(defined).all() else "inverted_cdf"
        low[..., k], high[..., k] = np.quantile(defined, levels[..., k], method=rule)
    shape = (*np.shape(level), *value.shape)
    low, high = low.reshape(shape), high.reshape(shape)
    if method == UPPER:
        low = np.where(np.isnan(low), np.nan, bounds[0])
    if method == "basic":
        low, high = np.clip(2 * value - high, *bounds), np.clip(2 * value - low, *bounds)
    return np.minimum(low, value), np.maximum(high, value)


def _expanded(level: Any, rows: float, lost: float) -> Array:
    """Levels that make percentile intervals as wide as t intervals (Hesterberg 2015).

    The spread of draws of m rows about k means is too small by the root of (m - k) / m, and normal
    quantiles are too narrow for an estimated spread.
    """
    from scipy.special import ndtr, stdtrit

    freedom = max(rows - lost, 1.0)
    z = stdtrit(freedom, (1 + level) / 2) * np.sqrt((freedom + lost) / freedom)
    return np.asarray(ndtr(np.array([-z, z])))


def rarest_class(sample: Sample) -> tuple[float, float]:
    """Rows or groups of the rarest class, and degrees of freedom that the means of strata take."""
    atoms = sample.atoms
    if atoms.stratum is None:
        return sample.fewest_rows, 1.0
    label = np.zeros(len(atoms), dtype=np.int64) if atoms.label is None else atoms.label
    rows, n_classes = atoms.by_class(), int(label.max()) + 1
    rarest = int(np.where(rows > 0, rows, np.inf).argmin())
    return float(rows[rarest]), float(atoms.lost(label, n_classes)[rarest])


def _corrected(flat: Array, value: Array, skewness: Array, tails: Array) -> Array:
    """Levels of the quantiles (2, m) that correct for bias and acceleration (Efron 1987)."""
    from scipy.special import ndtr, ndtri

    below = (flat < value).sum(axis=0) + (flat == value).sum(axis=0) / 2
    defined = (~np.isnan(flat)).sum(axis=0)
    # At least half a draw on each side of the value, so that the correction is finite.
    share = np.clip(below, 0.5, np.maximum(defined - 0.5, 0.5)) / np.maximum(defined, 1)
    bias = ndtri(share)
    moved = bias + ndtri(tails)[..., None]
    room = 1 - np.where(np.isnan(skewness), 0.0, skewness) * moved
    levels = ndtr(bias + moved / np.where(room > 0, room, np.nan))
    return np.where(np.isnan(levels), tails[..., None], levels)


def acceleration(sample: Sample) -> Array:
    """A sixth of the skewness of the contributions of rows, by the jackknife.

    The parts left out are those of `parts_of`.
    """
    value = np.asarray(sample.value, dtype=np.float64)
    part, whole = parts_of(sample)
    atoms = sample.atoms
    sizes = np.bincount(part, weights=atoms.rows)
    n_at_once = max(CELLS // len(atoms), 1)
    without = []
    for start in range(0, len(sizes), n_at_once):
        left_out = part == np.arange(start, min(start + n_at_once, len(sizes)))[:, None]
        if whole:
            counts = np.where(left_out, 0, atoms.rows)
        else:  # the weight of one row, shared among the part, so that parts of any size compare
            counts = atoms.rows - left_out * (atoms.rows / sizes[start : start + n_at_once, None])
        without.append(sample.statistic(counts))
    with np.errstate(invalid="ignore"):  # of infinite values
        change = value - np.concatenate(without)
    change = np.where(np.isfinite(change), change, 0.0)
    rows = np.ones(len(sizes)) if whole else sizes
    rows = rows.reshape(-1, *(1,) * value.ndim)
    change = change - (rows * change).sum(axis=0) / rows.sum()
    squares, cubes = (rows * change**2).sum(axis=0), (rows * change**3).sum(axis=0)
    return divide(cubes, 6 * squares**1.5)


def parts_of(sample: Sample) -> tuple[Array, bool]:
    """The part of the jackknife that each atom is in, and whether parts are left out whole.

    A part is a group of rows, an atom, or some of many atoms that are neighbours by their scores.
    """
    atoms = sample.atoms
    if atoms.group is not None:
        return atoms.group, True
    n_atoms = len(atoms)
    n_parts = min(n_atoms, _MOST_PARTS)
    if sample.leaves_out_rows:
        return np.arange(n_atoms) % n_parts, True
    order = np.arange(n_atoms)
    if n_parts < n_atoms and atoms.label is not None:
        order = np.argsort(atoms.label, kind="stable")
    part = np.empty(n_atoms, dtype=np.int64)
    part[order] = np.arange(n_atoms) * n_parts // n_atoms
    return part, False

"""Bootstrap of a sample: what a metric would be on other samples of the same source.

Rows are drawn with replacement, within classes or in groups where that is asked for. Rows that
are alike to the metric are counted and not copied: a draw is a number for each unit.
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
from skmetrics_ext.validation.parameters import check_integer

UPPER = "upper"  # one-sided
TWO_SIDED = ("expanded", "bca", "bootstrap", "basic")
BOOTSTRAP_METHODS = (*TWO_SIDED, UPPER)
# Draws that share a seed: part of what it means.
_BLOCK = 500
_SLOW_BLOCK = 50
MOST_DRAWS = 9999  # where no number is given
LEAST_DRAWS = 1999  # from here on, draws stop when bounds have settled
_SETTLED = 0.025  # standard error of a bound by the draws, in widths of the interval
# The jackknife leaves out this many parts at most.
_MOST_PARTS = 250


@dataclass(frozen=True, slots=True)
class DrawPlan:
    """How rows are drawn.

    Parameters
    ----------
    n_resamples : int or None
        Number of draws; None for as many as settle the bounds, `MOST_DRAWS` at most.
    stratified : bool
        Whether each class keeps its number of rows.
    random_state : int, Generator, RandomState, SeedSequence or None
        Where the draws come from.
    n_jobs : int or None
        Number of processes; the draws are the same for any.
    progress : bool, callable or None
        Whether, or how, to tell how far it is.
    min_rows : int
        Rows, or groups, at which intervals that hold at every look start; they need no draws.
    """

    n_resamples: int | None = None
    stratified: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    progress: Progress = None
    min_rows: int = MIN_ROWS

    def __post_init__(self) -> None:
        if self.n_resamples is not None:
            check_integer("n_resamples", self.n_resamples, 1)
        check_integer("min_rows", self.min_rows, 1)
        if not isinstance(self.stratified, bool):
            check_option("stratified", self.stratified, (True, False))

    @property
    def most_draws(self) -> int:
        """Number of draws, if they are not stopped before."""
        return MOST_DRAWS if self.n_resamples is None else self.n_resamples


PLAN = DrawPlan()  # where nothing is asked


# --------------------------------------------------------------------------- draws


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """What all blocks of draws descend from."""
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**63, size=4).tolist())
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(0, 2**31, size=8).tolist())
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, bool) or not hasattr(random_state, "__index__"):
        raise InvalidParameterError(
            "random_state has to be None, an integer or a random generator of NumPy, got "
            f"{random_state!r}."
        )
    if random_state < 0:
        raise InvalidParameterError(f"random_state must not be negative, got {random_state!r}.")
    return np.random.SeedSequence(int(random_state))


def resample(
    sample: Sample, plan: DrawPlan, level: Any = None, nulls: Sequence[float] = ()
) -> Array:
    """Values (n_resamples, ...) of a metric on drawn rows; nan where it is undefined.

    With the level of the interval that is made of them, and no number of draws in the plan, they
    stop when its bounds have settled, and on which side of them each of the ``nulls`` is.
    """
    atoms = sample.atoms
    if plan.stratified:
        if atoms.group is not None:
            raise InvalidParameterError(
                "stratified=True draws within classes and groups= draws whole groups, which may "
                "hold several classes: choose one."
            )
        if atoms.label is None:
            raise InvalidParameterError("stratified=True needs one class label a row in y_true.")
    block = partial(_block, sample, plan.stratified)
    values = np.empty((0, *np.shape(sample.value)))
    for drawn in in_blocks(block, _SLOW_BLOCK if sample.is_slow else _BLOCK, plan):
        values = np.concatenate([values, drawn])
        if plan.n_resamples is None and level is not None and is_settled(values, level, nulls):
            break
    return values


def is_settled(values: Array, level: Any, nulls: Sequence[float] = ()) -> bool:
    """Whether another set of draws would move the percentiles by little of their distance.

    Nor would it move them past one of the ``nulls``, where a test has these for its hypotheses.

    The standard error of a percentile is half the distance between those a standard error of its
    rank away (order statistics of a binomial, Woodruff 1952); the correction for bias, which is
    estimated from the same draws, is counted like a percentile more.
    """
    n_draws = len(values)
    if n_draws < LEAST_DRAWS:
        return False
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    off = np.sqrt(2 * tails * (1 - tails) / n_draws)
    ranks = np.clip([tails - off, tails, tails + off], 0.0, 1.0)
    known = np.where(np.isfinite(values), values, np.nan)
    if np.isnan(known).all(axis=0).any():
        return True  # no draws tell more
    ends = np.nanquantile(known, tails, axis=0)
    below, above = (np.nanquantile(known, rank, axis=0) for rank in (ranks[0], ranks[2]))
    told = [np.abs(np.mean(values < null) - tails) > 3 * off for null in nulls]
    return bool((above - below <= 2 * _SETTLED * (ends[1] - ends[0])).all() and np.all(told))


def _block(sample: Sample, stratified: bool, n_draws: int, seed: np.random.SeedSequence) -> Array:
    return sample.of_draws(np.random.default_rng(seed), n_draws, stratified)


def in_blocks(function: Callable[..., Array], size: int, plan: DrawPlan) -> Iterator[Array]:
    """``function(n_draws, seed)`` of blocks of draws, which are the same for any ``n_jobs``."""
    sizes = block_sizes(plan.most_draws, size)
    tasks = list(zip(sizes, seed_sequence(plan.random_state).spawn(len(sizes)), strict=True))
    with reporting(plan.progress, len(tasks), "block") as told:
        if plan.n_jobs in (None, 1):
            for i, task in enumerate(tasks):
                yield function(*task)
                told(i + 1)
            return
        from joblib import Parallel, delayed, effective_n_jobs

        jobs = Parallel(n_jobs=plan.n_jobs)
        wave = 4 * effective_n_jobs(plan.n_jobs)  # between two, progress is told
        for start in range(0, len(tasks), wave):
            part = tasks[start : start + wave]
            yield from jobs(delayed(function)(*task) for task in part)
            told(start + len(part))


# --------------------------------------------------------------------------- intervals


def bootstrap_bounds(
    sample: Sample,
    values: Array,
    method: str,
    level: Any,
    bounds: tuple[float, float],
    skewness: Array | None = None,
) -> tuple[Array, Array]:
    """Bounds from the values of draws: by percentiles, plain, expanded or corrected, or basic.

    "upper" has one, and the least value that the metric has. ``skewness`` is the `acceleration`
    where it is known already.
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
        if len(defined) * 2 < len(column):  # a metric that is mostly undefined has no interval
            low[..., k] = high[..., k] = np.nan
            continue
        # Nothing is between a number and infinity.
        how: Any = "linear" if np.isfinite(defined).all() else "inverted_cdf"
        low[..., k], high[..., k] = np.quantile(defined, levels[..., k], method=how)
    shape = (*np.shape(level), *value.shape)
    down, up = low.reshape(shape), high.reshape(shape)
    if method == UPPER:
        down = np.where(np.isnan(down), np.nan, bounds[0])
    if method == "basic":
        down, up = np.clip(2 * value - up, *bounds), np.clip(2 * value - down, *bounds)
    return np.minimum(down, value), np.maximum(up, value)


def _expanded(level: Any, rows: float, lost: float) -> Array:
    """Levels of percentiles as wide as t intervals of so many rows are (Hesterberg 2015).

    Draws of m rows about k means spread by the root of (m - k) / m too little, and a normal
    interval is too narrow where the spread is an estimate.
    """
    from scipy.special import ndtr, stdtrit

    freedom = max(rows - lost, 1.0)
    away = stdtrit(freedom, (1 + level) / 2) * np.sqrt((freedom + lost) / freedom)
    return np.asarray(ndtr(np.array([-away, away])))


def rarest_class(sample: Sample) -> tuple[float, float]:
    """Its rows or groups, and how many of their degrees of freedom the means of strata take."""
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
    # No draw below the value, or none above: half a draw, lest the correction is infinite.
    share = np.clip(below, 0.5, np.maximum(defined - 0.5, 0.5)) / np.maximum(defined, 1)
    bias = ndtri(share)
    moved = bias + ndtri(tails)[..., None]
    room = 1 - np.where(np.isnan(skewness), 0.0, skewness) * moved
    levels = ndtr(bias + moved / np.where(room > 0, room, np.nan))
    return np.where(np.isnan(levels), tails[..., None], levels)


def acceleration(sample: Sample) -> Array:
    """A sixth of the skewness of what rows contribute, from values that lack a part of them.

    A part is an atom (its rows count alike), or of many atoms some that stand together in the
    order of the scores, or a group of rows.
    """
    full = np.asarray(sample.value, dtype=np.float64)
    part, whole = parts_of(sample)
    atoms = sample.atoms
    sizes = np.bincount(part, weights=atoms.rows)
    size = max(CELLS // len(atoms), 1)
    lacking = []
    for start in range(0, len(sizes), size):
        gone = part == np.arange(start, min(start + size, len(sizes)))[:, None]
        if whole:
            left = np.where(gone, 0, atoms.rows)
        else:  # one row's worth, shared among the part, so that parts of any size compare
            left = atoms.rows - gone * (atoms.rows / sizes[start : start + size, None])
        lacking.append(sample.statistic(left))
    with np.errstate(invalid="ignore"):  # of infinite values
        moved = full - np.concatenate(lacking)
    moved = np.where(np.isfinite(moved), moved, 0.0)
    rows = np.ones(len(sizes)) if whole else sizes
    rows = rows.reshape(-1, *(1,) * full.ndim)
    moved = moved - (rows * moved).sum(axis=0) / rows.sum()
    squares, cubes = (rows * moved**2).sum(axis=0), (rows * moved**3).sum(axis=0)
    return divide(cubes, 6 * squares**1.5)


def parts_of(sample: Sample) -> tuple[Array, bool]:
    """The part that each unit belongs to, and whether a part is left out as a whole."""
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

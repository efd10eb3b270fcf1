"""Permutation test of a difference between two models: their predictions change places."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan, in_blocks
from skmetrics_ext.inference.draws.pairs import PairSample
from skmetrics_ext.numeric import Array

_CELLS = 1 << 21  # of draws by atoms that are held at once
_SLOW = 100  # of calls of a function in Python
_ROUNDING = 1e-9  # of the larger value: differences so near to the observed one are equal to it


class PermutationResult(NamedTuple):
    """What a permutation test finds.

    ``exact`` says that all exchanges were counted, and ``orders`` how many patterns or draws there
    were, of which ``undefined`` had no value.
    """

    p_value: float
    exact: bool
    orders: int
    undefined: int


def permutation_test(
    sample: PairSample, alternative: str = "two-sided", plan: DrawPlan = PLAN
) -> PermutationResult:
    """Chance of a difference at least as large where each row is either model's alike.

    All exchanges are counted where these are no more than the draws; else the observed order is
    one of the draws (Phipson & Smyth 2010). A difference that is undefined counts
    as large.
    """
    sizes = _sizes(sample)
    observed = sample.exchanged(np.zeros((1, len(sample.atoms)), dtype=np.int64))[0]
    if np.isnan(observed):
        return PermutationResult(float("nan"), False, 0, 0)
    limit = observed, _ROUNDING * max(map(abs, sample.values)), alternative
    if np.log1p(sizes).sum() <= np.log(plan.n_resamples + 1.5):
        large, undefined, count = 0.0, 0, 0
        for patterns, chances in _all_patterns(sample, sizes):
            differences = sample.exchanged(_on_atoms(sample, patterns))
            large += float(chances[_as_large(differences, *limit)].sum())
            undefined += int(np.isnan(differences).sum())
            count += len(patterns)
        return PermutationResult(min(large, 1.0), True, count, undefined)
    drawn_large = undefined = 0
    for differences in in_blocks(partial(_drawn, sample, sizes), _rows_at_once(sample), plan):
        drawn_large += int(_as_large(differences, *limit).sum())
        undefined += int(np.isnan(differences).sum())
    p_value = (drawn_large + 1) / (plan.n_resamples + 1)
    return PermutationResult(p_value, False, plan.n_resamples, undefined)


def _as_large(differences: Array, observed: float, rounding: float, alternative: str) -> Array:
    if alternative == "two-sided":
        inside = np.abs(differences) < abs(observed) - rounding
    elif alternative == "greater":
        inside = differences < observed - rounding
    else:
        inside = differences > observed + rounding
    return ~inside


# --------------------------------------------------------------------------- exchanges
# An atom is exchanged some number of times between 0 and its number of rows; a group of rows as a
# whole or not at all. Atoms that are the same to both models need no exchange.


def _sizes(sample: PairSample) -> Array:
    """How often each atom, or each group, may be exchanged."""
    atoms = sample.atoms
    if atoms.group is None:
        return np.where(sample.differs, atoms.rows, 0)
    sizes = np.zeros(atoms.n_groups, dtype=np.int64)
    sizes[atoms.group[sample.differs]] = 1
    return sizes


def _on_atoms(sample: PairSample, exchanges: Array) -> Array:
    """Numbers of rows exchanged of each atom (B, U)."""
    if sample.atoms.group is None:
        return exchanges
    return np.asarray(exchanges[:, sample.atoms.group] * sample.atoms.rows)


def _all_patterns(sample: PairSample, sizes: Array) -> Iterator[tuple[Array, Array]]:
    """Every way to exchange (B, U) and the chance of each, in parts."""
    from scipy.special import comb

    n_patterns, each = int(np.prod(sizes + 1)), _rows_at_once(sample)
    for start in range(0, n_patterns, each):
        rest = np.arange(start, min(start + each, n_patterns))
        patterns = np.zeros((len(rest), len(sizes)), dtype=np.int64)
        chances = np.ones(len(rest))
        for k in np.flatnonzero(sizes):
            rest, patterns[:, k] = np.divmod(rest, sizes[k] + 1)
            chances *= comb(sizes[k], patterns[:, k]) * 0.5 ** float(sizes[k])
        yield patterns, chances


def _rows_at_once(sample: PairSample) -> int:
    each = max(_CELLS // (4 * len(sample.atoms)), 1)
    return min(each, _SLOW) if sample.is_slow else each


def _drawn(sample: PairSample, sizes: Array, count: int, seed: np.random.SeedSequence) -> Array:
    rng = np.random.default_rng(seed)
    exchanges = np.zeros((count, len(sizes)), dtype=np.int64)
    single, several = np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)
    exchanges[:, single] = rng.integers(0, 2, (count, len(single)), dtype=np.int8)
    exchanges[:, several] = rng.binomial(sizes[several], 0.5, (count, len(several)))
    return sample.exchanged(_on_atoms(sample, exchanges))

"""Two models on the same rows: the bootstrap of their difference, and the permutation test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.atoms import PLAIN, Atoms, RowDesign, Scatter, joined_codes
from skmetrics_ext.inference.draws.bootstrap import DrawPlan, in_blocks
from skmetrics_ext.inference.draws.readers import sample_of
from skmetrics_ext.inference.draws.samples import FunctionSample, RowSample, Sample
from skmetrics_ext.metrics.family import RANKING
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import Labels
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.labels import read_labels, response_name

_CELLS = 1 << 21  # numbers held at once
_SLOW = 100  # exchanges at once, if each is a call of a Python function
_ROUNDING = 1e-9  # of the larger value: differences closer to the observed one equal it


@dataclass(frozen=True, eq=False)
class PairSample(Sample):
    """The difference of a metric between two models on the same rows.

    ``sides`` are the samples of the models, ``atoms`` rows that are alike for both of them.
    """

    sides: tuple[Sample, Sample]
    values: tuple[float, float]
    design: RowDesign = PLAIN  # without weights: the atoms of the sides distinguish those

    @cached_property
    def _side_atoms(self) -> list[Array]:
        """The atom of each row, for either model."""
        return [side.atoms.of_row for side in self.sides]

    @cached_property
    def _joint(self) -> tuple[Atoms, Array]:
        """Joint atoms of both models, and a row of each."""
        first, second = self._side_atoms
        label = self.sides[0].atoms.label
        kind = joined_codes([first, second])
        return Atoms.alike(self.design, None if label is None else label[first], kind)

    @property
    def atoms(self) -> Atoms:
        return self._joint[0]

    @cached_property
    def of_models(self) -> list[Array]:
        """The atom of either model that each joint atom belongs to."""
        return [atom[self._joint[1]] for atom in self._side_atoms]

    @cached_property
    def scatters(self) -> list[Scatter]:
        """Sums of joint atoms over the atoms of either model."""
        pairs = zip(self.of_models, self.sides, strict=True)
        return [Scatter(index, len(side.atoms)) for index, side in pairs]

    @property
    def is_slow(self) -> bool:
        return any(side.is_slow for side in self.sides)

    @property
    def is_turned(self) -> bool:
        """Whether the models are not in the canonical order, in which the difference is positive.

        Draws are made in that order alone, so that results do not depend on the order of models.
        """
        if self.value != 0:
            return bool(self.value < 0)
        first, second = self._side_atoms
        differing = np.flatnonzero(first != second)[:1]
        return bool((first[differing] > second[differing]).any())

    def statistic(self, counts: Array) -> Array:
        pairs = zip(self.sides, self.scatters, strict=True)
        return _difference(*(side.statistic(scatter(counts)) for side, scatter in pairs))


class ExchangeSample(PairSample):
    """Two models whose predictions are exchanged in some of the rows.

    Both sides are one sample of 2 n rows, those of the first model followed by those of the second;
    the value of a model is read from n of them.
    """

    @cached_property
    def _side_atoms(self) -> list[Array]:
        return np.split(self.sides[0].atoms.of_row, 2)

    @cached_property
    def differs(self) -> Array:
        """Whether each joint atom is another atom for the second model."""
        return np.asarray(self.of_models[0] != self.of_models[1])

    def exchanged(self, swapped: Array) -> Array:
        """Differences (B,) after the models change places in swapped[b, u] rows of atom u."""
        kept, (first, second), both = self.atoms.rows - swapped, self.scatters, self.sides[0]
        new_first = both.statistic(first(kept) + second(swapped))
        new_second = both.statistic(first(swapped) + second(kept))
        return _difference(new_first, new_second)

    def agrees(self) -> bool:
        """Whether the joint sample gives both models the values that they have alone."""
        rows = self.atoms.rows[None]
        values = [float(self.sides[0].statistic(scatter(rows))[0]) for scatter in self.scatters]
        return bool(np.allclose(values, self.values, rtol=1e-9, atol=1e-12, equal_nan=True))


def _difference(first: Array, second: Array) -> Array:
    """Differences; nan where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.asarray(first - second)


def pair_of_samples(first: Sample, second: Sample) -> PairSample:
    """The pair of two models on the same rows."""
    values = float(first.value), float(second.value)
    design = replace(first.design, weight=None)
    return PairSample(first.metric, values[0] - values[1], (first, second), values, design)


def exchange_of_samples(first: Any, second: Any) -> ExchangeSample:
    """Two models that are exchanged in rows or whole groups, within or across strata.

    Scores of a ranking are exchanged as ranks, so that both models have one scale.
    """
    design = replace(first.design, stratum=None)
    twice, values = design.twice(), (float(first.value), float(second.value))

    def exchange(both: Sample) -> ExchangeSample:
        difference = values[0] - values[1]
        rows = replace(design, weight=None)
        return ExchangeSample(both.metric, difference, (both, both), values, rows)

    if isinstance(first, FunctionSample):
        true = stack_rows(first.y_true, second.y_true)
        pred = stack_rows(first.y_pred, second.y_pred)
        weight = None if first.weight is None else np.tile(first.weight, 2)
        return exchange(FunctionSample(first.metric, first.value, true, pred, weight, twice))
    metric, a, b = first.metric, first.data, second.data
    if metric.spec.family is RANKING and metric.spec.response == "scores":
        a, b = (replace(data, score=midrank_shares(data.score), cache={}) for data in (a, b))
    data = _stacked(a, b)
    pair = exchange(sample_of(metric, data, twice, first.value))
    if pair.is_slow or pair.agrees():
        return pair
    # The metric reads the classes that occur, and these differ: each draw has its own classes.
    return exchange(RowSample(metric, first.value, data, twice))


def midrank_shares(scores: Any) -> Array:
    """Midranks of each column, divided by n + 1; two columns that sum to 1 still do."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(scores, axis=0) / (len(scores) + 1))


# --------------------------------------------------------------------------- rows below rows


def _stacked(first: Any, second: Any) -> Any:
    """Checked data of one model followed by those of another."""
    name, classes = response_name(first), first.classes
    rows = [(data.true, getattr(data, name)) for data in (first, second)]
    changes: dict[str, Any] = {}
    if isinstance(first, Labels) and not np.array_equal(classes, second.classes):
        classes = _union(classes, second.classes)
        codes = [find_labels(data.classes, classes) for data in (first, second)]
        rows = [(code[true], code[pred]) for code, (true, pred) in zip(codes, rows, strict=True)]
        changes["kind"] = "multiclass" if len(classes) > 2 else "binary"
    if name == "proba":
        changes["eps"] = min(first.eps, second.eps)
    if first.weight is not None:
        changes["weight"] = np.concatenate([first.weight, second.weight])
    true, response = (stack_rows(*columns) for columns in zip(*rows, strict=True))
    changes |= {"classes": classes, "true": true, name: response}
    return replace(first, **changes, cache={})


def _union(first: Array, second: Array) -> Array:
    """Classes of both models, in an order that keeps both of theirs."""
    merged, place = first.tolist(), 0
    for label in second.tolist():
        if label in merged:
            place = merged.index(label)
        else:
            merged.insert(place, label)
        place += 1
    return read_labels(merged)


def stack_rows(first: Any, second: Any) -> Any:
    """The rows of one container followed by those of another, in a container of their type."""
    module = type(first).__module__.partition(".")[0]
    if type(first) is type(second):
        if module == "pandas":
            return sys.modules["pandas"].concat([first, second], ignore_index=True)
        if module == "polars":
            return sys.modules["polars"].concat([first, second])
        if isinstance(first, list | tuple):
            return [*first, *second]
        if hasattr(first, "tocsr"):
            return sys.modules["scipy.sparse"].vstack([first, second]).tocsr()
    parts = [_plain(data) for data in (first, second)]
    if len({part.dtype.kind in "biuf" for part in parts}) > 1:  # numbers would turn into text
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)


def _plain(data: Any) -> Array:
    column = read_column(data, "y_pred")
    return np.asarray(column.values.toarray() if column.is_sparse else column.labels)


# --------------------------------------------------------------------------- permutation test


class PermutationResult(NamedTuple):
    """Result of a permutation test.

    ``exact``: whether all exchanges were counted. ``orders``: the number of patterns or draws, of
    which ``undefined`` had no value.
    """

    p_value: float
    exact: bool
    orders: int
    undefined: int


def permutation_test(
    sample: ExchangeSample, plan: DrawPlan, alternative: str = "two-sided"
) -> PermutationResult:
    """Chance of a difference at least as large if models are exchanged at random in each row.

    All exchanges are counted if these are no more than the draws; otherwise the observed order is
    one of the draws (Phipson & Smyth 2010). Undefined differences count as large.
    """
    sizes = _sizes(sample)
    observed = sample.exchanged(np.zeros((1, len(sample.atoms)), dtype=np.int64))[0]
    if np.isnan(observed):
        return PermutationResult(float("nan"), False, 0, 0)
    limit = observed, _ROUNDING * max(map(abs, sample.values)), alternative
    exact = bool(np.log1p(sizes).sum() <= np.log(plan.most_draws + 1.5))
    if exact:
        blocks = _all_exchanged(sample, sizes)
    else:
        drawn = in_blocks(partial(_drawn, sample, sizes), _exchanges_at_once(sample), plan)
        blocks = ((differences, np.ones(len(differences))) for differences in drawn)
    large, undefined, count = 0.0, 0, 0
    for differences, weights in blocks:
        large += float(weights[_as_large(differences, *limit)].sum())
        undefined += int(np.isnan(differences).sum())
        count += len(differences)
    p_value = min(large, 1.0) if exact else (large + 1) / (count + 1)
    return PermutationResult(p_value, exact, count, undefined)


def _as_large(differences: Array, observed: float, rounding: float, alternative: str) -> Array:
    if alternative == "two-sided":
        inside = np.abs(differences) < abs(observed) - rounding
    elif alternative == "greater":
        inside = differences < observed - rounding
    else:
        inside = differences > observed + rounding
    return ~inside


# --------------------------------------------------------------------------- exchanges
# Any number of the rows of an atom may be exchanged, and either all rows of a group or none. Atoms
# that are alike for both models need no exchange.


def _sizes(sample: ExchangeSample) -> Array:
    """How many rows of each atom may be exchanged; 1 for each group that may be."""
    atoms = sample.atoms
    if atoms.group is None:
        return np.where(sample.differs, atoms.rows, 0)
    sizes = np.zeros(atoms.n_groups, dtype=np.int64)
    sizes[atoms.group[sample.differs]] = 1
    return sizes


def _on_atoms(sample: ExchangeSample, exchanges: Array) -> Array:
    """Number of exchanged rows of each atom (B, U), from exchanges of atoms or groups."""
    if sample.atoms.group is None:
        return exchanges
    return np.asarray(exchanges[:, sample.atoms.group] * sample.atoms.rows)


def _all_exchanged(sample: ExchangeSample, sizes: Array) -> Iterator[tuple[Array, Array]]:
    """Differences (B,) after all patterns of exchanges, and the chance of each, in parts."""
    from scipy.special import comb

    n_patterns, n_at_once = int(np.prod(sizes + 1)), _exchanges_at_once(sample)
    for start in range(0, n_patterns, n_at_once):
        rest = np.arange(start, min(start + n_at_once, n_patterns))
        patterns = np.zeros((len(rest), len(sizes)), dtype=np.int64)
        chances = np.ones(len(rest))
        for k in np.flatnonzero(sizes):
            rest, patterns[:, k] = np.divmod(rest, sizes[k] + 1)
            chances *= comb(sizes[k], patterns[:, k]) * 0.5 ** float(sizes[k])
        yield sample.exchanged(_on_atoms(sample, patterns)), chances


def _exchanges_at_once(sample: ExchangeSample) -> int:
    n_at_once = max(_CELLS // (4 * len(sample.atoms)), 1)
    return min(n_at_once, _SLOW) if sample.is_slow else n_at_once


def _drawn(sample: ExchangeSample, sizes: Array, count: int, seed: np.random.SeedSequence) -> Array:
    rng = np.random.default_rng(seed)
    exchanges = np.zeros((count, len(sizes)), dtype=np.int64)
    single, several = np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)
    exchanges[:, single] = rng.integers(0, 2, (count, len(single)), dtype=np.int8)
    exchanges[:, several] = rng.binomial(sizes[several], 0.5, (count, len(several)))
    return sample.exchanged(_on_atoms(sample, exchanges))

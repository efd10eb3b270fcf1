"""A metric of two models on the same rows, resampled, or with their predictions exchanged."""

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
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import Labels
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.labels import read_labels, response_name

_CELLS = 1 << 21  # of draws by atoms that are held at once
_SLOW = 100  # of calls of a function in Python
_ROUNDING = 1e-9  # of the larger value: differences so near to the observed one are equal to it


@dataclass(frozen=True, eq=False)
class PairSample(Sample):
    """The difference of a metric between two models, as a function of what is drawn.

    ``sides`` are the metric of either model; ``atoms`` are rows that are alike to both models.
    """

    sides: tuple[Sample, Sample]
    values: tuple[float, float]
    design: RowDesign = PLAIN  # without weights, which distinguish no rows that the sides do not

    @cached_property
    def _of_rows(self) -> tuple[Array, Array]:
        """The atom of each row, of either model."""
        first, second = (side.atoms.of_row for side in self.sides)
        return first, second

    @cached_property
    def _joint(self) -> tuple[Atoms, Array]:
        """Atoms of both models, and a row of each."""
        first, second = self._of_rows
        label = self.sides[0].atoms.label
        kind = joined_codes([first, second])
        return Atoms.alike(self.design, None if label is None else label[first], kind)

    @property
    def atoms(self) -> Atoms:
        return self._joint[0]

    @cached_property
    def of_models(self) -> tuple[Array, Array]:
        """The atom of either model that each atom is."""
        first, second = self._of_rows
        return first[self._joint[1]], second[self._joint[1]]

    @cached_property
    def scatters(self) -> tuple[Scatter, Scatter]:
        """Sums of atoms by those of either model."""
        first, second = (
            Scatter(index, len(side.atoms))
            for index, side in zip(self.of_models, self.sides, strict=True)
        )
        return first, second

    @property
    def is_slow(self) -> bool:
        return any(side.is_slow for side in self.sides)

    @property
    def is_turned(self) -> bool:
        """Whether the models come in the order in which they are not drawn.

        Either order has the same draws when one of them is: that of a difference above 0.
        """
        if self.value != 0:
            return bool(self.value < 0)
        first, second = self._of_rows
        apart = np.flatnonzero(first != second)[:1]
        return bool((first[apart] > second[apart]).any())

    def statistic(self, counts: Array) -> Array:
        """Differences (B,) where atom u is drawn counts[b, u] times."""
        first, second = (
            side.statistic(by(counts)) for side, by in zip(self.sides, self.scatters, strict=True)
        )
        return _difference(first, second)


class ExchangeSample(PairSample):
    """Two models whose predictions are exchanged.

    Both sides read the rows of the first model and, after them, those of the second: one metric
    of 2 n rows, of which half are read for a model.
    """

    @cached_property
    def _of_rows(self) -> tuple[Array, Array]:
        first, second = np.split(self.sides[0].atoms.of_row, 2)
        return first, second

    @cached_property
    def differs(self) -> Array:
        """Whether each atom is another one to the second model."""
        return np.asarray(self.of_models[0] != self.of_models[1])

    def exchanged(self, swapped: Array) -> Array:
        """Differences (B,) where the models change places in swapped[b, u] rows of atom u."""
        kept, (first, second), both = self.atoms.rows - swapped, self.scatters, self.sides[0]
        there = both.statistic(first(kept) + second(swapped))
        back = both.statistic(first(swapped) + second(kept))
        return _difference(there, back)

    def agrees(self) -> bool:
        """Whether both models have, read together, the values that they have alone."""
        rows = self.atoms.rows[None]
        found = [float(self.sides[0].statistic(by(rows))[0]) for by in self.scatters]
        return bool(np.allclose(found, self.values, rtol=1e-9, atol=1e-12, equal_nan=True))


def _difference(first: Array, second: Array) -> Array:
    """nan where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.asarray(first - second)


def pair_of_samples(first: Sample, second: Sample) -> PairSample:
    """A metric of two models on the same rows."""
    values = float(first.value), float(second.value)
    design = replace(first.design, weight=None)
    return PairSample(first.metric, values[0] - values[1], (first, second), values, design)


def exchange_of_samples(first: Any, second: Any) -> ExchangeSample:
    """A metric of two models that change places in a row, or group, whatever its stratum.

    Exchanges of rankings are those of ranks, which have one scale.
    """
    design = replace(first.design, stratum=None)
    twice, values = design.twice(), (float(first.value), float(second.value))
    if isinstance(first, FunctionSample):
        true = stack_rows(first.y_true, second.y_true)
        pred = stack_rows(first.y_pred, second.y_pred)
        weight = None if first.weight is None else np.tile(first.weight, 2)
        both: Sample = FunctionSample(first.metric, first.value, true, pred, weight, twice)
        return _exchange(both, values, design)
    metric, a, b = first.metric, first.data, second.data
    if (metric.spec.tally, metric.spec.response) == ("ranks", "scores"):
        a, b = (replace(one, score=midrank_shares(one.score), cache={}) for one in (a, b))
    data = _stacked(a, b)
    pair = _exchange(sample_of(metric, data, twice, first.value), values, design)
    if pair.is_slow or pair.agrees():
        return pair
    # The models differ in which classes occur, and the metric reads those that do: each draw has
    # classes of its own.
    return _exchange(RowSample(metric, first.value, data, twice), values, design)


def _exchange(both: Sample, values: tuple[float, float], design: RowDesign) -> ExchangeSample:
    about = (both, both), values, replace(design, weight=None)
    return ExchangeSample(both.metric, values[0] - values[1], *about)


def midrank_shares(scores: Any) -> Array:
    """Midranks of each column over n + 1; of two columns that sum to 1 they still do."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(scores, axis=0) / (len(scores) + 1))


# --------------------------------------------------------------------------- rows below rows


def _stacked(first: Any, second: Any) -> Any:
    """Checked data of one model and, below them, those of another."""
    name, classes = response_name(first), first.classes
    parts = [(one.true, getattr(one, name)) for one in (first, second)]
    about = {}
    if isinstance(first, Labels) and not np.array_equal(classes, second.classes):
        classes = _union(classes, second.classes)
        places = [find_labels(one.classes, classes) for one in (first, second)]
        parts = [
            (place[true], place[pred]) for place, (true, pred) in zip(places, parts, strict=True)
        ]
        about["kind"] = "multiclass" if len(classes) > 2 else "binary"
    if name == "proba":
        about["eps"] = min(first.eps, second.eps)
    (true_a, a), (true_b, b) = parts
    weight = None if first.weight is None else np.concatenate([first.weight, second.weight])
    rows = {"true": stack_rows(true_a, true_b), name: stack_rows(a, b), "weight": weight}
    return replace(first, classes=classes, **rows, **about, cache={})


def _union(first: Array, second: Array) -> Array:
    """Classes of both, in the order of either."""
    merged, place = first.tolist(), 0
    for label in second.tolist():
        if label in merged:
            place = merged.index(label)
        else:
            merged.insert(place, label)
        place += 1
    return read_labels(merged)


def stack_rows(first: Any, second: Any) -> Any:
    """The rows of one container and, below them, those of another, of its kind if it can be."""
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
    values = column.values if column.categories is None else column.categories[column.values]
    return np.asarray(values.toarray() if column.is_sparse else values)


# --------------------------------------------------------------------------- permutation test


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
    sample: ExchangeSample, plan: DrawPlan, alternative: str = "two-sided"
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
    if np.log1p(sizes).sum() <= np.log(plan.most_draws + 1.5):
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
    p_value = (drawn_large + 1) / (plan.most_draws + 1)
    return PermutationResult(p_value, False, plan.most_draws, undefined)


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


def _sizes(sample: ExchangeSample) -> Array:
    """How often each atom, or each group, may be exchanged."""
    atoms = sample.atoms
    if atoms.group is None:
        return np.where(sample.differs, atoms.rows, 0)
    sizes = np.zeros(atoms.n_groups, dtype=np.int64)
    sizes[atoms.group[sample.differs]] = 1
    return sizes


def _on_atoms(sample: ExchangeSample, exchanges: Array) -> Array:
    """Numbers of rows exchanged of each atom (B, U)."""
    if sample.atoms.group is None:
        return exchanges
    return np.asarray(exchanges[:, sample.atoms.group] * sample.atoms.rows)


def _all_patterns(sample: ExchangeSample, sizes: Array) -> Iterator[tuple[Array, Array]]:
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


def _rows_at_once(sample: ExchangeSample) -> int:
    each = max(_CELLS // (4 * len(sample.atoms)), 1)
    return min(each, _SLOW) if sample.is_slow else each


def _drawn(sample: ExchangeSample, sizes: Array, count: int, seed: np.random.SeedSequence) -> Array:
    rng = np.random.default_rng(seed)
    exchanges = np.zeros((count, len(sizes)), dtype=np.int64)
    single, several = np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)
    exchanges[:, single] = rng.integers(0, 2, (count, len(single)), dtype=np.int8)
    exchanges[:, several] = rng.binomial(sizes[several], 0.5, (count, len(several)))
    return sample.exchanged(_on_atoms(sample, exchanges))

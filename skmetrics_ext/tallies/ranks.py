"""RankTally: the weight of each class at each distinct score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from warnings import warn

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import MOST_FACTOR, Array, as_factors, exclusive_cumsum
from skmetrics_ext.tallies.counts import Counts
from skmetrics_ext.tallies.merging import Merges, check_pool, check_sum
from skmetrics_ext.validation import InvalidParameterError, Scores
from skmetrics_ext.validation.fields import EXACT, scores_of, shape_error, weights_of
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.scores import check_mergeable
from skmetrics_ext.validation.tables import check_weights

_KEPT_CELLS = 1 << 24  # scores by class up to which tallies are cached for other metrics


class Steps(NamedTuple):
    """Cumulative weights of both classes along a ranking, or a stretch of it.

    ``fp`` and ``tp`` (..., T + 1) are the weights at or above each score, after the weights above
    all of them; ``negative`` and ``positive`` (...) are the weights in the whole ranking.
    """

    fp: Array
    tp: Array
    negative: Array
    positive: Array


class Wins(NamedTuple):
    """Correctly ranked pairs of rows, enough for areas under the ROC curve.

    ``twice`` (...) is twice the weight of the pairs of a positive and a negative row that are
    ranked correctly, ties counted once; ``negative`` and ``positive`` are the weights of both
    classes.
    """

    twice: Array
    negative: Array
    positive: Array

    @classmethod
    def of_area(cls, area: Array) -> Self:
        """Wins with a given area under the ROC curve."""
        one = np.ones(np.shape(area))
        return cls(2 * area, one, one)

    def wins(self) -> Wins:
        return self


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class RankTally(Merges):
    """Weight of each class at each distinct score, highest score first.

    It stores increments, which merge exactly; cumulative sums are computed on demand.

    Parameters
    ----------
    thresholds : array-like of shape (T,)
        The distinct scores, falling.
    mass : array-like of shape (..., C, T)
        Weight of each class at each score; for a binary problem C = 2, the negative class
        first. int64 or float64.

    Examples
    --------
    >>> from skmetrics_ext.tallies import RankTally
    >>> tally = RankTally.from_predictions([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.4])
    >>> tally.thresholds, tally.positive, tally.negative
    (array([0.8, 0.4, 0.1]), array([1, 1, 0]), array([0, 1, 1]))
    """

    thresholds: Array
    mass: Array

    def __post_init__(self) -> None:
        scores, mass = self.thresholds, self.mass
        if not (type(scores) is type(mass) is np.ndarray and mass.dtype.char in EXACT):
            scores, mass = scores_of(self, "thresholds"), weights_of(self, "mass")
        if scores.ndim != 1 or not (scores[1:] < scores[:-1]).all():
            raise InvalidParameterError(f"thresholds must fall, got {scores.tolist()!r:.80}.")
        if mass.ndim < 2 or mass.shape[-1] != len(scores):
            raise shape_error("mass", mass, f"(..., C, {len(scores)}), as thresholds says")
        check_weights("mass", mass)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        labels: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Sort the scores of a binary problem once and count both classes at each.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes.
        y_score : array-like of shape (n_samples,)
            Scores, higher for the positive class.
        labels : array-like of shape (2,), default=None
            The two classes, the negative one first, if these rows may lack one of them.
        pos_label : int, float, bool or str, default=None
            The positive class. By default the second of ``labels``, else 1 of {0, 1} or {-1, 1},
            or True; other labels have to say.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, in a unit that all parts share.

        Returns
        -------
        RankTally
        """
        (true, score), weight = read_rows(
            sample_weight, False, True, y_true=y_true, y_score=y_score
        )
        check_mergeable(score)
        checked = Scores.check(
            true, score, labels=labels, pos_label=pos_label, side="one", what="A RankTally"
        )
        return cls.from_scores(checked.score, checked.true, 2, weight)

    @classmethod
    def from_scores(cls, score: Array, codes: Array, n_classes: int, weight: Array | None) -> Self:
        """Tally of checked scores and class codes; rows with weight 0 are left out."""
        if weight is not None:
            kept = weight != 0
            if not kept.all():
                score, codes, weight = score[kept], codes[kept], weight[kept]
        return cls(*kernels.rank_table(score, codes, n_classes, weight))

    @classmethod
    def of_marks(cls, score: Array, marks: Array, weight: Array | None = None) -> Self:
        """Tally of checked scores of one class, from marks of its rows."""
        return cls.from_scores(score, marks.astype(np.int64, copy=False), 2, weight)

    @classmethod
    def of_class(cls, checked: Scores, code: int = 1) -> Self:
        """One class of checked scores against the rest, cached with the scores."""
        known = checked.cache.get(("class", code))
        if known is not None:
            return known
        score, marks = checked.score, checked.true
        if checked.kind != "binary":
            score = score[:, code]
            marks = marks == code if checked.kind == "multiclass" else marks[:, code]
        tally = cls.of_marks(score, marks, checked.weight)
        if checked.score.size <= _KEPT_CELLS:
            checked.cache["class", code] = tally
        return tally

    @classmethod
    def of_cells(cls, checked: Scores) -> Self:
        """Every cell of the (n, K) scores as a row of one binary problem, for the micro-average."""
        if "cells" not in checked.cache:
            marks, weight = checked.marks(), checked.weight
            if weight is not None:
                weight = np.repeat(weight, marks.shape[1])
            checked.cache["cells"] = cls.of_marks(
                checked.score.reshape(-1), marks.reshape(-1), weight
            )
        return checked.cache["cells"]

    @classmethod
    def combine(cls, parts: Iterable[RankTally]) -> Self:
        """The tally of all rows: the sum over the union of the scores."""
        parts = list(parts)
        if len(parts) == 1:
            return cls(parts[0].thresholds, parts[0].mass)
        check_sum([part.mass for part in parts], 2)
        return cls(*_on_union(parts, add=True))

    @classmethod
    def stack(cls, parts: Iterable[RankTally]) -> Self:
        """The tallies of folds or groups on one leading axis, over the union of their scores."""
        return cls(*_on_union(list(parts), add=False))

    def pool(self, axis: int = 0) -> Self:
        """Sum over a leading axis (folds, groups)."""
        check_pool(self.mass, axis, 2)
        return type(self)(self.thresholds, self.mass.sum(axis=axis))

    def binned(self, n: int) -> RankTally:
        """The last class against the others at every score; deprecated.

        Parameters
        ----------
        n : int
            Ignored: nothing is binned.

        Returns
        -------
        RankTally
            Its ``auc_error_bound`` is 0.
        """
        message = (
            "RankTally.binned is deprecated and will be removed in version 0.4: n is ignored and "
            "the tally is exact. Use the tally itself."
        )
        warn(message, FutureWarning, stacklevel=2)
        rest = self.mass[..., :-1, :].sum(axis=-2)
        return _Unbinned(self.thresholds, np.stack([rest, self.positive], axis=-2))

    @property
    def negative(self) -> Array:
        """Weight of the negative class at each score, (..., T)."""
        return self.mass[..., 0, :]

    @property
    def positive(self) -> Array:
        """Weight of the positive class at each score, (..., T)."""
        return self.mass[..., -1, :]

    def steps(self) -> Steps:
        """Cumulative weights along the scores, from no row predicted positive."""
        mass = self.mass
        if mass.sum(dtype=np.float64) >= MOST_FACTOR:
            mass = mass.astype(np.float64)
        fp, tp = _from_none(mass[..., 0, :]), _from_none(mass[..., -1, :])
        # The last cumulative sums, so that the last rate is exactly 1.
        return Steps(fp, tp, fp[..., -1], tp[..., -1])

    def corner_steps(self) -> Steps:
        """Steps with all corners of the ROC curve, perhaps without points on straight lines."""
        return self.steps()

    def wins(self) -> Wins:
        """Correctly ranked pairs of both classes."""
        # From the lowest score up: small sums are not differences of large ones.
        mass = self.mass[..., ::-1]
        if mass.sum(dtype=np.float64) >= MOST_FACTOR:
            mass = mass.astype(np.float64)
        negative, positive = mass[..., 0, :], mass[..., -1, :]
        twice = (positive * (2 * exclusive_cumsum(negative) + negative)).sum(axis=-1)
        return Wins(twice, negative.sum(axis=-1), positive.sum(axis=-1))

    def precision(self) -> tuple[Array, Array]:
        """Sum of the precision at the scores of the positive rows, and the weight of these rows."""
        fp, tp, _, positive = self.steps()
        predicted = (tp + fp)[..., 1:]
        # Scores without rows of either class, as in a stack of tallies, add nothing.
        precision = np.zeros(predicted.shape)
        np.divide(tp[..., 1:], predicted, out=precision, where=predicted != 0)
        return (self.positive * precision).sum(axis=-1), positive

    def counts(self) -> Counts:
        """Counts along the thresholds (..., T), each the lowest score predicted positive."""
        return Counts(*(part[..., 1:] for part in self.counts_from_none().astuple()))

    def counts_from_none(self) -> Counts:
        """Counts along the thresholds (..., T + 1), first with no row predicted positive."""
        fp, tp, negative, positive = self.steps()
        return Counts(tp, fp, positive[..., None] - tp, negative[..., None] - fp)


class _Unbinned(RankTally):
    """An exact tally, with the bound of the error of binned ones."""

    __slots__ = ()
    auc_error_bound = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Stretch(RankTally):
    """The scores of a range, highest first, and their place in the whole ranking.

    Kernels read it like a full ranking, which is a stretch with nothing above or below.

    Parameters
    ----------
    thresholds : ndarray of shape (T,)
        The distinct scores of the range, falling.
    mass : ndarray of shape (C, T)
        Weight of each class at each score.
    above, whole : ndarray of shape (C,)
        Weight of each class above the range, and in all.
    """

    above: Array
    whole: Array

    @classmethod
    def of(cls, tally: RankTally, above: Array, whole: Array) -> Self:
        """A range of a ranking; counts become floats if products of them would overflow."""
        total = whole.sum()
        mass, above, whole = (as_factors(part, total) for part in (tally.mass, above, whole))
        return cls(tally.thresholds, mass, above, whole)

    def only(self, places: Array) -> RankTally:
        """The tally at some thresholds; weights between two are added to the lower one."""
        starts = np.concatenate([[0], places[:-1] + 1])
        return RankTally(self.thresholds[places], np.add.reduceat(self.mass, starts, axis=-1))

    def steps(self) -> Steps:
        """Both classes along the scores, starting from the weights above them."""
        fp, tp = (self.above[place] + _from_none(self.mass[place]) for place in (0, -1))
        return Steps(fp, tp, self.whole[0], self.whole[-1])


def _from_none(mass: Array) -> Array:
    """Weight at or above each score, starting with 0 for "no row is positive"."""
    out = np.zeros((*mass.shape[:-1], mass.shape[-1] + 1), dtype=mass.dtype)
    np.cumsum(mass, axis=-1, out=out[..., 1:])
    return out


def _on_union(parts: list[RankTally], *, add: bool) -> tuple[Array, Array]:
    joined = _joined([part.thresholds for part in parts])
    order = np.argsort(joined, kind="stable")[::-1]  # merges what is in order already
    falling = joined[order]
    first = np.ones(len(joined), dtype=bool)
    np.not_equal(falling[1:], falling[:-1], out=first[1:])
    place = np.empty(len(joined), dtype=np.int64)
    place[order] = np.cumsum(first) - 1
    thresholds, start = falling[first], 0
    dtype = np.result_type(*(part.mass for part in parts))
    shape = (*parts[0].mass.shape[:-1], len(thresholds))
    masses = np.zeros((1 if add else len(parts), *shape), dtype=dtype)
    for i, part in enumerate(parts):
        stop = start + len(part.thresholds)
        columns, rows = place[start:stop], masses[0 if add else i].reshape(-1, len(thresholds))
        for row, mass in zip(rows, part.mass.reshape(len(rows), -1), strict=True):
            row[columns] += mass  # a part's scores are distinct: no place is hit twice
        start = stop
    return thresholds, masses[0] if add else masses


def _joined(parts: list[Array]) -> Array:
    """Scores of all parts in one dtype in which they stay distinct."""
    joined = np.concatenate(parts)
    if all(part.dtype == joined.dtype or part.dtype != np.int64 for part in parts):
        return joined
    with np.errstate(invalid="ignore"):
        whole = [part.astype(np.int64) for part in parts]
        # What floats round comes back as another integer.
        if all((part.astype(np.float64).astype(np.int64) == part).all() for part in whole):
            return joined
    if any((integer != part).any() for integer, part in zip(whole, parts, strict=True)):
        raise InvalidParameterError(
            "Tallies of scores that are integers beyond 2**53, and of scores that are no integers, "
            "have no common dtype in which they stay distinct."
        )
    return np.concatenate(whole)

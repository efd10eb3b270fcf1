"""Rankings in fixed memory: bins of scores, and bounds for metrics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array, exclusive_cumsum
from skmetrics_ext.tallies.merging import Merges, check_sum
from skmetrics_ext.tallies.ranks import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores
from skmetrics_ext.validation.containers import read_numbers, read_rising
from skmetrics_ext.validation.fields import numbers_of, shape_error, weights_of
from skmetrics_ext.validation.labels import read_labels, read_target
from skmetrics_ext.validation.parameters import check_integer
from skmetrics_ext.validation.positive import positive_class, usual_pair
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.scores import check_mergeable

# Relative rounding error of sums of some thousand positive terms is below this.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class ScoreSketch(Merges):
    """A ranking in fixed memory, from one pass over the rows, with guaranteed bounds for metrics.

    Bins between fixed edges store the weight of both classes and their lowest and highest score.
    The order of rows within a bin is lost, so the area under the ROC curve and the average
    precision are bounds that hold for every order. Sketches with the same edges merge.

    Parameters
    ----------
    edges : ndarray of shape (B - 1,)
        Rising; bin b holds the scores from ``edges[b - 1]`` to below ``edges[b]``.
    mass : ndarray of shape (2, B)
        Weight of the negative and of the positive class in each bin, lowest scores first.
    lowest, highest : ndarray of shape (B,)
        Extremes of the scores in each bin; infinite if it is empty. A bin with one score is exact.
    classes : tuple or None
        The negative class and the positive one; None if they are not known yet.

    Examples
    --------
    >>> from skmetrics_ext.tallies import ScoreSketch
    >>> empty = ScoreSketch.from_sample([0.1, 0.4, 0.35, 0.8], n_bins=4)
    >>> sketch = empty.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> sketch.roc_auc
    (0.75, 0.75)
    >>> coarse = ScoreSketch.from_edges([0.5]).update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> [round(bound, 6) for bound in coarse.roc_auc]
    [0.5, 1.0]
    """

    edges: Array
    mass: Array
    lowest: Array
    highest: Array
    classes: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        edges, mass = numbers_of(self, "edges"), weights_of(self, "mass")
        read_rising("edges", edges)
        n_bins = len(edges) + 1
        if mass.shape != (2, n_bins):
            raise shape_error("mass", mass, f"(2, {n_bins}), as edges says")
        for name in ("lowest", "highest"):
            if numbers_of(self, name).shape != (n_bins,):
                raise shape_error(name, getattr(self, name), f"({n_bins},), as edges says")

    @classmethod
    def from_edges(cls, edges: Any, *, labels: Any = None, pos_label: Any = None) -> Self:
        """An empty sketch with these inner edges.

        Parameters
        ----------
        edges : array-like of shape (B - 1,)
            Finite numbers that rise.
        labels : array-like of shape (2,), default=None
            The two classes, the negative one first; needed unless they are 0 and 1, -1 and 1, or
            False and True. A batch may lack one of them.
        pos_label : int, float, bool or str, default=None
            The positive class. By default the second of ``labels``, else 1 or True.

        Returns
        -------
        ScoreSketch
        """
        values = read_numbers("edges", edges)
        n_bins = values.size + 1
        empty = np.full(n_bins, np.inf)
        classes = _classes(labels, pos_label)
        return cls(values, np.zeros((2, n_bins), dtype=np.int64), empty, -empty, classes)

    @classmethod
    def from_sample(
        cls, scores: Any, n_bins: int = 16384, *, labels: Any = None, pos_label: Any = None
    ) -> Self:
        """An empty sketch whose edges are quantiles of a sample of scores.

        Parameters
        ----------
        scores : array-like of shape (n_sample,)
            Scores of any part of the rows. The bounds always hold; they are narrow if the sample
            is distributed like all scores. A score that fills a bin gets a bin of its own.
        n_bins : int, default=16384
            Approximate number of bins.
        labels, pos_label
            As in `from_edges`.

        Returns
        -------
        ScoreSketch
        """
        ordered = read_numbers("scores", scores)
        if ordered.ndim != 1 or not len(ordered) or np.isnan(ordered).any():
            raise InvalidParameterError(
                f"scores must be 1-D with one score or more, none of them nan, got {scores!r:.60}."
            )
        ordered = np.sort(ordered)
        place = np.arange(1, n_bins) * len(ordered) // n_bins
        wanted = ordered[place]
        repeated = wanted[1:][wanted[1:] == wanted[:-1]]
        edges = np.unique(np.concatenate([wanted, np.nextafter(repeated, np.inf)]))
        edges = edges[np.isfinite(edges)]
        return cls.from_edges(edges, labels=labels, pos_label=pos_label)

    def update(self, y_true: Any, y_score: Any, sample_weight: Any = None) -> Self:
        """The sketch with further rows.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the two classes; one of them may be absent.
        y_score : array-like of shape (n_samples,)
            Scores, higher for the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, in a unit that all batches share.

        Returns
        -------
        ScoreSketch
        """
        (true, score), weight = read_rows(sample_weight, True, True, y_true=y_true, y_score=y_score)
        if not len(true):
            return self
        check_mergeable(score)
        classes, is_sure = self.classes, True
        if classes is None:
            pair, is_sure = usual_pair(read_target(true).classes.tolist())
            classes = (pair[0], pair[1])
        checked = Scores.check(true, score, labels=classes)
        if checked.true.ndim > 1 or checked.score.dtype == np.int64:
            raise InvalidParameterError(
                "A ScoreSketch is of one label a row, and of scores that are no integers beyond "
                "2**53."
            )
        values, codes = checked.score, checked.true
        if weight is not None and not weight.all():
            kept = weight != 0
            values, codes, weight = values[kept], codes[kept], weight[kept]
        n_bins = len(self.edges) + 1
        bins = np.searchsorted(self.edges, values, side="right")
        sums = kernels.bin_sums(codes * n_bins + bins, 2 * n_bins, weight).reshape(2, n_bins)
        lowest, highest = self.lowest.copy(), self.highest.copy()
        np.minimum.at(lowest, bins, values)
        np.maximum.at(highest, bins, values)
        check_sum([self.mass, sums], 2)
        known = classes if is_sure else self.classes
        return type(self)(self.edges, self.mass + sums, lowest, highest, known)

    @classmethod
    def combine(cls, parts: Iterable[ScoreSketch]) -> Self:
        """The sketch of all rows of parts with the same edges."""
        parts = list(parts)
        edges = parts[0].edges
        if not all(np.array_equal(part.edges, edges) for part in parts):
            raise InvalidParameterError("Sketches merge only where their edges are the same.")
        classes = list(dict.fromkeys(part.classes for part in parts if part.classes is not None))
        if len(classes) > 1:
            raise InvalidParameterError(
                f"Sketches merge only where their classes are the same, got {classes}."
            )
        check_sum([part.mass for part in parts], 2)
        return cls(
            edges,
            sum((part.mass for part in parts[1:]), parts[0].mass),
            np.minimum.reduce([part.lowest for part in parts]),
            np.maximum.reduce([part.highest for part in parts]),
            classes[0] if classes else None,
        )

    @classmethod
    def of_coarse(cls, tally: RankTally, edges: Array) -> Self:
        """The sketch of a coarse tally, whose scores are the lower edges of bins."""
        mass = np.zeros((2, len(edges) - 1), dtype=tally.mass.dtype)
        mass[:, np.searchsorted(edges, tally.thresholds)] = tally.mass
        return cls(edges[1:-1], mass, edges[:-1], edges[1:])

    @property
    def tally(self) -> RankTally:
        """The non-empty bins, each treated as one tie at its lowest score."""
        used = self.mass.sum(axis=0) > 0
        return RankTally(self.lowest[used][::-1], self.mass[:, used][:, ::-1])

    @property
    def roc_auc(self) -> tuple[float, float]:
        """Bounds of the area under the ROC curve; nan if a class has no rows."""
        negative, positive = self.mass.astype(np.float64)
        pairs = float(negative.sum()) * float(positive.sum())
        if not pairs:
            return float("nan"), float("nan")
        tied = positive * negative
        single = self.lowest == self.highest
        low = float((positive * exclusive_cumsum(negative)).sum() + tied[single].sum() / 2) / pairs
        high = low + float(tied[~single].sum()) / pairs
        if not tied[~single].any():
            return low, high
        return max(low * (1 - _ROUNDING), 0.0), min(high * (1 + _ROUNDING), 1.0)

    @property
    def average_precision(self) -> tuple[float, float]:
        """Bounds of the average precision; nan if the positive class has no rows."""
        negative, positive = self.mass[:, ::-1].astype(np.float64)
        total = float(positive.sum())
        if not total:
            return float("nan"), float("nan")
        before, wrong = exclusive_cumsum(positive), exclusive_cumsum(negative)
        right, false = before + positive, wrong + negative
        as_tie = np.divide(
            positive * right, right + false, out=np.zeros_like(right), where=right > 0
        )
        # At best all positives of a bin stand above its negatives, in one tie; at worst one
        # by one below them, which is at least the integral of t / (t + false) over them.
        best = np.divide(positive * right, right + wrong, out=np.zeros_like(right), where=right > 0)
        start = before + false
        log = np.log1p(np.divide(positive, start, out=np.zeros_like(right), where=start > 0))
        worst = np.maximum(positive - false * log, 0.0)
        single = (self.lowest == self.highest)[::-1]
        low = float(np.where(single, as_tie, worst).sum()) / total
        high = float(np.where(single, as_tie, best).sum()) / total
        return max(low * (1 - _ROUNDING), 0.0), min(high * (1 + _ROUNDING), 1.0)


def _classes(labels: Any, pos_label: Any) -> tuple[Any, Any] | None:
    """The negative class and the positive one; None if neither argument is passed."""
    if labels is None and pos_label is None:
        return None
    listed = usual_pair([], pos_label)[0] if labels is None else read_labels(labels).tolist()
    if len(listed) != 2 or listed[0] == listed[1]:
        raise InvalidParameterError(f"labels must name the two classes, got {listed}.")
    positive = positive_class(listed, listed[1] if pos_label is None else pos_label, what="")
    negative = listed[0] if positive == listed[1] else listed[1]
    return negative, positive


# --------------------------------------------------------------------------- shared bins


def check_edges(bins: Any) -> Array:
    """Edges of bins of scores with both ends: equal parts of [0, 1], or as passed."""
    if np.ndim(bins) == 0:
        n_bins = check_integer("bins", bins, 1)
        return np.arange(n_bins + 1) / n_bins
    return read_rising("bins", bins, 2)


def coarse_tally(tally: RankTally, edges: Array) -> RankTally:
    """The tally with every score moved to the lower edge of its bin, [a, b); the last is [a, b]."""
    scores = tally.thresholds
    if len(scores) and (scores[-1] < edges[0] or scores[0] > edges[-1]):
        raise InvalidParameterError(
            f"bins go from {edges[0]:.4g} to {edges[-1]:.4g}, and scores from {scores[-1]:.4g} to "
            f"{scores[0]:.4g}: pass edges that hold every score, the same for all parts."
        )
    bins = np.searchsorted(edges[1:-1], scores, side="right")
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    mass = tally.mass
    if len(starts):
        mass = np.add.reduceat(mass, starts, axis=-1)
    return RankTally(edges[bins[starts]], mass)


def shared_edges(first: Array, second: Array) -> Array:
    """Common edges of two binnings: the finest bins that consist of whole bins of both."""
    if first[0] != second[0] or first[-1] != second[-1]:
        raise InvalidParameterError(
            f"Bins from {first[0]:.4g} to {first[-1]:.4g} and from {second[0]:.4g} to "
            f"{second[-1]:.4g} do not merge: coarsen all parts by the same bins."
        )
    return np.intersect1d(first, second)


def edges_of_cells(tally: RankTally, edges: Array, least: int) -> Array:
    """Edges of coarser bins in which no class has 1 to ``least`` - 1 rows.

    Bins are split by halves, and two halves are joined if one has too few rows of a class. Other
    tallies are split at the same edges, so that many edges are shared. Each class must have at
    least ``least`` rows in total, or none.
    """
    counts = np.zeros((len(edges), len(tally.mass)), dtype=np.int64)
    counts[np.searchsorted(edges, tally.thresholds) + 1] = tally.mass.T
    total = counts.cumsum(axis=0)

    def inner(start: int, stop: int) -> list[int] | None:
        """Edges inside a part; None if it has to be joined with its other half."""
        middle = (start + stop) // 2
        if middle > start:
            low, high = inner(start, middle), inner(middle, stop)
            if low is not None and high is not None:
                return [*low, middle, *high]
        cells = total[stop] - total[start]
        return None if ((cells > 0) & (cells < least)).any() else []

    return edges[[0, *(inner(0, len(edges) - 1) or []), len(edges) - 1]]

"""Checked scores as rankings of their classes, and ranking metrics read from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.metrics.averaging import (
    AVERAGES,
    ZERO_WITHOUT_WEIGHT,
    Rankings,
    RankKernel,
    read_rankings,
)
from skmetrics_ext.metrics.rankings.ranking_kernels import OF_WINS, average_precision
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import RankTally, Steps, Wins
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined
from skmetrics_ext.validation.labels import with_weight
from skmetrics_ext.validation.targets import MULTILABEL

# Which sums of one sort have the value of a kernel: kept in the cache of the scores.
_STORED: dict[RankKernel, tuple[str, ...]] = {
    **dict.fromkeys(OF_WINS, ("squares", "placements")),
    average_precision: ("slopes",),
}
ONLY_ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."


@dataclass(frozen=True, eq=False, slots=True)
class ScoreTally:
    """The `Rankings` of checked scores, sorted on demand.

    Metrics of the same scores share their tables and pair wins. Areas and average precision of
    scores that no other metric reads come from the sort, without a table.
    """

    checked: Scores

    @property
    def binary(self) -> bool:
        return self.checked.kind == "binary"

    @property
    def n_classes(self) -> int:
        return len(self.checked.classes)

    @property
    def support(self) -> Array:
        """Weight of each class or output, (K,)."""
        checked = self.checked
        if "support" not in checked.cache:
            true, weight = checked.true, checked.weight
            if true.ndim == 1:
                support = kernels.bin_sums(true, self.n_classes, weight)
            else:
                support = (true if weight is None else true * weight[:, None]).sum(axis=0)
            checked.cache["support"] = support
        return np.asarray(checked.cache["support"])

    def value(self, kernel: RankKernel, code: int) -> Array:
        """The kernel of one class against the rest."""
        checked = self.checked
        if checked.kind == "binary" and SortedScores.has(kernel, checked.cache):
            return kernel(SortedScores(checked))
        if checked.kind != "multiclass" or kernel not in OF_WINS:
            return kernel(RankTally.of_class(checked, code))
        if kernel not in checked.cache:
            wins, mass = self._wins(), self.support
            rest = Wins(wins.sum(axis=1) - wins.diagonal(), mass.sum() - mass, mass)
            checked.cache[kernel] = kernel(rest)
        values: Array = checked.cache[kernel]
        return values[code]

    def pooled(self) -> RankTally:
        """Every cell of the score matrix as a row of one binary problem."""
        return RankTally.of_cells(self.checked)

    def by_row(self) -> tuple[list[RankTally], Array | None]:
        """The ranking of labels within each row of multilabel data, and the weights of rows."""
        rows = zip(self.checked.score, self.checked.marks(), strict=True)
        return [RankTally.of_marks(*row) for row in rows], self.checked.weight

    def pairs(self, kernel: RankKernel) -> Array:
        """The kernel of column i between rows of class i and of class j, (K, K)."""
        if self.checked.kind == MULTILABEL:
            return np.empty((0, 0))
        if self.binary:
            return both_sides(kernel, RankTally.of_class(self.checked))
        if kernel in OF_WINS:  # one sort per column, without tables
            return pairs_of_wins(kernel, self._wins(), self.support)
        checked = self.checked
        columns = (
            RankTally.from_scores(column, checked.true, self.n_classes, checked.weight)
            for column in checked.score.T
        )
        return pairs_of_columns(kernel, columns)

    def _wins(self) -> Array:
        """Twice the correctly ranked pairs of any two classes by each column, cached."""
        checked = self.checked
        if "wins" not in checked.cache:
            checked.cache["wins"] = kernels.pair_wins(
                checked.score, checked.true, self.n_classes, checked.weight
            )
        return np.asarray(checked.cache["wins"])


class SortedScores:
    """A binary ranking that no other metric reads: sums and corners come straight from the sort.

    So do sums that were stored with the spread of the metric. Everything else is read from the
    table of scores.
    """

    __slots__ = ("checked",)

    @staticmethod
    def has(kernel: RankKernel, cache: Mapping[Any, Any]) -> bool:
        """Whether the kernel needs no table, given what other metrics have stored."""
        is_alone = not cache or cache.get("shared") is False
        return is_alone or not cache.keys().isdisjoint(_STORED.get(kernel, ()))

    def __init__(self, checked: Scores) -> None:
        self.checked = checked

    def wins(self) -> Wins:
        """Correctly ranked pairs of both classes."""
        checked = self.checked
        if "squares" in checked.cache:
            return Wins(*map(np.asarray, squares_of(checked)[:3]))
        if "placements" in checked.cache:  # halves, whose sum is exact
            places = kernels.bin_sums(checked.true, 2, placements_of(checked))
            return Wins(2 * places[1], *kernels.bin_sums(checked.true, 2, None))
        return Wins(*kernels.ranked_wins(checked.score, checked.true, checked.weight))

    def precision(self) -> tuple[float, float]:
        """Sum of the precision at the scores of the positive rows, and their weight."""
        checked = self.checked
        if "slopes" in checked.cache:
            return precision_slopes_of(checked)[:2]
        return kernels.ranked_precision(checked.score, checked.true, checked.weight)

    def corner_steps(self) -> Steps:
        """Steps without the points in the middle of two equal ones."""
        rows = with_weight(self.checked)
        _, fp, tp = kernels.ranked_steps(rows.score, rows.true, rows.weight, True)
        return Steps(fp, tp, fp[-1], tp[-1])

    def __getattr__(self, name: str) -> Any:
        return getattr(RankTally.of_class(self.checked), name)


def placements_of(checked: Scores) -> Array:
    """Unweighted rows of the other class below each row of two classes, cached."""
    if "placements" not in checked.cache:
        checked.cache["placements"] = kernels.placements(checked.score, checked.true, None)
    return np.asarray(checked.cache["placements"])


def squares_of(checked: Scores) -> tuple[int, int, int, float, float]:
    """Wins of unweighted rows, and the variation of the placements of each class, cached."""
    if "squares" not in checked.cache:
        checked.cache["squares"] = kernels.ranked_squares(checked.score, checked.true)
    squares: tuple[int, int, int, float, float] = checked.cache["squares"]
    return squares


Slopes = tuple[float, float, Array, tuple[float, float]]


def precision_slopes_of(checked: Scores) -> Slopes:
    """Sums of average precision, and its derivative by the weight of each row, cached.

    Last are the sums of squares of the derivatives of both classes.
    """
    if "slopes" not in checked.cache:
        columns = checked.score, checked.true, checked.weight
        checked.cache["slopes"] = kernels.precision_slopes(*columns)
    slopes: Slopes = checked.cache["slopes"]
    return slopes


def both_sides(kernel: RankKernel, tally: RankTally) -> Array:
    """The kernel of each of two classes against the other, (2, 2); nan on the diagonal."""
    # From the side of the first class: negated scores and exchanged classes.
    turned = RankTally(-tally.thresholds[::-1], tally.mass[::-1, ::-1])
    return np.array([[np.nan, float(kernel(turned))], [float(kernel(tally)), np.nan]])


def pairs_of_wins(kernel: RankKernel, wins: Array, mass: Array) -> Array:
    """The kernel of column i between rows of class i and of class j, (K, K)."""
    pairs = kernel(Wins(wins, mass, mass[:, None]))
    pairs.flat[:: len(mass) + 1] = np.nan
    return pairs


def pairs_of_columns(kernel: RankKernel, columns: Iterable[RankTally]) -> Array:
    """The kernel of pairs, for kernels that need the weight of each class at each score."""
    values = []
    for k, tally in enumerate(columns):
        positive = np.broadcast_to(tally.mass[k], tally.mass.shape)
        mass = np.stack([tally.mass, positive], axis=1)
        values.append(kernel(RankTally(tally.thresholds, mass)))
    pairs = np.array(values)
    np.fill_diagonal(pairs, np.nan)
    return pairs


def rankings_of(checked: Scores) -> Rankings:
    """The rankings of checked scores, or those stored with merged rows."""
    stored: Rankings | None = checked.cache.get("rankings")
    return ScoreTally(checked) if stored is None else stored


# --------------------------------------------------------------------------- reading


def read_scores(
    kernel: RankKernel,
    checked: Scores,
    average: str | None,
    multi_class: str = "ovr",
    **conventions: Any,
) -> Any:
    """A metric by `read_rankings`: a float, or an array of several values."""
    value = read_rankings(kernel, rankings_of(checked), average, multi_class, **conventions)
    return value if value.ndim else float(value)


def read_areas(kernel: RankKernel, checked: Scores, multi_class: str, average: str | None) -> Any:
    """Area under the ROC curve for checked scores of any kind, for all public functions."""
    if checked.kind != "multiclass":
        check_option("average", average, AVERAGES)
        return read_scores(
            kernel, checked, average, convention=ZERO_WITHOUT_WEIGHT, tell=_one_class
        )
    if multi_class == "raise":
        raise InvalidParameterError(
            "multi_class must be in ('ovo', 'ovr') for y_true of more than two classes."
        )
    options: tuple[str | None, ...] = ("micro", "macro", "weighted", None)
    if multi_class == "ovo":
        options = options[1:]
    if average not in options:
        raise InvalidParameterError(
            f"average must be one of {options} for multiclass problems, got {average!r}"
        )
    return read_scores(kernel, checked, average, multi_class, tell=_one_class)


def _one_class(average: str | None, n_values: int) -> None:
    warn_undefined(ONLY_ONE_CLASS)


# --------------------------------------------------------------------------- one ranking


def binary_ranking(
    y_true: Any, y_score: Any, *, what: str, side: str = "one", **options: Any
) -> tuple[Scores, RankTally]:
    """Checked scores of a binary problem and their tally; other problems are refused.

    ``options`` are ``labels``, ``pos_label`` and ``sample_weight``.
    """
    checked = Scores.check(y_true, y_score, side=side, what=what, **options)
    if checked.kind != "binary":
        raise InvalidParameterError(
            f"{what} needs binary labels, y_true is {checked.kind}: pass one class against the "
            "rest, y_true == k and column k of y_score."
        )
    return checked, RankTally.of_class(checked)

"""Out-of-fold probabilities of two classes, counted at few thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting.scored import report_rows, scored_folds
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import Counts, RankTally, ThresholdTally
from skmetrics_ext.validation import InvalidParameterError

if TYPE_CHECKING:
    from skmetrics_ext.plotting.scored import ScoredFold
    from skmetrics_ext.report.cv_report import CrossValidationReport

_METHOD = ("predict_proba",)  # other scores have no scale that folds share
MOST = 500  # thresholds that are told apart


@dataclass(frozen=True, eq=False, slots=True)
class ThinnedFolds:
    """The test rows of each fold by the highest of few thresholds that they reach.

    Parameters
    ----------
    labels : ndarray of shape (2,)
        The negative class and the positive one.
    tally : RankTally
        ``mass`` of shape (K, 2, T): counts at each of its thresholds are those of all rows,
        nothing is rounded but which thresholds there are.
    rest : RankTally
        The same of the rows that are not in the fold.
    fold : tuple of int
        Number of each.
    """

    labels: Array
    tally: RankTally
    rest: RankTally
    fold: tuple[int, ...]

    @classmethod
    def of(
        cls,
        report: CrossValidationReport,
        model: str,
        most: int = MOST,
        also: Sequence[float] = (),
    ) -> ThinnedFolds | None:
        """Those of a model; None where it has no probabilities of a positive class.

        ``also`` are thresholds that there must be.
        """
        folds = _scored(report, model)
        if not folds:
            return None
        parts = [fold.scores for fold in folds]
        score = np.concatenate([part.score for part in parts if part is not None])
        edges = np.union1d(_edges(score, most), also)
        own = [_mass(part, edges) for part in parts]
        rows = {r.fold: r.rows for r in report.results_of(model)}
        rest = []
        for fold in folds:
            others = np.zeros_like(own[0], dtype=np.float64)
            for other, part, mass in zip(folds, parts, own, strict=True):
                if other is fold:
                    continue
                # Of repeated folds, another one holds rows of this.
                apart = ~np.isin(rows[other.number], rows[fold.number])
                others += mass if apart.all() else _mass(part, edges, apart)
            rest.append(others)
        falling = edges[::-1]
        return cls(
            np.asarray(parts[0].classes),  # type: ignore[union-attr]
            RankTally(falling, np.array(own)),
            RankTally(falling, np.array(rest)),
            tuple(fold.number for fold in folds),
        )

    def values(self, metric: Metric, counts: Counts) -> Array:
        """A metric of labels of some counts."""
        return np.asarray(metric.read(ThresholdTally(self.labels, counts)))


def _scored(report: CrossValidationReport, model: str) -> list[ScoredFold]:
    positive = report.positive_class
    if positive is None or report.data is None:
        return []
    try:
        rows = report_rows(report, model, _METHOD, "thresholds", False)
        asked = {"methods": _METHOD, "pos_label": positive, "sides": "one", "what": "thresholds"}
        folds = scored_folds(rows, report.data.y, **asked)
    except InvalidParameterError:  # no metric asked for them
        return []
    return [fold for fold in folds if fold.scores is not None and fold.scores.kind == "binary"]


def _edges(score: Array, most: int) -> Array:
    """Scores that occur, rising: all of them, or the quantiles of many."""
    found = np.unique(score)
    if len(found) <= most:
        return found
    ranks = np.linspace(0, len(found) - 1, most // 2).astype(np.int64)
    shares = np.linspace(0, 1, most - most // 2)
    by_rows = np.quantile(score, shares, method="lower")
    return np.unique(np.concatenate([found[ranks], by_rows]))


def _mass(rows: Any, edges: Array, kept: Array | None = None) -> Array:
    """Weight of both classes between two thresholds and the next, (2, T), thresholds falling."""
    kept = np.ones(len(rows.true), dtype=bool) if kept is None else kept
    place = np.searchsorted(edges, rows.score[kept], side="right") - 1
    code = rows.true[kept].astype(np.int64)
    weight = None if rows.weight is None else rows.weight[kept]
    cells = np.bincount(code * len(edges) + place, weight, minlength=2 * len(edges))
    return cells.reshape(2, len(edges))[:, ::-1]

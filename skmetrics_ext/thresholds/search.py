"""Exact search: every distinct threshold of the scores, and the one that predicts nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.rankings.ranking_kernels import ROUNDING
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.numeric import Array, Options, PosLabel
from skmetrics_ext.result_bases import Result
from skmetrics_ext.rows import Rows
from skmetrics_ext.tallies import Counts, RankTally
from skmetrics_ext.thresholds.criteria import Choice, Constraint, Objective
from skmetrics_ext.validation import InvalidParameterError


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class OptimalThreshold(Result):
    """The threshold that a search chose; rows that score at least so much are positive.

    Parameters
    ----------
    threshold : float
        A score that occurs, or infinity where predicting nothing is best.
    value : float
        The criterion there.
    counts : Counts
        Weight of the four outcomes there, as scalars.
    ties : ndarray of shape (n_ties,)
        All thresholds as good, falling; ``threshold`` is the first.
    criterion : str
        Name of the criterion.

    Examples
    --------
    >>> from skmetrics_ext import optimal_threshold
    >>> best = optimal_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], criterion="f1")
    >>> best.threshold, best.value
    (0.35, 0.8)
    """

    threshold: float
    value: float
    counts: Counts
    ties: Array
    criterion: str

    def __iter__(self) -> Iterator[float]:
        """The threshold and the value there: ``threshold, value = result``."""
        return iter((self.threshold, self.value))

    def __float__(self) -> float:
        """The threshold alone."""
        return float(self.threshold)

    def _as_rows(self) -> Rows:
        own = {"threshold": self.threshold, self.criterion: self.value}
        rates = ("sensitivity", "specificity", "precision")
        return Rows([own | {name: getattr(self, name) for name in rates}])

    @property
    def sensitivity(self) -> float:
        """Share of the positives predicted positive."""
        return float(rates.recall(self.counts))

    @property
    def specificity(self) -> float:
        """Share of the negatives predicted negative."""
        return float(rates.specificity(self.counts))

    @property
    def precision(self) -> float:
        """Share of positives among the rows predicted positive; nan where there are none."""
        return float(rates.precision(self.counts))


class InfeasibleError(InvalidParameterError):
    """No threshold keeps the constraint, or none has a value."""


def thresholds_from_none(tally: RankTally) -> Array:
    """Thresholds of `counts_from_none`: infinity, then the distinct scores, falling."""
    return np.concatenate([[np.inf], tally.thresholds])


def choose(thresholds: Array, values: Array, bounded: Array | None, objective: Objective) -> Array:
    """Positions of the best thresholds, falling; an error where there are none."""
    best = best_places(values, bounded, objective)
    if best.size:
        return best
    if np.isnan(values).all():
        raise InfeasibleError(
            f"{objective.criterion.name} is undefined at every threshold: a class has no rows, or "
            "criterion is a function that gives nan at each."
        )
    assert objective.constraint is not None
    assert bounded is not None
    if not objective.constraint.kept(bounded).any():
        raise InfeasibleError(_infeasible(thresholds, bounded, objective.constraint))
    raise InfeasibleError(
        f"{objective.criterion.name} is undefined at every threshold with {objective.constraint}."
    )


def best_places(values: Array, bounded: Array | None, objective: Objective) -> Array:
    """Positions of the best thresholds, if there are some.

    Values within a rounding error of the best one are as good.
    """
    eligible = ~np.isnan(values)
    if objective.constraint is not None and bounded is not None:
        eligible &= objective.constraint.kept(bounded)
    signed = np.where(eligible, objective.criterion.sign * values, -np.inf)
    best = signed.max()
    slack = ROUNDING * max(1.0, abs(best)) if np.isfinite(best) else 0.0
    return np.flatnonzero(eligible & (signed >= best - slack))


def best_threshold(
    thresholds: Array, values: Array, bounded: Array | None, objective: Objective
) -> float:
    """The best threshold, the highest of several; nan where there is none."""
    places = best_places(values, bounded, objective)
    return float(thresholds[places[0]]) if places.size else np.nan


def _infeasible(thresholds: Array, bounded: Array, constraint: Constraint) -> str:
    nearest = constraint.nearest(bounded)
    if nearest < 0:
        return f"No threshold keeps {constraint}: it is undefined everywhere."
    return (
        f"No threshold keeps {constraint}: the best attainable {constraint.criterion.name} is "
        f"{bounded[nearest]:.6g}, at threshold {thresholds[nearest]:.6g}."
    )


@document
def optimal_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    criterion: Choice = "youden",
    constraint: Any = None,
    cost: Any = None,
    prevalence: float | None = None,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> OptimalThreshold:
    r"""Best threshold by a criterion, over every distinct score and the one above them all.

    Nothing is left out and nothing interpolated: the scores are sorted once and the criterion
    is read from the counts of every threshold. Thresholds where it is 0/0 are skipped; within
    an average over classes 0/0 is what the metric says by convention. Of several as good, up to
    rounding, the highest is taken, which predicts the fewest positives.

    Parameters
    ----------
    {y_true_y_score_binary}
    criterion : str or callable, default="youden"
        - "youden": largest :math:`Se + r\, Sp - 1`;
        - "closest_topleft": smallest :math:`(1 - Se)^2 + r (1 - Sp)^2`;
        - "expected_cost": smallest :math:`(c_{FP} FP + c_{FN} FN) / n`;
        - the name of a registered metric of counts or of its scorer ("f1", "f1_macro",
          "balanced_accuracy", "matthews_corrcoef", "error_rate", ...), or its function: the
          best value, which is the smallest for an error;
        - a callable on `Counts`, whose arrays hold one entry per threshold: the largest value.

        :math:`r = c_{FP} (1 - \pi) / (c_{FN} \pi)` is 1 where neither ``cost`` nor
        ``prevalence`` is given.
    constraint : (str or callable, {">=", "<="}, float), default=None
        A metric of counts and the bound that the threshold has to keep, such as
        ``("precision", ">=", 0.9)``.
    cost : (float, float), default=None
        Costs of a false positive and of a false negative, for the first three criteria.
    prevalence : float in [0, 1], default=None
        Share of the positives where the threshold is to be used: criterion and constraint are
        read as if the data had it. That of the data by default.
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    OptimalThreshold
        ``threshold, value, counts, ties``.

    Raises
    ------
    ValueError
        If no threshold keeps the constraint (the message states the best attainable value),
        if the criterion is undefined at every threshold, or an argument is not accepted.

    References
    ----------
    Perkins & Schisterman (2006), American Journal of Epidemiology 163(7), 670-675; Youden
    (1950), Cancer 3(1), 32-35.

    Examples
    --------
    >>> from skmetrics_ext import optimal_threshold
    >>> y, s = [0, 0, 0, 1, 1, 1], [0.1, 0.3, 0.5, 0.2, 0.4, 0.6]
    >>> optimal_threshold(y, s, criterion="recall", constraint=("precision", ">=", 0.6)).threshold
    0.2
    >>> best = optimal_threshold(y, s, criterion="expected_cost", cost=(1, 5))
    >>> best.threshold, int(best.counts.fp), int(best.counts.fn)
    (0.2, 2, 0)
    """
    objective = Objective.make(criterion, constraint, cost, prevalence)
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    _, tally = binary_ranking(y_true, y_score, **options, what="optimal_threshold")
    return chosen_of(tally, objective)


def chosen_of(tally: RankTally, objective: Objective) -> OptimalThreshold:
    """The threshold of a ranking that an objective chooses."""
    thresholds, counts = thresholds_from_none(tally), tally.counts_from_none()
    values = objective.values(counts)
    best = choose(thresholds, values, objective.bounded(counts), objective)
    first = best[0]
    return OptimalThreshold(
        float(thresholds[first]),
        float(values[first]),
        Counts(*(part[first] for part in counts.astuple())),
        thresholds[best],
        objective.criterion.name,
    )

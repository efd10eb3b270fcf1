"""Exact search over every distinct score, and the threshold that predicts no positives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.rankings.ranking_kernels import ROUNDING, from_infinity
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.numeric import Array, Options, PosLabel
from skmetrics_ext.result_bases import Result
from skmetrics_ext.tables import Table
from skmetrics_ext.tallies import Counts, RankTally
from skmetrics_ext.thresholds.certified import CertifiedThresholds, Guarantee
from skmetrics_ext.thresholds.criteria import Choice, Objective
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_level

_SAMPLE_ONLY = "in the population it may not hold (confidence=0.95 chooses one where it does)"
REVERSED = (
    "no row is predicted positive: low scores go with the positive class; pass the scores of this "
    "class, or pos_label=, the class that they are scores of"
)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class OptimalThreshold(Result):
    """The threshold chosen by a search; rows with scores of at least this are predicted positive.

    Parameters
    ----------
    threshold : float
        A score that occurs, or infinity if predicting no positives is best.
    value : float
        The criterion at the threshold.
    counts : Counts
        Weight of the four outcomes at the threshold, as scalars.
    ties : ndarray of shape (n_ties,)
        All equally good thresholds, falling; ``threshold`` is the first.
    criterion : str
        Name of the criterion.
    confidence : float or None
        Chance that the threshold satisfies the constraints in the population.
    bounds : tuple of float
        With ``confidence``, the exact one-sided bound for each constraint.
    note : str
        A caveat on the constraint; empty if there is none.

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
    confidence: float | None = None
    bounds: tuple[float, ...] = ()
    note: str = ""

    def __iter__(self) -> Iterator[float]:
        """The threshold and the value there: ``threshold, value = result``."""
        return iter((self.threshold, self.value))

    def __float__(self) -> float:
        """The threshold alone."""
        return float(self.threshold)

    def _as_rows(self) -> Table:
        row: dict[str, Any] = {"threshold": self.threshold, self.criterion: self.value}
        row |= {name: getattr(self, name) for name in ("sensitivity", "specificity", "precision")}
        return Table([row | ({"note": self.note} if self.note else {})])

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
        """Share of positives among the rows predicted positive; nan if there are none."""
        return float(rates.precision(self.counts))


class InfeasibleError(InvalidParameterError):
    """No threshold satisfies the constraints, or none has a value."""


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """Thresholds to choose from, and what the choice depends on.

    Parameters
    ----------
    objective : Objective
    thresholds : ndarray of shape (T,)
        Falling.
    values : ndarray of shape (T,)
        The criterion at each threshold.
    bounded : list of ndarray of shape (T,)
        The criterion of each constraint at each threshold.
    certified : CertifiedThresholds or None
        Tests of the constraints, if they have to hold in the population.
    """

    objective: Objective
    thresholds: Array
    values: Array
    bounded: list[Array]
    certified: CertifiedThresholds | None = None

    @classmethod
    def of_counts(cls, objective: Objective, thresholds: Array, counts: Counts) -> Self:
        """Candidates whose constraints have to hold for the counted rows."""
        counts = objective.in_population(counts)
        bounded = [part.criterion.values(counts) for part in objective.constraints]
        return cls(objective, thresholds, objective.criterion.values(counts), bounded)

    @property
    def places(self) -> Array:
        """Positions of the best thresholds, if there are any; values may differ by rounding."""
        eligible = ~np.isnan(self.values) & self._kept
        signed = np.where(eligible, self.objective.criterion.sign * self.values, -np.inf)
        best = signed.max()
        slack = ROUNDING * max(1.0, abs(best)) if np.isfinite(best) else 0.0
        return np.flatnonzero(eligible & (signed >= best - slack))

    @property
    def best(self) -> float:
        """The best threshold, the highest of several; nan if there is none."""
        places = self.places
        return float(self.thresholds[places[0]]) if places.size else np.nan

    @property
    def _kept(self) -> Array:
        """Whether each threshold satisfies the constraints."""
        if self.certified is not None:
            return self.certified.passed
        pairs = zip(self.objective.constraints, self.bounded, strict=True)
        return np.logical_and.reduce([part.is_kept(values) for part, values in pairs])

    def choose(self) -> Array:
        """Positions of the best thresholds; an error if there are none."""
        places = self.places
        if places.size:
            return places
        name, constrained = self.objective.criterion.name, self.objective.constrained
        if np.isnan(self.values).all():
            raise InfeasibleError(
                f"{name} is undefined at every threshold: a class has no rows, or criterion is a "
                "function that returns nan throughout."
            )
        if self.certified is not None and not self.certified.passed.any():
            raise InfeasibleError(self.certified.why_none())
        for constraint, attained in zip(self.objective.constraints, self.bounded, strict=True):
            if constraint.is_kept(attained).any():
                continue
            nearest, reason = constraint.closest_to_bound(attained), "it is undefined everywhere"
            if nearest >= 0:
                reason = (
                    f"the best attainable {constraint.criterion.name} is {attained[nearest]:.6g}, "
                    f"at threshold {self.thresholds[nearest]:.6g}"
                )
            raise InfeasibleError(f"No threshold keeps {constraint}: {reason}.")
        if not np.any(self._kept):
            raise InfeasibleError(f"No threshold keeps both {constrained}.")
        raise InfeasibleError(f"{name} is undefined at every threshold with {constrained}.")


@document
def optimal_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    criterion: Choice = "youden",
    constraint: Any = None,
    cost: Any = None,
    prevalence: float | None = None,
    confidence: float | None = None,
    groups: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    interval: bool = False,
    **drawing: Any,
) -> OptimalThreshold | Any:
    r"""Best threshold by a criterion, over every distinct score and one above them all.

    The search is exact, without a grid or interpolation: the scores are sorted once and the
    criterion is read from the counts at every threshold. Thresholds where it is 0/0 are skipped;
    within an average over classes the metric's convention for 0/0 applies. Of several equally good
    thresholds, up to rounding, the highest is taken, which predicts the fewest positives.

    Parameters
    ----------
    {y_true_y_score_binary}
    criterion : str or callable, default="youden"
        - "youden": largest :math:`Se + r\, Sp - 1`;
        - "closest_topleft": smallest :math:`(1 - Se)^2 + r (1 - Sp)^2`;
        - "expected_cost": smallest :math:`(c_{FP} FP + c_{FN} FN) / n`;
        - "net_benefit": largest :math:`(TP - (c_{FP} / c_{FN}) FP) / n`;
        - the name of a registered metric of counts or of its scorer ("f1", "f1_macro",
          "balanced_accuracy", "matthews_corrcoef", "error_rate", ...), or its function: the
          best value, which is the smallest for an error;
        - a callable on `Counts`, whose arrays hold one entry per threshold: the largest value.

        :math:`r = c_{FP} (1 - \pi) / (c_{FN} \pi)` is 1 if neither ``cost`` nor
        ``prevalence`` is given.
    constraint : (str or callable, {">=", "<="}, float) or list of them, default=None
        A metric of counts and the bound that it has to satisfy at the threshold, such as
        ``("precision", ">=", 0.9)``; all of several constraints have to be satisfied. Without
        ``confidence`` they hold in the sample, and in the population about every other time.
    cost : (float, float), default=None
        Costs of a false positive and of a false negative, for the first four criteria, which can
        also be constraints.
    confidence : float in (0, 1), default=None
        Chance that the threshold satisfies the constraints in the population as well; if this can
        be certified for no threshold, the error says what can. For constraints on rates of one
        class (precision, recall, specificity, negative predictive value and their complements),
        "expected_cost" and "net_benefit".
    groups : array-like of shape (n_samples,), default=None
        With ``confidence`` or ``interval``, the group of each row (the patient), if rows of a group
        depend on each other. The bounds of ``confidence`` are conservative: they assume that the
        rows of a group are all alike.
    prevalence : float in (0, 1), default=None
        Share of positives where the threshold will be used: criterion and constraints are read as
        if the data had it. That of the data by default.
    {score_labels}
    {score_pos_label}
    {sample_weight}
    interval : bool, default=False
        Whether to return an interval of the best threshold in the population, and the value of the
        criterion for rows that the threshold was not chosen on.
    **drawing : dict
        With ``interval=True``: ``confidence_level`` (0.95), ``strata``, ``weights_are``,
        ``stratified``, ``n_resamples`` (1999), ``random_state`` (0), ``n_jobs`` and ``progress``,
        as in `confidence_interval`.

    Returns
    -------
    OptimalThreshold
        ``threshold, value, counts, ties``; with ``interval=True`` a `ThresholdInterval`,
        ``chosen, threshold, value, optimism``.

    Raises
    ------
    ValueError
        If no threshold satisfies the constraints (the message states the best attainable value),
        if the criterion is undefined at every threshold, or an argument is not accepted.

    Notes
    -----
    With ``confidence``, thresholds are tested by Clopper and Pearson's one-sided bound in a fixed
    order, from the one at which the constraint is easiest to satisfy, until the first that fails
    (Learn then Test with fixed-sequence testing). Which thresholds are tested depends on the
    scores and not on the labels: for precision and negative predictive value on the number of rows
    predicted positive or negative, from about the square root of all rows on. Costs have no such
    order: 16 thresholds are tested, each at a part of the level. Several constraints share the
    level. In simulations (``benchmarks/chosen_thresholds.py``) constraints were satisfied in 94 %
    of samples or more.

    The error of a threshold found by counting shrinks with the cube root of the number of rows, so
    percentiles of draws of all n rows are too narrow. With ``interval=True`` draws have ``n**0.8``
    rows, or groups (the m-out-of-n bootstrap). If fewer than five rows of a class are on the wrong
    side of the threshold, draws hardly vary there: the bound on that side reaches the outermost of
    these rows, and a note says so. The value is that of five repeats of five folds, with the
    interval of `confidence_interval` for the criterion; the repeated predictions of a row form a
    group. Criteria that are no metric of this package have bootstrap percentiles. In simulations of
    normal scores the interval of the threshold contains the best one in 94 to 100 % of samples with
    30 rows or more of each class, and that of the value contains the value of the chosen threshold
    in 90 to 97 %, with areas under the ROC curve from 0.82 to 0.97.

    References
    ----------
    Angelopoulos, Bates, Candes, Jordan & Lei (2021), Learn then Test, arXiv:2110.01052;
    Perkins & Schisterman (2006), American Journal of Epidemiology 163(7), 670-675; Youden
    (1950), Cancer 3(1), 32-35. Of intervals: Kim & Pollard (1990), Annals of Statistics 18(1),
    191-219, for the cube root; Bickel, Gotze & van Zwet (1997), Statistica Sinica 7(1), 1-31, for
    smaller draws; Stone (1974), Journal of the Royal Statistical Society B 36(2), 111-147, for
    values of rows that were left out.

    Examples
    --------
    >>> from skmetrics_ext import optimal_threshold
    >>> y, s = [0, 0, 0, 1, 1, 1], [0.1, 0.3, 0.5, 0.2, 0.4, 0.6]
    >>> optimal_threshold(y, s, criterion="recall", constraint=("precision", ">=", 0.6)).threshold
    0.2
    >>> best = optimal_threshold(y, s, criterion="expected_cost", cost=(1, 5))
    >>> best.threshold, int(best.counts.fp), int(best.counts.fn)
    (0.2, 2, 0)

    A precision of 0.8 in the population, not just in these rows:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> ill = rng.random(2000) < 0.3
    >>> marker = rng.normal(size=2000) + 1.5 * ill
    >>> target = ("precision", ">=", 0.8)
    >>> sure = optimal_threshold(
    ...     ill, marker, criterion="recall", constraint=target, confidence=0.95)
    >>> round(sure.threshold, 3), round(sure.precision, 3), round(sure.bounds[0], 3)
    (2.174, 0.854, 0.8)

    How uncertain is the threshold, and what is it worth on other rows?

    >>> y_true = [0, 0, 1, 0, 1, 1] * 20
    >>> y_score = [k % 17 + 6 * label for k, label in enumerate(y_true)]
    >>> print(optimal_threshold(y_true, y_score, criterion="f1", interval=True))
    95% intervals
    of          value          interval  standard_error  method                note
    ---------  ------  ----------------  --------------  --------------------  ----
    threshold  6.0000           [5, 15]                  m-out-of-n bootstrap  [1]
    f1         0.7478  [0.6656, 0.8189]          0.0381  cross-fitted, wilson
    <BLANKLINE>
    [1] few rows on the wrong side of the threshold: 0 positive (decides the lower bound)
    """
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    check_option("interval", interval, (False, True))
    if interval:
        from skmetrics_ext.thresholds.uncertainty import optimal_threshold_interval

        if confidence is not None:
            raise InvalidParameterError(
                "interval=True and confidence= answer two questions: leave one of them out."
            )
        choice = {"criterion": criterion, "constraint": constraint, "cost": cost}
        given = {**choice, **options, "prevalence": prevalence, "groups": groups}
        return optimal_threshold_interval(y_true, y_score, **given, **drawing)
    if drawing:
        raise InvalidParameterError(
            f"{', '.join(drawing)} is for an interval: pass interval=True as well."
        )
    objective = Objective.make(criterion, constraint, cost, prevalence)
    checked, tally = binary_ranking(y_true, y_score, **options, what="optimal_threshold")
    if confidence is None:
        if groups is not None:
            raise InvalidParameterError(
                "groups= only affects a threshold with a guarantee: pass confidence= as well."
            )
        return chosen_of(tally, objective)
    others = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    unit = None if groups is None else read_groups(groups, len(checked.true), **others)
    guarantee = Guarantee(checked, unit, check_level(confidence, "confidence"))
    return chosen_of(tally, objective, guarantee)


def is_reversed(counts: Counts) -> bool:
    """Whether the ROC curve is below the diagonal at some thresholds, and above it at none."""
    above = rates.recall(counts) + rates.specificity(counts) - 1
    return bool((above <= ROUNDING).all() and (above < -ROUNDING).any())


def chosen_of(
    tally: RankTally, objective: Objective, guarantee: Guarantee | None = None
) -> OptimalThreshold:
    """The best threshold of a ranking by an objective, certified if there is a guarantee."""
    thresholds, counts = from_infinity(tally), tally.counts_from_none()
    candidates = Candidates.of_counts(objective, thresholds, counts)
    certified = None
    if guarantee is not None:
        certified = CertifiedThresholds.make(thresholds, counts, objective, guarantee)
        candidates = replace(candidates, certified=certified)
    places = candidates.choose()
    first = int(places[0])
    guaranteed: dict[str, Any] = {}
    if certified is not None:
        guaranteed = {"confidence": certified.confidence, "bounds": certified.bounds_at(first)}
    elif objective.constraints:
        guaranteed = {"note": f"{objective.constrained} in this sample; {_SAMPLE_ONLY}"}
    elif first == 0 and is_reversed(counts):
        guaranteed = {"note": REVERSED}
    return OptimalThreshold(
        float(thresholds[first]),
        float(candidates.values[first]),
        Counts(*(part[first] for part in counts.astuple())),
        thresholds[places],
        objective.criterion.name,
        **guaranteed,
    )


# --------------------------------------------------------------------------- several folds


@dataclass(frozen=True, eq=False, slots=True)
class FoldSearch:
    """The best threshold over the folds, with the values that it was chosen from.

    Parameters
    ----------
    threshold, value : float
        The best threshold, and the mean of the criterion over the folds at it.
    by_fold : ndarray of shape (n_folds,)
        The best threshold of each fold alone; nan if it has none.
    thresholds, values : ndarray of shape (T,)
        Infinity and every distinct score of any fold, falling; the mean of the criterion at each.
    """

    threshold: float
    value: float
    by_fold: Array
    thresholds: Array
    values: Array


def best_over_folds(
    tallies: list[RankTally], objective: Objective, guarantee: Guarantee | None = None
) -> FoldSearch:
    """Search every threshold of any fold for the best mean of a criterion over the folds.

    A guarantee is for the rows of all folds together.
    """
    folds = [
        Candidates.of_counts(objective, from_infinity(tally), tally.counts_from_none())
        for tally in tallies
    ]
    grids = [fold.thresholds for fold in folds]
    thresholds = np.unique(np.concatenate(grids))[::-1]
    mean = _mean_at(thresholds, grids, [fold.values for fold in folds])
    bounded = zip(*(fold.bounded for fold in folds), strict=True)
    mean_bounded = [_mean_at(thresholds, grids, values) for values in bounded]
    certified = None
    if guarantee is not None:
        pooled = RankTally.combine(tallies).counts_from_none()
        certified = CertifiedThresholds.make(thresholds, pooled, objective, guarantee)
    best = int(Candidates(objective, thresholds, mean, mean_bounded, certified).choose()[0])
    by_fold = np.array([fold.best for fold in folds])
    return FoldSearch(float(thresholds[best]), float(mean[best]), by_fold, thresholds, mean)


def _mean_at(thresholds: Array, grids: list[Array], values: Sequence[Array]) -> Array:
    """Mean over the folds in which a number is defined at all; nan if it is nan in one of them.

    At a threshold between its scores a fold predicts the same as at the next higher score.
    """
    defined = [
        of_fold[np.searchsorted(-grid, -thresholds, side="right") - 1]
        for grid, of_fold in zip(grids, values, strict=True)
        if not np.isnan(of_fold).all()
    ]
    return np.mean(defined, axis=0) if defined else np.full(len(thresholds), np.nan)


def pooled_rows(rows: list[Scores], places: list[Array], groups: Any, confidence: Any) -> Guarantee:
    """The guarantee for the rows of all folds, whose positions in the data are ``places``.

    A row that several folds score becomes a group of dependent rows.
    """
    true = np.concatenate([fold.true for fold in rows])
    score = np.concatenate([fold.score for fold in rows])
    weight = None if rows[0].weight is None else np.concatenate([fold.weight for fold in rows])
    place = np.concatenate(places)
    unit = place if groups is None else groups[place]
    repeated = groups is not None or len(np.unique(place)) < len(place)
    pooled = Scores("binary", rows[0].classes, true, score, weight)
    return Guarantee(pooled, unit if repeated else None, check_level(confidence, "confidence"))

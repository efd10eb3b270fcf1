"""How sure a chosen threshold is, and what its criterion is worth on other rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign, WeightsAre
from skmetrics_ext.inference.draws.bootstrap import DrawPlan, resample
from skmetrics_ext.inference.draws.rankings import ScoreIndex
from skmetrics_ext.inference.draws.samples import Sample, weighed
from skmetrics_ext.inference.notes import reason
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.numeric import Array
from skmetrics_ext.progress import Progress
from skmetrics_ext.registry import Metric
from skmetrics_ext.rows import Rows, Tabular
from skmetrics_ext.tallies import Counts
from skmetrics_ext.thresholds.criteria import Choice, Objective
from skmetrics_ext.thresholds.search import (
    OptimalThreshold,
    best_places,
    chosen_of,
)
from skmetrics_ext.validation import Scores
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.parameters import check_level

# Below it the study of coverage found thresholds that are held too rarely.
_FEW_ROWS = 50
_METHOD = "bootstrap"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ThresholdInterval(Tabular):
    """A chosen threshold with its interval, and its criterion as other rows would show it.

    Parameters
    ----------
    chosen : OptimalThreshold
        What `optimal_threshold` gives of all rows.
    threshold : Estimate
        The threshold with the interval of the one that is best for the source of the rows.
    value : Estimate
        The criterion at the chosen threshold, less what choosing it on the same rows gained, with
        its interval.
    optimism : float
        What was taken off: how much better the criterion is, on average, on rows that the threshold
        was chosen on; negative where small values are better.

    Examples
    --------
    >>> from skmetrics_ext import optimal_threshold_interval
    >>> y_true = [0, 0, 1, 0, 1, 1] * 20
    >>> y_score = [k % 17 + 6 * label for k, label in enumerate(y_true)]
    >>> found = optimal_threshold_interval(y_true, y_score, random_state=0)
    >>> found.chosen.threshold == found.threshold.value
    True
    >>> found.value.value < found.chosen.value
    True
    """

    chosen: OptimalThreshold
    threshold: Estimate
    value: Estimate
    optimism: float

    def _as_rows(self) -> Rows:
        named = {"threshold": self.threshold, self.chosen.criterion: self.value}
        parts = ("value", "low", "high", "standard_error", "note")
        return Rows(
            [
                {"of": name, **{part: getattr(one, part) for part in parts}}
                for name, one in named.items()
            ],
            lead=[f"{100 * self.threshold.confidence_level:g}% {_METHOD}"],
        )


@dataclass(frozen=True, eq=False)
class _ThresholdSample(Sample):
    """What a search finds on draws of rows: the threshold, and the criterion here and there.

    The value of each draw is (threshold, criterion on the draw, criterion of it on all rows,
    criterion of the draw at the threshold of all rows).
    """

    scores: Scores
    row_design: RowDesign
    objective: Objective
    threshold: float  # that all rows chose

    @property
    def design(self) -> RowDesign:
        return self.row_design

    @cached_property
    def _joint(self) -> tuple[Atoms, ScoreIndex]:
        scores = self.scores
        order = np.unique(scores.score, return_inverse=True)[1].reshape(-1)
        atoms, first = Atoms.alike(self.row_design, scores.true, 2 * order + scores.true)
        return atoms, ScoreIndex.of_scores(scores.score[first], scores.true[first])

    @property
    def atoms(self) -> Atoms:
        return self._joint[0]

    @property
    def view(self) -> ScoreIndex:
        """Where the atoms stand in the ranking."""
        return self._joint[1]

    @cached_property
    def thresholds(self) -> Array:
        """Infinity, then the distinct scores, falling."""
        return np.concatenate([[np.inf], self.view.thresholds])

    @cached_property
    def place(self) -> int:
        """That of the threshold that all rows chose."""
        return int(np.flatnonzero(self.thresholds == self.threshold)[0])

    @cached_property
    def whole(self) -> Array:
        """The criterion of all rows at every threshold."""
        return self.objective.values(self.counts(self.atoms.rows))

    def counts(self, drawn: Array) -> Counts:
        return self.view.tally(self.atoms.mass(drawn)).counts_from_none()

    def statistic(self, counts: Array) -> Array:
        found = np.full((len(counts), 4), np.nan)
        for row, drawn in zip(found, counts, strict=True):
            self._search(row, drawn)
        return found

    def _search(self, row: Array, drawn: Array) -> None:
        of_draw = self.counts(drawn)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self.objective.values(of_draw)
            best = best_places(values, self.objective.bounded(of_draw), self.objective)
        if best.size:
            place = best[0]
            row[:] = self.thresholds[place], values[place], self.whole[place], values[self.place]


@document
def optimal_threshold_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    criterion: Choice = "youden",
    constraint: Any = None,
    cost: Any = None,
    prevalence: float | None = None,
    labels: Any = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    stratified: bool = False,
    n_resamples: int = 1999,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> ThresholdInterval:
    r"""Interval of the best threshold, and an honest value of the criterion there.

    A threshold that is best on some rows looks better on them than on others. The search is
    repeated on draws of the rows; with :math:`\hat V` the criterion on all rows, and
    :math:`V_b, t_b` criterion and best threshold of a draw,

    .. math:: \hat V(\hat t) - \frac{1}{B} \sum_b [V_b(t_b) - \hat V(t_b)]

    is what the chosen threshold is worth on other rows of the same source.

    Parameters
    ----------
    {y_true_y_score_binary}
    criterion : str or callable, default="youden"
        What the threshold is chosen by, as in `optimal_threshold`.
    constraint : (str or callable, {">=", "<="}, float), default=None
        A metric of counts and the bound that the threshold has to keep.
    cost : (float, float), default=None
        Costs of a false positive and of a false negative, for the criteria that use them.
    prevalence : float in [0, 1], default=None
        Share of the positives where the threshold is to be used.
    {score_labels}
    {score_pos_label}
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of both intervals.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other, and whole
        groups are drawn.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row, if a fixed number of rows was sampled from each: rows are drawn
        within strata.
    {sample_weight}
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    stratified : bool, default=False
        Whether each draw has as many rows of each class.
    n_resamples : int, default=1999
        Number of draws.
    random_state : int, Generator, RandomState or None, default=None
        Where the draws come from.
    n_jobs : int or None, default=None
        Number of processes; the result does not depend on it.
    progress : bool, callable or None, default=None
        Whether, or how, to tell how far the draws are.

    Returns
    -------
    ThresholdInterval
        ``chosen``, ``threshold``, ``value`` and ``optimism``.

    Raises
    ------
    {raises}

    Notes
    -----
    The interval of the threshold is that of percentiles of :math:`t_b`. A threshold that is found
    by counting errs by the cube root of the number of rows, for which no theory says that
    percentiles hold. In simulations of normal scores (``benchmarks/chosen_thresholds.py``) they
    hold the best threshold in 94 to 97 % of samples with 50 rows or more of each class, and in 90
    to 93 % with 30 to 50, where they bear a note. The interval of the value is that of
    :math:`V_b(\hat t)`, moved by the optimism: it holds the value of the chosen threshold in 90 to
    95 % of samples, for the optimism is still too small by a quarter or so.

    References
    ----------
    Efron & Gong (1983), The American Statistician 37(1), 36-48, for the optimism; Kim & Pollard
    (1990), Annals of Statistics 18(1), 191-219, for the cube root; Noma et al. (2021), Statistics
    in Medicine 40(26), 5691-5701, for the interval moved by the optimism.

    Examples
    --------
    >>> from skmetrics_ext import optimal_threshold_interval
    >>> y_true = [0, 0, 1, 0, 1, 1] * 20
    >>> y_score = [k % 17 + 6 * label for k, label in enumerate(y_true)]
    >>> print(optimal_threshold_interval(y_true, y_score, criterion="f1", random_state=0))
    95% bootstrap
    of          value           interval  standard_error
    ---------  ------  -----------------  --------------
    threshold  6.0000  [6.0000, 10.0000]          1.4528
    f1         0.7403   [0.6568, 0.8105]          0.0384
    """
    level = check_level(confidence_level)
    objective = Objective.make(criterion, constraint, cost, prevalence)
    about = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked, tally = binary_ranking(y_true, y_score, what="optimal_threshold_interval", **about)
    chosen = chosen_of(tally, objective)
    beside = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    design = read_design(groups, strata, checked.true.shape[0], **beside)
    scores, design = weighed(checked, design)
    row_design = RowDesign.of(scores.weight, design, weights_are)
    metric = Metric(chosen.criterion, optimal_threshold_interval, None)
    about_choice = scores, row_design, objective, chosen.threshold
    sample = _ThresholdSample(metric, np.full(4, chosen.value), *about_choice)
    plan = DrawPlan(n_resamples, stratified, random_state, n_jobs, progress)
    return _told(sample, chosen, resample(sample, plan), level)


def _told(
    sample: _ThresholdSample, chosen: OptimalThreshold, draws: Array, level: float
) -> ThresholdInterval:
    known = draws[~np.isnan(draws).any(axis=1)]
    note = _note(sample, len(known), len(draws))
    if 2 * len(known) < len(draws):  # a search that mostly fails has no interval
        known = np.full((1, 4), np.nan)
    threshold, on_draw, on_all, fixed = known.T
    optimism = float((on_draw - on_all).mean())
    finite = threshold[np.isfinite(threshold)]
    error = float(finite.std(ddof=1)) if len(finite) == len(threshold) > 1 else float("nan")
    of_place = _estimate(chosen.threshold, threshold, error, level, note)
    honest, spread = chosen.value - optimism, float(fixed.std())
    return ThresholdInterval(
        chosen, of_place, _estimate(honest, fixed - optimism, spread, level, note), optimism
    )


def _estimate(value: float, draws: Array, error: float, level: float, note: str) -> Estimate:
    """Percentiles that are draws, for a threshold may be infinite."""
    tails = (1 - level) / 2, (1 + level) / 2
    low, high = np.quantile(draws, tails, method="inverted_cdf").tolist()
    low, high = min(low, value), max(high, value)
    told = note or reason(value, low, high)
    return Estimate(value, low, high, error, _METHOD, level, told)


def _note(sample: _ThresholdSample, n_known: int, n_draws: int) -> str:
    rare = sample.fewest_rows
    if n_known < n_draws:
        return f"no threshold was found in {n_draws - n_known} of {n_draws} draws"
    if rare < _FEW_ROWS:
        what = "rows" if sample.design.group is None else "groups with rows"
        return (
            f"{rare:g} {what} of the rarer class are few to choose a threshold by: the intervals "
            "may miss their level"
        )
    return ""

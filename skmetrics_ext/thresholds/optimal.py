"""The best threshold, with its interval and a cross-fitted value of its criterion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference import notes
from skmetrics_ext.inference.directions import note_on_series
from skmetrics_ext.inference.draws.atoms import RowDesign, WeightsAre
from skmetrics_ext.inference.draws.bootstrap import DrawPlan, resample, seed_sequence
from skmetrics_ext.inference.draws.rankings import RankingSample
from skmetrics_ext.inference.draws.readers import sample_of_checked
from skmetrics_ext.inference.draws.samples import Sample, TableSample, without_zero_weights
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.inference.methods import interval_of
from skmetrics_ext.inference.nested_cv import partitions
from skmetrics_ext.inference.notes import OF_RANKINGS, OF_SHARES
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.numeric import Array, Options, PosLabel, RandomState
from skmetrics_ext.progress import Progress
from skmetrics_ext.registry import find
from skmetrics_ext.result_bases import Described, Facts
from skmetrics_ext.tables import Table
from skmetrics_ext.tallies import Counts
from skmetrics_ext.thresholds.at_thresholds import Choice, Objective
from skmetrics_ext.thresholds.search import Candidates, Guarantee, OptimalThreshold, chosen_of
from skmetrics_ext.validation import InvalidParameterError, Labels, Scores, check_option
from skmetrics_ext.validation.groups import Design, read_design, read_groups
from skmetrics_ext.validation.labels import subset
from skmetrics_ext.validation.parameters import check_level

_METHOD = "m-out-of-n bootstrap"
_POWER = 0.8  # draws of n^0.8 of n rows
_FOLDS = _REPEATS = 5  # of the cross-fitted value


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ThresholdInterval(Described):
    """A chosen threshold with its interval, and a cross-fitted value of the criterion.

    Parameters
    ----------
    chosen : OptimalThreshold
        The result of `optimal_threshold` for all rows.
    threshold : Estimate
        The threshold, with an interval of the best threshold in the population.
    value : Estimate
        The criterion of rows predicted by thresholds that were chosen on other rows, with its
        interval.
    optimism : float
        How much better the criterion looks on the rows that the threshold was chosen on; negative
        if small values are better.

    Examples
    --------
    >>> from skmetrics_ext import optimal_threshold
    >>> y_true = [0, 0, 1, 0, 1, 1] * 20
    >>> y_score = [k % 17 + 6 * label for k, label in enumerate(y_true)]
    >>> found = optimal_threshold(y_true, y_score, interval=True)
    >>> found.chosen.threshold == found.threshold.value
    True
    >>> found.value.value < found.chosen.value
    True
    """

    chosen: OptimalThreshold
    threshold: Estimate
    value: Estimate
    optimism: float

    @property
    def _facts(self) -> Facts:
        return self.threshold.facts or Facts()

    def cite(self) -> str:
        """Both methods with their references, and the number of rows, in one line.

        Returns
        -------
        str
        """
        return f"{self.threshold.cite()}; {self.value.cite()}"

    def _as_rows(self) -> Table:
        estimates = {"threshold": self.threshold, self.chosen.criterion: self.value}
        columns = ("value", "low", "high", "standard_error", "method", "note")
        rows = [
            {"of": name, **{column: getattr(estimate, column) for column in columns}}
            for name, estimate in estimates.items()
        ]
        return Table(rows, lead=[f"{100 * self.threshold.confidence_level:g} % intervals"])


@dataclass(frozen=True, eq=False)
class _ThresholdSample(RankingSample):
    """The threshold that a search chooses on draws that are smaller than the sample."""

    objective: Any = None

    @cached_property
    def drawn_share(self) -> float:
        atoms = self.atoms
        return float((atoms.n_groups or atoms.n_rows) ** (_POWER - 1))

    @cached_property
    def thresholds(self) -> Array:
        """Infinity, then the distinct scores, falling."""
        return np.concatenate([[np.inf], self.indexes[0].thresholds])

    def statistic(self, counts: Array) -> Array:
        return np.array([self.best(drawn) for drawn in counts])

    def best(self, drawn: Array) -> float:
        """The best threshold if each atom is drawn so often; nan if there is none."""
        counts = self.tally_of_mass(self.atoms.mass(drawn)).counts_from_none()
        with np.errstate(divide="ignore", invalid="ignore"):
            return Candidates.of_counts(self.objective, self.thresholds, counts).best


@dataclass(frozen=True, eq=False)
class _CriterionSample(TableSample):
    """A criterion of predicted classes that is no metric of this package."""

    kind, share = "draws", ""
    objective: Any = None

    def statistic(self, counts: Array) -> Array:
        (tn, fp), (fn, tp) = np.moveaxis(self.tally(counts).table, (-2, -1), (0, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.objective.values(Counts(tp, fp, fn, tn))


@document
def optimal_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    criterion: Choice = "youden",
    constraint: Any = None,
    cost: Any = None,
    confidence: float | None = None,
    groups: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    interval: bool = False,
    prevalence: float | None = None,
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
    {score_labels}
    {score_pos_label}
    {sample_weight}
    interval : bool, default=False
        Whether to return an interval of the best threshold in the population, and the value of the
        criterion for rows that the threshold was not chosen on.
    prevalence : float in (0, 1), default=None
        Share of positives where the threshold will be used: criterion and constraints are read as
        if the data had it. That of the data by default.
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
    95 % intervals
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
    guarantee = None
    if confidence is not None:
        others = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
        unit = None if groups is None else read_groups(groups, len(checked.true), **others)
        guarantee = Guarantee(checked, unit, check_level(confidence, "confidence"))
    elif groups is not None:
        raise InvalidParameterError(
            "groups= only affects a threshold with a guarantee: pass confidence= as well."
        )
    chosen = chosen_of(tally, objective, guarantee)
    note = "; ".join(filter(None, (chosen.note, _note_on_name(y_score, checked))))
    return replace(chosen, note=note)


def _note_on_name(y_score: Any, checked: Scores) -> str:
    """The note on scores with a name that ends in the class that is not positive."""
    classes = checked.classes.tolist()
    return note_on_series(y_score, classes, classes[-1])


@document
def optimal_threshold_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    criterion: Choice = "youden",
    constraint: Any = None,
    cost: Any = None,
    prevalence: float | None = None,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    stratified: bool = False,
    n_resamples: int = 1999,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> ThresholdInterval:
    """Interval of the best threshold, and a cross-fitted value of the criterion.

    `optimal_threshold` with ``interval=True``, whose documentation holds for all parameters.

    Parameters
    ----------
    y_true, y_score, criterion, constraint, cost, prevalence, labels, pos_label, confidence_level, \
groups, strata, sample_weight, weights_are, stratified, n_resamples, random_state, n_jobs, progress
        As in `optimal_threshold`.

    Returns
    -------
    ThresholdInterval
        ``chosen``, ``threshold``, ``value`` and ``optimism``.

    Raises
    ------
    {raises}
    """
    level = check_level(confidence_level)
    objective = Objective.make(criterion, constraint, cost, prevalence)
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked, tally = binary_ranking(y_true, y_score, what="optimal_threshold", **options)
    chosen = chosen_of(tally, objective)
    columns = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    design = read_design(groups, strata, checked.true.shape[0], **columns)
    scores, design = without_zero_weights(checked, design)
    row_design = RowDesign.of(scores.weight, design, weights_are)
    metric = find(optimal_threshold_interval)
    sample = _ThresholdSample(metric, chosen.threshold, scores, row_design, objective=objective)
    plan = DrawPlan(n_resamples, stratified, random_state, n_jobs, progress)
    seed, seed_of_folds = seed_sequence(random_state).spawn(2)
    threshold = _of_threshold(sample, resample(sample, replace(plan, random_state=seed)), level)
    rng = np.random.default_rng(seed_of_folds)
    value = _cross_fitted(sample, chosen.value, plan, rng, level)
    atoms, positive = sample.atoms, checked.classes[-1].item()
    facts = Facts(chosen.criterion, {}, atoms.n_rows, atoms.effective_rows, None, positive)
    note = "" if objective.constraints else chosen.note
    note = "; ".join(filter(None, (note, threshold.note, _note_on_name(y_score, checked))))
    drawn = replace(facts, draws=plan.most_draws)
    threshold, value = replace(threshold, facts=drawn, note=note), replace(value, facts=facts)
    return ThresholdInterval(chosen, threshold, value, chosen.value - value.value)


def _of_threshold(sample: _ThresholdSample, draws: Array, level: float) -> Estimate:
    """Percentiles without interpolation, since a threshold may be infinite."""
    value, known = float(sample.value), draws[~np.isnan(draws)]
    low, high, note = _few_wrong_rows(sample)
    if len(known) < len(draws):
        failed = f"no threshold was found in {len(draws) - len(known)} of {len(draws)} draws"
        note = f"{failed}; {note}" if note else failed
    if 2 * len(known) < len(draws):  # the search mostly fails: no interval
        return estimate(value, (np.nan, np.nan), np.nan, _METHOD, level, note)
    tails = (1 - level) / 2, (1 + level) / 2
    ends = np.quantile(known, tails, method="inverted_cdf").tolist()
    bounds = min(low, ends[0]), max(high, ends[1])
    return estimate(value, bounds, np.nan, _METHOD, level, note)


def _few_wrong_rows(sample: _ThresholdSample) -> tuple[float, float, str]:
    """Least extreme bounds of a threshold with few rows on its wrong side, and a note.

    As draws of few wrong rows hardly vary, the bound on their side is at least the outermost of
    them, or the next score if there is none.
    """
    value, scores = float(sample.value), sample.data
    rows = np.ones(len(scores.score)) if sample.design.sizes is None else sample.design.sizes
    place = int(np.flatnonzero(sample.thresholds == value)[0])
    neighbours = sample.thresholds[max(place - 1, 0) : place + 2]  # falling
    missed = (scores.true == 1) & (scores.score < value)
    alarms = (scores.true == 0) & (scores.score >= value)
    sides = (
        ("positive", "lower", missed, np.min, neighbours[-1]),
        ("negative", "upper", alarms, np.max, neighbours[0]),
    )
    ends, few = [value, value], []
    for k, (class_name, side, wrong, outermost, neighbour) in enumerate(sides):
        if (n_wrong := float(rows[wrong].sum())) < OF_SHARES:
            ends[k] = float(outermost(scores.score[wrong]) if wrong.any() else neighbour)
            few.append(f"{n_wrong:g} {class_name} (decides the {side} bound)")
    note = f"few rows on the wrong side of the threshold: {', '.join(few)}" if few else ""
    if sample.fewest_rows < OF_RANKINGS:
        what = "rows" if sample.design.group is None else "groups with rows"
        note = notes.few(sample.fewest_rows, f"{what} in the smallest class")
    return ends[0], ends[1], note


def _cross_fitted(
    sample: _ThresholdSample, best: float, plan: DrawPlan, rng: np.random.Generator, level: float
) -> Estimate:
    """The criterion of predictions by thresholds that were chosen on other rows.

    These thresholds vary, and are chosen on fewer rows, so that the value of the chosen one is
    more often better than the bounds of rows alone allow. The better bound is therefore moved by
    half of the distance to ``best``, its value on the rows that it was chosen on.
    """
    row_design, scores, atom = sample.design, sample.data, sample.atoms.of_row
    sizes, objective = row_design.sizes, sample.objective
    if sizes is not None:  # a row for each time that it was seen
        seen = np.repeat(np.arange(len(sizes)), sizes)
        scores, atom = subset(scores, seen), atom[seen]
        row_design = RowDesign.of(None, row_design.design.kept(seen))
    repeats = [_predictions(sample, atom, scores, row_design.group, rng) for _ in range(_REPEATS)]
    predictions = [predicted for predicted in repeats if predicted is not None]
    if not predictions:
        note = "no threshold was found on parts of the rows"
        return estimate(np.nan, (np.nan, np.nan), np.nan, "cross-fitted", level, note)
    # The predictions of a row are not independent: the row, or its group, is drawn.
    n_rows = len(atom)
    rows = np.tile(np.arange(n_rows), len(predictions))
    group = np.arange(n_rows) if row_design.group is None else row_design.group
    weight = None if row_design.weight is None else row_design.weight[rows]
    design = Design(group, row_design.stratum).kept(rows)
    true, pred = scores.true[rows], np.concatenate(predictions)
    if objective.metric is not None:
        labels = Labels.check(true, pred, sample_weight=weight)
        predicted: Sample = sample_of_checked(objective.metric, labels, design)
        method = "auto"
    else:
        labels = Labels("binary", np.arange(2), true, pred, weight)
        repeated = RowDesign.of(weight, design)
        predicted = _CriterionSample(sample.metric, np.nan, labels, repeated, objective=objective)
        value = float(predicted.statistic(predicted.atoms.rows[None])[0])
        predicted, method = replace(predicted, value=value), "expanded"
    statistic = linearize(predicted)
    result = interval_of(statistic, method, level, plan)
    assert isinstance(result, Estimate)
    half, (start, end) = (best - result.value) / 2, statistic.bounds
    low, high = max(result.low + min(half, 0.0), start), min(result.high + max(half, 0.0), end)
    result = replace(result, low=low, high=high, method=f"cross-fitted, {result.method}")
    if row_design.group is None:  # the groups are the rows themselves
        result = replace(result, n_groups=None, design_effect=np.nan)
    return result


def _predictions(
    sample: _ThresholdSample,
    atom: Array,
    scores: Scores,
    group: Array | None,
    rng: np.random.Generator,
) -> Array | None:
    """Predicted classes of rows, by the best thresholds of the other folds; None if one is missing.

    Folds have the same number of rows of each class, or hold whole groups.
    """
    if group is None:
        fold = partitions(len(atom), scores.true, _FOLDS, rng)
    else:
        fold = (rng.permutation(int(group.max()) + 1) % _FOLDS)[group]
    n_atoms = len(sample.atoms)
    chosen = np.array(
        [sample.best(np.bincount(atom[fold != k], minlength=n_atoms)) for k in range(_FOLDS)]
    )
    return None if np.isnan(chosen).any() else (scores.score >= chosen[fold]).astype(np.int64)

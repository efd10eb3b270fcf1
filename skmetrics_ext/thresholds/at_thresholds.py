"""Metrics of labels, criteria and constraints at every distinct score, which is sorted once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.rankings.ranking_kernels import ROUNDING
from skmetrics_ext.numeric import Array, PosLabel, divide
from skmetrics_ext.registry import METRICS, Metric, find, scorer_names, scorers
from skmetrics_ext.registry.find import familiar_name
from skmetrics_ext.tallies import ConfusionTally, Counts, RankTally, ThresholdTally
from skmetrics_ext.tallies.confusion import Tabulated
from skmetrics_ext.validation import InvalidParameterError, Scores, distinct_labels
from skmetrics_ext.validation.errors import near
from skmetrics_ext.validation.parameters import check_interval

_CELLS_TRUE, _CELLS_PRED = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])


@document
def metric_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric_func: Callable[..., Any],
    *,
    sample_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
    pos_label: PosLabel = None,
) -> tuple[Array, Array]:
    """A metric of labels at every distinct score.

    At a threshold t, the value is ``metric_func(y_true, y_pred)`` with the positive label predicted
    for scores of at least t and the negative label for all others. Metrics of this package are
    read from the four counts at each threshold, so the rows are sorted and counted once; any other
    function is called with the rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    metric_func : callable
        ``metric_func(y_true, y_pred, **metric_params)`` returns a number, or an array or tuple
        of the same shape each time.
    {sample_weight}
        Passed on to ``metric_func``.
    metric_params : dict, default=None
        Further arguments of ``metric_func``. Its ``pos_label``, if it takes one, is that of the
        scores unless set here.
    pos_label : int, float, bool or str, default=None
        The class that high scores indicate. By default 1 of {0, 1} or {-1, 1}, or the greater of
        two other numbers; needed for text.

    Returns
    -------
    values : ndarray of shape (n_thresholds, ...)
        The metric at each threshold.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores of rows whose weight is not 0, falling.

    Raises
    ------
    {raises}

    See Also
    --------
    confusion_matrix_at_thresholds : The four counts themselves.
    optimal_threshold : The threshold at which a metric is best.

    Examples
    --------
    >>> from skmetrics_ext import f1_score, metric_at_thresholds
    >>> values, thresholds = metric_at_thresholds([1, 1, 2, 2], [0.1, 0.4, 0.35, 0.8], f1_score)
    >>> values.round(3), thresholds
    (array([0.667, 0.5  , 0.8  , 0.667]), array([0.8 , 0.4 , 0.35, 0.1 ]))
    """
    if not callable(metric_func):
        raise InvalidParameterError(f"metric_func must be callable, got {metric_func!r:.60}.")
    params = dict(metric_params or {})
    if sample_weight is None:
        sample_weight = params.pop("sample_weight", None)
    metric = find(metric_func, params)
    rows = LabelledRows.read(y_true, y_score, pos_label, sample_weight, not _is_ratio(metric))
    return rows.values(metric), rows.thresholds


def _is_ratio(metric: Metric) -> bool:
    """Whether the scale of the weights has no effect, so that extreme ones may be scaled."""
    spec = metric.spec
    return (
        spec.is_known
        and not spec.weights_are_counts
        and bool(np.isfinite(spec.bounds).all())
        and bool(metric.params.get("normalize", True))
    )


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Rows of two labels, sorted and counted once for any number of metrics.

    Parameters
    ----------
    labels : ndarray of shape (2,)
        The negative and the positive label.
    checked : Scores
        Its ``true`` are codes into the labels.
    thresholds : ndarray of shape (T,)
        The distinct scores, falling.
    counts : Counts of shape (T,)
        Counts of the positive label at each threshold.
    """

    labels: Array
    checked: Scores
    thresholds: Array
    counts: Counts

    @classmethod
    def of(cls, labels: Array, checked: Scores) -> Self:
        """Count checked rows."""
        tally = RankTally.from_scores(checked.score, checked.true, 2, checked.weight)
        return cls(labels, checked, tally.thresholds, tally.counts())

    @classmethod
    def read(
        cls, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, absolute: bool
    ) -> Self:
        """Check rows by scikit-learn's rule for the positive label, and count them."""
        distinct = distinct_labels(y_true)
        present = [] if distinct is None else distinct.tolist()
        is_text = distinct is None or distinct.dtype.kind not in "biuf"
        if pos_label is None and len(present) == 2 and not is_text:
            pos_label = present[1]
        checked = Scores.check_binary(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, absolute=absolute
        )
        positive = 1 if pos_label is None else pos_label
        others = [label for label in present if label != positive]
        if len(others) == len(present) > 1:
            raise InvalidParameterError(
                f"pos_label={pos_label!r} is not a valid label. It should be one of {present}"
            )
        if len(others) > 1:
            raise InvalidParameterError(
                f"multiclass format is not supported: predictions need one negative label, y_true "
                f"holds {present}."
            )
        if not others and positive != 1:
            raise InvalidParameterError(
                f"y_true holds only the class {present}, so there is no label for scores below a "
                "threshold."
            )
        negative = others[0] if others else 0
        dtype = None if distinct is None or distinct.dtype.kind in "UO" else distinct.dtype
        return cls.of(np.array([negative, positive], dtype=dtype), checked)

    def values(self, metric: Metric) -> Array:
        """A metric of the labels predicted at each threshold, with the metric's own warnings."""
        is_conventional = self.labels.tolist() in ([0, 1], [-1, 1])
        is_open = metric.takes("pos_label") and "pos_label" not in metric.params
        positive = self.labels.tolist()[1] if is_open and metric.sides != "none" else None
        if not is_conventional:
            metric = metric.with_positive(positive)
        is_ours = getattr(metric.function, "__module__", "").startswith("skmetrics_ext.")
        if not (is_ours and metric.takes("sample_weight")):
            return self._by_rows(partial(metric.function, **metric.params))
        if metric.spec.response != "labels" or metric.spec.is_table:
            places = range(len(self.thresholds))
            return np.asarray([self._by_cells(metric, place) for place in places])
        self._by_cells(metric, 0)  # rejects what the function would reject
        metric, tally = metric.with_positive(positive), self._table
        undefined: list[Any] = []
        read = metric.read(tally, tell=lambda *average: undefined.append(average))
        values = np.array(read, dtype=np.float64)
        if undefined or np.isnan(values).any():
            first = np.argmax(self._is_conventional(metric, tally))
            if first:  # at the first threshold the function has warned
                self._by_cells(metric, int(first))
        return values

    def _by_rows(self, function: Callable[..., Any]) -> Array:
        """The function's values for all rows whose weight is not 0."""
        score, true, weight = self.checked.score, self.checked.true, self.checked.weight
        if weight is not None:
            kept = weight != 0
            score, true = score[kept], true[kept]
            function = partial(function, sample_weight=weight[kept])
        true = self.labels[true]
        marks = ((score >= threshold).astype(np.int64) for threshold in self.thresholds)
        return np.asarray([function(true, self.labels[mark]) for mark in marks])

    def _by_cells(self, metric: Metric, place: int) -> Any:
        """The function's value for four rows, weighted by the counts at one threshold."""
        counts = self.counts
        cells = np.array([part[place] for part in (counts.tn, counts.fp, counts.fn, counts.tp)])
        filled = cells > 0
        true, pred = self.labels[_CELLS_TRUE[filled]], _CELLS_PRED[filled]
        if metric.spec.response in ("labels", ""):
            pred = self.labels[pred]
        return metric.function(true, pred, sample_weight=cells[filled], **metric.params)

    @property
    def _table(self) -> Tabulated:
        """The table at each threshold, with sorted classes as in the public functions."""
        tally, order = ThresholdTally(self.labels, self.counts), np.argsort(self.labels)
        if order[0] == 0:
            return tally
        return ConfusionTally(self.labels[order], tally.table[..., order[:, None], order])

    def _is_conventional(self, metric: Metric, tally: Tabulated) -> Array:
        """Whether each value is nan, or depends on the convention for 0/0."""
        fill = "zero_division" if metric.takes("zero_division") else metric.spec.fill
        other = metric.with_params(**{fill: -1.0}) if fill else metric
        differs = metric.read(tally) != other.read(tally)  # nan differs from itself
        return np.asarray(differs.reshape(len(self.thresholds), -1).any(axis=-1))


# --------------------------------------------------------------------------- criteria

Reader = Callable[[Counts], Array]
Costs = tuple[float, float] | None  # of a false positive, and of a false negative
# The most common criteria, for editors; the name of any metric of counts is one.
Choice = (
    Literal["youden", "closest_topleft", "expected_cost", "net_benefit", "f1", "f1_macro"]
    | Literal["accuracy", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa"]
    | str
    | Callable[..., Any]
)
COST = "expected_cost"
_WITH_COSTS = (COST, "net_benefit")
RULES = ("youden", "closest_topleft", *_WITH_COSTS)
_COMPARISONS = {">=": operator.ge, "<=": operator.le}
_CLASSES = np.array([0, 1])  # negative, positive
_CELLS = ("tp", "fp", "fn", "tn")


class Share(NamedTuple):
    """A share of rows times a factor: ``factor * cell / (cell + others)``, cells of `Counts`."""

    factor: float
    cell: str
    others: tuple[str, ...]

    @property
    def cells(self) -> set[str]:
        """The cells of all rows that it is a share of."""
        return {self.cell, *self.others}


@dataclass(frozen=True, slots=True)
class Criterion:
    """A number read from the counts of the positive class at every threshold; nan for 0/0.

    Parameters
    ----------
    name : str
    read : callable
        ``read(counts)``, one value per threshold.
    sign : int
        1 if greater is better, -1 if smaller is, 0 if neither.
    sides : {"one", "either", "none"}
        Whether it describes one class, or is the same whichever class is positive.
    shares : tuple of Share
        The shares that it is the sum of; empty for any other function of the counts.
    metric : Metric or None
        The metric of labels that it is, if it is one.
    """

    name: str
    read: Reader
    sign: int = 1
    sides: str = "one"
    shares: tuple[Share, ...] = ()
    metric: Metric | None = None

    def values(self, counts: Counts) -> Array:
        """One value per threshold."""
        values = np.asarray(self.read(counts))
        if values.dtype.kind not in "biuf":
            raise InvalidParameterError(
                f"{self.name} must give real numbers, got dtype {values.dtype}."
            )
        values = values.astype(np.float64, copy=False)
        if values.shape != counts.tp.shape:
            raise InvalidParameterError(
                f"{self.name} must give one value per threshold, an array of shape "
                f"{counts.tp.shape} like counts.tp; got shape {values.shape}."
            )
        return values


@dataclass(frozen=True, slots=True)
class Constraint:
    """A bound on a criterion; nan does not satisfy it."""

    criterion: Criterion
    comparison: str
    bound: float

    def is_kept(self, values: Array) -> Array:
        """Whether each value satisfies the bound, up to rounding."""
        slack = ROUNDING * abs(self.bound) * (-1 if self.comparison == ">=" else 1)
        return np.asarray(_COMPARISONS[self.comparison](values, self.bound + slack))

    def closest_to_bound(self, values: Array) -> int:
        """Position of the value that is best for the constraint; -1 if none is defined."""
        if np.isnan(values).all():
            return -1
        return int(np.nanargmax(values) if self.comparison == ">=" else np.nanargmin(values))

    def __str__(self) -> str:
        return f"{self.criterion.name} {self.comparison} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Objective:
    """A criterion with its constraints, for a population of a given prevalence."""

    criterion: Criterion
    constraints: tuple[Constraint, ...]
    prevalence: float | None

    @classmethod
    def make(cls, criterion: Any, constraint: Any, cost: Any, prevalence: Any) -> Objective:
        """Read the arguments of the public functions."""
        share = None if prevalence is None else check_interval("prevalence", prevalence, "(0, 1)")
        costs = _read_cost(cost)
        read = partial(_read_criterion, costs=costs, prevalence=share)
        constraints = _read_constraints(constraint, read)
        chosen = read("criterion", criterion)
        rules = [part.criterion.name for part in constraints if part.criterion.name in RULES]
        is_rule = isinstance(criterion, str) and criterion in RULES
        if costs is not None and not (is_rule or rules):
            raise InvalidParameterError(
                f"cost={cost!r} has no effect on criterion={chosen.name!r}: leave it out, or choose"
                f" one of {', '.join(map(repr, RULES))}."
            )
        if chosen.sign == 0:
            raise InvalidParameterError(
                f"criterion={chosen.name!r} describes predictions and does not judge them: "
                "neither a large nor a small value is better. It can be a constraint."
            )
        return cls(chosen, constraints, share)

    @property
    def sides(self) -> str:
        """Whether it describes "one" class, or is the same whichever class is positive."""
        bounded = any(part.criterion.sides == "one" for part in self.constraints)
        of_one = bounded or self.prevalence is not None
        return "one" if of_one else self.criterion.sides

    @property
    def metric(self) -> Metric | None:
        """The metric of labels that the criterion is; None for costs, corners and callables."""
        return self.criterion.metric if self.prevalence is None else None

    def values(self, counts: Counts) -> Array:
        """The criterion at every threshold."""
        return self.criterion.values(self.in_population(counts))

    def in_population(self, counts: Counts) -> Counts:
        """Counts per row of a population with the same rates and the given share of positives."""
        if self.prevalence is None:
            return counts
        tp, fn = (self.prevalence * divide(part, counts.true) for part in (counts.tp, counts.fn))
        negative = counts.tn + counts.fp
        fp, tn = ((1 - self.prevalence) * divide(x, negative) for x in (counts.fp, counts.tn))
        return Counts(tp, fp, fn, tn)

    @property
    def constrained(self) -> str:
        """The constraints in words."""
        return " and ".join(map(str, self.constraints))


# --------------------------------------------------------------------------- criteria by name


def _read_criterion(argument: str, given: Any, costs: Costs, prevalence: float | None) -> Criterion:
    """The criterion of a rule, a registered metric, or a callable on counts."""
    if isinstance(given, str) and given in _WITH_COSTS:
        return _cost_rule(argument, given, costs)
    if isinstance(given, str) and given in RULES:
        return _rate_rule(given, costs, prevalence)
    name = (familiar_name(given) or given) if isinstance(given, str) else given
    metric = find(given) if callable(given) else _named(argument, name)
    if not metric.spec.is_known:
        return Criterion(getattr(given, "__name__", "criterion"), given)
    spec = metric.spec
    _check_metric(argument, metric, is_scorer=name not in METRICS)
    sign = {True: 1, False: -1, None: 0}[spec.greater_is_better]
    negated = isinstance(given, str) and name not in METRICS and name in scorers() and sign < 0
    of_class = metric.undefined_as_nan.settled(_CLASSES.tolist())
    factor = -1 if negated else 1
    shares: tuple[Share, ...] = ()
    if metric.sides == "one" and not callable(spec.shares) and len(spec.shares) == 1:
        ((cell, other),) = spec.shares
        shares = (Share(float(factor), cell, (other,)),)
    return Criterion(
        name if isinstance(name, str) else spec.name,
        partial(_read_metric, metric=of_class, factor=factor),
        sign * factor,
        metric.sides,
        shares,
        None if negated else of_class,
    )


def _read_metric(counts: Counts, metric: Metric, factor: int) -> Array:
    """A metric of two classes at every threshold, nan if it is 0/0 altogether; or its negative."""
    return factor * metric.read(ThresholdTally(_CLASSES, counts))


def _check_metric(argument: str, metric: Metric, *, is_scorer: bool) -> None:
    """Reject a metric that is not one number of the counts at a threshold."""
    spec = metric.spec
    missing = [key for key in spec.params if key not in metric.params or not is_scorer]
    if missing:
        raise InvalidParameterError(
            f"{argument}={spec.name} needs {', '.join(missing)}: pass a callable on Counts, or the "
            f"name of a scorer such as {next(iter(spec.scorers))!r}."
        )
    if spec.response != "labels":
        raise InvalidParameterError(
            f"{_expected(argument)}; {metric.name!r} is not a metric of counts."
        )
    if spec.numeric_labels:
        raise InvalidParameterError(
            f"{argument}={metric.name!r} reads labels as numbers, which counts do not have."
        )
    if spec.is_table or metric.options.get("average", "") in (None, "samples"):
        raise InvalidParameterError(
            f"{argument}={metric.name!r} has no single value at a threshold."
        )
    for name in ("labels", "pos_label"):
        if name in metric.params:
            raise InvalidParameterError(
                f"{argument}={metric.name!r} sets {name}: leave that out, and pass the class of "
                f"the scores as an argument next to {argument}."
            )


def _named(argument: str, name: Any) -> Metric:
    for candidate in (name, f"{name}_score"):
        try:
            return find(candidate)
        except InvalidParameterError:
            continue
    of_labels = [name for name in scorer_names() if scorers()[name][0].response == "labels"]
    hint = near(str(name), [*of_labels, *RULES])
    raise InvalidParameterError(f"{_expected(argument)}; got {name!r}.{hint}")


def _expected(argument: str) -> str:
    return (
        f"{argument} has to be {', '.join(map(repr, RULES))}, the name of a metric of counts such "
        "as 'f1' or 'balanced_accuracy', or a callable on Counts"
    )


# --------------------------------------------------------------------------- rules with costs


def _rate_rule(name: str, costs: Costs, prevalence: float | None) -> Criterion:
    """A rule on sensitivity and specificity, which costs and prevalence weight differently."""
    rule, sign = (_youden, 1) if name == "youden" else (_distance_to_corner, -1)
    if costs is None and prevalence is None:
        known = familiar_name(name)
        metric = None if known is None else find(known).with_positive(1)
        return Criterion(name, partial(rule, costs=None), sign, "either", metric=metric)
    return Criterion(name, partial(rule, costs=costs or (1.0, 1.0)), sign)


def _cost_rule(argument: str, name: str, costs: Costs) -> Criterion:
    """A rule that is a sum of shares of all rows, weighted by their costs."""
    if costs is None:
        raise InvalidParameterError(
            f"{argument}={name!r} needs cost=(false positive, false negative)."
        )
    if name == COST:
        sign, factors = -1, {"fp": costs[0], "fn": costs[1]}
    else:
        sign, factors = 1, {"tp": 1.0, "fp": -costs[0] / costs[1]}
    shares = tuple(
        Share(factor, cell, tuple(other for other in _CELLS if other != cell))
        for cell, factor in factors.items()
    )
    return Criterion(name, partial(_sum_of_shares, shares=shares), sign, "one", shares)


def _specificity_weight(counts: Counts, costs: Costs) -> Any:
    """(1 - prevalence) / (cost ratio prevalence): value of specificity in units of sensitivity."""
    if costs is None:
        return 1.0
    return divide(costs[0] * (counts.tn + counts.fp), costs[1] * counts.true)


def _youden(counts: Counts, costs: Costs) -> Array:
    weight = _specificity_weight(counts, costs)
    return (rates.recall(counts) + weight * rates.specificity(counts)) - 1


def _distance_to_corner(counts: Counts, costs: Costs) -> Array:
    missed, alarms = rates.false_negative(counts), rates.false_positive(counts)
    return np.asarray(missed**2 + _specificity_weight(counts, costs) * alarms**2)


def _sum_of_shares(counts: Counts, shares: tuple[Share, ...]) -> Array:
    """Sum of shares of all rows."""
    total = sum(share.factor * getattr(counts, share.cell) for share in shares)
    return divide(total, counts.total)


# --------------------------------------------------------------------------- arguments


def _read_cost(cost: Any) -> Costs:
    if cost is None:
        return None
    try:
        false_positive, false_negative = (float(part) for part in cost)
    except (TypeError, ValueError, OverflowError):
        false_positive = false_negative = np.nan
    if not (0 <= false_positive < np.inf and 0 < false_negative < np.inf):
        raise InvalidParameterError(
            "cost has to be (cost of a false positive, cost of a false negative), finite, the "
            f"first not negative and the second above 0; got {cost!r}."
        )
    return false_positive, false_negative


def _read_constraints(constraint: Any, read: Callable[..., Criterion]) -> tuple[Constraint, ...]:
    """One constraint, or several in a list; none for None."""
    if constraint is None:
        return ()
    listed = constraint if isinstance(constraint, list | tuple) else ()
    several = bool(listed) and isinstance(listed[0], list | tuple)
    return tuple(_read_constraint(part, read) for part in (listed if several else [constraint]))


def _read_constraint(constraint: Any, read: Callable[..., Criterion]) -> Constraint:
    try:
        name, comparison, bound = constraint
        bound = float(bound)
        valid = comparison in _COMPARISONS and not np.isnan(bound)
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise InvalidParameterError(
            "constraint has to be (metric, '>=' or '<=', number), such as "
            f"('precision', '>=', 0.9); got {constraint!r}."
        )
    return Constraint(read("constraint", name), comparison, bound)

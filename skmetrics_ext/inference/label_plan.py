"""label_plan: which rows a person should label, for the narrowest interval of a metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.bootstrap import PLAN, seed_sequence
from skmetrics_ext.inference.labelling import Corrected
from skmetrics_ext.inference.linearized import Contributions
from skmetrics_ext.inference.methods import interval_of
from skmetrics_ext.inference.partly_labelled import soft_contributions, without_influence
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, RandomState, divide, increasing_root
from skmetrics_ext.result_bases import Result
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows, read_numbers
from skmetrics_ext.validation.labels import distinct_labels
from skmetrics_ext.validation.parameters import check_number
from skmetrics_ext.validation.positive import positive_class

_EVENLY = 0.2  # of the budget: a floor that protects other metrics, and from wrong scores
_MOST_FACTOR = 1e4  # of the number of labels


@dataclass(frozen=True, repr=False, eq=False, slots=True)
class LabelPlan(Result):
    """Which rows to label: the probability of each.

    Parameters
    ----------
    probability : ndarray of shape (n_samples,)
        Probability with which each row is labelled, in this draw or one before.
    budget : float
        Number of labels that a draw takes, on average unless it is fixed.
    metrics : tuple of str
        The metrics that the plan is made for.
    fixed : bool, default=False
        Whether a draw has exactly that many rows.
    drawn : ndarray of shape (n_samples,) or None, default=None
        Probability of each row in the next draw, if there was one before.

    Examples
    --------
    >>> from skmetrics_ext import label_plan
    >>> plan = label_plan("accuracy", score=[0.5, 0.5, 0.9, 0.1], threshold=0.5, budget=2)
    >>> print(plan)
    2 labels of 4 rows, for accuracy: probabilities 0.421 to 0.579
    """

    probability: Array
    budget: float
    metrics: tuple[str, ...]
    fixed: bool = False
    drawn: Any = None

    def draw(self, random_state: RandomState = 0) -> Array:
        """Draw the rows to label.

        Parameters
        ----------
        random_state : int, Generator, RandomState or None, default=0
            Seed of the draw.

        Returns
        -------
        ndarray of int
            The numbers of the rows, rising; each at most once.
        """
        rng = np.random.default_rng(seed_sequence(random_state))
        chance = self.probability if self.drawn is None else self.drawn
        if not self.fixed:
            return np.flatnonzero(rng.random(len(chance)) < chance)
        order = rng.permutation(len(chance))
        passed = np.floor(np.cumsum(chance[order]) + rng.random())  # systematic, in random order
        return np.sort(order[np.diff(passed, prepend=0) > 0])

    def more(self, estimate: Estimate, *, width: float) -> LabelPlan:
        """Plan the labels that are still needed for an interval of this width.

        Parameters
        ----------
        estimate : Estimate
            The metric with the labels so far: ``confidence_interval(..., sampling=plan)``.
        width : float
            Width that the interval is to have, at the level of the estimate.

        Returns
        -------
        LabelPlan
            Its ``draw`` gives further rows, ``probability`` that of being labelled in either draw,
            for ``sampling=``.
        """
        goal = check_number("width", width, 0)
        made: Any = getattr(estimate, "_made", None)
        statistic = None if made is None else made.expression.read()
        if not isinstance(statistic, Corrected):
            raise InvalidParameterError(
                "estimate must be that of confidence_interval(..., sampling=plan)."
            )
        labelled = statistic.reading.rows.labelled
        if not 0 < goal < estimate.high - estimate.low or len(labelled) != len(self.probability):
            raise InvalidParameterError(
                f"width has to be above 0 and below that of the estimate of these "
                f"{len(self.probability)} rows, {estimate.high - estimate.low:.4g}, got {width!r}."
            )

        def excess(log: Array) -> Array:
            parts = statistic.influence / np.exp(float(log) / 2)
            less = replace(statistic, known=Contributions(parts, statistic.atoms))
            found: Any = interval_of(less, made.method, estimate.confidence_level, PLAN)
            return np.asarray(goal - (found.high - found.low))

        factor = np.exp(increasing_root(excess, np.asarray(0.0), np.log(np.asarray(_MOST_FACTOR))))
        further = float((factor - 1) * labelled.sum())
        free = np.where(labelled, 0.0, self.probability)
        if further > (n_left := np.count_nonzero(free)):
            raise InvalidParameterError(
                f"width={width!r} takes {further:,.0f} further labels, and {n_left:,} rows are "
                "left: ask for a wider interval, or collect rows."
            )
        drawn = _scaled(self.probability, further, ~labelled)
        both = 1 - (1 - self.probability) * (1 - drawn)
        drawn = np.where(labelled, 0.0, drawn)
        return replace(self, probability=both, budget=further, drawn=drawn)

    def __str__(self) -> str:
        chance = self.probability if self.drawn is None else self.drawn[self.drawn > 0]
        return (
            f"{self.budget:,.0f} labels of {len(self.probability):,} rows, for "
            f"{', '.join(self.metrics)}: probabilities {chance.min():.3g} to {chance.max():.3g}"
        )


@document
def label_plan(
    metric: str | Callable[..., Any] | list[str],
    *,
    score: ArrayLike,
    pred: ArrayLike | None = None,
    threshold: float | None = None,
    budget: float,
    fixed: bool = False,
    **metric_params: Any,
) -> LabelPlan:
    r"""Probabilities with which to label rows, for a narrow interval of a metric.

    .. math:: r_i = \sqrt{\sum_k s_{ik} \psi_{ik}^2}, \qquad
        p_i = b \left(0.8 \frac{r_i}{\sum_j r_j} + \frac{0.2}{n}\right)

    with the influence :math:`\psi_{ik}` of row i if its label were k, and the probability
    :math:`s_{ik}` of that by the scores: rows are labelled where their label is expected to matter.
    The gain is large for rare classes and metrics of labels, and small for areas and balanced
    classes. Wrong scores cost width, not coverage.

    Parameters
    ----------
    metric : str, callable or list of str
        A metric of this package that has `influence_values`; or several, for all of which the
        labels are to serve.
    score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probability of the positive class, or of each class, in each row.
    pred : array-like of shape (n_samples,), default=None
        Predicted labels, for a metric of labels.
    threshold : float, default=None
        For a metric of labels in place of ``pred``: 1 where the score is at least this, else 0.
    budget : float
        Number of labels.
    fixed : bool, default=False
        Whether a draw has exactly ``budget`` rows (systematic sampling in random order), rather
        than this many on average (each row independently).
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    LabelPlan
        ``probability``, ``draw(random_state)`` and ``more(estimate, width=)``. Pass it as
        ``sampling=`` to `confidence_interval` once the drawn rows have labels.

    Raises
    ------
    {raises}

    References
    ----------
    Sawade, Landwehr, Bickel & Scheffer (2010), Advances in Neural Information Processing Systems
    23; Marchant & Rubinstein (2021), Proceedings of KDD 27, 1201-1211; Zrnic & Candes (2024),
    Proceedings of Machine Learning Research 235, 62993-63010.

    Examples
    --------
    >>> import numpy as np, skmetrics_ext as sx
    >>> rng = np.random.default_rng(0)
    >>> score = rng.beta(0.3, 6, 20_000)
    >>> true = rng.random(20_000) < score
    >>> plan = sx.label_plan("f1", score=score, threshold=0.3, budget=500)
    >>> labels = np.full(20_000, np.nan)
    >>> labels[plan.draw()] = true[plan.draw()]
    >>> pred = (score >= 0.3).astype(int)
    >>> print(f"{sx.confidence_interval('f1', labels, pred, sampling=plan):.3f}")
    0.236 [0.173, 0.312]
    """
    names = metric if isinstance(metric, list | tuple) else [metric]
    found = [readers.find_metric(name, metric_params) for name in names]
    chance = read_numbers("score", score)
    chance = np.column_stack([1 - chance, chance]) if chance.ndim == 1 else chance
    is_rows = chance.ndim == 2 and chance.size > 0
    if not (is_rows and (chance >= 0).all() and np.allclose(chance.sum(axis=1), 1)):
        raise InvalidParameterError(
            "score must hold the probability of the positive class in each row, or of each class, "
            "in total 1: calibrate the scores first."
        )
    n_rows = len(chance)
    size = check_number("budget", budget, 0)
    if not 0 < size <= n_rows:
        raise InvalidParameterError(f"budget has to be in (0, {n_rows}], got {budget!r}.")
    check_option("fixed", fixed, (True, False))
    if fixed and size % 1:
        raise InvalidParameterError(f"fixed=True draws a whole number of rows, got {budget!r}.")
    classes, scores = np.arange(chance.shape[1]), chance[:, -1] if chance.shape[1] == 2 else chance
    if threshold is not None:
        pred = (scores >= check_number("threshold", threshold, -np.inf)).astype(np.int64)
    elif pred is not None:
        if not count_rows(pred):
            raise InvalidParameterError(f"pred must hold labels, got {pred!r:.60}.")
        occurring = distinct_labels(pred, "pred")
        occurring = classes if occurring is None else occurring
        classes = classes if np.isin(occurring, classes).all() else occurring
        if count_rows(pred) != n_rows or len(classes) != chance.shape[1]:
            raise InvalidParameterError(
                f"pred must have a label of {chance.shape[1]} classes for each of {n_rows} rows, "
                f"got {count_rows(pred)} labels of {classes.tolist()!r:.60}."
            )
    if len(classes) == 2:
        positive = positive_class(classes.tolist(), metric_params.get("pos_label"), what="score=")
        chance = chance if positive == classes[1] else chance[:, ::-1]
    squares = np.zeros(n_rows)
    for each in found:
        if not each.spec.is_known:
            raise InvalidParameterError(without_influence(f"metric={each.name}"))
        is_of_labels = each.spec.response == "labels"
        if is_of_labels and pred is None:
            raise InvalidParameterError(
                f"{each.name} is a metric of labels: pass pred=, or threshold= for the scores."
            )
        response = pred if is_of_labels else scores
        parts = soft_contributions(each, classes, response, chance)[1].T
        own = np.nan_to_num(divide(parts**2, chance)).sum(axis=1)
        squares += own / max(own.sum(), 1e-300) / len(found)
    reach = np.sqrt(squares)
    base = (1 - _EVENLY) * reach / max(reach.sum(), 1e-300) + _EVENLY / n_rows
    every = np.ones(n_rows, dtype=bool)
    probability = _scaled(base, size, every)
    return LabelPlan(probability, size, tuple(each.name for each in found), fixed)


def _scaled(base: Array, total: float, counted: Array) -> Array:
    """Multiples of numbers, at most 1, of which those that are counted have this total."""
    scaled = base * total / base[counted].sum()
    for _ in range(len(base)):
        over = scaled > 1
        if not over[counted].any():
            break
        scaled = np.minimum(scaled, 1.0)
        free = counted & (scaled < 1)
        if not free.any():
            break
        left = total - np.count_nonzero(counted & ~free)
        scaled = np.where(scaled < 1, scaled * left / scaled[free].sum(), 1.0)
    return np.minimum(scaled, 1.0)

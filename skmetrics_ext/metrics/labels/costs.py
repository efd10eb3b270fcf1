"""Costs of errors: a cost matrix, distances between ordered classes, wrong marks."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import mean_of_classes
from skmetrics_ext.metrics.labels.ordered_classes import grades_of
from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.public import metric, rows_with_labels, value_or_nan
from skmetrics_ext.metrics.spec import INFINITY, UNBOUNDED
from skmetrics_ext.numeric import Array, Options, PosLabel, divide
from skmetrics_ext.tallies import Counts, LabelTally, Means, Tabulated
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores
from skmetrics_ext.validation.containers import read_numbers

# --------------------------------------------------------------------------- kernels


def hamming(marks: Counts) -> Array:
    """Share of wrong marks over the outputs on the last axis."""
    return divide((marks.fp + marks.fn).sum(axis=-1), marks.total.sum(axis=-1))


def mean_cost(tally: Tabulated, cost_matrix: Any) -> Array:
    costs = np.asarray(cost_matrix, dtype=np.float64)
    return divide((tally.table * costs).sum(axis=(-1, -2)), tally.table.sum(axis=(-1, -2)))


def saved(cost: Array, constant: Array) -> Array:
    """Share of the cost of the cheapest constant answer that is saved; nan if it costs nothing."""
    best = np.take_along_axis(constant, constant.real.argmin(axis=-1)[..., None], axis=-1)[..., 0]
    return np.where(best.real > 0, 1 - divide(cost, best), np.nan)


def savings(tally: Tabulated, cost_matrix: Any) -> Array:
    costs = np.asarray(cost_matrix, dtype=np.float64)
    constant = tally.table.sum(axis=-1) @ costs
    return saved(
        mean_cost(tally, costs), divide(constant, tally.table.sum(axis=(-1, -2))[..., None])
    )


def savings_of_rows(means: Means) -> Array:
    return saved(means.mean[..., 0], means.mean[..., 1:])


def cost_of_rows(checked: Scores) -> Array:
    """Cost of the prediction of each row."""
    return checked.score[:, :1]


def costs_of_answers(checked: Scores) -> Array:
    """Cost of the prediction of each row, then that of predicting each class."""
    return checked.score


def drawn_costs(checked: Probabilities, cost_matrix: Any) -> Array:
    """Expected cost of each row if its prediction is drawn from its probabilities."""
    costs = np.asarray(cost_matrix, dtype=np.float64)
    return np.einsum("nk,nk->n", costs[checked.true], checked.columns)[:, None]


def mean_distance(tally: Tabulated) -> Array:
    """Mean over the true classes of the mean distance of the predicted grade."""
    tally = tally.in_rising_order()
    table, grades = tally.table, grades_of(tally)
    distance = (table * np.abs(grades[:, None] - grades)).sum(axis=-1)
    return mean_of_classes(divide(distance, table.sum(axis=-1)))


# --------------------------------------------------------------------------- checks


def answers_with_costs(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
) -> Scores:
    """True classes, with the costs of the prediction and of predicting each class as scores."""
    if isinstance(y_true, Scores):
        return y_true
    checked = rows_with_every_label(y_true, y_pred, labels, sample_weight)
    costs = read_costs(cost_matrix, checked.classes, n_rows=checked.n_rows)
    rows, true = np.arange(checked.n_rows), checked.true
    of_answers = costs[rows, true] if costs.ndim == 3 else costs[true]
    score = np.column_stack([of_answers[rows, checked.pred], of_answers])
    return Scores("multiclass", checked.classes, true, score, checked.weight)


def rows_with_every_label(y_true: Any, y_pred: Any, labels: Any, sample_weight: Any) -> Labels:
    """Checked labels, all of them in ``labels``."""
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    restricted = checked.single_label("a cost matrix").restrict(labels)
    if restricted.n_rows < checked.n_rows:
        raise InvalidParameterError(
            f"labels={restricted.classes.tolist()} lacks classes that occur: "
            f"{sorted(set(checked.classes.tolist()) - set(restricted.classes.tolist()))}."
        )
    return restricted


def _costs_by_row(kernel: Any, row_values: Any) -> tuple[str, dict[str, Any]]:
    """Facts of a metric whose costs differ between rows."""
    facts = {"kernel": kernel, "row_values": row_values, "check": answers_with_costs}
    return "cost_matrix", facts


# --------------------------------------------------------------------------- public functions


@metric(hamming, reads="marks", greater_is_better=False, interval="wilson")
def hamming_loss(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Hamming loss: share of the marks that are wrong; of the rows for single-label data.

    .. math:: L = \frac{1}{n K} \sum_i \sum_k [y_{ik} \ne \hat y_{ik}]

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {sample_weight}

    Returns
    -------
    float
        In [0, 1]; lower is better.

    Raises
    ------
    {raises}

    References
    ----------
    Schapire & Singer (1999), Machine Learning 37(3), 297-336.

    Examples
    --------
    >>> from skmetrics_ext import hamming_loss
    >>> hamming_loss([[0, 1], [1, 1]], [[0, 1], [0, 1]])
    0.25
    """
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    return float(hamming(LabelTally(checked).marks()))


@metric(
    mean_cost,
    reads="table",
    bounds=UNBOUNDED,
    greater_is_better=False,
    traits=("unlisted",),
    instead=_costs_by_row(mean, cost_of_rows),
)
def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_matrix: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Mean cost of the predictions under a matrix of costs.

    .. math:: \frac{1}{n} \sum_{ij} n_{ij} c_{ij}

    Parameters
    ----------
    {y_true_y_pred}
    {cost_matrix}
    labels : array-like of shape (n_classes,), default=None
        The classes of ``cost_matrix``; they must hold all that occur. These, sorted, by
        default.
    {sample_weight}

    Returns
    -------
    float
        Between the smallest and the largest cost; lower is better.

    Raises
    ------
    {raises}

    See Also
    --------
    savings_score : The share of the cost of the best constant answer that is saved.

    References
    ----------
    Elkan (2001), Proceedings of the 17th IJCAI, 973-978.

    Examples
    --------
    >>> from skmetrics_ext import expected_cost
    >>> expected_cost(["ill", "ok", "ok", "ok"], ["ok", "ok", "ill", "ok"],
    ...               labels=["ok", "ill"], cost_matrix=[[0, 1], [10, 0]])
    2.75

    Costs of each row, such as a share of the amount that is lost:

    >>> amounts = [100, 20]
    >>> costs = [[[0, 5], [amount, 5]] for amount in amounts]
    >>> expected_cost([1, 1], [0, 1], cost_matrix=costs)
    52.5
    """
    options: Options = {"labels": labels, "sample_weight": sample_weight}
    answers: Any = y_true
    if cost_matrix is not None and read_numbers("cost_matrix", cost_matrix).ndim == 3:
        answers = answers_with_costs(y_true, y_pred, cost_matrix=cost_matrix, **options)
    if isinstance(answers, Scores):
        return float(mean(Means.of(cost_of_rows(answers), answers.weight)))
    checked = rows_with_every_label(y_true, y_pred, **options)
    costs = read_costs(cost_matrix, checked.classes)
    return float(mean_cost(LabelTally(checked), costs))


@metric(
    savings,
    reads="table",
    undefined="the best constant answer costs nothing",
    bounds=(-INFINITY, 1.0),
    traits=("unlisted",),
    instead=_costs_by_row(savings_of_rows, costs_of_answers),
)
def savings_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_matrix: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Savings: share of the cost of the cheapest constant answer that the predictions save.

    .. math:: 1 - \frac{\sum_i c_i(y_i, \hat y_i)}{\min_k \sum_i c_i(y_i, k)}

    A constant answer predicts one class for every row: all are granted a loan, or none is.

    Parameters
    ----------
    {y_true_y_pred}
    {cost_matrix}
    labels : array-like of shape (n_classes,), default=None
        The classes of ``cost_matrix``; they must hold all that occur. These, sorted, by
        default.
    {sample_weight}

    Returns
    -------
    float
        At most 1; higher is better, 0 is as cheap as the best constant answer. nan, with a
        warning, where that answer costs nothing.

    Raises
    ------
    {raises}

    See Also
    --------
    expected_cost : The mean cost itself.

    References
    ----------
    Correa Bahnsen, Aouada & Ottersten (2015), Expert Systems with Applications 42(19), 6609-6619.

    Examples
    --------
    >>> from skmetrics_ext import savings_score
    >>> costs = [[[0, 5], [amount, 5]] for amount in (100, 20, 40, 10)]
    >>> round(savings_score([1, 0, 1, 0], [1, 0, 0, 1], cost_matrix=costs), 4)
    -1.5
    """
    options: Options = {"labels": labels, "sample_weight": sample_weight}
    answers = answers_with_costs(y_true, y_pred, cost_matrix=cost_matrix, **options)
    value = savings_of_rows(Means.of(costs_of_answers(answers), answers.weight))
    return value_or_nan(value, "savings_score", savings_score.spec.undefined)  # type: ignore[attr-defined]


@metric(
    mean,
    bounds=UNBOUNDED,
    greater_is_better=False,
    sides="one",
    check=partial(Probabilities.check_strict, side="one", what="expected_cost_proba"),
    row_values=drawn_costs,
    traits=("unlisted",),
)
def expected_cost_proba(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    cost_matrix: Any,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Mean cost of drawing each prediction from the probabilities, under a matrix of costs.

    .. math:: \frac{1}{n} \sum_i \sum_j c_{y_i j} \, p_{ij}

    Probabilities of 0 and 1 have the `expected_cost` of the labels that they name.

    Parameters
    ----------
    {y_true_y_proba}
    cost_matrix : array-like of shape (n_classes, n_classes)
        Cost of predicting the class of the column where that of the row is true, in the order
        of the columns of ``y_proba`` (of two classes: negative, positive). Negative costs are
        gains.
    {proba_labels}
    {proba_pos_label_one}
    {sample_weight}

    Returns
    -------
    float
        Between the smallest and the largest cost; lower is better.

    Raises
    ------
    {raises}

    References
    ----------
    Elkan (2001), Proceedings of the 17th IJCAI, 973-978.

    Examples
    --------
    >>> from skmetrics_ext import expected_cost_proba
    >>> expected_cost_proba([0, 0, 1, 1], [0.25, 0.0, 0.5, 1.0], cost_matrix=[[0, 1], [10, 0]])
    1.3125
    """
    options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Probabilities.check_strict(
        y_true, y_proba, **options, side="one", what=expected_cost_proba.__name__
    )
    costs = read_costs(cost_matrix, checked.classes)
    return float(mean(Means.of(drawn_costs(checked, costs), checked.weight)))


@metric(
    mean_distance,
    reads="table",
    bounds=(0.0, INFINITY),
    greater_is_better=False,
    traits=("numeric_labels", "mean_of_classes"),
)
def macro_averaged_mean_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Mean over the true classes of the mean distance of the predicted grade from the true.

    .. math:: \frac{1}{K} \sum_k \frac{1}{n_k} \sum_{i: y_i = k} |\hat y_i - k|

    Parameters
    ----------
    {y_true_y_pred}
    labels : array-like of shape (n_classes,), default=None
        The classes in rising order, one step apart. By default numbers are their own grades,
        and ordered categoricals are one step apart.
    {sample_weight}

    Returns
    -------
    float
        At least 0, in units of the grades; lower is better.

    Raises
    ------
    ValueError
        If the labels are text without a declared order, or an argument is not accepted; the
        message names it.

    References
    ----------
    Baccianella, Esuli & Sebastiani (2009), Proceedings of the 9th ISDA, 283-287.

    Examples
    --------
    >>> from skmetrics_ext import macro_averaged_mean_absolute_error
    >>> macro_averaged_mean_absolute_error([1, 1, 2, 4], [1, 2, 2, 2])
    0.8333333333333334
    """
    restricted = rows_with_labels(y_true, y_pred, labels, sample_weight, "an error of grades")
    return float(mean_distance(LabelTally(restricted)))


def read_costs(
    cost_matrix: Any, classes: Array, argument: str = "cost_matrix", n_rows: int | None = None
) -> Array:
    """A finite matrix with a row and a column for each class, or one for each of ``n_rows``."""
    if cost_matrix is None:
        raise InvalidParameterError(
            f"{argument} is missing: pass {argument}= with the cost of predicting each class (its "
            "columns) where each is true (its rows)."
        )
    costs = read_numbers(argument, cost_matrix)
    shape, is_finite = (len(classes), len(classes)), np.isfinite(costs).all()
    shapes = [shape] if n_rows is None else [shape, (n_rows, *shape)]
    if costs.shape not in shapes or not is_finite:
        raise InvalidParameterError(
            f"{argument} must be finite and of shape {' or '.join(map(str, shapes))} for the "
            f"classes {classes.tolist()}, got shape {costs.shape}"
            f"{'' if is_finite else ' with nan or infinity'}."
        )
    return costs

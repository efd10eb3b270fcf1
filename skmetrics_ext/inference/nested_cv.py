"""Nested cross-validation: an interval for the prediction error of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.proportions import proportion_bounds
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.accuracy import accuracy_score, error_rate, zero_one_loss
from skmetrics_ext.metrics.probabilities.losses import (
    brier_rows,
    brier_score_loss,
    log_loss,
    log_loss_rows,
)
from skmetrics_ext.numeric import Array, RandomState
from skmetrics_ext.questions import Rows
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_array, read_column, read_numbers, take_rows
from skmetrics_ext.validation.encoding import encode_columns, find_labels
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_integer, check_level
from skmetrics_ext.validation.targets import label_values

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# Named losses and their ranges.
_ERROR: Any = error_rate.__name__
_LOG = log_loss.__name__
_BRIER = "brier"
_BOUNDS = {_ERROR: (0.0, 1.0), _LOG: (0.0, np.inf), _BRIER: (0.0, 2.0)}
# The loss that equals a metric, and whether the metric is 1 minus that loss.
Loss = Literal["error_rate", "log_loss", "brier"]
LOSS_OF: Mapping[Any, tuple[Any, bool]] = {
    accuracy_score: (_ERROR, True),
    error_rate: (_ERROR, False),
    zero_one_loss: (_ERROR, False),
    log_loss: (_LOG, False),
    brier_score_loss: (_BRIER, False),
}


# --------------------------------------------------------------------------- kernels


class Repetition(NamedTuple):
    """Losses of all models fitted on one partition into K folds.

    Parameters
    ----------
    fold : ndarray of int64 of shape (n,)
        The fold of each row.
    losses : ndarray of shape (K, n)
        Loss of each row under the model that was trained without that fold and the row's own fold.
    """

    fold: Array
    losses: Array

    def by_fold(self) -> Iterator[tuple[Array, Array]]:
        """For each outer fold the losses of all rows, and which of them lie in it."""
        return ((losses, self.fold == f) for f, losses in enumerate(self.losses))

    def squared_errors(self, group: Array | None = None) -> list[float]:
        """For each fold an unbiased estimate of the squared error of the inner estimate.

        It is the squared distance of both estimates, minus the variance of the outer one.
        """
        squared = []
        for losses, outer in self.by_fold():
            mean = float(losses[outer].mean())
            sums = _sums(losses[outer] - mean, group, outer)
            variance = float((sums**2).sum()) * len(sums) / (len(sums) - 1) / outer.sum() ** 2
            squared.append((float(losses[~outer].mean()) - mean) ** 2 - variance)
        return squared


def _sums(values: Array, group: Array | None, rows: Array) -> Array:
    """Sums over the groups of these rows; the values themselves for independent rows."""
    if group is None:
        return values
    return np.bincount(np.unique(group[rows], return_inverse=True)[1], weights=values)


def nested_estimate(
    repetitions: list[Repetition], group: Array | None = None
) -> tuple[float, float, bool, float]:
    """Prediction error, its standard error, whether that is at its upper limit; design effect."""
    n_folds, n_rows = repetitions[0].losses.shape
    n_groups = n_rows if group is None else int(group.max()) + 1
    folds = [fold for repetition in repetitions for fold in repetition.by_fold()]
    outer = np.concatenate([losses[in_fold] for losses, in_fold in folds])
    outside = [(losses[~in_fold], ~in_fold) for losses, in_fold in folds]
    inner = np.concatenate([losses for losses, _ in outside])
    # If errors fall as 1 / rows, going from K - 2 folds to all K changes the error by this multiple
    # of the change from K - 2 to K - 1.
    bias = (1 + (n_folds - 2) / n_folds) * (float(inner.mean()) - float(outer.mean()))
    squared = np.mean([each for part in repetitions for each in part.squared_errors(group)])
    error = np.sqrt(max(float(squared), 0.0) * (n_folds - 1) / n_folds)  # K - 1 folds to all rows
    independent, mean = float(inner.std(ddof=1)) / np.sqrt(n_rows), float(inner.mean())
    sums = np.concatenate([_sums(losses - mean, group, rows) for losses, rows in outside])
    naive = float(np.sqrt(n_groups * (sums**2).sum() / (len(sums) - 1))) / n_rows
    limit = naive * np.sqrt(n_folds)  # as if the rows were worth one fold
    effect = (naive / independent) ** 2 if independent else np.nan
    return mean - bias, float(np.clip(error, naive, limit)), bool(error > limit), effect


def partitions(n_rows: int, strata: Array | None, n_folds: int, rng: Any) -> Array:
    """Fold of each row; the sizes of folds differ by at most one (within each stratum)."""
    order = rng.permutation(n_rows)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    fold = np.empty(n_rows, dtype=np.int64)
    fold[order] = np.arange(n_rows) % n_folds
    return fold


# --------------------------------------------------------------------------- public function


@document
def nested_cv_interval(
    estimator: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: Loss | Callable[..., Any] = _ERROR,
    n_folds: int = 10,
    n_repeats: int = 20,
    stratify: bool = False,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Estimate:
    r"""Interval for the prediction error of a model by nested cross-validation.

    The usual standard error of cross-validation treats losses as independent. It is too small,
    because rows train one another's models. Here each fold is held out of a cross-validation of
    the rest. With the mean loss in that cross-validation, :math:`e^{in}_f`, and the mean loss of
    the fold under the model trained on all the rest, :math:`e^{out}_f`,

    .. math:: \widehat{MSE} = \mathrm{mean}_f \left[(e^{in}_f - e^{out}_f)^2
        - s_f^2 / n_f\right], \quad
        \hat e \pm z \sqrt{\tfrac{K - 1}{K} \widehat{MSE}}

    over the folds of all repetitions, with the standard error kept within :math:`[s, s \sqrt K]`
    for the naive one, s. :math:`\hat e = e^{in} - (1 + \frac{K - 2}{K}) (e^{in} - e^{cv})`
    corrects the bias of training on K - 2 of K folds.

    Parameters
    ----------
    estimator : estimator
        A classifier; cloned for each of the ``n_repeats * n_folds * (n_folds + 1) / 2`` fits.
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        True labels.
    loss : {"error_rate", "log_loss", "brier"} or callable, default="error_rate"
        Mean over rows of wrong predictions; of minus the log probability of the true class; or of
        the squared distance of the probabilities from it (half of that for two classes, as in
        `brier_score_loss`). Columns are matched with classes by name. A callable
        ``loss(fitted, X, y)`` returns the loss of each row.
    n_folds : int, default=10
        Folds K, 3 or more.
    n_repeats : int, default=20
        Random partitions. The standard error is itself noisy; 50 or more make it stable.
    stratify : bool, default=False
        Whether each fold has the classes in the same proportions. The theory is for plain random
        folds; stratify if a class is rare.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. Folds then
        consist of whole groups, as equal in number of groups as possible; variances are those of
        sums over groups; and the t quantile has (groups - 1) degrees of freedom.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.
    random_state : int, RandomState or None, default=0
        Seed of the partitions; the result does not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Repetitions at a time, through joblib.

    Returns
    -------
    Estimate
        Lower is better. It is the error of models fitted to samples of this size from the same
        source. Bounds are clipped to the range of the loss. If no row was ever wrong, the error
        rate has Wilson's interval.

    Raises
    ------
    {raises}

    References
    ----------
    Bates, Hastie & Tibshirani (2024), Journal of the American Statistical Association
    119(546), 1434-1445.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skmetrics_ext.inference.nested_cv import nested_cv_interval
    >>> X, y = load_iris(return_X_y=True)
    >>> print(nested_cv_interval(GaussianNB(), X, y, n_folds=5, n_repeats=4, random_state=0))
    0.04617 [0.003231, 0.0891], 95 %, nested cv
    """
    level = check_level(confidence_level)
    n_folds = check_integer("n_folds", n_folds, 3)
    n_repeats = check_integer("n_repeats", n_repeats, 1)
    if not callable(loss) and loss not in _BOUNDS:
        raise InvalidParameterError(
            f"loss has to be one of {[*_BOUNDS]} or a function of (fitted, X, y), got {loss!r}."
        )
    classes, codes = _read_classes(y)
    n_rows = len(codes)
    group = None if groups is None else read_groups(groups, n_rows, X=X, y=y)
    n_groups, unit = (n_rows, "rows") if group is None else (int(group.max()) + 1, "groups")
    if n_groups < 2 * n_folds:
        raise InvalidParameterError(
            f"n_folds={n_folds} needs at least {2 * n_folds} {unit}, got {n_groups}."
        )
    if stratify and group is not None:
        raise InvalidParameterError(
            "stratify=True draws within classes and groups= draws whole groups, which may hold "
            "several classes: choose one."
        )
    from joblib import Parallel, delayed
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    strata = codes if stratify else None
    folds = [partitions(n_groups, strata, n_folds, rng) for _ in range(n_repeats)]
    folds = folds if group is None else [fold[group] for fold in folds]
    repetitions = Parallel(n_jobs=n_jobs)(
        delayed(_repeat)(estimator, X, y, classes, codes, fold, loss) for fold in folds
    )
    value, error, at_limit, effect = nested_estimate(repetitions, group)
    low, high = -np.inf, np.inf
    if isinstance(loss, str):
        low, high = _BOUNDS[loss]
        high = 1.0 if loss == _BRIER and len(classes) == 2 else high
    value = float(np.clip(value, low, high))
    freedom = None if groups is None else np.asarray(n_groups - 1.0)
    spread = float(quantile(level, freedom)) * error
    grouped: dict[str, Any] = {}
    if groups is not None:
        grouped = {"n_groups": n_groups, "design_effect": effect}
    note = "the standard error is at its upper limit" if at_limit else ""
    if error == 0:
        note = "every row has the same loss"
        if loss == _ERROR:
            below, above = proportion_bounds(value * n_groups, n_groups, "wilson", level)
            bounds = float(below), float(above)
            return estimate(value, bounds, 0.0, "wilson", level, note, **grouped)
    bounds = float(max(value - spread, low)), float(min(value + spread, high))
    return estimate(value, bounds, error, "nested cv", level, note, **grouped)


# --------------------------------------------------------------------------- fitting


def _read_classes(y: Any) -> tuple[Array, Array]:
    column = read_column(y, "y")
    values, kind = label_values(column)
    if kind not in ("binary", "multiclass"):
        raise InvalidParameterError(f"{kind} y is not supported: it must hold class labels.")
    classes, (codes,) = encode_columns((column, values))
    return classes, codes


def _repeat(
    estimator: Any, X: Any, y: Any, classes: Array, codes: Array, fold: Array, loss: Any
) -> Repetition:
    """Fit without each fold and without each pair of folds."""
    from sklearn.base import clone

    n_folds = int(fold.max()) + 1
    losses = np.empty((n_folds, len(fold)))
    for pair in combinations_with_replacement(range(n_folds), 2):
        train = np.flatnonzero(~np.isin(fold, pair))
        fitted = clone(estimator).fit(take_rows(X, train), take_rows(y, train))
        for without, held in {pair, pair[::-1]}:
            rows = np.flatnonzero(fold == held)
            held_out = take_rows(X, rows), take_rows(y, rows), classes, codes[rows]
            losses[without, rows] = _row_losses(fitted, *held_out, loss)
    return Repetition(fold, losses)


def _row_losses(fitted: Any, X: Any, y: Any, classes: Array, codes: Array, loss: Any) -> Array:
    if callable(loss):
        values = read_numbers("loss", loss(fitted, X, y))
        if values.shape != codes.shape or not np.isfinite(values).all():
            raise InvalidParameterError(
                f"loss has to return a finite number for each of {len(codes)} rows, got an array "
                f"of shape {values.shape}."
            )
        return values
    if loss == _ERROR:
        predicted = read_array("predict", fitted.predict(X))
        return (find_labels(predicted, classes) != codes).astype(np.float64)
    response = Rows.of_model(fitted, X, None).by_class("predict_proba", classes.tolist())
    proba = response.astype(np.float64)
    if loss == _LOG:
        eps = np.finfo(response.dtype if response.dtype.kind == "f" else np.float64).eps
        return log_loss_rows(codes, proba, float(eps))
    return brier_rows(codes, proba) / (2 if len(classes) == 2 else 1)

"""Nested cross-validation: an interval of the prediction error of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

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
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.column_names import check_response
from skmetrics_ext.validation.containers import (
    read_array,
    read_column,
    read_numbers,
    take_rows,
)
from skmetrics_ext.validation.encoding import encode_columns, find_labels
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_integer, check_level
from skmetrics_ext.validation.targets import label_values

# Losses that have a name, and their range.
_ERROR: Any = error_rate.__name__
_LOG = log_loss.__name__
_BRIER = "brier"
_BOUNDS = {_ERROR: (0.0, 1.0), _LOG: (0.0, np.inf), _BRIER: (0.0, 2.0)}
# The loss that a metric is, and whether it is 1 less that loss.
Loss = Literal["error_rate", "log_loss", "brier"]
LOSS_OF: Mapping[Any, tuple[Any, bool]] = {
    accuracy_score: (_ERROR, True),
    error_rate: (_ERROR, False),
    zero_one_loss: (_ERROR, False),
    log_loss: (_LOG, False),
    brier_score_loss: (_BRIER, False),
}


# --------------------------------------------------------------------------- kernels


@dataclass(frozen=True, eq=False, slots=True)
class Repetition:
    """Losses of one partition into K folds.

    Parameters
    ----------
    outer : list of ndarray
        Losses of the rows of each fold by the model that saw all others.
    inner : list of ndarray
        Losses of the rows outside each fold by models that saw neither it nor their own.
    outer_groups, inner_groups : list of ndarray or None
        The group of each of these rows; None of rows that depend on no other.
    """

    outer: list[Array]
    inner: list[Array]
    outer_groups: list[Array | None]
    inner_groups: list[Array | None]

    @classmethod
    def of_rows(cls, outer: list[Array], inner: list[Array]) -> Repetition:
        """A repetition with independent rows."""
        return cls(outer, inner, [None] * len(outer), [None] * len(inner))

    def squared_errors(self) -> list[float]:
        """For each fold an unbiased guess of the squared error of the inner estimate.

        The squared distance of the two estimates, less the variance of the outer one.
        """
        found = []
        for outer, inner, group in zip(self.outer, self.inner, self.outer_groups, strict=True):
            sums = _sums(outer - outer.mean(), group)
            variance = float((sums**2).sum()) * len(sums) / (len(sums) - 1) / len(outer) ** 2
            found.append((float(inner.mean()) - float(outer.mean())) ** 2 - variance)
        return found


def _sums(values: Array, group: Array | None) -> Array:
    """Sums over the groups that occur; the values themselves for independent rows."""
    if group is None:
        return values
    return np.bincount(np.unique(group, return_inverse=True)[1], weights=values)


def nested_estimate(
    repetitions: list[Repetition], n_rows: int, n_groups: int
) -> tuple[float, float, bool, float]:
    """Prediction error, its standard error, whether that met its upper limit; design effect."""
    n_folds = len(repetitions[0].outer)
    outer = np.concatenate([fold for one in repetitions for fold in one.outer])
    inner = np.concatenate([fold for one in repetitions for fold in one.inner])
    # Errors that fall as 1 / rows: from two folds left out to none is so many times the way
    # from two to one.
    bias = (1 + (n_folds - 2) / n_folds) * (float(inner.mean()) - float(outer.mean()))
    squared = np.mean([error for one in repetitions for error in one.squared_errors()])
    # From the rows of K - 1 folds to all.
    error = np.sqrt(max(float(squared), 0.0) * (n_folds - 1) / n_folds)
    alone = float(inner.std(ddof=1)) / np.sqrt(n_rows)
    mean = float(inner.mean())
    sums = np.concatenate(
        [
            _sums(fold - mean, group)
            for one in repetitions
            for fold, group in zip(one.inner, one.inner_groups, strict=True)
        ]
    )
    naive = float(np.sqrt(n_groups * (sums**2).sum() / (len(sums) - 1))) / n_rows
    limit = naive * np.sqrt(n_folds)  # were the folds no more than one
    effect = (naive / alone) ** 2 if alone else np.nan
    return mean - bias, float(np.clip(error, naive, limit)), bool(error > limit), effect


def partitions(n_rows: int, strata: Array | None, n_folds: int, rng: Any) -> Array:
    """Number of the fold of each row, of sizes that differ by one at most (in each stratum)."""
    order = rng.permutation(n_rows)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    fold = np.empty(n_rows, dtype=np.int64)
    fold[order] = np.arange(n_rows) % n_folds
    return fold


# --------------------------------------------------------------------------- public function


@document
def nested_cv_interval(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    loss: Loss | Callable[..., Any] = _ERROR,
    n_folds: int = 10,
    n_repeats: int = 20,
    stratify: bool = False,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Estimate:
    r"""Interval of the prediction error of a model by nested cross-validation.

    The standard error from the losses of a cross-validation takes them to be independent, which
    rows that train one another's models are not; it is too small. Here each fold is held out of
    a cross-validation of the rest. With the mean loss of that, :math:`e^{in}_f`, and of the fold
    itself by the model of all the rest, :math:`e^{out}_f`,

    .. math:: \widehat{MSE} = \mathrm{mean}_f \left[(e^{in}_f - e^{out}_f)^2
        - s_f^2 / n_f\right], \quad
        \hat e \pm z \sqrt{\tfrac{K - 1}{K} \widehat{MSE}}

    over the folds of all repetitions, the standard error kept within :math:`[s, s \sqrt K]` of
    the naive one. :math:`\hat e = e^{in} - (1 + \frac{K - 2}{K}) (e^{in} - e^{cv})` takes
    off the bias of training on K - 2 of K folds.

    Parameters
    ----------
    estimator : estimator
        A classifier; cloned for each of the ``n_repeats * n_folds * (n_folds + 1) / 2`` fits.
    X : array-like of shape (n_samples, n_features)
        What the model predicts from.
    y : array-like of shape (n_samples,)
        True labels.
    loss : {"error_rate", "log_loss", "brier"} or callable, default="error_rate"
        Mean over rows of: being wrong; minus the log of the probability of the true class;
        squared distance of the probabilities from it (half of it for two classes, as
        `brier_score_loss` has it). Columns are matched with the classes by name. A callable
        ``loss(fitted, X, y)`` gives the losses of the rows.
    n_folds : int, default=10
        Folds K, 3 or more.
    n_repeats : int, default=20
        Random partitions. The standard error is itself noisy: 50 and more steady it.
    stratify : bool, default=False
        Whether each fold has the classes in the same shares. The theory is of plain random
        folds; stratify where a class is rare.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. Folds are
        made of whole groups, as equal in their numbers of groups as can be, variances are those of
        sums over groups, and the quantile is that of a t distribution of one less than the groups.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.
    random_state : int, RandomState or None, default=None
        Seed of the partitions; the result does not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Repetitions at a time, through joblib.

    Returns
    -------
    Estimate
        Lower is better. It speaks of models fitted to samples of this size from the same
        source. Bounds are clipped to the range of the loss. Where no row was ever wrong, the
        error rate has Wilson's interval.

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
    >>> from skmetrics_ext import nested_cv_interval
    >>> X, y = load_iris(return_X_y=True)
    >>> print(nested_cv_interval(GaussianNB(), X, y, n_folds=5, n_repeats=4, random_state=0))
    0.04617 [0.003231, 0.0891] (95% confidence, nested cv)
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
    n_groups, what = (n_rows, "rows") if group is None else (int(group.max()) + 1, "groups")
    if n_groups < 2 * n_folds:
        raise InvalidParameterError(
            f"n_folds={n_folds} leaves folds of fewer than 2 of {n_groups} {what}."
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
        delayed(_repeat)(estimator, X, y, classes, codes, group, fold, loss) for fold in folds
    )
    value, error, at_limit, effect = nested_estimate(repetitions, n_rows, n_groups)
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
    note = "the standard error met its upper limit" if at_limit else ""
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
    estimator: Any,
    X: Any,
    y: Any,
    classes: Array,
    codes: Array,
    group: Array | None,
    fold: Array,
    loss: Any,
) -> Repetition:
    """Fit without each fold and without each pair of folds."""
    n_folds = int(fold.max()) + 1
    rows = [np.flatnonzero(fold == f) for f in range(n_folds)]

    def losses(out: tuple[int, ...]) -> list[Array]:
        from sklearn.base import clone

        train = np.flatnonzero(~np.isin(fold, out))
        fitted = clone(estimator).fit(take_rows(X, train), take_rows(y, train))
        return [
            _row_losses(fitted, take_rows(X, rows[f]), take_rows(y, rows[f]), classes,
                        codes[rows[f]], loss)
            for f in out
        ]  # fmt: skip

    outer = [losses((f,))[0] for f in range(n_folds)]
    inner: list[list[Array]] = [[] for _ in range(n_folds)]
    others: list[list[int]] = [[] for _ in range(n_folds)]
    for first, second in combinations(range(n_folds), 2):
        of_first, of_second = losses((first, second))
        inner[second].append(of_first)
        inner[first].append(of_second)
        others[second].append(first)
        others[first].append(second)
    joined = [np.concatenate(parts) for parts in inner]
    if group is None:
        return Repetition.of_rows(outer, joined)
    outer_groups: list[Array | None] = [group[rows[f]] for f in range(n_folds)]
    inner_groups: list[Array | None] = [
        np.concatenate([group[rows[f]] for f in parts]) for parts in others
    ]
    return Repetition(outer, joined, outer_groups, inner_groups)


def _row_losses(fitted: Any, X: Any, y: Any, classes: Array, codes: Array, loss: Any) -> Array:
    if callable(loss):
        values = read_numbers("loss", loss(fitted, X, y))
        if values.shape != codes.shape or not np.isfinite(values).all():
            raise InvalidParameterError(
                f"loss has to give a finite number for each of {len(codes)} rows, got an array "
                f"of shape {values.shape}."
            )
        return values
    if loss == _ERROR:
        predicted = read_array("predict", fitted.predict(X))
        return (find_labels(predicted, classes) != codes).astype(np.float64)
    given, known = fitted.predict_proba(X), read_array("classes_", fitted.classes_)
    check_response(given, known, "predict_proba")
    response = read_array("predict_proba", given)
    if response.shape != (len(codes), len(known)):
        raise InvalidParameterError(
            f"predict_proba of {type(fitted).__name__} has to give shape "
            f"{(len(codes), len(known))}, a column for each of {known.tolist()!r:.60}, got "
            f"{response.shape}."
        )
    # A class that the model never saw has probability 0.
    proba = np.zeros((len(codes), len(classes)))
    proba[:, find_labels(known, classes)] = response
    if loss == _LOG:
        eps = np.finfo(response.dtype if response.dtype.kind == "f" else np.float64).eps
        return log_loss_rows(codes, proba, float(eps))
    return brier_rows(codes, proba) / (2 if len(classes) == 2 else 1)

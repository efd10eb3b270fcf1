"""Scores of the folds of a cross-validation, and the threshold that is best over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.metrics.rankings.ranking_kernels import from_infinity
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.thresholds.certified import CertifiedThresholds, Guarantee
from skmetrics_ext.thresholds.criteria import Objective
from skmetrics_ext.thresholds.search import Candidates
from skmetrics_ext.validation import InvalidParameterError, Scores
from skmetrics_ext.validation.column_names import check_response
from skmetrics_ext.validation.containers import read_array, take_params, take_rows
from skmetrics_ext.validation.parameters import check_level

RESPONSES = ("predict_proba", "decision_function")


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


# --------------------------------------------------------------------------- rows and scores


class FoldRows(NamedTuple):
    """Scored rows of a fold: true labels, a column of scores for each class, and weights."""

    true: Array
    columns: Array
    weight: Any

    def one_against_rest(self, label: Any, column: int) -> Scores:
        """The rows of one class against the others."""
        marks = (self.true == label).astype(np.int64)
        return Scores.check(
            marks, self.columns[:, column], labels=[0, 1], sample_weight=self.weight
        )


def score_fold(
    estimator: Any,
    X: Any,
    y: Any,
    split: tuple[Any, Any],
    fit_params: dict[str, Any],
    weight: Any,
    response: tuple[tuple[str, ...], Array, int | None],
) -> FoldRows:
    """Fit the estimator to the training rows of a split, and score its test rows.

    ``response`` holds the last arguments of `response_columns`.
    """
    train, test = split
    if train is not None:
        fit_rows(estimator, X, y, train, fit_params)
        X, y = take_rows(X, test), take_rows(y, test)
        weight = None if weight is None else take_rows(weight, test)
    return FoldRows(read_array("y", y), response_columns(estimator, X, *response), weight)


def fit_rows(estimator: Any, X: Any, y: Any, rows: Any, params: dict[str, Any]) -> Any:
    """Fit the estimator to some rows, or to all of them (None)."""
    if rows is not None:
        params = take_params(params, len(y), rows)
        X, y = take_rows(X, rows), take_rows(y, rows)
    return estimator.fit(X, y, **params)


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


def response_columns(
    estimator: Any, X: Any, methods: tuple[str, ...], classes: Array, positive: int | None
) -> Array:
    """Scores of the positive class (n, 1), or of all classes (n, K), matched by name."""
    method = next((name for name in methods if hasattr(estimator, name)), None)
    if method is None:
        raise AttributeError(
            f"{type(estimator).__name__} has none of the following attributes: "
            f"{', '.join(methods)}."
        )
    response = getattr(estimator, method)(X)
    known = read_array("classes_", estimator.classes_).tolist()
    check_response(response, known, method)
    scores = read_array(method, response)
    if scores.ndim == 1 or scores.shape[1] == 1:
        decision = scores.reshape(-1)
        scores = np.column_stack([-decision, decision])
    if scores.shape[1] != len(known):
        raise InvalidParameterError(
            f"{method} of {type(estimator).__name__} has {scores.shape[1]} columns for "
            f"{len(known)} classes; one per class is needed."
        )
    names = classes.tolist() if positive is None else [classes.tolist()[positive]]
    unseen = [name for name in names if name not in known]
    if unseen and method != "predict_proba":
        raise InvalidParameterError(
            f"A fold has no training row of the classes {unseen}, and {method} no score for them: "
            "use stratified folds."
        )
    # A class that the estimator never saw has probability 0.
    padded = np.column_stack([scores, np.zeros(len(scores), dtype=scores.dtype)])
    return padded[:, [known.index(name) if name in known else -1 for name in names]]

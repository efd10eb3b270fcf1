"""ThresholdOptimizerCV: a classifier whose thresholds are chosen in cross-validation.

Inherits from scikit-learn, so that it is imported only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from skmetrics_ext.metrics.labels.accuracy import accuracy_score
from skmetrics_ext.metrics.labels.costs import expected_cost, read_costs
from skmetrics_ext.numeric import Array, PosLabel, RandomState
from skmetrics_ext.registry.defaults import CRITERION
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.thresholds.criteria import COST, Choice, Objective
from skmetrics_ext.thresholds.folds import (
    RESPONSES,
    FoldRows,
    best_over_folds,
    fit_rows,
    pooled_rows,
    response_columns,
    score_fold,
)
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows, read_array
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import ResponseMethod
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.rows import check_fitted_rows
from skmetrics_ext.validation.tensors import to_host


@dataclass(frozen=True, slots=True)
class Routed:
    """Arguments for the estimator and the splitter, and the weights of the search."""

    estimator: dict[str, Any]
    splitter: dict[str, Any]
    search_weight: Any

    @classmethod
    def make(cls, owner: Any, own_request: Any, weight: Any, params: dict[str, Any]) -> Self:
        """Share out the arguments of ``owner.fit``.

        Without metadata routing the estimator gets them all, weights if it takes any, and the
        splitter the groups; with it, whoever asked.
        """
        given = dict(params)
        if not get_config().get("enable_metadata_routing"):
            splitter = {"groups": given.pop("groups")} if "groups" in given else {}
            if weight is not None and has_fit_parameter(owner.estimator, "sample_weight"):
                given["sample_weight"] = weight
            return cls(given, splitter, weight)
        if weight is not None:
            given["sample_weight"] = weight
        routing = get_routing_for_object(owner)
        routing.validate_metadata(params=given, method="fit")
        routed = routing.route_params(params=given, caller="fit")
        asked = bool(own_request.consumes("fit", ["sample_weight"]))
        splitter = routed["splitter"]["split"] if "splitter" in routed else {}
        return cls(dict(routed["estimator"]["fit"]), dict(splitter), weight if asked else None)


def check_rows(X: Any, y: Any, sample_weight: Any, params: Mapping[str, Any]) -> tuple[Any, ...]:
    """``X, y, sample_weight`` of ``fit``, made to be indexed.

    Refuses a ``y`` that holds other than one label a row, and what by its index or its mask is of
    other rows.
    """
    check_fitted_rows(X, y=y, sample_weight=sample_weight, **params)
    X, y, sample_weight = indexable(X, y, sample_weight)
    check_classification_targets(y)
    if type_of_target(y, input_name="y") not in ("binary", "multiclass"):
        raise InvalidParameterError(
            f"y must hold one label a row, got {type_of_target(y)}: only single-label "
            "classification is supported."
        )
    if params.get("groups") is not None:
        read_groups(params["groups"], count_rows(y) or 0)
    return X, y, sample_weight


def _is_matrix(cost: Any) -> bool:
    return cost is not None and np.ndim(np.asarray(cost, dtype=object)) == 2


def is_prefit(cv: Any) -> bool:
    return isinstance(cv, str) and cv == "prefit"


def make_splits(
    estimator: Any, cv: Any, refit: bool, random_state: Any, X: Any, y: Any, routed: Routed
) -> list[tuple[Any, Any]]:
    """Positions of the rows to fit and to score; None for an estimator that is fitted."""
    if is_prefit(cv):
        if refit:
            raise InvalidParameterError("When cv='prefit', refit cannot be True.")
        try:
            check_is_fitted(estimator, "classes_")
        except NotFittedError as error:
            raise NotFittedError("When cv='prefit', `estimator` must be fitted.") from error
        return [(None, None)]
    if isinstance(cv, str):
        raise InvalidParameterError(f"cv has to be folds or 'prefit', got {cv!r}.")
    if isinstance(cv, float):
        if not 0 < cv < 1:
            raise InvalidParameterError(f"A float cv has to lie in (0, 1), got {cv}.")
        folds = StratifiedShuffleSplit(1, test_size=cv, random_state=random_state)
    else:
        folds = check_cv(cv, y=y, classifier=True)
    splits = list(folds.split(X, y, **routed.splitter))
    if not refit and len(splits) > 1:
        raise InvalidParameterError("When cv has several folds, refit cannot be False.")
    return splits


def _estimator_has(method: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), method)
        return True

    return check


class ThresholdOptimizerCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    r"""Classifier with the decision threshold that is best in cross-validation.

    The criterion is read at every distinct score of every fold; at each of them it is averaged
    over the folds, and the best threshold is taken. Nothing is put on a grid or interpolated.
    A threshold at which the criterion is 0/0 in some fold is skipped, and a fold in which it is
    undefined at all thresholds (a class has no rows) is left out. Of several best thresholds the
    highest is taken.

    With more than two classes each class has a threshold of its own, chosen for it against
    the rest, and the class is predicted whose score exceeds its threshold most:
    :math:`\arg\max_k (s_k - t_k)`.

    Parameters
    ----------
    estimator : estimator
        Classifier with ``predict_proba`` or ``decision_function``.
    criterion : str or callable, default="balanced_accuracy"
        What the threshold is chosen by, as in `optimal_threshold`.
    constraint : (str or callable, {">=", "<="}, float) or list of them, default=None
        A bound to keep, as in `optimal_threshold`, by the mean over the folds.
    cost : (float, float) or array-like of shape (n_classes, n_classes), default=None
        Costs of a false positive and of a false negative, for the criteria that use them. Of two
        or more classes a matrix: the cost of predicting the class of the column where that of the
        row is true, in the order of ``classes_``. Then no threshold is chosen: the class of the
        least expected cost is predicted, by ``predict_proba``, which should be calibrated.
    confidence : float in (0, 1), default=None
        Chance that the threshold keeps the constraints in the population, as in
        `optimal_threshold`, by the rows that the folds scored, taken together; ``groups`` of
        ``fit`` count as groups there too. With ``refit`` the estimator that predicts is another
        than those that scored, and the chance is approximate. Of two classes only.
    prevalence : float in (0, 1), default=None
        Share of the positives where the classifier is to be used; not for several classes.
    pos_label : int, float, bool or str, default=None
        The positive class of a binary problem. By default 1 of {0, 1} or {-1, 1}, or True. Other
        labels have to say, unless it matters to neither criterion nor constraint (balanced
        accuracy, Youden's index without costs, averages over both classes): then the later one.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        Where the scores come from; "auto" is the first of the other two that there is.
    cv : int, float, cross-validation generator, iterable or "prefit", default=None
        Folds as in scikit-learn: None is 5 stratified ones; a float is the size of one
        stratified part held out; "prefit" takes the estimator as it is fitted and all rows.
    refit : bool, default=True
        Whether ``estimator_`` is fitted to all rows; otherwise to the training part of the
        only split. Has to be False for "prefit".
    n_jobs : int, default=None
        Folds worked on at the same time.
    random_state : int, RandomState instance or None, default=None
        For a float ``cv``.
    store_cv_results : bool, default=False
        Whether to keep the criterion at every threshold.

    Attributes
    ----------
    estimator_ : estimator
        The classifier that predicts.
    best_threshold_ : float or ndarray of shape (n_classes,)
        Rows that score at least so much are positive; one threshold per class for several.
        Infinite where never predicting the class is best. With a matrix of costs there are no
        attributes of thresholds.
    best_score_ : float
        Mean of the criterion over the folds there; for several classes the mean over them of
        what each has against the rest. With a matrix the expected cost.
    thresholds_by_fold_ : ndarray of shape (n_splits,) or (n_splits, n_classes)
        The best threshold of each fold by itself; nan where it has none.
    threshold_mean_, threshold_std_ : float or ndarray of shape (n_classes,)
        Their mean and standard deviation (of the population) over the folds that have one;
        how much the choice depends on the rows.
    cv_results_ : dict
        "thresholds" and "scores", falling thresholds and the mean of the criterion at each;
        lists of arrays for several classes. Only if ``store_cv_results``.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features, if the estimator counts them.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the estimator has them.

    See Also
    --------
    optimal_threshold : The same for scores that are there already.

    Notes
    -----
    ``sample_weight`` goes to the estimator and to the criterion. With metadata routing enabled
    each gets it if it asks: the criterion by ``set_fit_request(sample_weight=True)`` on this
    object.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skmetrics_ext import ThresholdOptimizerCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ThresholdOptimizerCV(
    ...     LogisticRegression(max_iter=5000), criterion="recall",
    ...     constraint=("specificity", ">=", 0.9))
    >>> model.fit(X[:, :4], y).thresholds_by_fold_.shape
    (5,)
    >>> bool(0 < model.best_threshold_ < 1)
    True
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        criterion: Choice = CRITERION,
        constraint: Any = None,
        cost: Any = None,
        confidence: float | None = None,
        prevalence: float | None = None,
        pos_label: PosLabel = None,
        response_method: ResponseMethod = "auto",
        cv: Any = None,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        store_cv_results: bool = False,
    ) -> None:
        self.estimator = estimator
        self.criterion = criterion
        self.constraint = constraint
        self.cost = cost
        self.confidence = confidence
        self.prevalence = prevalence
        self.pos_label = pos_label
        self.response_method = response_method
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.store_cv_results = store_cv_results

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Fit the estimator on every fold, choose the threshold, fit the estimator for good.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            What the estimator learns from.
        y : array-like of shape (n_samples,)
            True labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        **params : dict
            For the ``fit`` of the estimator, or with metadata routing for whom it asks.

        Returns
        -------
        ThresholdOptimizerCV
            This object.
        """
        check_option("response_method", self.response_method, ("auto", *RESPONSES))
        check_option("refit", self.refit, (True, False))
        objective = None
        if not _is_matrix(self.cost):
            about = self.constraint, self.cost, self.prevalence
            objective = Objective.make(self.criterion, *about)
        y, sample_weight = to_host(y, "y"), to_host(sample_weight, "sample_weight")
        X, y, sample_weight = check_rows(X, y, sample_weight, params)
        own_request = super().get_metadata_routing()
        routed = Routed.make(self, own_request, sample_weight, params)
        splits = make_splits(self.estimator, self.cv, self.refit, self.random_state, X, y, routed)
        if is_prefit(self.cv):
            self.estimator_ = self.estimator
        else:
            rows = None if self.refit else splits[0][0]
            self.estimator_ = fit_rows(clone(self.estimator), X, y, rows, routed.estimator)
        self.classes_ = read_array("classes_", self.estimator_.classes_)
        self._check_classes(y)
        self._costs = self._read_costs() if objective is None else None
        self._positive = None if objective is None else self._find_positive(objective)
        response = self._methods(), self.classes_, self._positive
        folds = Parallel(n_jobs=self.n_jobs)(
            delayed(score_fold)(
                self.estimator_ if is_prefit(self.cv) else clone(self.estimator),
                *(X, y, split, routed.estimator, routed.search_weight, response),
            )
            for split in splits
        )
        if objective is None:
            costs = [
                expected_cost(
                    fold.true,
                    self._cheapest(fold.columns),
                    labels=self.classes_,
                    cost_matrix=self._costs,
                    sample_weight=fold.weight,
                )
                for fold in folds
            ]
            self.best_score_ = float(np.mean(costs))
        else:
            everywhere = np.arange(count_rows(y) or 0)
            places = [everywhere if test is None else everywhere[test] for _, test in splits]
            self._choose(folds, objective, places, params.get("groups"))
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _check_classes(self, y: Any) -> None:
        if len(self.classes_) < 2:
            raise InvalidParameterError(
                "Classifier can't train when only one class is present: a threshold needs two "
                f"classes, got {self.classes_.tolist()}."
            )
        unknown = set(np.unique(np.asarray(y)).tolist()) - set(self.classes_.tolist())
        if unknown:
            raise InvalidParameterError(
                f"y holds classes that the estimator was not fitted to: {sorted(unknown)}."
            )
        of_one = [getattr(self, name) for name in ("prevalence", "pos_label", "confidence")]
        if len(self.classes_) > 2 and any(given is not None for given in of_one):
            raise InvalidParameterError(
                "confidence, prevalence and pos_label are of one positive class, and y has "
                f"{len(self.classes_)} classes: leave them out."
            )

    def _find_positive(self, objective: Objective) -> int | None:
        """Position of the positive class; None where every class has a threshold."""
        if len(self.classes_) > 2:
            return None
        known, either = self.classes_.tolist(), objective.sides != "one"
        found = positive_class(known, self.pos_label, what="The threshold", either=either)
        return known.index(found)

    def _read_costs(self) -> Array:
        """The matrix of costs; refuse what has no part in the least expected cost."""
        others = ("constraint", "prevalence", "pos_label", "confidence")
        given = [name for name in others if getattr(self, name) is not None]
        given += ["criterion"] * (self.criterion not in (CRITERION, COST))
        given += ["response_method"] * (self.response_method == RESPONSES[1])
        if given:
            raise InvalidParameterError(
                f"A matrix of costs predicts the class of the least expected cost, in which "
                f"{given[0]}={getattr(self, given[0])!r} has no part: leave it out."
            )
        return read_costs(self.cost, self.classes_, "cost")

    def _cheapest(self, proba: Array) -> Array:
        """The class of the least expected cost of each row."""
        return self.classes_[(proba @ self._costs).argmin(axis=1)]

    def _methods(self) -> tuple[str, ...]:
        if self._costs is not None:
            return RESPONSES[:1]
        return RESPONSES if self.response_method == "auto" else (self.response_method,)

    def _choose(
        self, folds: list[FoldRows], objective: Objective, places: list[Array], groups: Any
    ) -> None:
        """Search for each class over the folds, and set the attributes."""
        results = []
        labels = self.classes_ if self._positive is None else [self.classes_[self._positive]]
        for column, label in enumerate(labels):
            rows = [fold.one_against_rest(label, column) for fold in folds]
            guarantee = None
            if self.confidence is not None:
                unit = None if groups is None else read_groups(groups, count_rows(groups) or 0)
                guarantee = pooled_rows(rows, places, unit, self.confidence)
            tallies = [RankTally.of_class(fold) for fold in rows]
            results.append(best_over_folds(tallies, objective, guarantee))
        by_fold = np.column_stack([result.by_fold for result in results])
        known = [column[~np.isnan(column)] for column in by_fold.T]
        one = len(results) == 1

        def of_class(values: list[Any]) -> Any:
            """The only value, or an array of one for each class."""
            return values[0] if one else np.array(values)

        self.best_score_ = float(np.mean([result.value for result in results]))
        self.best_threshold_ = of_class([result.threshold for result in results])
        self.thresholds_by_fold_ = by_fold[:, 0] if one else by_fold
        with np.errstate(invalid="ignore"):  # a threshold may be infinite
            self.threshold_mean_ = of_class([float(x.mean()) if x.size else np.nan for x in known])
            self.threshold_std_ = of_class([float(x.std()) if x.size else np.nan for x in known])
        if self.store_cv_results:
            thresholds = [result.thresholds for result in results]
            scores = [result.values for result in results]
            self.cv_results_ = {
                "thresholds": thresholds[0] if one else thresholds,
                "scores": scores[0] if one else scores,
            }

    def predict(self, X: ArrayLike) -> Array:
        """Predict classes by the chosen threshold, or thresholds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_samples,)
            One of ``classes_`` per row.
        """
        check_is_fitted(self, "best_score_")
        positive = self._positive
        scores = response_columns(self.estimator_, X, self._methods(), self.classes_, positive)
        if self._costs is not None:
            return self._cheapest(scores)
        if positive is not None:
            codes = np.where(scores[:, 0] >= self.best_threshold_, positive, 1 - positive)
            return self.classes_[codes]
        excess = scores - self.best_threshold_
        # Where no class is ever to be predicted, the plain scores decide.
        hopeless = np.isneginf(excess).all(axis=1, keepdims=True)
        return self.classes_[np.where(hopeless, scores, excess).argmax(axis=1)]

    @available_if(_estimator_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the estimator; the threshold does not change them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self, "best_score_")
        return self.estimator_.predict_proba(X)

    @available_if(_estimator_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self, "best_score_")
        return self.estimator_.predict_log_proba(X)

    @available_if(_estimator_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """Decision values of the estimator; the threshold does not change them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self, "best_score_")
        return self.estimator_.decision_function(X)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy of the predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to predict.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.

        Returns
        -------
        float
            In [0, 1].
        """
        return accuracy_score(y, self.predict(X), sample_weight=sample_weight)

    def get_metadata_routing(self) -> MetadataRouter:
        """Who takes which metadata.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=to_fit)
        if hasattr(self.cv, "get_metadata_routing"):
            to_split = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=self.cv, method_mapping=to_split)
        return router

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

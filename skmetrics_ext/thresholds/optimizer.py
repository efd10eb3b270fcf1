"""ThresholdOptimizerCV: a classifier whose thresholds are chosen in cross-validation.

It inherits from scikit-learn and is therefore imported only on use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from skmetrics_ext.metrics.labels.accuracy import accuracy_score
from skmetrics_ext.metrics.labels.costs import expected_cost, read_costs
from skmetrics_ext.numeric import Array, PosLabel, RandomState
from skmetrics_ext.questions import Rows
from skmetrics_ext.registry.defaults import CRITERION
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.thresholds.at_thresholds import COST, Choice, Objective
from skmetrics_ext.thresholds.search import REVERSED, best_over_folds, is_reversed, pooled_rows
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.containers import count_rows, read_array, take_params, take_rows
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import ResponseMethod
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.rows import check_fitted_rows
from skmetrics_ext.validation.tensors import to_host

RESPONSES = ("predict_proba", "decision_function")


def check_fit_arguments(
    X: Any, y: Any, sample_weight: Any, params: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Indexable ``X, y, sample_weight`` of ``fit``; one label per row, and all of the same rows."""
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


def _estimator_has(method: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), method)


class ThresholdOptimizerCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    r"""Classifier with the decision threshold that is best in cross-validation.

    The mean of the criterion over the folds is computed at every distinct score of any fold, and
    the best threshold is taken: an exact search without a grid or interpolation. Thresholds at
    which the criterion is 0/0 in some fold are skipped, and folds in which it is undefined at all
    thresholds (a class has no rows) are left out. Of several best thresholds the highest is taken.

    With more than two classes, each class has its own threshold, chosen for it against the rest,
    and the predicted class is the one whose score exceeds its threshold most:
    :math:`\arg\max_k (s_k - t_k)`.

    Parameters
    ----------
    estimator : estimator
        Classifier with ``predict_proba`` or ``decision_function``.
    criterion : str or callable, default="balanced_accuracy"
        The criterion of the threshold, as in `optimal_threshold`.
    constraint : (str or callable, {">=", "<="}, float) or list of them, default=None
        A bound on the mean of a metric over the folds, as in `optimal_threshold`.
    cost : (float, float) or array-like of shape (n_classes, n_classes), default=None
        Costs of a false positive and of a false negative, for the criteria that use them. Or, for
        two or more classes, a matrix: the cost of predicting the class of the column if that of the
        row is true, in the order of ``classes_``. Then no threshold is chosen: the predicted class
        has the least expected cost by ``predict_proba``, which should be calibrated.
    confidence : float in (0, 1), default=None
        Chance that the threshold satisfies the constraints in the population, as in
        `optimal_threshold`, from the scored rows of all folds together; ``groups`` of ``fit``
        are groups here, too. With ``refit``, the estimator that predicts is not one of those that
        scored, so the chance is approximate. For two classes only.
    pos_label : int, float, bool or str, default=None
        The positive class of a binary problem. By default 1 of {0, 1} or {-1, 1}, or True. Needed
        for other labels, unless criterion and constraint are the same for either class (balanced
        accuracy, Youden's index without costs, averages over both classes): then the later one.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        Source of the scores; "auto" is the first of the other two that the estimator has.
    cv : int, float, cross-validation generator, iterable or "prefit", default=None
        Folds as in scikit-learn: None for 5 stratified folds, a float for the size of one
        stratified test set, "prefit" for a fitted estimator, which scores all rows.
    refit : bool, default=True
        Whether ``estimator_`` is fitted to all rows; if not, to the training rows of the only
        split. Has to be False for "prefit".
    store_cv_results : bool, default=False
        Whether to keep the criterion at every threshold.
    prevalence : float in (0, 1), default=None
        Share of positives where the classifier will be used; for two classes only.
    random_state : int, RandomState instance or None, default=0
        Seed of the split of a float ``cv``.
    n_jobs : int, default=None
        Number of folds processed in parallel.

    Attributes
    ----------
    estimator_ : estimator
        The classifier that predicts.
    best_threshold_ : float or ndarray of shape (n_classes,)
        Rows with scores of at least this are predicted positive; one threshold per class if there
        are several. Infinite if never predicting the class is best. With a matrix of costs there
        are no attributes of thresholds.
    best_score_ : float
        Mean of the criterion over the folds at the threshold; for several classes, the mean of
        these one-vs-rest values. With a matrix of costs, the mean expected cost.
    thresholds_by_fold_ : ndarray of shape (n_splits,) or (n_splits, n_classes)
        The best threshold of each fold alone; nan if it has none.
    threshold_mean_, threshold_std_ : float or ndarray of shape (n_classes,)
        Their mean and population standard deviation over the folds that have one: how much the
        choice depends on the rows.
    cv_results_ : dict
        "thresholds", falling, and "scores", the mean of the criterion at each; lists of arrays for
        several classes. Only with ``store_cv_results``.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features, if the estimator has it.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the estimator has them.

    See Also
    --------
    optimal_threshold : Threshold search for existing scores.

    Notes
    -----
    ``sample_weight`` goes to the estimator and to the criterion. With metadata routing enabled,
    each has to request it: the criterion by ``set_fit_request(sample_weight=True)`` on this object.

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
        pos_label: PosLabel = None,
        response_method: ResponseMethod = "auto",
        cv: Any = None,
        refit: bool = True,
        store_cv_results: bool = False,
        prevalence: float | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
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
        """Fit the estimator in every fold, choose the threshold, and fit the final estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        **params : dict
            Arguments for the ``fit`` of the estimator (``groups`` for the splitter); with metadata
            routing, for the objects that request them.

        Returns
        -------
        ThresholdOptimizerCV
            This object.
        """
        check_option("response_method", self.response_method, ("auto", *RESPONSES))
        check_option("refit", self.refit, (True, False))
        objective = None
        if self.cost is None or np.ndim(np.asarray(self.cost, dtype=object)) != 2:
            objective = Objective.make(self.criterion, self.constraint, self.cost, self.prevalence)
        y, sample_weight = to_host(y, "y"), to_host(sample_weight, "sample_weight")
        X, y, sample_weight = check_fit_arguments(X, y, sample_weight, params)
        fit_params, split_params, weight = self._route(sample_weight, params)
        splits = self._split(X, y, split_params)
        if self._is_prefit:
            self.estimator_ = self.estimator
        else:
            rows = None if self.refit else splits[0][0]
            self.estimator_ = fit_rows(clone(self.estimator), X, y, rows, fit_params)
        self.classes_ = read_array("classes_", self.estimator_.classes_)
        self._check_classes(y)
        self._costs = self._read_costs() if objective is None else None
        self._positive: int | None = None  # place of the positive class, if one has a threshold
        if objective is not None and len(self.classes_) == 2:
            classes, either = self.classes_.tolist(), objective.sides != "one"
            positive = positive_class(classes, self.pos_label, what="The threshold", either=either)
            self._positive = classes.index(positive)
        folds = Parallel(n_jobs=self.n_jobs)(
            delayed(score_fold)(
                self.estimator_ if self._is_prefit else clone(self.estimator),
                *(X, y, split, fit_params, weight, self._respond),
            )
            for split in splits
        )
        if objective is None:
            self.best_score_ = float(np.mean([self._expected_cost(fold) for fold in folds]))
        else:
            all_rows = np.arange(count_rows(y) or 0)
            places = [all_rows if test is None else all_rows[test] for _, test in splits]
            self._choose(folds, objective, places, params.get("groups"))
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    @property
    def _is_prefit(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _route(self, weight: Any, params: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Arguments of the estimator's ``fit`` and of the splitter, and weights of the search.

        Without metadata routing the estimator gets all of them (weights if it takes any) but the
        groups, which the splitter gets.
        """
        arguments = dict(params) if weight is None else {**params, "sample_weight": weight}
        if get_config().get("enable_metadata_routing"):
            routed = process_routing(self, "fit", **arguments)
            requests_weight = super().get_metadata_routing().consumes("fit", ["sample_weight"])
            to_fit, to_split = dict(routed["estimator"]["fit"]), dict(routed["splitter"]["split"])
            return to_fit, to_split, weight if requests_weight else None
        splitter = {"groups": arguments.pop("groups")} if "groups" in arguments else {}
        if not has_fit_parameter(self.estimator, "sample_weight"):
            arguments.pop("sample_weight", None)
        return arguments, splitter, weight

    def _split(self, X: Any, y: Any, params: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """Positions of training and test rows; None for an estimator that is fitted."""
        if self._is_prefit:
            if self.refit:
                raise InvalidParameterError("When cv='prefit', refit cannot be True.")
            try:
                check_is_fitted(self.estimator, "classes_")
            except NotFittedError as error:
                raise NotFittedError("When cv='prefit', `estimator` must be fitted.") from error
            return [(None, None)]
        if isinstance(self.cv, str):
            raise InvalidParameterError(f"cv has to be folds or 'prefit', got {self.cv!r}.")
        if isinstance(self.cv, float):
            if not 0 < self.cv < 1:
                raise InvalidParameterError(f"A float cv has to lie in (0, 1), got {self.cv}.")
            seed = self.random_state
            folds = StratifiedShuffleSplit(1, test_size=self.cv, random_state=seed)
        else:
            folds = check_cv(self.cv, y=y, classifier=True)
        splits = list(folds.split(X, y, **params))
        if not self.refit and len(splits) > 1:
            raise InvalidParameterError("When cv has several folds, refit cannot be False.")
        return splits

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
        binary_only = (self.prevalence, self.pos_label, self.confidence)
        if len(self.classes_) > 2 and any(argument is not None for argument in binary_only):
            raise InvalidParameterError(
                "confidence, prevalence and pos_label are for one positive class, and y has "
                f"{len(self.classes_)} classes: leave them out."
            )

    def _read_costs(self) -> Array:
        """The matrix of costs; arguments that have no effect on the expected cost are rejected."""
        names = ("constraint", "prevalence", "pos_label", "confidence")
        unused = [name for name in names if getattr(self, name) is not None]
        unused += ["criterion"] * (self.criterion not in (CRITERION, COST))
        unused += ["response_method"] * (self.response_method == RESPONSES[1])
        if unused:
            raise InvalidParameterError(
                "With a matrix of costs the class of the least expected cost is predicted, and "
                f"{unused[0]}={getattr(self, unused[0])!r} has no effect: leave it out."
            )
        return read_costs(self.cost, self.classes_, "cost")

    def _cheapest(self, proba: Array) -> Array:
        """The class of the least expected cost for each row."""
        return self.classes_[(proba @ self._costs).argmin(axis=1)]

    def _expected_cost(self, fold: FoldRows) -> float:
        predicted, costs = self._cheapest(fold.columns), self._costs
        weighted = {"sample_weight": fold.weight, "labels": self.classes_}
        return float(expected_cost(fold.true, predicted, cost_matrix=costs, **weighted))

    @property
    def _respond(self) -> Callable[[Any, Any], Array]:
        """`response_columns` of an estimator and rows, for the classes of this object."""
        method = self.response_method if self._costs is None else "predict_proba"
        methods = RESPONSES if method == "auto" else (method,)
        return partial(
            response_columns, methods=methods, classes=self.classes_, positive=self._positive
        )

    def _choose(
        self, folds: list[FoldRows], objective: Objective, places: list[Array], groups: Any
    ) -> None:
        """Search over the folds for each class, and set the attributes."""
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
            is_free = results[-1].threshold == np.inf and not objective.constraints
            if is_free and all(is_reversed(tally.counts_from_none()) for tally in tallies):
                warn_user(f"The threshold of {label!s} is infinite: {REVERSED}.")
        is_binary = len(results) == 1

        def by_class(values: list[Any]) -> Any:
            """The only value, or an array with one for each class."""
            return values[0] if is_binary else np.array(values)

        self.best_score_ = float(np.mean([result.value for result in results]))
        self.best_threshold_ = by_class([result.threshold for result in results])
        by_fold = [result.by_fold for result in results]
        self.thresholds_by_fold_ = by_fold[0] if is_binary else np.column_stack(by_fold)
        known = [column[~np.isnan(column)] for column in by_fold]
        with np.errstate(invalid="ignore"):  # a threshold may be infinite
            self.threshold_mean_ = by_class([float(x.mean()) if x.size else np.nan for x in known])
            self.threshold_std_ = by_class([float(x.std()) if x.size else np.nan for x in known])
        if self.store_cv_results:
            columns = {
                "thresholds": [result.thresholds for result in results],
                "scores": [result.values for result in results],
            }
            self.cv_results_ = {
                name: arrays[0] if is_binary else arrays for name, arrays in columns.items()
            }

    def predict(self, X: ArrayLike) -> Array:
        """Predict classes by the chosen threshold or thresholds.

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
        scores = self._respond(self.estimator_, X)
        if self._costs is not None:
            return self._cheapest(scores)
        if self._positive is not None:
            is_positive = scores[:, 0] >= self.best_threshold_
            codes = np.where(is_positive, self._positive, 1 - self._positive)
            return self.classes_[codes]
        excess = scores - self.best_threshold_
        # If all thresholds are infinite, the plain scores decide.
        undecided = np.isneginf(excess).all(axis=1, keepdims=True)
        return self.classes_[np.where(undecided, scores, excess).argmax(axis=1)]

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
        """Which objects receive which metadata.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=to_fit)
        return router.add(splitter=self.cv, method_mapping=to_split)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


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
    respond: Callable[[Any, Any], Array],
) -> FoldRows:
    """Fit the estimator to the training rows of a split, and score its test rows."""
    train, test = split
    if train is not None:
        fit_rows(estimator, X, y, train, fit_params)
        X, y = take_rows(X, test), take_rows(y, test)
        weight = None if weight is None else take_rows(weight, test)
    return FoldRows(read_array("y", y), respond(estimator, X), weight)


def fit_rows(estimator: Any, X: Any, y: Any, rows: Any, params: dict[str, Any]) -> Any:
    """Fit the estimator to some rows, or to all of them (None)."""
    if rows is not None:
        params = take_params(params, len(y), rows)
        X, y = take_rows(X, rows), take_rows(y, rows)
    return estimator.fit(X, y, **params)


def response_columns(
    estimator: Any, X: Any, methods: tuple[str, ...], classes: Array, positive: int | None
) -> Array:
    """Scores of the positive class (n, 1), or of all classes (n, K), matched by name."""
    rows = Rows.of_model(estimator, X, None)
    method = rows.method((methods, True), "ThresholdOptimizerCV")
    names = classes.tolist() if positive is None else [classes.tolist()[positive]]
    unseen = [name for name in names if name not in (rows.known or ())]
    if unseen and method != "predict_proba":
        raise InvalidParameterError(
            f"A fold has no training row of the classes {unseen}, and {method} no score for them: "
            "use stratified folds."
        )
    return rows.by_class(method, names)

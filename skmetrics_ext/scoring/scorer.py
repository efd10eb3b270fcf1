"""Scorer: a metric of a fitted estimator, safe in cross-validation."""

from __future__ import annotations

import copy
import functools
import inspect
import types
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.alignment import AlignedRows, positive_column
from skmetrics_ext.registry import Metric, find, parameters_of, spec_of
from skmetrics_ext.scoring.prepared import Ground, Prepared, ground_of, question_of
from skmetrics_ext.scoring.responses import Responses
from skmetrics_ext.scoring.worst_group import WorstOf
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.targets import label_values

CallT = TypeVar("CallT", bound=Callable[..., Any])


def read_as_scorer(call: CallT) -> CallT:
    """A ``__call__`` whose signature ends at ``sample_weight``.

    Metadata is passed by routing, which asks for it by ``get_metadata_routing``. Whoever reads the
    signature takes ``**metadata`` for one more argument, and for one without a default.
    """
    told = inspect.signature(call)
    shown = [own for own in told.parameters.values() if own.kind is not own.VAR_KEYWORD]
    call.__signature__ = told.replace(parameters=shown)  # type: ignore[attr-defined]
    return call


class TakesMetadata:
    """Requests of ``sample_weight``, by routing; copied with the scorer."""

    def _accept_sample_weight(self) -> bool:
        raise NotImplementedError

    def _columns(self) -> set[str]:
        """Columns of groups that are asked for without `set_score_request`."""
        return set()

    def get_metadata_routing(self) -> Any:
        """Metadata that the scorer takes.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        request = getattr(self, "_metadata_request", None)
        if request is None:
            request = MetadataRequest(owner=repr(self))
            if self._accept_sample_weight():
                request.score.add_request(param="sample_weight", alias=None)
            for column in self._columns():
                request.score.add_request(param=column, alias=True)
        return request

    _get_metadata_request = get_metadata_routing  # scikit-learn 1.6's name

    def set_score_request(self, **requests: Any) -> Self:
        """Say which metadata the scorer takes, when metadata routing is enabled.

        Parameters
        ----------
        **requests : bool, None or str
            Name of the argument to True, False, None or an alias.

        Returns
        -------
        object
            This scorer.
        """
        from sklearn import get_config
        from sklearn.utils.metadata_routing import MetadataRequest

        if not get_config().get("enable_metadata_routing"):
            raise RuntimeError(
                "This method is only available when metadata routing is enabled: call "
                "sklearn.set_config(enable_metadata_routing=True) first."
            )
        self._metadata_request = MetadataRequest(owner=repr(self))
        for param, alias in {**dict.fromkeys(self._columns(), True), **requests}.items():
            self._metadata_request.score.add_request(param=param, alias=alias)
        return self

    def __sklearn_clone__(self) -> Self:
        return copy.deepcopy(self)


Missing = Literal["align", "nan", "raise"]
MISSING = ("align", "nan", "raise")
# Metrics of labels first: to count them encodes the true labels for all.
_PLACES = ("labels", "probabilities", "scores")


class ScoredModel:
    """One estimator and the rows to score: predicted once and checked once for all metrics.

    Parameters
    ----------
    estimator : object
        Fitted.
    X, y_true : array-like
        The rows.
    """

    def __init__(self, estimator: Any, X: Any, y_true: Any) -> None:
        self.responses = Responses(estimator, X)
        self.y_true = y_true
        self._rows: dict[int, AlignedRows] = {}
        self._responses: dict[Any, tuple[str, Any]] = {}
        self._grounds: dict[Hashable, Ground] = {}

    def check_rows(self, sample_weight: Any) -> None:
        """Refuse true labels and weights that no metric can read, on whichever it shows."""
        (true,), _ = read_rows(sample_weight, False, y_true=self.y_true)
        label_values(true)
        n_rows, n_true = count_rows(self.responses.X), count_rows(self.y_true)
        if n_rows not in (None, n_true):
            raise InvalidParameterError(
                f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n_true}] "
                f"(X: {n_rows}, y_true: {n_true})."
            )

    def rows(self, sample_weight: Any) -> AlignedRows:
        """The true labels under these weights."""
        key = id(sample_weight)
        if key not in self._rows:
            self._rows[key] = AlignedRows(self.y_true, self.responses.classes, sample_weight)
        return self._rows[key]

    def response(self, scorer: Scorer) -> tuple[str, Any]:
        """The method of the estimator that a scorer reads, and what it gave."""
        found = self._responses.get(scorer._asks)
        if found is None:
            method = self.responses.method(*scorer._asks, scorer)
            found = self._responses[scorer._asks] = method, self.responses.get(method)
        return found

    def prepared(
        self, scorer: Scorer, sample_weight: Any = None, metadata: Mapping[str, Any] | None = None
    ) -> Prepared | None:
        """Data for a scorer, checked once for all that read alike; None for metrics of others."""
        metric, question = scorer._metric, scorer._question
        if metric is None:
            return None
        if metadata:
            metric = metric.with_params(**metadata)
            question = question_of(metric, scorer._missing)
        key = question, scorer._asks, id(sample_weight)
        ground = self._grounds.get(key)
        if ground is None:
            rows = self._rows.get(id(sample_weight)) or self.rows(sample_weight)
            response = self._responses.get(scorer._asks) or self.response(scorer)
            ground = ground_of(metric, rows, *response, scorer._missing)
            self._grounds[key] = ground
        if ground.only is not None:
            params = {"labels": ground.only, "average": "macro"}
            metric = metric.without("pos_label").with_params(**params)
        elif metric.spec.response == "labels":
            metric = metric.with_positive(ground.positive)
        else:
            metric = metric.bare
        return Prepared(metric, ground)


class Scorer(TakesMetadata):
    """Callable ``scorer(estimator, X, y_true, sample_weight=None)`` that gives one number.

    Made by `get_scorer` or `make_scorer`; picklable, and accepted wherever scikit-learn takes
    a ``scoring=`` callable.

    Parameters
    ----------
    score_func : callable
        ``score_func(y_true, y_pred, **kwargs)``.
    sign : {1, -1}
        -1 for a loss, so that a greater score is always better.
    kwargs : dict
        Parameters of ``score_func``.
    response_method : str or tuple of str
        Methods of the estimator to try, in this order.
    missing : {"align", "nan", "raise"}
        What happens where the classes of the estimator and of the rows differ.
    name : str or None
        Name in the registry.
    metric : Metric or None
        What ``score_func`` and ``kwargs`` are in the registry, where it was found before.
    worst : WorstOf or None
        The groups of which the worst decides: the score is then no metric of all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skmetrics_ext import get_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> get_scorer("accuracy")(model, X, y) > 0.95
    True
    """

    # Of several scorers scikit-learn reads this to decide on a cache, which these do not use, and
    # raises for all of them where the model lacks the method of one.
    _response_method = "fit"

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        made: Self = object.__new__(_scorer_class())
        return made

    def __reduce__(self) -> Any:
        return _restored, (self.__dict__,)

    # scikit-learn makes scorers of its own from `_score_func`, `_sign` and `_kwargs`
    # (TunedThresholdClassifierCV).
    def __init__(
        self,
        score_func: Callable[..., Any],
        sign: int = 1,
        kwargs: Mapping[str, Any] | None = None,
        response_method: str | tuple[str, ...] = "predict",
        *,
        missing: Missing = "align",
        name: str | None = None,
        metric: Metric | None = None,
        worst: WorstOf | None = None,
    ) -> None:
        check_option("missing", missing, MISSING)
        self._function = score_func
        if worst is None:
            self._score_func = (
                _WithoutLabels(score_func) if metric or spec_of(score_func) else score_func
            )
        self._sign = sign
        self._kwargs = dict(kwargs or {})
        self._methods = response_method
        self._missing = missing
        self._name = name
        self._worst = worst
        found = metric
        if metric is None and worst is None and spec_of(score_func) is not None:
            found = find(score_func, self._kwargs)
        self._metric: Metric | None = found
        # What the function would check of parameters that no row sets, only the function can.
        self._is_plain = found is not None and found.is_as_named
        self._question = None if found is None else question_of(found, missing)
        # The sign of decision values counts, for some, and not their order alone.
        by_sign = found is not None and "by_sign" in found.spec.traits
        self._asks: tuple[str | tuple[str, ...], bool] = (
            (response_method, by_sign) if worst is None else worst.scorer._asks
        )
        self._place = _PLACES.index(found.spec.response) if found is not None else len(_PLACES)

    @read_as_scorer
    def __call__(
        self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, **metadata: Any
    ) -> float:
        """Score the predictions of an estimator.

        Parameters
        ----------
        estimator : object
            Fitted; has one of the response methods.
        X : array-like
            What the estimator predicts from.
        y_true : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        **metadata : dict
            Further arguments of the metric, by metadata routing.

        Returns
        -------
        float
            Greater is better.
        """
        return self.evaluate(ScoredModel(estimator, X, y_true), sample_weight, **metadata)

    def evaluate(
        self, evaluation: ScoredModel, sample_weight: ArrayLike | None = None, **metadata: Any
    ) -> Any:
        """Score rows that other metrics have perhaps read before.

        Parameters
        ----------
        evaluation : Evaluation
            The estimator and the rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        **metadata : dict
            Further arguments of the metric.

        Returns
        -------
        float
            Greater is better.
        """
        if self._worst is not None:
            return self._worst.score(evaluation, sample_weight, metadata)
        responses = evaluation.responses
        prepared = evaluation.prepared(self, sample_weight, metadata)
        if prepared is not None:
            return self._sign * prepared.value()
        options = {**self._kwargs, **metadata}
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        (method, response), classes = evaluation.response(self), responses.classes
        if method != "predict" and classes is not None and not isinstance(classes, list):
            response = positive_column(response, np.asarray(classes), options.get("pos_label"))
        return self._sign * self._function(evaluation.y_true, response, **options)

    def _score(self, predict: Any, estimator: Any, X: Any, y_true: Any, **metadata: Any) -> float:
        """Score as one of several scorers of scikit-learn, without the columns that these share.

        ``predict`` caches the column of one class of two, whichever class another scorer reads.
        """
        return self(estimator, X, y_true, **metadata)

    def _accept_sample_weight(self) -> bool:
        return "sample_weight" in parameters_of(self._function)

    def __getattr__(self, name: str) -> Any:
        """``_score_func`` is refused to `TunedThresholdClassifierCV`, which knows no groups."""
        why = ": the score of the worst group is no function of labels alone"
        told = why if name == "_score_func" else ""
        text = f"{type(self).__name__!r} object has no attribute {name!r}{told}"
        raise AttributeError(text, name=name, obj=self)

    @property
    def __name__(self) -> str:
        """Name shown by tools: as registered, else that of the function."""
        return self._name or str(getattr(self._function, "__name__", repr(self._function)))

    def _columns(self) -> set[str]:
        return set() if self._worst is None else {self._worst.column}

    def __repr__(self) -> str:
        if self._worst is not None:
            return repr(self._worst)
        options = "".join(f", {key}={value!r}" for key, value in self._kwargs.items())
        if self._name is not None:
            return f"get_scorer({self._name!r}{options})"
        return f"make_scorer({self.__name__}, greater_is_better={self._sign > 0}{options})"


class _WithoutLabels:
    """A metric whose signature has no ``labels``.

    `LogisticRegressionCV` builds a scorer of its own from a function that has them, with
    ``labels`` and ``pos_label`` of its choice; any other it calls as it is.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function, told = function, inspect.signature(function)
        shown = [own for own in told.parameters.values() if own.name != "labels"]
        self.__signature__ = told.replace(parameters=shown)

    def __call__(self, *args: Any, **params: Any) -> Any:
        return self.function(*args, **params)

    def __reduce__(self) -> Any:
        return _WithoutLabels, (self.function,)


@cache
def _scorer_class() -> Any:
    """`Scorer` as a subclass of scikit-learn's own scorers, which its callbacks ask for.

    Made with the first scorer, so that importing this package does not import scikit-learn.
    """
    from sklearn import metrics

    base = getattr(metrics, "BaseScorer", None)  # once it is public
    if base is None:
        base = type(metrics.make_scorer(max)).__mro__[1]
    facts = {name: getattr(Scorer, name) for name in ("__module__", "__qualname__", "__doc__")}
    return types.new_class("Scorer", (Scorer, base), exec_body=lambda body: body.update(facts))


def _restored(state: dict[str, Any]) -> Scorer:
    """A scorer from its attributes, which it is pickled and copied by."""
    scorer = Scorer.__new__(Scorer)
    scorer.__dict__.update(state)
    return scorer


def check_classes(scorer: Any, classes: list[Any]) -> None:
    """Refuse a metric of two classes for more of them, before anything is fitted."""
    metric = metric_of(scorer)
    if metric is None or len(classes) < 3:
        return
    options = metric.options
    if options.get("average") != "binary" and options.get("multi_class") != "raise":
        return
    codes = np.arange(len(classes))
    response = codes if metric.spec.response == "labels" else np.eye(len(classes))
    try:
        metric.without("labels", "pos_label").function(codes, response, **metric.params)
    except ValueError as error:
        own = {metric.name, f"neg_{metric.name}"}
        other = [s for s in metric.spec.scorers if s not in own and not s.endswith("_samples")]
        raise InvalidParameterError(
            f"{metric.name} has no value for the {len(classes)} classes {classes[:10]}: {error} "
            f"Scorers for several classes: {', '.join(other)}."
        ) from error


def metric_of(scorer: Any) -> Metric | None:
    """The registered metric of a scorer; None for any other scorer."""
    return scorer._metric if isinstance(scorer, Scorer) else None

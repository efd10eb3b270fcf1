"""Scorer: a metric of a fitted estimator, safe in cross-validation."""

from __future__ import annotations

import copy
import functools
import inspect
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.questions.question import MISSING, AskedMetric, Question
from skmetrics_ext.questions.rows import Reads, Rows, positive_column
from skmetrics_ext.registry import Metric, find, parameters_of, spec_of
from skmetrics_ext.validation import InvalidParameterError, check_option

CallT = TypeVar("CallT", bound=Callable[..., Any])


def read_as_scorer(call: CallT) -> CallT:
    """Decorate a ``__call__`` so that its signature ends at ``sample_weight``.

    Metadata arrives through ``get_metadata_routing``; tools that inspect the signature would take
    ``**metadata`` for a required argument.
    """
    signature = inspect.signature(call)
    parameters = signature.parameters.values()
    kept = [item for item in parameters if item.kind is not item.VAR_KEYWORD]
    call.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return call


class TakesMetadata:
    """Metadata requests of a scorer, which are copied with it."""

    def _accept_sample_weight(self) -> bool:
        raise NotImplementedError

    def _columns(self) -> set[str]:
        """Metadata columns that are requested without a call of `set_score_request`."""
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
        """Set which metadata the scorer takes, if metadata routing is enabled.

        Parameters
        ----------
        **requests : bool, None or str
            True, False, None or an alias for each argument.

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
# Metrics of labels are computed first: to count them encodes the true labels for all others.
_ORDER = ("labels", "probabilities", "scores")


class Scorer(TakesMetadata):
    """Callable ``scorer(estimator, X, y_true, sample_weight=None)`` that returns one number.

    Made by `get_scorer` or `make_scorer`. It can be pickled, and passed wherever scikit-learn takes
    a ``scoring=`` callable.

    Parameters
    ----------
    score_func : callable
        ``score_func(y_true, y_pred, **kwargs)``.
    sign : {1, -1}
        -1 for a loss, so that greater is always better.
    kwargs : dict
        Parameters of ``score_func``.
    response_method : str or tuple of str
        Methods of the estimator to try, in this order.
    missing : {"align", "nan", "raise"}
        What to do if the classes of the estimator and of the rows differ.
    name : str or None
        Name in the registry.
    metric : Metric or None
        The registered metric of ``score_func`` and ``kwargs``, if it was looked up already.

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

    # scikit-learn reads this attribute of several scorers to decide whether to cache predictions,
    # and raises for all scorers if the model lacks the method of one. These need no such cache.
    _response_method = "fit"

    def __new__(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return object.__new__(_scorer_class(cls))

    def __reduce__(self) -> Any:
        return _restored, (type(self).__mro__[1], self.__dict__)

    # TunedThresholdClassifierCV builds a scorer from `_score_func`, `_sign` and `_kwargs`.
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
    ) -> None:
        check_option("missing", missing, MISSING)
        self._function = score_func
        is_ours = metric is not None or spec_of(score_func) is not None
        self._score_func = _WithoutLabels(score_func) if is_ours else score_func
        self._sign = sign
        self._kwargs = dict(kwargs or {})
        self._methods = response_method
        self._missing, self._question = missing, Question(missing)
        self._name = name
        if metric is None and is_ours:
            metric = find(score_func, self._kwargs)
        self._metric: Metric | None = metric
        # Only the function checks parameters that a name of the registry does not set.
        self._is_plain = metric is not None and metric.has_named_params
        # Metrics that read the sign of decision values keep the order of the response methods.
        reads_sign = metric is not None and "by_sign" in metric.spec.traits
        self._reads: Reads = response_method, reads_sign
        self._order = len(_ORDER) if metric is None else _ORDER.index(metric.spec.response)

    @property
    def _arguments(self) -> dict[str, Any]:
        """Arguments that make this scorer again, without those that are looked up."""
        return {
            "sign": self._sign,
            "kwargs": self._kwargs,
            "response_method": self._methods,
            "missing": self._missing,
            "name": self._name,
        }

    def _replace(self, **arguments: Any) -> Scorer:
        """A scorer with some arguments changed."""
        return Scorer(self._function, **{**self._arguments, **arguments})

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
            Features of the rows.
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
        return self.evaluate(Rows.of_model(estimator, X, y_true), sample_weight, **metadata)

    def evaluate(self, rows: Rows, sample_weight: ArrayLike | None = None, **metadata: Any) -> Any:
        """Score rows whose responses other metrics may have read already.

        Parameters
        ----------
        rows : Rows
            True labels and the responses of an estimator.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        **metadata : dict
            Further arguments of the metric.

        Returns
        -------
        float
            Greater is better.
        """
        asked = self.ask(rows, sample_weight, metadata)
        if asked is not None:
            value = asked.plain_value() if self._is_plain and not metadata else None
            return self._sign * (asked.value() if value is None else value)
        options = {**self._kwargs, **metadata}
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        response, classes = self.response(rows), rows.classes
        reads_labels = rows.method(self._reads, self) == "predict"
        if not (reads_labels or classes is None or isinstance(classes, list)):
            response = positive_column(response, np.asarray(classes), options.get("pos_label"))
        return self._sign * self._function(rows.y_true, response, **options)

    def response(self, rows: Rows) -> Any:
        """The response that the scorer reads."""
        return rows.response(rows.method(self._reads, self))

    def ask(
        self, rows: Rows, sample_weight: Any = None, metadata: Mapping[str, Any] | None = None
    ) -> AskedMetric | None:
        """The scorer's metric, asked of rows; None if the metric is not registered."""
        metric = self._metric
        if metric is None:
            return None
        if sample_weight is not rows.sample_weight:
            rows = rows.weighted(sample_weight)
        if metadata:
            return self._question.of(metric.with_params(**metadata), rows, self._reads, self)
        asked = rows.views.get(self)
        if asked is None:
            asked = rows.views[self] = self._question.of(metric, rows, self._reads, self)
        return asked

    def _score(self, predict: Any, estimator: Any, X: Any, y_true: Any, **metadata: Any) -> float:
        """Score as one of several scorers of scikit-learn, without their shared cache ``predict``.

        That cache holds the column of one class, even if two scorers have different positive
        classes.
        """
        return self(estimator, X, y_true, **metadata)

    def _accept_sample_weight(self) -> bool:
        return "sample_weight" in parameters_of(self._function)

    @property
    def __name__(self) -> str:
        """The registered name, else the name of the function."""
        return self._name or str(getattr(self._function, "__name__", repr(self._function)))

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self._kwargs.items())
        if self._name is not None:
            return f"get_scorer({self._name!r}{options})"
        return f"make_scorer({self.__name__}, greater_is_better={self._sign > 0}{options})"


class _WithoutLabels:
    """A metric whose signature hides ``labels``.

    `LogisticRegressionCV` sets ``labels`` and ``pos_label`` itself if the function has ``labels``.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function, signature = function, inspect.signature(function)
        kept = [item for item in signature.parameters.values() if item.name != "labels"]
        self.__signature__ = signature.replace(parameters=kept)

    def __call__(self, *args: Any, **params: Any) -> Any:
        return self.function(*args, **params)

    def __reduce__(self) -> Any:
        return _WithoutLabels, (self.function,)


@cache
def _scorer_class(scorer_class: Any) -> Any:
    """`Scorer`, or a subclass, as a scorer of scikit-learn, which its callbacks check for.

    Created with the first scorer, so that importing this package does not import scikit-learn.
    """
    from sklearn import metrics

    base = getattr(metrics, "BaseScorer", None)  # once it is public
    if base is None:
        base = type(metrics.make_scorer(max)).__mro__[1]
    name, bases = scorer_class.__qualname__, (scorer_class, base)
    facts = {key: getattr(scorer_class, key) for key in ("__module__", "__qualname__", "__doc__")}
    return types.new_class(name, bases, exec_body=lambda body: body.update(facts))


def _restored(scorer_class: type[Scorer], state: dict[str, Any]) -> Scorer:
    """Rebuild a pickled or copied scorer from its attributes."""
    scorer = scorer_class.__new__(scorer_class)
    scorer.__dict__.update(state)
    return scorer


def check_classes(scorer: Any, classes: list[Any]) -> None:
    """Raise for a binary metric and several classes, before anything is fitted."""
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
        multiclass = [
            name
            for name in metric.spec.scorers
            if name not in (metric.name, f"neg_{metric.name}") and not name.endswith("_samples")
        ]
        raise InvalidParameterError(
            f"{metric.name} has no value for the {len(classes)} classes {classes[:10]}: {error} "
            f"Scorers for several classes: {', '.join(multiclass)}."
        ) from error


def metric_of(scorer: Any) -> Metric | None:
    """The registered metric of a scorer, or None."""
    return scorer._metric if isinstance(scorer, Scorer) else None

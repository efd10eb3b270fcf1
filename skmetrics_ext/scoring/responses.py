"""Responses of an estimator, each of whose methods is called once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.validation.column_names import check_pairs, check_response
from skmetrics_ext.validation.containers import read_array
from skmetrics_ext.validation.tensors import to_host


def estimator_name(estimator: Any) -> str:
    """Name of the class; for a pipeline, of its last step."""
    steps = getattr(estimator, "steps", None)
    return estimator_name(steps[-1][1]) if steps else type(estimator).__name__


class Stored:
    """Stand-in for an estimator whose responses were computed before.

    Parameters
    ----------
    classes : array-like or None
        The class of each column.
    responses : mapping of str to ndarray
        Response by the name of the estimator's method; it is returned for any features.
    """

    def __init__(self, classes: Any, responses: Mapping[str, Any]) -> None:
        if classes is not None:
            self.classes_ = classes
        for method, response in responses.items():
            setattr(self, method, partial(_stored, response))


def _stored(response: Any, X: Any) -> Any:
    return response


class Responses:
    """Predictions of a fitted estimator for ``X``, kept for the next metric.

    Parameters
    ----------
    estimator : object
        Fitted.
    X : array-like
        Features of the rows.
    """

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator, self.X = estimator, X
        classes = getattr(estimator, "classes_", None)
        self.classes = classes if type(classes) is np.ndarray else to_host(classes, "classes_")
        self._responses: dict[str, Any] = {}
        self._failed: dict[str, Exception] = {}

    def method(self, methods: str | tuple[str, ...], keep_order: bool, scorer: Any) -> str:
        """The first of the methods that the estimator has.

        For several classes ``predict_proba`` goes first unless ``keep_order``: one-vs-one decision
        values have a column per pair, and with three classes there are three pairs.
        """
        methods = (methods,) if isinstance(methods, str) else methods
        has_one_target = self.classes is not None and not isinstance(self.classes, list)
        if has_one_target and len(self.classes) > 2 and not keep_order:
            methods = tuple(sorted(methods, key="predict_proba".__ne__))
        for method in methods:
            if hasattr(self.estimator, method):
                return method
        raise AttributeError(
            f"{type(self.estimator).__name__} has none of the following attributes: "
            f"{', '.join(methods)}. {scorer!r} needs one."
        )

    def get(self, method: str) -> Any:
        """Response of a method; one column per output for a multilabel estimator."""
        if method not in self._responses:
            if method in self._failed:
                raise self._failed[method]
            try:
                response = getattr(self.estimator, method)(self.X)
            except Exception as error:  # raised again for every other metric
                self._failed[method] = error
                raise
            if method != "predict":
                check_response(response, self.classes, method)
            if isinstance(response, list) and method != "predict":
                response = self._by_output(response)
            self._responses[method] = response
        return self._responses[method]

    def columns(self, method: str) -> Any:
        """Response of a method, unless its columns are the pairs of three classes."""
        response = self.get(method)
        if method == "decision_function":
            values = read_array(method, response)
            try:
                check_pairs(self.estimator, self.classes, values, partial(self.get, "predict"))
            except ValueError:
                del self._responses[method]  # nor may anyone read what is stored
                raise
        return response

    def all(self) -> dict[str, Any]:
        """Every response so far, by method."""
        return dict(self._responses)

    def _by_output(self, response: list[Any]) -> Any:
        """Probability of 1 for each output; an output with one class in training has one column."""
        if not response or np.ndim(response[0]) != 2:
            return response
        classes = self.classes
        columns = []
        for k, output in enumerate(response):
            labels = list(classes[k]) if isinstance(classes, list) else [0, 1]
            if len(labels) != np.shape(output)[1] or 1 in labels:
                position = labels.index(1) if 1 in labels else -1
                columns.append(read_array("y_score", output)[:, position])
            else:
                columns.append(np.zeros(len(output)))
        return np.column_stack(columns)

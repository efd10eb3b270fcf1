"""What one estimator says of some rows: each of its methods is called once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.validation.column_names import check_response
from skmetrics_ext.validation.containers import read_array
from skmetrics_ext.validation.tensors import to_host


def estimator_name(estimator: Any) -> str:
    """Name of the class; of a pipeline, that of its last step, which says more."""
    steps = getattr(estimator, "steps", None)
    return estimator_name(steps[-1][1]) if steps else type(estimator).__name__


class Stored:
    """Responses that were kept, in the place of the estimator that gave them.

    Parameters
    ----------
    classes : array-like or None
        The class of each column.
    responses : mapping of str to ndarray
        By the method of the estimator, which gives them whatever it is asked about.
    """

    def __init__(self, classes: Any, responses: Mapping[str, Any]) -> None:
        if classes is not None:
            self.classes_ = classes
        for method, response in responses.items():
            setattr(self, method, partial(_said, response))


def _said(response: Any, X: Any) -> Any:
    return response


class Responses:
    """Predictions of a fitted estimator for ``X``, kept for the next metric.

    Parameters
    ----------
    estimator : object
        Fitted.
    X : array-like
        What it predicts from.
    """

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator, self.X = estimator, X
        classes = getattr(estimator, "classes_", None)
        self.classes = classes if type(classes) is np.ndarray else to_host(classes, "classes_")
        self._found: dict[str, Any] = {}
        self._failed: dict[str, Exception] = {}

    def method(self, methods: str | tuple[str, ...], prefer_order: bool, what: Any) -> str:
        """The first of the methods that the estimator has.

        Of several classes ``predict_proba`` goes first unless ``prefer_order``: one-vs-one
        decision values have a column per pair, which are as many as the classes for three.
        """
        methods = (methods,) if isinstance(methods, str) else methods
        classes = self.classes
        if (
            len(methods) > 1
            and not prefer_order
            and classes is not None
            and not isinstance(classes, list)
            and len(classes) > 2
        ):
            methods = tuple(sorted(methods, key="predict_proba".__ne__))
        for method in methods:
            if hasattr(self.estimator, method):
                return method
        raise AttributeError(
            f"{type(self.estimator).__name__} has none of the following attributes: "
            f"{', '.join(methods)}. {what!r} needs one."
        )

    def get(self, method: str) -> Any:
        """Response of a method; of a multilabel estimator one column per output."""
        if method not in self._found:
            if method in self._failed:
                raise self._failed[method]
            try:
                response = getattr(self.estimator, method)(self.X)
            except Exception as error:  # asked for again by other metrics
                self._failed[method] = error
                raise
            if method != "predict":
                check_response(response, self.classes, method)
            if isinstance(response, list) and method != "predict":
                response = self._by_output(response)
            self._found[method] = response
        return self._found[method]

    def all(self) -> dict[str, Any]:
        """Every response so far, by method."""
        return dict(self._found)

    def _by_output(self, response: list[Any]) -> Any:
        """Score of 1 for each output: an output that was always 0 in training has but one class."""
        if not response or np.ndim(response[0]) != 2:
            return response
        classes = self.classes
        columns = []
        for k, output in enumerate(response):
            known = list(classes[k]) if isinstance(classes, list) else [0, 1]
            if len(known) != np.shape(output)[1] or 1 in known:
                place = known.index(1) if 1 in known else -1
                columns.append(read_array("y_score", output)[:, place])
            else:
                columns.append(np.zeros(len(output)))
        return np.column_stack(columns)

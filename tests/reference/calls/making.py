"""Makers of calls: from the name of a public function to a function of (inputs, params)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from support.public import CALLED

Inputs = Mapping[str, Any]
Params = Mapping[str, Any]
Call = Callable[[Inputs, Params], Any]
Later = tuple[str, Call]


def keywords(inputs: Inputs, params: Params) -> dict[str, Any]:
    """The case's parameters and weights as keyword arguments, "none" as None."""
    found = {name: None if value == "none" else value for name, value in params.items()}
    if "sample_weight" in inputs:
        found["sample_weight"] = inputs["sample_weight"]
    return found


def on_labels(function: str, **fixed: Any) -> Call:
    """Call ``function(y_true, y_pred, ...)``; the case's parameters go before `fixed`."""

    def call(inputs: Inputs, params: Params) -> Any:
        metric = CALLED[function]
        settings = {**fixed, **keywords(inputs, params)}
        return metric(inputs["y_true"], inputs["y_pred"], **settings)

    return call


def on_scores(function: str, **fixed: Any) -> Call:
    """Call ``function(y_true, y_score or y_proba, ...)``."""

    def call(inputs: Inputs, params: Params) -> Any:
        metric = CALLED[function]
        scores = inputs["y_proba"] if "y_proba" in inputs else inputs["y_score"]
        return metric(inputs["y_true"], scores, **{**fixed, **keywords(inputs, params)})

    return call


def later(function: str, **fixed: Any) -> Later:
    """A call on labels that waits for its function."""
    return function, on_labels(function, **fixed)


def waits_for(function: str) -> Callable[[Call], Later]:
    """Decorate a call written by hand that waits for `function`."""
    return lambda call: (function, call)


def one_vs_rest(call: Call) -> Call:
    """The list of a binary metric over the classes, each against the rest."""

    def listed(inputs: Inputs, params: Params) -> list[Any]:
        true, pred = np.asarray(inputs["y_true"]), np.asarray(inputs["y_pred"])
        return [
            call({"y_true": (true == k).astype(int), "y_pred": (pred == k).astype(int)}, params)
            for k in np.unique(true)
        ]

    return listed


def mean_of(call: Call) -> Call:
    """The plain mean of a per-class answer."""
    return lambda inputs, params: float(np.mean(call(inputs, params)))

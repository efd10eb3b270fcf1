"""The public function of a rate, made from its facts."""

from __future__ import annotations

import sys
from typing import Any, Protocol, cast

from skmetrics_ext.metrics.averaging import Rate, rate_score
from skmetrics_ext.metrics.documentation import fill


class RateFunction(Protocol):
    """Signature that all rates share, and the facts of each."""

    rate: Rate

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        pos_label: Any = 1,
        average: str | None = "binary",
        sample_weight: Any = None,
        zero_division: Any = "warn",
    ) -> Any: ...


def public_rate(rate: Rate) -> RateFunction:
    """The public function of a rate, with its documentation."""

    def function(
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        pos_label: Any = 1,
        average: str | None = "binary",
        sample_weight: Any = None,
        zero_division: Any = "warn",
    ) -> Any:
        return rate_score(
            rate,
            y_true,
            y_pred,
            labels=labels,
            pos_label=pos_label,
            average=average,
            sample_weight=sample_weight,
            zero_division=zero_division,
        )

    function.__name__ = function.__qualname__ = rate.name
    # Where the name is bound, so that scorers can be pickled.
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    function.rate = rate  # type: ignore[attr-defined]
    low, high = (f"{bound:g}" for bound in rate.bounds)
    better = {True: "; higher is better", False: "; lower is better", None: ""}
    function.__doc__ = fill(f"""{rate.title}: {rate.summary}

.. math:: {rate.formula}

Parameters
----------
{{y_true_y_pred_multilabel}}
{{labels}}
{{pos_label}}
{{average}}
{{sample_weight}}
zero_division : {{"warn", 0.0, 1.0, nan}}, default="warn"
    Value where {rate.undefined}. "warn" is 0 with a warning; nan leaves the class out of an
    average.

Returns
-------
float or ndarray of shape (n_classes,)
    In [{low}, {high}]{better[rate.greater_is_better]}.

Raises
------
{{raises}}

References
----------
{rate.source}

Examples
--------
>>> from skmetrics_ext import {rate.name}
{rate.example}
""")
    return cast(RateFunction, function)

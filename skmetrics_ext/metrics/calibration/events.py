"""The event that a probability refers to: the positive class, the top label, or each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skmetrics_ext.validation import InvalidParameterError, Probabilities, check_option
from skmetrics_ext.validation.labels import with_weight

TARGETS = ("binary", "top_label", "classwise")


def binary_forecast(
    y_true: Any,
    y_proba: Any,
    labels: Any,
    pos_label: Any,
    sample_weight: Any,
    function: Callable[..., Any],
    side: str = "either",
    *,
    every: bool = False,
) -> Probabilities:
    """The forecast of the positive class of two, for rows with weight or (``every``) for all.

    With ``side`` "one" the positive class is needed even for two columns.
    """
    options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    forecast = Probabilities.check_binary(
        y_true, y_proba, **options, side=side, what=function.__name__
    )
    return forecast if every else with_weight(forecast)


def forecasts(
    y_true: Any,
    y_proba: Any,
    target: str,
    labels: Any,
    pos_label: Any,
    sample_weight: Any,
    function: Callable[..., Any],
    side: str = "either",
    accepted: tuple[str, ...] = TARGETS,
    *,
    every: bool = False,
) -> list[Probabilities]:
    """One forecast, or one per class, for rows with weight or (``every``) for all."""
    check_option("target", target, accepted)
    if target == "binary":
        try:
            options = labels, pos_label, sample_weight, function, side
            return [binary_forecast(y_true, y_proba, *options, every=every)]
        except InvalidParameterError as error:
            if "multiclass" not in str(error):
                raise
            others = " or ".join(f"target={name!r}" for name in accepted[1:])
            raise InvalidParameterError(f"{error} Or pass {others}.") from None
    checked = Probabilities.check_strict(
        y_true, y_proba, labels=labels, pos_label=pos_label, sample_weight=sample_weight
    )
    events = [checked.top_label()] if target == "top_label" else checked.each_class()
    return events if every else [with_weight(forecast) for forecast in events]

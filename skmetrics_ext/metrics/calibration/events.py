"""Which event a probability is of: the positive class, the top label, each class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import (
    BinaryProbabilities,
    InvalidParameterError,
    Probabilities,
    check_option,
)

TARGETS = ("binary", "top_label", "classwise")


@dataclass(frozen=True, eq=False, slots=True)
class Forecast:
    """Probabilities of an event, whether it happened, and the weight of each row.

    Parameters
    ----------
    proba : ndarray of float64 of shape (n,)
    event : ndarray of int64 of shape (n,)
        1 where it happened, else 0.
    weight : ndarray of shape (n,) or None
    eps : float
        Spacing of the dtype that the probabilities came in, for clipping in logarithms.
    """

    proba: Array
    event: Array
    weight: Array | None
    eps: float

    @property
    def weights(self) -> Array:
        """Weight of each row as float64, 1 where none were given."""
        if self.weight is None:
            return np.ones(len(self.proba))
        return self.weight.astype(np.float64, copy=False)

    @property
    def ranking(self) -> RankTally:
        """The tally with a place for each row, unsorted: for kernels that sum over places."""
        weight: Array | int = 1 if self.weight is None else self.weight
        return RankTally(self.proba, np.stack([weight * (1 - self.event), weight * self.event]))

    def without_zeros(self) -> Forecast:
        """The rows that have weight."""
        if self.weight is None or self.weight.all():
            return self
        kept = self.weight != 0
        return Forecast(self.proba[kept], self.event[kept], self.weight[kept], self.eps)


def binary_forecast(
    y_true: Any,
    y_proba: Any,
    labels: Any,
    pos_label: Any,
    sample_weight: Any,
    of_one: Callable[..., Any] | None = None,
) -> Forecast:
    """The positive class of two; a function of one class, ``of_one``, asks where none is said."""
    one = BinaryProbabilities.check(
        y_true,
        y_proba,
        labels=labels,
        pos_label=pos_label,
        sample_weight=sample_weight,
        side="either" if of_one is None else "one",
        what="" if of_one is None else of_one.__name__,
    )
    return Forecast(one.proba, one.true, one.weight, one.eps).without_zeros()


def forecasts(
    y_true: Any,
    y_proba: Any,
    target: str,
    labels: Any,
    pos_label: Any,
    sample_weight: Any,
    of_one: Callable[..., Any] | None = None,
    accepted: tuple[str, ...] = TARGETS,
) -> list[Forecast]:
    """One forecast, or one for each class."""
    check_option("target", target, accepted)
    if target == "binary":
        try:
            return [binary_forecast(y_true, y_proba, labels, pos_label, sample_weight, of_one)]
        except InvalidParameterError as error:
            if "multiclass" not in str(error):
                raise
            others = " or ".join(f"target={name!r}" for name in accepted[1:])
            raise InvalidParameterError(f"{error} Or pass {others}.") from None
    checked = Probabilities.check_strict(
        y_true, y_proba, labels=labels, pos_label=pos_label, sample_weight=sample_weight
    )
    if target == "top_label":
        found = [checked.top_label()]
    else:
        found = [
            (column, (checked.true == code).astype(np.int64))
            for code, column in enumerate(checked.proba.T)
        ]
    return [
        Forecast(np.ascontiguousarray(proba), event, checked.weight, checked.eps).without_zeros()
        for proba, event in found
    ]

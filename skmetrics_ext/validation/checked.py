"""Checked data in the place of raw arrays: many metrics, one validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.validation.errors import InvalidParameterError


def checked_before(
    kind: type[Any],
    y_true: Any,
    other: Any,
    labels: Any,
    sample_weight: Any,
    absolute: bool = False,
    *,
    otherwise: str | None = None,
) -> Any:
    """The checked object given in the place of both arguments; None for raw ones.

    ``otherwise`` names the method by which checked data of another kind stand for this one.
    """
    if type(y_true) is np.ndarray:  # the usual case, told apart at once
        return None
    if isinstance(y_true, kind):
        found = y_true
    elif otherwise is not None and hasattr(y_true, otherwise):
        found = getattr(y_true, otherwise)()
    else:
        return None
    if other is not y_true or labels is not None or sample_weight is not None:
        raise InvalidParameterError(
            "Checked data hold y_true, what was predicted, labels and sample_weight: pass them in "
            "the place of both arrays, and neither labels nor sample_weight."
        )
    if absolute and not found.absolute and found.weight is not None:
        raise InvalidParameterError(
            "These data were checked for ratios, and their weights may have been scaled; results "
            "in units of the weights (normalize=False) need the raw arrays."
        )
    found.cache["shared"] = True  # tallies are worth keeping
    return found


def same_positive(given: Any, pos_label: Any) -> Any:
    """Checked data of two classes; refuse another positive class than the last of these."""
    if pos_label is None or len(given.classes) != 2 or pos_label == given.classes[-1]:
        return given
    raise InvalidParameterError(
        f"These data were checked with {given.classes[-1]!r} as the positive class, got "
        f"pos_label={pos_label!r}."
    )

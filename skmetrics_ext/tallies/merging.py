"""Base class of tallies that merge, and overflow checks of their sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError, Labels
from skmetrics_ext.validation.rows import check_total, read_rows


class Merges:
    """A tally that can be merged with tallies of other rows."""

    __slots__ = ()

    @classmethod
    def combine(cls, parts: Iterable[Any]) -> Self:
        """The tally of the rows of all parts."""
        raise NotImplementedError

    def merge(self, *others: Self) -> Self:
        """The tally of the rows of this one and of others."""
        return self.combine([self, *others])


def labels_of_part(y_true: Any, y_pred: Any, sample_weight: Any) -> Labels:
    """Checked labels of a part of the rows, with unscaled weights."""
    if sample_weight is None:
        return Labels.check(y_true, y_pred)
    (true, pred), weight = read_rows(sample_weight, False, True, y_true=y_true, y_pred=y_pred)
    return replace(Labels.check(true, pred), weight=weight, cache={})


def check_sum(masses: Iterable[Array], n_axes: int) -> None:
    """Refuse integer weights whose sum over parts and last axes overflows int64."""
    axes, total = tuple(range(-n_axes, 0)), np.zeros(())
    for mass in masses:
        if mass.dtype.kind in "iu":
            total = total + mass.sum(axis=axes, dtype=np.float64)
    check_total(float(total.max()), "The merged weight")


def check_pool(mass: Array, axis: int, n_axes: int) -> None:
    """Refuse axes that are not leading ones, and sums that overflow int64."""
    n_leading = mass.ndim - n_axes
    if not -mass.ndim <= axis < n_leading or axis + mass.ndim * (axis < 0) >= n_leading:
        raise InvalidParameterError(
            f"axis must be one of the {n_leading} leading axes, got {axis!r}: the tally has shape "
            f"{mass.shape}."
        )
    check_sum([np.moveaxis(mass, axis, -1)], n_axes + 1)

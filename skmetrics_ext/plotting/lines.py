"""Lines of a picture, and the tables that they make."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError, Scores
from skmetrics_ext.validation.tensors import to_host

AVERAGES = ("micro", "macro")
MEAN = "mean"


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """One line of a picture.

    Parameters
    ----------
    curve : object
        The class, "micro", "macro", or the metric.
    columns : mapping of str to ndarray
        Its points.
    value : float
        What sums it up (an area, say); nan where nothing does.
    fold : int, "mean" or None
        The fold, or their mean; None without folds.
    interval : Estimate or None
        The value with its interval.
    """

    curve: Any
    columns: Mapping[str, Array]
    value: float = float("nan")
    fold: int | str | None = None
    interval: Estimate | None = None

    @property
    def is_average(self) -> bool:
        """Whether it is the average of the curves of classes."""
        return self.curve in AVERAGES


def positive(rows: Scores) -> Any:
    return rows.classes.tolist()[-1] if rows.kind == "binary" else None


def chosen(by_curve: Mapping[Any, Any], curves: Any) -> dict[Any, Any]:
    """What there is of the curves asked for, in this order; None is all."""
    if curves is None:
        return dict(by_curve)
    wanted = [curves] if isinstance(curves, str) or not isinstance(curves, Iterable) else curves
    for curve in wanted:
        if curve not in by_curve:
            raise InvalidParameterError(
                f"curves must name some of {list(by_curve)}, got {curve!r}."
            )
    return {curve: by_curve[curve] for curve in wanted}


def quietly(read: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What is read, without a warning of what is undefined: the picture tells it."""
    from sklearn.exceptions import UndefinedMetricWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return read(*args, **options)


def check_grid(grid: Any) -> Array:
    points = np.asarray(to_host(grid, "grid"), dtype=np.float64)
    if points.ndim != 1 or points.size < 2 or not (np.diff(points) > 0).all():
        raise InvalidParameterError(f"grid must hold numbers that rise strictly, got {grid!r:.80}.")
    return points


def objects(values: Sequence[Any]) -> Array:
    """An array of whatever the values are."""
    held = np.empty(len(values), dtype=object)
    held[:] = values
    return held

"""Estimates from a value and what each row contributes to it, without a metric of this package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.algebra import Leaf
from skmetrics_ext.inference.arithmetic import result_of
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.samples import Sample
from skmetrics_ext.inference.identity import read_identities
from skmetrics_ext.inference.linearized import Contributions, Linearized
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.methods import Method, known_interval
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import RANGES, Range
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.spec import UnknownSpec
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.parameters import as_number, check_level, check_number

_CENTRED = 1e-6  # of the largest influence: how far the mean may be from 0


@dataclass(frozen=True, eq=False)
class KnownSample(Sample):
    """A statistic of which only the value and the contributions of rows are known."""

    influence: Any = None
    groups: Any = None
    scale: str = "plain"
    bounds: Range = RANGES["plain"]

    kind = "known"
    data = None

    @cached_property
    def atoms(self) -> Atoms:
        n_rows = len(self.influence)
        design = RowDesign.of(None, read_design(self.groups, None, n_rows))
        return Atoms.each_row(n_rows, design, None)

    def statistic(self, counts: Array) -> Array:
        raise InvalidParameterError("An estimate from contributions alone is not resampled.")

    def methods(self, _: Linearized) -> dict[str, Method]:
        """The interval on the scale of the user."""
        return {"t" if self.scale == "plain" else self.scale: known_interval}

    def __call__(self) -> Linearized:
        """The linearized statistic."""
        parts = np.asarray(self.influence, dtype=np.float64) / len(self.influence)
        return Linearized(self.value, self, self.bounds, known=Contributions(parts, self.atoms))


@document
def estimate(
    value: float,
    influence: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    scale: str = "plain",
    bounds: tuple[float, float] | None = None,
    rows: ArrayLike | str | None = None,
    confidence_level: float = 0.95,
    name: str = "estimate",
) -> Estimate:
    r"""An estimate from a value and the influence of each row, for statistics of your own.

    .. math:: SE^2 = \frac{n}{n - 1} \sum_i (\phi_i / n)^2

    with the influence :math:`\phi_i` of row i; with groups, of sums over groups. It can be computed
    with like the results of `confidence_interval`.

    Parameters
    ----------
    value : float
        The statistic.
    influence : array-like of shape (n_samples,)
        The influence of each row, as `influence_values` returns it: not divided by the number of
        rows, with mean 0.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, if rows of a group may depend on each other.
    scale : str, default="plain"
        "plain", "log", "logit" or "atanh": the scale of the t interval.
    bounds : (float, float), default=None
        The range of the statistic; by default that of the scale: any number, above 0, in (0, 1),
        in (-1, 1).
    rows : str or array-like of shape (n_samples,), default=None
        The name of the rows, or an identity of each, by which they are recognised when estimates
        are subtracted or averaged.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.
    name : str, default="estimate"
        What it is called where results are printed.

    Returns
    -------
    Estimate

    Raises
    ------
    {raises}

    References
    ----------
    Hampel (1974), Journal of the American Statistical Association 69(346), 383-393.

    Examples
    --------
    >>> import numpy as np, skmetrics_ext as sx
    >>> hours = np.array([3.0, 5, 4, 8, 2, 6, 7, 5] * 8)
    >>> print(sx.estimate(hours.mean(), hours - hours.mean(), scale="log"))
    5 [4.55, 5.494] (95% confidence, log)
    """
    check_option("scale", scale, tuple(RANGES))
    low, high = RANGES[scale] if bounds is None else map(as_number, bounds)
    number = check_number("value", value, -np.inf)
    if not low < high or not low <= number <= high:
        raise InvalidParameterError(
            f"bounds must be two numbers that rise, with value between them, got {bounds!r} for "
            f"value={value!r} on the scale {scale!r}."
        )
    values = read_column(influence, "influence").values
    if values.ndim != 1 or values.dtype.kind not in "iuf" or len(values) < 2:
        raise InvalidParameterError(
            f"influence must be two or more numbers, one for each row, got {influence!r:.60}."
        )
    mean, size = float(values.mean()), float(np.abs(values).max())
    if not (isfinite(size) and abs(mean) <= _CENTRED * size):
        raise InvalidParameterError(
            f"influence must be finite and have mean 0, got mean {mean:.4g}: subtract it."
        )
    metric = Metric(name, estimate, UnknownSpec(estimate))
    read = KnownSample(metric, number, values, groups, scale, (low, high))
    identities = read_identities(rows, read())
    leaf = Leaf(number, metric, read, identities, bounds=(low, high))
    return result_of(leaf, Asked(check_level(confidence_level)))

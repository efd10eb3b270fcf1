"""How many rows any metric needs, from what the rows of a pilot add to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.compare import ModelsToCompare
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.draws.readers import (
    check_models,
    check_rows,
    find_metric,
    sample_of_checked,
)
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.methods import NONE, methods_of
from skmetrics_ext.inference.notes import FEW_THAT_DECIDE, NO_INTERVAL
from skmetrics_ext.inference.proportions import increasing_root, normal_quantile
from skmetrics_ext.inference.scales import SCALES, Range
from skmetrics_ext.inference.t_tests import variance_of_difference
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import Result
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.parameters import check_level, check_number

_MOST = 60.0  # log2 of more rows than anyone has
_FEW = 20.0  # degrees of freedom, below which a variance may well be wrong by a third
# Which is near to them where rows are many enough to plan for.
_SCALE_OF = dict.fromkeys(("wilson", "effective_n", "mover"), "logit")


@dataclass(frozen=True, repr=False, slots=True)
class RowsNeeded(Result):
    """How many rows to collect, by a pilot.

    Parameters
    ----------
    n : int
        Rows, in classes as they are in the pilot.
    n_groups : int or None
        Groups that hold them, of the size that they have in the pilot.
    value : float
        The metric in the pilot, or the difference between both models.
    standard_error : float
        That of as many rows.
    note : str, default=""
        What makes the number doubtful.

    Examples
    --------
    >>> from skmetrics_ext.results import RowsNeeded
    >>> print(RowsNeeded(385, None, 0.5, 0.0255))
    385 rows (0.5 in the pilot, standard error 0.0255)
    """

    n: int
    n_groups: int | None
    value: float
    standard_error: float
    note: str = ""

    def __int__(self) -> int:
        """The rows alone."""
        return self.n

    def __str__(self) -> str:
        groups = "" if self.n_groups is None else f" in {self.n_groups} groups"
        told = f"; {self.note}" if self.note else ""
        return (
            f"{self.n} rows{groups} ({self.value:.4g} in the pilot, standard error "
            f"{self.standard_error:.3g}{told})"
        )


@document
def sample_size(
    metric: str | Callable[..., Any],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    y_pred_b: ArrayLike | None = None,
    width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    **metric_params: Any,
) -> RowsNeeded:
    r"""Rows that an interval of some width needs, or a test of some power, from a pilot.

    .. math:: n = m \, s^2 \left(\frac{2 z_{1 - \alpha / 2}}{w}\right)^2, \qquad
        n = m \, s^2 \left(\frac{z_{1 - \alpha / 2} + z_{power}}{\delta}\right)^2

    with the standard error s of the m rows of the pilot.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names` (losses are not negated), or a metric of this package that
        has `influence_values`.
    y_true, y_pred : array-like
        Rows of a pilot, and what the metric takes of the model.
    y_pred_b : array-like, default=None
        What it takes of a second model on the same rows: ``width`` and ``difference`` are then
        those of the difference between both models, as in `compare`.
    width : float, default=None
        Width of the interval that is wanted. For metrics whose interval is on the logit or log
        scale, or Wilson's, it is the width on that scale, taken back; elsewhere the formula above.
    difference : float, default=None
        Difference that a two-sided test shall find: of the metric from a known number, such as a
        goal, or with ``y_pred_b`` between the two models. Two independent samples
        (`compare_samples`) need twice as many rows each as against a known number.
    power : float in (0, 1), default=0.8
        Chance that the test finds the ``difference``.
    confidence_level : float in (0, 1), default=0.95
        Of the interval; 1 less the level of the test.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row (site, age band), if a fixed number of rows, or groups, was sampled
        from each, as in `confidence_interval`, and will be, in the same shares.
    {sample_weight}
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    RowsNeeded
        ``n, n_groups, value, standard_error, note``. The number is as uncertain as the variance in
        the pilot: with 20 rows of the rarer class it is known to about a third.

    Raises
    ------
    {raises}
        Of a pilot without a variance: a value of 1, models that are alike.

    References
    ----------
    Hampel (1974), Journal of the American Statistical Association 69(346), 383-393; for areas,
    `roc_auc_sample_size` needs no pilot.

    Examples
    --------
    >>> from skmetrics_ext import sample_size
    >>> y_true, y_pred = [0, 0, 1, 1] * 15, [0, 1, 1, 1] * 5 + [0, 0, 0, 1] * 10
    >>> print(sample_size("accuracy", y_true, y_pred, difference=0.05))
    589 rows (0.75 in the pilot, standard error 0.0178)
    >>> sample_size("f1", y_true, y_pred, width=0.1).n
    422
    """
    if (width is None) == (difference is None):
        raise InvalidParameterError(
            f"one of width and difference has to be given, got {width!r} and {difference!r}."
        )
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    found, level = find_metric(metric, metric_params), check_level(confidence_level)
    z, more = normal_quantile(level), normal_quantile(2 * check_level(power, "power") - 1)
    pilot = Pilot.of(
        found, y_true, (y_pred, y_pred_b), (sample_weight, (groups, strata), weights_are)
    )
    if difference is not None:
        size = _positive("difference", difference, pilot.bounds)
        rows = pilot.rows * (pilot.error * max(z + more, 0.0) / size) ** 2
    else:
        assert width is not None
        rows = pilot.rows_of_width(_positive("width", width, pilot.bounds), z)
    n = max(ceil(rows * (1 - 1e-9)), 1)  # what rounding adds is no row
    groups_of = None if pilot.n_groups is None else ceil(n * pilot.n_groups / pilot.rows)
    error = pilot.error * (pilot.rows / n) ** 0.5
    return RowsNeeded(n, groups_of, pilot.value, error, pilot.note)


@dataclass(frozen=True, eq=False, slots=True)
class Pilot:
    """A value of some rows with its standard error, and the scale of its interval."""

    value: float
    error: float
    rows: float
    n_groups: int | None
    scale: str
    bounds: Range
    note: str

    @classmethod
    def of(
        cls,
        found: Metric,
        y_true: Any,
        preds: tuple[Any, Any],
        about: tuple[Any, tuple[Any, Any], str],
    ) -> Pilot:
        """Of one model, or of the difference between two."""
        weight, groups_strata, weights_are = about
        if found.row is None:
            raise InvalidParameterError(
                f"metric must be one of this package, whose derivative is known, got {found.name}."
            )
        is_pair = preds[1] is not None
        models: tuple[Any, ...]
        if is_pair:
            settled, models = check_models(found, y_true, *preds, weight)
        else:
            settled, checked = check_rows(found, y_true, preds[0], weight)
            models = (checked,)
        beside = {"y_true": y_true, "y_pred": preds[0], "sample_weight": weight}
        design = read_design(*groups_strata, models[0].true.shape[0], **beside)
        low, high = settled.spec.bounds
        if is_pair:
            asked = ModelsToCompare(settled, models, design, weights_are)
            if not asked.has_influence:
                raise _no_derivative(found)
            difference = asked.difference()
            variance, freedom = variance_of_difference(difference)
            return cls._of(difference, variance, freedom, "delta", (low - high, high - low))
        statistic = linearize(sample_of_checked(settled, models[0], design, weights_are))
        if not statistic.has_influence:
            raise _no_derivative(found)
        if np.ndim(statistic.value) != 0:
            raise InvalidParameterError(
                f"sample_size needs a metric that is one number, got {statistic.value!r:.60} from "
                f"{found.name}: choose an average."
            )
        method = next(iter(methods_of(statistic)))
        if method == NONE:
            told = NO_INTERVAL[statistic.origin.metric.spec.interval]
            raise InvalidParameterError(f"sample_size cannot plan {found.name}: {told}.")
        scale = _SCALE_OF.get(method, method)
        scale = scale if scale in SCALES else "delta"
        return cls._of(statistic, statistic.variance, statistic.freedom, scale, (low, high))

    @classmethod
    def _of(
        cls, statistic: Linearized, variance: Any, freedom: Any, scale: str, bounds: Range
    ) -> Pilot:
        value, variance, atoms = float(statistic.value), float(variance), statistic.atoms
        if not (isfinite(value) and isfinite(variance) and variance > 0):
            raise InvalidParameterError(
                f"the pilot has no variance to plan with (its value is {value:g}): it needs more "
                "rows, or rows of every class."
            )
        few = freedom < _FEW or statistic.effective < FEW_THAT_DECIDE
        note = "few rows decide the variance in the pilot: plan with more" if few else ""
        n_groups = None if atoms.group is None else atoms.n_groups
        rows = atoms.n_rows
        return cls(value, variance**0.5, rows, n_groups, scale, bounds, note)

    def rows_of_width(self, width: float, z: float) -> float:
        """Rows whose interval is so wide."""

        def excess(log_rows: Any) -> Any:
            error = self.error * np.sqrt(self.rows / 2.0 ** np.asarray(log_rows))
            value, quantile = np.asarray(self.value), np.asarray(z)
            low, high = SCALES[self.scale](value, error, quantile, self.bounds)
            return width - (high - low)

        if self.scale == "delta":
            return self.rows * (2 * z * self.error / width) ** 2
        found = increasing_root(excess, np.asarray(0.0), np.asarray(_MOST))
        return float(2.0**found)


def _no_derivative(found: Metric) -> InvalidParameterError:
    return InvalidParameterError(
        f"metric={found.name!r} of these data has no derivative by its rows, from which a number "
        "of rows would follow."
    )


def _positive(name: str, value: float, bounds: Range) -> float:
    """A distance that the metric can have."""
    size, most = check_number(name, value, 0), bounds[1] - bounds[0]
    if not 0 < size < most:
        raise InvalidParameterError(f"{name} has to be in (0, {most:g}), got {value!r}.")
    return size

"""Small groups that borrow strength from an additive model of their attributes.

Morris (1983), Journal of the American Statistical Association 78(381), 47-55; the variance between
groups is that of Paule & Mandel (1982), Journal of Research of the NBS 87(5), 377-385.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.methods import interval_of, share_counts
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.numeric import Array
from skmetrics_ext.operations.fairness import GroupTable
from skmetrics_ext.tables import columns
from skmetrics_ext.validation import InvalidParameterError

_LEAST_ROWS, _LEAST_FREEDOM = 3, 4  # of a group, and of all groups
_ENDS = 0.02, 0.98  # between which the variance of a share is evaluated
_UNLIKE = 2.0  # standard deviations from the model
_ON_AVERAGE = (
    "shrunk intervals cover on average over the groups, not each group: decide about a single "
    "group by its raw interval"
)
_COLUMNS = columns("raw", "fitted", "value", "interval", ("rows", "n_rows"), "weight", "unlike")


class ShrunkTable(Estimates):
    """Groups with their raw and shrunk values; `Estimates` with the standard deviation ``tau``.

    Parameters
    ----------
    *args, **options
        As of `Estimates`.

    Examples
    --------
    >>> from skmetrics_ext.results import ShrunkTable
    >>> ShrunkTable([dict(group="a", value=0.8)]).tau
    nan
    """

    tau: float = float("nan")


class SmallGroups(GroupTable):
    """Groups of a table that borrow strength from each other."""

    __slots__ = ()

    def shrunk(self, metric: str) -> ShrunkTable:
        """Each small group pulled toward an additive model of the columns of ``by``.

        Values of small groups vary by chance. The value here is a weighted mean of the raw one and
        that of a model without interactions (of one column, the common mean), with more weight on
        the model the less is known of the group. The intervals cover on average over the groups;
        of a group that is unlike the model, the raw interval is joined in. ``worst`` and
        requirements keep the raw values.

        Parameters
        ----------
        metric : str
            One of the metrics of the evaluation.

        Returns
        -------
        ShrunkTable
            A row per group, with ``raw``, ``raw_low``, ``raw_high``, ``fitted`` (by the model),
            ``weight`` (of the raw value), ``unlike`` and ``n_rows`` next to the shrunk ``value``;
            ``tau`` is the standard deviation of groups around the model.

        Raises
        ------
        ValueError
            If there are too few groups for the model.

        References
        ----------
        Morris (1983), Journal of the American Statistical Association 78(381), 47-55; Paule &
        Mandel (1982), Journal of Research of the National Bureau of Standards 87(5), 377-385.
        """
        return shrunk_groups(self._of_one_model(), metric, self.confidence_level)


class Shrunk(NamedTuple):
    """Values (G,) that were shrunk, with their standard errors and the model's values."""

    value: Array
    error: Array
    fitted: Array
    weight: Array
    unlike: Array
    tau2: float


def shrink(values: Array, variances: Array, design: Array) -> Shrunk:
    """Shrink values with known variances toward a linear model with this design matrix (G, r)."""
    from scipy.optimize import brentq

    n, rank = len(values), int(np.linalg.matrix_rank(design))
    freedom = n - rank

    def fit(tau2: float) -> tuple[Array, Array]:
        root = 1 / np.sqrt(variances + tau2)
        inverse = np.linalg.pinv(design * root[:, None])
        return design @ (inverse @ (values * root)), design @ inverse

    def excess(tau2: float) -> float:
        return float(((values - fit(tau2)[0]) ** 2 / (variances + tau2)).sum()) - freedom

    most = float(np.ptp(values) ** 2 + variances.max()) * n
    tau2 = 0.0 if excess(0.0) <= 0 else float(brentq(excess, 0.0, most, xtol=1e-14))
    (fitted, hat), total = fit(tau2), variances + tau2
    away, share = values - fitted, (freedom - 2) / freedom * variances / total
    of_fit = (hat**2).sum(axis=1)
    of_tau = 2 * share**2 / (freedom - 2) * (variances.mean() + tau2) / total * away**2
    squared = variances * (1 - share) + share**2 * of_fit + of_tau
    unlike = np.abs(away) > _UNLIKE * np.sqrt(total)
    return Shrunk(fitted + (1 - share) * away, np.sqrt(squared), fitted, 1 - share, unlike, tau2)


def shrunk_groups(groups: Any, metric: str, level: float) -> ShrunkTable:
    """The groups of an evaluation by one metric, each pulled toward the model of its attributes."""
    comparison, by, kept, left = groups.of(metric), groups.by, {}, []
    for cell in comparison.cells:
        statistic = comparison.statistic([cell])
        is_known = not isinstance(statistic, str) and statistic.has_influence
        if is_known and _rows_read(statistic) >= _LEAST_ROWS:
            kept[cell] = statistic
        else:
            left.append(by.label_of(cell))
    attributes = [by.values(cell) for cell in kept]
    design = _main_effects(attributes) if kept else np.ones((0, 1))
    freedom = len(kept) - int(np.linalg.matrix_rank(design)) if kept else 0
    if freedom < _LEAST_FREEDOM:
        raise InvalidParameterError(
            f"metric: {len(kept)} groups have {_LEAST_ROWS} or more rows for it, {freedom} more "
            f"than the model of {list(by.names)} has parameters, and {_LEAST_FREEDOM} more are "
            "needed: take fewer columns, or coarser bins."
        )
    statistics = list(kept.values())
    values = np.array([float(each.value) for each in statistics])
    n_rows = np.array([_rows_read(each) for each in statistics], dtype=np.float64)
    is_share = all(_is_share(each) for each in statistics)
    unit = np.array([float(each.variance) for each in statistics]) * n_rows
    unit = np.full(len(values), (n_rows * unit).sum() / n_rows.sum())
    if is_share:
        centre = np.full(len(values), (values * n_rows).sum() / n_rows.sum())
        for _ in range(20):  # the variance of a share depends on the model's value
            unit = np.clip(centre, *_ENDS) * (1 - np.clip(centre, *_ENDS))
            centre = shrink(values, unit / n_rows, design).fitted
    found = shrink(values, unit / n_rows, design)
    start, stop = statistics[0].bounds
    reach, rows = quantile(level) * found.error, []
    for k, (cell, statistic) in enumerate(kept.items()):
        raw: Any = interval_of(statistic, "auto", level, comparison.source.plan)
        low, high = np.clip(found.value[k] + reach[k] * np.array([-1, 1]), start, stop).tolist()
        if found.unlike[k]:
            low, high = min(low, raw.low), max(high, raw.high)
        row = {"metric": metric, "group": cell, "value": float(found.value[k])}
        row |= {"low": low, "high": high, "standard_error": float(found.error[k])}
        row |= {"method": "shrunk", "raw": raw.value, "raw_low": raw.low, "raw_high": raw.high}
        row |= {"fitted": float(found.fitted[k]), "weight": float(found.weight[k])}
        rows.append(row | {"unlike": bool(found.unlike[k]), "n_rows": comparison.n_rows[cell]})
    notes = [_ON_AVERAGE]
    apart = [by.label_of(row["group"]) for row in rows if row["unlike"]]
    if apart:
        notes.append(f"unlike the model, with the raw interval joined in: {'; '.join(apart)}")
    if left:
        notes.append(f"left out, for want of rows or of a value: {'; '.join(left)}")
    shown = {None: replace(groups, source=None)}
    table = ShrunkTable(rows, columns=_COLUMNS, confidence_level=level, notes=notes, groups=shown)
    table.tau = found.tau2**0.5
    return table


def _is_share(statistic: Any) -> bool:
    """Whether the value is a share of independent rows that weigh the same."""
    return statistic.origin.share == "wilson" and bool(statistic.design.is_counted)


def _rows_read(statistic: Any) -> float:
    """The rows that a share reads; for other metrics those of the rarest class, or groups."""
    return share_counts(statistic)[1] if _is_share(statistic) else statistic.origin.fewest_rows


def _main_effects(attributes: Sequence[Mapping[str, Any]]) -> Array:
    """The design matrix of an additive model; of one attribute, of the common mean."""
    parts = [np.ones((len(attributes), 1))]
    names: Iterable[str] = attributes[0] if len(attributes[0]) > 1 else ()
    for name in names:
        column = [each[name] for each in attributes]
        levels = list(dict.fromkeys(column))[1:]
        parts.append(np.array([[value == other for other in levels] for value in column], float))
    return np.hstack(parts)

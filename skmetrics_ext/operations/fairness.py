"""The largest gap between groups as one number, with an interval that allows for the choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from skmetrics_ext.inference.linearized import Linearized, correlation
from skmetrics_ext.inference.methods import share_counts
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.inference.simultaneous import largest_of, level_together, root_of
from skmetrics_ext.metrics.labels.rates import (
    detection_prevalence,
    false_positive_rate,
    recall_score,
)
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import find
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError


class GroupTable:
    """A table of metrics by group."""

    __slots__ = ()
    groups: Any
    confidence_level: float

    def _of_one_model(self: Any) -> Any:
        """The groups, if all rows are of one model."""
        models = list(dict.fromkeys(row.get("model") for row in self))
        if len(models) > 1:
            raise InvalidParameterError(
                f"groups are compared for one model, and the table has the models {models!s:.80}: "
                "make a table of each."
            )
        return self.groups


# --------------------------------------------------------------------------- gaps


_DRAWS = 20_000
_LARGEST = (
    "the largest gap is above 0 for equal groups too; with a lower bound of 0 they may be equal"
)


class FairGroups(GroupTable):
    """Gaps between the groups of a table, each as one number."""

    __slots__ = ()

    def equalized_odds(self) -> Estimate:
        """The largest gap of the true or the false positive rate between any two groups.

        Returns
        -------
        Estimate
            The interval is projected from simultaneous intervals of all gaps, so it holds for the
            largest one; ``note`` names the groups.

        Raises
        ------
        ValueError
            If there are no groups, or no predicted labels of two classes.

        References
        ----------
        Hardt, Price & Srebro (2016), Advances in Neural Information Processing Systems 29.

        Examples
        --------
        >>> from skmetrics_ext import compute_metrics
        >>> y, site = [0, 1] * 60, ["a"] * 60 + ["b"] * 60
        >>> pred = [0, 1] * 27 + [1, 0] * 3 + [0, 1] * 24 + [0, 0] * 6
        >>> table = compute_metrics(["recall"], y, pred, by={"site": site}, intervals=True)
        >>> value, low, high = table.equalized_odds()
        >>> round(value, 2), low, round(high, 2)
        (0.1, 0.0, 0.3)
        """
        rates = {"false positive rate": false_positive_rate, "true positive rate": recall_score}
        return largest_gap(self._of_one_model(), rates, "equalized odds", self.confidence_level)

    def equal_opportunity(self) -> Estimate:
        """The largest gap of the true positive rate between any two groups.

        Returns
        -------
        Estimate
            As of `equalized_odds`.
        """
        rates = {"true positive rate": recall_score}
        return largest_gap(self._of_one_model(), rates, "equal opportunity", self.confidence_level)

    def demographic_parity(self) -> Estimate:
        """The largest gap of the share of rows predicted positive between any two groups.

        Returns
        -------
        Estimate
            As of `equalized_odds`.
        """
        rates = {"selection rate": detection_prevalence}
        return largest_gap(self._of_one_model(), rates, "demographic parity", self.confidence_level)


def largest_gap(
    groups: Any, rates: Mapping[str, Callable[..., Any]], name: str, level: float
) -> Estimate:
    """The largest absolute difference of some rates between any two groups.

    The interval is projected from simultaneous intervals of all differences.
    """
    by, source = groups.by, groups.source
    asked = {}
    if source is not None and by.names:
        asked = {rate: source.asking(find(function)) for rate, function in rates.items()}
    if not asked or None in asked.values():
        raise InvalidParameterError(
            f"{name} compares predicted labels of groups, and the table has no groups or no metric "
            "of labels: pass by= and y_pred= (pred=) with a metric such as accuracy."
        )
    cells = [cell for cell in by.whole(groups.n_rows) if groups.n_rows[cell] >= groups.min_rows]
    known: list[tuple[str, Any, Linearized]] = []
    left: list[str] = []
    for rate, (metric, of_rate) in asked.items():
        for cell in cells:
            statistic = of_rate.statistic(metric, [cell])
            if isinstance(statistic, str) or statistic.undefined:
                left.append(f"{rate} of {by.label_of(cell)}")
            else:
                known.append((rate, cell, statistic))
    pairs = [(i, j) for i, j in combinations(range(len(known)), 2) if known[i][0] == known[j][0]]
    if not pairs:
        raise InvalidParameterError(
            f"{name} needs two groups with rows of the classes, and there are none but "
            f"{[by.label_of(cell) for _, cell, _ in known]}: merge groups with fewer rows."
        )
    statistics = [statistic for *_, statistic in known]
    covariance = _covariance(statistics)
    first, second = np.array(pairs).T
    values, root = np.array([float(each.value) for each in statistics]), root_of(covariance)
    size, errors = np.abs(values[first] - values[second]), root[first] - root[second]
    together = level_together(largest_of(errors, _DRAWS, 0), len(pairs), level)
    away = quantile(together) * np.sqrt((errors**2).sum(axis=1))
    low, high = float(np.max(size - away, initial=0.0)), float(min((size + away).max(), 1.0))
    k = int(size.argmax())
    (rate, a, _), (_, b, _) = known[first[k]], known[second[k]]
    note = f"{rate} of {by.label_of(a)} and {by.label_of(b)}; {_LARGEST}"
    note += f"; left out, undefined: {', '.join(left)}" if left else ""
    facts = Facts(name, n=float(sum(groups.n_rows[cell] for cell in cells)))
    method = "max_t, projection"
    return Estimate(float(size[k]), low, high, float("nan"), method, level, note, facts=facts)


def _covariance(statistics: list[Linearized]) -> Array:
    """Covariance of rates of groups, which are independent unless they share clusters.

    A share of 0 or 1 has the variance of one further row of either kind.
    """
    variance = np.array([float(statistic.variance) for statistic in statistics])
    for k in np.flatnonzero(~(variance > 0)):
        hits, n = share_counts(statistics[k])
        variance[k] = (hits + 1) * (n - hits + 1) / (n + 2) ** 3
    covariance = np.diag(variance)
    if statistics[0].design.group is not None:
        for i, j in combinations(range(len(statistics)), 2):
            shared = correlation(statistics[i], statistics[j])
            covariance[i, j] = covariance[j, i] = shared * np.sqrt(variance[i] * variance[j])
    return covariance

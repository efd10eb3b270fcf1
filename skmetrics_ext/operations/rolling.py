"""A metric over windows of consecutive groups, such as months, with a simultaneous band."""

from __future__ import annotations

from dataclasses import replace

from skmetrics_ext.inference.estimate_rows import row_from
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.operations.fairness import GroupTable
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.parameters import check_integer


class OrderedGroups(GroupTable):
    """Groups of a table in an order, such as months."""

    __slots__ = ()

    def rolling(self, metric: str, n_groups: int = 3) -> Estimates:
        """A metric over windows of consecutive groups, with a band that holds for all windows.

        The groups are those of one column in its order, such as the months of
        ``by="date", freq="M"``. A window is read from the rows of all its groups together.

        Parameters
        ----------
        metric : str
            One of the metrics of the evaluation.
        n_groups : int, default=3
            Number of groups in each window.

        Returns
        -------
        Estimates
            A row per window with ``group``, its last one, and ``first``. The bounds are
            simultaneous over the windows (Bonferroni): a constant that lies outside one of them is
            refuted.

        Raises
        ------
        ValueError
            If there is not one column of groups, or fewer groups than a window needs.

        Examples
        --------
        >>> from skmetrics_ext import compute_metrics
        >>> y, month = [0, 1, 1, 1] * 40, [1] * 40 + [2] * 40 + [3] * 40 + [4] * 40
        >>> pred = [0, 1, 1, 1] * 20 + [0, 1, 1, 0] * 20
        >>> table = compute_metrics(["recall"], y, pred, by={"month": month}, intervals=True)
        >>> print(table.rolling("recall", 2))
        month  metric   value     95 % interval  rows  method
        -----  ------  ------  ----------------  ----  ------
        2      recall  1.0000  [0.9128, 1.0000]    80  wilson
        3      recall  0.8333  [0.6905, 0.9181]    80  wilson
        4      recall  0.6667  [0.5122, 0.7921]    80  wilson
        <BLANKLINE>
        windows of 2 groups, 95 % simultaneous
        """
        comparison, size = self._of_one_model().of(metric), check_integer("n_groups", n_groups, 1)
        by, cells = comparison.by, list(comparison.cells)
        if len(by.names) != 1 or len(cells) < size:
            raise InvalidParameterError(
                f"rolling needs one column of groups and {size} groups or more, got "
                f"{list(by.names)} with {len(cells)} groups: pass by= with one column of times."
            )
        windows = [cells[k : k + size] for k in range(len(cells) - size + 1)]
        statistics = [comparison.statistic(window) for window in windows]
        n_known = sum(isinstance(statistic, Linearized) for statistic in statistics)
        each, rows = 1 - (1 - self.confidence_level) / max(n_known, 1), []
        for window in windows:
            identity = {"metric": metric, "group": window[-1], "first": window[0]}
            n_rows = sum(comparison.n_rows[cell] for cell in window)
            found = comparison.estimate_of(window, each)
            rows.append(row_from(found, **identity, n_rows=n_rows))
        notes = [f"windows of {size} groups, {100 * self.confidence_level:g} % simultaneous"]
        shown = {None: replace(self.groups, source=None)}
        return Estimates(rows, confidence_level=self.confidence_level, notes=notes, groups=shown)

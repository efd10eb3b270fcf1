"""Any metric of labels at every distinct score, from one sort of the scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, PosLabel
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.tallies import ConfusionTally, Counts, RankTally, ThresholdTally
from skmetrics_ext.tallies.confusion import Tabulated
from skmetrics_ext.validation import InvalidParameterError, Scores, distinct_labels

_CELLS_TRUE, _CELLS_PRED = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])


@document
def metric_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric_func: Callable[..., Any],
    *,
    sample_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
    pos_label: PosLabel = None,
) -> tuple[Array, Array]:
    """A metric of labels at every distinct score.

    At a threshold t, ``metric_func(y_true, y_pred)`` where ``y_pred`` is the positive label
    for scores of at least t, and the negative label for the others. Metrics of this package
    are read from the four counts at each threshold, so that the rows are sorted and counted
    once; any other function is called with the rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    metric_func : callable
        ``metric_func(y_true, y_pred, **metric_params)`` gives a number, or an array or tuple
        of the same shape each time.
    {sample_weight}
        Passed on to ``metric_func``.
    metric_params : dict, default=None
        Further arguments of ``metric_func``. Its ``pos_label``, if it has one, is that of the
        scores unless given here.
    pos_label : int, float, bool or str, default=None
        The class that high scores speak for: 1 in {0, 1} and {-1, 1}, the greater of any
        other two numbers. Needed for text.

    Returns
    -------
    values : ndarray of shape (n_thresholds, ...)
        The metric at each threshold.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores of rows whose weight is not 0, falling.

    Raises
    ------
    {raises}

    See Also
    --------
    confusion_matrix_at_thresholds : The four counts themselves.
    optimal_threshold : The threshold at which a metric is best.

    Examples
    --------
    >>> from skmetrics_ext import f1_score, metric_at_thresholds
    >>> values, thresholds = metric_at_thresholds([1, 1, 2, 2], [0.1, 0.4, 0.35, 0.8], f1_score)
    >>> values.round(3), thresholds
    (array([0.667, 0.5  , 0.8  , 0.667]), array([0.8 , 0.4 , 0.35, 0.1 ]))
    """
    if not callable(metric_func):
        raise InvalidParameterError(f"metric_func must be callable, got {metric_func!r:.60}.")
    metric = find(metric_func, metric_params)
    rows = LabelledRows.read(y_true, y_score, pos_label, sample_weight, not _is_ratio(metric))
    return rows.values(metric), rows.thresholds


def _is_ratio(metric: Metric) -> bool:
    """Whether the scale of the weights cannot matter, so that extreme ones may be scaled."""
    row = metric.row
    return (
        row is not None
        and not row.weights_are_counts
        and bool(np.isfinite(row.bounds).all())
        and bool(metric.params.get("normalize", True))
    )


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Rows of two labels, which are sorted and counted once for any number of metrics.

    Parameters
    ----------
    labels : ndarray of shape (2,)
        The negative label and the positive one.
    checked : Scores
        ``true`` are codes into the labels.
    thresholds : ndarray of shape (T,)
        The distinct scores, falling.
    counts : Counts of shape (T,)
        Of the positive label, at each of them.
    """

    labels: Array
    checked: Scores
    thresholds: Array
    counts: Counts

    @classmethod
    def of(cls, labels: Array, checked: Scores) -> Self:
        """Count checked rows."""
        tally = RankTally.from_scores(checked.score, checked.true, 2, checked.weight)
        return cls(labels, checked, tally.thresholds, tally.counts())

    @classmethod
    def read(
        cls, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, absolute: bool
    ) -> Self:
        """Check rows by scikit-learn's rule of which label is positive, and count them."""
        present = distinct_labels(y_true)
        found = [] if present is None else present.tolist()
        if pos_label is None and len(found) == 2 and present.dtype.kind in "biuf":  # type: ignore[union-attr]
            pos_label = found[1]
        checked = Scores.check_binary(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, absolute=absolute
        )
        positive = 1 if pos_label is None else pos_label
        others = [label for label in found if label != positive]
        if len(others) == len(found) > 1:
            raise InvalidParameterError(
                f"pos_label={pos_label!r} is not a valid label. It should be one of {found}"
            )
        if len(others) > 1:
            raise InvalidParameterError(
                f"multiclass format is not supported: predictions need one negative label, y_true "
                f"holds {found}."
            )
        if not others and positive != 1:
            raise InvalidParameterError(
                f"y_true holds the one class {found}, so there is no label for the scores below a "
                "threshold."
            )
        negative = others[0] if others else 0
        kind = None if present is None or present.dtype.kind in "UO" else present.dtype
        return cls.of(np.array([negative, positive], dtype=kind), checked)

    def values(self, metric: Metric) -> Array:
        """A metric of the labels that each threshold gives, with its own warnings."""
        is_usual = self.labels.tolist() in ([0, 1], [-1, 1])
        of_one = metric.takes("pos_label") and (metric.row is None or metric.sides != "none")
        if of_one and not is_usual and "pos_label" not in metric.params:
            metric = metric.with_params(pos_label=self.labels[1])
        ours = getattr(metric.function, "__module__", "").startswith("skmetrics_ext.")
        if not (ours and metric.takes("sample_weight")):
            return self._by_rows(partial(metric.function, **metric.params))
        if metric.row is None or metric.row.response != "labels" or metric.row.is_table:
            own = [self._by_cells(metric, place) for place in range(len(self.thresholds))]
            return np.asarray(own)
        self._by_cells(metric, 0)  # refuses what the function would refuse
        tally = self._table
        metric = metric.settled(tally.classes.tolist())
        told: list[Any] = []
        read = metric.read(tally, tell=lambda *what: told.append(what))
        values = np.array(read, dtype=np.float64)
        if told or np.isnan(values).any():
            first = np.argmax(self._is_conventional(metric, tally))
            if first:  # at the first threshold the function has warned
                self._by_cells(metric, int(first))
        return values

    def _by_rows(self, function: Callable[..., Any]) -> Array:
        """The function's own answers, called with all rows whose weight is not 0."""
        score, true, weight = self.checked.score, self.checked.true, self.checked.weight
        if weight is not None:
            kept = weight != 0
            score, true = score[kept], true[kept]
            function = partial(function, sample_weight=weight[kept])
        true = self.labels[true]
        marks = ((score >= threshold).astype(np.int64) for threshold in self.thresholds)
        return np.asarray([function(true, self.labels[mark]) for mark in marks])

    def _by_cells(self, metric: Metric, place: int) -> Any:
        """The function's own answer for four rows that weigh what the counts at a place say."""
        own = self.counts
        cells = np.array([part[place] for part in (own.tn, own.fp, own.fn, own.tp)])
        held = cells > 0
        true, pred = self.labels[_CELLS_TRUE[held]], _CELLS_PRED[held]
        if metric.row is None or metric.row.response == "labels":
            pred = self.labels[pred]
        return metric.function(true, pred, sample_weight=cells[held], **metric.params)

    @property
    def _table(self) -> Tabulated:
        """The table at each threshold, classes in the order in which functions find them."""
        tally, order = ThresholdTally(self.labels, self.counts), np.argsort(self.labels)
        if order[0] == 0:
            return tally
        return ConfusionTally(self.labels[order], tally.table[..., order[:, None], order])

    def _is_conventional(self, metric: Metric, tally: Tabulated) -> Array:
        """Whether each value is nan, or would be another by another convention for 0/0."""
        fill = "zero_division" if metric.takes("zero_division") else metric.spec.fill
        other = metric.with_params(**{fill: -1.0}) if fill else metric
        differs = metric.read(tally) != other.read(tally)  # nan differs from itself
        return np.asarray(differs.reshape(len(self.thresholds), -1).any(axis=-1))

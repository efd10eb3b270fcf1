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

    At a threshold t, the value is ``metric_func(y_true, y_pred)`` with the positive label predicted
    for scores of at least t and the negative label for all others. Metrics of this package are
    read from the four counts at each threshold, so the rows are sorted and counted once; any other
    function is called with the rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    metric_func : callable
        ``metric_func(y_true, y_pred, **metric_params)`` returns a number, or an array or tuple
        of the same shape each time.
    {sample_weight}
        Passed on to ``metric_func``.
    metric_params : dict, default=None
        Further arguments of ``metric_func``. Its ``pos_label``, if it takes one, is that of the
        scores unless set here.
    pos_label : int, float, bool or str, default=None
        The class that high scores indicate. By default 1 of {0, 1} or {-1, 1}, or the greater of
        two other numbers; needed for text.

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
    params = dict(metric_params or {})
    if sample_weight is None:
        sample_weight = params.pop("sample_weight", None)
    metric = find(metric_func, params)
    rows = LabelledRows.read(y_true, y_score, pos_label, sample_weight, not _is_ratio(metric))
    return rows.values(metric), rows.thresholds


def _is_ratio(metric: Metric) -> bool:
    """Whether the scale of the weights has no effect, so that extreme ones may be scaled."""
    spec = metric.spec
    return (
        spec.is_known
        and not spec.weights_are_counts
        and bool(np.isfinite(spec.bounds).all())
        and bool(metric.params.get("normalize", True))
    )


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Rows of two labels, sorted and counted once for any number of metrics.

    Parameters
    ----------
    labels : ndarray of shape (2,)
        The negative and the positive label.
    checked : Scores
        Its ``true`` are codes into the labels.
    thresholds : ndarray of shape (T,)
        The distinct scores, falling.
    counts : Counts of shape (T,)
        Counts of the positive label at each threshold.
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
        """Check rows by scikit-learn's rule for the positive label, and count them."""
        distinct = distinct_labels(y_true)
        present = [] if distinct is None else distinct.tolist()
        is_text = distinct is None or distinct.dtype.kind not in "biuf"
        if pos_label is None and len(present) == 2 and not is_text:
            pos_label = present[1]
        checked = Scores.check_binary(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, absolute=absolute
        )
        positive = 1 if pos_label is None else pos_label
        others = [label for label in present if label != positive]
        if len(others) == len(present) > 1:
            raise InvalidParameterError(
                f"pos_label={pos_label!r} is not a valid label. It should be one of {present}"
            )
        if len(others) > 1:
            raise InvalidParameterError(
                f"multiclass format is not supported: predictions need one negative label, y_true "
                f"holds {present}."
            )
        if not others and positive != 1:
            raise InvalidParameterError(
                f"y_true holds only the class {present}, so there is no label for scores below a "
                "threshold."
            )
        negative = others[0] if others else 0
        dtype = None if distinct is None or distinct.dtype.kind in "UO" else distinct.dtype
        return cls.of(np.array([negative, positive], dtype=dtype), checked)

    def values(self, metric: Metric) -> Array:
        """A metric of the labels predicted at each threshold, with the metric's own warnings."""
        is_conventional = self.labels.tolist() in ([0, 1], [-1, 1])
        of_class = metric.takes("pos_label") and metric.sides != "none"
        if of_class and not is_conventional and "pos_label" not in metric.params:
            metric = metric.with_params(pos_label=self.labels[1])
        is_ours = getattr(metric.function, "__module__", "").startswith("skmetrics_ext.")
        if not (is_ours and metric.takes("sample_weight")):
            return self._by_rows(partial(metric.function, **metric.params))
        if metric.spec.response != "labels" or metric.spec.is_table:
            places = range(len(self.thresholds))
            return np.asarray([self._by_cells(metric, place) for place in places])
        self._by_cells(metric, 0)  # rejects what the function would reject
        tally = self._table
        metric = metric.settled(tally.classes.tolist())
        undefined: list[Any] = []
        read = metric.read(tally, tell=lambda *average: undefined.append(average))
        values = np.array(read, dtype=np.float64)
        if undefined or np.isnan(values).any():
            first = np.argmax(self._is_conventional(metric, tally))
            if first:  # at the first threshold the function has warned
                self._by_cells(metric, int(first))
        return values

    def _by_rows(self, function: Callable[..., Any]) -> Array:
        """The function's values for all rows whose weight is not 0."""
        score, true, weight = self.checked.score, self.checked.true, self.checked.weight
        if weight is not None:
            kept = weight != 0
            score, true = score[kept], true[kept]
            function = partial(function, sample_weight=weight[kept])
        true = self.labels[true]
        marks = ((score >= threshold).astype(np.int64) for threshold in self.thresholds)
        return np.asarray([function(true, self.labels[mark]) for mark in marks])

    def _by_cells(self, metric: Metric, place: int) -> Any:
        """The function's value for four rows, weighted by the counts at one threshold."""
        counts = self.counts
        cells = np.array([part[place] for part in (counts.tn, counts.fp, counts.fn, counts.tp)])
        filled = cells > 0
        true, pred = self.labels[_CELLS_TRUE[filled]], _CELLS_PRED[filled]
        if metric.spec.response in ("labels", ""):
            pred = self.labels[pred]
        return metric.function(true, pred, sample_weight=cells[filled], **metric.params)

    @property
    def _table(self) -> Tabulated:
        """The table at each threshold, with sorted classes as in the public functions."""
        tally, order = ThresholdTally(self.labels, self.counts), np.argsort(self.labels)
        if order[0] == 0:
            return tally
        return ConfusionTally(self.labels[order], tally.table[..., order[:, None], order])

    def _is_conventional(self, metric: Metric, tally: Tabulated) -> Array:
        """Whether each value is nan, or depends on the convention for 0/0."""
        fill = "zero_division" if metric.takes("zero_division") else metric.spec.fill
        other = metric.with_params(**{fill: -1.0}) if fill else metric
        differs = metric.read(tally) != other.read(tally)  # nan differs from itself
        return np.asarray(differs.reshape(len(self.thresholds), -1).any(axis=-1))

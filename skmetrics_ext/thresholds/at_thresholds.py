"""Any metric of labels at every distinct score, from one sort of the scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.tallies import ConfusionTally, Counts, RankTally, ThresholdTally
from skmetrics_ext.tallies.confusion import Tabulated
from skmetrics_ext.validation import InvalidParameterError, Scores, distinct_labels

_CELLS_TRUE, _CELLS_PRED = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])


@document
def metric_at_thresholds(
    y_true: Any,
    y_score: Any,
    metric_func: Callable[..., Any],
    *,
    sample_weight: Any = None,
    metric_params: Mapping[str, Any] | None = None,
    pos_label: Any = None,
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
        Further arguments of ``metric_func``. Its ``pos_label``, if it has one, is the positive
        class of the scores unless given here.
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
    rows = _Rows.read(y_true, y_score, pos_label, sample_weight, not _is_ratio(metric))
    of_one = metric.takes("pos_label") and (metric.row is None or metric.sides != "none")
    if of_one and not rows.is_usual and "pos_label" not in metric.params:
        metric = metric.with_params(pos_label=rows.labels[1])
    function, thresholds = partial(metric.function, **metric.params), rows.tally.thresholds
    ours = getattr(metric.function, "__module__", "").startswith("skmetrics_ext.")
    if not (ours and metric.takes("sample_weight")):
        return rows.call_with_rows(function, sample_weight is not None), thresholds
    as_codes = metric.row is not None and metric.row.response != "labels"
    ask = partial(_on_counts, function, rows, as_codes)
    counts = rows.tally.counts()
    if metric.row is None or as_codes or metric.row.is_table:
        return np.asarray([ask(counts, place) for place in range(len(thresholds))]), thresholds
    ask(counts, 0)  # refuses what the function would refuse
    tally = rows.tally_of(counts)
    metric = metric.settled(tally.classes.tolist())
    told: list[Any] = []
    values = np.array(metric.read(tally, tell=lambda *what: told.append(what)), dtype=np.float64)
    if told or np.isnan(values).any():
        places = _by_convention(metric, tally, values)
        if places.size and places[0]:
            ask(counts, int(places[0]))  # warns, by the rule of the function
    return values, thresholds


def _by_convention(metric: Metric, tally: Tabulated, values: Array) -> Array:
    """Where a value is nan, or would be another by another convention for 0/0."""
    found = np.isnan(values)
    fill = "zero_division" if metric.takes("zero_division") else metric.spec.fill
    if fill:
        low, high = (metric.with_params(**{fill: value}).read(tally) for value in (0.0, 1.0))
        found |= low != high
    return np.flatnonzero(found.reshape(len(values), -1).any(axis=-1))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Checked rows, the two labels (negative, positive), and their tally."""

    checked: Scores
    labels: Array
    tally: RankTally

    @classmethod
    def read(
        cls, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, absolute: bool
    ) -> _Rows:
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
                f"pos_label={pos_label} is not a valid label. It should be one of {found}"
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
        labels = np.array([negative, positive], dtype=kind)
        tally = RankTally.from_scores(checked.score, checked.true, 2, checked.weight)
        return cls(checked, labels, tally)

    @property
    def is_usual(self) -> bool:
        """Whether the labels are those whose positive one is 1 for every metric."""
        return self.labels.dtype.kind in "biuf" and self.labels.tolist() in ([0, 1], [-1, 1])

    def tally_of(self, counts: Counts) -> Tabulated:
        """The tables at all thresholds, classes in the order in which functions find them."""
        tally = ThresholdTally(self.labels, counts)
        order = np.argsort(self.labels)
        if order[0] == 0:
            return tally
        return ConfusionTally(self.labels[order], tally.table[..., order[:, None], order])

    def call_with_rows(self, function: Callable[..., Any], weighted: bool) -> Array:
        """The function's own answers, called with all rows whose weight is not 0."""
        score, true, weight = self.checked.score, self.checked.true, self.checked.weight
        kept = slice(None) if weight is None else weight != 0
        score, true = score[kept], self.labels[true[kept]]
        if weighted and weight is not None:
            function = partial(function, sample_weight=weight[kept])
        predictions = (
            self.labels[(score >= threshold).astype(np.int64)]
            for threshold in self.tally.thresholds
        )
        return np.asarray([function(true, pred) for pred in predictions])


def _on_counts(
    function: Callable[..., Any], rows: _Rows, as_codes: bool, counts: Counts, place: int
) -> Any:
    """The function's own answer for four rows that weigh what the counts at a place say."""
    cells = np.array([part[place] for part in (counts.tn, counts.fp, counts.fn, counts.tp)])
    held = cells > 0
    true, pred = _CELLS_TRUE[held], _CELLS_PRED[held]
    return function(
        rows.labels[true], pred if as_codes else rows.labels[pred], sample_weight=cells[held]
    )


def _is_ratio(metric: Metric) -> bool:
    """Whether the scale of the weights cannot matter, so that extreme ones may be scaled."""
    row = metric.row
    return (
        row is not None
        and not row.weights_are_counts
        and bool(np.isfinite(row.bounds).all())
        and bool(metric.params.get("normalize", True))
    )

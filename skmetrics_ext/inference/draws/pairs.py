"""A metric of two models on the same rows: what resampling and permutation need."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.area_draws import area_reading
from skmetrics_ext.inference.draws.readers import Metric, SampleRows, read_rows_of
from skmetrics_ext.inference.draws.readings import Reading, Scatter, Units
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_column, take_rows


@dataclass(frozen=True, eq=False, slots=True)
class PairReading(Reading):
    """The difference of a metric between two models, as a function of what is drawn.

    ``both`` reads the rows of the first model and, after them, those of the second: one metric of
    2 n rows, of which half are drawn for a model. ``units`` are rows alike to both models;
    ``of_first`` and ``of_second`` say which unit of ``both`` each of them is.
    """

    both: Reading
    values: tuple[float, float]
    of_first: Array
    of_second: Array
    scatters: tuple[Scatter, Scatter, Scatter]  # by the first, by the second, by both in a row

    @classmethod
    def make(
        cls,
        both: Reading,
        values: tuple[float, float],
        units: Units,
        of_first: Array,
        of_second: Array,
    ) -> PairReading:
        n_units = len(both.units)
        halves = np.concatenate([of_first, of_second])
        scatters = Scatter(of_first, n_units), Scatter(of_second, n_units), Scatter(halves, n_units)
        return cls(values[0] - values[1], units, both, values, of_first, of_second, scatters)

    @property
    def is_slow(self) -> bool:
        return self.both.is_slow

    def statistic(self, counts: Array) -> Array:
        """Differences (B,) where unit u is drawn counts[b, u] times."""
        first, second = (self.both.statistic(by(counts)) for by in self.scatters[:2])
        return np.asarray(first - second)

    def exchanged(self, swapped: Array) -> Array:
        """Differences (B,) where the models change places in swapped[b, u] rows of unit u."""
        kept, by = self.units.rows - swapped, self.scatters[2]
        first = self.both.statistic(by(np.concatenate([kept, swapped], axis=-1)))
        second = self.both.statistic(by(np.concatenate([swapped, kept], axis=-1)))
        return np.asarray(first - second)

    def agrees(self) -> bool:
        """Whether both models have, read from ``both``, the values that they have alone."""
        rows = self.units.rows[None]
        found = [float(self.both.statistic(by(rows))[0]) for by in self.scatters[:2]]
        return bool(np.allclose(found, self.values, rtol=1e-9, atol=1e-12, equal_nan=True))


def read_pair(
    metric: Metric,
    y_true: Any,
    pred_a: Any,
    pred_b: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    weights_are: str = "importance",
    ranked: bool = False,
) -> PairReading:
    """A metric of two models as a function of what is drawn of their common rows.

    ``ranked`` puts ranks in the place of scores, so that the models have one scale.
    """
    first = SampleRows.check(y_true, pred_a, sample_weight, groups, weights_are)
    second = SampleRows.check(y_true, pred_b, sample_weight, groups, weights_are)
    values = _value(metric, first, "pred_a"), _value(metric, second, "pred_b")
    weight, group = first.weight, first.group
    true, a, b = first.y_true, first.y_pred, second.y_pred
    if ranked:
        a, b = shares_below(a), shares_below(b)
    if first.sizes is not None:  # a row for each time that it was seen
        seen = np.repeat(np.arange(len(first.sizes)), first.sizes)
        true, a, b = (take_rows(column, seen) for column in (true, a, b))
        weight, group = None, None if group is None else group[seen]
    stacked = SampleRows(
        stack_rows(true, true),
        stack_rows(a, b),
        None if weight is None else np.concatenate([weight, weight]),
        None if group is None else np.concatenate([group, group]),
        None,
    )
    pair = _pair(area_reading(read_rows_of(metric, stacked)), group, values)
    if pair.is_slow or pair.agrees():
        return pair
    # The models differ in which classes occur, and the metric reads those that do: each draw has
    # classes of its own.
    by_rows = Metric(metric.name, metric.function, None, metric.params)
    return _pair(read_rows_of(by_rows, stacked), group, values)


def _pair(both: Reading, group: Array | None, values: tuple[float, float]) -> PairReading:
    of_row, stratum = both.units.of_row, both.units.stratum
    of_first, of_second = np.split(of_row, 2)
    units = Units.make(
        of_first,
        of_second,
        group=group,
        stratum=None if stratum is None else stratum[of_first],
    )
    return PairReading.make(both, values, units, of_first[units.first], of_second[units.first])


def _value(metric: Metric, rows: SampleRows, name: str) -> float:
    """The metric of one model, as the public function gives it."""
    weights = {} if rows.weight is None else {"sample_weight": rows.weight}
    if weights and not metric.takes_weight:
        raise InvalidParameterError(
            f"{metric.name} has no parameter sample_weight, so no weights can be given."
        )
    try:
        value = metric.function(rows.y_true, rows.y_pred, **metric.params, **weights)
    except ValueError as error:
        raise InvalidParameterError(f"{name}: {error}") from error
    if np.ndim(value) != 0 or np.asarray(value).dtype.kind not in "biuf":
        raise InvalidParameterError(
            f"compare needs a metric that is one number, got {value!r:.60} from {metric.name}: "
            "choose an average."
        )
    return float(value)


def shares_below(scores: Any) -> Array:
    """Midranks of each column over n + 1; of two columns that sum to 1 they still do."""
    values = np.asarray(read_column(scores, "y_score").values)
    ranks = np.empty(values.shape)
    for k in np.ndindex(values.shape[1:]):
        column = values[(slice(None), *k)]
        _, place, rows = np.unique(column, return_inverse=True, return_counts=True)
        middle = np.cumsum(rows) - (rows - 1) / 2
        ranks[(slice(None), *k)] = middle[place.reshape(-1)]
    return ranks / (len(values) + 1)


def stack_rows(first: Any, second: Any) -> Any:
    """The rows of one container and, below them, those of another, of its kind if it can be."""
    module = type(first).__module__.partition(".")[0]
    if type(first) is type(second):
        if module == "pandas":
            return sys.modules["pandas"].concat([first, second], ignore_index=True)
        if module == "polars":
            return sys.modules["polars"].concat([first, second])
        if isinstance(first, list | tuple):
            return [*first, *second]
        if hasattr(first, "tocsr"):
            return sys.modules["scipy.sparse"].vstack([first, second]).tocsr()
    parts = [_plain(data) for data in (first, second)]
    if len({part.dtype.kind in "biuf" for part in parts}) > 1:  # numbers would turn into text
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)


def _plain(data: Any) -> Array:
    column = read_column(data, "y_pred")
    values = column.values if column.categories is None else column.categories[column.values]
    return np.asarray(values.toarray() if column.is_sparse else values)

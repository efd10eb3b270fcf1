"""Scorer of the worst group of rows."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.questions import AskedMetric, Rows
from skmetrics_ext.scoring.scorer import Scorer
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, Labels, warn_undefined
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.groups import read_groups

_LEVEL = 0.95  # simultaneous, for the bounds of all groups
_DRAWS = 999  # if the bounds are bootstrapped
_INT16 = 2**15


class WorstGroupScorer(Scorer):
    """Scorer that returns the worst score of a group of rows.

    Parameters
    ----------
    scorer : Scorer
        Scores each group; has a registered metric.
    column : str
        Name of the metadata that holds the group of each row.
    min_rows : int
        Groups of fewer rows with a weight above 0 are ignored.
    of_bound : bool
        Whether groups are compared by their optimistic simultaneous bounds.
    """

    def __init__(self, scorer: Scorer, column: str, min_rows: int, of_bound: bool) -> None:
        name = f"{scorer.__name__}_worst_{column}"
        super().__init__(scorer._function, **{**scorer._arguments, "name": name})
        self._scorer, self._column = scorer, column
        self._min_rows, self._of_bound = min_rows, of_bound
        # The registered metric is that of all rows.
        self._metric = None
        del self._score_func

    def evaluate(self, rows: Rows, sample_weight: Any = None, **metadata: Any) -> float:
        """The worst score of a group; nan with a warning if no group has one."""
        column = metadata.pop(self._column, None)
        if column is None:
            raise InvalidParameterError(
                f"{self._name} needs the group of each row: pass {self._column}= to the scorer, or "
                f"params={{{self._column!r}: ...}} to cross_validate, with metadata routing "
                "enabled."
            )
        asked = self._scorer.ask(rows, sample_weight, metadata)
        assert asked is not None
        if asked.checked is None:
            return float(self._sign * asked.value())
        group = asked.per_row(self._groups(rows, column), sample_weight)
        weight = asked.checked.weight
        sizes = np.bincount(group, None if weight is None else weight != 0)
        is_large = sizes >= self._min_rows  # a group whose rows all have weight 0 has none
        scores = self._sign * self._values(asked, group, is_large)[is_large]
        n_undefined = int(np.isnan(scores).sum())
        if n_undefined == len(scores):
            fewer = f" of {self._min_rows} rows or more" if self._min_rows > 1 else ""
            warn_undefined(f"{self._name} is undefined: no group{fewer} has a value.")
            return float("nan")
        if n_undefined:
            warn_undefined(
                f"{self._name} leaves out {n_undefined} of {len(scores)} groups, in which the "
                "metric is undefined."
            )
        if self._of_bound:
            is_large[is_large] = ~np.isnan(scores)
            scores = self._bounds(asked, group, is_large)
        return float(np.nanmin(scores))

    def _columns(self) -> set[str]:
        return {self._column}

    def __getattr__(self, name: str) -> Any:
        """Raise, with a reason for `TunedThresholdClassifierCV`, which reads ``_score_func``."""
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name == "_score_func":
            message += ": the score of the worst group needs the groups, not labels alone"
        raise AttributeError(message, name=name, obj=self)

    def __repr__(self) -> str:
        options = f", min_rows={self._min_rows}" if self._min_rows > 1 else ""
        options += ", worst_of_bound=True" if self._of_bound else ""
        return f"{repr(self._scorer)[:-1]}, worst_of={self._column!r}{options})"

    def _groups(self, rows: Rows, column: Any) -> Array:
        try:
            return read_groups(column, count_rows(rows.y_true) or 0, True, y_true=rows.y_true)
        except InvalidParameterError as error:
            text = str(error).replace("groups", self._column)
            raise InvalidParameterError(f"The groups of {self._name}: {text}") from error

    def _values(self, asked: AskedMetric, group: Array, is_large: Array) -> Array:
        """The metric of each group; nan if it is undefined, even if by convention it is 0."""
        metric, checked = asked.metric.undefined_as_nan, asked.checked
        if isinstance(checked, Labels) and not checked.is_multilabel:
            values = metric.read(ConfusionTally.from_labels(checked, group))
        else:
            parts = _split_by_group(replace(asked, metric=metric), group, is_large)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # `score` warns once for all groups
                group_values = [part.value() for part in parts]
            values = np.full((len(is_large), *np.shape(group_values[:1])[1:]), np.nan)
            values[is_large] = group_values
        if values.ndim != 1:
            raise InvalidParameterError(
                f"{self._name} needs a metric of one number: choose an average other than None."
            )
        return values

    def _bounds(self, asked: AskedMetric, group: Array, is_large: Array) -> Array:
        """The optimistic simultaneous bounds of the groups."""
        from skmetrics_ext.inference.draws.bootstrap import DrawPlan
        from skmetrics_ext.inference.draws.readers import sample_of_checked
        from skmetrics_ext.inference.linearized import linearize
        from skmetrics_ext.inference.simultaneous import optimistic_bounds

        statistics = [
            linearize(sample_of_checked(asked.metric, part.checked))
            for part in _split_by_group(asked, group, is_large)
        ]
        plan = DrawPlan(n_resamples=_DRAWS, random_state=0)
        return optimistic_bounds(statistics, float(self._sign), _LEVEL, plan)


def _split_by_group(asked: AskedMetric, group: Array, is_large: Array) -> list[AskedMetric]:
    """The metric of the rows of each group that is large enough."""
    ends = np.cumsum(np.bincount(group))
    if len(ends) < _INT16:  # NumPy sorts 16-bit integers by radix
        group = group.astype(np.int16)
    ordered = asked.select(np.argsort(group, kind="stable"))
    starts = [0, *ends[:-1].tolist()]
    return [ordered.select(slice(starts[k], ends[k])) for k in np.flatnonzero(is_large)]

"""The worst group of rows as a score: a model is as good as it is where it is worst."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.scoring.prepared import Prepared
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, Labels, warn_undefined
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.groups import read_groups

_LEVEL = 0.95  # of the bounds of all groups together
_DRAWS = 999  # where bounds are found by draws
_INT16 = 2**15


@dataclass(frozen=True)
class WorstOf:
    """A scorer, and the groups of which the worst decides.

    Parameters
    ----------
    scorer : Scorer
        Of a registered metric.
    column : str
        Name of the metadata that holds the group of each row.
    min_rows : int
        Groups of fewer rows do not decide.
    of_bound : bool
        Whether a group counts by its optimistic bound, simultaneous over the groups.
    """

    scorer: Any
    column: str
    min_rows: int = 1
    of_bound: bool = False

    def __repr__(self) -> str:
        options = f", min_rows={self.min_rows}" if self.min_rows > 1 else ""
        options += ", worst_of_bound=True" if self.of_bound else ""
        return f"{repr(self.scorer)[:-1]}, worst_of={self.column!r}{options})"

    @property
    def name(self) -> str:
        """What panels call it."""
        return f"{self.scorer.__name__}_worst_{self.column}"

    def score(self, model: Any, sample_weight: Any, metadata: Mapping[str, Any]) -> float:
        """The worst score of a group; nan with a warning where no group has one."""
        params = dict(metadata)
        column = params.pop(self.column, None)
        if column is None:
            raise InvalidParameterError(
                f"{self.name} needs the group of each row: pass {self.column}= to the scorer, or "
                f"params={{{self.column!r}: ...}} to cross_validate, with metadata routing enabled."
            )
        prepared = model.prepared(self.scorer, sample_weight, params)
        if prepared.given is None:
            return float(self.scorer._sign * prepared.value())
        weights = {"sample_weight": sample_weight}
        group = prepared.of_rows_read(self._groups(model, column), weights)
        sizes = np.bincount(group)
        if not sizes.all():  # groups whose rows have no weight
            group, sizes = (np.cumsum(sizes > 0) - 1)[group], sizes[sizes > 0]
        large = sizes >= self.min_rows
        scores = self.scorer._sign * self._values(prepared, group, large)[large]
        n_undefined = int(np.isnan(scores).sum())
        if n_undefined == len(scores):
            fewer = f" of {self.min_rows} rows or more" if self.min_rows > 1 else ""
            warn_undefined(f"{self.name} is undefined: no group{fewer} has a value.")
            return float("nan")
        if n_undefined:
            warn_undefined(
                f"{self.name} leaves out {n_undefined} of {len(scores)} groups, where the metric "
                "is undefined."
            )
        if self.of_bound:
            large[large] = ~np.isnan(scores)
            scores = self._bounds(prepared, group, large)
        return float(np.nanmin(scores))

    def _groups(self, model: Any, column: Any) -> Array:
        try:
            return read_groups(column, count_rows(model.y_true) or 0, True, y_true=model.y_true)
        except InvalidParameterError as error:
            text = str(error).replace("groups", self.column, 1)
            raise InvalidParameterError(f"The groups of {self.name}: {text}") from error

    def _values(self, prepared: Prepared, group: Array, large: Array) -> Array:
        """The metric of each group; nan where it is undefined, whatever the convention."""
        metric, given = prepared.metric.undefined_as_nan, prepared.given
        if isinstance(given, Labels) and not given.is_multilabel:
            values = metric.read(ConfusionTally.from_labels(given, group))
        else:
            parts = _parts(replace(prepared, metric=metric), group, large)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # one warning names all groups
                of_parts = [part.value() for part in parts]
            values = np.full((len(large), *np.shape(of_parts[:1])[1:]), np.nan)
            values[large] = of_parts
        if values.ndim != 1:
            raise InvalidParameterError(
                f"{self.name} needs a metric of one number: choose an average other than None."
            )
        return values

    def _bounds(self, prepared: Prepared, group: Array, large: Array) -> list[float]:
        """The optimistic bounds of the groups, simultaneous."""
        from skmetrics_ext.inference.draws.bootstrap import DrawPlan
        from skmetrics_ext.inference.draws.readers import sample_of_checked
        from skmetrics_ext.inference.linearized import linearize
        from skmetrics_ext.inference.simultaneous import optimistic_estimates

        statistics = {
            number: linearize(sample_of_checked(prepared.metric, part.given))
            for number, part in enumerate(_parts(prepared, group, large))
        }
        plan = DrawPlan(n_resamples=_DRAWS, random_state=0)
        bounds = optimistic_estimates(statistics, float(self.scorer._sign), _LEVEL, plan)
        return [bound for bound, _ in bounds.values()]


def _parts(prepared: Prepared, group: Array, large: Array) -> list[Prepared]:
    """The metric of the rows of each group that is large enough."""
    ends = np.cumsum(np.bincount(group))
    few = group.astype(np.int16) if len(ends) < _INT16 else group  # which sorts by radix
    ordered = prepared.part(np.argsort(few, kind="stable"))
    starts = [0, *ends[:-1].tolist()]
    return [ordered.part(slice(starts[k], ends[k])) for k in np.flatnonzero(large)]

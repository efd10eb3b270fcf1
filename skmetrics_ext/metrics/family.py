"""Families of metrics: which tally a kernel reads, and how a value is read from it.

A layer that treats families differently keeps one table with an entry for each (samples in
`inference`, sums in `merged`), instead of asking for the type of data or of a tally.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.metrics import averaging
from skmetrics_ext.metrics.rankings.score_tally import ScoreTally
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import LabelTally, Means
from skmetrics_ext.validation import Scores


@dataclass(frozen=True, eq=False)
class Family:
    """A kind of metrics.

    Parameters
    ----------
    name : {"labels", "ranking", "means", "function"}
    tally : callable
        ``tally(metric, view)``: the tally of checked data; None if only the metric's function can
        read them.
    read : callable
        ``read(metric, tally, tell, filled)``: the value, as in `Metric.read`.
    reads : str
        The tally that kernels read, "ranks" or "moments"; empty if the spec says which.
    sums : str
        Sums that parts of the rows are reduced to; empty if there are none.
    """

    name: str
    tally: Callable[[Any, Any], Any]
    read: Callable[[Any, Any, averaging.Tell, bool], Array]
    reads: str = ""
    sums: str = ""

    def __reduce__(self) -> str:
        return self.name.upper()  # one object of this name, also in other processes


def _label_tally(metric: Any, labels: Any) -> LabelTally:
    return LabelTally(labels, labels.cache)


def _read_table(metric: Any, tally: Any, tell: averaging.Tell, filled: bool) -> Array:
    spec, options = metric.spec, metric.options
    if spec.averages:
        plan = averaging.averaged(tally, *metric.average_options)
        fill = options.get("zero_division", np.nan)
        if spec.averages == "classes":
            return plan.read(metric.kernel, fill, tell)
        return np.asarray(metric.kernel(partial(plan.read, zero_division=fill, tell=tell)))
    if "labels" in options:
        tally = tally.restrict(options["labels"])
    counted = metric.tally
    values = metric.kernel(tally if counted == "confusion" else getattr(tally, counted)())
    if not spec.fill:
        return np.asarray(values)
    return averaging.fill_undefined(values, options[spec.fill], tell)


def _score_tally(metric: Any, scores: Any) -> ScoreTally | None:
    if not isinstance(scores, Scores):
        return None
    is_refused = scores.kind == "multiclass" and metric.options.get("multi_class") == "raise"
    return None if is_refused else ScoreTally(scores)


def _read_rankings(metric: Any, rankings: Any, tell: averaging.Tell, filled: bool) -> Array:
    spec, options = metric.spec, metric.options
    if spec.is_table:
        return np.asarray(rankings.pairs(metric.kernel))
    return averaging.read_rankings(
        metric.kernel,
        rankings,
        options.get("average", "macro"),
        options.get("multi_class", "ovr"),
        convention=spec.convention if filled else averaging.NO_CONVENTION,
        tell=tell,
    )


def _row_means(metric: Any, view: Any) -> Means:
    return Means.of(metric.spec.row_values(view, **metric.row_params), view.weight)


def _read_means(metric: Any, means: Any, tell: averaging.Tell, filled: bool) -> Array:
    return np.asarray(metric.kernel(means))


def _no_tally(metric: Any, *_: Any) -> Any:
    """None: nothing is known of a function outside this package."""


LABELS = Family("labels", _label_tally, _read_table, sums="tables")
RANKING = Family("ranking", _score_tally, _read_rankings, "ranks", "ranks")
MEANS = Family("means", _row_means, _read_means, "moments", "moments")
FUNCTION = Family("function", _no_tally, _no_tally)

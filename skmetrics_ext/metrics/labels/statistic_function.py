"""The function of a statistic of the confusion table, made from its facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast

from skmetrics_ext.metrics.documentation import fill
from skmetrics_ext.metrics.labels.agreement import rows_among, value_or_nan
from skmetrics_ext.metrics.labels.rate_function import Rate, public_rate
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import LabelTally
from skmetrics_ext.validation.tensors import taking_tensors

NEVER = "never"


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number read from a confusion table, and what to tell of it.

    Parameters
    ----------
    name : str
    kernel : callable
        Of the `Counts` of every class, or of what has a ``table``.
    formula, source : str
        How it is computed, and who defined it.
    abbreviation : str
        Its name in PyCM, where many readers will have met it.
    undefined : str
        When it is 0/0.
    bounds : (float, float)
    greater_is_better : bool or None
        None for what describes.
    per_class : bool
        Whether there is one value per class.
    averaged : bool
        Whether these may be averaged, for each is read from the counts of its class.
    tally : {"counts", "confusion"}
        What the kernel reads.
    either : bool
        Whether of two classes it is the same from both sides.
    in_units : bool
        Whether the scale of the weights counts: they say how often a row was seen.
    of_classes : bool
        Whether the kernel is told ``labels``, for it depends on how many classes there are.
    interval : str
        What its interval has to tell: see `MetricSpec`.
    """

    name: str
    kernel: Callable[..., Array]
    formula: str
    source: str
    abbreviation: str
    undefined: str = NEVER
    bounds: tuple[float, float] = (0.0, 1.0)
    greater_is_better: bool | None = True
    per_class: bool = False
    averaged: bool = False
    tally: str = "counts"
    either: bool = False
    in_units: bool = False
    of_classes: bool = False
    interval: str = ""

    @property
    def title(self) -> str:
        """Its name as a sentence begins."""
        return self.name.replace("_", " ").capitalize()

    def read(self, tally: LabelTally, labels: Any = None) -> Array:
        """Value of checked rows, or one of each class; nan where it is 0/0."""
        own = {"labels": labels} if self.of_classes else {}
        return self.kernel(tally.counts() if self.tally == "counts" else tally, **own)


class StatisticFunction(Protocol):
    """What the functions of all statistics have in common."""

    statistic: Statistic
    rate: Rate  # of those that are averaged
    __name__: str

    def __call__(self, y_true: Any, y_pred: Any, **options: Any) -> Any: ...


def public_statistic(statistic: Statistic, module: str) -> StatisticFunction:
    """The function of a statistic, with its documentation, bound in this module."""
    if statistic.averaged:
        function: Any = public_rate(_as_rate(statistic))
    else:
        function = _of_table(statistic)
    function.__module__ = module  # so that scorers can be pickled
    function.statistic = statistic
    return cast(StatisticFunction, function)


def _as_rate(statistic: Statistic) -> Rate:
    return Rate(
        name=statistic.name,
        kernel=statistic.kernel,
        title=statistic.title,
        cause="",
        summary="a statistic of the confusion table.",
        formula=statistic.formula,
        undefined=statistic.undefined,
        source=f"{statistic.source}.",
        example="",
        greater_is_better=statistic.greater_is_better,
        bounds=statistic.bounds,
        either=statistic.either,
        in_units=statistic.in_units,
    )


def _of_table(statistic: Statistic) -> Callable[..., Any]:
    def function(y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None) -> Any:
        checked = rows_among(
            y_true, y_pred, labels, sample_weight, "a confusion table", statistic.in_units
        )
        value = statistic.read(LabelTally(checked), labels)
        if statistic.per_class:
            return value
        return value_or_nan(value, statistic.title, statistic.undefined)

    function.__name__ = function.__qualname__ = statistic.name
    low, high = (f"{bound:g}" for bound in statistic.bounds)
    better = {True: "; higher is better", False: "; lower is better", None: ""}
    function.__doc__ = fill(f"""{statistic.title}: a statistic of the confusion table.

    {statistic.formula}

Parameters
----------
{{y_true_y_pred}}
labels : array-like of shape (n_classes,), default=None
    The classes of the table; rows with any other class are left out. All that occur by default.
{{sample_weight}}

Returns
-------
float or ndarray of shape (n_classes,)
    In [{low}, {high}]{better[statistic.greater_is_better]}. nan where {statistic.undefined}.

Raises
------
{{raises}}

See Also
--------
confusion_statistic : This and other statistics by name.

References
----------
{statistic.source}.
""")
    return taking_tensors(function)

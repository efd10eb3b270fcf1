"""MetricSpec: the facts of a metric, stated next to its kernel."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from skmetrics_ext.metrics.averaging import (
    NO_CONVENTION,
    ZERO_WITHOUT_POSITIVES,
    ZERO_WITHOUT_WEIGHT,
    Convention,
)
from skmetrics_ext.validation import InvalidParameterError

# Suffix of a scorer's name -> parameters of the metric.
Variants = Mapping[str, Mapping[str, Any]]
# What is true of few metrics. Beyond those that a property explains:
# - "by_sign": the sign of a score counts, so that decision values precede probabilities;
# - "takes_logs": logarithms of probabilities, of which those of 0 are clipped first;
# - "needs_positives": scorers have no value of rows without the positive class, where the function
#   keeps a convention of scikit-learn;
# - "misses_unseen": a row of a class that the model has no score for is a miss, not undefined;
# - "unlisted": known to `find` alone, because a parameter has to be chosen by the user.
Trait = Literal[
    "weights_are_counts",
    "numeric_labels",
    "ranks_labels",
    "by_sign",
    "takes_probabilities",
    "takes_logs",
    "needs_positives",
    "needs_three_classes",
    "misses_unseen",
    "unlisted",
]

PLAIN: Variants = {"": {}}
NEVER = "never"
INFINITY = float("inf")
UNBOUNDED = (-INFINITY, INFINITY)
# The type of a kernel's first parameter -> what `Metric.read` gives it.
_TALLIES = {
    "Counts": "counts",
    "Mean": "counts",
    "Tabulated": "confusion",
    "RankTally": "ranks",
    "Means": "moments",
}
# The second parameter of a public function -> the kind of response it takes.
_RESPONSES = {
    "y_pred": "labels",
    "y2": "labels",
    "y_score": "scores",
    "pred_decision": "scores",
    "y_proba": "probabilities",
}
# A rate at which a metric is read -> the rows that it is a share of.
_ROWS_OF_RATES = {
    "specificity": "negative",
    "sensitivity": "positive",
    "recall": "positive",
    "fraction": "all",
}


@dataclass(frozen=True, slots=True)
class Ranges:
    """How a metric of a ranking is read from stretches of it, each knowing what stands above.

    Parameters
    ----------
    kind : {"wins", "sum", "places", "whole"}
        The kernel of the pairs that are ranked rightly (`Wins`); a sum of what each stretch adds;
        the kernel of a few places of the curve; or of all distinct scores at once.
    term : callable or None
        ``term(stretch, **params)``: for "sum" what the stretch adds, None where the kernel itself
        computes it; for "places" the numbers of the scores to keep, those out of range being
        ignored.
    finish : callable or None
        ``finish(sum, **params)``: the value from the sum of the terms; None where the sum is the
        value.
    instead : (str, Ranges) or None
        A parameter, and how the metric is read where that is given.
    """

    kind: str
    term: Callable[..., Any] | None = None
    finish: Callable[..., Any] | None = None
    instead: tuple[str, Ranges] | None = None

    def given(self, params: Mapping[str, Any]) -> Ranges:
        """How the metric is read with these parameters."""
        if self.instead is None or params.get(self.instead[0]) is None:
            return self
        return self.instead[1]


WHOLE = Ranges("whole")


@dataclass(frozen=True)
class MetricSpec:
    """The facts of a metric. Others follow from signatures and are properties.

    Parameters
    ----------
    function : callable
        The public function, ``function(y_true, y_pred or y_score, **params)``.
    kernel : callable
        The pure function of a tally that computes the metric. The type of its first parameter
        says which: `Counts` (named ``hits`` for the rows predicted right, ``marks`` for every mark
        of multilabel data), ``Tabulated``, `RankTally`, ``Means``, or ``Mean``, the average of any
        rate. With a second type it reads the second kind of tally where its second parameter does
        not have its default value.
    title : str
        The metric's name in sentences; empty where nothing is said about it.
    undefined : str
        When the value is 0/0.
    bounds : (float, float)
        Smallest and largest value.
    greater_is_better : bool or None
        None for what describes and does not judge (a table, a prevalence).
    scorer : str or None
        Stem of the scorer names; None where there is no scorer.
    variants : mapping of str to mapping
        Suffix of the scorer's name to parameters; the first has those that the function needs and
        has no default for.
    sides : {"none", "one", "either"}
        Whether the metric describes none of two classes, one of them, or either: the same number
        from both sides when the scores are turned with the classes.
    traits : tuple of str
        What is true of few metrics.
    check : callable or None
        ``check(y_true, response, *, sample_weight, ...)``: the checked data that the function may
        be given in the place of both arguments. By default the usual one of ``response``.
    row_values : callable or None
        ``row_values(checked, **params)``: for a metric of means, the values of the rows, (n, d),
        whose moments the kernel reads.
    slope : callable or None
        ``slope(tally, **params)``: for a metric of rankings, the derivative of its kernel by the
        weight of each class at each score, (2, T). Tables and moments need none: their kernels
        are derived by complex steps. None where it is not smooth.
    ranges : Ranges or None
        How a metric of rankings is read in ranges of scores.
    shares : tuple of (str, str), or callable
        For a metric that is linear in shares of rows, whose bounds then make its interval. For
        labels, when the value of a class is their sum: the counts that each share is, and the
        others that it is a share of. For rankings ``shares(tally, **params)``: how many rows, of
        how many, the factors of the shares, and whether they are shares of the same rows.
    interval : str
        What is special about the interval, if anything:

        - its method: "wilson" for a share of rows, "dice" for 2 J / (1 + J) of such a share J,
          "largest" for the share of the largest class;
        - its scale: "logit" for functions that are linear in an area under the ROC curve, "log"
          for ratios;
        - why coverage may be below the nominal level: "biased" (a maximum or a distance, larger in
          samples, which the bootstrap corrects in part), "calibration" (likewise, most of all
          where the truth is 0), "kinked" (a kink, or flat, where classes are as frequent as
          predictions, or equally frequent), "grows" (with the number of rows), "largest of
          several" numbers.
    """

    function: Callable[..., Any]
    kernel: Callable[..., Any]
    title: str = ""
    undefined: str = NEVER
    bounds: tuple[float, float] = (0.0, 1.0)
    greater_is_better: bool | None = True
    scorer: str | None = None
    variants: Variants = field(default_factory=lambda: PLAIN)
    sides: str = "none"
    traits: tuple[Trait, ...] = ()
    check: Callable[..., Any] | None = None
    row_values: Callable[..., Any] | None = None
    slope: Callable[..., Any] | None = None
    ranges: Ranges | None = None
    shares: Any = ()
    interval: str = ""

    # ------------------------------------------------------------- what signatures say

    @cached_property
    def name(self) -> str:
        """Name of the public function."""
        return str(self.function.__name__)

    @cached_property
    def _kernel_parameters(self) -> tuple[str, set[str], str, Any]:
        """First parameter of the kernel and the names in its type; the second and its default."""
        kernel = self.kernel
        while isinstance(kernel, functools.partial):
            kernel = kernel.func
        first, *others = inspect.signature(kernel).parameters.values()
        kinds = set(re.findall(r"\w+", str(first.annotation)))
        if not kinds & _TALLIES.keys():
            raise InvalidParameterError(
                f"The kernel {kernel.__name__} of {self.name} has to say which tally it reads: "
                f"its first parameter is {first}, of one of the types {sorted(_TALLIES)}."
            )
        second = others[0] if others else first
        return first.name, kinds, second.name, second.default

    @cached_property
    def tally(self) -> str:
        """The tally that the kernel reads.

        "hits", "marks", "counts", "confusion", "ranks" or "moments"."""
        name, kinds, *_ = self._kernel_parameters
        if name in ("hits", "marks"):
            return name
        return next(tally for kind, tally in _TALLIES.items() if kind in kinds)

    @cached_property
    def averages(self) -> str:
        """How a metric of labels averages over classes.

        "" does not: the kernel is given all of them; "classes" averages the values of classes;
        "rates" gives the kernel ``mean(rate kernel)``, the average of any rate.
        """
        if "Mean" in self._kernel_parameters[1]:
            return "rates"
        return "classes" if self.tally == "counts" and self._takes("average") else ""

    @cached_property
    def table_params(self) -> tuple[str, ...]:
        """Parameters for which the kernel reads the table in the place of the counts."""
        _, kinds, second, _ = self._kernel_parameters
        return (second,) if kinds >= {"Counts", "Tabulated"} else ()

    @cached_property
    def bins_when(self) -> tuple[Any, ...]:
        """Parameter and its value for which sums within bins of the probability are enough."""
        _, kinds, second, default = self._kernel_parameters
        return (second, default) if "BinTally" in kinds else ()

    @cached_property
    def response(self) -> str:
        """The second argument of the function: "labels", "scores" or "probabilities"."""
        if "takes_probabilities" in self.traits:
            return "probabilities"
        return _RESPONSES[list(inspect.signature(self.function).parameters)[1]]

    @cached_property
    def convention(self) -> Convention:
        """scikit-learn's value where a metric of rankings is undefined."""
        if "needs_positives" in self.traits:
            return ZERO_WITHOUT_POSITIVES
        has_outputs = self.function.__annotations__.get("average") == "RankAverage | None"
        return ZERO_WITHOUT_WEIGHT if has_outputs else NO_CONVENTION

    @cached_property
    def is_table(self) -> bool:
        """Whether it gives a table and not numbers."""
        return bool(inspect.signature(self.function).return_annotation == "Array")

    @cached_property
    def fill(self) -> str:
        """Name of the parameter that says what 0/0 is; empty where an average applies it."""
        names = () if self.averages else ("zero_division", "replace_undefined_by")
        return next(filter(self._takes, names), "")

    @cached_property
    def params(self) -> Mapping[str, Any]:
        """Parameters that the function needs and has no default for."""
        return next(iter(self.variants.values()))

    @cached_property
    def point(self) -> str:
        """Name of the parameter that says where on a curve it is read, if there is one."""
        if self.ranges is None or self.ranges.kind != "places" or self.ranges.term is None:
            return ""
        return "".join(list(inspect.signature(self.ranges.term).parameters)[1:2])

    @cached_property
    def point_of(self) -> str:
        """Rows that this parameter is a share of: "", "negative", "positive" or "all"."""
        return _ROWS_OF_RATES.get(self.point, "")

    @cached_property
    def one_sided_params(self) -> tuple[str, ...]:
        """Parameters that make it a number of one class where they are given."""
        if self.ranges is None or self.ranges.instead is None or self.is_table:
            return ()
        return (self.ranges.instead[0],)

    @cached_property
    def scorers(self) -> dict[str, dict[str, Any]]:
        """Name of each scorer of this metric and the parameters that it sets."""
        if self.scorer is None:
            return {}
        stem = self.scorer if self.greater_is_better else f"neg_{self.scorer}"
        return {
            f"{stem}_{suffix}" if suffix else stem: {**self.params, **params}
            for suffix, params in self.variants.items()
        }

    def _takes(self, name: str) -> bool:
        return name in inspect.signature(self.function).parameters

    # ------------------------------------------------------------- traits

    @cached_property
    def weights_are_counts(self) -> bool:
        """Whether weights say how often a row was seen, so that their scale counts."""
        return "weights_are_counts" in self.traits

    @cached_property
    def numeric_labels(self) -> bool:
        """Whether labels are numbers whose distance counts, so that they cannot be renamed."""
        return "numeric_labels" in self.traits

    @cached_property
    def ranks_labels(self) -> bool:
        """Whether it ranks the labels of each row, so that no row has a class.

        ``y_true`` is then a matrix of marks or relevance.
        """
        return "ranks_labels" in self.traits

    @cached_property
    def least_classes(self) -> int:
        """With fewer classes the metric is meaningless."""
        return 3 if "needs_three_classes" in self.traits else 2

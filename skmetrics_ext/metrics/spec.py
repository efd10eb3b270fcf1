"""MetricSpec: the facts of a metric, stated next to its kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

from skmetrics_ext.metrics.averaging import NO_CONVENTION, ZERO_WITHOUT_POSITIVES, Convention
from skmetrics_ext.metrics.family import FUNCTION, LABELS, MEANS, RANKING, Family
from skmetrics_ext.validation.containers import read_numbers

# Suffix of a scorer's name -> parameters of the metric.
Variants = Mapping[str, Mapping[str, Any]]
# Facts of few metrics. Those without a property that explains them:
# - "by_sign": the sign of a score matters, so decision values are preferred to probabilities;
# - "takes_logs": takes logarithms of probabilities, which are clipped away from 0;
# - "mean_of_classes": without ``average``, over those that have rows;
# - "misses_unseen": a row of a class unknown to the model is a miss, not undefined;
# - "unlisted": in no list, because the user has to choose a parameter.
Trait = Literal[
    "weights_are_counts",
    "numeric_labels",
    "ranks_labels",
    "by_sign",
    "takes_probabilities",
    "takes_logs",
    "mean_of_classes",
    "needs_three_classes",
    "misses_unseen",
    "unlisted",
    "is_table",
]

PLAIN: Variants = {"": {}}
NEVER = "never"
NO_ROW = "a class has no row"  # of a mean over classes, or a product: it changes what is averaged
INFINITY = float("inf")
_BY_ROW = 3  # axes of a matrix for each row
_OF_ALL_ROWS = ("labels", "sample_weight")  # what every check of labels takes
UNBOUNDED = (-INFINITY, INFINITY)
# What a kernel of labels reads -> the tally that holds it, where their names differ.
_TALLIES = {"rates": "counts", "table": "confusion"}
# Second parameter of a public function -> kind of response.
_RESPONSES = {
    "y_pred": "labels",
    "y2": "labels",
    "y_set": "labels",
    "y_score": "scores",
    "pred_decision": "scores",
    "y_proba": "probabilities",
}
# Rate at which a metric is read -> the rows that it is a share of.
_ROWS_OF_RATES = {
    "specificity": "negative",
    "sensitivity": "positive",
    "recall": "positive",
    "fraction": "all",
}


class PlainShare(NamedTuple):
    """A metric read at a threshold that does not move: a share of rows, or a mean of shares.

    ``slope`` is its derivative by the weight of each class at each score, ``rows`` the number of
    rows of its smallest denominator.
    """

    value: float
    slope: Any
    rows: float


@dataclass(frozen=True, slots=True)
class Ranges:
    """How a ranking metric is read from stretches, which know the weights above them.

    Parameters
    ----------
    kind : {"wins", "sum", "places", "whole"}
        From the correctly ranked pairs (`Wins`); as a sum over stretches; from a few points of the
        curve; or from all distinct scores at once.
    term : callable or None
        ``term(stretch, **params)``: for "sum" the contribution of a stretch, None if it is the
        kernel itself; for "places" the indexes of the scores to keep (those out of range are
        ignored).
    finish : callable or None
        ``finish(sum, **params)``: the value from the sum of the terms; None if it is the sum.
    instead : (str, Ranges) or None
        A parameter, and how the metric is read if that parameter is set.
    """

    kind: str
    term: Callable[..., Any] | None = None
    finish: Callable[..., Any] | None = None
    instead: tuple[str, Ranges] | None = None

    def given(self, params: Mapping[str, Any]) -> Ranges:
        """The way to read the metric with these parameters."""
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
        The pure function of a tally that computes the metric: for labels what ``reads`` names, for
        a metric with ``row_values`` their ``Means``, for other metrics of scores or probabilities
        a `RankTally`.
    title : str
        The metric's name in messages; empty if there are none.
    undefined : str
        When the value is 0/0.
    bounds : (float, float)
        Smallest and largest value.
    greater_is_better : bool or None
        None for metrics that describe and do not judge (a table, a prevalence).
    scorer : str or None
        Stem of the scorer names; None without scorers.
    variants : mapping of str to mapping
        Suffix of the scorer's name -> parameters; the first ones include the required parameters.
    sides : {"none", "one", "either"}
        Whether the metric describes none of two classes, one of them, or either: the same value
        from both sides if the scores are reversed along with the classes.
    traits : tuple of str
        Facts that hold for few metrics.
    check : callable or None
        ``check(y_true, response, *, sample_weight, ...)``: returns checked data, which the function
        accepts as both arguments. By default the usual check of ``response``.
    row_values : callable or None
        ``row_values(checked, **params)``: for a metric of means, the values per row, (n, d), whose
        means the kernel reads.
    slope : callable or None
        ``slope(tally, **params)``: for a ranking metric, the derivative of its kernel with respect
        to the weight of each class at each score, (2, T); None if it is not smooth. Kernels of
        tables and means are differentiated by complex steps.
    ranges : Ranges or None
        How a ranking metric is read in ranges of scores.
    shares : tuple of (str, str), or callable
        For a metric that is linear in shares of rows, whose bounds give its interval. For labels,
        if the value of a class is a sum of shares: the count of each share, and the other count
        that completes its denominator. For rankings ``shares(tally, **params)``: numerators,
        denominators and factors of the shares, and whether they are shares of the same rows.
    plain_shares : callable or None
        ``plain_shares(tally, **params)``: for a ranking metric that is read at a target, the shares
        at the thresholds where it may be read in other samples, that of this sample first, if
        tied scores make them few; empty where the curve is smooth.
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
    narrower : callable or None
        ``narrower(n_classes, **params)``: bounds that depend on the number of classes or on
        parameters, within ``bounds``.
    reads : {"counts", "hits", "marks", "rates", "table"}
        What the kernel of a metric of labels reads: the `Counts` of each class, of correct rows, or
        of every mark of multilabel data; ``Mean``, the average of any rate; or the whole table.
    table_when : tuple of str
        Parameters that make the kernel read the table instead of the counts, unless at their
        defaults.
    bins_when : tuple of (str, object)
        A parameter and the value for which sums within bins of probability are enough.
    convention : Convention
        scikit-learn's values for an undefined ranking metric.
    instead : (str, mapping)
        A parameter that may hold a matrix for each row, and the facts that are others then.
    """

    is_known: ClassVar[bool] = True  # False for functions outside this package

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
    plain_shares: Callable[..., list[PlainShare]] | None = None
    interval: str = ""
    narrower: Callable[..., tuple[float, float]] | None = None
    reads: Literal["counts", "hits", "marks", "rates", "table"] = "counts"
    table_when: tuple[str, ...] = ()
    bins_when: tuple[Any, ...] = ()
    convention: Convention = NO_CONVENTION
    instead: tuple[str, Mapping[str, Any]] | None = None

    def given(self, params: Mapping[str, Any]) -> MetricSpec:
        """The facts of the metric with these parameters."""
        name = self.instead[0] if self.instead else ""
        value = params.get(name)
        is_by_row = value is not None and read_numbers(name, value).ndim == _BY_ROW
        return self.with_rows if is_by_row else self

    @cached_property
    def with_rows(self) -> MetricSpec:
        """The facts of the metric whose parameter has a matrix for each row."""
        if self.instead is None:
            return self
        return replace(self, **self.instead[1], instead=None)

    @cached_property
    def reads_rows(self) -> bool:
        """Whether a metric of labels reads more of each row than two labels and a weight."""
        return self.response == "labels" and self.check is not None

    @cached_property
    def by_row(self) -> str:
        """Parameter with a value, or a matrix, for each row, which ``check`` reads; "" if none."""
        if self.check is None or not self.reads_rows:
            return ""
        _, _, *names = inspect.signature(self.check).parameters
        return next((name for name in names if name not in _OF_ALL_ROWS), "")

    # ------------------------------------------------------------- facts from signatures

    @cached_property
    def scale(self) -> str:
        """The scale of an interval: "plain", "log", "logit", or "atanh" between -1 and 1."""
        n_bounds = sum(abs(bound) < INFINITY for bound in self.bounds)
        return "atanh" if self.bounds == (-1, 1) else ("plain", "log", "logit")[n_bounds]

    @cached_property
    def name(self) -> str:
        """Name of the public function."""
        return str(self.function.__name__)

    @cached_property
    def family(self) -> Family:
        """The family of the metric, which knows how its kernel is read."""
        if self.row_values is not None:
            return MEANS
        return LABELS if self.response == "labels" and self.slope is None else RANKING

    @cached_property
    def tally(self) -> str:
        """The tally that the kernel reads.

        "hits", "marks", "counts", "confusion", "ranks" or "moments"."""
        return self.family.reads or _TALLIES.get(self.reads, self.reads)

    @cached_property
    def averages(self) -> str:
        """How a metric of labels averages over classes.

        "": not at all, the kernel reads all classes; "classes": averages the values of classes;
        "rates": the kernel calls ``mean(rate kernel)``, the average of any rate.
        """
        if self.reads == "rates":
            return "rates"
        return "classes" if self.tally == "counts" and self._takes("average") else ""

    @cached_property
    def response(self) -> str:
        """Kind of the function's second argument: "labels", "scores" or "probabilities"."""
        if "takes_probabilities" in self.traits:
            return "probabilities"
        return _RESPONSES[list(inspect.signature(self.function).parameters)[1]]

    @cached_property
    def ratings(self) -> str:
        """For a metric that also takes a table of items x raters, what counts alike.

        "values" or "items"; empty for others, which need a second argument.
        """
        second = list(inspect.signature(self.function).parameters.values())[1]
        if self.response != "labels" or second.default is not None:
            return ""
        return "values" if self.weights_are_counts else "items"

    @cached_property
    def fill(self) -> str:
        """Parameter with the value of 0/0; empty if the average applies it."""
        names = () if self.averages else ("zero_division", "replace_undefined_by")
        return next(filter(self._takes, names), "")

    @cached_property
    def params(self) -> Mapping[str, Any]:
        """Values of required parameters, for the default scorer."""
        return next(iter(self.variants.values()))

    @cached_property
    def point(self) -> str:
        """Parameter with the point of the curve at which the metric is read; empty if none."""
        if self.ranges is None or self.ranges.kind != "places" or self.ranges.term is None:
            return ""
        return "".join(list(inspect.signature(self.ranges.term).parameters)[1:2])

    @cached_property
    def point_of(self) -> str:
        """Rows that `point` is a share of: "", "negative", "positive" or "all"."""
        return _ROWS_OF_RATES.get(self.point, "")

    @cached_property
    def one_sided_params(self) -> tuple[str, ...]:
        """Parameters that, if set, make the metric one of a single class."""
        if self.ranges is None or self.ranges.instead is None or self.is_table:
            return ()
        return (self.ranges.instead[0],)

    @cached_property
    def scorers(self) -> dict[str, dict[str, Any]]:
        """Names of this metric's scorers -> the parameters that they set."""
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
        """Whether weights are numbers of rows, so that their scale matters."""
        return "weights_are_counts" in self.traits

    @property
    def needs_positives(self) -> bool:
        """Whether scorers are undefined without positive rows, where the function is 0."""
        return self.convention is ZERO_WITHOUT_POSITIVES

    @cached_property
    def numeric_labels(self) -> bool:
        """Whether labels are numbers whose distances matter, so that they cannot be renamed."""
        return "numeric_labels" in self.traits

    @cached_property
    def is_table(self) -> bool:
        """Whether the metric is a table, not a number."""
        return "is_table" in self.traits

    @cached_property
    def ranks_labels(self) -> bool:
        """Whether the metric ranks the labels of each row, so that rows have no class.

        ``y_true`` is then a matrix of marks or relevance.
        """
        return "ranks_labels" in self.traits

    @cached_property
    def least_classes(self) -> int:
        """Smallest number of classes for which the metric is meaningful."""
        return 3 if "needs_three_classes" in self.traits else 2


class UnknownSpec(MetricSpec):
    """Stands in for the facts of a function outside this package, of which nothing is known."""

    is_known = False
    response = tally = ""
    family = FUNCTION

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, function, "", NEVER, UNBOUNDED, None, sides="either")

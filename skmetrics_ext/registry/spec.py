"""MetricSpec: what the package knows of a metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

# Suffix of a scorer's name -> parameters of the metric.
Variants = Mapping[str, Mapping[str, Any]]

PLAIN: Variants = {"": {}}
NEVER = "never"
INFINITY = float("inf")


@dataclass(frozen=True, slots=True)
class Ranges:
    """How a metric of a ranking is read from stretches of it, each knowing what stands above.

    Parameters
    ----------
    kind : {"wins", "sum", "places", "whole"}
        The kernel of the pairs that are ranked rightly (`Wins`); a sum of what each stretch adds;
        the kernel of a few places of the curve; or of all distinct scores at once.
    term : callable or None
        ``term(stretch, **params)``: for "sum" what the stretch adds, None where its kernel says
        it; for "places" the numbers of the scores to keep, those out of range being ignored.
    finish : callable or None
        ``finish(sum, **params)``: the value from the sum of the terms; None where it is that.
    instead : (str, Ranges) or None
        A parameter, and how it is read where that is given.
    """

    kind: str
    term: Callable[..., Any] | None = None
    finish: Callable[..., Any] | None = None
    instead: tuple[str, Ranges] | None = None

    def given(self, params: Mapping[str, Any]) -> Ranges:
        """How it is read with these parameters."""
        if self.instead is None or params.get(self.instead[0]) is None:
            return self
        return self.instead[1]


WHOLE = Ranges("whole")


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """What the package knows of a metric.

    Parameters
    ----------
    name : str
        Name of the public function.
    function : callable
        ``function(y_true, y_pred or y_score, **params)``.
    kernel : callable
        The pure function of a tally that it computes.
    tally : {"hits", "marks", "counts", "confusion", "ranks", "moments"}
        What the kernel reads: the rows predicted right; these, or every mark of multilabel data;
        the counts of each class; the confusion table; the ranking of one class against the rest;
        the moments of values of rows.
    response : {"labels", "scores", "probabilities"}
        What the function takes beside ``y_true``.
    bounds : (float, float)
        Smallest and largest value.
    undefined : str
        When the value is 0/0.
    greater_is_better : bool or None
        None for what describes and does not judge (a table, a prevalence).
    scorer : str or None
        Stem of the scorer names; None where there is no scorer.
    variants : mapping of str to mapping
        Suffix of the scorer's name to parameters.
    params : mapping
        Parameters that the function needs and has no default for.
    averages : {"", "classes", "rates"}
        How a metric of labels averages over classes: not, the kernel being given all of them;
        its values for "classes"; or before it, the kernel of "rates" being given
        ``mean(rate kernel)``, the average of any rate.
    table_params : tuple of str
        Parameters for which the kernel reads the table in the place of the counts.
    sides : {"none", "one", "either"}
        Of two classes it is a number of none of them, of one, or of either: from both sides the
        same, when the scores are turned with the classes.
    one_sided_params : tuple of str
        Parameters that make it one of one class where they are given.
    bins_when : (str, object) or ()
        Parameter and its value for which it is read from sums within bins of the probability.
    is_table : bool
        Whether it gives a table and not numbers.
    least_classes : int
        With fewer classes it says nothing.
    by_sign : bool
        Whether the sign of a score counts and not its order alone, so that decision values go
        before probabilities.
    misses_unseen : bool
        Whether a row of a class that the model has no score for is a miss, and not undefined.
    needs_positives : bool
        Whether a scorer has no value of rows without the positive class, where the function keeps
        a convention of scikit-learn.
    takes_logs : bool
        Whether it takes logarithms of probabilities, of which those of 0 are clipped first.
    fill : str
        Name of the parameter that says what 0/0 is; nan where there is none.
    ranges : Ranges or None
        How a metric of rankings is read in ranges of scores.
    weights_are_counts : bool
        Whether weights say how often a row was seen, so that their scale counts.
    numeric_labels : bool
        Whether labels are numbers whose distance counts, so that they cannot be renamed.
    ranks_labels : bool
        Whether it ranks the labels of each row: ``y_true`` is a matrix of marks or relevance, and
        no row has a class.
    check : callable or None
        ``check(y_true, response, *, sample_weight, ...)``: the checked data that the function may
        be given in the place of both arguments. By default the usual one of ``response``.
    row_values : callable or None
        ``row_values(checked, **params)``: of a metric of means, what the kernel reads the moments
        of, (n, d).
    point : str
        Name of the parameter that says where on a curve it is read, if there is one.
    point_of : {"", "negative", "positive", "all"}
        Rows that this parameter is a share of.
    slope : callable or None
        ``slope(tally, **params)``: of a metric of rankings, the derivative of its kernel by the
        weight of each class at each score, (2, T). Tables and moments need none: their kernels
        are derived by complex steps. None where it is not smooth.
    shares : tuple of (str, str), or callable
        Of a metric that is linear in shares of rows, whose bounds then make its interval. Of one of
        labels whose value for a class is their sum: the counts that each share is, and the others
        that it is a share of. Of one of rankings ``shares(tally, **params)``: how many rows, of how
        many, the factors of the shares, and whether they are shares of the same rows.
    interval : str
        What else than its kind decides how `confidence_interval` finds an interval: "wilson" of
        a number of rows among some rows, "dice" of 2 J / (1 + J) of such a share J, "logit" of
        what is linear in an area under the ROC curve, "largest" of the share of the largest
        class, "ratio" of a ratio, which is compared by its logarithm. "biased" says that noise
        makes it larger (a maximum, a distance), which the bootstrap corrects in part; "calibration"
        that it does so most of all where the truth is 0; "bent" that it has a kink, or is flat,
        where classes are as frequent as predictions, or equally frequent; "grows" that it does so
        with the number of rows. Intervals of these bear a note.
    """

    name: str
    function: Callable[..., Any]
    kernel: Callable[..., Any]
    tally: str
    response: str
    bounds: tuple[float, float]
    undefined: str
    greater_is_better: bool | None = True
    scorer: str | None = None
    variants: Variants = field(default_factory=lambda: PLAIN)
    params: Mapping[str, Any] = field(default_factory=dict)
    averages: str = ""
    table_params: tuple[str, ...] = ()
    sides: str = "none"
    one_sided_params: tuple[str, ...] = ()
    bins_when: tuple[Any, ...] = ()
    is_table: bool = False
    least_classes: int = 2
    by_sign: bool = False
    misses_unseen: bool = False
    needs_positives: bool = False
    takes_logs: bool = False
    fill: str = ""
    ranges: Ranges | None = None
    weights_are_counts: bool = False
    numeric_labels: bool = False
    ranks_labels: bool = False
    check: Callable[..., Any] | None = None
    row_values: Callable[..., Any] | None = None
    point: str = ""
    point_of: str = ""
    slope: Callable[..., Any] | None = None
    shares: Any = ()
    interval: str = ""

    @property
    def scorers(self) -> dict[str, dict[str, Any]]:
        """Name of each scorer of this metric and the parameters that it sets."""
        if self.scorer is None:
            return {}
        stem = self.scorer if self.greater_is_better else f"neg_{self.scorer}"
        return {
            f"{stem}_{suffix}" if suffix else stem: {**self.params, **params}
            for suffix, params in self.variants.items()
        }

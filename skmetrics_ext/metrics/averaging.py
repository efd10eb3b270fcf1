"""Averages over classes, and values for 0/0: from the values of classes to one number.

The only place that averages over classes. Everything broadcasts over leading axes: folds, groups,
thresholds, replicates, and complex tables whose imaginary part is a derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts, RankTally, Tabulated
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.targets import MULTILABEL

RankKernel = Callable[[Any], Array]  # of a RankTally, or of `Wins` if these are enough
RateKernel = Callable[[Counts], Array]
# The average of any rate, for kernels that combine several rates.
Mean = Callable[[RateKernel], Array]
# Called with the average and its number of values if one is 0/0.
Tell = Callable[[str | None, int], None] | None

# Types in signatures, which editors complete.
ClassAverage = Literal["binary", "micro", "macro", "weighted", "samples"]
CurveAverage = Literal["macro", "weighted", "micro"]
RankAverage = Literal["macro", "weighted", "micro", "samples"]
RecallAverage = Literal["multiclass", "binary", "micro", "macro", "weighted"]
MultiClass = Literal["raise", "ovr", "ovo"]
ZeroDivision = Literal["warn"] | float  # "warn", 0, 1 or nan

AVERAGES = (None, "micro", "macro", "weighted", "samples")
MICRO, MACRO = "micro", "macro"  # also the names of the curves of several classes
SAMPLES = "samples"
# Not an average: the kernel combines the rates of all classes itself.
EACH_CLASS = "multiclass"


# --------------------------------------------------------------------------- means


def mean_of_classes(values: Array, weights: Array | None = None) -> Array:
    """Mean over the last axis, ignoring nan.

    If all weights are 0, the unweighted mean is taken, as in scikit-learn.
    """
    undefined = np.isnan(values)
    if not undefined.any():
        return _mean(values, weights)
    defined = ~undefined
    if weights is None:
        return divide(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))
    return _mean(np.where(defined, values, 0.0), np.where(defined, weights, 0), defined)


def _mean(values: Array, weights: Array | None, defined: Array | None = None) -> Array:
    """Mean over the last axis of defined values; undefined ones are 0 with weight 0."""
    if weights is None:
        return np.asarray(values.sum(axis=-1) / (values.shape[-1] or np.nan))
    total = weights.sum(axis=-1)
    if weights.all():
        return divide((values * weights).sum(axis=-1), total)
    # An infinite value with weight 0 must not count either.
    mean = divide((np.where(weights == 0, 0.0, values) * weights).sum(axis=-1), total)
    if total.all():
        return mean
    counted = values.shape[-1] if defined is None else defined.sum(axis=-1)
    return np.where(total == 0, divide(values.sum(axis=-1), counted), mean)


def average_values(values: Array, average: str | None, support: Array | None = None) -> Array:
    """Average the values of classes (..., K).

    A nan makes the average nan, unless its class has no weight in a weighted average.
    """
    if average is None:
        return values
    if average == "macro":
        return np.asarray(values.mean(axis=-1))
    assert support is not None
    weighed = np.where(support == 0, 0.0, values) * support
    return divide(weighed.sum(axis=-1), support.sum(axis=-1))


def class_shares(average: str | None, support: Array) -> Array:
    """Weight of each class in a mean, (K,): equal, or by support."""
    if average == "macro":
        return np.full(len(support), 1 / len(support))
    return divide(support, support.sum())


def pair_shares(average: str | None, support: Array) -> Array:
    """Weight of each ordered pair of classes in a mean over pairs, (K, K); 0 without rows."""
    present = support > 0
    pairs = np.where(present[:, None] & present, 1.0, 0.0)
    np.fill_diagonal(pairs, 0.0)
    if average == "weighted":
        pairs *= support[:, None] + support
    return divide(pairs, pairs.sum())


def is_by_class(average: str | None) -> bool:
    """Whether each class has its own value, averaged or not."""
    return average in ("macro", "weighted", None)


def is_by_support(average: str | None) -> bool:
    """Whether classes are weighted by their support, which is random too."""
    return average == "weighted"


def is_plain(average: str | None) -> bool:
    """Whether all classes count equally."""
    return average == "macro"


# --------------------------------------------------------------------------- rates of classes


@dataclass(frozen=True, slots=True)
class Averaged:
    """Counts of the classes to average, and how to average them.

    Parameters
    ----------
    counts : Counts of shape (..., K), or (...) of one class or of all pooled
    average : str or None
    weights : ndarray of shape (..., K) or None
        Weights of a mean.
    present : ndarray of bool of shape (..., K) or None
        Whether each class occurs in a table; None if all do.
    """

    counts: Counts
    average: str | None
    weights: Array | None = None
    present: Array | None = None

    def read(self, kernel: RateKernel, zero_division: Any = "warn", tell: Tell = None) -> Array:
        """The average of a rate over classes; ``tell`` is called to warn if one is 0/0."""
        values = kernel(self.counts)
        single = self.average in _OF_ONE
        undefined = np.isnan(values)
        if self.present is not None:
            undefined = undefined & self.present
        if undefined if single and not undefined.ndim else undefined.any():
            if isinstance(zero_division, str):
                if tell is not None:
                    tell(self.average, 1 if single else values.shape[-1])
                zero_division = 0.0
            values = np.where(undefined, zero_division, values)
        elif self.present is None and self.average in _MEANS:
            return _mean(values, self.weights)
        if single:
            return values
        if self.present is not None:
            values = np.where(self.present, values, np.nan)
        return mean_of_classes(values, self.weights) if self.average in _MEANS else values


_OF_ONE = ("binary", "micro")
_MEANS = ("macro", "weighted", "samples")


def averaged(
    tally: Tabulated,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    what: str = "average='binary'",
    either: bool = False,
) -> Averaged:
    """Counts from which a rate is read, selected by the rules of its average.

    ``what`` names the metric in errors; ``either``: its value is the same from both sides.

    Classes that occur in no row, true or predicted, are left out unless ``labels`` names them.
    """
    kept = getattr(tally, "kept", None)
    if kept is None or labels is not None:
        return _averaged(tally, labels, pos_label, average, what, either)
    key = "averaged", average, pos_label, either
    if key not in kept:
        kept[key] = _averaged(tally, None, pos_label, average, what, either)
    plan: Averaged = kept[key]
    return plan


def _averaged(
    tally: Tabulated, labels: Any, pos_label: Any, average: str | None, what: str, either: bool
) -> Averaged:
    if average == "binary":  # of one class, whatever others are listed
        if labels is not None:
            read_labels(labels)
        return Averaged(tally.of_class(positive_position(tally, pos_label, what, either)), average)
    if average == "samples":
        counts, weights = tally.by_row(labels)
        return Averaged(counts, average, weights)
    counts = tally.counts()
    if labels is None:
        return average_of(counts, average, tally.present(counts))
    positions = tally.positions(labels)
    if average is not None:  # a class listed twice is one class of an average
        listed = dict(zip(read_labels(labels).tolist(), positions.tolist(), strict=True))
        positions = np.array(list(listed.values()), dtype=np.int64)
    return average_of(counts.select(positions), average)


def average_of(counts: Counts, average: str | None, present: Array | None = None) -> Averaged:
    """The plan of an average over classes that are selected already."""
    if average == "micro":
        if present is not None:
            counts = Counts(*(np.where(present, part, 0) for part in counts.astuple()))
        return Averaged(counts.pool(), average)
    weights = counts.true if average == "weighted" else None
    return Averaged(counts, average, weights, present)


def positive_position(tally: Tabulated, pos_label: Any, what: str, either: bool = False) -> int:
    """Index of the positive class among the classes; -1 without rows."""
    kind, classes = tally.kind, tally.classes
    known = (classes if len(classes) <= 2 else tally.occurring()).tolist()
    if kind != "binary":
        options = [a for a in AVERAGES if kind == MULTILABEL or a != "samples"]
        raise InvalidParameterError(
            f"Target is {kind} but average='binary'. Please choose another average setting, one "
            f"of {options!r}."
        )
    is_usual = isinstance(pos_label, str | int | float) and len(known) == len(classes)
    if is_usual and pos_label in known:
        return known.index(pos_label)
    positive = positive_class(known, pos_label, what=what, either=either)
    listed = known if len(known) == len(classes) else classes.tolist()
    return listed.index(positive) if positive in listed else -1


def n_classes_of(counts: Counts, labels: Any = None) -> Array:
    """Number of classes of each table, (...): of ``labels``, or of those that occur."""
    if labels is not None:
        return np.asarray(counts.tp.shape[-1])
    return np.asarray(((counts.true + counts.pred).real != 0).sum(axis=-1))


def mean_of_all(values: Array, counts: Counts, labels: Any = None) -> Array:
    """Mean over the classes that `n_classes_of` counts; nan if one of them is nan."""
    if labels is None:
        values = np.where((counts.true + counts.pred).real == 0, 0.0, values)
    return divide(values.sum(axis=-1), n_classes_of(counts, labels))


# --------------------------------------------------------------------------- rankings of classes


class Rankings(Protocol):
    """Source of rankings for metrics: checked scores, draws of them, or merged ranges.

    ``binary``: a single ranking, of the positive class, instead of one for each of ``n_classes``;
    ``support`` (..., K) is the weight of each class.
    """

    @property
    def binary(self) -> bool: ...

    @property
    def n_classes(self) -> int: ...

    @property
    def support(self) -> Array: ...

    def value(self, kernel: RankKernel, code: int) -> Array:
        """The kernel of one class against the rest, (...)."""

    def pooled(self) -> RankTally:
        """Every cell of the score matrix as a row of one binary problem."""

    def by_row(self) -> tuple[list[RankTally], Array | None]:
        """The ranking of labels within each row of multilabel data, and the weights of rows."""

    def pairs(self, kernel: RankKernel) -> Array:
        """The kernel of column i between rows of class i and of class j, (..., K, K).

        Empty for multilabel data, whose rows are not of one class.
        """


class Convention(NamedTuple):
    """Values that scikit-learn returns for an undefined ranking metric.

    Parameters
    ----------
    undefined : float, default=nan
        Value of a class whose ranking is undefined.
    unweighted : float, default=nan
        Weighted mean over outputs if none has weight.
    """

    undefined: float = np.nan
    unweighted: float = np.nan


NO_CONVENTION = Convention()
ZERO_WITHOUT_WEIGHT = Convention(unweighted=0.0)
ZERO_WITHOUT_POSITIVES = Convention(undefined=0.0, unweighted=0.0)


def read_rankings(
    kernel: RankKernel,
    rankings: Rankings,
    average: str | None = "macro",
    multi_class: str = "ovr",
    *,
    convention: Convention = NO_CONVENTION,
    tell: Tell = None,
) -> Array:
    """A ranking metric of each class against the rest or of each pair of classes, averaged.

    ``tell`` is called if a value is 0/0. As in scikit-learn, a mean ignores pairs of classes
    without rows.
    """
    fill = convention.undefined
    if rankings.binary:
        return fill_undefined(rankings.value(kernel, 1), fill, tell)
    if average == "micro":
        return fill_undefined(kernel(rankings.pooled()), fill, tell)
    if average == "samples":
        each, weight = rankings.by_row()
        values = fill_undefined(np.array([float(kernel(row)) for row in each]), fill, tell)
        weight = np.ones(len(values)) if weight is None else weight
        return average_values(values, "weighted", weight)
    areas = rankings.pairs(kernel) if multi_class == "ovo" else np.empty(0)
    if areas.size:
        order = np.arange(rankings.n_classes)
        upper = order[:, None] < order  # (0, 1), (0, 2), ...
        values = (areas + areas.swapaxes(-1, -2))[..., upper] / 2
        if average is None:
            return fill_undefined(values, fill, tell)
        support = rankings.support
        both = (support[..., :, None] + support[..., None, :])[..., upper]
        return mean_of_classes(values, both if average == "weighted" else None)
    values = np.array([rankings.value(kernel, code) for code in range(rankings.n_classes)])
    if values.ndim > 1:
        values = np.moveaxis(values, 0, -1)
    values = fill_undefined(values, fill, tell)
    if average != "weighted":
        return average_values(values, average)
    support = rankings.support
    value = average_values(values, average, support)
    return np.where(support.any(axis=-1), value, convention.unweighted)


def is_pooled(average: str | None) -> bool:
    """Whether the classes are pooled before the metric is read."""
    return average == "micro"


# --------------------------------------------------------------------------- 0/0


def fill_undefined(values: Array, fill: Any, tell: Tell = None) -> Array:
    """Replace 0/0 by a value, 0 for "warn"; ``tell`` is called if there is any."""
    undefined = np.isnan(values)
    if not (undefined.any() if undefined.ndim else undefined):  # `any` of one number is slow
        return np.asarray(values)
    if tell is not None:
        tell(None, 1)
    return np.where(undefined, 0.0 if isinstance(fill, str) else fill, values)


def check_zero_division(zero_division: Any) -> None:
    """Accept 0, 1, nan and "warn"."""
    if isinstance(zero_division, str):
        valid = zero_division == "warn"
    elif isinstance(zero_division, Real) and not isinstance(zero_division, bool):
        valid = zero_division in (0, 1) or math.isnan(zero_division)
    else:
        valid = False
    if not valid:
        raise InvalidParameterError(
            f"zero_division has to be one of 'warn', 0, 1, nan, got {zero_division!r}."
        )

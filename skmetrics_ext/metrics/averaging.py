"""From the values of classes to the number a user asked for: averages, and what 0/0 means.

The only place that averages over classes. Everything broadcasts over leading axes: folds,
groups, thresholds, replicates, and complex tables whose imaginary part is a derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Protocol

import numpy as np

from skmetrics_ext.numeric import Array, divide, nan_average
from skmetrics_ext.tallies import Counts, RankTally
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option, warn_undefined
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.labels import find_labels, read_labels

RankKernel = Callable[[RankTally], Array]
# Called with the average and its number of values where one is 0/0.
Tell = Callable[[str | None, int], None] | None

AVERAGES = (None, "micro", "macro", "weighted", "samples")
# Not an average: the kernel is given the rates of every class, and joins them itself.
EACH_CLASS = "multiclass"


class Classes(Protocol):
    """What averages read: a confusion table, checked labels, or the counts of thresholds."""

    @property
    def classes(self) -> Array: ...

    def counts(self) -> Counts: ...


# --------------------------------------------------------------------------- means


def mean_of_classes(values: Array, weights: Array | None = None) -> Array:
    """Mean over the last axis of what is not nan.

    Weights that are all 0 there say nothing: the plain mean is taken, as scikit-learn does.
    """
    defined = ~np.isnan(values)
    if weights is None:
        if defined.all():
            return np.asarray(
                values.sum(axis=-1) / max(values.shape[-1], 1) if values.size else np.nan
            )
        return divide(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))
    weights = np.where(defined, weights, 0)
    total = weights.sum(axis=-1)
    # An infinite value of weight 0 has no say either.
    weighed = np.where(weights == 0, 0.0, values) * weights
    mean = divide(weighed.sum(axis=-1), total)
    if total.all():
        return mean
    return np.where(total == 0, mean_of_classes(values), mean)


def average_values(
    values: Array, average: str | None, support: Array | None = None, *, of_defined: bool = False
) -> Array:
    """Values of classes (..., K) by an average.

    A value that is nan makes the average nan, unless ``of_defined``; but a class without weight
    has no say in a weighted one.
    """
    if average is None:
        return values
    if average == "macro":
        return mean_of_classes(values) if of_defined else np.asarray(values.mean(axis=-1))
    assert support is not None
    weighed = np.where(support == 0, 0.0, values) * support
    if of_defined:
        return mean_of_classes(values, support)
    return divide(weighed.sum(axis=-1), support.sum(axis=-1))


# --------------------------------------------------------------------------- rates of classes


@dataclass(frozen=True, slots=True)
class Averaged:
    """Counts of what is averaged (..., K), how, and which classes a table has (None: all)."""

    counts: Counts
    average: str | None
    weights: Array | None = None
    present: Array | None = None

    def read(
        self,
        kernel: Callable[[Counts], Array],
        zero_division: Any = "warn",
        tell: Tell = None,
    ) -> Array:
        """A rate of each class, averaged; ``tell`` is called where one is 0/0 and warns."""
        values = kernel(self.counts)
        undefined = np.isnan(values)
        if undefined.any():
            if isinstance(zero_division, str):
                if tell is not None:
                    tell(self.average, values.shape[-1])
                zero_division = 0.0
            values = np.where(undefined, zero_division, values)
        if self.present is not None:
            values = np.where(self.present, values, np.nan)
        if self.average in (None, EACH_CLASS):
            return values
        if self.average in ("binary", "micro"):
            return np.asarray(values[..., 0])
        return mean_of_classes(values, self.weights)


def averaged(
    tally: Classes, labels: Any = None, pos_label: Any = 1, average: str | None = "binary"
) -> Averaged:
    """What a rate is read from, by the rules of its average.

    Classes that no row has, true or predicted, are not there unless ``labels`` names them.
    """
    counts = tally.counts()
    if average == "binary":
        place = find_labels(np.asarray([pos_label], dtype=object), tally.classes)
        return Averaged(counts.select(place), average)
    if labels is not None:
        return average_of(
            counts.select(distinct_positions(tally.classes, labels, average)), average
        )
    present = (counts.true + counts.pred) != 0
    return average_of(counts, average, None if present.all() else present)


def average_of(counts: Counts, average: str | None, present: Array | None = None) -> Averaged:
    """Counts of classes that were chosen before."""
    if average == "micro":
        if present is not None:
            counts = Counts(*(np.where(present, part, 0) for part in counts.astuple()))
        pooled = counts.pool()
        return Averaged(Counts(*(part[..., None] for part in pooled.astuple())), average)
    weights = counts.true if average == "weighted" else None
    return Averaged(counts, average, weights, present)


def distinct_positions(classes: Array, labels: Any, average: str | None) -> Array:
    """Where labels stand among the classes; one listed twice is one class of an average."""
    wanted = read_labels(labels)
    positions = find_labels(wanted, classes)
    if average is None:
        return positions
    listed = dict(zip(wanted.tolist(), positions.tolist(), strict=True))
    return np.array(list(listed.values()), dtype=np.int64)


def average_of_outputs(checked: Labels, labels: Any, average: str | None) -> Averaged:
    """Multilabel data: outputs are the classes, and "samples" averages over rows."""
    positions = checked.positions(labels)
    if average == "samples":
        rows = replace(checked.outputs(positions), weight=None)
        return Averaged(Counts.from_outputs(rows), average, checked.weight)
    return average_of(Counts.from_labels(checked).select(positions), average)


# --------------------------------------------------------------------------- rankings of classes


class Rankings(Protocol):
    """What metrics of rankings read: checked scores, draws of them, or merged ranges.

    ``binary`` says whether there is one ranking, that of the positive class, or one for each of
    ``n_classes``; ``support`` (..., K) is the weight of each class.
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
        """Every cell of the scores by classes as a row of one binary problem."""

    def by_row(self) -> tuple[list[RankTally], Array | None]:
        """The ranking of the classes within each row of multilabel data, and weights of rows."""

    def pairs(self, kernel: RankKernel) -> Array:
        """The kernel of column i between rows of class i and of class j, (..., K, K)."""


def read_rankings(
    kernel: RankKernel,
    rankings: Rankings,
    average: str | None = "macro",
    multi_class: str = "ovr",
    *,
    of_defined: bool = False,
) -> Array:
    """A metric of a ranking, of each class against the rest or of each pair, averaged."""
    if rankings.binary:
        return rankings.value(kernel, 1)
    if average == "micro":
        return kernel(rankings.pooled())
    if average == "samples":
        each, weight = rankings.by_row()
        values = np.array([float(kernel(one)) for one in each])
        weight = np.ones(len(values)) if weight is None else weight
        return average_values(values, "weighted", weight)
    if multi_class == "ovo":
        areas = rankings.pairs(kernel)
        order = np.arange(rankings.n_classes)
        upper = order[:, None] < order  # (0, 1), (0, 2), ...
        values = (areas[..., upper] + np.swapaxes(areas, -1, -2)[..., upper]) / 2
        if average is None:
            return values
        # Pairs of classes without rows do not exist for the mean, as in scikit-learn.
        own = rankings.support
        both = (own[..., :, None] + own[..., None, :])[..., upper]
        return mean_of_classes(values, both if average == "weighted" else None)
    each_class = [rankings.value(kernel, code) for code in range(rankings.n_classes)]
    return average_values(
        np.stack(each_class, axis=-1), average, rankings.support, of_defined=of_defined
    )


# --------------------------------------------------------------------------- 0/0


def fill_undefined(values: Array, fill: Any, tell: Tell = None) -> Array:
    """What is 0/0 set to a value; "warn" is 0. ``tell`` is called where there is any."""
    undefined = np.isnan(values)
    if not undefined.any():
        return np.asarray(values)
    if tell is not None:
        tell(None, 1)
    return np.where(undefined, 0.0 if isinstance(fill, str) else fill, values)


def check_zero_division(zero_division: Any, warn: bool = True) -> None:
    """Accept 0, 1, nan and, where there is a warning to give, "warn"."""
    if isinstance(zero_division, str):
        valid = warn and zero_division == "warn"
    elif isinstance(zero_division, Real) and not isinstance(zero_division, bool):
        valid = zero_division in (0, 1) or math.isnan(zero_division)
    else:
        valid = False
    if not valid:
        options = "'warn', " if warn else ""
        raise InvalidParameterError(
            f"zero_division has to be one of {options}0, 1, nan, got {zero_division!r}."
        )


def check_average(average: Any) -> None:
    check_option("average", average, (*AVERAGES, "binary"))


# ---- OLD, until every family has moved


@dataclass(frozen=True, slots=True)
class Rate:
    """A number read from the counts of one class, and what to tell of it.

    ``kernel`` gives nan where it is 0/0; ``title`` and ``cause`` say why in the warning:
    "{title} is ill-defined ... no {cause} samples". The rest documents it.
    """

    name: str
    kernel: Callable[[Counts], Array]
    title: str
    cause: str
    summary: str
    formula: str
    undefined: str
    source: str
    example: str
    greater_is_better: bool | None = True
    bounds: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class AveragePlan:
    """Counts of what is averaged, and the weights of the average."""

    counts: Counts
    average: str | None
    weights: Array | None

    @classmethod
    def make(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        pos_label: Any = 1,
        average: str | None = None,
        sample_weight: Any = None,
    ) -> AveragePlan:
        """Check the input and count once; any number of rates can then be read."""
        check_option("average", average, (*AVERAGES, "binary"))
        checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
        if average == "binary":
            labels = _binary_labels(checked, pos_label)
        elif pos_label is not None and pos_label != 1:
            warn_user(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' "
                f"(got {average!r}). You may use labels=[pos_label] to specify a single positive "
                "class."
            )
        positions = checked.positions(labels)
        if average == "samples":
            rows = replace(checked.outputs(positions), weight=None)
            return cls(Counts.from_outputs(rows), average, checked.weight)
        if average is not None:
            positions = _distinct(positions, labels)
        counts = Counts.from_labels(checked).select(positions)
        if average == "micro":
            counts = counts.pool()
            counts = Counts(*(part[None] for part in counts.astuple()))
        return cls(counts, average, counts.true if average == "weighted" else None)

    def read(self, rate: Rate, zero_division: Any = "warn") -> Any:
        """Value of a rate: a float, or an array of shape (K,) for ``average=None``."""
        values = rate.kernel(self.counts)
        undefined = np.isnan(values)
        if undefined.any():
            if isinstance(zero_division, str):
                _warn_rate(rate, self.average, len(values))
                zero_division = 0.0
            values = np.where(undefined, zero_division, values)
        if self.average is None:
            return values
        return nan_average(values, self.weights)


def rate_score(
    rate: Rate, y_true: Any, y_pred: Any, *, zero_division: Any = "warn", **options: Any
) -> Any:
    """Validate, count, average: the body of every public rate."""
    check_zero_division(zero_division)
    return AveragePlan.make(y_true, y_pred, **options).read(rate, zero_division)


def _binary_labels(checked: Labels, pos_label: Any) -> list[Any]:
    if checked.kind != "binary":
        options = [a for a in AVERAGES if checked.is_multilabel or a != "samples"]
        raise InvalidParameterError(
            f"Target is {checked.kind} but average='binary'. Please choose another average "
            f"setting, one of {options!r}."
        )
    present = checked.classes
    if len(present) >= 2 and pos_label not in present.tolist():
        raise InvalidParameterError(
            f"pos_label={pos_label} is not a valid label. It should be one of {present}"
        )
    return [pos_label]


def _distinct(positions: Array, labels: Any) -> Array:
    """A class listed twice in ``labels`` is one class of an average."""
    if labels is None:
        return positions
    listed = list(dict.fromkeys(zip(np.asarray(labels).tolist(), positions, strict=True)))
    return np.array([position for _, position in listed], dtype=np.int64)


def _warn_rate(rate: Rate, average: str | None, n_values: int) -> None:
    thing, place = ("labels", "samples") if average == "samples" else ("samples", "labels")
    where = "due to" if n_values == 1 else f"in {place} with"
    warn_undefined(
        f"{rate.title} is ill-defined and being set to 0.0 {where} no {rate.cause} {thing}. "
        "Use `zero_division` parameter to control this behavior."
    )

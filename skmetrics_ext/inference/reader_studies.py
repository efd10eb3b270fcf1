"""Several readers judge the same cases: a metric with both sources of variation.

Readers may be people, judges, prompts or seeds. The variance is that of Obuchowski & Rockette with
Hillis' degrees of freedom, from the contributions of cases to the value of each reader.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from math import ceil
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext.inference.area_power import MOST_ROWS, least_rows
from skmetrics_ext.inference.draws import readers as rows_of
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.margins import Asked, Claim, Contrast
from skmetrics_ext.inference.methods import facts_of_both
from skmetrics_ext.inference.notes import ROUNDING
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.inference.t_tests import t_intervals
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows, missing_rows, take_rows
from skmetrics_ext.validation.groups import read_names
from skmetrics_ext.validation.parameters import check_number
from skmetrics_ext.validation.tensors import to_host

ReadersAre = Literal["random", "fixed"]
READER_KINDS = ("random", "fixed")
# Arguments of a call that apply with readers=, too.
KEPT = (
    *("alternative", "margin", "goal", "threshold", "confidence_level", "groups", "random_state"),
    *("readers", "readers_are", "n_jobs", "progress", "abstain", "abstained"),
)
METHOD = "obuchowski-rockette"
ONE_READER = "one reader: the interval says nothing about other readers"
_TWO_READERS = "two readers show little of how readers differ: add readers"
_LIKE_CHANCE = "the readers differ less than chance explains"
_MOST_READERS = 100_000  # that are planned
_ONE_CASE = "a reader has a single case of a class, which shows no variance: there is no interval"
_NO_SPREAD = "neither readers nor cases show any variation, so there is no interval"


class Side(NamedTuple):
    """Values of readers (R,), and contributions of cases to each (R, C)."""

    values: Array
    parts: Array

    @property
    def of_mean(self) -> Array:
        """Contributions of cases to the mean of the readers."""
        return np.asarray(self.parts.mean(axis=0))

    @property
    def spread(self) -> float:
        """Variance between readers, as observed."""
        return float(self.values.var(ddof=1)) if len(self.values) > 1 else np.nan

    @property
    def own(self) -> float:
        """Mean variance of a reader's value over cases."""
        return float((self.parts**2).sum(axis=1).mean())

    @property
    def shared(self) -> float:
        """Mean covariance of two readers."""
        n, total = len(self.values), float((self.of_mean**2).sum())
        return (n * total - self.own) / (n - 1) if n > 1 else 0.0


class Study(NamedTuple):
    """A metric of each reader, or its difference between two models.

    ``sides`` has one side, or one for each model if no reader used both.
    """

    metric: Metric
    values: Array  # mean of the readers, by model
    sides: tuple[Side, ...]
    statistic: Linearized  # of all rows of the first model
    n_cases: int
    note: str
    log: bool = False

    @property
    def value(self) -> float:
        """The mean over readers, or the difference of means."""
        return float(sum(side.values.mean() for side in self.sides))

    @property
    def shared(self) -> float:
        """Variance that more readers do not reduce."""
        total = sum(side.shared for side in self.sides)
        if len(self.sides) == 2:
            total += 2 * float(self.sides[0].of_mean @ self.sides[1].of_mean)
        return max(total, 0.0)

    @property
    def is_of_one_reader(self) -> bool:
        """Whether it is an ordinary sample of cases."""
        return len(self.sides) == 1 and len(self.sides[0].values) == 1 and not self.note

    def errors(self) -> dict[str, tuple[float, float]]:
        """Standard error and degrees of freedom, for readers that are random or fixed."""
        sizes = np.array([len(side.values) for side in self.sides])
        between = np.array([side.spread for side in self.sides]) / sizes
        variance = float(between.sum()) + self.shared
        with np.errstate(all="ignore"):
            freedom = float(variance**2 / (between**2 / (sizes - 1)).sum())
        total = np.sum([side.of_mean for side in self.sides], axis=0)
        fixed = float(total @ total)
        return {"random": (variance**0.5, freedom), "fixed": (fixed**0.5, np.inf)}


# --------------------------------------------------------------------------- reading


def refuse_others(
    function: Callable[..., Any], why: str, given: Mapping[str, Any], kept: Collection[str] = ()
) -> None:
    """Refuse keyword arguments, but for those that are kept, of other value than their default."""
    for name, parameter in inspect.signature(function).parameters.items():
        if name in given and name not in kept and parameter.kind is parameter.KEYWORD_ONLY:
            value = given[name]
            if np.ndim(value) or value != parameter.default:
                raise InvalidParameterError(f"{name} is not available {why}.")


def read_study(
    metric: Metric,
    y_true: Any,
    models: Mapping[str, Any],
    groups: Any,
    readers: Any,
    *,
    log: bool = False,
) -> Study:
    """The values of all readers, or their logarithms.

    A missing prediction of one of two models was not read.
    """
    if groups is None or not metric.spec.is_known:
        found = "groups is None" if groups is None else f"metric is {metric.name}"
        raise InvalidParameterError(
            f"{found}: readers= needs groups=, the case of each row (one row for each reader and "
            "case), and a metric of this package."
        )
    n_rows = count_rows(y_true) or 0
    columns = {"y_true": y_true, **models}
    indexed = {k: data for k, data in columns.items() if not isinstance(data, np.ma.MaskedArray)}
    reader, names = read_names("readers", readers, n_rows, **indexed)
    case, cases = read_names("groups", groups, n_rows, **indexed)
    found_sides: list[Side] = []
    truths: dict[int, Any] = {}
    first, n_read = None, 0
    for name, pred in models.items():
        kept = np.flatnonzero(_is_read(y_true, pred, len(models) > 1))
        _refuse_repeated(reader[kept], case[kept], names, cases, name)
        is_whole = len(kept) == n_rows
        y, p = (y_true, pred) if is_whole else (take_rows(y_true, kept), take_rows(pred, kept))
        with rows_of.errors_naming(name):
            whole = rows_of.sample_of_checked(*rows_of.check_rows(metric, y, p, None))
        rows_of.check_single_value("readers=", metric, whole.value)
        _refuse_two_truths(whole, case[kept], cases, truths)
        values, parts = np.full(len(names), np.nan), np.zeros((len(names), len(cases)))
        for r in np.unique(reader[kept]):
            own = np.flatnonzero(reader[kept] == r)
            values[r], parts[r, case[kept][own]] = _of_reader(whole, own, names[r], log=log)
        found_sides.append(Side(values, parts))
        first, n_read = first or linearize(whole), n_read + len(kept)
    n_all = len(models) * len(names) * len(cases)
    note = "" if n_read == n_all else f"not fully crossed: {n_read:,} of {n_all:,} readings"
    means = np.array([np.nanmean(side.values) for side in found_sides])
    sides = _joined(found_sides, names)
    assert first is not None
    means = np.exp(means) if log else means
    return Study(metric, means, sides, first, len(cases), note, log)


def _is_read(y_true: Any, pred: Any, may_lack: bool) -> Array:
    """Rows with a label, and with a prediction unless a missing one is an error."""
    read = np.ones(count_rows(y_true) or 0, dtype=bool)
    for data in (y_true, pred):
        if isinstance(data, np.ma.MaskedArray) or (may_lack and data is pred):
            data = to_host(data, "pred")
            two = len(getattr(data, "shape", ())) == 2
            lacking = np.isnan(np.asarray(data, dtype=np.float64)) if two else missing_rows(data)
            read &= ~lacking.reshape(len(lacking), -1).any(axis=1)
    return read


def _of_reader(whole: Any, rows: Array, name: Any, *, log: bool) -> tuple[float, Array]:
    """The metric of one reader, and the contribution of each of the reader's cases.

    Contributions are scaled by the root of n / (n - 1) of each class, as in DeLong's variance.
    """
    part = rows_of.part_of(whole, rows)
    statistic, true, value = linearize(part), part.data.true, float(part.value)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(np.log(value)) if log else value
    n_classes = len(np.unique(whole.data.true)) if whole.metric.takes("average") else 1
    if statistic.undefined or not np.isfinite(value) or len(np.unique(true)) < n_classes:
        raise InvalidParameterError(
            f"reader {name!r} has no finite value of {whole.metric.name}, or no case of one of the "
            f"classes, in {len(rows)} rows: leave the reader out, or add such cases."
        )
    if not statistic.has_influence:
        raise InvalidParameterError(
            f"readers= needs a metric with influence_values, and {whole.metric.name} of these data "
            "has none: take the value of each reader, and draw readers and cases."
        )
    label = true if true.ndim == 1 else np.zeros(len(rows), dtype=np.int64)
    size = np.bincount(label)[label].astype(np.float64)
    own = (statistic.on_log() if log else statistic).by_row[0]
    return value, own * np.sqrt(size / np.where(size > 1, size - 1, np.nan))


def _refuse_repeated(reader: Array, case: Array, names: Any, cases: Any, model: str) -> None:
    cells = reader * len(cases) + case
    first, counts = np.unique(cells, return_counts=True)
    if (counts > 1).any():
        r, c = divmod(int(first[np.argmax(counts > 1)]), len(cases))
        raise InvalidParameterError(
            f"{model} has {counts.max()} rows of reader {names[r]!r} and case {cases[c]!r}: "
            "readers= needs one row for each reader and case, with the case in groups=."
        )


def _refuse_two_truths(whole: Any, case: Array, cases: Any, known: dict[int, Any]) -> None:
    """Refuse a case whose true label is not that of its first row, by the label itself."""
    true = whole.data.true
    dense = true.toarray() if hasattr(true, "toarray") else true
    labels = whole.data.classes[true] if true.ndim == 1 else dense
    for number, label in zip(case.tolist(), labels.tolist(), strict=True):
        if known.setdefault(number, label) != label:
            raise InvalidParameterError(
                f"case {cases[number]!r} has two true labels: y_true must be the same in all rows "
                "of a case, which groups= names."
            )


def _joined(sides: list[Side], names: Any) -> tuple[Side, ...]:
    """One side of differences if the readers used both models, else a side for each model."""
    if len(sides) == 1:
        return (sides[0],)
    a, b = sides
    in_a, in_b = np.isfinite(a.values), np.isfinite(b.values)
    if (in_a & in_b).all():
        return (Side(a.values - b.values, a.parts - b.parts),)
    if (in_a & in_b).any():
        name = names[int(np.argmin(in_a & in_b))]
        raise InvalidParameterError(
            f"reader {name!r} used one of both models and other readers used both: leave the "
            "reader out."
        )
    return Side(a.values[in_a], a.parts[in_a]), Side(-b.values[in_b], -b.parts[in_b])


# --------------------------------------------------------------------------- results


def reader_interval(
    study: Study, readers_are: str, level: float, claim: Claim | None = None
) -> Estimate:
    """The interval of a study, and of two models the test of the claim."""
    check_option("readers_are", readers_are, READER_KINDS)
    value, sizes = study.value, [len(side.values) for side in study.sides]
    kind = readers_are if min(sizes) > 1 else "fixed"
    low, high = study.metric.bounds(len(study.statistic.origin.data.classes))
    limits = (low, high) if claim is None else (low - high, high - low)
    limits = (-np.inf, np.inf) if study.log else limits
    errors, ends = study.errors(), {}
    for name, (error, freedom) in errors.items():
        away = error * quantile(level, freedom if np.isfinite(freedom) else None)
        ends[name] = np.clip((value - away, value + away), *limits)
    error, freedom = errors[kind]
    notes = [study.note]
    if kind == "random":
        notes += [_TWO_READERS] * (min(sizes) == 2)
        notes += [_LIKE_CHANCE] * bool(np.ptp(ends["random"]) < np.ptp(ends["fixed"]))
        notes.append("these readers alone: [{:.4g}, {:.4g}]".format(*ends["fixed"]))
    elif min(sizes) == 1:
        notes.append(ONE_READER)
    if not error > ROUNDING * max(abs(value), 1.0):
        error, notes = np.nan, [_ONE_CASE if np.isnan(error) else _NO_SPREAD]
    note = "; ".join(filter(None, notes))
    method = f"{'log_ratio, ' * study.log}{METHOD}, {' and '.join(map(str, sizes))} {kind} readers"
    low, high = ends[kind].tolist() if error > 0 else (np.nan, np.nan)
    if claim is None:
        found = Estimate(value, low, high, error, method, level, note)
    else:
        first, second = study.values.tolist()
        contrast = Contrast(value, (first, second), method, Asked(level, claim))
        numbers = np.array([error]), np.array([freedom]), limits[1], [note]
        (found,) = t_intervals([contrast], *numbers)
    known = Facts(freedom=freedom if np.isfinite(freedom) else None)
    facts = replace(facts_of_both(known, study.statistic), clusters="")
    return replace(found, facts=facts, n_groups=study.n_cases)


def of_one_reader(estimate: Any) -> Any:
    """The ordinary estimate of one reader's cases, with the note."""
    return replace(estimate, note="; ".join(filter(None, [ONE_READER, estimate.note])))


# --------------------------------------------------------------------------- planning


def plan_of_study(
    study: Study, level: float, width: float, readers: Any, cases: Any
) -> tuple[int, int, float]:
    """Numbers of readers and cases for an interval of this width, and its standard error.

    One number is given and the other one is the least that is enough. The variance between
    readers that cases do not explain stays; the others are as 1 / cases.
    """
    if len(study.sides) > 1 or study.note or study.is_of_one_reader:
        raise InvalidParameterError(
            f"the pilot has {len(study.sides[0].values)} readers"
            f"{', ' + study.note if study.note else ''}: it needs two readers or more who all "
            "read all cases."
        )
    (side,) = study.sides
    lasting = max(side.spread - side.own + side.shared, 0.0)

    def error_and_excess(n_readers: Any, n_cases: Any) -> tuple[Any, Any]:
        times = study.n_cases / n_cases
        between = (lasting + (side.own - side.shared) * times) / n_readers
        variance = between + study.shared * times
        freedom = variance**2 * (n_readers - 1) / between**2
        return np.sqrt(variance), width - 2 * quantile(level, freedom) * np.sqrt(variance)

    numbers = np.arange(2, _MOST_READERS)
    if readers is None:
        n_cases = int(check_number("cases", cases, 2))
        enough = numbers[error_and_excess(numbers, n_cases)[1] >= 0]
        if not len(enough):
            raise InvalidParameterError(
                f"no number of readers gives width={width:g} with {n_cases} cases: cases alone "
                "are too uncertain. Pass more cases."
            )
        n_readers = int(enough[0])
    else:
        n_readers = int(check_number("readers", readers, 2))
        if error_and_excess(n_readers, MOST_ROWS)[1] < 0:
            enough = numbers[error_and_excess(numbers, MOST_ROWS)[1] >= 0]
            raise InvalidParameterError(
                f"no number of cases gives width={width:g} with {n_readers} readers, who differ "
                f"by a standard deviation of {lasting**0.5:.3g}: pass readers={enough[0]} or more."
            )
        least = least_rows(lambda n: error_and_excess(n_readers, n)[1], 1.0)
        n_cases = ceil(least * (1 - 1e-9))
    return n_readers, n_cases, float(error_and_excess(n_readers, n_cases)[0])

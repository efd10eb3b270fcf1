"""When two estimates are of the same rows, and how the rows of an estimate are read again.

An estimate holds the arrays of its call by reference and no number for each row: its statistic is
read again when it is computed with. Equal true labels in the same order, groups, strata and
frequencies are taken as the same rows, as pROC does. A pair taken wrongly costs little: the
contributions of unrelated rows have no covariance within a class. A pair that is missed makes the
interval several times as wide. ``rows=`` decides either way.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.algebra import Leaf
from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.labelling import Labelling, naming_labelling
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_column

_CHECKED = 4096  # numbers of each array in a checksum
_OF_SUMS = (
    "these estimates hold sums, not rows, so it is unknown which rows they share: pass rows= with "
    "the name of the rows to each"
)
_WITHOUT_LABELS = (
    "an estimate of contributions has no labels by which its rows are recognised: pass rows= with "
    "the name of the rows to both"
)
_ONE_EVALUATION = (
    "two estimates of one evaluation of sums cannot be subtracted: sums do not show how they vary "
    "together. Compute them from rows."
)
_ONE_OF_SEVERAL = "one of several values of this metric is not computed with: ask for an average"


class Separate:
    """The name of rows that are those of no other estimate."""


@dataclass(frozen=True, eq=False)
class Given:
    """The arguments of a call, by reference, from which a statistic is read again.

    ``checksum`` is that of the rows when they were read first, and ``place`` that of one of several
    values.
    """

    metric: Metric
    y_true: Any
    y_pred: Any
    sample_weight: Any = None
    groups: Any = None
    strata: Any = None
    weights_are: str = "importance"
    labelling: Labelling | None = None
    checksum: int = 0
    place: int | None = None

    def statistic(self) -> Linearized:
        """The statistic of the rows."""
        design = self.sample_weight, self.groups, self.strata, self.weights_are
        rows = self.metric, self.y_true, self.y_pred, *design
        if self.labelling is not None:
            return self.labelling.statistic(*rows)
        with naming_labelling():
            return linearize(readers.sample_of_rows(*rows))

    def __call__(self) -> Linearized:
        """The statistic, read again; an error if its arrays were changed."""
        statistic = value_of(self.statistic(), self.place)
        assert isinstance(statistic, Linearized)
        if checksum_of(statistic) != self.checksum:
            raise InvalidParameterError(
                f"the arrays of this {self.metric.name} have changed since it was computed: "
                "compute it again, or pass copies."
            )
        return statistic


def leaf_of(given: Given, statistic: Linearized, **identity: Any) -> Leaf:
    """The leaf of a statistic, whose arguments are held by reference."""
    given = replace(given, checksum=checksum_of(statistic))
    rows = identity.pop("rows", None)
    if rows is not None and not isinstance(rows, Separate):
        rows = read_identities(rows, statistic, given.sample_weight)
    sample = statistic.origin
    value = np.nan if statistic.undefined else float(statistic.value)
    return Leaf(value, sample.metric, given, rows, bounds=statistic.bounds, **identity)


def value_of(statistic: Linearized | str, place: int | None) -> Linearized | str:
    """The statistic of one of several values, by its place, or why there is none."""
    if isinstance(statistic, str) or place is None:
        return statistic
    classes = readers.samples_of_classes(statistic.origin)
    return linearize(classes[place]) if classes else _ONE_OF_SEVERAL


def read_identities(rows: Any, statistic: Linearized, sample_weight: Any = None) -> Any:
    """The name of the rows, or an identity of each that has weight."""
    if rows is None or isinstance(rows, str):
        return rows
    values, n_rows = read_column(rows, "rows").labels, statistic.by_row[0].shape[-1]
    if sample_weight is not None and values.ndim == 1:
        weight = read_column(sample_weight, "sample_weight").values
        values = values[weight != 0] if len(values) == len(weight) else values
    if values.shape != (n_rows,):
        raise InvalidParameterError(
            "rows must be a name, or have one value for each row, got an array of shape "
            f"{values.shape}."
        )
    return values


def checksum_of(statistic: Linearized) -> int:
    """A checksum of the value, and of rows that are evenly spaced in each array."""
    checksum = zlib.crc32(np.float64(statistic.value).tobytes())
    data = getattr(statistic.origin, "data", statistic.origin)
    for name in ("true", "pred", "score", "proba", "weight", "y_true", "y_pred"):
        values = getattr(data, name, None)
        if values is None or (isinstance(values, np.ndarray) and values.dtype.kind == "O"):
            continue
        if not isinstance(values, np.ndarray):
            values = read_column(values, name).values
        step = -(-max(len(values), 1) // _CHECKED)
        checksum = zlib.crc32(np.ascontiguousarray(values[::step]).tobytes(), checksum)
    return checksum


# --------------------------------------------------------------------------- relations


def related(first: tuple[Leaf, Linearized], second: tuple[Leaf, Linearized]) -> str:
    """Whether two leaves are of the "same" rows, "shared" ones, or "none" in common."""
    (a, of_a), (b, of_b) = first, second
    if a.rows is not None and b.rows is not None:
        return _by_names(a.rows, b.rows)
    if a.source is not None and a.source is b.source:
        own, others = _numbers(of_a), _numbers(of_b)
        if own is not None and others is not None and not np.array_equal(own, others):
            return "shared"  # rows or clusters, if any
        if not (_has_rows(*first) and _has_rows(*second)):
            raise InvalidParameterError(_ONE_EVALUATION)
        return "same"
    if not (_has_rows(*first) and _has_rows(*second)):
        raise InvalidParameterError(_OF_SUMS)
    if "known" in (of_a.origin.kind, of_b.origin.kind):
        raise InvalidParameterError(_WITHOUT_LABELS)
    return "same" if _have_equal_rows(of_a, of_b) else "none"


def _numbers(statistic: Linearized) -> Array | None:
    """Numbers of rows, or of the cells of sums, in the data set."""
    number: Array | None = statistic.design.number
    return statistic.atoms.number if number is None else number


def _by_names(a: Any, b: Any) -> str:
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        is_name = type(a) is type(b) is str
        return "same" if a is b or (is_name and a == b) else "none"
    if np.array_equal(a, b):
        return "same"
    return "shared" if np.isin(a, b).any() else "none"


def _has_rows(leaf: Leaf, statistic: Linearized) -> bool:
    """Whether rows are known, and not only sums of them."""
    if isinstance(getattr(leaf.read, "y_true", None), ConfusionTally):
        return False
    return not (getattr(statistic.origin, "known", None) and statistic.atoms.codes is None)


def _have_equal_rows(first: Linearized, second: Linearized) -> bool:
    """Whether labels, groups, strata and frequencies are equal, in the same order."""
    a, b = first.design, second.design
    for name in ("group", "stratum", "sizes"):
        if not _are_equal(getattr(a, name), getattr(b, name)):
            return False
    return _are_equal(_labels(first.origin), _labels(second.origin))


def _are_equal(a: Array | None, b: Array | None) -> bool:
    if a is None or b is None:
        return a is b
    return a is b or (a.shape == b.shape and bool(np.all(a == b)))


def _labels(sample: Any) -> Array:
    """The true labels as the user gave them, not their codes."""
    if not hasattr(sample, "data"):
        return np.asarray(read_column(sample.y_true, "y_true").labels)
    data: Any = getattr(sample, "given", None) or sample.data
    is_coded = data.true.ndim == 1 and data.true.dtype.kind == "i"
    return np.asarray(np.asarray(data.classes)[data.true] if is_coded else data.true)

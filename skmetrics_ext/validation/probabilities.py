"""Probabilities of the classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array, row_sums
from skmetrics_ext.validation.column_names import check_last_names
from skmetrics_ext.validation.containers import Column, read_column
from skmetrics_ext.validation.errors import InvalidParameterError, warn_user
from skmetrics_ext.validation.labels import checked_before, read_labels, same_positive
from skmetrics_ext.validation.positive import natural_positive, one_class, positive_of
from skmetrics_ext.validation.scores import (
    ANY_LABELS,
    ONE_CLASS,
    SUM_TOLERANCE,
    Accepted,
    ColumnCount,
    Scores,
    check_names_of_two,
    dense_marks,
    read_scored,
)
from skmetrics_ext.validation.targets import MULTILABEL

# Rounding in a softmax stays well inside these; what lies further out is no probability.
RANGE_TOLERANCE = 1e-8
# Spacing at 1 of float32 and float64, by their bytes.
_EPS = {size: float(np.finfo(f"f{size}").eps) for size in (4, 8)}
_NO_SUM = "The y_prob values do not sum to one"
_COLUMNS = ColumnCount(
    "The number of classes in labels is different from that in y_prob. Classes found in labels: "
    "{array} ({n_classes}), columns of y_proba: {n_columns}.",
    "y_true and y_prob contain different number of classes: {n_classes} vs {n_columns}. Please "
    "provide the true labels explicitly through the labels argument. Classes found in y_true: "
    "{array}, columns of y_proba: {n_columns}",
)
_INDICATORS = (
    f"{ONE_CLASS.refusal.format(MULTILABEL)} Pass one column of both at a time: each output is a "
    "question of two classes."
)
_BINARY = Accepted(
    ("binary",),
    "The type of the target inferred from y_true is {} but should be binary according to the "
    "shape of y_prob. y_proba of two classes is one column, or two; of one class among others "
    "pass y_true == k and column k.",
)
# Kinds of probabilities in the place of labels.
_SOFT = ("continuous", "continuous-multioutput")


@dataclass(frozen=True, eq=False, slots=True)
class Probabilities:
    """Checked true labels and probabilities.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes in the order of the codes and of the columns.
    true : ndarray of shape (n,) or (n, K)
        Codes into ``classes``, multilabel indicators, or probabilities in the place of labels.
    proba : ndarray of float64 of shape (n, K) or (n,)
        In [0, 1]; one column is that of the last of two classes.
    weight : ndarray of shape (n,) or None
    eps : float
        Spacing of the dtype that the probabilities came in, for clipping in logarithms.
    absolute : bool
        Whether the weights are in the unit that the caller gave.
    cache : dict
        Values already computed from these rows.
    """

    classes: Array
    true: Array
    proba: Array
    weight: Array | None
    eps: float
    absolute: bool = False
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def check(
        cls,
        y_true: Any,
        y_proba: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        absolute: bool = False,
        strict: bool = False,
        tell: bool = True,
        soft: bool = False,
    ) -> Self:
        """Check and encode. ``labels`` is the order of the columns, sorted or not.

        ``soft`` accepts probabilities as true labels, which ``true`` (n, K) then holds.
        ``strict`` refuses multilabel indicators and rows that do not sum to 1; otherwise such rows
        give a warning (``tell``) or a `note`. Checked probabilities are returned as they are.
        """
        checked = checked_before(cls, y_true, y_proba, labels, sample_weight, absolute)
        if checked is not None:
            return checked._strictly() if strict else checked
        target, columns, column, weight = read_scored(
            y_true,
            y_proba,
            sample_weight,
            absolute,
            name="y_proba",
            accepted=ANY_LABELS.with_kinds(*_SOFT) if soft else ANY_LABELS,
        )
        if strict and target.kind == MULTILABEL:
            raise InvalidParameterError(_INDICATORS)
        eps = _EPS[columns.dtype.itemsize]
        proba = _one_or_each(columns)
        if target.kind in (MULTILABEL, *_SOFT):  # no row is of one class
            proba = _of_each(proba)
        if target.kind == MULTILABEL:
            codes = dense_marks(target.values)
            classes = np.arange(codes.shape[1])
        elif target.kind in _SOFT:
            codes = soft_labels(target.values, proba.shape[1])
            classes = np.arange(proba.shape[1]) if labels is None else read_labels(labels)
        else:
            target = target.in_order_of(labels, "y_proba")
            classes, codes = target.classes, target.codes
        _check_classes(classes, proba, labels)
        check_last_names(column.names, classes, column.name)
        if strict and proba.ndim == 2:  # one column sums to 1 with its complement
            check_sums(proba, column)
        problem = "" if strict or proba.ndim == 1 else row_sum_problem(proba, eps)
        if problem and tell:
            warn_user(f"{_NO_SUM}. Make sure to pass probabilities ({problem}).")
        # Whether the order of the classes was declared does not show in the numbers.
        ordered = labels is not None or target.ordered
        cache = {"ordered": ordered, "no_sum": bool(problem)}
        return cls(classes, codes, proba, weight, eps, absolute, cache)

    @classmethod
    def of_codes(cls, classes: Array, codes: Array, columns: Array, weight: Array | None) -> Self:
        """Finite probabilities of rows whose classes are encoded; only their range is checked."""
        eps = _EPS[columns.dtype.itemsize]
        proba = in_range(columns, "lower than")
        cache = {"no_sum": bool(row_sum_problem(proba, eps))}
        return cls(classes, codes, proba, weight, eps, cache=cache)

    @property
    def note(self) -> str:
        """Note for a number computed from these; empty if there is none."""
        return f"{_NO_SUM}, and are taken as they are" if self.cache.get("no_sum") else ""

    @classmethod
    def check_strict(
        cls,
        y_true: Any,
        y_proba: Any,
        *,
        labels: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        side: str = "either",
        what: str = "The metric",
    ) -> Self:
        """Check for metrics that scikit-learn lacks: rows have to sum to 1.

        A single column holds the probabilities of ``pos_label``, with ``side`` and ``what`` as in
        `Scores.check`; with a column for each class, ``pos_label`` is ignored.
        """
        checked = checked_before(cls, y_true, y_proba, labels, sample_weight)
        if checked is not None:
            return checked._strictly()
        if n_columns(y_proba) == 1:
            options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
            return cls.check_binary(y_true, y_proba, **options, side=side, what=what)
        return cls.check(y_true, y_proba, labels=labels, sample_weight=sample_weight, strict=True)

    def of_one_label(self) -> Self:
        """These probabilities; multilabel rows, for which sums over outputs mean little, raise."""
        if self.true.ndim == 2 and self.true.dtype.kind != "f":
            raise InvalidParameterError(_INDICATORS)
        return self

    def _strictly(self) -> Self:
        self.of_one_label()
        if self.proba.ndim == 2 and "sums" not in self.cache:
            check_sums(self.proba, None)
            self.cache["sums"] = True
        return self

    @classmethod
    def check_binary(
        cls,
        y_true: Any,
        y_proba: Any,
        *,
        labels: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        absolute: bool = False,
        side: str = "either",
        what: str = "The metric",
        soft: bool = False,
    ) -> Self:
        """Check the probabilities of one of two classes, as one column.

        Both columns of ``predict_proba`` may be given. ``soft`` accepts probabilities of the
        positive class as true labels.

        ``side`` and ``what`` are as in `Scores.check`; "numbers" is scikit-learn's rule for the
        Brier score: the greater of two numbers is positive, text needs ``pos_label``.
        """
        checked = checked_before(cls, y_true, y_proba, labels, sample_weight, absolute)
        if checked is not None:
            return same_positive(checked.as_binary(), pos_label)
        target, columns, column, weight = read_scored(
            y_true,
            y_proba,
            sample_weight,
            absolute,
            name="y_proba",
            accepted=_BINARY.with_kinds(_SOFT[0]) if soft else _BINARY,
        )
        eps = _EPS[columns.dtype.itemsize]
        columns = in_range(columns, "less than")
        if target.kind == _SOFT[0]:
            true = soft_labels(target.values, 2)[:, 1]
            if pos_label is not None:
                raise InvalidParameterError(
                    f"y_true holds probabilities of the positive class, and no labels: leave out "
                    f"pos_label={pos_label!r}."
                )
            return cls(np.arange(2), true, columns.reshape(-1), weight, eps, absolute)
        target = target.two_classes(labels, "y_proba")
        classes, n_columns = target.classes, 1 if columns.ndim == 1 else columns.shape[1]
        positive = positive_of(classes, labels, pos_label, side, what, n_columns)
        # Only one of two usual labels tells which column is that of the other.
        stated = pos_label is not None or (
            len(classes) == 1 and natural_positive(classes.tolist()) is None
        )
        order, marks, place = one_class(classes, target.codes, positive, stated)
        check_names_of_two(column, classes, positive)
        proba = column_of(columns, column, classes, place)
        return cls(order, marks, proba, weight, eps, absolute)

    @property
    def columns(self) -> Array:
        """Probabilities of each class, (n, K)."""
        return _of_each(self.proba)

    def as_scores(self) -> Scores:
        """Scores of the last of two classes, or of every class."""
        if "scores" not in self.cache:
            score, kind = self.proba, "multiclass"
            if self.true.ndim == 2:
                kind = MULTILABEL
            elif score.ndim == 1:
                kind = "binary"
            elif score.shape[1] == 2:
                score, kind = np.ascontiguousarray(score[:, 1]), "binary"
            self.cache["scores"] = Scores(kind, self.classes, self.true, score, self.weight)
        return self.cache["scores"]

    def as_binary(self) -> Self:
        """One column, that of the last of two classes."""
        if self.proba.ndim == 1:
            return self
        if self.true.ndim == 2 or self.proba.shape[1] != 2:
            kind = MULTILABEL if self.true.ndim == 2 else "multiclass"
            raise InvalidParameterError(_BINARY.refusal.format(kind))
        if "binary" not in self.cache:
            check_sums(self.proba, None)
            self.cache["binary"] = replace(self, proba=self.as_scores().score, cache={})
        return self.cache["binary"]

    def top_label(self) -> Self:
        """Largest probability of each row, and whether its class is the true one."""
        proba = self.columns
        return self._event(proba.max(axis=1), proba.argmax(axis=1) == self.true)

    def each_class(self) -> list[Self]:
        """Each class against the rest."""
        columns = enumerate(np.ascontiguousarray(self.columns.T))
        return [self._event(column, self.true == code) for code, column in columns]

    def _event(self, proba: Array, happened: Array) -> Self:
        marks = happened.astype(np.int64)
        return type(self)(np.arange(2), marks, proba, self.weight, self.eps)

    @property
    def weights(self) -> Array:
        """Weight of each row as float64, 1 where none were given."""
        if self.weight is None:
            return np.ones(len(self.proba))
        return self.weight.astype(np.float64, copy=False)


def n_columns(y_proba: Any, name: str = "y_proba") -> int:
    """Number of columns; 1 for a vector."""
    proba = y_proba.proba if isinstance(y_proba, Probabilities) else y_proba
    array = proba if type(proba) is np.ndarray else read_column(proba, name).values
    return 1 if array.ndim < 2 else int(array.shape[1])


def soft_labels(values: Array, n_columns: int) -> Array:
    """True labels that are probabilities, (n, K); one column is that of the positive class."""
    what = "y_true is continuous, which is read as the probability of each class"
    if values.min() < 0 or values.max() > 1:
        raise InvalidParameterError(
            f"{what}, and lies between {values.min():g} and {values.max():g}: labels are integers, "
            "text, booleans or categories, probabilities lie between 0 and 1."
        )
    soft = values if values.ndim == 2 else np.column_stack([1 - values, values])
    if soft.shape[1] != n_columns:
        raise InvalidParameterError(
            f"{what}, of shape {values.shape}, for {n_columns} columns of y_proba: pass a column "
            "for each class, or of two classes that of the positive one."
        )
    if (np.abs(row_sums(soft) - 1) > SUM_TOLERANCE).any():
        raise InvalidParameterError(f"{what}, and its rows do not sum to 1.")
    return soft.astype(np.float64, copy=False)


def _check_classes(classes: Array, proba: Array, labels: Any) -> None:
    if len(classes) > 1:
        _COLUMNS.check(classes, proba, labels)
    elif labels is None:
        raise InvalidParameterError(
            f"y_true contains only one label ({classes[0]}). Please provide the list of all "
            "expected class labels explicitly through the labels argument."
        )
    else:
        raise InvalidParameterError(
            f"The labels array needs to contain at least two labels, got {classes}."
        )


# --------------------------------------------------------------------------- columns


def in_range(columns: Array, below: str) -> Array:
    """Float64, rounding outside [0, 1] clipped."""
    low, high = kernels.value_range(columns)
    if high > 1 + RANGE_TOLERANCE:
        raise InvalidParameterError(
            f"y_prob contains values greater than 1: {high} (the largest of y_proba)."
        )
    if low < -RANGE_TOLERANCE:
        raise InvalidParameterError(
            f"y_prob contains values {below} 0: {low} (the smallest of y_proba)."
        )
    wide = columns.astype(np.float64, copy=False)
    return np.clip(wide, 0.0, 1.0) if high > 1 or low < 0 else wide


def _one_or_each(columns: Array) -> Array:
    """Float64 columns of all classes, or one of the last of two."""
    wide = in_range(columns, "lower than")
    if wide.ndim not in (1, 2):
        raise InvalidParameterError(f"y_proba must be 1-D or 2-D, got shape {wide.shape}.")
    return wide[:, 0] if wide.ndim == 2 and wide.shape[1] == 1 else wide


def _of_each(proba: Array) -> Array:
    """Probabilities of each class; one column is that of the last of two."""
    return proba if proba.ndim == 2 else np.column_stack([1 - proba, proba])


def column_of(columns: Array, source: Column, classes: Array, place: int | None) -> Array:
    """Probabilities of one class: the only column, or the one at `place` of two."""
    if columns.ndim == 1:
        return columns
    if columns.ndim != 2 or columns.shape[1] > 2:
        raise InvalidParameterError(
            f"y_proba of two classes is one column or two, got an array of shape {columns.shape}."
        )
    if columns.shape[1] == 1:
        return columns[:, 0]
    check_sums(columns, source)
    if place is not None:
        return columns[:, place]
    raise InvalidParameterError(
        f"y_true contains only one label ({classes[0]}) and y_proba has two columns; pass labels=, "
        "the class of each column."
    )


def check_sums(matrix: Array, source: Column | None) -> None:
    """Refuse rows that do not sum to 1, up to the rounding of half precision."""
    dtype = None if source is None else getattr(source.values, "dtype", None)
    rounding = float(np.finfo(np.float16).eps) if dtype == np.float16 else 0.0
    far = np.abs(row_sums(matrix) - 1) > max(SUM_TOLERANCE, rounding)
    if far.any():
        row = int(np.argmax(far))
        raise InvalidParameterError(
            f"Each row of y_proba must sum to 1; row {row} sums to {matrix[row].sum():.6g}."
        )


def row_sum_problem(matrix: Array, eps: float) -> str:
    """The row whose sum is furthest from 1, in words; empty if all sum to 1."""
    sums = row_sums(matrix)
    if max(sums.max() - 1, 1 - sums.min()) <= np.sqrt(eps):
        return ""
    row = int(np.argmax(np.abs(sums - 1)))
    return f"y_proba sums to {matrix[row].sum():.6g} in row {row}"

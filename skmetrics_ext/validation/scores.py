"""Scores, which rank rows, and decision values, whose sign and size count as well."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array, Options
from skmetrics_ext.validation.column_names import check_last_names, check_names
from skmetrics_ext.validation.containers import (
    EXACT,
    Column,
    first_not_finite,
    holds_text,
    read_column,
)
from skmetrics_ext.validation.errors import (
    InvalidParameterError,
    is_in_scorer,
    shown_labels,
    warn_user,
)
from skmetrics_ext.validation.labels import (
    Target,
    checked_before,
    read_labels,
    read_target,
    same_positive,
)
from skmetrics_ext.validation.positive import (
    check_label,
    one_class,
    positive_class,
    positive_of,
    usual_positive,
)
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.targets import MULTILABEL

# Rounding in a softmax stays well inside this; rows further from 1 are no probabilities.
SUM_TOLERANCE = 1e-6
_PLAIN = frozenset([np.dtype(np.float32), np.dtype(np.float64)])


class Accepted(NamedTuple):
    """Kinds of ``y_true`` that are accepted, and the error for others, with {} for the kind."""

    kinds: tuple[str, ...]
    refusal: str

    def with_kinds(self, *further: str) -> Accepted:
        """Accept further kinds as well."""
        return Accepted((*self.kinds, *further), self.refusal)


class ColumnCount(NamedTuple):
    """Errors for a number of columns that is not that of ``labels``, or of the classes of y_true.

    The wordings begin as scikit-learn's, which its users match.
    """

    labels: str
    y_true: str

    def check(self, classes: Array, scores: Array, labels: Any) -> None:
        """Refuse columns that are not one for each class; one column stands for two classes."""
        n_columns = 2 if scores.ndim == 1 else scores.shape[1]
        if len(classes) == n_columns:
            return
        wording = self.y_true if labels is None else self.labels
        facts: Options = {"n_rows": len(scores), "n_columns": n_columns, "shape": scores.shape}
        facts |= {"n_classes": len(classes), "classes": shown_labels(classes)}
        facts["array"] = classes if classes.dtype == object else np.sort(classes)
        raise InvalidParameterError(wording.format(**facts))


_LABELS = (
    "y_score holds only labels of y_true: a scorer passes what predict returns, whose ranking has "
    "one point. Pass response_method=('decision_function', 'predict_proba') to make_scorer, or use "
    "skmetrics_ext.get_scorer."
)
_NOT_SUPPORTED = "{} format is not supported: y_true must hold "
ONE_CLASS = Accepted(("binary", "multiclass"), f"{_NOT_SUPPORTED}class labels.")
ANY_LABELS = Accepted(
    (*ONE_CLASS.kinds, MULTILABEL), f"{_NOT_SUPPORTED}class labels or multilabel indicators."
)
_NEEDS_POSITIVE = (
    f"{_NOT_SUPPORTED}labels of two classes, or of more and pos_label name one of them."
)
_OF_TOP_K = ONE_CLASS._replace(
    refusal="y type must be 'binary' or 'multiclass', got '{}' instead (of y_true)."
)
_COLUMNS = ColumnCount(
    "Number of given labels, {n_classes}, not equal to the number of columns in 'y_score', "
    "{n_columns}",
    "Number of classes in y_true not equal to the number of columns in 'y_score': y_true has "
    "{n_classes} classes {classes}, y_score has {n_columns} columns. Pass labels=, the class of "
    "each column.",
)
_TOP_K_COLUMNS = ColumnCount(
    "Number of given labels ({n_classes}) not equal to the number of classes in 'y_score' "
    "({n_columns}).",
    "Number of classes in 'y_true' ({n_classes}) not equal to the number of classes in 'y_score' "
    "({n_columns}). y_true holds {classes}; pass labels=, the class of each column.",
)
_TOP_K_OF_TWO = _TOP_K_COLUMNS._replace(
    y_true="`y_true` is binary while y_score is 2d with {n_columns} classes. If `y_true` does not "
    "contain all the labels, `labels` must be provided."
)
_HINGE_SHAPE = "shape must be (n_samples, n_classes), that is ({n_rows}, {n_classes}). Got: {shape}"
_HINGE_COLUMNS = ColumnCount(
    "The shape of pred_decision is not consistent with the number of classes. With a multiclass "
    f"target, pred_decision {_HINGE_SHAPE}",
    "Please include all labels in y_true or pass labels as third argument: y_true has "
    "{n_classes} classes and pred_decision {n_columns} columns.",
)
_NOT_BY_CLASS = (
    "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
    "classes. Got `y_score.shape={}`."
)


def read_scored(
    y_true: Any,
    response: Any,
    sample_weight: Any,
    absolute: bool = False,
    *,
    name: str = "y_score",
    accepted: Accepted = ONE_CLASS,
) -> tuple[Target, Array, Column, Array | None]:
    """True labels, the finite floats predicted for them, their column as it came, and weights.

    ``name`` is the argument of the response; ``absolute`` is as in `read_rows`.
    """
    if name == "y_proba":  # errors name the probabilities first, as scikit-learn's do
        (column, true), weight = read_rows(sample_weight, absolute, y_proba=response, y_true=y_true)
    else:
        arguments = {"y_true": y_true, name: response}
        (true, column), weight = read_rows(sample_weight, absolute, **arguments)
    target = read_target(true)
    if target.kind not in accepted.kinds:
        several = "Multioutput target data is not supported. " * ("output" in target.kind)
        raise InvalidParameterError(several + accepted.refusal.format(target.kind))
    return target, score_values(column), column, weight


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """Checked true labels and scores.

    Parameters
    ----------
    kind : {"binary", "multiclass", "multilabel-indicator"}
        What ``y_true`` holds.
    classes : ndarray of shape (K,)
        The classes in the order of the codes and of the columns of ``score``; for binary data
        the negative class first.
    true : ndarray of int64 of shape (n,), or bool of shape (n, K)
        Codes into ``classes``, or indicators.
    score : ndarray of float of shape (n,) or (n, K)
    weight : ndarray of shape (n,) or None
    absolute : bool
        Whether the weights are as the caller passed them, not rescaled.
    cache : dict
        Tallies of these scores, so that many metrics share one sort.
    """

    kind: str
    classes: Array
    true: Array
    score: Array
    weight: Array | None
    absolute: bool = False
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def check(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        labels: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        by_rule: bool = False,
        side: str = "either",
        what: str = "The metric",
    ) -> Self:
        """Check and encode. ``labels`` is the order of the columns of ``y_score``.

        Checked scores passed as both arguments are returned as they are.

        Parameters
        ----------
        side, what : str
            Rule for the positive class of binary data, as in `positive_of`, and the metric's name
            in errors. ``pos_label`` or the second of ``labels`` overrides the rule.
        by_rule : bool
            scikit-learn's rule for average precision: without ``labels``, the positive class of
            binary data is ``pos_label`` even if no row is of it, and other data have none.
        """
        checked = checked_before(cls, y_true, y_score, labels, sample_weight, converter="as_scores")
        if checked is not None:
            return same_positive(checked, None if by_rule and pos_label == 1 else pos_label)
        target, scores, column, weight = read_scored(
            y_true, y_score, sample_weight, accepted=ANY_LABELS
        )
        may_be = column.values.dtype.kind in "biu" and target.kind == "binary" and is_in_scorer()
        if may_be and set(np.unique(column.values).tolist()) <= set(target.classes.tolist()):
            warn_user(_LABELS)
        if by_rule and target.kind != "binary" and pos_label != 1:
            raise InvalidParameterError(
                f"Parameter pos_label is fixed to 1 for {target.kind} y_true. Do not set pos_label "
                f"or set pos_label to 1. Got {pos_label!r}."
            )
        if target.kind == MULTILABEL:
            marks = dense_marks(target.values)
            if scores.shape != marks.shape:
                raise InvalidParameterError(
                    f"y_true is a multilabel indicator of shape {marks.shape}; y_score must have "
                    f"the same shape, got {scores.shape}."
                )
            return cls(MULTILABEL, np.arange(marks.shape[1]), marks, scores, weight)
        if target.kind == "multiclass" or (scores.ndim == 2 and scores.shape[1] > 2):
            if scores.ndim != 2:
                raise InvalidParameterError(_NOT_BY_CLASS.format(scores.shape))
            listed = target.classes if labels is None else read_labels(labels)
            _COLUMNS.check(listed, scores, labels)
            target = target.in_order_of(labels, "y_score")
            check_last_names(column.names, target.classes, column.name)
            return cls("multiclass", target.classes, target.codes, scores, weight)
        if by_rule and labels is None:
            if len(target.classes) > 1 and pos_label not in target.classes.tolist():
                raise InvalidParameterError(
                    f"pos_label={pos_label!r} is not a valid label. It should be one of "
                    f"{target.classes}"
                )
            return cls._one_class(target, scores, pos_label, weight, column)
        target = target.two_classes(labels, "y_score")
        if by_rule and pos_label == 1:  # its default; labels say which is positive
            pos_label = None
        n_columns = 1 if scores.ndim == 1 else scores.shape[1]
        positive = positive_of(target.classes, labels, pos_label, side, what, n_columns)
        stated = pos_label is not None
        return cls._one_class(target, scores, positive, weight, column, stated=stated)

    @classmethod
    def check_binary(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        absolute: bool = False,
    ) -> Self:
        """Check the scores of one class, chosen by scikit-learn's rule for curves.

        Without ``pos_label`` it is 1, and ``y_true`` must lie in {0, 1} or {-1, 1}. With it,
        ``y_true`` may hold further classes, which are all negative, or none of that class.
        ``classes`` of the result are those that occur, the positive one last.
        """
        kinds = ("binary",) if pos_label is None else ONE_CLASS.kinds
        target, scores, column, weight = read_scored(
            y_true, y_score, sample_weight, absolute, accepted=Accepted(kinds, _NEEDS_POSITIVE)
        )
        if pos_label is None:
            pos_label = usual_positive(target.classes)
        check_label(pos_label)
        return cls._one_class(target, scores, pos_label, weight, column)

    @classmethod
    def check_columns(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        absolute: bool = False,
    ) -> Self:
        """Check the scores of every class; for two classes, those of the second are enough."""
        checked = checked_before(
            cls, y_true, y_score, labels, sample_weight, absolute, converter="as_scores"
        )
        if checked is not None:
            return checked
        target, scores, column, weight = read_scored(
            y_true, y_score, sample_weight, absolute, accepted=_OF_TOP_K
        )
        if scores.ndim == 2 and scores.shape[1] == 1:
            scores = scores[:, 0]
        target = target.in_order_of(labels, "y_score")
        classes, n_classes = target.classes, len(target.classes)
        if scores.ndim > 2 or (scores.ndim == 1 and n_classes > 2):
            raise InvalidParameterError(_NOT_BY_CLASS.format(scores.shape))
        wording = _TOP_K_OF_TWO if n_classes == 2 else _TOP_K_COLUMNS
        wording.check(classes, scores, labels)
        check_last_names(column.names, classes, column.name)
        kind = "binary" if scores.ndim == 1 else "multiclass"
        return cls(kind, classes, target.codes, scores, weight)

    def as_scores(self) -> Self:
        """These scores; see `Probabilities.as_scores`."""
        return self

    def marks(self) -> Array:
        """Whether each row is of each class, (n, K)."""
        if self.true.ndim == 2:
            return self.true
        return np.asarray(self.true[:, None] == np.arange(len(self.classes)))

    @classmethod
    def _one_class(
        cls,
        target: Target,
        scores: Array,
        positive: Any,
        weight: Array | None,
        column: Column,
        *,
        stated: bool = True,
    ) -> Self:
        classes, marks, place = one_class(target.classes, target.codes, positive, stated)
        check_names_of_two(column, target.classes, positive)
        return cls("binary", classes, marks, _one_column(scores, place), weight)


def dense_marks(marks: Any) -> Array:
    """Multilabel indicators as a dense array, next to scores, which are dense."""
    return marks if isinstance(marks, np.ndarray) else np.asarray(marks.toarray() > 0)


def check_names_of_two(column: Column, classes: Array, positive: Any) -> None:
    """Refuse a column named after a class that is not positive, and two in another order."""
    if column.names is None:
        return
    listed, names = classes.tolist(), column.names
    if len(names) == 1:
        check_names(names, [positive], column.name, listed)
    elif len(listed) == 2:
        check_names(names, listed, column.name)
    else:
        check_names(names, [None, positive], column.name, listed)


def _one_column(scores: Array, column: int | None) -> Array:
    """Scores of the positive class, from one column or both of ``predict_proba``."""
    if scores.ndim == 1:
        return scores
    if scores.ndim == 2 and scores.shape[1] == 1:
        return scores[:, 0]
    if (
        column is not None
        and scores.ndim == 2
        and scores.shape[1] == 2
        and np.allclose(scores.sum(axis=1), 1, rtol=0, atol=SUM_TOLERANCE)
    ):
        return scores[:, column]
    raise InvalidParameterError(
        f"y_score of a binary y_true should be a 1d array of scores of the positive class, or "
        f"two columns of probabilities that sum to 1, one for each class that occurs; got an "
        f"array of shape {scores.shape}."
    )


# --------------------------------------------------------------------------- decision values


def check_decisions(
    y_true: Any,
    pred_decision: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    alone_is_negative: bool = False,
) -> Scores:
    """Check and encode decision values; the second of two classes is the positive one.

    More than two classes, in ``labels`` or ``y_true``, need one column each, in that order. A
    single class is the negative one by scikit-learn's rule (``alone_is_negative``). Checked scores
    passed as both arguments are returned as they are.
    """
    checked = checked_before(Scores, y_true, pred_decision, labels, sample_weight)
    if checked is not None:
        return checked
    target, scores, column, weight = read_scored(
        y_true, pred_decision, sample_weight, name="pred_decision"
    )
    scores = scores.astype(np.float64, copy=False)
    listed = target.classes if labels is None else read_labels(labels)
    n_classes = len(listed)
    if n_classes > 2:
        if scores.ndim != 2:
            facts = {"n_rows": len(scores), "n_classes": n_classes, "shape": scores.shape}
            raise InvalidParameterError(
                "The shape of pred_decision cannot be 1d arraywith a multiclass target. "
                f"pred_decision {_HINGE_SHAPE.format(**facts)}"
            )
        _HINGE_COLUMNS.check(listed, scores, labels)
    target = target.in_order_of(labels, "pred_decision")
    check_last_names(column.names, target.classes, column.name)
    if n_classes > 2:
        return Scores("multiclass", target.classes, target.codes, scores, weight)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1:
        raise InvalidParameterError(
            "pred_decision of two classes should be a 1d array, positive for the second class, "
            f"got an array of shape {scores.shape}."
        )
    if n_classes == 1 and labels is None and not alone_is_negative:
        positive = positive_class(target.classes.tolist(), what="The metric", either=True)
        classes, marks, _ = one_class(target.classes, target.codes, positive)
        return Scores("binary", classes, marks, scores, weight)
    return Scores("binary", target.classes, target.codes, scores, weight)


# --------------------------------------------------------------------------- values


def read_scores_of(data: Any, name: str) -> Array:
    """Scores in any container as finite floats."""
    if type(data) is np.ndarray and data.ndim and data.dtype in _PLAIN and kernels.all_finite(data):
        return data
    column = read_column(data, name)
    if column.mask is not None:
        raise InvalidParameterError(f"{name} must not be masked: leave out such rows.")
    return score_values(column)


def score_values(column: Column) -> Array:
    """Scores of a column or matrix as finite floats; int64 where floats would create ties."""
    values, name = column.values, column.name
    if column.is_sparse or column.categories is not None or values.dtype not in _PLAIN:
        values = _numbers(column)
    if not kernels.all_finite(values):
        what, row = first_not_finite(values)
        # scikit-learn's wording has no name of the argument between these two words.
        raise InvalidParameterError(f"Input contains {what}: {name}, first in row {row}.")
    return values


def check_mergeable(column: Column) -> None:
    """Refuse scores beyond float64 and int64, whose order would be lost between parts."""
    values = column.values
    if column.is_sparse or values.dtype in _PLAIN or values.dtype.kind not in "iufO":
        return
    numbers = _numbers(column)
    if (numbers.astype(object) != values.astype(object)).any():
        raise InvalidParameterError(
            f"{column.name} holds numbers of more digits than float64 has, whose order would be "
            "lost where parts are merged: round them to float64."
        )


def _numbers(column: Column) -> Array:
    """Numbers of any dtype as floats, or int64 where floats would create ties."""
    values, name = column.values, column.name
    if column.is_sparse:
        raise InvalidParameterError(
            f"{name} is a sparse matrix, and every label needs a score: pass {name}.toarray()."
        )
    if column.categories is not None or values.dtype.kind in "SUMmV":
        found = "categories" if column.categories is not None else f"dtype {values.dtype}"
        raise InvalidParameterError(f"{name} must hold numbers, got {found}.")
    if values.dtype.kind == "c":
        raise InvalidParameterError(f"Complex data not supported in {name}.")
    if values.dtype.kind == "O":
        return _float_objects(values, name)
    if values.dtype.kind in "iu" and values.size:
        return _float_integers(values)
    if values.dtype == np.float16:
        return values.astype(np.float32)  # exact, and sorts faster
    if values.dtype.kind == "f":
        return _in_order(values)
    return values.astype(np.float64)


def _float_objects(values: Array, name: str) -> Array:
    if holds_text(values):
        raise InvalidParameterError(f"{name} must hold numbers, got text.")
    try:
        if values.size and all(type(value) is int for value in values.flat):
            return _float_integers(values)
        return _in_order(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(f"{name} must hold numbers: {error}.") from error


def _float_integers(values: Array) -> Array:
    """Integers as floats, or int64 where floats would create ties."""
    low, high = int(values.min()), int(values.max())
    if low >= -EXACT and high <= EXACT:
        return values.astype(np.float64)
    if low >= -(2**63) and high < 2**63:
        return values.astype(np.int64)
    return _in_order(values)


def _in_order(values: Array) -> Array:
    """Numbers with more digits than float64 as nearby floats, distinct and in the same order."""
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float64)
    exact = values.dtype.kind in "fO" and (narrow == values).all()  # integers compare as floats
    if exact or not np.isfinite(narrow).all():
        return narrow
    distinct, place = np.unique(values, return_inverse=True)
    floats = distinct.astype(np.float64)
    # The bits of floats have their order; each is pushed above the one before it.
    bits = floats.view(np.int64)
    keys = np.where(bits < 0, np.int64(-(2**63)) - bits, bits)
    steps = np.arange(len(keys))
    keys = np.maximum.accumulate(keys - steps) + steps
    bits = np.where(keys < 0, np.int64(-(2**63)) - keys, keys)
    return np.asarray(bits.view(np.float64)[place.reshape(values.shape)])

"""Scores, which rank rows, and decision values, whose sign and size count as well."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.column_names import check_last_names, check_names
from skmetrics_ext.validation.containers import Column
from skmetrics_ext.validation.encoding import encode_columns, find_labels
from skmetrics_ext.validation.errors import InvalidParameterError, shown_labels
from skmetrics_ext.validation.labels import checked_before, read_labels, read_target, same_positive
from skmetrics_ext.validation.positive import (
    check_label,
    one_class,
    positive_class,
    positive_of,
    usual_positive,
)
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.score_values import score_values
from skmetrics_ext.validation.targets import label_values

# Rounding in a softmax stays well inside this; rows that do not are no probabilities.
_SUM_TOLERANCE = 1e-6
_INVALID_POSITIVE = "pos_label={!r} is not a valid label. It should be one of {}"
_NOT_BY_CLASS = (
    "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
    "classes. Got `y_score.shape={}`."
)


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
        Whether the weights are in the unit that the caller gave.
    cache : dict
        Tallies already made of these scores, so that many metrics sort once.
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

        ``side`` says whether what is read of binary data is of "one" class or the same from
        "either", and ``what`` names it: by this `positive_of` finds the positive one, which
        ``pos_label`` or the second of ``labels`` may name.

        ``by_rule``: without ``labels``, the positive class of binary data is ``pos_label`` even
        where no row is of it, and no other data have one (scikit-learn's average precision).

        Checked scores, given in the place of both arguments, come back as they are.
        """
        given = checked_before(cls, y_true, y_score, labels, sample_weight, otherwise="as_scores")
        if given is not None:
            return same_positive(given, None if by_rule and pos_label == 1 else pos_label)
        (true, score), weight = read_rows(sample_weight, False, y_true=y_true, y_score=y_score)
        target = read_target(true)
        kind, scores = target.kind, score_values(score)
        if kind not in ("binary", "multiclass", "multilabel-indicator"):
            raise InvalidParameterError(
                f"{kind} format is not supported: y_true must hold class labels or "
                "multilabel indicators."
            )
        if by_rule and kind != "binary" and pos_label != 1:
            raise InvalidParameterError(
                f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set "
                f"pos_label to 1. Got {pos_label!r}."
            )
        if kind == "multilabel-indicator":
            return cls._multilabel(target.values, scores, weight)
        classes, codes = target.classes, target.codes
        if kind == "multiclass" or (scores.ndim == 2 and scores.shape[1] > 2):
            return cls._multiclass(classes, codes, scores, labels, weight, score)
        if by_rule and labels is None:
            if len(classes) > 1 and pos_label not in classes.tolist():
                raise InvalidParameterError(_INVALID_POSITIVE.format(pos_label, classes))
            return cls._one_class(classes, codes, scores, pos_label, weight, score)
        if labels is not None:
            classes, codes = two_classes(labels, classes, codes, "y_score")
            if by_rule and pos_label == 1:  # its default; labels say which is positive
                pos_label = None
        n_columns = 1 if scores.ndim == 1 else scores.shape[1]
        positive = positive_of(classes, labels, pos_label, side, what, n_columns)
        said = pos_label is not None
        return cls._one_class(classes, codes, scores, positive, weight, score, said=said)

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
        """Check the scores of one class, by scikit-learn's rule of which it is.

        Without ``pos_label`` it is 1, and ``y_true`` must lie in {0, 1} or {-1, 1}. With it,
        ``y_true`` may hold further classes, which are all negative, and none of it. ``classes``
        of the result are those that occur, the positive one last.
        """
        (true, score), weight = read_rows(sample_weight, absolute, y_true=y_true, y_score=y_score)
        target = read_target(true)
        kind = target.kind
        if kind != "binary" and (kind != "multiclass" or pos_label is None):
            raise InvalidParameterError(
                f"{kind} format is not supported: y_true must hold labels of two classes, or of "
                "more and pos_label name one of them."
            )
        scores = score_values(score)
        if pos_label is None:
            pos_label = usual_positive(target.classes)
        check_label(pos_label)
        return cls._one_class(target.classes, target.codes, scores, pos_label, weight, score)

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
        """Check the scores of every class; of two classes, those of the second will do."""
        given = checked_before(
            cls, y_true, y_score, labels, sample_weight, absolute, otherwise="as_scores"
        )
        if given is not None:
            return given
        (true, score), weight = read_rows(sample_weight, absolute, y_true=y_true, y_score=y_score)
        target = read_target(true)
        kind = target.kind
        if kind not in ("binary", "multiclass"):
            raise InvalidParameterError(
                f"y type must be 'binary' or 'multiclass', got '{kind}' instead (of y_true)."
            )
        scores = score_values(score)
        if scores.ndim == 2 and scores.shape[1] == 1:
            scores = scores[:, 0]
        classes, codes = target.classes, target.codes
        n_columns = 2 if scores.ndim == 1 else scores.shape[1]
        if labels is not None:
            classes, codes = column_codes(labels, classes, codes, "y_score")
        if scores.ndim > 2 or (scores.ndim == 1 and len(classes) > 2):
            raise InvalidParameterError(_NOT_BY_CLASS.format(scores.shape))
        if len(classes) == n_columns:
            kind = "binary" if scores.ndim == 1 else "multiclass"
            read_as = classes.tolist()[1:] if scores.ndim == 1 else classes.tolist()
            check_names(score.names, read_as, score.name, classes.tolist())
            return cls(kind, classes, codes, scores, weight)
        if labels is not None:
            raise InvalidParameterError(
                f"Number of given labels ({len(classes)}) not equal to the number of classes in "
                f"'y_score' ({n_columns})."
            )
        if len(classes) == 2:
            raise InvalidParameterError(
                f"`y_true` is binary while y_score is 2d with {n_columns} classes. If `y_true` "
                "does not contain all the labels, `labels` must be provided."
            )
        raise InvalidParameterError(
            f"Number of classes in 'y_true' ({len(classes)}) not equal to the number of classes "
            f"in 'y_score' ({n_columns}). y_true holds {shown_labels(classes)}; pass labels=, the "
            "class of each column."
        )

    def marks(self) -> Array:
        """Whether each row is of each class, (n, K)."""
        if self.true.ndim == 2:
            return self.true
        return np.asarray(self.true[:, None] == np.arange(len(self.classes)))

    @classmethod
    def _one_class(
        cls,
        classes: Array,
        codes: Array,
        scores: Array,
        positive: Any,
        weight: Array | None,
        source: Column,
        *,
        said: bool = True,
    ) -> Self:
        order, marks, column = one_class(classes, codes, positive, said)
        if source.names is not None:
            check_names_of_two(source, classes, positive)
        return cls("binary", order, marks, _one_column(scores, column), weight)

    @classmethod
    def _multilabel(cls, values: Any, scores: Array, weight: Array | None) -> Self:
        marks = dense_marks(values)
        if scores.shape != marks.shape:
            raise InvalidParameterError(
                f"y_true is a multilabel indicator of shape {marks.shape}; y_score must have "
                f"the same shape, got {scores.shape}."
            )
        return cls("multilabel-indicator", np.arange(marks.shape[1]), marks, scores, weight)

    @classmethod
    def _multiclass(
        cls,
        classes: Array,
        codes: Array,
        scores: Array,
        labels: Any,
        weight: Array | None,
        source: Column,
    ) -> Self:
        if scores.ndim != 2:
            raise InvalidParameterError(_NOT_BY_CLASS.format(scores.shape))
        if labels is None:
            if len(classes) != scores.shape[1]:
                raise InvalidParameterError(
                    "Number of classes in y_true not equal to the number of columns in "
                    f"'y_score': y_true has {len(classes)} classes {shown_labels(classes)}, "
                    f"y_score has {scores.shape[1]} columns. Pass labels=, the class of each "
                    "column."
                )
            check_names(source.names, classes.tolist(), source.name)
            return cls("multiclass", classes, codes, scores, weight)
        n_labels = len(read_labels(labels))
        if n_labels != scores.shape[1]:
            raise InvalidParameterError(
                f"Number of given labels, {n_labels}, not equal to the number of columns in "
                f"'y_score', {scores.shape[1]}"
            )
        order, codes = column_codes(labels, classes, codes, "y_score")
        check_names(source.names, order.tolist(), source.name)
        return cls("multiclass", order, codes, scores, weight)


def dense_marks(marks: Any) -> Array:
    """Multilabel indicators as a dense array, next to scores, which are dense."""
    return marks if isinstance(marks, np.ndarray) else np.asarray(marks.toarray() > 0)


def column_codes(labels: Any, classes: Array, codes: Array, what: str) -> tuple[Array, Array]:
    """The labels as the order of columns, and codes into them. They are obeyed unsorted."""
    order = read_labels(labels)
    if len(set(order.tolist())) != len(order):
        raise InvalidParameterError(
            f"Parameter 'labels' must be unique, got {shown_labels(order)}."
        )
    place = find_labels(classes, order)
    if (place < 0).any():
        missing = set(classes[place < 0].tolist())
        raise InvalidParameterError(
            f"y_true contains values {missing} not belonging to the passed labels "
            f"{order.tolist()}. ('y_true' contains labels not in parameter 'labels', so no "
            f"column of {what} is theirs.)"
        )
    return order, place[codes]


def two_classes(labels: Any, classes: Array, codes: Array, what: str) -> tuple[Array, Array]:
    """Like `column_codes`, for two classes, negative first."""
    classes, codes = column_codes(labels, classes, codes, what)
    if len(classes) != 2:
        raise InvalidParameterError(
            f"labels must name the two classes of a binary problem, negative first, got "
            f"{shown_labels(classes)}."
        )
    return classes, codes


def check_names_of_two(column: Column, classes: Array, positive: Any) -> None:
    """Refuse a column named by another class than the positive one, and two in another order."""
    listed, names = classes.tolist(), column.names
    if names is not None and len(names) == 1:
        check_names(names, [positive], column.name, listed)
    elif len(listed) == 2:
        check_names(names, listed, column.name)
    else:
        check_names(names, [None, positive], column.name, listed)


def _one_column(scores: Array, column: int | None) -> Array:
    """Scores of the positive class: one column, or that one of a full ``predict_proba``."""
    if scores.ndim == 1:
        return scores
    if scores.ndim == 2 and scores.shape[1] == 1:
        return scores[:, 0]
    if (
        column is not None
        and scores.ndim == 2
        and scores.shape[1] == 2
        and np.allclose(scores.sum(axis=1), 1, rtol=0, atol=_SUM_TOLERANCE)
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
    """Check and encode; the second of two classes is the positive one.

    More than two classes, in ``labels`` or in ``y_true``, need a column each, in the order of
    ``labels``. One class alone is by scikit-learn's rule the negative one (``alone_is_negative``).
    Checked scores, given in the place of both arguments, come back as they are.
    """
    given = checked_before(Scores, y_true, pred_decision, labels, sample_weight)
    if given is not None:
        return given
    (true, decision), weight = read_rows(
        sample_weight, False, y_true=y_true, pred_decision=pred_decision
    )
    values, kind = label_values(true)
    if kind not in ("binary", "multiclass"):
        raise InvalidParameterError(
            f"{kind} format is not supported: y_true must hold class labels."
        )
    scores = score_values(decision).astype(np.float64, copy=False)
    classes, (codes,) = encode_columns((true, values))
    n_found = len(classes)
    if labels is not None:
        _check_number(len(read_labels(labels)), scores, len(codes), given=True)
        classes, codes = column_codes(labels, classes, codes, "pred_decision")
    else:
        _check_number(n_found, scores, len(codes), given=False)
    check_last_names(decision.names, classes, decision.name)
    if len(classes) > 2:
        return Scores("multiclass", classes, codes, scores, weight)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1:
        raise InvalidParameterError(
            "pred_decision of two classes should be a 1d array, positive for the second class, "
            f"got an array of shape {scores.shape}."
        )
    if len(classes) == 1 and labels is None and not alone_is_negative:
        positive = positive_class(classes.tolist(), what="The metric", either=True)
        classes, codes, _ = one_class(classes, codes, positive)
    return Scores("binary", classes, codes, scores, weight)


def _check_number(n_classes: int, scores: Array, n_rows: int, *, given: bool) -> None:
    if n_classes < 3 or (scores.ndim == 2 and scores.shape[1] == n_classes):
        return
    # The first two wordings are scikit-learn's, which its users may match.
    shapes = f"({n_rows}, {n_classes}). Got: {scores.shape}"
    if scores.ndim != 2:
        raise InvalidParameterError(
            "The shape of pred_decision cannot be 1d arraywith a multiclass target. pred_decision "
            f"shape must be (n_samples, n_classes), that is {shapes}"
        )
    if given:
        raise InvalidParameterError(
            "The shape of pred_decision is not consistent with the number of classes. With a "
            f"multiclass target, pred_decision shape must be (n_samples, n_classes), that is "
            f"{shapes}"
        )
    raise InvalidParameterError(
        "Please include all labels in y_true or pass labels as third argument: y_true has "
        f"{n_classes} classes and pred_decision {scores.shape[1]} columns."
    )

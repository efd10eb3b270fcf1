"""Rows of several labels, each with a mark or a grade of relevance, and scores that rank them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import Column, read_column
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.labels import checked_before
from skmetrics_ext.validation.rows import marked_columns, read_rows
from skmetrics_ext.validation.scores import Scores, dense_marks, score_values
from skmetrics_ext.validation.targets import MULTILABEL, label_values, read_marks

GRADED = "continuous-multioutput"
# Kinds of matrices with one column per label, in scikit-learn's terms.
_MATRICES = (MULTILABEL, GRADED, "multiclass-multioutput")
_FLAT = "Expected 2D array, got 1D array instead"


def check_marks(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, one_label: bool = False
) -> Scores:
    """Check multilabel indicators and a score for each mark.

    ``one_label`` accepts a single column: marks of one label. Checked scores passed as both
    arguments are returned as they are.
    """
    checked = checked_before(Scores, y_true, y_score, None, sample_weight, converter="as_scores")
    if checked is not None:
        if checked.kind != MULTILABEL:
            raise InvalidParameterError(_not_marks(checked.kind))
        return checked
    (true, score), weight = _read_matrices(y_true, y_score, sample_weight, _not_marks)
    if one_label and true.is_sparse and true.values.shape[1] == 1:
        true = Column(true.name, true.values.toarray())
    values, kind = label_values(true)
    marks = dense_marks(values)
    scores = score_values(score)
    if one_label and kind == "binary" and marks.dtype.kind in "biuf":
        marks, kind = read_marks(true.values, true.name), MULTILABEL
    if kind != MULTILABEL:
        raise InvalidParameterError(_not_marks(kind))
    _check_shape(marks, scores)
    return Scores(kind, np.arange(marks.shape[1]), marks, scores, weight)


def check_relevance(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, negative: bool = True
) -> Scores:
    """Check how relevant each label of each row is, and a score for each.

    ``negative``: whether relevance may be below 0. Checked scores of several labels per row,
    passed as both arguments, are returned as they are.
    """
    checked = checked_before(Scores, y_true, y_score, None, sample_weight, converter="as_scores")
    if checked is not None:
        if checked.true.ndim != 2:
            raise InvalidParameterError(_not_graded(checked.kind))
        _check_sign(checked.true, negative)
        return checked
    (true, score), weight = _read_matrices(y_true, y_score, sample_weight, _not_graded)
    if true.is_sparse:
        true = Column(true.name, true.values.toarray())
    relevance, scores = score_values(true), score_values(score)
    if relevance.ndim == 2 and relevance.shape[1] == 1 and not negative:
        raise InvalidParameterError(
            "Computing NDCG is only meaningful when there is more than 1 document. Got 1 instead: "
            "y_true has a single column."
        )
    if relevance.ndim != 2 or relevance.shape[1] < 2:
        raise InvalidParameterError(_not_graded(label_values(true)[1]))
    _check_sign(relevance, negative)
    _check_shape(relevance, scores)
    return Scores(GRADED, np.arange(relevance.shape[1]), relevance, scores, weight)


def _read_matrices(
    y_true: Any, y_score: Any, sample_weight: Any, refusal: Callable[[str], str]
) -> tuple[list[Column], Array | None]:
    """Columns of both, which have to be matrices, and the weights; ``refusal`` explains a kind."""
    true = read_column(y_true, "y_true")
    score = read_column(marked_columns(y_score, "y_score", y_true), "y_score")
    if true.values.ndim == 1:
        kind = label_values(true)[1]
        score_values(score)  # NaN and infinity are reported first, as in scikit-learn
        raise InvalidParameterError(f"{_FLAT}: y_true. {refusal(kind)}")
    if score.values.ndim == 1:
        raise InvalidParameterError(
            f"{_FLAT}: y_score {score.values.shape}; each label needs a score."
        )
    return read_rows(sample_weight, False, y_true=true, y_score=score)


def _not_marks(kind: str) -> str:
    return (
        f"{kind} format is not supported: y_true must be a multilabel indicator, a row of marks "
        "with one for each label."
    )


def _check_shape(true: Array, scores: Array) -> None:
    if scores.shape != true.shape:
        raise InvalidParameterError(
            f"y_true and y_score have different shape: y_true has {true.shape}, y_score "
            f"{scores.shape}; each label needs a score."
        )


def _check_sign(relevance: Array, negative: bool) -> None:
    if negative or relevance.min() >= 0:
        return
    row = int(np.argmax((relevance < 0).any(axis=1)))
    raise InvalidParameterError(
        "ndcg_score should not be used on negative y_true values. The first is in row "
        f"{row}: {relevance[row].min()}."
    )


def _not_graded(kind: str) -> str:
    return (
        f"Only {_MATRICES} formats are supported. Got {kind} instead: y_true must be a matrix with "
        "the relevance of each label, two labels or more to a row."
    )

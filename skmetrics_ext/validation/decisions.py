"""Decision values, whose sign and size count beside their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.checked import checked_before
from skmetrics_ext.validation.column_names import check_last_names
from skmetrics_ext.validation.encoding import encode_columns
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.positive import one_class, positive_class
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.score_values import score_values
from skmetrics_ext.validation.scores import Scores, column_codes
from skmetrics_ext.validation.targets import label_values


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

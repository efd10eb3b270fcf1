"""What each row of checked data brings to a metric of means: the columns that its kernel reads.

``values(checked, **params)`` gives an array (n, d); the kernel of the metric takes the moments
of it under any weights. Parameters are those of the public function, which has checked them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.labels import costs
from skmetrics_ext.metrics.probabilities import hinge, losses, proper_scores
from skmetrics_ext.metrics.rankings import top_k
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import Probabilities, Scores


def log_loss(checked: Probabilities) -> Array:
    return losses.log_loss_rows(checked.true, checked.proba, checked.eps)[:, None]


def brier_score(checked: Probabilities, scale_by_half: bool | str = "auto") -> Array:
    rows = losses.brier_rows(checked.true, checked.proba)[:, None]
    half = checked.proba.shape[1] < 3 if scale_by_half == "auto" else bool(scale_by_half)
    return rows / 2 if half else rows


def spherical(checked: Probabilities) -> Array:
    return proper_scores.spherical_rows(checked.true, checked.proba)[:, None]


def ranked_probability(checked: Probabilities) -> Array:
    return proper_scores.ranked_rows(checked.true, checked.proba)[:, None]


def hinge_loss(checked: Scores) -> Array:
    return hinge.hinge_rows(hinge.margins(checked.true, checked.score))[:, None]


def top_k_hits(checked: Scores, k: int = 2) -> Array:
    return top_k.hits(checked, int(k))[:, None].astype(np.float64)


def log_loss_and_classes(checked: Probabilities) -> Array:
    """The loss and the indicators of the classes, from whose means the reference loss follows."""
    return np.column_stack([log_loss(checked), _marks(checked)])


def brier_and_classes(checked: Probabilities) -> Array:
    rows = losses.brier_rows(checked.true, checked.proba)
    return np.column_stack([rows, _marks(checked)])


def _marks(checked: Probabilities) -> Any:
    if checked.true.ndim == 2:
        return checked.true
    return checked.true[:, None] == np.arange(len(checked.classes))


def drawn_cost(checked: Probabilities, cost_matrix: Any) -> Array:
    matrix = np.asarray(cost_matrix, dtype=np.float64)
    return costs.drawn_cost_rows(checked.true, checked.proba, matrix)[:, None]

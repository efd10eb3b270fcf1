"""What each row of checked data brings to a metric of means: the columns that its kernel reads.

``values(checked, **params)`` gives an array (n, d); the kernel of the metric takes the moments
of it under any weights. Parameters are those of the public function, which has checked them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.labels import costs
from skmetrics_ext.metrics.rankings import top_k
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import Probabilities, Scores


def top_k_hits(checked: Scores, k: int = 2) -> Array:
    return top_k.hits(checked, int(k))[:, None].astype(np.float64)


def drawn_cost(checked: Probabilities, cost_matrix: Any) -> Array:
    matrix = np.asarray(cost_matrix, dtype=np.float64)
    return costs.drawn_cost_rows(checked.true, checked.proba, matrix)[:, None]

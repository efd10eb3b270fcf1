"""What each row of checked data brings to a metric of means."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.metrics.rankings import top_k
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import Scores


def top_k_hits(checked: Scores, k: int = 2) -> Array:
    return top_k.hits(checked, int(k))[:, None].astype(np.float64)

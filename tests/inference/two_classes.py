"""Rows of two classes, and the metrics that give one number of them."""

import numpy as np
from support.rows import NAMES

from skmetrics_ext import METRICS

N = 60
RNG = np.random.default_rng(3)
TRUE = RNG.integers(0, 2, N)
SCORE = np.round(RNG.normal(size=N) + TRUE, 1)
OTHER = np.round(RNG.normal(size=N) + TRUE, 1)
COUNTS = RNG.integers(1, 4, N)


def rows_for(spec, true, score):
    """True labels and what the metric reads; rows of four labels, where it ranks these."""
    if spec.ranks_labels:
        return true.reshape(-1, 4), score.reshape(-1, 4)
    if spec.response == "labels":
        return true, (score > 0.5).astype(int)
    return true, score if spec.response == "scores" else 1 / (1 + np.exp(-score))


def params_of(name):
    """Of two classes, the two best of them are right in every row."""
    return {"k": 1} if name == "top_k_accuracy_score" else dict(METRICS[name].params)


def is_number(name):
    """Whether it gives one value, and not one for each class."""
    spec = METRICS[name]
    return np.ndim(spec.function(*rows_for(spec, TRUE, SCORE), **params_of(name))) == 0


NUMBERS = [name for name in NAMES if is_number(name)]

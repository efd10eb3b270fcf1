"""Group G: containers. The rest of group I: numbers in batches, or of float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy.sparse import csr_array

import skmetrics_ext

from .labels import GRADED_PRED, GRADED_TRUE, GRADES
from .making import Edge, S, Y, refused, tensor_like, value

ENUM = pl.Enum(GRADES)


def in_two_batches(m: Any) -> float:
    """Logits, one batch of which lies in [0, 1]: nothing is decided from the data of a batch."""
    first = skmetrics_ext.tallies.RankTally.from_predictions([0, 1], [0.2, 0.9])
    second = skmetrics_ext.tallies.RankTally.from_predictions([0, 1], [-3.0, 4.0])
    return float(skmetrics_ext.METRICS["roc_auc_score"].kernel(first.merge(second)))


def exact_for_float32(m: Any) -> bool:
    """Area of 20,000 float32 scores against the count of the pairs in integers."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 20_000)
    scores = (rng.normal(size=20_000) + true).astype(np.float32)
    negative, positive = np.sort(scores[true == 0]), scores[true == 1]
    wins = np.searchsorted(negative, positive, "left") + np.searchsorted(
        negative, positive, "right"
    )
    exact = int(wins.sum()) / (2 * len(negative) * len(positive))
    return abs(m.roc_auc_score(true, scores) - exact) < 1e-15


CALLS: dict[str, Edge] = {
    "generator y_true": refused("y_true", lambda m: m.accuracy_score((y for y in Y), Y)),
    "ragged nested list": refused("y_true", lambda m: m.accuracy_score([[1], [1, 2]], [[1], [1]])),
    "np.matrix scores": value(
        lambda m: m.roc_auc_score([0, 1], np.array([[0.1, 0.9]]).view(np.matrix))
    ),
    "scipy sparse y_true column": refused(
        "y_true", lambda m: m.accuracy_score(csr_array(Y[:, None]), Y)
    ),
    "polars Series with null label": refused(
        "y_true", lambda m: m.accuracy_score(pl.Series([0, None, 1]), [0, 1, 1])
    ),
    "polars score with null": refused(
        "y_score", lambda m: m.roc_auc_score([0, 1, 1], pl.Series([0.1, None, 0.9]))
    ),
    "polars Enum(low,medium,high), quadratic kappa": value(
        lambda m: m.cohen_kappa_score(
            pl.Series(GRADED_TRUE, dtype=ENUM),
            pl.Series(GRADED_PRED, dtype=ENUM),
            weights="quadratic",
        )
    ),
    "pyarrow ChunkedArray scores": value(
        lambda m: m.roc_auc_score([0, 1, 1], pa.chunked_array([[0.5], [0.9, 0.1]]))
    ),
    "pandas Series of ArrowDtype string": value(
        lambda m: m.accuracy_score(*[pd.Series(["a", "b"], dtype=pd.ArrowDtype(pa.string()))] * 2)
    ),
    "torch score with requires_grad": value(lambda m: m.roc_auc_score(Y, tensor_like(S))),
    "binary_auroc float32 n=20000: error vs float64": value(exact_for_float32),
    "BinaryAUROC.update(logits) in 2 batches, one batch all inside [0,1]": value(in_two_batches),
}

"""Cells of a table as rows, for `intervals` and `evidence` only, until they read tallies."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.merged.rankings import Ranking as Ranking
from skmetrics_ext.merged.rankings import call as call
from skmetrics_ext.numeric import as_factors
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import Labels


def as_labels(table: ConfusionTally) -> Labels:
    """The cells of a confusion table as rows with a weight."""
    weight = as_factors(table.table.reshape(-1))
    true, pred = (codes.reshape(-1) for codes in np.indices(table.table.shape))
    kept = weight != 0
    kind = "multiclass" if len(table.classes) > 2 else "binary"
    return Labels(
        kind, table.classes, true[kept].astype(np.int64), pred[kept].astype(np.int64), weight[kept]
    )

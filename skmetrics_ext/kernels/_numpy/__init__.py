"""NumPy implementation of the kernels: the reference that every other one must equal."""

from skmetrics_ext.kernels._numpy.draws import resampled_wins
from skmetrics_ext.kernels._numpy.labels import (
    SMALL_TABLE,
    TABLE_CELLS_PER_ROW,
    all_finite,
    bin_sums,
    class_counts,
    confusion,
    encode,
    object_classes,
    types,
    value_range,
)
from skmetrics_ext.kernels._numpy.ranks import (
    pair_wins,
    placements,
    rank_table,
    ranked_precision,
    ranked_steps,
    ranked_wins,
)

__all__ = [
    "SMALL_TABLE",
    "TABLE_CELLS_PER_ROW",
    "all_finite",
    "bin_sums",
    "class_counts",
    "confusion",
    "encode",
    "object_classes",
    "pair_wins",
    "placements",
    "rank_table",
    "ranked_precision",
    "ranked_steps",
    "ranked_wins",
    "resampled_wins",
    "types",
    "value_range",
]

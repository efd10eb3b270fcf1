"""NumPy implementation of the kernels: the reference for all others."""

from skmetrics_ext.kernels._numpy.draws import largest_differences, resampled_wins
from skmetrics_ext.kernels._numpy.labels import (
    all_finite,
    bin_sums,
    binned_events,
    bins_between,
    class_counts,
    confusion,
    encode,
    squared_distances,
    tabulate,
    types,
    value_range,
)
from skmetrics_ext.kernels._numpy.ranks import (
    pair_wins,
    placements,
    precision_slopes,
    rank_table,
    ranked_precision,
    ranked_squares,
    ranked_steps,
    ranked_wins,
)

__all__ = [
    "all_finite",
    "bin_sums",
    "binned_events",
    "bins_between",
    "class_counts",
    "confusion",
    "encode",
    "largest_differences",
    "pair_wins",
    "placements",
    "precision_slopes",
    "rank_table",
    "ranked_precision",
    "ranked_squares",
    "ranked_steps",
    "ranked_wins",
    "resampled_wins",
    "squared_distances",
    "tabulate",
    "types",
    "value_range",
]

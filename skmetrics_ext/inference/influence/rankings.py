"""What each row adds to the error of an area, and variances from it.

The contribution of a row is the weight of its influence function: the contributions of a class
sum to 0, and the area of another sample would differ by about the sum of its own. Their squares
make the variance of DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44(3), 837-845; their
sums over groups that of Obuchowski (1997), Biometrics 53(2), 567-578.
"""

from __future__ import annotations

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array, divide, exclusive_cumsum
from skmetrics_ext.tallies import RankTally

# --------------------------------------------------------------------------- areas


def delong(tally: RankTally) -> tuple[Array, Array, Array]:
    """Area, and the parts of its variance from positive and from negative rows, by DeLong.

    From the tie groups, over leading axes. Weights are numbers of rows. The part of a class of
    one row is nan.
    """
    mass = tally.mass[..., ::-1]
    rows = mass.sum(axis=-1)
    below = exclusive_cumsum(mass) + mass * 0.5
    # Differences of counts, not of shares: above the highest positive row exactly 0 are left.
    beaten = np.stack([rows[..., 1:] - below[..., 1, :], below[..., 0, :]], axis=-2)
    others = rows[..., ::-1]
    beaten /= np.where(others > 0, others, np.nan)[..., None]
    area = divide((mass[..., 1, :] * beaten[..., 1, :]).sum(axis=-1), rows[..., 1])
    beaten -= area[..., None, None]
    beaten *= beaten
    beaten *= mass
    parts = divide(beaten.sum(axis=-1), rows * (rows - 1.0))
    return area, parts[..., 1], parts[..., 0]


def area_parts(score: Array, codes: Array, weight: Array | None) -> tuple[float, Array]:
    """Area of a binary ranking, and the contribution of each row to it."""
    places = kernels.placements(score, codes, weight)
    positive = codes == 1
    mass = np.ones(len(codes)) if weight is None else weight.astype(np.float64)
    n_pos, n_neg = mass[positive].sum(), mass[~positive].sum()
    share = np.where(positive, divide(places, n_neg), divide(n_pos - places, n_pos))
    own = np.where(positive, divide(mass, n_pos), divide(mass, n_neg))
    area = (share * own)[positive].sum() if n_pos else np.nan
    return float(area), (share - area) * own


# --------------------------------------------------------------------------- variances
# ``parts`` (n, p) are the contributions of the rows to p statistics; ``strata`` says to which
# class a row belongs, (n,) or for each statistic (n, p). A class of m rows has m - 1 degrees of
# freedom, so that single areas have DeLong's variance; of dependent rows, m counts the groups
# that hold rows of the class. ``sizes`` says how often a row was seen, for frequency weights.


def covariance(
    parts: Array, strata: Array, groups: Array | None = None, sizes: Array | None = None
) -> Array:
    """Covariance (p, p) of statistics with the same classes; nan where one has one row."""
    if groups is None:
        return gram(spread(parts, strata, sizes=sizes))
    sums, seen = _cell_sums(parts, strata, groups)
    found, n_groups = seen.sum(axis=0), np.count_nonzero(seen.any(axis=1))
    between = gram(sums.sum(axis=1))
    within = np.zeros_like(between)
    for k in np.flatnonzero(found):
        own = gram(sums[:, k])
        within += own * divide(found[k], found[k] - 1.0)
        between -= own
    # Two classes of one group: the degrees of freedom are those of all groups.
    return np.asarray(within + between * divide(n_groups, n_groups - 1.0))


def spread(
    parts: Array, strata: Array, groups: Array | None = None, sizes: Array | None = None
) -> Array:
    """Contributions with their degrees of freedom: sums of their squares are variances.

    One row for each row, or for each group. Linear: a weighted mean of statistics has the
    weighted mean of their columns.
    """
    if strata.ndim == 2:
        columns = [spread(parts[:, [k]], strata[:, k], groups, sizes) for k in range(len(parts.T))]
        return np.concatenate(columns, axis=1)
    if groups is None:
        rows = kernels.bin_sums(strata, int(strata.max()) + 1, sizes)
        freedom = np.sqrt(divide(rows, rows - 1.0))[strata]
        if sizes is not None:
            freedom = freedom / np.sqrt(sizes)
        return np.asarray(parts * freedom[:, None])
    sums, seen = _cell_sums(parts, strata, groups)
    found = seen.sum(axis=0)
    return np.asarray(np.einsum("gkp,k->gp", sums, np.sqrt(divide(found, found - 1.0))))


def _cell_sums(parts: Array, strata: Array, groups: Array) -> tuple[Array, Array]:
    """Sums of the contributions by group and class (g, k, p), and whether there were any rows."""
    classes, strata = np.unique(strata, return_inverse=True)
    shape = int(groups.max()) + 1, len(classes)
    cells, n_cells = groups * len(classes) + strata, shape[0] * shape[1]
    sums = [np.bincount(cells, weights=part, minlength=n_cells) for part in parts.T]
    seen = np.bincount(cells, minlength=n_cells).reshape(shape) > 0
    return np.stack(sums, axis=-1).reshape(*shape, -1), seen


def gram(columns: Array) -> Array:
    """Products of columns summed over rows, without BLAS: the same for any number of threads."""
    return np.asarray(np.einsum("ri,rj->ij", columns, columns))

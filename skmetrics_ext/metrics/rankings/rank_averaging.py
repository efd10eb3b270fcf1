"""OLD names, until every importer has moved."""

import numpy as np

from skmetrics_ext.metrics.rankings.ranking_function import check_share as check_share
from skmetrics_ext.metrics.rankings.ranking_kernels import ROUNDING as ROUNDING
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking as binary_tally  # noqa: F401


def counts_from_none(tally):  # type: ignore[no-untyped-def]
    return tally.counts_from_none()


def each_slice(kernel, tally):  # type: ignore[no-untyped-def]
    negative, positive = np.broadcast_arrays(tally.negative, tally.positive)
    rows = zip(_rows_of(negative), _rows_of(positive), strict=True)
    return np.array([kernel(*pair) for pair in rows]).reshape(negative.shape[:-1])


def _rows_of(values):  # type: ignore[no-untyped-def]
    return values.reshape(-1, values.shape[-1]).astype(np.float64)

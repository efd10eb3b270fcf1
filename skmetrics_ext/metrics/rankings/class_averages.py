"""OLD names, until every importer has moved."""

from skmetrics_ext.metrics.averaging import AVERAGES as AVERAGES
from skmetrics_ext.metrics.averaging import RankKernel as Kernel  # noqa: F401
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.metrics.rankings.score_tally import ScoreTally, read_areas


def average_areas(checked, kernel, multi_class, average):  # type: ignore[no-untyped-def]
    return read_areas(kernel, checked, multi_class, average)


def pair_areas(checked, kernel=roc_auc):  # type: ignore[no-untyped-def]
    return ScoreTally(checked).pairs(kernel)


def class_marks(checked):  # type: ignore[no-untyped-def]
    return checked.marks()

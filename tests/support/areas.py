"""The interval of an area under the ROC curve of checked scores, by DeLong unless it is said."""

from skmetrics_ext.inference.confidence_interval import interval_of_checked
from skmetrics_ext.inference.draws.readers import sample_of_checked
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.registry import find


def _metric(options):
    given = {name: options.pop(name) for name in ("multi_class", "average") if name in options}
    return find("roc_auc_score", given)


def auc_interval(checked, *, method="delong", **options):
    return interval_of_checked(_metric(options), checked, method=method, **options)


def contributions(checked, **options):
    """What each row adds to the area, (n,) or (n, p) of several."""
    found = linearize(sample_of_checked(_metric(options), checked))
    return found.by_row[0].T

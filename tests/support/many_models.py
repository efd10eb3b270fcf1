"""Differences between many models on the same rows, with simultaneous intervals."""

import skmetrics_ext as sx


def all_differences(metric, y_true, models, *, control=None, adjust="simultaneous", **options):
    """Of all pairs, or of all from one model; "holm" has the bounds of "bonferroni"."""
    table = sx.confidence_interval(metric, y_true, models, **options)
    found = table.against(model="each" if control is None else control)
    return found.adjust("bonferroni").adjust("holm") if adjust == "holm" else found.adjust(adjust)

"""The interval of an area under the ROC curve, by DeLong unless it is said, and Newcombe's."""

from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

import skmetrics_ext as sx


def _metric(options):
    names = ("multi_class", "average", "labels")
    given = {name: options.pop(name) for name in names if name in options}
    return partial(sx.roc_auc_score, **given)


def auc_interval(y_true, y_score, *, method="delong", **options):
    return sx.confidence_interval(_metric(options), y_true, y_score, method=method, **options)


def contributions(y_true, y_score, **options):
    """What each row adds to the area, (n,) or (n, p) of several."""
    return sx.influence_values(_metric(options), y_true, y_score, **options) / len(y_true)


def newcombe_bounds(area, n_pos, n_neg):
    """Areas whose own error, by Newcombe's formula, is 1 / ndtri(0.975) of the distance."""

    def excess(other):
        bends = (1 - other) / (2 - other) + other / (1 + other)
        variance = other * (1 - other) * (1 + ((n_pos + n_neg) / 2 - 1) * bends)
        return abs(area - other) - ndtri(0.975) * np.sqrt(variance / (n_pos * n_neg))

    low = 0.0 if area == 0 else brentq(excess, 1e-12, area - 1e-12)
    return low, 1.0 if area == 1 else brentq(excess, area + 1e-12, 1 - 1e-12)

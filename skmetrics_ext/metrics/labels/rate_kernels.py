"""Kernels of the rates: elementwise on the counts of a class, nan where they are 0/0."""

from __future__ import annotations

import math

import numpy as np

from skmetrics_ext.numeric import Array, divide, ratio
from skmetrics_ext.tallies import Counts


def precision(counts: Counts) -> Array:
    return divide(counts.tp, counts.pred)


def recall(counts: Counts) -> Array:
    return divide(counts.tp, counts.true)


def specificity(counts: Counts) -> Array:
    return divide(counts.tn, counts.tn + counts.fp)


def negative_predictive_value(counts: Counts) -> Array:
    return divide(counts.tn, counts.tn + counts.fn)


def fbeta(counts: Counts, beta: float = 1.0) -> Array:
    square = 1 if beta == 1 else float(beta) * float(beta)  # integers stay integers
    if math.isinf(square):
        return recall(counts)
    return divide((1 + square) * counts.tp, square * counts.true + counts.pred)


def jaccard(counts: Counts) -> Array:
    return divide(counts.tp, counts.tp + counts.fp + counts.fn)


def false_positive(counts: Counts) -> Array:
    return divide(counts.fp, counts.tn + counts.fp)


def false_negative(counts: Counts) -> Array:
    return divide(counts.fn, counts.true)


def false_discovery(counts: Counts) -> Array:
    return divide(counts.fp, counts.pred)


def false_omission(counts: Counts) -> Array:
    return divide(counts.fn, counts.tn + counts.fn)


def true_share(counts: Counts) -> Array:
    return divide(counts.true, counts.total)


def hit_share(counts: Counts) -> Array:
    return divide(counts.tp, counts.total)


def predicted_share(counts: Counts) -> Array:
    return divide(counts.pred, counts.total)


def youden_j(counts: Counts) -> Array:
    return recall(counts) + specificity(counts) - 1


def markedness(counts: Counts) -> Array:
    return precision(counts) + negative_predictive_value(counts) - 1


def positive_likelihood(counts: Counts) -> Array:
    return ratio(recall(counts), false_positive(counts))


def negative_likelihood(counts: Counts) -> Array:
    return ratio(false_negative(counts), specificity(counts))


def odds_ratio(counts: Counts) -> Array:
    return ratio(ratio(counts.tp, counts.fp), ratio(counts.fn, counts.tn))


def fowlkes_mallows(counts: Counts) -> Array:
    return np.sqrt(precision(counts) * recall(counts))

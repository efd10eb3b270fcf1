"""Generated rankings, and areas of them by their definitions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from support.samples import samples

binary = samples("scores", "binary")
weighted = samples("scores", "binary", weighted=True)
multiclass = samples("scores", "multiclass")
weighted_multiclass = samples("scores", "multiclass", weighted=True)
multilabel = samples("scores", "multilabel")
any_rows = st.one_of(binary, weighted)
any_classes = st.one_of(multiclass, weighted_multiclass)


def row_weights(sample):
    return np.ones(len(sample)) if sample.weight is None else sample.weight


def area_by_pairs(score, is_positive, is_negative, weight):
    """Share of pairs ranked rightly, ties half, as a fraction."""
    right, total = Fraction(0), Fraction(0)
    for i in np.flatnonzero(is_positive):
        for j in np.flatnonzero(is_negative):
            pair = Fraction(float(weight[i])) * Fraction(float(weight[j]))
            total += pair
            right += pair * (
                Fraction(int(score[i] > score[j])) + Fraction(int(score[i] == score[j]), 2)
            )
    return right / total


def points(sample):
    """Exact (false positives, true positives) from none to all, as fractions of the rows."""
    weight = row_weights(sample)
    found = [(Fraction(0), Fraction(0))]
    for threshold in np.unique(sample.response)[::-1]:
        above = (sample.response >= threshold) & (weight > 0)
        found.append(
            tuple(
                sum((Fraction(float(w)) for w in weight[above & (sample.true == k)]), Fraction(0))
                for k in (0, 1)
            )
        )
    n_neg, n_pos = found[-1]
    return [(fp / n_neg, tp / n_pos) for fp, tp in found]


def area_below(curve, low, high):
    """Integral of a rising polyline of exact points between two abscissas."""
    total = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(curve):
        a, b = max(x0, low), min(x1, high)
        if a < b:
            at = [y0 + (x - x0) / (x1 - x0) * (y1 - y0) for x in (a, b)]
            total += (b - a) * sum(at) / 2
    return total


def options(sample):
    return {} if sample.weight is None else {"sample_weight": sample.weight}

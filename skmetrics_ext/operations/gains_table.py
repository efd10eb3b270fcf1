"""The gains table: rate of the positive class by tenths of the scores, with lift and KS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.estimate_rows import EstimateRow, row_from
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.accuracy import accuracy_score
from skmetrics_ext.numeric import Options, PosLabel, exclusive_cumsum
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError, Scores
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_integer


@document
def gains_table(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    n_bins: int = 10,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Estimates:
    r"""Gains table: rate of the positive class by tenths of the scores, with gain, lift and KS.

    Parameters
    ----------
    {y_true_y_score}
    n_bins : int, default=10
        Number of bins of equal weight, the highest scores first. Rows with equal scores are in
        one bin, that of the first of them, so that bins may be unequal.
    {score_labels}
    {either_pos_label}
    {sample_weight}
    groups : array-like of shape (n_samples,), default=None
        The group of each row, if rows of a group may depend on each other.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval of each rate.

    Returns
    -------
    Estimates
        A row for each bin, ``group`` from 1: ``value`` is the rate of the positive class, with its
        interval; ``low_score`` and ``high_score`` are the ends of the bin, ``n_rows`` and
        ``positives`` its rows and those of the positive class. Of this bin and those before it,
        ``depth`` is their share of all rows, ``gain`` their share of the positive class, ``lift``
        gain over depth, and ``ks`` gain less their share of the negative class.

    Raises
    ------
    {raises}

    See Also
    --------
    gain_curve, lift_curve : All thresholds.
    ks_statistic_score : The largest difference over all thresholds.

    References
    ----------
    Siddiqi (2017), Intelligent Credit Scoring, 2nd edition, chapter 12.

    Examples
    --------
    >>> from skmetrics_ext import gains_table
    >>> y_score = [k / 40 for k in range(40, 0, -1)]
    >>> y_true = [1] * 8 + [1, 0] * 8 + [0] * 16
    >>> table = gains_table(y_true, y_score, n_bins=4)
    >>> print(table)
    group  metric   value     95 % interval  rows  method   depth    gain    lift      ks
    -----  ------  ------  ----------------  ----  ------  ------  ------  ------  ------
    1      rate    0.9000  [0.5958, 0.9821]    10  wilson  0.2500  0.5625  2.2500  0.5208
    2      rate    0.5000  [0.2366, 0.7634]    10  wilson  0.5000  0.8750  1.7500  0.6250
    3      rate    0.2000  [0.0567, 0.5098]    10  wilson  0.7500  1.0000  1.3333  0.4167
    4      rate    0.0000  [0.0000, 0.2775]    10  wilson  1.0000  1.0000  1.0000  0.0000
    """
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    n_bins = check_integer("n_bins", n_bins, 1)
    checked = Scores.check(y_true, y_score, what="gains_table", **options)
    if checked.kind != "binary":
        raise InvalidParameterError(
            f"gains_table reads scores of two classes, and y_true is {checked.kind}: pass "
            "y_true == k and the scores of class k."
        )
    weight = np.ones(len(checked.true)) if checked.weight is None else checked.weight
    masked = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    cluster = None if groups is None else read_groups(groups, len(weight), **masked)
    scores, place = np.unique(-checked.score, return_inverse=True)
    by_score = np.bincount(place, weight, len(scores))
    total, positives = weight.sum(), weight @ checked.true
    bins = np.minimum(exclusive_cumsum(by_score) * n_bins / total + 1e-9, n_bins - 1).astype(int)
    rows: list[EstimateRow] = []
    reached = hits = np.zeros(())
    for number in np.unique(bins[by_score > 0]):
        inside = np.flatnonzero(bins[place] == number)
        true, own = checked.true[inside], weight[inside]
        reached, hits = reached + own.sum(), hits + own @ true
        asked: Options = {"sample_weight": None if checked.weight is None else own}
        asked |= {"groups": None if cluster is None else cluster[inside]}
        ones, level = np.ones(len(inside), dtype=np.int64), confidence_level
        found: Any = confidence_interval(
            accuracy_score, ones, true, confidence_level=level, **asked
        )
        depth, gain = float(reached / total), float(hits / positives)
        further = {
            "low_score": float(checked.score[inside].min()),
            "high_score": float(checked.score[inside].max()),
            "positives": int(true[own > 0].sum()),
            "depth": depth,
            "gain": gain,
            "lift": gain / depth,
            "ks": gain - float((reached - hits) / (total - positives)),
        }
        facts = replace(found.facts or Facts(), metric="rate", positive_class=checked.classes[1])
        named = {"group": int(number) + 1, "n_rows": len(inside)}
        rows.append(row_from(replace(found, facts=facts), **named, **further))
    return Estimates(rows, confidence_level=confidence_level)

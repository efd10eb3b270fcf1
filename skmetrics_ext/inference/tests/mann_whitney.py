"""The Mann-Whitney test that a score ranks better than chance."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.results import TestResult
from skmetrics_ext.inference.scales import tail_probability
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.numeric import Array, exclusive_cumsum
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import check_option

_MOST_EXACT = 50  # rows up to which "auto" counts every order


def exact_tails(tally: RankTally) -> tuple[float, float]:
    """Chances of as few and of as many wins, of all ways to choose the positive rows."""
    positive, group = tally.positive[::-1], tally.mass.sum(axis=0)[::-1]
    n_pos, n_rows = int(positive.sum()), int(group.sum())
    # Twice the midrank of each row is whole, so sums of them count without rounding.
    ranks = np.repeat(2 * exclusive_cumsum(group) + group + 1, group)
    observed, largest = int((positive * (2 * exclusive_cumsum(group) + group + 1)).sum()), 0
    chances = np.zeros((n_pos + 1, int(ranks.sum()) + 1))
    chances[0, 0] = 1.0
    for i, rank in enumerate(ranks.tolist()):
        # Chosen with the chance that is left: the rows below have chosen j of n_pos already.
        taken = (n_pos - np.arange(n_pos + 1)) / (n_rows - i)
        moved = chances[:-1, : largest + 1] * np.maximum(taken[:-1, None], 0.0)
        chances[:, : largest + 1] *= np.clip(1 - taken[:, None], 0.0, 1.0)
        chances[1:, rank : rank + largest + 1] += moved
        largest += rank
    final = chances[n_pos]
    return float(final[: observed + 1].sum()), float(final[observed:].sum())


def wins_of(tally: RankTally) -> float:
    """Mann and Whitney's U: pairs that the positive row wins, ties by half."""
    negative: Array = tally.negative[::-1]
    return float((tally.positive[::-1] * (exclusive_cumsum(negative) + negative / 2)).sum())


def normal_score(tally: RankTally, correction: int) -> float:
    """Standardised number of wins, with the variance of ties, moved by half a win."""
    group = tally.mass.sum(axis=0).astype(np.float64)
    n_pos, n_neg = map(float, tally.mass.sum(axis=1)[::-1])
    n_rows = n_pos + n_neg
    tied = (group**3 - group).sum() / (n_rows * (n_rows - 1))
    variance = n_pos * n_neg / 12 * (n_rows + 1 - tied)
    away = wins_of(tally) - n_pos * n_neg / 2
    towards_middle = np.sign(away) * max(abs(away) - 0.5, 0.0)
    away = towards_middle if correction == 0 else away - 0.5 * correction
    return float(away / np.sqrt(variance)) if variance > 0 else 0.0


@document
def mwu_auc_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alternative: Literal["greater", "less", "two-sided"] = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    labels: Any = None,
    pos_label: Any = None,
) -> TestResult:
    r"""Mann-Whitney test that the area under the ROC curve is 1/2: that the score says nothing.

    .. math:: z = \frac{U - m n / 2 \mp 1/2}{\sqrt{m n (N + 1 - T / (N (N - 1))) / 12}}, \qquad
        T = \sum_t (t^3 - t)

    with :math:`U = m n \, AUC` for m positive and n negative rows, and t the sizes of the groups
    of tied scores. It asks whether both classes have the same scores; for intervals of the area
    and tests of another one see `confidence_interval` and `delong_test`.

    Parameters
    ----------
    {y_true_y_score_binary}
    alternative : {"greater", "less", "two-sided"}, default="two-sided"
        Whether the area is greater than 1/2, less, or either.
    method : {"auto", "exact", "asymptotic"}, default="auto"
        "exact" counts all ways in which the scores could belong to the classes, tied as they
        are; "asymptotic" is the normal score above, with continuity correction; "auto" is exact
        up to 50 rows.
    {score_labels}
    {score_pos_label}

    Returns
    -------
    TestResult
        ``statistic`` is U, or z of the asymptotic test. nan where a class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Mann & Whitney (1947), Annals of Mathematical Statistics 18(1), 50-60; Mason & Graham (2002),
    Quarterly Journal of the Royal Meteorological Society 128(584), 2145-2166.

    Examples
    --------
    >>> from skmetrics_ext import mwu_auc_test
    >>> test = mwu_auc_test([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6])
    >>> test.statistic, round(test.p_value, 4)
    (8.0, 0.2)
    """
    check_option("alternative", alternative, ("greater", "less", "two-sided"))
    check_option("method", method, ("auto", "exact", "asymptotic"))
    checked, tally = binary_ranking(
        y_true,
        y_score,
        labels=labels,
        pos_label=pos_label,
        sample_weight=None,
        what="mwu_auc_test",
        side="either",
    )
    if method == "auto":
        method = "exact" if len(checked.true) <= _MOST_EXACT else "asymptotic"
    name = f"mann_whitney, {method}"
    if not (tally.positive.any() and tally.negative.any()):
        return TestResult(float("nan"), float("nan"), name)
    if method == "exact":
        few, many = exact_tails(tally)
        tails = {"greater": many, "less": few, "two-sided": 2 * min(few, many)}
        return TestResult(wins_of(tally), min(tails[alternative], 1.0), name)
    score = normal_score(tally, {"greater": 1, "less": -1, "two-sided": 0}[alternative])
    return TestResult(score, float(tail_probability(score, np.inf, alternative)), name)

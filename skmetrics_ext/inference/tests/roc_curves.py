"""Permutation tests of ROC curves: Venkatraman's for two curves, Mann and Whitney's for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.atoms import block_sizes
from skmetrics_ext.inference.draws.bootstrap import seed_sequence
from skmetrics_ext.inference.draws.readers import errors_naming
from skmetrics_ext.inference.results import TestResult
from skmetrics_ext.inference.scales import drawn_p_value, tail_probability
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.numeric import Array, PosLabel, RandomState, exclusive_cumsum
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_draws

_CELLS = 1 << 20  # numbers held at once
_ROUNDING = 1e-9
_ORDERS = 500  # orders of tied scores that the test is averaged over
_MOST_EXACT = 50  # rows up to which "auto" is exact


# --------------------------------------------------------------------------- kernels


def paired_statistic(first: Array, second: Array) -> Array:
    """Sum over cutpoints of the difference in errors of two rankings of the same rows.

    Each (..., n) holds whether the row of each rank is positive, lowest rank first. At a cutpoint
    both rankings predict the same number of positives, so their errors differ by twice the
    difference in positives below it.
    """
    below = np.cumsum(first, axis=-1, dtype=np.int64) - np.cumsum(second, axis=-1, dtype=np.int64)
    return np.asarray(2 * np.abs(below).sum(axis=-1))


def unpaired_statistic(first: Array, second: Array, share: float) -> float:
    """Area between the error curves of two samples, whose ranks are as in `paired_statistic`.

    Cutpoints are matched by the weight below them; ``share`` is the weight of the positive class
    in both samples.
    """
    (x_a, y_a), (x_b, y_b) = _error_line(first, share), _error_line(second, share)
    x = np.union1d(x_a, x_b)
    difference = np.interp(x, x_a, y_a) - np.interp(x, x_b, y_b)
    left, right = np.abs(difference[:-1]), np.abs(difference[1:])
    total = left + right
    crosses = difference[:-1] * difference[1:] < 0
    # Two triangles where the lines cross, a trapezoid elsewhere; heights are doubled.
    triangles = (left**2 + right**2) / np.where(total > 0, total, 1.0)
    return float((np.diff(x) * np.where(crosses, triangles, total)).sum())


def _error_line(positive: Array, share: float) -> tuple[Array, Array]:
    """Weight of the rows below each rank, and of the positive ones among them, from (0, 0)."""
    n_positive = np.concatenate([[0], np.cumsum(positive)])
    n_negative = np.arange(len(positive) + 1) - n_positive
    below = n_positive * (share / n_positive[-1])
    return below + n_negative * ((1 - share) / n_negative[-1]), below


# --------------------------------------------------------------------------- permutations


def exchanged_statistics(
    positive: Array,
    order_a: Array,
    order_b: Array,
    n_draws: int,
    rng: np.random.Generator,
    group: Array | None = None,
) -> Iterator[Array]:
    """Statistics after the ranks of a row, or of all rows of a group, are exchanged at random.

    A rank then belongs to no row, one or two. Two are put in random order; as the rows of a rank
    are adjacent, nothing has to be sorted again.
    """
    n_rows = len(positive)
    slots = np.stack([order_a, order_b], axis=-1)  # the rows of each rank
    n_coins = n_rows if group is None else int(group.max()) + 1
    for n_at_once in block_sizes(n_draws, max(_CELLS // (2 * n_rows), 1)):
        swapped = rng.integers(0, 2, (n_at_once, n_coins), dtype=np.int8).astype(bool)
        swapped = swapped if group is None else swapped[:, group]
        in_first = swapped[:, slots] ^ np.array([True, False])
        yield paired_statistic(
            *(_in_rank_order(positive[slots], used, rng) for used in (in_first, ~in_first))
        )


def _in_rank_order(positive: Array, used: Array, rng: np.random.Generator) -> Array:
    """Classes of the used slots (B, n), the two of one rank in random order."""
    turned = rng.integers(0, 2, used.shape[:2], dtype=np.int8).astype(bool)
    first, second = positive[..., 0], positive[..., 1]
    classes = np.empty(used.shape, dtype=bool)
    classes[..., 0] = np.where(turned, second, first)
    classes[..., 1] = np.where(turned, first, second)
    kept = np.where(turned[..., None], used[..., ::-1], used)
    return classes[kept].reshape(len(used), -1)


def regrouped_statistics(
    sample_a: Array, sample_b: Array, share: float, n_draws: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Statistics after rows of one class are exchanged between the samples at random.

    Rows are ordered by the weight below them in their own sample, which does not depend on the
    scale of the scores.
    """
    edges = [_error_line(sample, share)[0] for sample in (sample_a, sample_b)]
    places = np.concatenate([(edge[1:] + edge[:-1]) / 2 for edge in edges])
    positive = np.concatenate([sample_a, sample_b])
    in_first = np.arange(len(places)) < len(sample_a)
    of_class = [np.flatnonzero(positive == k) for k in (False, True)]
    for _ in range(n_draws):
        order = np.lexsort((rng.random(len(places)), places))
        moved = in_first.copy()
        for rows in of_class:
            moved[rows] = rng.permutation(in_first[rows])
        kept, classes = moved[order], positive[order]
        yield np.array([unpaired_statistic(classes[kept], classes[~kept], share)])


# --------------------------------------------------------------------------- public functions


@document
def venkatraman_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    y_true_b: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    n_resamples: int = 9999,
    random_state: RandomState = 0,
) -> TestResult:
    r"""Permutation test that two ROC curves are equal at every point, not just in area.

    .. math:: E = \sum_{k=1}^{n-1} |e_k|

    with :math:`e_k` the difference in the number of errors of the two models when each predicts
    its n - k highest rows positive. Curves that cross may have equal areas; E is 0 only if the
    curves are equal everywhere.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    score_a, score_b : array-like of shape (n_samples,)
        Scores of two models, higher for the positive class.
    y_true_b : array-like, default=None
        Labels of the rows of ``score_b`` if these are another, independent sample. By default
        both models scored the same rows.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient), if rows of a group depend on each other: their ranks
        are exchanged together. Not for two samples.
    {score_labels}
    {score_pos_label}
    n_resamples : int, default=9999
        Number of random permutations.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the permutations and of the random orders of tied scores, over which statistic and
        p-value are averaged.

    Returns
    -------
    TestResult
        ``statistic`` is E; for two samples, the area between their error curves, with cutpoints
        matched by the weight below them at the pooled prevalence. The p-value counts the observed
        order as one permutation.

    Raises
    ------
    {raises}

    References
    ----------
    Venkatraman & Begg (1996), Biometrika 83(4), 835-848, for the same rows (exchanges the ranks of
    a row); Venkatraman (2000), Biometrics 56(4), 1134-1138, for two samples (exchanges rows of a
    class).

    Examples
    --------
    >>> from skmetrics_ext.significance import venkatraman_test
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> a, b = [1, 2, 3, 4, 6, 5, 7, 8, 9, 10], [7, 6, 9, 1, 2, 8, 5, 3, 10, 4]
    >>> print(venkatraman_test(y_true, a, b, random_state=0))
    venkatraman, paired: statistic = 18, p = 0.2
    """
    check_draws(n_resamples)
    rng = np.random.default_rng(seed_sequence(random_state))
    options = {"labels": labels, "pos_label": pos_label, "what": "venkatraman_test"}
    paired = y_true_b is None
    first = _two_classes(y_true, score_a, "score_a", options)
    second = _two_classes(y_true if y_true_b is None else y_true_b, score_b, "score_b", options)
    if paired and len(first.true) != len(second.true):
        raise InvalidParameterError("score_a and score_b are masked in different rows.")
    group = None
    if groups is not None:
        if not paired:
            raise InvalidParameterError(
                "groups= exchanges the models within groups of the same rows, and y_true_b= is "
                "another sample: choose one."
            )
        group = read_groups(groups, len(first.true), y_true=y_true, score_a=score_a)
    observed, as_large = [], 0
    for n_draws in _draws_of_orders(first, second, n_resamples):
        if paired:
            statistic, draws = _paired(first, second, n_draws, rng, group)
        else:
            statistic, draws = _unpaired(first, second, n_draws, rng)
        observed.append(statistic)
        as_large += sum(int((drawn >= statistic * (1 - _ROUNDING)).sum()) for drawn in draws)
    name = "venkatraman, paired" if paired else "venkatraman, two samples"
    p_value = drawn_p_value((as_large + 1) / (n_resamples + 1), n_resamples, tails=1)
    return TestResult(float(np.mean(observed)), p_value, name)


def _draws_of_orders(first: Scores, second: Scores, n_resamples: int) -> Array:
    """Number of permutations for each random order of tied scores; one order if there are none."""
    tied = any(len(np.unique(model.score)) < len(model.score) for model in (first, second))
    edges = np.linspace(0, n_resamples, min(_ORDERS, n_resamples) + 1 if tied else 2)
    return np.diff(edges.astype(np.int64))


def _paired(
    first: Scores, second: Scores, n_draws: int, rng: np.random.Generator, group: Array | None
) -> tuple[float, Iterator[Array]]:
    """The statistic for one order of tied scores, and those of permutations."""
    # Ties of both models are in the same order, so that a model is equal to itself.
    breaks, positive = rng.random(len(first.true)), first.true == 1
    order_a, order_b = (np.lexsort((breaks, model.score)) for model in (first, second))
    observed = float(paired_statistic(positive[order_a], positive[order_b]))
    return observed, exchanged_statistics(positive, order_a, order_b, n_draws, rng, group)


def _unpaired(
    first: Scores, second: Scores, n_draws: int, rng: np.random.Generator
) -> tuple[float, Iterator[Array]]:
    """The statistic of two samples for one order of tied scores, and those of permutations."""
    sample_a, sample_b = (
        model.true[np.lexsort((rng.random(len(model.true)), model.score))] == 1
        for model in (first, second)
    )
    share = float(np.concatenate([sample_a, sample_b]).mean())
    observed = unpaired_statistic(sample_a, sample_b, share)
    return observed, regrouped_statistics(sample_a, sample_b, share, n_draws, rng)


def _two_classes(y_true: Any, score: Any, name: str, options: dict[str, Any]) -> Scores:
    with errors_naming(f"{name} (y_score below)"):
        checked = Scores.check(y_true, score, **options)
    if checked.kind != "binary" or len(np.unique(checked.true)) < 2:
        raise InvalidParameterError(
            f"venkatraman_test needs rows of two classes, y_true holds {checked.classes.tolist()}."
        )
    return checked


# --------------------------------------------------------------------------- Mann and Whitney


def exact_tails(tally: RankTally) -> tuple[float, float]:
    """Chances of as few and of as many wins, over all choices of the positive rows."""
    positive, tied = tally.positive[::-1], tally.mass.sum(axis=0)[::-1]
    n_pos, n_rows = int(positive.sum()), int(tied.sum())
    # Twice the midrank of each row is an integer, so that sums of them have no rounding.
    doubled_ranks = 2 * exclusive_cumsum(tied) + tied + 1
    ranks = np.repeat(doubled_ranks, tied)
    observed, largest = int((positive * doubled_ranks).sum()), 0
    chances = np.zeros((n_pos + 1, int(ranks.sum()) + 1))  # by positives chosen and sum of ranks
    chances[0, 0] = 1.0
    for i, rank in enumerate(ranks.tolist()):
        # The chance that this row is positive if j of the rows below it are.
        chosen = (n_pos - np.arange(n_pos + 1)) / (n_rows - i)
        moved = chances[:-1, : largest + 1] * np.maximum(chosen[:-1, None], 0.0)
        chances[:, : largest + 1] *= np.clip(1 - chosen[:, None], 0.0, 1.0)
        chances[1:, rank : rank + largest + 1] += moved
        largest += rank
    final = chances[n_pos]
    return float(final[: observed + 1].sum()), float(final[observed:].sum())


def normal_score(tally: RankTally, correction: int) -> float:
    """Standardised number of wins, with the variance of ties and a continuity correction.

    The correction moves it by half a win: up (-1), down (1) or towards the middle (0).
    """
    tied = tally.mass.sum(axis=0).astype(np.float64)
    n_pos, n_neg = map(float, tally.mass.sum(axis=1)[::-1])
    n_rows = n_pos + n_neg
    tie_term = (tied**3 - tied).sum() / (n_rows * (n_rows - 1))
    variance = n_pos * n_neg / 12 * (n_rows + 1 - tie_term)
    excess = float(tally.wins().twice) / 2 - n_pos * n_neg / 2
    if correction == 0:
        excess = np.sign(excess) * max(abs(excess) - 0.5, 0.0)
    else:
        excess -= 0.5 * correction
    return float(excess / np.sqrt(variance)) if variance > 0 else 0.0


@document
def mwu_auc_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alternative: Literal["greater", "less", "two-sided"] = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
) -> TestResult:
    r"""Mann-Whitney test that the area under the ROC curve is 1/2 (uninformative scores).

    .. math:: z = \frac{U - m n / 2 \mp 1/2}{\sqrt{m n (N + 1 - T / (N (N - 1))) / 12}}, \qquad
        T = \sum_t (t^3 - t)

    with :math:`U = m n \, AUC` for m positive and n negative rows, and t the numbers of rows with
    equal scores. The hypothesis is that both classes have the same distribution of scores; for
    intervals of the area see `confidence_interval`, for comparisons of areas `delong_test`.

    Parameters
    ----------
    {y_true_y_score_binary}
    alternative : {"greater", "less", "two-sided"}, default="two-sided"
        Whether the area is greater than 1/2, less, or either.
    method : {"auto", "exact", "asymptotic"}, default="auto"
        "exact" counts all assignments of the scores, with their ties, to the classes;
        "asymptotic" is the normal score above, with continuity correction; "auto" is exact up to
        50 rows.
    {score_labels}
    {score_pos_label}

    Returns
    -------
    TestResult
        ``statistic`` is U, or z of the asymptotic test; nan if a class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Mann & Whitney (1947), Annals of Mathematical Statistics 18(1), 50-60; Mason & Graham (2002),
    Quarterly Journal of the Royal Meteorological Society 128(584), 2145-2166.

    Examples
    --------
    >>> from skmetrics_ext.inference.tests.roc_curves import mwu_auc_test
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
        less, greater = exact_tails(tally)
        tails = {"greater": greater, "less": less, "two-sided": 2 * min(less, greater)}
        statistic = float(tally.wins().twice) / 2
        return TestResult(statistic, min(tails[alternative], 1.0), name)
    score = normal_score(tally, {"greater": 1, "less": -1, "two-sided": 0}[alternative])
    return TestResult(score, float(tail_probability(score, np.inf, alternative)), name)

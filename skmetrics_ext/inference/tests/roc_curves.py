"""Tests that an ROC curve is better than chance, or that two are the same at every point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.bootstrap import seed_sequence
from skmetrics_ext.inference.results import TestResult
from skmetrics_ext.inference.scales import tail_probability
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.numeric import Array, PosLabel, RandomState, exclusive_cumsum
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_integer

_CELLS = 1 << 20  # of draws by rows that are held at once
_ROUNDING = 1e-9
_ORDERS = 500  # of tied scores, over which the test is averaged
_MOST_EXACT = 50  # rows up to which "auto" counts every order


# --------------------------------------------------------------------------- kernels


def paired_statistic(first: Array, second: Array) -> Array:
    """Sum over cutpoints of the differing errors of two rankings of the same rows.

    Each (..., n) holds whether the row of each rank is positive, lowest rank first. At a cutpoint
    both call equally many rows positive, so their errors differ by twice the positives below.
    """
    below = np.cumsum(first, axis=-1, dtype=np.int64) - np.cumsum(second, axis=-1, dtype=np.int64)
    return np.asarray(2 * np.abs(below).sum(axis=-1))


def unpaired_statistic(first: Array, second: Array, share: float) -> float:
    """Area between the errors of two samples, ranks as in `paired_statistic`.

    Cutpoints are matched by the weight below them, with ``share`` the weight of the positive
    class in both samples.
    """
    (x_a, y_a), (x_b, y_b) = _error_line(first, share), _error_line(second, share)
    x = np.union1d(x_a, x_b)
    apart = np.interp(x, x_a, y_a) - np.interp(x, x_b, y_b)
    left, right = np.abs(apart[:-1]), np.abs(apart[1:])
    total = left + right
    crosses = apart[:-1] * apart[1:] < 0
    # Two triangles where the lines cross, a trapezium where they do not.
    squares = (left**2 + right**2) / np.where(total > 0, total, 1.0)
    return float((np.diff(x) * np.where(crosses, squares, total)).sum())


def _error_line(positive: Array, share: float) -> tuple[Array, Array]:
    """Weight below each rank, and of the positive rows among it, from (0, 0)."""
    n_pos = positive.sum()
    below = np.concatenate([[0], np.cumsum(positive)]) * (share / n_pos)
    others = np.arange(len(positive) + 1) - np.concatenate([[0], np.cumsum(positive)])
    return below + others * ((1 - share) / (len(positive) - n_pos)), below


# --------------------------------------------------------------------------- permutations


def exchanged_statistics(
    positive: Array,
    order_a: Array,
    order_b: Array,
    n_draws: int,
    rng: np.random.Generator,
    group: Array | None = None,
) -> Iterator[Array]:
    """Statistics where the ranks of each row, or of all of a group, change places at random.

    A rank is then held by no row, one or two; two are put in random order (the rows of a rank
    stand side by side, so that nothing has to be sorted again).
    """
    n_rows = len(positive)
    slots = np.stack([order_a, order_b], axis=-1)  # the rows that have each rank
    each = max(_CELLS // (2 * n_rows), 1)
    for start in range(0, n_draws, each):
        n_parts = min(each, n_draws - start)
        n_coins = n_rows if group is None else int(group.max()) + 1
        swapped = rng.integers(0, 2, (n_parts, n_coins), dtype=np.int8).astype(bool)
        swapped = swapped if group is None else swapped[:, group]
        in_first = swapped[:, slots] ^ np.array([True, False])
        yield paired_statistic(
            *(_in_rank_order(positive[slots], held, rng) for held in (in_first, ~in_first))
        )


def _in_rank_order(positive: Array, held: Array, rng: np.random.Generator) -> Array:
    """Classes of the held slots (B, n), the two of one rank in random order."""
    turned = rng.integers(0, 2, held.shape[:2], dtype=np.int8).astype(bool)
    first, second = positive[..., 0], positive[..., 1]
    both = np.empty(held.shape, dtype=bool)
    both[..., 0], both[..., 1] = np.where(turned, second, first), np.where(turned, first, second)
    kept = np.where(turned[..., None], held[..., ::-1], held)
    return both[kept].reshape(len(held), -1)


def regrouped_statistics(
    sample_a: Array, sample_b: Array, share: float, n_draws: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Statistics where rows of one class change places between the samples at random.

    Rows of both samples are compared by the weight below them in their own, which does not
    depend on the scale of the scores.
    """
    samples = (sample_a, sample_b)
    places = np.concatenate([_middles(_error_line(one, share)[0]) for one in samples])
    positive = np.concatenate(samples)
    in_first = np.arange(len(places)) < len(sample_a)
    of_class = [np.flatnonzero(positive == k) for k in (False, True)]
    for _ in range(n_draws):
        order = np.lexsort((rng.random(len(places)), places))
        moved = in_first.copy()
        for rows in of_class:
            moved[rows] = rng.permutation(in_first[rows])
        kept, classes = moved[order], positive[order]
        yield np.array([unpaired_statistic(classes[kept], classes[~kept], share)])


def _middles(edges: Array) -> Array:
    return (edges[1:] + edges[:-1]) / 2


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
    random_state: RandomState = None,
) -> TestResult:
    r"""Permutation test that two ROC curves are the same, also where their areas are.

    .. math:: E = \sum_{k=1}^{n-1} |e_k|

    with :math:`e_k` the difference of the numbers of errors that the two models make when each
    calls its n - k highest rows positive. Curves that cross may have equal areas; E is 0 only
    where they are equal everywhere.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    score_a, score_b : array-like of shape (n_samples,)
        Scores of two models, higher for the positive class.
    y_true_b : array-like, default=None
        Labels of the rows of ``score_b`` where they are another, independent sample. Without it,
        both models scored the same rows.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient), if rows of a group depend on each other: the ranks of
        all of them change places together. Not for two samples.
    {score_labels}
    {score_pos_label}
    n_resamples : int, default=9999
        Number of random permutations.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the permutations, and of the orders of tied scores: statistic and p-value are
        means over random ones.

    Returns
    -------
    TestResult
        ``statistic`` is E; of two samples the area between their curves of errors, over cutpoints
        of equal weight below when both have the pooled prevalence. The p-value counts the
        observed order as one permutation.

    Raises
    ------
    {raises}

    References
    ----------
    Venkatraman & Begg (1996), Biometrika 83(4), 835-848, for the same rows: the ranks of each row
    change places; Venkatraman (2000), Biometrics 56(4), 1134-1138, for two samples: rows of one
    class do.

    Examples
    --------
    >>> from skmetrics_ext import venkatraman_test
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> a, b = [1, 2, 3, 4, 6, 5, 7, 8, 9, 10], [7, 6, 9, 1, 2, 8, 5, 3, 10, 4]
    >>> print(venkatraman_test(y_true, a, b, random_state=0))
    venkatraman, paired: statistic = 18, p = 0.196
    """
    check_integer("n_resamples", n_resamples, 1)
    rng = np.random.default_rng(seed_sequence(random_state))
    about = {"labels": labels, "pos_label": pos_label, "what": "venkatraman_test"}
    first = _two_classes(y_true, score_a, "score_a", about)
    second = _two_classes(y_true if y_true_b is None else y_true_b, score_b, "score_b", about)
    paired = y_true_b is None
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
            found, draws = _paired(first, second, n_draws, rng, group)
        else:
            found, draws = _unpaired(first, second, n_draws, rng)
        observed.append(found)
        as_large += sum(int((part >= found * (1 - _ROUNDING)).sum()) for part in draws)
    name = "venkatraman, paired" if paired else "venkatraman, two samples"
    p_value = (as_large + 1) / (n_resamples + 1)
    return TestResult(float(np.mean(observed)), p_value, name)


def _draws_of_orders(first: Scores, second: Scores, n_resamples: int) -> Array:
    """How many permutations each order of tied scores has; one has all, where none are tied."""
    tied = any(len(np.unique(one.score)) < len(one.score) for one in (first, second))
    edges = np.linspace(0, n_resamples, min(_ORDERS, n_resamples) + 1 if tied else 2)
    return np.diff(edges.astype(np.int64))


def _paired(
    first: Scores, second: Scores, n_draws: int, rng: np.random.Generator, group: Array | None
) -> tuple[float, Iterator[Array]]:
    """The statistic of one order of tied scores, and those of permutations."""
    # Ties of both models in the same order, so that a model is equal to itself.
    breaks, positive = rng.random(len(first.true)), first.true == 1
    order_a, order_b = (np.lexsort((breaks, one.score)) for one in (first, second))
    observed = float(paired_statistic(positive[order_a], positive[order_b]))
    return observed, exchanged_statistics(positive, order_a, order_b, n_draws, rng, group)


def _unpaired(
    first: Scores, second: Scores, n_draws: int, rng: np.random.Generator
) -> tuple[float, Iterator[Array]]:
    """The statistic of two samples in one order of tied scores, and those of permutations."""
    sample_a, sample_b = (
        one.true[np.lexsort((rng.random(len(one.true)), one.score))] == 1 for one in (first, second)
    )
    share = float(np.concatenate([sample_a, sample_b]).mean())
    observed = unpaired_statistic(sample_a, sample_b, share)
    return observed, regrouped_statistics(sample_a, sample_b, share, n_draws, rng)


def _two_classes(y_true: Any, score: Any, name: str, about: dict[str, Any]) -> Scores:
    try:
        checked = Scores.check(y_true, score, **about)
    except ValueError as error:
        raise InvalidParameterError(f"{name} (y_score below): {error}") from error
    if checked.kind != "binary" or len(np.unique(checked.true)) < 2:
        raise InvalidParameterError(
            f"venkatraman_test needs rows of two classes, y_true holds {checked.classes.tolist()}."
        )
    return checked


# --------------------------------------------------------------------------- Mann and Whitney


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
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
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

"""Tests on contingency tables: McNemar, Tango, Cochran, Looney, Bowker, Stuart-Maxwell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.readers import errors_naming
from skmetrics_ext.inference.linearized import Contributions, Linearized
from skmetrics_ext.inference.margins import Asked, Contrast, on_side
from skmetrics_ext.inference.proportions import binomial_tails
from skmetrics_ext.inference.results import Estimate, TestResult, compared_with
from skmetrics_ext.inference.scales import Bounds, quantile, tail_probability
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide, increasing_root, ratio
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.rows import check_same_masks
from skmetrics_ext.validation.tensors import to_host

Counts = tuple[Array, Array, int, Array]
MCNEMAR_METHODS = ("exact", "mid_p", "corrected", "uncorrected")

# --------------------------------------------------------------------------- McNemar and Tango


def mcnemar_p_value(
    only_a: ArrayLike, only_b: ArrayLike, method: str = "mid_p"
) -> tuple[Array, Array]:
    """Statistic (nan for exact tests) and p-value of McNemar's test, broadcast.

    ``only_a`` rows are predicted right by the first model alone, ``only_b`` by the second alone.
    """
    first, second = np.broadcast_arrays(
        np.asarray(only_a, dtype=np.float64), np.asarray(only_b, dtype=np.float64)
    )
    if method in ("corrected", "uncorrected"):
        return _chi_squared(np.abs(first - second), first + second, method)
    more, fewer = np.maximum(first, second), np.minimum(first, second)
    p_value = _doubled_tail(*binomial_tails(more, fewer, 0.5), method)
    return np.full(p_value.shape, np.nan), p_value


def _doubled_tail(at_least: Array, more_than: Array, method: str) -> Array:
    """Two-sided p-value of an exact test; "mid_p" counts the observed value by half."""
    tail = at_least if method == "exact" else (at_least + more_than) / 2
    return np.minimum(2 * tail, 1.0)


def _chi_squared(difference: Array, squares: Array, method: str) -> tuple[Array, Array]:
    """Statistic and p-value; the continuity correction does not go below 0."""
    from scipy.special import chdtrc

    if method == "corrected":
        difference = np.maximum(difference - 1.0, 0.0)
    statistic = np.nan_to_num(divide(difference**2, squares))
    return statistic, chdtrc(1, statistic)


def tango_score(delta: Array, only_a: Any, only_b: Any, nobs: float) -> Array:
    """Tango's score statistic of a paired difference of proportions, if the true one is ``delta``.

    Its standard error is that of the maximum-likelihood proportions whose difference is ``delta``.
    """
    # Maximum-likelihood share of the rows that only the second model has right.
    linear = (2 * nobs - only_a + only_b) * delta - only_a - only_b
    constant = -only_b * delta * (1 - delta)
    root = np.sqrt(np.maximum(linear**2 - 8 * nobs * constant, 0.0))
    share = np.maximum((root - linear) / (4 * nobs), 0.0)
    variance = np.maximum(2 * share + delta * (1 - delta), 0.0) / nobs
    distance = (only_a - only_b) / nobs - delta
    return np.sign(distance) * ratio(np.abs(distance), np.sqrt(variance))


def tango_bounds(only_a: Any, only_b: Any, nobs: float, level: float) -> Bounds:
    """Tango's score interval of a paired difference of proportions.

    It holds the differences that `tango_score` does not reject; for difference 0 that is
    McNemar's test without correction.
    """
    difference = np.asarray((only_a - only_b) / nobs)
    z, _ = np.broadcast_arrays(quantile(level), difference)

    def score(delta: Array) -> Array:
        return tango_score(delta, only_a, only_b, nobs)

    one = np.ones_like(difference)
    quantiles, ends = np.stack([z, -z]), (np.stack([-one, difference]), np.stack([difference, one]))
    shape = np.broadcast_shapes(quantiles.shape, np.shape(ends[0]))
    low, high = increasing_root(
        lambda delta: quantiles - score(delta), *(np.broadcast_to(end, shape) for end in ends)
    )
    return np.minimum(low, difference), np.maximum(high, difference)


def discordant_rows(pairs: Sequence[tuple[Any, Any]], weights_are: str) -> Counts:
    """Numbers of rows of each pair: right by the first model alone, by the second; all; by both."""
    models = dict.fromkeys(chain(*pairs))
    sizes = next(iter(models)).weight if weights_are == "frequency" else None
    hits = {model: model.row_hits() for model in models}

    def count(rows: Array) -> int:
        return int(np.count_nonzero(rows) if sizes is None else sizes[rows].sum())

    right = {model: count(rows) for model, rows in hits.items()}
    counts = [(right[a], right[b], count(hits[a] & hits[b])) for a, b in pairs]
    in_first, in_second, both = np.array(counts).T
    n_rows = len(hits[pairs[0][0]]) if sizes is None else int(sizes.sum())
    return in_first - both, in_second - both, n_rows, both


def mcnemar_comparisons(counts: Counts, method: str, asked: Asked) -> list[Estimate]:
    """McNemar's test and Tango's interval of each pair, from the counts of `discordant_rows`.

    Claims on one side take the tails of a fair coin, which add up to 1; those with a margin are
    tested by Tango's score.
    """
    (only_a, only_b, n_rows, both), claim = counts, asked.test
    difference = (only_a - only_b) / n_rows
    statistic, two_sided = mcnemar_p_value(only_a, only_b, method)
    name = f"mcnemar, {method}"

    def score(null: Any) -> Array:
        return tango_score(np.asarray(null), only_a, only_b, n_rows)

    def tail(null: float, side: str) -> Any:
        if claim.margin is None:
            return on_side(two_sided, difference, side)
        return tail_probability(score(null), np.inf, side)

    p_value, null = claim.tested(tail)
    if claim.margin is not None:
        statistic, name = score(null), "tango"
    low, high = tango_bounds(only_a, only_b, n_rows, asked.level)
    error = np.sqrt(only_a + only_b - (only_a - only_b) ** 2 / n_rows) / n_rows
    values = (only_a + both) / n_rows, (only_b + both) / n_rows
    columns = (difference, *values, low, high, statistic, p_value, error)
    return [
        Contrast(value, (a, b), name, asked).tested((down, up), t, p, spread)
        for value, a, b, down, up, t, p, spread in zip(*(c.tolist() for c in columns), strict=True)
    ]


def subset_sum_chances(sizes: Array) -> Array:
    """Chance of each sum 0, 1, ... of integers, each of which is included with chance 1/2."""
    from scipy.special import gammaln

    chances = np.ones(1)
    for size, count in zip(*np.unique(sizes[sizes > 0], return_counts=True), strict=True):
        n_included = np.arange(count + 1)
        ways = gammaln(count + 1) - gammaln(n_included + 1) - gammaln(count - n_included + 1)
        wider = np.zeros(len(chances) + int(size) * int(count))
        for start, chance in zip(
            n_included * int(size), np.exp(ways - count * np.log(2)), strict=True
        ):
            wider[start : start + len(chances)] += chance * chances
        chances = wider
    return chances


def exchanged_p_value(net_wins: Array, method: str) -> tuple[float, float]:
    """Statistic and p-value of McNemar's test from the net wins of the first model per group.

    The models are exchanged in whole groups: the exact methods count all exchanges, the others
    divide the squared sum of the net wins by the sum of their squares.
    """
    difference = np.abs(net_wins.sum())
    if method in ("corrected", "uncorrected"):
        statistic, p_value = _chi_squared(difference, (net_wins**2).sum(), method)
        return float(statistic), float(p_value)
    chances = subset_sum_chances(np.abs(net_wins))
    wins = (len(chances) - 1 + round(float(difference))) // 2  # of the better model, if all count
    p_value = _doubled_tail(chances[wins:].sum(), chances[wins + 1 :].sum(), method)
    return float("nan"), float(p_value)


def grouped_comparison(
    models: Sequence[Labels], group: Array, method: str, level: float
) -> Estimate:
    """`mcnemar_comparisons` of rows that may depend on each other within groups."""
    counts = discordant_rows([(models[0], models[1])], "importance")
    (result,) = mcnemar_comparisons(counts, method, Asked(level))
    first, second = (model.row_hits().astype(np.int64) for model in models)
    wins, n_rows = first - second, len(first)
    atoms = Atoms.each_row(n_rows, RowDesign(None, group), None)
    parts = (wins - result.value) / n_rows
    linearized = Linearized(result.value, None, known=Contributions(parts, atoms))
    effect = float(linearized.design_effect())
    statistic, p_value = exchanged_p_value(np.bincount(group, weights=wins), method)
    # Effective share of the rows, by the design effect and a t quantile for the normal one.
    share = 1 / effect if effect > 0 else atoms.n_groups / n_rows
    share *= float(quantile(level) / quantile(level, linearized.freedom)) ** 2
    only_a, only_b = (share * float((wins == sign).sum()) for sign in (1, -1))
    low, high = tango_bounds(only_a, only_b, share * n_rows, level)
    return replace(
        result,
        low=float(low),
        high=float(high),
        statistic=statistic,
        p_value=p_value,
        standard_error=float(np.sqrt(linearized.variance)),
        n_groups=atoms.n_groups,
        design_effect=effect,
    )


# --------------------------------------------------------------------------- more models or classes


def sums_of_squares(hits: Array) -> tuple[int, int]:
    """Sums of squares of 0/1 hits (n rows, k models): between models by n k, within rows by k.

    They are integers, so that models with equally many hits have exactly 0.
    """
    n_models, total = hits.shape[1], int(hits.sum())
    between = n_models * int((hits.sum(axis=0) ** 2).sum()) - total**2
    return between, n_models * total - int((hits.sum(axis=1) ** 2).sum())


def bowker(table: Array) -> tuple[float, int]:
    """Bowker's chi-squared of symmetry; its degrees of freedom are the pairs of swapped classes."""
    upper = np.triu_indices(len(table), k=1)
    above, below = table[upper], table.T[upper]
    swapped = above + below > 0
    statistic = ((above - below)[swapped] ** 2 / (above + below)[swapped]).sum()
    return float(statistic), int(swapped.sum())


def stuart_maxwell(table: Array) -> tuple[float, int]:
    """Stuart and Maxwell's chi-squared of equal margins, and the rank of their covariance."""
    difference = table.sum(axis=1) - table.sum(axis=0)
    swaps = table + table.T
    covariance = np.diag(swaps.sum(axis=1)) - swaps
    solution, _, rank, _ = np.linalg.lstsq(covariance, difference)
    return float(max(difference @ solution, 0.0)), int(rank)


# --------------------------------------------------------------------------- public functions


@document
def mcnemar_test(
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    method: Literal["mid_p", "exact", "corrected", "uncorrected"] = "mid_p",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Estimate:
    r"""McNemar's test that two models are right equally often on the same rows.

    .. math:: \chi^2 = (b - c)^2 / (b + c)

    with b rows predicted right by the first model alone and c by the second alone.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    pred_a, pred_b : array-like of shape (n_samples,)
        Labels that the two models predict for the same rows.
    method : {"mid_p", "exact", "corrected", "uncorrected"}, default="mid_p"
        - "exact" doubles the tail of Binomial(b + c, 1/2); "mid_p" counts the observed split by
          half, which comes closer to the nominal level;
        - "uncorrected" is the chi-squared statistic above with one degree of freedom;
        - "corrected" reduces :math:`|b - c|` by 1 before squaring (Edwards), but not below 0:
          it is conservative.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. With
        :math:`d_k` the number of rows of a group right by the first model alone minus those right
        by the second alone, the statistic is :math:`(\sum_k d_k)^2 / \sum_k d_k^2`; the exact
        methods exchange the models in whole groups, and the interval divides the rows by their
        design effect. If every row is a group, this is the test without groups.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval of the difference.

    Returns
    -------
    Estimate
        ``difference`` is the accuracy of the first model minus that of the second; its interval
        is Tango's score interval, which matches "uncorrected" (it excludes 0 exactly when that
        test rejects); ``standard_error`` is Wald's. ``statistic`` is nan for the exact methods.
        Models that are right on the same rows have p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    McNemar (1947), Psychometrika 12(2), 153-157; Edwards (1948), Psychometrika 13(3), 185-187;
    Durkalski, Palesch, Lipsitz & Rust (2003), Statistics in Medicine 22(15), 2417-2428, for groups;
    Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13:91; Tango (1998),
    Statistics in Medicine 17(8), 891-908.

    Examples
    --------
    >>> from skmetrics_ext import mcnemar_test
    >>> y_true = [1] * 12
    >>> pred_a, pred_b = [1] * 11 + [0], [1] * 4 + [0] * 7 + [1]
    >>> test = mcnemar_test(y_true, pred_a, pred_b, method="exact")
    >>> test.value, test.p_value
    (0.5, 0.0703125)
    """
    check_option("method", method, MCNEMAR_METHODS)
    level = check_level(confidence_level)
    models = _check_models(y_true, {"pred_a": pred_a, "pred_b": pred_b})
    if groups is None:
        counts = discordant_rows([(models[0], models[1])], "importance")
        return mcnemar_comparisons(counts, method, Asked(level))[0]
    group = read_groups(groups, len(models[0].true), y_true=y_true, pred_a=pred_a)
    return grouped_comparison(models, group, method, level)


@document
def cochran_q_test(y_true: ArrayLike, predictions: Any) -> TestResult:
    r"""Cochran's Q test that several models are right equally often on the same rows.

    .. math:: Q = \frac{(k - 1) (k \sum_j G_j^2 - T^2)}{k T - \sum_i L_i^2}

    with :math:`G_j` the number of rows that model j has right, :math:`L_i` the number of models
    that have row i right, and T their common sum. For two models it is McNemar's test without
    correction.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    predictions : dict or list of array-like of shape (n_samples,)
        Labels that each of k models predicts for the same rows.

    Returns
    -------
    TestResult
        Compared with a chi-squared distribution of k - 1 degrees of freedom. Models that are
        right on the same rows have Q = 0 and p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    Cochran (1950), Biometrika 37(3-4), 256-266.

    Examples
    --------
    >>> from skmetrics_ext.significance import cochran_q_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> models = {"a": [1, 1, 1, 1, 0, 0, 0, 0], "b": [1, 1, 1, 0, 0, 0, 0, 1],
    ...           "c": [1, 0, 0, 0, 0, 0, 1, 1]}
    >>> print(cochran_q_test(y_true, models))
    cochran_q: statistic = 7.6, p = 0.0224
    """
    hits = _hits(y_true, predictions)
    (between, within), df = sums_of_squares(hits), hits.shape[1] - 1
    return compared_with(df * between / within if between else 0.0, df, "cochran_q")


@document
def classifier_f_test(y_true: ArrayLike, predictions: Any) -> TestResult:
    r"""Looney's F test that several models are right equally often on the same rows.

    A two-way analysis of variance of right (1) and wrong (0) by models and rows:

    .. math:: F = \frac{SS_{models} / (k - 1)}{SS_{rest} / ((k - 1) (n - 1))}

    `cochran_q_test` tests the same hypothesis, and keeps its level in smaller samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    predictions : dict or list of array-like of shape (n_samples,)
        Labels that each of k models predicts for the same rows.

    Returns
    -------
    TestResult
        Compared with an F distribution of k - 1 and (k - 1)(n - 1) degrees of freedom. Models
        that are right on the same rows have F = 0 and p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    Looney (1988), Pattern Recognition Letters 8(1), 5-9.

    Examples
    --------
    >>> from skmetrics_ext.significance import classifier_f_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> models = {"a": [1, 1, 1, 1, 0, 0, 0, 0], "b": [1, 1, 1, 0, 0, 0, 0, 1],
    ...           "c": [1, 0, 0, 0, 0, 0, 1, 1]}
    >>> print(classifier_f_test(y_true, models))
    classifier_f: statistic = 6.333, p = 0.011
    """
    hits = _hits(y_true, predictions)
    (n_rows, n_models), (between, within) = hits.shape, sums_of_squares(hits)
    rest = n_rows * within - between
    statistic = ratio((n_rows - 1) * between, rest) if between else 0.0
    df = n_models - 1
    return compared_with(statistic, (df, df * (n_rows - 1)), "classifier_f")


@document
def no_information_test(y_true: ArrayLike, y_pred: ArrayLike) -> TestResult:
    r"""Exact one-sided test that a model beats always predicting the largest class.

    .. math:: p = P(X \ge k), \quad X \sim \mathrm{Binomial}(n, \max_c n_c / n)

    with k rows predicted right. The share of the largest class is taken as known.

    Parameters
    ----------
    {y_true_y_pred}

    Returns
    -------
    TestResult
        ``statistic`` is nan, as the test is exact.

    Raises
    ------
    {raises}

    References
    ----------
    Kuhn (2008), Journal of Statistical Software 28(5), 1-26.

    Examples
    --------
    >>> from skmetrics_ext.significance import no_information_test
    >>> test = no_information_test([0, 0, 0, 1, 1], [0, 0, 0, 1, 1])
    >>> round(test.p_value, 5)
    0.07776
    """
    checked = Labels.check(y_true, y_pred).single_label("a test of accuracy").sharing_classes()
    table = ConfusionTally.from_labels(checked).table
    n_rows, n_hits = table.sum(), np.trace(table)
    p_value, _ = binomial_tails(n_hits, n_rows - n_hits, table.sum(axis=1).max() / n_rows)
    return TestResult(float("nan"), float(p_value), "no_information")


@document
def bowker_test(labels_a: ArrayLike, labels_b: ArrayLike) -> TestResult:
    r"""Bowker's test that a table of two labellings of the same rows is symmetric.

    .. math:: \chi^2 = \sum_{i < j} \frac{(n_{ij} - n_{ji})^2}{n_{ij} + n_{ji}}

    For true and predicted labels: whether class i is mistaken for j as often as j for i. For two
    classes it is McNemar's test without correction.

    Parameters
    ----------
    labels_a, labels_b : array-like of shape (n_samples,)
        Two labels of each row: of two models, of two raters, or true and predicted.

    Returns
    -------
    TestResult
        Compared with a chi-squared distribution with one degree of freedom for each pair of
        classes that has rows off the diagonal. Equal labels have statistic 0 and p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    Bowker (1948), Journal of the American Statistical Association 43(244), 572-574.

    Examples
    --------
    >>> from skmetrics_ext.significance import bowker_test
    >>> truth = ["a"] * 6 + ["b"] * 5 + ["c"] * 4
    >>> model = ["a", "a", "b", "b", "b", "c", "b", "b", "c", "c", "c", "c", "c", "c", "a"]
    >>> test = bowker_test(truth, model)
    >>> test.statistic, test.degrees_of_freedom, round(test.p_value, 4)
    (6.0, 3, 0.1116)
    """
    return _table_test("bowker", bowker, labels_a, labels_b)


@document
def stuart_maxwell_test(labels_a: ArrayLike, labels_b: ArrayLike) -> TestResult:
    r"""Stuart-Maxwell test that two labellings of the same rows use each class equally often.

    .. math:: \chi^2 = d^\top V^{-} d, \quad d_i = n_{i.} - n_{.i}, \quad
        V_{ii} = n_{i.} + n_{.i} - 2 n_{ii}, \quad V_{ij} = -(n_{ij} + n_{ji})

    Symmetry (`bowker_test`) implies equal margins, but not the reverse. For two classes both are
    McNemar's test without correction.

    Parameters
    ----------
    labels_a, labels_b : array-like of shape (n_samples,)
        Two labels of each row: of two models, of two raters, or true and predicted.

    Returns
    -------
    TestResult
        Compared with a chi-squared distribution with rank(V) degrees of freedom, K - 1 unless
        some classes are never swapped with the others. Equal labels have statistic 0 and p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    Stuart (1955), Biometrika 42(3-4), 412-416; Maxwell (1970), British Journal of Psychiatry
    116(535), 651-655.

    Examples
    --------
    >>> from skmetrics_ext.significance import stuart_maxwell_test
    >>> truth = ["a"] * 6 + ["b"] * 5 + ["c"] * 4
    >>> model = ["a", "a", "b", "b", "b", "c", "b", "b", "c", "c", "c", "c", "c", "c", "a"]
    >>> test = stuart_maxwell_test(truth, model)
    >>> round(test.statistic, 4), test.degrees_of_freedom, round(test.p_value, 4)
    (2.5714, 2, 0.2765)
    """
    return _table_test("stuart_maxwell", stuart_maxwell, labels_a, labels_b)


# --------------------------------------------------------------------------- reading


def _models(predictions: Any) -> dict[str, Any]:
    """Named columns of labels, at least two."""
    predictions = to_host(predictions, "predictions")
    if isinstance(predictions, Mapping):
        columns = {f"predictions[{name!r}]": column for name, column in predictions.items()}
    elif (
        isinstance(predictions, Iterable)
        and not isinstance(predictions, str | bytes)
        and getattr(predictions, "ndim", 1) > 0
    ):
        columns = {f"predictions[{i}]": column for i, column in enumerate(predictions)}
    else:
        columns = {}
    if len(columns) < 2:
        raise InvalidParameterError(
            "predictions has to be a dict or a list of the labels of two or more models, got "
            f"{predictions!r:.60}."
        )
    return columns


def _check_models(y_true: Any, columns: Mapping[str, Any]) -> list[Labels]:
    """Checked labels of each model; an error names the argument."""
    check_same_masks(**columns)
    models = []
    for name, column in columns.items():
        with errors_naming(f"{name} (y_pred below)"):
            checked = Labels.check(y_true, column).sharing_classes()
        models.append(checked.single_label(name))
    return models


def _hits(y_true: Any, predictions: Any) -> Array:
    """0/1 table (n_rows, n_models) of the predictions that are right."""
    models = _check_models(y_true, _models(predictions))
    return np.column_stack([model.row_hits() for model in models]).astype(np.int64)


def _table_test(name: str, kernel: Any, labels_a: Any, labels_b: Any) -> TestResult:
    """A chi-squared test of the table of two labellings."""
    checked = Labels.check(labels_a, labels_b, names=("labels_a", "labels_b"))
    checked = checked.single_label(f"{name}_test")
    statistic, df = kernel(ConfusionTally.from_labels(checked).table)
    return compared_with(statistic, df, name)

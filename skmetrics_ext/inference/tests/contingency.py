"""Tests of which models are right on the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.results import Comparison, TestResult
from skmetrics_ext.inference.tests.mcnemar import (
    MCNEMAR_METHODS,
    counts_of,
    grouped_comparison,
    mcnemar_comparison,
    over,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, ratio
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.rows import check_same_masks
from skmetrics_ext.validation.tensors import to_host

# --------------------------------------------------------------------------- kernels


def cochran_q(hits: Array) -> tuple[float, int]:
    """Cochran's Q of a table of hits, one row a sample and one column a model."""
    n_models = hits.shape[1]
    per_model, per_row = hits.sum(axis=0), hits.sum(axis=1)
    spread = n_models * (per_model**2).sum() - per_model.sum() ** 2
    room = n_models * per_row.sum() - (per_row**2).sum()
    return float((n_models - 1) * over(spread, room)), n_models - 1


def looney_f(hits: Array) -> tuple[float, tuple[int, int]]:
    """F of models in a two-way analysis of variance of hits by rows and models."""
    n_rows, n_models = hits.shape
    # Integers, so that models that hit alike have a sum of squares of exactly 0.
    total = hits.sum()
    square = total**2 / (n_rows * n_models)
    models = (hits.sum(axis=0) ** 2).sum() / n_rows - square
    rows = (hits.sum(axis=1) ** 2).sum() / n_models - square
    rest = total - square - models - rows
    df = n_models - 1, (n_models - 1) * (n_rows - 1)
    if (hits == hits[:, :1]).all():
        return 0.0, df
    return float(ratio(models / df[0], max(rest, 0.0) / df[1])), df


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
) -> Comparison:
    r"""McNemar's test that two models are right equally often on the same rows.

    .. math:: \chi^2 = (b - c)^2 / (b + c)

    with b rows that the first model alone has right and c that the second alone has right.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    pred_a, pred_b : array-like of shape (n_samples,)
        Labels that the two models predict for the same rows.
    method : {"mid_p", "exact", "corrected", "uncorrected"}, default="mid_p"
        - "exact" doubles the tail of Binomial(b + c, 1/2), "mid_p" counts the observed split by
          half, which comes nearer to the level;
        - "uncorrected" is the chi-squared statistic above with one degree of freedom;
        - "corrected" lessens :math:`|b - c|` by 1 before it is squared (Edwards), but not below
          0: it is conservative.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. With
        :math:`d_k` the rows of a group that the first model alone has right less those of the
        second, the statistic is :math:`(\sum_k d_k)^2 / \sum_k d_k^2`, the exact methods
        exchange the models in whole groups, and the interval is of rows that are worth as many as
        their design effect says. A group for each row is the test without groups.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval of the difference.

    Returns
    -------
    Comparison
        ``difference`` is the accuracy of the first model less that of the second; its interval
        is Tango's score interval, which belongs to "uncorrected" (it leaves 0 out exactly where
        that test rejects); ``standard_error`` is Wald's. ``statistic`` is nan for the exact
        methods. Models that are right on the same rows have p = 1.

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
    >>> test.difference, test.p_value
    (0.5, 0.0703125)
    """
    check_option("method", method, MCNEMAR_METHODS)
    level = check_level(confidence_level)
    hits = _hits(y_true, {"pred_a": pred_a, "pred_b": pred_b})
    if groups is None:
        return mcnemar_comparison(*counts_of(hits), method, level)
    group = read_groups(groups, len(hits), y_true=y_true, pred_a=pred_a)
    return grouped_comparison(hits, group, method, level)


@document
def cochran_q_test(y_true: ArrayLike, predictions: Any) -> TestResult:
    r"""Cochran's Q test that several models are right equally often on the same rows.

    .. math:: Q = \frac{(k - 1) (k \sum_j G_j^2 - T^2)}{k T - \sum_i L_i^2}

    with :math:`G_j` the rows that model j has right, :math:`L_i` the models that have row i
    right, and T their common sum. For two models it is McNemar's test without correction.

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
    >>> from skmetrics_ext import cochran_q_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> models = {"a": [1, 1, 1, 1, 0, 0, 0, 0], "b": [1, 1, 1, 0, 0, 0, 0, 1],
    ...           "c": [1, 0, 0, 0, 0, 0, 1, 1]}
    >>> print(cochran_q_test(y_true, models))
    cochran_q: statistic = 7.6, p = 0.0224
    """
    from scipy.special import chdtrc

    statistic, df = cochran_q(_hits(y_true, _models(predictions)))
    return TestResult(statistic, float(chdtrc(df, statistic)), "cochran_q", df)


@document
def classifier_f_test(y_true: ArrayLike, predictions: Any) -> TestResult:
    r"""Looney's F test that several models are right equally often on the same rows.

    A two-way analysis of variance of right (1) and wrong (0) by models and rows:

    .. math:: F = \frac{SS_{models} / (k - 1)}{SS_{rest} / ((k - 1) (n - 1))}

    `cochran_q_test` asks the same question, and keeps its level in smaller samples.

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
    >>> from skmetrics_ext import classifier_f_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> models = {"a": [1, 1, 1, 1, 0, 0, 0, 0], "b": [1, 1, 1, 0, 0, 0, 0, 1],
    ...           "c": [1, 0, 0, 0, 0, 0, 1, 1]}
    >>> print(classifier_f_test(y_true, models))
    classifier_f: statistic = 6.333, p = 0.011
    """
    from scipy.special import fdtrc

    statistic, df = looney_f(_hits(y_true, _models(predictions)))
    return TestResult(statistic, float(fdtrc(*df, statistic)), "classifier_f", df)


@document
def no_information_test(y_true: ArrayLike, y_pred: ArrayLike) -> TestResult:
    r"""Exact one-sided test that a model beats always naming the largest class.

    .. math:: p = P(X \ge k), \quad X \sim \mathrm{Binomial}(n, \max_c n_c / n)

    with k rows predicted right. The share of the largest class is taken as known.

    Parameters
    ----------
    {y_true_y_pred}

    Returns
    -------
    TestResult
        ``statistic`` is nan, the test being exact.

    Raises
    ------
    {raises}

    References
    ----------
    Kuhn (2008), Journal of Statistical Software 28(5), 1-26.

    Examples
    --------
    >>> from skmetrics_ext import no_information_test
    >>> test = no_information_test([0, 0, 0, 1, 1], [0, 0, 0, 1, 1])
    >>> round(test.p_value, 5)
    0.07776
    """
    from scipy.special import betainc

    checked = Labels.check(y_true, y_pred).single_label("a test of accuracy")
    table = ConfusionTally.from_labels(checked).table
    n_rows, n_hits = int(table.sum()), int(np.trace(table))
    share = table.sum(axis=1).max() / n_rows
    p_value = betainc(n_hits, n_rows - n_hits + 1, share) if n_hits else 1.0
    return TestResult(float("nan"), float(p_value), "no_information")


# --------------------------------------------------------------------------- reading


def _models(predictions: Any) -> dict[str, Any]:
    """Named columns of labels, at least two."""
    predictions = to_host(predictions, "predictions")
    if isinstance(predictions, Mapping):
        columns = {f"predictions[{name!r}]": column for name, column in predictions.items()}
    elif isinstance(predictions, Iterable) and not isinstance(predictions, str | bytes):
        columns = {f"predictions[{i}]": column for i, column in enumerate(predictions)}
    else:
        columns = {}
    if len(columns) < 2:
        raise InvalidParameterError(
            "predictions has to be a dict or a list of the labels of two models or more, got "
            f"{predictions!r:.60}."
        )
    return columns


def _hits(y_true: Any, columns: Mapping[str, Any]) -> Array:
    """0/1 table of who is right: one row a sample, one column a model."""
    check_same_masks(**columns)
    found = []
    for name, column in columns.items():
        try:
            checked = Labels.check(y_true, column)
        except ValueError as error:
            raise InvalidParameterError(f"{name} (y_pred below): {error}") from error
        found.append(checked.single_label(name).row_hits())
    return np.column_stack(found).astype(np.int64)

"""Tests of the table of two labels of the same rows: is it symmetric, are its margins equal."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.inference.results import TestResult
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import Labels

# --------------------------------------------------------------------------- kernels


def bowker(table: Array) -> tuple[float, int]:
    """Bowker's chi-squared of symmetry; pairs of classes that are never swapped add no freedom."""
    upper = np.triu_indices(len(table), k=1)
    there, back = table[upper], table.T[upper]
    seen = there + back > 0
    return float((divide((there - back) ** 2, there + back)[seen]).sum()), int(seen.sum())


def stuart_maxwell(table: Array) -> tuple[float, int]:
    """Stuart and Maxwell's chi-squared of equal margins.

    The covariance of the differences of the margins is the Laplacian of the graph whose edges
    are the pairs of classes that are swapped: its rank, the degrees of freedom, is the number of
    classes less the number of parts that no swap connects.
    """
    apart = table.sum(axis=1) - table.sum(axis=0)
    swaps = table + table.T
    swaps = swaps - np.diag(swaps.diagonal())
    together = _same_part(swaps > 0)
    # Within a part the differences sum to 0, so its mean may be added without changing the
    # statistic; the matrix is then regular.
    means = together / together.sum(axis=1)
    laplacian = np.diag(swaps.sum(axis=1)) - swaps
    statistic = apart @ np.linalg.solve(laplacian + means * max(swaps.max(), 1), apart)
    n_parts = round(float((1 / together.sum(axis=1)).sum()))
    return float(max(statistic, 0.0)), len(table) - n_parts


def _same_part(linked: Array) -> Array:
    """Which nodes of a graph a path connects."""
    reached = linked | np.eye(len(linked), dtype=bool)
    while True:
        further = reached @ reached
        if (further == reached).all():
            return np.asarray(reached)
        reached = further


# --------------------------------------------------------------------------- public functions


@document
def bowker_test(labels_a: Any, labels_b: Any) -> TestResult:
    r"""Bowker's test that a table of two labellings of the same rows is symmetric.

    .. math:: \chi^2 = \sum_{i < j} \frac{(n_{ij} - n_{ji})^2}{n_{ij} + n_{ji}}

    On true and predicted labels: whether class i is taken for j as often as j for i. For two
    classes it is McNemar's test without correction.

    Parameters
    ----------
    labels_a, labels_b : array-like of shape (n_samples,)
        Two labels of each row: of two models, of two raters, or true and predicted.

    Returns
    -------
    TestResult
        Compared with a chi-squared distribution, one degree of freedom for each pair of classes
        that occurs off the diagonal: a pair without a row adds nothing to the statistic. Equal
        labels have statistic 0 and p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    Bowker (1948), Journal of the American Statistical Association 43(244), 572-574.

    Examples
    --------
    >>> from skmetrics_ext import bowker_test
    >>> truth = ["a"] * 6 + ["b"] * 5 + ["c"] * 4
    >>> model = ["a", "a", "b", "b", "b", "c", "b", "b", "c", "c", "c", "c", "c", "c", "a"]
    >>> test = bowker_test(truth, model)
    >>> test.statistic, test.degrees_of_freedom, round(test.p_value, 4)
    (6.0, 3, 0.1116)
    """
    return _of_table("bowker", bowker, labels_a, labels_b)


@document
def stuart_maxwell_test(labels_a: Any, labels_b: Any) -> TestResult:
    r"""Stuart-Maxwell test that two labellings of the same rows use each class equally often.

    .. math:: \chi^2 = d^\top V^{-} d, \quad d_i = n_{i.} - n_{.i}, \quad
        V_{ii} = n_{i.} + n_{.i} - 2 n_{ii}, \quad V_{ij} = -(n_{ij} + n_{ji})

    Symmetry (`bowker_test`) implies equal margins, not the reverse. For two classes both are
    McNemar's test without correction.

    Parameters
    ----------
    labels_a, labels_b : array-like of shape (n_samples,)
        Two labels of each row: of two models, of two raters, or true and predicted.

    Returns
    -------
    TestResult
        Compared with a chi-squared distribution of rank(V) degrees of freedom, K - 1 unless
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
    >>> from skmetrics_ext import stuart_maxwell_test
    >>> truth = ["a"] * 6 + ["b"] * 5 + ["c"] * 4
    >>> model = ["a", "a", "b", "b", "b", "c", "b", "b", "c", "c", "c", "c", "c", "c", "a"]
    >>> test = stuart_maxwell_test(truth, model)
    >>> round(test.statistic, 4), test.degrees_of_freedom, round(test.p_value, 4)
    (2.5714, 2, 0.2765)
    """
    return _of_table("stuart_maxwell", stuart_maxwell, labels_a, labels_b)


def _of_table(name: str, kernel: Any, labels_a: Any, labels_b: Any) -> TestResult:
    from scipy.special import chdtrc

    checked = Labels.check(labels_a, labels_b, names=("labels_a", "labels_b"))
    checked = checked.single_label(f"{name}_test")
    statistic, df = kernel(ConfusionTally.from_labels(checked).table)
    # Without a degree of freedom nothing differs.
    return TestResult(statistic, float(chdtrc(df, statistic)) if df else 1.0, name, df)

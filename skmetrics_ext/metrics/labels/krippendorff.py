"""Krippendorff's alpha of two raters."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.agreement import (
    beyond_chance,
    mean_share,
    mixed_pairs,
    rows_among,
    value_or_nan,
)
from skmetrics_ext.metrics.labels.grades import check_order, read_grades
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts, LabelTally, Tabulated
from skmetrics_ext.validation import check_option

# --------------------------------------------------------------------------- kernels


def krippendorff_alpha(
    tally: Counts | Tabulated, level: str = "nominal", grades: Any = None
) -> Array:
    """1 less the observed over the expected difference of two values paired at random.

    Where any two classes differ alike, the counts tell it.
    """
    if isinstance(tally, Counts):
        share, rows = mean_share(tally), tally.true.sum(axis=-1)
        return beyond_chance(tally, mixed_pairs(share, share) * _small_sample(rows))
    if level == "ordinal" or grades is None:
        check_order(tally)
    table, axes = tally.table, (-1, -2)
    rows = table.sum(axis=axes)
    seen = divide(table, np.asarray(rows)[..., None, None])
    seen = (seen + np.swapaxes(seen, -1, -2)) / 2
    share = seen.sum(axis=-1)
    if level == "interval":
        places = read_grades(grades, table.shape[-1])
    else:  # middle rank: the values below, and half of one's own
        places = np.cumsum(share, axis=-1) - share / 2
    difference = (places[..., :, None] - places[..., None, :]) ** 2
    # A value is not paired with itself, but its difference from itself is 0 anyway.
    pairs = share[..., :, None] * share[..., None, :]
    expected = (difference * pairs).sum(axis=axes) * _small_sample(rows)
    return 1 - divide((difference * seen).sum(axis=axes), expected)


def _small_sample(rows: Array) -> Array:
    """n / (n - 1) of n = 2 rows values, drawn without replacement; nan up to one value."""
    n = 2.0 * np.asarray(rows)
    return divide(n, np.maximum(n - 1, 0))


# --------------------------------------------------------------------------- public functions


@document
def krippendorff_alpha_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Any = None,
    level: Literal["nominal", "ordinal", "interval"] = "nominal",
    grades: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Krippendorff's alpha of two raters without missing values.

    .. math:: \alpha = 1 - D_o / D_e

    the mean difference within rows over that of any two values drawn without replacement.

    Parameters
    ----------
    {y_true_y_pred}
    {labels}
    level : {"nominal", "ordinal", "interval"}, default="nominal"
        Difference of two classes: 0 or 1; by the number of values that rank between them;
        the squared distance of their grades.
    grades : array-like of shape (n_classes,), default=None
        Number of each class for ``level="interval"``. 0, 1, 2, ... by default, which needs an
        order, as "ordinal" does: of numbers, of ``labels``, or of an ordered categorical.
    sample_weight : array-like of shape (n_samples,), default=None
        How often each row was seen: unlike elsewhere their scale counts, for the correction
        for small samples uses the number of values.

    Returns
    -------
    float
        At most 1; higher is better, 0 is chance. nan, with a warning, for one class alone, and
        for weights that sum to half a row or less.

    Raises
    ------
    {raises}

    References
    ----------
    Krippendorff (2004), Content Analysis, chapter 11.

    Examples
    --------
    >>> from skmetrics_ext import krippendorff_alpha_score
    >>> krippendorff_alpha_score([0, 0, 1, 1], [0, 1, 0, 1])
    0.125
    """
    check_option("level", level, ("nominal", "ordinal", "interval"))
    restricted = rows_among(
        y_true, y_pred, labels, sample_weight, "Krippendorff's alpha", absolute=True
    )
    tally = LabelTally(restricted)
    alpha = krippendorff_alpha(tally.counts() if level == "nominal" else tally, level, grades)
    why = "only one class occurs, or the weights sum to half a row or less"
    return value_or_nan(alpha, "Krippendorff's alpha", why)

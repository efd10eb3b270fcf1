"""Sample size and power of tests of an area under the ROC curve, before any data."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext.formats import json_of
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import increasing_root
from skmetrics_ext.tables import SCHEMA_VERSION, Table
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level, check_number

AreaVariance = Literal["obuchowski", "hanley_mcneil", "newcombe"]
MOST_ROWS = 2.0**60  # in a search


class SampleSize(NamedTuple):
    """Number of rows of each class that a test needs, not rounded.

    Parameters
    ----------
    n_pos, n_neg : float
        Positive and negative rows; round both up.

    Examples
    --------
    >>> from skmetrics_ext.inference.area_power import roc_auc_sample_size
    >>> size = roc_auc_sample_size(0.8, power=0.9)
    >>> round(size.n_pos, 2), round(size.n_neg, 2)
    (16.62, 16.62)
    >>> size.n
    34
    """

    n_pos: float
    n_neg: float

    def __str__(self) -> str:
        return f"{self.n} rows ({ceil(self.n_pos)} positive, {ceil(self.n_neg)} negative)"

    def __repr__(self) -> str:
        return f"SampleSize: {self}"

    def _repr_html_(self) -> str:
        rows = {name: ceil(number) for name, number in self._asdict().items()}
        return Table([{"n": self.n, **rows}])._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Both numbers and their sum, by name.

        Returns
        -------
        dict
        """
        return {"schema_version": SCHEMA_VERSION, "n": self.n, **self._asdict()}

    def to_json(self) -> str:
        """`to_dict` as JSON.

        Returns
        -------
        str
        """
        return json_of(self.to_dict())

    @property
    def n(self) -> int:
        """Rows of both classes, each rounded up."""
        return ceil(self.n_pos) + ceil(self.n_neg)


# --------------------------------------------------------------------------- kernels


def obuchowski_variance(auc: float, n_pos: Any, n_neg: Any) -> Any:
    """Variance of an AUC with normal scores on a five-point scale (Obuchowski 2004)."""
    from scipy.special import ndtri

    square = 2 * float(ndtri(auc)) ** 2
    shape = 0.0099 * float(np.exp(-square / 2))
    return shape * ((5 * square + 8) / n_pos + (square + 8) / n_neg)


def hanley_mcneil_variance(auc: float, n_pos: Any, n_neg: Any) -> Any:
    """Variance of an AUC with negative exponential scores in both classes."""
    two_pos, two_neg = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    pairs = n_pos * n_neg
    spread = (n_pos - 1) * (two_pos - auc**2) + (n_neg - 1) * (two_neg - auc**2)
    return (auc * (1 - auc) + spread) / pairs


def newcombe_variance(auc: Any, n_pos: Any, n_neg: Any) -> Any:
    """Hanley and McNeil's variance with the mean class size in place of each class size."""
    half = (n_pos + n_neg) / 2
    factor = (1 - auc) / (2 - auc) + auc / (1 + auc)
    return auc * (1 - auc) * (1 + (half - 1) * factor) / (n_pos * n_neg)


AREA_VARIANCES: dict[str, Callable[[float, Any, Any], Any]] = {
    "obuchowski": obuchowski_variance,
    "hanley_mcneil": hanley_mcneil_variance,
    "newcombe": newcombe_variance,
}


def least_rows(rising: Callable[[float], Any], least_log: float = 0.0) -> float:
    """Rows from which a rising function is not negative, searched from 2 ** ``least_log``."""
    ends = np.asarray(least_log), np.asarray(least_log + np.log2(MOST_ROWS))
    log_rows = increasing_root(lambda log: np.asarray(rising(2.0 ** float(log))), *ends)
    return 2.0 ** float(log_rows)


def power_of(
    auc: float, null_auc: float, n_pos: float, n_neg: float, z: float, method: str
) -> float:
    """Probability of an AUC more than z null standard errors beyond the null value."""
    from scipy.special import ndtr

    variance = AREA_VARIANCES[method]
    null_error, error = np.sqrt([variance(area, n_pos, n_neg) for area in (null_auc, auc)])
    return float(ndtr((abs(auc - null_auc) - z * null_error) / error))


# --------------------------------------------------------------------------- public functions


@document
def roc_auc_power(
    auc: float,
    n_pos: float,
    n_neg: float,
    *,
    null_auc: float = 0.5,
    alpha: float = 0.05,
    two_sided: bool = True,
    method: AreaVariance = "obuchowski",
) -> float:
    r"""Power of the test that an area under the ROC curve has a given value.

    .. math:: \Phi\left(\frac{|A - A_0| - z_\alpha \sqrt{V(A_0)}}{\sqrt{V(A)}}\right)

    Parameters
    ----------
    auc : float in (0, 1)
        The true area A.
    n_pos, n_neg : float
        Numbers of positive and negative rows, at least 1.
    null_auc : float in (0, 1), default=0.5
        The area :math:`A_0` that the test may reject.
    alpha : float in (0, 1), default=0.05
        Level of the test.
    two_sided : bool, default=True
        Whether each side has half of ``alpha``.
    method : {"obuchowski", "hanley_mcneil", "newcombe"}, default="obuchowski"
        Variance of the area before any data. "obuchowski":
        :math:`0.0099 e^{-a^2/2} [(5 a^2 + 8) / n_+ + (a^2 + 8) / n_-]` with
        :math:`a = \sqrt 2 \, \Phi^{-1}(A)`, for normal scores; "hanley_mcneil":
        :math:`[A (1 - A) + (n_+ - 1) (Q_1 - A^2) + (n_- - 1) (Q_2 - A^2)] / (n_+ n_-)` with
        :math:`Q_1 = A / (2 - A), Q_2 = 2 A^2 / (1 + A)`, for exponential ones; "newcombe": the
        last with the mean of :math:`n_+` and :math:`n_-` in place of each within the brackets.

    Returns
    -------
    float
        In [0, 1]. The probability of rejecting on the wrong side is left out.

    Raises
    ------
    {raises}

    References
    ----------
    Obuchowski, Lieber & Wians (2004), Clinical Chemistry 50(7), 1118-1125; Hanley & McNeil
    (1982), Radiology 143(1), 29-36.

    Examples
    --------
    >>> from skmetrics_ext.inference.area_power import roc_auc_power
    >>> round(roc_auc_power(0.7, 30, 60), 4)
    0.8942
    """
    check_option("method", method, tuple(AREA_VARIANCES))
    auc, null_auc, z = _check_areas(auc, null_auc, alpha, two_sided)
    n_pos, n_neg = check_number("n_pos", n_pos, 1), check_number("n_neg", n_neg, 1)
    return power_of(auc, null_auc, n_pos, n_neg, z, method)


@document
def roc_auc_sample_size(
    auc: float,
    *,
    power: float = 0.8,
    neg_per_pos: float = 1.0,
    null_auc: float = 0.5,
    alpha: float = 0.05,
    two_sided: bool = True,
    method: AreaVariance = "obuchowski",
) -> SampleSize:
    r"""Number of rows for a test of an area under the ROC curve with a given power.

    The smallest numbers for which `roc_auc_power` reaches ``power``, with the classes in a fixed
    proportion.

    Parameters
    ----------
    auc : float in (0, 1)
        The true area.
    power : float in (0, 1), default=0.8
        Probability that the test rejects.
    neg_per_pos : float, default=1.0
        Negative rows for each positive one.
    null_auc : float in (0, 1), default=0.5
        The area that the test may reject.
    alpha : float in (0, 1), default=0.05
        Level of the test.
    two_sided : bool, default=True
        Whether each side has half of ``alpha``.
    method : {"obuchowski", "hanley_mcneil", "newcombe"}, default="obuchowski"
        Variance of the area before any data, as in `roc_auc_power`.

    Returns
    -------
    SampleSize
        ``n_pos, n_neg``, not rounded, each at least 1.

    Raises
    ------
    {raises}

    References
    ----------
    Obuchowski, Lieber & Wians (2004), Clinical Chemistry 50(7), 1118-1125.

    Examples
    --------
    >>> from skmetrics_ext.inference.area_power import roc_auc_sample_size
    >>> size = roc_auc_sample_size(0.75, power=0.9)
    >>> round(size.n_pos, 2), round(size.n_neg, 2)
    (25.02, 25.02)
    """
    check_option("method", method, tuple(AREA_VARIANCES))
    power = check_level(power, "power")
    auc, null_auc, z = _check_areas(auc, null_auc, alpha, two_sided)
    share = check_number("neg_per_pos", neg_per_pos, 0)
    if share == 0:
        raise InvalidParameterError("neg_per_pos has to be positive, got 0.")
    if auc == null_auc:
        raise InvalidParameterError(f"auc has to differ from null_auc={null_auc}, got {auc}.")

    def excess(n_pos: float) -> float:
        return power_of(auc, null_auc, n_pos, share * n_pos, z, method) - power

    n_pos = least_rows(excess, max(0.0, -float(np.log2(share))))
    return SampleSize(n_pos, share * n_pos)


def _check_areas(
    auc: float, null_auc: float, alpha: float, two_sided: bool
) -> tuple[float, float, float]:
    """Check the areas and the level; return the areas and the normal quantile of the level."""
    from scipy.special import ndtri

    check_option("two_sided", two_sided, (True, False))
    level = check_level(alpha, "alpha")
    z = -float(ndtri(level / 2 if two_sided else level))
    return check_level(auc, "auc"), check_level(null_auc, "null_auc"), z

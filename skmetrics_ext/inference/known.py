"""Estimates from a value and what each row contributes to it, without a metric of this package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.algebra import Leaf
from skmetrics_ext.inference.arithmetic import result_of
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.samples import Sample
from skmetrics_ext.inference.identity import read_identities
from skmetrics_ext.inference.linearized import Contributions, Linearized
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.methods import Method, known_interval
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import RANGES, Range
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.spec import UnknownSpec
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.parameters import as_number, check_integer, check_level, check_number

_CENTRED = 1e-6  # of the largest influence: how far the mean may be from 0


@dataclass(frozen=True, eq=False)
class KnownSample(Sample):
    """A statistic of which only the value and the contributions of rows are known."""

    influence: Any = None
    groups: Any = None
    scale: str = "plain"
    bounds: Range = RANGES["plain"]

    kind = "known"
    data = None

    @cached_property
    def atoms(self) -> Atoms:
        n_rows = len(self.influence)
        design = RowDesign.of(None, read_design(self.groups, None, n_rows))
        return Atoms.each_row(n_rows, design, None)

    def statistic(self, counts: Array) -> Array:
        raise InvalidParameterError("An estimate from contributions alone is not resampled.")

    def methods(self, _: Linearized) -> dict[str, Method]:
        """The interval on the scale of the user."""
        return {"t" if self.scale == "plain" else self.scale: known_interval}

    def __call__(self) -> Linearized:
        """The linearized statistic."""
        parts = np.asarray(self.influence, dtype=np.float64) / len(self.influence)
        return Linearized(self.value, self, self.bounds, known=Contributions(parts, self.atoms))


@document
def estimate(
    value: float,
    influence: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    scale: str = "plain",
    bounds: tuple[float, float] | None = None,
    rows: ArrayLike | str | None = None,
    confidence_level: float = 0.95,
    name: str = "estimate",
) -> Estimate:
    r"""An estimate from a value and the influence of each row, for statistics of your own.

    .. math:: SE^2 = \frac{n}{n - 1} \sum_i (\phi_i / n)^2

    with the influence :math:`\phi_i` of row i; with groups, of sums over groups. It can be computed
    with like the results of `confidence_interval`.

    Parameters
    ----------
    value : float
        The statistic.
    influence : array-like of shape (n_samples,)
        The influence of each row, as `influence_values` returns it: not divided by the number of
        rows, with mean 0.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, if rows of a group may depend on each other.
    scale : str, default="plain"
        "plain", "log", "logit" or "atanh": the scale of the t interval.
    bounds : (float, float), default=None
        The range of the statistic; by default that of the scale: any number, above 0, in (0, 1),
        in (-1, 1).
    rows : str or array-like of shape (n_samples,), default=None
        The name of the rows, or an identity of each, by which they are recognised when estimates
        are subtracted or averaged.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.
    name : str, default="estimate"
        What it is called where results are printed.

    Returns
    -------
    Estimate

    Raises
    ------
    {raises}

    References
    ----------
    Hampel (1974), Journal of the American Statistical Association 69(346), 383-393.

    Examples
    --------
    >>> import numpy as np, skmetrics_ext as sx
    >>> hours = np.array([3.0, 5, 4, 8, 2, 6, 7, 5] * 8)
    >>> print(sx.estimate(hours.mean(), hours - hours.mean(), scale="log"))
    estimate 5 [4.55, 5.494], 95 %, 64 rows, log
    """
    check_option("scale", scale, tuple(RANGES))
    low, high = RANGES[scale] if bounds is None else map(as_number, bounds)
    number = check_number("value", value, -np.inf)
    if not low < high or not low <= number <= high:
        raise InvalidParameterError(
            f"bounds must be two numbers that rise, with value between them, got {bounds!r} for "
            f"value={value!r} on the scale {scale!r}."
        )
    values = read_column(influence, "influence").values
    if values.ndim != 1 or values.dtype.kind not in "iuf" or len(values) < 2:
        raise InvalidParameterError(
            f"influence must be two or more numbers, one for each row, got {influence!r:.60}."
        )
    mean, size = float(values.mean()), float(np.abs(values).max())
    if not (isfinite(size) and abs(mean) <= _CENTRED * size):
        raise InvalidParameterError(
            f"influence must be finite and have mean 0, got mean {mean:.4g}: subtract it."
        )
    metric = Metric(name, estimate, UnknownSpec(estimate))
    sample = KnownSample(metric, number, values, groups, scale, (low, high))
    return _result(sample, rows, check_level(confidence_level))


def _result(sample: KnownSample, rows: Any, level: float) -> Estimate:
    """The estimate of a statistic, with the identities of its rows."""
    identities = read_identities(rows, sample())
    leaf = Leaf(sample.value, sample.metric, sample, identities, bounds=sample.bounds)
    return result_of(leaf, Asked(level))


# --------------------------------------------------------------------------- pass@k


@document
def pass_at_k(
    n_tries: ArrayLike,
    n_right: ArrayLike,
    k: int,
    *,
    groups: ArrayLike | None = None,
    rows: ArrayLike | str | None = None,
    confidence_level: float = 0.95,
) -> Estimate:
    r"""Share of questions that at least one of k tries answers rightly, with its interval.

    .. math:: \frac{1}{Q} \sum_q 1 - \binom{n_q - c_q}{k} \Big/ \binom{n_q}{k}

    with :math:`c_q` right answers among the :math:`n_q` tries of question q. The value of each
    question is unbiased, so that the spread over questions includes that of the tries.

    Parameters
    ----------
    n_tries : int or array-like of shape (n_questions,)
        Number of tries of each question.
    n_right : array-like of shape (n_questions,)
        Number of right ones among them.
    k : int
        Number of tries that are allowed; at most as many as each question has.
    groups : array-like of shape (n_questions,), default=None
        The group of each question, such as the document, if questions of a group may depend on each
        other.
    rows : str or array-like of shape (n_questions,), default=None
        The name of the questions, or an identity of each, by which two models on the same questions
        are recognised when one estimate is subtracted from the other.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        In [0, 1]; higher is better. The interval is Wilson's for the effective number of
        questions.

    Raises
    ------
    {raises}

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374; Korn &
    Graubard (1998), Survey Methodology 24(2), 193-201.

    Examples
    --------
    >>> from skmetrics_ext import pass_at_k
    >>> n_right = [0, 1, 5, 2, 0, 3, 5, 4, 0, 1] * 4
    >>> print(pass_at_k(5, n_right, 1))
    pass_at_k 0.42 [0.304, 0.5455], 95 %, 40 rows, effective_n
    >>> print(pass_at_k(5, n_right, 3))
    pass_at_k 0.61 [0.4691, 0.7347], 95 %, 40 rows, effective_n
    """
    level, n_allowed = check_level(confidence_level), check_integer("k", k, 1)
    right = _counts("n_right", n_right)
    is_shared = isinstance(n_tries, Number)
    tries = _counts("n_tries", np.full(len(right), n_tries) if is_shared else n_tries)
    if tries.shape != right.shape or not len(right):
        raise InvalidParameterError(
            f"n_tries and n_right must have one number for each question, got {len(tries)} and "
            f"{len(right)}."
        )
    for is_wrong, needed in ((right > tries, "n_right"), (tries < n_allowed, "k")):
        if is_wrong.any():
            row = int(np.argmax(is_wrong))
            raise InvalidParameterError(
                f"{needed} must be at most n_tries: question {row} has {tries[row]:g} tries and "
                f"{right[row]:g} right ones, with k={n_allowed}."
            )
    # (n - c)! (n - k)! / (n - c - k)! n! as a product of k factors.
    steps = np.arange(n_allowed)
    factors = 1 - right[:, None] / (tries[:, None] - steps)
    values = 1 - np.where(tries - right < n_allowed, 0.0, factors.prod(axis=1))
    value = float(values.mean() if np.ptp(values) else values[0])  # no spread is none of rounding
    metric = Metric("pass_at_k", pass_at_k, UnknownSpec(pass_at_k), {"k": n_allowed})
    sample = KnownSample(metric, value, values - value, groups, "effective_n", (0.0, 1.0))
    return _result(sample, rows, level)


def _counts(name: str, counts: ArrayLike) -> Array:
    """Whole numbers, not negative, one for each question."""
    values = read_column(counts, name).values
    is_count = values.ndim == 1 and values.dtype.kind in "iuf" and bool(np.all(values >= 0))
    if not is_count or np.any(values % 1):
        raise InvalidParameterError(
            f"{name} must hold a whole number for each question, got {counts!r:.60}."
        )
    return np.asarray(values, dtype=np.float64)

"""pass@k: the chance that at least one of k tries of a question is right."""

from __future__ import annotations

from numbers import Number

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.algebra import Leaf
from skmetrics_ext.inference.arithmetic import result_of
from skmetrics_ext.inference.identity import read_identities
from skmetrics_ext.inference.known import KnownSample
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.spec import UnknownSpec
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.parameters import check_integer, check_level


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
    0.42 [0.304, 0.5455] (95% confidence, effective_n)
    >>> print(pass_at_k(5, n_right, 3))
    0.61 [0.4691, 0.7347] (95% confidence, effective_n)
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
    identities = read_identities(rows, sample())
    leaf = Leaf(value, metric, sample, identities, bounds=sample.bounds)
    return result_of(leaf, Asked(level))


def _counts(name: str, counts: ArrayLike) -> Array:
    """Whole numbers, not negative, one for each question."""
    values = read_column(counts, name).values
    is_count = values.ndim == 1 and values.dtype.kind in "iuf" and bool(np.all(values >= 0))
    if not is_count or np.any(values % 1):
        raise InvalidParameterError(
            f"{name} must hold a whole number for each question, got {counts!r:.60}."
        )
    return np.asarray(values, dtype=np.float64)

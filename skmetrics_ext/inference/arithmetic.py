"""Arithmetic on estimates: operators, tests, means, and the results that they return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.algebra import (
    FUNCTIONS,
    Expression,
    Folds,
    Leaf,
    Linear,
    Made,
    Mapped,
    Missing,
    linear,
    mapped,
    product,
    to_first_order,
)
from skmetrics_ext.inference.answers import answer, blocks_of, null_of
from skmetrics_ext.inference.margins import Asked, Claim, greater_is_better
from skmetrics_ext.inference.methods import facts_of_both
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError, check_option, check_weight
from skmetrics_ext.validation.parameters import check_level, check_number

_NAN = float("nan")


def result_of(x: Expression, asked: Asked) -> Estimate:
    """A statistic with its interval, and its test if it is a difference, a ratio, or a claim."""
    claim, null = asked.claim, null_of(x)
    if claim is None and null is not None:
        claim = Claim(parts=((null, "two-sided"),))
    asked = asked.about(claim)
    found = answer(x, asked)
    made = Made(x, asked.plan, asked.method, claim)
    facts = found.facts if isinstance(x, Leaf) else _facts_of(x, found.facts, asked)
    found = replace(found, facts=facts, _made=made)
    if claim is None:
        return found
    value_a, value_b = _values(x)
    claimed: dict[str, Any] = {"alternative": claim.alternative, "margin": claim.margin}
    return replace(found, value_a=value_a, value_b=value_b, **claimed)


def _values(x: Expression) -> tuple[float, float]:
    """Both values of a difference or a ratio."""
    while isinstance(x, Mapped) and x.name == "exp":
        x = x.operand
    terms = x.terms if isinstance(x, Linear) else ()
    if len(terms) != 2 or terms[0][0] != -terms[1][0]:
        return _NAN, _NAN
    first, second = (
        term.operand.value if isinstance(term, Mapped) and term.name == "log" else term.value
        for _, term in (terms if terms[0][0] > 0 else terms[::-1])
    )
    return first, second


def _facts_of(x: Expression, known: Facts | None, asked: Asked) -> Facts:
    """What the rows of all leaves say, with the degrees of freedom and draws of the interval."""
    over_folds = any(isinstance(leaf, Folds) for leaf in x.operands())
    blocks = [] if over_folds else blocks_of(x, asked)[0]
    if not blocks:
        return Facts(x.text())
    facts = facts_of_both(known, *(block[0][1] for block in blocks))
    leaves = list(x.operands())
    is_plain = null_of(x) == 0 and not any(leaf.name for leaf in leaves)
    if is_plain and len({leaf.metric.name for leaf in leaves}) == 1:
        return facts
    return replace(facts, metric=x.text(), params={})


def _operand(value: Any) -> Expression | None:
    """The statistic of an operand; None for a number."""
    return _statistic(value) if isinstance(value, Estimate) else None


def _statistic(value: Estimate) -> Expression:
    """The statistic of an estimate, which must hold its rows."""
    if value._made is None:
        raise InvalidParameterError(
            f"{value} has no rows to compute with: it was read from a file, made of numbers, or is "
            "of several readers. Compute it again from the rows; compare(..., readers=) subtracts "
            "two models of the same readers."
        )
    expression: Expression = value._made.expression
    return expression


def computed(name: str, first: Any, second: Any) -> Any:
    """A sum, difference, product or ratio of estimates and numbers."""
    sides = [_operand(first), _operand(second)]
    numbers = [side for side, of in zip((first, second), sides, strict=True) if of is None]
    if not all(isinstance(number, Real) and isfinite(number) for number in numbers):
        return NotImplemented
    estimates = [side for side, of in zip((first, second), sides, strict=True) if of is not None]
    x = _combined(name, sides, [float(number) for number in numbers])
    return _result_from(x, estimates)


def _combined(
    name: str, sides: Sequence[Expression | None], numbers: Sequence[float]
) -> Expression:
    a, b = sides
    sign = -1.0 if name == "subtract" else 1.0
    if a is not None and b is not None:
        if name in ("add", "subtract"):
            return linear((1.0, a), (sign, b))
        return product((1.0, a), (-1.0 if name == "divide" else 1.0, b))
    (number,) = numbers
    x = b if a is None else a
    assert x is not None
    if name in ("add", "subtract"):
        return linear(
            (sign if a is None else 1.0, x), offset=number if a is None else sign * number
        )
    if name == "multiply" or a is not None:
        factor = number if name == "multiply" else 1 / number if number else _NAN
        return linear((factor, x)) if np.isfinite(factor) else Missing("a division by 0")
    return linear((number, product((-1.0, x))))


def compared(first: Estimate, second: Estimate, read: dict[Any, Any], *, log: bool) -> Any:
    """The difference of two estimates, or of their logarithms; ``read`` holds what was read."""
    a, b = (mapped(x, "log") if log else x for x in map(_statistic, (first, second)))
    return _result_from(linear((1.0, a), (-1.0, b)), [first, second], read)


def _result_from(
    x: Expression, estimates: Sequence[Estimate], read: dict[Any, Any] | None = None
) -> Any:
    """The result of an operation on estimates, which must have one level."""
    for estimate in estimates:
        if estimate._made.expression is x:
            return estimate
    level, made = shared_level(estimates), estimates[0]._made
    method = made.method if len(x.operands()) == 1 else "auto"  # of one statistic the user's own
    return result_of(x, Asked(level, None, made.plan, method, {} if read is None else read))


def shared_level(estimates: Sequence[Estimate]) -> float:
    """The confidence level of all estimates, 0.95 without any."""
    levels = sorted({estimate.confidence_level for estimate in estimates}) or [0.95]
    if len(levels) > 1:
        raise InvalidParameterError(
            f"estimates with different confidence levels, {levels}, cannot be combined: use "
            f".at({levels[-1]:g}) first."
        )
    return levels[0]


def raised(estimate: Any, power: Any) -> Any:
    """A power of an estimate."""
    x = _operand(estimate)
    if x is None or not isinstance(power, Real) or not isfinite(power):
        return NotImplemented
    return _result_from(product((float(power), x)), [estimate])


def applied(estimate: Any, function: Any, *, monotone: bool) -> Any:
    """`Computable.apply`."""
    x = _statistic(estimate)
    if not callable(function):
        check_option("function", function, tuple(FUNCTIONS))
    if monotone:
        return _result_from(mapped(x, function), [estimate])
    map_of = Mapped(x, function)
    slope = map_of.function.slope(x.value)
    return _result_from(to_first_order(map_of.value, [(slope, x)]), [estimate])


def asked_again(estimate: Any, *, level: float | None = None, method: str | None = None) -> Any:
    """`Computable.at` and `Computable.over`."""
    x, made = _statistic(estimate), estimate._made
    level = estimate.confidence_level if level is None else check_level(level)
    return result_of(x, Asked(level, made.claim, made.plan, method or made.method))


def claimed(
    estimate: Any, *, null: float | None, margin: float | None, alternative: str, better: str | None
) -> Estimate:
    """`Computable.test`."""
    x, made = _statistic(estimate), estimate._made
    if better is not None:
        check_option("better", better, ("higher", "lower"))
    metrics = {leaf.metric.spec.greater_is_better: leaf.metric for leaf in x.operands()}
    metric = next(iter(metrics.values())) if len(metrics) == 1 else None
    higher = None if better is None else better == "higher"
    usual = null_of(x)
    is_ratio_of = usual == 1.0
    if null is None and usual is None:
        raise InvalidParameterError(
            f"null is needed: {x.text()} is neither a difference nor a ratio. Pass null=0.5, the "
            "value if the claim is wrong."
        )
    start = usual if null is None else check_number("null", null, -np.inf)
    size = margin
    if margin is not None and is_ratio_of:
        size = abs(float(np.log(check_number("margin", margin, 0))))
    of_range = None if is_ratio_of else metric
    if of_range is None and higher is None and alternative == "non-inferior":
        higher = greater_is_better(metric, "alternative='non-inferior' without better=")
    claim = Claim.of(alternative, size, of_range, higher)
    assert start is not None
    if is_ratio_of and margin is not None:
        parts = tuple((start * float(np.exp(limit)), side) for limit, side in claim.parts)
        claim = claim._replace(parts=parts, margin=margin)
    else:
        claim = claim._replace(parts=tuple((start + limit, side) for limit, side in claim.parts))
    level = claim.level(estimate.confidence_level)
    result = result_of(x, Asked(level, claim, made.plan, made.method))
    assert isinstance(result, Estimate)
    return result


def mean(estimates: Iterable[Estimate], *, weights: ArrayLike | None = None) -> Any:
    """The mean of estimates: of models, of sites, of months.

    Rows that estimates share are counted once, with what they contribute to each; other rows are
    independent.

    Parameters
    ----------
    estimates : iterable of Estimate
        Results of `confidence_interval`, or computed from them.
    weights : array-like of shape (n_estimates,), default=None
        Positive weights; equal ones by default.

    Returns
    -------
    Estimate

    Raises
    ------
    InvalidParameterError
        If estimates have no rows or different confidence levels, or weights are not positive.

    References
    ----------
    Deville (1999), Survey Methodology 25(2), 193-203, for contributions of rows that are added up.

    Examples
    --------
    >>> import skmetrics_ext as sx
    >>> y = [0, 1, 0, 1, 0, 1, 1, 1] * 20
    >>> a = sx.confidence_interval("f1", y, [0, 1, 0, 1, 1, 0, 1, 1] * 20)
    >>> b = sx.confidence_interval("f1", y, [0, 1, 0, 1, 0, 0, 1, 0] * 20)
    >>> print(sx.mean([a, b]))
    0.5 * f1 + 0.5 * f1 0.775 [0.7104, 0.8287], 95 %, 160 rows, cv
    """
    is_list = isinstance(estimates, Iterable) and getattr(estimates, "shape", None) != ()
    found = list(estimates) if is_list else []
    operands = [_operand(estimate) for estimate in found]
    if not found or any(x is None for x in operands):
        raise InvalidParameterError(f"estimates must be one or more estimates, got {found!r:.60}.")
    sizes = [1.0] * len(found)
    if weights is not None:
        given = check_weight(weights, len(found))
        assert given is not None
        sizes = [float(weight) for weight in given]
    if min(sizes) <= 0:
        raise InvalidParameterError(f"weights must be positive, got {min(sizes):g}.")
    total = sum(sizes)
    terms = [(size / total, x) for size, x in zip(sizes, operands, strict=True) if x is not None]
    return _result_from(linear(*terms), found)

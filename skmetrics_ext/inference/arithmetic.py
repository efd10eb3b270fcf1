"""Arithmetic on estimates, and estimates from the contributions of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import isfinite
from numbers import Number, Real
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
    read_identities,
    to_first_order,
)
from skmetrics_ext.inference.answers import answer, blocks_of, differences_of_models, null_of
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.samples import Sample
from skmetrics_ext.inference.linearized import Contributions, Linearized
from skmetrics_ext.inference.margins import Asked, Claim, greater_is_better
from skmetrics_ext.inference.methods import Method, facts_of_both, known_interval
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import RANGES, Range
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.spec import UnknownSpec
from skmetrics_ext.numeric import Array, Options
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError, check_option, check_weight
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.parameters import as_number, check_integer, check_level, check_number

_NAN = float("nan")


def result_of(x: Expression, asked: Asked) -> Estimate:
    """A statistic with its interval, and its test if it is a difference, a ratio, or a claim."""
    claim, null = asked.claim, null_of(x)
    if claim is None and null is not None:
        claim = Claim(parts=((null, "two-sided"),))
    asked = asked.about(claim)
    found = answer(x, asked)
    facts = found.facts if isinstance(x, Leaf) else _facts_of(x, found.facts, asked)
    return _made(x, found, facts, asked)


def results_of(xs: Sequence[Expression], asked: Asked) -> list[Estimate]:
    """`result_of` each; models on the same rows are compared at once."""
    results = differences_of_models(xs, asked) if len(xs) > 1 else []
    if not results:
        return [result_of(x, asked) for x in xs]
    asked, of_rows, found = asked.about(asked.test), dict[Leaf, Facts](), []
    for x, each in zip(xs, results, strict=True):
        first, second = x.operands()
        if first not in of_rows:
            of_rows[first] = facts_of_both(None, asked.read(first))
        named: Options = {"metric": x.text(), "params": {}} if first.name or second.name else {}
        draws = None if each.facts is None else each.facts.draws
        facts = replace(of_rows[first], freedom=each.freedom, draws=draws, **named)
        found.append(_made(x, each, facts, asked))
    return found


def _made(x: Expression, found: Estimate, facts: Facts | None, asked: Asked) -> Estimate:
    """The result with its statistic, and with both values and the claim if it is tested."""
    claim, (value_a, value_b) = asked.claim, _values(x)
    known: Options = {"facts": facts, "_made": Made(x, asked.plan, asked.method, claim)}
    if claim is not None:
        known |= {"alternative": claim.alternative, "margin": claim.margin}
        known |= {"value_a": value_a, "value_b": value_b}
    return replace(found, **known)


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


def compared(pairs: Sequence[tuple[Estimate, Estimate]], *, log: bool) -> list[Any]:
    """Differences of pairs of estimates, or of their logarithms; each statistic is read once."""
    xs = []
    for pair in pairs:
        a, b = (mapped(x, "log") if log else x for x in map(_statistic, pair))
        xs.append(linear((1.0, a), (-1.0, b)))
    level, plan = shared_level(list(chain(*pairs))), pairs[0][0]._made.plan
    asked = Asked(level, None, plan)
    are_pairs = all(isinstance(x, Linear) and len(x.terms) == 2 for x in xs)
    if are_pairs and all(first._made.plan == plan for first, _ in pairs):
        return results_of(xs, asked)
    return [_result_from(x, pair, asked._read) for x, pair in zip(xs, pairs, strict=True)]


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


def at_level(estimates: Sequence[Any], level: float) -> list[Any]:
    """`Computable.at` of each; differences that were asked alike are computed at once."""
    xs = list(map(_statistic, estimates))
    first = estimates[0]._made
    if all(each._made[1:] == first[1:] for each in estimates):
        return results_of(xs, Asked(check_level(level), first.claim, first.plan, first.method))
    return [asked_again(each, level=level) for each in estimates]


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


# --------------------------------------------------------------------------- from contributions

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

"""What inference gives back: frozen values that print as a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from skmetrics_ext.inference.notes import reason, with_design
from skmetrics_ext.result_bases import Citable, Facts, Result

if TYPE_CHECKING:
    from skmetrics_ext.inference.margins import Claim

_NAN = float("nan")

_ANSWERS = {True: "reached", False: "not reached", None: "undecided"}


@dataclass(frozen=True, repr=False, eq=False, slots=True)
class Estimate(Citable):
    """A number with its interval.

    Parameters
    ----------
    value : float
        The metric on all rows.
    low, high : float
        Bounds of the interval.
    standard_error : float
        Estimated standard deviation of the value; nan where the method has none.
    method : str
        How the interval was made.
    confidence_level : float
        Nominal coverage, in (0, 1).
    note : str, default=""
        What a reader must know before using the interval (few rows, an extreme value).
    goal : float or None, default=None
        A value that was to be reached.
    reached : bool or None, default=None
        Whether the whole interval is at the goal or better, by the direction of the metric; False
        where all of it is worse, None where the interval holds both, or none was asked for.
    n_groups : int or None, default=None
        Number of groups, where these were given.
    design_effect : float, default=nan
        How many times the variance is that of independent rows; nan without groups or strata, and
        where the method has no variance.
    n_strata : int or None, default=None
        Number of strata, where these were given.
    facts : Facts or None, default=None
        What the result was computed from; read as ``metric``, ``params``, ``n``, ``n_effective``,
        ``freedom`` and ``positive_class``.

    Examples
    --------
    >>> from skmetrics_ext.results import Estimate
    >>> print(Estimate(0.8, 0.7, 0.9, 0.05, "delong", 0.95))
    0.8 [0.7, 0.9] (95% confidence, delong)
    >>> value, low, high = Estimate(0.8, 0.7, 0.9, 0.05, "delong", 0.95)
    >>> f"{Estimate(0.8, 0.7, 0.9, 0.05, 'delong', 0.95):.3f}"
    '0.800 [0.700, 0.900]'
    """

    value: float
    low: float
    high: float
    standard_error: float
    method: str
    confidence_level: float
    note: str = ""
    goal: float | None = None
    reached: bool | None = None
    n_groups: int | None = None
    design_effect: float = float("nan")
    n_strata: int | None = None
    facts: Facts | None = field(default=None, repr=False)

    def __str__(self) -> str:
        told = design_told(self.n_groups, self.n_strata, [self.design_effect])
        told = "".join(f"; {one}" for one in (self._class_text, told, self.note) if one)
        asked = "" if self.goal is None else f", goal {self.goal:g}: {_ANSWERS[self.reached]}"
        return (
            f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]{asked} "
            f"({100 * self.confidence_level:g}% confidence, {self.method}{self._draws_text}{told})"
        )


def design_told(n_groups: int | None, n_strata: int | None, effects: Iterable[float]) -> str:
    """How many groups and strata there are, and what they do to variances, as words."""
    counts, known = ((n_groups, "groups"), (n_strata, "strata")), sorted(filter(isfinite, effects))
    told = [f"{number} {what}" for number, what in counts if number is not None]
    ends = list(dict.fromkeys(f"{effect:.3g}" for effect in known[:1] + known[-1:]))
    if told and ends:
        told.append(f"design effect{'s' * (len(ends) - 1)} {' to '.join(ends)}")
    return ", ".join(told)


@dataclass(frozen=True, repr=False, eq=False, slots=True)
class Comparison(Citable):
    """The difference between two models on the same rows, and a test of it.

    Parameters
    ----------
    difference : float
        Metric of the first model less that of the second; by "log_ratio" the logarithm of the first
        less that of the second, with bounds and error of that scale.
    low, high : float
        Bounds of the interval of the difference; nan where the method has none.
    statistic : float
        Test statistic; nan where the method has none.
    p_value : float
        Of the hypothesis that what ``alternative`` claims is not so.
    method : str
        How the difference was tested.
    value_a, value_b : float
        The metric of each model.
    standard_error : float
        Of the difference; nan where the method has none.
    confidence_level : float
        Nominal coverage of the interval, in (0, 1); of the 90 % interval where "equivalent" is
        asked for at 95 %.
    note : str, default=""
        What a reader must know before using the numbers.
    alternative : str, default="two-sided"
        What the test is to show.
    margin : float or None, default=None
        How large a difference has to be to matter.
    n_groups : int or None, default=None
        Number of groups, where these were given.
    design_effect : float, default=nan
        How many times the variance of the difference is that of independent rows; nan where that
        is not known.
    n_strata : int or None, default=None
        Number of strata, where these were given.
    facts : Facts or None, default=None
        What the result was computed from; read as ``metric``, ``params``, ``n``, ``n_effective``,
        ``freedom`` and ``positive_class``.

    Examples
    --------
    >>> from skmetrics_ext.results import Comparison
    >>> found = Comparison(0.1, 0.02, 0.18, 2.4, 0.016, "delong", 0.9, 0.8, 0.04, 0.95)
    >>> print(found)
    0.1 [0.02, 0.18], p = 0.016 (95% confidence, delong)
    >>> found.concluded
    True
    """

    difference: float
    low: float
    high: float
    statistic: float
    p_value: float
    method: str
    value_a: float
    value_b: float
    standard_error: float
    confidence_level: float
    note: str = ""
    alternative: str = "two-sided"
    margin: float | None = None
    n_groups: int | None = None
    design_effect: float = float("nan")
    n_strata: int | None = None
    facts: Facts | None = field(default=None, repr=False)

    @property
    def concluded(self) -> bool | None:
        """Whether the test shows what the alternative claims, as the interval does.

        Its level is 1 - confidence_level, or half of it on one side, as regulators ask for (ICH
        E9, section 5.5). None where there is no p-value.
        """
        return None if isnan(self.p_value) else self.p_value <= self._error

    @property
    def _error(self) -> float:
        """Level of the test: the share of false claims that it allows."""
        error = 1 - self.confidence_level
        return error if self.alternative == "two-sided" else error / 2

    def __str__(self) -> str:
        told = design_told(self.n_groups, self.n_strata, [self.design_effect])
        told = "".join(f"; {one}" for one in (self._class_text, told, self.note) if one)
        asked = ""
        if self.margin is not None or self.alternative != "two-sided":
            by = "" if self.margin is None else f" by margin {self.margin:g}"
            shown = "shown" if self.concluded else "not shown"
            asked = f", {self.alternative}{by} {shown} at {100 * self._error:.3g}%"
        what = "log ratio " if "log_ratio" in self.method else ""
        return (
            f"{what}{self.difference:.4g} [{self.low:.4g}, {self.high:.4g}], p = {self.p_value:.3g}"
            f"{asked} ({100 * self.confidence_level:g}% confidence, "
            f"{self.method}{self._draws_text}{told})"
        )


def estimate(
    value: float,
    bounds: tuple[float, float],
    error: float,
    method: str,
    level: float,
    note: str = "",
    atoms: Any = None,
    **design: Any,
) -> Estimate:
    """An estimate with its interval; a degenerate interval has a note, and so has the design."""
    if not (note or bounds[0] < bounds[1]):
        note = reason(value, *bounds)
    if atoms is not None:
        note = with_design(note, atoms)
        design |= atoms.of_design()
    return Estimate(value, *bounds, error, method, level, note, **design)


def comparison(
    difference: float,
    values: tuple[float, float],
    method: str,
    level: float,
    claim: Claim,
    bounds: tuple[float, float] = (_NAN, _NAN),
    statistic: float = _NAN,
    p_value: float = _NAN,
    error: float = _NAN,
    note: str = "",
    freedom: float = _NAN,
    draws: int | None = None,
) -> Comparison:
    """The comparison of two values that differ by so much; a degenerate interval has a note."""
    numbers = float(difference), *bounds, statistic, p_value
    note = note or reason(difference, *bounds)
    asked = claim.alternative, claim.margin
    known = isfinite(freedom) or draws is not None
    facts = Facts(freedom=float(freedom) if isfinite(freedom) else None, draws=draws)
    return Comparison(
        *numbers, method, *values, error, level, note, *asked, facts=facts if known else None
    )


@dataclass(frozen=True, repr=False, slots=True)
class TestResult(Result):
    """A test statistic and its p-value.

    Parameters
    ----------
    statistic : float
        The statistic; nan for an exact test that has none.
    p_value : float
        In [0, 1].
    method : str
        Name of the test and its variant.
    degrees_of_freedom : float or tuple of float, default=nan
        Of the reference distribution.

    Examples
    --------
    >>> from skmetrics_ext.results import TestResult
    >>> print(TestResult(4.2, 0.04, "mcnemar", 1.0))
    mcnemar: statistic = 4.2, p = 0.04
    """

    __test__ = False  # not a case for pytest

    statistic: float
    p_value: float
    method: str
    degrees_of_freedom: float | tuple[float, float] = float("nan")

    def __iter__(self) -> Iterator[float]:
        """The statistic and the p-value: ``statistic, p_value = result``."""
        return iter((self.statistic, self.p_value))

    def __str__(self) -> str:
        return f"{self.method}: statistic = {self.statistic:.4g}, p = {self.p_value:.3g}"

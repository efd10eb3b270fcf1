"""What is asked of a statistic: its level, a claim and its margin, a goal; and what is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.notes import NONE, reason
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import as_number, check_number

SIDES = ("two-sided", "less", "greater")
OPPOSITE = {"less": "greater", "greater": "less", "two-sided": "two-sided"}
Alternative = Literal["two-sided", "less", "greater", "non-inferior", "equivalent"]
ALTERNATIVES = (*SIDES, "non-inferior", "equivalent")
_NAN = float("nan")

# P-value of the null hypothesis that the difference is the first argument, against one side of it.
Tail = Callable[[float, str], Any]


class Claim(NamedTuple):
    """A claim about a difference, as tests of the differences that it rules out.

    Parameters
    ----------
    alternative : str
        The claim.
    margin : float or None
        The least difference that matters.
    parts : tuple of (float, str)
        Null value and alternative of each test.
    """

    alternative: str = "two-sided"
    margin: float | None = None
    parts: tuple[tuple[float, str], ...] = ((0.0, "two-sided"),)

    @classmethod
    def of(
        cls,
        alternative: str,
        margin: float | None = None,
        metric: Metric | None = None,
        higher: bool | None = None,
    ) -> Claim:
        """Check the arguments; ``higher`` says which direction is better, else the metric."""
        check_option("alternative", alternative, ALTERNATIVES)
        if margin is None:
            if alternative not in SIDES:
                raise InvalidParameterError(
                    f"alternative={alternative!r} needs margin=, the least difference that matters."
                )
            return cls(alternative, None, ((0.0, alternative),))
        size = check_number("margin", margin, 0)
        if size == 0:
            raise InvalidParameterError("margin has to be positive, got 0; without one pass None.")
        if metric is not None:
            low, high = metric.spec.bounds
            if size >= high - low:
                raise InvalidParameterError(
                    f"margin={margin!r} is as large as differences can be, for {metric.name} is "
                    f"in [{low:g}, {high:g}]."
                )
        above, below = (size, "greater"), (-size, "less")
        not_less, not_more = (-size, "greater"), (size, "less")
        parts: tuple[tuple[float, str], ...]
        if alternative == "non-inferior":
            higher = greater_is_better(metric, alternative) if higher is None else higher
            parts = (not_less if higher else not_more,)
        else:
            parts = {
                "greater": (above,),
                "less": (below,),
                "two-sided": (above, below),
                "equivalent": (not_less, not_more),
            }[alternative]
        return cls(alternative, size, parts)

    def level(self, confidence_level: float) -> float:
        """Level of the interval that decides: that of two tests at 5 % is 90 %."""
        if self.alternative != "equivalent":
            return confidence_level
        if confidence_level <= 0.5:
            raise InvalidParameterError(
                f"alternative='equivalent' needs a confidence_level above 0.5, got "
                f"{confidence_level!r}: its interval has the level 2 confidence_level - 1."
            )
        return 2 * confidence_level - 1

    def reversed(self) -> Claim:
        """The claim about the difference with the opposite sign."""
        return self._replace(parts=tuple((-null, OPPOSITE[side]) for null, side in self.parts))

    def tested(self, tail: Tail) -> tuple[Any, Any]:
        """The p-value of the claim, or several, and the null value whose test decides it.

        Equivalence needs both tests, so its p-value is the larger one. A difference beyond the
        margin on either side needs one of two, which costs a factor of 2 (Bonferroni).
        """
        tests: list[tuple[Any, Any]] = [(tail(null, side), null) for null, side in self.parts]
        (p_value, null), *others = tests
        for other, limit in others:
            decides = other >= p_value if self.alternative == "equivalent" else other <= p_value
            p_value, null = np.where(decides, other, p_value), np.where(decides, limit, null)
        if self.alternative != "equivalent":
            p_value = np.minimum(p_value * len(self.parts), 1.0)
        return (p_value, null) if np.ndim(p_value) else (float(p_value), float(null))


def on_side(p_value: Any, distance: Any, side: str) -> Any:
    """P-value on one side, from the two-sided one and the observed distance from the null value."""
    if side == "two-sided":
        return p_value
    is_there = np.greater(distance, 0) == (side == "greater")
    found = np.where(is_there, p_value / 2, 1 - p_value / 2)
    return np.where(np.equal(distance, 0), 0.5, found)[()]


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of a statistic: the level, a claim, how rows are drawn, the method."""

    level: float = 0.95
    claim: Claim | None = None
    plan: DrawPlan = PLAN
    method: str = "auto"
    _read: dict[Any, Any] = field(default_factory=dict)

    @property
    def test(self) -> Claim:
        """The claim; without one, that the difference is not 0."""
        return self.claim or Claim()

    def read(self, leaf: Any) -> Any:
        """The linearized statistic of a leaf, read once for each question."""
        if leaf not in self._read:
            self._read[leaf] = leaf.read()
        return self._read[leaf]

    def about(self, claim: Claim | None) -> Asked:
        """The question with another claim."""
        return replace(self, claim=claim)

    def result(
        self,
        value: float,
        bounds: tuple[float, float] = (_NAN, _NAN),
        error: float = _NAN,
        method: str = NONE,
        note: str = "",
        **further: Any,
    ) -> Estimate:
        """The estimate of a statistic, with a note if its interval is degenerate."""
        note = note or reason(value, *bounds)
        return Estimate(value, *bounds, error, method, self.level, note, **further)


class Contrast(NamedTuple):
    """The difference of two values, which a method tests.

    For ratios it is the difference of their logarithms.
    """

    difference: float
    values: tuple[float, float]
    method: str
    asked: Asked

    def tested(
        self,
        bounds: tuple[float, float] = (_NAN, _NAN),
        statistic: float = _NAN,
        p_value: float = _NAN,
        error: float = _NAN,
        note: str = "",
        freedom: float = _NAN,
        draws: int | None = None,
    ) -> Estimate:
        """The comparison, with a note if its interval is degenerate."""
        claim, known = self.asked.test, float(freedom) if isfinite(freedom) else None
        facts = Facts(freedom=known, draws=draws or None) if known or draws else None
        test: dict[str, Any] = {"p_value": float(p_value), "statistic": statistic}
        test |= {"alternative": claim.alternative, "margin": claim.margin, "facts": facts}
        test |= {"value_a": self.values[0], "value_b": self.values[1]}
        numbers = float(self.difference), bounds, error, self.method, note
        return self.asked.result(*numbers, **test)


class Goal(NamedTuple):
    """A value that a metric is to reach, from below or from above."""

    value: float
    from_below: bool

    @classmethod
    def of(cls, goal: float, metric: Metric) -> Goal:
        """Check the number; the metric has the direction."""
        from_below = greater_is_better(metric, "goal")
        low, high = metric.spec.bounds
        value = as_number(goal)
        if isinstance(goal, bool | str) or not (isfinite(value) and low <= value <= high):
            raise InvalidParameterError(
                f"goal has to be a finite number in [{low:g}, {high:g}], the range of "
                f"{metric.name}, got {goal!r}."
            )
        return cls(value, from_below)

    def compared_with(self, estimate: Estimate) -> Estimate:
        """The estimate, with whether its whole interval is at the goal or better."""
        low, high = estimate.low, estimate.high
        better, worse = low >= self.value, high < self.value
        if not self.from_below:
            better, worse = high <= self.value, low > self.value
        reached = True if better else False if worse else None
        return replace(estimate, goal=self.value, reached=reached)


def greater_is_better(metric: Metric | None, argument: str) -> bool:
    """The direction of a metric; an error naming the argument if it has none."""
    if metric is None or metric.spec.greater_is_better is None:
        name = "the metric" if metric is None else metric.name
        raise InvalidParameterError(
            f"{argument} needs a metric with a known direction, and {name} has none: take a metric "
            "of this package that has one, or compare the bounds."
        )
    return metric.spec.greater_is_better

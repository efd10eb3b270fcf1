"""What an interval or a comparison is to show: goals, margins, and their p-values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from typing import Literal, NamedTuple

from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import as_number, check_number

SIDES = ("two-sided", "less", "greater")
Alternative = Literal["two-sided", "less", "greater", "non-inferior", "equivalent"]
ALTERNATIVES = (*SIDES, "non-inferior", "equivalent")

# p-value of a difference, were its true value the first, against a side of it.
Tail = Callable[[float, str], float]


class Claim(NamedTuple):
    """A claim about a difference, as one-sided tests of the differences that it rules out.

    Parameters
    ----------
    alternative : str
        What is claimed.
    margin : float or None
        How large a difference has to be to matter.
    parts : tuple of (float, str)
        Differences of which each is tested, with the side of it that is claimed.
    """

    alternative: str = "two-sided"
    margin: float | None = None
    parts: tuple[tuple[float, str], ...] = ((0.0, "two-sided"),)

    @classmethod
    def of(
        cls, alternative: str, margin: float | None = None, metric: Metric | None = None
    ) -> Claim:
        """Of arguments that are checked; the metric tells what is worse, and its range."""
        check_option("alternative", alternative, ALTERNATIVES)
        if margin is None:
            if alternative not in SIDES:
                raise InvalidParameterError(
                    f"alternative={alternative!r} needs margin=, the largest difference that does "
                    "not matter."
                )
            return cls(alternative, None, ((0.0, alternative),))
        size = check_number("margin", margin, 0)
        if size == 0:
            raise InvalidParameterError("margin has to be positive, got 0; without one pass None.")
        if metric is not None and metric.row is not None:
            low, high = metric.row.bounds
            if size >= high - low:
                raise InvalidParameterError(
                    f"margin={margin!r} is as large as differences can be, for {metric.name} is "
                    f"in [{low:g}, {high:g}]."
                )
        above, below = (size, "greater"), (-size, "less")
        not_less, not_more = (-size, "greater"), (size, "less")
        parts: tuple[tuple[float, str], ...]
        if alternative == "non-inferior":
            parts = (not_less if greater_is_better(metric, alternative) else not_more,)
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

    def per(self, unit: float) -> Claim:
        """The same of differences in other units, a negative one turning them round."""
        turned = {"less": "greater", "greater": "less", "two-sided": "two-sided"}
        sides = turned if unit < 0 else {side: side for side in turned}
        return self._replace(parts=tuple((null / unit, sides[side]) for null, side in self.parts))

    def tested(self, tail: Tail) -> tuple[float, float]:
        """The p-value, and the difference whose test decides it.

        Both sides of an equivalence have to be shown, so that the larger p-value is that of both;
        of a difference beyond the margin on any side one is enough, which costs a factor of 2.
        """
        found = [(tail(null, side), null) for null, side in self.parts]
        if self.alternative == "equivalent":
            return max(found)
        p_value, null = min(found)
        return min(p_value * len(found), 1.0), null


class Goal(NamedTuple):
    """A value that a metric was to reach, from below or from above."""

    value: float
    from_below: bool

    @classmethod
    def of(cls, goal: float, metric: Metric) -> Goal:
        """Of a number that is checked, in the direction of the metric."""
        from_below = greater_is_better(metric, "goal")
        low, high = metric.spec.bounds
        value = as_number(goal)
        if isinstance(goal, bool | str) or not (isfinite(value) and low <= value <= high):
            raise InvalidParameterError(
                f"goal has to be a finite number in [{low:g}, {high:g}], the range of "
                f"{metric.name}, got {goal!r}."
            )
        return cls(value, from_below)

    def asked_of(self, found: Estimate | list[Estimate]) -> Estimate | list[Estimate]:
        """The estimates, each with whether its interval is beyond the goal."""
        if isinstance(found, list):
            return [self._told(one) for one in found]
        return self._told(found)

    def _told(self, found: Estimate) -> Estimate:
        low, high = found.low, found.high
        better, worse = low >= self.value, high < self.value
        if not self.from_below:
            better, worse = high <= self.value, low > self.value
        reached = True if better else False if worse else None
        return replace(found, goal=self.value, reached=reached)


def greater_is_better(metric: Metric | None, asked: str) -> bool:
    """The direction of a metric; an error where it has none, or none that is known."""
    row = None if metric is None else metric.row
    if row is None or row.greater_is_better is None:
        name = "the metric" if metric is None else metric.name
        raise InvalidParameterError(
            f"{asked} needs to know whether more is better, which nothing says of {name}: "
            "take a metric of this package that has a direction, or compare with the bounds."
        )
    return row.greater_is_better

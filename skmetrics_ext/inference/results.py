"""Results of inference: frozen values that print as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from math import isfinite, isnan
from typing import Any

from skmetrics_ext.formats import count, digits, html_text, latex_text, markdown_text, p_value_text
from skmetrics_ext.inference.notes import reason, with_design
from skmetrics_ext.inference.scales import drawn_bounds, drawn_p_value
from skmetrics_ext.registry import find
from skmetrics_ext.registry.defaults import Familiar, display_name
from skmetrics_ext.result_bases import Citable, Described, Facts, IntervalResult, Pictured, Result

# How rows of one cluster are allowed for.
CLUSTERS = {
    "effective_n": "effective sample size of clustered rows (Korn & Graubard 1998)",
    "area": "variance of clustered areas (Obuchowski 1997)",
    "sums": "variance of sums over clusters (Liang & Zeger 1986)",
    "drawn": "clusters drawn whole (Davison & Hinkley 1997)",
}
_NAN = float("nan")

_COMPUTED = ("log", "exp", "sqrt", "square", "reciprocal")
_OF_TESTS = ("p_value", "statistic", "value_a", "value_b", "alternative", "margin")
_FORMER_ORDER = (
    *("value", "low", "high", "statistic", "p_value", "method", "value_a", "value_b"),
    *("standard_error", "confidence_level", "note", "alternative"),
)
_ANSWERS = {True: "reached", False: "not reached", None: "undecided"}


def _operators(name: str) -> tuple[Callable[[Any, Any], Estimate], ...]:
    """The operator of this name, with the estimate on the left and on the right."""
    return (
        lambda self, other: _computed(name, self, other),
        lambda self, other: _computed(name, other, self),
    )


class Computable(Pictured, Citable):
    """An estimate to compute with: it remembers the rows that it was computed from.

    Differences, sums, multiples, ratios, products and functions are estimates too. A row that
    operands share is paired with itself, other rows are independent.
    """

    __slots__ = ()

    __add__, __radd__ = _operators("add")
    __sub__, __rsub__ = _operators("subtract")
    __mul__, __rmul__ = _operators("multiply")
    __truediv__, __rtruediv__ = _operators("divide")

    def __pow__(self, power: Any) -> Any:
        return _algebra().raised(self, power)

    def __neg__(self) -> Any:
        return _computed("multiply", -1, self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of estimates: ``np.log(a)``, ``np.float64(2) * a``."""
        name = ufunc.__name__
        if method != "__call__" or options:
            return NotImplemented
        if name in ("add", "subtract", "multiply", "divide"):
            return _computed(name, *inputs)
        if name == "negative":
            return -inputs[0]
        return inputs[0].apply(name) if name in _COMPUTED else NotImplemented

    def apply(self, function: Any, *, monotone: bool = True) -> Any:
        """A function of the estimate.

        Parameters
        ----------
        function : callable or str
            A function of one number, or "log", "exp", "sqrt", "square" or "reciprocal".
        monotone : bool, default=True
            Whether it rises, or falls, over the whole interval, whose bounds it then maps. Of
            another function the interval is that of its derivative at the value (delta method).

        Returns
        -------
        Estimate
        """
        return _algebra().applied(self, function, monotone=monotone)

    def test(
        self,
        *,
        null: float | None = None,
        margin: float | None = None,
        alternative: str = "two-sided",
        better: str | None = None,
    ) -> Estimate:
        """Test a claim about the estimate.

        Parameters
        ----------
        null : float, default=None
            The value if the claim is wrong; by default 0 for differences and 1 for ratios.
        margin : float, default=None
            The least difference that matters; of a ratio the least ratio, such as 0.9.
        alternative : str, default="two-sided"
            "two-sided", "less", "greater", "non-inferior" or "equivalent".
        better : str, default=None
            "higher" or "lower": the direction, if the metrics do not share one.

        Returns
        -------
        Estimate
        """
        return _algebra().claimed(
            self, null=null, margin=margin, alternative=alternative, better=better
        )

    def at(self, confidence_level: float) -> Any:
        """The estimate at another confidence level.

        Parameters
        ----------
        confidence_level : float in (0, 1)

        Returns
        -------
        Estimate
        """
        return _algebra().asked_again(self, level=confidence_level)

    def over(self, *, method: str) -> Any:
        """The estimate with another method of interval.

        Parameters
        ----------
        method : str
            As in `confidence_interval` for one metric, in `compare` for two models.

        Returns
        -------
        Estimate
        """
        return _algebra().asked_again(self, method=method)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        """Pickled without rows, so that there is nothing to compute with."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        return partial(type(self), **(values | {"_made": None})), ()


def _algebra() -> Any:
    from skmetrics_ext.inference import arithmetic  # which needs the results

    return arithmetic


def _computed(name: str, first: Any, second: Any) -> Any:
    return _algebra().computed(name, first, second)


@dataclass(frozen=True, repr=False, eq=False, slots=True)
class Estimate(Computable):
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
        The value to reach.
    reached : bool or None, default=None
        Whether the whole interval is at the goal or better, by the direction of the metric; False
        if all of it is worse, None if the interval holds the goal, or without a goal.
    n_groups : int or None, default=None
        Number of groups, if there are any.
    design_effect : float, default=nan
        The variance as a multiple of that of independent rows; nan without groups or strata, and
        where the method has no variance.
    n_strata : int or None, default=None
        Number of strata, if there are any.
    facts : Facts or None, default=None
        What the result was computed from; read as ``metric``, ``params``, ``n``, ``n_effective``,
        ``freedom`` and ``positive_class``.
    p_value : float, default=nan
        P-value of the test against ``alternative``; nan without a test.
    statistic : float, default=nan
        Test statistic; nan where the method has none.
    value_a, value_b : float, default=nan
        Both values of a difference. With the method "log_ratio" the value is the difference of
        their logarithms.
    alternative : str or None, default=None
        The claim that the test is to show; None without a test.
    margin : float or None, default=None
        The least difference that matters.

    Examples
    --------
    >>> from skmetrics_ext.results import Estimate
    >>> print(Estimate(0.8, 0.7, 0.9, 0.05, "delong", 0.95))
    0.8 [0.7, 0.9], 95 %, delong
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
    p_value: float = _NAN
    statistic: float = _NAN
    value_a: float = _NAN
    value_b: float = _NAN
    alternative: str | None = None
    margin: float | None = None
    _made: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Give bounds and a p-value by draws their Monte Carlo errors."""
        draws = None if self.facts is None else self.facts.draws
        if not draws:
            return
        bounds = drawn_bounds(self.low, self.high, self.confidence_level, draws)
        for name, value in {**bounds, "p_value": drawn_p_value(self.p_value, draws)}.items():
            object.__setattr__(self, name, value)

    @property
    def _hidden(self) -> Sequence[str]:
        """Fields that only results of another kind have."""
        return _OF_TESTS if self.alternative is None else ("goal", "reached")

    def cite(self) -> str:
        """The method with its reference, the number of rows, and how clusters are allowed for.

        Returns
        -------
        str
        """
        facts, effect = self._facts, self.design_effect
        text = Described.cite(self)
        if not facts.clusters or self.n_groups is None:
            return text
        size = facts.n / effect if facts.n and effect > 0 else facts.n_effective or 0.0
        how = f"{CLUSTERS[facts.clusters]}, {self.n_groups} clusters"
        return f"{text}, {how}, effective sample size {size:.4g}"

    @property
    def difference(self) -> float:
        """The value, of a difference."""
        return self.value

    @property
    def concluded(self) -> bool | None:
        """Whether the test shows the claim of the alternative; it agrees with the interval.

        Its level is 1 - confidence_level, or half of that for one-sided claims, as regulators
        require (ICH E9, section 5.5). None without a p-value.
        """
        return None if isnan(self.p_value) else self.p_value <= self._error

    @property
    def _error(self) -> float:
        """Level of the test."""
        error = 1 - self.confidence_level
        return error if self.alternative == "two-sided" else error / 2

    def __str__(self) -> str:
        """What was measured, how uncertain it is, on which rows and how."""
        n_rows = "" if self.n is None else f"{count(self.n)} rows"
        design = design_text(self.n_groups, self.n_strata, [self.design_effect])
        rows = " of ".join(filter(None, (n_rows, design)))
        level, method = f"{100 * self.confidence_level:g} %", f"{self.method}{self._draws_text}"
        parts = (self._headline, level, rows, self._class_text, method)
        text = ", ".join(filter(None, parts))
        return f"{text}; {self.note}" if self.note else text

    def _repr_html_(self) -> str:
        """The sentence; a click shows all numbers."""
        table = IntervalResult._repr_html_(self)
        return f"<details><summary>{html_text(str(self))}</summary>{table}</details>"

    def _repr_markdown_(self) -> str:
        return markdown_text(str(self))

    def _repr_latex_(self) -> str:
        return latex_text(str(self))

    @property
    def _headline(self) -> str:
        """The metric, the value with its bounds, and what the test or the goal says."""
        name, higher = self.metric, None
        with suppress(ValueError):  # the text of a sum of metrics, or a function of the user
            spec = find(self.metric).spec
            is_scorer = name in spec.scorers or f"neg_{name}" in spec.scorers
            is_whole = is_scorer or isinstance(name, Familiar)
            name = display_name(name if is_whole else name.removesuffix("_score"))
            higher = spec.greater_is_better
        bounds = f"[{digits(self.low, '.4g')}, {digits(self.high, '.4g')}]"
        value = ("log ratio " if "log_ratio" in self.method else "") + f"{self.value:.4g}"
        if not isnan(self.value_a + self.value_b):
            value = f"{self.value_a:.4g} against {self.value_b:.4g}: {value}"
        return f"{name} {value} {bounds}{self._verdict(higher)}".lstrip()

    def _verdict(self, higher: bool | None) -> str:
        """The p-value with who is better, or the claim; or the goal."""
        if self.alternative is None:
            return "" if self.goal is None else f", goal {self.goal:g}: {_ANSWERS[self.reached]}"
        p_value, shown = f", p {p_value_text(self.p_value)}", self.concluded
        if self.margin is not None or self.alternative != "two-sided":
            by = "" if self.margin is None else f" by margin {self.margin:g}"
            is_shown = "shown" if shown else "not shown"
            return f"{p_value}, {self.alternative}{by} {is_shown} at {100 * self._error:.3g} %"
        if shown is None or higher is None or isnan(self.value_a + self.value_b):
            return p_value
        first = (self.value_a > self.value_b) == higher
        better = f"the {'first' if first else 'second'} is better"
        return f"{p_value}, {better if shown else 'not distinguishable'}"


class Comparison(Estimate):
    """An estimate of a difference, by the order of arguments that comparisons had until 0.3.

    Parameters
    ----------
    difference, low, high, statistic, p_value, method, value_a, value_b, standard_error
        As in `Estimate`.
    **further : object
        Its other fields.

    Examples
    --------
    >>> from skmetrics_ext.results import Comparison
    >>> comparison = Comparison(0.1, 0.02, 0.18, 2.4, 0.016, "delong", 0.9, 0.8, 0.04, 0.95)
    >>> print(comparison)
    0.9 against 0.8: 0.1 [0.02, 0.18], p = 0.016, 95 %, delong
    >>> comparison.concluded
    True
    """

    def __new__(cls, *values: Any, alternative: str = "two-sided", **named: Any) -> Any:
        given = dict(zip(_FORMER_ORDER, values, strict=False)) | named
        if "difference" in given:
            given["value"] = given.pop("difference")
        return Estimate(**{"alternative": alternative, **given})


def design_text(n_groups: int | None, n_strata: int | None, effects: Iterable[float]) -> str:
    """The numbers of groups and strata, and the range of the design effects."""
    counts, known = ((n_groups, "groups"), (n_strata, "strata")), sorted(filter(isfinite, effects))
    parts = [f"{number} {unit}" for number, unit in counts if number is not None]
    ends = list(dict.fromkeys(f"{effect:.3g}" for effect in known[:1] + known[-1:]))
    if parts and ends:
        parts.append(f"design effect{'s' * (len(ends) - 1)} {' to '.join(ends)}")
    return ", ".join(parts)


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
    """An estimate with its interval, and the notes on a degenerate interval and on the design."""
    if not (note or bounds[0] < bounds[1]):
        note = reason(value, *bounds)
    if atoms is not None:
        note = with_design(note, atoms)
        design |= atoms.of_design()
    return Estimate(value, *bounds, error, method, level, note, **design)


def compared_with(statistic: Any, freedom: Any, method: str) -> TestResult:
    """The test of a chi-squared statistic, or of an F statistic with two degrees of freedom.

    Without a degree of freedom nothing differs, so that p = 1.
    """
    from scipy.special import chdtrc, fdtrc

    if isinstance(freedom, tuple):
        p_value = fdtrc(*freedom, statistic)
    else:
        p_value = chdtrc(freedom, statistic) if freedom else 1.0
    return TestResult(float(statistic), float(p_value), method, freedom)


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
        return f"{self.method}: statistic = {self.statistic:.4g}, p {p_value_text(self.p_value)}"

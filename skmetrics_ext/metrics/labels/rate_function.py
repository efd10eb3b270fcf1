"""The public function of a rate, made from its facts: check, count, average, warn."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import (
    Averaged,
    ClassAverage,
    Mean,
    RateKernel,
    ZeroDivision,
    averaged,
    check_average,
    check_zero_division,
)
from skmetrics_ext.metrics.documentation import fill
from skmetrics_ext.tallies import LabelTally
from skmetrics_ext.validation import Labels, warn_undefined
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.tensors import taking_tensors

UNBOUNDED = (-float("inf"), float("inf"))


@dataclass(frozen=True, slots=True)
class Rate:
    """A number read from the counts of one class, and what to tell of it.

    ``kernel`` gives nan where it is 0/0; ``title`` and ``cause`` say why in the warning:
    "{title} is ill-defined ... no {cause} samples". ``pos_label`` is the default of its function:
    1 where scikit-learn has the name and the rule, None for the one rule. ``either``
    says that of two classes it is the same from both sides, ``in_units`` that the scale of the
    weights counts. The rest documents it.
    """

    name: str
    kernel: RateKernel
    title: str
    cause: str
    summary: str
    formula: str
    undefined: str
    source: str
    example: str
    greater_is_better: bool | None = True
    bounds: tuple[float, float] = (0.0, 1.0)
    pos_label: Any = None
    either: bool = False
    in_units: bool = False

    def read(
        self,
        plan: Averaged,
        zero_division: Any = "warn",
        kernel: RateKernel | None = None,
    ) -> Any:
        """Value of checked data: a float, or an array of shape (K,) for ``average=None``."""
        read = plan.read
        if self.bounds == UNBOUNDED:  # infinities of both signs have no mean
            read = np.errstate(invalid="ignore")(read)
        value = read(kernel or self.kernel, zero_division, self.warn)
        return value if plan.average is None else float(value)

    def warn(self, average: str | None, n_values: int) -> None:
        """Say that it is 0/0 and taken as 0, in scikit-learn's words."""
        thing, place = ("labels", "samples") if average == "samples" else ("samples", "labels")
        where = "due to" if n_values == 1 else f"in {place} with"
        why = f"{where} no {self.cause} {thing}" if self.cause else f"where {self.undefined}"
        warn_undefined(
            f"{self.title} is ill-defined and being set to 0.0 {why}. "
            "Use `zero_division` parameter to control this behavior."
        )


def counted(
    y_true: Any,
    y_pred: Any,
    what: str,
    *,
    labels: Any = None,
    pos_label: Any = None,
    average: str | None = None,
    sample_weight: Any = None,
    either: bool = False,
    in_units: bool = False,
) -> Averaged:
    """Check the input and count once; any number of rates can then be read."""
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=in_units)
    if average != "binary" and pos_label is not None and pos_label != 1:
        warn_user(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' "
            f"(got {average!r}). You may use labels=[pos_label] to specify a single positive "
            "class."
        )
    return averaged(LabelTally(checked), labels, pos_label, average, what, either)


def mean_of(plan: Averaged, zero_division: Any, *rates: Rate) -> Mean:
    """What kernels that join rates are given: the average of any of these, with its warning."""
    warn = {rate.kernel: rate.warn for rate in rates}
    return lambda kernel: plan.read(kernel, zero_division, warn[kernel])


class RateFunction(Protocol):
    """Signature that all rates share, and the facts of each."""

    __name__: str

    rate: Rate

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        pos_label: Any = None,
        average: str | None = "binary",
        sample_weight: Any = None,
        zero_division: Any = "warn",
    ) -> Any: ...


def public_rate(rate: Rate) -> RateFunction:
    """The public function of a rate, with its documentation."""

    def function(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: Any = None,
        pos_label: Any = None,
        average: ClassAverage | None = "binary",
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
    ) -> Any:
        check_zero_division(zero_division)
        check_average(average)
        plan = counted(
            y_true,
            y_pred,
            rate.title,
            labels=labels,
            pos_label=pos_label,
            average=average,
            sample_weight=sample_weight,
            either=rate.either,
            in_units=rate.in_units,
        )
        return rate.read(plan, zero_division)

    function.__name__ = function.__qualname__ = rate.name
    # Where the name is bound, so that scorers can be pickled.
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), "pos_label": rate.pos_label}
    function.rate = rate  # type: ignore[attr-defined]
    function.__doc__ = _documentation(rate)
    return cast(RateFunction, taking_tensors(function))


def _documentation(rate: Rate) -> str:
    low, high = (f"{bound:g}" for bound in rate.bounds)
    better = {True: "; higher is better", False: "; lower is better", None: ""}
    example = f"\nExamples\n--------\n>>> from skmetrics_ext import {rate.name}\n{rate.example}\n"
    return fill(f"""{rate.title}: {rate.summary}

{f".. math:: {rate.formula}" if rate.example else f"    {rate.formula}"}

Parameters
----------
{{y_true_y_pred_multilabel}}
{{labels}}
{{{"pos_label" if rate.pos_label is None else "pos_label_1"}}}
{{average}}
{{sample_weight}}
zero_division : {{"warn", 0.0, 1.0, nan}}, default="warn"
    Value where {rate.undefined}. "warn" is 0 with a warning; nan leaves the class out of an
    average.

Returns
-------
float or ndarray of shape (n_classes,)
    In [{low}, {high}]{better[rate.greater_is_better]}.

Raises
------
{{raises}}

References
----------
{rate.source}
{example if rate.example else ""}""")

"""The public function of a metric of a ranking, made from its kernel, signature and docstring."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from skmetrics_ext.metrics.averaging import RankKernel
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.score_tally import read_areas, read_scores
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined
from skmetrics_ext.validation.parameters import as_number

Described = TypeVar("Described", bound=Callable[..., Any])
# Called with the name of a parameter and what was given; gives what the kernel takes.
Check = Callable[[str, Any], Any]

AVERAGES = ("macro", "weighted", "micro", None)
MULTI_CLASS = ("raise", "ovr", "ovo")
METHODS = ("step", "interpolated")


def public_ranking(
    kernel: Callable[..., Any],
    title: str = "",
    *,
    side: str = "one",
    scores: Callable[[Scores], None] | None = None,
    together: Callable[[dict[str, Any]], None] | None = None,
    **own: Check,
) -> Callable[[Described], Described]:
    """Make a signature with a docstring the public function of a kernel.

    Whatever has ``multi_class`` is an area, whose average may also be that of pairs of classes.

    Parameters
    ----------
    kernel : callable
        ``kernel(tally, **own parameters)``.
    title : str
        What is undefined, for the warning.
    side : {"one", "either"}
        Of two classes: a number of one of them, or the same from either.
    scores : callable, default=None
        What else has to be true of the checked scores.
    together : callable, default=None
        What has to be true of the parameters of its own together.
    **own : callable
        Check of each parameter of its own.
    """

    def make(described: Described) -> Described:
        what = described.__name__
        taken = inspect.signature(described).parameters
        is_area = "multi_class" in taken
        defaults = {name: taken[name].default for name in own}

        @functools.wraps(described)
        def function(y_true: Any, y_score: Any, **given: Any) -> Any:
            described(y_true, y_score, **given)  # refuses parameters as any function does
            average = given.get("average", "macro")
            if is_area:
                check_option("multi_class", given.get("multi_class", "raise"), MULTI_CLASS)
            else:
                check_option("average", average, AVERAGES)
            params = {name: own[name](name, given.get(name, defaults[name])) for name in own}
            if together is not None:
                together(params)
            checked = Scores.check(
                y_true,
                y_score,
                labels=given.get("labels"),
                pos_label=given.get("pos_label"),
                sample_weight=given.get("sample_weight"),
                side=side,
                what=what,
            )
            if scores is not None:
                scores(checked)
            read = with_params(kernel, params)
            if is_area:
                return read_areas(read, checked, given.get("multi_class", "raise"), average)
            value = read_scores(read, checked, average)
            if np.isnan(value).any():
                warn_undefined(f"{title} is undefined and nan: a class has no rows, or no others.")
            return value

        return cast(Described, document(function))

    return make


def with_params(kernel: Callable[..., Any], params: dict[str, Any]) -> RankKernel:
    """The kernel as a function of a tally alone."""
    return partial(kernel, **params) if params else kernel


# --------------------------------------------------------------------------- parameters


def one_of(*options: Any) -> Check:
    """A check that a parameter is one of these."""

    def check(name: str, value: Any) -> Any:
        check_option(name, value, options)
        return value

    return check


def check_share(name: str, value: Any, *, zero: bool = True) -> float:
    """A number in [0, 1], or in (0, 1]."""
    number = as_number(value)
    if not (0 <= number <= 1) or (number == 0 and not zero):
        bounds = "[0, 1]" if zero else "(0, 1]"
        raise InvalidParameterError(f"{name} has to be a number in {bounds}, got {value!r}.")
    return number

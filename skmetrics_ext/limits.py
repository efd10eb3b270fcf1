"""Requirements of sums of values, such as "new/roc_auc - old/roc_auc >= -0.01"."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from skmetrics_ext.registry.defaults import SYNONYMS
from skmetrics_ext.requirements import NEGATED, Requirement, unknown
from skmetrics_ext.tables import Row
from skmetrics_ext.validation import InvalidParameterError

Key = tuple[Any, str]  # a model and a metric
Total = Callable[[Mapping[Key, float]], Any]  # the estimate of a sum of values, by their factors

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_FACTOR = re.compile(rf"\s*(?:([+-])(?=[\s\d.]))?\s*(?:({_NUMBER})\s*\*\s*)?")
_CONSTANT = re.compile(_NUMBER)
_AFTER = re.compile(r"\s*(>=|<=|>|<|$)|\s+(?=[+-]\s)")  # a sign, the end, or another term
BETWEEN = re.compile(r"\s[+-]\s|[<>]")
_TURNED = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}


def reader_of_sums(
    keys: Iterable[Key], total: Total | None
) -> Callable[[Any], Row | Requirement | None]:
    """Reads a requirement that names known values: the verdict on a sum, or that on one value.

    Parameters
    ----------
    keys : iterable of (model, metric)
        The values, named "model/metric"; with a single model also "metric".
    total : callable or None
        Returns the estimate of a sum; None if there are no rows to compute one from.
    """
    known = list(keys)
    models = {model for model, _ in known}
    names: dict[str, tuple[Key, float]] = {}
    for model, metric in known:
        for name, factor in ((metric.removeprefix(NEGATED), -1.0), (metric, 1.0)):
            names[f"{model}/{name}"] = (model, metric), factor
            if len(models) == 1:
                names[name] = (model, metric), factor
    own = set(names)
    for synonym, name in SYNONYMS.items():
        for stem in [f"{model}/" for model in models] + [""]:
            if stem + name in names:
                names.setdefault(stem + synonym, names[stem + name])
    longest_first = sorted(names, key=len, reverse=True)

    def read(text: Any) -> Row | Requirement | None:
        fitting = [name for name in longest_first if name in own or name in str(text)]
        parsed = _parsed(text, fitting) if isinstance(text, str) else None
        if parsed is None:
            return None
        factors, sign, limit = parsed
        if len(factors) == 1:
            ((name, factor),) = factors.items()
            metric = name.removeprefix(f"{names[name][0][0]}/")
            return Requirement(text.strip(), metric, sign, limit / factor, None, names[name][0][0])
        if total is None:
            raise InvalidParameterError(
                f"The requirement {text!r} compares values, which needs the rows in memory."
            )
        estimate = total({names[name][0]: names[name][1] * f for name, f in factors.items()})
        value, low, high = map(float, estimate)
        verdict, reason = Requirement(text, "", sign, limit).verdict(value, low, high)
        reason = estimate.note if math.isnan(low) else reason
        terms = (f"{'-' if f < 0 else '+'} {abs(f):g} * {name}" for name, f in factors.items())
        shown = " ".join(terms).replace(" 1 * ", " ").removeprefix("+ ")
        numbers = {"value": value, "low": low, "high": high, "verdict": verdict}
        about = {"requirement": text.strip(), "model": None, "metric": shown, "group": None}
        return Row(**about, **numbers, reason=reason or None)

    return read


def _parsed(text: str, names: Sequence[str]) -> tuple[dict[str, float], str, float] | None:
    """Factors of the names, all on the left, the sign, and the limit; None for other texts.

    A name is the longest that fits, so that names may hold blanks and signs.
    """
    totals, side, sign, place, next_sign = {"": 0.0}, 1.0, "", 0, None
    while next_sign != "":
        factor = _FACTOR.match(text, place)
        assert factor is not None  # all of its parts are optional
        place = factor.end()
        fits = (
            n for n in names if text.startswith(n, place) and _AFTER.match(text, place + len(n))
        )
        name = next(fits, "")
        number = None if name else _CONSTANT.match(text, place)
        after = _AFTER.match(text, number.end() if number else place + len(name))
        if after is None or not (name or number):
            if len(totals) == 1:
                return None
            raise unknown(text, "value", BETWEEN.split(text[place:])[0].strip(), names)
        size = side * float(f"{factor[1] or ''}{factor[2] or 1}")
        totals[name] = totals.get(name, 0.0) + size * (float(number[0]) if number else 1.0)
        place, next_sign = after.end(), after[1]
        if next_sign:
            if sign:
                return None
            sign, side = next_sign, -1.0
    limit = 0.0 - totals.pop("")
    factors = {name: size for name, size in totals.items() if size}
    if not (sign and factors):
        return None
    if next(iter(factors.values())) > 0:
        return factors, sign, limit
    return {name: -size for name, size in factors.items()}, _TURNED[sign], 0.0 - limit

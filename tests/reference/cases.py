"""The frozen cases of ``data/``: read them, build their arguments, judge an answer."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent / "data"
DEFINITIONS = "quantities.json"
SPECIAL = {"NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}

# Quantities that are families: one of their parameters names the statistic.
FAMILIES = {"cm_stat": "stat", "table_metric": "metric"}


@dataclass(frozen=True)
class Case:
    """One value of another system: what was computed, from what, and how near we must come."""

    id: str
    quantity: str
    inputs: Mapping[str, Any]
    params: Mapping[str, Any]
    accepted: tuple[Any, ...]
    rtol: float
    atol: float
    dataset: Mapping[str, Any]

    @property
    def item(self) -> str:
        """The key of the call tables: the quantity, or ``family/member``."""
        if self.quantity in FAMILIES:
            return f"{self.quantity}/{self.params[FAMILIES[self.quantity]]}"
        return self.quantity

    def arguments(self) -> dict[str, Any]:
        """The values of the inputs, by argument name."""
        return {name: resolve(spec, self.dataset) for name, spec in self.inputs.items()}

    def settings(self) -> dict[str, Any]:
        """The parameters that are left once the statistic of a family is chosen."""
        return {name: v for name, v in self.params.items() if name != FAMILIES.get(self.quantity)}

    def agrees(self, got: Any) -> bool:
        """Whether `got` is the expected answer, or one of the alternatives, as a whole.

        Of a result of named parts, a case may give some.
        """
        return any(
            agrees(asked(got, want), want, rtol=self.rtol, atol=self.atol) for want in self.accepted
        )


@cache
def definitions() -> dict[str, dict[str, Any]]:
    """Every quantity name with its definition."""
    return json.loads((DATA / DEFINITIONS).read_text(encoding="utf-8"))


@cache
def cases() -> tuple[Case, ...]:
    """Every case of every file, in the order of the file names."""
    found = []
    for path in sorted(DATA.glob("*.json")):
        if path.name == DEFINITIONS:
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        found += [
            Case(
                id=case["id"],
                quantity=case["quantity"],
                inputs=case["inputs"],
                params=case["params"],
                accepted=(case["expected"], *case.get("alternatives", ())),
                rtol=case["rtol"],
                atol=case["atol"],
                dataset=content["dataset"],
            )
            for case in content["cases"]
        ]
    return tuple(found)


@cache
def columns(csv: str) -> dict[str, np.ndarray]:
    """The columns of a data set, integers where all values are; read-only, for they are shared."""
    table = np.genfromtxt(DATA / csv, delimiter=",", names=True, dtype=None, encoding="utf-8")
    names = table.dtype.names or ()
    found = {name: np.ascontiguousarray(table[name]) for name in names}
    for column in found.values():
        column.flags.writeable = False
    return found


def resolve(spec: Any, dataset: Mapping[str, Any]) -> Any:
    """The value of one input (the kinds are listed in ``data/README.md``)."""
    if isinstance(spec, list):
        return [resolve(one, dataset) for one in spec]
    if "value" in spec:
        return spec["value"]
    csv = spec.get("csv", dataset.get("csv"))
    table = columns(csv) if csv else dataset["inline"]
    if "cols" in spec:
        matrix = np.column_stack([table[name] for name in spec["cols"]])
        return matrix.argmax(axis=1) if spec.get("argmax") else matrix
    column = np.asarray(table[spec["col"]])
    if "pos" in spec:
        return (column == spec["pos"]).astype(np.int64)
    if "threshold" in spec:
        return (column >= spec["threshold"]).astype(np.int64)
    return column


def asked(got: Any, want: Any) -> Any:
    """The named parts of `got` that `want` has; anything else as it is."""
    if isinstance(got, Mapping) and isinstance(want, Mapping):
        return {name: part for name, part in got.items() if name in want}
    return got


def agrees(got: Any, want: Any, *, rtol: float, atol: float) -> bool:
    """Whether `got` has the shape of `want` and each number is within the tolerance."""
    if isinstance(want, Mapping):
        return (
            isinstance(got, Mapping)
            and got.keys() == want.keys()
            and all(agrees(got[key], want[key], rtol=rtol, atol=atol) for key in want)
        )
    if isinstance(want, list):
        return (
            np.ndim(got) > 0
            and len(got) == len(want)
            and all(agrees(g, w, rtol=rtol, atol=atol) for g, w in zip(got, want, strict=True))
        )
    if np.ndim(got) > 0 or isinstance(got, (str, Mapping)):
        return False
    number, target = float(got), float(SPECIAL.get(want, want))
    if math.isnan(target):
        return math.isnan(number)
    if math.isinf(target):
        return number == target
    return abs(number - target) <= atol + rtol * abs(target)

"""Every row of edge_cases.csv: answered as it demands, or as a list says that it is not."""

from __future__ import annotations

import ast
import csv
import tomllib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skmetrics_ext

from .calls import CALLS

HERE = Path(__file__).parent
REFUSED = "RAISE"
WRITTEN_WITH = 5e-6  # the CSV has six digits


def rows() -> dict[str, dict[str, str]]:
    with (HERE / "edge_cases.csv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    found = {row["case"]: row for row in listed}
    assert len(found) == len(listed), "two rows have one text"
    return found


def other_answers(name: str) -> dict[str, dict[str, str]]:
    listed = tomllib.loads((HERE / name).read_text(encoding="utf-8"))["row"]
    found = {row["case"]: row for row in listed}
    assert len(found) == len(listed), "a row occurs twice"
    return found


ROWS = rows()
DEMANDED = other_answers("suite_demands.toml")
POLICY = other_answers("policy.toml")
LINES = (HERE / "pending.txt").read_text(encoding="utf-8").splitlines()
PENDING = [line.strip() for line in LINES if line.strip() and not line.startswith("#")]


def answer_of(case: str) -> Any:
    """What must come out: REFUSED, a value, or None where the row demands nothing."""
    overruled = DEMANDED.get(case) or POLICY.get(case)
    text = overruled["answer"] if overruled else ROWS[case]["expected"]
    if text in ("", "nan"):
        return float("nan") if text else None
    if "nan" in text:  # no literal of Python
        listed = ast.literal_eval(text.replace("nan", "None"))
        return [float("nan") if item is None else item for item in listed]
    return ast.literal_eval(text)


def outcome(case: str) -> Any:
    """Our answer, or the error; warnings are part of an answer here and pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            return CALLS[case].call(skmetrics_ext)
        except (ValueError, TypeError) as error:
            return error


@pytest.mark.parametrize("case", CALLS)
def test_row(case: str) -> None:
    edge, wanted, got = CALLS[case], answer_of(case), outcome(case)
    if wanted == REFUSED or (wanted is None and edge.names):
        assert isinstance(got, Exception), f"answered {got!r}"
        assert edge.names, "the call must say what the message names"
        assert edge.names in str(got), got
        return
    assert not isinstance(got, Exception), got
    assert not edge.names
    if wanted is None:
        assert edge.documented is not None, "say what is documented"
        wanted = edge.documented
    np.testing.assert_allclose(got, wanted, rtol=WRITTEN_WITH, atol=1e-14)


def test_each_row_is_in_one_place() -> None:
    assert len(PENDING) == len(set(PENDING)), "a line occurs twice"
    assert CALLS.keys() | set(PENDING) == ROWS.keys()
    assert not CALLS.keys() & set(PENDING)


def test_other_answers_are_other_answers() -> None:
    assert DEMANDED.keys() | POLICY.keys() <= CALLS.keys()
    assert not DEMANDED.keys() & POLICY.keys()
    for case, row in (DEMANDED | POLICY).items():
        assert row["answer"] != ROWS[case]["expected"], case


@pytest.mark.parametrize("case", DEMANDED)
def test_the_test_that_demands_it_exists(case: str) -> None:
    sklearn = pytest.importorskip("sklearn", minversion="1.9")
    file, _, name = DEMANDED[case]["test"].partition("::")
    path = Path(sklearn.__file__).parent / "metrics" / "tests" / file
    if not path.exists():
        pytest.skip("scikit-learn is installed without its tests")
    assert f"def {name}(" in path.read_text(encoding="utf-8")

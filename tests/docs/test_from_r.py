"""Coming from R: each answer of the tables is frozen in tests/reference, and our call gives it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from support.markdown import ROOT

import skmetrics_ext as sx

PAGE = ROOT / "docs" / "from_r.md"
DATA = ROOT / "tests" / "reference" / "data"
ROW = re.compile(r"^\| (.+?) \| ([\d., ]+) \| `((?:sx\.|frame\(|max\(frame).+)` \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))
OTHERS = ROW.findall((ROOT / "docs" / "from_python.md").read_text(encoding="utf-8"))


def numbers(value: object) -> list[float]:
    """All numbers in a value."""
    if hasattr(value, "frame"):
        value = value.frame().to_dict("records")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple | np.ndarray):
        return [number for part in value for number in numbers(part)]
    return [float(value)] if isinstance(value, int | float | np.number) else []


def rounded(values: list[float], printed: str) -> bool:
    """Whether one of the values is the printed number, to its digits."""
    unit = 10.0 ** -len(printed.partition(".")[2])
    return any(abs(value - float(printed)) <= 0.51 * unit for value in values)


def frozen() -> list[tuple[str, list[float]]]:
    """Code and numbers of each case."""
    files = (json.loads(path.read_text(encoding="utf-8")) for path in DATA.glob("*.json"))
    return [
        (" ".join([*content.get("setup", []), case["call"]]), numbers(case["expected"]))
        for content in files
        if "cases" in content
        for case in content["cases"]
    ]


FROZEN = frozen()


def test_no_row_is_missed():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert sum("`sx." in line for line in lines if line.startswith("|")) == len(ROWS) > 40


@pytest.mark.parametrize(("call", "answer", "ours"), ROWS)
def test_the_answer_is_that_of_r_and_ours(call, answer, ours):
    function = re.search(r"([\w.]+)(?:\(|`|\$)", call.replace("m$overall", "confusionMatrix("))[1]
    function = function.replace("m$byClass", "confusionMatrix")
    table = pd.read_csv(DATA / "bc_oof.csv")
    names = {"sx": sx, "y": table["y"], "tex": table["p_tex"], "sym": table["p_sym"]}
    names["yhat"] = (table["p_tex"] >= 0.5).astype(int)
    result = numbers(eval(ours, names))
    for printed in answer.split(", "):
        assert any(function in code and rounded(values, printed) for code, values in FROZEN)
        assert rounded(result, printed), (printed, result)


@pytest.mark.parametrize(("call", "answer", "ours"), OTHERS)
def test_the_answer_of_another_library_is_ours(call, answer, ours):
    y = np.array([0, 1] * 40)
    a, b, c = y.copy(), y.copy(), y.copy()
    a[:7], a[60:65], b[20:40], c[::4] = 1 - a[:7], 1 - a[60:65], 1 - b[20:40], 1 - c[::4]
    group = np.tile(["a", "a", "a", "b", "b"], 16)

    def frame(name: str) -> object:
        return sx.compute_metrics([name], y, a, by={"group": group}, intervals=True)

    names = {"sx": sx, "y": y, "a": a, "b": b, "c": c, "frame": frame}
    names["score"] = np.where(y == 1, 0.7, 0.3) + np.tile([0, 0.25, -0.3, 0.1, 0.35], 16)
    result = numbers(eval(ours, names))
    assert len(OTHERS) > 15
    assert all(rounded(result, printed) for printed in answer.split(", ")), (answer, result)

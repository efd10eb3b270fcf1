"""Tables of estimates have one set of keys, and the numbers of before they had them."""

import json
from pathlib import Path

import numpy as np
import pytest

import skmetrics_ext as sx
from tests.laws import frozen_doors
from tests.support.many_models import all_differences

KEYS = [
    *("metric", "model", "group", "fold", "label", "against", "value", "low", "high"),
    *("standard_error", "p_value", "method", "note"),
]
BEFORE = json.loads((Path(__file__).parent / "frozen_tables.json").read_text())
# The former key of each number or text, and what it is called, by the door.
NEW = {
    "evaluate": {"of": "label", "reason": "note"},
    "gaps": {
        "value": "value_a",
        "reference": "value_b",
        "difference": "value",
        "p_value": "p_adjusted",
        "reason": "note",
    },
    "compare_many": {
        "first": "model",
        "second": "against",
        "difference": "value",
        "p_value": "p_adjusted",
    },
    "average=None": {},
    "report": {
        "interval_note": "note",
        "reason": "note",
        "model_a": "model",
        "model_b": "against",
        "difference": "value",
        "p_holm": "p_adjusted",
    },
}
TABLES = {
    "evaluate": frozen_doors.evaluations,
    "gaps": frozen_doors.gaps,
    "compare_many": frozen_doors.models,
    "average=None": frozen_doors.classes,
    "report": frozen_doors.reports,
}


def same(new, old):
    """Whether a cell is what it was; numbers to 1e-9."""
    if isinstance(old, float):
        return new == pytest.approx(old, rel=1e-9, abs=1e-12, nan_ok=True)
    if old is None:
        return new is None or new == "" or np.isnan(new)
    return (list(new) if isinstance(new, tuple) else new) == old


@pytest.fixture(scope="module")
def tables():
    return {door: make() for door, make in TABLES.items()}


@pytest.mark.parametrize("door", list(TABLES))
def test_numbers_and_notes_are_those_of_the_former_keys(tables, door):
    assert tables[door].keys() == BEFORE[door].keys()
    for name, before in BEFORE[door].items():
        rows = tables[door][name]
        assert len(rows) == len(before)
        for row, old in zip(rows, before, strict=True):
            for key, cell in old.items():
                found = row[NEW[door].get(key, key)]
                # compare_many is a table of `compare`, whose notes name few groups.
                if (door, name, cell) == ("compare_many", "clusters", "") and "groups" in found:
                    continue
                assert same(found, cell), (door, name, key, row, old)


@pytest.mark.parametrize("door", list(TABLES))
def test_every_table_has_the_same_keys_in_one_order(tables, door):
    for name, table in tables[door].items():
        for row in table:
            assert list(row)[: len(KEYS)] == KEYS, (door, name)
        assert isinstance(table, list)
        assert set(KEYS) - {"group"} <= set(table.frame().columns)


def test_the_surely_worst_group_is_the_former_worst(tables):
    for name, old in BEFORE["worst"].items():
        table, metric = name.rsplit(", ", 1)
        asked = tables["evaluate"][table].where(metric=metric)
        (row,) = asked.surely_worst()
        for key in ("group", "value", "low", "high", "standard_error", "note"):
            assert same(row[key], old[key]), (name, key)
        for every, before in zip(asked.together(), old["every"], strict=True):
            for key in ("group", "value", "low", "high"):
                assert same(every[key], before[key]), (name, key)


def test_comparisons_of_a_report_are_differences_of_its_corrected_values(tables):
    report = frozen_doors.report()
    found = report.summary("corrected").against(model="each").adjust("holm")
    for row, own in zip(found, report.compare(), strict=True):
        for key in (*KEYS[:11], "p_adjusted"):
            assert same(row[key], own[key]), (key, row, own)
        assert row.value_a - row.value_b == pytest.approx(row.value)
    a, b = (report.summary("corrected").estimate("roc_auc", model=m) for m in ("bayes", "tree"))
    (first, *_) = report.compare("roc_auc")
    assert ((a - b).low, (a - b).p_value) == pytest.approx((first.low, first.p_value))
    with pytest.raises(ValueError, match="speaks of other training sets"):
        a - report.summary("cv").estimate("roc_auc", model="tree")


def test_values_of_the_fitted_models_are_subtracted_as_requirements_are():
    report = frozen_doors.report()
    for kind in ("cv", "pooled"):
        for metric in ("f1", "neg_log_loss"):
            table = report.summary(kind).where(metric=metric)
            (row, *_) = table.against(model="each")
            name = metric.removeprefix("neg_")
            text = f"bayes/{name} - tree/{name} >= 0"
            (own,) = report.require(text, interval=kind).rows
            turn = -1 if metric.startswith("neg_") else 1
            ends = sorted((turn * row.low, turn * row.high))
            assert [turn * row.value, *ends] == pytest.approx([own.value, own.low, own.high])


def test_models_against_each_other_are_compared_as_by_compare():
    y, proba, *_ = frozen_doors.arrays()
    table = sx.compute_metrics(["roc_auc", "brier_score"], y, y_proba=proba, intervals=True)
    for row in table.against(model="c"):
        alone = sx.compare(row.metric, y, proba[row.model], proba["c"])
        for key in ("value", "low", "high", "standard_error", "p_value"):
            assert row[key] == pytest.approx(getattr(alone, key), rel=1e-9), key
    areas = table.where(metric="roc_auc")
    many = all_differences("roc_auc", y, proba)
    for row, other in zip(areas.against(model="each").adjust("simultaneous"), many, strict=True):
        assert (row.low, row.p_adjusted) == pytest.approx((other.low, other.p_adjusted), rel=1e-6)
    verdicts = table.require(["a/roc_auc - c/roc_auc >= -0.05", "a/roc_auc >= 0.99"]).rows
    assert [row.verdict for row in verdicts] == ["pass", "fail"]


def test_a_former_key_answers_with_a_warning_and_is_no_key(tables):
    row = tables["evaluate"]["compute_metrics"][0]
    with pytest.warns(FutureWarning, match="'note'"):
        assert row.reason == row.note
    assert "reason" not in row
    assert "reason" not in list(row)

"""Classes and numbers in results: their names, as people write them."""

import json
from functools import partial

import numpy as np
import pytest
from support.public import DEPRECATED
from support.rows import signature

import skmetrics_ext as sx
from tests.support.many_models import all_differences

roc_auc_sample_size = DEPRECATED["roc_auc_sample_size"]

TRUE = ["a", "b", "c", "a", "b", "c"] * 10
PRED = ["a", "b", "c", "a", "c", "b"] * 9 + ["b", "b", "c", "a", "b", "a"]
SICK = np.array(["malignant", "benign"])
BINARY = SICK[np.arange(60) % 2]
SCORE = (np.arange(60) * 7 % 11 + 3 * (np.arange(60) % 2)) / 14
LABELS = SICK[(SCORE > 0.5).astype(int)]


# --------------------------------------------------------------------------- one class each


@pytest.mark.parametrize("name", ["f1", "recall", "precision", "specificity", "jaccard"])
def test_each_class_has_its_interval_and_its_name(name):
    alone = sx.confidence_interval(name, TRUE, PRED, average=None)
    assert [one.label for one in alone] == ["a", "b", "c"]
    assert all(f"class {one.label!r}" in str(one.estimate) for one in alone)
    assert all(f"label={one.label!r}" in repr(one.estimate) for one in alone)
    assert json.loads(alone[0].estimate.to_json())["label"] == "a"
    together = sx.confidence_interval([name, "accuracy"], TRUE, PRED, average=None)
    computed = sx.compute_metrics([name, "accuracy"], TRUE, PRED, average=None, intervals=True)
    for table in (together, computed):
        for one in alone:
            row = table.row(name, label=one.label)
            assert (row.value, row.method) == (one.value, one.method)
            np.testing.assert_allclose([row.low, row.high], [one.low, one.high], rtol=1e-9)
        assert table.row("accuracy").low < table.value("accuracy")


def test_a_class_is_the_question_of_its_rows_against_the_others():
    """By scikit-learn's counts, Wilson's interval of 15 right of 20."""
    (_, second, _) = sx.confidence_interval("recall", TRUE, PRED, average=None)
    right = sum(t == p == "b" for t, p in zip(TRUE, PRED, strict=True))
    found = sx.proportion_interval(right, 20)
    np.testing.assert_allclose([second.low, second.high], [found.low, found.high], rtol=1e-9)


def test_listed_classes_pairs_outputs_and_groups_have_names():
    listed = sx.confidence_interval("recall", TRUE, PRED, average=None, labels=["c", "a"])
    assert [one.label for one in listed] == ["c", "a"]
    table = sx.compute_metrics(
        ["recall"], TRUE, PRED, average=None, labels=["c", "a"], intervals=True
    )
    assert [row.label for row in table] == ["c", "a"]
    assert [row.low for row in table] == pytest.approx([one.low for one in listed])
    proba = np.full((60, 3), 0.2)
    proba[np.arange(60), [ord(label) - 97 for label in PRED]] = 0.6
    each = sx.confidence_interval("roc_auc_ovr", TRUE, proba, average=None)
    assert [one.label for one in each] == ["a", "b", "c"]
    options = {"multi_class": "ovr", "average": None}
    rows = sx.compute_metrics(["roc_auc"], TRUE, y_score=proba, intervals=True, **options)
    assert [row.low for row in rows] == pytest.approx([one.low for one in each])
    pairs = sx.confidence_interval("roc_auc_ovo", TRUE, proba, average=None)
    assert [one.label for one in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    marks = np.array([(1, 0), (0, 1), (1, 1), (0, 0)] * 5)
    outputs = sx.confidence_interval("recall", marks, marks[::-1], average=None)
    assert [one.label for one in outputs] == [0, 1]
    group = {"g": np.arange(60) % 2}
    by = sx.compute_metrics(["recall"], TRUE, PRED, average=None, by=group, intervals=True)
    assert all(row.low <= row.value <= row.high for row in by)
    assert "ask for an average" in " ".join(str(by.gaps("recall")).split())


# --------------------------------------------------------------------------- text and numbers

POSITIVE = np.str_("malignant")
GROUP = {"g": np.array([np.str_("x"), np.str_("y")], dtype=object)[np.arange(60) // 2 % 2]}
RESULTS = {
    "interval": lambda: sx.confidence_interval("f1", BINARY, LABELS, pos_label=POSITIVE),
    "intervals": lambda: sx.confidence_interval("f1", BINARY, LABELS, average=None),
    "area": lambda: sx.confidence_interval("roc_auc", BINARY, SCORE, pos_label=POSITIVE),
    "comparison": lambda: sx.compare("f1", BINARY, LABELS, BINARY, pos_label=POSITIVE),
    "table": lambda: sx.compute_metrics(
        ["f1"], BINARY, LABELS, pos_label=POSITIVE, by=GROUP, intervals=True
    ),
    "gaps": lambda: RESULTS["table"]().gaps("f1"),
    "gaps against a group": lambda: RESULTS["table"]().gaps("f1", against={"g": np.str_("x")}),
    "worst": lambda: RESULTS["table"]().worst("f1"),
    "spread": lambda: RESULTS["table"]().spread("f1"),
    "threshold": lambda: sx.optimal_threshold(BINARY, SCORE, pos_label=POSITIVE),
    "scorer": lambda: sx.get_scorer("f1", pos_label=POSITIVE),
    "many": lambda: all_differences(
        "f1", BINARY, {np.str_("one"): LABELS, "two": BINARY}, pos_label=POSITIVE
    ),
    "rows": lambda: sx.sample_size("f1", BINARY, LABELS, pos_label=POSITIVE, width=0.1),
    "curve": lambda: sx.roc_curve(BINARY, SCORE, pos_label=POSITIVE),
    "sample size": lambda: roc_auc_sample_size(np.float64(0.8), power=0.9),
}


@pytest.mark.parametrize("result", RESULTS)
def test_no_result_prints_the_types_of_numpy(result):
    found = RESULTS[result]()
    for text in (repr(found), str(found), getattr(found, "_repr_html_", str)()):
        assert "np." not in text


def test_a_sample_size_is_a_number_of_patients():
    size = roc_auc_sample_size(0.8, power=0.9)
    assert size.n_pos == pytest.approx(16.62, abs=0.01)
    assert repr(size) == "SampleSize: 34 rows (17 positive, 17 negative)"
    assert "16.6" not in size._repr_html_()


# --------------------------------------------------------------------------- statistics by name


@pytest.mark.parametrize("name", sx.confusion_statistics(TRUE, PRED))
def test_a_statistic_has_the_interval_of_its_metric(name):
    asked = partial(sx.confusion_statistic, statistic=name)
    found = sx.confidence_interval(asked, TRUE, PRED)
    options = {"average": None} if "average" in signature(sx.METRICS[name]) else {}
    wanted = sx.confidence_interval(name, TRUE, PRED, **options)
    assert repr(found) == repr(wanted)
    listed = found if isinstance(found, list) else [found]
    values = np.atleast_1d(sx.confusion_statistic(TRUE, PRED, name))
    np.testing.assert_allclose([one.value for one in listed], values)
    if sx.METRICS[name].interval in ("grows", "kinked"):
        assert all(np.isnan(one.low) and "no interval" in one.note for one in listed)

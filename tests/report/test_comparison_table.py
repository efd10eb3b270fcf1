"""What ``report.compare()`` gives: a list that reads as a table."""

import math

import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import cross_validation_report

MODELS = {"a <b>": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}


@pytest.fixture(scope="module")
def report():
    return cross_validation_report(MODELS, *load_iris(return_X_y=True), scoring="accuracy")


def test_it_prints_as_a_table(report):
    found = report.compare(rope=0.02)
    lines = str(found).splitlines()
    assert repr(found) == "<Estimates: 3 rows, 24 columns>"
    assert lines[0].split("  ")[0] == "metric"
    assert "95 % interval" in lines[0]
    assert "P(±0.02)" in lines[0]
    for row, line in zip(found, lines[2:], strict=False):
        assert line.startswith(f"accuracy  {row['model']}")
        assert f"{row['value']:+.4f}" in line
        assert f"[{row['low']:.4f}, {row['high']:.4f}]" in line
    assert not any(math.isnan(row["p_value"]) for row in found)


def test_it_is_html_in_a_notebook(report):
    text = report.compare()._repr_html_()
    assert "a &lt;b&gt;" in text
    assert "<b>" not in text
    assert text.count("<tr>") == 1 + len(report.compare())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_its_frame_is_that_of_the_report(report, library):
    pytest.importorskip(library)
    own = report.compare().frame(backend=library)
    assert own.equals(report.frame("compare", backend=library))
    with pytest.raises(ValueError, match="backend"):
        report.compare().frame(backend="numpy")


def test_one_model_has_no_pair():
    one = cross_validation_report(
        GaussianNB(), *load_iris(return_X_y=True), scoring="accuracy", baseline=None
    )
    assert str(one.compare()) == "no pair of models to compare"
    assert one.compare() == []


def test_practical_equivalence_is_asked_for_metric_by_metric(report):
    X, y = load_iris(return_X_y=True)
    names = ["accuracy", "neg_log_loss"]
    two = cross_validation_report(MODELS, X, y, scoring=names, baseline=None)
    with pytest.raises(ValueError, match=r"rope=0.01 is in units of one metric, but 2 are comp"):
        two.compare(rope=0.01)
    with pytest.raises(ValueError, match="rope has to be one of"):
        two.compare(rope={"f1": 0.01})
    plain = two.compare()
    assert {row["rope"] for row in plain} == {None}
    assert all(math.isnan(row["p_equivalent"]) for row in plain)
    assert all(row["p_a_better"] + row["p_b_better"] == pytest.approx(1) for row in plain)
    assert "P(same)" not in str(plain)
    accuracy, loss = two.compare(rope={"accuracy": 0.02, "neg_log_loss": 0.1})
    assert (accuracy["rope"], loss["rope"]) == (0.02, 0.1)
    assert accuracy == two.compare("accuracy", rope=0.02)[0]
    assert sum(loss[f"p_{key}"] for key in ("a_better", "equivalent", "b_better")) == (
        pytest.approx(1)
    )

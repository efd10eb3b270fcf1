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
    assert repr(found) == "<Rows: 3 rows, 14 columns>"
    assert lines[0].split("  ")[0] == "metric"
    assert "95% interval" in lines[0]
    assert "P(±0.02)" in lines[0]
    for row, line in zip(found, lines[2:], strict=False):
        assert line.startswith(f"accuracy  {row['model_a']}")
        assert f"{row['difference']:+.4f}" in line
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
    own = report.compare().frame(library=library)
    assert own.equals(report.frame("compare", library=library))
    with pytest.raises(ValueError, match="library"):
        report.compare().frame(library="numpy")


def test_one_model_has_no_pair():
    one = cross_validation_report(
        GaussianNB(), *load_iris(return_X_y=True), scoring="accuracy", baseline=None
    )
    assert str(one.compare()) == "no pair of models to compare"
    assert one.compare() == []

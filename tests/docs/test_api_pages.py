"""API pages: every public name once, with all that the registry and the docstring have to say."""

import inspect
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import facts
import names
import pytest
import sklearn.metrics
from support.public import PUBLIC
from support.versions import IS_REFERENCE

import skmetrics_ext

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
PAGES = [name for listed in names.sections().values() for name in listed]
# Statistics of the confusion table stand on the page of confusion_statistic.
METRICS = sorted(name for name in skmetrics_ext.METRICS if name in PAGES)
# Tools that carry out what their page says; there is no literature to name.
NO_SOURCE = {
    "auc", "compute_metrics", "confusion_matrix_at_thresholds", "confusion_statistic",
    "confusion_statistics", "cross_validation_report", "evaluate", "get_scorer",
    "get_scorer_names", "make_scorer", "metric_at_thresholds",
}  # fmt: skip


def doc(name: str) -> str:
    return inspect.getdoc(PUBLIC[name]) or ""


def test_every_public_name_has_one_page():
    assert Counter(PAGES) == Counter(set(PUBLIC))


def test_every_section_has_names_and_a_page_of_the_guide():
    for section, listed in names.sections().items():
        assert listed, section.title
        assert (GUIDE / f"{section.guide}.md").exists(), section.title


def test_a_name_is_in_the_section_of_its_task():
    found = {name: section.title for section, listed in names.sections().items() for name in listed}
    assert found["gain_curve"] == found["roc_curve"] == found["roc_curves"] == "Curves"
    assert found["curve_band"] == found["sample_size"] == "Intervals and sample sizes"
    assert found["compare"] == "Comparing models"
    assert found["classification_report"] == found["f1_score"] == "Metrics of labels"
    assert found["cross_validation_report"] == found["Table"] == "Reports"
    assert found["search_report"] == "Searches"


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_says_all_that_its_row_knows(name):
    rows = dict(facts.rows(name))
    spec = skmetrics_ext.METRICS[name]
    parameters = inspect.signature(spec.function).parameters
    assert {"Range", "Undefined", "Reads", "Weights", "Guide"} <= set(rows)
    assert ("Averages" in rows) == ("average" in parameters)
    assert ("Several classes" in rows) == ("multi_class" in parameters)
    assert ("Scorers" in rows) == (spec.scorer is not None)
    assert spec.undefined in rows["Undefined"]
    for bound in spec.bounds:
        assert facts.number(bound) in rows["Range"]


def test_intervals_are_those_of_confidence_interval():
    """The method listed first is the one that is chosen."""
    for name in ("accuracy_score", "f1_score", "roc_auc_score", "log_loss"):
        spec = skmetrics_ext.METRICS[name]
        given = facts.PREDICTED if spec.response == "labels" else facts.SCORE
        chosen = skmetrics_ext.confidence_interval(spec.function, facts.TRUE, given).method
        methods = facts.interval_methods(spec)
        assert chosen in methods[0], (name, chosen, methods)


def test_only_what_describes_has_no_interval():
    without = {name for name in METRICS if "Intervals" not in dict(facts.rows(name))}
    described = {name for name in METRICS if skmetrics_ext.METRICS[name].greater_is_better is None}
    assert without <= described | {"pairwise_roc_auc"}, without - described


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_has_formula_source_range_and_example(name):
    text = doc(name)
    assert ".. math::" in text
    parts = dict(zip(*[iter(re.split(r"\n(\w[\w ]*)\n-+\n", text)[1:])] * 2, strict=True))
    assert re.search(r"\d{4}", parts["References"]), "no year in the source"
    assert re.search(r"^>>> ", parts["Examples"], re.MULTILINE)
    assert parts["Returns"].strip()


def test_every_function_names_its_source():
    functions = [n for n in PAGES if inspect.isfunction(PUBLIC[n])]
    assert {name for name in functions if "References\n-" not in doc(name)} == NO_SOURCE


def test_a_result_has_an_example_or_says_who_gives_it():
    for name in PAGES:
        thing = PUBLIC[name]
        if inspect.isclass(thing) and ">>> " not in doc(name):
            assert dict(facts.rows(name)).get("Given by"), name


@pytest.mark.skipif(not IS_REFERENCE, reason="names are those of scikit-learn 1.9")
def test_the_name_in_scikit_learn_is_there():
    found = {name: names.counterpart(name) for name in PAGES}
    for theirs, _ in filter(all, found.values()):
        module, _, attribute = theirs.rpartition(".")
        assert hasattr(import_module(module), attribute), theirs
    for theirs in names.RELATED.values():
        module, _, attribute = theirs.rpartition(".")
        assert hasattr(import_module(module), attribute), theirs
    shared = set(PAGES) & set(sklearn.metrics.__all__) - set(names.RELATED)
    assert {name for name, (_, same) in found.items() if same} >= shared

"""Rows reach every entry point in one carrier, and few places settle which class is positive."""

import ast
from collections import Counter

from support.source import PATHS, nodes

# Types that carried rows, classes and a response before `Rows` and `AskedMetric` did.
GONE = (
    "AlignedRows",
    "BinaryProbabilities",
    "DisplaySource",
    "EveryRow",
    "HeldRows",
    "LabelledGroups",
    "MetricInput",
    "ModelRows",
    "ModelTarget",
    "OutOfFold",
    "PreparedMetric",
    "Responses",
    "ScoredModel",
    "Stored",
    "evaluate_arrays",
    "evaluate_labelled",
)
# Functions and methods that settle the positive class.
SETTLING = (
    "_default_positive",
    "_find_positive",
    "_positive",
    "_positive_of",
    "natural_positive",
    "one_class",
    "parse_positive",
    "positive",
    "positive_class",
    "positive_of",
    "positive_position",
    "same_positive",
    "settled",
    "usual_pair",
    "usual_positive",
)
# Calls in all, and outside validation: 66 and 51 before; one goes whenever an entry point asks a
# `Question` instead.
MOST, MOST_OUTSIDE_VALIDATION = 52, 37
# Facts by which code asks for the family of a metric, and views and tallies whose type shows it:
# 123 places before families were values; one goes whenever a table by family takes its place.
FACTS = {"reads", "response", "row_values", "slope", "sums", "tally"}
VIEWS = {"LabelTally", "Labels", "MomentTally", "Probabilities", "RankTally"}
VIEWS |= {"ScoreTally", "Scores"}
MOST_QUESTIONS_OF_FAMILY = 111


def names_in(path):
    """Names that a module defines, imports or reads."""
    for node in nodes(path):
        if isinstance(node, ast.alias | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name):
            yield node.id


def settlements():
    """Calls that settle the positive class, by file."""
    found = Counter()
    for path in PATHS:
        for node in nodes(path):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                found[path] += name in SETTLING
    return +found


def test_a_carrier_that_went_has_no_importer():
    found = {path: {*names_in(path)}.intersection(GONE) for path in PATHS}
    assert not {path: names for path, names in found.items() if names}


def test_the_positive_class_is_settled_in_few_places():
    found = settlements()
    outside = sum(n for file, n in found.items() if not file.startswith("validation/"))
    assert found.total() <= MOST, found
    assert outside <= MOST_OUTSIDE_VALIDATION, found


def asks_for_family(node):
    """Whether a node compares such a fact, or looks at the type of a view."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(getattr(side, "attr", "") in FACTS for side in sides)
    is_type = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
    return is_type and bool(VIEWS & {getattr(each, "id", "") for each in ast.walk(node.args[1])})


def test_the_family_of_a_metric_is_asked_for_in_few_places():
    found = Counter(path for path in PATHS for node in nodes(path) if asks_for_family(node))
    assert found.total() <= MOST_QUESTIONS_OF_FAMILY, found


def test_pairwise_decision_values_are_refused_in_one_place():
    found = Counter(
        path
        for path in PATHS
        for node in nodes(path)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check_pairs"
    )
    assert found == {"questions/rows.py": 1}

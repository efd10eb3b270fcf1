"""Predictions that share no class with the truth are refused at every door of a whole question."""

import inspect

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from support.command_line import main

import skmetrics_ext as sx
from tests.support.many_models import all_differences

TRUE = ["Yes", "No", "No", "Yes", "No", "Yes"] * 4
RIGHT = ["Yes", "No", "Yes", "Yes", "No", "No"] * 4
# How the classes are spelt in another column, and what the error says of it.
SPELLINGS = {
    "case": (TRUE, [label.lower() for label in RIGHT], "case"),
    "blanks": (TRUE, [f"{label} " for label in RIGHT], "blanks"),
    "inner blanks": (["a b", "c d"] * 12, ["a  b", "c  d"] * 12, "blanks"),
    "a decimal": (["0", "1"] * 12, ["0.0", "1.0"] * 12, "decimal"),
    "other classes": (["Ja", "Nein"] * 12, ["No", "Yes"] * 12, "are predicted"),
}


def accumulated(true, pred):
    accumulator = sx.Accumulator(["accuracy"])
    for rows in (slice(0, 10), slice(10, None)):
        accumulator.update(true[rows], y_pred=pred[rows])
    return accumulator.compute()


def evaluated(true, pred, **options):
    frame = pd.DataFrame({"true": true, "pred": pred, "group": np.arange(len(true)) % 2})
    return sx.evaluate(frame, true="true", pred="pred", metrics=["accuracy"], **options)


def in_slices(true, pred):
    data = {"true": true, "pred": pred, "group": np.arange(len(true)) % 2}
    return sx.weak_slices(data, true="true", pred="pred", metric="accuracy", min_rows=2)


DOORS = {
    "confidence_interval": lambda y, p: sx.confidence_interval("accuracy", y, p),
    "confidence_interval of several": lambda y, p: sx.confidence_interval(["accuracy"], y, p),
    "confidence_interval of a macro average": lambda y, p: sx.confidence_interval("f1_macro", y, p),
    "influence_values": lambda y, p: sx.influence_values("accuracy", y, p),
    "sample_size": lambda y, p: sx.sample_size("accuracy", y, p, width=0.1),
    "compare, the first": lambda y, p: sx.compare("accuracy", y, p, y),
    "compare, the second": lambda y, p: sx.compare("accuracy", y, y, p),
    "all differences": lambda y, p: all_differences("accuracy", y, {"a": y, "b": y, "c": p}),
    "compare_samples": lambda y, p: sx.compare_samples("accuracy", y, y, y, p),
    "compute_metrics": lambda y, p: sx.compute_metrics(["accuracy"], y, p),
    "compute_metrics with intervals": lambda y, p: sx.compute_metrics(
        ["accuracy"], y, p, intervals=True
    ),
    "compute_metrics by group": lambda y, p: sx.compute_metrics(
        ["accuracy"], y, p, by={"g": np.arange(len(y)) % 2}
    ),
    "evaluate": evaluated,
    "evaluate by group": lambda y, p: evaluated(y, p, by="group", margins=True),
    "evaluate by duckdb": lambda y, p: evaluated(y, p, engine="duckdb"),
    "Accumulator": accumulated,
    "weak_slices": in_slices,
    "mcnemar_test": lambda y, p: sx.mcnemar_test(y, y, p),
    "cochran_q_test": lambda y, p: sx.significance.cochran_q_test(y, [y, y, p]),
    "no_information_test": sx.significance.no_information_test,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("door", DOORS)
def test_no_shared_class_is_refused(door, spelling):
    true, pred, said = SPELLINGS[spelling]
    with pytest.raises(ValueError, match=rf"No value of y_pred is a true class.*{said}"):
        DOORS[door](true, pred)


@pytest.mark.parametrize("spelling", ["case", "inner blanks", "other classes"])
@pytest.mark.parametrize("command", ["score", "compare", "slices", "tally"])
def test_no_shared_class_is_refused_by_commands(command, spelling, tmp_path, capsys):
    true, pred, said = SPELLINGS[spelling]
    path = tmp_path / "rows.csv"
    group = np.arange(len(true)) % 2
    frame = pd.DataFrame({"true": true, "right": true, "pred": pred, "group": group})
    frame.map(lambda value: f'"{value}"').to_csv(path, index=False, quoting=3)
    models = ["--pred", "right", "--pred", "pred"] if command == "compare" else ["--pred", "pred"]
    output = ["-o", str(tmp_path / "sums.skx")] if command == "tally" else []
    assert main([command, str(path), "--target", "true", *models, *output]) == 2
    error = capsys.readouterr().err
    assert "No value of --pred pred is a true class" in error
    assert said in error


@pytest.mark.parametrize(
    ("true", "pred"),
    [
        ([0] * 30, [1] * 30),  # a constant of the other class
        ([0, 1] * 20, [2] * 40),  # a constant of a third class
        (["a"] * 30, ["b", "c"] * 15),  # rows of one class
        ([0, 1, 0], [2, 3, 2]),  # few rows
        (list(range(50)), list(range(50, 100))),  # few rows of each of many classes
        ([0, 1] * 5, [1, 0] * 5),  # all wrong
    ],
)
def test_wrong_predictions_of_known_classes_go_on(true, pred):
    assert sx.confidence_interval("accuracy", true, pred).value == 0
    assert sx.compute_metrics(["accuracy"], true, pred) == {"accuracy": 0}
    assert evaluated(true, pred, intervals=True).value("accuracy") == 0


def test_listed_classes_may_differ():
    true, pred = [0, 1] * 12, [2, 3] * 12
    assert sx.compute_metrics(["accuracy"], true, pred, labels=[0, 1, 2, 3]) == {"accuracy": 0}
    with pytest.raises(ValueError, match="differ in case"):
        sx.compute_metrics(["accuracy"], ["a"], ["A"], labels=["a", "A"])


def test_a_group_of_few_rows_may_share_no_class():
    group = ["a"] * 22 + ["b"] * 2
    pred = [*RIGHT[:22], "yes", "no"]
    table = sx.compute_metrics(["accuracy"], TRUE, pred, by={"group": group})
    assert table.value("accuracy", "b") == 0


def test_functions_of_scikit_learn_go_on():
    assert sx.accuracy_score(TRUE, [label.lower() for label in RIGHT]) == 0.0


# Functions that scikit-learn lacks and that judge predictions; costs list their classes.
OURS = [
    spec.function
    for spec in sx.METRICS.values()
    if spec.response == "labels"
    and spec.greater_is_better is not None
    and not hasattr(sklearn.metrics, spec.function.__name__)
    and spec.function is not sx.expected_cost
]


@pytest.mark.parametrize("function", OURS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("spelling", ["case", "a decimal"])
def test_functions_of_our_own_refuse(function, spelling):
    true, pred, said = SPELLINGS[spelling]
    by_class = "average" in inspect.signature(function).parameters
    options = {"average": "macro"} if by_class else {}
    with pytest.raises(ValueError, match=f"No value of y_pred is a true class.*{said}"):
        function(true, pred, **options)


@pytest.mark.parametrize("options", [{"confidence_level": 0.9}, {"groups": np.arange(24) % 12}])
def test_intervals_of_a_report_of_classes_are_refused(options):
    true, pred, said = SPELLINGS["case"]
    with pytest.raises(ValueError, match=f"No value of y_pred is a true class.*{said}"):
        sx.classification_report(true, pred, **options)
    assert "No" in sx.classification_report(true, pred, zero_division=0)

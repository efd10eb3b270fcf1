"""``metrics``: the registry as a table."""

import pytest
from support.command_line import main

from skmetrics_ext import METRICS, __version__


def test_every_metric_has_a_line(capsys):
    assert main(["metrics"]) == 0
    _, _, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(METRICS)


def test_a_line_tells_the_facts(capsys):
    main(["metrics"])
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert lines["roc_auc_score"].split()[1:7] == ["roc_auc", "(+4)", "scores", "higher", "0", "to"]
    assert "neg_log_loss" in lines["log_loss"]
    assert "lower" in lines["log_loss"]
    assert lines["confusion_matrix"].split()[1:4] == ["-", "labels", "-"]


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_explained(name, capsys):
    assert main(["metrics", name]) == 0
    out = capsys.readouterr().out
    for fact in ("reads ", "range ", "undefined ", "intervals ", "Parameters:", "Returns:"):
        assert f"\n{fact}" in out
    assert ":math:" not in out
    assert "{" not in out.split("Parameters:")[0] or "\\" in out  # only of formulas


@pytest.mark.parametrize(
    "name", ["aurc", "hierarchical_f1", "expected_cost", "prediction_set_size"]
)
def test_a_metric_that_needs_a_parameter_is_explained_without_it(name, capsys):
    assert main(["metrics", name]) == 0
    assert "bca" in capsys.readouterr().out.partition("\nintervals ")[2].splitlines()[0]


def test_a_scorer_is_explained_with_what_its_name_sets(capsys):
    assert main(["metrics", "neg_log_loss"]) == 0
    assert "lower is better" in capsys.readouterr().out
    assert main(["metrics", "f1_macro"]) == 0
    out = capsys.readouterr().out
    for told in (
        "skmetrics_ext.f1_score with average='macro'",
        "F_1 = 2 TP / (2 TP + FP + FN)",
        "0 to 1; higher is better",
        "where the class is neither true nor predicted in any row",
        "describes both together",
        "(chosen by default)",
    ):
        assert told in out
    assert main(["metrics", "f1"]) == 0
    assert "which must be known (pos_label, --positive)" in capsys.readouterr().out
    assert main(["metrics", "f1_scores"]) == 2
    assert "f1_score" in capsys.readouterr().err


def test_the_bare_command_prints_help_and_the_version_is_that_of_the_package(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    for command in ("cv", "search", "score", "compare", "metrics"):
        assert f"\n    {command} " in out
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"skmetrics_ext {__version__}\n"

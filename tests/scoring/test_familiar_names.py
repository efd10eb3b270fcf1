"""Names that metrics have elsewhere are accepted wherever a name is, and results hold ours."""

import json
import pickle
import re

import numpy
import pandas
import pytest
from sklearn.naive_bayes import GaussianNB
from support.command_line import main
from support.markdown import ROOT

import skmetrics_ext as sx
from skmetrics_ext import METRICS
from skmetrics_ext.registry import find
from skmetrics_ext.registry.defaults import SYNONYMS
from skmetrics_ext.registry.find import familiar_name

Y, P = [0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.3, 0.4, 0.8, 0.6]
FAMILIAR = {
    "auroc": "roc_auc",
    "AUROC": "roc_auc",
    "c-statistic": "roc_auc",
    "ppv": "precision",
    "npv": "negative_predictive_value",
    "sensitivity": "recall",
    "Sensitivity": "recall",
    "tpr": "recall",
    "mcc": "matthews_corrcoef",
    "kappa": "cohen_kappa",
    "Cohen's kappa": "cohen_kappa",
    "QWK": "cohen_kappa_quadratic",
    "quadratic weighted kappa": "cohen_kappa_quadratic",
    "ks": "ks_statistic",
    "brier": "brier_score",
    "LR+": "positive_likelihood_ratio",
}


def glossary():
    """Synonym and names of functions, of each term of the glossary that names a metric."""
    for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines():
        cells = line.strip("| ").split(" | ")
        names = {name for name in re.findall(r"`(\w+)`", cells[-1]) if name in METRICS}
        if len(cells) == 4 and names:
            terms = [*re.findall(r"\(([A-Z]+)\)", cells[0]), *re.split(r"[,;] ?", cells[1])]
            for term in terms:
                yield from ((text.strip(" )"), names) for text in term.split("("))


# Explanations of a term rather than names of it, and two names of other metrics.
NO_NAMES = {
    *("", "TP over all rows", "number of rows of a class", "share correct", "scoring rule"),
    *("of ordered grades", "of the ranking of the labels of a row", "where one label is relevant"),
    *("share of pairs of labels in the wrong order", "decision curve analysis"),
    *("cross-entropy", "prior", "deviance / 2n"),
    *("scoring rule that is best for the true probabilities", "pooled counts"),
    *("harmonic mean of macro-P and macro-R", "of several raters"),
}


@pytest.mark.parametrize(("term", "names"), [c for c in glossary() if c[0] not in NO_NAMES])
def test_every_synonym_of_the_glossary_leads_to_its_metric(term, names):
    assert find(familiar_name(term) or term).spec.name in names


@pytest.mark.parametrize("name", SYNONYMS)
def test_every_synonym_has_a_metric_and_hides_none(name):
    metric = find(name)
    assert metric.name == SYNONYMS[name]
    assert metric.spec is find(SYNONYMS[name]).spec
    assert name not in METRICS


LABELS = [0, 1, 0, 0, 1, 1]


@pytest.mark.parametrize(("name", "own"), FAMILIAR.items())
def test_familiar_names_in_python(name, own):
    pred = LABELS if METRICS[own].response == "labels" else P
    argument = "y_pred" if METRICS[own].response == "labels" else "y_proba"
    found = sx.confidence_interval(name, Y, pred)
    assert found.metric == own
    assert tuple(found) == pytest.approx(tuple(sx.confidence_interval(own, Y, pred)), nan_ok=True)
    plain = sx.compute_metrics([name], Y, **{argument: pred})
    assert plain == {name: found.value}
    table = sx.compute_metrics([name], Y, **{argument: pred}, intervals=True)
    assert [row.metric for row in table] == [own]
    assert table.value(name) == table.value(own) == found.value
    assert sx.compare(name, Y, pred, pred[::-1]).metric == own
    data = pandas.DataFrame({"y": Y * 3, "p": list(pred) * 3, "g": [0] * 9 + [1] * 9})
    columns = {"y_pred": {"pred": "p"}, "y_proba": {"score": "p"}}[argument]
    by_group = sx.evaluate(data, true="y", metrics=[name], by="g", intervals=True, **columns)
    assert by_group.value(name, 1) == by_group.value(own, 1)


@pytest.mark.parametrize(("name", "own"), FAMILIAR.items())
def test_familiar_names_of_scorers(name, own):
    X, y = numpy.random.default_rng(0).normal(size=(60, 2)), numpy.arange(60) % 2
    model = GaussianNB().fit(X, y)
    if METRICS[own].greater_is_better is False:
        with pytest.raises(ValueError, match=f"higher-is-better: 'neg_{own}'"):
            sx.get_scorer(name)
        with pytest.raises(ValueError, match="higher-is-better"):
            sx.ScorerPanel([name])
        name, own = f"neg_{name}", f"neg_{own}"
    if METRICS[own.removeprefix("neg_")].greater_is_better is not None:
        value = sx.get_scorer(own)(model, X, y)
        assert sx.get_scorer(name)(model, X, y) == value
        assert list(sx.ScorerPanel([name])(model, X, y).values()) == [value]
        report = sx.cross_validation_report(model, X, y, scoring=[name], cv=2, baseline=None)
        assert report.metrics == (own,)
        assert report.best(name) == report.best(own)
        assert report.require(f"{name}<=100").passed


def test_variants_of_familiar_names():
    assert find("ppv_macro").name == "precision_macro"
    assert find("auroc_ovr").name == "roc_auc_ovr"
    with pytest.raises(ValueError, match="not a valid scoring value"):
        find("kappa_macro")


def test_names_of_the_user_are_meant_literally():
    X, y = numpy.random.default_rng(0).normal(size=(60, 2)), numpy.arange(60) % 2
    report = sx.cross_validation_report(GaussianNB(), X, y, scoring={"kappa": "recall"}, cv=2)
    assert report.metrics == ("kappa",)
    assert report.require("kappa>=0").passed
    table = sx.evaluate(
        pandas.DataFrame({"y": Y, "p": LABELS}), true="y", pred="p", metrics={"mcc": "recall"}
    )
    assert table.value("mcc") == 2 / 3


@pytest.mark.parametrize("command", ["cv", "search", "score", "compare", "metrics"])
def test_familiar_names_on_the_command_line(command, tmp_path, capsys):
    (tmp_path / "p.csv").write_text("target,p,q\n" + "0,0.1,0.3\n1,0.9,0.8\n1,0.4,0.1\n" * 4)
    asked = ["--metrics", "auroc"] if command == "search" else ["--metrics", "auroc", "sensitivity"]
    files = [str(tmp_path / "p.csv"), "--score=p", "--score=q", "--metrics", "auroc"]
    model = ["breast_cancer", "--models", "naive_bayes", "--folds", "2", *asked, "--quiet"]
    limit = ["--require", "auroc>=0.1", "--require", "worst:auroc>=0"] if command == "score" else []
    if command == "score":
        limit[2:] = ["--require", "p/auroc - q/auroc >= -1"]
    arguments = {"metrics": ["auroc"], "cv": model, "search": model}.get(command, [*files, *limit])
    assert main([command, *arguments]) == 0
    assert re.search("roc_auc|auroc|AUROC", capsys.readouterr().out)


def test_what_was_typed_is_printed_and_what_is_registered_is_read():
    area = sx.confidence_interval("auroc", Y, P)
    assert (area.metric, str(area).split()[0]) == ("roc_auc", "AUROC")
    table = sx.compute_metrics(["sensitivity", "ppv"], Y, LABELS, intervals=True)
    assert [row["metric"] for row in table] == ["recall", "precision"]
    assert [line.split()[0] for line in str(table).splitlines()[2:4]] == ["sensitivity", "ppv"]
    assert [row["metric"] for row in json.loads(table.to_json())["rows"]] == ["recall", "precision"]
    assert table.frame()["metric"].tolist() == ["recall", "precision"]
    again = pickle.loads(pickle.dumps(table["ppv"]))
    assert (again.metric, str(again).split()[0]) == ("precision", "PPV")
    assert str(sx.confidence_interval("recall_score", Y, LABELS)).startswith("Recall ")


def test_reports_print_what_was_typed():
    X, y = numpy.random.default_rng(0).normal(size=(60, 2)), numpy.arange(60) % 2
    names = ["sensitivity", "auroc"]
    report = sx.cross_validation_report(GaussianNB(), X, y, scoring=names, cv=2, baseline=None)
    assert report.metrics == ("recall", "roc_auc")
    assert str(report).startswith("sensitivity: ")
    summary = report.summary()
    assert [row["metric"] for row in summary] == ["recall", "roc_auc"]
    assert [line.split()[1] for line in str(summary).splitlines()[3:5]] == names


def test_a_loss_is_refused_where_scorers_are_asked_for():
    with pytest.raises(ValueError, match="'brier' is a loss, and scorers are higher-is-better"):
        sx.get_scorer("brier")
    assert sx.confidence_interval("brier", Y, P).value == sx.brier_score_loss(Y, P)


@pytest.mark.parametrize(
    ("name", "offered", "not_offered"),
    [
        ("senstivity", "'sensitivity' (recall)", "specificity"),
        ("kapa", "'kappa' (cohen_kappa)", "kappa_"),
        ("speceficity", "'specificity'", "sensitivity"),
        ("recal", "'recall'", "precision"),
    ],
)
def test_misspelled_familiar_names(name, offered, not_offered):
    with pytest.raises(ValueError, match="Did you mean") as error:
        find(name)
    assert offered in str(error.value)
    assert not_offered not in str(error.value)


def test_displays_of_scikit_learn_are_answered_with_ours():
    assert sx.RocCurveDisplay is sx.RocCurvesDisplay
    assert sx.PrecisionRecallDisplay is sx.PrecisionRecallCurvesDisplay
    assert "RocCurveDisplay" not in sx.__all__


@pytest.mark.parametrize("name", ["mcc", "MCC", "sensitivity", "Cohen's kappa"])
def test_criteria_of_thresholds_take_familiar_names(name):
    own = FAMILIAR.get(name) or FAMILIAR[name.lower()]
    found = sx.optimal_threshold(Y, P, criterion=name)
    assert found.threshold == sx.optimal_threshold(Y, P, criterion=own).threshold

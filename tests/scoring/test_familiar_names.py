"""Names that metrics have elsewhere are answered with ours, in Python and on the command line."""

import re

import pytest
from support.markdown import ROOT

import skmetrics_ext as sx
from skmetrics_ext.cli import main
from skmetrics_ext.registry import METRICS, find
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
    "harmonic mean of macro-P and macro-R",
}


@pytest.mark.parametrize(("term", "names"), [c for c in glossary() if c[0] not in NO_NAMES])
def test_every_synonym_of_the_glossary_leads_to_its_metric(term, names):
    assert find(familiar_name(term) or term).spec.name in names


@pytest.mark.parametrize("name", SYNONYMS)
def test_every_synonym_has_a_metric_and_hides_none(name):
    assert find(SYNONYMS[name]).spec is not None
    with pytest.raises(ValueError, match=re.escape(f"{name!r} is called {SYNONYMS[name]!r} here.")):
        find(name)


@pytest.mark.parametrize(("name", "own"), FAMILIAR.items())
def test_familiar_names_in_python(name, own):
    told = re.escape(f"{name!r} is called ") + f"'(neg_)?{own}' here"
    for ask in (
        lambda: sx.confidence_interval(name, Y, P),
        lambda: sx.get_scorer(name),
        lambda: sx.ScorerPanel([name]),
        lambda: sx.compare(name, Y, P, P[::-1]),
    ):
        with pytest.raises(ValueError, match=told):
            ask()


@pytest.mark.parametrize("command", ["cv", "search", "score", "compare", "metrics"])
def test_familiar_names_on_the_command_line(command, tmp_path, capsys):
    (tmp_path / "p.csv").write_text("target,p,q\n0,0.1,0.3\n1,0.9,0.8\n")
    arguments = {
        "metrics": ["auroc"],
        "cv": ["iris", "--metrics", "auroc"],
        "search": ["iris", "--metrics", "auroc"],
    }.get(command, [str(tmp_path / "p.csv"), "--score=p", "--score=q", "--metrics", "auroc"])
    assert main([command, *arguments]) == 2
    err = capsys.readouterr().err
    assert err == "skmetrics_ext: error: 'auroc' is called 'roc_auc' here.\n"


def test_a_loss_has_the_name_of_its_scorer_where_scorers_are_asked_for(capsys):
    with pytest.raises(ValueError, match="'brier' is called 'neg_brier_score' here"):
        sx.get_scorer("brier")
    with pytest.raises(ValueError, match="'brier' is called 'brier_score' here"):
        sx.confidence_interval("brier", Y, P)


@pytest.mark.parametrize(
    ("name", "own"), [("senstivity", "recall"), ("kapa", "cohen_kappa"), ("auroc_", "roc_auc")]
)
def test_misspelled_familiar_names(name, own):
    with pytest.raises(ValueError, match=rf"Did you mean .*'{own}'|is called '{own}'"):
        find(name)


@pytest.mark.parametrize("name", ["mcc", "MCC", "sensitivity", "Cohen's kappa"])
def test_criteria_of_thresholds_take_familiar_names(name):
    own = FAMILIAR.get(name) or FAMILIAR[name.lower()]
    found = sx.optimal_threshold(Y, P, criterion=name)
    assert found.threshold == sx.optimal_threshold(Y, P, criterion=own).threshold

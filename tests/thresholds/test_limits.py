"""Requirements of sums: reading by hand, and the interval of the difference at every door."""

import json
import math
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from support.command_line import main

import skmetrics_ext as sx
from skmetrics_ext.limits import reader_of_sums
from skmetrics_ext.requirements import check_requirements

VALUES = {
    ("new", "roc_auc"): 0.9,
    ("old", "roc_auc"): 0.8,
    ("old - new", "roc_auc"): 0.1,
    ("tree (depth=2) + 1", "f1"): 0.7,
    ("old", "neg_log_loss"): -0.4,
    ("new", "neg_log_loss"): -0.3,
}
ROWS = [
    {"model": model, "metric": metric, "value": value, "low": value - 0.01, "high": value + 0.01}
    for (model, metric), value in VALUES.items()
]


class Total(SimpleNamespace):
    """The sum of the values, with an interval of half width 0.02."""

    def __init__(self, factors):
        value = sum(VALUES[key] * factor for key, factor in factors.items())
        super().__init__(value=value, note="")

    def __iter__(self):
        return iter((self.value, self.value - 0.02, self.value + 0.02))


def checked(text, total=Total):
    (row,) = check_requirements(text, ROWS, read=reader_of_sums(VALUES, total)).rows
    return row


@pytest.mark.parametrize(
    ("text", "value", "verdict"),
    [
        ("new/roc_auc - old/roc_auc >= 0.07", 0.1, "pass"),
        ("new/roc_auc - old/roc_auc >= 0.09", 0.1, "undecided"),
        ("new/roc_auc - old/roc_auc >= 0.13", 0.1, "fail"),
        ("new/roc_auc>=old/roc_auc", 0.1, "pass"),
        ("new/roc_auc >= old/roc_auc + 0.13", 0.1, "fail"),
        ("old/roc_auc - 0.01 <= new/roc_auc", -0.1, "pass"),
        ("0.13 < new/roc_auc - old/roc_auc", 0.1, "fail"),
        ("2 * new/roc_auc - old/roc_auc - 1e-1 > .85", 1.0, "pass"),
        ("-0.5 + new/roc_auc < 0.5 * old/roc_auc + 0.1", 0.5, "pass"),
        ("old - new/roc_auc + new/roc_auc > 0.9", 1.0, "pass"),
        ("new/roc_auc - tree (depth=2) + 1/f1 >= 0.1", 0.2, "pass"),
        ("tree (depth=2) + 1/f1 <= new/roc_auc", -0.2, "pass"),
        ("old/log_loss - new/log_loss > 0.05", 0.1, "pass"),
        ("old/neg_log_loss - new/neg_log_loss > 0.05", -0.1, "fail"),
    ],
)
def test_sums_by_hand(text, value, verdict):
    row = checked(text)
    assert (round(row.value, 9), row.verdict, row.model) == (value, verdict, None)
    assert row.requirement == text
    assert row.high - row.low == pytest.approx(0.04)
    assert (row.reason is None) == (verdict != "undecided")


@pytest.mark.parametrize(
    ("text", "model", "metric", "verdict"),
    [
        ("old - new/roc_auc >= 0.05", "old - new", "roc_auc", "pass"),
        ("0.05 <= old - new/roc_auc", "old - new", "roc_auc", "pass"),
        ("2 * old/roc_auc > 1.55", "old", "roc_auc", "pass"),
        ("old/roc_auc + 0.1 > 0.95", "old", "roc_auc", "fail"),
        ("old/log_loss < 0.3", "old", "log_loss", "fail"),
        ("old/roc_auc.low >= 0.7", "old", "roc_auc", "pass"),
    ],
)
def test_one_value_has_its_own_interval(text, model, metric, verdict):
    row = checked(text, total=None)
    assert (row.model, row.metric, row.verdict) == (model, metric, verdict)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("new/roc_auc - olld/roc_auc > 0", "unknown value 'olld/roc_auc'. Did you mean 'old/roc"),
        ("new/roc_auc -old/roc_auc > 0", "unknown model"),
        ("newer/roc_auc - old/roc_auc > 0", "unknown model 'newer/roc_auc - old'"),
        ("new/roc_auc >= old/roc_auc >= 0", "unknown model"),
        ("new/roc_auc - old/roc_auc", "cannot be read"),
        ("new/roc_auc - new/roc_auc > 0", "unknown model"),
        ("new/roc_auc.low - old/roc_auc > 0", "unknown model"),
        ("roc_auc - f1 > 0", "unknown metric 'roc_auc - f1'"),
    ],
)
def test_what_is_not_understood_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        checked(text)


def test_without_rows_sums_are_refused_and_without_an_interval_undecided():
    with pytest.raises(ValueError, match="compares values, which needs the rows in memory"):
        checked("new/roc_auc - old/roc_auc > 0", total=None)

    class Without(Total):
        def __iter__(self):
            return iter((self.value, math.nan, math.nan))

    row = checked("new/roc_auc - old/roc_auc > 0", lambda factors: Without(factors))
    assert row.verdict == "undecided"


@pytest.mark.parametrize("text", [" " * 300_000, "new/roc_auc" + " " * 300_000 + "x>=0",
                                  "9" * 300_000 + "x>=1", "new/roc_auc" + " - old/roc_auc" * 9_999,
                                  "1 + " * 90_000 + "x > 0"])  # fmt: skip
def test_long_texts_are_read_in_linear_time(text):
    start = perf_counter()
    with pytest.raises(ValueError, match="requirement"):
        checked(text)
    assert perf_counter() - start < 3


# --------------------------------------------------------------------------- reports

X, Y = load_breast_cancer(return_X_y=True)
SCORING = ["roc_auc", "accuracy", "recall", "neg_log_loss"]


@pytest.fixture(scope="module")
def report():
    models = {"new": GaussianNB(), "old": DecisionTreeClassifier(max_depth=2, random_state=0)}
    return sx.cross_validation_report(models, X[:, 4:10], Y, scoring=SCORING)


def required(report, text, interval=None):
    (row,) = report.require(text, interval=interval).rows
    return row


def test_a_report_decides_by_the_interval_over_folds_from_what_rows_contribute(report):
    """The mean over folds of log loss is a mean over rows: a paired t interval by fold."""
    row = required(report, "old/log_loss - new/log_loss > -1")
    predictions = report.predictions
    losses = []
    for model in ("old", "new"):
        part = predictions[model]
        p = np.clip(part.responses["predict_proba"], np.finfo(float).eps, 1)
        losses.append(-np.log(p[np.arange(len(Y)), Y[part.rows]]))
    fold = predictions["old"].fold
    gap, n_folds = losses[0] - losses[1], 5
    means = [gap[fold == k].mean() for k in range(n_folds)]
    sizes = [(fold == k).sum() for k in range(n_folds)]
    squares = [gap[fold == k].var(ddof=0) / n for k, n in enumerate(sizes)]
    error = math.sqrt(sum(squares)) / n_folds
    assert row.value == pytest.approx(np.mean(means), rel=1e-6)
    assert row.high - row.low == pytest.approx(2 * 1.97 * error, rel=0.02)


def test_pooled_rows_are_compared_as_compare_does(report):
    pred = {m: p.responses["predict_proba"].argmax(axis=1) for m, p in report.predictions.items()}
    truth = Y[report.predictions["new"].rows]
    expected = sx.compare("accuracy", truth, pred["new"], pred["old"])
    row = required(report, "new/accuracy >= old/accuracy", "pooled")
    assert (row.value, row.low, row.high) == pytest.approx(tuple(expected))
    undefined = required(report, "new/roc_auc >= old/roc_auc", "pooled")
    assert undefined.verdict == "undecided"
    assert "no common scale" in undefined.reason


def test_corrected_folds_have_the_interval_of_nadeau_and_bengio(report):
    values = {(r.model, r.fold): r.value for r in report.folds() if r.metric == "recall"}
    gaps = np.array([2 * values["new", k] - values["old", k] for k in range(5)])
    row = required(report, "2 * new/recall - old/recall > 0", "corrected")
    error = math.sqrt((1 / 5 + 1 / 4) * gaps.var(ddof=1))
    away = stats.t.ppf(0.975, 4) * error
    found = row.value, row.low, row.high
    assert found == pytest.approx((gaps.mean(), gaps.mean() - away, gaps.mean() + away), rel=1e-3)
    compared = next(r for r in report.compare("roc_auc") if {r.model, r.against} == {"new", "old"})
    same = required(report, "new/roc_auc - old/roc_auc > 0", "corrected")
    assert (same.value, same.low, same.high) == (compared.value, compared.low, compared.high)


def test_a_nested_interval_is_of_one_model(report):
    row = required(report, "new/accuracy - old/accuracy > 0", "nested")
    assert row.verdict == "undecided"
    assert "'corrected' compares models" in row.reason


def test_two_metrics_of_one_model_need_no_name(report):
    alone = report["new"].require(["recall - accuracy > -0.2", "0.5 < recall"]).rows
    assert [row.verdict for row in alone] == ["pass", "pass"]
    named = required(report, "new/recall - new/accuracy > -0.2")
    assert (alone[0].value, alone[0].low) == (named.value, named.low)


# --------------------------------------------------------------------------- command line


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    columns = {"ill": np.where(y, "yes", "no")}
    for name, size in (("new - v2", 2.0), ("old", 1.0)):
        columns[name] = 1 / (1 + np.exp(-size * (y - 0.5) - rng.normal(size=200)))
    path = tmp_path_factory.mktemp("sums") / "p.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path, y, columns


@pytest.mark.parametrize("command", ["score", "compare"])
def test_commands_compare_the_rows(file, capsys, command):
    path, y, columns = file
    a = sx.compare("roc_auc", y, columns["new - v2"], columns["old"])
    texts = ["new - v2/roc_auc >= old/roc_auc - 0.01", "old/roc_auc - new - v2/roc_auc > 0.5"]
    models = ["--score", "new - v2", "--score", "old", "--positive", "yes", "--quiet", "--json"]
    needed = [part for text in texts for part in ("--require", text)]
    status = main([command, str(path), "--target", "ill", *models, *needed])
    first, second = json.loads(capsys.readouterr().out)["requirements"]
    assert status == 1
    assert [first[key] for key in ("value", "low", "high")] == pytest.approx(list(a), rel=1e-6)
    assert (first["verdict"], second["verdict"]) == ("pass", "fail")


def test_a_metric_of_a_sum_is_computed_though_it_is_no_default(file, capsys):
    path, *_ = file
    text = "new - v2/h_measure >= old/h_measure - 1"
    models = ["--score", "new - v2", "--score", "old", "--positive", "yes", "--quiet"]
    arguments = [str(path), "--target", "ill", *models, "--require", text]
    assert main(["score", *arguments, "--resamples", "100"]) == 0
    assert main(["score", *arguments, "--stream"]) == 2
    assert "needs the rows in memory" in capsys.readouterr().err

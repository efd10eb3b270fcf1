"""Requirements: every verdict by hand, and everything that is not understood is refused."""

import math

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import cross_validation_report
from skmetrics_ext.requirements import Requirement, check_requirements

ROWS = [
    {"metric": "roc_auc", "value": 0.80, "low": 0.75, "high": 0.85},
    {"metric": "neg_log_loss", "value": -0.40, "low": -0.50, "high": -0.35},
    {"metric": "f1", "value": 0.70, "low": math.nan, "high": math.nan},
    {"metric": "recall", "value": math.nan, "low": math.nan, "high": math.nan},
]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("roc_auc>=0.75", "pass"),
        ("roc_auc>0.75", "undecided"),
        ("roc_auc>=0.76", "undecided"),
        ("roc_auc>=0.85", "undecided"),
        ("roc_auc>0.85", "fail"),
        ("roc_auc>=0.86", "fail"),
        ("roc_auc<=0.85", "pass"),
        ("roc_auc<0.85", "undecided"),
        ("roc_auc<=0.74", "fail"),
        ("roc_auc.value>=0.8", "pass"),
        ("roc_auc.value>0.8", "fail"),
        ("roc_auc.low>=0.7", "pass"),
        ("roc_auc.low>=0.76", "fail"),
        ("roc_auc.high<0.9", "pass"),
        ("  roc_auc  >=  7.5e-1 ", "pass"),
        ("log_loss<=0.5", "pass"),
        ("log_loss<=0.45", "undecided"),
        ("log_loss<=0.3", "fail"),
        ("log_loss.high<=0.5", "pass"),
        ("log_loss.low>=0.35", "pass"),
        ("neg_log_loss>=-0.5", "pass"),
        ("f1>=0.6", "undecided"),
        ("f1.value>=0.6", "pass"),
        ("f1.low>=0.6", "undecided"),
        ("recall>=0", "undecided"),
        ("recall.value>=0", "undecided"),
    ],
)
def test_verdicts_by_hand(text, verdict):
    (row,) = check_requirements(text, ROWS).rows
    assert row.verdict == verdict
    assert (row.reason is None) == (verdict != "undecided")


def test_all_have_to_pass():
    assert check_requirements(["roc_auc>=0.75", "log_loss<=0.5"], ROWS).passed
    assert check_requirements(["roc_auc>=0.75", "log_loss<=0.5"], ROWS)
    mixed = check_requirements(["roc_auc>=0.75", "roc_auc>=0.8"], ROWS)
    assert not mixed.passed
    assert not mixed
    assert mixed.to_dict()["passed"] is False
    assert [row["verdict"] for row in mixed.to_dict()["requirements"]] == ["pass", "undecided"]
    assert '"low": 0.75' in mixed.to_json()
    assert "undecided" in str(mixed)


def test_a_loss_has_its_own_direction_in_the_row():
    (row,) = check_requirements("log_loss<=0.45", ROWS).rows
    assert (row.value, row.low, row.high) == (0.40, 0.35, 0.50)


@pytest.mark.parametrize(
    "text",
    ["roc_auc", "roc_auc=0.7", "roc_auc==0.7", ">=0.7", "roc_auc>=", "roc_auc>=x", "roc_auc>=nan",
     "roc_auc>=inf", "0.7<=roc_auc<=0.8", "", 3, None],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match="cannot be read: write metric>=limit, such as"):
        Requirement.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rocauc>=0.7", "names an unknown metric 'rocauc'.* Did you mean 'roc_auc'"),
        ("roc_auc.mean>=0.7", "names an unknown metric 'roc_auc.mean'"),
        ("a/roc_auc>=0.7", "names an unknown model 'a'"),
        ("worst:roc_auc>=0.7", "needs groups: pass by="),
    ],
)
def test_what_is_not_there_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        check_requirements(text, ROWS)
    with pytest.raises(ValueError, match="There are no requirements"):
        check_requirements([], ROWS)


@pytest.fixture(scope="module")
def report():
    X, y = load_breast_cancer(return_X_y=True)
    models = {"bayes": GaussianNB(), "stump/1": DecisionTreeClassifier(max_depth=1, random_state=0)}
    scoring = ["roc_auc", "recall", "neg_log_loss"]
    return cross_validation_report(models, X, y, scoring=scoring, by=(X[:, 0] > 14).astype(int))


def test_a_report_is_required_of_each_model_but_the_baseline(report):
    verdicts = report.require(["roc_auc>=0.95", "stump/1/roc_auc.value>0.5", "log_loss.value<2"])
    models = [row.model for row in verdicts.rows]
    assert models == ["bayes", "stump/1", "stump/1", "bayes", "stump/1"]
    summary = {(row.model, row.metric): row for row in report.summary()}
    own = summary["bayes", "roc_auc"]
    assert tuple(verdicts.rows[0][key] for key in ("value", "low", "high")) == (
        own.mean,
        own.low,
        own.high,
    )
    assert verdicts.rows[3].value == -summary["bayes", "neg_log_loss"].mean
    (of_baseline,) = report.require("baseline (prior)/roc_auc.value>=0.5").rows
    assert of_baseline.verdict == "pass"
    assert len(report[report.baseline].require("roc_auc.value>=0.5").rows) == 1
    wide = report.require("bayes/roc_auc>=0.95", interval="corrected").rows[0]
    assert wide.low == report.summary("corrected")[0].low


def test_the_worst_group_has_its_simultaneous_bounds(report):
    verdicts = report.require(["bayes/worst:recall>=0.1", "worst:recall>=0.1"])
    worst = report.by_group("bayes").where(metric="recall").together()[0]
    row = verdicts.rows[0]
    assert (row.group, row.value, row.low, row.high) == (
        worst.group,
        worst.value,
        worst.low,
        worst.high,
    )


def test_the_worst_group_of_a_loss_has_its_own_direction():
    asked = []

    def worst(metric, model):
        asked.append((metric, model))
        return [{"group": "site A", "value": -0.6, "low": -0.8, "high": -0.5}]

    texts = ["worst:log_loss<=0.8", "worst:log_loss>0.7", "log_loss<=0.5", "worst:roc_auc<0"]
    first, second, whole, area = check_requirements(texts, ROWS, worst).rows
    assert asked == [("neg_log_loss", None)] * 2 + [("roc_auc", None)]
    assert (first.value, first.low, first.high) == (0.6, 0.5, 0.8)
    assert [row.verdict for row in (first, second, whole, area)] == [
        "pass", "undecided", "pass", "pass",
    ]  # fmt: skip
    assert [row.group for row in (first, second, whole)] == ["site A", "site A", None]
    assert (first.metric, first.requirement) == ("log_loss", "worst:log_loss<=0.8")
    assert second.reason == "the interval contains the limit"


MODELS = [
    {"model": name, "metric": metric, "value": value, "low": value, "high": value,
     "is_baseline": name == "base"}
    for name, values in {"a": (0.9, 0.5), "b/c": (0.7, 0.6), "base": (0.5, 0.4)}.items()
    for metric, value in zip(("roc_auc", "neg_log_loss"), values, strict=True)
]  # fmt: skip


def test_models_are_checked_all_but_the_baseline_or_one_by_name():
    def told(text, rows=MODELS):
        return [(row.model, row.verdict) for row in check_requirements(text, rows).rows]

    assert told("roc_auc>0.8") == [("a", "pass"), ("b/c", "fail")]
    assert told("b/c/roc_auc>0.6") == [("b/c", "pass")]
    assert told("base/roc_auc>=0.5") == [("base", "pass")]
    assert told("roc_auc>=0.5", MODELS[-2:]) == [("base", "pass")]
    with pytest.raises(ValueError, match=r"unknown model 'c'\..* Known: a, b/c, base\."):
        told("c/roc_auc>0.6")
    with pytest.raises(ValueError, match=r"unknown metric 'recall'\..* Known: roc_auc, neg_log"):
        told("a/recall>0.6")


def test_columns_of_verdicts_are_those_that_hold_something():
    plain = ["requirement", "value", "interval", "verdict"]
    assert check_requirements("roc_auc>=0.75", ROWS).rows.header() == plain
    models = check_requirements("roc_auc>=0.1", MODELS)
    assert models.rows.header() == [plain[0], "model", *plain[1:]]
    group = [{"group": "A", "value": 0.5, "low": 0.4, "high": 0.6}]
    both = check_requirements(["worst:roc_auc>=0.1"], MODELS, lambda *_: group)
    assert both.rows.header() == [plain[0], "model", "group", *plain[1:]]
    own = {"metric": "own", "value": 1, "low": 0, "high": 2}
    (row,) = check_requirements("own.value>=1", [own]).rows
    assert (row.value, row.verdict, row.reason) == (1.0, "pass", None)
    both = [{**own, "metric": name} for name in ("log_loss", "neg_log_loss")]
    (row,) = check_requirements("log_loss.value>=1", both).rows  # the name itself comes first
    assert row.value == 1


def test_one_bound_that_is_missing_is_no_interval():
    own = {"metric": "own", "value": 1.0, "low": 0.5, "high": math.nan}
    for text, verdict in (("own>=0.1", "undecided"), ("own.low>=0.1", "pass")):
        (row,) = check_requirements(text, [own]).rows
        assert row.verdict == verdict
    (row,) = check_requirements("own.high>=0.1", [own]).rows
    assert row.reason == "no interval: own.value>= compares the value"


def every_group(*groups):
    """All groups, as (group, value, low, high, note)."""
    keys = ("group", "value", "low", "high", "note")
    return [dict(zip(keys, each, strict=True)) for each in groups]


NAN = math.nan
GOOD = ("A", 0.8, 0.75, 0.85, "")


@pytest.mark.parametrize(
    ("others", "verdict", "group", "told"),
    [
        ([], "pass", "A", None),
        ([("B", 0.4, 0.1, 0.7, "")], "undecided", "B", "the interval contains the limit"),
        ([("B", 0.3, 0.1, 0.59, "")], "fail", "B", None),
        ([("B", 0.4, 0.1, 0.7, ""), ("C", 0.3, 0.1, 0.59, "")], "fail", "C", None),
        ([("B", 0.9, NAN, NAN, "resampled")], "undecided", "B", "no interval"),
        ([("B", NAN, NAN, NAN, "no row is of the class")], "pass", "A",
         "not judged: B (no row is of the class)"),
        ([("B", NAN, NAN, NAN, "no row"), ("C", 0.5, 0.3, 0.7, "")], "undecided", "C",
         "the interval contains the limit; not judged: B (no row)"),
    ],
)  # fmt: skip
def test_a_limit_of_the_worst_group_is_one_of_every_group(others, verdict, group, told):
    found = every_group(GOOD, *others)
    (row,) = check_requirements("worst:roc_auc>=0.6", ROWS, lambda *_: found).rows
    assert (row.verdict, row.group) == (verdict, group)
    assert (row.reason is None) == (told is None)
    assert told is None or told in row.reason


def test_a_loss_of_every_group_has_its_own_direction():
    found = every_group(("A", -0.3, -0.4, -0.2, ""), ("B", -0.9, -1.2, -0.7, ""))
    limits = ["worst:log_loss<=0.6", "worst:log_loss<=0.8", "worst:log_loss<=1.3"]
    rows = check_requirements(limits, ROWS, lambda *_: found).rows
    assert [(row.verdict, row.group) for row in rows] == [
        ("fail", "B"), ("undecided", "B"), ("pass", "A"),
    ]  # fmt: skip
    assert (rows[0].value, rows[0].low, rows[0].high) == (0.9, 0.7, 1.2)

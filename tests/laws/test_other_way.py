"""Scores that run the other way, or are those of another class: said once, of all rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from support.command_line import main

import skmetrics_ext as sx

SAID = "low scores go with the positive class"
NAMED = "'prob.good' is read as the scores of 'bad', and its name ends in 'good'"
WORSE = f"worse than chance: {SAID}"
# 15 rows of "bad" and 25 of "good"; the AUC of BAD is 325 / 375.
BAD = np.concatenate([0.50 + 0.03 * np.arange(15), 0.05 + 0.03 * np.arange(25)]).round(2)
TRUE = np.array(["bad"] * 15 + ["good"] * 25)
FRAME = pd.DataFrame({"true": TRUE, "prob.bad": BAD, "prob.good": 1 - BAD})
FRAME["confidence"] = np.maximum(BAD, 1 - BAD)
FRAME["said"] = np.where(BAD > 0.5, "bad", "good")
FRAME["half"] = np.arange(40) % 2


def interval(name, score):
    found = sx.confidence_interval(name, TRUE, score, pos_label="bad", n_resamples=99)
    return found.note


def table(name, score):
    options = {"pos_label": "bad", "intervals": True}
    return sx.compute_metrics([name], TRUE, y_score=score, **options).row(name).note


def evaluated(name, score):
    frame = pd.DataFrame({"true": TRUE, "score": score})
    asked = {"true": "true", "score": "score", "pos_label": "bad", "n_resamples": 99}
    return str(sx.evaluate(frame, metrics=[name], intervals=True, **asked))


@pytest.mark.parametrize("door", [interval, table, evaluated])
@pytest.mark.parametrize("name", ["roc_auc", "gini"])
def test_an_area_below_chance_names_the_cause(door, name):
    assert "worse than chance" in " ".join(door(name, 1 - BAD).split())
    assert SAID in " ".join(door(name, 1 - BAD).split())
    assert SAID not in " ".join(door(name, BAD).split())


def test_the_cause_is_named_once_of_a_table_of_groups():
    """Its rows are groups, and all rows together show the cause."""
    frame = pd.DataFrame({"truth": TRUE, "reversed": 1 - BAD, "risk": BAD, "g": np.arange(40) % 2})
    options = {"true": "truth", "by": "g", "metrics": ["roc_auc"], "intervals": True}
    options |= {"pos_label": "bad"}
    for margins in (False, True):
        text = str(sx.evaluate(frame, score="reversed", margins=margins, **options))
        assert " ".join(text.split()).count(SAID) == 1
        assert SAID not in " ".join(
            str(sx.evaluate(frame, score="risk", margins=margins, **options)).split()
        )
    arrays = {"by": frame["g"], "pos_label": "bad", "intervals": True}
    found = sx.compute_metrics(["roc_auc"], TRUE, y_score=1 - BAD, **arrays)
    assert SAID in " ".join(str(found).split())


def test_the_name_of_a_series_is_that_of_a_column():
    good, bad = pd.Series(1 - BAD, name="prob.good"), pd.Series(BAD, name="prob.bad")
    for name in ("roc_auc", "brier_score"):
        asked = {"pos_label": "bad"}
        if name == "roc_auc":
            assert NAMED in sx.confidence_interval(name, TRUE, good, **asked).note
            assert f"b: {NAMED}" in sx.compare(name, TRUE, bad, good, **asked).note
            found = sx.compare_samples(name, TRUE, good, TRUE, bad, **asked)
            assert f"a: {NAMED}" in found.note
        for options in ({}, {"by": np.arange(40) % 2}):
            options |= {"intervals": True, **asked}
            table = sx.compute_metrics([name], TRUE, y_score=good, **options)
            assert NAMED in " ".join(str(table).split())
            table = sx.compute_metrics([name], TRUE, y_score=bad, **options)
            assert NAMED not in " ".join(str(table).split())
        assert NAMED not in sx.confidence_interval(name, TRUE, bad, **asked).note
        assert NAMED not in sx.confidence_interval(name, TRUE, 1 - BAD, **asked).note


@pytest.mark.parametrize("name", ["roc_auc", "gini"])
def test_comparisons_name_the_model_whose_area_is_below_chance(name):
    asked = {"pos_label": "bad"}
    for first, second, said in ((1 - BAD, BAD, f"a: {WORSE}"), (BAD, 1 - BAD, f"b: {WORSE}")):
        assert said in sx.compare(name, TRUE, first, second, **asked).note
        assert said in sx.compare_samples(name, TRUE, first, TRUE, second, **asked).note
        models = {"first": first, "second": second}
        for door in (
            sx.confidence_interval(name, TRUE, models, **asked),
            sx.compute_metrics([name], TRUE, y_score=models, intervals=True, **asked),
        ):
            (row,) = door.against("each")
            named = said.replace("a: ", "first: ").replace("b: ", "second: ")
            assert named.partition(";")[0] in row.note
    assert WORSE not in sx.compare(name, TRUE, BAD, np.sqrt(BAD), **asked).note
    assert WORSE not in sx.compare_samples(name, TRUE, BAD, TRUE, np.sqrt(BAD), **asked).note


class Reversed(LogisticRegression):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


def test_an_optimizer_names_the_cause_of_an_infinite_threshold():
    y = np.arange(60) % 2
    X = y[:, None] + np.sin(np.arange(60))[:, None] / 4
    with pytest.warns(UserWarning, match=f"The threshold of 1 is infinite: .*{SAID}"):
        found = sx.ThresholdOptimizerCV(Reversed(), cv=3).fit(X, y)
    assert found.best_threshold_ == np.inf
    assert sx.ThresholdOptimizerCV(LogisticRegression(), cv=3).fit(X, y).best_threshold_ < 1


@pytest.mark.parametrize("name", ["ks_statistic", "h_measure"])
def test_a_largest_distance_of_0_names_the_cause(name):
    true, score = np.repeat([1, 0], 8), np.arange(16.0)
    options = {"n_resamples": 99, "random_state": 0}
    assert SAID in sx.confidence_interval(name, true, score, **options).note
    assert SAID not in sx.confidence_interval(name, true, -score, **options).note
    assert SAID not in sx.confidence_interval(name, true, np.zeros(16), **options).note


def test_groups_and_few_rows_are_not_judged():
    by = sx.compute_metrics(
        ["roc_auc"], TRUE, y_score=1 - BAD, pos_label="bad", by={"half": FRAME["half"]},
        intervals=True,
    )  # fmt: skip
    assert not any(SAID in row.note for row in by)  # but all rows together are
    assert " ".join(str(by).split()).count(SAID) == 1
    assert SAID not in sx.confidence_interval("roc_auc", [0, 0, 1, 1], [4.0, 3, 2, 1]).note


@pytest.mark.parametrize("seed", range(20))
def test_good_and_random_scores_are_silent(seed):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, 200)
    for score in (rng.random(200), rng.random(200) + 0.3 * true):
        found = sx.confidence_interval("roc_auc", true, score)
        assert (SAID in found.note) == (found.high < 0.5)
    assert sx.optimal_threshold(true, rng.random(200)).note == ""


def test_an_infinite_threshold_names_the_cause():
    best = sx.optimal_threshold([0, 0, 0, 1, 1, 1], [6, 5, 4, 3, 2, 1])
    assert best.threshold == np.inf
    assert SAID in best.note
    assert SAID in " ".join(str(best).split())
    rare = sx.optimal_threshold([0] * 9 + [1], np.arange(10)[::-1] % 7, criterion="accuracy")
    assert rare.note == "" or SAID in rare.note
    right = sx.optimal_threshold([0, 0, 1, 1], [1, 2, 3, 4])
    assert right.note == ""
    constant = sx.optimal_threshold([0, 0, 1, 1], [1, 1, 1, 1])
    assert constant.note == ""


@pytest.mark.parametrize("engine", ["duckdb", "auto"])
def test_the_name_of_a_column_ends_in_the_other_class(engine):
    asked = {"true": "true", "metrics": ["average_precision"], "pos_label": "bad", "engine": engine}
    said = " ".join(str(sx.evaluate(FRAME, score="prob.good", **asked)).split())
    assert "its name ends in 'good'" in said
    assert "its name ends" not in str(sx.evaluate(FRAME, score="prob.bad", **asked))
    assert "its name ends" not in str(sx.evaluate(FRAME, score="confidence", **asked))


@pytest.mark.parametrize(
    ("name", "classes", "positive", "is_said"),
    [
        ("p_0", [0, 1], 1, True),
        ("proba.0", [0, 1], 1, True),
        ("p_1", [0, 1], 1, False),
        ("score_0", [0, 1], 1, False),  # a model's number
        ("model_no", ["no", "yes"], "yes", False),  # a model's name
        ("risk_no", ["no", "yes"], "yes", True),
        ("P(no)", ["no", "yes"], "yes", False),
        ("prob-NO", ["no", "yes"], "yes", True),
        ("casino", ["no", "yes"], "yes", False),
    ],
)
def test_names_that_end_in_a_class(name, classes, positive, is_said):
    true = np.array(classes)[np.arange(20) % 2]
    frame = pd.DataFrame({"true": true, name: np.linspace(0, 1, 20)})
    found = sx.evaluate(frame, true="true", score=name, metrics=["roc_auc"], pos_label=positive)
    assert ("its name ends in" in " ".join(str(found).split())) == is_said


def test_scores_that_are_a_confidence():
    asked = {"true": "true", "pred": "said", "metrics": ["roc_auc", "accuracy"], "pos_label": "bad"}
    said = " ".join(str(sx.evaluate(FRAME, score="confidence", **asked)).split())
    assert "is below 0.5, although both classes are predicted" in said
    assert "below 0.5" not in str(sx.evaluate(FRAME, score="prob.bad", **asked))
    arrays = sx.compute_metrics(
        ["roc_auc", "accuracy"],
        TRUE,
        FRAME["said"].to_numpy(),
        y_score=FRAME["confidence"].to_numpy(),
        pos_label="bad",
        intervals=True,
    )
    assert "below 0.5" in str(arrays)


@pytest.mark.filterwarnings("ignore:Precision is ill-defined")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score", "--score", "prob.good"], ["its name ends in 'good'", SAID]),
        (
            ["compare", "--score", "prob.good", "--score", "prob.bad"],
            ["its name ends in 'good'", SAID],
        ),
        (["threshold", "--score", "prob.good"], ["its name ends in 'good'", SAID]),
        (["score", "--score", "confidence", "--pred", "said"], ["'confidence' is below 0.5"]),
        (["score", "--score", "prob.bad", "--pred", "said"], []),
    ],
)
def test_commands_say_it(arguments, said, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    FRAME.round(2).to_csv(path, index=False)
    command, *columns = arguments
    options = ["--target", "true", "--positive", "bad", "--quiet"]
    assert main([command, str(path), *options, *columns]) == 0
    shown = capsys.readouterr()
    text = " ".join((shown.out + shown.err).split())
    for part in said:
        assert part in text
    for part in ("its name ends", SAID, "is below 0.5"):
        assert (part in text) == any(part in each or each == part for each in said)

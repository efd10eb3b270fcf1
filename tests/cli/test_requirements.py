"""Requirements on the command line, and several models of one file."""

import json

import numpy as np
import pytest

from skmetrics_ext import compare, compare_many, confidence_interval, evaluate
from skmetrics_ext.cli import main

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(11)
N = 300


@pytest.fixture(scope="module")
def frame():
    ill = RNG.random(N) < 0.4
    table = {
        name: np.clip(RNG.normal(0.3 + gap * ill, 0.2), 0.01, 0.99)
        for name, gap in (("good", 0.4), ("fair", 0.39), ("bad", 0.02))
    }
    clinic = np.array(["a", "b", "c"])[np.arange(N) % 3]
    return pandas.DataFrame({"target": np.where(ill, "ill", "well"), **table, "clinic": clinic})


@pytest.fixture
def file(frame, tmp_path):
    frame.to_csv(tmp_path / "rows.csv", index=False)
    return str(tmp_path / "rows.csv")


def score(file, *more, models=("good",)):
    scores = [part for name in models for part in ("--score", name)]
    return main(["score", file, *scores, "--positive", "ill", "--quiet", *more])


def area(frame, name="good"):
    return confidence_interval("roc_auc", frame.target, frame[name], pos_label="ill")


@pytest.mark.parametrize(
    ("shift", "part", "verdict", "status"),
    [
        (-0.01, "low", "pass", 0),
        (0.01, "high", "fail", 1),
        (0.0, "value", "undecided", 1),
    ],
)
def test_a_limit_is_met_by_the_whole_interval(file, frame, capsys, shift, part, verdict, status):
    limit = getattr(area(frame), part) + shift
    text = f"roc_auc>={limit:.6f}"
    assert score(file, "--require", text) == status
    *_, last = [line for line in capsys.readouterr().out.splitlines() if line.startswith(text)]
    assert verdict in last.split()


def test_verdicts_in_json_and_metrics_that_only_they_name(file, frame, capsys):
    limits = "gini.low>=0.1", "roc_auc.value>=0.99"
    asked = [part for limit in limits for part in ("--require", limit)]
    assert score(file, "--json", "--metrics", "roc_auc", *asked) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] is False
    assert [row["metric"] for row in found["rows"]] == ["roc_auc", "gini"]
    first, second = found["requirements"]
    assert (first["verdict"], second["verdict"]) == ("pass", "fail")
    own = area(frame)
    assert (first["low"], first["high"]) == pytest.approx((2 * own.low - 1, 2 * own.high - 1))
    assert (second["model"], second["value"]) == ("good", pytest.approx(own.value))


def test_the_worst_group_has_its_simultaneous_bounds(file, frame, capsys):
    more = ("--by", "clinic", "--metrics", "roc_auc", "--require", "worst:roc_auc>=0.5", "--json")
    assert score(file, *more) == 0
    (row,) = json.loads(capsys.readouterr().out)["requirements"]
    about = {"true": "target", "score": "good", "metrics": ["roc_auc"], "pos_label": "ill"}
    own = evaluate(frame, by="clinic", intervals=True, **about).worst("roc_auc")
    assert row["group"] == own.group
    assert (row["value"], row["low"]) == pytest.approx((own.value, own.low))


def test_limits_of_differences(file, frame, capsys):
    more = ["--score", "good", "--score", "bad", "--positive", "ill", "--quiet", "--json"]
    own = compare("roc_auc", frame.target, frame.good, frame.bad, pos_label="ill")
    for limit, status in ((own.low - 0.01, 0), (own.high + 0.01, 1)):
        assert main(["compare", file, *more, "--require", f"roc_auc>={limit}"]) == status
        (row,) = json.loads(capsys.readouterr().out)["requirements"]
        assert (row["model"], row["value"]) == ("good - bad", pytest.approx(own.difference))


def test_limits_of_a_cross_validation(capsys):
    command = ["cv", "iris", "--models", "tree", "--metrics", "accuracy", "--quiet"]
    assert main([*command, "--require", "accuracy>=0.5"]) == 0
    assert "accuracy>=0.5  tree" in capsys.readouterr().out
    assert main([*command, "--require", "accuracy>=0.99", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["passed"], found["requirements"][0]["verdict"]) == (False, "fail")
    assert found["models"] == ["tree", "baseline (prior)"]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("roc_auc", "is not understood"),
        ("auc>=0.5", "'auc' is called 'roc_auc' here"),
        ("worst:roc_auc>=0.5", "there are no groups"),
        ("f1>=0.5", "f1 needs predicted labels"),
        ("new/roc_auc>=0.5", "names the model 'new'"),
    ],
)
def test_limits_that_are_refused(file, capsys, limit, message):
    metrics = () if "f1" not in limit else ("--metrics", "roc_auc")
    assert score(file, *metrics, "--require", limit) == 2
    assert message in capsys.readouterr().err


def test_a_wrong_limit_is_refused_before_models_are_fitted(capsys):
    assert main(["cv", "iris", "--models", "tree", "--require", "accuracy"]) == 2
    assert "is not understood" in capsys.readouterr().err


# --------------------------------------------------------------------------- several models


def test_several_models_are_compared(file, frame, tmp_path, capsys):
    page = tmp_path / "page.html"
    models = ("bad", "good", "fair")
    more = ("--metrics", "roc_auc", "gini", "--html", str(page))
    assert score(file, *more, "--json", models=models) == 0
    found = json.loads(capsys.readouterr().out)
    own = compare_many(
        "roc_auc",
        frame.target,
        {name: frame[name] for name in models},
        pos_label="ill",
        n_resamples=1000,
        random_state=0,
    )
    pairs = [row for row in found["differences"] if row["metric"] == "roc_auc"]
    assert [row["p_value"] for row in pairs] == pytest.approx([row.p_value for row in own.rows])
    best = max(models, key=lambda name: area(frame, name).value)
    (other,) = {"good", "fair"} - {best}
    assert found["best"]["roc_auc"] == [best, other]
    assert score(file, *more[:3], models=models) == 0
    text = capsys.readouterr().out
    assert f"best by roc_auc, gini: {best} (not distinguishable: {other})" in text
    assert "Differences between models" in page.read_text(encoding="utf-8")


def test_the_best_of_two_that_differ(file, capsys):
    assert score(file, "--metrics", "roc_auc", models=("bad", "good")) == 0
    assert "best by roc_auc: good (all others differ)" in capsys.readouterr().out
    assert score(file, "--metrics", "roc_auc", "--json", models=("good",)) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)


def test_streamed_models_are_not_compared(file, capsys):
    assert score(file, "--metrics", "roc_auc", "--json", "--stream", models=("bad", "good")) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rows"]) == 2
    assert found["differences"] == []

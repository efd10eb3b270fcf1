"""Requirements on the command line, and several models of one file."""

import html
import json
import re

import numpy as np
import pytest
from support.command_line import main

from skmetrics_ext import (
    compare,
    confidence_interval,
    evaluate,
    proportion_interval,
)
from tests.support.many_models import all_differences

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
    assert score(file, "--json", "--json-schema", "1", "--metrics", "roc_auc", *asked) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] is False
    assert [row["metric"] for row in found["rows"]] == ["roc_auc", "gini"]
    first, second = found["requirements"]
    assert (first["verdict"], second["verdict"]) == ("pass", "fail")
    own = area(frame)
    assert (first["low"], first["high"]) == pytest.approx((2 * own.low - 1, 2 * own.high - 1))
    assert (second["model"], second["value"]) == ("good", pytest.approx(own.value))


def test_the_worst_group_has_its_simultaneous_bounds(file, frame, capsys):
    more = (
        "--by",
        "clinic",
        "--metrics",
        "roc_auc",
        "--require",
        "worst:roc_auc>=0.5",
        "--json",
        "--json-schema",
        "1",
    )
    assert score(file, *more) == 0
    (row,) = json.loads(capsys.readouterr().out)["requirements"]
    about = {"true": "target", "score": "good", "metrics": ["roc_auc"], "pos_label": "ill"}
    own = evaluate(frame, by="clinic", intervals=True, **about).together()[0]
    assert row["group"] == own.group
    assert (row["value"], row["low"]) == pytest.approx((own.value, own.low))


def test_limits_of_differences(file, frame, capsys):
    more = [
        "--score",
        "good",
        "--score",
        "bad",
        "--positive",
        "ill",
        "--quiet",
        "--json",
        "--json-schema",
        "1",
    ]
    own = compare("roc_auc", frame.target, frame.good, frame.bad, pos_label="ill")
    for limit, status in ((own.low - 0.01, 0), (own.high + 0.01, 1)):
        assert main(["compare", file, *more, "--require", f"roc_auc>={limit}"]) == status
        (row,) = json.loads(capsys.readouterr().out)["requirements"]
        assert (row["model"], row["value"]) == ("good - bad", pytest.approx(own.difference))


def test_limits_of_a_cross_validation(capsys):
    command = ["cv", "iris", "--models", "tree", "--metrics", "accuracy", "--quiet"]
    assert main([*command, "--require", "accuracy>=0.5"]) == 0
    assert "accuracy>=0.5  tree" in capsys.readouterr().out
    assert main([*command, "--require", "accuracy>=0.99", "--json", "--json-schema", "1"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["passed"], found["requirements"][0]["verdict"]) == (False, "fail")
    assert found["models"] == ["tree", "baseline (prior)"]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("roc_auc", "cannot be read"),
        ("worst:roc_auc>=0.5", "needs groups"),
        ("f1>=0.5", "f1 needs predicted labels"),
        ("new/roc_auc>=0.5", "names an unknown model 'new'"),
    ],
)
def test_limits_that_are_refused(file, capsys, limit, message):
    metrics = () if "f1" not in limit else ("--metrics", "roc_auc")
    assert score(file, *metrics, "--require", limit) == 2
    assert message in capsys.readouterr().err


def test_a_wrong_limit_is_refused_before_models_are_fitted(capsys):
    assert main(["cv", "iris", "--models", "tree", "--require", "accuracy"]) == 2
    assert "cannot be read" in capsys.readouterr().err


# --------------------------------------------------------------------------- several models


def test_several_models_are_compared(file, frame, tmp_path, capsys):
    page = tmp_path / "page.html"
    models = ("bad", "good", "fair")
    more = ("--metrics", "roc_auc", "gini", "--html", str(page))
    assert score(file, *more, "--json", "--json-schema", "1", models=models) == 0
    found = json.loads(capsys.readouterr().out)
    own = all_differences(
        "roc_auc",
        frame.target,
        {name: frame[name] for name in models},
        pos_label="ill",
        n_resamples=1000,
        random_state=0,
    )
    pairs = [row for row in found["differences"] if row["metric"] == "roc_auc"]
    assert [row["p_value"] for row in pairs] == pytest.approx([row.p_adjusted for row in own])
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
    assert (
        score(file, "--metrics", "roc_auc", "--json", "--json-schema", "1", models=("good",)) == 0
    )
    assert isinstance(json.loads(capsys.readouterr().out), list)


def test_streamed_models_are_not_compared(file, capsys):
    assert (
        score(
            file,
            "--metrics",
            "roc_auc",
            "--json",
            "--json-schema",
            "1",
            "--stream",
            models=("bad", "good"),
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert len(found["rows"]) == 2
    assert found["differences"] == []


# --------------------------------------------------------------------------- cards of pages


def card(path):
    """Lines of the card of a page."""
    text = path.read_text(encoding="utf-8").split('<div class="brief">')[1].split("</div>")[0]
    return [html.unescape(line) for line in re.findall(r"<p>(.*?)</p>", text)]


def ends(low, high):
    return f"[{low:.3f}, {high:.3f}]"


def test_the_card_of_a_model_its_worst_group_and_its_requirements(file, frame, tmp_path):
    page = tmp_path / "page.html"
    more = ("--metrics", "log_loss", "roc_auc", "--by", "clinic", "--require", "log_loss<=9")
    assert score(file, *more, "--require", "log_loss<=0.01", "--html", str(page)) == 1
    question, best, ignoring, worst, limits, facts = card(page)
    assert question == "How well does good predict 'ill'? Log loss (lower is better), 300 rows."
    ill = frame.target == "ill"
    own = confidence_interval("log_loss", ill, frame.good)
    loss = -np.log(np.where(ill, frame.good, 1 - frame.good)).mean()
    assert best == f"Log loss: good {loss:.3f} {ends(own.low, own.high)}."
    share = ill.mean()
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert ignoring == f"A prediction that ignores the features has {entropy:.4f}."
    of_clinic = -np.log(np.where(ill, frame.good, 1 - frame.good))
    means = {clinic: of_clinic[frame.clinic == clinic].mean() for clinic in "abc"}
    name, value = re.match(r"Worst group of good: (.), (\S+) \[", worst).groups()
    assert float(value) == pytest.approx(means[name], abs=6e-5)
    assert limits == "Requirements: 1 of 2 met."
    assert facts == "true classes: target; positive class: ill; intervals: 95 %"


def test_the_card_of_several_models_compares_the_best_with_the_next(file, frame, tmp_path):
    page = tmp_path / "page.html"
    models = ("bad", "good")
    more = ("--metrics", "roc_auc", "brier_score", "--html", str(page))
    assert score(file, *more, models=models) == 0
    question, answer, ignoring, _ = card(page)
    best, pair = answer.removesuffix(".").split("; ")
    assert question == "Which model predicts 'ill' best? ROC AUC, 300 rows."
    own = area(frame)
    assert best == f"Highest ROC AUC: good {own.value:.3f} {ends(own.low, own.high)}"
    gap = compare("roc_auc", frame.target, frame.good, frame.bad, pos_label="ill")
    assert pair == f"better than bad ({gap.difference:+.3f} {ends(gap.low, gap.high)})"
    assert ignoring == "A prediction that ignores the features has 0.5000."
    text = page.read_text(encoding="utf-8")
    assert text.count('<td class="text">good</td>') == 4  # two tables of all models
    assert "Brier score" in text
    assert "brier_score" not in text
    scores = [part for name in models for part in ("--score", name)]
    given = ["compare", file, *scores, "--positive", "ill", "--quiet", *more]
    assert main(given) == 0
    assert card(page)[1] == answer
    assert 'data-chart="roc"' in page.read_text(encoding="utf-8")
    claim = ["--claim", "non-inferior", "--margin", "0.05", "--metrics", "roc_auc"]
    assert main([*given, *claim]) == 0
    assert card(page)[2] == "bad against good, non-inferior by a margin of 0.05: not concluded."


def test_the_card_of_metrics_without_an_order_names_no_best_model(file, tmp_path):
    page = tmp_path / "page.html"
    metrics = ("--metrics", "observed_expected_ratio", "--html", str(page))
    assert score(file, *metrics, models=("bad", "good")) == 0
    question, *others = card(page)
    assert question == "Which model predicts 'ill' best? Observed expected ratio, 300 rows."
    assert not any("ighest" in line for line in others)


def test_the_positive_class_stands_last_in_a_matrix(frame, tmp_path):
    """ "ill" comes before "well" in the alphabet, and is the positive class."""
    path, page = tmp_path / "rows.csv", tmp_path / "page.html"
    said = np.where(frame.good > 0.5, "ill", "well")
    frame.assign(said=said).to_csv(path, index=False)
    given = ["score", str(path), "--pred", "said", "--positive", "ill", "--quiet"]
    assert main([*given, "--html", str(page)]) == 0
    matrix = page.read_text(encoding="utf-8").split('aria-label="Confusion matrix of said"')[1]
    counts = re.findall(r'<td class="cell (\w+)"[^>]*>(\d+)<br>', matrix)
    ill = frame.target == "ill"
    for (kind, count), (is_ill, is_said) in zip(
        counts, [(False, False), (False, True), (True, False), (True, True)], strict=True
    ):
        assert int(count) == ((ill == is_ill) & ((said == "ill") == is_said)).sum()
        assert kind == ("right" if is_ill == is_said else "wrong")


def rights(tmp_path, *groups):
    """A file with this many right predictions of so many rows, by group."""
    frames = []
    for name, right, rows in groups:
        true = np.arange(rows) % 2
        pred = np.where(np.arange(rows) < right, true, 1 - true)
        words = np.array(["no", "yes"])
        columns = {"t": words[true], "p": words[pred], "q": words[true], "g": name}
        frames.append(pandas.DataFrame(columns).assign(h=np.where(np.arange(rows) % 3, "u", "v")))
    path = tmp_path / "rights.csv"
    pandas.concat(frames).to_csv(path, index=False)
    return str(path)


def asked(capsys, command, path, limit, *more, by=("g",)):
    given = [
        command,
        path,
        "--target",
        "t",
        "--positive",
        "yes",
        "--by",
        *by,
        "--quiet",
        "--json",
        "--json-schema",
        "1",
    ]
    status = main([*given, "--require", limit, *more])
    (row,) = json.loads(capsys.readouterr().out)["requirements"]
    assert (status == 0) == (row["verdict"] == "pass")
    return row


@pytest.mark.parametrize(
    ("right", "verdict", "group"), [(3, "undecided", "B"), (2, "fail", "B"), (8, "undecided", "B")]
)
def test_a_small_group_decides_a_limit_of_the_worst_group(tmp_path, capsys, right, verdict, group):
    """Exact bounds of two groups: those of 97.5 % each. 8 of 8 has the lower bound 0.58."""
    path = rights(tmp_path, ("A", 750, 1000), ("B", right, 8))
    for metric, limit in (("accuracy", ">=0.7"), ("error_rate", "<=0.3")):
        row = asked(capsys, "score", path, f"worst:{metric}{limit}", "--pred", "p")
        assert (row["verdict"], row["group"]) == (verdict, group)
    bounds = proportion_interval(8 - right, 8, method="clopper_pearson", confidence_level=0.975)
    assert (row["low"], row["high"]) == pytest.approx((bounds.low, bounds.high))


def test_the_groups_of_all_columns_are_judged_together(tmp_path, capsys):
    path = rights(tmp_path, ("A", 750, 1000), ("B", 2, 8))
    for by in (("g", "h"), ("h", "g")):
        row = asked(capsys, "score", path, "worst:accuracy>=0.75", "--pred", "p", by=by)
        assert row["group"] == "g=B"
        level = 1 - 0.05 / 4
        bounds = proportion_interval(2, 8, method="clopper_pearson", confidence_level=level)
        assert (row["low"], row["high"]) == pytest.approx((bounds.low, bounds.high))
        assert row["verdict"] == ("fail" if bounds.high < 0.75 else "undecided")


def test_a_group_in_which_the_metric_is_undefined_is_named(tmp_path, capsys):
    path = rights(tmp_path, ("A", 950, 1000), ("B", 8, 8))
    frame = pandas.read_csv(path)
    frame.loc[frame.g == "B", "t"] = "no"
    frame.to_csv(path, index=False)
    row = asked(capsys, "score", path, "worst:recall>=0.8", "--pred", "p", "--metrics", "recall")
    assert (row["verdict"], row["group"]) == ("pass", "A")
    assert row["reason"] == "not judged: B (no row is of the class)"


def test_differences_in_every_group_are_judged(tmp_path, capsys):
    path = rights(tmp_path, ("A", 950, 1000), ("B", 1, 8))
    models = ("--pred", "p", "--pred", "q", "--metrics", "accuracy")
    row = asked(capsys, "compare", path, "worst:accuracy>=-0.2", *models)
    part = pandas.read_csv(path).query("g == 'B'")
    own = compare("accuracy", part.t, part.p, part.q, confidence_level=0.975)
    assert row["group"] == "B"
    assert (row["value"], row["low"], row["high"]) == pytest.approx(
        (own.difference, own.low, own.high)
    )
    assert row["verdict"] == ("fail" if own.high < -0.2 else "undecided")

"""``threshold=``: metrics of labels at a stated threshold of scores, at every door."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import f1_score, matthews_corrcoef, precision_score, recall_score
from support.command_line import main

import skmetrics_ext as sx

RNG = np.random.default_rng(11)
Y = RNG.integers(0, 2, 150)
S = np.round(np.clip(0.45 * Y + 0.6 * RNG.random(150), 0, 1), 2)  # scores that equal 0.3 occur
T = np.round(np.clip(0.35 * Y + 0.6 * RNG.random(150), 0, 1), 2)
AT = 0.3
LABELS, OTHERS = (S >= AT).astype(int), (T >= AT).astype(int)
TEXT = np.where(Y, "ill", "well")
SITE = np.arange(150) % 30


def test_a_score_of_the_threshold_is_positive():
    assert np.any(S == AT)
    found = sx.confidence_interval("f1", Y, S, threshold=AT)
    assert found.value == f1_score(Y, LABELS)


@pytest.mark.parametrize("metric", ["f1", "accuracy", "recall", "matthews_corrcoef", "f1_macro"])
@pytest.mark.parametrize("design", [{}, {"groups": SITE}, {"sample_weight": SITE + 1}])
def test_the_interval_is_that_of_the_labels(metric, design):
    found = sx.confidence_interval(metric, Y, S, threshold=AT, **design)
    given = sx.confidence_interval(metric, Y, LABELS, **design)
    assert tuple(found) == tuple(given)
    both = sx.compare(metric, Y, S, T, threshold=AT, **design)
    assert tuple(both) == tuple(sx.compare(metric, Y, LABELS, OTHERS, **design))


@pytest.mark.parametrize("positive", ["ill", "well"])
def test_text_classes(positive):
    named = np.where(S >= AT, positive, {"ill": "well", "well": "ill"}[positive])
    asked = {"threshold": AT, "pos_label": positive}
    assert sx.confidence_interval("f1", TEXT, S, **asked).value == f1_score(
        TEXT, named, pos_label=positive
    )
    found = sx.compute_metrics(["f1", "accuracy"], TEXT, y_score=S, **asked)
    assert found == {
        "f1": f1_score(TEXT, named, pos_label=positive),
        "accuracy": float(np.mean(named == TEXT)),
    }
    with pytest.raises(ValueError, match="needs a positive class: pass pos_label="):
        sx.confidence_interval("f1", TEXT, S, threshold=AT)


@pytest.mark.parametrize("kind", ["float32", "series", "masked", "column"])
def test_containers_of_scores(kind):
    kept = np.ones(150, dtype=bool)
    given, y_true = {
        "float32": (S.astype("float32"), Y),
        "series": (pd.Series(S), pd.Series(Y)),
        "masked": (np.ma.array(S, mask=np.arange(150) < 20), Y),
        "column": (S[:, None], Y),
    }[kind]
    if kind == "masked":
        kept[:20] = False
    labels = (np.asarray(given, dtype=float).ravel() >= AT).astype(int)
    found = sx.confidence_interval("f1", y_true, given, threshold=AT)
    assert found.value == f1_score(Y[kept], labels[kept])


def test_rows_in_another_order_are_refused():
    with pytest.raises(ValueError, match="index labels in another order"):
        sx.confidence_interval(
            "f1", pd.Series(Y), pd.Series(S, index=range(150)[::-1]), threshold=0
        )


def test_metrics_of_scores_ignore_it_in_a_list_and_refuse_it_alone():
    table = sx.confidence_interval(["f1", "roc_auc", "brier_score"], Y, S, threshold=AT)
    assert table.value("f1") == f1_score(Y, LABELS)
    assert table.value("roc_auc") == sx.roc_auc_score(Y, S)
    assert table.value("brier_score") == sx.brier_score_loss(Y, S)
    for call in (
        lambda: sx.confidence_interval("roc_auc", Y, S, threshold=AT),
        lambda: sx.compare("roc_auc", Y, S, T, threshold=AT),
        lambda: sx.compute_metrics(["roc_auc", "log_loss"], Y, y_proba=S, threshold=AT),
    ):
        with pytest.raises(ValueError, match="leave it out"):
            call()


def test_a_metric_with_a_parameter_of_this_name_takes_it():
    value = sx.net_benefit(Y, S, threshold=AT)
    by_hand = np.mean(LABELS * Y) - np.mean(LABELS * (1 - Y)) * AT / (1 - AT)
    assert value == pytest.approx(by_hand)
    assert sx.confidence_interval("net_benefit", Y, S, threshold=AT).value == value
    assert sx.compute_metrics(["net_benefit"], Y, y_proba=S, threshold=AT) == {"net_benefit": value}
    table = sx.compute_metrics(["f1", "net_benefit"], Y, y_proba=S, threshold=AT, intervals=True)
    assert (table.value("net_benefit"), table.value("f1")) == (value, f1_score(Y, LABELS))
    named = sx.compute_metrics(["net_benefit_at_10", "f1"], Y, y_proba=S, threshold=AT)
    assert named["net_benefit_at_10"] == sx.net_benefit(Y, S, threshold=0.1)
    difference = sx.compare("net_benefit", Y, S, T, threshold=AT)
    assert difference.value_b == pytest.approx(sx.net_benefit(Y, T, threshold=AT))


def test_a_function_of_the_user_reads_labels():
    found = sx.confidence_interval(
        lambda a, b: float(np.mean(a == b)), Y, S, threshold=AT, n_resamples=99
    )
    assert found.value == np.mean(Y == LABELS)


def test_all_rates_of_a_diagnostic_test():
    asked = {"threshold": AT, "intervals": True, "method": "clopper_pearson"}
    table = sx.compute_metrics("diagnostic", Y, y_proba=S, **asked)
    counts = {
        "recall": (LABELS[Y == 1] == 1),
        "specificity": (LABELS[Y == 0] == 0),
        "precision": (Y[LABELS == 1] == 1),
        "negative_predictive_value": (Y[LABELS == 0] == 0),
    }
    for name, hits in counts.items():
        k, n = hits.sum(), len(hits)
        (row,) = [each for each in table if each.metric == name]
        exact = stats.beta.ppf([0.025, 0.975], [k, k + 1], [n - k + 1, n - k])
        known = [0.0 if k == 0 else exact[0], 1.0 if k == n else exact[1]]
        assert (row.low, row.high) == pytest.approx(tuple(known))
        assert (row.value, row.method) == (k / n, "clopper_pearson")
    recall, fall_out = counts["recall"].mean(), 1 - counts["specificity"].mean()
    assert table.value("positive_likelihood_ratio") == pytest.approx(recall / fall_out)
    plain = sx.compute_metrics("diagnostic", Y, LABELS)
    assert plain["precision"] == precision_score(Y, LABELS)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sx.compute_metrics(["f1"], Y, S, threshold=AT), "no y_pred"),
        (lambda: sx.compute_metrics("diagnosis", Y, LABELS), "diagnostic"),
        (lambda: sx.confidence_interval("f1", Y + (SITE > 20), S, threshold=AT), "two classes"),
        (lambda: sx.confidence_interval("f1", Y, TEXT, threshold=AT), "one score a row"),
        (lambda: sx.confidence_interval("f1", Y, S, threshold="low"), "threshold"),
        (
            lambda: sx.confidence_interval("f1", Y, np.where(S > 0.9, np.nan, S), threshold=AT),
            "NaN",
        ),
        (
            lambda: sx.compute_metrics(
                ["roc_auc"], Y, y_proba=S, intervals=True, method="clopper_pearson"
            ),
            "clopper_pearson",
        ),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: sx.confidence_interval("f1", Y, S),
        lambda: sx.confidence_interval(["f1", "accuracy"], Y, S),
        lambda: sx.compare("f1", Y, S, T),
        lambda: sx.compute_metrics(["f1"], Y, S),
        lambda: sx.compute_metrics(["f1"], Y, y_proba=S),
        lambda: sx.compute_metrics(["f1"], Y, y_proba=S, intervals=True),
    ],
)
def test_scores_where_labels_are_needed_say_threshold(call):
    with pytest.raises(ValueError, match="pass threshold="):
        call()


def test_functions_of_scikit_learn_keep_their_message():
    with pytest.raises(ValueError, match="mix of binary and continuous targets") as error:
        sx.f1_score(Y, S)
    assert "threshold" not in str(error.value)


# --------------------------------------------------------------------------- the command line


def test_score_and_compare_at_a_threshold(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    path = tmp_path / "f.csv"
    pd.DataFrame({"target": TEXT, "a": S, "b": T, "site": SITE}).to_csv(path, index=False)
    asked = ["--score", "a", "--score", "b", "--positive", "ill", "--threshold", "0.3"]
    names = ["f1", "recall", "roc_auc", "net_benefit", "matthews_corrcoef"]
    assert main(["score", str(path), *asked, "--metrics", *names, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    values = {(row["model"], row["metric"]): row["value"] for row in found["rows"]}
    for name, score, labels in (("a", S, LABELS), ("b", T, OTHERS)):
        assert values[name, "f1"] == pytest.approx(f1_score(Y, labels))
        assert values[name, "recall"] == pytest.approx(recall_score(Y, labels))
        assert values[name, "matthews_corrcoef"] == pytest.approx(matthews_corrcoef(Y, labels))
        assert values[name, "roc_auc"] == pytest.approx(sx.roc_auc_score(Y, score))
        assert values[name, "net_benefit"] == pytest.approx(sx.net_benefit(Y, score, threshold=0.3))
    differences = {row["metric"]: row["value"] for row in found["differences"]}
    assert differences["f1"] == pytest.approx(f1_score(Y, LABELS) - f1_score(Y, OTHERS))
    assert differences["net_benefit"] == pytest.approx(
        values["a", "net_benefit"] - values["b", "net_benefit"]
    )
    assert main(["compare", str(path), *asked, "--metrics", "f1", "--json", "--quiet"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["value"] == differences["f1"]
    limits = ["--require", "a/recall>=0.1", "--quiet", "--html", str(tmp_path / "page.html")]
    assert main(["score", str(path), *asked, *limits]) == 0


@pytest.mark.parametrize("arguments", [["--score", "a"], ["--pred", "target", "--positive", "ill"]])
def test_the_command_needs_scores_and_a_positive_class(arguments, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    path = tmp_path / "f.csv"
    pd.DataFrame({"target": TEXT, "a": S}).to_csv(path, index=False)
    assert main(["score", str(path), *arguments, "--threshold", "0.3", "--quiet"]) == 2
    assert "--threshold is for --score of two classes" in capsys.readouterr().err

"""Findings: each is made where it is right, by hand, and not made where nothing is wrong."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics import make_scorer as sklearn_scorer
from sklearn.model_selection import KFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB

from skmetrics_ext import balanced_accuracy_score, cross_validation_report
from skmetrics_ext.inference.estimate_rows import KEYS
from skmetrics_ext.registry import find
from skmetrics_ext.report.conclusion import best_and_next, conclusion
from skmetrics_ext.report.findings import KINDS, _weighs_both
from skmetrics_ext.report.out_of_fold import ThresholdCounts

PAGE = Path(__file__).parents[2] / "docs" / "coverage_studies.md"


class Given(ClassifierMixin, BaseEstimator):
    """A model whose probabilities are a column of X, or where ``fails`` says so none."""

    def __init__(self, column=0, fails=False):
        self.column = column
        self.fails = fails

    def fit(self, X, y):
        if self.fails and X[0, -1] != 0:  # the first row is not among those of the first fold
            raise ValueError("no fit today")
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, self.column], X[:, self.column]])

    def predict(self, X):
        return self.classes_[(X[:, self.column] > 0.5).astype(int)]


def data(share=0.5, n=300):
    """Scores that are right mostly, their negation, labels, a constant, and row numbers."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < share).astype(int)
    logit = np.log(share / (1 - share)) + 2.5 * (y - share) + rng.normal(size=n)
    score = 1 / (1 + np.exp(-logit))
    hard = (rng.random(n) < np.where(y, 0.8, 0.2)).astype(float)
    return np.column_stack([score, 1 - score, hard, np.full(n, share), np.arange(n)]), y


def found(models, X, y, **options):
    options = {"cv": KFold(5), "scoring": ["roc_auc", "balanced_accuracy"]} | options
    report = cross_validation_report(models, X, y, **options)
    return report, {(row.code, row.metric, row.model): row.text for row in report.findings()}


def test_nothing_is_found_of_a_good_model():
    _, told = found({"good": Given(0)}, *data())
    assert told == {}


def test_a_model_that_is_turned_round_is_worse_than_the_baseline():
    report, told = found({"turned": Given(1)}, *data())
    row = report.compare("roc_auc")[0]
    assert row.value < -0.3
    text = told["worse_than_baseline", "roc_auc", "turned"]
    assert text == (
        f"worse than the baseline ({row.value_a:.3f} against 0.500, {row.value:.3f} "
        f"[{row.low:.3f}, {row.high:.3f}])"
    )
    assert ("no_better_than_baseline", "roc_auc", "turned") not in told
    # Naming every row alike would be better, and is no threshold.
    assert not [code for code, _, _ in told if code == "poor_threshold"]


def test_labels_and_constants_as_scores():
    _, told = found({"hard": Given(2), "constant": Given(3), "good": Given(0)}, *data())
    kinds = {(code, model) for code, metric, model in told if metric is None}
    assert kinds == {("hard_labels", "hard"), ("constant_scores", "constant")}
    assert "ROC AUC" in told["hard_labels", None, "hard"]


def test_what_is_undefined_and_what_failed():
    X, y = data()
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    X[:, -1] = np.arange(len(y))
    report, told = found({"good": Given(0), "bad": Given(0, fails=True)}, X, y)
    assert "in 1 of 5 folds" in told["fit_failed", None, "bad"]
    undefined = {row.fold for row in report.folds() if row.model == "good" and row.note}
    assert f"in {len(undefined)} of 5 folds" in told["undefined", "roc_auc", "good"]
    assert "1 (0 in the smallest" in told["few_rows", None, None]


def test_few_rows_are_counted_in_the_smallest_fold():
    X, y = data(n=100)
    y[:] = 0
    y[np.r_[0:9, 20:30, 40:50, 60:70, 80:90]] = 1
    _, told = found({"good": Given(0)}, X, y, scoring="balanced_accuracy")
    assert told["few_rows", None, None].endswith("1 (9 in the smallest, 49 in total)")
    y[9] = 1
    _, told = found({"good": Given(0)}, X, y, scoring="balanced_accuracy")
    assert ("few_rows", None, None) not in told


def test_two_that_are_alike_are_within_noise():
    X, y = data()
    rng = np.random.default_rng(1)
    X[:, 1] = np.clip(X[:, 0] + rng.normal(0, 0.02, len(y)), 0, 1)
    report, told = found({"a": Given(0), "b": Given(1), "turned": Given(2)}, X, y)
    best = report.best("roc_auc")
    assert {best, best_and_next(report, "roc_auc")["against"]} == {"a", "b"}
    assert ("within_noise", "roc_auc", best) in told
    apart = report[["a", "turned"]]
    assert not [r for r in apart.findings() if r.code == "within_noise" and r.metric == "roc_auc"]


def test_half_is_a_poor_threshold_of_a_rare_class():
    X, y = data(share=0.05, n=2000)
    scoring = ["balanced_accuracy", "recall", "precision", "neg_log_loss"]
    report, told = found({"good": Given(0)}, X, y, scoring=scoring)
    # One row predicted rightly makes a precision of 1, and predicting all a recall of 1.
    assert [metric for code, metric, _ in told if code == "poor_threshold"] == ["balanced_accuracy"]
    text = told["poor_threshold", "balanced_accuracy", "good"]
    assert text.startswith(f"0.5 is a poor threshold at {100 * y.mean():.3g} % prevalence")
    # By hand: on each fold the threshold that is best on the other folds.
    values = []
    for _, test in KFold(5).split(X):
        rest = np.setdiff1d(np.arange(len(y)), test)
        grid = np.unique(np.quantile(X[rest, 0], np.linspace(0, 1, 400)))
        on_rest = [balanced_accuracy_score(y[rest], X[rest, 0] >= t) for t in grid]
        best = grid[int(np.argmax(on_rest))]
        values.append(balanced_accuracy_score(y[test], X[test, 0] >= best))
    given = float(re.search(r"give ([0-9.]+)", text)[1])
    assert given == pytest.approx(np.mean(values), abs=0.02)
    own = np.mean([row.value for row in report.folds() if row.metric == "balanced_accuracy"][:5])
    assert f"instead of {own:.4f}" in text


def test_a_row_of_repeated_folds_does_not_choose_for_itself():
    X, y = data(n=60)
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    report, _ = found({"good": Given(0)}, X, y, cv=folds, scoring="neg_log_loss")
    counted = ThresholdCounts.of(report, "good")
    for fold in range(6):
        inside = counted.fold == fold
        outside = ~np.isin(counted.rows, counted.rows[inside])
        # The other folds hold each of the 40 other rows twice.
        assert set(counted.counts(outside).total.tolist()) == {80}
        assert set(counted.counts(inside).total.tolist()) == {20}


def test_the_verdict_says_what_was_asked_and_how_sure_the_answer_is():
    X, y = data()
    report, _ = found({"good": Given(0), "turned": Given(1)}, X, y, pos_label=1)
    question, answer, target, undefined = conclusion(report)
    assert question == (
        "Which model predicts class 1 best? ROC AUC, 5-fold cross-validation on 300 rows."
    )
    row = report.summary()[0]
    best, second = answer.split("; ")
    assert best == f"Highest ROC AUC: good {row.mean:.3f} [{row.low:.3f}, {row.high:.3f}]"
    assert second.startswith("better than turned (+")
    assert "models trained on other samples of this size" in target
    assert undefined == "Every metric is defined on every fold."
    worst, _ = found({"turned": Given(1)}, X, y)
    assert "no model is better than this baseline" in conclusion(worst)[1]
    few, _ = found({"good": Given(0)}, X[np.argsort(y)], np.sort(y))
    assert "ROC AUC of good in 4 of 5" in conclusion(few)[-1]


def test_the_conclusion_about_a_loss_is_in_its_own_direction():
    X, y = data()
    report, _ = found({"good": Given(0), "turned": Given(1)}, X, y, scoring="neg_log_loss")
    question, answer, *_ = conclusion(report)
    assert "Log loss (lower is better)" in question
    row = report.summary()[0]
    assert answer.startswith(f"Lowest log loss: good {-row.mean:.3f} [{-row.high:.3f}, ")
    assert "; better than turned (-" in answer


def test_findings_are_rows_that_print():
    report, _ = found({"turned": Given(1)}, *data())
    rows = report.findings()
    fields = ["code", "text", "advice", "false_alarms"]
    assert [field for field in rows.fields() if field in fields] == fields
    assert rows.fields()[:13] == list(KEYS)
    own = report.compare("roc_auc")[0]
    assert [rows[0][key] for key in KEYS[5:12]] == [own[key] for key in KEYS[5:12]]
    assert all(row.advice == KINDS[row.code].advice for row in rows)
    lines = str(rows).splitlines()
    assert lines[0] == f"turned, ROC AUC: {rows[0].text}. Check the direction of its scores."
    loss, _ = found({"turned": Given(1)}, *data(), scoring="neg_log_loss")
    assert str(loss.findings()).endswith("Calibrate it.")
    assert [row.false_alarms for row in rows] == [KINDS[row.code].false_alarms for row in rows]
    (difference,) = [row.value for row in report.compare("roc_auc")]
    assert rows[0].value == difference
    assert {row.code for row in rows} <= set(KINDS)
    assert rows.to_markdown().startswith("| model | metric | finding | advice |")
    assert str(found({"good": Given(0)}, *data())[0].findings()) == "nothing found"


def test_findings_are_filtered_by_their_code():
    X, y = data()
    report, _ = found({"turned": Given(1), "hard": Given(2)}, X, y)
    codes = [row.code for row in report.findings()]
    assert {"worse_than_baseline", "hard_labels"} <= set(codes)
    for code in KINDS:
        assert [row.code for row in report.findings(code)] == [c for c in codes if c == code]
    both = report.findings(["hard_labels", "worse_than_baseline"])
    assert len(both) == sum(c in ("hard_labels", "worse_than_baseline") for c in codes)
    with pytest.raises(ValueError, match="code has to be one of"):
        report.findings("overfit")


class Memory(Given):
    """Knows the rows that it was fitted on; counts its predictions."""

    n_calls = 0

    def fit(self, X, y):
        self.known_ = {tuple(row): label for row, label in zip(X, y, strict=True)}
        return super().fit(X, y)

    def predict_proba(self, X):
        type(self).n_calls += 1
        given = [self.known_.get(tuple(row), row[self.column]) for row in X]
        return np.column_stack([1 - np.array(given), given])


def test_the_gap_from_the_training_rows_by_hand():
    X, y = data()
    scoring, folds = ["roc_auc", "neg_brier_score"], KFold(5)
    Memory.n_calls = 0
    models = {"memory": Memory(), "good": Given(0)}
    report = cross_validation_report(models, X, y, scoring=scoring, cv=folds, train=True)
    assert Memory.n_calls == 2 * 5  # test rows and training rows, once each
    rows = {(row.model, row.metric): row for row in report.summary()}
    gaps = []
    for train, test in folds.split(X):
        on_train = -np.mean((y[train] - X[train, 0]) ** 2)
        gaps.append(on_train + np.mean((y[test] - X[test, 0]) ** 2))
    loss = sklearn_scorer(
        brier_score_loss, greater_is_better=False, response_method="predict_proba"
    )  # no derivative by its rows: Nadeau and Bengio
    of_folds = cross_validation_report(Given(0), X, y, scoring=loss, cv=folds, train=True)
    row = of_folds.summary()[0]
    half = stats.t.ppf(0.975, 4) * np.sqrt(np.var(gaps, ddof=1) * (1 / 5 + 60 / 240))
    assert row.gap == pytest.approx(np.mean(gaps))
    assert (row.gap_low, row.gap_high) == pytest.approx((row.gap - half, row.gap + half))
    row = rows["good", "neg_brier_score"]  # training rows of a fitted model are known
    assert row.gap == pytest.approx(np.mean(gaps))
    assert (row.gap_low, row.gap_high) == pytest.approx((row.train - row.high, row.train - row.low))
    assert rows["memory", "neg_brier_score"].train == 0
    assert rows["memory", "roc_auc"].train == 1
    assert {(r.model, r.metric) for r in report.findings("overfits")} == {
        key for key, row in rows.items() if row.gap >= 0.02 and row.gap_low > 0
    }
    assert rows["memory", "neg_brier_score"].gap_low > 0.02 > rows["good", "roc_auc"].gap_low
    told = str(report.findings("overfits"))
    assert "memory, Brier score: 0.000 on the training rows against" in told
    assert [row.train_value for row in report.folds()[:2]] == [1, 0]
    flat = report.flat()
    assert flat["memory/roc_auc/gap"] == rows["memory", "roc_auc"].gap
    shown = str(report)
    assert "gap interval" in shown
    page = report.to_html()
    assert "Diamond: the training rows." in page
    assert 'class="train"' in page
    display = report.plot()
    drawn = display.columns()
    keys = zip(drawn["model"].tolist(), drawn["metric"].tolist(), strict=True)
    assert drawn["train"].tolist() == [rows[key].train for key in keys]
    assert "mean, training rows" in [t.get_text() for t in display.legend_.get_texts()]


def test_training_rows_are_saved_and_left_out_by_default(tmp_path):
    X, y = data()
    report = cross_validation_report({"good": Given(0)}, X, y, scoring="roc_auc", train=True)
    report.save(tmp_path / "report.zip")
    loaded = type(report).load(tmp_path / "report.zip")
    assert loaded == report
    assert loaded.summary() == report.summary()
    plain = cross_validation_report({"good": Given(0)}, X, y, scoring="roc_auc")
    assert not plain.has_train
    assert not {"train", "gap"} & set(plain.summary()[0])
    assert plain.findings("overfits") == []
    with pytest.raises(ValueError, match="train has to be one of"):
        cross_validation_report({"good": Given(0)}, X, y, train="yes")


def test_loaded_and_multiclass_reports_have_findings(tmp_path):
    X, y = data()
    three = y + (X[:, 0] > 0.9)
    report = cross_validation_report(
        {"b": GaussianNB(), "l": LogisticRegression(max_iter=1000)}, X[:, :2], three, cv=3
    )
    report.save(tmp_path / "report.zip")
    loaded = type(report).load(tmp_path / "report.zip")
    assert loaded.findings() == report.findings()


def test_shares_of_false_alarms_are_those_of_the_table():
    text = PAGE.read_text(encoding="utf-8")
    table = text.split("<!-- begin findings -->")[1].split("<!-- end")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    shown = {row[1].strip(" `"): float(row[2].strip(" %")) for row in rows}
    shares = {code: 100 * kind.false_alarms for code, kind in KINDS.items()}
    assert shown == pytest.approx({c: share for c, share in shares.items() if share == share})


@pytest.mark.parametrize("seed", range(6))
def test_no_text_contradicts_the_printed_interval(seed):
    """What is called better has an interval without 0, unless the adjusted p-value is given."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 120)
    noise = rng.normal(size=(120, 4))
    scores = 1 / (1 + np.exp(-(np.array([0.15, 0.3, 0.6, 1.2]) * (2 * y - 1)[:, None] + noise)))
    models = {name: Given(column) for column, name in enumerate("abcd")}
    report = cross_validation_report(models, scores, y, scoring=["roc_auc", "neg_brier_score"])
    form = re.compile(r"([+-]\d[.\d]*) \[(-?[.\d]+), (-?[.\d]+)\](, adjusted p (?:= )?([<.\d ]+))?")
    shown, rows = report.to_html(), {}
    for row in report.compare():
        excludes_0 = row["low_holm"] > 0 or row["high_holm"] < 0
        assert excludes_0 == (row["p_adjusted"] < 0.05)
        ends = row["low"], row["high"]
        rows[row["metric"], row["model"], row["against"]] = ends, row["p_adjusted"]
        rows[row["metric"], row["against"], row["model"]] = (-ends[1], -ends[0]), row["p_adjusted"]
        if row["metric"].startswith("neg_"):  # the page shows the loss
            ends = -ends[1], -ends[0]
        assert f"[{ends[0]:z.4f}, {ends[1]:z.4f}]" in shown
    texts = [(row.metric, row.model, row.text) for row in report.findings() if row.metric]
    texts += [("roc_auc", report.best(), text) for text in conclusion(report)[1].split("; ")[1:]]
    assert texts
    for metric, model, text in texts:
        other = re.search(r"(?:runner-up, |than |from )([a-d])(?= \()", text)
        other = report.baseline if other is None else other[1]
        (low, high), p_holm = rows[metric, model, other]
        low, high = (-high, -low) if metric.startswith("neg_") else (low, high)
        told = form.search(text)
        assert [float(told[2]), float(told[3])] == pytest.approx([low, high], abs=0.00051)
        assert ("not distinguishable" in text) == (p_holm >= 0.05)
        assert bool(told[4]) == ((low <= 0 <= high) != (p_holm >= 0.05))
    baseline = report.compare(against="baseline")
    assert [dict(r) for r in baseline] == [
        r for r in report.compare() if r.against == report.baseline
    ]


def test_adjusted_intervals_have_the_levels_of_holms_method():
    """By hand: 0.05 / 3 for the smallest p, then 0.05 / 2; the first failure decides the rest."""
    X, y = data(n=150)
    report, _ = found({"good": Given(0), "hard": Given(2)}, X, y, scoring="roc_auc")
    rows = sorted(report.compare(), key=lambda row: row["p_value"])
    values = {m: [r.values["roc_auc"] for r in report.results_of(m)] for m in report.models}
    level, is_rejected = 0.05 / 3, True
    for place, row in enumerate(rows):
        level = 0.05 / (3 - place) if is_rejected else level
        is_rejected = is_rejected and row["p_value"] < level
        gaps = np.subtract(values[row["model"]], values[row["against"]])
        half = stats.t.isf(level / 2, 4) * np.sqrt(gaps.var(ddof=1) * (1 / 5 + 1 / 4))
        assert row["low_holm"] == pytest.approx(gaps.mean() - half)
        assert row["high_holm"] == pytest.approx(gaps.mean() + half)
        assert row["p_value"] == pytest.approx(
            2 * stats.t.sf(abs(gaps.mean()) / half * stats.t.isf(level / 2, 4), 4)
        )


@pytest.mark.parametrize(
    ("name", "weighs_both"),
    [("f1", True), ("balanced_accuracy", True), ("matthews_corrcoef", True),
     ("precision", False), ("recall", False), ("error_rate", False), ("roc_auc", False),
     ("confusion_matrix", False), ("specificity", False), ("negative_predictive_value", False),
     ("accuracy", False), ("false_positive_rate", False), ("cohen_kappa", True)],
)  # fmt: skip
def test_thresholds_are_judged_by_metrics_that_weigh_both_errors(name, weighs_both):
    assert _weighs_both(find(name)) is weighs_both

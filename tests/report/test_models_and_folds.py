"""Names of models, folds, groups and predictions of a report, by hand."""

from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import (
    confidence_interval,
    cross_validation_report,
    roc_auc_score,
    top_k_accuracy_score,
)
from skmetrics_ext.report.cross_validation import names_of, splitter_text
from skmetrics_ext.report.fold import Fold, FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import ScoredData
from tests.report.test_findings import Given

NAN = float("nan")
RNG = np.random.default_rng(0)
N = 60
X, Y = RNG.random((N, 3)), np.arange(N) % 2


def report_of(models=None, y=Y, **options):
    options = {"cv": KFold(3), "scoring": ["roc_auc", "recall"]} | options
    return cross_validation_report(models or {"m": Given(0)}, X, y, **options)


# --------------------------------------------------------------------------- names


class Model(ClassifierMixin, BaseEstimator):
    def __init__(self, a=0, b=0, c=0, d=None):
        self.a, self.b, self.c, self.d = a, b, c, d

    def fit(self, X, y):
        return self


@pytest.mark.parametrize(("length", "is_named"), [(60, True), (61, False)])
def test_longer_names_than_60_characters_become_numbers(length, is_named):
    """Model (a='...') has 12 characters around the text."""
    texts = ["x" * (length - 12), "y"]
    names = names_of([Model(a=text) for text in texts])
    assert len(f"Model (a={texts[0]!r})") == length
    assert names == ([f"Model (a={texts[0]!r})" if is_named else "Model", "Model (a='y')"])


def test_names_tell_at_most_three_parameters():
    assert names_of([Model(), Model(1, 2, 3)]) == [
        "Model (a=0, b=0, c=0)",
        "Model (a=1, b=2, c=3)",
    ]
    assert names_of([Model(), Model(1, 2, 3, 4)]) == ["Model", "Model_2"]
    assert names_of([Model(d=None), Model(d=1.5)]) == ["Model (d=None)", "Model (d=1.5)"]
    # An estimator is no plain value.
    assert names_of([Model(d=GaussianNB()), Model(d=None)]) == ["Model", "Model_2"]
    assert names_of([Model(a=1), GaussianNB(), Model(a=2), Model(a=1)]) == [
        "Model (a=1)",
        "GaussianNB",
        "Model (a=2)",
        "Model (a=1)_2",
    ]


def test_names_tell_the_steps_that_others_lack():
    scaled = make_pipeline(StandardScaler(), Model(a=1))
    assert names_of([scaled, make_pipeline("passthrough", Model(a=2)), Model(a=3)]) == [
        "Model (StandardScaler)",
        "Model (passthrough)",
        "Model",
    ]
    assert names_of([scaled, make_pipeline(StandardScaler(), Model(a=2))]) == [
        "Model (a=1)",
        "Model (a=2)",
    ]


def test_a_name_that_is_taken_has_a_number():
    report = report_of({"baseline (prior)": Given(0)})
    assert report.models == ("baseline (prior)", "baseline (prior)_2")
    assert report.baseline == "baseline (prior)_2"
    assert [row.is_baseline for row in report.summary()[::2]] == [False, True]


class Folds:
    def __init__(self, length):
        self.length = length

    def split(self, X, y=None, groups=None):
        return iter(KFold(2).split(X))

    def get_n_splits(self, *_):
        return 2

    def __repr__(self):
        return "x" * (self.length - 2) + "\n y"


def test_folds_are_told_on_a_line():
    assert splitter_text(Folds(80), Folds(80)) == "x" * 78 + " y"
    assert splitter_text(Folds(81), Folds(81)) == "Folds"
    assert splitter_text(iter([]), Folds(20)) == "folds as given"
    assert splitter_text(5, KFold(5)) == "KFold(n_splits=5, random_state=None, shuffle=False)"


@pytest.mark.parametrize(
    ("several", "groups", "seed", "told"),
    [
        (False, None, None, "StratifiedKFold(n_splits=3, random_state=None, shuffle=False)"),
        (False, None, 0, "StratifiedKFold(n_splits=3, random_state=0, shuffle=True)"),
        (False, N // 2, None, "StratifiedGroupKFold(n_splits=3, random_state=None, shuffle=False)"),
        (True, None, None, "KFold(n_splits=3, random_state=None, shuffle=False)"),
        (True, None, 0, "KFold(n_splits=3, random_state=0, shuffle=True)"),
        (True, N // 2, None, "GroupKFold(n_splits=3"),
    ],
)
def test_folds_of_a_number(several, groups, seed, told):
    y = np.column_stack([Y, 1 - Y, Y[::-1]]) if several else Y
    group = None if groups is None else np.arange(N) % groups
    report = report_of(
        {"tree": DecisionTreeClassifier(max_depth=1)}, y, cv=3, groups=group, random_state=seed,
        scoring="accuracy",
    )  # fmt: skip
    assert report.splitter.startswith(told)
    tested = np.concatenate([r.rows for r in report.results_of("tree")])
    assert sorted(tested) == list(range(N))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"groups": np.zeros(N - 1)}, "X: 60, y: 60, groups: 59"),
        ({"sample_weight": np.ones(N + 1)}, "X: 60, y: 60, sample_weight: 61"),
        ({"params": {"sample_weight": np.ones(3)}}, "X: 60, y: 60, sample_weight: 3"),
    ],
)
def test_columns_of_another_length_are_named(given, told):
    with pytest.raises(ValueError, match=f"inconsistent numbers of samples: {told}"):
        report_of(**given)


def test_a_weight_that_is_none_is_not_given():
    plain, none = report_of(), report_of(params={"sample_weight": None})
    assert none.summary() == plain.summary()
    weight = np.arange(N) % 3
    own = report_of({"b": GaussianNB()}, sample_weight=weight, params={"sample_weight": None})
    same = report_of({"b": GaussianNB()}, sample_weight=weight)
    assert own.summary() == same.summary() != report_of({"b": GaussianNB()}).summary()


def test_weights_reach_a_model_within_two_pipelines():
    weight = np.arange(N) % 3
    nested = make_pipeline(make_pipeline(GaussianNB()))
    own, same = (report_of({"b": model}, sample_weight=weight) for model in (nested, GaussianNB()))
    assert [r.values for r in own.results] == [r.values for r in same.results]


# --------------------------------------------------------------------------- folds and groups


def test_groups_of_each_fold_are_counted():
    """Groups 0, 1, 2, 3 and 4 of eight rows; group 1 and 2 are torn."""
    of_row = np.array([0, 0, 1, 1, 2, 2, 3, 4])
    folds = [Fold(0, np.array([0, 1, 2]), np.array([3, 4])),
             Fold(1, np.array([4, 6]), np.array([5, 7, 0]))]  # fmt: skip
    grouping = Grouping.of(of_row, folds)
    assert grouping.sizes == {0: (2, 2), 1: (2, 3)}
    assert (grouping.n_split, grouping.n_groups) == (2, 5)
    assert grouping.warnings == [
        "2 of 5 groups have training and test rows in the same fold: models were tested on groups "
        "that they had seen"
    ]
    assert Grouping.of(of_row, folds[:0]).warnings == []


def test_results_of_folds_are_equal_if_all_their_numbers_are():
    one = FoldResult("m", 0, 2, 1, 0.5, 0.25, {"f1": NAN}, {"f1": "why"}, {"f1": "note"},
                     train_values={"f1": NAN})  # fmt: skip
    assert one == replace(one, values={"f1": float("nan")}, train_values={"f1": float("nan")})
    others = dict.fromkeys(("fold", "n_train", "n_test", "fit_time", "score_time"), 9)
    others |= {"values": {"f1": 0}, "train_values": {"f1": 0}, "model": "n"}
    others |= {"reasons": {}, "notes": {}}
    for name, value in others.items():
        assert one != replace(one, **{name: value}), name
    assert {field.name for field in fields(one)} - set(others) == {"rows", "classes", "responses"}
    assert one != "m"
    assert one.fit_error == ""
    failed = replace(one, reasons={"a": "other", "f1": "fit failed: why"})
    assert failed.fit_error == "fit failed: why"


def test_times_are_means_over_the_folds():
    report = report_of(baseline=None)
    results = [replace(r, fit_time=k, score_time=2 * k) for k, r in enumerate(report.results)]
    timed = replace(report, results=tuple(results), models=("m", "other"))
    assert timed.times()["m"] == (1, 2)
    assert np.isnan(timed.times()["other"]).all()


class Seen(ClassifierMixin, BaseEstimator):
    """Decision values, and probabilities, of the classes that it has seen."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        if len(self.classes_) == 2:
            return X[:, 0]
        return X[:, : len(self.classes_)]

    def predict(self, X):
        return np.repeat(self.classes_[-1], len(X))


def result_of(fold, rows, classes, **responses):
    known = {"rows": np.array(rows), "classes": np.array(classes), "responses": responses}
    return FoldResult("m", fold, 3, len(rows), 0, 0, {}, **known)


def test_predictions_of_folds_with_other_classes_have_a_column_for_each():
    first = result_of(0, [4, 1], [0, 2], decision_function=np.array([0.5, -1.5]),
                      predict=np.array([2, 0]))  # fmt: skip
    table = np.array([[1.0, 2.0, 3.0]])
    second = result_of(3, [2], [2, 1, 0], decision_function=table, predict=np.array([1]))
    both = ScoredData(np.zeros(5)).joined([first, replace(first, responses={}), second])
    assert both.rows.tolist() == [4, 1, 2]
    assert both.fold.tolist() == [0, 0, 3]
    assert both.classes.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(
        both.responses["decision_function"],
        [[-0.5, NAN, 0.5], [1.5, NAN, -1.5], [3.0, 2.0, 1.0]],
    )
    assert both.responses["predict"].tolist() == [2, 0, 1]
    shares = [[0.25, 0.75], [0.5, 0.5]], [[0.5, 0.25, 0.25]]
    proba = [
        replace(part, responses={"predict_proba": np.array(own)})
        for part, own in zip((first, second), shares, strict=True)
    ]
    np.testing.assert_array_equal(
        ScoredData(np.zeros(5)).joined(proba).responses["predict_proba"],
        [[0.25, 0, 0.75], [0.5, 0, 0.5], [0.25, 0.25, 0.5]],
    )


def test_predictions_keep_the_order_of_classes_that_all_folds_have():
    parts = [result_of(k, [k], ["b", "a"], decision_function=np.array([k + 0.5]),
                       predict=np.array(["a"]), other=np.zeros(1)) for k in range(2)]  # fmt: skip
    del parts[1].responses["other"]
    both = ScoredData(np.zeros(5)).joined(parts)
    assert both.classes.tolist() == ["b", "a"]
    assert both.responses["decision_function"].tolist() == [0.5, 1.5]
    assert list(both.responses) == ["decision_function", "predict"]
    unknown = ScoredData(np.zeros(5)).joined([replace(part, classes=None) for part in parts])
    assert unknown.classes is None
    assert unknown.responses["decision_function"].tolist() == [0.5, 1.5]
    empty = ScoredData(np.zeros(5)).joined([replace(parts[0], responses={})])
    assert (empty.rows.shape, empty.fold.shape, empty.classes, empty.responses) == (
        (0,), (0,), None, {},
    )  # fmt: skip


def test_decisions_of_folds_that_lack_a_class_are_compared_where_both_have_it():
    y = np.arange(N) % 3
    folds = [(np.flatnonzero(y != 1)[:20], np.arange(20, 60)), (np.arange(20, 60), np.arange(20))]
    report = cross_validation_report(
        {"m": Seen()}, X, y, cv=folds, scoring=["roc_auc_ovr", "accuracy"], baseline=None
    )
    kept = report.predictions["m"]
    assert kept.classes.tolist() == [0, 1, 2]
    decisions = kept.responses["decision_function"]
    np.testing.assert_array_equal(decisions[:40, 2], X[20:, 0])
    np.testing.assert_array_equal(decisions[:40, 0], -X[20:, 0])
    assert np.isnan(decisions[:40, 1]).all()
    np.testing.assert_array_equal(decisions[40:], X[:20])


def test_what_is_pooled_and_with_which_draws():
    names = ["neg_expected_calibration_error", "net_benefit_at_20", "roc_auc", "ks_statistic"]
    report = report_of(scoring=names, baseline=None)
    rows = {row.metric: row for row in report.pooled()}
    kept = report.predictions["m"]
    true, score = Y[kept.rows], kept.responses["predict_proba"][:, 1]
    error = confidence_interval("expected_calibration_error", true, score, random_state=0)
    row = rows["neg_expected_calibration_error"]
    assert (row.value, row.low, row.high) == (-error.value, -error.high, -error.low)
    benefit = confidence_interval("net_benefit_at_20", true, score)
    row = rows["net_benefit_at_20"]
    assert (row.value, row.low) == pytest.approx((benefit.value, benefit.low), rel=1e-12)
    for name in names[2:]:
        assert np.isnan(rows[name].value)
        assert "no common scale" in rows[name].note
    several = report_of({"b": GaussianNB()}, np.arange(N) % 3, scoring="top_k_accuracy")
    row, kept = several.pooled()[0], several.predictions["b"]
    right = top_k_accuracy_score(np.arange(N)[kept.rows] % 3, kept.responses["predict_proba"])
    assert row.value == pytest.approx(right)


# --------------------------------------------------------------------------- groups of results


def test_the_table_of_groups_has_gaps_from_the_rest():
    site = np.array(["A", "B", "C"])[np.arange(N) // 4 % 3]
    report = report_of(by={"site": site}, scoring=["recall", "roc_auc"])
    lines = str(report).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("by site: "))
    table = lines[start + 2 :]
    head = table[0].split("  ")
    assert [title.strip() for title in head if title] == [
        "model", "metric", "site", "value", "95 % interval", "gap", "p (adjusted)", "rows", "note",
    ]  # fmt: skip
    place = table[0].index("site")
    assert [line[place : place + 4].rstrip() for line in table[2:10]] == ["A", "B", "C", "all"] * 2
    evaluation = report.by_group()
    gaps = evaluation.gaps("recall")
    for line, group in zip(table[2:6], ("A", "B", "C", None), strict=True):
        row, cells = evaluation.row("recall", group), line.split()
        assert cells[3] == f"{row.value:.4f}"
        assert f"[{row.low:.4f}, {row.high:.4f}]" in line
        assert str(row.n_rows) == str(20 if group else 60)
        assert f"  {row.n_rows}" in line
        if group is not None:
            gap = gaps.row(group=group)
            assert f"]  {gap.value:+.4f}  {gap.p_adjusted:12.3f}  " in line
        else:
            assert "+" not in line.split("]")[1]
    assert "baseline" not in " ".join(table[2:10])
    note = " ".join(lines[-3:])
    assert (
        "95 % intervals for the 3 fitted models (not for retraining on new data); gap: difference"
        in note
    )
    for group in ("A", "B", "C"):
        own = [
            roc_auc_score(Y[rows], X[rows, 0])
            for rows in (test[site[test] == group] for _, test in KFold(3).split(X))
        ]
        assert evaluation.value("roc_auc", group) == pytest.approx(np.mean(own), rel=1e-12)


def test_groups_without_a_value_say_why():
    site = np.where(np.arange(N) < 20, "first", np.where(np.arange(N) % 4, "B", "one class"))
    report = report_of(by={"site": site}, scoring=["roc_auc", "recall"], baseline=None)
    found = report.by_group()
    own = roc_auc_score(Y[:20], X[:20, 0])  # of the only fold that has rows of it
    assert found.value("roc_auc", "first") == pytest.approx(own, rel=1e-12)
    estimate = confidence_interval("roc_auc", Y[:20], X[:20, 0])
    row = found.row("roc_auc", "first")
    assert (row.low, row.high) == pytest.approx((estimate.low, estimate.high), rel=1e-9)
    row = found.row("roc_auc", "one class")
    assert np.isnan(row.value)
    assert row.note == "undefined on every fold: a class has no rows"
    assert [r.n_rows for r in found if r.metric == "recall"] == [30, 20, 10, 60]


@pytest.mark.filterwarnings("ignore:.*takes no sample_weight")
def test_groups_of_rows_without_weight_are_those_of_the_other_rows():
    weight, fold = np.arange(N) % 3, np.arange(N) // 20
    found = []
    for kept in (np.ones(N, dtype=bool), weight > 0):
        folds = [(np.flatnonzero(fold[kept] != k), np.flatnonzero(fold[kept] == k))
                 for k in range(3)]  # fmt: skip
        report = cross_validation_report(
            {"m": Given(0)}, X[kept], Y[kept], cv=folds, groups=np.arange(N)[kept] // 4,
            by={"site": (np.arange(N) // 4 % 2)[kept]}, sample_weight=weight[kept],
            scoring=["f1", "accuracy", "neg_log_loss", "roc_auc"], baseline=None,
        )  # fmt: skip
        found.append(report.by_group().rows)
    for row, other in zip(*found, strict=True):
        assert (row.group, row.metric) == (other.group, other.metric)
        assert (row.value, row.low, row.high) == pytest.approx(
            (other.value, other.low, other.high), rel=1e-5
        )


def test_untested_groups_have_no_predictions():
    site = np.where(np.arange(N) < 20, "first", "others")
    folds = [(np.arange(30), np.arange(30, 60)), (np.arange(20, 40), np.arange(40, 60))]
    report = report_of(by={"site": site}, cv=folds, baseline=None)
    row = report.by_group().row("recall", "first")
    assert np.isnan(row.value)
    assert (row.n_rows, row.note) == (0, "0 rows are fewer than min_rows=1")
    assert report.by_group().row("recall").n_rows == 50
    assert "by site: out-of-fold values of models fitted on rows of all groups" in str(report)

"""The tables of a report: their columns, their texts, and the numbers of folds that are set."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import brier_score_loss
from sklearn.metrics import make_scorer as sklearn_scorer
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skmetrics_ext import accuracy_score, cross_validation_report, get_scorer, make_scorer
from skmetrics_ext.formats import with_interval
from skmetrics_ext.inference.estimate_rows import for_people, shown_metric
from skmetrics_ext.report import summary as summaries
from skmetrics_ext.report.out_of_fold import ScoredData
from skmetrics_ext.report.sentences import question_text, rival_text
from skmetrics_ext.report.summary import bounds_of
from skmetrics_ext.report.tables import _fitting_tables
from skmetrics_ext.results import Row
from tests.report.test_findings import Given

NAN, INF = float("nan"), float("inf")
RNG = np.random.default_rng(0)
N = 60
X, Y = RNG.random((N, 3)), np.arange(N) % 2


def report_of(models=2, **options):
    options = {"cv": KFold(3), "scoring": ["roc_auc", "recall"]} | options
    given = {f"m{k}": Given(k) for k in range(models)}
    return cross_validation_report(given, X, Y, **options)


def with_values(report, metric, values, of="m0", key="values"):
    """The report with other values of a metric in the folds of a model."""
    left = list(values)
    results = [
        replace(r, **{key: {**getattr(r, key), metric: left.pop(0)}}) if r.model == of else r
        for r in report.results
    ]
    assert not left
    return replace(report, results=tuple(results))


def header(rows):
    return rows.header()


# --------------------------------------------------------------------------- columns


def test_columns_of_each_table():
    report = report_of(confidence_level=0.9)
    assert header(report.summary("cv"))[:5] == ["model", "metric", "mean", "sd", "90 % interval"]
    assert header(report.summary("pooled"))[3:6] == ["sd", "pooled", "90 % interval"]
    assert "train" not in header(report.summary())
    folds = ["model", "metric", "fold", "value", "train", "test", "fit (s)", "score (s)"]
    assert header(report.folds()) == folds
    pooled = ["model", "metric", "value", "90 % interval", "method", "rows", "note"]
    assert header(report.pooled()) == pooled
    trained = report_of(train=True)
    assert header(trained.summary())[5:8] == ["train", "gap", "gap interval"]
    assert header(trained.folds()) == [*folds[:6], "on train", *folds[6:]]
    assert "on train" not in str(report.folds())


def test_columns_and_the_note_of_comparisons():
    report = report_of(confidence_level=0.9)
    plain = report.compare()
    first = ["metric", "model", "against", "value", "reference", "difference", "90 % interval"]
    assert header(plain) == [*first, "p (adjusted)"]
    (note,) = plain.notes
    assert "Each interval holds alone; p is adjusted for all pairs of a metric (Holm)." in note
    one = report.compare("recall", rope=0.05)
    assert header(one)[8:] == ["P(better)", "P(±0.05)", "P(worse)"]
    assert one.notes[0].endswith("by more than the region of practical equivalence, or neither.")
    both = report.compare(rope={"recall": 0.05, "roc_auc": 0.1})
    assert header(both)[8:] == ["P(better)", "P(same)", "P(worse)"]
    assert header(report.compare(rope={"recall": 0.05}))[9] == "P(same)"
    none = report_of(1, baseline=None).compare()
    assert (none.notes, str(none)) == ((), "no pair of models to compare")


def test_an_undefined_difference_is_called_so():
    report = with_values(report_of(), "recall", [NAN, NAN, 0.5])
    rows = report.compare("recall")
    assert [row.n_folds for row in rows] == [1, 1, 3]
    assert "undefined" in str(rows).splitlines()[2].split()
    assert np.isnan([rows[0][f"p_{key}"] for key in ("a_better", "equivalent", "b_better")]).all()
    (two, *_) = with_values(report_of(), "recall", [NAN, 0.5, 0.75]).compare("recall")
    assert two.n_folds == 2
    assert not np.isnan([two.p_value, two.low, two.p_adjusted, two.p_a_better]).any()


# --------------------------------------------------------------------------- the printed report


def test_cells_of_the_printed_report_and_their_notes():
    report = with_values(report_of(), "recall", [0.25, NAN, 0.75])
    report = with_values(report, "recall", [NAN] * 3, of="m1")
    folds = {"m0": [{}, {"recall": "no row"}, {}], "m1": [{"recall": "no row"}] * 3}
    notes = {"m0": [{"recall": "by rule"}, {}, {}]}
    results = tuple(
        replace(
            r,
            reasons=folds.get(r.model, [{}] * 3)[r.fold],
            notes=notes.get(r.model, [{}] * 3)[r.fold],
            fit_time=float(r.fold) if r.model == "m0" else 0.5,
        )
        for r in report.results
    )
    report = replace(report, results=results)
    text = str(report)
    head, table, notes = text.split("\n\n")
    assert head.startswith("highest ROC AUC: ")
    assert "\n3 folds of 60 rows: KFold(n_splits=3, random_state=None, shuffle=False)" in head
    cells = {line.split("  ")[0]: line for line in table.splitlines()[2:]}
    row = next(r for r in report.summary() if (r.model, r.metric) == ("m0", "recall"))
    ends = f"[{row.low:.3f}, {row.high:.3f}]"
    assert f"  0.500 {ends} (1 undefined) [" in cells["m0"]
    assert re.search(r"  undefined \(3\) [\[\]\d]+    0.500$", cells["m1"])
    for note in (
        "Recall of m0: undefined in 1 of 3 folds: no row",
        "Recall of m0: by convention in 1 of 3 folds: by rule",
        "Recall of m1: undefined in 3 of 3 folds: no row",
    ):
        assert re.search(rf"^\[\d\] {note}$", notes, re.MULTILINE)
    same = with_values(report_of(), "recall", [NAN] * 3)
    same = with_values(same, "roc_auc", [NAN] * 3)
    reasons = [replace(r, reasons=dict.fromkeys(r.reasons or r.values, "why") if r.model == "m0"
                       else r.reasons) for r in same.results]  # fmt: skip
    text = str(replace(same, results=tuple(reasons)))
    assert "] ROC AUC, Recall of m0: undefined in 3 of 3 folds: why" in text


def test_heading_of_groups_and_of_data_without_a_positive_class():
    groups = np.arange(N) // 2
    lines = str(report_of(groups=groups, cv=GroupKFold(3))).splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith("3 folds of 60 rows"))
    assert "in 30 groups: GroupKFold(n_splits=3" in lines[place]
    head = " ".join(map(str.strip, lines[: lines.index("")]))
    assert "positive class: 1; intervals by groups; mean with 95 % intervals for the" in head
    names = np.array(["a", "b"])[Y]
    report = cross_validation_report({"m": Given(0)}, X, names, cv=KFold(3), scoring="roc_auc")
    assert "positive class" not in str(report)


def grid(*columns):
    """Rows of a printed report: a head, and lines of cells of these widths."""
    head = ["model", *(f"s{k}" for k in range(len(columns[0]))), "fit"]
    return [
        head,
        *([f"m{i}", *("x" * width for width in row), "0"] for i, row in enumerate(columns)),
    ]


def heads(tables):
    return [table.splitlines()[0].split() for table in tables]


def test_tables_are_turned_or_cut_where_they_do_not_fit_into_100_characters():
    """Models in rows take 5 + 2 + cells + 2 + 3 characters."""
    fits = _fitting_tables(grid([88]))
    assert heads(fits) == [["model", "s0", "fit"]]
    assert max(map(len, fits[0].splitlines())) == 100
    # Turned: 6 for "metric", and for each model 2 and its widest cell.
    turned = _fitting_tables(grid([89]))
    assert heads(turned) == [["metric", "m0"]]
    assert [line.split()[0] for line in turned[0].splitlines()[2:]] == ["s0", "fit"]
    assert heads(_fitting_tables(grid([41, 41], [50, 50]))) == [
        ["model", "s0", "fit"],
        ["model", "s1", "fit"],
    ]
    cut = _fitting_tables(grid([43, 43, 50], [43, 43, 50]))
    assert heads(cut) == [["model", "s0", "s1", "fit"], ["model", "s2", "fit"]]
    assert max(map(len, cut[0].splitlines())) == 100
    assert [line.split()[-1] for line in cut[1].splitlines()] == ["fit", "---", "0", "0"]


# --------------------------------------------------------------------------- words


def test_losses_are_turned_for_people_and_own_names_are_kept():
    assert shown_metric("neg_log_loss") == ("Log loss", -1)
    assert shown_metric("roc_auc") == ("ROC AUC", 1)
    assert shown_metric("neg_own") == ("neg_own", 1)
    row = {"metric": "neg_log_loss", "mean": -0.5, "low": -0.75, "high": -0.25, "std": 0.125,
           "low_holm": 1, "high_holm": 2, "gap_low": 3, "gap_high": 4, "gap": 0.5, "value": None,
           "train": -1, "train_value": -2}  # fmt: skip
    shown = for_people(Row(row))
    assert dict(shown) == {
        "metric": "Log loss", "mean": 0.5, "low": 0.25, "high": 0.75, "std": 0.125, "low_holm": -2,
        "high_holm": -1, "gap_low": -4, "gap_high": -3, "gap": -0.5, "value": None,
        "train": 1, "train_value": 2,
    }  # fmt: skip
    kept = for_people(Row(row | {"metric": "recall"}))
    assert dict(kept) == row | {"metric": "Recall"}


def test_a_difference_as_a_text():
    """The adjusted p-value decides, and is shown where the interval alone says the opposite."""
    assert rival_text("b", (-0.25, -0.5, 0.125), 0.4, 0.05) == (
        "not distinguishable from b (-0.250 [-0.500, 0.125])"
    )
    assert rival_text("b", (0.25, 0.125, 0.5), 0.0001, 0.05) == (
        "better than b (+0.250 [0.125, 0.500])"
    )
    assert rival_text("b", (0.25, 0.125, 0.5), 0.06, 0.05) == (
        "not distinguishable from b (+0.250 [0.125, 0.500], adjusted p = 0.06)"
    )
    assert with_interval(0.99547, 0.98747, 0.99838) == "0.995 [0.987, 0.998]"
    assert with_interval(0.5, 0.4996, 0.5004) == "0.50000 [0.49960, 0.50040]"
    assert with_interval(NAN, NAN, NAN) == "undefined"


def test_the_question_of_a_page():
    assert question_text(["a", "b"], 1) == "Which model predicts class 1 best?"
    assert question_text(["a"], "ill") == "How well does a predict 'ill'?"
    assert question_text(["a"], None) == "How well does a predict the class?"


# --------------------------------------------------------------------------- intervals


@pytest.mark.parametrize(
    ("scorer", "bounds"),
    [
        (get_scorer("roc_auc"), (0, 1)),
        (get_scorer("matthews_corrcoef"), (-1, 1)),
        (get_scorer("neg_log_loss"), (-INF, 0)),
        (get_scorer("neg_brier_score"), (-1, 0)),  # of two classes
        (make_scorer(accuracy_score, normalize=False), (-INF, INF)),
        (make_scorer(accuracy_score, normalize=True), (0, 1)),
        (lambda model, X, y: 0.5, (-INF, INF)),
    ],
)
def test_a_scorer_has_the_range_of_its_metric(scorer, bounds):
    assert bounds_of(ScoredData(y=np.array([0, 1, 1]), scorers={"a": scorer}), "a") == bounds


def test_corrected_intervals_of_set_values():
    report = with_values(report_of(confidence_level=0.9), "recall", [0.25, NAN, 0.75])
    row = next(r for r in report.summary("corrected") if (r.model, r.metric) == ("m0", "recall"))
    error = np.sqrt(0.125 * (1 / 2 + 20 / 40))
    assert (row.mean, row.std, row.n_folds, row.n_undefined) == (0.5, np.sqrt(0.125), 3, 1)
    assert row.standard_error == pytest.approx(error)
    assert (row.low, row.high) == (0, 1)  # half of the width is 6.3 * 0.35
    assert stats.t.ppf(0.95, 1) * error > 0.5
    for values, told in (
        ([0.25, NAN, NAN], "the metric has a finite value on 1 folds; 2 are needed"),
        ([0.25, INF, 0.5], "the metric has a finite value on 2 folds; 2 are needed"),
        ([0.25, 0.25, 0.25], "the value is the same on every fold, so there is no interval"),
    ):
        (row, *_) = with_values(report, "roc_auc", values).summary("corrected")
        assert np.isnan([row.low, row.high]).all()
        assert row.note.startswith(told)


def test_means_of_infinite_values_have_no_spread():
    row = with_values(report_of(), "roc_auc", [INF, 0.5, INF]).summary("corrected")[0]
    assert row.mean == INF
    assert np.isnan(row.std)
    row = with_values(report_of(), "roc_auc", [NAN, 0.5, NAN]).summary("corrected")[0]
    assert row.mean == 0.5
    assert np.isnan(row.std)


def test_a_gap_is_that_of_the_folds_with_both_values():
    loss = sklearn_scorer(
        brier_score_loss, greater_is_better=False, response_method="predict_proba"
    )
    report = report_of(1, scoring={"loss": loss}, train=True, baseline=None)
    report = with_values(report, "loss", [0.5, 0.25, 0.75])
    gaps = with_values(report, "loss", [1.0, NAN, 1.0], key="train_values").summary()[0]
    half = stats.t.ppf(0.975, 1) * np.sqrt(np.var([0.5, 0.25], ddof=1) * (1 / 2 + 20 / 40))
    assert (gaps.mean, gaps.train, gaps.gap) == (0.5, 1, 0.375)
    assert (gaps.gap_low, gaps.gap_high) == pytest.approx((0.375 - half, 0.375 + half))
    for values, known in (([1.0, NAN, NAN], 1), ([NAN] * 3, 0), ([1.0, 0.75, 1.25], 3)):
        row = with_values(report, "loss", values, key="train_values").summary()[0]
        assert np.isnan([row.gap_low, row.gap_high]).all()
        assert np.isnan(row.gap) == (known == 0)
        assert known == 0 or row.gap == 0.5


@pytest.mark.parametrize(("n_folds", "asked"), [(2, 3), (3, 3), (10, 10), (12, 10)])
def test_nested_intervals_take_from_3_to_10_folds(monkeypatch, n_folds, asked):
    calls = []

    def nested(model, X, y, **options):
        calls.append(options)
        raise ValueError("no\nmore")

    monkeypatch.setattr(summaries, "nested_cv_interval", nested)
    options = {"cv": KFold(n_folds), "baseline": None, "confidence_level": 0.9}
    report = report_of(1, scoring=["accuracy", "roc_auc"], **options)
    with pytest.raises(ValueError, match=r"not available: ValueError: no more; .* not roc_auc"):
        report.summary("nested")
    assert [(c["n_folds"], c["loss"], c["confidence_level"], c["groups"]) for c in calls] == [
        (asked, "error_rate", 0.9, None)
    ]
    assert calls[0]["random_state"] == 0
    groups = {"groups": np.arange(N) // 2, "cv": GroupKFold(3), "baseline": None}
    with pytest.raises(ValueError, match="not available"):
        report_of(1, scoring="accuracy", **groups).summary("nested")
    assert calls[1]["groups"].tolist() == groups["groups"].tolist()


@pytest.mark.parametrize("model", [GaussianNB(), KNeighborsClassifier()])
@pytest.mark.filterwarnings("ignore:.*takes no sample_weight")
def test_nested_intervals_take_no_weights(model):
    """Whether the fits take them, or only the metrics do."""
    report = cross_validation_report(
        {"m": model}, X, Y, cv=3, scoring="accuracy", sample_weight=np.ones(N), baseline=None
    )
    with pytest.raises(ValueError, match="nested cross-validation takes no params"):
        report.summary("nested")


def test_nested_intervals_take_no_parameters():
    scoring = {"half": make_scorer(accuracy_score, normalize=False), "own": lambda m, X, y: 0.5}
    with pytest.raises(ValueError, match=r"not half; .*, not own"):
        report_of(1, scoring=scoring, baseline=None).summary("nested")


# --------------------------------------------------------------------------- comparisons


def test_a_pair_is_compared_on_the_folds_that_both_have():
    report = with_values(report_of(cv=KFold(4)), "recall", [0.25, 0.5, 0.75, 0.5])
    report = with_values(report, "recall", [0.125, 0.5, 0.25, 0.75], of="m1")
    left = [r for r in report.results if (r.model, r.fold) != ("m1", 0)]
    row = replace(report, results=tuple(left)).compare("recall")[0]
    gaps = np.array([0, 0.5, -0.25])
    error = np.sqrt(gaps.var(ddof=1) * (1 / 3 + 15 / 45))
    assert (row.n_folds, row.value) == (3, pytest.approx(gaps.mean()))
    assert row.p_value == pytest.approx(2 * stats.t.sf(gaps.mean() / error, 2))


def test_a_region_of_0_is_a_region():
    report = report_of()
    for row, plain in zip(
        report.compare("recall", rope=0.0), report.compare("recall"), strict=True
    ):
        assert (row.rope, row.p_equivalent) == (0, 0)
        assert plain.rope is None
        assert np.isnan(plain.p_equivalent)
        assert row.p_a_better == plain.p_a_better


def test_adjusted_levels_stop_falling_with_the_first_pair_that_is_not_rejected():
    """Three pairs: one clear difference, and two that chance explains."""
    report = with_values(report_of(cv=KFold(4)), "recall", [0.81, 0.99, 0.7, 0.9])
    report = with_values(report, "recall", [0.5, 0.7, 0.4, 0.6], of="m1")
    report = with_values(report, "recall", [0.9, 0.4, 0.7, 0.3], of=report.baseline)
    rows = {(row.model, row.against): row for row in report.compare("recall")}
    first, second, third = sorted(rows.values(), key=lambda row: row.p_value)
    assert first.p_adjusted == pytest.approx(3 * first.p_value)
    assert second.p_adjusted == pytest.approx(2 * second.p_value)
    assert third.p_adjusted == pytest.approx(max(third.p_value, second.p_adjusted))
    values = {m: [r.values["recall"] for r in report.results_of(m)] for m in report.models}
    for row, size in ((first, 3), (second, 2 if first.p_adjusted < 0.05 else 3),
                      (third, 1 if second.p_adjusted < 0.05 else 2)):  # fmt: skip
        gaps = np.subtract(values[row.model], values[row.against])
        half = stats.t.isf(0.025 / size, 3) * np.sqrt(gaps.var(ddof=1) * (1 / 4 + 15 / 45))
        assert (row.low_holm, row.high_holm) == pytest.approx(
            (gaps.mean() - half, gaps.mean() + half)
        )
    assert first.p_adjusted < 0.05 < third.p_adjusted

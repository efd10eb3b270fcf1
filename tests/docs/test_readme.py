"""README: its code prints what it shows, its claims are true, and both languages agree."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import warnings
from collections.abc import Callable

import numpy as np
import pytest
import sklearn
import sklearn.metrics
import sklearn.model_selection
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from support.markdown import ROOT, blocks, links, table
from support.rows import NO_INTERVAL

import skmetrics_ext as sx
from skmetrics_ext import METRICS
from tests.support.many_models import all_differences

README, CHINESE = ROOT / "README.md", ROOT / "README.zh.md"
COMPARED = ROOT / "docs" / "compared.md"  # the whole table, of which the README has some rows
SECONDS = re.compile(r"(?<=  )\d+\.\d{3}$", re.MULTILINE)  # of fitting, in the last column

# --------------------------------------------------------------------------- code


def test_code_prints_what_is_shown() -> None:
    """Each block of Python, pasted one after another, prints the block below it."""
    names: dict[str, object] = {}
    shown = blocks(README)
    programs = [i for i, block in enumerate(shown) if block.language == "python"]
    assert len(programs) == 3
    for i in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(shown[i].text, f"README.md:{shown[i].line}", "exec"), names)
        assert shown[i + 1].language == "text"
        expected = SECONDS.sub("s", shown[i + 1].text)
        assert SECONDS.sub("s", printed.getvalue()) == expected


def test_three_lines_are_three() -> None:
    first = next(block for block in blocks(README) if block.language == "python")
    assert len(first.text.splitlines()) == 3


def test_it_is_short() -> None:
    words = [word for word in README.read_text(encoding="utf-8").split() if word.strip("|-#`")]
    assert len(words) < 800


def test_methods_that_are_named_exist() -> None:
    named = re.findall(r"`report\.(\w+)\(", README.read_text(encoding="utf-8"))
    assert set(named) == {"compare", "plot", "to_html"}
    assert all(hasattr(sx.results.CrossValidationReport, name) for name in named)


@pytest.mark.parametrize("page", [README, CHINESE, ROOT / "CONTRIBUTING.md"])
def test_links_lead_somewhere(page) -> None:
    missing = [target for target in links(page) if not (ROOT / target).exists()]
    assert not missing


# --------------------------------------------------------------------------- the other language


def test_blocks_are_the_same() -> None:
    def said(page):
        return [(block.language, block.text) for block in blocks(page)]

    assert said(CHINESE) == said(README)


def test_headings_tables_and_links_are_as_many() -> None:
    def shape(page):
        lines = page.read_text(encoding="utf-8").splitlines()
        kinds = [re.match(r"#+ |\||!\[|- ", line) for line in lines]
        return [kind[0] for kind in kinds if kind]

    assert shape(CHINESE) == shape(README)
    others = {"README.md", "README.zh.md"}
    assert set(links(CHINESE)) - others == set(links(README)) - others


NUMBER = re.compile(r"\d[\d.,]*\d|\d")


def numbers(text: str) -> list[str]:
    return sorted(NUMBER.findall(text))


def test_numbers_of_tables_are_the_same() -> None:
    def cells(page):
        lines = page.read_text(encoding="utf-8").splitlines()
        return [list(map(numbers, line.split("|"))) for line in lines if line.startswith("|")]

    assert cells(CHINESE) == cells(README)


def test_versions_and_names_in_code_are_the_same() -> None:
    def said(page):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        return sorted(re.findall(r"\d+\.\d+(?:\.\d+)*", text)), sorted(re.findall(r"`[^`]+`", text))

    assert said(CHINESE) == said(README)


# --------------------------------------------------------------------------- the table

PEERS = ["confidenceinterval", "fairlearn", "MAPIE", "mlxtend", "torchmetrics", "pROC", "yardstick"]
COLUMNS = ["", "skmetrics_ext", "scikit-learn", *PEERS, "skore"]
TABLE = table(COMPARED, "skmetrics_ext")
RNG = np.random.default_rng(5)
TRUE = np.arange(60) % 2
SCORE = np.round(np.clip(RNG.normal(0.35 + 0.3 * TRUE, 0.2), 0.01, 0.99), 2)
OTHER = np.round(np.clip(RNG.normal(0.40 + 0.2 * TRUE, 0.2), 0.01, 0.99), 2)
TRUE_3 = np.arange(60) % 3
SCORE_3 = RNG.dirichlet([1, 1, 1], 60)
WEIGHT = RNG.uniform(0.5, 2, 60)
# A number for each model; tables and per-class arrays have no one interval.
NUMBERS = [
    name
    for name, spec in METRICS.items()
    if not spec.is_table and (spec.scorer is not None or spec.greater_is_better is None)
]


def given(name: str, score: np.ndarray) -> np.ndarray:
    if METRICS[name].response == "labels":
        return (score >= 0.5).astype(int)
    return shaped(name, score)


def shaped(name: str, values: np.ndarray) -> np.ndarray:
    """As a row of three labels, for the metrics that rank them."""
    return values.reshape(-1, 3) if METRICS[name].ranks_labels else values


def in_scikit_learn(*words: str) -> list[str]:
    return [name for name in sklearn.metrics.__all__ if any(word in name for word in words)]


def claim_auc_of_two() -> None:
    assert sx.roc_auc_score(TRUE, SCORE) == pytest.approx(
        sklearn.metrics.roc_auc_score(TRUE, SCORE), rel=1e-15
    )


def claim_auc_of_several() -> None:
    for multi_class in ("ovr", "ovo"):
        expected = sklearn.metrics.roc_auc_score(TRUE_3, SCORE_3, multi_class=multi_class)
        got = sx.roc_auc_score(TRUE_3, SCORE_3, multi_class=multi_class)
        assert got == pytest.approx(expected, rel=1e-14)


def claim_metrics_of_medicine_and_credit() -> None:
    for function in (sx.gini_score, sx.ks_statistic_score, sx.h_measure_score):
        assert np.isfinite(function(TRUE, SCORE))
    assert np.isfinite(sx.partial_roc_auc_score(TRUE, SCORE, tpr_range=(0.8, 1)))
    assert np.isfinite(sx.net_benefit(TRUE, SCORE, threshold=0.3))
    assert "max_fpr" in inspect.signature(sklearn.metrics.roc_auc_score).parameters
    assert not in_scikit_learn("gini", "ks_", "kolmogorov", "h_measure", "benefit")


def claim_intervals() -> None:
    for name in NUMBERS:
        params = METRICS[name].params
        found = sx.confidence_interval(
            name,
            shaped(name, TRUE),
            given(name, SCORE),
            n_resamples=199,
            random_state=0,
            **params,
        )
        if METRICS[name].interval in NO_INTERVAL:  # none covers these, and the note says so
            assert found.note.startswith("no interval"), name
            continue
        assert found.low < found.high, name
    assert not in_scikit_learn("interval", "confidence")


def claim_two_models() -> None:
    for name in NUMBERS:
        if METRICS[name].greater_is_better is None:
            continue  # what describes does not say which model is better
        pair = given(name, SCORE), given(name, OTHER)
        params = METRICS[name].params
        true = shaped(name, TRUE)
        found = sx.compare(name, true, *pair, n_resamples=199, random_state=0, **params)
        assert 0 <= found.p_value <= 1, name
    assert sx.compare("roc_auc", TRUE, SCORE, OTHER).method == "delong, Welch-Satterthwaite"
    assert not in_scikit_learn("delong", "compare", "test")


def claim_bands() -> None:
    at = [0.6, 0.8]
    pointwise, whole = (
        sx.curve_band("sensitivity_at_specificity", TRUE, SCORE, at=at, band=band, random_state=0)
        for band in ("pointwise", "simultaneous")
    )
    assert (pointwise.high - pointwise.low < whole.high - whole.low).all()
    assert not in_scikit_learn("band")


def claim_rows_needed() -> None:
    for metric in ("roc_auc", "f1", "neg_log_loss"):
        name = metric.removeprefix("neg_")
        found = sx.sample_size(metric, TRUE, given(sx.METRICS[name].name, SCORE), width=0.1)
        assert found.n > 60, metric
    assert not in_scikit_learn("size", "power")


def claim_many_models() -> None:
    models = {"a": SCORE, "b": OTHER, "c": 1 - SCORE}
    found = all_differences("roc_auc", TRUE, models, random_state=0)
    alone = sx.compare("roc_auc", TRUE, SCORE, OTHER)
    assert len(found.rows) == 3
    assert found.rows[0]["high"] - found.rows[0]["low"] > alone.high - alone.low


def claim_pooling() -> None:
    pairs = [(0.8, 0.03), (0.7, 0.04), (0.86, 0.02), (0.75, 0.03), (0.78, 0.03)]
    pooled = sx.pool(pairs)
    assert pooled.prediction[0] < pooled.low < pooled.high < pooled.prediction[1]
    assert sx.pool(pairs, how="imputations", n_rows=90).freedom < 89
    assert not in_scikit_learn("pool", "meta_")


def claim_leaderboard() -> None:
    board = sx.leaderboard("roc_auc", TRUE, {"a": SCORE, "b": OTHER, "c": 1 - SCORE})
    assert board.rows[0].rank_low == 1
    assert board.winner.low < board.winner.value
    assert not in_scikit_learn("leader")


def claim_raters() -> None:
    ratings = [[1, 1, None], [2, 2, 3], [3, 3, 3], [None, 1, 2]]
    for name in ("krippendorff_alpha", "fleiss_kappa", "gwet_ac1"):
        found = sx.confidence_interval(name, ratings)
        assert found.low < found.value < found.high


def claim_abstention() -> None:
    y, pred = [1, 0, 1, 1, 0, 0, 1, 0], [1, 0, None, 1, 0, 1, None, 0]
    found = sx.confidence_interval("accuracy", y, pred, abstain="missing")
    assert found.coverage.value == 0.75
    for name in ("aurc", "e_aurc", "augrc"):
        options = {"confidence": [4, 3, 2, 1, 4, 1, 2, 3]}
        assert sx.confidence_interval(name, y, [1, 0, 0, 1, 0, 1, 1, 1], **options).high > 0


def claim_readers() -> None:
    reader, case = np.divmod(np.arange(len(TRUE) * 2), len(TRUE))
    about = {"groups": case, "readers": reader}
    twice = (np.tile(x, 2) for x in (TRUE, SCORE + 0.01 * OTHER, OTHER))
    found = sx.compare("average_precision", *twice, **about)
    assert "2 random readers" in found.method
    assert not in_scikit_learn("reader", "rater")


def claim_groups() -> None:
    by = {"site": np.arange(60) // 2 % 2}
    about = {"y_score": SCORE, "by": by, "intervals": True}
    found = sx.compute_metrics(["roc_auc", "accuracy"], TRUE, given("f1_score", SCORE), **about)
    assert all(row.low < row.high for row in found.rows)
    assert all(0 <= row.p_adjusted <= 1 for row in found.gaps("accuracy").rows)
    assert not in_scikit_learn("group", "gap", "fair")


def claim_fairness() -> None:
    by = {"site": np.arange(60) // 2 % 2}
    found = sx.compute_metrics(["accuracy"], TRUE, given("f1_score", SCORE), by=by, intervals=True)
    for gap in (found.equalized_odds(), found.demographic_parity()):
        assert gap.low <= gap.value < gap.high
    assert not in_scikit_learn("odds", "parity")


def claim_small_groups() -> None:
    by = {"site": np.arange(60) % 6}
    found = sx.compute_metrics(["accuracy"], TRUE, given("f1_score", SCORE), by=by, intervals=True)
    table = found.shrunk("accuracy")
    raw, value = (np.array([row[key] for row in table]) for key in ("raw", "value"))
    assert np.ptp(value) < np.ptp(raw)
    assert not in_scikit_learn("shrunk", "bayes")


def claim_weak_slices() -> None:
    data = {"true": np.zeros(400, int), "pred": np.repeat([0, 1], [340, 60])}
    data["site"] = np.repeat(["a", "b"], [340, 60])
    about = {"true": "true", "pred": "pred", "metric": "accuracy", "columns": ["site"]}
    found = sx.weak_slices(data, **about)
    assert [row.slice for row in found.rows] == [{"site": "b"}]
    assert not in_scikit_learn("slice")


def claim_search() -> None:
    X, y = load_iris(return_X_y=True)
    grid = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring="accuracy", cv=3)
    report = sx.search_report(grid, X[50:, :2], y[50:], n_resamples=99, random_state=0)
    assert report.best.low < report.best.value <= report.naive < report.best.high
    assert not any("report" in name for name in sklearn.model_selection.__all__)


def claim_lost_class() -> None:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression().fit(X[:100], y[:100])
    rows = np.r_[25:50, 100:150]
    theirs = sklearn.metrics.get_scorer("neg_log_loss")
    assert round(theirs(model, X[rows], y[rows]), 3) == -0.008
    assert round(sx.get_scorer("neg_log_loss")(model, X[rows], y[rows]), 1) == -24.0
    assert np.isfinite(sx.get_scorer("roc_auc")(model, X[:60], y[:60]))
    for metric in ("neg_log_loss", "roc_auc_ovr"):  # a fold without a class of the model
        model = LogisticRegression(max_iter=500).fit(X, y)
        with pytest.raises(ValueError, match="classes"):
            sklearn.metrics.get_scorer(metric)(model, X[:100], y[:100])
        assert np.isfinite(sx.get_scorer(metric)(model, X[:100], y[:100]))


class _Counting(LogisticRegression):
    asked = 0

    def predict_proba(self, X):
        type(self).asked += 1
        return super().predict_proba(X)


def claim_panels() -> None:
    X, y = load_iris(return_X_y=True)
    model = _Counting().fit(X[:100], y[:100])
    names = ["roc_auc", "neg_log_loss", "neg_brier_score"]
    for scoring in (names, sx.ScorerPanel(names)):
        _Counting.asked = 0
        cross_validate(model, X[:100], y[:100], scoring=scoring, cv=2)
        assert _Counting.asked == 2  # once for each fold


def claim_reports() -> None:
    X, y = load_iris(return_X_y=True)
    report = sx.cross_validation_report(
        LogisticRegression(), X[:100, :2], y[:100], scoring=["accuracy"], cv=3
    )
    assert report.baseline is not None
    assert report.pooled()[0]["low"] < report.pooled()[0]["high"]
    assert 0 <= report.compare()[0]["p_value"] <= 1
    arrays = cross_validate(LogisticRegression(), X[:100], y[:100], cv=3)
    assert all(isinstance(values, np.ndarray) for values in arrays.values())


def claim_calibration_errors() -> None:
    values = [
        sx.expected_calibration_error(TRUE, SCORE),
        sx.expected_calibration_error(TRUE, SCORE, n_bins=7, strategy="quantile"),
        sx.expected_calibration_error(TRUE, SCORE, n_bins=7, strategy="equal_mass"),
        sx.expected_calibration_error(TRUE, SCORE, norm="l2", debias=True),
        sx.smooth_calibration_error(TRUE, SCORE),
    ]
    assert len(set(values)) == 5
    assert not in_scikit_learn("calibration_error")


def claim_weights() -> None:
    for name, spec in METRICS.items():
        assert "sample_weight" in inspect.signature(spec.function).parameters
        if name in sklearn.metrics.__all__:
            theirs = inspect.signature(getattr(sklearn.metrics, name)).parameters
            assert "sample_weight" in theirs, name
    options = {"multi_class": "ovo", "sample_weight": WEIGHT}
    with pytest.raises(ValueError, match="sample_weight"):
        sklearn.metrics.roc_auc_score(TRUE_3, SCORE_3, **options)
    assert np.isfinite(sx.roc_auc_score(TRUE_3, SCORE_3, **options))


def claim_larger_than_memory() -> None:
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"true": TRUE, "score": SCORE})
    with duckdb.connect() as connection:
        relation = connection.from_df(frame)
        found = sx.evaluate(relation, true="true", score="score", metrics=["roc_auc"])
    assert found.value("roc_auc") == sx.roc_auc_score(TRUE, SCORE)


def claim_gpu() -> None:
    assert "array_api_dispatch" in sklearn.get_config()


def claim_regression() -> None:
    assert in_scikit_learn("mean_squared_error")
    assert not any("squared_error" in name for name in METRICS)


def claim_chinese() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert all(term in glossary for term in ("查准率", "查全率", "准确率", "宏平均", "微平均"))


CHECKS: dict[str, Callable[[], None]] = {
    "AUC of two classes, every threshold": claim_auc_of_two,
    "AUC of several classes": claim_auc_of_several,
    "Partial AUC, Gini, KS, H-measure, net benefit": claim_metrics_of_medicine_and_credit,
    "Interval": claim_intervals,
    "Band around a curve": claim_bands,
    "Sample size": claim_rows_needed,
    "Test of two models": claim_two_models,
    "Test of many models": claim_many_models,
    "Pooling of sites, of imputations": claim_pooling,
    "Leaderboard": claim_leaderboard,
    "Several readers of the same cases": claim_readers,
    "Agreement of many raters, with missing ratings": claim_raters,
    "Predictions that abstain": claim_abstention,
    "Groups of rows": claim_groups,
    "Equalized odds, demographic parity": claim_fairness,
    "Small groups that borrow strength": claim_small_groups,
    "Weak slices of the data": claim_weak_slices,
    "Best score of a search, corrected": claim_search,
    "Fold without a class": claim_lost_class,
    "Many metrics at once": claim_panels,
    "Cross-validation report": claim_reports,
    "Calibration error": claim_calibration_errors,
    "Weights": claim_weights,
    "Exact AUC beyond memory": claim_larger_than_memory,
    "GPU": claim_gpu,
    "Regression metrics": claim_regression,
    "Chinese documentation": claim_chinese,
}


def test_each_row_of_the_table_has_a_check() -> None:
    assert TABLE[0] == COLUMNS
    assert [row[0] for row in TABLE[1:]] == list(CHECKS)
    short = table(README, "skmetrics_ext")
    assert short == [row for row in TABLE if row in short]


@pytest.mark.parametrize("row", CHECKS)
def test_what_the_table_says_of_us_and_of_scikit_learn(row: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        CHECKS[row]()

"""Every result of a public function has `to_dict` and `to_json`, whose text is valid JSON."""

import inspect
import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from support.public import DEPRECATED, PUBLIC

import skmetrics_ext as sx
from skmetrics_ext.results import EstimateRow, MetricSpec, Row, Scorer
from tests.support.many_models import all_differences

roc_auc_sample_size = DEPRECATED["roc_auc_sample_size"]
nested_cv_interval = DEPRECATED["nested_cv_interval"]
mwu_auc_test = DEPRECATED["mwu_auc_test"]
proportion_difference_interval = DEPRECATED["proportion_difference_interval"]

RNG = np.random.default_rng(7)
Y = np.arange(60) % 2
S = np.round(0.2 + 0.3 * Y + 0.4 * RNG.random(60), 2)
P = (S > 0.5).astype(int)
X = np.column_stack([S, RNG.normal(size=60)])
FOLDS = RNG.random(10)
SITE = {"site": np.array(list("abc"))[np.arange(60) % 3]}
TABLE = pd.DataFrame({"y": Y, "p": P, "s": S, **SITE})


def by_site(**options):
    return sx.compute_metrics(
        ["accuracy", "roc_auc"], Y, P, y_score=S, by=SITE, intervals=True, **options
    )


def report(**options):
    models = {"a": LogisticRegression(), "b": DummyClassifier()}
    return sx.cross_validation_report(models, X, Y, scoring=["roc_auc"], cv=3, **options)


def accumulated():
    batches = sx.Accumulator(["accuracy"])
    batches.update(Y, P)
    return batches.evaluation()


RESULTS = {
    "bayesian_correlated_ttest": lambda: sx.bayesian_correlated_ttest(
        FOLDS, FOLDS[::-1], n_train=90, n_test=10, rope=0.01
    ),
    "bowker_test": lambda: sx.significance.bowker_test(Y, P),
    "brier_decomposition": lambda: sx.brier_decomposition(Y, S),
    "calibration_curve_binned": lambda: sx.calibration_curve_binned(Y, S, n_bins=3),
    "calibration_slope_intercept": lambda: sx.calibration_slope_intercept(Y, S),
    "classifier_f_test": lambda: sx.significance.classifier_f_test(Y, [P, 1 - P]),
    "cochran_q_test": lambda: sx.significance.cochran_q_test(Y, [P, 1 - P]),
    "compare": lambda: sx.compare("accuracy", Y, P, 1 - P),
    "all differences": lambda: all_differences("accuracy", Y, {"a": P, 2: 1 - P}),
    "gains_table": lambda: sx.gains_table(Y, S),
    "leaderboard": lambda: sx.leaderboard("accuracy", Y, {"a": P, "b": 1 - P}),
    "compare_samples": lambda: sx.compare_samples("accuracy", Y, P, Y, 1 - P),
    "compute_metrics": by_site,
    "pool": lambda: sx.pool([(0.7, 0.1), (0.8, 0.1), (0.6, 0.2)]),
    "estimate": lambda: sx.estimate(0.5, P - P.mean()),
    "confidence_interval": lambda: sx.confidence_interval(["accuracy", "f1"], Y, P),
    "confidence_interval of one": lambda: sx.confidence_interval("roc_auc", Y, S),
    "corp_decomposition": lambda: sx.corp_decomposition(Y, S),
    "corrected_resampled_interval": lambda: sx.corrected_resampled_interval(
        FOLDS, n_train=90, n_test=10
    ),
    "corrected_resampled_ttest": lambda: sx.corrected_resampled_ttest(
        FOLDS, FOLDS[::-1], n_train=90, n_test=10
    ),
    "cross_validation_report": lambda: report(by=SITE),
    "its summary": lambda: report().summary(),
    "its requirements": lambda: report().require("roc_auc>=0.5"),
    "curve_band": lambda: sx.curve_band("recall", Y, S, at=[0.4, 0.5]),
    "delong_test": lambda: sx.delong_test(Y, S, S**2 + 0.01 * P),
    "evaluate": lambda: sx.evaluate(TABLE, true="y", pred="p", metrics=["accuracy"], by="site"),
    "its curves": lambda: sx.evaluate(
        TABLE, true="y", score="s", metrics=["roc_auc"], curve_points=5, by="site"
    ),
    "its bins": lambda: sx.evaluate(
        TABLE, true="y", score="s", metrics=["expected_calibration_error"]
    ),
    "five_by_two_cv_ftest": lambda: sx.significance.five_by_two_cv_ftest(
        FOLDS.reshape(5, 2), FOLDS[::-1].reshape(5, 2)
    ),
    "five_by_two_cv_ttest": lambda: sx.significance.five_by_two_cv_ttest(
        FOLDS.reshape(5, 2), FOLDS[::-1].reshape(5, 2)
    ),
    "friedman_test": lambda: sx.significance.friedman_test(RNG.random((8, 3))),
    "gain_curve": lambda: sx.gain_curve(Y, S),
    "gaps": lambda: by_site().gaps("accuracy"),
    "hosmer_lemeshow_test": lambda: sx.significance.hosmer_lemeshow_test(Y, S),
    "lift_curve": lambda: sx.lift_curve(Y, S),
    "risk_coverage_curve": lambda: sx.risk_coverage_curve(Y, P, confidence=S),
    "mcnemar_test": lambda: sx.mcnemar_test(Y, P, 1 - P),
    "mwu_auc_test": lambda: mwu_auc_test(Y, S),
    "nemenyi_test": lambda: sx.nemenyi_test(RNG.random((8, 3))),
    "nested_cv_interval": lambda: nested_cv_interval(
        LogisticRegression(), X, Y, n_folds=3, n_repeats=2, random_state=0
    ),
    "net_benefit_curve": lambda: sx.net_benefit_curve(Y, S, thresholds=[0.2, 0.5]),
    "no_information_test": lambda: sx.significance.no_information_test(Y, P),
    "optimal_threshold": lambda: sx.optimal_threshold(Y, S),
    "optimal_threshold without positives": lambda: sx.optimal_threshold(
        Y, 1 - Y, criterion="specificity"
    ),
    "optimal_threshold_interval": lambda: sx.optimal_threshold(
        Y, S, n_resamples=9, random_state=0, interval=True
    ),
    "panel": lambda: sx.ScorerPanel(["accuracy", "roc_auc"]).evaluate(
        LogisticRegression().fit(X, Y), X, Y
    ),
    "precision_recall_curves": lambda: sx.precision_recall_curves(Y, S),
    "precision_recall_gain_curve": lambda: sx.precision_recall_gain_curve(Y, S),
    "label_plan": lambda: sx.label_plan("accuracy", score=[0.2, 0.9, 0.4], threshold=0.5, budget=2),
    "pass_at_k": lambda: sx.pass_at_k(4, [1, 3, 0], 2),
    "proportion_difference_interval": lambda: proportion_difference_interval(3, 9, 4, 9),
    "proportion_interval": lambda: sx.proportion_interval(3, 9),
    "ratio_interval": lambda: sx.ratio_interval(3, 4, 5, 6),
    "roc_auc_sample_size": lambda: roc_auc_sample_size(0.8),
    "roc_curves": lambda: sx.roc_curves(Y % 3, np.column_stack([1 - S, S])),
    "sample_size": lambda: sx.sample_size("accuracy", Y, P, width=0.1),
    "search_report": lambda: sx.search_report(
        {"a": LogisticRegression(), "b": LogisticRegression(C=0.01)}, X, Y, cv=3, random_state=0
    ),
    "spiegelhalter_test": lambda: sx.significance.spiegelhalter_test(Y, S),
    "spread": lambda: by_site().spread("accuracy"),
    "stream": accumulated,
    "stuart_maxwell_test": lambda: sx.significance.stuart_maxwell_test(Y, P),
    "venkatraman_test": lambda: sx.significance.venkatraman_test(
        Y, S, S**2, n_resamples=9, random_state=0
    ),
    "weak_slices": lambda: sx.weak_slices(
        TABLE, true="y", pred="p", metric="accuracy", columns="site", min_rows=9
    ),
    "wilcoxon_signed_rank_test": lambda: sx.significance.wilcoxon_signed_rank_test(
        FOLDS, FOLDS[::-1] / 2
    ),
    "worst": lambda: by_site().surely_worst(),
}
# Functions that return numbers, arrays, text or plain tuples, and makers of scorers.
PLAIN = (
    "Array",
    "Any",
    "float",
    "str",
    "tuple",
    "bool",
    "dict",
    "Scorer",
    "list",
    "int",
    "Callable",
)


@cache
def result_of(name):
    return RESULTS[name]()


def strict(text):
    """What a parser reads that knows no NaN and Infinity."""
    return json.loads(text, parse_constant=pytest.fail)


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_json(name):
    result = result_of(name)
    values = result.to_dict()
    assert values["schema_version"] == 2
    read = strict(result.to_json())
    assert list(read) == [str(key) for key in values]
    assert "array(" not in result.to_json()


def test_every_function_with_a_result_is_tried():
    returning = set()
    for name, function in PUBLIC.items():
        if inspect.isfunction(function):
            annotated = str(inspect.signature(function).return_annotation)
            if not annotated.startswith(PLAIN) and name != "simplest_within":  # a function
                returning.add(name)
    assert returning <= set(RESULTS)


def test_every_class_of_results_is_tried():
    classes = {
        kind
        for kind in map(PUBLIC.get, sx.results.__all__)
        if isinstance(kind, type) and kind not in (Row, EstimateRow, MetricSpec, Scorer)
    }
    tried = {type(result_of(name)) for name in RESULTS}
    assert all(hasattr(kind, "to_json") for kind in classes)
    bases = {base for kind in tried for base in kind.__mro__}
    assert not {kind for kind in classes if not {kind, *kind.__mro__[:2]} & bases}


def test_fields_are_values_of_python():
    found = sx.optimal_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], criterion="f1").to_dict()
    assert (found["threshold"], found["value"], found["ties"]) == (0.35, 0.8, [0.35])
    assert found["counts"] == {"tp": 2, "fp": 1, "fn": 0, "tn": 1}
    many = all_differences("accuracy", Y, {"a": P, "b": 1 - P}, random_state=0)
    (row,) = many.to_dict()["rows"]
    assert (row["model"], row["against"]) == ("a", "b")
    assert row["value"] == pytest.approx(2 * np.mean(P == Y) - 1)
    curve = sx.gain_curve([0, 1], [0.2, 0.7])
    assert strict(curve.to_json())["thresholds"] == [None, 0.7, 0.2]


def test_infinity_and_nan_are_null():
    never = sx.optimal_threshold(Y, S, criterion="specificity")
    assert never.threshold == np.inf
    assert strict(never.to_json())["threshold"] is None
    assert strict(sx.results.Table([{"value": np.nan}]).to_json())["rows"] == [{"value": None}]


def test_json_is_written_to_a_file(tmp_path):
    path = tmp_path / "found.json"
    found = all_differences("accuracy", Y, {"a": P, "b": 1 - P}, random_state=0)
    assert found.to_json(path) is None
    assert path.read_text("utf-8") == found.to_json() + "\n"

"""Every argument of every public function: any value has an answer, or an error that names one."""

import inspect
import re
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report
from support.public import CALLED

import skmetrics_ext as sx
from skmetrics_ext.plotting import CrossValidationDisplay

RNG = np.random.default_rng(5)
N = 24
Y = np.arange(N) % 2
S = np.round(0.1 + 0.3 * Y + 0.5 * RNG.random(N), 2)
P = (S > 0.5).astype(int)
X = np.column_stack([S, RNG.normal(size=N)])
FOLDS = RNG.random(10)
TABLE = pd.DataFrame({"y": Y, "p": P, "s": S, "site": np.array(list("ab"))[Y]})
MODEL = LogisticRegression()
HUGE = 10**400

BAD = {
    "None": None,
    "nan": float("nan"),
    "infinity": float("inf"),
    "a number": 2.5,
    "a negative number": -1,
    "400 digits": HUGE,
    "numbers of 400 digits": [HUGE] * N,
    "one of 400 digits": [1, HUGE],
    "a fraction": Fraction(1, 3),
    "a complex number": 1j,
    "a letter": "x",
    "bytes": b"x",
    "an empty list": [],
    "a list with text": ["x"],
    "rows of unlike lengths": [[1], [2, 3]],
    "None in each row": [None] * N,
    "an empty dict": {},
    "a dict": {"a": 1},
    "a set": {1, 2},
    "an object": object(),
    "a type": int,
    "a function": lambda *args, **options: 1,
    "NA": pd.NA,
    "NaT": pd.NaT,
    "a date": pd.Timestamp("2020-01-01"),
    "a masked scalar": np.ma.array(2.0),
    "the masked constant": np.ma.masked,
    "no dimensions": np.array(2.0),
    "an array of two": np.array([1, 2]),
    "text in each row": np.array(["x"] * N),
    "an index of several levels": pd.MultiIndex.from_arrays([Y, P]),
    "categories": pd.Categorical(["u", "v"] * (N // 2)),
    "a data frame": pd.DataFrame({"a": [1, 2]}),
    "an Arrow table": pa.table({"a": Y, "b": P}),
}
MARKS, RANKS = np.column_stack([Y, 1 - Y]), np.column_stack([S, 1 - S])
RANKED = {"y_true": MARKS, "y_score": RANKS}
TRIALS = {"scores_a": FOLDS.reshape(5, 2), "scores_b": FOLDS[::-1].reshape(5, 2)}
# Values of required arguments by name, and further ones by function.
GIVEN = {
    "y_true": Y,
    "y_pred": P,
    "y_score": S,
    "y_proba": S,
    "pred_decision": 2 * S - 1,
    "y1": Y,
    "y2": P,
    "labels_a": Y,
    "labels_b": P,
    "pred_a": P,
    "pred_b": 1 - P,
    "score_a": S,
    "score_b": S**2,
    "y_true_a": Y,
    "y_pred_a": P,
    "y_true_b": Y,
    "y_pred_b": 1 - P,
    "predictions": [P, 1 - P],
    "cost_matrix": [[0, 1], [2, 0]],
    "y_set": [[0], [0, 1], []] * (len(Y) // 3),
    "scores_a": FOLDS,
    "scores_b": FOLDS[::-1].copy(),
    "n_train": 90,
    "n_test": 10,
    "count": 3,
    "nobs": 9,
    "n_tries": [4, 5, 6],
    "n_right": [1, 3, 0],
    "count_a": 3,
    "nobs_a": 9,
    "count_b": 4,
    "nobs_b": 9,
    "tp": 3,
    "fp": 4,
    "fn": 5,
    "tn": 6,
    "auc": 0.8,
    "n_pos": 30,
    "n_neg": 40,
    "beta": 1.0,
    "p_values": [0.01, 0.2],
    "x": [0, 0.5, 1],
    "y": [0, 0.5, 1],
    "threshold": 0.4,
    "fraction": 0.3,
    "recall": 0.5,
    "precision": 0.5,
    "specificity": 0.5,
    "sensitivity": 0.5,
    "metric_func": sx.accuracy_score,
    "score_func": sx.accuracy_score,
    "scoring": "f1",
    "metric": "accuracy",
    "metrics": ["accuracy"],
    "statistic": "adjusted_rand_index",
    "dataset": TABLE,
    "data": TABLE,
    "true": "y",
    "scores": RNG.random((8, 3)),
    "complexity": "param_C",
    "value": 0.5,
    "influence": P - P.mean(),
    "estimates": [sx.confidence_interval("accuracy", Y, P)],
    "k": 1,
}
TREE = {"hierarchy": {0: None, 1: None}}
OF_RISK = {"confidence": S}
FURTHER = {
    "compare": {"pred_b": 1 - P},
    **dict.fromkeys(("hierarchical_f1", "hierarchical_precision", "hierarchical_recall"), TREE),
    "integrated_calibration_index": {"y_proba": S},
    "expected_cost": {"cost_matrix": [[0, 1], [2, 0]]},
    "savings_score": {"cost_matrix": [[0, 1], [2, 0]]},
    "aurc": OF_RISK,
    "augrc": OF_RISK,
    "e_aurc": OF_RISK,
    "risk_coverage_curve": OF_RISK,
    "compare_many": {"predictions": {"a": P, "b": 1 - P}},
    "label_plan": {"score": S, "threshold": 0.5, "budget": 9},
    "leaderboard": {"y_true": Y, "predictions": {"a": P, "b": 1 - P}},
    "compute_metrics": {"y_pred": P},
    "confidence_interval": {"y_pred": P},
    "coverage_error": RANKED,
    "curve_band": {"metric": "recall", "at": [0.4, 0.5]},
    "d2_log_loss_score": {"y_proba": S},
    "dcg_score": RANKED,
    "evaluate": {"metrics": ["accuracy"], "pred": "p"},
    "fleiss_kappa_score": {"y_pred": P},
    "gwet_ac1_score": {"y_pred": P},
    "krippendorff_alpha_score": {"y_pred": P},
    "five_by_two_cv_ftest": TRIALS,
    "five_by_two_cv_ttest": TRIALS,
    "label_ranking_average_precision_score": RANKED,
    "label_ranking_loss": RANKED,
    "log_loss": {"y_proba": S},
    "ndcg_score": RANKED,
    "net_benefit_curve": {"thresholds": [0.2, 0.5]},
    "optimal_threshold_interval": {"n_resamples": 9, "random_state": 0},
    "proportion_interval": {"nobs": 9},
    "partial_roc_auc_score": {"fpr_range": (0, 0.2)},
    "sample_size": {"y_true": Y, "y_pred": P, "width": 0.2},
    "venkatraman_test": {"n_resamples": 9, "random_state": 0},
    "pool": {"estimates": [(0.7, 0.1), (0.8, 0.1), (0.6, 0.2)]},
    "weak_slices": {"pred": "p", "columns": ["site"], "min_rows": 3},
}
# They fit models for each of the values; `tests/report` has what they refuse.
FITTING = ("cross_validation_report", "nested_cv_interval", "search_report")
# A number of draws has no limit, errors of a user's function are the user's, and of a data set its
# path or its columns are named.
OTHERS = {
    ("n_resamples", "400 digits"),
    ("metric", "a type"),
    ("metric_func", "a type"),
    ("criterion", "a type"),
    ("criterion", "a function"),
    ("dataset", "a letter"),
    ("dataset", "a data frame"),
    ("dataset", "an Arrow table"),
    ("progress", "a type"),
}
FUNCTIONS = [
    name
    for name, thing in CALLED.items()
    if inspect.isfunction(thing) and name not in (*FITTING, "get_scorer_names")
]


def call_of(name):
    parameters = inspect.signature(CALLED[name]).parameters
    required = {
        key: GIVEN[key]
        for key, parameter in parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and key not in FURTHER.get(name, {})
    }
    return required | FURTHER.get(name, {})


def arguments_of(name):
    parameters = inspect.signature(CALLED[name]).parameters
    unnamed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [key for key, parameter in parameters.items() if parameter.kind not in unnamed]


def names_one(text, arguments):
    """Whether a text names an argument, perhaps as that of one of two samples or several names."""
    words = {"y_true", "y_pred", "y_score", *arguments}
    words |= {re.sub(r"_[ab]$", "", word) for word in arguments}
    words |= {word.removesuffix("s") for word in arguments}
    return any(word in text for word in words)


def outcome(function, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(**given)
        except Exception as error:
            return error
    return None


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_answer_or_an_error_that_names_an_argument(name):
    function, given, arguments = CALLED[name], call_of(name), arguments_of(name)
    assert outcome(function, given) is None
    for argument in arguments:
        for kind, value in BAD.items():
            if (argument, kind) in OTHERS:
                continue
            error = outcome(function, given | {argument: value})
            if error is not None:
                told = f"{argument}={kind}: {type(error).__name__}: {error}"
                assert {ValueError, TypeError} <= set(type(error).__mro__), told
                assert names_one(str(error), arguments) or "no column" in told, told


FITTED = LogisticRegression().fit(X, Y)
REPORT = sx.cross_validation_report(MODEL, X, Y, scoring=["f1", "neg_log_loss"], cv=2)
BY_SITE = sx.compute_metrics(["accuracy"], Y, P, by={"site": TABLE["site"]}, intervals=True)
DOORS = {
    "metrics of a picture": (
        lambda: sx.ThresholdDisplay.from_predictions(Y, S, metrics=[]),
        "metrics",
    ),
    "curves of a picture": (
        lambda: sx.RocCurvesDisplay.from_predictions(Y, S, curves=[]),
        "curves",
    ),
    "an unhashable curve": (lambda: sx.GainDisplay.from_predictions(Y, S, curves=[[1]]), "curves"),
    "a report": (lambda: sx.RocCurvesDisplay.from_report(3), "report"),
    "a report of folds": (lambda: CrossValidationDisplay.from_report(3), "report"),
    "columns of scores": (
        lambda: sx.weak_slices(TABLE, true="y", score=[], metric="roc_auc"),
        "score",
    ),
    "groups without truth": (lambda: sx.compute_metrics(["f1"], None, P, by=[1, 2]), "y_true"),
    "a metric of gaps": (lambda: BY_SITE.gaps([]), "metric"),
    "a reference": (lambda: BY_SITE.gaps("accuracy", against=np.array([1, 2])), "against"),
    "requirements": (lambda: REPORT.require(3), "requirement"),
    "codes": (lambda: REPORT.findings(3), "code"),
    "accumulators": (lambda: sx.Accumulator(["accuracy"]).merge(3), "accumulators"),
    "labels of a stream": (
        lambda: sx.Accumulator(["accuracy"]).update(BAD["an index of several levels"], P),
        "y_true",
    ),
    "labels of a scorer": (
        lambda: sx.get_scorer("f1")(FITTED, X, BAD["a masked scalar"]),
        "y_true",
    ),
    "a weight twice": (
        lambda: sx.optimal_threshold(
            Y, S, criterion=partial(sx.accuracy_score, sample_weight=np.ones(N))
        ),
        "sample_weight",
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_other_doors_name_the_argument(door):
    ask, argument = DOORS[door]
    with pytest.raises(ValueError, match=argument):
        ask()


def test_errors_of_the_users_function_are_not_changed():
    def broken(y_true, y_pred):
        raise KeyError("of the user")

    with pytest.raises(KeyError, match="of the user"):
        sx.confidence_interval(broken, Y, P, n_resamples=20, random_state=np.random.default_rng(0))


def test_weights_among_the_parameters_of_a_metric_at_thresholds():
    values, _ = sx.metric_at_thresholds(
        [0, 1, 1], [0.1, 0.4, 0.8], sx.accuracy_score, metric_params={"sample_weight": [1, 2, 1]}
    )
    assert values.tolist() == [0.5, 1, 0.75]


def test_reports_name_classes_as_y_true_does():
    for true, pred, names in (
        ([0, 1], [0.0, 1.0], ["0", "1"]),
        ([0.0, 1.0], [0, 1], ["0.0", "1.0"]),
        ([0, 1], [0.0, 2.0], ["0.0", "1.0", "2.0"]),
        ([True, False], [1.0, 0.0], ["False", "True"]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = sx.classification_report(true, pred, output_dict=True)
            theirs = classification_report(true, pred, output_dict=True)
        assert list(ours)[: len(names)] == list(theirs)[: len(names)] == names

"""Every door of the package by its name: those of metrics, and all others that take columns."""

import inspect
from dataclasses import replace
from functools import partial

import numpy as np
from hypothesis import strategies as st
from support.public import CALLED
from support.rows import NAMES

import skmetrics_ext as sx
from skmetrics_ext import METRICS
from skmetrics_ext.tallies import ConfusionTally, MomentTally, RankTally, ScoreSketch

from .doors import (
    RESPONSES,
    ROLES,
    Call,
    call_of,
    draw_judge,
    draw_rows,
    of_compare,
    of_compute_metrics,
    of_confidence_interval,
    of_curve_band,
    of_differences,
    of_influence_values,
    of_metric,
    of_panel,
    of_sample_size,
    of_scorer,
    orders_of,
)

# --------------------------------------------------------------------------- other functions

# Functions of rows beside those of the registry: further options, by the rows.
OPTIONS = {
    **dict.fromkeys(
        ("aurc", "augrc", "e_aurc", "risk_coverage_curve"),
        lambda rows: {"confidence": np.arange(len(rows.true)) % 7},
    ),
    **dict.fromkeys(
        ("hierarchical_f1", "hierarchical_precision", "hierarchical_recall"),
        lambda rows: {"hierarchy": dict.fromkeys(rows.classes)},
    ),
    "classification_report": lambda rows: {"output_dict": True},
    "confusion_statistic": lambda rows: {"statistic": "adjusted_rand_index"},
    "expected_cost": lambda rows: {"cost_matrix": 1 - np.eye(len(rows.classes))},
    "savings_score": lambda rows: {"cost_matrix": 1 - np.eye(len(rows.classes))},
    "expected_cost_proba": lambda rows: {"cost_matrix": 1 - np.eye(len(rows.classes))},
    "metric_at_thresholds": lambda rows: {"metric_func": sx.balanced_accuracy_score},
    "optimal_threshold_interval": lambda rows: {"n_resamples": 3, "random_state": 0},
    "venkatraman_test": lambda rows: {"n_resamples": 3, "random_state": 0},
}
_OF_METRICS = (
    *("compute_metrics", "confidence_interval", "compare", "compare_many", "influence_values"),
    "sample_size",
    "integrated_calibration_index",  # of ten rows of each class or more
    *("prediction_set_coverage", "prediction_set_size"),  # whose predictions are sets of labels
)
# What reads rows of two classes alone.
OF_TWO = (
    *("brier_decomposition", "calibration_slope_intercept", "class_likelihood_ratios"),
    *("confusion_matrix_at_thresholds", "corp_decomposition", "delong_test", "det_curve"),
    *("gain_curve", "hosmer_lemeshow_test", "lift_curve", "metric_at_thresholds", "mwu_auc_test"),
    *("net_benefit_curve", "optimal_threshold", "precision_recall_curve", "roc_curve"),
    *("precision_recall_gain_curve", "spiegelhalter_test", "venkatraman_test"),
    *("calibration_curve_binned", "optimal_threshold_interval"),
)


def functions_of_rows():
    """Names of the public functions beside the metrics that take rows."""
    found = []
    for name, own in CALLED.items():
        if name in METRICS or name in _OF_METRICS or not inspect.isfunction(own):
            continue
        if next(iter(inspect.signature(own).parameters), "") in ("y_true", "labels_a"):
            found.append(name)
    return found


def of_function(name, data):
    rows = draw_rows(data, binary=name in OF_TWO)
    function = CALLED[name]
    parameters = inspect.signature(function).parameters
    if "predictions" in parameters:
        return of_predictions(function, rows)
    roles = {own: ROLES[own] for own in parameters if own in ROLES}
    options = OPTIONS.get(name, lambda rows: {})(rows)
    if "pos_label" in parameters and rows.is_binary:
        options["pos_label"] = rows.positive(None)
    if name == "net_benefit_curve":  # whose thresholds are probabilities
        roles["y_score"] = "proba"
    if name == "optimal_threshold":  # groups are read for a guarantee alone
        if data.draw(st.booleans()):
            options |= {"constraint": ("recall", ">=", 0.0), "confidence": 0.9}
        else:
            del roles["groups"]
    call = call_of(function, rows, roles, **options)
    if name == "calibration_slope_intercept":  # of 0 and 1 the log odds are infinite
        call = call.with_arguments(y_proba=(1 + 14 * call.arguments["y_proba"]) / 16)
    return call


def of_predictions(function, rows):
    """A test of the labels of several models."""

    def ask(y_true, first, second):
        return function(y_true, [first, second])

    call = call_of(ask, rows, {"y_true": "true", "first": "pred", "second": "pred of B"})
    return replace(call, told_as={"first": ("predictions[0]",), "second": ("predictions[1]",)})


# --------------------------------------------------------------------------- displays


class _Undrawn:
    """The numbers of a picture without the picture."""

    def plot(self, *args, **look):
        return self


def of_display(name, data):
    curves_of_one = "DecisionCurve", "Gain", "Lift", "RiskCoverage", "Threshold"
    binary = name.removesuffix("Display") in curves_of_one
    rows = draw_rows(data, binary)
    undrawn = type(name, (_Undrawn, getattr(sx, name)), {})
    of_labels = name == "ConfusionMatrixDisplay"
    of_chances = name in ("CalibrationDisplay", "DecisionCurveDisplay")
    role = "pred" if of_labels else "proba" if of_chances else "score"
    roles = {"y_true": "true", "y_pred" if of_labels else "y_score": role}
    roles |= {"sample_weight": "weight", "labels": "classes"}
    options = {} if of_labels or not rows.is_binary else {"pos_label": rows.positive(None)}

    def ask(**arguments):
        return undrawn.from_predictions(**arguments).columns()

    # What is read as a probability is told of as one.
    return replace(call_of(ask, rows, roles, **options), told_as={"y_score": ("y_proba",)})


DISPLAYS = [
    name
    for name in sx.__all__
    if name.endswith("Display") and hasattr(getattr(sx, name), "from_predictions")
]


# --------------------------------------------------------------------------- streams and tallies


def stream_of(asked):
    """An empty accumulator for a question, which is told the classes."""
    options = {} if asked.pos_label is None else {"pos_label": asked.pos_label}
    return sx.Accumulator(
        {"it": partial(asked.spec.function, **asked.options)},
        labels=list(asked.rows.classes),
        **options,
    )


def of_accumulator(data):
    asked = draw_judge(data)

    def ask(y_true, y_score, sample_weight):
        stream = stream_of(asked)
        stream.update(y_true, y_score, sample_weight)
        return stream.compute()

    roles = {"y_true": "true", "y_score": RESPONSES[asked.spec.response]}
    told = {"y_score": ("y_pred",)}
    call = call_of(ask, asked.rows, {**roles, "sample_weight": "weight"})
    return replace(call, about=str(asked), told_as=told, leaves_out=orders_of(asked.spec))


BINARY_ROLES = {"y_true": "true", "y_score": "score", "sample_weight": "weight"}


def of_rank_tally(data):
    rows = draw_rows(data, binary=True)
    ask = RankTally.from_predictions
    return call_of(ask, rows, BINARY_ROLES, **known_classes(rows))


def of_sketch(data):
    rows = draw_rows(data, binary=True)
    empty = ScoreSketch.from_edges([-0.4, 0.1, 0.6], **known_classes(rows))
    return call_of(empty.update, rows, BINARY_ROLES)


def known_classes(rows):
    """What parts of binary rows are told: both classes, and the positive one."""
    return {"labels": list(rows.classes), "pos_label": rows.positive(None)}


def of_confusion_tally(data):
    roles = {"y_true": "true", "y_pred": "pred", "sample_weight": "weight", "labels": "classes"}
    ask = ConfusionTally.from_predictions
    if data.draw(st.booleans()):
        roles["groups"] = "number"
    call = call_of(ask, draw_rows(data), roles)
    return replace(call, leaves_out=("number objects", "pandas number objects"))


def of_moment_tally(data):
    rows = draw_rows(data)
    call = call_of(MomentTally.from_values, rows, {"sample_weight": "weight"})
    call = call.with_arguments(values=rows.scores(rows.classes[-1]))
    call.kinds["values"] = "scores"
    return call


# --------------------------------------------------------------------------- numbers of folds

NUMBERS = {
    "auc": {"x": "rising", "y": "column"},
    "average_ranks": {"scores": "table"},
    "friedman_test": {"scores": "table"},
    "nemenyi_test": {"scores": "table"},
    "holm_adjust": {"p_values": "column"},
    "wilcoxon_signed_rank_test": {"scores_a": "column", "scores_b": "other"},
    "corrected_resampled_ttest": {"scores_a": "column", "scores_b": "other"},
    "corrected_resampled_interval": {"scores": "column"},
    "bayesian_correlated_ttest": {"scores_a": "column", "scores_b": "other"},
    "five_by_two_cv_ttest": {"scores_a": "pairs", "scores_b": "other pairs"},
    "five_by_two_cv_ftest": {"scores_a": "pairs", "scores_b": "other pairs"},
}


def of_numbers(name, data):
    """Tests of scores of folds, whose rows are folds."""
    n_rows = data.draw(st.integers(6, 9))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    own = {
        "rising": np.sort(rng.permutation(16)[:n_rows] / 16),
        "column": rng.permutation(16)[:n_rows] / 16,
        "other": rng.permutation(16)[:n_rows] / 16,
        "table": rng.integers(1, 15, (n_rows, 3)) / 16,
        "pairs": rng.integers(1, 15, (5, 2)) / 16,
        "other pairs": rng.integers(1, 15, (5, 2)) / 16,
    }
    function = CALLED[name]
    options = {"n_train": 90, "n_test": 10}
    options = {k: v for k, v in options.items() if k in inspect.signature(function).parameters}
    arguments = {argument: own[what] for argument, what in NUMBERS[name].items()}
    kinds = dict.fromkeys(arguments, "scores" if name == "auc" else "numbers")
    return Call(partial(function, **options), arguments, kinds, about=name, rows_may_go=False)


# --------------------------------------------------------------------------- models


def of_report(data):
    """A cross-validation report of labels, groups and weights in any container."""
    from sklearn.dummy import DummyClassifier

    rows = draw_rows(data)
    rows = rows.take(np.tile(np.arange(len(rows)), 2))
    folds = [(np.arange(len(rows)), np.arange(len(rows)))]

    def ask(y, groups, sample_weight):
        found = sx.cross_validation_report(
            DummyClassifier(),
            np.zeros((len(rows), 1)),
            y,
            scoring=["accuracy", "neg_log_loss"],
            cv=folds,
            groups=groups,
            baseline=None,
            params={"sample_weight": sample_weight},
        )
        return [one["value"] for one in found.folds()]

    call = call_of(ask, rows, {"y": "true", "groups": "group", "sample_weight": "weight"})
    # Models of scikit-learn are fitted to them, on the host.
    return replace(
        call,
        rows_may_go=False,
        leaves_out=(
            "tensor on a device",
            "list of tensors",
        ),
    )


DOORS = {
    **{f"metric {name}": partial(of_metric, name) for name in NAMES},
    **{f"scorer of {name}": partial(of_scorer, name) for name in NAMES if METRICS[name].scorer},
    **{name: partial(of_function, name) for name in functions_of_rows()},
    **{name: partial(of_display, name) for name in DISPLAYS},
    **{name: partial(of_numbers, name) for name in NUMBERS},
    "compute_metrics": of_compute_metrics,
    "ScorerPanel": of_panel,
    "confidence_interval": of_confidence_interval,
    "compare": of_compare,
    "compare_many": of_differences,
    "influence_values": of_influence_values,
    "sample_size": of_sample_size,
    "curve_band": of_curve_band,
    "Accumulator": of_accumulator,
    "RankTally": of_rank_tally,
    "ConfusionTally": of_confusion_tally,
    "MomentTally": of_moment_tally,
    "ScoreSketch": of_sketch,
    "cross_validation_report": of_report,
}

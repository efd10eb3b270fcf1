"""Every deprecated name that another call replaces: both answer, with the same numbers."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from support.public import DEPRECATED, PUBLIC

import skmetrics_ext as sx

TRUE = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1])
PRED = np.array([0, 1, 1, 1, 0, 0, 1, 0, 1, 1])

SCORE = np.array([0.1, 0.6, 0.7, 0.9, 0.3, 0.2, 0.8, 0.4, 0.65, 0.95])
RANKED = np.array([[0.9, 0.8, 0.7], [0.8, 0.8, 0.6], [0.7, 0.9, 0.5]])
ROWS, CLASSES = load_iris(return_X_y=True)
MODELS = {"a": SCORE, "b": SCORE[::-1], "c": SCORE**2 - TRUE}
AREA = {"value": 0.75, "null": 0.5, "method": "obuchowski"}


def bounds(estimate):
    return estimate.value, estimate.low, estimate.high


def report():
    """Three folds of a model, with the error rate."""
    options = {"scoring": "neg_error_rate", "cv": 3, "baseline": None}
    return sx.cross_validation_report(GaussianNB(), ROWS, CLASSES, **options)


def nested():
    (row,) = report().summary(interval="nested")
    return row["low"], row["high"]


def differences(table):
    return [(row["value"], row["low"], row["high"], row["p_adjusted"]) for row in table]


def of_threshold(found):
    return *bounds(found.threshold), *bounds(found.value), found.optimism


def points(display):
    return display.frame().select_dtypes("number").to_numpy()


# Old name -> its call, and the new one. The test of an area by its error is not the rank test: both
# have the area.
REPLACEMENTS = {
    "CrossValidationDisplay": (
        lambda old: points(old.from_report(report())),
        "points(report().plot())",
    ),
    "average_ranks": (lambda old: old(RANKED), "nemenyi_test(RANKED).average_ranks"),
    "compare_many": (
        lambda old: differences(old("roc_auc", TRUE, MODELS, random_state=0)),
        "differences(confidence_interval('roc_auc', TRUE, MODELS, random_state=0)"
        ".against('each').adjust('simultaneous'))",
    ),
    "mwu_auc_test": (
        lambda old: old(TRUE, SCORE, method="exact").statistic / 24,
        "confidence_interval('roc_auc', TRUE, SCORE).test(null=0.5).value",
    ),
    "nested_cv_interval": (
        lambda old: [
            -old(GaussianNB(), ROWS, CLASSES, n_folds=3).high,
            -old(GaussianNB(), ROWS, CLASSES, n_folds=3).low,
        ],
        "nested()",
    ),
    "optimal_threshold_interval": (
        lambda old: of_threshold(old(TRUE, SCORE, criterion="f1", n_resamples=99)),
        "of_threshold(optimal_threshold(TRUE, SCORE, criterion='f1', n_resamples=99, "
        "interval=True))",
    ),
    "proportion_difference_interval": (
        lambda old: bounds(old(56, 70, 48, 80)),
        "bounds(proportion_interval(56, 70) - proportion_interval(48, 80))",
    ),
    "roc_auc_power": (
        lambda old: old(0.75, 40, 60),
        "sample_size('roc_auc', prevalence=0.4, n=100, **AREA).power",
    ),
    "roc_auc_sample_size": (
        lambda old: math.ceil(sum(old(0.75, power=0.9, neg_per_pos=1.5))),
        "sample_size('roc_auc', prevalence=0.4, power=0.9, **AREA).n",
    ),
} | {
    name: (lambda old: old(TRUE, PRED), f"confusion_statistic(TRUE, PRED, {new!r})[1]")
    for name, new in {
        "detection_rate": "detection_rate",
        "f1_gain_score": "f1_gain",
        "precision_gain_score": "precision_gain",
        "recall_gain_score": "recall_gain",
    }.items()
}


def test_every_replaced_name_is_here():
    assert REPLACEMENTS.keys() == DEPRECATED.keys()


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_the_new_call_has_the_number_of_the_old(name):
    old, new = REPLACEMENTS[name]
    found = eval(new, {**globals(), **PUBLIC})
    np.testing.assert_allclose(found, old(DEPRECATED[name]), rtol=1e-12)


def test_old_names_of_metrics_are_read_with_a_warning():
    with pytest.warns(FutureWarning, match="use METRICS.recall_gain"):
        found = sx.METRICS["recall_gain_score"]
    assert found is sx.METRICS["recall_gain"]
    with pytest.warns(FutureWarning, match="skmetrics_ext.metrics.recall_gain_score is deprecated"):
        assert sx.metrics.recall_gain_score is found.function

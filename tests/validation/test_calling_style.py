"""Calls that do not fit a signature say how the function is called."""

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx

Y = np.array([0, 1, 0, 1, 1, 0] * 5)
P = np.linspace(0, 1, 30)
FRAME = pd.DataFrame({"y": Y, "p": P, "region": list("ab") * 15})


@pytest.mark.parametrize(
    ("call", "usage"),
    [
        (
            lambda: sx.evaluate(Y, P),
            r"Write evaluate\(dataset, true=..., ...\) with names of columns of dataset; "
            "compute_metrics takes arrays",
        ),
        (
            lambda: sx.weak_slices(FRAME[["region"]], Y, P, metric="roc_auc"),
            r"Write weak_slices\(data, true=..., metric=..., ...\) with names of columns",
        ),
        (
            lambda: sx.compare(FRAME, true="y", score="p", metric="roc_auc"),
            r"Write compare\(metric, y_true, pred_a, pred_b, ...\)",
        ),
        (lambda: sx.compare(Y, P, P), r"missing 1 .*'pred_b'. Write compare\(metric, y_true"),
        (lambda: sx.f1_score(Y), r"missing 1 .*'y_pred'. Write f1_score\(y_true, y_pred, ...\)"),
    ],
)
def test_the_right_call_is_shown(call, usage):
    with pytest.raises(TypeError, match=usage):
        call()


def test_errors_of_a_users_function_stay_as_they_are():
    def metric(y_true):
        return 0.0

    with pytest.raises(TypeError) as caught:
        sx.confidence_interval(metric, Y, P, n_resamples=9)
    assert "Write" not in str(caught.value)


def test_several_metrics_are_asked_for_in_a_table():
    with pytest.raises(ValueError, match=r"Several at once: compute_metrics\(\[...\], y_true"):
        sx.compare_samples(["accuracy", "f1"], Y, Y, Y, Y)


@pytest.mark.parametrize("metric", ["accuracy", "log_loss", sx.accuracy_score])
def test_a_positive_class_is_accepted_where_none_is_needed(metric):
    text = np.where(Y, "churned", "stayed")
    given = text if metric != "log_loss" else np.column_stack([P, 1 - P])
    named = sx.confidence_interval(metric, text, given, pos_label="churned")
    assert tuple(named) == tuple(sx.confidence_interval(metric, text, given))

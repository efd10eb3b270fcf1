"""Metrics are read from sums: what is refused, what is 0 by convention, and with which reason."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from support.compare import same, undefined_allowed
from support.frames import binary_frame, several_frame

import skmetrics_ext as sx
from skmetrics_ext import evaluate
from skmetrics_ext.registry import find
from skmetrics_ext.validation import Scores


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        (partial(sx.expected_calibration_error, norm="bad"), "norm has to be one of"),
        (partial(sx.roc_auc_score, max_fpr=3.0), "max_fpr"),
        (partial(sx.net_benefit, threshold=4), "threshold"),
        (partial(sx.fbeta_score, beta=-1.0), "beta"),
        (partial(sx.precision_score, zero_division=5), "zero_division has to be"),
    ],
)
def test_wrong_parameters_are_the_reason(metric, told):
    frame = binary_frame(60)
    found = evaluate(frame, true="true", score="score", pred="pred", metrics={"own": metric})
    assert np.isnan(found.value("own"))
    assert told in found.row("own").note


def test_areas_of_several_classes_need_to_know_which():
    frame, labels, columns = several_frame(80)
    found = evaluate(frame, true="true", score=columns, labels=labels, metrics=["roc_auc"])
    assert np.isnan(found.value("roc_auc"))
    assert "multi_class must be in ('ovo', 'ovr')" in found.row("roc_auc").note


def test_a_number_by_convention_has_a_reason_and_one_that_was_chosen_has_none():
    frame = binary_frame(60)
    frame["pred"] = 0
    metrics = {
        "by convention": "precision",
        "chosen": partial(sx.precision_score, zero_division=1.0),
        "undefined": partial(sx.precision_score, zero_division=np.nan),
    }
    found = evaluate(frame, true="true", pred="pred", metrics=metrics)
    told = {row.metric: (row.value, row.note) for row in found}
    assert told["by convention"] == (0.0, "0/0 taken as 0: nothing is predicted as the class")
    assert told["chosen"] == (1.0, "")
    assert np.isnan(told["undefined"][0])
    assert told["undefined"][1] == "nothing is predicted as the class"


@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_average_precision_of_a_class_without_rows_is_read_as_the_function_has_it(average):
    rng = np.random.default_rng(2)
    true, score = rng.integers(0, 2, 40), rng.dirichlet(np.ones(3), 40)
    metric = find("average_precision").with_params(average=average, labels=[0, 1, 2])
    with undefined_allowed():
        value = metric.function(true, score, **metric.params)
    read = metric.read(metric.tally_of(Scores.check(true, score, labels=[0, 1, 2])))
    same(read, np.asarray(value), rtol=1e-15)
    assert not np.isnan(read).any()


def test_pairwise_areas_are_read_as_a_table():
    rng = np.random.default_rng(2)
    true, score = rng.integers(0, 3, 40), rng.random((40, 3))
    metric = find(sx.pairwise_roc_auc)
    read = metric.read(metric.tally_of(Scores.check(true, score)))
    same(read, sx.pairwise_roc_auc(true, score), rtol=0, atol=0)


def test_probabilities_beyond_0_and_1_by_rounding_are_clipped():
    """Bins of [0, 1] hold them: gaps of 1/8 in either of two."""
    proba = [1 + 1e-9, 0.25, 0.75, -1e-9]
    frame = pd.DataFrame({"ill": [1, 0, 1, 0], "p": proba})
    ece = partial(sx.expected_calibration_error, n_bins=2)
    for part in (frame, frame.iloc[:2], frame.iloc[2:]):
        found = evaluate(part, true="ill", score="p", metrics=[ece])
        assert next(iter(found)).value == 0.125


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"]])
def test_a_group_without_weight_leaves_the_rest_as_it_is(engine, labels):
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    true = np.array(labels)[[0, 1, 1, 0, 1, 0]]
    columns = {"true": true, "p": [0.1, 0.9, 0.4, 0.6, 0.3, 0.7], "ward": [*"aaaabb"]}
    frame = pd.DataFrame({**columns, "weight": [1, 2, 1, 1, 0, 0]})
    found = evaluate(
        frame, true="true", score="p", weight="weight", by="ward", margins=True,
        metrics=["brier_score"], pos_label=labels[1], engine=engine,
    )  # fmt: skip
    value = {row.group: row.value for row in found}
    assert value["a"] == value[None] == pytest.approx((0.01 + 2 * 0.01 + 0.36 + 0.36) / 5)
    assert np.isnan(value["b"])
    assert {row.group: row.note for row in found}["b"] == "no row has weight"

"""Input that alphabet, rounding or a single group would give a wrong answer to is refused."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report as theirs
from support.rows import signature

import skmetrics_ext as sx
from skmetrics_ext import METRICS
from tests.support.many_models import all_differences

RNG = np.random.default_rng(5)
TRUE = RNG.integers(0, 2, 40)
SCORE = np.round(0.3 * TRUE + 0.7 * RNG.random(40), 2)
PRED = (SCORE > 0.5).astype(int)
TEXT = np.array(["no", "yes"])[TRUE]
BY = {"site": RNG.integers(0, 2, 40)}
ONE_GROUP = np.zeros(40, dtype=int)
BIG = np.array([2**53, 2**53 + 1] * 5)
FLOATS = BIG.astype(float)


# --------------------------------------------------------------------------- one group


@pytest.mark.parametrize(
    "ask",
    [
        partial(sx.confidence_interval, "accuracy", TRUE, PRED),
        partial(sx.confidence_interval, "roc_auc", TRUE, SCORE, method="bca", n_resamples=9),
        partial(sx.compare, "accuracy", TRUE, PRED, 1 - PRED),
        partial(all_differences, "accuracy", TRUE, {"a": PRED, "b": 1 - PRED}),
        partial(sx.delong_test, TRUE, SCORE, SCORE**2),
        partial(sx.mcnemar_test, TRUE, PRED, 1 - PRED),
        partial(sx.significance.venkatraman_test, TRUE, SCORE, SCORE**2, n_resamples=9),
        partial(sx.classification_report, TRUE, PRED, confidence_level=0.9),
        partial(sx.calibration_curve_binned, TRUE, SCORE),
        partial(sx.calibration_slope_intercept, TRUE, 0.1 + 0.8 * SCORE),
        partial(sx.optimal_threshold, TRUE, SCORE, interval=True, n_resamples=9),
        partial(sx.compute_metrics, ["accuracy"], TRUE, PRED, by=BY, intervals=True),
        partial(sx.sample_size, "accuracy", TRUE, PRED, width=0.1),
        partial(sx.cross_validation_report, LogisticRegression(), SCORE[:, None], TRUE),
    ],
)
def test_one_group_of_all_rows(ask):
    with pytest.raises(ValueError, match="groups holds one group for all 40 rows"):
        ask(groups=ONE_GROUP)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_one_group_in_a_data_set(engine):
    frame = pd.DataFrame({"y": TRUE, "p": PRED, "patient": ONE_GROUP})
    with pytest.raises(ValueError, match="groups holds one group for all 40 rows"):
        sx.evaluate(
            frame,
            true="y",
            pred="p",
            metrics=["accuracy"],
            groups="patient",
            intervals=True,
            engine=engine,
        )


# --------------------------------------------------------------------------- large integers


@pytest.mark.parametrize(
    "pair", [(BIG, FLOATS), (FLOATS, BIG), (pd.Series(BIG, dtype="Int64"), FLOATS)]
)
def test_integers_that_floats_make_equal(pair):
    for ask in (sx.confusion_matrix, sx.accuracy_score, partial(sx.f1_score, average="macro")):
        with pytest.raises(ValueError, match=r"integers beyond 2\*\*53, such as 900.*floats"):
            ask(*pair)
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        sx.get_scorer("accuracy")(
            type("Model", (), {"predict": lambda self, X: pair[1]})(), None, pair[0]
        )


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_integers_that_floats_make_equal_in_a_data_set(engine):
    frame = pd.DataFrame({"y": BIG, "p": FLOATS})
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        sx.evaluate(frame, true="y", pred="p", metrics=["accuracy"], engine=engine)


def test_integers_that_floats_make_equal_between_parts():
    stream = sx.Accumulator(["accuracy"])
    stream.update(BIG, BIG)
    stream.update(FLOATS, FLOATS)
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        stream.compute()
    parts = [sx.tallies.ConfusionTally.from_predictions(one, one) for one in (BIG, FLOATS)]
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        sx.tallies.ConfusionTally.combine(parts)


def test_lists_of_large_integers_and_floats():
    with pytest.raises(ValueError, match="y_true holds objects of type float and int"):
        sx.accuracy_score([2**53, 2**53 + 1, 1.0], [2**53, 2**53 + 1, 1])
    with pytest.raises(ValueError, match="labels lists 9007199254740993, beyond 2"):
        sx.confusion_matrix(BIG, BIG, labels=[1.0, 2**53 + 1])
    assert sx.roc_auc_score([0, 1, 0], [2**53, 2**53 + 1, 0.5]) == 1.0  # and not a tie


def test_large_integers_alone_and_small_ones_beside_floats():
    assert sx.confusion_matrix(BIG, BIG).tolist() == [[5, 0], [0, 5]]
    assert sx.confusion_matrix(BIG, BIG.astype(np.uint64)).tolist() == [[5, 0], [0, 5]]
    assert sx.confusion_matrix([1, 2**53], [1.0, 2.0**53]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]"])
def test_reports_name_nullable_integers_as_integers(dtype):
    labels = pd.Series([0, 1, 2] * 4, dtype=dtype)
    plain = labels.to_numpy().astype(np.int64)
    assert sx.classification_report(labels, labels) == sx.classification_report(plain, plain)
    assert sx.classification_report(labels, labels) == theirs(plain, plain)


# --------------------------------------------------------------------------- other


def test_a_metric_of_two_classes_in_a_report_of_three():
    X, y = RNG.normal(size=(30, 2)), np.arange(30) % 3
    average, several = r"Target is multiclass but average='binary'", "multi_class must be in"
    for scoring, why, other in (
        ("f1", average, "f1_macro, f1_micro, f1_weighted."),
        ("roc_auc", several, "roc_auc_ovr, roc_auc_ovo"),
        ("gini", several, "gini_ovr, gini_ovo"),
    ):
        told = rf"{scoring} has no value for the 3 classes \[0, 1, 2\]: {why}.*classes: {other}"
        for asked in ([scoring], {"own": sx.get_scorer(scoring)}, sx.ScorerPanel([scoring])):
            with pytest.raises(ValueError, match=told):
                sx.cross_validation_report(LogisticRegression(), X, y, scoring=asked)


@pytest.mark.parametrize("scores", [[], np.zeros((3, 2)), [0.1, np.nan], 0.5])
def test_a_sketch_needs_a_sample(scores):
    with pytest.raises(ValueError, match="scores must be 1-D with one score"):
        sx.tallies.ScoreSketch.from_sample(scores)


OF_LABELS = [name for name, spec in METRICS.items() if "labels" in signature(spec)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OF_LABELS)
@pytest.mark.parametrize("put", [sparse.csr_array, sparse.coo_matrix])
def test_sparse_labels(name, put):
    spec = METRICS[name]
    response = PRED if spec.response == "labels" else SCORE
    with pytest.raises(ValueError, match="labels must be a list of labels, got a"):
        spec.function(TRUE, response, labels=put(np.array([[0, 1]])), **spec.params)


# --------------------------------------------------------------------------- one reader


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_text_classes_by_group_are_read_as_in_a_data_set(positive):
    metrics = ["roc_auc", "average_precision", "brier_score", "f1"]
    score = SCORE if positive == "yes" else 1 - SCORE
    pred = np.where(score > 0.5, positive, "no" if positive == "yes" else "yes")
    options = {"metrics": metrics, "pos_label": positive}
    found = sx.compute_metrics(y_true=TEXT, y_pred=pred, y_score=score, by=BY, **options)
    frame = pd.DataFrame({"y": TEXT, "p": pred, "s": score, **BY})
    wanted = sx.evaluate(frame, true="y", pred="p", score="s", by="site", **options)
    coded = sx.compute_metrics(
        metrics, positive == TEXT, pred == positive, y_score=score, by=BY, pos_label=True
    )
    values = [row.value for row in found]
    assert values == [row.value for row in wanted] == [row.value for row in coded]
    with pytest.raises(ValueError, match="needs a positive class: pass pos_label='yes'"):
        sx.compute_metrics(["roc_auc"], TEXT, y_score=score, by=BY)

"""Several outputs: what `predict_proba` returns of them, and losses that are refused."""

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

import skmetrics_ext as sx
from tests.support.many_models import all_differences

MARKS = np.array([(1, 0, 1), (0, 1, 0), (1, 1, 0), (0, 0, 0)] * 10)
PROBA = np.array([(0.9, 0.2, 0.7), (0.1, 0.8, 0.3), (0.6, 0.7, 0.2), (0.3, 0.2, 0.1)] * 10)
X, Y = make_multilabel_classification(80, 5, n_classes=3, random_state=0)
MODEL = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
COLUMNS = np.column_stack([part[:, 1] for part in MODEL.predict_proba(X)])

DOORS = {
    "confidence_interval": lambda name: sx.confidence_interval(name, MARKS, PROBA),
    "influence_values": lambda name: sx.influence_values(name, MARKS, PROBA),
    "sample_size": lambda name: sx.sample_size(name, MARKS, PROBA, width=0.1),
    "compare": lambda name: sx.compare(name, MARKS, PROBA, PROBA**1.1),
    "all differences": lambda name: all_differences(
        name, MARKS, {"a": PROBA, "b": PROBA**2, "c": PROBA**3}
    ),
    "compute_metrics": lambda name: sx.compute_metrics([name], MARKS, y_proba=PROBA),
    "compute_metrics with intervals": lambda name: sx.compute_metrics(
        [name], MARKS, y_proba=PROBA, labels=[0, 1, 2], intervals=True
    ),
    "get_scorer": lambda name: sx.get_scorer(scorer_of(name))(MODEL, X, Y),
    "make_scorer": lambda name: sx.make_scorer(sx.METRICS[name].function)(MODEL, X, Y),
    "ScorerPanel": lambda name: sx.ScorerPanel([scorer_of(name)], on_error="raise")(MODEL, X, Y),
    "cross_val_score": lambda name: cross_val_score(
        MODEL, X, Y, scoring=sx.get_scorer(scorer_of(name)), error_score="raise"
    ),
    "search_report": lambda name: sx.search_report(
        {"a": MODEL, "b": MODEL}, X, Y, scoring=scorer_of(name)
    ),
}


def scorer_of(name):
    return next(scorer for scorer in sx.METRICS[name].scorers if "multi" not in scorer)


@pytest.mark.filterwarnings("ignore:The y_prob values do not sum")
@pytest.mark.parametrize(
    "name", ["log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score"]
)
@pytest.mark.parametrize("door", DOORS)
def test_losses_of_indicators_are_refused(door, name):
    with pytest.raises(ValueError, match=r"[Pp]ass one column of (both|each array) at a time"):
        DOORS[door](name)


@pytest.mark.parametrize("name", ["neg_log_loss", "neg_brier_score"])
def test_reports_have_no_value_for_losses_of_indicators(name):
    report = sx.cross_validation_report(MODEL, X, Y, scoring=[name, "roc_auc"], cv=2)
    row = next(r for r in report.summary() if r["metric"] == name)
    assert np.isnan(row["mean"])
    assert "multilabel-indicator format is not supported" in "".join(row["reasons"])


@pytest.mark.filterwarnings("ignore:The y_prob values do not sum")
def test_functions_follow_scikit_learn_and_one_output_is_a_question_of_two_classes():
    assert sx.log_loss(MARKS, PROBA) == pytest.approx(log_loss(MARKS, PROBA))
    each = [sx.confidence_interval("log_loss", MARKS[:, k], PROBA[:, k]).value for k in range(3)]
    entries = np.where(MARKS == 1, PROBA, 1 - PROBA)
    assert np.mean(each) == pytest.approx(-np.log(entries).mean())
    assert round(float(np.mean(each)), 4) == 0.2622


def test_arrays_of_each_output_are_read_as_their_second_columns():
    listed = MODEL.predict_proba(X)
    assert sx.roc_auc_score(Y, listed) == pytest.approx(roc_auc_score(Y, COLUMNS))
    wanted = average_precision_score(Y, COLUMNS)
    assert sx.average_precision_score(Y, listed) == pytest.approx(wanted)
    assert sx.compute_metrics(["roc_auc"], Y, y_score=listed)["roc_auc"] == pytest.approx(
        roc_auc_score(Y, COLUMNS)
    )
    found = sx.confidence_interval("roc_auc", Y, listed)
    assert found == sx.confidence_interval("roc_auc", Y, COLUMNS)
    assert sx.get_scorer("roc_auc")(MODEL, X, Y) == pytest.approx(found.value)
    assert sx.coverage_error(Y, listed) == sx.coverage_error(Y, COLUMNS)


def test_arrays_by_hand():
    first, second = np.array([0.9, 0.2, 0.6, 0.4]), np.array([0.3, 0.8, 0.2, 0.1])
    listed = [np.column_stack([1 - column, column]) for column in (first, second)]
    assert sx.roc_auc_score([(1, 0), (0, 1), (1, 1), (0, 0)], listed) == 0.875


@pytest.mark.parametrize("function", [sx.roc_auc_score, sx.average_precision_score, sx.log_loss])
@pytest.mark.parametrize("shape", [(4, 2), (4, 1), (4, 3)])
def test_other_lists_of_arrays_name_the_remedy(function, shape):
    for true in ([0, 1, 1, 0], [(1, 0), (0, 1), (1, 1), (0, 0)]):
        if shape == (4, 2) and np.ndim(true) == 2:
            continue
        with pytest.raises(ValueError, match=r"np.column_stack\(\[part\[:, 1\] for part in y_"):
            function(true, [np.full(shape, 0.5)] * 2)


def test_a_missing_mark_is_an_error_that_names_the_row():
    marks = np.array([(1.0, 0.0), (0.0, np.nan), (1.0, 1.0)])
    with pytest.raises(ValueError, match=r"row 1|NaN"):
        sx.roc_auc_score(marks, np.ones((3, 2)))

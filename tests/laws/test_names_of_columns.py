"""Laws of named columns: those that are the classes stand in the order that these are read in."""

import functools
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from support.compare import same
from support.public import DEPRECATED
from support.rows import NAMES, OF_ONE_LABEL, call, draw_case, settings_of

import skmetrics_ext as sx
from skmetrics_ext import METRICS

nested_cv_interval = DEPRECATED["nested_cv_interval"]

OF_COLUMNS = [name for name in OF_ONE_LABEL if METRICS[name].response != "labels"]
FRAMES = {
    "pandas": lambda values, names: pd.DataFrame(values, columns=names),
    "polars": lambda values, names: pl.DataFrame(values, schema=[str(name) for name in names]),
}
# Names are read at the door of a metric, whatever the numbers below them.
of_each_door = settings(max_examples=max(3, settings().max_examples // 4))
REFUSED = r"columns of \w+ are named .* read by position as the class"


def columns_of(name):
    return [kind for _, kind in settings_of(name, ("multiclass",))]


@pytest.mark.parametrize("name", [name for name in OF_COLUMNS if columns_of(name)])
@of_each_door
@given(data=st.data())
def test_names_of_classes_are_in_their_order_or_refused(name, data):
    spec, params, sample = draw_case(data, name, ("multiclass",))
    assume(sample.response.ndim == 2 and len(np.unique(sample.true)) == sample.response.shape[1])
    put = FRAMES[data.draw(st.sampled_from(sorted(FRAMES)))]
    classes = np.unique(sample.true).tolist()
    value = call(spec, params, sample)

    def asked(names):
        return call(spec, params, replace(sample, response=put(sample.response, names)))

    same(asked(classes), value)
    same(asked([f"proba_{label}" for label in reversed(classes)]), value)
    order = data.draw(st.permutations(classes))
    assume(order != classes)
    with pytest.raises(ValueError, match=REFUSED):
        asked(order)


def multilabel(name):
    return bool(settings_of(name, ("multilabel",)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [name for name in NAMES if multilabel(name)])
@of_each_door
@given(data=st.data())
def test_two_matrices_bear_their_names_in_one_order(name, data):
    spec, params, sample = draw_case(data, name, ("multilabel",))
    put = FRAMES[data.draw(st.sampled_from(sorted(FRAMES)))]
    names = list("abcdef"[: sample.true.shape[1]])
    value = call(spec, params, sample)

    def asked(true, own):
        changed = replace(sample, true=put(sample.true, true), response=put(sample.response, own))
        return call(spec, params, changed)

    same(asked(names, names), value)
    same(asked(names, [f"proba_{name}" for name in reversed(names)]), value)
    with pytest.raises(ValueError, match="the same names in another order"):
        asked(names, names[::-1])


TRUE = np.array(["a", "b", "c"] * 8)
PROBA = np.random.default_rng(0).dirichlet([1, 1, 1], 24)
WRONG = pd.DataFrame(PROBA, columns=["c", "a", "b"])
TWO = (np.array(["no", "yes"] * 12), np.column_stack([PROBA[:, 0], 1 - PROBA[:, 0]]))
AREA = functools.partial(sx.roc_auc_score, multi_class="ovr")
DOORS = {
    "labels": lambda: AREA(TRUE, WRONG, labels=["b", "a", "c"]),
    "interval": lambda: sx.confidence_interval(AREA, TRUE, WRONG),
    "compare": lambda: sx.compare(AREA, TRUE, PROBA, WRONG),
    "curves": lambda: sx.roc_curves(TRUE, WRONG),
    "pairs": lambda: sx.pairwise_roc_auc(TRUE, WRONG),
    "display": lambda: sx.RocCurvesDisplay.from_predictions(TRUE, WRONG),
    "folds": lambda: sx.GainDisplay.from_folds([(TRUE, WRONG)]),
    "one of the classes": lambda: AREA(TRUE, WRONG.set_axis(["a", "b", "d"], axis=1)),
    "two": lambda: sx.roc_auc_score(TWO[0], pd.DataFrame(TWO[1], columns=["yes", "no"])),
    "two of the loss": lambda: sx.log_loss(TWO[0], pl.DataFrame(TWO[1], schema=["yes", "no"])),
    "two numbers": lambda: sx.brier_score_loss(
        TWO[0] == "yes", pd.DataFrame(TWO[1], columns=["1", "0"])
    ),
    "the other class": lambda: sx.roc_curve(
        TWO[0], pd.Series(TWO[1][:, 0], name="no"), pos_label="yes"
    ),
    "one class occurs": lambda: sx.observed_expected_ratio(
        np.ones(24), pd.DataFrame(TWO[1], columns=["1", "0"])
    ),
    "evaluate": lambda: sx.evaluate(
        WRONG.assign(y=TRUE), true="y", score=["c", "a", "b"], metrics=["log_loss"]
    ),
}


@pytest.mark.parametrize("door", sorted(DOORS))
def test_doors(door):
    with pytest.raises(ValueError, match=REFUSED):
        DOORS[door]()


def test_what_the_names_say_is_obeyed_where_it_is_said():
    right = AREA(TRUE, PROBA)
    assert AREA(TRUE, WRONG[["a", "b", "c"]].to_numpy()) != right
    assert AREA(TRUE, WRONG, labels=["c", "a", "b"]) == AREA(TRUE, WRONG[["a", "b", "c"]])
    columns = {"score": {label: label for label in "abc"}, "metrics": ["log_loss"]}
    found = sx.evaluate(WRONG.assign(y=TRUE), true="y", **columns)
    wanted = sx.log_loss(TRUE, WRONG[["a", "b", "c"]])
    assert found.rows[0].value == pytest.approx(wanted, abs=1e-12)


COUNTED = np.array([1, 2, 3] * 8)  # classes that a count from 0 is not


@pytest.mark.parametrize("names", [None, [0, 1, 2], ["0", "1", "2"], ["x", "y", "z"]])
def test_names_that_are_no_classes_say_nothing(names):
    value = AREA(COUNTED, PROBA)
    assert AREA(COUNTED, pd.DataFrame(PROBA, columns=names)) == value
    assert sx.roc_auc_score(TWO[0] == "yes", pd.DataFrame(PROBA)[0]) == pytest.approx(
        sx.roc_auc_score(TWO[0] == "yes", PROBA[:, 0])
    )


class Named(ClassifierMixin, BaseEstimator):
    """Gives its probabilities as a frame, its columns named in another order than they stand."""

    def fit(self, X, y, sample_weight=None):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return pd.DataFrame(self.model_.predict_proba(X), columns=self.classes_[::-1])


X, OF_TWO = make_classification(n_samples=60, random_state=0)
OF_MODELS = {
    "scorer": lambda model: sx.get_scorer("roc_auc")(model, X, OF_TWO),
    "display": lambda model: sx.RocCurvesDisplay.from_estimator(model, X, OF_TWO),
    "threshold": lambda model: sx.ThresholdOptimizerCV(clone(model)).fit(X, OF_TWO),
    "nested": lambda model: nested_cv_interval(
        clone(model), X, OF_TWO, loss="log_loss", n_folds=3, n_repeats=1
    ),
}


@pytest.mark.parametrize("way", sorted(OF_MODELS))
def test_responses_of_estimators(way):
    with pytest.raises(ValueError, match=REFUSED):
        OF_MODELS[way](Named().fit(X, OF_TWO))


def test_a_report_tells_it_as_the_reason():
    report = sx.cross_validation_report(
        {"named": Named(), "plain": LogisticRegression()}, X, OF_TWO, scoring=["neg_log_loss", "f1"]
    )
    reasons = {reason for r in report.results_of("named") for reason in r.reasons.values()}
    assert len(reasons) == 1
    assert "read by position" in reasons.pop()
    assert all(np.isfinite(r.values["f1"]) for r in report.results_of("named"))

"""Which class a rate is of: scikit-learn's rule for its names, the one rule for ours."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn import metrics as theirs

import skmetrics_ext as m
from skmetrics_ext import METRICS

RATES = {name: spec for name, spec in METRICS.items() if spec.sides != "none"}
RATES = {name: spec for name, spec in RATES.items() if spec.response == "labels"}
OF_SCIKIT_LEARN = {"precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score"}
OURS = sorted(RATES.keys() - OF_SCIKIT_LEARN)
OF_EITHER = {name for name, spec in RATES.items() if spec.sides == "either"}
TRUE = np.repeat([1, 1, 0, 0], [4, 2, 1, 6])
PRED = np.repeat([1, 0, 1, 0], [4, 2, 1, 6])


def of_one(name: str, true, pred, **options):
    function = RATES[name].function
    if "average" in inspect.signature(function).parameters:
        options["average"] = "binary"
    return function(true, pred, **{**RATES[name].params, **options})


def test_each_name_is_of_one_kind() -> None:
    assert RATES.keys() > OF_SCIKIT_LEARN
    for name, spec in RATES.items():
        default = inspect.signature(spec.function).parameters["pos_label"].default
        assert default == (1 if name in OF_SCIKIT_LEARN else None), name


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("names", [(0, 1), (-1, 1), (False, True)])
def test_1_and_true_are_positive_by_themselves(name, names) -> None:
    labels = np.array(names)
    assert of_one(name, labels[TRUE], labels[PRED]) == of_one(name, TRUE, PRED, pos_label=1)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("names", [(1, 2), (0, 2), ("no", "yes"), ("bad", "good")])
def test_other_classes_have_to_be_named(name, names) -> None:
    """But where a metric is the same from both sides."""
    labels = np.array(names)
    rows = labels[TRUE], labels[PRED]
    named = [of_one(name, *rows, pos_label=label) for label in names]
    assert named[1] == of_one(name, TRUE, PRED)
    assert (named[0] == pytest.approx(named[1], rel=1e-12)) == (name in OF_EITHER)
    if name in OF_EITHER:
        assert of_one(name, *rows) == named[1]
        return
    with pytest.raises(ValueError, match="needs a positive class") as caught:
        of_one(name, *rows)
    for label in names:
        assert f"pos_label={label!r}" in str(caught.value)


@pytest.mark.parametrize("name", sorted(OF_SCIKIT_LEARN))
def test_names_of_scikit_learn_keep_its_rule(name) -> None:
    """1 is positive also of {1, 2}; other labels are refused with its words."""
    rows = np.array([2, 1])[TRUE], np.array([2, 1])[PRED]
    assert of_one(name, *rows) == of_one(name, TRUE, PRED)
    text = np.array(["no", "yes"])
    with pytest.raises(ValueError, match=r"pos_label=1 is not a valid label. It should be one of"):
        of_one(name, text[TRUE], text[PRED])


@pytest.mark.parametrize("name", RATES)
def test_a_label_that_no_row_has_is_refused(name) -> None:
    with pytest.raises(ValueError, match=r"pos_label=7 is not a valid label.*\[0 1\]"):
        of_one(name, TRUE, PRED, pos_label=7)
    with pytest.raises(ValueError, match="Target is multiclass but average='binary'"):
        of_one(name, [0, 1, 2], [0, 1, 2])


def test_the_class_is_named_to_surfaces_too() -> None:
    labels = np.array([1, 2])
    rows = labels[TRUE], labels[PRED]
    for name in ("f1", "specificity"):
        with pytest.raises(ValueError, match="needs a positive class: pass pos_label=2 or pos_l"):
            m.compute_metrics([name], *rows)
    assert m.compute_metrics(["youden_j"], *rows) == m.compute_metrics(["youden_j"], TRUE, PRED)


@pytest.mark.parametrize("labels", [[0, 1, 2], [[0, 1], [1, 0], [1, 1]]])
def test_targets_without_a_positive_class_have_the_message_of_scikit_learn(labels):
    told = []
    for function in (m.f1_score, theirs.f1_score):
        with pytest.raises(ValueError, match="average='binary'") as raised:
            function(labels, labels)
        told.append(str(raised.value))
    assert told[0] == told[1]

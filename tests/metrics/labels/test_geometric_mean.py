"""Averages of the geometric mean of sensitivity and specificity, by hand."""

from functools import partial
from math import sqrt

import numpy as np
import pytest

import skmetrics_ext as sx

# Recalls 1, 1/2, 0 and specificities 2/3, 1, 3/4 of the classes 1, 2 and 3.
TRUE, PRED = [1, 1, 2, 2, 3], [1, 1, 2, 3, 1]
ROOTS = [sqrt(2 / 3), sqrt(1 / 2), 0.0]


def test_averages_are_those_of_the_values_of_the_classes():
    score = partial(sx.geometric_mean_score, TRUE, PRED)
    assert score(average=None).tolist() == pytest.approx(ROOTS)
    assert score(average="macro") == pytest.approx(sum(ROOTS) / 3)
    assert score(average="weighted") == pytest.approx((2 * ROOTS[0] + 2 * ROOTS[1]) / 5)
    assert score(average="micro") == pytest.approx(sqrt(3 / 5 * 8 / 10))
    assert score() == 0.0


def test_the_root_of_averages_has_its_own_name():
    score = partial(sx.geometric_mean_score, TRUE, PRED, of_averages=True)
    assert score(average="macro") == pytest.approx(sqrt(1 / 2 * (2 / 3 + 1 + 3 / 4) / 3))
    shares = np.array([2, 2, 1]) / 5
    specificity = float(shares @ [2 / 3, 1, 3 / 4])
    assert score(average="weighted") == pytest.approx(sqrt(3 / 5 * specificity))
    assert score(average=None).tolist() == pytest.approx(ROOTS)
    assert score() == 0.0


def test_intervals_and_streams_read_the_same_average():
    macro = partial(sx.geometric_mean_score, average="macro")
    true, pred = TRUE * 9, PRED * 9
    stream = sx.Accumulator({"mean": macro})
    for part in range(3):
        stream.update(true[15 * part : 15 * part + 15], pred[15 * part : 15 * part + 15])
    value = pytest.approx(sum(ROOTS) / 3)
    assert stream.compute()["mean"] == value
    assert sx.confidence_interval(macro, true, pred).value == value
    assert (
        sx.get_scorer(sx.geometric_mean_score, average="macro")._metric.options["average"]
        == "macro"
    )

"""Predictive values at a stated prevalence (Mercaldo, Lau & Zhou 2007)."""

from functools import partial
from math import exp, log, sqrt

import numpy as np
import pytest

from skmetrics_ext import (
    compare,
    compute_metrics,
    confidence_interval,
    negative_predictive_value_score,
    precision_score,
    sample_size,
)

Z = 1.959963984540054
# The example of the paper: the ApoE4 allele in 418 cases of Alzheimer's disease and 375 controls.
COUNTS = {"tp": 240, "fn": 178, "fp": 87, "tn": 288}
TRUE = np.repeat([1, 1, 0, 0], list(COUNTS.values()))
PRED = np.repeat([1, 0, 1, 0], list(COUNTS.values()))
SE, SP = 240 / 418, 288 / 375


def on_logit(value, error):
    """Value -+ z standard errors of its log odds."""
    centre = log(value / (1 - value))
    return [1 / (1 + exp(-centre - side * Z * error)) for side in (-1, 1)]


@pytest.mark.parametrize("share", [0.03, 0.1, 0.5])
def test_values_and_intervals_of_the_example(share):
    ppv = share * SE / (share * SE + (1 - share) * (1 - SP))
    npv = (1 - share) * SP / ((1 - share) * SP + share * (1 - SE))
    errors = (
        sqrt((1 - SE) / SE / 418 + SP / (1 - SP) / 375),
        sqrt(SE / (1 - SE) / 418 + (1 - SP) / SP / 375),
    )
    for name, function, value, error in (
        ("precision", precision_score, ppv, errors[0]),
        ("negative_predictive_value", negative_predictive_value_score, npv, errors[1]),
    ):
        assert function(TRUE, PRED, pos_label=1, prevalence=share) == pytest.approx(value)
        found = confidence_interval(name, TRUE, PRED, prevalence=share)
        assert (found.value, found.method) == (pytest.approx(value), "logit")
        assert [found.low, found.high] == pytest.approx(on_logit(value, error))


def test_prevalence_of_the_rows_is_the_plain_value():
    share = TRUE.mean()
    for function in (precision_score, negative_predictive_value_score):
        plain = function(TRUE, PRED, pos_label=1)
        assert function(TRUE, PRED, pos_label=1, prevalence=share) == pytest.approx(plain)


def test_values_of_one_class_are_those_of_the_other_from_its_side():
    ppv = confidence_interval("precision", TRUE, PRED, pos_label=0, prevalence=0.9)
    npv = confidence_interval("negative_predictive_value", TRUE, PRED, pos_label=1, prevalence=0.1)
    numbers = [(found.value, found.low, found.high) for found in (ppv, npv)]
    assert numbers[0] == pytest.approx(numbers[1])


def test_no_false_positive_leaves_the_interval_a_width():
    pred = np.where(TRUE == 0, 0, PRED)
    found = confidence_interval("precision", TRUE, pred, prevalence=0.03)
    # Four rows more in each class, half of them to each prediction (Agresti & Coull).
    se, sp = 242 / 422, 377 / 379
    value = 0.03 * se / (0.03 * se + 0.97 * (1 - sp))
    error = sqrt((1 - se) / se / 422 + sp / (1 - sp) / 379)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(on_logit(value, error)[0])


def test_copies_within_groups_widen_nothing():
    groups = np.arange(len(TRUE))
    once = confidence_interval("precision", TRUE, PRED, prevalence=0.03, groups=groups)
    twice = confidence_interval(
        "precision", np.tile(TRUE, 2), np.tile(PRED, 2), prevalence=0.03, groups=np.tile(groups, 2)
    )
    assert [once.low, once.high] == pytest.approx([twice.low, twice.high], rel=1e-6)


def test_other_operations_take_the_prevalence():
    other = np.where(np.arange(len(PRED)) % 7 == 0, 1 - PRED, PRED)
    found = compare("precision", TRUE, PRED, other, prevalence=0.03)
    values = [precision_score(TRUE, pred, prevalence=0.03) for pred in (PRED, other)]
    assert found.difference == pytest.approx(values[0] - values[1])
    assert sample_size("precision", TRUE, PRED, prevalence=0.03, width=0.02).n > len(TRUE)


def test_a_diagnostic_table_in_one_call():
    names = ["recall", "specificity", "precision", "negative_predictive_value"]
    ratios = ["positive_likelihood_ratio", "negative_likelihood_ratio"]
    table = compute_metrics([*names, *ratios], TRUE, PRED, intervals=True)
    rows = {row["metric"]: row for row in table.rows}
    assert rows["recall"]["value"] == pytest.approx(SE)
    assert rows["precision"]["value"] == pytest.approx(240 / 327)
    assert rows["positive_likelihood_ratio"]["value"] == pytest.approx(SE / (1 - SP))
    for name in (*names, *ratios):
        assert rows[name]["low"] < rows[name]["value"] < rows[name]["high"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prevalence": 0}, r"prevalence has to be a number in \(0, 1\), got 0"),
        ({"prevalence": 1.2}, r"prevalence has to be a number in \(0, 1\), got 1.2"),
        ({"prevalence": "0.1"}, r"prevalence has to be a number in \(0, 1\), got '0.1'"),
        ({"prevalence": 0.1, "average": "macro"}, "takes average='binary', got average='macro'"),
    ],
)
def test_refused(options, message):
    for ask in (precision_score, partial(confidence_interval, "precision")):
        with pytest.raises(ValueError, match=message):
            ask(TRUE, PRED, **options)

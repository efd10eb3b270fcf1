"""Numbers from random draws are shown with the digits that other draws would not change."""

import copy
import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx
from skmetrics_ext.formats import Drawn, digits, number, probability
from skmetrics_ext.results import TestResult
from tests.support.many_models import all_differences

RNG = np.random.default_rng(4)
Y = RNG.integers(0, 2, 120)
A, B, C = (Y + RNG.normal(size=120) * scale for scale in (1.5, 1.2, 1.3))
SEEDS = range(12)


def shown(text):
    """Bounds in brackets, and the p-value, as texts."""
    low, high = re.search(r"\[(.*?), (.*?)\]", text).groups()
    p_value = re.search(r"p [=<] ([\d.e-]+)", text)
    return {"low": low, "high": high} | ({"p_value": p_value[1]} if p_value else {})


def unit(text):
    """What one of the last digit is worth."""
    return 10.0 ** -len(text.partition(".")[2])


def interval(seed):
    options = {"method": "bootstrap", "n_resamples": 400}
    return sx.confidence_interval("roc_auc", Y, A, random_state=seed, **options)


def difference(seed):
    options = {"method": "bootstrap", "n_resamples": 400}
    return sx.compare("roc_auc", Y, A, B, random_state=seed, **options)


def samples(seed):
    options = {"method": "bootstrap", "n_resamples": 400}
    return sx.compare_samples("roc_auc", Y, A, Y[:90], B[:90], random_state=seed, **options)


def exchanged(seed):
    options = {"method": "permutation", "n_resamples": 400}
    return sx.compare("roc_auc", Y, A, B, random_state=seed, **options)


@pytest.mark.parametrize("ask", [interval, difference, samples, exchanged])
def test_the_last_digit_is_worth_two_standard_errors(ask):
    """The standard error is that of the same call with 12 seeds."""
    results = [ask(seed) for seed in SEEDS]
    for key, text in shown(str(results[0])).items():
        error = np.std([getattr(result, key) for result in results], ddof=1)
        if np.isfinite(error) and float(text):
            assert unit(text) > 1.5 * error, (key, text, error)
            assert unit(text) < 60 * error, (key, text, error)


def test_tables_show_the_same_digits():
    options = {"metrics": ["ks_statistic", "roc_auc"], "intervals": True, "n_resamples": 400}
    frame = pd.DataFrame({"true": Y, "score": A})
    found = sx.evaluate(frame, true="true", score="score", **options)
    lines = {line.split()[0]: line for line in str(found).splitlines() if "[0" in line}
    assert unit(shown(lines["ks_statistic"])["high"]) >= 0.01
    assert unit(shown(lines["roc_auc"])["high"]) == 0.0001  # by a formula
    row = found.row("ks_statistic")
    alone = sx.confidence_interval("ks_statistic", Y, A, n_resamples=400)
    assert (row.low, row.high) == (alone.low, alone.high)  # in full
    assert number(row.low) == shown(lines["ks_statistic"])["low"]


def test_the_largest_of_normal_errors_is_drawn_often_unless_a_number_is_given():
    models, low = {"a": A, "b": B, "c": C}, {}
    for n_resamples in (None, 199):
        options = {"n_resamples": n_resamples}
        found = [all_differences("roc_auc", Y, models, random_state=s, **options) for s in range(6)]
        low[n_resamples] = np.std([each.rows[0].low for each in found], ddof=1)
    assert low[None] < low[199] / 8  # 22 if exact: the root of 100,000 / 199


def test_a_threshold_and_a_test_by_draws():
    found = sx.optimal_threshold(Y, A, n_resamples=200, interval=True)
    assert found.threshold.draws == 200
    assert re.search(r"threshold +\S+ +\[-?\d(\.\d)?, -?\d(\.\d)?\]", str(found))
    test = sx.significance.venkatraman_test(Y, A, B, n_resamples=399)
    assert unit(re.search(r"p = (.*)", str(test))[1]) >= 0.01


def test_digits_by_hand():
    """2 * 0.004 is more than 0.001 and less than 0.01."""
    assert number(Drawn(0.71234, 0.004)) == "0.71"
    assert number(Drawn(-0.0012, 0.004)) == "0.00"
    assert number(Drawn(1234.5, 4.0)) == "1230"
    assert number(Drawn(0.71234, 0.0)) == number(Drawn(0.71234, np.nan)) == "0.7123"
    assert probability(Drawn(0.0432, 0.004)) == "0.04"
    assert probability(Drawn(0.003, 0.004)) == "< 0.01"
    assert digits(Drawn(0.71234, 0.004), ".1f") == "0.7"
    assert digits(Drawn(0.71234, 0.004), ".3g") == "0.71"
    assert probability(Drawn(0.0004, 1e-5)) == "< 0.001"
    for p_value, text in (
        (Drawn(0.0432, 0.0004), "p = 0.043"),
        (Drawn(0.003, 0.004), "p < 0.01"),
        (0.0432109, "p = 0.0432"),
    ):
        assert str(TestResult(1.0, p_value, "test")).endswith(text)


def test_a_drawn_number_is_a_float_everywhere():
    found = sx.confidence_interval("roc_auc", Y, A, method="bootstrap", n_resamples=99)
    drawn = found.low
    assert isinstance(drawn, float)
    assert pickle.loads(pickle.dumps(drawn)).error == copy.deepcopy(drawn).error == drawn.error
    assert pd.DataFrame({"low": [drawn]}).dtypes["low"] == np.float64
    assert repr(drawn) == repr(float(drawn))
    assert f"{drawn:.5f}" == f"{float(drawn):.5f}"
    assert type(found.to_dict()["low"]) is float
    assert json.loads(found.to_json())["low"] == float(drawn)

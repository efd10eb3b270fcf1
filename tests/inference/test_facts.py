"""What results say of themselves, as a paper reports it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx

RNG = np.random.default_rng(2)
TRUE = np.repeat(["well", "ill"], [60, 40])
SCORE = RNG.normal(size=100) + (TRUE == "ill")
SAID = np.where(SCORE > 0.5, "ill", "well")


def test_a_share_of_rows_cites_its_rows():
    found = sx.confidence_interval("recall", [1] * 23 + [0] * 10, [1] * 20 + [0] * 13)
    assert found.cite() == "Wilson score interval (Wilson 1927), 20 of 23 rows"
    assert (found.metric, found.n, found.n_effective, found.freedom) == ("recall", 33, 33, None)
    assert found.positive_class == 1


def test_millions_of_rows_are_cited_in_full():
    weights = {"sample_weight": [1_000_000, 1_000_000, 345_678], "weights_are": "frequency"}
    found = sx.confidence_interval("accuracy", [0, 1, 1], [0, 1, 0], **weights)
    assert found.cite().endswith(", 2000000 of 2345678 rows")


def test_an_area_says_its_class_and_freedom():
    found = sx.confidence_interval("roc_auc", TRUE, SCORE, pos_label="ill")
    assert (found.metric, found.n, found.positive_class) == ("roc_auc", 100, "ill")
    assert 39 <= found.freedom <= 98
    assert found.cite().endswith(", 100 rows")
    assert "positive class 'ill'" in str(found)
    named = sx.confidence_interval("f1", TRUE, SAID, pos_label="ill")
    assert named.positive_class == named.params["pos_label"] == "ill"
    assert sx.confidence_interval("accuracy", TRUE, SAID).positive_class is None


def test_weights_and_groups_have_an_effective_number():
    weight, group = np.repeat([1.0, 3.0], 50), np.arange(100) // 5
    found = sx.confidence_interval("accuracy", TRUE, SAID, sample_weight=weight)
    assert found.n == 100
    assert found.n_effective == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    assert sx.confidence_interval("accuracy", TRUE, SAID, groups=group).n_effective == 20


def test_comparisons_say_the_same():
    other = SCORE + RNG.normal(size=100)
    found = sx.compare("roc_auc", TRUE, SCORE, other, pos_label="ill")
    assert (found.metric, found.n, found.positive_class) == ("roc_auc", 100, "ill")
    assert "Welch-Satterthwaite" in found.cite()
    assert found.freedom > 30
    apart = sx.compare_samples("accuracy", TRUE, SAID, TRUE[:50], SAID[:50])
    assert (apart.metric, apart.n) == ("accuracy", 150)
    assert "Zou & Donner 2008" in apart.cite()


def test_a_function_of_the_users_own_has_rows_and_no_class():
    def agree(y_true, y_pred):
        return float(np.mean(y_true == y_pred))

    about = {"n_resamples": 20, "random_state": 0}
    found = sx.confidence_interval(agree, TRUE, SAID, **about)
    assert (found.metric, found.n, found.freedom, found.positive_class) == (
        *("agree", 100),
        *(None, None),
    )
    both = sx.compare_samples(agree, TRUE, SAID, TRUE[:50], SAID[:50], **about)
    assert (both.metric, both.n) == ("agree", 150)
    assert sx.compare(agree, TRUE, SAID, TRUE, **about).difference < 0


def test_dicts_and_json_hold_everything():
    found = sx.confidence_interval("f1", TRUE, SAID, pos_label="ill", method="bca", n_resamples=50)
    told = json.loads(found.to_json())
    assert told.keys() == found.to_dict().keys()
    assert (told["metric"], told["value"], told["n"]) == ("f1", found.value, 100)
    assert told["design_effect"] is None  # nan
    assert told["citation"] == "BCa bootstrap (Efron 1987), 50 draws, 100 rows"


def test_equal_intervals_are_equal_whatever_is_known_of_them():
    found = sx.confidence_interval("accuracy", TRUE, SAID)
    assert found == replace(found, facts=None)
    assert sx.results.Estimate(0.8, 0.7, 0.9, 0.05, "delong", 0.95).metric == ""


def test_thresholds_and_gaps():
    chosen = sx.optimal_threshold(
        TRUE, SCORE, pos_label="ill", n_resamples=50, random_state=0, interval=True
    )
    assert (chosen.metric, chosen.n, chosen.positive_class) == ("youden", 100, "ill")
    told = json.loads(chosen.to_json())
    assert told["threshold"]["value"] == chosen.threshold.value
    assert "Bickel" in chosen.cite()
    table = pd.DataFrame({"y": TRUE, "d": SAID, "site": np.arange(100) % 2})
    found = sx.evaluate(table, true="y", pred="d", metrics=["accuracy"], by="site")
    gaps = found.gaps("accuracy")
    assert json.loads(gaps.to_json())["rows"][0]["metric"] == "accuracy"
    assert [row["n_rows"] for row in gaps.to_dict()["rows"]] == [50, 50]
    assert "Holm" in gaps.cite()


def test_clustered_rows_are_cited_with_their_effective_number():
    true = np.arange(60) % 2
    pred = np.where(np.arange(60) // 4 % 5 == 0, 1 - true, true)
    found = sx.confidence_interval("accuracy", true, pred, groups=np.arange(60) // 4)
    # All rows of a group are right or wrong: as many as there are groups.
    n_rows = 60 / found.design_effect
    assert n_rows == pytest.approx(15, rel=0.1)
    assert found.cite().endswith(f", 15 clusters, effective sample size {n_rows:.4g}")
    assert "clusters" not in sx.confidence_interval("accuracy", true, pred).cite()
    even = np.where(np.arange(60) % 5 == 0, 1 - true, true)  # about as many wrong in each group
    found = sx.confidence_interval("accuracy", true, even, groups=np.arange(60) // 4)
    assert found.design_effect < 1
    assert found.cite().endswith(f", effective sample size {60 / found.design_effect:.4g}")

"""Rows labelled with known probabilities."""

from types import SimpleNamespace

import numpy as np
import pytest

import skmetrics_ext as sx
from tests.inference.labelled.cases import OF_SCORES, REFERENCE, digits, population

EXPECTED = REFERENCE["sampling_expected"]


def _case(name):
    found = REFERENCE[name]
    return {**found, "y": digits(found["y"]), "pred": digits(found["pred"])}


@pytest.mark.parametrize("case", [name for name in EXPECTED if name.startswith("poisson")])
def test_poisson_samples_of_survey(case):
    rows, expected, metric = _case("poisson"), EXPECTED[case], case.removeprefix("poisson_")
    arguments = rows["y"], rows["score" if metric in OF_SCORES else "pred"]
    sampling = {"sampling": rows["probability"]}
    process = sx.confidence_interval(metric, *arguments, **sampling)
    pool = sx.confidence_interval(metric, *arguments, **sampling, population="pool")
    assert process.value == pool.value == pytest.approx(expected["value"], rel=1e-9)
    assert process.standard_error == pytest.approx(expected["se_superpopulation"], rel=1e-9)
    assert pool.standard_error == pytest.approx(expected["se_pool"], rel=1e-8)
    assert process.freedom == pytest.approx(expected["freedom"], rel=1e-9)
    assert process.n_effective == pytest.approx(expected["effective_rows"], rel=1e-9)


@pytest.mark.parametrize("metric", ["recall", "f1", "accuracy"])
def test_samples_of_fixed_size(metric):
    rows = _case("fixed")
    plan = SimpleNamespace(fixed=True, probability=np.array(rows["probability"]))
    found = sx.confidence_interval(
        metric, rows["y"], rows["pred"], sampling=plan, population="pool"
    )
    expected = EXPECTED[f"fixed_hajek_{metric}"]
    assert found.value == pytest.approx(expected["value"], rel=1e-9)
    assert found.standard_error == pytest.approx(expected["se"], rel=1e-9)
    for other, rel in (("brewer", 2e-3), ("overton", 0.02)):  # of R's survey
        assert found.standard_error == pytest.approx(
            EXPECTED[f"fixed_{other}_{metric}"]["se"], rel=rel
        )


def test_one_probability_of_all_rows_or_of_labelled_ones():
    rows = population()
    chance = np.clip(rows["score"], 0.1, 1)
    drawn = rows["rng"].random(2000) < chance
    human = np.where(drawn, rows["true"], np.nan)
    every, some, alone = (
        sx.confidence_interval("f1", y, pred, sampling=p)
        for y, pred, p in (
            (human, rows["pred"], chance),
            (human, rows["pred"], chance[drawn]),
            (rows["true"][drawn], rows["pred"][drawn], chance[drawn]),
        )
    )
    assert [*every] == [*some] == pytest.approx([*alone], rel=1e-12)
    missing = np.where(drawn, chance, np.nan)
    assert [*every] == [*sx.confidence_interval("f1", human, rows["pred"], sampling=missing)]


def test_equal_probabilities_are_a_random_sample():
    rows = population()
    found = sx.confidence_interval("f1", rows["human"], rows["pred"], sampling=np.full(2000, 0.15))
    kept = rows["labelled"]
    alone = sx.confidence_interval("f1", rows["true"][kept], rows["pred"][kept])
    assert found.value == pytest.approx(alone.value, rel=1e-12)
    assert found.n_effective == pytest.approx(300)


def test_a_simple_sample_of_a_pool():
    """The variance of a share of a pool has the factor 1 - n / N."""
    rows = population()
    found = sx.confidence_interval("accuracy", rows["human"], rows["pred"], population="pool")
    kept = rows["labelled"]
    share = (rows["true"] == rows["pred"])[kept].mean()
    error = (share * (1 - share) / 299 * (1 - 300 / 2000)) ** 0.5
    assert found.value == pytest.approx(share)
    assert found.standard_error == pytest.approx(error, rel=1e-9)


def test_proxy_and_sampling_by_the_formula():
    rows = population()
    chance = np.clip(rows["score"], 0.1, 1)
    drawn = rows["rng"].random(2000) < chance
    human = np.where(drawn, rows["true"], np.nan)
    found = sx.confidence_interval(
        "accuracy", human, rows["pred"], proxy=rows["judge"], sampling=chance
    )
    w = 1 / chance[drawn]
    right, judged = rows["true"] == rows["pred"], rows["judge"] == rows["pred"]
    c = judged - judged.mean()
    value = (w * right[drawn]).sum() / w.sum()
    a, c_bar = right[drawn] - value, (w * c[drawn]).sum() / w.sum()
    moved = w * (c[drawn] - c_bar)
    weight = (w * a * moved).sum() / (moved**2).sum()
    leverage = np.minimum(moved**2 / (moved**2).sum(), 0.9)
    parts = weight * c / 2000
    parts[drawn] += (w * a - weight * moved) / (w.sum() * (1 - leverage))
    assert found.value == pytest.approx(value - weight * c_bar, rel=1e-9)
    assert found.standard_error == pytest.approx((parts**2).sum() ** 0.5, rel=1e-9)


def test_notes():
    rows = population()
    chance = np.full(2000, 0.5)
    chance[np.flatnonzero(rows["labelled"])[0]] = 0.001
    found = sx.confidence_interval("f1", rows["human"], rows["pred"], sampling=chance)
    assert "of the weight" in found.note
    assert "may be too narrow" in found.note


@pytest.mark.parametrize(
    ("sampling", "message"),
    [
        (np.zeros(2000), "sampling must be above 0 and at most 1"),
        (np.full(2000, 1.1), "sampling must be above 0 and at most 1"),
        (np.full(2000, np.nan), "sampling must be above 0 and at most 1"),
        (np.full(7, 0.5), "sampling must have a probability for each of the 2000 rows"),
    ],
)
def test_refusals(sampling, message):
    rows = population()
    with pytest.raises(ValueError, match=message):
        sx.confidence_interval("f1", rows["human"], rows["pred"], sampling=sampling)


def test_a_pool_whose_labels_are_all_known():
    rows = population()
    with pytest.raises(ValueError, match="all of them are labelled"):
        sx.confidence_interval("f1", rows["true"], rows["pred"], population="pool")

"""Decompositions: the parts add up, and each is what it is called."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from skmetrics_ext import brier_decomposition, brier_score_loss, corp_decomposition, log_loss

LENGTH = st.integers(2, 20)


@st.composite
def samples(draw):
    n = draw(LENGTH)
    proba = np.array(draw(st.lists(st.integers(0, 20), min_size=n, max_size=n))) / 20
    true = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    weight = np.array(draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)))
    return true, proba, draw(st.sampled_from([None, weight, weight / 8]))


def test_by_hand():
    # Two bins: 3 rows at 0.2 with rate 1/3, 2 rows at 0.8 with rate 1/2; base rate 2/5.
    parts = brier_decomposition([0, 0, 1, 0, 1], [0.2, 0.2, 0.2, 0.8, 0.8])
    assert parts.reliability == pytest.approx(0.6 * (1 / 3 - 1 / 5) ** 2 + 0.4 * 0.3**2)
    assert parts.resolution == pytest.approx(0.6 / 15**2 + 0.4 / 10**2)
    assert parts.uncertainty == pytest.approx(0.24)
    assert parts.within_bin == pytest.approx(0, abs=1e-16)
    assert parts.score == pytest.approx((0.04 + 0.04 + 0.64 + 0.64 + 0.04) / 5)


@given(
    sample=samples(),
    strategy=st.sampled_from(["uniform", "quantile", "equal_mass", "distinct"]),
    debias=st.booleans(),
    n_bins=st.integers(1, 8),
)
def test_the_parts_add_up(sample, strategy, debias, n_bins):
    true, proba, weight = sample
    if weight is not None and strategy == "quantile":
        weight = np.ceil(weight)  # of rows, which weights repeat
    parts = brier_decomposition(
        true, proba, strategy=strategy, n_bins=n_bins, debias=debias, sample_weight=weight
    )
    score = brier_score_loss(true, proba, sample_weight=weight)
    assert parts.score == pytest.approx(score, rel=1e-12, abs=1e-15)
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.within_bin
    assert total == pytest.approx(score, abs=1e-12)
    if strategy == "distinct":
        assert parts.within_bin == pytest.approx(0, abs=1e-14)
    if not debias:
        assert parts.reliability >= 0
        assert parts.resolution >= -1e-15


def test_debiased_parts_are_right_on_average():
    """Over all outcomes of rows with known chances; the uncertainty is exactly unbiased."""
    rows, said, truth = [3, 3, 2], [0.1, 0.4, 0.9], [0.2, 0.4, 0.7]
    proba, chance = np.repeat(said, rows), np.repeat(truth, rows)
    share = np.array(rows) / 8
    base = share @ truth
    means = np.zeros(3)
    for outcome in product([0, 1], repeat=8):
        parts = brier_decomposition(outcome, proba, strategy="distinct", debias=True)
        likely = np.where(outcome, chance, 1 - chance).prod()
        means += likely * np.array([parts.reliability, parts.resolution, parts.uncertainty])
    assert means[0] == pytest.approx(share @ (np.array(said) - truth) ** 2, rel=1e-10)
    # Chances that differ between the rows leave the sample variance a little too large for
    # the mean of 8 rows; resolution and uncertainty share that part, and their difference does not.
    spread = share @ (np.array(truth) - base) ** 2
    assert means[2] - means[1] == pytest.approx(base * (1 - base) - spread, rel=1e-10)


def test_debiasing_by_hand():
    # Rates 1/3 of 3 rows and 1/2 of 2: variances (2/9)/2 and (1/4)/1; of all, (6/25)/4.
    plain = brier_decomposition([0, 0, 1, 0, 1], [0.2, 0.2, 0.2, 0.8, 0.8])
    parts = brier_decomposition([0, 0, 1, 0, 1], [0.2, 0.2, 0.2, 0.8, 0.8], debias=True)
    noise = 0.6 / 9 + 0.4 / 4
    assert parts.reliability == pytest.approx(plain.reliability - noise)
    assert parts.resolution == pytest.approx(plain.resolution - noise + 0.06)
    assert parts.uncertainty == pytest.approx(0.3)


def recalibrated(true, proba, weight):
    """scikit-learn's isotonic regression, rows of one probability pooled by it."""
    model = IsotonicRegression(out_of_bounds="clip")
    weight = None if weight is None else weight.astype(float)
    return np.clip(model.fit(proba, true.astype(float), weight).predict(proba), 0, 1)


@given(sample=samples(), score=st.sampled_from(["brier", "log_loss"]))
def test_corp_by_another_isotonic_regression(sample, score):
    true, proba, weight = sample
    loss = {"brier": brier_score_loss, "log_loss": log_loss}[score]
    options = {"sample_weight": weight, "labels": [0, 1]}
    base = np.full(len(true), np.average(true, weights=weight))
    own, best, constant = (
        loss(true, p, **options) for p in (proba, recalibrated(true, proba, weight), base)
    )
    parts = corp_decomposition(true, proba, score=score, sample_weight=weight)
    expected = [own, own - best, constant - best, constant]
    got = [parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty]
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)
    assert parts.within_bin == 0
    assert min(parts.reliability, parts.resolution) >= 0
    total = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert total == pytest.approx(own, abs=1e-12)


@pytest.mark.parametrize("score", ["brier", "log_loss"])
def test_corp_does_not_depend_on_the_dtype(score):
    true, proba = [0, 1, 0, 1, 1], np.array([0.0, 0.25, 1.0, 0.75, 0.5])
    wide = corp_decomposition(true, proba, score=score)
    for dtype in (np.float16, np.float32, np.longdouble):
        assert corp_decomposition(true, proba.astype(dtype), score=score) == wide


@given(sample=samples())
def test_the_method_corp_is_the_function(sample):
    true, proba, weight = sample
    by_name = brier_decomposition(true, proba, method="corp", sample_weight=weight)
    assert by_name == corp_decomposition(true, proba, sample_weight=weight)


def test_a_rising_change_of_the_forecast_leaves_its_discrimination():
    true, proba = [0, 1, 0, 1, 1, 0, 1], np.array([0.1, 0.2, 0.3, 0.5, 0.6, 0.65, 0.9])
    one, other = corp_decomposition(true, proba), corp_decomposition(true, proba**3)
    assert one.discrimination == pytest.approx(other.discrimination, rel=1e-12)
    assert one.uncertainty == other.uncertainty
    assert one.miscalibration != pytest.approx(other.miscalibration)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "murphy"}, "method has to be"),
        ({"strategy": "kmeans"}, "strategy has to be"),
        ({"method": "corp", "debias": True}, "needs method='binned'"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ValueError, match=message):
        brier_decomposition([0, 1], [0.2, 0.8], **options)
    with pytest.raises(ValueError, match="score has to be"):
        corp_decomposition([0, 1], [0.2, 0.8], score="spherical")

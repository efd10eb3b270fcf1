"""DeLong's tests: covariances by brute force, laws, errors, level."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext import delong_test, holm_adjust, roc_auc_score

RNG = np.random.default_rng(2)
Y = RNG.permutation(np.repeat([0, 1], [30, 20]))
COMMON = RNG.normal(size=50) + Y
A, B, C = (np.round(COMMON + RNG.normal(size=50), 1) for _ in range(3))
THREE = RNG.permutation(np.repeat([0, 1, 2], [30, 40, 50]))
P, Q = (RNG.normal(size=(120, 3)) + shift * np.eye(3)[THREE] for shift in (1.3, 1.0))
NEITHER = ("ovo", "micro")  # there is no such average


def covariance_by_hand(y_true, *scores):
    """Sample covariances of the placements of each class, as fractions."""
    total = [[Fraction(0)] * len(scores) for _ in scores]
    for k in (0, 1):
        own, other = np.flatnonzero(y_true == k), np.flatnonzero(y_true != k)
        sign = 1 if k else -1
        placed = [
            [
                Fraction(
                    int(sum(2 * (sign * s[j] < sign * s[i]) + (s[j] == s[i]) for j in other)),
                    2 * len(other),
                )
                for i in own
            ]
            for s in scores
        ]
        means = [sum(column) / len(own) for column in placed]
        for a, first in enumerate(placed):
            for b, second in enumerate(placed):
                products = sum(
                    (x - means[a]) * (y - means[b]) for x, y in zip(first, second, strict=True)
                )
                total[a][b] += products / ((len(own) - 1) * len(own))
    return np.array([[float(one) for one in row] for row in total])


def test_covariance_is_that_of_the_placements():
    found = delong_test(Y, A, B, C)
    np.testing.assert_allclose(found.covariance, covariance_by_hand(Y, A, B, C), rtol=1e-11)
    assert found.areas == pytest.approx([roc_auc_score(Y, s) for s in (A, B, C)], abs=1e-14)


def test_two_models_by_the_formula():
    found = delong_test(Y, A, B, confidence_level=0.9)
    s = covariance_by_hand(Y, A, B)
    error = np.sqrt(s[0, 0] + s[1, 1] - 2 * s[0, 1])
    difference = roc_auc_score(Y, A) - roc_auc_score(Y, B)
    pair = found.pairs[0, 1]
    assert found.statistic == pytest.approx(difference / error)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(difference / error)))
    away = stats.norm.ppf(0.95) * error
    assert (pair.low, pair.high) == pytest.approx((difference - away, difference + away))
    assert pair.standard_error == pytest.approx(error)
    assert np.isinf(found.degrees_of_freedom)
    assert "areas" in str(found)


def test_sides_of_the_alternative():
    two, less, greater = (
        delong_test(Y, A, B, alternative=side).p_value for side in ("two-sided", "less", "greater")
    )
    assert less + greater == pytest.approx(1)
    assert two == pytest.approx(2 * min(less, greater))
    turned = delong_test(Y, B, A, alternative="less").p_value
    assert turned == pytest.approx(greater)


def test_more_models_by_contrasts():
    found = delong_test(Y, A, B, C)
    contrasts = np.array([[1, -1, 0], [0, 1, -1]])
    apart = contrasts @ found.areas
    expected = apart @ np.linalg.solve(contrasts @ found.covariance @ contrasts.T, apart)
    assert found.statistic == pytest.approx(expected, rel=1e-9)
    assert found.degrees_of_freedom == 2
    assert found.p_value == pytest.approx(stats.chi2.sf(expected, 2))
    for (i, j), pair in found.pairs.items():
        alone = delong_test(Y, (A, B, C)[i], (A, B, C)[j])
        assert pair.p_value == pytest.approx(alone.p_value, rel=1e-9)
    assert (holm_adjust([pair.p_value for pair in found.pairs.values()]) <= 1).all()


def test_a_model_twice_is_one_contrast_less():
    found, once = delong_test(Y, A, B, np.exp(A)), delong_test(Y, A, B)
    assert found.degrees_of_freedom == 1
    assert found.statistic == pytest.approx(once.statistic**2, rel=1e-9)
    assert found.p_value == pytest.approx(once.p_value, rel=1e-9)
    assert found.pairs[0, 2].p_value == 1.0


@pytest.mark.parametrize("scores", [(A, A), (A, 3 * A - 7), (A, A, A)])
def test_a_model_against_itself(scores):
    found = delong_test(Y, *scores)
    assert (found.statistic, found.p_value) == (0.0, 1.0)
    assert found.pairs[0, 1].difference == 0.0
    grouped = delong_test(Y, *scores, groups=np.arange(50) // 2)
    assert grouped.p_value == 1.0


# --------------------------------------------------------------------------- samples and groups


def test_two_samples_are_welch():
    other = RNG.integers(0, 2, 80)
    score = RNG.normal(size=80) + other
    found = delong_test(Y, A, score, y_true_b=other)
    v_a, v_b = (covariance_by_hand(*one)[0, 0] for one in ((Y, A), (other, score)))
    df = (v_a + v_b) ** 2 / (v_a**2 / 49 + v_b**2 / 79)
    t = (roc_auc_score(Y, A) - roc_auc_score(other, score)) / np.sqrt(v_a + v_b)
    assert found.degrees_of_freedom == pytest.approx(df)
    assert found.statistic == pytest.approx(t)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), df))
    pair = found.pairs[0, 1]
    assert pair.high - pair.difference == pytest.approx(stats.t.ppf(0.975, df) * np.sqrt(v_a + v_b))
    np.testing.assert_array_equal(found.covariance, np.diag(found.covariance.diagonal()))


def test_copies_of_rows_in_one_group_are_no_evidence():
    twice = np.tile(np.arange(50), 2)
    found = delong_test(Y[twice], A[twice], B[twice], groups=twice)
    np.testing.assert_allclose(found.covariance, delong_test(Y, A, B).covariance, rtol=1e-12)
    blind = delong_test(Y[twice], A[twice], B[twice])
    assert blind.p_value < found.p_value


def test_weights():
    weight = RNG.integers(0, 4, 50)
    rows = np.repeat(np.arange(50), weight)
    counted = delong_test(Y, A, B, sample_weight=weight, weights_are="frequency")
    listed = delong_test(Y[rows], A[rows], B[rows])
    np.testing.assert_allclose(counted.covariance, listed.covariance, rtol=1e-11)
    kept = weight > 0
    weighed = delong_test(Y, A, B, sample_weight=weight)
    part = delong_test(Y[kept], A[kept], B[kept], sample_weight=7.0 * weight[kept])
    np.testing.assert_allclose(weighed.covariance, part.covariance, rtol=1e-11)
    assert weighed.areas[0] == pytest.approx(roc_auc_score(Y, A, sample_weight=weight), abs=1e-13)


# --------------------------------------------------------------------------- several classes


@pytest.mark.parametrize(
    ("multi_class", "average"),
    [
        ("ovr", "macro"),
        ("ovr", "weighted"),
        ("ovr", "micro"),
        ("ovo", "macro"),
        ("ovo", "weighted"),
    ],
)
def test_several_classes_against_derivatives(multi_class, average):
    options = {"multi_class": multi_class, "average": average}
    found = delong_test(THREE, P, Q, **options)
    slopes = []
    for i in range(120):
        move = np.where(np.arange(120) == i, 1e-5, 0.0)
        ends = [
            np.subtract(
                *(roc_auc_score(THREE, s, sample_weight=1 + sign * move, **options) for s in (P, Q))
            )
            for sign in (1, -1)
        ]
        slopes.append((ends[0] - ends[1]) / 2e-5)
    ratio = found.pairs[0, 1].standard_error ** 2 / np.square(slopes).sum()
    assert 1.004 < ratio < 1.05
    same = delong_test(THREE, P, P, **options)
    assert same.p_value == 1.0


# --------------------------------------------------------------------------- edges


def test_no_variance_is_no_evidence():
    found = delong_test([0, 0, 0, 1, 1, 1], range(6), [1] * 6)
    pair = found.pairs[0, 1]
    assert np.isnan(found.statistic)
    assert np.isnan(found.p_value)
    assert pair.difference == 0.5
    assert -0.5 < pair.low < 0.5 < pair.high < 1
    assert "permutation" in pair.note
    for others in (
        ([1] * 6, [1] * 6),
        ([1] * 6, [6, 5, 4, 3, 2, 1]),
        ([1] * 6, [2, 5, 1, 3, 6, 4]),
    ):
        more = delong_test([0, 0, 0, 1, 1, 1], range(6), *others)
        assert np.isnan([more.statistic, more.p_value, more.degrees_of_freedom]).all()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((Y, A, B, C), {"alternative": "less"}, "two models"),
        ((Y, A, B, C), {"y_true_b": Y}, "compare them in pairs"),
        ((Y, A, B), {"groups_b": Y}, "groups_b is for a second sample"),
        ((Y, A, B), {"alternative": "more"}, "alternative has to be one of"),
        ((Y, A, B), {"average": None}, "average has to be one of"),
        ((Y, A, B[:-1]), {}, "score_b"),
        ((THREE, P, Q), {}, "multi_class"),
    ],
)
def test_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        delong_test(*arguments, **options)


def test_level_of_the_test():
    """400 null samples: 5 standard errors around 5 % are 5.4 points."""
    rng = np.random.default_rng(8)
    rejected = {"paired": 0, "three": 0, "samples": 0}
    for _ in range(400):
        y_true = rng.integers(0, 2, 120)
        a, b, c = (y_true + rng.normal(size=120) for _ in range(3))
        rejected["paired"] += delong_test(y_true, a, b).p_value < 0.05
        rejected["three"] += delong_test(y_true, a, b, c).p_value < 0.05
        other = (rng.random(90) < 0.3).astype(int)
        score = np.exp(other + rng.normal(size=90))
        rejected["samples"] += delong_test(y_true, a, score, y_true_b=other).p_value < 0.05
    assert all(0.01 < count / 400 < 0.104 for count in rejected.values())

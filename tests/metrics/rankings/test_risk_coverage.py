"""Risk against coverage, by the definitions over all orders of ties, and by influence formulas."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import skmetrics_ext as sx

RNG = np.random.default_rng(5)
NAMES = ("aurc", "augrc", "e_aurc")


def sample(n, seed=0):
    """Labels, predictions and rounded confidences, which are lower for errors."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    wrong = rng.random(n) < 0.25
    confidence = np.round(rng.beta(6, 2, n) - 0.15 * wrong, 2)
    return y, np.where(wrong, (y + 1) % 3, y), confidence


def of_order(errors):
    """AURC, AUGRC and E-AURC of errors in this order, as fractions."""
    n, m = len(errors), sum(errors)
    sums = [sum(errors[: k + 1]) for k in range(n)]
    aurc = sum(Fraction(s, k + 1) for k, s in enumerate(sums)) / n
    perfect = sum(Fraction(max(0, k - (n - m)), k) for k in range(1, n + 1)) / n
    return aurc, Fraction(sum(sums), n * n), aurc - perfect


def test_by_hand_without_ties() -> None:
    errors, confidence = [0, 0, 1, 0, 1, 1], [0.95, 0.9, 0.8, 0.7, 0.6, 0.55]
    y, pred = ["a"] * 6, ["ab"[e] for e in errors]
    for name, wanted in zip(NAMES, of_order(errors), strict=True):
        got = getattr(sx, name)(y, pred, confidence=confidence)
        assert got == pytest.approx(float(wanted), rel=1e-14)
    curve = sx.risk_coverage_curve(y, pred, confidence=confidence)
    assert curve.risk == pytest.approx([0, 0, 1 / 3, 1 / 4, 2 / 5, 1 / 2])
    assert curve.coverage == pytest.approx(np.arange(1, 7) / 6)
    assert np.isnan(curve.low).all()  # fewer than 20 rows


@pytest.mark.parametrize("confidence", [[2, 2, 1, 1, 1, 0], [1] * 6, [3, 3, 3, 3, 0, 0]])
def test_ties_are_the_mean_of_all_orders(confidence) -> None:
    errors = [0, 1, 1, 0, 0, 1]
    orders = [
        o
        for o in permutations(range(6))
        if sorted(confidence, reverse=True) == [confidence[i] for i in o]
    ]
    wanted = np.mean([[float(v) for v in of_order([errors[i] for i in o])] for o in orders], axis=0)
    got = [getattr(sx, n)([0] * 6, errors, confidence=confidence) for n in NAMES]
    assert got == pytest.approx(wanted, rel=1e-13)


def influence(errors, confidence):
    """The influence of each row on AURC, AUGRC and E-AURC; tied rows share means."""
    order = np.argsort(-confidence, kind="stable")
    tie = np.unique(-confidence[order], return_inverse=True)[1]

    def shared(values):
        return (np.bincount(tie, values) / np.bincount(tie))[tie]

    n, e = len(errors), errors[order].astype(float)
    k, mean = np.arange(1, n + 1), shared(e)
    risk = np.cumsum(mean) / k
    later, inverse = np.cumsum((risk / k)[::-1])[::-1], np.cumsum((1 / k)[::-1])[::-1]
    area = e * shared(inverse) - shared(later) + shared(risk) - risk.mean()
    general = e * shared((n - k + 1.0) / n) + shared(np.cumsum(mean) / n)
    out = np.empty((3, n))
    out[:, order] = (
        area,
        general - 2 * (k / n * risk).mean(),
        area + np.log(1 - e.mean()) * (e - e.mean()),
    )
    return out


@pytest.mark.parametrize("n", [40, 300])
def test_errors_are_those_of_the_influence(n) -> None:
    y, pred, confidence = sample(n)
    wanted = influence(y != pred, confidence)
    for name, psi in zip(NAMES, wanted, strict=True):
        got = sx.influence_values(name, y, pred, confidence=confidence)
        assert got == pytest.approx(psi, abs=1e-12)
        found = sx.confidence_interval(name, y, pred, confidence=confidence)
        assert found.standard_error == pytest.approx(np.sqrt((psi**2).sum()) / n, rel=1e-12)
        assert found.method == "log"
        assert found.low < found.value < found.high
    second, fourth = (wanted[0] ** 2).mean(), (wanted[0] ** 4).mean()
    freedom = min(n - 1, 2 * n * second**2 / (fourth - second**2))
    from scipy.stats import t

    found = sx.confidence_interval("aurc", y, pred, confidence=confidence)
    away = t.ppf(0.975, freedom) * found.standard_error / found.value
    assert (found.low, found.high) == pytest.approx(found.value * np.exp([-away, away]), rel=1e-9)


def test_groups_are_the_unit() -> None:
    y, pred, confidence = sample(300)
    group = np.arange(300) // 3
    psi = influence(y != pred, confidence)[0]
    sums = np.bincount(group, psi) / 300
    found = sx.confidence_interval("aurc", y, pred, confidence=confidence, groups=group)
    assert found.standard_error == pytest.approx(np.sqrt(100 / 99 * (sums**2).sum()), rel=1e-12)


def test_two_confidences_are_compared_row_by_row() -> None:
    y, pred, first = sample(400)
    second = np.round(RNG.random(400), 2)
    psi = influence(y != pred, first) - influence(y != pred, second)
    found = sx.compare("aurc", y, pred, pred, confidence=(first, second))
    values = [sx.aurc(y, pred, confidence=each) for each in (first, second)]
    assert found.value == pytest.approx(values[0] - values[1], rel=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt((psi[0] ** 2).sum()) / 400, rel=2e-3)
    assert found.high < 0
    subtracted = sx.confidence_interval("aurc", y, pred, confidence=first)
    subtracted = subtracted - sx.confidence_interval("aurc", y, pred, confidence=second)
    assert subtracted.low == pytest.approx(found.low, rel=1e-9)
    same = sx.compare("augrc", y, pred, pred, confidence=first)
    assert same.value == 0


def test_weights_are_repeated_rows() -> None:
    y, pred, confidence = sample(60)
    weight = np.arange(60) % 3
    repeated = [np.repeat(each, weight) for each in (y, pred, confidence)]
    for name in NAMES:
        got = getattr(sx, name)(y, pred, confidence=confidence, sample_weight=weight)
        wanted = getattr(sx, name)(*repeated[:2], confidence=repeated[2])
        assert got == pytest.approx(wanted, rel=1e-12)
        options = {"sample_weight": weight, "weights_are": "frequency", "confidence": confidence}
        found = sx.confidence_interval(name, y, pred, **options)
        other = sx.confidence_interval(name, *repeated[:2], confidence=repeated[2])
        assert (found.low, found.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_few_errors_and_none_are_noted() -> None:
    y, pred = np.zeros(200, int), np.zeros(200, int)
    confidence = RNG.random(200)
    none = sx.confidence_interval("aurc", y, pred, confidence=confidence)
    assert (none.value, none.low) == (0, 0)
    assert 0 < none.high < 0.05
    pred[:7] = 1
    few = sx.confidence_interval("aurc", y, pred, confidence=confidence)
    assert few.note.startswith("only 7 errors: this interval may be too narrow")
    pred[:] = 1
    assert sx.aurc(y, pred, confidence=confidence) == pytest.approx(1)
    assert sx.e_aurc(y, pred, confidence=confidence) == pytest.approx(0, abs=1e-12)


def test_the_band_is_that_of_a_share_of_the_answered_rows() -> None:
    y, pred, confidence = sample(200)
    curve = sx.risk_coverage_curve(y, pred, confidence=confidence, confidence_level=0.9)
    rows = np.round(curve.coverage * 200)
    at = len(rows) // 2
    wanted = sx.proportion_interval(
        round(curve.risk[at] * rows[at]), int(rows[at]), method="wilson", confidence_level=0.9
    )
    assert (curve.low[at], curve.high[at]) == pytest.approx((wanted.low, wanted.high))
    assert np.array_equal(np.isnan(curve.low), rows < 20)
    display = curve.plot()
    assert display.ax_.get_xlabel().startswith("Coverage")
    made = sx.RiskCoverageDisplay.from_predictions(y == pred, confidence)
    assert made.lines[0].value == pytest.approx(sx.aurc(y, pred, confidence=confidence))


@pytest.mark.parametrize(
    ("confidence", "message"),
    [
        (None, "confidence is missing: pass confidence="),
        ([0.1, 0.2], "a finite number for each of the 3 rows, got shape"),
        ([0.1, 0.2, np.nan], "with nan or infinity"),
        (["a", "b", "c"], "confidence must hold numbers"),
    ],
)
def test_refused(confidence, message) -> None:
    with pytest.raises(ValueError, match=message):
        sx.aurc([0, 1, 1], [0, 1, 0], confidence=confidence)
    with pytest.raises(ValueError, match=message):
        sx.confidence_interval("augrc", [0, 1, 1], [0, 1, 0], confidence=confidence)

"""Laws of estimates from partly labelled and weighted rows, over what is known and metrics."""

import numpy as np
import pytest

import skmetrics_ext as sx
from tests.inference.labelled.cases import population

ROWS = population()
N = 2000
RNG = np.random.default_rng(7)
CHANCE = np.clip(ROWS["score"], 0.1, 1)
DRAWN = np.where(RNG.random(N) < CHANCE, ROWS["true"], np.nan)
X = RNG.normal(size=(N, 2))
HUMAN, TRUE, JUDGE = ROWS["human"], ROWS["true"], ROWS["judge"]
KNOWN = {
    "proxy": (HUMAN, {"proxy": JUDGE}),
    "probabilities of a machine": (HUMAN, {"proxy": 0.1 + 0.8 * JUDGE}),
    "sampling": (DRAWN, {"sampling": CHANCE}),
    "sampling and proxy": (DRAWN, {"sampling": CHANCE, "proxy": JUDGE}),
    "a pool": (HUMAN, {"population": "pool", "proxy": JUDGE}),
    "a target": (TRUE, {"X": X, "target": X[:800] + 0.3}),
    "a prevalence": (TRUE, {"prevalence": 0.1}),
    "groups": (HUMAN, {"proxy": JUDGE, "groups": np.arange(N) // 2}),
    "strata": (HUMAN, {"proxy": JUDGE, "strata": np.arange(N) % 4}),
    "weights": (HUMAN, {"proxy": JUDGE, "sample_weight": 1 + RNG.random(N)}),
}
SCORES = np.clip(ROWS["score"], 0.01, 0.99)
METRICS = {
    "f1": (ROWS["pred"], ROWS["other"]),
    "roc_auc": (SCORES, SCORES + RNG.random(N) / 3),
    "log_loss": (SCORES, SCORES**2),
    "matthews_corrcoef": (ROWS["pred"], ROWS["other"]),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KNOWN)
def test_differences_are_comparisons(kind, metric):
    (y, known), (a, b) = KNOWN[kind], METRICS[metric]
    first, second = (sx.confidence_interval(metric, y, each, **known) for each in (a, b))
    expected, found = sx.compare(metric, y, a, b, **known), first - second
    assert [*found] == pytest.approx([*expected], rel=1e-9, abs=1e-12)
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-6, abs=1e-12)
    turned = sx.compare(metric, y, b, a, **known)
    ends = -expected.value, -expected.high, -expected.low
    assert [*turned] == pytest.approx(ends, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KNOWN)
def test_the_order_of_rows_does_not_matter(kind):
    y, known = KNOWN[kind]
    order = RNG.permutation(N)
    mixed = {
        name: value[order] if name != "target" and np.ndim(value) and len(value) == N else value
        for name, value in known.items()
    }
    plain = sx.confidence_interval("f1", y, ROWS["pred"], **known)
    found = sx.confidence_interval("f1", y[order], ROWS["pred"][order], **mixed)
    assert [*found] == pytest.approx([*plain], rel=1e-9)


@pytest.mark.parametrize("kind", KNOWN)
def test_levels_are_nested(kind):
    y, known = KNOWN[kind]
    found = sx.confidence_interval("f1", y, ROWS["pred"], **known)
    wide, narrow = found.at(0.99), found.at(0.5)
    assert wide.low < found.low < narrow.low < found.value < narrow.high < found.high < wide.high


def test_statistics_without_an_interval_have_none_here():
    for metric in ("mutual_information", "chance_agreement"):
        plain = sx.confidence_interval(metric, TRUE, ROWS["pred"])
        assert np.isnan(plain.low)
        for y, known in (KNOWN["proxy"], KNOWN["sampling"], KNOWN["a target"]):
            found = sx.confidence_interval(metric, y, ROWS["pred"], **known)
            assert np.isnan(found.low)
            assert "no interval" in found.note

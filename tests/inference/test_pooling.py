"""Pooling over sites and imputations: values of metafor and mice, and by hand."""

import math
import pickle

import numpy as np
import pytest
from scipy import optimize, special, stats

import skmetrics_ext as sx

# Log risk ratios of 13 trials of the BCG vaccine (Colditz et al. 1994), and their variances.
BCG = [
    (-0.889311333920205, 0.325584765003961), (-1.58538865720143, 0.194581121398144),
    (-1.34807314829969, 0.415367965367965), (-1.44155119002131, 0.0200100319022476),
    (-0.217547322211296, 0.0512101721696309), (-0.786115585818864, 0.00690561845590876),
    (-1.62089822359839, 0.223017247572315), (0.0119523335238405, 0.00396157929781773),
    (-0.469417648738149, 0.056434210463249), (-1.37134480347278, 0.0730247936130289),
    (-0.339358828338391, 0.0124122139715597), (0.445913400571379, 0.532505845200153),
    (-0.0173139482168798, 0.0714046596839863),
]  # fmt: skip
VALUES = [0.78, 0.83, 0.71, 0.86, 0.8, 0.75, 0.88]
ERRORS = [0.03, 0.025, 0.05, 0.02, 0.04, 0.035, 0.03]
SITES = list(zip(VALUES, ERRORS, strict=True))
IMPUTED = [(0.8132, 0.021), (0.8077, 0.022), (0.824, 0.02), (0.8011, 0.023), (0.8155, 0.021)]


def test_the_trials_of_the_vaccine_have_the_numbers_of_metafor():
    """R metafor 3.8.1: rma(method="REML", test="knha"), predict()."""
    pooled = sx.pool([(y, v**0.5) for y, v in BCG])
    found = pooled.value, pooled.standard_error, pooled.low, pooled.high, *pooled.prediction
    expected = -0.714532, 0.180792, -1.108444, -0.320621, -1.996017, 0.566952
    assert found == pytest.approx(expected, abs=2e-6)
    assert pooled.tau2 == pytest.approx(0.313243, abs=2e-6)
    assert pooled.freedom == 12
    assert "rough" not in pooled.note


@pytest.mark.parametrize(
    ("how", "expected", "tau2", "prediction"),
    [
        ("sites", (0.809118336, 0.021853922, 0.755643715, 0.862592958), 0.002130159,
         (0.684163937, 0.934072735)),
        ("fixed", (0.823010867678205, 0.0110677796633048, 0.801318418149303, 0.844703317207108), 0,
         None),
    ],
)  # fmt: skip
def test_seven_sites_have_the_numbers_of_metafor(how, expected, tau2, prediction):
    """R metafor 3.8.1, whose search for tau2 stops at 1e-5."""
    pooled = sx.pool(SITES, how=how)
    found = pooled.value, pooled.standard_error, pooled.low, pooled.high
    assert found == pytest.approx(expected, rel=1e-5)
    assert pooled.tau2 == pytest.approx(tau2, abs=3e-7)
    assert pooled.prediction == (prediction and pytest.approx(prediction, rel=2e-5))
    assert ("rough with fewer than 10 sites" in pooled.note) == (how == "sites")


@pytest.mark.parametrize(
    ("n_rows", "freedom", "bounds"),
    [
        (None, 153.489334944681, (0.766080720249527, 0.858519279750473)),
        (200, 79.5700205521182, (0.765737073514602, 0.858862926485398)),
        (60, 36.4951841540393, (0.764873526019848, 0.859726473980152)),
    ],
)
def test_imputations_have_the_numbers_of_mice(n_rows, freedom, bounds):
    """R mice 3.15: pool.scalar(n=, k=1)."""
    pooled = sx.pool(IMPUTED, how="imputations", n_rows=n_rows)
    assert (pooled.value, pooled.standard_error) == pytest.approx((0.8123, 0.0233957688482341))
    assert pooled.freedom == pytest.approx(freedom)
    assert (pooled.low, pooled.high) == pytest.approx(bounds)
    assert math.isnan(pooled.tau2)
    assert pooled.prediction is None
    assert not pooled.note


def test_rubins_rules_by_hand():
    """Two imputations, 1 and 2 with errors 1: T = 1 + 1.5 * 0.5, share 3 / 7, freedom 49 / 9."""
    pooled = sx.pool([(1, 1), (2, 1)], how="imputations")
    assert (pooled.value, pooled.standard_error**2) == pytest.approx((1.5, 1.75))
    assert pooled.freedom == pytest.approx(49 / 9)
    assert pooled.note.startswith("2 imputations: make 5 or more")
    equal = [(1, 1)] * 5
    assert sx.pool(equal, how="imputations").freedom is None  # a normal quantile
    assert sx.pool(equal, how="imputations").high == pytest.approx(1 + stats.norm.ppf(0.975))
    assert sx.pool(equal, how="imputations", n_rows=20).freedom == 19


@pytest.mark.parametrize("seed", range(8))
def test_the_variance_between_sites_maximises_the_restricted_likelihood(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 20))
    errors = rng.uniform(0.1, 1, n)
    y = rng.normal(0, errors) + rng.normal(0, rng.choice([0, 0.2, 2]), n)

    def loss(tau2):
        total = stats.norm.logpdf(y, np.average(y, weights=1 / (errors**2 + tau2)),
                                  np.sqrt(errors**2 + tau2)).sum()  # fmt: skip
        return np.log((1 / (errors**2 + tau2)).sum()) / 2 - total

    best = optimize.minimize_scalar(loss, bounds=(0, 100), method="bounded",
                                    options={"xatol": 1e-10})  # fmt: skip
    tau2 = sx.pool(zip(y, errors, strict=True)).tau2
    assert loss(tau2) <= best.fun + 1e-9
    assert tau2 == pytest.approx(best.x, abs=1e-4)


def test_few_sites_have_at_least_the_error_of_known_variances():
    """Four sites with almost equal values: Hartung and Knapp's error would be near 0."""
    few = sx.pool([(0.5, 0.1), (0.5001, 0.1), (0.4999, 0.1), (0.5, 0.1)])
    assert few.standard_error == pytest.approx(0.05)
    assert few.high - few.value == pytest.approx(stats.t.ppf(0.975, 3) * 0.05)
    more = sx.pool([(0.5, 0.1), (0.5001, 0.1), (0.4999, 0.1), (0.5, 0.1), (0.5, 0.1)])
    assert more.standard_error < 0.001
    assert sx.pool([(0.5, 0.1)] * 9).standard_error == pytest.approx(0.1 / 3)


# --------------------------------------------------------------------------- scales


def estimates(metric, n, **options):
    rng = np.random.default_rng(1)
    for _ in range(n):
        y = rng.integers(0, 2, 90)
        score = y + rng.normal(0, 1.2, 90)
        p = special.expit(score)
        pred = p if metric != "matthews_corrcoef" else score > 0.5
        yield sx.confidence_interval(metric, y, pred, **options)


SCALES = {
    "roc_auc": (special.logit, special.expit),
    "log_loss": (np.log, np.exp),
    "matthews_corrcoef": (np.arctanh, np.tanh),
}


@pytest.mark.parametrize("metric", SCALES)
@pytest.mark.parametrize("how", ["sites", "fixed", "imputations"])
def test_estimates_are_pooled_on_the_scale_of_their_metric(metric, how):
    to, back = SCALES[metric]
    parts = list(estimates(metric, 5))
    step = 1e-6
    pairs = [
        (to(e.value), e.standard_error * (to(e.value + step) - to(e.value - step)) / (2 * step))
        for e in parts
    ]
    expected, pooled = sx.pool(pairs, how=how), sx.pool(parts, how=how)
    ends = [back(end) for end in (expected.value, expected.low, expected.high)]
    assert list(pooled) == pytest.approx(ends, rel=1e-6)
    assert pooled.tau2 == pytest.approx(expected.tau2, rel=1e-4, nan_ok=True)
    assert pooled.metric == metric
    assert sx.pool(pickle.loads(pickle.dumps(parts)), how=how) == pooled
    assert pickle.loads(pickle.dumps(pooled)) == pooled
    assert sx.pool(parts[::-1], how=how).value == pytest.approx(pooled.value)


def test_differences_are_pooled_as_they_are_and_ratios_as_logarithms():
    first, second = (list(estimates("roc_auc", 8))[k:] for k in (0, 4))
    pairs = list(zip(first[:4], second[:4], strict=True))
    gaps, ratios = [a - b for a, b in pairs], [a / b for a, b in pairs]
    plain = sx.pool([(gap.value, gap.standard_error) for gap in gaps])
    assert list(sx.pool(gaps)) == pytest.approx(list(plain))
    logs = sx.pool([np.log(ratio) for ratio in ratios])
    assert list(sx.pool(ratios)) == pytest.approx([math.exp(end) for end in logs])


def test_estimates_of_ones_own_are_pooled():
    hours = np.random.default_rng(0).exponential(3, (4, 50))
    parts = [sx.estimate(h.mean(), h - h.mean(), scale="log") for h in hours]
    pairs = [(math.log(e.value), e.standard_error / e.value) for e in parts]
    assert sx.pool(parts).value == pytest.approx(math.exp(sx.pool(pairs).value))


# --------------------------------------------------------------------------- refusals

SAME = [sx.confidence_interval("accuracy", [0, 1] * 20, [0, 1] * 15 + [1, 0] * 5)] * 3


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (
            SITES[:2],
            {},
            "how='sites' needs 3 or more.* show both, or pass how='fixed'",
        ),
        (SITES[:1], {"how": "fixed"}, "how='fixed' needs 2 or more"),
        (3, {}, "needs 3 or more"),
        ([(1, 0)] * 3, {}, r"estimates\[0\], \(1, 0\), has no standard error above 0"),
        ([*SITES, (math.nan, 1)], {}, r"estimates\[7\]"),
        ([0.7, 0.8, 0.9], {}, r"pairs \(value, standard error\), got \[0.7"),
        (["ab", "cd", "ef"], {}, "pairs"),
        (SAME, {}, r"of different rows.*mean\(\[...\]\)"),
        ([*list(estimates("roc_auc", 2)), *estimates("log_loss", 2)], {}, "one metric"),
        (
            [e.at(level) for e in estimates("roc_auc", 3) for level in (0.9, 0.8)],
            {},
            "different confidence levels",
        ),
        (SITES, {"how": "random"}, "how"),
        (SITES, {"n_rows": 100}, "n_rows is for how='imputations'"),
        (IMPUTED, {"how": "imputations", "n_rows": 1}, "n_rows"),
        (SITES, {"confidence_level": 2}, "confidence_level"),
    ],
)
def test_what_is_refused(given, options, message):
    with pytest.raises(ValueError, match=message):
        sx.pool(given, **options)


def test_a_value_at_the_end_of_its_range_is_refused():
    y = [0, 1] * 20
    perfect = [sx.confidence_interval("accuracy", y * k, y * k) for k in (1, 2, 3)]
    with pytest.raises(ValueError, match="no standard error above 0 on the scale of its range"):
        sx.pool(perfect)


def test_the_level_is_that_of_the_estimates_or_the_one_asked_for():
    assert sx.pool([e.at(0.9) for e in estimates("roc_auc", 3)]).confidence_level == 0.9
    mixed = [e.at(level) for e, level in zip(estimates("roc_auc", 3), (0.9, 0.9, 0.8), strict=True)]
    assert sx.pool(mixed, confidence_level=0.5).confidence_level == 0.5

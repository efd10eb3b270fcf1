"""Groups where intervals are of tables, lines and curves: each is that of one other question."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

import skmetrics_ext as sx

RNG = np.random.default_rng(3)
N = 240
GROUP = np.arange(N) // 6
SHIFT = RNG.normal(size=N // 6)[GROUP]
UNSEEN = 2 * RNG.normal(size=N // 6)[GROUP]  # what patients share and the model does not know
Y = (RNG.random(N) < 1 / (1 + np.exp(-SHIFT - UNSEEN))).astype(int)
PROBA = 1 / (1 + np.exp(-(0.8 * SHIFT + 0.5 * RNG.normal(size=N))))
TRUE = RNG.integers(0, 3, N)
PRED = np.where(RNG.random(N) < np.array([0.9, 0.5])[GROUP % 2], TRUE, RNG.integers(0, 3, N))
NAMES = np.array([f"patient {k}" for k in GROUP])


def test_a_report_has_the_intervals_of_its_rates():
    options = {"confidence_level": 0.9, "groups": NAMES}
    found = sx.classification_report(TRUE, PRED, output_dict=True, extra="specificity", **options)
    for column in ("precision", "recall", "specificity"):
        each = sx.confidence_interval(column, TRUE, PRED, average=None, **options)
        for name, one in zip("012", each, strict=True):
            ends = found[name][f"{column}_low"], found[name][f"{column}_high"]
            assert ends == pytest.approx((one.low, one.high), rel=1e-12)
    plain = sx.classification_report(TRUE, PRED, output_dict=True, extra="specificity")
    assert {k: v for k, v in found["1"].items() if k in plain["1"]} == plain["1"]
    text = str(sx.classification_report(TRUE, PRED, **options))
    assert "\nintervals by 40 groups, design effects " in text
    assert "groups" not in str(sx.classification_report(TRUE, PRED, confidence_level=0.9))
    usual = sx.classification_report(TRUE, PRED, groups=NAMES)
    assert usual == sx.classification_report(TRUE, PRED, groups=NAMES, confidence_level=0.95)
    weight = (TRUE != 2) & (PRED != 2)
    weighed = sx.classification_report(
        TRUE, PRED, groups=NAMES, sample_weight=weight, output_dict=True, zero_division=0
    )
    alone = sx.confidence_interval(
        "recall", TRUE[weight], PRED[weight], groups=NAMES[weight], pos_label=0
    )
    assert weighed["0"]["recall_low"] == pytest.approx(alone.low)
    assert np.isnan(weighed["2"]["recall_low"])


def test_a_report_says_where_groups_are_few():
    few = np.where(TRUE == 2, 0, 1 + GROUP)  # all rows of a class are of one patient
    text = str(sx.classification_report(TRUE, PRED, confidence_level=0.9, groups=few))
    assert "these rows show no sampling variation" in text
    found = sx.classification_report(
        TRUE, PRED, confidence_level=0.9, groups=few, output_dict=True, labels=[2, 0]
    )
    assert "these rows show no sampling variation" in found["2"]["recall_note"]
    # A third of the rows are of one patient: that leaves few for any class.
    assert "independent groups: this interval may be too narrow" in found["0"]["recall_note"]
    assert "no spread" not in found["0"]["recall_note"]


def test_what_a_report_refuses():
    with pytest.raises(ValueError, match="one group for each of the 240 rows"):
        sx.classification_report(TRUE, PRED, groups=GROUP[:3], confidence_level=0.9)


def test_a_line_of_groups_has_the_covariance_of_their_scores():
    """The sandwich of Liang and Zeger, by hand, times G / (G - 1)."""
    line, alone = (sx.calibration_slope_intercept(Y, PROBA, groups=g) for g in (NAMES, None))
    assert tuple(line) == tuple(alone)
    assert (line.n_groups, alone.n_groups) == (40, None)
    design = np.column_stack([np.ones(N), np.log(PROBA / (1 - PROBA))])
    mean = 1 / (1 + np.exp(-design @ [line.intercept.value, line.slope.value]))
    bread = np.linalg.inv(design.T @ (design * (mean * (1 - mean))[:, None]))
    scores = np.add.reduceat(design * (Y - mean)[:, None], np.arange(0, N, 6))
    expected = bread @ scores.T @ scores @ bread * 40 / 39
    np.testing.assert_allclose(line.covariance, expected, rtol=1e-6)
    errors = [line.intercept.standard_error, line.slope.standard_error]
    np.testing.assert_allclose(errors, np.sqrt(np.diag(expected)), rtol=1e-6)
    # The sum of the scores alone, with the slope held at 1.
    offset = np.log(PROBA / (1 - PROBA)) + line.in_the_large.value
    chance = 1 / (1 + np.exp(-offset))
    scores = np.add.reduceat(Y - chance, np.arange(0, N, 6))
    error = np.sqrt((scores**2).sum() * 40 / 39) / (chance * (1 - chance)).sum()
    assert line.in_the_large.standard_error == pytest.approx(error, rel=1e-6)
    t_value = (line.slope.high - line.slope.value) / line.slope.standard_error
    assert 1.96 < t_value < 2.1  # at most 39 degrees of freedom
    assert line.covariance[0, 0] > 1.5 * alone.covariance[0, 0]


def test_a_line_of_copies_has_the_covariance_of_the_rows():
    rows = np.tile(np.arange(N), 3)
    copies = sx.calibration_slope_intercept(Y[rows], PROBA[rows], groups=rows)
    once = sx.calibration_slope_intercept(Y, PROBA, groups=np.arange(N))
    np.testing.assert_allclose(copies.covariance, once.covariance, rtol=1e-9)
    weight = (np.arange(N) % 4 > 0).astype(int)
    kept = weight > 0
    weighed = sx.calibration_slope_intercept(Y, PROBA, groups=GROUP, sample_weight=weight)
    left = sx.calibration_slope_intercept(Y[kept], PROBA[kept], groups=GROUP[kept])
    np.testing.assert_allclose(weighed.covariance, left.covariance, rtol=1e-9)


def test_a_bin_has_the_interval_of_its_share():
    curve = sx.calibration_curve_binned(Y, PROBA, n_bins=4, groups=GROUP)
    alone = sx.calibration_curve_binned(Y, PROBA, n_bins=4)
    np.testing.assert_array_equal(curve.observed_rate, alone.observed_rate)
    for k in range(4):
        rows = (curve.edges[k] < PROBA) & (curve.edges[k + 1] >= PROBA)
        one = sx.confidence_interval("accuracy", Y[rows], np.ones(rows.sum()), groups=GROUP[rows])
        assert (curve.low[k], curve.high[k]) == pytest.approx((one.low, one.high), rel=1e-12)
    assert (curve.high - curve.low).sum() > 1.2 * (alone.high - alone.low).sum()
    weight = np.where(np.arange(N) < 200, 1.0, 0.0)
    weighed = sx.calibration_curve_binned(Y, PROBA, n_bins=4, groups=GROUP, sample_weight=weight)
    left = sx.calibration_curve_binned(Y[:200], PROBA[:200], n_bins=4, groups=GROUP[:200])
    np.testing.assert_allclose(weighed.low, left.low)


def test_displays_have_the_bands_of_groups():
    curve = sx.calibration_curve_binned(Y, PROBA, groups=GROUP)
    display = sx.CalibrationDisplay.from_predictions(Y, PROBA, groups=GROUP)
    np.testing.assert_array_equal(display.columns()["low"], curve.low)
    report = sx.cross_validation_report(
        LogisticRegression(), PROBA[:, None], Y, groups=GROUP, cv=GroupKFold(4),
        scoring="neg_log_loss", baseline=None,
    )  # fmt: skip
    kept = report.predictions["LogisticRegression"]
    shown = sx.CalibrationDisplay.from_report(report, pos_label=1).columns()
    told = kept.responses["predict_proba"][:, 1]
    wanted = sx.calibration_curve_binned(Y[kept.rows], told, groups=GROUP[kept.rows])
    np.testing.assert_array_equal(shown["low"], wanted.low)
    with pytest.raises(ValueError, match="pass groups to cross_validation_report"):
        sx.CalibrationDisplay.from_folds([(Y, PROBA)], groups=GROUP)

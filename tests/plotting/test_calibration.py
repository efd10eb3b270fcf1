"""Reliability diagrams."""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_validate

import skmetrics_ext as sx


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "equal_mass"])
def test_bins_are_those_of_the_curve(binary, strategy) -> None:
    y, proba = binary
    weight = 1.0 + np.arange(len(y)) % 3
    options = {"n_bins": 5, "strategy": strategy, "pos_label": "sick", "sample_weight": weight}
    display = sx.CalibrationDisplay.from_predictions(y, proba, confidence_level=0.8, **options)
    curve = sx.calibration_curve_binned(y, proba, confidence_level=0.8, **options)
    columns = display.columns()
    for name in ("mean_predicted", "observed_rate", "low", "high", "weight", "count"):
        np.testing.assert_allclose(columns[name], getattr(curve, name))
    np.testing.assert_allclose(columns["left"], curve.edges[:-1])
    error = sx.expected_calibration_error(y, proba, **options)
    assert display.lines[0].error == pytest.approx(error)
    seen = curve.count > 0
    drawn = np.asarray(display.line_.get_xydata())
    np.testing.assert_allclose(drawn, np.column_stack(list(curve))[seen])
    assert f"(ECE {error:.3f})" in display.legend_.get_texts()[0].get_text()


def test_histogram_is_below_and_sums_to_one(binary) -> None:
    display = sx.CalibrationDisplay.from_predictions(*binary, pos_label="sick")
    (stairs,) = display.histogram_ax_.patches
    assert stairs.get_data().values.sum() == pytest.approx(1)
    assert display.columns("histogram")["weight"].sum() == len(binary[0])
    assert len(display.frame("histogram")) == 20
    without = sx.CalibrationDisplay.from_predictions(*binary, pos_label="sick", histogram=False)
    assert without.histogram_ax_ is None


def test_second_model_on_the_same_axes(binary) -> None:
    y, proba = binary
    of_sick = partial(sx.CalibrationDisplay.from_predictions, pos_label="sick")
    first = of_sick(y, proba, name="one")
    second = of_sick(y, proba**2, name="two", ax=first.ax_)
    assert second.histogram_ax_ is first.histogram_ax_
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_marker() != second.line_.get_marker()
    texts = [text.get_text().split(" (")[0] for text in second.legend_.get_texts()]
    assert texts[:3] == ["one", "two", "perfect calibration"]
    assert texts[3:] == ["bars: 95 % interval of each bin", "positive class: sick"]


def test_each_class_and_the_top_label(several) -> None:
    y, proba = several
    display = sx.CalibrationDisplay.from_predictions(y, proba, curves=["b", "top label"])
    of_class = sx.calibration_curve_binned((y == "b").astype(int), proba[:, 1])
    of_top = sx.calibration_curve_binned(y, proba, target="top_label")
    columns = display.columns()
    top = columns["curve"] == "top label"
    np.testing.assert_allclose(columns["observed_rate"][~top], of_class.observed_rate)
    np.testing.assert_allclose(columns["observed_rate"][top], of_top.observed_rate)
    np.testing.assert_allclose(columns["low"][top], of_top.low)
    every = sx.CalibrationDisplay.from_predictions(y, proba)
    assert [line.curve for line in every.lines] == ["a", "b", "c"]
    with pytest.raises(ValueError, match="curves must name some of"):
        sx.CalibrationDisplay.from_predictions(y, proba, curves="d")


def test_folds_are_pooled(binary) -> None:
    y, score = binary
    X, model = score[:, None], LogisticRegression()
    results = cross_validate(model, X, y, cv=3, return_estimator=True, return_indices=True)
    pooled = sx.CalibrationDisplay.from_cv_results(results, X, y, pos_label="sick").columns()
    out_of_fold = cross_val_predict(model, X, y, cv=3, method="predict_proba")[:, 1]
    wanted = sx.calibration_curve_binned(y, out_of_fold, pos_label="sick")
    np.testing.assert_allclose(pooled["observed_rate"], wanted.observed_rate)
    np.testing.assert_array_equal(pooled["count"], wanted.count)


def test_scores_are_refused(binary) -> None:
    y, score = binary
    with pytest.raises(ValueError, match="y_prob"):
        sx.CalibrationDisplay.from_predictions(y, 4 * score, pos_label="sick")


def isotonic_line(y, proba, weight=None):
    fit = IsotonicRegression(y_min=0, y_max=1).fit(proba, y, weight)
    return fit.predict(np.unique(proba))


def calibrated(n, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.beta(2, 3, n)
    return (rng.random(n) < proba).astype(int), proba


def test_the_isotonic_line_is_that_of_scikit_learn() -> None:
    y, proba = calibrated(300)
    proba, weight = proba.round(2), 1.0 + np.arange(300) % 4
    display = sx.CalibrationDisplay.from_predictions(
        y, proba, strategy="isotonic", sample_weight=weight, band=None
    )
    columns = display.columns()
    np.testing.assert_array_equal(columns["mean_predicted"], np.unique(proba))
    np.testing.assert_allclose(columns["observed_rate"], isotonic_line(y, proba, weight))
    assert "low" not in columns
    np.testing.assert_allclose(display.line_.get_ydata(), columns["observed_rate"])
    # What the squared error loses by recalibration.
    line = np.interp(proba, np.unique(proba), columns["observed_rate"])
    gain = np.average((proba - y) ** 2 - (line - y) ** 2, weights=weight)
    assert f"(miscalibration {gain:.3f})" in display.legend_.get_texts()[0].get_text()


def test_the_consistency_band_is_that_of_outcomes_drawn_from_the_probabilities() -> None:
    y, proba = calibrated(200)
    display = sx.CalibrationDisplay.from_predictions(
        y, proba, strategy="isotonic", confidence_level=0.8
    )
    rng, at = np.random.default_rng(1), np.unique(proba)
    drawn = [isotonic_line(rng.random(200) < proba, proba) for _ in range(1000)]
    expected = np.quantile(drawn, [0.1, 0.9], axis=0)
    columns = display.columns()
    inner = (at > 0.1) & (at < 0.7)
    for bound, wanted in zip(("low", "high"), expected, strict=True):
        assert abs(columns[bound] - wanted)[inner].mean() < 0.01
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert "80 % consistency band (if calibrated)" in texts


@pytest.mark.exhaustive
def test_calibrated_models_lie_in_the_band_of_dependent_rows() -> None:
    """Pairs of equal rows: the band is that of half as many rows."""
    inside, widths = [], []
    for seed in range(24):
        y, proba = calibrated(150, seed)
        rows = np.repeat(np.arange(150), 2)
        options = {"strategy": "isotonic", "groups": rows}
        pairs = sx.CalibrationDisplay.from_predictions(y[rows], proba[rows], **options).columns()
        line, low, high = (pairs[name][40:110] for name in ("observed_rate", "low", "high"))
        inside.append(np.mean((low <= line) & (line <= high)))
        if seed < 5:
            alone = sx.CalibrationDisplay.from_predictions(y, proba, strategy="isotonic").columns()
            widths.append(np.mean(high - low) / np.mean((alone["high"] - alone["low"])[40:110]))
        plt.close("all")
    assert 0.9 < np.mean(inside) < 0.985
    assert 0.93 < np.mean(widths) < 1.07


def test_several_isotonic_lines_and_what_is_refused() -> None:
    y, proba = calibrated(200)
    models = {"one": proba, "two": proba**2}
    display = sx.CalibrationDisplay.from_predictions(y, models, strategy="isotonic")
    assert [line.model for line in display.lines] == ["one", "two"]
    assert len(display.bands_) == 2
    assert display.comparison is not None
    assert len(display.columns("histogram")["weight"]) == 40
    with pytest.raises(ValueError, match=r"strategy has to be one of .*'isotonic'"):
        sx.CalibrationDisplay.from_predictions(y, proba, strategy="corp")
    with pytest.raises(ValueError, match="band has to be one of"):
        sx.CalibrationDisplay.from_predictions(y, proba, strategy="isotonic", band="simultaneous")


def test_a_lowest_probability_of_many_rows_has_its_own_bin() -> None:
    y = [1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1]
    proba = np.repeat([0.2, 0.3, 0.6, 0.7], 4)
    display = sx.CalibrationDisplay.from_predictions(y, proba, strategy="quantile")
    columns = display.columns()
    seen = columns["count"] > 0
    points = np.column_stack([columns["mean_predicted"], columns["observed_rate"]])[seen]
    np.testing.assert_allclose(points, [(0.2, 0.25), (0.3, 0.5), (0.6, 0.75), (0.7, 1)])
    rate, mean = calibration_curve(y, proba, n_bins=10, strategy="quantile")
    np.testing.assert_allclose(points, np.column_stack([mean, rate]))


@pytest.mark.parametrize("strategy", ["quantile", "equal_mass"])
def test_models_with_few_and_many_probabilities_share_a_picture(strategy) -> None:
    y = np.arange(240) * 7 % 11 % 2
    models = {"few": np.tile([0.1, 0.5, 0.9], 80), "many": np.linspace(0.01, 0.99, 240)}
    display = sx.CalibrationDisplay.from_predictions(y, models, strategy=strategy)
    columns = display.columns()
    model, count, mean = (columns[key] for key in ("model", "count", "mean_predicted"))
    few = (model == "few") & (count > 0)
    np.testing.assert_allclose(mean[few], [0.1, 0.5, 0.9])
    assert count[few].tolist() == [80, 80, 80]
    assert count[model == "many"].tolist() == [24] * 10


@pytest.mark.parametrize("strategy", ["quantile", "equal_mass"])
def test_a_constant_prediction_is_one_point(strategy) -> None:
    display = sx.CalibrationDisplay.from_predictions([0, 1] * 5, [0.4] * 10, strategy=strategy)
    assert np.asarray(display.line_.get_xydata()).tolist() == [[pytest.approx(0.4), 0.5]]

"""Reliability diagrams."""

from functools import partial

import numpy as np
import pytest
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
    assert texts[3:] == ["bars: 95% interval of each bin", "positive class: sick"]


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

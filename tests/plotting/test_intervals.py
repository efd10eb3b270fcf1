"""Pictures of single estimates, bands and tables of estimates."""

import numpy as np
import pytest

import skmetrics_ext as sx


def dot(ax):
    """The value and the ends of the interval of the first row."""
    (container,) = ax.containers
    (segment,) = container.lines[2][0].get_segments()
    return container.lines[0].get_xdata()[0], *segment[:, 0]


def test_an_estimate_is_a_dot_with_its_interval(binary) -> None:
    y, score = binary
    estimate = sx.confidence_interval("roc_auc", y, score, pos_label="sick")
    ax = estimate.plot()
    assert dot(ax) == pytest.approx(tuple(estimate))
    assert ax.get_xlabel() == "ROC AUC, 95 % interval"
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"ROC AUC (n = {len(y)})"]


def test_a_comparison_is_drawn_next_to_a_line_at_zero(binary) -> None:
    y, score = binary
    found = sx.compare("roc_auc", y, score, score[::-1], pos_label="sick", confidence_level=0.9)
    ax = found.plot()
    assert dot(ax) == pytest.approx((found.difference, found.low, found.high))
    assert ax.get_xlabel() == "Difference in ROC AUC, 90 % interval"
    assert [0, 0] in [list(line.get_xdata()) for line in ax.get_lines()]
    (label,) = ax.get_yticklabels()
    assert label.get_text() == f"{found.value_a:.3f} against {found.value_b:.3f} (n = {len(y)})"


def test_a_band_is_a_curve_with_its_bounds(binary) -> None:
    y, score = binary
    at = [0.3, 0.5, 0.4]
    band = sx.curve_band("sensitivity_at_specificity", y, score, at=at, pos_label="sick")
    ax = band.plot()
    (line,) = ax.get_lines()
    order = np.argsort(at)
    assert line.get_xdata().tolist() == [0.3, 0.4, 0.5]
    np.testing.assert_array_equal(line.get_ydata(), band.value[order])
    corners = ax.collections[0].get_paths()[0].vertices
    for bound in (band.low, band.high):
        assert set(bound) <= set(corners[:, 1])
    assert ax.get_xlabel() == "Specificity"


def test_tables_name_metrics_and_draw_losses_as_positive_numbers(binary) -> None:
    y, score = binary
    sick = (y == "sick").astype(int)
    found = sx.compute_metrics(["neg_log_loss"], sick, y_proba=score, intervals=True)
    ax = found.plot()
    value, low, high = dot(ax)
    assert 0 < low < value < high
    assert value == pytest.approx(sx.log_loss(sick, score))
    assert ax.get_xlabel() == "Log loss, 95 % intervals"


def test_slope_and_intercept_are_in_the_legend(binary) -> None:
    y, score = binary
    proba = np.clip(score, 0.02, 0.98)
    line = sx.calibration_slope_intercept(y, proba, pos_label="sick")
    display = sx.CalibrationDisplay.from_predictions(y, proba, pos_label="sick")
    text = display.legend_.get_texts()[0].get_text()
    assert f"slope {line.slope.value:.2f}, intercept {line.intercept.value:.2f}" in text
    proba[0] = 0.0  # its log odds are infinite
    display = sx.CalibrationDisplay.from_predictions(y, proba, pos_label="sick")
    assert "slope" not in display.legend_.get_texts()[0].get_text()


def test_a_legend_does_not_hide_a_curve() -> None:
    y = np.repeat([0, 1], 50)
    worse_than_chance = np.random.default_rng(0).normal(size=100) - y
    display = sx.RocCurvesDisplay.from_predictions(y, worse_than_chance, band=None)
    display.figure_.canvas.draw()
    area = display.legend_.get_window_extent()
    assert area.x0 > display.ax_.get_window_extent().x1
    assert area.x1 <= display.figure_.bbox.x1

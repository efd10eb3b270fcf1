"""Bands around curves of one set of rows are those of `curve_band`."""

from functools import partial

import numpy as np
import pytest

import skmetrics_ext as sx

CASES = {
    "roc": (sx.RocCurvesDisplay, sx.sensitivity_at_specificity, "fpr", lambda x: 1 - x),
    "pr": (sx.PrecisionRecallCurvesDisplay, sx.precision_at_recall, "recall", lambda x: x),
}


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
def test_bounds_are_those_of_the_function(kind, band, binary) -> None:
    y, score = binary
    display, metric, x, turn = CASES[kind]
    groups = np.arange(len(y)) // 2
    about = {"groups": groups, "confidence_level": 0.9, "pos_label": "sick"}
    drawn = display.from_predictions(y, score, band=band, **about)
    columns = drawn.columns()
    metric = partial(metric, method="interpolated")
    found = sx.curve_band(metric, y, score, band=band, random_state=0, **about)
    grid = np.sort(turn(found.at))
    inside = (columns[x] >= grid[0]) & (columns[x] <= grid[-1])
    for name in ("low", "high"):
        bound = getattr(found, name)[np.argsort(turn(found.at))]
        expected = np.interp(columns[x][inside], grid, bound)
        np.testing.assert_allclose(columns[name][inside], expected, rtol=1e-12)
        assert np.isnan(columns[name][~inside]).all()
    assert drawn.bands_[0].get_label() == f"90 % {band} band"


def test_averages_have_none(several) -> None:
    y, proba = several
    drawn = sx.RocCurvesDisplay.from_predictions(y, proba, band="pointwise")
    assert [("low" in line.columns) for line in drawn.lines] == [True, True, True, False, False]
    assert len(drawn.bands_) == 3
    assert not sx.RocCurvesDisplay.from_predictions(y, proba, band=None).bands_
    assert len(sx.RocCurvesDisplay.from_predictions(y, proba).bands_) == 3  # by default, too


def test_other_bands_are_refused(binary) -> None:
    with pytest.raises(ValueError, match="band has to be one of"):
        sx.RocCurvesDisplay.from_predictions(*binary, pos_label="sick", band="std")


SICK = np.arange(12) % 2


@pytest.mark.parametrize("name", ["RocCurves", "PrecisionRecallCurves", "Gain", "Lift",
                                  "DecisionCurve", "Threshold"])  # fmt: skip
def test_a_pointwise_band_is_drawn_by_default_and_named(name, binary) -> None:
    y, score = binary
    drawn = getattr(sx, f"{name}Display").from_predictions(y, score, pos_label="sick")
    assert len(drawn.bands_) == len(drawn.lines_)
    texts = [text.get_text() for text in drawn.legend_.get_texts()]
    assert texts.count("95 % pointwise band") == 1
    without = drawn.plot(band=None)
    assert not without.bands_


@pytest.mark.parametrize(
    ("name", "metric", "scale"),
    [("Lift", sx.lift_score, 0), ("Gain", sx.lift_score, 1), ("DecisionCurve", sx.net_benefit, 0)],
)
def test_bands_of_other_curves_are_those_of_the_function(name, metric, scale, binary) -> None:
    y, score = binary
    drawn = getattr(sx, f"{name}Display").from_predictions(y, score, pos_label="sick")
    columns = drawn.columns()
    x = columns[drawn._kind.x]
    at = x if name == "DecisionCurve" else None
    band = sx.curve_band(metric, y, score, pos_label="sick", at=at, random_state=0)
    for end in ("low", "high"):
        bound = getattr(band, end) * band.at**scale
        outside = {"left": np.nan, "right": np.nan}
        expected = np.minimum(np.interp(x, band.at, bound, **outside), drawn._kind.bounds[1])
        np.testing.assert_allclose(columns[end], expected, atol=1e-3)


def test_many_curves_and_many_rows_have_no_band_by_default() -> None:
    y = np.tile(SICK, 2_000)
    score = np.tile(np.arange(12) % 5 / 5, 2_000)
    assert not sx.RocCurvesDisplay.from_predictions(y, score).bands_
    assert sx.RocCurvesDisplay.from_predictions(y[:1200], score[:1200]).bands_
    models = {str(k): score[:1200] + k * SICK[0] for k in range(5)}
    assert not sx.RocCurvesDisplay.from_predictions(y[:1200], models).bands_
    assert len(sx.RocCurvesDisplay.from_predictions(y[:1200], models, band="pointwise").bands_) == 5


def test_the_difference_of_two_decision_curves(binary) -> None:
    y, score = binary
    models, at = {"a": score, "b": score**2}, [0.2, 0.5]
    about = {"pos_label": "sick", "groups": np.arange(len(y)) // 2, "confidence_level": 0.9}
    display = sx.DecisionCurveDisplay.from_predictions(
        y, models, thresholds=at, difference=True, at=0.5, **about
    )
    columns = display.columns()
    for place, threshold in enumerate(at):
        metric = partial(sx.net_benefit, threshold=threshold)
        found = sx.compare(metric, y, score, score**2, random_state=0, **about)
        ends = [columns[name][place] for name in ("net_benefit", "low", "high")]
        np.testing.assert_allclose(ends, list(found))
    (line,) = display.lines
    assert line.model == "a − b"
    assert display.ax_.get_ylabel() == "Difference in net benefit"
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts[0] == "a − b"
    assert any(text.startswith("a − b:\nnet benefit at 0.5: ") for text in texts)
    assert {"90 % pointwise band", "no difference", "positive class: sick"} <= set(texts)
    plain = sx.DecisionCurveDisplay.from_predictions(
        y, models, difference=True, band=None, pos_label="sick"
    )
    assert "low" not in plain.columns()


def test_what_a_difference_of_decision_curves_refuses(binary, several) -> None:
    y, score = binary
    draw = sx.DecisionCurveDisplay.from_predictions
    with pytest.raises(ValueError, match=r"difference=True draws two models .* got 1"):
        draw(y, score, difference=True, pos_label="sick")
    with pytest.raises(ValueError, match="with a pointwise band"):
        draw(y, dict.fromkeys("ab", score), difference=True, band="simultaneous", pos_label="sick")
    classes, proba = several
    with pytest.raises(ValueError, match="of two classes"):
        draw(classes, {"a": proba, "b": proba}, difference=True)


def test_a_standardized_decision_curve(binary) -> None:
    y, score = binary
    options = {"thresholds": [0.2, 0.5], "pos_label": "sick"}
    display = sx.DecisionCurveDisplay.from_predictions(y, score, standardized=True, **options)
    curve = sx.net_benefit_curve(y, score, standardized=True, **options)
    np.testing.assert_allclose(display.columns()["net_benefit"], curve.net_benefit)
    np.testing.assert_allclose(display.columns()["treat_all"], curve.treat_all)
    metric = partial(sx.net_benefit, threshold=0.2, standardized=True)
    found = sx.confidence_interval(metric, y, score, pos_label="sick")
    assert display.columns()["low"][0] == pytest.approx(found.low)
    assert display.ax_.get_ylabel() == "Standardized net benefit"
    assert curve.plot().ax_.get_ylabel() == "Standardized net benefit"


@pytest.mark.parametrize(("n", "stops"), [(60, True), (1200, False)])
def test_a_band_that_stops_within_the_plot_says_why(n, stops) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 5 == 0
    drawn = sx.RocCurvesDisplay.from_predictions(y, rng.normal(size=n) + 1.3 * y)
    texts = [text.get_text() for text in drawn.legend_.get_texts()]
    assert ("outside the band: too few rows" in texts) is stops
    assert "95 % pointwise band" in texts

"""Results unpack, convert, format, and are shown alike."""

import dataclasses
import inspect
import pickle

import numpy as np
import pytest
from support.public import DEPRECATED, PUBLIC

import skmetrics_ext as sx
from skmetrics_ext.tallies import ConfusionTally, Counts, MomentTally, RankTally, ScoreSketch
from tests.support.many_models import all_differences

roc_auc_sample_size = DEPRECATED["roc_auc_sample_size"]

RNG = np.random.default_rng(0)
Y = np.tile([0, 1, 1, 0], 10)
S = np.clip(Y * 0.4 + RNG.random(40) * 0.6, 0, 1)
OTHER = RNG.random(40)

ESTIMATE = sx.confidence_interval("roc_auc", Y, S)
COMPARISON = sx.compare("roc_auc", Y, S, OTHER)
GROUPED = sx.compute_metrics(
    ["accuracy"], Y, S > 0.5, by={"site": np.repeat([1, 2], 20), "sex": np.tile(["f", "m"], 20)}
)
CURVES = {
    "roc": (sx.roc_curves(Y, S)[1], sx.RocCurvesDisplay),
    "precision_recall": (sx.precision_recall_curves(Y, S)[1], sx.PrecisionRecallCurvesDisplay),
    "gain": (sx.gain_curve(Y, S), sx.GainDisplay),
    "lift": (sx.lift_curve(Y, S), sx.LiftDisplay),
    "risk": (sx.risk_coverage_curve(Y, np.ones(40), confidence=S), sx.RiskCoverageDisplay),
    "benefit": (sx.net_benefit_curve(Y, S), sx.DecisionCurveDisplay),
    "calibration": (sx.calibration_curve_binned(Y, S), sx.CalibrationDisplay),
}
RESULTS = [
    ESTIMATE,
    COMPARISON,
    sx.results.TestResult(4.2, 0.04, "mcnemar", 1.0),
    sx.bayesian_correlated_ttest([0.8, 0.9, 0.85], [0.7, 0.9, 0.8], n_train=20, n_test=10),
    sx.delong_test(Y, S, OTHER),
    sx.nemenyi_test([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6]]),
    sx.sample_size("accuracy", Y, S > 0.5, width=0.1),
    roc_auc_sample_size(0.8),
    sx.significance.spiegelhalter_test(Y, S),
    sx.brier_decomposition(Y, S),
    sx.calibration_slope_intercept(Y, S),
    sx.optimal_threshold(Y, S),
    sx.roc_curves(Y, S),
    sx.precision_recall_gain_curve(Y, S),
    all_differences("accuracy", Y, {"a": S > 0.5, "b": OTHER > 0.5}, random_state=0),
    sx.results.PanelResult({"a": 0.5, "b": float("nan")}, {"b": "no rows"}),
    GROUPED.surely_worst(),
    GROUPED.spread("accuracy"),
    *(curve for curve, _ in CURVES.values()),
]


@pytest.mark.parametrize("result", [ESTIMATE, COMPARISON, RESULTS[3]])
def test_a_number_and_its_bounds(result):
    first = dataclasses.fields(result)[0].name
    value, low, high = result
    assert (value, low, high) == (getattr(result, first), result.low, result.high)
    assert float(result) == value
    assert f"{result:.3f}" == f"{value:.3f} [{low:.3f}, {high:.3f}]"
    assert f"{result:+.1%}" == f"{value:+.1%} [{low:+.1%}, {high:+.1%}]"
    assert f"{result}" == str(result)
    assert np.asarray([result, result], dtype=float).tolist() == [value, value]


def test_tests_and_thresholds_unpack():
    statistic, p_value = RESULTS[2]
    assert (statistic, p_value) == (4.2, 0.04)
    threshold, value = RESULTS[11]
    assert float(RESULTS[11]) == threshold
    assert value == RESULTS[11].value
    assert int(RESULTS[6]) == RESULTS[6].n


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_every_result_is_shown(result):
    assert "\n" not in repr(result)
    assert len(repr(result)) < 400
    assert not str(result).startswith(("<skmetrics", f"{type(result).__name__}("))
    page = result._repr_html_()
    assert page.count("<table") == 1
    assert page.count("<tr") >= 2
    assert repr(pickle.loads(pickle.dumps(result))) == repr(result)
    if hasattr(result, "to_markdown"):
        assert result.to_markdown().count("| ---") >= 1
        assert "\\toprule" in result.to_latex()


def test_what_is_as_by_default_is_not_told():
    told = repr(ESTIMATE)
    assert told.startswith(f"Estimate(value={ESTIMATE.value!r}, low=")
    assert "goal" not in told
    assert "design_effect" not in told
    again = eval(told, {"Estimate": sx.results.Estimate})
    assert repr(again) == told
    assert str(ESTIMATE).endswith(str(again).partition(", 95 %")[2].removeprefix(", "))


def test_every_public_result_is_html_in_a_notebook():
    classes = [thing for thing in PUBLIC.values() if inspect.isclass(thing)]
    given = {kind for kind in classes if dataclasses.is_dataclass(kind)}
    no_results = {
        ConfusionTally,
        Counts,
        MomentTally,
        RankTally,
        ScoreSketch,
    }
    lacking = {kind for kind in given - no_results if not hasattr(kind, "_repr_html_")}
    assert lacking <= {sx.results.MetricSpec}


def test_crossed_groups_are_told_in_tables():
    worst, spread = GROUPED.surely_worst(), GROUPED.spread("accuracy")
    told = f"| {worst[0].group[0]} | {worst[0].group[1]} |"
    assert worst.to_markdown().splitlines()[2].startswith(told)
    for group in (spread.lowest, spread.highest):
        assert f"({group[0]}, {group[1]})" in spread._repr_html_()


@pytest.mark.parametrize("kind", CURVES)
def test_a_curve_draws_what_its_display_draws(kind):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    curve, display = CURVES[kind]
    own = curve.plot(name="model")
    theirs = display.from_predictions(Y, S)
    np.testing.assert_array_equal(own.line_.get_xydata(), theirs.line_.get_xydata())
    assert own.legend_.get_texts()[0].get_text().startswith("model")
    pyplot.close("all")


@pytest.mark.parametrize("kind", CURVES)
def test_frames_of_curves_hold_every_point(kind):
    pytest.importorskip("pandas")
    curve, _ = CURVES[kind]
    columns = curve.columns()
    frame = curve.frame()
    assert list(frame.columns) == list(columns)
    for name, values in columns.items():
        np.testing.assert_array_equal(frame[name], values)


def test_a_long_curve_is_printed_in_part():
    y = np.tile([0, 1], 5000)
    curve = sx.gain_curve(y, RNG.random(10_000))
    lead, _, *lines = str(curve).splitlines()
    assert lead == f"10,001 points, area {curve.area:.4f}; 20 of them:"
    assert len(lines) == 21
    assert lines[-1].split()[:2] == ["1.0000", "1.0000"]


def test_equal_results_are_equal_though_a_field_is_nan():
    one, other = (
        sx.results.Estimate(0.5, 0.4, float("nan"), float("nan"), "delta", 0.95) for _ in range(2)
    )
    assert one == other
    assert hash(one) == hash(other)
    assert one != sx.results.Estimate(0.5, 0.4, 0.6, float("nan"), "delta", 0.95)
    assert one != tuple(one)


def test_the_old_name_of_the_table_warns():
    with pytest.warns(FutureWarning, match=r"results\.Rows is deprecated .* 0\.4.*results\.Table"):
        assert sx.results.Rows is sx.results.Table

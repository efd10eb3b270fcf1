"""Lines of one set of rows are those of the curve functions."""

from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from support.areas import auc_interval

import skmetrics_ext as sx

ALL = (
    sx.RocCurvesDisplay,
    sx.PrecisionRecallCurvesDisplay,
    sx.GainDisplay,
    sx.LiftDisplay,
    sx.DecisionCurveDisplay,
    sx.ThresholdDisplay,
)


def points(line) -> np.ndarray:
    return np.asarray(line.get_xydata())


@pytest.mark.parametrize("weighted", [False, True])
def test_roc_is_roc_curves(several, weighted) -> None:
    y, proba = several
    weight = np.linspace(0.5, 2, len(y)) if weighted else None
    display = sx.RocCurvesDisplay.from_predictions(y, proba, sample_weight=weight)
    wanted = sx.roc_curves(y, proba, sample_weight=weight)
    assert [line.curve for line in display.lines] == ["a", "b", "c", "micro", "macro"]
    for line, drawn in zip(display.lines, display.lines_, strict=True):
        curve = wanted[line.curve]
        np.testing.assert_array_equal(points(drawn), np.column_stack([curve.fpr, curve.tpr]))
        assert line.value == curve.area
        assert line.interval.low < curve.area < line.interval.high
        assert f"AUC {curve.area:.3f} [{line.interval.low:.3f}" in drawn.get_label()
    frame = display.frame()
    own = frame[frame["curve"] == "macro"]
    np.testing.assert_array_equal(own["tpr"], wanted.macro.tpr)
    assert len(frame) == sum(len(curve.fpr) for curve in wanted.named().values())


def test_interval_of_the_area_by_the_method_asked_for(binary) -> None:
    y, score = binary
    y = y == "sick"
    display = sx.RocCurvesDisplay.from_predictions(
        y, score, interval="delong", confidence_level=0.8
    )
    assert display.lines[0].interval == auc_interval(
        y, score, method="delong", confidence_level=0.8
    )
    groups = np.arange(len(y)) // 4
    grouped = sx.RocCurvesDisplay.from_predictions(y, score, groups=groups)
    assert grouped.lines[0].interval == sx.confidence_interval("roc_auc", y, score, groups=groups)
    without = sx.RocCurvesDisplay.from_predictions(y, score, interval=None)
    assert without.lines[0].interval is None
    assert without.line_.get_label() == f"model (AUC {without.lines[0].value:.3f})"
    with pytest.raises(ValueError, match="method='wald' does not apply to roc_auc_score"):
        sx.RocCurvesDisplay.from_predictions(y, score, interval="wald")


def test_precision_recall_is_precision_recall_curves(several) -> None:
    y, proba = several
    display = sx.PrecisionRecallCurvesDisplay.from_predictions(y, proba)
    wanted = sx.precision_recall_curves(y, proba)
    for line, drawn in zip(display.lines, display.lines_, strict=True):
        curve = wanted[line.curve]
        np.testing.assert_array_equal(
            points(drawn), np.column_stack([curve.recall, curve.precision])
        )
        # The area of the steps that are drawn is the average precision.
        assert drawn.get_drawstyle() == "steps-pre"
        assert line.value == curve.area


def test_chance_of_precision_is_the_prevalence(binary) -> None:
    y, score = binary
    display = sx.PrecisionRecallCurvesDisplay.from_predictions(y, score, pos_label="healthy")
    (chance,) = [line for line in display.ax_.lines if "chance" in str(line.get_label())]
    np.testing.assert_allclose(chance.get_ydata(), np.mean(y == "healthy"))


def test_gain_and_lift_are_their_curves(binary) -> None:
    y, score = binary
    gain = sx.GainDisplay.from_predictions(y, score, pos_label="sick")
    curve = sx.gain_curve(y, score, pos_label="sick")
    np.testing.assert_array_equal(points(gain.line_), np.column_stack([curve.rate, curve.gain]))
    assert gain.lines[0].value == sx.gain_capture_score(y, score, pos_label="sick")
    lift = sx.LiftDisplay.from_predictions(y, score, pos_label="sick")
    wanted = sx.lift_curve(y, score, pos_label="sick")
    np.testing.assert_array_equal(points(lift.line_), np.column_stack([wanted.rate, wanted.lift]))


def test_no_ranking_beats_the_perfect_one(binary) -> None:
    y, score = binary
    sick = (y == "sick").astype(int)
    for display, column in (
        (sx.GainDisplay.from_predictions(sick, score), "gain"),
        (sx.LiftDisplay.from_predictions(sick, score), "lift"),
    ):
        columns = display.columns()
        assert (columns[column] <= columns["perfect"] + 1e-12).all()
    # The classes as scores are a perfect ranking.
    best = sx.GainDisplay.from_predictions(sick, sick).columns()
    np.testing.assert_allclose(best["gain"], best["perfect"])
    best = sx.LiftDisplay.from_predictions(sick, sick).columns()
    np.testing.assert_allclose(best["lift"], best["perfect"])


def test_decision_curve_is_net_benefit_curve(binary) -> None:
    y, score = binary
    asked = {"prevalence": 0.1, "pos_label": "sick"}
    display = sx.DecisionCurveDisplay.from_predictions(y, score, **asked)
    curve = sx.net_benefit_curve(y, score, **asked)
    wanted = np.column_stack([curve.thresholds, curve.net_benefit])
    np.testing.assert_array_equal(points(display.line_), wanted)
    labels = {line.get_label(): line for line in display.ax_.lines}
    np.testing.assert_array_equal(labels["treat all"].get_ydata(), curve.treat_all)
    np.testing.assert_array_equal(labels["treat none"].get_ydata(), 0)


def test_decision_curve_needs_probabilities(binary) -> None:
    y, score = binary
    with pytest.raises(ValueError, match="y_score must hold probabilities"):
        sx.DecisionCurveDisplay.from_predictions(y, 3 * score, pos_label="sick")


def test_threshold_is_metric_at_thresholds(binary) -> None:
    y, score = binary
    display = sx.ThresholdDisplay.from_predictions(
        y, score, metrics=["f1", "balanced_accuracy"], criterion="f1", pos_label="sick"
    )
    for name, function, params in (
        ("f1", sx.f1_score, {"pos_label": "sick"}),
        ("balanced_accuracy", sx.balanced_accuracy_score, {}),
    ):
        values, thresholds = sx.metric_at_thresholds(
            y, score, function, pos_label="sick", metric_params=params
        )
        (line,) = [line for line in display.lines if line.curve == name]
        np.testing.assert_array_equal(line.columns["threshold"][::-1], thresholds)
        np.testing.assert_array_equal(line.columns["value"][::-1], values)
    best = sx.optimal_threshold(y, score, criterion="f1", pos_label="sick")
    assert display.best == best.threshold
    # What is drawn at a threshold is the metric of the rows that reach it.
    line = display.lines[0]
    at = 0.437
    step = line.columns["value"][np.searchsorted(line.columns["threshold"], at)]
    assert step == sx.f1_score(y, np.where(score >= at, "sick", "healthy"), pos_label="sick")


def test_threshold_refuses_what_no_threshold_changes(binary, several) -> None:
    y, score = binary
    with pytest.raises(ValueError, match="'roc_auc' is a metric of scores"):
        sx.ThresholdDisplay.from_predictions(y, score, metrics="roc_auc", pos_label="sick")
    with pytest.raises(ValueError, match="needs binary labels, y_true is multiclass"):
        sx.ThresholdDisplay.from_predictions(*several)


@pytest.mark.parametrize("display", [sx.GainDisplay, sx.LiftDisplay, sx.DecisionCurveDisplay])
def test_each_class_against_the_rest(display, several) -> None:
    y, proba = several
    shown = display.from_predictions(y, proba, curves=["c", "a"])
    assert [line.curve for line in shown.lines] == ["c", "a"]
    alone = display.from_predictions((y == "a").astype(int), proba[:, 0])
    for name, values in alone.lines[0].columns.items():
        np.testing.assert_array_equal(shown.lines[1].columns[name], values)


def test_curves_that_are_not_there(several) -> None:
    with pytest.raises(ValueError, match=r"curves must name some of \['a', 'b', 'c', 'micro'"):
        sx.RocCurvesDisplay.from_predictions(*several, curves=["d"])


@pytest.mark.parametrize("display", ALL)
def test_unknown_option(display, binary) -> None:
    with pytest.raises(TypeError, match="colour"):
        display.from_predictions(*binary, pos_label="sick", colour="red")


# --------------------------------------------------------------------------- estimators


class Reordered:
    """A model whose columns are in another order than the sorted classes."""

    classes_ = np.array(["c", "a", "b"])

    def __init__(self, proba) -> None:
        self.proba = proba

    def predict_proba(self, X):
        return self.proba[:, [2, 0, 1]]


def test_columns_match_classes_by_name(several) -> None:
    y, proba = several
    by_name = sx.RocCurvesDisplay.from_estimator(Reordered(proba), np.zeros((len(y), 1)), y)
    wanted = sx.roc_curves(y, proba)
    for line in by_name.lines:
        assert line.value == pytest.approx(wanted[line.curve].area, abs=1e-12)
    assert by_name.legend_.get_title().get_text() == "Reordered"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("display", [*ALL, sx.CalibrationDisplay])
@pytest.mark.parametrize("pos_label", ["sick", "healthy"])
def test_estimator_is_its_predictions(display, pos_label, binary) -> None:
    y, score = binary
    X = score[:, None]
    model = LogisticRegression().fit(X, y)
    of_model = display.from_estimator(model, X, y, pos_label=pos_label)
    column = model.predict_proba(X)[:, 0 if pos_label == "healthy" else 1]
    of_rows = display.from_predictions(y, column, pos_label=pos_label)
    first, second = of_model.columns(), of_rows.columns()
    assert list(first) == list(second)
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])
    assert of_model.positive == pos_label
    legend = of_model.ax_.get_legend()
    texts = [legend.get_title(), *legend.get_texts()]
    assert any("LogisticRegression" in text.get_text() for text in texts)


def test_response_method(binary) -> None:
    y, score = binary
    model = LogisticRegression().fit(score[:, None], y)
    display = sx.RocCurvesDisplay.from_estimator(
        model, score[:, None], y, response_method="decision_function"
    )
    found = display.columns()["threshold"][1]
    assert found == model.decision_function(score[:, None]).max()
    with pytest.raises(ValueError, match="response_method has to be one of"):
        sx.DecisionCurveDisplay.from_estimator(
            model, score[:, None], y, response_method="decision_function"
        )


def test_class_that_the_model_never_saw(several) -> None:
    y, proba = several
    model = LogisticRegression().fit(proba[y != "c"], y[y != "c"])
    with pytest.raises(ValueError, match=r"classes \['c'\], which the model was not fitted on"):
        sx.RocCurvesDisplay.from_estimator(model, proba, y)


def test_multilabel() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (30, 2))
    score = rng.random((30, 2)) + y
    display = sx.PrecisionRecallCurvesDisplay.from_predictions(y, score)
    assert [line.curve for line in display.lines] == [0, 1, "micro", "macro"]


@pytest.mark.parametrize("display", ALL)
def test_weight_is_repetition(display, binary) -> None:
    y, score = binary
    weight = np.arange(len(y)) % 3
    of_sick = partial(display.from_predictions, pos_label="sick", band=None)
    weighted = of_sick(y, score, sample_weight=weight).columns()
    repeated = of_sick(np.repeat(y, weight), np.repeat(score, weight)).columns()
    for name in weighted:
        if name != "curve":
            np.testing.assert_allclose(weighted[name], repeated[name], rtol=1e-12)


@pytest.mark.parametrize("display", ALL)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_one_class_alone_is_drawn_empty(display) -> None:
    shown = display.from_predictions([0, 0, 0], [0.1, 0.2, 0.3])
    assert shown.lines[0].interval is None
    assert "low" not in shown.lines[0].columns
    if display is not sx.DecisionCurveDisplay:  # net benefit without positives is defined
        assert np.isnan(shown.lines[0].value)
    shown.figure_.canvas.draw()


# --------------------------------------------------------------------------- the positive class


@pytest.fixture(scope="module", params=[("no", "yes"), (1, 2)], ids=str)
def named(request):
    """Names of two classes, labels and scores of them, fitted folds and a report."""
    rng = np.random.default_rng(3)
    sick = rng.random(60) < 0.4
    y, score = np.array(request.param)[sick.astype(int)], rng.normal(sick)
    X, model = score[:, None], LogisticRegression()
    results = cross_validate(model, X, y, cv=3, return_estimator=True, return_indices=True)
    report = sx.cross_validation_report(model, X, y, scoring="neg_log_loss", cv=3)
    return request.param, y, 1 / (1 + np.exp(-score)), results, report


@pytest.mark.sampled(2)
@pytest.mark.parametrize("display", [*ALL, sx.CalibrationDisplay])
def test_a_picture_of_one_class_asks_which_it_is(display, named) -> None:
    names, y, score, results, report = named
    X = score[:, None]
    draw = (
        partial(display.from_predictions, y, score),
        partial(display.from_estimator, results["estimator"][0], X, y),
        partial(display.from_folds, [(y[:30], score[:30]), (y[30:], score[30:])]),
        partial(display.from_cv_results, results, X, y),
        partial(display.from_report, report),
    )
    asks = f"{display.__name__} needs a positive class: pass pos_label={names[1]!r} or pos_label="
    for place, ask in enumerate(draw):
        if display is sx.RocCurvesDisplay and ask is not draw[0] and ask is not draw[2]:
            assert ask().positive == names[1]  # the model says which column is of which class
        else:
            with pytest.raises(ValueError, match=asks):
                ask()
        name = names[place % 2]  # each class by some of the doors
        assert ask(pos_label=name).positive == name


def test_values_at_thresholds_are_those_of_the_function() -> None:
    y, score = [0, 1, 1, 0], [0.1, 0.9, 0.4, 0.5]
    with pytest.warns(UndefinedMetricWarning, match="Negative predictive value"):
        display = sx.ThresholdDisplay.from_predictions(
            y, score, metrics="negative_predictive_value"
        )
    with pytest.warns(UndefinedMetricWarning):
        values, _ = sx.metric_at_thresholds(y, score, sx.negative_predictive_value_score)
    np.testing.assert_array_equal(display.columns()["value"][::-1], values)
    assert values[-1] == 0  # where every row is predicted positive, by convention

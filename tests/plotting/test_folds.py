"""Lines of folds, their mean and its band."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate

import skmetrics_ext as sx

CURVES = (
    sx.RocCurvesDisplay,
    sx.PrecisionRecallCurvesDisplay,
    sx.GainDisplay,
    sx.LiftDisplay,
    sx.DecisionCurveDisplay,
    sx.ThresholdDisplay,
)


def validated(X, y, cv=4):
    return cross_validate(
        LogisticRegression(), X, y, cv=cv, return_estimator=True, return_indices=True
    )


def mean_of(display, curve=None):
    (line,) = [
        line for line in display.lines if line.fold == "mean" and curve in (None, line.curve)
    ]
    return line


def test_mean_of_two_folds_by_hand() -> None:
    # The first ranks perfectly; of the second the curve is (0, 0), (1/2, 0), (1/2, 1), (1, 1).
    folds = [([0, 1], [0.1, 0.9]), ([0, 1, 0], [0.9, 0.5, 0.1])]
    display = sx.RocCurvesDisplay.from_folds(folds, grid=[0, 0.25, 0.5, 1])
    mean = mean_of(display)
    np.testing.assert_array_equal(mean.columns["tpr"], [0.5, 0.5, 1, 1])
    half = np.sqrt(0.5)  # of 1 and 0, with ddof 1
    np.testing.assert_allclose(mean.columns["std"], [half, half, 0, 0])
    assert mean.value == Fraction(3, 4)
    assert [line.value for line in display.lines] == [1.0, 0.5, 0.75]
    assert [line.fold for line in display.lines] == [0, 1, "mean"]


def test_mean_begins_in_the_corner(binary) -> None:
    y, score = binary
    mean = mean_of(
        sx.RocCurvesDisplay.from_folds(
            [(y[:60], score[:60]), (y[60:], score[60:])], pos_label="sick"
        )
    )
    assert mean.columns["fpr"][:2].tolist() == [0, 0]
    assert mean.columns["tpr"][0] == 0 < mean.columns["tpr"][1]
    assert mean.columns["tpr"][-1] == 1


def test_interval_is_nadeau_and_bengios(binary) -> None:
    y, score = binary
    parts = np.array_split(np.arange(len(y)), [30, 80])
    folds = [(y[part], score[part]) for part in parts]
    sizes = np.array([len(part) for part in parts])
    display = sx.RocCurvesDisplay.from_folds(folds, pos_label="sick", confidence_level=0.9)
    mean = mean_of(display)
    areas = [sx.roc_auc_score(*fold) for fold in folds]
    wanted = sx.corrected_resampled_interval(
        areas, n_train=len(y) - sizes, n_test=sizes, confidence_level=0.9
    )
    assert (mean.interval.low, mean.interval.high) == pytest.approx((wanted.low, wanted.high))
    assert mean.interval.method == wanted.method
    assert f"[{wanted.low:.3f}" in display.line_.get_label()
    # At each point too: that of the folds' true positive rates there.
    at = 40
    rates = [
        np.interp(mean.columns["fpr"][at], line.columns["fpr"], line.columns["tpr"])
        for line in display.lines[:-1]
    ]
    point = sx.corrected_resampled_interval(
        rates, n_train=len(y) - sizes, n_test=sizes, confidence_level=0.9
    )
    assert mean.columns["low"][at] == pytest.approx(point.low)
    assert mean.columns["high"][at] == pytest.approx(min(point.high, 1))


def test_training_sizes_widen_the_interval(binary) -> None:
    y, score = binary
    folds = [(y[:60], score[:60]), (y[60:], score[60:])]
    few = mean_of(sx.RocCurvesDisplay.from_folds(folds, pos_label="sick", n_train=10)).interval
    many = mean_of(
        sx.RocCurvesDisplay.from_folds(folds, pos_label="sick", n_train=[1000, 1000])
    ).interval
    assert few.low < many.low < many.high < few.high


def test_precision_at_a_recall_is_that_of_the_threshold_that_reaches_it(binary) -> None:
    y, score = binary
    folds = [(y[:50], score[:50]), (y[50:], score[50:])]
    grid = [0.0, 0.31, 0.77, 1.0]
    shown = sx.PrecisionRecallCurvesDisplay.from_folds(folds, grid=grid, pos_label="sick")
    mean = mean_of(shown)
    for recall, found in zip(grid, mean.columns["precision"], strict=True):
        wanted = []
        for own_y, own_score in folds:
            positive = own_y == "sick"
            reached = [
                positive[own_score >= threshold].mean()
                for threshold in np.unique(own_score)[::-1]
                if positive[own_score >= threshold].sum() >= recall * positive.sum()
            ]
            wanted.append(reached[0] if recall else 1.0)
        assert found == pytest.approx(np.mean(wanted))


def test_chance_of_precision_over_folds_is_their_mean_prevalence() -> None:
    folds = [([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), ([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.9])]
    display = sx.PrecisionRecallCurvesDisplay.from_folds(folds)
    (chance,) = [line for line in display.ax_.lines if "chance" in str(line.get_label())]
    np.testing.assert_allclose(chance.get_ydata(), (2 / 4 + 1 / 4) / 2)
    assert chance.get_label() == "chance (prevalence 0.375)"


def test_threshold_between_scores_is_the_next_higher_one(binary) -> None:
    y, score = binary
    folds = [(y[:50], score[:50]), (y[50:], score[50:])]
    grid = [0.105, 0.333, 0.5]
    asked = {"metrics": ["recall"], "pos_label": "sick"}
    display = sx.ThresholdDisplay.from_folds(folds, grid=grid, **asked)
    for threshold, found in zip(grid, mean_of(display).columns["value"], strict=True):
        wanted = np.mean([(s[t == "sick"] >= threshold).mean() for t, s in folds])
        assert found == pytest.approx(wanted)
    above = sx.ThresholdDisplay.from_folds(folds, grid=[0.5, 1.5], **asked)
    assert np.isnan(mean_of(above).columns["value"][1])


def test_best_threshold_over_folds(binary) -> None:
    y, score = binary
    folds = [(y[:50], score[:50]), (y[50:], score[50:])]
    display = sx.ThresholdDisplay.from_folds(folds, criterion="youden", pos_label="sick")
    means = {
        t: np.mean([sx.youden_j_score(a == "sick", b >= t, pos_label=True) for a, b in folds])
        for t in np.unique(score)
    }
    assert means[display.best] == pytest.approx(max(means.values()))


@pytest.mark.parametrize("display", CURVES)
def test_cv_results_are_the_folds(display, binary) -> None:
    y, score = binary
    X = score[:, None]
    results = validated(X, y)
    shown = display.from_cv_results(results, X, y, pos_label="sick")
    folds = [
        (y[test], model.predict_proba(X[test])[:, 1])
        for model, test in zip(results["estimator"], results["indices"]["test"], strict=True)
    ]
    given = display.from_folds(folds, pos_label="sick")
    first, second = shown.columns(), given.columns()
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])
    assert set(first["fold"]) == {0, 1, 2, 3, "mean"}
    several = display is sx.ThresholdDisplay
    assert len(shown.fold_lines_) == (0 if several else 4)
    assert len(shown.lines_) == len(shown.bands_) == (4 if several else 1)
    drawn = np.asarray(shown.line_.get_xydata())
    mean = next(line for line in shown.lines if line.fold == "mean")
    np.testing.assert_array_equal(
        drawn, np.column_stack([mean.columns[display._kind.x], mean.columns[display._kind.y]])
    )


@pytest.mark.parametrize("display", CURVES)
def test_fold_without_positives_is_left_out_and_told(display) -> None:
    rng = np.random.default_rng(0)
    y = np.array([0] * 10 + [0, 1] * 10)
    X = (y + rng.normal(0, 0.8, 30))[:, None]
    shown = display.from_cv_results(validated(X, y, KFold(3)), X, y)
    lone = (sx.PrecisionRecallCurvesDisplay, sx.GainDisplay, sx.LiftDisplay)
    if display is sx.DecisionCurveDisplay:  # net benefit of rows without positives is defined
        assert not shown.undefined
        return
    assert list(shown.undefined) == [0]
    assert {line.fold for line in shown.lines} == {1, 2, "mean"}
    if display in lone:
        assert shown.fold_lines_[0].get_label() == "each fold (2 of 3 defined)"


def test_fold_whose_model_lacks_a_class() -> None:
    rng = np.random.default_rng(0)
    y = np.array([2] * 10 + [0, 1] * 15)
    X = rng.normal(0, 0.5, (40, 2)) + y[:, None]
    shown = sx.RocCurvesDisplay.from_cv_results(validated(X, y, KFold(4, shuffle=False)), X, y)
    # All rows of class 2 are in the first fold; the others' models know it, and they lack it.
    assert shown.undefined == {0: "the model was fitted without the classes [2]"}
    assert {line.curve for line in shown.lines} == {"macro"}
    assert [line.fold for line in shown.lines] == [1, 2, 3, "mean"]
    assert 0.5 < shown.lines[-1].value <= 1


def test_class_whose_folds_are_drawn(several) -> None:
    y, proba = several
    results = validated(proba, y)
    shown = sx.RocCurvesDisplay.from_cv_results(results, proba, y, curves="b")
    areas = [
        sx.roc_auc_score(y[test] == "b", model.predict_proba(proba[test])[:, 1])
        for model, test in zip(results["estimator"], results["indices"]["test"], strict=True)
    ]
    np.testing.assert_allclose([line.value for line in shown.lines[:-1]], areas)
    assert shown.line_.get_label().startswith("LogisticRegression, b\nmean AUC")


def test_weights_of_folds(binary) -> None:
    y, score = binary
    weight = np.where(y == "sick", 3.0, 1.0)
    results = validated(score[:, None], y)
    shown = sx.PrecisionRecallCurvesDisplay.from_cv_results(
        results, score[:, None], y, sample_weight=weight, pos_label="sick"
    )
    test = results["indices"]["test"][2]
    proba = results["estimator"][2].predict_proba(score[test][:, None])[:, 1]
    wanted = sx.average_precision_score(
        y[test], proba, pos_label="sick", sample_weight=weight[test]
    )
    assert shown.lines[2].value == pytest.approx(wanted)


def test_one_fold_has_a_mean_and_no_interval(binary) -> None:
    shown = sx.RocCurvesDisplay.from_folds([binary], pos_label="sick")
    assert shown.lines[-1].interval is None
    assert np.isnan(shown.lines[-1].columns["std"]).all()


def test_bands(binary) -> None:
    y, score = binary
    folds = [(y[:60], score[:60]), (y[60:], score[60:])]
    shown = sx.RocCurvesDisplay.from_folds(folds, pos_label="sick")
    assert shown.bands_[0].get_label() == "± 1 standard deviation of the folds"
    box = shown.bands_[0].get_paths()[0].vertices
    assert box.min() >= 0
    assert box.max() <= 1
    assert not shown.plot(band=None).bands_
    assert shown.plot(band="interval").bands_[0].get_label() == "95 % interval of the mean"
    with pytest.raises(ValueError, match="band has to be one of"):
        shown.plot(band="range")


def test_what_is_no_cross_validation(binary) -> None:
    y, score = binary
    X = score[:, None]
    with pytest.raises(ValueError, match="return_estimator=True, return_indices=True"):
        sx.RocCurvesDisplay.from_cv_results({"test_score": [1]}, X, y)
    with pytest.raises(ValueError, match=r"X has 40 rows, and fold \d of cv_results has row"):
        sx.RocCurvesDisplay.from_cv_results(validated(X, y), X[:40], y[:40])
    with pytest.raises(ValueError, match="folds must hold"):
        sx.RocCurvesDisplay.from_folds([])
    with pytest.raises(ValueError, match="folds must hold"):
        sx.RocCurvesDisplay.from_folds([(y,)])
    with pytest.raises(ValueError, match="No fold has a curve"):
        sx.RocCurvesDisplay.from_folds([([0, 0], [0.1, 0.2])])
    with pytest.raises(ValueError, match="grid must hold at least two"):
        sx.RocCurvesDisplay.from_folds([binary], pos_label="sick", grid=[1, 0])

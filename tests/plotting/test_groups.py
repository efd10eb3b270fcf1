"""Groups in one picture: the line of a group is that of its rows."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import skmetrics_ext as sx

NAMES = [
    "RocCurvesDisplay",
    "PrecisionRecallCurvesDisplay",
    "GainDisplay",
    "LiftDisplay",
    "DecisionCurveDisplay",
    "ThresholdDisplay",
    "CalibrationDisplay",
]


def test_areas_by_hand() -> None:
    # North: 0.8 and 0.4 against 0.1 and 0.6: 3 of 4 pairs are in order. South: 1 of 2.
    y = [1, 1, 0, 0, 1, 0, 0]
    score = [0.8, 0.4, 0.1, 0.6, 0.5, 0.7, 0.2]
    region = ["north"] * 4 + ["south"] * 3
    display = sx.RocCurvesDisplay.from_predictions(y, score, by=region)
    assert {line.model: line.value for line in display.lines} == {"north": 0.75, "south": 0.5}
    assert [line.n_rows for line in display.lines] == [4, 3]
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert labels[0].startswith("north, n = 4 (AUC 0.750")
    assert labels[1].startswith("south, n = 3 (AUC 0.500")
    assert display.comparison is None


def test_observed_rates_by_hand() -> None:
    y, proba = [1, 1, 0, 0, 1, 0], [0.8, 0.9, 0.1, 0.2, 0.3, 0.9]
    display = sx.CalibrationDisplay.from_predictions(y, proba, by=[1, 1, 1, 2, 2, 2], n_bins=2)
    columns = display.columns()
    rates = columns["observed_rate"].reshape(2, 2)
    np.testing.assert_allclose(rates, [[0, 1], [1 / 2, 0]])
    assert columns["model"].tolist() == ["1", "1", "2", "2"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_a_group_is_drawn_like_its_rows_alone(name, binary) -> None:
    y, score = binary
    rng = np.random.default_rng(1)
    site = pd.Series(rng.choice(["b", "a", "c"], len(y)), name="site")
    weight, patient = rng.integers(1, 4, len(y)), np.arange(len(y)) // 2
    draw = partial(getattr(sx, name).from_predictions, pos_label="sick")
    if name == "DecisionCurveDisplay":
        draw = partial(draw, at=0.3)
    if name == "ThresholdDisplay":
        draw = partial(draw, band=None)  # three groups of four metrics have no band by default
    display = draw(y, score, by=site, sample_weight=weight, groups=patient)
    columns = display.columns()
    assert list(dict.fromkeys(columns["model"])) == ["a", "b", "c"]
    for group in "abc":
        kept = (site == group).to_numpy()
        alone = draw(y[kept], score[kept], sample_weight=weight[kept], groups=patient[kept])
        for key, values in alone.columns().items():
            np.testing.assert_array_equal(columns[key][columns["model"] == group], values)
        of_group = [line for line in display.lines if line.model == group]
        for line, wanted in zip(of_group, alone.lines, strict=True):
            assert (line.value == wanted.value) or np.isnan([line.value, wanted.value]).all()
            assert line.interval == wanted.interval


def test_a_group_may_lack_classes(several) -> None:
    y, proba = several
    group = np.where(y == "a", "without b and c", "others")
    display = sx.RocCurvesDisplay.from_predictions(y, proba, by=group, curves="b")
    assert [line.model for line in display.lines] == ["others"]
    assert list(display.undefined) == ["without b and c"]
    kept = y != "a"
    area = sx.roc_auc_score(y[kept] == "b", proba[kept, 1])
    assert display.lines[0].value == pytest.approx(area)
    with pytest.raises(ValueError, match="No group has a curve"):
        sx.RocCurvesDisplay.from_predictions(y, proba, by=y, curves="b")


def test_models_and_folds_by_group(binary) -> None:
    y, score = binary
    X, site = score[:, None], np.where(np.arange(len(y)) % 3, "x", "z")
    model = LogisticRegression().fit(X, y)
    fitted = sx.RocCurvesDisplay.from_estimator(model, X, y, by=site, pos_label="sick")
    proba = model.predict_proba(X)[:, 1]
    for line in fitted.lines:
        kept = site == line.model
        assert line.value == pytest.approx(sx.roc_auc_score(y[kept] == "sick", proba[kept]))
    assert fitted.name == "LogisticRegression"
    results = cross_validate(
        LogisticRegression(), X, y, cv=2, return_estimator=True, return_indices=True
    )
    folds = sx.RocCurvesDisplay.from_cv_results(results, X, y, by=site, pos_label="sick")
    report = sx.cross_validation_report(
        LogisticRegression(), X, y, scoring="roc_auc", cv=2, pos_label="sick", baseline=None
    )
    reported = sx.RocCurvesDisplay.from_report(report, by=site)
    for display in (folds, reported):
        values = {(line.model, line.fold): line.value for line in display.lines}
        assert set(values) == {(g, f) for g in "xz" for f in (0, 1, "mean")}
        for number in (0, 1):
            test = results["indices"]["test"][number]
            kept = test[site[test] == "x"]
            own = results["estimator"][number].predict_proba(X[kept])[:, 1]
            assert values["x", number] == pytest.approx(sx.roc_auc_score(y[kept] == "sick", own))


def test_matrices_by_group() -> None:
    y, pred = ["a", "b", "a", "b", "a"], ["a", "b", "b", "b", "b"]
    display = sx.ConfusionMatrixDisplay.from_predictions(y, pred, by=["x", "x", "y", "y", "y"])
    assert display.confusion_matrix["x"].tolist() == [[1, 0], [0, 1]]
    assert display.confusion_matrix["y"].tolist() == [[0, 2], [0, 1]]
    assert display.comparison is None
    assert display.accuracies["y"].value == pytest.approx(1 / 3)


def test_what_is_refused(binary) -> None:
    y, score = binary
    draw = partial(sx.RocCurvesDisplay.from_predictions, pos_label="sick")
    with pytest.raises(ValueError, match="by splits the rows of one model, got 2 models"):
        draw(y, {"one": score, "two": score}, by=y)
    with pytest.raises(ValueError, match="by must be a dict"):
        draw(y, score, by=[1, 2])
    with pytest.raises(ValueError, match="groups"):
        draw(y, score, by=y, groups=[1, 2])

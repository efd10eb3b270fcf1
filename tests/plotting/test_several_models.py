"""Pictures of several models: the numbers of a legend are those of the functions."""

from functools import partial

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

import skmetrics_ext as sx

SUMMARIES = {
    "RocCurvesDisplay": ("AUC", sx.roc_auc_score),
    "PrecisionRecallCurvesDisplay": ("AP", sx.average_precision_score),
    "GainDisplay": ("gain capture", sx.gain_capture_score),
    "LiftDisplay": ("lift at 0.1:", partial(sx.lift_score, fraction=0.1)),
    "DecisionCurveDisplay": ("net benefit at 0.4:", partial(sx.net_benefit, threshold=0.4)),
    "CalibrationDisplay": ("Brier score", sx.brier_score_loss),
}
DISPLAYS = [*SUMMARIES, "ThresholdDisplay"]


@pytest.fixture
def models(binary):
    y, score = binary
    rng = np.random.default_rng(5)
    other = np.round(np.clip(score + rng.normal(0, 0.15, len(y)), 0, 1), 2)
    return y, {"logistic": score, "forest": other}


def texts(display) -> list[str]:
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def estimates_of(display) -> list:
    return [line.interval for line in display.lines]


def told(estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("design", ["plain", "groups", "weights"])
@pytest.mark.parametrize("name", SUMMARIES)
def test_legend_shows_the_intervals_and_the_difference(name, design, models) -> None:
    y, scores = models
    value_name, metric = SUMMARIES[name]
    options = {
        "plain": {},
        "groups": {"groups": np.arange(len(y)) // 3, "confidence_level": 0.9},
        "weights": {"sample_weight": 1.0 + np.arange(len(y)) % 3},
    }[design]
    at = {"at": 0.4} if name == "DecisionCurveDisplay" else {}
    display = getattr(sx, name).from_predictions(y, scores, pos_label="sick", **options, **at)
    first, second = scores.values()
    shared = {"pos_label": "sick", **options}
    wanted = [sx.confidence_interval(metric, y, score, **shared) for score in scores.values()]
    assert estimates_of(display) == wanted
    shown = texts(display)
    for text, model, estimate in zip(shown, scores, wanted, strict=False):
        assert text.startswith(model)
        assert f"{value_name} {told(estimate)}" in text
    compared = sx.compare(metric, y, first, second, **shared)
    assert display.comparison == compared
    p_value = "< 0.001" if compared.p_value < 0.001 else f"= {compared.p_value:.3f}"
    bounds = f"{compared.difference:z.3f} [{compared.low:z.3f}, {compared.high:z.3f}]"
    star = "*" if compared.note else ""
    assert shown[2] == f"logistic − forest:\n{value_name} {bounds}, p {p_value}{star}"


@pytest.mark.parametrize("name", DISPLAYS)
def test_each_model_is_the_model_alone(name, models) -> None:
    y, scores = models
    display = partial(getattr(sx, name).from_predictions, pos_label="sick", band=None)
    if name == "CalibrationDisplay":
        display = partial(sx.CalibrationDisplay.from_predictions, pos_label="sick")
    both = display(y, scores)
    columns = both.columns()
    for model, score in scores.items():
        alone = display(y, score).columns()
        own = columns["model"] == model
        for key, values in alone.items():
            if key != "curve":
                np.testing.assert_array_equal(columns[key][own], values)
    entries = texts(both)[: len(both.lines_)]
    assert {text.split(" (")[0].split(",")[0] for text in entries} == {*scores}
    assert both.name is None


@pytest.mark.parametrize("name", DISPLAYS)
def test_positive_class_stands_once(name, models) -> None:
    y, scores = models
    display = getattr(sx, name).from_predictions(y, scores, pos_label="sick")
    display.figure_.canvas.draw()
    drawn = [text.get_text() for text in display.figure_.findobj(mpl.text.Text)]
    assert sum("sick" in text for text in drawn) == 1
    assert "positive class: sick" in texts(display)


@pytest.mark.parametrize("name", DISPLAYS)
def test_three_models_have_no_difference(name, models) -> None:
    y, scores = models
    several = {**scores, "constant": np.full(len(y), 0.3)}
    display = getattr(sx, name).from_predictions(y, several, pos_label="sick")
    assert display.comparison is None
    assert not any("−" in text for text in texts(display))


@pytest.mark.parametrize("name", ["RocCurvesDisplay", "PrecisionRecallCurvesDisplay"])
@pytest.mark.parametrize("curve", ["macro", "micro", "b"])
def test_several_classes(name, curve, several) -> None:
    y, proba = several
    other = (proba + 1 / 3) / 2 + 0.1 * np.roll(proba, 1, axis=0)
    other /= other.sum(axis=1, keepdims=True)
    display = getattr(sx, name)
    chosen = {} if curve == "macro" else {"curves": curve}
    shown = display.from_predictions(y, {"one": proba, "two": other}, **chosen)
    assert [(line.model, line.curve) for line in shown.lines] == [("one", curve), ("two", curve)]
    metric = SUMMARIES[name][1]
    if name == "RocCurvesDisplay":
        metric = partial(metric, multi_class="ovr")
    if curve == "b":
        rows = [(y == "b", own[:, 1]) for own in (proba, other)]
        wanted = [sx.confidence_interval(metric, *own) for own in rows]
        same = [sx.confidence_interval(metric, y, p, average=None)[1] for p in (proba, other)]
        assert [[e.value, e.low, e.high] for e in same] == [pytest.approx(list(e)) for e in wanted]
        compared = sx.compare(metric, rows[0][0], rows[0][1], rows[1][1])
    else:
        wanted = [sx.confidence_interval(metric, y, own, average=curve) for own in (proba, other)]
        compared = sx.compare(metric, y, proba, other, average=curve)
    assert [line.interval for line in shown.lines] == wanted
    assert shown.comparison == compared


def test_confusion_matrices_stand_side_by_side(models) -> None:
    y, scores = models
    labels = {name: np.where(s >= 0.5, "sick", "healthy") for name, s in scores.items()}
    groups = np.arange(len(y)) // 3
    display = sx.ConfusionMatrixDisplay.from_predictions(y, labels, groups=groups)
    assert len(display.axes_) == 2
    for (name, pred), panel in zip(labels.items(), display.axes_, strict=True):
        wanted = sx.confidence_interval("accuracy", y, pred, groups=groups)
        assert display.accuracies[name] == wanted
        assert panel.get_title() == f"{name}\naccuracy {told(wanted)}"
        np.testing.assert_array_equal(display.confusion_matrix[name], sx.confusion_matrix(y, pred))
    compared = sx.compare("accuracy", y, *labels.values(), groups=groups)
    assert display.comparison == compared
    title = display.figure_.get_supxlabel()
    assert title.startswith(f"logistic − forest: accuracy {compared:z.3f}, p ")
    columns = display.columns()
    assert columns["model"].tolist() == ["logistic"] * 4 + ["forest"] * 4
    assert (
        columns["count"][4:].tolist() == sx.confusion_matrix(y, labels["forest"]).ravel().tolist()
    )


def test_positive_class_is_last_in_a_matrix(binary) -> None:
    y, score = binary
    pred = np.where(score >= 0.5, "sick", "healthy")
    display = sx.ConfusionMatrixDisplay.from_predictions(y, pred, pos_label="healthy")
    assert display.display_labels == ["sick", "healthy"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [*SUMMARIES, "ConfusionMatrixDisplay"])
def test_estimators_folds_and_reports_of_several_models(name, binary) -> None:
    y, score = binary
    X = np.column_stack([score, np.roll(score, 1)])
    display = getattr(sx, name)
    models = {"line": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=2)}
    options = {"return_estimator": True, "return_indices": True, "cv": 3}
    results = {key: cross_validate(model, X, y, **options) for key, model in models.items()}
    fitted = {key: model.fit(X, y) for key, model in models.items()}
    scoring = ["neg_log_loss", "accuracy"]
    report = sx.cross_validation_report(models, X, y, scoring=scoring, cv=3, pos_label="sick")
    told = {"pos_label": "sick"}
    for shown in (
        display.from_estimator(fitted, X, y, **told),
        display.from_cv_results(results, X, y, **told),
        display.from_report(report),
        display.from_report(report, ["line", "tree"]),
    ):
        columns = shown.columns()
        names = columns.get("model", columns.get("curve"))
        assert list(dict.fromkeys(names.tolist())) == ["line", "tree"]
    by_fold = {
        key: [
            (y[test], model.predict(X[test]) if "Matrix" in name else model.predict_proba(X[test]))
            for model, test in zip(own["estimator"], own["indices"]["test"], strict=True)
        ]
        for key, own in results.items()
    }
    given = display.from_folds(by_fold, **told).columns()
    wanted = display.from_cv_results(results, X, y, **told).columns()
    for key, values in wanted.items():
        np.testing.assert_array_equal(given[key], values)


def test_mistakes(models) -> None:
    y, scores = models
    draw = partial(sx.RocCurvesDisplay.from_predictions, y)
    with pytest.raises(ValueError, match="name names a single model, got 'a' and 2 models"):
        draw(scores, name="a")
    with pytest.raises(ValueError, match="needs at least one, got none"):
        draw({})
    X = np.zeros((len(y), 1))
    report = sx.cross_validation_report(LogisticRegression(), X, y, scoring="roc_auc", cv=2)
    with pytest.raises(ValueError, match="model must be one of"):
        sx.RocCurvesDisplay.from_report(report, ["none"])


@pytest.mark.parametrize("name", ["RocCurvesDisplay", "PrecisionRecallCurvesDisplay"])
def test_a_star_marks_numbers_with_a_note(name) -> None:
    y, score = [0, 1, 0, 1, 1, 0, 0, 1], [0.1, 0.9, 0.3, 0.6, 0.2, 0.4, 0.15, 0.8]
    metric = SUMMARIES[name][1]
    few = getattr(sx, name).from_predictions(y, score)
    many = getattr(sx, name).from_predictions(y * 100, score * 100)
    wanted = [sx.confidence_interval(metric, y * k, score * k) for k in (1, 100)]
    assert [bool(estimate.note) for estimate in wanted] == [True, False]
    assert few.notes == (wanted[0].note,)
    assert texts(few)[0].endswith("]*)")
    assert "* has a note: display.notes" in texts(few)
    assert many.notes == ()
    assert not any("*" in text for text in texts(many))

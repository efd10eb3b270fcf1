"""Models side by side."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

import skmetrics_ext as sx
from skmetrics_ext.plotting import CrossValidationDisplay


@pytest.fixture
def report(binary):
    y, score = binary
    models = {"line": LogisticRegression(), "tree": DecisionTreeClassifier(random_state=0)}
    X = np.column_stack([score, score[::-1]])
    return sx.cross_validation_report(models, X, y, scoring=["roc_auc", "accuracy"], cv=4)


def test_report_is_its_summary(report) -> None:
    for interval in (None, "corrected"):
        columns = CrossValidationDisplay.from_report(report, interval=interval).columns()
        for row in report.summary(interval):
            own = (columns["model"] == row["model"]) & (columns["metric"] == row["metric"])
            for name in ("mean", "std", "low", "high", "n_folds", "n_undefined", "is_baseline"):
                assert columns[name][own].tolist() == [pytest.approx(row[name], nan_ok=True)]


def test_intervals_of_folds_are_those_of_nadeau_and_bengio(report) -> None:
    columns = CrossValidationDisplay(report.folds()).columns()
    folds = [row for row in report.folds() if (row["model"], row["metric"]) == ("tree", "roc_auc")]
    wanted = sx.corrected_resampled_interval(
        [row["value"] for row in folds],
        n_train=[row["n_train"] for row in folds],
        n_test=[row["n_test"] for row in folds],
    )
    own = (columns["model"] == "tree") & (columns["metric"] == "roc_auc")
    assert columns["low"][own].tolist() == [pytest.approx(wanted.low)]
    assert columns["high"][own].tolist() == [pytest.approx(wanted.high)]


def test_picture(report) -> None:
    display = CrossValidationDisplay.from_report(report)
    assert [ax.get_xlabel() for ax in display.axes_] == ["ROC AUC", "Accuracy"]
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["line", "tree", "baseline (prior)"]
    means = display.columns()["mean"]
    assert [line.get_xdata()[0] for line in display.lines_] == pytest.approx(means.tolist())
    assert [line.get_marker() for line in display.lines_] == ["o", "o", "D"] * 2
    dots = display.ax_.collections[0].get_offsets()[:, 0]
    rows = report.folds()
    assert dots.tolist() == [
        row["value"] for row in rows if (row["model"], row["metric"]) == ("line", "roc_auc")
    ]
    # Models are read from the top down.
    low, high = display.ax_.get_ylim()
    assert low > high


@pytest.mark.parametrize("kind", ["frame", "columns", "rows"])
def test_any_table(report, kind) -> None:
    rows = report.folds()
    frame = pd.DataFrame(rows)
    table = {"frame": frame, "columns": frame.to_dict("list"), "rows": rows}[kind]
    display = CrossValidationDisplay(table, baseline=report.baseline)
    wanted = CrossValidationDisplay.from_report(report, interval="corrected").frame()
    steady = wanted["std"] == 0  # the folds of a report give no interval without spread
    wanted.loc[steady, ["low", "high"]] = wanted.loc[steady, ["mean", "mean"]].to_numpy()
    pd.testing.assert_frame_equal(display.frame(), wanted)


def test_undefined_and_infinite_folds_are_told() -> None:
    rows = [
        {"model": "m", "metric": "f1", "value": value, "n_train": 8, "n_test": 2}
        for value in (0.5, float("nan"), 0.7, -float("inf"))
    ]
    display = CrossValidationDisplay(rows).plot()
    columns = display.columns()
    assert columns["mean"].tolist() == [pytest.approx(0.6)]
    assert columns["n_undefined"].tolist() == [2]
    assert [text.get_text() for text in display.ax_.texts] == ["0.600 (2 of 4 folds)"]


def test_model_without_a_value() -> None:
    rows = [{"model": "m", "metric": "f1", "value": float("nan")}] * 2
    display = CrossValidationDisplay(rows, baseline="m").plot()
    assert [text.get_text() for text in display.ax_.texts] == ["(0 of 2 folds)"]
    display.figure_.canvas.draw()


def test_cv_results(binary) -> None:
    y, score = binary
    X = score[:, None]
    options = {"cv": 3, "scoring": ["accuracy"], "return_indices": True}
    results = {
        "line": cross_validate(LogisticRegression(), X, y, **options),
        "tree": cross_validate(DecisionTreeClassifier(random_state=0), X, y, **options),
    }
    display = CrossValidationDisplay.from_cv_results(results, baseline="tree")
    columns = display.columns()
    wanted = [results[name]["test_accuracy"].mean() for name in ("line", "tree")]
    np.testing.assert_allclose(columns["mean"], wanted)
    assert columns["low"][0] < columns["mean"][0] < columns["high"][0]
    alone = CrossValidationDisplay.from_cv_results({"test_score": np.array([0.5, 0.7])})
    assert alone.columns()["model"].tolist() == ["model"]
    assert np.isnan(alone.columns()["low"]).all()
    texts = [text.get_text() for text in alone.legend_.get_texts()]
    assert texts == ["fold", "mean, ± 1 standard deviation"]


def test_own_axes(report) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2)
    display = CrossValidationDisplay.from_report(report, ax=axes)
    assert display.figure_ is figure
    assert list(display.axes_) == list(axes)
    with pytest.raises(ValueError, match="one axes for each of the metrics"):
        CrossValidationDisplay.from_report(report, ax=axes[0])


def test_errors(report) -> None:
    with pytest.raises(ValueError, match="baseline must be one of the models"):
        CrossValidationDisplay(report.folds(), baseline="none")
    with pytest.raises(ValueError, match=r"\['value'\] missing"):
        CrossValidationDisplay({"model": ["a"], "metric": ["f1"]})
    with pytest.raises(ValueError, match="begins with 'test_'"):
        CrossValidationDisplay.from_cv_results({"fit_time": np.array([1.0])})
    with pytest.raises(ValueError, match="rows has to be one of"):
        CrossValidationDisplay.from_report(report).frame("models")


@pytest.mark.parametrize(("baseline", "text"), [(0.1, "← 0.100"), (9.0, "9.000 →"), (0.7, None)])
def test_axes_show_the_models_and_an_arrow_a_far_baseline(baseline, text) -> None:
    values = {"a": [0.70, 0.72, 0.74], "b": [0.75, 0.78, 0.80], "base": [baseline] * 3}
    rows = [
        {"model": model, "metric": "f1", "value": value, "n_train": 60, "n_test": 30}
        for model, own in values.items()
        for value in own
    ]
    display = CrossValidationDisplay(rows, baseline="base").plot()
    display.figure_.canvas.draw()
    low, high = display.ax_.get_xlim()
    columns = display.columns()
    ends = columns["low"][:2].min(), columns["high"][:2].max()
    assert low < ends[0]
    assert ends[1] < high
    assert high - low < 2 * (ends[1] - ends[0])
    shown = [drawn.get_text() for drawn in display.ax_.texts]
    assert (text in shown) if text else not any("→" in t or "←" in t for t in shown)


def test_losses_are_drawn_as_positive_numbers() -> None:
    folds = {"model": ["a", "a", "b"], "metric": ["neg_log_loss"] * 3, "value": [-0.4, -0.6, -0.9]}
    display = CrossValidationDisplay(folds, baseline="b").plot()
    assert display.ax_.get_xlabel() == "Log loss"
    assert [line.get_xdata()[0] for line in display.lines_] == [0.5, 0.9]
    assert display.ax_.collections[0].get_offsets()[:, 0].tolist() == [0.4, 0.6]
    assert display.columns()["mean"].tolist() == [-0.5, -0.9]

"""Confusion matrices."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict, cross_validate

import skmetrics_ext as sx

TRUE, PRED = list("aaaabbbbcc"), list("aaabbbbcca")


def texts(display):
    return [[text.get_text() for text in row] for row in display.text_]


def test_counts_and_rates_by_hand() -> None:
    display = sx.ConfusionMatrixDisplay.from_predictions(TRUE, PRED)
    assert display.confusion_matrix.tolist() == [[3, 1, 0], [0, 3, 1], [1, 0, 1]]
    assert texts(display)[0] == ["3\n75.0 %", "1\n25.0 %", "0\n0.0 %"]
    columns = display.columns()
    assert columns["true"].tolist() == list("aaabbbccc")
    assert columns["predicted"].tolist() == list("abcabcabc")
    np.testing.assert_allclose(columns["rate"].reshape(3, 3)[2], [1 / 2, 0, 1 / 2])
    assert display.frame().shape == (9, 4)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list("abc")


@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
def test_rates_are_the_normalized_matrix(normalize) -> None:
    display = sx.ConfusionMatrixDisplay.from_predictions(TRUE, PRED, normalize=normalize)
    wanted = sx.confusion_matrix(TRUE, PRED, normalize=normalize)
    np.testing.assert_allclose(display.rates, wanted)
    np.testing.assert_allclose(display.im_.get_array(), wanted)


def test_counts_alone() -> None:
    display = sx.ConfusionMatrixDisplay.from_predictions(TRUE, PRED, normalize=None)
    assert texts(display)[0] == ["3", "1", "0"]
    assert display.colorbar_.ax.get_ylabel() == "Count"


def test_class_without_rows_has_no_rate() -> None:
    display = sx.ConfusionMatrixDisplay.from_predictions([0, 0, 1], [0, 1, 1], labels=[0, 1, 2])
    assert texts(display)[2] == ["0\n–"] * 3
    assert np.isnan(display.rates[2]).all()


def test_weights_and_names() -> None:
    display = sx.ConfusionMatrixDisplay.from_predictions(
        [0, 1], [0, 1], sample_weight=[0.5, 2], display_labels=["no", "yes"]
    )
    assert texts(display) == [["0.5\n100.0 %", "0\n0.0 %"], ["0\n0.0 %", "2\n100.0 %"]]
    assert display.display_labels == ["no", "yes"]


def test_text_is_read_on_its_cell() -> None:
    display = sx.ConfusionMatrixDisplay.from_predictions([0] * 9 + [1], [0] * 9 + [0])
    assert display.text_[0, 0].get_color() == "white"
    assert display.text_[0, 1].get_color() == "black"


def test_many_classes_hold_less_text() -> None:
    y = np.arange(20)
    assert "%" not in sx.ConfusionMatrixDisplay.from_predictions(y, y).text_[0, 0].get_text()
    y = np.arange(40)
    assert sx.ConfusionMatrixDisplay.from_predictions(y, y).text_[0, 0] is None


def test_estimator_shows_all_its_classes() -> None:
    X, y = np.arange(9.0)[:, None], np.repeat(["a", "b", "c"], 3)
    model = LogisticRegression().fit(X, y)
    display = sx.ConfusionMatrixDisplay.from_estimator(model, X[:3], y[:3])
    assert display.display_labels == ["a", "b", "c"]
    assert display.confusion_matrix.sum() == 3


def test_folds_add_up() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 10)  # each fold lacks a class of its training rows
    X = rng.normal(size=(30, 1)) + y[:, None]
    model = LogisticRegression()
    results = cross_validate(model, X, y, cv=KFold(3), return_estimator=True, return_indices=True)
    display = sx.ConfusionMatrixDisplay.from_cv_results(results, X, y)
    wanted = sx.confusion_matrix(y, cross_val_predict(model, X, y, cv=KFold(3)))
    np.testing.assert_array_equal(display.confusion_matrix, wanted)


def test_errors() -> None:
    with pytest.raises(ValueError, match="names 3 classes"):
        sx.ConfusionMatrixDisplay([[1, 0], [0, 1]], display_labels=list("abc"))
    with pytest.raises(ValueError, match="normalize has to be one of"):
        sx.ConfusionMatrixDisplay([[1, 0], [0, 1]]).plot(normalize="rows")
    with pytest.raises(ValueError, match="confusion matrix"):
        sx.ConfusionMatrixDisplay.from_predictions(np.eye(3, dtype=int), np.eye(3, dtype=int))

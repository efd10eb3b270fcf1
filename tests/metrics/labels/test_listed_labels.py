"""What ``labels=`` may name: each class of a table once, by the type of the labels."""

import warnings

import numpy as np
import pytest

import skmetrics_ext as m

Y, P = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
BIG = np.arange(200_000)
# What counts the rows of the classes that are listed, so that one listed twice counts them twice.
OF_TABLES = {
    "confusion_matrix": m.confusion_matrix,
    "multilabel_confusion_matrix": m.multilabel_confusion_matrix,
    "classification_report": m.classification_report,
    "ConfusionTally": m.tallies.ConfusionTally.from_predictions,
    "cohen_kappa_score": m.cohen_kappa_score,
    "krippendorff_alpha_score": m.krippendorff_alpha_score,
    "macro_averaged_mean_absolute_error": m.macro_averaged_mean_absolute_error,
    "confusion_statistics": m.confusion_statistics,
    "grouped ConfusionTally": lambda *data, **options: m.tallies.ConfusionTally.from_predictions(
        *data, groups=np.arange(len(data[0])) % 2, **options
    ),
}
OF_AVERAGES = {
    f"{function.__name__}, {average}": lambda *data, f=function, a=average, **options: f(
        *data, average=a, **options
    )
    for function in (m.f1_score, m.precision_score, m.jaccard_score, m.specificity_score)
    for average in ("macro", "micro", "weighted", None)
}
LISTING = {
    **OF_TABLES,
    **OF_AVERAGES,
    "interval": lambda *data, **options: m.confidence_interval("f1_macro", *data, **options),
    "many metrics": lambda *data, **options: m.compute_metrics(["f1_macro"], *data, **options),
    "averaged_confusion": m.averaged_confusion,
}


@pytest.mark.parametrize("name", OF_TABLES)
def test_no_class_of_a_table_is_listed_twice(name):
    with pytest.raises(ValueError, match=r"labels names a class twice: \[0, 0, 1\]"):
        OF_TABLES[name](Y, P, labels=[0, 0, 1])


def test_no_output_of_a_table_is_listed_twice():
    marks = np.array([[1, 0], [0, 1]])
    for samplewise in (True, False):
        with pytest.raises(ValueError, match=r"labels names a class twice: \[1, 1\]"):
            m.multilabel_confusion_matrix(marks, marks, labels=[1, 1], samplewise=samplewise)


@pytest.mark.parametrize("name", [name for name in LISTING if name != "cohen_kappa_score"])
def test_labels_are_of_the_type_of_the_classes(name):
    with pytest.raises(ValueError, match=r"labels holds text, \['0', '1'\].*numbers, \[0, 1\]"):
        LISTING[name](Y, P, labels=["0", "1"])
    text, predicted = np.array(["a", "b", "b"]), np.array(["a", "b", "a"])
    with pytest.raises(ValueError, match=r"labels holds numbers, \[0, 1\].*text, \['a', 'b'\]"):
        LISTING[name](text, predicted, labels=[0, 1])


def test_kappa_names_both_in_the_words_of_scikit_learn():
    with pytest.raises(ValueError, match=r"present in `y1`.*labels=\['0', '1'\].*classes \[0, 1\]"):
        m.cohen_kappa_score(Y, P, labels=["0", "1"])


def test_labels_of_another_type_that_are_equal():
    for labels in ([0.0, 1.0], [False, True], np.array([0, 1], object)):
        np.testing.assert_array_equal(
            m.confusion_matrix(Y, P, labels=labels), m.confusion_matrix(Y, P)
        )


def test_a_table_has_the_rows_of_its_labels_alone():
    true, pred = np.array([0, 1, 2, 2, 7]), np.array([0, 2, 2, 1, 2])
    weight = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    want = [[4.0, 8.0], [2.0, 0.0]]
    assert m.confusion_matrix(true, pred, labels=[2, 1], sample_weight=weight).tolist() == want
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that the table has one class
        assert m.confusion_matrix([0, 1], [2, 2], labels=[0]).tolist() == [[0]]


# ------------------------------------------------------------------- more classes than cells fit


@pytest.mark.parametrize(
    "ask",
    [
        lambda: m.confusion_matrix(BIG, BIG),
        lambda: m.tallies.ConfusionTally.from_predictions(BIG, BIG),
        lambda: m.tallies.ConfusionTally.from_predictions(BIG, BIG, groups=BIG % 2),
        lambda: m.cohen_kappa_score(BIG, BIG, weights="linear"),
        lambda: m.krippendorff_alpha_score(BIG, BIG, level="ordinal"),
        lambda: m.confusion_statistics(BIG, BIG),
    ],
)
def test_a_table_that_fits_in_no_memory_says_its_size(ask, monkeypatch):
    monkeypatch.setattr("skmetrics_ext.validation.tables._memory", lambda: 64.0 * 2**30)
    with pytest.raises(ValueError, match=r"200000 classes would take (298|596) GiB.*labels="):
        ask()


def test_classes_that_no_table_is_needed_for():
    assert m.f1_score(BIG, BIG, average="macro") == 1.0
    assert m.matthews_corrcoef(BIG, BIG) == 1.0
    assert m.confusion_matrix(BIG, BIG, labels=[5, 3]).tolist() == [[1, 0], [0, 1]]

"""Labels that the door refuses: the message names the argument and what was found."""

import datetime
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from support.rows import OF_ONE_LABEL, call, probe, settings_of

from skmetrics_ext import METRICS, accuracy_score, confusion_matrix, f1_score

GOOD = [0, 1, 1]
TEXT = ["a", "b", "b"]
REFUSED = {
    "different lengths": (GOOD, [0, 1], "inconsistent numbers.*y_true: 3, y_pred: 2"),
    "no rows": ([], [], "y_true and y_pred have 0 sample"),
    "a scalar": (1, 1, "y_true.*(array-like|scalar)"),
    "a zero-dimensional array": (np.array(1), GOOD, "y_true must hold rows, got the scalar"),
    "a word": ("abc", TEXT, "y_true must be an array-like.*str"),
    "None": (None, GOOD, "y_true must be an array-like.*NoneType"),
    "a generator": ((x for x in GOOD), GOOD, "y_true must be an array-like.*generator"),
    "a ragged list": ([[0], [0, 1], [1]], GOOD, "y_true is ragged"),
    "None among numbers": ([0, None, 1], GOOD, r"y_true contains NaN.*None.*row 1"),
    "None among text": (["a", None, "b"], TEXT, "y_true"),
    "nan among text": (["a", np.nan, "b"], TEXT, "y_true contains NaN"),
    "nan among text objects": (np.array(["a", np.nan, "b"], object), TEXT, "y_true.*NaN.*row 1"),
    "nan": (GOOD, [0.0, 1.0, np.nan], "y_pred contains NaN.*row 2"),
    "infinity": (GOOD, [0.0, np.inf, 1.0], "y_pred contains infinity.*row 1"),
    "missing Int64": (pd.Series([0, None, 1], dtype="Int64"), GOOD, "y_true contains NaN.*row 1"),
    "missing boolean": (
        pd.Series([True, None, True], dtype="boolean"),
        [True] * 3,
        "y_true contains NaN.*row 1",
    ),
    "missing string": (TEXT, pd.Series(["a", "b", None], dtype="string"), "y_pred.*NaN.*row 2"),
    "missing category": (pd.Categorical(["a", "b", None]), TEXT, "y_true contains NaN.*row 2"),
    "polars null": (pl.Series([0, 1, None]), GOOD, "y_true contains NaN.*row 2"),
    "pyarrow null": (GOOD, pa.array([None, 1, 1]), "y_pred contains NaN.*row 0"),
    "a lazy frame": (pl.LazyFrame({"a": GOOD}), GOOD, "y_true must be an eager polars"),
    "text and numbers": (TEXT, GOOD, "Mix of label input types"),
    "True and 'True'": ([True, False], ["True", "False"], "Mix of label input types"),
    "1 and 'a' as categories": (
        pd.Categorical([1, "a", 1]),
        pd.Categorical([1, "a", 1]),
        "Mix of label input types: the categories of y_true and y_pred",
    ),
    "1 and '1' in a column": (np.array([1, "1", 2], object), GOOD, "y_true.*int.*str"),
    "1 and 'a' in a list": (["a", 1, "b"], TEXT, "string and number.*y_true.*1.*int"),
    "fractions": ([1.5, 2.5, 1.5], [1.5, 2.5, 2.5], "continuous"),
    "complex": (np.array([1j, 0, 1]), GOOD, "Complex data not supported in y_true"),
    "dates": (
        np.array(["2020-01-01"] * 3, "M8[D]"),
        GOOD,
        r"y_true holds datetime64\[D\] values. Labels are integers, text",
    ),
    "dates of Python": ([datetime.date(2020, 1, 1)] * 3, GOOD, "y_true holds objects of type date"),
    "integers in objects": (GOOD, np.array(GOOD, object), r"y_pred holds.*int.*astype\(int\)"),
    "booleans in objects": (np.array([True] * 3, object), GOOD, r"y_true.*bool.*astype\(bool\)"),
    "several outputs": ([[1, 2], [3, 4]], [[1, 2], [3, 3]], "multiclass-multioutput"),
    "a matrix beside a column": (
        [[0, 1], [1, 1], [1, 0]],
        GOOD,
        "mix of multilabel.*y_true and y_pred",
    ),
    "outputs of two numbers": (np.eye(3), np.eye(3)[:, :2], "y_true has 3 columns, y_pred 2"),
    "sequences of labels": ([(0, 1), (1,), ()], GOOD, "y_true|legacy"),
}


@pytest.mark.parametrize("what", sorted(REFUSED))
def test_refused_with_what_was_found(what):
    y_true, y_pred, message = REFUSED[what]
    with pytest.raises(ValueError, match=rf"(?s){message}"):
        accuracy_score(y_true, y_pred)


# What holds no labels, of which kernels must never hear.
NO_LABELS = {
    "bytes": (lambda true: true.astype("S"), "bytes.*y_true"),
    "a sparse column": (lambda true: csr_array(true[:, None]), "Sparse.*y_true is one sparse"),
    "objects": (lambda true: true.astype(object), r"y_true holds objects.*astype\(int\)"),
    "booleans in objects": (lambda true: (true > 0).astype(object), "y_true holds objects of type"),
    "dates": (lambda true: true.astype("M8[D]"), "y_true holds datetime64"),
    "durations": (lambda true: true.astype("m8[s]"), "y_true holds timedelta64"),
    "records": (lambda true: true.astype([("a", int)]), r"y_true holds \[\('a', '<i8'\)\]"),
    "complex numbers": (lambda true: true + 0j, "Complex data not supported in y_true"),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("what", NO_LABELS)
@pytest.mark.parametrize("name", OF_ONE_LABEL)
def test_no_metric_reads_what_holds_no_labels(name, what):
    params, kind = settings_of(name, ("binary", "multiclass"))[0]
    sample = probe(METRICS[name].response, kind)
    convert, message = NO_LABELS[what]
    message = message.replace("y_true", "(y_true|y1)")  # kappa is of two raters
    with pytest.raises(ValueError, match=message):
        call(METRICS[name], params, replace(sample, true=convert(sample.true)))


def test_the_same_index_in_another_order_is_refused():
    y_true = pd.Series([0, 1, 1], index=["a", "b", "c"])
    y_pred = pd.Series([1, 0, 1], index=["b", "a", "c"])
    with pytest.raises(ValueError, match=r"y_true and y_pred.*another order.*y_pred\.loc\[y_true"):
        accuracy_score(y_true, y_pred)
    assert accuracy_score(y_true, y_pred.loc[y_true.index]) == 1.0
    weight = pd.Series([1, 2, 3], index=["c", "b", "a"])
    with pytest.raises(ValueError, match=r"y_true and sample_weight.*another order"):
        accuracy_score(y_true, y_true, sample_weight=weight)


def test_indexes_of_other_rows_go_by_position():
    y_true = pd.Series([0, 1, 1], index=[5, 6, 7])
    assert accuracy_score(y_true, pd.Series([0, 1, 1])) == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pos_label": 7}, r"pos_label=7 is not a valid label.*\[0 1\]"),
        ({"average": "mean"}, "average has to be one of.*'mean'"),
        ({"zero_division": 2}, "zero_division has to be one of.*2"),
        ({"zero_division": "nan"}, "zero_division has to be one of.*'nan'"),
        ({"labels": [], "average": "macro"}, "labels"),
        ({"labels": [[0, 1]], "average": "macro"}, r"labels must be 1-D.*\(1, 2\)"),
        ({"average": "samples"}, "[Ss]ample"),
    ],
)
def test_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        f1_score([0, 1, 1], [0, 1, 0], **options)


def test_text_needs_a_positive_class():
    with pytest.raises(ValueError, match=r"pos_label=1.*'?ill'? '?ok'?"):
        f1_score(["ill", "ok"], ["ill", "ill"])
    assert f1_score(["ill", "ok"], ["ill", "ok"], pos_label="ill") == 1.0


@pytest.mark.parametrize("rows", [[0, 1, 2], np.eye(3, dtype=int)])
def test_more_than_two_classes_need_an_average(rows):
    with pytest.raises(ValueError, match=r"average='binary'.*macro"):
        f1_score(rows, rows)


def test_outputs_beyond_those_there_are():
    marks = np.eye(3, dtype=int)
    for labels, found in (([3], "3 > 2"), ([-1], "-1 < 0")):
        with pytest.raises(ValueError, match=rf"labels.*{found}"):
            f1_score(marks, marks, labels=labels, average="macro")


def test_labels_that_do_not_occur():
    with pytest.raises(ValueError, match=r"label.*must be in y_true"):
        confusion_matrix([0, 1], [0, 1], labels=[7])

"""Names of columns: which are names of classes, and which orders of them are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import skmetrics_ext as sx
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.column_names import check_names, names_of

PROBA = np.array([[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6], [0.25, 0.5, 0.25]])
REFUSED = "are named .* and are read by position as the class"


def framed(names):
    return pd.DataFrame(PROBA[:, : len(names)], columns=names)


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (pd.DataFrame(PROBA), None),
        (pd.DataFrame(PROBA, columns=pd.RangeIndex(1, 4)), [1, 2, 3]),
        (pd.DataFrame(PROBA, columns=pd.RangeIndex(0, 6, 2)), [0, 2, 4]),
        (pd.DataFrame(PROBA, columns=pd.RangeIndex(2, -1, -1)), [2, 1, 0]),
        (pd.DataFrame(PROBA, columns=pd.Index([0, 1, 2])), [0, 1, 2]),
        (framed(["a", "b", "c"]), ["a", "b", "c"]),
        (pd.Series([1, 2]), None),
        (pd.Series([1, 2], name="a"), ["a"]),
        (pd.Series([1, 2], name=0), [0]),
        (pl.DataFrame(PROBA, schema=["a", "b", "c"]), ["a", "b", "c"]),
        (pl.Series("a", [1, 2]), ["a"]),
        (pl.LazyFrame({"a": [1]}), None),
        (PROBA, None),
        ([1, 2], None),
    ],
)
def test_names_of_columns_and_series(data, names):
    assert names_of(data) == names


# Classes in their order, names, and whether they stand in this order, as far as they are classes.
CASES = [
    (["a", "b", "c"], ["a", "b", "c"], True),
    (["a", "b", "c"], ["x", "y", "z"], True),
    (["a", "b", "c"], ["c", "b", "a"], False),
    (["a", "b", "c"], ["a", "c", "b"], False),
    (["a", "b", "c"], ["a", "b", "x"], False),
    (["a", "b", "c"], ["x", "b", "y"], False),
    (["a", "b", "c"], ["x", "a", "y"], False),
    (["a", "b", "c"], ["c", "b"], True),  # the number of columns is another matter
    ([1, 2, 3], ["1", "2", "3"], True),
    ([1, 2, 3], ["1.0", "2.0", "3.0"], True),
    ([1, 2, 3], ["2.0", "1.0", "3.0"], False),
    ([1.0, 2.0, 3.0], ["1", "2", "3"], True),
    ([1.0, 2.0, 3.0], ["2", "1", "3"], False),
    ([0.5, 1.5, 2.5], ["0.5", "1.5", "2.5"], True),
    ([0.5, 1.5, 2.5], ["1.5", "0.5", "2.5"], False),
    ([0.5, 1.5, 2.5], ["0", "1", "2"], True),
    ([0.5, 1.5, 2.5], ["1", "0", "2"], True),
    ([0, 1], ["False", "True"], True),
    ([0, 1], ["True", "False"], False),
    ([1, 2], ["2", "True"], False),
    ([1, 2], ["False", "True"], False),
    ([2, 3], ["True", "False"], True),
    ([False, True], ["0", "1"], True),
    ([False, True], ["1", "0"], False),
    ([False, True], ["1.0", "0.0"], True),
    ([np.False_, np.True_], ["1", "0"], False),
    ([np.int64(0), np.int64(1)], ["1.0", "0"], False),
    ([np.float32(2), np.float32(4)], ["4", "2"], False),
    ([0, 1, 2], [2, 1, 0], False),
    ([2, 1, 0], [0, 1, 2], False),  # a count that is all of the classes
    ([1, 2, 3], [0, 1, 2], True),  # a count that is not
    ([2, 1, 3], [0, 1, 2], True),
    ([1, 2, 3], [3, 1, 2], False),
    ([1, 2, 3], [4, 1, 2], False),
    ([5, 6, 7], [0, 1, 2], True),
    ([1], [0], True),
    ([0], [1], True),
    (["b"], ["b"], True),
    ([None, "b"], ["a", "b"], True),
    ([None, "b"], ["x", "b"], True),
    ([None, "b"], ["b", "x"], False),
    ([None, "b"], ["b", "b"], False),
]


@pytest.mark.parametrize(("classes", "names", "in_order"), CASES)
def test_names_that_are_classes_stand_in_their_order(classes, names, in_order):
    if in_order:
        check_names(names, classes, "y_score")
        return
    with pytest.raises(InvalidParameterError, match=f"The columns of y_score {REFUSED}"):
        check_names(names, classes, "y_score")
    check_names(None, classes, "y_score")


@pytest.mark.parametrize(
    ("names", "others", "in_order"),
    [
        (["yes"], ["no", "yes"], True),
        (["no"], ["no", "yes"], False),
        (["no"], [], True),
        (["maybe"], ["no", "yes"], True),
        (["0"], ["0", "yes"], True),  # a count of one column
    ],
)
def test_a_column_is_not_named_after_another_class(names, others, in_order):
    if in_order:
        check_names(names, ["yes"], "y_score", others)
        return
    told = r"are named \['no'\], .* as the class \['yes'\]: put them in this order, or pass an"
    with pytest.raises(InvalidParameterError, match=told):
        check_names(names, ["yes"], "y_score", others)


def test_what_to_do_is_told():
    """``labels=`` says the order of three columns; of two the second is positive by it."""
    with pytest.raises(InvalidParameterError, match=r"the classes \['a', 'b'\]: put .* order, or"):
        check_names(["b", "a"], ["a", "b"], "it")
    told = r"as the classes \['a', 'b', 'c'\]: put them in this order, or pass labels= in the order"
    with pytest.raises(InvalidParameterError, match=told):
        check_names(["b", "a", "c"], ["a", "b", "c"], "it")
    with pytest.raises(InvalidParameterError, match="or do something else"):
        check_names(["b", "a"], ["a", "b"], "it", instead="do something else")


def test_default_names_of_pandas_say_nothing_about_listed_classes():
    true = [0, 1, 2, 1]
    value = sx.log_loss(true, PROBA, labels=[2, 1, 0])
    assert sx.log_loss(true, pd.DataFrame(PROBA), labels=[2, 1, 0]) == value
    for names in ([0, 1, 2], ["0", "1", "2"], pd.RangeIndex(3).astype(str)):
        with pytest.raises(InvalidParameterError, match=REFUSED):
            sx.log_loss(true, framed(names), labels=[2, 1, 0])
    assert sx.log_loss(true, framed([2, 1, 0]), labels=[2, 1, 0]) == value
    assert sx.log_loss(true, pd.DataFrame(PROBA, columns=pd.RangeIndex(2, -1, -1)),
                       labels=[2, 1, 0]) == value  # fmt: skip


@pytest.mark.parametrize("metric", [sx.log_loss, sx.roc_auc_score, sx.top_k_accuracy_score])
def test_the_last_of_two_classes_may_stand_alone(metric):
    true, score = np.array(["no", "yes", "yes", "no"]), pd.Series([0.2, 0.9, 0.4, 0.3])
    options = {"k": 1} if metric is sx.top_k_accuracy_score else {}
    value = metric(true, score.to_numpy(), **options)
    for name in (None, "yes", "score", 0):
        assert metric(true, score.rename(name), **options) == value
    with pytest.raises(InvalidParameterError, match=r"named \['no'\], .* the class \['yes'\]"):
        metric(true, score.rename("no"), **options)


MARKS = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]])
PAIRS = [
    (["a", "b", "c"], ["a", "b", "c"], True),
    (["a", "b", "c"], ["a", "c", "b"], False),
    (["a", "b", "c"], ["x", "y", "z"], True),
    (["a", "b", "c"], ["a", "c", "z"], True),
    ([0, 2, 1], ["0", "1", "2"], False),
    ([5, 6, 7], ["5", "6", "7"], True),  # as of a file that was read without its types
    ([0, 1, 2], ["0", "1", "2"], True),
    (["a", "b"], ["b", "a"], False),
    (["a"], ["b"], True),
    (None, ["a", "b", "c"], True),
    (["a", "b", "c"], None, True),
]


@pytest.mark.parametrize(("first", "second", "in_order"), PAIRS)
def test_two_matrices_with_the_same_names(first, second, in_order):
    n_columns = len(first or second)
    columns = [
        MARKS[:, :n_columns]
        if names is None
        else pd.DataFrame(MARKS[:, :n_columns], columns=pd.Index(names))
        for names in (first, second)
    ]
    if in_order:
        assert sx.accuracy_score(*columns) == 1.0
        return
    told = "The columns of y_true and y_pred have the same names in another order"
    with pytest.raises(InvalidParameterError, match=told):
        sx.accuracy_score(*columns)

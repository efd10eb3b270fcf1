"""What every metric of probabilities of our own refuses, and what it lets pass."""

import numpy as np
import pytest

import skmetrics_ext as m

SEVERAL = (m.spherical_score, m.ranked_probability_score, m.brier_skill_score)
BINARY = (
    m.expected_calibration_error,
    m.smooth_calibration_error,
    m.calibration_curve_binned,
    m.brier_decomposition,
    m.corp_decomposition,
    m.calibration_slope_intercept,
    m.observed_expected_ratio,
    m.significance.hosmer_lemeshow_test,
    m.significance.spiegelhalter_test,
)
OF_ONE_CLASS = (
    m.calibration_curve_binned,
    m.calibration_slope_intercept,
    m.observed_expected_ratio,
    m.significance.hosmer_lemeshow_test,
)
TRUE = [0, 1, 0, 1, 1, 0]
PROBA = np.array([0.1, 0.3, 0.4, 0.5, 0.6, 0.9])


def by_name(functions):
    return pytest.mark.parametrize("function", functions, ids=lambda f: f.__name__)


def number(result):
    """A result that holds several numbers, as an array."""
    fields = getattr(result, "__dataclass_fields__", None)
    if fields is None:
        return result
    values = [getattr(result, name) for name in fields]
    return np.concatenate([np.ravel(np.nan if v is None else v).astype(float) for v in values])


@by_name(SEVERAL + BINARY)
def test_rows_that_do_not_sum_to_1_are_refused(function):
    two = np.column_stack([1 - PROBA, PROBA])
    two[3, 0] += 1e-5
    with pytest.raises(ValueError, match=r"row 3 sums to 1\.00001"):
        function(TRUE, two)


@by_name(SEVERAL + BINARY)
def test_rounding_passes(function):
    two = np.column_stack([1 - PROBA, PROBA])
    expected = number(function(TRUE, two))
    two[3, 0] += 1e-7
    np.testing.assert_allclose(number(function(TRUE, two)), expected, rtol=1e-5, equal_nan=True)
    assert np.isfinite(number(function(TRUE, two.astype(np.float16)))).any()
    over = np.append(PROBA[:-1], 1 + 1e-9)
    if function is m.calibration_slope_intercept:  # of what is sure there are no log odds
        with pytest.raises(ValueError, match="0 or 1"):
            function(TRUE, over)
        return
    exact = number(function(TRUE, np.append(PROBA[:-1], 1.0)))
    np.testing.assert_array_equal(number(function(TRUE, over)), exact)


@by_name(SEVERAL + BINARY)
@pytest.mark.parametrize(
    ("proba", "message"),
    [
        (np.append(PROBA[:-1], 1.001), "greater than 1: 1.001"),
        (np.append(PROBA[:-1], -0.001), "than 0: -0.001"),
        (np.append(PROBA[:-1], np.nan), "y_proba, first in row 5"),
        (PROBA[:-1], "inconsistent numbers of samples"),
        (PROBA.astype(str), "y_proba must hold numbers"),
    ],
)
def test_no_probabilities_are_refused(function, proba, message):
    with pytest.raises(ValueError, match=message):
        function(TRUE, proba)


@by_name(SEVERAL + BINARY)
def test_a_class_may_be_named(function):
    text = np.array(["a", "b"])[TRUE]
    expected = number(function(TRUE, PROBA))
    for named in ({"pos_label": "b"}, {"labels": ["a", "b"]}):
        np.testing.assert_array_equal(number(function(text, PROBA, **named)), expected)
    both = np.column_stack([PROBA, 1 - PROBA])
    turned = number(function(text, both, labels=["b", "a"], pos_label="b"))
    np.testing.assert_allclose(turned, expected, rtol=1e-12, equal_nan=True)


@by_name(OF_ONE_CLASS)
@pytest.mark.parametrize("names", [["a", "b"], [1, 2], [0, 2]])
def test_a_metric_of_one_class_asks_for_it(function, names):
    no, yes = names
    message = (
        rf"{function.__name__} needs a positive class: pass pos_label={yes!r} or pos_label={no!r}\."
    )
    with pytest.raises(ValueError, match=message):
        function(np.array(names)[TRUE], PROBA)
    expected = number(function(TRUE, PROBA))
    np.testing.assert_array_equal(number(function(np.array([-1, 1])[TRUE], PROBA)), expected)
    np.testing.assert_array_equal(number(function(np.array(TRUE) == 1, PROBA)), expected)


@by_name([function for function in SEVERAL + BINARY if function not in OF_ONE_CLASS])
@pytest.mark.parametrize("names", [["a", "b"], [1, 2], [0, 2]])
def test_one_column_of_an_unnamed_class_is_refused_and_two_columns_are_not(function, names):
    proba = np.array([0.12, 0.33, 0.44, 0.51, 0.62, 0.93])  # on no edge of a bin
    expected = number(function(TRUE, proba))
    true = np.array(names)[TRUE]
    asks = (
        rf"(The metric|{function.__name__}) needs a positive class: pass pos_label={names[1]!r} or "
    )
    with pytest.raises(ValueError, match=asks):
        function(true, proba)
    both = np.column_stack([1 - proba, proba])
    np.testing.assert_allclose(number(function(true, both)), expected, rtol=1e-6, atol=1e-12)
    turned = number(function(true, 1 - proba, pos_label=names[0]))
    np.testing.assert_allclose(turned, expected, rtol=1e-6, atol=1e-12, equal_nan=True)


@by_name(BINARY)
def test_several_classes_are_refused_where_two_are_needed(function):
    with pytest.raises(ValueError, match="multiclass but should be binary"):
        function([0, 1, 2], np.eye(3))
    with pytest.raises(ValueError, match=r"one column or two, got an array of shape \(6, 3\)"):
        function(TRUE, np.tile([0.2, 0.3, 0.5], (6, 1)))


@by_name(SEVERAL)
def test_columns_are_as_many_as_classes(function):
    with pytest.raises(ValueError, match="2 vs 3"):
        function([0, 1], np.eye(3)[:2])
    assert np.isfinite(function([0, 1], np.eye(3)[:2], labels=[0, 1, 2]))
    with pytest.raises(ValueError, match="multilabel"):
        function([[0, 1, 1], [1, 0, 1]], np.eye(3)[:2])


@by_name(SEVERAL + BINARY)
def test_one_class_alone_names_the_other_column_only_if_it_can(function):
    both = np.column_stack([1 - PROBA, PROBA])
    if function in OF_ONE_CLASS:
        with pytest.raises(ValueError, match="needs a positive class: pass pos_label=5"):
            function([5] * 6, both)
    named = {"pos_label": 5} if function in BINARY else {}
    with pytest.raises(ValueError, match="only one label"):
        function([5] * 6, both, **named)


def test_the_top_label_is_the_first_of_equals():
    """Of two rows of class 0 and one of class 2, all are right: gaps of 0.6, 0.6 and 0."""
    proba = [[0.4, 0.4, 0.2], [0.4, 0.4, 0.2], [0, 0, 1]]
    found = m.expected_calibration_error([0, 0, 2], proba, labels=[0, 1, 2], target="top_label")
    assert found == pytest.approx(0.4)
    found = m.expected_calibration_error([1, 1, 2], proba, labels=[0, 1, 2], target="top_label")
    assert found == pytest.approx(0.8 / 3)

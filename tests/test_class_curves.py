"""Curves of several classes and their averages."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from support.samples import samples

import skmetrics_ext as sx

CLASSES = st.one_of(samples("scores", "multiclass"), samples("scores", "multiclass", weighted=True))
OUTPUTS = st.one_of(samples("scores", "multilabel"), samples("scores", "multilabel", weighted=True))
MANY = st.one_of(CLASSES, OUTPUTS)
TRUE = ["a", "b", "c", "c"]
SCORE = [[2, 0, 1], [0, 3, 1], [1, 0, 2], [0, 1, 1]]


def options(sample):
    return {} if sample.weight is None else {"sample_weight": sample.weight}


def marks(sample):
    if sample.kind == "multilabel":
        return sample.true
    return (sample.true[:, None] == np.arange(sample.n_classes)).astype(int)


def flat(sample):
    weight = None if sample.weight is None else np.repeat(sample.weight, sample.n_classes)
    return marks(sample).ravel(), sample.response.ravel(), weight


@given(MANY)
def test_areas_are_the_scalars(sample):
    call = options(sample)
    if sample.kind == "multiclass":
        call["multi_class"] = "ovr"
    result = sx.roc_curves(sample.true, sample.response, **options(sample))
    for average in ("micro", "macro"):
        scalar = sx.roc_auc_score(sample.true, sample.response, average=average, **call)
        assert result.areas[average] == pytest.approx(scalar, rel=1e-12)
    scalars = sx.roc_auc_score(sample.true, sample.response, average=None, **call)
    np.testing.assert_allclose([result[k].area for k in range(len(scalars))], scalars, rtol=1e-12)


@given(MANY)
def test_areas_of_precision_are_the_scalars(sample):
    call = options(sample)
    result = sx.precision_recall_curves(sample.true, sample.response, **call)
    for average in ("micro", "macro"):
        scalar = sx.average_precision_score(sample.true, sample.response, average=average, **call)
        assert result.areas[average] == pytest.approx(scalar, rel=1e-12)
    for function, name in (
        (sx.average_precision_score, "area"),
        (sx.pr_auc_score, "trapezoid_area"),
    ):
        scalars = function(sample.true, sample.response, average=None, **call)
        got = [getattr(curve, name) for curve in result.curves]
        np.testing.assert_allclose(got, scalars, rtol=1e-12)


@given(MANY)
def test_micro_by_merging_is_micro_by_flattening(sample):
    micro = sx.roc_curves(
        sample.true, sample.response, drop_intermediate=False, **options(sample)
    ).micro
    true, score, weight = flat(sample)
    expected = sx.roc_curve(true, score, sample_weight=weight, drop_intermediate=False)
    for got, want in zip((micro.fpr, micro.tpr, micro.thresholds), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


@given(MANY)
def test_the_curve_of_a_class_is_its_curve_against_the_rest(sample):
    roc = sx.roc_curves(sample.true, sample.response, **options(sample))
    pr = sx.precision_recall_curves(sample.true, sample.response, **options(sample))
    for k in range(sample.n_classes):
        args = marks(sample)[:, k], sample.response[:, k]
        expected = sx.roc_curve(*args, **options(sample))
        for got, want in zip((roc[k].fpr, roc[k].tpr, roc[k].thresholds), expected, strict=True):
            np.testing.assert_array_equal(got, want)
        precision, recall, thresholds = sx.precision_recall_curve(*args, **options(sample))
        np.testing.assert_array_equal(pr[k].precision, precision[::-1])
        np.testing.assert_array_equal(pr[k].recall, recall[::-1])
        np.testing.assert_array_equal(pr[k].thresholds[1:], thresholds[::-1])


@given(MANY)
def test_macro_is_the_mean_of_the_classes(sample):
    result = sx.roc_curves(sample.true, sample.response, **options(sample))
    union = np.unique(np.concatenate([curve.fpr for curve in result.curves]))
    assert np.unique(result.macro.fpr).tolist() == union.tolist()
    between = (union[1:] + union[:-1]) / 2
    for at in (union, between):  # np.interp gives the highest of several points
        each = [np.interp(at, curve.fpr, curve.tpr) for curve in result.curves]
        mean = np.interp(at, result.macro.fpr, result.macro.tpr)
        np.testing.assert_allclose(mean, np.mean(each, axis=0), rtol=1e-12)
    grid = np.linspace(0, 1, 11)
    on_grid = sx.roc_curves(sample.true, sample.response, grid=grid, **options(sample)).macro
    each = [np.interp(grid, curve.fpr, curve.tpr) for curve in result.curves]
    np.testing.assert_array_equal(on_grid.fpr, grid)
    np.testing.assert_allclose(on_grid.tpr, np.mean(each, axis=0), rtol=1e-12)
    assert np.isnan(on_grid.thresholds).all()


def test_macro_precision_by_hand():
    # Class 0: precision 1 up to recall 1/2, then 2/3. Class 1: 1/2 up to 1. Class 2: 1.
    true = [0, 0, 1, 2]
    score = np.array([[0.9, 0.6, 0.1], [0.4, 0.1, 0.2], [0.5, 0.5, 0.3], [0.1, 0.2, 0.8]])
    result = sx.precision_recall_curves(true, score)
    assert result.macro.recall.tolist() == [0, 0.5, 1]
    expected = [1, (1 + 1 / 2 + 1) / 3, (2 / 3 + 1 / 2 + 1) / 3]
    np.testing.assert_allclose(result.macro.precision, expected, rtol=1e-15)
    on_grid = sx.precision_recall_curves(true, score, grid=[0.25, 0.75]).macro
    np.testing.assert_allclose(on_grid.precision, expected[1:], rtol=1e-15)
    few = sx.precision_recall_curves(true, score, drop_intermediate=True)
    assert few.areas == result.areas
    assert len(few[1].recall) < len(result[1].recall)


def test_macro_roc_by_hand():
    result = sx.roc_curves(TRUE, SCORE)
    assert result["c"].fpr.tolist() == [0, 0, 1]
    # The other two rise to 1 at once; all three are straight between 0, 1/3 and 1.
    assert result.macro.fpr.tolist() == [0, 0, 1 / 3, 1]
    np.testing.assert_allclose(result.macro.tpr, [0, 5 / 6, 8 / 9, 1])


def test_binary_labels_have_one_curve():
    result = sx.roc_curves(["x", "y", "y"], [0.1, 0.4, 0.2], pos_label="y")
    assert (result.classes.tolist(), result.micro, result.macro) == (["y"], None, None)
    assert result.areas == {"y": 1.0}
    other = sx.roc_curves(["x", "y", "y"], [0.9, 0.6, 0.8], pos_label="x")
    assert other.areas == {"x": 1.0}
    with pytest.raises(KeyError, match="'micro' is not one of the curves"):
        result["micro"]


def test_a_curve_of_one_class_asks_which_it_is():
    for names in (("x", "y"), ("no", "yes"), (1, 2)):
        true, score = np.array(names)[[0, 1, 1]], [0.1, 0.4, 0.2]
        with pytest.raises(
            ValueError, match=r"precision_recall_curves needs a positive class: pass pos_label"
        ):
            sx.precision_recall_curves(true, score)
        for own in (sx.precision_recall_curves(true, score, pos_label=names[1]),
                    sx.precision_recall_curves(true, score, labels=names)):  # fmt: skip
            assert own.areas == {names[1]: 1.0}
        with pytest.raises(ValueError, match="roc_curves needs a positive class: pass pos_label"):
            sx.roc_curves(true, score)


def test_a_class_without_rows_is_named_and_left_out():
    score = [[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.4, 0.3, 0.3]]
    for function in (sx.roc_curves, sx.precision_recall_curves):
        with pytest.warns(UndefinedMetricWarning, match=r"classes \['c'\]"):
            result = function(["a", "b", "a"], score, labels=["a", "b", "c"])
        assert np.isnan(result["c"].area)
        assert result["macro"].area == 1


def test_results_are_frozen():
    result = sx.roc_curves(TRUE, SCORE)
    with pytest.raises(FrozenInstanceError):
        result.micro = None
    with pytest.raises(FrozenInstanceError):
        result["a"].fpr = np.zeros(2)


def test_a_class_may_be_called_micro():
    result = sx.roc_curves(["micro", "b", "c", "c"], SCORE, labels=["micro", "b", "c"])
    assert result["micro"] is result.curves[0]
    assert list(result.areas) == ["micro", "b", "c", "macro"]
    assert result.micro is not result.curves[0]


def test_frame_holds_every_point():
    result = sx.roc_curves(TRUE, SCORE)
    frame = result.frame()
    assert list(frame.columns) == ["curve", "threshold", "fpr", "tpr"]
    assert frame["curve"].unique().tolist() == ["a", "b", "c", "micro", "macro"]
    part = frame[frame["curve"] == "c"]
    assert part["tpr"].tolist() == result["c"].tpr.tolist()
    columns = sx.precision_recall_curves(TRUE, SCORE).frame().columns
    assert list(columns) == ["curve", "threshold", "precision", "recall"]


@pytest.mark.parametrize(
    "grid",
    [
        [], [0.5], [[0, 1]], 3, "ab", ["low", "high"],
        [0, 0], [0.5, 0.1], [0.2, 0.1, 0.3], [0, np.nan],
        [-0.1, 1], [0, 2], [-0.1, 0, 0.5, 1], [0, 0.5, 1, 1.1],
    ],
)  # fmt: skip
def test_a_grid_that_is_no_increasing_list_of_rates_is_refused(grid):
    message = r"grid must hold at least two increasing rates in \[0, 1\]"
    for function in (sx.roc_curves, sx.precision_recall_curves):
        with pytest.raises(ValueError, match=message):
            function(TRUE, SCORE, grid=grid)


def test_points_of_one_curve_as_columns():
    columns = sx.roc_curves([0, 1], [0.2, 0.7], drop_intermediate=False).columns()
    assert columns["curve"].tolist() == [1, 1, 1]
    assert columns["tpr"].tolist() == [0, 1, 1]

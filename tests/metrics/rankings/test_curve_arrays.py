"""Curves as arrays: scikit-learn's, and what they say of every threshold."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from support.samples import samples
from support.versions import has

import skmetrics_ext as sx

ROWS = st.one_of(samples("scores", "binary"), samples("scores", "binary", weighted=True))
LONG = samples("scores", "binary", weighted=True, max_rows=60)
DROPPING = ["roc_curve", "precision_recall_curve", "det_curve"]


def options(sample):
    return {} if sample.weight is None else {"sample_weight": sample.weight}


def equal(got, expected, rtol=1e-13):
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-15)
        assert one.dtype == np.float64


@pytest.mark.parametrize("drop", [True, False])
@pytest.mark.parametrize("name", [name for name in DROPPING if has(name)])
@given(st.one_of(ROWS, LONG))
def test_curves_are_scikit_learns(name, drop, sample):
    call = {"drop_intermediate": drop, **options(sample)}
    ours = getattr(sx, name)(sample.true, sample.response, **call)
    theirs = getattr(sklearn.metrics, name)(sample.true, sample.response, **call)
    equal(ours, theirs)


@pytest.mark.skipif(
    not has("confusion_matrix_at_thresholds"), reason="scikit-learn has it since 1.8"
)
@given(ROWS)
def test_counts_are_scikit_learns(sample):
    args = sample.true, sample.response
    ours = sx.confusion_matrix_at_thresholds(*args, **options(sample))
    equal(ours, sklearn.metrics.confusion_matrix_at_thresholds(*args, **options(sample)))


@given(ROWS)
def test_counts_are_those_of_the_predictions_at_each_threshold(sample):
    counts = sx.confusion_matrix_at_thresholds(sample.true, sample.response, **options(sample))
    assert (np.diff(counts[-1]) < 0).all()
    for *cells, threshold in zip(*counts, strict=True):
        predicted = (sample.response >= threshold).astype(int)
        table = sx.confusion_matrix(sample.true, predicted, labels=[0, 1], **options(sample))
        np.testing.assert_allclose(cells, table.reshape(-1), rtol=1e-14)


@given(ROWS, st.integers(1, 5))
def test_integer_weights_are_repeated_rows(sample, times):
    weight = np.arange(len(sample)) % times + 1
    repeated = [np.repeat(part, weight) for part in (sample.true, sample.response)]
    for name in DROPPING:
        ours = getattr(sx, name)(sample.true, sample.response, sample_weight=weight)
        equal(ours, getattr(sx, name)(*repeated), rtol=0)


@given(ROWS)
def test_what_is_dropped_lies_on_the_curve(sample):
    args, weights = (sample.true, sample.response), options(sample)
    fpr, tpr, _ = sx.roc_curve(*args, drop_intermediate=False, **weights)
    short = sx.roc_curve(*args, **weights)
    assert sx.auc(fpr, tpr) == pytest.approx(sx.auc(*short[:2]), rel=1e-12)
    assert sx.auc(fpr, tpr) == pytest.approx(sx.roc_auc_score(*args, **weights), rel=1e-12)
    precision, recall, _ = sx.precision_recall_curve(*args, **weights)
    few = sx.precision_recall_curve(*args, drop_intermediate=True, **weights)
    steps = -(np.diff(recall) * precision[:-1]).sum()
    assert steps == pytest.approx(sx.average_precision_score(*args, **weights), rel=1e-12)
    assert -(np.diff(few[1]) * few[0][:-1]).sum() == pytest.approx(steps, rel=1e-12)
    assert sx.auc(recall, precision) == pytest.approx(sx.pr_auc_score(*args, **weights), rel=1e-12)


def test_rates_never_fall_though_weights_round():
    weight = np.repeat(0.1, 60)
    true = np.arange(60) % 3 == 0
    fpr, tpr, _ = sx.roc_curve(true, np.arange(60), sample_weight=weight)
    assert (np.diff(fpr) >= 0).all()
    assert (np.diff(tpr) >= 0).all()
    assert fpr[-1] == tpr[-1] == 1


def test_det_curve_of_one_class_among_three():
    true, score = ["a", "b", "c", "b"], [0.1, 0.9, 0.5, 0.3]
    fpr, fnr, thresholds = sx.det_curve(true, score, "b")
    assert fpr.tolist() == [0.5, 0.5, 0]
    assert fnr.tolist() == [0, 0.5, 0.5]
    assert thresholds.tolist() == [0.3, 0.5, 0.9]


# --------------------------------------------------------------------------- auc


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5)), min_size=2, max_size=12))
def test_auc_is_scikit_learns(steps):
    x, y = np.cumsum([dx for dx, _ in steps]), [value for _, value in steps]
    assert sx.auc(x, y) == pytest.approx(sklearn.metrics.auc(x, y), abs=1e-12)
    assert sx.auc(x[::-1], y[::-1]) == pytest.approx(sx.auc(x, y), abs=1e-12)


def test_auc_of_a_curve_that_is_undefined_is_nan():
    assert np.isnan(sx.auc([0, np.nan], [0, 1]))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0, 0.5], [1, 2, 3], "inconsistent"),
        ([1], [1], "At least 2 points"),
        ([0, 2, 1], [0, 1, 2], "neither increasing nor decreasing"),
        ([[0, 1], [1, 2]], [0, 1], "x should be a 1d array"),
        ([0, 1], ["a", "b"], "y must hold numbers"),
    ],
)
def test_auc_of_what_is_no_curve(x, y, message):
    with pytest.raises(ValueError, match=message):
        sx.auc(x, y)


# --------------------------------------------------------------------------- arguments


def test_arguments_by_position():
    args = [0, 1, 1], [0.1, 0.9, 0.4]
    with pytest.warns(FutureWarning, match="Pass pos_label=0, sample_weight=.* as keyword args"):
        got = sx.confusion_matrix_at_thresholds(*args, 0, [1, 1, 2])
    equal(got, sx.confusion_matrix_at_thresholds(*args, pos_label=0, sample_weight=[1, 1, 2]))
    for more, named in (((0, None, 1), {}), ((0,), {"pos_label": 1})):
        with pytest.raises(TypeError, match="each once"):
            sx.confusion_matrix_at_thresholds(*args, *more, **named)


@pytest.mark.parametrize("name", DROPPING)
def test_drop_intermediate_is_a_switch(name):
    with pytest.raises(ValueError, match="drop_intermediate"):
        getattr(sx, name)([0, 1], [0.1, 0.2], drop_intermediate="no")

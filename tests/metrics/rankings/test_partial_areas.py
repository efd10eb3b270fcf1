"""Partial areas: exact, additive, and what scikit-learn's max_fpr is."""

from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

import skmetrics_ext as sx

from .cases import any_classes, any_rows, area_below, options, points

TRUE, SCORE = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.5, 0.4]
EIGHTHS = st.lists(st.integers(0, 8), min_size=2, max_size=2, unique=True).map(
    lambda pair: tuple(sorted(k / 8 for k in pair))
)


def test_by_hand():
    # Points (0, 1/3), (1/3, 1/3), (2/3, 2/3), (2/3, 1), (1, 1).
    half = sx.partial_roc_auc_score(TRUE, SCORE, fpr_range=(0, 1 / 3), standardize=False)
    assert half == pytest.approx(1 / 9, rel=1e-15)
    rest = sx.partial_roc_auc_score(TRUE, SCORE, fpr_range=(1 / 3, 1), standardize=False)
    assert rest == pytest.approx(1 / 6 + 1 / 3, rel=1e-15)
    # Right of the curve above TPR 2/3: 1 - 2/3 = 1/3 wide.
    top = sx.partial_roc_auc_score(TRUE, SCORE, tpr_range=(2 / 3, 1), standardize=False)
    assert top == pytest.approx(1 / 9, rel=1e-15)
    # McClish: chance 1/18, best 1/3.
    value = sx.partial_roc_auc_score(TRUE, SCORE, fpr_range=(0, 1 / 3))
    assert value == pytest.approx(float((1 + Fraction(1, 18) / Fraction(5, 18)) / 2), rel=1e-15)


@given(any_rows, EIGHTHS)
def test_either_axis_is_the_integral_of_its_curve(sample, span):
    low, high = map(Fraction, span)
    curve = points(sample)
    args = sample.true, sample.response
    got = sx.partial_roc_auc_score(*args, fpr_range=span, standardize=False, **options(sample))
    assert got == pytest.approx(float(area_below(curve, low, high)), rel=1e-12, abs=1e-15)
    got = sx.partial_roc_auc_score(*args, tpr_range=span, standardize=False, **options(sample))
    turned = [(tpr, fpr) for fpr, tpr in curve]
    right = (high - low) - area_below(turned, low, high)
    assert got == pytest.approx(float(right), rel=1e-12, abs=1e-15)


@given(any_rows, st.sampled_from(["fpr_range", "tpr_range"]), st.floats(0.01, 0.99))
def test_parts_add_up_to_the_whole(sample, axis, cut):
    args = sample.true, sample.response
    parts = [
        sx.partial_roc_auc_score(*args, **{axis: span}, standardize=False, **options(sample))
        for span in ((0, cut), (cut, 1), (0, 1))
    ]
    assert parts[0] + parts[1] == pytest.approx(parts[2], rel=1e-12)
    assert parts[2] == pytest.approx(sx.roc_auc_score(*args, **options(sample)), rel=1e-12)


@given(any_rows, st.floats(0.001, 1))
def test_from_0_it_is_max_fpr_and_scikit_learns(sample, high):
    args = sample.true, sample.response
    ours = sx.roc_auc_score(*args, max_fpr=high, **options(sample))
    theirs = sklearn.metrics.roc_auc_score(*args, max_fpr=high, **options(sample))
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-14)
    ranged = sx.partial_roc_auc_score(*args, fpr_range=(0, high), **options(sample))
    assert ranged == pytest.approx(ours, rel=1e-12, abs=1e-14)


@given(any_rows, EIGHTHS)
def test_chance_is_a_half_and_perfect_is_1(sample, span):
    for axis in ("fpr_range", "tpr_range"):
        constant = sx.partial_roc_auc_score(sample.true, np.zeros(len(sample)), **{axis: span})
        assert constant == pytest.approx(0.5, rel=1e-12)
        perfect = sx.partial_roc_auc_score(sample.true, sample.true, **{axis: span})
        assert perfect == pytest.approx(1, rel=1e-12)


@given(any_classes, EIGHTHS, st.sampled_from(["fpr_range", "tpr_range"]))
def test_multiclass_is_made_of_binary_problems(sample, span, axis):
    given_range, true, score = {axis: span}, sample.true, sample.response
    weight = options(sample).get("sample_weight")

    def alone(column, positive, rows):
        kept = None if weight is None else weight[rows]
        return sx.partial_roc_auc_score(
            (true[rows] == positive).astype(int),
            score[rows, column],
            sample_weight=kept,
            **given_range,
        )

    every = np.ones(len(true), dtype=bool)
    rest = [alone(k, k, every) for k in range(sample.n_classes)]
    call = {**given_range, **options(sample), "average": None}
    got = sx.partial_roc_auc_score(true, score, multi_class="ovr", **call)
    np.testing.assert_allclose(got, rest, rtol=1e-12)
    pairs = [
        (alone(i, i, np.isin(true, [i, j])) + alone(j, j, np.isin(true, [i, j]))) / 2
        for i in range(sample.n_classes)
        for j in range(i + 1, sample.n_classes)
    ]
    got = sx.partial_roc_auc_score(true, score, multi_class="ovo", **call)
    np.testing.assert_allclose(got, pairs, rtol=1e-12)
    if axis == "fpr_range" and span[0] == 0:
        both = sx.roc_auc_score(true, score, multi_class="ovr", max_fpr=span[1], **options(sample))
        assert both == pytest.approx(np.mean(rest), rel=1e-12)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"fpr_range": (0, 0.1), "tpr_range": (0.9, 1)},
        {"fpr_range": (0.1, 0.1)},
        {"fpr_range": (0.2, 0.1)},
        {"fpr_range": (-0.1, 0.1)},
        {"tpr_range": (0.5, 1.1)},
        {"tpr_range": 0.5},
        {"tpr_range": (0, float("nan"))},
        {"fpr_range": "ab"},
    ],
)
def test_ranges_that_are_none(arguments):
    with pytest.raises(ValueError, match="_range"):
        sx.partial_roc_auc_score(TRUE, SCORE, **arguments)


def test_one_class_alone_is_nan():
    from sklearn.exceptions import UndefinedMetricWarning

    for function, more in (
        (sx.partial_roc_auc_score, {"fpr_range": (0, 0.5)}),
        (sx.partial_roc_auc_score, {"tpr_range": (0, 0.5)}),
        (sx.roc_auc_convex_hull_score, {}),
    ):
        for true in ([0, 0], [1, 1]):
            with pytest.warns(UndefinedMetricWarning, match="Only one class"):
                assert np.isnan(function(true, [0.1, 0.2], labels=[0, 1], **more))

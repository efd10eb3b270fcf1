"""The three areas under the precision-recall curve."""

import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.exceptions import UndefinedMetricWarning

import skmetrics_ext as sx

from .cases import any_classes, any_rows, binary, multilabel, options, row_weights

AVERAGES = st.sampled_from(["macro", "weighted", "micro", "samples", None])


def counts(sample):
    """Exact (true, false) positives from none to all."""
    weight, found = row_weights(sample), [(Fraction(0), Fraction(0))]
    for threshold in np.unique(sample.response)[::-1]:
        above = sample.response >= threshold
        tp = sum(Fraction(float(w)) for w in weight[above & (sample.true == 1)])
        fp = sum(Fraction(float(w)) for w in weight[above & (sample.true == 0)])
        found.append((tp, fp))
    return found


@given(any_rows)
def test_average_precision_and_trapezoids_as_fractions(sample):
    cells = counts(sample)
    total = cells[-1][0]
    steps, lines, before = Fraction(0), Fraction(0), Fraction(1)
    for (t0, _), (t1, f1) in pairwise(cells):
        precision = t1 / (t1 + f1)
        steps += (t1 - t0) / total * precision
        lines += (t1 - t0) / total * (precision + before) / 2
        before = precision
    args = sample.true, sample.response
    got = sx.average_precision_score(*args, **options(sample))
    assert got == pytest.approx(float(steps), rel=1e-12)
    assert sx.pr_auc_score(*args, **options(sample)) == pytest.approx(float(lines), rel=1e-12)


@given(any_rows)
def test_davis_goadrich_is_the_integral_of_its_curve(sample):
    total, area = float(counts(sample)[-1][0]), 0.0
    for (t0, f0), (t1, f1) in pairwise(counts(sample)):
        if t1 == t0:
            continue
        t0, f0, slope = float(t0), float(f0), float((f1 - f0) / (t1 - t0))
        start = t0 if t0 + f0 else 1e-300  # precision is the same from 0 on

        def precision(t, t0=t0, f0=f0, slope=slope):
            return t / (t + f0 + slope * (t - t0))

        area += quad(precision, start, float(t1), epsabs=1e-13, epsrel=1e-12)[0]
    call = {"interpolation": "davis_goadrich", **options(sample)}
    assert sx.pr_auc_score(sample.true, sample.response, **call) == pytest.approx(
        area / total, rel=1e-9
    )


def test_davis_goadrich_by_hand():
    # From (1 right, 0 wrong) to (2, 2): t / (3 t - 2) between 1 and 2.
    true, score = [0, 1, 1, 0], [0, 1, 0, 0]
    exact = (1 + (1 + 2 / 3 * np.log(4)) / 3) / 2
    got = sx.pr_auc_score(true, score, interpolation="davis_goadrich")
    assert got == pytest.approx(exact, rel=1e-15)
    # At whole true positives: (1, 1), then (2, 1/2).
    got = sx.pr_auc_score(true, score, interpolation="davis_goadrich_unit")
    assert got == pytest.approx((1 + 3 / 4) / 2, rel=1e-15)
    # Three rows of the class tied with three others: 1, 2, 3 right of 2, 4, 6.
    got = sx.pr_auc_score([1, 1, 1, 0, 0, 0], [1] * 6, interpolation="davis_goadrich_unit")
    assert got == 0.5


def test_unit_steps_are_of_rows():
    true, score, weight = [0, 1, 1, 0, 1], [1, 2, 1, 1, 0], [2, 1, 3, 1, 2]
    repeated = [np.repeat(column, weight) for column in (true, score)]
    call = {"interpolation": "davis_goadrich_unit"}
    got = sx.pr_auc_score(true, score, sample_weight=weight, **call)
    assert got == pytest.approx(sx.pr_auc_score(*repeated, **call), rel=1e-14)
    with pytest.raises(ValueError, match="integers"):
        sx.pr_auc_score(true, score, sample_weight=[0.5] * 5, **call)


@given(binary)
def test_the_exact_area_is_the_limit_of_unit_steps(sample):
    call = {"interpolation": "davis_goadrich_unit"}
    many = np.full(len(sample), 20000)
    fine = sx.pr_auc_score(sample.true, sample.response, sample_weight=many, **call)
    exact = sx.pr_auc_score(sample.true, sample.response, interpolation="davis_goadrich")
    assert fine == pytest.approx(exact, abs=1e-4)


@given(multilabel, AVERAGES)
def test_multilabel_average_precision_is_scikit_learns(sample, average):
    args = sample.true, sample.response
    ours = _quiet(sx.average_precision_score, *args, average=average)
    theirs = _quiet(sklearn.metrics.average_precision_score, *args, average=average)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@given(any_classes, AVERAGES)
def test_multiclass_average_precision_is_scikit_learns(sample, average):
    args = sample.true, sample.response
    ours = sx.average_precision_score(*args, average=average, **options(sample))
    theirs = sklearn.metrics.average_precision_score(*args, average=average, **options(sample))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def _quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **kwargs)


def test_without_a_positive_row():
    with pytest.warns(UserWarning, match="No positive class found"):
        assert sx.average_precision_score([0, 0], [0.1, 0.2]) == 0.0
    for interpolation in ("trapezoid", "davis_goadrich", "davis_goadrich_unit"):
        with pytest.warns(UndefinedMetricWarning, match="no row is of the class"):
            got = sx.pr_auc_score([0, 0], [0.1, 0.2], interpolation=interpolation)
        assert np.isnan(got)
    score = [[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.4, 0.3, 0.3]]
    with pytest.warns(UserWarning, match="No positive class found"):
        got = sx.average_precision_score(
            ["a", "b", "a"], score, labels=["a", "b", "c"], average=None
        )
    assert got.tolist() == [1.0, 1.0, 0.0]


@pytest.mark.filterwarnings("ignore:No positive class found")
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
def test_a_class_without_weight(average):
    """As scikit-learn has it, and as rows that are not there."""
    true, weight = np.array([0, 1, 2, 0, 1, 2]), np.array([1.0, 2.0, 0.0, 1.0, 1.0, 0.0])
    score = np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    got = sx.average_precision_score(true, score, average=average, sample_weight=weight)
    options = {"average": average, "sample_weight": weight}
    np.testing.assert_allclose(got, sklearn.metrics.average_precision_score(true, score, **options))
    kept = weight > 0
    options["sample_weight"] = weight[kept]
    absent = sx.average_precision_score(true[kept], score[kept], labels=[0, 1, 2], **options)
    np.testing.assert_array_equal(got, absent)


def test_the_positive_class():
    text, score = ["ill", "well", "ill"], [0.9, 0.2, 0.1]
    with pytest.raises(ValueError, match=r"pos_label=1 is not a valid label"):
        sx.average_precision_score(text, score)
    expected = pytest.approx(5 / 6, rel=1e-15)
    assert sx.average_precision_score(text, score, pos_label="ill") == expected
    assert sx.average_precision_score(text, score, labels=["well", "ill"]) == expected
    both = np.column_stack([score, 1 - np.array(score)])
    assert sx.average_precision_score(text, both, pos_label="ill") == expected
    assert sx.average_precision_score(text, both[:, ::-1], labels=["well", "ill"]) == expected
    with pytest.raises(ValueError, match="pos_label is fixed to 1 for multiclass"):
        sx.average_precision_score([0, 1, 2], np.eye(3), pos_label=2)
    with pytest.raises(ValueError, match="interpolation"):
        sx.pr_auc_score([0, 1], [0.1, 0.2], interpolation="linear")

"""Net benefit and decision curves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from sklearn.exceptions import UndefinedMetricWarning

from skmetrics_ext import get_scorer, net_benefit, net_benefit_curve

from .rankings import rankings

Y, P = np.array([0, 0, 1, 1, 0]), np.array([0.1, 0.6, 0.4, 0.8, 0.4])


def by_rows(y, p, threshold, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    treated = p >= threshold
    good, harm = weight[treated & (y == 1)].sum(), weight[treated & (y == 0)].sum()
    return (good - harm * threshold / (1 - threshold)) / weight.sum()


def test_by_hand():
    # Treated from 0.4 on: 2 of 2 positives, 2 of 3 negatives; odds of 0.25 are 1/3.
    assert net_benefit(Y, P, threshold=0.4) == pytest.approx((2 - 2 * 2 / 3) / 5, rel=1e-15)
    assert net_benefit(Y, P, threshold=0.25) == pytest.approx((2 - 2 / 3) / 5, rel=1e-15)
    assert net_benefit(Y, P, threshold=0.9) == 0.0
    assert net_benefit(Y, P, threshold=0.0) == 2 / 5  # harm counts nothing


@given(
    rankings(weighted=True),
    nps.arrays(np.float64, 4, elements=st.sampled_from([0.0, 0.125, 0.25, 0.3, 0.5, 0.875, 0.99])),
)
def test_every_threshold_is_counted(ranking, thresholds):
    y, score, weight = ranking
    p = (score + 1) / 2  # in [0, 1], and equal to some thresholds
    curve = net_benefit_curve(y, p, thresholds=thresholds, sample_weight=weight)
    expected = [by_rows(y, p, t, weight) for t in thresholds]
    np.testing.assert_allclose(curve.net_benefit, expected, rtol=1e-12, atol=1e-13)
    single = [net_benefit(y, p, threshold=t, sample_weight=weight) for t in thresholds]
    np.testing.assert_array_equal(single, curve.net_benefit)
    everyone = [by_rows(y, np.ones(len(y)), t, weight) for t in thresholds]
    np.testing.assert_allclose(curve.treat_all, everyone, rtol=1e-12, atol=1e-13)
    assert curve.prevalence == pytest.approx(weight[y == 1].sum() / weight.sum(), rel=1e-15)


@given(rankings(), st.integers(1, 5), st.integers(1, 5))
def test_another_prevalence_is_another_weight_of_the_classes(ranking, of_positive, of_negative):
    y, score, _ = ranking
    p = (score + 1) / 2
    weight = np.where(y == 1, of_positive, of_negative)
    share = weight[y == 1].sum() / weight.sum()
    for threshold in (0.2, 0.5):
        weighted = net_benefit(y, p, threshold=threshold, sample_weight=weight)
        got = net_benefit(y, p, threshold=threshold, prevalence=share)
        assert got == pytest.approx(weighted, rel=1e-9, abs=1e-12)
    curve = net_benefit_curve(y, p, thresholds=[0.2], prevalence=share)
    expected = net_benefit_curve(y, p, thresholds=[0.2], sample_weight=weight)
    np.testing.assert_allclose(curve.treat_all, expected.treat_all, rtol=1e-9, atol=1e-12)


def test_the_default_grid_and_interventions_avoided():
    curve = net_benefit_curve(Y, P)
    thresholds, benefit, treat_all = curve
    np.testing.assert_array_equal(thresholds, np.arange(1, 100) / 100)
    at = 39  # 0.4: one negative is spared, of five rows
    assert curve.interventions_avoided[at] == pytest.approx(1 / 5, rel=1e-12)
    assert benefit[at] - treat_all[at] == pytest.approx(1 / 5 * 2 / 3, rel=1e-12)


def test_several_classes_and_the_positive_one():
    proba = np.array([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]])
    y = np.array(["a", "b", "b"])
    each = net_benefit(y, proba, threshold=0.25, labels=["a", "b", "c"], average=None)
    expected = [by_rows((y == name).astype(int), proba[:, k], 0.25) for k, name in enumerate("abc")]
    np.testing.assert_allclose(each, expected, rtol=1e-14)
    both = np.column_stack([P, 1 - P])
    assert net_benefit(Y, both, threshold=0.4, labels=[1, 0], pos_label=1) == pytest.approx(
        net_benefit(Y, P, threshold=0.4), rel=1e-15
    )


def test_one_class():
    assert net_benefit([0, 0], [0.1, 0.9], threshold=0.5, labels=[0, 1]) == -0.5
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(
            net_benefit([0, 0], [0.1, 0.9], threshold=0.5, labels=[0, 1], prevalence=0.1)
        )


@pytest.mark.parametrize("scores", [[-0.5, 0.5], [0.5, 1.01], [0, 7]])
def test_scores_that_are_no_probabilities(scores):
    with pytest.raises(ValueError, match="y_score must hold probabilities"):
        net_benefit([0, 1], scores, threshold=0.5)


@pytest.mark.parametrize("scores", [[-1e-8, 0.5], [0.3, 1 + 1e-8]])
def test_probabilities_may_leave_their_range_by_rounding(scores):
    assert net_benefit([0, 1], scores, threshold=0.4) == 0.5


@pytest.mark.parametrize("threshold", [1.0, -0.1, float("nan"), "x", [0.1, 0.2]])
def test_thresholds_refused(threshold):
    with pytest.raises(ValueError, match="threshold "):
        net_benefit(Y, P, threshold=threshold)


@pytest.mark.parametrize("thresholds", [[1.0], [], 0.5, [[0.1]], ["x"]])
def test_grids_refused(thresholds):
    with pytest.raises(ValueError, match="thresholds "):
        net_benefit_curve(Y, P, thresholds=thresholds)


def test_curves_are_of_one_class():
    with pytest.raises(ValueError, match="needs binary labels"):
        net_benefit_curve([0, 1, 2], np.eye(3))


def test_the_scorer_reads_probabilities():
    class Model:
        classes_ = np.array([0, 1])

        def decision_function(self, X):
            raise AssertionError("a threshold is a probability")

        def predict_proba(self, X):
            return np.column_stack([1 - P, P])

    scorer = get_scorer("net_benefit_at_20")
    assert scorer(Model(), None, Y) == pytest.approx(by_rows(Y, P, 0.2), rel=1e-15)
    of_negatives = get_scorer("net_benefit_at_50", pos_label=0)
    assert of_negatives(Model(), None, Y) == pytest.approx(by_rows(1 - Y, 1 - P, 0.5), rel=1e-15)


@pytest.mark.parametrize("prevalence", [None, 0.25])
def test_standardized_it_is_a_share_of_the_greatest(prevalence):
    share = 2 / 5 if prevalence is None else prevalence
    options = {"threshold": 0.4, "prevalence": prevalence}
    plain = net_benefit(Y, P, **options)
    assert net_benefit(Y, P, standardized=True, **options) == pytest.approx(plain / share)
    assert net_benefit(Y, Y, standardized=True, **options) == pytest.approx(1)
    # 2 of 2 positives, 2 of 3 negatives at odds of 2 / 3.
    by_hand = 1 - (1 - share) / share * 2 / 3 * 2 / 3
    assert net_benefit(Y, P, standardized=True, **options) == pytest.approx(by_hand)


def test_a_standardized_curve():
    plain, found = (
        net_benefit_curve(Y, P, thresholds=[0.2, 0.4], standardized=standardized)
        for standardized in (False, True)
    )
    np.testing.assert_allclose(found.net_benefit, plain.net_benefit / 0.4)
    np.testing.assert_allclose(found.treat_all, plain.treat_all / 0.4)
    np.testing.assert_allclose(found.interventions_avoided, plain.interventions_avoided)
    assert (found.prevalence, found.standardized) == (plain.prevalence, True)
    with pytest.raises(ValueError, match="standardized has to be one of"):
        net_benefit_curve(Y, P, standardized="yes")


def test_treating_all_counts_every_negative_row():
    """A quarter of the rows is positive: 1/4 - 3/4 t / (1 - t)."""
    true, proba = [0] * 6 + [1] * 2, [0.1, 0.2, 0.3, 0.35, 0.5, 0.6, 0.4, 0.9]
    curve = net_benefit_curve(true, proba, thresholds=[0.2, 0.5])
    np.testing.assert_allclose(curve.treat_all, [1 / 4 - 3 / 16, 1 / 4 - 3 / 4], rtol=1e-15)

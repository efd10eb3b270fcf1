"""What is linear in shares of rows: bounds from those of each share, by hand."""

import numpy as np
import pytest

from skmetrics_ext import (
    balanced_accuracy_score,
    compare_samples,
    confidence_interval,
    false_negative_rate,
    net_benefit,
    proportion_interval,
)
from skmetrics_ext.metrics.rankings.net_benefit import benefit, benefit_slope
from skmetrics_ext.numeric import wilson
from skmetrics_ext.tallies import ConfusionTally, RankTally

TABLE = [[27, 3], [4, 8]]


def rows_of(table):
    table = np.asarray(table)
    cells = np.repeat(np.arange(table.size), table.ravel())
    return np.divmod(cells, len(table))


def jeffreys(count, rows):
    found = proportion_interval(count, rows, method="jeffreys")
    return found.value, found.value - found.low, found.high - found.value


def squares_added(*shares):
    """Mean of shares with its bounds, by the formula of Zou & Donner."""
    values, down, up = np.array([jeffreys(*one) for one in shares]).T
    n, mean = len(shares), values.mean()
    return mean, mean - np.hypot.reduce(down) / n, mean + np.hypot.reduce(up) / n


def wilsons(*shares):
    """Of the mean, as a share of as many rows as have its variance."""
    values, rows = np.array([(count / n, n) for count, n in shares]).T
    mean = values.mean()
    worth = mean * (1 - mean) * len(shares) ** 2 / (values * (1 - values) / rows).sum()
    return tuple(map(float, wilson(mean * worth, worth, 0.95)))


def mover(*shares):
    mean, low, high = squares_added(*shares)
    if mean > 0.5:
        return mean, low, max(high, wilsons(*shares)[1])
    return mean, min(low, wilsons(*shares)[0]), high


OF_TRUE, OF_PRED = ((27, 30), (8, 12)), ((27, 31), (8, 11))


@pytest.mark.parametrize(
    ("metric", "params", "shares", "start", "width"),
    [
        ("balanced_accuracy", {}, OF_TRUE, 0, 1),
        (balanced_accuracy_score, {"adjusted": True}, OF_TRUE, -1, 2),
        ("recall_macro", {}, OF_TRUE, 0, 1),
        ("specificity_macro", {}, OF_TRUE, 0, 1),
        (false_negative_rate, {"average": "macro"}, ((3, 30), (4, 12)), 0, 1),
        ("youden_j", {}, OF_TRUE, -1, 2),
        ("youden_j_macro", {}, OF_TRUE, -1, 2),
        ("youden_j_weighted", {}, OF_TRUE, -1, 2),
        ("precision_macro", {}, OF_PRED, 0, 1),
        ("markedness", {}, OF_PRED, -1, 2),
    ],
)
def test_of_two_classes_it_is_the_mean_of_both(metric, params, shares, start, width):
    found = confidence_interval(metric, *rows_of(TABLE), **params)
    expected = start + width * np.array(mover(*shares))
    assert found.method == "mover"
    assert (found.value, found.low, found.high) == pytest.approx(expected, rel=1e-9)
    tally = ConfusionTally(np.arange(2), np.array(TABLE))
    assert confidence_interval(metric, tally, **params) == found


def test_beside_the_nearer_end_it_is_wilsons_of_the_mean():
    """A class has no error, so that nothing is above its share."""
    table = np.array([[27, 3, 0], [0, 29, 1], [0, 0, 30]])
    found = confidence_interval("recall_macro", *rows_of(table))
    shares = (27, 30), (29, 30), (30, 30)
    mean, low, high = squares_added(*shares)
    assert (found.value, found.low) == pytest.approx((mean, low))
    assert high < found.high == pytest.approx(wilsons(*shares)[1])
    turned = confidence_interval(false_negative_rate, *rows_of(table), average="macro")
    assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low))


def test_each_class_against_the_rest_has_shares_of_its_own():
    table = [[9, 1, 2], [0, 8, 2], [3, 1, 14]]
    found = confidence_interval("youden_j", *rows_of(table), average=None)
    for one, (tp, fp, fn) in zip(found, [(9, 3, 3), (8, 2, 2), (14, 4, 4)], strict=True):
        expected = mover((tp, tp + fn), (40 - tp - fp - fn, 40 - tp - fn))
        assert (one.low, one.high) == pytest.approx(2 * np.array(expected[1:]) - 1)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_class_that_is_asked_for_and_has_no_row_counts_as_what_0_by_0_is():
    table = [[9, 1, 2], [0, 8, 2], [3, 1, 14]]
    ours = {"labels": [0, 1], "zero_division": 0}
    two = confidence_interval("recall_macro", *rows_of(table), **ours)
    three = confidence_interval("recall_macro", *rows_of(table), **{**ours, "labels": [0, 1, 7]})
    assert (two.low, two.high) == pytest.approx(mover((9, 12), (8, 10))[1:])
    assert (three.low, three.high) == pytest.approx((two.low * 2 / 3, two.high * 2 / 3))


def test_where_rows_count_twice_or_depend_on_each_other_there_is_none():
    table = [[9, 1, 2], [0, 8, 2], [3, 1, 14]]
    for metric in ("specificity_macro", "youden_j_macro"):
        assert confidence_interval(metric, *rows_of(table)).method == "effective_n", metric
    # The recall weighted by the rows of each class is the accuracy, a share.
    assert confidence_interval("recall_weighted", *rows_of(table)).method == "wilson"
    groups = np.arange(40) // 2
    assert (
        confidence_interval("recall_macro", *rows_of(table), groups=groups).method == "effective_n"
    )


def test_weighted_rows_are_as_many_as_equal_ones_that_tell_as_much():
    true, pred = rows_of(TABLE)
    weight = np.where(true == 1, np.arange(42) % 2 + 1.0, 1.0)
    found = confidence_interval("balanced_accuracy", true, pred, sample_weight=weight)
    of_class = weight[true == 1]
    rows = of_class.sum() ** 2 / (of_class**2).sum()
    share = of_class[pred[true == 1] == 1].sum() / of_class.sum()
    expected = mover((27, 30), (share * rows, rows))
    assert (found.low, found.high) == pytest.approx(expected[1:])


def test_two_samples_add_the_squares_of_all_shares():
    first, second = rows_of(TABLE), rows_of([[40, 10], [2, 18]])
    found = compare_samples("balanced_accuracy", *first, *second)
    (value_a, *a), (value_b, *b) = mover(*OF_TRUE), mover((40, 50), (18, 20))
    down, up = np.hypot(value_a - a[0], b[1] - value_b), np.hypot(a[1] - value_a, value_b - b[0])
    assert found.method == "mover"
    assert found.difference - found.low == pytest.approx(down)
    assert found.high - found.difference == pytest.approx(up)


def treated(n_true, n_false, n_pos=20, n_neg=30):
    true = np.repeat([1, 0], [n_pos, n_neg])
    ranks = np.concatenate([np.arange(n_pos), np.arange(n_neg)])
    return true, np.where(ranks < np.repeat([n_true, n_false], [n_pos, n_neg]), 0.9, 0.1)


def test_net_benefit_is_linear_in_shares_of_the_same_rows():
    found = confidence_interval(net_benefit, *treated(9, 5), threshold=0.4)
    (p, *of_true), (q, *of_false) = jeffreys(9, 50), jeffreys(5, 50)
    odds = 0.4 / 0.6
    together = -np.sqrt(p * q / ((1 - p) * (1 - q)))
    away = [
        np.sqrt(one**2 + (odds * other) ** 2 - 2 * together * one * odds * other)
        for one, other in zip(of_true, of_false[::-1], strict=True)
    ]
    assert found.method == "mover"
    assert found.value == pytest.approx(p - odds * q)
    assert (found.value - found.low, found.high - found.value) == pytest.approx(away)


def test_net_benefit_at_a_prevalence_is_linear_in_shares_of_both_classes():
    about = {"threshold": 0.4, "prevalence": 0.1}
    found = confidence_interval(net_benefit, *treated(9, 5), **about)
    (p, *of_true), (q, *of_false) = jeffreys(9, 20), jeffreys(5, 30)
    other = 0.9 * 0.4 / 0.6
    away = np.hypot(0.1 * np.array(of_true), other * np.array(of_false[::-1]))
    assert found.value == pytest.approx(0.1 * p - other * q)
    assert (found.value - found.low, found.high - found.value) == pytest.approx(away)


def test_net_benefit_has_a_width_where_no_row_is_treated_or_all_are():
    for counts in ((0, 0), (20, 30), (0, 30)):
        found = confidence_interval(net_benefit, *treated(*counts), threshold=0.95)
        assert found.low < found.value <= found.high
        assert found.low < found.high


def test_weighted_rows_of_a_net_benefit_have_a_scale():
    rows = treated(9, 5)
    weight = np.arange(50) % 3 + 1.0
    found, scaled = (
        confidence_interval(net_benefit, *rows, threshold=0.4, sample_weight=factor * weight)
        for factor in (1, 7)
    )
    plain = confidence_interval(net_benefit, *rows, threshold=0.4)
    assert (found.low, found.high) == pytest.approx((scaled.low, scaled.high))
    assert found.high - found.low > plain.high - plain.low


@pytest.mark.parametrize("params", [(None, False), (0.1, False), (None, True), (0.1, True)])
def test_contributions_to_a_net_benefit_are_its_derivatives(params):
    true, score = treated(9, 5)
    tally = RankTally.from_scores(score, true, 2, None)
    found = benefit_slope(tally, 0.4, *params)
    for cell in np.ndindex(found.shape):
        step = np.zeros(found.shape)
        step[cell] = 1e-5
        values = [
            benefit(RankTally(tally.thresholds, tally.mass + s * step), 0.4, *params)
            for s in (1, -1)
        ]
        assert found[cell] == pytest.approx((values[0] - values[1]) / 2e-5, abs=1e-8)


def test_the_interval_of_a_standardized_net_benefit():
    """At a prevalence it is that of the net benefit, divided; else of a ratio, by hand."""
    rows = treated(9, 5)
    about = {"threshold": 0.4, "prevalence": 0.1}
    plain = confidence_interval(net_benefit, *rows, **about)
    found = confidence_interval(net_benefit, *rows, standardized=True, **about)
    assert list(found) == pytest.approx([10 * end for end in plain])
    # (9 - 5 * 2 / 3) / 20: what 9 + 11 positives and 5 negatives contribute, by class.
    found = confidence_interval(net_benefit, *rows, threshold=0.4, standardized=True)
    value = (9 - 5 * 2 / 3) / 20
    squares = (9 * (1 - value) ** 2 + 11 * value**2) * 20 / 19, 5 * (2 / 3) ** 2 * 30 / 29
    assert found.value == pytest.approx(value)
    assert found.standard_error == pytest.approx(np.sqrt(sum(squares)) / 20, rel=1e-9)


@pytest.mark.parametrize("hits", [(11, 22), (9, 18), (16, 32), (4, 8), (12, 18)])
def test_bounds_on_the_side_of_the_nearer_end_are_at_least_wilsons(hits):
    """Of 20 positive rows and 40 negative ones: the mean of both rates is near 1/2, or far."""
    true = np.repeat([1, 0], [20, 40])
    pred = np.append(np.arange(20) < hits[0], np.arange(40) >= hits[1]).astype(int)
    found = confidence_interval("youden_j", true, pred)
    expected = mover((hits[0], 20), (hits[1], 40))
    assert found.method == "mover"
    bounds = [2 * bound - 1 for bound in expected]
    assert (found.value, found.low, found.high) == pytest.approx(bounds)


@pytest.mark.parametrize("graded", [(), (0,), (0, 1, 2)])
def test_an_average_jumps_if_the_scores_of_any_class_are_grades(graded):
    """A rate that is read in a block of ties has no derivative, nor has a mean with it."""
    true = np.arange(240) % 3
    score = np.random.default_rng(0).normal(size=(240, 3)) + 1.2 * np.eye(3)[true]
    for column in graded:
        score[:, column] = np.round(score[:, column] / 1.5)
    found = confidence_interval(
        "sensitivity_at_specificity", true, score, specificity=0.8, average="macro", n_resamples=99
    )
    assert ("jumps where a grade crosses the target" in found.note) == bool(graded)
    assert (found.method == "logit") == (not graded)

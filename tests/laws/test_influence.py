"""Laws of influence values: they are derivatives by the weights, and errors follow from them."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.exceptions import UndefinedMetricWarning

from skmetrics_ext import (
    METRICS,
    confidence_interval,
    get_scorer_names,
    influence_values,
    partial_roc_auc_score,
)
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.registry import find
from skmetrics_ext.validation import InvalidParameterError

RNG = np.random.default_rng(11)
N = 70
WEIGHT = RNG.random(N) + 0.5
METHODS = ("delta", "delong", "normal", "wilson", "effective_n")


def data_of(n_classes, response):
    true = RNG.permutation(np.arange(N) % n_classes)
    if response == "labels":
        return true, np.where(RNG.random(N) < 0.6, true, RNG.integers(0, n_classes, N))
    score = np.round(RNG.normal(size=(N, n_classes)) + 1.2 * np.eye(n_classes)[true], 2)
    if response == "probabilities":
        score = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return true, score if n_classes > 2 else score[:, 1]


DATA = {
    (n_classes, response): data_of(n_classes, response)
    for n_classes in (2, 3)
    for response in ("labels", "scores", "probabilities")
}


def cases():
    """Every scorer that has influence values of two classes, and of three."""
    for name in get_scorer_names():
        spec = find(name).spec
        for n_classes in (2, 3):
            try:
                influence_values(name, *DATA[n_classes, spec.response])
            except (ValueError, UndefinedMetricWarning):
                continue
            yield pytest.param(name, n_classes, id=f"{name}-{n_classes}")


CASES = list(cases())


def needs_densities(name):
    """Whether it is read where a rate is reached: a step of one row is no guide to its slope."""
    spec = find(name).spec
    return spec.ranges is not None and spec.ranges.kind == "places" and not spec.shares


SMOOTH = [case for case in CASES if not needs_densities(case.values[0])]
BY_DENSITIES = sorted({case.values[0] for case in CASES if needs_densities(case.values[0])})


def value_of(name, true, response, weight):
    found = find(name)
    if "pos_label" in found.options and found.sides == "one":
        found = found.settled([0, 1])
    return np.asarray(found.function(true, response, sample_weight=weight, **found.params))


def test_most_scorers_have_influence_values():
    named = {find(case.values[0]).spec.name for case in CASES}
    left_out = {
        name
        for name, row in METRICS.items()
        if row.scorer is not None
        and not row.ranks_labels
        and name not in named
        and set(row.scorers) & set(get_scorer_names())  # statistics of the table are not listed
    }
    no_slope = {name for name, row in METRICS.items() if row.tally == "ranks" and not row.slope}
    assert left_out == no_slope
    assert len(no_slope) < len(named) / 4


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "n_classes"), SMOOTH)
def test_they_are_derivatives_by_the_weights(name, n_classes):
    true, response = DATA[n_classes, find(name).spec.response]
    spec = find(name).spec
    weight = np.ones(N, dtype=np.int64) if spec.weights_are_counts else WEIGHT
    found = influence_values(name, true, response, sample_weight=weight)
    # Where a row more is not as good as one that weighs more, all of them are needed.
    rows, step = np.arange(N) if spec.weights_are_counts else RNG.permutation(N)[:8], 1e-5
    slopes = []
    for row in rows:
        move = np.zeros(N)
        move[row] = step
        up, down = (value_of(name, true, response, weight + s * move) for s in (1, -1))
        slopes.append(weight[row] * N * (up - down) / (2 * step))
    if spec.weights_are_counts:
        slopes -= np.mean(slopes, axis=0)
    scale = max(np.abs(found).max(), 1)
    np.testing.assert_allclose(found[rows], slopes, rtol=1e-5, atol=1e-6 * scale)


@pytest.mark.parametrize(
    "options",
    [
        {"fpr_range": (0.2, 0.6)},
        {"tpr_range": (0.3, 0.9)},
        {"fpr_range": (0.2, 0.6), "standardize": False},
        {"tpr_range": (0.3, 0.9), "standardize": False},
    ],
)
def test_those_of_an_area_between_two_rates_are_derivatives(options):
    (true, score), step = DATA[2, "scores"], 1e-5
    area = partial_roc_auc_score
    found = influence_values(area, true, score, sample_weight=WEIGHT, **options)
    for row in range(0, N, 9):
        move = np.zeros(N)
        move[row] = step
        up, down = (
            area(true, score, sample_weight=WEIGHT + sign * move, **options) for sign in (1, -1)
        )
        slope = WEIGHT[row] * N * (up - down) / (2 * step)
        assert found[row] == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", BY_DENSITIES)
def test_they_predict_what_a_change_of_weights_does(name):
    """A smooth one, of rows without noise: quantiles of two normal distributions."""
    true = np.repeat([False, True], [20_000, 10_000])
    score = np.concatenate([norm.ppf((np.arange(n) + 0.5) / n) for n in (20_000, 10_000)])
    score[true] += 1.3
    found = influence_values(name, true, score)
    predicted, changed = [], []
    for side in (False, True):
        for share in (np.ones(len(true)), 1 / (1 + np.exp(-score))):
            move = 0.1 * share * (true == side)
            up, down = (value_of(name, true, score, 1 + sign * move) for sign in (1, -1))
            predicted.append(np.mean(found * move))
            changed.append((up - down) / 2)
    np.testing.assert_allclose(predicted, changed, rtol=0, atol=0.05 * np.abs(changed).max())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_they_sum_to_0_and_the_unit_of_weights_does_not_count(name, n_classes):
    spec = find(name).spec
    true, response = DATA[n_classes, spec.response]
    found = influence_values(name, true, response)
    assert np.abs(found.mean(axis=0)).max() <= 1e-12 * np.abs(found).max()
    if spec.weights_are_counts:
        return
    weighed = influence_values(name, true, response, sample_weight=WEIGHT)
    scaled = influence_values(name, true, response, sample_weight=WEIGHT * 2.0**30)
    np.testing.assert_allclose(scaled, weighed, rtol=1e-9, atol=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_order_of_rows_and_rows_of_no_weight(name, n_classes):
    spec = find(name).spec
    true, response = DATA[n_classes, spec.response]
    found = influence_values(name, true, response)
    order = RNG.permutation(N)
    moved = influence_values(name, true[order], response[order])
    np.testing.assert_allclose(moved, found[order], rtol=1e-9, atol=1e-12)
    kept = np.arange(N) >= 5
    weighed = influence_values(name, true, response, sample_weight=kept.astype(int))
    alone = influence_values(name, true[kept], response[kept])
    assert not weighed[~kept].any()
    np.testing.assert_allclose(weighed[kept], alone * N / (N - 5), rtol=1e-9, atol=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_standard_errors_are_made_of_them(name, n_classes):
    """Rows, and the sums of groups, but for degrees of freedom of classes of 23 rows or more."""
    true, response = DATA[n_classes, find(name).spec.response]
    values = influence_values(name, true, response).reshape(N, -1)
    groups = np.arange(N) // 2
    sums = np.add.reduceat(values, np.arange(0, N, 2))
    methods = methods_of(linearize(sample_of_rows(name, true, response)))
    by_influence = [method for method in METHODS if method in methods]
    for given, parts in ((None, values), (groups, sums)):
        found = confidence_interval(name, true, response, groups=given, method=by_influence[0])
        listed = found if isinstance(found, list) else [found]
        for one, own in zip(listed, parts.T, strict=True):
            assert one.standard_error == pytest.approx(np.sqrt((own**2).sum()) / N, rel=0.06)


def test_equal_to_closed_forms():
    true, pred = DATA[2, "labels"]
    right = true == pred
    np.testing.assert_allclose(influence_values("accuracy", true, pred), right - right.mean())
    hits = pred[true == 1] == 1
    found = influence_values("recall", true, pred)
    np.testing.assert_allclose(found[true == 1], (hits - hits.mean()) * N / len(hits), atol=1e-12)
    np.testing.assert_allclose(found[true == 0], 0, atol=1e-12)
    score = DATA[2, "scores"][1]
    below = np.array([((score[true == 0] < s) + (score[true == 0] == s) / 2).mean() for s in score])
    found = influence_values("roc_auc", true, score)
    area = below[true == 1].mean()
    np.testing.assert_allclose(found[true == 1], (below[true == 1] - area) * N / len(hits))


def test_a_column_for_each_class():
    true, score = DATA[3, "scores"]
    found = influence_values("average_precision", true, score, average=None)
    for k in range(3):
        alone = influence_values("average_precision", (true == k) * 1, score[:, k])
        np.testing.assert_allclose(found[:, k], alone, atol=1e-14)


@pytest.mark.parametrize("metric", ["ks_statistic", "h_measure", lambda t, p: 0.5])
def test_what_has_none_is_refused(metric):
    with pytest.raises(InvalidParameterError, match="metric"):
        influence_values(metric, *DATA[2, "scores"])

"""What an interval of grouped rows says of its groups."""

import numpy as np
import pytest
from scipy.stats import t

from skmetrics_ext import compare, confidence_interval
from tests.support.many_models import all_differences

RNG = np.random.default_rng(7)
N = 240
Y = (RNG.random(N) < 0.4).astype(int)
SCORE = Y + 1.2 * RNG.normal(size=N)
PRED = (SCORE > 0.5).astype(int)
PROBA = 1 / (1 + np.exp(-SCORE))
METRICS = {
    "accuracy": PRED,
    "recall": PRED,
    "f1": PRED,
    "matthews_corrcoef": PRED,
    "roc_auc": SCORE,
    "average_precision": SCORE,
    "log_loss": PROBA,
    "top_k_accuracy": SCORE,
}


def interval(name, true, response, **options):
    if name == "top_k_accuracy":
        options["k"] = 1
    return confidence_interval(name, true, response, **options)


@pytest.mark.parametrize("name", METRICS)
def test_the_design_effect_is_the_share_of_the_variances(name):
    response = METRICS[name]
    alone = interval(name, Y, response, groups=np.arange(N))
    assert (alone.n_groups, alone.design_effect) == (N, pytest.approx(1, rel=1e-9))
    copies = np.repeat(np.arange(N), 3)
    thrice = interval(name, Y[copies], response[copies], groups=copies)
    assert (thrice.n_groups, thrice.design_effect) == (N, pytest.approx(3, rel=0.02))
    assert f" of {N} groups, design effect {thrice.design_effect:.3g}" in str(thrice)
    independent = interval(name, Y[copies], response[copies])
    assert (independent.n_groups, "group" in str(independent)) == (None, False)
    errors = thrice.standard_error, independent.standard_error
    assert (errors[0] / errors[1]) ** 2 == pytest.approx(3, rel=0.02)


def test_each_class_has_its_design_effect():
    copies = np.repeat(np.arange(N), 2)
    found = confidence_interval("recall", Y[copies], PRED[copies], groups=copies, average=None)
    assert [one.n_groups for one in found] == [N, N]
    assert [one.design_effect for one in found] == pytest.approx([2, 2], rel=0.02)


def test_a_resampled_metric_tells_groups_alone():
    found = confidence_interval(
        "ks_statistic", Y, SCORE, groups=np.arange(N) // 4, n_resamples=99, random_state=0
    )
    assert np.isnan(found.design_effect)
    assert " of 60 groups" in str(found)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "f1_macro",
            "based on the equivalent of 3 independent groups with rows of the smallest class",
        ),
        (
            "average_precision",
            "based on the equivalent of 3 independent groups with rows of the smallest class",
        ),
        ("recall", "based on the equivalent of 3 independent groups"),
        (
            "roc_auc",
            "based on the equivalent of 3 independent groups with rows of the smallest class",
        ),
        (
            "balanced_accuracy",
            "based on the equivalent of 3 independent groups with rows of the smallest class",
        ),
    ],
)
def test_notes_count_groups_that_hold_the_class(name, told):
    """Thirty rows are positive, of three patients among sixty."""
    group = np.arange(600) // 10
    true = (group < 3).astype(int)
    rng = np.random.default_rng(0)
    score = 2 * true + rng.normal(size=600) + rng.normal(size=60)[group]
    response = score if name in ("roc_auc", "average_precision") else (score > 1).astype(int)
    assert told in confidence_interval(name, true, response, groups=group).note
    assert told not in confidence_interval(name, true, response).note


def test_few_groups_of_unlike_sizes_are_told():
    """8 positive patients of 2 to 20 rows are worth 5.6 equal ones; 30 equal ones are enough."""
    sizes = np.array([12, 3, 20, 7, 2, 15, 4, 9])
    groups = np.repeat(np.arange(70), np.append(sizes, np.full(62, 6)))
    true = (groups < 8).astype(int)
    pred = np.where(RNG.random(len(true)) < 0.8, true, 1 - true)
    told = {
        "recall": "equivalent of 5.59 independent groups",
        "balanced_accuracy": "equivalent of 5.59 independent groups",
    }
    for name, note in told.items():
        assert note in confidence_interval(name, true, pred, groups=groups).note
        assert not confidence_interval(name, true, pred).note
    assert not confidence_interval("specificity", true, pred, groups=groups).note
    even = np.arange(420) // 6
    true = (even < 30).astype(int)
    pred = np.where(RNG.random(420) < 0.8, true, 1 - true)
    assert not confidence_interval("recall", true, pred, groups=even).note


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "average_precision", "log_loss"])
def test_a_difference_has_the_design_effect_of_its_variances(name):
    other = RNG.permutation(METRICS[name])
    copies = np.repeat(np.arange(N), 2)
    given = Y[copies], METRICS[name][copies], other[copies]
    grouped = compare(name, *given, groups=copies)
    assert (grouped.n_groups, grouped.design_effect) == (N, pytest.approx(2, rel=0.02))
    assert f"{N} groups, design effect" in str(grouped)
    assert "groups" not in str(compare(name, *given))


def test_many_comparisons_tell_groups_and_their_design_effects():
    models = {"a": PRED, "b": RNG.permutation(PRED), "c": 1 - PRED}
    copies = np.repeat(np.arange(N), 2)
    given = {name: one[copies] for name, one in models.items()}
    found = all_differences("accuracy", Y[copies], given, groups=copies, random_state=0)
    pairs = [
        compare("accuracy", Y[copies], given[a], given[b], groups=copies)
        for a, b in ("ab", "ac", "bc")
    ]
    effects = sorted(f"{one.design_effect:.3g}" for one in pairs)
    ends = " to ".join(dict.fromkeys([effects[0], effects[-1]]))
    assert f"simultaneous intervals, {N} groups, design effect" in str(found)
    assert f" {ends}\n" in str(found)
    plain = all_differences("accuracy", Y, models, random_state=0)
    assert "groups" not in str(plain)
    drawn = {"n_resamples": 19, "random_state": 0, "adjust": "holm"}
    own = all_differences(
        "ks_statistic", Y, {"a": SCORE, "b": -SCORE}, groups=np.arange(N) // 2, **drawn
    )
    assert "intervals, 120 groups\n" in str(own)


def test_a_function_of_the_user_has_groups_in_comparisons_too():
    groups = np.arange(N) // 4
    found = compare(
        lambda true, pred: float(np.mean(true == pred)),
        Y, PRED, 1 - PRED, groups=groups, n_resamples=99, random_state=0,
    )  # fmt: skip
    assert found.n_groups == 60
    assert np.isnan(found.design_effect)


def half_width_in_errors(**options):
    """Quantile that an interval of a mean took, from its width."""
    found = confidence_interval("log_loss", Y, PROBA, method="t", **options)
    return (found.high - found.low) / 2 / found.standard_error, found.note


def test_freedom_counts_groups_by_how_unequal_they_are():
    # 20 groups of 6 rows and one of 120: (20 x 6 + 120)^2 / (20 x 6^2 + 120^2) = 80 / 21 groups.
    groups = np.append(np.repeat(np.arange(20), 6), np.full(120, 20))
    away, note = half_width_in_errors(groups=groups)
    assert away == pytest.approx(t.ppf(0.975, 80 / 21 - 1), rel=1e-9)
    assert "based on the equivalent of 3.81 independent groups" in note


def test_freedom_counts_rows_by_how_unequal_their_weights_are():
    # 10 rows of weight 10 among 230 of weight 1: squares of weights are variances of rows.
    weight = np.append(np.full(10, 10.0), np.ones(230))
    away, _ = half_width_in_errors(sample_weight=weight)
    rows = (10 * 100 + 230) ** 2 / (10 * 100**2 + 230)
    assert away == pytest.approx(t.ppf(0.975, rows - 1), rel=1e-9)

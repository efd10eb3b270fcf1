"""Margins of comparisons and goals of intervals: p-values by hand, laws, levels in simulation."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext import (
    brier_score_loss,
    compare,
    compare_samples,
    confidence_interval,
    delong_test,
    mcnemar_test,
    roc_auc_score,
)

RNG = np.random.default_rng(5)
N = 300
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < share, Y, 1 - Y) for share in (0.83, 0.8))
P, Q = (np.clip(0.5 + 0.3 * (Y - 0.5) + RNG.normal(0, 0.15, N), 0.01, 0.99) for _ in range(2))
SIDES = ("less", "greater", "two-sided", "non-inferior", "equivalent")
METRICS = {
    "accuracy": (A, B),
    "error_rate": (A, B),
    "balanced_accuracy": (A, B),
    "brier_score": (P, Q),
    "roc_auc": (P, Q),
    "gini": (P, Q),
    "average_precision": (P, Q),
}
LOSSES = ("error_rate", "brier_score")


def by_hand(tail, margin, alternative, is_loss):
    """Of ``tail(limit, side)``, the one-sided p-value against a limit."""
    above, below = tail(margin, "greater"), tail(-margin, "less")
    not_less, not_more = tail(-margin, "greater"), tail(margin, "less")
    return {
        "greater": above,
        "less": below,
        "two-sided": min(2 * min(above, below), 1),
        "non-inferior": not_more if is_loss else not_less,
        "equivalent": max(not_less, not_more),
    }[alternative]


# --------------------------------------------------------------------------- values by hand


@pytest.mark.parametrize("alternative", SIDES)
def test_losses_are_two_t_tests(alternative):
    """Schuirmann's two one-sided t tests of the differences of the rows."""
    losses = (P - Y) ** 2 - (Q - Y) ** 2
    margin = 0.008

    def tail(limit, side):
        return stats.ttest_1samp(losses, limit, alternative=side).pvalue

    found = compare("brier_score", Y, P, Q, margin=margin, alternative=alternative)
    assert found.p_value == pytest.approx(by_hand(tail, margin, alternative, True), rel=1e-9)
    error = {"two-sided": 0.05, "equivalent": 0.05}.get(alternative, 0.025)
    assert found.concluded is (found.p_value <= error)
    assert (found.alternative, found.margin) == (alternative, margin)
    assert found.confidence_level == pytest.approx(0.9 if alternative == "equivalent" else 0.95)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("metric", ["accuracy", "error_rate"])
def test_shares_of_rows_are_tangos_score(metric, alternative):
    """The likeliest shares under the limit by a search over them."""
    only_a, only_b = ((A == Y) & (B != Y)).sum(), ((A != Y) & (B == Y)).sum()
    sign = -1 if metric == "error_rate" else 1

    def tail(limit, side):
        limit, difference = sign * limit, (only_a - only_b) / N
        shares = np.linspace(max(0, -limit), (1 - limit) / 2, 2_000_001)[1:-1]
        first, second = shares + limit, shares
        rest = 1 - first - second
        keep = (first > 0) & (rest > 0)
        first, second, rest = first[keep], second[keep], rest[keep]
        fit = only_a * np.log(first) + only_b * np.log(second)
        fit += (N - only_a - only_b) * np.log(rest)
        best = fit.argmax()
        error = np.sqrt((first[best] + second[best] - limit**2) / N)
        z = sign * (difference - limit) / error
        return stats.norm.sf(z) if side == "greater" else stats.norm.cdf(z)

    found = compare(metric, Y, A, B, margin=0.05, alternative=alternative)
    expected = by_hand(tail, 0.05, alternative, metric == "error_rate")
    assert found.p_value == pytest.approx(expected, rel=1e-3)
    assert found.method == "tango"


def beyond(found, is_loss):
    """Whether the printed interval shows what is claimed (ICH E9, section 3.3.2)."""
    margin = found.margin or 0.0
    not_less, not_more = found.low > -margin, found.high < margin
    return {
        "greater": found.low > margin,
        "less": found.high < -margin,
        "two-sided": found.low > margin or found.high < -margin,
        "non-inferior": not_more if is_loss else not_less,
        "equivalent": not_less and not_more,
    }[found.alternative]


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("metric", METRICS)
def test_the_printed_interval_decides(metric, alternative, level):
    asked = {"alternative": alternative, "confidence_level": level}
    found = [
        compare(metric, Y, *models, margin=margin, **asked)
        for margin in (0.001, 0.004, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1)
        for models in (METRICS[metric], METRICS[metric][::-1])
    ]
    if alternative in ("less", "greater"):
        found.append(compare(metric, Y, *METRICS[metric], **asked))
    if metric in ("accuracy", "error_rate") and alternative in ("less", "greater"):
        found.pop()  # McNemar's mid-P test is not Tango's interval
    assert [one.concluded for one in found] == [beyond(one, metric in LOSSES) for one in found]


@pytest.mark.parametrize("alternative", SIDES)
def test_two_samples_are_decided_by_the_printed_interval(alternative):
    half = slice(0, 150), slice(150, 300)
    found = [
        compare_samples(
            "accuracy",
            Y[half[0]],
            A[half[0]],
            Y[half[1]],
            B[half[1]],
            margin=margin,
            alternative=alternative,
            method=method,
        )
        for margin in (0.02, 0.05, 0.1, 0.15, 0.2)
        for method in ("auto", "welch")
    ]
    assert [one.concluded for one in found] == [beyond(one, False) for one in found]


def test_equivalence_shows_the_interval_of_two_one_sided_tests():
    wide = compare("roc_auc", Y, P, Q, confidence_level=0.9)
    found = compare("roc_auc", Y, P, Q, margin=0.05, alternative="equivalent")
    assert (found.low, found.high) == (wide.low, wide.high)
    shown = "shown" if found.concluded else "not shown"
    assert f"equivalent by margin 0.05 {shown} at 5 %, 90 %" in str(found)
    found = compare("roc_auc", Y, P, Q, alternative="greater")
    assert f"greater {'shown' if found.concluded else 'not shown'} at 2.5 %" in str(found)
    with pytest.raises(ValueError, match="needs a confidence_level above"):
        compare("roc_auc", Y, P, Q, margin=0.05, alternative="equivalent", confidence_level=0.5)


# --------------------------------------------------------------------------- laws


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("metric", METRICS)
def test_mirror(metric, alternative):
    first, second = METRICS[metric]
    margin = 0.04
    there = compare(metric, Y, first, second, margin=margin, alternative=alternative)
    turned = {"less": "greater", "greater": "less"}.get(alternative, alternative)
    back = compare(metric, Y, second, first, margin=margin, alternative=turned)
    assert back.difference == pytest.approx(-there.difference)
    if alternative != "non-inferior":  # which asks another question of the other
        assert back.p_value == pytest.approx(there.p_value)
    order = np.random.default_rng(0).permutation(N)
    again = compare(
        metric, Y[order], first[order], second[order], margin=margin, alternative=alternative
    )
    assert again.p_value == pytest.approx(there.p_value)


def test_the_unit_of_a_margin_is_that_of_the_metric():
    asked = {"alternative": "non-inferior"}
    area = compare("roc_auc", Y, P, Q, margin=0.03, **asked)
    gini = compare("gini", Y, P, Q, margin=0.06, **asked)
    assert gini.p_value == pytest.approx(area.p_value)
    assert gini.margin == 0.06
    right = compare("accuracy", Y, A, B, margin=0.03, **asked)
    wrong = compare("error_rate", Y, A, B, margin=0.03, **asked)
    assert right.p_value == pytest.approx(wrong.p_value)


def test_draws_have_the_margin_of_delta():
    asked = {"margin": 0.03, "alternative": "non-inferior"}
    drawn = compare("f1", Y, A, B, method="bootstrap", n_resamples=4000, random_state=0, **asked)
    assert drawn.p_value == pytest.approx(compare("f1", Y, A, B, **asked).p_value, abs=0.02)


def test_without_a_margin_concluded_is_the_test():
    for found in (compare("accuracy", Y, A, B), mcnemar_test(Y, A, B)):
        assert found.concluded is (found.p_value <= 1 - 0.95)
        assert "margin" not in str(found)
    assert compare("balanced_accuracy", Y, A, 1 - A).concluded is True
    assert compare("accuracy", Y, A, A).concluded is False
    assert delong_test(Y, P, Q).pairs[0, 1].concluded is not None


def test_what_has_no_variance_concludes_nothing():
    """Models that are alike on some rows are not shown to be alike on others."""
    for metric, both in (("roc_auc", (P, P)), ("f1", (A, A)), ("brier_score", (P, P))):
        found = compare(metric, Y, *both, margin=0.02, alternative="equivalent")
        assert found.concluded is None
    few = slice(0, 20)
    asked = {"margin": 0.1, "alternative": "equivalent"}
    assert compare("accuracy", Y[few], A[few], A[few], **asked).concluded is False
    assert compare("accuracy", Y, A, A, **asked).concluded is True  # Tango's score has 300 rows


# --------------------------------------------------------------------------- levels


@pytest.mark.parametrize(
    "metric", [pytest.param("accuracy", marks=pytest.mark.exhaustive), "balanced_accuracy"]
)
def test_a_difference_at_the_margin_is_seldom_concluded(metric):
    rng, n_rows, margin, draws = np.random.default_rng(3), 200, 0.1, 500
    concluded = dict.fromkeys(("non-inferior", "equivalent"), 0)
    for _ in range(draws):
        true = np.arange(n_rows) % 2
        luck = rng.random(n_rows)
        other = np.where(rng.random(n_rows) < 0.5, luck, rng.random(n_rows))
        first, second = (
            np.where(luck < 0.75, true, 1 - true),
            np.where(other < 0.85, true, 1 - true),
        )
        for claim in concluded:
            found = compare(metric, true, first, second, margin=margin, alternative=claim)
            concluded[claim] += bool(found.concluded)
    for claim, error in (("non-inferior", 0.025), ("equivalent", 0.05)):
        most = draws * error + 2.6 * np.sqrt(draws * error * (1 - error))
        assert 5 <= concluded[claim] <= most


# --------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("accuracy", {"alternative": "non-inferior"}, "needs margin="),
        ("accuracy", {"alternative": "equivalent"}, "needs margin="),
        ("accuracy", {"margin": 0}, "margin has to be positive"),
        ("accuracy", {"margin": -0.1}, "margin has to be a finite number"),
        ("accuracy", {"margin": "0.1"}, "margin has to be a finite number"),
        ("accuracy", {"margin": 3, "alternative": "greater"}, "as large as differences can be"),
        ("accuracy", {"margin": 0.1, "method": "permutation"}, "takes no margin"),
        ("prevalence", {"margin": 0.1, "alternative": "non-inferior"}, "with a known direction"),
        (
            lambda t, p: float(np.mean(t == p)),
            {"margin": 0.1, "alternative": "non-inferior"},
            "with a known direction",
        ),
        ("accuracy", {"margin": 0.1, "alternative": "inferior"}, "alternative has to be one of"),
    ],
)
def test_refused(metric, options, message):
    with pytest.raises(ValueError, match=message):
        compare(metric, Y, A, B, **options)


# --------------------------------------------------------------------------- goals


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "error_rate", "matthews_corrcoef"])
def test_goals(metric):
    """Reached or missed by the bounds of the same interval, in the direction of the metric."""
    found = confidence_interval(metric, Y, A)
    better, worse = (found.low, found.high)
    if metric == "error_rate":
        better, worse = worse, better
    away = 0.01 if metric != "error_rate" else -0.01
    asked = partial(confidence_interval, metric, Y, A)
    assert asked(goal=better).reached is True
    assert asked(goal=better - away).reached is True
    assert asked(goal=found.value).reached is None
    assert asked(goal=worse).reached is None
    assert asked(goal=worse + away).reached is False
    assert asked(goal=better).goal == better
    assert found.goal is None
    assert found.reached is None
    assert "goal" not in str(found)


def test_goals_of_classes_and_losses():
    each = confidence_interval("recall", Y, A, average=None, goal=0.5)
    assert [one.estimate.reached for one in each] == [True, True]
    found = confidence_interval(brier_score_loss, Y, P, goal=0.25)
    assert found.reached is True
    assert "goal 0.25: reached" in str(found)
    assert "not reached" in str(confidence_interval(roc_auc_score, Y, P, goal=1.0))


@pytest.mark.parametrize("goal", ["0.8", True, float("nan"), float("inf"), 80, -0.1, [0.5]])
def test_goals_outside_the_range_are_refused(goal):
    with pytest.raises(ValueError, match=r"goal has to be a finite number in \[0, 1\]"):
        confidence_interval("accuracy", Y, A, goal=goal)


def test_a_goal_needs_a_direction():
    for metric in ("prevalence", lambda t, p: float(np.mean(t == p))):
        with pytest.raises(ValueError, match="with a known direction"):
            confidence_interval(metric, Y, A, goal=0.5, n_resamples=50)


def test_equivalence_at_a_level_near_a_half():
    """An interval of level 1/5, whose end is the quantile 0.6."""
    rng = np.random.default_rng(0)
    true = np.arange(240) % 2
    a, b = rng.normal(size=(2, 240)) + 1.2 * true
    options = {"alternative": "equivalent", "margin": 0.1}
    found = compare("roc_auc", true, a, b, confidence_level=0.6, **options)
    half = (found.high - found.low) / 2
    assert half / found.standard_error == pytest.approx(stats.t.ppf(0.6, 239), rel=1e-3)
    with pytest.raises(ValueError, match=r"above 0\.5"):
        compare("roc_auc", true, a, b, confidence_level=0.5, **options)

"""Which rows to label, how many more, and when to stop."""

import numpy as np
import pytest

import skmetrics_ext as sx


def rare(n_rows=20_000, seed=0):
    """Calibrated scores of a rare class."""
    rng = np.random.default_rng(seed)
    score = rng.beta(0.3, 6, n_rows)
    return score, (rng.random(n_rows) < score).astype(int), (score >= 0.3).astype(int)


def labels_of(plan, true, seed=0, known=None):
    y = np.full(len(true), np.nan) if known is None else known.copy()
    rows = plan.draw(seed)
    y[rows] = true[rows]
    return y


def test_probabilities_by_the_formula():
    """Accuracy: a label k contributes (right - mean) / n, right or not."""
    score, _, pred = rare(500)
    plan = sx.label_plan("accuracy", score=score, pred=pred, budget=60)
    mean = np.where(pred == 1, score, 1 - score).mean()
    expected = np.sqrt(score * ((pred == 1) - mean) ** 2 + (1 - score) * ((pred == 0) - mean) ** 2)
    base = 0.8 * expected / expected.sum() + 0.2 / 500
    low = plan.probability < 1
    assert plan.probability.sum() == pytest.approx(60)
    assert np.ptp(plan.probability[low] / base[low]) == pytest.approx(0, abs=1e-9)
    both = sx.label_plan(["accuracy", "accuracy"], score=score, pred=pred, budget=60)
    np.testing.assert_allclose(both.probability, plan.probability)
    cut = sx.label_plan("accuracy", score=score, threshold=0.3, budget=60)
    np.testing.assert_array_equal(cut.probability, plan.probability)


def test_probabilities_are_at_most_one():
    score, _, pred = rare(300)
    plan = sx.label_plan("f1", score=score, pred=pred, budget=250)
    assert plan.probability.max() == 1
    assert plan.probability.sum() == pytest.approx(250)
    every = sx.label_plan("f1", score=score, pred=pred, budget=300)
    np.testing.assert_allclose(every.probability, 1)


def test_draws():
    score, _, pred = rare()
    plan = sx.label_plan("f1", score=score, pred=pred, budget=500)
    rows = plan.draw(1)
    assert abs(len(rows) - 500) < 5 * 500**0.5
    np.testing.assert_array_equal(rows, np.unique(rows))
    np.testing.assert_array_equal(rows, plan.draw(1))
    assert not np.array_equal(rows, plan.draw(2))
    fixed = sx.label_plan("f1", score=score, pred=pred, budget=500, fixed=True)
    sizes = {len(fixed.draw(seed)) for seed in range(5)}
    assert sizes == {500}
    drawn = np.zeros(len(score))
    for seed in range(200):
        drawn[fixed.draw(seed)] += 1
    likely = fixed.probability > 0.2
    z = (drawn - 200 * fixed.probability)[likely] / np.sqrt(
        200 * (fixed.probability * (1 - fixed.probability))[likely]
    )
    assert abs(z.mean()) < 0.3
    assert 0.8 < z.std() < 1.2


def test_narrower_than_a_random_sample():
    """F1 of a rare class: the published gain is 4 to 5.8 times the labels."""
    planned, random = [], []
    for seed in range(40):
        score, true, pred = rare(seed=seed)
        plan = sx.label_plan("f1", score=score, pred=pred, budget=500)
        y = labels_of(plan, true, seed)
        planned.append(sx.confidence_interval("f1", y, pred, sampling=plan).value)
        rows = np.random.default_rng(seed).permutation(len(true))[:500]
        random.append(sx.f1_score(true[rows], pred[rows], zero_division=0.0))
    assert np.var(random) > 3 * np.var(planned)


def test_more_labels():
    score, true, pred = rare()
    plan = sx.label_plan("f1", score=score, pred=pred, budget=500)
    first = labels_of(plan, true)
    estimate = sx.confidence_interval("f1", first, pred, sampling=plan)
    more = plan.more(estimate, width=0.1)
    rows = more.draw(1)
    assert np.isnan(first[rows]).all()
    n = np.count_nonzero(~np.isnan(first))
    goal = ((estimate.high - estimate.low) / 0.1) ** 2 * n - n  # n V / V_goal, on a plain scale
    assert more.budget == pytest.approx(goal, rel=0.15)
    new = np.isnan(first)
    either = 1 - (1 - plan.probability) * (1 - more.drawn)
    np.testing.assert_allclose(more.probability[new], either[new])
    second = labels_of(more, true, 1, first)
    found = sx.confidence_interval("f1", second, pred, sampling=more)
    assert found.high - found.low == pytest.approx(0.1, rel=0.3)
    for width in (0.001, 1.0):
        with pytest.raises(ValueError, match="width"):
            plan.more(estimate, width=width)
    plain = sx.confidence_interval("f1", true, pred)
    with pytest.raises(ValueError, match="estimate must be that of confidence_interval"):
        plan.more(plain, width=0.01)


def test_a_plan_for_another_metric_is_noted():
    score, true, pred = rare()
    plan = sx.label_plan("f1", score=score, pred=pred, budget=500)
    y = labels_of(plan, true)
    area = sx.confidence_interval("roc_auc", y, score, sampling=plan)
    assert "planned for f1: this interval may be too narrow" in area.note
    assert "planned" not in sx.confidence_interval("f1_score", y, pred, sampling=plan).note


def test_stopping_at_any_time():
    score, true, pred = rare()
    plan = sx.label_plan("f1", score=score, pred=pred, budget=500)
    y = labels_of(plan, true)
    ask = {"sampling": plan, "method": "anytime", "min_rows": 100}
    found = sx.confidence_interval("f1", y, pred, **ask)
    usual = sx.confidence_interval("f1", y, pred, sampling=plan)
    assert 1.3 < (found.high - found.low) / (usual.high - usual.low) < 2
    positives = np.flatnonzero(y == 1)
    y[positives[10:]] = np.nan
    early = sx.confidence_interval("f1", y, pred, **ask)
    assert np.isnan(early.low)
    assert "10 rows of the smallest class are fewer than 20" in early.note


def test_text_and_the_other_class():
    score, true, pred = rare(2000)
    names = np.array(["no", "yes"])
    plain = sx.label_plan("f1", score=score, pred=pred, budget=100)
    text = sx.label_plan("f1", score=score, pred=names[pred], budget=100, pos_label="yes")
    np.testing.assert_allclose(text.probability, plain.probability)
    other = sx.label_plan("f1", score=1 - score, pred=names[pred], budget=100, pos_label="no")
    swapped = sx.label_plan("f1", score=1 - score, pred=1 - pred, budget=100)
    np.testing.assert_allclose(other.probability, swapped.probability)
    human = np.where(np.arange(2000) < 400, names[true], None)
    found = sx.confidence_interval("f1", human, names[pred], sampling=text, pos_label="yes")
    assert np.isfinite(found.low)


def test_printed():
    plan = sx.label_plan("f1", score=[0.1, 0.9, 0.4], threshold=0.5, budget=2)
    assert str(plan).startswith("2 labels of 3 rows, for f1: probabilities ")
    assert plan.to_dict()["budget"] == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pred": None}, "f1 is a metric of labels: pass pred=, or threshold="),
        ({"budget": 1e6}, r"budget has to be in \(0, 500\]"),
        ({"budget": 0}, r"budget has to be in \(0, 500\]"),
        ({"budget": 10.5, "fixed": True}, "fixed=True draws a whole number"),
        ({"score": np.full(500, 2.0)}, "score must hold the probability"),
        ({"pred": np.ones(4)}, "pred must have a label of 2 classes for each of 500 rows"),
        ({"metric": "ks_statistic", "pred": None}, "no influence values"),
    ],
)
def test_refusals(changes, message):
    score, _, pred = rare(500)
    arguments = {"metric": "f1", "score": score, "pred": pred, "budget": 50} | changes
    with pytest.raises(ValueError, match=message):
        sx.label_plan(**arguments)

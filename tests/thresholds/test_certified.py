"""Thresholds with a guarantee: exact bounds by SciPy's binomial, and by simulation."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import beta, binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, cross_val_predict

from skmetrics_ext import ThresholdOptimizerCV, optimal_threshold

TARGET = ("precision", ">=", 0.8)


def ranked(marks):
    """Labels from the highest score down, and the scores."""
    marks = np.asarray(marks)
    return marks, np.arange(len(marks), 0, -1.0)


def normal(n_rows, share=0.3, apart=1.5, seed=0):
    rng = np.random.default_rng(seed)
    true = (rng.random(n_rows) < share).astype(int)
    return true, rng.normal(size=n_rows) + apart * true


def sizes_to_test(bound, level, n_rows):
    """From so many rows on one more may be wrong, by the binomial distribution."""
    wrong, sizes = np.arange(n_rows), np.arange(1, n_rows + 1)[:, None]
    allowed = (binom.cdf(wrong, sizes, 1 - bound) <= level).sum(axis=1) - 1
    steps = [k for k in range(1, n_rows + 1) if allowed[k - 1] > max(allowed[: k - 1], default=-1)]
    first = max([k for k in steps if k <= n_rows**0.5], default=steps[0])
    return [k for k in steps if k >= first], allowed


def most(counts):
    return counts.pred


def fewest(counts):
    return -counts.pred


# --------------------------------------------------------------------------- by hand


def test_fourteen_of_fourteen_are_enough_for_four_fifths():
    """0.05 ** (1 / 14) is 0.807; the next test allows one of 22, of which two are wrong."""
    true, score = ranked([1] * 20 + [0] * 380)
    found = optimal_threshold(true, score, criterion="recall", constraint=TARGET, confidence=0.95)
    assert found.threshold == score[13]
    assert found.bounds == (pytest.approx(0.05 ** (1 / 14)),)
    assert (found.confidence, found.note) == (0.95, "")


@pytest.mark.parametrize("bound", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("turned", [False, True])
def test_tests_go_from_strict_to_lax_up_to_the_first_that_fails(bound, turned):
    """Precision from high thresholds down, and negative predictive value from low ones up."""
    for seed in range(12):
        true, score = normal(240, 0.4, 2.0, seed)
        wrong = np.cumsum(1 - true[np.argsort(-score)])
        sizes, allowed = sizes_to_test(bound, 0.1, len(true))
        passed = 0
        for size in sizes:
            if wrong[size - 1] > allowed[size - 1]:
                break
            passed = size
        asked = {"criterion": most, "constraint": ("precision", ">=", bound)}
        if turned:
            true, score = 1 - true, -score
            asked = {"criterion": fewest}
            asked["constraint"] = ("negative_predictive_value", ">=", bound)
        if not passed:
            with pytest.raises(ValueError, match="certified is at least"):
                optimal_threshold(true, score, **asked, confidence=0.9)
            continue
        found = optimal_threshold(true, score, **asked, confidence=0.9)
        n_predicted = (score < found.threshold if turned else score >= found.threshold).sum()
        assert n_predicted == passed


@pytest.mark.parametrize(
    ("rate", "comparison"),
    [
        ("recall", ">="),
        ("false_negative_rate", "<="),
        ("specificity", ">="),
        ("false_positive_rate", "<="),
        ("neg_false_positive_rate", ">="),
    ],
)
def test_a_rate_within_a_class_allows_what_the_binomial_does(rate, comparison):
    true, score = normal(500)
    of_positive = "negative_rate" in rate or rate == "recall"
    rows = np.sort(score[true == (1 if of_positive else 0)])
    bound = {">=": 0.9, "<=": 0.1}[comparison]
    n_wrong = max(e for e in range(len(rows)) if binom.cdf(e, len(rows), 0.1) <= 0.05)
    bound = -0.1 if rate.startswith("neg") else bound
    laxest = fewest if of_positive else most
    asked = {"criterion": laxest, "constraint": (rate, comparison, bound), "confidence": 0.95}
    found = optimal_threshold(true, score, **asked)
    missed = (rows < found.threshold) if of_positive else (rows >= found.threshold)
    assert missed.sum() == n_wrong
    exact = beta.ppf(0.05, len(rows) - n_wrong, n_wrong + 1)
    sign = {"neg_false_positive_rate": exact - 1}.get(rate, exact if bound == 0.9 else 1 - exact)
    assert found.bounds == (pytest.approx(sign),)
    # The rates within a class are those of any prevalence.
    assert optimal_threshold(true, score, **asked, prevalence=0.05).bounds == found.bounds


def test_costs_are_bounded_by_their_two_shares():
    true, score = normal(2000)
    asked = {"criterion": "expected_cost", "cost": (1, 3), "confidence": 0.9}
    found = optimal_threshold(true, score, **asked, constraint=("expected_cost", "<=", 0.5))
    counts, n = found.counts, len(true)
    upper = [beta.ppf(0.95, wrong + 1, n - wrong) for wrong in (counts.fp, counts.fn)]
    assert found.bounds == (pytest.approx(upper[0] + 3 * upper[1]),)
    asked["criterion"] = "net_benefit"
    found = optimal_threshold(true, score, **asked, constraint=("net_benefit", ">=", 0.1))
    counts = found.counts
    low = beta.ppf(0.05, counts.tp, n - counts.tp + 1)
    high = beta.ppf(0.95, counts.fp + 1, n - counts.fp)
    assert found.bounds == (pytest.approx(low - high / 3),)
    assert found.value == pytest.approx((counts.tp - counts.fp / 3) / n)


def test_several_constraints_share_the_level():
    true, score = normal(3000)
    both = [("precision", ">=", 0.6), ("recall", ">=", 0.5)]
    found = optimal_threshold(true, score, criterion="f1", constraint=both, confidence=0.9)
    counts = found.counts
    exact = [beta.ppf(0.05, counts.tp, rest + 1) for rest in (counts.fp, counts.fn)]
    assert found.bounds == pytest.approx(tuple(exact))
    assert found.bounds[0] >= 0.6
    assert found.bounds[1] >= 0.5
    with pytest.raises(ValueError, match=r"precision >= 0.7 and recall >= 0.6 together"):
        optimal_threshold(
            true, score, constraint=[("precision", ">=", 0.7), ("recall", ">=", 0.6)],
            confidence=0.9,
        )  # fmt: skip
    in_sample = optimal_threshold(true, score, criterion="f1", constraint=both)
    assert in_sample.precision >= 0.6
    assert in_sample.sensitivity >= 0.5
    with pytest.raises(ValueError, match=r"No threshold keeps both precision >= 0\.9 and"):
        optimal_threshold(true, score, constraint=[("precision", ">=", 0.9), both[1]])


def test_a_constraint_alone_is_said_to_hold_in_the_sample():
    true, score = normal(300)
    found = optimal_threshold(true, score, criterion="recall", constraint=TARGET)
    assert found.confidence is None
    assert found.note.startswith("precision >= 0.8 in this sample; in the population it may not")
    assert "[1] precision >= 0.8 in this sample" in str(found)
    assert optimal_threshold(true, score).note == ""


# --------------------------------------------------------------------------- groups, weights


@pytest.mark.parametrize("constraint", [TARGET, ("recall", ">=", 0.6), ("specificity", ">=", 0.8)])
def test_rows_of_a_group_that_are_all_alike_are_one(constraint):
    true, score = normal(400, apart=2.5)
    asked = {"criterion": "youden", "constraint": constraint, "confidence": 0.95}
    alone = optimal_threshold(true, score, **asked)
    thrice = np.repeat(np.arange(400), 3)
    order = np.random.default_rng(0).permutation(1200)
    thrice = thrice[order]
    found = optimal_threshold(true[thrice], score[thrice], **asked, groups=thrice)
    assert found.threshold == alone.threshold
    assert found.bounds == pytest.approx(alone.bounds)
    weighted = optimal_threshold(true, score, **asked, sample_weight=np.full(400, 2.5))
    assert weighted.threshold == alone.threshold
    assert weighted.bounds == pytest.approx(alone.bounds)


def test_weights_count_by_their_effective_number():
    true, score = ranked([1] * 60 + [0] * 140)
    weight = np.where(np.arange(200) % 2, 3.0, 1.0)
    found = optimal_threshold(
        true, score, criterion="recall", constraint=("recall", ">=", 0.5), confidence=0.95,
        sample_weight=weight,
    )  # fmt: skip
    effective = weight[:60].sum() ** 2 / (weight[:60] ** 2).sum()
    assert found.bounds == (pytest.approx(beta.ppf(0.05, effective, 1)),)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_negatives_below_the_threshold_count_by_their_effective_number(grouped, weighted):
    true, score = normal(400, share=0.5, apart=1.8)
    rng = np.random.default_rng(1)
    group = rng.integers(0, 150, 400) if grouped else np.arange(400)
    weight = rng.integers(1, 4, 400) if weighted else np.ones(400)
    found = optimal_threshold(
        true, score, criterion="specificity", constraint=("negative_predictive_value", ">=", 0.7),
        confidence=0.9, groups=group if grouped else None,
        sample_weight=weight if weighted else None,
    )  # fmt: skip
    below = score < found.threshold
    of_group = np.array([weight[below & (group == k)].sum() for k in range(group.max() + 1)])
    effective = of_group.sum() ** 2 / (of_group**2).sum()
    share = weight[below & (true == 0)].sum() / weight[below].sum()
    bound = beta.ppf(0.1, share * effective, (1 - share) * effective + 1)
    assert bound >= 0.7
    assert found.bounds == (pytest.approx(bound),)


# --------------------------------------------------------------------------- in the population


def kept_in(n_rows, constraint, of_threshold, repeats, cluster=1, **options):
    """Shares of samples with an answer, and in which the constraint is kept or none is given."""
    answers = broken = 0
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        group = np.arange(n_rows) // cluster
        true = (rng.random(n_rows) < 0.3)[group].astype(int)
        shared = rng.normal(size=n_rows)[group] * (0.0 if cluster == 1 else 0.8)
        score = 1.5 * true + shared + rng.normal(size=n_rows) * (1 - 0.64 * (cluster > 1)) ** 0.5
        if cluster > 1:
            options["groups"] = group
        try:
            found = optimal_threshold(
                true, score, constraint=constraint, confidence=0.95, **options
            )
        except ValueError:
            continue
        answers += 1
        broken += not of_threshold(found.threshold)
    return answers / repeats, 1 - broken / repeats


def precision_is_kept(at):
    right, wrong = 0.3 * ndtr(1.5 - at), 0.7 * ndtr(-at)
    return right >= 0.8 * (right + wrong)


@pytest.mark.parametrize(
    ("n_rows", "cluster", "answered"), [(600, 1, 0.5), (3000, 1, 0.9), (3000, 5, 0.5)]
)
def test_precision_is_kept_in_the_population(n_rows, cluster, answered):
    asked = {"criterion": "recall", "cluster": cluster}
    answers, kept = kept_in(n_rows, TARGET, precision_is_kept, 100, **asked)
    assert answers >= answered
    assert kept >= 0.94


def test_a_rate_is_kept_in_the_population():
    def is_kept(at):
        return ndtr(at) >= 0.9

    answers, kept = kept_in(600, ("specificity", ">=", 0.9), is_kept, 200, criterion="recall")
    assert answers == 1
    assert kept >= 0.92  # of 200 at 95 %, less in 3 %


# --------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraint": None}, "confidence= is for a constraint"),
        ({"confidence": 1}, r"confidence has to be a number in \(0, 1\)"),
        ({"confidence": "high"}, r"confidence has to be a number in \(0, 1\)"),
        ({"constraint": ("f1", ">=", 0.5)}, "'f1' has no exact bound"),
        ({"constraint": (lambda counts: counts.tp, ">=", 5)}, "has no exact bound"),
        ({"constraint": ("recall_macro", ">=", 0.5)}, "has no exact bound"),
        ({"prevalence": 0.1}, r"prevalence= needs constraints on rates within a class"),
        ({"constraint": ("expected_cost", "<=", 1)}, "constraint='expected_cost' needs cost="),
        ({"constraint": [TARGET, 3]}, "constraint has to be"),
        ({"constraint": []}, "constraint has to be"),
        ({"groups": np.zeros(300)}, "groups holds one group for all 300 rows"),
    ],
)
def test_what_has_no_guarantee_is_refused(options, message):
    true, score = normal(300)
    with pytest.raises(ValueError, match=message):
        optimal_threshold(true, score, **{"constraint": TARGET, "confidence": 0.95, **options})


def test_groups_need_a_confidence():
    true, score = normal(30)
    with pytest.raises(ValueError, match="pass confidence= as well"):
        optimal_threshold(true, score, groups=np.arange(30))


def test_the_error_says_what_can_be_certified():
    true, score = ranked([1] * 8 + [0] * 32)
    exact = beta.ppf(0.05, 8, 7)  # of 14 rows, by their scores from 40 down to 27
    message = rf"precision >= 0.8 with confidence 0.95: certified is at least {exact:.4g}, at .* 27"
    with pytest.raises(ValueError, match=message):
        optimal_threshold(true, score, constraint=TARGET, confidence=0.95)


# --------------------------------------------------------------------------- ThresholdOptimizerCV


class Scored(BaseEstimator, ClassifierMixin):
    """Its score is the first column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


ASKED = {"criterion": "recall", "constraint": TARGET, "confidence": 0.95}


def test_the_optimizer_certifies_the_rows_of_all_folds_together():
    true, score = normal(1500)
    X, group = score[:, None], np.arange(1500) // 2
    alone = optimal_threshold(true, score, **ASKED)
    for cv in (5, KFold(3), [(np.arange(1500), np.arange(1500))]):
        found = ThresholdOptimizerCV(Scored(), **ASKED, cv=cv).fit(X, true)
        assert found.best_threshold_ == alone.threshold
    grouped = optimal_threshold(true, score, **ASKED, groups=group)
    found = ThresholdOptimizerCV(Scored(), **ASKED, cv=GroupKFold(5))
    assert found.fit(X, true, groups=group).best_threshold_ == grouped.threshold
    assert grouped.threshold > alone.threshold
    # Rows that several folds score are no further rows.
    again = ThresholdOptimizerCV(Scored(), **ASKED, cv=RepeatedKFold(n_splits=5, random_state=0))
    assert again.fit(X, true).best_threshold_ == alone.threshold


def test_the_optimizer_says_what_can_be_certified():
    true, score = normal(200)
    with pytest.raises(ValueError, match=r"with confidence 0\.95: certified is at least"):
        ThresholdOptimizerCV(Scored(), **ASKED).fit(score[:, None], true)
    with pytest.raises(ValueError, match="confidence, prevalence and pos_label are for one"):
        ThresholdOptimizerCV(LogisticRegression(), **ASKED).fit(score[:, None], np.arange(200) % 3)


COSTS = np.array([[0.0, 1.0, 10.0], [1.0, 0.0, 10.0], [1.0, 2.0, 0.0]])


@pytest.mark.parametrize("labels", [np.arange(3), np.array(["a", "b", "c"])])
def test_a_matrix_of_costs_predicts_the_cheapest_class(labels):
    X, codes = load_wine(return_X_y=True)
    X, y = (X[:, :2] - X[:, :2].mean(axis=0)) / X[:, :2].std(axis=0), labels[codes]
    model, folds = LogisticRegression(max_iter=2000), KFold(4, shuffle=True, random_state=0)
    found = ThresholdOptimizerCV(model, cost=COSTS, cv=folds).fit(X, y)
    proba = model.fit(X, y).predict_proba(X)
    cheapest = [min(range(3), key=lambda k: (row * COSTS[:, k]).sum()) for row in proba]
    np.testing.assert_array_equal(found.predict(X), labels[cheapest])
    assert (found.predict(X) != model.predict(X)).any()
    held = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    costs = COSTS[codes, (held @ COSTS).argmin(axis=1)]
    by_fold = [costs[test].mean() for _, test in folds.split(X)]
    assert found.best_score_ == pytest.approx(np.mean(by_fold))
    assert not hasattr(found, "best_threshold_")


def test_a_matrix_of_two_classes_acts_from_the_ratio_of_costs_on():
    true, score = normal(400)
    X = score[:, None]
    found = ThresholdOptimizerCV(LogisticRegression(), cost=[[0, 1], [4, 0]]).fit(X, true)
    proba = found.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(found.predict(X), proba > 1 / 5)
    weight = np.where(true == 1, 2.0, 1.0)
    weighted = ThresholdOptimizerCV(
        found.estimator_, cost=[[0, 1], [4, 0]], cv="prefit", refit=False
    ).fit(X, true, sample_weight=weight)
    wrong = np.where(found.predict(X) != true, np.where(true == 1, 4.0, 1.0), 0.0)
    assert weighted.best_score_ == pytest.approx((weight * wrong).sum() / weight.sum())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "f1_macro"}, "criterion='f1_macro' has no effect"),
        ({"constraint": TARGET}, "constraint=.* has no effect"),
        ({"constraint": np.array(["precision", ">=", "0.9"])}, "constraint=.* has no effect"),
        ({"response_method": "decision_function"}, "response_method='decision_function' has no"),
        ({"cost": np.ones((2, 2))}, r"of shape \(3, 3\) for the classes"),
        ({"cost": [[0, 1, "a"], [1, 0, 1], [1, 1, 0]]}, "cost must hold numbers"),
        ({"cost": np.full((3, 3), np.nan)}, "must be finite"),
    ],
)
def test_what_has_no_effect_in_a_matrix_of_costs(options, message):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        ThresholdOptimizerCV(LogisticRegression(), **{"cost": COSTS, **options}).fit(X[:, :2], y)

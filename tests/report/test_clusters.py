"""Reports of rows that depend on each other within groups."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GroupKFold, KFold, RepeatedStratifiedKFold

from skmetrics_ext import (
    confidence_interval,
    corrected_resampled_interval,
    cross_validation_report,
)

SPREAD = np.sqrt(1 + 1.2**2)
RIGHT = norm.cdf(1 / SPREAD)
NODES, SHARES = np.polynomial.hermite_e.hermegauss(60)
LOSS = float((np.logaddexp(0, -(1 + SPREAD * NODES)) * SHARES).sum() / SHARES.sum())
# Classes are alike but for their sign, and half of the rows are positive.
SCORES = ["neg_log_loss", "neg_brier_score"]
TRUTH = {"accuracy": RIGHT, "recall": RIGHT, "f1": RIGHT, "neg_log_loss": -LOSS}


class Told(ClassifierMixin, BaseEstimator):
    """A model that knows the log odds already: what it is worth is known."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)

    def predict_proba(self, X):
        positive = expit(X[:, 0])
        return np.column_stack([1 - positive, positive])


def patients(seed, n_groups=60, most=24):
    """Log odds, classes and groups of patients with 8 to `most` rows each."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), rng.integers(8, most + 1, n_groups))
    y = (rng.random(len(group)) < expit(rng.normal(size=n_groups))[group]).astype(int)
    odds = 2 * y - 1 + 1.2 * rng.normal(size=n_groups)[group] + rng.normal(size=len(y))
    return odds[:, None], y, group


def report_of(X, y, groups, **options):
    given = {"scoring": list(TRUTH), "baseline": None, "cv": GroupKFold(5), **options}
    if groups is None and isinstance(given["cv"], GroupKFold):
        given["cv"] = 5
    return cross_validation_report(Told(), X, y, groups=groups, **given)


def coverage(n_draws, with_groups=True):
    """Share of pooled intervals that hold the truth, by metric."""
    held = dict.fromkeys(TRUTH, 0)
    for seed in range(n_draws):
        X, y, group = patients(seed)
        for row in report_of(X, y, group if with_groups else None).pooled():
            held[row["metric"]] += row["low"] <= TRUTH[row["metric"]] <= row["high"]
    return {metric: count / n_draws for metric, count in held.items()}


@pytest.mark.exhaustive
def test_pooled_intervals_of_groups_cover():
    found = coverage(2000)
    assert all(0.93 <= share <= 0.975 for share in found.values()), found


def test_pooled_intervals_of_groups_cover_in_few_draws():
    with_groups, without = coverage(120), coverage(120, with_groups=False)
    assert all(share >= 0.88 for share in with_groups.values()), with_groups
    assert all(share <= 0.84 for share in without.values()), without


def test_a_pooled_interval_is_that_of_its_rows_and_groups():
    X, y, group = patients(0)
    names = np.array([f"patient {k}" for k in range(60)])[group]
    report = report_of(X, y, names)
    kept = report.predictions["Told"]
    for row in report.pooled():
        method = "predict_proba" if row["metric"] == "neg_log_loss" else "predict"
        found = confidence_interval(
            row["metric"], y[kept.rows], kept.responses[method], groups=group[kept.rows]
        )
        sign = -1 if row["metric"] == "neg_log_loss" else 1
        ends = sorted([sign * found.low, sign * found.high])
        assert (row["low"], row["high"]) == pytest.approx(tuple(ends), rel=1e-12)


def test_corrected_intervals_and_tests_count_groups():
    X, y, group = patients(1)
    report = report_of(X, y, group, baseline="prior")
    summary, compared = report.summary("corrected"), report.compare("accuracy")[0]
    folds = list(GroupKFold(5).split(X, y, group))
    n_train, n_test = (
        [len(set(group[rows])) for rows in side] for side in zip(*folds, strict=True)
    )
    values = [r["value"] for r in report.folds() if r["metric"] == "accuracy"][:5]
    expected = corrected_resampled_interval(values, n_train=n_train, n_test=n_test)
    row = next(r for r in summary if r["metric"] == "accuracy")
    assert row["standard_error"] == pytest.approx(expected.standard_error)
    assert compared["n_folds"] == 5


def test_groups_are_told():
    X, y, group = patients(2)
    report = report_of(X, y, group)
    assert "rows in 60 groups: GroupKFold" in str(report)
    assert "intervals by groups" in str(report)
    assert report.to_dict()["n_groups"] == 60
    assert "that they had seen" not in str(report)
    split = report_of(X, y, group, cv=3, scoring="accuracy")
    assert "that they had seen" not in str(split)  # an integer keeps groups together
    cv = list(KFold(3, shuffle=True, random_state=0).split(X))
    torn = report_of(X, y, group, cv=cv, scoring="accuracy")
    assert "groups have training and test rows in the same fold" in str(torn)
    assert "that they had seen" in torn.to_html()
    assert "groups" not in str(report_of(X, y, None))


def test_rows_of_repeated_folds_are_their_own_groups():
    X, y, _ = patients(3)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    once = report_of(X, y, None).pooled()
    for row, single in zip(report_of(X, y, None, cv=cv).pooled(), once, strict=True):
        assert row["n_rows"] == 4 * len(y)
        assert (row["low"], row["high"]) == pytest.approx((single["low"], single["high"]), rel=2e-3)


def test_groups_are_those_of_rows_with_weight():
    X, y, group = patients(4)
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    report = report_of(X, y, group, params={"sample_weight": weight}, scoring=["accuracy", *SCORES])
    kept = report.predictions["Told"]
    for row in report.pooled():
        method = "predict" if row["metric"] == "accuracy" else "predict_proba"
        found = confidence_interval(
            row["metric"],
            y[kept.rows],
            kept.responses[method],
            groups=group[kept.rows],
            sample_weight=weight[kept.rows],
        )
        ends = sorted(abs(row[end]) for end in ("low", "high"))
        assert ends == pytest.approx([found.low, found.high], rel=1e-12)

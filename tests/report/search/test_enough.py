"""How many rows, or repeats of the folds, would tell the first two candidates apart."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, ShuffleSplit

from skmetrics_ext import make_scorer, search_report
from skmetrics_ext.inference.selection import CandidateNoise, repeats_to_separate
from skmetrics_ext.report.fold import Fold
from skmetrics_ext.report.search.noise import MeanNoise, TopTwoDifference, of_folds, rounds_of

N, REPEATS, POWER = 800, 16, 7.8489  # (1.96 + 0.8416)^2
LUCK = np.random.default_rng(3)
Y = np.arange(N) % 2
# Of each row and candidate: how probably it is right.
RIGHT = np.column_stack([np.where(np.arange(N) % 3, 0.9, 0.5), np.full(N, 0.7)])
X = np.column_stack([Y, RIGHT])


class Lucky(ClassifierMixin, BaseEstimator):
    """Right of each row with its probability; or of all rows of a fit together, as it is ready."""

    def __init__(self, column=0, together=False, steady=False):
        self.column, self.together, self.steady = column, together, steady

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        share = X[:, 1 + self.column]
        if self.together:
            share = np.full(len(X), LUCK.choice([0.5, 0.9]))
        luck = np.linspace(0, 1, len(X)) if self.steady else LUCK.random(len(X))
        return np.where(luck < share, X[:, 0], 1 - X[:, 0]).astype(int)

    def decision_function(self, X):
        return X[:, 0] * (X[:, 1 + self.column] + LUCK.random(len(X)))


@pytest.fixture(autouse=True)
def _same_luck():
    LUCK.bit_generator.state = np.random.default_rng(3).bit_generator.state


def found(monkeypatch, models, cv, x=X, y=Y, **options):
    """What is known of the first two of a search, and what is told."""
    seen, told = [], TopTwoDifference.description

    def keep(self, *args):
        seen.append(self)
        return told(self, *args)

    monkeypatch.setattr(TopTwoDifference, "description", keep)
    options = {"scoring": "accuracy", "n_resamples": 50, "random_state": 0, **options}
    report = search_report(models, x, y, cv=cv, **options)
    return seen[0], report.notes[-1]


def repeated(n_repeats=REPEATS):
    return RepeatedKFold(n_splits=2, n_repeats=n_repeats, random_state=0)


def test_luck_of_rows_goes_away_with_repeats(monkeypatch):
    """Rows keep the variance of their expected differences, and repeats that of their luck."""
    apart, told = found(monkeypatch, {"a": Lucky(0), "b": Lucky(1)}, repeated())
    expected = RIGHT[:, 0] - RIGHT[:, 1]
    lasting = expected.var() / N
    varying = (RIGHT * (1 - RIGHT)).sum(axis=1).mean() / N
    assert apart.n_repeats == REPEATS
    assert apart.lasting == pytest.approx(lasting, rel=0.15)
    assert apart.variance == pytest.approx(lasting + varying / REPEATS, rel=0.1)
    assert 0.7 * varying < apart.varying < 1.7 * varying  # by 16 repeats
    assert "the 800 rows are enough" in told


def test_luck_of_fits_is_seen_between_repeats(monkeypatch):
    """All rows of a fold are moved together, by 0.2 to either side: 0.04 / 2 folds."""
    models = {"a": Lucky(0, together=True), "b": Lucky(1, steady=True)}
    apart, _ = found(monkeypatch, models, repeated(40))
    assert apart.varying == pytest.approx(0.02, rel=0.5)
    assert apart.varying > 20 * (apart.variance - apart.lasting)  # which rows do not show


@pytest.mark.parametrize(
    ("scoring", "cv"),
    [
        ("accuracy", RepeatedKFold(n_splits=3, n_repeats=3, random_state=0)),
        ("f1", RepeatedKFold(n_splits=3, n_repeats=4, random_state=0)),
    ],
)
def test_models_that_say_the_same_again_gain_nothing(monkeypatch, scoring, cv):
    rng = np.random.default_rng(0)
    x = np.column_stack([Y + rng.normal(size=N), Y + rng.normal(size=N)])

    class Column(Lucky):
        def predict(self, X):
            return (X[:, self.column] > 0.5).astype(int)

    apart, told = found(monkeypatch, {"a": Column(0), "b": Column(1)}, cv, x, scoring=scoring)
    if scoring == "accuracy":  # folds of other sizes weigh rows a little
        assert apart.lasting == pytest.approx(apart.variance, rel=1e-3)
    assert apart.lasting == pytest.approx(apart.variance, rel=0.02)
    assert told.endswith(
        "; more repeats of the folds are not enough: the noise of the rows remains"
    )


@pytest.mark.parametrize("cv", [KFold(4), GroupKFold(4)])
def test_one_repeat_does_not_tell(monkeypatch, cv):
    x = np.column_stack([Y, np.full(N, 0.7), np.full(N, 0.69)])
    groups, units = (None, "rows") if isinstance(cv, KFold) else (np.arange(N) // 2, "groups")
    apart, told = found(monkeypatch, {"a": Lucky(0), "b": Lucky(1)}, cv, x, groups=groups)
    assert (apart.n_repeats, apart.lasting) == (1, None)
    end = "repeat the folds to see whether more repeats would help"
    assert told.endswith(f"{units} (power 80 %; now {N // (1 + (units != 'rows'))}); {end}")


def test_metrics_that_are_drawn(monkeypatch):
    """Draws of rows share what rows add for good, in either half of the repeats."""
    rng = np.random.default_rng(0)
    x = np.column_stack([Y + rng.normal(size=N), Y + rng.normal(size=N)])

    class Column(Lucky):
        def decision_function(self, X):
            return X[:, self.column] + 3 * self.steady * LUCK.random(len(X))

    models = {"a": Column(0), "b": Column(1)}
    cv = RepeatedKFold(n_splits=2, n_repeats=2, random_state=0)
    options = {"scoring": "ks_statistic", "n_resamples": 400}
    apart, _ = found(monkeypatch, models, cv, x, **options)
    assert apart.lasting == pytest.approx(apart.variance, rel=0.25)
    models = {name: model.set_params(steady=True) for name, model in models.items()}
    noisy, _ = found(monkeypatch, models, cv, x, **options)
    assert noisy.lasting < 0.85 * noisy.variance


def test_metrics_of_rows_are_drawn_a_hundred_times_at_most(monkeypatch):
    """Where each draw is computed by itself: more draws asked for change nothing."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    x = rng.dirichlet([1, 1, 1], (60, 2)).reshape(60, 6)

    class Columns(Lucky):
        def predict_proba(self, X):
            return X[:, 3 * self.column : 3 * self.column + 3]

    variances = {}
    for n_draws in (90, 150, 300):
        seen, _ = found(
            monkeypatch, {"a": Columns(0), "b": Columns(1)}, KFold(2), x, y,
            scoring="neg_expected_calibration_error_top_label", n_resamples=n_draws,
        )  # fmt: skip
        variances[n_draws] = seen.variance
    assert variances[90] != variances[150] == variances[300] > 0


def test_noise_of_folds_by_hand(monkeypatch):
    """A share of 1 / J goes away, that of overlapping training sets does not."""
    splits = np.array([[0.5, 0.7, 0.6, 0.8], [0.4, 0.4, 0.6, 0.6]])
    noise = of_folds(splits, 0.25, "no rows")
    spread = np.cov(splits)
    assert noise.joint.covariance == pytest.approx(spread * (1 / 4 + 0.25))
    assert noise.errors == pytest.approx(np.sqrt(np.diag(spread) / 2))
    assert noise.lasting == pytest.approx(spread * 0.25)
    assert (noise.n_units, noise.unit) == (4, "folds")
    apart = TopTwoDifference.of(0, splits, np.zeros(4, dtype=int), noise)
    of_difference = np.var(splits[0] - splits[1], ddof=1)
    assert apart.lasting == pytest.approx(of_difference * 0.25)
    assert apart.varying == pytest.approx(of_difference / 4)  # of one repeat of these folds

    def right(true, pred):
        return np.mean(true == pred)

    apart, _ = found(
        monkeypatch, {"a": Lucky(0), "b": Lucky(1)}, KFold(4), scoring=make_scorer(right)
    )
    assert apart.lasting == pytest.approx(apart.variance * (1 / 3) / (1 / 4 + 1 / 3))


def test_repeats_to_tell():
    """As many as leave the variance of which the difference is 1.96 + 0.8416 standard errors."""
    assert repeats_to_separate(0.1, 0.0, POWER * 0.1, 0.95) == pytest.approx(
        0.1 * POWER**2 / 0.01, 1e-4
    )
    needed = repeats_to_separate(0.1, 0.0005, 0.02, 0.95)
    assert 0.0005 + 0.02 / needed == pytest.approx(0.01 / POWER, rel=1e-4)
    assert repeats_to_separate(0.1, 0.01, 0.02, 0.95) == np.inf


@pytest.mark.parametrize(
    ("lasting", "n_units", "end"),
    [
        (None, 100, "; repeat the folds to see whether more repeats would help"),
        (0.0011, 100, "; or about 22 repeats of the folds (now 2)"),
        (
            0.0014,
            100,
            "; more repeats of the folds are not enough: the noise of the rows remains",
        ),
    ],
)
def test_what_is_told(lasting, n_units, end):
    apart = TopTwoDifference(np.array([0.12, 0.08]), np.array([0, 1]), 0.003, lasting)
    told = apart.description(n_units, "rows", 0.95)
    start = "separating the top two (difference 0.1) takes about 240 rows (power 80 %; "
    assert told == f"{start}now 100){end}"
    enough = TopTwoDifference(np.array([0.3, 0.1]), np.array([0, 1]), 0.001, 0.0005).description(
        100, "rows", 0.95
    )
    start = "the 100 rows are enough to separate the top two candidates, with about 4 repeats"
    assert enough == f"{start} of the folds (now 2)"
    same = TopTwoDifference(np.zeros(2), np.zeros(2, dtype=int), 0.1, None).description(
        100, "rows", 0.95
    )
    assert "have the same value" in same


def test_repeats_are_found_in_the_folds():
    def of(splitter):
        return rounds_of([Fold(k, *two) for k, two in enumerate(splitter.split(X))], N).tolist()

    assert of(KFold(3)) == [0, 0, 0]
    assert of(RepeatedKFold(n_splits=2, n_repeats=3)) == [0, 0, 1, 1, 2, 2]
    assert of(ShuffleSplit(4, test_size=0.5, random_state=0)) == [0, 1, 2, 3]
    three = [Fold(k, np.arange(N), np.array(own)) for k, own in enumerate([[0], [1], [0]])]
    assert rounds_of(three, N).tolist() == [0, 0, 0]  # the second repeat is not whole


def test_the_first_two():
    splits = np.array([[0.1, 0.3], [0.5, 0.7], [0.4, 0.6]])
    covariance = np.diag([1.0, 2.0, 4.0])
    noise = MeanNoise(CandidateNoise(np.sqrt(covariance)), covariance / 2, 100, "rows")
    apart = TopTwoDifference.of(2, splits, np.zeros(2, dtype=int), noise)
    assert apart.folds == pytest.approx([-0.1, -0.1])  # the chosen one, against the best
    assert (apart.variance, apart.lasting) == pytest.approx((6.0, 3.0))

"""Worked examples of teaching notes, by hand: the expected values are fractions."""

from fractions import Fraction
from math import inf, log

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import skmetrics_ext as sx
from skmetrics_ext.tallies import ConfusionTally, RankTally


def equals(fraction):
    return pytest.approx(float(fraction), rel=1e-14, abs=1e-15)


def columns(tp, fp, fn, tn):
    """Labels with these counts, the positive class 1."""
    y_true = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    return y_true, np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])


RATES = [
    # a lake of 1400 carp and 600 other fish, one cast of the net
    ((700, 300, 700, 300), {"precision_score": Fraction(7, 10), "recall_score": Fraction(1, 2)}),
    ((700, 300, 700, 300), {"f1_score": Fraction(7, 12)}),
    # the whole lake is caught
    (
        (1400, 600, 0, 0),
        {"precision_score": Fraction(7, 10), "recall_score": 1, "f1_score": Fraction(14, 17)},
    ),
    # two algorithms on the same 303 rows
    (
        (142, 22, 29, 110),
        {
            "accuracy_score": Fraction(84, 101),
            "error_rate": Fraction(17, 101),
            "precision_score": Fraction(71, 82),
            "recall_score": Fraction(142, 171),
            "false_positive_rate": Fraction(1, 6),
            "specificity_score": Fraction(5, 6),
            "f1_score": Fraction(284, 335),
        },
    ),
    (
        (139, 20, 32, 112),
        {
            "accuracy_score": Fraction(251, 303),
            "precision_score": Fraction(139, 159),
            "recall_score": Fraction(139, 171),
            "false_positive_rate": Fraction(5, 33),
            "f1_score": Fraction(139, 165),
        },
    ),
]
CASES = [(counts, name, value) for counts, values in RATES for name, value in values.items()]


@pytest.mark.parametrize(("counts", "name", "value"), CASES)
def test_rates(counts, name, value):
    assert getattr(sx, name)(*columns(*counts)) == equals(value)
    # The counts alone are read the same.
    tp, fp, fn, tn = counts
    tally = ConfusionTally.from_table([[tn, fp], [fn, tp]])
    assert getattr(sx, name)(tally, tally) == equals(value)


@pytest.mark.parametrize(
    ("beta", "value"),
    [
        (2, Fraction(35, 66)),
        (0.5, Fraction(35, 54)),
        (1, Fraction(7, 12)),
        (0, Fraction(7, 10)),
        (inf, Fraction(1, 2)),
    ],
)
def test_f_scores_of_one_cast(beta, value):
    assert sx.fbeta_score(*columns(700, 300, 700, 300), beta=beta) == equals(value)


class TestThreeRows:
    """y_true [1, 2, 3], y_pred [1, 1, 3]: class 2 is never predicted."""

    args = ([1, 2, 3], [1, 1, 3])

    @pytest.mark.parametrize(
        ("function", "per_class", "macro"),
        [
            (sx.precision_score, (Fraction(1, 2), 0, 1), Fraction(1, 2)),
            (sx.recall_score, (1, 0, 1), Fraction(2, 3)),
            (sx.f1_score, (Fraction(2, 3), 0, 1), Fraction(5, 9)),
        ],
    )
    def test_rates_and_averages(self, function, per_class, macro):
        options = {"zero_division": 0}
        got = function(*self.args, average=None, **options)
        assert got.tolist() == [equals(value) for value in per_class]
        assert function(*self.args, average="macro", **options) == equals(macro)
        assert function(*self.args, average="micro", **options) == equals(Fraction(2, 3))
        assert function(*self.args, average="weighted", **options) == equals(macro)

    def test_a_class_never_predicted_may_be_left_out(self):
        got = sx.precision_score(*self.args, average="macro", zero_division=np.nan)
        assert got == equals(Fraction(3, 4))

    def test_two_macro_f1s(self):
        assert sx.fbeta_of_averages_score(*self.args, zero_division=0) == equals(Fraction(4, 7))

    def test_mean_table(self):
        (tn, fp), (fn, tp) = sx.averaged_confusion(*self.args)
        expected = [
            equals(value)
            for value in (Fraction(5, 3), Fraction(1, 3), Fraction(1, 3), Fraction(2, 3))
        ]
        assert [tn, fp, fn, tp] == expected


class TestRankingOf20:
    """Twenty rows, ten of each class, told by the 21 points of their ROC curve, in tenths."""

    fpr = (0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 9, 9, 10)
    tpr = (0, 1, 2, 3, 3, 4, 4, 5, 6, 7, 7, 7, 7, 8, 8, 9, 9, 9, 9, 10, 10)
    y_true = np.diff(tpr)  # a step up is a positive row, a step to the right a negative one
    score = np.arange(20, 0, -1)

    def test_points(self):
        counts = RankTally.from_predictions(self.y_true, self.score).counts()
        assert (0, *counts.fp.tolist()) == self.fpr
        assert (0, *counts.tp.tolist()) == self.tpr

    def test_areas(self):
        assert sx.roc_auc_score(self.y_true, self.score) == equals(Fraction(73, 100))
        assert sx.gini_score(self.y_true, self.score) == equals(Fraction(23, 50))
        assert sx.roc_auc_score(self.y_true, -self.score) == equals(Fraction(27, 100))

    def test_largest_distance(self):
        assert sx.ks_statistic_score(self.y_true, self.score) == equals(Fraction(1, 2))

    def test_average_precision(self):
        """Each step up brings a tenth of recall at the precision of that point."""
        points = zip(self.tpr[1:], self.y_true.tolist(), strict=True)
        exact = sum(Fraction(tp, n) / 10 for n, (tp, step) in enumerate(points, start=1) if step)
        assert float(exact) == pytest.approx(0.778376, abs=5e-7)
        assert sx.average_precision_score(self.y_true, self.score) == equals(exact)


class TestTableOf21:
    """Three classes, 21 rows; every class is predicted as often as it is true."""

    table = np.array([[4, 3, 1], [2, 3, 3], [2, 2, 1]])
    y_true = np.repeat(np.repeat(np.arange(3), 3), table.ravel())
    y_pred = np.repeat(np.tile(np.arange(3), 3), table.ravel())

    def test_table(self):
        assert sx.confusion_matrix(self.y_true, self.y_pred).tolist() == self.table.tolist()

    @pytest.mark.parametrize("function", [sx.precision_score, sx.recall_score, sx.f1_score])
    def test_rates(self, function):
        expected = [equals(value) for value in (Fraction(1, 2), Fraction(3, 8), Fraction(1, 5))]
        assert function(self.y_true, self.y_pred, average=None).tolist() == expected
        assert function(self.y_true, self.y_pred, average="macro") == equals(Fraction(43, 120))
        assert function(self.y_true, self.y_pred, average="micro") == equals(Fraction(8, 21))

    def test_micro_averages_are_the_accuracy(self):
        """Not 16/33, which taking the misses of the last class alone gives."""
        assert sx.accuracy_score(self.y_true, self.y_pred) == equals(Fraction(8, 21))


def test_ties_count_half():
    """A loop that skips the first threshold gives 1/2 here, and 0 for scores all alike."""
    assert sx.roc_auc_score([1, 0, 1, 0], [0.9, 0.9, 0.5, 0.1]) == equals(Fraction(5, 8))
    assert sx.roc_auc_score([1, 0, 1, 0], [0.5] * 4) == equals(Fraction(1, 2))


def test_tiny_rates_are_not_distorted():
    """P = R = 1e-6: a denominator held above 1e-5 would give 2e-7."""
    n = 10**6
    weight = [1, n - 1, n - 1]
    got = sx.f1_score([1, 0, 1], [1, 1, 0], sample_weight=weight)
    assert got == equals(Fraction(1, n))


def test_areas_do_not_depend_on_the_share_of_a_class():
    y_true, score = np.array([0, 1, 0, 1, 1]), np.array([0.1, 0.3, 0.4, 0.4, 0.8])
    once = sx.roc_auc_score(y_true, score)
    assert sx.roc_auc_score(y_true, score, sample_weight=np.where(y_true, 1, 50)) == equals(once)


def test_log_loss_by_hand():
    got = sx.log_loss(["ill", "well"], [[0.9, 0.1], [0.2, 0.8]])
    assert got == pytest.approx(-(log(0.9) + log(0.8)) / 2, rel=1e-14)


def test_random_scores_of_iris():
    """Six digits, as the notes print them."""
    X, y = load_iris(return_X_y=True)
    y_test = train_test_split(X, y, test_size=0.3, random_state=42)[3]
    scores = np.random.RandomState(2025).rand(len(y_test), 3)
    scores /= scores.sum(axis=1, keepdims=True)
    assert sx.roc_auc_score(y_test, scores, multi_class="ovr") == pytest.approx(0.620445, abs=5e-7)
    assert sx.roc_auc_score(y_test, scores, multi_class="ovo") == pytest.approx(0.617409, abs=5e-7)


def test_logistic_regression_on_made_data():
    """Six digits; a loop that reads precision[i] gives 0.927042 for the average precision."""
    X, y = make_classification(n_samples=1000, random_state=42)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=42)
    scores = LogisticRegression().fit(X, y).predict_proba(X_test)[:, 1]
    assert len(y_test) == 300
    assert y_test.sum() == 155
    assert sx.roc_auc_score(y_test, scores) == pytest.approx(0.914171, abs=5e-7)
    assert sx.average_precision_score(y_test, scores) == pytest.approx(0.927529, abs=5e-7)

"""Rankings that can be followed by hand, and two data sets of scikit-learn."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import skmetrics_ext as sx

# Twenty rows from the highest score down, P or N.
RANKING = "PPPNPNPPPNNNPNPNNNPN"
TRUE = [int(letter == "P") for letter in RANKING]
SCORE = [(20 - i) / 20 for i in range(20)]
FPR = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 9, 9, 10]
TPR = [0, 1, 2, 3, 3, 4, 4, 5, 6, 7, 7, 7, 7, 8, 8, 9, 9, 9, 9, 10, 10]


def test_the_twenty_rows_give_twenty_one_points():
    fpr, tpr, thresholds = sx.roc_curve(TRUE, SCORE, drop_intermediate=False)
    assert fpr.tolist() == [k / 10 for k in FPR]
    assert tpr.tolist() == [k / 10 for k in TPR]
    assert thresholds.tolist() == [float("inf"), *SCORE]


def test_numbers_of_the_twenty_rows():
    assert sx.roc_auc_score(TRUE, SCORE) == 73 / 100
    assert sx.gini_score(TRUE, SCORE) == pytest.approx(23 / 50, rel=1e-15)
    fpr, tpr, _ = sx.roc_curve(TRUE, SCORE)
    assert (tpr - fpr).max() == pytest.approx(1 / 2, rel=1e-15)
    hits = [i + 1 for i, true in enumerate(TRUE) if true]
    exact = sum(Fraction(n, rank) for n, rank in enumerate(hits, 1)) / 10
    assert float(exact) == pytest.approx(0.778376, abs=5e-7)
    assert sx.average_precision_score(TRUE, SCORE) == pytest.approx(float(exact), rel=1e-14)


def test_a_tie_at_the_top_counts_half():
    true, score = [1, 0, 1, 0], [0.9, 0.9, 0.5, 0.1]
    assert sx.roc_auc_score(true, score) == 5 / 8
    assert sx.roc_auc_score([1, 0], [0.5, 0.5]) == 1 / 2


def test_a_made_classification():
    X, y = make_classification(n_samples=1000, random_state=42)
    parts = train_test_split(X, y, test_size=0.3, random_state=42)
    score = LogisticRegression().fit(parts[0], parts[2]).predict_proba(parts[1])
    assert (len(parts[3]), parts[3].sum()) == (300, 155)
    assert sx.roc_auc_score(parts[3], score) == pytest.approx(0.914171, abs=5e-7)
    assert sx.average_precision_score(parts[3], score) == pytest.approx(0.927529, abs=5e-7)


def test_random_scores_of_iris():
    y = train_test_split(load_iris().target, test_size=0.3, random_state=42)[1]
    score = np.random.RandomState(2025).rand(len(y), 3)
    score /= score.sum(axis=1, keepdims=True)
    assert sx.roc_auc_score(y, score, multi_class="ovr") == pytest.approx(0.620445, abs=5e-7)
    assert sx.roc_auc_score(y, score, multi_class="ovo") == pytest.approx(0.617409, abs=5e-7)

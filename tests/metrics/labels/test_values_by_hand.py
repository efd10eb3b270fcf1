"""Every label metric on small tables, as fractions worked by hand."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import skmetrics_ext as m
from skmetrics_ext import METRICS

from .tables import BINARY, TWENTY_ONE, written_out

# Of BINARY: precision 3/4, recall 3/5, specificity 4/5, NPV 2/3.
OF_BINARY = {
    "accuracy_score": Fraction(7, 10),
    "zero_one_loss": Fraction(3, 10),
    "error_rate": Fraction(3, 10),
    "hamming_loss": Fraction(3, 10),
    "precision_score": Fraction(3, 4),
    "recall_score": Fraction(3, 5),
    "specificity_score": Fraction(4, 5),
    "negative_predictive_value_score": Fraction(2, 3),
    "false_positive_rate": Fraction(1, 5),
    "false_negative_rate": Fraction(2, 5),
    "false_discovery_rate": Fraction(1, 4),
    "false_omission_rate": Fraction(1, 3),
    "prevalence": Fraction(1, 2),
    "detection_rate": Fraction(3, 10),
    "detection_prevalence": Fraction(2, 5),
    "f1_score": Fraction(2, 3),
    "fbeta_score": Fraction(5, 8),  # beta = 2 in the registry
    "jaccard_score": Fraction(1, 2),
    "youden_j_score": Fraction(2, 5),
    "markedness_score": Fraction(5, 12),
    "positive_likelihood_ratio": Fraction(3),
    "negative_likelihood_ratio": Fraction(1, 2),
    "diagnostic_odds_ratio": Fraction(6),
    "fowlkes_mallows_index_score": sqrt(Fraction(9, 20)),
    "balanced_accuracy_score": Fraction(7, 10),
    "geometric_mean_score": sqrt(Fraction(12, 25)),
    "index_balanced_accuracy_score": Fraction(98, 100) * Fraction(12, 25),
    "fbeta_of_averages_score": Fraction(119, 169),  # of the means 17/24 and 7/10
    "no_information_rate": Fraction(1, 2),
    "matthews_corrcoef": 10 / sqrt(600),
    "cohen_kappa_score": Fraction(2, 5),
    "scott_pi_score": Fraction(78, 198),
    "fleiss_kappa_score": Fraction(78, 198),
    "gwet_ac1_score": Fraction(82, 202),
    "brennan_prediger_score": Fraction(2, 5),
    "krippendorff_alpha_score": Fraction(84, 198),
    "macro_averaged_mean_absolute_error": Fraction(3, 10),
    "precision_gain": Fraction(2, 3),
    "recall_gain": Fraction(1, 3),
    "f1_gain": Fraction(1, 2),
}

# Of TWENTY_ONE: both margins are (8, 8, 5).
OF_TWENTY_ONE = {
    "accuracy_score": Fraction(8, 21),
    "balanced_accuracy_score": Fraction(43, 120),
    "matthews_corrcoef": Fraction(5, 96),
    "cohen_kappa_score": Fraction(5, 96),
    "scott_pi_score": Fraction(5, 96),
    "fleiss_kappa_score": Fraction(5, 96),
    "gwet_ac1_score": Fraction(8, 99),
    "brennan_prediger_score": Fraction(1, 14),
    "krippendorff_alpha_score": Fraction(43, 576),
    "no_information_rate": Fraction(8, 21),
    "fbeta_of_averages_score": Fraction(43, 120),
    "geometric_mean_score": float(Fraction(1, 2) * Fraction(3, 8) * Fraction(1, 5)) ** (1 / 3),
    # Mean distances (5/8, 5/8, 6/5) of the rows of the three grades.
    "macro_averaged_mean_absolute_error": Fraction(49, 60),
}


@pytest.mark.parametrize("name", OF_BINARY)
def test_binary(name: str) -> None:
    spec = METRICS[name]
    got = spec.function(*written_out(BINARY), **spec.params)
    assert got == pytest.approx(float(OF_BINARY[name]), rel=1e-14)


@pytest.mark.parametrize("name", OF_TWENTY_ONE)
def test_three_classes(name: str) -> None:
    got = METRICS[name].function(*written_out(TWENTY_ONE))
    assert got == pytest.approx(float(OF_TWENTY_ONE[name]), rel=1e-14)


def test_each_scored_label_metric_has_a_value_by_hand() -> None:
    """Those of statistics of the table stand in test_statistics."""
    scored = {name for name, s in METRICS.items() if s.response == "labels" and s.scorer}
    statistics = {name for name in scored if hasattr(METRICS[name].function, "statistic")}
    assert scored - statistics <= OF_BINARY.keys()


def test_tables() -> None:
    true, pred = written_out(TWENTY_ONE)
    assert m.confusion_matrix(true, pred).tolist() == TWENTY_ONE
    tables = m.multilabel_confusion_matrix(true, pred)
    assert tables.tolist() == [[[9, 4], [4, 4]], [[8, 5], [5, 3]], [[12, 4], [4, 1]]]
    np.testing.assert_allclose(
        m.averaged_confusion(true, pred), [[29 / 3, 13 / 3], [13 / 3, 8 / 3]], rtol=1e-15
    )
    np.testing.assert_allclose(
        m.confusion_matrix(true, pred, normalize="true")[2], [2 / 5, 2 / 5, 1 / 5], rtol=1e-15
    )


def test_likelihood_ratios() -> None:
    assert m.class_likelihood_ratios(*written_out(BINARY)) == pytest.approx((3, 0.5), rel=1e-14)


@pytest.mark.parametrize(
    ("average", "value"),
    [
        (None, [Fraction(1, 2), Fraction(3, 8), Fraction(1, 5)]),
        ("macro", Fraction(43, 120)),
        ("micro", Fraction(8, 21)),
        ("weighted", Fraction(8, 21)),
    ],
)
@pytest.mark.parametrize("metric", [m.precision_score, m.recall_score, m.f1_score])
def test_twenty_one_samples(metric, average, value) -> None:
    got = metric(*written_out(TWENTY_ONE), average=average)
    np.testing.assert_allclose(got, np.array(value, dtype=float), rtol=1e-15)


@pytest.mark.parametrize(
    ("cells", "values"),
    [  # tp, fp, fn, tn of a cast of the net; precision, recall, F1, F2, F0.5
        (
            (700, 300, 700, 300),
            (Fraction(7, 10), Fraction(1, 2), Fraction(7, 12), Fraction(35, 66), Fraction(35, 54)),
        ),
        (
            (1400, 600, 0, 0),
            (Fraction(7, 10), Fraction(1), Fraction(14, 17), Fraction(35, 38), Fraction(35, 47)),
        ),
    ],
)
def test_carp(cells, values) -> None:
    tp, fp, fn, tn = cells
    labels = written_out([[tn, fp], [fn, tp]])
    got = [
        m.precision_score(*labels),
        m.recall_score(*labels),
        m.f1_score(*labels),
        m.fbeta_score(*labels, beta=2),
        m.fbeta_score(*labels, beta=0.5),
    ]
    np.testing.assert_allclose(got, np.array(values, dtype=float), rtol=1e-15)


@pytest.mark.parametrize(
    ("table", "values"),
    [  # accuracy, precision, recall, FPR, F1
        (
            [[110, 22], [29, 142]],
            (
                Fraction(84, 101),
                Fraction(71, 82),
                Fraction(142, 171),
                Fraction(1, 6),
                Fraction(284, 335),
            ),
        ),
        (
            [[112, 20], [32, 139]],
            (
                Fraction(251, 303),
                Fraction(139, 159),
                Fraction(139, 171),
                Fraction(5, 33),
                Fraction(139, 165),
            ),
        ),
    ],
)
def test_two_algorithms(table, values) -> None:
    metrics = (m.accuracy_score, m.precision_score, m.recall_score, m.false_positive_rate)
    got = [metric(*written_out(table)) for metric in (*metrics, m.f1_score)]
    np.testing.assert_allclose(got, np.array(values, dtype=float), rtol=1e-15)


def test_both_macro_f1() -> None:
    labels = [1, 2, 3], [1, 1, 3]
    assert m.f1_score(*labels, average="macro", zero_division=0) == pytest.approx(5 / 9)
    assert m.fbeta_of_averages_score(*labels, zero_division=0) == pytest.approx(4 / 7)
    assert m.f1_score(*labels, average="weighted", zero_division=0) == pytest.approx(5 / 9)
    assert m.f1_score(*labels, average="micro") == pytest.approx(2 / 3)
    np.testing.assert_allclose(m.averaged_confusion(*labels), [[5 / 3, 1 / 3], [1 / 3, 2 / 3]])

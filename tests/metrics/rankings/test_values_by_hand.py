"""Every metric of a ranking on twenty rows, as fractions worked by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from skmetrics_ext import METRICS

from .rankings import TWENTY, TWENTY_SCORES

# Probabilities in the same order, so that all metrics can read them.
SCORES = [score / 20 for score in TWENTY_SCORES]
# Of the ten positive rows, from the highest score down.
RANKS = (1, 2, 3, 5, 7, 8, 9, 13, 15, 19)
HITS = tuple(enumerate(RANKS, start=1))

# At the parameters of the registry, which a comment names.
OF_TWENTY = {
    "roc_auc_score": Fraction(73, 100),
    "gini_score": Fraction(23, 50),
    "ks_statistic_score": Fraction(1, 2),  # 7 of 10 less 2 of 10
    "gain_capture_score": Fraction(23, 50),
    "lift_score": Fraction(2),  # of a tenth of the rows
    "equal_error_rate": Fraction(3, 10),  # 7 positive and 3 negative rows on top
    "sensitivity_at_specificity": Fraction(2, 5),  # of 9/10: one negative row on top
    "specificity_at_sensitivity": Fraction(2, 5),  # of 9/10: 6 negative rows on top
    "precision_at_recall": Fraction(9, 15),  # of 9/10
    "recall_at_precision": Fraction(3, 10),  # of 9/10
    "net_benefit": Fraction(7, 20) - Fraction(4, 20),  # at 1/2, which the eleventh row has
    "average_precision_score": sum(Fraction(n, rank) for n, rank in HITS) / 10,
    # Of a trapezoid before each positive row; the curve begins at a precision of 1.
    "pr_auc_score": (
        1 + 1 + sum(Fraction(n - 1, rank - 1) + Fraction(n, rank) for n, rank in HITS[1:])
    )
    / 20,
    # Up to a false positive rate of 1/10 the curve is at 3/10: 1/40 above chance of 19/200.
    "partial_roc_auc_score": Fraction(12, 19),
    # False and true positives (0, 3), (2, 7), (6, 9), (9, 10) and (10, 10) are the corners.
    "roc_auc_convex_hull_score": (10 + 32 + Fraction(57, 2) + 10) / 100,
    # The corners change at costs of 1/4, 1/3 and 2/3; the integrals of (9 c, 1 + 5 c, 3 - c,
    # 7 - 7 c) with the density 6 c (1 - c), over that of 10 min(c, 1 - c).
    "h_measure_score": 1
    - (
        Fraction(117, 512)
        + (Fraction(7, 27) - Fraction(5, 32) + 5 * (Fraction(1, 18) - Fraction(13, 512)))
        + (3 * Fraction(13, 27) - (Fraction(8, 27) - Fraction(1, 18)))
        + 7 * (Fraction(7, 27) - (Fraction(1, 2) - Fraction(8, 27)))
    )
    / Fraction(25, 8),
    # Gains are 1 - FN/TP and 1 - FP/TP, from 5 positive rows on top to all 10.
    "auprg_score": Fraction(1, 3) * (Fraction(3, 5) + Fraction(2, 3)) / 2
    + Fraction(5, 21) * (Fraction(2, 3) + Fraction(5, 7)) / 2
    + Fraction(5, 28) * (Fraction(2, 7) + Fraction(3, 8)) / 2
    + Fraction(5, 36) * (Fraction(1, 4) + Fraction(1, 3)) / 2
    + Fraction(1, 9) * (Fraction(0) + Fraction(1, 10)) / 2,
}


@pytest.mark.parametrize("name", OF_TWENTY)
def test_twenty_rows(name: str) -> None:
    spec = METRICS[name]
    got = spec.function(TWENTY, SCORES, **spec.params)
    assert got == pytest.approx(float(OF_TWENTY[name]), rel=1e-14)


def test_each_metric_of_a_ranking_has_a_value_by_hand() -> None:
    """All but those that read the scores as probabilities of bins."""
    ranked = {name for name, spec in METRICS.items() if spec.tally == "ranks"}
    assert ranked - OF_TWENTY.keys() == {"expected_calibration_error", "smooth_calibration_error"}
    assert ranked >= OF_TWENTY.keys()

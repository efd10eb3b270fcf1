"""Names of scorers: a suffix for what they set, and neg_ for losses."""

from dataclasses import replace

import pytest
from sklearn.metrics import get_scorer_names

from skmetrics_ext import METRICS

AVERAGES = ("macro", "micro", "weighted", "samples")
EXPECTED = {
    "f1_score": {"f1": {}} | {f"f1_{name}": {"average": name} for name in AVERAGES},
    "brier_score_loss": {"neg_brier_score": {}},
    "equal_error_rate": {
        "neg_equal_error_rate": {},
        "neg_equal_error_rate_weighted": {"average": "weighted"},
    },
    "sensitivity_at_specificity": {
        f"sensitivity_at_specificity_{percent}": {"specificity": percent / 100}
        for percent in (90, 80, 95, 99)
    },
}


@pytest.mark.parametrize("name", EXPECTED)
def test_names_of_scorers_and_what_they_set(name):
    row = METRICS[name]
    assert replace(row).scorers == row.scorers == EXPECTED[name]
    if name in ("f1_score", "brier_score_loss"):
        assert set(EXPECTED[name]) <= set(get_scorer_names())


def test_a_row_without_a_scorer_has_no_names():
    assert replace(METRICS["f1_score"], scorer=None).scorers == {}

"""Every deprecated name that another call replaces: both answer, with the same numbers."""

import numpy as np
import pytest
from support.public import DEPRECATED, PUBLIC

import skmetrics_ext as sx

TRUE = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1])
PRED = np.array([0, 1, 1, 1, 0, 0, 1, 0, 1, 1])

# Old name -> its call, and the new one.
REPLACEMENTS = {
    name: (lambda old: old(TRUE, PRED), f"confusion_statistic(TRUE, PRED, {new!r})[1]")
    for name, new in {
        "detection_rate": "detection_rate",
        "f1_gain_score": "f1_gain",
        "precision_gain_score": "precision_gain",
        "recall_gain_score": "recall_gain",
    }.items()
}


def test_every_replaced_name_is_here():
    assert REPLACEMENTS.keys() == DEPRECATED.keys()


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_the_new_call_has_the_number_of_the_old(name):
    old, new = REPLACEMENTS[name]
    found = eval(new, {**globals(), **PUBLIC})
    np.testing.assert_allclose(found, old(DEPRECATED[name]), rtol=1e-12)


def test_old_names_of_metrics_are_read_with_a_warning():
    with pytest.warns(FutureWarning, match="use METRICS.recall_gain"):
        found = sx.METRICS["recall_gain_score"]
    assert found is sx.METRICS["recall_gain"]
    with pytest.warns(FutureWarning, match="skmetrics_ext.metrics.recall_gain_score is deprecated"):
        assert sx.metrics.recall_gain_score is found.function

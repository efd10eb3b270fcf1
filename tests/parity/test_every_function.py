"""Every public function that scikit-learn has by the same name has a row above."""

import sklearn.metrics

import skmetrics_ext
from parity import test_labels, test_scores

# Not metrics: they are tested in tests/scoring and tests/plotting.
OTHER = {"get_scorer", "get_scorer_names", "make_scorer", "ConfusionMatrixDisplay"}


def test_every_shared_name_is_compared():
    rows = {row[0].partition(" ")[0] for row in (*test_labels.ROWS, *test_scores.ROWS)}
    shared = set(skmetrics_ext.__all__) & set(sklearn.metrics.__all__)
    rows |= {"auc", "metric_at_thresholds"}  # have tests of their own
    assert shared - OTHER <= rows, "write one row in test_labels.py or test_scores.py for each"
    assert {name for name in rows if hasattr(sklearn.metrics, name)} <= shared

"""Rankings of draws: areas of many draws at once."""

import numpy as np
from support.compare import same

from skmetrics_ext import gini_score, roc_auc_score
from skmetrics_ext.inference.draws.readers import sample_of_rows

from .drawing import rows_drawn


def test_areas_of_draws_are_exact_with_ties_and_weights(scores):
    true, score = scores
    rng = np.random.default_rng(0)
    for metric, public in (("roc_auc", roc_auc_score), ("gini", gini_score)):
        reading = sample_of_rows(metric, true, score)
        counts = rng.integers(0, 3, (4, 150))
        expected = [public(true, score, sample_weight=count) for count in counts]
        same(rows_drawn(reading, counts), np.array(expected))
    weight = rng.integers(1, 4, 150) / 4
    reading = sample_of_rows("roc_auc", true, score, sample_weight=weight)
    expected = [roc_auc_score(true, score, sample_weight=weight * count) for count in counts]
    same(rows_drawn(reading, counts), np.array(expected))

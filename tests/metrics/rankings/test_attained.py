"""The recall that a largest precision attains is the last one at which it is the largest."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skmetrics_ext.metrics.rankings.operating_points import precision_at
from skmetrics_ext.tallies import RankTally

WEIGHTS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9)


@given(mass=WEIGHTS, recall=st.floats(0, 1))
def test_no_greater_recall_has_the_precision(mass, recall):
    table = np.array([(1, 1), *mass]).T
    tally = RankTally(-np.arange(len(mass) + 1.0), table)
    largest, attained = (precision_at(tally, recall, method) for method in ("step", "attained"))
    assert attained >= recall * (1 - 1e-9)
    assert precision_at(tally, attained) == largest
    assert attained > 1 - 1e-9 or precision_at(tally, attained + 1e-9) < largest


def test_by_hand():
    """Precision 4 / 5 of the first score is the largest; its recall is 4 of 6."""
    tally = RankTally(np.array([3.0, 2.0, 1.0]), np.array([[1, 2, 3], [4, 1, 1]]))
    assert precision_at(tally, 0.5) == 0.8
    assert precision_at(tally, 0.5, "attained") == 4 / 6

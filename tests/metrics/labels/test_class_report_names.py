"""Names of the rows of the report where labels are of several types."""

import numpy as np
import pytest
from sklearn import metrics as sk

import skmetrics_ext as m

BOOLEANS = [True, False, True, True]
NUMBERS = [1, 0, 0, 1]


@pytest.mark.parametrize(
    ("true", "pred"),
    [
        (BOOLEANS, NUMBERS),
        (NUMBERS, BOOLEANS),
        (BOOLEANS, [1.0, 0.0, 0.0, 1.0]),
        (BOOLEANS, BOOLEANS),
        ([True, True, True, True], NUMBERS),
        (BOOLEANS, [2, 0, 0, 1]),
        (np.array(BOOLEANS), np.array(NUMBERS, dtype=np.uint8)),
    ],
)
def test_true_and_1_are_called_as_by_scikit_learn(true, pred) -> None:
    options = {"output_dict": True, "zero_division": 0}
    got = m.classification_report(true, pred, **options)
    assert list(got) == list(sk.classification_report(true, pred, **options))

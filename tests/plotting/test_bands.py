"""Bands around curves of one set of rows are those of `curve_band`."""

from functools import partial

import numpy as np
import pytest

import skmetrics_ext as sx
from skmetrics_ext.validation import InvalidParameterError

CASES = {
    "roc": (sx.RocCurvesDisplay, sx.sensitivity_at_specificity, "fpr", lambda x: 1 - x),
    "pr": (sx.PrecisionRecallCurvesDisplay, sx.precision_at_recall, "recall", lambda x: x),
}


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
def test_bounds_are_those_of_the_function(kind, band, binary) -> None:
    y, score = binary
    display, metric, x, turn = CASES[kind]
    groups = np.arange(len(y)) // 2
    about = {"groups": groups, "confidence_level": 0.9, "pos_label": "sick"}
    drawn = display.from_predictions(y, score, band=band, **about)
    columns = drawn.columns()
    metric = partial(metric, method="interpolated")
    found = sx.curve_band(metric, y, score, band=band, random_state=0, **about)
    grid = np.sort(turn(found.at))
    inside = (columns[x] >= grid[0]) & (columns[x] <= grid[-1])
    for name in ("low", "high"):
        bound = getattr(found, name)[np.argsort(turn(found.at))]
        expected = np.interp(columns[x][inside], grid, bound)
        np.testing.assert_allclose(columns[name][inside], expected, rtol=1e-12)
        assert np.isnan(columns[name][~inside]).all()
    assert drawn.bands_[0].get_label() == f"90% {band} band"


def test_averages_have_none(several) -> None:
    y, proba = several
    drawn = sx.RocCurvesDisplay.from_predictions(y, proba, band="pointwise")
    assert [("low" in line.columns) for line in drawn.lines] == [True, True, True, False, False]
    assert len(drawn.bands_) == 3
    assert not sx.RocCurvesDisplay.from_predictions(y, proba, band=None).bands_


def test_other_bands_are_refused(binary) -> None:
    with pytest.raises(InvalidParameterError, match="band has to be one of"):
        sx.RocCurvesDisplay.from_predictions(*binary, pos_label="sick", band="std")

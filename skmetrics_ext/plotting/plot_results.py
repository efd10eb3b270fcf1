"""The drawing function of each class of results: what their ``.plot()`` calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from skmetrics_ext.plotting import all_models, candidates, groups, many_models, of_results
from skmetrics_ext.plotting import weak_slices as slices

PICTURES: Mapping[str, Callable[..., Any]] = {
    "CurveResult": of_results.draw,
    "CrossValidationReport": all_models.draw,
    "ManyComparisons": many_models.draw,
    "Picture": groups.draw,
    "SearchReport": candidates.draw,
    "WeakSlices": slices.draw,
}

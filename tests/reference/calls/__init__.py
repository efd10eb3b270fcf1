"""Quantity -> the call of this package that computes it: the one table of the reference tests.

`CALLS` holds what the package has. `LATER` holds calls written ahead, each with the public
function that it waits for: it counts as a call from the moment ``skmetrics_ext`` has that function.
A quantity in neither is listed in ``pending.txt``. When a metric arrives, its quantities go into
the file of their family here and leave ``pending.txt``.

A key is a quantity of ``data/quantities.json``; for the families ``cm_stat`` and ``table_metric``
it is ``family/member``. A call takes (inputs, params), both by name.
"""

from __future__ import annotations

from support.public import CALLED

from . import (
    auc,
    classical,
    comparisons,
    curves,
    gains,
    intervals,
    labels,
    probabilities,
    scores,
    statistics,
    tables,
)
from .making import Call, Later

CALLS: dict[str, Call] = {
    **auc.CALLS,
    **classical.CALLS,
    **comparisons.CALLS,
    **curves.CALLS,
    **gains.CALLS,
    **intervals.CALLS,
    **labels.CALLS,
    **probabilities.CALLS,
    **scores.CALLS,
    **statistics.CALLS,
    **tables.CALLS,
}
LATER: dict[str, Later] = {**classical.LATER, **labels.LATER, **scores.LATER, **tables.LATER}


def active() -> dict[str, Call]:
    """The calls that must work now."""
    arrived = {item: call for item, (name, call) in LATER.items() if name in CALLED}
    return {**CALLS, **arrived}

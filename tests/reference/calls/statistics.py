"""PyCM's statistics that have no function of their own, by the abbreviation in our table."""

from __future__ import annotations

from typing import Any

import skmetrics_ext
from skmetrics_ext.metrics.labels.summaries import STATISTICS

from .making import Call, Inputs, Params, keywords
from .tables import from_matrix

NOT_OF_PYCM = ("detection_rate", "f1_gain", "precision_gain", "recall_gain")


def on_statistic(name: str) -> Call:
    """Call ``confusion_statistic`` for one name."""

    def call(inputs: Inputs, params: Params) -> Any:
        settings = keywords(inputs, params)
        arguments = inputs["y_true"], inputs["y_pred"], name
        return skmetrics_ext.confusion_statistic(*arguments, **settings)

    return call


CALLS: dict[str, Call] = {
    f"cm_stat/{entry.abbreviation}": from_matrix(on_statistic(name))
    for name, entry in STATISTICS.items()
    if name not in NOT_OF_PYCM
}

"""Curves of a file of predictions, drawn into the page."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from skmetrics_ext.cli.reading import Predictions
from skmetrics_ext.cli.scoring_file import chosen_positive, classes_of


def curves(found: Predictions, positive: Any) -> list[tuple[str, str]]:
    """SVG and caption of the curves of each score of two classes; none without matplotlib."""
    classes = classes_of(found)
    if len(classes) != 2:
        return []
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return []
    from skmetrics_ext.plotting import (
        CalibrationDisplay,
        PrecisionRecallCurvesDisplay,
        RocCurvesDisplay,
    )

    chosen = chosen_positive(classes, positive)
    values = found.frame[found.true].to_numpy()
    true = values.astype(str) if values.dtype == object else values
    marks = (true == chosen).astype(np.int64)
    weight = None if found.weight is None else found.frame[found.weight].to_numpy()
    pictures = []
    for column in found.scores:
        score = found.frame[column].to_numpy().astype(np.float64)
        shown: list[tuple[str, Any]] = [
            ("ROC curve", RocCurvesDisplay),
            ("Precision-recall curve", PrecisionRecallCurvesDisplay),
        ]
        if score.min() >= 0 and score.max() <= 1:
            shown.append(("Calibration", CalibrationDisplay))
        for title, display in shown:
            figure = Figure(figsize=(4.6, 4.2), layout="constrained")
            display.from_predictions(marks, score, sample_weight=weight, ax=figure.subplots())
            pictures.append((_svg(figure), f"{title} of {column}; positive class: {chosen}"))
    return pictures


def _svg(figure: Any) -> str:
    """The picture without what only a file of its own needs."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    whole = text.getvalue()
    picture = whole[whole.index("<svg") :]
    picture = re.sub(r"<metadata>.*?</metadata>", "", picture, flags=re.DOTALL)
    return re.sub(r' (width|height)="[0-9.]+pt"', "", picture, count=2)

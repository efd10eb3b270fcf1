"""Pictures of a file of predictions, drawn into the page."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.cli.prediction_files import Predictions, labels_of
from skmetrics_ext.cli.scoring_file import chosen_positive, classes_of, models_of
from skmetrics_ext.plotting import ConfusionMatrixDisplay
from skmetrics_ext.report.page.charts import SCORES, draw_matrix, draw_scores, left_out, options_of
from skmetrics_ext.scoring.responses import Stored


def charts(
    found: Predictions, positive: Any, confidence_level: float = 0.95
) -> list[tuple[str, str]]:
    """SVG and caption: the curves of all models in one picture, and the confusion matrix."""
    classes = classes_of(found)
    true = labels_of(found.frame, found.true)
    weight = None if found.weight is None else found.frame[found.weight].to_numpy()
    groups = None if found.clusters is None else labels_of(found.frame, found.clusters)
    models = models_of(found, found.frame, classes, positive)
    of_two = len(classes) == 2 and found.scores
    chosen = chosen_positive(classes, positive)
    without = left_out(len(classes), chosen)
    pictures = []
    for title, display in SCORES:
        if title in without:
            continue
        shown = [
            partial(
                display.from_estimator,
                Stored(np.asarray(classes), responses),
                None,
                true,
                sample_weight=weight,
                pos_label=chosen,
                groups=groups,
                confidence_level=confidence_level,
                name=name if of_two else None,
                **options_of(display, len(classes)),
            )
            for name, responses in models
            if not responses.keys().isdisjoint(display.methods)
        ]
        if shown:
            pictures.append((draw_scores(title, display, partial(_draw_all, shown)), title))
    if found.pred is not None:
        draw = partial(
            ConfusionMatrixDisplay.from_predictions,
            true,
            labels_of(found.frame, found.pred),
            labels=classes,
            sample_weight=weight,
        )
        title = f"Confusion matrix of {found.pred}"
        pictures.append((draw_matrix(title, len(classes), draw), title))
    return pictures


def _draw_all(shown: list[Any], ax: Any) -> None:
    for draw in shown:
        draw(ax=ax)

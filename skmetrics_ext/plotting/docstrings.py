"""Paragraphs that the docstrings of displays share, beside those of metrics."""

from __future__ import annotations

from typing import TypeVar

from skmetrics_ext.metrics.documentation import PARAMETERS, document
from skmetrics_ext.plotting.naming_options import name_options

Shown = TypeVar("Shown", bound=type)

BLOCKS = PARAMETERS | {
    "curve_parameters": """
name : str, default=None
    Name of the model.
positive : object, default=None
    The positive class, for binary data.
undefined : mapping of int to str, default=None
    Folds that have no curve, and why.""",
    "curve_attributes": """
ax_, figure_ : matplotlib axes and figure
lines_, fold_lines_ : list of matplotlib lines
    Of the curves, or of their means, and of the folds.
line_ : matplotlib line
    The first of ``lines_``.""",
    "estimator_X_y": """
estimator : object
    Fitted classifier.
X : array-like of shape (n_samples, n_features)
    What it predicts from.
y : array-like of shape (n_samples,)
    True labels.""",
    "cv_results_X_y": """
cv_results : dict
    Of scikit-learn's ``cross_validate(..., return_estimator=True,
    return_indices=True)``.
X, y : array-like
    What was cross-validated.""",
    "model_of_report": """
model : str, default=None
    Name of the model; the only one beside the baseline by default.""",
    "score_pos_label": """
pos_label : int, float, bool or str, default=None
    The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or {-1, 1},
    or True. Other labels have to say, but for ROC curves, which are read from either side:
    theirs is the later one.""",
    "estimator_pos_label": """
pos_label : int, float, bool or str, default=None
    The positive class of two. By default 1 of {0, 1} or {-1, 1}, or True. Other labels have to
    say, but for ROC curves, which are read from either side: theirs is ``classes_[1]``.""",
    "response_method": """
response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
    Where the scores come from; "auto" is the first that the estimator has.""",
    "model_name": """
name : str, default=None
    Name of the model in the legend.""",
    "estimator_name": """
name : str, default=None
    Name in the legend; the class of the estimator by default.""",
    "display_labels": """
display_labels : array-like of shape (n_classes,), default=None
    Names of the classes; the labels by default.""",
    "ax": """
ax : matplotlib axes, default=None
    Where to draw; a new figure by default.""",
    "score_options": """
ax : matplotlib axes, default=None
    Where to draw; a new figure by default. Axes of another display of the same kind are
    added to.
**options : dict
    Those of the class, and arguments of `plot`.""",
    "plot_options": """
**options : dict
    Arguments of `plot`.""",
    "drawn": """
Returns
-------
display
    Drawn.""",
    "axes": """
ax : matplotlib axes or sequence of them, default=None
    Where to draw, one for each metric; a new figure by default.""",
    "baseline": """
baseline : str, default=None
    Name of the model that the others are compared with.""",
    "confidence_level": """
confidence_level : float in (0, 1), default=0.95
    Level of the intervals.""",
}


def document_display(display: Shown) -> Shown:
    """Fill the ``{name}`` lines of the docstrings of a display, and name its options."""
    return name_options(document(display, BLOCKS))

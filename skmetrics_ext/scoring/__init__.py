"""Scorers: metrics of a fitted estimator, safe in cross-validation.

A scorer knows ``estimator.classes_``, which a metric does not: columns of scores are matched
with classes by name, never by position.
"""

from skmetrics_ext.scoring.making import get_scorer, get_scorer_names, make_scorer
from skmetrics_ext.scoring.panel import ScorerPanel
from skmetrics_ext.scoring.recording import PanelResult
from skmetrics_ext.scoring.scorer import Scorer

__all__ = ["PanelResult", "Scorer", "ScorerPanel", "get_scorer", "get_scorer_names", "make_scorer"]

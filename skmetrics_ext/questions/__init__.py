"""Rows and questions: what every entry point hands down, whatever a person passes to it.

`Rows` are true labels with the responses of one model; a `Question` asked of them gives, for each
metric, an `AskedMetric`: the metric with nothing left open, and the checked view that it reads.
"""

from skmetrics_ext.questions.question import AskedMetric, Question
from skmetrics_ext.questions.rows import Rows

__all__ = ["AskedMetric", "Question", "Rows"]

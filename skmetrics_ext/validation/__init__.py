"""Input checks: raw arrays in; codes, scores, probabilities and weights out.

The only layer that rejects user data; all others trust its results.
"""

from skmetrics_ext.validation.errors import InvalidParameterError, check_option, warn_undefined
from skmetrics_ext.validation.labels import Labels, distinct_labels
from skmetrics_ext.validation.probabilities import Probabilities
from skmetrics_ext.validation.rows import check_weight
from skmetrics_ext.validation.scores import Scores

__all__ = [
    "InvalidParameterError",
    "Labels",
    "Probabilities",
    "Scores",
    "check_option",
    "check_weight",
    "distinct_labels",
    "warn_undefined",
]

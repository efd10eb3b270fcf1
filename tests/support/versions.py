"""What the installed scikit-learn has.

The package is tested with 1.6 to 1.9. Its answers are those of 1.9, so tests that compare ask the
installed version for no more than it has. Whether a name is there, or a parameter, is read from
it; the table below has the answers that changed.
"""

import inspect

import sklearn
import sklearn.metrics

INSTALLED = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
# Its answers are those of the pages and of the frozen tables.
IS_REFERENCE = INSTALLED == (1, 9)

# Answers that changed, and the version since which they are those of 1.9. Before, probabilities
# were those of two classes, ratios of 0/0 had a parameter of their own, the curve of errors lacked
# the point above all scores, labels of an unsigned type overflowed, and 0/0 was not told.
SINCE = {
    "brier_score_loss of several classes": (1, 7),
    "class_likelihood_ratios": (1, 7),
    "det_curve": (1, 7),
    "hinge_loss of two classes": (1, 9),
    "cohen_kappa_score warns of 0/0": (1, 9),
}
# Functions that it has since 1.8 or 1.9; those here follow its rules whatever is installed.
LATER = {"confusion_matrix_at_thresholds", "d2_brier_score", "metric_at_thresholds"}


def names(name):
    """Whether scikit-learn 1.9 has a function of this name."""
    return name in LATER or hasattr(sklearn.metrics, name)


def has(name):
    """Whether the installed version has this function, or answers as the table says."""
    if name in SINCE:
        return SINCE[name] <= INSTALLED
    return hasattr(sklearn.metrics, name)


def taken(function, options):
    """The options that a function of the installed version has."""
    known = inspect.signature(function).parameters
    return {name: value for name, value in options.items() if name in known}

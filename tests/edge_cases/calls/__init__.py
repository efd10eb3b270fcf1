"""Case of the CSV -> how it is called."""

from . import classes, containers, dtypes, labels, probabilities, scorers, weights
from .making import Edge

CALLS: dict[str, Edge] = {
    **dtypes.CALLS,
    **weights.CALLS,
    **classes.CALLS,
    **labels.CALLS,
    **containers.CALLS,
    **probabilities.CALLS,
    **scorers.CALLS,
}

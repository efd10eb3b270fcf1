"""Draws of rows, which readings take by their units."""

from skmetrics_ext.inference.draws.atoms import Scatter


def rows_drawn(reading, counts):
    """Values (B, ...) where row i is drawn counts[b, i] times."""
    return reading.statistic(Scatter(reading.atoms.of_row, len(reading.atoms))(counts))

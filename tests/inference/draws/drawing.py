"""Draws of rows, which readings take by their units."""

from skmetrics_ext.inference.draws.units import Scatter


def rows_drawn(reading, counts):
    """Values (B, ...) where row i is drawn counts[b, i] times."""
    return reading.statistic(Scatter(reading.units.of_row, len(reading.units))(counts))

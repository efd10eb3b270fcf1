"""Telling how far a long computation is: the same for reports as everywhere."""

from skmetrics_ext.progress import Progress, reporting

__all__ = ["Progress", "reporting"]

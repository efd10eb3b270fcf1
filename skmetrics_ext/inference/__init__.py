"""Uncertainty: intervals of every metric, and tests of the difference between models."""

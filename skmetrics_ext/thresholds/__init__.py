"""Exact choice of decision thresholds."""

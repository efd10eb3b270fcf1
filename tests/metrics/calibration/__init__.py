"""Calibration: bins, curves, errors, decompositions, tests."""

"""Metrics of probabilities and losses: kernels, specs and public functions."""

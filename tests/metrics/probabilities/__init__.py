"""Losses and proper scores of probabilities."""

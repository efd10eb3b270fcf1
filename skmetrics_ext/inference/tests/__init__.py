"""Tests of hypotheses: paired labels, areas, folds, ranks, data sets."""

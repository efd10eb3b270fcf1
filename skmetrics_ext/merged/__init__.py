"""Metrics from what merges: parts of the rows become small sums, and sums become metrics.

Backends and streams share it: which sums a metric needs (``asked``), how columns become rows
(``columns``), what is summed over rows in any order (``sums``) and over ranges of scores
(``ranges``), and what the public functions say of the sums (``values``).
"""

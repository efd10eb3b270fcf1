"""Metrics from sums that merge.

A data set is read in parts. `layout` settles the metrics and classes, `columns` reads a part,
`sums` adds over rows in any order, `ranges` over ranges of scores, `rankings` presents these to the
metrics, and `evaluation` makes the table.
"""

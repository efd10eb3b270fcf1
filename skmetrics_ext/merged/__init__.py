"""Metrics from sums that merge.

A data set is read in parts. `layout` settles the metrics and classes, `columns` reads a part,
`sums` adds over rows in any order and `ranges` over ranges of scores, `samples` derives statistics
of groups, `stacks` those of many tables at once; `group_values` reads the metrics and `evaluation`
makes the table; `stream` keeps the sums of batches.
"""

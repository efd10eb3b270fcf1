"""METRICS: one row per metric, from the files of rows by what a metric takes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from skmetrics_ext.registry import label_ranking_rows, label_rows, probability_rows, ranking_rows
from skmetrics_ext.registry.spec import MetricSpec

METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    {
        row.name: row
        for rows in (label_rows, ranking_rows, label_ranking_rows, probability_rows)
        for row in rows.ROWS
    }
)

_FURTHER = (*label_rows.FURTHER, *ranking_rows.FURTHER, *probability_rows.FURTHER)

# Also the metrics that need a parameter which nobody can choose for the user: no scorer and no
# law is theirs, but the layers above read them as they read the others.
ROWS: Mapping[str, MetricSpec] = MappingProxyType(
    {
        **METRICS,
        **{row.name: row for row in _FURTHER},
    }
)

"""METRICS: one row per metric, from the files of rows by what a metric takes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from skmetrics_ext.registry import label_ranking_rows, label_rows, probability_rows, ranking_rows
from skmetrics_ext.registry.spec import MetricSpec
from skmetrics_ext.validation import InvalidParameterError


class _Table(dict[str, MetricSpec]):
    """Rows by the name of their function; asked for that of a scorer, the row that it is of."""

    def __missing__(self, name: str) -> MetricSpec:
        from skmetrics_ext.registry.find import find  # which reads this table

        try:
            return find(name).spec
        except InvalidParameterError as error:
            raise KeyError(str(error)) from None


METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    _Table(
        {
            row.name: row
            for rows in (label_rows, ranking_rows, label_ranking_rows, probability_rows)
            for row in rows.ROWS
        }
    )
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

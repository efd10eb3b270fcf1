"""The groups of a table, for operations that ask about them."""

from __future__ import annotations

from typing import Any

from skmetrics_ext.validation import InvalidParameterError


class GroupTable:
    """A table of metrics by group."""

    __slots__ = ()
    groups: Any
    confidence_level: float

    def _of_one_model(self: Any) -> Any:
        """The groups, if all rows are of one model."""
        models = list(dict.fromkeys(row.get("model") for row in self))
        if len(models) > 1:
            raise InvalidParameterError(
                f"groups are compared for one model, and the table has the models {models!s:.80}: "
                "make a table of each."
            )
        return self.groups

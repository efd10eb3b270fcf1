"""What all tallies that add up have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self


class Merges:
    """A tally of rows, that adds to tallies of other rows."""

    __slots__ = ()

    @classmethod
    def combine(cls, parts: Iterable[Any]) -> Self:
        """The tally of the rows of all parts."""
        raise NotImplementedError

    def merge(self, *others: Self) -> Self:
        """The tally of the rows of this one and of others."""
        return self.combine([self, *others])

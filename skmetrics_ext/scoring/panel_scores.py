"""What a panel gives: a dict that says what it is where one number is wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

# Searches that read one number and ask for it by its name in a table of their own.
_ONE_NUMBER = "_search_successive_halving"


class SeveralNumbersError(TypeError):
    """A panel's dict is read as one number.

    No ValueError: scikit-learn passes over one where it asks for ``item``.
    """


class PanelScores(dict[str, float]):
    """Values by name of the metric; as one number it raises a TypeError that says what to pass."""

    __slots__ = ()

    def _one_number(self, *_: Any) -> NoReturn:
        raise SeveralNumbersError(several_numbers(self.keys()))  # `iter` asks who reads

    item = __float__ = __int__ = __neg__ = __abs__ = _one_number
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _one_number
    __lt__ = __le__ = __gt__ = __ge__ = _one_number

    def __iter__(self) -> Iterator[str]:
        frame = sys._getframe(1)
        while frame is not None and frame.f_back is not None:
            if frame.f_globals.get("__name__", "").endswith(_ONE_NUMBER):
                self._one_number()
            frame = frame.f_back
        return super().__iter__()


def several_numbers(names: Iterable[str]) -> str:
    """What is told where one number is wanted of a panel."""
    listed = [*dict.fromkeys(names)]
    return (
        f"A ScorerPanel gives several numbers ({', '.join(listed)}) where one is wanted: pass "
        f"panel.single({listed[0]!r})."
    )

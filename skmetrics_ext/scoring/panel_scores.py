"""What a panel gives: a dict that says what it is where one number is wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

# What reads one number without asking the dict for it: searches that look it up in a table of
# their own, and functions whose error would be one of a list.
_SEARCHES = "_search_successive_halving"
_CURVES = ("learning_curve", "validation_curve")


class SeveralNumbersError(TypeError):
    """A panel's dict is read as one number.

    No ValueError: scikit-learn passes over one where it asks for ``item``.
    """


class PanelScores(dict[str, float]):
    """Values by name of the metric; as one number it raises a TypeError that says what to pass."""

    __slots__ = ()

    def _one_number(self, *_: Any) -> NoReturn:
        raise SeveralNumbersError(several_numbers(self.keys()))  # others ask who reads

    item = __float__ = __int__ = __neg__ = __abs__ = _one_number
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _one_number
    __lt__ = __le__ = __gt__ = __ge__ = _one_number

    def __iter__(self) -> Iterator[str]:
        if any(module.endswith(_SEARCHES) for module, _ in _callers()):
            self._one_number()
        return super().__iter__()

    def items(self) -> Any:
        """Names and values; scikit-learn asks for them before it leaves the process."""
        if any(name in _CURVES and of.startswith("sklearn.") for of, name in _callers()):
            self._one_number()
        return super().items()


def _callers() -> Iterator[tuple[str, str]]:
    """Module and name of the functions that are running."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_back is not None:
        yield frame.f_globals.get("__name__", ""), frame.f_code.co_name
        frame = frame.f_back


def several_numbers(names: Iterable[str]) -> str:
    """What is told where one number is wanted of a panel."""
    listed = [*dict.fromkeys(names)]
    return (
        f"A ScorerPanel gives several numbers ({', '.join(listed)}) where one is wanted: pass "
        f"panel.single({listed[0]!r})."
    )

"""What every reader of data sets shares: errors in our own words, and names of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from skmetrics_ext.backends.work import PartitionError
from skmetrics_ext.merged.columns import Names, Place
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import near, printable, shown_names

_MOST_TEXT = 300

# ``rows(names)`` gives parts with these columns, anew each time, each with its place.
Placed = Iterator[tuple[Any, Place]]
Rows = Callable[[tuple[str, ...]], Placed]


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Tell what could not be read, whichever error the library raises that reads it."""
    try:
        yield
    except (InvalidParameterError, PartitionError, ImportError):
        raise
    except Exception as error:
        text = str(error).strip() or "no reason is given"
        first = printable(text.splitlines()[0])[:_MOST_TEXT]
        raise InvalidParameterError(
            f"{what} cannot be read: {type(error).__name__}: {first}"
        ) from error


def each(what: str, batches: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """The batches of a reader, whose errors are told; those of who takes them are not."""
    with reading(what):
        left = iter(batches())
    while True:
        with reading(what):
            batch = next(left, None)
        if batch is None:
            return
        yield batch


def placed(batches: Iterable[Any], part: str = "", counted_from: int = 0) -> Placed:
    """Batches with their positions."""
    first = 0
    for batch in batches:
        yield batch, Place(part, first, None, counted_from)
        first += int(batch.num_rows) if hasattr(batch, "num_rows") else len(batch)


def check_columns(
    names: Names, found: Iterable[Any], what: str, *, folded: bool = False, hint: str = ""
) -> None:
    """Refuse columns that are not there, or are there twice.

    ``folded`` says that the engine takes names that differ in case only for the same.
    """
    found = list(found)
    missing = [name for name in names.all if name not in found]
    if missing:
        raise InvalidParameterError(
            f"{what} has no column {', '.join(map(repr, missing))}."
            f"{hint or near(str(missing[0]), map(str, found))} "
            f"Columns: {shown_names(found)}."
        )
    for name in names.all:
        alike = [other for other in found if _same(name, other, folded)]
        if len(alike) > 1:
            told = " and ".join(sorted(set(map(repr, alike))))
            why = ", which this engine takes for one" if len(set(alike)) > 1 else ""
            raise InvalidParameterError(
                f"{what} has {len(alike)} columns named {told}{why}: which of them is meant "
                "cannot be said; rename them."
            )


def _same(name: Any, other: Any, folded: bool) -> bool:
    if folded and isinstance(name, str) and isinstance(other, str):
        return name.casefold() == other.casefold()
    return bool(name == other)

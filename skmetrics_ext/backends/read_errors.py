"""Errors of readers in one form, and checks of the names of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from skmetrics_ext.backends.partitions import PartitionError, n_rows_of
from skmetrics_ext.merged.columns import ColumnNames, RowLocation
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import near, printable, shown_names

_MOST_TEXT = 300

# ``rows(names)`` reads the rows anew: batches with these columns, each with its location.
Placed = Iterator[tuple[Any, RowLocation]]
Rows = Callable[[tuple[str, ...]], Placed]


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn the errors of any reader into one that names what cannot be read."""
    try:
        yield
    except (InvalidParameterError, PartitionError, ImportError):
        raise
    except Exception as error:
        text = str(error).strip() or "no reason is given"
        if text == "Query interrupted":  # which DuckDB raises at Ctrl-C
            raise KeyboardInterrupt from error
        first = printable(text.splitlines()[0])[:_MOST_TEXT]
        raise InvalidParameterError(
            f"{what} cannot be read: {type(error).__name__}: {first}"
        ) from error


def guarded_batches(what: str, batches: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """Batches of a reader; `reading` applies to its errors, not to those of the caller."""
    with reading(what):
        remaining = iter(batches())
    while True:
        with reading(what):
            batch = next(remaining, None)
        if batch is None:
            return
        yield batch


def placed(
    batches: Iterable[Any],
    part: str = "",
    counted_from: int = 0,
    line_of: Callable[[int], int | None] | None = None,
) -> Placed:
    """Batches with their locations."""
    first = 0
    for batch in batches:
        yield batch, RowLocation(part, first, counted_from=counted_from, line_of=line_of)
        first += n_rows_of(batch)


def check_columns(
    names: ColumnNames, header: Iterable[Any], what: str, *, folded: bool = False, hint: str = ""
) -> None:
    """Reject columns that are missing or occur twice; ``folded`` if the engine ignores case."""
    header = list(header)
    missing = [name for name in names.all if name not in header]
    if missing:
        raise InvalidParameterError(
            f"{what} has no column {', '.join(map(repr, missing))}."
            f"{hint or near(str(missing[0]), map(str, header))} "
            f"Columns: {shown_names(header)}."
        )
    for name in names.all:
        alike = [
            other
            for other in header
            if name == other or (folded and name.casefold() == str(other).casefold())
        ]
        if len(alike) > 1:
            listed = " and ".join(sorted(set(map(repr, alike))))
            why = ", which this engine does not distinguish" if len(set(alike)) > 1 else ""
            raise InvalidParameterError(
                f"{what} has {len(alike)} columns named {listed}{why}: rename them."
            )

"""Records of JSON as columns; fields of nested objects have dotted names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from skmetrics_ext.backends.csv_files import PLAIN, TextForm
from skmetrics_ext.backends.read_errors import reading
from skmetrics_ext.validation import InvalidParameterError

SHEETS = (".xlsx", ".xlsm", ".xls")
_MOST_COLUMNS = 1000  # of a list of numbers
_NEEDED = "a JSON object for each row is needed, on a line each or in one list"


def read_records(
    file: str, form: TextForm = PLAIN, most: int | None = None
) -> tuple[list[dict[str, Any]], list[int]]:
    """The records of a file, and the line on which each begins if they have lines of their own.

    Of Parquet files only the first ``most`` records.
    """
    if file.lower().endswith(SHEETS):
        return _rows_of_sheet(file), []
    if file.lower().endswith((".parquet", ".pq")):
        import pyarrow.parquet

        with reading(repr(file)), pyarrow.parquet.ParquetFile(file) as stored:
            if most is None:
                return stored.read().to_pylist(), []
            return next(iter(stored.iter_batches(most))).to_pylist(), []
    with reading(repr(file)), form.open(file) as stream:
        text = stream.read()
    if (numbered := _lines(file, text)) is not None:
        return [record for _, record in numbered], [number for number, _ in numbered]
    with reading(repr(file)):
        records = json.loads(text)
    if isinstance(records, dict):  # a log with a list of records
        lists = [each for each in records.values() if _are_records(each)]
        records = lists[0] if len(lists) == 1 else None
    if not _are_records(records):
        raise InvalidParameterError(f"{file!r} holds other JSON: {_NEEDED}.")
    return records, []


def _rows_of_sheet(file: str) -> list[dict[str, Any]]:
    """The rows of the first sheet of an Excel file."""
    try:
        import pandas

        frame = pandas.read_excel(file).astype(object)
    except Exception as error:  # no reader is installed, or the file is damaged
        why = str(error).splitlines()[0]
        raise InvalidParameterError(
            f"{file!r} cannot be read: {why} In Excel: Save as > CSV UTF-8."
        ) from error
    return frame.where(frame.notna(), None).rename(columns=str).to_dict("records")


def _lines(file: str, text: str) -> list[tuple[int, dict[str, Any]]] | None:
    """A record for each line that is not blank; None if the first is no whole record."""
    records: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            record = None
            why = f": {error}"
        else:
            why = f", which holds {line.strip()[:40]}"
        if not isinstance(record, dict):
            if not records:
                return None
            raise InvalidParameterError(f"{file!r} cannot be read at line {number}{why}. {_NEEDED}")
        records.append((number, record))
    return records


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def table_of(records: Sequence[dict[str, Any]]) -> tuple[Any, dict[str, str]]:
    """An Arrow table of the fields, and why others are no column, by name."""
    import pyarrow

    columns: dict[str, list[Any]] = {}
    for row, record in enumerate(records):
        for name, value in _fields(record):
            column = columns.setdefault(name, [None] * len(records))
            if column[row] is not None:
                raise InvalidParameterError(
                    f"Record {row + 1} has two fields named {name!r}: rename one of them."
                )
            column[row] = value
    arrays: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for name, values in columns.items():
        kinds = {type(value) for value in values if value is not None}
        if kinds == {list}:
            parts = _columns_of_lists(name, values)
            if parts is None or parts.keys() & columns.keys():
                left_out[name] = "lists"
            else:
                arrays |= parts
        elif kinds <= {int, float} or len(kinds) == 1:
            kind = pyarrow.float64() if float in kinds else None if kinds else pyarrow.string()
            try:
                arrays[name] = pyarrow.array(values, kind)
            except (pyarrow.ArrowInvalid, OverflowError, UnicodeError):
                left_out[name] = "integers beyond 64 bits, or damaged text"
        else:
            left_out[name] = "values of several types"
    return pyarrow.table(arrays), left_out


def _fields(record: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in record.items():
        if isinstance(value, dict):
            yield from _fields(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _columns_of_lists(name: str, lists: Sequence[Any]) -> dict[str, Any] | None:
    """A column for each place of lists of equally many numbers: ``name_0``, ``name_1``, ..."""
    import pyarrow

    (width, *others) = {len(each) for each in lists if each is not None}
    kinds = set(map(type, chain.from_iterable(each or () for each in lists)))
    if others or not 0 < width <= _MOST_COLUMNS or not kinds <= {int, float}:
        return None
    rows = [[None] * width if each is None else each for each in lists]
    return {
        f"{name}_{place}": pyarrow.array(column, pyarrow.float64())
        for place, column in enumerate(zip(*rows, strict=True))
    }

"""Files of rows: their names, columns and types, and their rows with locations."""

from __future__ import annotations

import glob
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext.backends import csv_files
from skmetrics_ext.backends.csv_files import PLAIN, TextForm
from skmetrics_ext.backends.read_errors import (
    Placed,
    check_columns,
    guarded_batches,
    placed,
    reading,
)
from skmetrics_ext.backends.records import SHEETS, read_records, table_of
from skmetrics_ext.merged.columns import ColumnNames, RowLocation
from skmetrics_ext.slices.coding import MISSING
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import printable

SUFFIXES = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv"}
SUFFIXES |= dict.fromkeys((".jsonl", ".ndjson", ".json", *SHEETS), "json")  # records
ENDINGS = ".parquet, .pq, .csv, .tsv, .jsonl, .json or .xlsx (also .gz, .bz2 or .zst after text)"
_EXTRAS = {
    "duckdb": "duckdb",
    "dask": "dask",
    "pyspark": "spark",
    "pyarrow": "frames",
    "pandas": "frames",
}
BATCH = 1 << 19
_LOOKED_AT = 1000  # records that name the fields of a Parquet file


def require(module: str, what: str) -> None:
    """Raise an error that names the package to install."""
    if util.find_spec(module) is None:
        raise ImportError(f"{what} needs {module}: pip install 'skmetrics-ext[{_EXTRAS[module]}]'")


@dataclass(frozen=True, eq=False, slots=True)
class Files:
    """Checked files: all have the columns, with types that agree.

    Parameters
    ----------
    path : str
        As the user gave it.
    files : tuple of str
    kind : {"parquet", "csv", "json"}
    header : tuple of str
        All columns of the first file, in their order.
    types : dict of str to Arrow type, or to its name
        Types of the columns to read.
    alike : bool
        Whether all files have the same columns in the same order and with the same types.
    form : TextForm
        How CSV files are written.
    complete : tuple of str
        Columns without which a row is left out.
    held : tuple of (record batch, RowLocation) or None
        The rows, if they are in memory.
    n_stored : float
        Number of rows that Parquet files state; infinite for other files.
    """

    path: str
    files: tuple[str, ...]
    kind: str
    header: tuple[str, ...]
    types: dict[str, Any]
    alike: bool
    form: TextForm = PLAIN
    complete: tuple[str, ...] = ()
    held: tuple[tuple[Any, RowLocation], ...] | None = None
    n_stored: float = math.inf

    def rows(self, columns: Sequence[str]) -> Placed:
        """Record batches of some columns, each with its location."""
        read = tuple(dict.fromkeys((*columns, *self.complete)))
        for batch, place in self._all_rows(read) if self.held is None else self.held:
            if self.complete:
                kept = np.flatnonzero(~_lacking(batch.select(self.complete)))
                if len(kept) < batch.num_rows:
                    batch, place = batch.take(kept), replace(place, kept=kept)
            yield batch.select(columns), place

    def hold(self, columns: Sequence[str]) -> Files:
        """These files with some columns in memory."""
        return replace(self, held=tuple(self.rows(columns)), complete=())

    def without_missing(self, columns: Sequence[str], others: Sequence[str] = ()) -> Files:
        """Only the rows without a missing value in these columns; others are read as they are."""
        files = replace(self, complete=tuple(columns))
        return files if self.held is None else files.hold((*columns, *others))

    def first_missing(self, column: str) -> tuple[str, int]:
        """Location of a column's first missing value, and their number."""
        where, n_missing = "", 0
        for batch, place in self.rows((column,)):
            rows = np.flatnonzero(_lacking(batch))
            where = where or (place.of(int(rows[0])) if len(rows) else "")
            n_missing += len(rows)
        return where, n_missing

    @property
    def n_bytes(self) -> int:
        """Size of the files."""
        return sum(Path(file).stat().st_size for file in self.files)

    @property
    def n_rows(self) -> int | None:
        """Number of rows; None unless they are in memory."""
        return None if self.held is None else sum(batch.num_rows for batch, _ in self.held)

    def _all_rows(self, columns: Sequence[str]) -> Placed:
        if self.kind == "csv":
            types = {name: self.types[name] for name in columns}
            yield from csv_files.csv_batches(self.files, types, self.form)
            return
        for file in self.files:
            batches = guarded_batches(repr(file), partial(self._scan, file, columns))
            yield from placed(batches, printable(file), 1)

    def _scan(self, file: str, columns: Sequence[str]) -> Iterator[Any]:
        dataset = self.dataset([file], columns)
        return dataset.to_batches(columns=list(columns), batch_size=BATCH)

    def dataset(self, files: Sequence[str], columns: Sequence[str]) -> Any:
        """Parquet files as an Arrow data set; their names are not parsed."""
        import pyarrow.dataset
        from pyarrow.fs import LocalFileSystem

        schema = pyarrow.schema([(name, self.types[name]) for name in columns])
        options = {"format": "parquet", "filesystem": LocalFileSystem()}
        return pyarrow.dataset.dataset(list(files), schema=schema, **options)

    def reader(self, columns: Sequence[str]) -> Any:
        """The rows as a reader of Arrow batches, which can be read once."""
        import pyarrow

        batches = (batch for batch, _ in self.rows(columns))
        schema = pyarrow.schema([(name, self.types[name]) for name in columns])
        return pyarrow.RecordBatchReader.from_batches(schema, batches)


def kind_of(file: str) -> str | None:
    """Format of a file, from its name: "parquet", "csv" or None."""
    stem, ending = csv_files.stem_of(file)
    kind = SUFFIXES.get(ending)
    return None if kind == "parquet" and stem != str(Path(file)) else kind


def open_files(path: str | Sequence[str], names: ColumnNames, form: TextForm = PLAIN) -> Files:
    """Find the files of a path, folder or glob, and check that they hold the columns."""
    files, kind = _found(path)
    path = path if isinstance(path, str) else ", ".join(path)
    if kind == "parquet" and not _has_records(files[0], names.all):
        return _of_parquet(path, files, names)
    if kind != "csv":
        return _of_records(path, files, names, form)
    headers = [csv_files.header_of(file, form) for file in files]
    for file, header in zip(files, headers, strict=True):
        check_columns(names, header, repr(file), hint=csv_files.separator_hint(header))
    types, form = csv_files.text_types(files, names, form)
    return Files(path, files, "csv", tuple(headers[0]), types, alike=True, form=form)


def columns_of(path: str | Sequence[str], form: TextForm = PLAIN) -> list[str]:
    """Names of the columns of the first file of a path."""
    files, kind = _found(path)
    if kind == "csv":
        return csv_files.header_of(files[0], form)
    if kind == "parquet" and not _has_records(files[0]):
        return _schema(files[0]).names
    read, most = (files, None) if kind == "json" else (files[:1], _LOOKED_AT)
    records = [record for file in read for record in read_records(file, form, most)[0]]
    return list(table_of(records)[0].schema.names)


def _schema(file: str) -> Any:
    import pyarrow.parquet

    with reading(repr(file)):
        return pyarrow.parquet.read_schema(file)


def _has_records(file: str, columns: Sequence[str] = ("",)) -> bool:
    """Whether a Parquet file has lists or nested fields, which some of these columns are."""
    from pyarrow import types

    schema = _schema(file)
    return any(map(types.is_nested, schema.types)) and any(c not in schema.names for c in columns)


def _found(path: str | Sequence[str]) -> tuple[tuple[str, ...], str]:
    paths = (path,) if isinstance(path, str) else path
    with reading(repr(path)):
        each = ((one,) if Path(one).is_file() else _listed(one) for one in paths)
        files = tuple(file for found in each for file in found)
    if len(set(files)) < len(files):
        raise InvalidParameterError(f"{path!r} names a file twice: pass each once.")
    kinds = {kind_of(file) for file in files}
    if len(kinds) > 1 or None in kinds:
        raise InvalidParameterError(
            f"{path!r} must name Parquet, CSV or JSON files, ending with {ENDINGS}, found "
            f"{files[0]!r}."
        )
    kind = str(kinds.pop())
    require("pyarrow", f"Reading {kind} files")
    return files, kind


def missing_named(column: Any) -> Any:
    """An Arrow column as text, with `MISSING` for missing values."""
    import pyarrow.compute as pc
    from pyarrow import types

    lacking = pc.is_null(column, nan_is_null=True)
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.if_else(lacking, MISSING, column.cast("string"))


def _lacking(batch: Any) -> Any:
    """Mask of the rows of a batch with a missing value or nan in any column."""
    import pyarrow.compute as pc

    lacking = np.zeros(batch.num_rows, dtype=bool)
    for column in batch.columns:
        lacking |= pc.is_null(column, nan_is_null=True).to_numpy(zero_copy_only=False)
    return lacking


def _listed(path: str) -> tuple[str, ...]:
    if Path(path).is_dir():
        known = [p for p in sorted(Path(path).rglob("*")) if kind_of(str(p)) is not None]
        files = [str(p) for p in known if not p.name.startswith(("_", ".")) and p.is_file()]
    else:
        files = [file for file in sorted(glob.glob(path, recursive=True)) if Path(file).is_file()]
    if not files:
        raise InvalidParameterError(f"{path!r} is no file, folder or glob of files that exist.")
    return tuple(files)


def _of_records(path: str, files: tuple[str, ...], names: ColumnNames, form: TextForm) -> Files:
    """Records of JSON, which are held in memory."""
    parts = [read_records(file, form) for file in files]
    table, left_out = table_of([record for records, _ in parts for record in records])
    header = table.schema.names
    reasons = [f" Field {name!r} holds {left_out[name]}." for name in names.all if name in left_out]
    check_columns(names, header, repr(path), hint="".join(reasons))
    held, first = [], 0
    for file, (records, lines) in zip(files, parts, strict=True):
        line_of = lines.__getitem__ if lines else None
        rows = table.slice(first, len(records)).combine_chunks().to_batches()
        place = RowLocation(printable(file), counted_from=1, line_of=line_of)
        held += [(batch, place) for batch in rows]
        first += len(records)
    listed = ", ".join(f"{name} ({why})" for name, why in left_out.items())
    form = replace(
        form, remarks=(f"fields left out, which are no column: {listed}",) * bool(listed)
    )
    types = dict(zip(header, table.schema.types, strict=True))
    return Files(path, files, "json", tuple(header), types, True, form, held=tuple(held))


# --------------------------------------------------------------------------- parquet


def _of_parquet(path: str, files: tuple[str, ...], names: ColumnNames) -> Files:
    import pyarrow.parquet

    schemas, n_rows = [], 0
    for file in files:
        with reading(repr(file)):
            metadata = pyarrow.parquet.read_metadata(file)
            schemas.append(metadata.schema.to_arrow_schema())
        n_rows += metadata.num_rows
        check_columns(names, schemas[-1].names, repr(file))
    first = schemas[0]
    types = {name: _common_type(name, files, schemas) for name in names.all}
    alike = all(schema.names == first.names for schema in schemas) and all(
        schema.field(name).type == types[name] for schema in schemas for name in names.all
    )
    return Files(path, files, "parquet", tuple(first.names), types, alike, n_stored=n_rows)


def _common_type(name: str, files: Sequence[str], schemas: Sequence[Any]) -> Any:
    """A type for the values of all files; a reader would convert them to the first file's."""
    import pyarrow

    first = schemas[0].field(name).type
    families = {_family(first)}
    for file, schema in zip(files, schemas, strict=True):
        kind = schema.field(name).type
        families.add(_family(kind))
        if kind != first and not (families <= {"integer", "float"} or families == {"text"}):
            raise InvalidParameterError(
                f"Column {name!r} holds {kind} in {file!r} and {first} in {files[0]!r}: the files "
                "must agree."
            )
    if all(schema.field(name).type == first for schema in schemas):
        widened = {"decimal": pyarrow.float64(), "halffloat": pyarrow.float32()}
        return widened.get(str(first).partition("1")[0], first)
    if families == {"text"}:
        return pyarrow.string()
    return pyarrow.float64() if "float" in families else pyarrow.int64()


def _family(kind: Any) -> str:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind):
        return "integer"
    if types.is_floating(kind) or types.is_decimal(kind):
        return "float"
    is_text = types.is_string(kind) or types.is_large_string(kind)
    return "text" if is_text else str(kind)

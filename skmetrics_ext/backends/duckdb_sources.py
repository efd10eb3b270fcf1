"""What DuckDB is given to read, and the connection that reads it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from skmetrics_ext.backends.duckdb import DuckEngine, sql_literal
from skmetrics_ext.backends.files import Files, own_prefix
from skmetrics_ext.backends.reading import Rows, check_columns, reading
from skmetrics_ext.merged.columns import Names

_PLAIN_PATH = re.compile(r"[\w./ -]+")  # others DuckDB might take for a pattern or an address


def of_relation(relation: Any, names: Names) -> DuckEngine:
    """A relation of the user's own connection, with its settings."""
    what = "The DuckDB relation"
    with reading(what):
        found = relation.columns
        check_columns(names, found, what, folded=True)
        data = relation.query("given", _by_place("given", found, names))
    return DuckEngine(lambda sql: data.query("data", sql), names, lambda: None, what=what)


def of_files(files: Files, names: Names, memory_limit: int) -> DuckEngine:
    """Parquet or CSV files."""

    def fill(con: Any) -> None:
        # CSV is read once, without a guess at what its columns hold.
        if files.kind == "csv" or files.complete or files.missing:
            _keep(con, files.reader(names.all), names)
        elif files.alike and all(map(_PLAIN_PATH.fullmatch, files.files)):
            listed = ", ".join(map(sql_literal, files.files))
            given = f"read_parquet([{listed}], hive_partitioning=false)"
            con.execute(f"CREATE VIEW data AS {_by_place(given, files.header, names)}")
        else:
            _register(con, files.dataset(files.files, names.all), names.all, names)

    return _opened(fill, names, memory_limit, files.rows, repr(files.path))


def of_table(
    table: Any, found: Sequence[Any], rows: Rows, names: Names, memory_limit: int
) -> DuckEngine:
    """An Arrow table or data set, whose columns are called ``found``."""
    fill = partial(_register, given=table, found=found, names=names)
    return _opened(fill, names, memory_limit, rows, "The data set")


def of_reader(reader: Any, names: Names, memory_limit: int) -> DuckEngine:
    """Record batches that can be read once only, which are kept on disk."""
    fill = partial(_keep, reader=reader, names=names)
    return _opened(fill, names, memory_limit, None, "The RecordBatchReader")


def _opened(
    fill: Callable[[Any], None], names: Names, memory_limit: int, rows: Rows | None, what: str
) -> DuckEngine:
    """A connection of our own; nothing of it is left where it cannot be filled."""
    con, close = connect(memory_limit)
    try:
        with reading(what):
            fill(con)
        return DuckEngine(con.sql, names, close, rows, what)
    except BaseException:
        close()
        raise


def _keep(con: Any, reader: Any, names: Names) -> None:
    """The rows in a table of DuckDB, in their order."""
    con.register("given", reader)
    con.execute("SET preserve_insertion_order = true")
    con.execute(f"CREATE TABLE data AS {_by_place('given', reader.schema.names, names)}")
    con.execute("SET preserve_insertion_order = false")


def _register(con: Any, given: Any, found: Sequence[Any], names: Names) -> None:
    con.register("given", given)
    con.execute(f"CREATE VIEW data AS {_by_place('given', found, names)}")


def _by_place(given: str, found: Sequence[Any], names: Names) -> str:
    """SQL of the columns that are read, by their place among all of them."""
    found = list(found)
    wanted = ", ".join(f"c{found.index(name)} AS k{i}" for i, name in enumerate(names.all))
    return f"SELECT {wanted} FROM {given} AS given({', '.join(f'c{i}' for i in range(len(found)))})"


def connect(memory_limit: int) -> tuple[Any, Callable[[], None]]:
    import duckdb

    folder = tempfile.TemporaryDirectory(prefix=own_prefix())
    # What DuckDB holds beside its buffers, and our own batches, need room as well.
    settings: dict[str, Any] = {
        "memory_limit": f"{max(memory_limit // 4, 1 << 26) // 1000}KB",
        "temp_directory": folder.name,
        "preserve_insertion_order": False,
        # What a file asks for is not fetched and not run.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    con = duckdb.connect(f"{folder.name}/rows.duckdb", config=settings)

    def close() -> None:
        con.close()
        folder.cleanup()

    return con, close

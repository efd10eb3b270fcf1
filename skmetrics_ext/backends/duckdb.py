"""DuckDB: one machine, data larger than its memory, sorted on disk by the engine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from skmetrics_ext.backends.sorted_scan import SortedScan, by_name
from skmetrics_ext.backends.work import SAMPLE, Counted, Survey, Task, count_part
from skmetrics_ext.merged.columns import Names, Place
from skmetrics_ext.merged.ranges import RangeReading
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.rows import check_total

_BATCH = 1 << 19
_MOST_LABELS = 10_000
_FEW = 16  # values that a CASE finds faster than a join
_EXACT = 2**53
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS = (*_NUMBERS, *(f"U{name}" for name in _NUMBERS))


class DuckEngine:
    """A DuckDB relation named ``data``, read by SQL.

    Parameters
    ----------
    run : callable
        ``run(sql)`` gives the relation of a query over ``data``.
    names : Names
    close : callable
        Frees what was opened.
    locate : str
        SQL of a table like ``data`` whose further columns name the place of a row; "" for none.
    """

    name = "duckdb"
    needs_ranges = False

    def __init__(
        self, run: Callable[[str], Any], names: Names, close: Callable[[], None], locate: str = ""
    ) -> None:
        self.run, self.names, self.close, self.locate = run, names, close, locate
        described = run(f"SELECT {', '.join(map(_name, names.all))} FROM data LIMIT 0")
        self.types = {
            name: str(kind) for name, kind in zip(names.all, described.types, strict=True)
        }
        self.distinct: list[int] = []
        self.report: Callable[[int], None] = lambda done: None
        self.done = 0

    def _first(self, sql: str) -> Any:
        return self.run(sql).fetchall()[0]

    # ----------------------------------------------------------------------- survey

    def survey(self, sampled: bool) -> Survey:
        names = self.names
        keys = [self._key(name) for name in (names.by, names.true, names.pred) if name]
        told = ["count(*)", *(f"count({_name(name)})" for name in names.all)]
        for name in (*names.score, *((names.weight,) if names.weight else ())):
            column = _name(name)
            told += [
                f"count_if(NOT isfinite({column}::DOUBLE))",
                f"min({column}::DOUBLE)",
                f"max({column}::DOUBLE)",
            ]
        if names.weight:
            column = _name(names.weight)
            whole = self.types[names.weight] in (*_INTEGERS, "BOOLEAN")
            told.append(f"sum({column}::BIGINT)" if whole else f"kahan_sum({column}::DOUBLE)")
        sql = f"SELECT {', '.join([*keys, *told])} FROM data GROUP BY ALL LIMIT {_MOST_LABELS**2}"
        found = self.run(sql).fetchall()
        self._refuse(found, len(keys))
        sums = self._sums(found, len(keys))
        survey = Survey(sums)
        if sampled:
            columns = ", ".join(f"{_name(name)}::DOUBLE" for name in names.score)
            rows = self.run(
                f"SELECT {columns} FROM data USING SAMPLE reservoir({SAMPLE} ROWS) REPEATABLE (0)"
            ).fetchall()
            survey.sample = np.array(rows, dtype=np.float64)
            survey.keys = np.zeros(len(survey.sample))
        self.distinct = self._count_distinct()
        self._advance(survey.n_rows)
        return survey

    def _key(self, name: str) -> str:
        kind = self.types[name]
        plain = (*_INTEGERS, "BOOLEAN", "VARCHAR", "FLOAT", "DOUBLE")
        return _name(name) if kind in plain else f"CAST({_name(name)} AS VARCHAR)"

    def _count_distinct(self) -> list[int]:
        if not self.names.score:
            return []
        wanted = ", ".join(f"approx_count_distinct({_name(name)})" for name in self.names.score)
        return [int(x) for x in self._first(f"SELECT {wanted} FROM data")]

    def _sums(self, found: Iterable[tuple[Any, ...]], n_keys: int) -> Sums:
        names = self.names
        cells: dict[Any, dict[tuple[Any, Any], Any]] = {}
        rows: dict[Any, int] = {}
        for row in found:
            group = row[0] if names.by else None
            true = row[1 if names.by else 0]
            pred = row[n_keys - 1] if names.pred else true
            weight = row[-1] if names.weight else row[n_keys]
            cells.setdefault(group, {})[true, pred] = weight
            rows[group] = rows.get(group, 0) + int(row[n_keys])
        return Sums({group: _table(own) for group, own in cells.items()}, rows)

    # ----------------------------------------------------------------------- what is refused

    def _refuse(self, found: list[tuple[Any, ...]], n_keys: int) -> None:
        names = self.names
        if not found:
            raise InvalidParameterError("The data set has no rows.")
        for name in (names.true, names.pred):
            place = {names.true: n_keys - (2 if names.pred else 1), names.pred: n_keys - 1}
            if name and len({row[place[name]] for row in found}) > _MOST_LABELS:
                raise InvalidParameterError(
                    f"Column {name!r} holds more than {_MOST_LABELS} distinct values: these are "
                    "no labels of classes."
                )
        n_rows = sum(row[n_keys] for row in found)
        for i, name in enumerate(names.all):
            if sum(row[n_keys + 1 + i] for row in found) < n_rows:
                self._raise_at(name, f"{_name(name)} IS NULL", "has a missing value")
            if self.types[name] in ("FLOAT", "DOUBLE") and name not in names.score:
                bad = f"NOT isfinite({_name(name)})"
                if self.run(f"SELECT 1 FROM data WHERE {bad} LIMIT 1").fetchall():
                    self._raise_at(name, bad, "holds nan or infinity")
        at = n_keys + 1 + len(names.all)
        for name in (*names.score, *((names.weight,) if names.weight else ())):
            column = _name(name)
            if sum(row[at] for row in found):
                self._raise_at(name, f"NOT isfinite({column}::DOUBLE)", "holds nan or infinity")
            low, high = min(row[at + 1] for row in found), max(row[at + 2] for row in found)
            if name == names.weight and low < 0:
                self._raise_at(name, f"{column} < 0", f"holds the negative weight {low}")
            if self.types[name] in _INTEGERS and max(-low, high) > _EXACT:
                raise InvalidParameterError(
                    f"Column {name!r} holds integers beyond 2**53, which floats cannot tell apart."
                )
            if name in names.score and self.types[name] == "VARCHAR":
                raise InvalidParameterError(f"Column {name!r} must hold scores, got text.")
            at += 3

    def _raise_at(self, name: str, condition: str, what: str) -> None:
        where = ""
        if self.locate:
            file, row = self._first(
                f"SELECT filename, file_row_number FROM {self.locate} WHERE {condition} LIMIT 1"
            )
            where = f" in row {row} of {file}"
        else:
            (row,) = self._first(
                f"SELECT i FROM (SELECT *, row_number() OVER () - 1 AS i FROM data) "
                f"WHERE {condition} LIMIT 1"
            )
            where = f" in row {row}"
        raise InvalidParameterError(f"Column {name!r} {what}{where}; drop or fill such rows.")

    # ----------------------------------------------------------------------- passes

    def _batches(self, sql: str) -> Iterator[Any]:
        relation = self.run(sql)
        # By the name that this version of DuckDB gives it.
        names = ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch")
        read = next(name for name in names if hasattr(type(relation), name))
        for batch in getattr(relation, read)(_BATCH):
            if batch.num_rows:
                yield batch
                self._advance(batch.num_rows)

    def _advance(self, rows: int) -> None:
        self.done += rows
        self.report(self.done)

    def count(self, task: Task) -> Counted:
        columns = ", ".join(
            f"{self._key(name) if name in (task.names.by,) else _name(name)} AS {_name(name)}"
            for name in self.names.all
        )
        total = Counted()
        first = 0
        for batch in self._batches(f"SELECT {columns} FROM data"):
            total.add(count_part(batch, task, Place("", first)))
            first += batch.num_rows
        return total

    def rank(self, task: Task, sums: Sums, counted: Counted) -> dict[Any, list[RangeReading]]:
        totals = {
            number: sums.masses(group, task.layout.classes) for group, number in task.groups.items()
        }
        scans = []
        most = task.plan.most // max(len(self.names.score), 1)
        n_rows = sum(sums.rows.values())
        for k, column in enumerate(task.layout.ranked):
            name = self.names.score[column]
            scan = SortedScan(task.own(k), totals, task.plan, most)
            before = self.done
            grouped = 2 * self.distinct[column] * task.n_classes * len(task.groups) < n_rows
            for batch in self._batches(self._sorted(name, task, grouped)):
                group, score, code = (batch.column(i).to_numpy() for i in range(3))
                weight = batch.column(3).to_numpy() if batch.num_columns > 3 else None
                scan.feed(group, score, code, weight)
            scan.close()
            self._advance(before + n_rows - self.done)  # rows that came as one are read as well
            scans.append(scan.done)
        return by_name(scans, task.groups)

    def _sorted(self, score: str, task: Task, grouped: bool) -> str:
        names = self.names
        joins: list[str] = []
        classes = {label: i for i, label in enumerate(task.layout.classes.tolist())}
        code = _coded(self._key(names.true), classes, "UTINYINT", "classes", joins)
        group = "0::UTINYINT"
        if names.by:
            group = _coded(self._key(names.by), task.groups, "INTEGER", "groups", joins)
        parts = [f"{group} AS g", f"{_name(score)}::DOUBLE AS s", f"{code} AS c"]
        where = ""
        if names.weight:
            whole = self.types[names.weight] in (*_INTEGERS, "BOOLEAN")
            parts.append(f"{_name(names.weight)}::{'BIGINT' if whole else 'DOUBLE'} AS w")
            where = f" WHERE {_name(names.weight)} <> 0"
        inner = f"SELECT {', '.join(parts)} FROM data{''.join(joins)}{where}"
        if grouped:
            weight = "sum(w)" if names.weight else "count(*)"
            kind = "DOUBLE" if names.weight and not whole else "BIGINT"
            inner = f"SELECT g, s, c, {weight}::{kind} AS w FROM ({inner}) GROUP BY g, s, c"
        order = "g, s DESC" if names.by else "s DESC"
        return f"SELECT * FROM ({inner}) ORDER BY {order}"


def _coded(column: str, codes: Mapping[Any, int], kind: str, table: str, joins: list[str]) -> str:
    """SQL of the number of a value."""
    if len(codes) <= _FEW:
        cases = " ".join(f"WHEN {_literal(value)} THEN {i}" for value, i in codes.items())
        return f"(CASE {column} {cases} END)::{kind}"
    values = ", ".join(f"({_literal(value)}, {i})" for value, i in codes.items())
    joins.append(f" JOIN (VALUES {values}) AS {table}(v, i) ON {table}.v = {column}")
    return f"{table}.i::{kind if len(codes) < 256 else 'INTEGER'}"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return repr(value)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _table(cells: Mapping[tuple[Any, Any], Any]) -> ConfusionTally:
    used = {key: weight for key, weight in cells.items() if weight}
    classes = np.array(sorted({label for key in used for label in key}))
    place = {label: i for i, label in enumerate(classes.tolist())}
    whole = all(isinstance(weight, int) for weight in cells.values())
    if whole:
        check_total(float(sum(cells.values())), "weight")
    table: Array = np.zeros((len(classes),) * 2, dtype=np.int64 if whole else np.float64)
    for (true, pred), weight in used.items():
        table[place[true], place[pred]] = weight
    return ConfusionTally(classes, table)


# --------------------------------------------------------------------------- opening


def of_relation(relation: Any, names: Names) -> DuckEngine:
    """A relation of the user's own connection, with its settings."""
    return DuckEngine(lambda sql: relation.query("data", sql), names, lambda: None)


def of_files(files: list[str], kind: str, names: Names, memory_limit: int) -> DuckEngine:
    """Parquet or CSV files."""
    listed = ", ".join(_literal(file) for file in files)
    con, close = _connect(memory_limit)
    if kind == "parquet":
        con.execute(f"CREATE VIEW data AS SELECT * FROM read_parquet([{listed}])")
        where = f"read_parquet([{listed}], filename=true, file_row_number=true)"
        return DuckEngine(con.sql, names, close, where)
    con.execute(f"CREATE VIEW data AS SELECT * FROM read_csv([{listed}])")
    return DuckEngine(con.sql, names, close)


def of_object(data: Any, names: Names, memory_limit: int) -> DuckEngine:
    """Anything that DuckDB scans: Arrow data sets and tables, polars and pandas frames."""
    con, close = _connect(memory_limit)
    if type(data).__name__ == "RecordBatchReader":  # can be read once only
        columns = ", ".join(map(_name, names.all))
        con.register("given", data)
        con.execute(f"CREATE TABLE data AS SELECT {columns} FROM given")
    else:
        con.register("data", data)
    return DuckEngine(con.sql, names, close)


def _connect(memory_limit: int) -> tuple[Any, Callable[[], None]]:
    import duckdb

    folder = tempfile.TemporaryDirectory(prefix="skmetrics_ext_")
    # What DuckDB holds beside its buffers, and our own batches, need room as well.
    settings: dict[str, Any] = {
        "memory_limit": f"{max(memory_limit // 4, 1 << 26) // 1000}KB",
        "temp_directory": folder.name,
        "preserve_insertion_order": False,
    }
    con = duckdb.connect(f"{folder.name}/rows.duckdb", config=settings)

    def close() -> None:
        con.close()
        folder.cleanup()

    return con, close

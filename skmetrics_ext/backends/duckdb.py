"""DuckDB: one machine, data larger than its memory, sorted on disk by the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.backends.reading import Rows, each, placed, reading
from skmetrics_ext.backends.sorted_scan import SortedScan, by_name
from skmetrics_ext.backends.work import SAMPLE, Counted, Survey, Task, count_part
from skmetrics_ext.merged.columns import MOST_EXACT, Names, Place, encode_labels, read_part
from skmetrics_ext.merged.ranges import RangeReading
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import bin_names
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import Column
from skmetrics_ext.validation.rows import check_total

_BATCH = 1 << 19
_MOST_LABELS = 10_000
_FEW = 16  # values that a CASE finds faster than a join
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS = (*_NUMBERS, *(f"U{name}" for name in _NUMBERS))
_FLOATS = ("FLOAT", "DOUBLE")
_NO_LABELS = re.compile(r"DATE|TIME|INTERVAL|BLOB|BIT|STRUCT|MAP|UNION|.*\]$")


class DuckEngine:
    """A DuckDB relation named ``data``, read by SQL.

    Parameters
    ----------
    run : callable
        ``run(sql)`` gives the relation of a query over ``data``, whose columns are called
        ``k0``, ``k1``, ... in the order of ``names.all``: the names of the user's columns need
        not be different to DuckDB, which does not see their case.
    names : Names
    close : callable
        Frees what was opened.
    rows : callable or None
        The same rows in their order, to say where the one stands that is refused; None for those
        of ``data``.
    what : str
        How messages call the data set.
    """

    name = "duckdb"
    needs_ranges = False

    def __init__(
        self,
        run: Callable[[str], Any],
        names: Names,
        close: Callable[[], None],
        rows: Rows | None = None,
        what: str = "The data set",
    ) -> None:
        self._run, self.names, self.close, self.what = run, names, close, what
        self.rows = rows
        self.columns = {name: f"k{i}" for i, name in enumerate(names.all)}
        described = self._relation("SELECT * FROM data LIMIT 0")
        self.types = {
            name: str(kind) for name, kind in zip(names.all, described.types, strict=True)
        }
        self.distinct: list[int] = []
        self.report: Callable[[int], None] = lambda done: None
        self.done = 0

    def _relation(self, sql: str) -> Any:
        with reading(self.what):
            return self._run(sql)

    def _fetch(self, sql: str) -> list[tuple[Any, ...]]:
        with reading(self.what):
            found: list[tuple[Any, ...]] = self._run(sql).fetchall()
        return found

    # ----------------------------------------------------------------------- survey

    def survey(self, sampled: bool) -> Survey:
        names = self.names
        self._refuse_types()
        keys = [self._group(name) for name in names.by.columns]
        keys += [self._key(name) for name in names.labels]
        faults = [f"sum(({fault})::BIGINT)" for fault in self._faults()]
        told = ["count(*)", *(f"coalesce({fault}, 0)" for fault in faults), *self._weight_sum()]
        found = self._fetch(
            f"SELECT {', '.join([*keys, *told])} FROM data GROUP BY ALL LIMIT {_MOST_LABELS**2}"
        )
        if not found:
            raise InvalidParameterError("The data set has no rows.")
        if any(sum(row[len(keys) + 1 + i] for row in found) for i in range(len(faults))):
            self._refuse_row()
        survey = Survey(self._sums(found, len(keys)))
        if sampled:
            columns = ", ".join(f"{self.columns[name]}::DOUBLE" for name in names.score)
            rows = self._fetch(
                f"SELECT {columns} FROM data USING SAMPLE reservoir({SAMPLE} ROWS) REPEATABLE (0)"
            )
            survey.sample = np.array(rows, dtype=np.float64)
            survey.keys = np.zeros(len(survey.sample))
        self.distinct = self._count_distinct()
        self._advance(survey.n_rows)
        return survey

    def _faults(self) -> list[str]:
        """SQL of what no row may be; the rows themselves are read to say which it is."""
        names, faults = self.names, []
        numbers = {*names.score, names.weight}
        for name, column in self.columns.items():
            faults.append(f"{column} IS NULL")
            if self.types[name] in _FLOATS or name in numbers:
                faults.append(f"NOT isfinite({column}::DOUBLE)")
        if names.weight is not None:
            faults.append(f"{self.columns[names.weight]} < 0")
        whole = [name for name in names.score if self.types[name] in _INTEGERS]
        return faults + [f"abs({self.columns[name]}::DOUBLE) > {MOST_EXACT}" for name in whole]

    def _weight_sum(self) -> list[str]:
        if self.names.weight is None:
            return []
        column, kind = self.columns[self.names.weight], self._kind_of_weight()
        return [f"{'sum' if kind == 'BIGINT' else 'kahan_sum'}({column}::{kind})"]

    def _kind_of_weight(self) -> str:
        whole = (*_INTEGERS, "BOOLEAN")
        return "BIGINT" if self.types[self.names.weight or ""] in whole else "DOUBLE"

    def _key(self, name: str) -> str:
        kind, column = self.types[name], self.columns[name]
        plain = (*_INTEGERS, *_FLOATS, "BOOLEAN", "VARCHAR")
        return column if kind in plain else f"CAST({column} AS VARCHAR)"

    def _group(self, name: str) -> str:
        """SQL of the value that a column gives its group, or of the number of its bin."""
        edges = self.names.by.edges.get(name)
        if edges is None:
            return self._key(name)
        if self.types[name] not in (*_INTEGERS, *_FLOATS):
            raise InvalidParameterError(
                f"Column {name!r} has to hold numbers to be put in bins, got {self.types[name]}."
            )
        above = [f"({self.columns[name]}::DOUBLE >= {edge!r})::INTEGER" for edge in edges.tolist()]
        return " + ".join(["0", *above])

    def _group_of(self, values: tuple[Any, ...]) -> Any:
        by = self.names.by
        told = [
            bin_names(by.edges[name])[value] if name in by.edges else value
            for name, value in zip(by.columns, values, strict=True)
        ]
        return by.key(told)

    def _count_distinct(self) -> list[int]:
        if not self.names.score:
            return []
        columns = (self.columns[name] for name in self.names.score)
        wanted = ", ".join(f"approx_count_distinct({column})" for column in columns)
        return [int(x) for x in self._fetch(f"SELECT {wanted} FROM data")[0]]

    def _sums(self, found: list[tuple[Any, ...]], n_keys: int) -> Sums:
        names = self.names
        at = len(names.by.columns)
        keys = enumerate(names.labels, start=at)
        columns = [_column(name, [row[i] for row in found]) for i, name in keys]
        classes, codes = encode_labels(columns)
        rows = np.array([int(row[n_keys]) for row in found])
        weight = rows if names.weight is None else np.array([row[-1] for row in found])
        cells: dict[Any, list[int]] = {}
        for i, row in enumerate(found):
            cells.setdefault(self._group_of(row[:at]), []).append(i)
        sums = Sums()
        for group, own in cells.items():
            here = np.array(own)
            sums.rows[group] = int(rows[here].sum())
            used = here[weight[here] != 0]
            sums.tables[group] = _table(classes, codes[0][used], codes[-1][used], weight[used])
        return sums

    # ----------------------------------------------------------------------- what is refused

    def _refuse_types(self) -> None:
        """Types that SQL would turn into labels or numbers, and the other engines refuse."""
        names = self.names
        for name in names.labels:
            if _NO_LABELS.match(self.types[name]):
                raise InvalidParameterError(
                    f"Column {name!r} must hold labels of classes, got {self.types[name]}."
                )
        kinds = dict.fromkeys(names.score, "scores")
        if names.weight is not None:
            kinds[names.weight] = "weights"
        numbers = (*_INTEGERS, *_FLOATS, "BOOLEAN", "DECIMAL")
        for name, kind in kinds.items():
            if self.types[name].partition("(")[0] not in numbers:
                raise InvalidParameterError(
                    f"Column {name!r} must hold {kind}, got {self.types[name]}."
                )

    def _refuse_row(self) -> None:
        """Find the first row that is refused, by reading them as all engines do."""
        for batch, place in self._rows():
            read_part(batch, self.names, place)

    def _rows(self) -> Iterator[tuple[Any, Place]]:
        if self.rows is not None:
            return self.rows(self.names.all)
        reader = self._reader(f"SELECT {', '.join(self.columns.values())} FROM data")
        return placed(each(self.what, lambda: reader))

    # ----------------------------------------------------------------------- passes

    def _reader(self, sql: str) -> Any:
        relation = self._relation(sql)
        # By the name that this version of DuckDB gives it.
        names = ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch")
        read = next(name for name in names if hasattr(type(relation), name))
        with reading(self.what):
            return getattr(relation, read)(_BATCH)

    def _batches(self, sql: str) -> Iterator[Any]:
        for batch in each(self.what, lambda: self._reader(sql)):
            if batch.num_rows:
                yield batch
                self._advance(batch.num_rows)

    def _advance(self, rows: int) -> None:
        self.done += rows
        self.report(self.done)

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, Place]]:
        """The rows of some columns, part by part."""
        told = ", ".join(map(self._told, columns))
        reader = self._reader(f"SELECT {told} FROM data")
        for batch, place in placed(each(self.what, lambda: reader)):
            if batch.num_rows:
                yield dict(zip(columns, batch.columns, strict=True)), place

    def _told(self, name: str) -> str:
        """SQL of a column; of what makes groups as the survey names them."""
        by = self.names.by
        is_value = name in (*by.names, self.names.clusters) and name not in by.edges
        return self._key(name) if is_value else self.columns[name]

    def count(self, task: Task) -> Counted:
        columns = ", ".join(map(self._told, self.columns))
        total = Counted()
        try:
            for batch in self._batches(f"SELECT {columns} FROM data"):
                named = dict(zip(self.names.all, batch.columns, strict=True))
                total.add(count_part(named, task, Place()))
        except InvalidParameterError:
            for batch, place in self._rows():  # in their order, which DuckDB need not keep
                count_part(batch, task, place)
            raise
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
        group = self._number_of_group(task, joins)
        parts = [f"{group} AS g", f"{self.columns[score]}::DOUBLE AS s", f"{code} AS c"]
        where = ""
        if names.weight:
            kind, column = self._kind_of_weight(), self.columns[names.weight]
            parts.append(f"{column}::{kind} AS w")
            where = f" WHERE {column} <> 0"
        inner = f"SELECT {', '.join(parts)} FROM data{''.join(joins)}{where}"
        if grouped:
            weight = "sum(w)" if names.weight else "count(*)"
            kind = self._kind_of_weight() if names.weight else "BIGINT"
            inner = f"SELECT g, s, c, {weight}::{kind} AS w FROM ({inner}) GROUP BY g, s, c"
        order = "g, s DESC" if names.by.columns else "s DESC"
        return f"SELECT * FROM ({inner}) ORDER BY {order}"

    def _number_of_group(self, task: Task, joins: list[str]) -> str:
        """SQL of the number of the group of a row."""
        by = task.names.by
        if not by.columns:
            return "0::UTINYINT"
        columns = [self._group(name) for name in by.columns]
        keys = {}
        for group, number in task.groups.items():
            values = by.values(group)
            told = (self._as_in_sql(name, values[name]) for name in by.columns)
            keys[tuple(told)] = number
        if len(columns) == 1:
            codes = {value: number for (value,), number in keys.items()}
            return _coded(columns[0], codes, "INTEGER", "groups", joins)
        rows = ", ".join(
            f"({', '.join(map(sql_literal, values))}, {number})" for values, number in keys.items()
        )
        names = [f"v{i}" for i in range(len(columns))]
        equal = (f"groups.{v} = {one}" for v, one in zip(names, columns, strict=True))
        joins.append(
            f" JOIN (VALUES {rows}) AS groups({', '.join(names)}, i) ON {' AND '.join(equal)}"
        )
        return "groups.i::INTEGER"

    def _as_in_sql(self, name: str, value: Any) -> Any:
        edges = self.names.by.edges.get(name)
        return value if edges is None else bin_names(edges).index(value)


def _coded(column: str, codes: Mapping[Any, int], kind: str, table: str, joins: list[str]) -> str:
    """SQL of the number of a value."""
    if len(codes) <= _FEW:
        cases = " ".join(f"WHEN {sql_literal(value)} THEN {i}" for value, i in codes.items())
        return f"(CASE {column} {cases} END)::{kind}"
    values = ", ".join(f"({sql_literal(value)}, {i})" for value, i in codes.items())
    joins.append(f" JOIN (VALUES {values}) AS {table}(v, i) ON {table}.v = {column}")
    return f"{table}.i::{kind if len(codes) < 256 else 'INTEGER'}"


def sql_literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return repr(value)


def _column(name: str, values: list[Any]) -> Column:
    is_text = any(isinstance(value, str) for value in values)
    return Column(name, np.array(values, dtype=object if is_text else None))


def _table(classes: Array, true: Array, pred: Array, weight: Array) -> ConfusionTally:
    """The table of cells, over the classes that occur in them."""
    used, (rows, columns) = kernels.encode(true, pred) if len(true) else (true, (true, pred))
    whole = weight.dtype.kind != "f"
    if whole:
        check_total(float(weight.sum()), "weight")
    table: Array = np.zeros((len(used),) * 2, dtype=np.int64 if whole else np.float64)
    np.add.at(table, (rows, columns), weight.astype(table.dtype))
    return ConfusionTally(classes[used], table)

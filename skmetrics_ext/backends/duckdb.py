"""DuckDB: data larger than memory on one machine, which it sorts on disk."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.files import BATCH, Files
from skmetrics_ext.backends.read_errors import Rows, check_columns, guarded_batches, placed, reading
from skmetrics_ext.backends.sql_values import query_of_moments, read_moments, sql_values
from skmetrics_ext.merged.columns import (
    MOST_LABELS,
    ColumnNames,
    Partition,
    RowLocation,
    encode_labels,
    read_part,
)
from skmetrics_ext.merged.ranges import RangePlan, RangeReading, read_range
from skmetrics_ext.merged.sums import Sums, count_labels
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import MISSING, bin_names
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import EXACT, Column
from skmetrics_ext.validation.encoding import order_of
from skmetrics_ext.validation.rows import check_total

_FEW = 16  # values for which CASE is faster than a join
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS = (*_NUMBERS, *(f"U{name}" for name in _NUMBERS))
_FLOATS = ("FLOAT", "DOUBLE")
_PLAIN = (*_INTEGERS, *_FLOATS, "BOOLEAN")
_PLAIN_PATH = re.compile(r"[\w./ -]+")  # DuckDB might read others as a pattern or an address
_NO_LABELS = re.compile(r"DATE|TIME|INTERVAL|BLOB|BIT|STRUCT|MAP|UNION|.*\]$")


class DuckEngine(partitions.Engine):
    """A DuckDB relation named ``data``, read by SQL.

    Parameters
    ----------
    run : callable
        ``run(sql)`` returns the relation of a query over ``data``, whose columns are named ``k0``,
        ``k1``, ... in the order of ``names.all``, because DuckDB ignores the case of names.
    names : ColumnNames
    close : callable
        Closes the connection.
    rows : callable or None
        Reads the rows in their order, to locate an invalid one; by default those of ``data``.
    what : str
        Name of the data set in messages.
    """

    name = "duckdb"

    def __init__(
        self,
        run: Callable[[str], Any],
        names: ColumnNames,
        close: Callable[[], None],
        rows: Rows | None = None,
        what: str = "The data set",
    ) -> None:
        super().__init__(names)
        self._run, self.close, self.what = run, close, what  # type: ignore[method-assign]
        self.rows = self.collect if rows is None else rows  # in order, to locate an invalid one
        self.columns = {name: f"k{i}" for i, name in enumerate(names.all)}
        with reading(what):
            types = run("SELECT * FROM data LIMIT 0").types
        self.types = {name: str(kind) for name, kind in zip(names.all, types, strict=True)}
        has_integers = names.weight is None or self.types[names.weight] in (*_INTEGERS, "BOOLEAN")
        self.weight_type = "BIGINT" if has_integers else "DOUBLE"
        self.sum = "sum" if has_integers else "kahan_sum"

    def _fetch(self, sql: str) -> list[tuple[Any, ...]]:
        with reading(self.what):
            rows: list[tuple[Any, ...]] = self._run(sql).fetchall()
        return rows

    # ----------------------------------------------------------------------- survey

    def survey(self, sampled: bool) -> partitions.PartitionSurvey:
        names = self.names
        self._check_types()
        keys = [self._group_key(name) for name in names.by.columns]
        keys += [self._key(name) for name in names.labels]
        faults = self._faults((*names.labels, names.weight, names.clusters))
        wanted = [*keys, "count(*)", f"count_if({' OR '.join(faults)})"]
        if names.weight is not None:
            wanted.append(f"{self.sum}({self.columns[names.weight]}::{self.weight_type})")
        cells = self._fetch(
            f"SELECT {', '.join(wanted)} FROM data GROUP BY ALL LIMIT {MOST_LABELS**2}"
        )
        if not cells:
            raise InvalidParameterError("The data set has no rows.")
        if any(cell[len(keys) + 1] for cell in cells):
            self._refuse_rows()
        survey = partitions.PartitionSurvey(self._sums(cells, len(keys)))
        self.advance(survey.n_rows)
        return survey

    def _faults(self, checked: Iterable[str | None]) -> list[str]:
        """SQL conditions that make a row invalid, for some columns."""
        names, faults = self.names, []
        for name in dict.fromkeys(name for name in checked if name is not None):
            column, kind = self.columns[name], self.types[name]
            faults.append(f"{column} IS NULL")
            if kind in _FLOATS or name in (*names.score, names.weight):
                faults.append(f"NOT isfinite({column}::DOUBLE)")
            if name == names.weight:
                faults.append(f"{column} < 0")
            if name in names.score and kind in _INTEGERS:
                faults.append(f"{column} NOT BETWEEN -{EXACT} AND {EXACT}")
        return faults

    def _refuse_rows(self, on_part: partitions.OnPart = lambda part: None) -> None:
        """Read rows in their order, which raises the error that names an invalid one."""
        for batch, place in self.rows(self.names.all):
            on_part(read_part(batch, self.names, place))

    def _key(self, name: str) -> str:
        """SQL of a column as a label."""
        kind, column = self.types[name], self.columns[name]
        return column if kind in (*_PLAIN, "VARCHAR") else f"CAST({column} AS VARCHAR)"

    def _group_key(self, name: str) -> str:
        """SQL of a column as part of a group: its value, or the number of its bin."""
        edges = self.names.by.edges.get(name)
        if edges is None and self.types[name] in _FLOATS:
            return f"nullif({self.columns[name]}, 'nan')"
        if edges is None:
            key = self._key(name)
            return key if self.types[name] in _PLAIN else f"coalesce({key}, '{MISSING}')"
        if self.types[name] not in (*_INTEGERS, *_FLOATS):
            raise InvalidParameterError(
                f"Column {name!r} has to hold numbers to be put in bins, got {self.types[name]}."
            )
        value = f"nullif({self.columns[name]}::DOUBLE, 'nan')"
        above = [f"({value} >= {edge!r})::INTEGER" for edge in edges.tolist()]
        return " + ".join([f"CASE WHEN {value} IS NOT NULL THEN 0 END", *above])

    def _group_value(self, name: str, key: Any) -> Any:
        """The value that a key of the SQL of a group stands for."""
        if key is None:
            return MISSING
        edges = self.names.by.edges
        return bin_names(edges[name])[key] if name in edges else key

    def _group_literal(self, name: str, value: Any) -> Any:
        """The key in SQL of a value of a group."""
        if name in self.names.by.edges:
            names = bin_names(self.names.by.edges[name])
            return names.index(value) if value in names else None
        return None if value == MISSING and self.types[name] in _PLAIN else value

    def _sums(self, cells: list[tuple[Any, ...]], n_keys: int) -> Sums:
        """Confusion tables, from cells as rows with weights."""
        names = self.names
        labels = enumerate(names.labels, start=len(names.by.columns))
        columns = [self._column(name, [cell[i] for cell in cells]) for i, name in labels]
        classes, codes = encode_labels(columns)
        ordered = order_of(classes, [column.order for column in columns])
        rows = np.array([int(cell[n_keys]) for cell in cells])
        weight = rows if names.weight is None else np.array([cell[-1] for cell in cells])
        if weight.dtype.kind != "f":
            check_total(float(weight.astype(np.float64).sum()), "weight")
            weight = weight.astype(np.int64)
        numbers: dict[Any, int] = {}
        by = names.by
        groups = [by.key([*map(self._group_value, by.columns, cell)]) for cell in cells]
        group = np.array([numbers.setdefault(key, len(numbers)) for key in groups])
        no_scores = np.zeros((len(cells), 0))
        rows_of_cells = classes, codes[0], codes[-1], no_scores, weight, list(numbers), group
        part = Partition(*rows_of_cells, ordered=ordered)
        sums = count_labels(part)
        n_rows = kernels.bin_sums(group, len(numbers), rows)
        sums.rows = dict(zip(numbers, n_rows.tolist(), strict=True))
        return sums

    def _column(self, name: str, values: list[Any]) -> Column:
        """Labels of cells, in the declared order of an ENUM."""
        if self.types[name].startswith("ENUM"):
            enum_range = f"SELECT enum_range({self.columns[name]}) FROM data LIMIT 1"
            order = {label: code for code, label in enumerate(self._fetch(enum_range)[0][0])}
            codes = np.array([order[value] for value in values])
            return Column(name, codes, np.array(list(order)), ordered=True)
        is_text = any(isinstance(value, str) for value in values)
        return Column(name, np.array(values, dtype=object if is_text else None))

    def _check_types(self) -> None:
        """Reject types that SQL would convert to labels or numbers, like the other engines."""
        names = self.names
        kinds = dict.fromkeys(names.labels, "labels of classes")
        kinds |= dict.fromkeys(names.score, "scores")
        if names.weight is not None:
            kinds[names.weight] = "weights"
        for name, kind in kinds.items():
            dtype = self.types[name]
            is_number = dtype.partition("(")[0] in (*_PLAIN, "DECIMAL")
            if _NO_LABELS.match(dtype) or not (is_number or name in names.labels):
                raise InvalidParameterError(f"Column {name!r} must hold {kind}, got {dtype}.")

    # ----------------------------------------------------------------------- passes

    def _batches(self, sql: str) -> Iterator[Any]:
        """Batches of the rows of a query; none is empty."""
        versions = ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch")

        def reader() -> Any:
            relation = self._run(sql)
            return getattr(relation, next(v for v in versions if hasattr(type(relation), v)))(BATCH)

        return (batch for batch in guarded_batches(self.what, reader) if batch.num_rows)

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, RowLocation]]:
        wanted = ", ".join(map(self._value, columns))
        for batch, place in placed(self._batches(f"SELECT {wanted} FROM data")):
            yield dict(zip(columns, batch.columns, strict=True)), place

    def _value(self, name: str) -> str:
        """SQL of a column; columns of groups are converted as in the survey."""
        by = self.names.by
        is_value = name in (*by.names, self.names.clusters) and name not in by.edges
        return self._key(name) if is_value else self.columns[name]

    def measure(self, task: partitions.Task, counted: Sums) -> tuple[Sums, partitions.Readings]:
        faults = [] if task.needs_sums else self._faults(self.names.score)  # sums find them
        wanted = f"SELECT count_if({' OR '.join(faults)}) FROM data"
        if faults and self._fetch(wanted)[0][0]:
            self._refuse_rows()
        return super().measure(task, counted)

    def count(self, task: partitions.Task) -> Sums:
        sums = self._moments(task)
        if sums is not None:
            return sums
        try:
            return super().count(task)
        except InvalidParameterError:
            self._refuse_rows(partial(partitions.sum_part, task=task))
            raise

    def _moments(self, task: partitions.Task) -> Sums | None:
        """Sums that SQL adds up; None if it cannot, or if a row may be invalid."""
        layout, columns = task.layout, [self.columns[name] for name in self.names.score]
        types = {self.types[name] for name in self.names.score}
        eps = float(np.finfo(np.float32 if types == {"FLOAT"} else np.float64).eps)
        values = sql_values(layout, eps)
        if values is None or not types <= {*_FLOATS} or len(layout.classes) > _FEW:
            return None
        columns = columns[::-1] if layout.positive_first else columns
        rows = self._coded(task, columns)
        total = None if self.names.weight is None else f"{self.sum}(w)"
        by_group = bool(self.names.by.columns)
        cells = self._fetch(query_of_moments(rows, columns, values, by_group, total))
        moments = read_moments(cells, values, list(task.groups))
        if moments is None:
            return None
        self.advance(sum(cell[2] for cell in cells))
        return Sums(moments=moments)

    def rank(self, task: partitions.Task, totals: Sums) -> partitions.Readings:
        classes = task.layout.classes
        masses = {number: totals.masses(group, classes) for group, number in task.groups.items()}
        scans = []
        most = task.plan.most // max(len(self.names.score), 1)
        n_rows = sum(totals.rows.values())
        scores = [f"approx_count_distinct({self.columns[name]})" for name in self.names.score]
        distinct = self._fetch(f"SELECT {', '.join(scores)} FROM data")[0]
        for k, column in enumerate(task.layout.ranked):
            name = self.names.score[column]
            scan = SortedScan(task.layout.code_of(k), masses, task.plan, most)
            before = self.done
            grouped = 2 * distinct[column] * len(classes) * len(task.groups) < n_rows
            for batch in self._batches(self._sorted(name, task, grouped)):
                group, code, score = (batch.column(i).to_numpy() for i in range(3))
                weight = batch.column(3).to_numpy() if batch.num_columns > 3 else None
                scan.feed(group, score, code, weight)
                self.advance(batch.num_rows)
            scan.close()
            self.advance(before + n_rows - self.done)  # some rows may have been counted by SQL
            scans.append(scan.done)
        return {
            group: [scan[number] for scan in scans]
            for group, number in task.groups.items()
            if number in scans[0]
        }

    def _sorted(self, score: str, task: partitions.Task, grouped: bool) -> str:
        """SQL of the group, class, score and weight of each row, the highest score first."""
        weighted = self.names.weight is not None
        rows = self._coded(task, [f"{self.columns[score]}::DOUBLE AS s"])
        if weighted:
            rows = f"SELECT * FROM ({rows}) WHERE w <> 0"
        if grouped:
            weight = "sum(w)" if weighted else "count(*)"
            total = f"{weight}::{self.weight_type} AS w"
            rows = f"SELECT g, c, s, {total} FROM ({rows}) GROUP BY g, c, s"
        order = "g, s DESC" if self.names.by.columns else "s DESC"
        return f"SELECT * FROM ({rows}) ORDER BY {order}"

    def _coded(self, task: partitions.Task, columns: Sequence[str]) -> str:
        """SQL of the group and class of each row, further columns, and its weight if it has one."""
        joins: list[str] = []
        classes = {(label,): i for i, label in enumerate(task.layout.classes.tolist())}
        code = _numbered([self._key(self.names.true)], classes, "classes", joins)
        wanted = [f"{self._group_number(task, joins)} AS g", f"{code} AS c", *columns]
        if self.names.weight is not None:
            wanted.append(f"{self.columns[self.names.weight]}::{self.weight_type} AS w")
        return f"SELECT {', '.join(wanted)} FROM data{''.join(joins)}"

    def _group_number(self, task: partitions.Task, joins: list[str]) -> str:
        """SQL of the number of a row's group."""
        by = task.names.by
        if not by.columns:
            return "0::UTINYINT"
        numbers = {}
        for group, number in task.groups.items():
            values = by.values(group)
            keys = tuple(self._group_literal(name, values[name]) for name in by.columns)
            numbers[keys] = number
        return _numbered([self._group_key(name) for name in by.columns], numbers, "groups", joins)


def _numbered(
    columns: Sequence[str], numbers: Mapping[tuple[Any, ...], int], table: str, joins: list[str]
) -> str:
    """SQL of the number that values of columns have; by a join if there are many."""
    kind = "UTINYINT" if max(numbers.values(), default=0) < 256 else "INTEGER"
    if len(numbers) <= _FEW:
        cases = (
            f"WHEN {_equal(columns, map(sql_literal, values))} THEN {number}::{kind}"
            for values, number in numbers.items()
        )
        return f"CASE {' '.join(cases)} END"
    names = [f"v{i}" for i in range(len(columns))]
    rows = ", ".join(
        f"({', '.join(map(sql_literal, values))}, {number})" for values, number in numbers.items()
    )
    equal = _equal(columns, (f"{table}.{name}" for name in names))
    joins.append(f" JOIN (VALUES {rows}) AS {table}({', '.join(names)}, i) ON {equal}")
    return f"{table}.i::{kind}"


def _equal(columns: Iterable[str], values: Iterable[str]) -> str:
    pairs = zip(columns, values, strict=True)
    return " AND ".join(f"{column} IS NOT DISTINCT FROM {value}" for column, value in pairs)


def sql_literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return "NULL" if value is None else repr(value)


# --------------------------------------------------------------------------- sources


def open_relation(relation: Any, names: ColumnNames) -> DuckEngine:
    """A relation of the user's connection, with its settings."""
    what = "The DuckDB relation"
    with reading(what):
        header = relation.columns
        check_columns(names, header, what, folded=True)
        data = relation.query("given", _by_place("given", header, names))
    return DuckEngine(lambda sql: data.query("data", sql), names, lambda: None, what=what)


def open_files_in_duckdb(files: Files, names: ColumnNames, memory_limit: int) -> DuckEngine:
    """Parquet or CSV files; CSV is read once, with the types that were detected."""
    what, data = repr(files.path), None
    if files.kind == "csv" or files.complete:
        data = files.reader(names.all)
    elif files.alike and all(map(_PLAIN_PATH.fullmatch, files.files)):
        listed = ", ".join(map(sql_literal, files.files))
        data = _by_place(f"read_parquet([{listed}], hive_partitioning=false)", files.header, names)
    else:
        with reading(what):
            data = files.dataset(files.files, names.all)
    return open_in_duckdb(data, files.rows, what, names, memory_limit)


def open_in_duckdb(
    data: Any, rows: Rows | None, what: str, names: ColumnNames, memory_limit: int
) -> DuckEngine:
    """An Arrow table or data set, a reader, whose rows are kept on disk in their order, or SQL."""
    is_reader = type(data).__name__ == "RecordBatchReader"
    con, close = connect(memory_limit, on_disk=is_reader)
    try:
        with reading(what):
            if not isinstance(data, str):
                con.register("given", data)
                data = _by_place("given", data.schema.names, names)
            con.execute("SET preserve_insertion_order = true")
            con.execute(f"CREATE {'TABLE' if is_reader else 'VIEW'} data AS {data}")
            con.execute("SET preserve_insertion_order = false")
        return DuckEngine(con.sql, names, close, rows, what)
    except BaseException:
        close()
        raise


def _by_place(given: str, header: Sequence[Any], names: ColumnNames) -> str:
    """SQL that selects the columns by their positions."""
    header = list(header)
    wanted = ", ".join(f"c{header.index(name)} AS k{i}" for i, name in enumerate(names.all))
    columns = ", ".join(f"c{i}" for i in range(len(header)))
    return f"SELECT {wanted} FROM {given} AS given({columns})"


def connect(memory_limit: int, *, on_disk: bool) -> tuple[Any, Callable[[], None]]:
    """A connection of its own, whose tables are kept on disk if asked for, and how to close it."""
    import duckdb

    folder = tempfile.TemporaryDirectory(prefix="skmetrics_ext_")
    # DuckDB uses memory besides its buffers, and so do our batches.
    settings: dict[str, Any] = {
        "memory_limit": f"{max(memory_limit // 4, 1 << 26) // 1000}KB",
        "temp_directory": folder.name,
        "preserve_insertion_order": False,
        # Files cannot make DuckDB install or load extensions.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    place = f"{folder.name}/rows.duckdb" if on_disk else ":memory:"
    con = duckdb.connect(place, config=settings)

    def close() -> None:
        con.close()
        folder.cleanup()

    return con, close


# --------------------------------------------------------------------------- sorted rows


class SortedScan:
    """Reads one column of scores in bounded memory.

    Parameters
    ----------
    label : int
        Code of the class that the column belongs to.
    totals : mapping of int to ndarray
        Weight of each class, by the number of the group.
    plan : RangePlan
    most : int
        Distinct scores to hold, in all groups together.
    """

    def __init__(self, label: int, totals: Mapping[int, Array], plan: RangePlan, most: int) -> None:
        self.label, self.totals, self.plan, self.left = label, totals, plan, most
        self.done: dict[int, RangeReading] = {}
        self._parts: list[RangeReading] = []
        self._group: int | None = None
        self._last: tuple[float, Array] | None = None  # a score that more rows may have
        self._above = np.zeros(0)

    def feed(self, group: Array, score: Array, code: Array, weight: Array | None) -> None:
        """Read the next rows."""
        starts = np.flatnonzero(np.diff(group)) + 1
        for start, stop in zip([0, *starts], [*starts, len(group)], strict=True):
            number = int(group[start])
            if number != self._group:
                self.close()
                self._group = number
                self._above = np.zeros_like(self.totals[number])
            rows = slice(start, stop)
            self._read(score[rows], code[rows], None if weight is None else weight[rows])

    def _read(self, score: Array, code: Array, weight: Array | None) -> None:
        starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
        if weight is None and len(starts) == len(score):
            mass = np.zeros((len(self._above), len(score)), dtype=np.int64)
            mass[code, np.arange(len(score))] = 1
        else:
            row_weight = np.ones(len(score), dtype=np.int64) if weight is None else weight
            by_class = (np.where(code == c, row_weight, 0) for c in range(len(self._above)))
            mass = np.stack([np.add.reduceat(weights, starts) for weights in by_class])
        thresholds = score[starts]
        if self._last is not None:
            last, last_mass = self._last
            if thresholds[0] == last:
                mass[:, 0] += last_mass
            else:
                thresholds = np.concatenate([[last], thresholds])
                mass = np.concatenate([last_mass[:, None], mass], axis=1)
        self._last = float(thresholds[-1]), mass[:, -1].copy()
        if len(thresholds) > 1:
            self._take(RankTally(thresholds[:-1] + 0.0, mass[:, :-1]))

    def _take(self, tally: RankTally) -> None:
        assert self._group is not None
        above, total, order = self._above, self.totals[self._group], (len(self._parts),)
        reading = read_range(tally, self.label, above, total, self.plan, order, self.left)
        self._above = above + tally.mass.sum(axis=1)
        tables = [part.table for part in self._parts if part.table is not None]
        if reading.table is None:  # a group's table is held as a whole or not at all
            self.left += sum(len(table.thresholds) for table in tables)
            self._parts = [replace(part, table=None) for part in self._parts]
        elif len(tables) < len(self._parts):
            reading = replace(reading, table=None)
        else:
            self.left -= len(tally.thresholds)
        self._parts.append(reading)

    def close(self) -> None:
        """Finish the group."""
        if self._group is None or self._last is None:
            return
        score, mass = self._last
        self._last = None
        self._take(RankTally(np.array([score]) + 0.0, mass[:, None]))
        self.done[self._group] = RangeReading.combine(self._parts, 1 << 62)
        self._parts, self._group = [], None

"""Files as they are named: standard input, archives, several at once, two that share an id."""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.backends.files import Files, columns_of, open_files
from skmetrics_ext.backends.read_errors import check_columns, reading
from skmetrics_ext.cli.messages import log
from skmetrics_ext.datasets.files import refuse_missing
from skmetrics_ext.merged.columns import ColumnNames, RowLocation
from skmetrics_ext.slices.group_columns import GroupColumns

STDIN = "-"


def resolve(options: argparse.Namespace, stack: ExitStack) -> None:
    """Files that can be opened, and the columns and names of ``--model``."""
    options.names, given = {}, getattr(options, "file", None)
    for name, *columns in getattr(options, "model", ()):
        if not 0 < len(columns) < 3 or name in options.names.values():
            raise ValueError(f"--model {name}: pass NAME SCORE, or NAME SCORE PRED, once a model.")
        options.score, options.pred = [*options.score, columns[0]], [*options.pred, *columns[1:]]
        options.names |= dict.fromkeys(columns, name)
    if isinstance(given, str):
        options.file = _unpacked(given, stack)
    elif given:
        options.paths = tuple(_unpacked(path, stack) for path in given)
        options.file = ", ".join("stdin" if path == STDIN else Path(path).name for path in given)


def _unpacked(path: str, stack: ExitStack) -> str:
    """A path of what standard input or an archive holds; other paths as they are."""
    is_archive = path.lower().endswith(".zip") and Path(path).is_file()
    if path != STDIN and not is_archive:
        return path
    folder = stack.enter_context(TemporaryDirectory(prefix="skmetrics_ext_"))
    if is_archive:
        with reading(repr(path)), zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        return folder
    data = sys.stdin.buffer.read()
    is_json = data.lstrip()[:1] in (b"{", b"[")
    ending = ".parquet" if data[:4] == b"PAR1" else ".json" if is_json else ".csv"
    target = Path(folder) / f"stdin{ending}"
    target.write_bytes(data)
    return str(target)


def open_joined(
    paths: Sequence[str], names: ColumnNames, key: str, form: TextForm, *, drop: bool
) -> Files:
    """Two files as one, in the order of the first, whose rows are matched by a column of both."""
    import pyarrow.compute as pc

    headers = [columns_of(path, form) for path in paths]
    if len(paths) != 2:
        raise ValueError(f"--join is for two files, got {len(paths)}.")
    shown = " joined with ".join(paths)
    check_columns(names, dict.fromkeys([*headers[0], *headers[1]]), shown)
    for name in names.all:
        if name != key and all(name in header for header in headers):
            raise ValueError(f"--join: both files have a column {name!r}; rename it in one.")
    sides, tables = [], []
    for path, header in zip(paths, headers, strict=True):
        own = _columns_in(names, header, key)
        files = open_files(path, own, form).hold(own.all)
        refuse_missing(files, key, "column")
        sides.append(files)
        tables.append(files.reader(own.all).read_all().combine_chunks())
    kinds = {str(table[key].type) for table in tables}
    if len(kinds) > 1:
        raise ValueError(f"--join: {key!r} holds {' in one file and '.join(sorted(kinds))}.")
    for path, table in zip(paths, tables, strict=True):
        counted = pc.value_counts(table[key])
        twice = counted.filter(pc.greater(counted.field("counts"), 1)).field("values")
        if len(twice):
            found = twice[0].as_py()
            raise ValueError(f"--join: {key!r} holds {found!r} twice in {path!r}: ids are unique.")
    place = pc.index_in(tables[0][key], value_set=tables[1][key])
    first, second = tables[0].filter(place.is_valid()), tables[1].take(place.drop_null())
    n_alone = len(tables[0]) + len(tables[1]) - 2 * len(first)
    if n_alone and not drop:
        raise ValueError(
            f"--join: {n_alone} rows have no partner in the other file; --drop-missing leaves "
            "them out."
        )
    log(f"{n_alone} rows without a partner left out" * bool(n_alone))
    for name in first.column_names:
        if name != key:
            second = second.append_column(name, first[name])
    remarks = dict.fromkeys(remark for side in sides for remark in side.form.remarks)
    form = replace(sides[0].form, remarks=tuple(remarks))
    types = dict(zip(second.column_names, second.schema.types, strict=True))
    location = RowLocation(shown, counted_from=1)
    held = tuple((batch, location) for batch in second.combine_chunks().to_batches())
    return Files(shown, tuple(paths), "json", tuple(types), types, True, form, held=held)


def _columns_in(names: ColumnNames, header: Sequence[str], key: str) -> ColumnNames:
    """The columns of one of two files, and the one that both have."""
    here: Any = {name: name for name in header}.get
    further = [name for name in filter(here, names.by.columns) if name != key]
    by = GroupColumns((*further, key), crossed=True)
    roles = here(names.pred), here(names.weight), by, here(names.clusters)
    return ColumnNames(here(names.true, key), tuple(filter(here, names.score)), *roles)

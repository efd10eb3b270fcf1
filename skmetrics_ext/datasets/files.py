"""A user's file: roles of its columns, and their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from skmetrics_ext.backends.csv_files import PLAIN, TextForm
from skmetrics_ext.backends.files import Files, columns_of, missing_named, open_files, require
from skmetrics_ext.backends.read_errors import check_columns
from skmetrics_ext.merged.columns import ColumnNames
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.validation.errors import near, shown_names


@dataclass(frozen=True, slots=True)
class Use:
    """Roles of the columns of a file.

    Parameters
    ----------
    target : str or None
        Column of the classes; "target" by default.
    features : sequence of str or None
        Feature columns; None for all others but identifiers, dates and text that rarely repeats.
    drop : sequence of str
        Columns that are no features.
    groups, weight : str or None
        Columns of groups of dependent rows, and of weights.
    by : sequence of str
        Columns whose groups are reported; they remain features.
    drop_missing : bool
        Whether rows without a class, group, weight or value of ``by`` are left out. By default
        missing values of ``by`` form a group, and others are refused.
    form : TextForm
        Format of a text file.
    """

    target: str | None = None
    features: Sequence[str] | None = None
    drop: Sequence[str] = ()
    groups: str | None = None
    weight: str | None = None
    by: Sequence[str] = ()
    drop_missing: bool = False
    form: TextForm = PLAIN

    @property
    def names(self) -> dict[str, Any]:
        """Roles that were set, by option."""
        options = ("target", "features", "drop", "groups", "weight", "by", "drop_missing")
        given = {name.replace("_", "-"): getattr(self, name) for name in options}
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class UsedColumns:
    """Columns of a file by role; only features may have missing values."""

    features: Any
    y: Array
    groups: Array | None
    weight: Array | None
    by: Mapping[str, Array] = field(default_factory=dict)
    n_dropped: int = 0
    notes: tuple[str, ...] = ()


def read_table(path: str, use: Use) -> UsedColumns:
    """Read the columns of a file that have a role."""
    require("pyarrow", "Reading a file")
    require("pandas", "Reading a file")
    import pyarrow

    found = columns_of(path, use.form)
    names, features = _names(path, found, use)
    files = _by_codes(open_files(path, names, use.form)).hold(names.all)
    table, n_dropped = _complete(files, use, names)

    def values(name: str | None) -> Any:
        if name is None:
            return None
        return values_of(missing_named(table[name]) if table[name].null_count else table[name])

    y = _classes(table[names.true], names.true)
    return UsedColumns(
        pyarrow.table({name: table[name] for name in features}),
        y,
        values(use.groups),
        values(use.weight),
        {name: values(name) for name in use.by},
        n_dropped,
        files.form.notes,
    )


def target_of(target: str | None, columns: Sequence[str]) -> str:
    """The column of the classes: the one that is named, or "target"."""
    if target is None and "target" not in columns:
        raise ValueError(f"--target must name the column of the classes: {shown_names(columns)}.")
    return "target" if target is None else target


def _names(path: str, found: list[str], use: Use) -> tuple[ColumnNames, list[str]]:
    """Columns to read, and the features among them."""
    target = target_of(use.target, found)
    # The index that pandas stores in Parquet is no column.
    found = [name for name in found if not name.startswith("__index_level_")]
    given = {"features": use.features or (), "drop": use.drop, "by": use.by}
    given |= {"groups": [use.groups] if use.groups else [], "target": [target]}
    for option, names in given.items():
        for name in names:
            if name not in found:
                raise ValueError(
                    f"{path!r} has no column {name!r}, which --{option} names."
                    f"{near(name, found)} Columns: {shown_names(found)}."
                )
    taken = {target, use.groups, use.weight, *use.drop}
    wanted = found if use.features is None else use.features
    if use.features is not None and target in wanted:
        raise ValueError(f"--features names the target {target!r}: it would predict itself.")
    features = [name for name in dict.fromkeys(wanted) if name not in taken]
    if not features:
        raise ValueError(f"{path!r} has no feature column besides {target!r}.")
    others = tuple(dict.fromkeys([*features, *use.by]))
    names_read = ColumnNames(
        target, (), None, use.weight, GroupColumns(others, crossed=True), use.groups
    )
    check_columns(names_read, found, repr(path))
    return names_read, features


def _by_codes(files: Files) -> Files:
    """Files with text columns read as codes and levels, which takes less memory."""
    if files.kind != "csv":
        return files
    import pyarrow

    kinds = {"int64": pyarrow.int64(), "float64": pyarrow.float64(), "bool": pyarrow.bool_()}
    codes = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    return replace(files, types={name: kinds.get(t, codes) for name, t in files.types.items()})


def _complete(files: Files, use: Use, names: ColumnNames) -> tuple[Any, int]:
    """Table of the rows with target, group and weight, and the number of rows left out."""
    needed = [name for name in (names.true, use.groups, use.weight) if name is not None]
    if use.drop_missing:
        complete = replace(files, complete=(*needed, *use.by)).hold(names.all)
        table = complete.reader(names.all).read_all().unify_dictionaries()
        return table, (files.n_rows or 0) - table.num_rows
    for name in needed:
        refuse_missing(files, name, "target" if name == names.true else "column")
    return files.reader(names.all).read_all().unify_dictionaries(), 0


def refuse_missing(files: Files, name: str, what: str) -> None:
    """Reject missing values of a column."""
    where, n_missing = files.first_missing(name)
    if n_missing:
        hint = ", and --join COLUMN matches the rows of two files" * (len(files.files) == 2)
        raise ValueError(
            f"The {what} {name!r} has {n_missing} missing value{'s'[: n_missing > 1]}, the "
            f"first in {where}; --drop-missing leaves such rows out{hint}."
        )


def values_of(column: Any) -> Array:
    """An Arrow column without missing values as an array; text as text."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    values = column.to_numpy()
    return values.astype(str) if values.dtype == object else values


def _classes(column: Any, target: str) -> Array:
    values = values_of(column)
    if values.dtype.kind == "f" and not np.array_equal(values, np.round(values)):
        raise ValueError(
            f"The target {target!r} holds {len(np.unique(values))} numbers that are not "
            "whole: these are no classes."
        )
    if values.dtype.kind in "fiu":
        return values.astype(np.int64)
    return values

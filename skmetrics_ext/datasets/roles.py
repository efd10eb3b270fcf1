"""Roles of columns as features: numbers, text to encode, or left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.backends.csv_files import signed_number
from skmetrics_ext.numeric import Array

_MOSTLY = 0.9  # least share of values that are numbers without separators and signs
_FEW = 20  # so many values may all differ by chance
_MOST_NAMED = 8  # columns named in one line

# Common names of identifiers, alone or at the end of a longer name.
_IDENTIFIER = re.compile(
    r"(?:^|[_\s.\-])(?:id|ids|uid|uuid|guid)$|[a-z](?:Id|ID)$|编号$"
    r"|^(?:user|customer|client|patient|account|record|row|case|order|sample|subject|person)id$"
)
_TIME = r"([T ]\d{1,2}:\d{2}.*)?"
_DATE = re.compile(
    rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}{_TIME}"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}{_TIME}|\d{{1,2}}[-/]\d{{1,2}}[-/]\d{{2}}{_TIME}"
    r"|\d{4}[-/]\d{2}|\d{4}年\d{1,2}月(\d{1,2}日)?|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}\.?[- ,]+\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}"
)
_YEAR_FIRST = re.compile(rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}{_TIME}")
_COMMA = re.compile(r"[+-]?\d+,\d+")


@dataclass(frozen=True, slots=True)
class Role:
    """Role of a column as a feature.

    Parameters
    ----------
    name : str
    kind : {"number", "text", "date"}
    n_levels : int
        Number of distinct values of text and identifiers; 0 for other columns.
    n_missing : int
    why : str
        Reason for leaving it out; "" if it is used.
    advice : str
        An option that would make it usable; "" if there is none.
    """

    name: str
    kind: str
    n_levels: int = 0
    n_missing: int = 0
    why: str = ""
    advice: str = ""


def roles_of(table: Any, *, chosen: bool) -> list[Role]:
    """Roles of all columns; ``chosen`` ones are kept regardless of their content."""
    roles = [_role(name, table[name], chosen) for name in table.column_names]
    if chosen and any(role.why for role in roles):
        role = next(role for role in roles if role.why)
        raise ValueError(f"--features names {role.name!r}, which cannot be used: {role.why}.")
    return roles


def _role(name: str, column: Any, chosen: bool) -> Role:
    import pyarrow.compute as pc
    from pyarrow import types

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    n_missing = int(pc.sum(pc.is_null(column, nan_is_null=True)).as_py() or 0)
    n_seen = len(column) - n_missing
    if n_seen == 0:
        return Role(name, "number", why="no value")
    if types.is_temporal(kind):
        return Role(name, "date", n_missing=n_missing, why="" if chosen else "date")
    if types.is_boolean(kind):
        return Role(name, "number", n_missing=n_missing)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        why, n_levels = ("", 0) if chosen else _why_no_number(name, column, kind, n_seen)
        return Role(name, "number", n_levels, n_missing, why)
    if str(kind) not in ("string", "large_string", "string_view"):
        return Role(name, "text", why=f"holds {kind}")
    return _text_role(name, column, n_seen, n_missing, chosen)


def _why_no_number(name: str, column: Any, kind: Any, n_seen: int) -> tuple[str, int]:
    """Reason to leave out integers (identifiers, dates), and the number of identifier values."""
    import pyarrow.compute as pc
    from pyarrow import types

    if not types.is_integer(kind) or n_seen <= _FEW:
        return "", 0
    ends = pc.min_max(column).as_py()
    n_levels = int(pc.count_distinct(column).as_py())
    follow = n_levels == n_seen and ends["max"] - ends["min"] + 1 == n_seen
    if follow or (n_levels > _FEW and _IDENTIFIER.search(name)):
        return f"identifier, {n_levels:,} values", n_levels
    if ends["min"] >= 19000101 and ends["max"] <= 21001231:
        values = np.asarray(pc.unique(column).drop_null())
        month, day = values // 100 % 100, values % 100
        if (month >= 1).all() and (month <= 12).all() and (day >= 1).all() and (day <= 31).all():
            return "date", 0
    return "", 0


def _text_role(name: str, column: Any, n_seen: int, n_missing: int, chosen: bool) -> Role:
    import pyarrow.compute as pc

    levels = pc.unique(column).drop_null().to_pylist()
    n_levels = len(levels)
    role = Role(name, "text", n_levels, n_missing)
    if all(map(_DATE.fullmatch, levels)):
        if chosen and all(map(_YEAR_FIRST.fullmatch, levels)):
            return Role(name, "date", n_missing=n_missing)
        return role if chosen else Role(name, "date", n_levels, n_missing, "date")
    why = advice = ""
    if n_levels > _FEW and not chosen:
        if _IDENTIFIER.search(name):
            why = f"identifier, {n_levels:,} values"
        elif all(map(_COMMA.fullmatch, levels)):
            why = f"numbers with a comma, such as {levels[0]!r}; --decimal , reads them"
        else:
            advice = _advice(column, n_seen)
            if advice or n_levels > n_seen / 2:
                why = f"text with {n_levels:,} values in {n_seen:,} rows"
    return Role(name, "text", n_levels, n_missing, why, advice)


def _advice(column: Any, n_seen: int) -> str:
    """An option that reads text of mostly numbers with separators or signs; "" for other text."""
    import pyarrow.compute as pc

    text = column.cast("string").drop_null()
    shares = {}
    for thousands in ",.' ":
        pattern = signed_number(thousands, "," if thousands == "." else ".")
        fits = pc.match_substring_regex(text, pattern)
        shares[thousands] = (pc.sum(fits).as_py() or 0) / n_seen, fits
    best = max(shares, key=lambda thousands: shares[thousands][0])
    share, fits = shares[best]
    if share < _MOSTLY:
        return ""
    example = text.filter(pc.and_(fits, pc.match_substring_regex(text, "[^0-9]")))[0].as_py()
    option = f"--thousands {best}" if best in ",." else f'--thousands "{best}"'
    rest = "" if share == 1 else f", but not {text.filter(pc.invert(fits))[0].as_py()!r}"
    return (
        f"holds numbers in {100 * share:.3g} % of its rows, such as {example!r}{rest}: "
        f"{option} reads them if all are numbers"
    )


def feature_of(column: Any, role: Role) -> Any:
    """A feature column: floats, or text with nan for missing values."""
    import pyarrow
    import pyarrow.compute as pc

    if role.kind == "text":
        import pandas

        codes, levels = coded(column)
        words = np.array([*levels, np.nan], dtype=object)
        return pandas.Series(words[codes], dtype=object)
    if role.kind == "date":
        return _days(column)
    if pyarrow.types.is_boolean(column.type):
        column = column.cast(pyarrow.int8())
    return pc.cast(column, pyarrow.float64(), safe=False).to_numpy()


def coded(column: Any) -> tuple[Array, Array]:
    """Codes of a column in the order of its values, -1 for missing ones, and these values."""
    from pyarrow import types

    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    column = column.chunk(0) if hasattr(column, "chunk") else column
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, column.dictionary.to_numpy(zero_copy_only=False)


def _days(column: Any) -> Array:
    """Days since 1970; nan for a missing date."""
    import pandas

    moments = column.to_pandas()
    times = pandas.to_datetime(moments.astype(object), format="ISO8601", utc=True)
    days = (times - pandas.Timestamp("1970-01-01", tz="UTC")) / pandas.Timedelta(days=1)
    return np.asarray(days, dtype=np.float64)


def notes_on(roles: Iterable[Role], most_levels: int, n_dropped: int) -> tuple[str, ...]:
    """Lines about the preparation of columns, one fact each."""
    roles = list(roles)
    kept = [role for role in roles if not role.why]
    facts = {
        "rows left out for a missing target, group or weight": (
            [f"{n_dropped:,}"] if n_dropped else []
        ),
        "one-hot encoded": [_levels(role, most_levels) for role in kept if role.kind == "text"],
        "read as days since 1970": [role.name for role in kept if role.kind == "date"],
        "left out (--features uses them)": [f"{_name(r)} ({r.why})" for r in roles if r.why],
        "missing values, filled with the median of the training folds or kept as a category": [
            f"{_name(role)} ({role.n_missing:,})" for role in kept if role.n_missing
        ],
    }
    lines = [f"{fact}: {listed(names)}" for fact, names in facts.items() if names]
    return (*lines, *(f"{_name(role)} {role.advice}" for role in roles if role.advice))


def repeated_identifiers(roles: Iterable[Role], n_rows: int) -> tuple[str, ...]:
    """Lines about identifiers with repeated values, which may indicate dependent rows."""
    return tuple(
        f"column {role.name} repeats ({role.n_levels:,} values in {n_rows - role.n_missing:,} "
        f"rows): if rows with the same value belong together, pass --groups {role.name}"
        for role in roles
        if role.why.startswith("identifier") and role.n_levels < n_rows - role.n_missing
    )


def _levels(role: Role, most: int) -> str:
    if role.n_levels <= most:
        return f"{_name(role)} ({role.n_levels})"
    return f"{_name(role)} ({most} of {role.n_levels:,} values, the rarest together)"


def _name(role: Role) -> str:
    return role.name or "(no name)"


def listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")

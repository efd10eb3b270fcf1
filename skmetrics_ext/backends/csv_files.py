"""CSV files, read by Arrow; what a column holds is decided from all of its values.

The readers guess from the first rows, and each in its own way: a later 0.25 becomes 0, and 007
becomes 7 or stays text. So the values are read as text first, and the types they have are told
to whoever reads them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from skmetrics_ext.backends.reading import each, reading
from skmetrics_ext.merged.columns import Names, Place
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import printable

# What pandas takes for missing, quoted or not.
_MISSING = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
# What a value is, by the first that fits; 007 and what int64 cannot hold are "digits".
_FORMS = {
    "integer": r"^[ \t]*-?(0|[1-9][0-9]{0,17})[ \t]*$",
    "digits": r"^[ \t]*-?[0-9]+[ \t]*$",
    "float": r"^[ \t]*[+-]?([0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?"
    r"|(?i:inf|infinity))[ \t]*$",
    "boolean": rf"^({'|'.join(_TRUE + _FALSE)})$",
    "text": "",
}
_NUMBERS = {"integer", "digits", "float"}
_BLOCK = 1 << 22  # bytes that are read at once: no row may be longer


def header_of(file: str) -> list[str]:
    """Names of the columns of a file."""
    csv.field_size_limit(max(csv.field_size_limit(), _BLOCK))
    with (
        reading(repr(file)),
        open(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
    ):
        header = next((row for row in csv.reader(text) if row), [])
    if any(c == "\x00" or "\ud800" <= c <= "\udfff" for name in header for c in name):
        raise InvalidParameterError(f"{file!r} cannot be read: its header is no UTF-8 text.")
    return header


def separator_hint(header: Sequence[str]) -> str:
    """A sentence about another separator, where a file seems to have one."""
    if len(header) == 1:
        for other in (";", "\t", "|"):
            if other in header[0]:
                return f" Its values seem to be separated by {other!r}; ',' is read."
    return ""


def text_types(files: Sequence[str], names: Names) -> dict[str, Any]:
    """The Arrow type of each column, from all of its values in all files.

    Labels and groups are integers, floats or booleans where every value is; text else, and also
    where a number is written with leading zeros: 007 and 7 are two names.
    """
    numbers = {*names.score, *((names.weight,) if names.weight else ())}
    forms: dict[str, set[str]] = {name: set() for name in names.all}
    for batch, place in csv_batches(files, dict.fromkeys(names.all, "string")):
        for name in names.all:
            column = batch.column(name)
            for value, form in _forms_of(column):
                forms[name].add(form)
                if "\x00" in value or (name in numbers and form not in _NUMBERS):
                    raise _refused(column, name, value, place)
    labels = [name for name in (names.true, names.pred) if name is not None]
    together = set().union(*(forms[name] for name in labels))
    if "digits" in together and together <= _NUMBERS:
        forms.update(dict.fromkeys(labels, together))
    return {name: _type(forms[name], name in numbers) for name in names.all}


def _forms_of(column: Any) -> Iterator[tuple[str, str]]:
    """The forms that occur, each with a value of it; one with a NUL byte where there are any."""
    import pyarrow.compute as pc

    left = pc.unique(column).drop_null()
    strange = left.filter(pc.match_substring(left, "\x00"))
    if len(strange):
        yield strange[0].as_py(), "text"
    for form, pattern in _FORMS.items():
        if not len(left):
            return
        fits = pc.match_substring_regex(left, pattern)
        found = left.filter(fits)
        if len(found):
            yield found[0].as_py(), form
        left = left.filter(pc.invert(fits))


def _refused(column: Any, name: str, value: str, place: Place) -> InvalidParameterError:
    import pyarrow.compute as pc

    row = int(pc.index(column, value).as_py())
    why = "which is no number"
    if "\x00" in value:
        why = "with a NUL byte: the file is damaged, or no text"
    elif value.count(",") == 1 and value.replace(",", "").strip().isdigit():
        why = "which is no number: a decimal point is needed, not a comma"
    return InvalidParameterError(f"Column {name!r} holds {value[:60]!r} in {place.of(row)}, {why}.")


def _type(forms: set[str], is_number: bool) -> str:
    if is_number:
        return "int64" if forms == {"integer"} else "float64"
    if forms <= {"integer", "float"} and forms:
        return "float64" if "float" in forms else "int64"
    return "bool" if forms == {"boolean"} else "string"


def csv_batches(files: Iterable[str], types: Mapping[str, str]) -> Iterator[tuple[Any, Place]]:
    """Record batches with columns of these types, and where they stand."""
    for file in files:
        first = 0
        for batch in each(repr(file), partial(_open, file, types)):
            yield batch, Place(printable(file), first)
            first += batch.num_rows


def _open(file: str, types: Mapping[str, str]) -> Any:
    from pyarrow import csv as arrow_csv

    convert = arrow_csv.ConvertOptions(
        include_columns=list(types),
        column_types=dict(types),
        null_values=list(_MISSING),
        strings_can_be_null=True,
        true_values=list(_TRUE),
        false_values=list(_FALSE),
    )
    width = sum(len(name.encode()) + 3 for name in header_of(file))
    return arrow_csv.open_csv(
        file,
        read_options=arrow_csv.ReadOptions(block_size=max(_BLOCK, 4 * width)),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=convert,
    )

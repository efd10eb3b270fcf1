"""CSV files, read by Arrow; the type of a column follows from all of its values.

Readers guess types from the first rows, each differently: a later 0.25 becomes 0, and 007 becomes 7
or stays text. So values are read as text first, and then with explicit types.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from skmetrics_ext.backends.read_errors import Placed, guarded_batches, placed, reading
from skmetrics_ext.merged.columns import ColumnNames
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import printable

# Missing values of pandas, quoted or not.
_MISSING = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
# The form of a value is the first that matches. "digits" are 007 and integers beyond int64, "three"
# are numbers with three decimals, such as 1.234; in 1,234 the comma is "either" decimal or not.
_FORMS = {
    "integer": r"^[ \t]*-?(0|[1-9][0-9]{0,17})[ \t]*$",
    "digits": r"^[ \t]*-?[0-9]+[ \t]*$",
    "three": r"^[ \t]*[+-]?[1-9][0-9]{0,2}\.[0-9]{3}[ \t]*$",
    "point": r"^[ \t]*[+-]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*$",
    "float": r"^[ \t]*[+-]?([0-9]+([eE][+-]?[0-9]+)?|(?i:inf|infinity))[ \t]*$",
    "either": r"^[ \t]*[+-]?[1-9][0-9]{0,2},[0-9]{3}[ \t]*$",
    "comma": r"^[ \t]*[+-]?([0-9]+,[0-9]*|,[0-9]+)([eE][+-]?[0-9]+)?[ \t]*$",
    "boolean": rf"^({'|'.join(_TRUE + _FALSE)})$",
    "text": "",
}
_NUMBERS = {"integer", "digits", "float"}
_DECIMALS = {".": {"point", "three"}, ",": {"comma", "either"}}
_DECIMAL = {"point", "three", "comma", "either"}
# Errors for numbers with the other decimal separator.
_NO_SIGN = {
    "point": "which is no number: a decimal comma is needed, not a point",
    "three": "which is no number: a decimal comma is needed, not a point",
    "comma": "which is no number: a decimal point is needed, not a comma",
    "either": "whose comma marks decimals or thousands: a decimal point is needed, not a comma",
}
# Signs around numbers, which are removed with the separators of thousands.
_SIGNS = "$€£¥₹%"
_SPACES = " \u00a0\u202f"
_MOST_COUNTED = 2_000_000  # rows up to which messages give the line, which takes seconds
_BLOCK = 1 << 22  # bytes that are read at once; rows must not be longer


# Suffix of a compressed file -> compression.
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
_SEPARATORS = (",", ";", "\t", "|")
_LOOKED_AT = 51  # rows, with the header, that must have as many values each


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a table is written as text.

    Parameters
    ----------
    separator : str or None
        Separator of values; None to detect it in each file.
    encoding : str
        Python's name of the encoding.
    decimal : {".", ","} or None
        Decimal separator; None to detect it in all files together.
    thousands : str or None
        Separator of thousands; such numbers are read without it, and without currency and per
        cent signs.
    signed : frozenset of str
        Columns of such numbers.
    three_decimals : tuple of (str, str)
        Columns in which all values with a point could be thousands, each with a value.
    """

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str | None = None
    thousands: str | None = None
    signed: frozenset[str] = frozenset()
    three_decimals: tuple[tuple[str, str], ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions about numbers, a line each."""
        notes = ["numbers are read with decimal commas"] if self.decimal == "," else []
        notes += [
            f"{name}: all values with a point have three decimals, such as {value}; if the point "
            "separates thousands, pass --thousands ."
            for name, value in self.three_decimals
        ]
        return tuple(notes)

    @property
    def point(self) -> str | None:
        """The decimal separator, if it is known before the files are read."""
        if self.decimal is not None or self.thousands is None:
            return self.decimal
        return "," if self.thousands == "." else "."

    @property
    def is_utf8(self) -> bool:
        """Whether Arrow can read the encoding itself."""
        return self.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")

    def separator_of(self, file: str) -> str:
        """The separator of a file.

        Among the separators with which the first rows have as many values as the header, the one
        with the most columns is chosen; the usual one if all give a single column.
        """
        if self.separator is not None:
            return self.separator
        usual = "\t" if stem_of(file)[1] == ".tsv" else ","
        best, most = usual, 1
        for separator in dict.fromkeys((usual, *_SEPARATORS)):
            widths = list(map(len, self.first_rows(file, separator, _LOOKED_AT)))
            if widths and widths[0] > most and set(widths) == {widths[0]}:
                best, most = separator, widths[0]
        return best

    def first_rows(self, file: str, separator: str, n_rows: int) -> list[list[str]]:
        """The values of the first lines of a file that are not empty."""
        with reading(repr(file)), self.open(file) as text:
            rows = csv.reader(text, delimiter=separator)
            return list(islice(filter(None, rows), n_rows))

    def open(self, file: str) -> Any:
        """Open a file as text; bytes that are not UTF-8 are marked, other encodings are strict."""
        csv.field_size_limit(max(csv.field_size_limit(), _BLOCK))
        known = "utf-8-sig" if self.is_utf8 else self.encoding
        errors = "surrogateescape" if self.is_utf8 else "strict"
        compression = COMPRESSED.get(Path(file).suffix.lower())
        if compression is None:
            return open(file, encoding=known, errors=errors, newline="")
        import pyarrow

        stream = pyarrow.input_stream(file, compression=compression)
        return io.TextIOWrapper(stream, encoding=known, errors=errors, newline="")


PLAIN = TextForm()


def stem_of(file: str) -> tuple[str, str]:
    """A file's name without the suffix of its compression, and the suffix before that."""
    path = Path(file)
    if path.suffix.lower() in COMPRESSED:
        path = path.with_suffix("")
    return str(path), path.suffix.lower()


def header_of(file: str, form: TextForm = PLAIN) -> list[str]:
    """Names of the columns of a file."""
    rows = form.first_rows(file, form.separator_of(file), 1)
    header = rows[0] if rows else []
    if any(c == "\x00" or "\ud800" <= c <= "\udfff" for name in header for c in name):
        raise InvalidParameterError(f"{file!r} cannot be read: its header is no UTF-8 text.")
    return header


def separator_hint(header: Sequence[str]) -> str:
    """A hint if a file seems to have another separator."""
    if len(header) == 1:
        for other in _SEPARATORS[1:]:
            if other in header[0]:
                return f" Its values seem to be separated by {other!r}, but not in every row."
    return ""


# The forms that occur in a column, each with an example and its location.
_Examples = dict[str, tuple[str, str]]


def text_types(
    files: Sequence[str], names: ColumnNames, form: TextForm = PLAIN
) -> tuple[dict[str, Any], TextForm]:
    """The Arrow type of each column, from all values of all files, and the detected form.

    Labels and groups are integers, floats or booleans if all values are, else text. Numbers with
    leading zeros are text, because 007 and 7 are different names.
    """
    numbers = {*names.score, *((names.weight,) if names.weight else ())}
    examples: dict[str, _Examples] = {name: {} for name in names.all}
    signed: set[str] = set()
    for batch, place in csv_batches(files, dict.fromkeys(names.all, "string"), form):
        for name in names.all:
            column = without_signs(batch.column(name), form)
            if form.thousands is not None and not column.equals(batch.column(name)):
                signed.add(name)
            for value, kind in _forms_of(column):
                if kind in examples[name] and "\x00" not in value:
                    continue
                where = place.of(_row_of(column, value))
                if "\x00" in value:
                    raise _refused(name, value, where, "with a NUL byte: the file is damaged")
                if name in numbers and kind not in _NUMBERS | _DECIMAL:
                    raise _refused(name, value, where, "which is no number")
                examples[name][kind] = value, where
    sign = _decimal_sign(examples, files, form)
    forms = {name: _forms_under(sign, seen, name, numbers) for name, seen in examples.items()}
    labels = [name for name in (names.true, names.pred) if name is not None]
    together = set().union(*(forms[name] for name in labels))
    if "digits" in together and together <= _NUMBERS:
        forms.update(dict.fromkeys(labels, together))
    types = {name: _type(forms[name], name in numbers) for name in names.all}
    numeric = {name for name, kind in types.items() if kind in ("int64", "float64")}
    three = tuple(
        (name, examples[name]["three"][0])
        for name in names.all
        if name in numeric
        and "three" in examples[name]
        and "point" not in examples[name]
        and form.point is None
    )
    return types, replace(
        form, decimal=sign, signed=frozenset(signed & numeric), three_decimals=three
    )


def without_signs(column: Any, form: TextForm) -> Any:
    """Remove separators of thousands, currency and per cent signs from a column of text."""
    if form.thousands is None:
        return column
    import pyarrow.compute as pc

    fits = pc.match_substring_regex(column, signed_number(form.thousands, form.point or "."))
    bare = pc.replace_substring_regex(column, f"[{_SIGNS}{_SPACES}{_escaped(form.thousands)}]", "")
    return pc.if_else(pc.fill_null(fits, False), bare, column)


def signed_number(thousands: str, point: str) -> str:
    """A pattern of numbers with these separators, with or without currency and per cent signs."""
    between = f"[{_SPACES if thousands == ' ' else _escaped(thousands)}]"
    around = f"[{_SPACES}]*[{_SIGNS}]?[{_SPACES}]*"
    digits = f"([0-9]{{1,3}}({between}[0-9]{{3}})+|[0-9]+)([{point}][0-9]*)?"
    return f"^[+-]?{around}[+-]?{digits}{around}$"


def _escaped(character: str) -> str:
    """Escape a character within the brackets of a pattern."""
    return character if character.isspace() else f"\\{character}"


def _decimal_sign(examples: Mapping[str, _Examples], files: Iterable[str], form: TextForm) -> str:
    """The decimal separator: as passed, or as in the columns of numbers.

    It can be a comma only if commas do not separate values. 1,234 alone does not decide, because
    the comma may separate thousands.
    """
    if form.point is not None:
        return form.point
    if any(form.separator_of(file) == "," for file in files):
        return "."
    columns = {name: forms for name, forms in examples.items() if set(forms) <= _NUMBERS | _DECIMAL}
    points = {
        name: forms["point" if "point" in forms else "three"]
        for name, forms in columns.items()
        if forms.keys() & _DECIMALS["."]
    }
    commas = (name for name, forms in columns.items() if "comma" in forms and name not in points)
    comma = next(commas, None)
    if comma is None or not points:
        return "." if comma is None else ","
    point, (value, where) = next(iter(points.items()))
    why = f"and column {point!r} {value!r} in {where}: one sign of decimals is needed"
    raise _refused(comma, *examples[comma]["comma"], why)


def _forms_under(sign: str, examples: _Examples, name: str, numbers: set[str]) -> set[str]:
    """The forms of a column given the decimal separator; numbers with another one are text."""
    for kind, (value, where) in examples.items():
        if name in numbers and kind in _DECIMAL - _DECIMALS[sign]:
            raise _refused(name, value, where, _NO_SIGN[kind])
    read_as = dict.fromkeys(_DECIMAL, "text") | dict.fromkeys(_DECIMALS[sign], "float")
    return {read_as.get(kind, kind) for kind in examples}


def _forms_of(column: Any) -> Iterator[tuple[str, str]]:
    """The forms that occur, each with an example; a value with a NUL byte comes first."""
    import pyarrow.compute as pc

    left = pc.unique(column).drop_null()
    strange = left.filter(pc.match_substring(left, "\x00"))
    if len(strange):
        yield strange[0].as_py(), "text"
    for form, pattern in _FORMS.items():
        if not len(left):
            return
        fits = pc.match_substring_regex(left, pattern)
        matching = left.filter(fits)
        if len(matching):
            yield matching[0].as_py(), form
        left = left.filter(pc.invert(fits))


def _row_of(column: Any, value: str) -> int:
    import pyarrow.compute as pc

    return int(pc.index(column, value).as_py())


def _refused(name: str, value: str, where: str, why: str) -> InvalidParameterError:
    return InvalidParameterError(f"Column {name!r} holds {value[:60]!r} in {where}, {why}.")


def _type(forms: set[str], is_number: bool) -> str:
    if is_number:
        return "int64" if forms == {"integer"} else "float64"
    if forms <= {"integer", "float"} and forms:
        return "float64" if "float" in forms else "int64"
    return "bool" if forms == {"boolean"} else "string"


def csv_batches(files: Iterable[str], types: Mapping[str, Any], form: TextForm = PLAIN) -> Placed:
    """Record batches with columns of these types, and their locations."""
    for file in files:
        batches = guarded_batches(repr(file), partial(_open, file, types, form))
        line_of = partial(_line_of, file, form)
        try:
            for batch, place in placed(batches, printable(file), 1, line_of):
                yield _as_numbers(batch, types, form), place
        except InvalidParameterError as error:
            if "invalid UTF8 data" not in str(error):
                raise
            raise InvalidParameterError(
                f"{file!r} cannot be read: a value is no UTF-8 text."
            ) from error


def _line_of(file: str, form: TextForm, row: int) -> int | None:
    """The line on which a row of a text file begins; None if it would take long to count."""
    if row > _MOST_COUNTED:
        return None
    place, begins = -1, 1  # the header
    try:
        with form.open(file) as text:
            reader = csv.reader(text, delimiter=form.separator_of(file))
            for values in reader:
                if values and place == row:
                    return begins
                place += bool(values)
                begins = reader.line_num + 1
    except (csv.Error, OSError, UnicodeError):
        pass
    return None


def _as_numbers(batch: Any, types: Mapping[str, Any], form: TextForm) -> Any:
    """Convert numbers with signs, which were read as text."""
    import pyarrow.compute as pc

    for name in form.signed & set(types):
        text = pc.replace_substring(without_signs(batch.column(name), form), form.decimal, ".")
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, name, pc.cast(pc.utf8_trim_whitespace(text), types[name]))
    return batch


def _open(file: str, types: Mapping[str, Any], form: TextForm) -> Any:
    import pyarrow
    from pyarrow import csv as arrow_csv

    convert = arrow_csv.ConvertOptions(
        include_columns=list(types),
        column_types=dict(types) | dict.fromkeys(form.signed & set(types), "string"),
        decimal_point=form.decimal or ".",
        null_values=list(_MISSING),
        strings_can_be_null=True,
        true_values=list(_TRUE),
        false_values=list(_FALSE),
    )
    separator = form.separator_of(file)
    width = sum(len(name.encode()) + 3 for name in form.first_rows(file, separator, 1)[0])
    compression = COMPRESSED.get(Path(file).suffix.lower())
    encoding = "utf8" if form.is_utf8 else form.encoding
    return arrow_csv.open_csv(
        file if compression is None else pyarrow.input_stream(file, compression=compression),
        read_options=arrow_csv.ReadOptions(block_size=max(_BLOCK, 4 * width), encoding=encoding),
        parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=convert,
    )

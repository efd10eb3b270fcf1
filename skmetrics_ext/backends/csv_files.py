"""CSV files, read by Arrow; the type of a column follows from all of its values.

Readers guess types from the first rows, each differently: a later 0.25 becomes 0, and 007 becomes 7
or stays text. So values are read as text first, and then with explicit types.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from skmetrics_ext.backends.read_errors import Placed, guarded_batches, placed, reading
from skmetrics_ext.merged.columns import ColumnNames
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import printable, spoken

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
_NO_UTF8 = "is no UTF-8 text"
# Signs around numbers, which are removed with the separators of thousands.
_SIGNS = "$€£¥₹%"
_SPACES = " \u00a0\u202f"
_MOST_COUNTED = 2_000_000  # rows up to which messages give the line, which takes seconds
_BLOCK = 1 << 22  # bytes that are read at once; rows must not be longer


# Suffix of a compressed file -> compression.
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
_SEPARATORS = (",", ";", "\t", "|")
_NAMED = re.compile(r'"?sep=(.)"?\s*$', re.IGNORECASE)  # the first line of Excel
_NUMBER = re.compile(r"\s*[+-]?[0-9.,]*[0-9][0-9.,]*([eE][+-]?[0-9]+)?\s*")
_ROW_NAMES = "names of rows\0"  # a column without a name in the header
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
    missing : tuple of str
        Marks of missing values besides the usual ones.
    skip_rows : int
        Number of lines above the header.
    has_header : bool
        Whether the first row names the columns; otherwise they are named 1, 2, ...
    is_trimmed : bool
        Whether blanks around text are removed.
    cleaned : frozenset of str
        Columns that hold such numbers or blanks.
    remarks : tuple of str
        Further assumptions, a line each.
    """

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str | None = None
    thousands: str | None = None
    missing: tuple[str, ...] = ()
    skip_rows: int = 0
    has_header: bool = True
    is_trimmed: bool = False
    cleaned: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions about the files, a line each."""
        decimal = ("numbers are read with decimal commas",) if self.decimal == "," else ()
        return (*decimal, *self.remarks)

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
        named = self.separator or self.above(file)[1]
        if named is not None:
            return named
        usual = "\t" if stem_of(file)[1] == ".tsv" else ","
        best, most = usual, 1
        for separator in dict.fromkeys((usual, *_SEPARATORS)):
            rows = self.first_rows(file, separator)
            width = len(rows[0]) if rows else 0
            if width > most and ({*map(len, rows)} == {width} or _has_row_names(rows)):
                best, most = separator, width
        return best

    def above(self, file: str) -> tuple[int, str | None]:
        """Number of lines above the first row, and the separator that one of them names."""
        n_lines, separator = self.skip_rows, None
        with reading(repr(file)), self.open(file) as text:
            for line in islice(text, n_lines, None):
                named = _NAMED.match(line)
                if named is None and line.strip("\r\n"):
                    break
                n_lines, separator = n_lines + 1, named[1] if named else separator
        return n_lines, separator

    def columns(self, file: str) -> list[str]:
        """Names of all columns of a file."""
        rows = self.first_rows(file, self.separator_of(file))
        if rows and not self.has_header:
            return [str(place) for place in range(1, len(rows[0]) + 1)]
        return [*[_ROW_NAMES] * _has_row_names(rows), *rows[0]] if rows else []

    def first_rows(self, file: str, separator: str) -> list[list[str]]:
        """The values of the first lines of a file that are not empty."""
        n_above, _ = self.above(file)
        with reading(repr(file)), self.open(file) as text:
            rows = csv.reader(islice(text, n_above, None), delimiter=separator)
            return list(islice(filter(None, rows), _LOOKED_AT))

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
    header = [name for name in form.columns(file) if name != _ROW_NAMES]
    if not header:
        raise InvalidParameterError(f"{file!r} is empty: a header with names is needed.")
    if any(c == "\x00" or "\ud800" <= c <= "\udfff" for name in header for c in name):
        raise InvalidParameterError(f"{file!r} cannot be read: its header {spoken(_NO_UTF8)}.")
    return header


def _has_row_names(rows: Sequence[Sequence[str]]) -> bool:
    """Whether each row begins with its name, as R writes it: the header is one name short."""
    header, *rest = rows or [[]]
    is_longer = {len(row) for row in rest} == {len(header) + 1} and len(header) > 1
    return is_longer and any(row[-1] for row in rest) and len({r[0] for r in rest}) == len(rest)


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
    changed: set[str] = set()
    for batch, place in csv_batches(files, dict.fromkeys(names.all, "string"), form):
        for name in names.all:
            column = _cleaned(batch.column(name), form)
            if not column.equals(batch.column(name)):
                changed.add(name)
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
    padded = sorted(changed - numeric)
    remarks = [
        f"{name}: all values with a point have three decimals, such as "
        f"{examples[name]['three'][0]}; if the point separates thousands, pass --thousands ."
        for name in names.all
        if name in numeric
        and "three" in examples[name]
        and "point" not in examples[name]
        and form.point is None
    ]
    remarks += [f"blanks around values are removed: {', '.join(padded)}"] if padded else []
    header = form.columns(files[0])
    if form.has_header and all(map(_NUMBER.fullmatch, header)):
        first = ", ".join(header[:5])
        remarks.append(f"the header holds numbers only ({first}): if it is a row, pass --no-header")
    if header[0] == _ROW_NAMES:
        remarks.append("the header is one name short: rows begin with a name, which is not read")
    cleaned = frozenset(changed if form.thousands is not None else padded)
    return types, replace(form, decimal=sign, cleaned=cleaned, remarks=tuple(remarks))


def _cleaned(column: Any, form: TextForm) -> Any:
    """A column of text without blanks around values, and numbers without the signs of the form."""
    import pyarrow
    import pyarrow.compute as pc

    if form.is_trimmed:
        column = pc.utf8_trim_whitespace(column)
        marks = pyarrow.array([*_MISSING, *form.missing])
        column = pc.if_else(pc.is_in(column, value_set=marks), None, column)
    if form.thousands is None:
        return column
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
    why = f"and column {point!r} {value!r} in {where}: {spoken('one sign of decimals is needed')}"
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
    return InvalidParameterError(f"Column {name!r} holds {value[:60]!r} in {where}, {spoken(why)}.")


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
                yield _converted(batch, types, form), place
        except InvalidParameterError as error:
            if "invalid UTF8 data" not in str(error):
                raise
            raise InvalidParameterError(
                f"{file!r} cannot be read: a value {spoken(_NO_UTF8)}."
            ) from error


def _line_of(file: str, form: TextForm, row: int) -> int | None:
    """The line on which a row of a text file begins; None if it would take long to count."""
    if row > _MOST_COUNTED:
        return None
    try:
        n_above, _ = form.above(file)
        place, begins = -int(form.has_header), n_above + 1
        with form.open(file) as text:
            lines = islice(text, n_above, None)
            reader = csv.reader(lines, delimiter=form.separator_of(file))
            for values in reader:
                if values and place == row:
                    return begins
                place += bool(values)
                begins = n_above + reader.line_num + 1
    except (csv.Error, OSError, UnicodeError):
        pass
    return None


def _converted(batch: Any, types: Mapping[str, Any], form: TextForm) -> Any:
    """Clean columns that were read as text, and convert them."""
    import pyarrow.compute as pc

    for name in form.cleaned & set(types):
        text = _cleaned(batch.column(name), form)
        if "string" not in str(types[name]):
            text = pc.utf8_trim_whitespace(pc.replace_substring(text, form.decimal, "."))
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, name, pc.cast(text, types[name]))
    return batch


def _open(file: str, types: Mapping[str, Any], form: TextForm) -> Any:
    import pyarrow
    from pyarrow import csv as arrow_csv

    convert = arrow_csv.ConvertOptions(
        include_columns=list(types),
        column_types=dict(types) | dict.fromkeys(form.cleaned & set(types), "string"),
        decimal_point=form.decimal or ".",
        null_values=[*_MISSING, *form.missing],
        strings_can_be_null=True,
        true_values=list(_TRUE),
        false_values=list(_FALSE),
    )
    columns = form.columns(file)
    width = sum(len(name.encode()) + 3 for name in columns)
    compression = COMPRESSED.get(Path(file).suffix.lower())
    encoding = "utf8" if form.is_utf8 else form.encoding
    return arrow_csv.open_csv(
        file if compression is None else pyarrow.input_stream(file, compression=compression),
        read_options=arrow_csv.ReadOptions(
            block_size=max(_BLOCK, 4 * width),
            encoding=encoding,
            column_names=columns,
            skip_rows=form.above(file)[0],
            skip_rows_after_names=int(form.has_header),
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=form.separator_of(file), newlines_in_values=True
        ),
        convert_options=convert,
    )

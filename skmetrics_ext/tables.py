"""Results as rows: one table type for text, HTML, Markdown, LaTeX and data frames."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import IO, Any, Literal, NamedTuple, Self, SupportsIndex, overload

from skmetrics_ext import formats
from skmetrics_ext._lazy import renamed_argument
from skmetrics_ext.formats import line_width
from skmetrics_ext.validation import check_option

Library = Literal["pandas", "polars"]
LIBRARIES = ("pandas", "polars")
SCHEMA_VERSION = 2  # of the dicts that `to_dict` returns
_MOST_SHOWN = 100

# Default form of columns by name; the names of p-values begin with "p_".
_FORMS: Mapping[str, Callable[..., str]] = {
    "value": formats.number,
    "mean": formats.number,
    "rest": formats.number,
    "reference": formats.number,
    "value_a": formats.number,
    "value_b": formats.number,
    "difference": formats.signed,
    "gap": formats.signed,
    "interval": formats.interval,
    **dict.fromkeys(("n_rows", "support"), formats.count),
}
# Columns that are text even if they are empty.
_TEXTS = ("model", "metric", "method", "first", "second", "margin", "concluded")
_NO_NAMES = ("method", "set", "verdict", "kind", "interval", "unit")  # texts that name no row
_UNNAMED = re.compile(r"[^\w.:-]+", re.ASCII)  # characters not allowed in a path
# Columns of sentences, which are shown below the table.
# Number of rows or groups that a note begins with, or comes to first.
_COUNT = re.compile(r"(?:only |about )?\d[\d.,]*(?= [a-z ]*?(?:rows|groups))")
_ONE = re.compile(r"(?<![\d.])1 ([a-z ]*?(?:row|group))\b(?:( enter| decide| dominate)s)?")
_SENTENCES = ("reason", "reasons", "note", "notes", "interval_note")


class Row(dict[str, Any]):
    """A mapping whose keys are attributes too: ``row["value"]`` is ``row.value``.

    Parameters
    ----------
    *args, **kwargs
        Arguments of `dict`.

    Examples
    --------
    >>> from skmetrics_ext.results import Row
    >>> row = Row(metric="recall", value=0.8)
    >>> row.value, row["value"], dict(row)
    (0.8, 0.8, {'metric': 'recall', 'value': 0.8})
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            message = f"a row has no {name!r}; it has {list(self)}"
            raise AttributeError(message, name=name, obj=self) from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *map(str, self)})


def _is_name(key: str, value: Any) -> bool:
    """Whether a cell identifies its row: text, or the number of a fold or a group."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str) or (is_integer and not key.startswith("n_"))


def _row(row: Mapping[str, Any]) -> Row:
    return row if isinstance(row, Row) else Row(row)


class Shown(NamedTuple):
    """How a column is shown.

    Parameters
    ----------
    title : str
        Heading of the column.
    keys : str or tuple of str, default=""
        Keys of the row's values in this column; by default the title.
    form : callable
        Formats the values; by default numbers have four decimals.
    is_text : bool, default=None
        Whether the column is left-aligned; by default if any row has text in it.
    none : str, default=""
        Text for a missing value.
    """

    title: str
    keys: str | tuple[str, ...] = ""
    form: Callable[..., str] = formats.plain
    is_text: bool | None = None
    none: str = ""

    def names(self) -> tuple[str, ...]:
        """Keys of the row's values in this column."""
        keys = self.keys or self.title
        return (keys,) if isinstance(keys, str) else keys

    def cell(self, row: Mapping[str, Any]) -> str:
        """The text of a row's cell."""
        keys = self.keys or self.title
        if isinstance(keys, str):
            value = row[keys] if keys in row else None  # noqa: SIM401 - former keys are not read
            return self.none if value is None else self.form(value)
        values = list(map(row.get, keys))
        return self.none if any(value is None for value in values) else self.form(*values)


def columns(*names: str | tuple[str, str]) -> list[Shown]:
    """Columns by key, or by (title, key); "interval" joins low and high."""
    shown = []
    for name in names:
        title, key = (name, name) if isinstance(name, str) else name
        keys = ("low", "high") if key == "interval" else key
        shown.append(Shown(title, keys, _form(key), key in _TEXTS or None))
    return shown


def _form(key: str) -> Callable[..., str]:
    """Default form of numbers by the name of their column."""
    return _FORMS.get(key, formats.probability if key.startswith("p_") else formats.plain)


class Tabular:
    """Base of results that are tables: text, HTML, frames, Markdown and LaTeX."""

    __slots__ = ()

    def _as_rows(self) -> Table:
        """The rows with their columns, lead and notes."""
        raise NotImplementedError

    @renamed_argument("library", "backend")
    def frame(self, *, backend: Library = "pandas") -> Any:
        """The rows as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default="pandas"
            Library of the frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            A column for each key, also for those that printing leaves out. In polars, counted
            reasons are text.

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        rows = self._as_rows()
        columns = {key: [row.get(key) for row in rows] for key in rows.fields()}
        return frame_of(columns, backend, f"{type(self).__name__}.frame")

    def flat(self) -> dict[str, float]:
        """The numbers by path, such as "forest/recall/value", for experiment trackers.

        MLflow, Weights & Biases and DVC take such a dict. A path joins the texts and numbers that
        identify a row; characters other than letters, digits and "_.:-" become "_". Numbers that
        are nan are left out.

        Returns
        -------
        dict of str to float

        Examples
        --------
        >>> from skmetrics_ext.results import Table
        >>> Table([dict(model="forest (1)", metric="recall", value=0.8, n_rows=50)]).flat()
        {'forest_1/recall/value': 0.8, 'forest_1/recall/n_rows': 50.0}
        """
        rows = self._as_rows()
        keys = [key for column in rows.shown() for key in column.names() if key not in _NO_NAMES]
        numbers: dict[str, float] = {}
        seen: Counter[str] = Counter()
        for row in rows:
            named = [key for key in keys if _is_name(key, row.get(key))]
            path = "".join(_UNNAMED.sub("_", str(row[key])).strip("_") + "/" for key in named)
            seen[path] += 1
            path += f"{seen[path]}/" if seen[path] > 1 else ""
            for key, value in row.items():
                is_number = isinstance(value, int | float) and not isinstance(value, bool)
                if is_number and key not in named and value == value:
                    numbers[path + key] = float(value)
        return numbers

    def to_markdown(self, path: str | Path | None = None) -> str | None:
        """The table in Markdown, with its notes.

        Parameters
        ----------
        path : str or Path, default=None
            File to write.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        return self._markup(formats.markdown_table, formats.markdown_text, path)

    def to_latex(self, path: str | Path | None = None) -> str | None:
        r"""The table in LaTeX, with its notes; it needs ``\usepackage{booktabs}``.

        Parameters
        ----------
        path : str or Path, default=None
            File to write.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        return self._markup(formats.latex_table, formats.latex_text, path)

    def _contents(self) -> dict[str, Any]:
        """The fields by name."""
        return formats.fields_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything the result holds, by name, as plain Python values.

        Returns
        -------
        dict
            ``schema_version``, and the fields of the result; arrays are lists, and tables are
            lists of rows.
        """
        return {"schema_version": SCHEMA_VERSION, **formats.python_of(self._contents())}

    def to_json(self, path: str | Path | None = None) -> str | None:
        """`to_dict` as JSON; nan and infinities become null.

        Parameters
        ----------
        path : str or Path, default=None
            File to write.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        return written(formats.json_of(self.to_dict()), path, "\n")

    def _markup(
        self, table: Callable[..., str], escaped: Callable[[str], str], path: str | Path | None
    ) -> str | None:
        """The lead, the table and the footnotes as paragraphs, in a file or returned."""
        rows = self._as_rows()
        shown = table(rows.header(), rows.cells(), rows.align()) if rows else escaped(rows.empty)
        paragraphs = [*map(escaped, rows.lead), shown, *map(escaped, rows.footnotes())]
        return written("\n\n".join(paragraphs), path, "\n")

    def __str__(self) -> str:
        rows = self._as_rows()
        lead = [formats.visible(line) for line in rows.lead]
        if not rows:
            return "\n".join([*lead, rows.empty])
        shown = formats.text_table(rows.header(), rows.cells(_MOST_SHOWN), rows.align())
        notes = map(formats.visible, rows.footnotes())
        below = "\n".join(fill(note, line_width(), subsequent_indent="    ") for note in notes)
        parts = ["\n".join([*lead, shown, *rows.beyond(_MOST_SHOWN)]), below]
        return "\n\n".join(filter(None, parts))

    def __repr__(self) -> str:
        rows = self._as_rows()
        n_rows, n_columns = len(rows), len(rows.fields())
        counted = f"{n_rows} row{'s' * (n_rows != 1)}, {n_columns} column{'s' * (n_columns != 1)}"
        return f"<{type(self).__name__}: {counted}>"

    def to_html(self, path: str | Path | None = None) -> str | None:
        """The table as HTML, with its notes; Word and LibreOffice open the file as a table.

        Parameters
        ----------
        path : str or Path, default=None
            File to write.

        Returns
        -------
        str or None
            The HTML, unless it is written to a file.
        """
        text = self._html(None)
        if path is None:
            return text
        written(f'<!doctype html><meta charset="utf-8">{text}', path, "\n")
        return None

    def _repr_html_(self) -> str:
        return self._html(_MOST_SHOWN)

    def _repr_markdown_(self) -> str:
        return str(self.to_markdown())

    def _repr_latex_(self) -> str:
        return str(self.to_latex())

    def _html(self, most: int | None) -> str:
        """The first ``most`` rows as HTML, or all of them."""
        rows = self._as_rows()
        if not rows:
            return formats.html_fragment([*rows.lead, rows.empty], "", ())
        cells = rows.cells(most)
        shown = formats.html_table(rows.header(), cells, rows.align(), baseline=rows.baseline)
        more = [] if most is None else rows.beyond(most)
        return formats.html_fragment(rows.lead, shown, [*more, *rows.footnotes()])


class Table(Tabular, list[Row]):
    """Rows of results: a list of mappings that prints as a table.

    Parameters
    ----------
    rows : iterable of mapping
        The rows.
    columns : sequence of str or Shown, default=None
        Columns of the table. By default every key except ``sentences``; ``low`` and ``high`` make
        one column, the interval.
    lead : sequence of str, default=()
        Lines above the table.
    notes : sequence of str, default=()
        Sentences below the table.
    sentences : sequence of str, default=None
        Keys whose texts are footnotes, with a mark in the rows that have them.
        By default ``reason``, ``reasons``, ``note``, ``notes`` and ``interval_note``.
    baseline : str, default=None
        Rows with a cell of this name are marked in HTML.
    empty : str, default="no rows"
        Text shown instead of a table without rows.

    Examples
    --------
    >>> from skmetrics_ext.results import Table
    >>> rows = Table([dict(metric="recall", value=0.8, low=0.7, high=0.9, reason=None)])
    >>> rows
    <Table: 1 row, 5 columns>
    >>> print(rows)
    metric   value          interval
    ------  ------  ----------------
    recall  0.8000  [0.7000, 0.9000]
    >>> rows[0].value
    0.8
    >>> print(rows.to_markdown())
    | metric | value | interval |
    | --- | ---: | ---: |
    | recall | 0.8000 | [0.7000, 0.9000] |
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]] = (),
        columns: Sequence[str | Shown] | None = None,
        *,
        lead: Sequence[str] = (),
        notes: Sequence[str] = (),
        sentences: Sequence[str] | None = None,
        baseline: str | None = None,
        empty: str = "no rows",
    ) -> None:
        super().__init__(map(_row, rows))
        self._columns = columns
        self.lead = tuple(lead)
        self.notes = tuple(notes)
        self.sentences = _SENTENCES if sentences is None else tuple(sentences)
        self.baseline = baseline
        self.empty = empty

    def _as_rows(self) -> Table:
        return self

    @overload
    def __getitem__(self, place: SupportsIndex) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: Any) -> Any:
        """A row, or a slice of the rows with the same columns, lead and notes."""
        rows = super().__getitem__(place)
        return self.like(rows) if isinstance(place, slice) else rows

    def _contents(self) -> dict[str, Any]:
        return {"rows": list(self), "lead": self.lead, "notes": self.notes}

    def like(self, rows: Iterable[Mapping[str, Any]]) -> Self:
        """A table of other rows with the columns, lead and notes of this one."""
        other = type(self).__new__(type(self))
        list.__init__(other, map(_row, rows))
        other.__dict__.update(self.__dict__)
        return other

    def fields(self) -> list[str]:
        """Keys of all rows, in order of first occurrence."""
        return list(dict.fromkeys(key for row in self for key in row))

    def shown(self) -> list[Shown]:
        """The columns that are shown."""
        if self._columns is None:
            return _inferred(self)
        return [Shown(c) if isinstance(c, str) else c for c in self._columns]

    def header(self) -> list[str]:
        """Titles of the columns, and of the column of note marks."""
        return [*(column.title for column in self.shown()), *(["note"] if self._texts() else [])]

    def align(self) -> str:
        """Alignment of each column: "<" for text, ">" for numbers."""
        sides = "".join("<" if self._is_text(column) else ">" for column in self.shown())
        return sides + "<" * bool(self._texts())

    def _is_text(self, column: Shown) -> bool:
        if column.is_text is not None:
            return column.is_text
        kinds = {type(dict.get(row, key)) for key in column.names() for row in self}
        return any(issubclass(kind, str) for kind in kinds)

    def cells(self, most: int | None = None) -> list[list[str]]:
        """Texts of the cells of all rows, or of the first ``most``."""
        columns, marked = self.shown(), self._texts()
        cells = [[column.cell(row) for column in columns] for row in list(self)[:most]]
        if marked:
            for row, texts in zip(self, cells, strict=False):
                texts.append("".join({marked[text].split()[0]: 0 for text in self._sentences(row)}))
        return cells

    def beyond(self, most: int) -> list[str]:
        """A line that counts the rows that are not shown."""
        more = len(self) - most
        return [f"... and {more} more rows; frame() has all of them"] if more > 0 else []

    def footnotes(self) -> list[str]:
        """Marked sentences, then notes."""
        return [*dict.fromkeys(self._texts().values()), *self.notes]

    def _sentences(self, row: Row) -> list[str]:
        """Sentences of a row, each once; a table has no choice of a method."""
        given, n_folds = filter(None, map(row.get, self.sentences)), dict.get(row, "n_folds")
        texts = (without_methods(formats.plain(each, n_folds)) for each in given)
        return [*dict.fromkeys(filter(None, texts))]

    def _texts(self) -> dict[str, str]:
        """Each sentence and its footnote, which stands for all that differ in numbers only."""
        texts = joined_notes(text for row in self for text in self._sentences(row))
        marks = {note: place for place, note in enumerate(dict.fromkeys(texts.values()), start=1)}
        return {text: f"[{marks[note]}] {note}" for text, note in texts.items()}


def without_methods(note: Any) -> str:
    """A note without advice to choose a method, for where there is no choice."""
    return "; ".join(clause for clause in str(note).split("; ") if "method=" not in clause)


def joined_notes(notes: Iterable[str]) -> dict[str, str]:
    """Each note, and the one that stands for all which differ from it in their counts only."""
    shapes = {note: _COUNT.sub("few", _ONE.sub(_in_plural, note)) for note in notes}
    shared = Counter(shapes.values())
    return {note: shape if shared[shape] > 1 else note for note, shape in shapes.items()}


def _in_plural(one: re.Match[str]) -> str:
    return f"1 {one[1]}s{one[2] or ''}"


def _inferred(rows: Table) -> list[Shown]:
    """Columns inferred from the keys and values of the rows."""
    keys = [key for key in rows.fields() if key not in rows.sentences]
    has_bounds = "low" in keys and "high" in keys
    columns = []
    for key in keys:
        if has_bounds and key in ("low", "high"):
            if key == "low":
                columns.append(Shown("interval", ("low", "high"), formats.interval))
            continue
        are_numbers = all(isinstance(row.get(key), float | int | None) for row in rows)
        columns.append(Shown(key, key, _form(key) if are_numbers else formats.plain))
    return [column for column in columns if any(map(column.cell, rows))]  # not empty everywhere


# --------------------------------------------------------------------------- frames and files


def frame_of(columns: Mapping[str, Any], library: str, what: str) -> Any:
    """Columns of equal length as a frame of pandas or polars, imported on use."""
    check_option("backend", library, LIBRARIES)
    try:
        if library == "pandas":
            import pandas

            return pandas.DataFrame(dict(columns))
        import polars
    except ImportError as error:
        extra = "'skmetrics-ext[frames]'" if library == "pandas" else "polars"
        raise ImportError(f"{what} needs {library}: pip install {extra}") from error
    flat = {
        key: [_flat(value) for value in values] if isinstance(values, list) else values
        for key, values in columns.items()
    }
    return polars.DataFrame(flat, strict=False)


def _flat(value: Any) -> Any:
    """Counted reasons as text: polars has no column of dicts with changing keys."""
    return formats.plain(value) or None if isinstance(value, dict) else value


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a new file that replaces ``path`` once it is written completely.

    An existing file is kept until then, and after an error. Links are followed; devices and pipes
    are written directly.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with open(path, "wb") as stream:
            yield stream
        return
    unfinished = target.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        stream = open(unfinished, "xb")  # noqa: SIM115 - closed below, before the exchange
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with stream:
            yield stream
        if target.exists():
            shutil.copymode(target, unfinished)
        os.replace(unfinished, target)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(unfinished)):
            error.filename, error.filename2 = str(path), None
        raise


def written(text: str, path: str | Path | None, end: str = "") -> str | None:
    """Write the text to a file as UTF-8, or return it without a path.

    Unpaired surrogates, which UTF-8 cannot encode, are written as escapes.
    """
    if path is None:
        return text
    with replacing(path) as stream:
        stream.write((text + end).encode("utf-8", "backslashreplace"))
    return None

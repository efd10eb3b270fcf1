"""Files that are hostile or merely awkward, each with what is told or that it is read right."""

import os
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

ROWS = 90
RIGHT = None  # in the place of a message: the file is read, and right


def rows(seed=0):
    """Rows whose scores are far from random."""
    rng = np.random.default_rng(seed)
    y = np.resize([0, 1], ROWS)
    return pd.DataFrame(
        {"y": y, "s": np.round(rng.random(ROWS) / 2 + 0.4 * y, 3), "p": np.resize([0, 1, 1], ROWS)}
    )


def csv(folder, frame, name="a.csv"):
    frame.to_csv(folder / name, index=False)
    return folder / name


def table(folder, frame, name="a.parquet"):
    frame.to_parquet(folder / name, index=False)
    return folder / name


def raw(data, name="a.csv"):
    def write(folder):
        (folder / name).write_bytes(data)
        return folder / name

    return write


def late(column, value):
    """A value unlike those before it, beyond what a reader guesses from."""

    def write(folder):
        head, *lines = rows().to_csv(index=False).splitlines()
        lines = lines * 2000
        changed = lines[170_000].split(",")
        changed[list(rows()).index(column)] = value
        lines[170_000] = ",".join(changed)
        return raw("\n".join([head, *lines, ""]).encode())(folder)

    return write


def wide(folder):
    """Few rows of very many columns: a head beyond what a reader guesses from."""
    frame, more = rows()[:6], range(20_000)
    head = ",".join([*frame, *(f"{i:060}" for i in more)])
    zeros = ",0" * len(more)
    lines = [",".join(map(str, row)) + zeros for row in frame.itertuples(index=False)]
    return raw("\n".join([head, *lines, ""]).encode())(folder)


def both(first, second, write):
    """A folder of two files."""

    def make(folder):
        ends = {csv: "csv", table: "parquet"}[write]
        write(folder, first, f"a.{ends}")
        write(folder, second, f"b.{ends}")
        return folder

    return make


def beside(name):
    """A file whose name is a pattern of another's."""

    def write(folder):
        table(folder, rows(1).assign(s=lambda f: 1 - f.s), "part1.parquet")
        return table(folder, rows(), name)

    return write


def in_folder_of_values(folder):
    (folder / "y=1").mkdir()
    return table(folder, rows(), "y=1/a.parquet")


def damaged(part):
    def write(folder):
        path = table(folder, rows())
        data = bytearray(path.read_bytes())
        half = len(data) // 2
        path.write_bytes(data[:half] if part == "end" else data[:4] + bytes(200) + data[204:])
        return path

    return write


def decimals(folder):
    content = pa.Table.from_pandas(rows())
    content = content.set_column(1, "s", content["s"].cast(pa.decimal128(10, 3)))
    parquet.write_table(content, folder / "a.parquet")
    return folder / "a.parquet"


def unreadable(folder):
    path = table(folder, rows())
    shutil.copy(path, folder / "b.parquet")
    os.remove(path)
    os.symlink(folder / "nowhere", path)
    return path


OTHER_CASE = rows().assign(Y=lambda f: 1 - f.y, S=lambda f: 1 - f.s)[["Y", "S", "y", "s", "p"]]
WORDS = rows().assign(p=lambda f: f.p.map({0: "no", 1: "yes"}))
CODES = rows().assign(
    y=lambda f: f.y.map({0: "007", 1: "7"}), p=lambda f: f.p.map({0: "7", 1: "007"})
)
# Windows has no such names, and makes links for administrators alone.
OF_POSIX = {"named part?.parquet", "named part*.parquet", "a link to nothing"}
NO_LABELS = "'y' must hold labels|not supported: y holds"
MIX = r"Mix of label input types .* in y and p"

FILES = {
    "20,000 columns": (wide, RIGHT),
    "filename, csv": (lambda f: csv(f, rows().assign(filename="x")), RIGHT),
    "filename, parquet": (
        lambda f: table(f, rows().assign(filename="x", file_row_number=1)), RIGHT,
    ),
    "filename, a hole": (
        lambda f: table(f, rows().assign(filename="x", s=lambda g: g.s.where(g.index != 7))),
        "'s' has a missing value in row 8",
    ),
    "late text": (late("s", "bad"), r"'s' holds 'bad' in line 170002 of .*no number"),
    "late label": (late("y", "bad"), MIX),
    "NUL in a score": (
        raw(b"y,s,p\n0,0.1,0\n1,0.\x008,1\n"), r"'s' holds '0\.\\x008' in line 3 of .*NUL byte",
    ),
    "NUL in a label": (raw(b"y,s,p\na,0.1,a\na\x00,0.8,a\n"), r"'y' holds 'a\\x00' in line 3 of"),
    "NUL in a label, parquet": (
        lambda f: table(f, rows().assign(y=lambda g: g.y.map({0: "a", 1: "a\x00"}), p="a")),
        "'y' holds text with a NUL byte",
    ),
    "decimal commas": (raw(b'y,s,p\n0,"0,1",0\n1,"0,8",1\n'), "'0,1' in line 2 of .*decimal point"),
    "two signs of decimals": (
        raw(b"y;s;p\n0;0,1;0\n1;0.8;1\n"), "'s' holds '0,1' in line 2.*decimal point",
    ),
    "thousands": (raw(b"y;s;p\n0;1,000;0\n1;2,500;1\n"), "'s' holds '1,000' .*or thousands"),
    "a column missing, csv": (
        both(rows(), rows().drop(columns="s"), csv), r"b\.csv' has no column 's'",
    ),
    "a column missing, parquet": (
        both(rows(), rows().drop(columns="s"), table), r"b\.parquet' has no column 's'",
    ),
    "a column missing in the first": (
        both(rows().drop(columns="s"), rows(), table), r"a\.parquet' has no column 's'",
    ),
    "types that disagree": (
        both(rows(), rows().astype({"y": str}), table),
        r"'y' holds .*string in .*b\.parquet' and int",
    ),
    "words beside numbers, parquet": (lambda f: table(f, WORDS), MIX),
    "words beside numbers, csv": (lambda f: csv(f, WORDS), MIX),
    "two of one name": (raw(b"y,s,s,p\n0,0.1,.9,0\n1,0.8,.1,1\n"), "has 2 columns named 's'"),
    "names by case, parquet": (lambda f: table(f, OTHER_CASE), RIGHT),
    "names by case, csv": (lambda f: csv(f, OTHER_CASE), RIGHT),
    "names by case, in another order": (both(OTHER_CASE, OTHER_CASE[[*"syYSp"]], table), RIGHT),
    "leading zeros": (lambda f: csv(f, CODES), RIGHT),
    **{
        f"named {name}": (beside(name), RIGHT)
        for name in ("part[1].parquet", "part?.parquet", "part*.parquet", "part{1,2}.parquet",
                     "it's ~part 1.parquet")
    },
    "folders with values": (in_folder_of_values, RIGHT),
    "integers, then floats": (
        both(rows().assign(s=lambda f: f.y), rows(), table), RIGHT,
    ),
    "decimals": (decimals, RIGHT),
    "new lines in quotes": (
        lambda f: csv(f, rows().assign(note="one,\ntwo")[["note", "y", "s", "p"]]), RIGHT,
    ),
    "a byte order mark": (raw(b"\xef\xbb\xbf" + rows().to_csv(index=False).encode()), RIGHT),
    "cut off": (damaged("end"), r"a\.parquet' cannot be read"),
    "overwritten": (damaged("start"), r"parquet' cannot be read"),
    "no parquet": (raw(b"0123456789" * 20, "a.parquet"), r"a\.parquet' cannot be read"),
    "empty": (raw(b""), r"a\.csv' is empty"),
    "empty parquet": (raw(b"", "a.parquet"), r"a\.parquet' cannot be read"),
    "a header only": (raw(b"y,s,p\n"), "has no rows"),
    "rows cut short": (raw(b"y,s,p\n0,0.1,0\n1,0.8\n"), r"a\.csv' cannot be read.*got 2"),
    "Latin 1": (raw("y,s,p\né,0.1,a\n".encode("latin1")), r"a\.csv' cannot be read.*UTF-?8"),
    "UTF-16": (raw("y,s,p\n0,0.1,0\n".encode("utf16")), r"a\.csv' cannot be read.*UTF-8"),
    "a link to nothing": (unreadable, "is no file|does not exist"),
    "fractions for labels": (
        lambda f: table(f, rows().assign(y=lambda g: g.s)), "'y' must hold labels.*continuous",
    ),
    "dates for labels": (
        lambda f: table(f, rows().assign(y=pd.Timestamp("2020-01-01"))), NO_LABELS,
    ),
    "lists for labels": (
        lambda f: table(f, rows().assign(y=[[0]] * ROWS)), NO_LABELS,
    ),
    "records for scores": (
        lambda f: table(f, rows().assign(s=[{"a": 0.5}] * ROWS)), "'s' must hold scores",
    ),
    "numbers for labels": (
        lambda f: table(f, pd.DataFrame({"y": np.arange(20_000), "s": 0.5, "p": 0})),
        r"20000 distinct values in .* are too many",
    ),
    "names that steer": (
        lambda f: csv(f, rows().rename(columns={"s": "s\x1b[31m\x07"})), r"Columns: y, s\\x1b\[31m",
    ),
}  # fmt: skip

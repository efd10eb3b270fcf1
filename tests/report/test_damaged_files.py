"""Damaged and malicious report files: always a ValueError, found before memory is allocated."""

import io
import json
import random
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skmetrics_ext import cross_validation_report, plain_files
from skmetrics_ext.results import CrossValidationReport

RNG = np.random.default_rng(0)
N = 60
X = RNG.normal(size=(N, 2))
Y = np.array(["no", "yes"], dtype=object)[(X[:, 0] + RNG.normal(size=N) > 0).astype(int)]


@pytest.fixture(scope="module")
def report():
    return cross_validation_report(
        GaussianNB(),
        X,
        Y,
        scoring=["f1", "roc_auc"],
        pos_label="yes",
        sample_weight=RNG.random(N),
        groups=np.arange(N) // 2,
        by=np.array(["f", "m"])[np.arange(N) % 2],
        cv=3,
        train=True,
    )


@pytest.fixture(scope="module")
def saved(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "a.report"
    report.save(path)
    return path.read_bytes()


@pytest.fixture
def load(tmp_path):
    def read(data):
        path = tmp_path / "b.report"
        path.write_bytes(data)
        return CrossValidationReport.load(path)

    return read


def parts_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def zipped(parts, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return stream.getvalue()


def changed(data, **parts):
    """The file with other entries; ``report`` and ``array`` stand for the first two."""
    names = {"report": "report.json", "array": "0.npy"}
    return zipped(parts_of(data) | {names[key]: part for key, part in parts.items()})


def npy(shape, body=b"", descr="<i8", order="False", version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + body


def refused(load, data, told, most=16 << 20):
    """It raises, and takes little memory to find out."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=told):
            load(data)
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def test_every_corrupted_copy_is_refused_or_read(load, saved, report):
    draw = random.Random(0)
    read = 0
    for _ in range(400):
        data = bytearray(saved)
        kind = draw.choice(["cut", "flip", "flips", "zeros", "gone", "more"])
        place = draw.randrange(len(data))
        if kind == "cut":
            data = data[:place]
        elif kind == "zeros":
            data[place : place + 64] = bytes(len(data[place : place + 64]))
        elif kind == "gone":
            del data[place : place + draw.randrange(1, 200)]
        elif kind == "more":
            data[place:place] = draw.randbytes(draw.randrange(1, 20))
        else:
            for _ in range(1 if kind == "flip" else 20):
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        try:
            loaded = load(bytes(data))
        except ValueError:
            continue
        read += 1
        assert loaded == report
    assert read < 100  # dates, and bytes before the first entry, change nothing


def nodes(value, path=()):
    """Places in JSON, from the top."""
    yield path
    if isinstance(value, list | dict):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from nodes(item, (*path, key))


ODD = (None, True, -1, 10**30, 1e308, "", "1", [], {}, [[]], {"array": -1}, {"array": 10**9},
       {"float": "x"}, {"float": "nan"}, {"tuple": 5}, {"map": [[[], 1]]}, {"map": [1]},
       {"objects": [1, 2], "shape": [3]}, {"sparse": None})  # fmt: skip


@pytest.mark.slow
def test_a_report_with_any_part_replaced_is_refused_or_read(load, saved):
    draw = random.Random(1)
    head = json.loads(parts_of(saved)["report.json"])
    places = [path for path in nodes(head) if path]
    refused = 0
    for _ in range(500):
        new = json.loads(json.dumps(head))
        *parents, last = draw.choice(places)
        here = new
        for key in parents:
            here = here[key]
        here[last] = draw.choice(ODD)
        try:
            loaded = load(changed(saved, report=json.dumps(new).encode()))
        except ValueError:
            refused += 1
        else:  # with a name or number that could be one
            assert len(loaded.models) == 2
            assert loaded.n_folds in (0, 3)  # none, if interrupted at once
    assert refused > 250


@pytest.mark.parametrize(
    ("shape", "descr"),
    [
        ("(1000000000000,)", "<i8"),
        ("(4611686018427387905, 4)", "<i8"),
        ("(-1,)", "<i8"),
        ("(0, 1000000000000)", "<i8"),
        ("(60,)", "<U1000000000"),
        ("(1000000000,)", "<U0"),
        ("(60,)", "|O"),
        ("(60,)", "(1000000000,)f8"),
        ("(" * 200 + ")" * 200, "<i8"),
        ("-" * 400 + "1", "<i8"),
        ("-" * 9000 + "1", "<i8"),
    ],
)
def test_arrays_of_other_shapes_than_they_state(load, saved, shape, descr):
    refused(load, changed(saved, array=npy(shape, bytes(480), descr)), "is damaged")


@pytest.mark.parametrize(("shape", "size"), [("(59,)", 59), ("(30, 2)", 60), ("()", 1)])
def test_arrays_that_do_not_fit_the_report(load, saved, shape, size):
    """No array of it has this shape but predictions, which may have columns of any number."""
    parts = parts_of(saved)
    for name in [name for name in parts if name.endswith(".npy")]:
        old = np.load(io.BytesIO(parts[name]))
        if old.dtype.kind != "U":  # names of the classes
            refused(load, zipped(parts | {name: npy(shape, bytes(8 * size))}), "do not fit|damaged")


def test_bombs(load, saved):
    zeros = np.zeros(80 << 20, dtype=np.uint8)
    stream = io.BytesIO()
    np.save(stream, zeros)
    bomb = changed(saved, array=stream.getvalue())
    del zeros, stream
    refused(load, bomb, "bytes of memory")
    refused(
        load, changed(saved, report=b"[" + b"[]," * (4 << 20) + b"0]"), "bytes of memory", 32 << 20
    )
    refused(load, changed(saved, report=b" " * (80 << 20)), "bytes of memory")
    # An entry that states a smaller size than it has is not read beyond it.
    for place in range(len(bomb) - 4):
        if bomb[place : place + 4] == b"PK\x01\x02" and b"0.npy" in bomb[place + 46 : place + 51]:
            lying = bytearray(bomb)
            lying[place + 24 : place + 28] = struct.pack("<I", 1000)
            refused(load, bytes(lying), "CRC|size|damaged")


def test_a_quoted_bracket_is_text(report, tmp_path):
    """Names may hold any number of brackets and quotes."""
    names = {'[["\\' * 100: GaussianNB(), "\ud800": DummyClassifier()}
    named = cross_validation_report(names, X, Y, scoring="accuracy", cv=2, baseline=None)
    named.save(tmp_path / "a.report")
    assert CrossValidationReport.load(tmp_path / "a.report") == named


@pytest.mark.parametrize("depth", [51, 900, 200_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_deep_nesting(load, saved, depth, brackets):
    start = "[" if brackets == "[]" else '{"tuple":'
    text = f'{{"kind": "CrossValidationReport", "version": 1, "content": {start * depth}'
    data = changed(saved, report=f"{text}{brackets[1] * depth}}}".encode())
    refused(load, data, "levels deep", 64 << 20)


def test_other_kinds_of_zip(load, saved):
    parts = parts_of(saved)
    for compression in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        refused(load, zipped(parts, compression), "stored or deflated")
    locked = bytearray(saved)
    place = locked.index(b"PK\x01\x02")
    locked[place + 8] |= 1
    refused(load, bytes(locked), "not encrypted")
    refused(load, zipped({name: parts[name] for name in list(parts)[:-1]}), "there is no array")
    refused(load, zipped({"x": b"", **parts}), "entries have to be")
    refused(load, changed(saved, report=parts["report.json"].decode().encode("utf-16")), "damaged")
    refused(load, changed(saved, report=b'"' + b'\\"' * 500_000), "damaged", 64 << 20)
    refused(load, changed(saved, array=npy("(60,)", bytes(480), version=2)), "version 1.0")


@pytest.mark.parametrize("name", ["extra", "cls", "self"])
def test_fields_that_no_report_has(load, saved, name):
    head = json.loads(parts_of(saved)["report.json"])
    head["content"]["map"].append([name, 1])
    refused(load, changed(saved, report=json.dumps(head).encode()), "its fields have to be")


def test_what_is_saved_is_read_however_well_it_was_compressed(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_files, "_FREE_MEMORY", 0)
    n = 200_000
    y = (np.arange(n) % 2).astype(int)
    same = cross_validation_report(
        DummyClassifier(), np.zeros((n, 1)), y, scoring="neg_log_loss", cv=2, baseline=None
    )
    same.save(tmp_path / "a.report")
    assert CrossValidationReport.load(tmp_path / "a.report") == same


def test_a_missing_file_is_no_damaged_one(tmp_path):
    with pytest.raises(FileNotFoundError):
        CrossValidationReport.load(tmp_path / "none.report")


@pytest.mark.parametrize("row", [-1, N])
def test_rows_outside_the_report_are_refused(load, saved, row):
    """The numbers of rows of a fold, and of groups, are positions in other arrays."""
    refusals = 0
    parts = parts_of(saved)
    for name in [name for name in parts if name.endswith(".npy")]:
        numbers = np.load(io.BytesIO(parts[name]))
        if numbers.dtype.kind == "i" and numbers.ndim == 1 and len(np.unique(numbers)) > 2:
            stream = io.BytesIO()
            np.save(stream, np.append(numbers[:-1], row))
            with pytest.raises(ValueError, match=r"do not fit|damaged"):
                load(zipped(parts | {name: stream.getvalue()}))
            refusals += 1
    assert refusals >= 3

"""Zip files of JSON and plain arrays; reading them runs no code."""

from __future__ import annotations

import json
import math
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.tables import replacing
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_array
from skmetrics_ext.validation.errors import printable

_Content = TypeVar("_Content")

_HEAD = "report.json"
_DATE = (1980, 1, 1, 0, 0, 0)  # so that the same content makes the same file
_PLAIN_KINDS = "biufcUSmM"  # kinds of arrays that hold no objects
_NODES = ("array", "objects", "float", "tuple", "map", "sparse")

# A file may take this much memory, or this many times its own size if that is more.
_FREE_MEMORY, _MOST_GROWTH = 1 << 26, 100
_BYTES_PER_MARK = 64  # memory of a JSON value, by the marks [ ] { } , of the text
_MOST_NESTED = 50
_AT_ONCE = 1 << 20  # bytes that are unpacked at a time
_MOST_HEADER = 512  # characters of an array's header
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NO_MARKS = bytes(set(range(256)) - set(b"[]{},"))


def write_content(path: str | Path, kind: str, version: int, content: Any, where: str) -> None:
    """Write None, bools, numbers, text, arrays, and lists, tuples and mappings of these.

    Parameters
    ----------
    path : str or Path
    kind : str
        Name of the class whose fields are written.
    version : int
        Version of its layout.
    content : object
    where : str
        Name of the content in errors.

    Raises
    ------
    InvalidParameterError
        If the content holds anything else.
    """
    arrays: list[Array] = []
    packed = {"kind": kind, "version": version, "content": _pack(content, arrays, {}, where)}
    head = json.dumps(packed, allow_nan=False).encode()
    size = len(head) + sum(array.nbytes + _MOST_HEADER for array in arrays)
    size += _memory_of_json(head)
    with replacing(path) as stream:
        for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            stream.seek(0)
            stream.truncate()
            _write(stream, head, arrays, compression)
            if size <= _memory_limit(stream.tell()):  # else `read_content` would refuse it
                break


def read_content(
    path: str | Path, kind: str, version: int, build: Callable[[Any], _Content]
) -> _Content:
    """Read a file that `write_content` wrote, and build an object from it.

    Raises
    ------
    InvalidParameterError
        If the file holds another kind of object, is damaged, needs far more memory than its size,
        or was written by a later version.
    OSError
        If there is no such file, or it cannot be opened.
    """
    with open(path, "rb") as stream:
        try:
            head, arrays = _read(stream)
            holds, written = str(head["kind"]), int(head["version"])
            if holds == kind and written <= version:
                return build(_unpack(head["content"], arrays))
        except Exception as error:  # parsers raise errors of a dozen types for damaged files
            raise InvalidParameterError(
                f"{str(path)!r} is no file of {_a(kind)}, or is damaged: {printable(error):.300}"
            ) from error
    if holds != kind:
        raise InvalidParameterError(
            f"{str(path)!r} holds a {printable(holds):.60}, not {_a(kind)}."
        )
    raise InvalidParameterError(
        f"{str(path)!r} was written by a later version of skmetrics_ext (layout {written}, this "
        f"one reads up to {version})."
    )


def _a(kind: str) -> str:
    """A kind with its article."""
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


def check_content(holds: bool, message: str) -> None:
    """Reject a file unless a condition holds; `read_content` adds its name to the error."""
    if not holds:
        raise InvalidParameterError(message)


# --------------------------------------------------------------------------- zip


def _write(stream: IO[bytes], head: bytes, arrays: Sequence[Array], compression: int) -> None:
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr(_new_entry(_HEAD, compression), head)
        for place, array in enumerate(arrays):
            buffer = BytesIO()
            np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
            file.writestr(_new_entry(f"{place}.npy", compression), buffer.getvalue())


def _new_entry(name: str, compression: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = compression
    return entry


def _read(stream: IO[bytes]) -> tuple[Any, Callable[[int], Array]]:
    """The JSON of a zip file, and a function that reads its arrays; sizes are checked first."""
    limit = _memory_limit(stream.seek(0, 2))
    file = zipfile.ZipFile(stream)
    entries = file.infolist()
    names = [_HEAD, *(f"{place}.npy" for place in range(len(entries) - 1))]
    is_named = [entry.filename for entry in entries] == names
    check_content(is_named, f"its entries have to be {_HEAD}, 0.npy, 1.npy, ...")
    is_plain = all(entry.compress_type in (0, 8) and not entry.flag_bits & 1 for entry in entries)
    check_content(is_plain, "its entries have to be stored or deflated, and not encrypted")
    size = sum(entry.file_size for entry in entries)
    _check_memory(size, limit)
    head = _entry(file, entries[0])
    _check_memory(size + _memory_of_json(head), limit)
    marks = np.frombuffer(_marks_of(head), dtype="S1")
    opened, closed = np.isin(marks, [b"[", b"{"]), np.isin(marks, [b"]", b"}"])
    depth = np.cumsum(opened.astype(int) - closed).max(initial=0)
    check_content(
        depth <= _MOST_NESTED, f"it is nested {depth} levels deep, at most {_MOST_NESTED}"
    )
    return json.loads(head.decode()), cache(partial(_array, file, entries))


def _memory_limit(file_size: int) -> int:
    return max(_FREE_MEMORY, _MOST_GROWTH * file_size)


def _check_memory(size: int, limit: int) -> None:
    check_content(size <= limit, f"it would take {size:,} bytes of memory, and may take {limit:,}")


def _marks_of(head: bytes | bytearray) -> bytes | bytearray:
    bare = _STRINGS.sub(b"", head) if b'"' in head else head  # without texts it is no copy
    return bare.translate(None, _NO_MARKS)


def _memory_of_json(head: bytes | bytearray) -> int:
    return _BYTES_PER_MARK * len(_marks_of(head))


def _entry(file: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytearray:
    """Content of an entry, which must have its stated size and is held once."""
    data, filled = bytearray(entry.file_size), 0
    with file.open(entry) as stream:
        while part := stream.read(min(_AT_ONCE, len(data) - filled)):
            data[filled : filled + len(part)] = part
            filled += len(part)
        is_whole = filled == len(data) and not stream.read(1)
        check_content(is_whole, f"{entry.filename} does not have the size that it states")
    return data


def _array(file: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo], place: int) -> Array:
    check_content(0 <= place < len(entries) - 1, f"there is no array {place}")
    data = _entry(file, entries[place + 1])
    stream = BytesIO(data[: _MOST_HEADER + 10])  # after the magic string and the length
    is_first = np.lib.format.read_magic(stream) == (1, 0)
    check_content(is_first, f"array {place} has to be of version 1.0 of NumPy's format")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(
        stream, max_header_size=_MOST_HEADER
    )
    is_plain = dtype.kind in _PLAIN_KINDS and dtype.itemsize > 0
    check_content(is_plain, f"array {place} holds {dtype}, and may hold numbers and text")
    start = stream.tell()
    has_shape = min(shape, default=0) >= 0
    has_shape &= math.prod(shape) * dtype.itemsize == len(data) - start
    check_content(has_shape, f"array {place} does not have the shape that it states, {shape}")
    order: Any = "F" if is_fortran else "C"
    return np.ndarray(shape, dtype, data, start, order=order)


# --------------------------------------------------------------------------- values


def _pack(value: Any, arrays: list[Array], places: dict[int, int], where: str) -> Any:
    """A value as JSON; each array is appended to ``arrays`` once."""
    if value is None or isinstance(value, bool | str):
        return value if type(value) in (type(None), bool, str) else str(value)
    if isinstance(value, np.generic):
        return _pack(value.item(), arrays, places, where)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, tuple):
        return {"tuple": [_pack(item, arrays, places, where) for item in value]}
    if isinstance(value, list):
        return [_pack(item, arrays, places, where) for item in value]
    if isinstance(value, Mapping):
        pairs = [(_pack(key, arrays, places, where), item) for key, item in value.items()]
        return {"map": [[k, _pack(v, arrays, places, f"{where}, {k}")] for k, v in pairs]}
    if hasattr(value, "tocsr"):
        rows = value.tocsr()
        parts = {"shape": rows.shape, "data": rows.data}
        parts |= {"indices": rows.indices, "indptr": rows.indptr}
        return {"sparse": _pack(parts, arrays, places, where)}
    array = read_array(where, value) if hasattr(value, "__len__") else np.asarray(None)
    if array.dtype.kind in _PLAIN_KINDS:
        if id(value) not in places:
            places[id(value)] = len(arrays)
            arrays.append(array)
        return {"array": places[id(value)]}
    if not array.ndim:
        raise InvalidParameterError(
            f"{where} holds {value!r:.60}, which a file of numbers and text cannot: "
            f"{type(value).__name__}."
        )
    items = [_pack(item, arrays, places, where) for item in array.ravel().tolist()]
    return {"objects": items, "shape": list(array.shape)}


def _unpack(value: Any, arrays: Callable[[int], Array]) -> Any:
    """Invert `_pack`."""
    if isinstance(value, list):
        return [_unpack(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    (kind,) = [key for key in _NODES if key in value]
    packed = value[kind]
    if kind == "array":
        return arrays(int(packed))
    if kind == "float":
        return float(packed)
    if kind == "tuple":
        return tuple(_unpack(packed, arrays))
    if kind == "map":
        return {_unpack(key, arrays): _unpack(item, arrays) for key, item in packed}
    if kind == "sparse":
        from scipy.sparse import csr_matrix

        parts = _unpack(packed, arrays)
        matrix = csr_matrix((parts["data"], parts["indices"], parts["indptr"]), parts["shape"])
        matrix.check_format(full_check=True)
        return matrix
    array: Array = np.empty(len(packed), dtype=object)
    array[:] = [_unpack(item, arrays) for item in packed]
    return array.reshape(value["shape"])

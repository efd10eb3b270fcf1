"""Values as JSON and plain arrays in a zip, and back: nothing that runs code when it is read."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_array

Built = TypeVar("Built")

_HEAD = "report.json"
_WHEN = (1980, 1, 1, 0, 0, 0)  # so that the same report makes the same file
_PLAIN = "biufcUSmM"  # kinds of arrays that hold no objects
_KINDS = ("array", "objects", "float", "tuple", "map", "sparse")


def save_packed(path: str | Path, kind: str, version: int, content: Mapping[str, Any]) -> None:
    """Write a zip of a head in JSON and of an array for each that the head names.

    Parameters
    ----------
    path : str or Path
        File to write.
    kind, version : str and int
        What it is of, and the version of its layout.
    content : mapping
        None, bools, numbers, text, arrays of any library, and lists, tuples and mappings of these.

    Raises
    ------
    InvalidParameterError
        If it holds something else.
    """
    arrays: list[Array] = []
    packed = _pack(content, arrays, {}, "the report")
    head = {"kind": kind, "version": version, "content": packed}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(_entry(_HEAD), json.dumps(head, allow_nan=False, ensure_ascii=False))
        for place, array in enumerate(arrays):
            buffer = BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            file.writestr(_entry(f"{place}.npy"), buffer.getvalue())


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _WHEN)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def load_packed(
    path: str | Path, kind: str, version: int, build: Callable[[dict[str, Any]], Built]
) -> Built:
    """What is built of the content that `save_packed` wrote.

    Raises
    ------
    InvalidParameterError
        If the file is none of these, is damaged, or is of a later version.
    """
    try:
        with zipfile.ZipFile(path) as file:
            head = json.loads(file.read(_HEAD))
            if head["kind"] != kind:
                raise InvalidParameterError(f"{str(path)!r} holds a {head['kind']}, not a {kind}.")
            if head["version"] > version:
                raise InvalidParameterError(
                    f"{str(path)!r} was written by a later version of skmetrics_ext (layout "
                    f"{head['version']}, this one reads up to {version})."
                )
            return build(_unpack(head["content"], cache(partial(_array, file))))
    except InvalidParameterError:
        raise
    except (
        zipfile.BadZipFile,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        EOFError,
    ) as error:
        raise InvalidParameterError(
            f"{str(path)!r} is no file of a {kind}, or is damaged: {error}"
        ) from error


# --------------------------------------------------------------------------- values


def _pack(value: Any, arrays: list[Array], places: dict[int, int], where: str) -> Any:
    """A value as JSON holds it; arrays go beside it, each once."""
    if value is None or isinstance(value, bool | str):
        return value if type(value) in (type(None), bool, str) else str(value)
    if isinstance(value, np.generic):
        return _pack(value.item(), arrays, places, where)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, tuple):
        return {"tuple": [_pack(one, arrays, places, where) for one in value]}
    if isinstance(value, list):
        return [_pack(one, arrays, places, where) for one in value]
    if isinstance(value, Mapping):
        pairs = [(_pack(key, arrays, places, where), own) for key, own in value.items()]
        return {"map": [[k, _pack(v, arrays, places, f"{where}, {k}")] for k, v in pairs]}
    if hasattr(value, "tocsr"):
        rows = value.tocsr()
        parts = {"shape": rows.shape, "data": rows.data}
        parts |= {"indices": rows.indices, "indptr": rows.indptr}
        return {"sparse": _pack(parts, arrays, places, where)}
    array = read_array(where, value) if hasattr(value, "__len__") else np.asarray(None)
    if array.dtype.kind in _PLAIN:
        if id(value) not in places:
            places[id(value)] = len(arrays)
            arrays.append(array)
        return {"array": places[id(value)]}
    if not array.ndim:
        raise InvalidParameterError(
            f"{where} holds {value!r:.60}, which a file of numbers and text cannot: "
            f"{type(value).__name__}."
        )
    held = [_pack(one, arrays, places, where) for one in array.ravel().tolist()]
    return {"objects": held, "shape": list(array.shape)}


def _array(file: zipfile.ZipFile, place: int) -> Array:
    found: Array = np.lib.format.read_array(BytesIO(file.read(f"{place}.npy")), allow_pickle=False)
    return found


def _unpack(value: Any, arrays: Callable[[int], Array]) -> Any:
    """What `_pack` packed."""
    if isinstance(value, list):
        return [_unpack(one, arrays) for one in value]
    if not isinstance(value, dict):
        return value
    (kind,) = [key for key in _KINDS if key in value]
    held = value[kind]
    if kind == "array":
        return arrays(int(held))
    if kind == "float":
        return float(held)
    if kind == "tuple":
        return tuple(_unpack(held, arrays))
    if kind == "map":
        return {_unpack(key, arrays): _unpack(own, arrays) for key, own in held}
    if kind == "sparse":
        from scipy.sparse import csr_matrix

        parts = _unpack(held, arrays)
        return csr_matrix((parts["data"], parts["indices"], parts["indptr"]), parts["shape"])
    array: Array = np.empty(len(held), dtype=object)
    array[:] = [_unpack(one, arrays) for one in held]
    return array.reshape(value["shape"])

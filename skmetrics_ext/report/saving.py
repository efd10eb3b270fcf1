"""Reports as files: JSON and plain arrays in a zip, which runs no code when it is read."""

from __future__ import annotations

import json
import math
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import find
from skmetrics_ext.report.fold import FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import ScoredData
from skmetrics_ext.report.summary import INTERVAL_KINDS
from skmetrics_ext.rows import replacing
from skmetrics_ext.scoring.scorer import Scorer, metric_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows, read_array
from skmetrics_ext.validation.errors import printable

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

KIND, VERSION = "CrossValidationReport", 1
# Fields of a report that are plain values; its results and data hold arrays and objects.
_PLAIN_FIELDS = ("models", "metrics", "n_samples", "splitter", "baseline", "positive_class",
                 "confidence_level", "left_out", "data_warnings", "interval")  # fmt: skip
_HEAD = "report.json"
_DATE = (1980, 1, 1, 0, 0, 0)  # so that the same report makes the same file
_PLAIN_KINDS = "biufcUSmM"  # kinds of arrays that hold no objects
_NODES = ("array", "objects", "float", "tuple", "map", "sparse")

# A file may take this much memory, or this many times its own size if that is more.
_FREE_MEMORY, _MOST_GROWTH = 1 << 26, 100
_BYTES_PER_MARK = 64  # memory of a JSON value, by the marks [ ] { } , of the text
_MOST_NESTED = 50
_MOST_HEADER = 512  # characters of an array's header
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NO_MARKS = bytes(set(range(256)) - set(b"[]{},"))


class LostScorer:
    """Placeholder for a user's own scorer, whose function a saved report does not hold."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any, **__: Any) -> float:
        """Raise an error: only the values on the folds are known."""
        raise InvalidParameterError(
            f"{self.name!r} is no metric of this package: a saved report keeps its values on the "
            "folds, and not its function."
        )


def save(report: CrossValidationReport, path: str | Path) -> None:
    """Write everything in a report except the models and their features.

    Raises
    ------
    InvalidParameterError
        If it holds something other than None, bools, numbers, text, arrays, and lists, tuples and
        mappings of these.
    """
    content: dict[str, Any] = {name: getattr(report, name) for name in _PLAIN_FIELDS}
    content["results"] = [_as_map(result) for result in report.results]
    data = report.data
    content["data"] = {
        "y": data.y,
        "scorers": {name: _scorer_parts(scorer) for name, scorer in data.scorers.items()},
        "params": data.params,
        "grouping": None if data.grouping is None else _as_map(data.grouping),
        "rows_by": _group_parts(data.rows_by),
    }
    arrays: list[Array] = []
    packed = {"kind": KIND, "version": VERSION, "content": _pack(content, arrays, {}, "the report")}
    head = json.dumps(packed, allow_nan=False).encode()
    size = len(head) + sum(array.nbytes + _MOST_HEADER for array in arrays)
    with replacing(path) as stream:
        for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            stream.seek(0)
            stream.truncate()
            _write(stream, head, arrays, compression)
            if size + _memory_of_json(head) <= _memory_limit(
                stream.tell()
            ):  # else `load` would refuse it
                break


def load(path: str | Path) -> dict[str, Any]:
    """Read the fields of a report that `save` wrote.

    Raises
    ------
    InvalidParameterError
        If the file holds no report, is damaged, would take far more memory than its size, or was
        written by a later version.
    OSError
        If there is no such file, or it cannot be opened.
    """
    with open(path, "rb") as stream:
        try:
            head, arrays = _read(stream)
            kind, version = str(head["kind"]), int(head["version"])
            if kind == KIND and version <= VERSION:
                return _report_fields(_unpack(head["content"], arrays))
        except Exception as error:  # parsers raise errors of a dozen types for damaged files
            raise InvalidParameterError(
                f"{str(path)!r} is no file of a {KIND}, or is damaged: {printable(error):.300}"
            ) from error
    if kind != KIND:
        raise InvalidParameterError(f"{str(path)!r} holds a {printable(kind):.60}, not a {KIND}.")
    raise InvalidParameterError(
        f"{str(path)!r} was written by a later version of skmetrics_ext (layout {version}, this "
        f"one reads up to {VERSION})."
    )


def _check(holds: bool, message: str) -> None:
    """Refuse a file; `load` names it in the error."""
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
    """The JSON of a zip, and a function that reads its arrays, of sizes checked beforehand."""
    limit = _memory_limit(stream.seek(0, 2))
    file = zipfile.ZipFile(stream)
    entries = file.infolist()
    names = [_HEAD, *(f"{place}.npy" for place in range(len(entries) - 1))]
    is_named = [entry.filename for entry in entries] == names
    _check(is_named, f"its entries have to be {_HEAD}, 0.npy, 1.npy, ...")
    is_plain = all(entry.compress_type in (0, 8) and not entry.flag_bits & 1 for entry in entries)
    _check(is_plain, "its entries have to be stored or deflated, and not encrypted")
    size = sum(entry.file_size for entry in entries)
    _check_memory(size, limit)
    head = _entry(file, entries[0])
    _check_memory(size + _memory_of_json(head), limit)
    opened = np.isin(np.frombuffer(_marks_of(head), dtype="S1"), [b"[", b"{"])
    closed = np.isin(np.frombuffer(_marks_of(head), dtype="S1"), [b"]", b"}"])
    depth = np.cumsum(opened.astype(int) - closed).max(initial=0)
    _check(depth <= _MOST_NESTED, f"it is nested {depth} levels deep, at most {_MOST_NESTED}")
    return json.loads(head.decode()), cache(partial(_array, file, entries))


def _memory_limit(file_size: int) -> int:
    return max(_FREE_MEMORY, _MOST_GROWTH * file_size)


def _check_memory(size: int, limit: int) -> None:
    _check(size <= limit, f"it would take {size:,} bytes of memory, and may take {limit:,}")


def _marks_of(head: bytes) -> bytes:
    return _STRINGS.sub(b"", head).translate(None, _NO_MARKS)


def _memory_of_json(head: bytes) -> int:
    return _BYTES_PER_MARK * len(_marks_of(head))


def _entry(file: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """An entry, which is read no further than the size that it states."""
    with file.open(entry) as stream:
        data = stream.read(entry.file_size)
        is_whole = len(data) == entry.file_size and not stream.read(1)
        _check(is_whole, f"{entry.filename} does not have the size that it states")
    return data


def _array(file: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo], place: int) -> Array:
    _check(0 <= place < len(entries) - 1, f"there is no array {place}")
    data = _entry(file, entries[place + 1])
    stream = BytesIO(data)
    is_first = np.lib.format.read_magic(stream) == (1, 0)
    _check(is_first, f"array {place} has to be of version 1.0 of NumPy's format")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(
        stream, max_header_size=_MOST_HEADER
    )
    is_plain = dtype.kind in _PLAIN_KINDS and dtype.itemsize > 0
    _check(is_plain, f"array {place} holds {dtype}, and may hold numbers and text")
    start = stream.tell()
    has_shape = min(shape, default=0) >= 0
    has_shape &= math.prod(shape) * dtype.itemsize == len(data) - start
    _check(has_shape, f"array {place} does not have the shape that it states, {shape}")
    order: Any = "F" if is_fortran else "C"
    return np.ndarray(shape, dtype, data, start, order=order).copy(order="K")


# --------------------------------------------------------------------------- values


def _pack(value: Any, arrays: list[Array], places: dict[int, int], where: str) -> Any:
    """A value as JSON; arrays are collected in ``arrays``, each once."""
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


# --------------------------------------------------------------------------- parts of a report


def _as_map(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _group_parts(rows_by: Any) -> dict[str, Any] | None:
    if rows_by is None:
        return None
    return _as_map(rows_by) | {"by": _as_map(rows_by.by), "groups": list(rows_by.groups)}


def _scorer_parts(scorer: Callable[..., Any]) -> Mapping[str, Any] | None:
    """Parts of a scorer from which it can be made again; None for a user's own."""
    metric = metric_of(scorer)
    if metric is None or not isinstance(scorer, Scorer):
        return None
    return {
        "metric": metric.spec.name,
        "sign": scorer._sign,
        "kwargs": scorer._kwargs,
        "response_method": scorer._methods,
        "missing": scorer._missing,
        "name": scorer._name,
    }


def _scorer(name: str, parts: Mapping[str, Any] | None) -> Callable[..., Any]:
    if parts is None:
        return LostScorer(name)
    options = dict(parts)
    spec, kwargs = find(options.pop("metric")), options.pop("kwargs")
    if options["name"] is not None:
        options["metric"] = find(options["name"], kwargs, scorer=True)
    sign, response_method = options.pop("sign"), options.pop("response_method")
    is_named = _is_text(response_method) or _are_texts(response_method)
    _check(sign in (1, -1) and is_named, f"the scorer {name!r:.60} does not fit")
    return Scorer(spec.function, sign, kwargs, response_method, **options)


def _report_fields(content: dict[str, Any]) -> dict[str, Any]:
    """Fields of a report, of kinds and sizes that fit together."""
    models, metrics, n_samples = (content[name] for name in ("models", "metrics", "n_samples"))
    known = {*_PLAIN_FIELDS, "results", "data"}
    _check(content.keys() <= known, f"its fields have to be some of {sorted(known)}")
    _check(_are_texts(models) and _are_texts(metrics), "the models and metrics do not fit")
    texts = content["left_out"], content.get("data_warnings", ()), (content["splitter"],)
    _check(all(map(_are_texts, texts)), "the splitter and metrics do not fit")
    _check(content["baseline"] in (None, *models), "the baseline does not fit")
    _check(0 < float(content["confidence_level"]) < 1, "the confidence level does not fit")
    _check(content.get("interval", "auto") in INTERVAL_KINDS, "the kind of interval does not fit")
    _check(
        not isinstance(content["positive_class"], Mapping | list), "the positive class does not fit"
    )
    content["results"] = tuple(FoldResult(**result) for result in content["results"])
    for result in content["results"]:
        values = [*result.values.values(), result.fit_time, result.score_time]
        sizes = {len(result.rows), *map(count_rows, result.responses.values())}
        _check(
            result.model in models
            and set(metrics) <= set(result.values)
            and all(isinstance(value, float | int) for value in (*values, result.fold))
            and all(_are_texts(tuple(told.values())) for told in (result.reasons, result.notes)),
            f"the values of {result.model!r:.60} do not fit",
        )
        _check(
            _are_numbers(result.rows, n_samples)
            and sizes == {result.n_test}
            and (result.classes is None or np.ndim(result.classes) == 1),
            f"the predictions of {result.model!r:.60} do not fit",
        )
    data = content.pop("data", None)
    if data is None:
        return content
    grouping, rows_by, params = data["grouping"], data["rows_by"], data["params"]
    scorers = {name: _scorer(name, parts) for name, parts in data["scorers"].items()}
    _check(set(metrics) <= set(scorers) & set(params), "the scorers do not fit")
    weights = [own["sample_weight"] for own in params.values() if "sample_weight" in own]
    _check(
        {n_samples} == {count_rows(rows) for rows in (data["y"], *weights)}, "the labels do not fit"
    )
    if grouping is not None:
        grouping = Grouping(**grouping)
        _check(
            _are_numbers(grouping.of_row, n_samples)
            and len(grouping.of_row) == n_samples
            and {result.fold for result in content["results"]} <= set(grouping.sizes),
            "the groups do not fit",
        )
    if rows_by is not None:
        from skmetrics_ext.report.by_group import RowGroups
        from skmetrics_ext.slices.group_columns import GroupColumns

        rows_by = RowGroups(**{**rows_by, "by": GroupColumns(**rows_by["by"])})
        _check(
            _are_numbers(rows_by.of_row, len(rows_by.groups)) and len(rows_by.of_row) == n_samples,
            "the groups that values are shown by do not fit",
        )
    content["data"] = ScoredData(data["y"], scorers, params, grouping, rows_by=rows_by)
    return content


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(values: Any) -> bool:
    return isinstance(values, tuple) and all(map(_is_text, values))


def _are_numbers(rows: Any, end: int) -> bool:
    """True for an array of row numbers, from 0 to below ``end``."""
    is_integer = isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype.kind in "iu"
    return is_integer and (not len(rows) or (rows.min() >= 0 and rows.max() < end))

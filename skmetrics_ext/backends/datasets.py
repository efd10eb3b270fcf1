"""Which engine reads a data set, and how it is opened."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Any

from skmetrics_ext.backends.memory import MemoryEngine
from skmetrics_ext.merged.columns import Names
from skmetrics_ext.validation import InvalidParameterError, check_option

ENGINES = ("auto", "memory", "duckdb", "dask", "spark")
_SUFFIXES = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}
_EXTRAS = {"duckdb": "duckdb", "dask": "dask", "pyspark": "spark", "pyarrow": "frames"}
_BATCH = 1 << 19


def require(module: str, what: str) -> None:
    """One line about what to install."""
    if util.find_spec(module) is None:
        raise ImportError(f"{what} needs {module}: pip install 'skmetrics-ext[{_EXTRAS[module]}]'")


def open_engine(dataset: Any, names: Names, engine: str, memory_limit: int) -> Any:
    """The engine that reads a data set."""
    check_option("engine", engine, ENGINES)
    maker = type(dataset).__module__.partition(".")[0]
    kind = type(dataset).__name__
    if maker in ("dask", "dask_expr"):
        _only(engine, "dask", dataset)
        from skmetrics_ext.backends.dask import DaskEngine

        require("pandas", "A Dask DataFrame")
        return DaskEngine(dataset, names)
    if maker == "pyspark":
        _only(engine, "spark", dataset)
        require("pyarrow", "Spark's mapInArrow")
        from skmetrics_ext.backends.spark import SparkEngine

        return SparkEngine(dataset, names)
    if maker in ("duckdb", "_duckdb") and kind == "DuckDBPyRelation":
        _only(engine, "duckdb", dataset)
        require("pyarrow", "Reading DuckDB in batches")
        from skmetrics_ext.backends.duckdb import of_relation

        return of_relation(dataset, names)
    if engine in ("dask", "spark"):
        raise InvalidParameterError(
            f"engine={engine!r} needs a {engine.title()} DataFrame, got {maker}.{kind}: make one "
            "of it, so that its partitions and scheduler are yours."
        )
    if isinstance(dataset, str | Path):
        return _of_files(str(dataset), names, engine, memory_limit)
    if maker == "pyarrow" or (maker == "polars" and kind == "LazyFrame"):
        return _of_stream(dataset, kind, names, engine, memory_limit)
    if maker in ("pandas", "polars") and hasattr(dataset, "columns"):
        _check_columns(names, list(dataset.columns), "The data frame")
        if engine == "duckdb":
            return _duckdb(dataset, names, memory_limit)
        return _resident(dataset, names)
    raise InvalidParameterError(
        "dataset must be a path or glob of Parquet or CSV files, a pyarrow data set, table or "
        "reader, a pandas, polars, Dask or Spark DataFrame, or a DuckDB relation, got "
        f"{maker}.{kind}."
    )


def _only(engine: str, own: str, dataset: Any) -> None:
    if engine not in ("auto", own):
        raise InvalidParameterError(
            f"A {type(dataset).__name__} is read by engine={own!r}, got {engine!r}."
        )
    require({"spark": "pyspark"}.get(own, own), f"engine={own!r}")


def _check_columns(names: Names, found: list[str], what: str) -> None:
    missing = [name for name in names.all if name not in found]
    if missing:
        raise InvalidParameterError(
            f"{what} has no column {', '.join(map(repr, missing))}. Columns: {', '.join(found)}."
        )


def _duckdb(dataset: Any, names: Names, memory_limit: int) -> Any:
    require("duckdb", "engine='duckdb'")
    require("pyarrow", "Reading DuckDB in batches")
    from skmetrics_ext.backends.duckdb import of_object

    return of_object(dataset, names, memory_limit)


def _prefers_duckdb(engine: str) -> bool:
    if engine == "auto":
        return util.find_spec("duckdb") is not None and util.find_spec("pyarrow") is not None
    return engine == "duckdb"


# --------------------------------------------------------------------------- files


def source_of(path: str) -> tuple[Any, list[str], str]:
    """The pyarrow data set of a path, folder or glob, its files, and what they are."""
    files = [path] if Path(path).is_file() else _listed(path)
    kinds = {_SUFFIXES.get(Path(file).suffix.lower()) for file in files}
    if len(kinds) > 1 or None in kinds:
        raise InvalidParameterError(
            f"{path!r} must name Parquet (.parquet, .pq) or CSV (.csv) files, found {files[0]!r}."
        )
    (kind,) = kinds
    assert kind is not None
    require("pyarrow", f"Reading {kind} files")
    import pyarrow.dataset as ds

    return ds.dataset(files, format=kind), files, kind


def _of_files(path: str, names: Names, engine: str, memory_limit: int) -> Any:
    source, files, kind = source_of(path)
    _check_columns(names, source.schema.names, repr(path))
    if _prefers_duckdb(engine):
        require("duckdb", "engine='duckdb'")
        from skmetrics_ext.backends.duckdb import of_files

        return of_files(files, kind, names, memory_limit)
    return _streamed(source, names)


def _listed(path: str) -> list[str]:
    if Path(path).is_dir():
        found = [p for p in sorted(Path(path).rglob("*")) if p.suffix.lower() in _SUFFIXES]
        files = [str(p) for p in found if not p.name.startswith(("_", "."))]
    else:
        files = sorted(glob.glob(path, recursive=True))
    if not files:
        raise InvalidParameterError(f"{path!r} is no file, folder or glob of files that exist.")
    return files


# --------------------------------------------------------------------------- arrow and lazy frames


def _of_stream(dataset: Any, kind: str, names: Names, engine: str, memory_limit: int) -> Any:
    is_lazy = kind == "LazyFrame"
    schema = dataset.collect_schema().names() if is_lazy else dataset.schema.names
    _check_columns(names, list(schema), f"The {kind}")
    if kind == "Table" and engine != "duckdb":
        return _resident(dataset, names)
    if _prefers_duckdb(engine):
        if is_lazy and not hasattr(dataset, "collect_batches"):
            dataset = dataset.select(names.all).collect()
        elif is_lazy:
            dataset = _reader_of(dataset, names)
        return _duckdb(dataset, names, memory_limit)
    if is_lazy and hasattr(dataset, "collect_batches"):
        return MemoryEngine(lambda _: iter(_reader_of(dataset, names)), names, resident=False)
    if is_lazy:
        return _resident(dataset.select(names.all).collect(), names)
    if kind == "RecordBatchReader":
        return _resident(_held(dataset, memory_limit), names)
    return _streamed(dataset, names)


def _held(reader: Any, memory_limit: int) -> Any:
    """All rows of what can be read once only, as long as they fit."""
    import pyarrow

    batches, size = [], 0
    for batch in reader:
        batches.append(batch)
        size += batch.nbytes
        if size > memory_limit:
            raise InvalidParameterError(
                "A RecordBatchReader can be read once only, and its rows take more than "
                f"memory_limit, {memory_limit} bytes: install DuckDB, which keeps them on disk "
                "(pip install 'skmetrics-ext[duckdb]'), raise memory_limit, or pass a data set."
            )
    return pyarrow.Table.from_batches(batches, reader.schema)


def _reader_of(lazy: Any, names: Names) -> Any:
    """A polars query as Arrow batches, so that its result need not fit in memory."""
    require("pyarrow", "A polars LazyFrame")
    import pyarrow

    wanted = lazy.select(names.all)
    schema = wanted.collect_schema().to_frame(eager=True).to_arrow().schema

    def batches() -> Iterator[Any]:
        for frame in wanted.collect_batches():
            yield from frame.to_arrow().cast(schema).to_batches()

    return pyarrow.RecordBatchReader.from_batches(schema, batches())


def _resident(dataset: Any, names: Names) -> MemoryEngine:
    """Rows that are in memory, one slice after the other."""

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        frame = dataset.select(columns) if not hasattr(dataset, "iloc") else dataset[list(columns)]
        size = len(frame)
        for start in range(0, size, _BATCH):
            if hasattr(frame, "iloc"):
                yield frame.iloc[start : start + _BATCH]
            else:
                part = frame.slice(start, _BATCH)
                yield part.combine_chunks() if hasattr(part, "combine_chunks") else part

    return MemoryEngine(batches, names, resident=True)


def _streamed(source: Any, names: Names) -> MemoryEngine:
    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        yield from source.to_batches(columns=list(columns), batch_size=_BATCH)

    return MemoryEngine(batches, names, resident=False)

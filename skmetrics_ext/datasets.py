"""Data sets of the command line: those that scikit-learn brings, and tables in files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext.backends.csv_files import header_of, text_types
from skmetrics_ext.backends.files import require
from skmetrics_ext.backends.reading import check_columns
from skmetrics_ext.merged.columns import Names
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.errors import near

# Name -> function of sklearn.datasets.
BUNDLED = {
    "breast_cancer": "load_breast_cancer",
    "iris": "load_iris",
    "wine": "load_wine",
    "digits": "load_digits",
}
# Ending of a file's name -> function of pandas.
READERS = {".csv": "read_csv", ".parquet": "read_parquet"}


@dataclass(frozen=True, slots=True)
class Dataset:
    """Features and classes.

    Parameters
    ----------
    name : str
        Name of the data set or the file.
    X : array or pandas.DataFrame of shape (n_samples, n_features)
        A frame has float64 columns and object columns.
    y : ndarray of shape (n_samples,)
        Class of each row.
    categorical : tuple of str
        Columns to encode.
    incomplete : tuple of str
        Columns with missing values.
    """

    name: str
    X: Any
    y: Array
    categorical: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether models take the features as they are."""
        return not self.categorical and not self.incomplete


def load(name: str, target: str | None = None) -> Dataset:
    """Data set of a name or a file.

    Parameters
    ----------
    name : str
        A key of `BUNDLED`, or the path of a CSV or Parquet file with a header.
    target : str, default=None
        Column of the classes, for a file; "target" where that exists.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If there is no such data set, file or column, or the file is no table of classes.
    ImportError
        If pandas, or pyarrow for Parquet, is not installed.
    """
    if name in BUNDLED:
        if target is not None:
            raise ValueError(f"The data set {name!r} has its own target; --target is for files.")
        import sklearn.datasets

        X, y = getattr(sklearn.datasets, BUNDLED[name])(return_X_y=True)
        return Dataset(name, X, y)
    path = Path(name)
    return _from_frame(name, _with_text(path, _read(path), target), target)


def _read(path: Path) -> Any:
    if not path.is_file():
        folder = path.parent
        siblings = folder.iterdir() if folder.is_dir() else ()
        tables = [str(folder / p.name) for p in siblings if p.suffix.lower() in READERS]
        hint = near(str(path), [*BUNDLED, *tables])
        what = "is a folder" if path.is_dir() else "is no file and no data set"
        raise ValueError(f"{str(path)!r} {what}.{hint} Data sets: {', '.join(BUNDLED)}.")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"{str(path)!r} must end with {' or '.join(READERS)}.")
    needed = "pandas" if reader == "read_csv" else "pandas and pyarrow"
    try:
        import pandas

        if reader == "read_parquet":
            import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"Reading {path.suffix} files needs {needed}: pip install 'skmetrics-ext[frames]'"
        ) from error
    try:
        return getattr(pandas, reader)(path)
    except Exception as error:  # parsers raise classes of their own, told as one
        text = " ".join(str(error).split())
        raise ValueError(f"{str(path)!r} cannot be read: {text}") from error


def _with_text(path: Path, frame: Any, target: str | None) -> Any:
    """The frame, its target typed as the files of `evaluate` are: 007 and 7 are two classes.

    pandas renames the second column of a name, and the target would predict itself.
    """
    wanted = "target" if target is None else target
    if path.suffix.lower() != ".csv" or wanted not in frame.columns:
        return frame
    require("pyarrow", "Reading CSV files")
    names = Names(wanted)
    check_columns(names, header_of(str(path)), repr(str(path)))
    kind = text_types([str(path)], names)[wanted]
    if kind != "string":
        return frame
    import pandas

    text = pandas.read_csv(path, usecols=[wanted], dtype={wanted: str})
    return frame.assign(**{wanted: text[wanted]})


def _from_frame(name: str, frame: Any, target: str | None) -> Dataset:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    frame = frame.rename(columns=str)
    columns = list(frame.columns)
    listed = ", ".join(columns[:12]) + (", ..." if len(columns) > 12 else "")
    if target is None:
        if "target" not in columns:
            raise ValueError(f"--target must name the column of the classes: {listed}.")
        target = "target"
    if target not in columns:
        raise ValueError(
            f"{name!r} has no column {target!r}.{near(target, columns)} Columns: {listed}."
        )
    if len(columns) < 2:
        raise ValueError(f"{name!r} has no column beside {target!r} to predict from.")
    y = _classes(frame[target], target)
    features = frame.drop(columns=target)
    numeric = {c for c in features if is_numeric_dtype(features[c]) or is_bool_dtype(features[c])}
    incomplete = tuple(c for c in features if features[c].isna().any())
    read = {
        c: features[c].to_numpy(dtype="float64", na_value=np.nan)
        if c in numeric
        else _text(features[c])
        for c in features
    }
    categorical = tuple(c for c in features if c not in numeric)
    return Dataset(name, type(frame)(read), y, categorical, incomplete)


def _text(column: Any) -> Array:
    """Values as text, missing ones as nan."""
    values = column.astype(str).to_numpy(dtype=object)
    values[column.isna().to_numpy()] = np.nan
    return values


def _classes(column: Any, target: str) -> Array:
    from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

    missing = int(column.isna().sum())
    if missing:
        raise ValueError(
            f"The target {target!r} has {missing} missing value{'s'[: missing > 1]}; "
            "drop those rows first."
        )
    if is_bool_dtype(column):
        return np.asarray(column.to_numpy(dtype=bool))
    if not is_numeric_dtype(column):
        return np.asarray(column.astype(str).tolist())
    values = column.to_numpy()
    if is_float_dtype(column):
        values = column.to_numpy(dtype="float64")
        if not np.array_equal(values, np.round(values)):
            raise ValueError(
                f"The target {target!r} holds {len(np.unique(values))} numbers that are not "
                "whole: it is no column of classes."
            )
    return np.asarray(values, dtype=np.int64)

"""Data sets for fitting models: features, classes, groups and weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skmetrics_ext.backends.files import kind_of
from skmetrics_ext.datasets.entities import entity_of
from skmetrics_ext.datasets.files import Use, read_table
from skmetrics_ext.datasets.roles import feature_of, notes_on, repeated_identifiers, roles_of
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.errors import near

# Name -> function of sklearn.datasets.
BUNDLED = {
    "breast_cancer": "load_breast_cancer",
    "iris": "load_iris",
    "wine": "load_wine",
    "digits": "load_digits",
}
_MOST_LEVELS = 30  # indicators of a column of text; rarer values share the last one
_MOST_CELLS = 1 << 27  # values of all indicators together: 1 GiB of floats


@dataclass(frozen=True, slots=True)
class Dataset:
    """Features and classes of a data set.

    Parameters
    ----------
    name : str
        Name of the data set or file.
    X : array or pandas.DataFrame of shape (n_samples, n_features)
        The columns of a frame are float64 or text.
    y : ndarray of shape (n_samples,)
        Class of each row.
    categorical : tuple of str
        Columns to encode.
    incomplete : tuple of str
        Columns with missing values.
    most_levels : int
        Largest number of indicators of a column.
    groups, weight : ndarray of shape (n_samples,) or None
        Group (patient) and weight of each row.
    by : mapping of str to ndarray
        Columns whose groups are reported.
    notes : tuple of str
        Lines about the preparation of columns.
    warnings : tuple of str
        Lines for a report, such as repeated identifiers.
    """

    name: str
    X: Any
    y: Array
    categorical: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    most_levels: int = _MOST_LEVELS
    groups: Array | None = None
    weight: Array | None = None
    by: Mapping[str, Array] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether models can be fitted without encoding or filling."""
        return not self.categorical and not self.incomplete


def load(name: str, use: Use | None = None) -> Dataset:
    """Load a bundled data set or a file.

    Parameters
    ----------
    name : str
        A key of `BUNDLED`, or the path of a CSV or Parquet file with a header.
    use : Use, default=None
        Roles of the columns of a file; the classes are in "target" by default.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the data set, file or column does not exist, or the target holds no classes.
    ImportError
        If pandas or pyarrow is not installed.
    """
    use = Use() if use is None else use
    if name not in BUNDLED:
        _check_file(Path(name))
        return _from_table(name, use)
    if use.names:
        option = next(iter(use.names))
        raise ValueError(f"The data set {name!r} has its own columns; --{option} is for files.")
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, BUNDLED[name])(return_X_y=True)
    return Dataset(name, X, y)


def _check_file(path: Path) -> None:
    if path.is_file():
        return
    folder = path.parent
    siblings = folder.iterdir() if folder.is_dir() else ()
    tables = [str(folder / p.name) for p in siblings if kind_of(p.name) is not None]
    hint = near(str(path), [*BUNDLED, *tables])
    what = "is a folder" if path.is_dir() else "is no file or data set"
    raise ValueError(f"{str(path)!r} {what}.{hint} Data sets: {', '.join(BUNDLED)}.")


def _from_table(name: str, use: Use) -> Dataset:
    import pandas

    table = read_table(name, use)
    roles = roles_of(table.features, chosen=use.features is not None)
    kept = [role for role in roles if not role.why]
    if not kept:
        notes = "; ".join(notes_on(roles, 0, table.n_dropped))
        raise ValueError(f"{name!r} has no column left to predict from: {notes}.")
    text = [role for role in kept if role.kind == "text"]
    cells = table.features.num_rows * max(len(text), 1)
    most = max(2, min(_MOST_LEVELS, _MOST_CELLS // max(cells, 1)))
    entity, lines = entity_of(table.features, table.groups)
    others = [role for role in roles if role.name != entity]
    features = {role.name: feature_of(table.features[role.name], role) for role in kept}
    return Dataset(
        name,
        pandas.DataFrame(features),
        table.y,
        tuple(role.name for role in text),
        tuple(role.name for role in kept if role.n_missing),
        most,
        table.groups,
        table.weight,
        table.by,
        (*table.notes, *notes_on(roles, most, table.n_dropped)),
        lines if use.groups else (*lines, *repeated_identifiers(others, len(table.y))),
    )

"""Files of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skmetrics_ext.backends.files import SUFFIXES, open_files, require
from skmetrics_ext.backends.reading import reading
from skmetrics_ext.merged.by import By
from skmetrics_ext.merged.columns import Names, Place, read_part


@dataclass(frozen=True, slots=True)
class Predictions:
    """Columns of a file.

    Parameters
    ----------
    frame : pandas.DataFrame
        The columns that were asked for; rows are complete.
    true : str
        Name of the column of true labels.
    scores : tuple of str
        Names of the columns of scores.
    pred, weight, by : str or None
        Names of the columns of predicted labels, weights and groups.
    """

    frame: Any
    true: str
    scores: tuple[str, ...]
    pred: str | None
    weight: str | None
    by: str | None


def labels_of(frame: Any, column: str) -> Any:
    """A column of labels as an array; text as text."""
    values = frame[column].to_numpy()
    return values.astype(str) if values.dtype == object else values


def read_predictions(
    path: str,
    true: str,
    scores: Sequence[str],
    pred: str | None,
    weight: str | None,
    by: str | None,
) -> Predictions:
    """Read the columns; refuse what is missing, naming column and row."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ValueError(f"{path!r} is no file of predictions: .csv or .parquet is needed.")
    if not Path(path).is_file():
        raise ValueError(f"{path!r} does not exist.")
    require("pandas", "Scoring a file")
    names = Names(true, tuple(scores), pred, weight, By.of(by))
    with reading(repr(path)):
        frame = open_files(path, names).reader(names.all).read_pandas(ignore_metadata=True)
    missing = frame.isna().to_numpy()
    if missing.any():
        row, place = (int(index[0]) for index in missing.nonzero())
        raise ValueError(
            f"Column {names.all[place]!r} has {int(missing[:, place].sum())} missing values, the "
            f"first in row {row}; drop or fill such rows before scoring."
        )
    if not len(frame):
        raise ValueError(f"{path!r} has no rows.")
    read_part(frame, names, Place(path))  # refuses what the data sets of `evaluate` may not hold
    return Predictions(frame, true, tuple(scores), pred, weight, by)

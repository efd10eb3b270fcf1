"""Files of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skmetrics_ext.datasets import READERS, near


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
    reader = READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise ValueError(f"{path!r} is no file of predictions: {' or '.join(READERS)} is needed.")
    if not Path(path).is_file():
        raise ValueError(f"{path!r} does not exist.")
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "Files are read with pandas: pip install 'skmetrics-ext[frames]'"
        ) from error
    frame = getattr(pandas, reader)(path)
    for column in (true, *scores, pred, weight, by):
        if column is not None and column not in frame.columns:
            listed = ", ".join(map(str, frame.columns))
            raise ValueError(
                f"{path!r} has no column {column!r}.{near(column, map(str, frame.columns))} "
                f"Columns: {listed}."
            )
    wanted = list(dict.fromkeys(c for c in (true, *scores, pred, weight, by) if c is not None))
    frame = frame[wanted]
    missing = frame.isna().to_numpy()
    if missing.any():
        row, place = (int(index[0]) for index in missing.nonzero())
        raise ValueError(
            f"Column {wanted[place]!r} has {int(missing[:, place].sum())} missing values, the "
            f"first in row {row}; drop or fill such rows before scoring."
        )
    if not len(frame):
        raise ValueError(f"{path!r} has no rows.")
    return Predictions(frame, true, tuple(scores), pred, weight, by)

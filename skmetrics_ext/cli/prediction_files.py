"""Files of predictions."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skmetrics_ext.backends.csv_files import PLAIN, TextForm
from skmetrics_ext.backends.files import ENDINGS, kind_of, open_files, require
from skmetrics_ext.backends.reading import reading
from skmetrics_ext.cli.words import say, say_reading, share, whole_number
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
    pred, weight, by, clusters : str or None
        Names of the columns of predicted labels, weights, groups to score, and groups of rows
        that depend on each other.
    """

    frame: Any
    true: str
    scores: tuple[str, ...]
    pred: str | None
    weight: str | None
    by: str | None
    clusters: str | None = None


def add_intervals(command: argparse.ArgumentParser, resamples: int) -> None:
    """How intervals are made; the same for all commands of predictions."""
    command.add_argument(
        "--confidence", type=share, default=0.95, metavar="LEVEL", help="default: 0.95"
    )
    command.add_argument(
        "--resamples",
        type=whole_number(100),
        default=resamples,
        metavar="N",
        help=f"of draws, where no formula gives the interval (default: {resamples})",
    )


def labels_of(frame: Any, column: str) -> Any:
    """A column of labels as an array; text as text."""
    values = frame[column].to_numpy()
    return values.astype(str) if values.dtype == object else values


def read_predictions(
    path: str,
    names: Names,
    form: TextForm = PLAIN,
    *,
    drop_missing: bool = False,
    quiet: bool = True,
) -> Predictions:
    """Read the columns; refuse what is missing, naming column and row, or leave such rows out."""
    if kind_of(path) is None:
        raise ValueError(f"{path!r} is no file of predictions: {ENDINGS} is needed.")
    if not Path(path).is_file():
        raise ValueError(f"{path!r} does not exist.")
    require("pandas", "Scoring a file")
    if not quiet:
        say_reading(path)
    with reading(repr(path)):
        files = open_files(path, names, form)
        say(files.form.told)
        frame = files.reader(names.all).read_pandas(ignore_metadata=True)
    missing = frame.isna().to_numpy()
    if missing.any() and not drop_missing:
        row, place = (int(index[0]) for index in missing.nonzero())
        raise ValueError(
            f"Column {names.all[place]!r} has {int(missing[:, place].sum())} missing values, the "
            f"first in row {row}; drop or fill such rows before scoring, or --drop-missing."
        )
    if missing.any():
        frame = frame[~missing.any(axis=1)].reset_index(drop=True)
        say(f"{len(missing) - len(frame):,} of {len(missing):,} rows lack a value: left out")
    if not len(frame):
        raise ValueError(f"{path!r} has no rows{' without missing values' * bool(len(missing))}.")
    read_part(frame, names, Place(path))  # refuses what the data sets of `evaluate` may not hold
    by = names.by.names[0] if names.by.names else None
    return Predictions(frame, names.true, names.score, names.pred, names.weight, by, names.clusters)

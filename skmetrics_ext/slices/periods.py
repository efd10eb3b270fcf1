"""Groups by time: dates as days, weeks, months or quarters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError


def in_periods(columns: Mapping[str, Any], freq: Any) -> dict[str, Any]:
    """Columns whose dates are the names of their periods; other columns stay as they are.

    Rows without a date stay without a value.
    """
    import pandas

    if not isinstance(freq, str):
        raise InvalidParameterError(
            f"freq must be a period alias of pandas, such as 'M' or 'Q', got {freq!r:.60}."
        )
    found = dict(columns)
    for name, column in columns.items():
        dates = pandas.Series(column if hasattr(column, "dt") else np.asarray(column))
        if dates.dtype.kind == "M":
            found[name] = _names(dates, freq)
    if all(found[name] is column for name, column in columns.items()):
        raise InvalidParameterError(
            f"freq={freq!r} needs a column of dates in by, and {list(columns)} hold none: convert "
            "text with pandas.to_datetime."
        )
    return found


def _names(dates: Any, freq: str) -> Array:
    """The name of the period of each date, such as "2026-03"; None without a date."""
    try:
        periods = dates.dt.tz_localize(None).dt.to_period(freq)
    except (ValueError, AttributeError, TypeError) as error:
        raise InvalidParameterError(
            f"freq must be a period alias of pandas, such as 'D', 'W', 'M', 'Q' or 'Y', got "
            f"{freq!r}: {error}."
        ) from error
    names: Array = periods.astype(str).astype(object).where(dates.notna(), None).to_numpy()
    return names


def dataset_in_periods(dataset: Any, by: Any, freq: Any) -> Any:
    """A pandas data frame in which the dates among the columns of groups are periods."""
    names = [by] if isinstance(by, str) else list(by or ())
    is_frame = type(dataset).__module__.startswith("pandas") and hasattr(dataset, "assign")
    if not is_frame or not names:
        raise InvalidParameterError(
            "freq= reads dates of a pandas data frame in a column of by=: pass both, or add a "
            f"column of periods to the {type(dataset).__name__}."
        )
    return dataset.assign(**in_periods({n: dataset[n] for n in names if n in dataset}, freq))

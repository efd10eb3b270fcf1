"""Tables of a report as data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skmetrics_ext.validation import check_option

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

TABLES = ("summary", "folds", "pooled", "compare")


def make_frame(report: CrossValidationReport, rows: str, library: str) -> Any:
    """A table as a frame of pandas or polars."""
    if rows not in TABLES:
        names = ", ".join(map(repr, TABLES))
        raise ValueError(f"rows must be one of {names}, got {rows!r}.")
    return frame_of(getattr(report, rows)(), library, "CrossValidationReport.frame")


def frame_of(table: list[dict[str, Any]], library: str, what: str) -> Any:
    """Rows as a frame of pandas or polars."""
    check_option("library", library, ("pandas", "polars"))
    try:
        if library == "pandas":
            import pandas

            return pandas.DataFrame(list(table))
        import polars
    except ImportError as error:
        extra = (
            "pip install 'skmetrics-ext[frames]'" if library == "pandas" else "pip install polars"
        )
        raise ImportError(f"{what} needs {library}: {extra}") from error
    flat = [{key: _plain(value) for key, value in row.items()} for row in table]
    return polars.DataFrame(flat, infer_schema_length=None)


def _plain(value: Any) -> Any:
    """Counted reasons as text: polars has no column of dicts with changing keys."""
    if isinstance(value, dict):
        return "; ".join(f"{text} ({count})" for text, count in value.items()) or None
    return value

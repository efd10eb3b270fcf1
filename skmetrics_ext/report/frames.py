"""Tables of a report as data frames."""

from __future__ import annotations

from typing import Any

from skmetrics_ext.validation import check_option


class Framed:
    """Rows that are given as a data frame too."""

    __slots__ = ()

    def _listed(self) -> list[dict[str, Any]]:
        """The rows."""
        raise NotImplementedError

    def frame(self, *, library: str = "pandas") -> Any:
        """The rows as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            Whose frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        return frame_of(self._listed(), library, f"{type(self).__name__}.frame")


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

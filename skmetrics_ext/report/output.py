"""What a report is turned into: text, pages, frames and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from skmetrics_ext.report import saving
from skmetrics_ext.report.render import html_page, report_rows, text_report
from skmetrics_ext.report.tables import RowKind
from skmetrics_ext.rows import Library, Rows, Tabular, written
from skmetrics_ext.validation import check_option

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport


class Output(Tabular):
    """The ways out of a report."""

    __slots__ = ()

    @property
    def _report(self) -> CrossValidationReport:
        return cast("CrossValidationReport", self)

    def _as_rows(self) -> Rows:
        """What is printed, as rows: a model in each."""
        return report_rows(self._report)

    def __str__(self) -> str:
        return text_report(self._report)

    def __repr__(self) -> str:
        report = self._report
        return (
            f"<CrossValidationReport: {len(report.models)} models, {len(report.metrics)} metrics, "
            f"{report.n_folds} folds of {report.n_samples} rows>"
        )

    def _repr_html_(self) -> str:
        return html_page(self._report)

    def frame(self, rows: RowKind = "summary", *, library: Library = "pandas") -> Any:
        """One of the tables as a data frame.

        Parameters
        ----------
        rows : {"summary", "folds", "pooled", "compare"}, default="summary"
            Which table.
        library : {"pandas", "polars"}, default="pandas"
            Whose frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            In polars, reasons and notes are text.

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        check_option("rows", rows, ("summary", "folds", "pooled", "compare"))
        found: Rows = getattr(self._report, rows)()
        return found.frame(library=library)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain Python values.

        Returns
        -------
        dict
        """
        report = self._report
        positive = report.positive_class
        return {
            "models": list(report.models),
            "metrics": list(report.metrics),
            "baseline": report.baseline,
            "positive_class": positive.item() if hasattr(positive, "item") else positive,
            "left_out": list(report.left_out),
            "n_samples": report.n_samples,
            "n_groups": None if report.grouping is None else report.grouping.n_groups,
            "n_folds": report.n_folds,
            "splitter": report.splitter,
            "confidence_level": report.confidence_level,
            "summary": report.summary(),
            "folds": report.folds(),
            "pooled": report.pooled(),
            "compare": report.compare(),
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """All of it as JSON; nan is null, and infinities are the text "Infinity", "-Infinity".

        Parameters
        ----------
        path : str or Path, default=None
            File to write as well.

        Returns
        -------
        str
        """
        text = json.dumps(_finite(self.to_dict()), indent=2, allow_nan=False, default=str)
        return written(text, path, "\n")

    def to_html(self, path: str | Path | None = None) -> str:
        """All of it as one self-contained page: tables and pictures, nothing to load.

        It begins with the question, its answer and what `findings` tells, and is read without
        scripts; with them tables are sorted, models and a metric chosen, and the threshold of the
        confusion matrix moved. Curves of each fold and pictures of confusion matrices are drawn
        where matplotlib is installed.

        Parameters
        ----------
        path : str or Path, default=None
            File to write as well.

        Returns
        -------
        str
        """
        from skmetrics_ext.report.page.whole import report_page

        return written(report_page(self._report), path)

    def save(self, path: str | Path) -> None:
        """Write the report to a file, which `load` reads.

        The file is a zip of JSON and of arrays, which runs no code when it is read. It holds all
        values, predictions and true labels. It does not hold the models and what they predict from
        (intervals by nested cross-validation are not to be had of a loaded report), nor the
        functions of metrics that are not of this package, of which the values on the folds are
        kept.

        Parameters
        ----------
        path : str or Path
            File to write.

        Raises
        ------
        ValueError
            If labels or names of classes are neither numbers nor text.
        """
        saving.save(self._report, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The report that `save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        CrossValidationReport
            Equal to the one that was saved.

        Raises
        ------
        ValueError
            If the file holds no report, is damaged, or was written by a later version.
        """
        return cls(**saving.load(path))


def _finite(value: Any) -> Any:
    """The same with numbers that JSON lacks replaced."""
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value

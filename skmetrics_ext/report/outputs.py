"""Outputs of a report: requirements, frames, JSON, a page and a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skmetrics_ext.formats import json_of
from skmetrics_ext.report import saving
from skmetrics_ext.report.summary import GAP, INTERVAL_KINDS, IntervalKind
from skmetrics_ext.report.tables import RowKind
from skmetrics_ext.requirements import Verdicts, check_requirements
from skmetrics_ext.result_bases import SCHEMA_VERSION
from skmetrics_ext.rows import Library, Rows, Tabular, written
from skmetrics_ext.validation import check_option

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

_TABLES = ("summary", "folds", "pooled", "compare")


class ReportOutputs(Tabular):
    """Base of `CrossValidationReport` with its outputs."""

    __slots__ = ()

    def require(
        self: Any, requirements: str | Iterable[str], *, interval: IntervalKind | None = None
    ) -> Verdicts:
        """Check whether the models meet limits, for example as a test that gates a release.

        Parameters
        ----------
        requirements : str or iterable of str
            Each of the form

            - "metric>=limit" (or <=, >, <): "pass" if the whole interval meets the limit, "fail"
              if none of it does, and "undecided" if the interval contains the limit or there is
              no interval;
            - "metric.value>=limit", "metric.low>=limit", "metric.high>=limit": one number only;
            - "model/metric>=limit": one model instead of every model except the baseline;
            - "worst:metric>=limit": the worst group of ``by``, with a simultaneous interval.

            "log_loss<=0.4" is a limit for the loss if the report has "neg_log_loss".
        interval : {"auto", "cv", "pooled", "corrected", "nested"}, default=None
            The kind of interval, as in `summary`; by default that of the report.

        Returns
        -------
        Verdicts
            ``.rows`` and ``.passed``; it prints as a table, and is true if all requirements are
            met.

        Raises
        ------
        ValueError
            If a requirement cannot be read, or names a metric, a model or groups that the report
            does not have.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from skmetrics_ext import cross_validation_report
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> report = cross_validation_report(GaussianNB(), X, y, scoring=["roc_auc", "f1"])
        >>> print(report.require(["roc_auc>=0.95", "f1>=0.95", "f1.value>=0.95"]))
        requirement     model        value          interval  verdict    note
        --------------  ----------  ------  ----------------  ---------  ----
        roc_auc>=0.95   GaussianNB  0.9874  [0.9781, 0.9928]  pass
        f1>=0.95        GaussianNB  0.9518  [0.9330, 0.9656]  undecided  [1]
        f1.value>=0.95  GaussianNB  0.9518  [0.9330, 0.9656]  pass
        <BLANKLINE>
        [1] the interval contains the limit
        """
        rows = [
            {**row, "value": row.mean if np.isnan(row.value) else row.value}
            for row in self.summary(interval)
        ]
        worst = None
        if self.data.rows_by is not None:
            worst = lambda metric, model: self.by_group(model).worst(metric)  # noqa: E731
        return check_requirements(requirements, rows, worst)

    def frame(self: Any, rows: RowKind = "summary", *, library: Library = "pandas") -> Any:
        """One of the tables as a data frame.

        Parameters
        ----------
        rows : {"summary", "folds", "pooled", "compare"}, default="summary"
            The table.
        library : {"pandas", "polars"}, default="pandas"
            Library of the data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            With polars, reasons and notes are text.

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        check_option("rows", rows, _TABLES)
        table: Rows = getattr(self, rows)()
        return table.frame(library=library)

    def flat(self: Any) -> dict[str, float]:
        """Mean, spread and bounds by path, such as "forest/roc_auc/mean", for experiment trackers.

        MLflow, Weights & Biases and DVC accept such a dict. In names, characters other than
        letters, digits and "_.:-" become "_"; missing bounds are left out.

        Returns
        -------
        dict of str to float
        """
        keys = ("model", "metric", "mean", "std", "low", "high", *GAP)
        return Rows({key: row[key] for key in keys if key in row} for row in self.summary()).flat()

    def to_dict(self: Any) -> dict[str, Any]:
        """The whole report as plain Python values.

        Returns
        -------
        dict
        """
        positive = self.positive_class
        return {
            "schema_version": SCHEMA_VERSION,
            "models": list(self.models),
            "metrics": list(self.metrics),
            "baseline": self.baseline,
            "positive_class": positive.item() if hasattr(positive, "item") else positive,
            "left_out": list(self.left_out),
            "n_samples": self.n_samples,
            "n_groups": None if self.grouping is None else self.grouping.n_groups,
            "n_folds": self.n_folds,
            "splitter": self.splitter,
            "confidence_level": self.confidence_level,
            **{name: getattr(self, name)() for name in _TABLES},
        }

    def to_json(self: Any, path: str | Path | None = None) -> str | None:
        """The whole report as JSON; nan is null, infinities are "Infinity" and "-Infinity".

        Parameters
        ----------
        path : str or Path, default=None
            File to write.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        return written(json_of(self.to_dict(), "Infinity"), path, "\n")

    def to_html(
        self: Any, path: str | Path | None = None, *, interval: IntervalKind | None = None
    ) -> str | None:
        """The whole report as one self-contained HTML page with tables and charts.

        The page begins with the question, its answer and the findings, loads nothing, and needs
        neither scripts nor matplotlib. Scripts add sortable tables, a choice of models and metric,
        values of curves at the pointer, and a slider for the threshold of the confusion matrix.
        Parts that are left out are listed with the reason.

        Parameters
        ----------
        path : str or Path, default=None
            File to write.
        interval : {"auto", "cv", "pooled", "corrected", "nested"}, default=None
            The kind of interval, as in `summary`; by default that of the report.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        from skmetrics_ext.report.page.report_page import report_page

        return written(report_page(with_interval(self, interval)), path)

    def save(self: Any, path: str | Path) -> None:
        """Write the report to a file that `load` reads.

        The file is a zip of JSON and arrays, and reading it runs no code. It holds all values,
        predictions and true labels. It does not hold the models and features, so a loaded report
        has no intervals from nested cross-validation, nor functions of metrics from outside this
        package, whose values on the folds are kept.

        Parameters
        ----------
        path : str or Path
            File to write.

        Raises
        ------
        ValueError
            If labels or class names are neither numbers nor text.
        """
        saving.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a report that `save` wrote.

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
            If the file is not a report, is damaged, or was written by a later version.
        """
        return cls(**saving.load(path))


def with_interval(
    report: CrossValidationReport, interval: IntervalKind | None
) -> CrossValidationReport:
    """The report with another kind of interval; unchanged for None."""
    if interval is None:
        return report
    check_option("interval", interval, INTERVAL_KINDS)
    return replace(report, interval=interval)

"""What a report is written to: frames, JSON, a page, a file; and whether it meets requirements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

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
    """Base of `CrossValidationReport`: what it is written to."""

    __slots__ = ()

    def require(
        self: Any, requirements: str | Iterable[str], *, interval: IntervalKind | None = None
    ) -> Verdicts:
        """Whether the models meet limits, as in a test that decides about a release.

        Parameters
        ----------
        requirements : str or iterable of str
            Each "metric>=limit" (or <=, >, <), which is

            - "pass" where the whole interval meets it, "fail" where none of it does, and
              "undecided" where the interval contains the limit, or there is none;
            - "metric.value>=limit", "metric.low>=limit", "metric.high>=limit": one number alone;
            - "model/metric>=limit": of one model. Others are of each model but the baseline;
            - "worst:metric>=limit": of the worst group of ``by``, whose interval is simultaneous.

            "log_loss<=0.4" is a limit of the loss, where the report has "neg_log_loss".
        interval : {"auto", "cv", "pooled", "corrected", "nested"}, default=None
            The kind of interval, as in `summary`; that of the report by default.

        Returns
        -------
        Verdicts
            ``.rows`` and ``.passed``; it prints as a table, and is true where all requirements are
            met.

        Raises
        ------
        ValueError
            If a requirement cannot be read, or names a metric, a model or groups that the
            report does not have.

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
        check_option("rows", rows, _TABLES)
        table: Rows = getattr(self, rows)()
        return table.frame(library=library)

    def flat(self: Any) -> dict[str, float]:
        """Mean, spread and bounds by path, such as "forest/roc_auc/mean", as trackers take them.

        MLflow, Weights & Biases and DVC take such a dict. Characters of names other than letters,
        digits and "_.:-" become "_"; bounds that do not exist are left out.

        Returns
        -------
        dict of str to float
        """
        keys = ("model", "metric", "mean", "std", "low", "high", *GAP)
        return Rows({key: row[key] for key in keys if key in row} for row in self.summary()).flat()

    def to_dict(self: Any) -> dict[str, Any]:
        """All of it as plain Python values.

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
        """All of it as JSON; nan is null, and infinities are the text "Infinity", "-Infinity".

        Parameters
        ----------
        path : str or Path, default=None
            File to write.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        text = json.dumps(_json_value(self.to_dict()), indent=2, allow_nan=False, default=str)
        return written(text, path, "\n")

    def to_html(
        self: Any, path: str | Path | None = None, *, interval: IntervalKind | None = None
    ) -> str | None:
        """All of it as one self-contained page: tables and pictures, nothing to load.

        It begins with the question, its answer and the findings, and needs neither scripts nor
        matplotlib. With scripts tables can be sorted, models and a metric chosen, values of curves
        read, and the threshold of the confusion matrix moved. It names the parts it leaves out.

        Parameters
        ----------
        path : str or Path, default=None
            File to write.
        interval : {"auto", "cv", "pooled", "corrected", "nested"}, default=None
            The kind of interval, as in `summary`; that of the report by default.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        from skmetrics_ext.report.page.report_page import report_page

        return written(report_page(with_interval(self, interval)), path)

    def save(self: Any, path: str | Path) -> None:
        """Write the report to a file, which `load` reads.

        The file is a zip of JSON and of arrays, which runs no code when it is read. It holds all
        values, predictions and true labels. It does not hold the models and what they predict from
        (a loaded report has no intervals by nested cross-validation), nor the
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
        saving.save(self, path)

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


def with_interval(
    report: CrossValidationReport, interval: IntervalKind | None
) -> CrossValidationReport:
    """The report with another kind of interval in its tables, page and pictures."""
    if interval is None:
        return report
    check_option("interval", interval, INTERVAL_KINDS)
    return replace(report, interval=interval)


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value

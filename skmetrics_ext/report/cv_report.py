"""CrossValidationReport: values of every fold, and the results computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from skmetrics_ext._lazy import renamed_argument
from skmetrics_ext.formats import json_of
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.limits import reader_of_sums
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.report import saving, tables
from skmetrics_ext.report.by_group import by_group
from skmetrics_ext.report.conclusion import compare_models
from skmetrics_ext.report.findings import findings_of
from skmetrics_ext.report.out_of_fold import FoldValues, pool, pool_labelled
from skmetrics_ext.report.summary import (
    GAP,
    INTERVAL_KINDS,
    IntervalKind,
    best_model,
    kind_of,
    sum_of_values,
    value_or_mean,
)
from skmetrics_ext.requirements import Verdicts, check_requirements
from skmetrics_ext.result_bases import draw
from skmetrics_ext.tables import Library, Table, Tabular, written
from skmetrics_ext.validation import InvalidParameterError, check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skmetrics_ext.inference.results import Estimate
    from skmetrics_ext.merged.evaluation import Evaluation

_TABLES = ("summary", "folds", "pooled", "compare")
PlotKind = Literal[
    "metrics", "roc", "precision_recall", "calibration", "gain", "lift", "decision", "threshold"
]


@dataclass(frozen=True, repr=False, slots=True)
class CrossValidationReport(FoldValues, Tabular):
    """Values of every model, fold and metric; printed as a table.

    Made by `cross_validation_report`.

    Parameters
    ----------
    models : tuple of str
        Names of the models, the baseline last.
    metrics : tuple of str
        Names of the metrics. Losses begin with ``neg_`` and are negative, as in scikit-learn.
    results : tuple of FoldResult
        By model, then by fold.
    n_samples : int
        Number of rows of the data.
    splitter : str
        How the folds were made.
    baseline : str or None
        Name of the baseline among the models.
    positive_class : object
        The positive class of binary data; None if there is none.
    confidence_level : float
        Nominal coverage of all intervals.
    left_out : tuple of str
        Default metrics that were left out because no positive class is known.
    data : ScoredData
        True labels, scorers and weights, for estimates from the predictions.
    interval : {"auto", "cv", "pooled", "corrected", "nested"}, default="auto"
        The kind of interval of the summary, the page and the pictures, as described in `summary`.
    data_warnings : tuple of str
        Problems of the data, such as an identifier that repeats; listed by `findings`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skmetrics_ext import cross_validation_report
    >>> X, y = load_iris(return_X_y=True)
    >>> report = cross_validation_report(GaussianNB(), X, y, scoring="accuracy")
    >>> report.models
    ('GaussianNB', 'baseline (prior)')
    >>> [round(row["mean"], 4) for row in report.summary()]
    [0.9533, 0.3333]
    >>> report["GaussianNB"].models, report.best()
    (('GaussianNB',), 'GaussianNB')
    """

    def best(self, metric: str | None = None) -> str:
        """Name of the model with the best mean of a metric over the folds.

        `compare` tests whether it is better than the others by more than chance.

        Parameters
        ----------
        metric : str, default=None
            Name of a metric; the first by default.

        Returns
        -------
        str
            The baseline if no model is better; the first of equally good models.

        Raises
        ------
        ValueError
            If the report has no such metric, or it is undefined on all folds of all models.
        """
        metric = self.metrics[0] if metric is None else registered_name(metric, self.metrics)
        check_option("metric", metric, self.metrics)
        return best_model(self, metric)

    def folds(self) -> Estimates:
        """Values of each fold.

        Returns
        -------
        Rows
            A row per model, fold and metric, with ``model``, ``fold``, ``metric``, ``value``
            (nan if undefined), ``reason`` (None if defined), ``n_train``, ``n_test``,
            ``fit_time`` and ``score_time`` (seconds; the score time is for all metrics), and
            with ``train=True`` also ``train_value``, the value on the training rows.
        """
        return tables.fold_table(self)

    def summary(self, interval: IntervalKind | None = None) -> Estimates:
        """Mean, spread and interval of each model and metric.

        Parameters
        ----------
        interval : {"auto", "cv", "pooled", "corrected", "nested"}, default=None
            The kind of interval; by default that of the report.

            - "cv": the mean over folds, from influence values within each fold (Bayle et al. 2020;
              for areas LeDell, Petersen & van der Laan 2015). It describes the fitted models.
            - "pooled": the metric on all out-of-fold predictions together, as in `pooled`. It also
              describes the fitted models.
            - "corrected": the mean over folds with the variance of Nadeau and Bengio (2003) for
              overlapping training sets. It describes models trained on other samples of this
              size, and is a heuristic, since no unbiased estimate of that variance exists.
            - "nested": nested cross-validation (Bates, Hastie & Tibshirani 2024), for error rate,
              accuracy, log loss and Brier score. It describes models trained on other samples, and
              fits each model several hundred times.

            "auto" is the first of "cv", "pooled" and "corrected" that is available for every metric
            of the report, so that all rows describe the same target.

        Returns
        -------
        Rows
            A row per model and metric, with ``model``, ``is_baseline``, ``metric``, ``mean`` and
            ``std`` (standard deviation with ddof=1) over the folds where the metric is defined,
            ``interval`` (the kind), ``target`` (what it describes, in words), ``value``,
            ``standard_error``, ``low`` and ``high`` (within the range of the metric),
            ``interval_note`` (why there is no interval, or a caveat; otherwise None),
            ``n_folds`` (including undefined ones), ``n_undefined``, ``reasons`` and ``notes``
            (reasons for undefined and warnings of defined values, with their numbers of folds).
            With ``train=True`` also ``train`` (the mean on the training rows), ``gap`` (train
            less test), ``gap_low`` and ``gap_high`` (for the fitted models, from the "cv" interval
            of the test rows; if there is none, by Nadeau and Bengio).

        Raises
        ------
        ValueError
            If no metric of the report has a nested interval.

        References
        ----------
        Bayle, Bayle, Janson & Mackey (2020), Advances in Neural Information Processing Systems 33;
        LeDell, Petersen & van der Laan (2015), Electronic Journal of Statistics 9(1), 1583-1607;
        Nadeau & Bengio (2003), Machine Learning 52(3), 239-281; Bates, Hastie & Tibshirani (2024),
        Journal of the American Statistical Association 119(546), 1434-1445.
        """
        kind = self.interval if interval is None else interval
        check_option("interval", kind, INTERVAL_KINDS)
        return tables.summary_table(self, kind)

    def pooled(self, *, y_true: Any = None, proxy: Any = None) -> Estimates:
        """Each metric on the out-of-fold predictions of all folds together, if that is valid.

        Predicted labels and probabilities have the same meaning on every fold and are pooled.
        Scores of models fitted on different rows have no common scale, so metrics that rank them
        together are refused, with the reason.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), default=None
            A person's label of some rows, missing in others, where the report's own labels are a
            machine's: the estimates are then those of `confidence_interval` with a ``proxy``.
        proxy : array-like, default=None
            With ``y_true``, the machine's labels or probabilities; by default the report's labels.

        Returns
        -------
        Rows
            A row per model and metric, with ``model``, ``metric``, ``value``, ``low``, ``high``,
            ``method`` (of the interval), ``n_rows`` and ``reason`` (why there is no value or no
            interval, the convention behind a value, or a caveat about its interval; otherwise
            None). Intervals treat groups as independent, if groups were given, and otherwise rows,
            even if repeated folds predict a row several times.
        """
        if y_true is None and proxy is not None:
            raise InvalidParameterError("proxy= goes with y_true=, a person's label of some rows.")
        found = pool(self) if y_true is None else pool_labelled(self, y_true, proxy)
        return tables.pooled_table(self, found)

    def by_group(self, model: str | None = None) -> Evaluation:
        """Out-of-fold values of a model by group, if ``by`` was given.

        Predicted labels and probabilities of all folds are pooled; metrics of rankings are averaged
        over the folds in which the group has a value.

        Parameters
        ----------
        model : str, default=None
            One of ``models``; the first by default.

        Returns
        -------
        Evaluation
            A row for each group and metric, and for all rows together, in the direction of the
            scorers; with ``gaps``, ``worst``, ``spread`` and ``plot``.

        Raises
        ------
        ValueError
            If the report has no groups.
        """
        model = self.models[0] if model is None else model
        check_option("model", model, self.models)
        return by_group(self, model)

    def compare(
        self,
        metric: str | None = None,
        *,
        rope: float | Mapping[str, float] | None = None,
        against: Literal["all", "baseline"] = "all",
    ) -> Estimates:
        """Pairwise comparisons of the models, and of each with the baseline, on the same folds.

        Tests are Nadeau and Bengio's corrected resampled t-test and its Bayesian counterpart, over
        the folds where both models are defined. They describe models trained on other samples of
        this size. p-values and intervals are adjusted by Holm's method for all pairs of a metric.

        Parameters
        ----------
        metric : str, default=None
            Name of a metric; all of them by default.
        rope : float or dict of str to float, default=None
            The region of practical equivalence: differences up to this size are irrelevant in
            practice. It is in units of the metric, so several metrics need a dict from their
            names. Without it there is no probability of equivalence.
        against : {"all", "baseline"}, default="all"
            Pairs to show: all of them, or each model and the baseline.

        Returns
        -------
        Rows
            A row per metric and pair, with ``metric``, ``model_a``, ``model_b``, ``n_folds``,
            ``difference`` (a less b), ``low``, ``high`` and ``p_value`` (unadjusted),
            ``low_holm``, ``high_holm`` and ``p_holm`` (adjusted for all pairs), ``p_a_better``,
            ``p_equivalent`` (nan without ``rope``), ``p_b_better``, ``rope`` and ``reason`` (why
            there is no comparison; otherwise None).

        Raises
        ------
        ValueError
            If one ``rope`` is given for several metrics.

        Notes
        -----
        An adjusted interval has the level at which Holm's method tests its pair,
        1 - alpha / (number of pairs left); pairs after the first non-significant one have the level
        of that pair (Serlin 1993). It excludes 0 exactly if the adjusted p-value is below alpha.

        References
        ----------
        Nadeau & Bengio (2003), Machine Learning 52(3), 239-281; Holm (1979), Scandinavian Journal
        of Statistics 6(2), 65-70; Serlin (1993), The Journal of Experimental Education 61(4),
        350-360.
        """
        return tables.comparison_table(self, compare_models(self, metric, rope, against))

    def findings(self, code: str | Sequence[str] | None = None) -> Estimates:
        """Reasons to distrust the numbers, from undefined folds to chance, with advice.

        Parameters
        ----------
        code : str or sequence of str, default=None
            Kinds of findings, such as "overfits" or "within_noise"; all of them by default.

        Returns
        -------
        Estimates
            A row per finding, with ``code``, ``metric`` and ``model`` (None if it concerns all of
            them), ``value`` (a difference with the other keys of its estimate, or a number of folds
            or rows), ``text``, ``advice`` and ``false_alarms`` (the rate in simulations for
            findings from a test; otherwise nan). Printed, it is a sentence per finding. The guide
            to cross-validation lists the codes.

        Raises
        ------
        ValueError
            If a code is unknown.
        """
        return findings_of(self, code)

    def plot(
        self,
        kind: PlotKind = "metrics",
        ax: Axes | None = None,
        *,
        interval: IntervalKind | None = None,
        **options: Any,
    ) -> Any:
        """Dot and interval of each model and metric, or the curves of all models in one picture.

        Parameters
        ----------
        kind : {"metrics", "roc", "precision_recall", "calibration", "gain", "lift", "decision", \
"threshold"}, default="metrics"
            "metrics": mean and interval of each model and metric, with the baseline marked. The
            other kinds overlay the curves of all models except the baseline, from out-of-fold
            predictions; ``RocCurvesDisplay.from_report(report, model)`` draws those of one model.
        ax : matplotlib.axes.Axes, default=None
            Axes to draw on; a new figure by default.
        interval : {"auto", "cv", "pooled", "corrected", "nested"}, default=None
            The kind of interval, as in `summary`; by default that of the report.
        **options : dict
            Passed to ``from_report`` of the display.

        Returns
        -------
        display
            With ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw(self._with_interval(interval), kind, ax, options)

    def require(
        self, requirements: str | Iterable[str], *, interval: IntervalKind | None = None
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
            - "worst:metric>=limit": every group of ``by``, by simultaneous intervals: "pass" if
              all groups pass, "fail" if one fails;
            - "a/metric - b/metric>=limit", "a/metric >= b/metric - 0.01" or any sum of values and
              numbers, with factors such as "2 * a/recall": the interval of the difference decides.
              It is of the same kind as those of single values: "corrected" is the interval of
              `compare`, without adjustment.

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
        rows = [{**row, "value": value_or_mean(row)} for row in self.summary(interval)]

        def worst(metric: str, model: str) -> Any:
            return self.by_group(model).where(metric=metric).together()

        def total(factors: Mapping[tuple[str, str], float]) -> Estimate:
            return sum_of_values(self, kind_of(self, interval), factors)

        has_groups = self.data.rows_by is not None
        read = reader_of_sums(((row["model"], row["metric"]) for row in rows), total)
        return check_requirements(requirements, rows, worst if has_groups else None, read)

    @renamed_argument("library", "backend")
    def frame(self, rows: tables.RowKind = "summary", *, backend: Library = "pandas") -> Any:
        """One of the tables as a data frame.

        Parameters
        ----------
        rows : {"summary", "folds", "pooled", "compare"}, default="summary"
            The table.
        backend : {"pandas", "polars"}, default="pandas"
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
        table: Table = getattr(self, rows)()
        return table.frame(backend=backend)

    def flat(self) -> dict[str, float]:
        """Mean, spread and bounds by path, such as "forest/roc_auc/mean", for experiment trackers.

        MLflow, Weights & Biases and DVC accept such a dict. In names, characters other than
        letters, digits and "_.:-" become "_"; missing bounds are left out.

        Returns
        -------
        dict of str to float
        """
        keys = ("model", "metric", "mean", "std", "low", "high", *GAP)
        return Table({key: row[key] for key in keys if key in row} for row in self.summary()).flat()

    def _contents(self) -> dict[str, Any]:
        return {
            "models": list(self.models),
            "metrics": list(self.metrics),
            "baseline": self.baseline,
            "positive_class": self.positive_class,
            "left_out": list(self.left_out),
            "n_samples": self.n_samples,
            "n_groups": None if self.grouping is None else self.grouping.n_groups,
            "n_folds": self.n_folds,
            "splitter": self.splitter,
            "confidence_level": self.confidence_level,
            **{name: getattr(self, name)() for name in _TABLES},
        }

    def to_json(self, path: str | Path | None = None) -> str | None:
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
        self,
        path: str | Path | None = None,
        *,
        interval: IntervalKind | None = None,
        requirements: Verdicts | str | Iterable[str] | None = None,
        source: str = "",
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
        requirements : str, iterable of str or Verdicts, default=None
            Limits as in `require`, or its result: the page shows whether they are met.
        source : str, default=""
            What the page was made from, such as a file, for its footer, where the date and the
            version stand.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        from skmetrics_ext.report.page.report_page import report_page

        if requirements is not None and not isinstance(requirements, Verdicts):
            requirements = self.require(requirements, interval=interval)
        page = report_page(self._with_interval(interval), requirements, source)
        return written(page, path)

    def save(self, path: str | Path) -> None:
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

    def _with_interval(self, interval: IntervalKind | None) -> Self:
        """The report with another kind of interval; unchanged for None."""
        if interval is None:
            return self
        check_option("interval", interval, INTERVAL_KINDS)
        return replace(self, interval=interval)

    def _as_rows(self) -> Table:
        """The printed table, with a row per model."""
        return tables.report_rows(self)

    def __str__(self) -> str:
        return tables.text_report(self)

    def __repr__(self) -> str:
        return (
            f"<CrossValidationReport: {len(self.models)} models, {len(self.metrics)} metrics, "
            f"{self.n_folds} folds of {self.n_samples} rows>"
        )

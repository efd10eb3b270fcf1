"""SearchReport: the corrected value of a search, and its table of candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.formats import interval, number, probability, with_interval
from skmetrics_ext.inference.estimate_rows import row_from, shown_metric
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.report.sentences import numbers_of
from skmetrics_ext.result_bases import draw
from skmetrics_ext.tables import Row, Shown, Tabular, columns, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOT_INCLUDED = "training-set variation not included"


@dataclass(frozen=True, eq=False, slots=True)
class SearchReport(Tabular):
    """Best score of a search, corrected for selection, and the candidates that are as good.

    Made by `search_report`; printing it shows a table, the best candidate first.

    Parameters
    ----------
    metric : str
        Name of the metric by which the search chooses. Greater is better.
    naive : float
        Mean over folds of the chosen candidate, as in ``best_score_``.
    best : Estimate
        The same mean corrected for selection, with an interval. Its ``note`` states that the
        interval does not include training-set variation.
    rows : Estimates
        A row per candidate, in the order of ``cv_results_``: ``model`` (the candidate in words),
        ``value`` (its mean) and the other keys of estimates, ``note`` (why it has no value);
        then ``candidate``, ``params``, ``mean``, ``std``, ``difference`` (from the best, at most
        0) with the simultaneous bounds ``difference_low`` and ``difference_high``,
        ``probability_best`` (how often it would be chosen in other samples), ``as_good`` (not
        distinguishable from the best), ``selected``, ``fit_time``, each parameter as
        ``param_...``, and the means of other metrics as ``mean_...``.
    best_index : int
        Index of the chosen row.
    n_rows, n_folds : int
        Numbers of rows and folds.
    splitter : str
        The splitter, in one line.
    confidence_level : float
        Nominal coverage of all intervals.
    n_groups : int or None
        Number of groups, if groups were given.
    nested : Estimate or None
        Estimate by nested cross-validation, if outer folds were given.
    notes : tuple of str
        Caveats.
    best_estimator_ : estimator
        The chosen candidate, fitted to all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV, KFold
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skmetrics_ext import search_report
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 50]}, cv=KFold(5))
    >>> report = search_report(search, X, y, random_state=0)
    >>> print(report)  # doctest: +NORMALIZE_WHITESPACE
    best settings: n_neighbors=1: accuracy 0.927 [0.882, 0.961] after correction for choosing
        among 3
    before correction: best_score_ 0.9267
    3 candidates, 5 folds of 150 rows: KFold(n_splits=5, random_state=None, shuffle=False)
    95 % intervals for the 5 fitted models of a candidate; training-set variation not included
    2 of 3 not distinguishable from the best (95 %, marked =)
    candidate         mean          interval       from the best  P(best)  set
    --------------  ------  ----------------  ------------------  -------  ------
    n_neighbors=1   0.9267  [0.8716, 0.9592]   [-0.0073, 0.0000]    0.917  chosen
    n_neighbors=5   0.9133  [0.8557, 0.9493]   [-0.0343, 0.0000]    0.083  =
    n_neighbors=50  0.3667  [0.2927, 0.4475]  [-0.6507, -0.4572]  < 0.001
    <BLANKLINE>
    separating the top two (difference 0.0133) takes about 580 rows (power 80 %; now 150); repeat
        the folds to see whether more repeats would help
    """

    metric: str
    naive: float
    best: Estimate
    rows: Estimates
    best_index: int
    n_rows: int
    n_folds: int
    splitter: str
    confidence_level: float
    n_groups: int | None = None
    nested: Estimate | None = None
    notes: tuple[str, ...] = ()
    best_estimator_: Any = field(default=None, repr=False)

    @property
    def selected(self) -> Row:
        """The row of the chosen candidate.

        Returns
        -------
        Row
        """
        return self.rows[self.best_index]

    def __str__(self) -> str:
        return str(self._as_rows().for_people())

    def _html(self, most: int | None) -> str:
        return self._as_rows().for_people()._html(most)

    def _as_rows(self) -> Estimates:
        """The printed table, the best candidate first."""
        order = sorted(self.rows, key=lambda row: (np.isnan(row["mean"]), -row["mean"]))
        rows = self.rows.like(order)
        rows.lead, rows.notes = tuple(heading(self)), tuple(self.notes)
        return rows

    def plot(self, ax: Axes | None = None, *, parameter: str | None = None) -> Any:
        """Candidates with their intervals; those as good as the best are marked.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure by default.
        parameter : str, default=None
            Parameter on the x-axis, on a log scale if its values are positive and far apart. By
            default the only parameter, if its values are numbers; otherwise candidates are listed
            in the order of their values.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such parameter, or its values are not numbers.
        """
        return draw(self, ax, parameter)

    def to_html(self, path: str | Path | None = None, *, source: str = "") -> str | None:
        """The report as one self-contained HTML page.

        Parameters
        ----------
        path : str or Path, default=None
            File to write.
        source : str, default=""
            What the page was made from, such as a file, for its footer, where the date and the
            version stand.

        Returns
        -------
        str or None
            The text, unless it is written to a file.
        """
        from skmetrics_ext.report.page.search_page import search_page

        rows = self._as_rows().for_people()
        return written(search_page(rows, self.best, self.metric, source), path)


def heading(report: SearchReport) -> list[str]:
    """Lines above the table: the best settings, the data, the nested score, and the set."""
    grouped = "" if report.n_groups is None else f" in {report.n_groups} groups"
    n, level = len(report.rows), f"{100 * report.confidence_level:g} %"
    name = shown_metric(report.metric, inside=True)[0]
    naive = f"best_score_ {number(report.naive)}"
    corrected = f" after correction for choosing among {n}" if n > 1 else ""
    value = with_interval(*numbers_of(row_from(report.best, metric=report.metric)))
    lines = [
        f"best settings: {report.selected.label}: {name} {value}{corrected}",
        f"before correction: {naive}" if n > 1 else naive,
        f"{n} candidate{'s' * (n != 1)}, {report.n_folds} folds of {report.n_rows} rows{grouped}: "
        f"{report.splitter}",
        f"{level} intervals for the {report.n_folds} fitted models of a candidate; {NOT_INCLUDED}",
    ]
    if report.nested is not None:
        nested = numbers_of(row_from(report.nested, metric=report.metric))
        lines.append(f"nested cross-validation: {name} {with_interval(*nested)}")
    as_good = sum(row["as_good"] for row in report.rows)
    if n > 1:
        lines.append(f"{as_good} of {n} not distinguishable from the best ({level}, marked =)")
    return lines


def mark(selected: bool, as_good: bool) -> str:
    """Mark of a candidate in the column "set"."""
    return "chosen" if selected else "=" if as_good else ""


COLUMNS = (
    Shown("candidate", "model", is_text=True),
    *columns("mean", "interval"),
    Shown("from the best", ("difference_low", "difference_high"), interval),
    Shown("P(best)", "probability_best", probability),
    Shown("set", ("selected", "as_good"), mark, is_text=True),
)


def label_of(params: dict[str, Any]) -> str:
    """Parameters as a short text, without the steps of a pipeline if names stay unique."""
    short = [key.rsplit("__", 1)[-1] for key in params]
    names = short if len(set(short)) == len(short) else list(params)
    return ", ".join(f"{n}={short_value(v)}" for n, v in zip(names, params.values(), strict=True))


def short_value(value: Any) -> str:
    """The value of a parameter, shortened."""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = " ".join(str(value).split())
    return text if len(text) <= 30 else f"{text[:27]}..."

"""One model on one fold, and the groups of the rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.questions import Rows
from skmetrics_ext.scoring.panel import ScorerPanel
from skmetrics_ext.scoring.recording import PanelResult, one_line
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows, read_array, take_params, take_rows

_FIT_ERROR = "fit failed: "


@dataclass(frozen=True, slots=True)
class Fold:
    """Number and rows of a fold."""

    number: int
    train: Array
    test: Array


@dataclass(frozen=True, eq=False, slots=True)
class FoldResult:
    """Values and predictions of one model on one fold.

    Parameters
    ----------
    model : str
        Name of the model.
    fold : int
        Number of the fold, from 0.
    n_train, n_test : int
        Number of training and of test rows.
    fit_time, score_time : float
        Seconds.
    values : mapping of str to float
        Value of each metric; nan where it is undefined.
    reasons : mapping of str to str
        Why a metric is undefined, for those that are.
    notes : mapping of str to str
        Warnings that defined metrics gave.
    rows : ndarray of int of shape (n_test,)
        The test rows, as row numbers of the data.
    classes : ndarray or None
        ``classes_`` of the fitted model, in the order of the columns of its responses.
    responses : mapping of str to ndarray
        Predictions for the test rows, by method of the estimator.
    train_values : mapping of str to float
        Value of each metric on the training rows; empty without ``train=True``.
    """

    model: str
    fold: int
    n_train: int
    n_test: int
    fit_time: float
    score_time: float
    values: Mapping[str, float]
    reasons: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    rows: Any = field(default=None, repr=False)
    classes: Any = field(default=None, repr=False)
    responses: Mapping[str, Any] = field(default_factory=dict, repr=False)
    train_values: Mapping[str, float] = field(default_factory=dict)

    @property
    def fit_error(self) -> str:
        """The reason of all metrics if the fit failed; "" if it did not."""
        return next(filter(is_fit_error, self.reasons.values()), "")

    def __eq__(self, other: object) -> bool:
        """Compare all numbers and texts; undefined values are equal."""
        return isinstance(other, FoldResult) and self._compared() == other._compared()

    def _compared(self) -> list[Any]:
        values = [
            {name: None if value != value else value for name, value in numbers.items()}
            for numbers in (self.values, self.train_values)
        ]
        plain = ("model", "fold", "n_train", "n_test", "fit_time", "score_time", "reasons", "notes")
        return [*values, *(getattr(self, name) for name in plain)]


def is_fit_error(reason: str) -> bool:
    """Whether a metric is undefined because the model could not be fitted."""
    return reason.startswith(_FIT_ERROR)


def numbered_folds(splits: Iterable[Any]) -> list[Fold]:
    """Folds from pairs of training and test rows, given as row numbers or masks."""
    folds = []
    for number, pair in enumerate(splits):
        parts = [np.asarray(rows) for rows in pair]
        train, test = [np.flatnonzero(rows) if rows.dtype == bool else rows for rows in parts]
        folds.append(Fold(number, train, test))
    if not folds:
        raise InvalidParameterError("cv gives no folds.")
    return folds


def fit_and_score(
    model: str,
    estimator: Any,
    fold: Fold,
    X: Any,
    y: Any,
    fit_params: Mapping[str, Any],
    panel: ScorerPanel,
    score_params: Mapping[str, Mapping[str, Any]],
    on_train: bool = False,
) -> FoldResult:
    """Fit a clone of the estimator on the training rows and score it on the test rows.

    Errors become reasons. With ``on_train`` the training rows are scored, too.
    """
    from sklearn.base import clone

    fitted, n_rows = clone(estimator), count_rows(y)
    result = PanelResult(dict.fromkeys(panel.scorers, float("nan")))
    responses: dict[str, Array] = {}
    train_values: Mapping[str, float] = {}

    def score(rows: Array) -> tuple[Rows, PanelResult]:
        predicted = Rows.of_model(fitted, take_rows(X, rows), take_rows(y, rows))
        params_of = {
            name: take_params(params, n_rows, rows)
            for name, params in score_params.items()
            if params
        }
        return predicted, panel.read(predicted, params_of)

    start = time.perf_counter()
    try:
        fitted.fit(
            take_rows(X, fold.train),
            take_rows(y, fold.train),
            **take_params(fit_params, n_rows, fold.train),
        )
    except Warning:  # the user turned warnings into errors
        raise
    except Exception as error:
        result.reasons.update(dict.fromkeys(panel.names, f"{_FIT_ERROR}{one_line(error)}"))
    fit_end = time.perf_counter()
    if not result.reasons:
        predicted, result = score(fold.test)
        train_values = score(fold.train)[1].values if on_train else {}
        responses = {
            method: read_array(method, response) for method, response in predicted.responses.items()
        }
    score_end = time.perf_counter()
    classes = getattr(fitted, "classes_", None)
    if classes is not None:  # a list holds the classes of several outputs
        classes = None if isinstance(classes, list) else read_array("classes_", classes)
    return FoldResult(
        model=model,
        fold=fold.number,
        n_train=len(fold.train),
        n_test=len(fold.test),
        fit_time=fit_end - start,
        score_time=score_end - fit_end,
        values=result.values,
        reasons=result.reasons,
        notes=result.notes,
        rows=fold.test,
        classes=classes,
        responses=responses,
        train_values=train_values,
    )


@dataclass(frozen=True, eq=False, slots=True)
class Grouping:
    """Groups of dependent rows, and how many of them each fold has.

    Parameters
    ----------
    of_row : ndarray of int of shape (n_samples,)
        Number of the group of each row.
    sizes : mapping of int to (int, int)
        Number of groups in the training and in the test rows of each fold.
    n_split : int
        Number of groups with training and test rows in the same fold.
    """

    of_row: Array
    sizes: Mapping[int, tuple[int, int]]
    n_split: int

    @classmethod
    def of(cls, of_row: Array, folds: Iterable[Fold]) -> Grouping:
        """Count the groups of each fold from the group number of each row."""
        sizes, is_split = {}, np.zeros(int(of_row.max()) + 1, dtype=bool)
        for fold in folds:
            in_train, in_test = np.zeros((2, len(is_split)), dtype=bool)
            in_train[of_row[fold.train]] = in_test[of_row[fold.test]] = True
            sizes[fold.number] = int(in_train.sum()), int(in_test.sum())
            is_split |= in_train & in_test
        return cls(of_row, sizes, int(is_split.sum()))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.of_row.max()) + 1

    @property
    def warnings(self) -> list[str]:
        """A warning if folds split groups, in a list."""
        if not self.n_split:
            return []
        return [
            f"{self.n_split} of {self.n_groups} groups have training and test rows in the same "
            "fold: models were tested on groups that they had seen"
        ]


Function = TypeVar("Function", bound=Callable[..., Any])


def computed_once(function: Function) -> Function:
    """Decorator of a function of a report: the report stores the result for each argument."""

    @wraps(function)
    def compute(report: Any, *arguments: Any) -> Any:
        key = function.__name__, *arguments
        if key not in report.computed:
            report.computed[key] = function(report, *arguments)
        return report.computed[key]

    return cast(Function, compute)


def group_sizes(grouping: Grouping | None, results: Iterable[FoldResult]) -> dict[str, Any]:
    """Sizes of training and test sets, ``n_train`` and ``n_test``, in groups or else in rows."""
    if grouping is None:
        sizes = [(result.n_train, result.n_test) for result in results]
    else:
        sizes = [grouping.sizes[result.fold] for result in results]
    return {"n_train": [train for train, _ in sizes], "n_test": [test for _, test in sizes]}

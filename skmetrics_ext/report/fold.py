"""One model on one fold, and the groups of the rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.scoring.panel import ScorerPanel
from skmetrics_ext.scoring.recording import PanelResult, one_line
from skmetrics_ext.scoring.scorer import ScoredModel
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows, read_array, take_params, take_rows


@dataclass(frozen=True, slots=True)
class Fold:
    """Number and rows of a fold."""

    number: int
    train: Array
    test: Array


@dataclass(frozen=True, eq=False, slots=True)
class FoldResult:
    """One model on one fold.

    Parameters
    ----------
    model : str
        Name of the model.
    fold : int
        Number of the fold, from 0.
    n_train, n_test : int
        Rows that the model was fitted on, and scored on.
    fit_time, score_time : float
        Seconds.
    values : mapping of str to float
        Value of each metric; nan where it is undefined.
    reasons : mapping of str to str
        Why a metric is undefined, for those that are.
    notes : mapping of str to str
        Warnings of metrics that are defined.
    rows : ndarray of int of shape (n_test,)
        The rows that it was scored on.
    classes : ndarray or None
        ``classes_`` of the fitted model, which name the columns of its responses.
    responses : mapping of str to ndarray
        Predictions for these rows, by the method that the metrics use.
    train_values : mapping of str to float
        Value of each metric on the rows that it was fitted on, where these were asked for.
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


def numbered_folds(splits: Iterable[Any]) -> list[Fold]:
    """Folds from pairs of training and test rows, which are numbers or masks."""
    folds = []
    for number, pair in enumerate(splits):
        train, test = (np.flatnonzero(r) if r.dtype == bool else r for r in map(np.asarray, pair))
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
    """Fit a copy of the estimator and score it. Failures become reasons.

    With ``on_train`` it is scored on the rows that it was fitted on, too.
    """
    from sklearn.base import clone

    fitted = clone(estimator)
    result = PanelResult(dict.fromkeys(panel.scorers, float("nan")))
    responses: dict[str, Array] = {}
    train_values: Mapping[str, float] = {}

    def score(rows: Array) -> tuple[ScoredModel, PanelResult]:
        evaluation = ScoredModel(fitted, take_rows(X, rows), take_rows(y, rows))
        params_of = {
            name: take_params(params, count_rows(y), rows)
            for name, params in score_params.items()
            if params
        }
        return evaluation, panel.read(evaluation, params_of)

    start = time.perf_counter()
    try:
        fitted.fit(
            take_rows(X, fold.train),
            take_rows(y, fold.train),
            **(take_params(fit_params, count_rows(y), fold.train) if fit_params else {}),
        )
    except Warning:  # the user made errors of warnings
        raise
    except Exception as error:
        result.reasons.update(dict.fromkeys(panel.names, f"fit failed: {one_line(error)}"))
    fit_end = time.perf_counter()
    if not result.reasons:
        evaluation, result = score(fold.test)
        train_values = score(fold.train)[1].values if on_train else {}
        for method, response in evaluation.responses.all().items():
            is_array = type(response) is np.ndarray
            responses[method] = response if is_array else read_array(method, response)
    score_end = time.perf_counter()
    classes = getattr(fitted, "classes_", None)
    if type(classes) is not np.ndarray:
        several = classes is None or isinstance(classes, list)
        classes = None if several else read_array("classes_", classes)
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
    """Groups of dependent rows, and how the folds divide them.

    Parameters
    ----------
    of_row : ndarray of int of shape (n_samples,)
        Number of the group of each row.
    sizes : mapping of int to (int, int)
        Groups with rows that a fold trains on, and that it tests on.
    n_split : int
        Groups that some fold both trains on and tests on.
    """

    of_row: Array
    sizes: Mapping[int, tuple[int, int]]
    n_split: int

    @classmethod
    def of(cls, of_row: Array, folds: Iterable[Fold]) -> Grouping:
        """Count the groups of each fold from the group number of each row."""
        sizes, split = {}, np.zeros(int(of_row.max()) + 1, dtype=bool)
        for fold in folds:
            held = np.zeros((2, len(split)), dtype=bool)
            held[0, of_row[fold.train]] = held[1, of_row[fold.test]] = True
            n_train, n_test = held.sum(axis=1).tolist()
            sizes[fold.number] = n_train, n_test
            split |= held.all(axis=0)
        return cls(of_row, sizes, int(split.sum()))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.of_row.max()) + 1

    @property
    def warnings(self) -> list[str]:
        """Facts about the groups that a reader of the report must know."""
        if not self.n_split:
            return []
        return [
            f"{self.n_split} of {self.n_groups} groups have rows in the training and the test part "
            "of one fold: models were tested on groups that they knew"
        ]


Function = TypeVar("Function", bound=Callable[..., Any])


def computed_once(function: Function) -> Function:
    """A function of a report, and of arguments, whose result the report keeps."""

    @wraps(function)
    def compute(report: Any, *arguments: Any) -> Any:
        key = function.__name__, *arguments
        if key not in report.computed:
            report.computed[key] = function(report, *arguments)
        return report.computed[key]

    return cast(Function, compute)


def group_sizes(grouping: Grouping | None, results: Any) -> dict[str, Any]:
    """Sizes of the training and test parts of the folds: in groups if there are any, else rows."""
    sizes = [(result.n_train, result.n_test) for result in results]
    if grouping is not None:
        sizes = [grouping.sizes[result.fold] for result in results]
    return {"n_train": [train for train, _ in sizes], "n_test": [test for _, test in sizes]}

"""The doors of displays of scores: predictions, an estimator, folds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting.drawing import make_frame
from skmetrics_ext.plotting.scored import (
    RESPONSES,
    estimator_scores,
    fold_rows,
    given_folds,
    report_model,
    report_rows,
    response_methods,
    scored_folds,
)
from skmetrics_ext.scoring.responses import estimator_name
from skmetrics_ext.validation import Scores


class ScoreDisplay:
    """A picture of scores: what is drawn is computed from checked rows, or from those of folds."""

    methods: ClassVar[tuple[str, ...]] = RESPONSES
    size: ClassVar[tuple[float, float]] = (5.4, 4.4)
    pools: ClassVar[bool] = False  # folds are one set of rows, each of which counts once

    @classmethod
    def _of_rows(cls, *args: Any, **options: Any) -> Self:
        """The display of checked rows and a name, by the options of the class."""
        raise NotImplementedError

    @classmethod
    def _of_folds(cls, *args: Any, **options: Any) -> Self:
        """The display of folds and a name."""
        raise NotImplementedError

    def columns(self, *args: Any, **options: Any) -> dict[str, Array]:
        """The numbers behind the picture, as arrays of one length by name."""
        raise NotImplementedError

    def plot(self, *args: Any, **options: Any) -> Self:
        """Draw."""
        raise NotImplementedError

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        labels: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw true labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels, or multilabel indicators.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores, higher for the class.
        labels : array-like of shape (n_classes,), default=None
            The class of each column of ``y_score``, in this order.
        pos_label : int, float, bool or str, default=None
            The positive class of binary labels; by default the greater of the two.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weight of each row.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default. Axes of another display of the same kind
            are added to.
        **options : dict
            Those of the class, and arguments of `plot`.

        Returns
        -------
        display
            Drawn.
        """
        rows = Scores.check(
            y_true, y_score, labels=labels, pos_label=pos_label, sample_weight=sample_weight
        )
        return cls._drawn(cls._of_rows, rows, name, ax, options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        response_method: str = "auto",
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the scores of a fitted estimator; its columns are matched with classes by name.

        Parameters
        ----------
        estimator : object
            Fitted classifier.
        X : array-like of shape (n_samples, n_features)
            What it predicts from.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weight of each row.
        pos_label : int, float, bool or str, default=None
            The positive class of two; by default ``estimator.classes_[1]``.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Where the scores come from; "auto" is the first that the estimator has.
        name : str, default=None
            Name in the legend; the class of the estimator by default.
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default.
        **options : dict
            Those of the class, and arguments of `plot`.

        Returns
        -------
        display
            Drawn.
        """
        asked = cls._asked(pos_label, response_method)
        rows = estimator_scores(estimator, X, y, sample_weight, **asked)
        name = estimator_name(estimator) if name is None else name
        return cls._drawn(cls._of_rows, rows, name, ax, options)

    @classmethod
    def from_folds(
        cls,
        folds: Iterable[Sequence[Any]],
        *,
        n_train: Any = None,
        labels: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the out-of-fold scores of a cross-validation.

        Parameters
        ----------
        folds : iterable of (y_true, y_score) or (y_true, y_score, sample_weight)
            Rows of each test fold.
        n_train : int or array-like of shape (n_folds,), default=None
            Rows that the model of each fold was fitted on, for intervals of means; by default
            those of all other folds.
        labels : array-like of shape (n_classes,), default=None
            The class of each column; all that occur in any fold by default.
        pos_label : int, float, bool or str, default=None
            The positive class of binary labels; by default the greater of the two.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default.
        **options : dict
            Those of the class, and arguments of `plot`.

        Returns
        -------
        display
            Drawn.
        """
        checked = given_folds(folds, n_train, labels, pos_label)
        return cls._drawn(cls._of_folds, checked, name, ax, options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        response_method: str = "auto",
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the test rows of each fold by the model of the fold.

        A fold whose model was not fitted on all classes is left out, and the legend says so.

        Parameters
        ----------
        cv_results : dict
            Of scikit-learn's ``cross_validate(..., return_estimator=True,
            return_indices=True)``.
        X, y : array-like
            What was cross-validated.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weight of each row.
        pos_label : int, float, bool or str, default=None
            The positive class of two; by default ``classes_[1]``.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Where the scores come from; "auto" is the first that the estimator has.
        name : str, default=None
            Name in the legend; the class of the estimators by default.
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default.
        **options : dict
            Those of the class, and arguments of `plot`.

        Returns
        -------
        display
            Drawn.
        """
        rows = fold_rows(cv_results, X, y, sample_weight, cls.__name__)
        folds = scored_folds(rows, y, **cls._asked(pos_label, response_method))
        name = estimator_name(cv_results["estimator"][0]) if name is None else name
        return cls._drawn(cls._of_folds, folds, name, ax, options)

    @classmethod
    def from_report(
        cls,
        report: Any,
        model: str | None = None,
        *,
        pos_label: Any = None,
        response_method: str = "auto",
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the out-of-fold scores that a report of `cross_validation_report` has kept.

        A fold whose model was not fitted on all classes is left out, and the legend says so.
        Weights are those of the metrics of the report.

        Parameters
        ----------
        report : CrossValidationReport
            One of its metrics has asked for scores or probabilities.
        model : str, default=None
            Name of the model; the only one beside the baseline by default.
        pos_label : int, float, bool or str, default=None
            The positive class of two; by default that of the report.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Which of the kept scores are drawn; "auto" is the first that there are.
        name : str, default=None
            Name in the legend; that of the model by default.
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default.
        **options : dict
            Those of the class, and arguments of `plot`.

        Returns
        -------
        display
            Drawn.
        """
        chosen = report_model(report, model)
        positive = report.positive_class if pos_label is None else pos_label
        asked = cls._asked(positive, response_method)
        rows = report_rows(report, chosen, asked["methods"], cls.__name__, cls.pools)
        folds = scored_folds(rows, report.data.y, **asked)
        return cls._drawn(cls._of_folds, folds, chosen if name is None else name, ax, options)

    @classmethod
    def _asked(cls, pos_label: Any, response_method: str) -> dict[str, Any]:
        """What an estimator is asked for."""
        methods = response_methods(response_method, cls.methods)
        return {"pos_label": pos_label, "methods": methods, "what": cls.__name__}

    @classmethod
    def _drawn(
        cls, make: Callable[..., Self], rows: Any, name: str | None, ax: Any, options: Any
    ) -> Self:
        """The display of rows or of folds, drawn: some options are those of `plot`."""
        drawing = inspect.signature(cls.plot).parameters
        own = {key: value for key, value in options.items() if key not in drawing}
        look = {key: value for key, value in options.items() if key in drawing}
        return make(rows, name, **own).plot(ax, **look)

    def frame(self, *args: Any, **options: Any) -> Any:
        """The numbers behind the picture as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return make_frame(type(self).__name__, self.columns(*args, **options))

"""The doors of displays of scores: predictions, an estimator, folds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing
from skmetrics_ext.plotting.docstrings import document_display
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
from skmetrics_ext.rows import Library, frame_of
from skmetrics_ext.scoring.responses import estimator_name
from skmetrics_ext.validation import Scores
from skmetrics_ext.validation.parameters import ResponseMethod


class Display:
    """A picture, and the numbers behind it."""

    name: str | None = None

    def __repr__(self) -> str:
        named = "" if self.name is None else f" of {self.name}"
        return f"<{type(self).__name__}{named}>"

    def columns(self, *args: Any, **options: Any) -> dict[str, Array]:
        """The numbers behind the picture, as arrays of one length by name."""
        raise NotImplementedError

    def frame(self, *args: Any, library: Library = "pandas", **options: Any) -> Any:
        """The numbers behind the picture as a data frame.

        Parameters
        ----------
        *args, **options
            Those of `columns`, which gives the same as arrays.
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
        return frame_of(self.columns(*args, **options), library, f"{type(self).__name__}.frame")


@document_display
class ScoreDisplay(Display):
    """A picture of scores: what is drawn is computed from checked rows, or from those of folds."""

    methods: ClassVar[tuple[str, ...]] = RESPONSES
    size: ClassVar[tuple[float, float]] = (5.4, 4.4)
    pools: ClassVar[bool] = False  # folds are one set of rows, each of which counts once
    sides: ClassVar[str] = "one"  # of two classes it is of one, or the same from "either"
    name: str | None
    positive: Any

    @classmethod
    def _of_rows(cls, *args: Any, **options: Any) -> Self:
        """The display of checked rows and a name, by the options of the class."""
        raise NotImplementedError

    @classmethod
    def _of_folds(cls, *args: Any, **options: Any) -> Self:
        """The display of folds and a name."""
        raise NotImplementedError

    def _of_report(self, report: Any, model: str) -> Self:
        """The display with the intervals of the summary of a report."""
        return self

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
        {y_true_y_score}
        {score_labels}
        {score_pos_label}
        {sample_weight}
        {model_name}
        {score_options}

        {drawn}
        """
        rows = Scores.check(
            y_true,
            y_score,
            labels=labels,
            pos_label=pos_label,
            sample_weight=sample_weight,
            side=cls.sides,
            what=cls.__name__,
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
        response_method: ResponseMethod = "auto",
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the scores of a fitted estimator; its columns are matched with classes by name.

        Parameters
        ----------
        {estimator_X_y}
        {sample_weight}
        {estimator_pos_label}
        {response_method}
        {estimator_name}
        {score_options}

        {drawn}
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
        {score_pos_label}
        {model_name}
        {score_options}

        {drawn}
        """
        checked = given_folds(folds, n_train, labels, pos_label, cls.sides, cls.__name__)
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
        response_method: ResponseMethod = "auto",
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the test rows of each fold by the model of the fold.

        A fold whose model was not fitted on all classes is left out, and the legend says so.

        Parameters
        ----------
        {cv_results_X_y}
        {sample_weight}
        {estimator_pos_label}
        {response_method}
        {estimator_name}
        {score_options}

        {drawn}
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
        response_method: ResponseMethod = "auto",
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
        {model_of_report}
        pos_label : int, float, bool or str, default=None
            The positive class of two; by default that of the report, which has none where
            nothing said it.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Which of the kept scores are drawn; "auto" is the first that there are.
        name : str, default=None
            Name in the legend; that of the model by default.
        {score_options}

        {drawn}
        """
        chosen = report_model(report, model)
        positive = report.positive_class if pos_label is None else pos_label
        asked = cls._asked(positive, response_method)
        rows = report_rows(report, chosen, asked["methods"], cls.__name__, cls.pools)
        folds = scored_folds(rows, report.data.y, **asked)

        def make(folds: Any, name: Any, **own: Any) -> Any:
            return cls._of_folds(folds, name, **own)._of_report(report, chosen)

        return cls._drawn(make, folds, chosen if name is None else name, ax, options)

    @classmethod
    def _asked(cls, pos_label: Any, response_method: str) -> dict[str, Any]:
        """What an estimator is asked for."""
        methods = response_methods(response_method, cls.methods)
        asked = {"pos_label": pos_label, "sides": cls.sides, "what": cls.__name__}
        return {"methods": methods, **asked}

    @classmethod
    def _drawn(
        cls, make: Callable[..., Self], rows: Any, name: str | None, ax: Any, options: Any
    ) -> Self:
        """The display of rows or of folds, drawn: some options are those of `plot`."""
        of_plot = inspect.signature(cls.plot).parameters
        own = {key: value for key, value in options.items() if key not in of_plot}
        look = {key: value for key, value in options.items() if key in of_plot}
        return make(rows, name, **own).plot(ax, **look)

    # --------------------------------------------------------------------- what pictures share

    def _begin(self, ax: Any, name: str | None, n_curves: int) -> tuple[int, str | None]:
        """Axes; the place of the first curve among those drawn there; the title of the legend.

        The name of several curves is that title, unless others are there.
        """
        self.ax_ = drawing.make_axes(f"{type(self).__name__}.plot", ax, self.size)
        self.figure_ = self.ax_.figure
        self.name = self.name if name is None else name
        place = drawing.places_taken(self.ax_)
        if place:
            drawing.name_curves(self.ax_)
        return place, self.name if n_curves > 1 and not place else None

    @property
    def _event(self) -> str:
        """What the title of an axis says of the positive class."""
        return "" if self.positive is None else f", positive class {self.positive}"

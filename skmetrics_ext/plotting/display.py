"""Constructors that displays share: from predictions, an estimator, folds or a report."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from skmetrics_ext.inference.results import Comparison
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.source import RESPONSES, DisplaySource, Request
from skmetrics_ext.rows import Library, frame_of
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
            Arguments of `columns`, which gives the same numbers as arrays.
        library : {"pandas", "polars"}, default="pandas"
            Library of the frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        return frame_of(self.columns(*args, **options), library, f"{type(self).__name__}.frame")


class SourceDisplay(Display):
    """A picture computed from checked responses of one or several models.

    A display says how it reads a set of rows (``_of_rows``) or folds (``_of_folds``) of each
    model, and how it draws them (``plot``). `document_display` names its options in the
    constructors.
    """

    methods: ClassVar[tuple[str, ...]] = RESPONSES
    size: ClassVar[tuple[float, float]] = (5.4, 4.4)
    pools: ClassVar[bool] = False  # folds are joined into one set, in which each row counts once
    sides: ClassVar[str] = "one"  # "either": the same picture whichever class is positive
    positive: Any = None
    comparison: Comparison | None = None  # of two models, by the metric in the legend

    @classmethod
    def _of_rows(cls, *args: Any, **options: Any) -> Self:
        """Compute the display of one set of rows for each model."""
        raise NotImplementedError

    @classmethod
    def _of_folds(cls, *args: Any, **options: Any) -> Self:
        """Compute the display of the folds of each model."""
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
        """Draw true labels and scores of one or several models.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes), or mapping
            Scores or probabilities of one model: one column for the positive class, or a column
            for each class. A mapping of names to such arrays draws several models; the legend
            shows the difference of two.
        {score_labels}
        {score_pos_label}
        {sample_weight}
        {model_name}
        {display_ax}
        {options}

        {drawn}
        """
        request = cls._request(pos_label)._replace(labels=labels)
        source = DisplaySource.of_predictions(request, y_true, y_score, sample_weight, name)
        return cls._drawn(source, ax, options)

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
        """Draw the responses of fitted estimators, whose columns are matched with classes by name.

        Parameters
        ----------
        estimator : object
            Fitted classifier, or a mapping of names to several.
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True labels.
        {sample_weight}
        {estimator_pos_label}
        {response_method}
        {estimator_name}
        {display_ax}
        {options}

        {drawn}
        """
        request = cls._request(pos_label).using(response_method)
        source = DisplaySource.of_estimator(request, estimator, X, y, sample_weight, name)
        return cls._drawn(source, ax, options)

    @classmethod
    def from_folds(
        cls,
        folds: Iterable[Sequence[Any]] | Mapping[str, Iterable[Sequence[Any]]],
        *,
        n_train: Any = None,
        labels: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the out-of-fold responses of a cross-validation.

        Parameters
        ----------
        folds : iterable of tuple, or mapping
            ``(y_true, predictions)`` or ``(y_true, predictions, sample_weight)`` of each test
            fold; of several models, a mapping of their names to such folds.
        n_train : int or array-like of shape (n_folds,), default=None
            Rows that the model of each fold was fitted on, for intervals of means; by default
            those of all other folds.
        labels : array-like of shape (n_classes,), default=None
            The class of each column; all that occur in any fold by default.
        {score_pos_label}
        {model_name}
        {display_ax}
        {options}

        {drawn}
        """
        request = cls._request(pos_label)._replace(labels=labels)
        return cls._drawn(DisplaySource.of_folds(request, folds, n_train, name), ax, options)

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
        cv_results : dict
            Result of scikit-learn's ``cross_validate(..., return_estimator=True,
            return_indices=True)``, or a mapping of names to several.
        X, y : array-like
            The data that were cross-validated.
        {sample_weight}
        {estimator_pos_label}
        {response_method}
        {estimator_name}
        {display_ax}
        {options}

        {drawn}
        """
        request = cls._request(pos_label).using(response_method)
        source = DisplaySource.of_cv_results(request, cv_results, X, y, sample_weight, name)
        return cls._drawn(source, ax, options)

    @classmethod
    def from_report(
        cls,
        report: Any,
        model: str | Sequence[str] | None = None,
        *,
        pos_label: Any = None,
        response_method: ResponseMethod = "auto",
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the out-of-fold responses that a report of `cross_validation_report` has kept.

        A fold whose model was not fitted on all classes is left out, and the legend says so.
        Weights are those of the metrics of the report.

        Parameters
        ----------
        report : CrossValidationReport
            At least one of its metrics uses the responses that are drawn.
        model : str or sequence of str, default=None
            Names of the models; all but the baseline by default.
        pos_label : int, float, bool or str, default=None
            The positive class of two; by default that of the report.
        {response_method}
        name : str, default=None
            Name of a single model in the legend; its name in the report by default.
        {display_ax}
        {options}

        {drawn}
        """
        positive = report.positive_class if pos_label is None else pos_label
        request = cls._request(positive).using(response_method)
        source = DisplaySource.of_report(request, report, model, name, cls.pools)
        return cls._drawn(source, ax, options, report)

    @classmethod
    def _request(cls, pos_label: Any) -> Request:
        return Request(cls.__name__, cls.methods, cls.sides, pos_label)

    @classmethod
    def _drawn(
        cls, source: DisplaySource, ax: Any, options: Mapping[str, Any], report: Any = None
    ) -> Self:
        """Compute the display and draw it; options that computing does not take are `plot`'s."""
        look = {k: v for k, v in options.items() if k in inspect.signature(cls.plot).parameters}
        computing = {k: v for k, v in options.items() if k not in look}
        if "band" in look and not source.in_folds:
            computing["band"] = look.pop("band")
        return cls._computed(source, report, **computing).plot(ax, **look)

    @classmethod
    def _computed(cls, source: DisplaySource, report: Any = None, **options: Any) -> Self:
        """Compute the display without drawing it, which needs no matplotlib."""
        if not source.in_folds:
            return cls._of_rows(source, **options)
        display = cls._of_folds(source, **options)
        if report is not None:
            display._take_intervals(report, source.names)
        return display

    def _take_intervals(self, report: Any, names: Mapping[Any, str]) -> None:
        """Replace intervals by those of the summary of a report."""

    # --------------------------------------------------------------------- shared by pictures

    def _begin(self, ax: Any, name: str | None, n_curves: int) -> tuple[int, str | None]:
        """Make axes; return the place of the first curve among those there, and a legend title.

        The name of several curves is that title, unless others are there.
        """
        self.ax_ = axes.make_axes(f"{type(self).__name__}.plot", ax, self.size)
        self.figure_ = self.ax_.figure
        self.name = self.name if name is None else name
        place = axes.places_taken(self.ax_)
        if place:
            axes.name_curves(self.ax_)
        return place, self.name if n_curves > 1 and not place else None

    def _end(self, title: str | None, where: str, legend: bool) -> None:
        """Add the positive class and the legend, and make room for all text."""
        if self.positive is not None and legend:
            axes.add_remark(self.ax_, f"positive class: {self.positive}")
        where = "beside" if self.comparison is not None and where != "lower right" else where
        self.legend_ = axes.draw_legend(self.ax_, where, self.size, title) if legend else None
        axes.fit_text(self.ax_)

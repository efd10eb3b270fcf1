"""Displays: constructors that state all of their options, and shared docstring paragraphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from numpy.typing import ArrayLike

from skmetrics_ext._lazy import renamed_argument
from skmetrics_ext.curve_tables import parts
from skmetrics_ext.metrics.documentation import PARAMETERS, document, fill, paragraphs_of
from skmetrics_ext.numeric import Array
from skmetrics_ext.tables import Library, frame_of
from skmetrics_ext.validation import InvalidParameterError

Shown = TypeVar("Shown", bound="type[Display]")


class Door(NamedTuple):
    """A constructor: the function that reads its data, its arguments, and its own options."""

    read: Any
    data: tuple[str, ...]
    options: Mapping[str, Any]
    in_folds: bool = False


_NEEDED, _DEFAULTS = Parameter.empty, {"model": None}  # of positional arguments
_OF_ROWS = {"pos_label": None, "name": None, "by": None}
_OF_MODEL = {**_OF_ROWS, "response_method": "auto"}
_OF_X = {"sample_weight": None, **_OF_MODEL}
_OF_ARRAYS = {"labels": None, "sample_weight": None, **_OF_ROWS}
_OF_FOLDS = {"n_train": None, "labels": None, "pos_label": None, "name": None}
DOORS: Mapping[str, Door] = {
    "from_predictions": Door(parts.of_predictions, ("y_true", "y_score"), _OF_ARRAYS),
    "from_estimator": Door(parts.of_estimator, ("estimator", "X", "y"), _OF_X),
    "from_folds": Door(parts.of_folds, ("folds",), _OF_FOLDS, in_folds=True),
    "from_cv_results": Door(parts.of_cv_results, ("cv_results", "X", "y"), _OF_X, in_folds=True),
    "from_report": Door(parts.of_report, ("report", "model"), _OF_MODEL, in_folds=True),
}


class Display:
    """A picture, and the numbers behind it."""

    name: str | None = None
    doors: ClassVar[Mapping[str, Door]] = {}

    def __repr__(self) -> str:
        named = "" if self.name is None else f" of {self.name}"
        return f"<{type(self).__name__}{named}>"

    def columns(self, *args: Any, **options: Any) -> dict[str, Array]:
        """The numbers behind the picture, as arrays of one length by name."""
        raise NotImplementedError

    def plot(self, *args: Any, **options: Any) -> Self:
        """Draw."""
        raise NotImplementedError

    @classmethod
    def _computing(cls, in_folds: bool) -> Mapping[str, Any]:
        """Options with which the table of rows, or of folds, is computed."""
        return {}

    @classmethod
    def _of_data(cls, door: str, *data: Any, **options: Any) -> Self:
        """The display of data that a constructor takes, computed but not drawn."""
        raise NotImplementedError

    @classmethod
    def _drawn(cls, door: str, *data: Any, ax: Any = None, **options: Any) -> Self:
        """Compute the display and draw it, each with the options it takes."""
        _, _, own, in_folds = cls.doors[door]
        of_data = (*own, *cls._computing(in_folds))
        computing = {key: options.pop(key) for key in of_data if key in options}
        return cls._of_data(door, *data, **computing).plot(ax, **options)

    @renamed_argument("library", "backend")
    def frame(self, *args: Any, backend: Library = "pandas", **options: Any) -> Any:
        """The numbers behind the picture as a data frame.

        Parameters
        ----------
        *args, **options
            Arguments of `columns`, which gives the same numbers as arrays.
        backend : {"pandas", "polars"}, default="pandas"
            Library of the frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        return frame_of(self.columns(*args, **options), backend, f"{type(self).__name__}.frame")


class ModelDisplay(Display):
    """A picture of the responses of one or several models.

    A kind of display computes a table of parts (``_of_data``), and draws it (``plot``).
    `document_display` adds its options to the constructors.
    """

    doors = DOORS

    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_score: Any, **options: Any) -> Self:
        """Draw a picture from true labels and the scores of one or several models.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes), or mapping
            Scores or probabilities of one model: one column for the positive class, or a column
            for each class. A mapping of names to such arrays draws several models; for two, the
            legend shows their difference.
        {score_labels}
        {score_pos_label}
        {sample_weight}
        {model_name}
        {by}
        {display_ax}
        {options}

        {drawn}
        """
        return cls._drawn("from_predictions", y_true, y_score, **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike, y: ArrayLike, **options: Any) -> Self:
        """Draw a picture from fitted estimators, whose columns are matched with classes by name.

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
        {by}
        {display_ax}
        {options}

        {drawn}
        """
        return cls._drawn("from_estimator", estimator, X, y, **options)

    @classmethod
    def from_folds(cls, folds: Any, **options: Any) -> Self:
        """Draw a picture from the out-of-fold predictions of a cross-validation.

        Parameters
        ----------
        folds : iterable of tuple, or mapping
            ``(y_true, predictions)`` or ``(y_true, predictions, sample_weight)`` of each test
            fold. A mapping of names to such folds draws several models.
        n_train : int or array-like of shape (n_folds,), default=None
            Number of rows that the model of each fold was fitted on, for intervals of means; by
            default the rows of all other folds.
        labels : array-like of shape (n_classes,), default=None
            The class of each column; by default all classes that occur in any fold, sorted.
        {score_pos_label}
        {model_name}
        {display_ax}
        {options}

        {drawn}
        """
        return cls._drawn("from_folds", folds, **options)

    @classmethod
    def from_cv_results(
        cls, cv_results: Mapping[str, Any], X: ArrayLike, y: ArrayLike, **options: Any
    ) -> Self:
        """Draw a picture from scikit-learn's ``cross_validate``: test rows, by their fold's model.

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
        {by}
        {display_ax}
        {options}

        {drawn}
        """
        return cls._drawn("from_cv_results", cv_results, X, y, **options)

    @classmethod
    def from_report(
        cls, report: Any, model: str | Sequence[str] | None = None, **options: Any
    ) -> Self:
        """Draw a picture from the out-of-fold predictions of a `cross_validation_report`.

        A fold whose model was not fitted on all classes is left out, and the legend says so. Rows
        have the weights that the metrics of the report use.

        Parameters
        ----------
        report : CrossValidationReport
            A report with a metric that uses the same responses as the picture.
        model : str or sequence of str, default=None
            Names of the models; all but the baseline by default.
        pos_label : int, float, bool or str, default=None
            The positive class of two; by default the positive class of the report.
        {response_method}
        name : str, default=None
            Name of a single model in the legend; by default its name in the report.
        {by}
        {display_ax}
        {options}

        {drawn}
        """
        return cls._drawn("from_report", parts.check_report(report), model, **options)


# --------------------------------------------------------------------------- documentation


class DisplayParagraphs:
    """Docstring paragraphs that displays share, each after its name in braces.

    {curve_options}
    - ``band`` (one set of rows): band around each curve, computed by `curve_band`: "pointwise",
      "simultaneous" or None; "auto" is "pointwise" for up to 4 curves and 20,000 rows (more rows
      give a narrow band and take seconds);
    - ``interval`` (one set of rows): method of the interval in the legend, as in
      `confidence_interval`; None for no interval;
    - ``groups`` (one set of rows): groups of rows that depend on each other;
    - ``confidence_level=0.95``: level of all intervals;

    {class_options}
    - ``curves``: classes to draw; with more than two, each against the rest;

    {average_options}
    - ``curves``: curves to draw, by class, "micro" or "macro"; all by default, but only "macro" for
      folds and for several models with more than two classes;

    {curve_parameters}
    name : str, default=None
        Name of the model, if there is one.
    positive : object, default=None
        The positive class, for binary data.
    undefined : mapping of int to str, default=None
        Folds that have no curve, and why; with several models by (model, fold).
    comparison : Estimate, default=None
        Difference between two models, first minus second, as `compare` returns it.

    {curve_attributes}
    ax_, figure_ : matplotlib axes and figure
    lines_, fold_lines_ : list of matplotlib lines
        The curves, or their means over folds; and the curves of the folds.
    line_ : matplotlib line
        The first of ``lines_``.
    notes : tuple of str
        Notes on the numbers that have a star in the legend.

    {score_pos_label}
    pos_label : int, float, bool or str, default=None
        The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or {-1, 1},
        or True. Other labels require it, except in confusion matrices, and in ROC curves of a
        column for each class, where the later class is positive (the curve is the same).

    {estimator_pos_label}
    pos_label : int, float, bool or str, default=None
        The positive class of two. By default 1 of {0, 1} or {-1, 1}, or True. Other labels require
        it, except in confusion matrices, and in ROC curves, where ``classes_[1]`` is positive (the
        curve is the same).

    {by}
    by : array-like, data frame or mapping, default=None
        Groups of the rows of a single model, as in `compute_metrics`: a curve (or matrix) is drawn
        for each group.

    {response_method}
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        Method that returns the scores; "auto" is the first that the model has.

    {model_name}
    name : str, default=None
        Name of a single model in the legend; several are named by the keys of their mapping.

    {estimator_name}
    name : str, default=None
        Name in the legend; by default the class of the estimator.

    {display_ax}
    ax : matplotlib axes, default=None
        Where to draw; a new figure by default. On the axes of another display of the same kind,
        the curves are added.

    {curve_ax}
    ax : matplotlib axes, default=None
        Where to draw; a new figure by default. On the axes of another display of the same kind,
        the curves are added with other colours, dashes and markers.

    {curve_drawing}
    reference : bool, default=True
        Whether to draw reference lines such as chance.
    legend : bool, default=True
        Whether to draw a legend.
    curve_kwargs : dict, default=None
        Arguments for the curves of matplotlib's ``plot``, or of its ``errorbar`` for points with
        intervals, which override the defaults.

    {drawn}
    Returns
    -------
    display
        The display, drawn.

    {axes}
    ax : matplotlib axes or sequence of them, default=None
        Where to draw, one for each panel; a new figure by default.
    """


BLOCKS = PARAMETERS | paragraphs_of(DisplayParagraphs)


def document_display(display: Shown) -> Shown:
    """Fill in the shared paragraphs of a display's docstrings, and name its options.

    Constructors take ``**options``: each gets a signature and a docstring with the options of this
    display, and rejects others.
    """
    for name, door in display.doors.items():
        function = getattr(display, name).__func__
        setattr(display, name, classmethod(_with_named_options(function, door, display)))
    return document(display, BLOCKS)


def _with_named_options(
    function: Callable[..., Any], door: Door, display: type[Display]
) -> Callable[..., Any]:
    """A constructor whose signature lists the options that this display computes and draws with."""
    shared = {**door.options, "ax": None}
    taken = {*shared, *door.data}
    computing = {k: v for k, v in display._computing(door.in_folds).items() if k not in taken}
    taken |= computing.keys()
    drawn: Mapping[str, Any] = display.plot.__kwdefaults__ or {}
    drawing = {k: v for k, v in drawn.items() if k not in taken}
    accepted = {**shared, **computing, **drawing}

    @wraps(function)
    def construct(cls: Any, *args: Any, **options: Any) -> Any:
        unknown = [key for key in options if key not in accepted and key not in door.data]
        if unknown:
            raise InvalidParameterError(
                f"{cls.__name__}.{function.__name__} takes no {' and no '.join(unknown)}; its "
                f"options are {[*computing, *drawing]}."
            )
        return function(cls, *args, **options)

    kind = Parameter.POSITIONAL_OR_KEYWORD
    data = [Parameter(key, kind, default=_DEFAULTS.get(key, _NEEDED)) for key in door.data]
    others = [Parameter(key, Parameter.KEYWORD_ONLY, default=v) for key, v in accepted.items()]
    shown: Any = construct
    shown.__signature__ = Signature([Parameter("cls", kind), *data, *others])
    paragraphs = [
        f"{', '.join(computing)} : options of the display\n    See the class." if computing else "",
        f"{', '.join(drawing)} : options of the drawing\n    See `plot`." if drawing else "",
    ]
    if function.__doc__:  # absent under python -OO
        described = {"options": "\n".join(filter(None, paragraphs))}
        construct.__doc__ = fill(function.__doc__, BLOCKS | described)
    return construct

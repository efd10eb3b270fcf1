"""Confusion matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np

from skmetrics_ext.metrics.labels.accuracy import confusion_matrix
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.plotting import drawing, fitting
from skmetrics_ext.plotting.display import Display
from skmetrics_ext.plotting.docstrings import document_display
from skmetrics_ext.plotting.lines import objects
from skmetrics_ext.plotting.scored import FoldRows, fold_rows, report_model, report_rows
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.containers import read_array

_SHARES = {
    "true": ("Share of the true class", -1),
    "pred": ("Share of the predicted class", -2),
    "all": ("Share of all rows", (-1, -2)),
}
_LETTER = 0.09  # inches
_LINE, _SHORT = 24, 12  # letters of a line of a name, and of one that needs no room
_FEW, _MANY = 12, 30  # classes whose cells hold a count and a rate, and a count


@document_display
class ConfusionMatrixDisplay(Display):
    """Confusion matrix with the count and the rate in each cell, coloured by the rate.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results`` or ``from_report``.

    Parameters
    ----------
    confusion_matrix : array-like of shape (n_classes, n_classes)
        Counts; rows are the true class, columns the predicted.
    display_labels : array-like of shape (n_classes,), default=None
        Names of the classes; their numbers by default.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    im_ : matplotlib image
    text_ : ndarray of shape (n_classes, n_classes)
        The text of each cell; None where the classes are too many.
    colorbar_ : matplotlib colorbar or None

    See Also
    --------
    confusion_matrix : The numbers.

    Examples
    --------
    >>> from skmetrics_ext import ConfusionMatrixDisplay
    >>> display = ConfusionMatrixDisplay.from_predictions([0, 0, 1, 1], [0, 1, 1, 1])
    >>> display.columns()["count"].tolist(), display.columns()["rate"].tolist()
    ([1, 1, 0, 2], [0.5, 0.5, 0.0, 1.0])
    """

    def __init__(self, confusion_matrix: Any, *, display_labels: Any = None) -> None:
        self.confusion_matrix = read_array("confusion_matrix", confusion_matrix)
        names = range(len(self.confusion_matrix)) if display_labels is None else display_labels
        self.display_labels = list(np.asarray(names).tolist())
        if self.confusion_matrix.shape != (len(self.display_labels),) * 2:
            raise InvalidParameterError(
                f"confusion_matrix has shape {self.confusion_matrix.shape}, and display_labels "
                f"names {len(self.display_labels)} classes."
            )
        self.normalize: str | None = "true"

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        display_labels: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw true and predicted labels.

        Parameters
        ----------
        {y_true_y_pred}
        {labels}
        {sample_weight}
        {display_labels}
        {ax}
        {plot_options}

        {drawn}
        """
        if labels is None:
            labels = _classes(y_true, y_pred)
        table = confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        names = labels if display_labels is None else display_labels
        return cls(table, display_labels=names).plot(ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        display_labels: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the predictions of a fitted estimator.

        Parameters
        ----------
        {estimator_X_y}
        labels : array-like of shape (n_classes,), default=None
            The classes and their order; those of the estimator and of the rows by default.
        {sample_weight}
        {display_labels}
        {ax}
        {plot_options}

        {drawn}
        """
        predicted = estimator.predict(X)
        if labels is None:
            labels = _classes(y, predicted, getattr(estimator, "classes_", None))
        options |= {"labels": labels, "display_labels": display_labels, "ax": ax}
        return cls.from_predictions(y, predicted, sample_weight=sample_weight, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        display_labels: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the sum of the confusion matrices of the test folds.

        Parameters
        ----------
        {cv_results_X_y}
        {labels}
        {sample_weight}
        {display_labels}
        {ax}
        {plot_options}

        {drawn}
        """
        folds = fold_rows(cv_results, X, y, sample_weight, cls.__name__)
        options |= {"labels": labels, "display_labels": display_labels, "ax": ax}
        return cls._from_folds(folds, **options)

    @classmethod
    def from_report(
        cls,
        report: Any,
        model: str | None = None,
        *,
        labels: Any = None,
        display_labels: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the out-of-fold labels that a report of `cross_validation_report` has kept.

        Of repeated folds, the first prediction of each row. Weights are those of the metrics of
        the report.

        Parameters
        ----------
        report : CrossValidationReport
            One of its metrics is of labels.
        {model_of_report}
        {labels}
        {display_labels}
        {ax}
        {plot_options}

        {drawn}
        """
        chosen = report_model(report, model)
        folds = report_rows(report, chosen, ("predict",), cls.__name__, True)
        options |= {"labels": labels, "display_labels": display_labels, "ax": ax}
        return cls._from_folds(folds, **options)

    @classmethod
    def _from_folds(cls, folds: Iterable[FoldRows], **options: Any) -> Self:
        parts = [
            (
                read_array("y", fold.y),
                read_array("predict", fold.estimator.predict(fold.X)),
                fold.weight,
            )
            for fold in folds
            if not fold.reason
        ]
        true, predicted, weights = zip(*parts, strict=True)
        return cls.from_predictions(
            np.concatenate(true),
            np.concatenate(predicted),
            sample_weight=None if weights[0] is None else np.concatenate(weights),
            **options,
        )

    @property
    def rates(self) -> Array:
        """The counts over the sums that ``normalize`` of `plot` says; nan where that is 0."""
        table = self.confusion_matrix
        axis: Any = _SHARES[self.normalize or "true"][1]
        return divide(table, table.sum(axis=axis, keepdims=True))

    def columns(self) -> dict[str, Array]:
        """The numbers behind the picture.

        Returns
        -------
        dict of str to ndarray
            ``true``, ``predicted``, ``count`` and ``rate`` of each cell, row by row.
        """
        names = objects(self.display_labels)
        return {
            "true": np.repeat(names, len(names)),
            "predicted": np.tile(names, len(names)),
            "count": self.confusion_matrix.ravel(),
            "rate": self.rates.ravel(),
        }

    # --------------------------------------------------------------------- drawing

    def plot(
        self,
        ax: Any = None,
        *,
        normalize: Literal["true", "pred", "all"] | None = "true",
        cmap: Any = "Blues",
        colorbar: bool = True,
    ) -> Self:
        """Draw the table.

        Parameters
        ----------
        {ax}
        normalize : {"true", "pred", "all"} or None, default="true"
            Rates are shares of the rows of a true class (recall on the diagonal), of a
            predicted class (precision), or of all rows. None shows and colours counts alone.
        cmap : str or matplotlib colour map, default="Blues"
            Of one hue, so that it is read in print too.
        colorbar : bool, default=True
            Whether to draw the scale of the colours.

        Returns
        -------
        ConfusionMatrixDisplay
            This display.
        """
        check_option("normalize", normalize, (*_SHARES, None))
        self.normalize = normalize
        table, n_classes = self.confusion_matrix, len(self.display_labels)
        side = min(max(4.4, 0.62 * n_classes + 1.2), 14.0)
        new = ax is None
        names = [fitting.wrap(name, _LINE) for name in self.display_labels]
        more = _LETTER * max(fitting.longest(names) - _SHORT, 0)  # which names take
        size = (side + 0.9 + more, side + more)
        self.ax_ = ax = drawing.make_axes("ConfusionMatrixDisplay.plot", ax, size)
        self.figure_ = ax.figure
        _clear(ax)
        ax.spines[:].set_visible(False)
        shown = table.astype(np.float64) if normalize is None else np.nan_to_num(self.rates)
        top = max(float(shown.max(initial=0.0)), 1e-12) if normalize in (None, "all") else 1.0
        self.im_ = ax.imshow(shown, cmap=cmap, vmin=0.0, vmax=top)
        places = range(n_classes)
        crowded = fitting.longest(names) * _LETTER > side / (n_classes + 1)
        turned: Any = {"rotation": 45, "ha": "right"} if crowded else {}
        ax.set_xticks(places, names, **turned)
        ax.set_yticks(places, names)
        ax.tick_params(length=0)
        ax.set(xlabel="Predicted class", ylabel="True class")
        self._draw_text(ax, shown / top, side if new else None)
        self.colorbar_ = None
        if colorbar:
            title = "Count" if normalize is None else _SHARES[normalize][0]
            self.colorbar_ = ax.figure.colorbar(self.im_, ax=ax, label=title, shrink=0.85)
            self.colorbar_.outline.set_visible(False)
        fitting.settle(ax)
        return self

    def _draw_text(self, ax: Any, depth: Array, side: float | None) -> None:
        n_classes = len(self.display_labels)
        self.text_ = np.full((n_classes, n_classes), None, dtype=object)
        if n_classes > _MANY:
            return
        width = side if side is not None else ax.get_window_extent().width / ax.figure.dpi
        size = min(11.0, max(4.0, 72 * width / n_classes / 5))
        rates = self.rates
        for row, column in np.ndindex(n_classes, n_classes):
            text = _count(self.confusion_matrix[row, column])
            if self.normalize is not None and n_classes <= _FEW:
                rate = rates[row, column]
                text += "\n–" if np.isnan(rate) else f"\n{100 * rate:.1f}%"
            # White is read on the darker half of the map alone.
            shade = self.im_.cmap(depth[row, column])
            dark = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] < 0.55
            look = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
            self.text_[row, column] = ax.text(column, row, text, fontsize=size, **look)


def _clear(ax: Any) -> None:
    """Take away the matrix that is there: two of them cannot both be read."""
    for image in [*ax.images]:
        if image.colorbar is not None:
            image.colorbar.remove()
        image.remove()
    for text in [*ax.texts]:
        text.remove()


def _count(value: Any) -> str:
    return f"{int(value):d}" if float(value).is_integer() else f"{float(value):.4g}"


def _classes(y_true: Any, y_pred: Any, known: Any = None) -> list[Any]:
    """All classes that occur, and those of the model."""
    occur = Labels.check(y_true, y_pred).classes.tolist()
    lacking = set() if known is None else set(read_array("classes_", known).tolist()) - set(occur)
    return sorted({*occur, *lacking}) if lacking else occur

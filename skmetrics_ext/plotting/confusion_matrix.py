"""Confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.curve_tables import matrices
from skmetrics_ext.curve_tables.parts import Request
from skmetrics_ext.curve_tables.pictures import difference_text
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.display import DOORS, Door, ModelDisplay, document_display
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_array
from skmetrics_ext.validation.encoding import objects

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHARES = {
    "true": ("Share of the true class", -1),
    "pred": ("Share of the predicted class", -2),
    "all": ("Share of all rows", (-1, -2)),
}
_LETTER = 0.09  # inches
_LINE, _SHORT = 24, 12  # letters of a line of a name, and of one that needs no extra room
_FEW, _MANY = 12, 30  # most classes with a count and a rate in each cell, and with a count


@document_display
class ConfusionMatrixDisplay(ModelDisplay):
    """Confusion matrix with the count and the rate in each cell, coloured by the rate.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_folds`` (the sum
    over folds) or ``from_report`` (with repeated folds, the first prediction of each row), with
    these options:

    - ``labels``: classes in order; by default all that occur, sorted, with ``pos_label`` last;
    - ``display_labels``: names of the classes; the labels by default;
    - ``confidence_level=0.95``: level of the intervals of the accuracies, which the titles of
      several models show;
    - ``groups``: groups of rows that depend on each other, for these intervals.

    Parameters
    ----------
    confusion_matrix : array-like of shape (n_classes, n_classes), or mapping
        Counts, with a row for each true class and a column for each predicted class. A mapping of
        names to such tables draws several models.
    display_labels : array-like of shape (n_classes,), default=None
        Names of the classes; their numbers by default.
    name : str, default=None
        Name of a single model, the title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    axes_ : ndarray of matplotlib axes
        One for each model; ``ax_`` is the first.
    im_ : matplotlib image
    text_ : ndarray of shape (n_classes, n_classes)
        The text of each cell of the last model; None if there are too many classes.
    colorbar_ : matplotlib colorbar or None
    accuracies : mapping of str to Estimate
        Accuracy of each of several models.
    comparison : Estimate or None
        Difference in accuracy of two models.

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

    doors: ClassVar[Mapping[str, Door]] = {
        **DOORS,
        "from_predictions": DOORS["from_predictions"]._replace(data=("y_true", "y_pred")),
    }

    def __init__(
        self,
        confusion_matrix: Any,
        *,
        display_labels: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        self._several = isinstance(confusion_matrix, Mapping)
        tables = confusion_matrix if self._several else {name: confusion_matrix}
        arrays = [read_array("confusion_matrix", table) for table in tables.values()]
        names = range(len(arrays[0])) if display_labels is None else display_labels
        self.name = name
        self.display_labels = list(np.asarray(names).tolist())
        for table in arrays:
            if table.shape != (len(self.display_labels),) * 2:
                raise InvalidParameterError(
                    f"confusion_matrix has shape {table.shape}, and display_labels names "
                    f"{len(self.display_labels)} classes."
                )
        self._models, self._counts = list(tables), np.stack(arrays)  # a matrix for each model
        self.confusion_matrix = self._by_model(self._counts)
        self.normalize: str | None = "true"
        self.accuracies: dict[Any, Estimate] = {}
        self.comparison: Estimate | None = None

    @classmethod
    def from_predictions(  # type: ignore[override]  # the argument is called y_pred
        cls, y_true: ArrayLike, y_pred: Any, **options: Any
    ) -> Self:
        """Draw a matrix from true labels and the predicted labels of one or several models.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_pred : array-like of shape (n_samples,), or mapping
            Predicted labels; a mapping of names to such arrays draws a matrix for each model.
        {labels}
        pos_label : int, float, bool or str, default=None
            The class that comes last, unless ``labels`` gives the order.
        {sample_weight}
        {model_name}
        {by}
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default.
        {options}

        {drawn}
        """
        return super().from_predictions(y_true, y_pred, **options)

    @classmethod
    def _computing(cls, in_folds: bool) -> Mapping[str, Any]:
        """Options with which the table is computed."""
        return {"labels": None, "display_labels": None, "confidence_level": 0.95, "groups": None}

    @classmethod
    def _of_data(cls, door: str, *data: Any, display_labels: Any = None, **options: Any) -> Self:
        """The display of data that a constructor takes, computed but not drawn."""
        request = Request(cls.__name__, matrices.METHODS, "none", True).taking(options)
        table = matrices.matrices_of(DOORS[door].read(request, *data), **options)
        names = table.labels if display_labels is None else display_labels
        if len(table.counts) == 1:
            ((name, counts),) = table.counts.items()
            return cls(counts, display_labels=names, name=name)
        display = cls(table.counts, display_labels=names)
        display.accuracies, display.comparison = table.accuracies, table.comparison
        return display

    def _by_model(self, tables: Array) -> Any:
        """Tables of several models by name, or the table of a single model."""
        return dict(zip(self._models, tables, strict=True)) if self._several else tables[0]

    @property
    def rates(self) -> Any:
        """Counts as shares of the rows that ``normalize`` of `plot` names; nan without such rows.

        With several models, a mapping by name.
        """
        return self._by_model(self._rates())

    def _rates(self) -> Array:
        axis: Any = _SHARES[self.normalize or "true"][1]
        return divide(self._counts, self._counts.sum(axis=axis, keepdims=True))

    def columns(self) -> dict[str, Array]:
        """The numbers behind the picture.

        Returns
        -------
        dict of str to ndarray
            ``model`` (if there are several), ``true``, ``predicted``, ``count`` and ``rate`` of
            each cell, row by row.
        """
        names, n_models = objects(self.display_labels), len(self._models)
        n_classes = len(names)
        of_models = {"model": np.repeat(objects(self._models), n_classes**2)}
        return (of_models if self._several else {}) | {
            "true": np.tile(np.repeat(names, n_classes), n_models),
            "predicted": np.tile(names, n_classes * n_models),
            "count": self._counts.ravel(),
            "rate": self._rates().ravel(),
        }

    # --------------------------------------------------------------------- drawing

    def plot(
        self,
        ax: Axes | None = None,
        *,
        normalize: Literal["true", "pred", "all"] | None = "true",
        cmap: Any = "Blues",
        colorbar: bool = True,
    ) -> Self:
        """Draw the table.

        Parameters
        ----------
        {axes}
        normalize : {"true", "pred", "all"} or None, default="true"
            Rates are shares of the rows of a true class (recall on the diagonal), of a
            predicted class (precision), or of all rows. None shows counts, and colours by them.
        cmap : str or matplotlib colour map, default="Blues"
            A map of one hue also reads well in print.
        colorbar : bool, default=True
            Whether to draw the scale of the colours.

        Returns
        -------
        ConfusionMatrixDisplay
            This display.
        """
        check_option("normalize", normalize, (*_SHARES, None))
        self.normalize = normalize
        n_classes, n_models = len(self.display_labels), len(self._models)
        side = min(max(4.4, 0.62 * n_classes + 1.2), 14.0)
        names = [axes.wrap(name, _LINE) for name in self.display_labels]
        panel_side = side + _LETTER * max(axes.longest(names) - _SHORT, 0)  # room for long names
        n_rows = -(-n_models // axes.PER_ROW)
        size = (min(n_models, axes.PER_ROW) * panel_side + 0.9, n_rows * panel_side)
        what, place = (
            "ConfusionMatrixDisplay.plot",
            f"one axes for each of the models {self._models}",
        )
        is_alone = n_models == 1 and ax is None
        self.axes_ = (
            np.array([axes.make_axes(what, None, size)])
            if is_alone
            else axes.make_panels(what, ax, size, n_models, place)
        )
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        shown = self._counts if normalize is None else np.nan_to_num(self._rates())
        top = 1.0
        if normalize in (None, "all"):
            top = max(float(shown.max(initial=0.0)), 1e-12)
        is_crowded = axes.longest(names) * _LETTER > side / (n_classes + 1)
        rotation: Any = {"rotation": 45, "ha": "right"} if is_crowded else {}
        self.text_ = np.full((n_classes, n_classes), None, dtype=object)
        for k, panel in enumerate(self.axes_):
            _clear(panel)
            panel.spines[:].set_visible(False)
            self.im_ = panel.imshow(shown[k], cmap=cmap, vmin=0.0, vmax=top)
            panel.set_xticks(range(n_classes), names, **rotation)
            panel.set_yticks(range(n_classes), names)
            panel.tick_params(length=0)
            panel.set(xlabel="Predicted class", ylabel="True class")
            panel.set_title(self._title(self._models[k]), fontsize="medium")
            width = side if ax is None else panel.get_window_extent().width / self.figure_.dpi
            if n_classes <= _MANY:
                letters = min(11.0, max(4.0, 72 * width / n_classes / 5))
                self._draw_text(panel, self._counts[k], self._rates()[k], shown[k] / top, letters)
        if self.comparison is not None:
            text = difference_text(self._models, matrices.VALUE_NAME, self.comparison)
            self.figure_.supxlabel(text.replace("\n", " "), fontsize="medium")
        self.colorbar_ = None
        if colorbar:
            title = "Count" if normalize is None else _SHARES[normalize][0]
            look = {"ax": list(self.axes_) if n_models > 1 else self.ax_, "shrink": 0.85}
            if is_alone:
                look = {"cax": self.ax_.inset_axes([1.04, 0.075, 0.05, 0.85])}
            self.colorbar_ = self.figure_.colorbar(self.im_, label=title, **look)
            self.colorbar_.outline.set_visible(False)
        for panel in self.axes_:
            axes.fit_text(panel)
        return self

    def _title(self, name: Any) -> str:
        title = axes.wrap(name or "", 2 * _LINE)
        if name not in self.accuracies:
            return title
        return f"{title}\naccuracy {self.accuracies[name]:z.3f}"

    def _draw_text(
        self, ax: Any, counts: Array, rates: Array, shades: Array, letters: float
    ) -> None:
        """Write the count and the rate of each cell; ``shades`` are positions on the colour map."""
        for cell in np.ndindex(counts.shape):
            count, rate = float(counts[cell]), rates[cell]
            text = f"{count:.0f}" if count.is_integer() else f"{count:.4g}"
            if self.normalize is not None and len(counts) <= _FEW:
                text += "\n–" if np.isnan(rate) else f"\n{100 * rate:.1f} %"
            # White is legible only on dark cells.
            red, green, blue, _ = self.im_.cmap(shades[cell])
            is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
            look = {"ha": "center", "va": "center", "color": "white" if is_dark else "black"}
            self.text_[cell] = ax.text(*cell[::-1], text, fontsize=letters, **look)


def _clear(ax: Any) -> None:
    """Remove the matrix of an earlier display, which would show through."""
    for image in [*ax.images]:
        if image.colorbar is not None:
            image.colorbar.remove()
        image.remove()
    for text in [*ax.texts]:
        text.remove()

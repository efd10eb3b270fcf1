"""Confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from skmetrics_ext.inference.compare import compare
from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.results import Comparison, Estimate
from skmetrics_ext.metrics.labels.accuracy import accuracy_score, confusion_matrix
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import difference_text
from skmetrics_ext.plotting.display import SourceDisplay
from skmetrics_ext.plotting.documentation import document_display
from skmetrics_ext.plotting.source import DisplaySource, objects
from skmetrics_ext.registry import find
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.containers import read_array

_SHARES = {
    "true": ("Share of the true class", -1),
    "pred": ("Share of the predicted class", -2),
    "all": ("Share of all rows", (-1, -2)),
}
_LETTER = 0.09  # inches
_LINE, _SHORT = 24, 12  # letters of a line of a name, and of one that needs no extra room
_FEW, _MANY = 12, 30  # most classes with a count and a rate in each cell, and with a count


@document_display
class ConfusionMatrixDisplay(SourceDisplay):
    """Confusion matrix with the count and the rate in each cell, coloured by the rate.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_folds`` (the sum
    over the folds) or ``from_report`` (of repeated folds, the first prediction of each row), with
    these options:

    - ``labels``: the classes and their order; all that occur, sorted, by default, and
      ``pos_label`` last;
    - ``display_labels``: names of the classes; the labels by default;
    - ``confidence_level=0.95`` and ``groups`` (groups of rows that depend on each other) of the
      accuracies, which the titles of several models show.

    Parameters
    ----------
    confusion_matrix : array-like of shape (n_classes, n_classes), or mapping
        Counts; rows are the true class, columns the predicted. Of several models by name.
    display_labels : array-like of shape (n_classes,), default=None
        Names of the classes; their numbers by default.
    name : str, default=None
        Name of one model, the title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    axes_ : ndarray of matplotlib axes
        One for each model; ``ax_`` is the first.
    im_ : matplotlib image
    text_ : ndarray of shape (n_classes, n_classes)
        The text of each cell; None where the classes are too many. Of the last model.
    colorbar_ : matplotlib colorbar or None
    accuracies : mapping of str to Estimate
        Accuracy of each of several models.
    comparison : Comparison or None
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

    methods: ClassVar[tuple[str, ...]] = ("predict",)
    pools: ClassVar[bool] = True
    sides: ClassVar[str] = "none"

    def __init__(
        self, confusion_matrix: Any, *, display_labels: Any = None, name: str | None = None
    ) -> None:
        several = isinstance(confusion_matrix, Mapping)
        given = confusion_matrix if several else {name: confusion_matrix}
        self.matrices = {key: read_array("confusion_matrix", table) for key, table in given.items()}
        first = next(iter(self.matrices.values()))
        self.confusion_matrix = self.matrices if several else first
        self.name = name
        names = range(len(first)) if display_labels is None else display_labels
        self.display_labels = list(np.asarray(names).tolist())
        for table in self.matrices.values():
            if table.shape != (len(self.display_labels),) * 2:
                raise InvalidParameterError(
                    f"confusion_matrix has shape {table.shape}, and display_labels names "
                    f"{len(self.display_labels)} classes."
                )
        self.normalize: str | None = "true"
        self.accuracies: dict[Any, Estimate] = {}
        self.comparison: Comparison | None = None

    @classmethod
    def from_predictions(  # type: ignore[override]  # labels, which are called y_pred
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw true and predicted labels of one or several models.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_pred : array-like of shape (n_samples,), or mapping
            Predicted labels; a mapping of names to such arrays draws a matrix for each model.
        {labels}
        pos_label : int, float, bool or str, default=None
            The class that comes last, where ``labels`` do not give an order.
        {sample_weight}
        {model_name}
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default.
        {options}

        {drawn}
        """
        options |= {"labels": labels, "pos_label": pos_label, "ax": ax}
        return super().from_predictions(
            y_true, y_pred, sample_weight=sample_weight, name=name, **options
        )

    @classmethod
    def _of_rows(
        cls,
        source: DisplaySource,
        *,
        labels: Any = None,
        display_labels: Any = None,
        confidence_level: float = 0.95,
        groups: Any = None,
    ) -> Self:
        models, request = source.labels(), source.request
        labels = request.labels if labels is None else labels
        if labels is None:
            occurring = [
                Labels.check(true, pred).classes.tolist() for true, pred, _ in models.values()
            ]
            classes = {
                label
                for labels_of_one in (*occurring, source.fitted_classes())
                for label in labels_of_one
            }
            labels = sorted(classes) if len(classes) > len(occurring[0]) else occurring[0]
            if request.pos_label in labels:
                labels = [*(k for k in labels if k != request.pos_label), request.pos_label]
        tables = {
            name: confusion_matrix(true, pred, labels=labels, sample_weight=weight)
            for name, (true, pred, weight) in models.items()
        }
        several, names = len(tables) > 1, labels if display_labels is None else display_labels
        name, table = next(iter(tables.items()))
        display = cls(tables if several else table, display_labels=names,
                      name=None if several else name)  # fmt: skip
        if several and not source.in_folds:
            display._compare(models, {"confidence_level": confidence_level, "groups": groups})
        return display

    @classmethod
    def _of_folds(cls, source: DisplaySource, **options: Any) -> Self:
        return cls._of_rows(source, **options)

    def _compare(self, models: Mapping[Any, tuple[Any, Any, Any]], design: dict[str, Any]) -> None:
        """Accuracy of each model, and the difference of two."""
        for name, (true, pred, weight) in models.items():
            estimate = confidence_interval(
                accuracy_score, true, pred, sample_weight=weight, **design
            )
            assert isinstance(estimate, Estimate)
            self.accuracies[name] = estimate
        if len(models) == 2:
            (true, first, weight), (_, second, _) = models.values()
            self.comparison = compare(
                accuracy_score, true, first, second, sample_weight=weight, **design
            )

    @property
    def rates(self) -> Any:
        """Counts divided by the sums that ``normalize`` of `plot` names; nan where these are 0.

        Of several models by name.
        """
        rates = {name: self._rates(table) for name, table in self.matrices.items()}
        return rates if isinstance(self.confusion_matrix, dict) else next(iter(rates.values()))

    def _rates(self, table: Array) -> Array:
        axis: Any = _SHARES[self.normalize or "true"][1]
        return divide(table, table.sum(axis=axis, keepdims=True))

    def columns(self) -> dict[str, Array]:
        """The numbers behind the picture.

        Returns
        -------
        dict of str to ndarray
            ``model`` (where there are several), ``true``, ``predicted``, ``count`` and ``rate``
            of each cell, row by row.
        """
        names, tables = objects(self.display_labels), list(self.matrices.values())
        n_classes = len(names)
        table = {
            "true": np.tile(np.repeat(names, n_classes), len(tables)),
            "predicted": np.tile(names, n_classes * len(tables)),
            "count": np.concatenate([counts.ravel() for counts in tables]),
            "rate": np.concatenate([self._rates(counts).ravel() for counts in tables]),
        }
        if isinstance(self.confusion_matrix, dict):
            table = {"model": np.repeat(objects(list(self.matrices)), n_classes**2)} | table
        return table

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
        {axes}
        normalize : {"true", "pred", "all"} or None, default="true"
            Rates are shares of the rows of a true class (recall on the diagonal), of a
            predicted class (precision), or of all rows. None shows and colours counts alone.
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
        n_classes, n_models = len(self.display_labels), len(self.matrices)
        side = min(max(4.4, 0.62 * n_classes + 1.2), 14.0)
        names = [axes.wrap(name, _LINE) for name in self.display_labels]
        more = _LETTER * max(axes.longest(names) - _SHORT, 0)  # for long names
        n_rows = -(-n_models // axes.PER_ROW)
        size = (min(n_models, axes.PER_ROW) * (side + more) + 0.9, n_rows * (side + more))
        what = f"one axes for each of the models {list(self.matrices)}"
        self.axes_ = axes.make_panels("ConfusionMatrixDisplay.plot", ax, size, n_models, what)
        self.ax_ = self.axes_[0]
        self.figure_ = self.ax_.figure
        shown = {
            key: table.astype(np.float64)
            if normalize is None
            else np.nan_to_num(self._rates(table))
            for key, table in self.matrices.items()
        }
        highest = max(float(values.max(initial=0.0)) for values in shown.values())
        top = max(highest, 1e-12) if normalize in (None, "all") else 1.0
        crowded = axes.longest(names) * _LETTER > side / (n_classes + 1)
        turned: Any = {"rotation": 45, "ha": "right"} if crowded else {}
        places = range(n_classes)
        for panel, (key, values) in zip(self.axes_, shown.items(), strict=True):
            _clear(panel)
            panel.spines[:].set_visible(False)
            self.im_ = panel.imshow(values, cmap=cmap, vmin=0.0, vmax=top)
            panel.set_xticks(places, names, **turned)
            panel.set_yticks(places, names)
            panel.tick_params(length=0)
            panel.set(xlabel="Predicted class", ylabel="True class")
            panel.set_title(self._title(key), fontsize="medium")
            self._draw_text(panel, self.matrices[key], values / top, side if ax is None else None)
        if self.comparison is not None:
            text = difference_text(self.matrices, find(accuracy_score).name, self.comparison)
            self.figure_.supxlabel(text.replace("\n", " "), fontsize="medium")
        self.colorbar_ = None
        if colorbar:
            title = "Count" if normalize is None else _SHARES[normalize][0]
            panels = list(self.axes_) if n_models > 1 else self.ax_
            self.colorbar_ = self.figure_.colorbar(self.im_, ax=panels, label=title, shrink=0.85)
            self.colorbar_.outline.set_visible(False)
        for panel in self.axes_:
            axes.fit_text(panel)
        return self

    def _title(self, name: Any) -> str:
        accuracy = self.accuracies.get(name)
        if accuracy is None:
            return axes.wrap(name or "", 2 * _LINE)
        return f"{axes.wrap(name, 2 * _LINE)}\naccuracy {axes.number(accuracy.value, accuracy)}"

    def _draw_text(self, ax: Any, table: Array, depth: Array, side: float | None) -> None:
        n_classes = len(self.display_labels)
        self.text_ = np.full((n_classes, n_classes), None, dtype=object)
        if n_classes > _MANY:
            return
        width = side if side is not None else ax.get_window_extent().width / ax.figure.dpi
        size = min(11.0, max(4.0, 72 * width / n_classes / 5))
        rates = self._rates(table)
        for row, column in np.ndindex(n_classes, n_classes):
            text = _count(table[row, column])
            if self.normalize is not None and n_classes <= _FEW:
                rate = rates[row, column]
                text += "\n–" if np.isnan(rate) else f"\n{100 * rate:.1f}%"
            # White is legible on the darker half of the map only.
            shade = self.im_.cmap(depth[row, column])
            dark = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] < 0.55
            look = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
            self.text_[row, column] = ax.text(column, row, text, fontsize=size, **look)


def _clear(ax: Any) -> None:
    """Remove an earlier matrix, which would show through."""
    for image in [*ax.images]:
        if image.colorbar is not None:
            image.colorbar.remove()
        image.remove()
    for text in [*ax.texts]:
        text.remove()


def _count(value: Any) -> str:
    return f"{int(value):d}" if float(value).is_integer() else f"{float(value):.4g}"

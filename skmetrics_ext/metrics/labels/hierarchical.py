"""Hierarchical precision, recall and F1: a label stands for itself and all of its ancestors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.public import named, rows_with_labels, value_or_nan
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import LabelTally, Tabulated
from skmetrics_ext.validation import InvalidParameterError


def _lines(classes: list[Any], hierarchy: Any) -> list[set[Any]]:
    """Each class with its ancestors."""
    if not isinstance(hierarchy, Mapping):
        raise InvalidParameterError(
            f"hierarchy must be a dict of label to parent, got {hierarchy!r:.60}."
        )
    known, lines = {*hierarchy, *hierarchy.values()} - {None}, []
    if absent := [label for label in classes if label not in known]:
        raise InvalidParameterError(
            f"hierarchy lacks the labels {absent[:10]}: name the parent of each, None for a root."
        )
    for label in classes:
        line = {label}
        while (label := hierarchy.get(label)) is not None:
            if label in line:
                raise InvalidParameterError(f"hierarchy has a cycle through {label!r}.")
            line.add(label)
        lines.append(line)
    return lines


def hierarchical(tally: Tabulated, hierarchy: Any = None, *, beta: float = 0.0) -> Array:
    """Common labels over those of the predicted lines, of the true ones, or of their mean."""
    lines = _lines(tally.classes.tolist(), hierarchy)
    common = np.array([[len(first & second) for second in lines] for first in lines])
    size, table = np.array([len(line) for line in lines]), tally.table
    true, pred = (table.sum(axis=axis) @ size for axis in (-1, -2))
    together = (table * common).sum(axis=(-1, -2))
    return divide(together, (1 - beta) * pred + beta * true)


def precision(tally: Tabulated, hierarchy: Any = None) -> Array:
    r"""Hierarchical precision: share of the predicted labels and ancestors that are true ones.

    .. math:: \sum_i |T_i \cap P_i| \Big/ \sum_i |P_i|

    with the true label of row i and its ancestors :math:`T_i`, and the predicted ones :math:`P_i`.

    References
    ----------
    Kiritchenko, Matwin, Nock & Famili (2006), Canadian Conference on AI, 395-406.

    Examples
    --------
    >>> from skmetrics_ext import hierarchical_precision
    >>> tree = {"cat": "mammal", "dog": "mammal", "mammal": None}
    >>> hierarchical_precision(["cat", "dog"], ["dog", "mammal"], hierarchy=tree)
    0.6666666666666666
    """
    return hierarchical(tally, hierarchy)


def recall(tally: Tabulated, hierarchy: Any = None) -> Array:
    r"""Hierarchical recall: share of the true labels and ancestors that are predicted.

    .. math:: \sum_i |T_i \cap P_i| \Big/ \sum_i |T_i|

    with the true label of row i and its ancestors :math:`T_i`, and the predicted ones :math:`P_i`.

    References
    ----------
    Kiritchenko, Matwin, Nock & Famili (2006), Canadian Conference on AI, 395-406.

    Examples
    --------
    >>> from skmetrics_ext import hierarchical_recall
    >>> tree = {"cat": "mammal", "dog": "mammal", "mammal": None}
    >>> hierarchical_recall(["cat", "dog"], ["dog", "mammal"], hierarchy=tree)
    0.5
    """
    return hierarchical(tally, hierarchy, beta=1.0)


def f1(tally: Tabulated, hierarchy: Any = None) -> Array:
    r"""Hierarchical F1: harmonic mean of hierarchical precision and recall.

    .. math:: 2 \sum_i |T_i \cap P_i| \Big/ \sum_i (|T_i| + |P_i|)

    with the true label of row i and its ancestors :math:`T_i`, and the predicted ones :math:`P_i`.

    References
    ----------
    Kiritchenko, Matwin, Nock & Famili (2006), Canadian Conference on AI, 395-406.

    Examples
    --------
    >>> from skmetrics_ext import hierarchical_f1
    >>> tree = {"cat": "mammal", "dog": "mammal", "mammal": None}
    >>> round(hierarchical_f1(["cat", "dog"], ["dog", "mammal"], hierarchy=tree), 4)
    0.5714
    """
    return hierarchical(tally, hierarchy, beta=0.5)


_PARAMETERS = """{y_true_y_pred}
hierarchy : dict of label to label
    The parent of each label; None for a root. All labels that occur must be in it.
{sample_weight}"""


def _published(name: str, kernel: Any, title: str) -> Any:
    """Make the public function of a kernel."""

    def function(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        hierarchy: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        rows = rows_with_labels(y_true, y_pred, None, sample_weight, title)
        return value_or_nan(kernel(LabelTally(rows), hierarchy), title)

    facts: Any = {"reads": "table", "traits": ("unlisted",), "scorer": None}
    return named(function, name, kernel, title, _PARAMETERS, ("float", ""), **facts)


hierarchical_precision = _published("hierarchical_precision", precision, "Hierarchical precision")
hierarchical_recall = _published("hierarchical_recall", recall, "Hierarchical recall")
hierarchical_f1 = _published("hierarchical_f1", f1, "Hierarchical F1")

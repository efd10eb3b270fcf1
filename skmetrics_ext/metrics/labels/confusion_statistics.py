"""Statistics of a confusion table beyond the scores, by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import table_statistics
from skmetrics_ext.metrics.public import Statistic, rows_among
from skmetrics_ext.tallies import LabelTally
from skmetrics_ext.validation import InvalidParameterError, warn_undefined

STATISTICS: Mapping[str, Statistic] = MappingProxyType(
    {
        name: function.statistic
        for name, function in sorted(vars(table_statistics).items())
        if hasattr(function, "statistic")
    }
)

Function = TypeVar("Function", bound=Callable[..., object])


def _with_table(function: Function) -> Function:
    """Put the rows of STATISTICS in the place of "<statistics>"."""
    lines = [_described(name, entry) for name, entry in STATISTICS.items()]
    if function.__doc__:  # absent under python -OO
        function.__doc__ = function.__doc__.replace("<statistics>", "\n".join(lines))
    return function


def _described(name: str, entry: Statistic) -> str:
    scope = "per class" if entry.per_class else "one value"
    return f"- ``{name}`` ({entry.abbreviation}), {scope}: {entry.formula}. {entry.source}."


@_with_table
@document
def confusion_statistic(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    statistic: str,
    *,
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """One statistic of the confusion table, by name.

    Parameters
    ----------
    {y_true_y_pred}
    statistic : str
        A name of the table below.
    labels : array-like of shape (n_classes,), default=None
        The classes of the table, in this order, as in `confusion_matrix`: rows with any other
        class are left out. All that occur, sorted, by default.
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        One value, or one per class; nan, with a warning, where it is 0/0.

    Raises
    ------
    {raises}

    See Also
    --------
    confusion_statistics : All of them.

    Notes
    -----
    P, R and S are precision, recall and specificity; n is the weight of all rows, n_ij of those
    of class i predicted as j, t_k and p_k of those of class k and predicted as k (shares of n
    in entropies). Behind the name stands what PyCM calls it. Entropies are in bits.

    Every one of them is a metric by its name, in `confidence_interval`, `compute_metrics`,
    `evaluate` and so on; those that judge have scorers (``get_scorer("yule_q_macro")``). There a
    statistic per class takes ``pos_label`` and ``average`` as `f1_score` does.

    <statistics>

    Examples
    --------
    >>> from skmetrics_ext import confusion_statistic
    >>> confusion_statistic(["a", "a", "b", "b"], ["a", "a", "a", "b"], "mutual_information")
    0.31127812445913283
    >>> confusion_statistic(["a", "a", "b", "b"], ["a", "a", "a", "b"], "overlap_coefficient")
    array([1., 1.])
    """
    _check_name(statistic)
    return _read([statistic], y_true, y_pred, labels, sample_weight)[statistic]


@document
def confusion_statistics(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
) -> dict[str, Any]:
    """Every statistic of the confusion table that `confusion_statistic` knows.

    Parameters
    ----------
    {y_true_y_pred}
    labels : array-like of shape (n_classes,), default=None
        The classes of the table, in this order, as in `confusion_matrix`: rows with any other
        class are left out. All that occur, sorted, by default.
    {sample_weight}

    Returns
    -------
    dict of str to float or ndarray of shape (n_classes,)
        Name -> value, or one per class; nan, with one warning, where they are 0/0.

    Raises
    ------
    {raises}

    See Also
    --------
    confusion_statistic : One of them, and the table of their formulas and sources.
    compute_metrics : Several scores of labels at once.

    Examples
    --------
    >>> from skmetrics_ext import confusion_statistics
    >>> found = confusion_statistics(["a", "a", "b", "b"], ["a", "a", "a", "b"])
    >>> found["cramers_v"], found["lift"]
    (0.5773502691896257, array([1.33333333, 2.        ]))
    """
    return _read(list(STATISTICS), y_true, y_pred, labels, sample_weight)


def _check_name(name: Any) -> None:
    if isinstance(name, str) and name in STATISTICS:
        return
    abbreviated = {entry.abbreviation: known for known, entry in STATISTICS.items()}
    if name in abbreviated:
        near = [abbreviated[name]]
    else:
        near = difflib.get_close_matches(str(name), STATISTICS, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise InvalidParameterError(
        f"statistic has to be one of {sorted(STATISTICS)}, got {name!r}.{hint}"
    )


def _read(
    names: list[str], y_true: Any, y_pred: Any, labels: Any, sample_weight: Any
) -> dict[str, Any]:
    checked: dict[bool, LabelTally] = {}
    values, undefined = {}, []
    for name in names:
        entry = STATISTICS[name]
        if entry.in_units not in checked:
            rows = rows_among(
                y_true, y_pred, labels, sample_weight, "a confusion table", entry.in_units
            )
            checked[entry.in_units] = LabelTally(rows)
        value = np.asarray(entry.read(checked[entry.in_units], labels))
        if np.isnan(value).any():
            undefined.append(name)
        values[name] = value if entry.per_class else float(value)
    if undefined:
        whose = "" if len(names) > 1 else " for a class" if STATISTICS[names[0]].per_class else ""
        warn_undefined(f"Undefined (0/0){whose} and set to nan: {', '.join(undefined)}.")
    return values

"""Several values from one count: tables per class, precision, recall and F, statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import ClassAverage, ZeroDivision
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import table_statistics
from skmetrics_ext.metrics.labels.rates import f1_score, fbeta, precision_score, recall_score
from skmetrics_ext.metrics.public import Statistic, counted, rows_with_labels
from skmetrics_ext.numeric import Array, PosLabel
from skmetrics_ext.tallies import Counts, LabelTally
from skmetrics_ext.validation import InvalidParameterError, Labels, warn_undefined
from skmetrics_ext.validation.errors import near
from skmetrics_ext.validation.parameters import check_interval


@document
def multilabel_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    samplewise: bool = False,
) -> Array:
    """One-vs-rest confusion matrix of each class, output or row.

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {sample_weight}
    {labels}
    samplewise : bool, default=False
        One table per row of multilabel data.

    Returns
    -------
    ndarray of shape (n_classes, 2, 2) or (n_samples, 2, 2)
        [[TN, FP], [FN, TP]] each; int64 without weights or with integer ones, else float64.

    Raises
    ------
    {raises}

    References
    ----------
    Sokolova & Lapalme (2009), Information Processing & Management 45(4), 427-437.

    Examples
    --------
    >>> from skmetrics_ext import multilabel_confusion_matrix
    >>> multilabel_confusion_matrix(["a", "b", "b"], ["a", "a", "b"])[0]
    array([[1, 1],
           [0, 1]])
    """
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=True)
    positions = checked.positions(labels, once=True)
    if samplewise:
        counts = Counts.from_outputs(checked.outputs(positions))
    else:
        counts = Counts.from_labels(checked).select(positions)
    tables = np.stack([counts.tn, counts.fp, counts.fn, counts.tp], axis=-1)
    return tables.reshape(-1, 2, 2)


@document
def precision_recall_fscore_support(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = 1,
    average: ClassAverage | None = None,
    warn_for: Iterable[str] = ("precision", "recall", "f-score"),
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F-score and support, from one count.

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    beta : float, default=1.0
        How many times as important recall is as precision, from 0 to infinity.
    {labels}
    {pos_label_1}
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default=None
        As in `f1_score`; None gives one value per class.
    warn_for : list, tuple or set of str
        Which of "precision", "recall" and "f-score" warn where they are 0/0.
    {sample_weight}
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value where a rate is 0/0.

    Returns
    -------
    precision, recall, fscore : float or ndarray of shape (n_classes,)
        In [0, 1].
    support : ndarray of shape (n_classes,) or None
        Weight of the rows of each class; None for an average.

    Raises
    ------
    {raises}

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7.

    Examples
    --------
    >>> from skmetrics_ext import precision_recall_fscore_support
    >>> precision_recall_fscore_support([0, 1, 1], [0, 0, 1], average="macro")[:2]
    (0.75, 0.75)
    """
    check_interval("beta", beta, "[0, inf]")
    if not isinstance(warn_for, Iterable) or isinstance(warn_for, bytes):
        raise InvalidParameterError(
            f"warn_for has to be a list, tuple or set of names, got {warn_for!r}."
        )
    options = labels, pos_label, average, sample_weight, zero_division
    plan = counted(y_true, y_pred, precision_score.spec.title, *options, is_ours=False)
    rates = (
        (precision_score, "precision", None),
        (recall_score, "recall", None),
        (f1_score, "f-score", partial(fbeta, beta=beta)),
    )
    silent = 0.0 if isinstance(zero_division, str) else zero_division  # of rates that must not warn
    precision, recall, fscore = (
        rate.read(plan, zero_division if name in warn_for else silent, kernel)
        for rate, name, kernel in rates
    )
    if average is not None:
        return precision, recall, fscore, None
    return precision, recall, fscore, support(y_true, y_pred, labels, sample_weight, plan.counts)


def support(y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, counts: Counts) -> Array:
    """Weight of the rows of each class, in the unit of the caller's weights.

    Those in ``counts`` may have been rescaled.
    """
    if sample_weight is None:
        return counts.true
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=True)
    return Counts.from_labels(checked).select(checked.positions(labels)).true


# --------------------------------------------------------------------------- statistics by name


STATISTICS: Mapping[str, Statistic] = MappingProxyType(
    {
        name: function.statistic
        for name, function in sorted(vars(table_statistics).items())
        if hasattr(function, "statistic")
    }
)

Function = TypeVar("Function", bound=Callable[..., object])


def _with_table(function: Function) -> Function:
    """Replace "<statistics>" in a docstring by the entries of STATISTICS."""
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
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
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
    in entropies). The name in PyCM, or in the source, is in parentheses. Entropies are in bits.

    Each is also a metric by its name, in `confidence_interval`, `compute_metrics`, `evaluate` and
    so on, where statistics per class take ``pos_label`` and ``average`` as `f1_score` does. Those
    that judge have scorers (``get_scorer("yule_q_macro")``).

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
    labels: ArrayLike | None = None,
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
    >>> values = confusion_statistics(["a", "a", "b", "b"], ["a", "a", "a", "b"])
    >>> values["cramers_v"], values["lift"]
    (0.5773502691896257, array([1.33333333, 2.        ]))
    """
    return _read(list(STATISTICS), y_true, y_pred, labels, sample_weight)


def _check_name(name: Any) -> None:
    if isinstance(name, str) and name in STATISTICS:
        return
    abbreviated = {entry.abbreviation: known for known, entry in STATISTICS.items()}
    hint = near(abbreviated.get(name, str(name)), STATISTICS, 1 if name in abbreviated else 3, 0.5)
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
            rows = rows_with_labels(
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

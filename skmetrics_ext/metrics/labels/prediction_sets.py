"""Prediction sets: how often they hold the true class, and how large they are."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import averaged
from skmetrics_ext.metrics.labels.rates import recall
from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.spec import INFINITY
from skmetrics_ext.numeric import Array, Options
from skmetrics_ext.tallies import LabelTally, Means
from skmetrics_ext.validation import InvalidParameterError, Labels, Scores, check_option
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.encoding import encode_columns, find_labels
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.targets import kind_of, label_values
from skmetrics_ext.validation.tensors import to_host

SetAverage = Literal["micro", "macro", "weighted"]
_AVERAGES = ("micro", "macro", "weighted", None)

# --------------------------------------------------------------------------- checks


def read_sets(
    y_true: Any, y_set: Any, labels: Any, sample_weight: Any
) -> tuple[Array, Array, Array, Array | None]:
    """Classes, codes of the true ones, marks of shape (n, K) and weights."""
    sets = to_host(y_set, "y_set")
    if not hasattr(sets, "__iter__"):
        raise InvalidParameterError(
            f"y_set must be a list of lists of labels, or an array of booleans, got {sets!r:.60}."
        )
    if getattr(sets, "ndim", 1) != 2 and not hasattr(sets, "columns"):
        sets, labels = _marks_of(y_true, sets, labels)
    (true, marks), weight = read_rows(sample_weight, False, y_true=y_true, y_set=sets)
    _check_column(true)
    if marks.values.dtype.kind != "b":
        raise InvalidParameterError(
            "y_set must be a list of lists of labels, or an array of booleans with a column for "
            f"each class, got an array of dtype {marks.values.dtype}."
        )
    classes, (codes,) = encode_columns((true, label_values(true)[0]))
    listed = classes if labels is None else read_labels(labels, once=True)
    if len(listed) != marks.values.shape[1]:
        raise InvalidParameterError(
            f"y_set has {marks.values.shape[1]} columns for the classes {listed.tolist()}: pass "
            "labels=, the class of each column."
        )
    return listed, _codes_in(classes, codes, listed), marks.values, weight


def _check_column(true: Any) -> None:
    if true.values.ndim > 1:
        raise InvalidParameterError(
            f"y_true must be a column of labels, got an array of shape {true.values.shape}."
        )


def _marks_of(y_true: Any, sets: Any, labels: Any) -> tuple[Array, Array]:
    """Sets of labels as marks of shape (n, K), and the class of each column."""
    members = [_members(each) for each in sets]
    (true,), _ = read_rows(None, False, y_true=y_true)
    _check_column(true)
    parts = [(true, label_values(true)[0])]
    named = [label for each in members for label in each]
    if named:
        of_sets = read_column(named, "y_set")
        parts.append((of_sets, label_values(of_sets)[0]))
    classes, codes = encode_columns(*parts)
    listed = classes if labels is None else read_labels(labels, once=True)
    marks = np.zeros((len(members), len(listed)), dtype=bool)
    if named:
        rows = np.repeat(np.arange(len(members)), [len(each) for each in members])
        marks[rows, _codes_in(classes, codes[1], listed)] = True
    return marks, listed


def _members(labels: Any) -> list[Any]:
    """The labels of one set, each once."""
    listed = labels.tolist() if hasattr(labels, "tolist") else labels
    try:
        if not isinstance(listed, str | bytes):
            return list(dict.fromkeys(listed))
    except TypeError:
        pass
    raise InvalidParameterError(
        f"y_set must hold a list of labels for each row, got {labels!r:.60}: write ['a'] for a set "
        "of one label."
    )


def _codes_in(classes: Array, codes: Array, listed: Array) -> Array:
    places = find_labels(classes, listed)
    if (places < 0).any():
        raise InvalidParameterError(
            f"labels={listed.tolist()} lacks classes that occur: {classes[places < 0].tolist()}."
        )
    return places[codes]


def covered_rows(
    y_true: Any, y_set: Any, *, labels: Any = None, sample_weight: Any = None
) -> Labels:
    """The true class as the predicted one where the set holds it, else another true class."""
    if isinstance(y_true, Labels):
        return y_true
    classes, true, marks, weight = read_sets(y_true, y_set, labels, sample_weight)
    occurring, place = np.unique(true, return_inverse=True)
    if len(occurring) == 1:  # another class has to stand for what the set holds instead
        if len(classes) == 1:
            raise InvalidParameterError(
                f"y_true and y_set hold one class ({classes[0]}): pass labels=, all classes."
            )
        occurring = np.append(occurring, occurring[0] - 1 if occurring[0] else 1)
    other = occurring[(place + 1) % len(occurring)]
    pred = np.where(marks[np.arange(len(true)), true], true, other)
    return Labels(kind_of(classes), classes, true, pred, weight)


def sized_rows(y_true: Any, y_set: Any, *, labels: Any = None, sample_weight: Any = None) -> Scores:
    """True classes, and the size of each set as the score."""
    if isinstance(y_true, Scores):
        return y_true
    classes, true, marks, weight = read_sets(y_true, y_set, labels, sample_weight)
    size = np.count_nonzero(marks, axis=1).astype(np.float64)
    return Scores("multiclass", classes, true, size[:, None], weight)


# --------------------------------------------------------------------------- kernels


def sizes_of_rows(checked: Scores) -> Array:
    """Number of classes in the set of each row."""
    return checked.score


# --------------------------------------------------------------------------- public functions


@metric(
    recall,
    undefined="no row is of the class",
    scorer=None,
    traits=("unlisted",),
    check=covered_rows,
    shares=(("tp", "fn"),),
    interval="wilson",
)
def prediction_set_coverage(
    y_true: ArrayLike,
    y_set: Any,
    *,
    labels: ArrayLike | None = None,
    average: SetAverage | None = "micro",
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Coverage of prediction sets: share of the rows whose set holds the true class.

    .. math:: \frac{1}{n} \sum_i [y_i \in S_i]

    Parameters
    ----------
    {y_true}
    {y_set}
    {set_labels}
    {set_average}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better. Of a class without rows nan.

    Raises
    ------
    {raises}

    See Also
    --------
    prediction_set_size : Mean number of classes in the sets.

    References
    ----------
    Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World; Angelopoulos & Bates
    (2023), Foundations and Trends in Machine Learning 16(4), 494-591.

    Examples
    --------
    >>> from skmetrics_ext import prediction_set_coverage
    >>> y_true, y_set = ["a", "b", "c", "b"], [["a"], ["a", "b"], [], ["a", "c"]]
    >>> prediction_set_coverage(y_true, y_set)
    0.5
    >>> prediction_set_coverage(y_true, y_set, average=None)
    array([1. , 0.5, 0. ])
    """
    check_option("average", average, _AVERAGES)
    options: Options = {"labels": labels, "sample_weight": sample_weight}
    plan = averaged(LabelTally(covered_rows(y_true, y_set, **options)), average=average)
    value = plan.read(recall, np.nan)
    return value if average is None else float(value)


@metric(
    mean,
    bounds=(0.0, INFINITY),
    greater_is_better=False,
    scorer=None,
    traits=("unlisted",),
    check=sized_rows,
    row_values=sizes_of_rows,
)
def prediction_set_size(
    y_true: ArrayLike,
    y_set: Any,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Size of prediction sets: mean number of classes in them.

    .. math:: \frac{1}{n} \sum_i |S_i|

    Parameters
    ----------
    {y_true}
    {y_set}
    {set_labels}
    {sample_weight}

    Returns
    -------
    float
        At least 0; of two models with equal coverage the one with smaller sets is better.

    Raises
    ------
    {raises}

    See Also
    --------
    prediction_set_coverage : Share of the rows whose set holds the true class.

    References
    ----------
    Vovk, Fedorova, Nouretdinov & Gammerman (2016), Conformal and Probabilistic Prediction with
    Applications, 23-39.

    Examples
    --------
    >>> from skmetrics_ext import prediction_set_size
    >>> y_true, y_set = ["a", "b", "c", "b"] * 40, [["a"], ["a", "b"], [], ["c"]] * 40
    >>> prediction_set_size(y_true, y_set)
    1.0

    By class, or by any group, with intervals:

    >>> from skmetrics_ext import compute_metrics
    >>> names = ["prediction_set_coverage", "prediction_set_size"]
    >>> by_class = compute_metrics(names, y_true, y_set, by={"class": y_true}, intervals=True)
    >>> print(by_class.where(group="b"))
    class  metric                    value     95 % interval  rows  method
    -----  -----------------------  ------  ----------------  ----  ------
    b      prediction_set_coverage  0.5000  [0.3930, 0.6070]    80  wilson
    b      prediction_set_size      1.5000  [1.3880, 1.6120]    80  hall
    """
    checked = sized_rows(y_true, y_set, labels=labels, sample_weight=sample_weight)
    return float(mean(Means.of(sizes_of_rows(checked), checked.weight)))

"""Many metrics of the same rows: one validation, one count and one sort for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from skmetrics_ext.numeric import PosLabel
from skmetrics_ext.registry import Metric, MetricSpec, find
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.tensors import taking_tensors

_ARGUMENTS = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}

# Options of a table by group, and their defaults.
_BY_GROUP = {"margins": False, "bins": None, "min_rows": 1}


@taking_tensors
def compute_metrics(
    metrics: Sequence[str],
    y_true: ArrayLike,
    y_pred: ArrayLike | None = None,
    *,
    y_score: ArrayLike | None = None,
    y_proba: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    by: Any = None,
    margins: bool = False,
    bins: Any = None,
    min_rows: int = 1,
    groups: ArrayLike | None = None,
    intervals: bool = False,
    confidence_level: float = 0.95,
    **params: Any,
) -> Any:
    """Several metrics in one call, at about the cost of one confusion matrix and one sort.

    Parameters
    ----------
    metrics : sequence of str
        Names of metrics as in `get_scorer_names`; losses with or without ``neg_``. Here they
        are not negated.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators; or, for metrics of labels, a `ConfusionTally` (a
        published table), on its own.
    y_pred : array-like of the shape of y_true, default=None
        Predicted labels, for metrics of labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, for metrics of scores; ``y_proba`` by default.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Probabilities, for metrics of probabilities. One column is that of the positive class.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score`` and ``y_proba``, in this order; of two classes
        the second is positive. For metrics of labels the classes to average over.
    pos_label : int, float, bool or str, default=None
        The positive class of binary labels. By default 1 of {0, 1} or {-1, 1}, or True; for
        other labels metrics of one class ask for it.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weight of each row.
    by : dict of str to array-like, default=None
        Columns of groups, a value for each row: every combination that occurs is evaluated for
        itself. With ``by`` a table is returned, as `evaluate` does.
    margins, bins, min_rows : bool, dict, int
        As in `evaluate`; with ``by`` only.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient), if rows of a group depend on each other; with
        ``intervals`` or ``by`` only.
    intervals : bool, default=False
        Whether to return the table of `evaluate`: value, interval, method and note of each metric.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of each interval.
    **params : dict
        Further parameters (``zero_division``), passed to the metrics that have them.

    Returns
    -------
    dict of str to float, or Evaluation
        Value of each metric, equal to that of its own function; with ``intervals`` or ``by`` a
        table with a row for each metric, and group, whose ``gaps``, ``worst`` and ``spread``
        compare the groups.

    Raises
    ------
    ValueError
        If a name is unknown, what a metric reads is not given, or an argument is not accepted.

    Examples
    --------
    >>> from skmetrics_ext import compute_metrics
    >>> compute_metrics(["accuracy", "recall", "error_rate"], [0, 1, 1, 1], [0, 1, 1, 0])
    {'accuracy': 0.75, 'recall': 0.6666666666666666, 'error_rate': 0.25}
    >>> compute_metrics(["roc_auc", "brier_score"], [0, 1, 1, 0], y_proba=[0.1, 0.9, 0.4, 0.4])
    {'roc_auc': 0.875, 'brier_score': 0.135}
    >>> site = {"site": ["a", "a", "b", "b"]}
    >>> print(compute_metrics(["accuracy", "recall"], [0, 1, 1, 1], [0, 1, 1, 0], by=site))
    site  metric     value  rows
    ----  --------  ------  ----
    a     accuracy  1.0000     2
    a     recall    1.0000     2
    b     accuracy  0.5000     2
    b     recall    0.5000     2
    """
    about = {"margins": margins, "bins": bins, "min_rows": min_rows}
    asked = [name for name, value in about.items() if value is not _BY_GROUP[name]]
    if by is None and asked:
        raise InvalidParameterError(f"{asked[0]} describes groups of rows: pass by= as well.")
    if by is None and groups is not None and not intervals:
        raise InvalidParameterError("groups changes intervals only: pass intervals=True as well.")
    if by is not None or intervals:
        arrays = {"y_pred": y_pred, "y_score": y_score, "y_proba": y_proba}
        told = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
        level = check_level(confidence_level) if intervals else None
        grouping = {"by": by, "groups": groups, **about}
        return _table(metrics, y_true, arrays, params, grouping, level, told)
    if y_pred is None and isinstance(y_true, ConfusionTally):
        y_pred = y_true
    if labels is not None:
        labels = read_labels(labels)
    given = {"labels": y_pred, "scores": y_score, "probabilities": y_proba}
    checked: dict[tuple[str, bool], Any] = {}
    values = {}
    for name, metric in zip(metrics, _with_params(list(map(find, metrics)), params), strict=True):
        read = _what_it_reads(name, metric.spec, given)
        if metric.spec.ranks_labels:  # no row has a class
            weighted = {**metric.params, "sample_weight": sample_weight}
            values[name] = metric.function(y_true, given[read], **weighted)
            continue
        kind = read, metric.spec.weights_are_counts or metric.spec.is_table
        if kind not in checked:
            options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
            checked[kind] = _check(*kind, y_true, given[read], {**options, "what": name})
        values[name] = _value(metric, checked[kind], labels, pos_label)
    return values


def _with_params(metrics: Sequence[Metric], params: dict[str, Any]) -> list[Metric]:
    """The metrics with the parameters that they have; each has to be one of some metric."""
    unused = {key for key in params if not any(metric.takes(key) for metric in metrics)}
    if unused:
        names = [metric.name for metric in metrics]
        raise InvalidParameterError(f"No metric of {names} takes {sorted(unused)}.")
    taken = [{key: params[key] for key in params if one.takes(key)} for one in metrics]
    return [
        metric.with_params(**{**own, **metric.params})
        for metric, own in zip(metrics, taken, strict=True)
    ]


def _table(
    metrics: Sequence[str],
    y_true: Any,
    given: dict[str, Any],
    params: dict[str, Any],
    grouping: dict[str, Any],
    level: float | None,
    told: dict[str, Any],
) -> Any:
    """The metrics of all rows or of each group, from their sums."""
    from skmetrics_ext.merged.arrays import evaluate_arrays
    from skmetrics_ext.merged.layout import find_metrics

    settled = tuple(_with_params(find_metrics(metrics), params))
    scores = {name for name in ("y_score", "y_proba") if given[name] is not None}
    if len(scores) > 1:
        raise InvalidParameterError(
            "A table reads y_score or y_proba, one for all metrics, got both: pass one of them."
        )
    y_score = given[scores.pop()] if scores else None
    for one in settled:
        available = {"labels": given["y_pred"], "scores": y_score, "probabilities": y_score}
        _what_it_reads(one.name, one.spec, available)
    reads = {one.sums == "tables" for one in settled}
    y_pred = given["y_pred"] if True in reads else None
    y_score = y_score if False in reads else None
    return evaluate_arrays(settled, y_true, y_pred, y_score, level=level, **grouping, **told)


def _value(metric: Metric, given: Any, labels: Any, pos_label: Any) -> Any:
    """Value from checked data, in which the positive class of scores is the last."""
    if isinstance(given, Labels):
        if labels is not None and metric.takes("labels"):
            metric = metric.with_params(labels=labels)
        if not given.is_multilabel:
            metric = metric.settled(given.classes.tolist(), pos_label)
    elif labels is None and len(given.classes) <= 2 and given.true.ndim == 1:
        metric.positive(given.classes.tolist(), pos_label)  # refuses where it is not said
    return metric.function(given, given, **metric.params)


def _what_it_reads(name: str, spec: MetricSpec, given: dict[str, Any]) -> str:
    if given[spec.response] is not None:
        return spec.response
    if spec.response == "scores" and given["probabilities"] is not None:
        return "probabilities"
    argument = _ARGUMENTS[spec.response]
    raise InvalidParameterError(
        f"{name!r} is a metric of {spec.response}: pass {argument}, which is missing."
    )


def _check(
    kind: str, absolute: bool, y_true: Any, other: Any, options: dict[str, Any]
) -> Labels | Scores | Probabilities:
    if kind == "labels":
        weight = options["sample_weight"]
        return Labels.check(y_true, other, sample_weight=weight, absolute=absolute)
    if kind == "scores":
        return Scores.check(y_true, other, **options)
    return Probabilities.check_strict(y_true, other, **options)

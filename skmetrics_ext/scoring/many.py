"""Many metrics of the same rows: one validation, one count and one sort for all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from skmetrics_ext.registry import MetricSpec, find_metric
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores

_ARGUMENTS = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}


def compute_metrics(
    metrics: Sequence[str],
    y_true: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    y_proba: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    **params: Any,
) -> dict[str, Any]:
    """Several metrics at about the cost of one confusion matrix and one sort.

    Parameters
    ----------
    metrics : sequence of str
        Names of metrics as in `get_scorer_names`; losses with or without ``neg_``. Here they
        are not negated.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
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
        The positive class of binary labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weight of each row.
    **params : dict
        Further parameters (``zero_division``), passed to the metrics that have them.

    Returns
    -------
    dict of str to float
        Value of each metric, equal to that of its own function.

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
    """
    given = {"labels": y_pred, "scores": y_score, "probabilities": y_proba}
    checked: dict[tuple[str, bool], Any] = {}
    values, unused = {}, set(params)
    for name in metrics:
        spec, fixed = find_metric(name)
        read = _what_it_reads(name, spec, given)
        kind = read, spec.weights_are_counts
        if kind not in checked:
            checked[kind] = _check(*kind, y_true, given[read], labels, pos_label, sample_weight)
        accepted = _parameters(spec.function)
        own = {key: value for key, value in params.items() if key in accepted}
        unused -= own.keys()
        if spec.response == "labels":
            chosen = {"labels": labels, "pos_label": pos_label}
            own |= {k: v for k, v in chosen.items() if v is not None and k in accepted}
        arguments = checked[kind], checked[kind]
        if _has_other_rule(accepted, checked[kind], labels, pos_label):
            arguments = y_true, given[read]
            own["sample_weight"] = sample_weight
        values[name] = spec.function(*arguments, **{**own, **fixed})
    if unused:
        raise InvalidParameterError(f"No metric of {list(metrics)} takes {sorted(unused)}.")
    return values


@cache  # asking costs more than a metric of a hundred rows
def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def _what_it_reads(name: str, spec: MetricSpec, given: dict[str, Any]) -> str:
    if given[spec.response] is not None:
        return spec.response
    if spec.response == "scores" and given["probabilities"] is not None:
        return "probabilities"
    argument = _ARGUMENTS[spec.response]
    raise InvalidParameterError(
        f"{name!r} is a metric of {spec.response}: pass {argument}, which is missing."
    )


def _has_other_rule(
    accepted: Mapping[str, inspect.Parameter], checked: Any, labels: Any, pos_label: Any
) -> bool:
    """Whether the metric alone would take another class as positive: 1, and not the greater."""
    if isinstance(checked, Labels) or labels is not None or pos_label is not None:
        return False
    own = accepted.get("pos_label")
    usual = own is not None and own.default == 1
    return usual and len(checked.classes) == 2 and checked.classes[-1] != 1


def _check(
    kind: str,
    absolute: bool,
    y_true: Any,
    other: Any,
    labels: Any,
    pos_label: Any,
    sample_weight: Any,
) -> Labels | Scores | Probabilities:
    if kind == "labels":
        return Labels.check(y_true, other, sample_weight=sample_weight, absolute=absolute)
    options = {"labels": labels, "sample_weight": sample_weight}
    if kind == "scores":
        return Scores.check(y_true, other, pos_label=pos_label, **options)
    return Probabilities.check_strict(y_true, other, pos_label=pos_label, **options)

"""Many metrics of the same arrays, checked and counted once for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

from numpy.typing import ArrayLike

from skmetrics_ext.inference.abstention import Abstained, may_abstain
from skmetrics_ext.inference.draws.readers import errors_naming
from skmetrics_ext.inference.labelling import Labelling, naming_labelling
from skmetrics_ext.numeric import PosLabel
from skmetrics_ext.registry import Metric, MetricSpec, find
from skmetrics_ext.registry.defaults import SETS
from skmetrics_ext.slices.group_columns import columns_of
from skmetrics_ext.slices.periods import in_periods
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import (
    InvalidParameterError,
    Labels,
    Probabilities,
    Scores,
    check_option,
)
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.cutoffs import labels_at, offering_threshold
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.tensors import taking_tensors

if TYPE_CHECKING:
    from skmetrics_ext.merged.evaluation import Evaluation

_ARGUMENTS = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}

# Options that apply to a table by group only, and their defaults.
_BY_GROUP = {"margins": False, "bins": None, "min_rows": 1, "freq": None}


@overload
def compute_metrics(
    metrics: Sequence[str] | str,
    y_true: ArrayLike,
    y_pred: Any = None,
    *,
    intervals: Literal[True],
    **options: Any,
) -> Evaluation: ...
@overload
def compute_metrics(
    metrics: Sequence[str] | str, y_true: ArrayLike, y_pred: Any = None, *, by: Any, **options: Any
) -> Evaluation: ...
@overload
def compute_metrics(
    metrics: Sequence[str] | str, y_true: ArrayLike, y_pred: Any = None, **options: Any
) -> dict[str, float]: ...
@taking_tensors
@offering_threshold
@may_abstain
def compute_metrics(
    metrics: Sequence[str] | str,
    y_true: ArrayLike,
    y_pred: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    y_score: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    y_proba: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    by: Any = None,
    groups: ArrayLike | None = None,
    intervals: bool = False,
    threshold: float | None = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    margins: bool = False,
    bins: Any = None,
    freq: str | None = None,
    abstain: Any = None,
    abstained: Abstained = "leave out",
    ignore: Any = None,
    min_rows: int = 1,
    **params: Any,
) -> Any:
    """Several metrics in one call, at about the cost of one confusion matrix and one sort.

    Parameters
    ----------
    metrics : sequence of str, or "diagnostic"
        Names of metrics as in `get_scorer_names`; losses with or without ``neg_``, and not
        negated either way. "diagnostic" stands for sensitivity, specificity, both predictive values
        and both likelihood ratios.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators. For metrics of labels, a `ConfusionTally` (such as
        a published table) may take the place of both arrays.
    y_pred : array-like of the shape of y_true, or dict of these, default=None
        Predicted labels, for metrics of labels. A dict, here and below, holds those of several
        models by name: the result is then a table.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), or dict, default=None
        Scores, for metrics of scores. By default ``y_proba`` is used, but not by the hinge loss,
        which reads the sign of decision values.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes), or dict, default=None
        Probabilities, for metrics of probabilities. A single column is the positive class. In a
        table each metric reads the array that it would read alone.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score`` and ``y_proba``, in order; the second of two
        classes is positive. For metrics of labels, the classes to average over.
    pos_label : int, float, bool or str, default=None
        The positive class of binary labels. By default 1 of {0, 1} or {-1, 1}, or True; metrics
        of one class need it for any other labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weight of each row.
    by : array-like, data frame or dict of str to array-like, default=None
        Group columns with a value per row: every combination that occurs is evaluated
        separately, and a table is returned as by `evaluate`. Rows without a value (None, nan)
        are the group "missing".
    groups : array-like of shape (n_samples,), default=None
        The group of each row (such as the patient), if rows of a group depend on each other;
        only with ``intervals`` or ``by``.
    intervals : bool, default=False
        Whether to return a table as by `evaluate`: value, interval, method and note per metric.
    threshold : float, default=None
        For metrics of labels, ``y_pred`` is the positive class where ``y_score``, or else
        ``y_proba``, is at least this. A metric with a parameter of this name takes it.
    method : str, default="auto"
        Method of the intervals, for the metrics to which it applies, as in `confidence_interval`.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of each interval.
    margins, bins : bool and dict, default=False and None
        As in `evaluate`; only with ``by``.
    freq : str, default=None
        Groups by time: the period alias of pandas ("D", "W", "M", "Q", "Y") in which the dates of
        ``by`` are counted.
    abstain : str, int, float or bool, default=None
        Which predictions are no answer: "missing" for None and NaN, or the label of a refusal.
        The result has the ``coverage``, the share of the rows that are answered, next to each
        metric. Without it a missing prediction is an error.
    abstained : {"leave out", "wrong"}, default="leave out"
        What rows without an answer are: left out, or errors, as if the other class had been
        predicted, of several the next in order.
    ignore : label or list of labels, default=None
        True labels of rows to leave out, such as -100 of tokens without a label. The note says how
        many rows these are.
    min_rows : int, default=1
        Groups of ``by`` with fewer rows have no values, and ``note`` says so.
    **params : dict
        Further parameters (``zero_division``), passed to the metrics that have them; and
        ``proxy``, ``sampling``, ``population``, ``observed``, ``X``, ``target``, ``target_weight``
        and ``prevalence``, as in `confidence_interval`.

    Returns
    -------
    dict of str to float, or Evaluation
        Value of each metric, equal to that of its function. With ``intervals``, ``by`` or several
        models, a table with a row per metric, model and group, as by `evaluate`, whose ``against``
        and ``worst`` compare models and groups.

    Raises
    ------
    ValueError
        If a name is unknown, the array that a metric reads is missing, or no metric takes one of
        the parameters.

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
    if isinstance(metrics, str):
        check_option("metrics", metrics, SETS)
        metrics = SETS[metrics]
    by_group = {"margins": margins, "bins": bins, "min_rows": min_rows}
    labelling = Labelling.taken_from(params)
    are_models = True in {isinstance(given, Mapping) for given in (y_pred, y_score, y_proba)}
    if by is None:
        for name, value in {**by_group, "freq": freq}.items():
            if value is not _BY_GROUP[name]:
                raise InvalidParameterError(f"{name} applies to groups: pass by= as well.")
        if groups is not None and not intervals:
            raise InvalidParameterError(
                "groups changes intervals only: pass intervals=True as well."
            )
    elif freq is not None:
        by = in_periods(columns_of(by, count_rows(y_true) or 0), freq)
    arrays = {"labels": y_pred, "scores": y_score, "probabilities": y_proba}
    options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    if threshold is not None and not are_models:
        params |= _cut(list(map(find, metrics)), y_true, arrays, threshold, pos_label)
    if by is not None or intervals or are_models or labelling is not None:
        from skmetrics_ext.merged.layout import find_metrics

        level = check_level(confidence_level) if intervals else None
        options |= {"by": by, "groups": groups, "level": level, **by_group}
        options |= {} if method == "auto" else {"method": method}
        with naming_labelling():
            if are_models:
                cut = {} if threshold is None else {"threshold": threshold, "positive": pos_label}
                return _table_of_models(metrics, y_true, arrays, params, options, labelling, cut)
            found = tuple(_with_params(find_metrics(metrics, of_rows=True), params))
            table = _table(found, y_true, arrays, options, labelling)
        if method != "auto" and not any(method in str(row.method) for row in table):
            raise InvalidParameterError(f"method={method!r} is of no interval of {list(metrics)}.")
        is_dict = by is None and not intervals
        return {row.metric: row.value for row in table} if is_dict else table
    if y_pred is None and isinstance(y_true, ConfusionTally):
        arrays["labels"] = y_true
    if labels is not None:
        options["labels"] = read_labels(labels)
    checked: dict[tuple[str, bool], Any] = {}
    values = {}
    for name, metric in zip(metrics, _with_params(list(map(find, metrics)), params), strict=True):
        kind = _response_of(name, metric.spec, arrays)
        if metric.spec.ranks_labels or metric.spec.reads_rows:  # rows are more than two labels
            named = {"labels": labels} if labels is not None and metric.takes("labels") else {}
            weighted = {**metric.params, **named, "sample_weight": sample_weight}
            values[name] = metric.function(y_true, arrays[kind], **weighted)
            continue
        key = kind, metric.spec.weights_are_counts or metric.spec.is_table
        if key not in checked:
            checked[key] = _check(*key, y_true, arrays[kind], {**options, "what": name})
            checked[key].cache["shared"] = len(metrics) > 1
        values[name] = _value(metric, checked[key], options["labels"], pos_label)
    return values


def _cut(
    metrics: Sequence[Metric], y_true: Any, arrays: dict[str, Any], threshold: Any, positive: Any
) -> dict[str, Any]:
    """Put labels at a threshold into the arrays; return it for metrics that take it."""
    taking = any(metric.takes("threshold") for metric in metrics)
    if any(metric.spec.response == "labels" for metric in metrics):
        name = "y_proba" if arrays["scores"] is None else "y_score"
        score = arrays["probabilities"] if arrays["scores"] is None else arrays["scores"]
        if score is None or arrays["labels"] is not None:
            raise InvalidParameterError(
                "threshold= makes labels of scores: pass y_score= or y_proba=, and no y_pred."
            )
        models = score if isinstance(score, Mapping) else {None: score}
        cut = {
            model: replace(labels_at(threshold, y_true, each, positive, name), name="y_pred")
            for model, each in models.items()
        }
        arrays["labels"] = cut if isinstance(score, Mapping) else cut[None]
    elif not taking:
        names = [metric.name for metric in metrics]
        raise InvalidParameterError(f"threshold= changes none of {names}: leave it out.")
    return {"threshold": threshold} if taking else {}


def _with_params(metrics: Sequence[Metric], params: dict[str, Any]) -> Sequence[Metric]:
    """The metrics, each with the parameters that it takes; every parameter needs a metric."""
    if not params:
        return metrics  # whose facts are known
    unused = {key for key in params if not any(metric.takes(key) for metric in metrics)}
    if unused:
        names = [metric.name for metric in metrics]
        raise InvalidParameterError(f"No metric of {names} takes {sorted(unused)}.")

    def is_free(metric: Metric, key: str) -> bool:
        """The plain name of a metric has defaults, which the name of a variant settles."""
        return metric.takes(key) and (key not in metric.params or metric.name == metric.spec.name)

    return [
        metric.with_params(**{key: params[key] for key in params if is_free(metric, key)})
        for metric in metrics
    ]


def _table(
    metrics: tuple[Metric, ...],
    y_true: Any,
    arrays: dict[str, Any],
    options: dict[str, Any],
    labelling: Labelling | None,
) -> Any:
    """The metrics of all rows or of each group, as `evaluate` computes them."""
    from skmetrics_ext.merged.evaluation import evaluate_arrays, evaluate_labelled
    from skmetrics_ext.merged.grouped_rows import EveryRow

    y_score = arrays["scores"]
    if y_score is None:
        y_score = arrays["probabilities"]
    elif arrays["probabilities"] is not None:  # one table for each, of the metrics that read it
        parts: dict[str, list[Metric]] = {}
        for metric in metrics:
            unread = "scores" if metric.spec.response == "probabilities" else "probabilities"
            parts.setdefault(unread, []).append(metric)
        tables = [
            _table(tuple(part), y_true, {**arrays, unread: None}, dict(options), labelling)
            for unread, part in parts.items()
        ]
        return tables[0] if len(tables) == 1 else _joined(tables, [each.name for each in metrics])
    for metric in metrics:
        _response_of(metric.name, metric.spec, {**arrays, "probabilities": y_score})
    known: Labelling | EveryRow | None = labelling
    if known is None and True in {metric.spec.reads_rows for metric in metrics}:
        known = EveryRow()
    if known is not None:
        responses = {"labels": arrays["labels"], "scores": y_score}
        own = {name: options.pop(name) for name in ("sample_weight", "groups")}
        given = {"y_true": y_true, **own}
        return evaluate_labelled(metrics, given, responses, known, **options)
    return evaluate_arrays(metrics, y_true, arrays["labels"], y_score, **options)


@dataclass(frozen=True)
class _Sources:
    """Statistics of metrics that were read from several arrays, each from its own."""

    of_metric: Mapping[str, Any]
    plan: Any

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Any:
        return self.of_metric[metric.name].statistic(metric, groups)


def _joined(tables: Sequence[Any], names: Sequence[str]) -> Any:
    """Two evaluations of the same rows as one, with the metrics in the order of their names."""
    from skmetrics_ext.merged.evaluation import Evaluation

    first, second = tables
    both = first.groups, second.groups
    second.groups.token = first.groups.token  # their rows are the same
    source_of = {name: each.source for each in both for name in each.metrics}
    metrics = {name: metric for each in both for name, metric in each.metrics.items()}
    groups = replace(
        both[0],
        metrics={name: metrics[name] for name in names},
        source=_Sources(source_of, both[0].source.plan),
        n_rows=both[1].n_rows | both[0].n_rows,
    )
    place = {group: k for k, group in enumerate(groups.n_rows)}
    rows = sorted([*first, *second], key=lambda row: (place[row.group], names.index(row.metric)))
    further = {
        name: getattr(first, name) | getattr(second, name) for name in ("bins", "pair_areas")
    }
    notes = list(dict.fromkeys([*first.notes, *second.notes]))
    about = {"groups": groups, "notes": notes, "curves": first.curves}
    return Evaluation(rows, first.engine, first.confidence_level, **about, **further)


def _table_of_models(
    metrics: Sequence[str],
    y_true: Any,
    arrays: dict[str, Any],
    params: dict[str, Any],
    options: dict[str, Any],
    labelling: Labelling | None,
    cut: Mapping[str, Any],
) -> Any:
    """The table of several models, each with the metrics of which it has the predictions."""
    from skmetrics_ext.merged.evaluation import Evaluation
    from skmetrics_ext.merged.layout import find_metrics

    given = {kind: each for kind, each in arrays.items() if each is not None}
    for kind, each in given.items():
        if not isinstance(each, Mapping) or not each:
            raise InvalidParameterError(
                f"{_ARGUMENTS[kind]} must be a dict of the name of a model to its array, as the "
                f"other predictions are, got {type(each).__name__}."
            )
    names = list(dict.fromkeys(name for each in given.values() for name in each))
    found = dict(zip(metrics, find_metrics(metrics, of_rows=True), strict=True))
    parts = {}
    for name in names:
        own = {kind: each.get(name) for kind, each in given.items()}
        own = dict.fromkeys(arrays) | own
        with errors_naming(f"model {name!r}"):
            extra = _cut(list(found.values()), y_true, own, **cut) if cut else {}
            fitting = [metric for metric in found.values() if _kind_of(metric.spec, own)]
            if fitting:
                asked = tuple(_with_params(fitting, params | extra))
                parts[name] = _table(asked, y_true, own, dict(options), labelling)
    if cut and arrays["labels"] is None:
        arrays = arrays | {"labels": {}}  # those at the threshold
    for metric in metrics:  # each is of a model at least
        _response_of(metric, found[metric].spec, arrays)
    return Evaluation.of_models(parts)


def _value(metric: Metric, checked: Any, labels: Any, pos_label: Any) -> Any:
    """Value of checked data, whose last class is the positive one for scores."""
    if isinstance(checked, Labels):
        if labels is not None and metric.takes("labels"):
            metric = metric.with_params(labels=labels)
        if not checked.is_multilabel:
            metric = metric.settled(checked.classes.tolist(), pos_label)
    elif labels is None and len(checked.classes) <= 2 and checked.true.ndim == 1:
        metric.positive(checked.classes.tolist(), pos_label)  # raises if it is needed and unknown
    return metric.function(checked, checked, **metric.params)


def _response_of(name: str, spec: MetricSpec, arrays: dict[str, Any]) -> str:
    """Which of the arrays a metric reads."""
    kind = _kind_of(spec, arrays)
    if kind is None:
        pass_it = f"pass {_ARGUMENTS[spec.response]}="
        if spec.response == "labels":
            pass_it += ", or pass threshold= to make labels of scores"
        raise InvalidParameterError(f"{name!r} is a metric of {spec.response}: {pass_it}.")
    return kind


def _kind_of(spec: MetricSpec, arrays: dict[str, Any]) -> str | None:
    """The kind of predictions that a metric reads, if they are given."""
    if arrays[spec.response] is not None:
        return spec.response
    has_sign = "by_sign" in spec.traits  # of decision values, which probabilities lack
    reads_any = spec.response == "scores" and not has_sign
    return "probabilities" if reads_any and arrays["probabilities"] is not None else None


def _check(
    kind: str, absolute: bool, y_true: Any, response: Any, options: dict[str, Any]
) -> Labels | Scores | Probabilities:
    if kind == "labels":
        weight = options["sample_weight"]
        labels = Labels.check(y_true, response, sample_weight=weight, absolute=absolute)
        return labels.sharing_classes(options["labels"])
    if kind == "scores":
        return Scores.check(y_true, response, **options)
    return Probabilities.check_strict(y_true, response, **options)

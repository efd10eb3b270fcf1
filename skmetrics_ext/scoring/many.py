"""Many metrics of the same arrays, checked and counted once for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.abstention import Abstained, may_abstain
from skmetrics_ext.inference.directions import note_on_series
from skmetrics_ext.inference.draws.readers import check_rows, errors_naming
from skmetrics_ext.inference.labelling import Labelling, naming_labelling
from skmetrics_ext.inference.partly_labelled import PartlyGiven
from skmetrics_ext.numeric import Options, PosLabel
from skmetrics_ext.questions import AskedMetric
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
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.parameters import check_integer, check_level
from skmetrics_ext.validation.positive import class_notes, notes_on_confidence
from skmetrics_ext.validation.rows import read_rows
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
        Probabilities, for metrics of probabilities; by default ``y_score`` is used. A single
        column is the positive class.
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
    proba = y_score if y_proba is None else y_proba
    arrays = {"labels": y_pred, "scores": y_score, "probabilities": proba}
    if threshold is not None and not are_models:
        params |= _cut(list(map(find, metrics)), y_true, arrays, threshold, pos_label)
    if by is not None or intervals or are_models or labelling is not None:
        from skmetrics_ext.merged.layout import find_metrics

        level = check_level(confidence_level) if intervals else None
        options: Options = {"labels": labels, "pos_label": pos_label}
        options |= {"sample_weight": sample_weight}
        options |= {"by": by, "groups": groups, "level": level, "method": method, **by_group}
        with naming_labelling():
            if are_models:
                cut = {} if threshold is None else {"threshold": threshold, "positive": pos_label}
                return _table_of_models(metrics, y_true, arrays, params, options, labelling, cut)
            found = _with_params(find_metrics(metrics, of_rows=True), params)
            table = table_of_arrays(found, y_true, arrays, labelling, **options)
        if method != "auto" and not any(method in str(row.method) for row in table):
            raise InvalidParameterError(f"method={method!r} is of no interval of {list(metrics)}.")
        is_dict = by is None and not intervals
        return {row.metric: row.value for row in table} if is_dict else table
    if y_pred is None and isinstance(y_true, ConfusionTally):
        arrays["labels"] = y_true
    question = _Question(y_true, arrays, labels, pos_label, sample_weight)
    values = {}
    for name, metric in zip(metrics, _with_params(list(map(find, metrics)), params), strict=True):
        asked = question.of(name, metric)
        if len(metrics) == 1:
            asked.view.cache["shared"] = False
        values[name] = asked.metric.function(asked.view, asked.view, **asked.metric.params)
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


@dataclass(eq=False)
class _Question:
    """Arrays that any number of metrics read, checked once for all that read the same response."""

    y_true: Any
    arrays: Mapping[str, Any]
    labels: Any
    pos_label: Any
    sample_weight: Any
    absolute: bool = False
    views: dict[tuple[str, bool], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = [self.y_true, self.sample_weight, *self.arrays.values()]
        self.labels = None if self.labels is None else read_labels(self.labels)
        if np.ma.MaskedArray not in {*map(type, given)}:
            return
        # Rows that any array masks are left out of all, so that all metrics are of the same rows.
        kinds = [kind for kind, each in self.arrays.items() if each is not None]
        named = {_ARGUMENTS[kind]: self.arrays[kind] for kind in kinds}
        read, self.sample_weight = read_rows(self.sample_weight, True, y_true=self.y_true, **named)
        self.y_true, *columns = read
        self.arrays = dict.fromkeys(self.arrays) | dict(zip(kinds, columns, strict=True))

    def of(self, name: str, metric: Metric) -> AskedMetric:
        """A metric with nothing left open, and the checked data that it reads."""
        spec, kind = metric.spec, _response_of(name, metric.spec, self.arrays)
        response, weight = self.arrays[kind], self.sample_weight
        if spec.ranks_labels or spec.reads_rows:  # rows are more than two labels
            if self.labels is not None and metric.takes("labels"):
                metric = metric.with_params(labels=self.labels)
            return AskedMetric(*check_rows(metric, self.y_true, response, weight))
        key = kind, self.absolute or spec.weights_are_counts or spec.is_table
        if key not in self.views and kind == "labels":
            read = Labels.check(self.y_true, response, sample_weight=weight, absolute=key[1])
            self.views[key] = read.sharing_classes(self.labels)
        elif key not in self.views:
            of_class = {"labels": self.labels, "pos_label": self.pos_label, "what": name}
            check = Scores.check if kind == "scores" else Probabilities.check_strict
            self.views[key] = check(self.y_true, response, sample_weight=weight, **of_class)
        view, labels, positive = self.views[key], self.labels, None
        if kind == "labels":
            if labels is not None and metric.takes("labels"):
                metric = metric.with_params(labels=labels)
            if not view.is_multilabel:
                metric = metric.settled(view.classes.tolist(), self.pos_label)
                positive = metric.params.get("pos_label", self.pos_label)
        elif len(view.classes) <= 2 and view.true.ndim == 1:
            positive = view.classes.tolist()[-1]
            if labels is None:  # raises if it is needed and unknown
                metric.positive(view.classes.tolist(), self.pos_label)
        return AskedMetric(metric, view, positive=positive)


def table_of_arrays(
    metrics: Sequence[Metric],
    y_true: Any,
    arrays: Mapping[str, Any],
    labelling: Labelling | None = None,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    by: Any = None,
    bins: Any = None,
    margins: bool = False,
    groups: Any = None,
    level: float | None = None,
    **options: Any,
) -> Evaluation:
    """The metrics of all rows or of each group, as `evaluate` computes them."""
    from skmetrics_ext.merged.evaluation import evaluate_rows
    from skmetrics_ext.merged.grouped_rows import GroupedRows

    check_option("margins", margins, (True, False))
    check_integer("min_rows", options.get("min_rows", 1), 1)
    options["margins"] = margins
    if pos_label is None and labels is not None and len(listed := read_labels(labels)) == 2:
        pos_label = listed.tolist()[1]
    if labelling is not None:
        given = {"y_true": y_true, "sample_weight": sample_weight, "groups": groups}
        asked, of_class = {}, {"labels": labels, "pos_label": pos_label}
        for metric in metrics:
            taken = {k: v for k, v in of_class.items() if v is not None and metric.takes(k)}
            response = arrays[_response_of(metric.name, metric.spec, arrays)]
            asked[metric.name] = AskedMetric(metric.with_params(**taken), response)
        n_rows = len(PartlyGiven.read(y_true, y_true, None, (None, None)).rows.labelled)
        rows = GroupedRows(asked, n_rows, labelling=labelling, columns=given)
        return evaluate_rows(rows.grouped(by, bins, y_true), level, **options)
    question = _Question(y_true, arrays, labels, pos_label, sample_weight, absolute=True)
    asked = {metric.name: question.of(metric.name, metric) for metric in metrics}
    views = [each.view for each in asked.values()]
    if not metrics[0].spec.reads_rows and views[0].true.ndim > 1:
        raise InvalidParameterError(
            "Tables with intervals or by= read one label a row, and y_true has several columns: "
            "pass one column of each array at a time, or all to confidence_interval."
        )
    n_rows = len(views[0].true)
    rows = GroupedRows(asked, n_rows, views[0].weight).grouped(by, bins, y_true)
    if groups is not None:
        given = {_ARGUMENTS[kind]: each for kind, each in arrays.items() if each is not None}
        rows = replace(rows, cluster=read_groups(groups, n_rows, y_true=y_true, **given))
    rows = rows.with_sums(level, margins=margins)
    return evaluate_rows(rows, level, notes=_notes(list(asked.values()), arrays), **options)


def _notes(asked: Sequence[AskedMetric], arrays: Mapping[str, Any]) -> list[str]:
    """Notes on the positive class, the names of columns, and scores that may be confidences."""
    notes: list[str] = []
    labels = [each for each in asked if isinstance(each.view, Labels)]
    scored = [
        each for each in asked if each.positive is not None and not isinstance(each.view, Labels)
    ]
    of_two = [each for each in labels if len(each.view.classes) == 2]
    one_sided = [each for each in of_two if each.metric.sides == "one"]
    for each in [*scored, *one_sided][:1]:
        notes += class_notes(each.positive)
    for each in scored[:1]:
        response = arrays["probabilities"] if arrays["scores"] is None else arrays["scores"]
        notes += filter(None, [note_on_series(response, each.view.classes.tolist(), each.positive)])
    ranked = [each.view.as_scores() for each in scored if each.metric.sums == "ranks"]
    if labels and ranked:
        score, weight = ranked[0].score, ranked[0].weight
        lowest = float((score if weight is None else score[weight != 0]).min(initial=np.inf))
        n_predicted = int(np.count_nonzero(np.bincount(labels[0].view.unweighted().pred)))
        notes += notes_on_confidence(lowest, n_predicted)
    return notes


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
                asked = _with_params(fitting, params | extra)
                parts[name] = table_of_arrays(asked, y_true, own, labelling, **options)
    if cut and arrays["labels"] is None:
        arrays = arrays | {"labels": {}}  # those at the threshold
    for metric in metrics:  # each is of a model at least
        _response_of(metric, found[metric].spec, arrays)
    return Evaluation.of_models(parts)


def _response_of(name: str, spec: MetricSpec, arrays: Mapping[str, Any]) -> str:
    """Which of the arrays a metric reads."""
    kind = _kind_of(spec, arrays)
    if kind is None:
        pass_it = f"pass {_ARGUMENTS[spec.response]}="
        if spec.response == "labels":
            pass_it += ", or pass threshold= to make labels of scores"
        raise InvalidParameterError(f"{name!r} is a metric of {spec.response}: {pass_it}.")
    return kind


def _kind_of(spec: MetricSpec, arrays: Mapping[str, Any]) -> str | None:
    """The kind of predictions that a metric reads, if they are given."""
    if arrays[spec.response] is not None:
        return spec.response
    has_sign = "by_sign" in spec.traits  # of decision values, which probabilities lack
    reads_any = spec.response == "scores" and not has_sign
    return "probabilities" if reads_any and arrays["probabilities"] is not None else None

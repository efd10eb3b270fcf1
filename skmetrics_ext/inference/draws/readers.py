"""Readers: samples from a metric and rows, raw or checked."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.derivatives import STEP
from skmetrics_ext.inference.draws.atoms import PLAIN, WEIGHT_KINDS, RowDesign
from skmetrics_ext.inference.draws.rankings import (
    PairRankingSample,
    RankingSample,
    RiskSample,
    sort_once,
)
from skmetrics_ext.inference.draws.samples import (
    FunctionSample,
    MomentSample,
    RowSample,
    Sample,
    TableSample,
    TallySample,
    without_zero_weights,
)
from skmetrics_ext.metrics.averaging import MACRO, is_by_class
from skmetrics_ext.metrics.family import LABELS, MEANS, RANKING, Family
from skmetrics_ext.metrics.labels.raters import RatingTable
from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.registry.find import parameters_of
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores
from skmetrics_ext.validation.cutoffs import labels_at
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.errors import MixedTargetsError, check_option
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_design
from skmetrics_ext.validation.labels import read_labels, subset
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.probabilities import n_columns
from skmetrics_ext.validation.ratings import Ratings
from skmetrics_ext.validation.rows import check_same_masks
from skmetrics_ext.validation.targets import kind_of

# Tables of more classes are not stacked: their metrics are read from weighted rows.
MOST_CLASSES = 128
_CHECKS: Mapping[str, Callable[..., Any]] = {
    "scores": Scores.check,
    "probabilities": Probabilities.check_strict,
}
# Parameters that `Metric.read` handles for rankings, besides those of their kernels.
_OF_RANKINGS = ("average", "multi_class", "labels", "pos_label")


def find_metric(metric: Any, params: Mapping[str, Any]) -> Metric:
    """A metric by any of its names; metrics that estimate nothing are rejected.

    A positive class is ignored for metrics that are the same for either class.
    """
    known = metric if isinstance(metric, Metric) else find(metric)
    if "pos_label" in params and known.spec.is_known and not known.takes("pos_label"):
        params = {name: value for name, value in params.items() if name != "pos_label"}
    if params:
        known = find(metric, params)
    if known.spec.is_known and known.params.get("normalize") is False:
        raise InvalidParameterError(
            "normalize=False gives a sum over the rows, which estimates nothing: take the interval "
            "of the mean and multiply it."
        )
    return known


def at_threshold(
    threshold: Any, metric: Any, params: Mapping[str, Any], y_true: Any, **responses: Any
) -> tuple[Any, ...]:
    """Parameters and responses with scores as labels, unless the metric takes a threshold."""
    if threshold is None:
        return params, *responses.values()
    known, chosen = find(metric), params.get("pos_label")
    if known.takes("threshold"):
        return {**params, "threshold": threshold}, *responses.values()
    if known.spec.is_known and known.spec.response != "labels":
        raise InvalidParameterError(
            f"{known.name} reads {known.spec.response}, and threshold= turns them into labels: "
            "leave it out, or pass a metric of labels."
        )

    def cut(name: str, response: Any) -> Any:
        if isinstance(response, Mapping):
            return {key: cut(f"{name}[{key!r}]", each) for key, each in response.items()}
        column = labels_at(threshold, y_true, response, chosen, name)
        # A function of the user reads arrays.
        return column if known.spec.is_known or column.mask is not None else column.values

    return params, *(cut(name, each) for name, each in responses.items())


def sample_of_rows(
    metric: Any,
    y_true: Any,
    y_pred: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    strata: Any = None,
    weights_are: str = "importance",
    **params: Any,
) -> Sample:
    """The sample of a metric and raw rows, or of a table that counts rows.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names`, a metric of this package, or ``f(y_true, y_pred)``.
    y_true, y_pred : array-like
        Arguments of the metric; or ``y_true`` a `ConfusionTally`, in place of both.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; those of weight 0 are left out.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, if rows of a group may depend on each other.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row, if a fixed number of rows, or groups, was sampled from each.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    **params : dict
        Parameters of the metric.
    """
    known = find_metric(metric, params)
    if isinstance(y_true, ConfusionTally):
        y_pred = y_true if y_pred is None else y_pred
        weights_are, has_design = "frequency", groups is not None or strata is not None
        if known.spec.response != "labels" or has_design:
            raise InvalidParameterError(
                "y_true is a ConfusionTally, which counts labels and has no rows: pass rows for "
                f"{known.name!r} of other data, and for groups or strata."
            )
    if y_pred is None and known.spec.ratings:
        return RatingSample.of_rows(known, y_true, sample_weight, groups, strata, weights_are)
    if y_pred is None:
        raise InvalidParameterError(
            f"y_pred is missing: pass what {known.name} compares with y_true. Only a "
            "ConfusionTally stands for both."
        )
    if not known.spec.is_known:
        options = sample_weight, (groups, strata), weights_are
        return FunctionSample.of_rows(known, y_true, y_pred, *options)
    settled, checked = check_rows(known, y_true, y_pred, sample_weight)
    design = INDEPENDENT
    if groups is not None or strata is not None:
        columns = {"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}
        design = read_design(groups, strata, checked.true.shape[0], **columns)
    return sample_of_checked(settled, checked, design, weights_are)


# --------------------------------------------------------------------------- checked data


def check_rows(
    metric: Metric, y_true: Any, y_pred: Any, sample_weight: Any
) -> tuple[Metric, Labels | Scores | Probabilities]:
    """Checked data for a metric of this package, and the metric without the settled parameters.

    The one rule for the positive class applies, also to functions with scikit-learn's own rule.
    """
    spec = metric.spec
    if spec.response == "labels" and spec.check is None:
        absolute = spec.weights_are_counts or spec.is_table
        labels = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=absolute)
        labels.sharing_classes(metric.params.get("labels"))
        if not labels.is_multilabel:  # by the classes of rows that have weight
            rows = labels if labels.weight is None else without_zero_weights(labels)[0]
            metric = metric.settled(rows.classes.tolist())
        return metric, labels
    check = spec.check or _CHECKS[spec.response]
    accepted = parameters_of(check)
    options = {
        name: metric.params[name]
        for name in ("labels", "pos_label", spec.by_row)
        if name in accepted and metric.params.get(name) is not None
    }
    is_open = False
    if "side" in accepted:
        side = "one" if metric.sides == "one" else "either"
        rule = {"side": side, "what": metric.name, "by_rule": False}
        options |= {name: value for name, value in rule.items() if name in accepted}
    elif not options and metric.sides != "none":
        is_open = n_columns(y_pred) == 1
    checked = check(y_true, y_pred, sample_weight=sample_weight, **options)
    if isinstance(checked, Probabilities):
        checked.of_one_label()
    if is_open and len(checked.classes) <= 2:  # the order of labels= says which class it is
        positive_class(checked.classes.tolist(), what=metric.name, by_labels=True)
    return metric.without("labels", "pos_label", spec.by_row), checked


def of_model(metric: Metric, place: int) -> Metric:
    """The metric of one of several models, with the confidence of this model."""
    name = metric.spec.by_row
    each = metric.params.get(name)
    return metric.with_params(**{name: each[place]}) if isinstance(each, tuple) else metric


def sample_of_checked(
    metric: Metric,
    checked: Any,
    design: Design = INDEPENDENT,
    weights_are: str = "importance",
    value: Any = None,
    **identity: Any,
) -> TallySample:
    """The sample of a metric whose positive class is settled and of checked data.

    ``identity``: ``numbers`` and ``cluster`` of the rows in a larger sample.
    """
    data, row_design = checked, PLAIN
    by_weight = checked.weight is not None
    if weights_are != WEIGHT_KINDS[0]:
        check_option("weights_are", weights_are, WEIGHT_KINDS)
        by_weight = True
    if by_weight or design is not INDEPENDENT:
        data, design = without_zero_weights(checked, design)
        row_design = RowDesign.of(data.weight, design, weights_are)
    if value is None or data is not checked:
        sort_once(metric, data, by_row=not row_design.is_plain)
        value = value_of(metric, data)
    if identity:
        numbers, cluster = identity["numbers"], identity["cluster"]
        row_design = replace(row_design, number=numbers, cluster=cluster)
    return _SAMPLES[metric.spec.family](metric, value, data, row_design)


def value_of(metric: Metric, data: Any) -> Any:
    """The value of checked data; nan for a ranking that is 0/0, where its function may return 0."""
    # A function of several means may count classes instead, which is exact.
    counts_classes = metric.spec.family is MEANS and metric.spec.kernel is not mean
    warns = "needs_three_classes" in metric.spec.traits
    is_read = not counts_classes and not warns
    value = metric.plain_value(data) if is_read and metric.has_named_params else None
    if value is None:
        value = metric.function(data, data, **metric.params)
    tally = metric.tally_of(data) if metric.spec.family is RANKING and not np.all(value) else None
    return value if tally is None else metric.read(tally, filled=False)[()]


def samples_of_models(
    metric: Metric,
    y_true: Any,
    predictions: Mapping[str, Any],
    sample_weight: Any = None,
    groups: Any = None,
    strata: Any = None,
    weights_are: str = "importance",
) -> list[Sample]:
    """Samples of several models on the same rows, for a metric that is one number.

    Errors name the model at fault.
    """
    models: dict[str, Any] = {}
    for place, (name, pred) in enumerate(predictions.items()):
        with errors_naming(name):
            if metric.spec.is_known:
                own = of_model(metric, place)
                models[name] = check_rows(own, y_true, pred, sample_weight)
            else:
                options = sample_weight, (groups, strata), weights_are
                models[name] = FunctionSample.of_rows(metric, y_true, pred, *options)
    check_same_masks(**predictions)
    if not metric.spec.is_known:
        for sample in models.values():
            check_single_value("compare", metric, sample.value)
        return list(models.values())
    name, (settled, first) = next(iter(models.items()))
    columns = {"y_true": y_true, name: predictions[name], "sample_weight": sample_weight}
    design = read_design(groups, strata, first.true.shape[0], **columns)
    samples: list[Sample] = []
    for name, (_, checked) in models.items():
        data, kept = without_zero_weights(checked, design)
        row_design = samples[0].design if samples else RowDesign.of(data.weight, kept, weights_are)
        sort_once(settled, data, by_row=True)
        with errors_naming(name):
            value = value_of(settled, data)
        value = check_single_value("compare", settled, value)
        samples.append(sample_of(settled, data, row_design, value))
    return samples


@contextmanager
def errors_naming(argument: str) -> Iterator[None]:
    """Name the argument at fault at the beginning of an error."""
    try:
        yield
    except MixedTargetsError as error:
        raise MixedTargetsError(f"{argument}: {error}") from error
    except ValueError as error:
        raise InvalidParameterError(f"{argument}: {error}") from error


def check_single_value(what: str, metric: Metric, value: Any) -> float:
    """The value of a metric, which has to be one number."""
    if np.ndim(value) != 0 or np.asarray(value).dtype.kind not in "biuf":
        raise InvalidParameterError(
            f"{what} needs a metric that is one number, got {value!r:.60} from {metric.name}: "
            "choose an average."
        )
    return float(value)


def sample_of(metric: Metric, data: Any, design: RowDesign, value: Any) -> TallySample:
    """The sample of checked data without rows of weight 0."""
    return _SAMPLES[metric.spec.family](metric, value, data, design)


def _label_sample(metric: Metric, value: Any, data: Labels, design: RowDesign) -> TallySample:
    read, rows = without_other_classes(metric, data)
    has_table = not rows.is_multilabel and len(rows.classes) <= MOST_CLASSES
    return (TableSample if has_table else RowSample)(read, value, rows, design, given=data)


def _ranking_sample(metric: Metric, value: Any, data: Any, design: RowDesign) -> TallySample:
    """Pairs of classes, cells and single rows have rankings of their own."""
    spec, options = metric.spec, metric.options
    is_read = not metric.params or _knows(metric, spec.kernel, _OF_RANKINGS)
    if is_read and not spec.is_table:
        scores = data.as_scores() if isinstance(data, Probabilities) else data
        by_pair, average = options.get("multi_class") == "ovo", options.get("average", MACRO)
        if scores.kind == "binary" or (not by_pair and is_by_class(average)):
            kind = RiskSample if spec.response == "labels" else RankingSample
            return kind(metric, value, scores, design)
    return (PairRankingSample if isinstance(data, Scores) else RowSample)(
        metric, value, data, design
    )


def _mean_sample(metric: Metric, value: Any, data: Any, design: RowDesign) -> TallySample:
    values = metric.spec.row_values
    assert values is not None
    is_read = not metric.params or _knows(metric, values, metric.kernel_params)
    return (MomentSample if is_read else RowSample)(metric, value, data, design)


_SAMPLES: Mapping[Family, Callable[..., TallySample]] = {
    LABELS: _label_sample,
    RANKING: _ranking_sample,
    MEANS: _mean_sample,
}


def value_of_part(sample: TallySample, data: Any) -> float:
    """The metric of other data; nan if it is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(value_of(sample.metric, data))
        except (ValueError, ZeroDivisionError):
            return np.nan


def part_of(sample: TallySample, rows: Array) -> TallySample:
    """Sample of the same metric with some of the rows; its value is nan where it is 0/0."""
    data = subset(sample.data, rows)
    design, value = sample.design.select(rows), value_of_part(sample, data)
    part = sample_of(sample.metric, data, design, value)
    return replace(part, value=np.nan) if np.any(part.is_undefined) else part


def without_other_classes(metric: Metric, labels: Labels) -> tuple[Metric, Labels]:
    """The metric of one class instead of an average over it, and classes that are read.

    All others are one class, since it makes no difference which of them a row has.
    """
    listed = metric.listed_classes()
    if not listed or metric.options.get("average") is None:
        return metric, labels
    others = set(labels.classes.tolist()).difference(listed)
    if len(listed) == 1:
        is_binary = len(others) == len(labels.classes) - 1 == 1 and not labels.is_multilabel
        metric = metric.of_one_class(1 if labels.is_multilabel else listed[0])
        return metric, labels if is_binary else _merged(labels, listed)
    is_merged = len(others) > 1 and not labels.is_multilabel
    return metric, _merged(labels, listed) if is_merged else labels


def _merged(labels: Labels, kept: Sequence[Any]) -> Labels:
    """Labels with the classes that are not kept as one; of multilabel data, one output.

    It is named "other", or by the class if only one of them is a true one.
    """
    weight, classes = labels.weight, np.empty(len(kept) + 1, dtype=object)
    if labels.is_multilabel:
        chosen = [marks[:, [kept[0]]] for marks in (labels.true, labels.pred)]
        marks = (m.toarray() if hasattr(m, "toarray") else m for m in chosen)
        true, pred = (each.reshape(-1).astype(np.int64) for each in marks)
        return Labels("binary", np.arange(2), true, pred, weight)
    place = find_labels(labels.classes, np.array(kept, dtype=object)) + 1
    rows = np.bincount(labels.true, minlength=len(place))
    others = labels.classes[(rows > 0) & (place == 0)].tolist()
    rest = others[0] if len(others) == 1 else "other"
    while rest in kept:
        rest += " "
    classes[:] = [rest, *kept]
    return Labels(kind_of(classes), classes, place[labels.true], place[labels.pred], weight)


def samples_of_classes(sample: Any) -> list[Any]:
    """A sample of each class, if the metric has a value for each; else none."""
    metric, data = sample.metric, getattr(sample, "data", sample)
    by_class = np.ndim(sample.value) and not sample.is_slow and hasattr(data, "score")
    if by_class and data.kind == "multiclass":  # rankings of each class against the rest
        alone = metric.without("average", "multi_class")
        return [
            replace(sample_of(alone, _against_rest(data, k), sample.design, value), given=data)
            for k, value in enumerate(sample.value.tolist())
        ]
    if not (isinstance(data, Labels) and np.ndim(sample.value)):
        return []
    if metric.spec.is_table or not metric.takes("average"):
        return []
    values, listed = np.ravel(sample.value).tolist(), metric.options.get("labels")
    classes = (data.classes if listed is None else read_labels(listed)).tolist()
    return [
        sample_of(metric.with_params(average="macro", labels=[label]), data, sample.design, value)
        for label, value in zip(classes, values, strict=True)
    ]


def _against_rest(scores: Scores, k: int) -> Scores:
    """The scores of a class against the rest, as two classes."""
    classes, marks = scores.classes[[k - 1, k]], (scores.true == k).astype(np.int64)
    columns: dict[str, Any] = {"classes": classes, "true": marks, "score": scores.score[:, k]}
    return replace(scores, kind="binary", **columns, cache={})


def _knows(metric: Metric, function: Callable[..., Any], handled: Any) -> bool:
    """Whether all parameters that are not at their defaults are this function's, or handled."""
    unknown = metric.params.keys() - parameters_of(function).keys() - set(handled)
    return not unknown or all(map(metric.is_default, unknown))


# --------------------------------------------------------------------------- ratings

_CELLS = 1 << 20  # numbers in memory at once


@dataclass(frozen=True, eq=False)
class RatingSample(TallySample):
    """A metric of a table of ratings."""

    kind = "rated"

    @classmethod
    def of_rows(
        cls, metric: Metric, table: Any, weight: Any, groups: Any, strata: Any, weights_are: str
    ) -> RatingSample:
        """The items that the metric reads: if each rating counts, those with several."""
        least = 1 if metric.spec.ratings == "items" else 2
        data = Ratings.check(table, metric.params.get("labels"), weight, least)
        n_several = np.count_nonzero(data.true.sum(axis=1) > 1)
        if n_several < 2:
            raise InvalidParameterError(
                f"ratings must hold two items or more that several raters rated, got {n_several}."
            )
        design = read_design(groups, strata, len(table), ratings=table, sample_weight=weight)
        design = design if design is INDEPENDENT else design.kept(data.rows)
        sample = cls(metric, np.nan, data, RowDesign.of(data.weight, design, weights_are))
        return replace(sample, value=float(sample.statistic(sample.atoms.rows)))

    def ways(self) -> tuple[Array | None, ...]:
        return (None,)

    def tally(self, counts: Array) -> RatingTable:
        by_item = self.metric.spec.ratings == "items"
        return RatingTable.of(self.data, self.atoms.mass(counts), by_item=by_item)

    def statistic(self, counts: Array) -> Array:
        return np.asarray(self.metric.kernel(self.tally(counts)))

    def slope(self) -> Array:
        """Derivative by the weight of each item (Gwet); if each rating counts, the jackknife."""
        atoms, data, whole = self.atoms, self.data, self.tally(self.atoms.rows)
        n, by_item = len(atoms), self.metric.spec.ratings == "items"
        weight = np.ones(n) if atoms.weight is None else atoms.weight
        step = np.full(n, 1j * STEP / atoms.mass(atoms.rows).sum()) if by_item else -weight
        pairs, shares, values = data.pairs(by_item=by_item), data.shares, []
        for rows in np.array_split(np.arange(n), -(-pairs.size // _CELLS)):
            table = whole.table + step[rows, None, None] * pairs[rows]
            share = whole.share + step[rows, None] * shares[rows]
            values.append(self.metric.kernel(replace(whole, table=table, share=share)))
        moved = np.concatenate(values)
        if by_item:
            return np.asarray(moved.imag / STEP)
        return np.asarray((self.value - moved) / weight * (atoms.n_rows - 1) / atoms.n_rows)

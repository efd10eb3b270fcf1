"""From a metric and rows to a `Sample`: the metric as a function of what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.atoms import PLAIN, WEIGHT_KINDS, RowDesign
from skmetrics_ext.inference.draws.rankings import PairRankingSample, RankingSample, is_area
from skmetrics_ext.inference.draws.samples import (
    FunctionSample,
    MomentSample,
    RowSample,
    Sample,
    TableSample,
    TallySample,
    weighed,
)
from skmetrics_ext.metrics.averaging import MACRO, is_by_class
from skmetrics_ext.metrics.rankings.score_tally import placements_of
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.registry.find import parameters_of
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_design
from skmetrics_ext.validation.labels import distinct_labels
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.probabilities import n_columns

# Tables of more classes are not stacked: their metrics are read from weighted rows.
_MOST_CLASSES = 128
_CHECKS: Mapping[str, Callable[..., Any]] = {
    "scores": Scores.check,
    "probabilities": Probabilities.check_strict,
}
# What `Metric.read` knows of rankings beside the parameters of their kernels.
_OF_RANKINGS = ("average", "multi_class", "labels", "pos_label")


def find_metric(metric: Any, params: Mapping[str, Any]) -> Metric:
    """By any of its names; refuse what is no estimate of anything.

    A positive class is accepted for metrics that are the same for either class.
    """
    if "pos_label" in params and find(metric).row and not find(metric).takes("pos_label"):
        params = {name: value for name, value in params.items() if name != "pos_label"}
    found = find(metric, params)
    if found.row is not None and found.params.get("normalize") is False:
        raise InvalidParameterError(
            "normalize=False gives a sum over the rows and not an estimate of anything: take "
            "the interval of the mean and multiply it."
        )
    return found


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
    """A metric of these rows as a function of what is drawn of them.

    Of a table that counts rows, in the place of both arrays, it is that of these rows.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names`, a metric of this package, or ``f(y_true, y_pred)``.
    y_true, y_pred : array-like
        What the metric takes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; those of weight 0 are left out.
    groups : array-like of shape (n_samples,), default=None
        Rows that belong together.
    strata : array-like of shape (n_samples,), default=None
        Parts of the source of which each had a number of rows, or groups, of its own.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    **params : dict
        Parameters of the metric.
    """
    found = find_metric(metric, params)
    if isinstance(y_true, ConfusionTally):
        y_pred = y_true if y_pred is None else y_pred
        weights_are, by_rows = "frequency", groups is not None or strata is not None
        if found.row is None or found.row.response != "labels" or by_rows:
            raise InvalidParameterError(
                "y_true is a ConfusionTally, which has the cells of metrics of labels and no rows: "
                f"neither {found.name!r} of other data nor groups or strata can be read from it."
            )
    if y_pred is None:
        raise InvalidParameterError(
            f"y_pred is missing: pass what {found.name} takes beside y_true. Only a ConfusionTally "
            "stands for both."
        )
    if found.row is None:
        about = sample_weight, (groups, strata), weights_are
        return FunctionSample.of_rows(found, y_true, y_pred, *about)
    settled, checked = check_rows(found, y_true, y_pred, sample_weight)
    others = {"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}
    design = read_design(groups, strata, checked.true.shape[0], **others)
    return sample_of_checked(settled, checked, design, weights_are)


# --------------------------------------------------------------------------- checked data


def check_rows(
    metric: Metric, y_true: Any, y_pred: Any, sample_weight: Any
) -> tuple[Metric, Labels | Scores | Probabilities]:
    """Checked data for a metric of this package, and the metric with what they did not settle.

    The positive class is found by the one rule, also where the function has another.
    """
    row = metric.spec
    if row.response == "labels":
        absolute = row.weights_are_counts or row.is_table
        labels = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=absolute)
        if not labels.is_multilabel:  # by the classes of rows that have weight
            metric = metric.settled(weighed(labels)[0].classes.tolist())
        return metric, labels
    check = row.check or _CHECKS[row.response]
    accepted = parameters_of(check)
    told = {name: metric.params.get(name) for name in ("labels", "pos_label")}
    used = {name: given for name, given in told.items() if given is not None and name in accepted}
    if "side" in accepted:
        side = "one" if metric.sides == "one" else "either"
        about = {"side": side, "what": metric.name, "by_rule": False}
        used |= {name: given for name, given in about.items() if name in accepted}
    elif not used and metric.sides != "none" and n_columns(y_pred) == 1:
        if "pos_label" not in accepted:  # the order of labels= says it
            checked = check(y_true, y_pred, sample_weight=sample_weight)
            if len(checked.classes) <= 2:
                positive_class(checked.classes.tolist(), what=metric.name, by_labels=True)
            return metric.without("labels", "pos_label"), checked
        classes = distinct_labels(y_true)
        if classes is not None and len(classes) <= 2:
            used["pos_label"] = positive_class(classes.tolist(), what=metric.name)
    checked = check(y_true, y_pred, sample_weight=sample_weight, **used)
    return metric.without("labels", "pos_label"), checked


def sample_of_checked(
    metric: Metric,
    checked: Any,
    design: Design = INDEPENDENT,
    weights_are: str = "importance",
    value: Any = None,
    **identity: Any,
) -> TallySample:
    """A metric whose positive class is settled, of checked data, as a function of draws."""
    data, facts = checked, PLAIN
    by_weight = checked.weight is not None or weights_are != WEIGHT_KINDS[0]
    if by_weight or design is not INDEPENDENT:
        data, design = weighed(checked, design)
        facts = RowDesign.of(data.weight, design, weights_are)
    if value is None or data is not checked:
        value = metric.function(data, data, **metric.params)
    if identity:
        facts = replace(facts, number=identity["numbers"], cluster=identity["cluster"])
    return sample_of(metric, data, facts, value)


def samples_of_models(
    metric: Metric,
    models: Mapping[str, Any],
    design: Design = INDEPENDENT,
    weights_are: str = "importance",
) -> list[Sample]:
    """A metric, which has to be one number, of several models on the same rows."""
    found: list[Any] = []
    shared = None
    for name, checked in models.items():
        if isinstance(checked, FunctionSample):
            number(metric, name, partial(getattr, checked, "value"))
            found.append(checked)
            continue
        data, kept = weighed(checked, design)
        if shared is None:
            shared = RowDesign.of(data.weight, kept, weights_are)
        if is_area(metric) and data.kind == "binary" and data.weight is None:
            placements_of(data)  # of which the value is read, and each row's contribution
        value = number(metric, name, partial(metric.function, data, data, **metric.params))
        found.append(sample_of(metric, data, shared, value))
    return found


def number(metric: Metric, name: str, value_of: Callable[[], Any]) -> float:
    """The metric of one model, as the public function gives it, which has to be one number."""
    try:
        value = value_of()
    except ValueError as error:
        raise InvalidParameterError(f"{name}: {error}") from error
    if np.ndim(value) != 0 or np.asarray(value).dtype.kind not in "biuf":
        raise InvalidParameterError(
            f"compare needs a metric that is one number, got {value!r:.60} from {metric.name}: "
            "choose an average."
        )
    return float(value)


def sample_of(metric: Metric, data: Any, design: RowDesign, value: Any) -> TallySample:
    """The sample of data that have no row of weight 0."""
    row = metric.spec
    if row.response == "labels":
        few = not data.is_multilabel and len(data.classes) <= _MOST_CLASSES
        return (TableSample if few else RowSample)(metric, value, data, design)
    if row.tally == "ranks" and _knows(metric, row.kernel, _OF_RANKINGS):
        scores = data.as_scores() if isinstance(data, Probabilities) else data
        options = metric.options
        # Pairs of classes, cells and rows have rankings of their own.
        each_class = is_by_class(options.get("average", MACRO))
        one_each = scores.kind == "binary" or (each_class and options.get("multi_class") != "ovo")
        if one_each and not row.is_table:
            return RankingSample(metric, value, scores, design)
    if row.row_values is not None and _knows(metric, row.row_values, metric.own):
        return MomentSample(metric, value, data, design)
    is_ranking = row.tally == "ranks" and isinstance(data, Scores)
    return (PairRankingSample if is_ranking else RowSample)(metric, value, data, design)


def _knows(metric: Metric, function: Callable[..., Any], further: Any) -> bool:
    """Whether nothing is asked of a metric that this function has no parameter for."""
    unknown = metric.params.keys() - parameters_of(function).keys() - set(further)
    return not unknown or all(map(metric.is_default, unknown))

"""Sums over rows that may come in any order: confusion tables, moments, calibration bins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from skmetrics_ext.merged import columns
from skmetrics_ext.merged.columns import Partition
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.metrics.calibration.binning import Binning, check_bins
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric, parameters_of
from skmetrics_ext.tallies import ConfusionTally, MomentTally, RankTally
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import (
    InvalidParameterError,
    Labels,
    Probabilities,
    Scores,
)
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.labels import subset

EVERY_SCORE = "every score"

# How the sums of parts are added, by the name of the field.
_COMBINE: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "tables": ConfusionTally.combine,
    "rows": sum,
    "moments": MomentTally.combine,
    "bins": lambda parts: tuple(map(BinTally.combine, zip(*parts, strict=True))),
    "ranges": sum,
}


@dataclass(eq=False)
class Sums:
    """Sums over rows by group (None without groups).

    Moments and bins have keys (group, metric); the weights of classes in ranges of scores
    (group, number of the column of scores).
    """

    tables: dict[Any, ConfusionTally] = field(default_factory=dict)
    rows: dict[Any, int] = field(default_factory=dict)
    moments: dict[tuple[Any, str], MomentTally] = field(default_factory=dict)
    bins: dict[tuple[Any, str], tuple[BinTally, ...]] = field(default_factory=dict)
    ranges: dict[tuple[Any, int], Array] = field(default_factory=dict)

    def add(self, other: Sums) -> None:
        """Add the sums of other rows."""
        for name, combine in _COMBINE.items():
            known, added = getattr(self, name), getattr(other, name)
            shared = {key: combine([known[key], added[key]]) for key in known.keys() & added.keys()}
            known |= added
            known |= shared

    def of_group(self, group: Any) -> Sums:
        """Label the sums of rows without groups as those of a group."""
        return Sums(
            **{
                name: {
                    group if key is None else (group, key[1]): part for key, part in parts.items()
                }
                for name, parts in vars(self).items()
            }
        )

    def margin(self, sources: Mapping[Any, Sequence[Any]]) -> Sums:
        """Sums of groups that consist of others, given these sources."""
        whole = {part: group for group, parts in sources.items() for part in parts}
        margin = Sums()
        for name, combine in _COMBINE.items():
            parts: dict[Any, list[Any]] = {}
            by_group = name in ("tables", "rows")
            for key, sums in getattr(self, name).items():
                group = key if by_group else key[0]
                if group in whole:
                    place = whole[group] if by_group else (whole[group], key[1])
                    parts.setdefault(place, []).append(sums)
            getattr(margin, name).update({key: combine(each) for key, each in parts.items()})
        return margin

    def masses(self, group: Any, classes: Array) -> Array:
        """Weight of each class in a group."""
        tally = self.tables[group]
        true = np.append(tally.table.sum(axis=1), 0)  # the last stands for classes without rows
        return true[find_labels(classes, tally.classes)]


def count_labels(part: Partition) -> Sums:
    """Rows and confusion table of each group; diagonal without predicted labels."""
    return count_groups(part.as_labels(), part.groups, part.group) if part.n_rows else Sums()


def count_groups(labels: Labels, groups: Sequence[Any], group: Array | None) -> Sums:
    """Rows and confusion table of each group, of which each row has the number."""
    sums, classes = Sums(), labels.classes
    if group is None:
        sums.tables[None], sums.rows[None] = ConfusionTally.from_labels(labels), labels.n_rows
    elif len(groups) * len(classes) ** 2 > max(1 << 16, 4 * labels.n_rows):
        for value, rows in columns.each_group(groups, group):
            sums.tables[value] = ConfusionTally.from_labels(subset(labels, rows))
            sums.rows[value] = len(rows)
    else:
        stacked = ConfusionTally.from_labels(labels, group)
        sums.rows |= columns.group_counts(groups, group)
        seen = stacked  # rows without weight occur as well
        if labels.weight is not None:
            unweighted = replace(labels, weight=None, cache={})
            seen = ConfusionTally.from_labels(unweighted, group)
        used = np.any(seen.table, axis=1) | np.any(seen.table, axis=2)
        sums.tables.update(zip(groups, stacked.each(), strict=True))
        for place in np.flatnonzero(~used.all(axis=1)).tolist():
            own = used[place]
            table = stacked.table[place][np.ix_(own, own)]
            sums.tables[groups[place]] = ConfusionTally(classes[own], table, labels.ordered)
    return sums


def as_read(metric: Metric, view: Any) -> Any:
    """Checked data as a metric reads them: probabilities as scores, if it is of scores."""
    is_of_scores = metric.spec.response == "scores" or metric.spec.check == Scores.check
    return view.as_scores() if is_of_scores and hasattr(view, "as_scores") else view


def sum_rows(
    part: Partition, layout: Layout, *, ranked: bool
) -> tuple[Sums, dict[Any, list[RankTally]]]:
    """Moments and calibration bins of each group and, if ``ranked``, its tallies of scores."""
    sums, tallies = Sums(), {}
    ranked = ranked and bool(layout.of_kind("ranks"))
    if not ranked and not layout.needs_sums:
        return sums, {}
    for group, rows in columns.rows_by_group(part, layout):
        for metric in layout.of_kind(*_SUMMED):
            view = checked_view(metric, rows, layout)
            getattr(sums, metric.sums)[group, metric.name] = _SUMMED[metric.sums](metric, view)
        if ranked:
            tallies[group] = tallies_of(rows, len(layout.classes))
    return sums, tallies


def sum_all(part: Partition, layout: Layout) -> tuple[Sums, dict[Any, list[RankTally]]]:
    """All sums of each group and, if a metric ranks, its tallies of scores."""
    sums, tallies = sum_rows(part, layout, ranked=True)
    sums.add(count_labels(part))
    return sums, tallies


def tallies_of(rows: Partition, n_classes: int) -> list[RankTally]:
    """Rank tally of each column of scores."""
    return [
        RankTally.from_scores(np.ascontiguousarray(column), rows.true, n_classes, rows.weight)
        for column in rows.rankings
    ]


def is_summed(metric: Metric, view: Any) -> bool:
    """Whether a metric of checked data can be read from sums of the rows."""
    spec = metric.spec
    is_open = metric.options.get("target") == "binary" and len(view.classes) > 2
    is_open |= view_kind(metric) == EVERY_SCORE and len(view.classes) < 3
    return not (spec.reads_rows or spec.ranks_labels or is_open or _unread(metric))


def _unread(metric: Metric) -> list[str]:
    """Parameters of a metric of means that the values of its rows do not take."""
    values = metric.spec.row_values
    if values is None:
        return []
    return [key for key in metric.params if key not in parameters_of(values)]


def moments_of(metric: Metric, view: Any) -> MomentTally:
    """Moments of the values of the rows that a metric averages."""
    values = metric.spec.row_values
    assert values is not None
    row_values = np.asarray(values(view, **metric.params), dtype=np.float64)
    return MomentTally.from_checked(row_values, view.weight)


def view_kind(metric: Metric) -> str:
    """Checked data that a metric reads: labels, one column or all of scores, or probabilities."""
    spec = metric.spec
    if metric.sums == "tables":
        return "labels"
    if spec.response == "probabilities" and spec.check != Scores.check:
        return "probabilities"
    return EVERY_SCORE if spec.least_classes > 2 else "scores"


def checked_view(metric: Metric, rows: Partition, layout: Layout) -> Any:
    """The view of rows with scores that a metric is summed over."""
    kind, unread = view_kind(metric), _unread(metric)
    if unread:
        raise InvalidParameterError(f"{metric.name} cannot be read from sums with {unread}.")
    check_target(metric, layout)
    if kind == EVERY_SCORE and layout.n_columns == 1:
        raise InvalidParameterError(
            f"{metric.name} of one column of scores depends on the range of all scores: pass a "
            "column for each class."
        )
    return view_of(rows, layout, kind)


def view_of(rows: Partition, layout: Layout, kind: str) -> Scores | Probabilities:
    """Rows with scores as checked data of a kind."""
    score = rows.score
    if kind == "probabilities":
        score = score[:, 0] if layout.n_columns == 1 else score
        cache = {"ordered": layout.labels is not None or rows.ordered}
        return Probabilities(layout.classes, rows.true, score, rows.weight, rows.eps, cache=cache)
    if layout.is_binary and kind == "scores":
        return Scores("binary", layout.classes, rows.true, score[:, -1], rows.weight)
    return Scores("multiclass", layout.classes, rows.true, score, rows.weight)


def check_target(metric: Metric, layout: Layout) -> None:
    """Refuse calibration errors of one event for several classes."""
    if metric.options.get("target") == "binary" and not layout.is_binary:
        raise InvalidParameterError(
            f"{metric.name} of several classes needs target='top_label' or 'classwise'."
        )


def bins_of(metric: Metric, view: Probabilities) -> tuple[BinTally, ...]:
    """Sums over the bins of a calibration error, for one event or each class."""
    bins = check_bins(metric.options["n_bins"], "uniform")
    target = metric.options["target"]
    if target == "binary":
        events = [view.as_binary()]
    else:
        events = [view.top_label()] if target == "top_label" else view.each_class()
    return tuple(
        Binning.of(event.proba, event.weight, "uniform", bins).sums(event) for event in events
    )


# How metrics are summed in one pass over rows, by the name of the field of `Sums`.
_SUMMED: Mapping[str, Callable[..., Any]] = {"moments": moments_of, "bins": bins_of}

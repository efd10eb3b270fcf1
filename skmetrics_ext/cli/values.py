"""The models of a file of predictions as a table of estimates, by group, and their differences."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

from skmetrics_ext import evaluate
from skmetrics_ext.cli.predictions import LARGE, PredictedModel, Predictions, find_metric
from skmetrics_ext.inference.estimate_rows import EstimateRow, row_of
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.limits import reader_of_sums
from skmetrics_ext.merged.columns import ColumnNames, read_group_column
from skmetrics_ext.merged.evaluation import Evaluation, evaluate_rows
from skmetrics_ext.merged.grouped_rows import hold_rows
from skmetrics_ext.merged.layout import find_metrics, make_layout
from skmetrics_ext.progress import reporting
from skmetrics_ext.registry import Metric
from skmetrics_ext.registry.defaults import HEADINGS
from skmetrics_ext.requirements import Verdicts, check_requirements
from skmetrics_ext.slices.group_columns import ALL, NO_GROUPS, GroupColumns
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels


@dataclass(frozen=True, eq=False)
class Values:
    """The values of the models, of all rows and of the groups of each column.

    Parameters
    ----------
    data : Predictions
    parts : list of (PredictedModel, str or None, Evaluation)
        The evaluation of each model by each column of groups. Models are not known by name: a
        column may hold scores and predicted labels at once.
    """

    data: Predictions
    parts: list[tuple[PredictedModel, str | None, Evaluation]]

    @classmethod
    def of(cls, data: Predictions, n_resamples: int | None, *, streamed: bool = False) -> Values:
        """The metrics of all models; ``streamed`` reads the rows in parts."""
        options = data.options
        parts: list[Any] = []
        read = _by_engine if streamed or options.proxy or options.sampling else _of_rows
        is_shown = read is _of_rows and not options.quiet
        n_parts = len(data.models) * max(len(options.by), 1)
        with reporting(is_shown, n_parts, "evaluation") as done:
            for model in data.models:
                metrics = data.metrics_of(model, every=options.all)
                # pos_label is passed once, for all metrics
                metrics = {name: metric.without("pos_label") for name, metric in metrics.items()}
                for part in read(data, model, metrics, n_resamples) if metrics else ():
                    parts.append((model, *part))
                    done(len(parts))
        for *_, evaluation in parts:
            evaluation.groups.token = parts[0][-1].groups.token  # their rows are the same
        return cls(data, parts)

    @cached_property
    def table(self) -> Estimates:
        """A row for each metric, model and group; all rows come first."""
        kinds = {
            name: self._kind(name) for _, _, part in self.parts for name in part.groups.metrics
        }
        rows = [
            row.changed(
                group=self._name(by, row["group"]), model=model.name, kind=kinds[row["metric"]]
            )
            for model, by, part in self.parts
            for row in part
        ]
        rows.sort(key=lambda row: row["group"] is not None)  # stable
        return Estimates(rows, confidence_level=self.data.options.confidence)

    def _name(self, column: str | None, value: Any) -> str | None:
        """A group of one of the columns, named by its value, if that is unique."""
        if value is None:
            return None
        is_one_of = len(self.data.options.by) > 1 or str(value) == ALL
        return f"{column}={value}" if is_one_of else str(value)

    def _kind(self, metric: str) -> str:
        response = find_metric(metric).spec.response
        return "marks" if self.data.options.right else HEADINGS[response]

    @cached_property
    def of_all_rows(self) -> list[EstimateRow]:
        """The rows of the table that are not those of a group."""
        return [row for row in self.table if row["group"] is None]

    def worst(self, metric: str, name: str) -> list[EstimateRow]:
        """The groups of all columns with bounds that hold for all of them at once."""
        parts = [
            (by, part.where(metric=metric))
            for model, by, part in self.parts
            if model.name == name and model.fits(metric)
        ]
        counted = [len(part.together()) for _, part in parts]
        missed = (1 - self.data.options.confidence) / sum(counted)
        return [
            row.changed(group=self._name(by, row["group"]))
            for (by, part), n_groups in zip(parts, counted, strict=True)
            for row in part.together(1 - missed * n_groups)
        ]

    def check(self, requirements: list[str]) -> Verdicts:
        """Verdicts on the requirements of the options."""
        worst = self.worst if self.data.options.by else None
        return check_requirements(requirements, self.of_all_rows, worst, self.reader)

    @property
    def reader(self) -> Any:
        """Reads requirements of sums of values."""
        rows = {(row["model"], row["metric"]): row for row in self.of_all_rows}

        def total(factors: Mapping[tuple[str, str], float]) -> Any:
            return reduce(operator.add, (f * rows[key].estimate for key, f in factors.items()))

        return reader_of_sums(rows, total if self.data.in_memory else None)

    # ----------------------------------------------------------------------- differences

    @property
    def has_pairs(self) -> bool:
        """Whether a metric has values of two models."""
        seen = [(row["metric"], row["group"]) for row in self.of_all_rows]
        return len(set(seen)) < len(seen)

    def differences(self, rows: Iterable[EstimateRow]) -> Estimates:
        """The differences between models, of three or more with simultaneous intervals."""
        level = self.data.options.confidence
        found: list[EstimateRow] = []
        for pairs in _by_metric(Estimates(rows, confidence_level=level).against(model="each")):
            found += [*self._claimed(pairs)] if len(pairs) == 1 else [*iter(_together(pairs))]
        return Estimates(found, confidence_level=level, adjusted=_adjusted(found))

    def _claimed(self, pairs: Estimates) -> Iterator[EstimateRow]:
        """The difference of two models with the claim of the options about it."""
        claim, margin = self.data.options.claim, self.data.options.margin
        for row in pairs:
            if (claim == "two-sided" and margin is None) or math.isnan(row["value"]):
                yield row
                continue
            tested = row.estimate.test(margin=margin, alternative=claim)
            further = {"concluded": tested.concluded, "confidence_level": tested.confidence_level}
            yield row_of(tested, row, alternative=claim, margin=margin, **further)


def _by_metric(pairs: Estimates) -> Iterator[Estimates]:
    """The rows of each metric and group, which are tested together."""
    families: dict[Any, list[EstimateRow]] = {}
    for row in pairs:
        families.setdefault((row["group"], row["metric"]), []).append(row)
    return map(pairs.like, families.values())


def _together(pairs: Estimates) -> Estimates:
    """Simultaneous differences, by the dependence of the models where it is known."""
    try:
        return pairs.adjust("simultaneous")
    except InvalidParameterError:
        return pairs.adjust("bonferroni")


def _adjusted(rows: Sequence[EstimateRow]) -> list[str]:
    return list(dict.fromkeys(row["adjustment"] for row in rows if "adjustment" in row))


# --------------------------------------------------------------------------- read


def _of_rows(
    data: Predictions, model: PredictedModel, metrics: Mapping[str, Metric], n_resamples: int | None
) -> Iterator[tuple[str | None, Evaluation]]:
    """The metrics of a model by column of groups, from rows that are read once."""
    options, are_labels = data.options, model.kind == "labels"
    score = () if are_labels else model.columns
    pred = model.columns[0] if are_labels else None
    names = ColumnNames(
        data.names.true, score, pred, data.names.weight, NO_GROUPS, data.names.clusters
    )
    several = data.classes if len(score) > 1 else None
    asked = find_metrics(metrics), read_labels(data.classes), several, data.positive
    rows = data.files.rows(names.all)
    held = hold_rows(rows, names, make_layout(*asked, len(score)), 8 * LARGE)
    held = replace(held, n_resamples=n_resamples)
    if not options.by:
        yield None, evaluate_rows(held, options.confidence)
    for place, name in enumerate(options.by):
        by = GroupColumns((name,))
        column = read_group_column(data.files.reader((name,)).read_all(), name)
        groups, group = by.groups_of({name: column})
        grouped = replace(held, by=by, groups=groups, group=group)
        by.check(grouped.rows_by_group)
        listed = by.ordered(groups) if place else None  # all rows are listed once
        yield name, evaluate_rows(grouped, options.confidence, margins=True, listed=listed)


def _by_engine(
    data: Predictions, model: PredictedModel, metrics: Mapping[str, Metric], n_resamples: int | None
) -> Iterator[tuple[str | None, Evaluation]]:
    """The metrics of a model by column of groups, from rows that are read in parts."""
    options = data.options
    for place, by in enumerate(options.by or [None]):
        yield (
            by,
            evaluate(
                data.files,
                true=data.names.true,
                weight=options.weight,
                by=by,
                margins=by is not None and place == 0,
                groups=options.groups,
                metrics=metrics,
                intervals=True,
                confidence_level=options.confidence,
                n_resamples=n_resamples,
                memory_limit=8 * LARGE if data.in_memory else options.memory,
                progress=not options.quiet,
                pos_label=data.positive,
                proxy=options.proxy,
                sampling=options.sampling,
                **data.columns_of(model),
            ),
        )

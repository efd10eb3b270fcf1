"""Accumulator: metrics of rows that come one batch after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skmetrics_ext.merged.columns import Names, Place, read_part, rows_by_group
from skmetrics_ext.merged.finish import finish
from skmetrics_ext.merged.growing_ranks import RankStack, tallies_of
from skmetrics_ext.merged.layout import Layout, find_all, make_layout
from skmetrics_ext.merged.ranges import RangePlan, RangeReading, kind_of, read_range
from skmetrics_ext.merged.result import Evaluation
from skmetrics_ext.merged.sums import Sums, count_labels, sum_rows
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.parameters import check_integer, check_level

_DEFAULT_MOST = 20_000_000


class Accumulator:
    """Metrics of batches, for training loops and streams, equal to those of all rows at once.

    What is held are sums: a confusion table, the moments of losses, and for metrics of rankings
    the number of rows of each class at each distinct score. These may be many, so they are
    bounded: beyond ``max_distinct`` an update is refused, and `ScoreSketch` or
    ``evaluate(..., approximate=True)`` hold less.

    Parameters
    ----------
    metrics : sequence of str and callable, or dict of name to these
        Names of `get_scorer_names` (losses are not negated), metrics of this package,
        `functools.partial` of them, ``"pairwise_roc_auc"``.
    labels : array-like, default=None
        The classes, in the order of the columns of scores; of two, the negative one first. Needed
        for metrics of scores unless the classes are 0 and 1: no batch need hold all of them.
        Metrics of labels average over those that are listed.
    pos_label : int, float, bool or str, default=None
        The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or
        {-1, 1}, or True; of other labels metrics of one class ask for it.
    max_distinct : int, default=20000000
        Distinct scores that may be held, of all columns together; each takes 8 bytes, and 8 more
        for each class.

    Examples
    --------
    >>> from skmetrics_ext import Accumulator
    >>> accumulator = Accumulator(["roc_auc", "log_loss"])
    >>> for y_true, y_score in (([0, 1], [0.1, 0.35]), ([0, 1], [0.4, 0.8])):
    ...     accumulator.update(y_true, y_score)
    >>> {name: round(value, 4) for name, value in accumulator.compute().items()}
    {'roc_auc': 0.75, 'log_loss': 0.4723}
    """

    def __init__(
        self,
        metrics: Any,
        *,
        labels: Any = None,
        pos_label: Any = None,
        max_distinct: int = _DEFAULT_MOST,
    ) -> None:
        self._asked = find_all(metrics)
        self._labels = None if labels is None else read_labels(labels)
        self._pos_label = pos_label
        self.max_distinct = check_integer("max_distinct", max_distinct, 1)
        self._of_labels = [one for one in self._asked if one.sums == "tables"]
        self._of_scores = [one for one in self._asked if one.sums != "tables"]
        self._layout: Layout | None = None
        self._is_weighted: bool | None = None
        self._seen: set[Any] = set()  # true labels
        self._sums = Sums()
        self._stacks: list[RankStack] = []
        self._batches = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(one.name for one in self._asked)

    @property
    def n_rows(self) -> int:
        """Rows so far."""
        return self._sums.rows.get(None, 0)

    @property
    def n_distinct(self) -> int:
        """Distinct scores that are held."""
        return sum(map(len, self._stacks))

    def update(
        self, y_true: Any, y_score: Any = None, sample_weight: Any = None, *, y_pred: Any = None
    ) -> None:
        """Add rows. A batch that is refused leaves no trace.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores or probabilities; predicted labels where all metrics are of these.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        y_pred : array-like of shape (n_samples,), default=None
            Predicted labels, where metrics of both kinds were asked for.
        """
        if not self._of_scores and y_pred is None:
            y_score, y_pred = None, y_score
        if self._of_labels and y_pred is None:
            raise InvalidParameterError(
                f"{self._of_labels[0].name} needs predicted labels: pass y_pred=."
            )
        if self._of_scores and y_score is None:
            raise InvalidParameterError(f"{self._of_scores[0].name} needs scores: pass y_score=.")
        data, names = _columns(y_true, y_score if self._of_scores else None, y_pred, sample_weight)
        if not len(data["y_true"]):
            return
        weighted = sample_weight is not None
        if self._is_weighted not in (None, weighted):
            raise InvalidParameterError("sample_weight must be given for every batch, or for none.")
        place = Place(f"batch {self._batches}")
        part = read_part(data, names, place)
        seen = self._seen.union(part.labels[np.unique(part.true)].tolist())
        layout = self._make_layout(seen, len(names.score))
        sums = count_labels(part)
        sums.add(sum_rows(part, layout, names, place))
        stacks = [RankStack(stack.tallies) for stack in self._stacks]
        if layout.of_kind("ranks"):
            stacks = stacks or [RankStack() for _ in names.score]
            for _, rows in rows_by_group(part, layout, names, place):
                for stack, tally in zip(stacks, tallies_of(rows, len(layout.classes)), strict=True):
                    stack.add(tally)
            held = sum(map(len, stacks))
            if held > self.max_distinct:
                raise InvalidParameterError(
                    f"The rows have more distinct scores, {held}, than max_distinct="
                    f"{self.max_distinct}: raise it, round the scores, or bound the metric with "
                    "ScoreSketch."
                )
        self._layout, self._stacks = layout, stacks
        self._is_weighted, self._seen = weighted, seen
        self._sums.add(sums)
        self._batches += 1

    def _make_layout(self, seen: set[Any], n_columns: int) -> Layout:
        """What columns of scores are of, by the labels so far: no batch need hold all of them."""
        known = self._layout
        if known is not None and known.n_columns != n_columns:
            raise InvalidParameterError(
                f"y_score has {n_columns} columns, and had {known.n_columns} before."
            )
        if not n_columns:  # which class is positive is asked when all rows are there
            return Layout(self._asked, np.zeros(0), None, 0)
        if self._labels is not None:
            return known or make_layout(self._asked, None, self._labels, self._pos_label, n_columns)
        if n_columns > 1:
            raise InvalidParameterError(
                "Scores of several classes need labels=, the class of each column: a batch need "
                "not hold all of them."
            )
        # 1 alone may be of either: what was counted of it is the same.
        for usual in (np.array([0, 1]), np.array([-1, 1])):
            if seen.issubset(usual.tolist()):
                return make_layout(self._asked, usual, None, self._pos_label, n_columns)
        if known is not None:  # the row is told that holds another
            return known
        raise InvalidParameterError(
            f"y_true holds {list(seen)[:10]} in the first batch; pass labels=, the negative "
            "class and the positive one, unless they are 0 and 1."
        )

    def merge(self, *others: Accumulator) -> Accumulator:
        """A new accumulator of the rows of this one and of others, in which this one goes on.

        Parameters
        ----------
        *others : Accumulator
            Of the same metrics and labels, from other processes for instance.

        Returns
        -------
        Accumulator
        """
        merged = Accumulator(
            {one.name: one for one in self._asked},
            labels=self._labels,
            pos_label=self._pos_label,
            max_distinct=self.max_distinct,
        )
        for part in (self, *others):
            merged._take(part)
        return merged

    def _take(self, other: Accumulator) -> None:
        if self._question != other._question:
            raise InvalidParameterError("Only accumulators of the same metrics and labels merge.")
        if other._layout is None:
            return
        if self._is_weighted not in (None, other._is_weighted):
            raise InvalidParameterError("Either all accumulators have weights or none.")
        seen = self._seen | other._seen
        layout = self._make_layout(seen, other._layout.n_columns)
        if self._of_scores and not seen.issubset(layout.classes.tolist()):
            raise InvalidParameterError(
                f"The accumulators have seen different classes, {list(self._seen)} and "
                f"{list(other._seen)}: pass labels= to each."
            )
        self._layout, self._is_weighted, self._seen = layout, other._is_weighted, seen
        self._batches += other._batches
        self._sums.add(other._sums)
        if not self._stacks:
            self._stacks = [RankStack() for _ in other._stacks]
        for stack, more in zip(self._stacks, other._stacks, strict=True):
            for tally in more.tallies:
                stack.add(tally)
        if self.n_distinct > self.max_distinct:
            raise InvalidParameterError(
                f"Together there are {self.n_distinct} distinct scores, more than max_distinct="
                f"{self.max_distinct}."
            )

    @property
    def _question(self) -> tuple[Any, ...]:
        """What was asked, to be compared."""
        asked = [(one.name, one.function, dict(one.params)) for one in self._asked]
        labels = None if self._labels is None else self._labels.tolist()
        return asked, labels, self._pos_label

    def compute(self) -> dict[str, Any]:
        """Value of each metric; nan where it is undefined.

        Returns
        -------
        dict of str to float
            To an array or a dict of values where a metric has one for each class.
        """
        found: dict[str, Any] = {}
        for row in self.evaluation():
            if row.of is None:
                found[row.metric] = row.value
            else:
                found.setdefault(row.metric, {})[row.of] = row.value
        return found

    def evaluation(
        self,
        *,
        intervals: bool = False,
        confidence_level: float = 0.95,
        curve_points: int = 0,
    ) -> Evaluation:
        """The same as `evaluate` gives: values with intervals, reasons and curves.

        Parameters
        ----------
        intervals : bool, default=False
            Whether to add confidence intervals, where sums tell the spread.
        confidence_level : float in (0, 1), default=0.95
            Of the intervals.
        curve_points : int, default=0
            Points of the curves.

        Returns
        -------
        Evaluation
        """
        level = check_level(confidence_level)
        layout = self._layout
        if layout is None:
            raise InvalidParameterError("No rows were given yet: call update first.")
        if not layout.n_columns:  # the classes of labels grow with the batches
            found = self._sums.tables[None].classes
            layout = make_layout(self._asked, found, self._labels, self._pos_label, 0)
        ranked = tuple(layout.of_kind("ranks"))
        spread = intervals and any(kind_of(one) == "wins" for one in ranked)
        plan = RangePlan(ranked, spread, check_integer("curve_points", curve_points, 0))
        columns: Mapping[Any, list[RangeReading]] = {}
        if self._stacks and self.n_distinct:
            columns = {None: [self._read(k, plan, layout) for k in range(len(self._stacks))]}
        return finish(
            layout,
            plan,
            self._sums,
            columns,
            {},
            engine="accumulator",
            level=level if intervals else None,
        )

    def _read(self, k: int, plan: RangePlan, layout: Layout) -> RangeReading:
        tally = self._stacks[k].whole()
        total = tally.mass.sum(axis=1)
        own = 1 if layout.is_binary else k
        return read_range(tally, own, np.zeros_like(total), total, plan, (), 1 << 62)

    def __repr__(self) -> str:
        return f"Accumulator({list(self.names)!r}): {self.n_rows} rows"


def _columns(
    y_true: Any, y_score: Any, y_pred: Any, sample_weight: Any
) -> tuple[dict[str, Any], Names]:
    """The arguments as named columns of equal length."""
    data: dict[str, Any] = {"y_true": y_true}
    score: tuple[str, ...] = ()
    if y_score is not None:
        values = read_column(y_score, "y_score").values
        if values.ndim == 1 or values.shape[1] == 1:
            score, values = ("y_score",), values.reshape(len(values), 1)
        else:
            score = tuple(f"y_score[:, {k}]" for k in range(values.shape[1]))
        data.update(zip(score, values.T, strict=True))
    if y_pred is not None:
        data["y_pred"] = y_pred
    if sample_weight is not None:
        data["sample_weight"] = sample_weight
    lengths = {name: len(column) for name, column in data.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name}: {n}" for name, n in lengths.items())
        raise InvalidParameterError(
            f"Found input variables with inconsistent numbers of samples: {told}."
        )
    pred = None if y_pred is None else "y_pred"
    weight = None if sample_weight is None else "sample_weight"
    return data, Names("y_true", score, pred, weight)

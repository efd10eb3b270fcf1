"""Accumulator: metrics of rows that come one batch after the other."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Literal

from numpy.typing import ArrayLike

from skmetrics_ext.inference.anytime import ANYTIME, MIN_ROWS
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.merged.columns import Partition, join_parts
from skmetrics_ext.merged.evaluation import Evaluation, evaluate_tallies
from skmetrics_ext.merged.layout import Layout, find_metrics
from skmetrics_ext.merged.ranges import (
    RankStack,
    distinct_beyond,
)
from skmetrics_ext.merged.stream import StreamState, sum_part
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.numeric import PosLabel
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.parameters import check_integer, check_level
from skmetrics_ext.validation.tensors import to_host

_DEFAULT_MOST = 20_000_000
# Batches wait, checked, until so many scores and labels are there: counting a few rows takes
# hardly less time than counting thousands.
_BLOCK = 1 << 18
_MOST_WAITING = 1 << 10


class Accumulator:
    """Metrics of batches, for training loops and streams, equal to those of all rows at once.

    It holds sums: a confusion matrix, the moments of losses, and for metrics of rankings the number
    of rows of each class at each distinct score. An update that would make more than
    ``max_distinct`` distinct scores is refused; `ScoreSketch` and
    ``evaluate(..., approximate=True)`` need less memory.

    Parameters
    ----------
    metrics : sequence of str and callable, or dict of name to these
        Names of `get_scorer_names` (losses are not negated), metrics of this package,
        `functools.partial` of them, ``"pairwise_roc_auc"``.
    labels : array-like, default=None
        The classes, in the order of the columns of scores; of two, the negative one first. Needed
        for metrics of scores unless the classes are 0 and 1, since a batch need not hold all of
        them. Averages of metrics of labels are over the classes listed.
    pos_label : int, float, bool or str, default=None
        The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or
        {-1, 1}, or True; of other labels metrics of one class ask for it.
    max_distinct : int, default=20000000
        The most distinct scores to hold, of all columns together; each takes 8 bytes, and 8 more
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
        labels: ArrayLike | None = None,
        pos_label: PosLabel = None,
        max_distinct: int = _DEFAULT_MOST,
    ) -> None:
        classes = None if labels is None else read_labels(labels)
        self._state = StreamState(find_metrics(metrics), classes, pos_label)
        self.max_distinct = check_integer("max_distinct", max_distinct, 1)
        self._ranks = any(one.sums == "ranks" for one in self._state.asked)
        self._waiting: list[Partition] = []
        self._n_waiting = 0  # scores and labels
        self._sums = Sums()
        self._stacks: list[RankStack] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(one.name for one in self._state.asked)

    @property
    def n_rows(self) -> int:
        """Rows so far."""
        return self._state.n_rows

    @property
    def n_distinct(self) -> int:
        """Distinct scores that are held."""
        self._count_waiting()
        return sum(len(stack.whole().thresholds) for stack in self._stacks if stack.tallies)

    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        y_pred: ArrayLike | None = None,
    ) -> None:
        """Add rows. A batch that is refused leaves no trace.

        Arguments are read as the functions read them: masks, the indexes of pandas and the names
        of columns are obeyed or refused. A row that one of the arguments masks is left out.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores or probabilities; predicted labels where all metrics are of these.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row. All those of a batch may be 0.
        y_pred : array-like of shape (n_samples,), default=None
            Predicted labels, where metrics of both kinds were asked for.
        """
        of_labels = [one.name for one in self._state.asked if one.sums == "tables"]
        of_scores = [one.name for one in self._state.asked if one.sums != "tables"]
        if not of_scores and y_pred is None:
            y_score, y_pred = None, y_score
        if of_labels and y_pred is None:
            raise InvalidParameterError(f"{of_labels[0]} needs predicted labels: pass y_pred=.")
        if of_scores and y_score is None:
            raise InvalidParameterError(f"{of_scores[0]} needs scores: pass y_score=.")
        given = {"y_true": to_host(y_true, "y_true")}
        if of_scores:
            given["y_score"] = to_host(y_score, "y_score")
        if of_labels:
            given["y_pred"] = to_host(y_pred, "y_pred")
        n_true = count_rows(given["y_true"])
        if n_true == 0 and all(count_rows(data) == 0 for data in given.values()):
            return
        part, state = self._state.read(given, sample_weight)
        if part is not None:
            self._add(part, state)

    # ----------------------------------------------------------------------- counting

    def _add(self, part: Partition, state: StreamState) -> None:
        """Count the rows, or let them wait if counting them cannot fail."""
        assert state.layout is not None
        n_scores = part.score.size if part.score is not None and self._ranks else 0
        bound = sum(map(len, self._stacks)) + self._n_waiting + n_scores
        if self._state.layout is None or bound > self.max_distinct:
            self._count_waiting()
            self._count(part, state.layout)
        else:
            self._waiting.append(part)
            self._n_waiting += max(n_scores, part.n_rows)
        self._state = state
        if self._n_waiting >= _BLOCK or len(self._waiting) >= _MOST_WAITING:
            self._count_waiting()

    def _count(self, part: Partition, layout: Layout) -> None:
        """Count rows that may still be refused: not every metric takes these columns of scores."""
        sums, tallies = sum_part(part, layout)
        stacks = [RankStack(stack.tallies) for stack in self._stacks]
        if self._ranks and not stacks:
            stacks = [RankStack() for _ in layout.ranked]
        for stack, tally in zip(stacks, tallies.get(None, ()), strict=bool(tallies)):
            stack.add(tally)
        _check_distinct(stacks, self.max_distinct)
        self._sums.add(sums)
        self._stacks = stacks

    def _count_waiting(self) -> None:
        """Count the batches that wait, those of one precision together."""
        waiting, self._waiting, self._n_waiting = self._waiting, [], 0
        for _, parts in groupby(waiting, key=lambda part: part.eps):
            assert self._state.layout is not None
            self._count(join_parts(list(parts)), self._state.layout)

    def __getstate__(self) -> dict[str, Any]:
        self._count_waiting()
        return self.__dict__

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
        state = self._state
        merged = Accumulator(
            {metric.name: metric for metric in state.asked},
            labels=state.labels,
            pos_label=state.pos_label,
            max_distinct=self.max_distinct,
        )
        for part in (self, *others):
            merged._take(part)
        return merged

    def _take(self, other: Accumulator) -> None:
        state = self._state.merge(other._state)
        other._count_waiting()
        self._sums.add(other._sums)
        if not self._stacks:
            self._stacks = [RankStack() for _ in other._stacks]
        for stack, more in zip(self._stacks, other._stacks, strict=bool(other._stacks)):
            for tally in more.tallies:
                stack.add(tally)
        self._state = state
        _check_distinct(self._stacks, self.max_distinct)

    def compute(self) -> dict[str, Any]:
        """Value of each metric; nan where it is undefined.

        Returns
        -------
        dict of str to float
            An array or a dict of values for a metric that has one for each class.
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
        intervals: bool | Literal["anytime"] = False,
        confidence_level: float = 0.95,
        min_rows: int = MIN_ROWS,
        weights_are: WeightsAre = "importance",
        curve_points: int = 0,
    ) -> Evaluation:
        """Values with intervals, reasons and curves, as from `evaluate`.

        Parameters
        ----------
        intervals : bool or "anytime", default=False
            Whether to add confidence intervals, for metrics where sums are enough for one.
            "anytime": those that hold at every look, however often this is called and whenever
            the stream is stopped, as from `confidence_interval` with this method.
        confidence_level : float in (0, 1), default=0.95
            Of the intervals.
        min_rows : int, default=200
            Rows at which "anytime" starts; ``reason`` says so before. Intervals are narrowest, next
            to those for one look, at 2.5 times as many.
        weights_are : {"importance", "frequency"}, default="importance"
            Whether a weight of 2 is one row that counts twice, or two rows. Sums give intervals
            only for the second.
        curve_points : int, default=0
            Points of the curves.

        Returns
        -------
        Evaluation
        """
        level, least = check_level(confidence_level), check_integer("min_rows", min_rows, 1)
        check_option("intervals", intervals, (True, False, ANYTIME))
        check_option("weights_are", weights_are, WEIGHT_KINDS)
        self._count_waiting()
        if self._state.layout is None:
            raise InvalidParameterError("No rows were given yet: call update first.")
        layout = self._state.final_layout(self._sums)
        stacks = self._stacks if self.n_distinct else []
        return evaluate_tallies(
            layout,
            self._sums,
            {None: [stack.tallies for stack in stacks]} if stacks else {},
            engine="accumulator",
            level=level if intervals else None,
            points=check_integer("curve_points", curve_points, 0),
            weighted=bool(self._state.is_weighted) and weights_are == "importance",
            looks_from=least if intervals == ANYTIME else None,
        )

    def __repr__(self) -> str:
        return f"Accumulator({list(self.names)!r}): {self.n_rows} rows"


def _check_distinct(stacks: list[RankStack], most: int) -> None:
    held = distinct_beyond(stacks, most)
    if held:
        raise InvalidParameterError(
            f"The rows have more distinct scores, {held}, than max_distinct={most}: raise it, "
            "round the scores, or bound the metric with ScoreSketch."
        )

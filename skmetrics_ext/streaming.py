"""Accumulator: metrics of rows that arrive in batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from skmetrics_ext.inference.anytime import ANYTIME, MIN_ROWS
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.merged.columns import Partition, join_parts
from skmetrics_ext.merged.evaluation import Evaluation, build_evaluation
from skmetrics_ext.merged.group_sums import GroupSums
from skmetrics_ext.merged.layout import Layout, find_metrics
from skmetrics_ext.merged.ranges import RangePlan, RankStack, distinct_beyond, read_columns
from skmetrics_ext.merged.stream import Edges, StreamState, StreamSums
from skmetrics_ext.merged.sums import Sums, sum_all
from skmetrics_ext.numeric import PosLabel
from skmetrics_ext.plain_files import read_content, write_content
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns
from skmetrics_ext.tallies import ConfusionTally, RankTally
from skmetrics_ext.tallies.score_sketch import check_edges, coarse_tally, shared_edges
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.parameters import check_integer, check_level
from skmetrics_ext.validation.tensors import to_host

KIND, VERSION = "Accumulator", 1  # of files
# Checked batches are buffered up to this number of scores and labels, because counting a few rows
# takes nearly as long as counting thousands.
_BLOCK = 1 << 20
_LARGE = 1 << 14  # rows that are counted at once, without a copy, unless they are to be ranked
_MOST_WAITING = 1 << 10


class Accumulator:
    """Metrics of batches, for training loops and streams, equal to those of all rows at once.

    It stores sums: a confusion matrix, moments of losses, and for metrics of rankings the number of
    rows of each class at each distinct score. An update that would exceed ``max_distinct`` distinct
    scores is refused; `ScoreSketch` and ``evaluate(..., approximate=True)`` need less memory.

    Parameters
    ----------
    metrics : sequence of str and callable, or dict of name to these
        Names of `get_scorer_names` (losses are not negated), metrics of this package,
        `functools.partial` of them, ``"pairwise_roc_auc"``.
    labels : array-like, default=None
        The classes, in the order of the columns of scores; of two, the negative one first. Needed
        for metrics of scores unless the classes are 0 and 1, because a batch may not contain all
        of them. Metrics of labels average over these classes.
    pos_label : int, float, bool or str, default=None
        The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or
        {-1, 1}, or True. With other labels, metrics of one class ask for it.
    max_distinct : int, default=20000000
        Largest number of distinct scores to store, over all columns; each takes 8 bytes, and 8
        more for each class.

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
        max_distinct: int = 20_000_000,
    ) -> None:
        classes = None if labels is None else read_labels(labels)
        self._state = StreamState(find_metrics(metrics), classes, pos_label)
        self.max_distinct = check_integer("max_distinct", max_distinct, 1)
        self._ranks = any(metric.sums == "ranks" for metric in self._state.metrics)
        self._waiting: list[Partition] = []
        self._n_waiting = 0  # scores and labels
        self._sums = Sums()
        self._stacks: list[RankStack] = []
        self._edges: Edges = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(metric.name for metric in self._state.metrics)

    @property
    def n_rows(self) -> int:
        """Number of rows so far."""
        return self._state.n_rows

    @property
    def n_distinct(self) -> int:
        """Number of distinct scores that are stored."""
        self._count_waiting()
        return sum(len(stack.whole().thresholds) for stack in self._stacks)

    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        y_pred: ArrayLike | None = None,
    ) -> None:
        """Add rows. A batch that is refused changes nothing.

        Arguments are checked as by the functions: masks, pandas indexes and column names are
        respected or refused. A row that any argument masks is left out.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores or probabilities; predicted labels if all metrics read labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row. All those of a batch may be 0.
        y_pred : array-like of shape (n_samples,), default=None
            Predicted labels, if there are metrics of both kinds.
        """
        of_labels = [metric.name for metric in self._state.metrics if metric.sums == "tables"]
        of_scores = [metric.name for metric in self._state.metrics if metric.sums != "tables"]
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
        if all(count_rows(data) == 0 for data in given.values()):
            return
        part, state = self._state.read(given, sample_weight)
        if part is not None:
            self._add(part, state)

    # ----------------------------------------------------------------------- counting

    def _add(self, part: Partition, state: StreamState) -> None:
        """Count the rows, or buffer them if counting cannot fail."""
        assert state.layout is not None
        n_scores = part.score.size if self._ranks else 0
        bound = sum(map(len, self._stacks)) + self._n_waiting + n_scores
        # A metric may reject the first batch, so it is counted now: once if that takes long.
        is_first = self._state.layout is None
        is_large = part.n_rows >= (_LARGE if not self._ranks or is_first else _BLOCK)
        if bound > self.max_distinct or self._edges or is_large:
            self._count_waiting()
            self._count(part, state.layout)
        else:
            if is_first:
                sum_all(part, state.layout)
            self._waiting.append(part.copied())
            self._n_waiting += max(n_scores, part.n_rows)
        self._state = state
        if self._n_waiting >= _BLOCK or len(self._waiting) >= _MOST_WAITING:
            self._count_waiting()

    def _count(self, part: Partition, layout: Layout) -> None:
        """Count rows, which a metric may still reject."""
        sums, tallies = sum_all(part, layout)
        added = [RankStack(len(layout.classes)) for _ in (layout.ranked if self._ranks else ())]
        for stack, tally in zip(added, tallies.get(None, ()), strict=False):  # none without weight
            stack.add(tally)
        self._add_counted(sums, added)

    def _add_counted(self, sums: Sums, added: list[RankStack]) -> None:
        """Add sums and the rankings of each column of scores, or refuse all of them."""
        columns = self._stacks or [RankStack(stack.n_classes) for stack in added]
        stacks = [RankStack(stack.n_classes, stack.tallies) for stack in columns]
        for k, column in enumerate(added):
            for tally in column.tallies:
                stacks[k].add(_binned(tally, self._edges, k))
        n_distinct = distinct_beyond(stacks, self.max_distinct)
        if n_distinct:
            raise InvalidParameterError(
                f"The rows have more distinct scores, {n_distinct}, than "
                f"max_distinct={self.max_distinct}: raise it, round the scores, or bound the "
                "metric with ScoreSketch."
            )
        self._sums.add(sums)
        self._stacks = stacks

    def _count_waiting(self) -> None:
        """Count the buffered batches, joining those of equal precision."""
        waiting, self._waiting, self._n_waiting = self._waiting, [], 0
        for _, parts in groupby(waiting, key=lambda part: part.eps):
            assert self._state.layout is not None
            self._count(join_parts(list(parts)), self._state.layout)

    def _counted(self) -> StreamSums:
        """All rows so far, counted; a stream without rows is rejected."""
        self._count_waiting()
        if self._state.layout is None:
            raise InvalidParameterError("No rows were given yet: call update first.")
        ranks = [stack.whole() for stack in self._stacks]
        return StreamSums(self._state, self._sums, ranks, self._edges)

    def __getstate__(self) -> dict[str, Any]:
        self._count_waiting()
        return self.__dict__

    def merge(self, *others: Accumulator) -> Accumulator:
        """A new accumulator with the rows of this one and of others.

        Parameters
        ----------
        *others : Accumulator
            Accumulators of the same metrics and labels, for instance from other processes or sites.
            If any has binned scores, all scores are put into the finest bins that they share.

        Returns
        -------
        Accumulator
        """
        parts = (self, *others)
        if not all(isinstance(part, Accumulator) for part in parts):
            raise InvalidParameterError(f"others must be accumulators, got {others!r:.60}.")
        merged = Accumulator._without_rows(self._state, max_distinct=self.max_distinct)
        merged._edges = _shared(part._edges for part in parts if part.n_distinct)
        for part in parts:
            state = merged._state.merge(part._state)
            part._count_waiting()
            merged._add_counted(part._sums, part._stacks)
            merged._state = state
        return merged

    @classmethod
    def _without_rows(cls, state: StreamState, **options: Any) -> Self:
        """An accumulator of the metrics and classes of a state."""
        metrics = {metric.name: metric for metric in state.metrics}
        return cls(metrics, labels=state.labels, pos_label=state.pos_label, **options)

    # ----------------------------------------------------------------------- files

    def save(self, path: str | Path, *, bins: Any = None, min_cell: int | None = None) -> None:
        """Write the sums, but no rows, to a file that `load` reads at another site.

        The file reveals the number of rows, the confusion table, sums of losses and their powers
        and, for metrics of rankings, every distinct score with the number of rows of each class.
        ``bins`` and ``min_cell`` make it coarser. It is a zip of JSON and arrays; reading it runs
        no code.

        Parameters
        ----------
        path : str or Path
            File to write.
        bins : int or array-like, default=None
            Bins of scores for metrics of rankings, the same at every site: a number of equal parts
            of [0, 1], or edges including both ends. Scores in one bin count as equal; ``note`` of
            `evaluation` gives bounds of areas and average precision for any order within the bins.
        min_cell : int, default=None
            Smallest number of rows of a class in a bin that has any: neighbouring bins are joined
            until no cell is smaller, and merged files have the bins that all share. A confusion
            table or calibration bin with a smaller cell is refused. Rows must not have weights.

        Raises
        ------
        ValueError
            If there are no rows, scores lie outside the bins, or a cell is too small and cannot be
            joined with its neighbour.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from skmetrics_ext import Accumulator
        >>> accumulator = Accumulator(["roc_auc"])
        >>> accumulator.update([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     accumulator.save(Path(folder, "north.skx"))
        ...     accumulator.save(Path(folder, "coarse.skx"), bins=2)
        ...     north = Accumulator.load(Path(folder, "north.skx"))
        ...     coarse = Accumulator.load(Path(folder, "coarse.skx"))
        >>> north.compute(), coarse.compute()
        ({'roc_auc': 0.75}, {'roc_auc': 0.75})
        >>> print(coarse.evaluation().row("roc_auc").note)
        scores in 2 bins; between 0.5 and 1 for any order within them
        """
        least = None if min_cell is None else check_integer("min_cell", min_cell, 1)
        stream = self._counted()
        if bins is not None:
            edges = tuple(check_edges(bins) for _ in stream.ranks)
            stream = stream.in_bins(_shared([stream.edges, edges]))
        if least is not None:
            stream = stream.without_small_cells(least)
        write_content(path, KIND, VERSION, stream.content(), "the accumulator")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read an accumulator that `save` wrote; it can be updated and merged.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Accumulator

        Raises
        ------
        ValueError
            If the file holds no accumulator, is damaged, holds inconsistent sums, or was written by
            a later version.
        """
        stream = read_content(path, KIND, VERSION, StreamSums.of_content)
        accumulator = cls._without_rows(stream.state)
        accumulator._state, accumulator._sums = stream.state, stream.sums
        accumulator._stacks = [RankStack(len(tally.mass), [tally]) for tally in stream.ranks]
        accumulator._edges = stream.edges
        return accumulator

    def compute(self) -> dict[str, Any]:
        """Value of each metric; nan if it is undefined.

        Returns
        -------
        dict of str to float
            A dict of values for a metric that has one for each class.
        """
        values: dict[str, Any] = {}
        for row in self.evaluation():
            if row.label is None:
                values[row.metric] = row.value
            else:
                values.setdefault(row.metric, {})[row.label] = row.value
        return values

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
            Whether to add confidence intervals, for metrics whose sums suffice. "anytime":
            intervals that are valid at every look, however often this is called and whenever the
            stream is stopped, as from `confidence_interval` with this method.
        confidence_level : float in (0, 1), default=0.95
            Nominal level of the intervals.
        min_rows : int, default=200
            Number of rows from which "anytime" intervals start; ``note`` says so before. Relative
            to intervals for one look, they are narrowest at 2.5 times as many rows.
        weights_are : {"importance", "frequency"}, default="importance"
            Whether a weight of 2 is one row that counts twice, or two rows. Weighted rows have
            intervals only in the second case.
        curve_points : int, default=0
            Number of points of the curves.

        Returns
        -------
        Evaluation
        """
        return _evaluate(
            {None: self},
            NO_GROUPS,
            intervals=intervals,
            confidence_level=confidence_level,
            min_rows=min_rows,
            weights_are=weights_are,
            curve_points=curve_points,
        )

    @staticmethod
    def evaluate_sites(
        sites: Mapping[str, Accumulator], *, by: str = "site", **options: Any
    ) -> Evaluation:
        """Values of all sites together and of each, with the gaps between them.

        Parameters
        ----------
        sites : dict of str to Accumulator
            The accumulator of each site, with the same metrics and labels.
        by : str, default="site"
            Name of the column of sites.
        **options : dict
            Options of `evaluation`.

        Returns
        -------
        Evaluation
            As from ``evaluate(..., by=by, margins=True)`` on the rows of all sites; its ``gaps``,
            ``worst``, ``spread`` and ``plot`` compare the sites.

        Raises
        ------
        ValueError
            If the accumulators differ in their metrics or labels, or one has no rows.

        Examples
        --------
        >>> from skmetrics_ext import Accumulator
        >>> north, south = Accumulator(["accuracy"]), Accumulator(["accuracy"])
        >>> north.update([0, 1, 1, 0], [0, 1, 1, 1])
        >>> south.update([0, 1], [0, 1])
        >>> print(Accumulator.evaluate_sites({"north": north, "south": south}))
        site   metric     value  rows
        -----  --------  ------  ----
        north  accuracy  0.7500     4
        south  accuracy  1.0000     2
        all    accuracy  0.8333     6
        """
        if not isinstance(sites, Mapping) or not sites:
            raise InvalidParameterError(
                f"sites must be a dict of the name of a site to its Accumulator, got {sites!r:.60}."
            )
        return _evaluate(sites, GroupColumns.of(by), **options)

    def __repr__(self) -> str:
        return f"Accumulator({list(self.names)!r}): {self.n_rows} rows"


def _evaluate(
    parts: Mapping[Any, Accumulator],
    by: GroupColumns,
    *,
    intervals: bool | Literal["anytime"] = False,
    confidence_level: float = 0.95,
    min_rows: int = MIN_ROWS,
    weights_are: WeightsAre = "importance",
    curve_points: int = 0,
) -> Evaluation:
    """Metrics of accumulators by group, and of all of them if there are groups."""
    level, least = check_level(confidence_level), check_integer("min_rows", min_rows, 1)
    check_option("intervals", intervals, (True, False, ANYTIME))
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    points = check_integer("curve_points", curve_points, 0)
    streams = {group: part._counted() for group, part in parts.items()}
    edges = _shared(stream.edges for stream in streams.values())
    first, *others = parts.values()
    whole = first.merge(*others) if others else first
    state, sums = whole._state, Sums()
    for group, stream in streams.items():
        sums.add(stream.sums.of_group(group))
    layout = state.final_layout(ConfusionTally.combine(whole._sums.tables.values()).classes)
    plan = RangePlan.of(layout.metrics, bool(intervals), points)
    readings = {
        group: read_columns(([tally] for tally in stream.in_bins(edges).ranks), layout, plan)
        for group, stream in streams.items()
        if any(len(tally.thresholds) for tally in stream.ranks)
    }
    weighted = bool(state.is_weighted) and weights_are == "importance"
    draws = DrawPlan(min_rows=least)
    group_sums = GroupSums(layout, plan, sums, readings, by, weighted, draws, edges)
    for margin in by.levels():
        group_sums.add_margin(margin)
    return build_evaluation(
        group_sums,
        engine="accumulator",
        level=level if intervals else None,
        method=ANYTIME if intervals == ANYTIME else "auto",
    )


def _binned(tally: RankTally, edges: Edges, column: int) -> RankTally:
    return tally if edges is None else coarse_tally(tally, edges[column])


def _shared(each: Iterable[Edges]) -> Edges:
    """The finest bins that are unions of the bins of each, among those that have bins."""
    known = [edges for edges in each if edges is not None]
    return tuple(reduce(shared_edges, column) for column in zip(*known, strict=True)) or None

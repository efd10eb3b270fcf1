"""Parts of a data set, ranges of scores and thinned curves, each by hand or by a whole function."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import skmetrics_ext as sx
from skmetrics_ext import PartitionError
from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.partitions import (
    PartitionSurvey,
    Task,
    combined,
    first_parts,
    gather,
    n_rows_of,
    read_shuffled,
    reduce_batch,
    spread_part,
    sum_part,
    survey_part,
)
from skmetrics_ext.merged.columns import ColumnNames, RowLocation, read_part
from skmetrics_ext.merged.layout import find_metrics, make_layout
from skmetrics_ext.merged.ranges import (
    MergedRankings,
    RangePlan,
    RangeReading,
    RankStack,
    SketchedRankings,
    call,
    chord_gap,
    distinct_beyond,
    evenly_along,
    rates,
    read_range,
    read_ranking,
    read_tables,
    thin_curve,
)
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.registry import find
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.tallies import RankTally, ScoreSketch

HERE = RowLocation()
AUC, AP = find_metrics(["roc_auc", "average_precision"])


def tally_of(negative, positive, thresholds=None):
    scores = np.arange(len(negative), 0, -1) / 8 if thresholds is None else np.array(thresholds)
    return RankTally(scores, np.array([negative, positive]))


# --------------------------------------------------------------------------- curves


def test_points_are_the_last_of_equal_lengths_of_the_curve():
    """Steps of (fpr + tpr) * n / 2 for n = 4: 0.5, 1.5, 2.5, 3.5 and 4."""
    tally = tally_of([1, 1, 1, 1, 0], [0, 1, 1, 1, 1])
    fpr, tpr = rates(tally)
    np.testing.assert_array_equal(fpr, [0, 0.25, 0.5, 0.75, 1, 1])
    np.testing.assert_array_equal(tpr, [0, 0, 0.25, 0.5, 0.75, 1])
    assert evenly_along(tally, 4).tolist() == [0, 1, 2, 4]  # the last two are in one part
    assert evenly_along(tally, 2).tolist() == [1, 4]
    assert evenly_along(tally, 1).tolist() == [4]
    assert evenly_along(tally, 100).tolist() == [0, 1, 2, 3, 4]
    empty = rates(tally_of([0, 0], [1, 1]))
    np.testing.assert_array_equal(empty, [[0, 0, 0], [0, 0.5, 1]])


def test_gap_between_a_curve_and_its_chords():
    x = np.array([0, 0.25, 0.5, 0.5, 1])
    y = np.array([0, 0.75, 0.75, 0.875, 1])
    # The chord from (0, 0) to (0.5, 0.875) is at 0.4375 and 0.875 below the inner points.
    assert chord_gap(x, y, np.array([0, 3, 4])) == 0.3125
    assert chord_gap(x, y, np.array([0, 4])) == 0.5
    assert chord_gap(x, y, np.array([0, 1, 2, 3, 4])) == 0
    assert chord_gap(np.zeros(3), np.array([0, 0.5, 1]), np.array([0, 2])) == 0


def test_a_thinned_curve_has_exact_points_and_their_error():
    tally = tally_of([0, 1, 0, 1], [1, 0, 1, 0])
    curve = thin_curve(tally, 3, 0.0625)
    np.testing.assert_array_equal(curve.thresholds, [np.inf, 0.5, 0.125])
    np.testing.assert_array_equal(curve.false_positive_rate, [0, 0, 1])
    np.testing.assert_array_equal(curve.recall, [0, 0.5, 1])
    np.testing.assert_array_equal(curve.precision, [1, 1, 0.5])
    # The chord from (0, 0.5) to (1, 1) is 0.25 above, and then below, the curve at 0.5.
    assert curve.vertical_error == 0.0625 + 0.25
    assert list(curve.columns()) == [
        "threshold", "false_positive_rate", "true_positive_rate", "precision",
    ]  # fmt: skip
    whole = thin_curve(tally, 50, 0)
    assert whole.thresholds.tolist() == [np.inf, 0.5, 0.375, 0.25, 0.125]
    assert whole.precision.tolist() == [1, 1, 0.5, pytest.approx(2 / 3), 0.5]
    assert whole.vertical_error == 0
    assert thin_curve(tally, 1, 0).thresholds.tolist() == [np.inf, 0.125]
    assert thin_curve(tally_of([1, 1], [0, 0]), 3, 0) is None
    assert thin_curve(tally_of([0, 0], [1, 1]), 3, 0) is None


# --------------------------------------------------------------------------- ranges


def test_ranges_join_in_the_order_of_their_scores():
    """Scores 0.5, 0.4 | 0.3, 0.2; of 8 pairs of 2 positive and 4 negative rows 6 are right."""
    tally = tally_of([0, 1, 2, 1], [1, 0, 1, 0], [0.5, 0.4, 0.3, 0.2])
    total, plan = np.array([4, 2]), RangePlan.of([AUC, AP], intervals=True, points=2)
    assert plan.spread
    assert not RangePlan.of([AP], intervals=True).spread
    assert not RangePlan.of([AUC], intervals=False).spread
    assert RangePlan.of(find_metrics(["accuracy", "roc_auc"]), True).metrics[0].name == "roc_auc"
    parts = []
    for cut, above in ((slice(0, 2), [0, 0]), (slice(2, 4), [1, 1])):
        part = RankTally(tally.thresholds[cut], tally.mass[:, cut])
        parts.append(read_range(part, 1, np.array(above), total, plan, (cut.start,), 2))
    assert [part.distinct for part in parts] == [2, 2]
    both = RangeReading.combine(parts[::-1], 4)
    assert both.order == (0,)
    # Twice the pairs of a positive row and another row that are right, ties once.
    assert both.wins == (12, 4)
    assert both.distinct == 4
    assert both.table.thresholds.tolist() == [0.5, 0.4, 0.3, 0.2]
    assert both.table.mass.tolist() == tally.mass.tolist()
    assert both.kept.thresholds[-1] == 0.2
    assert both.kept.mass.sum(axis=1).tolist() == [4, 2]
    assert both.gap == max(part.gap for part in parts)
    assert RangeReading.combine(parts, 3).table is None
    first = RankTally(tally.thresholds[:2], tally.mass[:, :2])
    small = read_range(first, 1, np.zeros(2, dtype=int), total, plan, (0,), 1)
    assert small.table is None
    assert RangeReading.combine([small, parts[1]], 100).table is None
    # Of the positive rows 4/4 and 2/4 of the negatives are beaten; negatives by 1, 1/4 ... of 2.
    beaten = [(4 / 4) ** 2 + (2 / 4) ** 2, (1 / 2) ** 2 + 2 * (3 / 4) ** 2 + 1]
    np.testing.assert_allclose(both.squares, beaten)
    np.testing.assert_allclose(both.sums["average_precision"], (1 / 1 + 2 / 5) / 2)


def test_the_gap_of_a_range_begins_with_its_first_step():
    """Up to (0, 0.25), right to (0.2, 0.25), then straight: the first chord is 0.25 below."""
    tally, plan = tally_of([0, 1, 4], [1, 0, 3]), RangePlan((), points=1)
    reading = read_range(tally, 1, np.zeros(2, int), np.array([5, 4]), plan, (), 3)
    assert reading.gap == 0.25
    assert reading.kept.thresholds.tolist() == tally.thresholds[1:].tolist()
    plain = read_range(tally, 1, np.zeros(2, int), np.array([5, 4]), RangePlan(()), (), 3)
    assert plain.gap == 0
    assert plain.kept.thresholds.tolist() == tally.thresholds[2:].tolist()


def test_wins_are_integers_of_any_size_or_rounded_once():
    large = [tally_of([2**40], [2**40], [score]) for score in (0.5, 0.25)]
    reading = read_tables(large, 1, RangePlan(()))
    assert reading.wins == (2**82, 2**82)

    def reading_of(place, wins):
        kept = tally_of([1], [1], [-float(place)])
        return RangeReading((place,), (wins,), {}, kept, 0.0, None, 1)

    def total(*wins):
        return RangeReading.combine(list(map(reading_of, range(len(wins)), wins)), 0).wins

    assert total(1e16, 1.0, -1e16) == (1.0,)
    assert total(2**80, 2**80, 1) == (2**81 + 1,)
    assert total(2.0**60, 1, -(2.0**60)) == (1,)


def test_tallies_are_merged_when_their_length_has_doubled():
    one = [tally_of([1], [0], [float(k)]) for k in range(8)]
    stack, kept = RankStack(2), []
    for tally in one:
        stack.add(tally)
        kept.append(len(stack.tallies))
    # 1 at once; of 2 there are twice as many as 1; 3 are more; so are 7 than twice 3.
    assert kept == [1, 2, 1, 2, 3, 4, 1, 2]
    assert len(stack) == 8
    assert stack.merged == 7
    assert stack.whole().thresholds.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert RankStack(2, one[:2]).merged == 1


def test_distinct_scores_are_counted_once():
    again = [tally_of([1, 1], [0, 1]) for _ in range(3)]
    stacks = [RankStack(2, again), RankStack(2), RankStack(2, again[:1])]
    assert sum(map(len, stacks)) == 8
    assert distinct_beyond(stacks, 8) == 0
    assert distinct_beyond(stacks, 4) == 0
    assert distinct_beyond(stacks, 3) == 4


# --------------------------------------------------------------------------- values


def test_a_function_that_refuses_or_warns_has_a_reason():
    def warns():
        import warnings

        warnings.warn("look\nhere", UserWarning, stacklevel=1)
        return 3

    def refuses(error):
        raise error("not\nso")

    assert call(lambda: 2) == (2, "")
    assert call(warns) == (3, "look here")
    assert call(warns, "why") == (3, "why")
    for error in (ValueError, ZeroDivisionError):
        value, reason = call(partial(refuses, error), "why")
        assert np.isnan(value)
        assert reason == "not so"
    with pytest.raises(KeyError):
        call(partial(refuses, KeyError))


def test_whole_rankings_need_their_table():
    smooth, ap, loss = find_metrics(["smooth_calibration_error", "average_precision", "log_loss"])
    tally = tally_of([1, 1, 2], [2, 1, 0])
    layout = make_layout((smooth, ap), np.array([0, 1]), None, None, 1)
    total = np.array([4, 3])
    without = read_range(tally, 1, np.zeros(2, int), total, RangePlan((smooth, ap)), (), 2)
    rankings = MergedRankings(smooth, layout, [without], total)
    value, reason = read_ranking(rankings, 2)
    assert np.isnan(value)
    assert reason == (
        "needs all distinct scores at once, and 3 are more than the 2 that memory_limit allows"
    )
    value, reason = read_ranking(MergedRankings(ap, layout, [without], total), 2)
    true, score = np.repeat([0, 0, 0, 1, 1], [1, 1, 2, 2, 1]), np.repeat(
        [0.375, 0.25, 0.125, 0.375, 0.25], [1, 1, 2, 2, 1])  # fmt: skip
    assert value == pytest.approx(average_precision_score(true, score))
    assert reason == ""
    held = read_tables([tally], 1, RangePlan((smooth,)))
    value, reason = read_ranking(MergedRankings(smooth, layout, [held], total), 2)
    assert value == pytest.approx(sx.smooth_calibration_error(true, score))
    assert loss.sums == "moments"


def test_sketches_bound_averages_of_classes_only():
    rng = np.random.default_rng(0)
    true, score = rng.integers(0, 3, 80), rng.dirichlet(np.ones(3), 80)
    codes = [(true == k).astype(np.int64) for k in range(3)]
    sketches = [
        ScoreSketch.from_edges([0.2, 0.4, 0.6]).update(codes[k], score[:, k]) for k in range(3)
    ]
    rankings = SketchedRankings(sketches, np.bincount(true))
    assert (rankings.binary, rankings.n_classes) == (False, 3)
    for average in ("macro", "weighted"):
        metric = find(partial(sx.roc_auc_score, multi_class="ovr", average=average))
        (low, high), reason = rankings.bounds(metric)
        right = roc_auc_score(true, score, multi_class="ovr", average=average)
        assert reason == ""
        assert low < right < high < low + 0.5
    means = "a sketch only bounds averages of each class against the rest"
    for options in ({"multi_class": "ovo"}, {"multi_class": "ovr", "average": None},
                    {"multi_class": "ovr", "average": "micro"}):  # fmt: skip
        bounds, reason = rankings.bounds(find(partial(sx.roc_auc_score, **options)))
        assert np.isnan(bounds).all()
        assert bounds.shape == (2,)
        assert reason == means
    two = SketchedRankings([sketches[1]], np.bincount(codes[1]))
    assert (two.binary, two.n_classes) == (True, 1)
    (low, high), reason = two.bounds(find("average_precision"))
    assert low < average_precision_score(codes[1], score[:, 1]) < high
    bounds, reason = two.bounds(find("ks_statistic"))
    assert np.isnan(bounds).all()
    assert reason == "a sketch only bounds areas under the ROC curve and average precision"


# --------------------------------------------------------------------------- partitions


def frame_of(n_rows, seed=0, weight=None, classes=2):
    rng = np.random.default_rng(seed)
    data = {"y": rng.integers(0, classes, n_rows), "site": rng.integers(0, 2, n_rows)}
    for k in range(1 if classes == 2 else classes):
        data[f"s{k}"] = np.round(rng.random(n_rows), 2)
    if weight is not None:
        data["w"] = (
            rng.integers(0, 3, n_rows) / weight if weight > 1 else rng.integers(0, 3, n_rows)
        )
    return data


@pytest.mark.parametrize("most", [1 << 62, 30])
@pytest.mark.parametrize("weight", [None, 1, 2])
@pytest.mark.parametrize("classes", [2, 3])
def test_ranges_that_are_shuffled_give_the_value_of_all_rows(classes, weight, most):
    """Each partition is spread by its ranges, and each worker reads some of them."""
    frames = [frame_of(n, seed, weight, classes) for seed, n in enumerate((40, 0, 1, 60))]
    n_columns = 1 if classes == 2 else classes
    scores = tuple(f"s{k}" for k in range(n_columns))
    names = ColumnNames("y", scores, None, "w" if weight else None, GroupColumns.of("site"))
    metrics = find_metrics(
        {"auc": "roc_auc" if classes == 2 else "roc_auc_ovr", "ap": "average_precision"}
    )
    layout = make_layout(metrics, np.arange(classes), None, None, n_columns)
    edges = tuple(np.array([0.25, 0.5, 0.9][: 3 - k]) for k in range(n_columns))
    plan = RangePlan(metrics, most=most)
    task = Task(names, layout, plan, {0: 0, 1: 1}, edges)
    assert task.ranks
    assert task.needs_sums
    assert first_parts(task).tolist() == ([0, 4] if classes == 2 else [0, 4, 7, 9])
    spread = [spread_part(frame, HERE, task) for frame in frames]
    kinds = {"part": "i8", "grp": "i4", "score": "f8", "code": "i2",
             "weight": "f8" if weight else "i8"}  # fmt: skip
    for rows in spread:
        assert {name: column.dtype for name, column in rows.items()} == kinds
    assert all(len(column) == 0 for column in spread[1].values())
    rows = {name: np.concatenate([one[name] for one in spread]) for name in kinds}
    assert set(rows["part"].tolist()) == set(range(first_parts(task)[-1]))
    totals = combined(Sums, [
        sum_part(read_part(frame, names, HERE), task) for frame in frames if len(frame["y"])
    ])  # fmt: skip
    readings = []
    for worker in range(3):
        own = {name: column[rows["part"] % 3 == worker] for name, column in rows.items()}
        readings += read_shuffled(own, task, totals.ranges)
    none = {name: column[:0] for name, column in rows.items()}
    assert read_shuffled(none, task, totals.ranges) == []
    found = gather(readings, task)
    assert sorted(found) == [0, 1]
    whole = {name: np.concatenate([frame[name] for frame in frames]) for name in frames[0]}
    for site, columns in found.items():
        own = whole["site"] == site
        true = whole["y"][own]
        score = np.column_stack([whole[name][own] for name in scores])
        sample_weight = whole["w"][own] if weight else None
        masses = np.bincount(true, weights=sample_weight, minlength=classes)
        for metric in metrics:
            value, reason = read_ranking(MergedRankings(metric, layout, columns, masses), most)
            right = metric.function(
                true, score[:, 0] if classes == 2 else score, sample_weight=sample_weight,
                **metric.params,
            )  # fmt: skip
            assert value == pytest.approx(float(right), rel=1e-12)
            assert reason == ""
        for k, column in enumerate(columns):
            assert column.distinct == len(np.unique(score[masses[true] > 0, k])) or weight
            assert (column.table is None) == (most == 30)
            assert all(isinstance(wins, int if weight is None else float) for wins in column.wins)


def test_a_worker_shares_the_tables_with_the_other_ranges():
    """Of 5 scores each of two ranges may hold 2, and both together 5."""
    layout = make_layout((AUC,), np.array([0, 1]), None, None, 1)
    edges = (np.array([0.5]),)
    task = Task(ColumnNames("y", ("s",)), layout, RangePlan((AUC,), most=5), {None: 0}, edges)
    score = np.array([0.1, 0.2, 0.2, 0.5, 0.6, 0.7])
    rows = {
        "part": np.array([0, 0, 0, 1, 1, 1]), "grp": np.zeros(6, int), "score": score,
        "code": np.array([0, 1, 0, 1, 1, 0]), "weight": np.ones(6, int),
    }  # fmt: skip
    masses = {(None, 0): np.array([[2, 1], [1, 2]])}
    found = read_shuffled(rows, task, masses)
    low, high = (reading for _, _, reading in found)
    assert [(group, k, reading.order) for group, k, reading in found] == [
        (None, 0, (0,)), (None, 0, (-1,)),
    ]  # fmt: skip
    assert low.table.thresholds.tolist() == [0.2, 0.1]
    assert high.table is None
    # Twice the positive rows above each negative one: 0.1 has three, 0.2 two and a tie, 0.7 none.
    assert low.wins[0] == 2 * 3 + 2 * 2 + 1
    assert high.wins[0] == 0
    fewer = {name: column[:5] for name, column in rows.items()}
    masses = {(None, 0): np.array([[2, 1], [0, 2]])}
    (whole,) = gather(read_shuffled(fewer, task, masses), task)[None]
    assert whole.table.thresholds.tolist() == [0.6, 0.5, 0.2, 0.1]
    small = Task(task.names, layout, RangePlan((AUC,), most=3), {None: 0}, edges)
    assert gather(read_shuffled(fewer, small, masses), small)[None][0].table is None
    one = Task(task.names, layout, RangePlan((AUC,), most=1), {None: 0}, edges)
    single = {name: column[:1] for name, column in rows.items()}
    assert read_shuffled(single, one, masses)[0][2].table is not None
    two = {name: column[:2] for name, column in rows.items()}
    assert read_shuffled(two, one, masses)[0][2].table is None
    whole = Task(task.names, layout, RangePlan((AUC,), most=2), {None: 0}, (np.array([]),))
    assert read_shuffled(two, whole, masses)[0][2].table.thresholds.tolist() == [0.2, 0.1]


def test_weights_of_classes_in_ranges_by_hand():
    names = ColumnNames("y", ("s",), None, "w")
    layout = make_layout((AUC,), np.array([0, 1]), None, None, 1)
    task = Task(names, layout, RangePlan((AUC,)), {None: 0}, (np.array([0.25, 0.5]),))
    data = {"y": np.array([0, 1, 1, 0, 1]), "s": np.array([0.1, 0.25, 0.3, 0.5, 0.9]),
            "w": np.array([1, 2, 3, 4, 0])}  # fmt: skip
    part = read_part(data, names, HERE)
    np.testing.assert_array_equal(sum_part(part, task).ranges[None, 0], [[1, 0], [0, 5], [4, 0]])
    assert not Task(names, layout, RangePlan((AUC,)), {}).needs_sums
    assert not Task(names, layout, RangePlan(()), {}).ranks


def test_a_survey_keeps_the_rows_with_the_smallest_keys(monkeypatch):
    monkeypatch.setattr(partitions, "SAMPLE", 3)
    survey = PartitionSurvey()
    survey.add_sample(np.array([0.5, 0.1]), np.array([[5], [1]]))
    assert survey.sample.tolist() == [[5], [1]]
    survey.add_sample(np.array([0.4, 0.9, 0.2]), np.array([[4], [9], [2]]))
    assert sorted(survey.sample.ravel().tolist()) == [1, 2, 4]
    other = PartitionSurvey()
    survey.add(other)
    assert len(survey.keys) == 3
    other.add_sample(np.array([0.05]), np.array([[0]]))
    survey.add(other)
    assert sorted(survey.keys.tolist()) == [0.05, 0.1, 0.2]
    whole = frame_of(40)
    names = ColumnNames("y", ("s0",), by=GroupColumns.of("site"))
    part = read_part(whole, names, RowLocation(number=3, first_row=7))
    plain, sampled = (survey_part(part, sampled=one) for one in (False, True))
    assert plain.sample is None
    assert plain.n_rows == sampled.n_rows == 40
    assert plain.sums.rows == {k: int((whole["site"] == k).sum()) for k in (0, 1)}
    assert len(sampled.sample) == 3
    again = survey_part(part, sampled=True)
    assert again.sample.tolist() == sampled.sample.tolist()
    elsewhere = read_part(whole, names, RowLocation(number=4, first_row=7))
    assert survey_part(elsewhere, sampled=True).sample.tolist() != sampled.sample.tolist()


class Batch:
    num_rows = 7


def test_batches_are_counted_and_their_errors_placed():
    assert [n_rows_of(batch) for batch in ({"a": [1, 2], "b": [3, 4]}, Batch(), [1, 2, 3])] == [
        2, 7, 3,
    ]  # fmt: skip
    names = ColumnNames("y")
    place = RowLocation("partition 3")
    data = {"y": np.array([0, 1])}
    assert reduce_batch(data, place, names, Sums, lambda part: part.n_rows) == 2
    none = reduce_batch({"y": np.array([])}, place, names, Sums, lambda part: 1 / 0)
    assert none.rows == {}
    with pytest.raises(PartitionError, match=r"^partition 3 raised ZeroDivisionError: division"):
        reduce_batch(data, place, names, Sums, lambda part: 1 / 0)
    with pytest.raises(PartitionError, match=r"^A partition raised ZeroDivisionError"):
        reduce_batch(data, HERE, names, Sums, lambda part: 1 / 0)
    with pytest.raises(ValueError, match=r"^Column 'y' holds nan in row 1 of partition 3"):
        reduce_batch({"y": np.array([1.0, np.nan])}, place, names, Sums, len)

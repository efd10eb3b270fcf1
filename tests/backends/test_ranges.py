"""Ranges of scores add up to the ranking, wherever they are cut."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import undefined_allowed
from support.frames import binary_names, needs
from support.samples import grid_scores, integers, weights

from skmetrics_ext import evaluate, roc_curve
from skmetrics_ext.backends.duckdb import SortedScan
from skmetrics_ext.merged.layout import find_metrics, make_layout
from skmetrics_ext.merged.ranges import (
    MergedRankings,
    RangePlan,
    RangeReading,
    kind_of,
    read_range,
    read_ranking,
)
from skmetrics_ext.tallies import RankTally

RANKED = [one for one in find_metrics(binary_names()) if one.sums == "ranks"]


def split(tally, cuts):
    """The tallies between cuts, the highest scores first."""
    edges = [0, *sorted(cuts), len(tally.thresholds)]
    for start, stop in pairwise(edges):
        if stop > start:
            yield start, RankTally(tally.thresholds[start:stop], tally.mass[:, start:stop])


def read_split(tally, cuts, plan, most=0):
    total = tally.mass.sum(axis=1)
    parts = [
        read_range(part, 1, tally.mass[:, :start].sum(axis=1), total, plan, (start,), most)
        for start, part in split(tally, cuts)
    ]
    return RangeReading.combine(parts[::-1], most)


@st.composite
def rankings(draw, weighted):
    n_rows = draw(st.integers(2, 40))
    score = draw(grid_scores(n_rows) | integers(0, 1000, n_rows).map(lambda x: x / 1000))
    codes = draw(integers(0, 1, n_rows))
    codes[:2] = 0, 1
    weight = draw(weights(n_rows)) if weighted else None
    return score, codes, weight


def value_of(metric, reading, plan, total):
    layout = make_layout((metric,), np.array([0, 1]), None, None, 1)
    return read_ranking(MergedRankings(metric, layout, [reading], total), plan.most).value


@pytest.mark.sampled(4)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("one", RANKED, ids=lambda one: one.name)
@given(data=st.data())
def test_ranges_give_what_the_function_gives(data, one, weighted):
    score, codes, weight = data.draw(rankings(weighted))
    if one.spec.response == "probabilities":
        score = np.abs(score)
    tally = RankTally.from_scores(score, codes, 2, weight)
    plan = RangePlan((one,), most=0)
    if kind_of(one) == "whole":
        plan = RangePlan((one,))
    cuts = data.draw(st.lists(st.integers(0, len(tally.thresholds)), max_size=4))
    reading = read_split(tally, cuts, plan, plan.most)
    got = value_of(one, reading, plan, tally.mass.sum(axis=1))
    with undefined_allowed():
        value = one.function(codes, score, sample_weight=weight, **one.params)
    # Sums of float weights lose a digit or two where two sums are nearly equal.
    np.testing.assert_allclose(got, value, rtol=1e-10 if weighted else 1e-12, atol=1e-12)
    if not weighted and (kind_of(one) == "wins" or one.name.startswith(("ks_", "lift"))):
        assert got == value


@pytest.mark.parametrize("own", [0, 1, 2])
@given(data=st.data())
def test_pairs_of_three_classes_add_exactly(data, own):
    n_rows = data.draw(st.integers(3, 30))
    score, codes = data.draw(grid_scores(n_rows)), data.draw(integers(0, 2, n_rows))
    tally = RankTally.from_scores(score, codes, 3, None)
    cuts = data.draw(st.lists(st.integers(0, len(tally.thresholds)), max_size=3))
    total = tally.mass.sum(axis=1)
    parts = [
        read_range(part, own, tally.mass[:, :start].sum(axis=1), total, RangePlan(()), (start,), 0)
        for start, part in split(tally, cuts)
    ]
    mine = score[codes == own]
    for other, wins in enumerate(RangeReading.combine(parts, 0).wins):
        theirs = score[codes == other]
        above = mine[:, None] - theirs
        assert wins == 2 * int((above > 0).sum()) + int((above == 0).sum())


@given(data=st.data())
def test_a_sorted_scan_is_cut_anywhere(data):
    """Batches that split ties and groups, and no limit or a small one for tables."""
    n_rows = data.draw(st.integers(2, 60))
    group = np.sort(data.draw(integers(0, 2, n_rows)))
    score, codes = data.draw(grid_scores(n_rows)), data.draw(integers(0, 1, n_rows))
    order = np.lexsort((-score, group))
    score, codes = score[order], codes[order]
    weight = data.draw(st.none() | weights(n_rows))
    asked = find_metrics(["roc_auc", "average_precision", "ks_statistic"])
    most = data.draw(st.sampled_from([0, 5, 1000]))
    plan = RangePlan(asked, most=most)
    tallies = {
        int(g): RankTally.from_scores(
            score[group == g], codes[group == g], 2, None if weight is None else weight[group == g]
        )
        for g in np.unique(group)
    }
    totals = {g: tally.mass.sum(axis=1) for g, tally in tallies.items()}
    scan = SortedScan(1, totals, plan, most)
    size = data.draw(st.integers(1, 20))
    for start in range(0, n_rows, size):
        rows = slice(start, start + size)
        scan.feed(group[rows], score[rows], codes[rows], None if weight is None else weight[rows])
    scan.close()
    assert set(scan.done) == set(tallies)
    held = 0
    for number, tally in tallies.items():
        whole = read_range(tally, 1, np.zeros(2), totals[number], plan, (), 1 << 62)
        found = scan.done[number]
        assert found.distinct == len(tally.thresholds)
        np.testing.assert_allclose(found.wins, whole.wins, rtol=1e-12)
        for one in asked:
            got = value_of(one, found, plan, totals[number])
            expected = value_of(one, whole, plan, totals[number])
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14)
        if found.table is not None:
            held += found.distinct
            np.testing.assert_array_equal(found.table.thresholds, tally.thresholds)
            np.testing.assert_allclose(found.table.mass, tally.mass)
    assert held <= most


@pytest.mark.parametrize("limit", ["1GiB", 20_000])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_thinned_curves_are_exact_points_and_state_their_error(engine, limit, monkeypatch):
    from skmetrics_ext.backends import duckdb

    needs(engine)
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(duckdb, "BATCH", 100)
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, 2000)
    score = rng.normal(size=2000) + codes
    frame = pandas.DataFrame({"true": codes, "score": score})
    found = evaluate(
        frame,
        true="true",
        score="score",
        metrics=["roc_auc"],
        curve_points=20,
        engine=engine,
        memory_limit=limit,
    )
    curve = found.curves[None, 1]
    fpr, tpr, thresholds = roc_curve(codes, score, drop_intermediate=False)
    assert 10 <= len(curve.thresholds) <= 20
    place = np.searchsorted(-thresholds, -curve.thresholds)
    np.testing.assert_array_equal(curve.thresholds, thresholds[place])
    np.testing.assert_array_equal(curve.false_positive_rate, fpr[place])
    np.testing.assert_array_equal(curve.true_positive_rate, tpr[place])
    n_neg, n_pos = np.bincount(codes)
    predicted = fpr * n_neg + tpr * n_pos
    precision = np.divide(tpr * n_pos, predicted, out=np.ones(len(tpr)), where=predicted > 0)
    np.testing.assert_allclose(curve.precision, precision[place], rtol=1e-12)
    straight = np.interp(fpr, curve.false_positive_rate, curve.true_positive_rate)
    inner = (fpr > 0) & (fpr < 1)
    away = np.abs(tpr - straight)[inner].max()
    assert 0 < away <= curve.vertical_error < 0.12
    assert len(curve.frame()) == len(curve.thresholds)


@pytest.mark.parametrize("labels", [None, [1, 0]])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_that_are_sorted_in_ranges_give_what_all_of_them_give(tmp_path, labels, weighted):
    """Rows that fit into memory, but not with the copies that a sort of all of them takes."""
    pandas, metrics = pytest.importorskip("pandas"), pytest.importorskip("sklearn.metrics")
    needs("duckdb")  # else every file is read in this way or not at all
    rng = np.random.default_rng(7)
    true = rng.integers(0, 2, 3000)
    score = np.round(rng.normal(size=3000) + true, 2)  # tied scores
    weight = rng.integers(0, 4, 3000) if weighted else np.ones(3000, dtype=np.int64)
    frame = pandas.DataFrame({"y": true, "s": score, "w": weight})
    frame.to_parquet(tmp_path / "rows.parquet")
    asked = {"true": "y", "score": "s", "weight": "w" if weighted else None, "labels": labels}
    asked["memory_limit"] = 200_000
    names = ["roc_auc", "average_precision"]
    found = evaluate(str(tmp_path / "rows.parquet"), metrics=names, **asked)
    assert found.engine == "memory"
    positive = true if labels is None else 1 - true
    area = metrics.roc_auc_score(positive, score, sample_weight=weight)
    precision = metrics.average_precision_score(positive, score, sample_weight=weight)
    assert found.value("roc_auc") == pytest.approx(area, rel=1e-12)
    assert found.value("average_precision") == pytest.approx(precision, rel=1e-12)


def test_an_area_from_ranges_has_the_variance_of_its_placements(tmp_path):
    """DeLong: the variances of the placements of both classes over their numbers."""
    pandas = pytest.importorskip("pandas")
    needs("duckdb")
    rng = np.random.default_rng(8)
    true = rng.integers(0, 2, 2000)
    score = np.round(rng.normal(size=2000) + true, 2)
    pandas.DataFrame({"y": true, "s": score}).to_parquet(tmp_path / "rows.parquet")
    asked = {"true": "y", "score": "s", "metrics": ["roc_auc"], "memory_limit": 150_000}
    (row,) = evaluate(str(tmp_path / "rows.parquet"), intervals=True, **asked)
    a, b = score[true == 1], score[true == 0]
    wins = (a[:, None] > b) + (a[:, None] == b) / 2
    variance = wins.mean(axis=1).var(ddof=1) / len(a) + wins.mean(axis=0).var(ddof=1) / len(b)
    assert row["value"] == pytest.approx(wins.mean(), rel=1e-12)
    assert row["standard_error"] == pytest.approx(np.sqrt(variance), rel=1e-9)

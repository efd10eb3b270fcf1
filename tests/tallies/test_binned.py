"""Sketches: bounds that hold for every order within the bins; bins that are no more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import grid_scores, integers, weights

from skmetrics_ext import average_precision_score, roc_auc_score, tallies
from skmetrics_ext.tallies import RankTally, ScoreSketch

LOOSE = 1e-12


@st.composite
def cases(draw):
    n_rows = draw(st.integers(2, 40))
    score = draw(grid_scores(n_rows) | integers(-500, 500, n_rows).map(lambda x: x / 7))
    true = draw(integers(0, 1, n_rows))
    true[:2] = 0, 1
    return true, score, draw(st.none() | weights(n_rows))


@given(cases(), st.integers(1, 12), st.integers(0, 30))
def test_bounds_hold_the_truth(case, n_bins, n_sample):
    true, score, weight = case
    sketch = ScoreSketch.from_sample(score[: max(n_sample, 1)], n_bins).update(true, score, weight)
    for bounds, function in (
        (sketch.roc_auc, roc_auc_score),
        (sketch.average_precision, average_precision_score),
    ):
        value = function(true, score, sample_weight=weight)
        assert bounds[0] - LOOSE <= value <= bounds[1] + LOOSE


@given(cases(), st.integers(1, 5))
def test_every_order_within_a_bin_is_within_the_bounds(case, n_bins):
    """Scores that stay in their bin may be anything: the sketch does not know them."""
    true, score, weight = case
    sketch = ScoreSketch.from_sample(score, n_bins).update(true, score, weight)
    bins = np.searchsorted(sketch.edges, score, side="right")
    rng = np.random.default_rng(0)
    for _ in range(5):
        moved = bins + rng.integers(0, 3, len(score)) / 4
        moved = np.where(sketch.lowest[bins] == sketch.highest[bins], bins, moved)
        assert sketch.roc_auc[0] - LOOSE <= roc_auc_score(true, moved, sample_weight=weight)
        assert sketch.roc_auc[1] + LOOSE >= roc_auc_score(true, moved, sample_weight=weight)
        value = average_precision_score(true, moved, sample_weight=weight)
        assert sketch.average_precision[0] - LOOSE <= value <= sketch.average_precision[1] + LOOSE


def test_bounds_by_hand_and_that_they_are_reached():
    """One bin of two positives and two negatives below a positive."""
    sketch = ScoreSketch.from_edges([0.5]).update([1, 1, 1, 0, 0], [0.9, 0.1, 0.2, 0.3, 0.4])
    # The pairs of the positive above the bin, and all pairs.
    np.testing.assert_allclose(sketch.roc_auc, (2 / 6, 1), rtol=1e-11)
    low, high = sketch.average_precision
    assert high == 1
    worst = (1 + 2 / 4 + 3 / 5) / 3
    assert low <= worst
    # The integral of t / (t + 2) from 1 to 3 in the place of its right ends.
    np.testing.assert_allclose(low, (1 + 2 - 2 * np.log(5 / 3)) / 3, rtol=1e-9)


def test_a_bin_with_one_score_is_exact():
    score = np.repeat([0.1, 0.4, 0.7], 20)
    true = np.tile([0, 1, 1, 0, 0, 1], 10)
    sketch = ScoreSketch.from_sample(score, 50).update(true, score)
    value = roc_auc_score(true, score)
    assert sketch.roc_auc == (value, value)
    np.testing.assert_allclose(sketch.average_precision, average_precision_score(true, score))


@given(cases(), st.integers(1, 8), st.integers(0, 40))
def test_parts_merge_to_the_whole(case, n_bins, cut):
    true, score, weight = case
    empty = ScoreSketch.from_sample(score, n_bins)
    whole = empty.update(true, score, weight)
    parts = [
        empty.update(true[rows], score[rows], None if weight is None else weight[rows])
        for rows in (slice(None, cut), slice(cut, None))
        if len(true[rows])
    ]
    merged = parts[0].merge(*parts[1:])
    for name in ("edges", "mass", "lowest", "highest"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))


def test_what_a_sketch_refuses():
    for edges in ([0.2, 0.1], [np.nan], [[0.1]], [0.1, 0.1]):
        with pytest.raises(ValueError, match="edges must be finite numbers that rise"):
            ScoreSketch.from_edges(edges)
    with pytest.raises(ValueError, match="merge only where their edges are the same"):
        ScoreSketch.from_edges([0.1]).merge(ScoreSketch.from_edges([0.2]))
    empty = ScoreSketch.from_edges([0.5])
    assert np.isnan(empty.roc_auc).all()
    assert np.isnan(empty.average_precision).all()


def test_rows_of_weight_0_widen_no_bin():
    empty = ScoreSketch.from_edges([0.5])
    plain = empty.update([0, 1], [0.2, 0.8])
    for weight in ([1, 1, 0, 0], [1.0, 1.0, 0.0, 0.0]):
        found = empty.update([0, 1, 1, 0], [0.2, 0.8, 0.1, 0.9], weight)
        assert found.lowest.tolist() == plain.lowest.tolist() == [0.2, 0.8]
        assert found.highest.tolist() == plain.highest.tolist() == [0.2, 0.8]
        assert found.mass.tolist() == plain.mass.tolist()


def test_the_positive_class_of_a_batch():
    empty = ScoreSketch.from_edges([0.5])
    for names in ((0, 1), (-1, 1), (False, True)):
        sketch = empty.update([names[1]], [0.9]).update([names[0]], [0.2])  # one class a batch
        assert sketch.mass.tolist() == [[1, 0], [0, 1]]
    for names in ((1, 2), ("no", "yes")):
        with pytest.raises(ValueError, match="pass labels=, the negative class and the positive"):
            empty.update(names, [0.2, 0.9])
        told = ScoreSketch.from_edges([0.5], labels=names)
        sketch = told.update([names[1]], [0.9]).update([names[0]], [0.2])
        assert sketch.mass.tolist() == [[1, 0], [0, 1]]
        turned = ScoreSketch.from_sample([0.5], 2, labels=names, pos_label=names[0])
        turned = turned.update([names[1]], [0.2]).update([names[0]], [0.9])
        assert turned.classes == names[::-1]
        assert turned.roc_auc == (1, 1)
        with pytest.raises(ValueError, match="not belonging to the passed labels"):
            told.update([names[0], "other" if names[0] == "no" else 3], [0.2, 0.9])


def test_classes_of_a_sketch_do_not_change():
    empty = ScoreSketch.from_edges([0.5])
    known = empty.update([1], [0.9]).update([0], [0.2])
    for wrong in ([-1, 1], [1, 2], ["0", "1"]):
        with pytest.raises(ValueError, match="not belonging to the passed labels"):
            known.update(wrong, [0.2, 0.9])
    minus = empty.update([1], [0.9]).update([-1], [0.2])
    with pytest.raises(ValueError, match="only where their classes are the same"):
        known.merge(minus)
    assert empty.merge(known, empty.update([1], [0.7])).classes == (0, 1)
    for labels in (["a"], ["a", "a"], [0, 1, 2]):
        with pytest.raises(ValueError, match="must name the two classes"):
            ScoreSketch.from_edges([0.5], labels=labels)
    masked = np.ma.array([0, 1, 0], mask=[0, 0, 1])
    assert empty.update(masked, [0.1, 0.9, 0.95]).roc_auc == (1, 1)
    assert empty.update(np.ma.masked_all(2, dtype=int), [0.1, 0.9]) is empty


def test_a_sketch_is_a_tally_with_a_tie_for_each_bin_that_has_rows():
    sketch = ScoreSketch.from_edges([0.2, 0.4, 0.6]).update([0, 1, 0, 1], [0.1, 0.5, 0.45, 0.7])
    assert sketch.tally.thresholds.tolist() == [0.7, 0.45, 0.1]
    assert sketch.tally.mass.tolist() == [[0, 1, 1], [1, 1, 0]]


def test_a_tally_that_is_asked_for_in_bins_is_exact():
    true, score = np.arange(12) % 3, np.arange(12) // 2 / 8
    tally = RankTally.from_scores(score, true, 3, None)
    with pytest.warns(FutureWarning, match="binned is deprecated .* 0.4: n is ignored"):
        found = tally.binned(2)
    assert found.thresholds.tolist() == [5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8, 0]
    assert found.mass.tolist() == [[1, 1, 2, 1, 1, 2], [1, 1, 0, 1, 1, 0]]
    assert found.auc_error_bound == 0
    wins = found.wins()
    area = float(wins.twice / wins.negative / wins.positive / 2)
    assert area == pytest.approx(roc_auc_score(true == 2, score))
    with pytest.warns(FutureWarning, match="tallies.BinnedRankTally is deprecated .*RankTally"):
        assert tallies.BinnedRankTally is RankTally
    with pytest.raises(AttributeError, match="no attribute 'Binned'"):
        tallies.Binned  # noqa: B018

"""RankTally against counts of pairs in rational arithmetic."""

import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.compare import identical
from support.samples import integers
from support.score_inputs import binary_scores

from skmetrics_ext import METRICS, gini_score, roc_auc_score
from skmetrics_ext.tallies import RankTally, Stretch, Wins

AREA = METRICS["roc_auc"].kernel  # of a ranking, or of several


def exact_area(positive, score, weight):
    """Share of pairs ranked rightly, ties half: as a fraction."""
    right = pairs = Fraction(0)
    for i in np.flatnonzero(positive):
        for j in np.flatnonzero(~positive):
            both = Fraction(weight[i]) * Fraction(weight[j])
            pairs += both
            right += both * (
                Fraction(int(score[i] > score[j])) + Fraction(int(score[i] == score[j]), 2)
            )
    return right / pairs


@given(data=st.data(), columns=binary_scores())
def test_the_area_is_the_share_of_pairs(data, columns):
    y_true, score, names = columns
    positive = y_true == names[1]
    counts = data.draw(integers(1, 5, len(score)))
    for weight in (None, counts, counts / 8, counts.astype(np.uint8)):
        ones = [1] * len(score) if weight is None else weight.tolist()
        exact = exact_area(positive, score, ones)
        got = roc_auc_score(y_true, score, sample_weight=weight)
        assert got == pytest.approx(float(exact), rel=1e-14, abs=1e-15)
        gini = gini_score(y_true, score, sample_weight=weight, pos_label=names[1])
        assert gini == pytest.approx(float(2 * exact - 1), rel=1e-13, abs=1e-14)


def test_one_heavy_row_does_not_swallow_the_others():
    y_true, score = np.array([0, 1, 0, 1]), np.array([0.9, 0.1, 0.05, 0.8])
    weight = [1e16, 1.0, 1.0, 1.0]
    exact = exact_area(y_true == 1, score, weight)
    assert roc_auc_score(y_true, score, sample_weight=weight) == pytest.approx(
        float(exact), rel=1e-12
    )


@given(data=st.data(), columns=binary_scores())
def test_a_tally_lists_each_distinct_score_once(data, columns):
    y_true, score, names = columns
    positive = y_true == names[1]
    weight = data.draw(st.none() | integers(1, 5, len(score)))
    tally = RankTally.from_predictions(
        y_true, score, pos_label=names.tolist()[1], sample_weight=weight
    )
    ones = np.ones(len(score), dtype=np.int64) if weight is None else weight
    np.testing.assert_array_equal(tally.thresholds, np.unique(score)[::-1])
    for t, threshold in enumerate(tally.thresholds):
        assert tally.positive[t] == ones[positive & (score == threshold)].sum()
        assert tally.negative[t] == ones[~positive & (score == threshold)].sum()
    assert tally.mass.dtype == np.int64
    counts = tally.counts()
    for t, threshold in enumerate(tally.thresholds):
        assert counts.tp[t] == ones[positive & (score >= threshold)].sum()
        assert counts.fp[t] == ones[~positive & (score >= threshold)].sum()
        assert counts.fn[t] == ones[positive & (score < threshold)].sum()
        assert counts.tn[t] == ones[~positive & (score < threshold)].sum()


@given(data=st.data(), columns=binary_scores())
def test_merging_and_stacking(data, columns):
    y_true, score, names = columns
    codes = (y_true == names[1]).astype(np.int64)
    n_rows = len(score)
    weight = data.draw(
        st.none() | integers(0, 4, n_rows) | integers(0, 4, n_rows).map(lambda w: w / 4)
    )
    part_of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)))
    groups = [part_of == k for k in range(3) if (part_of == k).any()]
    assume(weight is None or weight.any())
    parts = [
        RankTally.from_scores(score[g], codes[g], 2, None if weight is None else weight[g])
        for g in groups
    ]
    whole = RankTally.from_scores(score, codes, 2, weight)
    for merged in (RankTally.combine(parts), parts[-1].merge(*parts[:-1])):
        identical(merged.thresholds, whole.thresholds)
        identical(merged.mass, whole.mass)
    stacked = RankTally.stack(parts)
    assert stacked.mass.shape == (len(parts), 2, len(whole.thresholds))
    identical(stacked.pool().mass, whole.mass)
    areas = AREA(stacked)
    for area, part in zip(areas, parts, strict=True):
        np.testing.assert_array_equal(area, AREA(part))


def test_rows_of_weight_0_leave_no_trace():
    tally = RankTally.from_predictions([0, 1, 1], [0.1, 0.2, 0.3], sample_weight=[1, 0, 2])
    assert tally.thresholds.tolist() == [0.3, 0.1]
    identical(tally.mass, np.array([[0, 1], [2, 0]]))


def test_dtypes():
    y, s = [0, 1], [0.5, 0.25]
    assert RankTally.from_predictions(y, s).mass.dtype == np.int64
    assert RankTally.from_predictions(y, s, sample_weight=[True, True]).mass.dtype == np.int64
    assert RankTally.from_predictions(y, s, sample_weight=[1.0, 2.0]).mass.dtype == np.float64
    single = RankTally.from_predictions(y, np.array(s, dtype=np.float32))
    assert single.thresholds.dtype == np.float32


def test_the_positive_class_may_be_named():
    tally = RankTally.from_predictions(["a", "b"], [0.9, 0.1], pos_label="a")
    assert tally.positive.tolist() == [1, 0]


def test_a_tally_is_a_value():
    tally = RankTally.from_predictions([0, 1], [0.5, 0.25])
    with pytest.raises(FrozenInstanceError):
        tally.mass = 0
    copy = pickle.loads(pickle.dumps(tally))
    identical(copy.thresholds, tally.thresholds)
    identical(copy.mass, tally.mass)


@given(data=st.data(), columns=binary_scores())
def test_sums_are_those_of_the_rows(data, columns):
    """Pairs ranked rightly, and the precision at each positive row, by hand."""
    y_true, score, names = columns
    positive = y_true == names[1]
    weight = data.draw(st.none() | integers(1, 5, len(score)).map(lambda w: w / 8))
    tally = RankTally.of_marks(np.asarray(score, dtype=np.float64), positive, weight)
    mass = np.ones(len(score)) if weight is None else weight
    above = (score[:, None] > score) + (score[:, None] == score) / 2
    pairs = (mass[:, None] * mass * above)[positive][:, ~positive]
    np.testing.assert_allclose(tally.wins().twice, 2 * pairs.sum(), rtol=1e-12)
    at_least = (score >= score[:, None]) * mass  # weight that scores at least as each row
    precision = at_least[:, positive].sum(axis=1) / at_least.sum(axis=1)
    expected = (mass * precision)[positive].sum(), mass[positive].sum()
    np.testing.assert_allclose(tally.precision(), expected, rtol=1e-12)


def test_wins_of_an_area():
    np.testing.assert_array_equal(AREA(Wins.of_area(np.array([0.25, 1.0]))), [0.25, 1.0])


def test_a_stretch_knows_what_stands_above():
    tally = RankTally(np.array([4.0, 3.0, 2.0, 1.0]), np.array([[0, 2, 1, 3], [2, 1, 0, 1]]))
    part = RankTally(tally.thresholds[1:3], tally.mass[:, 1:3])
    stretch = Stretch.of(part, np.array([0, 2]), np.array([6, 4]))
    fp, tp, negative, positive = stretch.steps()
    assert (fp.tolist(), tp.tolist(), int(negative), int(positive)) == ([0, 2, 3], [2, 3, 3], 6, 4)
    assert stretch.only(np.array([1])).mass.tolist() == [[3], [1]]
    whole = Stretch.of(tally, np.zeros(2, int), tally.mass.sum(axis=1))
    for one, other in zip(whole.steps(), tally.steps(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_positive_class_has_to_be_known():
    with pytest.raises(ValueError, match="needs a positive class: pass pos_label='b' or"):
        RankTally.from_predictions(["a", "b"], [0.9, 0.1])


@pytest.mark.parametrize("scores", [[0.1, 0.5], [0.5, 0.5], [[0.5, 0.1]], 0.5])
def test_scores_of_a_tally_fall(scores):
    for make in (list, np.array) if isinstance(scores, list) else (float, np.array):
        with pytest.raises(ValueError, match=r"thresholds must (fall|be)"):
            RankTally(make(scores), np.array([[1, 2], [3, 4]]))


def test_a_part_is_told_both_classes():
    whole = RankTally.from_predictions(["a", "b", "b"], [0.1, 0.2, 0.3], pos_label="b")
    parts = [
        RankTally.from_predictions(true, score, labels=["a", "b"])
        for true, score in ((["b"], [0.3]), (["a"], [0.1]), (["b"], [0.2]))
    ]
    identical(RankTally.combine(parts).mass, whole.mass)
    with pytest.raises(ValueError, match="not belonging to the passed labels"):
        RankTally.from_predictions(["c"], [0.1], labels=["a", "b"])


@pytest.mark.parametrize(("scale", "kind"), [(1, "i"), (1 << 20, "i"), (1 << 60, "f")])
def test_counts_are_whole_numbers_as_far_as_products_of_them_are(scale, kind):
    tally = RankTally(np.array([3, 2, 1]), scale * np.array([[0, 1, 2], [2, 1, 0]]))
    fp, tp, negative, positive = tally.steps()
    assert [part.dtype.kind for part in (fp, tp, negative, positive)] == [kind] * 4
    assert (fp / scale).tolist() == [0, 0, 1, 3]
    assert (tp / scale).tolist() == [0, 2, 3, 3]
    assert tally.wins().twice.dtype.kind == kind
    assert AREA(tally) == pytest.approx(17 / 18)

"""Gains tables, by hand."""

import numpy as np
import pytest

import skmetrics_ext as sx

# Ten rows a bin: 9, 5, 2 and 0 positive.
SCORE = np.arange(40, 0, -1) / 40
TRUE = np.repeat([1, 0, 1, 0, 1, 0, 0], [9, 1, 5, 5, 2, 8, 10])


def column(table, name):
    return [row[name] for row in table]


def test_gains_by_hand():
    table = sx.gains_table(TRUE, SCORE, n_bins=4)
    assert column(table, "group") == [1, 2, 3, 4]
    assert column(table, "value") == [0.9, 0.5, 0.2, 0]
    assert column(table, "positives") == [9, 5, 2, 0]
    assert column(table, "n_rows") == [10] * 4
    assert column(table, "depth") == pytest.approx([0.25, 0.5, 0.75, 1])
    assert column(table, "gain") == pytest.approx([9 / 16, 14 / 16, 1, 1])
    assert column(table, "lift") == pytest.approx([36 / 16, 28 / 16, 4 / 3, 1])
    assert column(table, "ks") == pytest.approx([9 / 16 - 1 / 24, 14 / 16 - 6 / 24, 1 - 14 / 24, 0])
    assert (table[0]["low_score"], table[0]["high_score"]) == (31 / 40, 1)
    for row in table:
        share = sx.proportion_interval(row["positives"], 10, method="wilson")
        assert (row.low, row.high) == pytest.approx((share.low, share.high))
        assert (row.estimate.n, row.estimate.positive_class) == (10, 1)
    assert "lift" in str(table)
    assert "ks" in table.frame().columns


def test_gains_are_those_of_other_functions():
    rng = np.random.default_rng(0)
    true, score = rng.integers(0, 2, 500), rng.random(500)
    table = sx.gains_table(true, score)
    for row in table:
        assert row["lift"] == pytest.approx(sx.lift_score(true, score, fraction=row["depth"]))
    every = sx.gains_table(true, score, n_bins=500)
    assert max(column(every, "ks")) == pytest.approx(sx.ks_statistic_score(true, score))


def test_equal_scores_are_in_one_bin():
    score = np.repeat([0.9, 0.5, 0.1], [3, 5, 2])  # bins of 2: rows 1, 4 and 9 begin a tie
    table = sx.gains_table([1, 1, 0, 1, 0, 0, 0, 1, 0, 0], score, n_bins=5)
    assert column(table, "group") == [1, 2, 5]
    assert column(table, "n_rows") == [3, 5, 2]
    assert column(table, "value") == pytest.approx([2 / 3, 2 / 5, 0])


def test_the_positive_class_and_weights():
    text = np.where(TRUE == 1, "bad", "good")
    table = sx.gains_table(text, SCORE, n_bins=4, pos_label="bad")
    assert column(table, "value") == [0.9, 0.5, 0.2, 0]
    weight = np.where(np.arange(40) < 10, 3, 1)  # 60 in all: bins of 15 begin at rows 1, 6, 11, 26
    weighted = sx.gains_table(TRUE, SCORE, n_bins=4, sample_weight=weight)
    assert column(weighted, "n_rows") == [5, 5, 15, 15]
    assert column(weighted, "gain") == pytest.approx([15 / 34, 27 / 34, 1, 1])
    grouped = sx.gains_table(TRUE, SCORE, n_bins=4, groups=np.arange(40) // 2)
    assert column(grouped, "n_groups") == [5] * 4


def test_refused():
    with pytest.raises(ValueError, match="n_bins"):
        sx.gains_table(TRUE, SCORE, n_bins=0)
    with pytest.raises(ValueError, match="reads scores of two classes"):
        sx.gains_table([0, 1, 2], np.eye(3))

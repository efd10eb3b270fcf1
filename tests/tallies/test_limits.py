"""Sums of integer weights that no int64 holds are refused, wherever tallies merge."""

import numpy as np
import pytest

from skmetrics_ext import METRICS, compute_metrics
from skmetrics_ext.tallies import ConfusionTally, Counts, MomentTally, RankTally, ScoreSketch
from skmetrics_ext.tallies.bins import BinTally

HALF = 2**62  # of what an int64 holds, and one more
TOO_MANY = r"merged weight sums to .*, beyond the largest int64 count 2\*\*63 - 1"


def confusion(weight):
    return ConfusionTally(np.arange(2), np.array([[weight - 1, 0], [1, 0]]))


def counts(weight):
    return Counts(*np.array([[weight - 2, 3], [1, 2], [1, weight - 6], [0, 1]]))


def ranks(weight):
    return RankTally(np.array([0.7, 0.2]), np.array([[0, weight - 3], [1, 2]]))


def moments(weight):
    return MomentTally.from_checked(np.array([[0.25], [0.75]]), np.array([weight - 1, 1]))


def bins(weight):
    own = np.array([weight - 1, 1])
    return BinTally(np.array([0.0, 0.5, 1.0]), own, own // 2, own / 4, own * 1.0, np.array([1, 1]))


def sketch(weight):
    return ScoreSketch.from_edges([0.5]).update([0, 1], [0.1, 0.9], [weight - 1, 1])


KINDS = (confusion, counts, ranks, moments, bins, sketch)


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_integer_holds_is_refused(kind):
    half = kind(HALF)
    with pytest.raises(ValueError, match=TOO_MANY):
        half.merge(half)
    with pytest.raises(ValueError, match=TOO_MANY):
        type(half).combine([kind(HALF - 8), kind(8), kind(HALF)])
    merged = half.merge(kind(HALF - 2048))  # near the limit
    assert merged.merge(kind(8)) is not None


def test_so_are_folds_that_are_pooled_and_rows_that_are_added():
    folds = ConfusionTally(np.arange(2), np.stack([confusion(HALF).table] * 2))
    with pytest.raises(ValueError, match=TOO_MANY):
        folds.pool()
    rankings = RankTally.stack([ranks(HALF)] * 2)
    with pytest.raises(ValueError, match=TOO_MANY):
        rankings.pool()
    with pytest.raises(ValueError, match=TOO_MANY):
        sketch(HALF).update([0], [0.3], [HALF])


@pytest.mark.parametrize("n_parts", [1, 2, 3])
def test_values_of_what_fits_are_right(n_parts):
    """However near the limit: products of such counts are beyond any integer."""
    weight = HALF // 2
    table = ConfusionTally(np.arange(2), np.array([[weight // 2, 0], [weight // 4, weight // 4]]))
    merged = ConfusionTally.combine([table] * n_parts)
    found = compute_metrics(["accuracy", "matthews_corrcoef", "cohen_kappa", "f1"], merged)
    small = compute_metrics(list(found), ConfusionTally.from_table([[2, 0], [1, 1]]))
    assert found == pytest.approx(small)
    ranking = RankTally(
        np.array([0.7, 0.2]), np.array([[weight // 8, weight // 4], [weight // 4, weight // 8]])
    )
    assert METRICS["roc_auc"].kernel(RankTally.combine([ranking] * n_parts)) == pytest.approx(2 / 3)
    assert float(RankTally.combine([ranking] * n_parts).precision()[0]) > 0


def test_a_published_table_of_more_goes_on_as_floats():
    table = ConfusionTally.from_table([[2**62, 2**61], [2**61, 2**62]])
    assert table.table.dtype == np.float64
    assert compute_metrics(["accuracy", "f1"], table) == pytest.approx(
        {"accuracy": 2 / 3, "f1": 2 / 3}
    )


@pytest.mark.parametrize("scale", [1e-50, 1.0, 1e50])
def test_weights_of_parts_keep_their_unit(scale):
    """Those of one call alone may be scaled, which leaves its ratios as they are."""
    true, pred, score = [0, 1, 1], [0, 0, 1], [0.1, 0.9, 0.4]
    one, other = np.array([1, 2, 3]) * scale, np.array([5.0, 7, 11])
    makers = (
        (lambda weight: ConfusionTally.from_predictions(true, pred, sample_weight=weight).table),
        (lambda weight: Counts.from_predictions(true, pred, sample_weight=weight).tp),
        (lambda weight: RankTally.from_predictions(true, score, sample_weight=weight).mass),
        (lambda weight: MomentTally.from_values(score, sample_weight=weight).weight),
        (lambda weight: ScoreSketch.from_edges([0.5]).update(true, score, weight).mass),
    )
    for make in makers:
        np.testing.assert_allclose(make(one), make(one / scale) * scale, rtol=1e-14)
        make(np.zeros(3))  # of a part, they may all be 0
        make(other)
        for extreme in (1e-80, 1e80):
            with pytest.raises(ValueError, match="of rows that are added to others"):
                make(other * extreme)

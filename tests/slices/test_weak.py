"""The search for weak slices: which are looked at, how they are tested, what is folded."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext.inference.draws.readers import check_rows, find_metric, sample_of_checked
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.slices.coding import Coded, Slice, check_number, column_crosses
from skmetrics_ext.slices.slice_search import Search, WeakSlice, search
from skmetrics_ext.slices.slice_tests import ExactTests, StudentTests, slice_tests, upper_tail
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.groups import Design

N = 400


def columns(rng, n_columns=3, n_values=3, n=N):
    codes = rng.integers(0, n_values, (n_columns, n))
    return [Coded(f"c{i}", tuple(range(n_values)), one) for i, one in enumerate(codes)]


def rows_of(rng, weak=None, n=N, right=0.9, weak_right=0.4):
    y = rng.integers(0, 2, n)
    chance = np.full(n, right) if weak is None else np.where(weak, weak_right, right)
    return y, np.where(rng.random(n) < chance, y, 1 - y)


def source(metric, y_true, y_pred, **about):
    found, checked = check_rows(find_metric(metric, {}), y_true, y_pred, about.get("weight"))
    reading = sample_of_checked(found, checked, Design(about.get("groups")))
    sign = 1.0 if found.spec.greater_is_better else -1.0
    return slice_tests(linearize(reading), sign)


# --------------------------------------------------------------------------- which slices


def test_every_slice_with_enough_rows_is_looked_at():
    rng = np.random.default_rng(0)
    coded = columns(rng, 4, 5)
    found = {
        (look.columns, own.codes): int(look.rows[cell])
        for look in column_crosses(coded, 3, 12)
        for own, cell in zip(look.slices(), look.kept, strict=True)
    }
    expected = {}
    for size in (1, 2, 3):
        for own in combinations(range(4), size):
            for codes in product(range(5), repeat=size):
                rows = np.all([coded[c].codes == v for c, v in zip(own, codes, strict=True)], 0)
                if 12 <= rows.sum() <= N - 12:
                    expected[own, codes] = rows.sum()
    assert found == expected


def test_a_slice_that_leaves_too_few_rows_is_not_looked_at():
    coded = [Coded("c", (0, 1, 2), np.repeat([0, 1, 2], [88, 6, 6]))]
    for min_rows, kept in ((12, [0]), (13, []), (6, [0, 1, 2]), (7, [0])):
        (look,) = column_crosses(coded, 1, min_rows)
        assert look.kept.tolist() == kept


def test_a_slice_of_the_rows_of_a_simpler_one_is_not_looked_at_again():
    code = np.repeat([0, 1, 2], 50)
    coded = [Coded("a", (0, 1, 2), code), Coded("b", (0, 1), np.minimum(code, 1))]
    slices = [one for look in column_crosses(coded, 2, 10) for one in look.slices()]
    # (b = 1) has the rows of two values of a; crossed with these it has theirs.
    assert [one.columns for one in slices] == [(0,)] * 3 + [(1,)] * 2


def test_too_many_slices_are_counted_before_they_are_made():
    wide = [Coded(f"c{i}", tuple(range(3000)), np.zeros(3, dtype=np.int64)) for i in range(3)]
    check_number(wide, 1)
    with pytest.raises(InvalidParameterError, match="27009000 slices of up to 2"):
        check_number(wide, 2)


# --------------------------------------------------------------------------- tests of a slice


def test_tails_are_those_of_the_hypergeometric_distribution():
    rng = np.random.default_rng(1)
    drawn = rng.integers(1, 300, 200)
    found = np.minimum(rng.hypergeometric(90, 610, drawn) + rng.integers(0, 12, 200), drawn)
    expected = stats.hypergeom(700, 90, drawn).sf(found - 1)
    worse = found * 700 > drawn * 90
    np.testing.assert_allclose(upper_tail(found, drawn, 90, 700)[worse], expected[worse], rtol=1e-9)
    assert (upper_tail(found, drawn, 90, 700)[~worse] == 1).all()
    assert expected[~worse].min() > 0.4


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "recall", "precision", "f1"])
def test_shares_are_tested_exactly(metric):
    rng = np.random.default_rng(2)
    y, p = rows_of(rng, right=0.8)
    own = source(metric, y, p)
    assert isinstance(own, ExactTests)
    inside = rng.random(N) < 0.2
    read = {"recall": y == 1, "precision": p == 1, "f1": (y == 1) | (p == 1)}.get(metric, y >= 0)
    bad = read & (y != p)
    table = [[(bad & rows).sum(), (read & ~bad & rows).sum()] for rows in (inside, ~inside)]
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    found = own.test(np.flatnonzero(inside), np.flatnonzero(~inside))
    is_more = table[0][0] * sum(table[1]) > table[1][0] * sum(table[0])
    assert found == pytest.approx(expected if is_more else 1.0)


def test_a_mean_is_tested_by_welch_with_no_less_than_the_variance_of_all_rows():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, N)
    score = np.clip(0.5 + (y - 0.5) * 0.4 + rng.normal(0, 0.2, N), 0.02, 0.98)
    loss = (score - y) ** 2
    inside = np.zeros(N, dtype=bool)
    inside[np.argsort(loss)[200:390:3]] = True  # worse, and less spread
    asked = source("brier_score", y, score)
    assert isinstance(asked, StudentTests)
    found = asked.test(np.flatnonzero(inside), np.flatnonzero(~inside))
    n, m = inside.sum(), (~inside).sum()
    squares, fourth = ((loss - loss.mean()) ** 2).mean(), ((loss - loss.mean()) ** 4).mean()
    assert loss[inside].var(ddof=1) < squares
    # Freedom of so many equal contributions: of the rows of the slice, which are lively enough.
    own = loss[inside] - loss[inside].mean()
    lively = min(n - 1, (own**2).sum() ** 2 / (own**4).sum() - 1)
    assert lively > n * squares**2 / fourth - 1
    parts, freedom = (squares / n, squares / m), (lively, m * squares**2 / fourth - 1)
    down = sum(v**2 / f for v, f in zip(parts, freedom, strict=True))
    t = (loss[inside].mean() - loss[~inside].mean()) / sum(parts) ** 0.5
    assert found == pytest.approx(stats.t.sf(t, sum(parts) ** 2 / down))
    inside = np.zeros(N, dtype=bool)
    inside[np.argsort(loss)[np.r_[0:40:4, 300:390:3]]] = True  # worse, and more spread
    found = asked.test(np.flatnonzero(inside), np.flatnonzero(~inside))
    welch = stats.ttest_ind(loss[inside], loss[~inside], equal_var=False, alternative="greater")
    assert loss[inside].var(ddof=1) > squares
    assert np.log(found) == pytest.approx(np.log(welch.pvalue), rel=0.05)  # the rest is as all rows


@pytest.mark.parametrize(
    "metric", ["f1_macro", "matthews_corrcoef", "balanced_accuracy", "log_loss", "d2_brier_score"]
)
def test_what_is_passed_over_could_not_be_found(metric):
    """The bounds by which slices are passed over are not above their p-values."""
    rng = np.random.default_rng(4)
    coded = columns(rng)
    y, p = rows_of(rng, (coded[0].codes == 1) & (coded[1].codes == 2), right=0.8)
    score = np.clip(0.5 + (p - 0.5) * 0.7 + rng.normal(0, 0.1, N), 0.02, 0.98)
    own = source(metric, y, score if "lo" in metric or "d2" in metric else p)
    for look in column_crosses(coded, 2, 20):
        stated, defined = own.screen(look)
        bounds = own.bounds(stated)
        assert defined.all()
        for bound, one in zip(bounds, look.slices(), strict=True):
            inside = one.contains_rows(coded)
            assert bound <= own.test(np.flatnonzero(inside), np.flatnonzero(~inside)) + 1e-12


def test_rows_that_say_the_same_twice_in_a_group_are_no_more_evidence():
    rng = np.random.default_rng(5)
    inside = np.repeat([True, False], [40, N - 40])
    y, p = rows_of(rng, inside, weak_right=0.65)
    once = source("accuracy", y, p, groups=np.arange(N))
    group = np.tile(np.arange(N), 3)
    thrice = source("accuracy", np.tile(y, 3), np.tile(p, 3), groups=group)
    alone = source("accuracy", np.tile(y, 3), np.tile(p, 3), groups=np.arange(3 * N))
    rows = np.flatnonzero(inside), np.flatnonzero(~inside)
    tripled = np.flatnonzero(np.tile(inside, 3)), np.flatnonzero(np.tile(~inside, 3))
    assert thrice.test(*tripled) == pytest.approx(once.test(*rows), rel=1e-6)
    assert alone.test(*tripled) < once.test(*rows) / 10


# --------------------------------------------------------------------------- the search


def test_p_values_are_adjusted_for_all_slices_of_as_many_columns_and_for_their_numbers():
    """Of 9 slices of one column, of 27 of two: Holm's, twice, for there are two numbers."""
    rng = np.random.default_rng(11)
    coded = columns(rng, 3, 3, n=2000)
    weak = (coded[0].codes == 1) & (coded[2].codes == 0)
    y, p = rows_of(rng, weak, n=2000, weak_right=0.75)
    found = search(source("accuracy", y, p), coded, 2, 20, 0.05)
    assert found.tested == {1: 9, 2: 27}
    (best, *_) = found.weak
    assert best.slice.values(coded) == {"c0": 1, "c2": 0}
    table = [[((y != p) & rows).sum(), ((y == p) & rows).sum()] for rows in (weak, ~weak)]
    alone = stats.fisher_exact(table, alternative="greater").pvalue
    assert best.p_alone == pytest.approx(alone)
    assert best.p_value == pytest.approx(2 * 27 * alone)
    assert found.level(best.slice) == pytest.approx(0.05 / 54)
    assert best.n_rows == weak.sum()


def test_slices_are_compared_where_both_sides_have_enough_rows():
    code = np.repeat([0, 1, 2], [20, 20, 100])
    coded = [Coded("c", (0, 1, 2), code)]
    y, p = np.ones(140, int), (code != 0).astype(int)
    one = WeakSlice(Slice((0,), (0,)), 20, 0.0, 0.0)
    for min_rows, is_worse in ((20, True), (21, False)):
        asked = Search(source("accuracy", y, p), coded, min_rows, 0.05)
        for among in (code < 2, code != 1):
            assert asked.is_worse_among(one, among, 0.05) == is_worse
        other = WeakSlice(Slice((0,), (1,)), 20, 0.0, 0.0)
        assert not asked.is_worse_among(other, code > 0, 0.05)


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy"])
def test_few_data_sets_without_a_weak_slice_have_a_find(metric):
    n_found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = search(source(metric, *rows_of(rng)), columns(rng, 4), 2, 20, 0.05)
        assert found.tested == {1: 12, 2: 54}
        n_found += bool(found.weak)
    assert n_found <= stats.binom(60, 0.05).isf(0.001)


def test_groups_that_differ_are_no_weak_slices():
    """Columns tell groups apart, and rows of a group are right together."""
    without, beside = 0, 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        group = np.repeat(np.arange(150), 8)
        coded = columns(rng, 4, 4, n=150)
        coded = [Coded(one.name, one.values, one.codes[group]) for one in coded]
        y, p = rows_of(rng, n=1200, right=0.0)
        p = np.where(rng.random(1200) < rng.beta(2.5, 0.5, 150)[group], y, p)
        without += bool(search(source("accuracy", y, p), coded, 1, 50, 0.05).weak)
        grouped = source("accuracy", y, p, groups=group)
        beside += bool(search(grouped, coded, 1, 50, 0.05).weak)
    assert without >= 5
    assert beside <= stats.binom(10, 0.05).isf(0.001)


def test_a_pair_is_found_and_its_columns_are_folded_into_it():
    rng = np.random.default_rng(6)
    coded = columns(rng, 4, 4, n=3000)
    weak = (coded[0].codes == 1) & (coded[2].codes == 3)
    own = source("accuracy", *rows_of(rng, weak, n=3000))
    found = search(own, coded, 2, 50, 0.05).weak
    assert [one.slice.values(coded) for one in found] == [{"c0": 1, "c2": 3}]
    folded = [one.slice.values(coded) for one in found[0].folded]
    assert {"c0": 1} in folded
    assert {"c2": 3} in folded


def test_pairs_are_folded_into_the_column_that_explains_them():
    rng = np.random.default_rng(7)
    coded = columns(rng, 3, 3, n=3000)
    own = source("accuracy", *rows_of(rng, coded[1].codes == 2, n=3000))
    found = search(own, coded, 2, 50, 0.05).weak
    assert [one.slice.values(coded) for one in found] == [{"c1": 2}]
    assert len(found[0].folded) == 6  # with each value of both other columns


def test_a_pair_that_is_worse_than_its_column_stands_beside_it():
    rng = np.random.default_rng(8)
    coded = columns(rng, 3, 3, n=4000)
    chance = np.where(coded[1].codes == 2, 0.7, 0.95)
    chance[(coded[1].codes == 2) & (coded[0].codes == 0)] = 0.3
    y = rng.integers(0, 2, 4000)
    own = source("accuracy", y, np.where(rng.random(4000) < chance, y, 1 - y))
    found = [one.slice.values(coded) for one in search(own, coded, 2, 50, 0.05).weak]
    assert sorted(found, key=len) == [{"c1": 2}, {"c0": 0, "c1": 2}]


def test_a_column_with_more_evidence_is_folded_into_the_pair_that_explains_it():
    rng = np.random.default_rng(9)
    code = rng.integers(0, 2, (2, 4000))
    coded = [Coded(f"c{i}", (0, 1), one) for i, one in enumerate(code)]
    weak = (code[0] == 1) & (code[1] == 1)
    y, p = rows_of(rng, weak, n=4000, weak_right=0.7)
    own = source("accuracy", y, p)
    (found,) = search(own, coded, 2, 50, 0.05).weak
    assert found.slice.values(coded) == {"c0": 1, "c1": 1}
    assert sorted(tuple(one.slice.values(coded)) for one in found.folded) == [("c0",), ("c1",)]

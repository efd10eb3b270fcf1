"""Units: which rows are alike, how they are drawn, and sums by them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign, Scatter, draw_counts
from skmetrics_ext.inference.draws.readers import sample_of_rows


def test_rows_that_are_alike_are_one_unit():
    true, pred = [0, 0, 1, 1, 1], [0, 0, 1, 0, 1]
    reading = sample_of_rows("f1", true, pred)
    assert sorted(reading.atoms.rows.tolist()) == [1, 2, 2]
    assert reading.tally(reading.atoms.rows).table.tolist() == [[2, 0], [1, 2]]
    weighted = sample_of_rows("f1", true, pred, sample_weight=[1, 2, 1, 1, 1])
    assert len(weighted.atoms) == 4
    seen = sample_of_rows("f1", true, pred, sample_weight=[1, 2, 1, 1, 1], weights_are="frequency")
    assert seen.atoms.weight is None
    assert seen.atoms.rows.sum() == 6


def test_as_many_rows_are_drawn_as_there_are(labels):
    units = sample_of_rows("f1_macro", *labels).atoms
    counts = draw_counts(np.random.default_rng(0), units, 50, stratified=False)
    assert (counts.sum(axis=1) == 120).all()
    assert counts.std(axis=0).min() > 0


def test_classes_keep_their_size_where_they_are_strata(scores):
    units = sample_of_rows("roc_auc", *scores).atoms
    counts = draw_counts(np.random.default_rng(0), units, 50, stratified=True)
    positive = (counts * (units.label == 1)).sum(axis=1)
    assert (positive == scores[0].sum()).all()
    assert (counts.sum(axis=1) == 150).all()


def test_groups_are_drawn_as_wholes(labels):
    groups = np.arange(120) // 6
    reading = sample_of_rows("f1_macro", *labels, groups=groups)
    counts = draw_counts(np.random.default_rng(0), reading.atoms, 30, stratified=False)
    units = reading.atoms
    for group in range(20):
        own = counts[:, units.group == group] / units.rows[units.group == group]
        assert (own == own[:, :1]).all()
    assert (np.count_nonzero(counts, axis=1) < len(units)).all()


@pytest.mark.parametrize("n_rows", [40, 3000])
def test_draws_of_units_are_multinomial(n_rows):
    """Mean and variance of the counts, by either way of drawing."""
    true = np.arange(n_rows) % 2
    pred = (np.arange(n_rows) % 3 == 0).astype(int)
    few = sample_of_rows("f1", true, pred).atoms
    many = sample_of_rows("roc_auc", true, np.arange(n_rows) // 2).atoms
    for units in (few, many):
        counts = draw_counts(np.random.default_rng(5), units, 400, stratified=False)
        share = units.rows / n_rows
        error = np.sqrt(units.rows * (1 - share) / 400)
        assert (np.abs(counts.mean(axis=0) - units.rows) < 5 * error).all()
        spread = counts.var(axis=0).mean() / (units.rows * (1 - share)).mean()
        assert spread == pytest.approx(1, abs=0.15)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12), st.data())
def test_scatter_sums_into_places(index, data):
    columns = np.array(
        data.draw(st.lists(st.integers(-5, 5), min_size=2 * len(index), max_size=2 * len(index)))
    ).reshape(2, -1)
    found = Scatter(np.array(index), 7)(columns)
    expected = np.array([np.bincount(index, weights=row, minlength=7) for row in columns])
    np.testing.assert_array_equal(found, expected)


def test_parts_of_a_design_keep_the_numbers_of_rows_and_groups():
    """So that two parts know what they share."""
    design = RowDesign(np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 2]))
    part = design.select(np.array([1, 3]))
    assert part.weight.tolist() == [2, 4]
    assert part.group.tolist() == [0, 1]
    assert (part.number.tolist(), part.cluster.tolist()) == ([1, 3], [0, 2])
    again = part.select(np.array([1]))
    assert again.group.tolist() == [0]
    assert (again.number.tolist(), again.cluster.tolist()) == ([3], [2])
    plain = RowDesign().select(np.array([2, 5]))
    assert (plain.number.tolist(), plain.cluster, plain.weight) == ([2, 5], None, None)


@pytest.mark.parametrize("n_classes", [2, 40])
def test_rows_of_each_class_in_each_group(n_classes):
    """With few classes a table is counted, with many the filled cells alone are kept."""
    rng = np.random.default_rng(0)
    group, label = rng.integers(0, 30, 100), rng.integers(0, n_classes, 100)
    group[:30], label[0] = np.arange(30), n_classes - 1
    atoms = Atoms.each_row(100, RowDesign(None, group), label)
    counts = Counter(zip(label.tolist(), group.tolist(), strict=True))
    units = atoms.units(label)
    assert [counts[key] for key in zip(label.tolist(), group.tolist(), strict=True)] == (
        units.rows[units.code].tolist()
    )
    assert units.by_class(units.rows).tolist() == np.bincount(label).tolist()
    with_class = [len({g for k, g in counts if k == each}) for each in range(n_classes)]
    assert atoms.by_class().tolist() == with_class
    sizes = np.array([n for (k, _), n in counts.items() if k == 1])
    kish = sizes.sum() ** 2 / (sizes**2).sum()
    assert atoms.effective_groups(label == 1) == pytest.approx(kish)
